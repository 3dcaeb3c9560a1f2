// SPDX-License-Identifier: GPL-2.0
/* What a level holds by itself: simulated machines whose edges are known. */
#include "probe/cpu_stride.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_hot.h"

#define HOPS_MAX 800000u
#define PLANS 200u
#define KIB 1024.0

#define MACHINE(place) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place " place "\nclock tsc_mhz=3000 read=20 step=1\n"
#define ROW MACHINE("pages=contiguous")
#define HUGE_PAGES MACHINE("pages=random")
#define SCATTERED MACHINE("pages=random thp=refused")
#define L1 "level name=l1d size=16K ways=8 latency=4 "
#define L2 "level name=l2 size=128K ways=8 latency=14 "

/* Batches of one line, of all strides that are tried. */
#define SINGLES 18u

static struct made_sim sim;
static uint32_t made;

/* All that is wanted of a level, and what it says then. Its edge lies beyond
 * where it should by @old of the level inside, which keeps old lines. */
static void ask_beyond(const char *text, uint32_t k, double old,
		       struct mp_cpu_stride *stride)
{
	struct mp_cpu_edges edges;
	double more;

	made_sim_open(&sim, text);
	made_sim_edges(&sim, &edges);
	made = 0;
	more = old * edges.edge[k - 1].size;
	edges.edge[k].low += more;
	edges.edge[k].size += more;
	edges.edge[k].high += more;
	for (uint32_t i = 0; i < PLANS; i++) {
		struct mp_plan plan = { 0 };
		uint32_t n;

		assert_int_equal(mp_cpu_stride_plan(&sim.view, &edges, k,
						    &plan), 0);
		n = made_sim_run(&sim, &plan);
		made += n;
		if (!n)
			break;
	}
	mp_cpu_stride_judge(&sim.view, &edges, k, stride);
	if (sim.hops >= HOPS_MAX)
		fail_msg("%llu hops\n%s", (unsigned long long)sim.hops, text);
	made_sim_close(&sim);
}

static void ask(const char *text, uint32_t k, struct mp_cpu_stride *stride)
{
	ask_beyond(text, k, 0, stride);
}

/* What fits is found, or not, but nothing else is. */
static void expect_fits(const char *text, double old, bool known, double size)
{
	struct mp_cpu_stride stride;

	ask_beyond(text, 1, old, &stride);
	if ((known && (!stride.known || stride.holds)) ||
	    (stride.known && (stride.low > size || stride.high <= size)))
		fail_msg("%d, %u: %.1f .. %.1f KiB\n%s", stride.known,
			 stride.holds, stride.low / KIB, stride.high / KIB,
			 text);
}

static void expect(const char *text, uint32_t k, uint32_t holds, double size)
{
	struct mp_cpu_stride stride;

	ask(text, k, &stride);
	if (stride.holds != holds ||
	    (holds && (stride.low > size || stride.high <= size)))
		fail_msg("%u is not %u: %.1f .. %.1f KiB\n%s", stride.holds,
			 holds, stride.low / KIB, stride.high / KIB, text);
}

static void each_inner_policy_lets_it_tell(void **state)
{
	static const char *const policy[] = {
		"lru", "fifo", "random", "tree-plru", "bit-plru", "nru",
		"srrip",
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(policy) / sizeof(policy[0]); i++) {
		snprintf(text, sizeof(text), ROW L1 "policy=%s\n" L2
			 "inclusion=exclusive\n", policy[i]);
		expect(text, 1, MP_CPU_HOLDS_OTHERS, 128 * KIB);
		snprintf(text, sizeof(text), ROW L1 "policy=%s\n" L2
			 "inclusion=inclusive\n", policy[i]);
		expect(text, 1, MP_CPU_HOLDS_NO_OTHERS, 128 * KIB);
		snprintf(text, sizeof(text), ROW L1 "policy=%s\n" L2 "\n",
			 policy[i]);
		expect(text, 1, MP_CPU_HOLDS_NO_OTHERS, 128 * KIB);
	}
}

/* Lines that fall on sets unevenly, as of huge pages that are no multiple of a way, miss
 * before the level is full. Less than the edge says by more than three times what the
 * level inside holds is not that. */
