// SPDX-License-Identifier: GPL-2.0
/* Exclusive, inclusive or neither where levels lie near each other: simulated machines
 * whose edges are known. */
#include "probe/cpu_hot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "made_hops.h"
#include "made_hot.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_hot_back.h"
#include "probe/cpu_hot_shape.h"

static struct made_sim sim;

/* What is made of all that is wanted of the second level. */
static void ask(const char *text, struct mp_cpu_hot *hot)
{
	struct mp_cpu_edges edges;

	made_hot_open(&sim, text, &edges);
	made_hot_ask(&sim, &edges, 1, hot);
}

static void expect(const char *text, uint32_t holds)
{
	struct mp_cpu_hot hot;

	ask(text, &hot);
	made_hot_is(&hot, holds, text);
}

/* An inclusive level hardly larger than the one inside is told by means as well: where
 * it is not driven through nothing leaves that, by a ring that has to be longer than
 * the half of it. */
static void means_tell_a_level_not_much_larger(void **state)
{
	static const char *const each[] = {
		"level name=l1d size=12K ways=12 latency=3 policy=srrip\n"
		"level name=l2 size=24K ways=24 latency=11 policy=bit-plru",
		"level name=l1d size=32K ways=4 latency=4\n"
		"level name=l2 size=96K ways=6 latency=10 policy=nru",
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct mp_cpu_hot hot;

		snprintf(text, sizeof(text), COARSE "%s inclusion=inclusive\n",
			 each[i]);
		expect(text, MP_CPU_HOLDS_ALL);
		snprintf(text, sizeof(text), COARSE "%s\n", each[i]);
		ask(text, &hot);
		assert_int_not_equal(hot.holds, MP_CPU_HOLDS_ALL);
		assert_int_not_equal(hot.holds, MP_CPU_HOLDS_OTHERS);
	}
}

/* Of a ring that fits the outer level the inner one keeps half, and drops nothing of
 * what is in use; with the drive all that it drops comes back from beyond. */
static void what_leaves_with_the_drive_alone_is_put_out(void **state)
{
	struct mp_cpu_hot hot;

	(void)state;
	expect(FINE "level name=l1d size=64K ways=4 latency=4 policy=srrip\n"
	       "level name=l2 size=96K ways=6 latency=16 inclusion=inclusive\n",
	       MP_CPU_HOLDS_ALL);
	for (uint32_t i = 0; i < 2; i++) {
		ask(i ? FINE "level name=l1d size=64K ways=4 latency=4 policy=srrip\n"
			"level name=l2 size=96K ways=6 latency=16\n" :
			FINE "level name=l1d size=64K ways=4 latency=4 policy=random\n"
			"level name=l2 size=96K ways=6 latency=16\n", &hot);
		assert_int_not_equal(hot.holds, MP_CPU_HOLDS_ALL);
	}
}

/* By means, too, a ring that fits a next level that is near drives this one through, and
 * what stays inside all the same is taken back by neither. */
static void means_tell_what_is_near_the_next_level(void **state)
{
	(void)state;
	expect(COARSE "level name=l1d size=32K ways=8 latency=4\n"
	       "level name=l2 size=120K ways=15 latency=13\n"
	       "level name=l3 size=188672 ways=22 latency=45\n",
	       MP_CPU_HOLDS_SOME);
}

/* What does not may have been taken by an inclusive third, as some of that ring goes
 * further: few of its hops, which a mean does not show. */
