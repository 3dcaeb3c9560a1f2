// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of arenas. One cap over all files is kept before anything is
 * allocated; every kind then has its way to pages, and what was really got
 * is read from the page tables and page numbers, not from what was asked.
 */
#include "arena.h"

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>

#include "arch/machine.h"
#include "compat.h"
#include "contig.h"
#include "core/rng.h"

/* Fail early and in silence: no OOM killer, no complaint. */
#define QUIET_GFP (GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)
#define BLOCK_ORDER (MP_BLOCK_SHIFT - PAGE_SHIFT)
#define PIECES_STEP 1024u
/* Made uncached at once; uncached arenas are whole multiples of it. */
#define CACHE_STEP (2ull << 20)

static uint arena_total_mib = MP_NO_MEASUREMENT ? MP_ARENA_TOTAL_UML_MIB :
						  MP_ARENA_TOTAL_MIB;
module_param(arena_total_mib, uint, 0444);
MODULE_PARM_DESC(arena_total_mib,
		 "Most memory that all arenas of all files may hold, MiB (default 1024; 128 in user-mode Linux)");

static atomic64_t total_bytes;
/* Of those that are being taken just now: not yet out of what is free. */
static atomic64_t taking_bytes;

u64 mp_mem_total(void)
{
	return atomic64_read(&total_bytes);
}

static u64 total_max(void)
{
	return (u64)arena_total_mib << 20;
}

static unsigned long file_pages(struct zone *zone)
{
	return zone_page_state(zone, NR_ZONE_ACTIVE_FILE) +
	       zone_page_state(zone, NR_ZONE_INACTIVE_FILE);
}

/*
 * Pages that count as available and yet are none for an arena, or for its page
 * tables: those that only movable pages may use, free or of files, in a movable
 * zone or in what is set aside for large pieces (CMA).
 */
static unsigned long movable_only(struct zone *zone, bool all)
{
	if (all)
		return zone_page_state(zone, NR_FREE_PAGES) + file_pages(zone);
	return min_t(unsigned long, zone_cma_pages(zone),
		     zone_page_state(zone, NR_FREE_CMA_PAGES) +
		     file_pages(zone));
}

/*
 * When allocations for the kernel come to use blocks of movable pages, as arenas
 * make them do, it raises the watermarks of the zone for some time; and what is
 * available is without the highest one as it is usually.
 */
static unsigned long kept_back(struct zone *zone)
{
	const unsigned long high = zone->_watermark[WMARK_HIGH];
	unsigned long kept = zone->_watermark[WMARK_MIN];

	/* It leaves small zones as they are. */
	if (zone_managed_pages(zone) < 4 * pageblock_nr_pages)
		return 0;
	kept += max_t(unsigned long, pageblock_nr_pages,
		      high / 100 * MP_ARENA_BOOST_PERCENT);
	return kept > high ? kept - high : 0;
}

static u64 available_bytes(void)
{
	long pages = si_mem_available();
	struct zone *zone;
	int node, i;

	for_each_node_state(node, N_MEMORY) {
		zone = NODE_DATA(node)->node_zones;
		for (i = 0; i <= ZONE_MOVABLE; i++)
			pages -= movable_only(zone + i, i == ZONE_MOVABLE) +
				 (i < ZONE_MOVABLE ? kept_back(zone + i) : 0);
	}
	return pages > 0 ? (u64)pages << PAGE_SHIFT : 0;
}

/*
 * What remains to all others must be no less than what is taken, and some of
 * it in any case: vmap() takes page tables that do wake the OOM killer.
 */
static bool is_free(u64 bytes)
{
	const u64 free = available_bytes();

	return free > MP_ARENA_LEAVE_BYTES &&
	       bytes <= (free - MP_ARENA_LEAVE_BYTES) / MP_ARENA_SHARE;
}

/* Until taken() is called, others who take count it as not to be had. */
static int reserve(u64 bytes)
{
	if (is_free(atomic64_add_return(bytes, &taking_bytes))) {
		if (atomic64_add_return(bytes, &total_bytes) <= total_max())
			return 0;
		atomic64_sub(bytes, &total_bytes);
	}
	atomic64_sub(bytes, &taking_bytes);
	return -ENOMEM;
}

static void taken(u64 bytes)
{
	atomic64_sub(bytes, &taking_bytes);
}

