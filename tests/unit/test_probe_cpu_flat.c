// SPDX-License-Identifier: GPL-2.0
/* Levels so near each other that only a few rings show one of them alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_flat.h"

#define KIB 1024.0
#define ARENA_BYTES (64u << 20)
#define LENGTHS 40u
#define REPLICATES 5u
#define FROM (16.0 * KIB)
#define GRAIN 8.0

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

static void has(const char *name, uint32_t verdict, double low, double high)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != verdict ||
	    (verdict != MP_ABSENT && verdict != MP_NOT_MEASURABLE &&
	     !(fact->value >= low && fact->value <= high)))
		fail_msg("%s: verdict %u, %g (%s)", name, fact->verdict,
			 fact->value, fact->reason);
}

static void two_levels_half_an_octave_of_rings_apart_are_two(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4650 memory_latency=459\n"
	    "clock tsc_mhz=1000 step=1 read=52\n"
	    "level name=l1d size=64K ways=2 latency=5 policy=fifo\n"
	    "level name=l2 size=128K ways=8 latency=12\n"
	    "tlb level=1 page=4K entries=64 ways=16\n"
	    "tlb level=1 page=2M entries=64 ways=64\nwalk cost=20\n");
	has("cpu.l1d.size", MP_MEASURED, 63 * KIB, 65 * KIB);
	has("cpu.l2.size", MP_AT_LEAST, 32 * KIB, 128 * KIB);
	has("cpu.l3.size", MP_ABSENT, 0, 0);
}

/* The second one is crowded in some replicates before it is full in others. */
static void the_outer_one_may_lie_in_pages_thrown_at_random(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4550 memory_latency=151\n"
	    "clock tsc_mhz=3400 step=17 read=74\n"
	    "place thp=refused\n"
	    "level name=l1d size=64K ways=4 latency=4\n"
	    "level name=l2 size=96K ways=12 latency=9\n"
	    "tlb level=1 page=4K entries=72 ways=72\n"
	    "tlb level=2 page=4K entries=1536 ways=6 cost=13\n"
	    "walk cost=62\nnoise gaps=0.02\n");
	has("cpu.l1d.size", MP_MEASURED, 62 * KIB, 66 * KIB);
	has("cpu.l3.size", MP_ABSENT, 0, 0);
}

/* Lengths so near each other that they show the second one were not among those
 * of the usual grid. */
static void more_lengths_are_tried_where_two_nearly_take_the_same(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4950 memory_latency=125\n"
	    "clock tsc_mhz=1000 step=1 read=36\n"
	    "level name=l1d size=32K ways=4 latency=3 "
	    "policy=qlru_h00_m1_r0_u1\n"
	    "level name=l2 size=60K ways=30 latency=5 policy=nru "
	    "inclusion=inclusive\n"
	    "noise gaps=0.02\n");
	has("cpu.l1d.size", MP_MEASURED, 31 * KIB, 33 * KIB);
	has("cpu.l3.size", MP_ABSENT, 0, 0);
}

/* The detector sees both, but the foot of the outer edge is no part of the inner
 * one. */
static void rings_of_the_next_level_alone_end_an_edge(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4450 memory_latency=138\n"
	    "clock tsc_mhz=100 step=1 read=87\n"
	    "place thp=refused\n"
	    "level name=l1d size=16K ways=8 latency=3\n"
	    "level name=l2 size=24640 ways=11 latency=7 index=virtual "
	    "policy=qlru_h11_m1_r0_u0 inclusion=exclusive\n"
	    "noise gaps=0.02\n");
	has("cpu.l1d.size", MP_MEASURED, 15 * KIB, 17 * KIB);
	has("cpu.l3.size", MP_ABSENT, 0, 0);
}

static void is_no_level(double held)
{
	const struct mp_fact *size = made_sim_fact(&sim, "cpu.l1d.size");

	assert_true(size->verdict != MP_MEASURED ||
		    fabs(size->value / held - 1) < 0.125);
	assert_true(size->verdict != MP_AT_LEAST || size->low <= held);
	has("cpu.l2.size", MP_NOT_MEASURABLE, 0, 0);
}

