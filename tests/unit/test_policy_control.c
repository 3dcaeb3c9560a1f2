// SPDX-License-Identifier: GPL-2.0
/* Where the lines of a control of probe policy lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "made_means.h"
#include "probe/cpu.h"
#include "probe/policy_control.h"
#include "probe/policy_look.h"
#include "probe/policy_place.h"

#define KIB 1024ull

static struct mp_policy_control control;

static void slots_of_one_page_share_a_line(void **state)
{
	uint64_t at[5];

	(void)state;
	mp_policy_control_init(&control, 256, 512, 12, 0);
	for (uint32_t i = 0; i < 5; i++)
		assert_true(mp_policy_control_place(&control, i * 512,
						    true, &at[i]));
	for (uint32_t i = 1; i < 4; i++)
		assert_int_equal(at[i], at[0] + i * MP_STEPS_SLOT);
	assert_int_not_equal(at[4] / 256, at[0] / 256);
	assert_int_equal(control.n, 2);
}

static void slots_of_other_pages_do_not(void **state)
{
	uint64_t at;

	(void)state;
	mp_policy_control_init(&control, 256, 2 * KIB, 12, 0);
	for (uint32_t i = 0; i < 40; i++) {
		assert_true(mp_policy_control_place(&control, i * 12 * KIB,
						    true, &at));
		assert_int_equal(at / MP_POLICY_PAGE,
				 i * 12 * KIB / MP_POLICY_PAGE);
	}
	assert_int_equal(control.n, 40);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(control.in_set[i], 5);
}

static void no_set_gets_more_lines_than_it_may(void **state)
{
	uint64_t at;

	(void)state;
	mp_policy_control_init(&control, 64, 1 * KIB, 3, 0);
	for (uint32_t i = 0; i < 48; i++)
		assert_true(mp_policy_control_place(&control, i * 4 * KIB,
						    true, &at));
	assert_false(mp_policy_control_place(&control, 48 * 4 * KIB, true,
					     &at));
}

/* .. as many as come, and none that has to stay. */
static void what_need_not_stay_goes_to_spared_sets(void **state)
{
	uint64_t at;

	(void)state;
	mp_policy_control_init(&control, 64, 512, 4, 2);
	for (uint32_t i = 0; i < 40; i++) {
		assert_true(mp_policy_control_place(&control, i * 4 * KIB,
						    false, &at));
		assert_true(at % 512 < 128);
		assert_int_equal(at / MP_POLICY_PAGE, i);
	}
	for (uint32_t i = 0; i < 24; i++) {
		assert_true(mp_policy_control_place(&control, i * 4 * KIB, true,
						    &at));
		assert_true(at % 512 >= 128);
	}
	assert_false(mp_policy_control_place(&control, 0, true, &at));
}

static void know(struct made_means *made, const char *level, const char *what,
		 double value)
{
	struct mp_fact *fact = mp_cpu_fact(&made->facts, &made->view, level,
					   what, "");

	fact->verdict = MP_MEASURED;
	fact->value = fact->low = fact->high = value;
}

/* A third level, or NULL: of so many ways, and what it does to those inside. */
static double l3_ways;
static const char *l3_inclusion;

/* What the second one does to the first, or NULL. */
static const char *l2_inclusion;
/* Which level is asked, and the policies of those inside. */
static uint32_t asked = 1;
#define ANY MP_POLICY_CLASSES
static uint32_t inside[] = { ANY, ANY };

static void know_inclusion(struct made_means *made, const char *level,
			   const char *inclusion)
{
	struct mp_fact *fact = mp_cpu_fact(&made->facts, &made->view, level,
					   "inclusion", "");

	fact->verdict = MP_MEASURED;
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "%s", inclusion);
}

static void know_third(struct made_means *made)
{
	if (l2_inclusion)
		know_inclusion(made, "l2", l2_inclusion);
	if (!l3_inclusion)
		return;
	know(made, "l3", "size", l3_ways * 128 * KIB);
	know(made, "l3", "ways", l3_ways);
	know(made, "l3", "line", 64);
	know_inclusion(made, "l3", l3_inclusion);
}

/* A second level of so many ways behind a first one of four. */
static bool ask_sized(double l1d_bytes, double l2_bytes, double l2_ways,
		      struct mp_policy_level *level)
{
	char why[MP_FACT_TEXT];
	struct made_means made;
	bool found;

	made_means_open(&made, 512 << 20);
	know(&made, "l1d", "line", 64);
	know(&made, "l1d", "size", l1d_bytes);
	know(&made, "l1d", "ways", 4);
	know(&made, "l1d", "latency", 1);
	know(&made, "l2", "line", 64);
	know(&made, "l2", "size", l2_bytes);
	know(&made, "l2", "ways", l2_ways);
	know(&made, "l2", "latency", 4);
	know(&made, "l3", "latency", 14);
	know(&made, "dram", "latency", 90);
	know_third(&made);
	found = mp_policy_level_find(&made.view, asked, inside, level, why);
	mp_facts_free(&made.facts);
	made_means_close(&made);
	return found;
}

static bool ask(double l1d_bytes, double l2_ways,
		struct mp_policy_level *level)
{
	return ask_sized(l1d_bytes, 256 * KIB, l2_ways, level);
}

