// SPDX-License-Identifier: GPL-2.0
/*
 * The page that explains a fact. Five parts, in the order in which one
 * doubts: what is said, what was done, what was seen, how the one follows
 * from the other, and what could overturn it.
 */
#include "cmd_explain_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_explain_change.h"
#include "report/format.h"
#include "report/page.h"
#include "utf8.h"

#define LINE_ROOM 1024
#define NAME_WIDTH 24
/* The series that shows where levels end, for facts that name none. */
#define CURVE "cpu.latency"
/* Points of a series on either side of the answer, in octaves. */
#define NEAR 1.0
/* Longer than any ring. */
#define LONGEST 1e18

struct page {
	FILE *out;
	const struct mp_report *report;
	const struct mp_fact *fact;
	const struct mp_style *style;
	const struct mp_kind *kind;
	const struct mp_probe *probe;
	struct mp_evidence evidence;
};

/* A heading of the page. */
#define heading(page, ...)                                                 \
	mp_page_heading((page)->out, (page)->report, (page)->style, __VA_ARGS__)

static const char *verdict_words(uint32_t verdict)
{
	static const char *const words[MP_VERDICTS] = {
		[MP_MEASURED] = "this is it",
		[MP_AT_LEAST] = "the experiments could reach no further",
		[MP_AT_MOST] = "the experiments could reach no further",
		[MP_ABSENT] = "it was looked for and is not there",
		[MP_VARIES] = "it moved, or has no single value: the range seen",
		[MP_DISPUTED] = "two estimators differ",
		[MP_NOT_MEASURABLE] = "it cannot be known here",
	};

	return words[verdict < MP_VERDICTS ? verdict : MP_NOT_MEASURABLE];
}

/* -- the answer ------------------------------------------------------------ */

static void say_value(const struct mp_fact *fact, bool utf8, char *line)
{
	char value[MP_FORMAT_ROOM], range[MP_FORMAT_ROOM];
	size_t used;

	if (!mp_verdict_known(fact->verdict)) {
		snprintf(line, LINE_ROOM, "%s",
			 mp_verdict_name(fact->verdict));
		return;
	}
	used = (size_t)snprintf(line, LINE_ROOM, "%s%s, %s",
				mp_format_fact(value, fact, utf8),
				mp_format_counted(fact->unit),
				mp_verdict_name(fact->verdict));
	if (!fact->is_text && fact->low < fact->high)
		snprintf(line + used, LINE_ROOM - used, ", %s %s",
			 fact->verdict == MP_VARIES ? "seen" : "limits",
			 mp_format_range(range, fact->low, fact->high,
					 fact->unit));
}

/* How the claim stands to it. */
static const char *agreement(const struct mp_report *report,
			     const struct mp_fact *fact)
{
	if (fact->is_text || fact->verdict == MP_NOT_MEASURABLE)
		return "not to be compared";
	if (mp_report_disagreement(report, fact))
		return "they disagree";
	return fact->verdict == MP_MEASURED || fact->verdict == MP_ABSENT ?
	       "they agree" : "they do not contradict each other";
}

static void say_answer(const struct mp_report *report,
		       const struct mp_fact *fact,
		       const struct mp_style *style, char line[LINE_ROOM])
{
	char claim[MP_FORMAT_ROOM];
	size_t used;

	say_value(fact, style->utf8, line);
	used = strlen(line);
	if (!fact->claim.known)
		return;
	mp_format_human(claim, fact->claim.value, fact->unit);
	snprintf(line + used, LINE_ROOM - used, "; claimed %s%s by %s: %s",
		 claim, mp_format_counted(fact->unit), fact->claim.source,
		 agreement(report, fact));
}

static void answer(struct page *page)
{
	const struct mp_fact *fact = page->fact;
	char line[LINE_ROOM], where[MP_FORMAT_WHERE];

	heading(page, "%s (%s)", fact->name,
		mp_format_where(where, &fact->where));
	say_answer(page->report, fact, page->style, line);
	mp_utf8_wrap(page->out, 0, 2, line);
	snprintf(line, sizeof(line), "%s is %s. Verdict %s: %s.", fact->name,
		 page->kind->is, mp_verdict_name(fact->verdict), verdict_words(fact->verdict));
	mp_utf8_wrap(page->out, 0, 0, line);
	if (!fact->claim.known)
		fputs("The system claims nothing of it.\n", page->out);
	if (fact->reason[0]) {
		fputs("why: ", page->out);
		mp_utf8_wrap(page->out, 5, 5, fact->reason);
	}
}

/* -- the experiment -------------------------------------------------------- */

static void experiment(struct page *page)
{
	const struct mp_report_run *run = &page->report->run;
	const struct mp_evidence *evidence = &page->evidence;
	char line[LINE_ROOM], node[32] = "any node";

	heading(page, "The experiment");
	if (page->probe)
		snprintf(line, sizeof(line), "Probe %s asked: %s",
			 page->probe->name, page->probe->asks);
	else
		snprintf(line, sizeof(line), "No probe of this version answers it: the report is of memprobe %s.",
			 page->report->version);
	mp_utf8_wrap(page->out, 0, 0, line);
	if (run->node >= 0)
		snprintf(node, sizeof(node), "node %d", run->node);
	snprintf(line, sizeof(line), "Measured by backend %s on CPU %u, memory of %s, depth %s, seed %llu.",
		 run->backend, run->cpu, node, run->depth,
		 (unsigned long long)run->seed);
	mp_utf8_wrap(page->out, 0, 0, line);
	mp_evidence_done(page->out, evidence);
	if (evidence->absent) {
		snprintf(line, sizeof(line), "%u experiment%s that it names %s not in the report%s.",
			 evidence->absent, evidence->absent == 1 ? "" : "s",
			 evidence->absent == 1 ? "is" : "are",
			 page->report->n_experiments ?
			 ": planned, and never made" :
			 ", which a version wrote that kept none: measure again for more");
		mp_utf8_wrap(page->out, 0, 0, line);
	}
	if (evidence->full)
		fprintf(page->out, "A fact names %d experiments at most: it may rest on more.\n",
			MP_FACT_EVIDENCE);
	if (!page->fact->n_evidence)
		fputs("It names no experiment that it rests on.\n", page->out);
}

