// SPDX-License-Identifier: GPL-2.0
/*
 * Several actors: what they share shows, what is a CPU's own does not; phases
 * follow in order, and actors of one phase run at one time.
 */
#include "backend/sim_phase.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_chase.h"
#include "made_batch.h"
#include "made_machine.h"

#define KIB 1024ull
#define LINE 64u

/* A core cycle is a tick; four CPUs, two of them at a second level. */
#define MACHINE(inclusion) \
	"machine name=a cpus=4 clock_mhz=1000 memory_latency=200\n" \
	"level name=l1d size=4K ways=4 latency=4\n" \
	"level name=l2 size=64K ways=full latency=20 shared=2 " \
	"inclusion=" inclusion "\n" \
	"place pages=contiguous\n" \
	"clock tsc_mhz=1000 read=0\n"
#define PLAIN MACHINE("non-inclusive")

static void begin(struct mp_exp *exp)
{
	mp_exp_init(exp);
}

static uint32_t add_arena(struct mp_exp *exp, uint64_t bytes)
{
	exp->arena[exp->n_arenas].bytes = bytes;
	return exp->n_arenas++;
}

/* A turn to warm it up, and a turn in each of two bursts. */
static struct mp_actor *add(struct mp_exp *exp, uint32_t place, uint32_t arena,
			    uint32_t phase)
{
	struct mp_actor *actor = &exp->actor[exp->n_actors++];
	const uint64_t bytes = exp->arena[arena].bytes;

	actor->op = MP_OP_CHASE;
	actor->place = place;
	actor->arena = arena;
	actor->phase = phase;
	actor->length = bytes;
	actor->stride = LINE;
	actor->warm_hops = bytes / LINE;
	actor->hops = bytes / LINE;
	actor->bursts = 2;
	return actor;
}

static void run(const char *text, const struct mp_exp *exp, uint64_t seed,
		struct mp_batch *batch)
{
	struct mp_sim_machine machine;
	char why[256];

	if (mp_exp_check(exp, why, sizeof(why)))
		fail_msg("%s", why);
	made_machine(&machine, text);
	mp_batch_init(batch, exp, 0);
	assert_int_equal(mp_sim_chase(&machine, seed, NULL, batch), 0);
	mp_sim_machine_free(&machine);
}

/* Cycles a hop of one burst of an actor. */
static double cycles(const struct mp_batch *batch, uint32_t actor,
		     uint32_t burst)
{
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor == actor && sample->burst == burst)
			return (double)sample->ticks / (double)sample->hops;
	}
	fail_msg("no sample of actor %u, burst %u", actor, burst);
	return 0;
}

static void assert_cycles(const struct mp_batch *batch, uint32_t actor,
			  uint32_t burst, double low, double high)
{
	const double is = cycles(batch, actor, burst);

	if (!(is >= low && is <= high))
		fail_msg("actor %u, burst %u: %g cycles, not %g .. %g", actor,
			 burst, is, low, high);
}

/*
 * Each fits a level of 64 KiB, but with one line in ten of the other's, which
 * it brings at the least while this one hits, no more.
 */
static void two_at_once(uint32_t place, struct mp_batch *batch)
{
	struct mp_exp exp;

	begin(&exp);
	add_arena(&exp, 63 * KIB);
	add_arena(&exp, 63 * KIB);
	add(&exp, 0, 0, 0);
	add(&exp, place, 1, 0);
	exp.actor[0].warm_hops = exp.actor[1].warm_hops = 8192;
	run(PLAIN, &exp, 1, batch);
	assert_int_equal(batch->n_samples, 4);
}

static void who_shares_a_level_takes_room_in_it(void **state)
{
	struct mp_batch batch;

	(void)state;
	two_at_once(1, &batch);
	/* LRU: nobody hits. */
	for (uint32_t i = 0; i < 4; i++)
		assert_cycles(&batch, i / 2, i % 2, 199, 201);
	mp_batch_free(&batch);
	two_at_once(2, &batch);
	for (uint32_t i = 0; i < 4; i++)
		assert_cycles(&batch, i / 2, i % 2, 19, 21);
	mp_batch_free(&batch);
}

static void actors_of_a_phase_run_at_one_time(void **state)
{
	struct mp_batch batch;
	uint64_t from[2] = { UINT64_MAX, UINT64_MAX }, to[2] = { 0 };

	(void)state;
	two_at_once(1, &batch);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];
		const uint64_t end = sample->start_ns + sample->ticks;

		assert_int_equal(sample->place, sample->actor);
		if (sample->start_ns < from[sample->actor])
			from[sample->actor] = sample->start_ns;
		if (end > to[sample->actor])
			to[sample->actor] = end;
	}
	/* Most of their time is common to both. */
	assert_true((from[0] > from[1] ? from[0] : from[1]) +
		    (to[0] - from[0]) * 3 / 4 < (to[0] < to[1] ? to[0] : to[1]));
	assert_true(batch.grant.clock[0].at_ns < from[0]);
	assert_true(batch.grant.clock[batch.grant.n_clocks - 1].at_ns > to[0]);
	mp_batch_free(&batch);
}

