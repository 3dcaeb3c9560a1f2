// SPDX-License-Identifier: GPL-2.0
/*
 * An index finds what a scan finds, in the same order; and what rests on some
 * experiments holds until one of them has a batch more.
 */
#include "batch_index.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made_batch.h"
#include "probe.h"

#define EXPS 300u
#define BATCHES (3 * EXPS)

static struct mp_batch made[BATCHES];
static const struct mp_batch *list[BATCHES];
static struct mp_batch_index index_of;

static void make_one(uint32_t i, uint32_t length)
{
	struct mp_exp exp;

	made_exp(&exp, 4096 * (1 + (uint64_t)length));
	mp_batch_init(&made[i], &exp, i / EXPS);
	list[i] = &made[i];
}

static int begin(void **state)
{
	(void)state;
	memset(&index_of, 0, sizeof(index_of));
	for (uint32_t i = 0; i < BATCHES; i++)
		make_one(i, i % EXPS);
	return 0;
}

static int end(void **state)
{
	(void)state;
	mp_batch_index_free(&index_of);
	assert_int_equal(index_of.n, 0);
	return 0;
}

static void add(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		assert_int_equal(mp_batch_index_add(&index_of, &made[i]), 0);
}

static void an_index_finds_what_a_scan_finds(void **state)
{
	const struct mp_view scan = { .n_batches = BATCHES, .batch = list };
	struct mp_view view = scan;

	(void)state;
	view.index = &index_of;
	assert_null(mp_batch_index_find(&index_of, made[0].id));
	add(0, BATCHES);
	assert_int_equal(index_of.n, EXPS);
	for (uint32_t i = 0; i < EXPS; i++) {
		const struct mp_batch *one, *other;
		uint32_t at = 0, scan_at = 0, n = 0;

		while ((one = mp_view_next(&view, made[i].id, &at))) {
			other = mp_view_next(&scan, made[i].id, &scan_at);
			assert_ptr_equal(one, other);
			assert_int_equal(one->replicate, n++);
		}
		assert_int_equal(n, 3);
		assert_null(mp_view_next(&scan, made[i].id, &scan_at));
	}
	assert_null(mp_batch_index_find(&index_of, 12345));
}

static void another_experiment_of_the_same_id_is_refused(void **state)
{
	(void)state;
	add(0, 2);
	made[2].id = made[0].id;
	assert_int_equal(mp_batch_index_add(&index_of, &made[2]), -EEXIST);
}

static void what_was_asked_for_holds_until_a_batch_is_added(void **state)
{
	struct mp_asked asked = { 0 }, other = { 0 };
	struct mp_view view = { .index = &index_of, .asked = &asked };
	uint32_t at;

	(void)state;
	add(0, EXPS);
	for (uint32_t i = 0; i < 2; i++)
		for (at = 0; mp_view_next(&view, made[i].id, &at);)
			;
	/* .. and one that has none. */
	made[EXPS].id = 77;
	assert_null(mp_view_next(&view, 77, (at = 0, &at)));
	view.asked = &other;
	mp_view_next(&view, made[5].id, (at = 0, &at));
	assert_int_equal(asked.n, 3);
	assert_true(mp_asked_holds(&asked, &view));
	add(EXPS + 5, EXPS + 6);
	assert_true(mp_asked_holds(&asked, &view));
	assert_false(mp_asked_holds(&other, &view));
	add(EXPS, EXPS + 1);
	assert_false(mp_asked_holds(&asked, &view));
}

/* Another run has other batches, wherever they lie in memory. */
static void nothing_holds_in_another_index(void **state)
{
	struct mp_asked asked = { 0 };
	struct mp_view view = { .index = &index_of, .asked = &asked };
	uint32_t at = 0;

	(void)state;
	add(0, 3);
	mp_view_next(&view, made[1].id, &at);
	assert_true(mp_asked_holds(&asked, &view));
	mp_batch_index_free(&index_of);
	add(0, 3);
	assert_false(mp_asked_holds(&asked, &view));
}

static void too_many_to_be_noted_never_hold(void **state)
{
	static struct mp_asked asked;
	struct mp_view view = { .index = &index_of, .asked = &asked };
	uint32_t at;

	(void)state;
	add(0, 1);
	for (uint64_t id = 1; id <= MP_ASKED; id++)
		mp_view_next(&view, id, (at = 0, &at));
	assert_true(mp_asked_holds(&asked, &view));
	for (uint64_t id = 1; id <= 2; id++)
		mp_view_next(&view, id, (at = 0, &at));
	assert_false(mp_asked_holds(&asked, &view));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_index_finds_what_a_scan_finds),
		TEST(another_experiment_of_the_same_id_is_refused),
		TEST(what_was_asked_for_holds_until_a_batch_is_added),
		TEST(nothing_holds_in_another_index),
		TEST(too_many_to_be_noted_never_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
