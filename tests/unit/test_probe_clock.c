// SPDX-License-Identifier: GPL-2.0
/* Probe clock on made-up CPUs whose clock is stated. */
#include "made_view.h"

#define GHZ 1e9

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;
static struct made_test test = { "clock", &probe, &cpu, &made };

static void ask(uint32_t depth)
{
	made_view_open(&made, &cpu, depth);
	made_view_ask(&made, probe);
}

/* From some batch on the core runs so much faster. */
static void change_clock(uint32_t from, double factor)
{
	for (uint32_t i = from; i < made.view.n_batches; i++) {
		struct mp_grant *grant = &made.batch[i]->grant;

		for (uint32_t k = 0; k < grant->n_clocks; k++) {
			grant->clock[k].add_hz *= factor;
			grant->clock[k].mul_hz *= factor;
		}
	}
}

static void a_steady_clock_is_measured(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(MP_DEPTH_DEFAULT);
	made_fact_ends(&made, "cpu.clock", MP_MEASURED);
	fact = made_fact(&made, "cpu.clock");
	assert_true(fact->value > 3.499 * GHZ && fact->value < 3.502 * GHZ);
	assert_true(fact->high < fact->low * 1.001);
	assert_string_equal(fact->unit, "Hz");
}

static void alone_it_asks_for_a_few_small_batches(void **state)
{
	(void)state;
	ask(MP_DEPTH_DEFAULT);
	assert_int_equal(made.asked.rounds, 1);
	assert_in_range(made.asked.batches, 5, 20);
	assert_true(made.asked.bytes_max <= 1 << 20);
	assert_true(made.asked.hops < 1000000);
	made_view_close(&made);
	made_view_open(&made, &cpu, MP_DEPTH_QUICK);
	made.view.pages_forced = true;
	made_view_plan(&made, probe);
	assert_in_range(made.asked.batches, 1, 20);
}

static void after_other_probes_it_asks_for_nothing(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_QUICK);
	made_view_plan(&made, mp_probe_find("line-l1d"));
	made_view_ask(&made, probe);
	/* Their batches bring the clock along. */
	assert_int_equal(made.asked.batches, 0);
	made_fact_ends(&made, "cpu.clock", MP_MEASURED);
}

static void chains_that_differ_by_six_in_a_thousand_dispute_it(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	cpu.mul = 1.006;
	ask(MP_DEPTH_DEFAULT);
	made_fact_ends(&made, "cpu.clock", MP_DISPUTED);
	fact = made_fact(&made, "cpu.clock");
	/* The limits hold what either says. */
	assert_true(fact->low < 3.501 * GHZ && fact->high > 3.52 * GHZ);
	assert_true(fact->reason[0]);
	made_view_close(&made);
	cpu.mul = 0.994;
	ask(MP_DEPTH_DEFAULT);
	made_fact_ends(&made, "cpu.clock", MP_DISPUTED);
	assert_true(made_fact(&made, "cpu.clock")->low < 3.48 * GHZ);
}

static void chains_that_differ_by_three_in_a_thousand_agree(void **state)
{
	(void)state;
	cpu.mul = 1.003;
	ask(MP_DEPTH_DEFAULT);
	made_fact_ends(&made, "cpu.clock", MP_MEASURED);
	made_view_close(&made);
	cpu.mul = 0.997;
	ask(MP_DEPTH_DEFAULT);
	made_fact_ends(&made, "cpu.clock", MP_MEASURED);
}

static void adds_alone_are_enough(void **state)
{
	(void)state;
	cpu.mul = 0;
	ask(MP_DEPTH_DEFAULT);
	made_fact_ends(&made, "cpu.clock", MP_MEASURED);
}

static void a_clock_that_moves_varies(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	change_clock(made.view.n_batches / 2, 1.05);
	made_view_infer(&made, probe);
	made_fact_ends(&made, "cpu.clock", MP_VARIES);
	fact = made_fact(&made, "cpu.clock");
	assert_true(fact->low < 3.501 * GHZ && fact->high > 3.67 * GHZ);
	assert_true(fact->reason[0]);
}

static void a_clock_that_hardly_moves_does_not_vary(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	change_clock(made.view.n_batches / 2, 1.01);
	made_view_infer(&made, probe);
	made_fact_ends(&made, "cpu.clock", MP_MEASURED);
}

static void without_a_chain_there_is_no_clock(void **state)
{
	(void)state;
	cpu.core_hz = 0;
	ask(MP_DEPTH_DEFAULT);
	made_facts_cannot(&made, probe);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("clock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_steady_clock_is_measured, &test),
		MADE_TEST(alone_it_asks_for_a_few_small_batches, &test),
		MADE_TEST(after_other_probes_it_asks_for_nothing, &test),
		MADE_TEST(chains_that_differ_by_six_in_a_thousand_dispute_it, &test),
		MADE_TEST(chains_that_differ_by_three_in_a_thousand_agree, &test),
		MADE_TEST(adds_alone_are_enough, &test),
		MADE_TEST(a_clock_that_moves_varies, &test),
		MADE_TEST(a_clock_that_hardly_moves_does_not_vary, &test),
		MADE_TEST(without_a_chain_there_is_no_clock, &test),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
