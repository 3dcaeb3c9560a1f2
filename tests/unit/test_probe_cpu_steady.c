// SPDX-License-Identifier: GPL-2.0
/* Replicates counted against what a miss took at their moment. */
#include "probe/cpu_edges.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KIB 1024.0
#define REPLICATES 20u
#define INSIDE 14.0

static struct mp_curve curve;
static struct mp_edge_data data;

/* What a miss takes: a third more from the middle of the run on. */
static double beyond(double start_ns)
{
	return start_ns < 1000 ? 54 : 67;
}

static double share(double length)
{
	return fmin(fmax(log2(length / (512 * KIB)) / 2, 0), 1);
}

static void add(double length, uint32_t replicates, double late_ns)
{
	struct mp_curve_at *at = &curve.at[curve.n++];

	at->length = (uint64_t)length;
	at->n = replicates;
	at->start_ns = calloc(replicates, sizeof(double));
	at->cycles = calloc(replicates, sizeof(double));
	at->ns = calloc(replicates, sizeof(double));
	assert_true(at->start_ns && at->cycles && at->ns);
	for (uint32_t r = 0; r < replicates; r++) {
		at->start_ns[r] = 2000.0 * r / replicates + late_ns;
		at->cycles[r] = INSIDE + (beyond(at->start_ns[r]) - INSIDE) *
			share(length);
		at->ns[r] = at->cycles[r] / 3;
	}
}

/* A length each half octave, each a little later than the one before. */
static int begin(void **state)
{
	(void)state;
	memset(&curve, 0, sizeof(curve));
	memset(&data, 0, sizeof(data));
	curve.at = calloc(16, sizeof(*curve.at));
	assert_non_null(curve.at);
	for (double x = 256 * KIB; x < 8193 * KIB; x *= M_SQRT2)
		add(x, REPLICATES, 3.0 * curve.n);
	return 0;
}

static int end(void **state)
{
	(void)state;
	mp_curve_free(&curve);
	return 0;
}

static void take(void)
{
	mp_cpu_fit_points(&curve, 0, 8192 * KIB, &data);
	assert_int_equal(data.n, curve.n);
}

/* How far apart the replicates of a point lie, of their least. */
static double spread(const struct mp_edge_point *p)
{
	double least = INFINITY, most = 0;

	for (uint32_t r = 0; r < p->n; r++) {
		least = fmin(least, p->y[r]);
		most = fmax(most, p->y[r]);
	}
	return most / least - 1;
}

static const struct mp_edge_point *slope(void)
{
	for (uint32_t i = 0; i < data.n; i++)
		if (data.point[i].x > 1000 * KIB)
			return &data.point[i];
	fail();
	return NULL;
}

static void a_change_beyond_the_level_is_taken_out(void **state)
{
	double average, miss;

	(void)state;
	take();
	assert_true(spread(slope()) > 0.15);
	assert_int_equal(mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data),
			 0);
	average = (beyond(0) + beyond(1000)) / 2;
	miss = share(slope()->x);
	/* All but those at the very moment of the change. */
	for (uint32_t r = 0; r < REPLICATES; r++)
		if (r < 8 || r > 11)
			assert_true(fabs(slope()->y[r] - INSIDE -
					 (average - INSIDE) * miss) < 0.6);
	/* What never missed is what it was. */
	assert_true(spread(&data.point[0]) < 1e-9);
}

static void a_disturbed_replicate_beyond_moves_no_other(void **state)
{
	double before;

	(void)state;
	take();
	mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data);
	before = slope()->y[3];
	curve.at[curve.n - 1].cycles[3] *= 3;
	memset(&data, 0, sizeof(data));
	take();
	mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data);
	assert_true(fabs(slope()->y[3] / before - 1) < 0.02);
}

static void with_too_little_beyond_nothing_is_changed(void **state)
{
	(void)state;
	take();
	assert_int_equal(mp_cpu_steady(&curve, 9000 * KIB, 1e12, &data), 0);
	assert_true(spread(slope()) > 0.15);
	/* The first replicate of each and the last: ten, too few in all. */
	for (uint32_t i = 0; i < curve.n; i++) {
		struct mp_curve_at *at = &curve.at[i];

		if ((double)at->length < 2000 * KIB)
			continue;
		at->n = 2;
		at->start_ns[1] = at->start_ns[REPLICATES - 1];
		at->cycles[1] = at->cycles[REPLICATES - 1];
	}
	assert_int_equal(mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data),
			 0);
	assert_true(spread(slope()) > 0.15);
	data.n = 0;
	assert_int_equal(mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data),
			 0);
}

/*
 * Its average is that of its part of the time, so that it would say of a
 * cheap moment, or of a dear one, that it was like any other.
 */
static void a_length_looked_at_in_a_part_of_the_time_has_no_share(void **state)
{
	struct mp_curve_at *at = &curve.at[8];
	struct mp_edge_data without;

	(void)state;
	at->n = 0;
	take();
	assert_int_equal(mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data),
			 0);
	assert_true(spread(slope()) < 0.15);
	without = data;
	/* So near each other that they outnumber all others of that moment. */
	at->n = 6;
	for (uint32_t r = 0; r < at->n; r++) {
		at->start_ns[r] = 300 + 4 * r;
		at->cycles[r] = 3 * beyond(0);
	}
	memset(&data, 0, sizeof(data));
	take();
	assert_int_equal(mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data),
			 0);
	for (uint32_t i = 0; i < data.n; i++)
		for (uint32_t r = 0; i != 8 && r < data.point[i].n; r++)
			assert_true(data.point[i].y[r] ==
				    without.point[i].y[r]);
}

static void without_cycles_ns_are_taken(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < curve.n; i++)
		for (uint32_t r = 0; r < curve.at[i].n; r++)
			curve.at[i].cycles[r] = NAN;
	take();
	mp_cpu_steady(&curve, 2048 * KIB, 8192 * KIB, &data);
	assert_true(fabs(slope()->y[2] / slope()->y[17] - 1) < 0.01);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_change_beyond_the_level_is_taken_out),
		TEST(a_disturbed_replicate_beyond_moves_no_other),
		TEST(with_too_little_beyond_nothing_is_changed),
		TEST(a_length_looked_at_in_a_part_of_the_time_has_no_share),
		TEST(without_cycles_ns_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
