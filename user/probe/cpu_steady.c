// SPDX-License-Identifier: GPL-2.0
/*
 * What lies beyond a level grows slower and faster while one measures: its
 * clock moves, others crowd it. Replicates of lengths at which most hops
 * miss tell how it was at their moment, and all others are counted against that.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/stat.h"
#include "probe/cpu_edges.h"

/* Replicates nearest in time that tell of a moment; one of them may have
 * been disturbed. */
#define NEAREST 5u
/* Fewer in all tell nothing of what went on. */
#define LEAST (3 * NEAREST)
/* A length measured in a part of the time only has no share in this. */
#define PART 0.5

/* How dear it was to miss: 1 is the average. */
struct moment {
	double start_ns;
	double factor;
};

static int by_start(const void *a, const void *b)
{
	const struct moment *p = a, *q = b;

	return (p->start_ns > q->start_ns) - (p->start_ns < q->start_ns);
}

static const double *values(const struct mp_curve_at *at)
{
	return isnan(at->cycles[0]) ? at->ns : at->cycles;
}

static bool is_beyond(const struct mp_curve_at *at, double from, double to,
		      uint32_t least)
{
	return (double)at->length >= from && (double)at->length <= to &&
	       at->n >= least;
}

static uint32_t most_replicates(const struct mp_curve *curve, double from,
				double to)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < curve->n; i++)
		if (is_beyond(&curve->at[i], from, to, most))
			most = curve->at[i].n;
	return most;
}

static uint32_t gather(const struct mp_curve *curve, double from, double to,
		       double inside, struct moment *moment)
{
	uint32_t least = (uint32_t)(most_replicates(curve, from, to) * PART);
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		const double *y = values(at);
		uint32_t kept = at->n < MP_EDGE_PASSES ? at->n :
							 MP_EDGE_PASSES;
		double middle;

		if (!is_beyond(at, from, to, least))
			continue;
		middle = mp_stat_tame(y, kept, NULL);
		for (uint32_t r = 0; r < kept && middle > inside; r++)
			moment[n++] = (struct moment){
				at->start_ns[r],
				(y[r] - inside) / (middle - inside) };
	}
	qsort(moment, n, sizeof(*moment), by_start);
	return n;
}

static double factor_at(const struct moment *moment, uint32_t n,
			double start_ns)
{
	double factor[NEAREST];
	uint32_t first = 0;

	while (first + NEAREST < n &&
	       moment[first + NEAREST].start_ns - start_ns <
	       start_ns - moment[first].start_ns)
		first++;
	for (uint32_t i = 0; i < NEAREST; i++)
		factor[i] = moment[first + i].factor;
	return mp_stat_median(factor, NEAREST);
}

int mp_cpu_steady(const struct mp_curve *curve, double from, double to,
		  struct mp_edge_data *data)
{
	struct moment *moment;
	double inside;
	uint32_t n;

	if (!data->n)
		return 0;
	moment = malloc(((size_t)curve->n * MP_EDGE_PASSES + 1) *
			sizeof(*moment));
	if (!moment)
		return -ENOMEM;
	inside = mp_stat_tame(data->point[0].y, data->point[0].n, NULL);
	n = gather(curve, from, to, inside, moment);
	for (uint32_t i = 0; i < data->n && n >= LEAST; i++) {
		struct mp_edge_point *p = &data->point[i];
		const struct mp_curve_at *at =
			mp_curve_find(curve, (uint64_t)p->x);

		for (uint32_t r = 0; r < p->n; r++) {
			double factor = factor_at(moment, n, at->start_ns[r]);

			if (factor > 0)
				p->y[r] = inside + (p->y[r] - inside) / factor;
		}
	}
	free(moment);
	return 0;
}
