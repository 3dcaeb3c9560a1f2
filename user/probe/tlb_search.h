/* SPDX-License-Identifier: GPL-2.0 */
/* The search for the second level of a TLB: what is shared by its files. */
#ifndef MP_TLB_SEARCH_H
#define MP_TLB_SEARCH_H

#include "probe/tlb_find.h"

/**
 * struct mp_tlb_search - what is known on the way
 * @first: the first level
 * @by_hops: hops of a walk are counted
 * @hit, @hit_error: cost of a hit in the second level
 * @walk: what at least a walk costs
 * @last_n, @last_stride: the last ring with hits only
 * @few_n, @few_stride: .. of twice the first level's; 0 = none
 * @far: rings far enough apart have been seen
 * @far_n: .. of so many pages at most
 * @next_n, @next_stride: the first with walks; 0 = none found
 */
struct mp_tlb_search {
	const struct mp_tlb_level *first;
	bool by_hops;
	double hit;
	double hit_error;
	double walk;
	uint32_t last_n;
	uint32_t last_stride;
	uint32_t few_n;
	uint32_t few_stride;
	bool far;
	uint32_t far_n;
	uint32_t next_n;
	uint32_t next_stride;
};

/** MP_TLB_ALIKE - costs that ought to be one differ by less than this share */
#define MP_TLB_ALIKE 0.02

/** mp_tlb_bound_of() - a hop that takes so long is no hit */
double mp_tlb_bound_of(const struct mp_tlb_ask *ask,
		       const struct mp_tlb_search *search);

/**
 * mp_tlb_look_twice() - mp_tlb_look() by the cheaper of two skews
 *
 * And where its replicates differ by the cheapest of them: what the caches
 * lose can only add.
 */
bool mp_tlb_look_twice(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		       uint32_t replicates, struct mp_tlb_seen *seen);

/** mp_tlb_walks() - do hops of such a ring walk? A mp_tlb_test */
uint32_t mp_tlb_walks(struct mp_tlb_ask *ask, const void *ctx,
		      uint32_t stride, uint32_t n);

/** mp_tlb_walks_often() - does a ring cost walks in each of as many replicates as are
 * ever made, by two skews? By means: a page too many does, one of others may not */
uint32_t mp_tlb_walks_often(struct mp_tlb_ask *ask,
			    const struct mp_tlb_search *search, uint32_t stride,
			    uint32_t n);

/**
 * mp_tlb_is_clean() - do the caches hold the lines of such a ring?
 * @slack: what they may cost a hop
 *
 * Half as many pages with two lines each hit the first level then, or the
 * second at most.
 */
uint32_t mp_tlb_is_clean(struct mp_tlb_ask *ask,
			 const struct mp_tlb_search *search, uint32_t stride,
			 uint32_t n, double slack);

/** mp_tlb_find_walk() - what a walk costs, from @search->next_n on.
 * UNSURE: no more than a hit, or too few walk */
uint32_t mp_tlb_find_walk(struct mp_tlb_ask *ask,
			  struct mp_tlb_search *search,
			  struct mp_tlb_level *second);

/** mp_tlb_find_held() - entries, and the pages of some stride that fit */
uint32_t mp_tlb_find_held(struct mp_tlb_ask *ask,
			  const struct mp_tlb_search *search,
			  struct mp_tlb_level *second);

/** mp_tlb_find_ways() - or why they cannot be told */
uint32_t mp_tlb_find_ways(struct mp_tlb_ask *ask,
			  const struct mp_tlb_search *search,
			  struct mp_tlb_level *second);

#endif
