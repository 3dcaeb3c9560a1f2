// SPDX-License-Identifier: GPL-2.0
/* What is at home while nothing moves: simulated machines whose edges are known, and
 * some that are not. */
#include "probe/cpu_still.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_count.h"

#define KIB 1024.0
#define ARENA_BYTES (16u << 20)

#define MACHINE \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"clock tsc_mhz=3000 read=20 step=1\n" \
	"tlb level=1 page=4K entries=16 ways=4\nwalk cost=150\n"
#define SMALL "place pages=random thp=refused\n"
#define L1 "level name=l1d size=16K ways=8 latency=4 "

static struct made_sim sim;

static void open_machine(const char *text, struct mp_cpu_edges *edges)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_tell_quiet(&sim);
	made_sim_edges(&sim, edges);
}

/* What is found of the second level, and what a count without a ring finds of it. */
static void ask(const char *text, struct mp_cpu_still *still,
		struct mp_cpu_count *count)
{
	struct mp_plan plan = { 0 };
	struct mp_cpu_edges edges;

	open_machine(text, &edges);
	assert_int_equal(mp_cpu_still_plan(&sim.view, &edges, 1, &plan), 0);
	if (count) {
		mp_cpu_count_lay(&sim.view, &edges, 1);
		assert_int_equal(mp_cpu_count_plan(&sim.view, &edges, 1,
						   &plan), 0);
	}
	made_sim_run(&sim, &plan);
	assert_int_equal(mp_cpu_still_judge(&sim.view, &edges, 1, still), 0);
	if (count) {
		mp_cpu_count_judge(&sim.view, &edges, 1);
		*count = edges.count[1];
		assert_true(count->known);
	}
	made_sim_close(&sim);
}

static void holds(const struct mp_cpu_still *still, double bytes, double apart,
		  const char *text)
{
	if (!still->known || still->low > bytes || still->high < bytes ||
	    still->high > still->low * apart)
		fail_msg("%.1f .. %.1f KiB, not %.1f\n%s", still->low / KIB,
			 still->high / KIB, bytes / KIB, text);
}

static const char *const policy[] = {
	"lru", "fifo", "random", "tree-plru", "bit-plru", "nru", "srrip",
	"qlru_h00_m1_r0_u1", "qlru_h11_m1_r1_u2",
};
#define POLICIES (sizeof(policy) / sizeof(policy[0]))

/* Neither how lines are thrown out matters, here or inside, nor where pages lie, nor
 * whether the level takes those inside along. But what a level inside keeps for good
 * may be here or not. */
static void a_level_is_as_large_as_what_stays_there(void **state)
{
	char text[512];

	(void)state;
	for (uint32_t p = 0; p < 4 * POLICIES; p++) {
		const bool oldest = p < 2 * POLICIES;
		struct mp_cpu_still still;

		snprintf(text, sizeof(text), MACHINE SMALL
			 "level name=l1d size=64K ways=8 latency=4 policy=%s\n"
			 "level name=l2 size=256K ways=16 latency=14 policy=%s "
			 "inclusion=%s\n",
			 oldest ? "lru" : policy[(p + 2) % POLICIES],
			 policy[p % POLICIES],
			 p / POLICIES % 2 ? "inclusive" : "non-inclusive");
		ask(text, &still, NULL);
		holds(&still, 256 * KIB, oldest ? 1.28 : 1.45, text);
	}
}

/* One half as large again as the one inside: a crowd alone does not say what the level
 * has of the lines that are found there. */
static void what_lies_inside_is_no_longer_open(void **state)
{
	static const char text[] = MACHINE SMALL
		"level name=l1d size=64K ways=16 latency=4\n"
		"level name=l2 size=96K ways=12 latency=14\n";
	struct mp_cpu_still still;
	struct mp_cpu_count count;

	(void)state;
	ask(text, &still, &count);
	holds(&still, 96 * KIB, 1.3, text);
	assert_true(count.own_low < 48 * KIB && count.all_high > 96 * KIB);
}

/* Of few ways E has too many lines for some sets, which miss for ever: those that are
 * put out are not counted. */
