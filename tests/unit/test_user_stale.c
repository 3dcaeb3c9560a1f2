// SPDX-License-Identifier: GPL-2.0
/* The model of what others may have evicted. */
#include "backend/user_stale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define L1_SLOTS 512u
#define L1_HOP_NS 1.1
#define DRAM_SLOTS 4000000u

static void nothing_is_stale_before_a_gap(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	mp_user_stale_init(&stale, L1_SLOTS, 2 * L1_SLOTS);
	assert_true(mp_user_stale_lines(&stale) == 0);
	assert_false(mp_user_stale_cold(&stale, L1_HOP_NS, 4096, false));
}

static void after_a_turn_all_is_fresh_again(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	mp_user_stale_init(&stale, L1_SLOTS, 2 * L1_SLOTS);
	mp_user_stale_gap(&stale, 20000);
	assert_true(mp_user_stale_cold(&stale, L1_HOP_NS, 4096, false));
	mp_user_stale_hops(&stale, L1_SLOTS / 2);
	assert_true(mp_user_stale_lines(&stale) > 0);
	mp_user_stale_hops(&stale, L1_SLOTS / 2);
	assert_true(mp_user_stale_lines(&stale) == 0);
	assert_false(mp_user_stale_cold(&stale, L1_HOP_NS, 4096, false));
}

static void half_a_turn_freshens_half(void **state)
{
	struct mp_user_stale stale;
	double lines;

	(void)state;
	mp_user_stale_init(&stale, L1_SLOTS, 2 * L1_SLOTS);
	mp_user_stale_gap(&stale, 10000);
	lines = mp_user_stale_lines(&stale);
	mp_user_stale_hops(&stale, L1_SLOTS / 2);
	assert_true(fabs(mp_user_stale_lines(&stale) - lines / 2) < 1e-9);
}

static void no_more_can_be_stale_than_there_is(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	mp_user_stale_init(&stale, L1_SLOTS, 2 * L1_SLOTS);
	mp_user_stale_gap(&stale, 1e12);
	assert_true(mp_user_stale_lines(&stale) == L1_SLOTS);
}

static void gaps_add_up(void **state)
{
	struct mp_user_stale one, two;

	(void)state;
	mp_user_stale_init(&one, DRAM_SLOTS, DRAM_SLOTS);
	mp_user_stale_init(&two, DRAM_SLOTS, DRAM_SLOTS);
	mp_user_stale_gap(&one, 40000);
	mp_user_stale_gap(&two, 20000);
	mp_user_stale_gap(&two, 20000);
	assert_true(fabs(mp_user_stale_lines(&one) -
			 mp_user_stale_lines(&two)) < 1e-9);
}

static void a_long_absence_counts_for_more_than_its_length(void **state)
{
	struct mp_user_stale shorter, longer;

	(void)state;
	mp_user_stale_init(&shorter, DRAM_SLOTS, DRAM_SLOTS);
	mp_user_stale_init(&longer, DRAM_SLOTS, DRAM_SLOTS);
	mp_user_stale_gap(&shorter, 20000);
	mp_user_stale_gap(&longer, 2000000);
	assert_true(mp_user_stale_lines(&longer) >
		    150 * mp_user_stale_lines(&shorter));
}

static void a_tick_does_not_condemn_a_large_ring(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	/* 8 MiB at 20 ns a hop, a burst of 200 us. */
	mp_user_stale_init(&stale, 131072, 262144);
	mp_user_stale_gap(&stale, 15000);
	assert_false(mp_user_stale_cold(&stale, 20, 10000, false));
	mp_user_stale_gap(&stale, 4000000);
	assert_true(mp_user_stale_cold(&stale, 20, 10000, false));
}

static void a_ring_that_misses_anyway_cannot_get_cold(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	mp_user_stale_init(&stale, DRAM_SLOTS, 400000);
	mp_user_stale_gap(&stale, 1e9);
	assert_false(mp_user_stale_cold(&stale, 120, 2000, false));
}

static void a_longer_burst_bears_more(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	mp_user_stale_init(&stale, L1_SLOTS, L1_SLOTS);
	mp_user_stale_gap(&stale, 1000);
	assert_true(mp_user_stale_cold(&stale, L1_HOP_NS, 4096, false));
	assert_false(mp_user_stale_cold(&stale, L1_HOP_NS, 180000, false));
}

/* Hops that are timed one by one show a miss as one hop, however slow. */
static void a_few_misses_are_few_where_hops_are_told_apart(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	/* 8 MiB at 34 ns a hop: 300 lines take 20 of 560 us more. */
	mp_user_stale_init(&stale, 16384, 32768);
	mp_user_stale_gap(&stale, 20000);
	assert_true(mp_user_stale_cold(&stale, 34, 1024, false));
	assert_false(mp_user_stale_cold(&stale, 34, 1024, true));
	mp_user_stale_gap(&stale, 20000);
	assert_true(mp_user_stale_cold(&stale, 34, 1024, true));
}

static void single_hops_that_miss_anyway_cannot_get_cold(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	mp_user_stale_init(&stale, DRAM_SLOTS, 400000);
	mp_user_stale_gap(&stale, 1e9);
	assert_false(mp_user_stale_cold(&stale, 120, 2000, true));
}

static void a_ring_that_was_not_to_be_warm_is_never_cold(void **state)
{
	struct mp_user_stale stale;

	(void)state;
	mp_user_stale_init(&stale, L1_SLOTS, 0);
	mp_user_stale_gap(&stale, 1e9);
	assert_false(mp_user_stale_cold(&stale, L1_HOP_NS, 4096, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_stale_before_a_gap),
		cmocka_unit_test(after_a_turn_all_is_fresh_again),
		cmocka_unit_test(half_a_turn_freshens_half),
		cmocka_unit_test(no_more_can_be_stale_than_there_is),
		cmocka_unit_test(gaps_add_up),
		cmocka_unit_test(a_long_absence_counts_for_more_than_its_length),
		cmocka_unit_test(a_tick_does_not_condemn_a_large_ring),
		cmocka_unit_test(a_ring_that_misses_anyway_cannot_get_cold),
		cmocka_unit_test(a_longer_burst_bears_more),
		cmocka_unit_test(a_few_misses_are_few_where_hops_are_told_apart),
		cmocka_unit_test(single_hops_that_miss_anyway_cannot_get_cold),
		cmocka_unit_test(a_ring_that_was_not_to_be_warm_is_never_cold),
	};

	return cmocka_run_group_tests_name("user_stale", tests, NULL, NULL);
}
