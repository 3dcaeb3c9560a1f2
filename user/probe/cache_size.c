// SPDX-License-Identifier: GPL-2.0
/*
 * Probe cache-size: how large is each level?
 *
 * A curve of latency over footprint, each line of the footprint visited
 * once a turn in a random order that keeps to a few pages at a time, so
 * that translation costs next to nothing. The capacity is where misses set
 * in, found by fitting the miss share of a cyclic walk to each edge.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "analysis/stat.h"
#include "backend.h"
#include "probe/cpu.h"
#include "probe/cpu_after.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_between.h"
#include "probe/cpu_count.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_flat.h"
#include "probe/cpu_groups.h"
#include "probe/cpu_groups_wide.h"
#include "probe/cpu_left.h"
#include "probe/cpu_often.h"
#include "probe/cpu_size.h"
#include "probe/cpu_walks.h"
#include "probe/cpu_witness.h"

#define FROM 1024.0
/* The curve: a length each octave, two where it rises by more than this
 * factor and so far on either side; up to here. */
#define GRAIN 2
#define RISES 1.04
#define RISE_ROOM 1.5
#define QUICK_TO (64 * MP_MIB)
/* Nothing is learnt of an edge further beyond it. */
#define HIGH_MAX 8.0
/* Lengths above cost tenths of a second each. */
#define DEAR (48 * MP_MIB)
#define QUICK_DEAR (8 * MP_MIB)
#define DEFAULT_TO (256 * MP_MIB)
/* The dense one ends so far beyond the outermost edge. */
#define DENSE_BEYOND 2.1
/* .. and wide rings so far, as all hops have to miss in the end. */
#define WIDE_BEYOND 3.0
/* .. and hops one by one so far at the least. */
#define GROUPS_TO (256.0 * 1024)
/* Around an edge, this many to the octave; where it is sharp more, and for
 * a shared level fewer at first, as each length is dear. */
#define EDGE_GRAIN 8
#define SHARP_GRAIN 16
#define DEAR_GRAIN 4
/* Replicates of the first look at an edge. */
#define LOOK_REPLICATES 3
/* Looks at an edge, each with more replicates where that tells more. */
#define LOOKS 3u
/* Limits of an edge as sharp as evenly filled sets make it. */
#define SHARP 1.1
#define DEAR_SHARP 1.4

/* Where the wished pages were not to be had, the first look had small ones
 * already, scattered or not. */
static bool is_same_side(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *side = mp_cpu_level_side(edges, k, 0);
	const struct mp_grant *grant;

	if (!side->n)
		return false;
	grant = &side->at[side->n - 1].batch[0]->grant;
	return grant->n_arenas && grant->arena[0].pages == MP_PAGES_4K;
}

/* Beyond the innermost, levels are indexed by physical address, and huge
 * pages are contiguous only as far as the machine below this one grants.
 * Small pages are scattered in any case: a second opinion, where the first
 * look is not plain. */
static int plan_sides(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      uint32_t looks, double end, struct mp_plan *plan)
{
	const bool told = mp_cpu_has_shares(edges, k);
	const bool dear = told && !mp_cpu_has_sides(edges, k);
	const uint32_t n = dear ? LOOK_REPLICATES :
				  mp_cpu_edge_replicates(view, edges, k, looks);
	/* Means want more of everything than single hops do. */
	const bool plain = told && mp_cpu_edge_plain(edges, k);
	const bool fitted = edges->fitted[k];
	const struct mp_edge *edge = &edges->edge[k];
	double low = edges->level[k].low_bytes / 1.2;
	double size = edges->level[k].size_bytes;
	/* Where longer lines hide misses, hops never all come to miss: what
	 * lies at the curve's end is no edge, wherever that is moved to. */
	double high = fmin(edges->level[k].high_bytes * 1.2, size * HIGH_MAX);
	struct mp_sweep sweep;
	int err = 0;

	/* A blurred edge is told from others by all of its slope. */
	if (!told || (fitted && !dear && !plain)) {
		low = fmin(low, size / 2);
		high = fmax(high, size * 2);
	}
	high = fmin(high, end);
	if (low > high)
		return 0;
	for (uint32_t side = 0; side < MP_CPU_SIDES && !err; side++) {
		if (!mp_cpu_level_sweep(view, edges, k, side, &sweep) ||
		    (side && (plain || is_same_side(edges, k))))
			break;
		if (!dear)
			err = mp_cpu_grid(&sweep, view, size / 5,
					  fmin(size * 5, end), GRAIN,
					  told ? LOOK_REPLICATES : n,
					  plan);
		if (!err)
			err = mp_cpu_grid(&sweep, view, low, high, dear ?
					  DEAR_GRAIN : EDGE_GRAIN, n, plan);
	}
	/* Where it is sharp, more closely still. */
	if (err || !fitted ||
	    edge->high > edge->low * (dear ? DEAR_SHARP : SHARP))
		return err;
	mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	if (dear)
		return mp_cpu_grid(&sweep, view, edge->low / 1.05,
				   edge->high * 1.05, EDGE_GRAIN, n, plan);
	return mp_cpu_grid(&sweep, view, edge->size / 1.1, edge->size * 1.15,
			   SHARP_GRAIN, n, plan);
}

