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

/* The general way: sets that are filling, and those that are seldom met. */
static bool one_any(struct mp_sim_cache *cache, uint32_t unused, uint64_t set,
		    uint64_t virtual, uint32_t *victim)
{
	const bool hit = mp_sim_cache_touch(cache, set, virtual);

	(void)unused;
	*victim = cache->victim;
	return hit;
}

/* One wide set, in a list. */
static inline __attribute__((always_inline)) bool
one_list(struct mp_sim_cache *cache, uint32_t unused, uint64_t set,
	 uint64_t virtual, uint32_t *victim)
{
	(void)unused;
	(void)set;
	return mp_sim_list_touch(cache->list, mp_sim_set_key(cache, virtual),
				 mp_sim_set_sector(cache, virtual),
				 mp_sim_set_room(cache, 0),
				 cache->policy == MP_SIM_LRU, victim);
}

/* Inlined with a constant @pitch, the loops of a set are no loops. */
static inline __attribute__((always_inline)) bool
one_lru(struct mp_sim_cache *cache, uint32_t pitch, uint64_t set,
	uint64_t virtual, uint32_t *victim)
{
	const uint32_t shift = cache->sectors;
	const uint32_t sector = mp_sim_set_sector(cache, virtual);
	const uint32_t tag = mp_sim_set_key(cache, virtual) << shift;
	const uint32_t last = mp_sim_set_room(cache, set) - 1;
	uint32_t *words = cache->word + set * pitch;
	uint32_t way = mp_sim_set_find(words, pitch, tag, ~0u << shift);
	const bool is_absent = way == MP_SIM_SET_ABSENT;
	uint32_t word;

	way = is_absent ? last : way;
	word = is_absent ? tag : words[way];
	*victim = is_absent ? words[last] >> shift : 0;
	mp_sim_set_push(words, pitch, way, word | sector);
	return word & sector;
}

