// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the innermost level by means, on a CPU where lines that share a set
 * of it cost more than the next level does.
 */
#include "probe/ways_level.h"
#include "probe/ways_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made_means.h"

#define KIB 1024ull
#define REPLICATES 3u

static struct made_means made;
static struct mp_ways_sets sets;
static struct mp_ways_rig rig;
/* Cycles that others add to a hop of the last replicate. */
static double crowd;
/* Cycles of a hop of a control. */
static double control;

static int begin(void **state)
{
	(void)state;
	made_means_open(&made, 1 << 20);
	crowd = 0;
	control = 4;
	sets = (struct mp_ways_sets){
		.line = 64, .grain = 64, .piece = 2 << 20 };
	rig = (struct mp_ways_rig){
		.view = &made.view, .sets = &sets, .pages = MP_PAGES_2M,
		.level = { .innermost_bytes = 32 * KIB, .innermost_cycles = 4,
			   .own_cycles = 4, .next_cycles = 14,
			   .beyond_cycles = 50, .line = 64 } };
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_means_close(&made);
	return 0;
}

static void add(const struct mp_exp *exp, double cycles)
{
	for (uint32_t r = 0; r < REPLICATES; r++)
		made_means_add(&made, exp, r, cycles +
			       (r + 1 == REPLICATES ? crowd : 0));
}

/* Measure what a test lacks until it lacks nothing: its ring, one of twice as
 * many lines, and the control, in which each line has a set of its own. */
static enum mp_ways_outcome look(const struct mp_ways_test *test, double once,
				 double twice, uint32_t *asked)
{
	const uint64_t length = test->stride * test->lines;
	enum mp_ways_outcome outcome;

	*asked = 0;
	for (uint32_t round = 0; round < 4; round++) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_ways_look(&rig, test, REPLICATES,
					      &outcome), 0);
		if (outcome != MP_WAYS_LACKING)
			return outcome;
		assert_int_equal(mp_ways_plan(&rig, test, REPLICATES,
					      &plan), 0);
		assert_true(plan.n);
		for (uint32_t i = 0; i < plan.n; i++) {
			const struct mp_exp *exp = &plan.wanted[i].exp;
			const struct mp_actor *actor = &exp->actor[0];

			add(exp, actor->skew || actor->stride != test->stride ?
				 control :
				 actor->length > length ? twice : once);
			(*asked)++;
		}
		mp_plan_free(&plan);
	}
	fail_msg("a test lacked something for ever");
	return MP_WAYS_UNCLEAR;
}

static const struct mp_ways_test nine = {
	.stride = 4096, .lines = 9, .least = 1.0 / 9,
};

static void a_miss_that_is_dear_is_one_if_more_lines_are_not_dearer(void **state)
{
	uint32_t asked;

	(void)state;
	assert_int_equal(look(&nine, 30, 17, &asked), MP_WAYS_MISS);
	assert_int_equal(asked, 3);
}

static void what_the_next_level_misses_is_none(void **state)
{
	uint32_t asked;

	(void)state;
	assert_int_equal(look(&nine, 50, 50, &asked), MP_WAYS_HIDDEN);
}

static void more_lines_that_are_dearer_show_a_next_level_that_fills(void **state)
{
	uint32_t asked;

	(void)state;
	assert_int_equal(look(&nine, 18, 40, &asked), MP_WAYS_HIDDEN);
}

static void a_little_dearer_is_dearer(void **state)
{
	uint32_t asked;

	(void)state;
	rig.level.next_cycles = 18;
	assert_int_equal(look(&nine, 22.5, 25, &asked), MP_WAYS_MISS);
}

static void where_many_miss_the_next_level_more_lines_miss_it_more(void **state)
{
	uint32_t asked;

	(void)state;
	rig.level.next_cycles = 10;
	/* 1.32 steps, and 1.63: no more than the next level might take. */
	assert_int_equal(look(&nine, 11.92, 13.8, &asked), MP_WAYS_HIDDEN);
}

/* Only the innermost level's lines are known to be in no other's way. */
static void of_outer_levels_it_stays_hidden(void **state)
{
	uint32_t asked;

	(void)state;
	rig.level.k = 1;
	assert_int_equal(look(&nine, 30, 17, &asked), MP_WAYS_HIDDEN);
	assert_int_equal(asked, 2);
}

static void a_full_level_that_others_crowd_misses_a_few(void **state)
{
	const struct mp_ways_test full = {
		.stride = 1024, .lines = 32, .least = 1.0 / 16,
	};
	uint32_t asked;

	(void)state;
	assert_int_equal(look(&full, 4.8, 4.8, &asked), MP_WAYS_MISS);
	rig.level.crowded = true;
	assert_int_equal(look(&full, 4.8, 4.8, &asked), MP_WAYS_FIT);
	/* Of no use then: what it would show is what others do. */
	assert_true(mp_ways_finest(&rig.level) * MP_WAYS_SURE >
		    full.least);
}

static void one_of_three_that_others_slowed_down_is_none(void **state)
{
	const struct mp_ways_test full = {
		.stride = 4096, .lines = 8, .least = 1.0 / 8,
	};
	uint32_t asked;

	(void)state;
	crowd = 5;
	assert_int_equal(look(&full, 4, 4, &asked), MP_WAYS_HIDDEN);
	rig.level.crowded = true;
	assert_int_equal(look(&full, 4, 4, &asked), MP_WAYS_FIT);
	/* Two of them say that it misses. */
	assert_int_equal(look(&nine, 30, 17, &asked), MP_WAYS_MISS);
}

/* What the control takes is taken off, but lines of sets that are no power of
 * two may share one of it: it is slower than the ring then. */
static void a_control_that_is_slower_than_its_ring_is_none(void **state)
{
	const struct mp_ways_test over = {
		.stride = 256, .lines = 61, .least = 1.0 / 61,
	};
	const struct mp_ways_test full = {
		.stride = 4096, .lines = 8, .least = 1.0 / 8,
	};
	uint32_t asked;

	(void)state;
	control = 12;
	assert_int_equal(look(&over, 5.2, 5.2, &asked), MP_WAYS_HIDDEN);
	control = 6;
	assert_int_equal(look(&full, 6, 6, &asked), MP_WAYS_FIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_miss_that_is_dear_is_one_if_more_lines_are_not_dearer,
			begin, end),
		cmocka_unit_test_setup_teardown(
			what_the_next_level_misses_is_none, begin, end),
		cmocka_unit_test_setup_teardown(
			more_lines_that_are_dearer_show_a_next_level_that_fills,
			begin, end),
		cmocka_unit_test_setup_teardown(a_little_dearer_is_dearer, begin,
						end),
		cmocka_unit_test_setup_teardown(
			where_many_miss_the_next_level_more_lines_miss_it_more,
			begin, end),
		cmocka_unit_test_setup_teardown(of_outer_levels_it_stays_hidden,
						begin, end),
		cmocka_unit_test_setup_teardown(
			a_full_level_that_others_crowd_misses_a_few, begin, end),
		cmocka_unit_test_setup_teardown(
			one_of_three_that_others_slowed_down_is_none, begin, end),
		cmocka_unit_test_setup_teardown(
			a_control_that_is_slower_than_its_ring_is_none, begin,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
