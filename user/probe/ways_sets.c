// SPDX-License-Identifier: GPL-2.0
/*
 * Guesses of ways and sets. Lines a stride P apart fall on span / gcd(span, P)
 * sets, each of which holds as many as it has ways; so every guess says
 * exactly how many lines fit at every stride, and two guesses that say the
 * same at all of them are the same. A level that is exclusive of the one
 * inside holds its lines beside those that are held inside.
 */
#include "probe/ways_sets.h"

#include <math.h>
#include <stdlib.h>

#include "probe/ways_done.h"
#include "probe/ways_drive.h"
#include "probe/ways_held.h"
#include "probe/ways_others.h"
#include "probe/ways_said.h"
#include "probe/ways_thrown.h"

/* Rings of more lines take too long. */
#define LINES_MAX 4096u
#define STRIDES 280u
/* .. and so do those that lie in more memory. */
#define SPAN_MAX (64ull << 20)
/* Of more guesses than this powers of two are tried first. */
#define GUESSES_MANY 1500u
#define GUESSES_MAX 4000u
/* Of no more than this what is likely is worked out, of lines so many pieces of
 * memory apart, too. */
#define GUESSES_FEW 400u
#define PIECES_APART 2u
/* Strides that are tried for the sake of single guesses. */
#define OWN_STRIDES 24u
/* .. and that what flushes keeps off. */
#define APART_MAX 24u
/* A test costs so many lines for nothing, beside its own. */
#define LINES_FREE 150.0
/* One that can only show that all fit is worth so much of another. */
#define DIM 0.3
/* .. and one over so many pages, of one over few. */
#define PAGE 4096u
#define PAGES_FREE 100.0
/* While there are more than a few, a test is to part off this much of them, by
 * weight: all tests that there may be would get rid of two in three of them
 * else. */
#define PARTS_LEAST (1.0 / MP_WAYS_TESTS)
/* Where a test was hidden, lines fewer by this are tried first. */
#define ROOM_FIRST 0.7
/* If the level inside kept lines in so many tests, others are made first. */
#define KEPT_MANY 6u
/* So many tests that only tell if all lines are seen here did not; and so many
 * of one stride. */
#define HERE_VAIN 16u
#define HERE_VAIN_EACH 2u
/* So many tests whose lines others were to put out told nothing: a ring may. */
#define FLUSHED_VAIN 3u
/* .. and so many of a ring: a longer one may. */
#define DRIVEN_VAIN 2u

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* -- the next test ------------------------------------------------------ */

/* Where one stride parts the guesses best, of those that it speaks of. */
struct choice {
	const struct mp_ways_sets *sets;
	double finest;
	const struct mp_ways_test *done;
	uint32_t n_done;
	struct mp_ways_said *said;
	bool flushed;
	uint64_t apart;		/* .. see struct mp_ways_test */
	uint64_t drive;		/* .. */
	bool ring_kept;		/* .. */
	bool here;		/* all lines have to be seen in this level */
	bool past;		/* .. and more than may have room inside */
	bool bold;		/* .. or that, where nothing is known of it */
	bool thrown;		/* what is likely of scattered pieces counts, too */
	uint64_t inside;	/* so many have */
	uint64_t handed;	/* lines of a stride that it may have, and hand over */
	uint64_t most;		/* lines that there is a control for */
	double room;		/* lines, of those that were hidden, at most; 1 =
				 * as few as tell */
	double least;		/* weight to be parted off */
	double best;
	struct mp_ways_test test;
};

static void judge(struct choice *choice, uint64_t stride, uint32_t i,
		  struct mp_ways_sweep *sweep, double above, uint64_t most)
{
	const struct mp_ways_said *said = choice->said;
	struct mp_ways_test test = {
		.stride = stride, .flushed = choice->flushed,
		.apart = choice->apart, .drive = choice->drive,
		.here = choice->here,
	};
	struct mp_ways_below below;
	uint64_t under, lines;
	double value, pages;

