// SPDX-License-Identifier: GPL-2.0
/*
 * Samples. What is not known has no bit; what disturbed a window is a flag.
 * Nothing is dropped, and nothing subtracted.
 */
#include "sample.h"

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/tick.h>

#define ALWAYS_VALID (1ull << MEMPROBE_VALID_GAPS | \
		      1ull << MEMPROBE_VALID_CPU_END | \
		      1ull << MEMPROBE_VALID_OVERRUN | \
		      1ull << MEMPROBE_SLOT_EMPTY | \
		      1ull << MEMPROBE_SLOT_QUIET)

static u16 short_count(u64 n)
{
	return min_t(u64, n, U16_MAX);
}

void mp_sample_count(struct memprobe_sample *sample, u32 slot, u64 count)
{
	sample->counter[slot] = count;
	sample->valid |= 1ull << slot;
}

static void fill_counts(struct memprobe_sample *sample,
			const struct mp_quiet *quiet)
{
	const struct mp_pmu_read *count = quiet->count;
	const struct mp_freq *freq = quiet->freq;
	u32 i;

	for (i = 0; i < MEMPROBE_EVENTS; i++)
		if (count[0].known & count[1].known & 1u << i)
			mp_sample_count(sample, MEMPROBE_SLOT_EVENT + i,
					count[1].count[i] -
					count[0].count[i]);
	if (freq[0].known && freq[1].known) {
		mp_sample_count(sample, MEMPROBE_SLOT_APERF,
				freq[1].aperf - freq[0].aperf);
		mp_sample_count(sample, MEMPROBE_SLOT_MPERF,
				freq[1].mperf - freq[0].mperf);
	}
	mp_sample_count(sample, MEMPROBE_SLOT_EMPTY, quiet->empty_ticks);
	mp_sample_count(sample, MEMPROBE_SLOT_QUIET, quiet->quiet_ns);
}

static void fill_witness(struct memprobe_sample *sample,
			 const struct mp_quiet *quiet)
{
	const u64 known = quiet->before.known & quiet->after.known;

	sample->valid |= known;
	if (known & 1ull << MEMPROBE_VALID_NMI)
		sample->nmi = short_count(quiet->after.nmi -
					  quiet->before.nmi);
	if (known & 1ull << MEMPROBE_VALID_SMI)
		sample->smi = short_count(quiet->after.smi -
					  quiet->before.smi);
	if (sample->nmi)
		sample->flags |= MEMPROBE_F_NMI;
	if (sample->smi)
		sample->flags |= MEMPROBE_F_SMI;
}

/* Counts of another CPU say nothing of this window. */
static void fill_moved(struct memprobe_sample *sample,
		       const struct mp_quiet *quiet)
{
	if (quiet->cpu_end == quiet->cpu)
		return;
	sample->flags |= MEMPROBE_F_MIGRATED;
	sample->valid &= ~(mp_witness_valid() | 1ull << MEMPROBE_SLOT_APERF |
			   1ull << MEMPROBE_SLOT_MPERF);
}

static void fill_stretch(struct memprobe_sample *sample,
			 const struct mp_chase *chase)
{
	sample->hops = chase->done_hops;
	sample->ticks = chase->ticks;
	sample->gap_ticks = chase->lost_ticks;
	sample->gap_max_ticks = chase->look_max_ticks;
	sample->gaps = chase->gaps;
}

static void fill_overrun(struct memprobe_sample *sample,
			 const struct mp_quiet *quiet)
{
	const u64 limit_ns = mp_window_ns(quiet->window.limit, quiet->hz);

	if (quiet->quiet_ns > limit_ns)
		sample->overrun_ticks =
			mp_window_ticks(quiet->quiet_ns - limit_ns, quiet->hz);
}

void mp_sample_fill(struct memprobe_sample *sample,
		    const struct mp_quiet *quiet,
		    const struct memprobe_actor *actor)
{
	sample->place = quiet->cpu;
	sample->cpu_end = quiet->cpu_end;
	sample->bytes = actor->length;
	sample->warm_hops = quiet->warm.done_hops;
	sample->valid = ALWAYS_VALID;
	fill_stretch(sample, &quiet->chase);
	fill_overrun(sample, quiet);
	fill_counts(sample, quiet);
	fill_witness(sample, quiet);
	fill_moved(sample, quiet);
	if (quiet->first)
		sample->valid &= ~(1ull << MEMPROBE_VALID_GAPS);
	if (sample->gaps)
		sample->flags |= MEMPROBE_F_GAP;
	if (sample->hops < quiet->hops)
		sample->flags |= MEMPROBE_F_SHORT;
}

/* The longest and the lost, as looks would have told. */
static void sum_groups(struct memprobe_sample *sample,
		       const struct mp_quiet *quiet, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		const u64 ticks = quiet->ticks[i];

		sample->ticks += ticks;
		sample->gap_max_ticks = max(sample->gap_max_ticks, ticks);
		if (ticks > quiet->gap_ticks) {
			sample->gap_ticks += ticks;
			sample->gaps++;
		}
	}
	if (sample->gaps)
		sample->flags |= MEMPROBE_F_GAP;
}

void mp_sample_groups(struct memprobe_sample *sample,
		      const struct mp_quiet *quiet, u32 offset, u32 n)
{
	if (!quiet->first)
		sum_groups(sample, quiet, n);
	if (!n)
		return;
	sample->payload_kind = MEMPROBE_PAYLOAD_TICKS;
	sample->payload_offset = offset;
	sample->payload_count = n;
}

u64 mp_sample_valid(void)
{
	u64 valid = ALWAYS_VALID | 1ull << MEMPROBE_VALID_START |
		    mp_witness_valid();

	if (mp_machine.freq)
		valid |= 1ull << MEMPROBE_SLOT_APERF |
			 1ull << MEMPROBE_SLOT_MPERF;
	if (mp_pmu_can())
		valid |= (1ull << MEMPROBE_EVENTS) - 1;
	if (get_cpu_idle_time_us(0, NULL) != (u64)-1)
		valid |= 1ull << MEMPROBE_SLOT_BUSY;
	return valid;
}
