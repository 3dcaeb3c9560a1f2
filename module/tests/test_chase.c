// SPDX-License-Identifier: GPL-2.0
/* Bounded chases and sequences, as they are walked in a window. */
#include "tests.h"

#include "../core/chase.h"
#include "../core/steps.h"

#define NONE (~0ull)
#define MANY (1ull << 40)

static void expect_walked(struct kunit *test, const struct mp_test_ring *ring,
			  struct mp_chase *chase, u64 hops)
{
	chase->cursor = ring->first;
	chase->gap_ticks = NONE;
	mp_chase_run(chase);
	if (hops != NONE)
		KUNIT_EXPECT_EQ(test, chase->done_hops, hops);
	KUNIT_EXPECT_PTR_EQ(test, chase->cursor,
			    mp_test_after(ring, chase->done_hops));
	KUNIT_EXPECT_EQ(test, chase->gaps, 0u);
	KUNIT_EXPECT_LE(test, chase->look_max_ticks, chase->ticks);
}

static void hops_come_in_whole_blocks(struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	struct mp_chase chase = { .hops = 65 };

	expect_walked(test, ring, &chase, 128);
	chase.hops = 0;
	expect_walked(test, ring, &chase, 0);
}

static void where_all_limits_are_0_a_bounded_chase_makes_no_hop(
	struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	struct mp_chase chase = { .hops = MANY, .bounded = 1 };

	expect_walked(test, ring, &chase, 0);
}

static void an_unbounded_chase_takes_0_for_no_limit(struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	struct mp_chase chase = { .hops = 6400 };

	expect_walked(test, ring, &chase, 6400);
}

static void every_phase_makes_all_hops_while_its_limit_is_far(
	struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	struct mp_chase chase = { .hops = 6400, .bounded = 1 };

	chase.limit_ticks = NONE;
	expect_walked(test, ring, &chase, 6400);
	chase.fine_ticks = NONE;
	chase.slow_ticks = 0;
	expect_walked(test, ring, &chase, 6400);
	chase.hard_ticks = NONE;
	expect_walked(test, ring, &chase, 6400);
	chase.slow_ticks = 0;
	expect_walked(test, ring, &chase, 6400);
	KUNIT_EXPECT_GE(test, chase.slow_ticks, chase.look_max_ticks);
}

static void the_limit_holds_in_every_phase(struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	struct mp_chase chase = {
		.hops = MANY,
		.limit_ticks = 10000,
		.bounded = 1,
	};

	expect_walked(test, ring, &chase, NONE);
	KUNIT_EXPECT_GE(test, chase.ticks, chase.limit_ticks);
	KUNIT_EXPECT_LT(test, chase.done_hops, MANY);
	chase.fine_ticks = NONE;
	expect_walked(test, ring, &chase, NONE);
	KUNIT_EXPECT_LT(test, chase.done_hops, MANY);
	KUNIT_EXPECT_EQ(test, chase.done_hops % MP_CHASE_FINE_HOPS, 0ull);
	chase.hard_ticks = NONE;
	chase.slow_ticks = 1;
	expect_walked(test, ring, &chase, NONE);
	KUNIT_EXPECT_LT(test, chase.done_hops, MANY);
	KUNIT_EXPECT_EQ(test, chase.done_hops % MP_CHASE_LOOK_HOPS, 0ull);
}

static void what_was_slow_once_may_come_again_before_the_hard_end(
	struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	struct mp_chase chase = {
		.hops = MANY,
		.limit_ticks = 10000,
		.fine_ticks = NONE,
		.hard_ticks = 10000,
		.slow_ticks = 10000 / (2 * MP_CHASE_SLOWER),
		.bounded = 1,
	};

	/* Not one block of 64 then: none has a length to be told. */
	expect_walked(test, ring, &chase, NONE);
	KUNIT_EXPECT_EQ(test, chase.look_min_ticks, chase.ticks);
	KUNIT_EXPECT_GE(test, chase.slow_ticks, 1250ull);
}

