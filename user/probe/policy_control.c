// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a walk that lie in one page go to one translation. In a control
 * they may then share a line, slot by slot, as far as it has room: so that few
 * lines do where many of a walk lie in a page.
 */
#include "probe/policy_control.h"

#include <string.h>

void mp_policy_control_init(struct mp_policy_control *control, uint32_t line,
			    uint64_t way, uint32_t most)
{
	memset(control, 0, sizeof(*control));
	control->line = line;
	control->way = way < MP_POLICY_PAGE ? way : MP_POLICY_PAGE;
	control->most = most;
}

/* A line of this page that has room for a slot. */
static bool find_started(struct mp_policy_control *control, uint64_t page,
			 uint64_t *at)
{
	for (uint32_t i = control->n; i-- > 0;) {
		if (control->at[i] / MP_POLICY_PAGE != page)
			continue;
		if (control->used[i] + MP_STEPS_SLOT > control->line)
			return false;
		*at = control->at[i] + control->used[i];
		control->used[i] += MP_STEPS_SLOT;
		return true;
	}
	return false;
}

static bool is_taken(const struct mp_policy_control *control, uint64_t at)
{
	for (uint32_t i = 0; i < control->n; i++)
		if (control->at[i] == at)
			return true;
	return false;
}

bool mp_policy_control_place(struct mp_policy_control *control, uint64_t own,
			     uint64_t *at)
{
	const uint64_t page = own / MP_POLICY_PAGE;
	const uint32_t lines = MP_POLICY_PAGE / control->line;
	const uint32_t sets = (uint32_t)(control->way / control->line);
	/* As far apart as in the walk, but each in another set. */
	const uint32_t first = (uint32_t)(own % MP_POLICY_PAGE / control->line) +
			       control->next % (sets ? sets : 1);

	if (find_started(control, page, at))
		return true;
	for (uint32_t i = 0; i < lines && control->n < MP_EXP_STEPS; i++) {
		const uint32_t number = (first + i) % lines;
		uint32_t *in_set;

		*at = page * MP_POLICY_PAGE + number * control->line;
		in_set = &control->in_set[*at % control->way / control->line];
		if (*in_set >= control->most || is_taken(control, *at))
			continue;
		(*in_set)++;
		control->next++;
		control->at[control->n] = *at;
		control->used[control->n++] = MP_STEPS_SLOT;
		return true;
	}
	return false;
}
