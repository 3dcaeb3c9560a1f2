/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of one actor, laid into its arena. */
#ifndef MP_USER_RING_H
#define MP_USER_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "user_chase.h"
#include "user_mem.h"

/** mp_user_ring_same() - are two actors' rings one? */
bool mp_user_ring_same(const struct mp_actor *a, const struct mp_actor *b);

/** mp_user_ring_overlap() - does the span of one lie over that of the other? */
bool mp_user_ring_overlap(const struct mp_actor *a, const struct mp_actor *b);

/**
 * mp_user_ring_words() - rings over the same lines, each with links of its own
 * @exp: what all actors are to do
 * @word: of each actor gets which word of a slot's line holds its links; rings that are
 *	one have the same
 *
 * No word lies beyond the shortest line, 32 bytes, that a slot begins.
 *
 * Return: the actors; or the first of them for whom there is no word.
 */
uint32_t mp_user_ring_words(const struct mp_exp *exp, uint32_t word[MP_EXP_ACTORS]);

/**
 * mp_user_ring_link() - write the links; the walk begins at the first slot
 * @walk: its actor says what ring; gets slots and cursor
 * @arena: where it lies
 * @seed: of the order
 * @words: scratch
 * Return: 0, -EINVAL (a span beyond the arena), or -ENOMEM.
 */
int mp_user_ring_link(struct mp_user_walk *walk,
		      const struct mp_user_arena *arena, uint64_t seed,
		      struct mp_user_words *words);

#endif
