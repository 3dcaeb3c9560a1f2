/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings for groups of readings, of slots further apart: a level whose lines are
 * longer than those inside has several slots of a full ring in each, of which one
 * comes to miss it, so that its readings are never gone.
 */
#ifndef MP_PROBE_CPU_GROUPS_WIDE_H
#define MP_PROBE_CPU_GROUPS_WIDE_H

#include "probe/cpu_edges.h"

/**
 * mp_cpu_groups_wide_sweep() - as mp_cpu_groups_sweep()
 * @width: slots are so many times two times as far apart; 0: they are not
 *
 * Return: false where there is no such ring, or it is of no use.
 */
bool mp_cpu_groups_wide_sweep(const struct mp_view *view, uint32_t width,
			      uint32_t side, struct mp_sweep *sweep);

/** mp_cpu_groups_wide_rings() - the curve of a width */
const struct mp_curve *mp_cpu_groups_wide_rings(const struct mp_cpu_edges *edges,
						uint32_t width, uint32_t side);

/** mp_cpu_groups_wide_gather() - all that were walked, hop by hop, and @peaks of
 * them all; 0 or -ENOMEM */
int mp_cpu_groups_wide_gather(const struct mp_view *view,
			      struct mp_cpu_edges *edges);

/** mp_cpu_groups_wide_any() - were any walked? */
bool mp_cpu_groups_wide_any(const struct mp_cpu_edges *edges);

/**
 * mp_cpu_groups_wide_of() - rings of which width come to miss a peak?
 *
 * Return: the least, 0 = full ones; more than MP_CPU_WIDTHS where none does, or
 * those that do have slots further apart than its lines are long, or denser ones do
 * not go past it once a line.
 */
uint32_t mp_cpu_groups_wide_of(const struct mp_cpu_edges *edges, uint32_t peak);

/** mp_cpu_groups_wide_most() - the longest ring that comes to lines of group @g that it
 * still has, bytes; infinite where full rings come to miss it */
double mp_cpu_groups_wide_most(const struct mp_cpu_edges *edges, uint32_t g);

/** mp_cpu_groups_wide_told() - groups up to the last one that only wide rings tell */
uint32_t mp_cpu_groups_wide_told(const struct mp_cpu_edges *edges);

/**
 * mp_cpu_groups_wide_settled() - is it known how many levels each of those has?
 *
 * Full rings would not have told, and not given that the name of another. A group that
 * moves to its end may have one more than it shows.
 */
bool mp_cpu_groups_wide_settled(const struct mp_cpu_edges *edges);

#endif
