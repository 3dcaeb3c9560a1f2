/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_PLACE_H
#define MP_SIM_PLACE_H

#include "sim_machine.h"

#define MP_SIM_SMALL_SHIFT 12u
#define MP_SIM_HUGE_SHIFT 21u
#define MP_SIM_GIANT_SHIFT 30u

/**
 * struct mp_sim_place - where an arena's pages lie in physical memory
 * @frame: frame number of each page, owned
 * @pages: how many
 * @shift: 12, 21 or 30: log2 of the page size
 * @page: enum mp_sim_page
 * @base: the arena's virtual address; a multiple of the page size
 */
struct mp_sim_place {
	uint32_t *frame;
	uint64_t pages;
	uint32_t shift;
	uint32_t page;
	uint64_t base;
};

/** mp_sim_place_shift() - log2 of a page size, enum mp_sim_page */
uint32_t mp_sim_place_shift(uint32_t page);

/**
 * mp_sim_place_init() - choose frames for an arena
 * @machine: how much memory there is, contiguous or not
 * @bytes: of the arena, 1 or more; rounded up to pages
 * @page: size of the frames, enum mp_sim_page
 * @seed: equal seeds give equal frames
 *
 * Each page gets a frame of its own, drawn from all of the memory, aligned
 * to its size; or, on a machine that places pages contiguously, the frame
 * behind that of the page before. The arena's virtual address is 0.
 * Return: 0, or -ENOMEM: there is not so much memory, or not here.
 */
int mp_sim_place_init(struct mp_sim_place *place,
		      const struct mp_sim_machine *machine, uint64_t bytes,
		      uint32_t page, uint64_t seed);

void mp_sim_place_free(struct mp_sim_place *place);

/** mp_sim_place_physical() - physical address of an address in the arena */
static inline uint64_t mp_sim_place_physical(const struct mp_sim_place *place,
					     uint64_t virtual)
{
	const uint64_t inside = virtual & ((1ull << place->shift) - 1);

	return (uint64_t)place->frame[(virtual - place->base) >> place->shift]
		       << place->shift | inside;
}

#endif
