// SPDX-License-Identifier: GPL-2.0
/*
 * Loads through translation and levels, and what prefetchers bring beside
 * them. Machines of non-inclusive levels only, which most are, take a short
 * way.
 */
#include "sim_memory.h"

#include "sim_apart.h"
#include "sim_many.h"

static uint64_t set_in(const struct mp_sim_memory *memory, uint32_t i,
		       uint64_t virtual)
{
	const struct mp_sim_place *place = mp_sim_memory_place(memory, virtual);
	const uint64_t physical = mp_sim_place_physical(place, virtual);
	uint64_t set;

	mp_sim_cache_sets(&memory->level[i], &virtual, &physical, 1, &set);
	return set;
}

static bool is_shared(const struct mp_sim_memory *a,
		      const struct mp_sim_memory *b, uint32_t i)
{
	const uint32_t shared = a->machine->level[i].shared;

	return a->cpu / shared == b->cpu / shared;
}

static void put_out_line(struct mp_sim_memory *memory, uint32_t k,
			 uint64_t virtual)
{
	struct mp_sim_cache *level = &memory->level[k];
	const uint64_t set = set_in(memory, k, virtual);

	if (!k && memory->heed && mp_sim_cache_holds(level, set, virtual))
		mp_sim_memory_heed(memory);
	mp_sim_cache_take(level, set, virtual);
}

/* The same lines out of the levels inside the ith of one CPU. */
static void put_out_of(struct mp_sim_memory *memory, uint32_t i,
		       uint64_t virtual)
{
	const uint64_t end = virtual + (1ull << memory->level[i].line_shift);

	for (uint32_t k = 0; k < i; k++) {
		const uint64_t step = 1ull << memory->level[k].line_shift;

		for (uint64_t at = virtual; at < end; at += step)
			put_out_line(memory, k, at);
	}
}

/*
 * A line is put out of an inclusive level: nothing inside may keep it, be it
 * of this CPU or of another that shares the level.
 */
static void put_out_inside(struct mp_sim_memory *memory, uint32_t i,
			   uint64_t virtual)
{
	struct mp_sim_memory *at = memory;

	do {
		if (at == memory || is_shared(memory, at, i))
			put_out_of(at, i, virtual);
		at = at->other;
	} while (at != memory);
}

/* Return: the level that has it; behind the last one: memory. */
static uint32_t load_plain(struct mp_sim_memory *memory,
			   const struct mp_sim_block *block, uint32_t n)
{
	uint32_t i = 0;

	while (i < memory->n_levels &&
	       !mp_sim_cache_touch(&memory->level[i], block->set[i][n],
				   block->virtual[n]))
		i++;
	return i;
}

/*
 * From a level on outwards, up to the one that has the line. An exclusive
 * level is filled by what the level inside it puts out, and a line that is
 * found in it moves inwards. So a victim may have to be passed on outwards
 * after the load itself has been served.
 */
static uint32_t load_mixed(struct mp_sim_memory *memory, uint32_t first,
			   const uint64_t *set, uint64_t virtual)
{
	uint32_t found = memory->n_levels;
	uint64_t victim = 0;
	bool put_out = false, hit;

	for (uint32_t i = first; i < memory->n_levels; i++) {
		const bool served = found < memory->n_levels;
		struct mp_sim_cache *level = &memory->level[i];

		if (memory->inclusion[i] == MP_SIM_EXCLUSIVE && i > first) {
			hit = !served && mp_sim_cache_take(level, set[i],
							   virtual);
			level->victim = 0;
			if (put_out)
				mp_sim_cache_touch(level,
					set_in(memory, i, victim), victim);
		} else if (!served) {
			hit = mp_sim_cache_touch(level, set[i], virtual);
		} else {
			break;
		}
		put_out = mp_sim_cache_victim(level, &victim);
		if (put_out && memory->inclusion[i] == MP_SIM_INCLUSIVE)
			put_out_inside(memory, i, victim);
		if (hit)
			found = i;
	}
	return found;
}

/*
 * A prefetched line, into one level and those outside it that lack it. Where
 * it is there already, nothing happens; and what an exclusive level is to get
 * must not lie inside it.
 */
static void fill(struct mp_sim_memory *memory, uint32_t into, uint64_t virtual)
{
	const bool alone = memory->inclusion[into] == MP_SIM_EXCLUSIVE;
	uint64_t set[MP_SIM_LEVELS];

	for (uint32_t i = alone ? 0 : into; i <= into; i++) {
		set[i] = set_in(memory, i, virtual);
		if (mp_sim_cache_has(&memory->level[i], set[i], virtual))
			return;
	}
	for (uint32_t i = into + 1; i < memory->n_levels; i++)
		set[i] = set_in(memory, i, virtual);
	memory->outward++;
	load_mixed(memory, into, set, virtual);
}

