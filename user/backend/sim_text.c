// SPDX-License-Identifier: GPL-2.0
/*
 * Statements of a machine file. A word's keys are rows of a table; this
 * file reads key=value pairs by such a table, fills in what is left out and
 * says what is allowed where something is not.
 */
#include "sim_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r\n\v\f"
#define ALLOWED_TEXT 160
/* Digits of which a double still holds every one. */
#define DIGITS_MAX 15

int mp_sim_wrong(const struct mp_sim_spot *spot, const char *format, ...)
{
	va_list args;
	int n;

	if (!spot->why || !spot->room)
		return -EINVAL;
	n = spot->line ? snprintf(spot->why, spot->room, "%s:%u: ",
				  spot->file, spot->line) :
			 snprintf(spot->why, spot->room, "%s: ", spot->file);
	if (n < 0 || (size_t)n >= spot->room)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(spot->why + n, spot->room - n, format, args);
	va_end(args);
	return -EINVAL;
}

static double binary_unit(char letter)
{
	switch (letter) {
	case 'K':
		return 1024.0;
	case 'M':
		return 1024.0 * 1024.0;
	case 'G':
		return 1024.0 * 1024.0 * 1024.0;
	default:
		return 0;
	}
}

/* Not strtod(): it takes hexadecimals, "nan" and the locale's comma. */
int mp_sim_number(const char *text, bool sizes, double *value)
{
	double digits = 0, scale = 1;
	uint32_t n = 0;
	bool point = false;

	for (; *text; text++) {
		if (*text == '.' && n && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9')
			break;
		if (++n > DIGITS_MAX)
			return -EINVAL;
		digits = digits * 10 + (*text - '0');
		scale = point ? scale * 10 : scale;
	}
	if (!n || (point && scale == 1))
		return -EINVAL;
	*value = digits / scale;
	if (sizes && binary_unit(*text)) {
		/* Multiplied first: 1.25M is a whole number of bytes. */
		*value = digits * binary_unit(*text) / scale;
		text++;
	}
	return *text ? -EINVAL : 0;
}

char *mp_sim_word(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS);
	char *end = word + strcspn(word, BLANKS "#");

	if (end == word)
		return NULL;
	/* A comment ends the line: nothing behind it is looked at again. */
	*rest = *end && *end != '#' ? end + 1 : end + strlen(end);
	*end = '\0';
	return word;
}

void mp_sim_list(char *list, size_t room, const char *name)
{
	size_t n = strlen(list);

	snprintf(list + n, room - n, "%s%s", n ? ", " : "", name);
}

/* A bound as a person would write it. */
static void print_bound(char *text, size_t room, uint32_t kind, double value)
{
	static const char units[] = "GMK";

	for (const char *unit = units; kind == MP_SIM_SIZE && *unit; unit++) {
		double count = value / binary_unit(*unit);

		if (count >= 1 && count == floor(count)) {
			snprintf(text, room, "%.0f%c", count, *unit);
			return;
		}
	}
	snprintf(text, room, "%.10g", value);
}

static void print_allowed(const struct mp_sim_key *key, char *text,
			  size_t room)
{
	static const char *const says[] = {
		[MP_SIM_TEXT] = "a text of at most 63 characters",
		[MP_SIM_COUNT] = "a whole number",
		[MP_SIM_SIZE] = "bytes, with K, M or G,",
		[MP_SIM_REAL] = "a number",
		[MP_SIM_RANGE] = "LOW..HIGH or one number within",
	};
	char low[32], high[32];

	text[0] = '\0';
	if (key->choices) {
		for (uint32_t i = 0; key->choices[i]; i++)
			mp_sim_list(text, room, key->choices[i]);
		if (key->further)
			mp_sim_list(text, room, key->instead);
		return;
	}
	if (key->kind == MP_SIM_TEXT) {
		snprintf(text, room, "%s", says[key->kind]);
		return;
	}
	print_bound(low, sizeof(low), key->kind, key->low);
	print_bound(high, sizeof(high), key->kind, key->high);
	snprintf(text, room, "%s %s .. %s%s%s", says[key->kind], low, high,
		 key->instead ? " or " : "", key->instead ? key->instead : "");
}

static int store_choice(const struct mp_sim_key *key, const char *text,
			uint32_t *index)
{
	uint32_t i;

	for (i = 0; key->choices[i]; i++) {
		if (!strcmp(key->choices[i], text))
			break;
	}
	if (!key->choices[i] && (!key->further || !key->further(text)))
		return -EINVAL;
	*index = i;
	return 0;
}

