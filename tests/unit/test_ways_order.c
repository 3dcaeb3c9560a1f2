// SPDX-License-Identifier: GPL-2.0
/* Orders of which a prefetcher of strides makes no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exp.h"
#include "probe/ways_order.h"
#include "probe/ways_test.h"

static uint32_t first[MP_EXP_STEPS + 1], second[MP_EXP_STEPS + 1];
static uint64_t at[2 * MP_EXP_STEPS];
static uint32_t n_at;

static struct mp_ways_places lines, others;

static struct mp_ways_guess guess = { .ways = 4 };
static const struct mp_ways_sets sets = { .n = 1, .guess = &guess };

static bool order(uint64_t stride, uint32_t n_lines, uint64_t unit,
		  const uint32_t *slot, uint32_t n)
{
	const struct mp_ways_test test = { .stride = stride };

	lines = (struct mp_ways_places){ stride, n_lines, NULL, first };
	others = (struct mp_ways_places){ unit, n, slot, second };
	guess.span = stride;
	return mp_ways_order(&sets, &test, &lines, &others);
}

static void go(const struct mp_ways_places *places)
{
	for (uint32_t i = 0; i < places->n; i++) {
		const uint32_t own = places->order[i];

		assert_true(own < places->n);
		at[n_at++] = (places->slot ? places->slot[own] : own) *
			     places->unit;
	}
}

/* Does a step made twice on end lead to a line, in the page or anywhere? */
static bool leads_on(uint64_t a, uint64_t b, uint64_t c, bool in_page)
{
	uint64_t ahead = c + (c - b);

	return c - b == b - a && ahead % lines.unit == 0 &&
	       (!in_page || ahead / MP_WAYS_PAGE == c / MP_WAYS_PAGE);
}

/* Each is there once, and over two turns no step leads to a line. */
static void check(void)
{
	n_at = 0;
	go(&lines);
	go(&others);
	for (uint32_t i = 0; i < n_at; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_true(at[i] != at[k]);
	go(&lines);
	go(&others);
	for (uint32_t i = 2; i < n_at; i++) {
		uint64_t last[2];
		uint32_t n = 0;

		assert_false(leads_on(at[i - 2], at[i - 1], at[i], false));
		for (uint32_t k = i; k-- && n < 2;)
			if (at[k] / MP_WAYS_PAGE == at[i] / MP_WAYS_PAGE &&
			    at[k] != (n ? last[n - 1] : at[i]))
				last[n++] = at[k];
		if (n == 2)
			assert_false(leads_on(last[1], last[0], at[i], true));
	}
}

static void no_step_leads_on_to_a_line(void **state)
{
	static uint32_t slot[448];

	(void)state;
	for (uint32_t i = 0; i < 448; i++)
		slot[i] = i + i / 15 + 1;
	for (uint32_t n_lines = 2; n_lines <= 64; n_lines++) {
		assert_true(order(16 * 512, n_lines, 512, slot, 120));
		check();
	}
	assert_true(order(16 * 512, 64, 512, slot, 448));
	check();
	assert_true(order(1024, 16, 4096 + 64, slot, 100));
	check();
}

static void the_same_is_asked_for_each_time(void **state)
{
	static const uint32_t slot[] = { 1, 2, 3, 5, 6, 7, 9, 10, 11, 13 };
	uint32_t was[10];

	(void)state;
	assert_true(order(2048, 4, 512, slot, 10));
	for (uint32_t i = 0; i < 10; i++)
		was[i] = second[i];
	assert_true(order(2048, 4, 512, slot, 10));
	assert_memory_equal(was, second, sizeof(was));
}

static void more_than_a_test_has_room_for_have_no_order(void **state)
{
	static const uint32_t slot[] = { 1, 2 };

	(void)state;
	assert_false(order(8192, MP_EXP_STEPS - 1, 64, slot, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_step_leads_on_to_a_line),
		cmocka_unit_test(the_same_is_asked_for_each_time),
		cmocka_unit_test(more_than_a_test_has_room_for_have_no_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