static void what_a_near_level_takes_back_is_not_this_ones_doing(void **state)
{
	static const char *const inner[] = { "lru", "random", "srrip" };
	static const char *const outer[] = { "random", "fifo", "tree-plru" };

	(void)state;
	for (uint32_t i = 0; i < 36; i++) {
		struct mp_cpu_hot hot;
		char text[512];

		snprintf(text, sizeof(text),
			 "machine name=a clock_mhz=3000 memory_latency=%u\n"
			 "place pages=random thp=refused\n"
			 "clock tsc_mhz=3000 read=20 step=30\n"
			 "level name=l1d size=32K ways=8 latency=4\n"
			 "level name=l2 size=120K ways=15 latency=13 "
			 "index=physical policy=%s\n"
			 "level name=l3 size=%uK ways=16 latency=45 "
			 "index=physical policy=%s inclusion=inclusive\n",
			 i % 2 ? 500 : 200, inner[i / 2 % 3],
			 i / 6 % 2 ? 176 : 168, outer[i / 12]);
		ask(text, &hot);
		if (hot.holds == MP_CPU_HOLDS_ALL ||
		    hot.holds == MP_CPU_HOLDS_OTHERS)
			made_hot_is(&hot, MP_CPU_HOLDS_SOME, text);
	}
}

/* How much is put out of the inner level may differ from one replicate to the next, as
 * a walk is cut short; of that, what is gone does not. */
static void what_is_gone_is_a_share_of_what_left(void **state)
{
	static const struct made_kind left[] = { { 0.2, 14, 0 }, { 0.8, 40, 0 } };
	static const struct made_kind stayed = { 1, 4, 0 };
	const struct mp_spectrum spectrum = { .n = 3, .bound = { 9, 27 } };
	static struct made_hops hops;
	struct mp_view view = { .n_batches = 3 };
	double most[2];

	(void)state;
	made_hops_open(&hops, 1);
	made_hops_add(&hops, 65536, view.n_batches, left, 2);
	view.batch = hops.list[0];
	for (uint32_t i = 0; i < 5; i++)
		made_hops_fill(&hops, &hops.batch[0][1], &stayed, 1);
	mp_cpu_hot_gone_most(&view, hops.at[0].id, MP_CPU_HOT_T, &spectrum, 1,
			     most);
	assert_true(most[0] > 0.75 && most[1] < 0.85 && most[0] < most[1]);
	/* Nothing of what has not left is gone, or is not. */
	mp_cpu_hot_gone_most(&view, hops.at[0].id, MP_CPU_HOT_H, &spectrum, 1,
			     most);
	assert_true(most[0] == 1 && most[1] == 0);
	made_hops_add(&hops, 32768, view.n_batches, &stayed, 1);
	view.batch = hops.list[1];
	mp_cpu_hot_gone_most(&view, hops.at[1].id, MP_CPU_HOT_T, &spectrum, 1,
			     most);
	assert_true(most[0] == 0 && most[1] == 1);
	made_hops_close(&hops);
}

/* An edge over scattered pages may leave a factor of four open; a count of what is
 * there does not. */
static void a_count_says_what_an_edge_leaves_open(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;

	(void)state;
	for (uint32_t known = 0; known < 2; known++) {
		made_hot_open(&sim, FINE L1 "\n" L2 "\n", &edges);
		edges.edge[1].low = 32 << 10;
		edges.edge[1].high = 132 << 10;
		edges.count[1].known = known;
		edges.count[1].all_low = 120 << 10;
		made_hot_ask(&sim, &edges, 1, &hot);
		assert_int_equal(hot.holds, known ? MP_CPU_HOLDS_SOME :
						    MP_CPU_HOLDS_UNKNOWN);
	}
}

/* What brings translations back brings no slot back, however far apart those lie: each
 * of their pages is visited, in another line. */
static void translations_come_back_without_lines(void **state)
{
	static const uint32_t ring[] = { MP_CPU_HOT_PAGES_T, MP_CPU_HOT_PAGES_H };
	static const char text[] = FINE
		"level name=l1d size=1M ways=8 line=128 latency=4\n"
		"level name=l2 size=16M ways=8 line=256 latency=14\n";
	struct mp_cpu_hot_shape shape;
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;
	struct mp_exp exp;

	(void)state;
	made_hot_open(&sim, text, &edges);
	assert_null(mp_cpu_hot_shape(&sim.view, &edges, 1, 0, &shape));
	assert_true(shape.stride > 4096);
	mp_cpu_hot_exp(&sim.view, &shape, MP_CPU_HOT_DRIVEN, &exp);
	for (uint32_t i = 0; i < 2; i++) {
		const struct mp_actor *pages = &exp.actor[ring[i]];

		assert_int_equal(pages->length / pages->stride,
				 shape.hot / shape.stride);
		assert_int_equal(pages->stride, shape.stride);
		assert_in_range(pages->offset, 256, 4096 - 256);
	}
	made_hot_ask(&sim, &edges, 1, &hot);
	made_hot_is(&hot, MP_CPU_HOLDS_SOME, text);
}

