// SPDX-License-Identifier: GPL-2.0
/* What the CPU probes share. */
#include "probe/cpu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat.h"

#define ROUGH_STRIDE 256u
/* Every second line: the neighbour of a line is often fetched along. */
#define APART 2u
/* One line in eight, for second looks. */
#define SIDE_APART 8u
/* Levels larger than this are likely to be shared. */
#define PRIVATE_MAX (4.0 * 1024 * 1024)
/* 16 small pages: within the first TLB of every CPU known to us. */
#define REACH (64u << 10)
#define GRID_FROM 1024.0
/* Of the curve, an edge's fit sees so much below and above it, unless a
 * neighbouring edge is nearer. */
#define FIT_BELOW 5.0
#define FIT_ABOVE 5.0
/* Replicates of a plateau that lie further apart than this share of it; of
 * so many lengths at most; and levels smaller than this are nobody else's. */
#define UNSTEADY 0.5
#define SPREADS 64u
#define PRIVATE_MIN (1.75 * 1024 * 1024)
/* The curve begins at 1 KiB; a step beyond this is a hole in it. */
#define HOLE_FROM 1024.0
#define HOLE 2.9
/* A fit over fewer lengths, or one that leaves more than this share of the
 * jump, explains nothing. */
#define FIT_POINTS 6u
#define MISFIT_MAX 0.12
/* An even shape that leaves less than this of the jump is no blurred one. */
#define PLAIN 0.06
/* Capacities are searched this far beyond the detector's bracket. */
#define SEARCHED 1.5
/* Distance kept from the edge inside. */
#define CLEAR_ABOVE 1.4

const char *const mp_cpu_level_name[MP_CPU_LEVELS] = {
	"l1d", "l2", "l3", "l4"
};

uint32_t mp_cpu_replicates(const struct mp_view *view)
{
	return view->depth == MP_DEPTH_QUICK ? 3 : 5;
}

struct mp_fact *mp_cpu_fact(struct mp_facts *facts, const struct mp_view *view,
			    const char *level, const char *what,
			    const char *unit)
{
	char name[MP_FACT_NAME];
	struct mp_where where;
	struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.%s", level, what);
	mp_where_cpu(&where, view->cpu);
	fact = mp_facts_add(facts, name, &where);
	if (fact)
		snprintf(fact->unit, sizeof(fact->unit), "%s", unit);
	return fact;
}

double mp_cpu_value(const struct mp_view *view, const char *level,
		    const char *what)
{
	char name[MP_FACT_NAME];
	const struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.%s", level, what);
	fact = mp_facts_find(view->facts, name);
	if (!fact || !mp_verdict_known(fact->verdict))
		return NAN;
	return fact->value;
}

int mp_cpu_grid(const struct mp_sweep *sweep, const struct mp_view *view,
		double low, double high, uint32_t grain, uint32_t replicates,
		struct mp_plan *plan)
{
	double first = ceil(log2(low / GRID_FROM) * grain - 1e-9);
	double last = floor(log2(high / GRID_FROM) * grain + 1e-9);
	int err = 0;

	for (double k = fmax(first, 0); k <= last && !err; k++) {
		double length = round(GRID_FROM * exp2(k / grain));

		err = mp_sweep_plan(sweep, view, (uint64_t)length, replicates,
				    plan);
	}
	return err;
}

void mp_cpu_rough_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, ROUGH_STRIDE, REACH);
}

void mp_cpu_main_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	double line = mp_cpu_value(view, "l1d", "line");

	mp_sweep_init(sweep, view,
		      APART * (isnan(line) ? MP_CPU_LINE_USUAL : (uint64_t)line),
		      REACH);
}

bool mp_cpu_side_sweep(const struct mp_view *view, uint32_t side,
		       struct mp_sweep *sweep)
{
	mp_cpu_main_sweep(view, sweep);
	sweep->stride *= SIDE_APART / APART;
	if (!side)
		return true;
	sweep->pages = MP_PAGES_4K;
	return !view->pages_forced && view->pages != MP_PAGES_4K;
}

bool mp_cpu_has_sides(uint32_t k, double size_bytes)
{
	return k && size_bytes < PRIVATE_MAX;
}

/* How far apart the replicates between two lengths lie, of their middle. */
static double unsteadiness(const struct mp_curve *curve, double low,
			   double high)
{
	double spread[SPREADS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n && n < SPREADS; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		double least = INFINITY, most = 0;

		if ((double)at->length <= low || (double)at->length >= high ||
		    at->n < 3)
			continue;
		for (uint32_t k = 0; k < at->n; k++) {
			least = fmin(least, at->ns[k]);
			most = fmax(most, at->ns[k]);
		}
		spread[n++] = (most - least) / at->mid_ns;
	}
	return n ? mp_stat_median(spread, n) : 0;
}

