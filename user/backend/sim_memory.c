// SPDX-License-Identifier: GPL-2.0
/*
 * Loads through translation and levels, and what prefetchers bring beside
 * them: one alone as sim_mixed.c has it, many by the short ways of
 * sim_apart.c.
 */
#include "sim_memory.h"

#include "sim_apart.h"
#include "sim_many.h"
#include "sim_mixed.h"

/* A load has come as far as level @found: who sees it, and what then? */
static void prefetch(struct mp_sim_memory *memory, uint32_t found,
		     uint64_t virtual, uint64_t physical)
{
	const uint64_t page = physical - virtual;
	uint64_t want[MP_SIM_PREFETCH_AHEAD];
	uint32_t n, at, victim;

	for (uint32_t i = 0; i < memory->n_prefetchers; i++) {
		const struct mp_sim_prefetcher *prefetcher =
			&memory->prefetcher[i];

		if (found < prefetcher->into)
			continue;
		n = mp_sim_prefetch_see(prefetcher, virtual, want);
		/* All of them lie in the load's page. */
		for (uint32_t k = 0; k < n; k++)
			mp_sim_mixed_fill(memory, prefetcher->into,
					  memory->n_levels, want[k],
					  want[k] + page, &at, &victim);
	}
}

void mp_sim_memory_look_up_pages(const struct mp_sim_memory *memory,
				 struct mp_sim_block *block, uint32_t n)
{
	const struct mp_sim_tlb *tlb = &memory->tlb[block->place->page];

	for (uint32_t i = 0; i < tlb->n; i++)
		mp_sim_cache_sets(&tlb->store[i], block->virtual,
				  block->virtual, n, block->tlb_set[i]);
}

void mp_sim_memory_look_up(const struct mp_sim_memory *memory,
			   struct mp_sim_block *block, uint32_t n)
{
	mp_sim_memory_look_up_pages(memory, block, n);
	for (uint32_t k = 0; k < n; k++)
		block->physical[k] = mp_sim_place_physical(block->place,
							   block->virtual[k]);
	for (uint32_t i = 0; i < memory->n_levels; i++)
		mp_sim_cache_sets(&memory->level[i], block->virtual,
				  block->physical, n, block->set[i]);
}

/* Return: its cycles, without those of translation. */
static uint32_t load(struct mp_sim_memory *memory,
		     const struct mp_sim_block *block, uint32_t n)
{
	uint64_t set[MP_SIM_LEVELS];
	uint32_t found, victim;

	for (uint32_t i = 0; i < memory->n_levels; i++)
		set[i] = block->set[i][n];
	found = mp_sim_mixed_load(memory, 0, memory->n_levels, set,
				  block->virtual[n], &victim);
	if (memory->n_prefetchers)
		prefetch(memory, found, block->virtual[n], block->physical[n]);
	memory->outward += found > 0;
	return memory->latency_cycles[found];
}

/* Does it matter to a store whether a page was used once or twice in a row? */
static bool counts_uses(const struct mp_sim_cache *store)
{
	return store->policy == MP_SIM_SRRIP || store->policy == MP_SIM_QLRU;
}

/* Which loads of a block do TLBs have to see? Those of another page than the
 * one before, if that makes no difference to the innermost. */
static uint32_t see_pages(const struct mp_sim_tlb *tlb,
			  const uint64_t *virtual, uint32_t n, uint16_t *which)
{
	const uint32_t shift = counts_uses(&tlb->store[0]) ?
			       0 : tlb->store[0].line_shift;
	uint32_t seen = 1;

	which[0] = 0;
	for (uint32_t k = 1; k < n; k++) {
		which[seen] = (uint16_t)k;
		seen += !shift || virtual[k] >> shift != virtual[k - 1] >> shift;
	}
	return seen;
}

/* Translation depends on no level: the loads of a block go through each of its
 * stores in a row. */
static void translate_apart(struct mp_sim_tlb *tlb,
			    const struct mp_sim_block *block, uint32_t first,
			    uint32_t n, uint32_t *cycles)
{
	uint16_t which[MP_SIM_BLOCK];
	uint32_t left = 0;

	for (uint32_t k = 0; k < n; k++)
		cycles[k] = tlb->n ? tlb->cost_cycles[0] : tlb->walk_cycles;
	if (tlb->n)
		left = see_pages(tlb, block->virtual + first, n, which);
	for (uint32_t i = 0; i < tlb->n && left; i++) {
		left = mp_sim_many_touch(&tlb->store[i],
					 block->tlb_set[i] + first,
					 block->virtual + first, which, left,
					 which, NULL);
		for (uint32_t k = 0; k < left; k++)
			cycles[which[k]] = i + 1 < tlb->n ?
				tlb->cost_cycles[i + 1] : tlb->walk_cycles;
	}
}

static bool draws(const struct mp_sim_named *policy)
{
	struct mp_sim_qlru qlru = { 0 };

	mp_sim_qlru_parse(policy->text, &qlru);
	return policy->index == MP_SIM_RANDOM || qlru.odds;
}

/* Levels that have to be walked load by load, as they hear from those
 * outside, or a prefetcher asks for what lies inside. */
static uint32_t head_of(const struct mp_sim_memory *memory)
{
	uint32_t head = 0;

	for (uint32_t i = 0; i < memory->n_levels; i++) {
		if (memory->inclusion[i] == MP_SIM_INCLUSIVE)
			head = i + 1;
	}
	for (uint32_t i = 0; i < memory->n_prefetchers; i++) {
		const uint32_t into = memory->prefetcher[i].into;

		if (memory->inclusion[into] == MP_SIM_EXCLUSIVE && into >= head)
			head = into + 1;
	}
	return head;
}

