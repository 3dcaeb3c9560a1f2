/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fits of edges and pairs of edges, remembered: probes fit all edges of a CPU
 * anew each round, over data that hardly changed.
 */
#ifndef MP_EDGE_KEPT_H
#define MP_EDGE_KEPT_H

#include "analysis/edge.h"
#include "analysis/pair.h"

/** mp_edge_fit_kept() - what mp_edge_fit() answers, made once; not for
 * several threads at a time */
int mp_edge_fit_kept(const struct mp_edge_data *data,
		     const struct mp_miss_table *table, uint64_t seed,
		     struct mp_edge *edge);

/**
 * mp_edge_fit_inside() - the same, with what fits best inside what is tried
 * @data: where the best capacity is the least of those, there may be better ones
 *	below: @from is moved there, as far as there are points and they are.
 *	Denser rings show the levels of sparse ones, or smaller; so it is not
 *	looked for above
 */
int mp_edge_fit_inside(struct mp_edge_data *data,
		       const struct mp_miss_table *table, uint64_t seed,
		       struct mp_edge *edge);

/** mp_pair_fit_kept() - what mp_pair_fit() answers, in the same way */
int mp_pair_fit_kept(const struct mp_edge_data *data,
		     const struct mp_miss_table *table, struct mp_pair *pair);

#endif
