// SPDX-License-Identifier: GPL-2.0
/*
 * One store: which set a line belongs to, what hits and what makes room, by
 * small cases worked out by hand and against a plain model of LRU and FIFO.
 */
#include "backend/sim_cache.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_machine.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define REACH (1u << 20)
#define LINE 64u

struct store {
	struct mp_sim_cache cache;
	struct mp_rng rng;
	void *state;
};

static struct mp_sim_shape shape_of(uint64_t lines, uint32_t ways,
				    uint32_t policy)
{
	return (struct mp_sim_shape){
		.lines = lines,
		.ways = ways,
		.slices = 1,
		.line_bytes = LINE,
		.sector_bytes = LINE,
		.policy = policy,
	};
}

static void make(struct store *store, const struct mp_sim_shape *shape)
{
	assert_int_equal(mp_sim_cache_init(&store->cache, shape, REACH), 0);
	store->state = aligned_alloc(64, mp_sim_cache_bytes(&store->cache));
	assert_non_null(store->state);
	memset(store->state, 0, mp_sim_cache_bytes(&store->cache));
	mp_rng_seed(&store->rng, 1);
	mp_sim_cache_attach(&store->cache, store->state, &store->rng);
}

static void destroy(struct store *store)
{
	free(store->state);
}

static uint64_t set_of(struct store *store, uint64_t at)
{
	uint64_t set;

	mp_sim_cache_sets(&store->cache, &at, &at, 1, &set);
	return set;
}

static bool touch(struct store *store, uint64_t at)
{
	return mp_sim_cache_touch(&store->cache, set_of(store, at), at);
}

static uint64_t victim(const struct store *store)
{
	uint64_t at;

	return mp_sim_cache_victim(&store->cache, &at) ? at : UINT64_MAX;
}

static void consecutive_lines_go_to_consecutive_sets(void **state)
{
	static const uint64_t sets[] = { 1, 64, 20480 / 16, 24576 / 8, 37 };
	struct mp_sim_shape shape;
	struct store store;

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		shape = shape_of(sets[i] * 4, 4, MP_SIM_LRU);
		make(&store, &shape);
		for (uint64_t line = 0; line < 3 * sets[i]; line++) {
			assert_int_equal(set_of(&store, line * LINE),
					 line % sets[i]);
			assert_int_equal(set_of(&store, line * LINE + 63),
					 line % sets[i]);
		}
		destroy(&store);
	}
}

static void any_number_of_sets_divides_any_address(void **state)
{
	struct mp_sim_cache cache;
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 6);
	for (uint32_t i = 0; i < 20000; i++) {
		/* Of all magnitudes: up to 2^26 sets, and 2^46 bytes. */
		const uint64_t sets = 1 + mp_rng_below(&rng,
						1ull << (1 + i % 26));
		const struct mp_sim_shape shape = shape_of(sets, 1, MP_SIM_LRU);
		const uint64_t at = mp_rng_below(&rng, 1ull << (7 + i % 40));
		uint64_t set;

		assert_int_equal(mp_sim_cache_init(&cache, &shape, REACH), 0);
		cache.is_large = false;
		mp_sim_cache_sets(&cache, &at, &at, 1, &set);
		assert_true(set == at / LINE % sets);
	}
}

static void the_set_comes_from_the_address_that_is_stated(void **state)
{
	const uint64_t virtual = 3 * LINE, physical = 5 * LINE;
	struct mp_sim_shape shape = shape_of(64, 4, MP_SIM_LRU);
	struct store store;
	uint64_t set;

	(void)state;
	make(&store, &shape);
	mp_sim_cache_sets(&store.cache, &virtual, &physical, 1, &set);
	assert_int_equal(set, 5);
	destroy(&store);
	shape.by_virtual = true;
	make(&store, &shape);
	mp_sim_cache_sets(&store.cache, &virtual, &physical, 1, &set);
	assert_int_equal(set, 3);
	destroy(&store);
}

