// SPDX-License-Identifier: GPL-2.0
/*
 * Many loads of a store in a row are those loads one by one, and so is one load
 * by the short way: the same misses, and the same bytes of state behind them.
 */
#include "backend/sim_many.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_machine.h"

#define REACH (1u << 20)
#define LINE 64u
#define BLOCKS 2000u

struct store {
	struct mp_sim_cache cache;
	struct mp_rng rng;
	void *state;
};

static void make(struct store *store, const struct mp_sim_shape *shape)
{
	size_t bytes;

	assert_int_equal(mp_sim_cache_init(&store->cache, shape, REACH), 0);
	bytes = mp_sim_cache_bytes(&store->cache);
	store->state = aligned_alloc(64, bytes);
	assert_non_null(store->state);
	memset(store->state, 0, bytes);
	mp_rng_seed(&store->rng, 1);
	mp_sim_cache_attach(&store->cache, store->state, &store->rng);
}

/* Some of a block, in order. */
static uint32_t choose(struct mp_rng *rng, uint16_t *which)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < MP_SIM_BLOCK; k++) {
		which[n] = (uint16_t)k;
		n += mp_rng_below(rng, 4) != 0;
	}
	return n;
}

static void block(struct store *one, struct store *many, struct store *brief,
		  uint64_t span, struct mp_rng *rng)
{
	uint64_t at[MP_SIM_BLOCK], set[MP_SIM_BLOCK];
	uint16_t which[MP_SIM_BLOCK], missed[MP_SIM_BLOCK];
	uint32_t victim[MP_SIM_BLOCK];
	const bool asks = mp_rng_below(rng, 2);
	uint32_t n, misses, out, seen = 0;

	for (uint32_t k = 0; k < MP_SIM_BLOCK; k++)
		at[k] = mp_rng_below(rng, span) & ~7ull;
	mp_sim_cache_sets(&one->cache, at, at, MP_SIM_BLOCK, set);
	n = choose(rng, which);
	memcpy(missed, which, n * sizeof(*which));
	/* Into the list that is read, as loads do from level to level. */
	misses = mp_sim_many_touch(&many->cache, set, at, missed, n, missed,
				   asks ? victim : NULL);
	for (uint32_t i = 0; i < n; i++) {
		const uint16_t k = which[i];
		const bool hit = mp_sim_many_one(&brief->cache, set[k], at[k],
						 &out);

		if (mp_sim_cache_touch(&one->cache, set[k], at[k])) {
			assert_true(hit);
			continue;
		}
		assert_false(hit);
		assert_int_equal(out, one->cache.victim);
		assert_true(seen < misses);
		if (asks)
			assert_int_equal(victim[seen], one->cache.victim);
		assert_int_equal(missed[seen++], k);
	}
	assert_int_equal(seen, misses);
}

static void compare(uint32_t policy, uint32_t ways, uint32_t sets,
		    uint32_t sectors)
{
	const struct mp_sim_shape shape = {
		.lines = (uint64_t)ways * sets, .ways = ways, .slices = 1,
		.line_bytes = LINE, .sector_bytes = LINE / sectors,
		.policy = policy,
		.qlru = { .fill = 1, .hit_oldest = 1, .hit_older = 1 },
	};
	struct store one, many, brief;
	struct mp_rng rng;

	make(&one, &shape);
	make(&many, &shape);
	make(&brief, &shape);
	mp_rng_seed(&rng, ways + sets);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		const uint64_t lines = shape.lines * (2 + i / 100 % 3) / 2 + 1;

		if (i % 500 == 400) {
			const double share = i % 1000 == 400 ? 0.4 : 0;

			mp_sim_cache_limit(&one.cache, share);
			mp_sim_cache_limit(&many.cache, share);
			mp_sim_cache_limit(&brief.cache, share);
		}
		block(&one, &many, &brief, lines * LINE, &rng);
		assert_memory_equal(one.state, many.state,
				    mp_sim_cache_bytes(&one.cache));
		assert_memory_equal(one.state, brief.state,
				    mp_sim_cache_bytes(&one.cache));
	}
	free(one.state);
	free(many.state);
	free(brief.state);
}

static void loads_in_a_row_are_those_one_by_one(void **state)
{
	static const uint32_t ways[] = { 1, 2, 3, 4, 6, 8, 12, 16, 20, 32, 64 };

	(void)state;
	for (uint32_t policy = 0; policy <= MP_SIM_QLRU; policy++) {
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			if (policy == MP_SIM_TREE_PLRU &&
			    ways[i] & (ways[i] - 1))
				continue;
			compare(policy, ways[i], 4, 1);
			compare(policy, ways[i], 3, 2);
		}
	}
}

static void one_wide_set_is_no_exception(void **state)
{
	(void)state;
	for (uint32_t policy = 0; policy <= MP_SIM_QLRU; policy++)
		compare(policy, 128, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_in_a_row_are_those_one_by_one),
		cmocka_unit_test(one_wide_set_is_no_exception),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
