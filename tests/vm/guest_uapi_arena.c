// SPDX-License-Identifier: GPL-2.0
/*
 * Arenas that are refused, and why; and how much there is to take.
 */
#include "guest_uapi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096u
#define MIB (1ull << 20)
#define FILES_MAX 512

/* Of the default: a scattered page. */
static const struct wrong take_wrongs[] = {
	{ "a page", 0, 0, { } },
	{ "one byte, which is a page", 0, 0, { ARENA(bytes, 1) } },
	{ "op 0", EOPNOTSUPP, EINVAL, { ARENA(op, 0) } },
	{ "op 3", EOPNOTSUPP, 0, { ARENA(op, 3) } },
	{ "op 2^32 - 1", EOPNOTSUPP, 0, { ARENA(op, ~0u) } },
	{ "kind 0", EOPNOTSUPP, EINVAL, { ARENA(kind, 0) } },
	{ "kind 5", EOPNOTSUPP, 0, { ARENA(kind, 5) } },
	{ "kind 33", EOPNOTSUPP, 0, { ARENA(kind, 33) } },
	{ "kind 2^32 - 1", EOPNOTSUPP, 0, { ARENA(kind, ~0u) } },
	{ "no bytes", EINVAL, 0, { ARENA(bytes, 0) } },
	{ "one byte too many", ERANGE, 0,
	  { ARENA_LIMIT(bytes, arena_max_bytes, 1) } },
	{ "2^63 bytes", ERANGE, 0, { ARENA(bytes, 1ull << 63) } },
	{ "2^64 - 1 bytes", ERANGE, EOVERFLOW, { ARENA(bytes, ~0ull) } },
	{ "a node and no flag for it", EINVAL, 0, { ARENA(node, 1) } },
	{ "node 0", 0, 0, { ARENA(flags, MEMPROBE_ARENA_NODE) } },
	{ "node 1000", ENXIO, 0,
	  { ARENA(flags, MEMPROBE_ARENA_NODE), ARENA(node, 1000) } },
	{ "node 2^31 - 1", ENXIO, 0,
	  { ARENA(flags, MEMPROBE_ARENA_NODE), ARENA(node, 0x7fffffff) } },
	{ "node -1", ENXIO, EINVAL,
	  { ARENA(flags, MEMPROBE_ARENA_NODE), ARENA(node, ~0u) } },
	{ "scattered pages that are twice as large", EINVAL, EOPNOTSUPP,
	  { ARENA_LIMIT(page_shift, page_shift, 1) } },
	{ "scattered pages of their size", 0, 0,
	  { ARENA_LIMIT(page_shift, page_shift, 0) } },
	{ "scattered, page shift 64", EINVAL, ERANGE, { ARENA(page_shift, 64) } },
	{ "page shift 2^32 - 1", EINVAL, ERANGE, { ARENA(page_shift, ~0u) } },
	{ "a reserved field", EOPNOTSUPP, 0, { ARENA(reserved, 1) } },
	{ "a reserved field of all bits", EOPNOTSUPP, 0,
	  { ARENA(reserved, ~0ull) } },
	{ "uncached scattered pages", EINVAL, EOPNOTSUPP,
	  { ARENA(flags, MEMPROBE_ARENA_UNCACHED), ARENA(bytes, 4 * MIB) } },
};

static const struct wrong contig_wrongs[] = {
	{ "one byte too many of contiguous memory", ERANGE, EOPNOTSUPP,
	  { ARENA_LIMIT(bytes, contig_max_bytes, 1) } },
	{ "page shift 11", EINVAL, ERANGE, { ARENA(page_shift, 11) } },
	{ "page shift 1", EINVAL, ERANGE, { ARENA(page_shift, 1) } },
	{ "too great a page shift", ERANGE, 0,
	  { ARENA_LIMIT(page_shift, page_shift_max, 1) } },
	{ "page shift 64", ERANGE, 0, { ARENA(page_shift, 64) } },
	{ "page shift 2^32 - 1", ERANGE, 0, { ARENA(page_shift, ~0u) } },
	{ "page shift of the small pages", 0, 0,
	  { ARENA_LIMIT(page_shift, page_shift, 0) } },
	{ "less than a small page", EINVAL, ERANGE,
	  { ARENA_LIMIT(page_shift, page_shift, -1) } },
	{ "page shift 16", 0, 0, { ARENA(page_shift, 16) } },
};

/* Of the default: give back the one arena of the file. */
static const struct wrong give_wrongs[] = {
	{ "give back with a kind", EINVAL, 0,
	  { ARENA(kind, MEMPROBE_KIND_SCATTERED) } },
	{ "give back with a flag", EINVAL, 0,
	  { ARENA(flags, MEMPROBE_ARENA_NODE) } },
	{ "give back with an unknown flag", EOPNOTSUPP, EINVAL,
	  { ARENA(flags, 1u << 31) } },
	{ "give back some bytes", EINVAL, 0, { ARENA(bytes, PAGE) } },
	{ "give back with a node", EINVAL, 0, { ARENA(node, 1) } },
	{ "give back with a page shift", EINVAL, 0, { ARENA(page_shift, 12) } },
	{ "give back with a reserved field", EOPNOTSUPP, 0,
	  { ARENA(reserved, 1) } },
	{ "give back arena 12345", ENOENT, 0, { ARENA(id, 12345) } },
	{ "give back arena 2^32 - 1", ENOENT, 0, { ARENA(id, ~0u) } },
};

