// SPDX-License-Identifier: GPL-2.0
/*
 * Sets and their lines. A line is named by its virtual address (an arena's
 * pages are distinct, so this says as much as the physical one, in fewer
 * bits): its key is its number in the arena + 1. A line is stored as one
 * 32-bit word: the key, then a bit a sector; 0 is empty. Sets of LRU and
 * FIFO are kept in order, newest first, so that equal histories leave equal
 * words; where there is one wide set only, as a list. Other policies keep
 * lines where they are and remember bits of the ways, or bytes where there
 * are more than 64.
 */
#include "sim_cache.h"

#include <errno.h>
#include <string.h>

#include "sim_machine.h"
#include "sim_set.h"

#define STATE_ALIGN 64u
/* Sets that lie in so much memory need no fetching ahead on any machine. */
#define HOST_L1_BYTES 16384u
/* Ways from which on a single set is kept as a list. */
#define LINKED_WAYS 17u
/* What is divided by a multiplication: the product is below 2^64. */
#define DIVISOR_MAX (1ull << 24)
#define DIVIDEND_MAX (1ull << 40)

static uint32_t log2_of(uint64_t power)
{
	return (uint32_t)__builtin_ctzll(power);
}

/* Inlined with a constant @pitch, the loops of a set are no loops. */
static inline __attribute__((always_inline)) bool
touch_set(struct mp_sim_cache *cache, uint64_t set, uint32_t pitch,
	  uint32_t key, uint32_t sector)
{
	const uint32_t shift = cache->sectors;
	uint32_t *words = cache->word + set * pitch;
	uint32_t way, word;

	/* A line that is used over and over is first, and stays there. */
	if (words[0] == (key << shift | sector))
		return true;
	way = mp_sim_set_find(words, pitch, key << shift, ~0u << shift);
	if (way == MP_SIM_SET_ABSENT) {
		way = mp_sim_set_room(cache, set) - 1;
		cache->victim = words[way] >> shift;
		mp_sim_set_push(words, pitch, way, key << shift | sector);
		return false;
	}
	word = words[way];
	if (cache->policy == MP_SIM_LRU)
		mp_sim_set_push(words, pitch, way, word | sector);
	else
		words[way] = word | sector;
	return word & sector;
}

static bool touch_ordered(struct mp_sim_cache *cache, uint64_t set,
			  uint32_t key, uint32_t sector)
{
	switch (cache->pitch) {
	case 4:
		return touch_set(cache, set, 4, key, sector);
	case 8:
		return touch_set(cache, set, 8, key, sector);
	case 12:
		return touch_set(cache, set, 12, key, sector);
	case 16:
		return touch_set(cache, set, 16, key, sector);
	default:
		return touch_set(cache, set, cache->pitch, key, sector);
	}
}

static struct mp_sim_wide *wide_set(const struct mp_sim_cache *cache,
				    uint64_t set)
{
	return (void *)(cache->wide + set * cache->wide_pitch);
}

static struct mp_sim_wide_rule wide_rule(const struct mp_sim_cache *cache)
{
	return (struct mp_sim_wide_rule){
		.policy = cache->policy,
		.ways = cache->ways,
		.qlru = &cache->qlru,
	};
}

static uint32_t *used_of(const struct mp_sim_cache *cache, uint64_t set)
{
	return cache->wide ? &wide_set(cache, set)->used :
			     &cache->order[set].used;
}

static uint32_t empty_way(const struct mp_sim_cache *cache,
			  const uint32_t *words, uint32_t room)
{
	uint32_t way = 0;

	if (cache->policy == MP_SIM_QLRU && cache->qlru.victim == 2) {
		way = room - 1;
		while (words[way])
			way--;
		return way;
	}
	while (words[way])
		way++;
	return way;
}

static uint32_t choose_victim(struct mp_sim_cache *cache, uint64_t set,
			      uint32_t room)
{
	const struct mp_sim_wide_rule rule = wide_rule(cache);

	if (cache->wide)
		return mp_sim_wide_victim(&rule, wide_set(cache, set), room);
	if (cache->policy == MP_SIM_QLRU)
		return mp_sim_qlru_victim(&cache->order[set], room);
	return mp_sim_policy_victim(cache->policy, &cache->order[set],
				    cache->ways, room, cache->rng);
}

