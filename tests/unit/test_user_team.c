// SPDX-License-Identifier: GPL-2.0
/* Several chases at once, through the backend, on this machine's CPUs. */
#include "backend.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define BYTES 16384u
#define STRIDE 64u
#define BURSTS 6u

extern const struct mp_backend mp_backend_user;

static const struct mp_backend *const user = &mp_backend_user;

/* The backend, open; a chase on its CPU, and the number of another one. */
struct set {
	struct mp_target target;
	struct mp_host host;
	struct mp_exp exp;
	uint32_t other;
};

static struct set set;

/* How often the kernel is asked what it has counted. */
static uint32_t calls;

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	return (int)syscall(SYS_getrusage, who, usage);
}

static void chase_of(struct mp_actor *actor, uint32_t place, uint32_t arena)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, place, MP_PAGES_4K, BYTES, STRIDE, 0);
	*actor = exp.actor[0];
	actor->arena = arena;
	actor->warm_hops = 2 * BYTES / STRIDE;
	actor->hops = 2048;
	actor->bursts = BURSTS;
}

static int open_set(void **state)
{
	const struct mp_opts opts = {
		.cpu = -1, .node = -1, .pages = -1, .seed = 11,
	};

	(void)state;
	memset(&set, 0, sizeof(set));
	set.target.backend = user;
	if (user->open(&set.target, &opts) ||
	    user->look(&set.target, &set.host))
		return -1;
	for (uint32_t cpu = 0; cpu < MP_CPUS_MAX; cpu++)
		if (cpu != set.host.cpu && mp_cpus_has(&set.host.cpus, cpu))
			set.other = cpu;
	mp_exp_chase(&set.exp, set.host.cpu, MP_PAGES_4K, BYTES, STRIDE, 0);
	set.exp.n_arenas = 2;
	set.exp.arena[1] = set.exp.arena[0];
	set.exp.n_actors = 2;
	chase_of(&set.exp.actor[0], set.host.cpu, 0);
	chase_of(&set.exp.actor[1], set.other, 1);
	return 0;
}

static int close_set(void **state)
{
	(void)state;
	user->close(&set.target);
	return 0;
}

static void skip_where_alone(void)
{
	if (!(set.host.caps & MP_CAP_ACTORS))
		skip();
}

static void run(struct mp_batch *batch)
{
	char why[256] = "";

	if (mp_exp_check(&set.exp, why, sizeof(why)))
		fail_msg("%s", why);
	mp_batch_init(batch, &set.exp, 3);
	assert_int_equal(user->run(&set.target, &set.exp, 3, batch), 0);
}

static void run_well(struct mp_batch *batch)
{
	run(batch);
	if (batch->error)
		fail_msg("%s", set.target.why);
}

static void expect_refusal(const char *why)
{
	struct mp_batch batch;

	run(&batch);
	assert_int_equal(batch.error, -EOPNOTSUPP);
	assert_int_equal(batch.n_samples, 0);
	if (!strstr(set.target.why, why))
		fail_msg("\"%s\" does not say \"%s\"", set.target.why, why);
	mp_batch_free(&batch);
}

static uint32_t samples_of(const struct mp_batch *batch, uint32_t actor)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++)
		n += batch->sample[i].actor == actor;
	return n;
}

static void more_than_one_cpu_is_more_than_one_actor(void **state)
{
	(void)state;
	assert_true(mp_cpus_has(&set.host.cpus, set.host.cpu));
	assert_int_equal(!!(set.host.caps & MP_CAP_ACTORS),
			 mp_cpus_count(&set.host.cpus) > 1);
}

static void each_actor_gives_its_samples_from_its_cpu(void **state)
{
	struct mp_batch batch;

	(void)state;
	skip_where_alone();
	set.exp.rounds = 2;
	run_well(&batch);
	assert_int_equal(batch.n_samples, 2 * 2 * BURSTS);
	assert_int_equal(batch.grant.n_arenas, 2);
	assert_true(batch.grant.arena[1].bytes >= BYTES);
	assert_true(batch.grant.gap_ticks > 0);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];

		assert_int_equal(sample->round, i / (2 * BURSTS));
		assert_int_equal(sample->actor, i / BURSTS % 2);
		assert_int_equal(sample->burst, i % BURSTS);
		assert_int_equal(sample->place,
				 set.exp.actor[sample->actor].place);
		assert_int_equal(sample->cpu_end, sample->place);
		/* All of them, or as many as fit while the CPU was away. */
		assert_true(sample->hops >= 2048 ||
			    (sample->flags & MEMPROBE_F_SHORT &&
			     (sample->gaps || sample->overrun_ticks)));
	}
	mp_batch_free(&batch);
}

static uint64_t first_of(const struct mp_batch *batch, uint32_t actor)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < batch->n_samples; i++)
		if (batch->sample[i].actor == actor &&
		    batch->sample[i].start_ns < first)
			first = batch->sample[i].start_ns;
	return first;
}

static uint64_t last_of(const struct mp_batch *batch, uint32_t actor)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++)
		if (batch->sample[i].actor == actor &&
		    batch->sample[i].start_ns > last)
			last = batch->sample[i].start_ns;
	return last;
}

