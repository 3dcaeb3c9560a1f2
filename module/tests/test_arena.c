// SPDX-License-Identifier: GPL-2.0
/* Memory of arenas: what is told of it is true, and all of it goes back. */
#include "tests.h"

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../arena.h"
#include "../compat.h"
#include "../file.h"

/* Above what any machine has: then only what is free counts. */
#define NO_CAP_MIB ~0u

static struct memprobe_arena wish(u32 kind, u64 bytes)
{
	const struct memprobe_arena arena = {
		.size = sizeof(arena),
		.op = MEMPROBE_ARENA_TAKE,
		.kind = kind,
		.bytes = bytes,
	};

	return arena;
}

/* The first and the last word of each page hold what is written there. */
static void expect_memory(struct kunit *test, const struct mp_mem *mem)
{
	const u64 words = PAGE_SIZE / sizeof(u64);
	u64 i, *word = mem->base, bad = 0;

	for (i = 0; i < mem->bytes / sizeof(u64); i += words) {
		word[i] = i;
		word[i + words - 1] = ~i;
	}
	for (i = 0; i < mem->bytes / sizeof(u64); i += words)
		bad += word[i] != i || word[i + words - 1] != ~i;
	KUNIT_EXPECT_EQ(test, bad, 0ull);
}

static void expect_told(struct kunit *test, const struct memprobe_arena *arena,
			const struct mp_mem *mem)
{
	const u64 pages = arena->bytes >> PAGE_SHIFT;

	KUNIT_EXPECT_EQ(test, arena->bytes, mem->bytes);
	KUNIT_EXPECT_EQ(test, arena->bytes % PAGE_SIZE, 0ull);
	KUNIT_EXPECT_EQ(test, (unsigned long)mem->base % PAGE_SIZE, 0ul);
	KUNIT_EXPECT_GE(test, arena->pieces, 1u);
	KUNIT_EXPECT_LE(test, (u64)arena->pieces, pages);
	KUNIT_EXPECT_EQ(test, !!(arena->got & MEMPROBE_ARENA_CONTIG),
			(int)(arena->pieces == 1));
	KUNIT_EXPECT_FALSE(test, arena->got & MEMPROBE_ARENA_UNCACHED);
	KUNIT_EXPECT_GE(test, arena->got_block_shift, (u32)PAGE_SHIFT);
	KUNIT_EXPECT_LE(test, 1ull << arena->got_block_shift, arena->bytes);
	KUNIT_EXPECT_GE(test, arena->got_node, -1);
	if (arena->got_page_shift)
		KUNIT_EXPECT_GE(test, arena->got_page_shift, (u32)PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), mem->bytes);
}

/* Take, look, give; what was told is for the caller to look at. */
static struct memprobe_arena take_and_give(struct kunit *test, u32 kind,
					   u64 bytes)
{
	struct memprobe_arena arena = wish(kind, bytes);
	struct mp_mem *mem;
	int err;

	KUNIT_ASSERT_EQ(test, mp_mem_total(), 0ull);
	err = mp_mem_take(&arena, &mem);
	if (err == -ENOMEM) {
		KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
		kunit_skip(test, "no memory of kind %u here", kind);
	}
	KUNIT_ASSERT_EQ(test, err, 0);
	expect_told(test, &arena, mem);
	expect_memory(test, mem);
	mp_mem_give(mem);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
	return arena;
}

static void scattered_pages_are_small_and_as_many_as_asked(struct kunit *test)
{
	const struct memprobe_arena arena =
		take_and_give(test, MEMPROBE_KIND_SCATTERED,
			      99 * PAGE_SIZE + 1);

	KUNIT_EXPECT_EQ(test, arena.bytes, (u64)(100 * PAGE_SIZE));
	KUNIT_EXPECT_GT(test, arena.pieces, 1u);
	if (arena.got_page_shift)
		KUNIT_EXPECT_EQ(test, arena.got_page_shift, (u32)PAGE_SHIFT);
}

