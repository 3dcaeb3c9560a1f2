/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does an edge rise as that of one level does? Where pages or lines lie anywhere it
 * begins long before the level is full: one that does not, and is said to be such, is
 * that of a smaller level, and the rest of it another's. So it is where they matter to
 * the upper part of an edge only.
 */
#ifndef MP_PROBE_CPU_KINKS_H
#define MP_PROBE_CPU_KINKS_H

#include "probe/cpu_edges.h"

/**
 * mp_cpu_kinked() - does the edge of level @k, by means, look like two?
 * @length: where it has not begun, or the end of its foot; as it was if it does not
 */
bool mp_cpu_kinked(const struct mp_cpu_edges *edges, uint32_t k, double *length);

/** mp_cpu_kinks_doubt() - where nothing else puts a level in doubt: does the edge of the
 * innermost look like two? Sets @doubt */
void mp_cpu_kinks_doubt(struct mp_cpu_edges *edges);

/**
 * mp_cpu_moves_within() - do rings without clocks in between take longer well within the
 * innermost level that single hops tell of?
 *
 * Of two levels a clock's step apart, or less, they make one.
 * @length: gets the first that does
 */
bool mp_cpu_moves_within(const struct mp_cpu_edges *edges, double *length);

#endif
