// SPDX-License-Identifier: GPL-2.0
/*
 * The experiment and its field table. Making, comparing, printing, parsing,
 * hashing and checking all walk this one table.
 */
#include "exp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exp_field.h"
#include "limits.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const op_names[] = {
	[MP_OP_NONE] = "none",
	[MP_OP_CHASE] = "chase",
	[MP_OP_SEQUENCE] = "sequence",
	[MP_OP_STREAM] = "stream",
	[MP_OP_PINGPONG] = "pingpong",
	[MP_OP_GAP] = "gap",
	[MP_OP_CODE] = "code",
	NULL,
};

static const char *const pages_names[] = {
	[MP_PAGES_4K] = "4k",
	[MP_PAGES_THP] = "thp",
	[MP_PAGES_2M] = "2m",
	[MP_PAGES_1G] = "1g",
	[MP_PAGES_CONTIG] = "contig",
	[MP_PAGES_DEVICE] = "device",
	[MP_PAGES_UNCACHED] = "uncached",
	NULL,
};

static const char *const detail_names[] = {
	[MP_DETAIL_TOTALS] = "totals",
	[MP_DETAIL_HIST] = "hist",
	[MP_DETAIL_TICKS] = "ticks",
	NULL,
};

static const char *const access_names[] = {
	[MP_ACCESS_CACHED] = "cached",
	[MP_ACCESS_NONTEMPORAL] = "nontemporal",
	[MP_ACCESS_TEXTURE] = "texture",
	[MP_ACCESS_CONSTANT] = "constant",
	[MP_ACCESS_SHARED] = "shared",
	[MP_ACCESS_L2] = "l2",
	NULL,
};

#define WISHES (MP_WISH_PREEMPT_OFF | MP_WISH_IRQ_OFF | MP_WISH_PREFETCH_OFF)

#define FIELD(type, member, of, from, to) \
	.name = #member, .offset = offsetof(struct type, member), \
	.width = sizeof(((struct type *)NULL)->member), .scope = of, \
	.low = from, .high = to
#define IN_EXP(member, from, to) FIELD(mp_exp, member, MP_OF_EXP, from, to)
#define IN_ARENA(member, from, to) FIELD(mp_arena, member, MP_OF_ARENA, from, to)
#define IN_ACTOR(member, from, to) FIELD(mp_actor, member, MP_OF_ACTOR, from, to)

static const struct mp_exp_field fields[] = {
	{ IN_EXP(rounds, 1, MP_ROUNDS_MAX), .usual = 1,
	  .limits = "MP_ROUNDS_MAX" },
	{ IN_EXP(window_ns, MP_WINDOW_MIN_NS, MP_WINDOW_MAX_NS),
	  .usual = MP_WINDOW_NS,
	  .limits = "MP_WINDOW_MIN_NS, MP_WINDOW_MAX_NS" },
	{ IN_EXP(quiet, 0, WISHES) },
	{ IN_EXP(carveout, 0, UINT32_MAX) },
	{ IN_ARENA(bytes, 1, MP_ARENA_MAX_BYTES), .shown = true,
	  .limits = "MP_ARENA_MAX_BYTES" },
	{ IN_ARENA(pages, 0, MP_PAGES_KINDS - 1), .names = pages_names },
	{ IN_ARENA(node, (uint64_t)MP_NODE_ANY, INT32_MAX), .is_signed = true,
	  .usual = (uint64_t)MP_NODE_ANY },
	{ IN_ACTOR(op, MP_OP_CHASE, MP_OPS - 1), .names = op_names,
	  .shown = true },
	{ IN_ACTOR(place, 0, UINT32_MAX) },
	{ IN_ACTOR(arena, 0, MP_EXP_ARENAS - 1) },
	{ IN_ACTOR(phase, 0, MP_EXP_ACTORS - 1) },
	{ IN_ACTOR(offset, 0, MP_ARENA_MAX_BYTES),
	  .limits = "MP_ARENA_MAX_BYTES" },
	{ IN_ACTOR(length, 0, MP_ARENA_MAX_BYTES),
	  .limits = "MP_ARENA_MAX_BYTES" },
	{ IN_ACTOR(copies, 1, MP_COPIES_MAX), .usual = 1,
	  .limits = "MP_COPIES_MAX" },
	{ IN_ACTOR(together, 0, 1) },
	{ IN_ACTOR(background, 0, 1) },
	{ IN_ACTOR(group, 1, UINT32_MAX), .usual = 1 },
	{ IN_ACTOR(stride, 0, MP_ARENA_MAX_BYTES),
	  .limits = "MP_ARENA_MAX_BYTES" },
	{ IN_ACTOR(reach, 0, MP_ARENA_MAX_BYTES),
	  .limits = "MP_ARENA_MAX_BYTES" },
	{ IN_ACTOR(skew, 0, MP_ARENA_MAX_BYTES),
	  .limits = "MP_ARENA_MAX_BYTES" },
	{ IN_ACTOR(warm_hops, 0, MP_HOPS_MAX), .limits = "MP_HOPS_MAX" },
	{ IN_ACTOR(hops, 1, MP_HOPS_MAX), .usual = MP_HOPS_DEFAULT,
	  .limits = "MP_HOPS_MAX" },
	{ IN_ACTOR(bursts, 1, MP_BURSTS_MAX), .usual = MP_BURSTS_DEFAULT,
	  .limits = "MP_BURSTS_MAX" },
	{ IN_ACTOR(detail, 0, MP_DETAIL_TICKS), .names = detail_names },
	{ IN_ACTOR(access, 0, MP_ACCESS_L2), .names = access_names },
	{ IN_ACTOR(threads, 0, UINT32_MAX) },
	{ IN_ACTOR(pace, 0, UINT64_MAX) },
	{ IN_ACTOR(every, 1, MP_ROUNDS_MAX), .usual = 1,
	  .limits = "MP_ROUNDS_MAX" },
};

