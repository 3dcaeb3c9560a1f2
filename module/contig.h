/* SPDX-License-Identifier: GPL-2.0 */
/* Physically contiguous memory beyond what the buddy allocator hands out. */
#ifndef MP_CONTIG_H
#define MP_CONTIG_H

#include <linux/types.h>

struct page;

/**
 * mp_contig_take() - find and take a physically contiguous range
 * @pages: how many small pages
 * @align: their first page number is a multiple of this power of two
 * @node: a node, or NUMA_NO_NODE for any
 * @first: gets the first page
 *
 * Return: 0; -ENOMEM none found in MP_ARENA_SEARCH_NS, or this kernel has no
 * way to take one; -EINTR killed. Time and signals are looked at between two
 * tries; one try, which may wait for pages being written, takes its time.
 */
int mp_contig_take(unsigned long pages, unsigned long align, int node,
		   struct page **first);

/** mp_contig_give() - give a range back */
void mp_contig_give(struct page *first, unsigned long pages);

#endif
