// SPDX-License-Identifier: GPL-2.0
/*
 * A ring must use every slot of its span once a turn, stay inside the span,
 * and be refused where its fields break a rule.
 */
#include "ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* A ring in memory that is exactly as long as its span. */
struct built {
	struct mp_ring ring;
	char *base;
	uint32_t *order;
	uint32_t slots;
	void *first;
};

static struct built build(const struct mp_ring *ring, uint64_t seed)
{
	struct built built = { .ring = *ring };
	struct mp_rng rng;

	assert_int_equal(mp_ring_check(ring), 0);
	built.slots = mp_ring_slots(ring);
	built.base = calloc(1, ring->length_bytes);
	built.order = malloc(built.slots * sizeof(*built.order));
	assert_non_null(built.base);
	assert_non_null(built.order);
	mp_rng_seed(&rng, seed);
	built.first = mp_ring_link(ring, built.base, built.order, &rng);
	return built;
}

static void destroy(struct built *built)
{
	free(built->base);
	free(built->order);
}

/* Walk one turn by the links alone: the order, each slot once, then closed. */
static void assert_one_turn(const struct built *built)
{
	char *at = built->first;
	uint32_t i;

	for (i = 0; i < built->slots; i++) {
		assert_true(at >= built->base);
		assert_true(at + sizeof(void *) <=
			    built->base + built->ring.length_bytes);
		assert_true((uint64_t)(at - built->base) ==
			    mp_ring_offset(&built->ring, built->order[i]));
		at = *(char **)at;
	}
	assert_ptr_equal(at, built->first);
}

static void assert_each_slot_once(const struct built *built)
{
	char *seen = calloc(1, built->slots);
	uint32_t i;

	assert_non_null(seen);
	for (i = 0; i < built->slots; i++) {
		assert_true(built->order[i] < built->slots);
		assert_false(seen[built->order[i]]);
		seen[built->order[i]] = 1;
	}
	free(seen);
}

static void every_slot_is_used_once_a_turn_at_any_stride(void **state)
{
	static const uint64_t strides[] = {
		8, 16, 24, 64, 72, 128, 192, 256, 1024, 4096, 4160, 8192,
	};
	static const uint64_t slots[] = { 1, 2, 3, 15, 16, 17, 18, 200 };
	struct built built;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(strides); i++) {
		for (k = 0; k < COUNT(slots); k++) {
			/* What is left at the end is not enough for a slot. */
			const struct mp_ring ring = {
				.length_bytes = strides[i] * slots[k] +
						strides[i] - 1,
				.stride_bytes = strides[i],
			};

			built = build(&ring, i * 100 + k);
			assert_int_equal(built.slots, slots[k]);
			assert_each_slot_once(&built);
			assert_one_turn(&built);
			destroy(&built);
		}
	}
}

static void the_reach_keeps_the_walk_in_one_window_at_a_time(void **state)
{
	static const uint64_t reaches[] = { 64, 100, 4096, 8192, 65536, 1 << 30 };
	struct built built;
	uint64_t window;
	uint32_t moves, k;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(reaches); i++) {
		const struct mp_ring ring = {
			.length_bytes = 64 * 1000,
			.stride_bytes = 64,
			.reach_bytes = reaches[i],
		};

		built = build(&ring, i);
		assert_each_slot_once(&built);
		assert_one_turn(&built);
		window = reaches[i] / 64;
		moves = 0;
		for (k = 1; k < built.slots; k++)
			moves += built.order[k] / window !=
				 built.order[k - 1] / window;
		assert_int_equal(moves, (built.slots + window - 1) / window - 1);
		destroy(&built);
	}
}

/* What a skew and the small page have in common. */
static uint64_t gcd(uint64_t skew)
{
	return skew & -skew;
}

/* One line of each page, in contiguous memory, in a cache of @sets sets:
 * how many lines does the fullest set get? */
static uint32_t fullest_set(uint32_t pages, uint32_t sets)
{
	const struct mp_ring ring = {
		.length_bytes = 4096ull * pages,
		.stride_bytes = 4096,
		.skew_bytes = 64,
	};
	uint32_t *lines = calloc(sets, sizeof(*lines)), most = 0;

	assert_non_null(lines);
	for (uint32_t slot = 0; slot < pages; slot++) {
		uint32_t set = (uint32_t)(mp_ring_offset(&ring, slot) / 64 %
					  sets);

		if (++lines[set] > most)
			most = lines[set];
	}
	free(lines);
	return most;
}

static void skewed_lines_spread_over_the_sets_of_any_cache(void **state)
{
	(void)state;
	/* Ways of up to 64 pages are filled evenly, larger ones nearly. */
	assert_int_equal(fullest_set(512, 64), 8);
	for (uint32_t sets = 128; sets <= 4096; sets *= 2)
		assert_int_equal(fullest_set(4096, sets), 4096 / sets);
	for (uint32_t sets = 8192; sets <= 65536; sets *= 2)
		assert_in_range(fullest_set(2 * sets, sets), 2, 16);
}

