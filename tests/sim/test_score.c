// SPDX-License-Identifier: GPL-2.0
/* The rule that facts of simulated machines are scored by. */
#include "score.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct mp_fact found(uint32_t verdict, double value)
{
	return (struct mp_fact){
		.verdict = verdict,
		.value = value,
		.low = value * 0.99,
		.high = value * 1.01,
	};
}

static enum score of(const char *name, const char *expected, uint32_t verdict,
		     double value)
{
	const struct mp_fact fact = found(verdict, value);

	return score_fact(name, expected, &fact);
}

static enum score measured(const char *name, const char *expected,
			   double value)
{
	return of(name, expected, MP_MEASURED, value);
}

static void a_size_is_right_within_an_eighth(void **state)
{
	(void)state;
	assert_int_equal(measured("cpu.l2.size", "1M", 1 << 20), SCORE_RIGHT);
	assert_int_equal(measured("cpu.l2.size", "1M", 1179648), SCORE_RIGHT);
	assert_int_equal(measured("cpu.l2.size", "1M", 1179649), SCORE_WRONG);
	assert_int_equal(measured("cpu.l2.size", "1M", 917504), SCORE_RIGHT);
	assert_int_equal(measured("cpu.l2.size", "1M", 917503), SCORE_WRONG);
	assert_int_equal(measured("cpu.l2.size", "1.25M", 1310720),
			 SCORE_RIGHT);
}

static void cycles_are_right_within_two_percent_or_half_a_cycle(void **state)
{
	const char *const few = "cpu.l1d.latency-cycles";
	const char *const many = "cpu.walk.cost";

	(void)state;
	assert_int_equal(measured(few, "4", 4.5), SCORE_RIGHT);
	assert_int_equal(measured(few, "4", 4.51), SCORE_WRONG);
	assert_int_equal(measured(few, "4", 3.49), SCORE_WRONG);
	assert_int_equal(measured("cpu.stlb.hit-cost", "7", 7.5), SCORE_RIGHT);
	assert_int_equal(measured(many, "100", 102), SCORE_RIGHT);
	assert_int_equal(measured(many, "100", 102.1), SCORE_WRONG);
}

static void times_and_the_clock_are_right_within_two_percent(void **state)
{
	(void)state;
	assert_int_equal(measured("cpu.dram.latency", "100", 98), SCORE_RIGHT);
	assert_int_equal(measured("cpu.dram.latency", "100", 97.9),
			 SCORE_WRONG);
	assert_int_equal(measured("cpu.l1d.latency", "1", 1.4), SCORE_WRONG);
	assert_int_equal(measured("cpu.dram.latency-random", "100", 103),
			 SCORE_WRONG);
	assert_int_equal(measured("cpu.clock", "3700000000", 3.71e9),
			 SCORE_RIGHT);
	assert_int_equal(measured("cpu.clock", "3700000000", 3.8e9),
			 SCORE_WRONG);
}

static void lines_and_ways_are_right_as_they_are(void **state)
{
	(void)state;
	assert_int_equal(measured("cpu.l1d.line", "64", 64), SCORE_RIGHT);
	assert_int_equal(measured("cpu.l1d.line", "64", 128), SCORE_WRONG);
	assert_int_equal(measured("cpu.l2.ways", "16", 16), SCORE_RIGHT);
	assert_int_equal(measured("cpu.l2.ways", "16", 15.9), SCORE_WRONG);
}

static void entries_are_right_within_the_limits_that_were_found(void **state)
{
	struct mp_fact fact = found(MP_MEASURED, 1500);

	(void)state;
	fact.low = 1480;
	fact.high = 1536;
	assert_int_equal(score_fact("cpu.stlb.entries", "1536", &fact),
			 SCORE_RIGHT);
	fact.high = 1535;
	assert_int_equal(score_fact("cpu.stlb.entries", "1536", &fact),
			 SCORE_WRONG);
}

