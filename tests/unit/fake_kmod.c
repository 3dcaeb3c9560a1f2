// SPDX-License-Identifier: GPL-2.0
/* A stand-in for /dev/memprobe, in this process. */
#include "fake_kmod.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "backend/kmod_dev.h"
#include "backend/user_clock.h"
#include "backend/user_place.h"
#include "chase.h"
#include "ring.h"
#include "window.h"

#define FD 1000
#define PAGE 4096u
#define ALIGN (2ull << 20)
/* Of one group of hops in nothing but its own time. */
#define TIMED_TICKS 40u

struct fake_kmod fake_kmod;

/* As the program measures its own: one look at each clock can be an interrupt
 * apart. */
static uint64_t tick_hz(void)
{
	static struct mp_user_clock clock;

	if (!(clock.hz > 0) && mp_user_clock_open(&clock))
		abort();
	return (uint64_t)clock.hz;
}

static int fake_open(const char *path)
{
	if (strcmp(path, MP_KMOD_PATH) != 0)
		return -ENOENT;
	if (fake_kmod.open_err)
		return fake_kmod.open_err;
	fake_kmod.n_open++;
	return FD;
}

static void give(uint32_t id)
{
	free(fake_kmod.base[id]);
	fake_kmod.base[id] = NULL;
	fake_kmod.n_held--;
}

/* Closing gives all back. */
static void fake_close(int fd)
{
	(void)fd;
	fake_kmod.n_open--;
	for (uint32_t i = 0; i < FAKE_ARENAS; i++)
		if (fake_kmod.base[i])
			give(i);
}

static int take(struct memprobe_arena *arena)
{
	const bool contig = arena->kind == MEMPROBE_KIND_CONTIG;
	uint32_t id = 0, unit;

	if (arena->kind >= FAKE_KINDS ||
	    !(fake_kmod.info.kinds >> arena->kind & 1))
		return -EOPNOTSUPP;
	if (arena->flags & MEMPROBE_ARENA_NODE && fake_kmod.node_err)
		return fake_kmod.node_err;
	if (fake_kmod.take_err[arena->kind])
		return fake_kmod.take_err[arena->kind];
	if (arena->bytes > fake_kmod.info.arena_max_bytes)
		return -ERANGE;
	while (id < FAKE_ARENAS && fake_kmod.base[id])
		id++;
	if (id == FAKE_ARENAS)
		return -ERANGE;
	if (arena->page_shift && arena->page_shift != fake_kmod.info.huge_shift)
		return -EOPNOTSUPP;
	unit = arena->page_shift ? 1u << arena->page_shift : PAGE;
	arena->bytes = (arena->bytes + unit - 1) / unit * unit;
	if (posix_memalign(&fake_kmod.base[id], ALIGN, arena->bytes))
		return -ENOMEM;
	fake_kmod.n_held++;
	arena->bytes -= fake_kmod.short_bytes;
	arena->id = id;
	arena->got = contig ? MEMPROBE_ARENA_CONTIG : 0;
	arena->got |= arena->flags & MEMPROBE_ARENA_UNCACHED;
	arena->got_page_shift = arena->kind == MEMPROBE_KIND_SCATTERED ? 12 :
				fake_kmod.page_shift;
	return 0;
}

static int fake_arena(struct memprobe_arena *arena)
{
	if (arena->op == MEMPROBE_ARENA_TAKE) {
		fake_kmod.taken = *arena;
		return take(arena);
	}
	if (arena->id >= FAKE_ARENAS || !fake_kmod.base[arena->id])
		return -ENOENT;
	give(arena->id);
	return 0;
}

static const void *link_ring(const struct memprobe_actor *actor)
{
	const struct mp_ring ring = {
		.length_bytes = actor->length,
		.stride_bytes = actor->stride,
		.reach_bytes = actor->reach,
		.skew_bytes = actor->skew,
	};
	uint32_t *order = calloc(mp_ring_slots(&ring), sizeof(*order));
	const void *first;
	struct mp_rng rng;

	mp_rng_seed(&rng, actor->seed);
	first = mp_ring_link(&ring, (char *)fake_kmod.base[actor->arena] +
			     actor->offset, order, &rng);
	free(order);
	return first;
}

static uint64_t ticks_of(uint64_t ns)
{
	return ns * (tick_hz() / 1000000) / 1000;
}

/* Unmeasured hops; returns how many. */
static uint64_t walk(const void **cursor, uint64_t hops, uint64_t limit_ticks)
{
	struct mp_chase chase = {
		.cursor = *cursor,
		.hops = hops,
		.limit_ticks = limit_ticks,
		.gap_ticks = UINT64_MAX,
	};

	if (hops)
		mp_chase_run(&chase);
	*cursor = chase.cursor;
	return chase.done_hops;
}

