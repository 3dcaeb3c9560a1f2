// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose levels have drawn wrong sizes or latencies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "like_runs.h"
#include "made_sim.h"
#include "probe/cpu_size.h"
#include "probe/cpu_edges.h"

#define ARENA_BYTES (64u << 20)
#define NEAR 0.125
#define SEED 1u
/* Pages lie so that lines seem to fall evenly. */
#define SEED_EVEN 7u
/* .. so that an edge reads a little too far out. */
#define SEED_ROUND 2u
/* .. so that it is not known where one ends. */
#define SEED_ROOM 700103u

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text, uint64_t seed)
{
	made_sim_open(&sim, text);
	sim.view.seed = seed;
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* .. and what is measured has limits that hold it. */
static void not_wrong(const char *name, double value)
{
	const struct mp_fact *fact =
		made_sim_not_wrong(&sim, name, value, NEAR);

	if (fact->verdict == MP_MEASURED &&
	    (fact->low > value || fact->high < value))
		fail_msg("%s: %g to %g do not hold %g", name, fact->low,
			 fact->high, value);
}

/* Two slots of a ring share a line, if they are of 64 bytes: but that is not known, and
 * 14 sets of 11 lines of 128 bytes seem to hold a third more. */
static void longer_lines_seem_to_hold_more(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		made_sim_open(&sim, "machine name=a clock_mhz=3400 memory_latency=177\n"
			      "place pages=random thp=refused huge=119\n"
			      "clock tsc_mhz=24 step=1 read=39\n"
			      "level name=l1d size=12K ways=12 latency=3\n"
			      "level name=l2 size=19712 ways=11 line=128 latency=6 "
			      "policy=bit-plru index=physical\n");
		sim.view.seed = seed;
		sim.view.arena_max_bytes = ARENA_BYTES;
		sim.facts.fact[0].verdict = MP_NOT_MEASURABLE;
		made_sim_ask(&sim, mp_probe_find("cache-size"));
		made_sim_not_wrong(&sim, "cpu.l1d.size", 12288, NEAR);
		made_sim_not_wrong(&sim, "cpu.l2.size", 19712, NEAR);
		made_sim_close(&sim);
	}
	made_sim_open(&sim, "machine name=a clock_mhz=3400 memory_latency=177\n"
		      "level name=l1d size=12K ways=12 latency=3\n");
}

/* Means of dense rings around an edge, and what sizes are by them, too. */
static void ask_densely(double size)
{
	struct mp_plan plan = { 0 };
	struct mp_sweep sweep;

	mp_cpu_main_sweep(&sim.view, &sweep);
	for (double part = 0.5; part < 2; part *= exp2(0.125))
		assert_int_equal(mp_sweep_plan(&sweep, &sim.view,
					       (uint64_t)(size * part), 4,
					       &plan), 0);
	assert_true(made_sim_run(&sim, &plan) > 0);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* Of a dense ring the first hops of a turn are timed, and what came first stays: by
 * means all fits up to a third more. */
static void what_stays_since_it_came_first_is_no_size(void **state)
{
	static const struct {
		const char *policy;
		bool keeps;
	} some[] = { { "qlru_h00_m1_r2_u1", true }, { "lru", false } };
	struct mp_cpu_edges edges;
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "machine name=a clock_mhz=2050 memory_latency=250\n"
			 "place pages=random thp=granted huge=0\n"
			 "clock tsc_mhz=2900 step=1 read=16\n"
			 "level name=l1d size=64K ways=16 latency=4\n"
			 "level name=l2 size=8M ways=16 latency=28 "
			 "index=physical policy=%s\n", some[i].policy);
		ask(text, 1);
		ask_densely(8 << 20);
		assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
		assert_int_equal(edges.n, 2);
		assert_int_equal(mp_cpu_keeps_first(&edges, 1), some[i].keeps);
		assert_true(mp_cpu_edge_dense(&edges, 1));
		mp_cpu_edges_free(&edges);
		assert_int_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
				 MP_MEASURED);
		not_wrong("cpu.l2.size", 8 << 20);
		if (!i)
			made_sim_close(&sim);
	}
}

