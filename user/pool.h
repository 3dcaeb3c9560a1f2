/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The experiments of a run, pooled: equal ones are one, whoever asks. Keeps
 * count of replicates and of repeats, and says when enough is enough.
 */
#ifndef MP_POOL_H
#define MP_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "probe.h"

/**
 * struct mp_pooled - an experiment that some probe wanted
 * @exp: the experiment
 * @id: its id
 * @tries: batches so far, and so the number of the next replicate
 * @counted: of these, how many count
 * @misses: tries in a row that did not count
 * @given_up: replicates that @owner wanted and will not get
 * @owner: the probe that wanted it last; another one starts to hope anew
 * @refused: it cannot be had, now or later
 */
struct mp_pooled {
	struct mp_exp exp;
	uint64_t id;
	uint32_t tries;
	uint32_t counted;
	uint32_t misses;
	uint32_t given_up;
	const struct mp_probe *owner;
	bool refused;
};

/**
 * struct mp_pool - all of a run
 * @n, @room, @pooled: experiments
 * @place: where they are, by id: twice @room numbers from 1; 0 = none
 */
struct mp_pool {
	uint32_t n;
	uint32_t room;
	struct mp_pooled *pooled;
	uint32_t *place;
};

/** mp_pool_find() - by experiment; NULL when nobody wanted it yet */
struct mp_pooled *mp_pool_find(const struct mp_pool *pool,
			       const struct mp_exp *exp, uint64_t id);

/**
 * mp_pool_want() - a probe wants an experiment
 * @pool: the pool
 * @exp: the experiment
 * @owner: the probe
 * Return: the pooled experiment (valid until the next call that adds one),
 * NULL when out of memory.
 */
struct mp_pooled *mp_pool_want(struct mp_pool *pool, const struct mp_exp *exp,
			       const struct mp_probe *owner);

/** mp_pooled_enough() - is there nothing more to try for so many replicates? */
bool mp_pooled_enough(const struct mp_pooled *pooled, uint32_t replicates);

/** mp_pooled_note() - what came of a try
 * Return: true when that was the last repeat and the replicate is given up. */
bool mp_pooled_note(struct mp_pooled *pooled, const struct mp_batch *batch);

void mp_pool_free(struct mp_pool *pool);

#endif
