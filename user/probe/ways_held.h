/* SPDX-License-Identifier: GPL-2.0 */
/* How many lines a guess of ways and sets says that levels hold. */
#ifndef MP_WAYS_HELD_H
#define MP_WAYS_HELD_H

#include "probe/ways_sets.h"

uint64_t mp_ways_gcd(uint64_t a, uint64_t b);

/** mp_ways_sets_of() - sets that lines at a stride fall on */
uint64_t mp_ways_sets_of(const struct mp_ways_guess *guess, uint64_t stride);

/** mp_ways_in_row() - do the lines of a test lie in one piece of memory? Of
 * small pages that is taken for granted */
bool mp_ways_in_row(const struct mp_ways_sets *sets,
		    const struct mp_ways_test *test);

/** mp_ways_is_apart() - if a guess is right, do the others of a flushed test
 * keep off the sets of its lines? */
bool mp_ways_is_apart(const struct mp_ways_guess *guess,
		      const struct mp_ways_test *test);

/** mp_ways_by_test() - most lines of a test that fit, by one guess
 * @inside: what the levels inside hold of them */
struct mp_ways_range mp_ways_by_test(const struct mp_ways_guess *guess,
				     const struct mp_ways_test *test,
				     const struct mp_ways_range *inside);

/**
 * mp_ways_inside_at() - lines at a stride that the levels inside hold
 * @flushed: others put them out of those
 * @in_row: they lie in one piece of memory; else pieces begin anywhere in the
 *	sets of a level whose span they are no multiple of
 */
struct mp_ways_range mp_ways_inside_at(const struct mp_ways_sets *sets,
				       uint64_t stride, bool flushed,
				       bool in_row);

/** mp_ways_inside() - the same of the lines of a test */
struct mp_ways_range mp_ways_inside(const struct mp_ways_sets *sets,
				    const struct mp_ways_test *test);

/** mp_ways_with() - most lines that fit where those inside hold so many */
struct mp_ways_range mp_ways_with(const struct mp_ways_guess *guess,
				  uint64_t stride,
				  const struct mp_ways_range *inside);

#endif
