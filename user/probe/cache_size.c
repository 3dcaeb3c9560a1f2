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

#define MIB (1024.0 * 1024.0)
#define FROM 1024.0
/* The curve: two lengths an octave; up to here with every depth. */
#define GRAIN 2
#define QUICK_TO (64 * MIB)
#define DEFAULT_TO (256 * MIB)
/* Lengths above cost tenths of a second each. */
#define DEAR (48 * MIB)
#define QUICK_DEAR (8 * MIB)
/* Around an edge, this many to the octave; beyond DEAR_EDGE fewer, as a
 * shared level's edge is blurred anyway and each length is dear. */
#define EDGE_GRAIN 8
#define SHARP_GRAIN 16
#define DEAR_EDGE (3 * MIB)
#define DEAR_GRAIN 4
/* A fit that leaves more than this share of the jump explains nothing. */
#define MISFIT_MAX 0.2
/* A capacity whose passes differ by more has moved. */
#define MOVED 1.35
/* Limits further apart than this (1.29 by the rule of the house) do not
 * make a measured size. */
#define APART_MAX 1.29
/* Limits of an edge as sharp as evenly filled sets make it. */
#define SHARP 1.1

/* Beyond the innermost, levels are indexed by physical address, and huge
 * pages are contiguous only as far as the machine below this one grants.
 * Small pages are scattered in any case: a second opinion. */
static int plan_small(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	uint32_t n = mp_cpu_replicates(view) + 2;
	double size = edges->level[k].size_bytes;
	struct mp_sweep small;
	int err;

	mp_cpu_small_sweep(view, &small);
	err = mp_cpu_grid(&small, view, size / 4, size * 3, GRAIN, n, plan);
	if (err)
		return err;
	return mp_cpu_grid(&small, view, size / 2, size * 1.7, DEAR_GRAIN, n,
			   plan);
}

static int plan_edge(const struct mp_view *view, const struct mp_sweep *sweep,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_plan *plan)
{
	uint32_t n = mp_cpu_replicates(view), grain = EDGE_GRAIN;
	double size = edges->level[k].size_bytes;
	int err;

	if (size > DEAR_EDGE)
		grain = DEAR_GRAIN;
	/* The stretch that the fit looks at, with all its replicates .. */
	err = mp_cpu_grid(sweep, view, size / 3, fmin(size * 3, DEFAULT_TO),
			  GRAIN, n, plan);
	if (err)
		return err;
	/* .. the edge itself more closely .. */
	err = mp_cpu_grid(sweep, view, edges->level[k].low_bytes / 1.2,
			  edges->level[k].high_bytes * 1.2, grain, n, plan);
	if (err || !edges->fitted[k])
		return err;
	if (size > DEAR_EDGE)
		return view->depth == MP_DEPTH_QUICK ? 0 :
		       mp_cpu_grid(sweep, view, size / 1.3, size * 1.3,
				   EDGE_GRAIN, n, plan);
	/* .. and, where it is sharp, more closely still. */
	size = edges->edge[k].size;
	err = mp_cpu_grid(sweep, view, size / 1.15, size * 1.15, SHARP_GRAIN,
			  n, plan);
	if (err || !k || !mp_cpu_takes_small(view))
		return err;
	return plan_small(view, edges, k, plan);
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	bool quick = view->depth == MP_DEPTH_QUICK;
	double to = quick ? QUICK_TO : DEFAULT_TO;
	struct mp_cpu_edges edges;
	struct mp_sweep sweep;
	int err;

	mp_cpu_main_sweep(view, &sweep);
	err = mp_cpu_grid(&sweep, view, FROM, quick ? QUICK_DEAR : DEAR,
			  GRAIN, 3, plan);
	if (!err)
		err = mp_cpu_grid(&sweep, view, quick ? QUICK_DEAR : DEAR, to,
				  1, 1, plan);
	if (err)
		return err;
	err = mp_cpu_edges_find(view, &edges);
	if (err)
		return err == -ENODATA ? 1 : err;
	for (uint32_t k = 0; k < edges.n && !err; k++)
		err = plan_edge(view, &sweep, &edges, k, plan);
	mp_cpu_edges_free(&edges);
	return err ? err : 1;
}