static void a_bound_that_holds_is_no_answer_and_a_false_one_is_wrong(void **state)
{
	const char *const name = "cpu.l3.size";

	(void)state;
	assert_int_equal(of(name, "8M", MP_AT_LEAST, 6 << 20), SCORE_OPEN);
	assert_int_equal(of(name, "8M", MP_AT_LEAST, 8 << 20), SCORE_OPEN);
	assert_int_equal(of(name, "8M", MP_AT_LEAST, 12 << 20), SCORE_WRONG);
	assert_int_equal(of(name, "8M", MP_AT_MOST, 12 << 20), SCORE_OPEN);
	assert_int_equal(of(name, "8M", MP_AT_MOST, 6 << 20), SCORE_WRONG);
	assert_int_equal(of("cpu.dtlb.entries", "64", MP_AT_LEAST, 65),
			 SCORE_WRONG);
}

static void a_fact_that_admits_not_to_know_is_unanswered(void **state)
{
	(void)state;
	assert_int_equal(of("cpu.l2.size", "1M", MP_NOT_MEASURABLE, 0),
			 SCORE_OPEN);
	assert_int_equal(of("cpu.l2.size", "1M", MP_DISPUTED, 5e6),
			 SCORE_OPEN);
	assert_int_equal(of("cpu.l2.size", "1M", MP_VARIES, 5e6), SCORE_OPEN);
	assert_int_equal(score_fact("cpu.l2.size", "1M", NULL), SCORE_OPEN);
	assert_int_equal(score_fact("cpu.l4.size", "absent", NULL),
			 SCORE_OPEN);
}

static void what_is_there_and_called_absent_is_wrong(void **state)
{
	(void)state;
	assert_int_equal(of("cpu.l3.size", "8M", MP_ABSENT, 0), SCORE_WRONG);
	assert_int_equal(of("cpu.l3.size", "varies", MP_ABSENT, 0),
			 SCORE_WRONG);
	assert_int_equal(of("cpu.l1d.ways", "not-measurable", MP_ABSENT, 0),
			 SCORE_WRONG);
}

static void what_is_absent_and_found_is_wrong(void **state)
{
	(void)state;
	assert_int_equal(of("cpu.l4.size", "absent", MP_ABSENT, 0),
			 SCORE_RIGHT);
	assert_int_equal(measured("cpu.l4.size", "absent", 1e8), SCORE_WRONG);
	assert_int_equal(of("cpu.l4.size", "absent", MP_AT_LEAST, 1e8),
			 SCORE_WRONG);
	assert_int_equal(of("cpu.l4.size", "absent", MP_NOT_MEASURABLE, 0),
			 SCORE_OPEN);
}

static void what_moves_is_right_when_it_is_said_to_move(void **state)
{
	(void)state;
	assert_int_equal(of("cpu.l3.size", "varies", MP_VARIES, 8e6),
			 SCORE_RIGHT);
	assert_int_equal(measured("cpu.l3.size", "varies", 8e6), SCORE_WRONG);
	assert_int_equal(of("cpu.l3.size", "varies", MP_AT_LEAST, 8e6),
			 SCORE_OPEN);
}

static void of_alternatives_the_best_one_counts(void **state)
{
	const char *const either = "absent|not-measurable";

	(void)state;
	assert_int_equal(of("cpu.dtlb.entries", either, MP_ABSENT, 0),
			 SCORE_RIGHT);
	assert_int_equal(of("cpu.dtlb.entries", either, MP_NOT_MEASURABLE, 0),
			 SCORE_RIGHT);
	assert_int_equal(of("cpu.dtlb.entries", either, MP_DISPUTED, 9),
			 SCORE_OPEN);
	assert_int_equal(measured("cpu.dtlb.entries", either, 9), SCORE_WRONG);
	assert_int_equal(measured("cpu.l2.ways", "8|16", 16), SCORE_RIGHT);
	assert_int_equal(measured("cpu.l2.ways", "8|16", 12), SCORE_WRONG);
	assert_int_equal(measured("cpu.l2.ways", "8|any", 12), SCORE_ANY);
}

