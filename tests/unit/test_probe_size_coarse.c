// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose clock is too coarse to time a hop: what makes a
 * level doubtful, and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_look.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"

#define ARENA_BYTES (64u << 20)
#define NEAR 0.125
#define CLOCK "clock tsc_mhz=2000 step=21 read=65\n"

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
	sim.view.seed = 1;
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

static void holds(const char *name, double value)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fact->low <= value && fact->high >= value);
}

/* Beyond the last level half of the hops of a dense ring are served by it, as
 * two slots share each of its lines: all lengths take the same, 79 cycles,
 * which no edge explains. */
static void hops_that_share_a_line_hide_no_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3300 memory_latency=141\n" CLOCK
	    "level name=l1d size=24K ways=12 line=64 latency=4\n"
	    "level name=l2 size=384K ways=12 line=256 latency=17\n"
	    "place pages=contiguous\n");
	holds("cpu.l1d.size", 24 << 10);
	holds("cpu.l2.size", 384 << 10);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_ABSENT);
}

/* Where the third level begins to miss hops of memory are all that a mean shows,
 * and it and the second look like one. But the clock tells those. */
static void memory_hides_no_level(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	ask("machine name=a clock_mhz=3300 memory_latency=296\n" CLOCK
	    "level name=l1d size=48K ways=12 latency=5\n"
	    "level name=l2 size=256K ways=32 latency=17 policy=bit-plru "
	    "inclusion=exclusive\n"
	    "level name=l3 size=456K ways=16 latency=30 slices=8\n"
	    "place pages=contiguous\n");
	holds("cpu.l1d.size", 48 << 10);
	holds("cpu.l3.size", 456 << 10);
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict,
			 MP_ABSENT);
	/* Memory is where it was. */
	assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
	assert_int_equal(edges.n, 3);
	assert_float_equal(edges.edge[2].outside, 296, 6);
	mp_cpu_edges_free(&edges);
}

/* A disturbed machine may read the clock for less than it was seen to cost: by
 * what is left of a hop, nothing is told of levels, and nothing fails. */
static void hops_that_take_no_time_say_nothing(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	memory_hides_no_level(state);
	for (uint32_t i = 0; i < sim.n; i++)
		if (sim.batch[i]->exp.actor[0].detail == MP_DETAIL_HIST)
			sim.batch[i]->grant.read_ticks += 10;
	sim.view.look = made_look();
	assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
	assert_true(edges.doubt.level < edges.n);
	mp_cpu_edges_free(&edges);
}

/* With a memory twice as slow as the rest the third level is in doubt, with one
 * three times as slow it and the fourth are one: nothing is known of them. */
static void levels_are_the_same_however_near_memory(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5350 memory_latency=367\n"
	    "clock tsc_mhz=3800 step=31 read=40\n"
	    "level name=l1d size=40K ways=8 latency=4\n"
	    "level name=l2 size=96K ways=16 latency=10 policy=srrip "
	    "inclusion=inclusive\n"
	    "level name=l3 size=145K ways=4 line=128 latency=38 policy=srrip "
	    "slices=10\n"
	    "level name=l4 size=384K ways=4 line=128 latency=110 policy=fifo\n"
	    "place pages=random thp=granted\nnoise gaps=0.02\n");
	made_sim_not_wrong(&sim, "cpu.l3.size", 145 << 10, NEAR);
	made_sim_not_wrong(&sim, "cpu.l4.size", 384 << 10, NEAR);
}

/* Two levels so near each other that they are one with memory as near; but hops
 * of none show between them and memory as it is. */
static void memory_too_near_makes_two_levels_one(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3800 memory_latency=191\n"
	    "clock tsc_mhz=3100 step=21 read=67\n"
	    "level name=l1d size=14K ways=4 latency=3 policy=qlru_h11_m1_r0_u0\n"
	    "level name=l2 size=21K ways=4 latency=8 policy=qlru_h11_m1_r0_u0\n"
	    "place pages=random thp=refused\nnoise gaps=0.02\n");
	made_sim_not_wrong(&sim, "cpu.l1d.size", 14 << 10, NEAR);
	made_sim_not_wrong(&sim, "cpu.l2.size", 21 << 10, NEAR);
}

