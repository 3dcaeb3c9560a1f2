/* SPDX-License-Identifier: GPL-2.0 */
/* What came of the tests of a level's ways that have been made. */
#ifndef MP_WAYS_DONE_H
#define MP_WAYS_DONE_H

#include "probe/ways_sets.h"

/** mp_ways_is_done() - has such a test been made? */
bool mp_ways_is_done(const struct mp_ways_test *done, uint32_t n,
		     const struct mp_ways_test *test);

/** mp_ways_n_kept() - how often did the level inside keep lines that it has no room
 * for all of? */
uint32_t mp_ways_n_kept(const struct mp_ways_test *done, uint32_t n);

/** mp_ways_n_vain() - tests that were to show all lines in the level, and did not;
 * @stride: those of one, or 0 */
uint32_t mp_ways_n_vain(const struct mp_ways_test *done, uint32_t n,
			uint64_t stride);

/** mp_ways_n_unclear() - tests that told nothing, of lines that a ring was to put out
 * of the levels inside, or others */
uint32_t mp_ways_n_unclear(const struct mp_ways_test *done, uint32_t n,
			   bool driven);

/** mp_ways_is_kept() - did the level inside keep lines of a ring of so many bytes? */
bool mp_ways_is_kept(const struct mp_ways_test *done, uint32_t n,
		     uint64_t drive);

#endif
