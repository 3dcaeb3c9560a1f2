// SPDX-License-Identifier: GPL-2.0
/* A level hidden in the edge of another: simulated machines, edges as a fit of
 * means would have them. */
#include "probe/cpu_between.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/miss.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"

#define MACHINE(clock) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place pages=contiguous\nclock tsc_mhz=3000 read=20 " clock "\n"
#define FINE MACHINE("step=1")
#define COARSE MACHINE("step=30")
#define L1 "level name=l1d size=16K ways=4 latency=4 policy=random\n"
#define L2 "level name=l2 size=64K ways=4 latency=40 policy=random\n"
#define STEPS \
	"level name=l1d size=16K ways=4 latency=3\n" \
	"level name=l2 size=72K ways=12 latency=11\n" \
	"level name=l3 size=120K ways=20 latency=39 policy=random\n" \
	"level name=l4 size=256K ways=32 latency=73\n"
#define GAPS "noise gaps=0.08 gap_us=2..5000 seen=no\n"
#define HOPS_MAX 2000000u

static struct made_sim sim;

/* Lines that fall on few ways at random: as blurred as an edge can be. */
static uint32_t blurred(const struct mp_miss_table *table)
{
	for (uint32_t i = 0; i < MP_MISS_SHAPES; i++)
		if (table->shape[i].scatter == 1 && table->shape[i].ways <= 4)
			return i;
	fail_msg("no shape is blurred");
	return 0;
}

static void blur(struct mp_cpu_edges *edges)
{
	edges->table = mp_miss_table_get();
	for (uint32_t k = 0; k < edges->n; k++)
		edges->edge[k].shape = blurred(edges->table);
}

/* Edge @k and the next, taken for one. */
static void hide(struct mp_cpu_edges *edges, uint32_t k)
{
	struct mp_edge *edge = &edges->edge[k];

	edge->outside = edge[1].outside;
	edge->high = edge[1].high;
	edge->size = edge[1].size;
	memmove(&edge[1], &edge[2], (edges->n - k - 2) * sizeof(*edge));
	edges->n--;
}

static void measure(const struct mp_cpu_edges *edges)
{
	struct mp_plan plan = { 0 };

	assert_int_equal(mp_cpu_between_plan(&sim.view, edges, &plan), 0);
	made_sim_run(&sim, &plan);
	assert_true(sim.hops < HOPS_MAX);
}

static void expect(const char *text, uint32_t hidden, uint32_t level)
{
	struct mp_cpu_edges edges;
	double length = 0;
	bool alone;

	made_sim_open(&sim, text);
	made_sim_edges(&sim, &edges);
	blur(&edges);
	if (hidden < MP_CPU_LEVELS)
		hide(&edges, hidden);
	measure(&edges);
	assert_int_equal(mp_cpu_between_find(&sim.view, &edges, &length,
					     &alone), level);
	if (level < MP_CPU_LEVELS)
		assert_true(length > edges.edge[level].low / 2 &&
			    length < edges.edge[level].high * 2);
	made_sim_close(&sim);
}

static void a_hidden_level_shows(void **state)
{
	(void)state;
	expect(COARSE L1 L2, 0, 0);
	expect(COARSE L1 L2 GAPS, 0, 0);
	expect(COARSE "level name=l1d size=4K ways=4 latency=4\n"
	       "level name=l2 size=16K ways=4 latency=20 policy=random\n"
	       "level name=l3 size=64K ways=4 latency=80 policy=random\n", 1, 1);
}

static void what_is_there_is_no_reason_for_doubt(void **state)
{
	(void)state;
	expect(COARSE L1, MP_CPU_LEVELS, MP_CPU_LEVELS);
	expect(COARSE L1 L2, MP_CPU_LEVELS, MP_CPU_LEVELS);
	expect(COARSE L1 L2 GAPS, MP_CPU_LEVELS, MP_CPU_LEVELS);
}

/* A hop of 22 cycles and the 53 that timing adds are five whole steps of 15,
 * though 22 cycles alone are one and a half. */