/* A TLB of 16 pages that walks follow has an edge at 64 KiB, with memory as near
 * as you like; of rings with more slots to a page it is smaller. */
static void translations_stay_no_level(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask("machine name=a clock_mhz=4000 memory_latency=300\n" CLOCK
	    "level name=l1d size=128K ways=4 latency=4\n"
	    "tlb level=1 page=4K entries=16 ways=16\nwalk cost=43\n");
	fact = made_sim_not_wrong(&sim, "cpu.l1d.size", 128 << 10, NEAR);
	assert_int_not_equal(fact->verdict, MP_MEASURED);
	made_sim_not_wrong(&sim, "cpu.l2.size", 0, NEAR);
}

/* Where no ring has far fewer slots a page than another, one of pages alone says
 * what translations cost: 26 cycles a page, and so 3.3 a hop of the sparse ring by
 * which the edge rises, not the 1.6 of the dense one. */
static void translations_cost_what_the_ring_of_the_edge_pays(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4250 memory_latency=178\n"
	    "level name=l1d size=40K ways=8 line=128 latency=4\n"
	    "level name=l2 size=384K ways=16 line=128 latency=7 policy=nru\n"
	    "tlb level=1 page=4K entries=64 ways=64\nwalk cost=26\n"
	    "prefetch kind=adjacent into=l1d switch=no\n"
	    "place pages=random thp=granted\n"
	    "clock tsc_mhz=1000 step=1 read=82\n");
	made_sim_not_wrong(&sim, "cpu.l2.size", 384 << 10, NEAR);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_ABSENT);
}

/* Lines 512 bytes apart fall on three of these 12 sets, twice as many as their
 * footprint says, and the level looks twice as large: rings of every second line,
 * whose edge is fitted, have it further in than a bracket of the others allows. */
static void an_edge_may_lie_inside_the_bracket_of_sparser_rings(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4450 memory_latency=179\n"
	    "level name=l1d size=12K ways=16 sector=32 latency=3 policy=random "
	    "index=physical\n"
	    "level name=l2 size=80K ways=4 line=256 latency=9 "
	    "policy=qlru_h00_m1_r0_u1 inclusion=inclusive\n"
	    "clock tsc_mhz=3000 step=70 read=73\nplace pages=contiguous\n");
	holds("cpu.l1d.size", 12 << 10);
	holds("cpu.l2.size", 80 << 10);
}

/* Small pages that lie at random make an edge so wide that there is room for a
 * level in it; but its hops are of two kinds. */
static void an_edge_of_two_kinds_of_hops_is_one_level(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask("machine name=a clock_mhz=4300 memory_latency=56\n"
	    "level name=l1d size=16K ways=4 latency=4\n"
	    "level name=l2 size=256K ways=8 latency=14 policy=tree-plru "
	    "index=physical\n"
	    "place pages=random thp=refused\n"
	    "clock tsc_mhz=2600 step=26 read=45\nnoise gaps=0.02\n");
	fact = made_sim_not_wrong(&sim, "cpu.l2.size", 256 << 10, NEAR);
	assert_int_not_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_true(fact->low > (256 << 10) / 2);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_ABSENT);
}

/* A level half as large again as the one inside takes the same at two lengths of
 * those that are tried: too few for a stair, and yet a level. */
static void a_short_stair_is_a_level(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim,
	    "machine name=a clock_mhz=4350 memory_latency=331\n"
	    "clock tsc_mhz=3700 step=34 read=81\n"
	    "level name=l1d size=64K ways=4 line=32 latency=4\n"
	    "level name=l2 size=96K ways=6 line=32 latency=12 policy=random "
	    "index=physical\n"
	    "level name=l3 size=256K ways=4 line=32 latency=40 policy=fifo "
	    "index=physical\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=1 page=2M entries=4 ways=4\nwalk cost=20 page=all\n"
	    "place pages=random thp=granted\nnoise gaps=0.02\n", 1);
	sim.facts.fact[0].value = 32;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_not_wrong(&sim, "cpu.l2.size", 96 << 10, NEAR);
	made_sim_not_wrong(&sim, "cpu.l3.size", 256 << 10, NEAR);
}

