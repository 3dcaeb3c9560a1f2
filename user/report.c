// SPDX-License-Identifier: GPL-2.0
/*
 * A report. Whatever is to be worked out from facts and claims is worked out
 * here, once, so that no two writers can differ.
 */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"
#include "version.h"

/* Above this a double no longer tells whole numbers apart. */
#define WHOLE_MAX 9007199254740992.0

void mp_report_init(struct mp_report *report)
{
	memset(report, 0, sizeof(*report));
	snprintf(report->tool, sizeof(report->tool), "memprobe");
	snprintf(report->version, sizeof(report->version), "%s", MP_VERSION);
	report->run.node = MP_NODE_ANY;
}

static void round_number(double *number)
{
	char text[40];

	if (!isfinite(*number)) {
		*number = NAN;
		return;
	}
	if (*number == floor(*number) && fabs(*number) < WHOLE_MAX)
		return;
	snprintf(text, sizeof(text), "%.*g", MP_REPORT_DIGITS, *number);
	*number = strtod(text, NULL);
}

static void settle_where(struct mp_where *where)
{
	for (uint32_t i = 0; i < where->n; i++) {
		mp_utf8_clean(where->key[i]);
		mp_utf8_clean(where->value[i]);
	}
}

/* A value that is no number is none: nothing may print it as one. */
static void settle_verdict(struct mp_fact *fact)
{
	if (!mp_verdict_known(fact->verdict) || fact->is_text ||
	    isfinite(fact->value))
		return;
	fact->verdict = MP_NOT_MEASURABLE;
	if (!fact->reason[0])
		snprintf(fact->reason, sizeof(fact->reason),
			 "the value that came out is not a finite number");
}

static void settle_fact(struct mp_fact *fact)
{
	double *const numbers[] = {
		&fact->value, &fact->low, &fact->high, &fact->confidence,
		&fact->claim.value,
	};

	settle_verdict(fact);
	/* A verdict that has no value has no limits either. */
	if (!mp_verdict_known(fact->verdict) || fact->is_text) {
		fact->value = NAN;
		fact->low = NAN;
		fact->high = NAN;
	}
	/* A bound on one side says nothing of the other. */
	if (fact->verdict == MP_AT_LEAST)
		fact->high = NAN;
	if (fact->verdict == MP_AT_MOST)
		fact->low = NAN;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		round_number(numbers[i]);
	if (!fact->claim.known || isnan(fact->claim.value))
		memset(&fact->claim, 0, sizeof(fact->claim));
	settle_where(&fact->where);
	mp_utf8_clean(fact->name);
	mp_utf8_clean(fact->unit);
	mp_utf8_clean(fact->text);
	mp_utf8_clean(fact->method);
	mp_utf8_clean(fact->reason);
	mp_utf8_clean(fact->claim.source);
	mp_utf8_clean(fact->series);
}

/* A point without a place or a value is no point. */
static void settle_points(struct mp_series *series)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < series->n; i++) {
		struct mp_point *point = &series->point[i];

		round_number(&point->x);
		round_number(&point->y);
		round_number(&point->value);
		round_number(&point->low);
		round_number(&point->high);
		if (isnan(point->x) || isnan(point->y) || isnan(point->value))
			continue;
		series->point[kept++] = *point;
	}
	series->n = kept;
}

static void settle_series(struct mp_series *series)
{
	settle_points(series);
	settle_where(&series->where);
	mp_utf8_clean(series->name);
	mp_utf8_clean(series->x_name);
	mp_utf8_clean(series->x_unit);
	mp_utf8_clean(series->y_name);
	mp_utf8_clean(series->y_unit);
	mp_utf8_clean(series->unit);
}

static void settle_run(struct mp_report_run *run)
{
	mp_utf8_clean(run->target);
	mp_utf8_clean(run->backend);
	mp_utf8_clean(run->probes);
	mp_utf8_clean(run->depth);
	mp_utf8_clean(run->pages);
	mp_utf8_clean(run->stop);
	mp_utf8_clean(run->started);
}

static void settle_machine(struct mp_report *report)
{
	uint32_t kept = 0;

	mp_utf8_clean(report->tool);
	mp_utf8_clean(report->version);
	mp_utf8_clean(report->model);
	mp_utf8_clean(report->label);
	for (uint32_t i = 0; i < report->n_claims; i++) {
		struct mp_host_claim *claim = &report->claim[i];

		round_number(&claim->value);
		mp_utf8_clean(claim->fact);
		mp_utf8_clean(claim->source);
		if (!isnan(claim->value))
			report->claim[kept++] = *claim;
	}
	report->n_claims = kept;
	for (uint32_t i = 0; i < report->n_conditions; i++) {
		mp_utf8_clean(report->condition[i].key);
		mp_utf8_clean(report->condition[i].text);
	}
}

