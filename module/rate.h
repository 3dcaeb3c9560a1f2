/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of ticks: how fast it runs, what reading it costs. */
#ifndef MP_RATE_H
#define MP_RATE_H

#include <linux/types.h>

/**
 * struct mp_rate - the clock as it was measured
 * @hz: ticks a second, against CLOCK_MONOTONIC_RAW
 * @empty_millis: an empty window, ticks times 1000
 * @look_millis: a look at the clock that nothing hides, the same
 * @first_tick, @first_raw_ns: where counting began
 * @suspended_ns: how long the machine had been suspended by then
 */
struct mp_rate {
	u64 hz;
	u64 empty_millis;
	u64 look_millis;
	u64 first_tick;
	u64 first_raw_ns;
	u64 suspended_ns;
};

/** mp_rate_measure() - sleeps MP_RATE_SLEEP_MS; 0 or -ENODEV */
int mp_rate_measure(struct mp_rate *rate);

/**
 * mp_rate_refresh() - the same over all the time since
 *
 * Where that differs from what was measured, the clock has jumped (a machine
 * that was moved or suspended): it is measured anew. What was known stays as it
 * is where that fails.
 */
int mp_rate_refresh(struct mp_rate *rate);

#endif
