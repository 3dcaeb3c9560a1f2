// SPDX-License-Identifier: GPL-2.0
/* Guesses of ways and sets, parted by an oracle that knows the truth. */
#include "exp.h"
#include "probe/ways_held.h"
#include "probe/ways_others.h"
#include "probe/ways_sets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define KIB 1024ull
#define MIB (1024 * KIB)
#define FINEST 0.02

static void open_sets(struct mp_ways_sets *sets, double size, uint32_t kind,
		      const struct mp_ways_sets *inner)
{
	*sets = (struct mp_ways_sets){
		.line = 64, .grain = 64, .piece = 64 * MIB, .inner = inner,
	};
	assert_int_equal(mp_ways_add(sets, kind, size * 0.95, size * 1.04), 0);
}

/* Test after test, each answered as the truth would have it. */
static uint32_t part(struct mp_ways_sets *sets, bool with_flushed,
		     const struct mp_ways_guess *truth)
{
	struct mp_ways_test done[MP_WAYS_TESTS], *test;
	uint32_t n = 0;

	while (n < MP_WAYS_TESTS && !mp_ways_agreed(sets)) {
		struct mp_ways_range held;

		test = &done[n];
		if (!mp_ways_choose(sets, FINEST, with_flushed, done, n, test))
			break;
		assert_true(test->lines * test->stride <= 64 * MIB);
		held = mp_ways_fitting(sets, truth, test->stride);
		if (test->flushed)
			held.low = truth->ways;
		mp_ways_keep(sets, test, test->lines <= held.low ?
			     MP_WAYS_FIT : MP_WAYS_MISS);
		n++;
	}
	return mp_ways_agreed(sets);
}

static void any_regular_number_of_ways_is_found(void **state)
{
	static const uint64_t span[] = { 512, 4 * KIB, 12 * KIB, 13 * 256,
					 64 * KIB, 80 * KIB };

	(void)state;
	for (uint32_t i = 0; i < sizeof(span) / sizeof(span[0]); i++) {
		for (uint32_t ways = 1; ways <= 32; ways++) {
			const struct mp_ways_guess truth = {
				.span = span[i], .ways = ways,
			};
			struct mp_ways_sets sets;

			open_sets(&sets, (double)span[i] * ways,
				  MP_WAYS_REGULAR, NULL);
			assert_int_equal(part(&sets, false, &truth), ways);
			mp_ways_free(&sets);
		}
	}
}

static void sets_of_an_odd_number_are_found_among_all(void **state)
{
	const struct mp_ways_guess truth = { .span = 107 * 64, .ways = 4 };
	struct mp_ways_sets sets;

	(void)state;
	open_sets(&sets, 107 * 64 * 4, MP_WAYS_ODD, NULL);
	assert_int_equal(part(&sets, false, &truth), 4);
	mp_ways_free(&sets);
}

/* Eight lines of a set never leave eight ways inside. */
static void what_is_hidden_is_parted_by_flushed_tests_only(void **state)
{
	const struct mp_ways_guess inside = { .span = 4 * KIB, .ways = 8 };
	const struct mp_ways_guess truth = { .span = 128 * KIB, .ways = 8 };
	struct mp_ways_sets inner, sets;

	(void)state;
	open_sets(&inner, 32 * KIB, MP_WAYS_REGULAR, NULL);
	assert_int_equal(part(&inner, false, &inside), 8);
	open_sets(&sets, MIB, MP_WAYS_REGULAR, &inner);
	assert_int_equal(part(&sets, false, &truth), 0);
	assert_true(sets.n > 1);
	mp_ways_free(&sets);
	open_sets(&sets, MIB, MP_WAYS_REGULAR, &inner);
	assert_int_equal(part(&sets, true, &truth), 8);
	mp_ways_free(&sets);
	mp_ways_free(&inner);
}

