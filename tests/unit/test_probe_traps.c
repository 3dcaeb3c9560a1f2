// SPDX-License-Identifier: GPL-2.0
/* Simulated machines that have drawn wrong answers: a right one, or none. */
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

#define ARENA_BYTES (64u << 20)
#define SEED_BLURRED 2u

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text, const char *last)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	if (last)
		made_sim_ask(&sim, mp_probe_find(last));
}

/* The line of the first level is not known; the usual one is half of it. */
static void ask_latencies_by_half_lines(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.facts.fact[0].verdict = MP_NOT_MEASURABLE;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("latency"));
}

static void measured(const char *name, double value, double share)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != MP_MEASURED ||
	    fabs(fact->value / value - 1) > share)
		fail_msg("%s: verdict %u, %g for %g (%s)", name,
			 fact->verdict, fact->value, value, fact->reason);
}

static void not_wrong(const char *name, double value, double share)
{
	made_sim_not_wrong(&sim, name, value, share);
}

/* Two ways, hashed over slices of 3 * 2^n sets: an edge as of 24 ways. */
static void a_hash_over_two_ways_is_not_taken_for_chance(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5450 memory_latency=367\n"
	    "clock tsc_mhz=3700 step=1 read=61\n"
	    "place pages=contiguous thp=refused huge=70\n"
	    "level name=l1d size=40K ways=10 sector=32 latency=5 policy=nru\n"
	    "level name=l2 size=128K ways=32 latency=12 policy=tree-plru\n"
	    "level name=l3 size=192K ways=2 line=256 latency=48 policy=fifo "
	    "slices=2\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=1 page=2M entries=16 ways=16\n"
	    "tlb level=2 page=4K entries=1024 ways=4 cost=13 policy=srrip\n"
	    "tlb level=2 page=2M entries=1024 ways=4 cost=13 "
	    "policy=tree-plru\nwalk cost=57\n"
	    "prefetch kind=stride into=l2\n"
	    "noise gaps=0.02 seen=no\n", NULL);
	not_wrong("cpu.l3.size", 192 * 1024, 0.125);
}

/* Slots of long lines are few to a page, and pages cost 12 cycles each. */
static void translation_of_long_lines_is_no_latency(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5300 memory_latency=192\n"
	    "clock tsc_mhz=1500 step=1 read=70\n"
	    "level name=l1d size=12K ways=8 line=256 latency=4\n"
	    "level name=l2 size=128K ways=32 line=256 latency=7 policy=fifo\n"
	    "level name=l3 size=480K ways=30 line=256 latency=18 "
	    "policy=random inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=48 ways=3 policy=nru\n"
	    "tlb level=2 page=4K entries=384 ways=12 cost=12\n"
	    "walk cost=52\n", "latency");
	not_wrong("cpu.l3.latency-cycles", 18, 0.5 / 18);
	not_wrong("cpu.l2.latency-cycles", 7, 0.5 / 7);
}

/* Exclusive behind exclusive: no round number far off the middle. */
static void what_is_left_of_two_levels_is_not_rounded_far(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2900 memory_latency=338\n"
	    "clock tsc_mhz=3300 step=1 read=35\n"
	    "level name=l1d size=16K ways=4 latency=4 policy=bit-plru\n"
	    "level name=l2 size=56K ways=8 latency=16 policy=nru "
	    "inclusion=exclusive\n"
	    "level name=l3 size=368K ways=23 latency=35 "
	    "policy=qlru_h11_m1_r1_u2 inclusion=exclusive\n", NULL);
	not_wrong("cpu.l3.size", 368 * 1024, 0.125);
}

