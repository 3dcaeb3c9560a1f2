// SPDX-License-Identifier: GPL-2.0
/* Has a CPU its core to itself? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backend/user_width.h"

static void a_cpu_that_another_thread_narrows_is_not_taken(void **state)
{
	const double width[] = { 4.7, 4.7, 4.1 };

	(void)state;
	assert_int_equal(mp_user_width_best(width, 3, 2), 0);
}

static void the_widest_of_many_is_taken(void **state)
{
	const double width[] = { 4.1, 4.4, 4.5, 4.3 };

	(void)state;
	assert_int_equal(mp_user_width_best(width, 4, 0), 2);
}

static void noise_moves_nobody(void **state)
{
	const double width[] = { 4.7, 4.75, 4.6 };

	(void)state;
	assert_int_equal(mp_user_width_best(width, 3, 2), 2);
	assert_int_equal(mp_user_width_best(width, 1, 0), 0);
}

static void what_is_not_known_is_not_taken(void **state)
{
	const double width[] = { 0, 4.7, 0 };

	(void)state;
	assert_int_equal(mp_user_width_best(width, 3, 1), 1);
}

static void a_core_makes_more_than_one_add_at_a_time(void **state)
{
	(void)state;
	assert_true(mp_user_width() > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_another_thread_narrows_is_not_taken),
		cmocka_unit_test(the_widest_of_many_is_taken),
		cmocka_unit_test(noise_moves_nobody),
		cmocka_unit_test(what_is_not_known_is_not_taken),
		cmocka_unit_test(a_core_makes_more_than_one_add_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
