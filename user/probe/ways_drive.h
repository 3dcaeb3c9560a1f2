/* SPDX-License-Identifier: GPL-2.0 */
/* Driven tests of ways: a ring puts a few lines out of the levels inside. */
#ifndef MP_WAYS_DRIVE_H
#define MP_WAYS_DRIVE_H

#include "exp.h"
#include "probe/ways_test.h"

/** MP_WAYS_DRIVE_LINES - lines of a driven test, at most: two steps of each */
#define MP_WAYS_DRIVE_LINES (MP_EXP_STEPS / 2)

/** mp_ways_drive_bytes() - of a ring that puts all else out of the levels inside
 * this one, @which of MP_WAYS_DRIVES, from the shortest on; 0 = there is none, or
 * what it walks is not known */
uint64_t mp_ways_drive_bytes(const struct mp_ways_sets *sets, uint32_t which);

/** mp_ways_drive_end() - bytes from the first line of a test to the end of its
 * ring */
uint64_t mp_ways_drive_end(const struct mp_ways_test *test);

/** mp_ways_drive_lines() - lines of a test at a stride that leave room for the ring
 * in one piece of memory, at most */
uint64_t mp_ways_drive_lines(uint64_t piece, uint64_t stride, uint64_t drive);

/**
 * mp_ways_drive_held() - lines of a driven test that fit, by one guess
 *
 * How many lines of the ring fall on a set is known, and they may leave it so much
 * less room; while lines have sets of their own it is looked at which those are.
 * Return: from those that fit for sure to the most that may.
 */
struct mp_ways_range mp_ways_drive_held(const struct mp_ways_guess *guess,
					const struct mp_ways_test *test);

/** mp_ways_drive_missing() - of the lines of a driven test, the greatest share that
 * lies on sets with more than they hold, by one guess */
double mp_ways_drive_missing(const struct mp_ways_guess *guess,
			     const struct mp_ways_test *test);

/** mp_ways_drive_exp() - rounds of the ring and of the lines; false: there are
 * too many of either, or not enough memory */
bool mp_ways_drive_exp(const struct mp_ways_rig *rig,
		       const struct mp_ways_test *test, struct mp_exp *exp);

/** mp_ways_drive_look() - what came of it, by so many replicates at least */
enum mp_ways_outcome mp_ways_drive_look(struct mp_ways_rig *rig,
					const struct mp_ways_test *test,
					uint32_t replicates);

#endif
