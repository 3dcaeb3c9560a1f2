/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A report: what was found out about a machine, beside what it claims, and
 * under which conditions. Writers print it and compute nothing; the same
 * report comes out of a run and out of a file.
 */
#ifndef MP_REPORT_H
#define MP_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "fact.h"

#define MP_REPORT_SCHEMA "memprobe-report/1"
#define MP_REPORT_WORD 32
#define MP_REPORT_LIST 512

/**
 * struct mp_report_run - how it was measured
 * @target: "cpu"
 * @backend: "user", "sim", "replay"
 * @probes: comma-separated, in their order
 * @depth: "quick", "default", "deep"
 * @pages: "4k", "thp", "2m": what probes were to wish for
 * @stop: why it ended: "done", "time", "signal"
 * @started: UTC, "2026-01-31T12:00:00Z"; empty where the clock is not real
 * @seed: run seed
 * @cpu: CPU that was asked about
 * @node: node that was asked for, or MP_NODE_ANY
 * @pages_forced: the user asked for that page kind
 * @time_limit_s: as asked
 * @budget_ns: what first tries could cost
 * @calm_ns: what they cost
 * @cost_ns: what all batches cost
 * @batches: how many there are
 * @counted: of these, count
 * @disturbed: of these, have samples and do not count
 * @failed: of these, have an error
 * @repeats: tries made because an earlier one did not count
 * @given_up: replicates that no repeat could bring
 */
struct mp_report_run {
	char target[MP_REPORT_WORD];
	char backend[MP_REPORT_WORD];
	char probes[MP_REPORT_LIST];
	char depth[MP_REPORT_WORD];
	char pages[MP_REPORT_WORD];
	char stop[MP_REPORT_WORD];
	char started[MP_REPORT_WORD];
	uint64_t seed;
	uint32_t cpu;
	int32_t node;
	bool pages_forced;
	uint32_t time_limit_s;
	uint64_t budget_ns;
	uint64_t calm_ns;
	uint64_t cost_ns;
	uint32_t batches;
	uint32_t counted;
	uint32_t disturbed;
	uint32_t failed;
	uint32_t repeats;
	uint32_t given_up;
};

/**
 * struct mp_disagreement - what was measured is not what is claimed
 * @fact: name of the fact
 * @where: what it is about
 * @measured: its value; NaN where the thing was found absent
 * @claimed: what the system says, in the fact's unit
 * @source: who says so
 */
struct mp_disagreement {
	char fact[MP_FACT_NAME];
	struct mp_where where;
	double measured;
	double claimed;
	char source[MP_FACT_UNIT];
};

/**
 * struct mp_report_exp - an experiment that facts rest on
 * @id: as in the evidence of a fact
 * @text: mp_exp_print() of it; the slots of a sequence are left out. Owned
 * @steps: how many slots that are
 * @pages: what pages it got: a name, "mixed" where replicates differ, empty
 *	where there is no replicate that counts
 * @batches: replicates that were tried
 * @counted: of these, count
 * @disturbed: of these, have samples and do not count
 * @failed: of these, have an error
 * @bursts: samples in all of them
 * @calm: of these, undisturbed
 * @hop_ns: what a hop took, the clock's own cost taken off: the median of
 *	the replicates that count, of the actor that acts last; NaN where
 *	nothing hops
 * @hop_low_ns, @hop_high_ns: the least and the greatest of them
 */
struct mp_report_exp {
	uint64_t id;
	char *text;
	uint32_t steps;
	char pages[MP_REPORT_WORD];
	uint32_t batches;
	uint32_t counted;
	uint32_t disturbed;
	uint32_t failed;
	uint32_t bursts;
	uint32_t calm;
	double hop_ns;
	double hop_low_ns;
	double hop_high_ns;
};

/**
 * struct mp_report - see above
 * @tool: "memprobe"
 * @version: of the tool that measured
 * @model: what the machine calls itself
 * @label: empty for a real machine; else what every output must say
 * @n_claims, @claim: all that the system claims, measured or not
 * @n_conditions, @condition: what held during the run
 * @run: how it was measured
 * @facts: owned; series too
 * @n_experiments, @experiment: those that facts rest on, owned; none in a
 *	report of a version that did not keep them
 * @n_disagreements, @disagreement: owned
 */
struct mp_report {
	char tool[MP_REPORT_WORD];
	char version[MP_REPORT_WORD];
	char model[MP_HOST_TEXT];
	char label[MP_HOST_TEXT];
	uint32_t n_claims;
	struct mp_host_claim claim[MP_HOST_CLAIMS];
	uint32_t n_conditions;
	struct mp_text_pair condition[MP_HOST_CONDITIONS];
	struct mp_report_run run;
	struct mp_facts facts;
	uint32_t n_experiments;
	struct mp_report_exp *experiment;
	uint32_t n_disagreements;
	struct mp_disagreement *disagreement;
};

/** mp_report_init() - an empty report */
void mp_report_init(struct mp_report *report);

/**
 * mp_report_make() - a report of what was found
 * @report: gets it; mp_report_free() it, after an error too
 * @host: the machine
 * @run: how it was measured
 * @facts: the answers, claims beside them; taken over, empty afterwards
 *
 * Rounds numbers to MP_REPORT_DIGITS and cleans texts, so that what is
 * printed now is what will be printed from the file, and works out the
 * disagreements.
 * Return: 0 or -ENOMEM.
 */
int mp_report_make(struct mp_report *report, const struct mp_host *host,
		   const struct mp_report_run *run, struct mp_facts *facts);

/** MP_REPORT_DIGITS - significant digits of a number that is not whole; far
 * finer than any measurement here. */
#define MP_REPORT_DIGITS 9

/** mp_report_settle() - round numbers and clean texts; done by
 * mp_report_make(), and by whoever fills a report from elsewhere */
void mp_report_settle(struct mp_report *report);

/** mp_report_add_disagreement() - append a zeroed one; NULL when out of
 * memory. Valid until the next call. */
struct mp_disagreement *
mp_report_add_disagreement(struct mp_report *report);

/** mp_report_add_exp() - append an empty experiment; NULL when out of memory.
 * Valid until the next call. */
struct mp_report_exp *mp_report_add_exp(struct mp_report *report);

/** mp_report_exp() - by id, NULL when it is not in the report */
const struct mp_report_exp *mp_report_exp(const struct mp_report *report,
					  uint64_t id);

/** mp_report_disagreement() - about this fact, NULL when there is none */
const struct mp_disagreement *
mp_report_disagreement(const struct mp_report *report,
		       const struct mp_fact *fact);

/**
 * mp_report_fact() - find a fact
 * @name: its name
 * @where: what it is about; NULL = the first of that name
 * Return: the fact; where none is about @where, one of that name that says
 * nothing of CPUs (of a node, say); else NULL.
 */
const struct mp_fact *mp_report_fact(const struct mp_report *report,
				     const char *name,
				     const struct mp_where *where);

/** mp_report_free() - give back what it owns; empty then */
void mp_report_free(struct mp_report *report);

#endif
