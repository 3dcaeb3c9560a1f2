// SPDX-License-Identifier: GPL-2.0
/*
 * A report as text: the picture of the hierarchy, the curve, what else was
 * found, where measurement and claim differ, how noisy it was, under which
 * conditions, and every fact in one line of fixed form. What is no real
 * machine is said at the top and again at each table.
 */
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/picture.h"
#include "report/page.h"
#include "utf8.h"

#define LINE_ROOM 1024
#define LABEL_WIDTH 24

/* Facts that have better words than their name. */
struct row_title {
	const char *fact;
	const char *title;
};

static const struct row_title row_titles[] = {
	{ "cpu.dtlb.entries", "L1 data TLB, entries" },
	{ "cpu.stlb.entries", "L2 TLB, entries" },
	{ "cpu.stlb.hit-cost", "L2 TLB hit, cycles more" },
	{ "cpu.walk.cost", "page walk, cycles more" },
	{ "cpu.clock", "core clock" },
};

/* A heading of the page that @writer writes. */
#define heading(writer, ...)                                           \
	mp_page_heading((writer)->out, (writer)->report, (writer)->style,      \
			__VA_ARGS__)

struct writer {
	FILE *out;
	const struct mp_report *report;
	const struct mp_style *style;
};

static bool is_cpu_fact(const struct mp_fact *fact)
{
	return strncmp(fact->name, "cpu.", 4) == 0 && fact->where.n &&
	       strcmp(fact->where.key[0], "cpus") == 0;
}

/* The first fact of a place: facts of one place may lie anywhere. */
static bool first_of_place(const struct mp_report *report, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (is_cpu_fact(&report->facts.fact[k]) &&
		    mp_where_equal(&report->facts.fact[k].where,
				   &report->facts.fact[i].where))
			return false;
	return true;
}

static void pictures(const struct writer *writer)
{
	const struct mp_report *report = writer->report;

	for (uint32_t i = 0; i < report->facts.n; i++) {
		const struct mp_fact *fact = &report->facts.fact[i];

		if (!is_cpu_fact(fact) || !first_of_place(report, i))
			continue;
		heading(writer, "Memory hierarchy as CPU %s sees it",
			fact->where.value[0]);
		mp_picture_draw(writer->out, report, &fact->where,
				writer->style);
	}
}

static const char *row_title(const struct mp_fact *fact, char *room_for_name)
{
	for (size_t i = 0; i < sizeof(row_titles) / sizeof(row_titles[0]); i++)
		if (strcmp(row_titles[i].fact, fact->name) == 0)
			return row_titles[i].title;
	snprintf(room_for_name, LINE_ROOM, "%s%s%s", fact->name,
		 fact->unit[0] ? ", " : "", fact->unit);
	return room_for_name;
}

static void other_row(const struct writer *writer, const struct mp_fact *fact)
{
	char name[LINE_ROOM], value[MP_FORMAT_ROOM], range[MP_FORMAT_ROOM];
	char claim[MP_FORMAT_ROOM] = "";
	const char *mark, *title = row_title(fact, name);
	enum mp_ink ink;

	mp_format_fact(value, fact, writer->style->utf8);
	range[0] = '\0';
	if (mp_verdict_known(fact->verdict))
		mp_format_range(range, fact->low, fact->high, fact->unit);
	if (fact->claim.known)
		mp_format_human(claim, fact->claim.value, fact->unit);
	mark = mp_claim_mark(writer->report, fact, writer->style, &ink);
	fprintf(writer->out, "%s%*s%*s%s  %s%*s", title,
		LABEL_WIDTH - mp_utf8_width(title), "",
		9 - mp_utf8_width(value), "", value, range,
		17 - mp_utf8_width(range), "");
	fprintf(writer->out, "%9s %s%s%s%*s %s\n", claim,
		mp_style_on(writer->style, ink), mark,
		mp_style_off(writer->style), 2 - mp_utf8_width(mark), "",
		mp_verdict_name(fact->verdict));
}

