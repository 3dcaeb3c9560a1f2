// SPDX-License-Identifier: GPL-2.0
/* Guesses of odd numbers of sets, by tests that were made for others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/ways_confirm.h"
#include "probe/ways_sets.h"

#define MIB (1ull << 20)

/* 119 lines in 115 sets of one way: eight miss. A test by which 19 of them or more
 * would have to does not tell that from none. */
static void fewer_misses_than_a_test_is_made_for_rule_no_guess_out(void **state)
{
	const struct mp_ways_guess one = { .span = 1265 * 64, .ways = 1 };
	struct mp_ways_test test = { .stride = 22 * 64, .lines = 119 };

	(void)state;
	for (uint32_t more = 4; more <= 19; more += 15) {
		struct mp_ways_guess guess = one;
		struct mp_ways_sets sets = {
			.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
			.guess = &guess,
		};

		test.least = more / 119.0;
		mp_ways_keep(&sets, &test, MP_WAYS_FIT);
		assert_int_equal(sets.n, more == 19);
	}
}

/* Two lines of one set miss, where nothing lies inside that may keep one. */
static void a_set_of_one_way_has_a_witness(void **state)
{
	struct mp_ways_guess guess = { .span = 1265 * 64, .ways = 1 };
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 64 * MIB, .n = 1,
		.guess = &guess,
	};
	const struct mp_ways_tried none = { .n = 0 };
	struct mp_ways_test test;
	uint32_t full;

	(void)state;
	assert_true(mp_ways_witness(&sets, &guess, MP_WAYS_PLAIN, &none, &test,
				    &full));
	assert_int_equal(test.lines, 2);
	assert_int_equal(full, 1);
}

/* Where something is in the way at a stride, as many lines at another one fill
 * another set, or the same one by other lines. */
static void a_full_set_is_seen_at_another_stride(void **state)
{
	struct mp_ways_guess guess = { .span = 2048, .ways = 15 };
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 4096, .small = true, .n = 1,
		.guess = &guess,
	};
	struct mp_ways_tried tried = { .n = 0 };
	struct mp_ways_test test;
	uint32_t full;

	(void)state;
	while (tried.n < MP_WAYS_WITNESSES) {
		assert_true(mp_ways_witness(&sets, &guess, MP_WAYS_PLAIN,
					    &tried, &test, &full));
		assert_int_equal(test.lines, 16);
		assert_int_equal(full, 15);
		assert_true(test.stride % 2048 == 0);
		for (uint32_t i = 0; i < tried.n; i++)
			assert_true(test.stride != tried.stride[i]);
		tried.stride[tried.n++] = test.stride;
	}
}

/* Three lines 87 apart fall on three of 173 sets, and the last of them on the set
 * of what comes along with the first. What lies two lines off comes with none. */
static void what_comes_along_may_meet_another_line(void **state)
{
	const struct mp_ways_test test = {
		.stride = 5568, .lines = 3, .least = 0.5, .missed = 0.33,
	};

	(void)state;
	for (uint32_t brought = 0; brought <= 1; brought++) {
		struct mp_ways_guess guess[] = {
			{ .span = 173 * 64, .ways = 1 },
			{ .span = 172 * 64, .ways = 1 },
			{ .span = 87 * 64, .ways = 2 },
		};
		struct mp_ways_sets sets = {
			.line = 64, .grain = 64, .piece = 64u << 20, .n = 3,
			.guess = guess, .brought = brought,
		};

		mp_ways_keep(&sets, &test, MP_WAYS_MISS);
		assert_int_equal(sets.n, 1 + brought);
		assert_int_equal(guess[sets.n - 1].ways, 2);
		assert_int_equal(guess[0].ways, 2 - brought);
		/* No more than one of the three does. */
		mp_ways_keep(&sets, &(struct mp_ways_test){
			.stride = 5568, .lines = 3, .least = 0.5, .missed = 1,
			}, MP_WAYS_MISS_ALL);
		assert_int_equal(sets.n, 1);
		assert_int_equal(guess[0].ways, 2);
	}
}

/* 287 lines fall on all of 35 sets, and the others of their pairs on all of them
 * as well: 574 are more than 560. Of fourteen sets those have seven, and these
 * the other seven. */
static void others_of_pairs_may_take_room_where_sets_are_odd(void **state)
{
	const struct mp_ways_test test = {
		.stride = 1024, .lines = 287, .least = 0.02, .missed = 0.41,
	};

	(void)state;
	for (uint32_t brought = 0; brought <= 1; brought++) {
		struct mp_ways_guess guess[] = {
			{ .span = 2240, .ways = 16 }, { .span = 896, .ways = 40 },
			{ .span = 896, .ways = 42 },
		};
		struct mp_ways_sets sets = {
			.line = 64, .grain = 64, .piece = 64u << 20, .n = 3,
			.guess = guess, .brought = brought,
		};

		mp_ways_keep(&sets, &test, MP_WAYS_MISS);
		assert_int_equal(sets.n, 1 + brought);
		assert_int_equal(guess[sets.n - 1].ways, 40);
		assert_int_equal(guess[0].ways, brought ? 16 : 40);
		/* Of every seventh set they have others. */
		mp_ways_keep(&sets, &(struct mp_ways_test){
			.stride = 448, .lines = 60, .least = 0.02, .missed = 1,
			}, MP_WAYS_MISS_ALL);
		assert_int_equal(sets.n, 0);
	}
}

/* 87 lines in 43 sets of two ways, or a few too many for other sets that pages lie
 * on by chance: where that has a say, lines of one set bear a guess out, or
 * nothing does. */
static void rings_that_fill_all_sets_bear_no_guess_out(void **state)
{
	struct mp_ways_guess in = { .span = 8192, .ways = 4 };
	struct mp_ways_guess guess = { .span = 22016, .ways = 2 };
	const struct mp_ways_sets inner = {
		.line = 128, .grain = 128, .piece = 4096, .small = true, .n = 1,
		.guess = &in,
	};
	const struct mp_ways_sets sets = {
		.line = 128, .grain = 128, .piece = 4096, .small = true, .n = 1,
		.guess = &guess, .inner = &inner, .clear = 193,
		.beside = MP_WAYS_ITSELF,
	};
	const struct mp_view view = { .arena_max_bytes = 64 * MIB };
	struct mp_ways_rig rig = {
		.view = &view, .sets = &sets,
		.level = { .k = 1, .line = 128, .single = true,
			   .innermost_bytes = 32768, .innermost_cycles = 4,
			   .inner_cycles = 4, .own_cycles = 13,
			   .next_cycles = 23, .beyond_cycles = 361 },
	};
	struct mp_ways_borne borne;

	(void)state;
	assert_int_equal(mp_ways_confirm(&rig, &sets, false, &borne), 0);
	assert_true(!borne.lacks || borne.want.stride % guess.span == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fewer_misses_than_a_test_is_made_for_rule_no_guess_out),
		cmocka_unit_test(a_set_of_one_way_has_a_witness),
		cmocka_unit_test(a_full_set_is_seen_at_another_stride),
		cmocka_unit_test(what_comes_along_may_meet_another_line),
		cmocka_unit_test(
			others_of_pairs_may_take_room_where_sets_are_odd),
		cmocka_unit_test(rings_that_fill_all_sets_bear_no_guess_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
