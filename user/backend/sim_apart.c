// SPDX-License-Identifier: GPL-2.0
/*
 * What a level does depends on none outside it, unless one of those is
 * inclusive: it depends on what comes to it, which is loads that no level
 * inside has served, what the level inside it puts out where it is exclusive,
 * and what prefetchers want. So the loads of a block go through the levels
 * outside the outermost inclusive one, each in a row. Through those before
 * that, the head, they go load by load.
 */
#include "sim_apart.h"

#include <string.h>

#include "sim_many.h"
#include "sim_mixed.h"
#include "sim_set.h"

/* Lines that prefetchers want for the loads of a block. */
#define FILLS (MP_SIM_BLOCK * MP_SIM_PREFETCHERS * MP_SIM_PREFETCH_AHEAD)

/**
 * struct flow - what comes to a level, in order
 * @n: how many
 * @which: loads by their number, fills by theirs + MP_SIM_BLOCK
 * @served: a level inside has had the line
 * @victim: key of what the level inside has put out for it, 0 = nothing
 */
struct flow {
	uint32_t n;
	uint16_t which[MP_SIM_BLOCK + FILLS];
	bool served[MP_SIM_BLOCK + FILLS];
	uint32_t victim[MP_SIM_BLOCK + FILLS];
};

/**
 * struct work - a block on its way outwards
 * @virtual, @physical: addresses of the loads, of fills from MP_SIM_BLOCK on;
 *	the block's own where there are no prefetchers
 * @n, @n_fills: how many
 * @load, @who: the load that a fill comes after, and its prefetcher
 * @set: room for sets of loads and fills
 * @flow: what comes to the next level
 * @next: room for what leaves it
 * @at, @at_physical: room for @virtual and @physical
 */
struct work {
	struct mp_sim_memory *memory;
	const struct mp_sim_block *block;
	uint32_t first;
	uint32_t n;
	uint32_t n_fills;
	const uint64_t *virtual;
	struct flow flow;
	struct flow next;
	uint16_t load[FILLS];
	uint8_t who[FILLS];
	uint64_t set[MP_SIM_BLOCK + FILLS];
	uint64_t at[MP_SIM_BLOCK + FILLS];
	uint64_t at_physical[MP_SIM_BLOCK + FILLS];
};

static void begin(struct work *work)
{
	work->n_fills = 0;
	work->flow.n = 0;
	work->virtual = work->block->virtual + work->first;
	if (!work->memory->n_prefetchers)
		return;
	memcpy(work->at, work->virtual, work->n * sizeof(*work->at));
	work->virtual = work->at;
}

static uint64_t physical_of(const struct work *work, uint32_t load,
			    uint64_t virtual)
{
	const uint64_t inside = (1u << MP_SIM_SMALL_SHIFT) - 1;

	/* Prefetchers stay in the load's page. */
	return (work->block->physical[work->first + load] & ~inside) |
	       (virtual & inside);
}

static void put(struct flow *flow, uint32_t which, bool served,
		uint32_t victim)
{
	flow->which[flow->n] = (uint16_t)which;
	flow->served[flow->n] = served;
	flow->victim[flow->n++] = victim;
}

static uint32_t add_fill(struct work *work, uint32_t load, uint32_t who,
			 uint64_t virtual)
{
	const uint32_t i = work->n_fills++;

	work->load[i] = (uint16_t)load;
	work->who[i] = (uint8_t)who;
	work->at[MP_SIM_BLOCK + i] = virtual;
	work->at_physical[MP_SIM_BLOCK + i] = physical_of(work, load, virtual);
	return MP_SIM_BLOCK + i;
}

/* Which sets of a level do they all belong to? */
static const uint64_t *sets_of(struct work *work, uint32_t i)
{
	const uint64_t *set = work->block->set[i] + work->first;

	if (!work->n_fills)
		return set;
	memcpy(work->set, set, work->n * sizeof(*set));
	mp_sim_cache_sets(&work->memory->level[i], work->at + MP_SIM_BLOCK,
			  work->at_physical + MP_SIM_BLOCK, work->n_fills,
			  work->set + MP_SIM_BLOCK);
	return work->set;
}

/* -- load by load --------------------------------------------------------- */

static bool goes_on(const struct mp_sim_memory *memory, bool served,
		    uint32_t victim)
{
	const uint32_t head = memory->head;

	return head < memory->n_levels &&
	       (!served || (victim &&
			    memory->inclusion[head] == MP_SIM_EXCLUSIVE));
}

