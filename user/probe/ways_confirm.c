// SPDX-License-Identifier: GPL-2.0
/*
 * A full set, and one line too many for it. Guesses may have the same ways and
 * differ in how far apart the lines of a set lie: what one of them says is not
 * so, another one may.
 */
#include "probe/ways_confirm.h"

#include <stddef.h>

#include "probe/ways_drive.h"

/* So many guesses are tried. */
#define GUESSES_MOST 8u

/* Of a full set, does the level inside keep some? Then others find room here
 * that there is not. */
static bool may_be_kept(const struct mp_ways_sets *sets,
			const struct mp_ways_guess *guess,
			const struct mp_ways_test *test, uint32_t outcome)
{
	return outcome == MP_WAYS_FIT && sets->inner && !test->flushed &&
	       !guess->exclusive;
}

/* Does it matter that the level inside keeps lines of the ring? How many fit is not
 * known then. */
static bool is_ring_open(const struct mp_ways_rig *rig,
			 const struct mp_ways_guess *guess,
			 const struct mp_ways_test *test)
{
	struct mp_ways_test kept = *test;
	struct mp_ways_range held;

	kept.ring_kept = true;
	if (!test->drive || !rig->ring_kept)
		return false;
	held = mp_ways_drive_held(guess, &kept);
	return held.low != held.high;
}

/* A full set, and one line more; or more sets, and one line more of each. @open:
 * that was not to be seen. */
static int confirm_by(struct mp_ways_rig *rig, const struct mp_ways_sets *sets,
		      const struct mp_ways_guess *guess,
		      const struct mp_ways_test *over, uint32_t full,
		      struct mp_ways_borne *borne, bool *open)
{
	const uint32_t times = mp_ways_times(sets, guess,
					     MP_WAYS_SURE_REPLICATES);
	enum mp_ways_outcome outcome;
	bool missed, kept = false;
	int err;

	*open = false;
	for (uint32_t more = 0; more <= 1; more++) {
		struct mp_ways_test test = *over;

		if (!more)
			test.lines = full;
		err = mp_ways_look(rig, &test, times, &outcome);
		if (err)
			return err;
		if (outcome == MP_WAYS_LACKING) {
			borne->want = test;
			borne->lacks = times;
			return 0;
		}
		missed = outcome == MP_WAYS_MISS || outcome == MP_WAYS_MISS_ALL;
		kept = (kept && outcome != MP_WAYS_MISS_ALL) ||
		       may_be_kept(sets, guess, &test, outcome);
		*open = outcome == MP_WAYS_UNCLEAR || outcome == MP_WAYS_HIDDEN ||
			is_ring_open(rig, guess, &test) ||
			(more && kept) ||
			(!more && test.here && outcome != MP_WAYS_FIT_HERE);
		if (*open || missed != more)
			return 0;
	}
	borne->guess = *guess;
	borne->times = times;
	return 0;
}

/* Where pages lie anywhere, how often lines meet by chance is known of those of
 * one set. A few more than fill all sets may be too many for others as well. */
static bool is_by_chance(const struct mp_ways_sets *sets,
			 const struct mp_ways_guess *guess,
			 const struct mp_ways_test *over)
{
	return over->stride % guess->span && mp_ways_times(sets, guess, 0);
}

/* By rings: what is in the way at one stride, now and then, may not be at another
 * one. */
static int confirm_seen(struct mp_ways_rig *rig, const struct mp_ways_sets *sets,
			const struct mp_ways_guess *guess,
			enum mp_ways_sight sight, struct mp_ways_borne *borne,
			bool *open)
{
	const uint32_t most = sight == MP_WAYS_PLAIN ? MP_WAYS_WITNESSES : 1;
	struct mp_ways_tried tried = { .n = 0 };
	int err = 0;

	*open = true;
	while (tried.n < most && *open && !err) {
		struct mp_ways_test over;
		uint32_t full;

		if (!mp_ways_witness(sets, guess, sight, &tried, &over, &full))
			break;
		if (!is_by_chance(sets, guess, &over))
			err = confirm_by(rig, sets, guess, &over, full, borne,
					 open);
		tried.stride[tried.n++] = over.stride;
	}
	return err;
}

/* What the level inside hides of a plain ring others may show. */
static int confirm(struct mp_ways_rig *rig, const struct mp_ways_sets *sets,
		   const struct mp_ways_guess *guess, bool with_flushed,
		   struct mp_ways_borne *borne)
{
	bool open = true;
	int err = 0;

	if (!mp_ways_times(sets, guess, MP_WAYS_SURE_REPLICATES))
		return 0;
	for (uint32_t sight = MP_WAYS_PLAIN;
	     sight < MP_WAYS_SIGHTS && !err && open; sight++)
		if (sight == MP_WAYS_PLAIN || with_flushed)
			err = confirm_seen(rig, sets, guess, sight, borne,
					   &open);
	return err;
}

/* The likeliest one that has not been tried: first of those that have their
 * lines by themselves, then of those that have them beside those inside, then of
 * either. */
static const struct mp_ways_guess *next_of(const struct mp_ways_sets *sets,
					   const struct mp_ways_guess *tried,
					   uint32_t n)
{
	const struct mp_ways_guess *best = NULL;

	for (uint32_t i = 0; i < sets->n; i++) {
		const struct mp_ways_guess *guess = &sets->guess[i];
		bool again = n < 2 && guess->exclusive != (n > 0);

		for (uint32_t k = 0; k < n; k++)
			again |= guess->span == tried[k].span &&
				 guess->exclusive == tried[k].exclusive;
		if (!again && (!best || guess->weight > best->weight))
			best = guess;
	}
	return best;
}

int mp_ways_confirm(struct mp_ways_rig *rig, const struct mp_ways_sets *sets,
		    bool with_flushed, struct mp_ways_borne *borne)
{
	struct mp_ways_guess tried[GUESSES_MOST] = { { .span = 0 } };
	int err = 0;

	*borne = (struct mp_ways_borne){ .lacks = 0 };
	for (uint32_t n = 0; n < GUESSES_MOST && !err; n++) {
		const struct mp_ways_guess *guess = next_of(sets, tried, n);

		if (!guess && n > 1)
			break;
		if (!guess)
			continue;
		tried[n] = *guess;
		err = confirm(rig, sets, &tried[n], with_flushed, borne);
		if (borne->lacks || borne->guess.ways)
			break;
	}
	return err;
}
