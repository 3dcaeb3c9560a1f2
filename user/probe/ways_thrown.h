/* SPDX-License-Identifier: GPL-2.0 */
/* Lines in pieces of memory that lie anywhere: how many of a set by chance? */
#ifndef MP_WAYS_THROWN_H
#define MP_WAYS_THROWN_H

#include "probe/ways_sets.h"

/**
 * struct mp_ways_thrown - a test whose lines lie in several pieces
 * @sets: what is left of the guesses
 * @test: the test
 * @unit, @flushers: those that flush it lie so far apart, over so many bytes
 * @groups: .. and there are so many rows of them
 */
struct mp_ways_thrown {
	const struct mp_ways_sets *sets;
	const struct mp_ways_test *test;
	uint64_t unit;
	uint64_t flushers;
	uint64_t groups;
};

/** mp_ways_thrown_begin() - @thrown: of a test; both have to stay */
void mp_ways_thrown_begin(const struct mp_ways_sets *sets,
			  const struct mp_ways_test *test,
			  struct mp_ways_thrown *thrown);

/**
 * mp_ways_thrown_fit() - lines that fit all but surely, by a guess, or of which
 * some do
 * @guess: its span is no part of a piece
 *
 * Where pieces are thrown at random or lie in a row, it is most unlikely that
 * more lines of one piece each than there are ways fall on one set. Of the test
 * only the stride counts, and what flushes it. Return: how many; 0 = nothing is
 * said.
 */
uint32_t mp_ways_thrown_fit(const struct mp_ways_thrown *thrown,
			    const struct mp_ways_guess *guess);

/** mp_ways_thrown_most() - .. and the most that may, on all places where lines
 * can lie; @inside: those that the levels inside hold */
uint64_t mp_ways_thrown_most(const struct mp_ways_thrown *thrown,
			     const struct mp_ways_guess *guess,
			     const struct mp_ways_range *inside);

/** mp_ways_thrown_miss() - may such a guess be right if lines missed, so many of
 * the test's as it says? */
bool mp_ways_thrown_miss(const struct mp_ways_thrown *thrown,
			 const struct mp_ways_guess *guess);

#endif
