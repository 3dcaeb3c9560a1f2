/* SPDX-License-Identifier: GPL-2.0 */
/* Robust statistics over small sets of numbers. */
#ifndef MP_STAT_H
#define MP_STAT_H

#include <stddef.h>
#include <stdint.h>

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
 * mp_stat_round() - the roundest whole number within limits
 * @low, @high: limits, 0 < low <= high
 * @near: decides between equally round ones
 *
 * Roundest: the least odd part (32768 = 1 * 2^15 before 33792 = 33 * 2^10).
 * Hardware capacities are ways times a number of sets; where an experiment
 * cannot tell 32700 from 32768 this is the likelier of the two.
 * Return: the number, or @near rounded when no whole number lies between.
 */
double mp_stat_round(double low, double high, double near);

#endif
