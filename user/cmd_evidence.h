/* SPDX-License-Identifier: GPL-2.0 */
/* What the facts of a run rest on, told in the report: experiment by
 * experiment, so that whoever doubts a fact finds what was done and seen. */
#ifndef MP_CMD_EVIDENCE_H
#define MP_CMD_EVIDENCE_H

#include "report.h"
#include "run.h"

/** mp_evidence_actor() - of the actors that are measured the one whose phase
 * comes last: the others prepare what it finds. An index */
uint32_t mp_evidence_actor(const struct mp_exp *exp);

/**
 * mp_evidence_collect() - put the experiments behind the facts into a report
 * @run: a run that has ended; its facts may be gone
 * @report: has the facts; gets each experiment of their evidence that the
 *	run made, once, in the order in which facts name them
 * Return: 0 or -ENOMEM.
 */
int mp_evidence_collect(const struct mp_run *run, struct mp_report *report);

#endif
