// SPDX-License-Identifier: GPL-2.0
/* Reports as JSON: there and back, and what is refused on the way back. */
#include "report/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample_report.h"

#define WHY_ROOM 512

/* The sample as text; free() it. */
static char *sample_text(void)
{
	struct mp_report report;
	char *text;

	sample_report(&report, "simulated: a.machine");
	assert_int_equal(mp_json_write(&report, &text), 0);
	mp_report_free(&report);
	return text;
}

static json_t *sample_json(void)
{
	char *text = sample_text();
	json_t *root = json_loads(text, 0, NULL);

	free(text);
	assert_non_null(root);
	return root;
}

static json_t *fact_at(json_t *root, size_t i)
{
	return json_array_get(json_object_get(root, "facts"), i);
}

static int read_text(const char *text, char *why)
{
	struct mp_report report;
	int err = mp_json_read(text, strlen(text), &report, why, WHY_ROOM);

	if (!err)
		mp_report_free(&report);
	else
		assert_null(report.facts.fact);
	return err;
}

/* Reads what became of the sample; it has to be refused with these words. */
static void refused(json_t *root, const char *words)
{
	char *text = json_dumps(root, 0);
	char why[WHY_ROOM];

	assert_non_null(text);
	assert_int_equal(read_text(text, why), -EINVAL);
	if (strcmp(why, words) != 0)
		fail_msg("said '%s', not '%s'", why, words);
	free(text);
	json_decref(root);
}

static void what_is_written_and_read_is_written_the_same(void **state)
{
	char *first = sample_text(), *second, why[WHY_ROOM];
	struct mp_report report;

	(void)state;
	assert_int_equal(mp_json_read(first, strlen(first), &report, why,
				      sizeof(why)), 0);
	assert_int_equal(mp_json_write(&report, &second), 0);
	assert_string_equal(first, second);
	assert_string_equal(report.label, "simulated: a.machine");
	assert_true(report.run.seed == UINT64_MAX);
	assert_int_equal(report.run.node, MP_NODE_ANY);
	assert_int_equal(report.facts.n_series, 1);
	assert_int_equal(report.n_disagreements, 2);
	assert_int_equal(report.n_experiments, 2);
	mp_report_free(&report);
	free(first);
	free(second);
}

static void a_fact_has_exactly_the_keys_that_were_promised(void **state)
{
	static const char *const keys[] = {
		"name", "where", "value", "unit", "low", "high", "verdict",
		"confidence", "method", "evidence", "claim",
	};
	json_t *root = sample_json(), *fact = fact_at(root, 1);

	(void)state;
	assert_int_equal(json_object_size(fact), 11);
	for (size_t i = 0; i < 11; i++)
		assert_non_null(json_object_get(fact, keys[i]));
	assert_true(json_is_integer(json_object_get(fact, "value")));
	assert_true(json_is_null(json_object_get(fact, "confidence")));
	assert_string_equal(json_string_value(json_object_get(
		json_object_get(fact, "where"), "cpus")), "0");
	assert_string_equal(json_string_value(json_array_get(
		json_object_get(fact, "evidence"), 0)), "0123456789abcdef");
	/* one with a reason, one with a series */
	assert_int_equal(json_object_size(fact_at(root, 9)), 12);
	assert_int_equal(json_object_size(fact_at(root, 10)), 12);
	json_decref(root);
}

static json_t *experiment_at(json_t *root, size_t i)
{
	return json_array_get(json_object_get(root, "experiments"), i);
}

