// SPDX-License-Identifier: GPL-2.0
/*
 * The first level of a TLB. Pages of a ring lie side by side, so they fall
 * evenly on its sets: none misses while there are no more of them than
 * entries, and the first one too many makes its set miss. With every second
 * page, every fourth .. half as many fit each time, until the stride spans
 * all sets; what fits then is one set.
 */
#include "probe/tlb_find.h"

#include <math.h>
#include <string.h>

/* Pages that are tried to find a first level: the largest known has 512. */
#define PAGES_MOST 512u
/* A ring is short: it takes few hops. */
#define SHORT_PAGES 64u
/* Places that are looked at together while bisecting. */
#define CUTS 7u
/* Steps of a ladder that are asked for before it is known whether it gets
 * there. */
#define AHEAD 2u
/* At so many further distances, of those that the first ones of a list are
 * powers of two; and without one of these at so many. */
#define STAYS 2u
#define FAR_POWERS 4u
#define STAYS_ODD 3u
/* Of the numbers of pages tried with two lines each, so many are ample. */
#define AMPLY 2u
/* By two skews so many sizes of rings cost the same, give or take this share. */
#define ALIKE_SIZES 4u
#define ALIKE_SHARE 0.03
/* A skew is cheaper than another one by this factor. */
#define CHEAPER 0.95
/* .. or else with so small a part more of pages. */
#define MORE_PART 4u
/* Lines are held as long as all that some of them cost is so little a hop. */
#define HELD_CYCLES 0.1

/* Skews that are tried: a cache loses other lines with each. */
static const uint32_t skews[] = { 1, 3, 7, 5, 11 };

/* Twins beside one another are tried by so many of them. */
#define BESIDE_SKEWS 2u
#define SKEWS (sizeof(skews) / sizeof(skews[0]))

/* A page too many misses whatever the skew: one that does not is enough. Of
 * short rings all skews are asked for at once. */
static uint32_t misses(struct mp_tlb_ask *ask, const void *ctx,
		       uint32_t stride, uint32_t n)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = mp_tlb_misses(ask, stride, n), also;
	const bool ahead = say == MP_TLB_LACKS && n <= SHORT_PAGES;
	bool fits = false;

	(void)ctx;
	if (say != MP_TLB_YES && !ahead)
		return say;
	for (uint32_t i = 0; i < SKEWS && !fits; i++) {
		if (skews[i] == ask->skew)
			continue;
		other.skew = skews[i];
		also = mp_tlb_misses(&other, stride, n);
		fits = also == MP_TLB_NO && !ahead;
		if (also == MP_TLB_LACKS)
			say = also;
	}
	ask->lacks |= other.lacks;
	ask->err = ask->err ? ask->err : other.err;
	return fits ? MP_TLB_NO : say;
}

/* By one skew. */
static uint32_t misses_here(struct mp_tlb_ask *ask, const void *ctx,
			    uint32_t stride, uint32_t n)
{
	(void)ctx;
	return mp_tlb_misses(ask, stride, n);
}

uint32_t mp_tlb_bisect(struct mp_tlb_ask *ask, mp_tlb_test test,
		       const void *ctx, uint32_t stride, uint32_t *low,
		       uint32_t high)
{
	while (high - *low > 1) {
		uint32_t at[CUTS], say[CUTS], n = 0, worst = MP_TLB_NO;
		uint32_t from = *low, to = high;

		for (uint32_t i = 1; i <= CUTS; i++) {
			uint32_t cut = from + (to - from) * i / (CUTS + 1);

			if (cut > from && (!n || cut > at[n - 1]))
				at[n++] = cut;
		}
		for (uint32_t i = 0; i < n; i++) {
			say[i] = test(ask, ctx, stride, at[i]);
			worst = say[i] > worst ? say[i] : worst;
		}
		if (worst > MP_TLB_YES)
			return worst;
		for (uint32_t i = n; i-- > 0;)
			if (say[i] == MP_TLB_YES)
				high = at[i];
		for (uint32_t i = 0; i < n; i++)
			if (say[i] == MP_TLB_NO)
				*low = at[i];
		/* More pages cannot miss less. */
		if (*low >= high)
			return MP_TLB_UNSURE;
	}
	return MP_TLB_YES;
}

