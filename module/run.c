// SPDX-License-Identifier: GPL-2.0
/*
 * A run: lay the ring, warm it up, then window after window with a rest
 * between. It is carried out by the caller, on the CPU that the caller has
 * bound itself to; one at a time on a machine.
 */
#include "run.h"

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tick.h>
#include <linux/topology.h>

#include "check.h"
#include "compat.h"
#include "core/arch.h"
#include "core/gap.h"
#include "core/ring.h"
#include "core/steps.h"
#include "quiet.h"
#include "rate.h"
#include "sample.h"

/* Warming up takes a rest of so long .. */
#define WARM_REST_NS 1000000ull
/* .. after so long. */
#define WARM_NS MP_WINDOW_MAX_NS
/* Rewarming that half a window is too short for takes no longer than this. */
#define REWARM_NS 2000000ull
/* What get_cpu_idle_time_us() says where idle time is not counted. */
#define NOT_KNOWN ((u64)-1)

/* Pairs of tick and time that are read for a moment. */
#define MOMENT_PAIRS 4u

/* A moment: for what happened between two of them. */
struct moment {
	u64 tick;
	u64 ns;
	u64 idle_us;
};

/* A run while it runs. */
struct mp_walk {
	struct mp_job *job;
	struct mp_mem *mem;
	struct mp_pmu pmu;
	struct mp_quiet quiet;
	struct mp_steps steps;
	u64 until_ns;
	u64 look[MP_GAP_LOOKS];
	u32 looks;
	bool prefetch_on;
	struct moment last;
	u64 open_hops;
	u64 open_ns;
	u64 open_busy_ns;
};

/* Who holds it is the one run that there is. */
static DEFINE_MUTEX(run_lock);
static struct mp_rate rate;

/* -- before ------------------------------------------------------------------ */

static bool bound_to(u32 cpu)
{
	return current->nr_cpus_allowed == 1 &&
	       cpumask_test_cpu(cpu, current->cpus_ptr);
}

static int find_place(const struct memprobe_actor *actor)
{
	if (actor->cpu >= nr_cpu_ids || !cpu_online(actor->cpu))
		return -ENXIO;
	return bound_to(actor->cpu) ? 0 : -EINVAL;
}

static int lay_ring(struct mp_walk *walk, char *base)
{
	const struct memprobe_actor *actor = &walk->job->actor;
	const struct mp_ring ring = mp_actor_ring(actor);
	struct mp_rng rng;
	u32 *order;

	order = kvmalloc_array(mp_ring_slots(&ring), sizeof(*order),
			       GFP_KERNEL_ACCOUNT | __GFP_NORETRY |
			       __GFP_NOWARN);
	if (!order)
		return -ENOMEM;
	mp_rng_seed(&rng, actor->seed);
	walk->quiet.cursor = mp_ring_link(&ring, base, order, &rng);
	kvfree(order);
	return 0;
}

static int lay_steps(struct mp_walk *walk, char *base)
{
	const struct memprobe_actor *actor = &walk->job->actor;
	const u32 slots = mp_actor_slots(actor);
	int err;

	walk->steps = (struct mp_steps){
		.base = base,
		.stride = actor->stride,
		.slots = slots,
		.step = walk->job->step,
		.n = walk->job->run.n_steps,
		.visits = kvmalloc(slots, GFP_KERNEL_ACCOUNT | __GFP_NORETRY |
				   __GFP_NOWARN),
	};
	if (!walk->steps.visits)
		return -ENOMEM;
	err = mp_check_steps(actor, &walk->job->run, walk->job->step,
			     walk->steps.visits);
	if (!err)
		walk->quiet.first = mp_steps_link(&walk->steps);
	return err;
}

static int lay(struct mp_walk *walk)
{
	const struct memprobe_actor *actor = &walk->job->actor;
	char *base = (char *)walk->mem->base + actor->offset;

	if (actor->op == MEMPROBE_OP_SEQUENCE)
		return lay_steps(walk, base);
	return lay_ring(walk, base);
}