static void a_skew_moves_each_slot_inside_its_own_stride(void **state)
{
	static const uint64_t skews[] = { 8, 64, 72, 4088, 4096, 4160, 1u << 31 };
	struct built built;
	uint64_t offset;
	uint32_t slot;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(skews); i++) {
		const struct mp_ring ring = {
			.length_bytes = 4096 * 130,
			.stride_bytes = 4096,
			.skew_bytes = skews[i],
		};

		built = build(&ring, i);
		assert_each_slot_once(&built);
		assert_one_turn(&built);
		for (slot = 0; slot < built.slots; slot++) {
			uint64_t skew = skews[i] % 4096;

			offset = mp_ring_offset(&ring, slot);
			assert_true(offset / 4096 == slot);
			if (!skew)
				assert_true(offset % 4096 == 0);
			else if (slot < 4096 / skew)
				assert_true(offset % 4096 == slot * skew);
			else
				assert_true(offset % 4096 % gcd(skew) == 0);
		}
		destroy(&built);
	}
}

static void a_stride_of_several_pages_takes_a_skew_too(void **state)
{
	const struct mp_ring ring = {
		.length_bytes = 8192 * 70,
		.stride_bytes = 8192,
		.skew_bytes = 64,
	};
	struct built built = build(&ring, 1);

	(void)state;
	assert_one_turn(&built);
	assert_true(mp_ring_offset(&ring, 3) == 3 * 8192 + 3 * 64);
	assert_true(mp_ring_offset(&ring, 63) == 63 * 8192 + 63 * 64);
	destroy(&built);
}

static void the_first_slot_of_the_order_is_returned(void **state)
{
	const struct mp_ring ring = { .length_bytes = 6400, .stride_bytes = 64 };
	struct built built = build(&ring, 4);

	(void)state;
	assert_ptr_equal(built.first, built.base + 64 * built.order[0]);
	destroy(&built);
}

static void equal_seeds_link_equal_rings_and_others_do_not(void **state)
{
	const struct mp_ring ring = { .length_bytes = 6400, .stride_bytes = 64 };
	struct built a = build(&ring, 4), b = build(&ring, 4);
	struct built c = build(&ring, 5);

	(void)state;
	assert_memory_equal(a.order, b.order, 100 * sizeof(*a.order));
	assert_memory_not_equal(a.order, c.order, 100 * sizeof(*a.order));
	destroy(&a);
	destroy(&b);
	destroy(&c);
}

static void a_ring_that_breaks_a_rule_is_refused(void **state)
{
	static const struct mp_ring bad[] = {
		{ .length_bytes = 4096, .stride_bytes = 0 },
		{ .length_bytes = 4096, .stride_bytes = 4 },
		{ .length_bytes = 4096, .stride_bytes = 60 },
		{ .length_bytes = 63, .stride_bytes = 64 },
		{ .length_bytes = 0, .stride_bytes = 8 },
		{ .length_bytes = 4096, .stride_bytes = 64, .reach_bytes = 63 },
		{ .length_bytes = 4096, .stride_bytes = 64, .skew_bytes = 8 },
		{ .length_bytes = 8192, .stride_bytes = 4096, .skew_bytes = 4 },
		{ .length_bytes = 9000, .stride_bytes = 4104, .skew_bytes = 8 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(mp_ring_check(&bad[i]), -EINVAL);
}

static void a_ring_of_too_many_slots_is_refused(void **state)
{
	struct mp_ring ring = {
		.length_bytes = 64ull * MP_RING_SLOTS_MAX + 63,
		.stride_bytes = 64,
	};

	(void)state;
	assert_int_equal(mp_ring_check(&ring), 0);
	assert_int_equal(mp_ring_slots(&ring), MP_RING_SLOTS_MAX);
	assert_true(mp_ring_offset(&ring, MP_RING_SLOTS_MAX - 1) ==
		    64ull * (MP_RING_SLOTS_MAX - 1));
	ring.length_bytes++;
	assert_int_equal(mp_ring_check(&ring), -E2BIG);
	ring.length_bytes = ~(uint64_t)0;
	assert_int_equal(mp_ring_check(&ring), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_slot_is_used_once_a_turn_at_any_stride),
		cmocka_unit_test(the_reach_keeps_the_walk_in_one_window_at_a_time),
		cmocka_unit_test(skewed_lines_spread_over_the_sets_of_any_cache),
		cmocka_unit_test(a_skew_moves_each_slot_inside_its_own_stride),
		cmocka_unit_test(a_stride_of_several_pages_takes_a_skew_too),
		cmocka_unit_test(the_first_slot_of_the_order_is_returned),
		cmocka_unit_test(equal_seeds_link_equal_rings_and_others_do_not),
		cmocka_unit_test(a_ring_that_breaks_a_rule_is_refused),
		cmocka_unit_test(a_ring_of_too_many_slots_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
