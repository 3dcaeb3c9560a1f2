/* SPDX-License-Identifier: GPL-2.0 */
/* Batches made up for tests: no machine has measured them. */
#ifndef MADE_BATCH_H
#define MADE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"

/** made_exp() - a chase over so many bytes, small pages */
void made_exp(struct mp_exp *exp, uint64_t bytes);

/**
 * made_batch() - fill an initialised batch as a user-space backend would
 * @batch: from mp_batch_init()
 * @samples: bursts
 * @disturbed: of these, so many carry a flag
 * @distinct: distinct values of each burst's exact histogram; 0 = no payload
 *
 * Noise comes from the batch's own id and number: the same batch each time.
 */
void made_batch(struct mp_batch *batch, uint32_t samples, uint32_t disturbed,
		uint32_t distinct);

/** made_batch_equal() - every field, sample and word the same? */
bool made_batch_equal(const struct mp_batch *a, const struct mp_batch *b);

#endif
