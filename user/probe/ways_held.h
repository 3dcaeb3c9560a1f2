/* SPDX-License-Identifier: GPL-2.0 */
/* How many lines a guess of ways and sets says that levels hold. */
#ifndef MP_WAYS_HELD_H
#define MP_WAYS_HELD_H

#include "gcd.h"
#include "probe/ways_sets.h"

uint64_t mp_ways_lcm(uint64_t a, uint64_t b);

/** mp_ways_is_multiple() - are @bytes, known to @error, a multiple of a span that
 * is known to @grain? */
bool mp_ways_is_multiple(uint64_t bytes, uint64_t error, uint64_t span,
			 uint64_t grain);

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

/** mp_ways_likely() - .. that a level and those inside it hold most likely, in
 * one piece of memory, where it is not known: good for planning */
struct mp_ways_range mp_ways_likely(const struct mp_ways_sets *sets,
				    uint64_t stride);

/** mp_ways_with() - most lines that fit where those inside hold so many */
struct mp_ways_range mp_ways_with(const struct mp_ways_guess *guess,
				  uint64_t stride,
				  const struct mp_ways_range *inside);

/** mp_ways_handed() - lines at a stride that a level may hand to an exclusive one
 * outside it, at most: its own, and if it is exclusive, too, what it is handed
 * itself */
uint64_t mp_ways_handed(const struct mp_ways_sets *sets, uint64_t stride,
			bool in_row);

/**
 * mp_ways_here() - most lines at a stride that may all be served by the level
 * @in_row: they lie in one piece of memory
 *
 * Each has to be there when its turn comes. What an exclusive level lacks until
 * then it is handed by the one inside it; no other gets back what it has lost.
 */
uint64_t mp_ways_here(const struct mp_ways_sets *sets,
		      const struct mp_ways_guess *guess, uint64_t stride,
		      bool in_row);

/** MP_WAYS_MEETS - distances that are remembered; of more, any will do */
#define MP_WAYS_MEETS 64u

/**
 * struct mp_ways_meets - where a line may meet those of a flushed test
 * @n, @every: at multiples of any of these, in bytes; none of them is a
 *	multiple of another
 */
struct mp_ways_meets {
	uint32_t n;
	uint64_t every[MP_WAYS_MEETS];
};

/** mp_ways_meets() - where a line may fall on a set that the lines of a flushed
 * test fall on, whichever of the guesses is right that it speaks of */
void mp_ways_meets(const struct mp_ways_sets *sets,
		   const struct mp_ways_test *test,
		   struct mp_ways_meets *meets);

/** mp_ways_may_meet() - is @at, in bytes, such a place? */
bool mp_ways_may_meet(const struct mp_ways_meets *meets, uint64_t at);

#endif
