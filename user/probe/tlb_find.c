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
/* Places that are looked at together while bisecting. */
#define CUTS 7u

static uint32_t misses(struct mp_tlb_ask *ask, const void *ctx,
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
 * may be hashed, or hidden behind those of the level inside. */
static uint32_t stays(struct mp_tlb_ask *ask, mp_tlb_test test,
		      const void *ctx, uint32_t stride, uint32_t held)
{
	uint32_t say = MP_TLB_YES;

	for (uint32_t far = 2; far <= 8 && say == MP_TLB_YES; far *= 4) {
		if (!mp_tlb_fits(ask, far * stride, held + 1))
			return far > 2 ? MP_TLB_YES : MP_TLB_NO;
		say = fits_exactly(ask, test, ctx, far * stride, held);
	}
	return say == MP_TLB_NO ? MP_TLB_UNSURE : say;
}

uint32_t mp_tlb_ladder(struct mp_tlb_ask *ask, mp_tlb_test test,
		       const void *ctx, uint32_t *stride, uint32_t *held,
		       uint32_t visible)
{
	static const uint32_t factor[] = { 2, 3, 5, 7 };
	uint32_t say;

	for (uint32_t i = 0; i < sizeof(factor) / sizeof(factor[0]);) {
		uint32_t f = factor[i];

		if (*held % f) {
			i++;
			continue;
		}
		if (*held / f < visible ||
		    !mp_tlb_fits(ask, *stride * f, *held / f + 1))
			return MP_TLB_NO;
		say = fits_exactly(ask, test, ctx, *stride * f, *held / f);
		if (say > MP_TLB_YES)
			return say;
		if (say == MP_TLB_NO) {
			i++;
			continue;
		}
		*stride *= f;
		*held /= f;
	}
	return stays(ask, test, ctx, *stride, *held);
}

/* The least power of two of pages that misses; *high = 0: none. */
static uint32_t gallop(struct mp_tlb_ask *ask, uint32_t *low, uint32_t *high)
{
	uint32_t say, lacks = MP_TLB_NO;

	*low = 1;
	*high = 0;
	for (uint32_t n = 2; n <= PAGES_MOST && n <= ask->lines_held &&
	     mp_tlb_fits(ask, 1, n); n *= 2) {
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

	say = mp_tlb_ladder(ask, misses, NULL, &stride, &held, 1);
	level->stride = stride;
	level->held = held;
	if (say == MP_TLB_YES)
		level->ways = held;
	else if (say == MP_TLB_LACKS)
		level->end = MP_TLB_OPEN;
	if (say != MP_TLB_UNSURE)
		return;
	/* Nothing bears out that it was the TLB that missed. */
	end(level, say, "the pages that fit do not grow fewer with their distance as those of plain sets do");
	level->why_ways = level->why;
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
	say = mp_tlb_bisect(ask, misses, NULL, 1, &low, high);
	if (say != MP_TLB_YES) {
		end(level, say, "too noisy to tell from how many pages on one misses");
		return;
	}
	level->end = MP_TLB_FOUND;
	level->entries = low;
}

/* Does it depend on where in the pages the lines lie? */
static uint32_t is_cache(const struct mp_tlb_ask *ask, uint32_t skew,
			 const struct mp_tlb_level *level)
{
	struct mp_tlb_ask other = *ask;
	uint32_t say;

	other.skew = skew;
	say = mp_tlb_misses(&other, 1, level->entries + 1);
	return say > MP_TLB_YES ? say : !say;
}

void mp_tlb_first(struct mp_tlb_ask *ask, struct mp_tlb_level *level)
{
	static const uint32_t skews[] = { 1, 3, 7 };
	const uint32_t n = sizeof(skews) / sizeof(skews[0]);
	struct mp_tlb_seen seen;
	uint32_t say = MP_TLB_YES;

	for (uint32_t i = 0; i < n && say == MP_TLB_YES; i++) {
		ask->skew = skews[i];
		find_entries(ask, level);
		if (level->end != MP_TLB_FOUND)
			return;
		say = is_cache(ask, skews[(i + 1) % n], level);
	}
	if (say != MP_TLB_NO) {
		end(level, say, "where in the pages the lines lie matters");
		return;
	}
	for (uint32_t k = level->entries; k <= level->entries + 1; k++) {
		mp_tlb_look(ask, 1, k, 1, &seen);
		level->id[level->n_ids++] = seen.id;
	}
	ways_of_first(ask, level);
}
