// SPDX-License-Identifier: GPL-2.0
/*
 * The experiments that a fact names, as a report tells them: a table of what
 * each of them saw. What was done is put into words in cmd_explain_done.c.
 */
#include "cmd_explain_evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_evidence.h"
#include "report/format.h"

#define ROWS_MAX 16u
/* Of an id, enough to know it by. */
#define ID_SHOWN 8

const struct mp_actor *
mp_evidence_measured(const struct mp_evidence_item *item)
{
	return &item->exp.actor[item->actor];
}

/* The load beside what is measured, NULL where there is none. */
static const struct mp_actor *load_of(const struct mp_evidence_item *item)
{
	const uint32_t phase = mp_evidence_measured(item)->phase;
	const struct mp_actor *load = NULL;

	for (uint32_t i = 0; item->known && i < item->exp.n_actors; i++)
		if (item->exp.actor[i].background &&
		    item->exp.actor[i].phase == phase)
			load = &item->exp.actor[i];
	return load;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_shape(const void *a, const void *b)
{
	const struct mp_evidence_item *one = a, *other = b;
	const struct mp_actor *left = mp_evidence_measured(one);
	const struct mp_actor *right = mp_evidence_measured(other);
	const struct mp_actor *load = load_of(one), *beside = load_of(other);
	int order;

	order = compare(left->op, right->op);
	if (!order)
		order = compare(left->stride, right->stride);
	if (!order)
		order = compare(left->length, right->length);
	if (!order)
		order = compare(load ? load->place : 0,
				beside ? beside->place : 0);
	return order ? order : compare(one->told->id, other->told->id);
}

/* The report may come from anywhere: no index out of it is followed. */
static bool is_sound(const struct mp_exp *exp)
{
	for (uint32_t i = 0; i < exp->n_actors; i++)
		if (exp->actor[i].arena >= exp->n_arenas ||
		    !exp->actor[i].stride)
			return false;
	return exp->n_actors > 0;
}

static void add(const struct mp_report_exp *told,
		struct mp_evidence *evidence)
{
	struct mp_evidence_item *item = &evidence->item[evidence->n++];

	item->told = told;
	item->known = told->text &&
		      mp_exp_parse(&item->exp, told->text, NULL, 0) == 0 &&
		      is_sound(&item->exp);
	if (!item->known)
		mp_exp_init(&item->exp);
	item->actor = item->known ? mp_evidence_actor(&item->exp) : 0;
	evidence->batches += told->batches;
	evidence->counted += told->counted;
	evidence->disturbed += told->disturbed;
	evidence->failed += told->failed;
	evidence->bursts += told->bursts;
	evidence->calm += told->calm;
	if (told->counted > evidence->most_counted)
		evidence->most_counted = told->counted;
}

void mp_evidence_find(const struct mp_report *report,
		      const struct mp_fact *fact, struct mp_evidence *evidence)
{
	memset(evidence, 0, sizeof(*evidence));
	evidence->full = fact->n_evidence == MP_FACT_EVIDENCE;
	for (uint32_t i = 0; i < fact->n_evidence; i++) {
		const struct mp_report_exp *told;

		told = mp_report_exp(report, fact->evidence[i]);
		if (told)
			add(told, evidence);
		else
			evidence->absent++;
	}
	qsort(evidence->item, evidence->n, sizeof(evidence->item[0]),
	      by_shape);
}

bool mp_evidence_has(const struct mp_evidence *evidence, const char *pages)
{
	for (uint32_t i = 0; i < evidence->n; i++)
		if (strcmp(evidence->item[i].told->pages, pages) == 0)
			return true;
	return false;
}

/* How far a row lies from the footprint that matters, in octaves. */
static double distance(const struct mp_evidence_item *item, double near_bytes)
{
	const double bytes = (double)mp_evidence_measured(item)->length;

	return fabs(log2(bytes / near_bytes));
}

/* How many rows lie nearer than this one; of equals the first counts. */
static uint32_t rank_of(const struct mp_evidence *evidence, uint32_t i,
			double near_bytes)
{
	const double far = distance(&evidence->item[i], near_bytes);
	uint32_t rank = 0;

	if (isnan(near_bytes))
		return i;
	for (uint32_t k = 0; k < evidence->n; k++) {
		const double other = distance(&evidence->item[k], near_bytes);

		rank += other < far || (other == far && k < i);
	}
	return rank;
}

static void hop_cells(FILE *out, const struct mp_report_exp *told)
{
	char hop[MP_FORMAT_ROOM], range[MP_FORMAT_ROOM];

	mp_format_human(hop, told->hop_ns, "");
	mp_format_range(range, told->hop_low_ns, told->hop_high_ns, "");
	fprintf(out, "%9s  %s\n", hop, range);
}

static void row(FILE *out, const struct mp_evidence_item *item, bool loads)
{
	const struct mp_actor *actor = mp_evidence_measured(item);
	const struct mp_actor *load = load_of(item);
	char length[MP_FORMAT_ROOM] = "?", stride[MP_FORMAT_ROOM] = "?";
	char slots[MP_FORMAT_ROOM] = "?", count[MP_FORMAT_ROOM];

	if (item->known) {
		mp_format_human(length, (double)actor->length, "bytes");
		mp_format_human(stride, (double)actor->stride, "bytes");
		snprintf(slots, sizeof(slots), "%llu", (unsigned long long)
			 (actor->length / actor->stride));
	}
	if (loads && item->known)
		snprintf(slots, sizeof(slots), "-");
	if (loads && load)
		snprintf(slots, sizeof(slots), "CPU %u", load->place);
	snprintf(count, sizeof(count), "%u of %u", item->told->counted,
		 item->told->batches);
	fprintf(out, "%0*llx %10s %9s %8s  %-6s %8s", ID_SHOWN,
		(unsigned long long)(item->told->id >> 32), length, stride,
		slots, item->told->pages[0] ? item->told->pages : "-", count);
	hop_cells(out, item->told);
}

void mp_evidence_seen(FILE *out, const struct mp_evidence *evidence,
		      double near_bytes)
{
	bool loads = false;

	for (uint32_t i = 0; i < evidence->n; i++)
		loads |= load_of(&evidence->item[i]) != NULL;
	fprintf(out, "%-*s %10s %9s %8s  %-6s %8s%9s  %s\n", ID_SHOWN, "id",
		"footprint", "stride", loads ? "load on" : "slots", "pages",
		"count", "ns a hop", "least .. most");
	for (uint32_t i = 0; i < evidence->n; i++)
		if (rank_of(evidence, i, near_bytes) < ROWS_MAX)
			row(out, &evidence->item[i], loads);
	if (evidence->n > ROWS_MAX)
		fprintf(out, "and %u more: .experiments of the report has them all\n",
			evidence->n - ROWS_MAX);
}
