/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A view of batches that are made one by one, by a clock too coarse for single
 * hops: what a probe makes of mean times.
 */
#ifndef MADE_MEANS_H
#define MADE_MEANS_H

#include "fact.h"
#include "probe.h"

#define MADE_MEANS_BATCHES 32u

/**
 * struct made_means - the view, and what it shows
 * @view: CPU 1, huge pages; no facts are known
 * @facts, @batch, @list: of the view
 */
struct made_means {
	struct mp_view view;
	struct mp_facts facts;
	struct mp_batch batch[MADE_MEANS_BATCHES];
	const struct mp_batch *list[MADE_MEANS_BATCHES];
};

/** made_means_open() - without a batch; made_means_close() it */
void made_means_open(struct made_means *made, uint64_t arena_max_bytes);
void made_means_close(struct made_means *made);

/** made_means_add() - one replicate, of so many cycles a hop; one cycle is one
 * tick and one nanosecond, and the ring lies in one piece of memory */
void made_means_add(struct made_means *made, const struct mp_exp *exp,
		    uint32_t replicate, double cycles);

#endif
