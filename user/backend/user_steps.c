// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences: each burst is the whole list of steps once, walked by the loop
 * that the kernel module uses too. There is no warm-up but the steps, so
 * what is a gap is known only when all bursts are made.
 */
#include "user_steps.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "arch.h"
#include "gap.h"
#include "user_note.h"
#include "user_rules.h"
#include "window.h"

/* A timed step is one load and two reads of the clock: longer than two of the
 * dearest loads, and somebody else had the CPU. */
#define STEP_GAP_NS (2 * MP_WINDOW_HOP_NS)
/* The wait before a burst spans so many steps of the clock, so that where in
 * a step it begins is as good as random .. */
#define WAIT_STEPS 4
/* .. and a turn of the waiting loop takes a cycle of the fastest clocks. */
#define WAIT_PER_NS 6

/* Keeps the loop, and touches no memory. */
static void wait_turns(uint64_t turns)
{
	while (turns--)
		__asm__ volatile("");
}

static uint64_t most_turns(const struct mp_user_clock *clock)
{
	const double step_ns = (double)clock->step_ticks * 1e9 / clock->hz;

	return 1 + (uint64_t)(step_ns * WAIT_STEPS * WAIT_PER_NS);
}

static void run_burst(struct mp_user_steps *run, uint64_t turns,
		      struct mp_user_burst *burst)
{
	struct mp_chase *chase = &burst->chase;

	if (!run->once || !run->first)
		run->first = mp_steps_link(&run->steps);
	*chase = (struct mp_chase){ 0 };
	/* What was laid is to have left the core before the first step. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	wait_turns(mp_rng_below(&run->rng, turns));
	burst->cpu = (uint32_t)sched_getcpu();
	chase->start_tick = mp_ticks_look();
	chase->done_hops = mp_steps_run(run->first,
			mp_user_clock_ticks(run->clock, run->window_ns),
			&chase->ticks);
	burst->end_tick = mp_ticks_look();
	burst->cpu_end = (uint32_t)sched_getcpu();
	burst->warm_hops = 0;
	burst->cold = false;
}

/* The ticks of timed steps, and the gaps among them. */
static int keep_steps(struct mp_user_steps *run,
		      const struct mp_user_notes *notes,
		      struct mp_user_burst *burst, struct mp_batch *batch)
{
	const uint64_t gap_ticks = mp_user_clock_ticks(run->clock,
						       STEP_GAP_NS);
	struct mp_chase *chase = &burst->chase;
	uint32_t n = 0;

	if (notes->groups)
		n = mp_steps_collect(&run->steps, (uint32_t)chase->done_hops,
				     notes->ticks);
	if (run->once)
		mp_steps_flush(&run->steps, (uint32_t)chase->done_hops);
	for (uint32_t i = 0; i < n; i++) {
		if (notes->ticks[i] > chase->look_max_ticks)
			chase->look_max_ticks = notes->ticks[i];
		if (notes->ticks[i] <= gap_ticks)
			continue;
		chase->lost_ticks += notes->ticks[i];
		chase->gaps++;
	}
	return mp_user_payload_keep(notes->ticks, n,
				    mp_user_rules_steps_detail(run->actor),
				    notes->pair, batch, &burst->payload);
}

/* Gaps beside the timed steps: bursts far longer than most of the round. */
static void find_gaps(struct mp_user_steps *run, struct mp_user_notes *notes)
{
	const uint64_t step_ticks = mp_user_clock_ticks(run->clock,
							STEP_GAP_NS);
	const uint32_t of = notes->n < MP_GAP_LOOKS ? notes->n : MP_GAP_LOOKS;
	uint64_t ticks[MP_GAP_LOOKS], most, least;
	uint32_t n = 0;

	if (!notes->n)
		return;
	for (; n < of; n++)
		ticks[n] = notes->burst[n * (uint64_t)notes->n / of].chase.ticks;
	most = mp_gap_ticks(ticks, n, mp_user_clock_ticks(run->clock, 500));
	least = most < step_ticks ? most : step_ticks;
	if (!run->gap_ticks || least < run->gap_ticks)
		run->gap_ticks = least;
	for (uint32_t i = 0; i < notes->n; i++) {
		struct mp_chase *chase = &notes->burst[i].chase;

		if (chase->gaps || chase->ticks <= most)
			continue;
		chase->gaps = 1;
		chase->lost_ticks = chase->ticks - most / 2;
		chase->look_max_ticks = chase->ticks;
	}
}

static bool late(const struct mp_user_steps *run)
{
	return (int64_t)(mp_ticks_look() - run->late_tick) > 0;
}

static int run_bursts(struct mp_user_steps *run, struct mp_user_notes *notes,
		      struct mp_batch *batch)
{
	const uint64_t turns = most_turns(run->clock);
	int err = 0;

	for (uint32_t i = 0; i < run->actor->bursts && !err; i++) {
		if (i && late(run))
			break;
		run_burst(run, turns, &notes->burst[i]);
		err = keep_steps(run, notes, &notes->burst[i], batch);
		notes->n = i + 1;
	}
	return err;
}

int mp_user_steps_make(struct mp_user_steps *run,
		       const struct mp_user_clock *clock,
		       const struct mp_actor *actor,
		       const struct mp_batch *batch,
		       const struct mp_user_arena *arena, uint64_t seed,
		       uint64_t late_tick)
{
	const uint32_t slots = (uint32_t)(actor->length / actor->stride);

	*run = (struct mp_user_steps){
		.clock = clock,
		.actor = actor,
		.index = (uint32_t)(actor - batch->exp.actor),
		.once = batch->exp.n_actors > 1,
		.window_ns = batch->exp.window_ns,
		.late_tick = late_tick,
		.steps = {
			.base = arena->base + actor->offset,
			.stride = actor->stride,
			.slots = slots,
			.step = batch->exp.steps,
			.n = batch->exp.n_steps,
		},
	};
	if (actor->offset + actor->length > arena->bytes)
		return -EINVAL;
	run->steps.visits = calloc(slots, sizeof(*run->steps.visits));
	if (!run->steps.visits)
		return -ENOMEM;
	mp_rng_seed(&run->rng, seed);
	return mp_steps_check(&run->steps);
}

void mp_user_steps_free(struct mp_user_steps *run)
{
	free(run->steps.visits);
}

int mp_user_steps_round(struct mp_user_steps *run, uint16_t round,
			struct mp_batch *batch)
{
	const struct mp_user_about about = {
		.clock = run->clock,
		.actor = run->actor,
		.hops = run->steps.n,
		.index = run->index,
		.round = round,
		.window_ticks = mp_user_clock_ticks(run->clock,
						    run->window_ns),
	};
	const uint32_t timed = mp_steps_timed(run->steps.step, run->steps.n);
	struct mp_user_usage before;
	struct mp_user_notes notes;
	int err;

	err = mp_user_notes_make(&notes, run->actor->bursts);
	if (err)
		return err;
	if (timed)
		err = mp_user_notes_groups(&notes, timed);
	if (!run->uncounted)
		before = mp_user_usage_now();
	if (!err)
		err = run_bursts(run, &notes, batch);
	notes.usage = run->uncounted ? MP_USER_USAGE_UNKNOWN :
				       mp_user_usage_since(&before);
	find_gaps(run, &notes);
	if (!err)
		err = mp_user_notes_give(&notes, &about, batch);
	mp_user_notes_free(&notes);
	return err;
}