static void slices_fill_evenly(void **state)
{
	static const uint32_t slices[] = { 2, 6, 10, 8 };
	struct mp_sim_shape shape;
	struct store store;
	uint32_t *lines;

	(void)state;
	for (size_t i = 0; i < COUNT(slices); i++) {
		shape = shape_of(64ull * 4 * slices[i], 4, MP_SIM_LRU);
		shape.slices = slices[i];
		make(&store, &shape);
		lines = calloc(store.cache.sets, sizeof(*lines));
		assert_non_null(lines);
		for (uint64_t line = 0; line < shape.lines; line++)
			lines[set_of(&store, line * LINE)]++;
		/* Consecutive lines that it holds in all fill every set. */
		for (uint64_t set = 0; set < store.cache.sets; set++)
			assert_int_equal(lines[set], 4);
		free(lines);
		destroy(&store);
	}
}

static void neighbouring_lines_are_spread_over_slices(void **state)
{
	struct mp_sim_shape shape = shape_of(64 * 4 * 6, 4, MP_SIM_LRU);
	uint32_t changes = 0;
	struct store store;

	(void)state;
	shape.slices = 6;
	make(&store, &shape);
	for (uint64_t line = 0; line < 63; line++)
		changes += set_of(&store, line * LINE) / 64 !=
			   set_of(&store, (line + 1) * LINE) / 64;
	/* Five of six neighbours lie in other slices; no fewer than half. */
	assert_true(changes > 31);
	destroy(&store);
}

/* The plainest possible model of one set: an array, searched and moved. */
struct model {
	uint64_t line[600];
	uint32_t n;
	uint32_t ways;
	bool promote;
};

static bool model_touch(struct model *model, uint64_t line, uint64_t *put_out)
{
	uint32_t at = 0;
	bool hit;

	*put_out = UINT64_MAX;
	while (at < model->n && model->line[at] != line)
		at++;
	hit = at < model->n;
	if (hit && !model->promote)
		return true;
	if (!hit && model->n == model->ways)
		*put_out = model->line[--at];
	else if (!hit)
		model->n++;
	memmove(model->line + 1, model->line, at * sizeof(model->line[0]));
	model->line[0] = line;
	return hit;
}

static void assert_like_model(uint32_t ways, uint32_t policy)
{
	const struct mp_sim_shape shape = shape_of(ways, ways, policy);
	struct model model = {
		.ways = ways,
		.promote = policy == MP_SIM_LRU,
	};
	struct mp_rng rng;
	struct store store;
	uint64_t put_out, line;

	make(&store, &shape);
	mp_rng_seed(&rng, ways);
	for (uint32_t i = 0; i < 4000; i++) {
		line = mp_rng_below(&rng, ways + ways / 2 + 2);
		assert_int_equal(touch(&store, line * LINE),
				 model_touch(&model, line, &put_out));
		assert_true(victim(&store) == (put_out == UINT64_MAX ?
					       UINT64_MAX : put_out * LINE));
	}
	destroy(&store);
}

static void lru_and_fifo_are_what_they_are_called(void **state)
{
	static const uint32_t ways[] = { 1, 2, 3, 4, 5, 8, 11, 12, 13, 16, 17,
					 48, 512 };

	(void)state;
	for (size_t i = 0; i < COUNT(ways); i++) {
		assert_like_model(ways[i], MP_SIM_LRU);
		assert_like_model(ways[i], MP_SIM_FIFO);
	}
}

static void wide_sets_are_like_narrow_ones(void **state)
{
	const struct mp_sim_shape shape = shape_of(2 * 20, 20, MP_SIM_LRU);
	struct store store;

	(void)state;
	/* More than one set: words in order, however many ways. */
	make(&store, &shape);
	assert_int_equal(store.cache.layout, MP_SIM_ORDERED);
	for (uint64_t line = 0; line < 42; line++)
		assert_false(touch(&store, line * LINE));
	assert_false(touch(&store, 0));
	assert_true(touch(&store, 4 * LINE));
	assert_false(touch(&store, 2 * LINE));
	assert_int_equal(victim(&store), 6 * LINE);
	destroy(&store);
}

