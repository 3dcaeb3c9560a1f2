/* SPDX-License-Identifier: GPL-2.0 */
/* The search for the ways of a level: what tests, and a ring, have left of it. */
#ifndef MP_WAYS_SEARCH_H
#define MP_WAYS_SEARCH_H

#include "probe/ways_comb.h"
#include "probe/ways_test.h"

/** struct mp_ways_search - what the tests of a level have left of it */
struct mp_ways_search {
	struct mp_ways_rig rig;
	struct mp_ways_sets sets;
	struct mp_ways_sets seen;	/* .. as levels further out know them */
	struct mp_ways_rig size_rig;	/* .. where it is the size that is asked for */
	struct mp_ways_sets sized;
	struct mp_ways_test done[MP_WAYS_TESTS];
	uint32_t n_done;
	struct mp_ways_test want;	/* the test that is to be made next */
	const struct mp_ways_rig *want_rig;
	uint32_t replicates;		/* .. so often, 0 = none */
	uint32_t ways;			/* the answer, 0 = none */
	uint64_t span;
	bool exclusive;
	uint32_t times;			/* it was borne out by rings so often */
	bool open;			/* of the size only limits are known */
	bool is_sized;			/* tests have parted @sized as far as they can */
	const struct mp_ways_search *inner;	/* of the level inside, or NULL */
	struct mp_ways_comb comb;
	bool by_comb;			/* it has the answer, or what it lacks is next */
	bool patient;			/* it has none, and tests go on */
};

/** mp_ways_search_keep() - what the tests that were made leave of guesses that are
 * new
 * Return: 0 or -ENOMEM. */
int mp_ways_search_keep(struct mp_ways_search *search, struct mp_ways_rig *rig,
			struct mp_ways_sets *sets);

/**
 * mp_ways_search_comb() - find them by what of a ring misses
 *
 * Where it can be timed which hops do, and pages are large or lie in a row; and
 * where tests have left anything at all. Sets @ways, or what is lacking; else
 * nothing is known of @sets any more.
 * Return: 0 or -ENOMEM.
 */
int mp_ways_search_comb(struct mp_ways_search *search);

/** mp_ways_search_regular() - is it known to one line how far apart the lines of
 * a set lie, where a ring has shown it? */
bool mp_ways_search_regular(const struct mp_ways_search *search);

#endif
