// SPDX-License-Identifier: GPL-2.0
/* Lists of names come apart at the commas and nowhere else. */
#include "names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void names_come_in_order(void **state)
{
	const char *rest = "line,ways,tlb";
	char name[8];

	(void)state;
	assert_true(mp_names_next(&rest, name, sizeof(name)));
	assert_string_equal(name, "line");
	assert_true(mp_names_next(&rest, name, sizeof(name)));
	assert_string_equal(name, "ways");
	assert_true(mp_names_next(&rest, name, sizeof(name)));
	assert_string_equal(name, "tlb");
	assert_false(mp_names_next(&rest, name, sizeof(name)));
	assert_false(mp_names_next(&rest, name, sizeof(name)));
}

static void an_empty_name_is_a_name(void **state)
{
	const char *rest = ",";
	char name[8] = "x";

	(void)state;
	assert_true(mp_names_next(&rest, name, sizeof(name)));
	assert_string_equal(name, "");
	assert_true(mp_names_next(&rest, name, sizeof(name)));
	assert_string_equal(name, "");
	assert_false(mp_names_next(&rest, name, sizeof(name)));
}

static void no_list_has_no_name(void **state)
{
	const char *rest = NULL;
	char name[8];

	(void)state;
	assert_false(mp_names_next(&rest, name, sizeof(name)));
}

static void a_long_name_is_cut_and_the_next_one_is_whole(void **state)
{
	const char *rest = "cache-size,tlb";
	char name[6];

	(void)state;
	assert_true(mp_names_next(&rest, name, sizeof(name)));
	assert_string_equal(name, "cache");
	assert_true(mp_names_next(&rest, name, sizeof(name)));
	assert_string_equal(name, "tlb");
}

static void a_list_has_its_names_and_no_parts_of_them(void **state)
{
	(void)state;
	assert_true(mp_names_has("cache-size,tlb", "cache-size"));
	assert_true(mp_names_has("cache-size,tlb", "tlb"));
	assert_false(mp_names_has("cache-size,tlb", "cache"));
	assert_false(mp_names_has("cache-size,tlb", "cache-size,tlb"));
	assert_false(mp_names_has("cache-size,tlb", ""));
	assert_false(mp_names_has(NULL, "tlb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_in_order),
		cmocka_unit_test(an_empty_name_is_a_name),
		cmocka_unit_test(no_list_has_no_name),
		cmocka_unit_test(a_long_name_is_cut_and_the_next_one_is_whole),
		cmocka_unit_test(a_list_has_its_names_and_no_parts_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
