/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The field table of an experiment: what each field is called, where it
 * lies, how wide it is, what it is unless told and what it may be. Shared
 * by the files that make, print, parse, compare and check experiments;
 * everybody else wants exp.h.
 */
#ifndef MP_EXP_FIELD_H
#define MP_EXP_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exp.h"

/** enum mp_exp_scope - what a field is a field of */
enum mp_exp_scope {
	MP_OF_EXP,
	MP_OF_ARENA,
	MP_OF_ACTOR,
	MP_OF_SCOPES,
};

/** MP_EXP_FIELDS_MAX - the most fields; a word has a bit for each. */
#define MP_EXP_FIELDS_MAX 32

/**
 * struct mp_exp_field - a field
 * @name: as in the text
 * @names: NULL for a number; else the names of its values, NULL-terminated
 * @usual: its default. Left out of the text, so part of the meaning of every
 *	saved text: it must never change
 * @low, @high: what mp_exp_check() allows; signed ones are sign-extended
 * @limits: the names in limits.h that @low and @high come from, or NULL
 * @offset: bytes into the experiment, arena or actor
 * @width: 4 or 8 bytes
 * @scope: enum mp_exp_scope
 * @is_signed: a signed number
 * @shown: printed even when usual, so that its arena or actor is seen
 */
struct mp_exp_field {
	const char *name;
	const char *const *names;
	uint64_t usual;
	uint64_t low;
	uint64_t high;
	const char *limits;
	uint16_t offset;
	uint8_t width;
	uint8_t scope;
	bool is_signed;
	bool shown;
};

/** struct mp_exp_item - one arena or actor, or the experiment itself */
struct mp_exp_item {
	uint8_t scope;
	uint32_t index;
};

/** MP_EXP_ITEM_TEXT - room for an item's name. */
#define MP_EXP_ITEM_TEXT 16

/** mp_exp_scope_name() - "arena", "actor"; "" for the experiment */
const char *mp_exp_scope_name(uint8_t scope);

/** mp_exp_scope_room() - how many items of a scope an experiment can hold */
uint32_t mp_exp_scope_room(uint8_t scope);

/** mp_exp_item_name() - "actor0.", to stand before a field; returns @text */
const char *mp_exp_item_name(struct mp_exp_item item,
			     char text[MP_EXP_ITEM_TEXT]);

/** mp_exp_field_find() - by scope and name; NULL when there is none */
const struct mp_exp_field *mp_exp_field_find(uint8_t scope, const char *name);

/** mp_exp_field_index() - its place in the table, below MP_EXP_FIELDS_MAX */
uint32_t mp_exp_field_index(const struct mp_exp_field *field);

/** mp_exp_field_get() - its value, sign-extended where it has a sign */
uint64_t mp_exp_field_get(const struct mp_exp *exp, struct mp_exp_item item,
			  const struct mp_exp_field *field);

/** mp_exp_field_set() - the reverse; cut to the field's width */
void mp_exp_field_set(struct mp_exp *exp, struct mp_exp_item item,
		      const struct mp_exp_field *field, uint64_t value);

/** mp_exp_value_name() - the name of an enum field's value; NULL */
const char *mp_exp_value_name(const struct mp_exp_field *field,
			      uint64_t value);

/** mp_exp_value_find() - the value that has a name; -EINVAL */
int mp_exp_value_find(const struct mp_exp_field *field, const char *name,
		      uint64_t *value);

typedef int mp_exp_field_fn(const struct mp_exp *exp, struct mp_exp_item item,
			    const struct mp_exp_field *field, void *ctx);

/**
 * mp_exp_each_field() - all fields that are in use
 * @exp: the experiment
 * @call: called for the experiment's own fields, then arena by arena, then
 *	actor by actor, in the table's order
 * @ctx: handed on
 * Return: the first answer of @call that is not 0; it ends the walk.
 */
int mp_exp_each_field(const struct mp_exp *exp, mp_exp_field_fn *call,
		      void *ctx);

#endif
