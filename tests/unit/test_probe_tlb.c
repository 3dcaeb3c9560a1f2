// SPDX-License-Identifier: GPL-2.0
/* Probe tlb on made-up CPUs whose TLBs are stated. */
#include "made_view.h"

#define MIB 1048576ull

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;
static struct made_test test = { "tlb", &probe, &cpu, &made };

/* A run in which lines and sizes are known. */
static void start(void)
{
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_know_sizes(&made);
}

static void ask(void)
{
	start();
	made_view_ask(&made, probe);
}

static void two_levels_and_their_costs_are_measured(void **state)
{
	(void)state;
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 96, 0);
	made_fact_is(&made, "cpu.stlb.entries", 2048, 0);
	made_fact_is(&made, "cpu.stlb.hit-cost", 7, 0.03);
	/* Packed lines pay a walk too, one for all the lines of a page. */
	made_fact_is(&made, "cpu.walk.cost", 40, 0.03);
	assert_in_range(made.asked.rounds, 2, 50);
	assert_true(made.asked.hops < 60000000);
}

static void other_numbers_of_entries_come_out_as_well(void **state)
{
	(void)state;
	cpu.tlb[0] = (struct made_tlb){ 64, 4, 9 };
	cpu.tlb[1] = (struct made_tlb){ 1536, 12, 70 };
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 64, 0);
	made_fact_is(&made, "cpu.stlb.entries", 1536, 0);
	made_fact_is(&made, "cpu.stlb.hit-cost", 9, 0.03);
	made_fact_is(&made, "cpu.walk.cost", 70, 0.03);
}

/* What runs between bursts has an entry: 87 pages fit, and up to 96 cost no more
 * than 88 do. */
static void an_entry_that_others_keep_is_counted(void **state)
{
	(void)state;
	cpu.taken = 1 << 7;
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 96, 0);
	made_fact_ends(&made, "cpu.dtlb.ways", MP_NOT_MEASURABLE);
	made_fact_is(&made, "cpu.stlb.entries", 2048, 0);
}

/* .. of two sets as well. */
static void two_entries_that_others_keep_are_counted(void **state)
{
	(void)state;
	cpu.taken = 1 << 2 | 1 << 11;
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 96, 0);
}

/* Of the last set but one it is not seen beside what is too many soon after. */
static void an_entry_that_is_missed_late_is_not_made_up(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	cpu.taken = 1 << 14;
	ask();
	fact = mp_facts_find(&made.facts, "cpu.dtlb.entries");
	assert_true(fact->verdict == MP_NOT_MEASURABLE || fact->value == 96);
}

/* .. but a level of so few is none of more from which one is taken. */
static void entries_that_are_few_are_not_taken(void **state)
{
	(void)state;
	cpu.tlb[0] = (struct made_tlb){ 80, 5, 7 };
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 80, 0);
	made_fact_is(&made, "cpu.dtlb.ways", 5, 0);
}

/* .. nor is one set, all of which misses at once. */
static void one_set_is_not_one_with_an_entry_taken(void **state)
{
	(void)state;
	cpu.tlb[0] = (struct made_tlb){ 88, 0, 7 };
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 88, 0);
}

static void of_one_level_there_is_no_second(void **state)
{
	(void)state;
	cpu.n_tlbs = 1;
	cpu.tlb[0] = (struct made_tlb){ 48, 0, 25 };
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 48, 0.01);
	made_fact_ends(&made, "cpu.stlb.entries", MP_ABSENT);
	made_fact_ends(&made, "cpu.stlb.hit-cost", MP_ABSENT);
	made_fact_is(&made, "cpu.walk.cost", 25, 0.03);
}

static void walks_that_cost_ever_more_have_no_one_cost(void **state)
{
	const struct mp_fact *walk;

	(void)state;
	cpu.walks_grow = 1;
	cpu.tlb[1].cycles = 20;
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 96, 0);
	/* What has no one value is not told as one. */
	walk = made_fact(&made, "cpu.walk.cost");
	assert_true(walk->verdict == MP_VARIES ||
		    walk->verdict == MP_NOT_MEASURABLE);
}

static void without_costs_nothing_is_made_up(void **state)
{
	(void)state;
	cpu.n_tlbs = 0;
	ask();
	made_facts_cannot(&made, probe);
}

