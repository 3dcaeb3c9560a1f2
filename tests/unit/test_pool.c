// SPDX-License-Identifier: GPL-2.0
/* Who asked what how often, and when trying again ends. */
#include "pool.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"
#include "made_batch.h"

static const struct mp_probe first = { .name = "first" };
static const struct mp_probe second = { .name = "second" };

static struct mp_pooled *want(struct mp_pool *pool, uint64_t bytes,
			      const struct mp_probe *owner)
{
	struct mp_exp exp;

	made_exp(&exp, bytes);
	return mp_pool_want(pool, &exp, owner);
}

/* The outcome of a try: an error, or samples of which some are disturbed. */
static bool note(struct mp_pooled *pooled, int error, uint32_t disturbed)
{
	struct mp_batch batch;
	bool given_up;

	mp_batch_init(&batch, &pooled->exp, pooled->tries);
	if (!error)
		made_batch(&batch, 4, disturbed, 0);
	batch.error = error;
	given_up = mp_pooled_note(pooled, &batch);
	mp_batch_free(&batch);
	return given_up;
}

static void equal_experiments_are_one_whoever_asks(void **state)
{
	struct mp_pool pool = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= 600; i++)
		assert_non_null(want(&pool, 64 * i, &first));
	assert_int_equal(pool.n, 600);
	assert_ptr_equal(want(&pool, 640, &second), &pool.pooled[9]);
	assert_int_equal(pool.n, 600);
	mp_pool_free(&pool);
	assert_int_equal(pool.n, 0);
}

static void the_same_id_is_not_yet_the_same_experiment(void **state)
{
	struct mp_pool pool = { 0 };
	struct mp_exp other;

	(void)state;
	want(&pool, 64, &first);
	made_exp(&other, 128);
	assert_null(mp_pool_find(&pool, &other, pool.pooled[0].id));
	assert_null(mp_pool_find(&pool, &pool.pooled[0].exp, 1));
	mp_pool_free(&pool);
}

static void calm_replicates_add_up_to_enough(void **state)
{
	struct mp_pool pool = { 0 };
	struct mp_pooled *pooled = want(&pool, 64, &first);

	(void)state;
	assert_true(mp_pooled_enough(pooled, 0));
	assert_false(mp_pooled_enough(pooled, 2));
	assert_false(note(pooled, 0, 0));
	assert_false(mp_pooled_enough(pooled, 2));
	assert_false(note(pooled, 0, 0));
	assert_true(mp_pooled_enough(pooled, 2));
	assert_false(mp_pooled_enough(pooled, 3));
	mp_pool_free(&pool);
}

static void after_the_last_repeat_a_replicate_is_given_up(void **state)
{
	struct mp_pool pool = { 0 };
	struct mp_pooled *pooled = want(&pool, 64, &first);

	(void)state;
	for (uint32_t i = 0; i < MP_REPEATS_MAX; i++) {
		assert_false(note(pooled, 0, 3));
		assert_false(mp_pooled_enough(pooled, 1));
	}
	assert_true(note(pooled, -EAGAIN, 0));
	assert_true(mp_pooled_enough(pooled, 1));
	assert_false(mp_pooled_enough(pooled, 2));
	assert_int_equal(pooled->tries, MP_REPEATS_MAX + 1);
	mp_pool_free(&pool);
}

static void a_success_starts_the_count_of_repeats_anew(void **state)
{
	struct mp_pool pool = { 0 };
	struct mp_pooled *pooled = want(&pool, 64, &first);

	(void)state;
	for (int round = 0; round < 4; round++) {
		for (uint32_t i = 0; i < MP_REPEATS_MAX; i++)
			assert_false(note(pooled, -EINTR, 0));
		assert_false(note(pooled, 0, 0));
	}
	assert_int_equal(pooled->counted, 4);
	assert_int_equal(pooled->given_up, 0);
	mp_pool_free(&pool);
}

static void another_probe_starts_to_hope_anew_but_not_what_was_refused(void **state)
{
	struct mp_pool pool = { 0 };
	struct mp_pooled *pooled = want(&pool, 64, &first);

	(void)state;
	for (uint32_t i = 0; i <= MP_REPEATS_MAX; i++)
		note(pooled, 0, 4);
	assert_true(mp_pooled_enough(want(&pool, 64, &first), 1));
	assert_false(mp_pooled_enough(want(&pool, 64, &second), 1));
	assert_false(note(pooled, -EOPNOTSUPP, 0));
	assert_true(mp_pooled_enough(pooled, 100));
	assert_true(mp_pooled_enough(want(&pool, 64, &first), 100));
	mp_pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_experiments_are_one_whoever_asks),
		cmocka_unit_test(the_same_id_is_not_yet_the_same_experiment),
		cmocka_unit_test(calm_replicates_add_up_to_enough),
		cmocka_unit_test(after_the_last_repeat_a_replicate_is_given_up),
		cmocka_unit_test(a_success_starts_the_count_of_repeats_anew),
		cmocka_unit_test(another_probe_starts_to_hope_anew_but_not_what_was_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
