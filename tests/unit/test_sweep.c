// SPDX-License-Identifier: GPL-2.0
/*
 * Sweeps: which experiment a length makes, and which batches draw the curve.
 */
#include "analysis/sweep.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BATCHES 160u

/* A view over batches that a test makes. */
struct world {
	struct mp_view view;
	struct mp_batch batch[BATCHES];
	const struct mp_batch *list[BATCHES];
};

static struct world world;

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.view = (struct mp_view){
		.cpu = 5, .node = 1, .pages = MP_PAGES_2M,
		.arena_max_bytes = 1 << 20, .batch = world.list };
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < world.view.n_batches; i++)
		mp_batch_free(&world.batch[i]);
	return 0;
}

static void usual(struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, &world.view, 128, 65536);
}

/* When the batches of a test began: at no even distance, and not at 0. */
static uint64_t start_ns(uint32_t at)
{
	return 1000 + 100 * at + 7 * at * at;
}

/* One replicate of an experiment: hops of so many ticks, 2 ticks an ns and
 * 3 cycles an ns. */
static struct mp_batch *add_exp(const struct mp_exp *exp, uint64_t hop_ticks)
{
	uint32_t at = world.view.n_batches++;
	struct mp_batch *batch = &world.batch[at];

	assert_true(at < BATCHES);
	mp_batch_init(batch, exp, at);
	batch->start_ns = start_ns(at);
	batch->grant.tick_hz = 2e9;
	batch->grant.n_clocks = 1;
	batch->grant.clock[0].add_hz = 3e9;
	for (uint32_t i = 0; i < 4; i++) {
		struct memprobe_sample *sample = mp_batch_add(batch);

		assert_non_null(sample);
		sample->hops = 1000;
		sample->ticks = 1000 * hop_ticks;
	}
	world.list[at] = batch;
	return batch;
}

static struct mp_batch *add(const struct mp_sweep *sweep, uint64_t length,
			    uint64_t hop_ticks)
{
	struct mp_exp exp;

	mp_sweep_exp(sweep, length, &exp);
	return add_exp(&exp, hop_ticks);
}

static void disturb(struct mp_batch *batch, uint32_t samples)
{
	for (uint32_t i = 0; i < samples; i++)
		batch->sample[i].flags = MEMPROBE_F_SWITCHED;
}

static uint64_t warm_hops(const struct mp_sweep *sweep, uint64_t length)
{
	struct mp_exp exp;

	mp_sweep_exp(sweep, length, &exp);
	return exp.actor[0].warm_hops;
}

