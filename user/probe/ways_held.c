// SPDX-License-Identifier: GPL-2.0
/*
 * What a guess says of the lines that fit. Lines of one piece of memory fall
 * on sets by their stride. Pieces lie anywhere: where the span of a level is
 * no part of them, lines of several fall on other sets of it than lines of one.
 */
#include "probe/ways_held.h"

#include <stddef.h>

#include "probe/ways_drive.h"

/* A level of which nothing else is known is taken to have so many ways, where
 * that is harmless. */
#define LIKELY_WAYS 32u

uint64_t mp_ways_lcm(uint64_t a, uint64_t b)
{
	return a / mp_gcd(a, b) * b;
}

bool mp_ways_is_multiple(uint64_t bytes, uint64_t error, uint64_t span,
			 uint64_t grain)
{
	const uint64_t times = bytes / span, off = bytes % span;

	error += (times + 1) * grain;
	return (times && off <= error) || span - off <= error;
}

uint64_t mp_ways_sets_of(const struct mp_ways_guess *guess, uint64_t stride)
{
	return guess->span / mp_gcd(guess->span, stride);
}

bool mp_ways_in_row(const struct mp_ways_sets *sets,
		    const struct mp_ways_test *test)
{
	return sets->small || test->stride * test->lines <= sets->piece;
}

/*
 * An exclusive level holds its lines beside those inside. If they share one
 * set here, that is the sum. If not, it changes from hop to hop how many of
 * each set are inside: at times none, and at times enough of them.
 */
static struct mp_ways_range beside(const struct mp_ways_guess *guess,
				   uint64_t sets,
				   const struct mp_ways_range *inside)
{
	const uint64_t own = sets * guess->ways;
	struct mp_ways_range held = { own, own + inside->high };

	if (sets == 1)
		held.low = own + inside->low;
	return held;
}

struct mp_ways_range mp_ways_with(const struct mp_ways_guess *guess,
				  uint64_t stride,
				  const struct mp_ways_range *inside)
{
	const uint64_t sets = mp_ways_sets_of(guess, stride);
	const uint64_t own = sets * guess->ways;

	if (guess->exclusive)
		return beside(guess, sets, inside);
	/* What the level inside keeps for good leaves room for others here. */
	return (struct mp_ways_range){
		own, own + (inside->high ? inside->high - 1 : 0)
	};
}

/* The same of a level inside, of lines that may lie in several pieces: those
 * may all begin at one place of its sets, or each at another one. */
static struct mp_ways_range with_pieces(const struct mp_ways_sets *sets,
					const struct mp_ways_guess *guess,
					uint64_t stride, bool in_row,
					const struct mp_ways_range *inside)
{
	struct mp_ways_range held;

	if (in_row || sets->small || sets->piece % guess->span == 0)
		return mp_ways_with(guess, stride, inside);
	held = mp_ways_with(guess, mp_gcd(stride, sets->piece), inside);
	held.low = guess->ways;
	return held;
}

static struct mp_ways_range held_beside(const struct mp_ways_sets *sets,
					uint64_t stride, bool in_row,
					struct mp_ways_range inside)
{
	struct mp_ways_range held = inside;

	for (uint32_t i = 0; i < sets->n; i++) {
		const struct mp_ways_range one =
			with_pieces(sets, &sets->guess[i], stride, in_row,
				    &inside);

		if (!i || one.low < held.low)
			held.low = one.low;
		if (!i || one.high > held.high)
			held.high = one.high;
	}
	return held;
}

static struct mp_ways_range held_at(const struct mp_ways_sets *sets,
				    uint64_t stride, bool in_row)
{
	if (sets->loose)
		return (struct mp_ways_range){ 0, sets->most };
	return held_beside(sets, stride, in_row,
			   mp_ways_inside_at(sets, stride, false, in_row));
}

struct mp_ways_range mp_ways_likely(const struct mp_ways_sets *sets,
				    uint64_t stride)
{
	struct mp_ways_guess likely = { .span = 1, .ways = LIKELY_WAYS };
	struct mp_ways_range inside = { 0, 0 };

	while (likely.span * LIKELY_WAYS < sets->most * sets->line)
		likely.span *= 2;
	if (sets->inner)
		inside = mp_ways_likely(sets->inner, stride);
	return sets->n ? held_beside(sets, stride, true, inside) :
			 mp_ways_with(&likely, stride, &inside);
}

