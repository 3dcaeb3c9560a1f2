/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_FILL_H
#define MP_SIM_FILL_H

#include "ring.h"
#include "sim_cores.h"

/**
 * struct mp_sim_filler - levels of an empty machine that are being filled
 * @memory: the CPU
 * @level: how each of its levels is filled
 */
struct mp_sim_filler {
	struct mp_sim_memory *memory;
	struct mp_sim_filling *level[MP_SIM_LEVELS];
};

/**
 * mp_sim_fill_begin() - the first walk of a ring begins, in an empty machine
 * @filler: gets it; end it with mp_sim_fill_end()
 * @cores: all that is simulated
 * @memory: of the CPU that walks
 * @shape: of the ring
 * @loads: how many of it will come
 * Return: whether it can be done so, and is worth it. If not there is
 * nothing to end.
 */
bool mp_sim_fill_begin(struct mp_sim_filler *filler,
		       const struct mp_sim_cores *cores,
		       struct mp_sim_memory *memory,
		       const struct mp_ring *shape, uint64_t loads);

/**
 * mp_sim_fill_loads() - mp_sim_memory_loads() for lines that have never come
 * @block: looked up; no line of it, nor of another block, comes twice
 * @n: how many loads
 */
void mp_sim_fill_loads(struct mp_sim_filler *filler,
		       const struct mp_sim_block *block, uint32_t n);

/** mp_sim_fill_end() - leave the state as the same loads, one by one, would */
void mp_sim_fill_end(struct mp_sim_filler *filler);

#endif
