// SPDX-License-Identifier: GPL-2.0
/*
 * Readings of a list: each trial's mean over the bursts of a batch, between
 * those of lines that were there and of lines that were not; and counts of
 * trials, held against the controls by exact tests.
 */
#include "probe/prefetch_look.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/exact.h"
#include "analysis/stat.h"
#include "ioctl/memprobe.h"

/* What takes longer than so many usual misses counts as no longer. */
#define FAR 2.0
/* A hit has to be so much faster than a miss. */
#define CONTRAST 1.2
/* The chance that a line that is not brought is said to be, or one that is
 * brought half of the time is said not to be. */
#define CHANCE 1e-6
/* Of the controls so many may look like the other kind. */
#define CONTROL_WRONG 0.1
#define NEVER 0.1
#define MOST 0.5
/* Without controls on the other side of the bar. */
#define NEARLY_ALL 0.9

/* Of a batch: each timed step's readings, all bursts. */
struct readings {
	uint32_t wide;
	uint32_t bursts;
	double *ticks;
};

/* The first burst of a round finds what the laying of the list has left. */
static bool is_used(const struct memprobe_sample *sample, uint32_t wide)
{
	return sample->burst && mp_sample_calm(sample) &&
	       sample->payload_kind == MEMPROBE_PAYLOAD_TICKS &&
	       sample->payload_count == wide;
}

static int read_batch(const struct mp_batch *batch, struct readings *readings)
{
	readings->bursts = 0;
	readings->ticks = calloc((size_t)batch->n_samples * readings->wide + 1,
				 sizeof(*readings->ticks));
	if (!readings->ticks)
		return -ENOMEM;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (!is_used(sample, readings->wide))
			continue;
		for (uint32_t t = 0; t < readings->wide; t++)
			readings->ticks[(size_t)readings->bursts *
					readings->wide + t] = (double)word[t];
		readings->bursts++;
	}
	return 0;
}

static double mean_of(const struct readings *readings, uint32_t t, double cap)
{
	double sum = 0;

	for (uint32_t i = 0; i < readings->bursts; i++)
		sum += fmin(readings->ticks[(size_t)i * readings->wide + t],
			    cap);
	return sum / readings->bursts;
}

/* The median of a kind's trials. */
static double median_of(const struct mp_prefetch_walk *walk,
			const double *mean, uint32_t kind)
{
	double value[MP_EXP_STEPS];
	uint32_t n = 0;

	for (uint32_t t = 0; t < walk->n; t++) {
		if (walk->kind[t] == kind)
			value[n++] = mean[t];
	}
	return mp_stat_median(value, n);
}

/* What nothing brings, to see what is too long to be a load. */
static double cap_of(const struct mp_prefetch_walk *walk,
		     const struct readings *readings, double step)
{
	double middle[MP_EXP_STEPS], *column;

	column = malloc(readings->bursts * sizeof(*column));
	if (!column)
		return INFINITY;
	for (uint32_t t = 0; t < walk->n; t++) {
		for (uint32_t i = 0; i < readings->bursts; i++)
			column[i] = readings->ticks[(size_t)i *
						    readings->wide + t];
		middle[t] = mp_stat_median(column, readings->bursts);
	}
	free(column);
	return FAR * (median_of(walk, middle, MP_PREFETCH_MISS) + step);
}

static void take(const struct mp_prefetch_walk *walk,
		 const struct mp_batch *batch, const struct readings *readings,
		 struct mp_prefetch_seen *seen)
{
	const double cap = cap_of(walk, readings,
				  (double)batch->grant.tick_step);
	double mean[MP_EXP_STEPS], hit, miss, read_ticks;

	for (uint32_t t = 0; t < walk->n; t++)
		mean[t] = mean_of(readings, t, cap);
	hit = median_of(walk, mean, MP_PREFETCH_HIT);
	miss = median_of(walk, mean, MP_PREFETCH_MISS);
	read_ticks = fmin(batch->grant.read_ticks, hit);
	if (!(miss - read_ticks > CONTRAST * (hit - read_ticks)) ||
	    !(miss > hit)) {
		seen->blurred++;
		return;
	}
	for (uint32_t t = 0; t < walk->n; t++) {
		const uint32_t kind = walk->kind[t];

		if (seen->n[kind] < MP_PREFETCH_TRIALS)
			seen->hit[kind][seen->n[kind]++] =
				(float)((miss - mean[t]) / (miss - hit));
	}
	seen->batches++;
	seen->span_ns += (mp_clock_ns(batch, miss - hit) - seen->span_ns) /
			 seen->batches;
}

int mp_prefetch_look(const struct mp_view *view,
		     const struct mp_prefetch_walk *walk,
		     struct mp_prefetch_seen *seen)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const bool wants_off = walk->exp.quiet & MP_WISH_PREFETCH_OFF;
	struct readings readings = { .wide = walk->n };

	memset(seen, 0, sizeof(*seen));
	seen->id = mp_exp_id(&walk->exp);
	while ((batch = mp_view_next(view, seen->id, &at))) {
		int err;

		if (!mp_batch_counts(batch) ||
		    !mp_exp_equal(&batch->exp, &walk->exp))
			continue;
		if (wants_off != !!(batch->grant.got & MP_GOT_PREFETCH_OFF)) {
			seen->prefetch_off += !wants_off;
			continue;
		}
		err = read_batch(batch, &readings);
		if (err)
			return err;
		if (readings.bursts)
			take(walk, batch, &readings, seen);
		free(readings.ticks);
	}
	return 0;
}

double mp_prefetch_mean(const struct mp_prefetch_seen *seen, uint32_t kind,
			double *error)
{
	double value[MP_PREFETCH_TRIALS];
	const uint32_t n = seen->n[kind];

	for (uint32_t i = 0; i < n; i++)
		value[i] = seen->hit[kind][i];
	*error = n ? mp_stat_sd(value, n) / sqrt(n) : NAN;
	return mp_stat_mean(value, n);
}

uint32_t mp_prefetch_above(const struct mp_prefetch_seen *seen, uint32_t kind,
			   double bar)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < seen->n[kind]; i++)
		n += seen->hit[kind][i] > bar;
	return n;
}

uint32_t mp_prefetch_came(const struct mp_prefetch_seen *seen, uint32_t kind,
			  double bar, bool low)
{
	const uint32_t n = seen->n[kind];
	const uint32_t k = mp_prefetch_above(seen, kind, bar);
	const uint32_t hits = seen->n[MP_PREFETCH_HIT];
	const uint32_t misses = seen->n[MP_PREFETCH_MISS];
	const uint32_t hit = mp_prefetch_above(seen, MP_PREFETCH_HIT, bar);
	const uint32_t miss = mp_prefetch_above(seen, MP_PREFETCH_MISS, bar);

	if (!n)
		return MP_PREFETCH_UNTRIED;
	if (mp_exact_few(0, n, MOST) >= CHANCE)
		return MP_PREFETCH_TOO_FEW;
	if (!hits || !misses || hit < (1 - CONTROL_WRONG) * hits ||
	    miss > CONTROL_WRONG * misses)
		return MP_PREFETCH_UNCLEAR;
	if (k <= NEVER * n && mp_exact_few(k, n, MOST) < CHANCE)
		return MP_PREFETCH_NEVER;
	if (k >= (low ? NEARLY_ALL : MOST) * n &&
	    mp_exact_more(k, n, miss, misses) < CHANCE)
		return MP_PREFETCH_COMES;
	return MP_PREFETCH_AT_TIMES;
}
