// SPDX-License-Identifier: GPL-2.0
/*
 * Many loads of one store in a row. In sets that are kept in order of use no
 * branch depends on whether a line is there: it is as random as the chase,
 * and a processor that guesses wrong once a load does little else.
 */
#include "sim_many.h"

#include "sim_machine.h"
#include "sim_set.h"

/* Inlined with a constant @pitch, the loops of a set are no loops. */
static inline __attribute__((always_inline)) uint32_t
touch_lru(const struct mp_sim_cache *cache, uint32_t pitch,
	  const uint64_t *set, const uint64_t *virtual, const uint8_t *which,
	  uint32_t n, uint8_t *missed)
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
		misses += !(word & sector);
		mp_sim_set_push(words, pitch, way, word | sector);
	}
	return misses;
}

static uint32_t touch_each(struct mp_sim_cache *cache, const uint64_t *set,
			   const uint64_t *virtual, const uint8_t *which,
			   uint32_t n, uint8_t *missed)
{
	uint32_t misses = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t k = which[i];

		missed[misses] = k;
		misses += !mp_sim_cache_touch(cache, set[k], virtual[k]);
	}
	return misses;
}

uint32_t mp_sim_many_touch(struct mp_sim_cache *cache, const uint64_t *set,
			   const uint64_t *virtual, const uint8_t *which,
			   uint32_t n, uint8_t *missed)
{
	if (cache->layout != MP_SIM_ORDERED || cache->policy != MP_SIM_LRU)
		return touch_each(cache, set, virtual, which, n, missed);
	switch (cache->pitch) {
	case 4:
		return touch_lru(cache, 4, set, virtual, which, n, missed);
	case 8:
		return touch_lru(cache, 8, set, virtual, which, n, missed);
	case 12:
		return touch_lru(cache, 12, set, virtual, which, n, missed);
	case 16:
		return touch_lru(cache, 16, set, virtual, which, n, missed);
	default:
		return touch_lru(cache, cache->pitch, set, virtual, which, n,
				 missed);
	}
}
