// SPDX-License-Identifier: GPL-2.0
/*
 * The second level of a TLB, and what it costs to hit or to miss it. Pages
 * that the first level does not hold are spread over fewer and fewer sets of
 * the second by moving them apart, until they fall out of it too: so there
 * are never more of them than the innermost cache has lines for.
 */
#include "probe/tlb_find.h"

#include <math.h>
#include <string.h>

#define STRIDE_MOST 512u
#define AHEAD 4u
/* Seen so far apart, no second level known holds more pages than the first. */
#define STRIDE_FAR 256u
/* A cost has risen when it is so much higher, beside its errors. */
#define RISEN 1.1
#define SURE 4.0
/* Costs that ought to be one differ by less than this share. */
#define ALIKE 0.02
/* Pages so many times further apart than where walks begin all walk. */
#define WALK_FAR 8u
/* Of its hops such a ring walks at so many at least, and a walk costs so much
 * more than a hit. */
#define MANY_WALKS 0.2
#define WALK_LEAST 1.2
/* Lines that lie so many lines further apart in their pages fall on other
 * sets; even, so that the sum with an odd skew is odd. */
#define OTHER_SKEW 2u
/* Where hops are timed, one is no hit when it takes so much longer, and by
 * more than the clock's step, which is how far off a hop may be read. */
#define BEYOND_HIT 1.2
#define BEYOND_STEP 1.1
/* Of the hops, these are none: what noise leaves. */
#define NO_HOPS 0.004
/* A clock whose step is more of a cost than this share cannot tell its hops
 * from faster ones. */
#define STEP_SHARE 0.3
#define HOP_MIN_CYCLES 2.0

/* So many times one page's walks, give or take this share; and surely not. */
#define LINEAR 0.04
#define BENT 0.08
/* Walks a turn are some where hops are timed. */
#define SOME_WALKS 0.15

/* What is known on the way. */
struct search {
	const struct mp_tlb_level *first;
	bool by_hops;		/* hops of a walk are counted */
	double hit;		/* cost of a hit in the second level */
	double hit_error;
	double walk;		/* what at least a walk costs */
	uint32_t last_n;	/* the last ring with hits only */
	uint32_t last_stride;
	bool far;		/* rings far enough apart have been seen */
	uint32_t next_n;	/* the first with walks; 0 = none found */
	uint32_t next_stride;
};

static double bound_of(const struct mp_tlb_ask *ask,
		       const struct search *search)
{
	if (search->walk > search->hit)
		return (search->hit + search->walk) / 2;
	return fmax(search->hit * BEYOND_HIT,
		    search->hit + BEYOND_STEP * ask->step_cycles);
}

/* Do hops of such a ring walk? As lines of one skew have it. */
static uint32_t walks_skewed(struct mp_tlb_ask *ask, const void *ctx,
		      uint32_t stride, uint32_t n)
{
	const struct search *search = ctx;
	double least = (search->walk - search->hit) / 2 / n;
	struct mp_tlb_seen seen;
	double error;
	uint32_t say = MP_TLB_UNSURE;

	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say == MP_TLB_UNSURE; k *= 4) {
		if (!mp_tlb_look(ask, stride, n, k, &seen))
			return ask->lacks && !ask->plan ? MP_TLB_UNSURE :
							  MP_TLB_LACKS;
		if (search->by_hops)
			return mp_tlb_share(ask, stride, n, bound_of(ask, search)) *
			       n > SOME_WALKS ? MP_TLB_YES : MP_TLB_NO;
		say = mp_tlb_compare(seen.cycles,
				     hypot(seen.error, search->hit_error),
				     search->hit + least);
	}
	/* A walk a turn or none: what is nearer. */
	error = hypot(seen.error, search->hit_error);
	if (say == MP_TLB_UNSURE && error < least / 2)
		say = seen.cycles > search->hit + least;
	return say;
}

/* Whatever the innermost cache loses, it is not the same lines for lines that
 * lie elsewhere in their pages. */
static uint32_t walks(struct mp_tlb_ask *ask, const void *ctx,
		      uint32_t stride, uint32_t n)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = walks_skewed(ask, ctx, stride, n);

	if (say != MP_TLB_YES)
		return say;
	other.skew += OTHER_SKEW;
	say = walks_skewed(&other, ctx, stride, n);
	ask->lacks |= other.lacks;
	return say;
}

