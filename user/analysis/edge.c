// SPDX-License-Identifier: GPL-2.0
/*
 * The capacity behind an edge of a curve, by least squares over capacity
 * and shape, with limits from resampled replicates.
 */
#include "analysis/edge.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/edge_spread.h"
#include "analysis/places.h"
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
#define MODEL_PLACE 0.25
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
/* The foot of an edge, and its far end, where nearly all hops miss. */
#define FOOT 0.55
#define FAR_END 0.97
/* By itself the foot says no more than this of a capacity. */
#define FOOT_ERROR 1.15
#define DRAWS 100u
/* Capacities are tried in such steps first, and a shape that leaves so many
 * times what another does not more closely. */
#define COARSE 4u
#define HOPELESS 6.0
/* So many lengths at which shares of replicates do not lie further apart say
 * that pages make no difference: of levels of any number of sets over pages
 * drawn at random, those that showed no more, even twice as much, were all
 * read within a twentieth. */
#define STILL_LEAST 2u
#define STILL 0.06
/* .. and a length that is further off than this on average is not right. */
#define SPREAD_POOR 1.2
/* Where they differ at so many, pages do not fill all sets evenly. */
#define SPREAD_THROWN 3u
/* .. and unless whole places are worse by so much, a chi-square, either may be
 * true. */
#define BOTH 30.0
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

static void miss_at(const struct mp_edge_data *data, const struct mp_values *v,
		    const struct mp_miss_table *table, uint32_t shape,
		    uint32_t tried, double *miss)
{
	const struct mp_places places = mp_places_of(table, shape,
						   tried_size(data, tried),
						   data->page_bytes);

	for (uint32_t i = 0; i < v->n; i++)
		miss[i] = mp_places_at(&places, v->at[i] - tried);
}

/* What is left for one shape at the capacity that leaves least. */
struct best {
	double size;
	struct line line;
	uint32_t shape;
};

/* What one shape leaves at one capacity; infinite where it explains nothing. */
static double try_one(const struct mp_edge_data *data,
		      const struct mp_values *v,
		      const struct mp_miss_table *table, uint32_t shape,
		      uint32_t i, struct best *best)
{
	double miss[MP_EDGE_POINTS];
	struct line line;

	miss_at(data, v, table, shape, i, miss);
	if (!line_fit(v, miss, &line))
		return INFINITY;
	if (line.left < best->line.left)
		*best = (struct best){ tried_size(data, i), line, shape };
	return line.left;
}

/* Coarsely first, then all capacities around the best: what is left has one
 * valley, wider than a coarse step. */
static void best_of_shape(const struct mp_edge_data *data,
			  const struct mp_values *v,
			  const struct mp_miss_table *table, uint32_t shape,
			  struct best *best)
{
	uint32_t tried = tried_count(data), at = 0, to;
	struct best own = { .line.left = INFINITY };
	double least = INFINITY;

	for (uint32_t i = 0; i < tried; i += COARSE) {
		double left = try_one(data, v, table, shape, i, &own);

		if (left < least) {
			least = left;
			at = i;
		}
	}
	/* Hopeless ones are not looked at more closely. */
	if (isinf(least) || least > HOPELESS * best->line.left)
		return;
	to = at + COARSE < tried ? at + COARSE : tried;
	for (uint32_t i = at < COARSE ? 0 : at - COARSE + 1; i < to; i++)
		try_one(data, v, table, shape, i, &own);
	if (own.line.left < best->line.left)
		*best = own;
}

/* What is left at each capacity; false where no coarse step comes near. */
static bool left_of_shape(const struct mp_edge_data *data,
			  const struct mp_values *v,
			  const struct mp_miss_table *table, uint32_t shape,
			  double bound, double *left)
{
	uint32_t tried = tried_count(data);
	struct best ignored = { .line.left = INFINITY };
	double least = INFINITY;

	for (uint32_t i = 0; i < tried; i += COARSE) {
		left[i] = try_one(data, v, table, shape, i, &ignored);
		least = fmin(least, left[i]);
	}
	if (least > HOPELESS * bound)
		return false;
	for (uint32_t i = 0; i < tried; i++)
		if (i % COARSE)
			left[i] = try_one(data, v, table, shape, i, &ignored);
	return true;
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
			best_of_shape(data, v, table, s, best);
	return isinf(best->line.left) ? -ENODATA : 0;
}

