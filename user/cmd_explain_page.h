/* SPDX-License-Identifier: GPL-2.0 */
/* Why a fact should be believed: a page on a terminal. */
#ifndef MP_CMD_EXPLAIN_PAGE_H
#define MP_CMD_EXPLAIN_PAGE_H

#include <stdio.h>

#include "report.h"
#include "report/style.h"

/**
 * mp_explain_write() - the answer, the experiment, the evidence, the
 *	estimator, and what would change the answer
 * @out: where to; errors stay in the stream
 * @report: a settled report
 * @fact: one of its facts
 * @style: how it may look
 */
void mp_explain_write(FILE *out, const struct mp_report *report,
		      const struct mp_fact *fact,
		      const struct mp_style *style);

/** mp_explain_brief() - a fact's answer in one line, behind its name */
void mp_explain_brief(FILE *out, const struct mp_report *report,
		      const struct mp_fact *fact,
		      const struct mp_style *style);

#endif