/* A TLB of 16 pages that walks follow: rings beyond it take the same, too. */
static void translations_are_no_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4000 memory_latency=300\n"
	    "clock tsc_mhz=100 step=1 read=30\n"
	    "level name=l1d size=128K ways=4 latency=3\n"
	    "tlb level=1 page=4K entries=16 ways=16\n"
	    "walk cost=62\nnoise gaps=0.02\n");
	is_no_level(128 * KIB);
}

/* Long rings miss the level as well, which adds as much to dense ones. */
static void translations_before_a_level_are_none(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4000 memory_latency=300\n"
	    "clock tsc_mhz=100 step=1 read=30\n"
	    "level name=l1d size=180K ways=4 line=128 latency=4\n"
	    "tlb level=1 page=4K entries=16 ways=16\n"
	    "walk cost=62\nnoise gaps=0.02\n");
	is_no_level(180 * KIB);
}

/* Lines so long that there are no rings with more slots to a page. */
static void translations_of_long_lines_are_no_level(void **state)
{
	made_sim_open(&sim,
		      "machine name=a clock_mhz=4000 memory_latency=300\n"
		      "clock tsc_mhz=100 step=1 read=30\n"
		      "level name=l1d size=20K ways=4 line=256 latency=4\n"
		      "level name=l2 size=180K ways=4 line=256 latency=9\n"
		      "tlb level=1 page=4K entries=16 ways=16\n"
		      "walk cost=62\nnoise gaps=0.02\n");
	(void)state;
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.facts.fact[0].value = 256;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	has("cpu.l2.size", MP_NOT_MEASURABLE, 0, 0);
	has("cpu.l3.size", MP_NOT_MEASURABLE, 0, 0);
}

/* -- curves made by hand ---------------------------------------------------- */

static double values[LENGTHS][REPLICATES];
static struct mp_curve_at points[LENGTHS];

static struct mp_curve curve_of(double (*cycles)(double length))
{
	for (uint32_t i = 0; i < LENGTHS; i++) {
		struct mp_curve_at *at = &points[i];

		at->length = (uint64_t)(FROM * exp2(i / GRAIN));
		at->n = REPLICATES;
		at->cycles = at->ns = values[i];
		at->mid_cycles = at->mid_ns = cycles((double)at->length);
		for (uint32_t r = 0; r < REPLICATES; r++)
			values[i][r] = at->mid_ns * (1 + r * 1e-4);
	}
	return (struct mp_curve){ .n = LENGTHS, .at = points };
}

static struct mp_level one_level(void)
{
	return (struct mp_level){ .low_bytes = 90 * KIB, .size_bytes = 100 * KIB,
				  .high_bytes = 128 * KIB, .latency = 4 };
}

static double with_step(double length)
{
	return length < 40 * KIB ? 4 : length < 100 * KIB ? 10 : 100;
}

static void rings_that_take_the_same_part_two_levels(void **state)
{
	const struct mp_curve curve = curve_of(with_step);
	struct mp_level level[MP_CPU_LEVELS] = { one_level() };
	uint32_t n = 1;

	(void)state;
	assert_true(mp_cpu_flat_split(&curve, level, &n, 0));
	assert_int_equal(n, 2);
	assert_true(level[0].parted_bytes > level[0].high_bytes &&
		    !(level[1].parted_bytes > 0));
	assert_true(level[0].low_bytes <= 40 * KIB &&
		    level[0].low_bytes >= 36 * KIB);
	assert_true(level[0].high_bytes >= 40 * KIB &&
		    level[0].high_bytes <= 44 * KIB);
	assert_true(level[1].low_bytes >= 90 * KIB &&
		    level[1].high_bytes >= 100 * KIB);
	assert_true(fabs(level[1].latency - 10) < 1e-9);
	assert_false(mp_cpu_flat_split(&curve, level, &n, 0));
	assert_false(mp_cpu_flat_split(&curve, level, &n, 1));
}

/* All that ever fitted stays: the slowest growth that a mixture has. */
static double kept_whole(double length)
{
	return length < 40 * KIB ? 4 : 4 + 96 * (1 - 40 * KIB / length);
}