/* A fills, another CPU sweeps so much, A reads again: its first burst. */
static void fill_sweep_read(const char *text, uint32_t place, uint64_t fill,
			    uint64_t sweep, struct mp_batch *batch)
{
	struct mp_actor *actor;
	struct mp_exp exp;

	begin(&exp);
	add_arena(&exp, fill);
	add_arena(&exp, sweep);
	add(&exp, 0, 0, 0);
	add(&exp, place, 1, 1);
	actor = add(&exp, 0, 0, 2);
	actor->warm_hops = 0;
	run(text, &exp, 1, batch);
	assert_int_equal(batch->n_samples, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(batch->sample[i].actor, i / 2);
	for (uint32_t i = 1; i < 6; i++)
		assert_true(batch->sample[i].start_ns >
			    batch->sample[i - 1].start_ns);
}

static void phases_follow_in_order(void **state)
{
	struct mp_batch batch;

	(void)state;
	/* 32 KiB outlive 24 KiB of a neighbour's in 64 KiB, not 64 KiB. */
	fill_sweep_read(PLAIN, 1, 32 * KIB, 24 * KIB, &batch);
	assert_cycles(&batch, 0, 1, 19, 21);
	assert_cycles(&batch, 2, 0, 19, 21);
	mp_batch_free(&batch);
	fill_sweep_read(PLAIN, 1, 32 * KIB, 64 * KIB, &batch);
	assert_cycles(&batch, 0, 1, 19, 21);
	/* Of the few that hit further in some are missed in the next turn. */
	assert_cycles(&batch, 2, 0, 195, 201);
	assert_cycles(&batch, 2, 1, 19, 23);
	mp_batch_free(&batch);
	fill_sweep_read(PLAIN, 2, 32 * KIB, 64 * KIB, &batch);
	assert_cycles(&batch, 2, 0, 19, 21);
	mp_batch_free(&batch);
}

static void an_inclusive_level_puts_out_of_every_cpu(void **state)
{
	struct mp_batch batch;

	(void)state;
	fill_sweep_read(MACHINE("inclusive"), 1, 4 * KIB, 64 * KIB, &batch);
	assert_cycles(&batch, 0, 1, 3.9, 4.1);
	assert_cycles(&batch, 2, 0, 199, 201);
	mp_batch_free(&batch);
	fill_sweep_read(PLAIN, 1, 4 * KIB, 64 * KIB, &batch);
	assert_cycles(&batch, 2, 0, 3.9, 4.1);
	mp_batch_free(&batch);
}

/* The second CPU reads, without warm-up, what the first has just read. */
static double read_after(uint32_t place)
{
	struct mp_batch batch;
	struct mp_exp exp;
	double first;

	begin(&exp);
	add_arena(&exp, 32 * KIB);
	add_arena(&exp, 64 * KIB);
	/* Wipe out what the builder of the last ring has left. */
	add(&exp, place, 1, 0);
	add(&exp, 0, 0, 1);
	add(&exp, place, 0, 2)->warm_hops = 0;
	run(PLAIN, &exp, 1, &batch);
	first = cycles(&batch, 2, 0);
	mp_batch_free(&batch);
	return first;
}

static void one_arena_is_shared_through_a_shared_level(void **state)
{
	(void)state;
	assert_true(fabs(read_after(1) - 20) < 1);
	assert_true(fabs(read_after(3) - 200) < 1);
}

/* A chase of 40 KiB beside a load of 64 KiB, at a pace. */
static double beside_a_load(uint32_t place, uint64_t pace)
{
	struct mp_actor *actor;
	struct mp_batch batch;
	struct mp_exp exp;
	double last;

	begin(&exp);
	add_arena(&exp, 40 * KIB);
	add_arena(&exp, 64 * KIB);
	actor = add(&exp, 0, 0, 0);
	actor->warm_hops = 6400;
	actor = add(&exp, place, 1, 0);
	actor->background = 1;
	actor->pace = pace;
	run(PLAIN, &exp, 1, &batch);
	assert_int_equal(batch.n_samples, 2);
	assert_int_equal(batch.sample[1].actor, 0);
	last = cycles(&batch, 0, 1);
	mp_batch_free(&batch);
	return last;
}

static void a_load_runs_beside_and_is_not_measured(void **state)
{
	double slow, fast;

	(void)state;
	fast = beside_a_load(1, 0);
	slow = beside_a_load(1, 200000);
	assert_true(fast > 199);
	/* At 200 hops a millisecond it is hardly there. */
	if (!(slow >= 19.9 && slow < 60))
		fail_msg("%g cycles", slow);
	assert_true(fabs(beside_a_load(2, 0) - 20) < 1);
}

static void equal_questions_have_equal_bytes(void **state)
{
	static const char noisy[] =
		"machine name=a cpus=2 clock_mhz=3000 memory_latency=200\n"
		"level name=l1d size=4K ways=4 latency=4 policy=random\n"
		"level name=l2 size=64K ways=16 latency=20 shared=2 "
		"policy=qlru_h11_m1_r0_u0 inclusion=inclusive\n"
		"tlb level=1 page=4K entries=8 ways=full\nwalk cost=30\n"
		"prefetch kind=adjacent into=l2\n"
		"clock step=26 read=60 drift=0.01\n"
		"noise gaps=0.05\nneighbour level=l2 period_ms=0.1\n";
	struct mp_batch a, b, c;
	struct mp_exp exp;

	(void)state;
	begin(&exp);
	add_arena(&exp, 40 * KIB);
	add_arena(&exp, 40 * KIB);
	add(&exp, 0, 0, 0);
	add(&exp, 1, 1, 0)->detail = MP_DETAIL_HIST;
	add(&exp, 0, 1, 3);
	exp.actor[1].group = 8;
	exp.rounds = 3;
	run(noisy, &exp, 1, &a);
	run(noisy, &exp, 1, &b);
	run(noisy, &exp, 2, &c);
	assert_int_equal(a.n_samples, 18);
	assert_int_equal(a.grant.n_arenas, 2);
	assert_true(made_batch_equal(&a, &b));
	assert_false(made_batch_equal(&a, &c));
	mp_batch_free(&a);
	mp_batch_free(&b);
	mp_batch_free(&c);
}

/* Alone in its phase, a ring is summed up; the steps of others are not. */
static void phases_do_not_see_what_was_summed_up(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	begin(&exp);
	add_arena(&exp, 2 * KIB);
	add_arena(&exp, 2 * KIB);
	add(&exp, 0, 0, 0)->warm_hops = 1000007;
	add(&exp, 0, 1, 1)->warm_hops = 1000003;
	exp.rounds = 3;
	run(PLAIN, &exp, 1, &batch);
	/* Both fit the first level together. */
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		assert_int_equal(batch.sample[i].round, i / 4);
		assert_true(batch.sample[i].ticks < 64 * 4 + 2);
	}
	mp_batch_free(&batch);
}

