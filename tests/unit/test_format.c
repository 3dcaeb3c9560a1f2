// SPDX-License-Identifier: GPL-2.0
/* Numbers in words. */
#include "report/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void plain(double value, const char *words)
{
	char text[MP_FORMAT_ROOM];

	assert_string_equal(mp_format_plain(text, value), words);
}

static void human(double value, const char *unit, const char *words)
{
	char text[MP_FORMAT_ROOM];

	assert_string_equal(mp_format_human(text, value, unit), words);
}

static void range(double low, double high, const char *unit, const char *words)
{
	char text[MP_FORMAT_ROOM];

	assert_string_equal(mp_format_range(text, low, high, unit), words);
}

static void plain_numbers_are_whole_where_they_can_be(void **state)
{
	(void)state;
	plain(32768, "32768");
	plain(0, "0");
	plain(3681234570, "3681234570");
	plain(5872025.6, "5872026");
	plain(1.0887345, "1.08873");
	plain(-0.25, "-0.25");
}

static void what_is_not_finite_is_never_printed(void **state)
{
	char text[MP_FORMAT_ROOM];
	const double odd[] = { NAN, INFINITY, -INFINITY };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		plain(odd[i], "-");
		human(odd[i], "bytes", "-");
		range(odd[i], odd[i], "ns", "-");
		mp_format_range(text, 1, odd[i], "ns");
		assert_null(strstr(text, "inf"));
		assert_null(strstr(text, "nan"));
	}
}

static void bytes_are_said_in_powers_of_1024(void **state)
{
	(void)state;
	human(64, "bytes", "64 B");
	human(32768, "bytes", "32 KiB");
	human(1048576, "bytes", "1 MiB");
	human(1310720, "bytes", "1.25 MiB");
	human(503316480, "bytes", "480 MiB");
	human(1048575, "bytes", "1.00 MiB");
	human(1023, "bytes", "1023 B");
	human(1099511627776.0, "bytes", "1 TiB");
}

static void a_rounded_number_looks_rounded_and_an_exact_one_short(void **state)
{
	(void)state;
	human(4, "cycles", "4");
	human(4.004, "cycles", "4.00");
	human(3700000000.0, "Hz", "3.7 GHz");
	human(3696128470.0, "Hz", "3.70 GHz");
	human(96.44, "ns", "96.4 ns");
	human(1500, "ns", "1.5 us");
}

static void a_unit_that_is_counted_is_not_named(void **state)
{
	(void)state;
	human(12, "ways", "12");
	assert_string_equal(mp_format_counted("ways"), " ways");
	assert_string_equal(mp_format_counted("cpus"), " cpus");
	assert_string_equal(mp_format_counted("bytes"), "");
	assert_string_equal(mp_format_counted("hops"), "");
	assert_string_equal(mp_format_counted(""), "");
	human(1536, "entries", "1536");
	human(3, "lightyears", "3 lightyears");
	human(3, "", "3");
}

static void a_range_names_its_unit_once_where_it_can(void **state)
{
	(void)state;
	range(30720, 33792, "bytes", "30 .. 33 KiB");
	range(1000000, 1100000, "bytes", "977 KiB .. 1.05 MiB");
	range(68, 76, "entries", "68 .. 76");
	range(65536, NAN, "bytes", "64 KiB ..");
	range(NAN, 65536, "bytes", ".. 64 KiB");
}

static void a_fact_shows_what_its_verdict_says(void **state)
{
	struct mp_fact fact = { .verdict = MP_AT_LEAST, .value = 65536,
				.unit = "bytes" };
	char text[MP_FORMAT_ROOM];

	(void)state;
	assert_string_equal(mp_format_fact(text, &fact, false), ">= 64 KiB");
	assert_string_equal(mp_format_fact(text, &fact, true),
			    "\u2265 64 KiB");
	fact.verdict = MP_AT_MOST;
	assert_string_equal(mp_format_fact(text, &fact, false), "<= 64 KiB");
	fact.verdict = MP_ABSENT;
	assert_string_equal(mp_format_fact(text, &fact, false), "absent");
	fact.verdict = MP_NOT_MEASURABLE;
	assert_string_equal(mp_format_fact(text, &fact, false), "?");
	fact.verdict = MP_MEASURED;
	fact.is_text = true;
	snprintf(fact.text, sizeof(fact.text), "plru");
	assert_string_equal(mp_format_fact(text, &fact, false), "plru");
	assert_string_equal(mp_format_fact(text, NULL, false), "");
}

static void a_place_is_said_by_its_keys(void **state)
{
	struct mp_where where = { 0 };
	char text[MP_FORMAT_WHERE];

	(void)state;
	assert_string_equal(mp_format_where(text, &where), "-");
	where.n = 2;
	snprintf(where.key[0], MP_WHERE_TEXT, "device");
	snprintf(where.value[0], MP_WHERE_TEXT, "cuda:0");
	snprintf(where.key[1], MP_WHERE_TEXT, "sm");
	snprintf(where.value[1], MP_WHERE_TEXT, "17");
	assert_string_equal(mp_format_where(text, &where),
			    "device=cuda:0 sm=17");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_numbers_are_whole_where_they_can_be),
		cmocka_unit_test(what_is_not_finite_is_never_printed),
		cmocka_unit_test(bytes_are_said_in_powers_of_1024),
		cmocka_unit_test(
			a_rounded_number_looks_rounded_and_an_exact_one_short),
		cmocka_unit_test(a_unit_that_is_counted_is_not_named),
		cmocka_unit_test(a_range_names_its_unit_once_where_it_can),
		cmocka_unit_test(a_fact_shows_what_its_verdict_says),
		cmocka_unit_test(a_place_is_said_by_its_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
