// SPDX-License-Identifier: GPL-2.0
/* One value a length, and what it weighs. */
#include "analysis/values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define POINTS 12u
#define REPLICATES 5u
#define FIRST 1024.0

static struct mp_edge_data data;
static struct mp_values values;

/* A rising curve whose replicates lie so far apart, a share, each length as
 * much as any other. */
static void draw(uint32_t replicates, double spread)
{
	memset(&data, 0, sizeof(data));
	data.from = 4 * FIRST;
	data.to = 16 * FIRST;
	for (uint32_t i = 0; i < POINTS; i++) {
		struct mp_edge_point *p = &data.point[data.n++];

		p->x = FIRST * exp2(i / 2.0);
		p->n = replicates;
		for (uint32_t r = 0; r < replicates; r++)
			p->y[r] = (10 + i) * (1 + spread * ((int)r - 2));
	}
}

static void weigh(void)
{
	memset(&values, 0xff, sizeof(values));
	mp_values_weigh(&data, &values);
	assert_int_equal(values.n, data.n);
}

static void each_length_has_its_place_and_its_mean(void **state)
{
	(void)state;
	draw(REPLICATES, 0.01);
	weigh();
	for (uint32_t i = 0; i < POINTS; i++) {
		assert_true(fabs(values.y[i] - (10 + i)) < 1e-9);
		assert_true(fabs(values.at[i] - mp_miss_position(
				data.point[i].x / data.from)) < 1e-9);
	}
	/* The capacity that is tried first is where the table has its 1. */
	assert_true(fabs(values.at[4] - mp_miss_position(1)) < 1e-9);
}

static void replicates_that_scatter_more_weigh_less(void **state)
{
	double before[POINTS];

	(void)state;
	draw(REPLICATES, 0.01);
	weigh();
	memcpy(before, values.weight, sizeof(before));
	for (uint32_t r = 0; r < REPLICATES; r++)
		data.point[6].y[r] = 16 * (1 + 0.2 * ((int)r - 2));
	weigh();
	assert_true(values.weight[6] < before[6] / 10);
	/* Neighbours share in it, as a scatter seldom stays with one length .. */
	assert_true(values.weight[4] < before[4] / 10);
	assert_true(values.weight[8] < before[8] / 10);
	/* .. and those further away do not. */
	assert_true(fabs(values.weight[3] / before[3] - 1) < 1e-9);
	assert_true(fabs(values.weight[9] / before[9] - 1) < 1e-9);
}

/* Two replicates that happen to agree are no better known for it. */
static void few_that_agree_weigh_no_more_than_their_neighbours(void **state)
{
	(void)state;
	draw(REPLICATES, 0.05);
	data.point[6].n = 2;
	data.point[6].y[0] = data.point[6].y[1] = 16;
	weigh();
	assert_true(values.weight[6] < values.weight[5]);
	assert_true(values.weight[6] < values.weight[7]);
}

static void where_all_agree_weights_are_bounded(void **state)
{
	double before;

	(void)state;
	draw(1, 0);
	weigh();
	before = values.weight[0];
	for (uint32_t i = 0; i < POINTS; i++) {
		/* What a clock is off by, half a percent or so, stays. */
		assert_true(values.weight[i] > 0);
		assert_true(values.weight[i] < 1 / pow(0.003 * values.y[i], 2));
	}
	/* A value that is larger is as well known, for its size. */
	assert_true(values.weight[POINTS - 1] < values.weight[0]);
	/* The shapes are never quite right: with a jump ten times as high,
	 * a low value is known a good deal less well. */
	for (uint32_t i = 6; i < POINTS; i++)
		data.point[i].y[0] *= 10;
	weigh();
	assert_true(values.weight[0] < before / 10);
	/* Of nothing but zeroes a weight is finite, too. */
	for (uint32_t i = 0; i < POINTS; i++)
		data.point[i].y[0] = 0;
	weigh();
	for (uint32_t i = 0; i < POINTS; i++)
		assert_true(isfinite(values.weight[i]));
}

static void more_replicates_weigh_more(void **state)
{
	double few;

	(void)state;
	draw(REPLICATES, 0.05);
	weigh();
	few = values.weight[6];
	/* The same five, four times over. */
	data.point[6].n = 4 * REPLICATES;
	for (uint32_t r = REPLICATES; r < data.point[6].n; r++)
		data.point[6].y[r] = data.point[6].y[r - REPLICATES];
	weigh();
	assert_true(values.weight[6] > 2 * few);
}

static void one_outlier_moves_neither_value_nor_weight_far(void **state)
{
	double before;

	(void)state;
	draw(REPLICATES, 0.01);
	weigh();
	before = values.weight[6];
	data.point[6].y[REPLICATES - 1] *= 5;
	weigh();
	assert_true(fabs(values.y[6] - 16) < 0.1);
	assert_true(fabs(values.weight[6] / before - 1) < 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_length_has_its_place_and_its_mean),
		cmocka_unit_test(replicates_that_scatter_more_weigh_less),
		cmocka_unit_test(few_that_agree_weigh_no_more_than_their_neighbours),
		cmocka_unit_test(where_all_agree_weights_are_bounded),
		cmocka_unit_test(more_replicates_weigh_more),
		cmocka_unit_test(one_outlier_moves_neither_value_nor_weight_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
