// SPDX-License-Identifier: GPL-2.0
/* The ring of one actor: its order drawn by seed, its links written. */
#include "user_ring.h"

#include <errno.h>

#include "ring.h"

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
	walk->cursor = mp_ring_link(&ring, arena->base + actor->offset, order,
				    &rng);
	return 0;
}
