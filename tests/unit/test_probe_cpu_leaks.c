// SPDX-License-Identifier: GPL-2.0
/* Levels that drop lines though they are used, and what those outside hold of
 * them: simulated machines whose edges are known. */
#include "probe/cpu_leaks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/miss.h"
#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_hot.h"

#define HOPS_MAX 2500000u
#define MACHINE(pages) \
	"machine name=a clock_mhz=3000 memory_latency=240\n" \
	"place pages=" pages "\nclock tsc_mhz=3000 read=20 step=1\n"
#define ROW MACHINE("contiguous")
#define THROWN MACHINE("random thp=refused")
#define L1 "level name=l1d size=16K ways=4 latency=4 policy=random\n"
#define L2 "level name=l2 size=32K latency=14 "

static const char *const policy[] = {
	"lru", "fifo", "random", "tree-plru", "bit-plru", "nru", "srrip",
	"qlru_h11_m1_r0_u0", "qlru_h21_m2_r0_u0_umo",
};
#define POLICIES (sizeof(policy) / sizeof(policy[0]))

static struct made_sim sim;

/* By the fit of the edge inside. */
static uint32_t inside_ways = 4;

static uint32_t shape_of(const struct mp_miss_table *table, uint32_t ways)
{
	for (uint32_t i = 0; i < MP_MISS_SHAPES; i++)
		if (table->shape[i].ways == ways)
			return i;
	fail();
	return 0;
}

static void ask(const char *text, uint32_t k, struct mp_cpu_leaks *leaks)
{
	struct mp_cpu_edges edges;
	struct mp_plan plan = { 0 };

	made_sim_open(&sim, text);
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_edges(&sim, &edges);
	edges.edge[k - 1].shape = shape_of(edges.table, inside_ways);
	assert_int_equal(mp_cpu_leaks_plan(&sim.view, &edges, k, &plan), 0);
	made_sim_run(&sim, &plan);
	assert_int_equal(mp_cpu_leaks_judge(&sim.view, &edges, k, leaks), 0);
	assert_true(sim.hops < HOPS_MAX);
	made_sim_close(&sim);
}

static void expect(const char *text, uint32_t k, uint32_t holds)
{
	struct mp_cpu_leaks leaks;

	ask(text, k, &leaks);
	if (leaks.holds != holds)
		fail_msg("%u is not %u: %.0f of %.0f gone, %.3f and %.3f\n%s",
			 leaks.holds, holds, leaks.gone, leaks.dropped,
			 leaks.part, leaks.part_more, text);
}

/* What is lost, and when, is the policy's: with some it is too little, and of
 * those that lose the oldest line none tells whether it was taken along. */
static void expect_most(const char *machine, uint32_t ways,
			const char *inclusion)
{
	struct mp_cpu_leaks leaks;
	uint32_t told = 0;
	char text[512];

	for (uint32_t p = 0; p < POLICIES; p++) {
		snprintf(text, sizeof(text), "%s" L1 L2
			 "ways=%u policy=%s inclusion=%s\n", machine, ways,
			 policy[p], inclusion);
		ask(text, 1, &leaks);
		told += leaks.holds != MP_CPU_HOLDS_UNKNOWN;
		if (strcmp(inclusion, "inclusive"))
			assert_int_not_equal(leaks.holds, MP_CPU_HOLDS_ALL);
	}
	assert_in_range(told, POLICIES - 2, POLICIES);
}

static void expect_each(const char *machine, uint32_t ways,
			const char *inclusion, uint32_t holds)
{
	char text[512];

	for (uint32_t p = 0; p < POLICIES; p++) {
		snprintf(text, sizeof(text), "%s" L1 L2
			 "ways=%u policy=%s inclusion=%s\n", machine, ways,
			 policy[p], inclusion);
		expect(text, 1, holds);
	}
}

static void what_lies_inside_is_lost_here(void **state)
{
	(void)state;
	expect_most(ROW, 8, "non-inclusive");
	expect_most(THROWN, 8, "inclusive");
}

/* Lines that have just come are taken along as old ones are. */
static void an_inclusive_level_takes_lines_along_at_any_age(void **state)
{
	(void)state;
	expect(ROW L1 L2 "ways=8 policy=random inclusion=inclusive\n", 1,
	       MP_CPU_HOLDS_ALL);
	expect(THROWN L1 L2 "ways=1 inclusion=inclusive\n", 1,
	       MP_CPU_HOLDS_ALL);
	expect(THROWN L1 L2 "ways=1\n", 1, MP_CPU_HOLDS_NO_OTHERS);
	expect(ROW "level name=l1d size=16K ways=4 latency=4 policy=fifo\n"
	       L2 "ways=8 policy=random inclusion=inclusive\n", 1,
	       MP_CPU_HOLDS_ALL);
	expect(ROW "level name=l1d size=16K ways=4 latency=4 policy=fifo\n"
	       L2 "ways=8 policy=random\n", 1, MP_CPU_HOLDS_NO_OTHERS);
}

/* The line that puts another out inside may put it out here, too: of one way
 * always, of two half as often as in the long run, if all lines of a set here
 * fall on one set inside. */