static void a_sweep_takes_place_and_memory_from_the_view(void **state)
{
	struct mp_sweep sweep;
	struct mp_exp exp;
	char why[256];

	(void)state;
	usual(&sweep);
	mp_sweep_exp(&sweep, 1 << 18, &exp);
	if (mp_exp_check(&exp, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(exp.n_arenas, 1);
	assert_int_equal(exp.n_actors, 1);
	assert_int_equal(exp.arena[0].bytes, 1 << 18);
	assert_int_equal(exp.arena[0].pages, MP_PAGES_2M);
	assert_int_equal(exp.arena[0].node, 1);
	assert_int_equal(exp.actor[0].op, MP_OP_CHASE);
	assert_int_equal(exp.actor[0].place, 5);
	assert_int_equal(exp.actor[0].length, 1 << 18);
	assert_int_equal(exp.actor[0].stride, 128);
	assert_int_equal(exp.actor[0].reach, 65536);
	assert_int_equal(exp.actor[0].skew, 0);
	assert_int_equal(exp.actor[0].hops, sweep.hops);
	assert_int_equal(exp.actor[0].bursts, sweep.bursts);
}

static void a_reach_that_holds_the_whole_ring_is_none(void **state)
{
	struct mp_sweep sweep;
	struct mp_exp exp;

	(void)state;
	usual(&sweep);
	mp_sweep_exp(&sweep, 65536, &exp);
	assert_int_equal(exp.actor[0].reach, 0);
	mp_sweep_exp(&sweep, 65536 + 128, &exp);
	assert_int_equal(exp.actor[0].reach, 65536);
}

static void a_ring_is_warmed_for_turns_but_not_for_ever(void **state)
{
	struct mp_sweep sweep;

	(void)state;
	usual(&sweep);
	sweep.turns = 3;
	sweep.turns_max = 30000;
	sweep.warm_max = 100000;
	sweep.warm_long = 2000;
	/* Three turns where they are cheap .. */
	assert_int_equal(warm_hops(&sweep, 8000 * 128), 24000);
	/* .. as many as may be where they are not .. */
	assert_int_equal(warm_hops(&sweep, 20000 * 128), 30000);
	/* .. one turn at least .. */
	assert_int_equal(warm_hops(&sweep, 70000 * 128), 70000);
	/* .. and none where even that is dear: its building was the first. */
	assert_int_equal(warm_hops(&sweep, 100000 * 128), 100000);
	assert_int_equal(warm_hops(&sweep, 100001 * 128), 2000);
	/* A handful of slots is no warm-up. */
	assert_true(warm_hops(&sweep, 2 * 128) >= 500);
	sweep.turns = 0;
	assert_int_equal(warm_hops(&sweep, 70000 * 128), 70000);
}

static void single_hops_are_kept_as_a_histogram_of_two_turns(void **state)
{
	struct mp_sweep sweep;
	struct mp_exp exp;
	char why[256];

	(void)state;
	usual(&sweep);
	mp_sweep_exp(&sweep, 1 << 18, &exp);
	assert_int_equal(exp.actor[0].detail, MP_DETAIL_TOTALS);
	sweep.single = true;
	sweep.hops = 1024;
	sweep.bursts = 8;
	mp_sweep_exp(&sweep, 2048 * 128, &exp);
	if (mp_exp_check(&exp, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(exp.actor[0].detail, MP_DETAIL_HIST);
	assert_int_equal(exp.actor[0].group, 1);
	/* Two turns over all bursts .. */
	assert_int_equal(exp.actor[0].hops, 2 * 2048 / 8);
	/* .. but no more than were asked for, and no empty burst. */
	mp_sweep_exp(&sweep, 1 << 20, &exp);
	assert_int_equal(exp.actor[0].hops, 1024);
	mp_sweep_exp(&sweep, 128, &exp);
	assert_in_range(exp.actor[0].hops, 32, 128);
	assert_int_equal(mp_exp_check(&exp, why, sizeof(why)), 0);
}

/* What a set has kept of the turn before shows where in the turn it is. */
static void single_hops_of_a_long_ring_are_those_of_a_whole_turn(void **state)
{
	struct mp_sweep sweep;
	struct mp_exp exp;

	(void)state;
	usual(&sweep);
	sweep.turns = 2;
	sweep.hops = 1024;
	sweep.bursts = 8;
	/* Of means there are parts. */
	mp_sweep_exp(&sweep, 50000 * 128, &exp);
	assert_int_equal(exp.actor[0].bursts, 8);
	assert_int_equal(exp.actor[0].warm_hops, 100000);
	sweep.single = true;
	mp_sweep_exp(&sweep, 8 * 1024 * 128, &exp);
	assert_int_equal(exp.actor[0].bursts, 8);
	assert_int_equal(exp.actor[0].warm_hops, 2 * 8 * 1024);
	/* In turn a turn less goes before. */
	mp_sweep_exp(&sweep, 50000 * 128, &exp);
	assert_int_equal(exp.actor[0].bursts, 49);
	assert_int_equal(exp.actor[0].hops, 1024);
	assert_int_equal(exp.actor[0].warm_hops, 50000);
	/* .. however many slots that are: here a million .. */
	sweep.stride = 32;
	mp_sweep_exp(&sweep, 1 << 25, &exp);
	assert_int_equal(exp.actor[0].bursts, 1024);
	assert_int_equal(exp.actor[0].hops, 1024);
	sweep.stride = 128;
	mp_sweep_exp(&sweep, 1 << 26, &exp);
	assert_int_equal(exp.actor[0].bursts, 512);
	/* .. but so long a ring is in nobody's cache. */
	mp_sweep_exp(&sweep, (1 << 26) + 128, &exp);
	assert_int_equal(exp.actor[0].bursts, 8);
}

static void a_plan_holds_whole_strides_within_the_largest_arena(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_sweep sweep;

	(void)state;
	usual(&sweep);
	assert_int_equal(mp_sweep_plan(&sweep, &world.view, 1000, 3, &plan), 0);
	assert_int_equal(plan.n, 1);
	assert_int_equal(plan.wanted[0].exp.actor[0].length, 896);
	assert_int_equal(plan.wanted[0].exp.arena[0].bytes, 896);
	assert_int_equal(plan.wanted[0].replicates, 3);
	/* The same length in another guise. */
	assert_int_equal(mp_sweep_plan(&sweep, &world.view, 1023, 5, &plan), 0);
	assert_int_equal(plan.n, 1);
	assert_int_equal(plan.wanted[0].replicates, 5);
	assert_int_equal(mp_sweep_plan(&sweep, &world.view, 127, 3, &plan), 0);
	assert_int_equal(mp_sweep_plan(&sweep, &world.view, (1 << 20) + 128, 3,
				       &plan), 0);
	assert_int_equal(plan.n, 1);
	assert_int_equal(mp_sweep_plan(&sweep, &world.view, 1 << 20, 3, &plan),
			 0);
	assert_int_equal(plan.n, 2);
	mp_plan_free(&plan);
}

static void a_curve_rises_in_length_however_its_batches_came(void **state)
{
	static const uint64_t length[] = { 4096, 1024, 65536, 2048, 1024, 4096 };
	struct mp_sweep sweep;
	struct mp_curve curve;

	(void)state;
	usual(&sweep);
	for (uint32_t i = 0; i < 6; i++)
		add(&sweep, length[i], 10 + i);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, 4);
	assert_int_equal(curve.at[0].length, 1024);
	assert_int_equal(curve.at[1].length, 2048);
	assert_int_equal(curve.at[2].length, 4096);
	assert_int_equal(curve.at[3].length, 65536);
	assert_int_equal(curve.at[0].n, 2);
	assert_int_equal(curve.at[1].n, 1);
	mp_curve_free(&curve);
}

static void replicates_stay_in_order_beside_their_median(void **state)
{
	static const uint64_t ticks[] = { 30, 10, 20, 50, 40 };
	struct mp_sweep sweep;
	struct mp_curve curve;

	(void)state;
	usual(&sweep);
	for (uint32_t i = 0; i < 5; i++)
		add(&sweep, 4096, ticks[i]);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, 1);
	assert_int_equal(curve.at[0].n, 5);
	assert_int_equal(curve.at[0].id, world.batch[0].id);
	for (uint32_t i = 0; i < 5; i++) {
		double ns = (double)ticks[i] / 2;

		assert_true(fabs(curve.at[0].ns[i] - ns) < 1e-9);
		assert_true(fabs(curve.at[0].cycles[i] - 3 * ns) < 1e-9);
	}
	assert_true(fabs(curve.at[0].mid_ns - 15) < 1e-9);
	assert_true(fabs(curve.at[0].mid_cycles - 45) < 1e-9);
	mp_curve_free(&curve);
}

/* In cycles or, with @clock false, in ns: half of a tick, three to the ns. */
static void draw_fastest(const uint64_t *ticks, uint32_t n, bool clock,
			 double *middle, double fastest[2])
{
	struct mp_sweep sweep;
	struct mp_curve curve;

	begin(NULL);
	usual(&sweep);
	for (uint32_t i = 0; i < n; i++) {
		struct mp_batch *batch = add(&sweep, 4096, ticks[i]);

		if (!clock)
			batch->grant.n_clocks = 0;
	}
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	*middle = mp_curve_middle(&curve.at[0]);
	mp_curve_fastest(&curve.at[0], fastest);
	mp_curve_free(&curve);
	end(NULL);
}

static void the_fastest_replicates_are_those_of_the_clock(void **state)
{
	static const uint64_t ticks[] = { 30, 20, 10, 50, 40 };
	double middle, fastest[2];

	(void)state;
	draw_fastest(ticks, 5, true, &middle, fastest);
	assert_float_equal(middle, 45, 1e-9);
	assert_float_equal(fastest[0], 15, 1e-9);
	assert_float_equal(fastest[1], 30, 1e-9);
	draw_fastest(ticks, 5, false, &middle, fastest);
	assert_float_equal(middle, 15, 1e-9);
	assert_float_equal(fastest[0], 5, 1e-9);
	assert_float_equal(fastest[1], 10, 1e-9);
	draw_fastest(ticks, 1, false, &middle, fastest);
	assert_float_equal(fastest[0], 15, 1e-9);
	assert_true(isinf(fastest[1]));
}

/* Batches of two lengths take turns, and one of them does not count. */
static void replicates_know_when_they_began(void **state)
{
	static const uint32_t small[] = { 0, 4, 6 }, large[] = { 1, 3, 5, 7 };
	struct mp_sweep sweep;
	struct mp_curve curve;

	(void)state;
	usual(&sweep);
	for (uint32_t i = 0; i < 8; i++)
		add(&sweep, i % 2 ? 65536 : 1024, 10);
	disturb(&world.batch[2], 4);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, 2);
	assert_int_equal(curve.at[0].n, 3);
	assert_int_equal(curve.at[1].n, 4);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(curve.at[0].start_ns[i] ==
			    (double)start_ns(small[i]));
	for (uint32_t i = 0; i < 4; i++)
		assert_true(curve.at[1].start_ns[i] ==
			    (double)start_ns(large[i]));
	mp_curve_free(&curve);
}

/* Each of them differs in one thing from the template. */
static void add_strangers(const struct mp_sweep *sweep)
{
	struct mp_sweep other = *sweep;
	struct mp_exp exp;

	other.cpu++;
	add(&other, 4096, 99);
	other = *sweep;
	other.pages = MP_PAGES_4K;
	add(&other, 4096, 99);
	other = *sweep;
	other.node = MP_NODE_ANY;
	add(&other, 4096, 99);
	other = *sweep;
	other.stride = 256;
	add(&other, 4096, 99);
	other = *sweep;
	other.reach = 1024;
	add(&other, 4096, 99);
	other = *sweep;
	other.turns += 100;
	add(&other, 4096, 99);
	other = *sweep;
	other.hops++;
	add(&other, 4096, 99);
	other = *sweep;
	other.single = true;
	add(&other, 4096, 99);
	other = *sweep;
	other.warm_max = 256;
	add(&other, 65536, 99);
	other = *sweep;
	other.bursts++;
	add(&other, 4096, 99);
	mp_sweep_exp(sweep, 4096, &exp);
	exp.window_ns *= 2;
	add_exp(&exp, 99);
	mp_sweep_exp(sweep, 4096, &exp);
	exp.quiet = MP_WISH_PREFETCH_OFF;
	add_exp(&exp, 99);
	mp_sweep_exp(sweep, 4096, &exp);
	exp.arena[0].bytes += 4096;
	add_exp(&exp, 99);
	mp_sweep_exp(sweep, 4096, &exp);
	exp.actor[0].offset = 64;
	add_exp(&exp, 99);
	/* A length that no sweep makes, and no length at all. */
	mp_sweep_exp(sweep, 64, &exp);
	add_exp(&exp, 99);
	mp_exp_init(&exp);
	add_exp(&exp, 99);
}

static void a_batch_that_differs_in_one_field_is_none_of_the_curve(void **state)
{
	struct mp_sweep sweep;
	struct mp_curve curve;

	(void)state;
	usual(&sweep);
	add_strangers(&sweep);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, 0);
	mp_curve_free(&curve);
	add(&sweep, 4096, 7);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, 1);
	assert_int_equal(curve.at[0].n, 1);
	mp_curve_free(&curve);
}

