// SPDX-License-Identifier: GPL-2.0
/* Reports: what is worked out once, and what no report may hold. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sample_report.h"
#include "version.h"

static struct mp_fact *add(struct mp_facts *facts, const char *name,
			   uint32_t verdict, double value, double low,
			   double high, double claim)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, 0);
	fact = mp_facts_add(facts, name, &where);
	assert_non_null(fact);
	fact->verdict = verdict;
	fact->value = value;
	fact->low = low;
	fact->high = high;
	if (claim > 0) {
		fact->claim.known = true;
		fact->claim.value = claim;
		snprintf(fact->claim.source, sizeof(fact->claim.source),
			 "sysfs");
	}
	return fact;
}

/* A report of these facts alone. */
static void make(struct mp_report *report, struct mp_facts *facts)
{
	static const struct mp_report_run run;
	static struct mp_host host;

	assert_int_equal(mp_report_make(report, &host, &run, facts), 0);
	assert_int_equal(facts->n, 0);
	assert_null(facts->fact);
}

static void a_claim_outside_the_interval_is_a_disagreement(void **state)
{
	struct mp_report report;
	const struct mp_fact *fact;

	(void)state;
	sample_report(&report, "");
	assert_int_equal(report.n_disagreements, 2);
	assert_string_equal(report.disagreement[0].fact, "cpu.l3.size");
	assert_true(report.disagreement[0].measured == 5872025.6);
	assert_true(report.disagreement[0].claimed == 33554432);
	assert_string_equal(report.disagreement[0].source, "cpuid");
	fact = mp_report_fact(&report, "cpu.l3.size", NULL);
	assert_ptr_equal(mp_report_disagreement(&report, fact),
			 &report.disagreement[0]);
	fact = mp_report_fact(&report, "cpu.l1d.size", NULL);
	assert_null(mp_report_disagreement(&report, fact));
	mp_report_free(&report);
}

static void a_thing_claimed_and_found_absent_is_one_too(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_report report;

	(void)state;
	add(&facts, "cpu.l3.size", MP_ABSENT, 0, 0, 0, 1e6);
	add(&facts, "cpu.l4.size", MP_ABSENT, 0, 0, 0, 0);
	make(&report, &facts);
	assert_int_equal(report.n_disagreements, 1);
	assert_true(isnan(report.disagreement[0].measured));
	mp_report_free(&report);
}

static void what_could_not_be_measured_contradicts_nobody(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_report report;

	(void)state;
	add(&facts, "cpu.l3.size", MP_NOT_MEASURABLE, 0, 0, 0, 1e6);
	add(&facts, "cpu.l2.size", MP_AT_LEAST, 1000, 1000, 0, 5000);
	make(&report, &facts);
	assert_int_equal(report.n_disagreements, 0);
	mp_report_free(&report);
}

static void unknown_values_and_open_sides_become_no_number(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_report report;

	(void)state;
	add(&facts, "a.absent", MP_ABSENT, 5, 4, 6, 0);
	add(&facts, "a.least", MP_AT_LEAST, 5, 5, 5, 0);
	add(&facts, "a.most", MP_AT_MOST, 5, 5, 5, 0);
	add(&facts, "a.infinite", MP_MEASURED, 5, 4, INFINITY, 0);
	make(&report, &facts);
	assert_true(isnan(report.facts.fact[0].value));
	assert_true(isnan(report.facts.fact[0].low));
	assert_true(report.facts.fact[1].low == 5);
	assert_true(isnan(report.facts.fact[1].high));
	assert_true(isnan(report.facts.fact[2].low));
	assert_true(isnan(report.facts.fact[3].high));
	mp_report_free(&report);
}

static void a_value_that_is_no_number_is_no_measurement(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_report report;

	(void)state;
	add(&facts, "a.nan", MP_MEASURED, NAN, 1, 2, 0);
	add(&facts, "a.inf", MP_VARIES, INFINITY, 1, 2, 0);
	make(&report, &facts);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(report.facts.fact[i].verdict,
				 MP_NOT_MEASURABLE);
		assert_true(report.facts.fact[i].reason[0]);
		assert_true(isnan(report.facts.fact[i].low));
	}
	mp_report_free(&report);
}