/* 41 * 8 sets: pages begin anywhere in them. */
static void scattered_pages_on_odd_sets_are_not_fitted_too_well(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3050 memory_latency=150\n"
	    "clock tsc_mhz=2100 step=1 read=44\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=48K ways=8 latency=5 policy=tree-plru\n"
	    "level name=l2 size=164K ways=8 latency=18 inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=64 ways=32\n"
	    "tlb level=2 page=4K entries=384 ways=6 cost=5\n"
	    "walk cost=49\nnoise gaps=0.02\n", NULL);
	not_wrong("cpu.l2.size", 164 * 1024, 0.125);
}

/* Two slots of the chase that is held against single hops share lines. */
static void slots_that_share_lines_dispute_nothing(void **state)
{
	(void)state;
	ask_latencies_by_half_lines(
		"machine name=a clock_mhz=3400 memory_latency=300\n"
		"clock tsc_mhz=3400 step=1 read=24\n"
		"place pages=random thp=granted\n"
		"level name=l1d size=72K ways=8 line=256 latency=7\n"
		"level name=l2 size=192K ways=32 line=256 latency=17\n"
		"level name=l3 size=512K ways=16 line=256 latency=41\n");
	measured("cpu.l2.latency-cycles", 17, 0.02);
	measured("cpu.l3.latency-cycles", 41, 0.02);
}

/* As 226 KiB in 11 ways would be whose pages begin anywhere. */
static void a_policy_that_spreads_less_makes_no_odd_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2550 memory_latency=470\n"
	    "clock tsc_mhz=3200 step=1 read=47\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=27K ways=3 line=128 latency=4\n"
	    "level name=l2 size=192K ways=12 line=256 latency=7 "
	    "policy=qlru_h00_m1_r2_u1\n"
	    "tlb level=1 page=4K entries=96 ways=96\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=6 policy=nru\n"
	    "walk cost=37\nnoise gaps=0.02\n", NULL);
	not_wrong("cpu.l2.size", 192 * 1024, 0.125);
}

/* Eight loads a page: what a walk adds to each is more than latencies may be
 * off, and huge pages pay none. */
static void huge_pages_pay_no_walk_that_small_ones_pay(void **state)
{
	(void)state;
	ask("machine name=a cpus=2 clock_mhz=1250 memory_latency=136\n"
	    "clock tsc_mhz=2000 step=6 read=40\n"
	    "place pages=random thp=granted huge=46\n"
	    "level name=l1d size=80K ways=16 latency=6 "
	    "policy=qlru_h11_m1_r0_u0 index=virtual\n"
	    "level name=l2 size=120K ways=20 line=128 latency=19 "
	    "policy=qlru_h00_m1_r2_u1\n"
	    "level name=l3 size=448K ways=7 line=128 latency=61 policy=nru "
	    "inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=1 page=2M entries=32 ways=32\n"
	    "tlb level=2 page=4K entries=384 ways=12 cost=14\n"
	    "tlb level=2 page=2M entries=128 ways=8 cost=14\n"
	    "walk cost=46 page=all\n"
	    "noise gaps=0.02 gap_us=2..400 seen=yes\n", "dram");
	measured("cpu.dram.latency", 108.8, 0.005);
}

/* Steps of 1.3 cycles, levels of 3 and 6: hits of the first are not in the
 * mean of the second. */
static void hits_inside_are_no_part_of_a_latency(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3950 memory_latency=177\n"
	    "clock tsc_mhz=3000 step=1 read=36\n"
	    "place pages=contiguous thp=granted huge=175\n"
	    "level name=l1d size=20K ways=20 line=128 sector=64 latency=3 "
	    "policy=random\n"
	    "level name=l2 size=32K ways=8 line=256 latency=6 "
	    "policy=qlru_h21_m2_r0_u0_umo\n"
	    "tlb level=1 page=4K entries=64 ways=4\n"
	    "tlb level=1 page=2M entries=32 ways=2\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=8 "
	    "policy=tree-plru\n"
	    "tlb level=2 page=2M entries=1024 ways=8 cost=8\n"
	    "walk cost=43\nnoise gaps=0.02\n", "latency");
	measured("cpu.l1d.latency-cycles", 3, 0.02);
	measured("cpu.l2.latency-cycles", 6, 0.02);
}

