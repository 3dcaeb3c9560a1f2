// SPDX-License-Identifier: GPL-2.0
/* Ways of levels whose number of sets is hard to guess, by what of a ring in
 * random order misses them. */
#include <stdio.h>

#include "ask_ways.h"
#include "made_view.h"
#include "probe/ways_comb.h"
#include "probe/ways_held.h"
#include "probe/ways_level.h"

#define KIB 1024.0
#define HEAD "machine name=x clock_mhz=3000 memory_latency=290\n" \
	     "tlb level=1 page=4K entries=64 ways=4\n" \
	     "tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n"
#define CLOCK "clock tsc_mhz=3000 step=1 read=40\n"
#define HUGE_PAGES "place pages=random thp=granted\n"

static struct sim_ask ask;

static int end(void **state)
{
	(void)state;
	sim_ask_free(&ask);
	return 0;
}

/* Is what a fact goes by such rings? */
static bool is_by_combs(const char *name)
{
	const struct mp_fact *fact = sim_ask_fact(&ask, name);
	uint32_t n = 0;

	for (uint32_t e = 0; e < fact->n_evidence; e++)
		for (uint32_t i = 0; i < ask.view.n_batches; i++) {
			const struct mp_batch *batch = ask.batch[i];

			if (batch->id != fact->evidence[e] ||
			    batch->exp.actor[0].detail != MP_DETAIL_TICKS)
				continue;
			n++;
			break;
		}
	return n == 2 && fact->n_evidence == 2;
}

/* Rings of hops that are timed one by one, in their order. */
static uint32_t n_combs(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ask.view.n_batches; i++)
		n += ask.batch[i]->exp.actor[0].detail == MP_DETAIL_TICKS;
	return n;
}

/* 1099 sets behind a level that keeps lines for long, and behind them a round
 * number. */
#define LEAKY HEAD \
	"level name=l1d size=48K ways=6 line=32 latency=5 policy=bit-plru\n" \
	"level name=l2 size=527520 ways=15 line=32 latency=16 policy=nru " \
	"index=physical\n" \
	"level name=l3 size=1M ways=4 line=32 latency=35 " \
	"policy=qlru_h00_m1_r2_u1\n" \
	"level name=l4 size=1536K ways=8 line=32 latency=71 " \
	" index=physical\n"

static void numbers_of_sets_are_found_behind_leaky_levels(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		LEAKY HUGE_PAGES CLOCK,
		{ 48 * KIB, 527520, 1024 * KIB, 1536 * KIB }, { 5, 16, 35, 71 },
		290, 32, "non-inclusive", 0.02 });
	ask_ways_found(&ask, "cpu.l2.ways", 15);
	ask_ways_found(&ask, "cpu.l3.ways", 4);
	assert_true(is_by_combs("cpu.l2.ways"));
	assert_true(is_by_combs("cpu.l3.ways"));
}

/* .. but how far apart the lines of a set lie is told only of a regular number
 * of sets: else there may be one more or less. */
static void one_set_more_or_less_is_not_hidden(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		LEAKY HUGE_PAGES CLOCK,
		{ 48 * KIB, 527520, 1024 * KIB, 1536 * KIB }, { 5, 16, 35, 71 },
		290, 32, "non-inclusive", 0.02 });
	assert_null(mp_facts_find_series(&ask.found, "cpu.l2.ways"));
	assert_non_null(mp_facts_find_series(&ask.found, "cpu.l3.ways"));
	assert_true(mp_facts_find_series(&ask.found,
					 "cpu.l3.ways")->point[0].x ==
		    256 * KIB);
}

/* Four ways of 4 MiB each, behind a level that replaces at random. */
#define LARGE HEAD \
	"level name=l1d size=60K ways=24 latency=4 policy=fifo\n" \
	"level name=l2 size=2304K ways=16 latency=8 policy=random " \
	"index=physical inclusion=inclusive\n" \
	"level name=l3 size=16M ways=4 latency=25 index=physical\n" \
	"place pages=contiguous\n" CLOCK

static void ways_of_many_pages_in_a_row_are_counted(void **state)
{
	const struct mp_series *series;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		LARGE, { 60 * KIB, 2304 * KIB, 16384 * KIB }, { 4, 8, 25 },
		290, 64, NULL, 0.05 });
	ask_ways_found(&ask, "cpu.l3.ways", 4);
	series = mp_facts_find_series(&ask.found, "cpu.l3.ways");
	assert_non_null(series);
	assert_true(series->point[0].x == 4096 * KIB);
}