/* A ring with more pages in all sets of the first level than they hold. */
static uint32_t full_of(const struct mp_tlb_level *first)
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
	/* Where there is but one set, each ring of more does. */
	if (first->ways == first->entries)
		n += n / 2;
	if (!mp_tlb_look(ask, 1, n, 2 * MP_TLB_REPLICATES, &one))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	share = first->ways == first->entries ? 1 : (first->ways + 1.0) / n;
	return fabs(one.cycles / share - full->cycles) <
	       ALIKE * full->cycles + SURE * one.error / share ?
	       MP_TLB_YES : MP_TLB_NO;
}

/* The cost of the slow hops of a ring, from its mean and their share. */
static double cost_of_slow(const struct mp_tlb_ask *ask, uint32_t stride,
			   uint32_t n, double mean, double *share)
{
	double least = fmax(HOP_MIN_CYCLES, BEYOND_STEP * ask->step_cycles);
	double cost;

	*share = mp_tlb_share(ask, stride, n, least);
	cost = mean / *share;
	*share = mp_tlb_share(ask, stride, n, fmax(cost / 2, least));
	return mean / *share;
}

/* What a miss of the first level costs, just beyond what it holds. */
static uint32_t find_hit(struct mp_tlb_ask *ask, struct search *search,
			 struct mp_tlb_level *level)
{
	const struct mp_tlb_level *first = search->first;
	uint32_t n = full_of(first), say;
	struct mp_tlb_seen full;
	double share;

	if (n > ask->lines_held)
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
		search->by_hops = ask->step_cycles < STEP_SHARE * search->hit;
		/* Hits and walks are mixed already. */
		if (search->by_hops &&
		    mp_tlb_share(ask, 1, n, bound_of(ask, search)) > NO_HOPS)
			return MP_TLB_UNSURE;
	}
	if (search->by_hops)
		return MP_TLB_YES;
	search->hit = full.cycles;
	search->hit_error = full.error;
	say = loses_all(ask, first, &full);
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

