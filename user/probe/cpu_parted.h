/* SPDX-License-Identifier: GPL-2.0 */
/* Is an edge that is wide one level's? Of a few lines that leave a level bit by bit,
 * each is where it was or beyond; cpu_parted.c says how that tells. */
#ifndef MP_PROBE_CPU_PARTED_H
#define MP_PROBE_CPU_PARTED_H

#include "probe/cpu_lines.h"

/** mp_cpu_parted_plan() - want single hops of the few lines at some lengths of an edge,
 * where the clock could tell; 0 or -ENOMEM
 * @view: what has been measured, and what may be
 * @rig: that of the curve which has the stairs
 * @stairs: that curve
 * @edge: between two of its stairs: the last length of the one and the first of the other,
 *	bytes, and what they take, core cycles
 */
int mp_cpu_parted_plan(const struct mp_view *view, const struct mp_lines_rig *rig,
		       const struct mp_curve *stairs, const struct mp_edge *edge,
		       struct mp_plan *plan);

/**
 * mp_cpu_parted() - are all hops in such an edge those of the one stair or of the other?
 * @parted: not so, too, where the clock's step is too long, or not all that was wanted
 *	has been measured
 *
 * Return: 0 or -ENOMEM
 */
int mp_cpu_parted(const struct mp_view *view, const struct mp_lines_rig *rig,
		  const struct mp_curve *stairs, const struct mp_edge *edge, bool *parted);

#endif
