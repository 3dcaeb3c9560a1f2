/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of one actor, laid into its arena. */
#ifndef MP_USER_RING_H
#define MP_USER_RING_H

#include <stdint.h>

#include "user_chase.h"
#include "user_mem.h"

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