	/* It cannot be worth more than this, whatever is below. */
	if (above * LINES_FREE / (LINES_FREE + 1) <= choice->best)
		return;
	below = mp_ways_said_below(sweep, i);
	under = below.most;
	/* Twice what fits is enough to be seen. */
	lines = min_of(min_of(said[i].held.low, most),
		       choice->room < 1 ? 2 * under + 1 : under + 1);
	if (choice->here && lines <= choice->inside)
		lines = min_of(min_of(said[i].held.low, most),
			       choice->inside + 1);
	if (below.weight <= 0 || fmin(below.weight, above) < choice->least ||
	    lines <= under || lines > LINES_MAX ||
	    (choice->here && lines <= choice->inside))
		return;
	test.lines = (uint32_t)lines;
	test.least = (double)(test.lines - under) / test.lines;
	if (test.least < choice->finest ||
	    mp_ways_is_done(choice->done, choice->n_done, &test))
		return;
	value = fmin(below.weight, above) * LINES_FREE / (LINES_FREE + test.lines);
	pages = (double)test.lines * (double)stride / PAGE;
	if (choice->sets->clear && test.lines > choice->sets->clear &&
	    pages > choice->sets->clear)
		value *= DIM;
	value *= PAGES_FREE / (PAGES_FREE + pages);
	if (value <= choice->best)
		return;
	choice->best = value;
	choice->test = test;
}

/* What is likely where the level inside keeps no line: one too many of one
 * set alone hardly ever shows in an exclusive level, and is no miss of all. */
static void expect_here(const struct choice *choice,
			const struct mp_ways_guess *guess, uint64_t stride,
			struct mp_ways_range *held)
{
	const uint64_t own = mp_ways_sets_of(guess, stride) * guess->ways;

	held->high = min_of(held->high, guess->exclusive ?
					own + choice->handed : own);
	if (held->low < held->high)
		held->low++;
}

/* The most lines at a stride that may not be hidden. */
static uint64_t most_shown(const struct choice *choice, uint64_t stride)
{
	uint64_t most = LINES_MAX;

	for (uint32_t i = 0; i < choice->n_done; i++) {
		const struct mp_ways_test *done = &choice->done[i];
		const double room = fmin(done->lines * choice->room,
					 done->lines - 1.0);

		if ((done->hidden || (done->flushed && done->unclear &&
				      done->apart == choice->apart)) &&
		    done->flushed == choice->flushed &&
		    done->drive == choice->drive &&
		    stride % done->stride == 0)
			most = min_of(most, (uint64_t)room);
	}
	return most;
}

/* What a guess says of the lines that fit; false: nothing. @beyond: they are not
 * in a row. Where sets do not begin anew with each piece, so many are all but
 * sure to fit. */
static bool expect(const struct choice *choice,
		   const struct mp_ways_guess *guess,
		   const struct mp_ways_thrown *thrown,
		   const struct mp_ways_range *inside, uint64_t left,
		   bool beyond, struct mp_ways_range *held)
{
	const struct mp_ways_test *test = thrown->test;
	const uint64_t more = guess->exclusive ? left : 0;

	if (beyond && choice->sets->piece % guess->span) {
		if (!choice->thrown)
			return false;
		held->low = mp_ways_thrown_fit(thrown, guess);
		held->high = mp_ways_thrown_most(thrown, guess, inside) + more;
		return true;
	}
	*held = mp_ways_by_test(guess, test, inside);
	held->high += more;
	if (choice->here)
		expect_here(choice, guess, test->stride, held);
	return true;
}

/* @beyond: the lines leave the piece of memory that lies in a row. */
static void try_stride(struct choice *choice, uint64_t stride, bool beyond)
{
	const struct mp_ways_sets *sets = choice->sets;
	const struct mp_ways_range inside =
		mp_ways_inside_at(sets, stride, choice->flushed, !beyond);
	const uint64_t room = beyond || sets->small ||
			      sets->piece > SPAN_MAX ? SPAN_MAX / stride :
						       sets->piece / stride;
	const uint64_t most = min_of(min_of(room, choice->most),
				     most_shown(choice, stride));
	const struct mp_ways_test test = {
		.stride = stride, .flushed = choice->flushed,
		.apart = choice->apart, .drive = choice->drive,
		.ring_kept = choice->ring_kept,
	};
	const uint64_t left = mp_ways_left_inside(sets, &test, !beyond);
	struct mp_ways_thrown thrown = { .sets = sets, .test = &test };
	struct mp_ways_sweep sweep;
	double above = 0;
	uint32_t n = 0;

	if (choice->thrown)
		mp_ways_thrown_begin(sets, &test, &thrown);
	choice->handed = choice->here && sets->inner ?
			 mp_ways_handed(sets->inner, stride, !beyond) : 0;
	choice->inside = choice->past ? inside.high : inside.low;
	if (sets->inner && sets->inner->loose && !choice->flushed &&
	    !choice->bold)
		choice->inside = mp_ways_likely(sets->inner, stride).high;
	for (uint32_t i = 0; i < sets->n; i++) {
		const struct mp_ways_guess *guess = &sets->guess[i];
		struct mp_ways_said *said = &choice->said[n];

		if (!expect(choice, guess, &thrown, &inside, left, beyond,
			    &said->held))
			continue;
		said->weight = guess->weight;
		above += said->weight;
		n++;
	}
	mp_ways_said_sort(&sweep, choice->said, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct mp_ways_said *said = &choice->said[i];

		if (i && said->held.low > said[-1].held.low)
			judge(choice, stride, i, &sweep, above, most);
		above -= said->weight;
		mp_ways_said_pass(&sweep, i);
	}
}

