/* SPDX-License-Identifier: GPL-2.0 */
/* What prefetchers learn of a count that looks for lines in rows (cpu_count.h). */
#ifndef MP_PROBE_CPU_LEARNT_H
#define MP_PROBE_CPU_LEARNT_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_halves - of hops of rows but the first, in either half of a row
 * @hops: how many
 * @found: .. of which were found
 */
struct mp_cpu_halves {
	double hops[2];
	double found[2];
};

/** mp_cpu_halves_take() - add those of a burst: level @k, or one inside, by @at,
 * served what is found */
void mp_cpu_halves_take(const struct mp_batch *batch,
			const struct memprobe_sample *sample,
			const struct mp_spectrum *at, uint32_t k,
			const struct mp_cpu_count *count,
			struct mp_cpu_halves *halves);

/**
 * mp_cpu_halves_learnt() - have prefetchers learnt how far apart lines of a row lie?
 *
 * They did so in half of all bursts on one machine, and of a level of 4096 lines they
 * made 7700: one in three was found at the beginning of each row, and nine in ten at
 * the end.
 */
bool mp_cpu_halves_learnt(const struct mp_cpu_halves *halves);

#endif
