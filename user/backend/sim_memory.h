/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one CPU of a simulated machine sees of its memory: loads go in, cycles
 * come out. It knows nothing of time. Its state is its owner's, who may let
 * several CPUs share a level (sim_cores.h).
 */
#ifndef MP_SIM_MEMORY_H
#define MP_SIM_MEMORY_H

#include "sim_cache.h"
#include "sim_machine.h"
#include "sim_place.h"
#include "sim_prefetch.h"
#include "sim_tlb.h"

#define MP_SIM_PAGE_SIZES MP_SIM_PAGE_ALL

/**
 * struct mp_sim_memory - levels, translation and prefetchers of a CPU
 * @machine: not owned
 * @cpu: its number
 * @place, @n_places: where arenas' pages lie, virtual addresses rising; not
 *	owned
 * @tlb: translation, for the page sizes that arenas have
 * @n_levels, @level, @latency_cycles, @inclusion: cache levels, inner to
 *	outer; behind the last latency that of memory
 * @translates_apart: it is nothing to the random source if TLBs see the loads
 *	of a block in a row
 * @head: so many levels see them one by one, those outside in a row, too
 * @prefetcher, @n_prefetchers: those that are on
 * @other: the next CPU in the circle of those that are simulated; itself
 *	where there is no other
 * @home, @home_bytes: the part of the state that is its prefetchers, its TLBs
 *	and its first level; NULL where another CPU has a share in that
 * @draws_at_home: TLBs draw from the random source of all
 * @outward: loads that its first level did not serve, and fills by
 *	prefetchers, so far
 * @heed, @heeds: is called before anything but a load of its own changes
 *	what lies in its first level, or may lie there; may be NULL
 */
struct mp_sim_memory {
	const struct mp_sim_machine *machine;
	uint32_t cpu;
	uint32_t n_places;
	const struct mp_sim_place *place;
	struct mp_sim_tlb tlb[MP_SIM_PAGE_SIZES];
	uint32_t n_levels;
	bool translates_apart;
	uint32_t head;
	struct mp_sim_cache level[MP_SIM_LEVELS];
	uint32_t latency_cycles[MP_SIM_LEVELS + 1];
	uint32_t inclusion[MP_SIM_LEVELS];
	uint32_t n_prefetchers;
	struct mp_sim_prefetcher prefetcher[MP_SIM_PREFETCHERS];
	struct mp_sim_memory *other;
	const char *home;
	size_t home_bytes;
	bool draws_at_home;
	uint64_t outward;
	void (*heed)(void *heeds);
	void *heeds;
};

/**
 * struct mp_sim_block - loads that are looked up together
 * @place: the arena of all of them
 * @virtual: their addresses
 * @physical, @tlb_set, @set: what mp_sim_memory_look_up() makes of them; it
 *	stays the same as long as the arena does
 */
struct mp_sim_block {
	const struct mp_sim_place *place;
	uint64_t virtual[MP_SIM_BLOCK];
	uint64_t physical[MP_SIM_BLOCK];
	uint64_t tlb_set[MP_SIM_TLB_LEVELS][MP_SIM_BLOCK];
	uint64_t set[MP_SIM_LEVELS][MP_SIM_BLOCK];
};

/**
 * mp_sim_memory_init() - a CPU, its stores without state
 * @memory: zeroed before; its place is set
 * @machine: a machine that is honoured; must stay
 * @cpu: its number
 * @reach_bytes: no virtual address is above it
 * @prefetch_off: leave out the prefetchers that can be turned off
 * Return: 0 or -E2BIG.
 */
int mp_sim_memory_init(struct mp_sim_memory *memory,
		       const struct mp_sim_machine *machine, uint32_t cpu,
		       uint64_t reach_bytes, bool prefetch_off);

/** mp_sim_memory_place() - the arena that an address lies in */
const struct mp_sim_place *
mp_sim_memory_place(const struct mp_sim_memory *memory, uint64_t virtual);

/**
 * mp_sim_memory_load() - one load
 * @virtual: address in an arena
 * Return: cycles, load to use.
 */
uint32_t mp_sim_memory_load(struct mp_sim_memory *memory, uint64_t virtual);

/**
 * mp_sim_memory_look_up() - where in each store the loads of a block belong
 * @block: with their arena and addresses; gets the rest
 * @n: how many
 */
void mp_sim_memory_look_up(const struct mp_sim_memory *memory,
			   struct mp_sim_block *block, uint32_t n);

/**
 * mp_sim_memory_loads() - loads one after the other
 * @block: that they are in, looked up
 * @first: number of the first of them in the block
 * @n: how many
 * @sum: gets the cycles up to and including each; may be NULL
 * Return: cycles of all.
 */
uint64_t mp_sim_memory_loads(struct mp_sim_memory *memory,
			     const struct mp_sim_block *block, uint32_t first,
			     uint32_t n, uint64_t *sum);

/** mp_sim_memory_look_up_pages() - .. and where in each TLB, nothing else */
void mp_sim_memory_look_up_pages(const struct mp_sim_memory *memory,
				 struct mp_sim_block *block, uint32_t n);

/**
 * mp_sim_memory_translate() - let TLBs alone see the loads of a block
 * @memory: its @translates_apart is set
 * @block: looked up
 * @n: how many
 */
void mp_sim_memory_translate(struct mp_sim_memory *memory,
			     const struct mp_sim_block *block, uint32_t n);

/** mp_sim_memory_heed() - say that its first level is about to change */
static inline void mp_sim_memory_heed(const struct mp_sim_memory *memory)
{
	if (memory->heed)
		memory->heed(memory->heeds);
}

/**
 * mp_sim_memory_flush() - take a line out of every level of every CPU
 * @virtual: any address in it
 *
 * Where an inclusive level has wider lines, what it loses with them is lost
 * inside too. TLBs keep what they have.
 */
void mp_sim_memory_flush(struct mp_sim_memory *memory, uint64_t virtual);

#endif
