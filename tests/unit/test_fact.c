// SPDX-License-Identifier: GPL-2.0
/*
 * Facts and series are kept in the order they come; a claim disagrees only
 * where what was measured rules it out.
 */
#include "fact.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void a_new_fact_is_empty_and_of_unknown_confidence(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_where where;
	struct mp_fact *fact;

	(void)state;
	mp_where_cpu(&where, 3);
	fact = mp_facts_add(&facts, "cpu.l1d.size", &where);
	assert_non_null(fact);
	assert_string_equal(fact->name, "cpu.l1d.size");
	assert_true(mp_where_equal(&fact->where, &where));
	assert_true(isnan(fact->confidence));
	assert_false(fact->claim.known);
	assert_string_equal(fact->reason, "");
	assert_int_equal(fact->n_evidence, 0);
	mp_facts_free(&facts);
	assert_int_equal(facts.n, 0);
	mp_facts_free(&facts);
}

static void many_facts_are_found_by_name_and_the_first_wins(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_where where;
	char name[MP_FACT_NAME];

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		mp_where_cpu(&where, i);
		snprintf(name, sizeof(name), "fact%u", i / 2);
		assert_non_null(mp_facts_add(&facts, name, &where));
	}
	assert_int_equal(facts.n, 100);
	assert_string_equal(mp_facts_find(&facts, "fact20")->where.value[0],
			    "40");
	assert_null(mp_facts_find(&facts, "fact50"));
	assert_null(mp_facts_find(&facts, "fact"));
	mp_facts_free(&facts);
}

static void add_value(struct mp_facts *facts, const char *name, uint32_t cpu,
		      double value)
{
	struct mp_where where;

	mp_where_cpu(&where, cpu);
	mp_facts_add(facts, name, &where)->value = value;
}

static void a_fact_that_is_renewed_takes_the_place_of_the_earlier_one(void **state)
{
	struct mp_facts facts = { 0 };

	(void)state;
	add_value(&facts, "a", 0, 1);
	add_value(&facts, "b", 0, 2);
	add_value(&facts, "b", 1, 3);
	add_value(&facts, "c", 0, 4);
	add_value(&facts, "b", 1, 5);	/* is there already */
	add_value(&facts, "a", 0, 6);	/* may not be renewed */
	add_value(&facts, "b", 2, 7);	/* holds elsewhere */
	add_value(&facts, "d", 0, 8);
	mp_facts_renew(&facts, 4, "b,d");
	assert_int_equal(facts.n, 7);
	assert_true(facts.fact[0].value == 1);
	assert_true(facts.fact[1].value == 2);
	assert_true(facts.fact[2].value == 5);
	assert_true(facts.fact[4].value == 6);
	assert_true(facts.fact[5].value == 7);
	assert_true(facts.fact[6].value == 8);
	mp_facts_renew(&facts, 4, NULL);
	assert_int_equal(facts.n, 7);
	mp_facts_free(&facts);
}

static void a_name_that_is_too_long_is_cut(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_where where = { 0 };
	char name[100];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(strlen(mp_facts_add(&facts, name, &where)->name),
			 MP_FACT_NAME - 1);
	mp_facts_free(&facts);
}

static void series_keep_their_points(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_where where = { 0 };
	const struct mp_series *found;
	struct mp_series *series;

	(void)state;
	assert_non_null(mp_facts_add_series(&facts, "other", &where));
	series = mp_facts_add_series(&facts, "cpu.latency", &where);
	assert_non_null(series);
	for (int i = 0; i < 50; i++) {
		struct mp_point point = { .x = i, .value = 2 * i, .n = 5 };

		assert_int_equal(mp_series_add(series, &point), 0);
	}
	found = mp_facts_find_series(&facts, "cpu.latency");
	assert_non_null(found);
	assert_int_equal(found->n, 50);
	assert_true(found->point[49].value == 98);
	assert_null(mp_facts_find_series(&facts, "cpu.lat"));
	mp_facts_free(&facts);
}

static void evidence_is_noted_once_and_up_to_its_room(void **state)
{
	struct mp_fact fact = { 0 };

	(void)state;
	mp_fact_note(&fact, 5);
	mp_fact_note(&fact, 5);
	mp_fact_note(&fact, 6);
	assert_int_equal(fact.n_evidence, 2);
	for (uint64_t i = 0; i < 100; i++)
		mp_fact_note(&fact, 1000 + i);
	assert_int_equal(fact.n_evidence, MP_FACT_EVIDENCE);
	assert_int_equal(fact.evidence[0], 5);
	assert_int_equal(fact.evidence[1], 6);
}

