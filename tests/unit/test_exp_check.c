// SPDX-License-Identifier: GPL-2.0
/*
 * What makes an experiment well formed: one wrong field at a time, and the
 * complaint has to name it.
 */
#include "exp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

#define CHASE "arena0.bytes=4096 actor0.op=chase actor0.length=4096 " \
	      "actor0.stride=64 "
#define SEQUENCE "arena0.bytes=4096 actor0.op=sequence " \
		 "actor0.length=4096 actor0.stride=64 "

struct check_case {
	const char *text;
	const char *named;
};

static const struct check_case good[] = {
	{ CHASE, "" },
	{ CHASE "actor0.reach=64 actor0.hops=1 actor0.bursts=1", "" },
	{ CHASE "actor1.op=gap actor1.background=1", "" },
	{ "actor0.op=gap", "" },
	{ "actor0.op=code actor0.threads=1024", "" },
	{ "arena0.bytes=8192 actor0.op=chase actor0.length=4096 "
	  "actor0.stride=8 actor0.offset=4096", "" },
	{ "arena0.bytes=8192 actor0.op=chase actor0.length=4096 "
	  "actor0.stride=8 actor0.copies=2", "" },
	{ "arena0.bytes=65536 actor0.op=chase actor0.length=65536 "
	  "actor0.stride=4096 actor0.skew=64", "" },
	{ SEQUENCE "steps=0,1,2,254", "" },
	{ CHASE "actor0.detail=ticks actor0.group=64 actor0.hops=4096", "" },
	{ CHASE "window_ns=20000 rounds=1024", "" },
	{ "arena0.bytes=64 actor0.op=pingpong actor0.length=64", "" },
};

static const struct check_case bad[] = {
	{ "", "actors 0" },
	{ "actor1.op=gap", "actor0.op none" },
	{ CHASE "rounds=0", "rounds 0" },
	{ CHASE "rounds=1025", "MP_ROUNDS_MAX" },
	{ CHASE "window_ns=19999", "window_ns 19999" },
	{ CHASE "window_ns=10000001", "MP_WINDOW_MAX_NS" },
	{ CHASE "quiet=8", "quiet 8" },
	{ "arena0.bytes=0 actor0.op=gap", "arena0.bytes 0" },
	{ "arena0.bytes=1099511627777 actor0.op=gap", "MP_ARENA_MAX_BYTES" },
	{ "arena0.bytes=1 arena0.pages=9 actor0.op=gap", "arena0.pages 9" },
	{ "arena0.bytes=1 arena0.node=-2 actor0.op=gap", "arena0.node -2" },
	{ CHASE "actor0.arena=1", "actor0.arena 1" },
	{ CHASE "actor0.arena=4", "actor0.arena 4" },
	{ "actor0.op=chase actor0.length=64 actor0.stride=64",
	  "actor0.arena 0" },
	{ "arena0.bytes=64 actor0.op=chase actor0.stride=64",
	  "actor0.length 0" },
	{ CHASE "actor0.offset=64", "actor0.length 4096" },
	{ CHASE "actor0.offset=4", "actor0.offset 4" },
	{ CHASE "actor0.copies=2", "copies 2" },
	{ CHASE "actor0.copies=0", "actor0.copies 0" },
	{ CHASE "actor0.copies=4097", "MP_COPIES_MAX" },
	{ "arena0.bytes=1099511627776 actor0.op=chase "
	  "actor0.length=1099511627776 actor0.stride=64",
	  "MP_RING_SLOTS_MAX" },
	{ "arena0.bytes=4096 actor0.op=chase actor0.length=4096",
	  "stride 0" },
	{ "arena0.bytes=4096 actor0.op=chase actor0.length=4096 "
	  "actor0.stride=12", "stride 12" },
	{ "arena0.bytes=4096 actor0.op=chase actor0.length=32 "
	  "actor0.stride=64", "length 32" },
	{ CHASE "actor0.reach=8", "reach 8" },
	{ CHASE "actor0.skew=64", "skew 64" },
	{ CHASE "actor0.phase=8", "actor0.phase 8" },
	{ CHASE "actor0.together=2", "actor0.together 2" },
	{ CHASE "actor0.background=1", "actor0.background 1" },
	{ CHASE "actor1.op=gap actor1.background=1 actor1.phase=1",
	  "actor1.background 1" },
	{ CHASE "actor0.hops=0", "actor0.hops 0" },
	{ CHASE "actor0.hops=4294967297", "MP_HOPS_MAX" },
	{ CHASE "actor0.warm_hops=4294967297", "actor0.warm_hops" },
	{ CHASE "actor0.bursts=0", "actor0.bursts 0" },
	{ CHASE "actor0.bursts=4097", "MP_BURSTS_MAX" },
	{ CHASE "actor0.group=0", "actor0.group 0" },
	{ CHASE "actor0.detail=hist actor0.group=5000", "actor0.group 5000" },
	{ CHASE "actor0.detail=ticks actor0.hops=131072",
	  "MP_BATCH_WORDS_MAX" },
	{ CHASE "actor0.every=0", "actor0.every 0" },
	{ CHASE "actor0.every=2", "actor0.every 2: 1 .. 1 allowed" },
	{ CHASE "rounds=8 actor0.every=2 actor1.op=gap actor1.background=1 "
	  "actor1.every=3", "actor1.background 1" },
	{ CHASE "actor0.detail=7", "actor0.detail 7" },
	{ CHASE "actor0.access=9", "actor0.access 9" },
	{ CHASE "rounds=1024 actor0.bursts=4096", "MP_BATCH_SAMPLES_MAX" },
	{ SEQUENCE, "steps" },
	{ SEQUENCE "steps=3", "steps[0] 3" },
	{ SEQUENCE "steps=0,256", "steps[1] 256" },
};

