/* SPDX-License-Identifier: GPL-2.0 */
/* Are all hops at an edge of the two kinds that rings beside it are of? */
#ifndef MP_CPU_CHORD_H
#define MP_CPU_CHORD_H

#include "probe/cpu.h"

/**
 * mp_cpu_chord_plan() - want the hops at edge @k timed one by one, and those of
 * a ring on either side of it
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_chord_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan);

/**
 * mp_cpu_chord_one() - is it known that no level hides in edge @k?
 *
 * Where hops at the edge take what they do on one side of it or on the other,
 * their mean square lies on the chord between those of the two sides, whatever
 * the clock makes of either. Hops of a level between would bring it below by
 * more than twice as much as it can be.
 */
bool mp_cpu_chord_one(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k);

#endif
