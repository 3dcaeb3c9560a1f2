// SPDX-License-Identifier: GPL-2.0
/* Reports side by side. */
#include "report/beside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample_report.h"
#include "utf8.h"

static const char *const names[] = { "noisy", "user", "kernel", "again" };

/* Sample reports beside one another, spoilt by whoever asks; free() it. */
static char *text_of(uint32_t n, const char *label,
		     void (*change)(struct mp_report *last))
{
	const struct mp_style plain = { 0 };
	struct mp_report report[MP_BESIDE_MAX];
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	for (uint32_t i = 0; i < n; i++)
		sample_report(&report[i], i == n - 1 ? label : "");
	if (change)
		change(&report[n - 1]);
	mp_beside_write(out, report, names, n, &plain);
	assert_false(ferror(out));
	fclose(out);
	for (uint32_t i = 0; i < n; i++)
		mp_report_free(&report[i]);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("not there: %s in\n%s", part, text);
}

static void each_report_has_its_column(void **state)
{
	char *text = text_of(3, "", NULL);

	(void)state;
	assert_has(text, "3 reports of AuthenticAMD");
	assert_has(text, "\n  noisy                    user"
			 "                     kernel\n");
	assert_has(text, "\n\ncpu.l1d.size\n  32 KiB");
	assert_has(text, "\n\nbatches disturbed\n  9 of 312 ");
	free(text);
}

static void lines_fit_on_a_screen_and_end_where_their_text_does(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= MP_BESIDE_MAX; n++) {
		char *text = text_of(n, "simulated: a.machine", NULL);

		for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
			assert_true(mp_utf8_width(at) < MP_COLUMNS);
			assert_true(at[strlen(at) - 1] != ' ');
		}
		free(text);
	}
}

static void a_label_is_said_of_whose_it_is(void **state)
{
	char *text = text_of(3, "no measurement", NULL);

	(void)state;
	assert_has(text, "\nkernel: [no measurement]\n");
	assert_null(strstr(text, "noisy: ["));
	free(text);
}

static void spoil(struct mp_report *last)
{
	snprintf(last->condition[0].key, MP_FACT_NAME, "window");
	snprintf(last->condition[0].text, MP_HOST_TEXT,
		 "interrupts off, 200 us");
	snprintf(last->facts.fact[0].name, MP_FACT_NAME, "cpu.new.thing");
	last->facts.fact[0].verdict = MP_VARIES;
	snprintf(last->model, sizeof(last->model), "Another");
}

static void what_only_one_has_is_not_asked_of_the_others(void **state)
{
	char *text = text_of(2, "", spoil);

	(void)state;
	assert_has(text, "\nuser: of another machine: Another\n");
	assert_has(text, "  interrupts off\n");
	assert_has(text, "\n\ncpu.new.thing\n  not asked ");
	assert_has(text, "  varies\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_report_has_its_column),
		cmocka_unit_test(lines_fit_on_a_screen_and_end_where_their_text_does),
		cmocka_unit_test(a_label_is_said_of_whose_it_is),
		cmocka_unit_test(what_only_one_has_is_not_asked_of_the_others),
	};

	return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
