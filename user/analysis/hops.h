/* SPDX-License-Identifier: GPL-2.0 */
/* Two batches of single hops held against each other. */
#ifndef MP_HOPS_H
#define MP_HOPS_H

#include "probe.h"

/** struct mp_hop - so many hops took so long, the clock's own cost taken off */
struct mp_hop {
	double cycles;
	double n;
};

/**
 * struct mp_hops - the single hops of a batch, the fastest first
 * @all: how many, lines taken together
 * @step: cycles that its clock moves at a time
 */
struct mp_hops {
	struct mp_hop *hop;
	uint32_t n;
	uint32_t room;
	double all;
	double step;
};

/**
 * mp_hops_gather() - take the hops of a batch
 * @batch: those without histograms of groups of one hop have none
 *
 * Return: 0 or -ENOMEM. Free with mp_hops_free() in any case.
 */
int mp_hops_gather(const struct mp_batch *batch, struct mp_hops *hops);
void mp_hops_free(struct mp_hops *hops);

/**
 * mp_hops_slower() - how many hops are slower than others
 * @factor: slower by so much, and by a step of the clock
 *
 * The largest difference, over all times t, of the share of @a's hops that
 * take longer than @factor * t and that of @b's that take longer than t: a
 * few that miss show in it, where they hardly move a mean.
 * Return: 0..1; NaN where one of them has no hops.
 */
double mp_hops_slower(const struct mp_hops *a, const struct mp_hops *b,
		      double factor);

/**
 * mp_hops_only() - of a time that only some batches have, how many hops take it
 * @a, @n_a: batches; of each the hops that take nearly one time are counted
 * @b, @n_b: others, of which next to none take about as long
 *
 * Return: the least share of a batch of @a, at the time at which it is greatest;
 * 0 where there is no such time, or one of the batches has no hops.
 */
double mp_hops_only(const struct mp_hops *a, uint32_t n_a,
		    const struct mp_hops *b, uint32_t n_b);

/**
 * mp_hops_mostly() - what most hops take of those slower than a bound
 * @bound: cycles
 *
 * The mean of all that the clock cannot tell from the middle one of them. What
 * a few of them pay beside it does not count, as it would in a mean of all.
 * Return: cycles; NaN where these are not most of them, or there are none.
 */
double mp_hops_mostly(const struct mp_hops *hops, double bound);

/**
 * mp_hops_one() - what the hops between two bounds take that have one cost
 * @from, @to: cycles
 * @n: gets how many they are; may be NULL
 *
 * The clock reads one cost as one of two neighbouring readings: the mean of the
 * two that have the most hops, or of what lies as near each other as jitter
 * has it. What some pay beside it, however little, is no part of it.
 * Return: cycles; NaN where these are not nearly all of them (hops that jitter
 * have no one cost), or there are none.
 */
double mp_hops_one(const struct mp_hops *hops, double from, double to,
		   double *n);

/** mp_hops_mean() - the mean of all between two bounds; NaN: there are none */
double mp_hops_mean(const struct mp_hops *hops, double from, double to,
		    double *n);

#endif
