/* SPDX-License-Identifier: GPL-2.0 */
/* A sequence of one actor in user space: bursts of all steps once. */
#ifndef MP_USER_STEPS_H
#define MP_USER_STEPS_H

#include <stdint.h>

#include "batch.h"
#include "rng.h"
#include "steps.h"
#include "user_clock.h"

/**
 * struct mp_user_steps - the sequence of one actor
 * @clock: in: the clock
 * @actor: in: whose it is
 * @index: in: its number in the experiment
 * @window_ns: in: the longest burst
 * @late_tick: in: no burst but the first begins after this tick
 * @steps: in: the sequence, checked; its scratch is the caller's
 * @rng: in: how long to wait before each burst
 * @gap_ticks: out: a timed step, or a burst, longer than this may be a gap
 */
struct mp_user_steps {
	const struct mp_user_clock *clock;
	const struct mp_actor *actor;
	uint32_t index;
	uint64_t window_ns;
	uint64_t late_tick;
	struct mp_steps steps;
	struct mp_rng rng;
	uint64_t gap_ticks;
};

/**
 * mp_user_steps_round() - one round of the actor
 * @run: as above; the same for all rounds of a batch
 * @round: its number
 * @batch: gets the samples, and the ticks of timed steps in their order
 *
 * The thread must be pinned. The sequence is laid anew before each burst,
 * and a burst begins after a random wait of up to some steps of the clock:
 * where a step is longer than a load, the mean over bursts still tells loads
 * apart. A burst is a gap's where a timed step took longer than two loads of
 * the dearest kind, or all of it more than twice what most bursts take.
 * Return: 0, -ENOMEM or -EFBIG (payload).
 */
int mp_user_steps_round(struct mp_user_steps *run, uint16_t round,
			struct mp_batch *batch);

#endif
