// SPDX-License-Identifier: GPL-2.0
/* Probe ways on simulated machines, where levels hide one another. */

#include "ask_ways.h"
#include "made_view.h"

#define KIB 1024.0

static struct sim_ask ask;

#define MACHINE(memory) \
	"machine name=x clock_mhz=3000 memory_latency=" #memory "\n"
#define HEAD MACHINE(270)
#define CLOCK "clock tsc_mhz=3000 step=1 read=40\n"

/* The lines of a set of the third level do not all lie in one page of 2 MiB. */
static void ways_of_more_than_a_huge_page_are_counted(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=64K ways=2 latency=4\n"
		"level name=l2 size=512K ways=8 latency=9 index=physical\n"
		"level name=l3 size=4M ways=16 latency=26 index=physical "
		"inclusion=inclusive\n"
		"tlb level=1 page=4K entries=48 ways=48\n"
		"tlb level=2 page=4K entries=768 ways=6 cost=9\nwalk cost=26\n"
		"place pages=random thp=granted\n"
		CLOCK,
		{ 64 * KIB, 512 * KIB, 4096 * KIB }, { 4, 9, 26 }, 181, 64,
		"inclusive", 0 });
	ask_ways_found(&ask, "cpu.l2.ways", 8);
	ask_ways_found(&ask, "cpu.l3.ways", 16);
	sim_ask_free(&ask);
}

/* Sets of the second level fit those of the first, and leave only if other
 * lines put them out. */
static void fewer_ways_than_the_level_inside_has_are_seen(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=20K ways=8 latency=4 line=32\n"
		"level name=l2 size=128K ways=4 latency=9 line=32 policy=random\n"
		"tlb level=1 page=4K entries=64 ways=4\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n"
		CLOCK,
		{ 20 * KIB, 128 * KIB }, { 4, 9 }, 270, 32, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 8);
	ask_ways_found(&ask, "cpu.l2.ways", 4);
	sim_ask_free(&ask);
}

/* The second level has three ways, and what it misses is no miss of the first
 * alone. */
static void few_ways_behind_do_not_hide_those_before(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=12K ways=6 latency=3\n"
		"level name=l2 size=48K ways=3 latency=9\n"
		"level name=l3 size=256K ways=16 latency=21\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n"
		CLOCK,
		{ 12 * KIB, 48 * KIB, 256 * KIB }, { 3, 9, 21 }, 270, 64, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 6);
	ask_ways_found(&ask, "cpu.l2.ways", 3);
	sim_ask_free(&ask);
}

/* 46 lines stay in two levels of 21 and 23 ways, but not in one of them. */
static void lines_that_stay_inside_are_not_counted(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=84K ways=21 line=256 latency=6 policy=bit-plru\n"
		"level name=l2 size=184K ways=23 line=256 latency=23 policy=lru\n"
		"tlb level=1 page=4K entries=32 ways=full\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=42\n"
		CLOCK,
		{ 84 * KIB, 184 * KIB }, { 6, 23 }, 270, 256, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 21);
	ask_ways_found(&ask, "cpu.l2.ways", 23);
	sim_ask_free(&ask);
}

/* Huge pages take entries of small ones: 28 lines miss translations, too. */
static void translations_are_not_taken_for_misses(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=14848 ways=29 line=128 latency=3 policy=nru\n"
		"level name=l2 size=56K ways=28 line=128 latency=9 policy=nru inclusion=inclusive\n"
		"level name=l3 size=512K ways=16 line=128 latency=20\n"
		"tlb level=1 page=4K entries=32 ways=full\n"
		"tlb level=2 page=4K entries=1536 ways=12 cost=9\n"
		"walk cost=56\n" CLOCK,
		{ 14848, 56 * KIB, 512 * KIB }, { 3, 9, 20 }, 270, 128, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 29);
	ask_ways_found(&ask, "cpu.l2.ways", 28);
	sim_ask_free(&ask);
}

/* Of a control whose lines lie beside each other the neighbour of one puts the next
 * one out of the only way of its set: it takes as long as lines that share a set. */
static void neighbours_of_a_control_do_not_meet_its_lines(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(254) "level name=l1d size=16K ways=1 latency=3\n"
		"level name=l2 size=704K ways=11 latency=11 index=physical "
		"inclusion=exclusive\n"
		"tlb level=1 page=4K entries=32 ways=full\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=52\n"
		"prefetch kind=adjacent into=l1d switch=no\n"
		"place pages=random thp=granted\n"
		"clock tsc_mhz=1149 step=29 read=70\n",
		{ 16 * KIB, 704 * KIB }, { 3, 8.5 }, 254, 64, NULL, 0.2 });
	ask_ways_found(&ask, "cpu.l1d.ways", 1);
	sim_ask_free(&ask);
}