static void an_exclusive_level_holds_its_lines_beside_those_inside(void **state)
{
	const struct mp_ways_guess inside = { .span = 4 * KIB, .ways = 8 };
	const struct mp_ways_guess truth = {
		.span = 32 * KIB, .ways = 16, .exclusive = true,
	};
	struct mp_ways_sets inner, sets;

	(void)state;
	open_sets(&inner, 32 * KIB, MP_WAYS_REGULAR, NULL);
	assert_int_equal(part(&inner, false, &inside), 8);
	open_sets(&sets, 512 * KIB, MP_WAYS_REGULAR, &inner);
	assert_int_equal(part(&sets, false, &truth), 16);
	assert_true(sets.guess[0].exclusive);
	assert_int_equal(mp_ways_held(&sets, 32 * KIB).high, 24);
	mp_ways_free(&sets);
	mp_ways_free(&inner);
}

/* Guesses whose sets do not begin anew with each piece of memory: how many have
 * so many ways, or fewer. */
static uint32_t count_thrown(const struct mp_ways_sets *sets, uint32_t ways)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < sets->n; i++)
		n += sets->piece % sets->guess[i].span != 0 &&
		     sets->guess[i].ways <= ways;
	return n;
}

/* Beyond a piece of memory what fits proves nothing of them. Nine lines that do
 * not are more than there are ways, wherever they lie. */
static void what_leaves_contiguous_memory_proves_little(void **state)
{
	const struct mp_ways_test test = { .stride = 384 * KIB, .lines = 9 };
	struct mp_ways_sets sets;
	uint32_t all, few;

	(void)state;
	open_sets(&sets, 1536 * KIB, MP_WAYS_REGULAR, NULL);
	sets.piece = 2 * MIB;
	all = count_thrown(&sets, MP_WAYS_MAX);
	few = count_thrown(&sets, 8);
	assert_true(all > few && few > 0);
	mp_ways_keep(&sets, &test, MP_WAYS_FIT);
	assert_int_equal(count_thrown(&sets, MP_WAYS_MAX), all);
	mp_ways_keep(&sets, &test, MP_WAYS_MISS);
	assert_int_equal(count_thrown(&sets, MP_WAYS_MAX), few);
	mp_ways_free(&sets);
}

/* A set holds fewer lines than one inside; sets of which the level inside has
 * but one, together, more. */
static void sets_that_are_full_together_hold_more_than_the_level_inside(
	void **state)
{
	struct mp_ways_guess inside = { .span = 4 * KIB, .ways = 12 };
	struct mp_ways_guess guess = { .span = 64 * KIB, .ways = 8 };
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
		.guess = &inside,
	};
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .inner = &inner,
		.n = 1, .guess = &guess,
	};
	const struct mp_ways_tried none = { .n = 0 };
	struct mp_ways_range held;
	struct mp_ways_test over;
	uint32_t full;

	(void)state;
	assert_true(mp_ways_witness(&sets, &guess, MP_WAYS_ALL_PAST, &none,
				    &over, &full));
	held = mp_ways_inside(&sets, &over);
	assert_true(over.here);
	assert_true(full > held.high);
	assert_int_equal(full / 8, over.lines / 9);
	assert_int_equal(full, 8 * mp_ways_sets_of(&guess, over.stride));
	assert_int_equal(full, 16);
	guess.exclusive = true;
	assert_false(mp_ways_witness(&sets, &guess, MP_WAYS_ALL_PAST, &none,
				     &over, &full));
}

/* As many lines at a multiple of the stride would be hidden, too. */
static void what_was_hidden_is_not_asked_of_multiples(void **state)
{
	struct mp_ways_test done[8];
	struct mp_ways_sets sets;

	(void)state;
	open_sets(&sets, 32 * KIB, MP_WAYS_REGULAR, NULL);
	for (uint32_t n = 0; n < 8; n++) {
		assert_true(mp_ways_choose(&sets, FINEST, false, done, n,
					   &done[n]));
		for (uint32_t i = 0; i < n; i++)
			assert_false(done[n].stride % done[i].stride == 0 &&
				     done[n].lines >= done[i].lines);
		done[n].hidden = true;
	}
	mp_ways_free(&sets);
}

