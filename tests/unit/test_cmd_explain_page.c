// SPDX-License-Identifier: GPL-2.0
/* The page that explains a fact: what is said, done, seen and inferred. */
#include "cmd_explain_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd_explain_evidence.h"
#include "cmd_explain_kind.h"
#include "cmd_explain_name.h"
#include "explained.h"
#include "names.h"
#include "probe.h"
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

static void says(const char *name, const char *words)
{
	char *page = explained_page(&report, name);

	if (!strstr(page, words))
		fail_msg("%s: '%s' is not said in: %s", name, words, page);
	free(page);
}

static void does_not_say(const char *name, const char *words)
{
	char *page = explained_page(&report, name);

	if (strstr(page, words))
		fail_msg("%s: '%s' is said in: %s", name, words, page);
	free(page);
}

static void the_answer_stands_beside_its_claim(void **state)
{
	(void)state;
	says("cpu.l1d.size", "cpu.l1d.size (cpus=0) 32 KiB, measured, limits 30 .. 33 KiB; claimed 32 KiB by cpuid: they agree");
	says("cpu.l2.ways", "8 ways, measured; claimed 16 ways by cpuid: they disagree");
	says("cpu.stlb.entries", ">= 2048 entries, at-least; claimed 3072 entries by cpuid: they do not contradict each other");
	says("cpu.l3.ways", "not-measurable; claimed 16 ways by cpuid: not to be compared");
	says("cpu.l3.ways", "why: neighbours move the last level");
	says("cpu.l3.size", "5.6 MiB, varies, seen 4 .. 8 MiB; claimed 32 MiB by cpuid: they disagree");
	says("cpu.walk.cost", "The system claims nothing of it.");
	says("cpu.walk.cost", "34 cycles, measured, limits 30 .. 41");
}

static void what_was_done_is_told_as_far_as_the_report_has_it(void **state)
{
	(void)state;
	says("cpu.l2.size", "Probe cache-size asked: how large is each level of cache?");
	says("cpu.l2.size", "Measured by backend user on CPU 0, memory of any node, depth default, seed 18446744073709551615.");
	says("cpu.l2.size", "Dependent loads round rings of 1 MiB, a slot each 128 B, in random order within windows of 32 KiB; timed 2048 hops at a time; pages: thp asked for, mixed given. 1 experiment, 9 replicates: 7 count, 2 disturbed, 0 failed; 12 of 72 bursts were disturbed.");
	says("cpu.l2.size", "Sequences of 150 accesses to slots 4 KiB apart; pages: 4k asked for, none given. 1 experiment, 1 replicate: 0 count, 0 disturbed, 1 failed");
}

static void what_was_seen_is_a_row_an_experiment(void **state)
{
	(void)state;
	says("cpu.l2.size", "01234567 1 MiB 128 B 8192 mixed 7 of 9 7.41 7.25 .. 8.12");
	says("cpu.l2.size", "fedcba98 64 KiB 4 KiB 16 - 0 of 1 - -");
}

static void curves_are_drawn_for_what_is_read_off_them(void **state)
{
	(void)state;
	says("cpu.l2.size", "cpu.latency (cpus=0), ns by footprint");
	says("cpu.l2.latency", "cpu.latency (cpus=0), ns by footprint");
	does_not_say("cpu.dtlb.entries", "ns by footprint");
	mp_where_cpu(&report.facts.series[0].where, 3);
	does_not_say("cpu.l2.size", "ns by footprint");
}

static void without_experiments_the_points_round_the_answer_are_shown(
	void **state)
{
	(void)state;
	for (uint32_t i = 0; i < report.n_experiments; i++)
		report.experiment[i].id = i;
	says("cpu.l2.size", "2 experiments that it names are not in the report: planned, and never made.");
	says("cpu.l2.size", "512 KiB 4.2 4.12 .. 4.33 5 768 KiB 4.7");
	does_not_say("cpu.l2.size", "256 KiB 3.84");
	says("cpu.dtlb.entries", "The report has no measurements behind it.");
}