static void unreserve(u64 bytes)
{
	atomic64_sub(bytes, &total_bytes);
}

/* -- pages put together ---------------------------------------------------- */

static void free_pieces(struct mp_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->n_pages; i++)
		__free_pages(mem->page[i], mem->order);
	kvfree(mem->page);
	mem->page = NULL;
	mem->n_pages = 0;
}

static struct page *take_piece(const struct mp_mem *mem, int node)
{
	const gfp_t gfp = QUIET_GFP | (node == NUMA_NO_NODE ? 0 :
						   __GFP_THISNODE);

	return alloc_pages_node(node, gfp | __GFP_ACCOUNT, mem->order);
}

static int take_pieces(struct mp_mem *mem, int node)
{
	const u64 piece = (u64)PAGE_SIZE << mem->order;
	const u64 n = DIV_ROUND_UP_ULL(mem->bytes, piece);
	const u64 until_ns = ktime_get_ns() + MP_ARENA_SEARCH_NS;
	int err = 0;

	mem->page = kvcalloc(n, sizeof(*mem->page), QUIET_GFP);
	if (!mem->page)
		return -ENOMEM;
	while (mem->n_pages < n && !err) {
		mem->page[mem->n_pages] = take_piece(mem, node);
		if (mem->page[mem->n_pages])
			mem->n_pages++;
		else
			err = -ENOMEM;
		if (fatal_signal_pending(current))
			err = -EINTR;
		if (ktime_get_ns() > until_ns)
			err = -ENOMEM;
		cond_resched();
	}
	if (err)
		free_pieces(mem);
	return err;
}

/* The allocator hands out neighbours in order; here they lie in none. */
static void shuffle_pieces(struct mp_mem *mem)
{
	struct page *kept;
	struct mp_rng rng;
	u32 i, k;

	mp_rng_seed(&rng, ktime_get_ns());
	for (i = mem->n_pages; i > 1; i--) {
		k = mp_rng_below(&rng, i);
		kept = mem->page[i - 1];
		mem->page[i - 1] = mem->page[k];
		mem->page[k] = kept;
	}
}

/* Blocks are mapped page by page: vmap() knows no others. */
static void *map_pieces(const struct mp_mem *mem)
{
	const u32 per = 1u << mem->order;
	struct page **each;
	void *base;
	u64 i;

	if (!mem->order)
		return vmap(mem->page, mem->n_pages, VM_MAP, PAGE_KERNEL);
	each = kvmalloc_array((u64)mem->n_pages * per, sizeof(*each),
			      QUIET_GFP);
	if (!each)
		return NULL;
	for (i = 0; i < (u64)mem->n_pages * per; i++)
		each[i] = mem->page[i / per] + i % per;
	base = vmap(each, mem->n_pages * per, VM_MAP, PAGE_KERNEL);
	kvfree(each);
	return base;
}

static int take_mapped(struct mp_mem *mem, int node, u32 order)
{
	int err;

	mem->order = order;
	err = take_pieces(mem, node);
	if (err)
		return err;
	if (!order)
		shuffle_pieces(mem);
	mem->base = map_pieces(mem);
	if (mem->base)
		return 0;
	free_pieces(mem);
	return -ENOMEM;
}

/* -- one piece -------------------------------------------------------------- */

static int take_buddy(struct mp_mem *mem, int node)
{
	struct page *page;

	mem->order = get_order(mem->bytes);
	page = take_piece(mem, node);
	if (!page)
		return -ENOMEM;
	mem->base = page_address(page);
	return 0;
}

static int take_contig(struct mp_mem *mem, int node, u32 shift)
{
	const u64 align = shift ? 1ull << shift : PAGE_SIZE;
	struct page *page;
	int err;

	/* The buddy allocator's pieces are aligned to their size. */
	if (mem->bytes <= 1ull << MP_BLOCK_SHIFT && align <= mem->bytes &&
	    (mem->bytes & (mem->bytes - 1)) == 0 && !take_buddy(mem, node))
		return 0;
	err = mp_contig_take(mem->bytes >> PAGE_SHIFT, align >> PAGE_SHIFT,
			     node, &page);
	if (err)
		return err;
	mem->range = true;
	mem->base = page_address(page);
	return 0;
}

static int take_huge(struct mp_mem *mem)
{
	mem->base = vmalloc_huge(mem->bytes, QUIET_GFP | __GFP_ACCOUNT);
	if (mem->base)
		return 0;
	return fatal_signal_pending(current) ? -EINTR : -ENOMEM;
}

