// SPDX-License-Identifier: GPL-2.0
/* The core's small parts, as the kernel's compiler and flags make them. */
#include "tests.h"

#include "../core/chase.h"
#include "../core/gap.h"
#include "../core/hist.h"
#include "../core/perm.h"
#include "../core/rng.h"

#define ORDER_MAX 4097u

static void the_mixer_gives_the_published_numbers(struct kunit *test)
{
	/* splitmix64 from 0: its state goes up by this odd number. */
	const u64 step = 0x9e3779b97f4a7c15ull;

	KUNIT_EXPECT_EQ(test, mp_rng_mix(step), 0xe220a8397b1dcdafull);
	KUNIT_EXPECT_EQ(test, mp_rng_mix(2 * step), 0x6e789e6aa1b965f4ull);
	KUNIT_EXPECT_EQ(test, mp_rng_mix(0), 0ull);
}

static void equal_seeds_give_equal_numbers(struct kunit *test)
{
	struct mp_rng a, b, other;
	u32 i, same = 0;

	mp_rng_seed(&a, 0);
	mp_rng_seed(&b, 0);
	mp_rng_seed(&other, 1);
	for (i = 0; i < 100; i++) {
		const u64 next = mp_rng_next(&a);

		KUNIT_EXPECT_EQ(test, next, mp_rng_next(&b));
		same += next == mp_rng_next(&other);
	}
	KUNIT_EXPECT_EQ(test, same, 0u);
}

static void a_number_below_a_limit_is_below_it(struct kunit *test)
{
	static const u64 limits[] = {
		1, 2, 3, 1000, 1ull << 32, (1ull << 63) + 1, ~0ull,
	};
	struct mp_rng rng;
	u32 i, k;

	mp_rng_seed(&rng, 3);
	KUNIT_EXPECT_EQ(test, mp_rng_below(&rng, 0), 0ull);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		for (k = 0; k < 100; k++)
			KUNIT_EXPECT_LT(test, mp_rng_below(&rng, limits[i]),
					limits[i]);
}

/* Every slot once, and nothing behind them. */
static void expect_permutation(struct kunit *test, u32 *order, u8 *seen, u32 n,
			       u32 window)
{
	struct mp_rng rng;
	u32 i, once = 0;

	memset(seen, 0, ORDER_MAX);
	order[n] = ~0u;
	mp_rng_seed(&rng, n + window);
	mp_perm_order(order, n, window, &rng);
	for (i = 0; i < n; i++)
		if (order[i] < n && !seen[order[i]]++)
			once++;
	KUNIT_EXPECT_EQ_MSG(test, once, n, "window %u", window);
	KUNIT_EXPECT_EQ(test, order[n], ~0u);
}

static void an_order_has_every_slot_once(struct kunit *test)
{
	static const u32 sizes[] = { 1, 2, 3, 64, 65, 1000, ORDER_MAX };
	static const u32 windows[] = { 0, 1, 2, 7, 64, 999, 4096, ~0u };
	u32 *order = kunit_kzalloc(test, sizeof(*order) * (ORDER_MAX + 1),
				   GFP_KERNEL);
	u8 *seen = kunit_kzalloc(test, ORDER_MAX, GFP_KERNEL);
	u32 i, k;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, order);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, seen);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (k = 0; k < ARRAY_SIZE(windows); k++)
			expect_permutation(test, order, seen, sizes[i],
					   windows[k]);
}

static void a_histogram_keeps_its_keys_sorted_and_counts_what_it_lost(
	struct kunit *test)
{
	static const u64 ticks[] = { 7, 3, 7, ~0ull, 0, 5 };
	u64 key[4], count[4];
	struct mp_hist hist = { .key = key, .count = count, .room = 4 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		KUNIT_EXPECT_EQ(test, mp_hist_add(&hist, ticks[i]),
				ticks[i] == 5 ? -ENOSPC : 0);
	KUNIT_EXPECT_EQ(test, hist.n, 4u);
	KUNIT_EXPECT_EQ(test, hist.lost, 1ull);
	for (i = 1; i < hist.n; i++)
		KUNIT_EXPECT_LT(test, key[i - 1], key[i]);
	KUNIT_EXPECT_EQ(test, key[2], 7ull);
	KUNIT_EXPECT_EQ(test, count[2], 2ull);
}

static void buckets_lie_side_by_side(struct kunit *test)
{
	u32 i;

	for (i = 0; i < MP_HIST_BUCKETS; i++) {
		KUNIT_EXPECT_EQ(test, mp_hist_bucket(mp_hist_low(i)), i);
		KUNIT_EXPECT_EQ(test, mp_hist_bucket(mp_hist_high(i)), i);
	}
	KUNIT_EXPECT_EQ(test, mp_hist_low(0), 0ull);
	KUNIT_EXPECT_EQ(test, mp_hist_high(MP_HIST_BUCKETS - 1), ~0ull);
}

static void a_gap_is_twice_the_median_of_the_slowest_looks(struct kunit *test)
{
	static const u64 look[] = { 100, 9000, 90, 105, 70000 };

	KUNIT_EXPECT_EQ(test, mp_gap_ticks(look, 5, 1000), 1210ull);
	KUNIT_EXPECT_EQ(test, mp_gap_ticks(look, 1, 1000), 1200ull);
	KUNIT_EXPECT_EQ(test, mp_gap_ticks(NULL, 0, 1000), 128000ull);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(the_mixer_gives_the_published_numbers),
	KUNIT_CASE(equal_seeds_give_equal_numbers),
	KUNIT_CASE(a_number_below_a_limit_is_below_it),
	KUNIT_CASE(an_order_has_every_slot_once),
	KUNIT_CASE(a_histogram_keeps_its_keys_sorted_and_counts_what_it_lost),
	KUNIT_CASE(buckets_lie_side_by_side),
	KUNIT_CASE(a_gap_is_twice_the_median_of_the_slowest_looks),
	{}
};

struct kunit_suite mp_core_suite = {
	.name = "memprobe-core",
	.test_cases = cases,
};
