/* SPDX-License-Identifier: GPL-2.0 */
/* What is said of a fact, as one line of words, for the tests of explain. */
#ifndef EXPLAINED_H
#define EXPLAINED_H

#include "report.h"

/** explained_page() - the page of a fact of the sample's kind; free() it.
 * Blanks and line ends are one blank each, so that words can be looked for */
char *explained_page(const struct mp_report *report, const char *name);

/** explained_change() - of the page only what would change the answer */
char *explained_change(const struct mp_report *report, const char *name);

/** explained_fact() - the fact of a name, to be changed by a test */
struct mp_fact *explained_fact(struct mp_report *report, const char *name);

/** explained_condition() - set a condition, or add it */
void explained_condition(struct mp_report *report, const char *key,
			 const char *text);

#endif