/* Limits of which the lower one is nothing are none. */
static void at_least_nothing_is_not_measured(void **state)
{
	struct mp_fact fact = { .verdict = MP_NOT_MEASURABLE };
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=3400 memory_latency=177\n"
		      "clock tsc_mhz=3400 step=1 read=39\n"
		      "level name=l1d size=48K ways=12 latency=5\n");
	made_sim_edges(&sim, &edges);
	edges.edge[0].high = 2 * edges.edge[0].size;
	assert_int_equal(mp_cpu_size_judge(&sim.view, &edges, 0, &fact), 0);
	assert_int_equal(fact.verdict, MP_AT_LEAST);
	assert_true(fact.low > 0);
	edges.edge[0].low = 0;
	assert_int_equal(mp_cpu_size_judge(&sim.view, &edges, 0, &fact), 0);
	assert_int_equal(fact.verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact.reason, "apart"));
}

/* Of a turn the first part finds what the policy has kept of the last one. */
static void what_a_policy_has_kept_of_a_turn_is_no_room(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4600 memory_latency=359\n"
	    "clock tsc_mhz=2100 step=1 read=50\n"
	    "level name=l1d size=32K ways=8 latency=7\n"
	    "level name=l2 size=5M ways=20 line=128 latency=30 "
	    "policy=qlru_h00_m1_r2_u1 index=virtual\n"
	    "tlb level=1 page=4K entries=96 ways=6\n"
	    "tlb level=1 page=2M entries=16 ways=16\n"
	    "tlb level=2 page=4K entries=384 ways=12 cost=11\n"
	    "tlb level=2 page=2M entries=384 ways=12 cost=11\n"
	    "walk cost=62\nplace pages=random thp=granted\n"
	    "noise gaps=0.02\n", SEED);
	not_wrong("cpu.l2.size", 5 << 20);
}

/* .. nor is it where a full ring has so many slots that its turn is long. */
static void what_a_policy_has_kept_of_a_full_turn_is_no_room(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=1900 memory_latency=130\n"
	    "clock tsc_mhz=2700 step=1 read=88\n"
	    "level name=l1d size=27744 ways=1 line=32 latency=6\n"
	    "level name=l2 size=8M ways=8 line=32 latency=52 "
	    "policy=qlru_h00_m1_r2_u1 index=virtual\n"
	    "tlb level=1 page=4K entries=48 ways=48\n"
	    "tlb level=1 page=2M entries=16 ways=16\n"
	    "walk cost=42\nplace pages=random thp=granted\n", SEED);
	not_wrong("cpu.l2.size", 8 << 20);
}

/* A clock of long steps: hops are means. The level inside keeps a part of the
 * ring for good, that the outer one need not hold. */
static void what_the_level_inside_keeps_is_no_room_of_the_outer(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3150 memory_latency=192\n"
	    "clock tsc_mhz=3300 step=17 read=71\n"
	    "level name=l1d size=39K ways=6 latency=4 policy=srrip\n"
	    "level name=l2 size=140K ways=7 latency=20 policy=bit-plru "
	    "index=virtual\n"
	    "level name=l3 size=210K ways=16 latency=54 policy=fifo "
	    "index=virtual slices=6 shared=3\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=2 page=4K entries=2304 ways=12 cost=10\n"
	    "walk cost=46\nplace pages=contiguous thp=refused\n"
	    "noise gaps=0.02\n", SEED);
	not_wrong("cpu.l3.size", 210 << 10);
}

/* Huge pages begin anywhere in sets that are no power of two, and slices are
 * hashed: some sets are full long before the level is. */
static void an_edge_of_few_crowded_sets_is_no_even_one(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4900 memory_latency=435\n"
	    "clock tsc_mhz=3400 step=1 read=65\n"
	    "level name=l1d size=176K ways=11 latency=6 "
	    "policy=qlru_h21_m2_r0_u0_umo\n"
	    "level name=l2 size=512K ways=16 latency=13 policy=tree-plru\n"
	    "level name=l3 size=2560K ways=4 latency=46 policy=tree-plru "
	    "inclusion=inclusive slices=4\n"
	    "tlb level=1 page=4K entries=64 ways=32\n"
	    "tlb level=1 page=2M entries=32 ways=4\n"
	    "tlb level=2 page=4K entries=256 ways=4 cost=6\n"
	    "tlb level=2 page=2M entries=128 ways=8 cost=6\n"
	    "walk cost=29\nplace pages=random thp=granted\n"
	    "noise gaps=0.02\n", SEED_EVEN);
	not_wrong("cpu.l3.size", 2560 << 10);
}

/* Whether the second level has what the first holds is not known; its edge lies
 * at the sum, and the roundest number in the limits a sixth above its size. */