/* What a second TLB takes is just less than half of what parts the levels, to a clock
 * of 1.6 cycles: a hit with that may read as a miss in every other turn. */
static void translations_of_half_a_level_are_no_misses(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(485)
		"level name=l1d size=104K ways=8 latency=7 policy=tree-plru\n"
		"level name=l2 size=1152K ways=12 latency=27 policy=fifo index=physical\n"
		"level name=l3 size=8448K ways=12 line=256 latency=48 policy=random index=physical\n"
		"tlb level=1 page=4K entries=48 ways=48\n"
		"tlb level=2 page=4K entries=1536 ways=6 cost=10\n"
		"walk cost=43 page=all\nplace pages=random thp=granted huge=114\n"
		"clock tsc_mhz=1860 step=1 read=52\n",
		{ 104 * KIB, 1152 * KIB, 8448 * KIB }, { 7, 27, 48 }, 485, 64, NULL, 0.06 });
	ask_ways_found(&ask, "cpu.l2.ways", 12);
	sim_ask_free(&ask);
}

/* Others that put a line out cost translations; the first level has no room
 * for a control of four times what the two inside hold. */
static void translations_do_not_hide_hits(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=14848 ways=29 line=128 latency=3 policy=nru\n"
		"level name=l2 size=56K ways=28 line=128 latency=9 policy=nru inclusion=inclusive\n"
		"level name=l3 size=208K ways=4 line=128 latency=20 policy=srrip\n"
		"tlb level=1 page=4K entries=32 ways=full\n"
		"tlb level=2 page=4K entries=1536 ways=12 cost=9\n"
		"walk cost=56\n" CLOCK,
		{ 14848, 56 * KIB, 208 * KIB }, { 3, 9, 20 }, 270, 128, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 29);
	ask_ways_found(&ask, "cpu.l2.ways", 28);
	ask_ways_found(&ask, "cpu.l3.ways", 4);
	sim_ask_free(&ask);
}

/* What puts lines out of the first level moves them to the second. */
static void an_exclusive_level_is_flushed_into_sight(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=48K ways=12 latency=5 policy=random\n"
		"level name=l2 size=256K ways=4 latency=16 inclusion=exclusive\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n"
		CLOCK,
		{ 48 * KIB, 256 * KIB }, { 5, 16 }, 270, 64, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 12);
	ask_ways_found(&ask, "cpu.l2.ways", 4);
	sim_ask_free(&ask);
}

/* 83 sets: only lines a multiple of 5312 bytes apart share one. */
static void how_far_apart_lines_of_a_set_lie_is_told(void **state)
{
	const struct mp_series *series;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=21248 ways=4 latency=3\n"
		"level name=l2 size=256K ways=16 latency=12\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n"
		CLOCK,
		{ 21248, 256 * KIB }, { 3, 12 }, 270, 64, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 4);
	series = mp_facts_find_series(&ask.found, "cpu.l1d.ways");
	assert_non_null(series);
	assert_true(series->point[0].x == 5312);
	sim_ask_free(&ask);
}

/* The level inside throws out what came first, so that each line of a ring is
 * seen in the one outside, at the price of a walk each; and that has as many
 * lines beside. */
static void lines_that_all_leave_the_level_inside_are_counted(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=32K ways=32 latency=3\n"
		"level name=l2 size=100K ways=25 latency=8 policy=fifo\n"
		"level name=l3 size=512K ways=16 latency=20 policy=srrip inclusion=exclusive\n"
		"tlb level=1 page=4K entries=128 ways=16\n"
		"walk cost=48\n" CLOCK,
		{ 32 * KIB, 100 * KIB, 512 * KIB }, { 3, 8, 20 }, 270, 64, NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 32);
	ask_ways_found(&ask, "cpu.l2.ways", 25);
	ask_ways_found(&ask, "cpu.l3.ways", 16);
	sim_ask_free(&ask);
}

/* Of the third level, which is of one way and spread over slices, some lines of
 * each ring are missed, too: what it does serve has left the second. */
static void a_level_behind_that_misses_as_well_hides_no_ways(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(459) "level name=l1d size=23K ways=23 latency=3\n"
		"level name=l2 size=256K ways=4 latency=15 policy=nru index=physical\n"
		"level name=l3 size=384K ways=1 latency=35 index=physical slices=4\n"
		"tlb level=1 page=4K entries=96 ways=96\n"
		"tlb level=2 page=4K entries=1024 ways=8 cost=14 policy=random\n"
		"walk cost=65\nplace pages=random thp=granted\n" CLOCK,
		{ 23 * KIB, 256 * KIB, 384 * KIB }, { 3, 15, 35 }, 459, 64,
		NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 23);
	ask_ways_found(&ask, "cpu.l2.ways", 4);
	sim_ask_free(&ask);
}

