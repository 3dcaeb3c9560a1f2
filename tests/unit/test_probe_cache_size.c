// SPDX-License-Identifier: GPL-2.0
/* Probe cache-size on made-up CPUs whose sizes are stated. */
#include "made_view.h"

#define KIB 1024ull
#define MIB 1048576ull

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;
static struct made_test test = { "cache-size", &probe, &cpu, &made };

/* A run in which the line is known already. */
static void start(uint32_t depth)
{
	uint32_t line = cpu.cache[0].line ? cpu.cache[0].line : 64;

	made_view_open(&made, &cpu, depth);
	made_view_know(&made, "cpu.l1d.line", line, "bytes");
}

static void ask(uint32_t depth)
{
	start(depth);
	made_view_ask(&made, probe);
}

/* Which shape a blurred edge has leaves its capacity open a little, and so does
 * whether the level holds what those inside hold, which this backend cannot
 * be asked: from below it is known, and from above nearly as well. */
static void known_nearly(const char *name, double size)
{
	const struct mp_fact *fact = made_fact(&made, name);

	made_fact_at_least(&made, name, size);
	if (fact->high >= 1.6 * fact->low)
		fail_msg("%s: %g .. %g", name, fact->low, fact->high);
}

static void three_levels_are_measured_and_a_fourth_is_absent(void **state)
{
	(void)state;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.size", 48 * KIB, 0.01);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.01);
	known_nearly("cpu.l3.size", 8 * MIB);
	made_fact_ends(&made, "cpu.l4.size", MP_ABSENT);
	assert_true(made_fact(&made, "cpu.l1d.size")->high <
		    1.1 * made_fact(&made, "cpu.l1d.size")->low);
	/* Asked for much, but not without end. */
	assert_in_range(made.asked.rounds, 2, 16);
	assert_true(made.asked.hops < 30000000);
	assert_true(made.asked.bytes_max > 32 * MIB);
}

static void of_two_levels_the_third_is_absent(void **state)
{
	(void)state;
	cpu.n_caches = 2;
	cpu.n_tlbs = 0;
	cpu.cache[0] = (struct made_cache){ .bytes = 32 * KIB, .ways = 8,
					    .cycles = 4 };
	cpu.cache[1] = (struct made_cache){ .bytes = 256 * KIB, .ways = 8,
					    .cycles = 12 };
	cpu.memory_cycles = 200;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.size", 32 * KIB, 0.01);
	made_fact_is(&made, "cpu.l2.size", 256 * KIB, 0.08);
	made_fact_ends(&made, "cpu.l3.size", MP_ABSENT);
	made_fact_ends(&made, "cpu.l4.size", MP_ABSENT);
}

static void four_levels_with_long_lines_are_measured(void **state)
{
	(void)state;
	cpu.n_caches = 4;
	cpu.cache[0] = (struct made_cache){ .bytes = 64 * KIB, .ways = 4,
					    .cycles = 4, .line = 128 };
	cpu.cache[1] = (struct made_cache){ .bytes = 512 * KIB, .ways = 8,
					    .cycles = 13, .line = 128 };
	cpu.cache[2] = (struct made_cache){ .bytes = 6 * MIB, .ways = 12,
					    .cycles = 45, .line = 128,
					    .scattered = true };
	cpu.cache[3] = (struct made_cache){ .bytes = 64 * MIB, .ways = 16,
					    .cycles = 140, .line = 128,
					    .scattered = true };
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.size", 64 * KIB, 0.01);
	made_fact_is(&made, "cpu.l2.size", 512 * KIB, 0.08);
	known_nearly("cpu.l3.size", 6 * MIB);
	known_nearly("cpu.l4.size", 64 * MIB);
}

/* 10 MiB of random victims at 30 cycles before 26 MiB of longer lines at 61, and
 * memory at 423: to a clock of 12 cycles a step that is one edge, and no shape's. */
