// SPDX-License-Identifier: GPL-2.0
/*
 * The generator must give the published numbers, and numbers below a limit
 * must be without bias even where a plain multiplication is far off.
 */
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define DRAWS 60000u

/* Sum of (seen - expected)^2 / expected over @n equally likely outcomes. */
static double chi_square(const uint32_t *seen, unsigned int n, uint32_t draws)
{
	const double expected = (double)draws / n;
	double sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += (seen[i] - expected) * (seen[i] - expected) / expected;
	return sum;
}

static uint64_t undo_shift(uint64_t x, unsigned int bits)
{
	uint64_t whole = x;
	unsigned int done;

	for (done = bits; done < 64; done += bits)
		whole = x ^ whole >> bits;
	return whole;
}

/* The inverse of an odd number modulo 2^64, by Newton's iteration. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	unsigned int i;

	for (i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

static uint64_t unmix(uint64_t x)
{
	x = undo_shift(x, 31) * inverse(0x94d049bb133111ebull);
	x = undo_shift(x, 27) * inverse(0xbf58476d1ce4e5b9ull);
	return undo_shift(x, 30);
}

static void the_numbers_are_those_of_the_published_generator(void **state)
{
	static const uint64_t expected[] = {
		11520u, 0u, 1509978240u, 1215971899390074240u,
		1216172134540287360u, 607988272756665600u,
		16172922978634559625u, 8476171486693032832u,
		10595114339597558777u, 2904607092377533576u,
	};
	struct mp_rng rng = { { 1, 2, 3, 4 } };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_true(mp_rng_next(&rng) == expected[i]);
}

static void a_seed_becomes_four_numbers_of_splitmix64(void **state)
{
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 1234567);
	assert_true(rng.s[0] == 6457827717110365317u);
	assert_true(rng.s[1] == 3203168211198807973u);
	assert_true(rng.s[2] == 9817491932198370423u);
	assert_true(rng.s[3] == 4593380528125082431u);
}

static void the_mixer_can_be_undone_so_it_is_a_bijection(void **state)
{
	uint64_t x = 1;
	unsigned int i;

	(void)state;
	assert_true(unmix(mp_rng_mix(0)) == 0);
	assert_true(unmix(mp_rng_mix(~(uint64_t)0)) == ~(uint64_t)0);
	for (i = 0; i < 10000; i++) {
		assert_true(unmix(mp_rng_mix(x)) == x);
		assert_true(unmix(mp_rng_mix(i)) == i);
		x = x * 6364136223846793005u + 1442695040888963407u;
	}
}

static void one_changed_bit_changes_about_half_of_the_mix(void **state)
{
	unsigned int bit, i;
	uint32_t flipped;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		flipped = 0;
		for (i = 1; i <= 256; i++)
			flipped += (uint32_t)__builtin_popcountll(
				mp_rng_mix(i) ^ mp_rng_mix(i ^ 1ull << bit));
		assert_in_range(flipped, 256 * 32 - 800, 256 * 32 + 800);
	}
}

static void equal_seeds_give_equal_numbers_and_others_do_not(void **state)
{
	struct mp_rng a, b, c;
	unsigned int i, same = 0;

	(void)state;
	mp_rng_seed(&a, 7);
	mp_rng_seed(&b, 7);
	mp_rng_seed(&c, 8);
	for (i = 0; i < 1000; i++) {
		const uint64_t drawn = mp_rng_next(&a);

		assert_true(drawn == mp_rng_next(&b));
		same += drawn == mp_rng_next(&c);
	}
	assert_int_equal(same, 0);
}

static void no_seed_gives_the_state_that_stands_still(void **state)
{
	static const uint64_t seeds[] = {
		0, 1, ~(uint64_t)0, -0x9e3779b97f4a7c15ull,
		-2 * 0x9e3779b97f4a7c15ull, -4 * 0x9e3779b97f4a7c15ull,
	};
	struct mp_rng rng;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		mp_rng_seed(&rng, seeds[i]);
		assert_true(rng.s[0] | rng.s[1] | rng.s[2] | rng.s[3]);
		assert_true(mp_rng_next(&rng) != mp_rng_next(&rng));
	}
}

static void a_number_is_always_below_its_limit(void **state)
{
	struct mp_rng rng;
	uint64_t limit;
	unsigned int bit, i;

	(void)state;
	mp_rng_seed(&rng, 3);
	for (bit = 0; bit < 64; bit++) {
		for (i = 0; i < 200; i++) {
			limit = (1ull << bit) + i;
			assert_true(mp_rng_below(&rng, limit) < limit);
		}
	}
	for (i = 0; i < 200; i++)
		assert_true(mp_rng_below(&rng, ~(uint64_t)0) < ~(uint64_t)0);
}

static void limits_of_zero_and_one_leave_only_zero(void **state)
{
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 3);
	assert_true(mp_rng_below(&rng, 0) == 0);
	assert_true(mp_rng_below(&rng, 1) == 0);
}

static void every_number_below_a_small_limit_is_as_likely(void **state)
{
	uint32_t seen[10] = { 0 };
	struct mp_rng rng;
	unsigned int i;

	(void)state;
	mp_rng_seed(&rng, 11);
	for (i = 0; i < DRAWS; i++)
		seen[mp_rng_below(&rng, 10)]++;
	/* 9 degrees of freedom: above 27.9 once in a thousand seeds. */
	assert_true(chi_square(seen, 10, DRAWS) < 27.9);
}

static void a_limit_of_three_quarters_of_the_range_is_unbiased(void **state)
{
	uint32_t seen[3] = { 0 };
	struct mp_rng rng;
	unsigned int i;

	(void)state;
	mp_rng_seed(&rng, 12);
	/* Four words onto three numbers: unmended, one remainder doubles. */
	for (i = 0; i < DRAWS; i++)
		seen[mp_rng_below(&rng, 3ull << 62) % 3]++;
	/* 2 degrees of freedom: above 13.8 once in a thousand seeds. */
	assert_true(chi_square(seen, 3, DRAWS) < 13.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_are_those_of_the_published_generator),
		cmocka_unit_test(a_seed_becomes_four_numbers_of_splitmix64),
		cmocka_unit_test(the_mixer_can_be_undone_so_it_is_a_bijection),
		cmocka_unit_test(one_changed_bit_changes_about_half_of_the_mix),
		cmocka_unit_test(equal_seeds_give_equal_numbers_and_others_do_not),
		cmocka_unit_test(no_seed_gives_the_state_that_stands_still),
		cmocka_unit_test(a_number_is_always_below_its_limit),
		cmocka_unit_test(limits_of_zero_and_one_leave_only_zero),
		cmocka_unit_test(every_number_below_a_small_limit_is_as_likely),
		cmocka_unit_test(a_limit_of_three_quarters_of_the_range_is_unbiased),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
