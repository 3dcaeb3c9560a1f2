// SPDX-License-Identifier: GPL-2.0
/* Levels that rings leave in doubt, by a few lines that are timed after others
 * have been walked: simulated machines whose clock does not tell hops apart. */
#include "probe/cpu_after.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/miss.h"
#include "backend.h"
#include "like_runs.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_stairs.h"
#include "probe/latency_after.h"

#define CLOCK(step) \
	"machine name=a clock_mhz=3050 memory_latency=251\n" \
	"place pages=contiguous\nclock tsc_mhz=3050 read=40 step=" step "\n"
#define COARSE CLOCK("31")
#define L1 "level name=l1d size=10752 ways=7 line=32 latency=5 policy=random\n"
#define L2 "level name=l2 size=18K ways=16 line=32 latency=22 policy="
#define L3 "level name=l3 size=27K ways=8 line=32 latency=41 policy="
#define L4 "level name=l4 size=84K ways=16 line=32 latency=76 policy=lru\n"

extern const struct mp_probe mp_probe_cache_size, mp_probe_latency;

static struct made_sim sim;
static struct mp_cpu_edges edges;
/* Where the first edge begins, for the detector of means; 0: where it does. */
static double begins;

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, &mp_probe_cache_size);
	assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
}

static void ask_latency(const char *text)
{
	ask(text);
	made_sim_ask(&sim, &mp_probe_latency);
}

static void done(void)
{
	mp_cpu_edges_free(&edges);
	made_sim_close(&sim);
}

static bool holds(uint32_t k, double bytes)
{
	return edges.edge[k].low <= bytes && edges.edge[k].high >= bytes;
}

static void takes(uint32_t k, double cycles)
{
	const struct mp_curve_at *at;
	struct mp_interval limits;

	assert_true(mp_cpu_is_after(&edges, k));
	assert_true(mp_cpu_after_latency(&sim.view, &edges, k, false, &limits,
					 &at));
	if (fabs(limits.value - cycles) > 0.5 ||
	    limits.high > limits.low * 1.05)
		fail_msg("%u: %g [%g, %g] for %g", k, limits.value, limits.low,
			 limits.high, cycles);
}

/* A fact tells how it was found, and by what. */
static void says_how(const char *name)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);
	bool noted = false;

	assert_non_null(strstr(fact->method, "a few lines"));
	for (uint32_t i = 0; i < edges.after.n; i++)
		for (uint32_t e = 0; e < fact->n_evidence; e++)
			noted |= fact->evidence[e] == edges.after.at[i].id;
	assert_true(noted);
}

static void near_levels_are_told_apart(void **state)
{
	static const double size[] = { 10752, 18 << 10, 27 << 10, 84 << 10 };

	(void)state;
	ask(COARSE L1 L2 "nru\n" L3 "tree-plru\n" L4);
	assert_int_equal(edges.n, 4);
	assert_true(edges.after_n >= 3);
	assert_true(edges.doubt.level >= 4);
	for (uint32_t k = 0; k < 4; k++)
		if (!holds(k, size[k]) ||
		    edges.edge[k].high > edges.edge[k].low * 1.29)
			fail_msg("%u: [%g, %g] for %g", k, edges.edge[k].low,
				 edges.edge[k].high, size[k]);
	takes(1, 22);
	takes(2, 41);
	takes(3, 76);
	says_how("cpu.l1d.size");
	done();
}

/* A length of a curve made by hand, of @n replicates. */
static void put_at(struct mp_curve_at *at, uint64_t length, double *value, uint32_t n,
		   double mid)
{
	static const struct mp_batch *batch;

	batch = sim.seen[0];
	*at = (struct mp_curve_at){
		.length = length, .n = n, .batch = &batch,
		.cycles = value, .mid_cycles = mid,
	};
}

/* Replicates in the edge of a level whose lines lie anywhere: all are here in some
 * and further out in others, and three medians may be alike all the same. */
