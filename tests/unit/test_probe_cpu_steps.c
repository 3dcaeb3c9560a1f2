// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose clock hides how many levels there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "made_sim.h"

#define SEED_ANY 1u
/* .. with which the edge of a TLB seemed to be one of a level. */
#define SEED_EDGE 3u
/* .. and the next that another level was not there. */
#define SEED_HIDDEN 700107u

static struct made_sim sim;

static void ask(uint64_t seed, const char *text)
{
	made_sim_open_quiet(&sim, text, seed);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* Less than two steps of the clock, which make one peak of the two: at the
 * lengths that the second serves it has all hops, and none where it is. */
static void two_levels_are_not_taken_for_one(void **state)
{
	(void)state;
	ask(SEED_ANY,
		"machine name=a clock_mhz=2950 memory_latency=287\n"
		"clock tsc_mhz=3500 step=4 read=18\n"
		"level name=l1d size=32K ways=4 line=32 latency=3 policy=fifo "
		"index=physical\n"
		"level name=l2 size=160K ways=10 line=32 latency=9 "
		"index=physical inclusion=exclusive\n"
		"level name=l3 size=416K ways=13 latency=21 policy=srrip "
		"index=physical\n"
		"tlb level=1 page=4K entries=96 ways=96\n"
		"walk cost=26 page=all\n"
		"place pages=contiguous thp=refused huge=54\n"
		"noise gaps=0.02 seen=yes\n");
	made_sim_not_wrong(&sim, "cpu.l1d.size", 32 << 10, 0.125);
	made_sim_not_wrong(&sim, "cpu.l2.size", 160 << 10, 0.125);
	made_sim_not_wrong(&sim, "cpu.l3.size", 416 << 10, 0.125);
	assert_int_equal(made_sim_fact(&sim, "cpu.l1d.size")->verdict,
			 MP_MEASURED);
	made_sim_close(&sim);
}

/* 64 pages, and rings with more slots a page have no lengths near that: the
 * third level is so large that no more was asked of them than where it ends. */
static void ask_end_of_tlb(const char *clock)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"machine name=a clock_mhz=4850 memory_latency=154\n%s"
		"level name=l1d size=96K ways=12 line=32 latency=6 "
		"policy=qlru_h00_m1_r0_u1\n"
		"level name=l2 size=400K ways=25 line=32 latency=14 "
		"policy=bit-plru index=physical inclusion=inclusive\n"
		"level name=l3 size=8M ways=16 line=32 latency=43 "
		"policy=random index=physical\n"
		"tlb level=1 page=4K entries=64 ways=32 policy=tree-plru\n"
		"walk cost=51 page=all\n"
		"place pages=contiguous thp=refused\n"
		"noise gaps=0.02 seen=yes\n", clock);
	ask(SEED_EDGE, text);
	made_sim_not_wrong(&sim, "cpu.l1d.size", 96 << 10, 0.125);
	made_sim_not_wrong(&sim, "cpu.l2.size", 400 << 10, 0.125);
	made_sim_not_wrong(&sim, "cpu.l3.size", 8 << 20, 0.125);
}

static void the_end_of_a_tlb_is_no_level(void **state)
{
	(void)state;
	ask_end_of_tlb("clock tsc_mhz=3700 step=5 read=78\n");
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict,
			 MP_ABSENT);
	made_sim_close(&sim);
	/* Two levels that lie two steps of the clock apart are timed singly. */
	ask_end_of_tlb("clock tsc_mhz=3700 step=3 read=78\n");
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict, MP_ABSENT);
	made_sim_close(&sim);
}

/* Four ways in pages that lie anywhere lose lines from less than half of their
 * 448 KiB on, and more of each hop than what the second level's edge adds. */
static void ask_hidden(const char *clock)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"machine name=a clock_mhz=1600 memory_latency=444\n%s"
		"level name=l1d size=28K ways=2 line=32 latency=3 "
		"policy=random\n"
		"level name=l2 size=240K ways=20 line=32 latency=11 "
		"index=physical inclusion=inclusive\n"
		"level name=l3 size=448K ways=4 line=32 latency=24 "
		"policy=tree-plru index=physical inclusion=inclusive\n"
		"tlb level=1 page=4K entries=48 ways=48 policy=fifo\n"
		"tlb level=2 page=4K entries=1536 ways=12 cost=6\n"
		"walk cost=19 page=all\n"
		"place pages=random thp=refused\n"
		"noise gaps=0.02 seen=no\n", clock);
	ask(SEED_HIDDEN, text);
	assert_int_equal(made_sim_fact(&sim, "cpu.l1d.size")->verdict,
			 MP_MEASURED);
	made_sim_not_wrong(&sim, "cpu.l2.size", 240 << 10, 0.125);
	made_sim_not_wrong(&sim, "cpu.l3.size", 448 << 10, 0.125);
}

static void an_edge_with_room_for_two_hides_one(void **state)
{
	(void)state;
	/* Memory is less than two steps of the clock away. */
	ask_hidden("clock tsc_mhz=24 step=4 read=61\n");
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_NOT_MEASURABLE);
	made_sim_close(&sim);
	/* Hops that are memory's are told, and the edge is theirs. */
	ask_hidden("clock tsc_mhz=24 step=1 read=61\n");
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_AT_LEAST);
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict, MP_ABSENT);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_levels_are_not_taken_for_one),
		cmocka_unit_test(the_end_of_a_tlb_is_no_level),
		cmocka_unit_test(an_edge_with_room_for_two_hides_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