static void settle_experiment(struct mp_report_exp *exp)
{
	round_number(&exp->hop_ns);
	round_number(&exp->hop_low_ns);
	round_number(&exp->hop_high_ns);
	mp_utf8_clean(exp->pages);
	if (exp->text)
		mp_utf8_clean(exp->text);
}

void mp_report_settle(struct mp_report *report)
{
	settle_machine(report);
	settle_run(&report->run);
	for (uint32_t i = 0; i < report->facts.n; i++)
		settle_fact(&report->facts.fact[i]);
	for (uint32_t i = 0; i < report->facts.n_series; i++)
		settle_series(&report->facts.series[i]);
	for (uint32_t i = 0; i < report->n_experiments; i++)
		settle_experiment(&report->experiment[i]);
	for (uint32_t i = 0; i < report->n_disagreements; i++) {
		struct mp_disagreement *one = &report->disagreement[i];

		round_number(&one->measured);
		round_number(&one->claimed);
		settle_where(&one->where);
		mp_utf8_clean(one->fact);
		mp_utf8_clean(one->source);
	}
}

struct mp_disagreement *mp_report_add_disagreement(struct mp_report *report)
{
	const uint32_t n = report->n_disagreements;
	struct mp_disagreement *grown;

	grown = reallocarray(report->disagreement, n + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	report->disagreement = grown;
	report->n_disagreements = n + 1;
	memset(&grown[n], 0, sizeof(grown[n]));
	return &grown[n];
}

struct mp_report_exp *mp_report_add_exp(struct mp_report *report)
{
	const uint32_t n = report->n_experiments;
	struct mp_report_exp *grown;

	grown = reallocarray(report->experiment, n + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	report->experiment = grown;
	report->n_experiments = n + 1;
	memset(&grown[n], 0, sizeof(grown[n]));
	grown[n].hop_ns = NAN;
	grown[n].hop_low_ns = NAN;
	grown[n].hop_high_ns = NAN;
	return &grown[n];
}

const struct mp_report_exp *mp_report_exp(const struct mp_report *report,
					  uint64_t id)
{
	for (uint32_t i = 0; i < report->n_experiments; i++)
		if (report->experiment[i].id == id)
			return &report->experiment[i];
	return NULL;
}

static int find_disagreements(struct mp_report *report)
{
	for (uint32_t i = 0; i < report->facts.n; i++) {
		const struct mp_fact *fact = &report->facts.fact[i];
		struct mp_disagreement *one;

		if (!mp_fact_disagrees(fact))
			continue;
		one = mp_report_add_disagreement(report);
		if (!one)
			return -ENOMEM;
		memcpy(one->fact, fact->name, sizeof(one->fact));
		one->where = fact->where;
		one->measured = fact->value;
		one->claimed = fact->claim.value;
		memcpy(one->source, fact->claim.source, sizeof(one->source));
	}
	return 0;
}

int mp_report_make(struct mp_report *report, const struct mp_host *host,
		   const struct mp_report_run *run, struct mp_facts *facts)
{
	mp_report_init(report);
	memcpy(report->model, host->model, sizeof(report->model));
	memcpy(report->label, host->label, sizeof(report->label));
	report->n_claims = host->n_claims;
	memcpy(report->claim, host->claim, sizeof(report->claim));
	report->n_conditions = host->n_conditions;
	memcpy(report->condition, host->condition, sizeof(report->condition));
	report->run = *run;
	report->facts = *facts;
	memset(facts, 0, sizeof(*facts));
	mp_report_settle(report);
	return find_disagreements(report);
}

const struct mp_disagreement *
mp_report_disagreement(const struct mp_report *report,
		       const struct mp_fact *fact)
{
	for (uint32_t i = 0; i < report->n_disagreements; i++) {
		const struct mp_disagreement *one = &report->disagreement[i];

		if (strcmp(one->fact, fact->name) == 0 &&
		    mp_where_equal(&one->where, &fact->where))
			return one;
	}
	return NULL;
}

static bool about_a_cpu(const struct mp_where *where)
{
	for (uint32_t i = 0; i < where->n; i++)
		if (strcmp(where->key[i], "cpus") == 0)
			return true;
	return false;
}

const struct mp_fact *mp_report_fact(const struct mp_report *report,
				     const char *name,
				     const struct mp_where *where)
{
	const struct mp_fact *other = NULL;

	for (uint32_t i = 0; i < report->facts.n; i++) {
		const struct mp_fact *fact = &report->facts.fact[i];

		if (strcmp(fact->name, name) != 0)
			continue;
		if (!where || mp_where_equal(&fact->where, where))
			return fact;
		if (!other && !about_a_cpu(&fact->where))
			other = fact;
	}
	return other;
}

void mp_report_free(struct mp_report *report)
{
	mp_facts_free(&report->facts);
	for (uint32_t i = 0; i < report->n_experiments; i++)
		free(report->experiment[i].text);
	free(report->experiment);
	free(report->disagreement);
	mp_report_init(report);
}
