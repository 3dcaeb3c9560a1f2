// SPDX-License-Identifier: GPL-2.0
/* Arenas: what is asked for, what comes, and what is said of it. */
#include "backend/user_mem.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/user_room.h"

#define MIB (1ull << 20)
#define PFN_MASK ((1ull << 55) - 1)
#define PAGES 64

static struct mp_rng rng_of(uint64_t seed)
{
	struct mp_rng rng;

	mp_rng_seed(&rng, seed);
	return rng;
}

static int map(struct mp_user_arena *arena, uint64_t bytes, uint32_t pages,
	       bool strict, uint64_t seed)
{
	const struct mp_arena want = {
		.bytes = bytes, .pages = pages, .node = MP_NODE_ANY,
	};
	struct mp_user_words words = { 0 };
	struct mp_rng rng = rng_of(seed);
	int err;

	err = mp_user_arena_map(arena, &want, strict, &rng, &words);
	mp_user_words_free(&words);
	return err;
}

static void small_pages_are_small_and_all_of_them_there(void **state)
{
	struct mp_user_arena arena;

	(void)state;
	assert_int_equal(map(&arena, 5 * MIB + 1, MP_PAGES_4K, true, 1), 0);
	assert_int_equal(arena.got.pages, MP_PAGES_4K);
	assert_int_equal(arena.got.huge_bytes, 0);
	assert_int_equal(arena.got.contiguous, 0);
	assert_int_equal(arena.got.bytes, arena.bytes);
	assert_true(arena.bytes > 5 * MIB);
	assert_true(arena.bytes <= 5 * MIB + mp_user_page_bytes(MP_PAGES_4K));
	memset(arena.base, 0x5a, arena.bytes);
	mp_user_arena_unmap(&arena);
	assert_null(arena.base);
	mp_user_arena_unmap(&arena);
}

/* May this address be neither read nor written? */
static bool is_forbidden(const char *address)
{
	uintptr_t start, end;
	bool forbidden = false;
	char line[512], rights[8];
	FILE *maps = fopen("/proc/self/maps", "r");

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		assert_int_equal(sscanf(line, "%lx-%lx %7s", &start, &end,
					rights), 3);
		if ((uintptr_t)address >= start && (uintptr_t)address < end)
			forbidden = strncmp(rights, "---", 3) == 0;
	}
	fclose(maps);
	return forbidden;
}

static void an_arena_ends_at_forbidden_memory(void **state)
{
	struct mp_user_arena arena;

	(void)state;
	assert_int_equal(map(&arena, 65536, MP_PAGES_4K, false, 1), 0);
	assert_true(is_forbidden(arena.base - 1));
	assert_false(is_forbidden(arena.base));
	assert_false(is_forbidden(arena.base + arena.bytes - 1));
	assert_true(is_forbidden(arena.base + arena.bytes));
	mp_user_arena_unmap(&arena);
}

static void transparent_huge_pages_are_read_back(void **state)
{
	const uint64_t unit = mp_user_page_bytes(MP_PAGES_THP);
	struct mp_user_arena arena;

	(void)state;
	if (!mp_user_pages_work(MP_PAGES_THP, MP_NODE_ANY))
		skip();
	assert_int_equal(map(&arena, 32768, MP_PAGES_THP, true, 1), 0);
	assert_int_equal(arena.got.pages, MP_PAGES_THP);
	assert_int_equal(arena.got.huge_bytes, unit);
	assert_int_equal(arena.got.contiguous, 1);
	assert_int_equal((uintptr_t)arena.base % unit, 0);
	mp_user_arena_unmap(&arena);
	assert_int_equal(map(&arena, 3 * unit, MP_PAGES_THP, true, 1), 0);
	assert_int_equal(arena.got.huge_bytes, 3 * unit);
	assert_int_equal(arena.got.contiguous, 0);
	mp_user_arena_unmap(&arena);
}