static void an_experiment_comes_back_with_all_that_was_told(void **state)
{
	json_t *root = sample_json();
	char *text = json_dumps(root, 0), why[WHY_ROOM];
	const struct mp_report_exp *exp;
	struct mp_report report;

	(void)state;
	assert_int_equal(json_object_size(experiment_at(root, 0)), 13);
	assert_true(json_is_null(json_object_get(experiment_at(root, 1),
						 "hop_ns")));
	assert_true(json_is_null(json_object_get(experiment_at(root, 1),
						 "pages")));
	assert_int_equal(mp_json_read(text, strlen(text), &report, why,
				      sizeof(why)), 0);
	exp = mp_report_exp(&report, 0x0123456789abcdefull);
	assert_non_null(exp);
	assert_non_null(strstr(exp->text, "actor0.stride=128"));
	assert_string_equal(exp->pages, "mixed");
	assert_int_equal(exp->batches, 9);
	assert_int_equal(exp->counted, 7);
	assert_int_equal(exp->disturbed, 2);
	assert_int_equal(exp->bursts, 72);
	assert_int_equal(exp->calm, 60);
	assert_true(exp->hop_ns == 7.41234568 && exp->hop_high_ns == 8.125);
	exp = mp_report_exp(&report, 0xfedcba9876543210ull);
	assert_non_null(exp);
	assert_int_equal(exp->steps, 150);
	assert_int_equal(exp->failed, 1);
	assert_true(isnan(exp->hop_ns));
	assert_null(mp_report_exp(&report, 1));
	mp_report_free(&report);
	free(text);
	json_decref(root);
}

static void a_report_without_experiments_is_still_read(void **state)
{
	json_t *root = sample_json();
	char *text, why[WHY_ROOM];

	(void)state;
	json_object_del(root, "experiments");
	text = json_dumps(root, 0);
	assert_int_equal(read_text(text, why), 0);
	free(text);
	json_decref(root);
}

static json_t *with_experiment(const char *key, json_t *value)
{
	json_t *root = sample_json();

	json_object_set_new(experiment_at(root, 0), key, value);
	return root;
}

static void a_wrong_member_of_an_experiment_is_refused(void **state)
{
	json_t *root = sample_json();
	char *words = malloc(MP_EXP_TEXT + 1);

	(void)state;
	refused(with_experiment("id", json_string("12")),
		"experiments[0].id: wants a text of 16 hex digits");
	refused(with_experiment("id", json_string("0123456789ABCDEF")),
		"experiments[0].id: wants a text of 16 hex digits");
	refused(with_experiment("exp", json_integer(1)),
		"experiments[0].exp: wants a text of at most 16383 bytes");
	memset(words, 'w', MP_EXP_TEXT);
	words[MP_EXP_TEXT] = '\0';
	refused(with_experiment("exp", json_string(words)),
		"experiments[0].exp: wants a text of at most 16383 bytes");
	free(words);
	refused(with_experiment("counted", json_integer(-1)),
		"experiments[0].counted: -1: allowed are 0 to 4294967295");
	refused(with_experiment("hop_ns", json_string("1")),
		"experiments[0].hop_ns: wants a number or null");
	json_object_set_new(root, "experiments", json_object());
	refused(root, "experiments: wants a list");
}

static void what_is_unknown_is_null(void **state)
{
	json_t *root = sample_json(), *fact = fact_at(root, 9);

	(void)state;
	assert_true(json_is_null(json_object_get(fact, "value")));
	assert_true(json_is_null(json_object_get(fact, "low")));
	assert_true(json_is_null(json_object_get(fact, "high")));
	assert_true(json_is_object(json_object_get(fact, "claim")));
	assert_true(json_is_null(json_object_get(fact_at(root, 0), "claim")));
	json_decref(root);
}

