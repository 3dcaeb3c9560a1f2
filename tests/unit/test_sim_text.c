// SPDX-License-Identifier: GPL-2.0
/*
 * Words, numbers and key=value pairs of machine files: what is taken, and
 * what is said about the rest.
 */
#include "backend/sim_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct thing {
	char name[MP_SIM_NAME];
	uint32_t count;
	uint64_t bytes;
	double share;
	struct mp_sim_range range;
	uint32_t colour;
	struct mp_sim_named kind;
};

static bool starts_with_x(const char *text)
{
	return text[0] == 'x';
}

static const char *const colours[] = { "red", "green", NULL };

#define IN(member) .offset = offsetof(struct thing, member)

static const struct mp_sim_key keys[] = {
	{ "name", MP_SIM_TEXT, IN(name) },
	{ "count", MP_SIM_COUNT, IN(count), "7", 1, 99, .instead = "full" },
	{ "bytes", MP_SIM_SIZE, IN(bytes), "4K", 64, 1048576 },
	{ "share", MP_SIM_REAL, IN(share), "0.5", 0, 1 },
	{ "range", MP_SIM_RANGE, IN(range), "2..4", 1, 10 },
	{ "colour", MP_SIM_CHOICE, IN(colour), "red", .choices = colours },
	{ "kind", MP_SIM_NAMED, IN(kind), "green", .choices = colours,
	  .further = starts_with_x, .instead = "x.." },
	{ 0 },
};

static char why[256];

static int read_thing(struct thing *thing, const char *pairs)
{
	const struct mp_sim_spot spot = { "f", 3, why, sizeof(why) };
	char line[256];

	memset(thing, 0, sizeof(*thing));
	why[0] = '\0';
	snprintf(line, sizeof(line), "%s", pairs);
	return mp_sim_keys(keys, "thing", line, thing, &spot);
}

static void numbers_are_plain_decimals_and_nothing_else(void **state)
{
	static const struct {
		const char *text;
		bool sizes;
		double value;
	} good[] = {
		{ "0", false, 0 }, { "42", false, 42 }, { "0.02", false, 0.02 },
		{ "3187.2", false, 3187.2 }, { "1.25M", true, 1310720 },
		{ "13.75M", true, 14417920 }, { "32K", true, 32768 },
		{ "16G", true, 17179869184.0 }, { "64", true, 64 },
	};
	static const char *const bad[] = {
		"", ".", "1.", ".5", "-1", "+1", "1e3", "0x10", "nan", "inf",
		"1,5", "1..2", "1K", "1 ", " 1", "12345678901234567",
	};
	double value;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(mp_sim_number(good[i].text, good[i].sizes,
					       &value), 0);
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(mp_sim_number(bad[i], false, &value),
				 -EINVAL);
	assert_int_equal(mp_sim_number("1KK", true, &value), -EINVAL);
	assert_int_equal(mp_sim_number("1k", true, &value), -EINVAL);
	assert_int_equal(mp_sim_number("K", true, &value), -EINVAL);
}

static void words_end_at_blanks_and_lines_at_a_comment(void **state)
{
	char line[] = "  one\ttwo  three#four five", *rest = line;
	char blank[] = "  \t ", comment[] = " # all of it";

	(void)state;
	assert_string_equal(mp_sim_word(&rest), "one");
	assert_string_equal(mp_sim_word(&rest), "two");
	assert_string_equal(mp_sim_word(&rest), "three");
	assert_null(mp_sim_word(&rest));
	assert_null(mp_sim_word(&rest));
	rest = blank;
	assert_null(mp_sim_word(&rest));
	rest = comment;
	assert_null(mp_sim_word(&rest));
}

static void what_is_left_out_has_its_default(void **state)
{
	struct thing thing;

	(void)state;
	assert_int_equal(read_thing(&thing, "name=n"), 0);
	assert_string_equal(thing.name, "n");
	assert_int_equal(thing.count, 7);
	assert_int_equal(thing.bytes, 4096);
	assert_true(thing.share == 0.5);
	assert_true(thing.range.low == 2 && thing.range.high == 4);
	assert_int_equal(thing.colour, 0);
	assert_int_equal(thing.kind.index, 1);
	assert_string_equal(thing.kind.text, "green");
}

