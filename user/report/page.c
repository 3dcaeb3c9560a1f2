// SPDX-License-Identifier: GPL-2.0
/* What the pages of a report share: the first lines, headings, curves over
 * footprint. What is no real machine is said in each of them. */
#include "report/page.h"

#include <stdarg.h>
#include <string.h>

#include "report/format.h"
#include "report/plot.h"
#include "utf8.h"

#define LINE_ROOM 1024
#define MARKS_MAX 8

/* Facts that a curve is marked with. */
struct mark_title {
	const char *fact;
	const char *title;
};

static const struct mark_title mark_titles[] = {
	{ "cpu.l1d.size", "L1d" }, { "cpu.l2.size", "L2" },
	{ "cpu.l3.size", "L3" },   { "cpu.l4.size", "L4" },
};

void mp_page_headline(FILE *out, const struct mp_report *report,
		      const struct mp_style *style)
{
	fprintf(out, "%s%s %s: %s%s\n", mp_style_on(style, MP_INK_TITLE),
		report->tool, report->version, report->model,
		mp_style_off(style));
	if (report->label[0])
		fprintf(out, "%s[%s]%s\n", mp_style_on(style, MP_INK_WARN),
			report->label, mp_style_off(style));
}

void mp_page_heading(FILE *out, const struct mp_report *report,
		     const struct mp_style *style, const char *format, ...)
{
	const char *label = report->label;
	char text[LINE_ROOM];
	int room;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(out, "\n%s%s%s", mp_style_on(style, MP_INK_TITLE), text,
		mp_style_off(style));
	if (label[0]) {
		room = MP_COLUMNS - 1 - mp_utf8_width(text) - 2 -
		       mp_utf8_width(label);
		fprintf(out, "%*s%s[%s]%s", room > 0 ? room : 1, "",
			mp_style_on(style, MP_INK_WARN), label,
			mp_style_off(style));
	}
	fputc('\n', out);
}

static uint32_t collect_marks(const struct mp_report *report,
			      const struct mp_series *series,
			      struct mp_plot_mark mark[MARKS_MAX])
{
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof(mark_titles) / sizeof(mark_titles[0]);
	     i++) {
		const struct mp_fact *fact;

		fact = mp_report_fact(report, mark_titles[i].fact,
				      &series->where);
		if (!fact || !mp_verdict_known(fact->verdict))
			continue;
		mark[n].x = fact->value;
		snprintf(mark[n].name, sizeof(mark[n].name), "%s",
			 mark_titles[i].title);
		n++;
	}
	return n;
}

bool mp_page_has_curve(const struct mp_series *series)
{
	return !series->y_name[0] && series->n >= 2 &&
	       strcmp(series->x_unit, "bytes") == 0;
}

void mp_page_curve(FILE *out, const struct mp_report *report,
		   const struct mp_series *series,
		   const struct mp_style *style)
{
	struct mp_plot_mark mark[MARKS_MAX];
	char where[MP_FORMAT_WHERE];
	uint32_t n;

	mp_page_heading(out, report, style, "%s (%s), %s by %s",
			series->name, mp_format_where(where, &series->where),
			series->unit, series->x_name);
	n = collect_marks(report, series, mark);
	if (mp_plot_draw(out, series, mark, n, style))
		fprintf(out, "no curve: too few points\n");
}
