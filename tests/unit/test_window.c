// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of windows: nothing wraps at any rate of the clock, even the
 * dearest hops that may begin have ended by the hard end, and the rest keeps
 * the duty.
 */
#include "window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define TEN_MINUTES_NS 600000000000ull
#define NONE (~(uint64_t)0)

static const uint64_t rates[] = {
	1, 2, 3, 1000, 32768, 1000000, 24000000, 62500000, 999999999,
	1000000000, 1000000001, 2600000001, 15000000000, 18000000000,
};

static const uint64_t lengths[] = {
	MP_WINDOW_MIN_NS, 99999, MP_WINDOW_NS, 1234567, MP_WINDOW_MAX_NS,
};

/* The right number, where the code has 64 bits only. */
static uint64_t wide(uint64_t a, uint64_t b, uint64_t by)
{
	__extension__ typedef unsigned __int128 wide_t;

	return (uint64_t)((wide_t)a * b / by);
}

static void a_length_in_ticks_is_right_at_any_rate(void **state)
{
	uint64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rates); i++)
		for (ns = 0; ns < TEN_MINUTES_NS; ns = 3 * ns + 1234567)
			assert_true(mp_window_ticks(ns, rates[i]) ==
				    wide(ns, rates[i], 1000000000));
}

static void a_length_in_ns_is_right_at_any_rate(void **state)
{
	uint64_t ticks;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rates); i++)
		for (ticks = 0; ticks < 600 * rates[i]; ticks = 3 * ticks + 1)
			assert_true(mp_window_ns(ticks, rates[i]) ==
				    wide(ticks, 1000000000, rates[i]));
}

static void the_hard_end_is_an_eighth_behind_the_limit(void **state)
{
	struct mp_window window;

	(void)state;
	mp_window_make(&window, 200000, 1000000000);
	assert_true(window.limit == 200000);
	assert_true(window.hard == 225000);
	assert_true(window.hop == 2001);
	assert_true(window.tail == 1001);
	assert_true(window.hops == 800000);
}

static void costs_are_never_nothing(void **state)
{
	struct mp_window window;

	(void)state;
	mp_window_make(&window, MP_WINDOW_MIN_NS, 1);
	assert_true(window.limit == 0);
	assert_true(window.hop == 1);
	assert_true(window.tail == 1);
}

static void assert_bound(const struct mp_window *window, uint64_t elapsed)
{
	struct mp_chase chase = { .hops = 64, .slow_ticks = 7 };

	mp_window_bound(window, elapsed, &chase);
	assert_int_equal(chase.bounded, 1);
	assert_true(chase.hops == 64);
	assert_true(chase.slow_ticks == 7);
	assert_true(chase.fine_ticks <= chase.limit_ticks);
	assert_true(chase.limit_ticks >= 1);
	if (chase.limit_ticks > 1) {
		assert_true(elapsed + chase.limit_ticks <= window->limit);
		assert_true(elapsed + chase.limit_ticks + window->hop +
			    window->tail <= window->hard);
	}
	if (chase.fine_ticks)
		assert_true(elapsed + chase.fine_ticks +
			    MP_CHASE_FINE_HOPS * window->hop +
			    window->tail <= window->hard);
	if (chase.hard_ticks)
		assert_true(elapsed + chase.hard_ticks + window->tail ==
			    window->hard);
}

static void what_may_begin_has_ended_by_the_hard_end(void **state)
{
	struct mp_window window;
	uint64_t elapsed;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rates); i++) {
		for (k = 0; k < COUNT(lengths); k++) {
			mp_window_make(&window, lengths[k], rates[i]);
			for (elapsed = 0; elapsed <= window.hard;
			     elapsed += window.hard / 97 + 1)
				assert_bound(&window, elapsed);
			assert_bound(&window, NONE);
		}
	}
}

static void warming_again_leaves_half_of_the_window(void **state)
{
	struct mp_window window, part;

	(void)state;
	mp_window_make(&window, 200000, 1000000000);
	mp_window_rewarm(&window, 0, &part);
	assert_true(part.hard == 112500);
	assert_true(part.limit == 100000);
	assert_true(part.hop == window.hop);
	assert_true(part.tail == window.tail);
	assert_true(part.hops == window.hops);
}

