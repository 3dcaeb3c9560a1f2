// SPDX-License-Identifier: GPL-2.0
/* Where the lines of a control of probe policy lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/policy_control.h"

#define KIB 1024ull

static struct mp_policy_control control;

static void slots_of_one_page_share_a_line(void **state)
{
	uint64_t at[5];

	(void)state;
	mp_policy_control_init(&control, 256, 512, 12);
	for (uint32_t i = 0; i < 5; i++)
		assert_true(mp_policy_control_place(&control, i * 512, &at[i]));
	for (uint32_t i = 1; i < 4; i++)
		assert_int_equal(at[i], at[0] + i * MP_STEPS_SLOT);
	assert_int_not_equal(at[4] / 256, at[0] / 256);
	assert_int_equal(control.n, 2);
}

static void slots_of_other_pages_do_not(void **state)
{
	uint64_t at;

	(void)state;
	mp_policy_control_init(&control, 256, 2 * KIB, 12);
	for (uint32_t i = 0; i < 40; i++) {
		assert_true(mp_policy_control_place(&control, i * 12 * KIB,
						    &at));
		assert_int_equal(at / MP_POLICY_PAGE,
				 i * 12 * KIB / MP_POLICY_PAGE);
	}
	assert_int_equal(control.n, 40);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(control.in_set[i], 5);
}

static void no_set_gets_more_lines_than_it_may(void **state)
{
	uint64_t at;

	(void)state;
	mp_policy_control_init(&control, 64, 1 * KIB, 3);
	for (uint32_t i = 0; i < 48; i++)
		assert_true(mp_policy_control_place(&control, i * 4 * KIB, &at));
	assert_false(mp_policy_control_place(&control, 48 * 4 * KIB, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_of_one_page_share_a_line),
		cmocka_unit_test(slots_of_other_pages_do_not),
		cmocka_unit_test(no_set_gets_more_lines_than_it_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
