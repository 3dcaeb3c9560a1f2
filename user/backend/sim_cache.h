/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One set-associative store: a cache level, or a TLB, whose lines are pages.
 * It knows what it holds, not what is outside or inside it.
 */
#ifndef MP_SIM_CACHE_H
#define MP_SIM_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "rng.h"
#include "sim_list.h"
#include "sim_wide.h"

/**
 * struct mp_sim_shape - what a store is built like
 * @lines: lines it holds in all; a multiple of @ways * @slices
 * @ways: lines a set
 * @slices: lines are spread over so many by a hash
 * @line_bytes: power of two
 * @sector_bytes: power of two, @line_bytes where lines are filled whole
 * @policy: enum mp_sim_policies
 * @qlru: parameters of MP_SIM_QLRU
 * @by_virtual: the virtual address chooses the set
 */
struct mp_sim_shape {
	uint64_t lines;
	uint32_t ways;
	uint32_t slices;
	uint64_t line_bytes;
	uint64_t sector_bytes;
	uint32_t policy;
	struct mp_sim_qlru qlru;
	bool by_virtual;
};

/**
 * struct mp_sim_divisor - a number that others are often divided by
 * @by: it
 * @inverse: 2^64 / @by, rounded up; 0: divide as usual
 */
struct mp_sim_divisor {
	uint64_t by;
	uint64_t inverse;
};

/** enum mp_sim_layout - how the lines of a store are kept; sim_cache.c */
enum mp_sim_layout {
	MP_SIM_ORDERED,		/* sets of words, newest first */
	MP_SIM_LINKED,		/* one set, a list in order */
	MP_SIM_IN_PLACE,	/* sets of words that stay, and bits of their use */
};

/**
 * enum mp_sim_store_kind - what the sets of a store are like; sim_many.c has a short
 *	way for each but the last
 */
enum mp_sim_store_kind {
	MP_SIM_STORE_LRU_4,	/* so many words a set */
	MP_SIM_STORE_LRU_8,
	MP_SIM_STORE_LRU_12,
	MP_SIM_STORE_LRU_16,
	MP_SIM_STORE_LRU,
	MP_SIM_STORE_FIFO,
	MP_SIM_STORE_LIST,
	MP_SIM_STORE_RANDOM,
	MP_SIM_STORE_TREE_PLRU,
	MP_SIM_STORE_BIT_PLRU,
	MP_SIM_STORE_NRU,
	MP_SIM_STORE_SRRIP,
	MP_SIM_STORE_QLRU,
	MP_SIM_STORE_OTHER,
};

/**
 * struct mp_sim_cache - a store; its state lies in memory of the caller's
 * @word: tags with sector bits, @pitch a set
 * @order: bits of ways, one a set (MP_SIM_IN_PLACE, up to 64 ways)
 * @wide: the same for more ways, @wide_pitch bytes a set; else NULL
 * @list: lines by their keys (MP_SIM_LINKED)
 * @held: for each key a bit, whether its line is there; NULL = not kept. It
 *	says nothing that the state does not
 * @rng: source of random replacement
 * @in_sets, @in_slice_sets, @in_slices: by which lines are divided
 * @layout: enum mp_sim_layout
 * @kind: enum mp_sim_store_kind
 * @keys: keys that there can be, 0 included
 * @room_low, @room_share: ways a set that may be filled: @room_low, and one
 *	more in @room_share / 2^32 of the sets
 * @victim: key that the last fill put out, 0 = none
 * @is_masked: the set is some bits of the line's number
 * @is_large: worth fetching ahead
 */
struct mp_sim_cache {
	uint32_t *word;
	struct mp_sim_order *order;
	char *wide;
	struct mp_sim_link *list;
	uint64_t *held;
	struct mp_rng *rng;
	uint64_t sets;
	uint64_t slice_sets;
	struct mp_sim_divisor in_sets;
	struct mp_sim_divisor in_slice_sets;
	struct mp_sim_divisor in_slices;
	uint64_t set_mask;
	uint32_t layout;
	uint32_t kind;
	uint32_t slices;
	uint32_t ways;
	uint32_t pitch;
	uint32_t policy;
	struct mp_sim_qlru qlru;
	uint32_t wide_pitch;
	uint32_t line_shift;
	uint32_t sector_shift;
	uint32_t sectors;
	uint32_t keys;
	uint32_t room_low;
	uint32_t room_share;
	uint32_t victim;
	bool by_virtual;
	bool is_masked;
	bool is_large;
};

/**
 * mp_sim_cache_init() - set the shape
 * @reach_bytes: no virtual address is above it
 * Return: 0, or -E2BIG: tags for that reach do not fit.
 */
int mp_sim_cache_init(struct mp_sim_cache *cache,
		      const struct mp_sim_shape *shape, uint64_t reach_bytes);

/** mp_sim_cache_bytes() - memory that the state needs; a multiple of 64 */
size_t mp_sim_cache_bytes(const struct mp_sim_cache *cache);

/**
 * mp_sim_cache_attach() - give it its state's memory
 * @state: zeroed (that is empty), 16-byte aligned. Equal bytes are equal
 *	states and will go on alike
 * @rng: source for random replacement
 */
void mp_sim_cache_attach(struct mp_sim_cache *cache, void *state,
			 struct mp_rng *rng);

/** MP_SIM_BLOCK - addresses that are looked up together. */
#define MP_SIM_BLOCK 64u

/**
 * mp_sim_cache_sets() - which sets addresses belong to
 * @virtual: addresses; they choose the set of a store that is so indexed
 * @physical: addresses; they choose it otherwise
 * @n: how many
 * @set: gets the sets
 */
void mp_sim_cache_sets(const struct mp_sim_cache *cache,
		       const uint64_t *virtual, const uint64_t *physical,
		       uint32_t n, uint64_t *set);

/** mp_sim_cache_set() - the set of one address */
uint64_t mp_sim_cache_set(const struct mp_sim_cache *cache, uint64_t virtual,
			  uint64_t physical);

/**
 * mp_sim_cache_touch() - use a line, filling it if it is not there
 * @set: that the address belongs to
 * @virtual: address; it names the line
 * Return: it was there (the sector too).
 */
bool mp_sim_cache_touch(struct mp_sim_cache *cache, uint64_t set,
			uint64_t virtual);

/**
 * mp_sim_cache_victim() - what the last mp_sim_cache_touch() put out
 * @virtual: gets the victim's address
 * Return: there was a victim.
 */
bool mp_sim_cache_victim(const struct mp_sim_cache *cache, uint64_t *virtual);

/** mp_sim_cache_has() - is a line (and sector) there? Changes nothing */
bool mp_sim_cache_has(const struct mp_sim_cache *cache, uint64_t set,
		      uint64_t virtual);

/** mp_sim_cache_holds() - is any sector of a line there? Changes nothing */
bool mp_sim_cache_holds(const struct mp_sim_cache *cache, uint64_t set,
			uint64_t virtual);

/** mp_sim_cache_take() - take a line out of its set; was it there? */
bool mp_sim_cache_take(struct mp_sim_cache *cache, uint64_t set,
		       uint64_t virtual);

/**
 * mp_sim_cache_limit() - leave only a part of the ways for use
 * @share: 0 .. 1, part of every set that others hold; one way a set is left
 *
 * What lies in the ways that are taken is lost.
 */
void mp_sim_cache_limit(struct mp_sim_cache *cache, double share);

#endif
