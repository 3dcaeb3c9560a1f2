// SPDX-License-Identifier: GPL-2.0
/* What is called a gap, from the slowest looks of a few stretches. */
#include "gap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_gap_is_twice_the_usual_slowest_look(void **state)
{
	const uint64_t calm[] = { 100, 110, 90, 105, 100 };
	const uint64_t hit[] = { 100, 9000, 90, 105, 70000 };

	(void)state;
	assert_int_equal(mp_gap_ticks(calm, 5, 1000), 1200);
	/* Stretches that had a gap do not hide the next one. */
	assert_int_equal(mp_gap_ticks(hit, 5, 1000), 1210);
	assert_int_equal(mp_gap_ticks(hit, 1, 1000), 1200);
}

static void before_anything_is_known_only_a_long_stretch_is_a_gap(void **state)
{
	(void)state;
	assert_int_equal(mp_gap_ticks(NULL, 0, 1000), 128000);
}

static void the_order_of_the_stretches_does_not_matter(void **state)
{
	uint64_t look[] = { 1, 2, 3, 4, 5, 6, 7 }, kept;
	unsigned int i;

	(void)state;
	for (i = 0; i < 7; i++) {
		assert_int_equal(mp_gap_ticks(look, 7, 0), 8);
		kept = look[0];
		look[0] = look[6 - i];
		look[6 - i] = look[i];
		look[i] = kept;
	}
}

static void of_an_even_number_the_upper_middle_one_counts(void **state)
{
	const uint64_t look[] = { 40, 10, 30, 20 };

	(void)state;
	assert_int_equal(mp_gap_ticks(look, 4, 0), 60);
	assert_int_equal(mp_gap_ticks(look, 2, 0), 80);
}

static void no_more_stretches_than_fit_are_looked_at(void **state)
{
	const uint64_t look[] = {
		5, 5, 5, 5, 5, 5, 5, 5, 900, 900, 900, 900, 900, 900, 900, 900,
		900,
	};

	(void)state;
	assert_int_equal(sizeof(look) / sizeof(look[0]), 2 * MP_GAP_LOOKS + 1);
	assert_int_equal(mp_gap_ticks(look, 2 * MP_GAP_LOOKS + 1, 0), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_is_twice_the_usual_slowest_look),
		cmocka_unit_test(before_anything_is_known_only_a_long_stretch_is_a_gap),
		cmocka_unit_test(the_order_of_the_stretches_does_not_matter),
		cmocka_unit_test(of_an_even_number_the_upper_middle_one_counts),
		cmocka_unit_test(no_more_stretches_than_fit_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