static void places_with_numbers_and_policies_with_words_come_back(void **state)
{
	struct mp_where where = { .n = 2, .number = { false, true } };
	struct mp_facts facts = { 0 };
	struct mp_report report, again;
	struct mp_report_run run = { .node = 1 };
	static struct mp_host host;
	char *text, why[WHY_ROOM];
	struct mp_fact *fact;

	(void)state;
	snprintf(where.key[0], MP_WHERE_TEXT, "device");
	snprintf(where.value[0], MP_WHERE_TEXT, "cuda:0");
	snprintf(where.key[1], MP_WHERE_TEXT, "sm");
	snprintf(where.value[1], MP_WHERE_TEXT, "17");
	fact = mp_facts_add(&facts, "gpu.l1.policy", &where);
	assert_non_null(fact);
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "plru");
	assert_int_equal(mp_report_make(&report, &host, &run, &facts), 0);
	assert_int_equal(mp_json_write(&report, &text), 0);
	assert_non_null(strstr(text, "\"sm\": 17"));
	assert_int_equal(mp_json_read(text, strlen(text), &again, why,
				      sizeof(why)), 0);
	assert_true(mp_where_equal(&again.facts.fact[0].where, &where));
	assert_true(again.facts.fact[0].is_text);
	assert_string_equal(again.facts.fact[0].text, "plru");
	assert_int_equal(again.run.node, 1);
	mp_report_free(&report);
	mp_report_free(&again);
	free(text);
}

static void what_is_no_json_is_refused_with_line_and_column(void **state)
{
	char why[WHY_ROOM];

	(void)state;
	assert_int_equal(read_text("", why), -EINVAL);
	assert_int_equal(read_text("hello\n", why), -EINVAL);
	assert_non_null(strstr(why, "line 1, column"));
	assert_int_equal(read_text("[1, 2]", why), -EINVAL);
	assert_string_equal(why,
			    "wants a JSON object: not a report of memprobe");
	assert_int_equal(read_text("{}", why), -EINVAL);
	assert_string_equal(why, "schema: is missing: not a report of memprobe");
	assert_int_equal(read_text("{\"schema\": 1, \"schema\": 1}", why),
			 -EINVAL);
	assert_int_equal(read_text("\xff\xfe\033[2J", why), -EINVAL);
	for (const char *c = why; *c; c++)
		assert_true((unsigned char)*c >= ' ');
}

static void every_shortened_report_is_refused(void **state)
{
	char *text = sample_text(), why[WHY_ROOM];
	const size_t bytes = strlen(text) - 2;	/* the last "}\n" */
	struct mp_report report;

	(void)state;
	for (size_t n = 0; n < bytes; n += n < 200 ? 1 : 97)
		assert_int_equal(mp_json_read(text, n, &report, why,
					      sizeof(why)), -EINVAL);
	free(text);
}

static void another_schema_is_refused_by_name(void **state)
{
	json_t *root = sample_json();

	(void)state;
	json_object_set_new(root, "schema", json_string("memprobe-report/9"));
	refused(root, "schema: memprobe-report/9: this version reads memprobe-report/1");
}

/* Sets one member of one fact to something wrong. */
static json_t *with_fact(const char *key, json_t *value)
{
	json_t *root = sample_json();

	if (value)
		json_object_set_new(fact_at(root, 1), key, value);
	else
		json_object_del(fact_at(root, 1), key);
	return root;
}

static void a_wrong_member_of_a_fact_is_refused_with_its_place(void **state)
{
	char name[MP_FACT_NAME + 1];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	refused(with_fact("value", json_true()),
		"facts[1].value: wants a number or null");
	refused(with_fact("low", json_string("1")),
		"facts[1].low: wants a number or null");
	refused(with_fact("unit", NULL), "facts[1].unit: is missing");
	refused(with_fact("name", json_string(name)),
		"facts[1].name: a text of 48 bytes: at most 47");
	refused(with_fact("verdict", json_string("guessed")),
		"facts[1].verdict: guessed: no such verdict");
	refused(with_fact("where", json_string("cpu 0")),
		"facts[1].where: wants an object of at most 2 keys");
	refused(with_fact("where", json_pack("{s:n}", "cpus")),
		"facts[1].where: cpus: wants a text or a whole number");
	refused(with_fact("evidence", json_pack("[s]", "12")),
		"facts[1].evidence: wants texts of 16 hex digits");
	refused(with_fact("evidence", json_string("12")),
		"facts[1].evidence: wants a list");
	refused(with_fact("claim", json_integer(5)),
		"facts[1].claim: wants an object or null");
	refused(with_fact("claim", json_object()),
		"facts[1].claim.value: is missing");
}

