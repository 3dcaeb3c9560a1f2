// SPDX-License-Identifier: GPL-2.0
/* How many levels does a curve show, and roughly where? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/edge_kept.h"
#include "analysis/stat.h"
#include "probe/cpu.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_groups.h"
#include "probe/cpu_flat.h"

/* Replicates of a plateau that lie further apart than this share of it; of
 * so many lengths at most; and levels smaller than this are nobody else's. */
#define UNSTEADY 0.5
#define SPREADS 64u
/* .. and at half of that it is not asked whether one level is two. */
#define SPLIT_UNSTEADY 0.25
#define FALLS 0.8
#define PRIVATE_MIN (1.75 * 1024 * 1024)
/* The curve begins at 1 KiB; a step beyond this is a hole in it. */
#define HOLE_FROM 1024.0
#define HOLE 2.9
/* A curve that rises by less from octave to octave has come to memory. */
#define FLAT 1.15
/* So many miss beyond an edge; or, of one without a shape, so far beyond. */
#define BEYOND 0.95
#define BEYOND_HIGH 3.0
/* One edge or two: looked at so far beyond the detector's bracket. */
#define PAIR_BELOW 4.0
#define PAIR_ABOVE 6.0

/* How far apart three replicates of a length lie, on average: more of them
 * would lie further apart without anything having moved. */
static double range_of_three(const struct mp_curve_at *at)
{
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t k = 0; k + 3 <= at->n; k += 3, n++) {
		const double *y = at->ns + k;

		sum += fmax(y[0], fmax(y[1], y[2])) -
		       fmin(y[0], fmin(y[1], y[2]));
	}
	return sum / n;
}

