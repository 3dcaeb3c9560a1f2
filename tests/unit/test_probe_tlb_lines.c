// SPDX-License-Identifier: GPL-2.0
/* Probe tlb on simulated machines whose caches lose lines of its rings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "sim_ask.h"

#define ARENA_BYTES (512u << 20)
#define HOPS_MAX 60000000u

#define MACHINE "machine name=a clock_mhz=2500 memory_latency=300\n"
#define CLOCK "clock tsc_mhz=2500 step=1 read=20\n"

static struct made_sim sim;

static const struct mp_probe *tlb(void)
{
	extern const struct mp_probe mp_probe_tlb;

	return &mp_probe_tlb;
}

static uint64_t arena_bytes = ARENA_BYTES;
static uint64_t seed = 1;

static void ask_with(const char *text, bool line_known)
{
	made_sim_open(&sim, text);
	if (strstr(text, "page=2M"))
		sim.view.caps |= MP_CAP_HUGE;
	sim.view.arena_max_bytes = arena_bytes;
	sim.view.seed = seed;
	if (!line_known)
		sim.facts.fact[0].verdict = MP_NOT_MEASURABLE;
	made_sim_ask(&sim, tlb());
	assert_true(sim.hops < HOPS_MAX);
}

static void ask(const char *text)
{
	ask_with(text, true);
}

static void is(const char *name, double value)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != MP_MEASURED ||
	    fact->value < value * 0.97 || fact->value > value * 1.03)
		fail_msg("%s: verdict %u, %g for %g: %s", name, fact->verdict,
			 fact->value, value, fact->reason);
}

/* As near as is called right. */
static void is_near(const char *name, double value)
{
	is(name, value);
	assert_true(fabs(made_sim_fact(&sim, name)->value - value) < 0.5);
}

static void ends(const char *name, uint32_t verdict)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != verdict)
		fail_msg("%s: verdict %u, %g: %s", name, fact->verdict,
			 fact->value, fact->reason);
}

