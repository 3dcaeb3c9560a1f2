// SPDX-License-Identifier: GPL-2.0
/*
 * The sparse histogram must lose nothing without saying so, and the
 * log-linear buckets must keep the error bound that their header states.
 */
#include "hist.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define ROOM 64u
#define VALUES 32u

struct store {
	uint64_t key[ROOM];
	uint64_t count[ROOM];
};

static struct mp_hist hist_in(struct store *store, uint32_t room)
{
	struct mp_hist hist = {
		.key = store->key,
		.count = store->count,
		.room = room,
	};

	memset(store, 0xa5, sizeof(*store));
	return hist;
}

static void counts_are_exact_and_keys_rise(void **state)
{
	uint64_t expected[VALUES] = { 0 };
	struct store store;
	struct mp_hist hist = hist_in(&store, ROOM);
	struct mp_rng rng;
	uint64_t value;
	uint32_t i, n = 0;

	(void)state;
	mp_rng_seed(&rng, 1);
	for (i = 0; i < 5000; i++) {
		/* Few values, some of them rare, in steps as of a clock. */
		value = mp_rng_below(&rng, mp_rng_below(&rng, VALUES) + 1);
		expected[value]++;
		assert_int_equal(mp_hist_add(&hist, value * 26), 0);
	}
	for (i = 0; i < VALUES; i++) {
		if (!expected[i])
			continue;
		assert_true(n < hist.n);
		assert_true(hist.key[n] == i * 26);
		assert_true(hist.count[n] == expected[i]);
		n++;
	}
	assert_int_equal(n, hist.n);
	assert_true(hist.lost == 0);
}

static void values_may_come_falling_or_rising_or_extreme(void **state)
{
	static const uint64_t values[] = {
		~(uint64_t)0, 500, 0, 501, 499, 0, ~(uint64_t)0, 1,
	};
	static const uint64_t keys[] = { 0, 1, 499, 500, 501, ~(uint64_t)0 };
	static const uint64_t counts[] = { 2, 1, 1, 1, 1, 2 };
	struct store store;
	struct mp_hist hist = hist_in(&store, ROOM);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(mp_hist_add(&hist, values[i]), 0);
	assert_int_equal(hist.n, 6);
	assert_memory_equal(hist.key, keys, sizeof(keys));
	assert_memory_equal(hist.count, counts, sizeof(counts));
}

static void a_value_too_many_is_refused_and_counted_as_lost(void **state)
{
	struct store store, before;
	struct mp_hist hist = hist_in(&store, 3);

	(void)state;
	assert_int_equal(mp_hist_add(&hist, 30), 0);
	assert_int_equal(mp_hist_add(&hist, 10), 0);
	assert_int_equal(mp_hist_add(&hist, 20), 0);
	before = store;
	assert_int_equal(mp_hist_add(&hist, 15), -ENOSPC);
	assert_int_equal(mp_hist_add(&hist, 40), -ENOSPC);
	assert_memory_equal(&store, &before, sizeof(store));
	assert_int_equal(hist.n, 3);
	assert_true(hist.lost == 2);
}

static void a_full_histogram_goes_on_counting_what_it_knows(void **state)
{
	struct store store;
	struct mp_hist hist = hist_in(&store, 1);

	(void)state;
	assert_int_equal(mp_hist_add(&hist, 10), 0);
	assert_int_equal(mp_hist_add(&hist, 11), -ENOSPC);
	assert_int_equal(mp_hist_add(&hist, 10), 0);
	assert_true(hist.count[0] == 2);
	assert_true(hist.lost == 1);
}

static void a_histogram_without_room_loses_everything(void **state)
{
	struct mp_hist hist = { .room = 0 };

	(void)state;
	assert_int_equal(mp_hist_add(&hist, 0), -ENOSPC);
	assert_true(hist.lost == 1);
	assert_int_equal(hist.n, 0);
}

/* The bound of the header, for one value. */
static void assert_bound(uint64_t value)
{
	const uint32_t bucket = mp_hist_bucket(value);
	const uint64_t low = mp_hist_low(bucket);
	const uint64_t high = mp_hist_high(bucket);

	assert_true(bucket < MP_HIST_BUCKETS);
	assert_true(low <= value);
	assert_true(value <= high);
	if (value < MP_HIST_SUB)
		assert_true(low == high);
	else
		assert_true(high - low + 1 <= low / MP_HIST_SUB);
}

static void every_power_of_two_and_its_neighbours_keep_the_bound(void **state)
{
	unsigned int bit;
	uint64_t power;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		power = 1ull << bit;
		assert_bound(power - 1);
		assert_bound(power);
		assert_bound(power + 1);
		assert_bound(power | power >> 1);
	}
	assert_bound(~(uint64_t)0);
}

static void random_values_of_every_size_keep_the_bound(void **state)
{
	struct mp_rng rng;
	unsigned int i;

	(void)state;
	mp_rng_seed(&rng, 2);
	for (i = 0; i < 200000; i++)
		assert_bound(mp_rng_next(&rng) >> mp_rng_below(&rng, 64));
}

static void buckets_join_without_gap_or_overlap(void **state)
{
	uint32_t bucket;

	(void)state;
	assert_true(mp_hist_low(0) == 0);
	for (bucket = 0; bucket < MP_HIST_BUCKETS; bucket++) {
		assert_int_equal(mp_hist_bucket(mp_hist_low(bucket)), bucket);
		assert_int_equal(mp_hist_bucket(mp_hist_high(bucket)), bucket);
		if (bucket + 1 < MP_HIST_BUCKETS)
			assert_true(mp_hist_high(bucket) + 1 ==
				    mp_hist_low(bucket + 1));
	}
	assert_true(mp_hist_high(MP_HIST_BUCKETS - 1) == ~(uint64_t)0);
}

static void a_bucket_beyond_the_last_is_the_greatest_value(void **state)
{
	(void)state;
	assert_true(mp_hist_low(MP_HIST_BUCKETS) == ~(uint64_t)0);
	assert_true(mp_hist_high(MP_HIST_BUCKETS) == ~(uint64_t)0);
	assert_true(mp_hist_low(0xffffffff) == ~(uint64_t)0);
	assert_true(mp_hist_high(0xffffffff) == ~(uint64_t)0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact_and_keys_rise),
		cmocka_unit_test(values_may_come_falling_or_rising_or_extreme),
		cmocka_unit_test(a_value_too_many_is_refused_and_counted_as_lost),
		cmocka_unit_test(a_full_histogram_goes_on_counting_what_it_knows),
		cmocka_unit_test(a_histogram_without_room_loses_everything),
		cmocka_unit_test(
			every_power_of_two_and_its_neighbours_keep_the_bound),
		cmocka_unit_test(random_values_of_every_size_keep_the_bound),
		cmocka_unit_test(buckets_join_without_gap_or_overlap),
		cmocka_unit_test(a_bucket_beyond_the_last_is_the_greatest_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
