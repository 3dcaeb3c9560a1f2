/* SPDX-License-Identifier: GPL-2.0 */
/* Are the hops at an edge of the two kinds that it lies between? */
#ifndef MP_CPU_BETWEEN_H
#define MP_CPU_BETWEEN_H

#include "probe/cpu.h"

/**
 * mp_cpu_between_plan() - want the hops near the edges timed one by one
 *
 * Where single hops tell levels apart anyway nothing is wanted.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_between_plan(const struct mp_view *view,
			const struct mp_cpu_edges *edges,
			struct mp_plan *plan);

/**
 * mp_cpu_between_find() - the innermost edge at which some hops are slower
 * than the level inside and faster than what lies beyond, or behind which
 * hops at any edge take what no level takes
 * @length: gets a footprint that shows it
 * @alone: gets whether rings show the level inside by itself
 *
 * Return: its level; MP_CPU_LEVELS where none is seen.
 */
uint32_t mp_cpu_between_find(const struct mp_view *view,
			     const struct mp_cpu_edges *edges, double *length,
			     bool *alone);

/** mp_cpu_between_exp() - the hops of a ring at an edge one by one, @hops of them a
 * burst */
void mp_cpu_between_exp(const struct mp_view *view, uint64_t length,
			uint32_t hops, struct mp_exp *exp);

/** mp_cpu_between_slack() - a hop may be so far from what its level takes, on a
 * clock of such steps; cycles */
double mp_cpu_between_slack(double cycles, double step);

#endif