static void medians_of_an_edge_are_no_stair(void **state)
{
	static double value[][6] = {
		{ 6, 6, 6, 6, 6, 6 }, { 6, 6.1, 6, 6, 5.9, 6 }, { 6, 6, 6, 6, 6, 6.1 },
		{ 6.1, 13.5, 13.5, 6.1, 6.3, 13.5 }, { 5.4, 12.3, 12.5, 16.3, 6.3, 6.3 },
		{ 9.9, 9.7, 9.9, 16.1, 9.5, 9.9 },
		{ 16, 16, 16, 16, 16, 16 }, { 16, 16, 16.1, 16, 16, 6 },
		{ 16, 16, 16, 16, 16, 16 },
	};
	static const double mid[] = { 6, 6, 6, 9.8, 9.3, 9.8, 16, 16, 16 };
	struct mp_curve_at at[9] = { { 0 } };
	struct mp_curve curve = { .n = 9, .at = at };
	struct mp_cpu_stair stair[MP_CPU_STAIRS];

	(void)state;
	made_sim_open(&sim, COARSE L1 L2 "lru\n");
	for (uint32_t i = 0; i < 9; i++)
		put_at(&at[i], 65536 + 4096 * i, value[i], 6, mid[i]);
	assert_int_equal(mp_cpu_stairs_find(&curve, stair), 2);
	assert_int_equal(stair[0].last, 2);
	assert_int_equal(stair[1].first, 6);
	/* Were they all as long as their medians there would be a level. */
	for (uint32_t i = 3; i < 6; i++)
		for (uint32_t r = 0; r < 6; r++)
			value[i][r] = mid[i];
	assert_int_equal(mp_cpu_stairs_find(&curve, stair), 3);
	/* From the last length of a level on: the first stair is not its own. */
	curve.at = &at[5];
	curve.n = 4;
	assert_int_equal(mp_cpu_stairs_find(&curve, stair), 1);
	assert_true(mp_cpu_stairs_short(&curve, 6, &stair[0]));
	assert_false(mp_cpu_stairs_short(&curve, 10, &stair[0]));
	made_sim_close(&sim);
}

/* Between 4 and 17 cycles T takes a little longer at each length, and three of these
 * are alike but for what a clock of 31 cycles a step leaves open. */
static void what_rises_all_the_way_is_no_stair(void **state)
{
	static double value[] = {
		4, 4, 4.1, 4.6, 5, 5.2, 5.5, 6, 8, 12, 17, 17, 17,
	};
	struct mp_curve_at at[13] = { { 0 } };
	struct mp_curve curve = { .n = 13, .at = at };
	struct mp_cpu_stair stair[MP_CPU_STAIRS];

	(void)state;
	made_sim_open(&sim, COARSE L1 L2 "lru\n");
	for (uint32_t i = 0; i < 13; i++)
		put_at(&at[i], 32768 + 2048 * i, &value[i], 1, value[i]);
	assert_int_equal(mp_cpu_stairs_find(&curve, stair), 2);
	assert_true(stair[0].first == 0 && stair[1].first == 10);
	assert_true(stair[1].sloped);
	/* Were they level there would be one. */
	at[4].mid_cycles = at[6].mid_cycles = value[4] = value[6] = 5.2;
	assert_int_equal(mp_cpu_stairs_find(&curve, stair), 3);
	assert_true(stair[1].first == 4 && stair[1].last == 6);
	assert_false(stair[1].sloped || stair[2].sloped);
	made_sim_close(&sim);
}

/* T is two fifths of what the first level holds, and leaves it bit by bit: to a clock
 * of 160 cycles a step the last lengths of the stair look like the first ones. */
