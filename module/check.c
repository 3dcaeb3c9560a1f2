// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of the UAPI, one field after the other. Out of range is refused,
 * never clamped. Limits are compared before anything is computed with a
 * number, so nothing can wrap.
 */
#include "check.h"
#include "core/steps.h"
#include "limits.h"

#define NS_PER_S 1000000000ull

/* Bit @value of @set; false for a value beyond it. */
static bool has(__u32 set, __u32 value)
{
	return value < 32 && (set >> value & 1);
}

int mp_check_info(const struct memprobe_info *info)
{
	return info->flags ? -EOPNOTSUPP : 0;
}

static int check_give(const struct memprobe_arena *arena)
{
	if (arena->kind || arena->bytes || arena->node || arena->page_shift)
		return -EINVAL;
	return 0;
}

static int check_page_shift(const struct memprobe_arena *arena,
			    const struct memprobe_info *have)
{
	const __u32 shift = arena->page_shift;

	if (!shift)
		return 0;
	if (shift < have->page_shift)
		return -EINVAL;
	if (shift > have->page_shift_max)
		return -ERANGE;
	switch (arena->kind) {
	case MEMPROBE_KIND_CONTIG:
		return 0;
	case MEMPROBE_KIND_HUGE:
		return shift == have->huge_shift ? 0 : -EOPNOTSUPP;
	default:
		return shift == have->page_shift ? 0 : -EOPNOTSUPP;
	}
}

static int check_node(const struct memprobe_arena *arena)
{
	if (!(arena->flags & MEMPROBE_ARENA_NODE))
		return arena->node ? -EINVAL : 0;
	if (arena->node < 0)
		return -EINVAL;
	/* No exported function makes huge vmalloc memory on a node. */
	return arena->kind == MEMPROBE_KIND_HUGE ? -EOPNOTSUPP : 0;
}

static int check_take(const struct memprobe_arena *arena,
		      const struct memprobe_info *have)
{
	int err;

	if (!has(have->kinds, arena->kind))
		return -EOPNOTSUPP;
	if (arena->id || !arena->bytes)
		return -EINVAL;
	if (arena->bytes > have->arena_max_bytes)
		return -ERANGE;
	if (arena->kind == MEMPROBE_KIND_CONTIG &&
	    arena->bytes > have->contig_max_bytes)
		return -ERANGE;
	err = check_node(arena);
	if (err)
		return err;
	if (arena->flags & MEMPROBE_ARENA_UNCACHED) {
		if (arena->kind != MEMPROBE_KIND_CONTIG)
			return -EOPNOTSUPP;
		if (arena->bytes < have->uncached_min_bytes)
			return -ERANGE;
	}
	return check_page_shift(arena, have);
}

int mp_check_arena(const struct memprobe_arena *arena,
		   const struct memprobe_info *have)
{
	if (arena->reserved ||
	    (arena->flags & ~(have->arena_flags & MP_ARENA_SETTABLE)))
		return -EOPNOTSUPP;
	switch (arena->op) {
	case MEMPROBE_ARENA_TAKE:
		return check_take(arena, have);
	case MEMPROBE_ARENA_GIVE:
		return arena->flags ? -EINVAL : check_give(arena);
	default:
		return -EOPNOTSUPP;
	}
}

static int check_quiet(__u32 flags)
{
	if ((flags & MEMPROBE_RUN_IRQ_OFF) &&
	    !(flags & MEMPROBE_RUN_PREEMPT_OFF))
		return -EINVAL;
	if ((flags & MEMPROBE_RUN_PREFETCH_OFF) &&
	    !(flags & MEMPROBE_RUN_IRQ_OFF))
		return -EINVAL;
	return 0;
}

static int check_sample_stride(const struct memprobe_run *run)
{
	const __u32 stride = mp_run_stride(run);

	if (stride < sizeof(struct memprobe_sample) ||
	    stride > MP_SAMPLE_STRIDE_MAX || stride % 8)
		return -EINVAL;
	return 0;
}

static int check_sizes(const struct memprobe_run *run)
{
	if (run->actor_size < sizeof(struct memprobe_actor) ||
	    run->actor_size % 8)
		return -EINVAL;
	if (run->actor_size > MP_STRUCT_MAX)
		return -E2BIG;
	if (!run->n_events)
		return 0;
	if (run->event_size < sizeof(struct memprobe_event) ||
	    run->event_size % 8)
		return -EINVAL;
	return run->event_size > MP_STRUCT_MAX ? -E2BIG : 0;
}

int mp_check_run(const struct memprobe_run *run,
		 const struct memprobe_info *have)
{
	int err;

	if (run->reserved ||
	    (run->flags & ~(have->run_flags & MP_RUN_SETTABLE)))
		return -EOPNOTSUPP;
	if (run->window_ns && (run->window_ns < have->window_min_ns ||
			       run->window_ns > have->window_max_ns))
		return -ERANGE;
	if (!run->n_actors)
		return -EINVAL;
	if (run->n_actors > have->actors_max ||
	    run->n_events > have->events_max ||
	    run->n_steps > have->steps_max ||
	    run->n_ticks > have->ticks_max)
		return -ERANGE;
	err = check_quiet(run->flags);
	if (err)
		return err;
	err = check_sizes(run);
	if (err)
		return err;
	return check_sample_stride(run);
}