/* Lines that put others out are no stride: what a prefetcher makes of one puts
 * lines of the test out as well. */
static void what_is_fetched_ahead_is_no_line_too_many(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4750 memory_latency=415\n"
	    "clock tsc_mhz=3600 step=1 read=12\n"
	    "place pages=random thp=granted huge=0\n"
	    "level name=l1d size=15K ways=30 latency=4 "
	    "policy=qlru_h11_m1_r0_u0 index=physical\n"
	    "level name=l2 size=32K ways=4 latency=20 policy=nru "
	    "index=physical inclusion=inclusive\n"
	    "level name=l3 size=48K ways=6 latency=50 index=physical "
	    "inclusion=exclusive\n"
	    "prefetch kind=adjacent into=l2 switch=yes\n"
	    "prefetch kind=stride into=l2 switch=no\n"
	    "prefetch kind=stream into=l2 switch=yes\n"
	    "noise gaps=0.02\n", "latency");
	made_sim_ask(&sim, mp_probe_find("dram"));
	sim.view.caps |= MP_CAP_SEQUENCE;
	made_sim_ask(&sim, mp_probe_find("ways"));
	measured("cpu.l2.ways", 4, 0.01);
}

/* An edge that may be that of a level and of the one inside, a little further
 * out than where both end: what two levels blur is no limit of one. */
static void the_middle_is_near_either_only_of_a_sharp_edge(void **state)
{
	const double inner = 32 << 10, own = 182784;
	struct mp_cpu_edges edges;
	struct mp_edge *edge = &edges.edge[1];

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=3400 memory_latency=200\n"
		      "clock tsc_mhz=3800 step=1 read=11\n"
		      "level name=l1d size=32K ways=1 latency=3\n"
		      "level name=l2 size=182784 ways=6 latency=8 "
		      "inclusion=exclusive\n");
	for (uint32_t blurred = 0; blurred <= 1; blurred++) {
		struct mp_fact fact = { .verdict = MP_MEASURED };

		made_sim_edges(&sim, &edges);
		edge->size = (own + inner) * 1.04;
		edge->low = edge->size / 1.025;
		edge->high = edge->size * 1.04;
		edge->misfit = blurred ? 0.05 : 0.01;
		fact.low = edge->low;
		fact.high = edge->high;
		fact.value = edge->size;
		assert_int_equal(mp_cpu_beside_part(&sim.view, &edges, 1,
						    &fact), 0);
		assert_int_equal(fact.verdict, blurred ? MP_AT_LEAST :
							 MP_MEASURED);
		assert_true(!blurred || fact.low <= own);
	}
}

/* The fourth level includes the others: of rings that fall on few of its sets
 * it leaves few lines in the second and the third, however long they are. */
static void what_an_outer_level_puts_out_is_not_counted_as_room(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2100 memory_latency=220\n"
	    "clock tsc_mhz=2900 step=1 read=27\n"
	    "level name=l1d size=43392 ways=6 latency=5 policy=fifo\n"
	    "level name=l2 size=108K ways=27 line=256 latency=24 policy=nru "
	    "inclusion=inclusive\n"
	    "level name=l3 size=192K ways=24 line=256 latency=49 "
	    "inclusion=exclusive\n"
	    "level name=l4 size=512K ways=4 line=256 latency=134 policy=nru "
	    "inclusion=inclusive slices=2\n"
	    "noise gaps=0.02\n", NULL);
	not_wrong("cpu.l3.size", 192 * 1024, 0.125);
}

/* Nothing explains the second level's edge, and the third's is that of both, if
 * that is exclusive. */
