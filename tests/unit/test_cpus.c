// SPDX-License-Identifier: GPL-2.0
/* Sets of CPUs, and the lists that they are written as. */
#include "cpus.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_set_holds_what_was_put_in(void **state)
{
	struct mp_cpus cpus = { 0 };

	(void)state;
	assert_int_equal(mp_cpus_count(&cpus), 0);
	mp_cpus_add(&cpus, 0);
	mp_cpus_add(&cpus, 63);
	mp_cpus_add(&cpus, 64);
	mp_cpus_add(&cpus, MP_CPUS_MAX - 1);
	mp_cpus_add(&cpus, MP_CPUS_MAX);
	mp_cpus_add(&cpus, UINT32_MAX);
	assert_int_equal(mp_cpus_count(&cpus), 4);
	assert_true(mp_cpus_has(&cpus, 63));
	assert_true(mp_cpus_has(&cpus, MP_CPUS_MAX - 1));
	assert_false(mp_cpus_has(&cpus, 62));
	assert_false(mp_cpus_has(&cpus, MP_CPUS_MAX));
	assert_false(mp_cpus_has(&cpus, UINT32_MAX));
}

static void a_list_reads_back_as_it_was_written(void **state)
{
	static const char *const lists[] = {
		"", "0", "0-1", "3", "0-3,8", "1,3,5-7,64-127,1023", "0-1023",
	};
	char text[MP_CPUS_TEXT];
	struct mp_cpus cpus;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(mp_cpus_parse(&cpus, lists[i]), 0);
		mp_cpus_print(&cpus, text, sizeof(text));
		assert_string_equal(text, lists[i]);
	}
}

static void the_longest_list_has_room(void **state)
{
	struct mp_cpus cpus = { 0 }, again;
	char text[MP_CPUS_TEXT];

	(void)state;
	for (uint32_t i = 0; i < MP_CPUS_MAX; i += 2)
		mp_cpus_add(&cpus, i);
	mp_cpus_print(&cpus, text, sizeof(text));
	assert_int_equal(mp_cpus_parse(&again, text), 0);
	assert_memory_equal(&cpus, &again, sizeof(cpus));
}

static void a_list_without_room_says_that_it_is_cut(void **state)
{
	struct mp_cpus cpus;
	char text[10];

	(void)state;
	assert_int_equal(mp_cpus_parse(&cpus, "0-3,8,10,12"), 0);
	mp_cpus_print(&cpus, text, sizeof(text));
	assert_string_equal(text, "0-3,8..");
	mp_cpus_print(&cpus, text, 1);
	assert_string_equal(text, "");
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const wrong[] = {
		"x", "1-", "-1", "3-1", "1,", ",1", "1,,2", "2,1", "0-3,3",
		"1024", "0-1024", "99999999999999999999", " 1", "1 ", "1;2",
	};
	struct mp_cpus cpus;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (mp_cpus_parse(&cpus, wrong[i]) != -EINVAL)
			fail_msg("\"%s\" was taken for a list", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_holds_what_was_put_in),
		cmocka_unit_test(a_list_reads_back_as_it_was_written),
		cmocka_unit_test(the_longest_list_has_room),
		cmocka_unit_test(a_list_without_room_says_that_it_is_cut),
		cmocka_unit_test(what_is_no_list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
