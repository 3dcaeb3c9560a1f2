/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The spectrum of a sweep: which latencies single hops have. Where the clock
 * is fine enough to time one hop, each level is a peak of its own, and the
 * share of hops slower than a peak says how many missed that level, whatever
 * the other levels do at the same footprint.
 */
#ifndef MP_SPECTRUM_H
#define MP_SPECTRUM_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/sweep.h"

/** MP_SPECTRUM_PEAKS - latencies told apart, memory included */
#define MP_SPECTRUM_PEAKS 8

/**
 * struct mp_spectrum - the latencies of single hops
 * @n: peaks, the fastest first
 * @cycles: of a hop of each, the clock's own cost taken off
 * @bound: a hop that takes longer was not served at this peak
 * @share: the largest share of a footprint's hops that a peak has
 * @id: the shortest experiment with that share, or nearly
 * @blurred: the clock may read the same of a hop of this peak and of the next
 */
struct mp_spectrum {
	uint32_t n;
	double cycles[MP_SPECTRUM_PEAKS];
	double bound[MP_SPECTRUM_PEAKS];
	double share[MP_SPECTRUM_PEAKS];
	uint64_t id[MP_SPECTRUM_PEAKS];
	bool blurred[MP_SPECTRUM_PEAKS];
};

/** mp_spectrum_step() - core cycles that a batch's clock moves at a time; NaN
 * where the core clock is not known */
double mp_spectrum_step(const struct mp_batch *batch);

/**
 * mp_spectrum_each_hop() - the single hops of a batch
 * @batch: with histograms of groups of one hop
 * @take: is called with cycles, the clock's own cost taken off, and how many
 *	hops took so long
 *
 * Hops that were interrupted, by their time, are left out.
 */
void mp_spectrum_each_hop(const struct mp_batch *batch,
			  void (*take)(void *ctx, double cycles, double n),
			  void *ctx);

/** MP_SPECTRUM_STEP_MAX - a clock that moves by more cycles at a time cannot
 * time single hops: levels less than two steps apart have a reading in common,
 * and few lie further apart. A counter that moves two of 2600 MHz at a time, or
 * one of 1 GHz, is finer at any usual core clock. */
#define MP_SPECTRUM_STEP_MAX 5.3

/**
 * mp_spectrum_find() - the peaks of a sweep of single hops
 * @curve: points whose batches hold histograms of groups of one hop
 * @out: gets the peaks; n = 0 where the points hold none
 *
 * What never has a fifth of the hops of any footprint is no peak: a page walk
 * that one hop in eight pays makes a small one beside its level's.
 * Return: 0 or -ENOMEM.
 */
int mp_spectrum_find(const struct mp_curve *curve, struct mp_spectrum *out);

/** mp_spectrum_mean() - mean cycles of a batch's hops between two bounds; NaN:
 * there are none */
double mp_spectrum_mean(const struct mp_batch *batch, double from, double to);

/** mp_spectrum_core() - mean cycles of a batch's hops at a peak, of those that
 * have one cost if most have; NaN */
double mp_spectrum_core(const struct mp_batch *batch,
			const struct mp_spectrum *spectrum, uint32_t k);

/**
 * struct mp_spectrum_hops - the hops of a batch at a peak
 * @cycles: their mean, as of mp_spectrum_core()
 * @n: how many they are
 * @all: and all hops of the batch
 */
struct mp_spectrum_hops {
	double cycles;
	double n;
	double all;
};

/** mp_spectrum_hops_of() - .. and how many these hops are */
void mp_spectrum_hops_of(const struct mp_batch *batch,
			 const struct mp_spectrum *spectrum, uint32_t k,
			 struct mp_spectrum_hops *out);

/**
 * mp_spectrum_is_own() - is that mean of one peak alone?
 *
 * Where the clock reads the same of two peaks, a mix of them is read as three
 * of its steps or more; one alone as two.
 */
bool mp_spectrum_is_own(const struct mp_batch *batch,
			const struct mp_spectrum *spectrum, uint32_t k);

/**
 * mp_spectrum_slower() - the share of a batch's hops that missed a level
 * @batch: with histograms of groups of one hop
 * @spectrum: the peaks
 * @k: the level's peak
 *
 * Hops that were interrupted, by their time, count neither way.
 * Return: 0..1, NaN where the batch has no such hops.
 */
double mp_spectrum_slower(const struct mp_batch *batch,
			  const struct mp_spectrum *spectrum, uint32_t k);

#endif
