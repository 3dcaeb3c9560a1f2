/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of a simulated machine under a chase: loads go in, cycles come
 * out. It knows nothing of time.
 */
#ifndef MP_SIM_MEMORY_H
#define MP_SIM_MEMORY_H

#include "ring.h"
#include "sim_cache.h"
#include "sim_machine.h"
#include "sim_place.h"
#include "sim_tlb.h"

/** enum mp_sim_phase - how the hops of a ring are found out; sim_memory.c */
enum mp_sim_phase {
	MP_SIM_WATCH,	/* one by one */
	MP_SIM_RECORD,	/* one by one, and noted */
	MP_SIM_STEADY,	/* from the notes: each turn is like the one before */
};

/**
 * struct mp_sim_memory - levels, translation, and a ring that is walked
 * @machine: not owned
 * @place: where the arena's pages lie
 * @tlb: translation
 * @n_levels, @level, @latency_cycles, @inclusion: cache levels, inner to outer
 * @is_plain: every level is non-inclusive
 * @state, @state_bytes: all that loads change: random source, TLBs, levels.
 *	Equal bytes go on alike
 * @ring, @order, @slots, @offset: the ring; @order is not owned
 * @at: position in @order that is loaded next
 * @phase: enum mp_sim_phase
 * @watched_hops: hops since the ring was last given up as not steady
 * @patience_hops: so many have to pass before it is tried
 * @before: copy of the state at the beginning of the recorded turn
 * @sum: cycles of a turn from position 0 up to each position
 */
struct mp_sim_memory {
	const struct mp_sim_machine *machine;
	struct mp_sim_place place;
	struct mp_sim_tlb tlb;
	uint32_t n_levels;
	bool is_plain;
	struct mp_sim_cache level[MP_SIM_LEVELS];
	uint32_t latency_cycles[MP_SIM_LEVELS];
	uint32_t inclusion[MP_SIM_LEVELS];
	void *state;
	size_t state_bytes;

	struct mp_ring ring;
	const uint32_t *order;
	uint32_t slots;
	uint32_t at;
	uint64_t offset;

	uint32_t phase;
	uint64_t watched_hops;
	uint64_t patience_hops;
	void *before;
	uint64_t *sum;
};

/**
 * mp_sim_memory_init() - an empty machine with an arena placed in it
 * @memory: gets it; zeroed before
 * @machine: a machine that is honoured; must stay
 * @bytes: of the arena
 * @huge: its pages are of 2 MiB
 * @seed: of frames and of random replacement
 * Return: 0, -ENOMEM, -E2BIG.
 */
int mp_sim_memory_init(struct mp_sim_memory *memory,
		       const struct mp_sim_machine *machine, uint64_t bytes,
		       bool huge, uint64_t seed);

void mp_sim_memory_free(struct mp_sim_memory *memory);

/**
 * mp_sim_memory_load() - one load
 * @virtual: address in the arena
 * Return: cycles, load to use.
 */
uint32_t mp_sim_memory_load(struct mp_sim_memory *memory, uint64_t virtual);

/**
 * mp_sim_memory_flush() - take a line out of every level
 * @virtual: any address in it
 *
 * Where an inclusive level has wider lines, what it loses with them is lost
 * inside too. TLBs keep what they have.
 */
void mp_sim_memory_flush(struct mp_sim_memory *memory, uint64_t virtual);

/**
 * mp_sim_memory_ring() - lay a ring and walk it once, as its builder does
 * @memory: freshly initialised
 * @ring: a checked ring that ends within the arena
 * @offset: where in the arena its span begins
 * @order: visiting order, mp_ring_slots() words; must stay
 */
void mp_sim_memory_ring(struct mp_sim_memory *memory,
			const struct mp_ring *ring, uint64_t offset,
			const uint32_t *order);

/**
 * mp_sim_memory_hops() - go on along the ring
 * Return: cycles of @hops dependent loads.
 */
uint64_t mp_sim_memory_hops(struct mp_sim_memory *memory, uint64_t hops);

/** mp_sim_memory_limit() - a neighbour now holds this share of a level */
void mp_sim_memory_limit(struct mp_sim_memory *memory, uint32_t level,
			 double share);

#endif
