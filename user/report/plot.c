// SPDX-License-Identifier: GPL-2.0
/*
 * A curve in a terminal. It is drawn in dots, eight a character in Unicode
 * (braille) and one in ASCII, joined by straight lines of the log-log plane,
 * over vertical marks such as the edges of cache levels.
 */
#include "report/plot.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"

#define DOTS_X_MAX (2 * MP_PLOT_COLUMNS)
#define DOTS_Y_MAX (4 * MP_PLOT_ROWS)
/* Left of the drawing area: numbers, then the axis. */
#define MARGIN 10
/* Room above and below the curve, as a share of its logarithmic height: less
 * than half a row of characters. */
#define PADDING 0.03

struct axis {
	double from;	/* natural logarithms */
	double to;
	int dots;
};

struct canvas {
	bool utf8;
	struct axis x;
	struct axis y;
	bool dot[DOTS_Y_MAX][DOTS_X_MAX];	/* row 0 is the top */
	bool marked[MP_PLOT_COLUMNS];
	char names[MP_PLOT_COLUMNS + 8];
};

static int dot_of(const struct axis *axis, double log_value)
{
	const double share = (log_value - axis->from) /
			     (axis->to - axis->from);

	return (int)lround(share * (axis->dots - 1));
}

static int column_of(const struct canvas *canvas, double value)
{
	return dot_of(&canvas->x, log(value)) / (canvas->utf8 ? 2 : 1);
}

static int row_of(const struct canvas *canvas, double value)
{
	const int dot = canvas->y.dots - 1 - dot_of(&canvas->y, log(value));

	return dot / (canvas->utf8 ? 4 : 1);
}

static int by_x(const void *a, const void *b)
{
	const struct mp_point *left = a, *right = b;

	return (left->x > right->x) - (left->x < right->x);
}

/* The points that have a logarithm, in order; *@out is the caller's. */
static int usable(const struct mp_series *series, struct mp_point **out,
		  uint32_t *n)
{
	struct mp_point *point = calloc(series->n + 1, sizeof(*point));

	if (!point)
		return -ENOMEM;
	*n = 0;
	for (uint32_t i = 0; i < series->n; i++) {
		const struct mp_point *p = &series->point[i];

		if (isfinite(p->x) && p->x > 0 && isfinite(p->value) &&
		    p->value > 0)
			point[(*n)++] = *p;
	}
	qsort(point, *n, sizeof(*point), by_x);
	*out = point;
	if (*n < 2 || point[0].x >= point[*n - 1].x)
		return -ENODATA;
	return 0;
}

static void fit_axes(struct canvas *canvas, const struct mp_point *point,
		     uint32_t n)
{
	double low = point[0].value, high = low, room;

	for (uint32_t i = 1; i < n; i++) {
		low = fmin(low, point[i].value);
		high = fmax(high, point[i].value);
	}
	room = fmax(PADDING * (log(high) - log(low)), 0.01);
	canvas->x.from = log(point[0].x);
	canvas->x.to = log(point[n - 1].x);
	canvas->y.from = log(low) - room;
	canvas->y.to = log(high) + room;
	canvas->x.dots = canvas->utf8 ? DOTS_X_MAX : MP_PLOT_COLUMNS;
	canvas->y.dots = canvas->utf8 ? DOTS_Y_MAX : MP_PLOT_ROWS;
}

/* Dots from one to the other, both ends included. */
static void join(struct canvas *canvas, int x0, int y0, int x1, int y1)
{
	const int wide = abs(x1 - x0), high = abs(y1 - y0);
	const int steps = wide > high ? wide : high;

	for (int i = 0; i <= steps; i++) {
		const double share = steps ? (double)i / steps : 0;
		const int x = x0 + (int)lround(share * (x1 - x0));
		const int y = y0 + (int)lround(share * (y1 - y0));

		canvas->dot[canvas->y.dots - 1 - y][x] = true;
	}
}

static void draw_curve(struct canvas *canvas, const struct mp_point *point,
		       uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		join(canvas, dot_of(&canvas->x, log(point[i - 1].x)),
		     dot_of(&canvas->y, log(point[i - 1].value)),
		     dot_of(&canvas->x, log(point[i].x)),
		     dot_of(&canvas->y, log(point[i].value)));
}

/* A name stands above its line where the place is free. */
static void draw_mark(struct canvas *canvas, const struct mp_plot_mark *mark)
{
	const int length = (int)strlen(mark->name);
	int column, from;

	if (!(mark->x > 0) || !isfinite(mark->x) ||
	    log(mark->x) < canvas->x.from || log(mark->x) > canvas->x.to)
		return;
	column = column_of(canvas, mark->x);
	canvas->marked[column] = true;
	from = column - length / 2;
	if (from < 0)
		from = 0;
	/* One blank on either side, or names run into each other. */
	for (int i = from ? from - 1 : 0; i <= from + length; i++)
		if (canvas->names[i] != ' ')
			return;
	memcpy(canvas->names + from, mark->name, (size_t)length);
}

static void print_braille(FILE *out, unsigned int dots)
{
	/* U+2800 and eight bits, in UTF-8 */
	fprintf(out, "\xe2%c%c", (char)(0xa0 | dots >> 6),
		(char)(0x80 | (dots & 0x3f)));
}

static unsigned int dots_at(const struct canvas *canvas, int row, int column)
{
	/* Unicode numbers the dots of a cell down each column; 7, 8 last. */
	static const unsigned char bit[4][2] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 },
	};
	unsigned int dots = 0;

	if (!canvas->utf8)
		return canvas->dot[row][column];
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 2; x++)
			if (canvas->dot[4 * row + y][2 * column + x])
				dots |= bit[y][x];
	return dots;
}