/* A load has come as far as level @found: who sees it, and what then? */
static void prefetch(struct mp_sim_memory *memory, uint32_t found,
		     uint64_t virtual)
{
	uint64_t want[MP_SIM_PREFETCH_AHEAD];
	uint32_t n;

	for (uint32_t i = 0; i < memory->n_prefetchers; i++) {
		const struct mp_sim_prefetcher *prefetcher =
			&memory->prefetcher[i];

		if (found < prefetcher->into)
			continue;
		n = mp_sim_prefetch_see(prefetcher, virtual, want);
		for (uint32_t k = 0; k < n; k++)
			fill(memory, prefetcher->into, want[k]);
	}
}

void mp_sim_memory_look_up(const struct mp_sim_memory *memory,
			   struct mp_sim_block *block, uint32_t n)
{
	const struct mp_sim_tlb *tlb = &memory->tlb[block->place->page];

	for (uint32_t k = 0; k < n; k++)
		block->physical[k] = mp_sim_place_physical(block->place,
							   block->virtual[k]);
	for (uint32_t i = 0; i < tlb->n; i++)
		mp_sim_cache_sets(&tlb->store[i], block->virtual,
				  block->virtual, n, block->tlb_set[i]);
	for (uint32_t i = 0; i < memory->n_levels; i++)
		mp_sim_cache_sets(&memory->level[i], block->virtual,
				  block->physical, n, block->set[i]);
}

/* Return: its cycles, without those of translation. */
static uint32_t load(struct mp_sim_memory *memory,
		     const struct mp_sim_block *block, uint32_t n)
{
	uint64_t set[MP_SIM_LEVELS];
	uint32_t found;

	if (memory->is_plain) {
		found = load_plain(memory, block, n);
	} else {
		for (uint32_t i = 0; i < memory->n_levels; i++)
			set[i] = block->set[i][n];
		found = load_mixed(memory, 0, set, block->virtual[n]);
	}
	if (memory->n_prefetchers)
		prefetch(memory, found, block->virtual[n]);
	memory->outward += found > 0;
	return memory->latency_cycles[found];
}

/* Translation depends on no level: the loads of a block go through each of its
 * stores in a row. */
static void translate_apart(struct mp_sim_tlb *tlb,
			    const struct mp_sim_block *block, uint32_t first,
			    uint32_t n, uint32_t *cycles)
{
	uint8_t which[MP_SIM_BLOCK];
	uint32_t left = n;

	for (uint32_t k = 0; k < n; k++) {
		which[k] = (uint8_t)k;
		cycles[k] = tlb->n ? tlb->cost_cycles[0] : tlb->walk_cycles;
	}
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

/* No two stores draw from one source in another order than load by load. */
static void set_apart(struct mp_sim_memory *memory)
{
	const struct mp_sim_machine *machine = memory->machine;
	uint32_t drawing = 0, tlbs = 0;

	for (uint32_t i = 0; i < machine->n_levels; i++)
		drawing += draws(&machine->level[i].policy);
	for (uint32_t i = 0; i < machine->n_tlbs; i++)
		tlbs += draws(&machine->tlb[i].policy);
	drawing += tlbs;
	memory->draws_at_home = tlbs > 0;
	memory->translates_apart = drawing < 2;
	memory->is_apart = !memory->n_prefetchers && drawing < 2;
	for (uint32_t i = 0; i < memory->n_levels; i++)
		memory->is_apart &= memory->inclusion[i] != MP_SIM_INCLUSIVE;
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
	if (level->inclusion != MP_SIM_NON_INCLUSIVE)
		memory->is_plain = false;
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
	memory->is_plain = true;
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

uint64_t mp_sim_memory_loads(struct mp_sim_memory *memory,
			     const struct mp_sim_block *block, uint32_t first,
			     uint32_t n, uint64_t *sum)
{
	uint32_t each[MP_SIM_BLOCK];
	uint64_t cycles = 0;

	if (memory->translates_apart)
		translate(memory, block, first, n, each);
	if (memory->is_apart && n > 1) {
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

static void flush_of(struct mp_sim_memory *memory, uint64_t virtual)
{
	mp_sim_memory_heed(memory);
	for (uint32_t i = 0; i < memory->n_levels; i++) {
		struct mp_sim_cache *level = &memory->level[i];
		const uint64_t line = virtual >> level->line_shift
					      << level->line_shift;

		if (mp_sim_cache_take(level, set_in(memory, i, line), line) &&
		    memory->inclusion[i] == MP_SIM_INCLUSIVE)
			put_out_inside(memory, i, line);
	}
}

void mp_sim_memory_flush(struct mp_sim_memory *memory, uint64_t virtual)
{
	struct mp_sim_memory *at = memory;

	do {
		flush_of(at, virtual);
		at = at->other;
	} while (at != memory);
}