/* How far apart the replicates between two lengths lie, of their middle. */
static double unsteadiness(const struct mp_curve *curve, double low,
			   double high)
{
	double spread[SPREADS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n && n < SPREADS; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		if ((double)at->length <= low || (double)at->length >= high ||
		    at->n < 3)
			continue;
		spread[n++] = range_of_three(at) / at->mid_ns;
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

bool mp_cpu_holed(const struct mp_curve *curve, const struct mp_level *level,
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

void mp_cpu_fit_points(const struct mp_curve *curve, double low, double high,
		       struct mp_edge_data *data)
{
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		if ((double)at->length >= low && (double)at->length <= high)
			fit_point(at, data);
	}
}

/* Does a level change while it is measured? Then replicates differ, or the
 * curve goes down again. */
static bool moves(const struct mp_curve *curve, const struct mp_level *level)
{
	double low = level->low_bytes / HOLE, high = level->high_bytes * HOLE;
	double most = 0;

	if (level->high_bytes < PRIVATE_MIN)
		return false;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		if ((double)at->length < low || (double)at->length > high)
			continue;
		if (at->mid_ns < most * FALLS)
			return true;
		most = fmax(most, at->mid_ns);
	}
	return unsteadiness(curve, level->low_bytes, level->high_bytes) >
	       SPLIT_UNSTEADY;
}

static int pair_of(const struct mp_curve *curve, double low, double high,
		   struct mp_pair *pair)
{
	struct mp_edge_data *data = calloc(1, sizeof(*data));
	int err;

	if (!data)
		return -ENOMEM;
	data->scatters = MP_EDGE_ANY;
	mp_cpu_fit_points(curve, low, high, data);
	err = mp_pair_fit_kept(data, mp_miss_table_get(), pair);
	free(data);
	return err;
}

static void split(struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		  uint32_t k, const struct mp_pair *pair)
{
	memmove(&level[k + 1], &level[k], (*n - k) * sizeof(*level));
	(*n)++;
	level[k].size_bytes = pair->size[0];
	level[k].low_bytes = fmin(level[k].low_bytes, pair->size[0]);
	level[k].high_bytes = fmin(pair->valley, pair->size[1]);
	level[k + 1].size_bytes = pair->size[1];
	level[k + 1].low_bytes = fmin(pair->valley, pair->size[1]);
	level[k + 1].high_bytes = fmax(level[k + 1].high_bytes, pair->size[1]);
	level[k + 1].latency = pair->between;
}

/* Two levels so near each other that the detector took them for one show
 * where one edge explains the curve badly and two explain it well. */
int mp_cpu_split(const struct mp_curve *curve,
		 struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		 uint32_t k, struct mp_cpu_doubt *doubt)
{
	double low = k ? level[k - 1].size_bytes * MP_CPU_CLEAR_ABOVE : 0;
	double high = k + 1 < *n ? level[k + 1].low_bytes : INFINITY;
	enum mp_pair_verdict verdict;
	struct mp_pair pair;
	int err;

	if (*n == MP_CPU_LEVELS || moves(curve, &level[k]))
		return 0;
	err = pair_of(curve, fmax(low, level[k].low_bytes / PAIR_BELOW),
		      fmin(high, level[k].high_bytes * PAIR_ABOVE), &pair);
	if (err)
		return err == -ENODATA ? 0 : err;
	verdict = mp_pair_judge(&pair);
	/* What comes last may be where the next edge begins. */
	if (verdict == MP_PAIR_ONE || pair.size[1] * MP_CPU_CLEAR_ABOVE > high)
		return 0;
	if (verdict == MP_PAIR_TWO) {
		split(level, n, k, &pair);
		/* The doubt moves out, or was about this and is settled. */
		if (doubt->level == k)
			doubt->level = MP_CPU_LEVELS;
		else if (doubt->level > k && doubt->level < MP_CPU_LEVELS)
			doubt->level++;
	} else if (k < doubt->level) {
		*doubt = (struct mp_cpu_doubt){
			.level = k, .size = { pair.size[0], pair.size[1] } };
	}
	return 0;
}

uint32_t mp_cpu_split_flats(const struct mp_curve *curve,
			    struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
			    uint32_t k, struct mp_cpu_doubt *doubt)
{
	uint32_t more = 0;

	if (moves(curve, &level[k]))
		return 0;
	while (mp_cpu_flat_split(curve, level, n, k + more)) {
		if (doubt->level == k + more)
			doubt->level = MP_CPU_LEVELS;
		else if (doubt->level > k + more &&
			 doubt->level < MP_CPU_LEVELS)
			doubt->level++;
		more++;
	}
	return more;
}

uint32_t mp_cpu_split_innermost(const struct mp_curve *curve,
				struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
				struct mp_cpu_doubt *doubt)
{
	const double last = level->latency;
	uint32_t more;

	if (curve->n > 1)
		level->latency = fmin(last, fmax(mp_curve_middle(&curve->at[0]),
						 mp_curve_middle(&curve->at[1])));
	more = mp_cpu_split_flats(curve, level, n, 0, doubt);
	if (!more)
		level->latency = last;
	return more;
}

/* @to_memory: what its end takes is no less than a walk does. */
static int levels_of(const struct mp_curve *curve, bool to_memory,
		     struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		     struct mp_cpu_doubt *doubt)
{
	struct mp_cpu_doubt found = { .level = MP_CPU_LEVELS };
	struct mp_curve_point *point;
	bool timed = true;
	uint32_t used = 0;
	int err;

	*n = 0;
	point = calloc(curve->n + 1, sizeof(*point));
	if (!point)
		return -ENOMEM;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		/* Without a core clock ns serve as well: only ratios count. */

		point[used].footprint_bytes = (double)at->length;
		point[used].latency = mp_curve_middle(at);
		timed &= point[used++].latency > 0;
	}
	err = used < 4 || !timed ? -ENODATA :
	      mp_levels_find(point, used, level, MP_CPU_LEVELS, n);
	free(point);
	/* More levels than facts are made for: the inner ones are there. */
	if (err == -ENOSPC) {
		*n = MP_CPU_LEVELS;
		err = 0;
	}
	if (!err)
		merge_unsteady(curve, level, n);
	if (!err && mp_cpu_holed(curve, level, *n))
		err = -ENODATA;
	for (uint32_t k = 0; k <= *n && !err && to_memory; k++)
		mp_cpu_flat_step(curve, level, n, k);
	for (uint32_t k = 0; k < *n && !err; k++)
		k += mp_cpu_split_flats(curve, level, n, k, &found);
	for (uint32_t k = 0; k < *n && !err; k++)
		err = mp_cpu_split(curve, level, n, k, &found);
	if (doubt)
		*doubt = found;
	return err;
}