static void put_ticks(struct memprobe_sample *sample, struct memprobe_run *run,
		      uint32_t n)
{
	sample->payload_kind = MEMPROBE_PAYLOAD_TICKS;
	sample->payload_offset = run->n_ticks;
	sample->payload_count = n;
	run->n_ticks += n;
}

static void group_seen(struct memprobe_sample *sample, uint64_t ticks,
		       uint64_t gap_ticks)
{
	sample->ticks += ticks;
	if (ticks > sample->gap_max_ticks)
		sample->gap_max_ticks = ticks;
	if (ticks <= gap_ticks)
		return;
	sample->gaps++;
	sample->gap_ticks += ticks;
	sample->flags |= MEMPROBE_F_GAP;
}

static void burst_groups(const struct memprobe_actor *actor,
			 const void **cursor, struct memprobe_run *run,
			 struct memprobe_sample *sample)
{
	uint64_t *ticks = (uint64_t *)(uintptr_t)run->ticks + run->n_ticks;
	const uint32_t n = (uint32_t)(actor->hops / actor->group);

	mp_chase_groups(cursor, ticks, n, actor->group, 0, 0);
	for (uint32_t i = 0; i < n; i++)
		group_seen(sample, ticks[i], run->gap_ticks);
	sample->hops = (uint64_t)n * actor->group;
	put_ticks(sample, run, n);
}

static void burst_totals(const struct memprobe_actor *actor,
			 const void **cursor, struct memprobe_run *run,
			 struct memprobe_sample *sample)
{
	struct mp_chase chase = {
		.cursor = *cursor,
		.hops = actor->hops,
		.limit_ticks = ticks_of(run->window_ns) / 2,
		.gap_ticks = run->gap_ticks,
	};

	mp_chase_run(&chase);
	*cursor = chase.cursor;
	sample->hops = chase.done_hops;
	sample->ticks = chase.ticks;
	sample->gaps = chase.gaps;
	sample->gap_ticks = chase.lost_ticks;
	sample->gap_max_ticks = chase.look_max_ticks;
	sample->flags = chase.gaps ? MEMPROBE_F_GAP : 0;
}

static void burst_steps(struct memprobe_run *run,
			struct memprobe_sample *sample)
{
	uint64_t *ticks = (uint64_t *)(uintptr_t)run->ticks + run->n_ticks;
	uint32_t n = 0;

	for (uint32_t i = 0; i < run->n_steps; i++)
		if (fake_kmod.steps[i] % 4 == MEMPROBE_STEP_TIME)
			ticks[n++] = TIMED_TICKS + i;
	sample->hops = run->n_steps;
	sample->ticks = 100ull * run->n_steps;
	put_ticks(sample, run, n);
}

static void burst(const struct memprobe_actor *actor, const void **cursor,
		  struct memprobe_run *run, struct memprobe_sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	sample->warm_hops = walk(cursor, actor->rewarm_hops,
				 ticks_of(run->window_ns) / 2);
	sample->start_ns = mp_user_now_ns();
	if (actor->op == MEMPROBE_OP_SEQUENCE)
		burst_steps(run, sample);
	else if (actor->group)
		burst_groups(actor, cursor, run, sample);
	else
		burst_totals(actor, cursor, run, sample);
	sample->place = actor->cpu;
	sample->cpu_end = actor->cpu;
	sample->bytes = actor->length;
	sample->valid = 1ull << MEMPROBE_VALID_START |
			1ull << MEMPROBE_VALID_GAPS |
			1ull << MEMPROBE_VALID_CPU_END;
	if (fake_kmod.busy_known)
		sample->valid |= 1ull << MEMPROBE_SLOT_BUSY;
	sample->counter[MEMPROBE_SLOT_BUSY] = fake_kmod.busy_ns;
}

static void run_all(const struct memprobe_actor *actor, uint64_t gap,
		    struct memprobe_run *run)
{
	struct memprobe_sample *sample =
		(struct memprobe_sample *)(uintptr_t)run->samples;
	const void *cursor = link_ring(actor);

	run->n_ticks = 0;
	run->gap_ticks = gap;
	run->n_samples = actor->bursts;
	if (run->n_samples > fake_kmod.stop_after) {
		run->n_samples = fake_kmod.stop_after;
		run->stop = fake_kmod.stop;
	}
	walk(&cursor, actor->warm_hops, 0);
	for (uint32_t i = 0; i < run->n_samples; i++) {
		burst(actor, &cursor, run, &sample[i]);
		sample[i].burst = (uint16_t)i;
	}
	run->got = run->flags | fake_kmod.run_got;
}

/*
 * What runs it here does as it likes, as nobody does inside a quiet window:
 * what may go unnoticed is less than what a window may be overrun by.
 */
