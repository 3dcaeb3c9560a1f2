// SPDX-License-Identifier: GPL-2.0
/*
 * Miss shapes against whole caches that are simulated here, access by access,
 * with none of the formulas that the table is made by.
 */
#include "analysis/miss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rng.h"

#define WAYS_MAX 64u
#define TURNS 30u
#define SETTLED 10u

/* A set: which line is in each way, when it was last used, and its bit. */
struct set {
	uint32_t lines;
	uint32_t line[WAYS_MAX];
	uint32_t used_at[WAYS_MAX];
	bool bit[WAYS_MAX];
};

static const struct mp_miss_table *table;

static uint32_t oldest(const struct set *set, uint32_t ways)
{
	uint32_t way = 0;

	for (uint32_t w = 1; w < ways; w++)
		if (set->used_at[w] < set->used_at[way])
			way = w;
	return way;
}

/* The ways whose bit is clear; with one bit set per use there is always one. */
static uint32_t unused(const struct set *set, uint32_t ways, uint32_t *list)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < ways; w++)
		if (!set->bit[w])
			list[n++] = w;
	assert_true(n > 0);
	return n;
}

static uint32_t victim(const struct set *set, uint32_t policy, uint32_t ways,
		       struct mp_rng *rng)
{
	uint32_t list[WAYS_MAX];

	switch (policy) {
	case MP_MISS_LRU:
		return oldest(set, ways);
	case MP_MISS_RANDOM:
		return (uint32_t)mp_rng_below(rng, ways);
	case MP_MISS_MRU:
		unused(set, ways, list);
		return list[0];
	default:
		return list[mp_rng_below(rng, unused(set, ways, list))];
	}
}

/* One access; true for a miss. @now counts accesses from 1. */
static bool visit(struct set *set, uint32_t line, uint32_t policy,
		  uint32_t ways, uint32_t now, struct mp_rng *rng)
{
	uint32_t way = 0, bits = 0;
	bool miss;

	while (way < ways && !(set->used_at[way] && set->line[way] == line))
		way++;
	miss = way == ways;
	if (miss)
		way = victim(set, policy, ways, rng);
	set->line[way] = line;
	set->used_at[way] = now;
	set->bit[way] = true;
	for (uint32_t w = 0; w < ways; w++)
		bits += set->bit[w];
	if (bits == ways)
		for (uint32_t w = 0; w < ways; w++)
			set->bit[w] = w == way;
	return miss;
}

static double set_misses(struct set *set, uint32_t policy, uint32_t ways,
			 struct mp_rng *rng)
{
	uint32_t now = 0, misses = 0;

	for (uint32_t turn = 0; turn < TURNS; turn++)
		for (uint32_t line = 0; line < set->lines; line++)
			misses += visit(set, line, policy, ways, ++now, rng) &&
				  turn >= SETTLED;
	return (double)misses / (TURNS - SETTLED);
}

/* How the lines of a walk fall on sets. */
static void spread(struct set *set, uint32_t sets, uint32_t lines,
		   bool scattered, struct mp_rng *rng)
{
	for (uint32_t i = 0; i < lines; i++)
		set[scattered ? mp_rng_below(rng, sets) : i % sets].lines++;
}

static double simulated(const struct mp_miss_shape *shape, double x,
			struct mp_rng *rng)
{
	uint32_t sets = shape->scatter > 0 ? 2000 : 64, hops = 0;
	struct set *set = calloc(sets, sizeof(*set));
	double misses = 0;

	assert_non_null(set);
	spread(set, sets, (uint32_t)(x * sets * shape->ways),
	       shape->scatter > 0, rng);
	for (uint32_t s = 0; s < sets; s++) {
		hops += set[s].lines;
		misses += set_misses(&set[s], shape->policy, shape->ways, rng);
	}
	free(set);
	return misses / hops;
}

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

static void compare(double scatter, uint32_t ways, uint32_t policy, double off)
{
	static const double x[] = { 0.4, 0.7, 0.9, 1, 1.03, 1.1, 1.25, 1.5,
				    1.8, 2.5 };
	uint32_t s = shape_of(scatter, ways, policy);
	struct mp_rng rng;

	mp_rng_seed(&rng, ways + 100 * policy);
	for (uint32_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
		double seen = simulated(&table->shape[s], x[i], &rng);
		double said = mp_miss_lookup(table, s, x[i]);

		if (fabs(said - seen) > off)
			fail_msg("%s, scatter %g, %u ways, x = %g: %.3f, not %.3f",
				 mp_miss_policy_name(policy), scatter, ways,
				 x[i], said, seen);
	}
}