/* A fifth of the ring a round: five rounds are a turn, and a turn of
 * what fits has no miss behind the first. */
static void a_ring_goes_on_where_it_stopped_and_is_warmed_once(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	begin(&exp);
	add_arena(&exp, 20 * LINE);
	add_arena(&exp, 80 * LINE);
	add(&exp, 0, 0, 0)->hops = 4;
	add(&exp, 0, 1, 1)->hops = 80;
	for (uint32_t i = 0; i < 2; i++) {
		exp.actor[i].detail = MP_DETAIL_HIST;
		exp.actor[i].bursts = 1;
	}
	exp.rounds = 11;
	run(PLAIN, &exp, 1, &batch);
	assert_int_equal(batch.n_samples, 22);
	/* Each turn of the second puts all of the first out of the inner
	 * level: a slot that was visited again would be served there. */
	for (uint32_t i = 2; i < batch.n_samples; i += 2)
		assert_int_equal(batch.sample[i].ticks, 4 * 20);
	mp_batch_free(&batch);
}

static void who_acts_seldom_gives_few_samples(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	begin(&exp);
	add_arena(&exp, 2 * KIB);
	add_arena(&exp, 8 * KIB);
	add(&exp, 0, 0, 0);
	add(&exp, 0, 1, 1)->every = 4;
	exp.rounds = 9;
	run(PLAIN, &exp, 1, &batch);
	assert_int_equal(batch.n_samples, (9 + 2) * 2);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];
		/* It fits the inner level, unless the other has been there. */
		const bool put_out = sample->round == 4 ||
				     sample->round == 8 || !sample->round;

		if (sample->actor)
			assert_int_equal(sample->round % 4, 3);
		else if (!sample->burst)
			assert_int_equal(sample->ticks > 32 * 4 * 2, put_out &&
					 sample->round);
	}
	mp_batch_free(&batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_shares_a_level_takes_room_in_it),
		cmocka_unit_test(actors_of_a_phase_run_at_one_time),
		cmocka_unit_test(phases_follow_in_order),
		cmocka_unit_test(an_inclusive_level_puts_out_of_every_cpu),
		cmocka_unit_test(one_arena_is_shared_through_a_shared_level),
		cmocka_unit_test(a_load_runs_beside_and_is_not_measured),
		cmocka_unit_test(equal_questions_have_equal_bytes),
		cmocka_unit_test(phases_do_not_see_what_was_summed_up),
		cmocka_unit_test(a_ring_goes_on_where_it_stopped_and_is_warmed_once),
		cmocka_unit_test(who_acts_seldom_gives_few_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
