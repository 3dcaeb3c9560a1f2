/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is right about a machine: every fact, from its description, and `any`
 * where no experiment could know. The rule stands in words in
 * Documentation/how-it-knows.md, "What a machine lets be known".
 */
#ifndef ZOO_EXPECT_H
#define ZOO_EXPECT_H

#include "backend/sim_machine.h"

/** ZOO_POLICY_WAYS_MAX - the replacement of a larger set is not asked for. */
#define ZOO_POLICY_WAYS_MAX 32u

/**
 * zoo_expect() - give a machine its expectations, in place of those it has
 * Return: 0 or -ENOMEM.
 */
int zoo_expect(struct mp_sim_machine *machine);

/* The rule, piece by piece. Levels are counted from 0, inner to outer. */

/** zoo_reach_bytes() - footprint up to which levels 0 .. @k hold all of it */
uint64_t zoo_reach_bytes(const struct mp_sim_machine *machine, uint32_t k);

/** zoo_knows_sets() - can lines of one set of a level be chosen? */
bool zoo_knows_sets(const struct mp_sim_machine *machine, uint32_t k);

/** zoo_knows_policy() - can a line be used in a level without the levels
 * inside it hiding that, and is there a choice to be made? */
bool zoo_knows_policy(const struct mp_sim_machine *machine, uint32_t k);

/** zoo_knows_inclusion() - can inclusive and non-inclusive be told apart? */
bool zoo_knows_inclusion(const struct mp_sim_machine *machine, uint32_t k);

#endif