/* At this stride, do exactly so many pages fit? */
static uint32_t fits_exactly(struct mp_tlb_ask *ask, mp_tlb_test test,
			     const void *ctx, uint32_t stride, uint32_t n)
{
	uint32_t more = test(ask, ctx, stride, n + 1);
	uint32_t same;

	if (more == MP_TLB_NO || more == MP_TLB_UNSURE)
		return more;
	same = n == 1 ? MP_TLB_NO : test(ask, ctx, stride, n);
	if (more == MP_TLB_LACKS || same == MP_TLB_LACKS)
		return MP_TLB_LACKS;
	/* Fewer than that fit: its sets are not counted by plain numbers. */
	return same == MP_TLB_NO ? MP_TLB_YES : MP_TLB_UNSURE;
}

/* Further apart it is still so many, or it only seemed to be the end: sets
 * may be hashed, or hidden behind those of the level inside. Of one distance
 * the caches may have too few sets, and of all powers of two; of odd numbers
 * they have as many as of pages side by side. */
static uint32_t stays(struct mp_tlb_ask *ask, mp_tlb_test test,
		      const void *ctx, uint32_t stride, uint32_t held)
{
	static const uint32_t far[] = { 2, 8, 4, 16, 3, 5, 7 };
	uint32_t found = 0, enough = STAYS_ODD, say;
	bool lacks = false;

	for (uint32_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		if (!mp_tlb_fits(ask, far[i] * stride, held + 1))
			continue;
		say = fits_exactly(ask, test, ctx, far[i] * stride, held);
		/* The first two are asked for at once. */
		lacks |= say == MP_TLB_LACKS;
		if (lacks && i)
			return MP_TLB_LACKS;
		if (say == MP_TLB_NO)
			return MP_TLB_UNSURE;
		found += say == MP_TLB_YES;
		if (say == MP_TLB_YES && i < FAR_POWERS)
			enough = STAYS;
		if (found >= enough)
			return MP_TLB_YES;
	}
	if (lacks)
		return MP_TLB_LACKS;
	if (found && !mp_tlb_fits(ask, far[1] * stride, held + 1))
		return MP_TLB_YES;
	/* No room for any; but that so many fit has shown as they grew fewer. */
	if (!found && stride > 1 && !mp_tlb_fits(ask, far[0] * stride, held))
		return MP_TLB_NO;
	/* There is no room for more, but so many still fit. */
	if (found || mp_tlb_fits(ask, far[0] * stride, held + 1) ||
	    !mp_tlb_fits(ask, far[0] * stride, held))
		return MP_TLB_UNSURE;
	say = test(ask, ctx, far[0] * stride, held);
	if (say == MP_TLB_NO || say == MP_TLB_LACKS)
		return say == MP_TLB_NO ? MP_TLB_YES : say;
	return MP_TLB_UNSURE;
}

/* What a ladder is likely to ask next may be had at once. */
static void ask_ahead(struct mp_tlb_ask *ask, mp_tlb_test test,
		      const void *ctx, uint32_t stride, uint32_t held,
		      uint32_t factor, uint32_t visible)
{
	uint32_t f = factor * factor;

	for (uint32_t i = 0; ask->plan && i < AHEAD; i++, f *= factor)
		if (held % f == 0 && held / f >= visible &&
		    mp_tlb_fits(ask, stride * f, held / f + 1))
			fits_exactly(ask, test, ctx, stride * f, held / f);
}

/* More fit than there would be of fewer sets. NO: so it is. UNSURE: the level
 * inside may keep the rest of them. */
static uint32_t more_fit(struct mp_tlb_ask *ask, mp_tlb_test hidden,
			 const void *ctx, uint32_t stride, uint32_t n)
{
	if (!mp_tlb_fits(ask, stride, n + 1))
		return MP_TLB_NO;
	return hidden(ask, ctx, stride, n + 1);
}