/* Strides of single guesses: what they span, and so that the levels inside
 * hold the fewest lines. */
static uint32_t list_own(const struct mp_ways_sets *sets, uint32_t n,
			 uint64_t stride[STRIDES])
{
	const uint64_t unit = mp_ways_unit_all(sets, SPAN_MAX);

	for (uint32_t i = 0; i < sets->n && i < OWN_STRIDES; i++) {
		const uint64_t own = mp_ways_stride(sets, sets->guess[i].span);
		const uint64_t both = unit ? mp_ways_lcm(unit, own) : 0;

		for (uint64_t q = 1; q <= (sets->n == 1 ? 16 : 2); q++)
			stride[n++] = q * own;
		if (both > 2 * own && both <= SPAN_MAX)
			stride[n++] = both;
	}
	return n;
}

/* Powers of two, small odd multiples of them, and what guesses span; @few:
 * those powers only. */
static uint32_t list_strides(const struct mp_ways_sets *sets, bool few,
			     uint64_t stride[STRIDES])
{
	uint64_t top = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < sets->n; i++)
		if (sets->guess[i].span > top)
			top = sets->guess[i].span;
	for (uint64_t s = sets->grain; s < 4 * top; s *= 2)
		for (uint64_t q = 1; q <= (few ? 1 : MP_WAYS_ODD_REGULAR); q += 2)
			if (q * s <= 2 * top && n < STRIDES - 3 * OWN_STRIDES)
				stride[n++] = q * s;
	return few ? n : list_own(sets, n, stride);
}

/* -- flushing ----------------------------------------------------------- */

static void try_flushed_at(struct choice *choice, uint64_t stride,
			   uint64_t apart)
{
	const struct mp_ways_test test = { .stride = stride, .apart = apart };
	struct mp_ways_flush flush;

	if (stride > SPAN_MAX ||
	    !mp_ways_flushers(choice->sets, &test, MP_WAYS_FLUSH_LEAST, &flush))
		return;
	choice->most = mp_ways_most_beside(choice->sets->clear, &flush, stride);
	choice->flushed = true;
	choice->apart = apart;
	try_stride(choice, stride, false);
	try_stride(choice, stride, true);
	choice->flushed = false;
	choice->apart = 0;
	choice->most = LINES_MAX;
}

/* Strides at which the lines of each guess share a set, here and inside; or if
 * none of those will do, here. */
static void try_flushed(struct choice *choice)
{
	const struct mp_ways_sets *sets = choice->sets;
	const uint64_t unit = mp_ways_unit(sets);
	const uint32_t n = sets->n < OWN_STRIDES ? sets->n : OWN_STRIDES;

	for (uint32_t i = 0; unit && i < n; i++)
		try_flushed_at(choice, mp_ways_lcm(sets->guess[i].span, unit), 0);
	for (uint32_t i = 0; unit && i < n && choice->best <= 0; i++)
		try_flushed_at(choice, mp_ways_stride(sets, sets->guess[i].span),
			       0);
}

/* The same, if there are no others that keep off the sets of all guesses: they
 * keep off those of one and what it says the same of. */
static void try_apart(struct choice *choice)
{
	const struct mp_ways_sets *sets = choice->sets;
	const uint64_t unit = mp_ways_unit(sets);
	const uint32_t n = sets->n < APART_MAX ? sets->n : APART_MAX;

	for (uint32_t i = 0; unit && !sets->small && i < n; i++) {
		const uint64_t stride = mp_ways_lcm(sets->guess[i].span, unit);

		for (uint32_t k = 0; k < n; k++) {
			const uint64_t apart = mp_gcd(sets->guess[k].span,
						      stride);
			bool again = !(unit % apart);

			for (uint32_t j = 0; j < k && !again; j++)
				again = mp_gcd(sets->guess[j].span,
					       stride) == apart;
			if (!again)
				try_flushed_at(choice, stride, apart);
		}
	}
}

