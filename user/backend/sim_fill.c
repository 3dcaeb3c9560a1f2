// SPDX-License-Identifier: GPL-2.0
/*
 * The first walk of a ring through an empty machine. No line comes twice, so
 * that every load misses every level, and what a set does depends on nothing
 * but how many lines it has had: which way the next one takes, and what is
 * remembered of the ways, is found out once for one set and looked up for all
 * of them. What an inclusive level takes out of one inside it ends that for
 * the set that it was in.
 */
#include "sim_fill.h"

#include <stdlib.h>
#include <string.h>

#include "sim_machine.h"
#include "sim_many.h"
#include "sim_mixed.h"
#include "sim_set.h"

/* A set is again as it was after so many lines, or it is done without. */
#define STAGES 256u
/* What has become of a set that is no more like the others. */
#define APART UINT16_MAX
/* Fewer loads, or fewer for so many sets, are no trouble as they are. */
#define LOADS_MIN 256u
#define SETS_A_LOAD 32u

/**
 * struct mp_sim_filling - one level
 * @cache: it
 * @n: stages of a set that differ
 * @way: that the next line takes, at each
 * @next: stage after that
 * @order: what is remembered at each, where lines stay in their ways
 * @begun, @n_begun: the sets that have had a line
 * @stage: of each set
 *
 * Where @n is 0 the level goes its usual way.
 */
struct mp_sim_filling {
	struct mp_sim_cache *cache;
	uint32_t n;
	uint16_t way[STAGES];
	uint16_t next[STAGES];
	struct mp_sim_order order[STAGES];
	uint32_t *begun;
	uint32_t n_begun;
	uint16_t stage[];
};

/* -- one set for all ------------------------------------------------------ */

static bool draws(const struct mp_sim_cache *cache)
{
	return cache->policy == MP_SIM_RANDOM ||
	       (cache->policy == MP_SIM_QLRU && cache->qlru.odds);
}

/* Newest lines first: here the way is where in a circle a line is put. */
static void learn_ordered(struct mp_sim_filling *filling)
{
	const uint32_t ways = filling->cache->ways;

	filling->n = 2 * ways;
	for (uint32_t i = 0; i < filling->n; i++) {
		filling->way[i] = (uint16_t)(i % ways);
		filling->next[i] = (uint16_t)(i + 1 < filling->n ? i + 1 : ways);
	}
}

static bool is_same(const struct mp_sim_order *a, const struct mp_sim_order *b)
{
	return a->a == b->a && a->b == b->b && a->used == b->used;
}

/* Which stage is it that a full set is in again? @n: none. */
static uint32_t same_as(const struct mp_sim_filling *filling, uint32_t n,
			const struct mp_sim_order *order)
{
	uint32_t i = filling->cache->ways;

	while (i < n && !is_same(&filling->order[i], order))
		i++;
	return i < n ? i : n;
}

static void learn_in_place(struct mp_sim_filling *filling)
{
	struct mp_sim_cache one = *filling->cache;
	_Alignas(16) uint32_t word[MP_SIM_ORDER_WAYS] = { 0 };
	struct mp_sim_order order = { 0 };
	uint32_t way, same;

	one.word = word;
	one.order = &order;
	one.held = NULL;
	for (uint32_t i = 0; i < STAGES; i++) {
		const uint64_t virtual = (uint64_t)i << one.line_shift;

		filling->order[i] = order;
		mp_sim_cache_touch(&one, 0, virtual);
		way = mp_sim_set_find(word, one.pitch,
				      mp_sim_set_key(&one, virtual) << one.sectors,
				      ~0u << one.sectors);
		filling->way[i] = (uint16_t)way;
		same = same_as(filling, i + 1, &order);
		filling->next[i] = (uint16_t)same;
		if (same <= i) {
			filling->n = i + 1;
			return;
		}
	}
}

static void free_filling(struct mp_sim_filling *filling)
{
	if (filling)
		free(filling->begun);
	free(filling);
}

