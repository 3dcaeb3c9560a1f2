/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of a struct as members of a JSON object, both ways from one table.
 */
#ifndef MP_JSON_FIELD_H
#define MP_JSON_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum mp_field_kind - type of the field, and how it stands in JSON */
enum mp_field_kind {
	MP_FIELD_TEXT,		/* char [room]: string */
	MP_FIELD_WORDS,		/* char [room], comma-separated: array of strings */
	MP_FIELD_REAL,		/* double: number, or null for NaN */
	MP_FIELD_U32,		/* uint32_t: whole number */
	MP_FIELD_U64,		/* uint64_t: whole number below 2^63 */
	MP_FIELD_SEED,		/* uint64_t: string, for JSON has no such numbers */
	MP_FIELD_ID,		/* uint64_t: string of 16 hex digits */
	MP_FIELD_NODE,		/* int32_t: whole number, or null below zero */
	MP_FIELD_BOOL,		/* bool */
	MP_FIELD_VERDICT,	/* uint32_t: its name */
	MP_FIELD_WHERE,		/* struct mp_where: object */
};

/** enum mp_field_flag - bits of mp_field.flags */
enum mp_field_flag {
	MP_FIELD_OPTIONAL = 1u << 0,	/* an empty text is left out */
	MP_FIELD_NULLABLE = 1u << 1,	/* an empty text is null */
};

/** struct mp_field - one field; a row without @key ends a table */
struct mp_field {
	const char *key;
	uint32_t kind;
	size_t offset;
	size_t room;
	uint32_t flags;
};

/**
 * struct mp_json_at - where in a document reading stands
 * @path: such as "facts[3].claim"
 * @why: gets one line with an error
 * @room: bytes of @why
 */
struct mp_json_at {
	char path[128];
	char *why;
	size_t room;
};

/** mp_json_number() - a number, whole ones without a fraction; null for what
 * is not finite */
json_t *mp_json_number(double value);

/** mp_json_fail() - say what is wrong with member @key; returns -EINVAL */
int mp_json_fail(const struct mp_json_at *at, const char *key,
		 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** mp_json_id() - id of an experiment, as text */
json_t *mp_json_id(uint64_t id);

/** mp_json_id_read() - the reverse; false where it is none */
bool mp_json_id_read(const json_t *json, uint64_t *id);

/** mp_json_real() - a number or null into *@value */
int mp_json_real(const json_t *json, const char *key, double *value,
		 const struct mp_json_at *at);

/** mp_json_array() - a member that has to be an array; NULL and why */
const json_t *mp_json_array(const json_t *object, const char *key,
			    const struct mp_json_at *at);

/** mp_fields_write() - add the fields to an object; false: no memory */
bool mp_fields_write(const struct mp_field *field, const void *from,
		     json_t *object);

/** mp_fields_read() - fields from an object; 0 or -EINVAL and why */
int mp_fields_read(const struct mp_field *field, const json_t *object,
		   void *into, const struct mp_json_at *at);

#endif
