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

#define FROM 1024.0
/* The curve: two lengths an octave; up to here with every depth. */
#define GRAIN 2
#define QUICK_TO (64 * MP_MIB)
#define DEFAULT_TO (256 * MP_MIB)
/* Lengths above cost tenths of a second each. */
#define DEAR (48 * MP_MIB)
#define QUICK_DEAR (8 * MP_MIB)
/* Around an edge, this many to the octave; where it is sharp more, and for
 * a shared level fewer at first, as each length is dear. */
#define EDGE_GRAIN 8
#define SHARP_GRAIN 16
#define DEAR_GRAIN 4
/* A capacity that single replicates see so far apart has moved. */
#define MOVED 1.35
#define SEEN_MIN 8u
/* .. and less far, seen by fewer, where limits say as well that it may. */
#define MOVED_LITTLE 1.22
#define SEEN_FEW 4u
/* Limits so far apart are worth more replicates. */
#define UNSURE 1.2
/* .. and so far that the answer would not count as measured, of still more. */
#define UNSETTLED 1.27
/* The two capacities of a doubtful level are known no better than this: its
 * shapes are few, and a shape in error moves both. */
#define PAIR_ROUGH 1.5
/* Limits of an edge as sharp as evenly filled sets make it. */
#define SHARP 1.1
/* Sharp enough for an outermost level to be a round number. */
#define VERY_SHARP 1.06

/* Beyond the innermost, levels are indexed by physical address, and huge
 * pages are contiguous only as far as the machine below this one grants.
 * Small pages are scattered in any case: a second opinion. */
static int plan_sides(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	uint32_t n = mp_cpu_replicates(view) + 4;
	double size = edges->level[k].size_bytes;
	struct mp_sweep sweep;
	int err = 0;

	/* Scattered pages with no second opinion want more of them, and so
	 * do limits that are still far apart. */
	if (!mp_cpu_side_sweep(view, 1, &sweep))
		n *= 2;
	if ((view->depth != MP_DEPTH_QUICK || view->pages == MP_PAGES_4K) &&
	    edges->fitted[k] &&
	    edges->edge[k].high > edges->edge[k].low * UNSURE)
		n *= 2;
	if (view->depth != MP_DEPTH_QUICK && edges->fitted[k] &&
	    (k == edges->doubt.level ||
	     edges->edge[k].high > edges->edge[k].low * UNSETTLED))
		n *= 2;
	/* The fit looks at no more. */
	if (n > MP_EDGE_PASSES)
		n = MP_EDGE_PASSES;
	for (uint32_t side = 0; side < MP_CPU_SIDES && !err; side++) {
		if (!mp_cpu_side_sweep(view, side, &sweep))
			break;
		err = mp_cpu_grid(&sweep, view, size / 5, size * 5, GRAIN, n,
				  plan);
		if (!err)
			err = mp_cpu_grid(&sweep, view, size / 2, size * 2,
					  EDGE_GRAIN, n, plan);
	}
	/* Where it is sharp, more closely still. */
	if (err || !edges->fitted[k] || edges->edge[k].high >
					edges->edge[k].low * SHARP)
		return err;
	size = edges->edge[k].size;
	mp_cpu_side_sweep(view, 0, &sweep);
	return mp_cpu_grid(&sweep, view, size / 1.1, size * 1.15, SHARP_GRAIN,
			   n, plan);
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

/* One curve from end to end. A sparse one is cheap to look far with, so its
 * end is looked at. */
static int plan_curve(const struct mp_view *view, const struct mp_sweep *sweep,
		      bool sparse, struct mp_plan *plan)
{
	bool quick = view->depth == MP_DEPTH_QUICK;
	double dear = quick ? QUICK_DEAR : DEAR;
	double end = fmin(DEFAULT_TO, (double)view->arena_max_bytes);
	double to = fmin(quick ? QUICK_TO : DEFAULT_TO, end);
	int err = mp_cpu_grid(sweep, view, FROM, dear, GRAIN, 3, plan);

	if (!err)
		err = mp_cpu_grid(sweep, view, dear, to, 1, 1, plan);
	if (!err && sparse)
		err = mp_sweep_plan(sweep, view, (uint64_t)end, 1, plan);
	return err;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_cpu_edges edges;
	struct mp_sweep sweep;
	int err;

	mp_cpu_side_sweep(view, 0, &sweep);
	err = plan_curve(view, &sweep, true, plan);
	mp_cpu_main_sweep(view, &sweep);
	if (!err)
		err = plan_curve(view, &sweep, false, plan);
	if (err)
		return err;
	err = mp_cpu_edges_find(view, &edges);
	if (err)
		return err == -ENODATA ? 1 : err;
	for (uint32_t k = 0; k < edges.n && !err; k++) {
		if (mp_cpu_has_sides(k, edges.level[k].size_bytes)) {
			err = plan_sides(view, &edges, k, plan);
			continue;
		}
		/* Private levels are cheap to look at. What is left of the
		 * time goes into one that is shared, and moves anyway. */
		plan->stage = k > 0;
		err = plan_edge(view, &sweep, &edges, k, plan);
	}
	mp_cpu_edges_free(&edges);
	return err ? err : 1;
}

static bool moved(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];
	bool unclear = edge->high > edge->low * MP_CPU_APART_MAX;

	/* Only the outermost level is shared with strangers. */
	if (!k || k + 1 != edges->n ||
	    mp_cpu_has_sides(k, edges->level[k].size_bytes))
		return false;
	return (edge->n_seen >= SEEN_MIN && edge->sway > MOVED) ||
	       (unclear && edge->n_seen >= SEEN_FEW &&
		edge->sway > MOVED_LITTLE);
}

