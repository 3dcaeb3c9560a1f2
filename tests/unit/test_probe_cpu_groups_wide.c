// SPDX-License-Identifier: GPL-2.0
/* Groups of a coarse clock's readings, and levels of longer lines than those inside,
 * of which full rings find most slots again however long they are. */
#include "probe/cpu_groups_wide.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made_hops.h"
#include "made_sim.h"
#include "probe/cpu_groups.h"

#define KIB 1024.0
#define NEAR 0.125

static struct made_sim sim;
static struct made_hops rings[1 + MP_CPU_WIDTHS];

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void is(const char *name, double value)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != MP_MEASURED || fact->low > value || fact->high < value)
		fail_msg("%s: verdict %u, %g (%g to %g) %s", name, fact->verdict,
			 fact->value, fact->low, fact->high, fact->reason);
}

static void edges_of(struct mp_cpu_edges *edges)
{
	assert_int_equal(mp_cpu_edges_find(&sim.view, edges), 0);
}

/* -- made hops ------------------------------------------------------------ */

static int begin_rings(void **state)
{
	(void)state;
	for (uint32_t w = 0; w <= MP_CPU_WIDTHS; w++)
		made_hops_open(&rings[w], 1);
	return 0;
}

static int end_rings(void **state)
{
	(void)state;
	for (uint32_t w = 0; w <= MP_CPU_WIDTHS; w++)
		made_hops_close(&rings[w]);
	return 0;
}

/* A level of 20 cycles and memory, of which rings see a part from a length on. */
static void draw(uint32_t width, double part, double from)
{
	for (double length = 4 * KIB; length <= 512 * KIB; length *= M_SQRT2) {
		const double miss = length > from ? part : 0;
		const struct made_kind kind[] = { { miss, 200, 5 }, { 1, 20, 0 } };

		made_hops_add(&rings[width], (uint64_t)length, 2, kind, 2);
	}
}

/* @has: rings of that width have both peaks. */
static uint32_t width_by(uint32_t has)
{
	struct mp_cpu_edges edges = { .full = true };

	edges.hops[0] = rings[0].curve;
	for (uint32_t w = 0; w < MP_CPU_WIDTHS; w++)
		edges.wide[w][0] = rings[1 + w].curve;
	assert_int_equal(mp_spectrum_find(&rings[has].curve, &edges.peaks), 0);
	assert_int_equal(edges.peaks.n, 2);
	return mp_cpu_groups_wide_of(&edges, 0);
}

static uint32_t width_of_first(void)
{
	return width_by(MP_CPU_WIDTHS);
}

static void full_rings_do_where_they_come_to_miss(void **state)
{
	(void)state;
	for (uint32_t w = 0; w <= MP_CPU_WIDTHS; w++)
		draw(w, 1, 60 * KIB);
	assert_int_equal(width_of_first(), 0);
}

static void the_least_width_does_that_comes_to_miss(void **state)
{
	(void)state;
	draw(0, 0.25, 60 * KIB);
	draw(1, 0.5, 60 * KIB);
	draw(2, 1, 60 * KIB);
	draw(3, 1, 60 * KIB);
	assert_int_equal(width_of_first(), 2);
}

/* Denser ones miss what they do not: they go past some of the sets. */
static void slots_further_apart_than_lines_are_of_no_use(void **state)
{
	(void)state;
	draw(0, 0.125, 60 * KIB);
	draw(1, 0.25, 60 * KIB);
	draw(2, 0.5, 60 * KIB);
	draw(3, 1, 120 * KIB);
	assert_true(width_of_first() > MP_CPU_WIDTHS);
}

/* Slices that lie near and far by an address bit: full rings have as many of each, and
 * wide ones far ones only. Lines four slots long would be missed by a quarter. */
static void what_wide_rings_alone_find_slow_is_no_level(void **state)
{
	(void)state;
	draw(0, 0.5, 4 * KIB);
	draw(1, 0.5, 4 * KIB);
	draw(2, 1, 4 * KIB);
	draw(3, 1, 4 * KIB);
	assert_true(width_of_first() > MP_CPU_WIDTHS);
}

/* .. by the lowest bit of all that would be a line two slots long, but for hops of wide
 * rings that are near. */
static void what_wide_rings_never_find_near_is_no_level(void **state)
{
	(void)state;
	draw(0, 0.5, 1);
	for (uint32_t w = 1; w <= MP_CPU_WIDTHS; w++)
		draw(w, 1, 1);
	assert_true(width_by(0) > MP_CPU_WIDTHS);
}

static void a_few_lengths_make_no_width(void **state)
{
	const struct made_kind all = { 1, 200, 5 }, none = { 1, 20, 0 };

	(void)state;
	draw(0, 0.5, 60 * KIB);
	for (uint32_t i = 0; i < 7; i++)
		made_hops_add(&rings[1], (32ull << 10) << i, 2, i ? &all : &none, 1);
	draw(2, 1, 60 * KIB);
	draw(3, 1, 60 * KIB);
	assert_true(width_of_first() != 1);
	made_hops_add(&rings[1], 16 << 20, 2, &all, 1);
	assert_int_equal(width_of_first(), 1);
}

/* -- machines ------------------------------------------------------------- */

/* Four slots of a full ring share a line of the third level: one in four goes
 * further, however long it is. Those at 3 and 7 cycles are no two steps apart. */
