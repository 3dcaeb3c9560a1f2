// SPDX-License-Identifier: GPL-2.0
/* What backends of this machine refuse, and that they say it alike. */
#include "backend/user_rules.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ioctl/memprobe.h"

#define STEPS_MAX 8u
#define VISITS_MAX 4u

static char why[160];

static const struct mp_user_rules rules = { "this one", why, sizeof(why) };

static struct mp_exp sequence(void)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, 0, MP_PAGES_4K, 4096, 64, 0);
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.n_steps = 3;
	exp.steps[0] = MEMPROBE_STEP(0, MEMPROBE_STEP_TOUCH);
	exp.steps[1] = MEMPROBE_STEP(7, MEMPROBE_STEP_FLUSH);
	exp.steps[2] = MEMPROBE_STEP(0, MEMPROBE_STEP_TIME);
	return exp;
}

static void expect_refusal(const struct mp_exp *exp, const char *line)
{
	why[0] = '\0';
	assert_int_equal(mp_user_rules_sequence(&rules, exp, STEPS_MAX,
						VISITS_MAX), -EOPNOTSUPP);
	assert_string_equal(why, line);
}

static void a_sequence_of_lines_can_be_walked(void **state)
{
	const struct mp_exp exp = sequence();

	(void)state;
	assert_int_equal(mp_user_rules_sequence(&rules, &exp, STEPS_MAX,
						VISITS_MAX), 0);
	assert_int_equal(mp_user_rules_sequence(&rules, &exp, 3, 2), 0);
}

static void what_a_sequence_has_no_use_for_is_named(void **state)
{
	struct mp_exp exp = sequence();

	(void)state;
	exp.actor[0].stride = 72;
	expect_refusal(&exp, "stride of a sequence 72: this one wants a multiple of 64");
	exp = sequence();
	exp.actor[0].reach = 128;
	expect_refusal(&exp, "reach of a sequence 128: this one allows 0 here");
	exp = sequence();
	exp.actor[0].skew = 64;
	expect_refusal(&exp, "skew of a sequence 64: this one allows 0 here");
	exp = sequence();
	exp.actor[0].warm_hops = 5;
	expect_refusal(&exp, "warm_hops of a sequence 5: this one allows 0 here");
}

static void too_many_steps_or_visits_are_refused_with_their_limit(void **state)
{
	struct mp_exp exp = sequence();

	(void)state;
	exp.n_steps = STEPS_MAX + 1;
	for (uint32_t i = 0; i < exp.n_steps; i++)
		exp.steps[i] = MEMPROBE_STEP(i, MEMPROBE_STEP_TOUCH);
	expect_refusal(&exp, "steps 9: this one allows 8");
	exp.n_steps = VISITS_MAX + 1;
	for (uint32_t i = 0; i < exp.n_steps; i++)
		exp.steps[i] = MEMPROBE_STEP(3, i % 3);
	expect_refusal(&exp, "visits to one slot 5: this one allows 4");
}

static void a_value_is_refused_above_its_limit_only(void **state)
{
	(void)state;
	assert_int_equal(mp_user_rules_most(&rules, "x", 7, 7), 0);
	assert_int_equal(mp_user_rules_most(&rules, "x", 8, 7), -EOPNOTSUPP);
	assert_int_equal(mp_user_rules_line(&rules, "x", 128), 0);
	assert_int_equal(mp_user_rules_line(&rules, "x", 96), -EOPNOTSUPP);
	assert_int_equal(mp_user_rules_none(&rules, "x", 0), 0);
	assert_int_equal(mp_user_rules_none(&rules, "x", 1), -EOPNOTSUPP);
}

static void ticks_come_in_order_unless_a_histogram_is_wished_for(void **state)
{
	struct mp_exp exp = sequence();

	(void)state;
	assert_int_equal(mp_user_rules_steps_detail(&exp.actor[0]),
			 MP_DETAIL_TICKS);
	exp.actor[0].detail = MP_DETAIL_TICKS;
	assert_int_equal(mp_user_rules_steps_detail(&exp.actor[0]),
			 MP_DETAIL_TICKS);
	exp.actor[0].detail = MP_DETAIL_HIST;
	assert_int_equal(mp_user_rules_steps_detail(&exp.actor[0]),
			 MP_DETAIL_HIST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sequence_of_lines_can_be_walked),
		cmocka_unit_test(what_a_sequence_has_no_use_for_is_named),
		cmocka_unit_test(too_many_steps_or_visits_are_refused_with_their_limit),
		cmocka_unit_test(a_value_is_refused_above_its_limit_only),
		cmocka_unit_test(ticks_come_in_order_unless_a_histogram_is_wished_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
