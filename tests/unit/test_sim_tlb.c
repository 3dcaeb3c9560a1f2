// SPDX-License-Identifier: GPL-2.0
/*
 * Translation: what a load costs by where its page is found, for small and
 * huge pages, and the odd machines without a TLB for them.
 */
#include "backend/sim_tlb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made_machine.h"

#define L1 "level name=l1d size=32K ways=8 latency=4\n"
#define SMALL 4096u
#define HUGE (2u << 20)
#define GIANT (1ull << 30)
#define REACH (8 * GIANT)

struct tlbs {
	struct mp_sim_machine machine;
	struct mp_sim_tlb tlb;
	struct mp_rng rng;
	void *state[MP_SIM_TLB_LEVELS];
};

static void make(struct tlbs *tlbs, const char *text, uint32_t page)
{
	memset(tlbs, 0, sizeof(*tlbs));
	made_machine(&tlbs->machine, text);
	assert_int_equal(mp_sim_tlb_init(&tlbs->tlb, &tlbs->machine, page,
					 REACH), 0);
	for (uint32_t i = 0; i < tlbs->tlb.n; i++) {
		struct mp_sim_cache *store = &tlbs->tlb.store[i];
		const size_t bytes = mp_sim_cache_bytes(store);

		tlbs->state[i] = aligned_alloc(64, bytes);
		assert_non_null(tlbs->state[i]);
		memset(tlbs->state[i], 0, bytes);
		mp_sim_cache_attach(store, tlbs->state[i], &tlbs->rng);
	}
}

static void destroy(struct tlbs *tlbs)
{
	for (uint32_t i = 0; i < MP_SIM_TLB_LEVELS; i++)
		free(tlbs->state[i]);
	mp_sim_machine_free(&tlbs->machine);
}

static uint32_t load(struct tlbs *tlbs, uint64_t at)
{
	uint64_t set[MP_SIM_TLB_LEVELS][MP_SIM_BLOCK];

	for (uint32_t i = 0; i < tlbs->tlb.n; i++)
		mp_sim_cache_sets(&tlbs->tlb.store[i], &at, &at, 1, set[i]);
	return mp_sim_tlb_load(&tlbs->tlb, set[0], at);
}

/* Cycles of the second of two turns over so many pages. */
static uint32_t turn(struct tlbs *tlbs, uint32_t pages, uint64_t page_bytes)
{
	uint32_t cycles = 0;

	for (uint32_t i = 0; i < 2 * pages; i++) {
		if (i == pages)
			cycles = 0;
		cycles += load(tlbs, (uint64_t)(i % pages) * page_bytes);
	}
	return cycles;
}

static const char two_levels[] = L1
	"tlb level=1 page=4K entries=16 ways=full\n"
	"tlb level=2 page=4K entries=128 ways=4 cost=7\n"
	"tlb level=1 page=2M entries=4 ways=full cost=1\n"
	"walk cost=30\n"
	"walk cost=20 page=2M\n";

static void pages_cost_what_the_tlb_costs_that_has_them(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, two_levels, MP_SIM_PAGE_4K);
	assert_int_equal(load(&tlbs, 0), 30);
	assert_int_equal(load(&tlbs, SMALL - 1), 0);
	assert_int_equal(load(&tlbs, SMALL), 30);
	assert_int_equal(turn(&tlbs, 16, SMALL), 0);
	assert_int_equal(turn(&tlbs, 17, SMALL), 17 * 7);
	assert_int_equal(turn(&tlbs, 128, SMALL), 128 * 7);
	destroy(&tlbs);
}

static void a_page_too_many_in_a_set_is_walked(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, two_levels, MP_SIM_PAGE_4K);
	/* The page that is too many shares a set with four others. */
	assert_int_equal(turn(&tlbs, 129, SMALL), 5 * 30 + 124 * 7);
	destroy(&tlbs);
}

static void huge_pages_have_tlbs_and_walks_of_their_own(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, two_levels, MP_SIM_PAGE_2M);
	assert_int_equal(turn(&tlbs, 4, HUGE), 4 * 1);
	assert_int_equal(turn(&tlbs, 5, HUGE), 5 * 20);
	destroy(&tlbs);
}

static void huge_pages_without_a_tlb_are_splintered(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, L1 "tlb level=1 page=4K entries=16 ways=4\n"
	     "walk cost=30\n", MP_SIM_PAGE_2M);
	assert_int_equal(turn(&tlbs, 16, SMALL), 0);
	assert_int_equal(load(&tlbs, HUGE / 2), 30);
	destroy(&tlbs);
}

static void giant_pages_have_tlbs_and_walks_of_their_own(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, L1 "tlb level=1 page=1G entries=4 ways=full cost=2\n"
	     "tlb level=1 page=2M entries=8 ways=full\n"
	     "walk cost=30\nwalk cost=10 page=1G\n", MP_SIM_PAGE_1G);
	assert_int_equal(turn(&tlbs, 4, GIANT), 4 * 2);
	assert_int_equal(turn(&tlbs, 5, GIANT), 5 * 10);
	destroy(&tlbs);
}

static void giant_pages_are_splintered_into_the_largest_there_is(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, L1 "tlb level=1 page=2M entries=8 ways=full\n"
	     "tlb level=1 page=4K entries=64 ways=full\n"
	     "walk cost=30\nwalk cost=10 page=1G\n", MP_SIM_PAGE_1G);
	assert_int_equal(turn(&tlbs, 8, HUGE), 0);
	assert_int_equal(turn(&tlbs, 9, HUGE), 9 * 10);
	destroy(&tlbs);
	make(&tlbs, L1 "tlb level=1 page=4K entries=64 ways=full\n"
	     "walk cost=30\n", MP_SIM_PAGE_1G);
	assert_int_equal(turn(&tlbs, 64, SMALL), 0);
	assert_int_equal(turn(&tlbs, 65, SMALL), 65 * 30);
	destroy(&tlbs);
}

static void small_pages_without_a_tlb_are_always_walked(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, L1 "tlb level=1 page=2M entries=16 ways=4\n"
	     "walk cost=30\n", MP_SIM_PAGE_4K);
	assert_int_equal(load(&tlbs, 0), 30);
	assert_int_equal(load(&tlbs, 0), 30);
	destroy(&tlbs);
}

static void a_machine_without_tlbs_translates_for_nothing(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, L1 "walk cost=30\n", MP_SIM_PAGE_4K);
	assert_int_equal(tlbs.tlb.n, 0);
	assert_int_equal(load(&tlbs, 0), 0);
	destroy(&tlbs);
}

static void a_walk_that_is_not_stated_costs_nothing(void **state)
{
	struct tlbs tlbs;

	(void)state;
	make(&tlbs, L1 "tlb level=2 page=4K entries=16 ways=4 cost=7\n",
	     false);
	assert_int_equal(load(&tlbs, 0), 0);
	assert_int_equal(load(&tlbs, 0), 7);
	destroy(&tlbs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_cost_what_the_tlb_costs_that_has_them),
		cmocka_unit_test(a_page_too_many_in_a_set_is_walked),
		cmocka_unit_test(huge_pages_have_tlbs_and_walks_of_their_own),
		cmocka_unit_test(huge_pages_without_a_tlb_are_splintered),
		cmocka_unit_test(giant_pages_have_tlbs_and_walks_of_their_own),
		cmocka_unit_test(
			giant_pages_are_splintered_into_the_largest_there_is),
		cmocka_unit_test(small_pages_without_a_tlb_are_always_walked),
		cmocka_unit_test(a_machine_without_tlbs_translates_for_nothing),
		cmocka_unit_test(a_walk_that_is_not_stated_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
