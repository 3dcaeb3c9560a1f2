/* SPDX-License-Identifier: GPL-2.0 */
/* The memory hierarchy as a picture with a table beside it. */
#ifndef MP_PICTURE_H
#define MP_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "report.h"
#include "report/style.h"

/**
 * mp_picture_draw() - caches and memory as one place sees them
 * @out: where to
 * @report: the report
 * @where: the place, such as one CPU
 * @style: how it may look
 *
 * A level whose size is absent, and not claimed, is left out.
 */
void mp_picture_draw(FILE *out, const struct mp_report *report,
		     const struct mp_where *where,
		     const struct mp_style *style);

/** mp_picture_has() - does the picture show the fact of this name? */
bool mp_picture_has(const char *name);

/**
 * mp_claim_mark() - how a claim stands to what was measured
 * @ink: gets what colour says the same; may be NULL
 * Return: "=" for agreement, "!=" or its sign for a disagreement, "" where
 * there is nothing to compare.
 */
const char *mp_claim_mark(const struct mp_report *report,
			  const struct mp_fact *fact,
			  const struct mp_style *style, enum mp_ink *ink);

#endif
