// SPDX-License-Identifier: GPL-2.0
/* Guesses of ways and sets, parted by lines in pieces that lie anywhere. */
#include "probe/ways_held.h"
#include "probe/ways_others.h"
#include "probe/ways_sets.h"
#include "probe/ways_thrown.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KIB 1024ull
#define MIB (1024 * KIB)
#define FINEST 0.01
#define REPLICATES 3u
#define LINES_MOST 4096u
/* Pieces of a machine. */
#define PIECES 4096u

static struct mp_rng rng;

/* How memory is dealt out. */
enum deal {
	AT_RANDOM,
	THE_SAME_AGAIN,		/* each time the same pieces, wherever they lie */
	IN_A_ROW,
	BACKWARDS,
	DEALS,
};

/* The share of a test's lines that lie in sets with too many, the oldest of
 * which is thrown out each time. */
static double share_missed(const struct mp_ways_guess *truth,
			   const struct mp_ways_test *test, uint64_t piece,
			   enum deal deal)
{
	static uint64_t set[LINES_MOST], at[PIECES];
	const struct mp_rng before = rng;
	uint32_t missed = 0;

	for (uint32_t i = 0; i < PIECES; i++)
		at[i] = deal == IN_A_ROW ? i :
			deal == BACKWARDS ? PIECES - 1 - i :
			mp_rng_below(&rng, PIECES);
	if (deal == THE_SAME_AGAIN)
		rng = before;
	for (uint32_t i = 0; i < test->lines; i++) {
		const uint64_t byte = i * test->stride;

		set[i] = (at[byte / piece] * piece + byte % piece) %
			 truth->span;
	}
	for (uint32_t i = 0; i < test->lines; i++) {
		uint32_t beside = 0;

		for (uint32_t k = 0; k < test->lines; k++)
			beside += set[k] == set[i];
		missed += beside > truth->ways;
	}
	return (double)missed / test->lines;
}

static enum mp_ways_outcome answer(const struct mp_ways_guess *truth,
				   uint64_t piece, enum deal deal,
				   struct mp_ways_test *test)
{
	double least = 1, most = 0;

	assert_true(test->lines <= LINES_MOST);
	assert_true(test->lines * test->stride <= PIECES * piece);
	for (uint32_t i = 0; i < REPLICATES; i++) {
		const double one = share_missed(truth, test, piece, deal);

		least = one < least ? one : least;
		most = one > most ? one : most;
	}
	test->missed = 0;
	if (most == 0)
		return MP_WAYS_FIT;
	if (least < FINEST || least < 0.65 * test->least)
		return MP_WAYS_UNCLEAR;
	test->missed = least;
	return least == 1 ? MP_WAYS_MISS_ALL : MP_WAYS_MISS;
}

static bool is_left(const struct mp_ways_sets *sets,
		    const struct mp_ways_guess *truth)
{
	for (uint32_t i = 0; i < sets->n; i++)
		if (sets->guess[i].span == truth->span &&
		    sets->guess[i].ways == truth->ways)
			return true;
	return false;
}

/* Test after test, until all that are left agree. Return: in what, or 0. */
static uint32_t part(const struct mp_ways_guess *truth, double low, double high,
		     enum deal deal)
{
	struct mp_ways_test done[MP_WAYS_TESTS], *test;
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 2 * MIB,
	};
	uint32_t n = 0, ways;

	assert_int_equal(mp_ways_add(&sets, MP_WAYS_REGULAR, low, high), 0);
	assert_true(is_left(&sets, truth));
	while (n < MP_WAYS_TESTS && !mp_ways_agreed(&sets)) {
		enum mp_ways_outcome outcome;

		test = &done[n];
		if (!mp_ways_choose(&sets, FINEST, false, done, n, test))
			break;
		outcome = answer(truth, sets.piece, deal, test);
		n++;
		if (outcome == MP_WAYS_UNCLEAR)
			continue;
		mp_ways_keep(&sets, test, outcome);
		assert_true(is_left(&sets, truth));
	}
	ways = mp_ways_agreed(&sets);
	mp_ways_free(&sets);
	return ways;
}

/* Too large for all lines of a set to lie in one piece. */
static void sets_that_begin_anew_with_a_piece_are_found(void **state)
{
	static const struct mp_ways_guess truth[] = {
		{ .span = 2 * MIB, .ways = 1 },
		{ .span = 128 * KIB, .ways = 19 },
		{ .span = 256 * KIB, .ways = 16 },
		{ .span = 512 * KIB, .ways = 16 },
	};

	(void)state;
	mp_rng_seed(&rng, 1);
	for (uint32_t i = 0; i < sizeof(truth) / sizeof(truth[0]); i++) {
		const double size = (double)(truth[i].span * truth[i].ways);

		for (uint32_t deal = 0; deal < DEALS; deal++)
			assert_int_equal(part(&truth[i], size * 0.93, size * 1.1,
					      deal), truth[i].ways);
	}
}

/* Whatever else is said of them, it is not wrong. */
static void sets_that_do_not_are_never_ruled_out(void **state)
{
	(void)state;
	mp_rng_seed(&rng, 2);
	for (uint32_t i = 0; i < 60; i++) {
		const uint64_t odd = 3 + 2 * mp_rng_below(&rng, 6);
		const struct mp_ways_guess truth = {
			.span = odd << (16 + mp_rng_below(&rng, 4)),
			.ways = 1 + (uint32_t)mp_rng_below(&rng, 20),
		};
		const double size = (double)(truth.span * truth.ways);
		const uint32_t ways = part(&truth, size * 0.93, size * 1.1,
					   i % DEALS);

		assert_true(!ways || ways == truth.ways);
	}
}

