// SPDX-License-Identifier: GPL-2.0
/* Two levels in what looks like one edge, to clocks that time no single hop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "like_runs.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text)
{
	made_sim_open_quiet(&sim, text, 5);
	sim.view.caps |= MP_CAP_CORE_CLOCK;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* 64, 96 and 144 KiB at 5, 12 and 22 cycles, the outer two over pages that lie
 * anywhere: the mean rises from 5 to 22 as it would behind one level that throws out
 * any line. A few lines are left to the one between now and then. */
static void what_is_left_between_puts_an_edge_in_doubt(void **state)
{
	const struct mp_fact *size;

	(void)state;
	ask("machine name=a cpus=4 clock_mhz=2950 memory_latency=377\n"
	    "clock tsc_mhz=3600 step=28 read=46\n"
	    "place pages=random thp=refused huge=0\n"
	    "level name=l1d size=64K ways=4 line=128 latency=5 "
	    "policy=tree-plru\n"
	    "level name=l2 size=96K ways=8 line=128 latency=12 policy=fifo "
	    "index=physical\n"
	    "level name=l3 size=144K ways=4 line=128 latency=22 "
	    "policy=qlru_h11_m1_r1_u2 index=physical inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=64 ways=8\n"
	    "tlb level=2 page=4K entries=1536 ways=8 cost=12\nwalk cost=55\n"
	    "noise gaps=0.02 seen=no\n");
	size = made_sim_fact(&sim, "cpu.l1d.size");
	/* In doubt, the few lines tell where it ends; and the next is left so. */
	assert_int_equal(size->verdict, MP_MEASURED);
	assert_non_null(strstr(size->method, "timed each time that others"));
	assert_true(size->low <= 64 << 10 && size->high >= 64 << 10 &&
		    size->high < 96 << 10);
	assert_non_null(strstr(made_sim_fact(&sim, "cpu.l2.size")->reason, "it may be two"));
	made_sim_not_wrong(&sim, "cpu.l1d.size", 64 << 10, 0.125);
	made_sim_not_wrong(&sim, "cpu.l2.size", 96 << 10, 0.125);
	made_sim_not_wrong(&sim, "cpu.l3.size", 144 << 10, 0.125);
}

/* A level that does throw out any line, of four ways: a ring as long as it has put
 * out hardly all others, longer ones have. So they have where use spares a line. */
static void one_level_leaves_no_doubt_by_any_policy(void **state)
{
	static const char *const policy[] = {
		"random", "lru", "fifo", "tree-plru", "bit-plru", "nru",
		"srrip", "qlru_h00_m1_r0_u1", "qlru_h11_m1_r1_u2",
		"qlru_h21_m2_r0_u0_umo",
	};
	const uint32_t n = like_runs(sizeof(policy) / sizeof(policy[0]));

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		const struct mp_fact *fact;
		char text[1024];

		snprintf(text, sizeof(text),
			 "machine name=a clock_mhz=2050 memory_latency=400\n"
			 "clock tsc_mhz=4000 step=30 read=71\n"
			 "place pages=random thp=granted huge=0\n"
			 "level name=l1d size=8K ways=4 line=256 sector=128 "
			 "latency=4 policy=%s\n"
			 "level name=l2 size=45K ways=18 line=256 latency=11 "
			 "index=physical inclusion=inclusive\n"
			 "tlb level=1 page=4K entries=48 ways=48\n"
			 "tlb level=2 page=4K entries=2048 ways=8 cost=4\n"
			 "walk cost=50\nnoise gaps=0.02 seen=yes\n",
			 policy[i]);
		if (i)
			made_sim_close(&sim);
		ask(text);
		fact = made_sim_fact(&sim, "cpu.l1d.size");
		if (fact->verdict != MP_MEASURED || fact->value > 9 << 10 ||
		    fact->value < 7 << 10)
			fail_msg("%s: verdict %u, %g (%s)", policy[i],
				 fact->verdict, fact->value, fact->reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			what_is_left_between_puts_an_edge_in_doubt, end),
		cmocka_unit_test_teardown(one_level_leaves_no_doubt_by_any_policy, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