static uint64_t gap_ticks_of(uint64_t window_ns)
{
	const uint64_t most_ns = window_ns / MP_WINDOW_OVER_PART;

	return ticks_of(most_ns < 20000 ? most_ns : 20000);
}

static int fake_run(struct memprobe_run *run)
{
	const struct memprobe_actor *actor =
		(const struct memprobe_actor *)(uintptr_t)run->actors;
	const uint32_t n = fake_kmod.n_runs++;

	if (run->flags & fake_kmod.run_deny)
		return -EPERM;
	if (n < FAKE_ANSWERS && fake_kmod.run_err[n])
		return fake_kmod.run_err[n];
	fake_kmod.run = *run;
	fake_kmod.actor = *actor;
	if (!fake_kmod.first_bursts)
		fake_kmod.first_bursts = actor->bursts;
	if (run->n_steps)
		memcpy(fake_kmod.steps, (const void *)(uintptr_t)run->steps,
		       run->n_steps * sizeof(fake_kmod.steps[0]));
	if (actor->arena >= FAKE_ARENAS || !fake_kmod.base[actor->arena])
		return -ENOENT;
	if (run->window_ns < fake_kmod.info.window_min_ns ||
	    run->window_ns > fake_kmod.info.window_max_ns ||
	    run->n_samples < actor->bursts)
		return -ERANGE;
	if (actor->op == MEMPROBE_OP_SEQUENCE &&
	    (actor->warm_hops || actor->rewarm_hops || actor->hops))
		return -EINVAL;
	run_all(actor, n < FAKE_ANSWERS && fake_kmod.gap_ticks[n] ?
		       fake_kmod.gap_ticks[n] : gap_ticks_of(run->window_ns),
		run);
	return 0;
}

static int fake_call(int fd, unsigned long command, void *arg)
{
	if (fd != FD || !fake_kmod.n_open)
		return -EBADF;
	switch (command) {
	case MEMPROBE_INFO:
		if (fake_kmod.info_err)
			return fake_kmod.info_err;
		memcpy(arg, &fake_kmod.info, sizeof(fake_kmod.info));
		return 0;
	case MEMPROBE_ARENA:
		return fake_arena(arg);
	case MEMPROBE_RUN:
		return fake_run(arg);
	default:
		return -ENOTTY;
	}
}

static void fake_nap(uint64_t ns)
{
	(void)ns;
	fake_kmod.n_naps++;
}

static const struct mp_kmod_way way = {
	.open = fake_open,
	.call = fake_call,
	.close = fake_close,
	.nap = fake_nap,
};

static struct memprobe_info usual_info(void)
{
	return (struct memprobe_info){
		.size = sizeof(struct memprobe_info),
		.ops = 1u << MEMPROBE_OP_CHASE | 1u << MEMPROBE_OP_SEQUENCE,
		.kinds = 1u << MEMPROBE_KIND_CONTIG |
			 1u << MEMPROBE_KIND_HUGE |
			 1u << MEMPROBE_KIND_SCATTERED,
		.arena_flags = MEMPROBE_ARENA_NODE | MEMPROBE_ARENA_UNCACHED,
		.run_flags = MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF |
			     MEMPROBE_RUN_PREFETCH_OFF,
		.clock = MEMPROBE_CLOCK_TSC,
		.sample_size = sizeof(struct memprobe_sample),
		.tick_hz = tick_hz(),
		.empty_millis = 20000,
		.look_millis = 10000,
		.window_default_ns = 200000,
		.window_min_ns = 10000,
		.window_max_ns = 10000000,
		.call_max_ns = 1000000000,
		.duty_percent = 50,
		.arenas_max = FAKE_ARENAS,
		.arena_max_bytes = 256ull << 20,
		.total_max_bytes = 512ull << 20,
		.uncached_min_bytes = 2ull << 20,
		.page_shift_max = 21,
		.actors_max = 1,
		.events_max = MEMPROBE_EVENTS,
		.bursts_max = 4096,
		.hops_max = 1ull << 32,
		.ring_slots_max = 1u << 27,
		.steps_max = MP_EXP_STEPS,
		.visits_max = 16,
		.ticks_max = 1u << 17,
		.group_max = 1u << 16,
		.cpus = 1,
		.page_shift = 12,
		.huge_shift = 21,
	};
}

void fake_kmod_load(void)
{
	for (uint32_t i = 0; i < FAKE_ARENAS; i++)
		free(fake_kmod.base[i]);
	memset(&fake_kmod, 0, sizeof(fake_kmod));
	fake_kmod.info = usual_info();
	fake_kmod.page_shift = 21;
	fake_kmod.busy_known = true;
	fake_kmod.stop_after = UINT32_MAX;
	mp_kmod_way = &way;
}
