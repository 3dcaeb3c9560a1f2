/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of one set, for those who keep stores (sim_cache.c, sim_many.c).
 * A chase makes millions of these calls, so words are handled four at a time,
 * in vectors that every target of gcc has.
 */
#ifndef MP_SIM_SET_H
#define MP_SIM_SET_H

#include "sim_cache.h"

#define MP_SIM_LANES 4u
/** MP_SIM_SET_ABSENT - the way of a line that is in none. */
#define MP_SIM_SET_ABSENT UINT32_MAX

typedef uint32_t mp_sim_lanes __attribute__((vector_size(16), may_alias));
typedef int32_t mp_sim_signs __attribute__((vector_size(16), may_alias));

static inline uint32_t mp_sim_set_key(const struct mp_sim_cache *cache,
				      uint64_t virtual)
{
	return (uint32_t)(virtual >> cache->line_shift) + 1;
}

static inline uint32_t mp_sim_set_sector(const struct mp_sim_cache *cache,
					 uint64_t virtual)
{
	return 1u << (virtual >> cache->sector_shift & (cache->sectors - 1));
}

/* Lines whose bits share a word. */
#define MP_SIM_HELD_BITS 64u

static inline uint64_t mp_sim_held_bit(uint32_t key)
{
	return 1ull << key % MP_SIM_HELD_BITS;
}

/* Is it known that a line is not there? */
static inline bool mp_sim_set_lacks(const struct mp_sim_cache *cache,
				    uint32_t key)
{
	return cache->held && !(cache->held[key / MP_SIM_HELD_BITS] &
				mp_sim_held_bit(key));
}

/* A line has gone. */
static inline void mp_sim_set_drop(const struct mp_sim_cache *cache,
				   uint32_t key)
{
	if (cache->held)
		cache->held[key / MP_SIM_HELD_BITS] &= ~mp_sim_held_bit(key);
}

/* A line comes, and another one goes (0: none does). */
static inline void mp_sim_set_note(const struct mp_sim_cache *cache,
				   uint32_t comes, uint32_t goes)
{
	if (!cache->held)
		return;
	cache->held[goes / MP_SIM_HELD_BITS] &= ~mp_sim_held_bit(goes);
	cache->held[comes / MP_SIM_HELD_BITS] |= mp_sim_held_bit(comes);
}

/* The way that holds @key, or MP_SIM_SET_ABSENT. At most one does. */
static inline uint32_t mp_sim_set_find(const uint32_t *set, uint32_t pitch, uint32_t key,
			    uint32_t mask)
{
	const mp_sim_lanes step = { MP_SIM_LANES, MP_SIM_LANES, MP_SIM_LANES, MP_SIM_LANES };
	mp_sim_lanes found = { 0 }, at = { 1, 2, 3, 4 };

#pragma GCC unroll 4
	for (uint32_t i = 0; i < pitch; i += MP_SIM_LANES) {
		const mp_sim_lanes words = *(const mp_sim_lanes *)(set + i);

		found |= (mp_sim_lanes)((words & mask) == key) & at;
		at += step;
	}
	return (found[0] | found[1] | found[2] | found[3]) - 1;
}

/*
 * Put @word first; what stood before @way moves back by one, over it. No
 * branch depends on @way: it is as random as the hits are.
 */
static inline void mp_sim_set_push(uint32_t *set, uint32_t pitch, uint32_t way,
			      uint32_t word)
{
	const mp_sim_lanes back = { 0, 0, 1, 2 };
	const mp_sim_signs step = { MP_SIM_LANES, MP_SIM_LANES, MP_SIM_LANES, MP_SIM_LANES };
	mp_sim_signs at = { 0, 1, 2, 3 };
	uint32_t last;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < pitch; i += MP_SIM_LANES) {
		const mp_sim_lanes old = *(mp_sim_lanes *)(set + i);
		const mp_sim_lanes use = (mp_sim_lanes)(at <= (int32_t)way);
		mp_sim_lanes moved = __builtin_shuffle(old, back);

		last = set[i + MP_SIM_LANES - 1];
		moved[0] = word;
		*(mp_sim_lanes *)(set + i) = (moved & use) | (old & ~use);
		word = last;
		at += step;
	}
}

/* Take out the word at @way: those behind it move up. */
static inline void mp_sim_set_pull(uint32_t *set, uint32_t pitch, uint32_t way)
{
	const mp_sim_lanes on = { 1, 2, 3, 0 };
	const mp_sim_signs step = { MP_SIM_LANES, MP_SIM_LANES, MP_SIM_LANES, MP_SIM_LANES };
	mp_sim_signs at = { 0, 1, 2, 3 };

	for (uint32_t i = 0; i < pitch; i += MP_SIM_LANES) {
		const mp_sim_lanes old = *(mp_sim_lanes *)(set + i);
		const mp_sim_lanes use = (mp_sim_lanes)(at >= (int32_t)way);
		mp_sim_lanes moved = __builtin_shuffle(old, on);

		moved[MP_SIM_LANES - 1] = i + MP_SIM_LANES < pitch ?
					  set[i + MP_SIM_LANES] : 0;
		*(mp_sim_lanes *)(set + i) = (moved & use) | (old & ~use);
		at += step;
	}
}

/*
 * A set is fetched into the caches of this machine some loads before it is
 * used: otherwise a chase does little but wait for its sets.
 */
#define MP_SIM_FETCH_AHEAD 8u

static inline void mp_sim_set_fetch(const struct mp_sim_cache *cache,
				    uint64_t set)
{
	const uint32_t *words = cache->word + set * cache->pitch;

	if (!cache->is_large)
		return;
	__builtin_prefetch(words, 1);
	__builtin_prefetch(words + cache->pitch - 1, 1);
	if (cache->order)
		__builtin_prefetch(cache->order + set, 1);
}

/* Ways of this set that may be filled. */
static inline uint32_t mp_sim_set_room(const struct mp_sim_cache *cache, uint64_t set)
{
	/* A multiplicative hash spreads the wider sets evenly. */
	return cache->room_low +
	       ((uint32_t)set * 0x9e3779b1u < cache->room_share);
}

#endif
