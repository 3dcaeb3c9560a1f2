// SPDX-License-Identifier: GPL-2.0
/*
 * An order must be one cycle over all slots, keep its windows together, and
 * favour no order over another.
 */
#include "perm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define GUARD 0xdeadbeefu

static const uint32_t sizes[] = {
	1, 2, 3, 5, 8, 63, 64, 65, 100, 1000, 4095, 4096, 4097, 20011,
};

static const uint32_t windows[] = {
	0, 1, 2, 3, 7, 64, 65, 100, 999, 4096, 20011, 0xffffffff,
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* An order of @n slots with a guard word behind it. */
static uint32_t *order_of(uint32_t n, uint32_t window, uint64_t seed)
{
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	struct mp_rng rng;

	assert_non_null(order);
	memset(order, 0xff, n * sizeof(*order));
	order[n] = GUARD;
	mp_rng_seed(&rng, seed);
	mp_perm_order(order, n, window, &rng);
	assert_int_equal(order[n], GUARD);
	return order;
}

static void assert_one_cycle(const uint32_t *order, uint32_t n)
{
	uint32_t *next = malloc(n * sizeof(*next));
	uint32_t i, at = order[0], steps = 0;

	assert_non_null(next);
	memset(next, 0xff, n * sizeof(*next));
	for (i = 0; i < n; i++) {
		assert_true(order[i] < n);
		assert_int_equal(next[order[i]], 0xffffffff);
		next[order[i]] = order[(i + 1) % n];
	}
	do {
		at = next[at];
		steps++;
	} while (at != order[0] && steps <= n);
	assert_int_equal(steps, n);
	free(next);
}

/* Once a window is left it must not be entered again. */
static void assert_windows_kept(const uint32_t *order, uint32_t n,
				uint32_t window)
{
	uint32_t i, whole, run = 0;

	for (i = 0; i < n; i++) {
		run++;
		if (i + 1 < n && order[i + 1] / window == order[i] / window)
			continue;
		whole = n - order[i] / window * window;
		if (whole > window)
			whole = window;
		assert_int_equal(run, whole);
		run = 0;
	}
}

static void any_order_is_one_cycle_over_all_slots(void **state)
{
	uint32_t *order;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(sizes); i++) {
		for (k = 0; k < COUNT(windows); k++) {
			order = order_of(sizes[i], windows[k], i * 100 + k);
			assert_one_cycle(order, sizes[i]);
			free(order);
		}
	}
}

static void a_window_is_visited_whole_before_the_next_is_entered(void **state)
{
	uint32_t *order;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(sizes); i++) {
		for (k = 1; k < COUNT(windows); k++) {
			order = order_of(sizes[i], windows[k], i * 100 + k);
			assert_windows_kept(order, sizes[i], windows[k]);
			free(order);
		}
	}
}

static void a_window_of_none_or_all_slots_is_a_full_random_order(void **state)
{
	uint32_t *none = order_of(1000, 0, 5);
	uint32_t *all = order_of(1000, 1000, 5);
	uint32_t *more = order_of(1000, 4000000000u, 5);

	(void)state;
	assert_memory_equal(none, all, 1000 * sizeof(*none));
	assert_memory_equal(none, more, 1000 * sizeof(*none));
	free(none);
	free(all);
	free(more);
}

static void equal_seeds_give_equal_orders_and_others_do_not(void **state)
{
	uint32_t *a = order_of(1000, 64, 5);
	uint32_t *b = order_of(1000, 64, 5);
	uint32_t *c = order_of(1000, 64, 6);

	(void)state;
	assert_memory_equal(a, b, 1000 * sizeof(*a));
	assert_memory_not_equal(a, c, 1000 * sizeof(*a));
	free(a);
	free(b);
	free(c);
}

/* A number of its own for each order of five slots. */
static uint32_t order_number(const uint32_t *order)
{
	uint32_t i, number = 0;

	for (i = 0; i < 5; i++)
		number = number * 5 + order[i];
	return number;
}

/* How unevenly the @kinds possible orders of five slots turn up. */
static double unevenness(uint32_t window, uint32_t kinds, uint32_t draws)
{
	static uint32_t seen[3125];
	const double expected = (double)draws / kinds;
	uint32_t order[5], i, met = 0;
	struct mp_rng rng;
	double sum = 0;

	memset(seen, 0, sizeof(seen));
	mp_rng_seed(&rng, 99);
	for (i = 0; i < draws; i++) {
		mp_perm_order(order, 5, window, &rng);
		seen[order_number(order)]++;
	}
	for (i = 0; i < COUNT(seen); i++) {
		if (!seen[i])
			continue;
		met++;
		sum += (seen[i] - expected) * (seen[i] - expected) / expected;
	}
	assert_int_equal(met, kinds);
	return sum;
}

static void every_full_order_is_as_likely(void **state)
{
	(void)state;
	/* 119 degrees of freedom: above 172 once in a thousand seeds. */
	assert_true(unevenness(0, 120, 60000) < 172);
	assert_true(unevenness(1, 120, 60000) < 172);
}

static void every_windowed_order_is_as_likely(void **state)
{
	(void)state;
	/*
	 * Windows of 2, 2 and 1: 3! orders of windows, 2 * 2 inside. Of 3
	 * and 2: 2! and 3! * 2!. 23 degrees of freedom: above 49.7 once in
	 * a thousand seeds.
	 */
	assert_true(unevenness(2, 24, 24000) < 49.7);
	assert_true(unevenness(3, 24, 24000) < 49.7);
}

static void a_slot_stands_anywhere_in_a_large_order(void **state)
{
	enum { N = 1024, CELLS = 16 };
	uint32_t seen[CELLS][CELLS] = { { 0 } };
	uint32_t *order = malloc(N * sizeof(*order));
	struct mp_rng rng;
	double sum = 0;
	uint32_t i, k;

	(void)state;
	assert_non_null(order);
	mp_rng_seed(&rng, 21);
	for (i = 0; i < 100; i++) {
		mp_perm_order(order, N, 0, &rng);
		for (k = 0; k < N; k++)
			seen[k * CELLS / N][order[k] * CELLS / N]++;
	}
	for (i = 0; i < CELLS; i++)
		for (k = 0; k < CELLS; k++)
			sum += (seen[i][k] - 400.0) * (seen[i][k] - 400.0) / 400;
	/* 225 degrees of freedom: above 297 once in a thousand seeds. */
	assert_true(sum < 297);
	free(order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_is_one_cycle_over_all_slots),
		cmocka_unit_test(
			a_window_is_visited_whole_before_the_next_is_entered),
		cmocka_unit_test(
			a_window_of_none_or_all_slots_is_a_full_random_order),
		cmocka_unit_test(equal_seeds_give_equal_orders_and_others_do_not),
		cmocka_unit_test(every_full_order_is_as_likely),
		cmocka_unit_test(every_windowed_order_is_as_likely),
		cmocka_unit_test(a_slot_stands_anywhere_in_a_large_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