/* 17 lines in four sets of four ways: five may miss, and not all. */
static void more_misses_than_full_sets_explain_rule_a_guess_out(void **state)
{
	struct mp_ways_guess guess[2] = {
		{ .span = 64 * KIB, .ways = 16, .weight = 1 },
		{ .span = 256 * KIB, .ways = 4, .weight = 1 },
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 2,
		.guess = guess,
	};
	struct mp_ways_test test = { .stride = 64 * KIB, .lines = 17 };

	(void)state;
	test.missed = 0.25;
	mp_ways_keep(&sets, &test, MP_WAYS_MISS);
	assert_int_equal(sets.n, 2);
	test.missed = 1;
	mp_ways_keep(&sets, &test, MP_WAYS_MISS_ALL);
	assert_int_equal(sets.n, 1);
	assert_int_equal(sets.guess[0].ways, 16);
}

/* 43 lines, four a page but for three of the last one, where a prefetcher may
 * bring the one that would come next: of 44 all miss in four sets of ten, and
 * where 43 fit. */
static void lines_that_may_be_brought_rule_no_guess_out(void **state)
{
	static const uint32_t ways[] = { 10, 20, 43, 44 };
	static const uint64_t span[] = { 4 * KIB, 2 * KIB, KIB, KIB };
	const struct mp_ways_test test = {
		.stride = KIB, .lines = 43, .missed = 1,
	};

	(void)state;
	for (uint32_t brought = 0; brought <= 1; brought++) {
		struct mp_ways_guess guess[4] = { 0 };
		struct mp_ways_sets sets = {
			.line = 64, .grain = 64, .piece = 64 * MIB, .n = 4,
			.guess = guess, .brought = brought,
		};

		for (uint32_t i = 0; i < sets.n; i++) {
			guess[i].ways = ways[i];
			guess[i].span = span[i];
		}
		mp_ways_keep(&sets, &test, MP_WAYS_MISS_ALL);
		assert_int_equal(sets.n, brought ? 3 : 1);
		assert_int_equal(guess[0].ways, brought ? 10 : 20);
	}
}

/* Nineteen lines may stay where sixteen fit and eight more inside; if all are
 * seen here they may not. */
static void lines_that_stay_inside_leave_room_here(void **state)
{
	struct mp_ways_guess inside = { .span = 4 * KIB, .ways = 8 };
	struct mp_ways_guess guess = { .span = 64 * KIB, .ways = 16 };
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
		.guess = &inside,
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .inner = &inner,
		.n = 1, .guess = &guess,
	};
	const struct mp_ways_test test = { .stride = 64 * KIB, .lines = 19 };

	(void)state;
	mp_ways_keep(&sets, &test, MP_WAYS_FIT);
	assert_int_equal(sets.n, 1);
	mp_ways_keep(&sets, &test, MP_WAYS_FIT_HERE);
	assert_int_equal(sets.n, 0);
}

/* A level of 16 ways, exclusive of one of 25 that is not: 41 lines may all be
 * seen here, and no more, though others may hold lines for good. */
