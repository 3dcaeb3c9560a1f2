// SPDX-License-Identifier: GPL-2.0
/* Options from descriptors: what is taken, what is refused and in what words. */
#include "opt.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fields {
	bool flag;
	int number;
	uint64_t seed;
	int kind;
	const char *file;
};

static const char *const kinds[] = { "4k", "thp", "huge", NULL };

static const struct mp_opt opts[] = {
	{ .name = "flag", .letter = 'f', .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct fields, flag), .says = "a flag" },
	{ .name = "number", .kind = MP_OPT_INT,
	  .offset = offsetof(struct fields, number), .value = "N",
	  .least = 1, .most = 60, .says = "a number" },
	{ .name = "seed", .kind = MP_OPT_U64,
	  .offset = offsetof(struct fields, seed), .value = "N",
	  .says = "a seed" },
	{ .name = "kind", .kind = MP_OPT_CHOICE,
	  .offset = offsetof(struct fields, kind), .value = "KIND",
	  .choices = kinds, .says = "a kind" },
	{ .name = "file", .letter = 'o', .kind = MP_OPT_TEXT,
	  .offset = offsetof(struct fields, file), .value = "FILE",
	  .says = "a file" },
	{ 0 },
};

static const struct fields unset = { false, -1, 7, -1, NULL };

/* Parses "cmd ARGS.."; @words ends with NULL. */
static int parse(const char *const *words, struct fields *fields, int *first,
		 char *why)
{
	char *argv[16] = { (char *)"cmd" };
	int argc = 1;

	*fields = unset;
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	why[0] = '\0';
	return mp_opt_parse(opts, argc, argv, fields, first, why, MP_OPT_WHY);
}

#define PARSE(...) \
	parse((const char *const[]){ __VA_ARGS__, NULL }, &fields, &first, why)

static void refused(int err, const char *why, const char *words)
{
	assert_int_equal(err, -EINVAL);
	assert_string_equal(why, words);
}

static void every_kind_sets_its_field_and_nothing_else(void **state)
{
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	assert_int_equal(PARSE("--flag"), 0);
	assert_true(fields.flag);
	assert_int_equal(fields.number, -1);
	assert_null(fields.file);
	assert_int_equal(PARSE("--number", "60", "--seed=0xffffffffffffffff",
			       "--kind", "huge", "-o", "x"), 0);
	assert_false(fields.flag);
	assert_int_equal(fields.number, 60);
	assert_true(fields.seed == UINT64_MAX);
	assert_int_equal(fields.kind, 2);
	assert_string_equal(fields.file, "x");
}

static void arguments_may_stand_among_options(void **state)
{
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	assert_int_equal(PARSE("target", "-f", "other"), 0);
	assert_true(fields.flag);
	assert_int_equal(first, 2);
	assert_int_equal(PARSE("--", "-f"), 0);
	assert_false(fields.flag);
	assert_int_equal(first, 2);
}

static void a_number_out_of_bounds_is_refused_with_the_bounds(void **state)
{
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	refused(PARSE("--number", "0"), why, "--number 0: allowed are 1 to 60");
	refused(PARSE("--number", "61"), why,
		"--number 61: allowed are 1 to 60");
	refused(PARSE("--number", "99999999999999999999"), why,
		"--number 99999999999999999999: allowed are 1 to 60");
	assert_int_equal(fields.number, -1);
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const wrong[] = { "", "x", "1x", "1.5", " 1", "+1",
					     "1 " };
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(PARSE("--number", wrong[i]), -EINVAL);
		assert_non_null(strstr(why, "not a whole number"));
		assert_non_null(strstr(why, "1 to 60"));
	}
}

static void a_seed_is_any_word_of_64_bits_and_nothing_else(void **state)
{
	static const char *const wrong[] = { "", "-1", "+1", "0x", "12a",
					     "18446744073709551616", " 1" };
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	assert_int_equal(PARSE("--seed", "18446744073709551615"), 0);
	assert_true(fields.seed == UINT64_MAX);
	assert_int_equal(PARSE("--seed", "0"), 0);
	assert_true(fields.seed == 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(PARSE("--seed", wrong[i]), -EINVAL);
		assert_true(fields.seed == 7);
		assert_non_null(strstr(why, "18446744073709551615"));
	}
}

static void a_wrong_choice_is_refused_with_the_choices(void **state)
{
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	refused(PARSE("--kind", "2m"), why,
		"--kind 2m: allowed are 4k, thp or huge");
}

static void a_missing_value_an_extra_one_and_an_empty_one_are_refused(
	void **state)
{
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	refused(PARSE("--file"), why, "--file: needs a value: FILE");
	refused(PARSE("-o"), why, "--file: needs a value: FILE");
	refused(PARSE("--file="), why, "--file: the value is empty: give FILE");
	refused(PARSE("--flag=yes"), why,
		"--flag=yes: --flag takes no value");
}

static void an_unknown_option_is_refused_by_its_name(void **state)
{
	struct fields fields;
	char why[MP_OPT_WHY];
	int first;

	(void)state;
	refused(PARSE("--nonsense"), why,
		"--nonsense: no such option: see --help");
	refused(PARSE("-fz"), why, "-z: no such option: see --help");
	refused(PARSE("--f=1"), why, "--f=1: may be any of --flag, --file");
}

static void a_refusal_is_one_printable_line_whatever_the_value(void **state)
{
	char value[4000], why[MP_OPT_WHY];
	struct fields fields;
	int first;

	(void)state;
	refused(PARSE("--kind", "a\nb\033[31m\177"), why,
		"--kind a?b?[31m?: allowed are 4k, thp or huge");
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	assert_int_equal(PARSE("--kind", value), -EINVAL);
	assert_true(strlen(why) < 300);
	assert_non_null(strstr(why, "allowed are 4k"));
}

static void help_tells_values_bounds_choices_and_defaults(void **state)
{
	const struct fields defaults = { false, 30, 7, -1, NULL };
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	mp_opt_help(opts, &defaults, out);
	fclose(out);
	assert_string_equal(text,
		"  -f, --flag            a flag\n"
		"  --number N            a number (1 to 60; 30 unless given)\n"
		"  --seed N              a seed (7 unless given)\n"
		"  --kind KIND           a kind (4k, thp or huge)\n"
		"  -o, --file FILE       a file\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_sets_its_field_and_nothing_else),
		cmocka_unit_test(arguments_may_stand_among_options),
		cmocka_unit_test(
			a_number_out_of_bounds_is_refused_with_the_bounds),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(
			a_seed_is_any_word_of_64_bits_and_nothing_else),
		cmocka_unit_test(a_wrong_choice_is_refused_with_the_choices),
		cmocka_unit_test(
			a_missing_value_an_extra_one_and_an_empty_one_are_refused),
		cmocka_unit_test(an_unknown_option_is_refused_by_its_name),
		cmocka_unit_test(
			a_refusal_is_one_printable_line_whatever_the_value),
		cmocka_unit_test(help_tells_values_bounds_choices_and_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
