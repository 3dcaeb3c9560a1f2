// SPDX-License-Identifier: GPL-2.0
/* Asking for a probe brings those that it starts from, in the table's order. */
#include "select.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct mp_probe clock_probe = { .name = "clock", .quick = true };
static const struct mp_probe size_probe = { .name = "size", .after = "clock",
					    .quick = true };
static const struct mp_probe line_probe = { .name = "line", .after = "size" };
static const struct mp_probe ways_probe = { .name = "ways",
					    .after = "size,line" };
static const struct mp_probe alone_probe = { .name = "alone", .quick = true };

static const struct mp_probe *const table[] = {
	&clock_probe, &size_probe, &line_probe, &ways_probe, &alone_probe,
	NULL,
};

static const char *names(const struct mp_run_list *list)
{
	static char text[256];

	text[0] = '\0';
	for (uint32_t i = 0; i < list->n; i++) {
		strcat(text, list->probe[i]->name);
		strcat(text, " ");
	}
	return text;
}

static const char *chosen(const char *csv, bool quick)
{
	static struct mp_run_list list;
	char why[256];

	assert_int_equal(mp_run_select(table, csv, quick, &list, why,
				       sizeof(why)), 0);
	return names(&list);
}

static void without_a_wish_all_probes_run(void **state)
{
	(void)state;
	assert_string_equal(chosen(NULL, false),
			    "clock size line ways alone ");
}

static void quick_leaves_out_what_is_not_quick(void **state)
{
	(void)state;
	assert_string_equal(chosen(NULL, true), "clock size alone ");
}

static void what_a_probe_starts_from_comes_with_it(void **state)
{
	(void)state;
	assert_string_equal(chosen("ways", false), "clock size line ways ");
	assert_string_equal(chosen("ways", true), "clock size line ways ");
	assert_string_equal(chosen("alone", false), "alone ");
}

static void the_order_is_the_tables_and_nothing_comes_twice(void **state)
{
	(void)state;
	assert_string_equal(chosen("alone,line,size,line", false),
			    "clock size line alone ");
}

static void a_name_that_is_not_known_is_refused_with_those_that_are(void **state)
{
	static const char *const wrong[] = { "way", "", "line,", "line,,ways",
					     "Line", "line ways" };
	struct mp_run_list list;
	char why[256];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		why[0] = '\0';
		assert_int_equal(mp_run_select(table, wrong[i], false, &list,
					       why, sizeof(why)), -EINVAL);
		assert_non_null(strstr(why, "not known"));
		assert_non_null(strstr(why, "clock, size, line, ways, alone"));
	}
}

static void a_table_out_of_order_is_noticed(void **state)
{
	const struct mp_probe *const turned[] = { &ways_probe, &size_probe,
						  &line_probe, NULL };
	struct mp_run_list list;
	char why[256];

	(void)state;
	assert_int_equal(mp_run_select(turned, "ways", false, &list, why,
				       sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "'ways' starts from 'size'"));
}

static void an_empty_table_gives_no_run(void **state)
{
	const struct mp_probe *const none[] = { NULL };
	struct mp_run_list list;
	char why[256];

	(void)state;
	assert_int_equal(mp_run_select(none, NULL, false, &list, why,
				       sizeof(why)), -EINVAL);
}

static void more_probes_than_fit_are_refused(void **state)
{
	const struct mp_probe *many[MP_RUN_PROBES + 2] = { NULL };
	struct mp_run_list list;
	char why[256];

	(void)state;
	for (int i = 0; i <= MP_RUN_PROBES; i++)
		many[i] = &alone_probe;
	assert_int_equal(mp_run_select(many, NULL, false, &list, why,
				       sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "MP_RUN_PROBES"));
}

static void every_real_probe_can_be_asked_for_alone(void **state)
{
	struct mp_run_list list;
	char why[256];

	(void)state;
	for (uint32_t i = 0; mp_probes[i]; i++) {
		assert_int_equal(mp_run_select(mp_probes, mp_probes[i]->name,
					       false, &list, why,
					       sizeof(why)), 0);
		assert_ptr_equal(list.probe[list.n - 1], mp_probes[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_wish_all_probes_run),
		cmocka_unit_test(quick_leaves_out_what_is_not_quick),
		cmocka_unit_test(what_a_probe_starts_from_comes_with_it),
		cmocka_unit_test(the_order_is_the_tables_and_nothing_comes_twice),
		cmocka_unit_test(a_name_that_is_not_known_is_refused_with_those_that_are),
		cmocka_unit_test(a_table_out_of_order_is_noticed),
		cmocka_unit_test(an_empty_table_gives_no_run),
		cmocka_unit_test(more_probes_than_fit_are_refused),
		cmocka_unit_test(every_real_probe_can_be_asked_for_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