static void of_sets_that_overflow_no_more_is_counted_than_is_there(void **state)
{
	char text[512];
	uint32_t known = 0;

	(void)state;
	for (uint32_t ways = 3; ways <= 12; ways *= 2) {
		for (uint32_t p = 0; p < POLICIES; p++) {
			struct mp_cpu_still still;

			/* A tree has a power of two of leaves. */
			if (!strcmp(policy[p], "tree-plru"))
				continue;
			snprintf(text, sizeof(text), MACHINE SMALL
				 "level name=l1d size=17K ways=17 latency=4\n"
				 "level name=l2 size=24K ways=%u latency=14 "
				 "policy=%s\n", ways, policy[p]);
			ask(text, &still, NULL);
			/* Of the crowd nothing may be left. */
			known += still.known;
			if (still.known && (still.low > 24 * KIB ||
					    still.low < 12 * KIB))
				fail_msg("%.1f KiB of 24\n%s",
					 still.low / KIB, text);
		}
	}
	assert_in_range(known, POLICIES, 3 * POLICIES);
}

/* An inclusive level outside takes lines along: what is missing is not for want of
 * room. */
static void what_a_level_outside_takes_along_is_no_upper_limit(void **state)
{
	struct mp_cpu_still still;

	(void)state;
	ask(MACHINE SMALL L1 "\nlevel name=l2 size=64K ways=16 latency=14\n"
	    "level name=l3 size=96K ways=12 latency=30 inclusion=inclusive\n",
	    &still, NULL);
	assert_true(still.known && still.low <= 64 * KIB && isinf(still.high));
}

static uint32_t wanted(const char *text, uint32_t k, const struct mp_fact *fact)
{
	struct mp_plan plan = { 0 };
	struct mp_cpu_edges edges;
	uint32_t n;

	open_machine(text, &edges);
	assert_int_equal(fact ? mp_cpu_still_plan_open(&sim.view, &edges, k,
						       fact, &plan) :
			 mp_cpu_still_plan(&sim.view, &edges, k, &plan), 0);
	n = plan.n;
	mp_plan_free(&plan);
	made_sim_close(&sim);
	return n;
}

/* The innermost level has none inside; one little larger than that has no room for a
 * ring that does not fit that; and of one that may be exclusive nothing would follow. */
static void what_would_not_tell_is_not_asked(void **state)
{
	static const char text[] = MACHINE SMALL L1
		"\nlevel name=l2 size=64K ways=16 latency=14\n";
	static const struct mp_fact open = {
		.verdict = MP_AT_LEAST, .low = 40 * KIB, .high = 80 * KIB };

	(void)state;
	assert_int_equal(wanted(text, 0, NULL), 0);
	assert_true(wanted(text, 1, NULL) > 0);
	assert_int_equal(wanted(text, 1, &open), 0);
	assert_int_equal(wanted(MACHINE SMALL L1 "\nlevel name=l2 size=18K ways=9 "
				"latency=14\n", 1, NULL), 0);
	/* What is gone may be brought before its turn. */
	assert_int_equal(wanted(MACHINE SMALL L1
				"\nlevel name=l2 size=64K ways=16 latency=14\n"
				"prefetch kind=next into=l2 switch=no\n", 1,
				NULL), 0);
}

/* The second level's size, once all that is asked of it was. */
static const struct mp_fact *ask_size(const char *text, uint64_t seed, double bytes)
{
	const struct mp_fact *fact;

	made_sim_open_quiet(&sim, text, seed);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	fact = made_sim_not_wrong(&sim, "cpu.l2.size", bytes, 0.125);
	if (fact->low > bytes || fact->high < bytes)
		fail_msg("%.0f .. %.0f, not %.0f", fact->low, fact->high, bytes);
	return fact;
}

/* A first-in-first-out level half as large again as the one inside: what is inside may
 * have left it long ago, and of scattered pages no edge is sharp. */
