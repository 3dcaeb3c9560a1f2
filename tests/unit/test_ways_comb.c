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

static void found_by_combs(const struct ask_ways *of, const char *name,
			   uint32_t ways)
{
	ask_ways(&ask, of);
	ask_ways_found(&ask, name, ways);
	assert_true(is_by_combs(name));
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
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=96K ways=16 latency=6 "
		"policy=tree-plru\n"
		"level name=l2 size=512K ways=8 latency=10 policy=random "
		"index=physical\n" HUGE_PAGES
		"clock tsc_mhz=2500 step=3 read=40\n",
		{ 96 * KIB, 512 * KIB }, { 6, 10 }, 290, 64, NULL, 0.03 }, "cpu.l2.ways", 8);
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
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=48K ways=12 latency=5 "
		"policy=bit-plru\n"
		"level name=l2 size=256K ways=16 latency=12 policy=random "
		"index=physical\n" HUGE_PAGES
		"clock tsc_mhz=2500 step=20 read=40\n",
		{ 48 * KIB, 256 * KIB }, { 5, 12 }, 290, 64, NULL, 0.04 }, "cpu.l2.ways", 16);
}

/* Limits a factor of 2.3 apart have very many pairs, and by means each test leaves
 * nearly all: after a few of those the ring is walked. */
static void tests_that_leave_what_was_left_are_not_made_on_and_on(void **state)
{
	(void)state;
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=96K ways=8 latency=6\n"
		"level name=l2 size=4M ways=8 latency=11 index=physical "
		"inclusion=inclusive\n" HUGE_PAGES
		"clock tsc_mhz=100 step=1 read=19\n",
		{ 96 * KIB, 4096 * KIB }, { 6, 11 }, 290, 64, NULL, 0.4 }, "cpu.l2.ways", 8);
	assert_true(ask.view.n_batches < 400);
}

/* The first ring is hardly longer than sixteen full rows, and the next one so much
 * that all sets have more than they hold. */
static void lengths_between_are_tried(void **state)
{
	(void)state;
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=86K ways=8 latency=6 policy=random\n"
		"level name=l2 size=1408K ways=16 latency=19 "
		"index=physical policy=qlru_h00_m1_r0_u1\n" HUGE_PAGES CLOCK,
		{ 86 * KIB, 1320 * KIB }, { 6, 19 }, 290, 64, NULL, 0.07 }, "cpu.l2.ways", 16);
}

/* Sets that go by virtual addresses, and begin anew after as much as a page. */
static void sets_that_are_longer_than_pages_are_told(void **state)
{
	(void)state;
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=64K ways=4 line=128 latency=4 policy=nru\n"
		"level name=l2 size=4M ways=2 line=128 latency=19\n"
		HUGE_PAGES CLOCK,
		{ 64 * KIB, 4096 * KIB }, { 4, 19 }, 290, 128, NULL, 0.05 }, "cpu.l2.ways", 2);
}

/* A policy may put the same lines out each turn: those of one place in each turn
 * of a ring, and of another one in another ring. */
static void lines_that_miss_again_are_not_all_of_slices(void **state)
{
	(void)state;
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=48K ways=6 line=64 latency=5 policy=nru\n"
		"level name=l2 size=256K ways=16 line=64 latency=12 "
		"index=physical inclusion=inclusive\n"
		"level name=l3 size=1790272 ways=11 latency=46 index=physical "
		"policy=qlru_h00_m1_r0_u1\nplace pages=contiguous\n" CLOCK,
		{ 48 * KIB, 256 * KIB, 1790272 }, { 5, 12, 46 },
		290, 64, "non-inclusive", 0.05 }, "cpu.l3.ways", 11);
}

/* Lines that share a set here may share one inside, too. But of fewer lines of a set
 * these are no 768 KiB, if that is known well enough. */
