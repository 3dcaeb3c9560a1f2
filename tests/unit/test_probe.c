// SPDX-License-Identifier: GPL-2.0
/*
 * Plans merge equal experiments; the table of probes keeps its own rules.
 */
#include "probe.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "made_batch.h"
#include "names.h"

static void equal_experiments_of_a_plan_are_one_line(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_exp exp;

	(void)state;
	made_exp(&exp, 4096);
	assert_int_equal(mp_plan_add(&plan, &exp, 3), 0);
	assert_int_equal(mp_plan_add(&plan, &exp, 5), 0);
	assert_int_equal(mp_plan_add(&plan, &exp, 4), 0);
	assert_int_equal(plan.n, 1);
	assert_int_equal(plan.wanted[0].replicates, 5);
	made_exp(&exp, 8192);
	assert_int_equal(mp_plan_add(&plan, &exp, 1), 0);
	assert_int_equal(plan.n, 2);
	mp_plan_free(&plan);
	assert_int_equal(plan.n, 0);
	mp_plan_free(&plan);
}

static void a_later_stage_wants_what_the_earlier_does_not(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_exp exp;

	(void)state;
	made_exp(&exp, 4096);
	assert_int_equal(mp_plan_add(&plan, &exp, 3), 0);
	plan.stage = 1;
	assert_int_equal(mp_plan_add(&plan, &exp, 2), 0);
	assert_int_equal(mp_plan_add(&plan, &exp, 3), 0);
	assert_int_equal(plan.n, 1);
	/* More of the same have to wait, and those before must not. */
	assert_int_equal(mp_plan_add(&plan, &exp, 5), 0);
	assert_int_equal(mp_plan_add(&plan, &exp, 6), 0);
	assert_int_equal(plan.n, 2);
	assert_int_equal(plan.wanted[0].replicates, 3);
	assert_int_equal(plan.wanted[0].stage, 0);
	assert_int_equal(plan.wanted[1].replicates, 6);
	assert_int_equal(plan.wanted[1].stage, 1);
	mp_plan_free(&plan);
}

static void a_long_plan_keeps_its_order(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_exp exp;

	(void)state;
	for (uint64_t i = 1; i <= 300; i++) {
		made_exp(&exp, 64 * i);
		assert_int_equal(mp_plan_add(&plan, &exp, 1), 0);
	}
	assert_int_equal(plan.n, 300);
	for (uint64_t i = 1; i <= 300; i++)
		assert_int_equal(plan.wanted[i - 1].exp.arena[0].bytes,
				 64 * i);
	mp_plan_free(&plan);
}

static void depths_have_names_both_ways(void **state)
{
	uint32_t depth;

	(void)state;
	for (uint32_t i = 0; i < MP_DEPTHS; i++) {
		assert_int_equal(mp_depth_parse(mp_depth_name(i), &depth), 0);
		assert_int_equal(depth, i);
	}
	assert_string_equal(mp_depth_name(MP_DEPTH_QUICK), "quick");
	assert_string_equal(mp_depth_name(MP_DEPTHS), "unknown");
	assert_int_equal(mp_depth_parse("deeper", &depth), -EINVAL);
}

static void every_probe_is_found_by_its_own_name(void **state)
{
	uint32_t n = 0;

	(void)state;
	for (; mp_probes[n]; n++)
		assert_ptr_equal(mp_probe_find(mp_probes[n]->name),
				 mp_probes[n]);
	assert_true(n >= 7);
	assert_null(mp_probe_find("cache_size"));
	assert_null(mp_probe_find(""));
}

static void every_probe_asks_and_promises_something(void **state)
{
	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		const struct mp_probe *probe = mp_probes[i];

		assert_non_null(probe->asks);
		assert_true(probe->facts && probe->facts[0]);
		assert_true(probe->weight > 0);
		assert_non_null(probe->next);
		assert_non_null(probe->infer);
	}
}

static void a_probe_stands_after_those_it_starts_from(void **state)
{
	char name[MP_FACT_NAME];

	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		const char *after = mp_probes[i]->after;

		while (mp_names_next(&after, name, sizeof(name))) {
			uint32_t k = 0;

			while (k < i && strcmp(mp_probes[k]->name, name))
				k++;
			if (k == i)
				fail_msg("'%s' starts from '%s'",
					 mp_probes[i]->name, name);
		}
	}
}

static void every_fact_is_answered_by_the_probe_that_promises_it(void **state)
{
	char name[MP_FACT_NAME];

	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		const char *facts = mp_probes[i]->facts;

		while (mp_names_next(&facts, name, sizeof(name)))
			assert_ptr_equal(mp_probe_of_fact(name), mp_probes[i]);
	}
	assert_null(mp_probe_of_fact("cpu.l2"));
	assert_null(mp_probe_of_fact(""));
	assert_null(mp_probe_of_fact("cpu.l2.size,cpu.l3.size"));
}

/* What it has not been told of it cannot know more of. */
static void what_is_renewed_was_given_by_an_earlier_probe(void **state)
{
	char name[MP_FACT_NAME];
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		const char *renews = mp_probes[i]->renews;

		while (mp_names_next(&renews, name, sizeof(name))) {
			uint32_t k = 0;

			while (k < i && mp_probes[k] != mp_probe_of_fact(name))
				k++;
			if (k == i)
				fail_msg("'%s' renews '%s'",
					 mp_probes[i]->name, name);
			n++;
		}
	}
	assert_true(n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_experiments_of_a_plan_are_one_line),
		cmocka_unit_test(a_later_stage_wants_what_the_earlier_does_not),
		cmocka_unit_test(what_is_renewed_was_given_by_an_earlier_probe),
		cmocka_unit_test(a_long_plan_keeps_its_order),
		cmocka_unit_test(depths_have_names_both_ways),
		cmocka_unit_test(every_probe_is_found_by_its_own_name),
		cmocka_unit_test(every_probe_asks_and_promises_something),
		cmocka_unit_test(a_probe_stands_after_those_it_starts_from),
		cmocka_unit_test(
			every_fact_is_answered_by_the_probe_that_promises_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