static void evenly_filled_sets_miss_as_simulated_ones_do(void **state)
{
	(void)state;
	/* A step of one line in the simulated sets is 1/64 of a way. */
	compare(0, 2, MP_MISS_LRU, 0.02);
	compare(0, 8, MP_MISS_LRU, 0.02);
	compare(0, 16, MP_MISS_LRU, 0.03);
	compare(0, 4, MP_MISS_RANDOM, 0.04);
	compare(0, 8, MP_MISS_RANDOM, 0.04);
	compare(0, 16, MP_MISS_RANDOM, 0.04);
}

static void scattered_lines_miss_as_simulated_ones_do(void **state)
{
	(void)state;
	compare(1, 2, MP_MISS_LRU, 0.03);
	compare(1, 8, MP_MISS_LRU, 0.03);
	compare(1, 16, MP_MISS_LRU, 0.03);
	compare(1, 8, MP_MISS_RANDOM, 0.03);
	compare(1, 16, MP_MISS_RANDOM, 0.03);
}

static void half_the_scatter_misses_more_than_none_and_less_than_all(void **state)
{
	(void)state;
	for (uint32_t p = 0; p < MP_MISS_POLICIES; p++) {
		for (double x = 0.6; x < 0.81; x += 0.05) {
			double half = mp_miss_lookup(table, shape_of(0.5, 8, p),
						     x);

			assert_true(half > 1e-4);
			assert_true(half < mp_miss_lookup(table,
						shape_of(1, 8, p), x) - 1e-3);
		}
	}
}

static void one_bit_a_line_misses_as_simulated_bits_do(void **state)
{
	(void)state;
	compare(0, 4, MP_MISS_MRU, 0.04);
	compare(0, 8, MP_MISS_MRU, 0.04);
	compare(0, 8, MP_MISS_MRU_RANDOM, 0.06);
	compare(1, 8, MP_MISS_MRU, 0.04);
	compare(1, 8, MP_MISS_MRU_RANDOM, 0.04);
}

static void mixed_policies_lie_between_oldest_and_random(void **state)
{
	static const double share[] = { 0, 0.5, 1 };

	(void)state;
	for (uint32_t p = MP_MISS_LRU; p <= MP_MISS_RANDOM; p++) {
		double lru = mp_miss_lookup(table, shape_of(1, 8, MP_MISS_LRU),
					    1.1);
		double random = mp_miss_lookup(table, shape_of(1, 8,
						MP_MISS_RANDOM), 1.1);
		double mixed = mp_miss_lookup(table, shape_of(1, 8, p), 1.1);

		assert_true(lru > random + 0.05);
		assert_true(fabs(mixed - lru + share[p] * (lru - random)) <
			    1e-3);
	}
}

static void a_set_that_is_not_too_full_never_misses(void **state)
{
	(void)state;
	for (uint32_t ways = 1; ways <= WAYS_MAX; ways++) {
		assert_true(mp_miss_random(0, ways) == 0);
		assert_true(mp_miss_random(ways, ways) == 0);
	}
	assert_true(mp_miss_random(2, 1) == 1);
	assert_true(mp_miss_random(64, 4) > 0.999);
}

static void one_line_too_many_misses_twice_a_turn_of_its_ways(void **state)
{
	(void)state;
	/* The line that was thrown out is half a turn away, on average. */
	for (uint32_t ways = 6; ways <= WAYS_MAX; ways++)
		assert_true(fabs(mp_miss_random(ways + 1, ways) -
				 2.0 / (ways + 1)) < 0.01);
}

static void even_shapes_are_flat_up_to_the_capacity(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		const struct mp_miss_shape *shape = &table->shape[s];

		if (shape->scatter != 0)
			continue;
		assert_true(mp_miss_lookup(table, s, 0.3) == 0);
		assert_true(mp_miss_lookup(table, s, 0.98) < 1e-6);
		/* The oldest goes: one line more a set, and all is lost. */
		if (shape->policy == MP_MISS_LRU)
			assert_true(mp_miss_lookup(table, s, 1.02 + 1.0 /
						   shape->ways) > 0.999);
	}
}

