// SPDX-License-Identifier: GPL-2.0
/*
 * Is an experiment well formed? Each field against its range in the field
 * table, then the rules that join fields: spans in arenas, rings, steps.
 */
#include "exp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exp_field.h"
#include "limits.h"
#include "ring.h"
#include "why.h"

#define STEP_KINDS 3u

struct reason {
	char *why;
	size_t room;
};

static int check_signed(int64_t value, const struct mp_exp_field *field,
			const char *prefix, const struct reason *reason)
{
	int64_t high = (int64_t)field->high;
	int64_t low = (int64_t)field->low;

	if (value >= low && value <= high)
		return 0;
	return mp_why(reason->why, reason->room, -EINVAL,
		      "%s%s %lld: %lld .. %lld allowed", prefix, field->name,
		      (long long)value, (long long)low, (long long)high);
}

static int check_named(uint64_t value, const struct mp_exp_field *field,
		       const char *prefix, const struct reason *reason)
{
	const char *name = mp_exp_value_name(field, value);
	char allowed[160] = "";

	if (value >= field->low && value <= field->high)
		return 0;
	for (uint64_t i = field->low; i <= field->high; i++) {
		size_t used = strlen(allowed);

		snprintf(allowed + used, sizeof(allowed) - used, "%s%s",
			 used ? ", " : "", mp_exp_value_name(field, i));
	}
	if (name)
		return mp_why(reason->why, reason->room, -EINVAL,
			      "%s%s %s: %s allowed", prefix, field->name, name,
			      allowed);
	return mp_why(reason->why, reason->room, -EINVAL,
		      "%s%s %llu: %s allowed", prefix, field->name,
		      (unsigned long long)value, allowed);
}

static int check_range(const struct mp_exp *exp, struct mp_exp_item item,
		       const struct mp_exp_field *field, void *ctx)
{
	uint64_t value = mp_exp_field_get(exp, item, field);
	const struct reason *reason = ctx;
	char prefix[MP_EXP_ITEM_TEXT];

	mp_exp_item_name(item, prefix);
	if (field->is_signed)
		return check_signed((int64_t)value, field, prefix, reason);
	if (field->names)
		return check_named(value, field, prefix, reason);
	if (value >= field->low && value <= field->high)
		return 0;
	return mp_why(reason->why, reason->room, -EINVAL,
		      "%s%s %llu: %llu .. %llu allowed%s%s%s", prefix,
		      field->name, (unsigned long long)value,
		      (unsigned long long)field->low,
		      (unsigned long long)field->high,
		      field->limits ? " (limits.h: " : "",
		      field->limits ? field->limits : "",
		      field->limits ? ")" : "");
}

static int check_ring(const struct mp_actor *actor, uint32_t i, char *why,
		      size_t room)
{
	struct mp_ring ring = {
		.length_bytes = actor->length,
		.stride_bytes = actor->stride,
		.reach_bytes = actor->reach,
		.skew_bytes = actor->skew,
	};
	int err = mp_ring_check(&ring);

	if (!err)
		return 0;
	if (err == -E2BIG)
		return mp_why(why, room, -EINVAL,
			      "actor%u.length %llu, stride %llu: more than %u "
			      "slots (ring.h: MP_RING_SLOTS_MAX)",
			      i, (unsigned long long)actor->length,
			      (unsigned long long)actor->stride,
			      MP_RING_SLOTS_MAX);
	return mp_why(why, room, -EINVAL,
		      "actor%u.stride %llu, length %llu, reach %llu, skew "
		      "%llu: a stride is a multiple of 8 from 8 to the length; "
		      "a reach is 0 or at least the stride; a skew is a "
		      "multiple of 8, and the stride then one of %u",
		      i, (unsigned long long)actor->stride,
		      (unsigned long long)actor->length,
		      (unsigned long long)actor->reach,
		      (unsigned long long)actor->skew, MP_RING_SKEW_SPAN);
}

/* Does the actor's span, with all its copies, lie in its arena? */
static int check_span(const struct mp_exp *exp, uint32_t i, char *why,
		      size_t room)
{
	const struct mp_actor *actor = &exp->actor[i];
	uint64_t bytes;

	if (actor->arena >= exp->n_arenas)
		return mp_why(why, room, -EINVAL,
			      "actor%u.arena %u: there %s %u arena%s",
			      i, actor->arena,
			      exp->n_arenas == 1 ? "is" : "are", exp->n_arenas,
			      exp->n_arenas == 1 ? "" : "s");
	bytes = exp->arena[actor->arena].bytes;
	if (actor->offset % 8)
		return mp_why(why, room, -EINVAL,
			      "actor%u.offset %llu: a multiple of 8 is wanted",
			      i, (unsigned long long)actor->offset);
	if (!actor->length)
		return mp_why(why, room, -EINVAL,
			      "actor%u.length 0: 1 .. %llu allowed, the bytes "
			      "of arena%u",
			      i, (unsigned long long)bytes, actor->arena);
	/* No overflow: the ranges are checked, 2^40 * 2^12 + 2^40. */
	if (actor->offset + actor->length * actor->copies > bytes)
		return mp_why(why, room, -EINVAL,
			      "actor%u.length %llu: with offset %llu and "
			      "copies %u it ends beyond the %llu bytes of "
			      "arena%u",
			      i, (unsigned long long)actor->length,
			      (unsigned long long)actor->offset, actor->copies,
			      (unsigned long long)bytes, actor->arena);
	return 0;
}