static void much_less_than_others_hold_tells_nothing(void **state)
{
	static const char text[] = ROW L1 "policy=lru\n"
				   "level name=l2 size=256K ways=8 latency=14\n";
	struct mp_cpu_stride stride;

	(void)state;
	ask_beyond(text, 1, 1.25, &stride);
	assert_int_equal(stride.holds, MP_CPU_HOLDS_OTHERS);
	ask_beyond(text, 1, 3.5, &stride);
	assert_true(stride.known);
	assert_int_equal(stride.holds, MP_CPU_HOLDS_UNKNOWN);
}

static void each_outer_policy_lets_it_tell(void **state)
{
	static const char *const policy[] = {
		"fifo", "random", "bit-plru", "srrip",
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(policy) / sizeof(policy[0]); i++) {
		snprintf(text, sizeof(text), HUGE_PAGES L1 "policy=fifo\n" L2
			 "policy=%s inclusion=exclusive\n", policy[i]);
		expect(text, 1, MP_CPU_HOLDS_OTHERS, 128 * KIB);
		snprintf(text, sizeof(text), HUGE_PAGES L1 "policy=fifo\n" L2
			 "policy=%s\n", policy[i]);
		expect(text, 1, MP_CPU_HOLDS_NO_OTHERS, 128 * KIB);
	}
}

static void few_ways_and_odd_sets_tell_as_well(void **state)
{
	(void)state;
	expect(ROW "level name=l1d size=16K ways=1 latency=4\n" L2
	       "inclusion=exclusive\n", 1, MP_CPU_HOLDS_UNKNOWN, 0);
	/* A line more or less is all that two ways make. */
	expect(ROW "level name=l1d size=16K ways=2 latency=4\n"
	       "level name=l2 size=96K ways=3 latency=14 inclusion=exclusive\n",
	       1, MP_CPU_HOLDS_UNKNOWN, 0);
	expect(ROW "level name=l1d size=16K ways=4 latency=4\n"
	       "level name=l2 size=96K ways=3 latency=14 inclusion=exclusive\n",
	       1, MP_CPU_HOLDS_OTHERS, 96 * KIB);
	expect(ROW "level name=l1d size=32K ways=8 latency=4 policy=random\n"
	       "level name=l2 size=48K ways=6 latency=14 inclusion=exclusive\n",
	       1, MP_CPU_HOLDS_OTHERS, 48 * KIB);
	expect(ROW "level name=l1d size=32K ways=8 latency=4 policy=random\n"
	       "level name=l2 size=96K ways=4 latency=14\n",
	       1, MP_CPU_HOLDS_NO_OTHERS, 96 * KIB);
}

/* The level inside keeps lines that this one has lost, so that the edge may be
 * that of an exclusive level. What fits here is the same in both. */
static void what_fits_is_known_where_the_kind_is_not(void **state)
{
	static const char *const policy[] = { "lru", "random", "srrip" };
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(policy) / sizeof(policy[0]); i++) {
		snprintf(text, sizeof(text), ROW
			 "level name=l1d size=30K ways=20 latency=4 policy=fifo\n"
			 "level name=l2 size=96K ways=6 latency=14 policy=%s\n",
			 policy[i]);
		expect_fits(text, 0.45, true, 96 * KIB);
		snprintf(text, sizeof(text), HUGE_PAGES
			 "level name=l1d size=24K ways=12 latency=4 policy=random\n"
			 "level name=l2 size=48K ways=4 latency=14 policy=%s\n",
			 policy[i]);
		expect_fits(text, 0.45, true, 48 * KIB);
	}
}

/* Both rings fall on the same sets, here as inside. */
static void equal_spans_are_left_open(void **state)
{
	(void)state;
	expect(ROW "level name=l1d size=32K ways=2 latency=4 policy=fifo\n" L2
	       "inclusion=exclusive\n", 1, MP_CPU_HOLDS_UNKNOWN, 0);
	expect(ROW "level name=l1d size=32K ways=2 latency=4 policy=fifo\n" L2
	       "\n", 1, MP_CPU_HOLDS_UNKNOWN, 0);
}

