// SPDX-License-Identifier: GPL-2.0
/*
 * Edges and miss shapes against sets that are simulated line by line here,
 * with none of the formulas that the fit goes by.
 */
#include "analysis/edge_kept.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rng.h"

#define WAYS_MAX 32u
#define TURNS 24u
/* Limits no further apart count as measured. */
#define MEASURED 1.29

enum policy { LRU, RANDOM };

static const struct mp_miss_table *table;

/* Misses of a set of @ways ways that is walked round over @lines lines. */
static double set_misses(enum policy policy, uint32_t lines, uint32_t ways,
			 struct mp_rng *rng)
{
	uint32_t held[WAYS_MAX], used = 0, misses = 0, counted = 0;

	for (uint32_t t = 0; t < lines * TURNS; t++) {
		uint32_t line = t % lines, w = 0;

		while (w < used && held[w] != line)
			w++;
		if (t >= lines * TURNS / 3) {
			counted++;
			misses += w == used;
		}
		if (w == used && used < ways) {
			used++;
		} else if (w == used && policy == RANDOM) {
			held[mp_rng_below(rng, ways)] = line;
			continue;
		} else if (w == used) {
			w = ways - 1;
		}
		/* Front of the list = most recently used. */
		if (policy == LRU) {
			memmove(held + 1, held, w * sizeof(*held));
			held[0] = line;
		} else if (w < used && held[w] != line) {
			held[w] = line;
		}
	}
	return (double)misses / counted;
}

/* Mean latency of a ring over so many pages (or lines) put on sets. */
static double ring_cycles(enum policy policy, bool scattered, uint32_t lines,
			  uint32_t sets, uint32_t ways, struct mp_rng *rng)
{
	uint32_t *in_set = calloc(sets, sizeof(*in_set));
	double missed = 0;

	assert_non_null(in_set);
	for (uint32_t i = 0; i < lines; i++)
		in_set[scattered ? mp_rng_below(rng, sets) : i % sets]++;
	for (uint32_t s = 0; s < sets; s++)
		if (in_set[s])
			missed += in_set[s] *
				  set_misses(policy, in_set[s], ways, rng);
	free(in_set);
	return 14 + 36 * missed / lines;
}

static void make(struct mp_edge_data *data, enum policy policy, bool scattered,
		 uint32_t sets, uint32_t ways, double noise, uint64_t seed)
{
	double capacity = (double)sets * ways;
	struct mp_rng rng;

	memset(data, 0, sizeof(*data));
	mp_rng_seed(&rng, seed);
	data->scatters = MP_EDGE_ANY;
	data->from = capacity / 2.7;
	data->to = capacity * 2.7;
	for (int k = -16; k <= 16; k++) {
		struct mp_edge_point *p = &data->point[data->n++];
		uint32_t lines = (uint32_t)(capacity * exp2(k / 8.0));

		p->x = lines;
		/* Each has its own placement: it takes more of them. */
		p->n = scattered ? 9 : 5;
		for (uint32_t r = 0; r < p->n; r++) {
			double u = (double)mp_rng_below(&rng, 1000) / 1000;

			p->y[r] = ring_cycles(policy, scattered, lines, sets,
					      ways, &rng) *
				  (1 + noise * (u - 0.5));
		}
	}
}

static void check(enum policy policy, bool scattered, uint32_t sets,
		  uint32_t ways, double noise, double off)
{
	double capacity = (double)sets * ways;
	struct mp_edge_data data;
	struct mp_edge edge;

	make(&data, policy, scattered, sets, ways, noise, sets + ways);
	assert_int_equal(mp_edge_fit(&data, table, 1, &edge), 0);
	if (fabs(edge.size / capacity - 1) > off ||
	    edge.low > capacity * 1.001 || edge.high < capacity * 0.999)
		fail_msg("%s %s %u sets %u ways: %.0f [%.0f %.0f], not %.0f",
			 policy == LRU ? "lru" : "random",
			 scattered ? "scattered" : "even", sets, ways,
			 edge.size, edge.low, edge.high, capacity);
	assert_true(fabs(edge.inside - 14) < 1);
	assert_true(fabs(edge.outside - 50) < 3);
}

