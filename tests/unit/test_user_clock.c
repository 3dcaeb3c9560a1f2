// SPDX-License-Identifier: GPL-2.0
/* Clocks: made-up counters whose step is known, and this machine's own. */
#include "backend/user_clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chase.h"
#include "rng.h"

#define READS 2000u

/* Reads of a counter that moves in steps, @low .. @low + @spread apart. */
static uint32_t read_at(uint64_t *diff, double step, double low, double spread)
{
	double time = 0;
	uint64_t last = 0, now;
	struct mp_rng rng;

	mp_rng_seed(&rng, 42);
	for (uint32_t i = 0; i < READS; i++) {
		time += low + spread * (double)mp_rng_below(&rng, 1001) / 1e3;
		now = (uint64_t)(floor(time / step) * step);
		diff[i] = now - last;
		last = now;
	}
	return READS;
}

static void a_step_of_whole_ticks_is_found(void **state)
{
	uint64_t diff[READS];

	(void)state;
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 26, 20, 40)),
			 26);
	/* Reads come faster than the counter moves. */
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 100, 7, 9)),
			 100);
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 2, 20, 40)),
			 2);
}

static void a_scaled_counters_step_is_rounded(void **state)
{
	uint64_t diff[READS];

	(void)state;
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 25.96, 26, 20)),
			 26);
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 25.96, 9, 12)),
			 26);
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 41.7, 20, 60)),
			 42);
}

/* Reads of an emulated counter: no difference is less than 19 steps. */
static void a_step_is_found_by_reads_that_take_many(void **state)
{
	uint64_t diff[READS];

	(void)state;
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 26, 500, 90)),
			 26);
	diff[7] = 25960013;
	assert_int_equal(mp_user_clock_step(diff, READS), 26);
}

static void an_interrupt_among_the_reads_changes_nothing(void **state)
{
	uint64_t diff[READS];
	const uint32_t n = read_at(diff, 25.96, 26, 20);

	(void)state;
	diff[7] = 25960013;
	diff[500] = 7777;
	assert_int_equal(mp_user_clock_step(diff, n), 26);
}

static void a_counter_that_takes_any_value_has_step_one(void **state)
{
	uint64_t diff[READS];

	(void)state;
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 1, 18, 40)),
			 1);
}

static void a_slow_counter_moves_by_single_ticks(void **state)
{
	uint64_t diff[READS];

	(void)state;
	assert_int_equal(mp_user_clock_step(diff, read_at(diff, 1, 0.2, 0.5)),
			 1);
}

static void a_counter_that_stands_still_has_no_step(void **state)
{
	uint64_t diff[8] = { 0 };

	(void)state;
	assert_int_equal(mp_user_clock_step(diff, 8), 0);
	assert_int_equal(mp_user_clock_step(diff, 0), 0);
}

static void the_mean_of_wide_steps_is_not_their_median(void **state)
{
	uint64_t value[1000];

	(void)state;
	/* 40 ticks in truth, read as 26 or 52. */
	for (uint32_t i = 0; i < 1000; i++)
		value[i] = (i * 40 + 40) / 26 * 26 - i * 40 / 26 * 26;
	assert_true(fabs(mp_user_clock_calm_mean(value, 1000, 26) - 40) < 0.1);
}

static void disturbed_reads_are_left_out_of_the_mean(void **state)
{
	uint64_t value[] = { 50, 50, 52, 48, 50, 100000, 3000, 50, 50, 50 };

	(void)state;
	assert_true(fabs(mp_user_clock_calm_mean(value, 10, 2) - 50) < 1e-9);
}

static void this_machines_clock_can_be_used(void **state)
{
	struct mp_user_clock clock;

	(void)state;
	assert_null(mp_user_clock_unmet());
	assert_int_equal(mp_user_clock_open(&clock), 0);
	assert_true(clock.hz > 1e5);
	assert_true(clock.step_ticks >= 1);
	assert_true(clock.read_ticks >= 0);
	assert_true(clock.look_ticks >= 0);
	assert_true(clock.adds >= 64);
	assert_int_equal(clock.adds % 64, 0);
	assert_int_equal(clock.muls % 64, 0);
	assert_true(clock.last.tick > clock.first.tick);
}

static struct mp_user_clock simple_clock(void)
{
	return (struct mp_user_clock){
		.hz = 2e9,
		.last = { .tick = 1000000, .raw_ns = 7, .mono_ns = 5000 },
	};
}

static void ticks_and_nanoseconds_convert_both_ways(void **state)
{
	const struct mp_user_clock clock = simple_clock();

	(void)state;
	assert_int_equal(mp_user_clock_ns(&clock, 1000000), 5000);
	assert_int_equal(mp_user_clock_ns(&clock, 1000200), 5100);
	assert_int_equal(mp_user_clock_ns(&clock, 999800), 4900);
	assert_int_equal(mp_user_clock_ticks(&clock, 200000), 400000);
	assert_int_equal(mp_user_clock_ticks(&clock, 0), 1);
}

static void a_longer_baseline_refines_the_rate(void **state)
{
	struct mp_user_clock clock;
	double before;

	(void)state;
	assert_int_equal(mp_user_clock_open(&clock), 0);
	before = clock.hz;
	clock.hz *= 1 + MP_USER_UNSTEADY / 2;
	clock.last = clock.first;
	assert_true(mp_user_clock_refine(&clock));
	assert_true(fabs(clock.hz / before - 1) < MP_USER_UNSTEADY / 4);
	assert_true(clock.last.tick > clock.first.tick);
}