static void lines_that_are_all_seen_here_are_no_more_than_are_handed_on(void **state)
{
	struct mp_ways_guess inmost = { .span = KIB, .ways = 32 };
	struct mp_ways_guess inside = { .span = 4 * KIB, .ways = 25 };
	struct mp_ways_guess guess[] = {
		{ .span = 32 * KIB, .ways = 15, .exclusive = true },
		{ .span = 32 * KIB, .ways = 16, .exclusive = true },
		{ .span = 32 * KIB, .ways = 16 },
	};
	const struct mp_ways_sets first = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
		.guess = &inmost,
	};
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
		.guess = &inside, .inner = &first,
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .inner = &inner,
		.n = 3, .guess = guess,
	};
	struct mp_ways_test test = { .stride = 32 * KIB, .lines = 41 };
	const struct mp_ways_tried none = { .n = 0 };
	uint32_t full;

	(void)state;
	mp_ways_keep(&sets, &test, MP_WAYS_FIT);
	assert_int_equal(sets.n, 3);
	assert_true(mp_ways_witness(&sets, &guess[1], MP_WAYS_ALL_HERE,
				    &none, &test, &full));
	assert_true(test.here);
	assert_int_equal(test.lines, 42);
	assert_int_equal(full, 41);
	test.lines = 41;
	mp_ways_keep(&sets, &test, MP_WAYS_FIT_HERE);
	assert_int_equal(sets.n, 1);
	assert_int_equal(sets.guess[0].ways, 16);
	assert_true(sets.guess[0].exclusive);
}

/* Three pieces of 2 MiB begin at three places of a level of 12 sets, which is
 * no part of them: lines that share one of its sets in one fall on three. */
static void pieces_that_begin_anywhere_inside_hide_more(void **state)
{
	const struct mp_ways_test apart = { .stride = 384 * KIB, .lines = 30 };
	const struct mp_ways_test in_row = { .stride = 48 * KIB, .lines = 30 };
	struct mp_ways_sets inner = { .line = 32, .grain = 32,
				      .piece = 2 * MIB };
	struct mp_ways_sets sets = { .line = 32, .grain = 32,
				     .piece = 2 * MIB, .inner = &inner };
	bool left = false;

	(void)state;
	assert_int_equal(mp_ways_add(&inner, MP_WAYS_REGULAR, 27 * 384,
				     27 * 384), 0);
	for (uint32_t i = 0; i < inner.n; i++)
		if (inner.guess[i].ways == 27)
			inner.guess[0] = inner.guess[i];
	inner.n = 1;
	assert_int_equal(mp_ways_inside(&sets, &in_row).high, 27);
	assert_int_equal(mp_ways_inside(&sets, &apart).low, 27);
	assert_int_equal(mp_ways_inside(&sets, &apart).high, 3 * 27);
	assert_int_equal(mp_ways_add(&sets, MP_WAYS_REGULAR, 256 * KIB,
				     256 * KIB), 0);
	mp_ways_keep(&sets, &apart, MP_WAYS_FIT);
	for (uint32_t i = 0; i < sets.n; i++)
		left |= sets.guess[i].ways == 1 && !sets.guess[i].exclusive;
	assert_true(left);
	mp_ways_free(&sets);
	mp_ways_free(&inner);
}

/* Sets of 8 ways and 32 KiB inside, and what they may have outside: others
 * that share a set inside share one of 16 ways and 32 KiB as well. */
static struct mp_ways_guess all_alike[] = {
	{ .span = 128 * KIB, .ways = 4, .weight = 1 },
	{ .span = 64 * KIB, .ways = 8, .weight = 1 },
	{ .span = 32 * KIB, .ways = 16, .weight = 1 },
};
static struct mp_ways_guess all_inside = { .span = 32 * KIB, .ways = 8 };
static const struct mp_ways_sets inside_alike = {
	.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
	.guess = &all_inside,
};

/* What another probe says of a level is not asked again. */
static void guesses_go_by_what_is_known_of_the_levels_inside(void **state)
{
	static const enum mp_ways_beside known[] = {
		MP_WAYS_EITHER, MP_WAYS_EXCLUSIVE, MP_WAYS_ITSELF,
	};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct mp_ways_sets sets = {
			.line = 64, .grain = 64, .inner = &inside_alike,
			.beside = known[i],
		};
		uint32_t n[2] = { 0 };

		assert_int_equal(mp_ways_add(&sets, MP_WAYS_REGULAR, MIB, MIB),
				 0);
		for (uint32_t g = 0; g < sets.n; g++)
			n[sets.guess[g].exclusive]++;
		assert_int_equal(n[0] > 0, known[i] != MP_WAYS_EXCLUSIVE);
		assert_int_equal(n[1] > 0, known[i] != MP_WAYS_ITSELF);
		mp_ways_free(&sets);
	}
}

