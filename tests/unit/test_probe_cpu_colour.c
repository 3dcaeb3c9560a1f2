// SPDX-License-Identifier: GPL-2.0
/* Pages of few colours: simulated machines whose edges are known. */
#include "probe/cpu_colour.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_hot.h"

#define HOPS_MAX 6000000u
#define PLANS 20u

#define MACHINE(place) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place " place "\nclock tsc_mhz=3000 read=20 step=1\n"
#define ROW MACHINE("pages=contiguous")
#define SCATTERED MACHINE("pages=random thp=refused")
/* Its sets begin anew after four pages: a ring of every fourth has a quarter of
 * them. No line stays in it by being used. */
#define L1 "level name=l1d size=32K ways=2 latency=4 policy=fifo "
#define L2 "level name=l2 size=64K ways=8 latency=14 index=physical "

static struct made_sim sim;

static void ask_with(const char *text,
		     void (*change)(struct mp_cpu_edges *edges),
		     struct mp_cpu_colour *colour)
{
	/* The shape of both edges: one of lines that fall on all sets evenly. */
	struct mp_miss_table table;
	struct mp_cpu_edges edges;

	made_sim_open(&sim, text);
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.arena_max_bytes = 64u << 20;
	made_sim_edges(&sim, &edges);
	memset(&table, 0, sizeof(table));
	edges.table = &table;
	if (change)
		change(&edges);
	for (uint32_t i = 0; i < PLANS; i++) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_cpu_colour_plan(&sim.view, &edges, 1,
						    &plan), 0);
		if (!made_sim_run(&sim, &plan))
			break;
	}
	mp_cpu_colour_judge(&sim.view, &edges, 1, colour);
	if (sim.hops >= HOPS_MAX)
		fail_msg("%llu hops\n%s", (unsigned long long)sim.hops, text);
	made_sim_close(&sim);
}

static void expect(const char *text, uint32_t holds)
{
	struct mp_cpu_colour colour;

	ask_with(text, NULL, &colour);
	if (colour.holds != holds)
		fail_msg("%u is not %u: %u of %u part %.2f shift %.3f +- %.3f of %.3f\n%s",
			 colour.holds, holds, colour.first, colour.of,
			 colour.part, colour.shift, colour.error,
			 colour.expected, text);
}

static void the_edge_of_an_exclusive_level_moves(void **state)
{
	struct mp_cpu_colour colour;

	(void)state;
	expect(SCATTERED L1 "\n" L2 "inclusion=exclusive\n",
	       MP_CPU_HOLDS_OTHERS);
	ask_with(SCATTERED L1 "\n" L2 "inclusion=exclusive\n", NULL, &colour);
	assert_true(colour.of > colour.first && colour.first);
	assert_true(colour.part < 0.6);
	assert_true(fabs(colour.shift / colour.expected - 1) < 0.4);
	assert_true(colour.id[0] && colour.id[1] &&
		    colour.id[0] != colour.id[1]);
}

static void no_others_does(void **state)
{
	(void)state;
	expect(SCATTERED L1 "\n" L2 "\n", MP_CPU_HOLDS_NO_OTHERS);
	expect(SCATTERED L1 "\n" L2 "inclusion=inclusive\n",
	       MP_CPU_HOLDS_NO_OTHERS);
	/* Pages in a row have no colours where sets begin anew with each. */
	expect(ROW L1 "\nlevel name=l2 size=64K ways=16 latency=14\n",
	       MP_CPU_HOLDS_NO_OTHERS);
}

static void each_inner_policy_lets_it_tell(void **state)
{
	static const char *const policy[] = {
		"ways=1", "ways=2 policy=lru", "ways=2 policy=srrip",
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(policy) / sizeof(policy[0]); i++) {
		snprintf(text, sizeof(text), SCATTERED
			 "level name=l1d size=32K %s latency=4\n" L2 "\n",
			 policy[i]);
		expect(text, MP_CPU_HOLDS_NO_OTHERS);
	}
}

/* A hash may throw pages that are left out on some slices more than on others:
 * an edge moves that is not that of an exclusive level. */
