/* SPDX-License-Identifier: GPL-2.0 */
/* The quiet window: one bounded stretch, and all that was seen of it. */
#ifndef MP_QUIET_H
#define MP_QUIET_H

#include "arch/machine.h"
#include "core/chase.h"
#include "core/window.h"
#include "pmu.h"

/**
 * struct mp_quiet - a window
 * @cpu: in: where
 * @flags: in: enum memprobe_run_flag
 * @hz: in: rate of the clock
 * @window: in: its bounds
 * @pmu: in: the events
 * @cursor: in and out: where a chase goes on
 * @first: in: the sequence; 0 = a chase
 * @hops: in: hops of the measured stretch
 * @rewarm_hops: in: hops before it
 * @group: in: hops timed together; 0 = totals
 * @groups: in: groups that @ticks has room for
 * @gap_ticks: in: a longer stretch between looks is a gap
 * @slow_ticks: in: no stretch of MP_CHASE_LOOK_HOPS hops should take longer,
 *	0 = nothing is known
 * @ticks: in: room for the ticks of groups; written in the window
 * @warm: out: the stretch before; its done_hops and look_max_ticks
 * @chase: out: the measured stretch; of groups the sums
 * @empty_ticks: out: an empty window
 * @open_tick: out: when it began
 * @before, @after: out: witnesses around all of it
 * @freq: out: core and reference clock before and after the stretch
 * @count: out: events before and after it
 * @quiet_ns: out: length of all of it; no more than MP_CALL_MAX_NS, should
 *	the clock have jumped
 * @cpu_end: out: where it ended
 * @prefetch_off: out: prefetchers were off, and it read back so
 */
struct mp_quiet {
	u32 cpu;
	u32 flags;
	u64 hz;
	struct mp_window window;
	const struct mp_pmu *pmu;
	const void *cursor;
	uintptr_t first;
	u64 hops;
	u64 rewarm_hops;
	u32 group;
	u32 groups;
	u64 gap_ticks;
	u64 slow_ticks;
	u64 *ticks;
	struct mp_chase warm;
	struct mp_chase chase;
	u64 empty_ticks;
	u64 open_tick;
	struct mp_witness before;
	struct mp_witness after;
	struct mp_freq freq[2];
	struct mp_pmu_read count[2];
	u64 quiet_ns;
	u32 cpu_end;
	bool prefetch_off;
};

/**
 * mp_quiet_window() - carry out a window
 *
 * On the caller's CPU, which must be @cpu; with preemption and interrupts off
 * as the flags say. Both are as they were when it returns, and so is the
 * prefetchers' register.
 * Context: process; may sleep before the window, waiting for CPU hotplug.
 * Return: 0; -ENXIO the CPU is offline; -EXDEV the caller is elsewhere.
 */
int mp_quiet_window(struct mp_quiet *quiet);

/**
 * mp_quiet_is() - do windows of these flags keep others from the CPU?
 *
 * Also without any flag, in a kernel that gives the CPU away at chosen points
 * only, and not in a loop.
 */
bool mp_quiet_is(u32 flags);

/**
 * mp_quiet_place() - is the CPU online, and is it the caller's? under
 * cpus_read_lock(); 0, -ENXIO or -EXDEV
 */
int mp_quiet_place(u32 cpu);

/**
 * mp_quiet_rest() - sleep until the next quiet window may begin on a CPU
 * @owed_ns: length of the window just made, 0 at the beginning of a run
 * @until_ns: give up at this moment of ktime_get_ns()
 * @slept_ns: is added to
 *
 * At least @owed_ns from now on, and until the CPU has had its rest after the
 * last window of anybody.
 * Return: 0; -EINTR a signal is pending; -ETIME.
 */
int mp_quiet_rest(u32 cpu, u64 owed_ns, u64 until_ns, u64 *slept_ns);

#endif
