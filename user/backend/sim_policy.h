/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_POLICY_H
#define MP_SIM_POLICY_H

#include "rng.h"

/** MP_SIM_ORDER_WAYS - ways of a set that an order has bits for. */
#define MP_SIM_ORDER_WAYS 64u

/**
 * struct mp_sim_order - what a set remembers of the use of its ways
 * @a: a bit a way (bit-plru, nru, srrip: low bit), a bit a node (tree-plru)
 * @b: a bit a way (srrip: high bit)
 * @used: ways that hold something
 *
 * LRU and FIFO have no part here: their sets are kept in order instead
 * (sim_cache.c).
 */
struct mp_sim_order {
	uint64_t a;
	uint64_t b;
	uint32_t used;
	uint32_t reserved;
};

/**
 * mp_sim_policy_hit() - a way was used again
 * @policy: enum mp_sim_policies, MP_SIM_RANDOM .. MP_SIM_SRRIP
 * @order: of the set
 * @ways: ways of the set, at most 64 but for MP_SIM_RANDOM
 * @room: ways that may be filled, 1 .. @ways
 * @way: which
 */
void mp_sim_policy_hit(uint32_t policy, struct mp_sim_order *order,
		       uint32_t ways, uint32_t room, uint32_t way);

/** mp_sim_policy_fill() - a way was filled; see mp_sim_policy_hit() */
void mp_sim_policy_fill(uint32_t policy, struct mp_sim_order *order,
			uint32_t ways, uint32_t room, uint32_t way);

/**
 * mp_sim_policy_victim() - which way makes room, all of @room being full
 * @rng: source of MP_SIM_RANDOM
 * Return: a way below @room.
 */
uint32_t mp_sim_policy_victim(uint32_t policy, struct mp_sim_order *order,
			      uint32_t ways, uint32_t room,
			      struct mp_rng *rng);

#endif
