// SPDX-License-Identifier: GPL-2.0
/*
 * Experiments are plain data: what is equal, what an id depends on, and what
 * the seed of a replicate depends on.
 */
#include "exp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "exp_field.h"

static void the_empty_experiment_has_one_round_and_no_actor(void **state)
{
	struct mp_exp exp;

	(void)state;
	memset(&exp, 0xff, sizeof(exp));
	mp_exp_init(&exp);
	assert_int_equal(exp.rounds, 1);
	assert_int_equal(exp.n_actors, 0);
	assert_int_equal(exp.n_arenas, 0);
	assert_int_equal(exp.n_steps, 0);
	assert_true(exp.window_ns > 0);
}

static void slots_that_are_not_used_yet_have_their_defaults(void **state)
{
	struct mp_exp exp;

	(void)state;
	mp_exp_init(&exp);
	for (int i = 0; i < MP_EXP_ARENAS; i++)
		assert_int_equal(exp.arena[i].node, MP_NODE_ANY);
	for (int i = 0; i < MP_EXP_ACTORS; i++) {
		assert_int_equal(exp.actor[i].copies, 1);
		assert_int_equal(exp.actor[i].group, 1);
		assert_true(exp.actor[i].hops > 0);
	}
}

static void a_chase_is_one_actor_over_one_whole_arena(void **state)
{
	struct mp_exp exp;

	(void)state;
	mp_exp_chase(&exp, 3, MP_PAGES_THP, 32768, 64, 8192);
	assert_int_equal(exp.n_arenas, 1);
	assert_int_equal(exp.arena[0].bytes, 32768);
	assert_int_equal(exp.arena[0].pages, MP_PAGES_THP);
	assert_int_equal(exp.n_actors, 1);
	assert_int_equal(exp.actor[0].op, MP_OP_CHASE);
	assert_int_equal(exp.actor[0].place, 3);
	assert_int_equal(exp.actor[0].length, 32768);
	assert_int_equal(exp.actor[0].stride, 64);
	assert_int_equal(exp.actor[0].reach, 8192);
	assert_int_equal(mp_exp_check(&exp, NULL, 0), 0);
}

/* Change one field, and compare; the table is its own witness. */
struct change {
	const struct mp_exp *exp;
	uint32_t fields;
};

static int change_one(const struct mp_exp *exp, struct mp_exp_item item,
		      const struct mp_exp_field *field, void *ctx)
{
	struct change *change = ctx;
	struct mp_exp other = *exp;

	mp_exp_field_set(&other, item, field,
			 mp_exp_field_get(exp, item, field) + 1);
	assert_false(mp_exp_equal(exp, &other));
	assert_false(mp_exp_equal(&other, exp));
	assert_true(mp_exp_id(exp) != mp_exp_id(&other));
	change->fields++;
	return 0;
}

static void every_field_makes_a_difference(void **state)
{
	struct change change = { 0 };
	struct mp_exp exp;

	(void)state;
	mp_exp_chase(&exp, 0, MP_PAGES_4K, 4096, 64, 0);
	mp_exp_each_field(&exp, change_one, &change);
	/* 4 of the experiment, 3 of an arena, 21 of an actor. */
	assert_int_equal(change.fields, 28);
}

