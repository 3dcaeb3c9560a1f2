/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_STEPS_H
#define MP_STEPS_H

#include "../../ioctl/memprobe.h"
#include "core.h"

/** MP_STEPS_SLOT - bytes at the head of a slot that a sequence uses. */
#define MP_STEPS_SLOT 64u
/**
 * MP_STEPS_VISITS - times that a sequence may visit one slot: each visit has
 * two words of the slot's line, one that leads on and one for ticks.
 */
#define MP_STEPS_VISITS 4u
/** MP_STEPS_LOOK - steps between two looks at the clock. */
#define MP_STEPS_LOOK 8u

/**
 * struct mp_steps - a sequence of slots
 * @base: where slot 0 lies; a multiple of MP_STEPS_SLOT
 * @stride: bytes from slot to slot; a multiple of MP_STEPS_SLOT
 * @slots: how many there are
 * @step: see enum memprobe_step
 * @n: steps, 1 or more
 * @visits: scratch, a byte a slot
 *
 * A sequence lies in its slots alone, so that walking it touches nothing
 * else: each line tells where to go next, and takes the ticks of its visit.
 */
struct mp_steps {
	void *base;
	uint64_t stride;
	uint32_t slots;
	const uint32_t *step;
	uint32_t n;
	uint8_t *visits;
};

/**
 * mp_steps_check() - can it be walked?
 * Return: 0; -EINVAL a slot that is not there; -EOPNOTSUPP a step that is
 * none; -ERANGE a slot with more than MP_STEPS_VISITS visits.
 */
int mp_steps_check(const struct mp_steps *steps);

/** mp_steps_link() - lay a checked sequence into its slots */
uintptr_t mp_steps_link(const struct mp_steps *steps);

/**
 * mp_steps_run() - walk a sequence
 * @first: what mp_steps_link() returned
 * @limit_ticks: begin no step after this; 0 = no such limit
 * @ticks: gets how long it took
 * Return: steps made.
 */
uint32_t mp_steps_run(uintptr_t first, uint64_t limit_ticks, uint64_t *ticks);

/**
 * mp_steps_collect() - the ticks of the timed steps, in their order
 * @done: steps that were made
 * @ticks: gets them
 * Return: how many.
 */
uint32_t mp_steps_collect(const struct mp_steps *steps, uint32_t done,
			  uint64_t *ticks);

/**
 * mp_steps_flush() - flush once more what it flushes
 * @done: steps that were made
 *
 * Reading the ticks brings lines back. That leaves all as the steps did where
 * what is flushed is neither touched nor timed afterwards.
 */
void mp_steps_flush(const struct mp_steps *steps, uint32_t done);

/** mp_steps_timed() - how many of a list of steps are timed */
uint32_t mp_steps_timed(const uint32_t *step, uint32_t n);

#endif
