// SPDX-License-Identifier: GPL-2.0
/* Stored curves: what is read, and how what is wrong is told. */
#include "curve.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WHY_ROOM 256

static int parse(const char *from, struct mp_series *series, char *why)
{
	char *text = strdup(from);
	int err;

	assert_non_null(text);
	err = mp_curve_parse(text, "f.csv", series, why, WHY_ROOM);
	free(text);
	return err;
}

static void refused(const char *from, const char *words)
{
	struct mp_series series;
	char why[WHY_ROOM];

	assert_int_equal(parse(from, &series, why), -EINVAL);
	assert_null(series.point);
	assert_int_equal(series.n, 0);
	if (strcmp(why, words) != 0)
		fail_msg("said '%s', not '%s'", why, words);
}

static void points_come_in_order_of_footprint_with_their_unit(void **state)
{
	struct mp_series series;
	char why[WHY_ROOM];

	(void)state;
	assert_int_equal(parse("footprint_bytes,latency_ns\n4096,1.5\n"
			       "1024,1\n2048,1.25\n", &series, why), 0);
	assert_int_equal(series.n, 3);
	assert_string_equal(series.unit, "ns");
	assert_true(series.point[0].x == 1024 && series.point[0].value == 1);
	assert_true(series.point[1].x == 2048);
	assert_true(series.point[2].value == 1.5);
	free(series.point);
}

static void columns_are_found_by_name_and_cycles_go_first(void **state)
{
	struct mp_series series;
	char why[WHY_ROOM];

	(void)state;
	assert_int_equal(parse("latency_ns, note ,footprint_bytes,latency_cycles\n"
			       "1,a,1024,4\n1,b,2048,5\n1,,4096,6\n",
			       &series, why), 0);
	assert_string_equal(series.unit, "cycles");
	assert_true(series.point[2].x == 4096 && series.point[2].value == 6);
	free(series.point);
}

static void marks_of_other_systems_and_comments_are_passed_over(void **state)
{
	struct mp_series series;
	char why[WHY_ROOM];

	(void)state;
	assert_int_equal(parse("\xef\xbb\xbf# a machine\r\n\r\n"
			       "footprint_bytes,latency_cycles\r\n"
			       " 1e3 , 4\r\n# more\r\n2000,4\r\n3000,5",
			       &series, why), 0);
	assert_int_equal(series.n, 3);
	assert_true(series.point[0].x == 1000);
	assert_true(series.point[2].value == 5);
	free(series.point);
}

static void a_bad_cell_is_told_with_its_line(void **state)
{
	const char *head = "footprint_bytes,latency_ns\n1024,1\n";
	static const char *const cases[][2] = {
		{ "2048,fast\n", "f.csv:3: latency 'fast': not a number" },
		{ "x,1\n", "f.csv:3: footprint_bytes 'x': not a number" },
		{ "2048,\n", "f.csv:3: latency '': not a number" },
		{ "2048,0\n",
		  "f.csv:3: latency '0': has to be above zero and finite" },
		{ "-1,1\n",
		  "f.csv:3: footprint_bytes '-1': has to be above zero and finite" },
		{ "2048,nan\n",
		  "f.csv:3: latency 'nan': has to be above zero and finite" },
		{ "2048,inf\n",
		  "f.csv:3: latency 'inf': has to be above zero and finite" },
		{ "2048,1e999\n",
		  "f.csv:3: latency '1e999': has to be above zero and finite" },
		{ "\n2048\n", "f.csv:4: 1 column: the first line names more" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", head, cases[i][0]);
		refused(text, cases[i][1]);
	}
}

static void a_file_without_its_columns_or_points_is_refused(void **state)
{
	(void)state;
	refused("", "f.csv:1: the file is empty: it has to name the columns footprint_bytes and latency_cycles or latency_ns");
	refused("1024,1\n", "f.csv:1: the first line has to name the columns footprint_bytes and latency_cycles or latency_ns");
	refused("footprint_bytes,latency\n1,2\n", "f.csv:1: the first line has to name the columns footprint_bytes and latency_cycles or latency_ns");
	refused("footprint_bytes,latency_ns\n",
		"f.csv:1: 0 points: at least 3 are needed");
	refused("footprint_bytes,latency_ns\n1,1\n",
		"f.csv:2: 1 point: at least 3 are needed");
}

static void a_line_of_a_thousand_columns_does_no_harm(void **state)
{
	char text[4096] = "footprint_bytes,latency_ns";
	struct mp_series series;
	char why[WHY_ROOM];

	(void)state;
	for (int i = 0; i < 1000; i++)
		strcat(text, ",");
	strcat(text, "\n1,1\n2,2\n3,3\n");
	assert_int_equal(parse(text, &series, why), 0);
	assert_int_equal(series.n, 3);
	free(series.point);
}

static void control_codes_of_a_file_do_not_reach_the_message(void **state)
{
	(void)state;
	refused("footprint_bytes,latency_ns\n1,\033[2J\n",
		"f.csv:2: latency '?[2J': not a number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			points_come_in_order_of_footprint_with_their_unit),
		cmocka_unit_test(columns_are_found_by_name_and_cycles_go_first),
		cmocka_unit_test(
			marks_of_other_systems_and_comments_are_passed_over),
		cmocka_unit_test(a_bad_cell_is_told_with_its_line),
		cmocka_unit_test(
			a_file_without_its_columns_or_points_is_refused),
		cmocka_unit_test(a_line_of_a_thousand_columns_does_no_harm),
		cmocka_unit_test(
			control_codes_of_a_file_do_not_reach_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