static void a_time_is_cut_to_steps_with_what_timing_adds(void **state)
{
	struct mp_cpu_edges edges;
	double length;
	bool alone;

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=1500 memory_latency=270\n"
		      "place pages=contiguous\n"
		      "clock tsc_mhz=100 step=1 read=53\n"
		      "level name=l1d size=15K ways=10 latency=3\n"
		      "level name=l2 size=72K ways=2 latency=6\n"
		      "level name=l3 size=128K ways=8 latency=22\n");
	made_sim_edges(&sim, &edges);
	measure(&edges);
	assert_int_equal(mp_cpu_between_find(&sim.view, &edges, &length,
					     &alone), MP_CPU_LEVELS);
	made_sim_close(&sim);
}

/* Levels of 39 and 73 cycles, taken for one of 48: their mean squares lie on
 * no chord, but most hops take what no level is said to take. */
static void hops_of_no_known_level_tell_of_another(void **state)
{
	struct mp_cpu_edges edges;
	double length = 0;
	bool alone;

	(void)state;
	made_sim_open(&sim, MACHINE("step=14") STEPS);
	made_sim_edges(&sim, &edges);
	blur(&edges);
	assert_int_equal(edges.n, 4);
	edges.edge[2] = edges.edge[3];
	edges.edge[2].low /= 1.5;
	edges.edge[1].outside = edges.edge[2].inside = 48;
	edges.n = 3;
	measure(&edges);
	assert_int_equal(mp_cpu_between_find(&sim.view, &edges, &length,
					     &alone), 2);
	assert_false(alone);
	/* The one inside is there by itself: behind it are the hidden ones. */
	edges.edge[1].outside = edges.edge[2].inside = 150;
	assert_int_equal(mp_cpu_between_find(&sim.view, &edges, &length,
					     &alone), 1);
	assert_true(alone);
	/* .. as long as it takes what its edges say. */
	edges.edge[0].outside = edges.edge[1].inside = 14;
	assert_int_equal(mp_cpu_between_find(&sim.view, &edges, &length,
					     &alone), 1);
	assert_false(alone);
	made_sim_close(&sim);
}

/* What timing adds to a hop does not hang on where the edge is thought to be
 * by now. */
static void the_control_may_be_any_ring_within(void **state)
{
	struct mp_cpu_edges edges;
	double length = 0;
	bool alone;

	(void)state;
	made_sim_open(&sim, COARSE L1 L2);
	made_sim_edges(&sim, &edges);
	blur(&edges);
	hide(&edges, 0);
	edges.edge[0].low = 16000;
	measure(&edges);
	edges.edge[0].low = 18000;
	assert_int_equal(mp_cpu_between_find(&sim.view, &edges, &length,
					     &alone), 0);
	made_sim_close(&sim);
}

/* No shape explains the first edge: it may be two, and what is further out
 * has no name. */
static void an_edge_without_a_shape_is_in_doubt(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, COARSE L1 L2);
	made_sim_edges(&sim, &edges);
	blur(&edges);
	edges.doubt.level = MP_CPU_LEVELS;
	mp_cpu_find_doubt(&sim.view, &edges);
	assert_int_equal(edges.doubt.level, MP_CPU_LEVELS);
	edges.fitted[0] = false;
	mp_cpu_find_doubt(&sim.view, &edges);
	assert_int_equal(edges.doubt.level, 0);
	made_sim_close(&sim);
}

static uint32_t doubt_of(struct mp_cpu_edges *edges)
{
	edges->doubt.level = MP_CPU_LEVELS;
	mp_cpu_find_doubt(&sim.view, edges);
	return edges->doubt.level;
}

/* Limits that two capacities would fit into are no reason where no latency
 * would: levels lie further apart. */
static void no_level_hides_where_its_latency_has_no_room(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, COARSE L1 L2);
	made_sim_edges(&sim, &edges);
	blur(&edges);
	edges.edge[0].low = edges.edge[0].high / 1.5;
	assert_int_equal(doubt_of(&edges), 0);
	edges.edge[0].outside = edges.edge[1].inside = 10;
	assert_int_equal(doubt_of(&edges), MP_CPU_LEVELS);
	made_sim_close(&sim);
}

