/* SPDX-License-Identifier: GPL-2.0 */
/* What edges of means say that lengths take. */
#ifndef MP_CPU_EXPLAINED_H
#define MP_CPU_EXPLAINED_H

#include "probe/cpu.h"

/** MP_CPU_UNEXPLAINED - slower, in logarithm, than shapes make a length, and the
 * one before; levels are at least 1.6 apart. Faster it may be: some levels keep
 * a part of a ring that no shape has. But not just before it is slower */
#define MP_CPU_UNEXPLAINED 0.26

/** mp_cpu_innermost() - the innermost level's latency, where nothing else
 * counts; the dense curve may begin beyond that */
double mp_cpu_innermost(const struct mp_cpu_edges *edges);

/** mp_cpu_private_levels() - how many there are; others crowd what is shared, at
 * lengths of their own choice */
uint32_t mp_cpu_private_levels(const struct mp_cpu_edges *edges);

/** mp_cpu_last_of() - the last length of a curve up to @end; NULL */
const struct mp_curve_at *mp_cpu_last_of(const struct mp_curve *curve,
					 double end);

/** mp_cpu_unexplained() - the first length that takes longer than the edges
 * explain; NAN
 * @inside: what the innermost level takes */
double mp_cpu_unexplained(const struct mp_cpu_edges *edges, double inside);

#endif
