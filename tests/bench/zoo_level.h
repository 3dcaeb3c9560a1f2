/* SPDX-License-Identifier: GPL-2.0 */
/* One level of a random machine of the zoo. */
#ifndef ZOO_LEVEL_H
#define ZOO_LEVEL_H

#include "rng.h"
#include "zoo_machine.h"

/** enum zoo_feature - what has dice of its own; those of a level follow
 * one another, ZOO_PER_LEVEL a level */
enum zoo_feature {
	ZOO_GENERAL,
	ZOO_TLB,
	ZOO_TLB_POLICY,
	ZOO_PREFETCH,
	ZOO_PLACE,
	ZOO_CLOCK,
	ZOO_NOISE,
	ZOO_SHAPE = 16,
	ZOO_SECTOR,
	ZOO_INCLUSION,
	ZOO_POLICY,
	ZOO_PER_LEVEL = 16,
};

/**
 * struct zoo_draw - a machine that is being drawn
 * @redraws: how often a feature was not honoured
 */
struct zoo_draw {
	const struct zoo_wish *wish;
	uint64_t index;
	struct mp_sim_machine *machine;
	uint32_t redraws;
};

/** zoo_refused() - is it not honoured as it stands? Counted if so */
bool zoo_refused(struct zoo_draw *draw);

/** zoo_policy_draw() - a policy that so many ways can have */
void zoo_policy_draw(struct mp_rng *rng, uint32_t ways,
		     struct mp_sim_named *policy);

/**
 * zoo_level_draw() - the next level outwards
 * @behind: so many levels are to follow, and have to find room
 * Return: false, and nothing added, where there is no room for it.
 */
bool zoo_level_draw(struct zoo_draw *draw, uint32_t behind);

#endif
