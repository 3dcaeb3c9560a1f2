// SPDX-License-Identifier: GPL-2.0
/* Rings that lie over each other: which have a word of their own in the same lines. */
#include "backend/user_ring.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define BYTES (64u << 10)

static struct mp_exp exp_of(uint32_t n)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, 0, MP_PAGES_4K, BYTES / 2, 64, 0);
	exp.arena[0].bytes = BYTES;
	exp.n_actors = n;
	for (uint32_t i = 1; i < n; i++)
		exp.actor[i] = exp.actor[0];
	return exp;
}

static void one_ring_has_one_word(void **state)
{
	struct mp_exp exp = exp_of(3);
	uint32_t word[MP_EXP_ACTORS];

	(void)state;
	exp.actor[1].length /= 2;
	assert_int_equal(mp_user_ring_words(&exp, word), 3);
	assert_int_equal(word[0], 0);
	assert_int_equal(word[1], 1);
	assert_int_equal(word[2], 0);
}

static void what_never_meets_needs_none(void **state)
{
	struct mp_exp exp = exp_of(4);
	uint32_t word[MP_EXP_ACTORS];

	(void)state;
	/* Behind it, between its slots, and in another arena. */
	exp.actor[1].offset = BYTES / 2;
	exp.actor[2].stride = 128;
	exp.actor[2].offset = 32;
	exp.actor[3].arena = 1;
	assert_int_equal(mp_user_ring_words(&exp, word), 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(word[i], 0);
	/* Pages, and a little further into each: but not so far. */
	for (uint32_t i = 0; i < 2; i++) {
		exp.actor[i].stride = 4096;
		exp.actor[i].skew = 8;
		exp.actor[i].offset = i * 2048;
	}
	exp.n_actors = 2;
	assert_int_equal(mp_user_ring_words(&exp, word), 2);
	assert_int_equal(word[1], 0);
}

/* A skew that is no part of the span lies anywhere in it, by words, once it wraps. */
static void a_skew_that_wraps_may_meet_any_word(void **state)
{
	struct mp_exp exp = exp_of(2);
	uint32_t word[MP_EXP_ACTORS];

	(void)state;
	exp.arena[0].bytes = 16u << 20;
	for (uint32_t i = 0; i < 2; i++) {
		exp.actor[i].stride = 3 * 4096;
		exp.actor[i].length = 8u << 20;
		exp.actor[i].skew = 24;
	}
	exp.actor[1].offset = 8;
	assert_int_equal(mp_user_ring_words(&exp, word), 1);
	/* By lines it leaves the other a word. */
	exp.actor[0].skew = exp.actor[1].skew = 192;
	exp.actor[1].offset = 64;
	assert_int_equal(mp_user_ring_words(&exp, word), 2);
	assert_int_equal(word[1], 1);
}

static void the_shortest_line_has_four_words(void **state)
{
	struct mp_exp exp = exp_of(6);
	uint32_t word[MP_EXP_ACTORS];

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		exp.actor[i].length -= 64 * i;
	assert_int_equal(mp_user_ring_words(&exp, word), 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(word[i], i);
	/* Slots that begin within a line have fewer; and those of no whole number
	 * of lines none but the first. */
	for (uint32_t i = 0; i < 6; i++)
		exp.actor[i].offset = 16;
	assert_int_equal(mp_user_ring_words(&exp, word), 2);
	exp = exp_of(2);
	exp.actor[0].stride = exp.actor[1].stride = 40;
	exp.actor[1].length /= 2;
	assert_int_equal(mp_user_ring_words(&exp, word), 1);
}

/* Each comes round to where it began, in as many hops as it has slots. */
static void links_of_both_stay_whole(void **state)
{
	struct mp_exp exp = exp_of(3);
	struct mp_user_arena arena = { .bytes = BYTES };
	struct mp_user_words words = { 0 };
	struct mp_user_walk walk[3];
	uint32_t word[MP_EXP_ACTORS];

	(void)state;
	arena.base = aligned_alloc(4096, BYTES);
	assert_non_null(arena.base);
	exp.actor[1].length /= 2;
	exp.actor[2].stride = 32;
	exp.actor[2].length = BYTES;
	assert_int_equal(mp_user_ring_words(&exp, word), 3);
	for (uint32_t i = 0; i < 3; i++) {
		walk[i] = (struct mp_user_walk){ .actor = &exp.actor[i],
						 .word = word[i] };
		assert_int_equal(mp_user_ring_link(&walk[i], &arena, i + 1,
						   &words), 0);
	}
	for (uint32_t i = 0; i < 3; i++) {
		const void *p = walk[i].cursor;
		uint64_t hops = 0;

		do {
			const uint64_t at = (uint64_t)((const char *)p - arena.base) -
					    exp.actor[i].offset;

			assert_int_equal(at % exp.actor[i].stride, 8 * word[i]);
			assert_true(at < exp.actor[i].length);
			p = *(const void *const *)p;
			hops++;
		} while (p != walk[i].cursor && hops <= BYTES);
		assert_int_equal(hops, exp.actor[i].length / exp.actor[i].stride);
	}
	mp_user_words_free(&words);
	free(arena.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_ring_has_one_word),
		cmocka_unit_test(what_never_meets_needs_none),
		cmocka_unit_test(a_skew_that_wraps_may_meet_any_word),
		cmocka_unit_test(the_shortest_line_has_four_words),
		cmocka_unit_test(links_of_both_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
