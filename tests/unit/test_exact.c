// SPDX-License-Identifier: GPL-2.0
/* Exact tests, against tables and against each other. */
#include "analysis/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fmax(expected, 1e-9))
		fail_msg("%.12g, %.12g expected", value, expected);
}

/* Fisher's own: of eight cups, four of each kind, all were told. */
static void a_lady_tasting_tea_tells_all_cups(void **state)
{
	(void)state;
	assert_near(mp_exact_more(4, 4, 0, 4), 1 / 70.0);
	assert_near(mp_exact_more(3, 4, 1, 4), 17 / 70.0);
}

static void equal_shares_are_no_surprise(void **state)
{
	(void)state;
	assert_near(mp_exact_more(0, 30, 0, 30), 1);
	assert_near(mp_exact_more(30, 30, 30, 30), 1);
	assert_true(mp_exact_more(5, 30, 5, 30) > 0.5);
	assert_near(mp_exact_more(0, 0, 3, 7), 1);
}

static void all_against_none_is_one_way_of_all(void **state)
{
	(void)state;
	/* 60 over 30 ways. */
	assert_near(mp_exact_more(30, 30, 0, 30) * 118264581564861424.0, 1);
	assert_true(mp_exact_more(15, 30, 0, 30) < 1e-5);
}

static void few_of_many_are_the_tail_of_a_binomial(void **state)
{
	(void)state;
	assert_near(mp_exact_few(0, 20, 0.5), 1 / 1048576.0);
	assert_near(mp_exact_few(1, 4, 0.5), 5 / 16.0);
	assert_near(mp_exact_few(4, 4, 0.3), 1);
	assert_near(mp_exact_few(2, 4, 0), 1);
	assert_near(mp_exact_few(2, 4, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lady_tasting_tea_tells_all_cups),
		cmocka_unit_test(equal_shares_are_no_surprise),
		cmocka_unit_test(all_against_none_is_one_way_of_all),
		cmocka_unit_test(few_of_many_are_the_tail_of_a_binomial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