/* A clock of 63 cycles a step reads four lines at a time as 4.2 cycles each or as
 * 5: three lengths in a row by chance, and no level. */
static void few_lines_are_read_less_well(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim,
	    "machine name=a clock_mhz=3150 memory_latency=359\n"
	    "clock tsc_mhz=1800 step=36 read=15\n"
	    "level name=l1d size=64K ways=1 line=128 latency=5 "
	    "index=physical\n"
	    "level name=l2 size=168K ways=6 line=128 latency=15 "
	    "index=physical\n"
	    "level name=l3 size=512K ways=16 line=128 latency=27 "
	    "policy=qlru_h11_m1_r0_u0 inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=48 ways=48 policy=srrip\n"
	    "tlb level=1 page=2M entries=64 ways=16\n"
	    "walk cost=40 page=all\n"
	    "place pages=random thp=granted\n"
	    "noise gaps=0.02 gap_us=2..400 seen=yes\n", 700127);
	sim.facts.fact[0].value = 128;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_not_wrong(&sim, "cpu.l1d.size", 64 << 10, NEAR);
	made_sim_not_wrong(&sim, "cpu.l2.size", 168 << 10, NEAR);
}

/* A level that throws out any line loses few of those beside a ring that hardly
 * outgrows it: a clock of 37 cycles a step takes the first such length for one
 * that fits. */
static void the_end_of_a_stair_may_be_past_the_level(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim, "machine name=a clock_mhz=900 "
	    "memory_latency=212\nclock tsc_mhz=24 step=1 read=59\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=12K ways=12 latency=4 policy=random "
	    "index=virtual\n"
	    "level name=l2 size=32K ways=4 line=128 latency=8 index=virtual "
	    "inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=64 ways=16\n"
	    "tlb level=1 page=2M entries=32 ways=32\n"
	    "tlb level=2 page=4K entries=512 ways=8 cost=13\n"
	    "tlb level=2 page=2M entries=512 ways=8 cost=13 "
	    "policy=tree-plru\n"
	    "walk cost=66 page=all\nnoise gaps=0.02 gap_us=2..400 seen=no\n",
	    2);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_not_wrong(&sim, "cpu.l1d.size", 12 << 10, NEAR);
}

/* Levels of 160 and 240 KiB at 11 and 19 cycles, memory at 489: to a mean the
 * step between them is a few hops of memory. But those that are none take 17. */
static void hops_that_are_no_memory_tell_of_a_level(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim, "machine name=a clock_mhz=2200 "
	    "memory_latency=489\nclock tsc_mhz=3100 step=40 read=49\n"
	    "place pages=contiguous thp=refused\n"
	    "level name=l1d size=48K ways=16 latency=5 policy=srrip\n"
	    "level name=l2 size=160K ways=2 latency=11 index=physical "
	    "inclusion=inclusive\n"
	    "level name=l3 size=240K ways=4 line=128 latency=19 policy=nru "
	    "index=physical inclusion=inclusive slices=2\n"
	    "tlb level=1 page=4K entries=32 ways=2\n"
	    "tlb level=2 page=4K entries=1024 ways=4 cost=11\n"
	    "walk cost=36 page=all\nprefetch kind=adjacent into=l1d switch=no\n"
	    "noise gaps=0.02 seen=yes\n", 1);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_not_wrong(&sim, "cpu.l2.size", 160 << 10, NEAR);
	made_sim_not_wrong(&sim, "cpu.l3.size", 240 << 10, NEAR);
}

/* Of 8 KiB that are replaced at random some of a few lines stay at three lengths:
 * six cycles between 3 and 9, a stair to a clock of 223 cycles a step. */
