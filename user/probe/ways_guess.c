// SPDX-License-Identifier: GPL-2.0
/* All guesses of the ways and sets of a level, by its size, which of them tests
 * leave, and what those agree in. */
#include "probe/ways_sets.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "probe/ways_drive.h"
#include "probe/ways_held.h"
#include "probe/ways_others.h"
#include "probe/ways_thrown.h"
#include "ring.h"

/* Levels are exclusive less often than not. */
#define EXCLUSIVE_WEIGHT 0.3
#define PAGE 4096u
/* Scattered pages fall on one set by chance less often than one in 2^-x. */
#define CHANCE_LOG2 13.0
/* .. if they are looked at so many times at most. */
#define TIMES_MOST 14.0
/* Shares of lines that miss are measured this well, or better. */
#define MORE_MISSED 0.1

static uint64_t odd_part(uint64_t n)
{
	return n >> __builtin_ctzll(n);
}

static int add(struct mp_ways_sets *sets, uint64_t span, uint32_t ways,
	       bool exclusive)
{
	struct mp_ways_guess *more;

	if (sets->n == sets->room) {
		const uint32_t room = sets->room ? 2 * sets->room : 256;

		more = realloc(sets->guess, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		sets->guess = more;
		sets->room = room;
	}
	sets->guess[sets->n++] = (struct mp_ways_guess){
		.span = span,
		.ways = ways,
		.exclusive = exclusive,
		.weight = (exclusive ? EXCLUSIVE_WEIGHT : 1) /
			  (double)odd_part(span / sets->line),
	};
	return 0;
}

static int add_between(struct mp_ways_sets *sets, uint32_t kind, double low,
		       double high, bool exclusive)
{
	int err = 0;

	for (uint32_t ways = 1; ways <= MP_WAYS_MAX && !err; ways++) {
		const double column = (double)sets->line * ways;
		const uint64_t last = (uint64_t)floor(high / column);
		uint64_t n = (uint64_t)ceil(low / column);

		for (n = n ? n : 1; n <= last && !err; n++) {
			const bool regular = odd_part(n) <= MP_WAYS_ODD_REGULAR;

			if (regular == (kind == MP_WAYS_REGULAR))
				err = add(sets, n * sets->line, ways,
					  exclusive);
		}
	}
	return err;
}

int mp_ways_add(struct mp_ways_sets *sets, uint32_t kind, double low,
		double high)
{
	int err = 0;

	if (sets->beside != MP_WAYS_EXCLUSIVE)
		err = add_between(sets, kind, low, high, false);
	if (!err && sets->inner && sets->beside != MP_WAYS_ITSELF)
		err = add_between(sets, kind, low, high, true);
	return err;
}

int mp_ways_add_beside(struct mp_ways_sets *sets, uint64_t span, uint32_t ways,
		       double low, double high)
{
	uint64_t one = span > sets->grain ? span - sets->grain : sets->line;
	int err = 0;

	for (; one <= span + sets->grain; one += sets->line)
		for (uint32_t n = 1; n < ways && !err; n++)
			if ((double)(n * one) >= low && (double)(n * one) <= high)
				err = add(sets, one, n, true);
	return err;
}

int mp_ways_copy(struct mp_ways_sets *to, const struct mp_ways_sets *from)
{
	*to = *from;
	to->room = from->n;
	to->guess = malloc((from->n + 1) * sizeof(*to->guess));
	if (!to->guess) {
		to->n = to->room = 0;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < from->n; i++)
		to->guess[i] = from->guess[i];
	return 0;
}

void mp_ways_free(struct mp_ways_sets *sets)
{
	free(sets->guess);
	sets->guess = NULL;
	sets->n = 0;
	sets->room = 0;
}

void mp_ways_keep_held(struct mp_ways_sets *sets,
		       const struct mp_ways_test *test)
{
	const bool in_row = mp_ways_in_row(sets, test);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < sets->n && test->held; i++) {
		const struct mp_ways_guess *guess = &sets->guess[i];

		if (!mp_ways_is_foretold(sets, guess, test) ||
		    mp_ways_here(sets, guess, test->stride, in_row) >=
		    test->held)
			sets->guess[kept++] = *guess;
	}
	sets->n = test->held ? kept : sets->n;
}