static uint32_t left_alike(const struct mp_ways_test *test, uint32_t outcome)
{
	struct mp_ways_guess guess[3];
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB,
		.inner = &inside_alike, .n = 3, .guess = guess,
	};
	uint32_t left = 0;

	for (uint32_t i = 0; i < 3; i++)
		guess[i] = all_alike[i];
	mp_ways_keep(&sets, test, outcome);
	for (uint32_t i = 0; i < sets.n; i++)
		left |= sets.guess[i].ways;
	return left;
}

static void others_speak_of_the_sets_that_they_keep_off(void **state)
{
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB,
		.inner = &inside_alike, .n = 3, .guess = all_alike,
	};
	struct mp_ways_test test = {
		.stride = 128 * KIB, .lines = 5, .flushed = true,
	};
	struct mp_ways_flush flush;

	(void)state;
	assert_false(mp_ways_flushers(&sets, &test, MP_WAYS_FLUSH_LEAST,
				      &flush));
	test.apart = 64 * KIB;
	assert_true(mp_ways_flushers(&sets, &test, MP_WAYS_FLUSH_LEAST, &flush));
	assert_true(flush.n > 0);
	for (uint32_t i = 0; i < flush.n; i++)
		assert_true(flush.slot[i] * flush.unit % (64 * KIB));
	/* They may be what puts a line out of 16 ways, but not of 8. */
	assert_int_equal(left_alike(&test, MP_WAYS_MISS), 4 | 16);
	assert_int_equal(left_alike(&test, MP_WAYS_FIT), 8 | 16);
}

/* Of nine lines five were seen in the level itself, each turn: two that it has
 * room for and what those inside keep do not make that. */
static void lines_that_are_seen_here_have_room_here(void **state)
{
	struct mp_ways_guess guess[] = {
		{ .span = 384 * KIB, .ways = 1 }, { .span = 32 * KIB, .ways = 12 },
		{ .span = 384 * KIB, .ways = 1, .exclusive = true },
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB,
		.inner = &inside_alike, .n = 3, .guess = guess,
	};
	const struct mp_ways_test test = {
		.stride = 192 * KIB, .lines = 9, .held = 5,
	};

	(void)state;
	mp_ways_keep(&sets, &test, MP_WAYS_FIT);
	assert_int_equal(sets.n, 3);
	mp_ways_keep_held(&sets, &test);
	assert_int_equal(sets.n, 2);
	assert_int_equal(sets.guess[0].ways, 12);
	assert_true(sets.guess[1].exclusive);
}

/* Nothing is known of the level inside but its size: no lines are known to be
 * put out of it, nor to have left it, but those seen here. */
static void a_level_of_unknown_ways_may_hold_any_lines(void **state)
{
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .loose = true,
		.most = 1024,
	};
	struct mp_ways_guess guess[] = {
		{ .span = 32 * KIB, .ways = 12 }, { .span = 64 * KIB, .ways = 8 },
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .inner = &inner,
		.n = 2, .guess = guess,
	};
	const struct mp_ways_test test = { .stride = 64 * KIB, .lines = 10 };

	(void)state;
	assert_int_equal(mp_ways_inside(&sets, &test).high, 1024);
	mp_ways_keep(&sets, &test, MP_WAYS_FIT);
	assert_int_equal(sets.n, 2);
	mp_ways_keep(&sets, &test, MP_WAYS_FIT_HERE);
	assert_int_equal(sets.n, 1);
	assert_int_equal(sets.guess[0].ways, 12);
}

