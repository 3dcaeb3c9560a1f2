/* SPDX-License-Identifier: GPL-2.0 */
/* Levels that means leave in doubt, as they are with memory nearer than it is;
 * cpu_near.c says how. */
#ifndef MP_CPU_NEAR_H
#define MP_CPU_NEAR_H

#include "probe/cpu.h"

/** mp_cpu_near_plan() - want hops one by one at all lengths, where means leave
 * a level in doubt; 0 or -ENOMEM */
int mp_cpu_near_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_plan *plan);

/**
 * mp_cpu_near_find() - where a level is in doubt: are there levels that leave
 * none, however near memory is taken to be?
 * @edges: gets them, if there are
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_near_find(const struct mp_view *view, struct mp_cpu_edges *edges);

/** mp_cpu_near_same() - are these the same levels, one and all?
 * @a: gets limits that hold what either says, if they are */
bool mp_cpu_near_same(struct mp_cpu_edges *a, const struct mp_cpu_edges *b);

#endif