static void what_rests_on_nothing_says_so(void **state)
{
	(void)state;
	explained_fact(&report, "cpu.l3.ways")->n_evidence = 0;
	says("cpu.l3.ways", "It names no experiment that it rests on.");
	says("cpu.l3.ways", "The report has no measurements behind it.");
	does_not_say("cpu.l3.ways", "A fact names 32 experiments");
}

static void a_fact_with_no_room_for_more_evidence_says_so(void **state)
{
	struct mp_fact *fact = explained_fact(&report, "cpu.l2.size");

	(void)state;
	for (uint64_t id = 1; id < 40; id++)
		mp_fact_note(fact, id);
	says("cpu.l2.size", "A fact names 32 experiments at most: it may rest on more.");
}

static void the_estimator_is_the_method_and_a_paragraph(void **state)
{
	(void)state;
	says("cpu.l2.size", "how: made up for cpu.l2.size Rings of growing length are walked.");
	says("cpu.l2.size", "More: Documentation/how-it-knows.md#size (Size)");
	says("cpu.stlb.entries", "how-it-knows.md#tlbs-and-page-walks");
	says("cpu.dram.latency", "how-it-knows.md#memory");
	says("cpu.l1d.latency", "how-it-knows.md#latency (Latency)");
	snprintf(explained_fact(&report, "cpu.l2.size")->name, MP_FACT_NAME,
		 "gpu.l2.colour");
	says("gpu.l2.colour", "a fact of a kind that this version does not know");
	says("gpu.l2.colour", "No probe of this version answers it");
}

/* One that was explained by another's words would read as if it were right. */
static void every_fact_that_a_probe_answers_is_of_a_kind(void **state)
{
	static const char *const kinds[][2] = {
		{ "cpu.l2.size", "size" },	{ "cpu.l2.ways", "ways" },
		{ "cpu.stlb-2m.ways", "tlbs-and-page-walks" },
		{ "cpu.l1d.policy", "replacement-policy" },
		{ "cpu.l3.inclusion", "inclusion" },
		{ "cpu.l2.sector", "line" },	{ "cpu.clock", "clock" },
		{ "cpu.l3.shared", "shared-levels" },
		{ "cpu.dram.latency-random", "memory" },
		{ "cpu.l1d.latency-cycles", "latency" },
		{ "cpu.stlb.hit-cost", "tlbs-and-page-walks" },
	};
	char name[MP_FACT_NAME];

	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		const char *rest = mp_probes[i]->facts;

		while (mp_names_next(&rest, name, sizeof(name)))
			if (!mp_kind_known(mp_kind_of(name)))
				fail_msg("%s is of no kind", name);
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		assert_string_equal(mp_kind_of(kinds[i][0])->anchor,
				    kinds[i][1]);
	assert_true(mp_kind_known(mp_kind_of("cpu.prefetch.stream")));
	assert_false(mp_kind_known(mp_kind_of("cpu.colour")));
}

static void a_word_means_a_name_or_its_beginning_up_to_a_dot(void **state)
{
	const struct mp_fact *fact = explained_fact(&report, "cpu.l2.size");

	(void)state;
	assert_true(mp_name_means("cpu.l2.size", fact, true));
	assert_false(mp_name_means("cpu.l2", fact, true));
	assert_true(mp_name_means("cpu.l2", fact, false));
	assert_true(mp_name_means("cpu.l2.", fact, false));
	assert_true(mp_name_means("cpu", fact, false));
	assert_false(mp_name_means("cpu.l", fact, false));
	assert_false(mp_name_means("cpu.l2.si", fact, false));
	assert_false(mp_name_means("", fact, false));
	assert_false(mp_name_means("cpu.l2.size.x", fact, false));
}

