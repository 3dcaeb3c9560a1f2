// SPDX-License-Identifier: GPL-2.0
/*
 * Pages thrown on the places of a level, against throws that are made here
 * one by one with none of the formulas.
 */
#include "analysis/places.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rng.h"

#define PAGE 4096.0
#define THROWS 4000u
#define PLACES_MAX 128u

static const struct mp_miss_table *table;

/* What many throws of pages on places make of a share. */
struct seen {
	double mean;
	double variance;
};

static uint32_t shape_of(double scatter, uint32_t ways, uint32_t policy)
{
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		const struct mp_miss_shape *shape = &table->shape[s];

		if (shape->scatter == scatter && shape->ways == ways &&
		    shape->policy == policy)
			return s;
	}
	fail_msg("no shape: scatter %g, %u ways, policy %u", scatter, ways,
		 policy);
	return 0;
}

/* Of a place with more pages than ways under LRU all miss; else as the table
 * has it of one set, which other tests hold against simulated sets. */
static double place_misses(uint32_t shape, uint32_t pages)
{
	const struct mp_miss_shape *s = &table->shape[shape];

	if (s->policy == MP_MISS_LRU)
		return pages > s->ways ? 1 : 0;
	assert_true(pages < MP_MISS_SET);
	return table->set[shape % (MP_MISS_POLICIES * MP_MISS_WAYS)][pages];
}

/* A page falls on one of @places, each as likely. */
static double throw_once(uint32_t shape, double places, uint32_t pages,
			 struct mp_rng *rng)
{
	uint32_t on[PLACES_MAX] = { 0 };
	double missed = 0;

	for (uint32_t i = 0; i < pages; i++)
		on[mp_rng_below(rng, (uint32_t)places)]++;
	for (uint32_t i = 0; i < (uint32_t)places; i++)
		missed += on[i] * place_misses(shape, on[i]);
	return missed / pages;
}

/*
 * One and a half places: the sets are three halves of a page, and pages lie
 * one behind the other over them, each on two halves that are neighbours.
 */
static double throw_on_halves(uint32_t shape, uint32_t pages,
			      struct mp_rng *rng)
{
	uint32_t on[3] = { 0 };
	double missed = 0;

	for (uint32_t i = 0; i < pages; i++) {
		uint32_t from = (uint32_t)mp_rng_below(rng, 3);

		on[from]++;
		on[(from + 1) % 3]++;
	}
	for (uint32_t i = 0; i < 3; i++)
		missed += on[i] * place_misses(shape, on[i]);
	return missed / (2 * pages);
}

static struct seen throw_all(uint32_t shape, double places, uint32_t pages,
			     uint32_t throws)
{
	double sum = 0, squares = 0;
	struct seen seen;
	struct mp_rng rng;

	mp_rng_seed(&rng, pages * 1000 + (uint64_t)(10 * places));
	for (uint32_t t = 0; t < throws; t++) {
		double share = places == 1.5 ?
			throw_on_halves(shape, pages, &rng) :
			throw_once(shape, places, pages, &rng);

		sum += share;
		squares += share * share;
	}
	seen.mean = sum / throws;
	seen.variance = squares / throws - seen.mean * seen.mean;
	return seen;
}

static double size_of(uint32_t shape, double places)
{
	return places * PAGE * table->shape[shape].ways;
}

static double said(uint32_t shape, double places, uint32_t pages)
{
	const double size = size_of(shape, places);
	const struct mp_places rows = mp_places_of(table, shape, size, PAGE);

	return mp_places_at(&rows, mp_miss_position(pages * PAGE / size));
}

/* Numbers of pages round a capacity. */
static const double part[] = { 0.5, 0.75, 0.9, 1, 1.1, 1.3, 1.6 };
#define PARTS (sizeof(part) / sizeof(part[0]))

static void compare_mean(double places, uint32_t ways, uint32_t policy,
			 double off)
{
	uint32_t shape = shape_of(1, ways, policy);

	for (uint32_t i = 0; i < PARTS; i++) {
		uint32_t pages = (uint32_t)round(part[i] * places * ways);
		double seen = throw_all(shape, places, pages, THROWS).mean;

		if (fabs(said(shape, places, pages) - seen) > off)
			fail_msg("%g places, %u ways, policy %u, %u pages: %.3f, not %.3f",
				 places, ways, policy, pages,
				 said(shape, places, pages), seen);
	}
}

static void pages_thrown_miss_as_often_as_is_said(void **state)
{
	static const double places[] = { 1.5, 2, 3, 8, 100 };

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		compare_mean(places[i], 8, MP_MISS_LRU, 0.02);
		compare_mean(places[i], 16, MP_MISS_LRU, 0.02);
		compare_mean(places[i], 8, MP_MISS_RANDOM, 0.02);
		compare_mean(places[i], 4, MP_MISS_MRU, 0.02);
	}
}

/* Between those that are tabulated. */
static void numbers_of_places_between_rows_are_in_between(void **state)
{
	(void)state;
	compare_mean(5, 8, MP_MISS_LRU, 0.025);
	compare_mean(10, 8, MP_MISS_LRU, 0.025);
	compare_mean(24, 8, MP_MISS_RANDOM, 0.025);
	compare_mean(48, 8, MP_MISS_LRU, 0.025);
}

