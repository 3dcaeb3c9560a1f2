/* SPDX-License-Identifier: GPL-2.0 */
/* Which probes a run needs. */
#ifndef MP_SELECT_H
#define MP_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe.h"

/** MP_RUN_PROBES - the most probes that one run can hold. */
#define MP_RUN_PROBES 64

/** struct mp_run_list - the probes of a run, in order of dependence */
struct mp_run_list {
	uint32_t n;
	const struct mp_probe *probe[MP_RUN_PROBES];
};

/**
 * mp_run_select() - which probes a run needs
 * @table: all probes, NULL-terminated, in order of dependence (mp_probes)
 * @csv: names that the user asked for, comma-separated; NULL = all
 * @quick: with @csv NULL: only those that are part of --quick
 * @list: gets them, and those that they start from, in the table's order
 * @why: gets one clear line with an error
 * @room: bytes of @why
 * Return: 0, or -EINVAL (a name that is not in the table, none at all).
 */
int mp_run_select(const struct mp_probe *const *table, const char *csv,
		  bool quick, struct mp_run_list *list, char *why,
		  size_t room);

#endif
