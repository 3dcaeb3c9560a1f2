// SPDX-License-Identifier: GPL-2.0
/* Probes line-l1d and line on made-up CPUs whose lines are stated. */
#include <string.h>

#include "made_view.h"

#define MIB 1048576ull

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;
static struct made_test test = { "line", &probe, &cpu, &made };

static const struct mp_probe *inner(void)
{
	return mp_probe_find("line-l1d");
}

static void know_sizes(void)
{
	static const char *const name[] = { "cpu.l1d.size", "cpu.l2.size",
					    "cpu.l3.size" };

	for (uint32_t k = 0; k < 3; k++) {
		if (k < cpu.n_caches)
			made_view_know(&made, name[k],
				       (double)cpu.cache[k].bytes, "bytes");
		else
			made_view_know_absent(&made, name[k]);
	}
}

/* The first level, then the others with their sizes known. */
static void ask(uint32_t depth)
{
	made_view_open(&made, &cpu, depth);
	made.view.quiet = MP_WISH_PREFETCH_OFF;
	made_view_ask(&made, inner());
	know_sizes();
	made_view_ask(&made, probe);
}

static void set_lines(uint32_t l1d, uint32_t l2, uint32_t l3)
{
	cpu.cache[0].line = l1d;
	cpu.cache[1].line = l2;
	cpu.cache[2].line = l3;
}

static void lines_of_64_bytes_are_seen_at_every_level(void **state)
{
	(void)state;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
	made_fact_is(&made, "cpu.l2.line", 64, 0);
	made_fact_is(&made, "cpu.l3.line", 64, 0);
	made_fact_is(&made, "cpu.l1d.sector", 64, 0);
	made_fact_is(&made, "cpu.l2.sector", 64, 0);
	made_fact_is(&made, "cpu.l3.sector", 64, 0);
	assert_true(made.asked.hops < 4000000);
}

static void lines_of_128_bytes_are_seen(void **state)
{
	(void)state;
	set_lines(128, 128, 128);
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.line", 128, 0);
	made_fact_is(&made, "cpu.l2.line", 128, 0);
	made_fact_is(&made, "cpu.l3.line", 128, 0);
}

static void lines_of_32_bytes_are_seen(void **state)
{
	(void)state;
	set_lines(32, 32, 32);
	cpu.cache[0].bytes = 16 << 10;
	cpu.cache[0].ways = 4;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.line", 32, 0);
	made_fact_is(&made, "cpu.l2.line", 32, 0);
}

static void each_level_has_a_line_of_its_own(void **state)
{
	(void)state;
	set_lines(64, 128, 128);
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
	made_fact_is(&made, "cpu.l2.line", 128, 0);
	made_fact_is(&made, "cpu.l3.line", 128, 0);
}

/* The first level is left at a high price, and the second at a low one. */
static void what_inner_levels_cost_is_not_taken_for_the_outer_ones(void **state)
{
	(void)state;
	cpu.cache[1].cycles = 40;
	cpu.cache[2].cycles = 75;
	set_lines(64, 128, 128);
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
	made_fact_is(&made, "cpu.l2.line", 128, 0);
}

static void a_neighbour_fetched_along_now_and_then_is_no_longer_line(void **state)
{
	(void)state;
	cpu.neighbour = 0.3;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
	made_fact_is(&made, "cpu.l2.line", 64, 0);
	made_fact_is(&made, "cpu.l3.line", 64, 0);
}

/* Half a neighbour lies between one line and two for those who look at what
 * is fetched; what is held is lines. */
static void a_neighbour_fetched_along_half_of_the_time_hides_no_line(void **state)
{
	(void)state;
	cpu.neighbour = 0.54;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
	made_fact_is(&made, "cpu.l2.line", 64, 0);
}

/* Rings that seem to be held in longer lines, and prefetchers that are on. */
static void longer_lines_are_not_told_from_prefetchers(void **state)
{
	(void)state;
	set_lines(64, 128, 128);
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_ask(&made, inner());
	know_sizes();
	made_view_ask(&made, probe);
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
	made_fact_ends(&made, "cpu.l2.line", MP_NOT_MEASURABLE);
	assert_non_null(strstr(made_fact(&made, "cpu.l2.line")->reason,
			       "prefetcher"));
}

