/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_MIXED_H
#define MP_SIM_MIXED_H

#include "sim_memory.h"

/**
 * mp_sim_mixed_load() - one load through some levels, hearing from one another
 * @first: level that it comes to first: 0, or that a prefetcher fills
 * @to: the first level that it does not go to
 * @set: of each level that it may come to
 * @virtual: its address
 * @victim: gets the key of what the last of these levels has put out for it
 *	and the next one may want; 0 = nothing
 *
 * An exclusive level is filled by what the level inside it puts out, and a
 * line that is found in it moves inwards. So a victim may have to be passed on
 * outwards after the load itself has been served.
 * Return: the level that has it; @to: none of these.
 */
uint32_t mp_sim_mixed_load(struct mp_sim_memory *memory, uint32_t first,
			   uint32_t to, const uint64_t *set, uint64_t virtual,
			   uint32_t *victim);

/**
 * mp_sim_mixed_fill() - a line that a prefetcher wants
 * @into: the level that it fills; those outside it that lack the line are
 *	filled with it
 * @to: see mp_sim_mixed_load()
 * @virtual, @physical: addresses in it
 * @found: gets what mp_sim_mixed_load() returns
 * @victim: as there
 *
 * Where it is there already, nothing happens; and what an exclusive level is
 * to get must not lie inside it.
 * Return: something has happened.
 */
bool mp_sim_mixed_fill(struct mp_sim_memory *memory, uint32_t into,
		       uint32_t to, uint64_t virtual, uint64_t physical,
		       uint32_t *found, uint32_t *victim);

/** mp_sim_mixed_set() - the set of a level that an address belongs to */
uint64_t mp_sim_mixed_set(const struct mp_sim_memory *memory, uint32_t i,
			  uint64_t virtual);

/**
 * mp_sim_mixed_put_out() - a line has been put out of an inclusive level
 * @i: which level
 * @virtual: where it begins
 *
 * Those inside lose it, too.
 */
void mp_sim_mixed_put_out(struct mp_sim_memory *memory, uint32_t i,
			  uint64_t virtual);

/** mp_sim_mixed_lacks() - does a level lack a line that is to be fetched? */
bool mp_sim_mixed_lacks(const struct mp_sim_memory *memory, uint32_t i,
			uint64_t virtual, uint64_t physical);

/**
 * mp_sim_mixed_flush() - take a line out of every level of one CPU
 *
 * What lies inside an inclusive level goes with it.
 */
void mp_sim_mixed_flush(struct mp_sim_memory *memory, uint64_t virtual);

#endif
