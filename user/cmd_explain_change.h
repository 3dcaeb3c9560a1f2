/* SPDX-License-Identifier: GPL-2.0 */
/* What would change an answer, as far as its report tells. */
#ifndef MP_CMD_EXPLAIN_CHANGE_H
#define MP_CMD_EXPLAIN_CHANGE_H

#include <stdio.h>

#include "cmd_explain_evidence.h"
#include "cmd_explain_kind.h"
#include "probe.h"
#include "report.h"

/**
 * struct mp_doubted - a fact that somebody asks about
 * @report: its report
 * @fact: the fact
 * @kind: what kind of fact it is
 * @probe: the probe that answers it, NULL where this version has none
 * @evidence: what it rests on
 */
struct mp_doubted {
	const struct mp_report *report;
	const struct mp_fact *fact;
	const struct mp_kind *kind;
	const struct mp_probe *probe;
	const struct mp_evidence *evidence;
};

/**
 * mp_change_write() - print what would change an answer, a point a line
 *
 * By verdict and reason, by the answers that it starts from, by what was
 * disturbed, and by the conditions of the run. Nothing is said that the
 * report does not bear out.
 */
void mp_change_write(FILE *out, const struct mp_doubted *doubted);

#endif
