// SPDX-License-Identifier: GPL-2.0
/*
 * Experiments in words: what is printed is parsed back to the same, and
 * whatever is not such a text is refused with a line that says why.
 */
#include "exp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "exp_field.h"
#include "rng.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void a_default_chase_says_only_what_is_its_own(void **state)
{
	char text[MP_EXP_TEXT];
	struct mp_exp exp;
	int length;

	(void)state;
	mp_exp_chase(&exp, 0, MP_PAGES_THP, 32768, 64, 0);
	length = mp_exp_print(&exp, text, sizeof(text));
	assert_int_equal(length, strlen(text));
	assert_string_equal(text, "arena0.bytes=32768 arena0.pages=thp "
			    "actor0.op=chase actor0.length=32768 "
			    "actor0.stride=64");
}

/* An id that moves orphans every recording: it is frozen here. */
static void the_id_of_a_known_experiment_stays_what_it_was(void **state)
{
	struct mp_exp exp;

	(void)state;
	mp_exp_chase(&exp, 0, MP_PAGES_THP, 32768, 64, 0);
	assert_true(mp_exp_id(&exp) == 0x2bdcfeb4c844cf71ull);
}

static int set_random(const struct mp_exp *exp, struct mp_exp_item item,
		      const struct mp_exp_field *field, void *ctx)
{
	struct mp_exp *to = (struct mp_exp *)exp;
	uint64_t value = mp_rng_next(ctx);

	/* Small values too: they hit names and defaults. */
	if (value & 1)
		value = value >> 1 & 7;
	mp_exp_field_set(to, item, field, value);
	return 0;
}

static void random_experiments_come_back_the_same(void **state)
{
	char text[MP_EXP_TEXT];
	struct mp_exp back;
	struct mp_exp exp;
	struct mp_rng rng;
	char why[128];

	(void)state;
	mp_rng_seed(&rng, 11);
	for (int i = 0; i < 2000; i++) {
		mp_exp_init(&exp);
		exp.n_arenas = (uint32_t)mp_rng_below(&rng, MP_EXP_ARENAS + 1);
		exp.n_actors = (uint32_t)mp_rng_below(&rng, MP_EXP_ACTORS + 1);
		exp.n_steps = (uint32_t)mp_rng_below(&rng, MP_EXP_STEPS + 1);
		mp_exp_each_field(&exp, set_random, &rng);
		for (uint32_t s = 0; s < exp.n_steps; s++)
			exp.steps[s] = (uint32_t)mp_rng_next(&rng);
		assert_true(mp_exp_print(&exp, text, sizeof(text)) >= 0);
		assert_int_equal(mp_exp_parse(&back, text, why, sizeof(why)),
				 0);
		assert_true(mp_exp_equal(&exp, &back));
		assert_true(mp_exp_id(&exp) == mp_exp_id(&back));
	}
}

static int set_longest(const struct mp_exp *exp, struct mp_exp_item item,
		       const struct mp_exp_field *field, void *ctx)
{
	(void)ctx;
	/* INT32_MIN is the longest of the signed ones. */
	mp_exp_field_set((struct mp_exp *)exp, item, field,
			 field->is_signed ? 1ull << 31 : UINT64_MAX);
	return 0;
}

static void the_longest_text_fits_the_promised_room(void **state)
{
	char text[MP_EXP_TEXT];
	struct mp_exp exp;
	int length;

	(void)state;
	mp_exp_init(&exp);
	exp.n_arenas = MP_EXP_ARENAS;
	exp.n_actors = MP_EXP_ACTORS;
	exp.n_steps = MP_EXP_STEPS;
	mp_exp_each_field(&exp, set_longest, NULL);
	memset(exp.steps, 0xff, sizeof(exp.steps));
	length = mp_exp_print(&exp, text, sizeof(text));
	assert_true(length > 4096);
	assert_int_equal(length, strlen(text));
}

static void too_little_room_is_said_and_never_overrun(void **state)
{
	char text[MP_EXP_TEXT];
	struct mp_exp exp;
	int length;

	(void)state;
	mp_exp_chase(&exp, 1, MP_PAGES_2M, 1 << 20, 64, 4096);
	length = mp_exp_print(&exp, text, sizeof(text));
	for (int room = 0; room <= length; room++) {
		memset(text, 'x', sizeof(text));
		assert_int_equal(mp_exp_print(&exp, text, (size_t)room),
				 -ENOSPC);
		assert_int_equal(text[room], 'x');
	}
	assert_int_equal(mp_exp_print(&exp, text, (size_t)length + 1), length);
}

static void items_are_there_as_soon_as_one_of_their_fields_is_named(void **state)
{
	struct mp_exp exp;

	(void)state;
	assert_int_equal(mp_exp_parse(&exp, "  actor1.op=gap   arena2.node=-1 ",
				      NULL, 0), 0);
	assert_int_equal(exp.n_actors, 2);
	assert_int_equal(exp.n_arenas, 3);
	assert_int_equal(exp.actor[1].op, MP_OP_GAP);
	assert_int_equal(exp.actor[0].op, MP_OP_NONE);
	assert_int_equal(exp.arena[2].node, -1);
}