/* Two slots lie in a page, one of them with a line of the test. */
static void others_keep_off_the_pages_of_lines(void **state)
{
	struct mp_ways_guess inside = { .span = 2 * KIB, .ways = 28 };
	struct mp_ways_guess guess = { .span = 52 * KIB, .ways = 4 };
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .n = 1,
		.guess = &inside,
	};
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .inner = &inner,
		.n = 1, .guess = &guess,
	};
	const struct mp_ways_test test = {
		.stride = 52 * KIB, .lines = 4, .flushed = true,
	};
	struct mp_ways_flush flush;

	(void)state;
	assert_true(mp_ways_flushers(&sets, &test, MP_WAYS_FLUSH_LEAST, &flush));
	assert_int_equal(flush.n, MP_WAYS_FLUSH_LEAST * 28);
	assert_true(mp_ways_flushers(&sets, &test, MP_WAYS_FLUSH_MOST, &flush));
	assert_int_equal(flush.n, MP_WAYS_FLUSH_MOST * 28);
	assert_int_equal(flush.unit, 2 * KIB);
	assert_int_equal(flush.sets, 1);
	for (uint32_t i = 0; i < flush.n; i++)
		assert_true(flush.slot[i] * flush.unit / (4 * KIB) % 13);
}

/* Lines a line apart fall on all 16 sets of the level inside: each wants its
 * own others. */
static void each_set_inside_has_its_own_others(void **state)
{
	struct mp_ways_guess inside = { .span = KIB, .ways = 4 };
	struct mp_ways_guess guess = { .span = 53 * 64, .ways = 6 };
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .n = 1,
		.guess = &inside,
	};
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .inner = &inner,
		.n = 1, .guess = &guess,
	};
	const struct mp_ways_test test = {
		.stride = 53 * 64, .lines = 7, .flushed = true,
	};
	struct mp_ways_flush flush;
	uint64_t most;

	(void)state;
	assert_true(mp_ways_flushers(&sets, &test, MP_WAYS_FLUSH_MOST, &flush));
	assert_int_equal(flush.sets, 16);
	assert_int_equal(flush.n, 16);
	assert_int_equal(mp_ways_groups(&flush, 7), 7);
	assert_int_equal(mp_ways_groups(&flush, 17), 16);
	/* All of them and their others are no more steps than there may be. */
	most = mp_ways_most_beside(0, &flush, test.stride);
	assert_int_equal(most + mp_ways_groups(&flush, most) * 16, MP_EXP_STEPS);
	for (uint32_t g = 0; g < 7; g++)
		for (uint32_t i = 0; i < flush.n; i++)
			assert_true((g * test.stride + flush.slot[i] * flush.unit) %
				    guess.span);
}

/* Powers of two part none of more than a thousand that are left. */
static void many_are_parted_by_odd_strides(void **state)
{
	struct mp_ways_guess inside = { .span = 6528, .ways = 8 };
	struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 2 * MIB, .n = 1,
		.guess = &inside, .clear = 652,
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 128, .piece = 2 * MIB, .inner = &inner,
		.clear = 652,
	};
	struct mp_ways_test test;

	(void)state;
	assert_int_equal(mp_ways_add(&sets, MP_WAYS_REGULAR, 58796, 164730), 0);
	assert_true(sets.n > 1500);
	assert_true(mp_ways_choose(&sets, 0.02, true, NULL, 0, &test));
	assert_true(test.stride & (test.stride - 1));
	mp_ways_free(&sets);
}

static void where_lines_are_kept_some_sets_are_kept_off(void **state)
{
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB,
		.inner = &inside_alike, .n = 3, .guess = all_alike,
	};
	struct mp_ways_test done[8] = { 0 }, test;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		done[i] = (struct mp_ways_test){ .stride = 64, .kept = true };
	assert_true(mp_ways_choose(&sets, FINEST, true, done, 8, &test));
	assert_true(test.flushed);
	assert_true(test.apart > 0);
}

/* Strides of the levels inside and of a guess at once: 4 lines may be held in
 * one, 4 in the next and then 4 or 12 here. */