_Static_assert(COUNT(fields) <= MP_EXP_FIELDS_MAX, "a bit a field");

static const struct {
	const char *name;
	uint32_t room;
} scopes[MP_OF_SCOPES] = {
	[MP_OF_EXP] = { "", 1 },
	[MP_OF_ARENA] = { "arena", MP_EXP_ARENAS },
	[MP_OF_ACTOR] = { "actor", MP_EXP_ACTORS },
};

static const void *item_base(const struct mp_exp *exp, struct mp_exp_item item)
{
	switch (item.scope) {
	case MP_OF_ARENA:
		return &exp->arena[item.index];
	case MP_OF_ACTOR:
		return &exp->actor[item.index];
	default:
		return exp;
	}
}

static uint32_t scope_used(const struct mp_exp *exp, uint8_t scope)
{
	uint32_t used = 1;

	if (scope == MP_OF_ARENA)
		used = exp->n_arenas;
	else if (scope == MP_OF_ACTOR)
		used = exp->n_actors;
	return used < scopes[scope].room ? used : scopes[scope].room;
}

static int each_of_item(const struct mp_exp *exp, struct mp_exp_item item,
			mp_exp_field_fn *call, void *ctx)
{
	int ret = 0;

	for (size_t i = 0; i < COUNT(fields) && !ret; i++) {
		if (fields[i].scope == item.scope)
			ret = call(exp, item, &fields[i], ctx);
	}
	return ret;
}

static int name_find(const char *const *names, const char *name,
		     uint64_t *value)
{
	for (uint64_t i = 0; names[i]; i++) {
		if (strcmp(names[i], name))
			continue;
		*value = i;
		return 0;
	}
	return -EINVAL;
}

static const char *name_of(const char *const *names, uint64_t value)
{
	for (uint64_t i = 0; names[i]; i++) {
		if (i == value)
			return names[i];
	}
	return NULL;
}

static int set_usual(const struct mp_exp *exp, struct mp_exp_item item,
		     const struct mp_exp_field *field, void *ctx)
{
	(void)exp;
	mp_exp_field_set(ctx, item, field, field->usual);
	return 0;
}

static int field_differs(const struct mp_exp *exp, struct mp_exp_item item,
			 const struct mp_exp_field *field, void *ctx)
{
	const struct mp_exp *other = *(const struct mp_exp *const *)ctx;

	return mp_exp_field_get(exp, item, field) !=
	       mp_exp_field_get(other, item, field);
}

const char *mp_exp_scope_name(uint8_t scope)
{
	return scopes[scope].name;
}

uint32_t mp_exp_scope_room(uint8_t scope)
{
	return scopes[scope].room;
}

const char *mp_exp_item_name(struct mp_exp_item item,
			     char text[MP_EXP_ITEM_TEXT])
{
	if (item.scope == MP_OF_EXP)
		text[0] = '\0';
	else
		snprintf(text, MP_EXP_ITEM_TEXT, "%s%u.",
			 scopes[item.scope].name, item.index);
	return text;
}

const struct mp_exp_field *mp_exp_field_find(uint8_t scope, const char *name)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (fields[i].scope == scope && !strcmp(fields[i].name, name))
			return &fields[i];
	}
	return NULL;
}

uint32_t mp_exp_field_index(const struct mp_exp_field *field)
{
	return (uint32_t)(field - fields);
}