static void reserved_pages_that_are_not_there_become_small_ones(void **state)
{
	struct mp_user_arena arena;

	(void)state;
	if (mp_user_room_reserved("", 2 * MIB))
		skip();
	assert_int_equal(map(&arena, 65536, MP_PAGES_2M, false, 1), 0);
	assert_int_equal(arena.got.pages, MP_PAGES_4K);
	assert_int_equal(arena.got.huge_bytes, 0);
	mp_user_arena_unmap(&arena);
	assert_int_equal(map(&arena, 65536, MP_PAGES_2M, true, 1), -ENOMEM);
	assert_null(arena.map);
	assert_false(mp_user_pages_work(MP_PAGES_2M, MP_NODE_ANY));
}

static void reserved_pages_that_are_there_are_read_back(void **state)
{
	struct mp_user_arena arena;

	(void)state;
	if (!mp_user_pages_work(MP_PAGES_2M, MP_NODE_ANY))
		skip();
	assert_int_equal(map(&arena, 65536, MP_PAGES_2M, true, 1), 0);
	assert_int_equal(arena.got.pages, MP_PAGES_2M);
	assert_int_equal(arena.got.huge_bytes, 2 * MIB);
	mp_user_arena_unmap(&arena);
}

static void kinds_that_user_space_lacks_are_not_supported(void **state)
{
	static const uint32_t kinds[] = {
		MP_PAGES_CONTIG, MP_PAGES_DEVICE, MP_PAGES_UNCACHED,
	};
	struct mp_user_arena arena;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(map(&arena, 4096, kinds[i], false, 1),
				 -EOPNOTSUPP);
		assert_int_equal(mp_user_page_bytes(kinds[i]), 0);
		assert_false(mp_user_pages_work(kinds[i], MP_NODE_ANY));
	}
}

static void more_than_there_can_be_is_no_memory(void **state)
{
	struct mp_user_arena arena;

	(void)state;
	assert_int_equal(map(&arena, 1ull << 60, MP_PAGES_4K, false, 1),
			 -ENOMEM);
	assert_null(arena.map);
}

/* Physical page numbers, in order; false where the kernel does not tell. */
static bool placement(const struct mp_user_arena *arena, uint64_t *frame)
{
	const long page_bytes = sysconf(_SC_PAGESIZE);
	const off_t at = (off_t)((uintptr_t)arena->base /
				 (uintptr_t)page_bytes * sizeof(*frame));
	int fd = open("/proc/self/pagemap", O_RDONLY);
	bool told;

	if (fd < 0)
		return false;
	told = pread(fd, frame, PAGES * sizeof(*frame), at) ==
	       (ssize_t)(PAGES * sizeof(*frame));
	close(fd);
	for (int i = 0; i < PAGES && told; i++) {
		frame[i] &= PFN_MASK;
		told = frame[i] != 0;
	}
	return told;
}

static void a_fresh_arena_lies_elsewhere(void **state)
{
	const uint64_t bytes = PAGES * mp_user_page_bytes(MP_PAGES_4K);
	uint64_t old[PAGES], new[PAGES];
	struct mp_user_arena arena;
	int neighbours = 0, same = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		assert_int_equal(map(&arena, bytes, MP_PAGES_4K, true, seed),
				 0);
		if (!placement(&arena, new)) {
			mp_user_arena_unmap(&arena);
			skip();
		}
		for (int i = 0; i < PAGES; i++) {
			same += seed && old[i] == new[i];
			neighbours += i && new[i] == new[i - 1] + 1;
		}
		memcpy(old, new, sizeof(old));
		mp_user_arena_unmap(&arena);
	}
	/* By chance one or two a mapping; unshuffled, all or nearly all. */
	assert_true(same < PAGES / 2);
	assert_true(neighbours < PAGES / 2);
}

static void a_node_that_is_there_is_used_and_named(void **state)
{
	char nodes[64];
	struct mp_user_words words = { 0 };
	struct mp_rng rng = rng_of(3);
	struct mp_arena want = { .bytes = MIB, .pages = MP_PAGES_4K };
	struct mp_user_arena arena;

	(void)state;
	assert_false(mp_user_node_known(9999, nodes, sizeof(nodes)));
	assert_true(strlen(nodes) > 0);
	want.node = (int32_t)strtol(nodes, NULL, 10);
	assert_true(mp_user_node_known(want.node, nodes, sizeof(nodes)));
	assert_int_equal(mp_user_arena_map(&arena, &want, false, &rng, &words),
			 0);
	/* Unknown without NUMA in the kernel; another one would be wrong. */
	if (arena.got.node != MP_NODE_ANY)
		assert_int_equal(arena.got.node, want.node);
	mp_user_arena_unmap(&arena);
	mp_user_words_free(&words);
}