/* 320 lines, each of two slots as they are tried. */
static void lines_of_a_cache_are_no_entries(void **state)
{
	(void)state;
	ask_with(MACHINE CLOCK "place pages=random thp=refused\n"
		 "level name=l1d size=40K ways=20 line=128 latency=4 policy=random\n"
		 "level name=l2 size=64K ways=8 line=128 latency=13 policy=srrip\n",
		 false);
	ends("cpu.dtlb.entries", MP_NOT_MEASURABLE);
	ends("cpu.dtlb.ways", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* Two sets of bit-PLRU keep part of a ring of 98 pages, which costs half. */
#define KEEPS "machine name=a clock_mhz=4850 memory_latency=489\n" \
	"place pages=random thp=refused\n" \
	"level name=l1d size=72K ways=12 line=32 latency=7 policy=qlru_h21_m2_r0_u0_umo\n" \
	"level name=l2 size=110720 ways=10 line=32 latency=25 policy=random\n" \
	"level name=l3 size=512K ways=8 line=128 latency=42\n" \
	"tlb level=1 page=4K entries=96 ways=48 policy=bit-plru\n" \
	"tlb level=2 page=4K entries=256 ways=8 cost=9\n" \
	"walk cost=56\n"

static void what_a_first_level_keeps_is_no_second_level(void **state)
{
	(void)state;
	ask(KEEPS "clock tsc_mhz=800 step=1 read=43\n");
	is("cpu.dtlb.entries", 96);
	ends("cpu.stlb.entries", MP_NOT_MEASURABLE);
	ends("cpu.stlb.hit-cost", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* Each of the hops that miss it takes as long, however few these are. */
static void what_a_first_level_keeps_is_no_part_of_a_hop(void **state)
{
	(void)state;
	ask(KEEPS "clock tsc_mhz=1800 step=1 read=43\n");
	is("cpu.dtlb.entries", 96);
	is("cpu.stlb.entries", 256);
	is("cpu.stlb.hit-cost", 9);
	is("cpu.walk.cost", 56);
	made_sim_close(&sim);
}

static void lines_that_collide_are_no_entries(void **state)
{
	(void)state;
	ask_with(MACHINE CLOCK "place pages=contiguous thp=refused\n"
		 "level name=l1d size=8K ways=2 line=256 latency=4 policy=srrip index=physical\n"
		 "level name=l2 size=16K ways=8 line=256 latency=8 policy=nru inclusion=inclusive\n"
		 "tlb level=1 page=4K entries=32 ways=32\nwalk cost=41\n",
		 false);
	ends("cpu.dtlb.entries", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* Far apart, its pages' lines have 64 places in the outermost level. */
static void few_sets_of_an_inclusive_cache_are_no_second_level(void **state)
{
	(void)state;
	ask(MACHINE CLOCK "place pages=random thp=refused\n"
	    "level name=l1d size=64K ways=4 latency=5\n"
	    "level name=l2 size=256K ways=4 latency=16 policy=fifo inclusion=inclusive\n"
	    "level name=l3 size=512K ways=4 line=256 latency=62 policy=tree-plru index=virtual inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=64 ways=64\nwalk cost=24\n");
	is("cpu.dtlb.entries", 64);
	ends("cpu.stlb.entries", MP_NOT_MEASURABLE);
	ends("cpu.walk.cost", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* Of pages far apart it holds as many lines as the first level has entries;
 * with more, each hop walks, or misses the cache, or both. */
static void a_cache_of_few_ways_adds_to_no_walk(void **state)
{
	const struct mp_fact *walk;

	(void)state;
	ask(MACHINE "clock tsc_mhz=2500 step=11 read=25\n"
	    "place pages=contiguous thp=refused\n"
	    "level name=l1d size=64K ways=2 latency=5\n"
	    "level name=l2 size=96K ways=12 latency=11\n"
	    "tlb level=1 page=4K entries=128 ways=128\n"
	    "tlb level=2 page=4K entries=1536 ways=12 cost=9\nwalk cost=31\n");
	is("cpu.dtlb.entries", 128);
	walk = made_sim_fact(&sim, "cpu.walk.cost");
	assert_true(walk->verdict != MP_MEASURED || walk->value < 32);
	ends("cpu.stlb.entries", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* Each line brings along the next one, and half as many are held. */
static void lines_that_come_unasked_hide_no_entries(void **state)
{
	(void)state;
	ask_with(MACHINE CLOCK "place pages=random thp=granted\n"
		 "level name=l1d size=16K ways=8 line=128 latency=4 policy=nru\n"
		 "level name=l2 size=25K ways=20 line=256 latency=16 policy=srrip\n"
		 "tlb level=1 page=4K entries=48 ways=48\n"
		 "tlb level=1 page=2M entries=32 ways=4\nwalk cost=28\n"
		 "prefetch kind=next into=l1d switch=no\n", false);
	is("cpu.dtlb.entries", 48);
	ends("cpu.stlb.entries", MP_ABSENT);
	is("cpu.walk.cost", 28);
	is("cpu.dtlb-2m.entries", 32);
	is("cpu.dtlb-2m.ways", 4);
	made_sim_close(&sim);
}

/* Some placements lose lines, some do not. */
static void pages_that_collide_by_chance_hide_no_entries(void **state)
{
	(void)state;
	ask(MACHINE CLOCK "place pages=random thp=refused\n"
	    "level name=l1d size=35K ways=16 latency=5 policy=tree-plru\n"
	    "level name=l2 size=128K ways=1 latency=22 inclusion=inclusive\n"
	    "level name=l3 size=352K ways=11 latency=54 inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=64 ways=32\n"
	    "tlb level=2 page=4K entries=1152 ways=6 cost=9\nwalk cost=22\n");
	is("cpu.dtlb.entries", 64);
	is("cpu.dtlb.ways", 32);
	made_sim_close(&sim);
}

#define CACHES \
	"level name=l1d size=32K ways=8 latency=4\n" \
	"level name=l2 size=256K ways=8 latency=14\n"

static void sets_that_are_no_power_of_two_are_counted(void **state)
{
	(void)state;
	ask(MACHINE CLOCK CACHES "place pages=random thp=refused\n"
	    "tlb level=1 page=4K entries=10 ways=5\n"
	    "tlb level=2 page=4K entries=1536 ways=8 cost=9\nwalk cost=39\n");
	is("cpu.dtlb.entries", 10);
	is("cpu.stlb.entries", 1536);
	is("cpu.stlb.ways", 8);
	is("cpu.walk.cost", 39);
	made_sim_close(&sim);
}

/* Far apart as a power of two, 20 pages fall on three sets, which hold 24. */
#define FEW_LINES "machine name=a cpus=4 clock_mhz=800 memory_latency=269\n" \
	"clock tsc_mhz=2700 step=1 read=65\n" \
	"place pages=random thp=refused huge=0\n" \
	"level name=l1d size=8K ways=4 line=128 latency=4 policy=lru index=virtual\n" \
	"tlb level=1 page=4K entries=10 ways=5\n"

static void sets_that_hold_all_pages_tried_are_not_absent(void **state)
{
	(void)state;
	ask(FEW_LINES "tlb level=2 page=4K entries=1536 ways=8 cost=7\n"
	    "walk cost=38\nnoise gaps=0.02 gap_us=2..400 seen=yes\n");
	is("cpu.dtlb.entries", 10);
	is("cpu.stlb.entries", 1536);
	is("cpu.stlb.ways", 8);
	is_near("cpu.stlb.hit-cost", 7);
	is("cpu.walk.cost", 38);
	made_sim_close(&sim);
}

/* Of 5 * 64 sets they fall on five, which hold 40. */
static void sets_of_a_larger_odd_number_are_not_absent(void **state)
{
	(void)state;
	ask(FEW_LINES "tlb level=2 page=4K entries=2560 ways=8 cost=7\n"
	    "walk cost=38\n");
	assert_int_not_equal(made_sim_fact(&sim, "cpu.stlb.entries")->verdict,
			     MP_ABSENT);
	made_sim_close(&sim);
}

static void few_pages_of_a_set_each_show_that_there_is_no_second(void **state)
{
	(void)state;
	ask(FEW_LINES "walk cost=38\n");
	is("cpu.dtlb.entries", 10);
	ends("cpu.stlb.entries", MP_ABSENT);
	is("cpu.walk.cost", 38);
	made_sim_close(&sim);
}

static void ways_fewer_than_the_first_level_hides_are_ruled_out(void **state)
{
	(void)state;
	ask(MACHINE CLOCK CACHES "place pages=random thp=refused\n"
	    "tlb level=1 page=4K entries=16 ways=2\n"
	    "tlb level=2 page=4K entries=768 ways=6 cost=6 policy=fifo\n"
	    "walk cost=25\n");
	is("cpu.stlb.entries", 768);
	is("cpu.stlb.ways", 6);
	made_sim_close(&sim);
}

/* Two pages too many in a set walk about twice as often as one: no bend. */
static void a_random_set_has_no_bend(void **state)
{
	(void)state;
	ask(MACHINE CLOCK CACHES "place pages=random thp=refused\n"
	    "tlb level=1 page=4K entries=32 ways=32\n"
	    "tlb level=2 page=4K entries=1536 ways=6 cost=8 policy=random\n"
	    "walk cost=29\n");
	is("cpu.stlb.entries", 1536);
	ends("cpu.stlb.ways", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

static void a_first_level_as_large_as_a_few_sets_hides_no_ways(void **state)
{
	(void)state;
	ask(MACHINE CLOCK CACHES "place pages=random thp=refused\n"
	    "tlb level=1 page=4K entries=32 ways=32\n"
	    "tlb level=2 page=4K entries=512 ways=4 cost=13\nwalk cost=48\n");
	is("cpu.stlb.entries", 512);
	is("cpu.stlb.ways", 4);
	is("cpu.stlb.hit-cost", 13);
	made_sim_close(&sim);
}

/* Prefetched lines hold those far apart to half the ways; those of pages an
 * odd number apart fall on all sets. */
static void pages_an_odd_number_apart_bear_entries_out(void **state)
{
	(void)state;
	ask(MACHINE CLOCK "place pages=random thp=refused\n"
	    "level name=l1d size=32K ways=2 latency=3 policy=tree-plru\n"
	    "level name=l2 size=60K ways=10 latency=15\n"
	    "level name=l3 size=320K ways=32 latency=53 policy=tree-plru slices=10\n"
	    "tlb level=1 page=4K entries=96 ways=96\n"
	    "tlb level=2 page=4K entries=256 ways=4 cost=9\nwalk cost=46\n"
	    "prefetch kind=next into=l1d switch=no\n");
	is("cpu.dtlb.entries", 96);
	is("cpu.dtlb.ways", 96);
	made_sim_close(&sim);
}

/* More pages than are tried by powers of two, and too few to move a set. */
static void reserved_pages_are_counted_to_the_last(void **state)
{
	(void)state;
	arena_bytes = 202u << 20;
	ask(MACHINE CLOCK CACHES "place pages=random thp=refused huge=101\n"
	    "tlb level=1 page=4K entries=32 ways=32\n"
	    "tlb level=1 page=2M entries=64 ways=16\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=9\n"
	    "tlb level=2 page=2M entries=1024 ways=8 cost=9\nwalk cost=37\n");
	arena_bytes = ARENA_BYTES;
	is("cpu.dtlb-2m.entries", 64);
	ends("cpu.dtlb-2m.ways", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* So does one of direct sets, where no hop is timed. */
static void a_ring_whose_lines_are_lost_is_no_second_cost(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5200 memory_latency=295\n"
	    "clock tsc_mhz=100 step=1 read=78\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=64K ways=2 latency=4\n"
	    "level name=l2 size=160K ways=20 latency=13\n"
	    "tlb level=1 page=4K entries=128 ways=16\nwalk cost=37\n");
	ends("cpu.stlb.hit-cost", MP_ABSENT);
	is_near("cpu.walk.cost", 37);
	made_sim_close(&sim);
}

/* Pages four apart have room for one line of each in sixteen sets of the
 * innermost cache: 64 of them in all, whatever the TLBs hold. */
static void lines_of_pages_far_apart_are_no_ways(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3600 memory_latency=125\n"
	    "clock tsc_mhz=1800 step=1 read=60\nplace pages=random\n"
	    "level name=l1d size=64K ways=4 line=256 latency=5 "
	    "policy=qlru_h00_m1_r0_u1\n"
	    "level name=l2 size=256K ways=1 line=256 latency=18\n"
	    "level name=l3 size=512K ways=2 line=256 latency=31 "
	    "policy=tree-plru inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=64 ways=32\n"
	    "tlb level=1 page=2M entries=64 ways=64\nwalk cost=26\n"
	    "noise gaps=0.02\n");
	is("cpu.dtlb.entries", 64);
	assert_int_not_equal(made_sim_fact(&sim, "cpu.stlb.entries")->verdict,
			     MP_MEASURED);
	assert_int_not_equal(made_sim_fact(&sim, "cpu.stlb.ways")->verdict,
			     MP_MEASURED);
	made_sim_close(&sim);
}

/* Of five or six pages a set of four loses as many, of seven all: as if those
 * were hits in a second level, and these walks. */
static void a_share_that_is_kept_for_a_while_is_no_second_level(void **state)
{
	(void)state;
	ask(MACHINE "clock tsc_mhz=2800 step=39 read=30\n" CACHES
	    "place pages=random thp=granted huge=0\n"
	    "tlb level=1 page=4K entries=64 ways=32\n"
	    "tlb level=1 page=2M entries=32 ways=4 policy=bit-plru\n"
	    "tlb level=2 page=4K entries=768 ways=4 cost=4 policy=tree-plru\n"
	    "tlb level=2 page=2M entries=128 ways=8 cost=4\nwalk cost=27\n");
	is("cpu.dtlb-2m.entries", 32);
	is("cpu.stlb.entries", 768);
	is("cpu.stlb.hit-cost", 4);
	ends("cpu.stlb-2m.entries", MP_NOT_MEASURABLE);
	ends("cpu.stlb-2m.ways", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* Few lines, which pages crowd by chance: of few replicates one or another is
 * far off, but none of them is as quick as a hit in a second level. */
static void replicates_far_apart_are_no_proof_of_one_cost(void **state)
{
	uint32_t measured = 0;

	(void)state;
	for (seed = 1; seed <= 8; seed++) {
		ask_with(MACHINE "clock tsc_mhz=1000 step=1 read=10\n"
			 "place pages=random thp=granted huge=0\n"
			 "level name=l1d size=8832 ways=4 line=32 latency=4 "
			 "policy=bit-plru index=physical\n"
			 "tlb level=1 page=4K entries=64 ways=16\n"
			 "tlb level=2 page=4K entries=1536 ways=12 cost=6\n"
			 "walk cost=17\nnoise gaps=0.02\n", false);
		is("cpu.dtlb.entries", 64);
		if (made_sim_fact(&sim, "cpu.stlb.entries")->verdict !=
		    MP_NOT_MEASURABLE) {
			is("cpu.stlb.entries", 1536);
			measured++;
		}
		made_sim_close(&sim);
	}
	seed = 1;
	assert_true(measured > 1);
}

/* Lines that a direct-mapped level puts out of all come from memory, which
 * takes much longer than a walk. */
static void what_comes_from_memory_is_no_walk(void **state)
{
	uint32_t measured = 0;

	(void)state;
	for (seed = 1; seed <= 24; seed++) {
		ask(MACHINE CLOCK "place pages=random thp=refused huge=0\n"
		    "level name=l1d size=23296 ways=26 latency=4 "
		    "policy=qlru_h00_m1_r0_u1\n"
		    "level name=l2 size=128K ways=8 latency=9 "
		    "policy=bit-plru index=physical\n"
		    "level name=l3 size=192K ways=1 latency=22 "
		    "index=physical inclusion=inclusive slices=4\n"
		    "tlb level=1 page=4K entries=64 ways=64 policy=fifo\n"
		    "tlb level=2 page=4K entries=2048 ways=8 cost=6\n"
		    "walk cost=50\n");
		if (made_sim_fact(&sim, "cpu.stlb.entries")->verdict !=
		    MP_NOT_MEASURABLE) {
			is("cpu.stlb.entries", 2048);
			assert_true(made_sim_fact(&sim, "cpu.stlb.entries")
				    ->value == 2048);
			measured++;
		}
		made_sim_close(&sim);
	}
	seed = 1;
	assert_true(measured > 1);
}

/* A next-line prefetcher brings a line for each: half of the innermost cache is
 * left. Packed ones bring one another, and all of them fit. */
static void lines_that_are_fetched_along_are_no_entries(void **state)
{
	(void)state;
	for (uint32_t known = 0; known < 2; known++) {
		ask_with("machine name=a clock_mhz=5100 memory_latency=292\n"
			 "clock tsc_mhz=3300 step=1 read=14\n"
			 "level name=l1d size=8K ways=16 line=256 latency=3 "
			 "policy=fifo\n"
			 "level name=l2 size=72K ways=16 line=256 latency=9\n"
			 "tlb level=1 page=4K entries=64 ways=64 policy=random\n"
			 "tlb level=2 page=4K entries=512 ways=8 cost=10\n"
			 "walk cost=24\nplace thp=refused\n"
			 "prefetch kind=next into=l1d switch=no\n", known);
		ends("cpu.dtlb.entries", MP_NOT_MEASURABLE);
		made_sim_close(&sim);
	}
}

/* Of a set of bit-PLRU with some pages too many a few stay: the second level
 * is not asked for them, and its sets walk as if they had fewer. */
static void pages_that_the_first_level_keeps_make_no_bend(void **state)
{
	static const char machine[] =
		"machine name=a clock_mhz=3550 memory_latency=356\n"
		"clock tsc_mhz=3400 step=1 read=51\nplace thp=refused\n"
		"level name=l1d size=%s ways=%u latency=4\n"
		"level name=l2 size=512K ways=16 latency=17\n"
		"tlb level=1 page=4K entries=%u ways=%u policy=bit-plru\n"
		"tlb level=2 page=4K entries=%u ways=%u cost=14 policy=%s\n"
		"walk cost=38\n";
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text), machine, "64K", 8, 48, 12, 256, 4, "lru");
	ask(text);
	is("cpu.stlb.entries", 256);
	ends("cpu.stlb.ways", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
	snprintf(text, sizeof(text), machine, "176K", 11, 72, 72, 512, 8,
		 "bit-plru");
	ask(text);
	is("cpu.stlb.entries", 512);
	ends("cpu.stlb.ways", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* It keeps as many more of a ring with one page too many as make up for what
 * that one costs, by means: its walks are there, however. */
static void what_a_first_level_keeps_hides_no_walk(void **state)
{
	(void)state;
	ask(MACHINE "clock tsc_mhz=2800 step=1 read=36\n"
	    "place pages=random thp=refused\nnoise gaps=0.02\n"
	    "level name=l1d size=48K ways=12 latency=5 policy=bit-plru\n"
	    "tlb level=1 page=4K entries=96 ways=96 policy=qlru_h00_m1_r0_u1\n"
	    "tlb level=2 page=4K entries=1024 ways=4 cost=14\nwalk cost=49\n");
	is("cpu.dtlb.entries", 96);
	is("cpu.stlb.entries", 1024);
	is("cpu.stlb.hit-cost", 14);
	is("cpu.walk.cost", 49);
	made_sim_close(&sim);
}

/* Two skews collide where a cache has one way; half a page apart they do not. */
static void twins_beside_one_another_are_held_by_one_way(void **state)
{
	(void)state;
	ask(MACHINE CLOCK "place pages=contiguous thp=refused\n"
	    "level name=l1d size=32K ways=1 latency=3\n"
	    "level name=l2 size=512K ways=16 latency=11\n"
	    "tlb level=1 page=4K entries=48 ways=12 policy=random\n"
	    "tlb level=2 page=4K entries=2048 ways=8 cost=14\nwalk cost=43\n");
	is("cpu.dtlb.entries", 48);
	is("cpu.stlb.entries", 2048);
	is("cpu.stlb.hit-cost", 14);
	is("cpu.walk.cost", 43);
	made_sim_close(&sim);
	ask(MACHINE CLOCK "place pages=random thp=refused\n"
	    "level name=l1d size=16K ways=1 latency=3\n"
	    "tlb level=1 page=4K entries=32 ways=32\n"
	    "tlb level=2 page=4K entries=4096 ways=16 cost=13\nwalk cost=44\n");
	is("cpu.dtlb.entries", 32);
	made_sim_close(&sim);
}

/* Its one way loses lines of some placements, which takes longer than a hit as
 * well: where hops walk is told by what a walk costs. */
static void lines_that_are_lost_are_no_walks(void **state)
{
	(void)state;
	for (seed = 1; seed <= 2; seed++) {
		ask(MACHINE CLOCK "place pages=random thp=refused\n"
		    "level name=l1d size=24K ways=1 line=256 latency=3 index=physical\n"
		    "level name=l2 size=64K ways=4 line=256 latency=7 index=physical\n"
		    "tlb level=1 page=4K entries=16 ways=4\n"
		    "tlb level=2 page=4K entries=512 ways=8 cost=11\nwalk cost=33\n");
		is("cpu.stlb.entries", 512);
		is("cpu.walk.cost", 33);
		made_sim_close(&sim);
	}
	seed = 1;
}

/* A page too many makes half of a set walk, and another one all of it, as if
 * there were twice as many sets of half the ways. */
static void sets_that_lose_half_of_their_pages_make_no_bend(void **state)
{
	(void)state;
	ask(MACHINE CLOCK CACHES "place pages=random thp=refused\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=2 page=4K entries=768 ways=6 cost=9 policy=qlru_h00_m1_r2_u1\n"
	    "walk cost=30\n");
	is("cpu.stlb.entries", 768);
	ends("cpu.stlb.ways", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* Of 13 pages on two sets of six ways the first level, which keeps what it has,
 * keeps so many that the others fit: these are not 24 ways. */
static void pages_that_the_first_keeps_are_no_ways_of_the_second(void **state)
{
	const struct mp_fact *ways;

	(void)state;
	ask("machine name=a clock_mhz=4250 memory_latency=138\n"
	    "clock tsc_mhz=3500 step=1 read=88\n"
	    "level name=l1d size=32K ways=8 latency=4 policy=bit-plru\n"
	    "level name=l2 size=256K ways=16 latency=10 index=physical\n"
	    "tlb level=1 page=4K entries=10 ways=10 policy=qlru_h00_m1_r2_u1\n"
	    "tlb level=2 page=4K entries=768 ways=6 cost=14\n"
	    "walk cost=37 page=all\nplace pages=random thp=refused\n");
	is("cpu.stlb.entries", 768);
	ways = made_sim_fact(&sim, "cpu.stlb.ways");
	assert_true(ways->verdict != MP_MEASURED || ways->value == 6);
	made_sim_close(&sim);
}

/* Four cycles more, to a clock of three: no hop is slow enough to tell. */
static void hits_that_no_single_hop_shows_are_found_by_means(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5350 memory_latency=130\n"
	    "clock tsc_mhz=1800 step=1 read=77\n"
	    "level name=l1d size=32K ways=8 latency=3 policy=tree-plru\n"
	    "level name=l2 size=480K ways=12 latency=13 policy=srrip "
	    "index=physical\n"
	    "tlb level=1 page=4K entries=32 ways=16\n"
	    "tlb level=2 page=4K entries=512 ways=4 cost=4 "
	    "policy=qlru_h11_m1_r0_u0\n"
	    "walk cost=19 page=all\nplace pages=random thp=refused\n");
	is("cpu.dtlb.entries", 32);
	is("cpu.stlb.entries", 512);
	is_near("cpu.stlb.hit-cost", 4);
	is_near("cpu.walk.cost", 19);
	made_sim_close(&sim);
}

/* Lines that the second level loses, and the first with it, are found in the
 * third: that takes six cycles less than a walk. */
static void lines_that_the_next_level_has_are_no_walks(void **state)
{
	static const uint64_t seeds[] = { 1, 7, 700114 };

	(void)state;
	for (uint32_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		struct sim_ask ask = { .quiet = MP_WISH_PREFETCH_OFF };
		const struct mp_fact *fact;

		sim_ask_know(&ask, "cpu.l1d.line", 64);
		sim_ask(&ask, "machine name=a clock_mhz=900 memory_latency=308\n"
			"clock tsc_mhz=3700 step=1 read=78\n"
			"level name=l1d size=24K ways=32 latency=4\n"
			"level name=l2 size=64K ways=2 latency=7 "
			"policy=qlru_h11_m1_r1_u2 inclusion=inclusive\n"
			"level name=l3 size=352K ways=2 latency=22 "
			"policy=tree-plru inclusion=inclusive\n"
			"tlb level=1 page=4K entries=64 ways=4\n"
			"tlb level=2 page=4K entries=768 ways=6 cost=13\n"
			"walk cost=37\nplace pages=random\n", tlb(), seeds[i]);
		fact = sim_ask_fact(&ask, "cpu.stlb.entries");
		if (fact->verdict != MP_MEASURED || fact->value != 768)
			fail_msg("seed %u: verdict %u, %g: %s",
				 (unsigned int)seeds[i], fact->verdict,
				 fact->value, fact->reason);
		sim_ask_free(&ask);
	}
}

/* A direct-mapped level that includes the others loses lines of the ring beyond 48
 * pages, which costs more than any translation: 348 cycles, and 51 of more pages. */
static void what_is_dear_at_first_alone_is_no_walk(void **state)
{
	(void)state;
	seed = 3;
	ask("machine name=a clock_mhz=4700 memory_latency=223\n"
	    "clock tsc_mhz=3300 step=1 read=35\n"
	    "place pages=random thp=granted huge=0\n"
	    "level name=l1d size=16K ways=2 latency=3 policy=srrip\n"
	    "level name=l2 size=64K ways=16 line=128 sector=64 latency=13 "
	    "policy=random index=physical\n"
	    "level name=l3 size=192K ways=32 line=128 latency=33 "
	    "policy=bit-plru index=physical slices=4\n"
	    "level name=l4 size=361600 ways=1 line=128 latency=90 "
	    "index=physical inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=48 ways=48 policy=qlru_h00_m1_r2_u1\n"
	    "tlb level=2 page=4K entries=1536 ways=12 cost=10\n"
	    "walk cost=51\nnoise gaps=0.02 seen=no\n");
	seed = 1;
	ends("cpu.stlb.entries", MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_dear_at_first_alone_is_no_walk),
		cmocka_unit_test(lines_that_the_next_level_has_are_no_walks),
		cmocka_unit_test(lines_of_a_cache_are_no_entries),
		cmocka_unit_test(what_a_first_level_keeps_is_no_second_level),
		cmocka_unit_test(what_a_first_level_keeps_is_no_part_of_a_hop),
		cmocka_unit_test(lines_that_collide_are_no_entries),
		cmocka_unit_test(few_sets_of_an_inclusive_cache_are_no_second_level),
		cmocka_unit_test(a_cache_of_few_ways_adds_to_no_walk),
		cmocka_unit_test(lines_that_come_unasked_hide_no_entries),
		cmocka_unit_test(pages_that_collide_by_chance_hide_no_entries),
		cmocka_unit_test(sets_that_are_no_power_of_two_are_counted),
		cmocka_unit_test(sets_that_hold_all_pages_tried_are_not_absent),
		cmocka_unit_test(sets_of_a_larger_odd_number_are_not_absent),
		cmocka_unit_test(few_pages_of_a_set_each_show_that_there_is_no_second),
		cmocka_unit_test(ways_fewer_than_the_first_level_hides_are_ruled_out),
		cmocka_unit_test(a_random_set_has_no_bend),
		cmocka_unit_test(a_first_level_as_large_as_a_few_sets_hides_no_ways),
		cmocka_unit_test(pages_an_odd_number_apart_bear_entries_out),
		cmocka_unit_test(reserved_pages_are_counted_to_the_last),
		cmocka_unit_test(a_ring_whose_lines_are_lost_is_no_second_cost),
		cmocka_unit_test(lines_of_pages_far_apart_are_no_ways),
		cmocka_unit_test(a_share_that_is_kept_for_a_while_is_no_second_level),
		cmocka_unit_test(replicates_far_apart_are_no_proof_of_one_cost),
		cmocka_unit_test(what_comes_from_memory_is_no_walk),
		cmocka_unit_test(lines_that_are_fetched_along_are_no_entries),
		cmocka_unit_test(pages_that_the_first_level_keeps_make_no_bend),
		cmocka_unit_test(what_a_first_level_keeps_hides_no_walk),
		cmocka_unit_test(twins_beside_one_another_are_held_by_one_way),
		cmocka_unit_test(lines_that_are_lost_are_no_walks),
		cmocka_unit_test(sets_that_lose_half_of_their_pages_make_no_bend),
		cmocka_unit_test(pages_that_the_first_keeps_are_no_ways_of_the_second),
		cmocka_unit_test(hits_that_no_single_hop_shows_are_found_by_means),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