static void pairs_come_in_any_order(void **state)
{
	struct thing thing;

	(void)state;
	assert_int_equal(read_thing(&thing, "kind=xyz range=5 colour=green "
				    "share=1 bytes=1.5K count=full name=m"),
			 0);
	assert_int_equal(thing.count, 0);
	assert_int_equal(thing.bytes, 1536);
	assert_true(thing.range.low == 5 && thing.range.high == 5);
	assert_int_equal(thing.colour, 1);
	assert_int_equal(thing.kind.index, 2);
	assert_string_equal(thing.kind.text, "xyz");
}

static void a_wrong_pair_is_told_with_what_is_allowed(void **state)
{
	static const struct {
		const char *pairs;
		const char *says;
	} wrong[] = {
		{ "", "f:3: thing: name is missing: a text" },
		{ "name", "f:3: thing name: a pair is key=value" },
		{ "name=", "f:3: thing name=: a pair is key=value" },
		{ "=n", "f:3: thing =n: a pair is key=value" },
		{ "name=n size=3", "f:3: thing has no key size: its keys are "
		  "name, count, bytes, share, range, colour, kind" },
		{ "name=n name=m", "f:3: thing name: stated twice" },
		{ "name=n count=0", "f:3: thing count=0: allowed is a whole "
		  "number 1 .. 99 or full" },
		{ "name=n count=100", "count=100: allowed is" },
		{ "name=n count=2.5", "count=2.5: allowed is" },
		{ "name=n count=many", "count=many: allowed is" },
		{ "name=n count=8K", "count=8K: allowed is" },
		{ "name=n bytes=32", "f:3: thing bytes=32: allowed is bytes, "
		  "with K, M or G, 64 .. 1M" },
		{ "name=n bytes=0.1K", "bytes=0.1K: allowed is" },
		{ "name=n share=1.01", "f:3: thing share=1.01: allowed is a "
		  "number 0 .. 1" },
		{ "name=n range=4..2", "f:3: thing range=4..2: allowed is "
		  "LOW..HIGH or one number within 1 .. 10" },
		{ "name=n range=0..2", "range=0..2: allowed" },
		{ "name=n range=2..11", "range=2..11: allowed" },
		{ "name=n range=2..", "range=2..: allowed" },
		{ "name=n range=..2", "range=..2: allowed" },
		{ "name=n colour=blue", "f:3: thing colour=blue: allowed is "
		  "red, green" },
		{ "name=n kind=blue", "f:3: thing kind=blue: allowed is red, "
		  "green, x.." },
	};
	struct thing thing;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(read_thing(&thing, wrong[i].pairs), -EINVAL);
		if (!strstr(why, wrong[i].says))
			fail_msg("'%s' says '%s'", wrong[i].pairs, why);
	}
}

static void a_text_that_is_too_long_is_refused(void **state)
{
	char pair[MP_SIM_NAME + 8] = "name=";
	struct thing thing;

	(void)state;
	memset(pair + 5, 'a', MP_SIM_NAME);
	assert_int_equal(read_thing(&thing, pair), -EINVAL);
	pair[5 + MP_SIM_NAME - 1] = '\0';
	assert_int_equal(read_thing(&thing, pair), 0);
	assert_int_equal(strlen(thing.name), MP_SIM_NAME - 1);
	memcpy(pair, "kind=", 5);
	memset(pair + 5, 'x', MP_SIM_NAME);
	assert_int_equal(read_thing(&thing, pair), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_plain_decimals_and_nothing_else),
		cmocka_unit_test(words_end_at_blanks_and_lines_at_a_comment),
		cmocka_unit_test(what_is_left_out_has_its_default),
		cmocka_unit_test(pairs_come_in_any_order),
		cmocka_unit_test(a_wrong_pair_is_told_with_what_is_allowed),
		cmocka_unit_test(a_text_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
