// SPDX-License-Identifier: GPL-2.0
/* Stages of a plan: what the runner does first, and when it asks again. */
#include "runner.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "fake_target.h"
#include "made_batch.h"

#define PLENTY_NS 1000000000ull
#define KIB 1024u

static struct mp_target target;
static struct mp_host host;
static struct mp_run run;
static uint32_t asked;

/* 2 KiB twice before 1 KiB twice; once there are two, one more of 3 KiB. */
static int next(const struct mp_view *view, struct mp_plan *plan)
{
	asked++;
	plan->stage = 1;
	fake_want(plan, KIB, 2);
	plan->stage = 0;
	fake_want(plan, 2 * KIB, 2);
	if (view->n_batches >= 2)
		fake_want(plan, 3 * KIB, 1);
	plan->stage = 1;
	return 1;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	(void)view;
	(void)facts;
	return 0;
}

static const struct mp_probe staged = {
	.name = "staged", .facts = "a", .weight = 1, .next = next,
	.infer = infer,
};

static int setup(void **state)
{
	(void)state;
	fake_reset(&target, &host);
	asked = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mp_run_free(&run);
	return 0;
}

static void go(uint64_t budget_ns)
{
	const struct mp_probe *probe = &staged;
	struct mp_run_opts opts = {
		.probe = &probe,
		.n_probes = 1,
		.budget_ns = budget_ns,
		.limit_ns = PLENTY_NS,
		.stop = &fake.stop,
	};

	assert_int_equal(mp_run_all(&target, &host, &opts, &run), 0);
}

static void a_later_stage_waits_until_the_probe_wants_no_more(void **state)
{
	(void)state;
	go(PLENTY_NS);
	assert_int_equal(fake.n_calls, 5);
	fake_was_called(0, 2, 0);
	fake_was_called(1, 2, 1);
	/* Asked again, it wanted this, and the rest waited for it too. */
	fake_was_called(2, 3, 0);
	fake_was_called(3, 1, 0);
	fake_was_called(4, 1, 1);
	assert_int_equal(asked, 4);
}

static void short_time_goes_into_the_first_stage(void **state)
{
	(void)state;
	go(3 * FAKE_COST_NS);
	assert_int_equal(fake.n_calls, 3);
	fake_was_called(2, 3, 0);
}

static void two_is_refused(struct mp_batch *batch)
{
	if (batch->exp.arena[0].bytes == 2 * KIB)
		fake_fail(batch, -EOPNOTSUPP);
}

static void a_refused_experiment_does_not_hold_up_the_next_stage(void **state)
{
	(void)state;
	fake.ending = two_is_refused;
	go(PLENTY_NS);
	assert_int_equal(fake.n_calls, 4);
	fake_was_called(0, 2, 0);
	fake_was_called(1, 1, 0);
	fake_was_called(2, 1, 1);
	fake_was_called(3, 3, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_later_stage_waits_until_the_probe_wants_no_more,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			short_time_goes_into_the_first_stage, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_refused_experiment_does_not_hold_up_the_next_stage,
			setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
