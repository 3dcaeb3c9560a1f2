// SPDX-License-Identifier: GPL-2.0
/*
 * Two edges fitted at once, by least squares over both capacities and both
 * shapes. Coarse in either: it tells whether there are two, and roughly
 * where; each is then fitted by itself.
 */
#include "analysis/pair.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/values.h"

/* Capacities tried, so many to the octave and at most so many octaves. */
#define GRAIN 8u
#define OCTAVES 16u
#define SINGLE_FINER 4u
/* The least that two capacities are apart, in steps of GRAIN. */
#define APART 4u
/* Of the table's shapes, those that differ enough to be tried. */
#define SHAPES_MAX 64u
/* The curve of a pair is searched for its valley in so many steps to the
 * octave, from so far below the inner capacity to so far above the outer. */
#define VALLEY_GRAIN 16u
#define VALLEY_BELOW 2.0
#define VALLEY_ABOVE 4.0
#define HILL_MIN 0.03
#define VALLEY_STEPS ((OCTAVES + 4) * VALLEY_GRAIN)
#define POINTS_MIN 6u
/* When two are thought of in place of one .. */
#define SINGLE_POOR 0.008
#define BETTER 1.8
#define MISFIT_MAX 0.04
#define RISE_MIN 1.45
#define SEEN_MIN 0.8
/* .. and believed: a plateau shows, or the fit is as much better as this and
 * something of one does. */
#define DIP_CLEAR 0.25
#define DIP_MAX 0.5
#define MUCH_BETTER 3.0

/* The miss shares of one shape and capacity at all points, less their mean,
 * times the root of the weight. */
struct column {
	double mean;
	double square;
	double with_y;
	float at[MP_EDGE_POINTS];
};

struct work {
	uint32_t n;			/* points */
	uint32_t shapes;
	uint32_t tried;
	uint32_t shape[SHAPES_MAX];	/* in the table */
	double from;
	double last;			/* point */
	double weight;			/* of all points */
	double y_mean;
	double left;			/* before any edge is taken off */
	struct mp_values values;
	float y[MP_EDGE_POINTS];
	struct column column[];		/* shape by shape */
};

struct found {
	double left;
	double jump[2];
	uint32_t shape[2];		/* of the work */
	uint32_t tried[2];
};

static bool is_tried(const struct mp_edge_data *data,
		     const struct mp_miss_shape *shape)
{
	if (!(data->scatters & mp_edge_scatter_of(shape)))
		return false;
	if (shape->ways != 4 && shape->ways != 8 && shape->ways != 16)
		return false;
	return shape->policy == MP_MISS_LRU || shape->policy == MP_MISS_HALF ||
	       shape->policy == MP_MISS_RANDOM || shape->policy == MP_MISS_MRU;
}

static double tried_size(const struct work *work, uint32_t i)
{
	return work->from * exp2((double)i / GRAIN);
}

static void fill_values(struct work *work)
{
	const struct mp_values *v = &work->values;
	double y = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		work->weight += v->weight[i];
		y += v->weight[i] * v->y[i];
	}
	work->y_mean = y / work->weight;
	for (uint32_t i = 0; i < v->n; i++) {
		double off = (v->y[i] - work->y_mean) * sqrt(v->weight[i]);

		work->y[i] = (float)off;
		work->left += off * off;
	}
}

static void fill_column(const struct work *work,
			const struct mp_miss_table *table, uint32_t shape,
			double tried, struct column *column)
{
	const struct mp_values *v = &work->values;
	const double step = (double)MP_MISS_GRAIN / GRAIN;
	double miss[MP_EDGE_POINTS], mean = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		miss[i] = mp_miss_at(table, shape, v->at[i] - tried * step);
		mean += v->weight[i] * miss[i];
	}
	mean /= work->weight;
	column->mean = mean;
	column->square = 0;
	column->with_y = 0;
	memset(column->at, 0, sizeof(column->at));
	for (uint32_t i = 0; i < v->n; i++) {
		double off = (miss[i] - mean) * sqrt(v->weight[i]);

		column->at[i] = (float)off;
		column->square += off * off;
		column->with_y += off * (double)work->y[i];
	}
}

static const struct column *column_of(const struct work *work, uint32_t shape,
				      uint32_t tried)
{
	return &work->column[shape * work->tried + tried];
}

/* A column that hardly varies explains nothing. */
static bool is_flat(const struct work *work, const struct column *column)
{
	return column->square < 1e-6 * work->weight;
}

