/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_PERM_H
#define MP_PERM_H

#include "core.h"
#include "rng.h"

/**
 * mp_perm_order() - a random visiting order of n slots
 * @order: gets @n slot numbers, each of 0..@n-1 once
 * @n: slots, 1 or more
 * @window: slots that are visited before the next window is entered;
 *	0 or >= @n gives one window, that is a full random order
 * @rng: source of randomness
 *
 * Following order[0], order[1], .. order[n-1], order[0] is one cycle over
 * all slots, whatever the window. Windows are aligned runs of @window slots
 * (the last may be shorter); they follow each other in random order, and
 * inside each its slots are shuffled.
 */
void mp_perm_order(uint32_t *order, uint32_t n, uint32_t window,
		   struct mp_rng *rng);

#endif
