// SPDX-License-Identifier: GPL-2.0
/*
 * Memory to measure in. What kind of pages and which node it came to is
 * read back from the kernel page by page or from smaps: an madvise() that
 * returned 0 has promised nothing.
 */
#include "user_mem.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine_source.h"
#include "perm.h"

/* mmap(2): log2 of the page size in the flags. */
#define HUGE_SHIFT 26
#define HUGE_2M (MAP_HUGETLB | 21 << HUGE_SHIFT)
#define HUGE_1G (MAP_HUGETLB | 30 << HUGE_SHIFT)
/* Since Linux 5.14; older headers lack it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
/* Larger transparent huge pages (arm64 with 64 KiB pages) are no use here. */
#define THP_MAX_BYTES (32ull << 20)
#define HUGE_LEAST_BYTES (2ull << 20)
/* Pages touched beside the wished ones, at most. */
#define SPARE_SMALL 512u
#define SPARE_THP 2u
/* Pages of an arena that are asked for their node. */
#define NODE_SAMPLES 64u
#define LINE_ROOM 512
#define THP_DIR "/sys/kernel/mm/transparent_hugepage"

uint32_t *mp_user_words_get(struct mp_user_words *words, size_t n)
{
	uint32_t *more;

	if (n <= words->n)
		return words->word;
	/* The old contents are of no use: free first, so that both are
	 * never there at once. */
	mp_user_words_free(words);
	more = malloc(n * sizeof(*more));
	if (!more)
		return NULL;
	words->word = more;
	words->n = n;
	return more;
}

void mp_user_words_free(struct mp_user_words *words)
{
	free(words->word);
	memset(words, 0, sizeof(*words));
}

static uint64_t small_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t thp_bytes(void)
{
	char line[LINE_ROOM];
	uint64_t bytes;

	if (mp_file_line(line, sizeof(line), "", THP_DIR "/hpage_pmd_size"))
		return 0;
	bytes = strtoull(line, NULL, 10);
	return bytes <= THP_MAX_BYTES && bytes >= HUGE_LEAST_BYTES ? bytes : 0;
}

uint64_t mp_user_page_bytes(uint32_t pages)
{
	switch (pages) {
	case MP_PAGES_4K:
		return small_bytes();
	case MP_PAGES_THP:
		return thp_bytes();
	case MP_PAGES_2M:
		return 2ull << 20;
	case MP_PAGES_1G:
		return 1ull << 30;
	default:
		return 0;
	}
}

/*
 * Address space with a forbidden page at either end, so that the mapping
 * stays one of its own in smaps (the kernel joins neighbours of one kind)
 * and a stray access faults.
 */
static int reserve(struct mp_user_arena *arena, uint64_t bytes, uint64_t align)
{
	const uint64_t guard = small_bytes();
	uintptr_t at;

	arena->map_bytes = bytes + align + 2 * guard;
	arena->map = mmap(NULL, arena->map_bytes, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena->map == MAP_FAILED) {
		arena->map = NULL;
		return -ENOMEM;
	}
	at = (uintptr_t)arena->map + guard + align - 1;
	arena->base = (char *)(at - at % align);
	return 0;
}

static int commit(const struct mp_user_arena *arena, uint64_t bytes,
		  uint32_t pages)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	if (pages == MP_PAGES_2M)
		flags |= HUGE_2M;
	else if (pages == MP_PAGES_1G)
		flags |= HUGE_1G;
	else
		flags |= MAP_NORESERVE;
	if (mmap(arena->base, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) ==
	    MAP_FAILED)
		return -ENOMEM;
	/* Kernels built without huge pages refuse: then there are none. */
	if (pages == MP_PAGES_THP)
		madvise(arena->base, bytes, MADV_HUGEPAGE);
	else if (pages == MP_PAGES_4K)
		madvise(arena->base, bytes, MADV_NOHUGEPAGE);
	return 0;
}

/*
 * Preferred, not bound: on a full node a bound mapping ends with the OOM
 * killer, a preferred one with pages elsewhere, which the grant then says.
 */
