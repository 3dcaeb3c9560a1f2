// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers in words: plain ones that programs read, scaled ones for people.
 */
#include "report/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Closer than this is the same number. */
#define EXACT 1e-9

/* A unit that is scaled: by what, and what the steps are called. */
struct scale {
	const char *unit;
	double step;
	const char *name[6];
};

static const struct scale scales[] = {
	{ "bytes", 1024, { "B", "KiB", "MiB", "GiB", "TiB", "PiB" } },
	{ "Hz", 1000, { "Hz", "kHz", "MHz", "GHz", "THz", "PHz" } },
	{ "ns", 1000, { "ns", "us", "ms", "s", NULL, NULL } },
};

/* Units that need no naming where a table's row says what is counted; a blank
 * before each, for where none does. */
static const char *const counted[] = { " ways", " entries", " cycles",
				       " cpus", "" };

const char *mp_format_plain(char text[MP_FORMAT_ROOM], double value)
{
	const double size = fabs(value);

	if (!isfinite(value))
		snprintf(text, MP_FORMAT_ROOM, "-");
	else if (size < 1e15 && (value == floor(value) || size >= 1e5))
		snprintf(text, MP_FORMAT_ROOM, "%.0f", value);
	else
		snprintf(text, MP_FORMAT_ROOM, "%.6g", value);
	return text;
}

/* Three digits that matter. What is exact is said shortly: "4 KiB"; "4.00"
 * says that it was rounded. */
static void digits(char *text, size_t room, double value)
{
	const double size = fabs(value);
	const int places = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
	size_t end;

	if (size >= 1e15) {
		snprintf(text, room, "%.3g", value);
		return;
	}
	snprintf(text, room, "%.*f", places, value);
	if (!strchr(text, '.') ||
	    fabs(strtod(text, NULL) - value) > EXACT * size)
		return;
	end = strlen(text);
	while (text[end - 1] == '0')
		text[--end] = '\0';
	if (text[end - 1] == '.')
		text[end - 1] = '\0';
}

static const struct scale *scale_of(const char *unit)
{
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
		if (strcmp(scales[i].unit, unit) == 0)
			return &scales[i];
	return NULL;
}

/* The one of them that a unit is, NULL where it is none. */
static const char *const *counted_as(const char *unit)
{
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (strcmp(counted[i] + (counted[i][0] == ' '), unit) == 0)
			return &counted[i];
	return NULL;
}

/* Brings a value to its step; returns the step's name. */
static const char *scaled(double *value, const char *unit)
{
	const struct scale *scale = scale_of(unit);
	int i = 0;

	if (!scale)
		return counted_as(unit) ? "" : unit;
	/* What would be printed as 1024 KiB is 1 MiB. */
	while (i < 5 && scale->name[i + 1] &&
	       fabs(*value) >= scale->step - 0.5) {
		*value /= scale->step;
		i++;
	}
	return scale->name[i];
}

const char *mp_format_human(char text[MP_FORMAT_ROOM], double value,
			    const char *unit)
{
	char number[32];
	const char *name;

	if (!isfinite(value)) {
		snprintf(text, MP_FORMAT_ROOM, "-");
		return text;
	}
	name = scaled(&value, unit);
	digits(number, sizeof(number), value);
	snprintf(text, MP_FORMAT_ROOM, "%s%s%s", number, *name ? " " : "",
		 name);
	return text;
}

const char *mp_format_counted(const char *unit)
{
	const char *const *name = counted_as(unit);

	return name ? *name : "";
}

const char *mp_format_range(char text[MP_FORMAT_ROOM], double low, double high,
			    const char *unit)
{
	char from[MP_FORMAT_ROOM], to[MP_FORMAT_ROOM];
	char *from_unit, *to_unit;

	mp_format_human(from, low, unit);
	mp_format_human(to, high, unit);
	if (!isfinite(low) && !isfinite(high)) {
		snprintf(text, MP_FORMAT_ROOM, "-");
		return text;
	}
	if (!isfinite(high)) {
		snprintf(text, MP_FORMAT_ROOM, "%.28s ..", from);
		return text;
	}
	if (!isfinite(low)) {
		snprintf(text, MP_FORMAT_ROOM, ".. %.28s", to);
		return text;
	}
	/* The unit is said once where both have the same. */
	from_unit = strchr(from, ' ');
	to_unit = strchr(to, ' ');
	if (from_unit && to_unit && strcmp(from_unit, to_unit) == 0)
		*from_unit = '\0';
	snprintf(text, MP_FORMAT_ROOM, "%.28s .. %.28s", from, to);
	return text;
}

const char *mp_format_fact(char text[MP_FORMAT_ROOM],
			   const struct mp_fact *fact, bool utf8)
{
	char number[MP_FORMAT_ROOM];
	const char *bound = "";

	text[0] = '\0';
	if (!fact)
		return text;
	if (!mp_verdict_known(fact->verdict)) {
		strcpy(text, fact->verdict == MP_ABSENT ? "absent" : "?");
		return text;
	}
	if (fact->is_text) {
		snprintf(text, MP_FORMAT_ROOM, "%s", fact->text);
		return text;
	}
	if (fact->verdict == MP_AT_LEAST)
		bound = utf8 ? "\u2265 " : ">= ";
	if (fact->verdict == MP_AT_MOST)
		bound = utf8 ? "\u2264 " : "<= ";
	mp_format_human(number, fact->value, fact->unit);
	snprintf(text, MP_FORMAT_ROOM, "%s%.56s", bound, number);
	return text;
}

const char *mp_format_where(char text[MP_FORMAT_WHERE],
			    const struct mp_where *where)
{
	const size_t room = MP_FORMAT_WHERE;
	size_t used = 0;

	snprintf(text, room, "-");
	for (uint32_t i = 0; i < where->n && i < MP_WHERE_KEYS; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s=%s",
					 i ? " " : "", where->key[i],
					 where->value[i]);
	return text;
}
