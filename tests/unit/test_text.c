// SPDX-License-Identifier: GPL-2.0
/*
 * Text for people, compared with pages that somebody has looked at:
 * tests/unit/sample_report.*.txt. MEMPROBE_UPDATE_PAGES=1 writes them anew;
 * look at the difference before it is kept.
 */
#include "report/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/json.h"
#include "sample_report.h"
#include "utf8.h"

/* The report as text; free() it. */
static char *text_of(const struct mp_report *report,
		     const struct mp_style *style)
{
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	mp_text_write(out, report, style);
	assert_false(ferror(out));
	fclose(out);
	return text;
}

static char *sample_text(const char *label, const struct mp_style *style)
{
	struct mp_report report;
	char *text;

	sample_report(&report, label);
	text = text_of(&report, style);
	mp_report_free(&report);
	return text;
}

/* A page that lies beside this file. */
static void page_name(char *path, size_t room, const char *name)
{
	const char *slash = strrchr(__FILE__, '/');

	snprintf(path, room, "%.*s%s", slash ? (int)(slash - __FILE__ + 1) : 0,
		 __FILE__, name);
}

static void same_as_page(const char *text, const char *name)
{
	static char page[65536];
	char path[512];
	size_t bytes;
	FILE *file;

	page_name(path, sizeof(path), name);
	file = fopen(path, getenv("MEMPROBE_UPDATE_PAGES") ? "we" : "re");
	if (!file)
		fail_msg("%s: cannot be opened", path);
	if (getenv("MEMPROBE_UPDATE_PAGES")) {
		fputs(text, file);
		fclose(file);
		return;
	}
	bytes = fread(page, 1, sizeof(page) - 1, file);
	page[bytes] = '\0';
	fclose(file);
	if (strcmp(text, page) != 0)
		fail_msg("%s is another page than\n%s", path, text);
}

static void the_page_in_unicode_is_the_one_looked_at(void **state)
{
	const struct mp_style style = { .utf8 = true };
	char *text = sample_text("", &style);

	(void)state;
	same_as_page(text, "sample_report.utf8.txt");
	free(text);
}

static void the_page_in_ascii_is_the_one_looked_at(void **state)
{
	const struct mp_style style = { .verbose = true };
	char *text = sample_text("simulated: a.machine", &style);

	(void)state;
	same_as_page(text, "sample_report.ascii.txt");
	for (const char *c = text; *c; c++)
		assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
	free(text);
}

static void all_but_the_lines_of_fixed_form_fits_in_80_columns(void **state)
{
	const struct mp_style style = { .utf8 = true };
	char *text = sample_text("recorded: b.mpr", &style), *line, *rest;

	(void)state;
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "cpu.", 4) == 0 && strchr(line, '['))
			continue;
		if (mp_utf8_width(line) >= MP_COLUMNS)
			fail_msg("%d columns: %s", mp_utf8_width(line), line);
	}
	free(text);
}

/* Lines that begin a table are those with nothing above them. */
static void a_label_stands_at_the_top_and_at_each_table(void **state)
{
	const char *label = "[simulated: a.machine]";
	const struct mp_style style = { 0 };
	char *text = sample_text("simulated: a.machine", &style);
	int headings = 0;

	(void)state;
	for (const char *c = text; (c = strstr(c, "\n\n")); c += 2) {
		const char *end = strchr(c + 2, '\n');
		const char *found = strstr(c + 2, label);

		headings++;
		if (!found || found > end)
			fail_msg("no label at: %.40s", c + 2);
	}
	assert_true(headings >= 7);
	assert_non_null(strstr(text, "\n[simulated: a.machine]\n"));
	free(text);
}

static void every_fact_has_a_line_of_fixed_form(void **state)
{
	const struct mp_style style = { .utf8 = true, .colour = true };
	char *text = sample_text("", &style);

	(void)state;
	assert_non_null(strstr(text,
		"\ncpu.l1d.size: 32768 bytes [30720 .. 33792] measured, claimed 32768 (cpuid)\n"));
	assert_non_null(strstr(text,
		"\ncpu.l3.ways: - ways [- .. -] not-measurable, claimed 16 (cpuid)\n"));
	assert_non_null(strstr(text,
		"\ncpu.stlb.entries: 2048 entries [2048 .. -] at-least, claimed 3072 (cpuid)\n"));
	free(text);
}

