/* SPDX-License-Identifier: GPL-2.0 */
/* Robust statistics over small sets of numbers. */
#ifndef MP_STAT_H
#define MP_STAT_H

#include <stddef.h>
#include <stdint.h>

/** MP_STAT_FEW - fewer replicates make a bracket, not limits */
#define MP_STAT_FEW 5u

/** mp_stat_sort() - ascending, in place */
void mp_stat_sort(double *value, size_t n);

/**
 * mp_stat_quantile() - a quantile of sorted values, linear between ranks
 * @sorted: ascending
 * @n: how many; 0 gives NaN
 * @q: 0..1
 */
double mp_stat_quantile(const double *sorted, size_t n, double q);

/** mp_stat_median() - the median; sorts @value in place; NaN for none */
double mp_stat_median(double *value, size_t n);

/** mp_stat_median_of() - the median of at most 256 values, left as they are */
double mp_stat_median_of(const double *value, size_t n);

/**
 * mp_stat_midmean() - mean of the middle half; sorts @value in place
 *
 * A compromise between the mean, which one interrupt spoils, and the
 * median, which the steps of a coarse clock spoil.
 */
double mp_stat_midmean(double *value, size_t n);

/**
 * mp_stat_tame() - mean of at most 256 values without the farthest
 * @value: values, left as they are
 * @n: how many
 * @sd: gets the spread of what is kept, as a standard deviation; may be NULL
 *
 * For quantities whose replicates truly differ (each has its own placement
 * of pages), where the mean is what a model predicts, but where a noisy
 * moment throws some of them far out: of five to eight values one at either
 * end is left out, of nine to twelve two.
 */
double mp_stat_tame(const double *value, size_t n, double *sd);

/** mp_stat_mean() - arithmetic mean; NaN for none */
double mp_stat_mean(const double *value, size_t n);

/** mp_stat_sd() - standard deviation of a sample; 0 for fewer than two */
double mp_stat_sd(const double *value, size_t n);

/**
 * struct mp_interval - a value with its limits
 */
struct mp_interval {
	double value;
	double low;
	double high;
};

/**
 * mp_stat_limits() - median of replicates with 95 % limits
 * @value: one value a replicate; sorted in place
 * @n: replicates
 * @seed: for resampling
 * @out: the median; limits by resampling replicates (percentile bootstrap,
 *	400 draws), or the least and greatest replicate when @n < 5
 *
 * With five to seven replicates the bootstrap's percentiles come close to
 * the extreme replicates, which is what so few of them can support.
 */
void mp_stat_limits(double *value, size_t n, uint64_t seed,
		    struct mp_interval *out);

/**
 * mp_stat_mean_limits() - a mean of replicates with 95 % limits
 * @value: one value a replicate, 256 at most; sorted in place
 * @n: replicates
 * @near: what lies as near the middle one was not disturbed, nor what the
 *	spread of the others explains
 * @doubt: half of the 95 % limits that a clock's steps leave, at the least
 * @out: the mean, without the farthest as of mp_stat_tame() where one was
 *	disturbed; limits by Student's law. With fewer than five the median,
 *	and the wider of those limits and of the least and greatest replicate,
 *	@doubt beyond
 *
 * For what scatters about one value by a clock's steps alone: resampling would
 * find no others than the few that these allow.
 */
void mp_stat_mean_limits(double *value, size_t n, double near, double doubt,
			 struct mp_interval *out);

/**
 * mp_stat_rounding() - what whole readings leave open of their mean
 * @mean: of the readings, in steps of the clock
 * @n: readings
 *
 * A stretch that begins at any moment is read as one of two neighbouring
 * numbers of steps: as the upper one as often as it is longer than the lower.
 * So these are the limits of a share: even where all readings agree. (Agresti
 * and Coull's: the share of four more readings, two of them the other one.)
 * Return: steps, half of the 95 % limits.
 */
double mp_stat_rounding(double mean, double n);

/**
 * mp_stat_between() - as far from one limit as from the other, as a share of it
 * @low, @high: limits, 0 < low <= high
 *
 * What may be anything within them is off by no more than this leaves: by an
 * eighth where they are 1.28 apart. The geometric middle would be off by more
 * if it is the lower one.
 * Return: the harmonic mean
 */
double mp_stat_between(double low, double high);

/**
 * mp_stat_round() - the roundest whole number within limits
 * @low, @high: limits, 0 < low <= high
 * @near: decides between equally round ones
 *
 * Roundest: the least odd part (32768 = 1 * 2^15 before 33792 = 33 * 2^10).
 * Hardware capacities are ways times a number of sets; where an experiment
 * cannot tell 32700 from 32768 this is the likelier of the two. But no number
 * is so round that it may be an eighth off: of limits so far apart only what
 * lies near the middle counts, or that itself.
 * Return: the number, or @near rounded when no whole number lies between.
 */
double mp_stat_round(double low, double high, double near);

#endif