static void beyond_its_ends_the_table_goes_on_level(void **state)
{
	const double first = exp2(-MP_MISS_BELOW), last = exp2(MP_MISS_ABOVE);

	(void)state;
	assert_true(fabs(mp_miss_position(first)) < 1e-9);
	assert_true(fabs(mp_miss_position(last) - (MP_MISS_POINTS - 1)) < 1e-9);
	assert_true(fabs(mp_miss_position(2) - mp_miss_position(1) -
			 MP_MISS_GRAIN) < 1e-9);
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		const float *miss = table->miss[s];

		assert_true(mp_miss_lookup(table, s, first / 1000) == miss[0]);
		assert_true(mp_miss_lookup(table, s, 0) == miss[0]);
		assert_true(mp_miss_lookup(table, s, 1000 * last) ==
			    miss[MP_MISS_POINTS - 1]);
		assert_true(mp_miss_at(table, s, MP_MISS_POINTS - 1) ==
			    miss[MP_MISS_POINTS - 1]);
		assert_true(miss[MP_MISS_POINTS - 1] > 0.999);
	}
}

static void between_its_points_the_table_is_a_line(void **state)
{
	uint32_t s = shape_of(1, 8, MP_MISS_LRU);
	const float *miss = table->miss[s];

	(void)state;
	for (uint32_t i = 0; i + 1 < MP_MISS_POINTS; i++) {
		double middle = (miss[i] + miss[i + 1]) / 2.0;

		assert_true(fabs(mp_miss_at(table, s, i + 0.5) - middle) <
			    1e-6);
		assert_true(fabs(mp_miss_at(table, s, i) - miss[i]) < 1e-6);
	}
}

static void the_inverse_is_the_least_x_that_misses_so_much(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		for (double miss = 0.05; miss < 0.96; miss += 0.09) {
			double x = mp_miss_inverse(table, s, miss);
			double at = mp_miss_lookup(table, s, x);

			/* A single way, scattered, misses so much all along. */
			if (miss < table->miss[s][0]) {
				assert_true(x <= exp2(-MP_MISS_BELOW));
				continue;
			}
			if (fabs(at - miss) > 1e-3)
				fail_msg("shape %u: %.3f misses at %g, not %.3f",
					 s, at, x, miss);
			for (double less = x / 1.02; less > 0.07; less /= 1.02)
				assert_true(mp_miss_lookup(table, s, less) <=
					    miss);
		}
	}
}

static void an_inverse_of_all_stays_by_the_table(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < MP_MISS_SHAPES; s++) {
		double most = mp_miss_inverse(table, s, 1);

		assert_true(most > 1 && most < exp2(MP_MISS_ABOVE) * 1.02);
	}
}

static void there_is_one_table_and_every_shape_is_in_it_once(void **state)
{
	(void)state;
	assert_ptr_equal(mp_miss_table_get(), table);
	for (uint32_t a = 0; a < MP_MISS_SHAPES; a++) {
		assert_true(table->shape[a].ways >= 1);
		assert_true(table->shape[a].policy < MP_MISS_POLICIES);
		for (uint32_t b = 0; b < a; b++)
			assert_memory_not_equal(&table->shape[a],
						&table->shape[b],
						sizeof(table->shape[a]));
	}
}

static void every_policy_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (uint32_t a = 0; a < MP_MISS_POLICIES; a++)
		for (uint32_t b = 0; b < a; b++)
			assert_string_not_equal(mp_miss_policy_name(a),
						mp_miss_policy_name(b));
	assert_string_equal(mp_miss_policy_name(MP_MISS_POLICIES), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evenly_filled_sets_miss_as_simulated_ones_do),
		cmocka_unit_test(scattered_lines_miss_as_simulated_ones_do),
		cmocka_unit_test(half_the_scatter_misses_more_than_none_and_less_than_all),
		cmocka_unit_test(one_bit_a_line_misses_as_simulated_bits_do),
		cmocka_unit_test(mixed_policies_lie_between_oldest_and_random),
		cmocka_unit_test(a_set_that_is_not_too_full_never_misses),
		cmocka_unit_test(one_line_too_many_misses_twice_a_turn_of_its_ways),
		cmocka_unit_test(even_shapes_are_flat_up_to_the_capacity),
		cmocka_unit_test(beyond_its_ends_the_table_goes_on_level),
		cmocka_unit_test(between_its_points_the_table_is_a_line),
		cmocka_unit_test(the_inverse_is_the_least_x_that_misses_so_much),
		cmocka_unit_test(an_inverse_of_all_stays_by_the_table),
		cmocka_unit_test(there_is_one_table_and_every_shape_is_in_it_once),
		cmocka_unit_test(every_policy_has_a_name_of_its_own),
	};

	table = mp_miss_table_get();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
