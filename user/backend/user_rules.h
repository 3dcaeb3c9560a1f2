/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What backends of this machine allow of an experiment, beyond what any
 * experiment has to be: one check each, refused in the same words whoever
 * does the measuring.
 */
#ifndef MP_USER_RULES_H
#define MP_USER_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "exp.h"

/** MP_USER_RULES_LINE - spans begin, and slots of a sequence lie, at multiples
 * of this, bytes */
#define MP_USER_RULES_LINE 64u

/**
 * struct mp_user_rules - who allows, and where a refusal goes
 * @who: "the module"
 * @why: gets what cannot be, which value and what is allowed; may be NULL
 * @room: bytes of @why
 */
struct mp_user_rules {
	const char *who;
	char *why;
	size_t room;
};

/** mp_user_rules_most() - -EOPNOTSUPP where a value is above @most */
int mp_user_rules_most(const struct mp_user_rules *rules, const char *name,
		       uint64_t value, uint64_t most);
/** mp_user_rules_line() - -EOPNOTSUPP where it is no multiple of a line */
int mp_user_rules_line(const struct mp_user_rules *rules, const char *name,
		       uint64_t value);
/** mp_user_rules_none() - -EOPNOTSUPP where it is not 0 */
int mp_user_rules_none(const struct mp_user_rules *rules, const char *name,
		       uint64_t value);

/**
 * mp_user_rules_sequence() - can the experiment's one sequence be walked?
 * @exp: checked; one of its actors is a sequence
 * @steps_max: steps that there may be
 * @visits_max: times that one slot may be visited
 *
 * A sequence lies in the lines of its slots, and its order is that of its
 * steps: a stride of whole lines, no order of a ring, and no warm-up, since
 * a burst is all steps once and what comes before is what warms.
 * Return: 0 or -EOPNOTSUPP.
 */
int mp_user_rules_sequence(const struct mp_user_rules *rules,
			   const struct mp_exp *exp, uint32_t steps_max,
			   uint32_t visits_max);

/** mp_user_rules_steps_detail() - what is kept of a sequence's ticks: a
 * histogram where it is wished for, all in order where it is not */
uint32_t mp_user_rules_steps_detail(const struct mp_actor *actor);

#endif