static void a_level_of_longer_lines_is_found(void **state)
{
	const struct mp_fact *size;
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_ask_levels(&sim,
		 "machine name=a clock_mhz=5300 memory_latency=178\n"
		 "clock tsc_mhz=1900 step=1 read=70\n"
		 "place pages=random thp=refused\n"
		 "level name=l1d size=32K ways=8 line=32 latency=3 "
		 "policy=bit-plru\n"
		 "level name=l2 size=122K ways=16 line=32 latency=7 index=physical "
		 "inclusion=inclusive\n"
		 "level name=l3 size=188672 ways=22 line=128 latency=28 "
		 "index=physical\n"
		 "tlb level=1 page=4K entries=32 ways=32\n"
		 "tlb level=2 page=4K entries=1536 ways=6 cost=8\nwalk cost=29\n"
		 "noise gaps=0.02\n", 9001);
	edges_of(&edges);
	assert_int_equal(edges.n, 3);
	assert_int_equal(edges.by[2], MP_CPU_BY_HOPS);
	assert_int_equal(edges.width[2], 2);
	assert_float_equal(edges.level[2].latency, 28, 0.5);
	assert_false(mp_cpu_groups_mixed(&edges));
	mp_cpu_edges_free(&edges);
	size = made_sim_fact(&sim, "cpu.l3.size");
	assert_int_not_equal(size->verdict, MP_NOT_MEASURABLE);
	assert_true(size->low > 122 << 10 && size->low <= 188672);
	assert_true(size->high >= 188672 && size->high < 188672 * (1 + NEAR));
	is("cpu.l2.latency-cycles", 7);
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict, MP_ABSENT);
}

/* To a clock of 33 cycles a step, too: half of the hops of full rings find the line in
 * the fourth level, and no reading was of one that all come to miss. */
static void coarser_clocks_have_wide_rings(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_ask_levels(&sim,
		 "machine name=a clock_mhz=3950 memory_latency=334\n"
		 "clock tsc_mhz=3700 step=31 read=71\nplace pages=contiguous\n"
		 "level name=l1d size=108K ways=6 latency=7 policy=nru\n"
		 "level name=l2 size=264K ways=11 latency=27 policy=nru\n"
		 "level name=l3 size=1M ways=32 latency=92 policy=random\n"
		 "level name=l4 size=1574400 ways=25 line=128 latency=183 "
		 "policy=fifo inclusion=inclusive slices=2\n", 1);
	edges_of(&edges);
	assert_int_equal(edges.n, 4);
	assert_int_equal(edges.by[3], MP_CPU_BY_HOPS);
	assert_int_equal(edges.width[3], 1);
	mp_cpu_edges_free(&edges);
	assert_int_not_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict, MP_ABSENT);
	made_sim_not_wrong(&sim, "cpu.l4.size", 1574400, NEAR);
}

/*
 * The first group has levels at 3, 8 and 22 cycles and shows but two: its mean rises to
 * its end. What only wide rings tell of would have the third one's name.
 */
static void a_group_that_comes_to_no_rest_keeps_the_next_nameless(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_ask_levels(&sim,
		 "machine name=a clock_mhz=2750 memory_latency=130\n"
		 "clock tsc_mhz=2700 step=11 read=14\n"
		 "place pages=random thp=refused\n"
		 "level name=l1d size=18K ways=4 line=32 latency=3 "
		 "policy=tree-plru\n"
		 "level name=l2 size=27K ways=4 line=32 latency=8 policy=random "
		 "index=physical\n"
		 "level name=l3 size=43200 ways=9 line=32 latency=22 policy=nru "
		 "index=physical inclusion=inclusive slices=10\n"
		 "level name=l4 size=128K ways=4 line=64 latency=47 "
		 "policy=tree-plru index=physical inclusion=inclusive\n"
		 "tlb level=1 page=4K entries=48 ways=48\n"
		 "tlb level=2 page=4K entries=1024 ways=8 cost=13\nwalk cost=42\n"
		 "noise gaps=0.02 gap_us=2..400 seen=no\n", 9001);
	edges_of(&edges);
	assert_true(edges.lacks_broad);
	assert_true(edges.n < 3);
	assert_true(mp_cpu_groups_mixed(&edges));
	mp_cpu_edges_free(&edges);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_NOT_MEASURABLE);
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict,
			 MP_NOT_MEASURABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(full_rings_do_where_they_come_to_miss,
						begin_rings, end_rings),
		cmocka_unit_test_setup_teardown(the_least_width_does_that_comes_to_miss,
						begin_rings, end_rings),
		cmocka_unit_test_setup_teardown(
			slots_further_apart_than_lines_are_of_no_use, begin_rings,
			end_rings),
		cmocka_unit_test_setup_teardown(
			what_wide_rings_alone_find_slow_is_no_level, begin_rings,
			end_rings),
		cmocka_unit_test_setup_teardown(
			what_wide_rings_never_find_near_is_no_level, begin_rings,
			end_rings),
		cmocka_unit_test_setup_teardown(a_few_lengths_make_no_width, begin_rings,
						end_rings),
		cmocka_unit_test_teardown(a_level_of_longer_lines_is_found, end),
		cmocka_unit_test_teardown(coarser_clocks_have_wide_rings, end),
		cmocka_unit_test_teardown(
			a_group_that_comes_to_no_rest_keeps_the_next_nameless, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
