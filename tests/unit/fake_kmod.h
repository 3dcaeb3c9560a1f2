/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stand-in for /dev/memprobe in this process: it keeps to the contract of
 * ioctl/memprobe.h, chases in ordinary memory with interrupts on, and fails
 * as it is told to.
 */
#ifndef FAKE_KMOD_H
#define FAKE_KMOD_H

#include <stdbool.h>
#include <stdint.h>

#include "exp.h"
#include "ioctl/memprobe.h"

#define FAKE_ARENAS 4
#define FAKE_ANSWERS 16
#define FAKE_KINDS 5

/**
 * struct fake_kmod - what it is, what it is told to do, what it was asked
 * @info: what it says of itself
 * @open_err: of opening it
 * @info_err: of INFO
 * @take_err: of taking an arena, by kind
 * @node_err: of taking one from a node
 * @run_err: of the first runs; then there are none
 * @run_deny: flags of a run that are not permitted
 * @run_got: flags that runs get beside those they ask for
 * @stop: enum memprobe_stop, of each run that makes fewer bursts than asked
 * @stop_after: bursts that a run makes at most
 * @page_shift: got of huge arenas
 * @short_bytes: arenas are so much smaller than was asked for
 * @gap_ticks: what a gap is in the first runs; 0 = 20 us
 * @busy_known: samples tell how busy the CPU was before them
 * @busy_ns: so busy
 * @n_open: descriptors that are open
 * @n_held: arenas that are held
 * @n_runs: runs that were asked for
 * @n_naps: naps taken
 * @taken: the last arena that was asked for
 * @run: the last run
 * @actor: its actor
 * @first_bursts: bursts that the first run was asked for
 * @steps: its steps
 * @base: memory of arenas by number, NULL = not held
 */
struct fake_kmod {
	struct memprobe_info info;
	int open_err;
	int info_err;
	int take_err[FAKE_KINDS];
	int node_err;
	int run_err[FAKE_ANSWERS];
	uint32_t run_deny;
	uint32_t run_got;
	uint32_t stop;
	uint32_t stop_after;
	uint32_t page_shift;
	uint64_t short_bytes;
	uint64_t gap_ticks[FAKE_ANSWERS];
	bool busy_known;
	uint64_t busy_ns;
	uint32_t n_open;
	uint32_t n_held;
	uint32_t n_runs;
	uint32_t n_naps;
	struct memprobe_arena taken;
	struct memprobe_run run;
	struct memprobe_actor actor;
	uint32_t first_bursts;
	uint32_t steps[MP_EXP_STEPS];
	void *base[FAKE_ARENAS];
};

extern struct fake_kmod fake_kmod;

/** fake_kmod_load() - a fresh one, in the way to the real one */
void fake_kmod_load(void);

#endif