static void a_level_that_may_hide_in_an_edge_is_not_absent(void **state)
{
	(void)state;
	cpu.n_caches = 4;
	cpu.tick_step = 12;
	cpu.cache[0] = (struct made_cache){ .bytes = 48 * KIB, .ways = 12,
					    .cycles = 5 };
	cpu.cache[1] = (struct made_cache){ .bytes = 512 * KIB, .ways = 8,
					    .cycles = 12 };
	cpu.cache[2] = (struct made_cache){ .bytes = 10 * MIB, .ways = 16,
					    .cycles = 30, .line = 128,
					    .any_evicted = true };
	cpu.cache[3] = (struct made_cache){ .bytes = 26 * MIB, .ways = 16,
					    .cycles = 61, .line = 256 };
	cpu.memory_cycles = 423;
	ask(MP_DEPTH_DEFAULT);
	made_fact_at_least(&made, "cpu.l4.size", 26 * MIB);
	made_view_close(&made);
	/* Means do not show it, where memory is less than two steps away. */
	cpu.tick_step = 250;
	ask(MP_DEPTH_DEFAULT);
	made_fact_ends(&made, "cpu.l4.size", MP_NOT_MEASURABLE);
}

static void random_victims_do_not_push_sizes_up(void **state)
{
	(void)state;
	cpu.cache[1].any_evicted = true;
	cpu.cache[2].any_evicted = true;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.06);
	made_fact_at_least(&made, "cpu.l3.size", 8 * MIB);
	assert_true(made_fact(&made, "cpu.l3.size")->low > 5.5 * MIB);
}

static void a_quick_plan_is_smaller_and_knows_the_inner_levels(void **state)
{
	struct made_asked quick;

	(void)state;
	ask(MP_DEPTH_QUICK);
	made_fact_is(&made, "cpu.l1d.size", 48 * KIB, 0.06);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.06);
	quick = made.asked;
	made_view_close(&made);
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	assert_true(quick.hops < made.asked.hops / 4 * 3);
	assert_true(quick.wanted < made.asked.wanted);
	assert_true(quick.batches < made.asked.batches);
	assert_true(quick.bytes_max <= made.asked.bytes_max);
}

/* If time runs out amid the third level, the first is known all the same:
 * rings of the dense curve come last. */
static void a_shared_level_waits_until_the_first_is_known(void **state)
{
	uint32_t last_near = 0, first_dense = UINT32_MAX;

	(void)state;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	for (uint32_t i = 0; i < made.view.n_batches; i++) {
		const struct mp_actor *actor = &made.batch[i]->exp.actor[0];

		if (actor->stride == 512 && actor->length < 96 * KIB)
			last_near = i;
		/* Other reaches are those of a few full rings. */
		if (actor->stride == 2 * 64 && actor->reach == 32 * KIB &&
		    first_dense > i)
			first_dense = i;
	}
	assert_in_range(last_near, 1, first_dense);
	assert_true(first_dense < made.view.n_batches);
}

static uint32_t timed_singly(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < made.view.n_batches; i++)
		n += made.batch[i]->exp.actor[0].detail == MP_DETAIL_HIST;
	return n;
}

static void a_coarse_clock_goes_by_mean_latencies(void **state)
{
	(void)state;
	ask(MP_DEPTH_DEFAULT);
	assert_true(timed_singly() > made.view.n_batches / 3);
	made_view_close(&made);
	/* No latency is two of its steps from another. */
	cpu.tick_step = 300;
	ask(MP_DEPTH_DEFAULT);
	/* Single hops near the edges, for what hides between two levels. */
	assert_in_range(timed_singly(), 1, made.view.n_batches / 6);
	made_fact_is(&made, "cpu.l1d.size", 48 * KIB, 0.01);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.01);
	known_nearly("cpu.l3.size", 8 * MIB);
	made_fact_ends(&made, "cpu.l4.size", MP_ABSENT);
}

/* A mean of their latencies shows one slope; each has hops of its own. */
static void single_hops_tell_near_levels_apart(void **state)
{
	(void)state;
	cpu.cache[0] = (struct made_cache){ .bytes = 32 * KIB, .ways = 8,
					    .cycles = 4 };
	cpu.cache[1] = (struct made_cache){ .bytes = 64 * KIB, .ways = 8,
					    .cycles = 14 };
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.size", 32 * KIB, 0.01);
	made_fact_at_least(&made, "cpu.l2.size", 64 * KIB);
	known_nearly("cpu.l3.size", 8 * MIB);
}