/* A shared level that others crowd while it is measured draws a slope with
 * steps of its own. A plateau that no two replicates agree on is none, and
 * the edges on either side of it are one. */
static void merge_unsteady(const struct mp_curve *curve,
			   struct mp_level *level, uint32_t *n)
{
	for (uint32_t k = 2; k + 1 <= *n && *n > 2; k++) {
		struct mp_level *inner = &level[k - 1];

		if (inner->size_bytes < PRIVATE_MIN ||
		    unsteadiness(curve, inner->high_bytes,
				 level[k].low_bytes) < UNSTEADY)
			continue;
		inner->size_bytes = level[k].size_bytes;
		inner->high_bytes = level[k].high_bytes;
		memmove(&level[k], &level[k + 1],
			(*n - k - 1) * sizeof(*level));
		(*n)--;
		k--;
	}
}

/* A stretch with nothing measured may hide a level. */
static bool holed(const struct mp_curve *curve, const struct mp_level *level,
		  uint32_t n)
{
	double before = HOLE_FROM;

	for (uint32_t i = 0; n && i < curve->n; i++) {
		double length = (double)curve->at[i].length;

		if (length / before > HOLE)
			return true;
		if (length > level[n - 1].low_bytes)
			return false;
		before = length;
	}
	return false;
}

int mp_cpu_levels(const struct mp_curve *curve,
		  struct mp_level level[MP_CPU_LEVELS], uint32_t *n)
{
	struct mp_curve_point *point;
	uint32_t used = 0;
	int err;

	*n = 0;
	point = calloc(curve->n + 1, sizeof(*point));
	if (!point)
		return -ENOMEM;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		/* Without a core clock ns serve as well: only ratios count. */
		double y = isnan(at->mid_cycles) ? at->mid_ns : at->mid_cycles;

		point[used].footprint_bytes = (double)at->length;
		point[used++].latency = y;
	}
	err = used < 4 ? -ENODATA :
	      mp_levels_find(point, used, level, MP_CPU_LEVELS, n);
	free(point);
	/* More levels than facts are made for: the inner ones are there. */
	if (err == -ENOSPC) {
		*n = MP_CPU_LEVELS;
		err = 0;
	}
	if (!err)
		merge_unsteady(curve, level, n);
	if (!err && holed(curve, level, *n))
		err = -ENODATA;
	return err;
}

static void fit_point(const struct mp_curve_at *at, struct mp_edge_data *data)
{
	struct mp_edge_point *p = &data->point[data->n];

	if (data->n == MP_EDGE_POINTS)
		return;
	p->x = (double)at->length;
	p->n = at->n < MP_EDGE_PASSES ? at->n : MP_EDGE_PASSES;
	for (uint32_t i = 0; i < p->n; i++)
		p->y[i] = isnan(at->cycles[i]) ? at->ns[i] : at->cycles[i];
	data->n++;
}

/* The stretch of a curve that level k's edge is fitted to. */
static void fit_stretch(const struct mp_cpu_edges *edges,
			const struct mp_curve *curve, uint32_t k,
			struct mp_edge_data *data)
{
	const struct mp_level *level = &edges->level[k];
	double low = level->size_bytes / FIT_BELOW;
	double high = level->size_bytes * FIT_ABOVE;

	if (k)
		low = fmax(low, edges->level[k - 1].size_bytes * CLEAR_ABOVE);
	if (k + 1 < edges->n)
		high = fmin(high, edges->level[k + 1].low_bytes);
	data->from = fmax(level->low_bytes / SEARCHED, low);
	data->to = fmin(level->high_bytes * SEARCHED, high);
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		if ((double)at->length >= low && (double)at->length <= high)
			fit_point(at, data);
	}
}

/* One answer from two curves over the same level. */
static void join(const struct mp_edge *a, const struct mp_edge *b,
		 const struct mp_miss_table *table, struct mp_edge *out)
{
	bool a_wider = a->high / a->low > b->high / b->low;

	*out = *a;
	/* A sharp edge is plain: scattered lines can only blur it. */
	if (table->shape[a->shape].scatter == 0 && a->misfit < PLAIN &&
	    (!a_wider || a->misfit < b->misfit))
		return;
	if (fmin(a->high, b->high) >= fmax(a->low, b->low)) {
		if (a_wider)
			*out = *b;
		out->low = fmax(a->low, b->low);
		out->high = fmin(a->high, b->high);
		out->size = fmin(fmax(out->size, out->low), out->high);
		return;
	}
	/* They differ: a blurred edge is read better where the scatter is
	 * known to be complete. */
	*out = *b;
}