/* What is no multiple of a line is not a regular number of them. */
static void without_lines_it_is_not_told_how_far_apart_they_lie(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		LARGE, { 60 * KIB, 2304 * KIB, 16384 * KIB }, { 4, 8, 25 },
		290, 0, NULL, 0.05 });
	ask_ways_found(&ask, "cpu.l3.ways", 4);
	assert_null(mp_facts_find_series(&ask.found, "cpu.l3.ways"));
}

/* The lines of a set are those of one set inside, too, which always holds as many
 * of them as it has room for: 8 and 12 look like 20. */
static void what_two_levels_hold_is_not_taken_for_one(void **state)
{
	const struct mp_fact *ways;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=40448 ways=8 latency=4\n"
		"level name=l2 size=60672 ways=12 latency=14 "
		"inclusion=exclusive index=physical\n" HUGE_PAGES CLOCK,
		{ 40448, 101120 }, { 4, 14 }, 290, 64, NULL, 0.45 });
	ways = sim_ask_fact(&ask, "cpu.l2.ways");
	assert_true(n_combs() > 0);
	assert_true(ways->verdict == MP_NOT_MEASURABLE || ways->value == 12);
}

/* Nor does one that is known to be exclusive hold what looks like one more of each
 * set: 2048 lines inside, beside 587 sets of 12 ways. */
static void what_lies_inside_is_no_way_of_an_exclusive_level(void **state)
{
	const struct mp_fact *ways;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=64K ways=16 line=32 latency=5 "
		"policy=nru index=physical\n"
		"level name=l2 size=225408 ways=12 line=32 latency=24 "
		"policy=bit-plru inclusion=exclusive index=physical\n"
		HUGE_PAGES CLOCK,
		{ 64 * KIB, 235763 }, { 5, 24 }, 290, 32, "exclusive", 0.1 });
	ways = sim_ask_fact(&ask, "cpu.l2.ways");
	assert_int_equal(n_combs(), 0);
	assert_true(ways->verdict == MP_NOT_MEASURABLE || ways->value == 12);
}

/* .. nor where the sets here seem to begin anew after one line more than those
 * inside: 1025 lines that are 1024. What is less than a span is no multiple. */
static void a_span_is_known_to_a_line(void **state)
{
	(void)state;
	assert_true(mp_ways_is_multiple(65536, 0, 65536, 64));
	assert_true(mp_ways_is_multiple(65536, 0, 65600, 64));
	assert_true(mp_ways_is_multiple(131072, 0, 65600, 64));
	assert_true(mp_ways_is_multiple(65600, 64, 65536, 64));
	assert_false(mp_ways_is_multiple(65536, 0, 65728, 64));
	assert_false(mp_ways_is_multiple(4096, 0, 65600, 64));
	assert_false(mp_ways_is_multiple(98304, 0, 65600, 64));
}

/* One of 14 lines of a set stays in the first level for good, and 13 ways hold
 * the others. */
static void a_line_that_is_kept_inside_is_not_counted(void **state)
{
	const struct mp_fact *ways;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=16K ways=8 line=32 latency=3 "
		"policy=bit-plru\n"
		"level name=l2 size=26K ways=13 line=32 latency=6 "
		"index=physical\n"
		"level name=l3 size=64K ways=16 line=32 latency=12 "
		"index=physical\n" HUGE_PAGES CLOCK,
		{ 16 * KIB, 27.5 * KIB, 64 * KIB }, { 3, 6, 12 },
		250, 32, "non-inclusive", 0.06 });
	ways = sim_ask_fact(&ask, "cpu.l2.ways");
	assert_true(n_combs() > 0);
	assert_true(ways->verdict == MP_NOT_MEASURABLE || ways->value == 13);
}

/* A hash over slices leaves no period. */
static void slices_have_no_period(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=48K ways=6 latency=5\n"
		"level name=l2 size=1M ways=8 latency=16 index=physical "
		"slices=4\n" HUGE_PAGES CLOCK,
		{ 48 * KIB, 1024 * KIB }, { 5, 16 },
		290, 64, "non-inclusive", 0.02 });
	assert_int_equal(sim_ask_fact(&ask, "cpu.l2.ways")->verdict,
			 MP_NOT_MEASURABLE);
	assert_true(n_combs() > 0);
}

