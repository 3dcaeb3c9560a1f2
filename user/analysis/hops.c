// SPDX-License-Identifier: GPL-2.0
#include "analysis/hops.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/spectrum.h"

/* Hops of one cost lie so many of the clock's steps from the middle one of
 * them at most, and for what jitters this share of it .. */
#define STEPS_OFF 1.1
#define SHARE_OFF 0.01
/* .. and are so many of all that are as slow. */
#define MOSTLY 0.6
/* The clock reads hops of one cost as one of two neighbours, so far apart; what
 * jitters lies within this share. */
#define READINGS 1.05
#define READINGS_SHARE 0.01
/* .. and but for one hop in eight, the first in its page, all do. */
#define ALL_BUT_FIRST 0.8
/* Hops of one cost are within so much, and a step of the clock; another batch
 * has none of it that has no more hops than this share within a further part. */
#define ONE_COST 1.08
#define ABOUT 1.1
#define NEXT_TO_NONE 0.003

static void take(void *ctx, double cycles, double n)
{
	struct mp_hops *hops = ctx;

	if (hops->n == hops->room)
		return;
	hops->hop[hops->n++] = (struct mp_hop){ cycles, n };
	hops->all += n;
}

static int by_time(const void *a, const void *b)
{
	const double x = ((const struct mp_hop *)a)->cycles;
	const double y = ((const struct mp_hop *)b)->cycles;

	return (x > y) - (x < y);
}

/* Of all samples of a batch the same reading comes again and again. */
static void merge(struct mp_hops *hops)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < hops->n; i++) {
		if (n && hops->hop[i].cycles <= hops->hop[n - 1].cycles)
			hops->hop[n - 1].n += hops->hop[i].n;
		else
			hops->hop[n++] = hops->hop[i];
	}
	hops->n = n;
}

int mp_hops_gather(const struct mp_batch *batch, struct mp_hops *hops)
{
	*hops = (struct mp_hops){ .step = mp_spectrum_step(batch) };
	if (batch->exp.actor[0].detail != MP_DETAIL_HIST ||
	    batch->exp.actor[0].group != 1)
		return 0;
	for (uint32_t i = 0; i < batch->n_samples; i++)
		hops->room += batch->sample[i].payload_count / 2;
	hops->hop = calloc(hops->room + 1, sizeof(*hops->hop));
	if (!hops->hop)
		return -ENOMEM;
	mp_spectrum_each_hop(batch, take, hops);
	qsort(hops->hop, hops->n, sizeof(*hops->hop), by_time);
	merge(hops);
	return 0;
}

void mp_hops_free(struct mp_hops *hops)
{
	free(hops->hop);
	*hops = (struct mp_hops){ 0 };
}

double mp_hops_slower(const struct mp_hops *a, const struct mp_hops *b,
		      double factor)
{
	const double step = fmax(a->step, b->step);
	double most = 0, quick = 0, others = 0;
	uint32_t i = 0;

	if (!(a->all > 0) || !(b->all > 0))
		return NAN;
	for (uint32_t k = 0; k < b->n; k++) {
		const double bound = factor * fmax(b->hop[k].cycles, 0) + step;

		others += b->hop[k].n;
		while (i < a->n && a->hop[i].cycles <= bound)
			quick += a->hop[i++].n;
		most = fmax(most, others / b->all - quick / a->all);
	}
	return most;
}

static double share_of(const struct mp_hops *hops, double from, double to)
{
	double n = 0;

	for (uint32_t i = 0; i < hops->n && hops->hop[i].cycles <= to; i++)
		n += hops->hop[i].cycles >= from ? hops->hop[i].n : 0;
	return n / hops->all;
}

static bool all_timed(const struct mp_hops *hops, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(hops[i].all > 0))
			return false;
	return n > 0;
}

double mp_hops_only(const struct mp_hops *a, uint32_t n_a,
		    const struct mp_hops *b, uint32_t n_b)
{
	double most = 0;

	if (!all_timed(a, n_a) || !all_timed(b, n_b))
		return 0;
	for (uint32_t i = 0; i < a[0].n; i++) {
		const double from = a[0].hop[i].cycles;
		const double to = from * ONE_COST + a[0].step;
		double least = 1, others = 0;

		if (!(from > 0))
			continue;
		for (uint32_t k = 0; k < n_a && least > most; k++)
			least = fmin(least, share_of(&a[k], from, to));
		if (!(least > most))
			continue;
		for (uint32_t k = 0; k < n_b; k++)
			others = fmax(others, share_of(&b[k], from / ABOUT - b[k].step,
						       to * ABOUT + b[k].step));
		if (others <= NEXT_TO_NONE)
			most = least;
	}
	return most;
}

double mp_hops_mostly(const struct mp_hops *hops, double bound)
{
	double all = 0, passed = 0, near = 0, sum = 0, middle, off;
	uint32_t first = 0, i;

	while (first < hops->n && hops->hop[first].cycles <= bound)
		first++;
	for (i = first; i < hops->n; i++)
		all += hops->hop[i].n;
	if (!(all > 0))
		return NAN;
	for (i = first; passed + hops->hop[i].n < all / 2; i++)
		passed += hops->hop[i].n;
	middle = hops->hop[i].cycles;
	off = fmax(STEPS_OFF * hops->step, SHARE_OFF * middle);
	for (i = first; i < hops->n; i++) {
		if (fabs(hops->hop[i].cycles - middle) > off)
			continue;
		near += hops->hop[i].n;
		sum += hops->hop[i].n * hops->hop[i].cycles;
	}
	return near < MOSTLY * all ? NAN : sum / near;
}

double mp_hops_one(const struct mp_hops *hops, double from, double to,
		   double *n)
{
	double all = 0, near = 0, sum = 0, most = 0, most_sum = 0;
	uint32_t last = 0;

	for (uint32_t i = 0; i < hops->n; i++) {
		const struct mp_hop *hop = &hops->hop[i];

		if (hop->cycles < from || hop->cycles > to) {
			last = hop->cycles < from ? i + 1 : last;
			continue;
		}
		all += hop->n;
		near += hop->n;
		sum += hop->n * hop->cycles;
		for (; hop->cycles - hops->hop[last].cycles >
		       fmax(READINGS * hops->step,
			    READINGS_SHARE * hop->cycles); last++) {
			near -= hops->hop[last].n;
			sum -= hops->hop[last].n * hops->hop[last].cycles;
		}
		if (near > most) {
			most = near;
			most_sum = sum;
		}
	}
	if (n)
		*n = most;
	return most > 0 && most >= ALL_BUT_FIRST * all ? most_sum / most : NAN;
}

double mp_hops_mean(const struct mp_hops *hops, double from, double to,
		    double *n)
{
	double all = 0, sum = 0;

	for (uint32_t i = 0; i < hops->n; i++) {
		const struct mp_hop *hop = &hops->hop[i];

		if (hop->cycles < from || hop->cycles > to)
			continue;
		all += hop->n;
		sum += hop->n * hop->cycles;
	}
	if (n)
		*n = all;
	return all > 0 ? sum / all : NAN;
}
