// SPDX-License-Identifier: GPL-2.0
/*
 * Pages or lines? A ring that has become dear may have too many pages for a
 * TLB or too many lines for a cache. Two rings of another skew each over half
 * as many pages, one turn of this and one of that, have as many lines: what
 * is cheap then was dear for its pages.
 */
#include "probe/tlb_look.h"

#include <errno.h>
#include <math.h>

#include "backend.h"

/* What is held for sure. */
#define BASE_LINES 16u
/* Turns of each ring, so many before that to warm up. */
#define TWIN_ROUNDS 40u
#define TWIN_WARM 4u

static void by_turns(uint32_t n, struct mp_exp *exp)
{
	exp->rounds = TWIN_ROUNDS;
	exp->n_actors = 2;
	exp->actor[0].detail = MP_DETAIL_TOTALS;
	exp->actor[0].warm_hops = (uint64_t)TWIN_WARM * n;
	exp->actor[0].hops = n;
	exp->actor[0].bursts = 1;
	exp->actor[1] = exp->actor[0];
	exp->actor[1].phase = 1;
}

/* Bursts as long over a few lines. */
static void packed_twin(const struct mp_tlb_ask *ask, uint32_t n,
			struct mp_exp *exp)
{
	mp_tlb_packed_exp(ask, BASE_LINES, exp);
	by_turns(n, exp);
}

bool mp_tlb_twin(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		 uint32_t replicates, struct mp_tlb_seen *seen)
{
	struct mp_tlb_seen packed;
	struct mp_exp exp;
	bool there;

	*seen = (struct mp_tlb_seen){ .cycles = NAN };
	if (!(ask->view->caps & MP_CAP_PHASES))
		return true;
	packed_twin(ask, n, &exp);
	there = mp_tlb_gather(ask, &exp, replicates, &packed);
	mp_tlb_ring_exp(ask, stride, n, &exp);
	by_turns(n, &exp);
	exp.actor[1].skew = (uint64_t)ask->other_skew * ask->line;
	if (!mp_tlb_gather(ask, &exp, replicates, seen) || !there)
		return false;
	mp_tlb_take_off(seen, &packed);
	return true;
}

uint32_t mp_tlb_is_pages(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
			 double bound)
{
	struct mp_tlb_seen seen;
	const double one = ask->base_error * sqrt(MP_TLB_REPLICATES);
	uint32_t say = MP_TLB_UNSURE;

	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say != MP_TLB_NO; k *= 4) {
		if (!mp_tlb_twin(ask, stride, (n + 1) / 2, k, &seen))
			return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
		if (!seen.n)
			return MP_TLB_YES;
		/* One that is cheap is enough: the ring is dear wherever its
		 * pages lie in memory. */
		say = mp_tlb_compare(seen.least, fmin(one, seen.error), bound);
	}
	if (say == MP_TLB_UNSURE)
		return say;
	return say == MP_TLB_NO ? MP_TLB_YES : MP_TLB_NO;
}
