/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_WIDE_H
#define MP_SIM_WIDE_H

#include "sim_qlru.h"

/**
 * struct mp_sim_wide - what a set of more than 64 ways remembers of their use
 * @used: ways that hold something
 * @mark: a byte a way: its bit (bit-plru, nru), its value (srrip), what it
 *	lacks to age 3 (qlru); or a byte a node (tree-plru)
 *
 * All zero is an empty set.
 */
struct mp_sim_wide {
	uint32_t used;
	uint8_t mark[];
};

/**
 * struct mp_sim_wide_rule - how such a set is kept
 * @policy: enum mp_sim_policies, MP_SIM_TREE_PLRU and what comes after it
 * @ways: of a set
 * @qlru: parameters of MP_SIM_QLRU
 */
struct mp_sim_wide_rule {
	uint32_t policy;
	uint32_t ways;
	const struct mp_sim_qlru *qlru;
};

/** mp_sim_wide_hit() - a way was used again; @room ways may be filled */
void mp_sim_wide_hit(const struct mp_sim_wide_rule *rule,
		     struct mp_sim_wide *set, uint32_t room, uint32_t way);

/** mp_sim_wide_fill() - a way was filled */
void mp_sim_wide_fill(const struct mp_sim_wide_rule *rule,
		      struct mp_sim_wide *set, uint32_t room, uint32_t way,
		      struct mp_rng *rng);

/** mp_sim_wide_miss() - a line was not there; before room is made for it */
void mp_sim_wide_miss(const struct mp_sim_wide_rule *rule,
		      struct mp_sim_wide *set, uint32_t room);

/** mp_sim_wide_victim() - which way makes room, all of @room being full */
uint32_t mp_sim_wide_victim(const struct mp_sim_wide_rule *rule,
			    struct mp_sim_wide *set, uint32_t room);

#endif
