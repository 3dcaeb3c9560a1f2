// SPDX-License-Identifier: GPL-2.0
/* Robust statistics over small sets of numbers. */
#include "analysis/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

#define DRAWS 400u
#define MANY 256u
/* The normal law's 97.5 % quantile. */
#define NORMAL 1.959964
/* Of a law of chance next to none lies so many standard deviations out. */
#define FAR 6.0
/* Longer lists are sorted by halves. */
#define SHORT 48u
/* A round number is no further from either limit: a tenth and a bit is what a
 * size may be off by. */
#define ROUND_OFF 1.125

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Most lists are replicates or bursts, a handful of either. */
static void sort_short(double *value, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const double own = value[i];
		size_t at = i;

		for (; at && value[at - 1] > own; at--)
			value[at] = value[at - 1];
		value[at] = own;
	}
}

/* By halves, which are merged: what compares is not called for each pair, and
 * of a list of some thousand that is most of the time. */
static void sort_long(double *value, size_t n, double *room)
{
	const size_t half = n / 2;
	size_t low = 0, high = half, out = 0;

	if (n <= SHORT) {
		sort_short(value, n);
		return;
	}
	sort_long(value, half, room);
	sort_long(value + half, n - half, room);
	memcpy(room, value, half * sizeof(*value));
	while (low < half && high < n)
		value[out++] = room[low] > value[high] ? value[high++] :
							 room[low++];
	memcpy(value + out, room + low, (half - low) * sizeof(*value));
}

void mp_stat_sort(double *value, size_t n)
{
	double *room = n <= SHORT ? NULL : malloc(n / 2 * sizeof(*room));

	if (room)
		sort_long(value, n, room);
	else if (n <= SHORT)
		sort_short(value, n);
	else
		qsort(value, n, sizeof(*value), compare);
	free(room);
}

double mp_stat_quantile(const double *sorted, size_t n, double q)
{
	double rank;
	size_t below;

	if (!n)
		return NAN;
	rank = q * (double)(n - 1);
	below = (size_t)rank;
	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] +
	       (rank - (double)below) * (sorted[below + 1] - sorted[below]);
}

double mp_stat_median(double *value, size_t n)
{
	mp_stat_sort(value, n);
	return mp_stat_quantile(value, n, 0.5);
}

double mp_stat_median_of(const double *value, size_t n)
{
	double copy[MANY];

	n = n < MANY ? n : MANY;
	for (size_t i = 0; i < n; i++)
		copy[i] = value[i];
	return mp_stat_median(copy, n);
}

double mp_stat_tame(const double *value, size_t n, double *sd)
{
	double copy[MANY];
	size_t cut;

	n = n < MANY ? n : MANY;
	if (sd)
		*sd = 0;
	if (!n)
		return NAN;
	for (size_t i = 0; i < n; i++)
		copy[i] = value[i];
	mp_stat_sort(copy, n);
	cut = n < MP_STAT_FEW ? 0 : (n - 1) / 4;
	/* The middle half to three quarters of a normal law spreads about
	 * half as far as the whole. */
	if (sd)
		*sd = mp_stat_sd(copy + cut, n - 2 * cut) * (cut ? 2 : 1);
	return mp_stat_mean(copy + cut, n - 2 * cut);
}

double mp_stat_mean(const double *value, size_t n)
{
	double sum = 0;

	if (!n)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += value[i];
	return sum / (double)n;
}

double mp_stat_midmean(double *value, size_t n)
{
	size_t cut = n / 4;

	mp_stat_sort(value, n);
	return mp_stat_mean(value + cut, n - 2 * cut);
}