uint32_t mp_tlb_ladder(struct mp_tlb_ask *ask, mp_tlb_test test,
		       mp_tlb_test hidden, const void *ctx, uint32_t *stride,
		       uint32_t *held, uint32_t visible)
{
	static const uint32_t factor[] = { 2, 3, 5, 7 };
	uint32_t say;

	for (uint32_t i = 0; i < sizeof(factor) / sizeof(factor[0]);) {
		uint32_t f = factor[i];

		if (*held % f) {
			i++;
			continue;
		}
		/* So few are not seen; but as many as before may still fit. */
		if (*held / f < visible)
			say = mp_tlb_fits(ask, *stride * f, *held) ?
			      hidden(ask, ctx, *stride * f, *held) :
			      MP_TLB_YES;
		else if (!mp_tlb_fits(ask, *stride * f, *held / f + 1))
			return MP_TLB_NO;
		else
			say = fits_exactly(ask, test, ctx, *stride * f,
					   *held / f);
		if (say == MP_TLB_LACKS) {
			ask_ahead(ask, test, ctx, *stride, *held, f, visible);
			return say;
		}
		if (say != MP_TLB_NO && *held / f < visible)
			return MP_TLB_NO;
		if (say > MP_TLB_YES)
			return say;
		if (say == MP_TLB_NO) {
			say = more_fit(ask, hidden, ctx, *stride * f,
				       *held / f);
			if (say != MP_TLB_NO)
				return say == MP_TLB_LACKS ? say : MP_TLB_NO;
			i++;
			continue;
		}
		*stride *= f;
		*held /= f;
	}
	return stays(ask, test, ctx, *stride, *held);
}

/* The least power of two of pages that misses, or as many as can be had; *high
 * = 0: none. */
static uint32_t gallop(struct mp_tlb_ask *ask, uint32_t *low, uint32_t *high)
{
	uint32_t most = ask->lines_most < PAGES_MOST ? ask->lines_most :
						       PAGES_MOST;
	uint32_t say, lacks = MP_TLB_NO;

	*low = 1;
	*high = 0;
	if (most > ask->pages_most)
		most = (uint32_t)ask->pages_most;
	for (uint32_t n = 1; n < most;) {
		n = 2 * n < most ? 2 * n : most;
		say = mp_tlb_misses(ask, 1, n);
		if (say == MP_TLB_LACKS)
			lacks = say;
		if (lacks == MP_TLB_LACKS)
			continue;
		if (say == MP_TLB_UNSURE)
			return say;
		if (say == MP_TLB_YES) {
			*high = n;
			return MP_TLB_YES;
		}
		*low = n;
	}
	return lacks;
}

static void end(struct mp_tlb_level *level, uint32_t say, const char *why)
{
	level->end = say == MP_TLB_LACKS ? MP_TLB_OPEN : MP_TLB_CANNOT;
	level->why = why;
}

static void ways_of_first(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	uint32_t say, stride = 1, held = level->entries;

	say = mp_tlb_ladder(ask, misses, misses, NULL, &stride, &held, 1);
	level->stride = stride;
	level->held = held;
	if (say == MP_TLB_YES)
		level->ways = held;
	else if (say == MP_TLB_LACKS)
		level->end = MP_TLB_OPEN;
	else if (say == MP_TLB_NO)
		level->why_ways = "too few pages can be had to move a set of them further apart";
	if (say != MP_TLB_UNSURE)
		return;
	/* Nothing bears out that it was the TLB that missed. */
	end(level, say, "the pages that fit do not grow fewer with their distance as those of plain sets do");
	level->why_ways = level->why;
}

/* Both, or why not. */
static uint32_t both(uint32_t one, uint32_t other)
{
	if (one == MP_TLB_LACKS || other == MP_TLB_LACKS)
		return MP_TLB_LACKS;
	return one == MP_TLB_YES ? other : one;
}

/* By rings of one skew. */
static void find_entries(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	uint32_t low, high, say;

	memset(level, 0, sizeof(*level));
	level->cycles = level->other = NAN;
	say = gallop(ask, &low, &high);
	if (say > MP_TLB_YES) {
		end(level, say, "too noisy to tell whether a page misses");
		return;
	}
	if (!high) {
		level->end = MP_TLB_BEYOND;
		level->entries = low;
		return;
	}
	say = mp_tlb_bisect(ask, misses_here, NULL, 1, &low, high);
	if (say != MP_TLB_YES) {
		end(level, say, "too noisy to tell from how many pages on one misses");
		return;
	}
	level->end = MP_TLB_FOUND;
	level->entries = low;
}

/* Do the pages that fit by one skew fit by another one, too? */
static uint32_t is_borne_out(const struct mp_tlb_ask *ask,
			     const struct mp_tlb_level *level)
{
	struct mp_tlb_ask other = *ask;
	bool lacks = false;

	for (uint32_t i = 0; i < SKEWS; i++) {
		uint32_t say;

		if (skews[i] == ask->skew)
			continue;
		other.skew = skews[i];
		say = mp_tlb_misses(&other, 1, level->entries);
		if (say == MP_TLB_NO)
			return MP_TLB_YES;
		lacks |= say == MP_TLB_LACKS;
	}
	return lacks ? MP_TLB_LACKS : MP_TLB_NO;
}