static void an_edge_behind_one_that_is_not_known_may_be_a_sum(void **state)
{
	struct mp_fact fact = {
		.verdict = MP_MEASURED, .value = 676 * 1024,
		.low = 660 * 1024, .high = 690 * 1024,
	};
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=3000 memory_latency=200\n"
		      "level name=l1d size=4K ways=8 latency=3\n"
		      "level name=l2 size=228K ways=19 latency=6\n"
		      "level name=l3 size=448K ways=16 latency=12 "
		      "inclusion=exclusive\n");
	made_sim_edges(&sim, &edges);
	edges.fitted[1] = false;
	edges.level[1].high_bytes = 240 * 1024;
	assert_int_equal(mp_cpu_beside_part(&sim.view, &edges, 2, &fact), 0);
	assert_int_equal(fact.verdict, MP_AT_LEAST);
	assert_true(fact.value <= 448 * 1024 && fact.value > 400 * 1024);
	/* So little does not matter. */
	edges.level[1].high_bytes = 40 * 1024;
	fact.verdict = MP_MEASURED;
	assert_int_equal(mp_cpu_beside_part(&sim.view, &edges, 2, &fact), 0);
	assert_int_equal(fact.verdict, MP_MEASURED);
}

/* Beyond 192 KiB the second level puts lines out of the first, which throws
 * out any of its own from 120 KiB on. */
static void an_outer_level_near_by_does_not_move_an_edge(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=1700 memory_latency=260\n"
	    "clock tsc_mhz=3600 step=1 read=16\n"
	    "level name=l1d size=120K ways=20 latency=6 policy=random\n"
	    "level name=l2 size=192K ways=8 latency=26 "
	    "policy=qlru_h00_m1_r0_u1 inclusion=inclusive\n"
	    "level name=l3 size=288K ways=16 latency=62 policy=bit-plru "
	    "inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=48 ways=48\n"
	    "tlb level=1 page=2M entries=64 ways=64\nwalk cost=54\n"
	    "noise gaps=0.02\n", NULL);
	measured("cpu.l1d.size", 120 * 1024, 0.04);
}

#define WALKED(tlb, walk) \
	"machine name=a clock_mhz=3000 memory_latency=338\n" \
	"clock tsc_mhz=3000 step=30 read=48\n" \
	"level name=l1d size=32K ways=8 latency=4\n" \
	"level name=l2 size=128K ways=8 latency=10\n" \
	"level name=l3 size=1M ways=8 latency=24\n" \
	"tlb level=1 page=4K entries=48 ways=48\n" tlb "walk cost=" walk "\n"

/* Without a second TLB 32 loads of a page share a walk, which is no part of
 * the third level's latency. */
static void a_walk_is_no_part_of_a_latency(void **state)
{
	(void)state;
	ask(WALKED("", "62"), "latency");
	measured("cpu.l2.latency-cycles", 10, 0.02);
	not_wrong("cpu.l3.latency-cycles", 24, 0.5 / 24);
	made_sim_close(&sim);
	ask(WALKED("tlb level=2 page=4K entries=1024 ways=8 cost=7\n", "62"),
	    "latency");
	measured("cpu.l3.latency-cycles", 24, 0.02);
	made_sim_close(&sim);
	/* A short one leaves the limits close enough to tell a value. */
	ask(WALKED("", "27"), "latency");
	measured("cpu.l3.latency-cycles", 24, 0.01);
}

/* A second level that is hardly larger than the first overflows where that
 * is just gone by. */
static void where_a_level_may_overflow_it_is_not_read(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4450 memory_latency=156\n"
	    "clock tsc_mhz=1000 step=1 read=83\n"
	    "place pages=random thp=granted huge=0\n"
	    "level name=l1d size=96K ways=12 latency=6 policy=srrip\n"
	    "level name=l2 size=144K ways=12 latency=13 policy=random "
	    "inclusion=inclusive\n"
	    "level name=l3 size=512K ways=32 line=128 latency=47 "
	    "policy=bit-plru slices=2\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=2 page=4K entries=1536 ways=12 cost=12\n"
	    "walk cost=50\nnoise gaps=0.02\n", "latency");
	not_wrong("cpu.l2.latency-cycles", 13, 0.5 / 13);
}

