/* SPDX-License-Identifier: GPL-2.0 */
/* The calls that one experiment takes, and why they may end early. */
#ifndef MP_KMOD_WALK_H
#define MP_KMOD_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "kmod_dev.h"
#include "kmod_note.h"
#include "kmod_plan.h"
#include "user_clock.h"

/**
 * struct mp_kmod_walk - the rounds of one actor
 * @dev: in: the device
 * @clock: in: the clock
 * @plan: in: what is asked for
 * @note: in: room for what one call brings
 * @arena: in: number of the arena
 * @seed: in: of the order of the ring
 * @bursts: in: of a round
 * @late_ns: in: no call but the first begins after this, on CLOCK_MONOTONIC
 * @got: out: what all calls got, enum memprobe_run_flag
 * @gap_ticks: out: the least that was called a gap
 * @calls: out: calls that brought something
 * @ended: out: no further round shall begin
 */
struct mp_kmod_walk {
	const struct mp_kmod_dev *dev;
	const struct mp_user_clock *clock;
	const struct mp_kmod_plan *plan;
	const struct mp_kmod_note *note;
	uint32_t arena;
	uint64_t seed;
	uint32_t bursts;
	uint64_t late_ns;
	uint32_t got;
	uint64_t gap_ticks;
	uint32_t calls;
	bool ended;
};

/**
 * mp_kmod_walk_round() - one round of the actor
 * @round: its number
 * @batch: gets the samples
 * @why: gets one line with any error
 *
 * A round takes as many calls as the module's limits make of it. A signal,
 * or time that is up, ends it early: what is there by then is kept.
 * Return: 0; -EINTR when a signal came before there was anything, -EAGAIN
 * what another try may mend, -ENXIO when the CPU has gone offline, or what
 * the device says.
 */
int mp_kmod_walk_round(struct mp_kmod_walk *walk, uint16_t round,
		       struct mp_batch *batch, char *why, size_t room);

#endif
