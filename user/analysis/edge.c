// SPDX-License-Identifier: GPL-2.0
/*
 * The capacity behind an edge of a curve, by least squares over capacity
 * and shape, with limits from resampled replicates.
 */
#include "analysis/edge.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/stat.h"
#include "analysis/values.h"
#include "rng.h"

/* Capacities tried: so many an octave, over at most six octaves. That it is
 * the grain of the table too makes one step there one step here. */
#define GRAIN MP_MISS_GRAIN
#define TRIED_MAX (6u * GRAIN)
#define TRIED_HALF exp2(0.5 / GRAIN)
/* On a gentle slope: doubt in any shape, which is a model, as a factor. */
#define MODEL 1.011
/* On a gentle slope: shapes that leave up to so many times the least. */
#define AS_GOOD 1.4
/* A grid of 16 lengths an octave, or more, is a fine one. */
#define FINE exp2(1.0 / 16)
#define POINTS_MIN 4u
/* Miss shares between which a length lies on the slope of an edge, how many
 * make it a gentle one, and between which a replicate tells a capacity. */
#define SLOPE_FOOT 0.05
#define SLOPE_MANY 6u
#define SLOPE_LOW 0.15
#define SLOPE_HIGH 0.85
#define DRAWS 100u
/* Chi-square, 95 %, with four degrees of freedom: the capacity and the shape's
 * three (ways, scatter, policy) are searched together. */
#define CHI2_95 9.49

struct line {
	double inside;
	double outside;
	double left;
};

static double tried_size(const struct mp_edge_data *data, uint32_t i)
{
	return data->from * exp2((double)i / GRAIN);
}

static uint32_t tried_count(const struct mp_edge_data *data)
{
	double n = floor(log2(data->to / data->from) * GRAIN) + 1;

	return n < TRIED_MAX ? (uint32_t)n : TRIED_MAX;
}

/* y = inside + (outside - inside) * miss, weighted least squares. */
static bool line_fit(const struct mp_values *v, const double *miss,
		     struct line *line)
{
	double w = 0, m = 0, y = 0, mm = 0, my = 0, var, rise;

	for (uint32_t i = 0; i < v->n; i++) {
		w += v->weight[i];
		m += v->weight[i] * miss[i];
		y += v->weight[i] * v->y[i];
		mm += v->weight[i] * miss[i] * miss[i];
		my += v->weight[i] * miss[i] * v->y[i];
	}
	var = mm - m * m / w;
	if (var <= 1e-9 * w)
		return false;
	rise = (my - m * y / w) / var;
	if (rise <= 0)
		return false;
	line->inside = (y - rise * m) / w;
	line->outside = line->inside + rise;
	line->left = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		double off = v->y[i] - line->inside - rise * miss[i];

		line->left += v->weight[i] * off * off;
	}
	return true;
}

static void miss_at(const struct mp_values *v, const struct mp_miss_table *table,
		    uint32_t shape, uint32_t tried, double *miss)
{
	for (uint32_t i = 0; i < v->n; i++)
		miss[i] = mp_miss_at(table, shape, v->at[i] - tried);
}

/* What is left for one shape at the capacity that leaves least. */
struct best {
	double size;
	struct line line;
	uint32_t shape;
};

static void best_of_shape(const struct mp_edge_data *data,
			  const struct mp_values *v,
			  const struct mp_miss_table *table, uint32_t shape,
			  struct best *best, double *left)
{
	uint32_t tried = tried_count(data);
	double miss[MP_EDGE_POINTS];
	struct line line;

	for (uint32_t i = 0; i < tried; i++) {
		double size = tried_size(data, i);

		if (left)
			left[i] = INFINITY;
		miss_at(v, table, shape, i, miss);
		if (!line_fit(v, miss, &line))
			continue;
		if (left)
			left[i] = line.left;
		if (line.left < best->line.left)
			*best = (struct best){ size, line, shape };
	}
}

uint32_t mp_edge_scatter_of(const struct mp_miss_shape *shape)
{
	return shape->scatter == 0 ? MP_EDGE_EVEN :
	       shape->scatter == 1 ? MP_EDGE_RANDOM : MP_EDGE_HALF;
}

static bool shape_fits(const struct mp_edge_data *data,
		       const struct mp_miss_table *table, uint32_t shape)
{
	return data->scatters & mp_edge_scatter_of(&table->shape[shape]);
}

static int best_of_all(const struct mp_edge_data *data, const struct mp_values *v,
		       const struct mp_miss_table *table, struct best *best)
{
	best->line.left = INFINITY;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++)
		if (shape_fits(data, table, s))
			best_of_shape(data, v, table, s, best, NULL);
	return isinf(best->line.left) ? -ENODATA : 0;
}

/* Lengths whose hops miss in part: where there are several the fit goes by
 * their values, where there are few by where they lie. */
static uint32_t on_slope(const struct mp_edge_data *data,
			 const struct mp_miss_table *table,
			 const struct best *best)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		double miss = mp_miss_lookup(table, best->shape,
					     data->point[i].x / best->size);

		n += miss > SLOPE_FOOT && miss < 1 - SLOPE_FOOT;
	}
	return n;
}

/* All capacities, of whatever shape, that explain the curve nearly as well
 * as the best one does. */