static void ask_shared(const char *text)
{
	ask(text, "latency");
	made_sim_ask(&sim, mp_probe_find("dram"));
	sim.view.caps |= MP_CAP_ACTORS;
	assert_int_equal(mp_cpus_parse(&sim.view.cpus, "0-1"), 0);
	made_sim_ask(&sim, mp_probe_find("shared"));
}

#define DIRECT(l1) \
	"machine name=a cpus=2 clock_mhz=3100 memory_latency=471\n" \
	"clock tsc_mhz=3900 step=1 read=85\n" \
	"place pages=contiguous thp=refused huge=253\n" \
	"level name=l1d size=12K ways=16 latency=3 policy=random " l1 "\n"

/* Lines that a load of another CPU puts out of the direct-mapped level that
 * both share leave the first level with it, and come back from memory. */
static void what_leaves_with_the_level_outside_is_not_shared(void **state)
{
	(void)state;
	ask_shared(DIRECT("") "level name=l2 size=64K ways=1 latency=14 "
		   "inclusion=inclusive shared=2\n");
	not_wrong("cpu.l1d.shared", 1, 0);
	measured("cpu.l2.shared", 2, 0);
	made_sim_close(&sim);
	ask_shared(DIRECT("shared=2") "level name=l2 size=64K ways=8 latency=14 "
		   "inclusion=inclusive shared=2\n");
	measured("cpu.l1d.shared", 2, 0);
}

/* Pages that crowd sets of one way put lines out of the level inside, which
 * holds all that is left: no hop is served by the outer one. */
static void an_outer_level_that_hides_is_not_the_inner_one(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4100 memory_latency=270\n"
	    "clock tsc_mhz=3100 step=1 read=75\n"
	    "place pages=random thp=refused huge=0\n"
	    "level name=l1d size=16K ways=8 latency=4 "
	    "policy=qlru_h11_m1_r1_u2\n"
	    "level name=l2 size=128K ways=8 latency=10 index=physical "
	    "policy=tree-plru inclusion=inclusive\n"
	    "level name=l3 size=160K ways=1 latency=20 index=physical "
	    "inclusion=inclusive\n"
	    "level name=l4 size=384K ways=6 latency=37 index=physical "
	    "policy=srrip inclusion=inclusive\n"
	    "noise gaps=0.02 seen=yes\n", NULL);
	not_wrong("cpu.l2.size", 128 * 1024, 0.125);
}

/* .. nor the last one, and what it does with others is not the inner's. */
static void behind_one_that_may_hide_nothing_is_absent(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2050 memory_latency=350\n"
	    "clock tsc_mhz=3800 step=1 read=50\n"
	    "place pages=random thp=refused huge=0\n"
	    "level name=l1d size=20K ways=16 latency=3 policy=tree-plru\n"
	    "level name=l2 size=96K ways=16 latency=14 index=physical "
	    "policy=qlru_h00_m1_r2_u1 inclusion=exclusive\n"
	    "level name=l3 size=174K ways=1 latency=24 index=physical "
	    "inclusion=inclusive\nnoise gaps=0.02\n", "inclusion");
	not_wrong("cpu.l2.size", 96 * 1024, 0.125);
	not_wrong("cpu.l3.size", 174 * 1024, 0.125);
	assert_int_not_equal(made_sim_fact(&sim, "cpu.l2.inclusion")->verdict,
			     MP_MEASURED);
}

/* A clock that times no hop, and a TLB that ends between two levels: what its
 * misses cost looks like one more, four of which then have a name too many. */
