// SPDX-License-Identifier: GPL-2.0
/*
 * Entries and ways of the second level of a TLB: how many pages fit at some
 * stride, exactly, and how few they become when they are moved further apart.
 * The first level hides so many as it holds itself.
 */
#include "probe/tlb_search.h"

#include <math.h>

/* So many times one page's walks, give or take this share; and surely not. */
#define LINEAR 0.04
#define BENT 0.08
/* Of a random set with one page too many two pages a turn walk, however many
 * ways it has, and with another one about twice as many: no bend. */
#define RANDOM_WALKS 2.7
/* Pages of a turn that the first level keeps: no more than noise may seem. */
#define KEPT_MOST 0.15

/* Does it hold exactly so many at this stride? Not said where the innermost
 * cache or the first level hides it. */
static uint32_t holds(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
		      uint32_t stride, uint32_t n)
{
	uint32_t more, same;

	if (n <= search->first->held || !mp_tlb_clear(ask, stride, n + 1))
		return MP_TLB_UNSURE;
	more = mp_tlb_walks(ask, search, stride, n + 1);
	same = mp_tlb_walks(ask, search, stride, n);
	if (more == MP_TLB_LACKS || same == MP_TLB_LACKS)
		return MP_TLB_LACKS;
	if (more == MP_TLB_UNSURE || same == MP_TLB_UNSURE)
		return MP_TLB_UNSURE;
	return more == MP_TLB_YES && same == MP_TLB_NO ? MP_TLB_YES :
							 MP_TLB_NO;
}

/* Do all hops of a ring ask the second level? One that keeps some pages in
 * the first seems to hold more than it does. */