static void default_take(struct memprobe_arena *arena, __u32 kind)
{
	*arena = (struct memprobe_arena){
		.size = sizeof(*arena),
		.op = MEMPROBE_ARENA_TAKE,
		.kind = kind,
		.bytes = PAGE,
	};
}

static void try_take(struct guest *g, struct memprobe_arena *arena,
		     const struct wrong *wrong)
{
	int error;

	guest_default(g);
	default_take(arena, arena->kind);
	change_request(g, arena, wrong);
	error = guest_call(g->fd, MEMPROBE_ARENA, arena);
	answer(g, "ARENA", wrong->what, error, wrong->want,
	       wrong->or_else ? wrong->or_else : wrong->want);
	if (!error)
		guest_give(g->fd, arena->id);
}

static void take_flags(struct guest *g, struct memprobe_arena *arena)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		if (1u << bit == MEMPROBE_ARENA_NODE ||
		    1u << bit == MEMPROBE_ARENA_UNCACHED)
			continue;
		default_take(arena, MEMPROBE_KIND_SCATTERED);
		arena->flags = 1u << bit;
		answer(g, "ARENA", guest_text("flag bit %u", bit),
		       guest_call(g->fd, MEMPROBE_ARENA, arena), EOPNOTSUPP,
		       EOPNOTSUPP);
	}
}

static void kinds_that_are_not(struct guest *g, struct memprobe_arena *arena)
{
	__u32 kind;

	for (kind = 1; kind <= MEMPROBE_KIND_BLOCKS; kind++) {
		if (g->info.kinds & 1u << kind)
			continue;
		default_take(arena, kind);
		answer(g, "ARENA", guest_text("kind %u, not to be had", kind),
		       guest_call(g->fd, MEMPROBE_ARENA, arena), EOPNOTSUPP,
		       EOPNOTSUPP);
	}
}

static void uncached(struct guest *g, struct memprobe_arena *arena)
{
	if (!(g->info.kinds & 1u << MEMPROBE_KIND_CONTIG))
		return;
	default_take(arena, MEMPROBE_KIND_CONTIG);
	arena->flags = MEMPROBE_ARENA_UNCACHED;
	if (!(g->info.arena_flags & MEMPROBE_ARENA_UNCACHED)) {
		arena->bytes = 4 * MIB;
		answer(g, "ARENA", "uncached, which is not to be had",
		       guest_call(g->fd, MEMPROBE_ARENA, arena), EOPNOTSUPP,
		       EOPNOTSUPP);
		return;
	}
	arena->bytes = g->info.uncached_min_bytes - PAGE;
	answer(g, "ARENA", "too little uncached",
	       guest_call(g->fd, MEMPROBE_ARENA, arena), ERANGE, EINVAL);
}

static void gives(struct guest *g, struct memprobe_arena *arena)
{
	struct memprobe_arena taken;
	size_t i;

	for (i = 0; i < sizeof(give_wrongs) / sizeof(give_wrongs[0]); i++) {
		*arena = (struct memprobe_arena){
			.size = sizeof(*arena),
			.op = MEMPROBE_ARENA_GIVE,
			.id = g->arena.id,
		};
		change_request(g, arena, &give_wrongs[i]);
		answer(g, "ARENA", give_wrongs[i].what,
		       guest_call(g->fd, MEMPROBE_ARENA, arena),
		       give_wrongs[i].want,
		       give_wrongs[i].or_else ? give_wrongs[i].or_else
					      : give_wrongs[i].want);
	}
	if (guest_take(g->fd, MEMPROBE_KIND_SCATTERED, PAGE, &taken))
		return;
	answer(g, "ARENA", "give back", guest_give(g->fd, taken.id), 0, 0);
	answer(g, "ARENA", "give back twice", guest_give(g->fd, taken.id),
	       ENOENT, ENOENT);
	guest_default(g);
	g->actor[0].arena = taken.id;
	answer(g, "RUN", "an arena that was given back", guest_run(g), ENOENT,
	       ENOENT);
}

