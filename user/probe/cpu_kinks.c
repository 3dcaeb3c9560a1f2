// SPDX-License-Identifier: GPL-2.0
#include "probe/cpu_kinks.h"

#include <math.h>

/* Lengths so near each other are one. */
#define NEAR 1.02
/* A curve has not begun to rise: no more than this of it, where the shape of sets that
 * are filled unevenly has so much already, or more, and the next lengths do. */
#define BEGUN 0.008
#define SHOULD 0.03
#define REPLICATES_MIN 3u
/* Of an edge so many lengths low on it, all of whose replicates agree, and so many
 * high on it that differ: where pages lie matters to one level and not to another. */
#define LOW 0.05
#define MIDDLE 0.4
#define HIGH 0.9
#define AGREE 0.01
#define DIFFER 0.08
#define LENGTHS 3u
/* An edge that has come so far has all but ceased to rise, after it rose by more, and
 * then rises so many times as fast. */
#define RESTS_FROM 0.03
#define RESTS 0.7
#define GOES_ON 3.0
/* Where single hops tell of one level, rings well within it take this much more than
 * the least of them, at so many lengths: translation adds less. */
#define WITHIN 0.7
#define MORE 1.25
#define MORE_LENGTHS 2u
/* Edges seen from here to there, in sizes. */
#define FROM 0.3
#define TO 2.5
#define POINTS 64u

/* A length: how far up the edge it is, and by how much replicates differ. */
struct point {
	double length;
	double up;
	double spread;
};

static uint32_t points_of(const struct mp_cpu_edges *edges,
			  struct point point[POINTS])
{
	const struct mp_edge *edge = &edges->edge[0];
	const double jump = edge->outside - edge->inside;
	const double end = edges->n > 1 ? edges->level[1].low_bytes : INFINITY;
	uint32_t n = 0;

	for (uint32_t i = 0; i < edges->curve.n && n < POINTS; i++) {
		const struct mp_curve_at *at = &edges->curve.at[i];
		const double length = (double)at->length;
		const double *value = isnan(at->mid_cycles) ? at->ns : at->cycles;
		double least = INFINITY, most = 0;

		if (at->n < REPLICATES_MIN || length < edge->size * FROM ||
		    length > fmin(edge->size * TO, end) ||
		    (n && length < point[n - 1].length * NEAR))
			continue;
		for (uint32_t r = 0; r < at->n; r++) {
			least = fmin(least, value[r]);
			most = fmax(most, value[r]);
		}
		point[n++] = (struct point){
			.length = length,
			.up = (mp_curve_middle(at) - edge->inside) / jump,
			.spread = (most - least) / jump,
		};
	}
	return n;
}

/* Does it begin later than lines on sets at random have it? */
static bool begins_late(const struct mp_cpu_edges *edges,
			const struct point *point)
{
	return edges->table->shape[edges->edge[0].shape].scatter > 0 &&
	       point->up < BEGUN && point->spread < BEGUN && point[1].up > BEGUN &&
	       mp_cpu_miss(edges, 0, point->length) > SHOULD;
}

/* Do replicates agree at the foot of the edge, and differ further up? Gets the last
 * length of the foot. */
static bool is_parted(const struct point *point, uint32_t n, double *length)
{
	uint32_t agree = 0, differ = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (point[i].up > LOW && point[i].up < MIDDLE) {
			if (point[i].spread > AGREE)
				return false;
			*length = point[i].length;
			agree++;
		}
		differ += point[i].up > MIDDLE && point[i].up < HIGH &&
			  point[i].spread > DIFFER;
	}
	return agree >= LENGTHS && differ >= LENGTHS;
}

/* How fast it rises from a length to the next, at least and at most. Return: do the
 * replicates of either agree? */
static bool rise_of(const struct point *point, double rise[2])
{
	const double along = log(point[1].length / point->length);
	const double up = point[1].up - point->up;
	const double doubt = (point[1].spread + point->spread) / 2;

	rise[0] = (up - doubt) / along;
	rise[1] = (up + doubt) / along;
	return point->spread < AGREE && point[1].spread < AGREE;
}

/* The edge of one level rises faster and faster, and then slower and slower, however
 * lines are thrown out. Of two that no plateau parts it rests between. Gets where. */
static bool rests(const struct point *point, uint32_t n, double *length)
{
	double before = 0, rest = INFINITY, rise[2];

	/* What rises further up may be the next edge. */
	for (uint32_t i = 0; i + 1 < n && point[i + 1].up < HIGH; i++) {
		if (!rise_of(&point[i], rise))
			continue;
		if (rise[0] > rest * GOES_ON)
			return true;
		if (point[i].up > RESTS_FROM && rise[1] > 0 &&
		    rise[1] < before * RESTS && rise[1] < rest) {
			rest = rise[1];
			*length = point[i].length;
		}
		before = fmax(before, rise[0]);
	}
	return false;
}

/* By means: does the edge look like two? */
static bool is_kinked(const struct mp_cpu_edges *edges, double *length)
{
	struct point point[POINTS];
	const uint32_t n = points_of(edges, point);

	for (uint32_t i = 0; i + 1 < n; i++) {
		if (!begins_late(edges, &point[i]))
			continue;
		*length = point[i].length;
		return true;
	}
	return is_parted(point, n, length) || rests(point, n, length);
}

/* Do rings without clocks in between take longer well within the level? Of two levels a
 * clock's step apart, or less, single hops make one. */
static bool moves_within(const struct mp_cpu_edges *edges, double *length)
{
	const struct mp_curve *curve = &edges->curve;
	double least = INFINITY;
	uint32_t more = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		const double time = mp_curve_middle(at);

		if ((double)at->length > edges->edge[0].low * WITHIN)
			break;
		least = fmin(least, time);
		if (at->n < REPLICATES_MIN || !(time > least * MORE))
			continue;
		if (!more++)
			*length = (double)at->length;
	}
	return more >= MORE_LENGTHS;
}

void mp_cpu_kinks_find(struct mp_cpu_edges *edges)
{
	double length;

	/* What is known of others is no better then; the innermost is known already. */
	if (!edges->n || !edges->fitted[0] || !edges->doubt.level ||
	    (!edges->single && (edges->doubt.level < MP_CPU_LEVELS ||
				edges->by[0] != MP_CPU_BY_MEANS)))
		return;
	if (edges->single ? moves_within(edges, &length) :
			    is_kinked(edges, &length))
		edges->doubt = (struct mp_cpu_doubt){ .level = 0, .kinked = length };
}