static void an_edge_of_translations_is_no_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5300 memory_latency=126\n"
	    "clock tsc_mhz=100 step=1 read=61\n"
	    "level name=l1d size=40K ways=20 latency=5\n"
	    "level name=l2 size=128K ways=8 latency=9 index=physical "
	    "inclusion=inclusive\n"
	    "level name=l3 size=384K ways=32 line=128 latency=27 index=physical "
	    "policy=bit-plru slices=3\n"
	    "tlb level=1 page=4K entries=16 ways=16\n"
	    "walk cost=43\nnoise gaps=0.02 seen=no\n", NULL);
	measured("cpu.l1d.size", 40 * 1024, 0.125);
	not_wrong("cpu.l2.size", 128 * 1024, 0.125);
	not_wrong("cpu.l3.size", 384 * 1024, 0.125);
	assert_int_not_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict,
			     MP_MEASURED);
	assert_int_not_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict,
			     MP_AT_LEAST);
}

/* Pages that fall out of the TLB while the level has room. */
static void a_page_that_is_lost_fills_no_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5400 memory_latency=488\n"
	    "clock tsc_mhz=3400 step=1 read=24\n"
	    "place pages=random thp=refused huge=87\n"
	    "level name=l1d size=96K ways=8 latency=6 policy=srrip\n"
	    "level name=l2 size=208K ways=8 latency=15 policy=random "
	    "inclusion=exclusive\n"
	    "level name=l3 size=512K ways=16 latency=27 policy=srrip "
	    "index=physical slices=2\n"
	    "tlb level=1 page=4K entries=64 ways=8\n"
	    "tlb level=2 page=4K entries=512 ways=8 cost=11\n"
	    "walk cost=40\nnoise gaps=0.02\n", NULL);
	not_wrong("cpu.l2.size", 208 * 1024, 0.125);
}

/* Two ways a set, by a hash, of which the levels inside have some. */
static void a_few_ways_are_not_full_when_they_are_crowded(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4450 memory_latency=172\n"
	    "clock tsc_mhz=3000 step=1 read=28\n"
	    "place pages=random thp=granted huge=0\n"
	    "level name=l1d size=16K ways=1 latency=4\n"
	    "level name=l2 size=80K ways=32 latency=8 policy=srrip "
	    "index=physical\n"
	    "level name=l3 size=256K ways=2 latency=20 slices=2 "
	    "index=physical inclusion=exclusive\n"
	    "level name=l4 size=512K ways=32 latency=34 slices=2 "
	    "policy=bit-plru index=physical inclusion=exclusive\n"
	    "noise gaps=0.02\n", NULL);
	not_wrong("cpu.l3.size", 256 * 1024, 0.125);
}

/* Of a random level inside some lines are not put out when they should be, unless
 * it is gone through six times: of so many ways there is no room for that. */
static void behind_a_random_level_a_policy_is_not_told(void **state)
{
	const struct mp_fact *fact;
	struct mp_fact *line;

	(void)state;
	ask("machine name=a clock_mhz=5450 memory_latency=206\n"
	    "clock tsc_mhz=3700 step=1 read=32\n"
	    "place pages=random thp=granted huge=0\n"
	    "level name=l1d size=14K ways=28 line=32 latency=3 policy=random\n"
	    "level name=l2 size=128K ways=2 line=32 latency=10 policy=srrip "
	    "index=physical\nnoise gaps=0.02\n", "latency");
	line = mp_cpu_fact(&sim.facts, &sim.view, "l2", "line", "");
	line->verdict = MP_MEASURED;
	line->value = line->low = line->high = 32;
	made_sim_ask(&sim, mp_probe_find("dram"));
	sim.view.caps |= MP_CAP_SEQUENCE;
	made_sim_ask(&sim, mp_probe_find("ways"));
	made_sim_ask(&sim, mp_probe_find("policy"));
	fact = made_sim_fact(&sim, "cpu.l1d.policy");
	assert_string_equal(fact->text, "random");
	fact = made_sim_fact(&sim, "cpu.l2.policy");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	if (!strstr(fact->reason, "too small"))
		fail_msg("%s", fact->reason);
}