static void pages_that_are_forced_are_the_only_ones(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	made.view.pages = MP_PAGES_2M;
	made.view.pages_forced = true;
	made_view_ask(&made, probe);
	assert_int_equal(made.asked.kinds, 1u << MP_PAGES_2M);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.01);
	made_view_close(&made);
	start(MP_DEPTH_QUICK);
	made_view_plan(&made, probe);
	/* Where nobody forbids it small pages are a second opinion. */
	assert_int_equal(made.asked.kinds,
			 1u << MP_PAGES_THP | 1u << MP_PAGES_4K);
}

/* Memory for less than twice the third level: it is not filled for sure. */
static void a_curve_that_still_rises_at_its_end_denies_nothing(void **state)
{
	(void)state;
	start(MP_DEPTH_QUICK);
	made.view.arena_max_bytes = 10 * MIB;
	made_view_ask(&made, probe);
	assert_true(made.asked.bytes_max <= 10 * MIB);
	made_fact_is(&made, "cpu.l1d.size", 48 * KIB, 0.06);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.06);
	assert_int_not_equal(made_fact(&made, "cpu.l3.size")->verdict,
			     MP_ABSENT);
	made_fact_ends(&made, "cpu.l4.size", MP_NOT_MEASURABLE);
}

/* One level that nothing outgrows: the curve is flat, and says nothing. */
static void the_first_level_is_never_absent(void **state)
{
	(void)state;
	cpu.n_caches = 1;
	cpu.cache[0].bytes = 1024 * MIB;
	ask(MP_DEPTH_QUICK);
	made_fact_ends(&made, "cpu.l1d.size", MP_NOT_MEASURABLE);
	made_fact_ends(&made, "cpu.l2.size", MP_NOT_MEASURABLE);
}

static void an_outermost_level_that_moves_varies(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	cpu.cache[2].ways_left = 8;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.size", 48 * KIB, 0.01);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.06);
	made_fact_ends(&made, "cpu.l3.size", MP_VARIES);
	fact = made_fact(&made, "cpu.l3.size");
	/* 4 MiB half of the time, else 8. */
	assert_true(fact->low < 5.0 * MIB && fact->low > 2.5 * MIB);
	assert_true(fact->high > 6.5 * MIB && fact->high < 11.0 * MIB);
	assert_true(fact->reason[0]);
}

static void some_disturbed_batches_change_nothing(void **state)
{
	(void)state;
	cpu.disturbed = 0.5;
	ask(MP_DEPTH_QUICK);
	made_fact_is(&made, "cpu.l1d.size", 48 * KIB, 0.06);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.06);
}

/* Of five batches four: what is left has holes. */
static void too_few_undisturbed_batches_are_no_curve(void **state)
{
	(void)state;
	cpu.disturbed = 0.95;
	ask(MP_DEPTH_DEFAULT);
	made_facts_cannot(&made, probe);
}

static void without_a_core_clock_sizes_are_the_same(void **state)
{
	(void)state;
	cpu.core_hz = 0;
	ask(MP_DEPTH_QUICK);
	made_fact_is(&made, "cpu.l1d.size", 48 * KIB, 0.06);
	made_fact_is(&made, "cpu.l2.size", MIB, 0.06);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("cache-size");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(three_levels_are_measured_and_a_fourth_is_absent, &test),
		MADE_TEST(of_two_levels_the_third_is_absent, &test),
		MADE_TEST(four_levels_with_long_lines_are_measured, &test),
		MADE_TEST(a_level_that_may_hide_in_an_edge_is_not_absent,
			  &test),
		MADE_TEST(random_victims_do_not_push_sizes_up, &test),
		MADE_TEST(a_quick_plan_is_smaller_and_knows_the_inner_levels, &test),
		MADE_TEST(a_shared_level_waits_until_the_first_is_known, &test),
		MADE_TEST(a_coarse_clock_goes_by_mean_latencies, &test),
		MADE_TEST(single_hops_tell_near_levels_apart, &test),
		MADE_TEST(pages_that_are_forced_are_the_only_ones, &test),
		MADE_TEST(a_curve_that_still_rises_at_its_end_denies_nothing, &test),
		MADE_TEST(the_first_level_is_never_absent, &test),
		MADE_TEST(an_outermost_level_that_moves_varies, &test),
		MADE_TEST(some_disturbed_batches_change_nothing, &test),
		MADE_TEST(too_few_undisturbed_batches_are_no_curve, &test),
		MADE_TEST(without_a_core_clock_sizes_are_the_same, &test),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