static void pages_in_a_row_make_none_exclusive(void **state)
{
	struct mp_cpu_colour colour;
	char text[512];

	(void)state;
	for (uint32_t slices = 1; slices <= 4; slices++) {
		snprintf(text, sizeof(text), ROW
			 "level name=l1d size=64K ways=4 latency=4 policy=fifo\n"
			 "level name=l2 size=192K ways=4 latency=14 "
			 "index=physical slices=%u\n", slices);
		ask_with(text, NULL, &colour);
		assert_int_not_equal(colour.holds, MP_CPU_HOLDS_OTHERS);
		snprintf(text, sizeof(text), ROW
			 "level name=l1d size=64K ways=4 latency=4 policy=fifo\n"
			 "level name=l2 size=192K ways=4 latency=14 "
			 "index=physical inclusion=exclusive slices=%u\n",
			 slices);
		ask_with(text, NULL, &colour);
		assert_int_not_equal(colour.holds, MP_CPU_HOLDS_NO_OTHERS);
	}
	ask_with(ROW L1 "\n" L2 "inclusion=exclusive\n", NULL, &colour);
	assert_int_not_equal(colour.holds, MP_CPU_HOLDS_NO_OTHERS);
}

/* In such a level all pages are of all colours. */
static void a_level_without_colours_tells_nothing(void **state)
{
	struct mp_cpu_colour colour;

	(void)state;
	expect(SCATTERED "level name=l1d size=32K ways=8 latency=4 policy=fifo\n"
	       L2 "inclusion=exclusive\n", MP_CPU_HOLDS_UNKNOWN);
	/* .. nor one whose colours are not those of addresses. */
	expect(SCATTERED L1 "index=physical\n" L2 "inclusion=exclusive\n",
	       MP_CPU_HOLDS_UNKNOWN);
	/* .. nor one that is so small a part of both. */
	ask_with(SCATTERED L1 "\nlevel name=l2 size=512K ways=8 latency=14 "
		 "index=physical inclusion=exclusive\n", NULL, &colour);
	assert_int_equal(colour.holds, MP_CPU_HOLDS_UNKNOWN);
}

/* Colours of this level, too, move its edge: by more than half. */
static void this_levels_own_colours_are_not_the_other_levels(void **state)
{
	struct mp_cpu_colour colour;

	(void)state;
	ask_with(SCATTERED L1 "\nlevel name=l2 size=64K ways=2 latency=14\n",
		 NULL, &colour);
	assert_int_not_equal(colour.holds, MP_CPU_HOLDS_OTHERS);
	ask_with(SCATTERED L1 "\nlevel name=l2 size=64K ways=8 latency=14\n",
		 NULL, &colour);
	assert_int_not_equal(colour.holds, MP_CPU_HOLDS_OTHERS);
}

static void set_full(struct mp_cpu_edges *edges)
{
	edges->full = 1;
}

static void set_coarse(struct mp_cpu_edges *edges)
{
	edges->single = false;
}

static void set_blurred(struct mp_cpu_edges *edges)
{
	edges->spectrum.blurred[1] = true;
}

static void what_cannot_be_told_is_not_asked(void **state)
{
	static void (*const changes[])(struct mp_cpu_edges *edges) = {
		set_full, set_coarse, set_blurred,
	};
	struct mp_cpu_colour colour;

	(void)state;
	for (uint32_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		ask_with(SCATTERED L1 "\n" L2 "\n", changes[i], &colour);
		assert_int_equal(colour.holds, MP_CPU_HOLDS_UNKNOWN);
		assert_int_equal(colour.id[0], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_edge_of_an_exclusive_level_moves),
		cmocka_unit_test(no_others_does),
		cmocka_unit_test(each_inner_policy_lets_it_tell),
		cmocka_unit_test(pages_in_a_row_make_none_exclusive),
		cmocka_unit_test(a_level_without_colours_tells_nothing),
		cmocka_unit_test(this_levels_own_colours_are_not_the_other_levels),
		cmocka_unit_test(what_cannot_be_told_is_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
