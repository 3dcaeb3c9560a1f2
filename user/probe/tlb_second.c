// SPDX-License-Identifier: GPL-2.0
/*
 * The second level of a TLB, and what it costs to hit or to miss it. Pages
 * that the first level does not hold are spread over fewer and fewer sets of
 * the second by moving them apart, until they fall out of it too: so there
 * are never more of them than the innermost cache has lines for.
 */
#include "probe/tlb_search.h"

#include <math.h>
#include <string.h>

#define STRIDE_MOST 512u
#define AHEAD 4u
/* Seen so far apart, no second level known holds more pages than the first. */
#define STRIDE_FAR 256u
/* .. if no set known holds more pages than this, and there are so many sets
 * as a power of two, or as an odd number times one: further apart by that
 * number, pages fall into one set again. */
#define WAYS_MOST 24u
#define FAR_TRIES 3u
/* A cost has risen when it is so much higher, beside its errors. */
#define RISEN 1.1
#define SURE 4.0
/* Of a hit, what the caches may lose: else it is not known who lost what. */
#define CLEAN 0.05
/* A slow hop takes more than the clock's step longer, which is how far off it
 * may be read. */
#define BEYOND_STEP 1.1
/* Of the hops, these are none: what noise leaves. */
#define NO_HOPS 0.004
/* A clock whose step is more of a cost than this share cannot tell its hops
 * from faster ones. */
#define STEP_SHARE 0.3
#define HOP_MIN_CYCLES 2.0
/* Where there is but one set, and only means tell, a ring has so small a part of
 * its pages more than one too many. */
#define SINGLE_SET_PART 4u
/* A second level knows so many times as many pages as the first at least. */
#define NEAREST 1.3
/* .. and where only means tell: sets that are asked for fewer pages than twice
 * what they hold may keep the same share of them until they lose all. */
#define NEAREST_MEANS 2.0

uint32_t mp_tlb_full_of(const struct mp_tlb_level *first)
{
	return first->ways ? first->entries + first->entries / first->ways :
			     2 * first->entries;
}

/*
 * Does the first level lose all pages of a set that has one too many? Then
 * all rings of more pages than it holds miss it at each hop, and their mean
 * is one cost.
 */
static uint32_t loses_all(struct mp_tlb_ask *ask,
			  const struct mp_tlb_level *first,
			  const struct mp_tlb_seen *full)
{
	uint32_t n = first->entries + 1;
	struct mp_tlb_seen one;
	double share;

	if (!first->ways)
		return MP_TLB_UNSURE;
	/* Where there is but one set, each ring of more does, if any. Lines that the
	 * caches lose of it can only make it dearer. */
	if (first->ways == first->entries)
		n += n / 2;
	if (!mp_tlb_look(ask, 1, n, 2 * MP_TLB_REPLICATES, &one))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	share = first->ways == first->entries ? 1 : (first->ways + 1.0) / n;
	return fabs(one.cycles / share - full->cycles) <
	       MP_TLB_ALIKE * full->cycles + SURE * one.error / share ?
	       MP_TLB_YES : MP_TLB_NO;
}

/* The cost of the slow hops of a ring: that of most of them, or from its mean
 * and their share. */
static double cost_of_slow(const struct mp_tlb_ask *ask, uint32_t stride,
			   uint32_t n, double mean, double *share)
{
	double least = fmax(HOP_MIN_CYCLES, BEYOND_STEP * ask->step_cycles);
	struct mp_tlb_seen most;
	double cost;

	*share = mp_tlb_share(ask, stride, n, least);
	cost = mean / *share;
	*share = mp_tlb_share(ask, stride, n, fmax(cost / 2, least));
	mp_tlb_mostly(ask, stride, n, fmax(cost / 2, least), &most);
	return most.n ? most.cycles : mean / *share;
}