static void as_many_lines_as_ways_stay_and_one_more_does_not(void **state)
{
	const struct mp_sim_shape shape = shape_of(8 * 16, 8, MP_SIM_LRU);
	struct store store;
	uint32_t hits = 0;

	(void)state;
	make(&store, &shape);
	for (uint32_t i = 0; i < 8 * 4; i++)
		hits += touch(&store, i % 8 * 16 * LINE);
	assert_int_equal(hits, 8 * 3);
	for (uint32_t i = 0; i < 9 * 4; i++)
		hits += touch(&store, (1 + i % 9) * 16 * LINE);
	/* Lines 1 .. 7 are still there once; then nine chase one another. */
	assert_int_equal(hits, 8 * 3 + 7);
	destroy(&store);
}

static void a_tree_of_four_ways_gives_this_very_sequence(void **state)
{
	static const char want[] = "mmmmm" "mhmmm" "mm";
	const struct mp_sim_shape shape = shape_of(4, 4, MP_SIM_TREE_PLRU);
	struct store store;

	(void)state;
	/* Five lines A .. E in turn. E takes way 0 from A; A way 2 from C;
	 * B hits; C takes 3 from D; D 0 from E; E 2 from A; A 1 from B. */
	make(&store, &shape);
	for (uint32_t i = 0; want[i]; i++)
		assert_int_equal(touch(&store, i % 5 * LINE), want[i] == 'h');
	destroy(&store);
}

static void empty_ways_are_filled_before_anything_is_put_out(void **state)
{
	struct mp_sim_shape shape;
	struct store store;

	(void)state;
	for (uint32_t policy = 0; policy <= MP_SIM_QLRU; policy++) {
		shape = shape_of(8, 8, policy);
		make(&store, &shape);
		for (uint64_t line = 0; line < 8; line++) {
			assert_false(touch(&store, line * LINE));
			assert_true(victim(&store) == UINT64_MAX);
		}
		for (uint64_t line = 0; line < 8; line++)
			assert_true(touch(&store, line * LINE));
		assert_false(touch(&store, 8 * LINE));
		assert_true(victim(&store) < 8 * LINE);
		assert_false(touch(&store, victim(&store)));
		destroy(&store);
	}
}

static void take_out(uint32_t policy, uint64_t gone)
{
	const struct mp_sim_shape shape = shape_of(8, 8, policy);
	struct store store;

	make(&store, &shape);
	for (uint64_t line = 0; line < 8; line++)
		touch(&store, line * LINE);
	assert_true(mp_sim_cache_take(&store.cache, 0, gone * LINE));
	assert_false(mp_sim_cache_take(&store.cache, 0, gone * LINE));
	assert_false(touch(&store, 9 * LINE));
	assert_true(victim(&store) == UINT64_MAX);
	for (uint64_t line = 0; line < 8; line++) {
		if (line != gone)
			assert_true(touch(&store, line * LINE));
	}
	destroy(&store);
}

static void a_line_that_is_taken_out_leaves_a_hole(void **state)
{
	(void)state;
	for (uint32_t policy = 0; policy <= MP_SIM_QLRU; policy++) {
		for (uint64_t gone = 0; gone < 8; gone++)
			take_out(policy, gone);
	}
}

static void a_sector_is_fetched_without_putting_anything_out(void **state)
{
	struct mp_sim_shape shape = shape_of(2, 2, MP_SIM_LRU);
	struct store store;

	(void)state;
	shape.line_bytes = 128;
	shape.sector_bytes = 32;
	for (uint32_t policy = 0; policy <= MP_SIM_QLRU; policy++) {
		shape.policy = policy;
		make(&store, &shape);
		assert_false(touch(&store, 0));
		assert_false(touch(&store, 128));
		assert_false(touch(&store, 32));
		assert_true(victim(&store) == UINT64_MAX);
		assert_true(touch(&store, 0));
		assert_true(touch(&store, 63));
		assert_false(touch(&store, 64));
		assert_true(touch(&store, 128));
		destroy(&store);
	}
}

static void lines_wider_than_the_stride_are_shared(void **state)
{
	struct mp_sim_shape shape = shape_of(8, 8, MP_SIM_LRU);
	struct store store;

	(void)state;
	shape.line_bytes = 128;
	shape.sector_bytes = 128;
	make(&store, &shape);
	assert_false(touch(&store, 0));
	assert_true(touch(&store, 64));
	assert_false(touch(&store, 128));
	destroy(&store);
}

