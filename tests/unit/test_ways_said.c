// SPDX-License-Identifier: GPL-2.0
/* What guesses say of a stride, held against the plain way to find it. */
#include "probe/ways_said.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/ways_held.h"
#include "rng.h"

#define MANY 300u
#define ROUNDS 40u

/* Of all that hold less for sure, whatever was passed. */
static struct mp_ways_below plain_below(const struct mp_ways_said *said,
					uint64_t low)
{
	struct mp_ways_below below = { 0 };

	for (uint32_t i = 0; i < MANY; i++) {
		if (said[i].held.high >= low)
			continue;
		below.weight += said[i].weight;
		if (said[i].held.high > below.most)
			below.most = said[i].held.high;
	}
	return below;
}

static void what_holds_less_is_found_at_each_step(void **state)
{
	struct mp_ways_said said[MP_WAYS_SAID_ROOM * MANY];
	struct mp_ways_sweep sweep;
	uint32_t open = 0;
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 3);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		/* Every second round what is held is exact. */
		const uint64_t wide = round % 2 ? 1 : 20;

		for (uint32_t i = 0; i < MANY; i++) {
			said[i].held.low = mp_rng_below(&rng, 64);
			said[i].held.high = said[i].held.low +
					    mp_rng_below(&rng, wide);
			said[i].weight = 1 + (double)mp_rng_below(&rng, 8);
		}
		mp_ways_said_sort(&sweep, said, MANY);
		for (uint32_t i = 0; i < MANY; i++) {
			struct mp_ways_below below, plain;

			assert_true(!i || said[i].held.low >=
					  said[i - 1].held.low);
			if (!i || said[i].held.low > said[i - 1].held.low) {
				below = mp_ways_said_below(&sweep, i);
				plain = plain_below(said, said[i].held.low);
				assert_true(below.weight == plain.weight);
				assert_int_equal(below.most, plain.most);
				open += sweep.made;
			}
			mp_ways_said_pass(&sweep, i);
		}
	}
	assert_true(open > ROUNDS);
}

/* Few or many, of short keys or long ones. */
static void equal_ones_stay_in_the_order_they_came_in(void **state)
{
	struct mp_ways_said said[MP_WAYS_SAID_ROOM * MANY];
	struct mp_ways_sweep sweep;
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 11);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		const uint32_t n = round % 2 ? MANY : 1 + round % MANY;

		for (uint32_t i = 0; i < n; i++) {
			said[i].held.low = mp_rng_below(&rng, MANY)
					   << round % 5 * 7;
			said[i].held.high = said[i].held.low;
			said[i].weight = i;
		}
		mp_ways_said_sort(&sweep, said, n);
		for (uint32_t i = 1; i < n; i++) {
			assert_true(said[i].held.low >= said[i - 1].held.low);
			assert_true(said[i].held.low > said[i - 1].held.low ||
				    said[i].weight > said[i - 1].weight);
		}
	}
}

static uint64_t plain_gcd(uint64_t a, uint64_t b)
{
	return b ? plain_gcd(b, a % b) : a;
}

static void the_greatest_divisor_of_two_is_found(void **state)
{
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 5);
	assert_int_equal(mp_gcd(0, 0), 0);
	assert_int_equal(mp_gcd(0, 12), 12);
	assert_int_equal(mp_gcd(12, 0), 12);
	assert_int_equal(mp_gcd(1ull << 63, 3ull << 62), 1ull << 62);
	for (uint32_t i = 0; i < 2000; i++) {
		const uint64_t a = mp_rng_below(&rng, 3000) << i % 9;
		const uint64_t b = mp_rng_below(&rng, 3000) << i % 7;

		assert_int_equal(mp_gcd(a, b), plain_gcd(a, b));
	}
}

/* A line at @at falls on a set of the test's lines, by one guess or more. */
static bool plain_meet(const struct mp_ways_sets *sets,
		       const struct mp_ways_test *test, uint64_t at)
{
	for (uint32_t i = 0; i < sets->n; i++)
		if (at % plain_gcd(sets->guess[i].span, test->stride) == 0)
			return true;
	return false;
}

static void lines_meet_where_any_guess_says_so(void **state)
{
	struct mp_ways_guess guess[MANY];
	struct mp_ways_sets sets = { .guess = guess };
	struct mp_ways_test test = { .stride = 64 * 720720 };
	struct mp_ways_meets meets;
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 7);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		sets.n = 1 + (uint32_t)mp_rng_below(&rng, 12);
		for (uint32_t i = 0; i < sets.n; i++)
			guess[i].span = 64 * (2 + mp_rng_below(&rng, 200));
		mp_ways_meets(&sets, &test, &meets);
		for (uint64_t at = 64; at < 64 * 600; at += 64)
			assert_int_equal(mp_ways_may_meet(&meets, at),
					 plain_meet(&sets, &test, at));
	}
	/* What is kept off is one distance alone. */
	test.apart = 64 * 48;
	mp_ways_meets(&sets, &test, &meets);
	assert_true(mp_ways_may_meet(&meets, 64 * 96));
	assert_false(mp_ways_may_meet(&meets, 64 * 49));
}

/* Products of two of twelve primes: none is a multiple of another. */
static void where_distances_are_too_many_lines_may_meet_anywhere(void **state)
{
	static const uint64_t prime[] = { 5, 7, 11, 13, 17, 19, 23, 29, 31, 37,
					  41, 43 };
	struct mp_ways_guess guess[66];
	struct mp_ways_sets sets = { .guess = guess };
	struct mp_ways_test test = { .stride = 64 };
	struct mp_ways_meets meets;

	(void)state;
	for (uint32_t i = 0; i < 12; i++)
		test.stride *= prime[i];
	for (uint32_t i = 0; i < 12; i++)
		for (uint32_t k = 0; k < i; k++)
			guess[sets.n++].span = prime[i] * prime[k];
	assert_int_equal(sets.n, 66);
	sets.n = MP_WAYS_MEETS;
	mp_ways_meets(&sets, &test, &meets);
	assert_int_equal(meets.n, MP_WAYS_MEETS);
	assert_false(mp_ways_may_meet(&meets, 1));
	assert_true(mp_ways_may_meet(&meets, 35));
	sets.n = 66;
	mp_ways_meets(&sets, &test, &meets);
	assert_true(mp_ways_may_meet(&meets, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_holds_less_is_found_at_each_step),
		cmocka_unit_test(equal_ones_stay_in_the_order_they_came_in),
		cmocka_unit_test(the_greatest_divisor_of_two_is_found),
		cmocka_unit_test(lines_meet_where_any_guess_says_so),
		cmocka_unit_test(where_distances_are_too_many_lines_may_meet_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