static void set_window(struct mp_walk *walk)
{
	const struct memprobe_actor *actor = &walk->job->actor;
	const u64 asked = walk->job->run.window_ns;
	struct mp_quiet *quiet = &walk->quiet;

	quiet->cpu = actor->cpu;
	quiet->flags = walk->job->run.flags;
	quiet->hz = rate.hz;
	mp_window_make(&quiet->window, asked ? asked : MP_WINDOW_NS, rate.hz);
	quiet->pmu = &walk->pmu;
	quiet->hops = actor->hops;
	quiet->rewarm_hops = actor->rewarm_hops;
	quiet->group = actor->group;
	if (actor->op == MEMPROBE_OP_SEQUENCE)
		quiet->hops = walk->job->run.n_steps;
	if (!actor->group)
		return;
	quiet->groups = actor->hops / actor->group;
	quiet->hops = (u64)quiet->groups * actor->group;
}

/* -- gaps ---------------------------------------------------------------------- */

static u64 gap_ticks(const struct mp_walk *walk)
{
	const u64 asked_ns = walk->job->actor.gap_ns;
	const u64 half_us = mp_window_ticks(500, rate.hz) + 1;

	/* Longer than any call: nothing is a gap. */
	if (asked_ns > MP_CALL_MAX_NS)
		return ~0ull;
	if (asked_ns)
		return mp_window_ticks(asked_ns, rate.hz);
	return mp_gap_ticks(walk->look, min(walk->looks, MP_GAP_LOOKS),
			    half_us);
}

/* From the slowest that as many hops took as lie between two looks. */
static void learn_look(struct mp_walk *walk, const struct mp_chase *chase)
{
	if (chase->done_hops < MP_CHASE_LOOK_HOPS)
		return;
	walk->look[walk->looks++ % MP_GAP_LOOKS] = chase->slow_ticks;
	walk->quiet.gap_ticks = gap_ticks(walk);
	/* Beyond twice the usual: what is slower is no hop of this ring. */
	walk->quiet.slow_ticks =
		mp_gap_ticks(walk->look, min(walk->looks, MP_GAP_LOOKS), 0);
}

/* -- warming up ------------------------------------------------------------------ */

/*
 * Of a few pairs that which was read closest together: with interrupts off,
 * too, firmware or a hypervisor may take the CPU in between.
 */
static void read_pair(struct moment *now)
{
	u64 least = 0, before, after, ns;
	u32 i;

	for (i = 0; i < MOMENT_PAIRS; i++) {
		before = mp_ticks_look();
		ns = ktime_get_ns();
		after = mp_ticks_look();
		if (i && after - before >= least)
			continue;
		least = after - before;
		now->tick = before + least / 2;
		now->ns = ns;
	}
}

static struct moment moment_of(u32 cpu)
{
	struct moment now;
	unsigned long irq;

	local_irq_save(irq);
	read_pair(&now);
	local_irq_restore(irq);
	now.idle_us = get_cpu_idle_time_us(cpu, NULL);
	/* Idle while a task of this CPU waits for a disk is counted apart. */
	if (now.idle_us != NOT_KNOWN)
		now.idle_us += get_cpu_iowait_time_us(cpu, NULL);
	return now;
}

/* Only while no CPU comes or goes are both answers of one moment. */
static int still_there(u32 cpu)
{
	int err;

	cpus_read_lock();
	err = mp_quiet_place(cpu);
	cpus_read_unlock();
	return err;
}

/* Return: 0; what a window would be refused with; -EINTR; -ETIME. */
static int may_go_on(const struct mp_walk *walk)
{
	if (signal_pending(current))
		return -EINTR;
	if (ktime_get_ns() >= walk->until_ns)
		return -ETIME;
	return still_there(walk->quiet.cpu);
}

/*
 * Not every kernel takes the CPU away from a loop, and none gives it to those
 * that a real-time task stands before: now and then it is left to them.
 */
static void rest_of_warm_up(struct mp_walk *walk, u64 *since_ns)
{
	const u64 now = ktime_get_ns();

	cond_resched();
	if (now - *since_ns < WARM_NS)
		return;
	mp_quiet_rest(walk->quiet.cpu, WARM_REST_NS, walk->until_ns,
		      &walk->job->run.slept_ns);
	*since_ns = ktime_get_ns();
}

