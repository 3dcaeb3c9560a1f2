// SPDX-License-Identifier: GPL-2.0
/*
 * Many loads of one store in a row. In sets that are kept in order of use no
 * branch depends on whether a line is there: it is as random as the chase,
 * and a processor that guesses wrong once a load does little else.
 */
#include "sim_many.h"

#include "sim_bits.h"
#include "sim_machine.h"
#include "sim_set.h"

static uint32_t touch_each(struct mp_sim_cache *cache, const uint64_t *set,
			   const uint64_t *virtual, const uint8_t *which,
			   uint32_t n, uint8_t *missed, uint32_t *victim)
{
	uint32_t misses = 0;
	bool hit;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t k = which[i];

		hit = mp_sim_cache_touch(cache, set[k], virtual[k]);
		missed[misses] = k;
		if (victim)
			victim[misses] = cache->victim;
		misses += !hit;
	}
	return misses;
}

/* One wide set, in a list. */
static uint32_t touch_list(struct mp_sim_cache *cache, const uint64_t *virtual,
			   const uint8_t *which, uint32_t n, uint8_t *missed,
			   uint32_t *victim)
{
	const uint32_t room = mp_sim_set_room(cache, 0);
	const bool promote = cache->policy == MP_SIM_LRU;
	uint32_t misses = 0, key;
	bool hit;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t k = which[i];

		hit = mp_sim_list_touch(cache->list,
					mp_sim_set_key(cache, virtual[k]),
					mp_sim_set_sector(cache, virtual[k]),
					room, promote, &key);
		missed[misses] = k;
		if (victim)
			victim[misses] = key;
		misses += !hit;
	}
	return misses;
}

/* Inlined with a constant @pitch, the loops of a set are no loops. */
static inline __attribute__((always_inline)) uint32_t
touch_lru(const struct mp_sim_cache *cache, uint32_t pitch,
	  const uint64_t *set, const uint64_t *virtual, const uint8_t *which,
	  uint32_t n, uint8_t *missed, uint32_t *victim)
{
	const uint32_t shift = cache->sectors;
	uint32_t misses = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t k = which[i];
		const uint32_t sector = mp_sim_set_sector(cache, virtual[k]);
		const uint32_t tag = mp_sim_set_key(cache, virtual[k]) << shift;
		uint32_t *words = cache->word + set[k] * pitch;
		uint32_t way, last, word;
		bool is_absent;

		way = mp_sim_set_find(words, pitch, tag, ~0u << shift);
		last = mp_sim_set_room(cache, set[k]) - 1;
		is_absent = way == MP_SIM_SET_ABSENT;
		way = is_absent ? last : way;
		word = is_absent ? tag : words[way];
		missed[misses] = k;
		if (victim)
			victim[misses] = is_absent ? words[last] >> shift : 0;
		misses += !(word & sector);
		mp_sim_set_push(words, pitch, way, word | sector);
	}
	return misses;
}

/* Who would go? Bits of the set are changed as if somebody did. */
static inline __attribute__((always_inline)) uint32_t
look_for_victim(uint32_t policy, struct mp_sim_order *order, uint32_t ways,
		uint32_t room)
{
	if (policy == MP_SIM_TREE_PLRU)
		return mp_sim_tree_victim(order, ways, room);
	if (policy == MP_SIM_SRRIP)
		return mp_sim_srrip_victim(order, room);
	return mp_sim_nru_victim(order, room);
}

static inline __attribute__((always_inline)) void
use(uint32_t policy, struct mp_sim_order *order, uint32_t ways, uint32_t room,
    uint32_t way, bool is_absent)
{
	if (policy == MP_SIM_TREE_PLRU)
		mp_sim_tree_use(order, ways, way);
	else if (policy == MP_SIM_BIT_PLRU)
		mp_sim_bit_use(order, room, way);
	else if (policy == MP_SIM_NRU)
		order->a |= 1ull << way;
	else
		mp_sim_srrip_set(order, way, is_absent ? 2 : 0);
}

/* Inlined with a constant @policy. A victim is looked for in any case. */
static inline __attribute__((always_inline)) uint32_t
touch_bits(struct mp_sim_cache *cache, uint32_t policy, const uint64_t *set,
	   const uint64_t *virtual, const uint8_t *which, uint32_t n,
	   uint8_t *missed, uint32_t *put_out)
{
	const uint32_t shift = cache->sectors, pitch = cache->pitch;
	uint32_t misses = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t k = which[i];
		const uint32_t sector = mp_sim_set_sector(cache, virtual[k]);
		const uint32_t tag = mp_sim_set_key(cache, virtual[k]) << shift;
		const uint32_t room = mp_sim_set_room(cache, set[k]);
		struct mp_sim_order *order = &cache->order[set[k]];
		struct mp_sim_order tried = *order;
		uint32_t *words = cache->word + set[k] * pitch;
		uint32_t way, victim, word;
		bool is_absent;

		missed[misses] = k;
		if (__builtin_expect(order->used < room, 0)) {
			is_absent = !mp_sim_cache_touch(cache, set[k],
							virtual[k]);
			if (put_out)
				put_out[misses] = cache->victim;
			misses += is_absent;
			continue;
		}
		way = mp_sim_set_find(words, pitch, tag, ~0u << shift);
		victim = look_for_victim(policy, &tried, cache->ways, room);
		is_absent = way == MP_SIM_SET_ABSENT;
		way = is_absent ? victim : way;
		word = is_absent ? tag : words[way];
		order->a = is_absent ? tried.a : order->a;
		order->b = is_absent ? tried.b : order->b;
		if (put_out)
			put_out[misses] = is_absent ? words[way] >> shift : 0;
		misses += !(word & sector);
		words[way] = word | sector;
		use(policy, order, cache->ways, room, way, is_absent);
	}
	return misses;
}

