// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of a struct as members of a JSON object. A file may come from
 * anywhere: each member is checked before it is believed.
 */
#include "report/json_field.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fact.h"

/* Above this a double no longer tells whole numbers apart. */
#define WHOLE_MAX 9007199254740992.0
#define ID_DIGITS 16u

json_t *mp_json_number(double value)
{
	if (!isfinite(value))
		return json_null();
	if (value == floor(value) && fabs(value) < WHOLE_MAX)
		return json_integer((json_int_t)value);
	return json_real(value);
}

int mp_json_fail(const struct mp_json_at *at, const char *key,
		 const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(at->why, at->room, "%s%s%s: ", at->path,
		     at->path[0] && key[0] ? "." : "", key);
	if (n < 0 || (size_t)n >= at->room)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(at->why + n, at->room - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

static json_t *words_write(const char *text)
{
	json_t *array = json_array();

	while (array && *text) {
		const size_t length = strcspn(text, ",");

		if (length &&
		    json_array_append_new(array, json_stringn(text, length))) {
			json_decref(array);
			return NULL;
		}
		text += length;
		text += *text == ',';
	}
	return array;
}

static json_t *where_write(const struct mp_where *where)
{
	json_t *object = json_object();

	for (uint32_t i = 0; object && i < where->n; i++) {
		json_t *value;

		if (where->number[i])
			value = json_integer(strtoll(where->value[i], NULL,
						     10));
		else
			value = json_string(where->value[i]);
		if (json_object_set_new(object, where->key[i], value)) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

static json_t *seed_write(uint64_t seed)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, seed);
	return json_string(text);
}

json_t *mp_json_id(uint64_t id)
{
	char text[ID_DIGITS + 1];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	return json_string(text);
}

static json_t *write_one(const struct mp_field *field, const void *from)
{
	const char *at = (const char *)from + field->offset;

	switch ((enum mp_field_kind)field->kind) {
	case MP_FIELD_TEXT:
		if (!at[0] && (field->flags & MP_FIELD_NULLABLE))
			return json_null();
		return json_string(at);
	case MP_FIELD_WORDS:
		return words_write(at);
	case MP_FIELD_REAL:
		return mp_json_number(*(const double *)at);
	case MP_FIELD_U32:
		return json_integer(*(const uint32_t *)at);
	case MP_FIELD_U64:
		return json_integer((json_int_t)*(const uint64_t *)at);
	case MP_FIELD_SEED:
		return seed_write(*(const uint64_t *)at);
	case MP_FIELD_ID:
		return mp_json_id(*(const uint64_t *)at);
	case MP_FIELD_NODE:
		if (*(const int32_t *)at < 0)
			return json_null();
		return json_integer(*(const int32_t *)at);
	case MP_FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case MP_FIELD_VERDICT:
		return json_string(mp_verdict_name(*(const uint32_t *)at));
	case MP_FIELD_WHERE:
		return where_write((const struct mp_where *)at);
	}
	return NULL;
}

bool mp_fields_write(const struct mp_field *field, const void *from,
		     json_t *object)
{
	for (; field->key; field++) {
		const char *text = (const char *)from + field->offset;

		if ((field->flags & MP_FIELD_OPTIONAL) && !text[0])
			continue;
		if (json_object_set_new(object, field->key,
					write_one(field, from)))
			return false;
	}
	return true;
}

static int text_read(const struct mp_field *field, const json_t *json,
		     char *into, const struct mp_json_at *at)
{
	if (json_is_null(json) && (field->flags & MP_FIELD_NULLABLE)) {
		into[0] = '\0';
		return 0;
	}
	if (!json_is_string(json))
		return mp_json_fail(at, field->key, "wants a text");
	if (json_string_length(json) >= field->room)
		return mp_json_fail(at, field->key,
				    "a text of %zu bytes: at most %zu",
				    json_string_length(json),
				    field->room - 1);
	snprintf(into, field->room, "%s", json_string_value(json));
	return 0;
}

static int words_read(const struct mp_field *field, const json_t *json,
		      char *into, const struct mp_json_at *at)
{
	size_t used = 0, i;
	json_t *word;

	if (!json_is_array(json))
		return mp_json_fail(at, field->key, "wants a list of texts");
	into[0] = '\0';
	json_array_foreach(json, i, word) {
		const char *text = json_string_value(word);

		if (!text || !text[0] || strchr(text, ','))
			return mp_json_fail(at, field->key,
					    "wants a list of words");
		if (used + strlen(text) + 2 > field->room)
			return mp_json_fail(at, field->key,
					    "longer than %zu bytes in all",
					    field->room - 1);
		used += (size_t)sprintf(into + used, "%s%s", i ? "," : "",
					text);
	}
	return 0;
}

static int whole_read(const struct mp_field *field, const json_t *json,
		      json_int_t most, json_int_t *value,
		      const struct mp_json_at *at)
{
	if (!json_is_integer(json))
		return mp_json_fail(at, field->key, "wants a whole number");
	*value = json_integer_value(json);
	if (*value < 0 || *value > most)
		return mp_json_fail(at, field->key,
				    "%" JSON_INTEGER_FORMAT
				    ": allowed are 0 to %" JSON_INTEGER_FORMAT,
				    *value, most);
	return 0;
}

static int seed_read(const struct mp_field *field, const json_t *json,
		     uint64_t *seed, const struct mp_json_at *at)
{
	const char *text = json_string_value(json);
	char *end;

	if (text && text[0] >= '0' && text[0] <= '9') {
		errno = 0;
		*seed = strtoull(text, &end, 10);
		if (!errno && !*end)
			return 0;
	}
	return mp_json_fail(at, field->key,
			    "wants a text of decimal digits below 2^64");
}

bool mp_json_id_read(const json_t *json, uint64_t *id)
{
	const char *text = json_string_value(json);

	if (!text || strlen(text) != ID_DIGITS ||
	    strspn(text, "0123456789abcdef") != ID_DIGITS)
		return false;
	*id = strtoull(text, NULL, 16);
	return true;
}

int mp_json_real(const json_t *json, const char *key, double *value,
		 const struct mp_json_at *at)
{
	if (json_is_null(json)) {
		*value = NAN;
		return 0;
	}
	if (!json_is_number(json))
		return mp_json_fail(at, key, "wants a number or null");
	*value = json_number_value(json);
	return 0;
}

static int verdict_read(const struct mp_field *field, const json_t *json,
			uint32_t *verdict, const struct mp_json_at *at)
{
	const char *name = json_string_value(json);

	if (name && mp_verdict_parse(name, verdict) == 0)
		return 0;
	return mp_json_fail(at, field->key, "%.40s: no such verdict",
			    name ? name : "not a text");
}

static int where_read(const struct mp_field *field, const json_t *json,
		      struct mp_where *where, const struct mp_json_at *at)
{
	const char *key;
	json_t *value;
	int n;

	memset(where, 0, sizeof(*where));
	if (!json_is_object(json) || json_object_size(json) > MP_WHERE_KEYS)
		return mp_json_fail(at, field->key,
				    "wants an object of at most %d keys",
				    MP_WHERE_KEYS);
	json_object_foreach((json_t *)json, key, value) {
		const uint32_t i = where->n++;

		where->number[i] = json_is_integer(value);
		if (where->number[i])
			n = snprintf(where->value[i], MP_WHERE_TEXT,
				     "%" JSON_INTEGER_FORMAT,
				     json_integer_value(value));
		else if (json_is_string(value))
			n = snprintf(where->value[i], MP_WHERE_TEXT, "%s",
				     json_string_value(value));
		else
			return mp_json_fail(at, field->key,
					    "%.40s: wants a text or a whole number",
					    key);
		if (n >= MP_WHERE_TEXT || strlen(key) >= MP_WHERE_TEXT)
			return mp_json_fail(at, field->key,
					    "a text of more than %d bytes",
					    MP_WHERE_TEXT - 1);
		snprintf(where->key[i], MP_WHERE_TEXT, "%s", key);
	}
	return 0;
}

static int read_whole(const struct mp_field *field, const json_t *json,
		      void *into, const struct mp_json_at *at)
{
	json_int_t value;
	int err;

	switch (field->kind) {
	case MP_FIELD_U32:
		err = whole_read(field, json, UINT32_MAX, &value, at);
		if (!err)
			*(uint32_t *)into = (uint32_t)value;
		return err;
	case MP_FIELD_NODE:
		*(int32_t *)into = -1;
		if (json_is_null(json))
			return 0;
		err = whole_read(field, json, INT32_MAX, &value, at);
		if (!err)
			*(int32_t *)into = (int32_t)value;
		return err;
	default:
		err = whole_read(field, json, INT64_MAX, &value, at);
		if (!err)
			*(uint64_t *)into = (uint64_t)value;
		return err;
	}
}

static int read_one(const struct mp_field *field, const json_t *json,
		    void *into, const struct mp_json_at *at)
{
	switch ((enum mp_field_kind)field->kind) {
	case MP_FIELD_TEXT:
		return text_read(field, json, into, at);
	case MP_FIELD_WORDS:
		return words_read(field, json, into, at);
	case MP_FIELD_REAL:
		return mp_json_real(json, field->key, into, at);
	case MP_FIELD_U32:
	case MP_FIELD_U64:
	case MP_FIELD_NODE:
		return read_whole(field, json, into, at);
	case MP_FIELD_SEED:
		return seed_read(field, json, into, at);
	case MP_FIELD_ID:
		if (mp_json_id_read(json, into))
			return 0;
		return mp_json_fail(at, field->key,
				    "wants a text of 16 hex digits");
	case MP_FIELD_BOOL:
		if (!json_is_boolean(json))
			return mp_json_fail(at, field->key,
					    "wants true or false");
		*(bool *)into = json_is_true(json);
		return 0;
	case MP_FIELD_VERDICT:
		return verdict_read(field, json, into, at);
	case MP_FIELD_WHERE:
		return where_read(field, json, into, at);
	}
	return mp_json_fail(at, field->key, "of no known kind");
}

int mp_fields_read(const struct mp_field *field, const json_t *object,
		   void *into, const struct mp_json_at *at)
{
	int err;

	for (; field->key; field++) {
		const json_t *json = json_object_get(object, field->key);

		if (!json && (field->flags & MP_FIELD_OPTIONAL))
			continue;
		if (!json)
			return mp_json_fail(at, field->key, "is missing");
		err = read_one(field, json, (char *)into + field->offset, at);
		if (err)
			return err;
	}
	return 0;
}

const json_t *mp_json_array(const json_t *object, const char *key,
			    const struct mp_json_at *at)
{
	const json_t *array = json_object_get(object, key);

	if (json_is_array(array))
		return array;
	mp_json_fail(at, key, array ? "wants a list" : "is missing");
	return NULL;
}