static void phases_follow_in_their_order(void **state)
{
	struct mp_batch batch;

	(void)state;
	skip_where_alone();
	set.exp.actor[0].phase = 5;
	set.exp.actor[1].phase = 2;
	run_well(&batch);
	assert_int_equal(batch.n_samples, 2 * BURSTS);
	assert_int_equal(batch.sample[0].actor, 1);
	assert_true(last_of(&batch, 1) < first_of(&batch, 0));
	mp_batch_free(&batch);
}

static void actors_of_different_phases_may_share_a_cpu(void **state)
{
	struct mp_batch batch;

	(void)state;
	set.exp.actor[1].place = set.host.cpu;
	set.exp.actor[1].phase = 1;
	run_well(&batch);
	assert_int_equal(batch.n_samples, 2 * BURSTS);
	assert_int_equal(batch.sample[BURSTS].place, set.host.cpu);
	mp_batch_free(&batch);
}

static void a_background_actor_is_not_sampled(void **state)
{
	struct mp_batch batch;

	(void)state;
	skip_where_alone();
	set.exp.actor[1].background = 1;
	run_well(&batch);
	assert_int_equal(batch.n_samples, BURSTS);
	assert_int_equal(samples_of(&batch, 1), 0);
	mp_batch_free(&batch);
}

static void payloads_are_told_apart(void **state)
{
	struct mp_batch batch;
	uint64_t end = 0;

	(void)state;
	skip_where_alone();
	for (uint32_t i = 0; i < 2; i++) {
		set.exp.actor[i].detail = MP_DETAIL_TICKS;
		set.exp.actor[i].group = 16;
		set.exp.actor[i].hops = 64 * 16;
	}
	run_well(&batch);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];
		uint64_t ticks = 0;

		assert_true(sample->payload_offset >= end);
		end = sample->payload_offset + sample->payload_count;
		assert_true(end <= batch.n_words);
		for (uint64_t k = sample->payload_offset; k < end; k++)
			ticks += batch.payload[k];
		assert_int_equal(ticks, sample->ticks);
	}
	mp_batch_free(&batch);
}

static void two_may_walk_the_same_ring(void **state)
{
	struct mp_batch batch;

	(void)state;
	skip_where_alone();
	set.exp.n_arenas = 1;
	set.exp.actor[1].arena = 0;
	run_well(&batch);
	assert_int_equal(samples_of(&batch, 0), BURSTS);
	assert_int_equal(samples_of(&batch, 1), BURSTS);
	mp_batch_free(&batch);
}

static void what_cannot_be_had_at_once_is_refused_by_name(void **state)
{
	const struct mp_exp fine = set.exp;

	(void)state;
	set.exp.actor[1].place = set.host.cpu;
	expect_refusal("actor0 of the same phase is there");
	set.exp = fine;
	set.exp.actor[1].place = 1000000;
	expect_refusal("actor1.place 1000000: not a CPU that this process may run on");
	set.exp = fine;
	set.exp.actor[1].phase = 1;
	set.exp.actor[1].arena = 0;
	set.exp.actor[1].stride = 8;
	set.exp.actor[1].place = set.host.cpu;
	expect_refusal("its span lies over those of other rings");
	set.exp = fine;
	set.exp.actor[1].op = MP_OP_STREAM;
	expect_refusal("op stream");
	set.exp = fine;
	set.exp.actor[1].pace = 1000;
	expect_refusal("actor1: copies, pace");
	set.exp = fine;
	set.exp.n_steps = 1;
	set.exp.actor[0].op = MP_OP_SEQUENCE;
	expect_refusal("warm_hops of a sequence");
	set.exp.actor[0].warm_hops = 0;
	expect_refusal("a sequence has its phase for itself");
	set.exp.actor[1].phase = 1;
	set.exp.actor[0].place = set.other;
	if (set.other != set.host.cpu)
		expect_refusal("a sequence beside other actors");
	set.exp.actor[1].op = MP_OP_SEQUENCE;
	expect_refusal("steps 1, carveout 0: several actors of user space have one sequence at most");
	set.exp = fine;
	set.exp.n_steps = 1;
	expect_refusal("steps 1");
}

/* A sequence and a chase on one CPU, each in a phase of its own. */
static void let_take_turns(uint32_t n_steps)
{
	set.exp.n_steps = n_steps;
	set.exp.actor[0].op = MP_OP_SEQUENCE;
	set.exp.actor[0].warm_hops = 0;
	set.exp.actor[0].bursts = 1;
	set.exp.actor[1].place = set.host.cpu;
	set.exp.actor[1].phase = 1;
}

/* Ticks of the timed steps in each round, beside the samples of the chase. */
static void a_sequence_and_a_chase_take_turns(void **state)
{
	struct mp_batch batch;
	uint32_t listed = 0;

	(void)state;
	set.exp.rounds = 3;
	let_take_turns(2);
	set.exp.steps[0] = MEMPROBE_STEP(3, MEMPROBE_STEP_TIME);
	set.exp.steps[1] = MEMPROBE_STEP(5, MEMPROBE_STEP_FLUSH);
	run_well(&batch);
	assert_int_equal(batch.n_samples, 3 * (1 + BURSTS));
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];

		assert_int_equal(sample->round, i / (1 + BURSTS));
		assert_int_equal(sample->actor, i % (1 + BURSTS) != 0);
		listed += sample->payload_count;
	}
	assert_int_equal(listed, 3);
	mp_batch_free(&batch);
}

