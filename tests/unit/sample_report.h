/* SPDX-License-Identifier: GPL-2.0 */
/* A report made by hand, for the tests of reports and of their writers. */
#ifndef SAMPLE_REPORT_H
#define SAMPLE_REPORT_H

#include "report.h"

/** sample_report() - a machine with one clash, one thing that moves and one
 * that could not be measured; mp_report_free() it */
void sample_report(struct mp_report *report, const char *label);

#endif
