/* SPDX-License-Identifier: GPL-2.0 */
/* Latencies by rings that are timed many hops at a time. */
#ifndef MP_LATENCY_RINGS_H
#define MP_LATENCY_RINGS_H

#include "probe/cpu.h"
#include "probe/latency_after.h"

/** MP_LATENCY_CHECK_REPLICATES - of the ring that single hops are checked
 * against */
#define MP_LATENCY_CHECK_REPLICATES 3

/** MP_LATENCY_PURE - a ring of which no smaller share of the hops ends in a level
 * shows its latency */
#define MP_LATENCY_PURE 0.985

/**
 * mp_latency_pure_point() - the length of a curve that shows level @k best
 * @replicates: of a length that counts, at least
 * @own: gets the share of its hops that end in the level
 *
 * Return: the length, NULL where none was measured so often.
 */
const struct mp_curve_at *
mp_latency_pure_point(const struct mp_cpu_edges *edges,
		      const struct mp_curve *curve, uint32_t k,
		      uint32_t replicates, double *own);

/**
 * mp_latency_rings_plan() - want the rings that show level @k, and what their
 * pages cost
 *
 * Return: 0 or -ENOMEM.
 */
int mp_latency_rings_plan(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k,
			  uint32_t replicates, struct mp_plan *plan);

/**
 * mp_latency_rings() - what they say
 * @pair: gets it, or why they do not tell
 * @inner: cycles and ns of the level inside; gets those of this one
 */
void mp_latency_rings(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_latency *pair, double inner[2]);

/** mp_latency_go_by_edge() - a level that cannot be seen alone is what its
 * edge's fit has inside; @inner: gets cycles and ns */
void mp_latency_go_by_edge(const struct mp_cpu_edges *edges, uint32_t k,
			   double inner[2]);

#endif
