// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences: slots in a given order, each touched, timed or flushed. A visit
 * to a slot finds two words in the slot's line. The first leads to the words
 * of the next visit and says, in bits that an aligned address leaves free,
 * what is to be done there; the second takes the ticks.
 */
#include "steps.h"
#include "arch.h"

#define WHAT 3u
#define LAST 4u
#define LOW_BITS 15u
#define VISIT_BYTES 16u

_Static_assert(MP_STEPS_VISITS * VISIT_BYTES <= MP_STEPS_SLOT,
	       "all visits lie in one line");

int mp_steps_check(const struct mp_steps *steps)
{
	uint32_t i, slot;

	for (i = 0; i < steps->slots; i++)
		steps->visits[i] = 0;
	for (i = 0; i < steps->n; i++) {
		slot = steps->step[i] >> 2;
		if (slot >= steps->slots)
			return -EINVAL;
		if ((steps->step[i] & WHAT) > MEMPROBE_STEP_FLUSH)
			return -EOPNOTSUPP;
		if (steps->visits[slot]++ >= MP_STEPS_VISITS)
			return -ERANGE;
	}
	return 0;
}

/* The two words of the next visit to the slot of step @i. */
static uintptr_t *visit(const struct mp_steps *steps, uint32_t i)
{
	const uint32_t slot = steps->step[i] >> 2;
	char *line = (char *)steps->base + slot * steps->stride;

	return (uintptr_t *)(line + VISIT_BYTES * steps->visits[slot]++);
}

static void forget_visits(const struct mp_steps *steps)
{
	uint32_t i;

	for (i = 0; i < steps->n; i++)
		steps->visits[steps->step[i] >> 2] = 0;
}

uintptr_t mp_steps_link(const struct mp_steps *steps)
{
	uintptr_t first = 0, *from = NULL, *to;
	uint32_t i;

	forget_visits(steps);
	for (i = 0; i < steps->n; i++) {
		to = visit(steps, i);
		to[1] = 0;
		if (from)
			*from = (uintptr_t)to | (steps->step[i] & WHAT);
		else
			first = (uintptr_t)to | (steps->step[i] & WHAT);
		from = to;
	}
	if (from)
		*from = LAST;
	return first;
}

/* Return: where the next step is and what it does. */
static inline uintptr_t timed(uintptr_t *at)
{
	const uint64_t start = mp_ticks_begin();
	const uintptr_t next = *(volatile uintptr_t *)at;

	at[1] = (uintptr_t)(mp_ticks_end() - start);
	return next;
}

uint32_t mp_steps_run(uintptr_t first, uint64_t limit_ticks, uint64_t *ticks)
{
	const uint64_t limit = limit_ticks ? limit_ticks : ~(uint64_t)0;
	const uint64_t start = mp_ticks_begin();
	uintptr_t next = first, *at;
	uint32_t done = 0, what;

	do {
		at = (uintptr_t *)(next & ~(uintptr_t)LOW_BITS);
		what = next & WHAT;
		if (what == MEMPROBE_STEP_TIME)
			next = timed(at);
		else
			next = *(volatile uintptr_t *)at;
		if (what == MEMPROBE_STEP_FLUSH)
			mp_flush(at);
		done++;
		if (done % MP_STEPS_LOOK == 0 && mp_ticks_end() - start >= limit)
			break;
	} while (!(next & LAST));
	*ticks = mp_ticks_end() - start;
	return done;
}

uint32_t mp_steps_collect(const struct mp_steps *steps, uint32_t done,
			  uint64_t *ticks)
{
	uint32_t i, n = 0;
	uintptr_t *at;

	forget_visits(steps);
	for (i = 0; i < done; i++) {
		at = visit(steps, i);
		if ((steps->step[i] & WHAT) == MEMPROBE_STEP_TIME)
			ticks[n++] = at[1];
	}
	return n;
}

void mp_steps_flush(const struct mp_steps *steps, uint32_t done)
{
	uintptr_t *at;
	uint32_t i;

	forget_visits(steps);
	for (i = 0; i < done; i++) {
		at = visit(steps, i);
		if ((steps->step[i] & WHAT) == MEMPROBE_STEP_FLUSH)
			mp_flush(at);
	}
}

uint32_t mp_steps_timed(const uint32_t *step, uint32_t n)
{
	uint32_t i, timed_steps = 0;

	for (i = 0; i < n; i++)
		timed_steps += (step[i] & WHAT) == MEMPROBE_STEP_TIME;
	return timed_steps;
}