static void both_arenas_count_against_the_bound(void **state)
{
	struct mp_batch batch;

	(void)state;
	set.exp.arena[0].bytes = set.exp.arena[1].bytes =
		set.host.arena_max_bytes / 4 * 3;
	run(&batch);
	assert_int_equal(batch.error, -ENOMEM);
	mp_batch_free(&batch);
}

/* This thread is where it was, and others have gone. */
static void nothing_stays_of_the_threads(void **state)
{
	cpu_set_t before, after;
	struct mp_batch batch;

	(void)state;
	skip_where_alone();
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (int i = 0; i < 20; i++) {
		run_well(&batch);
		mp_batch_free(&batch);
	}
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

static void a_single_actor_is_measured_as_before(void **state)
{
	struct mp_batch alone;

	(void)state;
	set.exp.n_actors = 1;
	set.exp.n_arenas = 1;
	run_well(&alone);
	assert_int_equal(alone.n_samples, BURSTS);
	assert_int_equal(alone.sample[0].place, set.host.cpu);
	mp_batch_free(&alone);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_set, close_set)

/* Slots of one between those of the other, in phases on one CPU. */
static void rings_may_lie_between_each_other(void **state)
{
	struct mp_actor *actor = set.exp.actor;
	struct mp_batch batch;

	(void)state;
	actor[1] = actor[0];
	actor[1].phase = 1;
	actor[0].stride = actor[1].stride = 2 * STRIDE;
	actor[1].offset = STRIDE;
	actor[1].length = BYTES - 2 * STRIDE;
	run_well(&batch);
	assert_int_equal(samples_of(&batch, 0), BURSTS);
	assert_int_equal(samples_of(&batch, 1), BURSTS);
	mp_batch_free(&batch);
	/* Slots of both in the same lines: each has a word of its own there. */
	actor[1].offset = 2 * STRIDE;
	run_well(&batch);
	assert_int_equal(samples_of(&batch, 0), BURSTS);
	assert_int_equal(samples_of(&batch, 1), BURSTS);
	mp_batch_free(&batch);
	actor[0].stride = actor[1].stride = 40;
	actor[1].offset = 80;
	expect_refusal("its span lies over those of other rings");
}

static uint32_t calls_in(uint32_t rounds)
{
	struct mp_batch batch;
	uint32_t before;

	set.exp.rounds = rounds;
	before = calls;
	run_well(&batch);
	assert_int_equal(batch.n_samples, rounds * (1 + BURSTS));
	mp_batch_free(&batch);
	return calls - before;
}

/* A call of the kernel may leave no entry of a TLB. */
static void between_rounds_the_kernel_is_not_called(void **state)
{
	uint32_t few;

	(void)state;
	let_take_turns(1);
	set.exp.steps[0] = MEMPROBE_STEP(3, MEMPROBE_STEP_TOUCH);
	set.exp.actor[1].hops = 256;
	few = calls_in(2);
	assert_true(few > 0);
	assert_int_equal(calls_in(40), few);
}

/* It is told all the same: of batches one or another is not interrupted. */
static void what_the_kernel_counted_is_told_of_all_rounds(void **state)
{
	const uint64_t switches = 1ull << MEMPROBE_VALID_SWITCHES;
	uint32_t told = 0;

	(void)state;
	set.exp.rounds = 3;
	set.exp.actor[1].place = set.host.cpu;
	set.exp.actor[1].phase = 1;
	set.exp.actor[0].hops = set.exp.actor[1].hops = 256;
	for (uint32_t i = 0; i < 100 && !told; i++) {
		struct mp_batch batch;

		run_well(&batch);
		for (uint32_t k = 0; k < batch.n_samples; k++)
			told += !!(batch.sample[k].valid & switches);
		assert_true(!told || told == batch.n_samples);
		mp_batch_free(&batch);
	}
	assert_true(told > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(more_than_one_cpu_is_more_than_one_actor),
		TEST(each_actor_gives_its_samples_from_its_cpu),
		TEST(phases_follow_in_their_order),
		TEST(actors_of_different_phases_may_share_a_cpu),
		TEST(a_background_actor_is_not_sampled),
		TEST(payloads_are_told_apart),
		TEST(two_may_walk_the_same_ring),
		TEST(rings_may_lie_between_each_other),
		TEST(what_cannot_be_had_at_once_is_refused_by_name),
		TEST(a_sequence_and_a_chase_take_turns),
		TEST(both_arenas_count_against_the_bound),
		TEST(between_rounds_the_kernel_is_not_called),
		TEST(what_the_kernel_counted_is_told_of_all_rounds),
		TEST(nothing_stays_of_the_threads),
		TEST(a_single_actor_is_measured_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