static uint32_t all_ask(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			uint32_t stride, uint32_t n)
{
	struct mp_tlb_seen seen;

	if (!mp_tlb_look_twice(ask, stride, n, MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	return fabs(seen.cycles - search->hit) < MP_TLB_ALIKE * search->hit ?
	       MP_TLB_YES : MP_TLB_UNSURE;
}

/* Do hops walk, where the first level may keep some pages from it? */
static uint32_t walks_surely(struct mp_tlb_ask *ask, const void *ctx,
			     uint32_t stride, uint32_t n)
{
	uint32_t say = mp_tlb_walks(ask, ctx, stride, n), all;

	if (say != MP_TLB_NO)
		return say;
	all = all_ask(ask, ctx, stride, n);
	return all == MP_TLB_YES ? MP_TLB_NO : all;
}

/* More fit at half the stride, or fewer at twice it, as has been seen: the
 * sets are a multiple of this stride, or of twice it. */
static bool is_plain(const struct mp_tlb_search *search, uint32_t stride, uint32_t n)
{
	return (search->last_stride == stride / 2 && search->last_n > n) ||
	       (search->next_stride == 2 * stride && search->next_n <= n);
}

/* The least stride at which as many are held: sets that are no power of two
 * are not spread over fewer for ever. 0: lacks. */
static uint32_t least_stride(struct mp_tlb_ask *ask,
			     const struct mp_tlb_search *search, uint32_t stride,
			     uint32_t n)
{
	uint32_t say = MP_TLB_YES;

	while (stride > 1 && say == MP_TLB_YES) {
		say = holds(ask, search, stride / 2, n);
		/* What is likely to be asked next may be had at once. */
		for (uint32_t k = 4; say == MP_TLB_LACKS && k <= stride; k *= 2)
			holds(ask, search, stride / k, n);
		if (say == MP_TLB_LACKS)
			return 0;
		if (say == MP_TLB_YES)
			stride /= 2;
	}
	return stride;
}

/*
 * Pages that the second level holds at a stride, exactly. Moved apart, so
 * many no longer fit: so half as many do, and its sets are counted by plain
 * numbers up to this stride. That is asked once more at half or twice the
 * stride, without which it is not known where pages of others are in the way.
 */
static uint32_t held_at(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			uint32_t stride, uint32_t low, uint32_t high,
			struct mp_tlb_level *second)
{
	const uint32_t fits = low;
	uint32_t say;

	/* Of this distance, and of those that bear it out. */
	ask->at_times = false;
	if (low > search->first->held) {
		say = mp_tlb_walks(ask, search, stride, low);
		if (say != MP_TLB_NO)
			return say == MP_TLB_LACKS ? say : MP_TLB_UNSURE;
	}
	say = mp_tlb_bisect(ask, mp_tlb_walks, search, stride, &low, high);
	if (say != MP_TLB_YES)
		return say;
	/* What the first level holds tells nothing. */
	if (low <= search->first->held && low != fits)
		return MP_TLB_UNSURE;
	stride = least_stride(ask, search, stride, low);
	if (!stride)
		return MP_TLB_LACKS;
	second->stride = stride;
	second->held = low;
	second->entries = stride * low;
	say = stride == 1 ? MP_TLB_UNSURE :
			    holds(ask, search, stride / 2, 2 * low);
	if (say == MP_TLB_UNSURE && low % 2 == 0)
		say = holds(ask, search, 2 * stride, low / 2);
	if (say == MP_TLB_UNSURE && !ask->at_times &&
	    is_plain(search, stride, low)) {
		if (!search->by_hops)
			say = mp_tlb_walks_often(ask, search, stride, low + 1);
		else
			say = MP_TLB_YES;
		if (say != MP_TLB_YES)
			return say == MP_TLB_LACKS ? say : MP_TLB_UNSURE;
		say = low > search->first->held ?
		      all_ask(ask, search, stride, low) :
		      all_ask(ask, search, search->last_stride,
			      search->last_n);
	}
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

/* What the slow hops of a ring cost each of its hops, by the skew that has the
 * fewest. */
static double cost_of_walks(const struct mp_tlb_ask *ask,
			    const struct mp_tlb_search *search, uint32_t stride,
			    uint32_t n)
{
	const double bound = mp_tlb_bound_of(ask, search);
	struct mp_tlb_ask other = *ask;
	double share = mp_tlb_share_least(ask, stride, n, bound, INFINITY);

	other.skew = ask->other_skew;
	return search->walk * fmin(share, mp_tlb_share_least(&other, stride, n,
							     bound, INFINITY));
}

/* It is a page that one too many costs more than none. By means that may be
 * hidden by pages that the first level keeps at times. */
static uint32_t is_page(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			const struct mp_tlb_level *second)
{
	const uint32_t stride = second->stride, n = second->held;
	struct mp_tlb_seen more, same;
	uint32_t say;
	double cost;

	if (!mp_tlb_look_twice(ask, stride, n, MP_TLB_REPLICATES, &same) ||
	    !mp_tlb_look_twice(ask, stride, n + 1, MP_TLB_REPLICATES, &more))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	cost = search->by_hops ? cost_of_walks(ask, search, stride, n + 1) :
				 more.cycles - same.cycles;
	say = mp_tlb_is_clean(ask, search, stride, n + 1, cost / 2);
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

/*
 * What had risen may have been lines that the caches lose: what a walk costs
 * was not known then. Where none of the hops walks it has not risen, and pages
 * further apart may.
 */
static uint32_t find_first_walks(struct mp_tlb_ask *ask,
				 struct mp_tlb_search *search)
{
	const uint32_t n = search->next_n;
	uint32_t say = mp_tlb_walks(ask, search, search->next_stride, n);

	while (say == MP_TLB_NO &&
	       mp_tlb_fits(ask, 2 * search->next_stride, n)) {
		search->last_n = n;
		search->last_stride = search->next_stride;
		search->next_stride *= 2;
		say = mp_tlb_walks(ask, search, search->next_stride, n);
	}
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

/* The same where walks begin. */
static uint32_t find_held(struct mp_tlb_ask *ask,
			  const struct mp_tlb_search *search,
			  struct mp_tlb_level *second)
{
	const uint32_t stride = search->next_stride, n = search->next_n;
	uint32_t low = search->last_n, say;

	if (search->last_stride < stride)
		low = low * search->last_stride / stride;
	say = held_at(ask, search, stride, low, n, second);
	/* The first level may hide so few: at half the stride there are more. */
	if (say == MP_TLB_UNSURE && search->last_stride == stride / 2 &&
	    search->last_n == n && 2 * n <= ask->lines_held)
		say = held_at(ask, search, stride / 2, n, 2 * n, second);
	return say == MP_TLB_YES ? is_page(ask, search, second) : say;
}

uint32_t mp_tlb_find_held(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			  struct mp_tlb_level *second)
{
	struct mp_tlb_search walking = *search;
	const uint32_t say = find_first_walks(ask, &walking);

	return say == MP_TLB_YES ? find_held(ask, &walking, second) : say;
}

/* Does the first level keep pages of a ring that has been looked at? It keeps
 * them from the second, whose sets then have fewer, each as it comes. */
static bool keeps(const struct mp_tlb_ask *ask,
		  const struct mp_tlb_search *search, uint32_t stride,
		  uint32_t n)
{
	double missing;

	if (!search->by_hops)
		return false;
	missing = mp_tlb_share(ask, stride, n, search->hit / 2);
	return !((1 - missing) * n <= KEPT_MOST);
}

/* Walks a turn of a ring, all of whose hops miss the first level; only what
 * is the same for all rings matters. */
static uint32_t walks_of(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			 const struct mp_tlb_level *second, uint32_t more,
			 double *count)
{
	const uint32_t n = second->held + more;
	struct mp_tlb_seen seen;

	if (!mp_tlb_clear(ask, second->stride, n))
		return MP_TLB_UNSURE;
	if (!mp_tlb_look(ask, second->stride, n, 2 * MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	if (keeps(ask, search, second->stride, n))
		return MP_TLB_UNSURE;
	*count = search->by_hops ?
		 n * mp_tlb_share(ask, second->stride, n,
				  mp_tlb_bound_of(ask, search)) :
		 n * (seen.cycles - search->hit) /
		 (search->walk - search->hit);
	return MP_TLB_YES;
}

/* With so many pages too many, has each a set of its own? */
static uint32_t is_linear(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			  const struct mp_tlb_level *second, uint32_t more)
{
	double one, all;
	uint32_t say = walks_of(ask, search, second, 1, &one);

	if (say == MP_TLB_YES)
		say = walks_of(ask, search, second, more, &all);
	if (say != MP_TLB_YES)
		return say;
	if (fabs(all / more / one - 1) < LINEAR)
		return MP_TLB_YES;
	return fabs(all / more / one - 1) > BENT ? MP_TLB_NO : MP_TLB_UNSURE;
}

/*
 * A set that loses half of its pages for one too many, and all for two, bends no
 * sooner than twice as many sets of half the ways: all of those would walk by
 * then. So a bend is believed where a page too many makes all of its set walk, and
 * no more: what costs more than that is a set of the caches that has a line too many.
 */
static bool loses_whole_set(uint32_t ways, double walks)
{
	return walks > (ways + 1) * (1 - LINEAR) &&
	       walks < ways + 1 + fmax((ways + 1) * BENT, 1);
}

/*
 * The first level hides a single set of the second. But each page too many
 * makes another set walk, as often as the first did, whatever the policy,
 * until each set has one: from then on sets have two, and that is not twice
 * one.
 */
static uint32_t ways_by_bend(struct mp_tlb_ask *ask,
			     const struct mp_tlb_search *search,
			     struct mp_tlb_level *second)
{
	const uint32_t held = second->held;
	uint32_t sets = 1, say = MP_TLB_YES;
	double count;

	for (uint32_t more = 2; ask->plan && more <= held; more *= 2)
		if (held % more == 0)
			walks_of(ask, search, second, more, &count);
	while (held % (2 * sets) == 0) {
		say = is_linear(ask, search, second, 2 * sets);
		if (say != MP_TLB_YES)
			break;
		sets *= 2;
	}
	if (say == MP_TLB_YES)
		say = is_linear(ask, search, second, 2 * sets);
	if (say == MP_TLB_LACKS)
		return say;
	/* Never straight is no bend: the first level may lose some pages only. */
	if (say != MP_TLB_NO || sets == 1)
		return MP_TLB_UNSURE;
	if (sets % 2 == 0 && held % (sets / 2 * 3) == 0) {
		say = is_linear(ask, search, second, sets / 2 * 3);
		if (say > MP_TLB_YES)
			return say;
		if (say == MP_TLB_YES)
			sets = sets / 2 * 3;
	}
	say = walks_of(ask, search, second, 1, &count);
	if (say != MP_TLB_YES)
		return say;
	if (count < RANDOM_WALKS || !loses_whole_set(held / sets, count))
		return MP_TLB_UNSURE;
	second->ways = held / sets;
	return MP_TLB_YES;
}

uint32_t mp_tlb_find_ways(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			  struct mp_tlb_level *second)
{
	struct mp_tlb_level half = *second;
	uint32_t say;

	say = mp_tlb_ladder(ask, mp_tlb_walks, walks_surely, search, &second->stride,
			    &second->held, search->first->held + 1);
	if (say == MP_TLB_YES) {
		second->ways = second->held;
		return say;
	}
	/* Twice as many are held at half the stride: more is seen of them. */
	half.stride /= 2;
	half.held *= 2;
	if (say != MP_TLB_LACKS && say != MP_TLB_YES &&
	    second->held <= search->first->held && second->stride > 1) {
		say = ways_by_bend(ask, search, &half);
		second->ways = half.ways;
	} else if (say == MP_TLB_NO) {
		say = ways_by_bend(ask, search, second);
	}
	if (say != MP_TLB_YES && say != MP_TLB_LACKS)
		second->why_ways = "the first level hides the sets of the second, or these are not plain ones";
	return say;
}
