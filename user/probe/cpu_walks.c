// SPDX-License-Identifier: GPL-2.0
#include "probe/cpu_walks.h"

#include <math.h>

#include "probe/cpu_edges.h"
#include "probe/cpu_groups.h"

#define PAGE 4096u
#define REPLICATES 4u
/* So many lengths to the octave, so far on either side of an edge. */
#define GRAIN 8
#define AROUND 1.5
/* .. and at first so far beyond where it is about, and where nearly all miss. */
#define FIRST 1.1
/* Rings with more slots a page pay for one hop in 16, and less: no matter. */
#define STRIDE_LEAST 256u
/* Where fewer hops hit, too few are left that may be slow for their page. */
#define HITS_LEAST 0.15
/* Each replicate lies on pages of its own: fewer dear ones may be that. */
#define DEAR_LEAST 0.12

static void walks_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	/* Small pages that were asked for, or those that came. */
	if (!mp_cpu_groups_sweep(view, 1, sweep))
		mp_cpu_groups_sweep(view, 0, sweep);
	sweep->stride = PAGE;
	sweep->reach = 0;
}

static uint64_t stride_of(const struct mp_curve *curve)
{
	return curve->at[0].batch[0]->exp.actor[0].stride;
}

static bool is_small(const struct mp_curve_at *at)
{
	const struct mp_grant *grant = &at->batch[0]->grant;

	return grant->n_arenas && grant->arena[0].pages == MP_PAGES_4K;
}

static double misses(const struct mp_cpu_edges *edges,
		     const struct mp_curve_at *at, uint32_t k)
{
	return mp_cpu_share_of(at, &edges->spectrum, k);
}

/* What misses of a curve, between the lengths on either side; NAN. */
static double misses_at(const struct mp_cpu_edges *edges,
			const struct mp_curve *curve, double length, uint32_t k)
{
	const struct mp_curve_at *a, *b;
	double from, part;
	uint32_t i = 0;

	while (i < curve->n && (double)curve->at[i].length < length)
		i++;
	if (i == curve->n || !i)
		return NAN;
	a = &curve->at[i - 1];
	b = &curve->at[i];
	from = misses(edges, a, k);
	part = log(length / (double)a->length) /
	       log((double)b->length / (double)a->length);
	return is_small(a) && is_small(b) ?
	       from + part * (misses(edges, b, k) - from) : NAN;
}

/*
 * Of the hops of a ring that hit, the first ones of their page: of those so many
 * look like misses. Misses @m and these make 1 - (1 - m) (1 - w) of a ring
 * of single slots, and 1 - (1 - m) (1 - w v) of one where v are first ones.
 */
static double dear(double single, double several, double first)
{
	const double hits = (1 - single) / (1 - several);
	const double w = hits < 1 ? (1 - hits) / (1 - hits * first) : 0;

	return w > DEAR_LEAST ? fmin(w, 1) : 0;
}

void mp_cpu_walks_find(const struct mp_cpu_edges *edges,
		       const struct mp_curve *curve, uint32_t k,
		       struct mp_cpu_walks *out)
{
	double first;

	out->n = 0;
	if (!curve->n || stride_of(curve) >= PAGE)
		return;
	first = (double)stride_of(curve) / PAGE;
	for (uint32_t i = 0; i < edges->walks.n && out->n < MP_CPU_WALKS; i++) {
		const struct mp_curve_at *at = &edges->walks.at[i];
		const double length = (double)at->length;
		const double single = misses(edges, at, k);
		const double several = misses_at(edges, curve, length, k);

		/* NAN is neither. */
		if (!is_small(at) || !(single <= 1) ||
		    !(several <= 1 - HITS_LEAST))
			continue;
		out->length[out->n] = length;
		out->share[out->n++] = first * dear(single, several, first);
	}
}

double mp_cpu_walks_at(const struct mp_cpu_walks *walks, double length)
{
	uint32_t i = 0;
	double part;

	while (i < walks->n && walks->length[i] < length)
		i++;
	if (i == walks->n)
		return i ? walks->share[i - 1] : 0;
	if (!i)
		return walks->share[0];
	part = log(length / walks->length[i - 1]) /
	       log(walks->length[i] / walks->length[i - 1]);
	return walks->share[i - 1] +
	       part * (walks->share[i] - walks->share[i - 1]);
}

/* Longer rings do not have fewer dear pages: where some of those tell of none
 * all are as they should be. */
static bool any_dear(const struct mp_cpu_edges *edges,
		     const struct mp_curve *side, uint32_t k)
{
	struct mp_cpu_walks walks;

	mp_cpu_walks_find(edges, side, k, &walks);
	for (uint32_t i = 0; i < walks.n; i++)
		if (walks.share[i] > 0)
			return true;
	return false;
}

static int plan_level(const struct mp_view *view,
		      const struct mp_cpu_edges *edges,
		      const struct mp_sweep *sweep, uint32_t k,
		      struct mp_plan *plan)
{
	const struct mp_level *level = &edges->level[k];
	const struct mp_curve *side = mp_cpu_level_side(edges, k, 0);
	int err;

	if (!side->n || stride_of(side) < STRIDE_LEAST ||
	    (sweep->pages != MP_PAGES_4K && !mp_cpu_small_pages(edges, k)))
		return 0;
	if (any_dear(edges, side, k))
		return mp_cpu_grid(sweep, view, level->low_bytes / AROUND,
				   level->high_bytes * AROUND, GRAIN,
				   REPLICATES, plan);
	err = mp_cpu_grid(sweep, view, level->size_bytes,
			  level->size_bytes * FIRST, GRAIN, REPLICATES, plan);
	return err ? err : mp_cpu_grid(sweep, view, level->high_bytes,
				       level->high_bytes * FIRST, GRAIN,
				       REPLICATES, plan);
}

int mp_cpu_walks_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	int err = 0;

	walks_sweep(view, &sweep);
	for (uint32_t k = 0; k < edges->n && !err; k++)
		if (mp_cpu_has_shares(edges, k))
			err = plan_level(view, edges, &sweep, k, plan);
	return err;
}

int mp_cpu_walks_gather(const struct mp_view *view,
			struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;

	if (!edges->single && !edges->groups.n)
		return 0;
	walks_sweep(view, &sweep);
	return mp_sweep_gather(&sweep, view, &edges->walks);
}