static bool moved(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	/* Only the outermost level is shared with strangers. */
	return k && k + 1 == edges->n && edge->n_passes >= 3 &&
	       edge->pass_high / edge->pass_low > MOVED;
}

/* One answer from two curves over the same level. */
static void join(const struct mp_edge *a, const struct mp_edge *b,
		 const struct mp_miss_table *table, struct mp_edge *out)
{
	bool a_wider = a->high / a->low > b->high / b->low;

	*out = *a;
	if (b->misfit > MISFIT_MAX)
		return;
	if (fmin(a->high, b->high) >= fmax(a->low, b->low)) {
		out->size = a_wider ? b->size : a->size;
		out->low = fmax(a->low, b->low);
		out->high = fmin(a->high, b->high);
		out->size = fmin(fmax(out->size, out->low), out->high);
		return;
	}
	/* They differ. A sharp edge is one of contiguous memory; a blurred
	 * one is read better where the scatter is known to be complete. */
	if (a->high / a->low > SHARP || table->shape[a->shape].scattered)
		*out = *b;
}

static void answer(const struct mp_cpu_edges *edges, uint32_t k,
		   struct mp_edge *edge)
{
	*edge = edges->edge[k];
	if (edges->small_fitted[k])
		join(&edges->edge[k], &edges->small_edge[k], edges->table,
		     edge);
}

static void judge(const struct mp_cpu_edges *edges, uint32_t k,
		  struct mp_fact *fact)
{
	const struct mp_miss_shape *shape;
	struct mp_edge joined, *edge = &joined;

	answer(edges, k, edge);
	shape = &edges->table->shape[edge->shape];
	snprintf(fact->method, sizeof(fact->method),
		 "capacity that explains where misses set in; best shape: sets filled %s, %u ways, %.0f %% of victims random%s",
		 shape->scattered ? "at random" : "evenly", shape->ways,
		 100 * shape->random_share,
		 edges->small_fitted[k] ? "; with huge and with small pages" :
					  "");
	mp_curve_note(&edges->curve, edge->low / 1.5, edge->high * 1.5, fact);
	if (edges->small_fitted[k])
		mp_curve_note(&edges->small, edge->low, edge->high, fact);
	if (!edges->fitted[k] || edge->misfit > MISFIT_MAX) {
		mp_fact_cannot(fact, "bytes",
			       "too noisy: the edge near %.0f KiB has no shape that a cache could give it",
			       edges->level[k].size_bytes / 1024);
		return;
	}
	fact->value = mp_stat_round(edge->low, edge->high, edge->size);
	fact->low = edge->low;
	fact->high = edge->high;
	fact->verdict = MP_MEASURED;
	if (moved(edges, k)) {
		fact->verdict = MP_VARIES;
		fact->value = edge->size;
		fact->low = fmin(edge->pass_low, edge->size);
		fact->high = fmax(edge->pass_high, edge->size);
		snprintf(fact->reason, sizeof(fact->reason),
			 "single passes a moment apart saw %.1f to %.1f MiB: what others leave of a shared cache",
			 fact->low / MIB, fact->high / MIB);
	} else if (edge->high / edge->low > APART_MAX) {
		fact->verdict = MP_AT_LEAST;
		fact->value = edge->low;
		snprintf(fact->reason, sizeof(fact->reason),
			 "limits lie too far apart to call it measured; best estimate %.0f KiB",
			 edge->size / 1024);
	}
}

static void absent(const struct mp_cpu_edges *edges, struct mp_fact *fact)
{
	const struct mp_curve *curve = &edges->curve;

	fact->verdict = MP_ABSENT;
	snprintf(fact->method, sizeof(fact->method),
		 "no further step in latency up to %.0f MiB",
		 (double)curve->at[curve->n - 1].length / MIB);
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