/* .. or by a ring, wherever its sets lie, if no others are known to. */
static void try_driven(struct choice *choice, const uint64_t *stride, uint32_t n)
{
	const uint32_t vain = mp_ways_n_unclear(choice->done, choice->n_done, true);
	const uint32_t which = vain / DRIVEN_VAIN;
	const uint64_t drive = which < MP_WAYS_DRIVES ?
			       mp_ways_drive_bytes(choice->sets, which) : 0;

	choice->flushed = true;
	choice->drive = drive;
	choice->ring_kept = mp_ways_is_kept(choice->done, choice->n_done, drive);
	for (uint32_t i = 0; i < n && drive; i++) {
		if (stride[i] % PAGE || stride[i] > SPAN_MAX)
			continue;
		choice->most = mp_ways_drive_lines(choice->sets->piece,
						   stride[i], drive);
		try_stride(choice, stride[i], false);
		choice->most = MP_WAYS_DRIVE_LINES;
		try_stride(choice, stride[i], true);
	}
	choice->flushed = false;
	choice->drive = 0;
	choice->ring_kept = false;
	choice->most = LINES_MAX;
}

/* One too many for a set, put out of the levels inside by a ring. */
static bool driven_witness(const struct mp_ways_sets *sets,
			   const struct mp_ways_guess *guess, uint32_t which,
			   struct mp_ways_test *test)
{
	struct mp_ways_range held;

	*test = (struct mp_ways_test){
		.stride = mp_ways_lcm(guess->span, PAGE),
		.drive = mp_ways_drive_bytes(sets, which),
		.flushed = true,
	};
	if (!test->drive || test->stride > SPAN_MAX)
		return false;
	held = mp_ways_drive_held(guess, test);
	test->lines = (uint32_t)held.low + 1;
	test->least = 1.0 / test->lines;
	return held.low && held.low == held.high &&
	       test->lines <= MP_WAYS_DRIVE_LINES &&
	       mp_ways_is_foretold(sets, guess, test) &&
	       (!guess->exclusive ||
		!mp_ways_left_inside(sets, test, mp_ways_in_row(sets, test)));
}

/* One too many for a set, put out of the level inside by others. */
static bool flushed_witness(const struct mp_ways_sets *sets,
			    const struct mp_ways_guess *guess,
			    struct mp_ways_test *test)
{
	const uint64_t unit = mp_ways_unit(sets);
	struct mp_ways_flush flush;

	for (uint32_t own = 0; unit && own <= 1; own++) {
		*test = (struct mp_ways_test){
			.stride = own ? mp_ways_stride(sets, guess->span) :
					mp_ways_lcm(guess->span, unit),
			.lines = guess->ways + 1,
			.flushed = true,
			.least = 1.0 / (guess->ways + 1),
		};
		if (mp_ways_is_foretold(sets, guess, test) &&
		    (!guess->exclusive ||
		     !mp_ways_left_inside(sets, test,
					  mp_ways_in_row(sets, test))) &&
		    mp_ways_flushers(sets, test, MP_WAYS_FLUSH_LEAST, &flush) &&
		    mp_ways_most_beside(sets->clear, &flush, test->stride) >=
		    test->lines)
			return true;
	}
	return false;
}

/* Does it tell that so many lines fit, and one more does not? */
static bool is_witness(const struct mp_ways_sets *sets,
		       const struct mp_ways_guess *guess,
		       const struct mp_ways_test *test)
{
	const struct mp_ways_range inside = mp_ways_inside(sets, test);
	const struct mp_ways_range held = mp_ways_with(guess, test->stride,
						       &inside);

	if (!mp_ways_is_foretold(sets, guess, test))
		return false;
	/* All that fit are seen here, and there may be no more of them. Those
	 * inside have no room for all. */
	if (test->here)
		return held.low + 1 == test->lines && held.low > inside.low &&
		       mp_ways_here(sets, guess, test->stride,
				    mp_ways_in_row(sets, test)) == held.low;
	return guess->exclusive || !inside.high ?
		       held.low == held.high : 2 * held.low > held.high + 1;
}

