/* SPDX-License-Identifier: GPL-2.0 */
/* Several reports side by side, fact by fact. */
#ifndef MP_REPORT_BESIDE_H
#define MP_REPORT_BESIDE_H

#include <stdint.h>
#include <stdio.h>

#include "report.h"
#include "report/style.h"

/** MP_BESIDE_MAX - reports that have room beside one another. */
#define MP_BESIDE_MAX 4

/**
 * mp_beside_write() - print reports side by side
 * @out: where to; errors stay in the stream
 * @report: settled reports
 * @name: what each is called, above its column
 * @n: how many, 2 to MP_BESIDE_MAX
 * @style: how it may look
 *
 * A fact has a line with its name; under it, in each report's column, its
 * value and its limits; then its verdict, where that is another than
 * measured. Facts come in the order in which the reports have them.
 */
void mp_beside_write(FILE *out, const struct mp_report *report,
		     const char *const *name, uint32_t n,
		     const struct mp_style *style);

#endif
