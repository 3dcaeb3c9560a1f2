// SPDX-License-Identifier: GPL-2.0
/*
 * What edges say that lengths take, and the first length that takes longer.
 * Least squares see little of a step from 4 to 8 cycles where memory is at 400:
 * one blurred edge may be put where there are two or three. In ratios such a
 * step is as large as any other.
 */
#include "probe/cpu_explained.h"

#include <math.h>

#include "analysis/stat.h"

/* Slower than shapes make a length, at several lengths in a row, that add up to more, and
 * to more than they rise by: an edge that is off rises. */
#define SLOWER_EACH 0.1
#define SLOWER_LENGTHS 3u
#define SLOWER_SUM 0.5
/* Of lengths that grow, what fits nowhere is a growing part: so many that take
 * the same, to this share, are a level's if they are so far, in logarithm, from
 * what lies on either side. Translation adds less. */
#define FLAT 0.01
/* .. or where shapes have them rise so many times as much. */
#define FLAT_PART 0.1
#define FLAT_POINTS 3u
#define FLAT_APART 0.4
/* A level is at rest where no more than this hits inside it, or misses it. */
#define RESTS 0.02
/* Of a ring so much shorter than the innermost level all hops hit. */
#define WITHIN 3.0
#define WITHIN_POINTS 32u

/* Of the lengths of a curve that are well within the innermost level, or of
 * its first one; NAN where it has none and @within is asked for. */
static double innermost_of(const struct mp_cpu_edges *edges,
			   const struct mp_curve *curve, bool within)
{
	double value[WITHIN_POINTS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n && n < WITHIN_POINTS; i++)
		if ((!n && !within) || (double)curve->at[i].length * WITHIN <
				       edges->level[0].low_bytes)
			value[n++] = mp_curve_middle(&curve->at[i]);
	return n ? mp_stat_median(value, n) : NAN;
}

double mp_cpu_innermost(const struct mp_cpu_edges *edges)
{
	double time = innermost_of(edges, &edges->curve, true);

	if (isnan(time))
		time = innermost_of(edges, &edges->side[0], true);
	return isnan(time) ? innermost_of(edges, &edges->curve, false) : time;
}

uint32_t mp_cpu_private_levels(const struct mp_cpu_edges *edges)
{
	uint32_t n = 1;

	while (n < edges->n && mp_cpu_has_sides(edges, n))
		n++;
	return n;
}

/* What the private levels' edges say that a length takes; NAN where they say
 * nothing. */
static double explained(const struct mp_cpu_edges *edges, double inside,
			double length)
{
	double sum = inside;

	for (uint32_t k = 0; k < mp_cpu_private_levels(edges); k++) {
		const struct mp_edge *edge = &edges->edge[k];
		double from = k ? edge->inside : inside;

		if (!edges->fitted[k] && length > edges->level[k].low_bytes)
			return NAN;
		if (edges->fitted[k])
			sum += (edge->outside - from) *
			       mp_cpu_miss(edges, k, length);
	}
	return sum;
}

/* Is it far from what levels found, and memory, take? */
static bool is_apart(const struct mp_cpu_edges *edges, double inside,
		     double latency)
{
	for (uint32_t k = 0; k < mp_cpu_private_levels(edges); k++) {
		const struct mp_edge *edge = &edges->edge[k];
		double from = k ? edge->inside : inside;

		if (!edges->fitted[k] ||
		    fabs(log(latency / from)) < FLAT_APART ||
		    fabs(log(latency / edge->outside)) < FLAT_APART)
			return false;
	}
	return true;
}

const struct mp_curve_at *mp_cpu_last_of(const struct mp_curve *curve,
					 double end)
{
	const struct mp_curve_at *last = NULL;

	for (uint32_t i = 0; i < curve->n && (double)curve->at[i].length <= end; i++)
		last = &curve->at[i];
	return last;
}

/*
 * Slots of a dense ring may share lines of a level further out: half of its
 * hops take what the level inside takes then, at any length. Slots of a sparse
 * one share none, and it fills no set further: what serves all of the dense
 * ring serves all of a sparse one of no more bytes. Where that is slower, as
 * shapes have it, it is no level that the dense one shows.
 */
static bool is_of_sharers(const struct mp_cpu_edges *edges,
			  const struct mp_curve_at *dense, double inside)
{
	const struct mp_curve_at *sparse = mp_cpu_last_of(&edges->side[0],
						   (double)dense->length);
	double time;

	if (edges->full || !sparse)
		return false;
	time = mp_curve_middle(sparse);
	return log(time / mp_curve_middle(dense)) > MP_CPU_UNEXPLAINED &&
	       fabs(log(time / explained(edges, inside,
					 (double)sparse->length))) <
	       SLOWER_EACH;
}

