// SPDX-License-Identifier: GPL-2.0
/*
 * Placement of pages. Distinct random frames are the first numbers of a
 * keyed permutation of all frames, so none needs to be remembered.
 */
#include "sim_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

#define ROUNDS 4u

/* A number below 2^(2 * half) to another one, each to each: Feistel's net. */
static uint64_t scramble(uint64_t x, uint32_t half, uint64_t key)
{
	const uint64_t mask = (1ull << half) - 1;
	uint64_t left = x >> half, right = x & mask, kept;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		kept = right;
		right = left ^ (mp_rng_mix(key + (right << 8 | i)) & mask);
		left = kept;
	}
	return left << half | right;
}

/* The permutation of 0 .. frames-1: go on until it falls inside. */
static uint64_t nth_frame(uint64_t n, uint64_t frames, uint32_t half,
			  uint64_t key)
{
	do
		n = scramble(n, half, key);
	while (n >= frames);
	return n;
}

uint32_t mp_sim_place_shift(uint32_t page)
{
	switch (page) {
	case MP_SIM_PAGE_1G:
		return MP_SIM_GIANT_SHIFT;
	case MP_SIM_PAGE_2M:
		return MP_SIM_HUGE_SHIFT;
	default:
		return MP_SIM_SMALL_SHIFT;
	}
}

int mp_sim_place_init(struct mp_sim_place *place,
		      const struct mp_sim_machine *machine, uint64_t bytes,
		      uint32_t page, uint64_t seed)
{
	const uint64_t key = mp_rng_mix(seed);
	uint64_t frames, first;
	uint32_t half = 1;

	memset(place, 0, sizeof(*place));
	place->shift = mp_sim_place_shift(page);
	place->page = page;
	place->pages = ((bytes - 1) >> place->shift) + 1;
	frames = machine->general.ram_bytes >> place->shift;
	if (place->pages > frames)
		return -ENOMEM;
	place->frame = malloc(place->pages * sizeof(*place->frame));
	if (!place->frame)
		return -ENOMEM;
	first = key % (frames - place->pages + 1);
	while (frames > 1ull << 2 * half)
		half++;
	for (uint64_t i = 0; i < place->pages; i++)
		place->frame[i] = (uint32_t)(machine->pages.contiguous ?
			first + i : nth_frame(i, frames, half, key));
	return 0;
}

void mp_sim_place_free(struct mp_sim_place *place)
{
	free(place->frame);
	place->frame = NULL;
}