uint32_t mp_ways_agreed(const struct mp_ways_sets *sets)
{
	for (uint32_t i = 1; i < sets->n; i++)
		if (sets->guess[i].ways != sets->guess[0].ways)
			return 0;
	return sets->n ? sets->guess[0].ways : 0;
}

static uint64_t bytes_of(const struct mp_ways_guess *guess)
{
	return guess->span * guess->ways;
}

uint64_t mp_ways_bytes(const struct mp_ways_sets *sets)
{
	for (uint32_t i = 1; i < sets->n; i++)
		if (bytes_of(&sets->guess[i]) != bytes_of(&sets->guess[0]))
			return 0;
	return sets->n ? bytes_of(&sets->guess[0]) : 0;
}

uint32_t mp_ways_times(const struct mp_ways_sets *sets,
		       const struct mp_ways_guess *guess, uint32_t least)
{
	/* A page begins at one of so many places of the level's span. */
	const uint64_t two = 1ull << __builtin_ctzll(guess->span);
	const uint64_t places = guess->span / (two < PAGE ? two : PAGE);
	double times;

	if (!sets->small || (guess->ways + 1) * guess->span <= PAGE ||
	    places == 1)
		return least;
	times = floor(CHANCE_LOG2 / (guess->ways * log2((double)places))) + 1;
	return times > TIMES_MOST ? 0 : (uint32_t)fmax(times, least);
}

/* -- what a test says of them ------------------------------------------- */

static bool is_miss(uint32_t outcome)
{
	return outcome == MP_WAYS_MISS || outcome == MP_WAYS_MISS_ALL;
}

/* Lines that may have been in the way: where a ring ends within a page a
 * prefetcher that learns distances brings those that would come next there; and
 * one that brings a line beside each brings as many again, which fall on the sets
 * of the ring's lines where those are all sets: lines of this level. (Of lines that may
 * be longer than sets are counted by it is not known which those are: that is left
 * out.) */
static uint32_t with_brought(const struct mp_ways_sets *sets,
			     const struct mp_ways_guess *guess,
			     const struct mp_ways_test *test)
{
	const uint64_t pages = (test->lines - 1) * test->stride / PAGE + 1;
	uint64_t lines = (pages * PAGE - 1) / test->stride + 1;

	if (!sets->brought)
		return test->lines;
	if ((sets->grain == sets->line || sets->grain_known) &&
	    mp_gcd(guess->span, test->stride) <= sets->grain)
		lines *= 2;
	return (uint32_t)lines;
}

/*
 * Of a ring's lines, the share that others may put out which come along with its
 * own, though those are not too many for their sets. They lie beside a line: on
 * the set of the one @d strides on or back where those lead to the next line.
 * (173 sets of one way: of three lines 87 apart the last falls on the set of what
 * comes along with the first.)
 */
static double meet_brought(const struct mp_ways_sets *sets,
			   const struct mp_ways_guess *guess,
			   const struct mp_ways_test *test)
{
	const uint64_t groups = mp_ways_sets_of(guess, test->stride);
	const uint64_t each = (test->lines + groups - 1) / groups;
	uint64_t at = 0, sides = 0, meet = 0;

	/* Lines lie so far apart that none falls beside another. */
	if (!sets->brought || sets->grain != sets->line || 3 * each <= guess->ways ||
	    mp_gcd(guess->span, test->stride) > sets->line)
		return 0;
	for (uint64_t d = 1; d < test->lines && d < groups && sides < 2; d++) {
		at = (at + test->stride) % guess->span;
		if (at != sets->line && at != guess->span - sets->line)
			continue;
		sides++;
		meet += test->lines - d;
	}
	return each * (1 + sides) > guess->ways ?
	       fmin((double)meet / test->lines, 1) : 0;
}