/* What is there stays where it is. Inlined with a constant @pitch. */
static inline __attribute__((always_inline)) bool
one_fifo(struct mp_sim_cache *cache, uint32_t pitch, uint64_t set,
	 uint64_t virtual, uint32_t *victim)
{
	const uint32_t shift = cache->sectors;
	const uint32_t sector = mp_sim_set_sector(cache, virtual);
	const uint32_t tag = mp_sim_set_key(cache, virtual) << shift;
	uint32_t *words = cache->word + set * pitch;
	uint32_t way = mp_sim_set_find(words, pitch, tag, ~0u << shift), word;

	*victim = 0;
	if (way == MP_SIM_SET_ABSENT) {
		way = mp_sim_set_room(cache, set) - 1;
		*victim = words[way] >> shift;
		mp_sim_set_push(words, pitch, way, tag | sector);
		return false;
	}
	word = words[way];
	words[way] = word | sector;
	return word & sector;
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
static inline __attribute__((always_inline)) bool
one_bits(struct mp_sim_cache *cache, uint32_t policy, uint64_t set,
	 uint64_t virtual, uint32_t *put_out)
{
	const uint32_t shift = cache->sectors, pitch = cache->pitch;
	const uint32_t sector = mp_sim_set_sector(cache, virtual);
	const uint32_t tag = mp_sim_set_key(cache, virtual) << shift;
	const uint32_t room = mp_sim_set_room(cache, set);
	struct mp_sim_order *order = &cache->order[set];
	struct mp_sim_order tried = *order;
	uint32_t *words = cache->word + set * pitch;
	uint32_t way, victim, word;
	bool is_absent;

	if (__builtin_expect(order->used < room, 0))
		return one_any(cache, 0, set, virtual, put_out);
	way = mp_sim_set_find(words, pitch, tag, ~0u << shift);
	victim = look_for_victim(policy, &tried, cache->ways, room);
	is_absent = way == MP_SIM_SET_ABSENT;
	way = is_absent ? victim : way;
	word = is_absent ? tag : words[way];
	order->a = is_absent ? tried.a : order->a;
	order->b = is_absent ? tried.b : order->b;
	*put_out = is_absent ? words[way] >> shift : 0;
	words[way] = word | sector;
	use(policy, order, cache->ways, room, way, is_absent);
	return word & sector;
}

/* Ages, and ways that are drawn, are changed in one case only: that takes a
 * branch. Inlined with a constant @policy. */
static inline __attribute__((always_inline)) bool
one_aged(struct mp_sim_cache *cache, uint32_t policy, uint64_t set,
	 uint64_t virtual, uint32_t *victim)
{
	const struct mp_sim_qlru *qlru = &cache->qlru;
	const uint32_t shift = cache->sectors, pitch = cache->pitch;
	const uint32_t sector = mp_sim_set_sector(cache, virtual);
	const uint32_t tag = mp_sim_set_key(cache, virtual) << shift;
	const uint32_t room = mp_sim_set_room(cache, set);
	struct mp_sim_order *order = &cache->order[set];
	uint32_t *words = cache->word + set * pitch;
	uint32_t way, word, age = 0;

	way = mp_sim_set_find(words, pitch, tag, ~0u << shift);
	*victim = 0;
	if (way == MP_SIM_SET_ABSENT) {
		if (order->used < room)
			return one_any(cache, 0, set, virtual, victim);
		if (policy == MP_SIM_QLRU && qlru->on_miss)
			mp_sim_qlru_update(qlru, order, room,
					   MP_SIM_QLRU_NONE);
		way = policy == MP_SIM_QLRU ?
			mp_sim_qlru_victim(order, room) :
			(uint32_t)mp_rng_below(cache->rng, room);
		*victim = words[way] >> shift;
		words[way] = tag;
		if (policy == MP_SIM_QLRU)
			age = mp_sim_qlru_fill_age(qlru, cache->rng);
	} else if (policy == MP_SIM_QLRU) {
		age = mp_sim_qlru_hit_age(qlru, mp_sim_qlru_age(order, way));
	}
	word = words[way];
	words[way] = word | sector;
	if (policy == MP_SIM_QLRU) {
		mp_sim_qlru_set_age(order, way, age);
		if (!qlru->on_miss)
			mp_sim_qlru_update(qlru, order, room, way);
	}
	return word & sector;
}

typedef bool one_load(struct mp_sim_cache *cache, uint32_t what, uint64_t set,
		      uint64_t virtual, uint32_t *victim);

/* Inlined with a constant @one and @what. */
static inline __attribute__((always_inline)) uint32_t
each(struct mp_sim_cache *cache, one_load *one, uint32_t what,
     const uint64_t *set, const uint64_t *virtual, const uint16_t *which,
     uint32_t n, uint16_t *missed, uint32_t *victim)
{
	uint32_t misses = 0, out;

	for (uint32_t i = 0; i < n && i < MP_SIM_FETCH_AHEAD; i++)
		mp_sim_set_fetch(cache, set[which[i]]);
	for (uint32_t i = 0; i < n; i++) {
		const uint16_t k = which[i];
		bool hit;

		if (i + MP_SIM_FETCH_AHEAD < n)
			mp_sim_set_fetch(cache,
					 set[which[i + MP_SIM_FETCH_AHEAD]]);
		hit = one(cache, what, set[k], virtual[k], &out);

		missed[misses] = k;
		if (victim)
			victim[misses] = out;
		misses += !hit;
	}
	return misses;
}

/* @call(one, what), as it is right for a store. */
#define BY_KIND(cache, call) \
	switch ((cache)->kind) { \
	case MP_SIM_STORE_LRU_4: \
		call(one_lru, 4); \
	case MP_SIM_STORE_LRU_8: \
		call(one_lru, 8); \
	case MP_SIM_STORE_LRU_12: \
		call(one_lru, 12); \
	case MP_SIM_STORE_LRU_16: \
		call(one_lru, 16); \
	case MP_SIM_STORE_LRU: \
		call(one_lru, (cache)->pitch); \
	case MP_SIM_STORE_FIFO: \
		call(one_fifo, (cache)->pitch); \
	case MP_SIM_STORE_LIST: \
		call(one_list, 0); \
	case MP_SIM_STORE_RANDOM: \
		call(one_aged, MP_SIM_RANDOM); \
	case MP_SIM_STORE_TREE_PLRU: \
		call(one_bits, MP_SIM_TREE_PLRU); \
	case MP_SIM_STORE_BIT_PLRU: \
		call(one_bits, MP_SIM_BIT_PLRU); \
	case MP_SIM_STORE_NRU: \
		call(one_bits, MP_SIM_NRU); \
	case MP_SIM_STORE_SRRIP: \
		call(one_bits, MP_SIM_SRRIP); \
	case MP_SIM_STORE_QLRU: \
		call(one_aged, MP_SIM_QLRU); \
	default: \
		call(one_any, 0); \
	}

/* Where nobody asks what is put out, nothing is written of it. */
#define TOUCH_EACH(one, what) \
	return victim ? each(cache, one, what, set, virtual, which, n, \
			     missed, victim) : \
			each(cache, one, what, set, virtual, which, n, \
			     missed, NULL)

uint32_t mp_sim_many_touch(struct mp_sim_cache *cache, const uint64_t *set,
			   const uint64_t *virtual, const uint16_t *which,
			   uint32_t n, uint16_t *missed, uint32_t *victim)
{
	BY_KIND(cache, TOUCH_EACH);
}

#define TOUCH_ONE(one, what) return one(cache, what, set, virtual, victim)

static bool touch_one(struct mp_sim_cache *cache, uint64_t set,
		      uint64_t virtual, uint32_t *victim)
{
	BY_KIND(cache, TOUCH_ONE);
}

bool mp_sim_many_one(struct mp_sim_cache *cache, uint64_t set,
		     uint64_t virtual, uint32_t *victim)
{
	const bool hit = touch_one(cache, set, virtual, victim);

	if (!hit)
		mp_sim_set_note(cache, mp_sim_set_key(cache, virtual), *victim);
	return hit;
}