/* With interrupts on: a stretch as long as a window, and then others' turn. */
static int warm_up(struct mp_walk *walk)
{
	u64 left = walk->job->actor.warm_hops, since_ns = ktime_get_ns();
	struct mp_chase chase;
	int err = 0;

	while (left && !err) {
		chase = (struct mp_chase){
			.cursor = walk->quiet.cursor,
			.hops = min(left, walk->quiet.window.hops),
			.limit_ticks = walk->quiet.window.limit,
			.gap_ticks = walk->quiet.gap_ticks,
		};
		mp_chase_run(&chase);
		walk->quiet.cursor = chase.cursor;
		learn_look(walk, &chase);
		left -= min(left, chase.done_hops);
		rest_of_warm_up(walk, &since_ns);
		err = may_go_on(walk);
	}
	walk->last = moment_of(walk->quiet.cpu);
	return err;
}

/* -- windows --------------------------------------------------------------------- */

static u64 away_ns(const struct mp_walk *walk, const struct moment *now)
{
	const u64 ns = now->ns - walk->last.ns;
	const u64 idle_ns = (now->idle_us - walk->last.idle_us) * 1000;

	return ns > idle_ns ? ns - idle_ns : 0;
}

/*
 * Did half a window not suffice to warm the ring again, and would REWARM_NS?
 * By what the last window has seen.
 */
static bool wants_more(const struct mp_walk *walk)
{
	const struct mp_chase *warm = &walk->quiet.warm;
	const u64 hops = walk->job->actor.rewarm_hops;
	const u64 most = mp_window_ticks(REWARM_NS, rate.hz);

	if (!walk->job->run.windows || !warm->done_hops ||
	    warm->done_hops >= hops || warm->gaps)
		return false;
	return hops < most * warm->done_hops / warm->ticks;
}

/* With interrupts on, and so at nobody's cost, right before the window. */
static void rewarm_open(struct mp_walk *walk)
{
	struct mp_chase chase = {
		.cursor = walk->quiet.cursor,
		.hops = walk->job->actor.rewarm_hops,
		.limit_ticks = mp_window_ticks(REWARM_NS, rate.hz),
		.gap_ticks = walk->quiet.gap_ticks,
	};
	struct moment before;

	walk->open_hops = 0;
	walk->open_ns = 0;
	walk->open_busy_ns = 0;
	if (!wants_more(walk))
		return;
	before = moment_of(walk->quiet.cpu);
	walk->open_busy_ns = away_ns(walk, &before);
	mp_chase_run(&chase);
	walk->quiet.cursor = chase.cursor;
	walk->open_hops = chase.done_hops;
	walk->last = moment_of(walk->quiet.cpu);
	walk->open_ns = walk->last.ns - before.ns;
}

/* Groups and timed steps: ticks into the job, a sum into the sample. */
static void keep_ticks(struct mp_walk *walk, struct memprobe_sample *sample)
{
	struct mp_job *job = walk->job;
	struct mp_quiet *quiet = &walk->quiet;
	u32 n;

	if (quiet->first)
		n = mp_steps_collect(&walk->steps, quiet->chase.done_hops,
				     quiet->ticks);
	else if (quiet->group)
		n = quiet->chase.done_hops / quiet->group;
	else
		return;
	mp_sample_groups(sample, quiet, job->n_ticks, n);
	job->n_ticks += n;
}

static void set_start(struct memprobe_sample *sample, const struct moment *then,
		      u64 start_tick)
{
	/* Not so on a CPU whose clock is behind that of the one before. */
	if ((s64)(start_tick - then->tick) < 0)
		return;
	sample->start_ns = then->ns + mp_window_ns(start_tick - then->tick,
						   rate.hz);
	sample->valid |= 1ull << MEMPROBE_VALID_START;
}