double mp_stat_sd(const double *value, size_t n)
{
	double mean = mp_stat_mean(value, n), sum = 0;

	if (n < 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += (value[i] - mean) * (value[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

void mp_stat_limits(double *value, size_t n, uint64_t seed,
		    struct mp_interval *out)
{
	double draw[DRAWS], pick[64];
	struct mp_rng rng;
	size_t m = n < 64 ? n : 64;

	out->value = mp_stat_median(value, n);
	out->low = n ? value[0] : NAN;
	out->high = n ? value[n - 1] : NAN;
	if (n < MP_STAT_FEW)
		return;
	mp_rng_seed(&rng, seed);
	for (size_t i = 0; i < DRAWS; i++) {
		for (size_t k = 0; k < m; k++)
			pick[k] = value[mp_rng_below(&rng, n)];
		draw[i] = mp_stat_median(pick, m);
	}
	mp_stat_sort(draw, DRAWS);
	out->low = mp_stat_quantile(draw, DRAWS, 0.025);
	out->high = mp_stat_quantile(draw, DRAWS, 0.975);
}

/* Student's 97.5 % quantile, from three degrees of freedom on by the first terms
 * of its expansion: within one percent. */
static double student(double degrees)
{
	static const double few[] = { INFINITY, 12.706, 4.303 };
	const double z = NORMAL, z3 = z * z * z, z5 = z3 * z * z,
		     z7 = z5 * z * z;

	if (degrees < 3)
		return few[(uint32_t)degrees];
	return z + (z3 + z) / (4 * degrees) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) /
	       (384 * degrees * degrees * degrees);
}

/* Half of a mean's limits, without @cut of the sorted values at either end:
 * these count as the nearest that is left (Tukey and McLaughlin). */
static double half_limits(const double *value, size_t n, size_t cut)
{
	const double kept = (double)(n - 2 * cut);
	double copy[MANY];

	for (size_t i = 0; i < n; i++)
		copy[i] = fmin(fmax(value[i], value[cut]), value[n - 1 - cut]);
	return student(kept - 1) * mp_stat_sd(copy, n) * sqrt((double)n) / kept;
}

void mp_stat_mean_limits(double *value, size_t n, double near, double doubt,
			 struct mp_interval *out)
{
	double half, sd;
	size_t cut;

	n = n < MANY ? n : MANY;
	cut = n ? (n - 1) / 4 : 0;
	out->value = mp_stat_median(value, n);
	out->low = (n ? value[0] : NAN) - doubt;
	out->high = (n ? value[n - 1] : NAN) + doubt;
	if (n < 2)
		return;
	if (n < MP_STAT_FEW) {
		half = half_limits(value, n, 0);
		out->low = fmin(out->low, out->value - half);
		out->high = fmax(out->high, out->value + half);
		return;
	}
	mp_stat_tame(value, n, &sd);
	near = fmax(near, FAR * sd);
	if (out->value - value[0] <= near && value[n - 1] - out->value <= near)
		cut = 0;
	out->value = mp_stat_mean(value + cut, n - 2 * cut);
	half = fmax(half_limits(value, n, cut), doubt);
	out->low = out->value - half;
	out->high = out->value + half;
}

double mp_stat_rounding(double mean, double n)
{
	const double off = fabs(mean - round(mean));
	const double share = (off * n + 2) / (n + 4);

	return fabs(share - off) +
	       NORMAL * sqrt(share * (1 - share) / (n + 4));
}

double mp_stat_between(double low, double high)
{
	return 2 / (1 / low + 1 / high);
}

double mp_stat_round(double low, double high, double near)
{
	const double least = fmax(low, high / ROUND_OFF);
	const double most = fmin(high, low * ROUND_OFF);
	double step = exp2(floor(log2(high)));

	if (least > most)
		return round(mp_stat_between(low, high));
	for (; step >= 1; step /= 2) {
		double up = ceil(least / step) * step;
		double best = NAN;

		for (double x = up; x <= most; x += step)
			if (isnan(best) || fabs(x - near) < fabs(best - near))
				best = x;
		if (!isnan(best))
			return best;
	}
	return round(fmin(fmax(near, least), most));
}
