// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel can move what lies in a range of pages out of the way, but the
 * function that also finds such a range is not there for modules. So this
 * looks for ranges itself, from the top of each node, where memory in use is
 * scarce, and asks for one after the other.
 */
#include "contig.h"

#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>

#include "compat.h"
#include "limits.h"

#if MP_HAVE_CONTIG_RANGE

/* A range that is in one zone, all there, and holds nothing reserved. */
static bool may_do(unsigned long from, unsigned long pages, int node)
{
	struct zone *zone = NULL;
	struct page *page;
	unsigned long pfn;

	for (pfn = from; pfn < from + pages; pfn += pageblock_nr_pages) {
		page = pfn_to_online_page(pfn);
		/* What is movable must stay so: memory may be taken out there. */
		if (!page || PageReserved(page) || PageHuge(page) ||
		    page_to_nid(page) != node || is_zone_movable_page(page))
			return false;
		if (zone && page_zone(page) != zone)
			return false;
		zone = page_zone(page);
	}
	page = pfn_to_online_page(from + pages - 1);
	return page && page_zone(page) == zone;
}

static int try(unsigned long from, unsigned long pages, int node)
{
	if (!may_do(from, pages, node))
		return -EBUSY;
	return alloc_contig_range(from, from + pages, MP_CONTIG_PLAIN,
				  GFP_KERNEL | __GFP_NOWARN);
}

static int take_on(int node, unsigned long pages, unsigned long align,
		   u64 until_ns, struct page **first)
{
	const unsigned long start = node_start_pfn(node);
	const unsigned long end = node_end_pfn(node);
	const unsigned long step = max_t(unsigned long, align,
					 pageblock_nr_pages);
	unsigned long from;

	if (end - start < pages)
		return -ENOMEM;
	for (from = round_down(end - pages, step);
	     from >= start && from + pages <= end; from -= step) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (ktime_get_ns() > until_ns)
			return -ENOMEM;
		if (!try(from, pages, node)) {
			*first = pfn_to_page(from);
			return 0;
		}
		cond_resched();
		if (from < step)
			break;
	}
	return -ENOMEM;
}

int mp_contig_take(unsigned long pages, unsigned long align, int node,
		   struct page **first)
{
	const u64 until_ns = ktime_get_ns() + MP_ARENA_SEARCH_NS;
	int each, err = -ENOMEM;

	if (node != NUMA_NO_NODE)
		return take_on(node, pages, align, until_ns, first);
	for_each_node_state(each, N_MEMORY) {
		err = take_on(each, pages, align, until_ns, first);
		if (err != -ENOMEM)
			break;
	}
	return err;
}

void mp_contig_give(struct page *first, unsigned long pages)
{
	free_contig_range(page_to_pfn(first), pages);
}

#else

int mp_contig_take(unsigned long pages, unsigned long align, int node,
		   struct page **first)
{
	return -ENOMEM;
}

void mp_contig_give(struct page *first, unsigned long pages)
{
}

#endif
