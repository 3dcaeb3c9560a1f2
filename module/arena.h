/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of arenas: where it comes from, what it is, how it goes back. */
#ifndef MP_ARENA_H
#define MP_ARENA_H

#include <linux/types.h>

#include "../ioctl/memprobe.h"
#include "limits.h"

struct page;

/**
 * struct mp_mem - the memory of an arena
 * @id: its number in its file
 * @kind: enum memprobe_kind
 * @got: enum memprobe_arena_flag
 * @bytes: whole pages
 * @base: where the kernel has it mapped
 * @page: its pages or blocks, where it was put together; else NULL
 * @n_pages: how many
 * @order: of each of @page, or of the one piece
 * @range: taken by alloc_contig_range()
 */
struct mp_mem {
	u32 id;
	u32 kind;
	u32 got;
	u64 bytes;
	void *base;
	struct page **page;
	u32 n_pages;
	u32 order;
	bool range;
};

/**
 * mp_mem_take() - memory for a checked ARENA
 * @arena: what is wanted; gets what was got
 * @mem: gets the memory
 *
 * Never wakes the OOM killer, ends early when the caller is killed, and
 * looks for contiguous memory for MP_ARENA_SEARCH_NS at most. The memory is
 * not cleared: nothing that lies in it ever leaves the kernel.
 * Context: process; sleeps.
 * Return: 0; -ENOMEM also beyond the cap; -ENXIO no such node; -EINTR.
 */
int mp_mem_take(struct memprobe_arena *arena, struct mp_mem **mem);

/** mp_mem_give() - back to where it came from */
void mp_mem_give(struct mp_mem *mem);

/**
 * mp_mem_guarded() - is it memory for CAP_SYS_ADMIN only?
 * @flags: enum memprobe_arena_flag, asked for or got
 *
 * Contiguous memory and a clock help to find eviction sets and rows.
 */
bool mp_mem_guarded(u32 kind, u32 flags);

/** mp_mem_info() - what this kernel can give, into an INFO */
void mp_mem_info(struct memprobe_info *info);

/** mp_mem_total() - bytes that all arenas of all files hold */
u64 mp_mem_total(void);

#endif
