// SPDX-License-Identifier: GPL-2.0
/* Robust statistics, against values worked out by hand. */
#include "analysis/stat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rng.h"

static void near(double a, double b)
{
	if (!(fabs(a - b) < 1e-9))
		fail_msg("%.12g is not %.12g", a, b);
}

static void quantiles_lie_between_ranks(void **state)
{
	double v[] = { 1, 2, 3, 4, 10 };

	(void)state;
	near(mp_stat_quantile(v, 5, 0), 1);
	near(mp_stat_quantile(v, 5, 1), 10);
	near(mp_stat_quantile(v, 5, 0.5), 3);
	near(mp_stat_quantile(v, 5, 0.875), 7);
	near(mp_stat_quantile(v, 1, 0.3), 1);
	assert_true(isnan(mp_stat_quantile(v, 0, 0.5)));
}

static void a_median_sorts_and_one_outlier_does_not_move_it(void **state)
{
	double v[] = { 9, 1, 1e9, 2, 3 };

	(void)state;
	near(mp_stat_median(v, 5), 3);
	near(v[0], 1);
	near(v[4], 1e9);
}

static void a_median_of_const_values_leaves_their_order(void **state)
{
	const double v[] = { 4, 1, 3, 2 };

	(void)state;
	near(mp_stat_median_of(v, 4), 2.5);
	near(v[0], 4);
}

static void the_midmean_forgets_the_outer_quarters(void **state)
{
	double v[] = { 100, 4, 5, 6, 7, 5, 6, -100 };

	(void)state;
	/* -100 4 | 5 5 6 6 | 7 100 */
	near(mp_stat_midmean(v, 8), 5.5);
}

static void a_tame_mean_leaves_the_farthest_out_at_both_ends(void **state)
{
	const double five[] = { 1000, 4, 5, 6, -1000 };
	const double nine[] = { 900, 1, 2, 3, 4, 5, 800, -9, -9 };
	const double four[] = { 1, 2, 3, 10 };
	double sd;

	(void)state;
	near(mp_stat_tame(five, 5, &sd), 5);
	near(sd, 2);
	near(mp_stat_tame(nine, 9, NULL), 3);
	near(mp_stat_tame(four, 4, NULL), 4);
}

static void the_standard_deviation_is_that_of_a_sample(void **state)
{
	const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	(void)state;
	near(mp_stat_sd(v, 8), sqrt(32.0 / 7));
	near(mp_stat_sd(v, 1), 0);
}

static void under_five_replicates_the_limits_are_the_extremes(void **state)
{
	struct mp_interval i;
	double v[] = { 3, 1, 2 };

	(void)state;
	mp_stat_limits(v, 3, 1, &i);
	near(i.low, 1);
	near(i.value, 2);
	near(i.high, 3);
}

static void limits_hold_the_median_and_the_seed_decides(void **state)
{
	double v[] = { 10, 11, 12, 13, 14, 15, 16, 17, 18, 40 };
	struct mp_interval a, b;

	(void)state;
	mp_stat_limits(v, 10, 7, &a);
	mp_stat_limits(v, 10, 7, &b);
	near(a.low, b.low);
	near(a.high, b.high);
	near(a.value, 14.5);
	assert_true(a.low > 10 && a.low < 14.5);
	assert_true(a.high > 14.5 && a.high < 40);
}

static void replicates_that_scatter_have_a_mean_and_its_limits(void **state)
{
	double v[] = { 9, 11, 10, 9, 11, 10, 10 };
	struct mp_interval i;

	(void)state;
	mp_stat_mean_limits(v, 7, 5, 0.1, &i);
	near(i.value, 10);
	/* Student's 2.447 of the sixth part of four, over seven. */
	near(i.high - 10, 10 - i.low);
	assert_true(fabs(i.high - 10 - 2.447 * sqrt(4.0 / 6 / 7)) < 0.002);
	/* What the clock leaves open, where that is more. */
	mp_stat_mean_limits(v, 7, 5, 3, &i);
	near(i.low, 7);
	near(i.high, 13);
}

static void what_lies_too_far_out_is_in_no_mean(void **state)
{
	double v[] = { 10, 10, 40, 10, 10, 10, 10 };
	struct mp_interval i;

	(void)state;
	mp_stat_mean_limits(v, 7, 5, 0.25, &i);
	near(i.value, 10);
	near(i.low, 9.75);
	near(i.high, 10.25);
	/* As near as that it is what the clock's steps make of one value. */
	mp_stat_mean_limits(v, 7, 50, 0.25, &i);
	assert_true(i.value > 14 && i.high > 24);
}