/* The innermost level, or one that others share. */
static int plan_edge(const struct mp_view *view, const struct mp_sweep *sweep,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_plan *plan)
{
	uint32_t n = mp_cpu_replicates(view);
	double size = edges->level[k].size_bytes;
	int err;

	/* Most of the stretch that the fit looks at, with all replicates .. */
	err = mp_cpu_grid(sweep, view, size / 3, fmin(size * 3, DEFAULT_TO),
			  GRAIN, n, plan);
	if (err)
		return err;
	/* .. the edge itself more closely .. */
	err = mp_cpu_grid(sweep, view, edges->level[k].low_bytes / 1.2,
			  edges->level[k].high_bytes * 1.2,
			  k ? DEAR_GRAIN : EDGE_GRAIN, n, plan);
	if (err || !edges->fitted[k])
		return err;
	/* .. and, as long as it is not dear, more closely still. */
	if (k && view->depth == MP_DEPTH_QUICK)
		return 0;
	size = edges->edge[k].size;
	return mp_cpu_grid(sweep, view, size / (k ? 1.3 : 1.15),
			   size * (k ? 1.3 : 1.15),
			   k ? EDGE_GRAIN : SHARP_GRAIN, n, plan);
}

/* Means of all lengths alike: noise may hide where the curve rises. */
static int plan_means(const struct mp_view *view, const struct mp_sweep *sweep,
		      double to, struct mp_plan *plan)
{
	double dear = view->depth == MP_DEPTH_QUICK ? QUICK_DEAR : DEAR;
	int err = mp_cpu_grid(sweep, view, FROM, fmin(dear, to), GRAIN,
			      LOOK_REPLICATES, plan);

	if (!err && to > dear)
		err = mp_cpu_grid(sweep, view, dear, to, 1, 1, plan);
	return err ? err : mp_sweep_plan(sweep, view, (uint64_t)to, 1, plan);
}

/* One replicate each octave up to @to, and more where the curve rises. */
static int plan_curve(const struct mp_view *view, const struct mp_sweep *sweep,
		      double to, struct mp_plan *plan)
{
	struct mp_curve curve;
	int err;

	if (!sweep->single)
		return plan_means(view, sweep, to, plan);
	err = mp_cpu_grid(sweep, view, FROM, to, 1, 1, plan);
	if (!err)
		err = mp_sweep_plan(sweep, view, (uint64_t)to, 1, plan);
	if (!err)
		err = mp_sweep_gather(sweep, view, &curve);
	if (err)
		return err;
	for (uint32_t i = 1; i < curve.n && !err; i++) {
		const struct mp_curve_at *a = &curve.at[i - 1], *b = a + 1;

		if (b->mid_ns > a->mid_ns * RISES)
			err = mp_cpu_grid(sweep, view, (double)a->length / RISE_ROOM,
					  fmin((double)b->length * RISE_ROOM, to),
					  GRAIN, LOOK_REPLICATES, plan);
	}
	mp_curve_free(&curve);
	return err;
}

/* How far to look at all. */
static double end_of(const struct mp_view *view)
{
	double to = view->depth == MP_DEPTH_QUICK ? QUICK_TO : DEFAULT_TO;

	return fmin(to, (double)view->arena_max_bytes);
}

/* The dense curve: as far as the levels reach, and a little. */
static double dense_end(const struct mp_view *view,
			const struct mp_cpu_edges *edges)
{
	double end = end_of(view);

	return edges->n ? fmin(edges->level[edges->n - 1].high_bytes *
			       DENSE_BEYOND, end) : end;
}

/* Where the levels of sparse rings end; 0: none was seen. */
static int sparse_end(const struct mp_view *view, double *end)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_sweep sweep;
	struct mp_curve sparse;
	uint32_t n = 0;
	int err;

	*end = 0;
	mp_cpu_sparse_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &sparse);
	if (err)
		return err;
	err = mp_cpu_levels(&sparse, level, &n, NULL);
	mp_curve_free(&sparse);
	if (n)
		*end = level[n - 1].high_bytes;
	return err == -ENOMEM ? err : 0;
}

