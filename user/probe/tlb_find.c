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
/* Of the numbers of pages tried with two lines each, so many are ample. */
#define AMPLY 2u
/* Along one ring they take all but so small a part of the pages that fit. */
#define ALONG_PART 8u
/* By two skews so many sizes of rings cost the same, give or take this share. */
#define ALIKE_SIZES 4u
#define ALIKE_SHARE 0.03
/* A skew is cheaper than another one by this factor. */
#define CHEAPER 0.95
/* .. or else with so small a part more of pages. */
#define MORE_PART 4u
/* Lines are held as long as all that some of them cost is so little a hop. */
#define HELD_CYCLES 0.1

/* So many pages more than one that costs something cost no more than this part of
 * it, if it is an entry taken that costs: each page too many costs as much again. */
#define TAKEN_PAGES 3u
#define TAKEN_PART 0.5
/* .. which is less than so many cycles a hop, */
#define TAKEN_HOP 1.0
/* .. and of no more sets than this, but one. */
#define TAKEN_MOST 4u

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

/* Pages, that part more than fit. */
static uint32_t far_too_many(const struct mp_tlb_level *level)
{
	return level->entries + level->entries / MORE_PART + 1;
}

/* A ring that has a page too many, or if such a one costs hardly more than what is
 * taken, far too many. */
static uint32_t dear_pages(const struct mp_tlb_ask *ask,
			   const struct mp_tlb_level *level)
{
	const uint32_t more = far_too_many(level);

	return ask->taken > 0 && more < ask->lines_most &&
	       mp_tlb_fits(ask, 1, more) ? more : level->entries + 1;
}

/*
 * Where an entry is taken, one page too many for a set is not told from one that
 * is full beside it once the ring has few sets. That half as many fit twice as
 * far apart, and half of far too many do not, bears out that it is the TLB.
 */
static void ways_of_taken(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	const uint32_t fit = level->entries / 2, dear = dear_pages(ask, level) / 2;
	uint32_t held = MP_TLB_UNSURE, more = MP_TLB_UNSURE;

	if (dear >= fit + 2) {
		held = misses(ask, NULL, 2, fit);
		more = misses(ask, NULL, 2, dear);
	}
	/* So far apart it is known what the first level holds. */
	level->stride = 2;
	level->held = fit;
	level->why_ways = "what runs between bursts keeps an entry, so that a full set is not told from one with a page too many";
	if (held == MP_TLB_LACKS || more == MP_TLB_LACKS)
		level->end = MP_TLB_OPEN;
	else if (held != MP_TLB_NO || more != MP_TLB_YES)
		end(level, MP_TLB_NO, "the pages that fit do not grow fewer with their distance as those of plain sets do");
}

