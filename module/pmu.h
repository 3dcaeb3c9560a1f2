/* SPDX-License-Identifier: GPL-2.0 */
/* Performance events of a run: counted by the kernel, read in the window. */
#ifndef MP_PMU_H
#define MP_PMU_H

#include <linux/types.h>

#include "../ioctl/memprobe.h"

struct perf_event;

/**
 * struct mp_pmu - the events of a run
 * @n: how many
 * @event: each; NULL where it cannot be counted
 */
struct mp_pmu {
	u32 n;
	struct perf_event *event[MEMPROBE_EVENTS];
};

/**
 * struct mp_pmu_read - their counts at one moment
 * @known: bit i: @count[i] is
 */
struct mp_pmu_read {
	u64 count[MEMPROBE_EVENTS];
	u32 known;
};

/** mp_pmu_can() - does this kernel know performance events? */
bool mp_pmu_can(void);

/**
 * mp_pmu_open() - begin to count on a CPU
 * @want: @n of them; each gets its error
 *
 * Never fails as a whole: what cannot be counted has an error.
 * Context: process; sleeps.
 */
void mp_pmu_open(struct mp_pmu *pmu, u32 cpu, struct memprobe_event *want,
		 u32 n);

/** mp_pmu_read() - counts on this CPU; preemption off, takes no lock */
void mp_pmu_read(const struct mp_pmu *pmu, struct mp_pmu_read *read);

/** mp_pmu_close() - count no more; sleeps */
void mp_pmu_close(struct mp_pmu *pmu);

#endif