static void note(const struct mp_cpu_edges *edges, uint32_t k,
		 struct mp_fact *fact)
{
	double low = edges->level[k].low_bytes / 1.5;
	double high = edges->level[k].high_bytes * 1.5;

	if (!mp_cpu_has_sides(k, edges->level[k].size_bytes))
		mp_curve_note(&edges->curve, low, high, fact);
	else
		for (uint32_t i = 0; i < MP_CPU_SIDES; i++)
			mp_curve_note(&edges->side[i], low, high, fact);
}

/* One level or two: it is at least as large as the inner of the two. */
static void in_doubt(const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_fact *fact)
{
	const struct mp_cpu_doubt *doubt = &edges->doubt;
	double size = edges->level[k].size_bytes;

	if (k > doubt->level) {
		mp_fact_cannot(fact, "bytes",
			       "a level of about %.0f KiB is there, but whether it is this one is not known, as %s may be two",
			       size / 1024, mp_cpu_level_name[doubt->level]);
		return;
	}
	fact->verdict = MP_AT_LEAST;
	fact->value = fact->low = round(doubt->size[0] / PAIR_ROUGH);
	fact->high = fmax(doubt->size[1], size);
	snprintf(fact->method, sizeof(fact->method),
		 "the inner one of two capacities that explain a curve together");
	snprintf(fact->reason, sizeof(fact->reason),
		 "one level of about %.0f KiB, or two near each other, %.0f and %.0f KiB: two explain the curve better, but no plateau shows between them",
		 size / 1024, doubt->size[0] / 1024, doubt->size[1] / 1024);
}

