/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_PROBE_CPU_FLAT_H
#define MP_PROBE_CPU_FLAT_H

#include "probe/cpu.h"

/**
 * mp_cpu_flat_split() - do rings show that level @k of a curve is two?
 * @curve: what to look at: of means, without those that others slowed down
 * @level, @n: the levels; where it is two, the second is put in behind it
 *
 * Return: was there one more? The two may be more still.
 */
bool mp_cpu_flat_split(const struct mp_curve *curve,
		       struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		       uint32_t k);

/**
 * mp_cpu_flat_step() - is there one more level in the plateau inside level @k?
 * @k: @n for what lies beyond the last one
 * @level, @n: where there is one it is put in before it
 *
 * What the detector takes for one plateau may be two, flat ones, with a step
 * between them that is too small for it, and more than translations add.
 */
bool mp_cpu_flat_step(const struct mp_curve *curve,
		      struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		      uint32_t k);

/**
 * mp_cpu_flat_part() - do rings show the level behind level @k by itself?
 * @level: gets until where, and what that level takes
 */
void mp_cpu_flat_part(const struct mp_curve *curve, struct mp_level *level,
		      uint32_t n, uint32_t k);

/**
 * mp_cpu_flat_plan() - where a level may be two, rings that may show it
 *
 * More lengths near those that take nearly the same. -ENOMEM or 0.
 */
int mp_cpu_flat_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_plan *plan);

/**
 * mp_cpu_flat_keep() - leave out replicates that missed the next level, too
 * @next: what that takes
 * @end: until where it is alone
 * @data: a stretch; what is beyond the end is left out as well
 *
 * Pages that are thrown at random may crowd it in some replicates long before
 * it is full in others.
 */
void mp_cpu_flat_keep(double next, double end, struct mp_edge_data *data);

/**
 * mp_cpu_flat_from() - try capacities from where a stretch is still flat
 *
 * Where single lines are thrown out at random, say, an edge rises for so long
 * that the detector has its bracket far beyond the capacity.
 */
void mp_cpu_flat_from(struct mp_edge_data *data);

#endif
