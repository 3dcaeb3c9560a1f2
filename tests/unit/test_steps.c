// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences: each step goes to the slot that it names, in the order given,
 * and the ticks of a timed one land in that slot's line and nowhere else.
 */
#include "steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define STEP(slot, what) ((uint32_t)(slot) << 2 | (what))
#define TOUCH(slot) STEP(slot, MEMPROBE_STEP_TOUCH)
#define TIME(slot) STEP(slot, MEMPROBE_STEP_TIME)
#define FLUSH(slot) STEP(slot, MEMPROBE_STEP_FLUSH)

#define SLOTS 1024u
#define WORDS (MP_STEPS_SLOT / sizeof(uintptr_t))
#define PAIR 2u		/* words of a visit */
#define NONE (~(uint64_t)0)
/* A comparison of two times may lose to a busy machine this often. */
#define TRIES 500

static alignas(4096) uintptr_t memory[SLOTS][WORDS];
static uint8_t visits[SLOTS];

static struct mp_steps steps_of(const uint32_t *step, uint32_t n)
{
	const struct mp_steps steps = {
		.base = memory,
		.stride = MP_STEPS_SLOT,
		.slots = SLOTS,
		.step = step,
		.n = n,
		.visits = visits,
	};

	memset(memory, 0xff, sizeof(memory));
	assert_int_equal(mp_steps_check(&steps), 0);
	return steps;
}

/* Slot 3 four times, the most there may be. */
static const uint32_t mixed[] = {
	TIME(3), TOUCH(0), FLUSH(3), TIME(3), TIME(7), TOUCH(3), TOUCH(1023),
};

/* Which visit to its slot each of them is. */
static const uint32_t mixed_visit[] = { 0, 0, 1, 2, 0, 3, 0 };

static void slots_are_visited_in_the_order_given(void **state)
{
	const struct mp_steps steps = steps_of(mixed, COUNT(mixed));
	uintptr_t at = mp_steps_link(&steps);
	uintptr_t *want;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(mixed); i++) {
		want = &memory[mixed[i] >> 2][PAIR * mixed_visit[i]];
		assert_true((at & ~(uintptr_t)15) == (uintptr_t)want);
		assert_int_equal(at & 3, mixed[i] & 3);
		at = *want;
	}
	assert_int_equal(at, 4);
}

static void a_walk_makes_every_step_once(void **state)
{
	const struct mp_steps steps = steps_of(mixed, COUNT(mixed));
	uint64_t ticks = NONE;

	(void)state;
	assert_int_equal(mp_steps_run(mp_steps_link(&steps), 0, &ticks),
			 COUNT(mixed));
	assert_true(ticks != NONE);
}

static void one_step_is_a_sequence(void **state)
{
	const uint32_t step[] = { TIME(5) };
	const struct mp_steps steps = steps_of(step, 1);
	uint64_t ticks[2] = { NONE, NONE }, whole;

	(void)state;
	assert_int_equal(mp_steps_run(mp_steps_link(&steps), 0, &whole), 1);
	assert_int_equal(mp_steps_collect(&steps, 1, ticks), 1);
	assert_true(ticks[0] <= whole);
	assert_true(ticks[1] == NONE);
}

static void ticks_land_in_the_lines_of_the_timed_visits_only(void **state)
{
	const struct mp_steps steps = steps_of(mixed, COUNT(mixed));
	const uintptr_t first = mp_steps_link(&steps);
	uint64_t whole;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(mixed); i++)
		memory[mixed[i] >> 2][PAIR * mixed_visit[i] + 1] = ~(uintptr_t)0;
	mp_steps_run(first, 0, &whole);
	for (i = 0; i < COUNT(mixed); i++) {
		const uint64_t word =
			memory[mixed[i] >> 2][PAIR * mixed_visit[i] + 1];

		if ((mixed[i] & 3) == MEMPROBE_STEP_TIME)
			assert_true(word <= whole);
		else
			assert_true(word == NONE);
	}
}