static void what_is_put_out_of_both_at_once_is_not_taken_along(void **state)
{
	static const char *const inside[] = {
		"ways=1", "ways=2 policy=random", "ways=2 policy=fifo",
		"ways=4 policy=random",
	};
	static const char *const outside[] = {
		"size=48K ways=1", "size=48K ways=2 policy=random",
		"size=64K ways=4", "size=64K ways=4 policy=random",
	};
	struct mp_cpu_leaks leaks;
	uint32_t told = 0;
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
		for (uint32_t j = 0; j < sizeof(outside) / sizeof(outside[0]);
		     j++) {
			snprintf(text, sizeof(text), ROW
				 "level name=l1d size=32K latency=4 %s\n"
				 "level name=l2 latency=14 %s\n", inside[i],
				 outside[j]);
			inside_ways = i ? 4 : 1;
			ask(text, 1, &leaks);
			told += leaks.holds != MP_CPU_HOLDS_UNKNOWN;
			if (leaks.holds == MP_CPU_HOLDS_ALL)
				fail_msg("%.3f and %.3f\n%s", leaks.part_young,
					 leaks.part_old, text);
		}
	}
	assert_true(told > 4);
	/* Nor is what looks the same, though it is. */
	inside_ways = 1;
	expect(ROW L1 L2 "ways=8 policy=random inclusion=inclusive\n", 1,
	       MP_CPU_HOLDS_NO_OTHERS);
	inside_ways = 4;
}

static void an_exclusive_level_is_never_said_to_hold_it(void **state)
{
	(void)state;
	expect_each(ROW, 8, "exclusive", MP_CPU_HOLDS_UNKNOWN);
	expect_each(THROWN, 8, "exclusive", MP_CPU_HOLDS_UNKNOWN);
	expect_each(THROWN, 1, "exclusive", MP_CPU_HOLDS_UNKNOWN);
	expect_each(ROW "prefetch kind=adjacent into=l2 switch=no\n"
		    "prefetch kind=stream into=l2 switch=no\n", 2, "exclusive",
		    MP_CPU_HOLDS_UNKNOWN);
}

/* What an inclusive level further out puts out is not found there. */
static void a_level_further_out_is_told_from_this_one(void **state)
{
	(void)state;
	expect(THROWN L1 L2 "ways=8 inclusion=exclusive\n"
	       "level name=l3 size=80K ways=4 latency=40 inclusion=inclusive\n",
	       1, MP_CPU_HOLDS_UNKNOWN);
	expect(THROWN L1 L2 "ways=8\n"
	       "level name=l3 size=80K ways=4 latency=40 inclusion=inclusive\n",
	       1, MP_CPU_HOLDS_NO_OTHERS);
}

/* What lies further in may have left the level inside long ago. */
static void lines_have_to_be_in_the_level_inside(void **state)
{
	static const char inside[] = THROWN
		"level name=l1d size=4K ways=4 latency=4\n"
		"level name=l2 size=32K ways=8 latency=14 policy=random\n"
		"level name=l3 size=64K ways=8 latency=40 policy=random ";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%sinclusion=exclusive\n", inside);
	expect(text, 2, MP_CPU_HOLDS_UNKNOWN);
	snprintf(text, sizeof(text), "%s\n", inside);
	expect(text, 2, MP_CPU_HOLDS_NO_OTHERS);
}

/* A level half as large again as the one further in: each line says which of
 * them served it. */
static void levels_near_each_other_are_told_apart(void **state)
{
	static const char inside[] = THROWN
		"level name=l1d size=16K ways=4 latency=4\n"
		"level name=l2 size=24K ways=6 latency=14 policy=random\n"
		"level name=l3 size=48K ways=8 latency=40 policy=%s%s\n";
	char text[512];

	(void)state;
	for (uint32_t p = 0; p < POLICIES; p++) {
		snprintf(text, sizeof(text), inside, policy[p],
			 " inclusion=exclusive");
		expect(text, 2, MP_CPU_HOLDS_UNKNOWN);
	}
	snprintf(text, sizeof(text), inside, "random", "");
	expect(text, 2, MP_CPU_HOLDS_NO_OTHERS);
}

/* A line has left the level inside before it can leave this one. */
static void what_answers_alike_is_left_open(void **state)
{
	(void)state;
	expect(ROW "level name=l1d size=16K ways=4 latency=4 policy=fifo\n"
	       L2 "ways=8\n", 1, MP_CPU_HOLDS_UNKNOWN);
	expect(ROW "level name=l1d size=16K ways=1 latency=4\n" L2 "ways=2\n",
	       1, MP_CPU_HOLDS_UNKNOWN);
}

static uint32_t asked_of(const char *l1d)
{
	struct mp_cpu_edges edges;
	struct mp_plan plan = { 0 };
	char text[512];
	uint32_t n;

	snprintf(text, sizeof(text), ROW "level name=l1d ways=16 latency=4 %s\n"
		 "level name=l2 size=4M ways=16 latency=14 policy=random\n"
		 "level name=l3 size=8M ways=16 latency=40\n", l1d);
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = 512u << 20;
	made_sim_edges(&sim, &edges);
	edges.edge[1].shape = shape_of(edges.table, inside_ways);
	assert_int_equal(mp_cpu_leaks_plan(&sim.view, &edges, 2, &plan), 0);
	n = plan.n;
	mp_plan_free(&plan);
	made_sim_close(&sim);
	return n;
}

/* Each round empties the innermost level: of a large one that is too much. */
static void walks_that_take_too_long_are_not_asked_for(void **state)
{
	(void)state;
	assert_int_equal(asked_of("size=64K"), 2);
	assert_int_equal(asked_of("size=1M"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_inside_is_lost_here),
		cmocka_unit_test(
			an_inclusive_level_takes_lines_along_at_any_age),
		cmocka_unit_test(
			what_is_put_out_of_both_at_once_is_not_taken_along),
		cmocka_unit_test(an_exclusive_level_is_never_said_to_hold_it),
		cmocka_unit_test(a_level_further_out_is_told_from_this_one),
		cmocka_unit_test(lines_have_to_be_in_the_level_inside),
		cmocka_unit_test(levels_near_each_other_are_told_apart),
		cmocka_unit_test(what_answers_alike_is_left_open),
		cmocka_unit_test(walks_that_take_too_long_are_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