static void head_fills(struct work *work, uint32_t load, uint32_t found)
{
	struct mp_sim_memory *memory = work->memory;
	uint64_t want[MP_SIM_PREFETCH_AHEAD];
	uint32_t n, at, victim;

	for (uint32_t j = 0; j < memory->n_prefetchers; j++) {
		const uint32_t into = memory->prefetcher[j].into;

		if (into >= memory->head || found < into)
			continue;
		n = mp_sim_prefetch_see(&memory->prefetcher[j],
					work->virtual[load], want);
		for (uint32_t i = 0; i < n; i++) {
			if (mp_sim_mixed_fill(memory, into, memory->head,
					      want[i],
					      physical_of(work, load, want[i]),
					      &at, &victim) &&
			    goes_on(memory, at < memory->head, victim))
				put(&work->flow,
				    add_fill(work, load, j, want[i]),
				    at < memory->head, victim);
		}
	}
}

static void fetch_head(const struct work *work, uint32_t load)
{
	const struct mp_sim_memory *memory = work->memory;

	for (uint32_t i = 0; load < work->n && i < memory->head; i++)
		mp_sim_set_fetch(&memory->level[i],
				 work->block->set[i][work->first + load]);
}

static void head_loads(struct work *work, uint32_t *cycles)
{
	struct mp_sim_memory *memory = work->memory;
	uint64_t set[MP_SIM_LEVELS];
	uint32_t found, victim;

	for (uint32_t k = 0; k < MP_SIM_FETCH_AHEAD; k++)
		fetch_head(work, k);
	for (uint32_t k = 0; k < work->n; k++) {
		fetch_head(work, k + MP_SIM_FETCH_AHEAD);
		for (uint32_t i = 0; i < memory->head; i++)
			set[i] = work->block->set[i][work->first + k];
		found = mp_sim_mixed_load(memory, 0, memory->head, set,
					  work->virtual[k], &victim);
		cycles[k] += memory->latency_cycles[found];
		memory->outward += found > 0;
		if (goes_on(memory, found < memory->head, victim))
			put(&work->flow, k, found < memory->head, victim);
		if (memory->n_prefetchers)
			head_fills(work, k, found);
	}
}

/* -- level by level ------------------------------------------------------- */

static bool is_asked(const struct mp_sim_memory *memory, uint32_t i)
{
	return i + 1 < memory->n_levels &&
	       memory->inclusion[i + 1] == MP_SIM_EXCLUSIVE;
}

/* Loads as they come from inside go through a level that is not exclusive:
 * those that were served end before it. */
static void pass(struct work *work, uint32_t i)
{
	const uint64_t *set = sets_of(work, i);
	struct flow *flow = &work->flow;
	uint32_t n = 0;

	for (uint32_t k = 0; k < flow->n; k++) {
		flow->which[n] = flow->which[k];
		n += !flow->served[k];
	}
	flow->n = mp_sim_many_touch(&work->memory->level[i], set,
				    work->virtual, flow->which, n, flow->which,
				    is_asked(work->memory, i) ? flow->victim :
								NULL);
	memset(flow->served, 0, flow->n);
}

/* One that no level inside has served. */
static void pass_one(struct work *work, uint32_t i, uint32_t which,
		     uint64_t set)
{
	uint32_t victim;

	if (!mp_sim_many_one(&work->memory->level[i], set,
			     work->virtual[which], &victim))
		put(&work->next, which, false, victim);
}

/* A load has come to a level that a prefetcher fills. */
static void fill_here(struct work *work, uint32_t i, uint32_t load,
		      uint32_t who)
{
	struct mp_sim_memory *memory = work->memory;
	uint64_t want[MP_SIM_PREFETCH_AHEAD], physical;
	const uint32_t n = mp_sim_prefetch_see(&memory->prefetcher[who],
					       work->virtual[load], want);

	for (uint32_t k = 0; k < n; k++) {
		physical = physical_of(work, load, want[k]);
		if (!mp_sim_mixed_lacks(memory, i, want[k], physical))
			continue;
		memory->outward++;
		pass_one(work, i, add_fill(work, load, who, want[k]),
			 mp_sim_cache_set(&memory->level[i], want[k],
					  physical));
	}
}

static uint32_t load_of(const struct work *work, uint32_t which)
{
	return which < MP_SIM_BLOCK ? which : work->load[which - MP_SIM_BLOCK];
}

/* All that comes with one load, in the order of the prefetchers. */
static uint32_t pass_group(struct work *work, uint32_t i, const uint64_t *set,
			   uint32_t at)
{
	const struct flow *flow = &work->flow;
	const uint32_t load = load_of(work, flow->which[at]);
	bool is_seen = false;

	if (flow->which[at] < MP_SIM_BLOCK) {
		is_seen = !flow->served[at];
		if (is_seen)
			pass_one(work, i, load, set[load]);
		at++;
	}
	for (uint32_t j = 0; j < work->memory->n_prefetchers; j++) {
		if (work->memory->prefetcher[j].into == i) {
			if (is_seen)
				fill_here(work, i, load, j);
			continue;
		}
		for (; at < flow->n; at++) {
			const uint32_t which = flow->which[at];

			if (load_of(work, which) != load ||
			    work->who[which - MP_SIM_BLOCK] != j)
				break;
			if (!flow->served[at])
				pass_one(work, i, which, set[which]);
		}
	}
	return at;
}

