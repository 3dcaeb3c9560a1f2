// SPDX-License-Identifier: GPL-2.0
/*
 * An experiment in the words of the module. Fields go over one by one; what
 * the module has a narrower rule for than experiments have is refused here,
 * by name, before any memory is taken.
 */
#include "kmod_plan.h"

#include <errno.h>
#include <inttypes.h>

#include "steps.h"
#include "user_rules.h"
#include "why.h"

static int check_window(const struct mp_user_rules *rules, uint64_t window_ns,
			const struct memprobe_info *info)
{
	if (window_ns >= info->window_min_ns &&
	    window_ns <= info->window_max_ns)
		return 0;
	return mp_why(rules->why, rules->room, -EOPNOTSUPP,
		      "window_ns %" PRIu64 ": the module allows %" PRIu64
		      " to %" PRIu64, window_ns,
		      (uint64_t)info->window_min_ns,
		      (uint64_t)info->window_max_ns);
}

static int plan_chase(struct mp_kmod_plan *plan, const struct mp_exp *exp,
		      const struct memprobe_info *info,
		      const struct mp_user_rules *rules, uint64_t *ticks)
{
	const struct mp_actor *actor = &exp->actor[0];
	const uint64_t slots = actor->length / actor->stride;
	int err;

	err = mp_user_rules_none(rules, "steps of a chase", exp->n_steps);
	if (!err)
		err = mp_user_rules_most(rules, "hops", actor->hops,
					 info->hops_max);
	if (!err && actor->detail != MP_DETAIL_TOTALS)
		err = mp_user_rules_most(rules, "group", actor->group,
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

/* A burst is all steps once: they are their own warm-up. */
static int plan_sequence(struct mp_kmod_plan *plan, const struct mp_exp *exp,
			 const struct memprobe_info *info,
			 const struct mp_user_rules *rules, uint64_t *ticks)
{
	const int err = mp_user_rules_sequence(rules, exp, info->steps_max,
					       info->visits_max);

	if (err)
		return err;
	plan->actor.op = MEMPROBE_OP_SEQUENCE;
	plan->steps = exp->steps;
	plan->n_steps = exp->n_steps;
	*ticks = mp_steps_timed(exp->steps, exp->n_steps);
	plan->burst_detail = mp_user_rules_steps_detail(&exp->actor[0]);
	return 0;
}

static int plan_op(struct mp_kmod_plan *plan, const struct mp_exp *exp,
		   const struct memprobe_info *info,
		   const struct mp_user_rules *rules, uint64_t *ticks)
{
	const uint32_t op = exp->actor[0].op;

	if (op == MP_OP_CHASE)
		return plan_chase(plan, exp, info, rules, ticks);
	if (op == MP_OP_SEQUENCE && info->ops & 1u << MEMPROBE_OP_SEQUENCE)
		return plan_sequence(plan, exp, info, rules, ticks);
	return mp_why(rules->why, rules->room, -EOPNOTSUPP,
		      "op %s: the module has not got it", mp_op_name(op));
}

/* So many bursts that their ticks have room. */
static int fit_calls(struct mp_kmod_plan *plan, uint64_t ticks,
		     const struct memprobe_info *info,
		     const struct mp_user_rules *rules)
{
	const int err = mp_user_rules_most(rules, "ticks of a burst", ticks,
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
	const struct mp_user_rules rules = { "the module", why, room };
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
	err = mp_user_rules_line(&rules, "offset", actor->offset);
	if (!err)
		err = check_window(&rules, exp->window_ns, info);
	if (!err)
		err = mp_user_rules_most(&rules, "slots",
					 actor->length / actor->stride,
					 info->ring_slots_max);
	if (!err)
		err = plan_op(plan, exp, info, &rules, &ticks);
	return err ? err : fit_calls(plan, ticks, info, &rules);
}

uint32_t mp_kmod_plan_bursts(const struct mp_kmod_plan *plan, uint32_t left)
{
	return left < plan->call_bursts ? left : plan->call_bursts;
}