/* Return: NULL where there is no memory. */
static struct mp_sim_filling *make_filling(struct mp_sim_cache *cache,
					   uint64_t loads)
{
	struct mp_sim_filling *filling;

	filling = calloc(1, sizeof(*filling) +
			    cache->sets * sizeof(filling->stage[0]));
	if (!filling)
		return NULL;
	filling->begun = malloc((loads < cache->sets ? loads : cache->sets) *
				sizeof(*filling->begun));
	if (!filling->begun) {
		free_filling(filling);
		return NULL;
	}
	filling->cache = cache;
	if (cache->layout == MP_SIM_ORDERED && 2 * cache->ways <= STAGES)
		learn_ordered(filling);
	else if (cache->layout == MP_SIM_IN_PLACE && cache->order &&
		 !draws(cache))
		learn_in_place(filling);
	return filling;
}

/* -- sets ----------------------------------------------------------------- */

/* A circle of lines into their order, the newest first. */
static void straighten(const struct mp_sim_cache *cache, uint32_t *words,
		       uint32_t stage)
{
	const uint32_t ways = cache->ways, newest = (stage - 1) % ways;
	uint32_t line[STAGES];

	memcpy(line, words, ways * sizeof(*words));
	for (uint32_t i = 0; i < ways; i++)
		words[i] = line[newest >= i ? newest - i : newest + ways - i];
}

/* From now on it goes its usual way. */
static void part(struct mp_sim_filling *filling, uint64_t set)
{
	const struct mp_sim_cache *cache = filling->cache;
	const uint32_t stage = filling->stage[set];

	filling->stage[set] = APART;
	if (!stage || stage == APART)
		return;
	if (cache->layout == MP_SIM_ORDERED)
		straighten(cache, cache->word + set * cache->pitch, stage);
	else
		cache->order[set] = filling->order[stage];
}

/* A line comes. Return: the key of what it puts out, 0 = nothing. */
static inline uint32_t fill(struct mp_sim_filling *filling, uint64_t set,
			    uint64_t virtual)
{
	struct mp_sim_cache *cache = filling->cache;
	const uint32_t stage = filling->stage[set];
	const uint32_t key = mp_sim_set_key(cache, virtual);
	uint32_t *word, victim;

	if (!filling->n || stage == APART) {
		mp_sim_many_one(cache, set, virtual, &victim);
		return victim;
	}
	if (!stage)
		filling->begun[filling->n_begun++] = (uint32_t)set;
	word = cache->word + set * cache->pitch + filling->way[stage];
	victim = *word >> cache->sectors;
	*word = key << cache->sectors | mp_sim_set_sector(cache, virtual);
	filling->stage[set] = filling->next[stage];
	mp_sim_set_note(cache, key, victim);
	return victim;
}

/* -- levels --------------------------------------------------------------- */

/* The same lines out of the levels inside the ith. */
static void put_out(struct mp_sim_filler *filler, uint32_t i, uint64_t virtual)
{
	struct mp_sim_memory *memory = filler->memory;
	const uint64_t end = virtual + (1ull << memory->level[i].line_shift);
	bool found = false;

	for (uint32_t k = 0; k < i; k++) {
		const struct mp_sim_cache *level = &memory->level[k];
		const uint64_t step = 1ull << level->line_shift;

		for (uint64_t at = virtual; at < end; at += step) {
			if (mp_sim_set_lacks(level, mp_sim_set_key(level, at)))
				continue;
			found = true;
			if (filler->level[k]->n)
				part(filler->level[k],
				     mp_sim_mixed_set(memory, k, at));
		}
	}
	if (found)
		mp_sim_mixed_put_out(memory, i, virtual);
}

