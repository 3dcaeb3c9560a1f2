// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement in one set, for the policies that remember bits of ways. A
 * set's first @room ways may be filled; all of them, unless a neighbour has
 * taken some.
 */
#include "sim_policy.h"

#include "sim_bits.h"
#include "sim_machine.h"

void mp_sim_policy_hit(uint32_t policy, struct mp_sim_order *order,
		       uint32_t ways, uint32_t room, uint32_t way)
{
	switch (policy) {
	case MP_SIM_TREE_PLRU:
		mp_sim_tree_use(order, ways, way);
		break;
	case MP_SIM_BIT_PLRU:
		mp_sim_bit_use(order, room, way);
		break;
	case MP_SIM_NRU:
		order->a |= 1ull << way;
		break;
	case MP_SIM_SRRIP:
		mp_sim_srrip_set(order, way, 0);
		break;
	default:
		break;
	}
}

void mp_sim_policy_fill(uint32_t policy, struct mp_sim_order *order,
			uint32_t ways, uint32_t room, uint32_t way)
{
	if (policy == MP_SIM_SRRIP)
		mp_sim_srrip_set(order, way, 2);
	else
		mp_sim_policy_hit(policy, order, ways, room, way);
}

uint32_t mp_sim_policy_victim(uint32_t policy, struct mp_sim_order *order,
			      uint32_t ways, uint32_t room,
			      struct mp_rng *rng)
{
	switch (policy) {
	case MP_SIM_TREE_PLRU:
		return mp_sim_tree_victim(order, ways, room);
	case MP_SIM_BIT_PLRU:
	case MP_SIM_NRU:
		return mp_sim_nru_victim(order, room);
	case MP_SIM_SRRIP:
		return mp_sim_srrip_victim(order, room);
	default:
		return (uint32_t)mp_rng_below(rng, room);
	}
}
