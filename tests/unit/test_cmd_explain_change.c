// SPDX-License-Identifier: GPL-2.0
/*
 * What would change an answer: each point is made where the report bears it
 * out, and only there.
 */
#include "cmd_explain_change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd_explain_clue.h"
#include "explained.h"
#include "sample_report.h"

static struct mp_report report;

static int make(void **state)
{
	(void)state;
	sample_report(&report, "");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	mp_report_free(&report);
	return 0;
}

static bool said(const char *name, const char *words)
{
	char *change = explained_change(&report, name);
	const bool found = strstr(change, words);

	free(change);
	return found;
}

static void set_reason(const char *name, uint32_t verdict, const char *reason)
{
	struct mp_fact *fact = explained_fact(&report, name);

	fact->verdict = verdict;
	snprintf(fact->reason, sizeof(fact->reason), "%s", reason);
}

static void each_verdict_has_its_own_words(void **state)
{
	(void)state;
	assert_true(said("cpu.l1d.size", "Any value within 30 .. 33 KiB is as good as this one"));
	assert_true(said("cpu.l1d.ways", "- It would be overturned by one line more that still fits"));
	assert_true(said("cpu.stlb.entries", "This is a lower limit"));
	assert_true(said("cpu.l4.size", "looked for and not found"));
	assert_true(said("cpu.l3.size", "no single value here"));
	assert_true(said("cpu.l3.latency", "Two estimators differ"));
	assert_true(said("cpu.l3.ways", "No answer is given"));
	assert_false(said("cpu.l1d.size", "lower limit"));
	assert_false(said("cpu.l3.ways", "overturned"));
}

static void a_reason_leads_to_what_would_remove_it(void **state)
{
	(void)state;
	assert_null(mp_clue_find("neighbours move the last level"));
	assert_null(mp_clue_find(""));
	set_reason("cpu.l2.size", MP_AT_LEAST,
		   "limits lie too far apart to call it measured; best estimate 29 KiB");
	assert_true(said("cpu.l2.size", "A blurred edge fits many capacities"));
	set_reason("cpu.l3.size", MP_VARIES,
		   "replicates a moment apart saw 3.2 to 6.1 MiB: what others leave of a shared cache");
	assert_true(said("cpu.l3.size", "Neighbours that share the level hold a part of it"));
	set_reason("cpu.l3.ways", MP_NOT_MEASURABLE,
		   "this level is indexed by physical address and the memory is not contiguous: ask for huge pages");
	assert_true(said("cpu.l3.ways", "contiguous memory of the kernel module"));
}

static void remedies_are_for_machines_that_live(void **state)
{
	(void)state;
	set_reason("cpu.l3.ways", MP_NOT_MEASURABLE,
		   "this level is indexed by physical address and the memory is not contiguous: ask for huge pages");
	snprintf(report.label, sizeof(report.label), "simulated: a.machine");
	assert_false(said("cpu.l3.ways", "kernel module"));
	assert_true(said("cpu.l3.ways", "no real machine (simulated: a.machine): other answers need another description, or another --seed"));
	snprintf(report.label, sizeof(report.label), "recorded: a.mpr");
	assert_true(said("cpu.l3.ways", "another recording"));
	assert_false(said("cpu.l3.ways", "--seed"));
}

static void what_the_module_gives_is_not_held_out_to_who_has_it(void **state)
{
	(void)state;
	set_reason("cpu.l2.size", MP_NOT_MEASURABLE,
		   "too noisy: no usable latency curve");
	assert_true(said("cpu.l2.size", "quiet windows of the kernel module"));
	assert_true(said("cpu.l2.size", "make run KMOD=1"));
	snprintf(report.run.backend, sizeof(report.run.backend), "kmod");
	assert_false(said("cpu.l2.size", "kernel module"));
}

static void answers_that_it_starts_from_are_named_if_not_measured(void **state)
{
	(void)state;
	set_reason("cpu.l2.ways", MP_NOT_MEASURABLE,
		   "the level's size or latency could not be measured");
	assert_false(said("cpu.l2.ways", "starts from answers"));
	explained_fact(&report, "cpu.l2.size")->verdict = MP_AT_LEAST;
	explained_fact(&report, "cpu.l3.size")->verdict = MP_AT_LEAST;
	assert_true(said("cpu.l2.ways", "starts from answers that are not measured either: cpu.l2.size (at-least) "));
	/* not if it is measured all the same; not for what starts nowhere */
	explained_fact(&report, "cpu.l2.ways")->verdict = MP_MEASURED;
	assert_false(said("cpu.l2.ways", "starts from answers"));
	assert_false(said("cpu.clock", "starts from answers"));
}

static void what_ended_the_run_is_told(void **state)
{
	(void)state;
	assert_false(said("cpu.l2.size", "--time-limit"));
	assert_false(said("cpu.l2.size", "--quick"));
	snprintf(report.run.stop, sizeof(report.run.stop), "time");
	assert_true(said("cpu.l2.size", "The time limit of 60 s cut the run short"));
	snprintf(report.run.stop, sizeof(report.run.stop), "signal");
	assert_true(said("cpu.l2.size", "interrupted"));
	snprintf(report.run.depth, sizeof(report.run.depth), "quick");
	assert_true(said("cpu.l2.size", "one without --quick"));
}

