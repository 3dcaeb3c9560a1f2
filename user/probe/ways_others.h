/* SPDX-License-Identifier: GPL-2.0 */
/* Where lines lie that put others out of the levels inside. */
#ifndef MP_WAYS_OTHERS_H
#define MP_WAYS_OTHERS_H

#include "probe/ways_sets.h"

/** mp_ways_stride() - the least multiple of a span that is a stride */
uint64_t mp_ways_stride(const struct mp_ways_sets *sets, uint64_t span);

/** mp_ways_most_beside() - lines at a stride that so many pages leave room for
 * beside @n others @unit bytes apart */
uint64_t mp_ways_most_beside(uint64_t pages, uint64_t n, uint64_t unit,
			     uint64_t stride);

/** mp_ways_unit() - all lines so far apart share a set of the level inside; 0 =
 * unknown */
uint64_t mp_ways_unit(const struct mp_ways_sets *sets);

/** MP_WAYS_FLUSHERS - lines that others are put out with, at most */
#define MP_WAYS_FLUSHERS 400u
/** MP_WAYS_FLUSH_MOST, MP_WAYS_FLUSH_LEAST - so many times what the levels
 * inside hold puts all else out of them; whether it did is seen, too */
#define MP_WAYS_FLUSH_MOST 4u
#define MP_WAYS_FLUSH_LEAST 2u

/**
 * mp_ways_flushers() - slots that share a set with those of a flushed test in
 * the level inside, but in this one, whichever guess is right, do not
 * @times: so many times what the levels inside hold of them
 * @unit: gets the bytes from slot to slot; test lines lie @test->stride apart
 * @slot: gets the slots
 * Return: how many; 0 = there are not enough of them.
 */
uint32_t mp_ways_flushers(const struct mp_ways_sets *sets,
			  const struct mp_ways_test *test, uint32_t times,
			  uint64_t *unit, uint32_t slot[MP_WAYS_FLUSHERS]);

#endif