static void what_has_a_size_is_not_less_beside_lines_inside(void **state)
{
	static const double error[] = { 0.02, 0.1 };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		ask_ways(&ask, &(struct ask_ways){
			HEAD "level name=l1d size=16K ways=4 latency=4\n"
			"level name=l2 size=480K ways=12 latency=13 slices=4 "
			"policy=random inclusion=inclusive\n"
			"level name=l3 size=768K ways=16 latency=46 "
			"index=physical\nplace pages=contiguous\n" CLOCK,
			{ 16 * KIB, 480 * KIB, 768 * KIB }, { 4, 13, 46 },
			370, 64, NULL, error[i] });
		if (i)
			assert_int_equal(sim_ask_fact(&ask, "cpu.l3.ways")->verdict,
					 MP_NOT_MEASURABLE);
		else
			ask_ways_found(&ask, "cpu.l3.ways", 16);
		assert_true(n_combs() > 0);
		sim_ask_free(&ask);
	}
}

/* Of one way there are two rows in a ring at most, and nothing that comes again. */
static void sets_of_one_line_are_told(void **state)
{
	(void)state;
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=88K ways=4 latency=6 policy=tree-plru\n"
		"level name=l2 size=3M ways=4 latency=21 policy=fifo "
		"index=physical\n"
		"level name=l3 size=8M ways=1 latency=67 index=physical\n"
		"place pages=contiguous\n" CLOCK,
		{ 88 * KIB, 3072 * KIB, 8192 * KIB }, { 6, 21, 67 },
		290, 64, NULL, 0.05 }, "cpu.l3.ways", 1);
}

/* Behind a level that has less than one line of each set there often is none of a
 * set: an exclusive one has to hold all that does not miss. */
static void sets_that_are_alone_at_times_are_counted(void **state)
{
	(void)state;
	found_by_combs(&(struct ask_ways){
		"machine name=x clock_mhz=3000 memory_latency=256\n"
		"tlb level=1 page=4K entries=10 ways=10\n"
		"tlb level=2 page=4K entries=1024 ways=4 cost=12\nwalk cost=30\n"
		"level name=l1d size=12K ways=12 latency=3 policy=fifo\n"
		"level name=l2 size=480K ways=30 latency=5 index=physical "
		"inclusion=exclusive\n" HUGE_PAGES
		"clock tsc_mhz=2100 step=1 read=67\n",
		{ 12 * KIB, 480 * KIB }, { 3, 5 }, 256, 64, "exclusive", 0.06 }, "cpu.l2.ways", 30);
}

/* A policy that puts out few of the lines of a set puts out those of other rows in
 * another ring. */
static void rows_that_are_spared_once_are_not_always(void **state)
{
	(void)state;
	found_by_combs(&(struct ask_ways){
		HEAD "level name=l1d size=77K ways=11 latency=4 policy=bit-plru\n"
		"level name=l2 size=2092032 ways=16 latency=12 index=physical "
		"policy=qlru_h00_m1_r2_u1\nplace pages=contiguous\n" CLOCK,
		{ 77 * KIB, 2048 * KIB }, { 4, 12 }, 290, 64, NULL, 0.06 }, "cpu.l2.ways", 16);
}

/* Whether rings prove so many lines of a set of a level. */
static struct {
	uint32_t k;
	uint64_t bytes;
	uint32_t ways;
	enum mp_ways_comb_outcome said;
} asked;

static int next_proof(const struct mp_view *view, struct mp_plan *plan)
{
	const struct mp_ways_sets sets = { .line = 64, .grain = 64 };
	const struct mp_ways_rig rig = {
		.view = view, .sets = &sets, .pages = view->pages,
		.level = { .k = asked.k, .single = true, .misses = true,
			   .inner_cycles = 4, .own_cycles = 14,
			   .next_cycles = 290, .beyond_cycles = 580 },
	};
	struct mp_ways_comb comb = { .bytes = asked.bytes };

	assert_int_equal(mp_ways_comb_prove(&rig, asked.ways, &comb), 0);
	asked.said = comb.outcome;
	if (comb.outcome == MP_WAYS_COMB_LACKING)
		assert_int_equal(mp_ways_comb_plan(&rig, &comb, plan), 0);
	return plan->n > 0;
}

