/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All of a simulated machine that one experiment uses: its arenas, the CPUs
 * that its actors are on, and the state of everything that loads change.
 */
#ifndef MP_SIM_CORES_H
#define MP_SIM_CORES_H

#include "exp.h"
#include "sim_memory.h"
#include "sim_room.h"

/**
 * struct mp_sim_want - what an experiment needs
 * @n_arenas: how many
 * @bytes: of each arena
 * @page: its pages, enum mp_sim_page
 * @n_cpus: how many
 * @cpu: their numbers, each once
 * @prefetch_off: prefetchers off, as far as they can be turned off
 * @seed: of frames and of random replacement
 * @room: memory that is kept from batch to batch; NULL: none is
 */
struct mp_sim_want {
	uint32_t n_arenas;
	uint64_t bytes[MP_EXP_ARENAS];
	uint32_t page[MP_EXP_ARENAS];
	uint32_t n_cpus;
	uint32_t cpu[MP_EXP_ACTORS];
	bool prefetch_off;
	uint64_t seed;
	struct mp_sim_room *room;
};

/**
 * struct mp_sim_cores - an empty machine with arenas placed in it
 * @machine: not owned
 * @n_places, @place: arenas
 * @n, @memory: CPUs, in the order they were asked for
 * @period: of each neighbour of the machine, when it was last heeded
 * @state, @state_bytes: all that loads change: random source, prefetchers,
 *	TLBs, levels. Equal bytes go on alike
 * @fresh: the state where it is not in @room; owned
 * @room: large memory; @own where the caller keeps none
 */
struct mp_sim_cores {
	const struct mp_sim_machine *machine;
	uint32_t n_places;
	struct mp_sim_place place[MP_EXP_ARENAS];
	uint32_t n;
	struct mp_sim_memory memory[MP_EXP_ACTORS];
	uint64_t period[MP_SIM_LEVELS];
	void *state;
	size_t state_bytes;
	void *fresh;
	struct mp_sim_room *room;
	struct mp_sim_room own;
};

/**
 * mp_sim_cores_init() - lay it out
 * @cores: gets it; holds nothing after an error
 * @machine: a machine that is honoured; must stay
 *
 * Each CPU has TLBs, prefetchers and unshared levels of its own; a level is
 * shared by as many neighbouring CPUs as it says.
 * Return: 0, -ENOMEM, -E2BIG.
 */
int mp_sim_cores_init(struct mp_sim_cores *cores,
		      const struct mp_sim_machine *machine,
		      const struct mp_sim_want *want);

void mp_sim_cores_free(struct mp_sim_cores *cores);

/** mp_sim_cores_limit() - a neighbour now holds this share of a level */
void mp_sim_cores_limit(struct mp_sim_cores *cores, uint32_t level,
			double share);

#endif
