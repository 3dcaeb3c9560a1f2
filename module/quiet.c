// SPDX-License-Identifier: GPL-2.0
/*
 * The quiet window, and the rest that a CPU has after it. What is changed in
 * a window (interrupts, preemption, prefetchers) is changed and undone in one
 * function, with no return between. The rest is accounted per CPU over all
 * calls and files, so no sequence of calls gets more than its share.
 */
#include "quiet.h"

#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "core/arch.h"
#include "core/steps.h"

/* Rewarming takes at most this part of a window. */
#define REWARM_PART 2u

/* When the next quiet window may begin; under the lock of runs. */
static DEFINE_PER_CPU(u64, rest_until_ns);

bool mp_quiet_is(u32 flags)
{
	return flags & (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF);
}

/* -- inside ----------------------------------------------------------------- */

static void rewarm(struct mp_quiet *quiet, u64 open_tick)
{
	struct mp_chase *warm = &quiet->warm;

	*warm = (struct mp_chase){
		.cursor = quiet->cursor,
		.hops = min(quiet->rewarm_hops, quiet->window.hops),
		.gap_ticks = quiet->gap_ticks,
	};
	if (!warm->hops)
		return;
	mp_window_bound(&quiet->window, mp_ticks_look() - open_tick,
			REWARM_PART, warm);
	mp_chase_run(warm);
	quiet->cursor = warm->cursor;
}

static void walk_ring(struct mp_quiet *quiet, u64 open_tick)
{
	struct mp_chase *chase = &quiet->chase;

	chase->cursor = quiet->cursor;
	chase->hops = min(quiet->hops, quiet->window.hops);
	mp_window_bound(&quiet->window, mp_ticks_look() - open_tick, 1, chase);
	mp_chase_run(chase);
	quiet->cursor = chase->cursor;
}

static void walk_groups(struct mp_quiet *quiet, u64 open_tick)
{
	struct mp_chase *chase = &quiet->chase;
	u64 limit;
	u32 n;

	limit = mp_window_groups(&quiet->window, mp_ticks_look() - open_tick,
				 quiet->group);
	chase->start_tick = mp_ticks_look();
	n = mp_chase_groups(&quiet->cursor, quiet->ticks, quiet->groups,
			    quiet->group, limit);
	chase->done_hops = (u64)n * quiet->group;
}

static void walk_steps(struct mp_quiet *quiet, u64 open_tick)
{
	struct mp_chase *chase = &quiet->chase;
	u64 limit;

	limit = mp_window_groups(&quiet->window, mp_ticks_look() - open_tick,
				 MP_CHASE_FINE_HOPS);
	chase->start_tick = mp_ticks_look();
	chase->done_hops = mp_steps_run(quiet->first, limit, &chase->ticks);
}

static void measure(struct mp_quiet *quiet, u64 open_tick)
{
	quiet->chase = (struct mp_chase){ .gap_ticks = quiet->gap_ticks };
	if (quiet->first)
		walk_steps(quiet, open_tick);
	else if (quiet->group)
		walk_groups(quiet, open_tick);
	else
		walk_ring(quiet, open_tick);
}

/* All of it, from the first count to the last. */
static void inside(struct mp_quiet *quiet, u64 open_tick)
{
	mp_witness_read(&quiet->before);
	quiet->empty_ticks = mp_chase_empty();
	rewarm(quiet, open_tick);
	mp_freq_read(&quiet->freq[0]);
	mp_pmu_read(quiet->pmu, &quiet->count[0]);
	measure(quiet, open_tick);
	mp_pmu_read(quiet->pmu, &quiet->count[1]);
	mp_freq_read(&quiet->freq[1]);
	mp_witness_read(&quiet->after);
	quiet->cpu_end = raw_smp_processor_id();
}

/* -- around ----------------------------------------------------------------- */

/* With preemption off as wished, on the right CPU. */
static void window_here(struct mp_quiet *quiet)
{
	const bool irq_off = quiet->flags & MEMPROBE_RUN_IRQ_OFF;
	unsigned long irq = 0;
	u64 open_tick, saved = 0;

	quiet->prefetch_off = false;
	if (irq_off)
		local_irq_save(irq);
	open_tick = mp_ticks_begin();
	if (quiet->flags & MEMPROBE_RUN_PREFETCH_OFF)
		quiet->prefetch_off = mp_prefetch_off(&mp_machine.prefetch,
						      &saved);
	inside(quiet, open_tick);
	if (quiet->prefetch_off)
		mp_prefetch_restore(&mp_machine.prefetch, saved);
	quiet->quiet_ns = mp_window_ns(mp_ticks_end() - open_tick, quiet->hz);
	if (irq_off)
		local_irq_restore(irq);
}

/* Not before the window has been paid for. */
static void account(const struct mp_quiet *quiet)
{
	per_cpu(rest_until_ns, quiet->cpu) =
		mp_window_rest(ktime_get_ns(), quiet->quiet_ns);
}

int mp_quiet_window(struct mp_quiet *quiet)
{
	const bool preempt_off = mp_quiet_is(quiet->flags);
	int err = -ENXIO;

	cpus_read_lock();
	if (!cpu_online(quiet->cpu))
		goto out;
	if (preempt_off)
		preempt_disable();
	err = raw_smp_processor_id() == quiet->cpu ? 0 : -EXDEV;
	if (!err)
		window_here(quiet);
	if (preempt_off)
		preempt_enable();
	if (!err && preempt_off)
		account(quiet);
out:
	cpus_read_unlock();
	return err;
}

static void sleep_until(u64 until_ns)
{
	ktime_t until = ns_to_ktime(until_ns);

	set_current_state(TASK_INTERRUPTIBLE);
	schedule_hrtimeout_range(&until, 0, HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
}

int mp_quiet_rest(u32 cpu, u64 owed_ns, u64 until_ns, u64 *slept_ns)
{
	const u64 start = ktime_get_ns();
	const u64 rest_ns = max(per_cpu(rest_until_ns, cpu), start + owed_ns);
	u64 now = start;

	while (now < rest_ns && now < until_ns) {
		if (signal_pending(current))
			return -EINTR;
		sleep_until(min(rest_ns, until_ns));
		now = ktime_get_ns();
	}
	*slept_ns += now - start;
	if (signal_pending(current))
		return -EINTR;
	return now < until_ns ? 0 : -ETIME;
}
