// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: slots at a stride through a span of memory, each holding the
 * address of the next one to visit, all of them on one cycle.
 */
#include "perm.h"
#include "ring.h"

/* How many links ahead a slot is fetched for writing, while one is built. */
#define LINK_AHEAD 16u

int mp_ring_check(const struct mp_ring *ring)
{
	const uint64_t word = sizeof(uint64_t);

	if (ring->stride_bytes < word || ring->stride_bytes % word)
		return -EINVAL;
	if (ring->length_bytes < ring->stride_bytes)
		return -EINVAL;
	if (ring->reach_bytes && ring->reach_bytes < ring->stride_bytes)
		return -EINVAL;
	if (ring->skew_bytes % word)
		return -EINVAL;
	if (ring->skew_bytes && ring->stride_bytes % MP_RING_SKEW_SPAN)
		return -EINVAL;
	if (ring->length_bytes / ring->stride_bytes > MP_RING_SLOTS_MAX)
		return -E2BIG;
	return 0;
}

uint32_t mp_ring_slots(const struct mp_ring *ring)
{
	return (uint32_t)(ring->length_bytes / ring->stride_bytes);
}

/*
 * A skew that only grew would repeat together with the sets of a cache whose
 * ways span a few pages, and leave most of them empty. So each run, which
 * goes once through the span, begins one skew later than the one before; and
 * when that has gone through the span too, somewhere.
 */
static uint64_t skew_of(const struct mp_ring *ring, uint32_t slot)
{
	const uint64_t skew = ring->skew_bytes % MP_RING_SKEW_SPAN;
	uint64_t run, turn, round;

	if (!skew)
		return 0;
	run = MP_RING_SKEW_SPAN / skew;
	turn = slot / run;
	round = turn / run;
	if (round)
		turn += mp_rng_mix(round);
	/* The span is a power of two, so a product that wraps does no harm. */
	return (slot + turn) * skew % MP_RING_SKEW_SPAN;
}

uint64_t mp_ring_offset(const struct mp_ring *ring, uint32_t slot)
{
	return slot * ring->stride_bytes + skew_of(ring, slot);
}

/* The window of the order, in slots; 0 = none. */
static uint32_t window_slots(const struct mp_ring *ring)
{
	if (ring->reach_bytes >= ring->length_bytes)
		return 0;
	return (uint32_t)(ring->reach_bytes / ring->stride_bytes);
}

void *mp_ring_link(const struct mp_ring *ring, void *base, uint32_t *order,
		   struct mp_rng *rng)
{
	const uint32_t slots = mp_ring_slots(ring);
	char *const start = base;
	char *slot, *next, *first;
	uint32_t i;

	mp_perm_order(order, slots, window_slots(ring), rng);
	first = start + mp_ring_offset(ring, order[0]);
	slot = first;
	for (i = 1; i < slots; i++) {
		if (i % MP_BREATHE_ITEMS == 0)
			mp_breathe();
		/* Stores drain in order; fetching ahead overlaps misses. */
		if (slots - i > LINK_AHEAD) {
			next = start + mp_ring_offset(ring,
						      order[i + LINK_AHEAD]);
			__builtin_prefetch(next, 1);
		}
		next = start + mp_ring_offset(ring, order[i]);
		*(void **)slot = next;
		slot = next;
	}
	*(void **)slot = first;
	return first;
}
