// SPDX-License-Identifier: GPL-2.0
/* An error is handed on whether or not there is room to say why. */
#include "why.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void the_error_comes_back_and_the_line_is_said(void **state)
{
	char why[32];

	(void)state;
	assert_int_equal(mp_why(why, sizeof(why), -EIO, "%s %d", "at", 7),
			 -EIO);
	assert_string_equal(why, "at 7");
}

static void without_room_only_the_error_comes_back(void **state)
{
	char why[4] = "abc";

	(void)state;
	assert_int_equal(mp_why(NULL, 0, -EIO, "x"), -EIO);
	assert_int_equal(mp_why(NULL, 9, -EIO, "x"), -EIO);
	assert_int_equal(mp_why(why, 0, -EIO, "x"), -EIO);
	assert_string_equal(why, "abc");
	assert_int_equal(mp_why(why, sizeof(why), -EIO, "%s", "longer"), -EIO);
	assert_string_equal(why, "lon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_error_comes_back_and_the_line_is_said),
		cmocka_unit_test(without_room_only_the_error_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