static void nothing_is_written_but_the_words_of_the_visits(void **state)
{
	const struct mp_steps steps = steps_of(mixed, COUNT(mixed));
	uint32_t untouched = 0;
	uint64_t whole;
	size_t i, k;

	(void)state;
	mp_steps_run(mp_steps_link(&steps), 0, &whole);
	for (i = 0; i < SLOTS; i++)
		for (k = 0; k < WORDS; k++)
			untouched += memory[i][k] == ~(uintptr_t)0;
	assert_int_equal(untouched, SLOTS * WORDS - PAIR * COUNT(mixed));
}

static void ticks_are_collected_in_the_order_of_the_steps(void **state)
{
	const struct mp_steps steps = steps_of(mixed, COUNT(mixed));
	uint64_t ticks[4] = { NONE, NONE, NONE, NONE }, whole;

	(void)state;
	mp_steps_run(mp_steps_link(&steps), 0, &whole);
	memory[3][1] = 71;
	memory[3][5] = 72;
	memory[7][1] = 73;
	assert_int_equal(mp_steps_timed(mixed, COUNT(mixed)), 3);
	assert_int_equal(mp_steps_collect(&steps, COUNT(mixed), ticks), 3);
	assert_int_equal(ticks[0], 71);
	assert_int_equal(ticks[1], 72);
	assert_int_equal(ticks[2], 73);
	assert_true(ticks[3] == NONE);
}

static void of_a_walk_that_was_cut_short_only_what_was_made_counts(void **state)
{
	const struct mp_steps steps = steps_of(mixed, COUNT(mixed));
	uint64_t ticks[2] = { NONE, NONE }, whole;

	(void)state;
	mp_steps_run(mp_steps_link(&steps), 0, &whole);
	assert_int_equal(mp_steps_collect(&steps, 0, ticks), 0);
	assert_int_equal(mp_steps_collect(&steps, 3, ticks), 1);
	assert_true(ticks[1] == NONE);
}

static void a_sequence_that_was_walked_can_be_laid_and_walked_again(void **state)
{
	const struct mp_steps steps = steps_of(mixed, COUNT(mixed));
	const uintptr_t first = mp_steps_link(&steps);
	uint64_t ticks[3], whole;
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		assert_true(mp_steps_link(&steps) == first);
		assert_int_equal(mp_steps_run(first, 0, &whole), COUNT(mixed));
		assert_int_equal(mp_steps_collect(&steps, COUNT(mixed), ticks),
				 3);
	}
}

/* A thousand steps, each to another slot. */
static void fill_touches(uint32_t *step)
{
	uint32_t i;

	for (i = 0; i < SLOTS; i++)
		step[i] = TOUCH((i * 37) % SLOTS);
}

static void a_limit_ends_it_at_a_look(void **state)
{
	static uint32_t step[SLOTS];
	struct mp_steps steps;
	uint64_t ticks;
	uint32_t done;

	(void)state;
	fill_touches(step);
	steps = steps_of(step, SLOTS);
	done = mp_steps_run(mp_steps_link(&steps), 1, &ticks);
	assert_in_range(done, 8, SLOTS - 1);
	assert_int_equal(done % 8, 0);
	assert_true(ticks >= 1);
}

static void a_limit_that_is_not_reached_changes_nothing(void **state)
{
	static uint32_t step[SLOTS];
	struct mp_steps steps;
	uint64_t ticks;

	(void)state;
	fill_touches(step);
	steps = steps_of(step, SLOTS);
	assert_int_equal(mp_steps_run(mp_steps_link(&steps), NONE, &ticks),
			 SLOTS);
}

