// SPDX-License-Identifier: GPL-2.0
/*
 * Pages or lines? A ring that has become dear may have too many pages for a
 * TLB or too many lines for a cache. Two rings of another skew each over half
 * as many pages, one turn of this and one of that, have as many lines: what
 * is cheap then was dear for its pages. So is what is cheap along one ring of
 * as many lines, two of each page.
 */
#include "probe/tlb_look.h"

#include <errno.h>
#include <math.h>

#include "backend.h"
#include "chase.h"
#include "probe/cpu.h"
#include "ring.h"

/* What is held for sure. */
#define BASE_LINES 16u
/* Turns of each ring, so many before that to warm up. */
#define TWIN_ROUNDS 40u
#define TWIN_WARM 4u
/* Lines that are not known may be so many times as long as they are tried. */
#define LONGER_MOST 4u
/* The second ring lies so far beside the first: half a page. */
#define BESIDE_BYTES (MP_TLB_SMALL_PAGE / 2)
/* What may be fetched along with a line. */
#define BEHIND 1u
#define PARTNER 2u
#define ALONG_MOST (BEHIND | PARTNER)

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
	if (ask->is_beside) {
		exp.actor[1].offset = BESIDE_BYTES;
		exp.arena[0].bytes += ask->page_bytes;
	} else {
		exp.actor[1].skew = (uint64_t)ask->other_skew * ask->line;
	}
	if (!mp_tlb_gather(ask, &exp, replicates, seen) || !there)
		return false;
	mp_tlb_take_off(seen, &packed);
	return true;
}

static uint64_t along_stride(const struct mp_tlb_ask *ask)
{
	return ask->page_bytes / 2 + ask->line;
}

bool mp_tlb_along_fits(const struct mp_tlb_ask *ask, uint32_t n)
{
	return 2 * n * along_stride(ask) <= ask->pages_most * ask->page_bytes;
}

bool mp_tlb_along(struct mp_tlb_ask *ask, uint32_t n, uint32_t replicates,
		  struct mp_tlb_seen *seen)
{
	const struct mp_tlb_seen base = {
		.cycles = ask->base_cycles, .error = ask->base_error,
	};
	struct mp_exp exp;

	mp_tlb_along_exp(ask, along_stride(ask), 2 * n, &exp);
	if (!mp_tlb_gather(ask, &exp, replicates, seen))
		return false;
	mp_tlb_take_off(seen, &base);
	return true;
}

/* A line's place in its page, and what is fetched along with it. */
static uint32_t bring(uint64_t at, uint32_t line, uint32_t along,
		      uint32_t n, uint32_t *lines)
{
	const uint32_t place = (uint32_t)(at % MP_TLB_SMALL_PAGE) / line;

	lines[n++] = place;
	if (along & BEHIND && (place + 1) * line < MP_TLB_SMALL_PAGE)
		lines[n++] = place + 1;
	if (along & PARTNER)
		lines[n++] = place ^ 1;
	return n;
}

static uint32_t distinct(const uint32_t *lines, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;

		while (lines[k] != lines[i])
			k++;
		count += k == i;
	}
	return count;
}

/* Lines that the ith page takes of a ring, or of two. */
static uint32_t lines_of(const struct mp_tlb_ask *ask, uint32_t i,
			 uint32_t line, uint32_t along, bool both)
{
	struct mp_ring ring = {
		.length_bytes = (uint64_t)(i + 1) * MP_TLB_SMALL_PAGE,
		.stride_bytes = MP_TLB_SMALL_PAGE,
		.skew_bytes = (uint64_t)ask->skew * ask->line,
	};
	uint32_t lines[2 * (1 + ALONG_MOST)], n;
	uint64_t at = mp_ring_offset(&ring, i);

	n = bring(at, line, along, 0, lines);
	ring.skew_bytes = (uint64_t)ask->other_skew * ask->line;
	at = ask->is_beside ? at + BESIDE_BYTES : mp_ring_offset(&ring, i);
	if (both)
		n = bring(at, line, along, n, lines);
	return distinct(lines, n);
}

/* Pages whose two lines each, such as these, are as many as those of a ring of
 * @n: some pages' two are one, or one brings the other along. */
static uint32_t as_many(const struct mp_tlb_ask *ask, uint32_t n,
			uint32_t line, uint32_t along)
{
	uint32_t want = 0, have = 0, pages = 0;

	for (uint32_t i = 0; i < n; i++)
		want += lines_of(ask, i, line, along, false);
	while (pages < n && have < want)
		have += lines_of(ask, pages++, line, along, true);
	return pages;
}

uint32_t mp_tlb_twin_pages(const struct mp_tlb_ask *ask, uint32_t n)
{
	const bool known = !isnan(mp_cpu_value(ask->view, "l1d", "line"));
	const uint32_t longer = known ? 1 : LONGER_MOST;
	const uint32_t along = mp_cpu_may_prefetch(ask->view) ? ALONG_MOST : 0;
	uint32_t most = (n + 1) / 2;

	for (uint32_t k = 1; k <= longer; k *= 2) {
		for (uint32_t a = 0; a <= along; a++) {
			const uint32_t pages = as_many(ask, n, k * ask->line,
						       a);

			most = pages > most ? pages : most;
		}
	}
	return most;
}

double mp_tlb_twin_turns(uint32_t n)
{
	const uint32_t looks = (n + MP_CHASE_LOOK_HOPS - 1) /
			       MP_CHASE_LOOK_HOPS;

	return (double)looks * MP_CHASE_LOOK_HOPS / n;
}

uint32_t mp_tlb_is_pages(struct mp_tlb_ask *ask, uint32_t stride,
			 uint32_t pages, double paid, double slack)
{
	struct mp_tlb_seen seen;
	const double bound = paid + slack / mp_tlb_twin_turns(pages);
	const double one = ask->base_error * sqrt(MP_TLB_REPLICATES);
	uint32_t say = MP_TLB_UNSURE;

	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say != MP_TLB_NO; k *= 4) {
		if (!mp_tlb_twin(ask, stride, pages, k, &seen))
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
