/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_MANY_H
#define MP_SIM_MANY_H

#include "sim_cache.h"

/**
 * mp_sim_many_touch() - mp_sim_cache_touch() for some loads of a block
 * @set: of each load of the block
 * @virtual: address of each
 * @which: the loads that are made, in order
 * @n: how many; MP_SIM_BLOCK at most
 * @missed: gets those that were not there; may be @which itself
 * @victim: gets the key that each of these put out, 0 = none; room for @n
 *	keys, or NULL
 *
 * Return: how many were not there.
 */
uint32_t mp_sim_many_touch(struct mp_sim_cache *cache, const uint64_t *set,
			   const uint64_t *virtual, const uint16_t *which,
			   uint32_t n, uint16_t *missed, uint32_t *victim);

/**
 * mp_sim_many_one() - mp_sim_cache_touch(), by a shorter way for most stores
 * @victim: gets the key that was put out, 0 = none
 */
bool mp_sim_many_one(struct mp_sim_cache *cache, uint64_t set,
		     uint64_t virtual, uint32_t *victim);

#endif