struct mp_ways_range mp_ways_inside_at(const struct mp_ways_sets *sets,
				       uint64_t stride, bool flushed,
				       bool in_row)
{
	if (!sets->inner || flushed)
		return (struct mp_ways_range){ 0, 0 };
	return held_at(sets->inner, stride, in_row);
}

struct mp_ways_range mp_ways_inside(const struct mp_ways_sets *sets,
				    const struct mp_ways_test *test)
{
	return mp_ways_inside_at(sets, test->stride, test->flushed,
				 mp_ways_in_row(sets, test));
}

struct mp_ways_range mp_ways_held(const struct mp_ways_sets *sets,
				  uint64_t stride)
{
	return held_at(sets, stride, true);
}

struct mp_ways_range mp_ways_fitting(const struct mp_ways_sets *sets,
				     const struct mp_ways_guess *guess,
				     uint64_t stride)
{
	const struct mp_ways_range inside =
		mp_ways_inside_at(sets, stride, false, true);

	return mp_ways_with(guess, stride, &inside);
}

uint64_t mp_ways_handed(const struct mp_ways_sets *sets, uint64_t stride,
			bool in_row)
{
	uint64_t most = sets->loose ? sets->most : 0;

	for (uint32_t i = 0; i < sets->n; i++) {
		const struct mp_ways_guess *guess = &sets->guess[i];
		uint64_t at = stride, lines;

		if (!in_row && !sets->small && sets->piece % guess->span)
			at = mp_gcd(stride, sets->piece);
		lines = mp_ways_sets_of(guess, at) * guess->ways;
		if (guess->exclusive && sets->inner)
			lines += mp_ways_handed(sets->inner, stride, in_row);
		most = lines > most ? lines : most;
	}
	return most;
}

uint64_t mp_ways_here(const struct mp_ways_sets *sets,
		      const struct mp_ways_guess *guess, uint64_t stride,
		      bool in_row)
{
	const uint64_t own = mp_ways_sets_of(guess, stride) * guess->ways;

	return guess->exclusive && sets->inner ?
	       own + mp_ways_handed(sets->inner, stride, in_row) : own;
}

bool mp_ways_is_apart(const struct mp_ways_guess *guess,
		      const struct mp_ways_test *test)
{
	return !test->apart || !(mp_gcd(guess->span, test->stride) %
				 mp_gcd(test->apart, test->stride));
}

/* Where others fall on the same sets any number of lines may be too many. */
struct mp_ways_range mp_ways_by_test(const struct mp_ways_guess *guess,
				     const struct mp_ways_test *test,
				     const struct mp_ways_range *inside)
{
	struct mp_ways_range held = mp_ways_with(guess, test->stride, inside);

	if (test->drive)
		return mp_ways_drive_held(guess, test);
	if (test->flushed && !mp_ways_is_apart(guess, test))
		held.low = 0;
	return held;
}

/* Of two, one that is a multiple of the other says nothing more. */
static void add_every(struct mp_ways_meets *meets, uint64_t every)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < meets->n; i++)
		if (every % meets->every[i] == 0)
			return;
	for (uint32_t i = 0; i < meets->n; i++)
		if (meets->every[i] % every)
			meets->every[kept++] = meets->every[i];
	meets->n = kept;
	/* Too many to be remembered: then it may meet anywhere. */
	if (kept == MP_WAYS_MEETS) {
		meets->n = 0;
		every = 1;
	}
	meets->every[meets->n++] = every;
}

void mp_ways_meets(const struct mp_ways_sets *sets,
		   const struct mp_ways_test *test, struct mp_ways_meets *meets)
{
	meets->n = 0;
	if (test->apart)
		add_every(meets, mp_gcd(test->apart, test->stride));
	for (uint32_t i = 0; i < sets->n && !test->apart; i++)
		add_every(meets, mp_gcd(sets->guess[i].span, test->stride));
}

bool mp_ways_may_meet(const struct mp_ways_meets *meets, uint64_t at)
{
	for (uint32_t i = 0; i < meets->n; i++)
		if (at % meets->every[i] == 0)
			return true;
	return false;
}
