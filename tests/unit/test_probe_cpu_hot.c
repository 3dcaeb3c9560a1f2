// SPDX-License-Identifier: GPL-2.0
/* Exclusive, inclusive or neither: simulated machines whose edges are known. */
#include "probe/cpu_hot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_hot.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_hot_shape.h"

#define HOPS_MAX 800000u

static struct made_sim sim;

/* What is made of all that is wanted of a level. */
static void ask_open(uint32_t k, struct mp_cpu_hot *hot)
{
	struct mp_cpu_edges edges;

	made_sim_edges(&sim, &edges);
	made_hot_run(&sim, &edges, k);
	assert_int_equal(mp_cpu_hot_judge(&sim.view, &edges, k, hot), 0);
	assert_true(sim.hops < HOPS_MAX);
	made_sim_close(&sim);
}

/* Prefetchers are wished off, as far as they can be. */
static void ask(const char *text, uint32_t k, struct mp_cpu_hot *hot)
{
	made_sim_open(&sim, text);
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	ask_open(k, hot);
}

static void expect(const char *text, uint32_t k, uint32_t holds)
{
	struct mp_cpu_hot hot;

	ask(text, k, &hot);
	made_hot_is(&hot, holds, text);
	assert_true(holds ? !hot.why || holds == MP_CPU_HOLDS_NO_OTHERS :
			    !!hot.why);
}

static void each_kind_is_told_by_single_hops(void **state)
{
	(void)state;
	expect(FINE L1 "\n" L2 "inclusion=exclusive\n", 1,
	       MP_CPU_HOLDS_OTHERS);
	expect(FINE L1 "\n" L2 "inclusion=inclusive\n", 1, MP_CPU_HOLDS_ALL);
	expect(FINE L1 "\n" L2 "\n", 1, MP_CPU_HOLDS_SOME);
}

/* A prefetcher may fetch the other half of a line of the level asked about,
 * which keeps it in use there as an exclusive one is given it. */
static void without_a_line_no_level_is_exclusive(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	made_sim_open(&sim, FINE L1 "\n" L2 "inclusion=exclusive\n");
	sim.facts.fact[0].verdict = MP_NOT_MEASURABLE;
	ask_open(1, &hot);
	assert_int_equal(hot.holds, MP_CPU_HOLDS_UNKNOWN);
	assert_non_null(strstr(hot.why, "line is not known"));
}

/* A line's neighbour is fetched wherever the level inside has lost it, and lies
 * in the same line of the level asked about: that is in use there, whatever is
 * put out. */
static void what_is_fetched_beside_keeps_nothing_in_use(void **state)
{
	static const struct {
		const char *clock;
		const char *inclusion;
		uint32_t holds;
	} each[] = {
		{ FINE, "non-inclusive", MP_CPU_HOLDS_SOME },
		{ FINE, "inclusive", MP_CPU_HOLDS_ALL },
		{ COARSE, "non-inclusive", MP_CPU_HOLDS_SOME },
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		snprintf(text, sizeof(text), "%s" L1 "\nlevel name=l2 size=128K "
			 "ways=2 line=128 latency=14 inclusion=%s\n"
			 "prefetch kind=adjacent into=l1d switch=no\n",
			 each[i].clock, each[i].inclusion);
		expect(text, 1, each[i].holds);
	}
}

static void each_kind_is_told_by_mean_times(void **state)
{
	(void)state;
	expect(COARSE L1 "\n" L2 "inclusion=exclusive\n", 1,
	       MP_CPU_HOLDS_OTHERS);
	expect(COARSE L1 "\n" L2 "inclusion=inclusive\n", 1,
	       MP_CPU_HOLDS_ALL);
	expect(COARSE L1 "\n" L2 "\n", 1, MP_CPU_HOLDS_SOME);
}

/* A ring of every other line, where the number of sets is odd, has not much more
 * than the level's ways in each of them: what stays in the level inside is put out
 * in a few of the rounds, all at once, and not at all in the others. */