static void a_node_is_a_wish_and_the_grant_tells_the_truth(void **state)
{
	const struct mp_arena want = {
		.bytes = 65536, .pages = MP_PAGES_4K, .node = 9999,
	};
	struct mp_user_words words = { 0 };
	struct mp_rng rng = rng_of(3);
	struct mp_user_arena arena;

	(void)state;
	assert_int_equal(mp_user_arena_map(&arena, &want, false, &rng, &words),
			 0);
	assert_int_not_equal(arena.got.node, 9999);
	mp_user_arena_unmap(&arena);
	mp_user_words_free(&words);
}

static void smaps_is_read_for_one_mapping_only(void **state)
{
	static const char text[] =
		"555500000000-555500001000 r-xp 00000000 fe:00 12 /bin/x\n"
		"Size:                  4 kB\nKernelPageSize:        4 kB\n"
		"AnonHugePages:      6144 kB\nPrivate_Hugetlb:       0 kB\n"
		"7f0000200000-7f0000800000 rw-p 00000000 00:00 0 \n"
		"Size:               6144 kB\nKernelPageSize:        4 kB\n"
		"AnonHugePages:      4096 kB\nPrivate_Hugetlb:       0 kB\n"
		"7f0000a00000-7f0000c00000 rw-p 00000000 00:00 0 \n"
		"Size:               2048 kB\nKernelPageSize:     2048 kB\n"
		"AnonHugePages:         0 kB\nPrivate_Hugetlb:    2048 kB\n";
	char path[] = "/tmp/mp-smaps-XXXXXX";
	const int fd = mkstemp(path);
	uint64_t huge, page;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(mp_user_smaps_read(path, 0x7f0000200000, &huge,
					    &page), 0);
	assert_int_equal(huge, 4 * MIB);
	assert_int_equal(page, 4096);
	assert_int_equal(mp_user_smaps_read(path, 0x7f0000a00000, &huge,
					    &page), 0);
	assert_int_equal(huge, 2 * MIB);
	assert_int_equal(page, 2 * MIB);
	/* Inside a mapping is not its start. */
	assert_int_equal(mp_user_smaps_read(path, 0x7f0000201000, &huge,
					    &page), -ENOENT);
	unlink(path);
	assert_int_equal(mp_user_smaps_read(path, 0, &huge, &page), -ENOENT);
}

static void scratch_grows_and_is_kept(void **state)
{
	struct mp_user_words words = { 0 };
	uint32_t *first;

	(void)state;
	first = mp_user_words_get(&words, 100);
	assert_non_null(first);
	first[99] = 1;
	assert_ptr_equal(mp_user_words_get(&words, 10), first);
	assert_non_null(mp_user_words_get(&words, 100000));
	assert_true(words.n >= 100000);
	mp_user_words_free(&words);
	assert_int_equal(words.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_pages_are_small_and_all_of_them_there),
		cmocka_unit_test(an_arena_ends_at_forbidden_memory),
		cmocka_unit_test(transparent_huge_pages_are_read_back),
		cmocka_unit_test(reserved_pages_that_are_not_there_become_small_ones),
		cmocka_unit_test(reserved_pages_that_are_there_are_read_back),
		cmocka_unit_test(kinds_that_user_space_lacks_are_not_supported),
		cmocka_unit_test(more_than_there_can_be_is_no_memory),
		cmocka_unit_test(a_fresh_arena_lies_elsewhere),
		cmocka_unit_test(a_node_that_is_there_is_used_and_named),
		cmocka_unit_test(a_node_is_a_wish_and_the_grant_tells_the_truth),
		cmocka_unit_test(smaps_is_read_for_one_mapping_only),
		cmocka_unit_test(scratch_grows_and_is_kept),
	};

	return cmocka_run_group_tests_name("user_mem", tests, NULL, NULL);
}