/* Do lengths up to one take the same, where shapes have them rise? */
static bool is_flat(const struct mp_cpu_edges *edges,
		    const struct mp_curve *curve, uint32_t i, double inside)
{
	const double latency = mp_curve_middle(&curve->at[i]);
	const double last = explained(edges, inside,
				      (double)curve->at[i].length);
	uint32_t off = 0;

	if (i + 1 < FLAT_POINTS || !is_apart(edges, inside, latency) ||
	    is_of_sharers(edges, &curve->at[i], inside))
		return false;
	for (uint32_t k = i + 1 - FLAT_POINTS; k <= i; k++) {
		const struct mp_curve_at *at = &curve->at[k];

		const double shape = explained(edges, inside,
					       (double)at->length);

		if (fabs(log(mp_curve_middle(at) / latency)) >
		    fmax(FLAT, FLAT_PART * log(last / shape)))
			return false;
		off += log(shape / latency) > MP_CPU_UNEXPLAINED;
	}
	return off >= 2;
}

/*
 * How much longer rings of this curve take behind the edge inside level @k than
 * that says. Dense ones, which it may be of, find lines that came along with
 * others: where several lengths take the same, before level @k begins to miss,
 * that is what it takes. Levels are further apart.
 */
static double rest_more(const struct mp_cpu_edges *edges,
			const struct mp_curve *curve, uint32_t k)
{
	double first = NAN, more = 0;
	uint32_t n = 0;

	if (!edges->fitted[k - 1] || !edges->fitted[k])
		return 0;
	for (uint32_t i = 0; i < curve->n && n < FLAT_POINTS; i++) {
		const double length = (double)curve->at[i].length;
		const double time = mp_curve_middle(&curve->at[i]);

		if (mp_cpu_miss(edges, k - 1, length) < 1 - RESTS ||
		    mp_cpu_miss(edges, k, length) > RESTS)
			continue;
		if (!n)
			first = time;
		if (fabs(log(time / first)) > FLAT)
			return 0;
		more = fmax(more, time - edges->edge[k - 1].outside);
		n++;
	}
	return n == FLAT_POINTS && log1p(more / edges->edge[k - 1].outside) <
	       MP_CPU_UNEXPLAINED ? more : 0;
}

/*
 * How much longer, in logarithm, a length takes than is explained. Where hops
 * of this curve are timed singly the clock adds to them, to those of the
 * innermost level the most: up to @more of it says nothing.
 */
static double off_by(const struct mp_cpu_edges *edges,
		     const struct mp_curve_at *at, double inside, double more,
		     const double *rests)
{
	const double length = (double)at->length;
	const double time = mp_curve_middle(at);
	double usual = explained(edges, inside, length);

	for (uint32_t k = 1; k < edges->n; k++)
		if (rests[k] > 0)
			usual += rests[k] * fmax(mp_cpu_miss(edges, k - 1, length) -
						 mp_cpu_miss(edges, k, length), 0);
	return log((time > usual ? fmax(usual, time - more) : time) / usual);
}

/* The first length of a curve that is not explained, nor the one before it;
 * NAN if all are. */
static double unexplained_of(const struct mp_cpu_edges *edges,
			     const struct mp_curve *curve, double inside)
{
	const double more = fmax(innermost_of(edges, curve, true) - inside, 0);
	const uint32_t n = mp_cpu_private_levels(edges);
	const double end = n < edges->n ? edges->level[n - 1].low_bytes :
					  INFINITY;
	double before = 0, sum = 0, first = 0, rests[MP_CPU_LEVELS] = { 0 };
	uint32_t slower = 0;

	for (uint32_t k = 1; k < n && k < edges->n; k++)
		rests[k] = rest_more(edges, curve, k);
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		double length = (double)at->length;
		double off = off_by(edges, at, inside, more, rests);

		if (length > end)
			break;
		if (isnan(off))
			off = 0;
		slower = off > SLOWER_EACH ? slower + 1 : 0;
		sum = slower ? sum + off : 0;
		if (slower <= 1)
			first = mp_curve_middle(at);
		if ((off > MP_CPU_UNEXPLAINED && fabs(before) > MP_CPU_UNEXPLAINED) ||
		    (slower >= SLOWER_LENGTHS && sum > SLOWER_SUM &&
		     log(mp_curve_middle(at) / first) < sum / 2) ||
		    is_flat(edges, curve, i, inside))
			return length;
		before = off;
	}
	return NAN;
}

/* The dense curve may end before the outer levels, which the first side has
 * looked at. */
double mp_cpu_unexplained(const struct mp_cpu_edges *edges, double inside)
{
	return fmin(unexplained_of(edges, &edges->curve, inside),
		    unexplained_of(edges, &edges->side[0], inside));
}
