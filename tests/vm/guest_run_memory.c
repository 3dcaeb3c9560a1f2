// SPDX-License-Identifier: GPL-2.0
/*
 * Arenas of all kinds and sizes, what is said of them, and a run in each.
 */
#include "guest_run.h"

#include <errno.h>
#include <unistd.h>

#define KIB 1024ull
#define MIB (1024 * KIB)

static const char *const kinds[] = {
	[MEMPROBE_KIND_CONTIG] = "contiguous",
	[MEMPROBE_KIND_HUGE] = "huge",
	[MEMPROBE_KIND_SCATTERED] = "scattered",
	[MEMPROBE_KIND_BLOCKS] = "blocks",
};

/* Runs at both ends of an arena: all of it is mapped and can be written. */
static void use(struct guest *g, const struct memprobe_arena *arena,
		const char *what)
{
	/* Of an uncached one that is all of it: see uncached_spans(). */
	const bool small = arena->bytes >= 64 * KIB &&
			   !(arena->got & MEMPROBE_ARENA_UNCACHED);
	const __u64 span = small ? 64 * KIB : arena->bytes;
	__u64 offset = 0;
	int i;

	for (i = 0; i < 2; i++) {
		guest_default(g);
		g->actor[0].arena = arena->id;
		g->actor[0].offset = offset;
		g->actor[0].length = span;
		expect_error(guest_text("%s: a run at offset %llu", what,
					offset),
			     guest_run(g), 0, 0);
		offset = arena->bytes - span;
	}
}

static void look_at(const struct memprobe_arena *arena, __u64 asked,
		    const char *what)
{
	const __u64 page = (__u64)sysconf(_SC_PAGESIZE);

	note("%s: %llu bytes, node %d, page shift %u, block shift %u, %u pieces, "
	     "got %#x, %llu us", what, arena->bytes, arena->got_node,
	     arena->got_page_shift, arena->got_block_shift, arena->pieces,
	     arena->got, arena->took_ns / 1000);
	expect(arena->bytes >= asked && !(arena->bytes % page),
	       guest_text("%s: bytes", what), "whole pages, at least %llu, got %llu",
	       asked, arena->bytes);
	expect(arena->got_node >= -1 && arena->got_node < 1024,
	       guest_text("%s: node", what), "one, or -1, got %d",
	       arena->got_node);
	expect(!(arena->got & ~0x103u), guest_text("%s: got", what),
	       "no unknown bits, got %#x", arena->got);
	expect_between(guest_text("%s: pieces", what), arena->pieces, 1,
		       arena->bytes / page);
	expect(arena->got_block_shift >= 12 && arena->got_block_shift < 48,
	       guest_text("%s: block shift", what), "12 or more, got %u",
	       arena->got_block_shift);
	expect(!arena->got_page_shift || (arena->got_page_shift >= 12 &&
					  arena->got_page_shift < 48),
	       guest_text("%s: page shift", what), "0 or 12 and more, got %u",
	       arena->got_page_shift);
	expect(!(arena->got & MEMPROBE_ARENA_CONTIG) || arena->pieces == 1,
	       guest_text("%s: one piece", what), "1, got %u pieces",
	       arena->pieces);
	if (arena->kind == MEMPROBE_KIND_CONTIG)
		expect(arena->got & MEMPROBE_ARENA_CONTIG,
		       guest_text("%s: contiguous", what), "to be said, got %#x",
		       arena->got);
	if (arena->page_shift)
		expect(!(arena->bytes % (1ull << arena->page_shift)),
		       guest_text("%s: length", what),
		       "a multiple of 2^%u, got %llu", arena->page_shift,
		       arena->bytes);
	expect(arena->took_ns, guest_text("%s: time", what), "more than none");
}

/* What a machine that has just been started must have. */
static bool is_scarce(__u64 bytes)
{
	return bytes > 24 * MIB;
}

/* @scarce: there may be none of it, which then must be ENOMEM. */
static void take(struct guest *g, __u32 kind, __u64 bytes, __u32 page_shift,
		 __u32 flags, bool scarce)
{
	const char *what = guest_text("%llu KiB %s%s, page shift %u",
				      bytes / KIB, kinds[kind],
				      flags & MEMPROBE_ARENA_UNCACHED
					      ? " uncached" : "", page_shift);
	struct memprobe_arena arena = {
		.kind = kind,
		.flags = flags,
		.bytes = bytes,
		.page_shift = page_shift,
	};
	int error;

	if (kind == MEMPROBE_KIND_CONTIG && bytes > g->info.contig_max_bytes) {
		skipped(what, "INFO allows no such contiguous arena");
		return;
	}
	error = guest_take_arena(g->fd, &arena);
	if (error == -ENOMEM && scarce) {
		skipped(what, "ENOMEM: no such memory now");
		return;
	}
	/* The kernel has no huge pages of a node to give to a module. */
	if (!expect_error(what, error, 0,
			  kind == MEMPROBE_KIND_HUGE && flags ? EOPNOTSUPP : 0) ||
	    error)
		return;
	look_at(&arena, bytes, what);
	if (flags & MEMPROBE_ARENA_UNCACHED)
		expect(arena.got & MEMPROBE_ARENA_UNCACHED,
		       guest_text("%s: uncached", what), "to be said, got %#x",
		       arena.got);
	use(g, &arena, what);
	expect_error(guest_text("%s: give back", what),
		     guest_give(g->fd, arena.id), 0, 0);
}