static void ways_of_first(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	uint32_t say, stride = 1, held = level->entries;

	if (ask->taken > 0) {
		ways_of_taken(ask, level);
		return;
	}
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

/* By rings of one skew, with what is taken of each turn. */
static void find_missing(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
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

/* Three pages more cost hardly more than @n do, and than what is known to be taken. */
static uint32_t is_flat(struct mp_tlb_ask *ask, uint32_t n, double *cycles)
{
	const uint32_t more = n + TAKEN_PAGES;
	struct mp_tlb_seen one, many;
	uint32_t say = MP_TLB_UNSURE;

	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say == MP_TLB_UNSURE; k *= 4) {
		bool there = mp_tlb_look(ask, 1, n, k, &one);

		if (there && !(one.cycles < TAKEN_HOP))
			return MP_TLB_NO;
		there &= mp_tlb_look(ask, 1, more, k, &many);
		if (!there)
			return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
		say = mp_tlb_compare(many.cycles * more - one.cycles * n,
				     hypot(many.error * more, one.error * n),
				     TAKEN_PART * (one.cycles * n - ask->taken));
	}
	*cycles = fmax(many.cycles * more, one.cycles * n);
	return say == MP_TLB_NO ? MP_TLB_YES : MP_TLB_NO;
}

/*
 * Is an entry taken by what runs between bursts, and never given back? A set that
 * is full with it misses then, some of it each turn, and more pages cost no more
 * until there are too many of them: of 96 entries, 6 ways, 87 pages fit, 88 to
 * 96 cost 30 cycles a turn, and each further one cost 40. A page too many costs
 * its set as much each time, and by all skews. Bursts of many turns are looked at, in
 * which what each page costs once is little.
 */
static uint32_t is_taken(struct mp_tlb_ask *ask, uint32_t n, double *cycles)
{
	uint32_t say;

	if (n + TAKEN_PAGES > ask->lines_most ||
	    !mp_tlb_fits(ask, 1, n + TAKEN_PAGES))
		return MP_TLB_NO;
	ask->longer = 1;
	say = is_flat(ask, n, cycles);
	ask->longer = 0;
	return say == MP_TLB_YES ? misses(ask, NULL, 1, n) : say;
}

/* Beside what is taken, if anything is: of several sets, one after the other. */
static void find_entries(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	double taken = 0;
	uint32_t say;

	ask->taken = 0;
	for (uint32_t i = 0; i < TAKEN_MOST; i++) {
		find_missing(ask, level);
		if (level->end != MP_TLB_FOUND)
			break;
		say = is_taken(ask, level->entries + 1, &taken);
		if (say == MP_TLB_NO) {
			level->taken = ask->taken;
			return;
		}
		end(level, say, "too few undisturbed measurements, or what runs between bursts keeps entries of many sets");
		if (say != MP_TLB_YES)
			break;
		ask->taken = taken;
	}
	ask->taken = 0;
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
	const uint32_t more = far_too_many(level);
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
		else if (!seen.n || (seen.least - mp_tlb_taken(ask, n)) *
				    mp_tlb_twin_turns(n) <= HELD_CYCLES)
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
 * Fewer pages with two lines each, as many lines as a ring of @n has, which is
 * dear: are they cheap? By two skews; or else by rings of one skew, half a page
 * apart, which fall on the sets of a cache as evenly as one ring does.
 */
static uint32_t is_cheap(struct mp_tlb_ask *ask,
			 const struct mp_tlb_level *level, uint32_t n,
			 double slack)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say = MP_TLB_NO;

	for (uint32_t i = 0; i <= BESIDE_SKEWS && say == MP_TLB_NO; i++) {
		uint32_t pages;

		other.is_beside = i > 0;
		other.skew = i ? skews[i - 1] : ask->skew;
		pages = mp_tlb_twin_pages(&other, n);
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
 * Where rings take turns, what runs between them takes entries each turn, and
 * rings that fill a TLB are dear for that. One ring with as many lines along
 * almost all of the pages is not: is that one cheap?
 */
static uint32_t is_held_along(struct mp_tlb_ask *ask,
			      const struct mp_tlb_level *level)
{
	const uint32_t n = level->entries - level->entries / ALONG_PART;
	struct mp_tlb_seen seen;

	if (!mp_tlb_along_fits(ask, n))
		return MP_TLB_NO;
	if (!mp_tlb_along(ask, n, MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	return seen.least - mp_tlb_taken(ask, 2 * n) <= HELD_CYCLES ?
	       MP_TLB_YES : MP_TLB_NO;
}

/*
 * Is it the pages of a ring with one too many that cost? Half as many with
 * as many lines must be cheap. So must be almost as many with two lines each,
 * in two rings or along one; or, where there is no room for those, it may not
 * matter where lines lie.
 */
static uint32_t is_of_pages(struct mp_tlb_ask *ask,
			    const struct mp_tlb_level *level)
{
	const uint32_t n = level->entries + 1, dear = dear_pages(ask, level);
	struct mp_tlb_seen seen;
	bool amply;
	uint32_t say, also;

	say = find_held(ask, level, &amply);
	if (!mp_tlb_look(ask, 1, dear, MP_TLB_REPLICATES, &seen))
		return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	say = both(say, is_cheap(ask, level, dear, seen.least / 2));
	if (!amply && (say == MP_TLB_YES || say == MP_TLB_LACKS)) {
		also = is_held_along(ask, level);
		amply = also == MP_TLB_YES || also == MP_TLB_LACKS;
		say = also == MP_TLB_LACKS ? also : say;
	}
	/* Of few pages too many what is taken differs by as much. */
	for (uint32_t i = 0; i < (dear > n ? 1 : ALIKE_SIZES) && !amply; i++) {
		if (say != MP_TLB_YES && say != MP_TLB_LACKS)
			break;
		also = is_alike(ask, dear + i);
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
