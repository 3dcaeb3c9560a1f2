/* SPDX-License-Identifier: GPL-2.0 */
/* The sequence of an actor in user space: bursts of all steps once. */
#ifndef MP_USER_STEPS_H
#define MP_USER_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "rng.h"
#include "steps.h"
#include "user_clock.h"
#include "user_mem.h"

/**
 * struct mp_user_steps - the sequence of one actor
 * @clock: in: the clock
 * @actor: in: whose it is
 * @index: in: its number in the experiment
 * @window_ns: in: the longest burst
 * @late_tick: in: no burst but the first begins after this tick
 * @steps: in: the sequence, checked; its scratch is the caller's
 * @rng: in: how long to wait before each burst
 * @once: in: it is laid before its first burst only: what other actors have
 *	put out of the caches between its rounds is to stay out
 * @uncounted: in: what the kernel counts of this thread is not asked for each
 *	round
 * @first: where it begins, once it was laid; 0 before
 * @gap_ticks: out: a timed step, or a burst, longer than this may be a gap: the
 *	least of all rounds; 0 before
 */
struct mp_user_steps {
	const struct mp_user_clock *clock;
	const struct mp_actor *actor;
	uint32_t index;
	uint64_t window_ns;
	uint64_t late_tick;
	struct mp_steps steps;
	struct mp_rng rng;
	bool once;
	bool uncounted;
	uintptr_t first;
	uint64_t gap_ticks;
};

/**
 * mp_user_steps_make() - the sequence of an experiment
 * @run: gets it; mp_user_steps_free() it in any case
 * @actor: whose the steps are
 * @batch: the experiment
 * @arena: the actor's
 * @seed: of the waits
 * Return: 0; -EINVAL, -EOPNOTSUPP, -ERANGE: it cannot be walked; -ENOMEM.
 */
int mp_user_steps_make(struct mp_user_steps *run,
		       const struct mp_user_clock *clock,
		       const struct mp_actor *actor,
		       const struct mp_batch *batch,
		       const struct mp_user_arena *arena, uint64_t seed,
		       uint64_t late_tick);
void mp_user_steps_free(struct mp_user_steps *run);

/**
 * mp_user_steps_round() - one round of the actor
 * @run: as above; the same for all rounds of a batch
 * @round: its number
 * @batch: gets the samples, and the ticks of timed steps in their order
 *
 * The thread must be pinned. The sequence is laid anew before each burst,
 * unless @run->once; a burst begins after a random wait of up to some steps of the clock:
 * where a step is longer than a load, the mean over bursts still tells loads
 * apart. A burst is a gap's where a timed step took longer than two loads of
 * the dearest kind, or all of it more than twice what most bursts take.
 * Return: 0, -ENOMEM or -EFBIG (payload).
 */
int mp_user_steps_round(struct mp_user_steps *run, uint16_t round,
			struct mp_batch *batch);

#endif
