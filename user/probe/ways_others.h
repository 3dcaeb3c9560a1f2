/* SPDX-License-Identifier: GPL-2.0 */
/* Where lines lie that put others out of the levels inside. */
#ifndef MP_WAYS_OTHERS_H
#define MP_WAYS_OTHERS_H

#include "probe/ways_sets.h"

/** MP_WAYS_FLUSHERS - lines that others are put out with, at most */
#define MP_WAYS_FLUSHERS 400u

/** mp_ways_stride() - the least multiple of a span that is a stride */
uint64_t mp_ways_stride(const struct mp_ways_sets *sets, uint64_t span);

/**
 * struct mp_ways_flush - those that put the lines of a test out of the levels
 * inside
 * @unit: bytes from slot to slot
 * @sets: sets of the level inside that lines at the stride fall on
 * @n, @slot: the others of a set, beside any line of it
 */
struct mp_ways_flush {
	uint64_t unit;
	uint64_t sets;
	uint32_t n;
	uint32_t slot[MP_WAYS_FLUSHERS];
};

/** mp_ways_groups() - of a test of so many lines, those sets */
uint64_t mp_ways_groups(const struct mp_ways_flush *flush, uint64_t lines);

/** mp_ways_most_beside() - lines at a stride that so many pages leave room for
 * beside those others, and a sequence; @pages: 0 = any number */
uint64_t mp_ways_most_beside(uint64_t pages, const struct mp_ways_flush *flush,
			     uint64_t stride);

/** mp_ways_unit() - all lines so far apart share a set of the level inside; 0 =
 * unknown */
uint64_t mp_ways_unit(const struct mp_ways_sets *sets);

/** mp_ways_unit_all() - .. of each level inside; 0 = that is not known of all, or
 * it is more than @most */
uint64_t mp_ways_unit_all(const struct mp_ways_sets *sets, uint64_t most);

/** MP_WAYS_FLUSH_MOST, MP_WAYS_FLUSH_LEAST - so many times what the levels
 * inside hold puts all else out of them; whether it did is seen, too */
#define MP_WAYS_FLUSH_MOST 4u
#define MP_WAYS_FLUSH_LEAST 2u

/**
 * mp_ways_flushers() - slots that share a set with a line of a flushed test in
 * the level inside, but in this one, whichever guess is right, with none of them
 * @times: so many times what the levels inside hold of them
 * Return: false where there are not enough of them.
 */
bool mp_ways_flushers(const struct mp_ways_sets *sets,
		      const struct mp_ways_test *test, uint32_t times,
		      struct mp_ways_flush *flush);

/** mp_ways_others_in_row() - do those others, if a test has any, lie in one piece
 * of memory with its lines? In another they fall on any sets but where sets
 * begin anew with each piece. Of small pages it is taken for granted */
bool mp_ways_others_in_row(const struct mp_ways_sets *sets,
			   const struct mp_ways_test *test);

/** mp_ways_is_foretold() - does a guess say anything of lines that lie so, with
 * what flushes them? */
bool mp_ways_is_foretold(const struct mp_ways_sets *sets,
			 const struct mp_ways_guess *guess,
			 const struct mp_ways_test *test);

/**
 * mp_ways_left_inside() - lines of a flushed test that the levels inside may
 * still hold at the end of a turn, at most
 * @in_row: its lines lie in one piece of memory
 *
 * Of several pieces it is not known whether the others share a set inside with
 * all of the lines. What is left there goes once its set is asked for more; an
 * exclusive level is handed it before its turn comes, and had no room for it.
 */
uint64_t mp_ways_left_inside(const struct mp_ways_sets *sets,
			     const struct mp_ways_test *test, bool in_row);

#endif
