// SPDX-License-Identifier: GPL-2.0
/*
 * Simulated time: cycles, ticks in steps, drift within its bounds, jumps,
 * gaps in their share, and neighbours that move.
 */
#include "backend/sim_clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "made_machine.h"

#define L1 "level name=l1d size=32K ways=8 latency=4\n"
#define START_NS 9000000000ull
#define WORLD 77u

static struct mp_sim_machine machine;

static void begin(struct mp_sim_clock *clock, const char *text)
{
	made_machine(&machine, text);
	mp_sim_clock_init(clock, &machine, WORLD, START_NS, 5);
}

static void end(void)
{
	mp_sim_machine_free(&machine);
}

static void cycles_take_their_time(void **state)
{
	struct mp_sim_clock clock;
	uint64_t tick;

	(void)state;
	begin(&clock, L1 "machine name=a clock_mhz=2000\nclock tsc_mhz=1000\n");
	tick = mp_sim_clock_tick(&clock);
	mp_sim_clock_spend(&clock, 2000);
	assert_true(fabs(clock.now_ns - 1000) < 1e-6);
	assert_int_equal(mp_sim_clock_tick(&clock) - tick, 1000);
	assert_int_equal(mp_sim_clock_ns(&clock), START_NS + 1000);
	/* Through many cells, in which the clock is looked up again. */
	mp_sim_clock_spend(&clock, 2e7);
	assert_true(fabs(clock.now_ns - 10001000) < 1e-3);
	assert_int_equal(clock.gaps, 0);
	end();
}

static void single_cycles_add_up(void **state)
{
	struct mp_sim_clock clock;

	(void)state;
	begin(&clock, L1 "machine name=a clock_mhz=3000\n");
	for (uint32_t i = 0; i < 300000; i++)
		mp_sim_clock_spend(&clock, 1);
	assert_true(fabs(clock.now_ns - 100000) < 1e-3);
	end();
}

static void ticks_move_in_whole_steps(void **state)
{
	struct mp_sim_clock clock;
	uint64_t tick, last;
	uint32_t moves = 0;

	(void)state;
	begin(&clock, L1 "clock tsc_mhz=2600 step=26\n");
	last = mp_sim_clock_tick(&clock);
	for (uint32_t i = 0; i < 30000; i++) {
		mp_sim_clock_spend(&clock, 3);
		tick = mp_sim_clock_tick(&clock);
		assert_int_equal(tick % 26, 0);
		assert_true(tick == last || tick == last + 26);
		moves += tick != last;
		last = tick;
	}
	/* 30 us at 2600 MHz: 78000 ticks. */
	assert_in_range(moves, 3000 - 1, 3000 + 1);
	end();
}

/* No batch knows at which part of a tick it began. */
static void a_batch_begins_anywhere_in_a_tick(void **state)
{
	struct mp_sim_clock clock;
	uint32_t early = 0;

	(void)state;
	made_machine(&machine, L1 "machine name=a clock_mhz=4000\n"
		     "clock tsc_mhz=1000\n");
	for (uint32_t i = 0; i < 400; i++) {
		uint64_t tick;

		mp_sim_clock_init(&clock, &machine, WORLD, START_NS, i);
		tick = mp_sim_clock_tick(&clock);
		mp_sim_clock_spend(&clock, 1);
		early += mp_sim_clock_tick(&clock) > tick;
	}
	/* A cycle is a quarter of one. */
	assert_in_range(early, 60, 140);
	end();
}

static void without_drift_and_jumps_the_clock_stands_at_its_rate(void **state)
{
	(void)state;
	made_machine(&machine, L1 "machine name=a clock_mhz=3600\n");
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(mp_sim_clock_hz(&machine, WORLD, i * 1.7e7) ==
			    3.6e9);
	end();
}

static void drift_stays_in_its_bounds_and_goes_slowly(void **state)
{
	double low = INFINITY, high = 0, last = 0, hz, step = 0;

	(void)state;
	made_machine(&machine, L1 "machine name=a clock_mhz=1000\n"
		     "clock drift=0.02\n");
	for (uint32_t ms = 0; ms < 60000; ms++) {
		hz = mp_sim_clock_hz(&machine, WORLD, ms * 1e6);
		low = fmin(low, hz);
		high = fmax(high, hz);
		step = last > 0 ? fmax(step, fabs(hz - last)) : 0;
		last = hz;
	}
	assert_true(low >= 0.98e9 && high <= 1.02e9);
	assert_true(low < 0.983e9 && high > 1.017e9);
	/* At most 1.5 times the whole way in half a second. */
	assert_true(step <= 1.5 * 0.04e9 / 500);
	end();
}

static void jumps_come_as_often_as_stated_and_not_too_far(void **state)
{
	uint32_t jumps = 0;
	double last = 0, hz;

	(void)state;
	made_machine(&machine, L1 "clock jumps=5\n");
	for (uint32_t ms = 0; ms < 20000; ms++) {
		hz = mp_sim_clock_hz(&machine, WORLD, ms * 1e6);
		if (last > 0 && hz != last) {
			jumps++;
			assert_true(hz / last < 1.1 + 1e-9);
			assert_true(hz / last > 1 / 1.1 - 1e-9);
		}
		last = hz;
	}
	assert_in_range(jumps, 98, 101);
	end();
}

