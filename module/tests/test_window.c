// SPDX-License-Identifier: GPL-2.0
/* The arithmetic of windows, at the rates that a clock can have and beyond. */
#include "tests.h"

#include "../core/window.h"
#include "../limits.h"

#define TEN_MINUTES_NS 600000000000ull
#define HZ_MOST 18000000000ull

static const u64 rates[] = {
	1, 3, 1000, MP_RATE_MIN_HZ, 62500000, 999999999, 1000000000, 2600000001,
	MP_RATE_MAX_HZ, HZ_MOST,
};

static const u64 lengths[] = {
	MP_WINDOW_MIN_NS, MP_WINDOW_NS, 1234567, MP_WINDOW_MAX_NS,
};

static void ticks_of_whole_seconds_are_exact_at_any_rate(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		KUNIT_EXPECT_EQ(test, mp_window_ticks(1000000000, rates[i]),
				rates[i]);
		KUNIT_EXPECT_EQ(test, mp_window_ticks(TEN_MINUTES_NS, rates[i]),
				600 * rates[i]);
		KUNIT_EXPECT_EQ(test, mp_window_ns(600 * rates[i], rates[i]),
				TEN_MINUTES_NS);
		KUNIT_EXPECT_EQ(test, mp_window_ticks(0, rates[i]), 0ull);
		KUNIT_EXPECT_EQ(test, mp_window_ns(0, rates[i]), 0ull);
	}
}

static void a_length_in_ticks_and_back_loses_no_more_than_a_tick(
	struct kunit *test)
{
	u64 ns, back;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (ns = 1; ns < TEN_MINUTES_NS; ns = ns * 7 + 999999999 / 7) {
			back = mp_window_ns(mp_window_ticks(ns, rates[i]),
					    rates[i]);
			KUNIT_EXPECT_LE(test, back, ns);
			KUNIT_EXPECT_LE(test, ns - back,
					1000000000 / rates[i] + 2);
		}
	}
}

static void a_window_has_its_bounds_in_order(struct kunit *test)
{
	struct mp_window window;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (k = 0; k < ARRAY_SIZE(lengths); k++) {
			mp_window_make(&window, lengths[k], rates[i]);
			KUNIT_EXPECT_EQ(test, window.limit,
					mp_window_ticks(lengths[k], rates[i]));
			KUNIT_EXPECT_GE(test, window.hard, window.limit);
			KUNIT_EXPECT_LE(test, window.hard,
					window.limit + window.limit / 8);
			KUNIT_EXPECT_GE(test, window.hop, 1ull);
			KUNIT_EXPECT_GE(test, window.tail, 1ull);
			KUNIT_EXPECT_EQ(test, window.hops, 4 * lengths[k]);
		}
	}
}

/* Even the dearest hops that may begin have ended by the hard end. */
static void expect_bound(struct kunit *test, const struct mp_window *window,
			 u64 elapsed)
{
	struct mp_chase chase = { 0 };

	mp_window_bound(window, elapsed, &chase);
	KUNIT_EXPECT_EQ(test, chase.bounded, 1u);
	KUNIT_EXPECT_GE(test, chase.limit_ticks, 1ull);
	KUNIT_EXPECT_LE(test, chase.fine_ticks, chase.limit_ticks);
	if (chase.limit_ticks > 1) {
		KUNIT_EXPECT_LE(test, elapsed + chase.limit_ticks,
				window->limit);
		KUNIT_EXPECT_LE(test, elapsed + chase.limit_ticks +
				window->hop + window->tail, window->hard);
	}
	if (chase.fine_ticks)
		KUNIT_EXPECT_LE(test, elapsed + chase.fine_ticks +
				MP_CHASE_FINE_HOPS * window->hop +
				window->tail, window->hard);
	if (chase.hard_ticks)
		KUNIT_EXPECT_EQ(test, elapsed + chase.hard_ticks +
				window->tail, window->hard);
}

/* A group of the dearest hops has room behind it. */
static void expect_rewarm(struct kunit *test, const struct mp_window *window,
			  u32 group)
{
	struct mp_window part;

	mp_window_rewarm(window, group, &part);
	KUNIT_EXPECT_LE(test, part.limit, part.hard);
	KUNIT_EXPECT_LE(test, part.hard, window->hard / 2);
	KUNIT_EXPECT_EQ(test, part.hop, window->hop);
	if (part.hard)
		KUNIT_EXPECT_LE(test, part.hard + group * window->hop +
				window->tail, window->hard);
	expect_bound(test, &part, 0);
	expect_bound(test, &part, part.limit / 2);
}

static void a_chase_in_a_window_ends_before_its_hard_end(struct kunit *test)
{
	struct mp_window window;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (k = 0; k < ARRAY_SIZE(lengths); k++) {
			mp_window_make(&window, lengths[k], rates[i]);
			expect_bound(test, &window, 0);
			expect_bound(test, &window, window.limit / 2);
			expect_bound(test, &window, window.limit);
			expect_bound(test, &window, window.hard);
			expect_bound(test, &window, ~0ull);
			expect_rewarm(test, &window, 0);
			expect_rewarm(test, &window, 10);
			expect_rewarm(test, &window, 64);
		}
	}
}

static void groups_may_begin_until_the_dearest_would_end_too_late(
	struct kunit *test)
{
	struct mp_window window;
	u64 last;

	mp_window_make(&window, MP_WINDOW_NS, 1000000000);
	/* 200 us and an eighth, without 64 hops of 2001 ns and 1001 ns. */
	last = mp_window_groups(&window, 0, 64);
	KUNIT_EXPECT_EQ(test, last, 225000 - 64 * 2001 - 1001ull);
	KUNIT_EXPECT_EQ(test, mp_window_groups(&window, 0, 1), 200000ull);
	KUNIT_EXPECT_EQ(test, mp_window_groups(&window, 1000, 64), last - 1000);
	KUNIT_EXPECT_EQ(test, mp_window_groups(&window, ~0ull, 64), 1ull);
	/* No product wraps. */
	KUNIT_EXPECT_EQ(test, mp_window_groups(&window, 0, ~0u), 1ull);
	KUNIT_EXPECT_EQ(test, mp_window_group_max(&window), 64u);
	mp_window_make(&window, MP_WINDOW_MIN_NS, 1000000000);
	KUNIT_EXPECT_EQ(test, mp_window_group_max(&window), 10u);
}

static void the_rest_keeps_the_duty(struct kunit *test)
{
	const u64 end_ns = 1ull << 62;
	u64 rest_ns;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		rest_ns = mp_window_rest(end_ns, lengths[i]) - end_ns;
		KUNIT_EXPECT_LE(test, lengths[i] * 100,
				MP_WINDOW_DUTY_PERCENT *
				(lengths[i] + rest_ns));
	}
	KUNIT_EXPECT_EQ(test, mp_window_rest(end_ns, 0), end_ns);
	/* A CPU that was taken away for an hour still gets a number. */
	KUNIT_EXPECT_GT(test, mp_window_rest(end_ns, 3600000000000ull), end_ns);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ticks_of_whole_seconds_are_exact_at_any_rate),
	KUNIT_CASE(a_length_in_ticks_and_back_loses_no_more_than_a_tick),
	KUNIT_CASE(a_window_has_its_bounds_in_order),
	KUNIT_CASE(a_chase_in_a_window_ends_before_its_hard_end),
	KUNIT_CASE(groups_may_begin_until_the_dearest_would_end_too_late),
	KUNIT_CASE(the_rest_keeps_the_duty),
	{}
};

struct kunit_suite mp_window_suite = {
	.name = "memprobe-window",
	.test_cases = cases,
};