static void a_jump_of_the_counter_is_noticed(void **state)
{
	struct mp_user_clock clock;
	double before;

	(void)state;
	assert_int_equal(mp_user_clock_open(&clock), 0);
	before = clock.hz;
	/* As if a second had passed on the counter alone. */
	clock.first.tick -= (uint64_t)clock.hz;
	clock.last = clock.first;
	assert_false(mp_user_clock_refine(&clock));
	assert_true(clock.unsteady > MP_USER_UNSTEADY);
	assert_true(fabs(clock.hz / before - 1) < 0.1);
	assert_int_equal(clock.first.tick, clock.last.tick);
}

static void the_core_clock_is_a_rate(void **state)
{
	struct mp_user_clock clock;
	struct mp_clock_record record;

	(void)state;
	assert_int_equal(mp_user_clock_open(&clock), 0);
	mp_user_clock_core(&clock, &record);
	assert_true(record.add_hz > 1e6 && record.add_hz < 1e11);
	if (mp_chase_mul_cycles())
		assert_true(record.mul_hz > 1e6 && record.mul_hz < 1e11);
	else
		assert_true(record.mul_hz == 0);
	assert_true(record.at_ns >= clock.first.mono_ns);
}

static void records_that_differ_by_more_than_the_share_have_moved(void **state)
{
	const struct mp_clock_record at = { .add_hz = 3e9, .mul_hz = 3e9 };
	const struct mp_clock_record near = { .add_hz = 3.02e9, .mul_hz = 3e9 };
	const struct mp_clock_record add = { .add_hz = 3.04e9, .mul_hz = 3e9 };
	const struct mp_clock_record mul = { .add_hz = 3e9, .mul_hz = 2.9e9 };
	const struct mp_clock_record half = { .add_hz = 3e9 };

	(void)state;
	assert_false(mp_user_clock_moved(&at, &at, 0.01));
	assert_false(mp_user_clock_moved(&at, &near, 0.01));
	assert_true(mp_user_clock_moved(&at, &add, 0.01));
	assert_true(mp_user_clock_moved(&at, &mul, 0.01));
	assert_false(mp_user_clock_moved(&at, &half, 0.01));
}

/* A core that waits for memory all the time is given another clock. */
static void in_a_long_batch_the_clock_may_move_further(void **state)
{
	const struct mp_clock_record before = { .at_ns = 5, .add_hz = 3.8e9 };
	struct mp_clock_record after = { .at_ns = 2000005, .add_hz = 3.5e9 };

	(void)state;
	assert_true(mp_user_clock_moved(&before, &after,
					mp_user_clock_share(&before, &after, 1)));
	after.at_ns = 70000005;
	assert_false(mp_user_clock_moved(&before, &after,
					 mp_user_clock_share(&before, &after, 1)));
	assert_true(mp_user_clock_moved(&before, &after,
					mp_user_clock_share(&before, &after, 2)));
	after.add_hz = 3.0e9;
	assert_true(mp_user_clock_moved(&before, &after,
					mp_user_clock_share(&before, &after, 1)));
	/* A clock that went back is none that took long. */
	after = (struct mp_clock_record){ .at_ns = 1, .add_hz = 3.5e9 };
	assert_true(mp_user_clock_moved(&before, &after,
					mp_user_clock_share(&before, &after, 1)));
}

static void what_a_read_costs_is_found_anew(void **state)
{
	struct mp_user_clock clock;
	double cost;

	(void)state;
	assert_int_equal(mp_user_clock_open(&clock), 0);
	cost = clock.read_ticks;
	clock.read_ticks = 100 * cost;
	clock.look_ticks = 100;
	mp_user_clock_read(&clock, 1);
	assert_true(clock.read_ticks > cost / 4 && clock.read_ticks < 4 * cost);
	assert_float_equal(clock.look_ticks, clock.read_ticks / cost, 1e-6);
	clock.read_ticks = 100 * cost;
	mp_user_clock_read(&clock, 0.5);
	assert_true(clock.read_ticks > 50 * cost && clock.read_ticks < 53 * cost);
	/* Nothing was seen of it before. */
	clock.read_ticks = 0;
	clock.look_ticks = 7;
	mp_user_clock_read(&clock, 1);
	assert_true(clock.read_ticks > 0 && clock.read_ticks < 4 * cost);
	assert_float_equal(clock.look_ticks, 7, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_of_whole_ticks_is_found),
		cmocka_unit_test(a_scaled_counters_step_is_rounded),
		cmocka_unit_test(a_step_is_found_by_reads_that_take_many),
		cmocka_unit_test(an_interrupt_among_the_reads_changes_nothing),
		cmocka_unit_test(a_counter_that_takes_any_value_has_step_one),
		cmocka_unit_test(a_slow_counter_moves_by_single_ticks),
		cmocka_unit_test(a_counter_that_stands_still_has_no_step),
		cmocka_unit_test(the_mean_of_wide_steps_is_not_their_median),
		cmocka_unit_test(disturbed_reads_are_left_out_of_the_mean),
		cmocka_unit_test(this_machines_clock_can_be_used),
		cmocka_unit_test(ticks_and_nanoseconds_convert_both_ways),
		cmocka_unit_test(a_longer_baseline_refines_the_rate),
		cmocka_unit_test(a_jump_of_the_counter_is_noticed),
		cmocka_unit_test(the_core_clock_is_a_rate),
		cmocka_unit_test(records_that_differ_by_more_than_the_share_have_moved),
		cmocka_unit_test(in_a_long_batch_the_clock_may_move_further),
		cmocka_unit_test(what_a_read_costs_is_found_anew),
	};

	return cmocka_run_group_tests_name("user_clock", tests, NULL, NULL);
}
