/* SPDX-License-Identifier: GPL-2.0 */
/* What became of a run: how it is told in the report, and how far to trust it. */
#ifndef MP_CMD_OUTCOME_H
#define MP_CMD_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "report.h"
#include "run.h"

/**
 * mp_outcome_describe() - how it was measured
 * @run: a run that has ended
 * @backend: name of the backend
 * @started: when, by the wall clock
 * @late: it was the wall clock that ended it
 * @out: gets it
 */
void mp_outcome_describe(const struct mp_run *run, const char *backend,
			 time_t started, bool late,
			 struct mp_report_run *out);

/**
 * mp_outcome_judge() - how far the answers can be trusted
 * @report: the report
 * @why: gets one line, empty with MP_EXIT_DONE
 * @room: bytes of @why
 *
 * Once L1's or L2's size is answered, all is well; that it is absent is an
 * answer only where no replicate had to be given up. Where they were not asked
 * about, and where the user broke off, any answer will do. Otherwise nothing
 * was measurable if nothing could be sampled, and it was too noisy if it
 * could.
 * Return: enum mp_exit.
 */
int mp_outcome_judge(const struct mp_report *report, char *why, size_t room);

#endif