static void a_round_number_is_near_either_limit(void **state)
{
	(void)state;
	ask("machine name=a cpus=2 clock_mhz=1700 memory_latency=475\n"
	    "level name=l1d size=48K ways=1 line=128 latency=4\n"
	    "level name=l2 size=416K ways=8 line=128 latency=15 "
	    "policy=tree-plru inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=32 ways=2\n"
	    "tlb level=1 page=2M entries=4 ways=2\n"
	    "tlb level=2 page=4K entries=256 ways=8 cost=10\n"
	    "tlb level=2 page=2M entries=128 ways=8 cost=10\n"
	    "walk cost=28\nprefetch kind=adjacent into=l1d switch=no\n"
	    "clock tsc_mhz=2100 step=1 read=63\nnoise gaps=0.02\n", SEED_ROUND);
	not_wrong("cpu.l2.size", 416 << 10);
}

/* A clock of long steps: hops are means, and two slots of their rings lie in
 * one line of the second level, which is not known. */
static void hops_that_share_a_line_further_in_are_no_latency(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4800 memory_latency=381\n"
	    "clock tsc_mhz=100 step=1 read=87\n"
	    "level name=l1d size=128K ways=8 latency=7\n"
	    "level name=l2 size=1M ways=16 line=256 latency=12\n"
	    "level name=l3 size=15M ways=20 line=256 latency=44\n"
	    "tlb level=1 page=4K entries=128 ways=64\n"
	    "tlb level=1 page=2M entries=32 ways=2\n"
	    "tlb level=2 page=4K entries=1152 ways=6 cost=4\n"
	    "tlb level=2 page=2M entries=1152 ways=6 cost=4\n"
	    "walk cost=34\nplace pages=random thp=granted\n"
	    "noise gaps=0.02\n", SEED);
	made_sim_ask(&sim, mp_probe_find("latency"));
	not_wrong("cpu.l2.latency-cycles", 12);
	not_wrong("cpu.l3.latency-cycles", 44);
}

/* Hops of 3 and of 5 cycles are one peak for the clock. Of rings of every line a
 * prefetcher that cannot be turned off has each second one at hand, so that only
 * wider rings show that the peak moves. */
static void a_peak_that_moves_in_wider_rings_alone_is_no_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3300 memory_latency=209\n"
	    "level name=l1d size=32K ways=4 latency=3 index=physical\n"
	    "level name=l2 size=64K ways=16 latency=5 policy=srrip\n"
	    "level name=l3 size=96K ways=4 latency=11 policy=tree-plru "
	    "index=virtual inclusion=exclusive\n"
	    "level name=l4 size=371200 ways=29 latency=33 policy=srrip "
	    "inclusion=inclusive slices=10\n"
	    "prefetch kind=adjacent into=l2\n"
	    "prefetch kind=next into=l1d switch=no\n"
	    "prefetch kind=stream into=l2\n"
	    "clock tsc_mhz=1800 step=1 read=67\nnoise gaps=0.02\n", SEED);
	not_wrong("cpu.l1d.size", 32 << 10);
	not_wrong("cpu.l2.size", 64 << 10);
	not_wrong("cpu.l3.size", 96 << 10);
}

/* 75 sets: of rings whose slots are two lines apart one of 45 KiB fits. */
static void slots_that_fit_are_no_more_than_lines(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4400 memory_latency=161\n"
	    "clock tsc_mhz=1900 step=9 read=71\n"
	    "level name=l1d size=38400 ways=8 latency=5 policy=nru\n"
	    "level name=l2 size=64K ways=8 latency=12 policy=random "
	    "index=physical inclusion=inclusive\n"
	    "level name=l3 size=96K ways=12 latency=22 "
	    "policy=qlru_h00_m1_r0_u1 index=physical slices=8\n"
	    "level name=l4 size=240K ways=12 latency=55 index=physical\n"
	    "tlb level=1 page=4K entries=32 ways=32\n"
	    "tlb level=2 page=4K entries=1536 ways=12 cost=11 "
	    "policy=bit-plru\nwalk cost=56 page=all\n"
	    "prefetch kind=next into=l2 switch=no\n"
	    "prefetch kind=stream into=l2 switch=yes\n"
	    "place pages=random thp=refused\nnoise gaps=0.02 seen=yes\n",
	    SEED_ROOM);
	made_sim_not_wrong(&sim, "cpu.l1d.size", 38400, NEAR);
}

/* One way of 32 KiB keeps the lines that are alone in their sets, so 899 lines
 * fit where the next level has 775; of 939, of which all others miss that one,
 * the first level keeps less. */