static void compare_variance(double places, uint32_t ways, uint32_t policy,
			     double off)
{
	uint32_t shape = shape_of(1, ways, policy);

	for (uint32_t i = 0; i < PARTS; i++) {
		uint32_t pages = (uint32_t)round(part[i] * places * ways);
		struct seen seen = throw_all(shape, places, pages, THROWS);
		double variance = mp_places_variance(table, shape,
						     size_of(shape, places),
						     PAGE, pages * PAGE);

		/* Where nearly none or all miss, only that it is small. */
		if (variance > seen.variance * off + 3e-4 ||
		    seen.variance > variance * off + 3e-4)
			fail_msg("%g places, %u ways, policy %u, %u pages: variance %g, not %g",
				 places, ways, policy, pages, variance,
				 seen.variance);
	}
}

static void replicates_differ_by_as_much_as_is_said(void **state)
{
	(void)state;
	compare_variance(3, 8, MP_MISS_LRU, 1.35);
	compare_variance(8, 8, MP_MISS_LRU, 1.2);
	compare_variance(8, 16, MP_MISS_LRU, 1.2);
	compare_variance(8, 8, MP_MISS_RANDOM, 1.25);
	compare_variance(100, 8, MP_MISS_LRU, 1.1);
	compare_variance(100, 8, MP_MISS_MRU, 1.1);
}

/* What one of two places has the other has not, and pages that lie on two of
 * three halves have no place of their own: it is told to a factor. */
static void of_so_few_places_the_spread_is_known_roughly(void **state)
{
	(void)state;
	compare_variance(1.5, 8, MP_MISS_LRU, 2.3);
	compare_variance(2, 8, MP_MISS_LRU, 1.7);
}

static void fewer_places_scatter_less_and_spread_more(void **state)
{
	static const double places[] = { 2, 3, 8, 32, 100 };
	uint32_t shape = shape_of(1, 8, MP_MISS_LRU);

	(void)state;
	for (uint32_t i = 1; i < 5; i++) {
		uint32_t few = (uint32_t)(0.75 * places[i - 1] * 8);
		uint32_t many = (uint32_t)(0.75 * places[i] * 8);

		assert_true(said(shape, places[i - 1], few) <
			    said(shape, places[i], many));
		if (places[i - 1] < 3)
			continue;
		few = (uint32_t)places[i - 1] * 8;
		many = (uint32_t)places[i] * 8;
		assert_true(mp_places_variance(table, shape,
				size_of(shape, places[i - 1]), PAGE,
				few * PAGE) >
			    mp_places_variance(table, shape,
				size_of(shape, places[i]), PAGE,
				many * PAGE));
	}
}

/* A page has one place to go to: lines fall on the sets as they lie in it. */
static void a_single_place_is_filled_evenly(void **state)
{
	uint32_t shape = shape_of(1, 8, MP_MISS_LRU);
	uint32_t even = shape_of(0, 8, MP_MISS_LRU);
	const struct mp_places rows = mp_places_of(table, shape,
						   size_of(shape, 1), PAGE);

	(void)state;
	for (double x = 0.3; x < 3; x *= 1.07)
		assert_true(fabs(mp_places_at(&rows, mp_miss_position(x)) -
				 mp_miss_lookup(table, even, x)) < 1e-3);
	assert_true(isnan(mp_places_variance(table, shape, size_of(shape, 1),
					     PAGE, 6 * PAGE)));
}

static void what_is_not_thrown_page_by_page_stays_what_it_is(void **state)
{
	uint32_t shape = shape_of(1, 8, MP_MISS_LRU);

	(void)state;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s += 7) {
		bool thrown = table->shape[s].scatter == 1;
		const struct mp_places rows =
			mp_places_of(table, s, size_of(s, 3),
				     thrown ? 0 : PAGE);

		for (double x = 0.1; x < 10; x *= 1.3)
			assert_true(fabs(mp_places_at(&rows,
						mp_miss_position(x)) -
					 mp_miss_lookup(table, s, x)) < 1e-6);
	}
	assert_true(isnan(mp_places_variance(table, shape, size_of(shape, 3),
					     PAGE, 0)));
}

static void the_inverse_is_the_least_x_that_misses_so_much(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s += 5) {
		const struct mp_places rows = mp_places_of(table, s,
							   size_of(s, 6), PAGE);

		for (double miss = 0.1; miss < 0.96; miss += 0.17) {
			double x = mp_places_inverse(&rows, miss);
			double at = mp_places_at(&rows, mp_miss_position(x));

			if (at - miss > 0.02 || miss - at > 1e-3)
				fail_msg("shape %u: %.3f misses at %g, not %.3f",
					 s, at, x, miss);
			assert_true(mp_places_at(&rows, mp_miss_position(x) -
						 1.001) < miss);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_thrown_miss_as_often_as_is_said),
		cmocka_unit_test(numbers_of_places_between_rows_are_in_between),
		cmocka_unit_test(replicates_differ_by_as_much_as_is_said),
		cmocka_unit_test(of_so_few_places_the_spread_is_known_roughly),
		cmocka_unit_test(fewer_places_scatter_less_and_spread_more),
		cmocka_unit_test(a_single_place_is_filled_evenly),
		cmocka_unit_test(what_is_not_thrown_page_by_page_stays_what_it_is),
		cmocka_unit_test(the_inverse_is_the_least_x_that_misses_so_much),
	};

	table = mp_miss_table_get();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