/* Has the stride been tried? */
static bool is_tried(const struct mp_ways_tried *tried, uint64_t stride)
{
	for (uint32_t i = 0; i < tried->n; i++)
		if (tried->stride[i] == stride)
			return true;
	return false;
}

static bool plain_witness(const struct mp_ways_sets *sets,
			  const struct mp_ways_guess *guess, bool in_row,
			  bool here, const struct mp_ways_tried *tried,
			  struct mp_ways_test *test)
{
	uint64_t stride[STRIDES];
	const uint32_t n = list_strides(sets, sets->n > GUESSES_MANY, stride);

	test->lines = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct mp_ways_range held =
			mp_ways_fitting(sets, guess, stride[i]);
		const struct mp_ways_test one = {
			.stride = stride[i],
			.lines = (uint32_t)held.low + 1,
			.here = here,
			.least = 1.0 / (double)(held.low + 1),
		};

		if (one.lines <= LINES_MAX && is_witness(sets, guess, &one) &&
		    (!in_row || mp_ways_in_row(sets, &one)) &&
		    !is_tried(tried, stride[i]) &&
		    (!test->lines || one.lines < test->lines))
			*test = one;
	}
	return test->lines > 0;
}

/* The same of so many sets that those inside have no room for what fills them,
 * whatever they keep: one too many for each of them is one that is seen. */
static bool past_witness(const struct mp_ways_sets *sets,
			 const struct mp_ways_guess *guess,
			 struct mp_ways_test *test)
{
	uint64_t stride[STRIDES];
	const uint32_t n = list_strides(sets, sets->n > GUESSES_MANY, stride);

	test->lines = 0;
	for (uint32_t i = 0; i < n && !guess->exclusive; i++) {
		const uint64_t full = mp_ways_sets_of(guess, stride[i]);
		const struct mp_ways_test one = {
			.stride = stride[i],
			.lines = (uint32_t)full * (guess->ways + 1),
			.here = true,
			.least = 1.0 / (guess->ways + 1),
		};

		if (full * (guess->ways + 1) <= LINES_MAX &&
		    mp_ways_is_foretold(sets, guess, &one) &&
		    mp_ways_inside(sets, &one).high < full * guess->ways &&
		    (!test->lines || one.lines < test->lines))
			*test = one;
	}
	return test->lines > 0;
}

static bool any_witness(const struct mp_ways_sets *sets,
			const struct mp_ways_guess *guess,
			enum mp_ways_sight sight,
			const struct mp_ways_tried *tried,
			struct mp_ways_test *test)
{
	if (sight == MP_WAYS_FLUSHED)
		return flushed_witness(sets, guess, test);
	if (sight >= MP_WAYS_DRIVEN)
		return driven_witness(sets, guess, sight - MP_WAYS_DRIVEN, test);
	if (sight == MP_WAYS_ALL_HERE)
		return sets->inner &&
		       (plain_witness(sets, guess, true, true, tried,
				      test) ||
			plain_witness(sets, guess, false, true, tried, test));
	if (sight == MP_WAYS_ALL_PAST)
		return sets->inner && past_witness(sets, guess, test);
	return plain_witness(sets, guess, true, false, tried, test) ||
	       plain_witness(sets, guess, false, false, tried, test);
}

bool mp_ways_witness(const struct mp_ways_sets *sets,
		     const struct mp_ways_guess *guess,
		     enum mp_ways_sight sight,
		     const struct mp_ways_tried *tried,
		     struct mp_ways_test *test, uint32_t *full)
{
	const bool found = any_witness(sets, guess, sight, tried, test);

	if (!found)
		return false;
	*full = sight == MP_WAYS_ALL_PAST ?
		test->lines / (guess->ways + 1) * guess->ways : test->lines - 1;
	return true;
}

/* Has it been tried often enough at a stride to see all lines in this level? */
static bool is_vain(const struct choice *choice, uint64_t stride)
{
	return mp_ways_n_vain(choice->done, choice->n_done, stride) >=
	       HERE_VAIN_EACH;
}

/* Tests that tell if all lines are seen in the level itself. If they never are,
 * only those of more than have room inside. */