int mp_cpu_levels(const struct mp_curve *curve,
		  struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		  struct mp_cpu_doubt *doubt)
{
	return levels_of(curve, true, level, n, doubt);
}

int mp_cpu_levels_inside(const struct mp_curve *curve,
			 struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
			 struct mp_cpu_doubt *doubt)
{
	return levels_of(curve, false, level, n, doubt);
}

/*
 * The edge of the innermost level is looked at in the main curve. Rings that
 * show the second by itself end what is looked at of it, as its edge is a small
 * part of what lies beyond. Further out edges are blurred, and all of their
 * stretch is wanted.
 */
int mp_cpu_mean_levels(struct mp_cpu_edges *edges)
{
	uint32_t more = 0;
	int err = mp_cpu_levels(&edges->side[0], edges->level, &edges->n,
				&edges->doubt);

	if (!err && edges->n)
		more = mp_cpu_split_innermost(&edges->curve, edges->level,
					      &edges->n, &edges->doubt);
	for (uint32_t k = 0; k <= more && k < edges->n && !err; k++)
		err = mp_cpu_split(&edges->curve, edges->level, &edges->n, k,
				   &edges->doubt);
	if (!err)
		mp_cpu_flat_part(&edges->curve, edges->level, edges->n, 0);
	return err;
}

bool mp_cpu_flat_at_end(const struct mp_curve *curve)
{
	const struct mp_curve_at *last;

	if (!curve->n)
		return false;
	last = &curve->at[curve->n - 1];
	for (uint32_t i = curve->n - 1; i; i--) {
		const struct mp_curve_at *at = &curve->at[i - 1];

		if (2 * at->length > last->length + last->length / 8)
			continue;
		return last->mid_ns < FLAT * at->mid_ns;
	}
	return false;
}

/* Does the last level's fit have nearly all hops miss at a length? */
static bool is_beyond(const struct mp_cpu_edges *edges, double length)
{
	const uint32_t last = edges->n - 1;

	return edges->fitted[last] ?
	       mp_cpu_miss(edges, last, length) > BEYOND :
	       length > edges->level[last].high_bytes * BEYOND_HIGH;
}

/*
 * Slots of a full ring may share lines of a level further out, and all but one
 * of them are served by the level inside then: the step to what lies beyond is
 * that much smaller, and may be too small for the detector. Where two share a
 * line the least step that it takes for a level, 1.65, becomes one of 1.4;
 * where four do, one of 1.23. Single hops have a peak each all the same.
 */
bool mp_cpu_rises_beyond(const struct mp_cpu_edges *edges)
{
	const struct mp_curve *curve = &edges->side[0];
	double before = NAN, end;
	uint32_t k = 0;

	if (!edges->n || !edges->full || edges->single || !curve->n)
		return false;
	end = curve->at[curve->n - 1].mid_ns;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		/* What is half as long, if that is beyond as well. */
		for (; 2 * curve->at[k].length <= at->length; k++)
			if (is_beyond(edges, (double)curve->at[k].length))
				before = curve->at[k].mid_ns;
		if (fmin(at->mid_ns, end) > before * FLAT)
			return true;
	}
	return false;
}

void mp_cpu_edges_free(struct mp_cpu_edges *edges)
{
	mp_curve_free(&edges->curve);
	mp_curve_free(&edges->sparse);
	mp_curve_free(&edges->after);
	mp_curve_free(&edges->walks);
	mp_cpu_groups_free(edges);
	for (uint32_t i = 0; i < MP_CPU_SIDES; i++)
		mp_curve_free(&edges->side[i]);
	for (uint32_t w = 0; w < MP_CPU_WIDTHS; w++)
		for (uint32_t i = 0; i < MP_CPU_SIDES; i++)
			mp_curve_free(&edges->wide[w][i]);
}
