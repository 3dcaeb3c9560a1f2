// SPDX-License-Identifier: GPL-2.0
/* Single hops, by where they were served. */
#include "probe/cpu_tally.h"

#include "analysis/clock.h"

#define INTERRUPTED_NS 1500.0

void mp_cpu_tally_add(const struct mp_batch *batch,
		       const struct memprobe_sample *sample,
		       const struct mp_spectrum *at, uint32_t k,
		       struct mp_cpu_tally *tally)
{
	const uint64_t *word = batch->payload + sample->payload_offset;

	for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
		const double ticks = (double)word[w] - batch->grant.read_ticks;
		const double cycles = mp_clock_cycles(batch, ticks);
		const double n = (double)word[w + 1];

		if (mp_clock_ns(batch, ticks) > INTERRUPTED_NS)
			continue;
		tally->all += n;
		if (cycles <= at->bound[k - 1])
			tally->inside += n;
		if (cycles > at->bound[k])
			tally->slow += n;
		else
			tally->cycles += cycles * n;
		if (k + 1 < at->n && at->bound[k + 1] > at->bound[k] &&
		    cycles > at->bound[k + 1])
			tally->beyond += n;
	}
}
