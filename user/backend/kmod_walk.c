// SPDX-License-Identifier: GPL-2.0
/*
 * The calls that one experiment takes. The module bounds what one call may
 * do in time, bursts and words; what is left is asked for again, until the
 * whole batch has taken its time.
 */
#include "kmod_walk.h"

#include <errno.h>

#include "user_place.h"
#include "why.h"

static void fill_run(const struct mp_kmod_walk *walk,
		     struct memprobe_actor *actor, uint32_t bursts,
		     struct memprobe_run *run)
{
	const struct mp_kmod_plan *plan = walk->plan;

	*actor = plan->actor;
	actor->arena = walk->arena;
	actor->seed = walk->seed;
	actor->bursts = bursts;
	*run = (struct memprobe_run){
		.size = sizeof(*run),
		.flags = plan->flags,
		.cookie = walk->seed,
		.window_ns = plan->window_ns,
		.actors = (uintptr_t)actor,
		.n_actors = 1,
		.actor_size = sizeof(*actor),
		.steps = (uintptr_t)plan->steps,
		.n_steps = plan->n_steps,
		.n_ticks = plan->burst_ticks * bursts,
		.samples = (uintptr_t)walk->note->sample,
		.n_samples = bursts,
		.sample_stride = sizeof(*walk->note->sample),
	};
	if (run->n_ticks)
		run->ticks = (uintptr_t)walk->note->ticks;
}

/* What holds for a batch is what held in each of its calls. */
static void learn(struct mp_kmod_walk *walk, const struct memprobe_run *run)
{
	if (!run->n_samples)
		return;
	walk->got = walk->calls ? walk->got & run->got : run->got;
	if (!walk->calls || run->gap_ticks < walk->gap_ticks)
		walk->gap_ticks = run->gap_ticks;
	walk->calls++;
}

/* One call; its samples go into the batch. */
static int call_once(struct mp_kmod_walk *walk, uint16_t round, uint32_t done,
		     struct memprobe_run *run, struct mp_batch *batch,
		     char *why, size_t room)
{
	const uint32_t bursts = mp_kmod_plan_bursts(walk->plan,
						    walk->bursts - done);
	struct memprobe_actor actor;
	const struct mp_kmod_call call = {
		.plan = walk->plan,
		.clock = walk->clock,
		.run = run,
		.start_ns = mp_user_now_ns(),
		.round = round,
		.before = done,
		.bursts = bursts,
	};
	int err;

	fill_run(walk, &actor, bursts, run);
	err = mp_kmod_dev_run(walk->dev, run, why, room);
	if (err) {
		run->n_samples = 0;
		return err;
	}
	learn(walk, run);
	return mp_kmod_note_give(walk->note, &call, batch, why, room);
}

/* Ended before its time: is what there is enough? */
static int end_early(struct mp_kmod_walk *walk, const struct mp_batch *batch,
		     int err, const char *what, char *why, size_t room)
{
	walk->ended = true;
	return batch->n_samples ? 0 : mp_why(why, room, err, "run: %s", what);
}

/* Why did the call end, and what follows from it? */
static int heed_stop(struct mp_kmod_walk *walk, const struct memprobe_run *run,
		     const struct mp_batch *batch, char *why, size_t room)
{
	switch (run->stop) {
	case MEMPROBE_STOP_SIGNAL:
		return end_early(walk, batch, -EINTR, "interrupted", why,
				 room);
	case MEMPROBE_STOP_HOTPLUG:
		return mp_why(why, room, -ENXIO, "run: CPU %u went offline "
			      "meanwhile: choose another with --cpu",
			      walk->plan->actor.cpu);
	case MEMPROBE_STOP_MOVED:
		return mp_why(why, room, -EAGAIN, "run: somebody has moved "
			      "this program away from CPU %u: see to its "
			      "cpuset", walk->plan->actor.cpu);
	case MEMPROBE_STOP_DONE:
		if (!run->n_samples)
			return mp_why(why, room, -EIO, "run: done, and not "
				      "one sample came");
		break;
	case MEMPROBE_STOP_TIME:
		break;
	default:
		return mp_why(why, room, -EIO, "run: it ended for a reason "
			      "that this program does not know (%u)",
			      run->stop);
	}
	if (run->n_samples && mp_user_now_ns() < walk->late_ns)
		return 0;
	return end_early(walk, batch, -EAGAIN, "time was up before the first "
			 "burst", why, room);
}

int mp_kmod_walk_round(struct mp_kmod_walk *walk, uint16_t round,
		       struct mp_batch *batch, char *why, size_t room)
{
	struct memprobe_run run;
	uint32_t done = 0;
	int err = 0;

	while (!err && !walk->ended && done < walk->bursts) {
		err = call_once(walk, round, done, &run, batch, why, room);
		done += run.n_samples;
		if (err == -EINTR)
			return end_early(walk, batch, err, "interrupted", why,
					 room);
		if (!err)
			err = heed_stop(walk, &run, batch, why, room);
	}
	return err;
}