static void a_skew_is_part_of_the_template(void **state)
{
	struct mp_sweep sweep, skewed;
	struct mp_curve curve;

	(void)state;
	mp_sweep_init(&sweep, &world.view, 4096, 0);
	skewed = sweep;
	skewed.skew = 72;
	add(&sweep, 65536, 10);
	add(&skewed, 65536, 20);
	assert_int_equal(mp_sweep_gather(&skewed, &world.view, &curve), 0);
	assert_int_equal(curve.n, 1);
	assert_int_equal(curve.at[0].n, 1);
	assert_true(fabs(curve.at[0].ns[0] - 10) < 1e-9);
	mp_curve_free(&curve);
}

static void only_batches_that_count_are_drawn(void **state)
{
	struct mp_sweep sweep;
	struct mp_curve curve;
	struct mp_batch *failed;

	(void)state;
	usual(&sweep);
	disturb(add(&sweep, 1024, 10), 3);
	failed = add(&sweep, 2048, 10);
	mp_batch_free(failed);
	failed->error = -EAGAIN;
	/* Half of it calm is enough, and the calm half is what is read. */
	failed = add(&sweep, 4096, 10);
	disturb(failed, 2);
	failed->sample[0].ticks *= 9;
	failed->sample[1].ticks *= 9;
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, 1);
	assert_int_equal(curve.at[0].length, 4096);
	assert_true(fabs(curve.at[0].ns[0] - 5) < 1e-9);
	mp_curve_free(&curve);
}