/* The least that a timed step of @step took, in many walks. */
static uint64_t least_of(const uint32_t *step, uint32_t n)
{
	const struct mp_steps steps = steps_of(step, n);
	uint64_t ticks[8], whole, least = NONE;
	int i;

	for (i = 0; i < TRIES; i++) {
		mp_steps_run(mp_steps_link(&steps), 0, &whole);
		assert_int_equal(mp_steps_collect(&steps, n, ticks), 1);
		least = ticks[0] < least ? ticks[0] : least;
	}
	return least;
}

static void a_line_that_was_flushed_takes_longer(void **state)
{
	const uint32_t kept[] = { TOUCH(5), TOUCH(900), TOUCH(1), TIME(5) };
	const uint32_t gone[] = { FLUSH(5), TOUCH(900), TOUCH(1), TIME(5) };

	(void)state;
	assert_true(least_of(gone, COUNT(gone)) > least_of(kept, COUNT(kept)));
}

/* The least that a line takes whose ticks were read after it was flushed. */
static uint64_t least_again(bool flush)
{
	const uint32_t step[] = { TIME(5), TOUCH(900), TOUCH(1), FLUSH(5) };
	const struct mp_steps steps = steps_of(step, COUNT(step));
	const uintptr_t first = mp_steps_link(&steps);
	uint64_t ticks[8], whole, least = NONE;
	int i;

	for (i = 0; i < TRIES; i++) {
		mp_steps_run(first, 0, &whole);
		mp_steps_collect(&steps, COUNT(step), ticks);
		if (i)
			least = ticks[0] < least ? ticks[0] : least;
		if (flush)
			mp_steps_flush(&steps, COUNT(step));
	}
	return least;
}

static void what_it_flushes_can_be_flushed_once_more(void **state)
{
	(void)state;
	assert_true(least_again(true) > least_again(false));
}

static int check(const uint32_t *step, uint32_t n)
{
	const struct mp_steps steps = {
		.slots = SLOTS,
		.step = step,
		.n = n,
		.visits = visits,
	};

	return mp_steps_check(&steps);
}

static void a_slot_has_four_visits_at_most(void **state)
{
	const uint32_t step[] = {
		TOUCH(9), TIME(9), FLUSH(9), TOUCH(8), TOUCH(9), TIME(9),
	};

	(void)state;
	assert_int_equal(check(step, 5), 0);
	assert_int_equal(check(step, 6), -ERANGE);
	/* What was counted once is not counted on. */
	assert_int_equal(check(step, 5), 0);
}

static void a_step_that_cannot_be_made_is_refused(void **state)
{
	const uint32_t last = TOUCH(SLOTS - 1), beyond = TOUCH(SLOTS);
	const uint32_t far = TOUCH(0x3fffffff), unknown = STEP(0, 3);

	(void)state;
	assert_int_equal(check(&last, 1), 0);
	assert_int_equal(check(&beyond, 1), -EINVAL);
	assert_int_equal(check(&far, 1), -EINVAL);
	assert_int_equal(check(&unknown, 1), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_visited_in_the_order_given),
		cmocka_unit_test(a_walk_makes_every_step_once),
		cmocka_unit_test(one_step_is_a_sequence),
		cmocka_unit_test(
			ticks_land_in_the_lines_of_the_timed_visits_only),
		cmocka_unit_test(nothing_is_written_but_the_words_of_the_visits),
		cmocka_unit_test(ticks_are_collected_in_the_order_of_the_steps),
		cmocka_unit_test(
			of_a_walk_that_was_cut_short_only_what_was_made_counts),
		cmocka_unit_test(
			a_sequence_that_was_walked_can_be_laid_and_walked_again),
		cmocka_unit_test(a_limit_ends_it_at_a_look),
		cmocka_unit_test(a_limit_that_is_not_reached_changes_nothing),
		cmocka_unit_test(a_line_that_was_flushed_takes_longer),
		cmocka_unit_test(what_it_flushes_can_be_flushed_once_more),
		cmocka_unit_test(a_slot_has_four_visits_at_most),
		cmocka_unit_test(a_step_that_cannot_be_made_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
