/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latencies by groups of readings (cpu_groups.h): a clock too coarse for a single
 * hop has the mean of many of them right, and hops of other groups are left out
 * of that one by one, as are those that come to a page first.
 */
#ifndef MP_LATENCY_GROUPS_H
#define MP_LATENCY_GROUPS_H

#include "probe/latency_after.h"

/** mp_latency_groups_plan() - want a ring that level @k serves nearly all of, but
 * for hops of other groups; 0 or -ENOMEM */
int mp_latency_groups_plan(const struct mp_view *view,
			   const struct mp_cpu_edges *edges, uint32_t k,
			   struct mp_plan *plan);

/**
 * mp_latency_groups() - what that says, where neither rings nor a few lines tell
 * @pair: what those say; gets the latency
 * @inner: cycles and ns that the next level goes by
 *
 * Return: 0 or -ENOMEM.
 */
int mp_latency_groups(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_latency *pair, double inner[2]);

#endif