static void time_that_was_shared_is_said_of_open_answers_only(void **state)
{
	(void)state;
	assert_true(said("cpu.l3.size", "memprobe run --probe cache-size gives"));
	assert_false(said("cpu.l2.size", "--probe"));
	snprintf(report.run.probes, sizeof(report.run.probes), "cache-size");
	assert_false(said("cpu.l3.size", "--probe"));
}

static void disturbed_shares_are_told_in_numbers(void **state)
{
	(void)state;
	assert_true(said("cpu.l2.size", "Of the 10 replicates behind it 2 came out disturbed and did not count (of all batches of the run, 9 of 312)"));
	report.experiment[0].disturbed = 0;
	assert_false(said("cpu.l2.size", "disturbed"));
	report.run.disturbed = 100;
	assert_true(said("cpu.l2.size", "Of all batches of the run 100 of 312 (32 %) were disturbed"));
}

static void few_replicates_are_told(void **state)
{
	(void)state;
	assert_false(said("cpu.l2.size", "No experiment behind it"));
	report.experiment[0].counted = 3;
	assert_true(said("cpu.l2.size", "No experiment behind it has more than 3 replicates that count"));
	assert_false(said("cpu.l1d.ways", "No experiment behind it"));
}

static void conditions_are_brought_up_where_they_are_stated(void **state)
{
	(void)state;
	assert_false(said("cpu.l2.size", "busy"));
	assert_false(said("cpu.l2.size", "hypervisor"));
	assert_false(said("cpu.l2.size", "reserved huge pages"));
	explained_condition(&report, "load-average", "0.10 1.00 1.00");
	assert_false(said("cpu.l2.size", "busy"));
	explained_condition(&report, "load-average", "2.04 1.26 1.16");
	assert_true(said("cpu.l2.size", "load average 2.04 1.26 1.16"));
	explained_condition(&report, "hypervisor", "KVMKVMKVM");
	assert_true(said("cpu.l2.size", "A hypervisor lies below"));
	assert_true(said("cpu.walk.cost", "nested"));
	assert_false(said("cpu.dtlb.entries", "hypervisor"));
	explained_condition(&report, "pages",
			    "2m, transparent huge: granted, reserved 2 MiB: granted");
	assert_false(said("cpu.l2.size", "reserved huge pages"));
	explained_condition(&report, "pages",
			    "thp, transparent huge: granted, reserved 2 MiB: none free");
	assert_true(said("cpu.l2.size", "No reserved huge pages were free"));
	assert_false(said("cpu.dtlb.entries", "reserved huge pages"));
	snprintf(report.experiment[0].pages, MP_REPORT_WORD, "2m");
	assert_false(said("cpu.l2.size", "reserved huge pages"));
	report.run.pages_forced = true;
	assert_true(said("cpu.l2.size", "forced to be thp by --pages"));
}

static void a_coarse_clock_is_told_where_it_matters(void **state)
{
	(void)state;
	explained_condition(&report, "tick-step", "26 ticks (10.0 ns)");
	assert_true(said("cpu.l2.latency", "The clock moves in steps of 10.0 ns, 37 cycles of this core"));
	assert_false(said("cpu.l2.size", "The clock moves"));
	/* a count that came out exactly needs no finer clock */
	assert_false(said("cpu.l1d.ways", "The clock moves"));
	explained_condition(&report, "tick-step", "1 ticks (0.4 ns)");
	assert_false(said("cpu.l2.latency", "The clock moves"));
	explained_condition(&report, "tick-step", "nonsense");
	assert_false(said("cpu.l2.latency", "The clock moves"));
}

static void a_claim_changes_nothing_and_that_is_said_where_it_differs(
	void **state)
{
	(void)state;
	assert_true(said("cpu.l2.ways", "The claim of cpuid took no part in this"));
	assert_false(said("cpu.l1d.ways", "took no part"));
	assert_false(said("cpu.clock", "took no part"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verdict_has_its_own_words),
		cmocka_unit_test(a_reason_leads_to_what_would_remove_it),
		cmocka_unit_test(remedies_are_for_machines_that_live),
		cmocka_unit_test(
			what_the_module_gives_is_not_held_out_to_who_has_it),
		cmocka_unit_test(
			answers_that_it_starts_from_are_named_if_not_measured),
		cmocka_unit_test(what_ended_the_run_is_told),
		cmocka_unit_test(
			time_that_was_shared_is_said_of_open_answers_only),
		cmocka_unit_test(disturbed_shares_are_told_in_numbers),
		cmocka_unit_test(few_replicates_are_told),
		cmocka_unit_test(
			conditions_are_brought_up_where_they_are_stated),
		cmocka_unit_test(a_coarse_clock_is_told_where_it_matters),
		cmocka_unit_test(
			a_claim_changes_nothing_and_that_is_said_where_it_differs),
	};
	struct CMUnitTest each[sizeof(tests) / sizeof(tests[0])];

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		each[i] = tests[i];
		each[i].setup_func = make;
		each[i].teardown_func = drop;
	}
	return cmocka_run_group_tests(each, NULL, NULL);
}
