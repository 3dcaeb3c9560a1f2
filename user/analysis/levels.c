// SPDX-License-Identifier: GPL-2.0
/*
 * Levels of cache in a stored latency curve. A level shows as a plateau of
 * latency over the footprint, and the ramp that ends it holds its capacity.
 * Everything is counted in logarithms, so that no unit and no scale matters.
 *
 * Plateaus: of all ways to cut the curve into plateaus with ramps between,
 * the best one is taken (dynamic programming, exact). A plateau earns its
 * length and pays for the rise inside it, at PLATEAU_SLOPE; a ramp must rise
 * by RAMP_RISE at least and pays RAMP_COST, the less the more it rises. So
 * a TLB that runs out (a rise of a third, spread over octaves) stays inside a
 * plateau, and an edge that noise has dented stays one ramp.
 *
 * Capacity: on the ramp the share of hops that miss is
 * (latency - inside) / (outside - inside). How it grows differs with
 * placement and replacement, but the footprint at which a quarter of the
 * hops miss is never far from the capacity: see MISS_AT_CAPACITY.
 */
#include "analysis/levels.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/stat.h"

/* A plateau: latency grows by less than this power of the footprint, by a
 * third for a doubling. Misses make it grow about as the footprint itself
 * does; a TLB, which adds 7 to 10 cycles to the 12 to 20 of an L2 cache in
 * the course of two or three octaves, by about 0.2. */
#define PLATEAU_SLOPE 0.4

/* The least rise, in logarithm, that is another level (a factor of 1.65).
 * Levels that are worth building differ by 2 and more; TLB and page tables
 * leave 1.5 behind, and spread that far. */
#define RAMP_RISE 0.5

/* What a ramp of the least rise costs, in logarithm of footprint: the plateau
 * between two such ramps must be as long as half an octave, net of its own
 * rise. Two neighbours that noise has made equal are shorter. */
#define RAMP_COST (0.5 * M_LN2)

/* Where the capacity lies on the ramp: the middle of what a cache misses at
 * its own capacity, 0 (contiguous memory, or random replacement, or one that
 * resists the walk) to 0.55 (pages scattered over the sets of an 8-way cache,
 * least recently used). A cache that resists, and misses 1 - C/S of a
 * footprint S, is then placed 1.38 times too high at worst, scattered pages
 * 1.3 times too low; random replacement is placed at 1.17 C. */
#define MISS_AT_CAPACITY 0.275

/* Where neighbours lie no further apart than this, a sharp edge is placed at
 * the footprint that did fit. */
#define NEIGHBOURS 1.5

/* The bracket. With no more misses than this a level holds the footprint (one
 * that resists the walk, but for as little); with 1 - 1/e or more it is larger
 * than the level: that is what pages scattered over a direct-mapped cache, the
 * worst placement there is, miss at its capacity. */
#define MISS_NONE 0.05
#define MISS_MOST 0.632

/* The latency inside is read so far (an octave) before the plateau ends: what
 * the TLB adds is in it, and the first misses are not. */
#define INSIDE_BEFORE M_LN2

/* A curve that ends on a ramp shows its last level if so many points at
 * least lie beyond the plateau: one may be a blip. */
#define TAIL_POINTS 2u

#define NONE UINT32_MAX

/**
 * struct curve - a curve made ready: sorted, in logarithms, never falling
 * @n: footprints
 * @s: logarithm of the footprint
 * @u: logarithm of the latency
 * @footprint: as given
 */
struct curve {
	uint32_t n;
	double *s;
	double *u;
	double *footprint;
};

/**
 * struct plateau - a stretch [from, to] of a curve
 */
struct plateau {
	uint32_t from;
	uint32_t to;
};

/**
 * struct ending - the best cut in which some point ends a plateau
 * @gain: what this cut earns
 * @from: where that plateau starts
 * @before: the point that ends the plateau before, or NONE
 */
struct ending {
	double gain;
	uint32_t from;
	uint32_t before;
};

static int by_footprint(const void *a, const void *b)
{
	const struct mp_curve_point *p = a, *q = b;

	if (p->footprint_bytes != q->footprint_bytes)
		return p->footprint_bytes < q->footprint_bytes ? -1 : 1;
	return (p->latency > q->latency) - (p->latency < q->latency);
}