static void a_small_arena_does_not_deny_the_second_level(void **state)
{
	(void)state;
	start();
	made.view.arena_max_bytes = 4 * MIB;
	made_view_ask(&made, probe);
	assert_true(made.asked.bytes_max <= 4 * MIB);
	made_fact_is(&made, "cpu.dtlb.entries", 96, 0);
	/* 1024 pages are all known to the second level. */
	made_fact_ends(&made, "cpu.stlb.entries", MP_NOT_MEASURABLE);
	made_fact_ends(&made, "cpu.stlb.hit-cost", MP_NOT_MEASURABLE);
	/* What a load pays there is a hit, and no walk. */
	made_fact_ends(&made, "cpu.walk.cost", MP_NOT_MEASURABLE);
}

static void a_run_that_rules_small_pages_out_asks_nothing(void **state)
{
	(void)state;
	start();
	made.view.pages = MP_PAGES_2M;
	made.view.pages_forced = true;
	made_view_ask(&made, probe);
	assert_int_equal(made.asked.batches, 0);
	made_facts_cannot(&made, probe);
}

static void disturbed_batches_do_not_change_the_counts(void **state)
{
	(void)state;
	cpu.disturbed = 0.3;
	cpu.noise = 0.005;
	ask();
	made_fact_is(&made, "cpu.dtlb.entries", 96, 0);
	made_fact_is(&made, "cpu.dtlb.ways", 6, 0);
	made_fact_is(&made, "cpu.stlb.entries", 2048, 0);
	made_fact_holds(&made, "cpu.stlb.hit-cost", 7);
}

/* One miss a turn is less than the replicates lie apart. */
static void where_a_miss_a_turn_is_not_seen_no_count_is_given(void **state)
{
	(void)state;
	cpu.noise = 0.06;
	ask();
	made_fact_ends(&made, "cpu.dtlb.entries", MP_NOT_MEASURABLE);
	made_fact_ends(&made, "cpu.stlb.entries", MP_NOT_MEASURABLE);
}

static void sets_of_both_levels_and_page_sizes_are_told(void **state)
{
	(void)state;
	cpu.tlb[0] = (struct made_tlb){ 48, 0, 9 };
	cpu.tlb[1] = (struct made_tlb){ 768, 4, 40 };
	ask();
	made_fact_is(&made, "cpu.dtlb.ways", 48, 0);
	made_fact_is(&made, "cpu.stlb.entries", 768, 0);
	made_fact_is(&made, "cpu.stlb.ways", 4, 0);
	made_fact_is(&made, "cpu.dtlb-2m.entries", 48, 0);
	made_fact_is(&made, "cpu.dtlb-2m.ways", 48, 0);
	/* An arena has 256 pages of 2 MiB: all that are tried hit. */
	made_fact_ends(&made, "cpu.stlb-2m.entries", MP_AT_LEAST);
}

static void too_few_undisturbed_batches_tell_nothing(void **state)
{
	(void)state;
	cpu.disturbed = 0.98;
	ask();
	made_facts_cannot(&made, probe);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("tlb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(two_levels_and_their_costs_are_measured, &test),
		MADE_TEST(other_numbers_of_entries_come_out_as_well, &test),
		MADE_TEST(an_entry_that_others_keep_is_counted, &test),
		MADE_TEST(two_entries_that_others_keep_are_counted, &test),
		MADE_TEST(an_entry_that_is_missed_late_is_not_made_up, &test),
		MADE_TEST(entries_that_are_few_are_not_taken, &test),
		MADE_TEST(one_set_is_not_one_with_an_entry_taken, &test),
		MADE_TEST(of_one_level_there_is_no_second, &test),
		MADE_TEST(walks_that_cost_ever_more_have_no_one_cost, &test),
		MADE_TEST(without_costs_nothing_is_made_up, &test),
		MADE_TEST(a_small_arena_does_not_deny_the_second_level, &test),
		MADE_TEST(a_run_that_rules_small_pages_out_asks_nothing, &test),
		MADE_TEST(disturbed_batches_do_not_change_the_counts, &test),
		MADE_TEST(where_a_miss_a_turn_is_not_seen_no_count_is_given,
			  &test),
		MADE_TEST(sets_of_both_levels_and_page_sizes_are_told, &test),
		MADE_TEST(too_few_undisturbed_batches_tell_nothing, &test),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