static void a_text_is_right_by_its_letters(void **state)
{
	struct mp_fact fact = found(MP_MEASURED, 0);

	(void)state;
	fact.is_text = true;
	strcpy(fact.text, "lru");
	assert_int_equal(score_fact("cpu.l2.policy", "plru|lru", &fact),
			 SCORE_RIGHT);
	assert_int_equal(score_fact("cpu.l2.policy", "fifo", &fact),
			 SCORE_WRONG);
	fact.is_text = false;
	assert_int_equal(score_fact("cpu.l2.policy", "lru", &fact),
			 SCORE_WRONG);
}

static void a_number_that_is_none_is_wrong(void **state)
{
	(void)state;
	assert_int_equal(measured("cpu.l2.size", "1M", NAN), SCORE_WRONG);
	assert_int_equal(measured("cpu.clock", "1000", INFINITY),
			 SCORE_WRONG);
}

static void a_number_without_a_rule_is_wrong(void **state)
{
	(void)state;
	assert_int_equal(measured("cpu.l2.colour", "3", 3), SCORE_WRONG);
}

static void a_machine_fails_for_a_wrong_fact(void **state)
{
	struct score_tally tally = { 0 };

	(void)state;
	score_count(&tally, "cpu.l3.size", SCORE_RIGHT);
	score_count(&tally, "cpu.l3.size", SCORE_ANY);
	score_count(&tally, "cpu.l3.size", SCORE_OPEN);
	assert_false(score_fails(&tally));
	score_count(&tally, "cpu.l3.size", SCORE_WRONG);
	assert_true(score_fails(&tally));
}

static void a_machine_fails_for_an_open_question_that_it_must_answer(void **state)
{
	struct score_tally tally = { 0 }, sum = { 0 };

	(void)state;
	score_count(&tally, "cpu.l2.size", SCORE_RIGHT);
	assert_false(score_fails(&tally));
	score_count(&tally, "cpu.l2.size", SCORE_OPEN);
	assert_true(score_fails(&tally));
	score_add(&sum, &tally);
	score_add(&sum, &tally);
	assert_int_equal(sum.n[SCORE_RIGHT], 2);
	assert_int_equal(sum.n[SCORE_OPEN], 2);
	assert_int_equal(sum.missing, 2);
}

static struct score_judged strictly(const char *name, const char *expected,
				    double value, double low, double high)
{
	const struct mp_fact fact = {
		.verdict = MP_MEASURED, .value = value, .low = low,
		.high = high,
	};
	struct score_judged judged;

	score_judge(name, expected, &fact, 2e9, &judged);
	return judged;
}

static void strictly_entries_that_are_unequal_are_wrong(void **state)
{
	(void)state;
	assert_int_equal(strictly("cpu.stlb.entries", "1536", 1500, 1480,
				  1536).score, SCORE_WRONG);
	assert_int_equal(strictly("cpu.dtlb-2m.entries", "32", 32, 30,
				  34).score, SCORE_RIGHT);
	assert_int_equal(strictly("cpu.dtlb.ways", "4", 8, 4, 8).score,
			 SCORE_WRONG);
	assert_int_equal(strictly("cpu.l2.sector", "64", 128, 64, 128).score,
			 SCORE_WRONG);
	assert_int_equal(strictly("cpu.l3.shared", "4", 4, 4, 4).score,
			 SCORE_RIGHT);
}

static void strictly_wide_limits_are_no_answer(void **state)
{
	struct score_judged judged;

	(void)state;
	judged = strictly("cpu.l2.size", "1M", 1e6, 9e5, 9e5 * 1.29);
	assert_int_equal(judged.score, SCORE_RIGHT);
	judged = strictly("cpu.l2.size", "1M", 1e6, 9e5, 9e5 * 1.291);
	assert_int_equal(judged.score, SCORE_OPEN);
	assert_true(judged.has_limits);
	judged = strictly("cpu.l3.latency-cycles", "40", 40, 39, 41);
	assert_int_equal(judged.score, SCORE_OPEN);
	judged = strictly("cpu.l3.latency-cycles", "40", 40, 39.5, 40.5);
	assert_int_equal(judged.score, SCORE_RIGHT);
	judged = strictly("cpu.dram.latency", "100", 100, 90, 100);
	assert_int_equal(judged.score, SCORE_OPEN);
	judged = strictly("cpu.l2.size", "1M", 1e6, NAN, NAN);
	assert_int_equal(judged.score, SCORE_OPEN);
}

