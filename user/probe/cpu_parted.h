/* SPDX-License-Identifier: GPL-2.0 */
/* Is an edge that is wide one level's? Of a few lines that leave a level bit by bit,
 * each is where it was or beyond; cpu_parted.c says how that tells. */
#ifndef MP_PROBE_CPU_PARTED_H
#define MP_PROBE_CPU_PARTED_H

#include "probe/cpu_lines.h"

/** mp_cpu_parted_plan() - want single hops of the few lines at some lengths of a gap,
 * where the clock could tell; 0 or -ENOMEM
 * @view: what has been measured, and what may be
 * @rig: that of the curve which has the stairs
 * @clock: a batch of that curve
 * @gap: between two of its stairs
 */
int mp_cpu_parted_plan(const struct mp_view *view, const struct mp_lines_rig *rig,
		       const struct mp_batch *clock, const struct mp_cpu_gap *gap,
		       struct mp_plan *plan);

/**
 * mp_cpu_parted() - are all hops in a gap those of the one stair or of the other?
 * @parted: not so, too, where the clock's step is too long, or not all that was wanted
 *	has been measured
 *
 * Return: 0 or -ENOMEM
 */
int mp_cpu_parted(const struct mp_view *view, const struct mp_lines_rig *rig,
		  const struct mp_cpu_gap *gap, bool *parted);

#endif