/* Two slices of 8 ways: 16 lines are never too many, and 17 always are. But it is
 * the same nine of them that miss. */
static void lines_of_slices_are_not_counted_together(void **state)
{
	struct mp_ways_sets sets = { .line = 64, .grain = 64 };
	struct mp_ways_rig rig = { .view = &ask.view, .sets = &sets };
	struct mp_ways_comb comb;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=16K ways=1 latency=4\n"
		"level name=l2 size=192K ways=12 latency=8 index=physical "
		"policy=qlru_h21_m2_r0_u0_umo\n"
		"level name=l3 size=512K ways=8 latency=17 index=physical "
		"slices=2\nplace pages=contiguous\n" CLOCK,
		{ 16 * KIB, 192 * KIB, 512 * KIB }, { 4, 8, 17 },
		290, 64, "non-inclusive", 0.08 });
	assert_int_equal(sim_ask_fact(&ask, "cpu.l3.ways")->verdict,
			 MP_NOT_MEASURABLE);
	rig.pages = ask.view.pages;
	assert_true(mp_ways_level_known(&ask.view, 2, &rig.level));
	assert_int_equal(mp_ways_comb_look(&rig, &comb), 0);
	assert_int_equal(comb.outcome, MP_WAYS_COMB_FOUND);
	assert_int_equal(mp_ways_comb_prove(&rig, 16, &comb), 0);
	assert_int_equal(comb.outcome, MP_WAYS_COMB_NONE);
}

/* Neither a coarse clock nor small pages allow of such rings. */
static void where_hops_or_pages_tell_nothing_no_ring_is_walked(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		LEAKY HUGE_PAGES "clock tsc_mhz=24 step=1 read=40\n",
		{ 48 * KIB, 527520, 1024 * KIB, 1536 * KIB }, { 5, 16, 35, 71 },
		290, 32, "non-inclusive", 0.02 });
	assert_int_equal(n_combs(), 0);
	sim_ask_free(&ask);
	ask_ways(&ask, &(struct ask_ways){
		LEAKY "place pages=random thp=refused\n" CLOCK,
		{ 48 * KIB, 527520, 1024 * KIB, 1536 * KIB }, { 5, 16, 35, 71 },
		290, 32, "non-inclusive", 0.02 });
	assert_int_equal(n_combs(), 0);
}

/* 2 MiB pages that lie anywhere are no matter to a level that goes by virtual
 * addresses: the same sets are too full in each. By physical ones they are not. */
static void sets_that_go_on_from_page_to_page_are_told(void **state)
{
	static const char *const index[] = { "virtual", "physical" };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		char text[768];

		snprintf(text, sizeof(text), HEAD
			"level name=l1d size=128K ways=2 latency=6\n"
			"level name=l2 size=832K ways=26 latency=29 index=physical\n"
			"level name=l3 size=2496K ways=8 latency=51 policy=nru "
			"index=%s\n" HUGE_PAGES CLOCK, index[i]);
		ask_ways(&ask, &(struct ask_ways){
			text, { 128 * KIB, 832 * KIB, 2496 * KIB },
			{ 6, 29, 51 }, 290, 64, "non-inclusive", 0.3 });
		if (!i)
			ask_ways_found(&ask, "cpu.l3.ways", 8);
		else
			assert_int_equal(sim_ask_fact(&ask, "cpu.l3.ways")->verdict,
					 MP_NOT_MEASURABLE);
		sim_ask_free(&ask);
	}
}

/* A clock of 3.6 cycles a step tells a hop of 128 from others, but not one of 10
 * from one of 6: how many those are is known of their mean. */
static void a_clock_that_tells_no_more_than_misses_will_do(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=96K ways=16 latency=6 "
		"policy=tree-plru\n"
		"level name=l2 size=512K ways=8 latency=10 policy=random "
		"index=physical\n" HUGE_PAGES
		"clock tsc_mhz=2500 step=3 read=40\n",
		{ 96 * KIB, 512 * KIB }, { 6, 10 }, 290, 64, NULL, 0.03 });
	ask_ways_found(&ask, "cpu.l2.ways", 8);
	assert_true(is_by_combs("cpu.l2.ways"));
}

