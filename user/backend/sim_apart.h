/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_APART_H
#define MP_SIM_APART_H

#include "sim_memory.h"

/**
 * mp_sim_apart_loads() - loads of a block, level by level where that is the
 *	same
 * @memory: a CPU; its @head says which levels are walked load by load
 * @block: that they are in, looked up
 * @first: number of the first of them in the block
 * @n: how many
 * @cycles: of each: what its level costs is added
 */
void mp_sim_apart_loads(struct mp_sim_memory *memory,
			const struct mp_sim_block *block, uint32_t first,
			uint32_t n, uint32_t *cycles);

#endif
