// SPDX-License-Identifier: GPL-2.0
/* Levels are told apart though translations cost about as much as they do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made_hops.h"
#include "probe/ways_costs.h"

#define NONE 0.02

/* The second of four levels: 4, 14 and 26 cycles, and behind that 60. */
static const struct mp_ways_level second = {
	.k = 1, .innermost_cycles = 4, .inner_cycles = 4, .own_cycles = 14,
	.next_cycles = 26, .beyond_cycles = 60, .beyond_known = true,
	.single = true,
};

/* Hops of a ring, and of its control; false: nothing can be told of them. */
static bool served_by(const struct mp_ways_level *level, uint64_t step,
		      const struct made_kind *control, uint32_t n_control,
		      const struct made_kind *ring, uint32_t n_ring, bool any,
		      struct mp_ways_served *out)
{
	struct made_hops hops;
	struct mp_ways_costs costs;
	bool known;

	made_hops_open(&hops, step);
	made_hops_add(&hops, 1024, 1, control, n_control);
	made_hops_add(&hops, 2048, 1, ring, n_ring);
	mp_ways_costs_begin(&costs, level);
	mp_ways_costs_add(&costs, &hops.batch[0][0]);
	known = mp_ways_costs_end(&costs, NONE, any);
	if (known)
		mp_ways_costs_served(&costs, &hops.batch[1][0], out);
	made_hops_close(&hops);
	return known;
}

static bool served(const struct made_kind *control, uint32_t n_control,
		   const struct made_kind *ring, uint32_t n_ring, bool any,
		   struct mp_ways_served *out)
{
	return served_by(&second, 1, control, n_control, ring, n_ring, any, out);
}

/* Each hop pays 13 cycles more, as much as a miss does: nothing is hidden. */
static void what_each_hop_pays_hides_nothing(void **state)
{
	const struct made_kind control = { 1, 4 + 13, 0 };
	const struct made_kind fits = { 1, 14 + 13, 0 };
	const struct made_kind misses[] = {
		{ 0.2, 26 + 13, 0 }, { 0.8, 14 + 13, 0 },
	};
	struct mp_ways_served out;

	(void)state;
	assert_true(served(&control, 1, &fits, 1, false, &out));
	assert_true(out.may_miss < NONE && out.may_be_inside < NONE);
	assert_true(out.here > 0.98);
	assert_true(served(&control, 1, misses, 2, false, &out));
	assert_true(out.missed > 0.15 && out.between > 0.15);
	assert_true(out.may_miss > 0.15 && out.here < 0.85);
}

/* Some of the hops pay: a hit that does looks like a miss, and a miss that does
 * not like a hit that does. Neither is told. */
static void what_some_pay_for_may_be_either(void **state)
{
	const struct made_kind control[] = { { 0.5, 4 + 12, 0 }, { 0.5, 4, 0 } };
	const struct made_kind fits[] = { { 0.5, 14 + 12, 0 }, { 0.5, 14, 0 } };
	struct mp_ways_served out;

	(void)state;
	assert_true(served(control, 2, fits, 2, false, &out));
	assert_true(out.missed < NONE && out.may_miss > 0.4);
}

/* .. but for costs that no two levels differ by. */
static void odd_costs_tell_levels_apart(void **state)
{
	const struct made_kind control[] = { { 0.5, 4 + 50, 0 }, { 0.5, 4, 0 } };
	const struct made_kind ring[] = {
		{ 0.4, 14 + 50, 0 }, { 0.1, 26, 0 }, { 0.5, 14, 0 },
	};
	struct mp_ways_served out;

	(void)state;
	assert_true(served(control, 2, ring, 3, false, &out));
	assert_true(out.missed > 0.07 && out.missed < 0.13);
}

/* The ring goes through its pages more often than the control, so that some of
 * its translations may be found nearer: any cost up to the control's will do. */
static void cheaper_translations_are_no_misses(void **state)
{
	const struct made_kind control = { 1, 4 + 30, 0 };
	const struct made_kind ring[] = {
		{ 0.5, 14 + 30, 0 }, { 0.3, 14 + 12, 0 }, { 0.2, 14, 0 },
	};
	struct mp_ways_served out;

	(void)state;
	assert_true(served(&control, 1, ring, 3, true, &out));
	assert_true(out.missed < NONE);
}

/* All of the control takes ten cycles more: that may be the next level, in which
 * a ring would look all the same. */
static void a_control_that_does_not_stay_tells_nothing(void **state)
{
	const struct made_kind control = { 1, 4 + 10, 0 };
	const struct made_kind ring = { 1, 26, 0 };
	struct mp_ways_served out;

	(void)state;
	assert_false(served(&control, 1, &ring, 1, false, &out));
}

/* What has left the next level as well may have been put out by that. */
static void what_is_behind_the_next_level_is_not_between(void **state)
{
	const struct made_kind control = { 1, 4, 0 };
	const struct made_kind ring[] = {
		{ 0.1, 26, 0 }, { 0.3, 60, 0 }, { 0.6, 14, 0 },
	};
	struct mp_ways_served out;

	(void)state;
	assert_true(served(&control, 1, ring, 3, false, &out));
	assert_true(out.missed > 0.35 && out.far > 0.25);
	assert_true(out.between > 0.07 && out.between < 0.13);
}

/* .. and what is not, is, whatever is behind it: that takes longer. */
static void what_the_next_level_takes_is_between(void **state)
{
	const struct made_kind control = { 1, 4, 0 };
	const struct made_kind ring[] = {
		{ 0.1, 26, 0 }, { 0.3, 45, 0 }, { 0.6, 14, 0 },
	};
	struct mp_ways_level level = second;
	struct mp_ways_served out;

	(void)state;
	level.beyond_known = false;
	assert_true(served_by(&level, 1, &control, 1, ring, 3, false, &out));
	assert_true(out.far > 0.25 && out.far < 0.35);
	assert_true(out.between > 0.07 && out.between < 0.13);
}

/* .. also where a step of the clock is as long as what parts two levels: what may
 * have come from behind the next level may be what that has put out. */
static void what_may_be_from_behind_is_not_between(void **state)
{
	const struct made_kind control = { 1, 4, 0 };
	const struct made_kind ring[] = { { 0.3, 36, 0 }, { 0.7, 14, 0 } };
	struct mp_ways_level level = second;
	struct mp_ways_served out;

	(void)state;
	level.beyond_known = false;
	level.beyond_cycles = 38;
	assert_true(served_by(&level, 6, &control, 1, ring, 2, false, &out));
	assert_true(out.far > 0.2);
	assert_true(out.between < NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_each_hop_pays_hides_nothing),
		cmocka_unit_test(what_some_pay_for_may_be_either),
		cmocka_unit_test(odd_costs_tell_levels_apart),
		cmocka_unit_test(cheaper_translations_are_no_misses),
		cmocka_unit_test(a_control_that_does_not_stay_tells_nothing),
		cmocka_unit_test(what_is_behind_the_next_level_is_not_between),
		cmocka_unit_test(what_the_next_level_takes_is_between),
		cmocka_unit_test(what_may_be_from_behind_is_not_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