static void a_sharp_edge_is_found_to_a_few_percent(void **state)
{
	(void)state;
	check(LRU, false, 64, 8, 0, 0.03);
	check(LRU, false, 64, 12, 0.01, 0.03);
	check(LRU, false, 24, 4, 0.01, 0.05);
	check(LRU, false, 1024, 16, 0.02, 0.03);
}

static void random_replacement_does_not_push_the_capacity_up(void **state)
{
	(void)state;
	check(RANDOM, false, 64, 8, 0.01, 0.06);
	check(RANDOM, false, 256, 16, 0.01, 0.06);
	check(RANDOM, false, 64, 4, 0.01, 0.08);
}

static void scattered_pages_do_not_pull_the_capacity_down(void **state)
{
	(void)state;
	check(LRU, true, 64, 8, 0.01, 0.1);
	check(LRU, true, 256, 16, 0.01, 0.1);
	check(RANDOM, true, 128, 8, 0.01, 0.125);
}

static void limits_are_narrow_where_the_edge_is_sharp(void **state)
{
	struct mp_edge_data data;
	struct mp_edge edge;

	(void)state;
	make(&data, LRU, false, 64, 8, 0.01, 3);
	assert_int_equal(mp_edge_fit(&data, table, 1, &edge), 0);
	assert_true(edge.high / edge.low < 1.15);
	assert_true(edge.misfit < 0.05);
}

static void a_capacity_that_moves_shows_in_single_replicates(void **state)
{
	struct mp_edge_data still, moved;
	struct mp_edge edge;

	(void)state;
	make(&still, RANDOM, false, 512, 16, 0.01, 3);
	assert_int_equal(mp_edge_fit(&still, table, 1, &edge), 0);
	assert_true(edge.n_seen > 20);
	assert_true(edge.seen_high / edge.seen_low < 1.15);
	assert_true(edge.sway < 1.15);
	/* Replicates 1 and 3 see half of it. */
	make(&moved, RANDOM, false, 256, 16, 0.01, 3);
	for (uint32_t i = 8; i < still.n; i++) {
		still.point[i - 8].y[1] = moved.point[i].y[1];
		still.point[i - 8].y[3] = moved.point[i].y[3];
	}
	for (uint32_t i = still.n - 8; i < still.n; i++)
		still.point[i].y[1] = still.point[i].y[3] = 50;
	assert_int_equal(mp_edge_fit(&still, table, 1, &edge), 0);
	assert_true(edge.sway > 1.5);
	if (edge.seen_high / edge.seen_low < 1.6)
		fail_msg("%.0f to %.0f", edge.seen_low, edge.seen_high);
}

/*
 * Shares of misses of a level whose sets have room for some small pages side
 * by side; each replicate throws its pages anew.
 */
static void throw_pages(struct mp_edge_data *data, enum policy policy,
			uint32_t ways, uint32_t places)
{
	double capacity = 4096.0 * places * ways;
	struct mp_rng rng;

	memset(data, 0, sizeof(*data));
	mp_rng_seed(&rng, 21 + places);
	data->scatters = MP_EDGE_EVEN | MP_EDGE_RANDOM;
	data->page_bytes = 4096;
	data->from = capacity / 2.7;
	data->to = capacity * 2.7;
	for (int k = -12; k <= 12; k++) {
		struct mp_edge_point *p = &data->point[data->n++];
		uint32_t pages = (uint32_t)round(places * ways *
						 exp2(k / 8.0));

		p->x = 4096.0 * pages;
		p->n = 16;
		for (uint32_t r = 0; r < p->n; r++)
			p->y[r] = (ring_cycles(policy, true, pages, places, ways,
					       &rng) - 14) / 36;
	}
}

