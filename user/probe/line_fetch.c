// SPDX-License-Identifier: GPL-2.0
/*
 * What does each level fetch at once? A slot is loaded that was nowhere, then
 * a neighbour is timed: the time tells which level had it brought along.
 */
#include <math.h>

#include "backend.h"
#include "probe/line.h"

/* As long as memory takes, and clearly less. */
#define AS_MEMORY 0.05
#define UNLIKE_MEMORY 0.85
/* Between the times of two levels: so near one of them, as a share of what
 * they are apart. */
#define NEAR 0.3
/* .. of two mean latencies. */
#define NEAR_MEAN 0.15

int mp_line_fetch_plan(const struct mp_view *view, struct mp_plan *plan)
{
	return view->caps & MP_CAP_SEQUENCE ? mp_line_along_plan(view, plan) :
					      0;
}

/* A hop of the first level: the fastest that there are. */
static double hit_time(const struct mp_cpu_edges *edges)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < edges->curve.n; i++)
		least = fmin(least, mp_curve_middle(&edges->curve.at[i]));
	return least;
}

/* What a hop takes that ends at peak @k, beyond one of the first level. */
static double later_of(const struct mp_cpu_edges *edges, uint32_t k)
{
	return edges->spectrum.cycles[k] - edges->spectrum.cycles[0];
}

static bool is_told_apart(const struct mp_cpu_edges *edges, uint32_t k)
{
	return !edges->spectrum.blurred[k] &&
	       !(k && edges->spectrum.blurred[k - 1]);
}

/* The innermost level that had a neighbour is one of these; the one beyond
 * the last is memory. */
struct from {
	uint32_t low;
	uint32_t high;
};

/* Which level took so long? */
static bool by_peaks(const struct mp_cpu_edges *edges, double later,
		     double error, struct from *from)
{
	for (uint32_t k = 0; k <= edges->n; k++) {
		const double at = later_of(edges, k);
		double apart = INFINITY;

		if (k)
			apart = at - later_of(edges, k - 1);
		if (k < edges->n)
			apart = fmin(apart, later_of(edges, k + 1) - at);
		if (is_told_apart(edges, k) &&
		    fabs(later - at) + error < NEAR * apart) {
			*from = (struct from){ k, k };
			return true;
		}
	}
	return false;
}

/* The same, by mean latencies of rings. */
static bool by_means(const struct mp_cpu_edges *edges, double later,
		     double error, struct from *from)
{
	const double hit = fmin(hit_time(edges), edges->level[0].latency);

	for (uint32_t k = 1; k < edges->n && k < edges->doubt.level; k++) {
		const double at = edges->level[k].latency - hit;
		double apart = edges->level[k].latency -
			       edges->level[k - 1].latency;

		if (k + 1 < edges->n)
			apart = fmin(apart, edges->level[k + 1].latency -
					    edges->level[k].latency);
		if (fabs(later - at) + error < NEAR_MEAN * apart) {
			*from = (struct from){ k, k };
			return true;
		}
	}
	return false;
}

/*
 * Where the clock is too coarse for single hops, but not for means: the
 * farthest neighbour shares no line, so it comes from memory. Which level is
 * the last one may not be known then, as two may have been taken for one.
 */
static bool by_ends(const struct mp_cpu_edges *edges,
		    const struct mp_line_along *along, uint32_t i,
		    struct from *from)
{
	const uint32_t last = MP_LINE_ALONGS - 1;
	const double memory = along->later[last];
	const double error = along->error[i] + along->error[last];

	if (along->comes[last] != MP_LINE_NO)
		return false;
	if (along->comes[i] == MP_LINE_YES)
		*from = (struct from){ 0, 0 };
	else if (by_means(edges, along->later[i], along->error[i], from))
		return true;
	else if (fabs(memory - along->later[i]) + error < AS_MEMORY * memory)
		*from = (struct from){ edges->n, edges->n };
	else if (along->comes[i] == MP_LINE_NO &&
		 along->later[i] + error < UNLIKE_MEMORY * memory)
		*from = (struct from){ 1, edges->n };
	else
		return false;
	return true;
}

static void limit(const struct from *from, uint32_t n, uint32_t apart,
		  struct mp_line_fetch *out)
{
	for (uint32_t k = 0; k < n; k++) {
		if (k < from->low && apart < out->most[k])
			out->most[k] = apart;
		if (k >= from->high && out->quiet && 2 * apart > out->least[k])
			out->least[k] = 2 * apart;
	}
}

int mp_line_fetch(const struct mp_view *view,
		  const struct mp_cpu_edges *edges,
		  struct mp_line_fetch *out)
{
	const bool has_peaks = edges->single &&
			       edges->spectrum.n == edges->n + 1;
	struct mp_line_along along;
	int err;

	*out = (struct mp_line_fetch){ .replicates = 0 };
	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++)
		out->most[k] = UINT32_MAX;
	if (!(view->caps & MP_CAP_SEQUENCE) || edges->n < 2)
		return 0;
	err = mp_line_along(view, has_peaks ? edges->spectrum.cycles[0] :
			    hit_time(edges), NULL, &along);
	if (err || !along.replicates)
		return err;
	out->replicates = along.replicates;
	out->quiet = along.quiet;
	out->peaks = has_peaks;
	for (uint32_t i = 0; i < MP_LINE_ALONGS; i++) {
		struct from from;

		if (has_peaks ? by_peaks(edges, along.later[i], along.error[i],
					 &from) ||
				by_means(edges, along.later[i], along.error[i],
					 &from) :
				by_ends(edges, &along, i, &from))
			limit(&from, edges->n, MP_LINE_ALONG_FROM << i, out);
	}
	return 0;
}