/* A way to fill: an empty one, or the policy's choice. */
static uint32_t make_room(struct mp_sim_cache *cache, uint64_t set,
			  const uint32_t *words, uint32_t room)
{
	const struct mp_sim_wide_rule rule = wide_rule(cache);
	uint32_t *used = used_of(cache, set);

	if (cache->wide)
		mp_sim_wide_miss(&rule, wide_set(cache, set), room);
	else if (cache->policy == MP_SIM_QLRU && cache->qlru.on_miss)
		mp_sim_qlru_update(&cache->qlru, &cache->order[set], room,
				   MP_SIM_QLRU_NONE);
	if (*used >= room)
		return choose_victim(cache, set, room);
	++*used;
	return empty_way(cache, words, room);
}

static void qlru_use(struct mp_sim_cache *cache, uint64_t set, uint32_t room,
		     uint32_t way, uint32_t age)
{
	struct mp_sim_order *order = &cache->order[set];

	mp_sim_qlru_set_age(order, way, age);
	if (!cache->qlru.on_miss)
		mp_sim_qlru_update(&cache->qlru, order, room, way);
}

static void fill_way(struct mp_sim_cache *cache, uint64_t set, uint32_t room,
		     uint32_t way)
{
	const struct mp_sim_wide_rule rule = wide_rule(cache);

	if (cache->wide)
		mp_sim_wide_fill(&rule, wide_set(cache, set), room, way,
				 cache->rng);
	else if (cache->policy == MP_SIM_QLRU)
		qlru_use(cache, set, room, way,
			 mp_sim_qlru_fill_age(&cache->qlru, cache->rng));
	else
		mp_sim_policy_fill(cache->policy, &cache->order[set],
				   cache->ways, room, way);
}

static void use_way(struct mp_sim_cache *cache, uint64_t set, uint32_t room,
		    uint32_t way)
{
	const struct mp_sim_wide_rule rule = wide_rule(cache);
	uint32_t age;

	if (cache->wide) {
		mp_sim_wide_hit(&rule, wide_set(cache, set), room, way);
	} else if (cache->policy == MP_SIM_QLRU) {
		age = mp_sim_qlru_age(&cache->order[set], way);
		qlru_use(cache, set, room, way,
			 mp_sim_qlru_hit_age(&cache->qlru, age));
	} else {
		mp_sim_policy_hit(cache->policy, &cache->order[set],
				  cache->ways, room, way);
	}
}

static bool touch_in_place(struct mp_sim_cache *cache, uint64_t set,
			   uint32_t key, uint32_t sector)
{
	const uint32_t shift = cache->sectors;
	uint32_t *words = cache->word + set * cache->pitch;
	const uint32_t room = mp_sim_set_room(cache, set);
	uint32_t way, word;

	way = mp_sim_set_find(words, cache->pitch, key << shift, ~0u << shift);
	if (way == MP_SIM_SET_ABSENT) {
		way = make_room(cache, set, words, room);
		cache->victim = words[way] >> shift;
		words[way] = key << shift | sector;
		fill_way(cache, set, room, way);
		return false;
	}
	word = words[way];
	words[way] = word | sector;
	use_way(cache, set, room, way);
	return word & sector;
}

/* A way is empty now. Quad-age LRU takes it for the oldest. */
static void empty(struct mp_sim_cache *cache, uint64_t set, uint32_t way)
{
	cache->word[set * cache->pitch + way] = 0;
	--*used_of(cache, set);
	if (cache->policy != MP_SIM_QLRU)
		return;
	if (cache->wide)
		wide_set(cache, set)->mark[way] = 0;
	else
		mp_sim_qlru_set_age(&cache->order[set], way, 3);
}

static struct mp_sim_divisor divisor(uint64_t by)
{
	return (struct mp_sim_divisor){
		.by = by,
		.inverse = by > 1 && by < DIVISOR_MAX ? UINT64_MAX / by + 1 : 0,
	};
}