/* How far edges are looked for: rings of every line see the same levels as
 * sparse ones, or smaller. */
static int edges_end(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, double *end)
{
	int err = 0;

	*end = 0;
	if (edges->full)
		err = sparse_end(view, end);
	*end = *end > 0 ? *end * WIDE_BEYOND : INFINITY;
	return err;
}

/* The longest ring that was walked; 0: none was. */
static int longest_of(const struct mp_view *view, const struct mp_sweep *sweep,
		      double *longest)
{
	struct mp_curve curve;
	const int err = mp_sweep_gather(sweep, view, &curve);

	if (err)
		return err;
	*longest = curve.n ? (double)curve.at[curve.n - 1].length : 0;
	mp_curve_free(&curve);
	return 0;
}

/* Rings of every line, where sparse ones do not fill sets evenly; and where there
 * is a level that no sparse one fills, as far as that shows. What was walked further
 * out leaves no hole: means may not have seen the last level there. */
static int plan_full(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	uint64_t length;
	double end, longest;
	int err = sparse_end(view, &end);

	if (err || !(end > 0))
		return err;
	err = mp_cpu_witness_hides(view, &length);
	if (err)
		return err;
	mp_cpu_side_sweep(view, 0, &sweep);
	err = longest_of(view, &sweep, &longest);
	if (err)
		return err;
	end = fmax(end * 1.5, (double)length);
	if (sweep.single)
		end = fmax(end, longest);
	return plan_curve(view, &sweep, fmin(end, end_of(view)), plan);
}

/* .. and where levels have longer lines, rings of more and more distance,
 * until one has a slot for each line of each level. */
static int plan_wide(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, double end,
		     struct mp_plan *plan)
{
	struct mp_sweep sweep;
	int err = 0;

	if (!edges->full)
		return 0;
	for (uint32_t w = 1; w <= MP_CPU_WIDTHS && !err; w++) {
		bool is_wanted = edges->muddled < MP_CPU_LEVELS ||
				 edges->lacks_broad;

		for (uint32_t k = 0; k < edges->n; k++)
			is_wanted = is_wanted || edges->width[k] >= w;
		if (!is_wanted ||
		    !(edges->groups.n || edges->lacks_broad ?
		      mp_cpu_groups_wide_sweep(view, w, 0, &sweep) :
		      mp_cpu_wide_sweep(view, w, 0, &sweep)))
			break;
		err = plan_curve(view, &sweep, fmin(end, end_of(view)), plan);
		plan->stage++;
	}
	return err;
}

/* .. and those of every second line, which means are taken of. */
static int plan_main(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	double end;
	int err = sparse_end(view, &end);

	if (err)
		return err;
	mp_cpu_main_sweep(view, &sweep);
	return plan_means(view, &sweep, end > 0 ?
			  fmin(end * DENSE_BEYOND, end_of(view)) :
			  end_of(view), plan);
}

/* .. and where the clock tells groups of levels, their hops one by one. */
static int plan_groups(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	double end;
	int err;

	/* Else the first curve has them. */
	if (!mp_cpu_groups_asked(view) || mp_cpu_times_hops(view))
		return 0;
	err = sparse_end(view, &end);
	if (err || !(end > 0))
		return err;
	mp_cpu_groups_sweep(view, 0, &sweep);
	end = fmax(end * WIDE_BEYOND, GROUPS_TO);
	return plan_curve(view, &sweep, fmin(end, end_of(view)), plan);
}

/* Is there a level that others may share, with an edge that is not plain? */
static bool any_shared(const struct mp_cpu_edges *edges)
{
	for (uint32_t k = 0; k < edges->n; k++)
		if (!mp_cpu_has_sides(edges, k) && !edges->width[k] &&
		    !edges->by[k] && !mp_cpu_edge_plain(edges, k))
			return true;
	return false;
}

/* The dense curve of means was drawn at first; else only if it is needed. */
static int plan_shared(const struct mp_view *view, const struct mp_sweep *sweep,
		       const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	int err = 0;

	if (edges->single && !any_shared(edges))
		return 0;
	if (edges->single)
		err = plan_curve(view, sweep, dense_end(view, edges), plan);
	plan->stage++;
	for (uint32_t k = 1; k < edges->n && !err; k++)
		if (!mp_cpu_has_sides(edges, k) && !edges->width[k] &&
		    !edges->by[k])
			err = plan_edge(view, sweep, edges, k, plan);
	return err;
}