static void a_mixture_that_grows_is_no_level(void **state)
{
	const struct mp_curve curve = curve_of(kept_whole);
	struct mp_level level[MP_CPU_LEVELS] = { one_level() };
	uint32_t n = 1;

	(void)state;
	level[0].high_bytes = 512 * KIB;
	assert_false(mp_cpu_flat_split(&curve, level, &n, 0));
	assert_int_equal(n, 1);
}

static void rings_whose_replicates_differ_part_nothing(void **state)
{
	const struct mp_curve curve = curve_of(with_step);
	struct mp_level level[MP_CPU_LEVELS] = { one_level() };
	uint32_t n = 1;

	(void)state;
	for (uint32_t i = 0; i < LENGTHS; i++)
		if (points[i].mid_ns > 4)
			values[i][0] = points[i].mid_ns * 0.9;
	assert_false(mp_cpu_flat_split(&curve, level, &n, 0));
}

/* .. of rings that go page by page, with so many slots in each. */
static struct mp_curve paged(double (*cycles)(double length), uint64_t slots)
{
	static struct mp_batch batch;
	static const struct mp_batch *batches[REPLICATES] = { &batch };
	struct mp_curve curve = curve_of(cycles);

	batch.exp.actor[0] = (struct mp_actor){
		.stride = 4096 / slots, .reach = 32 * KIB };
	for (uint32_t i = 0; i < LENGTHS; i++)
		points[i].batch = batches;
	return curve;
}

/* Memory takes half as much again as the level does: less than the detector
 * takes for a step. */
static double small_step(double length)
{
	return length < 40 * KIB ? 4 : length < 200 * KIB ? 90 : 140;
}

static void a_small_step_between_two_flats_is_a_level(void **state)
{
	const struct mp_curve curve = paged(small_step, 8);
	struct mp_level level[MP_CPU_LEVELS] = {
		{ .low_bytes = 36 * KIB, .size_bytes = 38 * KIB,
		  .high_bytes = 42 * KIB, .latency = 4 } };
	uint32_t n = 1;

	(void)state;
	assert_false(mp_cpu_flat_step(&curve, level, &n, 0));
	assert_true(mp_cpu_flat_step(&curve, level, &n, 1));
	assert_int_equal(n, 2);
	assert_true(level[1].low_bytes < 200 * KIB &&
		    level[1].low_bytes > 180 * KIB);
	assert_true(level[1].high_bytes >= 200 * KIB &&
		    level[1].high_bytes < 220 * KIB);
	assert_true(fabs(level[1].latency - 90) < 1e-9);
	assert_false(mp_cpu_flat_step(&curve, level, &n, 1));
	assert_false(mp_cpu_flat_step(&curve, level, &n, 2));
}

/* Where each page has two slots, half of a walk that costs as much as memory is
 * more than that. */
static void a_step_that_translations_may_make_is_none(void **state)
{
	const struct mp_curve curve = paged(small_step, 2);
	struct mp_level level[MP_CPU_LEVELS] = { one_level() };
	uint32_t n = 0;

	(void)state;
	assert_false(mp_cpu_flat_step(&curve, level, &n, 0));
	assert_int_equal(n, 0);
}

static void what_missed_the_next_level_too_is_left_out(void **state)
{
	struct mp_edge_data *data = calloc(1, sizeof(*data));

	(void)state;
	assert_non_null(data);
	data->n = 3;
	data->point[0] = (struct mp_edge_point){ 1, 3, { 4, 5, 4 } };
	data->point[1] = (struct mp_edge_point){ 2, 2, { 50, 30 } };
	data->point[2] = (struct mp_edge_point){ 3, 3, { 10, 60, 10 } };
	mp_cpu_flat_keep(10, 3, data);
	assert_int_equal(data->n, 2);
	assert_int_equal(data->point[0].n, 3);
	assert_int_equal(data->point[1].n, 2);
	assert_true(data->point[1].x > 2 && data->point[1].y[1] < 11);
	free(data);
}

