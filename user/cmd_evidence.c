// SPDX-License-Identifier: GPL-2.0
/*
 * From the batches of a run to a few numbers an experiment. A report has
 * room for no more: a median and its range stand for what may be thousands
 * of bursts, and the slots of a sequence are counted, not listed.
 */
#include "cmd_evidence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"

#define MIXED "mixed"

/* What a hop took, replicate by replicate. */
struct hops {
	uint32_t n;
	double *ns;
};

uint32_t mp_evidence_actor(const struct mp_exp *exp)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < exp->n_actors; i++)
		if (!exp->actor[i].background &&
		    (exp->actor[last].background ||
		     exp->actor[i].phase >= exp->actor[last].phase))
			last = i;
	return last;
}

static int describe(const struct mp_exp *exp, struct mp_report_exp *out)
{
	struct mp_exp shorter = *exp;

	out->steps = shorter.n_steps;
	shorter.n_steps = 0;
	out->text = malloc(MP_EXP_TEXT);
	if (!out->text || mp_exp_print(&shorter, out->text, MP_EXP_TEXT) < 0)
		return -ENOMEM;
	return 0;
}

static void note_pages(const struct mp_batch *batch, struct mp_report_exp *out)
{
	for (uint32_t i = 0; i < batch->grant.n_arenas; i++) {
		const char *name = mp_pages_name(batch->grant.arena[i].pages);

		if (out->pages[0] && strcmp(out->pages, name) != 0)
			name = MIXED;
		snprintf(out->pages, sizeof(out->pages), "%s", name);
	}
}

static void note_batch(const struct mp_batch *batch, struct mp_report_exp *out,
		       struct hops *hops)
{
	const uint32_t actor = mp_evidence_actor(&batch->exp);
	double ns;

	out->batches++;
	out->bursts += batch->n_samples;
	for (uint32_t i = 0; i < batch->n_samples; i++)
		out->calm += mp_sample_calm(&batch->sample[i]);
	if (!mp_batch_counts(batch)) {
		out->failed += batch->error != 0;
		out->disturbed += batch->error == 0;
		return;
	}
	out->counted++;
	note_pages(batch, out);
	ns = mp_clock_ns(batch, mp_clock_hop_ticks(batch, actor));
	if (batch->exp.actor[actor].op == MP_OP_CHASE && isfinite(ns))
		hops->ns[hops->n++] = ns;
}

static int collect_one(const struct mp_run *run, uint64_t id,
		       struct mp_report *report)
{
	struct mp_report_exp *out = NULL;
	struct hops hops = { 0, calloc(run->n_batches + 1, sizeof(double)) };
	int err = hops.ns ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < run->n_batches && !err; i++) {
		if (run->batch[i]->id != id)
			continue;
		if (!out) {
			out = mp_report_add_exp(report);
			err = out ? describe(&run->batch[i]->exp, out) :
				    -ENOMEM;
		}
		if (!err)
			note_batch(run->batch[i], out, &hops);
	}
	if (out && !err) {
		out->id = id;
		out->hop_ns = mp_stat_median(hops.ns, hops.n);
		out->hop_low_ns = hops.n ? hops.ns[0] : NAN;
		out->hop_high_ns = hops.n ? hops.ns[hops.n - 1] : NAN;
	}
	free(hops.ns);
	return err;
}

int mp_evidence_collect(const struct mp_run *run, struct mp_report *report)
{
	int err = 0;

	for (uint32_t i = 0; i < report->facts.n && !err; i++) {
		const struct mp_fact *fact = &report->facts.fact[i];

		for (uint32_t k = 0; k < fact->n_evidence && !err; k++)
			if (!mp_report_exp(report, fact->evidence[k]))
				err = collect_one(run, fact->evidence[k],
						  report);
	}
	if (!err)
		mp_report_settle(report);
	return err;
}
