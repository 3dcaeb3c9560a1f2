// SPDX-License-Identifier: GPL-2.0
/*
 * Placement: every page has a frame of its own within the memory.
 */
#include "backend/sim_place.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made_machine.h"

#define L1 "level name=l1d size=32K ways=8 latency=4\n"
#define MIB (1ull << 20)

static struct mp_sim_machine machine;

static void place_in(const char *text, uint64_t bytes, bool huge,
		     struct mp_sim_place *place)
{
	made_machine(&machine, text);
	assert_int_equal(mp_sim_place_init(place, &machine, bytes, huge, 9),
			 0);
	mp_sim_machine_free(&machine);
}

static void assert_distinct(const struct mp_sim_place *place, uint64_t frames)
{
	bool *taken = calloc(frames, sizeof(*taken));

	assert_non_null(taken);
	for (uint64_t i = 0; i < place->pages; i++) {
		assert_true(place->frame[i] < frames);
		assert_false(taken[place->frame[i]]);
		taken[place->frame[i]] = true;
	}
	free(taken);
}

static void small_pages_lie_anywhere_but_never_together(void **state)
{
	struct mp_sim_place place;
	uint32_t behind = 0;

	(void)state;
	place_in(L1 "machine name=a ram=24M\n", 12 * MIB, false, &place);
	assert_int_equal(place.pages, 3072);
	assert_distinct(&place, 6144);
	for (uint64_t i = 1; i < place.pages; i++)
		behind += place.frame[i] == place.frame[i - 1] + 1;
	assert_true(behind < 10);
	mp_sim_place_free(&place);
}

static void all_of_the_memory_can_be_placed(void **state)
{
	struct mp_sim_place place;

	(void)state;
	place_in(L1 "machine name=a ram=24M\n", 24 * MIB, false, &place);
	assert_distinct(&place, 6144);
	mp_sim_place_free(&place);
	place_in(L1 "machine name=a ram=24M\n", 24 * MIB, true, &place);
	assert_int_equal(place.pages, 12);
	assert_distinct(&place, 12);
	mp_sim_place_free(&place);
}

static void frames_cover_the_memory_evenly(void **state)
{
	uint32_t part[16] = { 0 };
	struct mp_sim_place place;

	(void)state;
	place_in(L1 "machine name=a ram=16G\n", 64 * MIB, false, &place);
	for (uint64_t i = 0; i < place.pages; i++)
		part[place.frame[i] >> 18]++;
	/* 1024 in each part, five standard deviations are 155. */
	for (uint32_t i = 0; i < 16; i++)
		assert_in_range(part[i], 1024 - 155, 1024 + 155);
	mp_sim_place_free(&place);
}

static void contiguous_pages_follow_one_another(void **state)
{
	struct mp_sim_place place;

	(void)state;
	place_in(L1 "place pages=contiguous\n", 8 * MIB, false, &place);
	for (uint64_t i = 1; i < place.pages; i++)
		assert_int_equal(place.frame[i], place.frame[0] + i);
	assert_true(mp_sim_place_physical(&place, 5 * 4096 + 17) ==
		    ((uint64_t)place.frame[0] + 5) * 4096 + 17);
	mp_sim_place_free(&place);
}

static void a_huge_page_is_contiguous_and_aligned(void **state)
{
	struct mp_sim_place place;
	uint64_t first;

	(void)state;
	place_in(L1, 5 * MIB, true, &place);
	assert_int_equal(place.pages, 3);
	first = mp_sim_place_physical(&place, 2 * MIB);
	assert_int_equal(first % (2 * MIB), 0);
	assert_true(mp_sim_place_physical(&place, 4 * MIB - 1) ==
		    first + 2 * MIB - 1);
	mp_sim_place_free(&place);
}

static void a_small_arena_of_huge_pages_has_one(void **state)
{
	struct mp_sim_place place;

	(void)state;
	place_in(L1, 1, true, &place);
	assert_int_equal(place.pages, 1);
	mp_sim_place_free(&place);
}

static void equal_seeds_give_equal_frames(void **state)
{
	struct mp_sim_place a, b, c;

	(void)state;
	made_machine(&machine, L1);
	assert_int_equal(mp_sim_place_init(&a, &machine, MIB, false, 1), 0);
	assert_int_equal(mp_sim_place_init(&b, &machine, MIB, false, 1), 0);
	assert_int_equal(mp_sim_place_init(&c, &machine, MIB, false, 2), 0);
	assert_memory_equal(a.frame, b.frame, 256 * sizeof(*a.frame));
	assert_memory_not_equal(a.frame, c.frame, 256 * sizeof(*a.frame));
	mp_sim_place_free(&a);
	mp_sim_place_free(&b);
	mp_sim_place_free(&c);
	mp_sim_machine_free(&machine);
}

static void more_than_there_is_cannot_be_placed(void **state)
{
	struct mp_sim_place place;

	(void)state;
	made_machine(&machine, L1 "machine name=a ram=24M\n");
	assert_int_equal(mp_sim_place_init(&place, &machine, 25 * MIB, false,
					   1), -ENOMEM);
	assert_null(place.frame);
	mp_sim_machine_free(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_pages_lie_anywhere_but_never_together),
		cmocka_unit_test(all_of_the_memory_can_be_placed),
		cmocka_unit_test(frames_cover_the_memory_evenly),
		cmocka_unit_test(contiguous_pages_follow_one_another),
		cmocka_unit_test(a_huge_page_is_contiguous_and_aligned),
		cmocka_unit_test(a_small_arena_of_huge_pages_has_one),
		cmocka_unit_test(equal_seeds_give_equal_frames),
		cmocka_unit_test(more_than_there_is_cannot_be_placed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
