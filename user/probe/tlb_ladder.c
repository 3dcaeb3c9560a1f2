// SPDX-License-Identifier: GPL-2.0
/*
 * From how many pages on does one miss, and how does that number shrink as they
 * move apart?
 */
#include "probe/tlb_find.h"

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
