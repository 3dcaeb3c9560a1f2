/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_TLB_H
#define MP_SIM_TLB_H

#include "sim_cache.h"
#include "sim_machine.h"

/**
 * struct mp_sim_tlb - address translation of one page size
 * @n: TLBs, inner to outer
 * @store: them
 * @index: which TLB of the machine each is
 * @cost_cycles: added when a translation is found there
 * @walk_cycles: added when none has it
 */
struct mp_sim_tlb {
	uint32_t n;
	uint32_t walk_cycles;
	struct mp_sim_cache store[MP_SIM_TLB_LEVELS];
	uint32_t index[MP_SIM_TLB_LEVELS];
	uint32_t cost_cycles[MP_SIM_TLB_LEVELS];
};

/**
 * mp_sim_tlb_init() - the TLBs that serve an arena
 * @tlb: gets them, without state
 * @machine: a machine that is honoured
 * @page: size of the arena's pages, enum mp_sim_page
 * @reach_bytes: no virtual address is above it
 *
 * A machine without any TLB translates for nothing. One without TLBs for a
 * size splinters its pages: they take an entry for each part of the largest
 * smaller size that has one. Pages of a size that no TLB holds, nor a smaller
 * one, are walked at each load.
 * Return: 0 or -E2BIG.
 */
int mp_sim_tlb_init(struct mp_sim_tlb *tlb,
		    const struct mp_sim_machine *machine, uint32_t page,
		    uint64_t reach_bytes);

/**
 * mp_sim_tlb_load() - translate
 * @set: of each TLB that the address belongs to, as mp_sim_cache_sets() has
 *	them; the next TLB's stands MP_SIM_BLOCK words further on
 * Return: the cycles that it adds.
 */
uint32_t mp_sim_tlb_load(struct mp_sim_tlb *tlb, const uint64_t *set,
			 uint64_t virtual);

#endif
