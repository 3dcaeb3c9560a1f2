/* SPDX-License-Identifier: GPL-2.0 */
/* Arenas in user space: memory of a wished kind, and what it really is. */
#ifndef MP_USER_MEM_H
#define MP_USER_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "rng.h"

/**
 * struct mp_user_words - scratch that grows and is kept
 * @word: owned
 * @n: words
 */
struct mp_user_words {
	uint32_t *word;
	size_t n;
};

/** mp_user_words_get() - at least @n words, contents undefined; NULL */
uint32_t *mp_user_words_get(struct mp_user_words *words, size_t n);
/** mp_user_words_free() - give them back */
void mp_user_words_free(struct mp_user_words *words);

/**
 * struct mp_user_arena - a mapping
 * @base: start, aligned to a page of its kind
 * @bytes: usable
 * @map: the whole reservation, guards included
 * @map_bytes: its length
 * @got: what the kernel says it is
 */
struct mp_user_arena {
	char *base;
	uint64_t bytes;
	void *map;
	size_t map_bytes;
	struct mp_grant_arena got;
};

/**
 * mp_user_arena_map() - map, place and touch an arena
 * @arena: gets it
 * @want: bytes, and wishes for pages and node
 * @strict: another kind of pages than @want->pages is no use
 * @rng: order in which pages are touched, and which pages are passed over
 * @words: scratch
 *
 * Pages get their place in physical memory when first touched. The kernel
 * hands out again, in order, what was given back last, so that each mapping
 * would lie where the one before lay; and runs of neighbouring small pages
 * are merged by some TLBs. So pages are touched in random order, and some
 * more are touched among them and given back at once.
 *
 * Return: 0; -ENOMEM, also when @strict and the pages are of another kind;
 * -EOPNOTSUPP for a kind that user space does not have.
 */
int mp_user_arena_map(struct mp_user_arena *arena,
		      const struct mp_arena *want, bool strict,
		      struct mp_rng *rng, struct mp_user_words *words);

/** mp_user_arena_unmap() - give it back; an empty one is fine */
void mp_user_arena_unmap(struct mp_user_arena *arena);

/** mp_user_page_bytes() - size of a page of a kind; 0 = no such kind here */
uint64_t mp_user_page_bytes(uint32_t pages);

/** mp_user_pages_work() - does a trial mapping really get such pages? */
bool mp_user_pages_work(uint32_t pages, int32_t node);

/**
 * mp_user_node_known() - is there memory on this node that we may use?
 * @nodes: gets the list of such nodes, "0-1"; "0" without NUMA
 * @room: bytes of @nodes
 */
bool mp_user_node_known(int32_t node, char *nodes, size_t room);

/**
 * mp_user_smaps_read() - huge pages of one mapping as smaps tells it
 * @path: "/proc/self/smaps"
 * @start: first address of the mapping
 * @huge_bytes: gets bytes in pages of 2 MiB or more
 * @page_bytes: gets the kernel's page size of the mapping
 * Return: 0; -ENOENT when there is no such mapping; -errno
 */
int mp_user_smaps_read(const char *path, uintptr_t start,
		       uint64_t *huge_bytes, uint64_t *page_bytes);

#endif