static void without_a_core_clock_the_curve_is_drawn_in_ns(void **state)
{
	struct mp_sweep sweep;
	struct mp_curve curve;

	(void)state;
	usual(&sweep);
	for (uint32_t i = 0; i < 3; i++)
		add(&sweep, 4096, 10 * (i + 1))->grant.n_clocks = 0;
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.at[0].n, 3);
	assert_true(fabs(curve.at[0].mid_ns - 10) < 1e-9);
	assert_true(isnan(curve.at[0].cycles[0]));
	assert_true(isnan(curve.at[0].mid_cycles));
	mp_curve_free(&curve);
}

static void a_long_curve_keeps_every_length(void **state)
{
	struct mp_sweep sweep;
	struct mp_curve curve;

	(void)state;
	usual(&sweep);
	for (uint64_t i = BATCHES; i > 0; i--)
		add(&sweep, 128 * i, i);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, BATCHES);
	for (uint64_t i = 1; i <= BATCHES; i++) {
		assert_int_equal(curve.at[i - 1].length, 128 * i);
		assert_ptr_equal(mp_curve_find(&curve, 128 * i),
				 &curve.at[i - 1]);
	}
	assert_null(mp_curve_find(&curve, 129));
	mp_curve_free(&curve);
	assert_int_equal(curve.n, 0);
	assert_null(mp_curve_find(&curve, 128));
	mp_curve_free(&curve);
}