/* Has the cost of a ring risen above that of a hit? */
static uint32_t has_risen_skewed(struct mp_tlb_ask *ask, struct search *search,
			  uint32_t stride, uint32_t n)
{
	struct mp_tlb_seen seen;
	double share;

	if (!mp_tlb_look(ask, stride, n, MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	if (!search->by_hops)
		return seen.cycles > search->hit * RISEN + SURE *
		       hypot(seen.error, search->hit_error);
	share = mp_tlb_share(ask, stride, n, bound_of(ask, search));
	return share > NO_HOPS;
}

static uint32_t has_risen(struct mp_tlb_ask *ask, struct search *search,
			  uint32_t stride, uint32_t n)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = has_risen_skewed(ask, search, stride, n);

	if (say != MP_TLB_YES)
		return say;
	other.skew += OTHER_SKEW;
	say = has_risen_skewed(&other, search, stride, n);
	ask->lacks |= other.lacks;
	return say;
}

/* Rings of a number of pages, further and further apart, then of more. */
static uint32_t scan(struct mp_tlb_ask *ask, struct search *search)
{
	uint32_t n = 2 * search->first->entries, stride = 1, say;
	double most;

	if (n > ask->lines_held)
		n = ask->lines_held;
	most = fmax(n, ask->lines_held / 2);
	while (n >= search->last_n && n <= most &&
	       mp_tlb_fits(ask, stride, n)) {
		say = has_risen(ask, search, stride, n);
		/* What is likely to be asked next may be had at once. */
		for (uint32_t k = 2; k <= AHEAD && say == MP_TLB_LACKS; k *= 2)
			if (mp_tlb_fits(ask, k * stride, n))
				has_risen(ask, search, k * stride, n);
		if (say > MP_TLB_YES)
			return say;
		if (say == MP_TLB_YES) {
			search->next_n = n;
			search->next_stride = stride;
			return say;
		}
		search->last_n = n;
		search->last_stride = stride;
		search->far |= stride >= STRIDE_FAR;
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

/* What a hop of such a ring costs that walks; no walks: NAN. */
static uint32_t walk_of(struct mp_tlb_ask *ask, const struct search *search,
			uint32_t stride, uint32_t n, struct mp_tlb_seen *seen)
{
	double walking, missing;

	if (!mp_tlb_look(ask, stride, n, 2 * MP_TLB_REPLICATES, seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	if (!search->by_hops)
		return MP_TLB_YES;
	walking = mp_tlb_share(ask, stride, n, bound_of(ask, search));
	missing = mp_tlb_share(ask, stride, n, search->hit / 2);
	if (!(walking > MANY_WALKS))
		return MP_TLB_UNSURE;
	seen->cycles = (seen->cycles - search->hit * (missing - walking)) /
		       walking;
	return MP_TLB_YES;
}

/* What a walk costs: so many pages that all of them walk. The innermost cache
 * can only add to it: of two skews the cheaper one. */
static uint32_t find_walk(struct mp_tlb_ask *ask, struct search *search,
			  struct mp_tlb_level *second)
{
	uint32_t n = search->next_n, stride = search->next_stride, say, both;
	uint32_t worst = MP_TLB_YES;
	struct mp_tlb_seen seen[2], also;
	struct mp_tlb_ask other = *ask;

	other.skew += OTHER_SKEW;
	while (stride < WALK_FAR * search->next_stride &&
	       mp_tlb_fits(ask, 2 * stride, n))
		stride *= 2;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t at = !i ? n : n + n / 2 <= ask->lines_held ?
			      n + n / 2 : n - n / 4;
		uint32_t far = stride;

		while (far > 1 && !mp_tlb_fits(ask, far, at))
			far /= 2;
		say = walk_of(ask, search, far, at, &seen[i]);
		both = walk_of(&other, search, far, at, &also);
		worst = say > worst ? say : worst;
		worst = both > worst ? both : worst;
		if (worst != MP_TLB_YES)
			continue;
		seen[i].cycles = fmin(seen[i].cycles, also.cycles);
		second->id[second->n_ids++] = seen[i].id;
	}
	if (worst != MP_TLB_YES)
		return worst;
	search->walk = seen[0].cycles;
	second->cycles = seen[0].cycles;
	second->error = seen[0].error;
	second->other = seen[1].cycles;
	return search->walk > search->hit * WALK_LEAST ? MP_TLB_YES :
							 MP_TLB_UNSURE;
}

/* Does it hold exactly so many at this stride? Not said where the innermost
 * cache or the first level hides it. */
static uint32_t holds(struct mp_tlb_ask *ask, const struct search *search,
		      uint32_t stride, uint32_t n)
{
	uint32_t more, same;

	if (n + 1 > ask->lines_held || n <= search->first->held ||
	    !mp_tlb_fits(ask, stride, n + 1))
		return MP_TLB_UNSURE;
	more = walks(ask, search, stride, n + 1);
	same = walks(ask, search, stride, n);
	if (more == MP_TLB_LACKS || same == MP_TLB_LACKS)
		return MP_TLB_LACKS;
	if (more == MP_TLB_UNSURE || same == MP_TLB_UNSURE)
		return MP_TLB_UNSURE;
	return more == MP_TLB_YES && same == MP_TLB_NO ? MP_TLB_YES :
							 MP_TLB_NO;
}

/*
 * Pages that the second level holds at a stride, exactly. Moved apart, so
 * many no longer fit: so half as many do, and its sets are counted by plain
 * numbers up to this stride. That is asked once more at half or twice the
 * stride.
 */
static uint32_t find_held(struct mp_tlb_ask *ask, const struct search *search,
			  struct mp_tlb_level *second)
{
	uint32_t low = search->last_n, high = search->next_n, say, fits;
	uint32_t stride = search->next_stride;

	if (search->last_stride < stride)
		low /= 2;
	fits = low;
	if (low > search->first->held) {
		say = walks(ask, search, stride, low);
		if (say != MP_TLB_NO)
			return say == MP_TLB_LACKS ? say : MP_TLB_UNSURE;
	}
	say = mp_tlb_bisect(ask, walks, search, stride, &low, high);
	if (say != MP_TLB_YES)
		return say;
	/* What the first level holds tells nothing. */
	if (low <= search->first->held && low != fits)
		return MP_TLB_UNSURE;
	second->stride = stride;
	second->held = low;
	second->entries = stride * low;
	say = stride == 1 ? MP_TLB_UNSURE :
			    holds(ask, search, stride / 2, 2 * low);
	if (say == MP_TLB_UNSURE && low % 2 == 0)
		say = holds(ask, search, 2 * stride, low / 2);
	if (say == MP_TLB_UNSURE && !search->by_hops)
		return MP_TLB_YES;
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

/* Walks a turn of a ring, all of whose hops miss the first level; only what
 * is the same for all rings matters. */
static uint32_t walks_of(struct mp_tlb_ask *ask, const struct search *search,
			 const struct mp_tlb_level *second, uint32_t more,
			 double *count)
{
	const uint32_t n = second->held + more;
	struct mp_tlb_seen seen;

	if (n > ask->lines_held || !mp_tlb_fits(ask, second->stride, n))
		return MP_TLB_UNSURE;
	if (!mp_tlb_look(ask, second->stride, n, 2 * MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	*count = search->by_hops ?
		 n * mp_tlb_share(ask, second->stride, n,
				  bound_of(ask, search)) :
		 n * (seen.cycles - search->hit) /
		 (search->walk - search->hit);
	return MP_TLB_YES;
}

/* With so many pages too many, has each a set of its own? */
static uint32_t is_linear(struct mp_tlb_ask *ask, const struct search *search,
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
 * The first level hides a single set of the second. But each page too many
 * makes another set walk, as often as the first did, whatever the policy,
 * until each set has one: from then on sets have two, and that is not twice
 * one.
 */
static uint32_t ways_by_bend(struct mp_tlb_ask *ask,
			     const struct search *search,
			     struct mp_tlb_level *second)
{
	const uint32_t held = second->held;
	uint32_t sets = 1, say = MP_TLB_YES;

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
	second->ways = held / sets;
	return MP_TLB_YES;
}

static uint32_t find_ways(struct mp_tlb_ask *ask, const struct search *search,
			  struct mp_tlb_level *second)
{
	uint32_t say;

	say = mp_tlb_ladder(ask, walks, search, &second->stride,
			    &second->held, search->first->held + 1);
	if (say == MP_TLB_YES) {
		second->ways = second->held;
		return say;
	}
	if (say == MP_TLB_NO)
		say = ways_by_bend(ask, search, second);
	if (say != MP_TLB_YES && say != MP_TLB_LACKS)
		second->why_ways = "the first level hides the sets of the second, or these are not plain ones";
	return say;
}

static void end(struct mp_tlb_level *level, uint32_t say, const char *why)
{
	level->end = say == MP_TLB_LACKS ? MP_TLB_OPEN : MP_TLB_CANNOT;
	level->why = why;
}

/* What a miss of the first level costs, by the first ring and by the last. */
static uint32_t judge_hit(struct mp_tlb_ask *ask, const struct search *search,
			  struct mp_tlb_level *first)
{
	uint32_t n = search->last_n, stride = search->last_stride;
	struct mp_tlb_seen seen;
	double share;

	if (!mp_tlb_look(ask, stride, n, 2 * MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	first->cycles = search->hit;
	first->error = search->hit_error;
	first->other = search->by_hops ?
		       cost_of_slow(ask, stride, n, seen.cycles, &share) :
		       seen.cycles;
	return MP_TLB_YES;
}

/* One cost wherever one looks. That it is there just beyond the first level
 * leaves no room for a second one that is hardly larger. */
static void end_without(struct mp_tlb_ask *ask, const struct search *search,
			struct mp_tlb_level *first,
			struct mp_tlb_level *second)
{
	uint32_t say = judge_hit(ask, search, first);

	if (say != MP_TLB_YES)
		end(second, say, "too few undisturbed measurements");
	else if (search->last_n < 2 * first->entries ||
		 (ask->pages == MP_PAGES_4K && !search->far))
		end(second, MP_TLB_UNSURE,
		    "the innermost cache or the arena ends first");
	else
		second->end = ask->pages == MP_PAGES_4K ? MP_TLB_NONE :
							  MP_TLB_BEYOND;
	second->entries = search->last_n;
}

void mp_tlb_second(struct mp_tlb_ask *ask, struct mp_tlb_level *first,
		   struct mp_tlb_level *second)
{
	struct search search = { .first = first };
	uint32_t say;

	memset(second, 0, sizeof(*second));
	second->cycles = second->other = NAN;
	say = find_hit(ask, &search, second);
	if (say > MP_TLB_YES) {
		end(second, say, "what misses the first level has no one cost");
		return;
	}
	say = scan(ask, &search);
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
		say = find_walk(ask, &search, second);
	if (say == MP_TLB_YES)
		say = find_held(ask, &search, second);
	if (say != MP_TLB_YES) {
		end(second, say, "from how many pages on one walks cannot be told: too noisy, or sets that are not plain ones");
		return;
	}
	second->end = MP_TLB_FOUND;
	if (find_ways(ask, &search, second) == MP_TLB_LACKS)
		second->end = MP_TLB_OPEN;
}
