// SPDX-License-Identifier: GPL-2.0
/*
 * A dense ring of a large level is too long for each of its hops to be timed.
 * What is timed is what a turn begins with, and a policy that does not let go
 * of what came first (QLRU_H00_M1_R2_U1, say) has that long after the ring has
 * outgrown the level: 41 MiB of a level of 32 had no miss. Turns of a sparse
 * ring are timed whole, and no set has more room for a denser one.
 */
#include "probe/cpu_edges.h"
#include "probe/cpu_walks.h"

/* Of the way to what lies beyond: no more than so much, and it fits; ... */
#define FITS 0.1
/* ... a sparse ring of which so many hops miss, in all replicates, does not. */
#define MISSES 0.4
/* So few as levels inside serve of it do not make up for misses of the other. */
#define INSIDE 0.05
#define REPLICATES 3u
/* Lengths are whole multiples of a stride, and so never quite the same. */
#define SAME 1.001

static bool all_fit(const struct mp_curve_at *at, double most)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < at->n; r++)
		n += at->cycles[r] <= most;
	return n == at->n;
}

/* The longest dense ring that fits as all shorter ones do, in all replicates;
 * bytes, or 0. */
static double longest_that_fits(const struct mp_cpu_edges *edges, uint32_t k)
{
	const double *peak = &edges->spectrum.cycles[k];
	const double most = peak[0] + FITS * (peak[1] - peak[0]);
	double longest = 0;

	for (uint32_t i = 0; i < edges->curve.n; i++) {
		const struct mp_curve_at *at = &edges->curve.at[i];

		if (at->n < REPLICATES)
			continue;
		if (!all_fit(at, most))
			break;
		longest = (double)at->length;
	}
	return longest;
}

/* Is each line of a ring looked at? */
static bool is_whole(const struct mp_actor *actor)
{
	return actor->hops * actor->bursts >= actor->length / actor->stride;
}

/* Do so many hops of all replicates miss level @k, and not for their pages, and
 * do hardly any stay inside? */
static bool misses(const struct mp_cpu_edges *edges, uint32_t k,
		   const struct mp_curve_at *at, double walk)
{
	const struct mp_spectrum *spectrum = &edges->spectrum;
	uint32_t n = 0;

	for (uint32_t r = 0; r < at->n; r++)
		n += is_whole(&at->batch[r]->exp.actor[0]) &&
		     mp_spectrum_slower(at->batch[r], spectrum, k) - walk >=
			     MISSES * (1 - walk) &&
		     (!k || mp_spectrum_slower(at->batch[r], spectrum, k - 1) >=
				    1 - INSIDE);
	return n == at->n && n >= REPLICATES;
}

bool mp_cpu_keeps_first(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *sparse = mp_cpu_level_side(edges, k, 0);
	struct mp_cpu_walks walks;
	double longest;
	bool is = false;

	if (!edges->single || k + 1 >= edges->spectrum.n)
		return false;
	longest = longest_that_fits(edges, k) * SAME;
	/* The dense curve may not have been drawn. */
	if (!(longest > 0))
		return false;
	mp_cpu_walks_find(edges, sparse, k, &walks);
	for (uint32_t i = 0; i < sparse->n && !is; i++) {
		const struct mp_curve_at *at = &sparse->at[i];

		is = (double)at->length <= longest &&
		     misses(edges, k, at,
			    mp_cpu_walks_at(&walks, (double)at->length));
	}
	return is;
}