/* All alike but one. */
static void open_alike(struct mp_ways_sets *sets, uint32_t n)
{
	open_sets(sets, 64 * KIB, MP_WAYS_REGULAR, NULL);
	sets->guess = reallocarray(sets->guess, n, sizeof(*sets->guess));
	assert_non_null(sets->guess);
	sets->n = sets->room = n;
	for (uint32_t i = 0; i < n; i++)
		sets->guess[i] = (struct mp_ways_guess){
			.span = 8 * KIB, .ways = 8, .weight = 1,
		};
	sets->guess[n / 2].ways = 7;
}

static void of_many_no_test_is_made_that_leaves_nearly_all(void **state)
{
	struct mp_ways_test test;
	struct mp_ways_sets sets;

	(void)state;
	open_alike(&sets, 1000);
	assert_false(mp_ways_choose(&sets, FINEST, false, NULL, 0, &test));
	/* One that goes by weight, and not by number, may be worth it. */
	sets.guess[500].weight = 20;
	assert_true(mp_ways_choose(&sets, FINEST, false, NULL, 0, &test));
	mp_ways_free(&sets);
	open_alike(&sets, 300);
	assert_true(mp_ways_choose(&sets, FINEST, false, NULL, 0, &test));
	mp_ways_free(&sets);
}

static void strides_share_a_set_of_each_level_inside(void **state)
{
	struct mp_ways_guess first = { .span = 8 * KIB, .ways = 4 };
	struct mp_ways_guess second = { .span = 12 * KIB, .ways = 4 };
	struct mp_ways_guess guess[] = {
		{ .span = 18 * KIB, .ways = 4, .weight = 1 },
		{ .span = 6 * KIB, .ways = 12, .weight = 1 },
	};
	struct mp_ways_sets inmost = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
		.guess = &first,
	};
	struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
		.guess = &second, .inner = &inmost,
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 128, .piece = 64 * MIB, .n = 2,
		.guess = guess, .inner = &inner,
	};
	struct mp_ways_test test;

	(void)state;
	assert_true(mp_ways_choose(&sets, FINEST, false, NULL, 0, &test));
	assert_int_equal(test.stride % (72 * KIB), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			sets_that_are_full_together_hold_more_than_the_level_inside),
		cmocka_unit_test(any_regular_number_of_ways_is_found),
		cmocka_unit_test(sets_of_an_odd_number_are_found_among_all),
		cmocka_unit_test(what_is_hidden_is_parted_by_flushed_tests_only),
		cmocka_unit_test(an_exclusive_level_holds_its_lines_beside_those_inside),
		cmocka_unit_test(what_leaves_contiguous_memory_proves_little),
		cmocka_unit_test(what_was_hidden_is_not_asked_of_multiples),
		cmocka_unit_test(more_misses_than_full_sets_explain_rule_a_guess_out),
		cmocka_unit_test(lines_that_may_be_brought_rule_no_guess_out),
		cmocka_unit_test(lines_that_stay_inside_leave_room_here),
		cmocka_unit_test(lines_that_are_all_seen_here_are_no_more_than_are_handed_on),
		cmocka_unit_test(guesses_go_by_what_is_known_of_the_levels_inside),
		cmocka_unit_test(pieces_that_begin_anywhere_inside_hide_more),
		cmocka_unit_test(others_speak_of_the_sets_that_they_keep_off),
		cmocka_unit_test(lines_that_are_seen_here_have_room_here),
		cmocka_unit_test(a_level_of_unknown_ways_may_hold_any_lines),
		cmocka_unit_test(others_keep_off_the_pages_of_lines),
		cmocka_unit_test(each_set_inside_has_its_own_others),
		cmocka_unit_test(many_are_parted_by_odd_strides),
		cmocka_unit_test(where_lines_are_kept_some_sets_are_kept_off),
		cmocka_unit_test(of_many_no_test_is_made_that_leaves_nearly_all),
		cmocka_unit_test(strides_share_a_set_of_each_level_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