/* What a miss of the first level costs, just beyond what it holds. */
static uint32_t find_hit(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			 struct mp_tlb_level *level)
{
	const struct mp_tlb_level *first = search->first;
	uint32_t n = mp_tlb_full_of(first), say;
	struct mp_tlb_seen full;
	double share;

	/* One set of a policy other than LRU keeps part of a ring that has hardly
	 * more pages, which only times of single hops tell. */
	if (!ask->single && first->ways == first->entries &&
	    n < ask->lines_held)
		n = n + n / SINGLE_SET_PART < ask->lines_held ?
		    n + n / SINGLE_SET_PART : ask->lines_held;
	if (!mp_tlb_clear(ask, 1, n))
		return MP_TLB_UNSURE;
	if (!mp_tlb_look(ask, 1, n, MP_TLB_MANY, &full))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	search->last_n = n;
	search->last_stride = 1;
	search->hit = full.cycles;
	search->hit_error = full.error;
	level->id[level->n_ids++] = full.id;
	if (ask->single) {
		search->hit = cost_of_slow(ask, 1, n, full.cycles, &share);
		search->hit_error = full.error / share;
		/* None may be slow enough to tell: a few cycles, to a clock
		 * whose step is hardly less. */
		search->by_hops = share > 0 &&
				  ask->step_cycles < STEP_SHARE * search->hit;
		/* Hits and walks are mixed already. */
		if (search->by_hops &&
		    mp_tlb_share_least(ask, 1, n, mp_tlb_bound_of(ask, search),
				       INFINITY) > NO_HOPS)
			return MP_TLB_UNSURE;
	}
	if (search->by_hops)
		return MP_TLB_YES;
	search->hit = full.cycles;
	search->hit_error = full.error;
	say = loses_all(ask, first, &full);
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

/* By means: that of all replicates, or each of them. One that was disturbed
 * makes errors wide, which does not say that nothing rose. */
static uint32_t have_means_risen(const struct mp_tlb_search *search,
				 const struct mp_tlb_seen *seen)
{
	const double bound = search->hit * RISEN;

	if (seen->cycles > bound + SURE * hypot(seen->error,
						search->hit_error) ||
	    seen->least > bound + SURE * search->hit_error)
		return MP_TLB_YES;
	return seen->cycles > bound + SURE * search->hit_error ?
	       MP_TLB_UNSURE : MP_TLB_NO;
}

/* Has the cost of a ring risen above that of a hit? */
static uint32_t has_risen_skewed(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			  uint32_t stride, uint32_t n)
{
	struct mp_tlb_seen seen;
	double share;

	if (!mp_tlb_look(ask, stride, n, MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	if (!search->by_hops)
		return have_means_risen(search, &seen);
	share = mp_tlb_share_least(ask, stride, n, mp_tlb_bound_of(ask, search),
				   INFINITY);
	return share > NO_HOPS;
}

/* For its pages; UNSURE: for something else. */
static uint32_t has_risen(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			  uint32_t stride, uint32_t n)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = has_risen_skewed(ask, search, stride, n);
	struct mp_tlb_seen seen;

	if (say != MP_TLB_YES)
		return say;
	other.skew = ask->other_skew;
	say = has_risen_skewed(&other, search, stride, n);
	ask->lacks |= other.lacks;
	if (say != MP_TLB_YES)
		return say;
	/* So little may be what the caches lose. */
	if (!mp_tlb_look_twice(ask, stride, n, MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	if (seen.least < search->hit * (1 + MP_TLB_ALIKE))
		return MP_TLB_UNSURE;
	say = mp_tlb_is_clean(ask, search, stride, n, CLEAN * search->hit);
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

/* A ring of such a shape: a walk is found, or it is known that there is none,
 * or nothing is. */
static uint32_t try_ring(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			 uint32_t stride, uint32_t n,
			 struct mp_tlb_level *second)
{
	uint32_t say = has_risen(ask, search, stride, n);

	/* What is likely to be asked next may be had at once. */
	for (uint32_t k = 2; k <= AHEAD && say == MP_TLB_LACKS; k *= 2)
		if (mp_tlb_fits(ask, k * stride, n))
			has_risen(ask, search, k * stride, n);
	/* What did rise may be no walk. */
	if (say == MP_TLB_YES) {
		search->next_n = n;
		search->next_stride = stride;
		return mp_tlb_find_walk(ask, search, second);
	}
	if (say != MP_TLB_NO)
		return say;
	search->last_n = n;
	search->last_stride = stride;
	if (n <= 2 * search->first->entries) {
		search->few_n = n;
		search->few_stride = stride;
	}
	search->far |= stride >= STRIDE_FAR;
	if (stride >= STRIDE_FAR && n > search->far_n)
		search->far_n = n;
	return say;
}

/* Rings of a number of pages, further and further apart, then of more. */
static uint32_t scan_more(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			  struct mp_tlb_level *second)
{
	uint32_t n = 2 * search->first->entries, stride = 1, say;
	double most;

	if (n > ask->lines_held)
		n = ask->lines_held;
	most = fmax(n, ask->lines_held / 2);
	while (n >= search->last_n && n <= most &&
	       mp_tlb_fits(ask, stride, n)) {
		say = try_ring(ask, search, stride, n, second);
		if (say == MP_TLB_LACKS || say == MP_TLB_YES)
			return say;
		if (stride < STRIDE_MOST && mp_tlb_fits(ask, 2 * stride, n)) {
			stride *= 2;
			continue;
		}
		n *= 2;
		while (stride > 1 && !mp_tlb_fits(ask, stride, n))
			stride /= 2;
	}
	return MP_TLB_NO;
}

/* Rings of a number of pages, from some distance on. */
static uint32_t scan_far(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			 uint32_t n, struct mp_tlb_level *second)
{
	uint32_t say = MP_TLB_NO;

	for (uint32_t stride = STRIDE_MOST / 32;
	     stride <= STRIDE_MOST && say == MP_TLB_NO; stride *= 2) {
		if (n > ask->lines_held || !mp_tlb_fits(ask, stride, n))
			break;
		say = try_ring(ask, search, stride, n, second);
		if (say == MP_TLB_UNSURE)
			say = MP_TLB_NO;
	}
	return say;
}

/* Where the caches have too few sets for rings that are far apart, fewer
 * pages may do; and where a first level is small, a set of the second may hold
 * twice as many. */
static uint32_t scan(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
		     struct mp_tlb_level *second)
{
	const uint32_t e = search->first->entries;
	const uint32_t few[] = { e + e / 2, mp_tlb_full_of(search->first) };
	uint32_t say = scan_more(ask, search, second);

	for (uint32_t i = 0; i < 2 && !search->far && say == MP_TLB_NO; i++)
		say = scan_far(ask, search, few[i], second);
	if (say == MP_TLB_NO && search->far_n <= WAYS_MOST && e <= WAYS_MOST)
		say = scan_far(ask, search, WAYS_MOST + 1, second);
	return say;
}

static void end(struct mp_tlb_level *level, uint32_t say, const char *why)
{
	level->end = say == MP_TLB_LACKS ? MP_TLB_OPEN : MP_TLB_CANNOT;
	level->why = why;
}

/* The same by the cheaper of two skews, of a ring that has been looked at. */
static double slow_by_skews(struct mp_tlb_ask *ask, uint32_t stride,
			    uint32_t n)
{
	const uint32_t skews[] = { ask->skew, ask->other_skew };
	struct mp_tlb_ask other = *ask;
	double least = INFINITY, share;

	for (uint32_t i = 0; i < 2; i++) {
		struct mp_tlb_seen seen;

		other.skew = skews[i];
		if (mp_tlb_look(&other, stride, n, 1, &seen))
			least = fmin(least, cost_of_slow(&other, stride, n,
							 seen.cycles, &share));
	}
	return least;
}

/* Does a ring cost the same by both skews? */
static uint32_t is_same(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n)
{
	struct mp_tlb_ask other = *ask;
	struct mp_tlb_seen seen, also;
	bool there;

	other.skew = ask->other_skew;
	there = mp_tlb_look(ask, stride, n, 1, &seen);
	there &= mp_tlb_look(&other, stride, n, 1, &also);
	if (!there)
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	return fabs(seen.least - also.least) < MP_TLB_ALIKE / 4 * seen.least ?
	       MP_TLB_YES : MP_TLB_NO;
}

/* The ring that is held against the first: the last one; or of as few pages
 * the last of which the caches lose no lines, if there is one. */
static uint32_t last_ring(struct mp_tlb_ask *ask,
			  const struct mp_tlb_search *search, uint32_t *stride,
			  uint32_t *n)
{
	uint32_t say;

	*n = search->last_n;
	*stride = search->last_stride;
	say = is_same(ask, *stride, *n);
	if (say != MP_TLB_NO || !search->few_n)
		return say;
	*n = search->few_n;
	for (uint32_t s = search->few_stride; s > 1; s /= 2) {
		say = is_same(ask, s, *n);
		*stride = s;
		if (say != MP_TLB_NO)
			return say;
	}
	*stride = search->few_stride;
	return say;
}

/* What a miss of the first level costs, by the first ring and another one. */
static uint32_t judge_hit(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			  struct mp_tlb_level *first)
{
	struct mp_tlb_seen seen;
	uint32_t n, stride;

	if (last_ring(ask, search, &stride, &n) == MP_TLB_LACKS)
		return MP_TLB_LACKS;
	if (!mp_tlb_look_twice(ask, stride, n, 2 * MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	first->cycles = search->hit;
	first->error = search->hit_error;
	first->other = search->by_hops ?
		       slow_by_skews(ask, stride, n) : seen.cycles;
	return MP_TLB_YES;
}

/* Pages of one set of a second level, were there one of odd * 2^k sets, are
 * more than it holds: do they cost no more than others? */
static uint32_t stays_one(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			  uint32_t odd)
{
	static const uint32_t far[FAR_TRIES] = {
		STRIDE_FAR, STRIDE_FAR / 2, 2 * STRIDE_FAR
	};
	const uint32_t e = search->first->entries;
	uint32_t say;

	for (uint32_t i = 0; i < FAR_TRIES; i++) {
		uint64_t most = ask->pages_most / (odd * far[i]);
		uint32_t n = e + e / 2 > WAYS_MOST ? e + e / 2 : WAYS_MOST + 1;

		if (most > ask->lines_held)
			most = ask->lines_held;
		if (n > most)
			n = (uint32_t)most;
		if (odd * far[i] < STRIDE_FAR || n <= e || n <= WAYS_MOST)
			continue;
		say = has_risen(ask, search, odd * far[i], n);
		/* What rose for its lines may not do so elsewhere. */
		if (say != MP_TLB_UNSURE)
			return say;
	}
	return MP_TLB_UNSURE;
}

/* Is there no second level? Not said before each number of sets would have
 * shown: by pages of one set, or by more than that many of them hold. */
static uint32_t is_none(struct mp_tlb_ask *ask, struct mp_tlb_search *search)
{
	static const uint32_t odd[] = { 1, 3, 5, 7 };
	uint32_t worst = MP_TLB_YES, say;

	for (uint32_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		if (search->far_n > odd[i] * WAYS_MOST)
			continue;
		say = stays_one(ask, search, odd[i]);
		if (say == MP_TLB_YES || say == MP_TLB_UNSURE)
			return MP_TLB_NO;
		if (say == MP_TLB_LACKS)
			worst = say;
	}
	return worst;
}

/* One cost wherever one looks. That it is there just beyond the first level
 * leaves no room for a second one that is hardly larger. */
static void end_without(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			struct mp_tlb_level *first,
			struct mp_tlb_level *second)
{
	uint32_t say = judge_hit(ask, search, first);

	second->entries = search->last_n;
	if (say != MP_TLB_YES) {
		end(second, say, "too few undisturbed measurements");
		return;
	}
	if (ask->pages != MP_PAGES_4K) {
		second->end = MP_TLB_BEYOND;
		return;
	}
	say = MP_TLB_NO;
	if (search->far && search->last_n > first->entries)
		say = is_none(ask, search);
	if (say == MP_TLB_YES)
		second->end = MP_TLB_NONE;
	else
		end(second, say,
		    "the innermost cache or the arena ends first");
}

/* A first level that keeps part of a ring that it does not hold costs less at
 * first than later, as if there were a second of hardly more pages. Means are
 * of hits in both: that the cost is one for a while does not say that it is
 * the second's. */
static bool is_near(const struct mp_tlb_search *search,
		    const struct mp_tlb_level *second)
{
	const double nearest = search->by_hops ? NEAREST : NEAREST_MEANS;

	return second->entries < nearest * search->first->entries;
}

void mp_tlb_second(struct mp_tlb_ask *ask, struct mp_tlb_level *first,
		   struct mp_tlb_level *second)
{
	struct mp_tlb_search search = { .first = first };
	uint32_t say;

	memset(second, 0, sizeof(*second));
	second->cycles = second->other = NAN;
	say = find_hit(ask, &search, second);
	if (say > MP_TLB_YES) {
		end(second, say, "what misses the first level has no one cost");
		return;
	}
	say = scan(ask, &search, second);
	if (say > MP_TLB_YES) {
		end(second, say, "too few undisturbed measurements");
		return;
	}
	if (say == MP_TLB_NO) {
		end_without(ask, &search, first, second);
		return;
	}
	say = judge_hit(ask, &search, first);
	if (say == MP_TLB_YES)
		say = mp_tlb_find_held(ask, &search, second);
	if (say != MP_TLB_YES) {
		end(second, say, ask->at_times ?
		    "what runs beside the rings takes entries at times, so that a full set is not told from one with a page too many" :
		    "from how many pages on one walks cannot be told: too noisy, or sets that are not plain ones");
		return;
	}
	if (is_near(&search, second)) {
		end(second, MP_TLB_UNSURE, "it would know hardly more pages than the first, whose own replacement may look so");
		return;
	}
	second->end = MP_TLB_FOUND;
	if (mp_tlb_find_ways(ask, &search, second) == MP_TLB_LACKS)
		second->end = MP_TLB_OPEN;
}
