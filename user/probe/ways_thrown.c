// SPDX-License-Identifier: GPL-2.0
/*
 * Lines in pieces of memory that lie anywhere. Where the sets of a level do not
 * begin anew with each piece, a piece begins at one of several places among
 * them, and lines a piece apart fall on one set now and then; but hardly all of
 * many, and not each time. A guess under which what missed is so unlikely is
 * wrong. Pieces may also lie in a row, one way or the other, or sets go by
 * virtual addresses: it has to be wrong then, too.
 */
#include "probe/ways_thrown.h"

#include <math.h>

#include "probe/ways_held.h"
#include "probe/ways_others.h"

/* Less likely than one in 2^-x is not so. */
#define UNLIKELY_LOG2 13.0
/* More lines are not looked at. */
#define FIT_MOST 128u
/* So many groups of lines that are too many for a set are looked at. */
#define GROUPS_MOST 16.0
/* Fewer lines than this share of all may lie in sets that are too full. */
#define FULL_MOST 0.9
/* The share of lines that missed is measured this well, or better. */
#define MISSED_ERROR 0.03

static double factorial_log2(double n)
{
	return lgamma(n + 1) / log(2);
}

/* Logarithm of the ways to choose @k of @n. */
static double choose_log2(double n, double k)
{
	return factorial_log2(n) - factorial_log2(k) - factorial_log2(n - k);
}

/* Places that a piece may begin at. */
static double places_of(const struct mp_ways_sets *sets,
			const struct mp_ways_guess *guess)
{
	return (double)(guess->span / mp_gcd(guess->span, sets->piece));
}

/*
 * Logarithm of a limit on how likely it is that @most of @lines lie in sets
 * with more than @room of them: in so many groups at most, whichever they are
 * and whoever is in which, all but one of each group had to hit its place. (So
 * many lines make less than groups^lines / groups! groups.)
 */
static double chance_log2(double places, double lines, double most, double room)
{
	const double groups = floor(most / (room + 1));

	return choose_log2(lines, most) + log2(groups) + most * log2(groups) -
	       factorial_log2(groups) - (most - groups) * log2(places);
}

void mp_ways_thrown_begin(const struct mp_ways_sets *sets,
			  const struct mp_ways_test *test,
			  struct mp_ways_thrown *thrown)
{
	struct mp_ways_flush flush = { .n = 0 };
	bool found = false;

	*thrown = (struct mp_ways_thrown){ .sets = sets, .test = test };
	if (!test->flushed)
		return;
	for (uint32_t times = MP_WAYS_FLUSH_MOST;
	     !found && times >= MP_WAYS_FLUSH_LEAST; times--)
		found = mp_ways_flushers(sets, test, times, &flush);
	thrown->unit = flush.unit;
	thrown->groups = flush.sets;
	thrown->flushers = found ? (flush.slot[flush.n - 1] + 1) * flush.unit :
				   UINT64_MAX;
}

/* Lines that those which flush a test may put in a set, wherever the pieces
 * lie that they are in. */
static double flushers_of(const struct mp_ways_thrown *thrown,
			  const struct mp_ways_guess *guess)
{
	const uint64_t piece = thrown->sets->piece, bytes = thrown->flushers;
	uint64_t again;

	if (!bytes)
		return 0;
	if (bytes == UINT64_MAX)
		return INFINITY;
	again = mp_ways_lcm(thrown->unit, guess->span);
	return (double)(thrown->groups * ((bytes - 1) / piece + 1) *
			(((bytes < piece ? bytes : piece) - 1) / again + 1));
}

/* What is left of the ways; none where pieces are not thrown for a guess. */
static double room_of(const struct mp_ways_thrown *thrown,
		      const struct mp_ways_guess *guess)
{
	const struct mp_ways_sets *sets = thrown->sets;

	if (sets->small || sets->piece % guess->span == 0)
		return 0;
	return guess->ways - flushers_of(thrown, guess);
}

/* Lines of a piece, at most, and pieces that so many lie in. */
static uint64_t row_of(const struct mp_ways_thrown *thrown)
{
	return (thrown->sets->piece - 1) / thrown->test->stride + 1;
}

static uint64_t pieces_of(const struct mp_ways_thrown *thrown, uint64_t lines)
{
	return (lines - 1) * thrown->test->stride / thrown->sets->piece + 1;
}

/* Of so many lines of a piece, those in sets that are too full, if @full are:
 * first those that have one more of them than the others. */
static double missed_of(uint64_t lines, uint64_t sets, double full)
{
	const double each = (double)(lines / sets), more = (double)(lines % sets);

	return fmin(full, more) * (each + 1) +
	       fmin(fmax(full - more, 0), (double)sets - more) * each;
}

/* The most of @lines that may lie in sets with more than @room of them, however
 * the pieces lie: a piece has so many of each set, and at most some of those are
 * too full. */
static double most_missed(const struct mp_ways_thrown *thrown,
			  const struct mp_ways_guess *guess, uint64_t lines,
			  double room)
{
	const uint64_t row = row_of(thrown);
	const uint64_t sets = mp_ways_sets_of(guess, thrown->test->stride);
	const double full = floor((double)lines / (room + 1));
	const double most = missed_of(row, sets, full);

	if (thrown->sets->piece % thrown->test->stride)
		return fmin((double)lines,
			    (double)pieces_of(thrown, lines) * most);
	return (double)(lines / row) * most + missed_of(lines % row, sets, full);
}

