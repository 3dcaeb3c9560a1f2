// SPDX-License-Identifier: GPL-2.0
/*
 * Which probes a run needs: those that were asked for, and those whose facts
 * they start from.
 */
#include "select.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "why.h"

#define LIST_TEXT 256

static int find(const struct mp_probe *const *table, uint32_t n,
		const char *name)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(table[i]->name, name))
			return (int)i;
	}
	return -ENOENT;
}

static int not_known(const struct mp_probe *const *table, const char *name,
		     char *why, size_t room)
{
	char known[LIST_TEXT] = "";
	size_t used = 0;

	for (uint32_t i = 0; table[i] && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", i ? ", " : "", table[i]->name);
	return mp_why(why, room, -EINVAL,
		      "--probe '%s': not known; there are %s",
		      name, known);
}

static int mark_asked(const struct mp_probe *const *table, uint32_t n,
		      const char *csv, bool *wanted, char *why, size_t room)
{
	char name[MP_FACT_NAME];

	while (mp_names_next(&csv, name, sizeof(name))) {
		int at = find(table, n, name);

		if (at < 0)
			return not_known(table, name, why, room);
		wanted[at] = true;
	}
	return 0;
}

/* From the back: whatever a probe starts from stands before it. */
static int mark_needed(const struct mp_probe *const *table, uint32_t n,
		       bool *wanted, char *why, size_t room)
{
	char name[MP_FACT_NAME];

	for (uint32_t i = n; i-- > 0;) {
		const char *after = table[i]->after;

		while (wanted[i] && mp_names_next(&after, name, sizeof(name))) {
			int at = find(table, i, name);

			if (at < 0)
				return mp_why(why, room, -EINVAL,
					      "probe '%s' starts from '%s', "
					      "which does not stand before it "
					      "(probe/list.h)",
					      table[i]->name, name);
			wanted[at] = true;
		}
	}
	return 0;
}

int mp_run_select(const struct mp_probe *const *table, const char *csv,
		  bool quick, struct mp_run_list *list, char *why, size_t room)
{
	bool wanted[MP_RUN_PROBES] = { false };
	uint32_t n = 0;
	int err;

	memset(list, 0, sizeof(*list));
	while (table[n])
		n++;
	if (n > MP_RUN_PROBES)
		return mp_why(why, room, -EINVAL,
			      "%u probes: at most %d fit in a run (select.h: "
			      "MP_RUN_PROBES)",
			      n, MP_RUN_PROBES);
	for (uint32_t i = 0; i < n && !csv; i++)
		wanted[i] = table[i]->quick || !quick;
	err = mark_asked(table, n, csv, wanted, why, room);
	if (!err)
		err = mark_needed(table, n, wanted, why, room);
	if (err)
		return err;
	for (uint32_t i = 0; i < n; i++) {
		if (wanted[i])
			list->probe[list->n++] = table[i];
	}
	if (!list->n)
		return mp_why(why, room, -EINVAL, "no probe to run");
	return 0;
}