/* Ages, and ways that are drawn, are changed in one case only: that takes a
 * branch. Inlined with a constant @policy. */
static inline __attribute__((always_inline)) uint32_t
touch_aged(struct mp_sim_cache *cache, uint32_t policy, const uint64_t *set,
	   const uint64_t *virtual, const uint8_t *which, uint32_t n,
	   uint8_t *missed, uint32_t *victim)
{
	const struct mp_sim_qlru qlru = cache->qlru;
	const uint32_t shift = cache->sectors, pitch = cache->pitch;
	uint32_t misses = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t k = which[i];
		const uint32_t sector = mp_sim_set_sector(cache, virtual[k]);
		const uint32_t tag = mp_sim_set_key(cache, virtual[k]) << shift;
		const uint32_t room = mp_sim_set_room(cache, set[k]);
		struct mp_sim_order *order = &cache->order[set[k]];
		uint32_t *words = cache->word + set[k] * pitch;
		uint32_t way, age = 0;
		bool is_absent;

		way = mp_sim_set_find(words, pitch, tag, ~0u << shift);
		is_absent = way == MP_SIM_SET_ABSENT;
		missed[misses] = k;
		if (victim)
			victim[misses] = 0;
		if (is_absent && order->used < room) {
			mp_sim_cache_touch(cache, set[k], virtual[k]);
			misses++;
			continue;
		}
		if (is_absent) {
			if (policy == MP_SIM_QLRU && qlru.on_miss)
				mp_sim_qlru_update(&qlru, order, room,
						   MP_SIM_QLRU_NONE);
			way = policy == MP_SIM_QLRU ?
				mp_sim_qlru_victim(order, room) :
				(uint32_t)mp_rng_below(cache->rng, room);
			if (victim)
				victim[misses] = words[way] >> shift;
			words[way] = tag;
			if (policy == MP_SIM_QLRU)
				age = mp_sim_qlru_fill_age(&qlru, cache->rng);
		} else if (policy == MP_SIM_QLRU) {
			age = mp_sim_qlru_hit_age(&qlru,
					mp_sim_qlru_age(order, way));
		}
		misses += !(words[way] & sector);
		words[way] |= sector;
		if (policy == MP_SIM_QLRU) {
			mp_sim_qlru_set_age(order, way, age);
			if (!qlru.on_miss)
				mp_sim_qlru_update(&qlru, order, room, way);
		}
	}
	return misses;
}

/* Where nobody asks what is put out, nothing is written of it. */
#define TOUCH(how, what) \
	(victim ? how(cache, what, set, virtual, which, n, missed, victim) : \
		  how(cache, what, set, virtual, which, n, missed, NULL))

static uint32_t touch_in_place(struct mp_sim_cache *cache, const uint64_t *set,
			       const uint64_t *virtual, const uint8_t *which,
			       uint32_t n, uint8_t *missed, uint32_t *victim)
{
	switch (cache->policy) {
	case MP_SIM_TREE_PLRU:
		return TOUCH(touch_bits, MP_SIM_TREE_PLRU);
	case MP_SIM_BIT_PLRU:
		return TOUCH(touch_bits, MP_SIM_BIT_PLRU);
	case MP_SIM_NRU:
		return TOUCH(touch_bits, MP_SIM_NRU);
	case MP_SIM_SRRIP:
		return TOUCH(touch_bits, MP_SIM_SRRIP);
	case MP_SIM_QLRU:
		return TOUCH(touch_aged, MP_SIM_QLRU);
	default:
		return TOUCH(touch_aged, MP_SIM_RANDOM);
	}
}

static uint32_t touch_in_order(struct mp_sim_cache *cache, const uint64_t *set,
			       const uint64_t *virtual, const uint8_t *which,
			       uint32_t n, uint8_t *missed, uint32_t *victim)
{
	switch (cache->pitch) {
	case 4:
		return TOUCH(touch_lru, 4);
	case 8:
		return TOUCH(touch_lru, 8);
	case 12:
		return TOUCH(touch_lru, 12);
	case 16:
		return TOUCH(touch_lru, 16);
	default:
		return TOUCH(touch_lru, cache->pitch);
	}
}

uint32_t mp_sim_many_touch(struct mp_sim_cache *cache, const uint64_t *set,
			   const uint64_t *virtual, const uint8_t *which,
			   uint32_t n, uint8_t *missed, uint32_t *victim)
{
	if (cache->order)
		return touch_in_place(cache, set, virtual, which, n, missed,
				      victim);
	if (cache->layout == MP_SIM_LINKED)
		return touch_list(cache, virtual, which, n, missed, victim);
	if (cache->layout != MP_SIM_ORDERED || cache->policy != MP_SIM_LRU)
		return touch_each(cache, set, virtual, which, n, missed,
				  victim);
	return touch_in_order(cache, set, virtual, which, n, missed, victim);
}