/* Of n lines, each in a piece of its own, groups that are too full are less
 * than (e n / (room + 1))^(room + 1). If all lines miss there are so few groups
 * that it is less likely still: as many lines as make one group less. */
static double fit_alone(const struct mp_ways_thrown *thrown,
			const struct mp_ways_guess *guess, double room)
{
	const double places = places_of(thrown->sets, guess);
	double most = (room + 1) / exp(1) *
		      exp2((room * log2(places) - UNLIKELY_LOG2) / (room + 1));

	most = fmax(most, room);
	for (double groups = 2; groups <= GROUPS_MOST; groups++) {
		const double lines = groups * (room + 1) - 1;

		if (chance_log2(places, lines, lines, room) < -UNLIKELY_LOG2)
			most = fmax(most, lines);
	}
	return fmin(most, FIT_MOST);
}

/* Where a piece has some of several sets, too many for one of them are not too
 * many for all: hardly all lines can miss. */
static double fit_in_rows(const struct mp_ways_thrown *thrown,
			  const struct mp_ways_guess *guess, double room)
{
	const uint64_t sets = mp_ways_sets_of(guess, thrown->test->stride);
	const double most = fmin(floor(FULL_MOST * (double)sets),
				 (double)sets - 1) * (room + 1) + room;

	return most_missed(thrown, guess, (uint64_t)most, room) <
	       FULL_MOST * most ? most : room;
}

/* Do lines lie at the same places in all pieces? Then it makes no difference
 * which way pieces in a row lie. */
static bool is_alike(const struct mp_ways_thrown *thrown)
{
	const uint64_t piece = thrown->sets->piece;
	const uint64_t stride = thrown->test->stride;

	return piece % stride == 0 || stride % piece == 0;
}

/* Of @lines in a row, those in sets with more than @room of them. */
static double missed_in_row(const struct mp_ways_thrown *thrown,
			    const struct mp_ways_guess *guess, uint64_t lines,
			    double room)
{
	const uint64_t sets = mp_ways_sets_of(guess, thrown->test->stride);
	const double each = (double)(lines / sets);

	if (each > room)
		return (double)lines;
	return each + 1 > room ? (double)(lines % sets) * (each + 1) : 0;
}

uint32_t mp_ways_thrown_fit(const struct mp_ways_thrown *thrown,
			    const struct mp_ways_guess *guess)
{
	const double room = room_of(thrown, guess);
	double in_row;

	if (room < 1)
		return 0;
	if (!is_alike(thrown))
		return (uint32_t)room;
	in_row = (double)mp_ways_sets_of(guess, thrown->test->stride) *
		 (room + 1) - 1;
	return (uint32_t)fmin(thrown->test->stride < thrown->sets->piece ?
			      fit_in_rows(thrown, guess, room) :
			      fit_alone(thrown, guess, room), in_row);
}

uint64_t mp_ways_thrown_most(const struct mp_ways_thrown *thrown,
			     const struct mp_ways_guess *guess,
			     const struct mp_ways_range *inside)
{
	return mp_ways_with(guess, mp_gcd(thrown->test->stride,
					  thrown->sets->piece),
			    inside).high;
}

/*
 * The same of pieces that hold several lines. A set that is too full takes so
 * many pieces that lie on it. Each piece with lines that missed, but for the
 * first of every group, had to meet one of the others: it begins at one of no
 * more than two rows of places beside that one's.
 */
static double rows_log2(const struct mp_ways_thrown *thrown,
			const struct mp_ways_guess *guess, double missed,
			double room)
{
	const uint64_t row = row_of(thrown);
	const uint64_t sets = mp_ways_sets_of(guess, thrown->test->stride);
	const double each = (double)((row - 1) / sets + 1);
	const double pieces = (double)pieces_of(thrown, thrown->test->lines);
	const double most = fmax(ceil(missed / (double)row), 1);
	const double groups = floor(most / ceil((room + 1) / each));
	const double meet = 2 * (double)row / places_of(thrown->sets, guess);

	return choose_log2(pieces, most) + choose_log2(most, groups) +
	       (most - groups) * fmin(log2(most * meet), 0);
}

bool mp_ways_thrown_miss(const struct mp_ways_thrown *thrown,
			 const struct mp_ways_guess *guess)
{
	const struct mp_ways_test *test = thrown->test;
	const double room = room_of(thrown, guess);
	const double missed = ceil((test->missed - MISSED_ERROR) * test->lines);
	const bool is_row = test->stride < thrown->sets->piece;

	if (room < 1)
		return true;
	if (test->lines <= room)
		return false;
	if (is_row && missed > most_missed(thrown, guess, test->lines, room))
		return false;
	if (!is_alike(thrown) ||
	    fmax(missed, 1) <= missed_in_row(thrown, guess, test->lines, room))
		return true;
	return (is_row ? rows_log2(thrown, guess, missed, room) :
		chance_log2(places_of(thrown->sets, guess), test->lines,
			    fmax(missed, room + 1), room)) > -UNLIKELY_LOG2;
}
