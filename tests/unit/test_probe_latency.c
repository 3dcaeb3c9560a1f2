// SPDX-License-Identifier: GPL-2.0
/* Probe latency on made-up CPUs whose latencies are stated. */
#include <math.h>

#include "made_view.h"
#include "probe/cpu.h"

#define KIB 1024ull
#define MIB 1048576ull

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;
static struct made_test test = { "latency", &probe, &cpu, &made };

/* The curve is that of probe cache-size, and what it found is not needed. */
static void measure_curve(uint32_t depth)
{
	made_view_open(&made, &cpu, depth);
	made_view_know(&made, "cpu.l1d.line", 64, "bytes");
	made_view_know(&made, "cpu.l2.line", 64, "bytes");
	made_view_plan(&made, mp_probe_find("cache-size"));
}

static void ask(uint32_t depth)
{
	measure_curve(depth);
	made_view_ask(&made, probe);
}

static void check_level(const char *cycles_name, const char *ns_name,
			double cycles, double share)
{
	made_fact_is(&made, cycles_name, cycles, share);
	made_fact_is(&made, ns_name, cycles / CORE_GHZ, share);
}

static void check_series(void)
{
	const struct mp_series *series =
		mp_facts_find_series(&made.facts, "cpu.latency");

	assert_non_null(series);
	assert_true(series->n > 20);
	assert_string_equal(series->x_unit, "bytes");
	assert_string_equal(series->unit, "ns");
	for (uint32_t i = 0; i < series->n; i++) {
		const struct mp_point *p = &series->point[i];

		assert_true(p->n && p->low <= p->value && p->value <= p->high);
		assert_true(!i || p->x > p[-1].x);
	}
	assert_true(fabs(series->point[0].value * CORE_GHZ / 5 - 1) < 0.02);
	assert_true(fabs(series->point[series->n - 1].value * CORE_GHZ / 350 -
			 1) < 0.02);
}

static void three_levels_have_their_latencies_and_a_curve(void **state)
{
	(void)state;
	/* Limits of 95 %: of the first draw those of one latency do not hold. */
	cpu.seed = 2;
	ask(MP_DEPTH_DEFAULT);
	check_level("cpu.l1d.latency-cycles", "cpu.l1d.latency", 5, 0.01);
	check_level("cpu.l2.latency-cycles", "cpu.l2.latency", 15, 0.01);
	check_level("cpu.l3.latency-cycles", "cpu.l3.latency", 60, 0.02);
	check_series();
	assert_in_range(made.asked.rounds, 1, 4);
	assert_true(made.asked.hops < 20000000);
	assert_int_equal(made.asked.kinds, 1u << MP_PAGES_THP);
	assert_true(made.asked.bytes_max < 8 * MIB);
}

static void of_two_levels_the_third_has_none(void **state)
{
	(void)state;
	cpu.n_caches = 2;
	cpu.n_tlbs = 0;
	cpu.memory_cycles = 200;
	measure_curve(MP_DEPTH_QUICK);
	made_view_know_absent(&made, "cpu.l3.size");
	made_view_ask(&made, probe);
	check_level("cpu.l1d.latency-cycles", "cpu.l1d.latency", 5, 0.01);
	check_level("cpu.l2.latency-cycles", "cpu.l2.latency", 15, 0.01);
	made_fact_ends(&made, "cpu.l3.latency", MP_ABSENT);
	made_fact_ends(&made, "cpu.l3.latency-cycles", MP_ABSENT);
}

/* By means. More replicates may have ended a doubt since; not the names. */
static void what_the_sizes_gave_no_name_has_no_latency(void **state)
{
	struct mp_fact *size;

	(void)state;
	cpu.tick_step = 100;
	measure_curve(MP_DEPTH_DEFAULT);
	size = mp_cpu_fact(&made.facts, &made.view, "l2", "size", "bytes");
	mp_fact_cannot(size, "bytes", "l1d may be two");
	made_view_ask(&made, probe);
	check_level("cpu.l1d.latency-cycles", "cpu.l1d.latency", 5, 0.01);
	made_fact_ends(&made, "cpu.l2.latency-cycles", MP_NOT_MEASURABLE);
	made_fact_ends(&made, "cpu.l2.latency", MP_NOT_MEASURABLE);
	made_view_close(&made);
	/* With a name it has one. */
	measure_curve(MP_DEPTH_DEFAULT);
	made_view_ask(&made, probe);
	check_level("cpu.l2.latency-cycles", "cpu.l2.latency", 15, 0.01);
}

/* By means, of a machine whose prefetchers stay on: one in six slots of a ring of
 * near ones has been brought. Slots far apart are not, and take what the level
 * does; nor do rings that differ so make its edge that of two. */