static bool is_sound(const struct mp_curve_point *point, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!isfinite(point[i].footprint_bytes) ||
		    !isfinite(point[i].latency) ||
		    !(point[i].footprint_bytes > 0) || !(point[i].latency > 0))
			return false;
	return true;
}

/* Sorted points to logarithms; equal footprints become one. */
static void curve_fill(struct curve *curve, const struct mp_curve_point *point,
		       uint32_t n)
{
	curve->n = 0;
	for (uint32_t i = 0, end; i < n; i = end) {
		double bytes = point[i].footprint_bytes;

		end = i + 1;
		while (end < n && point[end].footprint_bytes == bytes)
			end++;
		curve->footprint[curve->n] = bytes;
		curve->s[curve->n] = log(bytes);
		curve->u[curve->n] = log(point[(i + end - 1) / 2].latency);
		curve->n++;
	}
}

/*
 * The never-falling curve that lies nearest by absolute difference: points
 * out of order are pooled to their median, a lone spike without a trace. Of
 * two it is the lower one: what disturbs a measurement adds to it.
 */
static void curve_rise(struct curve *curve, double *scratch, uint32_t *start)
{
	double *value = scratch, *sorted = scratch + curve->n;
	uint32_t blocks = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		start[blocks] = i;
		value[blocks++] = curve->u[i];
		while (blocks > 1 && value[blocks - 2] > value[blocks - 1]) {
			uint32_t from = start[--blocks - 1];

			for (uint32_t k = from; k <= i; k++)
				sorted[k - from] = curve->u[k];
			mp_stat_sort(sorted, i - from + 1);
			value[blocks - 1] = sorted[(i - from) / 2];
		}
	}
	for (uint32_t i = curve->n, b = blocks; b-- > 0;)
		while (i > start[b])
			curve->u[--i] = value[b];
}

/*
 * The best cut into plateaus, given as the endings of its plateaus; returns
 * where the outermost one ends. The ramp before a plateau that starts at
 * @from is chosen once for all its ends.
 */
static uint32_t cut(const struct curve *curve, struct ending *ending)
{
	const double *s = curve->s, *u = curve->u;
	uint32_t best = 0;

	for (uint32_t to = 0; to < curve->n; to++)
		ending[to] = (struct ending){ -HUGE_VAL, 0, NONE };
	for (uint32_t from = 0; from < curve->n; from++) {
		uint32_t before = NONE;
		double gain = 0;

		for (uint32_t k = 0; k < from; k++) {
			double rise = u[from] - u[k], g;

			if (rise < RAMP_RISE)
				break;
			g = ending[k].gain - RAMP_COST * RAMP_RISE / rise;
			if (g > gain) {
				gain = g;
				before = k;
			}
		}
		for (uint32_t to = from; to < curve->n; to++) {
			double g = gain + s[to] - s[from] -
				(u[to] - u[from]) / PLATEAU_SLOPE;

			if (g > ending[to].gain)
				ending[to] = (struct ending){ g, from, before };
		}
	}
	for (uint32_t to = 1; to < curve->n; to++)
		if (ending[to].gain > ending[best].gain)
			best = to;
	return best;
}

/* Logarithm of the latency at a place on a plateau, linear between points. */
static double at(const struct curve *curve, const struct plateau *p, double s)
{
	uint32_t i = p->from;

	while (i < p->to && curve->s[i + 1] < s)
		i++;
	if (i == p->to || s <= curve->s[i])
		return curve->u[i];
	return curve->u[i] + (curve->u[i + 1] - curve->u[i]) *
		(s - curve->s[i]) / (curve->s[i + 1] - curve->s[i]);
}

static double middle(const struct curve *curve, const struct plateau *p)
{
	return at(curve, p, (curve->s[p->from] + curve->s[p->to]) / 2);
}

/*
 * How far above the lower of two neighbours the capacity lies; @gap is the
 * distance between them, @miss and @next are their shares of misses. Where
 * hardly any hop missed and now nearly all do, the curve says no more than
 * that it lies between: what is borne out is the footprint that did fit,
 * unless that leaves too much room above.
 */