static void judge(const struct mp_cpu_edges *edges, uint32_t k,
		  struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k];
	const struct mp_miss_shape *shape =
		&edges->table->shape[edge->shape];

	snprintf(fact->method, sizeof(fact->method),
		 "capacity that explains where misses set in; best shape: sets filled %s, %u ways, %s",
		 shape->scatter == 0 ? "evenly" :
		 shape->scatter == 1 ? "at random" : "half at random",
		 shape->ways, mp_miss_policy_name(shape->policy));
	note(edges, k, fact);
	if (k >= edges->doubt.level) {
		in_doubt(edges, k, fact);
		return;
	}
	if (!edges->fitted[k]) {
		mp_fact_cannot(fact, "bytes",
			       "too noisy: the edge near %.0f KiB has no shape that a cache could give it",
			       edges->level[k].size_bytes / 1024);
		return;
	}
	/* Of a shared level what is left to us need not be round: where its
	 * edge is not sharp, the middle of all that explains it. */
	fact->value = k && k + 1 == edges->n && edge->high > edge->low * VERY_SHARP ?
		      sqrt(edge->low * edge->high) :
		      mp_stat_round(edge->low, edge->high, edge->size);
	fact->low = edge->low;
	fact->high = edge->high;
	fact->verdict = MP_MEASURED;
	/* An exclusive level's edge lies at the sum with the one inside. */
	if (k >= 2 && edge->low - edges->edge[k - 1].size >
		      edge->high / MP_CPU_APART_MAX)
		fact->low = edge->low - edges->edge[k - 1].size;
	if (moved(edges, k)) {
		fact->verdict = MP_VARIES;
		fact->value = edge->size;
		fact->low = fmin(edge->seen_low, edge->size);
		fact->high = fmax(edge->seen_high, edge->size);
		snprintf(fact->reason, sizeof(fact->reason),
			 "replicates a moment apart saw %.1f to %.1f MiB: what others leave of a shared cache",
			 fact->low / MP_MIB, fact->high / MP_MIB);
		if (edge->sway > MOVED)
			return;
		/* So little that the limits have a say in the range. */
		fact->low = fmin(fact->low, edge->low);
		fact->high = fmax(fact->high, edge->high);
		snprintf(fact->reason, sizeof(fact->reason),
			 "replicates a moment apart lie %.0f %% apart, and limits too far to call it measured: probably what others leave of a shared cache",
			 100 * (edge->sway - 1));
	} else if (edge->high / edge->low > MP_CPU_APART_MAX) {
		fact->verdict = MP_AT_LEAST;
		fact->value = edge->low;
		snprintf(fact->reason, sizeof(fact->reason),
			 "limits lie too far apart to call it measured; best estimate %.0f KiB",
			 edge->size / 1024);
	}
}

static void absent(const struct mp_cpu_edges *edges, struct mp_fact *fact)
{
	const struct mp_curve *curve = &edges->side[0];

	if (!edges->n || !mp_cpu_flat_at_end(curve)) {
		mp_fact_cannot(fact, "bytes", edges->n ?
			       "latency still rises at %.0f MiB, the end of the curve: what lies beyond is not known" :
			       "too noisy: no step in latency up to %.0f MiB",
			       (double)curve->at[curve->n - 1].length / MP_MIB);
		return;
	}
	if (edges->doubt.level < MP_CPU_LEVELS) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as %s may be two",
			       mp_cpu_level_name[edges->doubt.level]);
		return;
	}
	fact->verdict = MP_ABSENT;
	snprintf(fact->method, sizeof(fact->method),
		 "no further step in latency up to %.0f MiB",
		 (double)curve->at[curve->n - 1].length / MP_MIB);
	mp_curve_note(curve, 0, INFINITY, fact);
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct mp_cpu_edges edges;
	int err = mp_cpu_edges_find(view, &edges);

	if (err && err != -ENODATA)
		return err;
	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view,
						   mp_cpu_level_name[k],
						   "size", "bytes");

		if (!fact)
			return -ENOMEM;
		if (err)
			mp_fact_cannot(fact, "bytes",
				       "too noisy: no usable latency curve");
		else if (k < edges.n)
			judge(&edges, k, fact);
		else
			absent(&edges, fact);
	}
	if (!err)
		mp_cpu_edges_free(&edges);
	return 0;
}

const struct mp_probe mp_probe_cache_size = {
	.name = "cache-size",
	.asks = "how large is each level of cache?",
	.after = "line",
	.facts = "cpu.l1d.size,cpu.l2.size,cpu.l3.size,cpu.l4.size",
	.needs = MP_CAP_CHASE,
	.weight = 10,
	.quick = true,
	.next = next,
	.infer = infer,
};