/* -- what it is ------------------------------------------------------------ */

static struct page *page_at(const struct mp_mem *mem, u64 offset)
{
	void *at = mem->base + offset;

	return is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);
}

/* The smallest page of the mapping; 0 where this kernel does not tell. */
static u32 map_shift(const struct mp_mem *mem)
{
	u32 shift, least = 0;
	u64 at = 0;

	while (at < mem->bytes) {
		shift = mp_map_shift((unsigned long)mem->base + at);
		if (!shift)
			return 0;
		if (!least || shift < least)
			least = shift;
		/* To the next boundary: a piece may begin inside a page. */
		at = round_up((unsigned long)mem->base + at + 1,
			      1ul << shift) - (unsigned long)mem->base;
		cond_resched();
	}
	return least;
}

/* Pieces, and the greatest aligned blocks that all of them consist of. */
static void describe_pieces(const struct mp_mem *mem,
			    struct memprobe_arena *arena)
{
	unsigned long pfn, last = 0;
	u64 ends = 0, at;
	int node;

	arena->pieces = 0;
	arena->got_node = page_to_nid(page_at(mem, 0));
	for (at = 0; at < mem->bytes; at += PAGE_SIZE) {
		pfn = page_to_pfn(page_at(mem, at));
		node = page_to_nid(pfn_to_page(pfn));
		if (node != arena->got_node)
			arena->got_node = NUMA_NO_NODE;
		if (!at || pfn != last + 1) {
			/* A piece ends at @last + 1 and begins at @pfn. */
			ends |= pfn | (at ? last + 1 : 0);
			arena->pieces++;
		}
		last = pfn;
		if (at % (PIECES_STEP * PAGE_SIZE) == 0)
			cond_resched();
	}
	ends |= last + 1;
	arena->got_block_shift = PAGE_SHIFT + __ffs64(ends);
}

/* Return: 0; -ENOMEM it is not made of the pages that were asked for. */
static int describe(const struct mp_mem *mem, struct memprobe_arena *arena)
{
	arena->bytes = mem->bytes;
	arena->got = mem->got;
	arena->got_page_shift = map_shift(mem);
	describe_pieces(mem, arena);
	if (arena->pieces == 1)
		arena->got |= MEMPROBE_ARENA_CONTIG;
	return arena->got_block_shift < arena->page_shift ? -ENOMEM : 0;
}

/* -- taking and giving ------------------------------------------------------ */

static int take_kind(struct mp_mem *mem, const struct memprobe_arena *arena)
{
	const int node = arena->flags & MEMPROBE_ARENA_NODE ? arena->node :
							      NUMA_NO_NODE;

	switch (mem->kind) {
	case MEMPROBE_KIND_CONTIG:
		return take_contig(mem, node, arena->page_shift);
	case MEMPROBE_KIND_HUGE:
		return take_huge(mem);
	case MEMPROBE_KIND_BLOCKS:
		return take_mapped(mem, node, BLOCK_ORDER);
	default:
		return take_mapped(mem, node, 0);
	}
}

static void give_kind(struct mp_mem *mem)
{
	const unsigned long addr = (unsigned long)mem->base;

	if (mem->page) {
		vunmap(mem->base);
		free_pieces(mem);
	} else if (mem->kind == MEMPROBE_KIND_HUGE) {
		vfree(mem->base);
	} else if (mem->range) {
		mp_contig_give(virt_to_page(mem->base),
			       mem->bytes >> PAGE_SHIFT);
	} else {
		free_pages(addr, mem->order);
	}
}

/*
 * In parts, each of which takes a moment only. Whatever comes, the flag says
 * from the first part on that all has to be made cached again.
 */