static void print_row(FILE *out, const struct canvas *canvas, int row,
		      const struct mp_style *style)
{
	int last = MP_PLOT_COLUMNS - 1;

	while (last >= 0 && !dots_at(canvas, row, last) &&
	       !canvas->marked[last])
		last--;
	for (int column = 0; column <= last; column++) {
		const unsigned int dots = dots_at(canvas, row, column);
		const enum mp_ink ink = dots ? MP_INK_CURVE :
				   canvas->marked[column] ? MP_INK_DIM :
							    MP_INK_NONE;

		if (ink != MP_INK_NONE)
			fputs(mp_style_on(style, ink), out);
		if (dots && canvas->utf8)
			print_braille(out, dots);
		else if (dots)
			fputc('*', out);
		else if (canvas->marked[column])
			fputs(canvas->utf8 ? "\u2506" : ":", out);
		else
			fputc(' ', out);
		if (ink != MP_INK_NONE)
			fputs(mp_style_off(style), out);
	}
	fputc('\n', out);
}

/* Which rows get a number: 1, 2 and 5 of each decade, or the two ends. */
static void label_rows(const struct canvas *canvas,
		       double label[MP_PLOT_ROWS])
{
	static const double steps[] = { 1, 2, 5 };
	/* Below this there are no decades to count. */
	const double low = fmax(exp(canvas->y.from), DBL_MIN);
	const double high = exp(canvas->y.to);
	int labels = 0;

	for (int row = 0; row < MP_PLOT_ROWS; row++)
		label[row] = NAN;
	for (int i = 3 * (int)floor(log10(low)); ; i++) {
		const int decade = i >= 0 ? i / 3 : (i - 2) / 3;
		const double value = steps[i - 3 * decade] * pow(10, decade);

		if (value > high || !isfinite(value))
			break;
		if (value < low)
			continue;
		/* A crowded axis keeps the decades. */
		if (steps[i - 3 * decade] > 1 && high / low > 1e5)
			continue;
		label[row_of(canvas, value)] = value;
		labels++;
	}
	if (labels >= 2)
		return;
	label[0] = high;
	label[MP_PLOT_ROWS - 1] = low;
}

static void print_area(FILE *out, const struct canvas *canvas,
		       const struct mp_series *series,
		       const struct mp_style *style)
{
	double label[MP_PLOT_ROWS];
	char text[MP_FORMAT_ROOM];

	label_rows(canvas, label);
	for (int row = 0; row < MP_PLOT_ROWS; row++) {
		const bool has = !isnan(label[row]);

		mp_format_human(text, label[row], series->unit);
		fprintf(out, "%*s ", MARGIN - 2, has ? text : "");
		if (canvas->utf8)
			fputs(has ? "\u2524" : "\u2502", out);
		else
			fputc(has ? '+' : '|', out);
		print_row(out, canvas, row, style);
	}
}

/* Which columns get a number: powers of four, or of sixteen .. */
static double label_step(const struct canvas *canvas)
{
	double step = 4;

	while ((canvas->x.to - canvas->x.from) / log(step) > 7)
		step *= 4;
	return step;
}

static void print_axis(FILE *out, const struct canvas *canvas,
		       const struct mp_series *series)
{
	const double step = label_step(canvas);
	char text[MP_FORMAT_ROOM], numbers[MP_PLOT_COLUMNS + MP_FORMAT_ROOM];
	bool tick[MP_PLOT_COLUMNS] = { false };
	double value;

	memset(numbers, ' ', sizeof(numbers));
	value = pow(step, ceil(canvas->x.from / log(step) - 1e-9));
	for (; log(value) <= canvas->x.to + 1e-9; value *= step) {
		const int column = column_of(canvas, value);
		int from;

		mp_format_human(text, value, series->x_unit);
		from = column - (int)strlen(text) / 2;
		from = from < 0 ? 0 : from;
		tick[column] = true;
		memcpy(numbers + from, text, strlen(text));
	}
	fprintf(out, "%*s%s", MARGIN - 1, "", canvas->utf8 ? "\u2514" : "+");
	for (int i = 0; i < MP_PLOT_COLUMNS; i++) {
		if (canvas->utf8)
			fputs(tick[i] ? "\u252c" : "\u2500", out);
		else
			fputc(tick[i] ? '+' : '-', out);
	}
	for (size_t end = sizeof(numbers); end > 0; end--) {
		if (numbers[end - 1] != ' ') {
			fprintf(out, "\n%*s%.*s", MARGIN, "", (int)end,
				numbers);
			break;
		}
	}
	fputc('\n', out);
}

static void print_names(FILE *out, const struct canvas *canvas)
{
	int last = MP_PLOT_COLUMNS + 7;

	while (last >= 0 && canvas->names[last] == ' ')
		last--;
	if (last >= 0)
		fprintf(out, "%*s%.*s\n", MARGIN, "", last + 1,
			canvas->names);
}

int mp_plot_draw(FILE *out, const struct mp_series *series,
		 const struct mp_plot_mark *mark, uint32_t n_marks,
		 const struct mp_style *style)
{
	struct canvas *canvas = calloc(1, sizeof(*canvas));
	struct mp_point *point = NULL;
	uint32_t n;
	int err;

	if (!canvas)
		return -ENOMEM;
	err = usable(series, &point, &n);
	if (err)
		goto out;
	canvas->utf8 = style->utf8;
	memset(canvas->names, ' ', sizeof(canvas->names));
	fit_axes(canvas, point, n);
	for (uint32_t i = 0; i < n_marks; i++)
		draw_mark(canvas, &mark[i]);
	draw_curve(canvas, point, n);
	print_names(out, canvas);
	print_area(out, canvas, series, style);
	print_axis(out, canvas, series);
out:
	free(point);
	free(canvas);
	return err;
}