static void try_here(struct choice *choice, const uint64_t *stride, uint32_t n)
{
	const struct mp_ways_sets *sets = choice->sets;
	const bool may = sets->n <= GUESSES_MANY &&
			 mp_ways_n_vain(choice->done, choice->n_done, 0) < HERE_VAIN;

	if (!sets->inner || choice->best > 0)
		return;
	choice->here = true;
	for (uint32_t i = 0; i < n && may; i++)
		if (!is_vain(choice, stride[i]))
			try_stride(choice, stride[i], false);
	for (uint32_t i = 0; i < n && may && !sets->small &&
			     choice->best <= 0; i++)
		if (!is_vain(choice, stride[i]))
			try_stride(choice, stride[i], true);
	choice->bold = true;
	for (uint32_t i = 0; i < n && may && sets->inner->loose &&
			     choice->best <= 0; i++)
		if (!is_vain(choice, stride[i]))
			try_stride(choice, stride[i], false);
	choice->past = true;
	for (uint32_t i = 0; i < n && choice->best <= 0; i++)
		try_stride(choice, stride[i], false);
	choice->here = choice->past = choice->bold = false;
}

/* If nothing else tells, pieces that lie anywhere may. */
static void try_thrown(struct choice *choice, const uint64_t *stride, uint32_t n,
		       bool with_flushed)
{
	choice->thrown = true;
	for (uint32_t i = 0; i < n; i++)
		try_stride(choice, stride[i], true);
	for (uint32_t pieces = 1; pieces <= PIECES_APART; pieces++)
		try_stride(choice, pieces * choice->sets->piece, true);
	if (with_flushed && choice->best <= 0)
		try_flushed(choice);
	choice->thrown = false;
}

/* One kind of test after the other, until one is worth something. */
static void try_all(struct choice *choice, const uint64_t *stride, uint32_t n,
		    bool with_flushed)
{
	const struct mp_ways_sets *sets = choice->sets;
	const bool may = with_flushed && sets->n <= GUESSES_MANY;
	const uint32_t kept = mp_ways_n_kept(choice->done, choice->n_done);

	if (may && mp_ways_n_unclear(choice->done, choice->n_done, false) >=
		   FLUSHED_VAIN)
		try_driven(choice, stride, n);
	if (may && kept >= KEPT_MANY && choice->best <= 0)
		try_flushed(choice);
	if (may && kept >= KEPT_MANY && choice->best <= 0)
		try_apart(choice);
	if (choice->best > 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		try_stride(choice, stride[i], false);
	for (uint32_t i = 0; i < n && choice->best <= 0 && !sets->small; i++)
		try_stride(choice, stride[i], true);
	for (uint32_t turn = 0; turn < 2; turn++) {
		if (turn == (with_flushed && kept))
			try_here(choice, stride, n);
		else if (may && choice->best <= 0)
			try_flushed(choice);
		if (turn != kept && may && choice->best <= 0)
			try_apart(choice);
	}
	if (choice->best <= 0 && may)
		try_driven(choice, stride, n);
	if (choice->best <= 0 && sets->n <= GUESSES_FEW && !sets->small)
		try_thrown(choice, stride, n, with_flushed);
}

/* One list of strides, and if lines were hidden, fewer of them. */
static bool try_list(struct choice *choice, bool few, bool with_flushed)
{
	uint64_t stride[STRIDES];
	const uint32_t n = list_strides(choice->sets, few, stride);

	choice->room = ROOM_FIRST;
	try_all(choice, stride, n, with_flushed);
	choice->room = 1;
	if (choice->best <= 0)
		try_all(choice, stride, n, with_flushed);
	return choice->best > 0;
}

bool mp_ways_choose(const struct mp_ways_sets *sets, double finest,
		    bool with_flushed, const struct mp_ways_test *done,
		    uint32_t n_done, struct mp_ways_test *test)
{
	struct choice choice = {
		.sets = sets, .finest = finest, .done = done, .n_done = n_done,
		.said = malloc((MP_WAYS_SAID_ROOM * sets->n + 1) *
			       sizeof(*choice.said)),
		.most = LINES_MAX,
	};
	const bool many = sets->n > GUESSES_MANY;

	for (uint32_t i = 0; i < sets->n && sets->n > GUESSES_FEW; i++)
		choice.least += sets->guess[i].weight * PARTS_LEAST;
	if (!choice.said || sets->n > GUESSES_MAX) {
		free(choice.said);
		return false;
	}
	if (!try_list(&choice, many, with_flushed) && many)
		try_list(&choice, false, with_flushed);
	free(choice.said);
	*test = choice.test;
	return choice.best > 0;
}