static void lines_that_leave_bit_by_bit_begin_when_it_is_full(void **state)
{
	(void)state;
	for (uint64_t seed = 8; seed <= 11; seed++) {
		made_sim_open(&sim,
			"machine name=a clock_mhz=3850 memory_latency=172\n"
			"level name=l1d size=10K ways=2 latency=4\n"
			"level name=l2 size=16K ways=32 latency=8 policy=srrip\n"
			"place pages=random thp=refused\n"
			"clock tsc_mhz=24 step=1 read=38\n"
			"noise gaps=0.02 seen=yes\n");
		sim.view.seed = seed;
		sim.view.quiet = MP_WISH_PREFETCH_OFF;
		made_sim_ask(&sim, &mp_probe_cache_size);
		assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
		if (mp_cpu_is_after(&edges, 0) &&
		    fabs(edges.level[0].size_bytes / 10240 - 1) > 0.125)
			fail_msg("%g [%g, %g]", edges.level[0].size_bytes,
				 edges.edge[0].low, edges.edge[0].high);
		done();
	}
}

/* One so far out that rings know it needs no stairs, which end long before it. */
static void a_level_far_beyond_them_stays_what_rings_have(void **state)
{
	static const double size[] = { 10752, 18 << 10, 27 << 10, 4 << 20 };

	(void)state;
	ask(COARSE L1 L2 "nru\n" L3 "tree-plru\n"
	    "level name=l4 size=4M ways=16 line=32 latency=76 policy=lru\n");
	assert_int_equal(edges.n, 4);
	assert_true(edges.after_to < 256 << 10);
	/* It is the last of its group still, and memory is behind it. */
	assert_int_equal(edges.groups.n, 2);
	for (uint32_t k = 0; k < 3; k++)
		assert_int_equal(edges.by[k], MP_CPU_BY_MEANS);
	assert_int_equal(edges.by[3], MP_CPU_BY_HOPS);
	assert_int_equal(edges.spectrum.n, 5);
	assert_true(fabs(edges.spectrum.cycles[3] - 76) < 2);
	assert_true(fabs(edges.spectrum.cycles[4] - 251) < 5);
	for (uint32_t k = 0; k < 4; k++)
		if (mp_cpu_is_after(&edges, k) != (k < 3) ||
		    !holds(k, size[k]) ||
		    edges.edge[k].high > edges.edge[k].low * 1.29)
			fail_msg("%u: [%g, %g] for %g", k, edges.edge[k].low,
				 edges.edge[k].high, size[k]);
	done();
}

/* Policies that go by use spare what a walk does not use, and so T: its edge
 * may lie beyond the level's, but no level is said to hold more than it does. */
static void no_policy_makes_them_wrong(void **state)
{
	static const char *const policy[] = {
		"lru", "fifo", "random", "nru", "srrip", "qlru_h11_m1_r1_u2",
	};
	const uint32_t n = like_runs(sizeof(policy) / sizeof(policy[0]));
	uint32_t found = 0;

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		char text[1024];

		snprintf(text, sizeof(text), COARSE L1 L2 "%s\n" L3 "%s\n" L4,
			 policy[i], policy[i]);
		ask(text);
		found += edges.after_n > 0;
		if (edges.after_n && (edges.n != 4 || !holds(1, 18 << 10) ||
				      !holds(2, 27 << 10)))
			fail_msg("%s: %u levels, [%g, %g], [%g, %g]", policy[i],
				 edges.n, edges.edge[1].low, edges.edge[1].high,
				 edges.edge[2].low, edges.edge[2].high);
		done();
	}
	assert_true(found > n / 2);
}

/* Stairs of a machine of whose @n levels that are known the first may be more than
 * one; the last takes so many @times as much, and has so poor a shape. */
static void doubt_first(const char *text, uint32_t n, double times, double misfit)
{
	struct mp_plan plan = { 0 };

	made_sim_open(&sim, text);
	made_sim_tell_quiet(&sim);
	made_sim_edges(&sim, &edges);
	for (uint32_t k = 0; k < n; k++)
		edges.level[k].high_bytes = edges.edge[k + 1 < n ? k : edges.n - 1].high;
	if (begins > 0)
		edges.level[0].low_bytes = begins;
	edges.n = n;
	edges.edge[n - 1].inside *= times;
	edges.edge[n - 1].misfit = edges.edge[n - 1].chi2 = misfit;
	edges.single = false;
	edges.flat = true;
	edges.muddled = edges.contradicted = MP_CPU_LEVELS;
	edges.doubt.level = 0;
	assert_int_equal(mp_cpu_after_find(&sim.view, &edges), 0);
	assert_int_equal(mp_cpu_after_plan(&sim.view, &edges, &plan), 0);
	made_sim_run(&sim, &plan);
	mp_curve_free(&edges.after);
	assert_int_equal(mp_cpu_after_find(&sim.view, &edges), 0);
}