__u32 mp_run_stride(const struct memprobe_run *run)
{
	return run->sample_stride ? run->sample_stride :
				    sizeof(struct memprobe_sample);
}

struct mp_ring mp_actor_ring(const struct memprobe_actor *actor)
{
	const struct mp_ring ring = {
		.length_bytes = actor->length,
		.stride_bytes = actor->stride,
		.reach_bytes = actor->reach,
		.skew_bytes = actor->skew,
	};

	return ring;
}

__u32 mp_actor_slots(const struct memprobe_actor *actor)
{
	return (__u32)(actor->length / actor->stride);
}

static int check_chase(const struct memprobe_actor *actor,
		       const struct memprobe_run *run,
		       const struct memprobe_info *have)
{
	const __u64 window_ns = run->window_ns ? run->window_ns :
						 have->window_default_ns;
	struct mp_window window;
	__u64 groups;

	if (run->n_steps || !actor->hops)
		return -EINVAL;
	if (actor->hops > have->hops_max ||
	    actor->warm_hops > have->hops_max ||
	    actor->rewarm_hops > have->hops_max ||
	    actor->group > have->group_max)
		return -ERANGE;
	if (!actor->group)
		return 0;
	/* At a tick a nanosecond: whether so many hops fit in time. */
	mp_window_make(&window, window_ns, NS_PER_S);
	if (actor->group > mp_window_group_max(&window))
		return -ERANGE;
	groups = actor->hops / actor->group;
	if (!groups || groups > run->n_ticks ||
	    groups * actor->bursts > run->n_ticks)
		return -EINVAL;
	return 0;
}

static int check_sequence(const struct memprobe_actor *actor,
			  const struct memprobe_run *run)
{
	if (!run->n_steps || actor->hops || actor->group || actor->reach ||
	    actor->skew || actor->warm_hops || actor->rewarm_hops)
		return -EINVAL;
	return actor->stride % MP_STEPS_SLOT ? -EINVAL : 0;
}

/* The ring is whole, and not of too many slots. */
static int check_ring(const struct memprobe_actor *actor,
		      const struct memprobe_info *have)
{
	const struct mp_ring ring = mp_actor_ring(actor);
	int err;

	if (actor->offset % MP_STEPS_SLOT)
		return -EINVAL;
	if (actor->offset + actor->length < actor->offset)
		return -EOVERFLOW;
	err = mp_ring_check(&ring);
	if (err)
		return err == -E2BIG ? -ERANGE : err;
	return mp_actor_slots(actor) > have->ring_slots_max ? -ERANGE : 0;
}

int mp_check_actor(const struct memprobe_actor *actor,
		   const struct memprobe_run *run,
		   const struct memprobe_info *have)
{
	int err;

	if (actor->size != run->actor_size)
		return -EINVAL;
	if (actor->flags || actor->phase || !has(have->ops, actor->op))
		return -EOPNOTSUPP;
	if (!actor->bursts)
		return -EINVAL;
	if (actor->bursts > have->bursts_max)
		return -ERANGE;
	if (run->n_samples < actor->bursts)
		return -EINVAL;
	err = check_ring(actor, have);
	if (err)
		return err;
	if (actor->op == MEMPROBE_OP_CHASE)
		return check_chase(actor, run, have);
	return check_sequence(actor, run);
}

int mp_check_event(const struct memprobe_event *event)
{
	return event->reserved ? -EOPNOTSUPP : 0;
}

int mp_check_steps(const struct memprobe_actor *actor,
		   const struct memprobe_run *run, const __u32 *step,
		   __u8 *visits)
{
	const struct mp_steps steps = {
		.stride = actor->stride,
		.slots = mp_actor_slots(actor),
		.step = step,
		.n = run->n_steps,
		.visits = visits,
	};
	const int err = mp_steps_check(&steps);
	__u64 timed;

	if (err)
		return err;
	timed = mp_steps_timed(step, run->n_steps);
	return timed * actor->bursts > run->n_ticks ? -EINVAL : 0;
}

int mp_check_span(const struct memprobe_actor *actor, __u64 arena_bytes,
		  __u32 got)
{
	if (actor->offset + actor->length > arena_bytes)
		return -EINVAL;
	/* A caller's own order could go to and fro between two rows. */
	if ((got & MEMPROBE_ARENA_UNCACHED) &&
	    (actor->op != MEMPROBE_OP_CHASE || actor->reach ||
	     actor->length < MP_UNCACHED_MIN_BYTES ||
	     mp_actor_slots(actor) < MP_UNCACHED_MIN_SLOTS))
		return -EOPNOTSUPP;
	return 0;
}
