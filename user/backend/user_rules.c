// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals that backends of this machine share. Each names the field, its
 * value, who refuses it and what is allowed.
 */
#include "user_rules.h"

#include <errno.h>
#include <inttypes.h>

#include "why.h"

int mp_user_rules_most(const struct mp_user_rules *rules, const char *name,
		       uint64_t value, uint64_t most)
{
	if (value <= most)
		return 0;
	return mp_why(rules->why, rules->room, -EOPNOTSUPP,
		      "%s %" PRIu64 ": %s allows %" PRIu64, name, value,
		      rules->who, most);
}

int mp_user_rules_line(const struct mp_user_rules *rules, const char *name,
		       uint64_t value)
{
	if (value % MP_USER_RULES_LINE == 0)
		return 0;
	return mp_why(rules->why, rules->room, -EOPNOTSUPP,
		      "%s %" PRIu64 ": %s wants a multiple of %u", name,
		      value, rules->who, MP_USER_RULES_LINE);
}

int mp_user_rules_none(const struct mp_user_rules *rules, const char *name,
		       uint64_t value)
{
	if (!value)
		return 0;
	return mp_why(rules->why, rules->room, -EOPNOTSUPP,
		      "%s %" PRIu64 ": %s allows 0 here", name, value,
		      rules->who);
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

int mp_user_rules_sequence(const struct mp_user_rules *rules,
			   const struct mp_exp *exp, uint32_t steps_max,
			   uint32_t visits_max)
{
	const struct mp_actor *actor = mp_exp_sequence(exp);
	int err;

	err = mp_user_rules_line(rules, "stride of a sequence",
				 actor->stride);
	if (!err)
		err = mp_user_rules_none(rules, "reach of a sequence",
					 actor->reach);
	if (!err)
		err = mp_user_rules_none(rules, "skew of a sequence",
					 actor->skew);
	if (!err)
		err = mp_user_rules_none(rules, "warm_hops of a sequence",
					 actor->warm_hops);
	if (!err)
		err = mp_user_rules_most(rules, "steps", exp->n_steps,
					 steps_max);
	if (!err)
		err = mp_user_rules_most(rules, "visits to one slot",
					 visits_of(exp), visits_max);
	return err;
}

uint32_t mp_user_rules_steps_detail(const struct mp_actor *actor)
{
	return actor->detail == MP_DETAIL_HIST ? MP_DETAIL_HIST :
						 MP_DETAIL_TICKS;
}
