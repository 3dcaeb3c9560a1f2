// SPDX-License-Identifier: GPL-2.0
/*
 * The pool of experiments and the rule of repeats: what does not count is
 * tried again under a new number, MP_REPEATS_MAX times a wanted replicate;
 * what cannot be had is not.
 */
#include "pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"

#define ROOM_FIRST 256u

/* Could another try of the same fare better? */
static bool is_passing(const struct mp_batch *batch)
{
	return !batch->error || batch->error == -EAGAIN ||
	       batch->error == -EINTR;
}

/* Where an experiment is, or would be: no more than half of the places are
 * taken. */
static uint32_t place_of(const struct mp_pool *pool, const struct mp_exp *exp,
			 uint64_t id)
{
	const uint32_t last = 2 * pool->room - 1;
	uint32_t at = (uint32_t)id & last;

	for (; pool->place[at]; at = (at + 1) & last) {
		const struct mp_pooled *pooled =
			&pool->pooled[pool->place[at] - 1];

		if (pooled->id == id && mp_exp_equal(&pooled->exp, exp))
			break;
	}
	return at;
}

static int grow(struct mp_pool *pool)
{
	const uint32_t room = pool->room ? pool->room * 2 : ROOM_FIRST;
	struct mp_pooled *list;
	uint32_t *place;

	list = reallocarray(pool->pooled, room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	pool->pooled = list;
	place = calloc(2 * (size_t)room, sizeof(*place));
	if (!place)
		return -ENOMEM;
	free(pool->place);
	pool->place = place;
	pool->room = room;
	for (uint32_t i = 0; i < pool->n; i++)
		place[place_of(pool, &list[i].exp, list[i].id)] = i + 1;
	return 0;
}

static struct mp_pooled *add(struct mp_pool *pool, const struct mp_exp *exp,
			     uint64_t id)
{
	struct mp_pooled *pooled;
	uint32_t at;

	if (pool->n == pool->room && grow(pool))
		return NULL;
	at = place_of(pool, exp, id);
	pooled = &pool->pooled[pool->n++];
	memset(pooled, 0, sizeof(*pooled));
	pooled->exp = *exp;
	pooled->id = id;
	pool->place[at] = pool->n;
	return pooled;
}

struct mp_pooled *mp_pool_find(const struct mp_pool *pool,
			       const struct mp_exp *exp, uint64_t id)
{
	const uint32_t at = pool->n ? pool->place[place_of(pool, exp, id)] : 0;

	return at ? &pool->pooled[at - 1] : NULL;
}

struct mp_pooled *mp_pool_want(struct mp_pool *pool, const struct mp_exp *exp,
			       const struct mp_probe *owner)
{
	uint64_t id = mp_exp_id(exp);
	struct mp_pooled *pooled = mp_pool_find(pool, exp, id);

	if (!pooled)
		pooled = add(pool, exp, id);
	if (pooled && pooled->owner != owner) {
		pooled->owner = owner;
		pooled->given_up = 0;
		pooled->misses = 0;
	}
	return pooled;
}

bool mp_pooled_enough(const struct mp_pooled *pooled, uint32_t replicates)
{
	return pooled->refused ||
	       pooled->counted + pooled->given_up >= replicates;
}

bool mp_pooled_note(struct mp_pooled *pooled, const struct mp_batch *batch)
{
	pooled->tries++;
	if (mp_batch_counts(batch)) {
		pooled->counted++;
		pooled->misses = 0;
		return false;
	}
	if (!is_passing(batch)) {
		pooled->refused = true;
		return false;
	}
	if (++pooled->misses <= MP_REPEATS_MAX)
		return false;
	pooled->given_up++;
	pooled->misses = 0;
	return true;
}

void mp_pool_free(struct mp_pool *pool)
{
	free(pool->pooled);
	free(pool->place);
	memset(pool, 0, sizeof(*pool));
}