/* .. of which nothing else is known. */
static void find_stairs(const char *text)
{
	doubt_first(text, 1, 1, 0);
}

/* An exclusive level's edge is that of what it holds with those inside, or lies a
 * little before: lines that change places need room. */
static void the_edge_of_an_exclusive_level_is_that_of_the_sum(void **state)
{
	(void)state;
	find_stairs(COARSE
		    "level name=l1d size=16K ways=8 line=32 latency=5 policy=lru\n"
		    "level name=l2 size=32K ways=8 line=32 latency=14 policy=lru inclusion=exclusive\n"
		    "level name=l3 size=96K ways=12 line=32 latency=40 policy=lru\n");
	assert_int_equal(edges.after_n, 3);
	if (!holds(0, 16 << 10) || !holds(1, 48e3) || !holds(2, 96 << 10))
		fail_msg("[%g, %g], [%g, %g], [%g, %g]", edges.edge[0].low,
			 edges.edge[0].high, edges.edge[1].low,
			 edges.edge[1].high, edges.edge[2].low,
			 edges.edge[2].high);
	done();
}

/* Each page of W costs a walk there, at all lengths as much: nothing is missed. */
static void a_walk_that_rests_is_held(void **state)
{
	(void)state;
	find_stairs(COARSE
		    "level name=l1d size=16K ways=8 line=32 latency=5 policy=lru\n"
		    "level name=l2 size=64K ways=8 line=32 latency=20 policy=lru\n"
		    "tlb level=1 page=4K entries=6 ways=6\nwalk cost=90\n");
	assert_int_equal(edges.after_n, 2);
	if (!holds(0, 16 << 10) || !holds(1, 64 << 10))
		fail_msg("[%g, %g], [%g, %g]", edges.edge[0].low, edges.edge[0].high,
			 edges.edge[1].low, edges.edge[1].high);
	done();
}

/* The second level's edge is as wide as pages that lie anywhere make it: another may
 * hide in that, but none before. */
static void an_edge_that_is_wide_is_left_in_doubt_alone(void **state)
{
	struct mp_fact fact = { .verdict = MP_MEASURED };

	(void)state;
	find_stairs("machine name=a clock_mhz=3050 memory_latency=251\n"
		    "place pages=random thp=refused\nclock tsc_mhz=3050 read=40 step=31\n"
		    "level name=l1d size=16K ways=8 line=64 latency=5 policy=lru\n"
		    "level name=l2 size=128K ways=4 line=64 latency=20 policy=lru\n");
	assert_int_equal(edges.after_n, 2);
	assert_int_equal(edges.doubt.level, 1);
	assert_true(edges.doubt.wide);
	mp_cpu_doubt_say(&edges, 1, &fact);
	assert_int_equal(fact.verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact.reason, "it may be two"));
	if (!holds(0, 16 << 10))
		fail_msg("[%g, %g]", edges.edge[0].low, edges.edge[0].high);
	done();
}

