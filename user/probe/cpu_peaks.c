// SPDX-License-Identifier: GPL-2.0
/* Is each peak of single hops in the same place at all lengths, as that of one
 * level is? */
#include <math.h>

#include "analysis/clock.h"
#include "analysis/spectrum.h"
#include "analysis/stat.h"
#include "probe/cpu.h"
#include "probe/cpu_edges.h"

/* A peak with most of the hops of several lengths is where it is at all of
 * them, but for half a step of the clock where its readings fall in with the
 * loop that reads it; and in the end nearly all hops miss a level. */
#define PEAK_SHARE 0.5
/* .. of the innermost one, which has no neighbour further in, so many. */
#define PEAK_SHARE_FIRST 0.25
/* .. and so many lengths of several replicates show it well. */
#define PEAK_LENGTHS 3u
#define PEAK_MOVES 0.05
#define PEAK_MOVES_CYCLES 0.7
/* .. of longer steps half is as much as the nearest levels lie apart. */
#define PEAK_MOVES_STEP 4.0
#define MISS_END 0.85

/*
 * Where a peak is at one length: of its replicates the one nearest to where it
 * is at most. The core clock goes up and down, and at another the loop that
 * reads falls in with the counter's step otherwise: all of a replicate's hops
 * take a step more or less, which is nothing of this length. Return: its batch.
 */
static const struct mp_batch *place_of(const struct mp_curve_at *at,
				       const struct mp_spectrum *spectrum,
				       uint32_t k, double *middle)
{
	const double place = spectrum->cycles[k];
	const struct mp_batch *batch = NULL;

	for (uint32_t r = 0; r < at->n; r++) {
		const double own = mp_spectrum_core(at->batch[r], spectrum, k);

		if (isnan(own) ||
		    (batch && fabs(own - place) >= fabs(*middle - place)))
			continue;
		*middle = own;
		batch = at->batch[r];
	}
	return batch;
}

/* Where the innermost peak is in the middle of the replicates. */
static double middle_of(const struct mp_curve_at *at,
			const struct mp_spectrum *spectrum)
{
	double own[MP_EDGE_PASSES];
	uint32_t n = 0;

	for (uint32_t r = 0; r < at->n && n < MP_EDGE_PASSES; r++) {
		own[n] = mp_spectrum_core(at->batch[r], spectrum, 0);
		n += !isnan(own[n]);
	}
	return mp_stat_median_of(own, n);
}

/* A length's share of the hops that are at a peak. */
static double share_at(const struct mp_curve_at *at,
		       const struct mp_spectrum *spectrum, uint32_t k)
{
	double own = 1 - mp_cpu_share_of(at, spectrum, k);

	if (k && own > PEAK_SHARE)
		own -= 1 - mp_cpu_share_of(at, spectrum, k - 1);
	return own;
}

/* Are those enough to tell where it is? */
static bool is_enough(double own, uint32_t k)
{
	return own > (k ? PEAK_SHARE : PEAK_SHARE_FIRST);
}

/* Do lengths of several replicates show a peak, so that a single one need not be
 * heard? The clock may be off in that. */
static bool is_repeated(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum, uint32_t k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n && n < PEAK_LENGTHS; i++)
		n += curve->at[i].n > 1 &&
		     is_enough(share_at(&curve->at[i], spectrum, k), k);
	return n >= PEAK_LENGTHS;
}

bool mp_cpu_share_one(const struct mp_curve *curve,
		      const struct mp_spectrum *spectrum, uint32_t k)
{
	const uint32_t replicates = is_repeated(curve, spectrum, k) ? 2 : 1;
	double least = INFINITY, most = 0, moves = PEAK_MOVES_CYCLES, step;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		const struct mp_batch *batch;
		double own, middle, off;

		if (at->n < replicates)
			continue;
		own = share_at(at, spectrum, k);
		if (!is_enough(own, k))
			continue;
		batch = place_of(at, spectrum, k, &middle);
		/* Its hops are, and none of them where it is. */
		if (!batch && own > PEAK_SHARE)
			return false;
		if (!batch)
			continue;
		/* Small pages that lie anywhere crowd the next level in some
		 * replicates, and show it in the others. */
		if (!k)
			middle = middle_of(at, spectrum);
		/* By the clock that may have been. */
		off = k ? mp_clock_core_off(batch) : mp_curve_clock_off(at);
		least = fmin(least, middle * (1 + off));
		most = fmax(most, middle * (1 - off));
		step = mp_spectrum_step(batch);
		if (step <= PEAK_MOVES_STEP)
			moves = fmax(moves, step / 2);
	}
	return !(most > least * (1 + PEAK_MOVES) + moves);
}

bool mp_cpu_share_comes(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum, uint32_t k)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if (mp_cpu_share_of(&curve->at[i], spectrum, k) > MISS_END)
			return true;
	return false;
}

bool mp_cpu_share_clear(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum)
{
	for (uint32_t k = 0; k + 1 < spectrum->n && k < MP_CPU_LEVELS; k++)
		if (!mp_cpu_share_one(curve, spectrum, k))
			return false;
	return true;
}
