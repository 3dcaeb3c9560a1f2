// SPDX-License-Identifier: GPL-2.0
/* How often lengths around an edge are measured. */
#include "probe/cpu_often.h"

/* Replicates of edges in means, beyond the usual. */
#define MORE_REPLICATES 4
/* Limits so far apart are worth more replicates. */
#define UNSURE 1.2
/* Limits so far apart that the answer would not count as measured are worth
 * still more. */
#define UNSETTLED 1.27

uint32_t mp_cpu_edge_replicates(const struct mp_view *view,
				const struct mp_cpu_edges *edges, uint32_t k,
				uint32_t looks)
{
	const struct mp_edge *edge = &edges->edge[k];
	uint32_t n = mp_cpu_replicates(view) +
		     (edges->single ? 0 : MORE_REPLICATES);
	struct mp_sweep sweep;

	/* Scattered pages with no second opinion want more of them. */
	if (!mp_cpu_side_sweep(view, 1, &sweep) || mp_cpu_small_pages(edges, k))
		n *= 2;
	if (!edges->fitted[k])
		return n;
	if (looks && edge->high > edge->low * UNSURE)
		n *= 2;
	if (looks > 1 && view->depth != MP_DEPTH_QUICK &&
	    (k == edges->doubt.level || edge->high > edge->low * UNSETTLED))
		n *= 2;
	/* The fit looks at no more. */
	return n < MP_EDGE_PASSES ? n : MP_EDGE_PASSES;
}
