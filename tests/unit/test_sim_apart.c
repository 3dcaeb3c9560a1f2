// SPDX-License-Identifier: GPL-2.0
/*
 * The loads of a block, level by level where that is the same, are those loads
 * one by one: the same cycles, and the same bytes of state behind them,
 * whatever the levels are to one another and whatever prefetchers do.
 */
#include "backend/sim_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made_ring.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define SPAN (24u << 10)
#define BLOCKS 400u

static const char *const prefetchers[] = {
	"",
	"prefetch kind=adjacent into=l1d\n",
	"prefetch kind=adjacent into=l2\nprefetch kind=next into=l2\n",
	"prefetch kind=adjacent into=l3\nprefetch kind=stream into=l1d\n",
	"prefetch kind=stride into=l2\nprefetch kind=stream into=l3\n"
	"prefetch kind=next into=l1d\n",
};

static const char *const tlbs[] = {
	"lru",
	"random",
};

struct pair {
	struct mp_sim_machine machine[2];
	struct mp_sim_cores cores[2];
};

/* Behind the second one nothing is noted of what lies in levels. */
static void make(struct pair *pair, const char *text)
{
	for (uint32_t i = 0; i < 2; i++)
		made_cores(&pair->machine[i], &pair->cores[i], text, SPAN);
	for (uint32_t i = 0; i < MP_SIM_LEVELS; i++)
		pair->cores[1].memory[0].level[i].held = NULL;
}

static void destroy(struct pair *pair)
{
	for (uint32_t i = 0; i < 2; i++) {
		mp_sim_cores_free(&pair->cores[i]);
		mp_sim_machine_free(&pair->machine[i]);
	}
}

/* Some at random, some in a row. */
static void choose(struct mp_rng *rng, uint64_t *at, uint32_t n)
{
	at[0] = mp_rng_below(rng, SPAN / 8) * 8;
	for (uint32_t k = 1; k < n; k++) {
		at[k] = mp_rng_below(rng, SPAN / 8) * 8;
		if (mp_rng_below(rng, 2))
			at[k] = (at[k - 1] + 64) % SPAN;
	}
}

static void walk(struct pair *pair, struct mp_rng *rng)
{
	struct mp_sim_memory *many = &pair->cores[0].memory[0];
	struct mp_sim_memory *one = &pair->cores[1].memory[0];
	const uint32_t n = 1 + (uint32_t)mp_rng_below(rng, MP_SIM_BLOCK);
	uint64_t sum[MP_SIM_BLOCK], before = 0;
	struct mp_sim_block block;

	choose(rng, block.virtual, n);
	block.place = mp_sim_memory_place(many, 0);
	mp_sim_memory_look_up(many, &block, n);
	mp_sim_memory_loads(many, &block, 0, n, sum);
	for (uint32_t k = 0; k < n; k++) {
		assert_int_equal(mp_sim_memory_load(one, block.virtual[k]),
				 sum[k] - before);
		before = sum[k];
	}
	assert_memory_equal(pair->cores[0].state, pair->cores[1].state,
			    pair->cores[0].state_bytes);
}

static void compare(const char *text)
{
	struct pair pair;
	struct mp_rng rng;

	make(&pair, text);
	mp_rng_seed(&rng, 5);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		if (i % 100 == 70) {
			const uint64_t at = mp_rng_below(&rng, SPAN);

			mp_sim_cores_limit(&pair.cores[0], 1, i % 200 / 300.0);
			mp_sim_cores_limit(&pair.cores[1], 1, i % 200 / 300.0);
			mp_sim_memory_flush(&pair.cores[0].memory[0], at);
			mp_sim_memory_flush(&pair.cores[1].memory[0], at);
		}
		walk(&pair, &rng);
	}
	destroy(&pair);
}

static void compare_all(const char *second, const char *third,
			const char *const *policy)
{
	/* An exclusive level has lines as those inside it. */
	const char *lines = !strcmp(third, "exclusive") ? "" :
			    "line=128 sector=64 ";
	char text[1024];

	for (size_t i = 0; i < COUNT(prefetchers); i++) {
		snprintf(text, sizeof(text),
			 "machine name=a memory_latency=300\n"
			 "level name=l1d size=1K ways=4 latency=4 policy=%s\n"
			 "level name=l2 size=3K ways=6 latency=14 policy=%s "
			 "inclusion=%s\n"
			 "level name=l3 size=8K ways=8 %s"
			 "latency=50 policy=%s inclusion=%s slices=2\n"
			 "tlb level=1 page=4K entries=2 ways=2 policy=%s\n"
			 "tlb level=2 page=4K entries=4 ways=2 cost=7\n"
			 "walk cost=30\n%s",
			 policy[0], policy[1], second, lines, policy[2], third,
			 tlbs[i % COUNT(tlbs)], prefetchers[i]);
		compare(text);
	}
}

static void loads_of_a_block_are_those_one_by_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < MADE_INCLUSIONS; i++) {
		for (size_t k = 0; k < MADE_INCLUSIONS; k++) {
			for (size_t p = 0; p < MADE_TRIOS; p++)
				compare_all(made_inclusions[i], made_inclusions[k],
					    made_trios[p]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_of_a_block_are_those_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
