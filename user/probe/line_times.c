// SPDX-License-Identifier: GPL-2.0
/*
 * Did a level serve a hop? By the peaks of single hops, where there are such;
 * else by mean latencies, as far as the clock's step allows.
 */
#include <math.h>

#include "probe/line.h"

/* A reading is off by a step of the clock, so the times of two levels are to be
 * more than two apart. */
#define STEPS_APART 2.2
/* What lies behind a level is seen at so many times what it holds. */
#define BEHIND 2.0

static bool by_peaks(const struct mp_line_asked *asked,
		     struct mp_line_times *times)
{
	const struct mp_spectrum *spectrum = &asked->edges->spectrum;
	const uint32_t k = asked->level;

	if (!asked->edges->single || spectrum->n != asked->edges->n + 1 ||
	    spectrum->blurred[k] || (k && spectrum->blurred[k - 1]))
		return false;
	*times = (struct mp_line_times){ k ? spectrum->bound[k - 1] : -INFINITY,
					 spectrum->bound[k], NAN, NAN,
					 INFINITY };
	if (k + 1 < asked->edges->n)
		times->next = spectrum->blurred[k + 1] ?
			      NAN : spectrum->bound[k + 1];
	return true;
}

static double slowest_of(const struct mp_curve *curve)
{
	double most = 0;

	for (uint32_t i = 0; i < curve->n; i++)
		most = fmax(most, mp_curve_middle(&curve->at[i]));
	return most;
}

/* Has a curve come to what lies behind so much? */
static bool ends_behind(const struct mp_curve *curve, double bytes)
{
	return curve->n && (double)curve->at[curve->n - 1].length >= BEHIND * bytes;
}

/* What a hop takes that misses the level. */
static double next_of(const struct mp_cpu_edges *edges, uint32_t k)
{
	if (k + 1 < edges->n)
		return edges->level[k + 1].latency;
	if (edges->single && edges->spectrum.n == edges->n + 1)
		return edges->spectrum.cycles[edges->n];
	if (ends_behind(&edges->curve, edges->level[k].size_bytes))
		return slowest_of(&edges->curve);
	return slowest_of(&edges->side[0]);
}

/* What rings show, on average. Steps of the clock are to tell what this level
 * has from what it has not; what is inside, means have to, where they do not. */
static bool by_means(const struct mp_view *view,
		     const struct mp_line_asked *asked,
		     struct mp_line_times *times)
{
	const struct mp_cpu_edges *edges = asked->edges;
	const uint32_t k = asked->level;
	const double own = edges->level[k].latency;
	const double inside = k ? edges->level[k - 1].latency : NAN;
	const double least = STEPS_APART * mp_cpu_step(view);
	const double next = next_of(edges, k);

	*times = (struct mp_line_times){ -INFINITY, (own + next) / 2, inside,
					 own, NAN };
	if (own - inside > least)
		*times = (struct mp_line_times){ (own + inside) / 2,
						 (own + next) / 2,
						 NAN, NAN, NAN };
	return next - own > least;
}

double mp_line_edge(const struct mp_cpu_edges *edges, uint32_t k)
{
	return edges->fitted[k] ? edges->edge[k].size :
				  edges->level[k].size_bytes;
}

bool mp_line_times(const struct mp_view *view,
		   const struct mp_line_asked *asked,
		   struct mp_line_times *times)
{
	return by_peaks(asked, times) || by_means(view, asked, times);
}

double mp_line_inside(const struct mp_line_times *times, double there,
		      double sum)
{
	if (isnan(times->inside) || !there)
		return 0;
	return there * fmax(times->own - sum / there, 0) /
	       (times->own - times->inside);
}