static void an_empty_text_is_the_empty_experiment(void **state)
{
	struct mp_exp empty;
	struct mp_exp exp;
	char text[8];

	(void)state;
	mp_exp_init(&empty);
	assert_int_equal(mp_exp_parse(&exp, "", NULL, 0), 0);
	assert_true(mp_exp_equal(&exp, &empty));
	assert_int_equal(mp_exp_print(&exp, text, sizeof(text)), 0);
}

static void what_is_no_experiment_is_refused_and_named(void **state)
{
	static const struct {
		const char *text;
		const char *named;
	} cases[] = {
		{ "rounds", "rounds" },
		{ "rounds=", "rounds" },
		{ "rounds=-1", "-1" },
		{ "rounds=+1", "+1" },
		{ "rounds=0x10", "0x10" },
		{ "rounds=1.5", "1.5" },
		{ "rounds=4294967296", "4294967296" },
		{ "window_ns=18446744073709551616", "18446744073709551616" },
		{ "rounds=1 rounds=1", "twice" },
		{ "rondes=1", "rondes" },
		{ "arena0.node=-2147483649", "-2147483649" },
		{ "arena0.node=2147483648", "2147483648" },
		{ "arena0.node=--1", "--1" },
		{ "arena0.pages=huge", "huge" },
		{ "arena0.pages=1", "arena0.pages" },
		{ "arena4.bytes=1", "arena4.bytes" },
		{ "arena.bytes=1", "arena.bytes" },
		{ "arena00.bytes=1", "arena00.bytes" },
		{ "actor8.op=chase", "actor8.op" },
		{ "actor/.op=chase", "actor/.op" },
		{ "actor0.opp=chase", "actor0.opp" },
		{ "aktor0.op=chase", "aktor0.op" },
		{ "actor0.=chase", "actor0." },
		{ ".op=chase", ".op" },
		{ "=1", "" },
		{ "steps=", "steps" },
		{ "steps=1,,2", "steps" },
		{ "steps=1,2,", "steps" },
		{ "steps=4294967296", "4294967296" },
		{ "steps=1 steps=2", "twice" },
		{ "rounds=1\trounds=1", "rounds" },
		{ "rounds=1\n", "rounds" },
	};
	struct mp_exp exp;
	char why[160];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		why[0] = '\0';
		assert_int_equal(mp_exp_parse(&exp, cases[i].text, why,
					      sizeof(why)), -EINVAL);
		assert_true(why[0]);
		assert_non_null(strstr(why, cases[i].named));
		assert_int_equal(mp_exp_parse(&exp, cases[i].text, NULL, 0),
				 -EINVAL);
	}
}

static void too_many_steps_and_endless_words_are_refused(void **state)
{
	char text[MP_EXP_TEXT] = "steps=0";
	struct mp_exp exp;
	char why[160];

	(void)state;
	for (int i = 1; i < MP_EXP_STEPS; i++)
		strcat(text, ",1");
	assert_int_equal(mp_exp_parse(&exp, text, why, sizeof(why)), 0);
	assert_int_equal(exp.n_steps, MP_EXP_STEPS);
	strcat(text, ",1");
	assert_int_equal(mp_exp_parse(&exp, text, why, sizeof(why)), -EINVAL);
	memset(text, 'a', sizeof(text) - 1);
	assert_int_equal(mp_exp_parse(&exp, text, why, sizeof(why)), -EINVAL);
}

static void no_text_of_random_bytes_does_harm(void **state)
{
	static const char letters[] = "arenctos0129.=,- pgh\x80\xff";
	struct mp_exp exp;
	struct mp_rng rng;
	char text[64];
	char why[64];

	(void)state;
	mp_rng_seed(&rng, 5);
	for (int i = 0; i < 20000; i++) {
		size_t n = mp_rng_below(&rng, sizeof(text));

		for (size_t c = 0; c < n; c++)
			text[c] = letters[mp_rng_below(&rng,
						       sizeof(letters) - 1)];
		text[n] = '\0';
		if (!mp_exp_parse(&exp, text, why, sizeof(why)))
			assert_true(mp_exp_id(&exp));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_default_chase_says_only_what_is_its_own),
		cmocka_unit_test(the_id_of_a_known_experiment_stays_what_it_was),
		cmocka_unit_test(random_experiments_come_back_the_same),
		cmocka_unit_test(the_longest_text_fits_the_promised_room),
		cmocka_unit_test(too_little_room_is_said_and_never_overrun),
		cmocka_unit_test(items_are_there_as_soon_as_one_of_their_fields_is_named),
		cmocka_unit_test(an_empty_text_is_the_empty_experiment),
		cmocka_unit_test(what_is_no_experiment_is_refused_and_named),
		cmocka_unit_test(too_many_steps_and_endless_words_are_refused),
		cmocka_unit_test(no_text_of_random_bytes_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
