/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one place where ticks become nanoseconds and core cycles, with the
 * clock record of the batch that they were taken in.
 */
#ifndef MP_CLOCK_H
#define MP_CLOCK_H

#include <stdbool.h>

#include "batch.h"

/** MP_CLOCK_DISPUTE - relative difference at which two estimates dispute. */
#define MP_CLOCK_DISPUTE 0.005

/** mp_clock_ns() - ticks of a batch's clock in ns; NaN when unknown */
double mp_clock_ns(const struct mp_batch *batch, double ticks);

/** mp_clock_core_hz() - core clock during a batch: mean of its records'
 * adds; NaN when it has none */
double mp_clock_core_hz(const struct mp_batch *batch);

/** mp_clock_core_off() - how far the core clock may have been from that, as a
 * share of it, as records have it; 0 where there are not two */
double mp_clock_core_off(const struct mp_batch *batch);

/** mp_clock_cycles() - ticks in core cycles; NaN when unknown */
double mp_clock_cycles(const struct mp_batch *batch, double ticks);

/**
 * mp_clock_hop_ticks() - ticks a hop of one actor, over its calm samples
 * @batch: a batch that counts
 * @actor: index of the actor
 *
 * The cost of reading the clock is taken off each burst. Bursts are
 * combined by their midmean.
 * Return: ticks, NaN when the actor has no calm sample.
 */
double mp_clock_hop_ticks(const struct mp_batch *batch, uint32_t actor);

#endif
