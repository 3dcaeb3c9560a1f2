// SPDX-License-Identifier: GPL-2.0
/* The curve in a terminal. */
#include "report/plot.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "utf8.h"

static const struct mp_style ascii, utf8 = { .utf8 = true };

/* Draws n points; NULL where nothing was drawn. free() it. */
static char *draw(const struct mp_point *point, uint32_t n,
		  const struct mp_plot_mark *mark, uint32_t n_marks,
		  const struct mp_style *style, int expected)
{
	struct mp_series series = { .x_unit = "bytes", .unit = "ns", .n = n };
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);
	int err;

	series.point = calloc(n + 1, sizeof(*point));
	assert_non_null(series.point);
	if (n)
		memcpy(series.point, point, n * sizeof(*point));
	err = mp_plot_draw(out, &series, mark, n_marks, style);
	fclose(out);
	free(series.point);
	assert_int_equal(err, expected);
	if (err) {
		assert_int_equal(bytes, 0);
		free(text);
		return NULL;
	}
	return text;
}

/* Row i of a drawing, from 0. */
static void row(const char *text, int i, char *line, size_t room)
{
	while (i-- > 0)
		text = strchr(text, '\n') + 1;
	snprintf(line, room, "%.*s", (int)strcspn(text, "\n"), text);
}

static int rows(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static const struct mp_point step[] = {
	{ .x = 1024, .value = 1 },  { .x = 16384, .value = 1 },
	{ .x = 32768, .value = 1 }, { .x = 65536, .value = 10 },
	{ .x = 1048576, .value = 10 },
};

static void a_step_is_flat_then_rises_then_is_flat(void **state)
{
	char *text = draw(step, 5, NULL, 0, &ascii, 0), line[256];

	(void)state;
	/* 15 rows, the axis and its numbers */
	assert_int_equal(rows(text), MP_PLOT_ROWS + 2);
	row(text, MP_PLOT_ROWS - 1, line, sizeof(line));
	assert_non_null(strstr(line, "1 ns +****"));
	assert_int_equal(line[10], '*');
	row(text, 0, line, sizeof(line));
	assert_int_equal(line[10], ' ');
	assert_int_equal(line[10 + MP_PLOT_COLUMNS - 1], '*');
	/* nothing between the two, but where it rises */
	row(text, MP_PLOT_ROWS / 2, line, sizeof(line));
	assert_int_equal(strspn(line + 10, " *"), strlen(line + 10));
	assert_true(strchr(line, '*') != NULL);
	free(text);
}

static void order_of_points_does_not_matter(void **state)
{
	struct mp_point shuffled[5] = { step[3], step[0], step[4], step[2],
					step[1] };
	char *a = draw(step, 5, NULL, 0, &utf8, 0);
	char *b = draw(shuffled, 5, NULL, 0, &utf8, 0);

	(void)state;
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void no_row_is_wider_than_a_terminal(void **state)
{
	const struct mp_plot_mark mark[] = { { 1048576, "L2" } };
	const struct mp_style *styles[] = { &ascii, &utf8 };
	char line[512], *text;

	(void)state;
	for (int i = 0; i < 2; i++) {
		text = draw(step, 5, mark, 1, styles[i], 0);
		for (int k = 0; k < rows(text); k++) {
			row(text, k, line, sizeof(line));
			assert_true(mp_utf8_width(line) < MP_COLUMNS);
		}
		free(text);
	}
}

static void ascii_is_ascii_and_unicode_is_clean(void **state)
{
	const struct mp_plot_mark mark[] = { { 32768, "L1d" } };
	char *text = draw(step, 5, mark, 1, &ascii, 0), line[512], clean[512];

	(void)state;
	for (const char *c = text; *c; c++)
		assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
	free(text);
	text = draw(step, 5, mark, 1, &utf8, 0);
	for (int i = 0; i < rows(text); i++) {
		row(text, i, line, sizeof(line));
		memcpy(clean, line, sizeof(clean));
		mp_utf8_clean(clean);
		assert_string_equal(line, clean);
	}
	free(text);
}

static void marks_are_named_where_they_lie_and_left_out_beyond(void **state)
{
	const struct mp_plot_mark mark[] = {
		{ 40000, "L1d" }, { 41000, "near" }, { 1e12, "far" },
		{ -1, "none" }, { NAN, "nan" },
	};
	char *text = draw(step, 5, mark, 5, &ascii, 0), line[256];

	(void)state;
	row(text, 0, line, sizeof(line));
	/* 0.529 of the way from 1 KiB to 1 MiB; the near one has no room */
	assert_int_equal(strcspn(line, "L"), 10 + 31 - 1);
	assert_null(strstr(text, "near"));
	assert_null(strstr(text, "far"));
	assert_null(strstr(text, "nan"));
	free(text);
}

static void too_few_points_draw_nothing(void **state)
{
	const struct mp_point same[] = { { .x = 5, .value = 1 },
					 { .x = 5, .value = 2 } };
	const struct mp_point bad[] = {
		{ .x = 1, .value = 1 },	  { .x = 2, .value = 0 },
		{ .x = 3, .value = -1 },  { .x = 4, .value = NAN },
		{ .x = -5, .value = 1 },  { .x = NAN, .value = 1 },
		{ .x = INFINITY, .value = 1 },
	};

	(void)state;
	draw(NULL, 0, NULL, 0, &ascii, -ENODATA);
	draw(step, 1, NULL, 0, &ascii, -ENODATA);
	draw(same, 2, NULL, 0, &ascii, -ENODATA);
	draw(bad, 7, NULL, 0, &utf8, -ENODATA);
}

static void flat_tiny_and_enormous_curves_are_drawn(void **state)
{
	const struct mp_point cases[][2] = {
		{ { .x = 1, .value = 5 }, { .x = 2, .value = 5 } },
		{ { .x = 1, .value = 1e-300 }, { .x = 2, .value = 1e300 } },
		{ { .x = 1e-300, .value = 1 }, { .x = 1e300, .value = 2 } },
		{ { .x = 1, .value = 1.7e308 }, { .x = 2, .value = 1e308 } },
		{ { .x = 1, .value = 5e-324 }, { .x = 1.7e308, .value = 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = draw(cases[i], 2, NULL, 0, &utf8, 0);

		assert_int_equal(rows(text), MP_PLOT_ROWS + 2);
		assert_null(strstr(text, "inf"));
		assert_null(strstr(text, "nan"));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_flat_then_rises_then_is_flat),
		cmocka_unit_test(order_of_points_does_not_matter),
		cmocka_unit_test(no_row_is_wider_than_a_terminal),
		cmocka_unit_test(ascii_is_ascii_and_unicode_is_clean),
		cmocka_unit_test(
			marks_are_named_where_they_lie_and_left_out_beyond),
		cmocka_unit_test(too_few_points_draw_nothing),
		cmocka_unit_test(flat_tiny_and_enormous_curves_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