static void draw(const struct mp_sweep *sweep, struct mp_curve *curve)
{
	struct mp_plan plan = { 0 };

	assert_int_equal(mp_cpu_grid(sweep, &sim.view, 48 << 10, 512 << 10, 4,
				     3, &plan), 0);
	made_sim_run(&sim, &plan);
	assert_int_equal(mp_sweep_gather(sweep, &sim.view, curve), 0);
}

/* A level of 7 cycles and one of 12, taken for one of 12: rings that miss the
 * innermost are faster than that. */
static void a_level_takes_the_same_at_both_of_its_ends(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_sweep sweep;

	(void)state;
	made_sim_open(&sim, COARSE "level name=l1d size=8K ways=4 latency=3\n"
		      "level name=l2 size=256K ways=8 latency=7\n"
		      "level name=l3 size=8M ways=16 latency=12\n");
	made_sim_edges(&sim, &edges);
	blur(&edges);
	hide(&edges, 1);
	edges.level[1] = edges.level[2];
	assert_true(mp_cpu_side_sweep(&sim.view, 0, &sweep));
	draw(&sweep, &edges.side[0]);
	mp_cpu_main_sweep(&sim.view, &sweep);
	draw(&sweep, &edges.curve);
	assert_int_equal(doubt_of(&edges), MP_CPU_LEVELS);
	edges.edge[1].inside = 12;
	assert_int_equal(doubt_of(&edges), 1);
	mp_curve_free(&edges.side[0]);
	mp_curve_free(&edges.curve);
	made_sim_close(&sim);
}

/* .. but for what translations add, the more the fewer slots share a page. */
static void pages_that_take_longer_are_no_level(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_sweep sweep;

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=3000 memory_latency=200\n"
		      "place pages=random thp=refused\n"
		      "clock tsc_mhz=3000 read=20 step=30\n"
		      "tlb level=1 page=4K entries=16 ways=16\nwalk cost=60\n"
		      "level name=l1d size=4K ways=4 latency=4\n"
		      "level name=l2 size=8M ways=16 latency=12\n");
	made_sim_edges(&sim, &edges);
	blur(&edges);
	assert_true(mp_cpu_side_sweep(&sim.view, 0, &sweep));
	draw(&sweep, &edges.side[0]);
	edges.edge[1].inside = 12 + 60.0 / 8;
	assert_int_equal(doubt_of(&edges), 1);
	mp_cpu_main_sweep(&sim.view, &sweep);
	draw(&sweep, &edges.curve);
	assert_int_equal(doubt_of(&edges), MP_CPU_LEVELS);
	mp_curve_free(&edges.side[0]);
	mp_curve_free(&edges.curve);
	made_sim_close(&sim);
}

/* Steps of two thousand cycles say nothing of thirty-six. */
static void too_coarse_a_clock_says_nothing(void **state)
{
	(void)state;
	expect(MACHINE("step=2000") L1 L2, 0, MP_CPU_LEVELS);
}

static void where_single_hops_tell_nothing_is_wanted(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_cpu_edges edges;
	double length;
	bool alone;

	(void)state;
	made_sim_open(&sim, FINE L1 L2);
	made_sim_edges(&sim, &edges);
	blur(&edges);
	hide(&edges, 0);
	assert_int_equal(mp_cpu_between_plan(&sim.view, &edges, &plan), 0);
	assert_int_equal(plan.n, 0);
	assert_int_equal(mp_cpu_between_find(&sim.view, &edges, &length,
					     &alone), MP_CPU_LEVELS);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hidden_level_shows),
		cmocka_unit_test(what_is_there_is_no_reason_for_doubt),
		cmocka_unit_test(a_time_is_cut_to_steps_with_what_timing_adds),
		cmocka_unit_test(no_level_hides_where_its_latency_has_no_room),
		cmocka_unit_test(a_level_takes_the_same_at_both_of_its_ends),
		cmocka_unit_test(pages_that_take_longer_are_no_level),
		cmocka_unit_test(hops_of_no_known_level_tell_of_another),
		cmocka_unit_test(the_control_may_be_any_ring_within),
		cmocka_unit_test(an_edge_without_a_shape_is_in_doubt),
		cmocka_unit_test(too_coarse_a_clock_says_nothing),
		cmocka_unit_test(where_single_hops_tell_nothing_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
