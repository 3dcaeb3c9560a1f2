/* SPDX-License-Identifier: GPL-2.0 */
/* Prefetchers: they see loads, and say which lines they want. */
#ifndef MP_SIM_PREFETCH_H
#define MP_SIM_PREFETCH_H

#include "sim_machine.h"

/** MP_SIM_PREFETCH_REGIONS - pages that a prefetcher remembers. */
#define MP_SIM_PREFETCH_REGIONS 16u
/** MP_SIM_PREFETCH_AHEAD - lines that a stream is ahead. */
#define MP_SIM_PREFETCH_AHEAD 4u

/** enum mp_sim_prefetch_kind - in the order of their names */
enum mp_sim_prefetch_kind {
	MP_SIM_ADJACENT,
	MP_SIM_NEXT,
	MP_SIM_STRIDE,
	MP_SIM_STREAM,
};

/**
 * struct mp_sim_region - what is remembered of a page of 4 KiB
 * @page: its number + 1; 0 = nothing
 * @line: of its lines the one that was seen last
 * @delta: lines from the one before to that one
 * @run: how often in a row it was so
 */
struct mp_sim_region {
	uint32_t page;
	uint32_t line;
	int32_t delta;
	uint32_t run;
};

/**
 * struct mp_sim_prefetcher - one of a CPU
 * @kind: enum mp_sim_prefetch_kind
 * @into: index of the level that it fills
 * @line_shift: of that level's lines
 * @can_switch: it can be turned off
 * @is_off: it is
 * @region: the pages, the last one seen first; part of the machine's state
 */
struct mp_sim_prefetcher {
	uint32_t kind;
	uint32_t into;
	uint32_t line_shift;
	bool can_switch;
	bool is_off;
	struct mp_sim_region *region;
};

/** mp_sim_prefetch_init() - the nth of a machine, without state */
void mp_sim_prefetch_init(struct mp_sim_prefetcher *prefetcher,
			  const struct mp_sim_machine *machine, uint32_t n);

/** mp_sim_prefetch_bytes() - memory that the state needs; multiple of 64 */
size_t mp_sim_prefetch_bytes(const struct mp_sim_prefetcher *prefetcher);

/**
 * mp_sim_prefetch_see() - a load has come as far as the level it fills
 * @virtual: of the load
 * @want: gets the addresses that it wants, MP_SIM_PREFETCH_AHEAD at most, all
 *	of them in the load's page of 4 KiB
 * Return: how many.
 */
uint32_t mp_sim_prefetch_see(const struct mp_sim_prefetcher *prefetcher,
			     uint64_t virtual, uint64_t *want);

#endif