static int make_uncached(struct mp_mem *mem)
{
	const unsigned long base = (unsigned long)mem->base;
	u64 at;
	int err = 0;

	mem->got |= MEMPROBE_ARENA_UNCACHED;
	for (at = 0; at < mem->bytes && !err; at += CACHE_STEP) {
		err = mp_cache_off(base + at, CACHE_STEP >> PAGE_SHIFT);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	return err;
}

static int make_cached(const struct mp_mem *mem)
{
	const unsigned long base = (unsigned long)mem->base;
	int err = 0, each;
	u64 at;

	for (at = 0; at < mem->bytes; at += CACHE_STEP) {
		each = mp_cache_on(base + at, CACHE_STEP >> PAGE_SHIFT);
		if (each)
			err = each;
		cond_resched();
	}
	return err;
}

/* Whole pages of the size that was asked for; blocks are blocks. */
static u64 round_bytes(const struct memprobe_arena *arena)
{
	u32 shift = arena->page_shift ? arena->page_shift : PAGE_SHIFT;

	if (arena->kind == MEMPROBE_KIND_BLOCKS)
		shift = MP_BLOCK_SHIFT;
	if (arena->flags & MEMPROBE_ARENA_UNCACHED && shift < ilog2(CACHE_STEP))
		shift = ilog2(CACHE_STEP);
	/* As the kernel rounds it itself where it maps huge pages. */
	if (MP_HUGE_SHIFT && arena->kind == MEMPROBE_KIND_HUGE &&
	    arena->bytes >= 1ull << MP_HUGE_SHIFT)
		shift = MP_HUGE_SHIFT;
	return round_up(arena->bytes, 1ull << shift);
}

static bool node_is_there(const struct memprobe_arena *arena)
{
	if (!(arena->flags & MEMPROBE_ARENA_NODE))
		return true;
	return arena->node < MAX_NUMNODES && node_online(arena->node) &&
	       node_state(arena->node, N_MEMORY);
}

int mp_mem_take(struct memprobe_arena *arena, struct mp_mem **out)
{
	const u64 start_ns = ktime_get_ns();
	struct mp_mem *mem;
	int err;

	if (!node_is_there(arena))
		return -ENXIO;
	mem = kzalloc(sizeof(*mem), QUIET_GFP | __GFP_ACCOUNT);
	if (!mem)
		return -ENOMEM;
	mem->kind = arena->kind;
	mem->bytes = round_bytes(arena);
	err = reserve(mem->bytes);
	if (err)
		goto err_free;
	err = take_kind(mem, arena);
	taken(mem->bytes);
	if (err)
		goto err_unreserve;
	if (arena->flags & MEMPROBE_ARENA_UNCACHED)
		err = make_uncached(mem);
	if (!err)
		err = describe(mem, arena);
	if (err) {
		mp_mem_give(mem);
		return err;
	}
	arena->took_ns = ktime_get_ns() - start_ns;
	*out = mem;
	return 0;

err_unreserve:
	unreserve(mem->bytes);
err_free:
	kfree(mem);
	return err;
}

void mp_mem_give(struct mp_mem *mem)
{
	/*
	 * Memory that cannot be made cached again is of no use to anybody: it
	 * stays ours, counted, until the machine is started anew.
	 */
	if ((mem->got & MEMPROBE_ARENA_UNCACHED) && make_cached(mem)) {
		pr_warn("memprobe: %llu bytes stay uncached and lost\n",
			mem->bytes);
		kfree(mem);
		return;
	}
	give_kind(mem);
	unreserve(mem->bytes);
	kfree(mem);
}

bool mp_mem_guarded(u32 kind, u32 flags)
{
	return kind == MEMPROBE_KIND_CONTIG || kind == MEMPROBE_KIND_BLOCKS ||
	       (flags & MEMPROBE_ARENA_UNCACHED);
}

void mp_mem_info(struct memprobe_info *info)
{
	info->kinds = 1u << MEMPROBE_KIND_CONTIG | 1u << MEMPROBE_KIND_HUGE |
		      1u << MEMPROBE_KIND_SCATTERED |
		      1u << MEMPROBE_KIND_BLOCKS;
	info->arena_flags = MEMPROBE_ARENA_NODE;
	if (mp_cache_can())
		info->arena_flags |= MEMPROBE_ARENA_UNCACHED;
	info->arenas_max = MP_ARENAS_MAX;
	info->arena_max_bytes = total_max();
	info->contig_max_bytes = MP_HAVE_CONTIG_RANGE ? total_max() :
				 1ull << MP_BLOCK_SHIFT;
	info->total_max_bytes = total_max();
	info->uncached_min_bytes = MP_UNCACHED_MIN_BYTES;
	info->uncached_min_slots = MP_UNCACHED_MIN_SLOTS;
	info->page_shift = PAGE_SHIFT;
	info->page_shift_max = MP_PAGE_SHIFT_MAX;
	info->huge_shift = MP_HUGE_SHIFT;
}