/* Levels of 64 and 256 KiB at 5 and 13 cycles next to one at 3, and lines that
 * are brought ahead: no shape explains the first edge, which is two. */
static void behind_an_edge_without_a_shape_no_level_has_a_name(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4200 memory_latency=225\n"
	    "clock tsc_mhz=3500 step=1 read=46\n"
	    "place pages=random thp=refused huge=0\n"
	    "level name=l1d size=20K ways=32 latency=3 policy=tree-plru "
	    "index=physical\n"
	    "level name=l2 size=64K ways=4 latency=5 index=physical\n"
	    "level name=l3 size=256K ways=16 latency=13 policy=nru "
	    "index=physical\n"
	    "tlb level=1 page=4K entries=32 ways=32 policy=tree-plru\n"
	    "tlb level=2 page=4K entries=3072 ways=12 cost=8\nwalk cost=56\n"
	    "prefetch kind=next into=l1d switch=no\n"
	    "noise gaps=0.02 seen=yes\n", NULL);
	not_wrong("cpu.l1d.size", 20 * 1024, 0.125);
	not_wrong("cpu.l2.size", 64 * 1024, 0.125);
	not_wrong("cpu.l3.size", 256 * 1024, 0.125);
}

/* Two slots to a line of the levels outside: half of the hops take what these
 * do, and the curve says the mean of that and of the level inside. */
static void slots_that_share_lines_are_no_other_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=1000 memory_latency=325\n"
	    "clock tsc_mhz=3400 step=19 read=20\n"
	    "place pages=random thp=refused huge=0\n"
	    "level name=l1d size=14592 ways=19 latency=3 policy=fifo\n"
	    "level name=l2 size=80K ways=10 line=128 latency=14 policy=fifo "
	    "index=virtual inclusion=inclusive\n"
	    "level name=l3 size=384K ways=12 line=128 latency=34 "
	    "policy=random index=virtual inclusion=inclusive\n"
	    "noise gaps=0.02 seen=yes\n", NULL);
	not_wrong("cpu.l3.size", 384 * 1024, 0.125);
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict,
			 MP_ABSENT);
}

/* Of eight slots of a page in any order some lie in a row, and the next of them
 * is fetched ahead. */
static void what_is_fetched_ahead_is_no_part_of_memory(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2100 memory_latency=290\n"
	    "clock tsc_mhz=3200 step=15 read=18\n"
	    "place pages=contiguous thp=refused huge=56\n"
	    "level name=l1d size=56K ways=2 latency=4 policy=fifo\n"
	    "level name=l2 size=256K ways=8 line=256 latency=19 policy=fifo "
	    "inclusion=inclusive\n"
	    "level name=l3 size=384K ways=8 line=256 latency=31 policy=srrip\n"
	    "tlb level=1 page=4K entries=48 ways=12\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=4 policy=fifo\n"
	    "walk cost=35 page=all\n"
	    "prefetch kind=adjacent into=l1d switch=yes\n"
	    "prefetch kind=stride into=l1d switch=no\n"
	    "noise gaps=0.02 gap_us=2..400\n", "dram");
	measured("cpu.dram.latency", 138.095, 0.005);
}

/* One hop in eight finds its page in the second TLB. */
static void a_hit_of_the_second_tlb_is_no_part_of_memory(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4900 memory_latency=129\n"
	    "clock tsc_mhz=2500 step=1 read=63\n"
	    "place pages=random thp=granted\n"
	    "level name=l1d size=16K ways=16 latency=4 policy=srrip\n"
	    "level name=l2 size=192K ways=8 line=256 latency=16\n"
	    "tlb level=1 page=4K entries=32 ways=16\n"
	    "tlb level=2 page=4K entries=384 ways=12 cost=8\n"
	    "walk cost=22 page=all\n"
	    "noise gaps=0.02\n", "dram");
	measured("cpu.dram.latency", 129 / 4.9, 0.0025);
}