/* Sets begin anew after 3 KiB inside and after 88 KiB here, so not before
 * 264 KiB in both: a huge page has eight such lines, which is no more than fit. */
static void lines_of_many_kinds_lie_near(void **state)
{
	static struct mp_policy_placed placed;
	struct mp_policy_level level;

	(void)state;
	assert_true(ask_sized(12 * KIB, 704 * KIB, 8, &level));
	assert_int_equal(level.shape.kinds, 3);
	assert_true(mp_policy_place_walk(&level, &placed));
	assert_true(mp_policy_place_bytes(&placed) <= 2 * KIB * KIB);
	for (uint32_t i = 0; i < placed.own; i++)
		assert_int_equal(placed.at[i] % (88 * KIB), 0);
	for (uint32_t i = 0; i < 3 * placed.leaves; i++) {
		const uint64_t at = placed.at[placed.own + i];
		const uint64_t kind = i / placed.leaves * 88 * KIB;

		assert_int_equal(at % (3 * KIB), kind % (3 * KIB));
		assert_int_not_equal(at % (88 * KIB), 0);
	}
}

static void only_where_few_steps_would_be_left_is_the_first_level_full(void **state)
{
	static const struct {
		double l1d_bytes;
		double l2_ways;
		uint32_t most;
		uint32_t steps;
	} of[] = {
		/* There is room: three ways of four, as many steps as there are */
		{ 16 * KIB, 8, 3, 320 },
		/* .. or enough of them. */
		{ 8 * KIB, 8, 3, 256 },
		/* Three ways would leave too few of them. */
		{ 8 * KIB, 16, 4, 256 },
		{ 4 * KIB, 2, 4, 192 },
	};
	struct mp_policy_level level;

	(void)state;
	for (uint32_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		assert_true(ask(of[i].l1d_bytes, of[i].l2_ways, &level));
		assert_int_equal(level.inner_ways, 4);
		assert_int_equal(level.inner_most, of[i].most);
		assert_int_equal(level.leave_most, of[i].steps);
	}
	/* Not even all of it is room enough. */
	assert_false(ask(2 * KIB, 16, &level));
}

/* Lines of a set here fall on four sets there: an inclusive level that has no
 * room for 32 of them puts them out here, by its own policy. It needs to have
 * room for half as many where those that empty the set are gone by then; and
 * for no more than a few more than fit where no more are looked at. */
static void a_level_further_out_has_to_have_room_for_all(void **state)
{
	struct mp_policy_level level;

	(void)state;
	l3_inclusion = "inclusive";
	l3_ways = 8;
	assert_true(ask(16 * KIB, 8, &level));
	assert_false(level.shape.narrow);
	l3_ways = 7;
	assert_true(ask(16 * KIB, 8, &level));
	assert_true(level.shape.narrow);
	l3_ways = 3;
	assert_true(ask(16 * KIB, 8, &level));
	assert_int_equal(level.shape.looked, 12);
	l3_ways = 2;
	assert_false(ask(16 * KIB, 8, &level));
	l3_inclusion = "non-inclusive";
	assert_true(ask(16 * KIB, 8, &level));
	l3_inclusion = NULL;
}

/* Four times; six times those of a level that puts out any line, and twice of
 * one whose lines go in the order of their use; and of one more where that holds
 * what the other has put out. */
static void lines_leave_by_many_times_the_ways_inside(void **state)
{
	static const struct {
		uint32_t asked;
		uint32_t inside[2];
		const char *l2_inclusion;
		uint32_t leave;
	} of[] = {
		{ 1, { ANY }, NULL, 16 },
		{ 1, { MP_POLICY_RANDOM }, NULL, 24 },
		{ 1, { MP_POLICY_PLRU }, NULL, 8 },
		{ 2, { ANY, ANY }, "non-inclusive", 32 },
		{ 2, { ANY, ANY }, "exclusive", 48 },
		{ 2, { ANY, ANY }, NULL, 48 },
		{ 2, { MP_POLICY_RANDOM, ANY }, "exclusive", 56 },
		{ 2, { ANY, MP_POLICY_RANDOM }, "non-inclusive", 48 },
		{ 2, { ANY, MP_POLICY_LRU }, "non-inclusive", 16 },
	};
	struct mp_policy_level level;

	(void)state;
	l3_inclusion = "non-inclusive";
	l3_ways = 8;
	for (uint32_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		asked = of[i].asked;
		memcpy(inside, of[i].inside, sizeof(inside));
		l2_inclusion = of[i].l2_inclusion;
		assert_true(ask(16 * KIB, 8, &level));
		assert_int_equal(level.shape.leave, of[i].leave);
	}
	l3_inclusion = l2_inclusion = NULL;
	asked = 1;
	inside[0] = inside[1] = ANY;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_further_out_has_to_have_room_for_all),
		cmocka_unit_test(slots_of_one_page_share_a_line),
		cmocka_unit_test(slots_of_other_pages_do_not),
		cmocka_unit_test(no_set_gets_more_lines_than_it_may),
		cmocka_unit_test(what_need_not_stay_goes_to_spared_sets),
		cmocka_unit_test(lines_of_many_kinds_lie_near),
		cmocka_unit_test(lines_leave_by_many_times_the_ways_inside),
		cmocka_unit_test(only_where_few_steps_would_be_left_is_the_first_level_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