static void colours_are_only_where_they_are_wanted(void **state)
{
	const struct mp_style plain = { .utf8 = true };
	const struct mp_style bright = { .utf8 = true, .colour = true };
	char *text = sample_text("", &plain);

	(void)state;
	assert_null(strchr(text, '\033'));
	free(text);
	text = sample_text("", &bright);
	assert_non_null(strstr(text, "\033[1m"));
	free(text);
}

static void the_text_of_a_report_read_back_is_the_same(void **state)
{
	const struct mp_style style = { .utf8 = true, .verbose = true };
	char *json, *before, *after, why[256];
	struct mp_report report, again;

	(void)state;
	sample_report(&report, "");
	assert_int_equal(mp_json_write(&report, &json), 0);
	assert_int_equal(mp_json_read(json, strlen(json), &again, why,
				      sizeof(why)), 0);
	before = text_of(&report, &style);
	after = text_of(&again, &style);
	assert_string_equal(before, after);
	mp_report_free(&report);
	mp_report_free(&again);
	free(json);
	free(before);
	free(after);
}

static void each_place_has_its_own_picture(void **state)
{
	const struct mp_style style = { 0 };
	struct mp_report report;
	struct mp_where where;
	struct mp_fact *fact;
	char *text;

	(void)state;
	sample_report(&report, "");
	mp_where_cpu(&where, 7);
	fact = mp_facts_add(&report.facts, "cpu.l1d.size", &where);
	assert_non_null(fact);
	fact->value = 65536;
	snprintf(fact->unit, sizeof(fact->unit), "bytes");
	text = text_of(&report, &style);
	assert_non_null(strstr(text, "\nMemory hierarchy as CPU 0 sees it\n"));
	assert_non_null(strstr(text, "\nMemory hierarchy as CPU 7 sees it\n"));
	assert_non_null(strstr(text, "| L1d |              64 KiB"));
	assert_non_null(strstr(text, "\nfacts (cpus=7)\ncpu.l1d.size: 65536"));
	mp_report_free(&report);
	free(text);
}

/* Limits may hold the claim, as they do of a line that few replicates show. */
static void a_count_is_as_claimed_where_it_is_the_claim(void **state)
{
	const struct mp_style style = { .utf8 = false };
	struct mp_report report;
	char *text;

	(void)state;
	sample_report(&report, "");
	for (uint32_t i = 0; i < report.facts.n; i++) {
		struct mp_fact *fact = &report.facts.fact[i];

		if (strcmp(fact->name, "cpu.l1d.ways"))
			continue;
		fact->value = 16;
		fact->high = 32;
	}
	text = text_of(&report, &style);
	assert_non_null(strstr(text, "16 ways (claimed 8)"));
	free(text);
	mp_report_free(&report);
}

static void an_empty_report_is_a_page_too(void **state)
{
	const struct mp_style style = { 0 };
	struct mp_report report;
	char *text;

	(void)state;
	mp_report_init(&report);
	text = text_of(&report, &style);
	assert_non_null(strstr(text, "\nfacts\nnone\n"));
	assert_non_null(strstr(text, "\nnone: nothing is claimed\n"));
	mp_report_free(&report);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_in_unicode_is_the_one_looked_at),
		cmocka_unit_test(the_page_in_ascii_is_the_one_looked_at),
		cmocka_unit_test(
			all_but_the_lines_of_fixed_form_fits_in_80_columns),
		cmocka_unit_test(a_label_stands_at_the_top_and_at_each_table),
		cmocka_unit_test(every_fact_has_a_line_of_fixed_form),
		cmocka_unit_test(colours_are_only_where_they_are_wanted),
		cmocka_unit_test(the_text_of_a_report_read_back_is_the_same),
		cmocka_unit_test(each_place_has_its_own_picture),
		cmocka_unit_test(a_count_is_as_claimed_where_it_is_the_claim),
		cmocka_unit_test(an_empty_report_is_a_page_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
