// SPDX-License-Identifier: GPL-2.0
/*
 * Page walks: which rings have some, and what one costs. The innermost caches
 * can only add to what a ring costs, and they lose other lines by another
 * skew, in another replicate, and of fewer pages with two lines each.
 */
#include "probe/tlb_search.h"

#include <math.h>

/* As many walk as at most, but for noise. */
#define ALL_WALK 0.99
/* Of so many strides, each twice the last, from where walks begin, at some
 * all pages walk. */
#define WALK_STRIDES 4u
/* Of its hops such a ring walks at so many at least, and a walk costs so much
 * more than a hit. */
#define MANY_WALKS 0.2
#define WALK_LEAST 1.2
/* Where hops are timed, one is no hit when it takes so much longer, and by
 * more than the clock's step, which is how far off a hop may be read. */
#define BEYOND_HIT 1.2
#define BEYOND_STEP 1.1
/* A walk takes this share less than it was found to, at the most. */
#define WALK_OFF 0.1
/* Walks a turn are some where hops are timed. */
#define SOME_WALKS 0.15

double mp_tlb_bound_of(const struct mp_tlb_ask *ask,
		       const struct mp_tlb_search *search)
{
	if (search->walk > search->hit)
		return (search->hit + search->walk) / 2;
	return fmax(search->hit * BEYOND_HIT,
		    search->hit + BEYOND_STEP * ask->step_cycles);
}

bool mp_tlb_look_twice(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		       uint32_t replicates, struct mp_tlb_seen *seen)
{
	struct mp_tlb_ask other = *ask;
	struct mp_tlb_seen also;
	bool there = mp_tlb_look(ask, stride, n, replicates, seen);

	other.skew = ask->other_skew;
	there &= mp_tlb_look(&other, stride, n, replicates, &also);
	ask->lacks |= other.lacks;
	if (there && also.cycles < seen->cycles)
		*seen = also;
	if (there && seen->error > MP_TLB_ALIKE / 2 * seen->cycles) {
		seen->error = fmin(seen->error,
				   (seen->cycles - seen->least) / 2);
		seen->cycles = seen->least;
	}
	return there;
}

/*
 * Hops that take longer than a hit. Those that take much longer than a walk may
 * do so for a line that a level further out has put out of all, and those that
 * take less for one that is found there: if each replicate has some, but one has
 * no walk, it is not known what they are.
 */
static uint32_t walks_by_hops(struct mp_tlb_ask *ask,
			      const struct mp_tlb_search *search,
			      uint32_t stride, uint32_t n)
{
	const double bound = mp_tlb_bound_of(ask, search);
	const double step = BEYOND_STEP * ask->step_cycles;
	const double least = fmax(bound, search->walk -
				  fmax(WALK_OFF * search->walk, step));
	const double most = search->walk + fmax(search->walk - search->hit,
						step);

	if (mp_tlb_share_least(ask, stride, n, bound, INFINITY) * n <=
	    SOME_WALKS)
		return MP_TLB_NO;
	if (search->walk > search->hit &&
	    mp_tlb_share_least(ask, stride, n, least, most) * n <= SOME_WALKS)
		return MP_TLB_UNSURE;
	return MP_TLB_YES;
}

/* Do hops of such a ring walk? As lines of one skew have it. */
static uint32_t walks_skewed(struct mp_tlb_ask *ask, const void *ctx,
		      uint32_t stride, uint32_t n)
{
	const struct mp_tlb_search *search = ctx;
	double least = (search->walk - search->hit) / 2 / n;
	const double one = mp_tlb_one_error(ask);
	struct mp_tlb_seen seen;
	double error;
	uint32_t say = MP_TLB_UNSURE;

	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say == MP_TLB_UNSURE; k *= 4) {
		if (!mp_tlb_look(ask, stride, n, k, &seen))
			return ask->lacks && !ask->plan ? MP_TLB_UNSURE :
							  MP_TLB_LACKS;
		if (search->by_hops)
			return walks_by_hops(ask, search, stride, n);
		say = mp_tlb_compare(seen.cycles,
				     hypot(seen.error, search->hit_error),
				     search->hit + least);
	}
	/* A page too many walks in each replicate; what else runs on this CPU
	 * takes an entry of a full set in some. */
	if (say != MP_TLB_NO &&
	    mp_tlb_compare(seen.least, hypot(one, search->hit_error),
			   search->hit + least) == MP_TLB_NO) {
		ask->at_times = true;
		return MP_TLB_NO;
	}
	/* A walk a turn or none: what is nearer. */
	error = hypot(seen.error, search->hit_error);
	if (say == MP_TLB_UNSURE && error < least / 2)
		say = seen.cycles > search->hit + least;
	return say;
}

/* Whatever the innermost cache loses, it is not the same lines for lines that
 * lie elsewhere in their pages. */
uint32_t mp_tlb_walks(struct mp_tlb_ask *ask, const void *ctx,
		      uint32_t stride, uint32_t n)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = walks_skewed(ask, ctx, stride, n), also;

	if (say != MP_TLB_YES && say != MP_TLB_LACKS)
		return say;
	other.skew = ask->other_skew;
	also = walks_skewed(&other, ctx, stride, n);
	ask->lacks |= other.lacks;
	ask->err = ask->err ? ask->err : other.err;
	ask->at_times |= other.at_times;
	return say == MP_TLB_LACKS ? say : also;
}

