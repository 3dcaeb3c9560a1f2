// SPDX-License-Identifier: GPL-2.0
/*
 * Translation look-aside buffers: one or two stores of pages, non-inclusive,
 * and the cost of a page walk behind them.
 */
#include "sim_tlb.h"

#include <string.h>

#include "sim_many.h"
#include "sim_place.h"

static bool has_tlb(const struct mp_sim_machine *machine, uint32_t page)
{
	for (uint32_t i = 0; i < machine->n_tlbs; i++) {
		if (machine->tlb[i].page == page)
			return true;
	}
	return false;
}

static const struct mp_sim_tlb_level *
find_tlb(const struct mp_sim_machine *machine, uint32_t page, uint32_t level)
{
	for (uint32_t i = 0; i < machine->n_tlbs; i++) {
		if (machine->tlb[i].page == page &&
		    machine->tlb[i].level == level)
			return &machine->tlb[i];
	}
	return NULL;
}

/* A walk stated for the page size, or else for all. */
static uint32_t walk_cost(const struct mp_sim_machine *machine, uint32_t page)
{
	uint32_t cost = 0;

	for (uint32_t i = 0; i < machine->n_walks; i++) {
		if (machine->walk[i].page == page)
			return machine->walk[i].cost_cycles;
		if (machine->walk[i].page == MP_SIM_PAGE_ALL)
			cost = machine->walk[i].cost_cycles;
	}
	return cost;
}

static int add_store(struct mp_sim_tlb *tlb,
		     const struct mp_sim_tlb_level *level,
		     uint64_t page_bytes, uint64_t reach_bytes)
{
	struct mp_sim_shape shape = {
		.lines = level->entries,
		.ways = level->ways,
		.slices = 1,
		.line_bytes = page_bytes,
		.sector_bytes = page_bytes,
		.policy = level->policy.index,
		.by_virtual = true,
	};

	mp_sim_qlru_parse(level->policy.text, &shape.qlru);
	tlb->cost_cycles[tlb->n] = level->cost_cycles;
	return mp_sim_cache_init(&tlb->store[tlb->n++], &shape, reach_bytes);
}

int mp_sim_tlb_init(struct mp_sim_tlb *tlb,
		    const struct mp_sim_machine *machine, uint32_t page,
		    uint64_t reach_bytes)
{
	int err = 0;

	memset(tlb, 0, sizeof(*tlb));
	if (!machine->n_tlbs)
		return 0;
	tlb->walk_cycles = walk_cost(machine, page);
	while (page != MP_SIM_PAGE_4K && !has_tlb(machine, page))
		page--;
	for (uint32_t i = 1; i <= MP_SIM_TLB_LEVELS && !err; i++) {
		const struct mp_sim_tlb_level *level = find_tlb(machine, page,
								i);

		if (!level)
			continue;
		tlb->index[tlb->n] = (uint32_t)(level - machine->tlb);
		err = add_store(tlb, level, 1ull << mp_sim_place_shift(page),
				reach_bytes);
	}
	return err;
}

uint32_t mp_sim_tlb_load(struct mp_sim_tlb *tlb, const uint64_t *set,
			 uint64_t virtual)
{
	uint32_t victim;

	for (uint32_t i = 0; i < tlb->n; i++) {
		if (mp_sim_many_one(&tlb->store[i], set[i * MP_SIM_BLOCK],
				    virtual, &victim))
			return tlb->cost_cycles[i];
	}
	return tlb->walk_cycles;
}