static void what_the_first_level_keeps_is_not_in_the_second(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=900 memory_latency=326\n"
	    "clock tsc_mhz=3000 step=1 read=88\n"
	    "level name=l1d size=32K ways=1 latency=4 policy=random\n"
	    "level name=l2 size=49600 ways=31 latency=19 policy=bit-plru "
	    "index=physical\n"
	    "level name=l3 size=384K ways=16 line=128 latency=145 "
	    "policy=fifo\n"
	    "walk cost=26 page=all\nplace pages=random thp=granted\n"
	    "noise gaps=0.02 seen=yes\n", SEED);
	not_wrong("cpu.l2.size", 49600);
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
			 MP_MEASURED);
}

/* To sparse rings the second level has room for eight times what it holds, and
 * ends where the next does, which includes it: in those none is served there. By
 * how slow they are full ones do not differ, over scattered pages. */
static void a_level_that_only_full_rings_find_is_one(void **state)
{
	static const uint64_t seed[] = { 1, 4, 8 };

	(void)state;
	for (uint32_t i = 0; i < like_runs(sizeof(seed) / sizeof(seed[0])); i++) {
		ask("machine name=a clock_mhz=4900 memory_latency=233\n"
		    "clock tsc_mhz=2500 step=1 read=46\n"
		    "place pages=random thp=refused\n"
		    "level name=l1d size=32K ways=16 line=32 latency=3 "
		    "policy=bit-plru\n"
		    "level name=l2 size=144000 ways=18 line=32 latency=12 "
		    "policy=random inclusion=inclusive\n"
		    "level name=l3 size=240K ways=10 latency=45 "
		    "policy=qlru_h21_m2_r0_u0_umo index=physical "
		    "inclusion=inclusive\n"
		    "tlb level=1 page=4K entries=128 ways=128 policy=nru\n"
		    "walk cost=53 page=all\nnoise gaps=0.02 seen=no\n", seed[i]);
		not_wrong("cpu.l2.size", 144000);
		not_wrong("cpu.l3.size", 240 << 10);
		made_sim_close(&sim);
	}
}

/* The level inside throws out any line: each turn it keeps others, which do not
 * come to this one then, so that two ways have room for three lines of a set. */
static void what_is_kept_by_chance_makes_no_level_larger(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3200 memory_latency=232\n"
	    "clock tsc_mhz=1800 step=1 read=33\n"
	    "place pages=contiguous thp=granted\n"
	    "level name=l1d size=96K ways=8 line=32 latency=7 policy=random\n"
	    "level name=l2 size=192K ways=2 line=32 latency=17 index=physical\n"
	    "level name=l3 size=295296 ways=6 line=32 latency=48 "
	    "policy=qlru_h00_m1_r2_u1 inclusion=exclusive slices=2\n"
	    "tlb level=1 page=4K entries=96 ways=48\n"
	    "tlb level=2 page=4K entries=4096 ways=16 cost=14\n"
	    "noise gaps=0.02 seen=no\n", SEED);
	not_wrong("cpu.l2.size", 192 << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			longer_lines_seem_to_hold_more, end),
		cmocka_unit_test_teardown(
			what_stays_since_it_came_first_is_no_size, end),
		cmocka_unit_test_teardown(at_least_nothing_is_not_measured, end),
		cmocka_unit_test_teardown(
			what_a_policy_has_kept_of_a_turn_is_no_room, end),
		cmocka_unit_test_teardown(
			what_a_policy_has_kept_of_a_full_turn_is_no_room, end),
		cmocka_unit_test_teardown(
			what_the_level_inside_keeps_is_no_room_of_the_outer,
			end),
		cmocka_unit_test_teardown(
			an_edge_of_few_crowded_sets_is_no_even_one, end),
		cmocka_unit_test_teardown(a_round_number_is_near_either_limit,
					  end),
		cmocka_unit_test_teardown(
			hops_that_share_a_line_further_in_are_no_latency, end),
		cmocka_unit_test_teardown(
			a_peak_that_moves_in_wider_rings_alone_is_no_level,
			end),
		cmocka_unit_test_teardown(
			what_the_first_level_keeps_is_not_in_the_second, end),
		cmocka_unit_test_teardown(
			what_is_kept_by_chance_makes_no_level_larger, end),
		cmocka_unit_test(a_level_that_only_full_rings_find_is_one),
		cmocka_unit_test_teardown(slots_that_fit_are_no_more_than_lines,
					  end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
