/* SPDX-License-Identifier: GPL-2.0 */
/* A ring that is walked through a simulated memory. */
#ifndef MP_SIM_RING_H
#define MP_SIM_RING_H

#include "ring.h"
#include "sim_cores.h"

/** enum mp_sim_phase - how the hops of a ring are found out; sim_ring.c */
enum mp_sim_phase {
	MP_SIM_WATCH,	/* one by one */
	MP_SIM_RECORD,	/* one by one, and noted */
	MP_SIM_STEADY,	/* from the notes: each turn is like the one before */
};

/**
 * struct mp_sim_ring - a ring
 * @cores: whose state may change; not owned
 * @memory: of the CPU that walks it; not owned
 * @place: the arena that it lies in
 * @shape, @order, @slots: the ring; @order is not owned
 * @base: virtual address of its first slot
 * @in_turn: others change the state between its hops: none are summed up but
 *	those of a turn that stays at home
 * @is_alone: nothing but its own hops ever changes the state, nor does anybody
 *	look at that: hops may be made before they are asked for
 * @is_fresh: it has been laid and not been walked
 * @is_first: the turn that is noted is the first one
 * @at: position in @order that is loaded next
 * @phase: enum mp_sim_phase
 * @watched_hops: hops since the ring was last given up as not steady
 * @patience_hops: so many have to pass before it is tried
 * @home_hops: .. before it is tried whether turns stay at home
 * @outward: what its CPU had loaded from beyond the first level when the
 *	present turn began
 * @before: copy of the state at the beginning of the recorded turn
 * @sum: cycles of a turn from position 0 up to each position. Both lie in the
 *	room of @cores: one ring at a time is noted; or, of a turn that stays
 *	at home, in @own
 * @own: owned; NULL = not needed yet
 * @block: all positions looked up, or NULL; owned
 * @ahead: cycles up to and including each hop of those made last ahead of time
 * @ahead_n, @ahead_at: how many they are, and how many of them were asked for
 */
struct mp_sim_ring {
	struct mp_sim_cores *cores;
	struct mp_sim_memory *memory;
	const struct mp_sim_place *place;
	struct mp_ring shape;
	const uint32_t *order;
	uint32_t slots;
	bool in_turn;
	bool is_alone;
	bool is_fresh;
	bool is_first;
	uint32_t at;
	uint64_t base;
	uint32_t phase;
	uint64_t watched_hops;
	uint64_t patience_hops;
	uint64_t home_hops;
	uint64_t outward;
	void *before;
	uint64_t *sum;
	char *own;
	struct mp_sim_block *block;
	uint64_t ahead[MP_SIM_BLOCK];
	uint32_t ahead_n;
	uint32_t ahead_at;
};

/**
 * mp_sim_ring_lay() - lay a ring and walk it once, as its builder does
 * @ring: gets it
 * @cores: all that is simulated; must stay
 * @memory: of the CPU that walks it
 * @shape: a checked ring that ends within its arena
 * @base: virtual address at which its span begins
 * @order: visiting order, mp_ring_slots() words; must stay
 *
 * Free it with mp_sim_ring_free().
 */
void mp_sim_ring_lay(struct mp_sim_ring *ring, struct mp_sim_cores *cores,
		     struct mp_sim_memory *memory, const struct mp_ring *shape,
		     uint64_t base, const uint32_t *order);

/**
 * mp_sim_ring_hops() - go on along the ring
 * Return: cycles of @hops dependent loads.
 */
uint64_t mp_sim_ring_hops(struct mp_sim_ring *ring, uint64_t hops);

/**
 * mp_sim_ring_unsettle() - something else is about to change the state
 *
 * Hops that were summed up are made good for; whether the ring is steady is
 * then found out anew.
 */
void mp_sim_ring_unsettle(struct mp_sim_ring *ring);

/** mp_sim_ring_free() - give back what it owns */
void mp_sim_ring_free(struct mp_sim_ring *ring);

#endif