uint32_t mp_tlb_walks_often(struct mp_tlb_ask *ask,
			    const struct mp_tlb_search *search, uint32_t stride,
			    uint32_t n)
{
	const double bound = search->hit + (search->walk - search->hit) / 2 / n;
	const uint32_t skews[] = { ask->skew, ask->other_skew };
	struct mp_tlb_ask other = *ask;
	uint32_t say = MP_TLB_YES;

	for (uint32_t i = 0; i < 2 && say != MP_TLB_NO; i++) {
		struct mp_tlb_seen seen;

		other.skew = skews[i];
		if (!mp_tlb_look(&other, stride, n, MP_TLB_MANY, &seen))
			say = ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
		else if (!(seen.least > bound))
			say = MP_TLB_NO;
	}
	ask->lacks |= other.lacks;
	ask->err = ask->err ? ask->err : other.err;
	return say;
}

uint32_t mp_tlb_is_clean(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			 uint32_t stride, uint32_t n, double slack)
{
	const uint32_t half = (n + 1) / 2;
	const bool first = half <= search->first->held;

	return mp_tlb_is_pages(ask, stride, half, first ? 0 : search->hit,
			       slack);
}

/* What a hop of such a ring costs that walks, and what share of them do. */
static uint32_t walk_of(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			uint32_t stride, uint32_t n, struct mp_tlb_seen *seen,
			double *walking)
{
	struct mp_tlb_seen most;
	double missing;

	*walking = 1;
	if (!mp_tlb_look(ask, stride, n, 2 * MP_TLB_REPLICATES, seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	if (!search->by_hops)
		return MP_TLB_YES;
	*walking = mp_tlb_share(ask, stride, n, mp_tlb_bound_of(ask, search));
	missing = mp_tlb_share(ask, stride, n, search->hit / 2);
	if (!(*walking > MANY_WALKS))
		return MP_TLB_UNSURE;
	mp_tlb_mostly(ask, stride, n, mp_tlb_bound_of(ask, search), &most);
	if (most.n) {
		most.id = seen->id;
		*seen = most;
	} else {
		seen->cycles = (seen->cycles -
				search->hit * (missing - *walking)) / *walking;
	}
	return MP_TLB_YES;
}

/* By the cheaper of two skews: the innermost cache can only add to it. */
static uint32_t walk_by_skews(struct mp_tlb_ask *ask,
			      const struct mp_tlb_search *search, uint32_t stride,
			      uint32_t n, struct mp_tlb_seen *seen,
			      double *walking)
{
	struct mp_tlb_ask other = *ask;
	struct mp_tlb_seen also;
	uint32_t say, both;
	double share;

	say = walk_of(ask, search, stride, n, seen, walking);
	other.skew = ask->other_skew;
	both = walk_of(&other, search, stride, n, &also, &share);
	ask->lacks |= other.lacks;
	if (say == MP_TLB_YES && both == MP_TLB_YES &&
	    also.cycles < seen->cycles) {
		*seen = also;
		*walking = share;
	}
	return say > both ? say : both;
}

/*
 * What a walk costs, by so many pages that they all walk. They all do a few
 * strides beyond the one at which walks began; but then the caches may have
 * too few sets for them, and what is cheapest tells.
 */
static uint32_t walk_with(struct mp_tlb_ask *ask, const struct mp_tlb_search *search,
			  uint32_t n, struct mp_tlb_seen *least)
{
	uint32_t worst = MP_TLB_UNSURE, stride = search->next_stride, say;
	double walking, most = 0, last = 0;
	struct mp_tlb_seen seen;

	*least = (struct mp_tlb_seen){ .cycles = INFINITY };
	for (uint32_t k = 0; k < WALK_STRIDES; k++, stride *= 2) {
		if (!mp_tlb_fits(ask, stride, n))
			break;
		say = walk_by_skews(ask, search, stride, n, &seen, &walking);
		if (say == MP_TLB_LACKS)
			worst = say;
		if (say != MP_TLB_YES || worst == MP_TLB_LACKS)
			continue;
		worst = MP_TLB_YES;
		/* By means only, it is no cost where some do not walk: it is
		 * one when it is the same twice. */
		if (!search->by_hops) {
			*least = seen;
			if (fabs(seen.cycles - last) < MP_TLB_ALIKE / 2 * last)
				break;
			last = seen.cycles;
		} else if (walking > most + (1 - most) / 2 ||
			   (seen.cycles < least->cycles &&
			    walking > most * ALL_WALK)) {
			*least = seen;
			most = fmax(most, walking);
		}
	}
	return worst;
}

uint32_t mp_tlb_find_walk(struct mp_tlb_ask *ask, struct mp_tlb_search *search,
			  struct mp_tlb_level *second)
{
	const uint32_t n = search->next_n;
	uint32_t more = n + n / 2;
	uint32_t say, both;
	struct mp_tlb_seen seen, also;

	if (!mp_tlb_clear(ask, search->next_stride, more))
		more = n - n / 8;
	say = walk_with(ask, search, n, &seen);
	both = walk_with(ask, search, more, &also);
	say = say > both ? say : both;
	if (say != MP_TLB_YES)
		return say;
	if (seen.cycles < search->hit * WALK_LEAST)
		return MP_TLB_UNSURE;
	second->id[second->n_ids++] = seen.id;
	second->id[second->n_ids++] = also.id;
	search->walk = seen.cycles;
	second->cycles = seen.cycles;
	second->error = seen.error;
	second->other = also.cycles;
	return MP_TLB_YES;
}
