/* SPDX-License-Identifier: GPL-2.0 */
/* A ring that is walked in simulated time: warm-up and bursts. */
#ifndef MP_SIM_WALK_H
#define MP_SIM_WALK_H

#include <stdbool.h>

#include "batch.h"
#include "sim_clock.h"
#include "sim_ring.h"

/**
 * struct mp_sim_walk - the chase of one actor
 * @machine: the machine
 * @actor: who chases
 * @cores: the machine; not owned
 * @memory: of the CPU that the actor is on
 * @ring: that is chased; nothing where the actor chases none
 * @clock: of the batch
 * @between: source of what passes between bursts
 * @window_ticks: the longest burst
 * @gap_ticks: out: what was called a gap in the last round
 * @cold: a gap that was noticed lay in the last warm-up
 * @period: of each neighbour, when it was last asked
 */
struct mp_sim_walk {
	const struct mp_sim_machine *machine;
	const struct mp_actor *actor;
	struct mp_sim_cores *cores;
	struct mp_sim_memory *memory;
	struct mp_sim_ring ring;
	struct mp_sim_clock clock;
	struct mp_rng between;
	uint64_t window_ticks;
	uint64_t gap_ticks;
	bool cold;
	uint64_t period[MP_SIM_LEVELS];
};

/** mp_sim_walk_ticks() - ticks of a time, not in whole steps */
double mp_sim_walk_ticks(const struct mp_sim_walk *walk, double ns);

/**
 * mp_sim_walk_neighbours() - let neighbours take what they hold now
 * @first: whether they have never been asked; otherwise only those are that
 *	have come to a new period
 */
void mp_sim_walk_neighbours(struct mp_sim_walk *walk, bool first);

/** mp_sim_walk_warm() - the actor's warm-up; sets @gap_ticks and @cold */
void mp_sim_walk_warm(struct mp_sim_walk *walk);

/**
 * mp_sim_walk_sample() - the sample of a burst that begins
 * Return: in @batch, with what is known already; NULL when out of memory.
 */
struct memprobe_sample *mp_sim_walk_sample(const struct mp_sim_walk *walk,
					   uint16_t round, uint16_t burst,
					   struct mp_batch *batch);

/** mp_sim_walk_switches() - what a witness says of the gaps of a burst */
void mp_sim_walk_switches(const struct mp_sim_walk *walk, uint64_t gaps,
			  struct memprobe_sample *sample);

/** mp_sim_walk_pause() - noting a burst takes some time before the next */
void mp_sim_walk_pause(struct mp_sim_walk *walk);

/**
 * mp_sim_walk_burst() - one burst and the time to note it
 * @round: its round
 * @burst: its number in the round
 * @batch: gets the sample
 * Return: 0, -ENOMEM, -EFBIG (payload).
 */
int mp_sim_walk_burst(struct mp_sim_walk *walk, uint16_t round, uint16_t burst,
		      struct mp_batch *batch);

#endif
