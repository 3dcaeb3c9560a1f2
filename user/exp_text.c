// SPDX-License-Identifier: GPL-2.0
/*
 * An experiment in words, and the id that hashes them. Fields at their
 * defaults are left out: a field that is added later changes no old text.
 */
#include "exp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exp_field.h"
#include "hash.h"
#include "rng.h"
#include "why.h"

/* The steps are the longest word: ten digits and a comma each. */
#define WORD_MAX (11 * MP_EXP_STEPS + 64)
/* Ids that are not worked out anew: a run has some hundred experiments. */
#define IDS_KNOWN 4096u

struct out {
	char *text;
	size_t room;
	size_t length;
};

/* What a text has named so far: a bit a field, for each item. */
struct seen {
	uint32_t item[MP_OF_SCOPES][MP_EXP_ACTORS];
	bool steps;
};

_Static_assert((int)MP_EXP_ARENAS <= (int)MP_EXP_ACTORS, "seen is as wide");

/* Ids are asked for at every turn, and are this text: printf() is slow. */
static int put(struct out *out, const char *text)
{
	const size_t length = strlen(text);

	if (length >= out->room - out->length)
		return -ENOSPC;
	memcpy(out->text + out->length, text, length + 1);
	out->length += length;
	return 0;
}

static int put_number(struct out *out, uint64_t value)
{
	char digits[24];
	char *at = digits + sizeof(digits);

	*--at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return put(out, at);
}

static int print_value(struct out *out, const struct mp_exp_field *field,
		       uint64_t value)
{
	const char *name = mp_exp_value_name(field, value);
	int err;

	if (name)
		return put(out, name);
	if (!field->is_signed || (int64_t)value >= 0)
		return put_number(out, value);
	err = put(out, "-");
	return err ? err : put_number(out, 0 - value);
}

static int print_field(const struct mp_exp *exp, struct mp_exp_item item,
		       const struct mp_exp_field *field, void *ctx)
{
	uint64_t value = mp_exp_field_get(exp, item, field);
	struct out *out = ctx;
	char prefix[MP_EXP_ITEM_TEXT];
	int err;

	if (value == field->usual && !field->shown)
		return 0;
	err = put(out, out->length ? " " : "");
	if (!err)
		err = put(out, mp_exp_item_name(item, prefix));
	if (!err)
		err = put(out, field->name);
	if (!err)
		err = put(out, "=");
	return err ? err : print_value(out, field, value);
}

static int print_steps(const struct mp_exp *exp, struct out *out)
{
	const char *before = out->length ? " steps=" : "steps=";
	int err = 0;

	for (uint32_t i = 0; i < exp->n_steps && i < MP_EXP_STEPS && !err; i++) {
		err = put(out, i ? "," : before);
		if (!err)
			err = put_number(out, exp->steps[i]);
	}
	return err;
}

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	/* strtoull() takes blanks and signs; a field takes digits only. */
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

static int parse_value(const struct mp_exp_field *field, const char *text,
		       uint64_t *value)
{
	uint64_t most = field->width == 8 ? UINT64_MAX : UINT32_MAX;
	bool minus = field->is_signed && text[0] == '-';

	if (field->names && !mp_exp_value_find(field, text, value))
		return 0;
	if (parse_number(text + minus, value))
		return -EINVAL;
	if (field->is_signed)
		most = INT32_MAX;
	if (*value > most)
		return -EINVAL;
	/* A number stands for a value without a name and for no other. */
	if (mp_exp_value_name(field, *value))
		return -EINVAL;
	if (minus)
		*value = 0 - *value;
	return 0;
}

static const char *wanted_value(const struct mp_exp_field *field)
{
	if (field->names)
		return "no such name";
	return field->width == 8 ? "a whole number below 2^64 is wanted" :
				   "a whole number below 2^32 is wanted";
}