static void what_is_brought_is_no_part_of_it(void **state)
{
	(void)state;
	cpu.tick_step = 100;
	cpu.brought = 0.16;
	cpu.n_tlbs = 0;
	ask(MP_DEPTH_DEFAULT);
	check_level("cpu.l1d.latency-cycles", "cpu.l1d.latency", 5, 0.01);
	check_level("cpu.l2.latency-cycles", "cpu.l2.latency", 15, 0.02);
	check_level("cpu.l3.latency-cycles", "cpu.l3.latency", 60, 0.02);
}

static void a_quick_plan_is_smaller(void **state)
{
	struct made_asked quick;

	(void)state;
	measure_curve(MP_DEPTH_QUICK);
	made_view_plan(&made, probe);
	quick = made.asked;
	made_view_close(&made);
	measure_curve(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	assert_true(quick.wanted > 0);
	assert_true(quick.wanted < made.asked.wanted);
}

/* A level that takes 60 cycles, or up to three tenths more or less, each time. */
static bool range_holds_the_middle(uint64_t bytes)
{
	const struct mp_fact *fact;
	bool holds;

	cpu.sway = 0.3;
	/* Its means vary; single hops of it make no peak (below), nor a group. */
	cpu.tick_step = 150;
	cpu.cache[2].bytes = bytes;
	ask(MP_DEPTH_DEFAULT);
	/* What lies inside is nobody else's. */
	made_fact_is(&made, "cpu.l1d.latency-cycles", 5, 0.01);
	made_fact_is(&made, "cpu.l2.latency-cycles", 15, 0.02);
	made_fact_ends(&made, "cpu.l3.latency", MP_VARIES);
	made_fact_ends(&made, "cpu.l3.latency-cycles", MP_VARIES);
	fact = made_fact(&made, "cpu.l3.latency-cycles");
	assert_true(fact->low > 60 * 0.65 && fact->high < 60 * 1.4);
	assert_true(fact->low < 60);
	assert_true(fact->reason[0]);
	holds = fact->high > 60;
	made_view_close(&made);
	return holds;
}

/* A size is a draw: of few replicates the faster ones may all be fast. */
static void replicates_that_lie_far_apart_vary(void **state)
{
	static const uint64_t mib[] = { 6, 7, 8, 9, 10, 11 };
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		n += range_holds_the_middle(mib[i] * MIB);
	assert_in_range(n, 4, 6);
}

static void hops_without_a_peak_that_stays_are_not_measured(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	cpu.sway = 0.3;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.l1d.latency-cycles", 5, 0.01);
	made_fact_is(&made, "cpu.l2.latency-cycles", 15, 0.02);
	fact = made_fact(&made, "cpu.l3.latency-cycles");
	assert_true(fact->verdict != MP_MEASURED);
	assert_true(fact->reason[0]);
}

static void without_a_core_clock_there_are_ns_and_no_cycles(void **state)
{
	(void)state;
	cpu.core_hz = 0;
	ask(MP_DEPTH_QUICK);
	made_fact_is(&made, "cpu.l1d.latency", 5 / CORE_GHZ, 0.01);
	made_fact_is(&made, "cpu.l2.latency", 15 / CORE_GHZ, 0.01);
	made_fact_ends(&made, "cpu.l1d.latency-cycles", MP_NOT_MEASURABLE);
	made_fact_ends(&made, "cpu.l2.latency-cycles", MP_NOT_MEASURABLE);
}

static void the_first_level_is_never_without_latency(void **state)
{
	(void)state;
	cpu.n_caches = 1;
	cpu.cache[0].bytes = 1024 * MIB;
	ask(MP_DEPTH_QUICK);
	made_facts_cannot(&made, probe);
}

static void without_a_curve_nothing_is_asked(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_ask(&made, probe);
	assert_int_equal(made.asked.batches, 0);
	made_facts_cannot(&made, probe);
}

static void too_few_undisturbed_batches_tell_nothing(void **state)
{
	(void)state;
	cpu.disturbed = 0.95;
	ask(MP_DEPTH_DEFAULT);
	made_facts_cannot(&made, probe);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("latency");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(three_levels_have_their_latencies_and_a_curve, &test),
		MADE_TEST(of_two_levels_the_third_has_none, &test),
		MADE_TEST(what_the_sizes_gave_no_name_has_no_latency, &test),
		MADE_TEST(what_is_brought_is_no_part_of_it, &test),
		MADE_TEST(a_quick_plan_is_smaller, &test),
		MADE_TEST(replicates_that_lie_far_apart_vary, &test),
		MADE_TEST(hops_without_a_peak_that_stays_are_not_measured,
			  &test),
		MADE_TEST(without_a_core_clock_there_are_ns_and_no_cycles, &test),
		MADE_TEST(the_first_level_is_never_without_latency, &test),
		MADE_TEST(without_a_curve_nothing_is_asked, &test),
		MADE_TEST(too_few_undisturbed_batches_tell_nothing, &test),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
