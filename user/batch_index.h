/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The batches of a run by experiment: probes ask for those of one over and
 * over, of thousands that there are.
 */
#ifndef MP_BATCH_INDEX_H
#define MP_BATCH_INDEX_H

#include <stdint.h>

#include "batch.h"

/**
 * struct mp_batch_list - the batches of one experiment, in order of arrival
 * @id: of the experiment
 * @stamp: another number each time that one is added, of all lists there are
 *	and have been: what was said of a list with this number still holds
 * @n, @room, @batch: the batches, which others own
 */
struct mp_batch_list {
	uint64_t id;
	uint64_t stamp;
	uint32_t n;
	uint32_t room;
	const struct mp_batch **batch;
};

/**
 * struct mp_batch_index - all of them; all zero is none
 * @n, @room, @list: experiments, in order of arrival
 * @places, @place: where they are, by id: a power of two of numbers from 1;
 *	0 = none
 */
struct mp_batch_index {
	uint32_t n;
	uint32_t room;
	struct mp_batch_list *list;
	uint32_t places;
	uint32_t *place;
};

/**
 * mp_batch_index_add() - a batch has arrived
 * @batch: lives as long as the index does
 * Return: 0, -ENOMEM, or -EEXIST where another experiment has the same id.
 * After either the index is of no use.
 */
int mp_batch_index_add(struct mp_batch_index *index,
		       const struct mp_batch *batch);

/** mp_batch_index_find() - those of an experiment, NULL = there are none */
const struct mp_batch_list *
mp_batch_index_find(const struct mp_batch_index *index, uint64_t id);

void mp_batch_index_free(struct mp_batch_index *index);

#endif
