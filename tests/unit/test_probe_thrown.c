// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose pages lie anywhere: a right answer, or none, wherever
 * they do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "like_runs.h"
#include "made_sim.h"

static struct made_sim sim;

/* What is said of a level's size, by how pages fall with a seed. */
static void not_wrong(const char *text, uint64_t seed, const char *name,
		      double size)
{
	made_sim_open_quiet(&sim, text, seed);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_not_wrong(&sim, name, size, 0.125);
	made_sim_close(&sim);
}

/* No shape spreads as an LRU level does behind one that keeps old lines; by the
 * mean alone it looks like one of few ways that pages fill evenly. */
static void what_differs_from_throw_to_throw_is_not_filled_evenly(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= like_runs(8); seed++)
		not_wrong("machine name=a clock_mhz=2350 memory_latency=127\n"
		    "clock tsc_mhz=3400 step=1 read=78\n"
		    "place pages=random thp=refused\n"
		    "level name=l1d size=96K ways=4 latency=7 "
		    "policy=qlru_h00_m1_r0_u1\n"
		    "level name=l2 size=192K ways=12 latency=27 index=physical\n"
		    "tlb level=1 page=4K entries=32 ways=32 policy=srrip\n"
		    "walk cost=45 page=all\nnoise gaps=0.02 seen=yes\n",
		    seed, "cpu.l2.size", 192 * 1024);
}

/* They crowd the only way of a level, which shows an edge at 100 KiB of 144 for
 * that. A crowd that is three times as large does not fill it. */
static void a_crowd_too_small_sets_no_upper_limit(void **state)
{
	static const uint64_t seeds[] = { 1, 12, 18, 410002 };

	(void)state;
	for (uint32_t i = 0; i < like_runs(sizeof(seeds) / sizeof(seeds[0])); i++)
		not_wrong("machine name=a clock_mhz=4400 memory_latency=137\n"
		    "clock tsc_mhz=3100 step=1 read=90\n"
		    "place pages=random thp=refused\n"
		    "level name=l1d size=80K ways=32 latency=7 policy=nru\n"
		    "level name=l2 size=144K ways=1 latency=24 index=physical "
		    "inclusion=exclusive\n"
		    "level name=l3 size=384K ways=12 line=256 latency=68 "
		    "policy=srrip\n"
		    "tlb level=1 page=4K entries=10 ways=10\n"
		    "tlb level=2 page=4K entries=1024 ways=8 cost=6\n"
		    "walk cost=21 page=all\nnoise gaps=0.02 seen=yes\n",
		    seeds[i], "cpu.l2.size", 144 * 1024);
}

/* Of the only way of a level the first sets are crowded by rings that the levels
 * inside still hold: where it is seen to miss it looks like 57 KiB of 96. */
static void misses_that_are_served_inside_make_no_level_smaller(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= like_runs(3); seed++)
		not_wrong("machine name=a clock_mhz=3150 memory_latency=153\n"
		    "clock tsc_mhz=3600 step=1 read=56\n"
		    "place pages=random thp=refused\n"
		    "level name=l1d size=12K ways=6 line=32 latency=3 policy=nru "
		    "index=virtual\n"
		    "level name=l2 size=27K ways=12 line=32 latency=12 "
		    "index=physical inclusion=exclusive\n"
		    "level name=l3 size=96K ways=1 line=32 latency=24 "
		    "index=physical\n"
		    "tlb level=1 page=4K entries=32 ways=32\n"
		    "walk cost=46 page=all\nnoise gaps=0.02 seen=no\n",
		    seed, "cpu.l3.size", 96 * 1024);
}

/* A prefetcher that stays on finds a few lines of a page as far apart as others,
 * and brings the next; of an exclusive level that is counted, not much may be. */
static void what_is_fetched_now_and_then_is_no_room(void **state)
{
	static const uint64_t seeds[] = { 3, 5 };

	(void)state;
	for (uint32_t i = 0; i < like_runs(sizeof(seeds) / sizeof(seeds[0])); i++)
		not_wrong("machine name=a clock_mhz=3750 memory_latency=209\n"
		    "clock tsc_mhz=1800 step=1 read=33\n"
		    "place pages=random thp=refused\n"
		    "level name=l1d size=64K ways=32 latency=5 policy=random\n"
		    "level name=l2 size=384K ways=8 latency=22 policy=fifo "
		    "index=physical inclusion=exclusive\n"
		    "tlb level=1 page=4K entries=64 ways=64\n"
		    "tlb level=2 page=4K entries=1024 ways=8 cost=7\n"
		    "prefetch kind=adjacent into=l2 switch=no\n"
		    "prefetch kind=stride into=l2 switch=no\n"
		    "noise gaps=0.02 seen=no\n", seeds[i], "cpu.l2.size",
		    384 * 1024);
}

/* An inclusive level holds all that is found in it and inside: a crowd of which
 * more is found than its edge says fits speaks against that, however close the
 * edge's limits lie. Pages of two colours crowd the sets of this one, and its
 * edge looked like that of 76 KiB in 64 random ways. */
static void what_is_found_in_a_level_fits_it(void **state)
{
	static const uint64_t seeds[] = { 8, 11 };

	(void)state;
	for (uint32_t i = 0; i < like_runs(2); i++)
		not_wrong("machine name=a clock_mhz=2950 memory_latency=263\n"
		    "clock tsc_mhz=3900 step=1 read=86\n"
		    "place pages=random thp=refused\n"
		    "level name=l1d size=48K ways=24 latency=5 "
		    "policy=qlru_h11_m1_r0_u0\n"
		    "level name=l2 size=104K ways=13 latency=22 index=physical "
		    "inclusion=inclusive\n"
		    "level name=l3 size=300K ways=12 latency=53 policy=nru "
		    "index=physical inclusion=inclusive slices=10\n"
		    "tlb level=1 page=4K entries=32 ways=32\n"
		    "walk cost=19 page=all\n"
		    "prefetch kind=stride into=l1d switch=no\n"
		    "noise gaps=0.02 gap_us=2..400 seen=yes\n",
		    seeds[i], "cpu.l2.size", 104 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_found_in_a_level_fits_it),
		cmocka_unit_test(what_differs_from_throw_to_throw_is_not_filled_evenly),
		cmocka_unit_test(a_crowd_too_small_sets_no_upper_limit),
		cmocka_unit_test(what_is_fetched_now_and_then_is_no_room),
		cmocka_unit_test(misses_that_are_served_inside_make_no_level_smaller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
