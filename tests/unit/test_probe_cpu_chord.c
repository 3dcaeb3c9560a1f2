// SPDX-License-Identifier: GPL-2.0
/* Edges so wide that a level has room in them: simulated machines of scattered
 * pages, edges as a fit of means would have them. */
#include "probe/cpu_chord.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/miss.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"

#define MACHINE "machine name=a clock_mhz=4300 memory_latency=56\n" \
	"place pages=random thp=refused\nclock tsc_mhz=2600 step=26 read=45\n"
#define L1 "level name=l1d size=16K ways=4 latency=4\n"
#define L2 "level name=l2 size=256K ways=8 latency=14 policy=tree-plru " \
	"index=physical\n"
/* .. and another, half as large again or twice as large, that may hide. */
#define BETWEEN(size, latency) "level name=l3 size=" size " ways=8 latency=" \
	latency " policy=lru index=physical\n"
#define GAPS "noise gaps=0.08 gap_us=2..5000 seen=no\n"
#define HOPS_MAX 4000000u
#define HIDES 1u

static struct made_sim sim;
static struct mp_cpu_edges edges;

static uint32_t scattered(const struct mp_miss_table *table)
{
	for (uint32_t i = 0; i < MP_MISS_SHAPES; i++)
		if (table->shape[i].scatter == 1 && table->shape[i].ways == 8)
			return i;
	fail_msg("no shape is scattered");
	return 0;
}

/* Edges of the levels as they are; with @hidden the second is that of two. */
static void open_edges(const char *text, bool hidden)
{
	made_sim_open(&sim, text);
	made_sim_edges(&sim, &edges);
	edges.table = mp_miss_table_get();
	for (uint32_t k = 0; k < edges.n; k++) {
		edges.edge[k].shape = scattered(edges.table);
		edges.fitted[k] = true;
	}
	if (!hidden)
		return;
	edges.edge[HIDES].outside = edges.edge[2].outside;
	edges.edge[HIDES].high = edges.edge[2].high;
	edges.n--;
}

static void measure(void)
{
	struct mp_plan plan = { 0 };

	assert_int_equal(mp_cpu_chord_plan(&sim.view, &edges, HIDES, &plan), 0);
	made_sim_run(&sim, &plan);
	assert_true(sim.hops < HOPS_MAX);
}

static bool is_one(const char *text, bool hidden)
{
	bool one;

	open_edges(text, hidden);
	measure();
	one = mp_cpu_chord_one(&sim.view, &edges, HIDES);
	made_sim_close(&sim);
	return one;
}

static void one_level_is_known_to_be(void **state)
{
	(void)state;
	assert_true(is_one(MACHINE L1 L2, false));
	assert_true(is_one(MACHINE L1 L2 GAPS, false));
}

static void two_are_not(void **state)
{
	(void)state;
	assert_false(is_one(MACHINE L1 L2 BETWEEN("384K", "23"), true));
	assert_false(is_one(MACHINE L1 L2 BETWEEN("384K", "34"), true));
	assert_false(is_one(MACHINE L1 L2 BETWEEN("512K", "28"), true));
	assert_false(is_one(MACHINE L1 L2 BETWEEN("512K", "28") GAPS, true));
}

/* A ring on either side is to be of one kind: what lies between two that are
 * mixed themselves says nothing. */
static void sides_are_those_of_the_edge(void **state)
{
	(void)state;
	open_edges(MACHINE L1 L2, false);
	measure();
	edges.edge[HIDES].outside *= 1.2;
	assert_false(mp_cpu_chord_one(&sim.view, &edges, HIDES));
	made_sim_close(&sim);
}

/* The first level's hits are its own: there is no ring before it. */
static void the_innermost_is_not_asked(void **state)
{
	struct mp_plan plan = { 0 };

	(void)state;
	open_edges(MACHINE L1 L2, false);
	assert_int_equal(mp_cpu_chord_plan(&sim.view, &edges, 0, &plan), 0);
	assert_int_equal(plan.n, 0);
	assert_false(mp_cpu_chord_one(&sim.view, &edges, 0));
	assert_false(mp_cpu_chord_one(&sim.view, &edges, HIDES));
	made_sim_close(&sim);
}

/* Limits move while they are measured: rings that were walked before they did
 * are as good. */
static void limits_may_move(void **state)
{
	(void)state;
	open_edges(MACHINE L1 L2, false);
	measure();
	edges.edge[HIDES].low *= 1.1;
	edges.edge[HIDES].high *= 1.1;
	assert_true(mp_cpu_chord_one(&sim.view, &edges, HIDES));
	edges.edge[HIDES].low /= 1.2;
	edges.edge[HIDES].high /= 1.2;
	assert_true(mp_cpu_chord_one(&sim.view, &edges, HIDES));
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_level_is_known_to_be),
		cmocka_unit_test(two_are_not),
		cmocka_unit_test(sides_are_those_of_the_edge),
		cmocka_unit_test(the_innermost_is_not_asked),
		cmocka_unit_test(limits_may_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
