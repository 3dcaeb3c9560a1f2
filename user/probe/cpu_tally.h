/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_PROBE_CPU_TALLY_H
#define MP_PROBE_CPU_TALLY_H

#include "analysis/spectrum.h"
#include "backend.h"

/**
 * struct mp_cpu_tally - single hops, by where they were served
 * @all: how many there are
 * @inside: by the levels inside the one asked about
 * @slow: beyond it
 * @beyond: .. and beyond the next one
 * @cycles: of those that are not slow, in all
 */
struct mp_cpu_tally {
	double all;
	double inside;
	double slow;
	double beyond;
	double cycles;
};

/**
 * mp_cpu_tally_add() - count the hops of a sample
 * @sample: of @batch, with a histogram
 * @k: the level asked about, 1 or further out
 * @tally: gets them on top of what it holds
 *
 * Hops of more than 1.5 us were interrupted, and do not count.
 */
void mp_cpu_tally_add(const struct mp_batch *batch,
		       const struct memprobe_sample *sample,
		       const struct mp_spectrum *at, uint32_t k,
		       struct mp_cpu_tally *tally);

#endif
