// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement in one set, for the policies that remember bits of ways. A
 * set's first @room ways may be filled; all of them, unless a neighbour has
 * taken some.
 */
#include "sim_policy.h"

#include "sim_machine.h"

static uint64_t low_bits(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/*
 * The tree's nodes are numbered like a heap, 1 the root, node i's children
 * 2i and 2i + 1, the ways the leaves. A node's bit says which child the
 * victim is looked for in; a use turns every bit on its path away.
 */
static void tree_use(struct mp_sim_order *order, uint32_t ways, uint32_t way)
{
	for (uint32_t node = ways + way; node > 1; node >>= 1) {
		order->a &= ~(1ull << (node >> 1));
		order->a |= (uint64_t)(~node & 1) << (node >> 1);
	}
}

static uint32_t tree_victim(const struct mp_sim_order *order, uint32_t ways,
			    uint32_t room)
{
	uint32_t node = 1, first = 0, span = ways, right;

	while (node < ways) {
		span >>= 1;
		right = order->a >> node & 1;
		/* Nothing may be filled there: the other side has to do. */
		if (first + span >= room)
			right = 0;
		first += right * span;
		node = 2 * node + right;
	}
	return first;
}

/* Bit-PLRU forgets as soon as the last bit is set. */
static void bit_use(struct mp_sim_order *order, uint32_t room, uint32_t way)
{
	order->a |= 1ull << way;
	if (!(~order->a & low_bits(room)))
		order->a = 1ull << way;
}

/* NRU forgets only when a victim is looked for and every bit is set. */
static uint32_t nru_victim(struct mp_sim_order *order, uint32_t room)
{
	if (!(~order->a & low_bits(room)))
		order->a = 0;
	return (uint32_t)__builtin_ctzll(~order->a);
}

/*
 * SRRIP with hit priority: two bits a way, 2 when filled, 0 when hit, the
 * first 3 makes room, and where there is none all grow by one.
 */
static uint32_t srrip_victim(struct mp_sim_order *order, uint32_t room)
{
	uint64_t high;

	while (!(order->a & order->b & low_bits(room))) {
		/* Nobody has 3: 0 -> 1 -> 2 -> 3 for all at once. */
		high = order->b ^ order->a;
		order->a = ~order->a;
		order->b = high;
	}
	return (uint32_t)__builtin_ctzll(order->a & order->b &
					 low_bits(room));
}

static void srrip_set(struct mp_sim_order *order, uint32_t way, uint32_t value)
{
	const uint64_t bit = 1ull << way;

	order->a = value & 1 ? order->a | bit : order->a & ~bit;
	order->b = value & 2 ? order->b | bit : order->b & ~bit;
}

void mp_sim_policy_hit(uint32_t policy, struct mp_sim_order *order,
		       uint32_t ways, uint32_t room, uint32_t way)
{
	switch (policy) {
	case MP_SIM_TREE_PLRU:
		tree_use(order, ways, way);
		break;
	case MP_SIM_BIT_PLRU:
		bit_use(order, room, way);
		break;
	case MP_SIM_NRU:
		order->a |= 1ull << way;
		break;
	case MP_SIM_SRRIP:
		srrip_set(order, way, 0);
		break;
	default:
		break;
	}
}

void mp_sim_policy_fill(uint32_t policy, struct mp_sim_order *order,
			uint32_t ways, uint32_t room, uint32_t way)
{
	if (policy == MP_SIM_SRRIP)
		srrip_set(order, way, 2);
	else
		mp_sim_policy_hit(policy, order, ways, room, way);
}

uint32_t mp_sim_policy_victim(uint32_t policy, struct mp_sim_order *order,
			      uint32_t ways, uint32_t room,
			      struct mp_rng *rng)
{
	switch (policy) {
	case MP_SIM_TREE_PLRU:
		return tree_victim(order, ways, room);
	case MP_SIM_BIT_PLRU:
	case MP_SIM_NRU:
		return nru_victim(order, room);
	case MP_SIM_SRRIP:
		return srrip_victim(order, room);
	default:
		return (uint32_t)mp_rng_below(rng, room);
	}
}
