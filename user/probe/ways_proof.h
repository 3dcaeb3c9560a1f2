/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Do the sets of a level hold so many lines, and no more? What of a ring missed
 * that is half a row of sets longer than so many full ones.
 */
#ifndef MP_WAYS_PROOF_H
#define MP_WAYS_PROOF_H

#include "probe/turn.h"
#include "probe/ways_test.h"

/** MP_WAYS_PROOFS - replicates of such a ring, in fresh memory each */
#define MP_WAYS_PROOFS 5u

/**
 * struct mp_ways_proof - what is to be proved
 * @level: the level, and what its hops take
 * @row: slots after which the sets begin anew
 * @window: slots that the ring goes round before it goes on to others
 * @ways: lines of a set, at most MP_WAYS_MAX
 * @thrown: pieces of memory may lie anywhere among the sets
 */
struct mp_ways_proof {
	const struct mp_ways_level *level;
	uint32_t row;
	uint32_t window;
	uint32_t ways;
	bool thrown;
};

/**
 * mp_ways_prove() - what replicates say of it
 * @of: what is to be proved
 * @turn: what was seen of each slot of the ring
 * @n: how many
 * Return: 1 = sets hold so many lines, and no more; 0 = that is not so, or not
 * seen; -EAGAIN: it may be, and MP_WAYS_PROOFS will say.
 */
int mp_ways_prove(const struct mp_ways_proof *of, const struct mp_turn *turn,
		  uint32_t n);

#endif
