// SPDX-License-Identifier: GPL-2.0
/* Probe policy where lines are not put out by the set that is asked about: they do
 * not meet there, or a level further out took them along. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

static struct made_sim sim;

static void ask(const char *text, uint64_t seed)
{
	static const char *const probes[] = {
		"line-l1d", "cache-size", "line", "latency", "dram", "ways",
		"policy",
	};

	made_sim_open_quiet(&sim, text, seed);
	sim.view.caps |= MP_CAP_CORE_CLOCK;
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		made_sim_ask(&sim, mp_probe_find(probes[i]));
}

/* 417 KiB, but its size, measured to an eighth, is nearer to 16 times 24 KiB: so
 * far apart no line drives another out, which first in, first out explained. */
static void lines_that_do_not_meet_show_no_policy(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask("machine name=a clock_mhz=4350 memory_latency=344\n"
	    "level name=l1d size=64K ways=16 line=32 latency=4 "
	    "policy=random\n"
	    "level name=l2 size=417K ways=16 line=32 latency=18 "
	    "policy=tree-plru index=physical inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=10 ways=5\n"
	    "tlb level=2 page=4K entries=2048 ways=8 cost=8\n"
	    "walk cost=20 page=all\n"
	    "place pages=contiguous thp=granted\n"
	    "clock tsc_mhz=2600 step=1 read=27\nnoise gaps=0.02\n", 1);
	fact = made_sim_fact(&sim, "cpu.l2.policy");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact->reason, "do not drive one another out"));
	made_sim_close(&sim);
}

/* Lines of a set of the first level fall on six of the second, of four ways each,
 * which includes them: 22 that are looked at have room, but not beside the 16 that
 * went before. Quad ages explained what that did better than the first level's own
 * policy. */
static void what_a_level_further_out_chose_shows_no_policy(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask("machine name=a cpus=2 clock_mhz=4800 memory_latency=142\n"
	    "level name=l1d size=64K ways=16 line=32 latency=4 policy=srrip\n"
	    "level name=l2 size=96K ways=4 line=32 latency=12 policy=lru "
	    "index=physical inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=48 ways=6\n"
	    "tlb level=2 page=4K entries=1536 ways=12 cost=9\n"
	    "walk cost=34 page=all\nplace pages=random thp=granted huge=16\n"
	    "clock tsc_mhz=3100 step=1 read=58\n"
	    "noise gaps=0.02 seen=no\n", 700147);
	fact = made_sim_fact(&sim, "cpu.l1d.policy");
	if (fact->verdict == MP_MEASURED)
		assert_string_equal(fact->text, "srrip");
	else
		assert_non_null(strstr(fact->reason, "another policy nearly as well"));
	made_sim_close(&sim);
}

/* Lines of 32 ways, any of which may go, stayed more often than in a set that is
 * full of others when each burst begins: quad ages explained that better. */
static void random_sets_that_nobody_else_comes_to_are_known(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask("machine name=a cpus=4 clock_mhz=2200 memory_latency=378\n"
	    "level name=l1d size=23K ways=23 line=128 latency=3 policy=random\n"
	    "level name=l2 size=704K ways=32 line=128 latency=8 policy=random "
	    "index=physical\n"
	    "level name=l3 size=7680K ways=20 line=128 latency=15 "
	    "policy=qlru_h11_m1_r0_u0 index=physical inclusion=inclusive slices=3\n"
	    "tlb level=1 page=4K entries=32 ways=16\n"
	    "tlb level=1 page=2M entries=32 ways=32 policy=tree-plru\n"
	    "walk cost=56 page=all\nplace pages=random thp=granted huge=33\n"
	    "clock tsc_mhz=2200 step=1 read=38\nnoise gaps=0.02\n", 700184);
	fact = made_sim_fact(&sim, "cpu.l2.policy");
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_string_equal(fact->text, "random");
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_do_not_meet_show_no_policy),
		cmocka_unit_test(random_sets_that_nobody_else_comes_to_are_known),
		cmocka_unit_test(what_a_level_further_out_chose_shows_no_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