/* Lengths whose hops miss in part: where there are several the fit goes by
 * their values, where there are few by where they lie. */
static uint32_t on_slope(const struct mp_edge_data *data,
			 const struct mp_miss_table *table,
			 const struct best *best)
{
	const struct mp_places places = mp_places_of(table, best->shape,
						   best->size,
						   data->page_bytes);
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		double miss = mp_places_at(&places, mp_miss_position(
					     data->point[i].x / best->size));

		n += miss > SLOPE_FOOT && miss < 1 - SLOPE_FOOT;
	}
	return n;
}

/* Shapes that explain the mean differ in how they spread. */
static bool is_spread(const struct mp_edge_data *data)
{
	return data->is_share && data->page_bytes > 0;
}

/* What a candidate leaves in all: its own scale, and the spread, the second
 * with pages on whole places. */
struct candidate {
	uint16_t shape;
	uint16_t tried;
	float left[2];
};

#define CANDIDATES (MP_MISS_SHAPES * TRIED_MAX)

static void widen_to(const struct mp_edge_data *data,
		     const struct candidate *candidate, uint32_t n,
		     uint32_t which, double least, struct mp_edge *edge)
{
	for (uint32_t i = 0; i < n; i++) {
		double size = tried_size(data, candidate[i].tried);

		if (candidate[i].left[which] > least + CHI2_95)
			continue;
		edge->low = fmin(edge->low, size);
		edge->high = fmax(edge->high, size);
	}
}

/* To the capacities that pages thrown at random would have. None explains both
 * the mean and how replicates differ, so that none is left out but what is
 * hopeless beside the best of these. */
static void widen_to_thrown(const struct mp_edge_data *data,
			    const struct mp_values *v,
			    const struct mp_miss_table *table,
			    struct mp_edge *edge)
{
	struct mp_edge_data thrown = *data;
	struct best best;
	double left[TRIED_MAX];
	const uint32_t tried = tried_count(data);

	thrown.scatters &= MP_EDGE_RANDOM;
	if (best_of_all(&thrown, v, table, &best))
		return;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		if (!shape_fits(&thrown, table, s) ||
		    !left_of_shape(data, v, table, s, best.line.left, left))
			continue;
		for (uint32_t i = 0; i < tried; i++) {
			if (left[i] > best.line.left * HOPELESS)
				continue;
			edge->low = fmin(edge->low, tried_size(data, i));
			edge->high = fmax(edge->high, tried_size(data, i));
		}
	}
}

/* The mean alone leaves several shapes, and with them capacities, open: of
 * those the spread of the replicates picks. */
static int pick_by_spread(const struct mp_edge_data *data,
			  const struct mp_values *v,
			  const struct mp_miss_table *table, double bound,
			  double scale, struct best *best,
			  struct mp_edge *edge)
{
	struct candidate *all = malloc(CANDIDATES * sizeof(*all));
	const struct best by_mean = *best;
	double left[TRIED_MAX], least = INFINITY, least_whole = INFINITY;
	uint32_t tried = tried_count(data), n = 0;
	bool spreads = true;
	double whole;