/* What a ring costs by each skew. */
static uint32_t look_by_skews(struct mp_tlb_ask *ask, uint32_t n,
			      struct mp_tlb_seen seen[SKEWS])
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = MP_TLB_YES;

	for (uint32_t i = 0; i < SKEWS; i++) {
		other.skew = skews[i];
		if (!mp_tlb_look(&other, 1, n, MP_TLB_REPLICATES, &seen[i]))
			say = ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	}
	ask->lacks |= other.lacks;
	return say;
}

/* Is a skew cheaper than another one? By a page too many, or if that makes no
 * difference by more of them. */
static bool is_cheaper(const struct mp_tlb_seen *one,
		       const struct mp_tlb_seen *many, uint32_t a, uint32_t b)
{
	if (one[a].least < one[b].least * CHEAPER)
		return true;
	return one[b].least >= one[a].least * CHEAPER &&
	       many[a].least < many[b].least * CHEAPER;
}

/* The two cheapest skews: what the caches lose can only add. */
static uint32_t choose_skews(struct mp_tlb_ask *ask,
			     const struct mp_tlb_level *level)
{
	struct mp_tlb_seen one[SKEWS], many[SKEWS];
	const uint32_t more = level->entries + level->entries / MORE_PART + 1;
	const uint32_t n = more < ask->lines_most ? more : level->entries + 1;
	uint32_t say = look_by_skews(ask, level->entries + 1, one);
	uint32_t also = look_by_skews(ask, n, many), best = 0, next = 1;

	say = also > say ? also : say;
	for (uint32_t i = 1; i < SKEWS && say == MP_TLB_YES; i++) {
		if (is_cheaper(one, many, i, best)) {
			next = best;
			best = i;
		} else if (next == best || is_cheaper(one, many, i, next)) {
			next = i;
		}
	}
	ask->skew = skews[best];
	ask->other_skew = skews[next];
	return say;
}

/*
 * What pages miss costs the same wherever their lines lie; what lines do is
 * another lot of them by each skew. Do the two cheapest agree?
 */
static uint32_t is_alike(struct mp_tlb_ask *ask, uint32_t n)
{
	struct mp_tlb_seen one, two;
	struct mp_tlb_ask other = *ask;
	bool there, alike = false;

	other.skew = ask->other_skew;
	for (uint32_t k = MP_TLB_REPLICATES; k <= MP_TLB_MANY && !alike;
	     k *= 4) {
		there = mp_tlb_look(ask, 1, n, k, &one);
		there &= mp_tlb_look(&other, 1, n, k, &two);
		ask->lacks |= other.lacks;
		if (!there)
			return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
		alike = fabs(one.least - two.least) < ALIKE_SHARE * one.least;
	}
	return alike ? MP_TLB_YES : MP_TLB_NO;
}

/* Are so many pages with two lines each cheap, by two skews or half a page
 * apart? @told: false where they cannot be had. */
static uint32_t is_held_twice(struct mp_tlb_ask *ask, uint32_t n, bool *told)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = MP_TLB_NO;

	for (uint32_t i = 0; i < 2 && say == MP_TLB_NO; i++) {
		struct mp_tlb_seen seen;

		other.is_beside = i > 0;
		if (other.is_beside && !mp_tlb_fits(ask, 1, n + 1))
			break;
		if (!mp_tlb_twin(&other, 1, n, MP_TLB_REPLICATES, &seen))
			say = ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
		else if (!seen.n || seen.least * mp_tlb_twin_turns(n) <=
					    HELD_CYCLES)
			say = MP_TLB_YES;
		*told = seen.n;
	}
	ask->lacks |= other.lacks;
	ask->err = ask->err ? ask->err : other.err;
	return say;
}

/*
 * How many lines, one a page, the innermost cache surely holds: as many as
 * twice the pages that fit, with two lines of each.
 */