/* Three lie on either side of what they are of three times in four only. */
static void of_few_limits_are_wider_than_a_bracket(void **state)
{
	double v[] = { 3, 1, 2 };
	struct mp_interval i;

	(void)state;
	mp_stat_mean_limits(v, 3, 5, 0.5, &i);
	near(i.value, 2);
	near(i.high - 2, 2 - i.low);
	assert_true(fabs(i.high - 2 - 4.303 / sqrt(3)) < 0.002);
	/* What the clock leaves open, where that is more. */
	mp_stat_mean_limits(v, 3, 5, 3, &i);
	near(i.low, -2);
	near(i.high, 6);
	mp_stat_mean_limits(v, 1, 5, 0.5, &i);
	near(i.low, v[0] - 0.5);
	near(i.high, v[0] + 0.5);
}

/* A stretch that begins at any moment, read in whole steps: how many of a
 * thousand times do limits hold it? */
static double rounding_holds(struct mp_rng *rng, double length, uint32_t n)
{
	uint32_t held = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		double sum = 0;

		for (uint32_t k = 0; k < n; k++) {
			const double begin = (double)mp_rng_below(rng, 1u << 30) /
					     (1u << 30);

			sum += floor(begin + length);
		}
		held += fabs(sum / n - length) <= mp_stat_rounding(sum / n, n);
	}
	return held / 1000.0;
}

static void readings_in_whole_steps_leave_open_what_lies_between(void **state)
{
	double sum = 0;
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 1);
	for (uint32_t i = 0; i < 20; i++) {
		const double held = rounding_holds(&rng, 30 + i / 20.0, 56);

		assert_true(held > 0.9);
		sum += held;
	}
	/* Neither too narrow nor made wide to be safe. */
	assert_true(sum / 20 > 0.95 && sum / 20 < 0.99);
	/* All alike are no proof; the more of them, the nearer. */
	assert_true(mp_stat_rounding(30, 56) > 0.05);
	assert_true(mp_stat_rounding(30, 560) < 0.01);
}

static void the_roundest_number_has_the_smallest_odd_part(void **state)
{
	(void)state;
	near(mp_stat_round(31000, 33900, 32100), 32768);
	near(mp_stat_round(17.2e6, 19.5e6, 18.5e6), 18 * 1048576.0);
	near(mp_stat_round(47000, 50000, 48000), 49152);
	near(mp_stat_round(70, 74, 71.5), 72);
	near(mp_stat_round(62, 66, 63), 64);
	/* Nothing whole in between. */
	near(mp_stat_round(5.2, 5.6, 5.4), 5);
	/* Round ones near one limit would be far from the other. */
	near(mp_stat_round(20113, 25085, 23000), 22528);
	near(mp_stat_round(10000, 20000, 16384), 13333);
	near(mp_stat_round(2.5, 5.5, 5), 3);
	near(mp_stat_round(5, 7.9, 6), 6);
}

/* The geometric middle of these was off by 12.8 % of the lower one, which a
 * level of 144 KiB lay at. */
static void what_lies_between_is_as_far_from_either_limit(void **state)
{
	const double low = 147409, high = 187539;
	const double middle = mp_stat_between(low, high);

	(void)state;
	near(middle / low - 1, 1 - middle / high);
	assert_true(middle / low < 1.125);
}

/* Short lists and long ones are sorted in different ways. */
static void a_list_of_any_length_is_sorted(void **state)
{
	double value[100];

	(void)state;
	for (size_t n = 0; n <= 100; n++) {
		for (size_t i = 0; i < n; i++)
			value[i] = (double)((i * 37 + n) % 53) - 20;
		mp_stat_sort(value, n);
		for (size_t i = 1; i < n; i++)
			assert_true(value[i - 1] <= value[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_of_any_length_is_sorted),
		cmocka_unit_test(quantiles_lie_between_ranks),
		cmocka_unit_test(a_median_sorts_and_one_outlier_does_not_move_it),
		cmocka_unit_test(a_median_of_const_values_leaves_their_order),
		cmocka_unit_test(the_midmean_forgets_the_outer_quarters),
		cmocka_unit_test(a_tame_mean_leaves_the_farthest_out_at_both_ends),
		cmocka_unit_test(the_standard_deviation_is_that_of_a_sample),
		cmocka_unit_test(under_five_replicates_the_limits_are_the_extremes),
		cmocka_unit_test(limits_hold_the_median_and_the_seed_decides),
		cmocka_unit_test(replicates_that_scatter_have_a_mean_and_its_limits),
		cmocka_unit_test(what_lies_too_far_out_is_in_no_mean),
		cmocka_unit_test(of_few_limits_are_wider_than_a_bracket),
		cmocka_unit_test(readings_in_whole_steps_leave_open_what_lies_between),
		cmocka_unit_test(the_roundest_number_has_the_smallest_odd_part),
		cmocka_unit_test(what_lies_between_is_as_far_from_either_limit),
	};

	return cmocka_run_group_tests_name("stat", tests, NULL, NULL);
}