/* Slots three lines apart fall on a third of the sets. */
static void sets_that_are_a_multiple_of_three_hold_as_many_lines(void **state)
{
	(void)state;
	cpu.cache[1].ways = 8;
	cpu.cache[1].bytes = 768ull * 8 * 64;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l2.line", 64, 0);
}

static void a_level_that_is_not_seen_is_not_denied(void **state)
{
	(void)state;
	cpu.n_caches = 2;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l2.line", 64, 0);
	made_fact_ends(&made, "cpu.l3.line", MP_NOT_MEASURABLE);
}

static void a_quick_run_asks_for_the_first_level_alone(void **state)
{
	(void)state;
	assert_true(inner()->quick);
	assert_false(probe->quick);
	made_view_open(&made, &cpu, MP_DEPTH_QUICK);
	made_view_ask(&made, inner());
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
	assert_true(made.asked.hops < 2000000);
	assert_true(made.asked.bytes_max <= 4 * MIB);
}

static void few_replicates_leave_a_bracket(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(MP_DEPTH_DEFAULT);
	fact = made_fact(&made, "cpu.l1d.line");
	assert_true(fact->low == 32 && fact->high == 128);
}

static void a_ring_that_is_missing_leaves_no_answer(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_plan(&made, inner());
	for (uint32_t i = 0; i < made.view.n_batches; i++)
		if (made.batch[i]->exp.actor[0].stride == 32)
			mp_batch_free(made.batch[i]);
	made_view_infer(&made, inner());
	made_fact_ends(&made, "cpu.l1d.line", MP_NOT_MEASURABLE);
}

static void forced_pages_and_small_arenas_are_kept_to(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made.view.pages = MP_PAGES_4K;
	made.view.pages_forced = true;
	made.view.arena_max_bytes = 4 * MIB;
	made_view_plan(&made, inner());
	assert_int_equal(made.asked.kinds, 1u << MP_PAGES_4K);
	assert_true(made.asked.bytes_max <= 4 * MIB);
	made_view_infer(&made, inner());
	made_fact_is(&made, "cpu.l1d.line", 64, 0);
}

static void too_few_undisturbed_batches_tell_nothing(void **state)
{
	(void)state;
	cpu.disturbed = 0.95;
	ask(MP_DEPTH_DEFAULT);
	made_facts_cannot(&made, inner());
	made_facts_cannot(&made, probe);
}

static void without_a_core_clock_lines_are_the_same(void **state)
{
	(void)state;
	cpu.core_hz = 0;
	set_lines(128, 128, 128);
	ask(MP_DEPTH_QUICK);
	made_fact_is(&made, "cpu.l1d.line", 128, 0);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("line-l1d");
	made_probe_always_answers("line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(lines_of_64_bytes_are_seen_at_every_level, &test),
		MADE_TEST(lines_of_128_bytes_are_seen, &test),
		MADE_TEST(lines_of_32_bytes_are_seen, &test),
		MADE_TEST(each_level_has_a_line_of_its_own, &test),
		MADE_TEST(what_inner_levels_cost_is_not_taken_for_the_outer_ones, &test),
		MADE_TEST(a_neighbour_fetched_along_now_and_then_is_no_longer_line, &test),
		MADE_TEST(a_neighbour_fetched_along_half_of_the_time_hides_no_line, &test),
		MADE_TEST(longer_lines_are_not_told_from_prefetchers, &test),
		MADE_TEST(sets_that_are_a_multiple_of_three_hold_as_many_lines, &test),
		MADE_TEST(a_level_that_is_not_seen_is_not_denied, &test),
		MADE_TEST(a_quick_run_asks_for_the_first_level_alone, &test),
		MADE_TEST(few_replicates_leave_a_bracket, &test),
		MADE_TEST(a_ring_that_is_missing_leaves_no_answer, &test),
		MADE_TEST(forced_pages_and_small_arenas_are_kept_to, &test),
		MADE_TEST(too_few_undisturbed_batches_tell_nothing, &test),
		MADE_TEST(without_a_core_clock_lines_are_the_same, &test),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