static void widen_by_shapes(const struct mp_edge_data *data,
			    const struct mp_values *v,
			    const struct mp_miss_table *table,
			    const struct best *best, struct mp_edge *edge)
{
	double scale = best->line.left / (v->n - 3.0), bound;
	double left[TRIED_MAX];
	uint32_t tried = tried_count(data);

	/* What the best shape leaves is not noise alone: another that leaves
	 * little more may well be the true one. */
	bound = best->line.left + CHI2_95 * fmax(scale, 1);
	if (on_slope(data, table, best) >= SLOPE_MANY)
		bound = fmax(bound, best->line.left * AS_GOOD);
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		struct best ignored = *best;

		if (!shape_fits(data, table, s))
			continue;
		best_of_shape(data, v, table, s, &ignored, left);
		for (uint32_t i = 0; i < tried; i++) {
			if (left[i] > bound)
				continue;
			edge->low = fmin(edge->low, tried_size(data, i));
			edge->high = fmax(edge->high, tried_size(data, i));
		}
	}
}

static void widen_by_draws(const struct mp_edge_data *data, struct mp_values v,
			   const struct mp_miss_table *table,
			   const struct best *best, uint64_t seed,
			   struct mp_edge *edge)
{
	double size[DRAWS], pick[MP_EDGE_PASSES];
	struct mp_rng rng;
	uint32_t n = 0;

	mp_rng_seed(&rng, seed);
	for (uint32_t d = 0; d < DRAWS; d++) {
		struct best again = { .line.left = INFINITY };

		for (uint32_t i = 0; i < v.n; i++) {
			const struct mp_edge_point *p = &data->point[i];

			for (uint32_t k = 0; k < p->n; k++)
				pick[k] = p->y[mp_rng_below(&rng, p->n)];
			v.y[i] = mp_stat_tame(pick, p->n, NULL);
		}
		best_of_shape(data, &v, table, best->shape, &again, NULL);
		if (!isinf(again.line.left))
			size[n++] = again.size;
	}
	mp_stat_sort(size, n);
	if (!n)
		return;
	edge->low = fmin(edge->low, mp_stat_quantile(size, n, 0.025));
	edge->high = fmax(edge->high, mp_stat_quantile(size, n, 0.975));
}

/* A limit of a sharp edge is known no better than to the next length. */
static void widen_to_grid(const struct mp_edge_data *data,
			  struct mp_edge *edge)
{
	double below = edge->low, above = edge->high;

	for (uint32_t i = 0; i < data->n; i++) {
		double x = data->point[i].x;

		if (x <= edge->low)
			below = x;
		if (x > edge->high * TRIED_HALF && above == edge->high)
			above = x;
	}
	/* All the way on a fine grid, half way on a coarse one. */
	edge->low = fmax(below, fmin(sqrt(edge->low * below),
				     edge->low / FINE));
	edge->high = fmin(above, fmax(sqrt(edge->high * above),
				      edge->high * FINE));
}

/* The capacities that the replicates of one length would have alone. */
static uint32_t see_point(const struct mp_edge_point *p,
			  const struct mp_miss_table *table,
			  const struct best *best, double *size, double *sway)
{
	double rise = best->line.outside - best->line.inside;
	double least = INFINITY, most = 0;
	uint32_t n = 0;

	for (uint32_t k = 0; k < p->n; k++) {
		double miss = (p->y[k] - best->line.inside) / rise;
		double alone = p->x / mp_miss_inverse(table, best->shape,
			fmin(fmax(miss, SLOPE_FOOT), 1 - SLOPE_FOOT));

		least = fmin(least, alone);
		most = fmax(most, alone);
		if (miss >= SLOPE_LOW && miss <= SLOPE_HIGH)
			size[n++] = alone;
	}
	*sway = most / least;
	return n;
}

static void see_singly(const struct mp_edge_data *data,
		       const struct mp_miss_table *table,
		       const struct best *best, struct mp_edge *edge)
{
	double size[MP_EDGE_POINTS * MP_EDGE_PASSES], sway[MP_EDGE_POINTS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		uint32_t seen = see_point(&data->point[i], table, best,
					  size + edge->n_seen, &sway[n]);

		edge->n_seen += seen;
		n += seen && data->point[i].n > 2;
	}
	mp_stat_sort(size, edge->n_seen);
	edge->seen_low = mp_stat_quantile(size, edge->n_seen, 0.1);
	edge->seen_high = mp_stat_quantile(size, edge->n_seen, 0.9);
	edge->sway = n ? mp_stat_median(sway, n) : 1;
}

/* Points that scatter say little of the shape and count for little here. */
static double misfit_of(const struct mp_values *v, const struct best *best)
{
	double weight = 0;

	for (uint32_t i = 0; i < v->n; i++)
		weight += v->weight[i];
	return sqrt(best->line.left / weight) /
	       (best->line.outside - best->line.inside);
}

int mp_edge_fit(const struct mp_edge_data *data,
		const struct mp_miss_table *table, uint64_t seed,
		struct mp_edge *edge)
{
	struct best best;
	struct mp_values v;
	int err;

	memset(edge, 0, sizeof(*edge));
	if (data->n < POINTS_MIN || !(data->to > data->from))
		return -ENODATA;
	mp_values_weigh(data, &v);
	err = best_of_all(data, &v, table, &best);
	if (err)
		return err;
	edge->size = edge->low = edge->high = best.size;
	edge->inside = best.line.inside;
	edge->outside = best.line.outside;
	edge->shape = best.shape;
	edge->misfit = misfit_of(&v, &best);
	edge->chi2 = best.line.left / (v.n - 3.0);
	widen_by_shapes(data, &v, table, &best, edge);
	widen_by_draws(data, v, table, &best, seed, edge);
	if (on_slope(data, table, &best) < SLOPE_MANY) {
		widen_to_grid(data, edge);
	} else {
		edge->low /= MODEL;
		edge->high *= MODEL;
	}
	/* The capacities that were tried are steps themselves. */
	edge->low /= TRIED_HALF;
	edge->high *= TRIED_HALF;
	see_singly(data, table, &best, edge);
	return 0;
}