	if (!all)
		return -ENOMEM;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		if (!shape_fits(data, table, s) ||
		    !left_of_shape(data, v, table, s, bound, left))
			continue;
		for (uint32_t i = 0; i < tried; i++) {
			double sum = left[i] / fmax(scale, 1);

			if (left[i] > bound)
				continue;
			sum += mp_edge_spread_off(data, table, s,
						  tried_size(data, i), &whole);
			whole += left[i] / fmax(scale, 1);
			least_whole = fmin(least_whole, whole);
			all[n++] = (struct candidate){ (uint16_t)s,
				(uint16_t)i, { (float)sum, (float)whole } };
			if (sum >= least)
				continue;
			least = sum;
			best->line.left = INFINITY;
			try_one(data, v, table, s, i, best);
		}
	}
	/* Nothing known here spreads so: lines are not thrown page by page,
	 * and the mean alone has to do. */
	if (mp_edge_spread_off(data, table, best->shape, best->size, &whole) >
	    SPREAD_POOR * (mp_edge_spread_points(data) + 1)) {
		*best = by_mean;
		least = INFINITY;
		spreads = false;
	}
	edge->low = edge->high = best->size;
	widen_to(data, all, n, 0, least, edge);
	/* Policies that are not among the shapes spread less, too. */
	if (least_whole <= least + BOTH)
		widen_to(data, all, n, 1, least_whole, edge);
	/* .. but pages that fill all sets evenly do not at all. */
	if (!spreads && !table->shape[best->shape].scatter &&
	    mp_edge_spread_points(data) >= SPREAD_THROWN)
		widen_to_thrown(data, v, table, edge);
	free(all);
	return 0;
}

/* All capacities, of whatever shape, that explain the curve nearly as well
 * as the best one does. */
static int widen_by_shapes(const struct mp_edge_data *data,
			   const struct mp_values *v,
			   const struct mp_miss_table *table,
			   struct best *best, struct mp_edge *edge)
{
	double scale = best->line.left / (v->n - 3.0), bound;
	double left[TRIED_MAX];
	uint32_t tried = tried_count(data);

	/* What the best shape leaves is not noise alone: another that leaves
	 * little more may well be the true one. */
	bound = best->line.left + CHI2_95 * fmax(scale, 1);
	if (on_slope(data, table, best) >= SLOPE_MANY)
		bound = fmax(bound, best->line.left * AS_GOOD);
	if (is_spread(data))
		return pick_by_spread(data, v, table, bound, scale, best, edge);
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		if (!shape_fits(data, table, s) ||
		    !left_of_shape(data, v, table, s, bound, left))
			continue;
		for (uint32_t i = 0; i < tried; i++) {
			if (left[i] > bound)
				continue;
			edge->low = fmin(edge->low, tried_size(data, i));
			edge->high = fmax(edge->high, tried_size(data, i));
		}
	}
	return 0;
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
			v.y[i] = mp_values_middle(data, pick, p->n, NULL);
		}
		best_of_shape(data, &v, table, best->shape, &again);
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
			  const struct mp_places *places,
			  const struct best *best, double *size, double *sway)
{
	double rise = best->line.outside - best->line.inside;
	double least = INFINITY, most = 0;
	uint32_t n = 0;

	for (uint32_t k = 0; k < p->n; k++) {
		double miss = (p->y[k] - best->line.inside) / rise;
		double alone = p->x / mp_places_inverse(places,
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
	const struct mp_places places = mp_places_of(table, best->shape,
						   best->size,
						   data->page_bytes);
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		uint32_t seen = see_point(&data->point[i], &places, best,
					  size + edge->n_seen, &sway[n]);

		edge->n_seen += seen;
		n += seen && data->point[i].n > 2;
	}
	mp_stat_sort(size, edge->n_seen);
	edge->seen_low = mp_stat_quantile(size, edge->n_seen, 0.1);
	edge->seen_high = mp_stat_quantile(size, edge->n_seen, 0.9);
	edge->sway = n ? mp_stat_median(sway, n) : 1;
}

/* Do replicates, each in pages of its own, all say the same where neither all
 * nor no hops miss? All but the one in ten that is least and that is most. */
static bool is_still(const struct mp_edge_data *data)
{
	double sorted[MP_EDGE_PASSES];
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		const struct mp_edge_point *p = &data->point[i];
		const double miss = mp_stat_mean(p->y, p->n);

		if (p->n < MP_EDGE_SPREAD_LEAST || miss < MP_EDGE_SPREAD_FROM ||
		    miss > 1 - MP_EDGE_SPREAD_FROM)
			continue;
		memcpy(sorted, p->y, p->n * sizeof(*sorted));
		mp_stat_sort(sorted, p->n);
		if (mp_stat_quantile(sorted, p->n, 0.9) -
		    mp_stat_quantile(sorted, p->n, 0.1) > STILL)
			return false;
		n++;
	}
	return n >= STILL_LEAST;
}

