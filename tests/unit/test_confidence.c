// SPDX-License-Identifier: GPL-2.0
/* Confidence: classes of facts, and what was counted for them. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/spectrum.h"
#include "confidence.h"
#include "names.h"
#include "probe.h"

static struct mp_fact named(const char *name, uint32_t verdict)
{
	struct mp_fact fact = { .verdict = verdict };

	snprintf(fact.name, sizeof(fact.name), "%s", name);
	return fact;
}

static uint32_t class_of(const char *name, uint32_t verdict, bool is_fine)
{
	const struct mp_fact fact = named(name, verdict);

	return mp_confidence_class(&fact, is_fine);
}

static void facts_found_out_alike_share_a_class(void **state)
{
	(void)state;
	assert_int_equal(class_of("cpu.l2.size", MP_MEASURED, true),
			 class_of("cpu.l3.size", MP_MEASURED, true));
	assert_int_equal(class_of("cpu.l2.latency", MP_MEASURED, true),
			 class_of("cpu.l1d.latency-cycles", MP_MEASURED, true));
	assert_int_equal(class_of("cpu.l2.size", MP_AT_LEAST, true),
			 class_of("cpu.l2.size", MP_AT_MOST, true));
}

static void what_is_found_out_otherwise_has_another(void **state)
{
	uint32_t size = class_of("cpu.l2.size", MP_MEASURED, true);

	(void)state;
	assert_int_not_equal(size, class_of("cpu.l1d.size", MP_MEASURED, true));
	assert_int_not_equal(size, class_of("cpu.l2.size", MP_MEASURED, false));
	assert_int_not_equal(size, class_of("cpu.l2.size", MP_AT_LEAST, true));
	assert_int_not_equal(size, class_of("cpu.l2.size", MP_ABSENT, true));
	assert_int_not_equal(class_of("cpu.l2.ways", MP_MEASURED, true),
			     class_of("cpu.dtlb.ways", MP_MEASURED, true));
}

static void what_claims_nothing_has_none(void **state)
{
	(void)state;
	assert_int_equal(class_of("cpu.l2.size", MP_NOT_MEASURABLE, true),
			 MP_CONFIDENCE_UNKNOWN);
	assert_int_equal(class_of("cpu.l2.size", MP_VARIES, true),
			 MP_CONFIDENCE_UNKNOWN);
	assert_int_equal(class_of("cpu.clock", MP_MEASURED, true),
			 MP_CONFIDENCE_UNKNOWN);
}

/* A new probe's facts have to be counted, too; the clock's are not, as it is
 * what all else is counted in. */
static void all_that_probes_promise_have_one(void **state)
{
	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		const char *rest = mp_probes[i]->facts;
		char name[MP_FACT_NAME];

		while (mp_names_next(&rest, name, sizeof(name)))
			if (strcmp(name, "cpu.clock") &&
			    class_of(name, MP_MEASURED, false) >=
			    MP_CONFIDENCE_CLASSES)
				fail_msg("%s has no class", name);
	}
}

static void it_is_the_share_that_held(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_where where = { 0 };
	uint32_t counted = 0;

	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		const char *rest = mp_probes[i]->facts;
		char name[MP_FACT_NAME];

		while (mp_names_next(&rest, name, sizeof(name)))
			assert_non_null(mp_facts_add(&facts, name, &where));
	}
	for (uint32_t i = 0; i < facts.n; i++) {
		facts.fact[i].verdict = MP_MEASURED;
		facts.fact[i].confidence = 2;
	}
	mp_confidence_set(&facts, true);
	for (uint32_t i = 0; i < facts.n; i++) {
		const struct mp_fact *fact = &facts.fact[i];
		uint32_t class = mp_confidence_class(fact, true);
		const struct mp_confidence_count *count =
			class == MP_CONFIDENCE_UNKNOWN ? NULL :
			&mp_confidence_table[class];

		if (!count || count->n < 10) {
			assert_true(isnan(fact->confidence));
			continue;
		}
		counted++;
		assert_in_range(count->held, 1, count->n);
		assert_true(fact->confidence > 0 && fact->confidence < 1);
		assert_true(fabs(fact->confidence - (count->held + 1.0) /
				 (count->n + 2.0)) < 1e-12);
	}
	assert_true(counted > 10);
	mp_facts_free(&facts);
}

static void the_clock_tells_how_fine_a_step_is(void **state)
{
	struct mp_facts facts = { 0 };
	struct mp_where where = { 0 };
	struct mp_fact *clock;

	(void)state;
	assert_false(mp_confidence_is_fine(&facts, 0.25));
	clock = mp_facts_add(&facts, "cpu.clock", &where);
	assert_non_null(clock);
	clock->verdict = MP_MEASURED;
	clock->value = 4e9;
	assert_true(mp_confidence_is_fine(&facts, 0.25));
	assert_false(mp_confidence_is_fine(&facts, 10));
	/* As probes have it. */
	clock->value = 1e9;
	assert_true(mp_confidence_is_fine(&facts, MP_SPECTRUM_STEP_MAX));
	assert_false(mp_confidence_is_fine(&facts,
					   MP_SPECTRUM_STEP_MAX * 1.001));
	mp_fact_cannot(clock, "Hz", "no clock");
	assert_false(mp_confidence_is_fine(&facts, 0.25));
	mp_facts_free(&facts);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_found_out_alike_share_a_class),
		cmocka_unit_test(what_is_found_out_otherwise_has_another),
		cmocka_unit_test(what_claims_nothing_has_none),
		cmocka_unit_test(all_that_probes_promise_have_one),
		cmocka_unit_test(it_is_the_share_that_held),
		cmocka_unit_test(the_clock_tells_how_fine_a_step_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