static void what_is_lost_in_few_rounds_is_lost(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;

	(void)state;
	made_sim_open(&sim, COARSE
		      "level name=l1d size=128K ways=8 latency=6 policy=lru\n"
		      "level name=l2 size=1736192 ways=8 latency=30 "
		      "inclusion=inclusive\n");
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_edges(&sim, &edges);
	edges.full = true;
	made_hot_ask(&sim, &edges, 1, &hot);
	assert_true(hot.lost > 0.3);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_OTHERS);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_SOME);
}

/* Where every line is too many only some are walked: of an odd number of sets these
 * fill few ways, and what is not put out tells nothing. */
static void few_lines_do_not_drive_odd_sets_through(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;

	(void)state;
	made_sim_open(&sim, FINE
		      "level name=l1d size=512K ways=8 latency=6\n"
		      "level name=l2 size=25167872 ways=8 latency=30 "
		      "inclusion=exclusive\n");
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	sim.view.arena_max_bytes = 128u << 20;
	made_sim_edges(&sim, &edges);
	edges.full = true;
	made_hot_ask(&sim, &edges, 1, &hot);
	assert_int_equal(hot.holds, MP_CPU_HOLDS_UNKNOWN);
	assert_non_null(strstr(hot.why, "no power of two"));
}

/* What stays in the first level is lost by the second, which does not see it in use,
 * and so by exclusive ones behind it. So the ring that is to stay in the second
 * does not fit the first. */
static void what_stays_further_in_stays_no_further_in(void **state)
{
	static const uint32_t second[] = { 48 << 10, 80 << 10 };
	struct mp_cpu_hot_shape shape;
	struct mp_cpu_edges edges;
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%slevel name=l1d size=32K ways=8 "
			 "latency=4\nlevel name=l2 size=%u ways=8 latency=9\n"
			 "level name=l3 size=192K ways=12 latency=29 "
			 "inclusion=exclusive\n"
			 "level name=l4 size=1M ways=8 latency=82\n", FINE,
			 second[i]);
		made_sim_open(&sim, text);
		made_sim_edges(&sim, &edges);
		/* In the smaller one there is no room for such a ring. */
		assert_int_equal(!mp_cpu_hot_shape(&sim.view, &edges, 3,
						   MP_CPU_HOT_FURTHER, &shape),
				 i);
		assert_true(!i || shape.hot >= 32 << 10);
		made_sim_close(&sim);
	}
}

static void other_policies_tell_as_well(void **state)
{
	static const char *const inner[] = { "tree-plru", "bit-plru", "nru" };
	static const char *const outer[] = { "random", "fifo", "srrip" };
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), FINE L1 "policy=%s\n" L2
			 "policy=%s\n", inner[i], outer[i]);
		expect(text, 1, MP_CPU_HOLDS_SOME);
		snprintf(text, sizeof(text), FINE L1 "policy=%s\n" L2
			 "policy=%s inclusion=exclusive\n", inner[i],
			 outer[i]);
		expect(text, 1, MP_CPU_HOLDS_OTHERS);
	}
}

/* What was used again stays for some turns. */
static void inner_policies_that_go_by_use_tell_as_well(void **state)
{
	static const char *const policy[] = {
		"srrip", "qlru_h11_m1_r0_u0", "qlru_h00_m1_r0_u1",
		"qlru_h21_m2_r0_u0_umo",
	};
	static const char *const inclusion[] = {
		[MP_CPU_HOLDS_OTHERS] = "exclusive",
		[MP_CPU_HOLDS_ALL] = "inclusive",
		[MP_CPU_HOLDS_SOME] = "non-inclusive",
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(policy) / sizeof(policy[0]); i++) {
		for (uint32_t k = MP_CPU_HOLDS_OTHERS; k <= MP_CPU_HOLDS_SOME;
		     k++) {
			snprintf(text, sizeof(text), FINE L1 "policy=%s\n" L2
				 "inclusion=%s\n", policy[i], inclusion[k]);
			expect(text, 1, k);
		}
	}
}

/* There is hardly room to put H out, and none for a ring that fits. */
static void a_level_half_as_large_again_is_told(void **state)
{
	static const char l2[] = "level name=l2 size=24K ways=12 latency=14";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s%s inclusion=inclusive\n",
		 FINE L1 "\n", l2);
	expect(text, 1, MP_CPU_HOLDS_ALL);
	snprintf(text, sizeof(text), "%s%s\n", FINE L1 "\n", l2);
	expect(text, 1, MP_CPU_HOLDS_SOME);
	snprintf(text, sizeof(text), "%s%s policy=srrip\n",
		 FINE L1 "policy=nru\n", l2);
	expect(text, 1, MP_CPU_HOLDS_SOME);
}