static void an_actor_takes_part_in_the_last_of_each_so_many_rounds(void **state)
{
	struct mp_exp exp;

	(void)state;
	mp_exp_chase(&exp, 0, MP_PAGES_4K, 4096, 64, 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_true(mp_actor_acts(&exp.actor[0], i));
	exp.actor[0].every = 3;
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(mp_actor_acts(&exp.actor[0], i),
				 i == 2 || i == 5);
}

static void a_field_keeps_to_its_own_bytes(void **state)
{
	struct mp_exp_item item = { MP_OF_ACTOR, 2 };
	const struct mp_exp_field *field;
	struct mp_exp before;
	struct mp_exp exp;

	(void)state;
	mp_exp_init(&exp);
	before = exp;
	field = mp_exp_field_find(MP_OF_ACTOR, "place");
	assert_non_null(field);
	mp_exp_field_set(&exp, item, field, UINT32_MAX);
	assert_int_equal(exp.actor[2].place, UINT32_MAX);
	exp.actor[2].place = before.actor[2].place;
	assert_memory_equal(&exp, &before, sizeof(exp));
}

static void a_node_of_any_reads_back_as_minus_one(void **state)
{
	struct mp_exp_item item = { MP_OF_ARENA, 0 };
	struct mp_exp exp;

	(void)state;
	mp_exp_init(&exp);
	assert_true((int64_t)mp_exp_field_get(
			&exp, item, mp_exp_field_find(MP_OF_ARENA, "node")) ==
		    MP_NODE_ANY);
}

static void what_lies_beyond_the_counts_makes_no_difference(void **state)
{
	struct mp_exp a;
	struct mp_exp b;

	(void)state;
	mp_exp_chase(&a, 0, MP_PAGES_4K, 4096, 64, 0);
	b = a;
	b.actor[1].hops = 7;
	b.arena[3].bytes = 7;
	b.steps[5] = 7;
	assert_true(mp_exp_equal(&a, &b));
	assert_true(mp_exp_id(&a) == mp_exp_id(&b));
}

static void steps_and_counts_make_a_difference(void **state)
{
	struct mp_exp a;
	struct mp_exp b;

	(void)state;
	mp_exp_chase(&a, 0, MP_PAGES_4K, 4096, 64, 0);
	b = a;
	b.n_steps = 1;
	assert_false(mp_exp_equal(&a, &b));
	assert_true(mp_exp_id(&a) != mp_exp_id(&b));
	a.n_steps = 1;
	assert_true(mp_exp_equal(&a, &b));
	a.steps[0] = 4;
	assert_false(mp_exp_equal(&a, &b));
	assert_true(mp_exp_id(&a) != mp_exp_id(&b));
	b = a;
	b.n_arenas = 2;
	assert_false(mp_exp_equal(&a, &b));
	assert_true(mp_exp_id(&a) != mp_exp_id(&b));
}

static void a_seed_depends_on_run_experiment_and_number(void **state)
{
	uint64_t seed = mp_exp_seed(1, 2, 3);

	(void)state;
	assert_true(seed == mp_exp_seed(1, 2, 3));
	assert_true(seed != mp_exp_seed(2, 2, 3));
	assert_true(seed != mp_exp_seed(1, 3, 3));
	assert_true(seed != mp_exp_seed(1, 2, 4));
	/* No swap of the parts leads to the same seed. */
	assert_true(seed != mp_exp_seed(2, 1, 3));
	assert_true(seed != mp_exp_seed(1, 3, 2));
	assert_true(mp_exp_seed(0, 0, 0) != mp_exp_seed(0, 0, 1));
}

static void kinds_of_pages_have_names_both_ways(void **state)
{
	uint32_t pages;

	(void)state;
	for (uint32_t i = 0; i < MP_PAGES_KINDS; i++) {
		assert_int_equal(mp_pages_parse(mp_pages_name(i), &pages), 0);
		assert_int_equal(pages, i);
	}
	assert_string_equal(mp_pages_name(MP_PAGES_2M), "2m");
	assert_string_equal(mp_pages_name(MP_PAGES_KINDS), "unknown");
	assert_int_equal(mp_pages_parse("2M", &pages), -EINVAL);
	assert_int_equal(mp_pages_parse("", &pages), -EINVAL);
}

static void every_op_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(mp_op_name(MP_OP_CHASE), "chase");
	assert_string_equal(mp_op_name(MP_OP_CODE), "code");
	for (uint32_t i = 0; i < MP_OPS; i++)
		assert_string_not_equal(mp_op_name(i), "unknown");
	assert_string_equal(mp_op_name(MP_OPS), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_experiment_has_one_round_and_no_actor),
		cmocka_unit_test(slots_that_are_not_used_yet_have_their_defaults),
		cmocka_unit_test(a_chase_is_one_actor_over_one_whole_arena),
		cmocka_unit_test(every_field_makes_a_difference),
		cmocka_unit_test(an_actor_takes_part_in_the_last_of_each_so_many_rounds),
		cmocka_unit_test(a_field_keeps_to_its_own_bytes),
		cmocka_unit_test(a_node_of_any_reads_back_as_minus_one),
		cmocka_unit_test(what_lies_beyond_the_counts_makes_no_difference),
		cmocka_unit_test(steps_and_counts_make_a_difference),
		cmocka_unit_test(a_seed_depends_on_run_experiment_and_number),
		cmocka_unit_test(kinds_of_pages_have_names_both_ways),
		cmocka_unit_test(every_op_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
