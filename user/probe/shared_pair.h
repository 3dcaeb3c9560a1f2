/* SPDX-License-Identifier: GPL-2.0 */
/* One level and one other CPU: what is asked, and whether they share. */
#ifndef MP_SHARED_PAIR_H
#define MP_SHARED_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/shared_ring.h"

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
	MP_DOUBT_NOISE,	/* replicates differ as much as it would matter */
	MP_DOUBT_FLAT,	/* what this CPU reads itself puts nothing out */
	MP_DOUBT_LITTLE,	/* .. or so little that nothing tells little */
	MP_DOUBT_INNER,	/* part of what is walked may lie further in */
	MP_DOUBT_CROWD,	/* nothing shows, where strangers are at work, too */
	MP_DOUBT_BETWEEN,	/* some effect, neither none nor all */
	MP_DOUBT_OUTER,	/* the level outside may be what evicts, unseen */
	MP_DOUBT_PAST,	/* .. as what it evicts comes back from beyond it */
	MP_DOUBT_BUSY,	/* the other CPU's idle walk puts out as much */
	MP_DOUBT_ORDER,	/* inner shared, outer not: one of them is wrong */
	MP_DOUBTS,
};

extern const char *const mp_tie_doubt_text[MP_DOUBTS];

/**
 * mp_shared_plan() - want the replicates of one level and one other CPU
 * Return: 0 or -ENOMEM.
 */
int mp_shared_plan(const struct mp_view *view,
		   const struct mp_shared_level *level, uint32_t other,
		   struct mp_plan *plan);

/**
 * mp_shared_judge() - do they share it?
 * @doubt: gets enum mp_tie_doubt where it is unclear
 * @fact: gets the evidence; may be NULL
 * Return: enum mp_tie.
 */
uint32_t mp_shared_judge(const struct mp_view *view,
			 const struct mp_shared_level *level, uint32_t other,
			 uint32_t *doubt, struct mp_fact *fact);

#endif