/* The number of another file's arena means nothing here. */
static void arenas_of_others(struct guest *g)
{
	const int other = guest_open();
	struct memprobe_arena theirs;
	int i;

	if (other < 0)
		return;
	for (i = 0; i < 2; i++)
		if (guest_take(other, MEMPROBE_KIND_SCATTERED, PAGE, &theirs))
			expect(false, "arenas of two files", "two more arenas");
	if (theirs.id == g->arena.id) {
		/* Numbers begin anew in each file: then look from the other. */
		guest_give(other, theirs.id);
		answer(g, "ARENA", "give back the number of another file",
		       guest_give(other, g->arena.id), ENOENT, ENOENT);
	} else {
		answer(g, "ARENA", "give back the number of another file",
		       guest_give(g->fd, theirs.id), ENOENT, ENOENT);
		guest_default(g);
		g->actor[0].arena = theirs.id;
		answer(g, "RUN", "an arena of another file", guest_run(g),
		       ENOENT, ENOENT);
	}
	close(other);
}

/* An arena whose number could not be told must not stay taken. */
static void arenas_not_told(struct guest *g)
{
	const __u32 tries = 2 * g->info.arenas_max;
	struct memprobe_arena arena, *locked;
	const int fd = guest_open();
	unsigned int told = 0;
	__u32 i;

	if (fd < 0)
		return;
	default_take(&arena, MEMPROBE_KIND_SCATTERED);
	locked = read_only_copy(&arena, sizeof(arena));
	for (i = 0; i < tries; i++)
		if (guest_call(fd, MEMPROBE_ARENA, locked) != -EFAULT)
			told++;
	expect(!told, "ARENA: arenas whose numbers cannot be told",
	       "EFAULT each time, %u of %u were not", told, tries);
	for (i = 0; i < g->info.arenas_max; i++)
		if (guest_take(fd, MEMPROBE_KIND_SCATTERED, PAGE, &arena))
			break;
	expect_equal("ARENA: arenas of one file after that", i,
		     g->info.arenas_max);
	answer(g, "ARENA", "one arena too many of one file",
	       guest_take(fd, MEMPROBE_KIND_SCATTERED, PAGE, &arena), ERANGE,
	       ERANGE);
	close(fd);
}

void uapi_arena(struct guest *g)
{
	struct memprobe_arena *arena = guest_shared(sizeof(*arena));
	size_t i;

	for (i = 0; i < sizeof(take_wrongs) / sizeof(take_wrongs[0]); i++) {
		arena->kind = MEMPROBE_KIND_SCATTERED;
		try_take(g, arena, &take_wrongs[i]);
	}
	if (g->info.kinds & 1u << MEMPROBE_KIND_CONTIG)
		for (i = 0; i < sizeof(contig_wrongs) / sizeof(contig_wrongs[0]);
		     i++) {
			arena->kind = MEMPROBE_KIND_CONTIG;
			try_take(g, arena, &contig_wrongs[i]);
		}
	take_flags(g, arena);
	kinds_that_are_not(g, arena);
	uncached(g, arena);
	gives(g, arena);
	arenas_of_others(g);
	arenas_not_told(g);
}

static __u64 sum_of(const struct memprobe_info *info, const int *fds, int n,
		    __u64 *bytes)
{
	struct memprobe_arena arena;
	__u64 sum = 0;
	__u32 taken = 0;
	int error;

	/* From large to small, so that the last of it is found too. */
	while (n && *bytes >= PAGE) {
		error = guest_take(fds[n - 1], guest_bulk_kind(info), *bytes,
				   &arena);
		if (error == -ERANGE && taken)
			return sum;
		if (error == -ENOMEM) {
			*bytes /= 2;
			continue;
		}
		if (error) {
			expect_error("ARENA: to the cap", error, ENOMEM, 0);
			*bytes = 0;
			return sum;
		}
		sum += arena.bytes;
		if (++taken == info->arenas_max)
			return sum;
	}
	return sum;
}

/* All files together get so much, then ENOMEM, and nobody is killed. */
void uapi_memory(struct guest *g)
{
	const __u64 before = g->arena.bytes;
	__u64 bytes = guest_is_um(&g->info) ? g->info.contig_max_bytes
					    : g->info.arena_max_bytes;
	__u64 sum = before;
	struct memprobe_arena arena;
	int fds[FILES_MAX], n;

	for (n = 0; n < FILES_MAX && bytes >= PAGE; n++) {
		fds[n] = guest_open();
		if (fds[n] < 0)
			break;
		sum += sum_of(&g->info, fds, n + 1, &bytes);
	}
	note("%d files hold %llu MiB of at most %llu MiB in all", n, sum / MIB,
	     g->info.total_max_bytes / MIB);
	expect(sum <= g->info.total_max_bytes, "ARENA: the cap over all files",
	       "at most %llu bytes, got %llu", g->info.total_max_bytes, sum);
	answer(g, "ARENA", "beyond the cap over all files",
	       guest_take(g->fd, guest_bulk_kind(&g->info), MIB, &arena),
	       ENOMEM, ENOMEM);
	while (n)
		close(fds[--n]);
	answer(g, "ARENA", "a MiB after all was given back",
	       guest_take(g->fd, MEMPROBE_KIND_SCATTERED, MIB, &arena), 0, 0);
	guest_give(g->fd, arena.id);
}