/*
 * A division takes as long as a look into a set. The inverse is too great by
 * less than by / 2^64 of 1 / by, so quotients are exact while n * by < 2^64.
 */
static uint64_t divide(uint64_t n, const struct mp_sim_divisor *divisor)
{
	if (!divisor->inverse || n >= DIVIDEND_MAX)
		return n / divisor->by;
	return (uint64_t)((unsigned __int128)n * divisor->inverse >> 64);
}

static uint64_t remainder_of(uint64_t n, const struct mp_sim_divisor *divisor)
{
	return n - divide(n, divisor) * divisor->by;
}

/*
 * Lines that share their set in every slice come in groups of as many as
 * there are slices; within a group each slice gets one, which one starts
 * is hashed. So slices fill evenly, as those of real machines do.
 */
static uint64_t sliced_set(const struct mp_sim_cache *cache, uint64_t line)
{
	const uint64_t row = divide(line, &cache->in_slice_sets);
	const uint64_t set = line - row * cache->slice_sets;
	const uint64_t group = divide(row, &cache->in_slices);
	const uint64_t hash = mp_rng_mix(group * cache->slice_sets + set + 1);

	return remainder_of(row + hash % cache->slices, &cache->in_slices) *
		       cache->slice_sets + set;
}

static uint32_t layout_of(const struct mp_sim_cache *cache)
{
	if (cache->policy != MP_SIM_LRU && cache->policy != MP_SIM_FIFO)
		return MP_SIM_IN_PLACE;
	if (cache->sets == 1 && cache->ways >= LINKED_WAYS)
		return MP_SIM_LINKED;
	return MP_SIM_ORDERED;
}

static uint32_t lru_kind(uint32_t pitch)
{
	switch (pitch) {
	case 4:
		return MP_SIM_STORE_LRU_4;
	case 8:
		return MP_SIM_STORE_LRU_8;
	case 12:
		return MP_SIM_STORE_LRU_12;
	case 16:
		return MP_SIM_STORE_LRU_16;
	default:
		return MP_SIM_STORE_LRU;
	}
}

static uint32_t in_place_kind(uint32_t policy)
{
	switch (policy) {
	case MP_SIM_RANDOM:
		return MP_SIM_STORE_RANDOM;
	case MP_SIM_TREE_PLRU:
		return MP_SIM_STORE_TREE_PLRU;
	case MP_SIM_BIT_PLRU:
		return MP_SIM_STORE_BIT_PLRU;
	case MP_SIM_NRU:
		return MP_SIM_STORE_NRU;
	case MP_SIM_SRRIP:
		return MP_SIM_STORE_SRRIP;
	default:
		return MP_SIM_STORE_QLRU;
	}
}

static uint32_t kind_of(const struct mp_sim_cache *cache)
{
	if (cache->layout == MP_SIM_LINKED)
		return MP_SIM_STORE_LIST;
	if (cache->layout == MP_SIM_IN_PLACE && !cache->wide_pitch)
		return in_place_kind(cache->policy);
	if (cache->layout == MP_SIM_ORDERED)
		return cache->policy == MP_SIM_LRU ? lru_kind(cache->pitch) :
						     MP_SIM_STORE_FIFO;
	return MP_SIM_STORE_OTHER;
}

/* Random replacement remembers nothing of any way. */
static bool needs_bytes(const struct mp_sim_cache *cache)
{
	return cache->layout == MP_SIM_IN_PLACE && cache->ways > MP_SIM_ORDER_WAYS &&
	       cache->policy != MP_SIM_RANDOM;
}