uint64_t mp_exp_field_get(const struct mp_exp *exp, struct mp_exp_item item,
			  const struct mp_exp_field *field)
{
	const char *at = (const char *)item_base(exp, item) + field->offset;
	uint64_t wide;
	uint32_t narrow;

	if (field->width == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return field->is_signed ? (uint64_t)(int32_t)narrow : narrow;
}

void mp_exp_field_set(struct mp_exp *exp, struct mp_exp_item item,
		      const struct mp_exp_field *field, uint64_t value)
{
	char *at = (char *)item_base(exp, item) + field->offset;
	uint32_t narrow = (uint32_t)value;

	if (field->width == sizeof(value))
		memcpy(at, &value, sizeof(value));
	else
		memcpy(at, &narrow, sizeof(narrow));
}

const char *mp_exp_value_name(const struct mp_exp_field *field,
			      uint64_t value)
{
	return field->names ? name_of(field->names, value) : NULL;
}

int mp_exp_value_find(const struct mp_exp_field *field, const char *name,
		      uint64_t *value)
{
	return field->names ? name_find(field->names, name, value) : -EINVAL;
}

int mp_exp_each_field(const struct mp_exp *exp, mp_exp_field_fn *call,
		      void *ctx)
{
	int ret = 0;

	for (uint8_t scope = 0; scope < MP_OF_SCOPES; scope++) {
		uint32_t used = scope_used(exp, scope);

		for (uint32_t i = 0; i < used && !ret; i++)
			ret = each_of_item(exp,
					   (struct mp_exp_item){ scope, i },
					   call, ctx);
	}
	return ret;
}

/* Slots that are not used yet get their defaults too. */
static void set_all_usual(struct mp_exp *exp)
{
	memset(exp, 0, sizeof(*exp));
	exp->n_arenas = MP_EXP_ARENAS;
	exp->n_actors = MP_EXP_ACTORS;
	mp_exp_each_field(exp, set_usual, exp);
	exp->n_arenas = 0;
	exp->n_actors = 0;
}

/* Probes make thousands of them: the table is gone through once. */
void mp_exp_init(struct mp_exp *exp)
{
	static struct mp_exp usual;
	static bool made;

	if (!made)
		set_all_usual(&usual);
	made = true;
	memcpy(exp, &usual, sizeof(*exp));
}

void mp_exp_chase(struct mp_exp *exp, uint32_t place, uint32_t pages,
		  uint64_t length, uint64_t stride, uint64_t reach)
{
	mp_exp_init(exp);
	exp->n_arenas = 1;
	exp->arena[0].bytes = length;
	exp->arena[0].pages = pages;
	exp->n_actors = 1;
	exp->actor[0].op = MP_OP_CHASE;
	exp->actor[0].place = place;
	exp->actor[0].length = length;
	exp->actor[0].stride = stride;
	exp->actor[0].reach = reach;
}

/* Steps that are not used say nothing, and they are most of the bytes. */
static bool same_bytes(const struct mp_exp *a, const struct mp_exp *b)
{
	const uint32_t n = a->n_steps < MP_EXP_STEPS ? a->n_steps :
						       MP_EXP_STEPS;

	return !memcmp(a, b, offsetof(struct mp_exp, steps)) &&
	       !memcmp(a->steps, b->steps, n * sizeof(a->steps[0]));
}

bool mp_exp_equal(const struct mp_exp *a, const struct mp_exp *b)
{
	/* They begin as zeroes: equal ones are nearly always equal bytes, and
	 * most others differ in their memory or their first actor. */
	if (same_bytes(a, b))
		return true;
	if (a->arena[0].bytes != b->arena[0].bytes ||
	    a->actor[0].length != b->actor[0].length ||
	    a->actor[0].stride != b->actor[0].stride)
		return false;
	if (a->n_arenas != b->n_arenas || a->n_actors != b->n_actors ||
	    a->n_steps != b->n_steps)
		return false;
	for (uint32_t i = 0; i < a->n_steps && i < MP_EXP_STEPS; i++) {
		if (a->steps[i] != b->steps[i])
			return false;
	}
	return !mp_exp_each_field(a, field_differs, &b);
}

const char *mp_pages_name(uint32_t pages)
{
	const char *name = name_of(pages_names, pages);

	return name ? name : "unknown";
}

int mp_pages_parse(const char *name, uint32_t *pages)
{
	uint64_t value;

	if (name_find(pages_names, name, &value))
		return -EINVAL;
	*pages = (uint32_t)value;
	return 0;
}

bool mp_actor_acts(const struct mp_actor *actor, uint32_t round)
{
	return actor->every <= 1 || (round + 1) % actor->every == 0;
}

const struct mp_actor *mp_exp_sequence(const struct mp_exp *exp)
{
	const struct mp_actor *found = NULL;

	for (uint32_t i = 0; i < exp->n_actors; i++) {
		if (exp->actor[i].op != MP_OP_SEQUENCE)
			continue;
		if (found)
			return NULL;
		found = &exp->actor[i];
	}
	return found;
}

const char *mp_op_name(uint32_t op)
{
	const char *name = name_of(op_names, op);

	return name ? name : "unknown";
}