/* No two stores draw from one source in another order than load by load. */
static void set_apart(struct mp_sim_memory *memory)
{
	const struct mp_sim_machine *machine = memory->machine;
	uint32_t levels = 0, outside = 0, tlbs = 0, last = 0;

	memory->head = head_of(memory);
	for (uint32_t i = 0; i < machine->n_levels; i++) {
		if (!draws(&machine->level[i].policy))
			continue;
		levels++;
		outside += i >= memory->head;
		last = i;
	}
	for (uint32_t i = 0; i < machine->n_tlbs; i++)
		tlbs += draws(&machine->tlb[i].policy);
	memory->draws_at_home = tlbs > 0;
	memory->translates_apart = !tlbs || levels + tlbs < 2;
	if (!memory->translates_apart)
		memory->head = memory->n_levels;
	else if (outside && levels > 1)
		memory->head = last + 1;
}

static int init_level(struct mp_sim_memory *memory, uint32_t i,
		      uint64_t reach_bytes)
{
	const struct mp_sim_level *level = &memory->machine->level[i];
	struct mp_sim_shape shape = {
		.lines = level->size_bytes / level->line_bytes,
		.ways = level->ways,
		.slices = level->slices,
		.line_bytes = level->line_bytes,
		.sector_bytes = level->sector_bytes,
		.policy = level->policy.index,
		.by_virtual = level->index == MP_SIM_VIRTUAL,
	};

	memory->latency_cycles[i] = level->latency_cycles;
	memory->inclusion[i] = level->inclusion;
	mp_sim_qlru_parse(level->policy.text, &shape.qlru);
	return mp_sim_cache_init(&memory->level[i], &shape, reach_bytes);
}

static void init_prefetchers(struct mp_sim_memory *memory, bool off)
{
	const struct mp_sim_machine *machine = memory->machine;

	for (uint32_t i = 0; i < machine->n_prefetchers; i++) {
		if (off && machine->prefetch[i].can_switch)
			continue;
		mp_sim_prefetch_init(
			&memory->prefetcher[memory->n_prefetchers++], machine,
			i);
	}
}

int mp_sim_memory_init(struct mp_sim_memory *memory,
		       const struct mp_sim_machine *machine, uint32_t cpu,
		       uint64_t reach_bytes, bool prefetch_off)
{
	int err = 0;

	memory->machine = machine;
	memory->cpu = cpu;
	memory->other = memory;
	memory->n_levels = machine->n_levels;
	memory->latency_cycles[machine->n_levels] =
		machine->general.memory_latency_cycles;
	init_prefetchers(memory, prefetch_off);
	for (uint32_t i = 0; i < memory->n_places && !err; i++) {
		const uint32_t page = memory->place[i].page;

		err = mp_sim_tlb_init(&memory->tlb[page], machine, page,
				      reach_bytes);
	}
	for (uint32_t i = 0; i < memory->n_levels && !err; i++)
		err = init_level(memory, i, reach_bytes);
	set_apart(memory);
	return err;
}

const struct mp_sim_place *
mp_sim_memory_place(const struct mp_sim_memory *memory, uint64_t virtual)
{
	uint32_t i = memory->n_places - 1;

	while (memory->place[i].base > virtual)
		i--;
	return &memory->place[i];
}

static void translate(struct mp_sim_memory *memory,
		      const struct mp_sim_block *block, uint32_t first,
		      uint32_t n, uint32_t *cycles)
{
	struct mp_sim_tlb *tlb = &memory->tlb[block->place->page];

	if (n > 1 || !tlb->n) {
		translate_apart(tlb, block, first, n, cycles);
		return;
	}
	*cycles = mp_sim_tlb_load(tlb, &block->tlb_set[0][first],
				  block->virtual[first]);
}

void mp_sim_memory_translate(struct mp_sim_memory *memory,
			     const struct mp_sim_block *block, uint32_t n)
{
	uint32_t each[MP_SIM_BLOCK];

	translate_apart(&memory->tlb[block->place->page], block, 0, n, each);
}

uint64_t mp_sim_memory_loads(struct mp_sim_memory *memory,
			     const struct mp_sim_block *block, uint32_t first,
			     uint32_t n, uint64_t *sum)
{
	uint32_t each[MP_SIM_BLOCK];
	uint64_t cycles = 0;

	if (memory->translates_apart)
		translate(memory, block, first, n, each);
	if (memory->translates_apart && n > 1) {
		mp_sim_apart_loads(memory, block, first, n, each);
	} else {
		for (uint32_t k = 0; k < n; k++) {
			if (!memory->translates_apart)
				translate(memory, block, first + k, 1,
					  &each[k]);
			each[k] += load(memory, block, first + k);
		}
	}
	for (uint32_t k = 0; k < n; k++) {
		cycles += each[k];
		if (sum)
			sum[k] = cycles;
	}
	return cycles;
}

uint32_t mp_sim_memory_load(struct mp_sim_memory *memory, uint64_t virtual)
{
	struct mp_sim_block block;

	block.place = mp_sim_memory_place(memory, virtual);
	block.virtual[0] = virtual;
	mp_sim_memory_look_up(memory, &block, 1);
	return (uint32_t)mp_sim_memory_loads(memory, &block, 0, 1, NULL);
}

void mp_sim_memory_flush(struct mp_sim_memory *memory, uint64_t virtual)
{
	struct mp_sim_memory *at = memory;

	do {
		mp_sim_mixed_flush(at, virtual);
		at = at->other;
	} while (at != memory);
}