static int one_window(struct mp_walk *walk, u32 burst)
{
	struct mp_job *job = walk->job;
	struct memprobe_sample *sample = &job->sample[burst];
	struct mp_quiet *quiet = &walk->quiet;
	struct moment now;
	int err;

	if (quiet->first)
		quiet->first = mp_steps_link(&walk->steps);
	quiet->ticks = job->ticks + job->n_ticks;
	rewarm_open(walk);
	now = moment_of(quiet->cpu);
	err = mp_quiet_window(quiet);
	if (err)
		return err;
	sample->burst = burst;
	mp_sample_fill(sample, quiet, &job->actor);
	set_start(sample, &now, quiet->chase.start_tick);
	if (now.idle_us != NOT_KNOWN && now.idle_us >= walk->last.idle_us)
		mp_sample_count(sample, MEMPROBE_SLOT_BUSY,
				walk->open_busy_ns + away_ns(walk, &now));
	sample->warm_hops += walk->open_hops;
	keep_ticks(walk, sample);
	/* Where there was no warm-up, the first rewarming knew nothing. */
	if (!walk->looks)
		learn_look(walk, &quiet->warm);
	if (!quiet->chase.gaps)
		quiet->slow_ticks = max(quiet->slow_ticks,
					quiet->chase.slow_ticks);
	walk->last = moment_of(quiet->cpu);
	walk->prefetch_on |= !quiet->prefetch_off;
	job->run.windows++;
	job->run.n_samples = burst + 1;
	if (mp_quiet_is(quiet->flags)) {
		job->run.quiet_ns += quiet->quiet_ns;
		job->run.quiet_max_ns = max(job->run.quiet_max_ns,
					    quiet->quiet_ns);
	}
	return 0;
}

static int rest(struct mp_walk *walk)
{
	if (!mp_quiet_is(walk->quiet.flags)) {
		cond_resched();
		return may_go_on(walk);
	}
	return mp_quiet_rest(walk->quiet.cpu,
			     walk->quiet.quiet_ns + walk->open_ns,
			     walk->until_ns, &walk->job->run.slept_ns);
}

static int run_bursts(struct mp_walk *walk)
{
	u32 i;
	int err;

	for (i = 0; i < walk->job->actor.bursts; i++) {
		err = rest(walk);
		if (!err)
			err = one_window(walk, i);
		if (err)
			return err;
	}
	return 0;
}

/* -- around it -------------------------------------------------------------------- */

static u64 steal_ns(u32 cpu)
{
	return kcpustat_cpu(cpu).cpustat[CPUTIME_STEAL];
}

static u32 state_of_machine(u32 cpu)
{
	u32 got = 0;

	if (num_online_cpus() == 1)
		got |= MEMPROBE_RUN_SINGLE_CPU;
	if (cpumask_weight(topology_sibling_cpumask(cpu)) > 1)
		got |= MEMPROBE_RUN_SIBLING;
	if (mp_hypervisor())
		got |= MEMPROBE_RUN_HYPERVISOR;
	if (MP_NO_MEASUREMENT)
		got |= MEMPROBE_RUN_NO_MEASUREMENT;
	return got;
}

static void fill_out(struct mp_walk *walk, u64 stolen_ns)
{
	struct memprobe_run *run = &walk->job->run;
	u32 i;

	run->got = state_of_machine(walk->quiet.cpu) |
		   (run->flags & (MEMPROBE_RUN_PREEMPT_OFF |
				  MEMPROBE_RUN_IRQ_OFF));
	if (run->n_samples && !walk->prefetch_on)
		run->got |= MEMPROBE_RUN_PREFETCH_OFF;
	for (i = 0; i < run->n_events; i++)
		if (run->n_samples && !walk->job->event[i].error)
			run->got |= MEMPROBE_RUN_COUNTED;
	run->gap_ticks = walk->quiet.gap_ticks;
	/* A count that was never anything but 0 is not kept here. */
	run->steal_ns = steal_ns(walk->quiet.cpu) - stolen_ns;
	run->valid = steal_ns(walk->quiet.cpu) != 0;
}

/* Why it ended; an end without samples is an error. */
static int set_stop(struct memprobe_run *run, int err)
{
	switch (err) {
	case 0:
		run->stop = MEMPROBE_STOP_DONE;
		return 0;
	case -EINTR:
		run->stop = MEMPROBE_STOP_SIGNAL;
		break;
	case -ENXIO:
		run->stop = MEMPROBE_STOP_HOTPLUG;
		break;
	case -EXDEV:
		run->stop = MEMPROBE_STOP_MOVED;
		err = -EINVAL;
		break;
	case -ETIME:
		run->stop = MEMPROBE_STOP_TIME;
		return 0;
	default:
		return err;
	}
	return run->n_samples ? 0 : err;
}

