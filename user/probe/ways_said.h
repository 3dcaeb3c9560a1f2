/* SPDX-License-Identifier: GPL-2.0 */
/* What guesses of ways and sets say of one stride, put in order. */
#ifndef MP_WAYS_SAID_H
#define MP_WAYS_SAID_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/ways_sets.h"

/** MP_WAYS_SAID_ROOM - times as many as there are, for putting in order */
#define MP_WAYS_SAID_ROOM 3u

/**
 * struct mp_ways_said - what one guess says
 * @held: most lines that fit
 * @weight: how likely the guess is
 * @key: of no use to others
 */
struct mp_ways_said {
	struct mp_ways_range held;
	double weight;
	uint64_t key;
};

/** struct mp_ways_below - of some that say less: the most that any of them
 * holds, and what they weigh together */
struct mp_ways_below {
	uint64_t most;
	double weight;
};

/**
 * struct mp_ways_sweep - going through them by rising @held.low
 * @n, @said: all
 * @all: those that were passed
 * @by_high, @n_below, @below: by rising @held.high, made when first asked for;
 *	so many of those are in @below
 */
struct mp_ways_sweep {
	uint32_t n;
	const struct mp_ways_said *said;
	struct mp_ways_below all;
	struct mp_ways_said *by_high;
	bool made;
	uint32_t n_below;
	struct mp_ways_below below;
};

/** mp_ways_said_sort() - put @n in order; there is room behind them, see
 * MP_WAYS_SAID_ROOM */
void mp_ways_said_sort(struct mp_ways_sweep *sweep, struct mp_ways_said *said,
		       uint32_t n);

/** mp_ways_said_pass() - the ith is passed; one after the other */
void mp_ways_said_pass(struct mp_ways_sweep *sweep, uint32_t i);

/** mp_ways_said_below() - of all that hold less for sure than the ith does;
 * asked of rising i, when all before it were passed */
struct mp_ways_below mp_ways_said_below(struct mp_ways_sweep *sweep,
					uint32_t i);

#endif
