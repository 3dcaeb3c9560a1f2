// SPDX-License-Identifier: GPL-2.0
/*
 * Of the hops of a row that follow the first one, so many in a row find what
 * prefetchers may have learnt of the others: how far apart they lie, now and then.
 * That shows in the last half of a row, of which then a greater share is found.
 */
#include "probe/cpu_learnt.h"

#include <math.h>

#include "analysis/clock.h"
#include "probe/cpu_edges.h"

/* .. greater by this, and more than chance makes it. */
#define LEARNT 0.05
#define SIGMAS 2.0

static bool is_found(const struct mp_batch *batch, uint64_t word,
		     const struct mp_spectrum *at, uint32_t k)
{
	const double ticks = (double)word - batch->grant.read_ticks;

	return mp_clock_cycles(batch, ticks) <= at->bound[k];
}

void mp_cpu_halves_take(const struct mp_batch *batch,
			const struct memprobe_sample *sample,
			const struct mp_spectrum *at, uint32_t k,
			const struct mp_cpu_count *count,
			struct mp_cpu_halves *halves)
{
	const uint64_t *word = batch->payload + sample->payload_offset;

	for (uint32_t i = 0; i < sample->payload_count; i++) {
		const uint32_t late = i % count->row >= count->row / 2;

		if (i % count->row == 0)
			continue;
		halves->hops[late]++;
		halves->found[late] += is_found(batch, word[i], at, k);
	}
}

bool mp_cpu_halves_learnt(const struct mp_cpu_halves *halves)
{
	const double *hops = halves->hops, *found = halves->found;
	const double share = (found[0] + found[1]) / (hops[0] + hops[1]);
	const double error = sqrt(share * (1 - share) *
				  (1 / hops[0] + 1 / hops[1]));

	return hops[0] > 0 && hops[1] > 0 &&
	       found[1] / hops[1] - found[0] / hops[0] >
	       fmax(SIGMAS * error, LEARNT);
}