static void well_formed_experiments_pass(void **state)
{
	struct mp_exp exp;
	char why[256];

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		why[0] = '\0';
		assert_int_equal(mp_exp_parse(&exp, good[i].text, why,
					      sizeof(why)), 0);
		mp_exp_check(&exp, why, sizeof(why));
		assert_string_equal(why, "");
		assert_int_equal(mp_exp_check(&exp, NULL, 0), 0);
	}
}

static void each_fault_is_refused_and_named(void **state)
{
	struct mp_exp exp;
	char why[256];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		why[0] = '\0';
		if (mp_exp_parse(&exp, bad[i].text, why, sizeof(why)))
			fail_msg("'%s': %s", bad[i].text, why);
		assert_int_equal(mp_exp_check(&exp, why, sizeof(why)),
				 -EINVAL);
		if (!strstr(why, bad[i].named))
			fail_msg("'%s': '%s' does not name '%s'",
				 bad[i].text, why, bad[i].named);
		assert_int_equal(mp_exp_check(&exp, NULL, 0), -EINVAL);
	}
}

static void counts_beyond_the_room_are_refused_before_they_are_used(void **state)
{
	struct mp_exp exp;
	char why[256];

	(void)state;
	mp_exp_parse(&exp, CHASE, NULL, 0);
	exp.n_arenas = MP_EXP_ARENAS + 1;
	assert_int_equal(mp_exp_check(&exp, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "arenas 5"));
	exp.n_arenas = 1;
	exp.n_actors = UINT32_MAX;
	assert_int_equal(mp_exp_check(&exp, why, sizeof(why)), -EINVAL);
	exp.n_actors = 1;
	exp.n_steps = MP_EXP_STEPS + 1;
	assert_int_equal(mp_exp_check(&exp, why, sizeof(why)), -EINVAL);
}

static void the_widest_fields_together_do_not_wrap_round(void **state)
{
	struct mp_exp exp;

	(void)state;
	mp_exp_parse(&exp, CHASE, NULL, 0);
	exp.arena[0].bytes = MP_ARENA_MAX_BYTES;
	exp.actor[0].length = MP_ARENA_MAX_BYTES;
	exp.actor[0].offset = MP_ARENA_MAX_BYTES;
	exp.actor[0].copies = MP_COPIES_MAX;
	assert_int_equal(mp_exp_check(&exp, NULL, 0), -EINVAL);
	exp.actor[0].length = UINT64_MAX - 4095;
	exp.actor[0].offset = 4096;
	exp.actor[0].copies = 1;
	assert_int_equal(mp_exp_check(&exp, NULL, 0), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed_experiments_pass),
		cmocka_unit_test(each_fault_is_refused_and_named),
		cmocka_unit_test(counts_beyond_the_room_are_refused_before_they_are_used),
		cmocka_unit_test(the_widest_fields_together_do_not_wrap_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