static void after_the_last_tick_a_bounded_chase_makes_one_hop_only(
	struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	struct mp_chase chase = { .hops = MANY, .limit_ticks = 1, .bounded = 1 };
	u64 least = NONE;
	u32 i;

	/* A clock of coarse ticks may stand still for some. */
	for (i = 0; i < 1000; i++) {
		expect_walked(test, ring, &chase, NONE);
		least = min(least, chase.done_hops);
	}
	KUNIT_EXPECT_GE(test, least, 1ull);
	KUNIT_EXPECT_LT(test, least, (u64)MP_CHASE_LOOK_HOPS);
}

static void groups_end_at_their_limit_but_one_is_always_made(
	struct kunit *test)
{
	const struct mp_test_ring *ring = mp_test_ring(test);
	const u32 room = 10000;
	u64 *ticks = kunit_kzalloc(test, sizeof(*ticks) * room, GFP_KERNEL);
	const void *cursor = ring->first;
	u32 n;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ticks);
	n = mp_chase_groups(&cursor, ticks, 5, 13, 0, 0);
	KUNIT_EXPECT_EQ(test, n, 5u);
	KUNIT_EXPECT_PTR_EQ(test, cursor, mp_test_after(ring, 65));
	n = mp_chase_groups(&cursor, ticks, room, 64, 1, 0);
	KUNIT_EXPECT_GE(test, n, 1u);
	KUNIT_EXPECT_LT(test, n, room);
	KUNIT_EXPECT_PTR_EQ(test, cursor, mp_test_after(ring, 65 + 64 * n));
}

static struct kunit_case chase_cases[] = {
	KUNIT_CASE(hops_come_in_whole_blocks),
	KUNIT_CASE(where_all_limits_are_0_a_bounded_chase_makes_no_hop),
	KUNIT_CASE(an_unbounded_chase_takes_0_for_no_limit),
	KUNIT_CASE(every_phase_makes_all_hops_while_its_limit_is_far),
	KUNIT_CASE(the_limit_holds_in_every_phase),
	KUNIT_CASE(what_was_slow_once_may_come_again_before_the_hard_end),
	KUNIT_CASE(after_the_last_tick_a_bounded_chase_makes_one_hop_only),
	KUNIT_CASE(groups_end_at_their_limit_but_one_is_always_made),
	{}
};

struct kunit_suite mp_chase_suite = {
	.name = "memprobe-chase",
	.test_cases = chase_cases,
};

/* -- sequences ---------------------------------------------------------------- */

#define LINES 1024u
#define STEP(slot, what) ((slot) << 2 | (what))

static const u32 list[] = {
	STEP(3, MEMPROBE_STEP_TIME), STEP(0, MEMPROBE_STEP_TOUCH), STEP(3, MEMPROBE_STEP_FLUSH),
	STEP(3, MEMPROBE_STEP_TIME), STEP(1, MEMPROBE_STEP_TIME), STEP(3, MEMPROBE_STEP_TOUCH),
};

/* Lines of a page and more begin where a line begins. */
static void take_lines(struct kunit *test, struct mp_steps *steps)
{
	steps->stride = MP_STEPS_SLOT;
	steps->slots = LINES;
	steps->base = kunit_kzalloc(test, LINES * MP_STEPS_SLOT, GFP_KERNEL);
	steps->visits = kunit_kzalloc(test, LINES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, steps->base);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, steps->visits);
	KUNIT_ASSERT_EQ(test, (uintptr_t)steps->base % MP_STEPS_SLOT, 0ul);
}

static void a_sequence_visits_its_slots_in_order(struct kunit *test)
{
	/* The words of a line that a visit has: the second of slot 3 .. */
	static const u32 visit[] = { 0, 0, 1, 2, 0, 3 };
	struct mp_steps steps = { .step = list, .n = ARRAY_SIZE(list) };
	uintptr_t at, want;
	u32 i;

	take_lines(test, &steps);
	KUNIT_ASSERT_EQ(test, mp_steps_check(&steps), 0);
	at = mp_steps_link(&steps);
	for (i = 0; i < steps.n; i++) {
		want = (uintptr_t)steps.base + (list[i] >> 2) * MP_STEPS_SLOT +
		       16 * visit[i];
		KUNIT_ASSERT_EQ(test, at & ~15ul, want);
		KUNIT_EXPECT_EQ(test, at & 3, (uintptr_t)(list[i] & 3));
		at = *(uintptr_t *)want;
	}
	KUNIT_EXPECT_EQ(test, at, 4ul);
}