static double left_with(const struct work *work,
			const struct mp_miss_table *table, uint32_t shape,
			double tried)
{
	struct column c;

	fill_column(work, table, shape, tried, &c);
	if (is_flat(work, &c) || c.with_y <= 0)
		return work->left;
	return work->left - c.with_y * c.with_y / c.square;
}

/* Few ways, or odd ones, are too rare to be thought of before a second level
 * is: with shapes enough one edge explains anything. */
static bool is_usual(const struct mp_miss_shape *shape)
{
	static const uint32_t usual[] = { 2, 4, 6, 8, 10, 12, 16 };

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (shape->ways == usual[i])
			return true;
	return shape->ways == (shape->scatter > 0 ? 32 : 64);
}

/* The best single edge: of all shapes, and more finely where it is good, lest
 * it seem worse than it is. */
static double single_left(const struct mp_edge_data *data,
			  const struct work *work,
			  const struct mp_miss_table *table)
{
	double least = work->left;

	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		double best = INFINITY, at = 0;

		if (!is_usual(&table->shape[s]))
			continue;
		if (!(data->scatters & mp_edge_scatter_of(&table->shape[s])))
			continue;
		for (uint32_t i = 0; i < work->tried; i++) {
			double left = left_with(work, table, s, i);

			if (left < best) {
				best = left;
				at = i;
			}
		}
		for (uint32_t i = 1; i < 2 * SINGLE_FINER; i++)
			best = fmin(best, left_with(work, table, s,
				at - 1 + (double)i / SINGLE_FINER));
		least = fmin(least, best);
	}
	return least;
}

/* Four sums at a time, so that none waits for the one before. */
static double dot(const struct column *a, const struct column *b, uint32_t n)
{
	float sum[4] = { 0 };

	for (uint32_t i = 0; i < n; i += 4)
		for (uint32_t k = 0; k < 4; k++)
			sum[k] += a->at[i + k] * b->at[i + k];
	return (double)(sum[0] + sum[1] + sum[2] + sum[3]);
}

static void try_pair(const struct work *work, const uint32_t shape[2],
		     const uint32_t tried[2], struct found *best)
{
	const struct column *a = column_of(work, shape[0], tried[0]);
	const struct column *b = column_of(work, shape[1], tried[1]);
	double both, det, jump[2], left;

	if (is_flat(work, a) || is_flat(work, b))
		return;
	both = dot(a, b, work->n);
	det = a->square * b->square - both * both;
	if (det < 1e-6 * a->square * b->square)
		return;
	jump[0] = (a->with_y * b->square - b->with_y * both) / det;
	jump[1] = (b->with_y * a->square - a->with_y * both) / det;
	if (jump[0] <= 0 || jump[1] <= 0)
		return;
	left = work->left - jump[0] * a->with_y - jump[1] * b->with_y;
	if (left >= best->left)
		return;
	*best = (struct found){ left, { jump[0], jump[1] },
				{ shape[0], shape[1] },
				{ tried[0], tried[1] } };
}

/* Pages that fall on the sets of one level at random do so on those of all
 * levels further out. */
static void search(const struct work *work, const struct mp_miss_table *table,
		   struct found *best)
{
	for (uint32_t a = 0; a < work->shapes; a++)
		for (uint32_t b = 0; b < work->shapes; b++) {
			if (table->shape[work->shape[b]].scatter <
			    table->shape[work->shape[a]].scatter)
				continue;
			for (uint32_t i = 0; i + APART < work->tried; i++)
				for (uint32_t j = i + APART; j < work->tried;
				     j++)
					try_pair(work, (uint32_t[]){ a, b },
						 (uint32_t[]){ i, j }, best);
		}
}

static double model(const struct work *work, const struct mp_miss_table *table,
		    const struct found *found, double inside, double x)
{
	for (uint32_t k = 0; k < 2; k++)
		inside += found->jump[k] *
			  mp_miss_lookup(table, work->shape[found->shape[k]],
					 x / tried_size(work,
							found->tried[k]));
	return inside;
}

/* Where, between the two capacities, the curve of the pair is least steep
 * with something steeper on either side. */
static void find_valley(const struct work *work,
			const struct mp_miss_table *table,
			const struct found *found, double inside,
			struct mp_pair *pair)
{
	const double step = exp2(1.0 / VALLEY_GRAIN);
	double rise[VALLEY_STEPS], most_after[VALLEY_STEPS + 1];
	double from = pair->size[0] / VALLEY_BELOW, x = from;
	double before = log(model(work, table, found, inside, x));
	double most_before = 0;
	uint32_t n = 0;