static void a_size_that_all_else_leaves_open_is_measured(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	fact = ask_size("machine name=a clock_mhz=2400 "
		"memory_latency=175\nclock tsc_mhz=2400 step=1 read=37\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=16K ways=8 latency=4 policy=tree-plru\n"
		"level name=l2 size=24K ways=8 line=128 latency=12 "
		"index=physical policy=fifo\n"
		"level name=l3 size=240K ways=15 line=128 latency=26 "
		"index=physical policy=srrip\n", 20771, 24 * KIB);
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_non_null(strstr(fact->method, "what stays here"));
	made_sim_close(&sim);
}

/* .. and what stays open is told by limits that hold, and none of a likeliest size that
 * lies beyond them. */
static void of_limits_that_stay_apart_no_size_beyond_them_is_likely(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	fact = ask_size("machine name=a clock_mhz=2100 "
		"memory_latency=250\nclock tsc_mhz=2100 step=1 read=86\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=128K ways=32 latency=6\n"
		"level name=l2 size=192K ways=6 latency=29 index=physical "
		"policy=bit-plru\n", 700189, 192 * KIB);
	assert_int_equal(fact->verdict, MP_AT_LEAST);
	if (strstr(fact->reason, "best estimate") ||
	    !strstr(fact->reason, "more stays here"))
		fail_msg("%.0f and more: %s", fact->low, fact->reason);
	made_sim_close(&sim);
}

/* .. and are no wider than what a level further out leaves, or was counted at most,
 * where shapes are refuted. */
static void where_shapes_are_refuted_limits_have_an_end(void **state)
{
	const struct mp_fact *fact;
	struct mp_cpu_edges edges = { .n = 2 };
	struct mp_fact next = { .verdict = MP_AT_LEAST, .low = 60 * KIB,
				.high = INFINITY };

	(void)state;
	fact = ask_size("machine name=a clock_mhz=2700 "
		"memory_latency=287\nclock tsc_mhz=1800 step=1 read=36\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=65K ways=8 line=128 latency=6 "
		"policy=tree-plru\n"
		"level name=l2 size=176K ways=2 line=128 latency=18 "
		"index=physical policy=random\n"
		"level name=l3 size=384K ways=12 line=128 latency=37 "
		"index=physical policy=srrip\n", 700191, 176 * KIB);
	assert_int_equal(fact->verdict, MP_AT_LEAST);
	assert_true(fact->high < 512 * KIB);
	made_sim_close(&sim);

	assert_true(isinf(mp_cpu_counted_most(&edges, 1, false)));
	edges.count[1].known = true;
	edges.count[1].own_high = 80 * KIB;
	edges.count[1].all_high = 110 * KIB;
	assert_true(mp_cpu_counted_most(&edges, 1, false) == 110 * KIB);
	assert_true(mp_cpu_counted_most(&edges, 1, true) == 80 * KIB);
	edges.n = 3;
	edges.doubt.level = MP_CPU_LEVELS;
	edges.table = mp_miss_table_get();
	edges.fitted[2] = true;
	edges.edge[2].high = 100 * KIB;
	mp_cpu_below_next(&edges, 1, &next);
	assert_true(next.high == 100 * KIB);
	/* Not where that may be another's, nor of what is measured. */
	next.high = INFINITY;
	edges.doubt.level = 2;
	mp_cpu_below_next(&edges, 1, &next);
	assert_true(isinf(next.high));
	edges.doubt.level = MP_CPU_LEVELS;
	next.verdict = MP_MEASURED;
	mp_cpu_below_next(&edges, 1, &next);
	assert_true(isinf(next.high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_is_as_large_as_what_stays_there),
		cmocka_unit_test(what_lies_inside_is_no_longer_open),
		cmocka_unit_test(
			of_sets_that_overflow_no_more_is_counted_than_is_there),
		cmocka_unit_test(
			what_a_level_outside_takes_along_is_no_upper_limit),
		cmocka_unit_test(what_would_not_tell_is_not_asked),
		cmocka_unit_test(a_size_that_all_else_leaves_open_is_measured),
		cmocka_unit_test(
			of_limits_that_stay_apart_no_size_beyond_them_is_likely),
		cmocka_unit_test(where_shapes_are_refuted_limits_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
