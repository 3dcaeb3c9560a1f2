/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policies that remember bits of ways, for those who use them a million times
 * a second (sim_policy.c, sim_many.c).
 */
#ifndef MP_SIM_BITS_H
#define MP_SIM_BITS_H

#include "sim_policy.h"

static inline uint64_t mp_sim_low_bits(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/*
 * The tree's nodes are numbered like a heap, 1 the root, node i's children
 * 2i and 2i + 1, the ways the leaves. A node's bit says which child the
 * victim is looked for in; a use turns every bit on its path away.
 */
static inline void mp_sim_tree_use(struct mp_sim_order *order, uint32_t ways,
				   uint32_t way)
{
	for (uint32_t node = ways + way; node > 1; node >>= 1) {
		order->a &= ~(1ull << (node >> 1));
		order->a |= (uint64_t)(~node & 1) << (node >> 1);
	}
}

static inline uint32_t mp_sim_tree_victim(const struct mp_sim_order *order,
					  uint32_t ways, uint32_t room)
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
static inline void mp_sim_bit_use(struct mp_sim_order *order, uint32_t room,
				  uint32_t way)
{
	order->a |= 1ull << way;
	if (!(~order->a & mp_sim_low_bits(room)))
		order->a = 1ull << way;
}

/* NRU forgets only when a victim is looked for and every bit is set. */
static inline uint32_t mp_sim_nru_victim(struct mp_sim_order *order,
					 uint32_t room)
{
	if (!(~order->a & mp_sim_low_bits(room)))
		order->a = 0;
	return (uint32_t)__builtin_ctzll(~order->a);
}

/*
 * SRRIP with hit priority: two bits a way, 2 when filled, 0 when hit, the
 * first 3 makes room, and where there is none all grow by one.
 */
static inline uint32_t mp_sim_srrip_victim(struct mp_sim_order *order,
					   uint32_t room)
{
	uint64_t high;

	while (!(order->a & order->b & mp_sim_low_bits(room))) {
		/* Nobody has 3: 0 -> 1 -> 2 -> 3 for all at once. */
		high = order->b ^ order->a;
		order->a = ~order->a;
		order->b = high;
	}
	return (uint32_t)__builtin_ctzll(order->a & order->b &
					 mp_sim_low_bits(room));
}

static inline void mp_sim_srrip_set(struct mp_sim_order *order, uint32_t way,
				    uint32_t value)
{
	const uint64_t bit = 1ull << way;

	order->a = value & 1 ? order->a | bit : order->a & ~bit;
	order->b = value & 2 ? order->b | bit : order->b & ~bit;
}

#endif
