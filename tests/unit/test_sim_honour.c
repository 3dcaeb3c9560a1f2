// SPDX-License-Identifier: GPL-2.0
/*
 * What this version cannot simulate it refuses by name; all else it takes.
 */
#include "backend/sim_honour.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define L1 "level name=l1d size=32K ways=8 latency=4\n"

static char why[256];

static int honour(const char *text)
{
	struct mp_sim_machine machine;
	int err;

	why[0] = '\0';
	if (mp_sim_machine_parse(&machine, text, "f", why, sizeof(why)))
		fail_msg("%s", why);
	err = mp_sim_honour(&machine, "f", why, sizeof(why));
	mp_sim_machine_free(&machine);
	return err;
}

static void assert_refuses(const char *text, const char *says)
{
	assert_int_equal(honour(text), -EINVAL);
	if (!strstr(why, says))
		fail_msg("'%s' says '%s'", text, why);
}

static void every_policy_is_taken_with_any_ways(void **state)
{
	char text[256];

	(void)state;
	for (uint32_t i = 0; mp_sim_policy_names[i]; i++) {
		snprintf(text, sizeof(text), "level name=l1d size=32K ways=8 "
			 "latency=4 policy=%s\n"
			 "tlb level=1 page=4K entries=128 ways=full policy=%s",
			 mp_sim_policy_names[i], mp_sim_policy_names[i]);
		assert_int_equal(honour(text), 0);
	}
	assert_int_equal(honour("level name=l1d size=32K ways=8 latency=4\n"
				"level name=l2 size=1M ways=8 latency=4 "
				"policy=qlru_h11_m1_r0_u0"), 0);
	assert_int_equal(honour(L1 "tlb level=1 page=4K entries=72 ways=72 "
				"policy=qlru_h00_mr16_r2_u3_umo"), 0);
}

static void every_prefetcher_is_taken(void **state)
{
	(void)state;
	assert_int_equal(honour(L1 "prefetch kind=adjacent into=l1d\n"
				"prefetch kind=next into=l1d switch=no\n"
				"prefetch kind=stride into=l1d\n"
				"prefetch kind=stream into=l1d\n"), 0);
}

static void sectors_and_lines_have_bounds(void **state)
{
	(void)state;
	assert_int_equal(honour("level name=l1d size=32K ways=8 latency=4 "
				"sector=8"), 0);
	assert_refuses("level name=l1d size=32K ways=8 latency=4 line=128 "
		       "sector=8", "16 sectors a line; this version simulates "
		       "up to 8");
	assert_int_equal(honour(L1 "level name=l2 size=1M ways=8 line=128 "
				"latency=9"), 0);
	assert_refuses("level name=l1d size=32K ways=8 latency=4 line=128\n"
		       "level name=l2 size=1M ways=8 latency=9",
		       "f:2: level line=64: less than the 128 of the level "
		       "inside it");
}

static void an_exclusive_level_has_the_lines_of_the_one_inside(void **state)
{
	(void)state;
	assert_int_equal(honour(L1 "level name=l2 size=1M ways=8 latency=9 "
				"inclusion=exclusive"), 0);
	assert_refuses(L1 "level name=l2 size=1M ways=8 latency=9 line=128 "
		       "inclusion=exclusive", "f:2: level inclusion=exclusive: "
		       "this version simulates it where");
	assert_refuses(L1 "level name=l2 size=1M ways=8 latency=9 sector=32 "
		       "inclusion=exclusive", "equal lines without sectors");
	assert_int_equal(honour(L1 "level name=l2 size=1M ways=8 latency=9 "
				"line=128 inclusion=inclusive"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_policy_is_taken_with_any_ways),
		cmocka_unit_test(every_prefetcher_is_taken),
		cmocka_unit_test(sectors_and_lines_have_bounds),
		cmocka_unit_test(
			an_exclusive_level_has_the_lines_of_the_one_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