static int store_named(const struct mp_sim_key *key, const char *text,
		       struct mp_sim_named *named)
{
	if (strlen(text) >= sizeof(named->text))
		return -EINVAL;
	strcpy(named->text, text);
	return store_choice(key, text, &named->index);
}

static bool within(const struct mp_sim_key *key, double value)
{
	return value >= key->low && value <= key->high;
}

static int store_range(const struct mp_sim_key *key, const char *text,
		       struct mp_sim_range *range)
{
	const char *dots = strstr(text, "..");
	char low[MP_SIM_NAME];

	if (!dots) {
		if (mp_sim_number(text, false, &range->low))
			return -EINVAL;
		range->high = range->low;
	} else {
		if ((size_t)(dots - text) >= sizeof(low))
			return -EINVAL;
		memcpy(low, text, dots - text);
		low[dots - text] = '\0';
		if (mp_sim_number(low, false, &range->low) ||
		    mp_sim_number(dots + 2, false, &range->high))
			return -EINVAL;
	}
	if (range->low > range->high || !within(key, range->low) ||
	    !within(key, range->high))
		return -EINVAL;
	return 0;
}

static int store_number(const struct mp_sim_key *key, const char *text,
			void *field)
{
	double value;

	if (key->instead && !strcmp(text, key->instead))
		value = 0;
	else if (mp_sim_number(text, key->kind == MP_SIM_SIZE, &value) ||
		 !within(key, value))
		return -EINVAL;
	if (key->kind == MP_SIM_REAL) {
		*(double *)field = value;
		return 0;
	}
	if (value != floor(value))
		return -EINVAL;
	if (key->kind == MP_SIM_SIZE)
		*(uint64_t *)field = (uint64_t)value;
	else
		*(uint32_t *)field = (uint32_t)value;
	return 0;
}

static int store(const struct mp_sim_key *key, const char *text, void *into)
{
	void *field = (char *)into + key->offset;

	switch (key->kind) {
	case MP_SIM_TEXT:
		if (strlen(text) >= MP_SIM_NAME)
			return -EINVAL;
		memcpy(field, text, strlen(text) + 1);
		return 0;
	case MP_SIM_RANGE:
		return store_range(key, text, field);
	case MP_SIM_CHOICE:
		return store_choice(key, text, field);
	case MP_SIM_NAMED:
		return store_named(key, text, field);
	default:
		return store_number(key, text, field);
	}
}

static int unknown_key(const struct mp_sim_key *keys, const char *word,
		       const char *name, const struct mp_sim_spot *spot)
{
	char list[ALLOWED_TEXT] = "";

	for (; keys->name; keys++)
		mp_sim_list(list, sizeof(list), keys->name);
	return mp_sim_wrong(spot, "%s has no key %.32s: its keys are %s", word,
			    name, list);
}

static int read_pair(const struct mp_sim_key *keys, const char *word,
		     char *pair, void *into, uint32_t *given,
		     const struct mp_sim_spot *spot)
{
	char *value = strchr(pair, '=');
	char allowed[ALLOWED_TEXT];
	uint32_t i;

	if (!value || value == pair || !value[1])
		return mp_sim_wrong(spot, "%s %.40s: a pair is key=value", word,
				    pair);
	*value++ = '\0';
	for (i = 0; keys[i].name; i++) {
		if (!strcmp(keys[i].name, pair))
			break;
	}
	if (!keys[i].name)
		return unknown_key(keys, word, pair, spot);
	if (*given & 1u << i)
		return mp_sim_wrong(spot, "%s %s: stated twice", word, pair);
	*given |= 1u << i;
	if (!store(&keys[i], value, into))
		return 0;
	print_allowed(&keys[i], allowed, sizeof(allowed));
	return mp_sim_wrong(spot, "%s %s=%.40s: allowed is %s", word, pair,
			    value, allowed);
}

int mp_sim_keys(const struct mp_sim_key *keys, const char *word, char *pairs,
		void *into, const struct mp_sim_spot *spot)
{
	char allowed[ALLOWED_TEXT], *pair;
	uint32_t given = 0;
	int err;

	while ((pair = mp_sim_word(&pairs))) {
		err = read_pair(keys, word, pair, into, &given, spot);
		if (err)
			return err;
	}
	for (uint32_t i = 0; keys[i].name; i++) {
		if (given & 1u << i)
			continue;
		if (!keys[i].fallback) {
			print_allowed(&keys[i], allowed, sizeof(allowed));
			return mp_sim_wrong(spot, "%s: %s is missing: %s", word,
					    keys[i].name, allowed);
		}
		if (*keys[i].fallback)
			store(&keys[i], keys[i].fallback, into);
	}
	return 0;
}