/* Few translations are kept: every hop of rings and controls pays the same. The
 * line is not known, and twice as long as most. The third level is seen only by
 * lines on several sets of the second, each of which others empty. */
static void what_each_hop_pays_is_taken_off(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(347) "level name=l1d size=128K ways=1 line=128 latency=6\n"
		"level name=l2 size=896K ways=28 line=128 latency=23 policy=random "
		"index=physical\n"
		"level name=l3 size=4608K ways=9 line=256 latency=53 index=physical\n"
		"tlb level=1 page=4K entries=10 ways=10\n"
		"tlb level=2 page=4K entries=192 ways=6 cost=13\nwalk cost=43\n"
		"place pages=contiguous\n" CLOCK,
		{ 128 * KIB, 896 * KIB, 4608 * KIB }, { 6, 23, 53 }, 347, 0,
		NULL, 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 1);
	ask_ways_found(&ask, "cpu.l2.ways", 28);
	ask_ways_found(&ask, "cpu.l3.ways", 9);
	sim_ask_free(&ask);
}

/* Translations are kept in sets of two: some hops of a ring pay for one. */
static void what_some_hops_pay_is_taken_off(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(276) "level name=l1d size=14K ways=2 latency=4\n"
		"level name=l2 size=24K ways=6 latency=13 policy=random index=physical\n"
		"level name=l3 size=192K ways=6 line=128 latency=32 policy=bit-plru "
		"index=physical inclusion=inclusive\n"
		"level name=l4 size=1M ways=16 line=128 latency=65 policy=tree-plru "
		"index=physical\n"
		"tlb level=1 page=4K entries=32 ways=2\nwalk cost=35\n"
		"place pages=random thp=granted\n" CLOCK,
		{ 14 * KIB, 24 * KIB, 192 * KIB, 1024 * KIB },
		{ 4, 13, 32, 65 }, 276, 64, NULL, 0 });
	ask_ways_found(&ask, "cpu.l2.ways", 6);
	ask_ways_found(&ask, "cpu.l3.ways", 6);
	ask_ways_found(&ask, "cpu.l4.ways", 16);
	sim_ask_free(&ask);
}

/* Nothing tells the ways of the third level, which is spread over slices. */
static void ways_behind_a_level_of_unknown_ways_are_counted(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(459) "level name=l1d size=64K ways=8 latency=4\n"
		"level name=l2 size=256K ways=8 latency=19 policy=nru index=physical\n"
		"level name=l3 size=2560K ways=10 latency=75 policy=nru slices=4\n"
		"level name=l4 size=22M ways=11 latency=191 index=physical "
		"inclusion=inclusive\n"
		"tlb level=1 page=4K entries=64 ways=64\nwalk cost=35\n"
		"place pages=contiguous\n" CLOCK,
		{ 64 * KIB, 256 * KIB, 2560 * KIB, 22528 * KIB },
		{ 4, 19, 75, 191 }, 459, 64, "non-inclusive", 0 });
	ask_ways_found(&ask, "cpu.l2.ways", 8);
	assert_int_equal(sim_ask_fact(&ask, "cpu.l3.ways")->verdict,
			 MP_NOT_MEASURABLE);
	ask_ways_found(&ask, "cpu.l4.ways", 11);
	sim_ask_free(&ask);
}

/* 334 sets of one way, in lines that are not known and that a prefetcher brings
 * along: 652 lines 64 bytes long, 668 or so many more, all of one way. What one
 * of them says of two lines is not so, of another one it is. */
static void one_guess_of_many_that_agree_is_borne_out(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(156) "level name=l1d size=42752 ways=1 line=128 latency=5\n"
		"level name=l2 size=192K ways=12 line=128 latency=12 "
		"policy=nru index=physical\n"
		"tlb level=1 page=4K entries=32 ways=8\n"
		"tlb level=1 page=2M entries=32 ways=4\nwalk cost=52\n"
		"prefetch kind=adjacent into=l2 switch=no\n"
		"place pages=random thp=granted\n" CLOCK,
		{ 42880, 192 * KIB }, { 5, 12 }, 156, 0, NULL, 0.022 });
	ask_ways_found(&ask, "cpu.l1d.ways", 1);
	sim_ask_free(&ask);
}

/* Of 23 ways and six sets: one line further each time leads from a page to the
 * third set after the last one, and a control of 99 would fill two of them. */