/* How replicates differ tells few places from many, and so the ways. */
static void the_spread_of_replicates_has_a_say_in_the_capacity(void **state)
{
	struct mp_edge_data data;
	struct mp_edge mean, both;
	double capacity = 4096.0 * 8 * 8;

	(void)state;
	throw_pages(&data, LRU, 8, 8);
	assert_int_equal(mp_edge_fit(&data, table, 1, &mean), 0);
	data.is_share = true;
	assert_int_equal(mp_edge_fit(&data, table, 1, &both), 0);
	assert_true(both.low <= capacity && capacity <= both.high);
	if (both.high / both.low > MEASURED ||
	    both.high / both.low > mean.high / mean.low)
		fail_msg("[%g %g], by the mean alone [%g %g]",
			 both.low / 1024, both.high / 1024, mean.low / 1024,
			 mean.high / 1024);
	assert_true(table->shape[both.shape].scatter == 1);
	throw_pages(&data, LRU, 4, 16);
	data.is_share = true;
	assert_int_equal(mp_edge_fit(&data, table, 1, &both), 0);
	assert_true(both.low <= capacity && capacity <= both.high);
}

/* One hop in eight is the first to a page; from some length on what translates
 * it is no longer known, and that takes as long as a miss. */
static void walks_at_the_end_of_an_edge_do_not_move_it(void **state)
{
	const double capacity = 4096.0 * 22 * 32;
	struct mp_edge_data data;
	struct mp_edge edge;

	(void)state;
	throw_pages(&data, RANDOM, 22, 32);
	data.is_share = true;
	for (uint32_t i = 0; i < data.n; i++)
		for (uint32_t r = 0; r < data.point[i].n &&
				     data.point[i].x > 1.45 * capacity; r++)
			data.point[i].y[r] += (1 - data.point[i].y[r]) / 8;
	assert_int_equal(mp_edge_fit(&data, table, 1, &edge), 0);
	if (edge.low > capacity || edge.high < capacity ||
	    fabs(edge.size / capacity - 1) > 0.1)
		fail_msg("%g [%g %g], it is %g", edge.size / 1024,
			 edge.low / 1024, edge.high / 1024, capacity / 1024);
}

/* A level that is no larger than a page a way has one place for all of them:
 * where they lie makes no difference, and none is allowed for. */
static void pages_that_make_no_difference_are_no_doubt(void **state)
{
	static const uint32_t sets[] = { 16, 32 };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const double capacity = 64.0 * 16 * sets[i];
		struct mp_edge_data data = {
			.scatters = MP_EDGE_EVEN | MP_EDGE_RANDOM,
			.page_bytes = 4096, .is_share = true,
			.from = capacity / 2.7, .to = capacity * 2.7,
		};
		struct mp_edge edge;
		struct mp_rng rng;

		mp_rng_seed(&rng, 4 + i);
		for (int k = -16; k <= 16; k++) {
			struct mp_edge_point *p = &data.point[data.n++];

			p->x = round(capacity / 64 * exp2(k / 12.0)) * 64;
			p->n = 12;
			for (uint32_t r = 0; r < p->n; r++)
				p->y[r] = (ring_cycles(RANDOM, false,
						       (uint32_t)(p->x / 64),
						       sets[i], 16, &rng) -
					   14) / 36;
		}
		assert_int_equal(mp_edge_fit(&data, table, 1, &edge), 0);
		if (edge.low > capacity || edge.high < capacity ||
		    edge.high > edge.low * 1.15)
			fail_msg("%g [%g %g]", edge.size, edge.low, edge.high);
	}
}

/* Neither even nor thrown page by page: it must not make the limits narrow. */
static void a_spread_that_no_shape_has_is_not_heard(void **state)
{
	struct mp_edge_data data;
	struct mp_edge mean, both;

	(void)state;
	throw_pages(&data, LRU, 8, 8);
	for (uint32_t i = 0; i < data.n; i++) {
		struct mp_edge_point *p = &data.point[i];
		double sum = 0;

		/* All replicates alike, as where all have the same pages. */
		for (uint32_t r = 0; r < p->n; r++)
			sum += p->y[r] / p->n;
		for (uint32_t r = 0; r < p->n; r++)
			p->y[r] = sum;
	}
	assert_int_equal(mp_edge_fit(&data, table, 1, &mean), 0);
	data.is_share = true;
	assert_int_equal(mp_edge_fit(&data, table, 1, &both), 0);
	assert_true(both.low <= 4096.0 * 64 && both.high >= 4096.0 * 64);
	assert_true(both.low <= mean.low * 1.05 &&
		    both.high >= mean.high / 1.05);
}