	while (n < VALLEY_STEPS && x < pair->size[1] * VALLEY_ABOVE) {
		double here = log(model(work, table, found, inside,
					x *= step));

		rise[n++] = here - before;
		before = here;
	}
	most_after[n] = 0;
	for (uint32_t i = n; i-- > 0;)
		most_after[i] = fmax(most_after[i + 1], rise[i]);
	pair->dip = 1;
	pair->valley = sqrt(pair->size[0] * pair->size[1]);
	for (uint32_t i = 0; i < n; i++) {
		double hill = fmin(most_before, most_after[i + 1]);
		double at = from * exp2((i + 0.5) / VALLEY_GRAIN);

		most_before = fmax(most_before, rise[i]);
		/* What is hardly a hill at all makes no valley. */
		if (at < pair->size[0] || at > pair->size[1] ||
		    hill < HILL_MIN * most_after[0] ||
		    rise[i] >= hill * pair->dip)
			continue;
		pair->dip = rise[i] / hill;
		pair->valley = at;
	}
}

static void tell(const struct work *work, const struct mp_miss_table *table,
		 const struct found *found, double single,
		 struct mp_pair *pair)
{
	double jumps = found->jump[0] + found->jump[1];

	pair->inside = work->y_mean;
	for (uint32_t k = 0; k < 2; k++) {
		pair->size[k] = tried_size(work, found->tried[k]);
		pair->inside -= found->jump[k] *
			column_of(work, found->shape[k],
				  found->tried[k])->mean;
	}
	pair->between = pair->inside + found->jump[0];
	pair->outside = pair->inside + jumps;
	pair->single = sqrt(single / work->weight) / jumps;
	pair->misfit = sqrt(fmax(found->left, 0) / work->weight) / jumps;
	pair->seen = mp_miss_lookup(table, work->shape[found->shape[1]],
				    work->last / pair->size[1]);
	find_valley(work, table, found, pair->inside, pair);
}

static struct work *work_new(const struct mp_edge_data *data,
			     const struct mp_miss_table *table)
{
	double octaves = log2(data->point[data->n - 1].x / data->point[0].x);
	uint32_t tried = (uint32_t)(fmin(octaves, OCTAVES) * GRAIN) + 1;
	struct mp_edge_data whole = *data;
	struct work *work;

	work = calloc(1, sizeof(*work) +
			 (size_t)SHAPES_MAX * tried * sizeof(struct column));
	if (!work)
		return NULL;
	whole.from = data->point[0].x;
	work->n = data->n;
	work->tried = tried;
	work->from = whole.from;
	work->last = data->point[data->n - 1].x;
	mp_values_weigh(&whole, &work->values);
	fill_values(work);
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		if (work->shapes == SHAPES_MAX ||
		    !is_tried(data, &table->shape[s]))
			continue;
		for (uint32_t i = 0; i < tried; i++)
			fill_column(work, table, s, i,
				    &work->column[work->shapes * tried + i]);
		work->shape[work->shapes++] = s;
	}
	return work;
}

int mp_pair_fit(const struct mp_edge_data *data,
		const struct mp_miss_table *table, struct mp_pair *pair)
{
	struct found found = { .left = INFINITY };
	struct work *work;
	double single, jump;

	memset(pair, 0, sizeof(*pair));
	if (data->n < POINTS_MIN)
		return -ENODATA;
	work = work_new(data, table);
	if (!work)
		return -ENOMEM;
	single = single_left(data, work, table);
	jump = work->values.y[work->n - 1] - work->values.y[0];
	/* One explains it all: no need to look for two. */
	if (single > 0 && jump > 0 &&
	    sqrt(single / work->weight) / jump > SINGLE_POOR)
		search(work, table, &found);
	if (!isinf(found.left))
		tell(work, table, &found, single, pair);
	free(work);
	return isinf(found.left) ? -ENODATA : 0;
}

enum mp_pair_verdict mp_pair_judge(const struct mp_pair *pair)
{
	if (pair->single < SINGLE_POOR ||
	    pair->single < pair->misfit * BETTER ||
	    pair->misfit > MISFIT_MAX || pair->seen < SEEN_MIN ||
	    pair->between < pair->inside * RISE_MIN ||
	    pair->outside < pair->between * RISE_MIN)
		return MP_PAIR_ONE;
	if (pair->dip < DIP_CLEAR ||
	    (pair->dip < DIP_MAX && pair->single > pair->misfit * MUCH_BETTER))
		return MP_PAIR_TWO;
	return MP_PAIR_EITHER;
}