/* Lines at any distance, parts of a piece or not: what they do may be. */
static void what_lines_do_is_never_called_impossible(void **state)
{
	uint32_t missed = 0;

	(void)state;
	mp_rng_seed(&rng, 3);
	for (uint32_t i = 0; i < 4000; i++) {
		struct mp_ways_guess truth = {
			.span = (3 + 2 * mp_rng_below(&rng, 4)) <<
				(15 + mp_rng_below(&rng, 4)),
			.ways = 1 + (uint32_t)mp_rng_below(&rng, 8),
		};
		const struct mp_ways_sets sets = {
			.line = 64, .grain = 64, .piece = 2 * MIB, .n = 1,
			.guess = &truth,
		};
		struct mp_ways_test test = {
			.stride = 32 * KIB * (1 + mp_rng_below(&rng, 96)),
			.lines = 2 + (uint32_t)mp_rng_below(&rng, 60),
		};
		struct mp_ways_thrown thrown;

		test.missed = share_missed(&truth, &test, sets.piece, i % DEALS);
		if (test.missed == 0)
			continue;
		missed++;
		mp_ways_thrown_begin(&sets, &test, &thrown);
		assert_true(mp_ways_thrown_miss(&thrown, &truth));
	}
	assert_true(missed > 1000);
}

/* One of two ways and one of twenty, of pieces that begin at any of three
 * places. */
static void what_so_many_lines_of_a_piece_each_do_is_foretold(void **state)
{
	struct mp_ways_guess guess[] = {
		{ .span = 3 * MIB, .ways = 2 }, { .span = 3 * MIB, .ways = 20 },
		{ .span = 2 * MIB, .ways = 4 },
	};
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .n = 3,
		.guess = guess,
	};
	struct mp_ways_test test = { .stride = 2 * MIB, .lines = 5 };
	struct mp_ways_thrown thrown;

	(void)state;
	mp_ways_thrown_begin(&sets, &test, &thrown);
	assert_in_range(mp_ways_thrown_fit(&thrown, &guess[0]), 2, 5);
	assert_in_range(mp_ways_thrown_fit(&thrown, &guess[1]), 20, 62);
	assert_int_equal(mp_ways_thrown_fit(&thrown, &guess[2]), 0);
	assert_true(mp_ways_thrown_miss(&thrown, &guess[0]));
	assert_false(mp_ways_thrown_miss(&thrown, &guess[1]));
	assert_true(mp_ways_thrown_miss(&thrown, &guess[2]));
	/* Twenty-one lines may fall on one place of three now and then, but
	 * rarely do. */
	test.lines = 21;
	assert_false(mp_ways_thrown_miss(&thrown, &guess[1]));
	test.lines = 60;
	assert_true(mp_ways_thrown_miss(&thrown, &guess[1]));
}

/* Sixteen lines of the first piece lie in three sets: not all of twenty are in
 * one that is too full. */
static void where_a_piece_has_lines_of_several_sets_not_all_miss(void **state)
{
	struct mp_ways_guess guess = { .span = 384 * KIB, .ways = 7 };
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .n = 1,
		.guess = &guess,
	};
	struct mp_ways_test test = {
		.stride = 128 * KIB, .lines = 20, .missed = 0.4,
	};
	struct mp_ways_thrown thrown;

	(void)state;
	mp_ways_thrown_begin(&sets, &test, &thrown);
	assert_true(mp_ways_thrown_fit(&thrown, &guess) >= 20);
	assert_true(mp_ways_thrown_miss(&thrown, &guess));
	test.missed = 1;
	assert_false(mp_ways_thrown_miss(&thrown, &guess));
	test.lines = 24;
	assert_true(mp_ways_thrown_miss(&thrown, &guess));
}

/* Others that put a line out of the level inside take more memory than lies in a
 * row: in another piece they may fall on its set here, whose number is odd, and
 * that one line is lost says nothing then. In one piece they keep off. */
static void others_in_another_piece_fall_on_any_set(void **state)
{
	struct mp_ways_guess inside = { .span = 40 * KIB, .ways = 16 };
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .n = 1,
		.guess = &inside,
	};
	const struct mp_ways_test lost = {
		.stride = 384 * KIB, .lines = 2, .least = 1, .flushed = true,
		.missed = 1,
	};
	const struct mp_ways_guess both[] = {
		{ .span = 384 * KIB, .ways = 1 },
		{ .span = 24 * KIB, .ways = 16 },
	};
	const uint64_t piece[] = { 2 * MIB, 64 * MIB };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct mp_ways_guess guess[] = { both[0], both[1] };
		struct mp_ways_sets sets = {
			.line = 64, .grain = 64, .piece = piece[i], .n = 2,
			.inner = &inner, .guess = guess,
		};

		assert_int_equal(mp_ways_others_in_row(&sets, &lost), i);
		mp_ways_keep(&sets, &lost, MP_WAYS_MISS_ALL);
		assert_int_equal(sets.n, 2 - i);
		assert_int_equal(guess[0].ways, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_that_begin_anew_with_a_piece_are_found),
		cmocka_unit_test(sets_that_do_not_are_never_ruled_out),
		cmocka_unit_test(what_lines_do_is_never_called_impossible),
		cmocka_unit_test(
			what_so_many_lines_of_a_piece_each_do_is_foretold),
		cmocka_unit_test(
			where_a_piece_has_lines_of_several_sets_not_all_miss),
		cmocka_unit_test(others_in_another_piece_fall_on_any_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
