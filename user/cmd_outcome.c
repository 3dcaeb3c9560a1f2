// SPDX-License-Identifier: GPL-2.0
/* What became of a run: words for the report, and the exit code. */
#include "cmd_outcome.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "exp.h"
#include "why.h"

#define TARGET "cpu"
#define NS_PER_S 1000000000ull
/* With fewer disturbed batches than one in so many, it was time that lacked. */
#define CALM 10u
/* The facts that decide. */
#define L1 "cpu.l1d.size"
#define L2 "cpu.l2.size"

/* A clock that is not real has no date. */
static void describe_time(const struct mp_run *run, time_t started,
			  struct mp_report_run *out)
{
	struct tm utc;

	if (mp_host_lives(&run->host) && gmtime_r(&started, &utc))
		strftime(out->started, sizeof(out->started),
			 "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void mp_outcome_describe(const struct mp_run *run, const char *backend,
			 time_t started, bool late, struct mp_report_run *out)
{
	uint32_t stop = run->stop;

	if (stop == MP_STOP_SIGNAL && late)
		stop = MP_STOP_TIME;
	memset(out, 0, sizeof(*out));
	snprintf(out->target, sizeof(out->target), TARGET);
	snprintf(out->backend, sizeof(out->backend), "%s", backend);
	snprintf(out->probes, sizeof(out->probes), "%s", run->probes);
	snprintf(out->depth, sizeof(out->depth), "%s", mp_depth_name(run->depth));
	snprintf(out->pages, sizeof(out->pages), "%s",
		 mp_pages_name(run->host.pages));
	snprintf(out->stop, sizeof(out->stop), "%s", mp_run_stop_name(stop));
	describe_time(run, started, out);
	out->seed = run->seed;
	out->cpu = run->host.cpu;
	out->node = run->host.node;
	out->pages_forced = run->host.pages_forced;
	out->time_limit_s = (uint32_t)(run->limit_ns / NS_PER_S);
	out->budget_ns = run->budget_ns;
	out->calm_ns = run->calm_ns;
	out->cost_ns = run->cost_ns;
	out->batches = run->n_batches;
	out->counted = run->n_counted;
	out->disturbed = run->n_disturbed;
	out->failed = run->n_failed;
	out->repeats = run->n_repeats;
	out->given_up = run->n_given_up;
}

static bool asked(const struct mp_report *report, const char *name)
{
	return mp_report_fact(report, name, NULL);
}

/* What was not seen may just have been missed where replicates are missing. */
static bool answered(const struct mp_report *report, const char *name)
{
	const struct mp_fact *fact = mp_report_fact(report, name, NULL);

	if (!fact)
		return false;
	if (fact->verdict == MP_ABSENT)
		return !report->run.given_up;
	return mp_verdict_known(fact->verdict);
}

static bool any_known(const struct mp_report *report)
{
	for (uint32_t i = 0; i < report->facts.n; i++)
		if (mp_verdict_known(report->facts.fact[i].verdict))
			return true;
	return false;
}

int mp_outcome_judge(const struct mp_report *report, char *why, size_t room)
{
	const struct mp_report_run *run = &report->run;
	const bool out_of_time = strcmp(run->stop, "time") == 0 &&
				 run->disturbed * CALM < run->batches;
	const bool broken_off = out_of_time ||
				strcmp(run->stop, "signal") == 0;

	if (room)
		why[0] = '\0';
	if (answered(report, L1) || answered(report, L2))
		return MP_EXIT_DONE;
	if (any_known(report) &&
	    (broken_off || (!asked(report, L1) && !asked(report, L2))))
		return MP_EXIT_DONE;
	if (out_of_time)
		return mp_why(why, room, MP_EXIT_NOTHING,
			      "out of time before anything could be answered: give --time-limit more");
	if (broken_off)
		return mp_why(why, room, MP_EXIT_NOTHING,
			      "interrupted before anything could be answered");
	if (run->counted + run->disturbed == 0)
		return mp_why(why, room, MP_EXIT_NOTHING,
			      "nothing could be measured here: %u tries failed; the facts say why",
			      run->failed);
	if (!asked(report, L1) && !asked(report, L2))
		return mp_why(why, room, MP_EXIT_NOISY,
			      "too noisy to trust: nothing that was asked could be answered (%u of %u batches disturbed); try again on a calmer machine",
			      run->disturbed, run->batches);
	return mp_why(why, room, MP_EXIT_NOISY,
		      "too noisy to trust: neither L1 nor L2 could be answered (%u of %u batches disturbed); try again on a calmer machine",
		      run->disturbed, run->batches);
}
