/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_RING_H
#define MP_RING_H

#include "core.h"
#include "rng.h"

/** MP_RING_SKEW_SPAN - a slot's skew wraps at this many bytes: a small page. */
#define MP_RING_SKEW_SPAN 4096u

/**
 * struct mp_ring - where the slots of a ring lie and how they are visited
 * @length_bytes: span; slots = length_bytes / stride_bytes
 * @stride_bytes: from slot to slot; a multiple of 8, at least 8
 * @reach_bytes: window of the order (see mp_perm_order()), in bytes of span;
 *	0 = full random, or one stride at least; what is no whole number of
 *	strides is rounded down
 * @skew_bytes: slot i lies i * skew bytes into its stride until that would
 *	be MP_RING_SKEW_SPAN or more; each such run of slots wraps within the
 *	span and begins one skew later than the run before (from where that
 *	wraps too on, at a skew drawn for it, always the same). A multiple of
 *	8; 0, or the stride is a multiple of the span
 */
struct mp_ring {
	uint64_t length_bytes;
	uint64_t stride_bytes;
	uint64_t reach_bytes;
	uint64_t skew_bytes;
};

/** MP_RING_SLOTS_MAX - the most slots that a ring can have (32-bit order). */
#define MP_RING_SLOTS_MAX 0x7fffffffu

/**
 * mp_ring_check() - is this a ring that can be built?
 * Return: 0, or -EINVAL (a field is out of its rule), -E2BIG (too many slots)
 */
int mp_ring_check(const struct mp_ring *ring);

/** mp_ring_slots() - how many slots a checked ring has (1 or more) */
uint32_t mp_ring_slots(const struct mp_ring *ring);

/** mp_ring_offset() - byte offset of slot i from the start of the span */
uint64_t mp_ring_offset(const struct mp_ring *ring, uint32_t slot);

/**
 * mp_ring_link() - write the links of a ring into memory
 * @ring: a checked ring
 * @base: start of the span, 8-byte aligned, @ring->length_bytes long
 * @order: scratch, mp_ring_slots() words; holds the visiting order after
 * @rng: source of the order
 *
 * Each slot's first word gets the address of the next slot. Every slot is
 * visited exactly once a turn.
 * Return: the address of the first slot of the order.
 */
void *mp_ring_link(const struct mp_ring *ring, void *base, uint32_t *order,
		   struct mp_rng *rng);

#endif