static void what_a_step_may_be_off_by_is_no_stair(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim, "machine name=a clock_mhz=5350 "
	    "memory_latency=165\nclock tsc_mhz=24 step=1 read=26\n"
	    "place pages=contiguous thp=refused\n"
	    "level name=l1d size=8K ways=2 latency=3 policy=random "
	    "index=virtual\n"
	    "level name=l2 size=24K ways=8 latency=9 policy=tree-plru "
	    "index=physical\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=9 "
	    "policy=tree-plru\nwalk cost=53 page=all\n", 700136);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	assert_int_not_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			     MP_AT_LEAST);
}

/* A step of five cycles tells levels at 5 and 23 apart, and memory from both. */
static void steps_of_five_cycles_tell_levels_far_apart(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim, "machine name=a clock_mhz=2550 "
	    "memory_latency=283\nclock tsc_mhz=2000 step=4 read=54\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=48K ways=12 line=32 latency=5 "
	    "policy=qlru_h11_m1_r1_u2\n"
	    "level name=l2 size=96K ways=8 line=32 latency=23 index=physical\n"
	    "tlb level=1 page=4K entries=48 ways=48\n"
	    "tlb level=2 page=4K entries=2048 ways=8 cost=12\n"
	    "walk cost=62 page=all\nnoise gaps=0.02 seen=yes\n", 700130);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	holds("cpu.l1d.size", 48 << 10);
	holds("cpu.l2.size", 96 << 10);
}

/* A level that never has a fifth of the hops is no peak: its hops are among those of
 * the level inside, which take longer on the whole as it comes to serve some. */
static void a_peak_that_moves_hides_a_level(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	ask("machine name=a clock_mhz=4950 memory_latency=189\n"
	    "clock tsc_mhz=2900 step=1 read=85\n"
	    "place pages=random thp=refused\n"
	    "prefetch kind=next into=l2 switch=no\n"
	    "level name=l1d size=24K ways=4 latency=4 policy=bit-plru\n"
	    "level name=l2 size=384K ways=8 line=128 sector=64 latency=7 "
	    "policy=tree-plru index=physical\n"
	    "level name=l3 size=2M ways=16 line=128 latency=18 "
	    "index=physical\n"
	    "level name=l4 size=3080K ways=8 line=128 latency=49 "
	    "policy=qlru_h11_m1_r1_u2 index=physical inclusion=inclusive "
	    "slices=10\n");
	made_sim_not_wrong(&sim, "cpu.l3.size", 2 << 20, NEAR);
	made_sim_not_wrong(&sim, "cpu.l4.size", 3080 << 10, NEAR);
	assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
	assert_true(edges.doubt.unseen > 18 && edges.doubt.unseen < 49);
	mp_cpu_edges_free(&edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(hops_that_share_a_line_hide_no_level,
					  end),
		cmocka_unit_test_teardown(memory_hides_no_level, end),
		cmocka_unit_test_teardown(hops_that_take_no_time_say_nothing,
					  end),
		cmocka_unit_test_teardown(
			levels_are_the_same_however_near_memory, end),
		cmocka_unit_test_teardown(memory_too_near_makes_two_levels_one,
					  end),
		cmocka_unit_test_teardown(translations_stay_no_level, end),
		cmocka_unit_test_teardown(
			translations_cost_what_the_ring_of_the_edge_pays, end),
		cmocka_unit_test_teardown(
			an_edge_may_lie_inside_the_bracket_of_sparser_rings,
			end),
		cmocka_unit_test_teardown(
			an_edge_of_two_kinds_of_hops_is_one_level, end),
		cmocka_unit_test_teardown(a_short_stair_is_a_level, end),
		cmocka_unit_test_teardown(few_lines_are_read_less_well, end),
		cmocka_unit_test_teardown(
			the_end_of_a_stair_may_be_past_the_level, end),
		cmocka_unit_test_teardown(
			hops_that_are_no_memory_tell_of_a_level, end),
		cmocka_unit_test_teardown(
			what_a_step_may_be_off_by_is_no_stair, end),
		cmocka_unit_test_teardown(
			steps_of_five_cycles_tell_levels_far_apart, end),
		cmocka_unit_test_teardown(a_peak_that_moves_hides_a_level, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