static void a_control_goes_through_all_sets(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=8832 ways=23 latency=3 "
		"policy=qlru_h11_m1_r1_u2 index=physical\n"
		"level name=l2 size=216K ways=27 latency=13 policy=bit-plru "
		"index=physical inclusion=exclusive\n"
		"level name=l3 size=338K ways=32 latency=22 policy=fifo\n"
		"tlb level=1 page=4K entries=64 ways=4\n"
		"tlb level=2 page=4K entries=768 ways=6 cost=7\nwalk cost=47\n"
		"place pages=random thp=granted\n"
		CLOCK,
		{ 8832, 216 * KIB, 338 * KIB }, { 3, 13, 22 }, 270, 64,
		NULL, 0.06 });
	ask_ways_found(&ask, "cpu.l1d.ways", 23);
	ask_ways_found(&ask, "cpu.l2.ways", 27);
	sim_ask_free(&ask);
}

/* A page begins at one of two places: two lines so far apart meet by chance as
 * often as not, and five times now and then. */
static void what_may_meet_by_chance_is_asked_more_often(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=16K ways=2 latency=3\n"
		"level name=l2 size=256K ways=8 latency=12 index=physical\n"
		"tlb level=1 page=4K entries=64 ways=full\nwalk cost=30\n"
		"place pages=random thp=refused\n"
		CLOCK,
		{ 16 * KIB, 256 * KIB }, { 3, 12 }, 270, 64, NULL, 0.02 });
	ask_ways_found(&ask, "cpu.l1d.ways", 2);
	sim_ask_free(&ask);
}

/* What the first level keeps moves the edge of the second out by a tenth. */
static void ways_beside_the_limits_of_a_size_are_found(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=16K ways=16 latency=3\n"
		"level name=l2 size=24K ways=12 latency=12\n"
		"level name=l3 size=128K ways=16 latency=22\n"
		"tlb level=1 page=4K entries=64 ways=full\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n"
		CLOCK,
		{ 16 * KIB, 27 * KIB, 128 * KIB }, { 3, 12, 22 }, 270, 64,
		NULL, 0.05 });
	ask_ways_found(&ask, "cpu.l1d.ways", 16);
	ask_ways_found(&ask, "cpu.l2.ways", 12);
	ask_ways_found(&ask, "cpu.l3.ways", 16);
	sim_ask_free(&ask);
}

/* Twelve pages in one set of eight of the TLB: of hops that hit and pay 8 cycles
 * for that, some read as nearer to the next level's. */
static void what_nearly_makes_a_miss_is_none(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		MACHINE(338)
		"level name=l1d size=128K ways=8 latency=7 policy=tree-plru\n"
		"level name=l2 size=192K ways=12 latency=19 index=physical "
		"inclusion=inclusive\n"
		"level name=l3 size=384K ways=12 latency=38 policy=bit-plru "
		"index=physical\n"
		"tlb level=1 page=4K entries=128 ways=8 "
		"policy=qlru_h11_m1_r1_u2\n"
		"tlb level=2 page=4K entries=4096 ways=16 cost=8\n"
		"walk cost=30 page=all\nplace pages=contiguous thp=granted\n"
		"clock tsc_mhz=1660 step=1 read=13\n",
		{ 128 * KIB, 192 * KIB, 384 * KIB }, { 7, 19, 38 }, 338, 64,
		"inclusive", 0 });
	ask_ways_found(&ask, "cpu.l1d.ways", 8);
	ask_ways_found(&ask, "cpu.l2.ways", 12);
	ask_ways_found(&ask, "cpu.l3.ways", 12);
	sim_ask_free(&ask);
}

/* Seventeen lines a multiple of 32 KiB apart are one too many for the third
 * level, which takes what it loses along. To a coarse clock two loads of memory
 * are as much as most of them would be from there. */
static void what_the_level_behind_puts_out_is_not_counted(void **state)
{
	const struct mp_fact *ways;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		"machine name=x clock_mhz=3000 memory_latency=194\n"
		"level name=l1d size=11K ways=11 line=256 latency=3 policy=qlru_h11_m1_r0_u0\n"
		"level name=l2 size=192K ways=12 line=256 latency=11 policy=nru inclusion=exclusive\n"
		"level name=l3 size=512K ways=16 line=256 latency=37 policy=tree-plru inclusion=inclusive\n"
		"tlb level=1 page=4K entries=64 ways=16\n"
		"tlb level=1 page=2M entries=32 ways=8\nwalk cost=67\n"
		"place pages=random thp=granted\n"
		"clock tsc_mhz=3000 step=33 read=36\n",
		{ 11 * KIB, 190 * KIB, 400 * KIB }, { 3, 11, 37 }, 194, 256,
		NULL, 0.1 });
	ways = sim_ask_fact(&ask, "cpu.l2.ways");
	if (ways->verdict == MP_MEASURED && ways->value != 12)
		fail_msg("%g ways", ways->value);
	sim_ask_free(&ask);
}

