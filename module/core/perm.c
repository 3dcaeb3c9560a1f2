// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which the slots of a ring are visited. It is an order, not a
 * mapping: whatever it is, walking it and closing it is one cycle over all
 * slots, where a random mapping falls apart into many short ones.
 */
#include "perm.h"

static void shuffle(uint32_t *list, uint32_t n, struct mp_rng *rng)
{
	uint32_t i, k, kept;

	for (i = n; i > 1; i--) {
		if (i % MP_BREATHE_ITEMS == 0)
			mp_breathe();
		k = (uint32_t)mp_rng_below(rng, i);
		kept = list[i - 1];
		list[i - 1] = list[k];
		list[k] = kept;
	}
}

/* Write the numbers @first, @first + 1, .. in random order. */
static void fill_shuffled(uint32_t *list, uint32_t n, uint32_t first,
			  struct mp_rng *rng)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		list[i] = first + i;
	shuffle(list, n, rng);
}

void mp_perm_order(uint32_t *order, uint32_t n, uint32_t window,
		   struct mp_rng *rng)
{
	uint32_t windows, tail, i, first, length, filled = 0;

	if (!window)
		window = n;

	/*
	 * The order of the windows is drawn at the end of the array and then
	 * unrolled from its front. No scratch is needed: each window still
	 * to come fills at least one slot, so what is written never reaches
	 * a window number that is still to be read.
	 */
	windows = n / window + (n % window != 0);
	tail = n - windows;
	fill_shuffled(order + tail, windows, 0, rng);
	for (i = 0; i < windows; i++) {
		if (i % MP_BREATHE_ITEMS == 0)
			mp_breathe();
		first = order[tail + i] * window;
		length = n - first < window ? n - first : window;
		fill_shuffled(order + filled, length, first, rng);
		filled += length;
	}
}