static void another_world_has_another_history(void **state)
{
	(void)state;
	made_machine(&machine, L1 "clock drift=0.01\n");
	assert_true(mp_sim_clock_hz(&machine, 1, 3e9) !=
		    mp_sim_clock_hz(&machine, 2, 3e9));
	assert_true(mp_sim_clock_hz(&machine, 1, 3e9) ==
		    mp_sim_clock_hz(&machine, 1, 3e9));
	end();
}

static void gaps_take_their_share_of_the_time(void **state)
{
	struct mp_sim_clock clock;
	double share, before, longest = 0, shortest = INFINITY;
	uint64_t gaps;

	(void)state;
	begin(&clock, L1 "noise gaps=0.05 gap_us=2..400\n");
	while (clock.now_ns < 60e9) {
		before = clock.lost_ns;
		gaps = clock.gaps;
		mp_sim_clock_spend(&clock, 3000);
		if (clock.gaps != gaps + 1)
			continue;
		longest = fmax(longest, clock.lost_ns - before);
		shortest = fmin(shortest, clock.lost_ns - before);
	}
	share = clock.lost_ns / clock.now_ns;
	/* 40000 gaps whose length varies by 1.3 of its mean: 1 % is wide. */
	if (fabs(share / 0.05 - 1) > 0.05)
		fail_msg("%g of the time was lost", share);
	assert_true(shortest >= 2000 && shortest < 2100);
	assert_true(longest <= 400000 && longest > 390000);
	/* Log-uniform: the mean is (400 - 2) / ln(200) us. */
	assert_true(fabs(clock.lost_ns / (double)clock.gaps / 75117 - 1) <
		    0.05);
	end();
}

static void gaps_of_one_length_have_that_length(void **state)
{
	struct mp_sim_clock clock;

	(void)state;
	begin(&clock, L1 "noise gaps=0.1 gap_us=50\n");
	while (clock.gaps < 100)
		mp_sim_clock_spend(&clock, 1000);
	assert_true(fabs(clock.lost_ns - 100 * 50000) < 1e-3);
	end();
}

static void work_is_not_disturbed(void **state)
{
	struct mp_sim_clock clock;

	(void)state;
	begin(&clock, L1 "noise gaps=0.5\n");
	mp_sim_clock_work(&clock, 3e8);
	assert_int_equal(clock.gaps, 0);
	assert_true(fabs(clock.now_ns - 1e8) < 1);
	end();
}

static void equal_seeds_have_equal_gaps(void **state)
{
	struct mp_sim_clock a, b, c;

	(void)state;
	begin(&a, L1 "noise gaps=0.05\n");
	mp_sim_clock_init(&b, &machine, WORLD, START_NS, 5);
	mp_sim_clock_init(&c, &machine, WORLD, START_NS, 6);
	for (uint32_t i = 0; i < 100000; i++) {
		mp_sim_clock_spend(&a, 1000);
		mp_sim_clock_spend(&b, 1000);
		mp_sim_clock_spend(&c, 1000);
	}
	assert_true(a.now_ns == b.now_ns);
	assert_true(a.now_ns != c.now_ns);
	assert_true(a.gaps > 0);
	end();
}

static void a_neighbour_holds_its_share_for_a_period(void **state)
{
	struct mp_sim_clock clock;
	uint64_t period, last = 0;
	double share, held = 0, low = 1, high = 0;
	uint32_t moves = 0;

	(void)state;
	begin(&clock, L1 "neighbour level=l1d share=0.2..0.8 period_ms=50\n");
	for (uint32_t ms = 0; ms < 5000; ms++) {
		share = mp_sim_clock_share(&clock, 0, &period);
		assert_true(share >= 0.2 && share <= 0.8);
		low = fmin(low, share);
		high = fmax(high, share);
		if (ms && period == last)
			assert_true(share == held);
		moves += ms && share != held;
		last = period;
		held = share;
		mp_sim_clock_sleep(&clock, 1e6);
	}
	assert_in_range(moves, 99, 100);
	assert_true(low < 0.25 && high > 0.75);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_take_their_time),
		cmocka_unit_test(single_cycles_add_up),
		cmocka_unit_test(ticks_move_in_whole_steps),
		cmocka_unit_test(a_batch_begins_anywhere_in_a_tick),
		cmocka_unit_test(
			without_drift_and_jumps_the_clock_stands_at_its_rate),
		cmocka_unit_test(drift_stays_in_its_bounds_and_goes_slowly),
		cmocka_unit_test(
			jumps_come_as_often_as_stated_and_not_too_far),
		cmocka_unit_test(another_world_has_another_history),
		cmocka_unit_test(gaps_take_their_share_of_the_time),
		cmocka_unit_test(gaps_of_one_length_have_that_length),
		cmocka_unit_test(work_is_not_disturbed),
		cmocka_unit_test(equal_seeds_have_equal_gaps),
		cmocka_unit_test(a_neighbour_holds_its_share_for_a_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
