/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All guesses that are left have the same ways. Is it so many? A full set of one
 * of them is walked, and one line more, in fresh memory each time.
 */
#ifndef MP_WAYS_CONFIRM_H
#define MP_WAYS_CONFIRM_H

#include "probe/ways_test.h"

/** MP_WAYS_SURE_REPLICATES - so often a set has to be full, and too full, at
 * least: more often where pages make a few lines meet by chance */
#define MP_WAYS_SURE_REPLICATES 5u

/**
 * struct mp_ways_borne - what was borne out
 * @guess: it; 0 ways = none was
 * @times: .. in so many pieces of fresh memory
 * @lacks: replicates that a test lacks, of this one, 0 = none
 */
struct mp_ways_borne {
	struct mp_ways_guess guess;
	uint32_t times;
	struct mp_ways_test want;
	uint32_t lacks;
};

/**
 * mp_ways_confirm() - bear one of the guesses out
 * @sets: guesses with the same ways
 * @with_flushed: flushed tests may be made
 * Return: 0 or -ENOMEM.
 */
int mp_ways_confirm(struct mp_ways_rig *rig, const struct mp_ways_sets *sets,
		    bool with_flushed, struct mp_ways_borne *borne);

#endif