/* A ring that fits the outer level beside H is hardly longer than the inner one, which
 * keeps most of it: so it is walked further in each round. */
static void a_ring_that_fits_is_walked_as_far_as_puts_as_much_out(void **state)
{
	static const char inside[] = FINE
		"level name=l1d size=16K ways=8 latency=4\n"
		"level name=l2 size=128K ways=16 latency=14 policy=srrip\n"
		"level name=l3 size=176K ways=44 latency=31";
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;
	char text[512];

	(void)state;
	for (uint32_t inclusive = 0; inclusive < 2; inclusive++) {
		snprintf(text, sizeof(text), "%s %s\n", inside,
			 inclusive ? "inclusion=inclusive" : "");
		made_hot_open(&sim, text, &edges);
		made_hot_ask(&sim, &edges, 2, &hot);
		made_hot_is(&hot, inclusive ? MP_CPU_HOLDS_ALL :
					      MP_CPU_HOLDS_SOME, text);
	}
}

/* What an inclusive level outside puts out of all is little, and may have come from
 * further out still: an exclusive level has been given H all the same. */
static void what_is_put_out_of_all_hides_no_exclusive_level(void **state)
{
	static const struct mp_cpu_hot seen = {
		.left = 0.98, .gone = -0.01, .gone_least = -0.06,
		.lost = 0.094, .past = 0.378, .leaked = 0.102,
	};
	struct mp_cpu_hot hot = seen;

	(void)state;
	mp_cpu_hot_decide(true, &hot);
	assert_int_equal(hot.holds, MP_CPU_HOLDS_OTHERS);
	/* Where much is put out the level may have been given it again. */
	hot = seen;
	hot.lost = hot.leaked = 0.2;
	mp_cpu_hot_decide(true, &hot);
	assert_int_equal(hot.holds, MP_CPU_HOLDS_UNKNOWN);
	assert_non_null(strstr(hot.why, "a level further out"));
	/* One that had it all the while has lost it, whatever is put out. */
	hot = seen;
	hot.gone = hot.gone_least = 0.9;
	mp_cpu_hot_decide(true, &hot);
	assert_int_equal(hot.holds, MP_CPU_HOLDS_UNKNOWN);
}

/* One that drops lines of its own loses more beyond a level that takes them back, by
 * chance, than one that keeps them. */
static void what_leaks_is_put_out_by_more_than_chance(void **state)
{
	struct mp_cpu_hot hot = { .lost = 0.83, .leaked = 2.25, .still = 1.27 };

	(void)state;
	assert_true(mp_cpu_hot_may_put_out(true, &hot));
	assert_false(mp_cpu_hot_puts_out(true, &hot));
	hot.lost = 0.95;
	assert_true(mp_cpu_hot_puts_out(true, &hot));
}

/* Slots far apart fill no odd number of sets: where they tell nothing, nearer ones are
 * tried. */
static void nearer_slots_fill_sets_that_far_ones_leave_alone(void **state)
{
	static const char text[] = FINE
		"level name=l1d size=72K ways=18 line=32 latency=7\n"
		"level name=l2 size=784K ways=14 line=32 latency=12\n"
		"level name=l3 size=1176K ways=4 line=32 latency=38 "
		"policy=random inclusion=exclusive slices=4\n";
	struct mp_cpu_hot_shape far, near;
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;

	(void)state;
	made_hot_open(&sim, text, &edges);
	assert_null(mp_cpu_hot_shape(&sim.view, &edges, 2, 0, &far));
	assert_null(mp_cpu_hot_shape(&sim.view, &edges, 2, 1, &near));
	assert_true(near.stride < far.stride);
	made_hot_ask(&sim, &edges, 2, &hot);
	made_hot_is(&hot, MP_CPU_HOLDS_OTHERS, text);
}

