// SPDX-License-Identifier: GPL-2.0
/*
 * An experiment in the words of the module. Fields go over one by one; what
 * the module has a narrower rule for than experiments have is refused here,
 * by name, before any memory is taken.
 */
#include "kmod_plan.h"

#include <errno.h>
#include <inttypes.h>

#include "why.h"

/* Spans begin, and slots of a sequence lie, at multiples of this. */
#define LINE 64u

/* Where a refusal goes. */
struct reason {
	char *why;
	size_t room;
};

static int check_most(const struct reason *reason, const char *name,
		      uint64_t value, uint64_t most)
{
	if (value <= most)
		return 0;
	return mp_why(reason->why, reason->room, -EOPNOTSUPP,
		      "%s %" PRIu64 ": the module allows %" PRIu64, name,
		      value, most);
}

static int check_multiple(const struct reason *reason, const char *name,
			  uint64_t value)
{
	if (value % LINE == 0)
		return 0;
	return mp_why(reason->why, reason->room, -EOPNOTSUPP,
		      "%s %" PRIu64 ": the module wants a multiple of %u",
		      name, value, LINE);
}

static int check_none(const struct reason *reason, const char *name,
		      uint64_t value)
{
	if (!value)
		return 0;
	return mp_why(reason->why, reason->room, -EOPNOTSUPP,
		      "%s %" PRIu64 ": the module allows 0 here", name, value);
}

static int check_window(const struct reason *reason, uint64_t window_ns,
			const struct memprobe_info *info)
{
	if (window_ns >= info->window_min_ns &&
	    window_ns <= info->window_max_ns)
		return 0;
	return mp_why(reason->why, reason->room, -EOPNOTSUPP,
		      "window_ns %" PRIu64 ": the module allows %" PRIu64
		      " to %" PRIu64, window_ns,
		      (uint64_t)info->window_min_ns,
		      (uint64_t)info->window_max_ns);
}

static int plan_chase(struct mp_kmod_plan *plan, const struct mp_exp *exp,
		      const struct memprobe_info *info,
		      const struct reason *reason, uint64_t *ticks)
{
	const struct mp_actor *actor = &exp->actor[0];
	const uint64_t slots = actor->length / actor->stride;
	int err;

	err = check_none(reason, "steps of a chase", exp->n_steps);
	if (!err)
		err = check_most(reason, "hops", actor->hops, info->hops_max);
	if (!err && actor->detail != MP_DETAIL_TOTALS)
		err = check_most(reason, "group", actor->group,
				 info->group_max);
	if (err)
		return err;
	plan->actor.op = MEMPROBE_OP_CHASE;
	plan->actor.hops = actor->hops;
	plan->actor.rewarm_hops = actor->warm_hops < slots ?
				  actor->warm_hops : slots;
	plan->burst_detail = actor->detail;
	if (actor->detail == MP_DETAIL_TOTALS)
		return 0;
	plan->actor.group = actor->group;
	*ticks = actor->hops / actor->group;
	return 0;
}

/* The most visits to one slot. */
static uint32_t visits_of(const struct mp_exp *exp)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < exp->n_steps; i++) {
		uint32_t visits = 0;

		for (uint32_t k = 0; k < exp->n_steps; k++)
			visits += exp->steps[k] >> 2 == exp->steps[i] >> 2;
		if (visits > most)
			most = visits;
	}
	return most;
}

static int check_sequence(const struct mp_exp *exp,
			  const struct memprobe_info *info,
			  const struct reason *reason)
{
	const struct mp_actor *actor = &exp->actor[0];
	int err;

	err = check_multiple(reason, "stride of a sequence", actor->stride);
	if (!err)
		err = check_none(reason, "reach of a sequence", actor->reach);
	if (!err)
		err = check_none(reason, "skew of a sequence", actor->skew);
	if (!err)
		err = check_none(reason, "warm_hops of a sequence",
				 actor->warm_hops);
	if (!err)
		err = check_most(reason, "steps", exp->n_steps,
				 info->steps_max);
	if (!err)
		err = check_most(reason, "visits to one slot", visits_of(exp),
				 info->visits_max);
	return err;
}

/* A burst is all steps once: they are their own warm-up. */
static int plan_sequence(struct mp_kmod_plan *plan, const struct mp_exp *exp,
			 const struct memprobe_info *info,
			 const struct reason *reason, uint64_t *ticks)
{
	const int err = check_sequence(exp, info, reason);

	if (err)
		return err;
	plan->actor.op = MEMPROBE_OP_SEQUENCE;
	plan->steps = exp->steps;
	plan->n_steps = exp->n_steps;
	for (uint32_t i = 0; i < exp->n_steps; i++)
		*ticks += exp->steps[i] % 4 == MEMPROBE_STEP_TIME;
	plan->burst_detail = exp->actor[0].detail == MP_DETAIL_HIST ?
			     MP_DETAIL_HIST : MP_DETAIL_TICKS;
	return 0;
}

static int plan_op(struct mp_kmod_plan *plan, const struct mp_exp *exp,
		   const struct memprobe_info *info,
		   const struct reason *reason, uint64_t *ticks)
{
	const uint32_t op = exp->actor[0].op;

	if (op == MP_OP_CHASE)
		return plan_chase(plan, exp, info, reason, ticks);
	if (op == MP_OP_SEQUENCE && info->ops & 1u << MEMPROBE_OP_SEQUENCE)
		return plan_sequence(plan, exp, info, reason, ticks);
	return mp_why(reason->why, reason->room, -EOPNOTSUPP,
		      "op %s: the module has not got it", mp_op_name(op));
}

/* So many bursts that their ticks have room. */
static int fit_calls(struct mp_kmod_plan *plan, uint64_t ticks,
		     const struct memprobe_info *info,
		     const struct reason *reason)
{
	const int err = check_most(reason, "ticks of a burst", ticks,
				   info->ticks_max);

	if (err)
		return err;
	plan->burst_ticks = (uint32_t)ticks;
	plan->call_bursts = info->bursts_max;
	if (ticks && info->ticks_max / ticks < plan->call_bursts)
		plan->call_bursts = (uint32_t)(info->ticks_max / ticks);
	return 0;
}

int mp_kmod_plan_make(struct mp_kmod_plan *plan, const struct mp_exp *exp,
		      const struct memprobe_info *info, uint32_t flags,
		      char *why, size_t room)
{
	const struct mp_actor *actor = &exp->actor[0];
	const struct reason reason = { why, room };
	uint64_t ticks = 0;
	int err;

	*plan = (struct mp_kmod_plan){
		.actor = {
			.size = sizeof(plan->actor),
			.cpu = actor->place,
			.offset = actor->offset,
			.length = actor->length,
			.stride = actor->stride,
			.reach = actor->reach,
			.skew = actor->skew,
			.warm_hops = actor->warm_hops,
		},
		.flags = flags,
		.window_ns = exp->window_ns,
	};
	err = check_multiple(&reason, "offset", actor->offset);
	if (!err)
		err = check_window(&reason, exp->window_ns, info);
	if (!err)
		err = check_most(&reason, "slots",
				 actor->length / actor->stride,
				 info->ring_slots_max);
	if (!err)
		err = plan_op(plan, exp, info, &reason, &ticks);
	return err ? err : fit_calls(plan, ticks, info, &reason);
}

uint32_t mp_kmod_plan_bursts(const struct mp_kmod_plan *plan, uint32_t left)
{
	return left < plan->call_bursts ? left : plan->call_bursts;
}
