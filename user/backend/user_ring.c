// SPDX-License-Identifier: GPL-2.0
/* The ring of one actor: its order drawn by seed, its links written. */
#include "user_ring.h"

#include <errno.h>

#include "gcd.h"
#include "ring.h"

/* The shortest line: slots that are so many bytes apart share none. */
#define LINE 32u
#define WORD sizeof(void *)

bool mp_user_ring_same(const struct mp_actor *a, const struct mp_actor *b)
{
	return a->arena == b->arena && a->offset == b->offset &&
	       a->length == b->length && a->stride == b->stride &&
	       a->reach == b->reach && a->skew == b->skew;
}

bool mp_user_ring_overlap(const struct mp_actor *a, const struct mp_actor *b)
{
	return a->arena == b->arena && a->offset < b->offset + b->length &&
	       b->offset < a->offset + a->length;
}

/* All links of a ring lie a multiple of so much behind where it begins. A skew that
 * does not come to its end is but a longer stride. */
static uint64_t step_of(const struct mp_actor *actor)
{
	const uint64_t slots = actor->length / actor->stride;

	/* Else it wraps at the span, of which the stride is a multiple. */
	return actor->skew && slots * actor->skew > MP_RING_SKEW_SPAN ?
	       mp_gcd(actor->skew, MP_RING_SKEW_SPAN) :
	       actor->stride + actor->skew;
}

/* Links of the two meet only if a multiple of both their steps lies between. */
static bool may_meet(const struct mp_actor *a, uint32_t a_word,
		     const struct mp_actor *b, uint32_t b_word)
{
	const uint64_t step = mp_gcd(step_of(a), step_of(b));

	return mp_user_ring_overlap(a, b) &&
	       (a->offset + a_word * WORD) % step ==
	       (b->offset + b_word * WORD) % step;
}

/* Does each slot have that word in the line that it begins? */
static bool has_word(const struct mp_actor *actor, uint32_t word)
{
	return !word || (actor->stride % LINE == 0 && actor->skew % LINE == 0 &&
			 actor->offset % LINE + (word + 1) * WORD <= LINE);
}

static bool is_free(const struct mp_exp *exp, uint32_t i, uint32_t word,
		    const uint32_t *taken)
{
	for (uint32_t k = 0; k < i; k++)
		if (exp->actor[k].op == MP_OP_CHASE &&
		    may_meet(&exp->actor[i], word, &exp->actor[k], taken[k]))
			return false;
	return true;
}

/* The ring's, if there was one; else the first that is free. */
static bool find_word(const struct mp_exp *exp, uint32_t i, uint32_t *word)
{
	for (uint32_t k = 0; k < i; k++) {
		if (!mp_user_ring_same(&exp->actor[k], &exp->actor[i]))
			continue;
		word[i] = word[k];
		return true;
	}
	for (word[i] = 0; has_word(&exp->actor[i], word[i]); word[i]++)
		if (is_free(exp, i, word[i], word))
			return true;
	return false;
}

uint32_t mp_user_ring_words(const struct mp_exp *exp, uint32_t word[MP_EXP_ACTORS])
{
	uint32_t i = 0;

	for (; i < exp->n_actors; i++) {
		word[i] = 0;
		if (exp->actor[i].op == MP_OP_CHASE && !find_word(exp, i, word))
			break;
	}
	return i;
}

int mp_user_ring_link(struct mp_user_walk *walk,
		      const struct mp_user_arena *arena, uint64_t seed,
		      struct mp_user_words *words)
{
	const struct mp_actor *actor = walk->actor;
	const struct mp_ring ring = {
		.length_bytes = actor->length,
		.stride_bytes = actor->stride,
		.reach_bytes = actor->reach,
		.skew_bytes = actor->skew,
	};
	struct mp_rng rng;
	uint32_t *order;
	int err;

	if (actor->offset + actor->length > arena->bytes)
		return -EINVAL;
	err = mp_ring_check(&ring);
	if (err)
		return err;
	walk->slots = mp_ring_slots(&ring);
	order = mp_user_words_get(words, walk->slots);
	if (!order)
		return -ENOMEM;
	mp_rng_seed(&rng, seed);
	walk->cursor = mp_ring_link(&ring, arena->base + actor->offset +
					   walk->word * WORD, order, &rng);
	return 0;
}
