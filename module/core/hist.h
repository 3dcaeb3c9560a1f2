/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_HIST_H
#define MP_HIST_H

#include "core.h"

/**
 * struct mp_hist - sparse, exact histogram of ticks in caller's memory
 * @key: distinct values, kept sorted
 * @count: how often each was seen
 * @n: distinct values so far
 * @room: distinct values that fit
 * @lost: values that were not counted for want of room
 */
struct mp_hist {
	uint64_t *key;
	uint64_t *count;
	uint32_t n;
	uint32_t room;
	uint64_t lost;
};

/** mp_hist_add() - count one value; -ENOSPC (and lost + 1) when full */
int mp_hist_add(struct mp_hist *hist, uint64_t ticks);

/**
 * Log-linear buckets, for gaps: MP_HIST_SUB buckets an octave.
 *
 * Values below MP_HIST_SUB have a bucket each; above, a bucket's width is
 * at most 1/MP_HIST_SUB of its lower bound, so a value is known to better
 * than 1/MP_HIST_SUB (3.2 %) from its bucket's lower bound, and to half of
 * that from its middle.
 */
#define MP_HIST_SUB_BITS 5u
#define MP_HIST_SUB (1u << MP_HIST_SUB_BITS)
#define MP_HIST_BUCKETS ((64u - MP_HIST_SUB_BITS + 1u) * MP_HIST_SUB)

/** mp_hist_bucket() - bucket of a value, 0 .. MP_HIST_BUCKETS - 1 */
uint32_t mp_hist_bucket(uint64_t value);
/** mp_hist_low() - the least value of a bucket; 2^64 - 1 beyond the last */
uint64_t mp_hist_low(uint32_t bucket);
/** mp_hist_high() - the greatest value of a bucket; 2^64 - 1 beyond the last */
uint64_t mp_hist_high(uint32_t bucket);

#endif