static void blocks_are_whole_blocks(struct kunit *test)
{
	const struct memprobe_arena arena =
		take_and_give(test, MEMPROBE_KIND_BLOCKS, SZ_4M + 1);

	KUNIT_EXPECT_EQ(test, arena.bytes, (u64)SZ_8M);
	KUNIT_EXPECT_LE(test, arena.pieces, 2u);
	KUNIT_EXPECT_GE(test, arena.got_block_shift, MP_BLOCK_SHIFT);
}

static void huge_memory_is_virtually_contiguous(struct kunit *test)
{
	const struct memprobe_arena arena =
		take_and_give(test, MEMPROBE_KIND_HUGE, SZ_4M);

	KUNIT_EXPECT_EQ(test, arena.bytes, (u64)SZ_4M);
	if (arena.got_page_shift && MP_HUGE_SHIFT)
		KUNIT_EXPECT_LE(test, arena.got_page_shift,
				(u32)MP_HUGE_SHIFT);
}

static void a_contiguous_piece_of_the_buddy_allocator_is_one_piece(
	struct kunit *test)
{
	const struct memprobe_arena arena =
		take_and_give(test, MEMPROBE_KIND_CONTIG, SZ_1M);

	KUNIT_EXPECT_EQ(test, arena.pieces, 1u);
	KUNIT_EXPECT_EQ(test, arena.got_block_shift, 20u);
}

static void a_contiguous_range_is_one_piece_or_none_can_be_had(
	struct kunit *test)
{
	struct memprobe_arena arena = wish(MEMPROBE_KIND_CONTIG,
					   3 * PAGE_SIZE);
	struct mp_mem *mem;
	int err;

	if (!MP_HAVE_CONTIG_RANGE) {
		err = mp_mem_take(&arena, &mem);
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
		return;
	}
	arena = take_and_give(test, MEMPROBE_KIND_CONTIG, 3 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, arena.bytes, (u64)(3 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, arena.pieces, 1u);
}

static void a_contiguous_piece_begins_where_it_was_asked_to(
	struct kunit *test)
{
	struct memprobe_arena arena = wish(MEMPROBE_KIND_CONTIG, 1);
	struct mp_mem *mem;

	arena.page_shift = 19;
	KUNIT_ASSERT_EQ(test, mp_mem_take(&arena, &mem), 0);
	KUNIT_EXPECT_EQ(test, arena.bytes, (u64)SZ_512K);
	KUNIT_EXPECT_GE(test, arena.got_block_shift, 19u);
	KUNIT_EXPECT_EQ(test, virt_to_phys(mem->base) % SZ_512K, 0ul);
	mp_mem_give(mem);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
}

static void contiguous_memory_is_guarded_whoever_asks(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, mp_mem_guarded(MEMPROBE_KIND_CONTIG, 0));
	KUNIT_EXPECT_TRUE(test, mp_mem_guarded(MEMPROBE_KIND_BLOCKS, 0));
	KUNIT_EXPECT_FALSE(test, mp_mem_guarded(MEMPROBE_KIND_HUGE, 0));
	KUNIT_EXPECT_FALSE(test, mp_mem_guarded(MEMPROBE_KIND_SCATTERED, 0));
	KUNIT_EXPECT_TRUE(test, mp_mem_guarded(MEMPROBE_KIND_SCATTERED,
					       MEMPROBE_ARENA_UNCACHED));
}

static void an_arena_of_a_node_is_of_that_node(struct kunit *test)
{
	struct memprobe_arena arena = wish(MEMPROBE_KIND_SCATTERED, SZ_1M);
	struct mp_mem *mem;

	arena.flags = MEMPROBE_ARENA_NODE;
	arena.node = first_node(node_states[N_MEMORY]);
	KUNIT_ASSERT_EQ(test, mp_mem_take(&arena, &mem), 0);
	KUNIT_EXPECT_EQ(test, arena.got_node, arena.node);
	mp_mem_give(mem);
	arena.node = MAX_NUMNODES;
	KUNIT_EXPECT_EQ(test, mp_mem_take(&arena, &mem), -ENXIO);
	arena.node = INT_MAX;
	KUNIT_EXPECT_EQ(test, mp_mem_take(&arena, &mem), -ENXIO);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
}