static int walk_all(struct mp_walk *walk)
{
	struct mp_job *job = walk->job;
	u64 stolen_ns;
	int err;

	set_window(walk);
	walk->quiet.gap_ticks = gap_ticks(walk);
	err = lay(walk);
	if (err)
		return err;
	mp_pmu_open(&walk->pmu, job->actor.cpu, job->event,
		    job->run.n_events);
	stolen_ns = steal_ns(job->actor.cpu);
	err = warm_up(walk);
	if (!err)
		err = run_bursts(walk);
	fill_out(walk, stolen_ns);
	mp_pmu_close(&walk->pmu);
	return set_stop(&job->run, err);
}

static int run_in(struct mp_job *job, struct mp_mem *mem)
{
	struct mp_walk *walk;
	int err;

	walk = kzalloc(sizeof(*walk), GFP_KERNEL_ACCOUNT);
	if (!walk)
		return -ENOMEM;
	walk->job = job;
	walk->mem = mem;
	walk->until_ns = ktime_get_ns() + MP_CALL_MAX_NS;
	err = walk_all(walk);
	kvfree(walk->steps.visits);
	kfree(walk);
	return err;
}

void mp_run_clear(struct memprobe_run *run)
{
	run->n_samples = 0;
	run->stop = 0;
	run->got = 0;
	run->windows = 0;
	run->quiet_ns = 0;
	run->quiet_max_ns = 0;
	run->slept_ns = 0;
	run->gap_ticks = 0;
	run->steal_ns = 0;
	run->valid = 0;
}

static int run_on_file(struct mp_file *own, struct mp_job *job)
{
	struct mp_mem *mem = mp_file_find(own, job->actor.arena);
	int err;

	if (!mem)
		return -ENOENT;
	/* Whoever may not take such memory may not be handed it either. */
	if (mp_mem_guarded(mem->kind, mem->got) && !job->is_admin)
		return -EPERM;
	err = mp_check_span(&job->actor, mem->bytes, mem->got);
	if (!err)
		err = find_place(&job->actor);
	if (err)
		return err;
	if (!mutex_trylock(&run_lock))
		return -EBUSY;
	err = mp_rate_refresh(&rate);
	if (!err)
		err = run_in(job, mem);
	mutex_unlock(&run_lock);
	job->run.n_ticks = job->n_ticks;
	return err;
}

int mp_run_job(struct mp_file *own, struct mp_job *job)
{
	int err;

	err = mp_file_run_begin(own);
	if (err)
		return err;
	err = run_on_file(own, job);
	mp_file_run_end(own);
	return err;
}

/* A rate that is none to be trusted any more is told by the next run. */
void mp_run_refresh(void)
{
	if (!mutex_trylock(&run_lock))
		return;
	mp_rate_refresh(&rate);
	mutex_unlock(&run_lock);
}

void mp_run_info(struct memprobe_info *info)
{
	info->ops = 1u << MEMPROBE_OP_CHASE | 1u << MEMPROBE_OP_SEQUENCE;
	info->run_flags = MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF |
			  (state_of_machine(raw_smp_processor_id()) &
			   ~MEMPROBE_RUN_SIBLING);
	if (mp_machine.prefetch.off)
		info->run_flags |= MEMPROBE_RUN_PREFETCH_OFF;
	info->clock = mp_clock_kind();
	info->sample_size = sizeof(struct memprobe_sample);
	info->valid = mp_sample_valid();
	info->tick_hz = rate.hz;
	info->empty_millis = rate.empty_millis;
	info->look_millis = rate.look_millis;
	info->window_default_ns = MP_WINDOW_NS;
	info->window_min_ns = MP_WINDOW_MIN_NS;
	info->window_max_ns = MP_WINDOW_MAX_NS;
	info->call_max_ns = MP_CALL_MAX_NS;
	info->duty_percent = MP_WINDOW_DUTY_PERCENT;
	info->actors_max = MP_ACTORS_MAX;
	info->events_max = MEMPROBE_EVENTS;
	info->bursts_max = MP_BURSTS_MAX;
	info->hops_max = MP_HOPS_MAX;
	info->ring_slots_max = MP_RING_SLOTS;
	info->steps_max = MP_STEPS_MAX;
	info->visits_max = MP_STEPS_VISITS;
	info->ticks_max = MP_TICKS_MAX;
	info->group_max = MP_GROUP_MAX;
	info->cpus = num_online_cpus();
}

int mp_run_init(void)
{
	return mp_rate_measure(&rate);
}