/* Whatever the picture does not show. */
static void other_facts(const struct writer *writer)
{
	const struct mp_facts *facts = &writer->report->facts;
	bool any = false;

	for (uint32_t i = 0; i < facts->n; i++) {
		if (mp_picture_has(facts->fact[i].name))
			continue;
		if (!any) {
			heading(writer, "Address translation, clock and more");
			fprintf(writer->out, "%*s%9s  %-17s%9s    %s\n",
				LABEL_WIDTH, "", "measured", "95 % interval",
				"claimed", "verdict");
		}
		any = true;
		other_row(writer, &facts->fact[i]);
	}
}

static void curves(const struct writer *writer)
{
	const struct mp_facts *facts = &writer->report->facts;

	for (uint32_t i = 0; i < facts->n_series; i++)
		if (mp_page_has_curve(&facts->series[i]))
			mp_page_curve(writer->out, writer->report,
				       &facts->series[i], writer->style);
}

/* One finding, in words. */
static void disagreement_words(const struct mp_report *report,
			       const struct mp_disagreement *one, char *line)
{
	const struct mp_fact *fact;
	char measured[MP_FORMAT_ROOM], range[MP_FORMAT_ROOM];
	char claimed[MP_FORMAT_ROOM], limits[MP_FORMAT_ROOM + 4] = "";

	fact = mp_report_fact(report, one->fact, &one->where);
	mp_format_human(claimed, one->claimed, fact ? fact->unit : "");
	if (!fact || !mp_verdict_known(fact->verdict)) {
		snprintf(line, LINE_ROOM,
			 "%s: %s claims %s, but it was found absent",
			 one->fact, one->source, claimed);
		return;
	}
	if (fact->low < fact->high)
		snprintf(limits, sizeof(limits), ", %s",
			 mp_format_range(range, fact->low, fact->high,
					 fact->unit));
	mp_format_human(measured, one->measured, fact->unit);
	snprintf(line, LINE_ROOM, "%s: %s claims %s, but %s was found (%s%s)",
		 one->fact, one->source, claimed, measured,
		 mp_verdict_name(fact->verdict), limits);
}

static void disagreements(const struct writer *writer)
{
	const struct mp_report *report = writer->report;
	char line[LINE_ROOM];

	heading(writer, "Disagreements");
	for (uint32_t i = 0; i < report->n_disagreements; i++) {
		disagreement_words(report, &report->disagreement[i], line);
		fprintf(writer->out, "%s!%s ",
			mp_style_on(writer->style, MP_INK_WARN),
			mp_style_off(writer->style));
		mp_utf8_wrap(writer->out, 2, 2, line);
	}
	if (!report->n_disagreements)
		fprintf(writer->out, "none: %s\n", report->n_claims ?
			"nothing measured contradicts what the system claims" :
			"nothing is claimed");
}

static const char *stop_words(const char *stop)
{
	if (strcmp(stop, "time") == 0)
		return "the time limit was reached";
	if (strcmp(stop, "signal") == 0)
		return "it was interrupted; what follows is what was known then";
	return "complete";
}

static void run_summary(const struct writer *writer)
{
	const struct mp_report_run *run = &writer->report->run;
	char spent[MP_FORMAT_ROOM], budget[MP_FORMAT_ROOM], node[32] = "any";
	char line[LINE_ROOM];

	if (run->node >= 0)
		snprintf(node, sizeof(node), "%d", run->node);
	heading(writer, "Run");
	snprintf(line, sizeof(line),
		 "%s: target %s, backend %s, CPU %u, node %s, pages %s%s, depth %s, seed %llu, time limit %u s, probes %s",
		 stop_words(run->stop), run->target, run->backend, run->cpu,
		 node, run->pages, run->pages_forced ? " (forced)" : "",
		 run->depth, (unsigned long long)run->seed,
		 run->time_limit_s, run->probes);
	mp_utf8_wrap(writer->out, 0, 2, line);
	mp_format_human(spent, (double)run->cost_ns, "ns");
	mp_format_human(budget, (double)run->budget_ns, "ns");
	snprintf(line, sizeof(line),
		 "noise: %u batches, %u count, %u disturbed, %u failed; %u measured again, %u given up; took %s (budget %s)",
		 run->batches, run->counted, run->disturbed, run->failed,
		 run->repeats, run->given_up, spent, budget);
	mp_utf8_wrap(writer->out, 0, 2, line);
}

