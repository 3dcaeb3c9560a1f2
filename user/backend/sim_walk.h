/* SPDX-License-Identifier: GPL-2.0 */
/* What an actor does in simulated time: warm-up and bursts. */
#ifndef MP_SIM_WALK_H
#define MP_SIM_WALK_H

#include <stdbool.h>

#include "batch.h"
#include "sim_clock.h"
#include "sim_note.h"
#include "sim_ring.h"

/** struct mp_sim_looks - what a looking loop notes of a stretch of hops */
struct mp_sim_looks {
	uint64_t start;
	uint64_t last;
	uint64_t min_ticks;
	uint64_t max_ticks;
	uint64_t lost_ticks;
	uint32_t gaps;
	uint64_t true_gaps;
	uint64_t true_max_ticks;
};

/** enum mp_sim_stage - how far an actor has come in a phase */
enum mp_sim_stage {
	MP_SIM_WARMING,
	MP_SIM_BETWEEN,	/* before a burst, or behind the last one */
	MP_SIM_IN_BURST,
};

/**
 * struct mp_sim_walk - what one actor does
 * @machine: the machine
 * @number: of the actor in the experiment
 * @actor: its words
 * @cores: the machine; not owned
 * @memory: of the CPU that the actor is on
 * @base: virtual address of its span
 * @ring: that is chased; nothing where the actor chases none
 * @clock: of the actor; those of a batch are brought together at phases
 * @between: source of what passes between bursts
 * @window_ticks: the longest burst
 * @gap_ticks: out: what was called a gap in the last round
 * @warmed: the warm-up is done
 * @cold: a gap that was noticed lay in it, and no burst has come since
 * @step_hops: with others at the same time: hops until it is their turn
 * @stage: enum mp_sim_stage
 * @round, @burst: the next one to come or the present one
 * @left: looks or groups that are left of the stage
 * @group_left: hops that are left of the group
 * @looks, @gaps: of the stage; gaps before the present look or group
 * @sample, @notes: of the present burst
 * @load_ns, @load_hops: of a load: when it began, and what it has done
 */
struct mp_sim_walk {
	const struct mp_sim_machine *machine;
	uint32_t number;
	const struct mp_actor *actor;
	struct mp_sim_cores *cores;
	struct mp_sim_memory *memory;
	uint64_t base;
	struct mp_sim_ring ring;
	struct mp_sim_clock clock;
	struct mp_rng between;
	uint64_t window_ticks;
	uint64_t gap_ticks;
	bool warmed;
	bool cold;
	uint64_t step_hops;
	uint32_t stage;
	uint32_t round;
	uint32_t burst;
	uint64_t left;
	uint64_t group_left;
	struct mp_sim_looks looks;
	uint64_t gaps;
	struct memprobe_sample sample;
	struct mp_sim_notes notes;
	double load_ns;
	double load_hops;
};

/** mp_sim_walk_ticks() - ticks of a time, not in whole steps */
double mp_sim_walk_ticks(const struct mp_sim_walk *walk, double ns);

/**
 * mp_sim_walk_neighbours() - let neighbours take what they hold now
 * @first: whether they have never been asked; otherwise only those are that
 *	have come to a new period
 */
void mp_sim_walk_neighbours(struct mp_sim_walk *walk, bool first);

/** mp_sim_walk_warm() - the actor's warm-up, once; sets @gap_ticks, @cold */
void mp_sim_walk_warm(struct mp_sim_walk *walk);

/** mp_sim_walk_sample() - begin a sample, with what is known already */
void mp_sim_walk_sample(const struct mp_sim_walk *walk,
			struct memprobe_sample *sample);

/** mp_sim_walk_switches() - what a witness says of the gaps of a burst */
void mp_sim_walk_switches(const struct mp_sim_walk *walk, uint64_t gaps,
			  struct memprobe_sample *sample);

/**
 * mp_sim_walk_keep() - a burst is over: its sample into the batch, and the
 *	time that it takes to note it
 * Return: 0 or -ENOMEM.
 */
int mp_sim_walk_keep(struct mp_sim_walk *walk,
		     const struct memprobe_sample *sample,
		     struct mp_batch *batch);

/**
 * mp_sim_walk_burst() - one burst and the time to note it
 * @round: its round
 * @burst: its number in the round
 * @batch: gets the sample
 * Return: 0, -ENOMEM, -EFBIG (payload).
 */
int mp_sim_walk_burst(struct mp_sim_walk *walk, uint16_t round, uint16_t burst,
		      struct mp_batch *batch);

/** mp_sim_walk_begin() - begin a round: warm-up, then all bursts */
void mp_sim_walk_begin(struct mp_sim_walk *walk, uint32_t round);

/**
 * mp_sim_walk_step() - a few hops of what was begun
 * Return: 1, 0 when it is done, or what mp_sim_walk_burst() returns.
 */
int mp_sim_walk_step(struct mp_sim_walk *walk, struct mp_batch *batch);

/** mp_sim_walk_load() - a few hops of a load, at its pace */
void mp_sim_walk_load(struct mp_sim_walk *walk);

/** mp_sim_walk_free() - give back what a walk owns */
void mp_sim_walk_free(struct mp_sim_walk *walk);

#endif