static void strictly_limits_are_asked_of_right_numbers_only(void **state)
{
	struct score_judged judged;

	(void)state;
	judged = strictly("cpu.l2.ways", "8", 8, 8, 8);
	assert_true(judged.has_limits && judged.held);
	judged = strictly("cpu.l2.size", "1000", 990, 980, 999);
	assert_int_equal(judged.score, SCORE_RIGHT);
	assert_true(judged.has_limits && !judged.held);
	judged = strictly("cpu.l2.ways", "8", 9, 8, 9);
	assert_int_equal(judged.score, SCORE_WRONG);
	assert_false(judged.has_limits);
	judged = strictly("cpu.l2.size", "absent|1000", 1000, 990, 1010);
	assert_true(judged.has_limits && judged.held);
}

static void strictly_half_a_cycle_counts_in_ns_too(void **state)
{
	(void)state;
	/* At 2 GHz, as above. */
	assert_int_equal(strictly("cpu.l1d.latency", "2", 2.25, 2.2,
				  2.3).score, SCORE_RIGHT);
	assert_int_equal(strictly("cpu.l1d.latency", "2", 2.26, 2.2,
				  2.3).score, SCORE_WRONG);
	assert_int_equal(strictly("cpu.dram.latency", "100", 97.9, 97,
				  98).score, SCORE_WRONG);
}

static void what_is_said_of_a_fact_names_both_sides(void **state)
{
	struct mp_fact fact = found(MP_AT_LEAST, 100);
	char text[SCORE_WHY];

	(void)state;
	strcpy(fact.unit, "bytes");
	strcpy(fact.reason, "too noisy");
	assert_string_equal(score_say(text, "128", &fact),
			    "expected 128, got at-least 100 [99, 101] bytes: "
			    "too noisy");
	assert_string_equal(score_say(text, "128", NULL),
			    "expected 128, no such fact");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_is_right_within_an_eighth),
		cmocka_unit_test(
			cycles_are_right_within_two_percent_or_half_a_cycle),
		cmocka_unit_test(
			times_and_the_clock_are_right_within_two_percent),
		cmocka_unit_test(lines_and_ways_are_right_as_they_are),
		cmocka_unit_test(
			entries_are_right_within_the_limits_that_were_found),
		cmocka_unit_test(
			a_bound_that_holds_is_no_answer_and_a_false_one_is_wrong),
		cmocka_unit_test(a_fact_that_admits_not_to_know_is_unanswered),
		cmocka_unit_test(what_is_there_and_called_absent_is_wrong),
		cmocka_unit_test(what_is_absent_and_found_is_wrong),
		cmocka_unit_test(what_moves_is_right_when_it_is_said_to_move),
		cmocka_unit_test(of_alternatives_the_best_one_counts),
		cmocka_unit_test(a_text_is_right_by_its_letters),
		cmocka_unit_test(a_number_that_is_none_is_wrong),
		cmocka_unit_test(a_number_without_a_rule_is_wrong),
		cmocka_unit_test(a_machine_fails_for_a_wrong_fact),
		cmocka_unit_test(
			a_machine_fails_for_an_open_question_that_it_must_answer),
		cmocka_unit_test(strictly_entries_that_are_unequal_are_wrong),
		cmocka_unit_test(strictly_wide_limits_are_no_answer),
		cmocka_unit_test(
			strictly_limits_are_asked_of_right_numbers_only),
		cmocka_unit_test(strictly_half_a_cycle_counts_in_ns_too),
		cmocka_unit_test(what_is_said_of_a_fact_names_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