static void a_note_names_what_lies_between_its_limits(void **state)
{
	struct mp_sweep sweep;
	struct mp_curve curve;
	struct mp_fact fact = { 0 };

	(void)state;
	usual(&sweep);
	for (uint64_t length = 1024; length <= 16384; length *= 2)
		add(&sweep, length, 10);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	mp_curve_note(&curve, 2048, 8192, &fact);
	assert_int_equal(fact.n_evidence, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(fact.evidence[i] == world.batch[i + 1].id);
	mp_curve_free(&curve);
}

#define REPLICATES 9u

/* Replicates of a length, so many ticks a hop; all in one piece or not. */
static void add_replicates(const struct mp_sweep *sweep, uint64_t length,
			   bool one_piece, const uint64_t ticks[REPLICATES])
{
	for (uint32_t i = 0; i < REPLICATES && ticks[i]; i++) {
		struct mp_batch *batch = add(sweep, length, ticks[i]);

		batch->grant.n_arenas = 1;
		batch->grant.arena[0].contiguous = one_piece;
	}
}

static void replicates_that_others_crowded_are_left_out(void **state)
{
	static const struct {
		uint64_t length;
		bool one_piece;
		uint64_t ticks[REPLICATES];
		uint32_t left;
		double mid_ns;
	} of[] = {
		/* No two agree on anything, but 16 KiB is faster than the last. */
		{ 4096, true, { 40, 60, 140 }, 1, 20 },
		/* Nothing is left where a longer one was faster .. */
		{ 8192, true, { 140, 150 }, 0, 0 },
		/* .. two that agree bear each other out .. */
		{ 16384, true, { 140, 41, 130, 40, 44 }, 3, 20.5 },
		/* .. in one piece: pages may be what differs here .. */
		{ 20480, false, { 140, 41, 130, 40, 44 }, 5, 22 },
		/* .. what is a little slower may be so by itself .. */
		{ 32768, true, { 100, 102, 114 }, 3, 51 },
		/* .. of many that differ two may well be alike .. */
		{ 49152, true, { 98, 130, 132, 134, 136, 138, 140, 142, 100 },
		  9, 67 },
		/* .. and of all that differ none is known to be right. */
		{ 65536, true, { 120, 180, 260 }, 3, 90 },
	};
	const uint32_t n = sizeof(of) / sizeof(of[0]);
	struct mp_sweep sweep;
	struct mp_curve curve;
	uint32_t at = 0;

	(void)state;
	usual(&sweep);
	for (uint32_t i = 0; i < n; i++)
		add_replicates(&sweep, of[i].length, of[i].one_piece,
			       of[i].ticks);
	assert_int_equal(mp_sweep_gather(&sweep, &world.view, &curve), 0);
	assert_int_equal(curve.n, n);
	mp_curve_settle(&curve);
	assert_int_equal(curve.n, n - 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct mp_curve_at *point = &curve.at[at];
		uint32_t made = 0;

		while (made < REPLICATES && of[i].ticks[made])
			made++;
		if (!of[i].left)
			continue;
		assert_int_equal(point->length, of[i].length);
		assert_int_equal(point->n, of[i].left);
		assert_int_equal(point->n + point->crowded, made);
		assert_float_equal(point->mid_ns, of[i].mid_ns, 1e-9);
		assert_float_equal(point->mid_cycles, 3 * of[i].mid_ns, 1e-9);
		for (uint32_t r = 0; r < point->n; r++)
			assert_int_equal(point->batch[r]->start_ns,
					 (uint64_t)point->start_ns[r]);
		at++;
	}
	mp_curve_free(&curve);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_sweep_takes_place_and_memory_from_the_view, begin, end),
		cmocka_unit_test_setup_teardown(
			a_reach_that_holds_the_whole_ring_is_none, begin, end),
		cmocka_unit_test_setup_teardown(
			a_ring_is_warmed_for_turns_but_not_for_ever, begin, end),
		cmocka_unit_test_setup_teardown(
			single_hops_are_kept_as_a_histogram_of_two_turns,
			begin, end),
		cmocka_unit_test(
			single_hops_of_a_long_ring_are_those_of_a_whole_turn),
		cmocka_unit_test_setup_teardown(
			a_plan_holds_whole_strides_within_the_largest_arena,
			begin, end),
		cmocka_unit_test_setup_teardown(
			a_curve_rises_in_length_however_its_batches_came,
			begin, end),
		cmocka_unit_test_setup_teardown(
			replicates_stay_in_order_beside_their_median, begin, end),
		cmocka_unit_test(the_fastest_replicates_are_those_of_the_clock),
		cmocka_unit_test_setup_teardown(replicates_know_when_they_began,
						begin, end),
		cmocka_unit_test_setup_teardown(
			a_batch_that_differs_in_one_field_is_none_of_the_curve,
			begin, end),
		cmocka_unit_test_setup_teardown(a_skew_is_part_of_the_template,
						begin, end),
		cmocka_unit_test_setup_teardown(
			only_batches_that_count_are_drawn, begin, end),
		cmocka_unit_test_setup_teardown(
			without_a_core_clock_the_curve_is_drawn_in_ns,
			begin, end),
		cmocka_unit_test_setup_teardown(a_long_curve_keeps_every_length,
						begin, end),
		cmocka_unit_test_setup_teardown(
			replicates_that_others_crowded_are_left_out, begin, end),
		cmocka_unit_test_setup_teardown(
			a_note_names_what_lies_between_its_limits, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
