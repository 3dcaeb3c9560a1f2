// SPDX-License-Identifier: GPL-2.0
/* What an exclusive level holds alone: simulated machines whose edges are
 * known. */
#include "probe/cpu_alone.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define HOPS_MAX 5000000u
#define PLANS 200u
#define KIB 1024.0
/* Limits that make a measured size. */
#define APART 1.29

#define CLOCK(step) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place pages=contiguous\nclock tsc_mhz=3000 read=20 step=" step "\n"
#define ROW CLOCK("1")
#define L1 "level name=l1d size=16K ways=8 latency=4 "
#define L2 "level name=l2 size=48K ways=12 latency=14 inclusion=exclusive "
#define LARGER_L2 \
	"level name=l2 size=64K ways=16 latency=14 inclusion=exclusive "

static struct made_sim sim;

/* All that is wanted of a level, and what it says then. */
static void ask(const char *text, uint32_t k, struct mp_cpu_alone *alone)
{
	struct mp_cpu_edges edges;

	made_sim_open(&sim, text);
	made_sim_edges(&sim, &edges);
	for (uint32_t i = 0; i < PLANS; i++) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_cpu_alone_plan(&sim.view, &edges, k,
						   &plan), 0);
		if (!made_sim_run(&sim, &plan))
			break;
	}
	assert_int_equal(mp_cpu_alone_judge(&sim.view, &edges, k, alone), 0);
	if (sim.hops >= HOPS_MAX)
		fail_msg("%llu hops\n%s", (unsigned long long)sim.hops, text);
	made_sim_close(&sim);
}

static void expect(const char *text, uint32_t k, double size, bool known)
{
	struct mp_cpu_alone alone;

	ask(text, k, &alone);
	if (known != alone.known)
		fail_msg("known: %d\n%s", alone.known, text);
	if (known && (alone.low > size || alone.high < size ||
		      alone.high > alone.low * APART))
		fail_msg("%.1f [%.1f .. %.1f] KiB\n%s", alone.size / KIB,
			 alone.low / KIB, alone.high / KIB, text);
}

static const char *const policy[] = {
	"lru", "tree-plru", "bit-plru", "nru", "srrip", "qlru_h11_m1_r0_u0",
	"fifo", "random",
};
#define POLICIES (sizeof(policy) / sizeof(policy[0]))
/* So many of them keep what is used again and again. */
#define KEEPS_HOT 6u

static void each_outer_policy_lets_it_tell(void **state)
{
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < POLICIES; i++) {
		snprintf(text, sizeof(text), "%s%s\n%spolicy=%s\n", ROW, L1,
			 LARGER_L2, policy[i]);
		expect(text, 1, 64 * KIB, true);
	}
}

/* What does not stay inside leaves this level no room of its own. */
static void inner_policies_that_keep_what_is_used_let_it_tell(void **state)
{
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < POLICIES; i++) {
		snprintf(text, sizeof(text), "%s%spolicy=%s\n%s\n", ROW, L1,
			 policy[i], L2);
		expect(text, 1, 48 * KIB, i < KEEPS_HOT);
	}
}

static void few_ways_inside_are_filled_by_less(void **state)
{
	static const uint32_t ways[] = { 1, 2, 4, 16 };
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(text, sizeof(text),
			 "%slevel name=l1d size=16K ways=%u latency=4\n%s\n",
			 ROW, ways[i], L2);
		expect(text, 1, 48 * KIB, ways[i] > 1);
	}
}

static void the_third_level_is_told_behind_the_second(void **state)
{
	static const char *const inclusion[] = {
		"inclusive", "exclusive", "non-inclusive",
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		snprintf(text, sizeof(text),
			 "%s%s\nlevel name=l2 size=64K ways=8 latency=14 inclusion=%s\n"
			 "level name=l3 size=256K ways=16 latency=40 inclusion=exclusive\n",
			 ROW, L1, inclusion[i]);
		expect(text, 2, 256 * KIB, true);
	}
}

/* Two sets of this level share one of the level inside, and what is left of
 * that goes now to the one and now to the other: limits hold the size. */
static void sets_that_get_more_of_what_is_left_blur_the_edge(void **state)
{
	struct mp_cpu_alone alone;

	(void)state;
	ask("machine name=a clock_mhz=1700 memory_latency=214\n"
	    "clock tsc_mhz=1000 step=1 read=23\n"
	    "level name=l1d size=80K ways=10 latency=7\n"
	    "level name=l2 size=128K ways=8 latency=14 policy=tree-plru "
	    "inclusion=exclusive\n"
	    "level name=l3 size=416K ways=26 latency=24 policy=bit-plru "
	    "inclusion=exclusive\n", 1, &alone);
	if (!alone.known || alone.low > 128 * KIB || alone.high < 128 * KIB ||
	    alone.high > alone.low * APART)
		fail_msg("%d: %.1f .. %.1f KiB", alone.known, alone.low / KIB,
			 alone.high / KIB);
}

static void means_tell_where_the_clock_is_coarse(void **state)
{
	(void)state;
	expect(CLOCK("24") L1 "\n" L2 "\n", 1, 48 * KIB, true);
}

static void without_phases_nothing_is_asked(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_cpu_alone alone;
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, ROW L1 "\n" L2 "\n");
	made_sim_edges(&sim, &edges);
	sim.view.caps &= ~MP_CAP_PHASES;
	assert_int_equal(mp_cpu_alone_plan(&sim.view, &edges, 1, &plan), 0);
	assert_int_equal(plan.n, 0);
	assert_int_equal(mp_cpu_alone_judge(&sim.view, &edges, 1, &alone), 0);
	assert_false(alone.known);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_outer_policy_lets_it_tell),
		cmocka_unit_test(inner_policies_that_keep_what_is_used_let_it_tell),
		cmocka_unit_test(few_ways_inside_are_filled_by_less),
		cmocka_unit_test(the_third_level_is_told_behind_the_second),
		cmocka_unit_test(sets_that_get_more_of_what_is_left_blur_the_edge),
		cmocka_unit_test(means_tell_where_the_clock_is_coarse),
		cmocka_unit_test(without_phases_nothing_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