/* -- the evidence ---------------------------------------------------------- */

static const struct mp_series *series_of(const struct page *page)
{
	const struct mp_facts *facts = &page->report->facts;
	const char *name = page->fact->series;

	if (!name[0] && page->kind->wants & MP_WANTS_CURVE)
		name = CURVE;
	for (uint32_t i = 0; name[0] && i < facts->n_series; i++)
		if (strcmp(facts->series[i].name, name) == 0 &&
		    mp_where_equal(&facts->series[i].where,
				   &page->fact->where))
			return &facts->series[i];
	return NULL;
}

static bool is_near(const struct page *page, const struct mp_point *point)
{
	const struct mp_fact *fact = page->fact;

	return point->x > 0 && fact->value > 0 &&
	       fabs(log2(point->x / fact->value)) <= NEAR;
}

/* The points of a curve round an answer in bytes. */
static void points(const struct page *page, const struct mp_series *series)
{
	char x[MP_FORMAT_ROOM], value[MP_FORMAT_ROOM], range[MP_FORMAT_ROOM];

	if (strcmp(page->fact->unit, series->x_unit) != 0 ||
	    !mp_verdict_known(page->fact->verdict))
		return;
	fprintf(page->out, "%10s %9s  %-18s replicates\n", series->x_name,
		series->unit, "least .. most");
	for (uint32_t i = 0; i < series->n; i++) {
		const struct mp_point *point = &series->point[i];

		if (!is_near(page, point))
			continue;
		mp_format_human(x, point->x, series->x_unit);
		mp_format_human(value, point->value, "");
		mp_format_range(range, point->low, point->high, "");
		fprintf(page->out, "%10s %9s  %-18s %u\n", x, value, range,
			point->n);
	}
}

/* The footprint that matters: of a size the answer, of one that was not found
 * the longest. */
static double near_bytes(const struct page *page)
{
	const struct mp_fact *fact = page->fact;

	if (!(page->kind->wants & MP_WANTS_CURVE) ||
	    strcmp(fact->unit, "bytes") != 0)
		return NAN;
	if (fact->verdict == MP_ABSENT)
		return LONGEST;
	return mp_verdict_known(fact->verdict) && fact->value > 0 ?
	       fact->value : NAN;
}

static void evidence(struct page *page)
{
	const struct mp_series *series = series_of(page);

	heading(page, "The evidence");
	if (page->evidence.n) {
		mp_utf8_wrap(page->out, 0, 0, page->kind->table);
		mp_evidence_seen(page->out, &page->evidence,
				 near_bytes(page));
	} else if (series) {
		points(page, series);
	} else {
		fputs("The report has no measurements behind it.\n",
		      page->out);
	}
	if (series && mp_page_has_curve(series))
		mp_page_curve(page->out, page->report, series, page->style);
}

/* -- how one follows from the other ---------------------------------------- */

static void estimator(struct page *page)
{
	char line[LINE_ROOM];

	heading(page, "The estimator");
	if (page->fact->method[0]) {
		fputs("how: ", page->out);
		mp_utf8_wrap(page->out, 5, 5, page->fact->method);
	}
	mp_utf8_wrap(page->out, 0, 0, page->kind->estimator);
	snprintf(line, sizeof(line), "More: Documentation/how-it-knows.md#%s (%s)",
		 page->kind->anchor, page->kind->section);
	mp_utf8_wrap(page->out, 0, 2, line);
}

static void change(struct page *page)
{
	const struct mp_doubted doubted = {
		.report = page->report, .fact = page->fact,
		.kind = page->kind, .probe = page->probe,
		.evidence = &page->evidence,
	};

	heading(page, "What would change the answer");
	mp_change_write(page->out, &doubted);
}

void mp_explain_write(FILE *out, const struct mp_report *report,
		      const struct mp_fact *fact,
		      const struct mp_style *style)
{
	static struct page page;

	page = (struct page){
		.out = out, .report = report, .fact = fact, .style = style,
		.kind = mp_kind_of(fact->name), .probe = mp_probe_of_fact(fact->name),
	};
	mp_evidence_find(report, fact, &page.evidence);
	answer(&page);
	experiment(&page);
	evidence(&page);
	estimator(&page);
	change(&page);
}

void mp_explain_brief(FILE *out, const struct mp_report *report,
		      const struct mp_fact *fact,
		      const struct mp_style *style)
{
	char line[LINE_ROOM];
	int column;

	say_answer(report, fact, style, line);
	column = fprintf(out, "%-*s ", NAME_WIDTH, fact->name);
	mp_utf8_wrap(out, column, NAME_WIDTH + 1, line);
}
