// SPDX-License-Identifier: GPL-2.0
/* One edge or two: curves made of sets that are counted out here. */
#include "analysis/pair.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made_curve.h"
#include "rng.h"

static const struct mp_miss_table *table;
static struct mp_edge_data data;
static struct mp_rng rng;

/* Misses of an evenly filled level whose oldest line goes: each set with a
 * line too many misses all of its lines. */
static double even_misses(double x, double capacity, uint32_t ways)
{
	double lines = x / capacity * ways, fuller = lines - floor(lines);

	if (lines >= ways + 1)
		return 1;
	return lines <= ways ? 0 : fuller * (ways + 1) / lines;
}

/* A slope that has no plateau: from nothing at half to all at twice. */
static double slow_misses(double x, double capacity)
{
	return fmin(fmax((log2(x / capacity) + 1) / 2, 0), 1);
}

static void begin(void)
{
	memset(&data, 0, sizeof(data));
	mp_rng_seed(&rng, 7);
	data.scatters = MP_EDGE_ANY;
}

static void add(double x, double cycles)
{
	struct mp_edge_point *p = &data.point[data.n++];

	p->x = x;
	p->n = 5;
	for (uint32_t r = 0; r < p->n; r++)
		p->y[r] = cycles *
			  (1 + ((double)mp_rng_below(&rng, 100) - 50) / 50000);
}

static void curve(double inner, double outer, double between, double grain)
{
	begin();
	for (double x = inner / 4; x < outer * 5; x *= exp2(1 / grain))
		add(x, 4 + (between - 4) * even_misses(x, inner, 8) +
		       (60 - between) * even_misses(x, outer, 16));
}

/* Of a curve that is no pair two edges may fit or not: both are answers. */
static bool two_fit(struct mp_pair *pair)
{
	int err = mp_pair_fit(&data, table, pair);

	if (err && err != -ENODATA)
		fail_msg("mp_pair_fit: %d", err);
	return !err;
}

static void two_near_levels_are_told_apart(void **state)
{
	static const double ratios[] = { 1.5, 2, 3, 6 };
	struct mp_pair pair;

	(void)state;
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		double outer = 32 * KIB * ratios[i];

		curve(32 * KIB, outer, 14, 4);
		assert_int_equal(mp_pair_fit(&data, table, &pair), 0);
		if (mp_pair_judge(&pair) != MP_PAIR_TWO)
			fail_msg("%.1f apart: single %g misfit %g dip %g",
				 ratios[i], pair.single, pair.misfit,
				 pair.dip);
		assert_true(fabs(pair.size[0] / (32 * KIB) - 1) < 0.15);
		assert_true(fabs(pair.size[1] / outer - 1) < 0.15);
		assert_true(fabs(pair.inside - 4) < 0.5);
		assert_true(fabs(pair.between - 14) < 2);
		assert_true(fabs(pair.outside - 60) < 1.5);
		assert_true(pair.valley > pair.size[0] * 0.9 &&
			    pair.valley < pair.size[1] * 1.1);
	}
}

static void one_level_is_not_taken_for_two(void **state)
{
	struct mp_pair pair;

	(void)state;
	begin();
	for (double x = 8 * KIB; x < 200 * KIB; x *= exp2(0.25))
		add(x, 4 + 56 * even_misses(x, 32 * KIB, 8));
	if (two_fit(&pair))
		assert_int_equal(mp_pair_judge(&pair), MP_PAIR_ONE);
}

static void a_slope_without_a_plateau_is_not_two(void **state)
{
	struct mp_pair pair;

	(void)state;
	begin();
	for (double x = 64 * KIB; x < 4096 * KIB; x *= exp2(0.25))
		add(x, 14 + 46 * slow_misses(x, 512 * KIB));
	if (two_fit(&pair))
		assert_int_not_equal(mp_pair_judge(&pair), MP_PAIR_TWO);
}

/* Two levels 2.5 apart over scattered pages, with a policy that blurs. */
static void two_that_run_into_each_other_are_in_doubt(void **state)
{
	struct mp_pair pair;

	(void)state;
	begin();
	for (double x = 256 * KIB; x < 40960 * KIB; x *= exp2(0.125))
		add(x, 11 + 23 * made_mru_miss(x / (2048 * KIB)) +
		       160 * made_mru_miss(x / (5120 * KIB)));
	assert_int_equal(mp_pair_fit(&data, table, &pair), 0);
	assert_int_equal(mp_pair_judge(&pair), MP_PAIR_EITHER);
	/* As a hint to the reader: roughly where. */
	assert_true(fabs(log2(pair.size[0] / (2048 * KIB))) < 0.6);
	assert_true(fabs(log2(pair.size[1] / (5120 * KIB))) < 0.6);
}

static void a_level_that_hardly_differs_is_none(void **state)
{
	struct mp_pair pair;

	(void)state;
	curve(32 * KIB, 96 * KIB, 5, 4);
	if (two_fit(&pair))
		assert_int_equal(mp_pair_judge(&pair), MP_PAIR_ONE);
}

static void too_few_points_tell_nothing(void **state)
{
	struct mp_pair pair;

	(void)state;
	curve(32 * KIB, 96 * KIB, 14, 4);
	data.n = 5;
	assert_int_equal(mp_pair_fit(&data, table, &pair), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_near_levels_are_told_apart),
		cmocka_unit_test(one_level_is_not_taken_for_two),
		cmocka_unit_test(a_slope_without_a_plateau_is_not_two),
		cmocka_unit_test(two_that_run_into_each_other_are_in_doubt),
		cmocka_unit_test(a_level_that_hardly_differs_is_none),
		cmocka_unit_test(too_few_points_tell_nothing),
	};

	table = mp_miss_table_get();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
