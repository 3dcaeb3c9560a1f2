/* SPDX-License-Identifier: GPL-2.0 */
/* One level that CPUs may share: which rings are walked, and in which order. */
#ifndef MP_SHARED_RING_H
#define MP_SHARED_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/cpu_room.h"

/** MP_SHARED_CALM, MP_SHARED_SWEPT - actors whose hops are timed: with what is
 * walked left alone, and after others have swept the level; of all experiments */
#define MP_SHARED_CALM 0u
#define MP_SHARED_SWEPT 1u

/** MP_SHARED_PAGE - of slots further apart each may pay for a walk, bytes */
#define MP_SHARED_PAGE 4096u

/**
 * struct mp_shared_level - a level that can be asked about
 * @walked: a ring that it has room for, bytes
 * @beside: a ring that takes the levels inside from it, behind it; 0: none
 * @sweep: one that it has not the room for, by far
 * @inner: share of what is walked that the levels inside may hold in its place
 *	when it is swept: of a level that is not known to hold what they do
 * @inner_ns: a hop that is served by the level inside, @own_ns: .. by this
 *	one, @next_ns: .. by the one outside, @past_ns: .. by what is beyond
 *	that; NaN: not known
 * @outermost: no level is outside it
 * @apart: what is walked is beyond the levels inside by its length alone
 * @sparse: .. but not if its slots fall on all of their sets
 * @thin: slots lie further apart than those that fill sets as they should: they may
 *	fall on more sets than a part of them
 * @moves: its size was found to vary: strangers use it as well
 * @stride: of both rings
 */
struct mp_shared_level {
	uint64_t walked;
	uint64_t beside;
	uint64_t sweep;
	double inner;
	double inner_ns;
	double own_ns;
	double next_ns;
	double past_ns;
	bool outermost;
	bool apart;
	bool sparse;
	bool thin;
	bool moves;
	uint64_t stride;
};

/**
 * struct mp_shared_ground - what rings are cut by
 * @rooms: how large the levels are
 * @stride: at which rings fill their sets, bytes
 */
struct mp_shared_ground {
	struct mp_cpu_rooms rooms;
	uint64_t stride;
};

/** mp_shared_ground() - the same for all levels and CPUs; 0 or -ENOMEM */
int mp_shared_ground(const struct mp_view *view,
		     struct mp_shared_ground *ground);

/**
 * mp_shared_level() - what rings to cut
 * @ground: by mp_shared_ground()
 * @k: which level
 * @level: gets it
 * Return: NULL, or why it cannot be asked about.
 */
const char *mp_shared_level(const struct mp_view *view,
			    const struct mp_shared_ground *ground, uint32_t k,
			    struct mp_shared_level *level);

/** mp_shared_has_room() - is the memory there that both rings take? */
bool mp_shared_has_room(const struct mp_view *view,
			const struct mp_shared_level *level);

/** mp_shared_pair() - what another CPU puts out of what is walked */
void mp_shared_pair(const struct mp_view *view,
		    const struct mp_shared_level *level, uint32_t other,
		    struct mp_exp *exp);

/** mp_shared_alone() - what this CPU puts out of it, which is all there is */
void mp_shared_alone(const struct mp_view *view,
		     const struct mp_shared_level *level, struct mp_exp *exp);

#endif