static void prefer_node(const struct mp_user_arena *arena, uint64_t bytes,
			int32_t node)
{
	struct bitmask *mask;

	if (node < 0 || numa_available() < 0)
		return;
	mask = numa_allocate_nodemask();
	if (!mask)
		return;
	if ((unsigned long)node < mask->size) {
		numa_bitmask_setbit(mask, (unsigned int)node);
		mbind(arena->base, bytes, MPOL_PREFERRED, mask->maskp,
		      mask->size + 1, 0);
	}
	numa_bitmask_free(mask);
}

/*
 * A reserved page that cannot be had after all kills by SIGBUS when it is
 * touched; asked for by madvise() it is an error. So is a small one for which
 * there is no memory; and where a hypervisor keeps the tables a fault costs
 * several times as much as a call. Kernels before 5.14 cannot be asked.
 */
static int touch_page(char *page, uint64_t bytes)
{
	if (madvise(page, bytes, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return -ENOMEM;
	for (uint64_t at = 0; at < bytes; at += small_bytes())
		*(volatile char *)(page + at) = 0;
	return 0;
}

static int touch_all(const struct mp_user_arena *arena, uint64_t n,
		     uint64_t unit, struct mp_rng *rng,
		     struct mp_user_words *words)
{
	uint32_t *order;
	int err = 0;

	if (n > UINT32_MAX)
		return -ENOMEM;
	order = mp_user_words_get(words, n);
	if (!order)
		return -ENOMEM;
	mp_perm_order(order, (uint32_t)n, 0, rng);
	for (uint64_t i = 0; i < n && !err; i++)
		err = touch_page(arena->base + order[i] * unit, unit);
	return err;
}

/* How many pages to touch among the wished ones and give back. */
static uint64_t spare_pages(uint32_t pages, uint64_t n, struct mp_rng *rng)
{
	switch (pages) {
	case MP_PAGES_4K:
		return n < SPARE_SMALL ? n : SPARE_SMALL;
	case MP_PAGES_THP:
		return mp_rng_below(rng, SPARE_THP + 1);
	default:
		return 0;	/* reserved pages are few */
	}
}

static int map_kind(struct mp_user_arena *arena, const struct mp_arena *want,
		    uint32_t pages, struct mp_rng *rng,
		    struct mp_user_words *words)
{
	const uint64_t unit = mp_user_page_bytes(pages);
	uint64_t n, spare, tail;
	int err;

	memset(arena, 0, sizeof(*arena));
	if (!unit)
		return -ENOMEM;
	n = want->bytes / unit + (want->bytes % unit != 0);
	spare = spare_pages(pages, n, rng);
	tail = spare * unit;
	arena->bytes = n * unit;
	err = reserve(arena, arena->bytes + tail, unit);
	if (err)
		return err;
	err = commit(arena, arena->bytes + tail, pages);
	if (err)
		goto err_unmap;
	prefer_node(arena, arena->bytes + tail, want->node);
	err = touch_all(arena, n + spare, unit, rng, words);
	if (err)
		goto err_unmap;
	if (tail && mmap(arena->base + arena->bytes, tail, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			 MAP_FIXED, -1, 0) == MAP_FAILED) {
		err = -ENOMEM;
		goto err_unmap;
	}
	return 0;

err_unmap:
	mp_user_arena_unmap(arena);
	return err;
}

/* A line that begins a mapping: "7f12..-7f34.. rw-p ..". */
static bool begins_mapping(const char *line, uintptr_t *start)
{
	char *end;

	*start = strtoul(line, &end, 16);
	return end != line && *end == '-';
}

int mp_user_smaps_read(const char *path, uintptr_t start,
		       uint64_t *huge_bytes, uint64_t *page_bytes)
{
	char line[LINE_ROOM];
	uint64_t kib;
	uintptr_t at;
	bool inside = false;
	FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	*huge_bytes = 0;
	*page_bytes = 0;
	while (fgets(line, sizeof(line), file)) {
		if (begins_mapping(line, &at)) {
			if (inside)
				break;
			inside = at == start;
		} else if (inside) {
			if (sscanf(line, "AnonHugePages: %ju", &kib) == 1 ||
			    sscanf(line, "Private_Hugetlb: %ju", &kib) == 1)
				*huge_bytes += kib << 10;
			else if (sscanf(line, "KernelPageSize: %ju", &kib) == 1)
				*page_bytes = kib << 10;
		}
	}
	fclose(file);
	return inside ? 0 : -ENOENT;
}

/* The node of pages spread evenly over the arena, if it is one. */
static int32_t node_of(const struct mp_user_arena *arena)
{
	const uint64_t n_small = arena->bytes / small_bytes();
	const uint64_t n = n_small < NODE_SAMPLES ? n_small : NODE_SAMPLES;
	void *page[NODE_SAMPLES];
	int status[NODE_SAMPLES];

	for (uint64_t i = 0; i < n; i++)
		page[i] = arena->base + n_small * i / n * small_bytes();
	if (numa_available() < 0 ||
	    move_pages(0, n, page, NULL, status, 0) != 0)
		return MP_NODE_ANY;
	for (uint64_t i = 0; i < n; i++)
		if (status[i] < 0 || status[i] != status[0])
			return MP_NODE_ANY;
	return status[0];
}

static void read_back(struct mp_user_arena *arena)
{
	struct mp_grant_arena *got = &arena->got;
	uint64_t page_bytes = 0;

	*got = (struct mp_grant_arena){
		.bytes = arena->bytes,
		.pages = MP_PAGES_4K,
		.node = node_of(arena),
	};
	if (mp_user_smaps_read("/proc/self/smaps", (uintptr_t)arena->base,
			       &got->huge_bytes, &page_bytes))
		got->huge_bytes = 0;
	if (got->huge_bytes < arena->bytes)
		return;
	if (page_bytes == mp_user_page_bytes(MP_PAGES_1G))
		got->pages = MP_PAGES_1G;
	else if (page_bytes == mp_user_page_bytes(MP_PAGES_2M))
		got->pages = MP_PAGES_2M;
	else
		got->pages = MP_PAGES_THP;
	got->contiguous = arena->bytes <= mp_user_page_bytes(got->pages);
}

int mp_user_arena_map(struct mp_user_arena *arena,
		      const struct mp_arena *want, bool strict,
		      struct mp_rng *rng, struct mp_user_words *words)
{
	int err;

	memset(arena, 0, sizeof(*arena));
	if (want->pages > MP_PAGES_1G)
		return -EOPNOTSUPP;
	err = map_kind(arena, want, want->pages, rng, words);
	if (err && !strict && want->pages != MP_PAGES_4K)
		err = map_kind(arena, want, MP_PAGES_4K, rng, words);
	if (err)
		return err;
	read_back(arena);
	if (strict && arena->got.pages != want->pages) {
		mp_user_arena_unmap(arena);
		return -ENOMEM;
	}
	return 0;
}

void mp_user_arena_unmap(struct mp_user_arena *arena)
{
	if (arena->map)
		munmap(arena->map, arena->map_bytes);
	memset(arena, 0, sizeof(*arena));
}

bool mp_user_pages_work(uint32_t pages, int32_t node)
{
	const struct mp_arena want = {
		.bytes = mp_user_page_bytes(pages),
		.pages = pages,
		.node = node,
	};
	struct mp_user_words words = { 0 };
	struct mp_user_arena arena;
	struct mp_rng rng;
	int err;

	if (!want.bytes)
		return false;
	mp_rng_seed(&rng, 0);
	err = mp_user_arena_map(&arena, &want, true, &rng, &words);
	if (!err)
		mp_user_arena_unmap(&arena);
	mp_user_words_free(&words);
	return !err;
}

static void append_node(char *nodes, size_t room, unsigned int node)
{
	const size_t at = strlen(nodes);

	snprintf(nodes + at, room - at, "%s%u", at ? "," : "", node);
}

bool mp_user_node_known(int32_t node, char *nodes, size_t room)
{
	bool known = false;

	nodes[0] = '\0';
	if (numa_available() < 0) {
		append_node(nodes, room, 0);
		return node == 0;
	}
	for (unsigned int i = 0; i < numa_all_nodes_ptr->size; i++) {
		if (!numa_bitmask_isbitset(numa_all_nodes_ptr, i) ||
		    numa_node_size64((int)i, NULL) <= 0)
			continue;
		append_node(nodes, room, i);
		known = known || (int32_t)i == node;
	}
	return known;
}