/* Ages that never grow keep lines inside for good. */
static void what_does_not_leave_the_level_inside_is_seen(void **state)
{
	struct mp_cpu_stride stride;

	(void)state;
	ask(ROW L1 "policy=qlru_h00_m3_r0_u0\n" L2 "inclusion=exclusive\n", 1,
	    &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_NO_OTHERS);
	ask(ROW L1 "policy=qlru_h00_m3_r0_u0\n" L2 "\n", 1, &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_OTHERS);
}

static void scattered_pages_are_no_answer_or_the_right_one(void **state)
{
	struct mp_cpu_stride stride;

	(void)state;
	ask(SCATTERED L1 "policy=fifo\n" L2 "inclusion=exclusive\n", 1,
	    &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_NO_OTHERS);
	ask(SCATTERED L1 "policy=fifo\n" L2 "\n", 1, &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_OTHERS);
	ask(SCATTERED L1 "policy=fifo\n" L2 "slices=4\n", 1, &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_OTHERS);
	expect_fits(SCATTERED L1 "policy=fifo\n" L2 "\n", 0.45, false,
		    128 * KIB);
	expect_fits(SCATTERED L1 "policy=fifo\n" L2 "slices=4\n", 0.45, false,
		    128 * KIB);
	expect_fits(ROW L1 "policy=fifo\n" L2 "slices=4\n", 0.45, false,
		    128 * KIB);
}

/* Nothing more is asked once they are seen: not even how many lines fit. */
static void of_scattered_pages_only_single_lines_are_asked(void **state)
{
	struct mp_cpu_stride stride;

	(void)state;
	ask(ROW L1 "policy=fifo\n" L2 "\n", 1, &stride);
	assert_true(stride.known && made > SINGLES);
	ask(SCATTERED L1 "policy=fifo\n" L2 "\n", 1, &stride);
	assert_false(stride.known);
	assert_true(made > 0 && made <= SINGLES);
}

/* Lines so far apart share sets of a TLB. */
static void walks_are_not_taken_for_misses(void **state)
{
	static const char walks[] =
		"tlb level=1 page=4K entries=16 ways=4\nwalk cost=150\n";
	struct mp_cpu_stride stride;
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s%s", ROW L1 "policy=fifo\n" L2 "\n",
		 walks);
	ask(text, 1, &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_OTHERS);
	expect_fits(text, 0.45, false, 128 * KIB);
	snprintf(text, sizeof(text), "%s%s", ROW
		 "level name=l1d size=30K ways=20 latency=4 policy=random\n"
		 "level name=l2 size=96K ways=6 latency=14\n"
		 "level name=l3 size=384K ways=12 latency=26\n",
		 "tlb level=1 page=4K entries=16 ways=16\n"
		 "tlb level=2 page=4K entries=512 ways=16 cost=13\n");
	expect_fits(text, 0.45, false, 96 * KIB);
	snprintf(text, sizeof(text), "%s%s", ROW L1 "policy=fifo\n" L2
		 "inclusion=exclusive\n", walks);
	ask(text, 1, &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_NO_OTHERS);
}

/* Six pages that lie two apart are too many for ten entries in two sets: of the
 * level only half seemed to be there. */
static void a_few_pages_may_be_too_many_already(void **state)
{
	(void)state;
	expect_fits(HUGE_PAGES
		    "level name=l1d size=48K ways=4 line=128 latency=5 policy=bit-plru\n"
		    "level name=l2 size=80K ways=10 line=128 latency=12 "
		    "policy=lru inclusion=exclusive\n"
		    "level name=l3 size=512K ways=4 line=128 latency=25 slices=8\n"
		    "tlb level=1 page=4K entries=10 ways=5\nwalk cost=27\n",
		    0, false, 80 * KIB);
}

/* Hits inside, and what their translation costs, look like hits here: nothing
 * leaves the level inside then, as its odd number of sets keeps rings apart. */
