/* SPDX-License-Identifier: GPL-2.0 */
/* Walks that there is room for. */
#ifndef MP_POLICY_ROOM_H
#define MP_POLICY_ROOM_H

#include "probe/policy_place.h"

/**
 * mp_policy_room_find() - which walks over a level tell most?
 * @view: facts of earlier probes
 * @level: known but for what is found: the shape of walks, and where their
 *	lines lie
 * @why: gets why there are none
 * Return: whether there are any.
 */
bool mp_policy_room_find(const struct mp_view *view,
			 struct mp_policy_level *level,
			 char why[MP_FACT_TEXT]);

#endif