int mp_sim_cache_init(struct mp_sim_cache *cache,
		      const struct mp_sim_shape *shape, uint64_t reach_bytes)
{
	uint64_t keys;

	memset(cache, 0, sizeof(*cache));
	cache->ways = shape->ways;
	cache->pitch = (shape->ways + MP_SIM_LANES - 1) / MP_SIM_LANES *
		       MP_SIM_LANES;
	cache->slices = shape->slices;
	cache->sets = shape->lines / shape->ways;
	cache->slice_sets = cache->sets / shape->slices;
	cache->in_sets = divisor(cache->sets);
	cache->in_slice_sets = divisor(cache->slice_sets);
	cache->in_slices = divisor(cache->slices);
	cache->is_masked = shape->slices == 1 &&
			   !(cache->sets & (cache->sets - 1));
	cache->set_mask = cache->sets - 1;
	cache->policy = shape->policy;
	cache->qlru = shape->qlru;
	cache->layout = layout_of(cache);
	if (needs_bytes(cache))
		cache->wide_pitch = (uint32_t)((sizeof(struct mp_sim_wide) +
				    cache->ways + 7) / 8 * 8);
	cache->kind = kind_of(cache);
	cache->line_shift = log2_of(shape->line_bytes);
	cache->sector_shift = log2_of(shape->sector_bytes);
	cache->sectors = (uint32_t)(shape->line_bytes / shape->sector_bytes);
	cache->by_virtual = shape->by_virtual;
	cache->room_low = shape->ways;
	cache->is_large = cache->layout != MP_SIM_LINKED &&
			  cache->sets * cache->pitch * sizeof(*cache->word) >
			  HOST_L1_BYTES;
	keys = (reach_bytes >> cache->line_shift) + 2;
	if (keys > UINT32_MAX >> cache->sectors)
		return -E2BIG;
	cache->keys = (uint32_t)keys;
	return 0;
}

static size_t aligned(size_t bytes)
{
	return (bytes + STATE_ALIGN - 1) / STATE_ALIGN * STATE_ALIGN;
}

static size_t words_bytes(const struct mp_sim_cache *cache)
{
	return aligned(cache->sets * cache->pitch * sizeof(*cache->word));
}

size_t mp_sim_cache_bytes(const struct mp_sim_cache *cache)
{
	if (cache->layout == MP_SIM_LINKED)
		return aligned(cache->keys * sizeof(*cache->list));
	if (cache->layout == MP_SIM_IN_PLACE)
		return words_bytes(cache) +
		       aligned(cache->sets * (cache->wide_pitch ?
					      cache->wide_pitch :
					      sizeof(*cache->order)));
	return words_bytes(cache);
}

void mp_sim_cache_attach(struct mp_sim_cache *cache, void *state,
			 struct mp_rng *rng)
{
	cache->rng = rng;
	if (cache->layout == MP_SIM_LINKED) {
		cache->list = state;
		return;
	}
	cache->word = state;
	if (cache->layout != MP_SIM_IN_PLACE)
		return;
	if (cache->wide_pitch)
		cache->wide = (char *)state + words_bytes(cache);
	else
		cache->order = (void *)((char *)state + words_bytes(cache));
}

void mp_sim_cache_sets(const struct mp_sim_cache *cache,
		       const uint64_t *virtual, const uint64_t *physical,
		       uint32_t n, uint64_t *set)
{
	const uint64_t *address = cache->by_virtual ? virtual : physical;
	const uint32_t shift = cache->line_shift;
	uint32_t i;

	if (cache->is_masked) {
		for (i = 0; i < n; i++)
			set[i] = address[i] >> shift & cache->set_mask;
	} else if (cache->slices == 1) {
		for (i = 0; i < n; i++)
			set[i] = remainder_of(address[i] >> shift,
					      &cache->in_sets);
	} else {
		for (i = 0; i < n; i++)
			set[i] = sliced_set(cache, address[i] >> shift);
	}
}

uint64_t mp_sim_cache_set(const struct mp_sim_cache *cache, uint64_t virtual,
			  uint64_t physical)
{
	const uint64_t line = (cache->by_virtual ? virtual : physical) >>
			      cache->line_shift;

	if (cache->is_masked)
		return line & cache->set_mask;
	return cache->slices == 1 ? remainder_of(line, &cache->in_sets) :
				    sliced_set(cache, line);
}