/* Where a level has few places for a page, its ways, of which the table has
 * not all, and where a ring begins in a page, make a difference; not where it
 * has a single one, and pages are seen to make none. */
static double model_error(const struct mp_edge_data *data,
			  const struct mp_miss_table *table,
			  const struct best *best, bool still)
{
	const struct mp_miss_shape *shape = &table->shape[best->shape];
	double part = shape->ways * data->page_bytes / best->size;

	if (shape->scatter < 1 || (part >= 1 && still))
		return MODEL;
	return MODEL + MODEL_PLACE * fmin(part, 1);
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

/* The best fit, but of the foot of the edge and of its far end alone. */
static int best_of_foot(const struct mp_edge_data *data,
			const struct mp_miss_table *table,
			const struct best *whole, struct best *best)
{
	const struct mp_places places = mp_places_of(table, whole->shape,
						   whole->size,
						   data->page_bytes);
	struct mp_edge_data *foot = malloc(sizeof(*foot));
	struct mp_values v;
	int err = -ENODATA;

	if (!foot)
		return -ENOMEM;
	*foot = *data;
	foot->n = 0;
	for (uint32_t i = 0; i < data->n; i++) {
		const double miss = mp_places_at(&places, mp_miss_position(
					data->point[i].x / whole->size));

		if (miss < FOOT || miss > FAR_END)
			foot->point[foot->n++] = data->point[i];
	}
	if (foot->n < data->n && on_slope(foot, table, whole) >= SLOPE_MANY) {
		mp_values_weigh(foot, &v);
		err = best_of_all(foot, &v, table, best);
	}
	free(foot);
	return err;
}

/* What lies further out shows as a ring grows: translations that are no longer
 * known, as slow as a miss. One of the many shapes may explain that, too, with
 * another capacity. Where the foot says otherwise it counts; limits hold both. */
static int hold_to_foot(const struct mp_edge_data *data,
			const struct mp_miss_table *table, struct best *best,
			struct mp_edge *edge)
{
	struct best foot;
	int err;

	if (!is_spread(data) || !table->shape[best->shape].scatter)
		return 0;
	err = best_of_foot(data, table, best, &foot);
	if (err)
		return err == -ENODATA ? 0 : err;
	if (foot.size < edge->low / FOOT_ERROR ||
	    foot.size > edge->high * FOOT_ERROR)
		*best = foot;
	edge->low = fmin(edge->low, best->size);
	edge->high = fmax(edge->high, best->size);
	return 0;
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
	edge->low = edge->high = best.size;
	err = widen_by_shapes(data, &v, table, &best, edge);
	if (err)
		return err;
	err = hold_to_foot(data, table, &best, edge);
	if (err)
		return err;
	edge->size = best.size;
	edge->inside = best.line.inside;
	edge->outside = best.line.outside;
	edge->shape = best.shape;
	edge->page_bytes = data->page_bytes;
	edge->still = is_spread(data) && is_still(data);
	edge->misfit = misfit_of(&v, &best);
	edge->chi2 = best.line.left / (v.n - 3.0);
	widen_by_draws(data, v, table, &best, seed, edge);
	if (on_slope(data, table, &best) < SLOPE_MANY) {
		widen_to_grid(data, edge);
	} else {
		edge->low /= model_error(data, table, &best, edge->still);
		edge->high *= model_error(data, table, &best, edge->still);
	}
	/* The capacities that were tried are steps themselves. */
	edge->low /= TRIED_HALF;
	edge->high *= TRIED_HALF;
	see_singly(data, table, &best, edge);
	return 0;
}

double mp_edge_miss(const struct mp_edge *edge,
		    const struct mp_miss_table *table, double x)
{
	const struct mp_places places = mp_places_of(table, edge->shape,
						   edge->size,
						   edge->page_bytes);

	return mp_places_at(&places, mp_miss_position(x / edge->size));
}