/* Lines in eleven huge pages, of which the TLB knows eight: a walk makes a hit
 * what a miss takes. The control goes through as many pages of others, which
 * are in one. */
static void pages_of_others_do_not_thin_a_control(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		"machine name=x clock_mhz=1700 memory_latency=280\n"
		"level name=l1d size=84K ways=12 latency=6 "
		"policy=qlru_h11_m1_r1_u2\n"
		"level name=l2 size=1536K ways=12 latency=17\n"
		"level name=l3 size=4M ways=16 latency=51 policy=nru "
		"inclusion=exclusive\n"
		"tlb level=1 page=4K entries=64 ways=64 policy=random\n"
		"tlb level=1 page=2M entries=8 ways=8\n"
		"tlb level=2 page=4K entries=128 ways=4 cost=12\n"
		"walk cost=31 page=all\n"
		"place pages=contiguous thp=granted huge=0\n"
		"clock tsc_mhz=2100 step=3 read=58\n",
		{ 84 * KIB, 1536 * KIB, 4096 * KIB }, { 6, 17, 51 }, 280, 64,
		NULL, 0 });
	ask_ways_found(&ask, "cpu.l2.ways", 12);
	sim_ask_free(&ask);
}

/* One way: lines of the control meet as well, as one of the level's may bring
 * another, and as the clock is too coarse to time hops singly it looked as slow
 * as what it was to tell from misses. */
static void a_control_that_misses_too_tells_nothing(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		"machine name=a cpus=1 clock_mhz=3000 memory_latency=276\n"
		"level name=l1d size=36K ways=1 line=128 latency=5 policy=nru\n"
		"level name=l2 size=54K ways=1 line=128 latency=19 "
		"index=physical\n"
		"tlb level=1 page=4K entries=128 ways=128\n"
		"tlb level=1 page=2M entries=16 ways=2 policy=fifo\n"
		"walk cost=37 page=all\n"
		"prefetch kind=next into=l1d switch=no\n"
		"place pages=random thp=granted\n"
		"clock tsc_mhz=1980 step=13 read=59\n",
		{ 36 * KIB, 54 * KIB }, { 5, 19 }, 276, 0, NULL, 0.05 });
	fact = sim_ask_fact(&ask, "cpu.l1d.ways");
	if (fact->verdict == MP_MEASURED && fact->value != 1)
		fail_msg("%g for 1: %s", fact->value, fact->method);
	sim_ask_free(&ask);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_of_more_than_a_huge_page_are_counted),
		cmocka_unit_test(fewer_ways_than_the_level_inside_has_are_seen),
		cmocka_unit_test(few_ways_behind_do_not_hide_those_before),
		cmocka_unit_test(lines_that_stay_inside_are_not_counted),
		cmocka_unit_test(translations_are_not_taken_for_misses),
		cmocka_unit_test(neighbours_of_a_control_do_not_meet_its_lines),
		cmocka_unit_test(translations_of_half_a_level_are_no_misses),
		cmocka_unit_test(translations_do_not_hide_hits),
		cmocka_unit_test(an_exclusive_level_is_flushed_into_sight),
		cmocka_unit_test(how_far_apart_lines_of_a_set_lie_is_told),
		cmocka_unit_test(lines_that_all_leave_the_level_inside_are_counted),
		cmocka_unit_test(a_level_behind_that_misses_as_well_hides_no_ways),
		cmocka_unit_test(what_each_hop_pays_is_taken_off),
		cmocka_unit_test(what_some_hops_pay_is_taken_off),
		cmocka_unit_test(ways_behind_a_level_of_unknown_ways_are_counted),
		cmocka_unit_test(one_guess_of_many_that_agree_is_borne_out),
		cmocka_unit_test(a_control_goes_through_all_sets),
		cmocka_unit_test(what_may_meet_by_chance_is_asked_more_often),
		cmocka_unit_test(ways_beside_the_limits_of_a_size_are_found),
		cmocka_unit_test(what_nearly_makes_a_miss_is_none),
		cmocka_unit_test(what_the_level_behind_puts_out_is_not_counted),
		cmocka_unit_test(pages_of_others_do_not_thin_a_control),
		cmocka_unit_test(a_control_that_misses_too_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