/* What stays in the second level fits the first, too, but for what is walked
 * beside it. */
static void the_third_is_told_where_the_second_is_hardly_larger(void **state)
{
	static const char inside[] = FINE L1 "\nlevel name=l2 size=24K ways=12 "
				     "latency=14\nlevel name=l3 size=96K "
				     "ways=12 latency=40";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s\n", inside);
	expect(text, 2, MP_CPU_HOLDS_SOME);
	snprintf(text, sizeof(text), "%s inclusion=inclusive\n", inside);
	expect(text, 2, MP_CPU_HOLDS_ALL);
}

/* Of the third level, with all that the second says. */
static void expect_third(const char *text, uint32_t holds)
{
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;

	made_sim_open(&sim, text);
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_edges(&sim, &edges);
	made_hot_run(&sim, &edges, 1);
	made_hot_ask(&sim, &edges, 2, &hot);
	made_hot_is(&hot, holds, text);
}

/* Lines do not stay in the second level. In the first they do, and an inclusive
 * third takes them from there, too; one that is not leaves them, and whether it
 * has them itself is not seen if the second has lost them. */
static void what_stays_in_the_first_level_tells_of_the_third(void **state)
{
	static const struct {
		const char *second;
		const char *third;
		uint32_t holds;
	} each[] = {
		{ "policy=random", "inclusion=inclusive", MP_CPU_HOLDS_ALL },
		{ "policy=fifo", "inclusion=inclusive policy=srrip",
		  MP_CPU_HOLDS_ALL },
		{ "policy=random", "", MP_CPU_HOLDS_UNKNOWN },
		{ "policy=random", "inclusion=exclusive",
		  MP_CPU_HOLDS_UNKNOWN },
		{ "policy=random inclusion=inclusive", "policy=random",
		  MP_CPU_HOLDS_UNKNOWN },
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		snprintf(text, sizeof(text), FINE L1 "\nlevel name=l2 size=48K "
			 "ways=12 latency=14 %s\nlevel name=l3 size=192K "
			 "ways=12 latency=40 %s\n", each[i].second,
			 each[i].third);
		expect_third(text, each[i].holds);
	}
}

/* The ring that drives is as short as goes through the third level, lest it goes
 * through the fourth; where most of it stays, a longer one does. */
static void a_longer_ring_drives_what_keeps_a_short_one(void **state)
{
	(void)state;
	expect_third(FINE "level name=l1d size=50K ways=10 latency=4 "
		     "policy=bit-plru\nlevel name=l2 size=80K ways=16 latency=8 "
		     "policy=fifo\nlevel name=l3 size=192K ways=2 latency=16 "
		     "policy=srrip inclusion=inclusive\nlevel name=l4 size=320K "
		     "ways=20 latency=27 policy=qlru_h00_m1_r2_u1\n",
		     MP_CPU_HOLDS_ALL);
}

/* A second level that is exclusive gets what leaves the first: a third that is
 * exclusive, too, is given it in the end. */
static void behind_an_exclusive_level_the_first_tells_all(void **state)
{
	static const char inside[] = FINE L1 "\nlevel name=l2 size=64K ways=1 "
		"latency=14 inclusion=exclusive\nlevel name=l3 size=320K "
		"ways=20 latency=40";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s\n", inside);
	expect_third(text, MP_CPU_HOLDS_SOME);
	snprintf(text, sizeof(text), "%s inclusion=exclusive\n", inside);
	expect_third(text, MP_CPU_HOLDS_OTHERS);
}

/* Slots that lie farther apart than a page fall on some sets only: on the same
 * ones in all rings. */