static void the_nearest_names_come_first_and_once(void **state)
{
	char text[256], small[12];

	(void)state;
	assert_int_equal(mp_name_distance("cpu.l2.size", "cpu.l2.size"), 0);
	assert_int_equal(mp_name_distance("cpu.l2.sise", "cpu.l2.size"), 1);
	assert_int_equal(mp_name_distance("", "abc"), 3);
	assert_int_equal(mp_name_distance("kitten", "sitting"), 3);
	mp_name_nearest(&report, "cpu.l2.sise", text, sizeof(text));
	assert_ptr_equal(strstr(text, "cpu.l2.size, "), text);
	assert_null(strstr(text + 1, "cpu.l2.size"));
	mp_name_nearest(&report, "cpu.l2.sise", small, sizeof(small));
	assert_string_equal(small, "cpu.l2.size");
}

/* A report may come from anywhere. */
static void words_that_lead_nowhere_are_not_followed(void **state)
{
	static const char *const words[] = {
		"", "actor0.colour=red", "arena0.bytes=64",
		"actor0.op=chase actor0.stride=64 actor0.arena=3",
		"arena0.bytes=1 actor0.op=chase actor0.stride=0",
		"arena0.bytes=1 actor0.op=chase actor0.stride=64 actor1.stride=64 actor1.arena=4000000000",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		free(report.experiment[0].text);
		report.experiment[0].text = strdup(words[i]);
		says("cpu.l2.size", "Something in words that this version does not understand");
		says("cpu.l2.size", "01234567 ? ? ? mixed 7 of 9 7.41");
	}
	free(report.experiment[0].text);
	report.experiment[0].text = NULL;
	says("cpu.l2.size", "does not understand: ");
}

static void of_many_experiments_the_nearest_are_shown(void **state)
{
	struct mp_fact *fact = explained_fact(&report, "cpu.l2.size");

	(void)state;
	for (uint64_t i = 0; i < 24; i++) {
		struct mp_report_exp *exp = mp_report_add_exp(&report);

		assert_non_null(exp);
		exp->id = (0xa0 + i) << 32;
		assert_true(asprintf(&exp->text, "arena0.bytes=%llu actor0.op=chase actor0.length=%llu actor0.stride=512",
				     1024ull << i, 1024ull << i) > 0);
		mp_fact_note(fact, exp->id);
	}
	says("cpu.l2.size", " 000000aa 1 MiB ");
	does_not_say("cpu.l2.size", " 000000b7 8 GiB ");
	does_not_say("cpu.l2.size", " 000000a0 1 KiB ");
	says("cpu.l2.size", "and 10 more: .experiments of the report has them all");
	fact->verdict = MP_ABSENT;
	says("cpu.l2.size", " 000000b7 8 GiB ");
	does_not_say("cpu.l2.size", " 000000a0 1 KiB ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_answer_stands_beside_its_claim, make, drop),
		cmocka_unit_test_setup_teardown(
			what_was_done_is_told_as_far_as_the_report_has_it,
			make, drop),
		cmocka_unit_test_setup_teardown(
			what_was_seen_is_a_row_an_experiment, make, drop),
		cmocka_unit_test_setup_teardown(
			curves_are_drawn_for_what_is_read_off_them, make,
			drop),
		cmocka_unit_test_setup_teardown(
			without_experiments_the_points_round_the_answer_are_shown,
			make, drop),
		cmocka_unit_test_setup_teardown(what_rests_on_nothing_says_so,
						make, drop),
		cmocka_unit_test_setup_teardown(
			a_fact_with_no_room_for_more_evidence_says_so, make,
			drop),
		cmocka_unit_test_setup_teardown(
			the_estimator_is_the_method_and_a_paragraph, make,
			drop),
		cmocka_unit_test(every_fact_that_a_probe_answers_is_of_a_kind),
		cmocka_unit_test_setup_teardown(
			a_word_means_a_name_or_its_beginning_up_to_a_dot, make,
			drop),
		cmocka_unit_test_setup_teardown(
			the_nearest_names_come_first_and_once, make, drop),
		cmocka_unit_test_setup_teardown(
			words_that_lead_nowhere_are_not_followed, make, drop),
		cmocka_unit_test_setup_teardown(
			of_many_experiments_the_nearest_are_shown, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