static void translation_does_not_hide_the_level_inside(void **state)
{
	static const char tlbs[] =
		"tlb level=1 page=4K entries=16 ways=16\n"
		"tlb level=2 page=4K entries=2048 ways=8 cost=10\n";
	struct mp_cpu_stride stride;
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s%s", ROW
		 "level name=l1d size=144K ways=2 latency=4\n"
		 "level name=l2 size=233600 ways=2 latency=14\n", tlbs);
	ask(text, 1, &stride);
	assert_int_not_equal(stride.holds, MP_CPU_HOLDS_OTHERS);
}

static void the_third_level_is_told_behind_the_second(void **state)
{
	static const char inside[] = ROW L1 "policy=random\nlevel name=l2 "
				     "size=64K ways=8 latency=14 policy=random\n"
				     "level name=l3 size=256K ways=8 latency=40";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s inclusion=exclusive\n", inside);
	expect(text, 2, MP_CPU_HOLDS_OTHERS, 256 * KIB);
	snprintf(text, sizeof(text), "%s inclusion=inclusive\n", inside);
	expect(text, 2, MP_CPU_HOLDS_NO_OTHERS, 256 * KIB);
}

/* Lines a power of two apart, and those half as far beside them, fall on the same of
 * 44 sets of 32 ways: 64 KiB fit of 88 that lie beside 20. */
static void what_rings_that_crowd_each_other_leave_is_no_size(void **state)
{
	const struct mp_edge edge = { .size = 97 * KIB, .low = 94 * KIB, .high = 99 * KIB };
	struct mp_cpu_stride stride = {
		.known = true, .least = 62 * KIB, .low = 64 * KIB, .high = 68 * KIB,
	};

	(void)state;
	assert_false(mp_cpu_stride_goes(&stride, &edge, 1, 20.6 * KIB));
	/* .. unless the edge is that of no shape, or more may lie inside. */
	assert_true(mp_cpu_stride_goes(&stride, &edge, 1.1, 20.6 * KIB));
	assert_true(mp_cpu_stride_goes(&stride, &edge, 1, 28 * KIB));
	stride.holds = MP_CPU_HOLDS_OTHERS;
	assert_true(mp_cpu_stride_goes(&stride, &edge, 1, 20.6 * KIB));
	stride = (struct mp_cpu_stride){
		.known = true, .least = 84 * KIB, .low = 88 * KIB, .high = 96 * KIB,
	};
	assert_true(mp_cpu_stride_goes(&stride, &edge, 1, 20.6 * KIB));
	stride = (struct mp_cpu_stride){
		.known = true, .least = 160 * KIB, .low = 176 * KIB, .high = 192 * KIB,
	};
	assert_false(mp_cpu_stride_goes(&stride, &edge, 1, 20.6 * KIB));
}

static void without_phases_nothing_is_asked(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_cpu_stride stride;
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, ROW L1 "\n" L2 "\n");
	made_sim_edges(&sim, &edges);
	sim.view.caps &= ~MP_CAP_PHASES;
	assert_int_equal(mp_cpu_stride_plan(&sim.view, &edges, 1, &plan), 0);
	assert_int_equal(plan.n, 0);
	mp_cpu_stride_judge(&sim.view, &edges, 1, &stride);
	assert_int_equal(stride.holds, MP_CPU_HOLDS_UNKNOWN);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_inner_policy_lets_it_tell),
		cmocka_unit_test(each_outer_policy_lets_it_tell),
		cmocka_unit_test(much_less_than_others_hold_tells_nothing),
		cmocka_unit_test(few_ways_and_odd_sets_tell_as_well),
		cmocka_unit_test(what_fits_is_known_where_the_kind_is_not),
		cmocka_unit_test(equal_spans_are_left_open),
		cmocka_unit_test(what_does_not_leave_the_level_inside_is_seen),
		cmocka_unit_test(scattered_pages_are_no_answer_or_the_right_one),
		cmocka_unit_test(of_scattered_pages_only_single_lines_are_asked),
		cmocka_unit_test(walks_are_not_taken_for_misses),
		cmocka_unit_test(a_few_pages_may_be_too_many_already),
		cmocka_unit_test(translation_does_not_hide_the_level_inside),
		cmocka_unit_test(the_third_level_is_told_behind_the_second),
		cmocka_unit_test(
			what_rings_that_crowd_each_other_leave_is_no_size),
		cmocka_unit_test(without_phases_nothing_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