static void rings_of_slots_far_apart_share_their_sets(void **state)
{
	struct mp_cpu_hot_shape shape;
	struct mp_cpu_edges edges;
	struct mp_exp exp;
	bool far = false;

	(void)state;
	made_sim_open(&sim, FINE "level name=l1d size=1M ways=8 line=128 latency=4\n"
		      "level name=l2 size=16M ways=8 line=128 latency=14\n");
	sim.view.arena_max_bytes = 64u << 20;
	made_sim_edges(&sim, &edges);
	for (uint32_t try = 0; try < MP_CPU_HOT_TRIES; try++) {
		if (mp_cpu_hot_shape(&sim.view, &edges, 1, try, &shape))
			continue;
		far |= shape.stride > 4096;
		mp_cpu_hot_exp(&sim.view, &shape, MP_CPU_HOT_DRIVEN, &exp);
		assert_int_equal(exp.actor[MP_CPU_HOT_R].offset % shape.stride,
				 0);
		assert_true(exp.actor[MP_CPU_HOT_R].offset >= shape.hot);
		assert_true(exp.actor[MP_CPU_HOT_R].offset + shape.r_ring <=
			    exp.arena[0].bytes);
	}
	assert_true(far);
	made_sim_close(&sim);
}

static void the_third_level_is_told_behind_the_second(void **state)
{
	(void)state;
	expect(FINE L1 "\n" L2 "\nlevel name=l3 size=768K ways=12 latency=40 "
	       "inclusion=exclusive\n", 2, MP_CPU_HOLDS_OTHERS);
	expect(FINE L1 "\n" L2 "\nlevel name=l3 size=768K ways=12 latency=40\n",
	       2, MP_CPU_HOLDS_SOME);
}

/* What is always thrown out in the order in which it came is in the inner
 * level and in the one behind the same lines, whether that is exclusive or
 * not. */
static void what_cannot_be_kept_hot_cannot_be_told(void **state)
{
	(void)state;
	expect(FINE L1 "policy=fifo\n" L2 "\n", 1, MP_CPU_HOLDS_UNKNOWN);
	expect(FINE L1 "policy=fifo\n" L2 "inclusion=exclusive\n", 1,
	       MP_CPU_HOLDS_UNKNOWN);
	expect(FINE "level name=l1d size=16K ways=1 latency=4\n" L2
	       "inclusion=exclusive\n", 1, MP_CPU_HOLDS_UNKNOWN);
}

/* Pages that lie anywhere crowd sets here, and those of R others than those of
 * H: whether it is gone is chance. */
static void where_pages_fall_is_not_taken_for_a_loss(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		made_sim_open(&sim, "machine name=a clock_mhz=4400 memory_latency=137\n"
			      "place pages=random thp=refused\n"
			      "clock tsc_mhz=3100 read=90 step=1\n"
			      "level name=l1d size=80K ways=32 latency=7 policy=nru\n"
			      "level name=l2 size=144K ways=1 latency=24 "
			      "index=physical inclusion=exclusive\n"
			      "level name=l3 size=384K ways=12 latency=68\n");
		sim.view.quiet = MP_WISH_PREFETCH_OFF;
		sim.view.seed = seed;
		ask_open(1, &hot);
		if (hot.holds && hot.holds != MP_CPU_HOLDS_OTHERS)
			fail_msg("%u by seed %llu: gone %.2f, %.2f at least",
				 hot.holds, (unsigned long long)seed, hot.gone,
				 hot.gone_least);
	}
}

/* What leaves by itself is used here then, and need not be lost. */
static void an_inclusive_level_need_not_lose_what_leaves_by_itself(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	ask(FINE L1 "policy=fifo\nlevel name=l2 size=24K ways=12 latency=14 "
	    "inclusion=inclusive\nlevel name=l3 size=96K ways=12 latency=40 "
	    "policy=qlru_h21_m2_r0_u0_umo inclusion=exclusive\n", 1, &hot);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_SOME);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_OTHERS);
}

/* Random lines leave, and the fewer the more of the walk finds its lines
 * inside; scattered pages hide that in a mean. */
static void leaving_by_chance_is_not_taken_for_being_put_out(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	ask("machine name=a clock_mhz=3000 memory_latency=200\n"
	    "place pages=random thp=refused\nclock tsc_mhz=3000 read=20\n"
	    "level name=l1d size=16K ways=8 latency=4 policy=random\n"
	    "level name=l2 size=128K ways=8 latency=14 policy=random "
	    "inclusion=inclusive\n"
	    "level name=l3 size=192K ways=12 latency=40 policy=fifo\n", 2,
	    &hot);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_ALL);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_OTHERS);
}