static void no_edge_is_not_an_edge(void **state)
{
	struct mp_edge_data data;
	struct mp_edge edge;

	(void)state;
	make(&data, LRU, false, 64, 8, 0, 3);
	data.n = 3;
	assert_int_equal(mp_edge_fit(&data, table, 1, &edge), -ENODATA);
	make(&data, LRU, false, 64, 8, 0, 3);
	for (uint32_t i = 0; i < data.n; i++)
		for (uint32_t r = 0; r < data.point[i].n; r++)
			data.point[i].y[r] = 100.0 - i;
	assert_int_equal(mp_edge_fit(&data, table, 1, &edge), -ENODATA);
}

static void miss_shares_match_simulated_sets(void **state)
{
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 5);
	for (uint32_t ways = 2; ways <= 32; ways *= 2) {
		for (uint32_t lines = 1; lines <= 3 * ways; lines++) {
			double sum = 0;

			for (int i = 0; i < 40; i++)
				sum += set_misses(RANDOM, lines, ways, &rng);
			if (fabs(sum / 40 - mp_miss_random(lines, ways)) > 0.05)
				fail_msg("%u lines in %u ways: %.3f, not %.3f",
					 lines, ways,
					 mp_miss_random(lines, ways), sum / 40);
		}
	}
}

static void half_of_the_hops_miss_a_third_above_a_random_capacity(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		const struct mp_miss_shape *shape = &table->shape[s];

		if (shape->scatter != 0 || shape->ways != 64 ||
		    shape->policy != MP_MISS_RANDOM)
			continue;
		assert_true(fabs(mp_miss_lookup(table, s, 1.386) - 0.5) < 0.03);
		assert_true(mp_miss_lookup(table, s, 1) < 0.001);
		return;
	}
	fail();
}

static void shares_rise_from_none_to_all(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		double before = 0;

		for (double x = 1.0 / 32; x < 32; x *= 1.07) {
			double miss = mp_miss_lookup(table, s, x);

			assert_true(miss >= before - 0.02);
			assert_true(miss <= 1.000001);
			before = miss;
		}
		assert_true(before > 0.999);
	}
}

/* Where only larger capacities are tried the best is the least of them: it is
 * looked for below. Where only smaller ones are it is not looked for above. */
static void a_capacity_is_looked_for_below_what_is_tried(void **state)
{
	struct mp_edge_data data;
	struct mp_edge edge;

	(void)state;
	make(&data, LRU, false, 64, 8, 0, 1);
	data.from = 700;
	assert_int_equal(mp_edge_fit_inside(&data, table, 1, &edge), 0);
	assert_true(fabs(edge.size / 512 - 1) < 0.05 && data.from < 500);
	make(&data, LRU, false, 64, 8, 0, 1);
	data.to = 400;
	assert_int_equal(mp_edge_fit_inside(&data, table, 1, &edge), 0);
	assert_true(edge.size < 400 * 1.02 && data.to < 401);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sharp_edge_is_found_to_a_few_percent),
		cmocka_unit_test(random_replacement_does_not_push_the_capacity_up),
		cmocka_unit_test(scattered_pages_do_not_pull_the_capacity_down),
		cmocka_unit_test(limits_are_narrow_where_the_edge_is_sharp),
		cmocka_unit_test(a_capacity_that_moves_shows_in_single_replicates),
		cmocka_unit_test(the_spread_of_replicates_has_a_say_in_the_capacity),
		cmocka_unit_test(walks_at_the_end_of_an_edge_do_not_move_it),
		cmocka_unit_test(pages_that_make_no_difference_are_no_doubt),
		cmocka_unit_test(a_spread_that_no_shape_has_is_not_heard),
		cmocka_unit_test(no_edge_is_not_an_edge),
		cmocka_unit_test(miss_shares_match_simulated_sets),
		cmocka_unit_test(half_of_the_hops_miss_a_third_above_a_random_capacity),
		cmocka_unit_test(shares_rise_from_none_to_all),
		cmocka_unit_test(a_capacity_is_looked_for_below_what_is_tried),
	};

	table = mp_miss_table_get();
	return cmocka_run_group_tests_name("edge", tests, NULL, NULL);
}