static void load(struct mp_sim_filler *filler, const struct mp_sim_block *block,
		 uint32_t n)
{
	struct mp_sim_memory *memory = filler->memory;
	uint32_t victim = 0;

	for (uint32_t i = 0; i < memory->n_levels; i++) {
		struct mp_sim_filling *filling = filler->level[i];

		if (!i || memory->inclusion[i] != MP_SIM_EXCLUSIVE) {
			victim = fill(filling, block->set[i][n],
				      block->virtual[n]);
		} else if (victim) {
			const uint64_t out = (uint64_t)(victim - 1) <<
					     memory->level[i - 1].line_shift;

			victim = fill(filling, mp_sim_mixed_set(memory, i, out),
				      out);
		}
		if (victim && memory->inclusion[i] == MP_SIM_INCLUSIVE)
			put_out(filler, i, (uint64_t)(victim - 1) <<
					   memory->level[i].line_shift);
	}
}

static void fetch(const struct mp_sim_filler *filler,
		  const struct mp_sim_block *block, uint32_t n)
{
	const struct mp_sim_memory *memory = filler->memory;

	for (uint32_t i = 0; i < memory->n_levels; i++)
		mp_sim_set_fetch(&memory->level[i], block->set[i][n]);
}

void mp_sim_fill_loads(struct mp_sim_filler *filler,
		       const struct mp_sim_block *block, uint32_t n)
{
	mp_sim_memory_translate(filler->memory, block, n);
	for (uint32_t k = 0; k < n && k < MP_SIM_FETCH_AHEAD; k++)
		fetch(filler, block, k);
	for (uint32_t k = 0; k < n; k++) {
		if (k + MP_SIM_FETCH_AHEAD < n)
			fetch(filler, block, k + MP_SIM_FETCH_AHEAD);
		load(filler, block, k);
	}
	filler->memory->outward += n;
}

/* Is every load one of a line that no level has had, and does a level hear of
 * others only what is looked after here? */
static bool is_plain(const struct mp_sim_memory *memory,
		     const struct mp_ring *shape)
{
	bool is_exclusive = false, is_even = true;

	if (memory->n_prefetchers || !memory->translates_apart || shape->skew_bytes)
		return false;
	for (uint32_t i = 0; i < memory->n_levels; i++) {
		const struct mp_sim_cache *level = &memory->level[i];

		if (shape->stride_bytes < 1ull << level->line_shift ||
		    level->room_low != level->ways)
			return false;
		is_exclusive |= memory->inclusion[i] == MP_SIM_EXCLUSIVE;
		is_even &= level->line_shift == memory->level[0].line_shift;
		for (uint32_t k = 0; memory->inclusion[i] == MP_SIM_INCLUSIVE &&
				     k < i; k++) {
			if (!memory->level[k].held)
				return false;
		}
	}
	return is_even || !is_exclusive;
}

bool mp_sim_fill_begin(struct mp_sim_filler *filler,
		       const struct mp_sim_cores *cores,
		       struct mp_sim_memory *memory,
		       const struct mp_ring *shape, uint64_t loads)
{
	uint64_t sets = 0;

	memset(filler, 0, sizeof(*filler));
	filler->memory = memory;
	for (uint32_t i = 0; i < memory->n_levels; i++)
		sets += memory->level[i].sets;
	/* Its first load went outward. */
	if (loads < LOADS_MIN || loads < sets / SETS_A_LOAD || cores->n > 1 ||
	    memory->outward || !is_plain(memory, shape))
		return false;
	for (uint32_t i = 0; i < memory->n_levels; i++) {
		filler->level[i] = make_filling(&memory->level[i], loads);
		if (!filler->level[i]) {
			mp_sim_fill_end(filler);
			return false;
		}
	}
	return true;
}

void mp_sim_fill_end(struct mp_sim_filler *filler)
{
	for (uint32_t i = 0; i < MP_SIM_LEVELS; i++) {
		struct mp_sim_filling *filling = filler->level[i];

		for (uint32_t k = 0; filling && k < filling->n_begun; k++)
			part(filling, filling->begun[k]);
		free_filling(filling);
		filler->level[i] = NULL;
	}
}