static int fit_curve(const struct mp_view *view, struct mp_cpu_edges *edges,
		     const struct mp_curve *curve, uint32_t k,
		     uint32_t scatters, struct mp_edge *edge, bool *fitted)
{
	struct mp_edge_data *data = calloc(1, sizeof(*data));

	if (!data)
		return -ENOMEM;
	fit_stretch(edges, curve, k, data);
	data->scatters = scatters;
	*fitted = data->n >= FIT_POINTS &&
		  !mp_edge_fit(data, edges->table, view->seed + k, edge) &&
		  edge->misfit <= MISFIT_MAX;
	free(data);
	return 0;
}

static int fit_level(const struct mp_view *view, struct mp_cpu_edges *edges,
		     uint32_t k)
{
	struct mp_edge side[MP_CPU_SIDES];
	bool fits[MP_CPU_SIDES] = { false, false };
	int err = 0;

	if (mp_cpu_has_sides(k, edges->level[k].size_bytes))
		for (uint32_t i = 0; i < MP_CPU_SIDES && !err; i++)
			err = fit_curve(view, edges, &edges->side[i], k,
					MP_EDGE_EVEN | MP_EDGE_RANDOM,
					&side[i], &fits[i]);
	if (err)
		return err;
	edges->fitted[k] = true;
	if (fits[0] && fits[1])
		join(&side[0], &side[1], edges->table, &edges->edge[k]);
	else if (fits[0] || fits[1])
		edges->edge[k] = side[fits[1]];
	else
		return fit_curve(view, edges, &edges->curve, k, MP_EDGE_ANY,
				 &edges->edge[k], &edges->fitted[k]);
	return 0;
}

static int curves_gather(const struct mp_view *view,
			 struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;
	int err;

	mp_cpu_main_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &edges->curve);
	for (uint32_t i = 0; i < MP_CPU_SIDES && !err; i++)
		if (mp_cpu_side_sweep(view, i, &sweep))
			err = mp_sweep_gather(&sweep, view, &edges->side[i]);
	return err;
}

/* Where the main curve, which fills a level in earnest, has the edge of one
 * that is shared: at most where the sparse look saw it, and less where
 * others crowd it. */
static int place_outer(struct mp_cpu_edges *edges)
{
	struct mp_level dense[MP_CPU_LEVELS];
	uint32_t n;
	int err = mp_cpu_levels(&edges->curve, dense, &n);

	if (err)
		return err;
	for (uint32_t k = 1; k < edges->n; k++) {
		struct mp_level *level = &edges->level[k];
		double least = level[-1].size_bytes * CLEAR_ABOVE;
		const struct mp_level *found = NULL;

		if (mp_cpu_has_sides(k, level->size_bytes))
			continue;
		for (uint32_t i = 0; i < n; i++)
			if (dense[i].size_bytes > least &&
			    dense[i].low_bytes < level->high_bytes)
				found = &dense[i];
		if (!found) {
			level->low_bytes = fmin(level->low_bytes, least);
			continue;
		}
		level->low_bytes = found->low_bytes;
		level->high_bytes = found->high_bytes;
		level->size_bytes = found->size_bytes;
	}
	return 0;
}

int mp_cpu_edges_find(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	int err;

	memset(edges, 0, sizeof(*edges));
	err = curves_gather(view, edges);
	if (!err)
		err = mp_cpu_levels(&edges->side[0], edges->level, &edges->n);
	if (!err)
		err = place_outer(edges);
	if (err)
		goto err_edges;
	edges->table = mp_miss_table_get();
	for (uint32_t k = 0; k < edges->n; k++) {
		err = fit_level(view, edges, k);
		if (err)
			goto err_edges;
	}
	return 0;
err_edges:
	mp_cpu_edges_free(edges);
	return err;
}

void mp_cpu_edges_free(struct mp_cpu_edges *edges)
{
	mp_curve_free(&edges->curve);
	for (uint32_t i = 0; i < MP_CPU_SIDES; i++)
		mp_curve_free(&edges->side[i]);
}

double mp_cpu_miss(const struct mp_cpu_edges *edges, uint32_t k, double length)
{
	return mp_miss_lookup(edges->table, edges->edge[k].shape,
			      length / edges->edge[k].size);
}
