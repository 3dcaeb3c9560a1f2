// SPDX-License-Identifier: GPL-2.0
#include "probe/cpu_unseen.h"

#include <math.h>

#include "probe/cpu_after.h"

/* Where a peak has so many of the hops what they take in the mean is its own, which
 * moves by no more than this: of full rings few hops come to a page first. */
#define OWN_LEAST 0.08
#define STEADY 1.25

/* Is it known what a level takes? Slots of full rings may share lines of it, and
 * half of the hops are served further in then. */
static bool is_plain(const struct mp_cpu_edges *edges, uint32_t k)
{
	return !k || !edges->full || mp_cpu_is_after(edges, k);
}

/* Is there a level that takes as much as a peak has, or may, and is none of a slower
 * one? */
static bool is_seen(const struct mp_cpu_edges *edges, uint32_t peak,
		    bool used[MP_CPU_LEVELS])
{
	const struct mp_spectrum *peaks = &edges->peaks;
	uint32_t may = MP_CPU_LEVELS;

	for (uint32_t k = 0; k < edges->n; k++) {
		const double cycles = edges->level[k].latency;

		if (cycles > peaks->bound[peak])
			break;
		if (is_plain(edges, k) && cycles > peaks->bound[peak - 1])
			return true;
		if (!is_plain(edges, k) && !used[k])
			may = k;
	}
	if (may < MP_CPU_LEVELS)
		used[may] = true;
	return may < MP_CPU_LEVELS;
}

/* The most that the hops of a peak take at a length, if at another they take much
 * less: some are of a level that is no peak, as it never has a fifth of the hops.
 * 0: they do not. */
static double moves_to(const struct mp_cpu_edges *edges, uint32_t peak)
{
	const struct mp_spectrum *peaks = &edges->peaks;
	const struct mp_curve *hops = &edges->hops[0];
	double least = INFINITY, most = 0;

	for (uint32_t i = 0; i < hops->n; i++) {
		const struct mp_curve_at *at = &hops->at[i];
		const double own = mp_cpu_share_of(at, peaks, peak - 1) -
				   mp_cpu_share_of(at, peaks, peak);
		double sum = 0;

		if (!(own >= OWN_LEAST))
			continue;
		for (uint32_t r = 0; r < at->n; r++)
			sum += mp_spectrum_mean(at->batch[r],
						peaks->bound[peak - 1],
						peaks->bound[peak]);
		if (isnan(sum))
			continue;
		least = fmin(least, sum / at->n);
		most = fmax(most, sum / at->n);
	}
	return most > least * STEADY ? most : 0;
}

/* The innermost level whose edge may hide that of a peak: the one inside the first
 * that takes more, or may. What a few lines told hides none. */
static uint32_t hides(const struct mp_cpu_edges *edges, uint32_t peak)
{
	const double from = edges->peaks.bound[peak - 1];
	uint32_t k = 0;

	while (k + 1 < edges->n && is_plain(edges, k) &&
	       edges->level[k].latency <= from)
		k++;
	if (k && !mp_cpu_is_after(edges, k - 1) &&
	    (!is_plain(edges, k) || edges->level[k].latency > from))
		k--;
	return k;
}

/* The innermost level that may be that of a peak of full rings. */
static uint32_t owner(const struct mp_cpu_edges *edges)
{
	uint32_t k = 0;

	while (k + 1 < edges->n && is_plain(edges, k))
		k++;
	return k;
}

/* How many levels take what a peak has, as means say. */
static uint32_t levels_of(const struct mp_cpu_edges *edges, uint32_t peak)
{
	const struct mp_spectrum *peaks = &edges->peaks;
	uint32_t n = 0;

	for (uint32_t k = 0; k < edges->n; k++)
		n += edges->level[k].latency > peaks->bound[peak - 1] &&
		     edges->level[k].latency <= peaks->bound[peak];
	return n;
}

static void doubts(struct mp_cpu_edges *edges, uint32_t k, double cycles)
{
	if (cycles > 0 && k < edges->n && k < edges->doubt.level)
		edges->doubt = (struct mp_cpu_doubt){ .level = k,
						      .unseen = cycles };
}

void mp_cpu_unseen_find(struct mp_cpu_edges *edges)
{
	const struct mp_spectrum *peaks = &edges->peaks;
	bool used[MP_CPU_LEVELS] = { false };

	if (edges->groups.n || edges->single)
		return;
	/* The last one is memory. */
	for (uint32_t i = peaks->n; i-- > 1;) {
		if (i + 1 == peaks->n || peaks->blurred[i] ||
		    peaks->blurred[i - 1])
			continue;
		if (!is_seen(edges, i, used))
			doubts(edges, hides(edges, i), peaks->cycles[i]);
		else if (edges->full && levels_of(edges, i) < 2)
			doubts(edges, owner(edges), moves_to(edges, i));
	}
}
