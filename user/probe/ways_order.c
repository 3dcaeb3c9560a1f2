// SPDX-License-Identifier: GPL-2.0
/*
 * Orders without a stride: shuffled, and then each time the first of those
 * left that does not lead a prefetcher to the lines.
 */
#include "probe/ways_order.h"

#include <string.h>

#include "exp.h"
#include "perm.h"
#include "probe/ways_held.h"
#include "probe/ways_test.h"
#include "rng.h"

/* Turns until nothing is moved any more, at most. */
#define TURNS 64u
/* So many steps ahead is fetched at most. */
#define AHEAD 4u
/* Room for the pages of a test, twice as many as there may be. */
#define PAGES (2 * MP_EXP_STEPS)

/* The last two places, of all or of a page. */
struct trail {
	uint64_t page;
	uint64_t last[2];
	uint32_t n;
};

struct trails {
	struct mp_ways_meets meets;
	struct trail all;
	struct trail page[PAGES];
	struct mp_rng rng;
};

static struct trail *trail_of(struct trails *trails, uint64_t at)
{
	const uint64_t page = at / MP_WAYS_PAGE;
	uint64_t i = page % PAGES;

	while (trails->page[i].n && trails->page[i].page != page)
		i = (i + 1) % PAGES;
	trails->page[i].page = page;
	return &trails->page[i];
}

static bool goes_on(const struct trail *trail, uint64_t at)
{
	return trail->n > 1 &&
	       at - trail->last[0] == trail->last[0] - trail->last[1];
}

/* Does the same step once more, or a few times, lead to a line? Nothing is
 * fetched across pages by what is remembered of one. */
static bool does_harm(const struct trails *trails, const struct trail *trail,
		      uint64_t at)
{
	uint64_t ahead = at;

	if (!goes_on(trail, at))
		return false;
	for (uint32_t i = 0; i < AHEAD; i++) {
		ahead += at - trail->last[0];
		if (trail != &trails->all &&
		    ahead / MP_WAYS_PAGE != at / MP_WAYS_PAGE)
			return false;
		if (mp_ways_may_meet(&trails->meets, ahead))
			return true;
	}
	return false;
}

static bool leads_on(struct trails *trails, uint64_t at)
{
	return does_harm(trails, &trails->all, at) ||
	       does_harm(trails, trail_of(trails, at), at);
}

static void follow(struct trail *trail, uint64_t at)
{
	/* No step at all is none. */
	if (trail->n && trail->last[0] == at)
		return;
	trail->last[1] = trail->last[0];
	trail->last[0] = at;
	trail->n += trail->n < 2;
}

static void go(struct trails *trails, uint64_t at)
{
	follow(&trails->all, at);
	follow(trail_of(trails, at), at);
}

static uint64_t place_of(const struct mp_ways_places *places, uint32_t i)
{
	const uint32_t own = places->order[i];

	return (places->slot ? places->slot[own] : own) * places->unit;
}

static void shuffle(struct trails *trails, const struct mp_ways_places *places)
{
	mp_rng_seed(&trails->rng, places->n);
	mp_perm_order(places->order, places->n, 0, &trails->rng);
}

/* One place goes before another. */
static void move(uint32_t *order, uint32_t from, uint32_t to)
{
	const uint32_t own = order[from];

	memmove(order + to + 1, order + to, (from - to) * sizeof(*order));
	order[to] = own;
}

/* What leads on wherever it would come comes anywhere in the next turn; and so
 * does what went before it in its page, which may be one of the others. */
static void scatter(struct trails *trails, const struct mp_ways_places *places,
		    uint32_t i, const struct mp_ways_places *others)
{
	const uint64_t before = trail_of(trails, place_of(places, i))->last[0];

	move(places->order, i, (uint32_t)mp_rng_below(&trails->rng, i + 1));
	for (uint32_t k = 0; k < others->n; k++) {
		if (place_of(others, k) != before)
			continue;
		move(others->order, k,
		     (uint32_t)mp_rng_below(&trails->rng, k + 1));
		return;
	}
}

/* A turn. Return: nothing had to be moved. */
static bool sort_out(struct trails *trails, const struct mp_ways_places *places,
		     const struct mp_ways_places *others)
{
	bool same = true;

	for (uint32_t i = 0; i < places->n; i++) {
		uint32_t k = i;

		while (k < places->n && leads_on(trails, place_of(places, k)))
			k++;
		same &= k == i;
		if (k == places->n) {
			scatter(trails, places, i, others);
			continue;
		}
		move(places->order, k, i);
		go(trails, place_of(places, i));
	}
	return same;
}

bool mp_ways_order(const struct mp_ways_sets *sets,
		   const struct mp_ways_test *test,
		   const struct mp_ways_places *lines,
		   const struct mp_ways_places *others)
{
	struct trails trails = { .all = { 0 } };
	uint32_t same = 0;

	if (lines->n + others->n > MP_EXP_STEPS)
		return false;
	mp_ways_meets(sets, test, &trails.meets);
	shuffle(&trails, lines);
	shuffle(&trails, others);
	/* The second of two that are the same follows on itself. */
	for (uint32_t turn = 0; turn < TURNS && same < 2; turn++) {
		const bool first = sort_out(&trails, lines, others);

		same = sort_out(&trails, others, lines) && first ? same + 1 : 0;
	}
	return same == 2;
}