static void ticks_of_timed_steps_come_in_their_order(struct kunit *test)
{
	struct mp_steps steps = { .step = list, .n = ARRAY_SIZE(list) };
	u64 ticks[4] = { NONE, NONE, NONE, NONE };
	uintptr_t *line;
	u64 whole;
	u32 done;

	take_lines(test, &steps);
	KUNIT_ASSERT_EQ(test, mp_steps_check(&steps), 0);
	done = mp_steps_run(mp_steps_link(&steps), 0, &whole);
	KUNIT_EXPECT_EQ(test, done, steps.n);
	line = steps.base + 3 * MP_STEPS_SLOT;
	line[1] = 71;
	line[5] = 72;
	line = steps.base + MP_STEPS_SLOT;
	line[1] = 73;
	KUNIT_EXPECT_EQ(test, mp_steps_collect(&steps, done, ticks), 3u);
	KUNIT_EXPECT_EQ(test, ticks[0], 71ull);
	KUNIT_EXPECT_EQ(test, ticks[1], 72ull);
	KUNIT_EXPECT_EQ(test, ticks[2], 73ull);
	KUNIT_EXPECT_EQ(test, ticks[3], NONE);
	KUNIT_EXPECT_EQ(test, mp_steps_collect(&steps, 1, ticks), 1u);
	KUNIT_EXPECT_EQ(test, mp_steps_timed(list, steps.n), 3u);
}

static void the_limit_ends_a_sequence_at_a_look(struct kunit *test)
{
	struct mp_steps steps = { .n = LINES };
	u32 *step = kunit_kzalloc(test, sizeof(*step) * LINES, GFP_KERNEL);
	u64 ticks;
	u32 i, done;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, step);
	for (i = 0; i < LINES; i++)
		step[i] = STEP(i, MEMPROBE_STEP_TOUCH);
	steps.step = step;
	take_lines(test, &steps);
	KUNIT_ASSERT_EQ(test, mp_steps_check(&steps), 0);
	done = mp_steps_run(mp_steps_link(&steps), 1, &ticks);
	KUNIT_EXPECT_GE(test, done, 8u);
	KUNIT_EXPECT_LT(test, done, LINES);
	KUNIT_EXPECT_EQ(test, done % 8, 0u);
	done = mp_steps_run(mp_steps_link(&steps), 0, &ticks);
	KUNIT_EXPECT_EQ(test, done, LINES);
}

static void a_step_that_cannot_be_made_is_refused(struct kunit *test)
{
	static const u32 beyond[] = { STEP(LINES, MEMPROBE_STEP_TOUCH) };
	static const u32 far[] = { ~0u };
	static const u32 unknown[] = { STEP(0, 3) };
	static const u32 often[] = { 0, 0, 0, 0, 0 };
	struct mp_steps steps = { .step = beyond, .n = 1 };

	take_lines(test, &steps);
	KUNIT_EXPECT_EQ(test, mp_steps_check(&steps), -EINVAL);
	steps.step = far;
	KUNIT_EXPECT_EQ(test, mp_steps_check(&steps), -EINVAL);
	steps.step = unknown;
	KUNIT_EXPECT_EQ(test, mp_steps_check(&steps), -EOPNOTSUPP);
	steps.step = often;
	steps.n = MP_STEPS_VISITS;
	KUNIT_EXPECT_EQ(test, mp_steps_check(&steps), 0);
	steps.n = MP_STEPS_VISITS + 1;
	KUNIT_EXPECT_EQ(test, mp_steps_check(&steps), -ERANGE);
}

static struct kunit_case steps_cases[] = {
	KUNIT_CASE(a_sequence_visits_its_slots_in_order),
	KUNIT_CASE(ticks_of_timed_steps_come_in_their_order),
	KUNIT_CASE(the_limit_ends_a_sequence_at_a_look),
	KUNIT_CASE(a_step_that_cannot_be_made_is_refused),
	{}
};

struct kunit_suite mp_steps_suite = {
	.name = "memprobe-steps",
	.test_cases = steps_cases,
};