static int infer_nothing(const struct mp_view *view, struct mp_facts *facts)
{
	(void)view;
	(void)facts;
	return 0;
}

static bool is_proved(const char *text, uint32_t k, uint64_t bytes, uint32_t ways)
{
	static const struct mp_probe proof = {
		.name = "proof", .next = next_proof, .infer = infer_nothing,
	};

	asked.k = k;
	asked.bytes = bytes;
	asked.ways = ways;
	sim_ask(&ask, text, &proof, 1);
	sim_ask_free(&ask);
	return asked.said == MP_WAYS_COMB_FOUND;
}

/* Eight lines a set, and sets that begin anew after so many bytes, are not sixteen
 * and half as many: of those that are too many, only each other row misses. */
static void every_other_row_is_no_more_lines(void **state)
{
	static const char *const place[] = {
		"index=physical\nplace pages=contiguous\n",
		"index=virtual\n" HUGE_PAGES
	};
	static const uint64_t kib[] = { 64, 384 };
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), HEAD
			"level name=l1d size=16K ways=4 latency=4\n"
			"level name=l2 size=%uK ways=8 latency=14 %s" CLOCK,
			(unsigned int)(8 * kib[i]), place[i]);
		assert_true(is_proved(text, 1, kib[i] << 10, 8));
		assert_false(is_proved(text, 1, kib[i] << 9, 16));
		assert_false(is_proved(text, 1, kib[i] << 10, 7));
		assert_false(is_proved(text, 1, kib[i] << 10, 9));
	}
}

/* Nor are lines of slices, though all sets have as many as they hold, and one more
 * is one too many: not even where a policy spares most of them each turn. */
static void lines_of_slices_are_never_proved(void **state)
{
	static const struct {
		uint32_t kib;
		uint32_t ways;
		const char *policy;
	} of[] = {
		{ 512, 1, "lru" },
		{ 512, 2, "lru" },
		{ 128, 4, "qlru_h00_m1_r0_u1" },
		{ 256, 4, "qlru_h00_m1_r0_u1" },
		{ 512, 4, "qlru_h00_m1_r0_u1" },
		{ 1024, 4, "random" },
	};
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		snprintf(text, sizeof(text), HEAD
			"level name=l1d size=4K ways=4 latency=2\n"
			"level name=l2 size=16K ways=4 latency=4\n"
			"level name=l3 size=%uK ways=%u latency=14 slices=2 "
			"index=physical policy=%s\nplace pages=contiguous\n" CLOCK,
			(unsigned int)of[i].kib, (unsigned int)of[i].ways,
			of[i].policy);
		if (is_proved(text, 2, (uint64_t)(of[i].kib << 10) / 2 / of[i].ways,
			      2 * of[i].ways))
			fail_msg("%u KiB of %u ways, %s", (unsigned int)of[i].kib,
				 (unsigned int)of[i].ways, of[i].policy);
	}
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
		cmocka_unit_test_teardown(lengths_between_are_tried, end),
		cmocka_unit_test_teardown(
			sets_that_are_longer_than_pages_are_told, end),
		cmocka_unit_test_teardown(
			lines_that_miss_again_are_not_all_of_slices, end),
		cmocka_unit_test_teardown(
			what_has_a_size_is_not_less_beside_lines_inside, end),
		cmocka_unit_test_teardown(sets_of_one_line_are_told, end),
		cmocka_unit_test_teardown(
			sets_that_are_alone_at_times_are_counted, end),
		cmocka_unit_test_teardown(
			rows_that_are_spared_once_are_not_always, end),
		cmocka_unit_test_teardown(
			every_other_row_is_no_more_lines, end),
		cmocka_unit_test_teardown(
			lines_of_slices_are_never_proved, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
