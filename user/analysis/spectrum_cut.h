/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two places that the clock's step smears over each other: they are two all the
 * same where no length reads both as one.
 */
#ifndef MP_SPECTRUM_CUT_H
#define MP_SPECTRUM_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/spectrum.h"
#include "analysis/sweep.h"

/** MP_SPECTRUM_OFFSET, MP_SPECTRUM_GRAIN - bins of a spectrum: log2(cycles +
 * offset), so many to the octave */
#define MP_SPECTRUM_OFFSET 8.0
#define MP_SPECTRUM_GRAIN 32
/** MP_SPECTRUM_BINS - of twelve octaves */
#define MP_SPECTRUM_BINS (MP_SPECTRUM_GRAIN * 12)

/** mp_spectrum_cycles_at() - where a bin lies, core cycles */
double mp_spectrum_cycles_at(double bin);

/**
 * struct mp_spectrum_sums - single hops of one length
 * @share: of the bins below each, the share of all hops
 * @cycles: .. and that share times the cycles of each
 */
struct mp_spectrum_sums {
	double share[MP_SPECTRUM_BINS + 1];
	double cycles[MP_SPECTRUM_BINS + 1];
};

/**
 * struct mp_spectrum_read - single hops of a curve, as they were read
 * @curve: its lengths
 * @step: of the clock, core cycles
 * @sums: of each length
 * @any: bins that some hop was read in
 */
struct mp_spectrum_read {
	const struct mp_curve *curve;
	double step;
	struct mp_spectrum_sums *sums;
	bool any[MP_SPECTRUM_BINS];
};

/**
 * mp_spectrum_cut() - does a cut part the hops of a stretch into two places?
 * @from, @to: bins of the stretch
 * @apart: gets the places, core cycles
 *
 * Some lengths have their hops on the near side of it alone, and others, that
 * are longer, on the far side; and these are further apart than one place moves
 * when its readings fall in with the loop that reads them, a step.
 * Return: the bin, in the middle of those around it that nothing was read in; 0
 * where there is none.
 */
uint32_t mp_spectrum_cut(const struct mp_spectrum_read *read, uint32_t from,
			 uint32_t to, double apart[2]);

/**
 * mp_spectrum_bound() - up to where is a hop of peak @k, and of none behind it?
 * @found: peaks, and bounds as valleys between them have them
 * @k: not the last one
 * @step: of the clock, core cycles
 *
 * The clock reads no hop as faster by more than a step. Where a valley is filled by
 * what the step smears, what only the slower of two can have been read as is its own.
 * Return: core cycles.
 */
double mp_spectrum_bound(const struct mp_spectrum *found, uint32_t k,
			 double step);

#endif
