/* SPDX-License-Identifier: GPL-2.0 */
/* One experiment, from checked words to samples. */
#ifndef MP_RUN_H
#define MP_RUN_H

#include "../ioctl/memprobe.h"
#include "file.h"

/**
 * struct mp_job - a RUN in kernel memory
 * @run: what was asked; gets what came out
 * @actor: the actor
 * @event: its events; get their errors
 * @step: steps of a sequence
 * @sample: gets a sample a burst; zeroed before
 * @ticks: gets ticks of groups and timed steps
 * @n_ticks: words written there
 * @is_admin: caller and opener have CAP_SYS_ADMIN
 */
struct mp_job {
	struct memprobe_run run;
	struct memprobe_actor actor;
	struct memprobe_event event[MEMPROBE_EVENTS];
	u32 *step;
	struct memprobe_sample *sample;
	u64 *ticks;
	u32 n_ticks;
	bool is_admin;
};

/**
 * mp_run_job() - carry out a checked RUN
 *
 * In the caller's context, in windows with sleep between. Process context.
 * Return: 0 and the samples so far; -ENOENT no such arena, -EINVAL the span
 * is not inside it or the caller may run elsewhere too, -ENXIO no such CPU,
 * -EBUSY, -EINTR, -ENOMEM, -EPERM the arena is not for the caller, -ENODEV
 * the clock is no more to be trusted.
 */
int mp_run_job(struct mp_file *own, struct mp_job *job);

/** mp_run_clear() - all that a run tells, as if nothing had been done */
void mp_run_clear(struct memprobe_run *run);

/** mp_run_refresh() - look at the rate of the clock again, unless a run does */
void mp_run_refresh(void);

/** mp_run_info() - what RUN can do here, into an INFO */
void mp_run_info(struct memprobe_info *info);

/**
 * mp_run_init() - measure the clock; about 20 ms, asleep
 * Return: 0; -ENODEV it stands still, or its rate is none to be trusted.
 */
int mp_run_init(void);

#endif
