/* SPDX-License-Identifier: GPL-2.0 */
/* The levels of a TLB for pages of one kind: entries, ways, costs. */
#ifndef MP_TLB_FIND_H
#define MP_TLB_FIND_H

#include "probe/tlb_look.h"

/** enum mp_tlb_end - how the search for a level ended */
enum mp_tlb_end {
	MP_TLB_OPEN,	/* something was asked for that is not there yet */
	MP_TLB_FOUND,
	MP_TLB_NONE,	/* there is no such level */
	MP_TLB_BEYOND,	/* none up to what an arena has room for */
	MP_TLB_MORE,	/* there is one, and it has more entries */
	MP_TLB_CANNOT,	/* see why */
};

#define MP_TLB_EVIDENCE 8

/**
 * struct mp_tlb_level - what was found out about one level
 * @end: enum mp_tlb_end, of its entries
 * @entries: exact; with MP_TLB_BEYOND and MORE so many at least
 * @ways: exact, 0 = cannot be told
 * @stride: pages, the shortest at which all pages fall on as few sets as can
 *	be told apart from here
 * @held: pages that it knows at that stride
 * @taken: cycles of a turn that are paid while all pages fit, 0 = none
 * @cycles: what a load pays that misses it, NaN = cannot be told
 * @error: of that
 * @other: the same by another estimator, NaN = there is none
 * @why: what stands in the way of @entries
 * @why_ways: and of @ways
 * @n_ids, @id: experiments
 */
struct mp_tlb_level {
	uint32_t end;
	uint32_t entries;
	uint32_t ways;
	uint32_t stride;
	uint32_t held;
	double taken;
	double cycles;
	double error;
	double other;
	const char *why;
	const char *why_ways;
	uint32_t n_ids;
	uint64_t id[MP_TLB_EVIDENCE];
};

/**
 * mp_tlb_first() - the first level
 * @ask: initialised
 *
 * @level->cycles is not told.
 */
void mp_tlb_first(struct mp_tlb_ask *ask, struct mp_tlb_level *level);

/**
 * mp_tlb_second() - the second level, and both costs
 * @first: as mp_tlb_first() found it; gets what a load pays that misses it.
 *	With MP_TLB_NONE for the second that is a walk
 * @second: gets the level; its cycles are those of a walk
 */
void mp_tlb_second(struct mp_tlb_ask *ask, struct mp_tlb_level *first,
		   struct mp_tlb_level *second);

/** mp_tlb_full_of() - a ring with more pages in all sets of the first level
 * than they hold */
uint32_t mp_tlb_full_of(const struct mp_tlb_level *first);

/* -- shared by both ------------------------------------------------------ */

/** mp_tlb_test - do so many pages at a stride miss? enum mp_tlb_say */
typedef uint32_t (*mp_tlb_test)(struct mp_tlb_ask *ask, const void *ctx,
				uint32_t stride, uint32_t n);

/**
 * mp_tlb_bisect() - the most pages that do not miss
 * @low: does not miss; gets the answer
 * @high: misses
 * Return: MP_TLB_YES, UNSURE or LACKS
 */
uint32_t mp_tlb_bisect(struct mp_tlb_ask *ask, mp_tlb_test test,
		       const void *ctx, uint32_t stride, uint32_t *low,
		       uint32_t high);

/**
 * mp_tlb_ladder() - follow a number of pages up the strides
 * @stride, @held: where it is known exactly; get the last at which it is, the
 *	number by then as small as it gets
 * @hidden: the same question where it may be hidden; NO: surely not
 * @visible: fewer pages are not seen
 * Return: MP_TLB_YES: it gets no smaller. MP_TLB_NO: it might, but @visible
 * or the arena ends first. UNSURE, LACKS
 */
uint32_t mp_tlb_ladder(struct mp_tlb_ask *ask, mp_tlb_test test,
		       mp_tlb_test hidden, const void *ctx, uint32_t *stride,
		       uint32_t *held, uint32_t visible);

#endif