/* The greatest share of lines that lie in sets with one too many. */
static double may_miss(const struct mp_ways_guess *guess,
		       const struct mp_ways_test *test)
{
	const uint64_t sets = mp_ways_sets_of(guess, test->stride);
	const uint64_t each = test->lines / sets, more = test->lines % sets;

	if (each > guess->ways)
		return 1;
	return each == guess->ways ?
	       (double)(more * (each + 1)) / test->lines : 0;
}

/* Lines that may be too many where a test says that they fit: it was made for
 * guesses by which more of them would be, and fewer are not told from none. */
static uint64_t unseen(const struct mp_ways_test *test)
{
	return (uint64_t)(MP_WAYS_MISS_SHARE * test->least * test->lines);
}

/* Could the level hold that many, with the help of the one inside or, as
 * @outcome may say, without? */
static bool is_possible(const struct mp_ways_guess *guess,
			const struct mp_ways_test *test,
			const struct mp_ways_range *held, uint32_t outcome)
{
	const double most = test->drive ? mp_ways_drive_missing(guess, test) :
					  may_miss(guess, test);

	if (test->missed > most * (1 + MORE_MISSED) +
			   MORE_MISSED)
		return false;
	if (is_miss(outcome))
		return held->low < test->lines;
	return held->high + unseen(test) >= test->lines;
}

/* May that be why it missed? */
static bool is_brought(const struct mp_ways_sets *sets,
		       const struct mp_ways_guess *guess,
		       const struct mp_ways_test *test, uint32_t outcome)
{
	const double share = is_miss(outcome) ?
			     meet_brought(sets, guess, test) : 0;

	return share > 0 &&
	       test->missed <= share * (1 + MORE_MISSED) + MORE_MISSED;
}

/* Has a set more lines of the control than ways? Then it is none: it misses as
 * well. Of a level outside the first its lines are all inside. */
static bool is_control_full(const struct mp_ways_sets *sets,
			    const struct mp_ways_guess *guess,
			    const struct mp_ways_control *control)
{
	const struct mp_ring ring = { .stride_bytes = control->stride,
				      .skew_bytes = control->skew };

	if (control->lines <= guess->ways)
		return false;
	for (uint32_t i = 0; !sets->inner && i < control->lines; i++) {
		const uint64_t at = mp_ring_offset(&ring, i) % guess->span;
		uint32_t more = 0;

		for (uint32_t k = i + 1; k < control->lines; k++)
			more += mp_ring_offset(&ring, k) % guess->span /
				sets->line == at / sets->line;
		if (more >= guess->ways)
			return true;
	}
	return false;
}

void mp_ways_keep(struct mp_ways_sets *sets, const struct mp_ways_test *test,
		  uint32_t outcome)
{
	const struct mp_ways_range inside = mp_ways_inside(sets, test);
	const bool in_row = mp_ways_in_row(sets, test);
	const uint64_t left = mp_ways_left_inside(sets, test, in_row);
	struct mp_ways_test most = *test;
	struct mp_ways_thrown thrown;
	uint32_t kept = 0;

	mp_ways_thrown_begin(sets, test, &thrown);
	for (uint32_t i = 0; i < sets->n; i++) {
		const struct mp_ways_guess *guess = &sets->guess[i];
		const uint64_t more = guess->exclusive ? left : 0;
		struct mp_ways_range held =
			mp_ways_by_test(guess, test, &inside);

		if (is_miss(outcome))
			most.lines = with_brought(sets, guess, test);
		held.high += more;
		if (outcome == MP_WAYS_FIT_HERE && held.high >
		    mp_ways_here(sets, guess, test->stride, in_row))
			held.high = mp_ways_here(sets, guess, test->stride,
						 in_row);
		if ((mp_ways_is_foretold(sets, guess, test) ?
		     is_possible(guess, &most, &held, outcome) :
		     test->drive ||
		     (is_miss(outcome) ? mp_ways_thrown_miss(&thrown, guess) :
		      mp_ways_thrown_most(&thrown, guess, &inside) + more +
			      unseen(test) >= test->lines)) ||
		    is_brought(sets, guess, test, outcome) ||
		    is_control_full(sets, guess, &test->control))
			sets->guess[kept++] = *guess;
	}
	sets->n = kept;
}