/* .. but not where the ring is as long as this. */
static void no_ring_of_a_large_level_is_walked_for_misses_alone(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=96K ways=16 latency=6 "
		"policy=tree-plru\n"
		"level name=l2 size=17M ways=17 latency=10 policy=random "
		"index=physical\n" HUGE_PAGES
		"clock tsc_mhz=2500 step=3 read=40\n",
		{ 96 * KIB, 17408 * KIB }, { 6, 10 }, 290, 64, NULL, 0.03 });
	assert_int_equal(n_combs(), 0);
}

/* .. unless so much of a ring may be inside: lines that stay there for good ask no
 * room of this level, and fourteen in its thirteen ways do not miss. */
static void means_of_what_is_kept_inside_prove_nothing(void **state)
{
	const struct mp_fact *ways;

	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=16K ways=8 line=32 latency=5 "
		"policy=bit-plru\n"
		"level name=l2 size=26K ways=13 line=32 latency=6 "
		"index=physical\n" HUGE_PAGES
		"clock tsc_mhz=2500 step=2 read=40\n",
		{ 16 * KIB, 27.5 * KIB }, { 5, 6 }, 290, 32,
		"non-inclusive", 0.06 });
	ways = sim_ask_fact(&ask, "cpu.l2.ways");
	assert_true(n_combs() > 0);
	assert_true(ways->verdict == MP_NOT_MEASURABLE || ways->value == 13);
}

/* Of seventeen lines in sixteen ways that are replaced at random one misses now
 * and then: sixty looks at each show which. */
static void rings_are_walked_until_chance_has_shown(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=48K ways=12 latency=5 "
		"policy=bit-plru\n"
		"level name=l2 size=256K ways=16 latency=12 policy=random "
		"index=physical\n" HUGE_PAGES
		"clock tsc_mhz=2500 step=20 read=40\n",
		{ 48 * KIB, 256 * KIB }, { 5, 12 }, 290, 64, NULL, 0.04 });
	ask_ways_found(&ask, "cpu.l2.ways", 16);
	assert_true(is_by_combs("cpu.l2.ways"));
}

/* Limits a factor of 2.3 apart have very many pairs, and by means each test leaves
 * nearly all: after a few of those the ring is walked. */
static void tests_that_leave_what_was_left_are_not_made_on_and_on(void **state)
{
	(void)state;
	ask_ways(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=96K ways=8 latency=6\n"
		"level name=l2 size=4M ways=8 latency=11 index=physical "
		"inclusion=inclusive\n" HUGE_PAGES
		"clock tsc_mhz=100 step=1 read=19\n",
		{ 96 * KIB, 4096 * KIB }, { 6, 11 }, 290, 64, NULL, 0.4 });
	ask_ways_found(&ask, "cpu.l2.ways", 8);
	assert_true(is_by_combs("cpu.l2.ways"));
	assert_true(ask.view.n_batches < 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			numbers_of_sets_are_found_behind_leaky_levels, end),
		cmocka_unit_test_teardown(one_set_more_or_less_is_not_hidden,
					  end),
		cmocka_unit_test_teardown(
			ways_of_many_pages_in_a_row_are_counted, end),
		cmocka_unit_test_teardown(
			without_lines_it_is_not_told_how_far_apart_they_lie,
			end),
		cmocka_unit_test_teardown(
			what_two_levels_hold_is_not_taken_for_one, end),
		cmocka_unit_test_teardown(
			what_lies_inside_is_no_way_of_an_exclusive_level, end),
		cmocka_unit_test(a_span_is_known_to_a_line),
		cmocka_unit_test_teardown(
			a_line_that_is_kept_inside_is_not_counted, end),
		cmocka_unit_test_teardown(slices_have_no_period, end),
		cmocka_unit_test_teardown(
			lines_of_slices_are_not_counted_together, end),
		cmocka_unit_test_teardown(
			where_hops_or_pages_tell_nothing_no_ring_is_walked, end),
		cmocka_unit_test_teardown(
			sets_that_go_on_from_page_to_page_are_told, end),
		cmocka_unit_test_teardown(
			a_clock_that_tells_no_more_than_misses_will_do, end),
		cmocka_unit_test_teardown(
			no_ring_of_a_large_level_is_walked_for_misses_alone,
			end),
		cmocka_unit_test_teardown(
			means_of_what_is_kept_inside_prove_nothing, end),
		cmocka_unit_test_teardown(
			rings_are_walked_until_chance_has_shown, end),
		cmocka_unit_test_teardown(
			tests_that_leave_what_was_left_are_not_made_on_and_on,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