static bool touch(struct mp_sim_cache *cache, uint64_t set, uint64_t virtual)
{
	const uint32_t sector = mp_sim_set_sector(cache, virtual);
	const uint32_t key = mp_sim_set_key(cache, virtual);

	cache->victim = 0;
	if (cache->layout == MP_SIM_ORDERED)
		return touch_ordered(cache, set, key, sector);
	if (cache->layout == MP_SIM_IN_PLACE)
		return touch_in_place(cache, set, key, sector);
	return mp_sim_list_touch(cache->list, key, sector, mp_sim_set_room(cache, 0),
				 cache->policy == MP_SIM_LRU, &cache->victim);
}

bool mp_sim_cache_touch(struct mp_sim_cache *cache, uint64_t set,
			uint64_t virtual)
{
	const bool hit = touch(cache, set, virtual);

	if (!hit)
		mp_sim_set_note(cache, mp_sim_set_key(cache, virtual),
				cache->victim);
	return hit;
}

bool mp_sim_cache_victim(const struct mp_sim_cache *cache, uint64_t *virtual)
{
	if (!cache->victim)
		return false;
	*virtual = (uint64_t)(cache->victim - 1) << cache->line_shift;
	return true;
}

/* Return: the bits of a line's sectors that are there. */
static uint32_t sectors_of(const struct mp_sim_cache *cache, uint64_t set,
			   uint64_t virtual)
{
	const uint32_t *words = cache->word + set * cache->pitch;
	const uint32_t key = mp_sim_set_key(cache, virtual);
	uint32_t way;

	if (cache->layout == MP_SIM_LINKED)
		return cache->list[key].sectors;
	if (mp_sim_set_lacks(cache, key))
		return 0;
	way = mp_sim_set_find(words, cache->pitch, key << cache->sectors,
		   ~0u << cache->sectors);
	return way == MP_SIM_SET_ABSENT ? 0 :
	       words[way] & ~(~0u << cache->sectors);
}

bool mp_sim_cache_has(const struct mp_sim_cache *cache, uint64_t set,
		      uint64_t virtual)
{
	return sectors_of(cache, set, virtual) &
	       mp_sim_set_sector(cache, virtual);
}

bool mp_sim_cache_holds(const struct mp_sim_cache *cache, uint64_t set,
			uint64_t virtual)
{
	return sectors_of(cache, set, virtual);
}

bool mp_sim_cache_take(struct mp_sim_cache *cache, uint64_t set,
		       uint64_t virtual)
{
	const uint32_t key = mp_sim_set_key(cache, virtual);
	uint32_t *words = cache->word + set * cache->pitch;
	uint32_t way;

	if (cache->layout == MP_SIM_LINKED)
		return mp_sim_list_take(cache->list, key);
	if (mp_sim_set_lacks(cache, key))
		return false;
	way = mp_sim_set_find(words, cache->pitch, key << cache->sectors,
		   ~0u << cache->sectors);
	if (way == MP_SIM_SET_ABSENT)
		return false;
	if (cache->layout == MP_SIM_ORDERED)
		mp_sim_set_pull(words, cache->pitch, way);
	else
		empty(cache, set, way);
	mp_sim_set_drop(cache, key);
	return true;
}

static void limit_set(struct mp_sim_cache *cache, uint64_t set)
{
	uint32_t *words = cache->word + set * cache->pitch;

	for (uint32_t way = mp_sim_set_room(cache, set); way < cache->ways; way++) {
		mp_sim_set_drop(cache, words[way] >> cache->sectors);
		if (words[way] && cache->layout == MP_SIM_IN_PLACE)
			empty(cache, set, way);
		words[way] = 0;
	}
}

void mp_sim_cache_limit(struct mp_sim_cache *cache, double share)
{
	const double room = cache->ways * (1 - share);

	cache->room_low = room < 1 ? 1 : (uint32_t)room;
	cache->room_share = room < 1 ? 0 :
		(uint32_t)((room - (uint32_t)room) * UINT32_MAX);
	if (cache->layout == MP_SIM_LINKED)
		mp_sim_list_limit(cache->list, mp_sim_set_room(cache, 0));
	for (uint64_t set = 0; cache->word && set < cache->sets; set++)
		limit_set(cache, set);
}
