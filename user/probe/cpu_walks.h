/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which hops look like misses, but pay for a page?
 *
 * The first hop of a ring in a page waits for its translation. Where that takes
 * as long as a miss, one hop in eight of a ring with eight slots a page looks
 * like one from where the ring has more pages than TLBs know: the edge of no
 * cache. A ring of as many pages with a single slot in each fills the sets that
 * it meets just as far, so the same share of its hops misses; but all of them
 * are the first in their page.
 */
#ifndef MP_PROBE_CPU_WALKS_H
#define MP_PROBE_CPU_WALKS_H

#include "probe/cpu.h"

/** MP_CPU_WALKS - lengths that tell, at most */
#define MP_CPU_WALKS 64u

/**
 * struct mp_cpu_walks - what pages cost rings of a level
 * @n: lengths
 * @length: of each, bytes, by rising length
 * @share: of all hops of the longer ring, those that would look like misses if
 *	none were
 */
struct mp_cpu_walks {
	uint32_t n;
	double length[MP_CPU_WALKS];
	double share[MP_CPU_WALKS];
};

/**
 * mp_cpu_walks_plan() - want rings of single slots near the edges of the levels
 *
 * Only where single hops are timed over small pages, of which rings have few
 * slots. Return: 0 or -ENOMEM.
 */
int mp_cpu_walks_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_plan *plan);

/** mp_cpu_walks_gather() - what they were: sets @walks of the edges; 0 or
 * -ENOMEM */
int mp_cpu_walks_gather(const struct mp_view *view,
			struct mp_cpu_edges *edges);

/** mp_cpu_walks_find() - what they say of the rings of @curve, of which level
 * @k is asked */
void mp_cpu_walks_find(const struct mp_cpu_edges *edges,
		       const struct mp_curve *curve, uint32_t k,
		       struct mp_cpu_walks *out);

/** mp_cpu_walks_at() - the share of a length, 0..1; 0 where nothing tells */
double mp_cpu_walks_at(const struct mp_cpu_walks *walks, double length);

#endif
