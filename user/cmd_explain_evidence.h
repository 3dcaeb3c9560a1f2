/* SPDX-License-Identifier: GPL-2.0 */
/* What a fact rests on, looked up in its report: what was done, and seen. */
#ifndef MP_CMD_EXPLAIN_EVIDENCE_H
#define MP_CMD_EXPLAIN_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "exp.h"
#include "report.h"

/**
 * struct mp_evidence_item - one experiment
 * @told: what the report has of it
 * @exp: what was done; nothing where its words are not understood
 * @actor: whose hops the report tells
 * @known: its words are understood
 */
struct mp_evidence_item {
	const struct mp_report_exp *told;
	struct mp_exp exp;
	uint32_t actor;
	bool known;
};

/**
 * struct mp_evidence - all that a fact names
 * @n: experiments that the report has
 * @absent: ids that it has not
 * @full: the fact has no room for more ids, and may rest on more
 * @batches, @counted, @disturbed, @failed, @bursts, @calm: sums over them
 * @most_counted: replicates that count of the experiment with the most
 * @item: by stride and footprint
 */
struct mp_evidence {
	uint32_t n;
	uint32_t absent;
	bool full;
	uint32_t batches;
	uint32_t counted;
	uint32_t disturbed;
	uint32_t failed;
	uint32_t bursts;
	uint32_t calm;
	uint32_t most_counted;
	struct mp_evidence_item item[MP_FACT_EVIDENCE];
};

/** mp_evidence_measured() - the actor whose hops the report tells */
const struct mp_actor *
mp_evidence_measured(const struct mp_evidence_item *item);

/** mp_evidence_find() - look up what a fact rests on */
void mp_evidence_find(const struct mp_report *report,
		      const struct mp_fact *fact,
		      struct mp_evidence *evidence);

/** mp_evidence_has() - did any of them get pages of this name? */
bool mp_evidence_has(const struct mp_evidence *evidence, const char *pages);

/** mp_evidence_done() - print what was done, like experiments together */
void mp_evidence_done(FILE *out, const struct mp_evidence *evidence);

/**
 * mp_evidence_seen() - print what was seen, a row an experiment
 * @near_bytes: of many those of footprints near to this; NaN = the first
 */
void mp_evidence_seen(FILE *out, const struct mp_evidence *evidence,
		      double near_bytes);

#endif
