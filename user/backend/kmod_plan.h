/* SPDX-License-Identifier: GPL-2.0 */
/* An experiment in the words of the module. */
#ifndef MP_KMOD_PLAN_H
#define MP_KMOD_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "exp.h"
#include "ioctl/memprobe.h"

/**
 * struct mp_kmod_plan - what the module is to be asked for
 * @actor: the actor; its arena, seed and bursts are filled in call by call
 * @flags: of the run, enum memprobe_run_flag
 * @window_ns: its window
 * @steps: of a sequence, the experiment's
 * @n_steps: how many
 * @burst_ticks: words of ticks that a burst may bring
 * @burst_detail: enum mp_detail: what is kept of them
 * @call_bursts: the most bursts of one call
 */
struct mp_kmod_plan {
	struct memprobe_actor actor;
	uint32_t flags;
	uint64_t window_ns;
	const uint32_t *steps;
	uint32_t n_steps;
	uint32_t burst_ticks;
	uint32_t burst_detail;
	uint32_t call_bursts;
};

/**
 * mp_kmod_plan_make() - from an experiment
 * @exp: one actor in one arena, checked; stays where it is
 * @info: what the module can do
 * @flags: of the run
 * @why: gets what cannot be, which value and what is allowed
 * Return: 0 or -EOPNOTSUPP.
 */
int mp_kmod_plan_make(struct mp_kmod_plan *plan, const struct mp_exp *exp,
		      const struct memprobe_info *info, uint32_t flags,
		      char *why, size_t room);

/** mp_kmod_plan_bursts() - bursts of the next call, of those left */
uint32_t mp_kmod_plan_bursts(const struct mp_kmod_plan *plan, uint32_t left);

#endif
