// SPDX-License-Identifier: GPL-2.0
/*
 * Levels that hear from one another: an inclusive one takes lines out of those
 * inside it, an exclusive one gets what they put out.
 */
#include "sim_mixed.h"

#include "sim_many.h"
#include "sim_set.h"

uint64_t mp_sim_mixed_set(const struct mp_sim_memory *memory, uint32_t i,
			  uint64_t virtual)
{
	const struct mp_sim_cache *level = &memory->level[i];

	if (level->by_virtual)
		return mp_sim_cache_set(level, virtual, 0);
	return mp_sim_cache_set(level, virtual, mp_sim_place_physical(
			mp_sim_memory_place(memory, virtual), virtual));
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
	uint64_t set;

	/* Most of what goes outside has long gone inside. */
	if (mp_sim_set_lacks(level, mp_sim_set_key(level, virtual)))
		return;
	set = mp_sim_mixed_set(memory, k, virtual);
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
void mp_sim_mixed_put_out(struct mp_sim_memory *memory, uint32_t i,
			  uint64_t virtual)
{
	struct mp_sim_memory *at = memory;

	do {
		if (at == memory || is_shared(memory, at, i))
			put_out_of(at, i, virtual);
		at = at->other;
	} while (at != memory);
}

static uint64_t address_of(const struct mp_sim_memory *memory, uint32_t i,
			   uint32_t key)
{
	return (uint64_t)(key - 1) << memory->level[i].line_shift;
}

/* Return: an exclusive level had the line. It gets @victim, of the one inside,
 * and what that puts out takes its place. */
static bool exchange(struct mp_sim_memory *memory, uint32_t i, uint64_t set,
		     uint64_t virtual, bool is_served, uint32_t *victim)
{
	struct mp_sim_cache *level = &memory->level[i];
	const bool hit = !is_served && mp_sim_cache_take(level, set, virtual);
	uint64_t out;

	if (*victim) {
		out = address_of(memory, i - 1, *victim);
		mp_sim_many_one(level, mp_sim_mixed_set(memory, i, out), out, victim);
	}
	return hit;
}

uint32_t mp_sim_mixed_load(struct mp_sim_memory *memory, uint32_t first,
			   uint32_t to, const uint64_t *set, uint64_t virtual,
			   uint32_t *victim)
{
	uint32_t found = to;
	bool hit;

	*victim = 0;
	for (uint32_t i = first; i < to; i++) {
		if (memory->inclusion[i] == MP_SIM_EXCLUSIVE && i > first) {
			hit = exchange(memory, i, set[i], virtual, found < to,
				       victim);
		} else if (found == to) {
			hit = mp_sim_many_one(&memory->level[i], set[i],
					      virtual, victim);
		} else {
			*victim = 0;
			break;
		}
		if (*victim && memory->inclusion[i] == MP_SIM_INCLUSIVE)
			mp_sim_mixed_put_out(memory, i,
				       address_of(memory, i, *victim));
		if (hit)
			found = i;
	}
	return found;
}

bool mp_sim_mixed_lacks(const struct mp_sim_memory *memory, uint32_t i,
			uint64_t virtual, uint64_t physical)
{
	const struct mp_sim_cache *level = &memory->level[i];

	if (level->held && level->sectors == 1)
		return mp_sim_set_lacks(level, mp_sim_set_key(level, virtual));
	return !mp_sim_cache_has(level, mp_sim_cache_set(level, virtual,
							 physical), virtual);
}

bool mp_sim_mixed_fill(struct mp_sim_memory *memory, uint32_t into,
		       uint32_t to, uint64_t virtual, uint64_t physical,
		       uint32_t *found, uint32_t *victim)
{
	const bool alone = memory->inclusion[into] == MP_SIM_EXCLUSIVE;
	uint64_t set[MP_SIM_LEVELS];

	for (uint32_t i = alone ? 0 : into; i <= into; i++) {
		if (!mp_sim_mixed_lacks(memory, i, virtual, physical))
			return false;
	}
	for (uint32_t i = into; i < to; i++)
		set[i] = mp_sim_cache_set(&memory->level[i], virtual, physical);
	memory->outward++;
	*found = mp_sim_mixed_load(memory, into, to, set, virtual, victim);
	return true;
}

void mp_sim_mixed_flush(struct mp_sim_memory *memory, uint64_t virtual)
{
	mp_sim_memory_heed(memory);
	for (uint32_t i = 0; i < memory->n_levels; i++) {
		struct mp_sim_cache *level = &memory->level[i];
		const uint64_t line = virtual >> level->line_shift
					      << level->line_shift;

		if (mp_sim_cache_take(level, mp_sim_mixed_set(memory, i, line), line) &&
		    memory->inclusion[i] == MP_SIM_INCLUSIVE)
			mp_sim_mixed_put_out(memory, i, line);
	}
}