static double within(double miss, double next, double gap)
{
	double even, sharp, least = gap - log(NEIGHBOURS);

	miss = fmax(miss, 0);
	even = gap * (MISS_AT_CAPACITY - miss) / (next - miss);
	sharp = even * fmin(1, 2 * (1 - (fmin(next, 1) - miss)));
	return fmax(sharp, fmin(even, least));
}

/*
 * The capacity of the level whose plateau is @in; @out is the next plateau,
 * or NULL when the curve ends before there is one.
 */
static void place(const struct curve *curve, const struct plateau *in,
		  const struct plateau *out, struct mp_level *level)
{
	double inside = exp(at(curve, in, curve->s[in->to] - INSIDE_BEFORE));
	double outside = exp(out ? middle(curve, out) : curve->u[curve->n - 1]);
	double miss = 0, next = 0;
	uint32_t i = in->from, k;

	for (;; i++, miss = next) {
		next = (exp(curve->u[i + 1]) - inside) / (outside - inside);
		if (next > MISS_AT_CAPACITY)
			break;
	}
	level->size_bytes = curve->footprint[i] *
		exp(within(miss, next, curve->s[i + 1] - curve->s[i]));
	level->latency = exp(middle(curve, in));
	level->parted_bytes = 0;

	for (k = i; k > in->from; k--)
		if (exp(curve->u[k]) <= inside + MISS_NONE * (outside - inside))
			break;
	level->low_bytes = curve->footprint[k];
	for (k = i + 1; k + 1 < curve->n; k++)
		if (exp(curve->u[k]) >= inside + MISS_MOST * (outside - inside))
			break;
	level->high_bytes = curve->footprint[k];
}

static bool has_tail(const struct curve *curve, const struct plateau *last)
{
	return last->to + TAIL_POINTS < curve->n &&
		curve->u[curve->n - 1] - curve->u[last->to] >= RAMP_RISE;
}

static int find(struct curve *curve, struct plateau *plateau,
		struct ending *ending, struct mp_level *level, uint32_t room,
		uint32_t *n_levels)
{
	uint32_t n = 0, levels;

	for (uint32_t to = cut(curve, ending); to != NONE;
	     to = ending[to].before)
		plateau[n++] = (struct plateau){ ending[to].from, to };
	/* Outermost first. It is memory, unless the curve rises beyond. */
	levels = has_tail(curve, &plateau[0]) ? n : n - 1;
	*n_levels = levels;
	for (uint32_t k = 0; k < levels && k < room; k++) {
		uint32_t in = n - 1 - k;

		place(curve, &plateau[in], in ? &plateau[in - 1] : NULL,
		      &level[k]);
	}
	return levels > room ? -ENOSPC : 0;
}

int mp_levels_find(const struct mp_curve_point *point, uint32_t n,
		   struct mp_level *level, uint32_t room, uint32_t *n_levels)
{
	struct mp_curve_point *sorted = NULL;
	struct plateau *plateau = NULL;
	struct ending *ending = NULL;
	double *number = NULL;
	uint32_t *start = NULL;
	struct curve curve;
	int err = 0;

	*n_levels = 0;
	if (n > MP_LEVELS_POINTS_MAX)
		return -E2BIG;
	if (!is_sound(point, n))
		return -EINVAL;
	if (n < 3)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	number = malloc(5 * (size_t)n * sizeof(*number));
	start = malloc(n * sizeof(*start));
	plateau = malloc(n * sizeof(*plateau));
	ending = malloc(n * sizeof(*ending));
	if (!sorted || !number || !start || !plateau || !ending) {
		err = -ENOMEM;
		goto err_free;
	}
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = point[i];
	qsort(sorted, n, sizeof(*sorted), by_footprint);
	curve.s = number;
	curve.u = number + n;
	curve.footprint = number + 2 * (size_t)n;
	curve_fill(&curve, sorted, n);
	if (curve.n >= 3) {
		curve_rise(&curve, number + 3 * (size_t)n, start);
		err = find(&curve, plateau, ending, level, room, n_levels);
	}
err_free:
	free(ending);
	free(plateau);
	free(start);
	free(number);
	free(sorted);
	return err;
}
