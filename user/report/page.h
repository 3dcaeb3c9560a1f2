/* SPDX-License-Identifier: GPL-2.0 */
/* What the pages of a report share: who measured what, headings, curves. */
#ifndef MP_REPORT_PAGE_H
#define MP_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "report.h"
#include "report/style.h"

/** mp_page_headline() - who measured what; first lines of a page */
void mp_page_headline(FILE *out, const struct mp_report *report,
		      const struct mp_style *style);

/** mp_page_heading() - an empty line and a title, with the label that nobody may
 * overlook (what it is in place of a real machine) on its right */
void mp_page_heading(FILE *out, const struct mp_report *report,
		     const struct mp_style *style, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** mp_page_has_curve() - can it be drawn: one axis, bytes, two points? */
bool mp_page_has_curve(const struct mp_series *series);

/** mp_page_curve() - a heading, and the curve with the measured sizes of the
 * levels of its place marked */
void mp_page_curve(FILE *out, const struct mp_report *report,
		   const struct mp_series *series,
		   const struct mp_style *style);

#endif