/* A shape of one edge for three levels has the first miss where it does not. */
static void a_shape_that_does_not_explain_takes_nothing_out(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2250 memory_latency=145\n"
	    "clock tsc_mhz=2700 step=5 read=26\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=128K ways=8 latency=7 "
	    "policy=qlru_h11_m1_r1_u2\n"
	    "level name=l2 size=192K ways=4 latency=22 inclusion=exclusive\n"
	    "level name=l3 size=512K ways=32 latency=72 policy=random "
	    "inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=72 ways=18 policy=random\n"
	    "tlb level=2 page=4K entries=2048 ways=8 cost=10\n"
	    "walk cost=51 page=all\n"
	    "prefetch kind=stride into=l1d switch=no\n"
	    "noise gaps=0.02\n", "latency");
	not_wrong("cpu.l1d.latency-cycles", 7, 0.02);
}

/* Rings of 215 to 267 KiB take 15 cycles each, where a blurred edge has rising
 * ones. */
static void a_plateau_that_no_edge_explains_is_a_level(void **state)
{
	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=3600 memory_latency=449\n"
	    "clock tsc_mhz=1800 step=11 read=47\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=192K ways=12 latency=6\n"
	    "level name=l2 size=384K ways=12 latency=15 policy=srrip\n"
	    "tlb level=1 page=4K entries=72 ways=72\n"
	    "tlb level=2 page=4K entries=768 ways=6 cost=12\n"
	    "walk cost=60 page=all\n"
	    "prefetch kind=stride into=l2\n"
	    "noise gaps=0.02\n");
	/* Pages that fall so that one blurred edge holds both. */
	sim.view.seed = SEED_BLURRED;
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	not_wrong("cpu.l1d.size", 192 * 1024, 0.125);
	not_wrong("cpu.l2.size", 384 * 1024, 0.125);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_hash_over_two_ways_is_not_taken_for_chance),
		TEST(translation_of_long_lines_is_no_latency),
		TEST(scattered_pages_on_odd_sets_are_not_fitted_too_well),
		TEST(a_policy_that_spreads_less_makes_no_odd_level),
		TEST(what_is_left_of_two_levels_is_not_rounded_far),
		TEST(slots_that_share_lines_dispute_nothing),
		TEST(huge_pages_pay_no_walk_that_small_ones_pay),
		TEST(hits_inside_are_no_part_of_a_latency),
		TEST(what_is_fetched_ahead_is_no_line_too_many),
		TEST(the_middle_is_near_either_only_of_a_sharp_edge),
		TEST(what_an_outer_level_puts_out_is_not_counted_as_room),
		TEST(an_edge_behind_one_that_is_not_known_may_be_a_sum),
		TEST(an_outer_level_near_by_does_not_move_an_edge),
		TEST(a_walk_is_no_part_of_a_latency),
		TEST(where_a_level_may_overflow_it_is_not_read),
		TEST(what_leaves_with_the_level_outside_is_not_shared),
		TEST(an_outer_level_that_hides_is_not_the_inner_one),
		TEST(behind_one_that_may_hide_nothing_is_absent),
		TEST(an_edge_of_translations_is_no_level),
		TEST(a_page_that_is_lost_fills_no_level),
		TEST(a_few_ways_are_not_full_when_they_are_crowded),
		TEST(behind_a_random_level_a_policy_is_not_told),
		TEST(behind_an_edge_without_a_shape_no_level_has_a_name),
		TEST(slots_that_share_lines_are_no_other_level),
		TEST(what_is_fetched_ahead_is_no_part_of_memory),
		TEST(a_hit_of_the_second_tlb_is_no_part_of_memory),
		TEST(a_shape_that_does_not_explain_takes_nothing_out),
		TEST(a_plateau_that_no_edge_explains_is_a_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