/* "arena3.bytes" -> the item and "bytes"; a bare name is the experiment's. */
static int parse_item(const char *key, struct mp_exp_item *item,
		      const char **name)
{
	const char *dot = strchr(key, '.');

	*item = (struct mp_exp_item){ MP_OF_EXP, 0 };
	*name = key;
	if (!dot)
		return 0;
	for (uint8_t scope = MP_OF_ARENA; scope < MP_OF_SCOPES; scope++) {
		size_t length = strlen(mp_exp_scope_name(scope));

		if (strncmp(key, mp_exp_scope_name(scope), length) ||
		    dot != key + length + 1)
			continue;
		item->scope = scope;
		item->index = (uint32_t)(key[length] - '0');
		*name = dot + 1;
		return item->index < mp_exp_scope_room(scope) ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static int parse_steps(struct mp_exp *exp, char *list, char *why, size_t room)
{
	char *rest = list;
	char *step;
	uint64_t value;

	while ((step = strsep(&rest, ","))) {
		if (exp->n_steps == MP_EXP_STEPS)
			return mp_why(why, room, -EINVAL, "steps: more than %d",
				      MP_EXP_STEPS);
		if (parse_number(step, &value) || value > UINT32_MAX)
			return mp_why(why, room, -EINVAL,
				      "steps '%.32s': a list of numbers "
				      "0 .. %u, parted by commas", step,
				      UINT32_MAX);
		exp->steps[exp->n_steps++] = (uint32_t)value;
	}
	return 0;
}

static void use_item(struct mp_exp *exp, struct mp_exp_item item)
{
	if (item.scope == MP_OF_ARENA && exp->n_arenas <= item.index)
		exp->n_arenas = item.index + 1;
	if (item.scope == MP_OF_ACTOR && exp->n_actors <= item.index)
		exp->n_actors = item.index + 1;
}

static int parse_field(struct mp_exp *exp, struct seen *seen, const char *key,
		       const char *text, char *why, size_t room)
{
	const struct mp_exp_field *field;
	const char *name;
	struct mp_exp_item item;
	uint64_t value;
	uint32_t bit;

	if (parse_item(key, &item, &name))
		return mp_why(why, room, -EINVAL,
			      "'%.48s': arena0. .. arena%d. and actor0. .. "
			      "actor%d. are known",
			      key, MP_EXP_ARENAS - 1, MP_EXP_ACTORS - 1);
	field = mp_exp_field_find(item.scope, name);
	if (!field)
		return mp_why(why, room, -EINVAL, "'%.48s': no such field",
			      key);
	bit = 1u << mp_exp_field_index(field);
	if (seen->item[item.scope][item.index] & bit)
		return mp_why(why, room, -EINVAL, "'%.48s': said twice", key);
	seen->item[item.scope][item.index] |= bit;
	if (parse_value(field, text, &value))
		return mp_why(why, room, -EINVAL, "%s '%.32s': %s", key, text,
			      wanted_value(field));
	mp_exp_field_set(exp, item, field, value);
	use_item(exp, item);
	return 0;
}

static int parse_word(struct mp_exp *exp, struct seen *seen, char *word,
		      char *why, size_t room)
{
	char *value = strchr(word, '=');

	if (!value)
		return mp_why(why, room, -EINVAL,
			      "'%.48s': key=value is wanted", word);
	*value++ = '\0';
	if (strcmp(word, "steps"))
		return parse_field(exp, seen, word, value, why, room);
	if (seen->steps)
		return mp_why(why, room, -EINVAL, "'steps': said twice");
	seen->steps = true;
	return parse_steps(exp, value, why, room);
}

int mp_exp_print(const struct mp_exp *exp, char *text, size_t room)
{
	struct out out = { text, room, 0 };
	int err;

	if (!room)
		return -ENOSPC;
	text[0] = '\0';
	err = mp_exp_each_field(exp, print_field, &out);
	if (!err)
		err = print_steps(exp, &out);
	return err ? err : (int)out.length;
}

int mp_exp_parse(struct mp_exp *exp, const char *text, char *why, size_t room)
{
	struct seen seen = { 0 };
	char word[WORD_MAX];
	int err = 0;

	mp_exp_init(exp);
	while (!err) {
		size_t length;

		text += strspn(text, " ");
		length = strcspn(text, " ");
		if (!length)
			break;
		if (length >= sizeof(word))
			return mp_why(why, room, -EINVAL,
				      "'%.48s': a word is shorter than %d",
				      text, WORD_MAX);
		memcpy(word, text, length);
		word[length] = '\0';
		text += length;
		err = parse_word(exp, &seen, word, why, room);
	}
	return err;
}

static uint64_t find_id(const struct mp_exp *exp)
{
	char text[MP_EXP_TEXT];
	int length = mp_exp_print(exp, text, sizeof(text));

	return mp_rng_mix(mp_hash_bytes(MP_HASH_START, text,
					length > 0 ? (size_t)length : 0));
}

/* An id that has been worked out, and 128 bits of what it is of: two that
 * differ have the same once in 2^128 times. */
struct known {
	uint64_t a;
	uint64_t b;
	uint64_t id;
};

/* Two odd numbers of no pattern: what one hash confuses the other does not. */
#define TIMES_A 0x9e3779b97f4a7c15ull
#define TIMES_B 0xd6e8feb86659fd93ull

static void known_add(struct known *known, const void *data, size_t bytes)
{
	const char *at = data;
	uint64_t word;

	for (; bytes; at += sizeof(word)) {
		const size_t n = bytes < sizeof(word) ? bytes : sizeof(word);

		word = 0;
		memcpy(&word, at, n);
		known->a = (known->a ^ word) * TIMES_A;
		known->a ^= known->a >> 32;
		known->b = mp_rng_mix(known->b + word);
		bytes -= n;
	}
}

static size_t at_most(uint32_t n, uint32_t most)
{
	return n < most ? n : most;
}

/* Probes ask for the ids of the same experiments over and over, and the words
 * are long. */
uint64_t mp_exp_id(const struct mp_exp *exp)
{
	static struct known ids[IDS_KNOWN];
	struct known known = { .a = TIMES_B, .b = TIMES_A };
	struct known *at;

	known_add(&known, exp, offsetof(struct mp_exp, arena));
	known_add(&known, exp->arena, at_most(exp->n_arenas, MP_EXP_ARENAS) *
				      sizeof(exp->arena[0]));
	known_add(&known, exp->actor, at_most(exp->n_actors, MP_EXP_ACTORS) *
				      sizeof(exp->actor[0]));
	known_add(&known, exp->steps, at_most(exp->n_steps, MP_EXP_STEPS) *
				      sizeof(exp->steps[0]));
	at = &ids[known.b % IDS_KNOWN];
	if (at->a != known.a || at->b != known.b) {
		known.id = find_id(exp);
		*at = known;
	}
	return at->id;
}

uint64_t mp_exp_seed(uint64_t run_seed, uint64_t id, uint32_t replicate)
{
	/* The mixer between the parts keeps (seed, id, number) from meeting
	 * another triple by plain addition. */
	return mp_rng_mix(mp_rng_mix(mp_rng_mix(run_seed) ^ id) + replicate);
}