static void one_cap_holds_over_all_arenas(struct kunit *test)
{
	struct memprobe_arena six = wish(MEMPROBE_KIND_SCATTERED, SZ_4M + SZ_2M);
	struct memprobe_arena two = wish(MEMPROBE_KIND_SCATTERED, SZ_2M);
	struct memprobe_arena more = wish(MEMPROBE_KIND_SCATTERED, 1);
	struct mp_mem *a, *b, *c;

	mp_test_total_mib(8);
	KUNIT_ASSERT_EQ(test, mp_mem_take(&six, &a), 0);
	KUNIT_ASSERT_EQ(test, mp_mem_take(&two, &b), 0);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), (u64)SZ_8M);
	KUNIT_EXPECT_EQ(test, mp_mem_take(&more, &c), -ENOMEM);
	mp_mem_give(b);
	KUNIT_EXPECT_EQ(test, mp_mem_take(&more, &c), 0);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), (u64)(SZ_4M + SZ_2M + PAGE_SIZE));
	mp_mem_give(a);
	mp_mem_give(c);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
}

static void no_arena_takes_more_than_its_share_of_what_is_free(
	struct kunit *test)
{
	const u64 free = (u64)si_mem_available() << PAGE_SHIFT;
	struct mp_mem *mem;
	u32 kind;

	mp_test_total_mib(NO_CAP_MIB);
	for (kind = MEMPROBE_KIND_CONTIG; kind <= MEMPROBE_KIND_BLOCKS; kind++) {
		struct memprobe_arena arena = wish(kind, free * 3 / 4);

		KUNIT_EXPECT_EQ(test, mp_mem_take(&arena, &mem), -ENOMEM);
		KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
	}
}

static void a_file_has_no_more_arenas_than_info_says(struct kunit *test)
{
	struct mp_file *own = kunit_kzalloc(test, sizeof(*own), GFP_KERNEL);
	struct memprobe_arena arena;
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, own);
	mutex_init(&own->lock);
	for (i = 0; i < MP_ARENAS_MAX; i++) {
		arena = wish(MEMPROBE_KIND_SCATTERED, 1);
		KUNIT_EXPECT_EQ(test, mp_file_arena(own, &arena), 0);
		KUNIT_EXPECT_EQ(test, arena.id, i + 1);
	}
	arena = wish(MEMPROBE_KIND_SCATTERED, 1);
	KUNIT_EXPECT_EQ(test, mp_file_arena(own, &arena), -ERANGE);
	for (i = 0; i < MP_ARENAS_MAX; i++) {
		arena.op = MEMPROBE_ARENA_GIVE;
		arena.id = i + 1;
		KUNIT_EXPECT_EQ(test, mp_file_arena(own, &arena), 0);
		KUNIT_EXPECT_EQ(test, mp_file_arena(own, &arena), -ENOENT);
	}
	KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
}

static void set_cap(struct kunit *test)
{
	mp_test_total_mib(0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(scattered_pages_are_small_and_as_many_as_asked),
	KUNIT_CASE(blocks_are_whole_blocks),
	KUNIT_CASE(huge_memory_is_virtually_contiguous),
	KUNIT_CASE(a_contiguous_piece_of_the_buddy_allocator_is_one_piece),
	KUNIT_CASE(a_contiguous_range_is_one_piece_or_none_can_be_had),
	KUNIT_CASE(a_contiguous_piece_begins_where_it_was_asked_to),
	KUNIT_CASE(contiguous_memory_is_guarded_whoever_asks),
	KUNIT_CASE(an_arena_of_a_node_is_of_that_node),
	KUNIT_CASE(one_cap_holds_over_all_arenas),
	KUNIT_CASE(no_arena_takes_more_than_its_share_of_what_is_free),
	KUNIT_CASE(a_file_has_no_more_arenas_than_info_says),
	{}
};

struct kunit_suite mp_arena_suite = {
	.name = "memprobe-arena",
	.exit = set_cap,
	.test_cases = cases,
};
