// SPDX-License-Identifier: GPL-2.0
/* Batches of single hops held against each other. */
#include "analysis/hops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made_hops.h"

static struct made_hops made;
static struct mp_hops a, b;

static int begin(void **state)
{
	(void)state;
	made_hops_open(&made, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	mp_hops_free(&a);
	mp_hops_free(&b);
	made_hops_close(&made);
	return 0;
}

/* A batch of which a share takes so long, and the rest 16 cycles. */
static void take(struct mp_hops *hops, uint64_t length, double share,
		 double cycles)
{
	const struct made_kind kind[] = { { share, cycles, 0 }, { 1, 16, 0 } };

	made_hops_add(&made, length, 1, kind, 2);
	assert_int_equal(mp_hops_gather(&made.batch[made.curve.n - 1][0],
					hops), 0);
	assert_true(hops->all > 0);
}

/* Bursts of a batch read the same few times again and again. */
static void a_reading_is_there_once(void **state)
{
	const struct made_kind kind[] = { { 0.3, 40, 0 }, { 1, 16, 0 } };
	struct mp_batch *batch;

	(void)state;
	made_hops_add(&made, 4096, 1, kind, 2);
	batch = &made.batch[0][0];
	for (uint32_t i = 0; i < 9; i++)
		made_hops_fill(&made, batch, kind, 2);
	assert_int_equal(mp_hops_gather(batch, &a), 0);
	assert_true(a.n <= 4);
	assert_float_equal(a.all, 10.0 * (double)batch->sample[0].hops, 0);
	for (uint32_t i = 1; i < a.n; i++)
		assert_true(a.hop[i].cycles > a.hop[i - 1].cycles);
}

static void equal_batches_are_not_slower(void **state)
{
	(void)state;
	take(&a, 4096, 0.3, 40);
	take(&b, 8192, 0.3, 40);
	assert_true(mp_hops_slower(&a, &b, 1.15) < 0.05);
	assert_true(mp_hops_slower(&b, &a, 1.15) < 0.05);
}

/* A mean of 17.4 to 16 cycles, no sixth more. */
static void a_few_that_miss_show(void **state)
{
	(void)state;
	take(&a, 4096, 0.12, 28);
	take(&b, 8192, 0, 28);
	assert_true(fabs(mp_hops_slower(&a, &b, 1.15) - 0.12) < 0.04);
	assert_true(mp_hops_slower(&b, &a, 1.15) < 0.01);
}

/* What all of some batches have, and none of others. */
static void a_time_that_only_some_have_is_told(void **state)
{
	struct mp_hops some[2], none, untimed = { 0 };

	(void)state;
	take(&some[0], 4096, 0.3, 45);
	take(&some[1], 8192, 0.1, 45);
	take(&a, 16384, 0.3, 230);
	take(&none, 32768, 0, 45);
	assert_true(fabs(mp_hops_only(some, 2, &a, 1) - 0.1) < 0.03);
	assert_true(mp_hops_only(some, 2, some, 1) == 0);
	/* Of the first alone it is in all that there are. */
	assert_true(fabs(mp_hops_only(some, 1, &a, 1) - 0.3) < 0.05);
	/* Others that were not timed singly lack nothing. */
	assert_true(mp_hops_only(some, 1, &untimed, 1) == 0);
	/* Not what one of them lacks. */
	mp_hops_free(&some[1]);
	some[1] = none;
	assert_true(mp_hops_only(some, 2, &a, 1) < 0.03);
	mp_hops_free(&some[0]);
	mp_hops_free(&some[1]);
}

static void what_is_hardly_slower_does_not_count(void **state)
{
	(void)state;
	take(&a, 4096, 1, 18);
	take(&b, 8192, 1, 16);
	assert_true(mp_hops_slower(&a, &b, 1.15) < 0.01);
	assert_true(mp_hops_slower(&a, &b, 1.01) > 0.99);
}

/* Nor what lies within a step of the clock. */
static void the_step_of_a_clock_is_no_difference(void **state)
{
	(void)state;
	take(&a, 4096, 1, 18);
	take(&b, 8192, 1, 16);
	a.step = 3;
	assert_true(mp_hops_slower(&a, &b, 1.01) < 0.01);
}

static void what_was_not_timed_singly_is_not_compared(void **state)
{
	const struct made_kind kind = { 1, 16, 0 };

	(void)state;
	take(&b, 8192, 0.5, 40);
	made_hops_add(&made, 4096, 1, &kind, 1);
	made.batch[1][0].exp.actor[0].group = 64;
	assert_int_equal(mp_hops_gather(&made.batch[1][0], &a), 0);
	assert_true(isnan(mp_hops_slower(&a, &b, 1.15)));
	assert_true(isnan(mp_hops_slower(&b, &a, 1.15)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* A quarter of the slow ones is slower still, and the fast ones do not count. */
static void what_a_few_pay_beside_it_is_no_part_of_most(void **state)
{
	const struct made_kind kind[] = { { 0.2, 40, 0 }, { 0.1, 52, 0 },
					  { 1, 16, 0 } };
	const struct made_kind even[] = { { 0.3, 40, 0 }, { 0.3, 52, 0 },
					  { 1, 16, 0 } };

	(void)state;
	made_hops_add(&made, 4096, 1, kind, 3);
	made_hops_add(&made, 8192, 1, even, 3);
	assert_int_equal(mp_hops_gather(&made.batch[0][0], &a), 0);
	assert_int_equal(mp_hops_gather(&made.batch[1][0], &b), 0);
	assert_true(fabs(mp_hops_mostly(&a, 28) - 40) < 0.5);
	assert_true(fabs(mp_hops_mostly(&a, -INFINITY) - 16) < 0.5);
	assert_true(isnan(mp_hops_mostly(&a, 60)));
	assert_true(isnan(mp_hops_mostly(&b, 28)));
}

/* Two readings for 40 cycles, by steps of two; a page's first hop takes three
 * more. Hops that jitter have no one cost. */
static void what_the_first_of_a_page_pays_is_no_part_of_one_cost(void **state)
{
	const struct made_kind kind[] = { { 0.125, 43, 0 }, { 1, 40, 0 } };
	const struct made_kind jitter = { 1, 40, 3 };

	(void)state;
	made.step = 2;
	made_hops_add(&made, 4096, 1, kind, 2);
	made_hops_add(&made, 8192, 1, &jitter, 1);
	assert_int_equal(mp_hops_gather(&made.batch[0][0], &a), 0);
	assert_int_equal(mp_hops_gather(&made.batch[1][0], &b), 0);
	assert_true(fabs(mp_hops_one(&a, 20, 60, NULL) - 40) < 0.15);
	assert_true(mp_hops_mean(&a, 20, 60, NULL) > 40.2);
	assert_true(isnan(mp_hops_one(&a, 60, INFINITY, NULL)));
	assert_true(isnan(mp_hops_mean(&a, 60, INFINITY, NULL)));
	assert_true(isnan(mp_hops_one(&b, 20, 60, NULL)));
	assert_true(fabs(mp_hops_mean(&b, 20, 60, NULL) - 40) < 0.15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_reading_is_there_once),
		TEST(equal_batches_are_not_slower),
		TEST(a_few_that_miss_show),
		TEST(a_time_that_only_some_have_is_told),
		TEST(what_is_hardly_slower_does_not_count),
		TEST(the_step_of_a_clock_is_no_difference),
		TEST(what_was_not_timed_singly_is_not_compared),
		TEST(what_a_few_pay_beside_it_is_no_part_of_most),
		TEST(what_the_first_of_a_page_pays_is_no_part_of_one_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