static int plan_levels(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_cpu_edges edges;
	struct mp_sweep sweep;
	double end;
	int err = mp_cpu_edges_find(view, &edges);

	if (err)
		return err == -ENODATA ? 0 : err;
	mp_cpu_main_sweep(view, &sweep);
	err = edges_end(view, &edges, &end);
	if (!err)
		err = mp_cpu_groups_plan(view, &edges, plan);
	if (!err)
		err = plan_wide(view, &edges, end, plan);
	for (uint32_t k = 0; k < edges.n && !err; k++)
		err = mp_cpu_witness_plan(view, &edges, k, plan);
	if (!err && edges.flat)
		err = mp_cpu_witness_plan_end(view, plan);
	plan->stage++;
	/* A few hops that say whether one is missed: whatever there is time for. */
	if (!err && !edges.groups.n)
		err = mp_cpu_between_plan(view, &edges, plan);
	if (!err)
		err = mp_cpu_doubt_plan(view, &edges, plan);
	plan->stage++;
	/* Along with the first look at the edges. */
	if (!err)
		err = mp_cpu_walks_plan(view, &edges, plan);
	for (uint32_t i = 0; i < LOOKS && !err; i++, plan->stage++) {
		for (uint32_t k = 0; k < edges.n && !err; k++)
			err = k || edges.single || edges.by[k] ?
			      plan_sides(view, &edges, k, i, end, plan) :
			      plan_edge(view, &sweep, &edges, k, plan);
		plan->stage++;
		if (!err)
			err = mp_cpu_count_plan_all(view, &edges, plan);
	}
	/* A level in doubt leaves nothing known of those further out. */
	if (!err)
		err = mp_cpu_after_plan(view, &edges, plan);
	/* Private levels are cheap to look at. What is left of the time goes
	 * into one that is shared, and moves anyway. */
	plan->stage++;
	for (uint32_t k = 1; k < edges.n && !err; k++)
		if (edges.edge[k - 1].size > edges.edge[k].size * MP_CPU_LITTLE)
			err = mp_cpu_beside_plan(view, &edges, k, plan);
	plan->stage++;
	if (!err)
		err = plan_shared(view, &sweep, &edges, plan);
	plan->stage++;
	if (!err)
		err = mp_cpu_flat_plan(view, &edges, plan);
	if (!err)
		err = mp_cpu_left_plan(view, &edges, plan);
	plan->stage++;
	for (uint32_t k = 0; k < edges.n && !err; k++)
		err = mp_cpu_size_plan(view, &edges, k, plan);
	mp_cpu_edges_free(&edges);
	return err;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	bool full;
	int err;

	mp_cpu_sparse_sweep(view, &sweep);
	err = plan_curve(view, &sweep, end_of(view), plan);
	if (!err)
		err = mp_sweep_plan(&sweep, view, (uint64_t)fmin(DEFAULT_TO,
				    (double)view->arena_max_bytes), 1, plan);
	plan->stage++;
	if (!err && view->n_batches && !mp_cpu_times_hops(view))
		err = plan_main(view, plan);
	plan->stage++;
	if (!err && view->n_batches)
		err = plan_groups(view, plan);
	plan->stage++;
	if (!err)
		err = mp_cpu_is_full(view, MP_CPU_PRIVATE, &full);
	if (!err && full)
		err = plan_full(view, plan);
	if (!err)
		err = plan_levels(view, plan);
	return err ? err : 1;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct mp_cpu_edges edges;
	const int missing = mp_cpu_edges_find(view, &edges);
	int err = 0;

	if (missing && missing != -ENODATA)
		return missing;
	for (uint32_t k = 0; k < MP_CPU_LEVELS && !err; k++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view,
						   mp_cpu_level_name[k],
						   "size", "bytes");

		if (!fact)
			return -ENOMEM;
		if (missing) {
			mp_fact_cannot(fact, "bytes",
				       "too noisy: no usable latency curve");
		} else if (k < edges.n) {
			err = mp_cpu_size_judge(view, &edges, k, fact);
		} else {
			mp_cpu_size_absent(&edges, fact);
		}
	}
	if (!missing)
		mp_cpu_edges_free(&edges);
	return err;
}

const struct mp_probe mp_probe_cache_size = {
	.name = "cache-size",
	.asks = "how large is each level of cache?",
	.after = "line-l1d",
	.facts = "cpu.l1d.size,cpu.l2.size,cpu.l3.size,cpu.l4.size",
	.needs = MP_CAP_CHASE,
	.weight = 40,
	.quick = true,
	.next = next,
	.infer = infer,
};
