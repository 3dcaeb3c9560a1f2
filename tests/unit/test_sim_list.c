// SPDX-License-Identifier: GPL-2.0
/*
 * A store that is one list: what it holds, in which order it gives it up,
 * and that equal histories leave equal bytes.
 */
#include "backend/sim_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define KEYS 10u

struct store {
	struct mp_sim_link link[KEYS];
	uint32_t victim;
};

static bool lru(struct store *store, uint32_t key)
{
	return mp_sim_list_touch(store->link, key, 1, 3, true, &store->victim);
}

static bool fifo(struct store *store, uint32_t key)
{
	return mp_sim_list_touch(store->link, key, 1, 3, false,
				 &store->victim);
}

static void the_least_recently_used_makes_room(void **state)
{
	struct store store = { 0 };

	(void)state;
	assert_false(lru(&store, 1));
	assert_false(lru(&store, 2));
	assert_false(lru(&store, 3));
	assert_int_equal(store.victim, 0);
	assert_true(lru(&store, 1));
	assert_true(lru(&store, 1));
	assert_false(lru(&store, 4));
	assert_int_equal(store.victim, 2);
	assert_false(lru(&store, 2));
	assert_int_equal(store.victim, 3);
	assert_true(lru(&store, 4));
	assert_true(lru(&store, 1));
	assert_int_equal(store.victim, 0);
}

static void the_first_in_is_the_first_out(void **state)
{
	struct store store = { 0 };

	(void)state;
	fifo(&store, 1);
	fifo(&store, 2);
	fifo(&store, 3);
	assert_true(fifo(&store, 1));
	assert_false(fifo(&store, 4));
	assert_int_equal(store.victim, 1);
	assert_true(fifo(&store, 2));
	assert_false(fifo(&store, 1));
	assert_int_equal(store.victim, 2);
}

static void a_line_that_is_taken_leaves_room(void **state)
{
	struct store store = { 0 };

	(void)state;
	lru(&store, 1);
	lru(&store, 2);
	lru(&store, 3);
	assert_true(mp_sim_list_take(store.link, 2));
	assert_false(mp_sim_list_take(store.link, 2));
	assert_false(lru(&store, 5));
	assert_int_equal(store.victim, 0);
	assert_false(lru(&store, 6));
	assert_int_equal(store.victim, 1);
}

static void a_limit_puts_the_oldest_out(void **state)
{
	struct store store = { 0 };

	(void)state;
	lru(&store, 1);
	lru(&store, 2);
	lru(&store, 3);
	mp_sim_list_limit(store.link, 1);
	assert_true(lru(&store, 3));
	assert_false(lru(&store, 1));
	assert_false(lru(&store, 2));
	mp_sim_list_limit(store.link, 5);
	assert_true(lru(&store, 3));
}

static void sectors_of_a_line_are_filled_one_by_one(void **state)
{
	struct store store = { 0 };

	(void)state;
	assert_false(mp_sim_list_touch(store.link, 1, 1, 3, true,
				       &store.victim));
	assert_false(mp_sim_list_touch(store.link, 1, 4, 3, true,
				       &store.victim));
	assert_true(mp_sim_list_touch(store.link, 1, 1, 3, true,
				      &store.victim));
	assert_true(mp_sim_list_touch(store.link, 1, 4, 3, true,
				      &store.victim));
	assert_int_equal(store.link[0].sectors, 1);
}

static void equal_histories_leave_equal_bytes(void **state)
{
	struct store store = { 0 }, before;

	(void)state;
	for (uint32_t turn = 0; turn < 2; turn++) {
		for (uint32_t key = 1; key < KEYS; key++)
			lru(&store, key);
	}
	before = store;
	for (uint32_t key = 1; key < KEYS; key++)
		lru(&store, key);
	assert_memory_equal(before.link, store.link, sizeof(store.link));
	mp_sim_list_limit(store.link, 0);
	memset(&before, 0, sizeof(before));
	assert_memory_equal(before.link, store.link, sizeof(store.link));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_recently_used_makes_room),
		cmocka_unit_test(the_first_in_is_the_first_out),
		cmocka_unit_test(a_line_that_is_taken_leaves_room),
		cmocka_unit_test(a_limit_puts_the_oldest_out),
		cmocka_unit_test(sectors_of_a_line_are_filled_one_by_one),
		cmocka_unit_test(equal_histories_leave_equal_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