static void numbers_are_rounded_once_and_whole_ones_stay(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_report report;

	(void)state;
	add(&facts, "a.b", MP_MEASURED, 1.23456789012345, 1e-300,
	    123456789012.0, 0);
	make(&report, &facts);
	assert_true(report.facts.fact[0].value == 1.23456789);
	assert_true(report.facts.fact[0].low == 1e-300);
	assert_true(report.facts.fact[0].high == 123456789012.0);
	mp_report_settle(&report);
	assert_true(report.facts.fact[0].value == 1.23456789);
	mp_report_free(&report);
}

static void points_without_a_value_are_dropped(void **state)
{
	const struct mp_point good = { 1, 0, 2, NAN, 3, 1 };
	const struct mp_point bad = { 2, 0, NAN, 1, 1, 1 };
	const struct mp_where nowhere = { 0 };
	struct mp_facts facts = { 0 };
	struct mp_series *series;
	struct mp_report report;

	(void)state;
	series = mp_facts_add_series(&facts, "a.b", &nowhere);
	assert_non_null(series);
	assert_int_equal(mp_series_add(series, &bad), 0);
	assert_int_equal(mp_series_add(series, &good), 0);
	make(&report, &facts);
	assert_int_equal(report.facts.series[0].n, 1);
	assert_true(report.facts.series[0].point[0].x == 1);
	mp_report_free(&report);
}

static void texts_are_cleaned(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_report report;
	struct mp_fact *fact;

	(void)state;
	fact = add(&facts, "a.b", MP_NOT_MEASURABLE, 0, 0, 0, 0);
	snprintf(fact->reason, sizeof(fact->reason), "bad\033[2J\xff\n");
	make(&report, &facts);
	assert_string_equal(report.facts.fact[0].reason, "bad?[2J??");
	mp_report_free(&report);
}

static void a_fact_of_a_node_answers_for_a_cpu_that_has_none(void **state)
{
	struct mp_where cpu0, cpu1, node = { .n = 1 };
	struct mp_facts facts = { 0 };
	struct mp_report report;

	(void)state;
	mp_where_cpu(&cpu0, 0);
	mp_where_cpu(&cpu1, 1);
	snprintf(node.key[0], MP_WHERE_TEXT, "node");
	snprintf(node.value[0], MP_WHERE_TEXT, "0");
	mp_facts_add(&facts, "cpu.dram.latency", &node)->value = 1;
	mp_facts_add(&facts, "cpu.l1d.size", &cpu0)->value = 2;
	make(&report, &facts);
	assert_non_null(mp_report_fact(&report, "cpu.dram.latency", &cpu1));
	assert_non_null(mp_report_fact(&report, "cpu.l1d.size", &cpu0));
	assert_null(mp_report_fact(&report, "cpu.l1d.size", &cpu1));
	assert_null(mp_report_fact(&report, "cpu.l2.size", NULL));
	mp_report_free(&report);
}

static void an_empty_report_says_which_tool_made_it(void **state)
{
	struct mp_report report;

	(void)state;
	mp_report_init(&report);
	assert_string_equal(report.tool, "memprobe");
	assert_string_equal(report.version, MP_VERSION);
	assert_int_equal(report.facts.n, 0);
	mp_report_free(&report);
	mp_report_free(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_claim_outside_the_interval_is_a_disagreement),
		cmocka_unit_test(a_thing_claimed_and_found_absent_is_one_too),
		cmocka_unit_test(what_could_not_be_measured_contradicts_nobody),
		cmocka_unit_test(
			unknown_values_and_open_sides_become_no_number),
		cmocka_unit_test(a_value_that_is_no_number_is_no_measurement),
		cmocka_unit_test(numbers_are_rounded_once_and_whole_ones_stay),
		cmocka_unit_test(points_without_a_value_are_dropped),
		cmocka_unit_test(texts_are_cleaned),
		cmocka_unit_test(
			a_fact_of_a_node_answers_for_a_cpu_that_has_none),
		cmocka_unit_test(an_empty_report_says_which_tool_made_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