/* Few uncached lines in an order of the caller's would hammer a row. */
static void uncached_spans(struct guest *g)
{
	struct memprobe_arena arena = {
		.kind = MEMPROBE_KIND_CONTIG,
		.flags = MEMPROBE_ARENA_UNCACHED,
		.bytes = g->info.uncached_min_bytes,
	};

	if (guest_take_arena(g->fd, &arena))
		return;
	guest_default(g);
	g->actor[0].arena = arena.id;
	expect_error("uncached: a small span", guest_run(g), EOPNOTSUPP,
		     EOPNOTSUPP);
	guest_default(g);
	g->actor[0].arena = arena.id;
	g->actor[0].length = arena.bytes;
	g->actor[0].stride = arena.bytes / 2;
	expect_error("uncached: two slots", guest_run(g), EOPNOTSUPP,
		     EOPNOTSUPP);
	guest_default(g);
	g->actor[0].arena = arena.id;
	g->actor[0].length = arena.bytes;
	g->actor[0].reach = 4096;
	expect_error("uncached: a reach", guest_run(g), EOPNOTSUPP, EOPNOTSUPP);
	guest_default(g);
	g->actor[0].arena = arena.id;
	g->actor[0].length = arena.bytes;
	g->actor[0].op = MEMPROBE_OP_SEQUENCE;
	g->actor[0].hops = 0;
	g->run.steps = (__u64)(unsigned long)g->step;
	g->run.n_steps = 1;
	expect_error("uncached: a sequence", guest_run(g), EOPNOTSUPP,
		     EOPNOTSUPP);
	guest_give(g->fd, arena.id);
}

static void uncached(struct guest *g)
{
	const __u64 least = g->info.uncached_min_bytes;

	if (!(g->info.arena_flags & MEMPROBE_ARENA_UNCACHED)) {
		skipped("an uncached arena", "INFO says there are none here");
		return;
	}
	take(g, MEMPROBE_KIND_CONTIG, least, 0, MEMPROBE_ARENA_UNCACHED,
	     is_scarce(least));
	uncached_spans(g);
	/* What was uncached must be ordinary memory afterwards. */
	take(g, MEMPROBE_KIND_CONTIG, least, 0, 0, is_scarce(least));
}

void run_memory(struct guest *g)
{
	static const __u64 sizes[] = {
		4 * KIB, 64 * KIB, 1 * MIB, 4 * MIB, 4 * MIB + 4 * KIB, 24 * MIB,
	};
	__u32 kind;
	size_t i;

	for (kind = MEMPROBE_KIND_CONTIG; kind <= MEMPROBE_KIND_BLOCKS; kind++) {
		if (!(g->info.kinds & 1u << kind)) {
			skipped(guest_text("arenas: %s", kinds[kind]),
				"INFO says there are none here");
			continue;
		}
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			take(g, kind, sizes[i], 0, 0, is_scarce(sizes[i]));
		take(g, kind, 64 * KIB, 0, MEMPROBE_ARENA_NODE, false);
	}
	if (g->info.huge_shift)
		take(g, MEMPROBE_KIND_HUGE, 2ull << g->info.huge_shift,
		     g->info.huge_shift, 0, true);
	take(g, MEMPROBE_KIND_SCATTERED, MIB, g->info.page_shift, 0, false);
	if (g->info.kinds & 1u << MEMPROBE_KIND_CONTIG) {
		take(g, MEMPROBE_KIND_CONTIG, 4 * KIB, g->info.page_shift, 0,
		     false);
		take(g, MEMPROBE_KIND_CONTIG, 64 * KIB, 16, 0, false);
		take(g, MEMPROBE_KIND_CONTIG, 2 * MIB, 21, 0, false);
		take(g, MEMPROBE_KIND_CONTIG, 6 * MIB, 21, 0,
		     is_scarce(6 * MIB));
		if (g->info.page_shift_max >= 30 &&
		    g->info.arena_max_bytes >= 1024 * MIB)
			take(g, MEMPROBE_KIND_CONTIG, 1024 * MIB, 30, 0, true);
		else
			skipped("a contiguous GiB", "INFO allows none");
	}
	uncached(g);
}