/* .. unless rings have an edge between what the two take. */
static void what_rings_know_beyond_is_theirs(void **state)
{
	const char *text =
		"machine name=a clock_mhz=3050 memory_latency=251\n"
		"place pages=random thp=refused\nclock tsc_mhz=3050 read=40 step=31\n"
		"level name=l1d size=16K ways=8 line=64 latency=5 policy=lru\n"
		"level name=l2 size=56K ways=4 line=64 latency=20 policy=lru\n";

	(void)state;
	doubt_first(text, 2, 1, 0);
	assert_int_equal(edges.doubt.level, MP_CPU_LEVELS);
	assert_true(edges.n == 2 && edges.after_n == 1);
	assert_true(holds(1, 56 << 10) && edges.edge[1].high < 60e3);
	done();
	/* .. and leave that in doubt, or it is another one. */
	doubt_first(text, 2, 1, 100);
	assert_int_equal(edges.doubt.level, 1);
	assert_int_equal(edges.after_n, 1);
	done();
	doubt_first(text, 2, 1.5, 0);
	assert_int_equal(edges.doubt.level, 1);
	assert_int_equal(edges.after_n, 2);
	done();
}

/* What brings back translations touches lines beside those of T: in longer lines
 * of a level inside it brings them, too. What lies beyond seems faster then, and
 * is not told. */
static void longer_lines_make_no_latency(void **state)
{
	struct mp_where where;

	(void)state;
	mp_where_cpu(&where, 0);
	for (uint32_t line = 32; line <= 128; line *= 4) {
		const struct mp_curve_at *at;
		struct mp_fact cycles = { 0 }, ns = { 0 }, *known;
		struct mp_latency pair = { &cycles, &ns };
		struct mp_interval limits;
		char text[1024];
		bool is_right;

		snprintf(text, sizeof(text), COARSE
			 "level name=l1d size=16K ways=8 line=32 latency=5 policy=lru\n"
			 "level name=l2 size=64K ways=8 line=%u latency=22 policy=lru\n"
			 "level name=l3 size=192K ways=12 line=128 latency=60 policy=lru\n",
			 line);
		find_stairs(text);
		known = mp_facts_add(&sim.facts, "cpu.l2.line", &where);
		assert_non_null(known);
		known->verdict = MP_MEASURED;
		known->value = line;
		assert_int_equal(edges.after_n, 3);
		assert_true(mp_cpu_after_latency(&sim.view, &edges, 2, false,
						 &limits, &at));
		mp_latency_stairs(&sim.view, &edges, 2, &pair);
		is_right = fabs(limits.value - 60) < 1.2;
		if (is_right != (line == 32) ||
		    (cycles.verdict == MP_MEASURED) != is_right)
			fail_msg("%u: %g, verdict %u", line, limits.value,
				 cycles.verdict);
		done();
	}
}

/* The shapes of edges have no policy that keeps as much as this one. */
static void what_no_ring_shows_alone_a_few_lines_do(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask_latency("machine name=a clock_mhz=4150 memory_latency=447\n"
		    "place pages=random thp=granted\n"
		    "clock tsc_mhz=2200 step=39 read=11\n"
		    "level name=l1d size=42912 ways=9 line=32 latency=6 policy=qlru_h00_m1_r2_u1\n"
		    "level name=l2 size=112K ways=14 line=32 latency=22 policy=lru\n");
	fact = made_sim_fact(&sim, "cpu.l2.latency-cycles");
	if (fact->verdict != MP_MEASURED || fabs(fact->value - 22) > 0.5 ||
	    !strstr(fact->method, "a few lines"))
		fail_msg("verdict %u, %g: %s (%s)", fact->verdict, fact->value,
			 fact->method, fact->reason);
	done();
}

static bool is_planned(void)
{
	struct mp_plan plan = { 0 };
	bool planned;

	assert_int_equal(mp_cpu_after_plan(&sim.view, &edges, &plan), 0);
	planned = plan.n > 0;
	mp_plan_free(&plan);
	return planned;
}

/* A prefetcher that cannot be turned off brings lines next to those of W, and of what
 * brings back translations: T lies apart from both. */
