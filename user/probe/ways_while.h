/* SPDX-License-Identifier: GPL-2.0 */
/* Lines that stay inside while their set here is driven through. */
#ifndef MP_WAYS_WHILE_H
#define MP_WAYS_WHILE_H

#include "probe.h"
#include "probe/ways_test.h"

/**
 * struct mp_ways_while - a line that is in use in the first level
 * @others: the second one neither has it nor is given it
 * @lines: times that it had stayed and then left
 * @gone: of these, so many that the second level did not have it
 * @id: the experiments that say so
 */
struct mp_ways_while {
	bool others;
	uint32_t lines;
	uint32_t gone;
	uint64_t id[2];
};

/**
 * mp_ways_while() - has it what lies inside?
 * @rig: the level's, the second; what is left of its guesses shares a span
 * @ways, @span: its own
 * @plan: gets what is missing; may be NULL
 *
 * A line in use inside, and as many others of its set here as drive that through:
 * few enough for it to stay at times, whatever the first level does with its
 * lines. Then others that fall on other sets here put it out of the first level,
 * and it is looked at once more.
 * Return: 0 or -ENOMEM.
 */
int mp_ways_while(const struct mp_ways_rig *rig, uint32_t ways, uint64_t span,
		  struct mp_plan *plan, struct mp_ways_while *out);

/** mp_ways_while_say() - add what it says of the second level's inclusion, which is
 * a fact that is open; 0 or -ENOMEM */
int mp_ways_while_say(const struct mp_view *view,
		      const struct mp_ways_while *said, struct mp_facts *facts);

#endif
