// SPDX-License-Identifier: GPL-2.0
/*
 * Several reports side by side: the same questions, answered under different
 * conditions. Nothing is compared here; that is left to who reads it.
 */
#include "report/beside.h"

#include <string.h>

#include "report/format.h"
#include "utf8.h"

#define INDENT 2
#define CELL_ROOM 256
/* The condition that tells what a window was. */
#define WINDOW "window"

struct table {
	FILE *out;
	const struct mp_report *report;
	const char *const *name;
	uint32_t n;
	const struct mp_style *style;
};

/* What stands in a column of a line: "" for nothing. */
typedef void cell_fn(const struct table *table, uint32_t column,
		     const char *fact, char cell[CELL_ROOM]);

static int width_of(const struct table *table)
{
	return (MP_COLUMNS - 1 - INDENT) / (int)table->n;
}

/* Bytes of the longest beginning of so many columns. */
static int fit(const char *text, int columns)
{
	int bytes = 0;

	while (text[bytes]) {
		if (((unsigned char)text[bytes] & 0xc0) != 0x80 &&
		    columns-- == 0)
			break;
		bytes++;
	}
	return bytes;
}

static bool is_empty(const struct table *table, const char *fact,
		     cell_fn *fill)
{
	char cell[CELL_ROOM];

	for (uint32_t i = 0; i < table->n; i++) {
		cell[0] = '\0';
		fill(table, i, fact, cell);
		if (cell[0])
			return false;
	}
	return true;
}

/* One line of all columns; what is too wide is cut. No line of nothing. */
static void line(const struct table *table, const char *fact, cell_fn *fill,
		 enum mp_ink ink)
{
	const int width = width_of(table) - 1;
	char cell[CELL_ROOM];
	int pad = INDENT;

	if (is_empty(table, fact, fill))
		return;
	for (uint32_t i = 0; i < table->n; i++) {
		int bytes;

		cell[0] = '\0';
		fill(table, i, fact, cell);
		bytes = fit(cell, width);
		cell[bytes] = '\0';
		if (cell[0]) {
			fprintf(table->out, "%*s%s%s%s", pad, "",
				mp_style_on(table->style, ink), cell,
				mp_style_off(table->style));
			pad = 0;
		}
		pad += width + 1 - mp_utf8_width(cell);
	}
	fputc('\n', table->out);
}

static void title(const struct table *table, const char *text)
{
	fprintf(table->out, "\n%s%s%s\n",
		mp_style_on(table->style, MP_INK_TITLE), text,
		mp_style_off(table->style));
}

/* -- cells ---------------------------------------------------------------- */

static void name_cell(const struct table *table, uint32_t i, const char *fact,
		      char cell[CELL_ROOM])
{
	(void)fact;
	snprintf(cell, CELL_ROOM, "%s", table->name[i]);
}

static void backend_cell(const struct table *table, uint32_t i,
			 const char *fact, char cell[CELL_ROOM])
{
	const struct mp_report_run *run = &table->report[i].run;

	(void)fact;
	snprintf(cell, CELL_ROOM, "%s, CPU %u, %s", run->backend, run->cpu,
		 run->pages);
}

static void window_cell(const struct table *table, uint32_t i,
			const char *fact, char cell[CELL_ROOM])
{
	const struct mp_report *report = &table->report[i];

	(void)fact;
	for (uint32_t k = 0; k < report->n_conditions; k++) {
		const struct mp_text_pair *pair = &report->condition[k];

		if (strcmp(pair->key, WINDOW) == 0)
			snprintf(cell, CELL_ROOM, "%.*s",
				 (int)strcspn(pair->text, ","), pair->text);
	}
}

static void noise_cell(const struct table *table, uint32_t i, const char *fact,
		       char cell[CELL_ROOM])
{
	const struct mp_report_run *run = &table->report[i].run;

	(void)fact;
	snprintf(cell, CELL_ROOM, "%u of %u", run->disturbed, run->batches);
}

