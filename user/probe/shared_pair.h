/* SPDX-License-Identifier: GPL-2.0 */
/* One level and one other CPU: what is asked, and whether they share. */
#ifndef MP_SHARED_PAIR_H
#define MP_SHARED_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/cpu_room.h"

/** MP_SHARED_LEAST - replicates that an answer needs */
#define MP_SHARED_LEAST 5u

/** enum mp_tie - does another CPU share a level? */
enum mp_tie {
	MP_TIE_NOT_ASKED,
	MP_TIE_PRIVATE,
	MP_TIE_SHARED,
	MP_TIE_UNCLEAR,
};

/** enum mp_tie_doubt - why it is unclear; mp_tie_doubt_text in words */
enum mp_tie_doubt {
	MP_DOUBT_NONE,
	MP_DOUBT_NOISE,	/* the calm ones differ as much as it would matter */
	MP_DOUBT_FLAT,	/* too large a ring is no slower */
	MP_DOUBT_WEAK,	/* nothing shows, but it would not need to */
	MP_DOUBT_INNER,	/* part of what is walked may lie further in */
	MP_DOUBT_CROWD,	/* nothing shows, where strangers are at work, too */
	MP_DOUBT_BETWEEN,	/* some effect, neither none nor all */
	MP_DOUBT_OUTER,	/* the level outside may be what evicts */
	MP_DOUBT_PAST,	/* .. as what it evicts comes back from beyond it */
	MP_DOUBT_ORDER,	/* inner shared, outer not: one of them is wrong */
	MP_DOUBTS,
};

extern const char *const mp_tie_doubt_text[MP_DOUBTS];

/**
 * struct mp_shared_level - a level that can be asked about
 * @size: what rings are cut to, bytes
 * @beside: what the levels inside may hold in its place, a share of it: of a
 *	level that is not known to hold what they do
 * @least_ns: a hop that the level inside does not serve takes so long at least;
 *	0: none is
 * @own_ns: a hop that is served by it, @next_ns: .. by the one outside, and
 * @past_ns: .. by what is beyond that; NaN: not known
 * @moves: its size was found to vary: strangers use it as well
 * @stride: of both rings
 */
struct mp_shared_level {
	double size;
	double beside;
	double least_ns;
	double own_ns;
	double next_ns;
	double past_ns;
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

/**
 * mp_shared_plan() - want the replicates of one level beside one other CPU
 * @first: the CPU whose walk of too large a ring all others are held against
 * Return: 0 or -ENOMEM.
 */
int mp_shared_plan(const struct mp_view *view,
		   const struct mp_shared_level *level, uint32_t other,
		   uint32_t first, struct mp_plan *plan);

/**
 * mp_shared_judge() - do they share it?
 * @doubt: gets enum mp_tie_doubt where it is unclear
 * @fact: gets the evidence; may be NULL
 * Return: enum mp_tie.
 */
uint32_t mp_shared_judge(const struct mp_view *view,
			 const struct mp_shared_level *level, uint32_t other,
			 uint32_t first, uint32_t *doubt,
			 struct mp_fact *fact);

#endif
