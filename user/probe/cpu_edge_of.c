// SPDX-License-Identifier: GPL-2.0
/* One edge of a level of a CPU: what explains it, and how far pages and slices may
 * have moved it. */
#include "probe/cpu_edges.h"

#include <math.h>

#include "analysis/edge_kept.h"

/* A fit over fewer lengths, or one that leaves more than this share of the
 * jump, explains nothing. */
#define FIT_POINTS 6u
#define MISFIT_MAX 0.12
/* Replicates that differ by more say that pages are scattered; and by how
 * much the capacity is uncertain then, where sets are no power of two. */
#define SWAYS 1.05
#define SWAYS_ERROR 1.25
/* .. and by how much where replicates of single hops were compared with a
 * model of their spread, and places for a page seem to be few: of a thousand
 * levels of 1 to 20 ways, of four policies and of any number of sets, over
 * pages drawn at random, no limits near enough to make a measured size were
 * off then. */
#define PLACES_FEW 2.5
#define PLACES_ERROR 1.12
/* The middle of such an edge may lie half a way of two beyond the capacity,
 * and limits a little further out. */
#define MANY_WAYS 24u
#define FEW_WAYS 1.3

/* Lines fall on sets neither evenly nor at random, which is as if these had
 * many ways: a hash over slices may do that to sets of two. Small levels are
 * no shared ones, whose pages the machine below this one scatters. */
static bool is_hashed(const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_edge *edge)
{
	const struct mp_miss_shape *shape = &edges->table->shape[edge->shape];

	return shape->scatter != 0 &&
	       (shape->ways >= MANY_WAYS || mp_cpu_has_sides(edges, k));
}

/* .. or replicates say that sets are not filled alike; of means, if there is more than one
 * huge page: what lies in one lies in a row. */
static bool is_uneven(const struct mp_edge_data *data,
		      const struct mp_miss_table *table,
		      const struct mp_edge *edge)
{
	return table->shape[edge->shape].scatter == 0 &&
	       edge->sway > (data->is_share ? MP_CPU_UNEVEN : SWAYS) &&
	       (data->is_share || edge->size > MP_CPU_HUGE_PAGE);
}

/* Pages that begin anywhere in a count of sets that is no power of two, and
 * cover it in part, are not what shapes are made for: how much that may move
 * a capacity. Where replicates are compared with what they should differ by
 * only few places matter. */
static double pages_error(const struct mp_edge_data *data,
			  const struct mp_miss_table *table,
			  const struct mp_edge *edge)
{
	const struct mp_miss_shape *shape = &table->shape[edge->shape];
	const double places = edge->size / (shape->ways * data->page_bytes);

	if (edge->still)
		return 1;
	/* Of what may be hashed a small spread says nothing. */
	if (!data->is_share || data->may_hash)
		return edge->sway > SWAYS ? SWAYS_ERROR : 1;
	return shape->scatter == 0 || places < PLACES_FEW ? PLACES_ERROR : 1;
}

bool mp_cpu_edge_of(const struct mp_view *view, const struct mp_cpu_edges *edges,
		    uint32_t k, bool is_main, struct mp_edge_data *data,
		    struct mp_edge *edge)
{
	bool ok;

	data->may_hash = k >= MP_CPU_FIRST_HASHED;
	data->scatters = data->page_bytes > 0 && !is_main ?
			 MP_EDGE_EVEN | MP_EDGE_RANDOM : MP_EDGE_ANY;
	if (data->n < FIT_POINTS ||
	    mp_edge_fit_inside(data, edges->table, view->seed + k, edge))
		return false;
	ok = edge->misfit <= MISFIT_MAX;
	if (edges->full && data->page_bytes > 0) {
		const double error = pages_error(data, edges->table, edge);

		edge->low /= error;
		edge->high *= error;
	}
	if (!data->may_hash || data->page_bytes > 0)
		return ok;
	if (is_hashed(edges, k, edge))
		edge->low /= FEW_WAYS;
	if (is_uneven(data, edges->table, edge))
		edge->high *= FEW_WAYS;
	return ok;
}

double mp_cpu_sway_error(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	return !edges->single && mp_cpu_has_sides(edges, k) &&
	       edges->table->shape[edge->shape].scatter == 0 &&
	       edge->sway > SWAYS ? SWAYS_ERROR : 1;
}