static uint32_t find_held(struct mp_tlb_ask *ask,
			  const struct mp_tlb_level *level, bool *amply)
{
	const uint32_t e = level->entries;
	const uint32_t tried[] = { e, e - e / 8, e - e / 4, e - 3 * e / 8 };
	const uint32_t n = sizeof(tried) / sizeof(tried[0]);
	uint32_t say[sizeof(tried) / sizeof(tried[0])];
	bool told = false;

	*amply = false;
	for (uint32_t i = 0; i < n; i++)
		say[i] = is_held_twice(ask, tried[i], &told);
	for (uint32_t i = 0; i < n; i++)
		if (say[i] > MP_TLB_YES)
			return say[i];
	for (uint32_t i = 0; i < n; i++) {
		if (say[i] != MP_TLB_YES)
			continue;
		*amply = i < AMPLY;
		/* With all of them, what runs between bursts may miss. */
		if (told && (!*amply || ask->lines_held < 2 * tried[i]))
			ask->lines_held = 2 * tried[i];
		return MP_TLB_YES;
	}
	ask->lines_held = e + 1;
	return MP_TLB_YES;
}

/*
 * Fewer pages with two lines each, as many lines as a ring has with a page too
 * many: are they cheap? By two skews; or else by rings of one skew, half a page
 * apart, which fall on the sets of a cache as evenly as one ring does.
 */
static uint32_t is_cheap(struct mp_tlb_ask *ask,
			 const struct mp_tlb_level *level, double slack)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = MP_TLB_NO;

	for (uint32_t i = 0; i <= BESIDE_SKEWS && say == MP_TLB_NO; i++) {
		uint32_t pages;

		other.is_beside = i > 0;
		other.skew = i ? skews[i - 1] : ask->skew;
		pages = mp_tlb_twin_pages(&other, level->entries + 1);
		/* The last line of a ring half a page on is a page further. */
		if (pages + other.is_beside <= level->entries &&
		    mp_tlb_fits(ask, 1, pages + other.is_beside))
			say = mp_tlb_is_pages(&other, 1, pages, 0, slack);
	}
	ask->lacks |= other.lacks;
	ask->err = ask->err ? ask->err : other.err;
	return say;
}

/*
 * Is it the pages of a ring with one too many that cost? Half as many with
 * as many lines must be cheap. So must be almost as many with two lines each,
 * or, where there is no room for those, it may not matter where lines lie.
 */
static uint32_t is_of_pages(struct mp_tlb_ask *ask,
			    const struct mp_tlb_level *level)
{
	const uint32_t n = level->entries + 1;
	struct mp_tlb_seen seen;
	bool amply;
	uint32_t say, also;

	say = find_held(ask, level, &amply);
	if (!mp_tlb_look(ask, 1, n, MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	say = both(say, is_cheap(ask, level, seen.least / 2));
	for (uint32_t i = 0; i < ALIKE_SIZES && !amply; i++) {
		if (say != MP_TLB_YES && say != MP_TLB_LACKS)
			break;
		also = is_alike(ask, n + i);
		if (say != MP_TLB_LACKS)
			say = also;
	}
	return say;
}

/* All that is asked of a number of pages that fit; at once where it lacks. */
static uint32_t judge_entries(struct mp_tlb_ask *ask,
			      const struct mp_tlb_level *level)
{
	uint32_t say = choose_skews(ask, level), also;

	say = both(say, is_borne_out(ask, level));
	if (say != MP_TLB_YES && say != MP_TLB_LACKS)
		return say;
	also = is_of_pages(ask, level);
	return say == MP_TLB_YES ? also : say;
}

static void find_by_skews(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	uint32_t say = MP_TLB_NO;

	for (uint32_t i = 0; i < SKEWS && say == MP_TLB_NO; i++) {
		ask->skew = skews[i];
		find_entries(ask, level);
		if (level->end == MP_TLB_CANNOT)
			continue;
		if (level->end != MP_TLB_FOUND)
			return;
		say = misses(ask, NULL, 1, level->entries + 1);
	}
	if (level->end != MP_TLB_FOUND)
		return;
	if (say == MP_TLB_LACKS)
		judge_entries(ask, level);
	else if (say == MP_TLB_YES)
		say = judge_entries(ask, level);
	if (say != MP_TLB_YES)
		end(level, say, "where in the pages the lines lie matters");
}

void mp_tlb_first(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	struct mp_tlb_seen seen;

	find_by_skews(ask, level);
	if (level->end != MP_TLB_FOUND)
		return;
	for (uint32_t k = level->entries; k <= level->entries + 1; k++) {
		mp_tlb_look(ask, 1, k, 1, &seen);
		level->id[level->n_ids++] = seen.id;
	}
	ways_of_first(ask, level);
}