/* Few pages of one way each: those that the drive walks through put more lines out of
 * the level inside than those that the control does, and a level that takes nothing
 * back has lost half of them meanwhile. */
static void what_leaves_more_often_than_it_seemed_is_not_put_out(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		struct mp_cpu_edges edges;

		made_sim_open(&sim, "machine name=a clock_mhz=3200 memory_latency=367\n"
			      "place pages=random thp=granted huge=0\n"
			      "clock tsc_mhz=3200 step=1 read=74\n"
			      "level name=l1d size=32K ways=2 latency=4\n"
			      "level name=l2 size=1280K ways=1 latency=13 "
			      "index=physical inclusion=exclusive\n"
			      "level name=l3 size=3M ways=1 line=128 latency=34 "
			      "policy=nru index=physical slices=2\n");
		sim.view.quiet = MP_WISH_PREFETCH_OFF;
		sim.view.pages = MP_PAGES_THP;
		sim.view.seed = seed;
		made_sim_edges(&sim, &edges);
		made_hot_ask(&sim, &edges, 2, &hot);
		if (hot.holds == MP_CPU_HOLDS_ALL)
			fail_msg("by seed %llu: lost %.2f leaked %.2f still %.2f",
				 (unsigned long long)seed, hot.lost, hot.leaked,
				 hot.still);
	}
}

/* In a mean a few lines from memory are as many from the next level. */
static void means_do_not_make_few_losses_many(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	ask("machine name=a clock_mhz=3000 memory_latency=200\n"
	    "place pages=random thp=refused\n"
	    "clock tsc_mhz=3000 read=20 step=30\n"
	    "level name=l1d size=16K ways=4 latency=4 "
	    "policy=qlru_h00_m1_r2_u1\n"
	    "level name=l2 size=64K ways=16 latency=14 policy=random "
	    "inclusion=exclusive\n"
	    "level name=l3 size=96K ways=12 latency=40 "
	    "policy=qlru_h11_m1_r0_u0\n", 1, &hot);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_SOME);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_ALL);
}

/* The inclusive level behind puts lines out of all levels. */
static void a_level_further_out_is_not_taken_for_this_one(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	ask(FINE L1 "\n" L2 "\nlevel name=l3 size=192K ways=12 latency=40 "
	    "inclusion=inclusive\n", 1, &hot);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_ALL);
	assert_int_not_equal(hot.holds, MP_CPU_HOLDS_OTHERS);
	/* .. and does not where the ring fits it. */
	expect(FINE L1 "\n" L2 "\nlevel name=l3 size=256K ways=16 latency=40 "
	       "inclusion=inclusive\n", 1, MP_CPU_HOLDS_SOME);
	expect(FINE L1 "\n" L2 "inclusion=inclusive\nlevel name=l3 size=256K "
	       "ways=16 latency=40\n", 1, MP_CPU_HOLDS_ALL);
}

/* Half of the first level and the least ring take as much as the inclusive third
 * has, and more. A tenth of it leaves room. */
static void short_rings_fit_between_levels_that_are_near(void **state)
{
	static const char near[] = "\nlevel name=l3 size=192K ways=24 "
				   "latency=32 policy=nru inclusion=inclusive\n";
	static const struct {
		const char *inclusion;
		uint32_t holds;
	} each[] = {
		{ "", MP_CPU_HOLDS_SOME },
		{ "inclusion=inclusive", MP_CPU_HOLDS_ALL },
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), FINE "level name=l1d size=64K "
			 "ways=4 latency=4\nlevel name=l2 size=112K ways=7 "
			 "latency=14 %s%s", each[i].inclusion, near);
		expect(text, 1, each[i].holds);
	}
}

/* A shape of few ways that pages fill at random. */
static uint32_t crowded_shape(const struct mp_miss_table *table)
{
	for (uint32_t i = 0; i < MP_MISS_SHAPES; i++)
		if (table->shape[i].scatter != 0 &&
		    table->shape[i].ways <= MP_CPU_CROWDED_WAYS)
			return i;
	fail_msg("no shape of few ways");
	return 0;
}

