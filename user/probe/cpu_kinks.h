/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does an edge rise as that of one level does? Where pages or lines lie anywhere it
 * begins long before the level is full: one that does not, and is said to be such, is
 * that of a smaller level, and the rest of it another's. So it is where they matter to
 * the upper part of an edge only; or where one all but rests on its way up.
 */
#ifndef MP_PROBE_CPU_KINKS_H
#define MP_PROBE_CPU_KINKS_H

#include "probe/cpu_edges.h"

/**
 * mp_cpu_kinks_find() - does the edge of the innermost level look like two?
 *
 * By means, where nothing else puts a level in doubt; edges further out may be those of
 * other pages than the curve's. Where single hops tell of that level: do rings without
 * clocks in between take longer well within it? Sets @doubt.
 */
void mp_cpu_kinks_find(struct mp_cpu_edges *edges);

#endif
