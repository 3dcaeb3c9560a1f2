/* SPDX-License-Identifier: GPL-2.0 */
/* The chase of one actor in user space: warm-up, bursts, and what came between. */
#ifndef MP_USER_CHASE_H
#define MP_USER_CHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "chase.h"
#include "gap.h"
#include "user_clock.h"
#include "user_stale.h"

/**
 * struct mp_user_walk - the chase of one actor
 * @clock: in: the clock
 * @actor: in: who chases
 * @index: in: its number in the experiment
 * @word: in: which word of a slot's line its links are
 * @window_ns: in: the longest burst
 * @slots: in: slots of its ring
 * @cursor: in: where to begin; moves on
 * @phased: in: others have phases of their own on this CPU; what they do to
 *	its ring is no accident, and is not made good for
 * @uncounted: in: what the kernel counts of this thread is not asked for each
 *	round
 * @late_tick: in: no burst but the first begins after this tick
 * @warmed: the warm-up is done
 * @gap_ticks: what is called a gap, as the latest warm-up found it
 * @least_gap_ticks: out: the least that was called a gap in any burst; 0 = none
 *	yet
 * @hop_ticks: a hop, as the latest warm-up found it; 0 = not known
 * @look_max: the slowest look in each of the latest stretches of warm-up
 * @n_looks: stretches seen
 * @warm_hops: unmeasured hops since the memory was last disturbed
 * @end_tick: when the latest stretch ended
 * @rewarm_ticks: what is left for warming up again
 * @stale: what may have been evicted
 */
struct mp_user_walk {
	const struct mp_user_clock *clock;
	const struct mp_actor *actor;
	uint32_t index;
	uint32_t word;
	uint64_t window_ns;
	uint64_t slots;
	const void *cursor;
	bool phased;
	bool uncounted;
	uint64_t late_tick;
	bool warmed;
	uint64_t gap_ticks;
	uint64_t least_gap_ticks;
	double hop_ticks;
	uint64_t look_max[MP_GAP_LOOKS];
	uint32_t n_looks;
	uint64_t warm_hops;
	uint64_t end_tick;
	uint64_t rewarm_ticks;
	struct mp_user_stale stale;
};

/**
 * mp_user_walk_warm() - the asked warm-up, ahead of the first round
 *
 * For those who have something to do between the two, as to look at the core
 * clock: a long warm-up takes far longer than the bursts that follow it.
 */
void mp_user_walk_warm(struct mp_user_walk *walk);

/**
 * mp_user_walk_own() - time since the warm-up that its caller took
 * @ticks: of what leaves the ring where it is; what has passed beside it was
 *	a gap
 */
void mp_user_walk_own(struct mp_user_walk *walk, uint64_t ticks);

/**
 * mp_user_walk_round() - one round of the actor
 * @walk: as above; the same for all rounds of a batch
 * @round: its number
 * @batch: gets the samples
 *
 * The thread must be pinned and the ring linked. In the first round the asked
 * warm-up, unless that is done, then the bursts; later ones go on where the last
 * one ended. Before
 * a burst that would find the ring cold, because there was a gap in the
 * warm-up or since, up to a turn of it is walked unmeasured; there is a bound
 * on the sum of that, and a burst beyond it is flagged.
 * Return: 0, or -ENOMEM, -EFBIG (payload).
 */
int mp_user_walk_round(struct mp_user_walk *walk, uint16_t round,
		       struct mp_batch *batch);

#endif
