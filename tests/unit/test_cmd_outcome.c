// SPDX-License-Identifier: GPL-2.0
/* How far a run can be trusted, as an exit code; and how it is told. */
#include "cmd_outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cmd.h"

static uint32_t given_up;

/* A report of two facts: "measured", "absent" or "no" (not measurable). */
static int judged(const char *l1, const char *other_name, const char *other,
		  const char *stop, uint32_t counted, uint32_t disturbed)
{
	const char *const words[] = { l1, other };
	const char *const names[] = { "cpu.l1d.size", other_name };
	struct mp_report report;
	struct mp_where where;
	char why[256];
	int code;

	mp_report_init(&report);
	mp_where_cpu(&where, 0);
	for (int i = 0; i < 2; i++) {
		struct mp_fact *fact;

		if (!words[i])
			continue;
		fact = mp_facts_add(&report.facts, names[i], &where);
		assert_non_null(fact);
		fact->verdict = MP_NOT_MEASURABLE;
		mp_verdict_parse(words[i], &fact->verdict);
	}
	snprintf(report.run.stop, sizeof(report.run.stop), "%s", stop);
	report.run.counted = counted;
	report.run.disturbed = disturbed;
	report.run.given_up = given_up;
	code = mp_outcome_judge(&report, why, sizeof(why));
	assert_int_equal(why[0] != '\0', code != MP_EXIT_DONE);
	mp_report_free(&report);
	return code;
}

static void one_of_the_two_sizes_is_enough(void **state)
{
	(void)state;
	assert_int_equal(judged("measured", "cpu.l2.size", "no", "done", 9, 9),
			 MP_EXIT_DONE);
	assert_int_equal(judged("no", "cpu.l2.size", "varies", "time", 9, 9),
			 MP_EXIT_DONE);
	assert_int_equal(judged("absent", "cpu.l2.size", "absent", "done", 9,
				0), MP_EXIT_DONE);
}

static void nothing_seen_through_noise_is_no_absence(void **state)
{
	(void)state;
	given_up = 3;
	assert_int_equal(judged("absent", "cpu.l2.size", "absent", "done", 9,
				30), MP_EXIT_NOISY);
	assert_int_equal(judged("measured", "cpu.l2.size", "absent", "done", 9,
				30), MP_EXIT_DONE);
	given_up = 0;
}

static void neither_of_them_is_too_noisy_whatever_else_is_known(void **state)
{
	(void)state;
	assert_int_equal(judged("no", "cpu.l2.size", "no", "done", 3, 9),
			 MP_EXIT_NOISY);
	assert_int_equal(judged("no", "cpu.clock", "measured", "done", 9, 0),
			 MP_EXIT_NOISY);
	assert_int_equal(judged("no", "cpu.clock", "measured", "time", 0, 9),
			 MP_EXIT_NOISY);
}

static void without_a_sample_nothing_was_measurable(void **state)
{
	(void)state;
	assert_int_equal(judged("no", "cpu.l2.size", "no", "done", 0, 0),
			 MP_EXIT_NOTHING);
	assert_int_equal(judged(NULL, NULL, NULL, "done", 0, 0),
			 MP_EXIT_NOTHING);
}

static void other_questions_are_judged_by_their_own_answers(void **state)
{
	(void)state;
	assert_int_equal(judged(NULL, "cpu.l1d.line", "measured", "done", 9,
				0), MP_EXIT_DONE);
	assert_int_equal(judged(NULL, "cpu.l1d.line", "no", "done", 9, 0),
			 MP_EXIT_NOISY);
}

static void a_run_broken_off_reports_what_is_known(void **state)
{
	(void)state;
	assert_int_equal(judged("no", "cpu.clock", "measured", "signal", 1,
				0), MP_EXIT_DONE);
	assert_int_equal(judged("no", "cpu.clock", "no", "signal", 1, 0),
			 MP_EXIT_NOTHING);
}

static void a_run_is_told_with_its_seed_depth_and_counts(void **state)
{
	static struct mp_run run;
	struct mp_report_run out;

	(void)state;
	run.seed = 42;
	run.depth = MP_DEPTH_QUICK;
	run.stop = MP_STOP_SIGNAL;
	run.limit_ns = 60000000000ull;
	run.n_batches = 5;
	run.n_disturbed = 2;
	run.host.node = 3;
	snprintf(run.probes, sizeof(run.probes), "line,latency");
	mp_outcome_describe(&run, "user", 0, true, &out);
	assert_true(out.seed == 42);
	assert_string_equal(out.depth, "quick");
	assert_string_equal(out.stop, "time");
	assert_string_equal(out.probes, "line,latency");
	assert_string_equal(out.started, "1970-01-01T00:00:00Z");
	assert_int_equal(out.time_limit_s, 60);
	assert_int_equal(out.batches, 5);
	assert_int_equal(out.disturbed, 2);
	assert_int_equal(out.node, 3);
	mp_outcome_describe(&run, "user", 0, false, &out);
	assert_string_equal(out.stop, "signal");
}

static void a_machine_that_is_not_real_has_no_date(void **state)
{
	static struct mp_run run;
	struct mp_report_run out;

	(void)state;
	run.host.caps = MP_CAP_MODELLED;
	mp_outcome_describe(&run, "sim", 1, false, &out);
	assert_string_equal(out.started, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_the_two_sizes_is_enough),
		cmocka_unit_test(nothing_seen_through_noise_is_no_absence),
		cmocka_unit_test(
			neither_of_them_is_too_noisy_whatever_else_is_known),
		cmocka_unit_test(without_a_sample_nothing_was_measurable),
		cmocka_unit_test(
			other_questions_are_judged_by_their_own_answers),
		cmocka_unit_test(a_run_broken_off_reports_what_is_known),
		cmocka_unit_test(a_run_is_told_with_its_seed_depth_and_counts),
		cmocka_unit_test(a_machine_that_is_not_real_has_no_date),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
