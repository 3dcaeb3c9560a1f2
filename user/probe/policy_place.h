/* SPDX-License-Identifier: GPL-2.0 */
/* Where the lines of a walk lie, and whether there is room for them. */
#ifndef MP_POLICY_PLACE_H
#define MP_POLICY_PLACE_H

#include "probe/policy_look.h"

/**
 * struct mp_policy_placed - where lines lie, in bytes
 * @own: lines of the walk
 * @leaves: of each kind of them, lines that drive these out of the levels
 *	inside
 * @n: all together
 * @at: the own ones first, then those that drive out, kind by kind
 */
struct mp_policy_placed {
	uint32_t own;
	uint32_t leaves;
	uint32_t n;
	uint64_t at[MP_EXP_STEPS];
};

/** mp_policy_place_around() - so many lines that are as far apart as those of a
 * set inside fall on as many sets here */
uint64_t mp_policy_place_around(const struct mp_policy_level *level);

/** mp_policy_place_walk() - where all lie in a walk; false: too many */
bool mp_policy_place_walk(const struct mp_policy_level *level,
			  struct mp_policy_placed *placed);

/** mp_policy_place_control() - .. and in its control; false: no room */
bool mp_policy_place_control(const struct mp_policy_level *level,
			     struct mp_policy_placed *placed);

/** mp_policy_place_bytes() - in how many bytes all lie, a slot each */
uint64_t mp_policy_place_bytes(const struct mp_policy_placed *placed);

/**
 * mp_policy_place_fits() - does a level hold all lines that are looked at?
 * @control: they lie as in a control, where nothing is ever gone
 * @way: bytes of a way of it
 * @ways: of it
 * @line: of it, bytes
 *
 * Of those that drive others out it has to hold enough.
 */
bool mp_policy_place_fits(const struct mp_policy_level *level,
			  const struct mp_policy_placed *placed, bool control,
			  uint64_t way, uint32_t ways, uint32_t line);

#endif
