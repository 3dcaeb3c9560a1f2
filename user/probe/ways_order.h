/* SPDX-License-Identifier: GPL-2.0 */
/* In which order a flushed test goes through its lines. */
#ifndef MP_WAYS_ORDER_H
#define MP_WAYS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/ways_sets.h"

/**
 * struct mp_ways_places - slots that are gone through, and in which order
 * @unit: bytes from slot to slot
 * @n: how many
 * @slot: of each its number, or NULL: 0, 1, 2 ..
 * @order: gets which of them is first, second ..
 */
struct mp_ways_places {
	uint64_t unit;
	uint32_t n;
	const uint32_t *slot;
	uint32_t *order;
};

/**
 * mp_ways_order() - orders of which a prefetcher of strides makes no harm
 * @sets: of the level that is tested
 * @test: the flushed test
 *
 * Turn after turn the @lines come first and then the @others. Where a step from
 * place to place is made twice on end, of all or of those in a page, the next
 * few like it must not lead to a set that the lines may fall on: what is
 * fetched ahead would be one of them, or put one out.
 * Return: false where no such order was found, or there are more places than
 * MP_EXP_STEPS.
 */
bool mp_ways_order(const struct mp_ways_sets *sets,
		   const struct mp_ways_test *test,
		   const struct mp_ways_places *lines,
		   const struct mp_ways_places *others);

#endif