static const struct mp_fact *fact_of(const struct table *table, uint32_t i,
				     const char *fact)
{
	return mp_report_fact(&table->report[i], fact, NULL);
}

static void value_cell(const struct table *table, uint32_t i,
		       const char *name, char cell[CELL_ROOM])
{
	const struct mp_fact *fact = fact_of(table, i, name);
	char value[MP_FORMAT_ROOM];
	bool has_unit;

	mp_format_fact(value, fact, table->style->utf8);
	/* A number without a unit is cycles, entries, ways or CPUs. */
	has_unit = !fact || !mp_verdict_known(fact->verdict) ||
		   fact->is_text || strchr(value, ' ');
	snprintf(cell, CELL_ROOM, "%s%s%s", fact ? value : "not asked",
		 has_unit ? "" : " ", has_unit ? "" : fact->unit);
}

static void limits_cell(const struct table *table, uint32_t i,
			const char *name, char cell[CELL_ROOM])
{
	const struct mp_fact *fact = fact_of(table, i, name);
	char range[MP_FORMAT_ROOM];

	if (fact && !fact->is_text && mp_verdict_known(fact->verdict))
		snprintf(cell, CELL_ROOM, "%s",
			 mp_format_range(range, fact->low, fact->high,
					 fact->unit));
}

static void verdict_cell(const struct table *table, uint32_t i,
			 const char *name, char cell[CELL_ROOM])
{
	const struct mp_fact *fact = fact_of(table, i, name);

	if (fact && fact->verdict != MP_MEASURED && fact->verdict != MP_ABSENT)
		snprintf(cell, CELL_ROOM, "%s", mp_verdict_name(fact->verdict));
}

/* -- the table ------------------------------------------------------------ */

static void head(const struct table *table)
{
	char label[MP_REPORT_WORD + MP_HOST_TEXT + 64];

	fprintf(table->out, "%s%s: %u reports of %s%s\n",
		mp_style_on(table->style, MP_INK_TITLE),
		table->report[0].tool, table->n, table->report[0].model,
		mp_style_off(table->style));
	for (uint32_t i = 0; i < table->n; i++) {
		const struct mp_report *report = &table->report[i];

		if (strcmp(report->model, table->report[0].model) != 0) {
			fprintf(table->out, "%.*s: of another machine: ",
				fit(table->name[i], 32), table->name[i]);
			mp_utf8_wrap(table->out, 0, INDENT, report->model);
		}
		if (!report->label[0])
			continue;
		snprintf(label, sizeof(label), "%.64s: [%s]", table->name[i],
			 report->label);
		fputs(mp_style_on(table->style, MP_INK_WARN), table->out);
		mp_utf8_wrap(table->out, 0, INDENT, label);
		fputs(mp_style_off(table->style), table->out);
	}
	fputc('\n', table->out);
	line(table, NULL, name_cell, MP_INK_TITLE);
	line(table, NULL, backend_cell, MP_INK_NONE);
	line(table, NULL, window_cell, MP_INK_NONE);
}

/* Has a report before this one, or this one further up, a fact so called? */
static bool is_told(const struct table *table, uint32_t i, uint32_t k)
{
	const struct mp_fact *fact = &table->report[i].facts.fact[k];

	for (uint32_t r = 0; r < i; r++)
		if (fact_of(table, r, fact->name))
			return true;
	return fact_of(table, i, fact->name) != fact;
}

void mp_beside_write(FILE *out, const struct mp_report *report,
		     const char *const *name, uint32_t n,
		     const struct mp_style *style)
{
	const struct table table = { out, report, name, n, style };

	head(&table);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < report[i].facts.n; k++) {
			const char *fact = report[i].facts.fact[k].name;

			if (is_told(&table, i, k))
				continue;
			title(&table, fact);
			line(&table, fact, value_cell, MP_INK_NONE);
			line(&table, fact, limits_cell, MP_INK_DIM);
			line(&table, fact, verdict_cell, MP_INK_WARN);
		}
	}
	title(&table, "batches disturbed");
	line(&table, NULL, noise_cell, MP_INK_NONE);
}