/* Pages of 48 colours, and 36 of them in the longer ring: lines of the others
 * stay in the one way that there is, as those of an exclusive level would. */
static void ways_that_pages_leave_alone_are_not_taken_for_exclusive(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		struct mp_cpu_edges edges;
		struct mp_cpu_hot hot;

		made_sim_open(&sim, "machine name=a clock_mhz=2550 "
			      "memory_latency=349\n"
			      "place pages=random thp=refused\n"
			      "clock tsc_mhz=3400 read=39 step=1\n"
			      "level name=l1d size=96K ways=3 latency=7 policy=nru\n"
			      "level name=l2 size=192K ways=1 latency=27\n");
		sim.view.quiet = MP_WISH_PREFETCH_OFF;
		sim.view.seed = seed;
		made_sim_edges(&sim, &edges);
		/* Where few ways are crowded the edge comes early. */
		edges.edge[1].shape = crowded_shape(edges.table);
		edges.edge[1].size = 101 * 1024;
		edges.edge[1].low = 96 * 1024;
		edges.edge[1].high = 110 * 1024;
		made_hot_run(&sim, &edges, 1);
		assert_int_equal(mp_cpu_hot_judge(&sim.view, &edges, 1, &hot),
				 0);
		if (hot.holds == MP_CPU_HOLDS_OTHERS)
			fail_msg("seed %u: gone %.2f left %.2f",
				 (unsigned int)seed, hot.gone, hot.left);
		made_sim_close(&sim);
	}
}

static void without_phases_nothing_is_asked(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;

	(void)state;
	made_sim_open(&sim, FINE L1 "\n" L2 "\n");
	made_sim_edges(&sim, &edges);
	sim.view.caps &= ~MP_CAP_PHASES;
	assert_int_equal(mp_cpu_hot_plan(&sim.view, &edges, 1, &plan), 0);
	assert_int_equal(plan.n, 0);
	assert_int_equal(mp_cpu_hot_judge(&sim.view, &edges, 1, &hot), 0);
	assert_int_equal(hot.holds, MP_CPU_HOLDS_UNKNOWN);
	assert_non_null(hot.why);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_told_by_single_hops),
		cmocka_unit_test(without_a_line_no_level_is_exclusive),
		cmocka_unit_test(what_is_fetched_beside_keeps_nothing_in_use),
		cmocka_unit_test(each_kind_is_told_by_mean_times),
		cmocka_unit_test(what_is_lost_in_few_rounds_is_lost),
		cmocka_unit_test(few_lines_do_not_drive_odd_sets_through),
		cmocka_unit_test(what_stays_further_in_stays_no_further_in),
		cmocka_unit_test(other_policies_tell_as_well),
		cmocka_unit_test(inner_policies_that_go_by_use_tell_as_well),
		cmocka_unit_test(a_level_half_as_large_again_is_told),
		cmocka_unit_test(the_third_is_told_where_the_second_is_hardly_larger),
		cmocka_unit_test(where_pages_fall_is_not_taken_for_a_loss),
		cmocka_unit_test(an_inclusive_level_need_not_lose_what_leaves_by_itself),
		cmocka_unit_test(leaving_by_chance_is_not_taken_for_being_put_out),
		cmocka_unit_test(what_leaves_more_often_than_it_seemed_is_not_put_out),
		cmocka_unit_test(means_do_not_make_few_losses_many),
		cmocka_unit_test(the_third_level_is_told_behind_the_second),
		cmocka_unit_test(
			what_stays_in_the_first_level_tells_of_the_third),
		cmocka_unit_test(a_longer_ring_drives_what_keeps_a_short_one),
		cmocka_unit_test(behind_an_exclusive_level_the_first_tells_all),
		cmocka_unit_test(rings_of_slots_far_apart_share_their_sets),
		cmocka_unit_test(what_cannot_be_kept_hot_cannot_be_told),
		cmocka_unit_test(a_level_further_out_is_not_taken_for_this_one),
		cmocka_unit_test(short_rings_fit_between_levels_that_are_near),
		cmocka_unit_test(
			ways_that_pages_leave_alone_are_not_taken_for_exclusive),
		cmocka_unit_test(without_phases_nothing_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