static void a_neighbour_leaves_a_share_of_the_ways(void **state)
{
	struct mp_sim_shape shape;
	struct store store;
	uint64_t room;

	(void)state;
	for (uint32_t policy = 0; policy <= MP_SIM_QLRU; policy++) {
		shape = shape_of(1024 * 8, 8, policy);
		make(&store, &shape);
		for (uint64_t line = 0; line < shape.lines; line++)
			touch(&store, line * LINE);
		mp_sim_cache_limit(&store.cache, 0.45);
		room = 0;
		for (uint64_t line = 0; line < shape.lines; line++)
			room += mp_sim_cache_take(&store.cache, line % 1024,
						  line * LINE);
		/* 4.4 ways a set: four in some sets, five in others. */
		assert_in_range(room, 8 * 1024 * 54 / 100,
				8 * 1024 * 56 / 100);
		destroy(&store);
	}
}

static void what_a_neighbour_holds_is_not_filled(void **state)
{
	struct mp_sim_shape shape;
	struct store store;

	(void)state;
	for (uint32_t policy = 0; policy <= MP_SIM_QLRU; policy++) {
		shape = shape_of(8 * 16, 8, policy);
		make(&store, &shape);
		mp_sim_cache_limit(&store.cache, 0.5);
		for (uint64_t i = 0; i < 4; i++)
			assert_false(touch(&store, i * 16 * LINE));
		for (uint64_t i = 0; i < 4; i++)
			assert_true(touch(&store, i * 16 * LINE));
		assert_false(touch(&store, 4 * 16 * LINE));
		assert_true(victim(&store) != UINT64_MAX);
		mp_sim_cache_limit(&store.cache, 0);
		assert_false(touch(&store, 5 * 16 * LINE));
		assert_true(victim(&store) == UINT64_MAX);
		destroy(&store);
	}
}

static void one_way_is_always_left(void **state)
{
	const struct mp_sim_shape shape = shape_of(4 * 4, 4, MP_SIM_LRU);
	struct store store;

	(void)state;
	make(&store, &shape);
	mp_sim_cache_limit(&store.cache, 0.99);
	assert_false(touch(&store, 0));
	assert_true(touch(&store, 0));
	destroy(&store);
}

static void tags_that_do_not_fit_are_refused(void **state)
{
	struct mp_sim_shape shape = shape_of(64, 4, MP_SIM_LRU);
	struct mp_sim_cache cache;

	(void)state;
	assert_int_equal(mp_sim_cache_init(&cache, &shape, 512ull << 20), 0);
	assert_int_equal(mp_sim_cache_init(&cache, &shape, 1ull << 40),
			 -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(consecutive_lines_go_to_consecutive_sets),
		cmocka_unit_test(any_number_of_sets_divides_any_address),
		cmocka_unit_test(
			the_set_comes_from_the_address_that_is_stated),
		cmocka_unit_test(slices_fill_evenly),
		cmocka_unit_test(neighbouring_lines_are_spread_over_slices),
		cmocka_unit_test(lru_and_fifo_are_what_they_are_called),
		cmocka_unit_test(wide_sets_are_like_narrow_ones),
		cmocka_unit_test(
			as_many_lines_as_ways_stay_and_one_more_does_not),
		cmocka_unit_test(a_tree_of_four_ways_gives_this_very_sequence),
		cmocka_unit_test(
			empty_ways_are_filled_before_anything_is_put_out),
		cmocka_unit_test(a_line_that_is_taken_out_leaves_a_hole),
		cmocka_unit_test(
			a_sector_is_fetched_without_putting_anything_out),
		cmocka_unit_test(lines_wider_than_the_stride_are_shared),
		cmocka_unit_test(a_neighbour_leaves_a_share_of_the_ways),
		cmocka_unit_test(what_a_neighbour_holds_is_not_filled),
		cmocka_unit_test(one_way_is_always_left),
		cmocka_unit_test(tags_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