/* The same through a level that prefetchers fill. */
static void pass_filled(struct work *work, uint32_t i)
{
	const uint64_t *set = sets_of(work, i);
	uint32_t at = 0;

	work->next.n = 0;
	for (uint32_t k = 0; k < work->flow.n; k++)
		mp_sim_set_fetch(&work->memory->level[i],
				 set[work->flow.which[k]]);
	while (at < work->flow.n)
		at = pass_group(work, i, set, at);
	work->flow.n = work->next.n;
	memcpy(work->flow.which, work->next.which,
	       work->next.n * sizeof(*work->next.which));
	memcpy(work->flow.victim, work->next.victim,
	       work->next.n * sizeof(*work->next.victim));
	memset(work->flow.served, 0, work->next.n);
}

/* Which sets of a level do lines belong to that the level inside puts out? */
static void look_up_victims(const struct mp_sim_memory *memory, uint32_t i,
			    const struct flow *flow, uint64_t *virtual,
			    uint64_t *set)
{
	const uint32_t shift = memory->level[i - 1].line_shift;
	const struct mp_sim_place *place;

	for (uint32_t k = 0; k < flow->n; k++) {
		if (!flow->victim[k])
			continue;
		virtual[k] = (uint64_t)(flow->victim[k] - 1) << shift;
		place = mp_sim_memory_place(memory, virtual[k]);
		set[k] = mp_sim_cache_set(&memory->level[i], virtual[k],
				mp_sim_place_physical(place, virtual[k]));
	}
}

/* What comes and what the level inside has put out for it. */
static void fetch_both(const struct mp_sim_cache *level,
		       const struct flow *flow, uint32_t k,
		       const uint64_t *set, const uint64_t *out_set)
{
	if (k >= flow->n)
		return;
	if (!flow->served[k])
		mp_sim_set_fetch(level, set[flow->which[k]]);
	if (flow->victim[k])
		mp_sim_set_fetch(level, out_set[k]);
}

/* An exclusive level gives up what it has, and gets what is put out. */
static void exchange(struct work *work, uint32_t i)
{
	struct mp_sim_cache *level = &work->memory->level[i];
	uint64_t out[MP_SIM_BLOCK + FILLS], out_set[MP_SIM_BLOCK + FILLS];
	const uint64_t *set = sets_of(work, i);
	struct flow *flow = &work->flow;
	uint32_t n = 0;

	look_up_victims(work->memory, i, flow, out, out_set);
	for (uint32_t k = 0; k < MP_SIM_FETCH_AHEAD; k++)
		fetch_both(level, flow, k, set, out_set);
	for (uint32_t k = 0; k < flow->n; k++) {
		fetch_both(level, flow, k + MP_SIM_FETCH_AHEAD, set, out_set);
		const uint32_t which = flow->which[k];
		const bool served = flow->served[k] ||
			mp_sim_cache_take(level, set[which],
					  work->virtual[which]);
		uint32_t victim = flow->victim[k];

		if (victim)
			mp_sim_many_one(level, out_set[k], out[k], &victim);
		flow->which[n] = (uint16_t)which;
		flow->served[n] = served;
		flow->victim[n] = victim;
		n += !served || victim;
	}
	flow->n = n;
}

static bool is_filled(const struct mp_sim_memory *memory, uint32_t i)
{
	for (uint32_t j = 0; j < memory->n_prefetchers; j++) {
		if (memory->prefetcher[j].into == i)
			return true;
	}
	return false;
}

static void go_through(struct work *work, uint32_t i, uint32_t *cycles)
{
	const struct mp_sim_memory *memory = work->memory;
	const uint32_t more = memory->latency_cycles[i + 1] -
			      memory->latency_cycles[i];

	if (i && memory->inclusion[i] == MP_SIM_EXCLUSIVE)
		exchange(work, i);
	else if (is_filled(memory, i))
		pass_filled(work, i);
	else
		pass(work, i);
	for (uint32_t k = 0; k < work->flow.n; k++) {
		if (work->flow.which[k] < MP_SIM_BLOCK)
			cycles[work->flow.which[k]] +=
				work->flow.served[k] ? 0 : more;
	}
}

void mp_sim_apart_loads(struct mp_sim_memory *memory,
			const struct mp_sim_block *block, uint32_t first,
			uint32_t n, uint32_t *cycles)
{
	struct work work;

	work.memory = memory;
	work.block = block;
	work.first = first;
	work.n = n;
	begin(&work);
	if (memory->head)
		head_loads(&work, cycles);
	for (uint32_t k = 0; !memory->head && k < n; k++) {
		put(&work.flow, k, false, 0);
		cycles[k] += memory->latency_cycles[0];
	}
	for (uint32_t i = memory->head; i < memory->n_levels && work.flow.n;
	     i++) {
		go_through(&work, i, cycles);
		if (!i)
			memory->outward += work.flow.n;
	}
}