static json_t *with_run(const char *key, json_t *value)
{
	json_t *root = sample_json();

	json_object_set_new(json_object_get(root, "run"), key, value);
	return root;
}

static void a_wrong_member_elsewhere_is_refused_with_its_place(void **state)
{
	json_t *root;

	(void)state;
	refused(with_run("seed", json_integer(1)),
		"run.seed: wants a text of decimal digits below 2^64");
	refused(with_run("seed", json_string("18446744073709551616")),
		"run.seed: wants a text of decimal digits below 2^64");
	refused(with_run("cpu", json_integer(-1)),
		"run.cpu: -1: allowed are 0 to 4294967295");
	refused(with_run("pages_forced", json_integer(1)),
		"run.pages_forced: wants true or false");
	refused(with_run("probes", json_pack("[i]", 1)),
		"run.probes: wants a list of words");
	refused(with_run("batches", json_real(1.5)),
		"run.batches: wants a whole number");

	root = sample_json();
	json_object_set_new(root, "facts", json_object());
	refused(root, "facts: wants a list");
	root = sample_json();
	json_object_set_new(root, "conditions", json_pack("{s:i}", "a", 1));
	refused(root, "conditions: a: wants a text of at most 127 bytes");
	root = sample_json();
	json_array_append_new(json_object_get(root, "series"), json_null());
	refused(root, "series[1]: wants an object");
	root = sample_json();
	json_object_del(root, "disagreements");
	refused(root, "disagreements: is missing");
}

static void keys_of_later_versions_are_passed_over(void **state)
{
	json_t *root = with_fact("later", json_integer(1));
	char *text, why[WHY_ROOM];

	(void)state;
	json_object_set_new(root, "newer", json_array());
	text = json_dumps(root, 0);
	assert_int_equal(read_text(text, why), 0);
	free(text);
	json_decref(root);
}

static void more_than_there_is_room_for_is_refused(void **state)
{
	json_t *root = sample_json(), *list = json_array();
	char key[16];

	(void)state;
	for (int i = 0; i <= MP_FACT_EVIDENCE; i++)
		json_array_append_new(list, json_string("0123456789abcdef"));
	json_object_set_new(fact_at(root, 1), "evidence", list);
	refused(root, "facts[1].evidence: at most 32 of them");

	root = sample_json();
	for (int i = 0; i <= MP_HOST_CONDITIONS; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		json_object_set_new(json_object_get(root, "conditions"), key,
				    json_string("x"));
	}
	refused(root, "conditions: at most 64 of them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_and_read_is_written_the_same),
		cmocka_unit_test(
			a_fact_has_exactly_the_keys_that_were_promised),
		cmocka_unit_test(
			an_experiment_comes_back_with_all_that_was_told),
		cmocka_unit_test(a_report_without_experiments_is_still_read),
		cmocka_unit_test(a_wrong_member_of_an_experiment_is_refused),
		cmocka_unit_test(what_is_unknown_is_null),
		cmocka_unit_test(
			places_with_numbers_and_policies_with_words_come_back),
		cmocka_unit_test(
			what_is_no_json_is_refused_with_line_and_column),
		cmocka_unit_test(every_shortened_report_is_refused),
		cmocka_unit_test(another_schema_is_refused_by_name),
		cmocka_unit_test(
			a_wrong_member_of_a_fact_is_refused_with_its_place),
		cmocka_unit_test(
			a_wrong_member_elsewhere_is_refused_with_its_place),
		cmocka_unit_test(keys_of_later_versions_are_passed_over),
		cmocka_unit_test(more_than_there_is_room_for_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
