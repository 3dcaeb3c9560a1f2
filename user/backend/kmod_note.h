/* SPDX-License-Identifier: GPL-2.0 */
/* What a run of the module has brought, as samples of a batch. */
#ifndef MP_KMOD_NOTE_H
#define MP_KMOD_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "kmod_plan.h"
#include "user_clock.h"

/**
 * struct mp_kmod_note - room for what one call brings
 * @sample: room for the samples; owned
 * @ticks: room for the words of ticks; owned
 * @room: to make histograms in; owned
 */
struct mp_kmod_note {
	struct memprobe_sample *sample;
	uint64_t *ticks;
	uint64_t *room;
};

/**
 * struct mp_kmod_call - one call, and what its samples have in common
 * @plan: what was asked for
 * @clock: to turn ticks into time
 * @run: the module's answer
 * @start_ns: when it was called, on CLOCK_MONOTONIC
 * @round: of the replicate
 * @before: bursts of this round before it
 * @bursts: bursts that it was asked for
 */
struct mp_kmod_call {
	const struct mp_kmod_plan *plan;
	const struct mp_user_clock *clock;
	const struct memprobe_run *run;
	uint64_t start_ns;
	uint16_t round;
	uint32_t before;
	uint32_t bursts;
};

/** mp_kmod_note_make() - room for a call of so many bursts; -ENOMEM */
int mp_kmod_note_make(struct mp_kmod_note *note,
		      const struct mp_kmod_plan *plan, uint32_t bursts);

/** mp_kmod_note_free() - give it back; an empty one is fine */
void mp_kmod_note_free(struct mp_kmod_note *note);

/**
 * mp_kmod_note_give() - the samples of a call into the batch
 * @note: what came
 * @call: of what
 * @batch: gets them, numbered on, with their words in its store; flagged
 *	where what others did between two windows may have left the ring cold
 * @why: gets one line with any error
 * Return: 0, -ENOMEM, -EFBIG (payload), or -EIO where the answer makes no
 * sense.
 */
int mp_kmod_note_give(const struct mp_kmod_note *note,
		      const struct mp_kmod_call *call, struct mp_batch *batch,
		      char *why, size_t room);

/** mp_kmod_note_names() - the counters of samples of the module, by slot */
void mp_kmod_note_names(struct mp_grant *grant);

#endif
