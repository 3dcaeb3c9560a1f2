/* SPDX-License-Identifier: GPL-2.0 */
/* A report as text for people, with lines among it that programs can read. */
#ifndef MP_REPORT_TEXT_H
#define MP_REPORT_TEXT_H

#include <stdio.h>

#include "report.h"
#include "report/style.h"

/**
 * mp_text_write() - print a report
 * @out: where to; errors stay in the stream
 * @report: a settled report
 * @style: how it may look
 *
 * The lines under "facts" keep their form:
 * NAME: VALUE UNIT [LOW .. HIGH] VERDICT[, claimed VALUE (SOURCE)]
 */
void mp_text_write(FILE *out, const struct mp_report *report,
		   const struct mp_style *style);

#endif
