/* SPDX-License-Identifier: GPL-2.0 */
/* Tests of a level's ways by lines that others put out of the levels inside. */
#ifndef MP_WAYS_FLUSH_H
#define MP_WAYS_FLUSH_H

#include "probe/ways_test.h"

/** mp_ways_sequence() - begin a sequence over slots of @unit bytes; @detail: what is
 * kept of its hops, each by itself */
void mp_ways_sequence(const struct mp_ways_rig *rig, uint64_t unit,
		      uint32_t detail, uint32_t bursts, struct mp_exp *exp);

/** mp_ways_step() - add a step of a sequence, of the slot that byte @at is in; its
 * arena grows with it */
void mp_ways_step(uint64_t at, uint32_t what, struct mp_exp *exp);

/**
 * mp_ways_flush_exp() - the sequence of a flushed test
 * @control: .. or its pages alone, a line of each in the innermost level
 * Return: false where there is none.
 */
bool mp_ways_flush_exp(const struct mp_ways_rig *rig,
		       const struct mp_ways_test *test, bool control,
		       struct mp_exp *exp);

/** mp_ways_flush_look() - what came of it, MP_WAYS_LACKING where batches are */
enum mp_ways_outcome mp_ways_flush_look(struct mp_ways_rig *rig,
					const struct mp_ways_test *test,
					uint32_t replicates);

#endif