static int check_steps(const struct mp_exp *exp, uint32_t i, char *why,
		       size_t room)
{
	const struct mp_actor *actor = &exp->actor[i];
	uint64_t slots = actor->length / actor->stride;

	if (!exp->n_steps)
		return mp_why(why, room, -EINVAL,
			      "steps: actor%u is a sequence, 1 .. %d are wanted",
			      i, MP_EXP_STEPS);
	for (uint32_t s = 0; s < exp->n_steps; s++) {
		if (exp->steps[s] % 4 < STEP_KINDS && exp->steps[s] / 4 < slots)
			continue;
		return mp_why(why, room, -EINVAL,
			      "steps[%u] %u: slot * 4 + kind, slots 0 .. %llu "
			      "of actor%u, kinds 0 .. %u allowed",
			      s, exp->steps[s], (unsigned long long)slots - 1,
			      i, STEP_KINDS - 1);
	}
	return 0;
}

/* Groups of hops, and whether what is kept of them can be kept. */
static int check_detail(const struct mp_exp *exp, uint32_t i, char *why,
			size_t room)
{
	const struct mp_actor *actor = &exp->actor[i];
	uint64_t windows =
		(uint64_t)exp->rounds * actor->bursts * actor->copies;
	uint64_t words;

	if (actor->detail == MP_DETAIL_TOTALS)
		return 0;
	if (actor->group > actor->hops)
		return mp_why(why, room, -EINVAL,
			      "actor%u.group %u: 1 .. %llu allowed, the hops "
			      "of a burst",
			      i, actor->group, (unsigned long long)actor->hops);
	if (actor->detail != MP_DETAIL_TICKS)
		return 0;
	words = actor->hops / actor->group;
	if (words > MP_BATCH_WORDS_MAX || windows * words > MP_BATCH_WORDS_MAX)
		return mp_why(why, room, -EINVAL,
			      "actor%u.detail ticks: %llu bursts of %llu "
			      "words, %u words allowed in all (limits.h: "
			      "MP_BATCH_WORDS_MAX)",
			      i, (unsigned long long)windows,
			      (unsigned long long)words, MP_BATCH_WORDS_MAX);
	return 0;
}

static int check_actor(const struct mp_exp *exp, uint32_t i, char *why,
		       size_t room)
{
	const struct mp_actor *actor = &exp->actor[i];
	int err;

	if (actor->op != MP_OP_GAP && actor->op != MP_OP_CODE) {
		err = check_span(exp, i, why, room);
		if (err)
			return err;
	}
	if (actor->op == MP_OP_CHASE || actor->op == MP_OP_SEQUENCE) {
		err = check_ring(actor, i, why, room);
		if (err)
			return err;
	}
	if (actor->op == MP_OP_SEQUENCE) {
		err = check_steps(exp, i, why, room);
		if (err)
			return err;
	}
	return check_detail(exp, i, why, room);
}

/* Who takes part in no round does nothing. */
static int check_every(const struct mp_exp *exp, uint32_t i, char *why,
		       size_t room)
{
	if (exp->actor[i].every <= exp->rounds)
		return 0;
	return mp_why(why, room, -EINVAL,
		      "actor%u.every %u: 1 .. %u allowed, the rounds", i,
		      exp->actor[i].every, exp->rounds);
}

/* A background actor runs until the others of its phase end. */
static int check_background(const struct mp_exp *exp, uint32_t i, char *why,
			    size_t room)
{
	if (!exp->actor[i].background)
		return 0;
	for (uint32_t k = 0; k < exp->n_actors; k++) {
		if (exp->actor[k].phase == exp->actor[i].phase &&
		    !exp->actor[k].background &&
		    exp->actor[i].every % exp->actor[k].every == 0)
			return 0;
	}
	return mp_why(why, room, -EINVAL,
		      "actor%u.background 1: nobody in phase %u would ever end "
		      "it",
		      i, exp->actor[i].phase);
}

static int check_counts(const struct mp_exp *exp, char *why, size_t room)
{
	if (exp->n_arenas > MP_EXP_ARENAS)
		return mp_why(why, room, -EINVAL, "arenas %u: 0 .. %d allowed",
			      exp->n_arenas, MP_EXP_ARENAS);
	if (!exp->n_actors || exp->n_actors > MP_EXP_ACTORS)
		return mp_why(why, room, -EINVAL, "actors %u: 1 .. %d allowed",
			      exp->n_actors, MP_EXP_ACTORS);
	if (exp->n_steps > MP_EXP_STEPS)
		return mp_why(why, room, -EINVAL, "steps %u: 0 .. %d allowed",
			      exp->n_steps, MP_EXP_STEPS);
	return 0;
}

static int check_samples(const struct mp_exp *exp, char *why, size_t room)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < exp->n_actors; i++)
		samples += (uint64_t)exp->rounds * exp->actor[i].bursts *
			   exp->actor[i].copies;
	if (samples <= MP_BATCH_SAMPLES_MAX)
		return 0;
	return mp_why(why, room, -EINVAL,
		      "rounds %u: with all bursts and copies %llu samples, %u "
		      "allowed (limits.h: MP_BATCH_SAMPLES_MAX)",
		      exp->rounds, (unsigned long long)samples,
		      MP_BATCH_SAMPLES_MAX);
}

int mp_exp_check(const struct mp_exp *exp, char *why, size_t room)
{
	struct reason reason = { why, room };
	int err;

	err = check_counts(exp, why, room);
	if (!err)
		err = mp_exp_each_field(exp, check_range, &reason);
	for (uint32_t i = 0; !err && i < exp->n_actors; i++) {
		err = check_actor(exp, i, why, room);
		if (!err)
			err = check_background(exp, i, why, room);
		if (!err)
			err = check_every(exp, i, why, room);
	}
	return err ? err : check_samples(exp, why, room);
}
