// SPDX-License-Identifier: GPL-2.0
/*
 * Levels so near each other that the detector takes them for one: rings that
 * the outer one serves alone.
 *
 * A ring that fits nowhere misses more of its hops the longer it is: no more
 * lines of it are kept than before, whoever is evicted. So what stays the same
 * while rings grow is no mixture of what lies on either side, but a level. How
 * much a mixture would have to grow is known from how far it is from what
 * misses take.
 */
#include "probe/cpu_flat.h"

#include <math.h>
#include <string.h>

#include "probe/cpu_edges.h"

/* Lengths in a row that take the same, to this share: so many, with so many
 * replicates each, the fastest of which takes that, too. */
#define SAME 0.01
#define POINTS 3u
#define REPLICATES 3u
/* Levels lie at least so far apart. */
#define APART 1.4
/* What a mixture would grow meanwhile is so many times that share, or more. */
#define GROWS 4.0
/* No more of the hops than this miss a level that holds a ring whole. */
#define MISS_NONE 0.05

/* Lengths that take the same. */
struct flat {
	double from;
	double to;
	double latency;
	uint32_t points;
};

static double latency_of(const struct mp_curve_at *at)
{
	return isnan(at->mid_cycles) ? at->mid_ns : at->mid_cycles;
}

/* Do replicates agree? Where pages are thrown at random they need not. */
static bool is_sure(const struct mp_curve_at *at)
{
	const double *value = isnan(at->mid_cycles) ? at->ns : at->cycles;
	double least = INFINITY;

	for (uint32_t i = 0; i < at->n; i++)
		least = fmin(least, value[i]);
	return at->n >= REPLICATES && least >= latency_of(at) * (1 - SAME);
}

/* The stretch that begins with the @i-th length. */
static struct flat flat_at(const struct mp_curve *curve, uint32_t i, double end)
{
	double least = latency_of(&curve->at[i]), most = least;
	struct flat flat = { .from = (double)curve->at[i].length };

	for (; i < curve->n && (double)curve->at[i].length <= end; i++) {
		const double here = latency_of(&curve->at[i]);

		least = fmin(least, here);
		most = fmax(most, here);
		if (!is_sure(&curve->at[i]) || most > least * (1 + SAME))
			break;
		flat.to = (double)curve->at[i].length;
		flat.latency = here;
		flat.points++;
	}
	return flat;
}

/* What the last of them takes. */
static double last_of(const struct mp_curve *curve, double end)
{
	double last = NAN;

	for (uint32_t i = 0; i < curve->n; i++)
		if ((double)curve->at[i].length <= end)
			last = latency_of(&curve->at[i]);
	return last;
}

/* Would a mixture of what lies on either side have grown? */
static bool is_level(const struct flat *flat, double beyond)
{
	const double grown = (1 - flat->from / flat->to) *
			     (beyond - flat->latency);

	return beyond > flat->latency * APART &&
	       grown > GROWS * SAME * flat->latency;
}

/* The last length before a flat that a level still holds whole. */
static double held_before(const struct mp_curve *curve, double from,
			  const struct flat *flat, double inside)
{
	const double most = inside + MISS_NONE * (flat->latency - inside);
	double held = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		if ((double)at->length >= from &&
		    (double)at->length < flat->from && latency_of(at) <= most)
			held = (double)at->length;
	}
	return held;
}

static void insert(struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		   uint32_t k, double held, const struct flat *flat)
{
	struct mp_level *inner = &level[k], *outer = &level[k + 1];

	memmove(outer, inner, (*n - k) * sizeof(*level));
	(*n)++;
	inner->low_bytes = held;
	inner->high_bytes = flat->from;
	inner->size_bytes = sqrt(held * flat->from);
	inner->parted_bytes = flat->to;
	outer->low_bytes = flat->to;
	outer->size_bytes = fmax(outer->size_bytes, flat->to);
	outer->high_bytes = fmax(outer->high_bytes, outer->size_bytes);
	outer->latency = flat->latency;
}

bool mp_cpu_flat_split(const struct mp_curve *curve,
		       struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		       uint32_t k)
{
	const double from = k ? level[k - 1].high_bytes : 0;
	const double end = k + 1 < *n ? level[k + 1].low_bytes : INFINITY;
	const double inside = level[k].latency;

	if (*n == MP_CPU_LEVELS)
		return false;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct flat flat = flat_at(curve, i, level[k].high_bytes);
		double held;

		if (flat.from < from || flat.points < POINTS ||
		    flat.latency < inside * APART ||
		    !is_level(&flat, last_of(curve, end)))
			continue;
		held = held_before(curve, from, &flat, inside);
		if (!(held > 0))
			continue;
		insert(level, n, k, held, &flat);
		return true;
	}
	return false;
}

void mp_cpu_flat_keep(double next, struct mp_edge_data *data)
{
	uint32_t points = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		struct mp_edge_point *p = &data->point[i];
		uint32_t n = 0;

		for (uint32_t r = 0; r < p->n; r++)
			if (p->y[r] <= next * (1 + SAME))
				p->y[n++] = p->y[r];
		p->n = n;
		if (n)
			data->point[points++] = *p;
	}
	data->n = points;
}
