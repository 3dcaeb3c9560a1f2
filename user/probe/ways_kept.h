/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_WAYS_KEPT_H
#define MP_WAYS_KEPT_H

#include "analysis/kept.h"
#include "probe/ways_sets.h"
#include "probe/ways_test.h"

/** mp_ways_choose_kept() - what mp_ways_choose() answers, made once: each round
 * goes through all earlier tests again; not for several threads at a time */
bool mp_ways_choose_kept(const struct mp_ways_sets *sets, double finest,
			 bool with_flushed, const struct mp_ways_test *done,
			 uint32_t n_done, struct mp_ways_test *test);

/**
 * struct mp_ways_state - what tests have left of a level
 * @rig: what they are made with
 * @sets: the guesses that are left; they only become fewer
 * @done, @n_done: tests that were made, room for MP_WAYS_TESTS
 */
struct mp_ways_state {
	struct mp_ways_rig *rig;
	struct mp_ways_sets *sets;
	struct mp_ways_test *done;
	uint32_t *n_done;
};

/**
 * struct mp_ways_resume - tests that are gone through
 * @key: what they began with
 * @own: the rig's view
 * @view: the same, which notes in @asked what they rest on
 * @rests_on: of @asked, so many that tests that were made rest on
 * @evidence: the rig's, when they had been made
 * @taken: they are where they ended last time
 */
struct mp_ways_resume {
	struct mp_kept_key key;
	const struct mp_view *own;
	struct mp_view view;
	struct mp_asked asked;
	uint32_t rests_on;
	uint64_t evidence[2];
	bool taken;
};

/**
 * mp_ways_resume() - go through tests, or on from where that ended last time
 * @what: says what is done with them, and by what
 *
 * Each round goes through all earlier tests again, and what they rest on has
 * not changed. Until mp_ways_suspend() only mp_ways_look() may ask the rig's
 * view for batches. Not for several threads at a time.
 */
void mp_ways_resume(struct mp_ways_resume *resume,
		    const struct mp_ways_state *state, uint64_t what);

/** mp_ways_mark() - a test has been made: what is looked at from now on, and
 * lacks batches, is looked at again */
void mp_ways_mark(struct mp_ways_resume *resume, const struct mp_ways_rig *rig);

/** mp_ways_suspend() - so far; the state is remembered unless @err */
void mp_ways_suspend(struct mp_ways_resume *resume,
		     const struct mp_ways_state *state, int err);

#endif
