// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a walk that lie in one page go to one translation. In a control
 * they may then share a line, slot by slot, as far as it has room: so that few
 * lines do where many of a walk lie in a page.
 */
#include "probe/policy_control.h"

#include <string.h>

void mp_policy_control_init(struct mp_policy_control *control, uint32_t line,
			    uint64_t way, uint32_t most, uint32_t spare)
{
	memset(control, 0, sizeof(*control));
	control->line = line;
	control->way = way < MP_POLICY_PAGE ? way : MP_POLICY_PAGE;
	control->most = most;
	control->spare = spare;
}

static uint64_t set_of(const struct mp_policy_control *control, uint64_t at)
{
	return at % control->way / control->line;
}

static bool is_spare(const struct mp_policy_control *control, uint64_t at)
{
	return set_of(control, at) < control->spare;
}

/* A line of this page that has room for a slot. */
static bool find_started(struct mp_policy_control *control, uint64_t page,
			 bool spare, uint64_t *at)
{
	for (uint32_t i = control->n; i-- > 0;) {
		if (control->at[i] / MP_POLICY_PAGE != page ||
		    is_spare(control, control->at[i]) != spare)
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

/* Lines that need not stay go to the sets for them, as many as come. */
static bool has_room(const struct mp_policy_control *control, bool spare,
		     uint64_t at)
{
	return is_spare(control, at) == spare && !is_taken(control, at) &&
	       (spare || control->in_set[set_of(control, at)] < control->most);
}

bool mp_policy_control_place(struct mp_policy_control *control, uint64_t own,
			     bool stays, uint64_t *at)
{
	const uint64_t page = own / MP_POLICY_PAGE;
	const uint32_t lines = MP_POLICY_PAGE / control->line;
	/* As far apart as in the walk, but each in another set, here and in
	 * levels further out. */
	const uint32_t first = (uint32_t)(own % MP_POLICY_PAGE / control->line) +
			       control->next;
	const bool spare = control->spare && !stays;

	if (find_started(control, page, spare, at))
		return true;
	for (uint32_t i = 0; i < lines && control->n < MP_EXP_STEPS; i++) {
		const uint32_t number = (first + i) % lines;

		*at = page * MP_POLICY_PAGE + number * control->line;
		if (!has_room(control, spare, *at))
			continue;
		control->in_set[set_of(control, *at)]++;
		control->next++;
		control->at[control->n] = *at;
		control->used[control->n++] = MP_STEPS_SLOT;
		return true;
	}
	return false;
}
