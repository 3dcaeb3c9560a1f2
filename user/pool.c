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

static struct mp_pooled *add(struct mp_pool *pool, const struct mp_exp *exp,
			     uint64_t id)
{
	uint32_t room = pool->room ? pool->room * 2 : ROOM_FIRST;
	struct mp_pooled *list;

	if (pool->n == pool->room) {
		list = reallocarray(pool->pooled, room, sizeof(*list));
		if (!list)
			return NULL;
		pool->pooled = list;
		pool->room = room;
	}
	list = &pool->pooled[pool->n++];
	memset(list, 0, sizeof(*list));
	list->exp = *exp;
	list->id = id;
	return list;
}

struct mp_pooled *mp_pool_find(const struct mp_pool *pool,
			       const struct mp_exp *exp, uint64_t id)
{
	for (uint32_t i = 0; i < pool->n; i++) {
		if (pool->pooled[i].id == id &&
		    mp_exp_equal(&pool->pooled[i].exp, exp))
			return &pool->pooled[i];
	}
	return NULL;
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
	memset(pool, 0, sizeof(*pool));
}