/* Lines that fall on sets evenly miss as often in all replicates. */
static void an_even_edge_of_replicates_that_differ_is_off(void **state)
{
	const struct mp_miss_table *table = mp_miss_table_get();
	struct mp_cpu_edges edges = { .table = table, .n = 2 };
	struct mp_edge *edge = &edges.edge[1];

	(void)state;
	edges.level[1].size_bytes = 64 * KIB;
	edge->sway = 1.3;
	for (edge->shape = 0; edge->shape < MP_MISS_SHAPES; edge->shape++)
		assert_true((mp_cpu_sway_error(&edges, 1) > 1) ==
			    (table->shape[edge->shape].scatter == 0));
	edge->shape = 0;
	while (table->shape[edge->shape].scatter != 0)
		edge->shape++;
	edge->sway = 1.01;
	assert_true(mp_cpu_sway_error(&edges, 1) <= 1);
	edge->sway = 1.3;
	edges.single = true;
	assert_true(mp_cpu_sway_error(&edges, 1) <= 1);
}

/* Where the second level may be two, what the first one's edge rises to is known
 * all the same. */
static void what_an_edge_rises_to_is_known_of_a_level_in_doubt(void **state)
{
	static const char machine[] =
		"machine name=a clock_mhz=3000 memory_latency=300\n"
		"clock tsc_mhz=100 step=6 read=40\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=32K ways=8 latency=4\n"
		"level name=l2 size=256K ways=8 latency=14\n";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s%s", machine,
		 "level name=l3 size=432K ways=9 latency=30\n");
	ask(text);
	has("cpu.l2.size", MP_NOT_MEASURABLE, 0, 0);
	assert_true(mp_cpu_rises_to(&sim.view) > 13 &&
		    mp_cpu_rises_to(&sim.view) < 17);
	made_sim_close(&sim);
	/* .. but not of the innermost. */
	snprintf(text, sizeof(text), "%s%s",
		 "machine name=a clock_mhz=3800 memory_latency=191\n",
		 "clock tsc_mhz=3100 step=100 read=67\nplace thp=refused\n"
		 "level name=l1d size=14K ways=4 latency=3 policy=fifo\n"
		 "level name=l2 size=21K ways=4 latency=8 policy=fifo\n");
	ask(text);
	assert_true(made_sim_fact(&sim, "cpu.l1d.size")->verdict !=
		    MP_MEASURED);
	assert_true(isnan(mp_cpu_rises_to(&sim.view)));
}

/* The edge of a level that throws out any line is so long that the detector has
 * its bracket from 64 KiB on, far beyond the level. */
static void an_edge_is_looked_for_from_where_it_is_flat(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5350 memory_latency=125\n"
	    "place pages=contiguous thp=granted\n"
	    "clock tsc_mhz=3900 step=27 read=19\n"
	    "level name=l1d size=36K ways=16 line=32 latency=4 policy=random\n");
	has("cpu.l1d.size", MP_MEASURED, 35 * KIB, 37 * KIB);
	has("cpu.l2.size", MP_ABSENT, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			two_levels_half_an_octave_of_rings_apart_are_two, end),
		cmocka_unit_test_teardown(
			the_outer_one_may_lie_in_pages_thrown_at_random, end),
		cmocka_unit_test_teardown(
			more_lengths_are_tried_where_two_nearly_take_the_same,
			end),
		cmocka_unit_test_teardown(
			what_an_edge_rises_to_is_known_of_a_level_in_doubt,
			end),
		cmocka_unit_test_teardown(
			rings_of_the_next_level_alone_end_an_edge, end),
		cmocka_unit_test_teardown(translations_are_no_level, end),
		cmocka_unit_test_teardown(
			translations_before_a_level_are_none, end),
		cmocka_unit_test_teardown(
			translations_of_long_lines_are_no_level, end),
		cmocka_unit_test(rings_that_take_the_same_part_two_levels),
		cmocka_unit_test(a_mixture_that_grows_is_no_level),
		cmocka_unit_test(rings_whose_replicates_differ_part_nothing),
		cmocka_unit_test(a_small_step_between_two_flats_is_a_level),
		cmocka_unit_test(a_step_that_translations_may_make_is_none),
		cmocka_unit_test(what_missed_the_next_level_too_is_left_out),
		cmocka_unit_test(an_even_edge_of_replicates_that_differ_is_off),
		cmocka_unit_test_teardown(
			an_edge_is_looked_for_from_where_it_is_flat, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
