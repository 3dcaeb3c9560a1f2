// SPDX-License-Identifier: GPL-2.0
/* What holds for every batch that is measured on this machine. */
#include "backend/user_place.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "limits.h"

#define CPU 3

static const struct mp_user_place place = {
	.sched = { .cpu = CPU },
	.clock = { .hz = 1e9, .step_ticks = 1, .read_ticks = 20 },
};

static struct mp_exp plain(void)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, CPU, MP_PAGES_4K, 4096, 64, 0);
	return exp;
}

static int check(const struct mp_exp *exp)
{
	return mp_user_place_check(&place, exp);
}

static void one_actor_on_this_cpu_is_what_there_is(void **state)
{
	struct mp_exp exp = plain();

	(void)state;
	assert_int_equal(check(&exp), 0);
	exp.actor[0].place = CPU + 1;
	assert_int_equal(check(&exp), -EOPNOTSUPP);
	exp = plain();
	exp.actor[0].pace = 1000;
	assert_int_equal(check(&exp), -EOPNOTSUPP);
	exp = plain();
	exp.n_actors = 2;
	exp.actor[1] = exp.actor[0];
	assert_int_equal(check(&exp), -EOPNOTSUPP);
	exp = plain();
	exp.actor[0].bursts = 0;
	assert_int_equal(check(&exp), -EINVAL);
}

static int gives_a_sample_and(void *err, struct mp_batch *batch)
{
	assert_non_null(mp_batch_add(batch));
	return *(int *)err;
}

static void a_batch_has_samples_or_an_error_and_a_cost(void **state)
{
	const struct mp_exp exp = plain();
	struct mp_batch batch;
	int err = 0;

	(void)state;
	mp_batch_init(&batch, &exp, 7);
	mp_user_place_run(gives_a_sample_and, &err, &exp, 7, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, 1);
	assert_true(batch.start_ns > 0);
	assert_true(batch.cost_ns > 0);
	err = -ENOMEM;
	mp_user_place_run(gives_a_sample_and, &err, &exp, 7, &batch);
	assert_int_equal(batch.error, -ENOMEM);
	assert_int_equal(batch.n_samples, 0);
	assert_int_equal(batch.replicate, 7);
	assert_true(batch.cost_ns > 0);
	mp_batch_free(&batch);
}

static void an_arena_is_never_more_than_a_share_of_what_is_free(void **state)
{
	struct mp_user_place here = place;
	const uint64_t most = mp_user_place_arena_max(&here);

	(void)state;
	assert_true(most > 0);
	assert_true(most <= MP_ARENA_CAP_BYTES);
	assert_true((double)most <= (double)here.room.bytes * MP_ARENA_SHARE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_actor_on_this_cpu_is_what_there_is),
		cmocka_unit_test(a_batch_has_samples_or_an_error_and_a_cost),
		cmocka_unit_test(an_arena_is_never_more_than_a_share_of_what_is_free),
	};

	return cmocka_run_group_tests_name("user_place", tests, NULL, NULL);
}