static void conditions(const struct writer *writer)
{
	const struct mp_report *report = writer->report;

	if (!report->n_conditions)
		return;
	heading(writer, "Conditions");
	for (uint32_t i = 0; i < report->n_conditions; i++) {
		const struct mp_text_pair *pair = &report->condition[i];
		int column;

		column = fprintf(writer->out, "%-20s ", pair->key);
		mp_utf8_wrap(writer->out, column, 21, pair->text);
	}
}

/* The line of fixed form. */
static void fact_line(const struct writer *writer, const struct mp_fact *fact)
{
	char value[MP_FORMAT_ROOM], low[MP_FORMAT_ROOM], high[MP_FORMAT_ROOM];
	const bool text = fact->is_text && mp_verdict_known(fact->verdict);

	fprintf(writer->out, "%s: %s %s [%s .. %s] %s", fact->name,
		text ? fact->text : mp_format_plain(value, fact->value),
		fact->unit[0] ? fact->unit : "-",
		mp_format_plain(low, fact->low),
		mp_format_plain(high, fact->high),
		mp_verdict_name(fact->verdict));
	if (fact->claim.known)
		fprintf(writer->out, ", claimed %s (%s)",
			mp_format_plain(value, fact->claim.value),
			fact->claim.source);
	if (!isnan(fact->confidence))
		fprintf(writer->out, ", confidence %s",
			mp_format_plain(value, fact->confidence));
	fputc('\n', writer->out);
}

static void fact_detail(const struct writer *writer,
			const struct mp_fact *fact)
{
	if (fact->reason[0]) {
		fputs("  why: ", writer->out);
		mp_utf8_wrap(writer->out, 7, 7, fact->reason);
	}
	if (!writer->style->verbose)
		return;
	if (fact->method[0]) {
		fputs("  how: ", writer->out);
		mp_utf8_wrap(writer->out, 7, 7, fact->method);
	}
	if (fact->n_evidence) {
		char line[MP_FACT_EVIDENCE * 17 + 1] = "";
		size_t used = 0;

		for (uint32_t i = 0; i < fact->n_evidence; i++)
			used += (size_t)snprintf(
				line + used, sizeof(line) - used,
				"%s%016llx", i ? " " : "",
				(unsigned long long)fact->evidence[i]);
		fputs("  from experiments: ", writer->out);
		mp_utf8_wrap(writer->out, 20, 7, line);
	}
}

static void fact_lines(const struct writer *writer)
{
	const struct mp_facts *facts = &writer->report->facts;
	char where[MP_FORMAT_WHERE];

	for (uint32_t i = 0; i < facts->n; i++) {
		const struct mp_fact *fact = &facts->fact[i];

		if (i == 0 ||
		    !mp_where_equal(&fact->where, &facts->fact[i - 1].where))
			heading(writer, "facts (%s)",
				mp_format_where(where, &fact->where));
		fact_line(writer, fact);
		fact_detail(writer, fact);
	}
	if (!facts->n) {
		heading(writer, "facts");
		fprintf(writer->out, "none\n");
	}
}

void mp_text_write(FILE *out, const struct mp_report *report,
		   const struct mp_style *style)
{
	const struct writer writer = { out, report, style };

	mp_page_headline(out, report, style);
	pictures(&writer);
	other_facts(&writer);
	curves(&writer);
	disagreements(&writer);
	run_summary(&writer);
	conditions(&writer);
	fact_lines(&writer);
}
