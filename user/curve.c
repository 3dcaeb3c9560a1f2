// SPDX-License-Identifier: GPL-2.0
/*
 * A stored latency curve. What is wrong with a file is said with its line,
 * as compilers do; nothing is skipped over.
 */
#include "curve.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define COLUMNS_MAX 64
#define POINTS_LEAST 3u

/* Where reading stands. */
struct reader {
	const char *name;
	unsigned int line;
	int footprint;		/* columns, -1 = not there */
	int latency;
	struct mp_series *series;
	char *why;
	size_t room;
};

static int refuse(const struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct reader *reader, const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(reader->why, reader->room, "%s:%u: ", reader->name,
		     reader->line);
	if (n > 0 && (size_t)n < reader->room) {
		va_start(args, format);
		vsnprintf(reader->why + n, reader->room - (size_t)n, format,
			  args);
		va_end(args);
	}
	mp_utf8_clean(reader->why);
	return -EINVAL;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return text;
}

/* Cells of a line, in place; how many, or more than there is room for. */
static int split(char *line, char *cell[COLUMNS_MAX])
{
	int n = 0;

	for (;;) {
		char *comma = strchr(line, ',');

		if (comma)
			*comma = '\0';
		if (n < COLUMNS_MAX)
			cell[n] = trim(line);
		n++;
		if (!comma)
			return n;
		line = comma + 1;
	}
}

static int read_header(struct reader *reader, char *line)
{
	char *cell[COLUMNS_MAX];
	const int n = split(line, cell);
	int cycles = -1, ns = -1;

	for (int i = 0; i < n && i < COLUMNS_MAX; i++) {
		if (strcmp(cell[i], "footprint_bytes") == 0)
			reader->footprint = i;
		else if (strcmp(cell[i], "latency_cycles") == 0)
			cycles = i;
		else if (strcmp(cell[i], "latency_ns") == 0)
			ns = i;
	}
	reader->latency = cycles >= 0 ? cycles : ns;
	if (reader->footprint < 0 || reader->latency < 0)
		return refuse(reader,
			      "the first line has to name the columns footprint_bytes and latency_cycles or latency_ns");
	snprintf(reader->series->unit, sizeof(reader->series->unit), "%s",
		 cycles >= 0 ? "cycles" : "ns");
	return 0;
}

static int read_number(const struct reader *reader, const char *what,
		       const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (!text[0] || *end)
		return refuse(reader, "%s '%.40s': not a number", what, text);
	if (!isfinite(*value) || *value <= 0)
		return refuse(reader, "%s '%.40s': has to be above zero and finite",
			      what, text);
	return 0;
}

static int read_point(struct reader *reader, char *line)
{
	char *cell[COLUMNS_MAX];
	struct mp_point point = { .n = 1 };
	const int n = split(line, cell);
	int err;

	if (n <= reader->footprint || n <= reader->latency)
		return refuse(reader, "%d column%s: the first line names more",
			      n, n == 1 ? "" : "s");
	if (reader->series->n == MP_CURVE_MAX_POINTS)
		return refuse(reader, "more than %u points",
			      MP_CURVE_MAX_POINTS);
	err = read_number(reader, "footprint_bytes", cell[reader->footprint],
			  &point.x);
	if (!err)
		err = read_number(reader, "latency", cell[reader->latency],
				  &point.value);
	if (err)
		return err;
	point.low = point.value;
	point.high = point.value;
	return mp_series_add(reader->series, &point);
}

static int by_x(const void *a, const void *b)
{
	const struct mp_point *left = a, *right = b;

	return (left->x > right->x) - (left->x < right->x);
}

static int check_points(const struct reader *reader)
{
	const struct mp_series *series = reader->series;

	if (reader->footprint < 0)
		return refuse(reader, "the file is empty: it has to name the columns footprint_bytes and latency_cycles or latency_ns");
	if (series->n < POINTS_LEAST)
		return refuse(reader, "%u point%s: at least %u are needed",
			      series->n, series->n == 1 ? "" : "s",
			      POINTS_LEAST);
	return 0;
}

static int read_lines(struct reader *reader, char *text)
{
	int err = 0;

	while (text && !err) {
		char *end = strchr(text, '\n'), *line;

		if (end)
			*end = '\0';
		reader->line++;
		line = trim(text);
		text = end && end[1] ? end + 1 : NULL;
		if (!line[0] || line[0] == '#')
			continue;
		err = reader->footprint < 0 ? read_header(reader, line) :
					      read_point(reader, line);
	}
	return err;
}

int mp_curve_parse(char *text, const char *name, struct mp_series *series,
		   char *why, size_t room)
{
	struct reader reader = {
		.name = name, .footprint = -1, .latency = -1,
		.series = series, .why = why, .room = room,
	};
	int err;

	memset(series, 0, sizeof(*series));
	snprintf(why, room, "%s: out of memory", name);
	snprintf(series->name, sizeof(series->name), "latency");
	snprintf(series->x_name, sizeof(series->x_name), "footprint");
	snprintf(series->x_unit, sizeof(series->x_unit), "bytes");
	/* Some spreadsheets put a byte-order mark first. */
	if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	err = read_lines(&reader, text);
	if (!err) {
		if (series->n)
			qsort(series->point, series->n, sizeof(*series->point),
			      by_x);
		err = check_points(&reader);
	}
	if (err) {
		free(series->point);
		memset(series, 0, sizeof(*series));
	}
	return err;
}
