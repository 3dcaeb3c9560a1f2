/* SPDX-License-Identifier: GPL-2.0 */
/* Which facts of a report somebody means by a word. */
#ifndef MP_CMD_EXPLAIN_NAME_H
#define MP_CMD_EXPLAIN_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report.h"

/**
 * mp_name_means() - does a word mean a fact?
 * @word: a name, or its beginning up to a dot: "cpu.l2" means "cpu.l2.size"
 * @exact: only by its whole name
 */
bool mp_name_means(const char *word, const struct mp_fact *fact, bool exact);

/** mp_name_distance() - letters to put in, take out or change to get from one
 * name to another; names longer than a fact's can be count as one so long */
uint32_t mp_name_distance(const char *a, const char *b);

/** mp_name_nearest() - names of a report that a word may have been meant for,
 * the nearest first, parted by commas, each once; returns @text */
const char *mp_name_nearest(const struct mp_report *report, const char *word,
			    char *text, size_t room);

#endif