static void warming_again_leaves_room_for_a_group(void **state)
{
	struct mp_window window, part;
	uint32_t group;
	size_t i, k;

	(void)state;
	mp_window_make(&window, 200000, 1000000000);
	mp_window_rewarm(&window, 64, &part);
	assert_true(part.hard == 225000 - 64 * 2001 - 1001);
	for (i = 0; i < COUNT(rates); i++) {
		for (k = 0; k < COUNT(lengths); k++) {
			mp_window_make(&window, lengths[k], rates[i]);
			group = mp_window_group_max(&window);
			mp_window_rewarm(&window, group, &part);
			assert_true(part.limit <= part.hard);
			assert_true(!group || part.hard + group * window.hop +
				    window.tail <= window.hard);
		}
	}
}

static void when_time_is_over_one_hop_may_still_be_made(void **state)
{
	struct mp_window window;
	struct mp_chase chase = { 0 };

	(void)state;
	mp_window_make(&window, MP_WINDOW_NS, 1000000000);
	mp_window_bound(&window, window.hard + 1, &chase);
	assert_true(chase.hard_ticks == 0);
	assert_true(chase.fine_ticks == 0);
	assert_true(chase.limit_ticks == 1);
}

static void groups_may_begin_until_the_dearest_would_end_too_late(void **state)
{
	struct mp_window window;
	const uint64_t last = 225000 - 64 * 2001 - 1001;

	(void)state;
	mp_window_make(&window, MP_WINDOW_NS, 1000000000);
	assert_true(mp_window_groups(&window, 0, 64) == last);
	assert_true(mp_window_groups(&window, 1000, 64) == last - 1000);
	assert_true(mp_window_groups(&window, 0, 1) == 200000);
	assert_true(mp_window_groups(&window, 150000, 1) == 50000);
	assert_true(mp_window_groups(&window, NONE, 64) == 1);
	assert_true(mp_window_groups(&window, 0, ~0u) == 1);
}

static void a_group_fits_into_its_window(void **state)
{
	struct mp_window window;
	uint64_t hops;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rates); i++) {
		for (k = 0; k < COUNT(lengths); k++) {
			mp_window_make(&window, lengths[k], rates[i]);
			hops = mp_window_group_max(&window);
			assert_true(hops <= MP_CHASE_LOOK_HOPS);
			assert_true(!hops || hops * window.hop + window.tail <=
				    window.hard);
		}
	}
	mp_window_make(&window, MP_WINDOW_MIN_NS, 1000000000);
	assert_int_equal(mp_window_group_max(&window), 10);
	mp_window_make(&window, MP_WINDOW_NS, 1000000000);
	assert_int_equal(mp_window_group_max(&window), 64);
}

static void the_rest_keeps_the_duty(void **state)
{
	const uint64_t end_ns = 1ull << 62;
	uint64_t rest_ns;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lengths); i++) {
		rest_ns = mp_window_rest(end_ns, lengths[i]) - end_ns;
		assert_true(lengths[i] * 100 <=
			    MP_WINDOW_DUTY_PERCENT * (lengths[i] + rest_ns));
	}
	assert_true(mp_window_rest(end_ns, 0) == end_ns);
	/* A CPU that a hypervisor took away for a day. */
	rest_ns = mp_window_rest(0, 86400000000000ull);
	assert_true(rest_ns == 86400000000000ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_length_in_ticks_is_right_at_any_rate),
		cmocka_unit_test(a_length_in_ns_is_right_at_any_rate),
		cmocka_unit_test(the_hard_end_is_an_eighth_behind_the_limit),
		cmocka_unit_test(costs_are_never_nothing),
		cmocka_unit_test(what_may_begin_has_ended_by_the_hard_end),
		cmocka_unit_test(warming_again_leaves_half_of_the_window),
		cmocka_unit_test(warming_again_leaves_room_for_a_group),
		cmocka_unit_test(when_time_is_over_one_hop_may_still_be_made),
		cmocka_unit_test(
			groups_may_begin_until_the_dearest_would_end_too_late),
		cmocka_unit_test(a_group_fits_into_its_window),
		cmocka_unit_test(the_rest_keeps_the_duty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
