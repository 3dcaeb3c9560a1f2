/* SPDX-License-Identifier: GPL-2.0 */
/* Does one level make the innermost edge? By what is left of a few lines behind
 * it. */
#ifndef MP_PROBE_CPU_LEFT_H
#define MP_PROBE_CPU_LEFT_H

#include "probe/cpu.h"

/** mp_cpu_left_plan() - want a few lengths behind the edge, where it has room for
 * two levels and no single hops tell of it; 0 or -ENOMEM */
int mp_cpu_left_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_plan *plan);

/** mp_cpu_left_find() - the level is in doubt where such lines take less than
 * what lies beyond; 0 or -ENOMEM */
int mp_cpu_left_find(const struct mp_view *view, struct mp_cpu_edges *edges);

#endif
