/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verdicts on policies, remembered: a probe asks of all levels each round, and
 * of most of them it has seen no more.
 */
#ifndef MP_POLICY_KEPT_H
#define MP_POLICY_KEPT_H

#include "analysis/policy.h"

/** mp_policy_judge_kept() - what mp_policy_judge() answers, made once; not for
 * several threads at a time */
int mp_policy_judge_kept(const struct mp_policy_seen *seen, uint32_t n,
			 struct mp_policy_verdict *verdict);

#endif