static void what_is_brought_is_not_what_is_timed(void **state)
{
	static const char *const kind[] = { "adjacent into=l1d", "next into=l1d",
					    "next into=l2", "stride into=l1d",
					    "stream into=l2" };

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		char text[1024];

		snprintf(text, sizeof(text), COARSE
			 "level name=l1d size=20K ways=10 line=64 latency=3 policy=nru\n"
			 "level name=l2 size=192K ways=16 line=64 latency=8 policy=nru\n"
			 "level name=l3 size=512K ways=16 line=64 latency=30 policy=lru\n"
			 "tlb level=1 page=4K entries=16 ways=4\nwalk cost=40\n"
			 "prefetch kind=%s switch=no\n", kind[i]);
		find_stairs(text);
		assert_true(mp_cpu_may_prefetch(&sim.view));
		assert_int_equal(edges.after_n, 3);
		if (!holds(0, 20 << 10) || !holds(1, 192 << 10) || !holds(2, 512 << 10))
			fail_msg("%s: [%g, %g], [%g, %g], [%g, %g]", kind[i],
				 edges.edge[0].low, edges.edge[0].high,
				 edges.edge[1].low, edges.edge[1].high,
				 edges.edge[2].low, edges.edge[2].high);
		takes(1, 8);
		takes(2, 30);
		done();
	}
}

/* .. and lies so far apart that of short rings too few lines are left: where they would
 * begin beyond a level they are not asked, .. */
static void a_curve_that_would_begin_late_is_not_asked(void **state)
{
	static const char text[] = COARSE
		"level name=l1d size=16K ways=4 line=128 latency=3 policy=lru\n"
		"level name=l2 size=96K ways=16 line=128 latency=10 policy=lru\n"
		"prefetch kind=adjacent into=l2 switch=no\n";

	(void)state;
	find_stairs(text);
	assert_false(is_planned());
	assert_int_equal(edges.after.n, 0);
	done();
	/* .. and if they begin so all the same they do not say which level that is. */
	begins = 32 << 10;
	find_stairs(text);
	begins = 0;
	assert_true(edges.after.n && edges.after.at[0].length > 16 << 10);
	assert_int_equal(edges.after_n, 0);
	done();
}

/* Where single hops are timed rings tell more; and pages that are thrown at random blur
 * the stairs, which then say nothing. */
static void elsewhere_it_is_not_asked_or_not_answered(void **state)
{
	(void)state;
	ask(CLOCK("1") L1 L2 "nru\n" L3 "tree-plru\n" L4);
	assert_true(edges.single);
	assert_false(is_planned());
	done();
	ask("machine name=a clock_mhz=3050 memory_latency=251\n"
	    "place pages=random thp=refused\nclock tsc_mhz=3050 read=40 step=31\n"
	    "level name=l1d size=16K ways=4 line=64 latency=4 policy=random\n"
	    "level name=l2 size=32K ways=2 line=64 latency=9 policy=random\n"
	    "level name=l3 size=96K ways=1 line=64 latency=19 policy=lru\n");
	assert_true(is_planned());
	assert_int_equal(edges.after_n, 0);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_levels_are_told_apart),
		cmocka_unit_test(medians_of_an_edge_are_no_stair),
		cmocka_unit_test(what_rises_all_the_way_is_no_stair),
		cmocka_unit_test(a_walk_that_rests_is_held),
		cmocka_unit_test(an_edge_that_is_wide_is_left_in_doubt_alone),
		cmocka_unit_test(what_rings_know_beyond_is_theirs),
		cmocka_unit_test(lines_that_leave_bit_by_bit_begin_when_it_is_full),
		cmocka_unit_test(a_level_far_beyond_them_stays_what_rings_have),
		cmocka_unit_test(no_policy_makes_them_wrong),
		cmocka_unit_test(the_edge_of_an_exclusive_level_is_that_of_the_sum),
		cmocka_unit_test(longer_lines_make_no_latency),
		cmocka_unit_test(what_no_ring_shows_alone_a_few_lines_do),
		cmocka_unit_test(what_is_brought_is_not_what_is_timed),
		cmocka_unit_test(a_curve_that_would_begin_late_is_not_asked),
		cmocka_unit_test(elsewhere_it_is_not_asked_or_not_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