static void what_cannot_be_measured_loses_its_value_and_says_why(void **state)
{
	struct mp_fact fact = { .value = 5, .low = 4, .high = 6,
				.confidence = 0.9, .is_text = true };

	(void)state;
	mp_fact_cannot(&fact, "ways", "only %d of %d came", 2, 5);
	assert_int_equal(fact.verdict, MP_NOT_MEASURABLE);
	assert_string_equal(fact.unit, "ways");
	assert_string_equal(fact.reason, "only 2 of 5 came");
	assert_true(fact.value == 0 && fact.low == 0 && fact.high == 0);
	assert_true(isnan(fact.confidence));
	assert_false(fact.is_text);
}

static bool disagrees(uint32_t verdict, double low, double high, double claim)
{
	struct mp_fact fact = { .verdict = verdict, .value = (low + high) / 2,
				.low = low, .high = high };

	fact.claim.known = true;
	fact.claim.value = claim;
	return mp_fact_disagrees(&fact);
}

static void a_claim_disagrees_where_it_is_ruled_out(void **state)
{
	(void)state;
	assert_false(disagrees(MP_MEASURED, 30, 34, 32));
	assert_false(disagrees(MP_MEASURED, 30, 34, 30));
	assert_false(disagrees(MP_MEASURED, 30, 34, 34));
	assert_true(disagrees(MP_MEASURED, 30, 34, 48));
	assert_true(disagrees(MP_MEASURED, 30, 34, 16));
	assert_true(disagrees(MP_VARIES, 4, 8, 32));
	assert_false(disagrees(MP_VARIES, 4, 8, 6));
	assert_true(disagrees(MP_DISPUTED, 4, 8, 32));
	assert_false(disagrees(MP_AT_LEAST, 4, 8, 32));
	assert_true(disagrees(MP_AT_LEAST, 4, 8, 2));
	assert_true(disagrees(MP_AT_MOST, 4, 8, 32));
	assert_false(disagrees(MP_AT_MOST, 4, 8, 2));
	assert_true(disagrees(MP_ABSENT, 0, 0, 32));
	assert_false(disagrees(MP_ABSENT, 0, 0, 0));
	assert_false(disagrees(MP_NOT_MEASURABLE, 0, 0, 32));
}

static void without_a_claim_or_with_a_text_nothing_disagrees(void **state)
{
	struct mp_fact fact = { .verdict = MP_MEASURED, .low = 1, .high = 2 };

	(void)state;
	fact.claim.value = 5;
	assert_false(mp_fact_disagrees(&fact));
	fact.claim.known = true;
	assert_true(mp_fact_disagrees(&fact));
	fact.is_text = true;
	assert_false(mp_fact_disagrees(&fact));
}

static void verdicts_have_names_both_ways(void **state)
{
	uint32_t verdict;

	(void)state;
	for (uint32_t i = 0; i < MP_VERDICTS; i++) {
		assert_int_equal(mp_verdict_parse(mp_verdict_name(i),
						  &verdict), 0);
		assert_int_equal(verdict, i);
	}
	assert_string_equal(mp_verdict_name(MP_AT_LEAST), "at-least");
	assert_string_equal(mp_verdict_name(MP_VERDICTS), "unknown");
	assert_int_equal(mp_verdict_parse("Measured", &verdict), -EINVAL);
	assert_true(mp_verdict_known(MP_MEASURED));
	assert_true(mp_verdict_known(MP_VARIES));
	assert_false(mp_verdict_known(MP_ABSENT));
	assert_false(mp_verdict_known(MP_NOT_MEASURABLE));
	assert_false(mp_verdict_known(MP_VERDICTS));
}

static void places_are_equal_when_all_their_keys_are(void **state)
{
	struct mp_where a;
	struct mp_where b;

	(void)state;
	mp_where_cpu(&a, 1);
	mp_where_cpu(&b, 1);
	assert_string_equal(a.key[0], "cpus");
	assert_string_equal(a.value[0], "1");
	assert_true(mp_where_equal(&a, &b));
	b.number[0] = true;
	assert_false(mp_where_equal(&a, &b));
	mp_where_cpu(&b, 2);
	assert_false(mp_where_equal(&a, &b));
	mp_where_cpu(&b, 1);
	b.n = 2;
	assert_false(mp_where_equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_fact_is_empty_and_of_unknown_confidence),
		cmocka_unit_test(many_facts_are_found_by_name_and_the_first_wins),
		cmocka_unit_test(a_fact_that_is_renewed_takes_the_place_of_the_earlier_one),
		cmocka_unit_test(a_name_that_is_too_long_is_cut),
		cmocka_unit_test(series_keep_their_points),
		cmocka_unit_test(evidence_is_noted_once_and_up_to_its_room),
		cmocka_unit_test(what_cannot_be_measured_loses_its_value_and_says_why),
		cmocka_unit_test(a_claim_disagrees_where_it_is_ruled_out),
		cmocka_unit_test(without_a_claim_or_with_a_text_nothing_disagrees),
		cmocka_unit_test(verdicts_have_names_both_ways),
		cmocka_unit_test(places_are_equal_when_all_their_keys_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
