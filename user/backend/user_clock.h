/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock that the user backend measures with: how fast it ticks, in what
 * steps, what a read costs; and the core clock beside it.
 */
#ifndef MP_USER_CLOCK_H
#define MP_USER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"

/**
 * struct mp_user_instant - one moment on three clocks
 * @tick: the tick counter
 * @raw_ns: CLOCK_MONOTONIC_RAW, which nothing steers
 * @mono_ns: CLOCK_MONOTONIC
 */
struct mp_user_instant {
	uint64_t tick;
	uint64_t raw_ns;
	uint64_t mono_ns;
};

/**
 * struct mp_user_clock - what is known of the clocks
 * @hz: ticks a second
 * @read_ticks: what two reads add to a hop between them
 * @empty_ticks: mean of an empty stretch, two reads with nothing between them,
 *	when it was opened
 * @look_ticks: cost of one look inside a stretch, 0 where it cannot be seen
 * @step_ticks: the counter moves in steps of this
 * @unsteady: greatest relative difference seen between two estimates of @hz
 * @backwards: reads that were earlier than the one before
 * @adds: length of a chain of adds that takes MP_USER_CHAIN_NS
 * @muls: the same of multiplies, 0 = their latency is not known
 * @first: where counting began
 * @last: the latest instant
 */
struct mp_user_clock {
	double hz;
	double read_ticks;
	double empty_ticks;
	double look_ticks;
	uint64_t step_ticks;
	double unsteady;
	uint32_t backwards;
	uint64_t adds;
	uint64_t muls;
	struct mp_user_instant first;
	struct mp_user_instant last;
};

/** MP_USER_CHAIN_NS - time one chain of the core clock should take; a record
 * takes six. Long against the step of the tick counter, short against the
 * time between interrupts. */
#define MP_USER_CHAIN_NS 20000u

/** MP_USER_UNSTEADY - two estimates of the tick rate that differ by more: the
 * counter, or what the kernel makes of it, cannot be relied on. */
#define MP_USER_UNSTEADY 2e-4

/** mp_user_clock_unmet() - why the tick counter cannot be read, or NULL */
const char *mp_user_clock_unmet(void);

/**
 * mp_user_clock_open() - measure the clock; takes about 30 ms, most of it
 * asleep. The thread must be pinned already.
 * Return: 0, -ENOMEM, or -ENODEV when the counter stands still.
 */
int mp_user_clock_open(struct mp_user_clock *clock);

/**
 * mp_user_clock_refine() - a longer baseline for the tick rate
 *
 * Return: true; false when the rate has jumped since (the machine was moved
 * or suspended): it is measured anew, and what was timed meanwhile is void.
 */
bool mp_user_clock_refine(struct mp_user_clock *clock);

/** mp_user_clock_ns() - CLOCK_MONOTONIC at a tick, counted from @clock->last */
uint64_t mp_user_clock_ns(const struct mp_user_clock *clock, uint64_t tick);

/** mp_user_clock_ticks() - a length of time in ticks, at least 1 */
uint64_t mp_user_clock_ticks(const struct mp_user_clock *clock, uint64_t ns);

/**
 * mp_user_clock_read() - find out anew what a read costs
 * @clock: its reads and looks get the cost that they have now
 * @part: of it; the rest stays what it was: 0.5 = mean of then and now
 *
 * They take so many core cycles, and how many ticks these are changes with the
 * core clock. Takes some microseconds.
 */
void mp_user_clock_read(struct mp_user_clock *clock, double part);

/** mp_user_clock_core() - measure the core clock, by the best of three chains
 * of each kind */
void mp_user_clock_core(const struct mp_user_clock *clock,
			struct mp_clock_record *record);

/**
 * mp_user_clock_moved() - do two records differ by more than @share?
 * What only one of them knows is not compared.
 */
bool mp_user_clock_moved(const struct mp_clock_record *before,
			 const struct mp_clock_record *after, double share);

/**
 * mp_user_clock_share() - by how much two records of a batch may differ
 * @rounds: of its experiment
 *
 * Cycles are those of the mean of the two, and off by half of it at most: see
 * mp_clock_core_off(). A single walk that takes long waits for outer levels. How
 * long it does the core clock hardly changes, and a core that waits is often given
 * another one (3.8 to 4.0 GHz before such walks, 3.5 to 3.6 GHz after most, on
 * one machine): that it stay the same for so long is too much to ask. Of several
 * rounds what one walk takes is held against what another does.
 */
double mp_user_clock_share(const struct mp_clock_record *before,
			   const struct mp_clock_record *after,
			   uint32_t rounds);

/**
 * mp_user_clock_step() - the step of a counter
 * @diff: differences between reads that follow one another closely and
 *	unevenly; they get sorted
 * @n: how many
 *
 * The greatest common divisor of all, but for a counter that a hypervisor
 * scales: its steps are no whole number of ticks. There the widest step of
 * which nearly all differences are a multiple, to a tick.
 * Return: ticks; 0 when it never moved.
 */
uint64_t mp_user_clock_step(uint64_t *diff, uint32_t n);

/**
 * mp_user_clock_calm_mean() - mean of the values that nothing disturbed
 * @value: values; they get sorted
 * @n: how many, 1 or more
 * @step: step of the counter
 *
 * Of a counter with wide steps a median is off by up to half a step; the
 * mean is not. Values beyond the median by more than two steps are left out:
 * they are no part of a peak of hops either.
 */
double mp_user_clock_calm_mean(uint64_t *value, uint32_t n, uint64_t step);

#endif