/* The second level holds 256 KiB, by its limits up to 260, in few ways over scattered
 * pages: of a ring that the third hardly holds some hops miss that, and most hit. */
static void a_few_that_miss_the_next_level_walk_through_nothing(void **state)
{
	static const char text[] =
		"machine name=a clock_mhz=5150 memory_latency=320\n"
		"clock tsc_mhz=2700 step=1 read=51\nplace pages=random thp=refused\n"
		"level name=l1d size=128K ways=8 line=32 latency=7\n"
		"level name=l2 size=256K ways=4 line=128 latency=18 policy=fifo "
		"index=physical\n"
		"level name=l3 size=384K ways=4 line=128 latency=31 "
		"policy=tree-plru index=physical inclusion=inclusive slices=4\n"
		"tlb level=1 page=4K entries=48 ways=24\n"
		"tlb level=2 page=4K entries=384 ways=6 cost=8\nwalk cost=29\n"
		"noise gaps=0.02 gap_us=2..400\n";

	(void)state;
	for (uint32_t seed = 1; seed <= 8; seed++) {
		struct mp_cpu_edges edges;
		struct mp_cpu_hot hot;

		made_hot_open(&sim, text, &edges);
		sim.view.seed = seed;
		edges.edge[1].low = 143 << 10;
		edges.edge[1].size = 160 << 10;
		edges.edge[1].high = 260 << 10;
		edges.edge[2].low = 240 << 10;
		made_hot_ask(&sim, &edges, 1, &hot);
		assert_true(hot.n > 0);
		assert_int_not_equal(hot.holds, MP_CPU_HOLDS_OTHERS);
	}
}

/* What is to walk through a level fits it, as that is larger than its limits say: it
 * takes longer for its pages, which a first TLB does not hold. */
static void what_walks_for_its_pages_may_fit(void **state)
{
	static const char text[] =
		"machine name=a clock_mhz=3650 memory_latency=132\n"
		"clock tsc_mhz=3500 step=1 read=87\nplace pages=random thp=granted\n"
		"level name=l1d size=128K ways=8 line=256 latency=6 policy=srrip\n"
		"level name=l2 size=6M ways=12 line=256 latency=11 "
		"policy=bit-plru index=physical inclusion=inclusive\n"
		"level name=l3 size=10M ways=8 line=256 latency=29 "
		"policy=random index=physical\n"
		"tlb level=1 page=4K entries=72 ways=9\nwalk cost=47\n";
	struct mp_cpu_edges edges;
	struct mp_cpu_hot hot;

	(void)state;
	made_hot_open(&sim, text, &edges);
	edges.edge[1].low = 2000 << 10;
	edges.edge[1].size = edges.edge[1].high = 2931 << 10;
	made_hot_ask(&sim, &edges, 1, &hot);
	made_hot_is(&hot, MP_CPU_HOLDS_UNKNOWN, text);
	assert_non_null(strstr(hot.why, "does not miss it"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_tell_a_level_not_much_larger),
		cmocka_unit_test(what_leaves_with_the_drive_alone_is_put_out),
		cmocka_unit_test(means_tell_what_is_near_the_next_level),
		cmocka_unit_test(what_a_near_level_takes_back_is_not_this_ones_doing),
		cmocka_unit_test(what_is_gone_is_a_share_of_what_left),
		cmocka_unit_test(a_count_says_what_an_edge_leaves_open),
		cmocka_unit_test(translations_come_back_without_lines),
		cmocka_unit_test(
			a_ring_that_fits_is_walked_as_far_as_puts_as_much_out),
		cmocka_unit_test(what_is_put_out_of_all_hides_no_exclusive_level),
		cmocka_unit_test(what_leaks_is_put_out_by_more_than_chance),
		cmocka_unit_test(nearer_slots_fill_sets_that_far_ones_leave_alone),
		cmocka_unit_test(a_few_that_miss_the_next_level_walk_through_nothing),
		cmocka_unit_test(what_walks_for_its_pages_may_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
