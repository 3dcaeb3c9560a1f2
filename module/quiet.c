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
#include "limits.h"

/* When the next quiet window may begin; under the lock of runs. */
static DEFINE_PER_CPU(u64, rest_until_ns);

static bool preempt_is_off(u32 flags)
{
	return flags & (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF);
}

bool mp_quiet_is(u32 flags)
{
	return preempt_is_off(flags) || !preempt_model_preemptible();
}

/* -- inside ----------------------------------------------------------------- */

static void rewarm(struct mp_quiet *quiet)
{
	struct mp_chase *warm = &quiet->warm;
	struct mp_window window;

	*warm = (struct mp_chase){
		.cursor = quiet->cursor,
		.hops = min(quiet->rewarm_hops, quiet->window.hops),
		.gap_ticks = quiet->gap_ticks,
	};
	if (!warm->hops) {
		warm->slow_ticks = quiet->slow_ticks;
		return;
	}
	mp_window_rewarm(&quiet->window, quiet->group, &window);
	mp_window_bound(&window, mp_ticks_look() - quiet->open_tick, warm);
	mp_chase_run(warm);
	quiet->cursor = warm->cursor;
}

static void walk_ring(struct mp_quiet *quiet, u64 elapsed)
{
	struct mp_chase *chase = &quiet->chase;

	chase->cursor = quiet->cursor;
	chase->hops = min(quiet->hops, quiet->window.hops);
	/* What a gap took is no pace. */
	chase->slow_ticks = quiet->warm.gaps ? quiet->slow_ticks :
					       quiet->warm.slow_ticks;
	mp_window_bound(&quiet->window, elapsed, chase);
	mp_chase_run(chase);
	quiet->cursor = chase->cursor;
}

static void walk_groups(struct mp_quiet *quiet, u64 elapsed)
{
	struct mp_chase *chase = &quiet->chase;
	u64 limit;
	u32 n;

	limit = mp_window_groups(&quiet->window, elapsed, quiet->group);
	chase->start_tick = mp_ticks_look();
	n = mp_chase_groups(&quiet->cursor, quiet->ticks, quiet->groups,
			    quiet->group, limit, 0);
	chase->done_hops = (u64)n * quiet->group;
}

/* A step that flushes is two: it loads the line before. */
static void walk_steps(struct mp_quiet *quiet, u64 elapsed)
{
	struct mp_chase *chase = &quiet->chase;
	u64 limit;

	limit = mp_window_groups(&quiet->window, elapsed,
				 2 * MP_STEPS_LOOK);
	chase->start_tick = mp_ticks_look();
	chase->done_hops = mp_steps_run(quiet->first, limit, &chase->ticks);
}

/* @tail: what is still to be done when the stretch is over. */
static void measure(struct mp_quiet *quiet, u64 tail)
{
	const u64 elapsed = mp_ticks_look() - quiet->open_tick + tail;

	quiet->chase = (struct mp_chase){ .gap_ticks = quiet->gap_ticks };
	if (quiet->first)
		walk_steps(quiet, elapsed);
	else if (quiet->group)
		walk_groups(quiet, elapsed);
	else
		walk_ring(quiet, elapsed);
}

/*
 * All of it, from the first count to the last. What is read behind the
 * stretch costs what the same cost before it: @tail has that of the rest.
 */
static void inside(struct mp_quiet *quiet, u64 tail)
{
	u64 from;

	mp_witness_read(&quiet->before);
	quiet->empty_ticks = mp_chase_empty();
	rewarm(quiet);
	from = mp_ticks_begin();
	mp_freq_read(&quiet->freq[0]);
	mp_pmu_read(quiet->pmu, &quiet->count[0]);
	measure(quiet, tail + mp_ticks_end() - from);
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
	u64 saved = 0, ns;

	quiet->prefetch_off = false;
	if (irq_off)
		local_irq_save(irq);
	quiet->open_tick = mp_ticks_begin();
	if (quiet->flags & MEMPROBE_RUN_PREFETCH_OFF)
		quiet->prefetch_off = mp_prefetch_off(&mp_machine.prefetch,
						      &saved);
	inside(quiet, mp_ticks_end() - quiet->open_tick);
	if (quiet->prefetch_off)
		mp_prefetch_restore(&mp_machine.prefetch, saved);
	ns = mp_window_ns(mp_ticks_end() - quiet->open_tick, quiet->hz);
	if (irq_off)
		local_irq_restore(irq);
	quiet->quiet_ns = min(ns, MP_CALL_MAX_NS);
}

/* Not before the window has been paid for. */
static void account(const struct mp_quiet *quiet)
{
	if (mp_quiet_is(quiet->flags))
		per_cpu(rest_until_ns, quiet->cpu) =
			mp_window_rest(ktime_get_ns(), quiet->quiet_ns);
}

int mp_quiet_place(u32 cpu)
{
	if (!cpu_online(cpu))
		return -ENXIO;
	return raw_smp_processor_id() == cpu ? 0 : -EXDEV;
}

/*
 * The CPU stays online for as long as it is ours. Where others may run in
 * the window that can be long, and nothing in it needs the CPU to stay.
 */
static int window_open(struct mp_quiet *quiet)
{
	int err;

	cpus_read_lock();
	err = mp_quiet_place(quiet->cpu);
	cpus_read_unlock();
	if (!err)
		window_here(quiet);
	return err;
}

static int window_closed(struct mp_quiet *quiet)
{
	int err;

	cpus_read_lock();
	preempt_disable();
	err = mp_quiet_place(quiet->cpu);
	if (!err)
		window_here(quiet);
	preempt_enable();
	cpus_read_unlock();
	return err;
}

int mp_quiet_window(struct mp_quiet *quiet)
{
	int err;

	if (preempt_is_off(quiet->flags))
		err = window_closed(quiet);
	else
		err = window_open(quiet);
	if (!err)
		account(quiet);
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

	while (now < rest_ns && now < until_ns && !signal_pending(current)) {
		sleep_until(min(rest_ns, until_ns));
		now = ktime_get_ns();
	}
	*slept_ns += now - start;
	if (signal_pending(current))
		return -EINTR;
	return now < until_ns ? 0 : -ETIME;
}
