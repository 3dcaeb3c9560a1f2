// SPDX-License-Identifier: GPL-2.0
/*
 * How often the lengths around an edge are measured: few replicates are looked
 * at before more are asked for, as few leave wide limits whatever the edge is.
 */
#include "probe/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "fact.h"
#include "made_sim.h"

extern const struct mp_probe mp_probe_cache_size, mp_probe_line_l1d;

#define LEVELS(policy) \
	"machine name=a memory_latency=300\n" \
	"level name=l1d size=16K ways=4 latency=4 policy=" policy "\n" \
	"level name=l2 size=128K ways=8 latency=14 policy=" policy "\n" \
	"level name=l3 size=512K ways=16 latency=40 policy=" policy "\n" \
	"place pages=contiguous\n" \
	"clock step=1\n"

#define COARSE \
	"machine name=a clock_mhz=4350 memory_latency=359\n" \
	"level name=l1d size=32K ways=4 latency=3\n" \
	"level name=l2 size=162304 ways=8 latency=13 policy=tree-plru " \
	"inclusion=exclusive\n" \
	"level name=l3 size=512K ways=4 latency=42 policy=srrip slices=2\n" \
	"place pages=contiguous thp=refused\n" \
	"clock tsc_mhz=1000 step=1 read=66\n"

/* Four slots to a line of each level, and the odd sets of two: what a ring of
 * every slot misses goes up and down however long it is. */
#define LINES_OF_FOUR \
	"machine name=a clock_mhz=3750 memory_latency=172\n" \
	"level name=l1d size=24K ways=32 line=256 latency=3 policy=fifo\n" \
	"level name=l2 size=39424 ways=11 line=256 latency=8 policy=srrip\n" \
	"level name=l3 size=80K ways=10 line=256 latency=19\n" \
	"prefetch kind=adjacent into=l2 switch=no\n" \
	"place pages=random thp=granted\n" \
	"clock tsc_mhz=3200 step=1 read=48\n"

static struct made_sim coarse;

/* The replicates of the length that has the most. Counting lines takes several
 * rings, and goes by how many hops are looked at. */
static uint32_t most_replicates(const struct made_sim *sim)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < sim->n; i++)
		if (sim->batch[i]->exp.n_actors == 1 &&
		    sim->batch[i]->replicate + 1 > most)
			most = sim->batch[i]->replicate + 1;
	return most;
}

static uint32_t asked(const char *text)
{
	static struct made_sim sim;
	uint32_t most;

	made_sim_open(&sim, text);
	made_sim_ask(&sim, &mp_probe_cache_size);
	assert_int_equal(made_sim_fact(&sim, "cpu.l1d.size")->verdict,
			 MP_MEASURED);
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
			 MP_MEASURED);
	most = most_replicates(&sim);
	made_sim_close(&sim);
	return most;
}

static void edges_that_are_sharp_are_not_measured_over_and_over(void **state)
{
	(void)state;
	assert_in_range(asked(LEVELS("lru")), 5, 7);
}

static uint32_t asked_for(const struct made_sim *sim, uint32_t pages)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < sim->n; i++)
		n += sim->batch[i]->exp.n_actors == 1 &&
		     sim->batch[i]->exp.arena[0].pages == pages;
	return n;
}

/* Small pages in a row: a second look at them would see the same. */
static void small_pages_are_no_second_look_at_small_pages(void **state)
{
	(void)state;
	assert_true(asked_for(&coarse, MP_PAGES_THP) > 0);
	assert_int_equal(asked_for(&coarse, MP_PAGES_4K), 0);
}

/* Sparse rings come to memory far before that; a single ring of every line is
 * held against their end. */
static void no_edge_is_looked_for_far_beyond_those_of_sparse_rings(void **state)
{
	static struct made_sim sim;
	uint64_t longest = 0;
	uint32_t beyond = 0;

	(void)state;
	made_sim_open(&sim, LINES_OF_FOUR);
	mp_facts_free(&sim.facts);
	sim.view.arena_max_bytes = 512u << 20;
	made_sim_ask(&sim, &mp_probe_line_l1d);
	made_sim_ask(&sim, &mp_probe_cache_size);
	for (uint32_t i = 0; i < sim.n; i++) {
		const struct mp_exp *exp = &sim.batch[i]->exp;

		if (exp->n_actors != 1 || exp->actor[0].stride >= 512)
			continue;
		if (exp->actor[0].length == 64u << 20)
			beyond++;
		else if (exp->actor[0].length > longest)
			longest = exp->actor[0].length;
	}
	assert_in_range(longest, 80u << 10, 16u << 20);
	assert_int_equal(beyond, 1);
	made_sim_close(&sim);
}

static int ask_coarse(void **state)
{
	(void)state;
	made_sim_open(&coarse, COARSE);
	made_sim_ask(&coarse, &mp_probe_cache_size);
	return 0;
}

static int end_coarse(void **state)
{
	(void)state;
	made_sim_close(&coarse);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			edges_that_are_sharp_are_not_measured_over_and_over),
		cmocka_unit_test(small_pages_are_no_second_look_at_small_pages),
		cmocka_unit_test(
			no_edge_is_looked_for_far_beyond_those_of_sparse_rings),
	};

	return cmocka_run_group_tests(tests, ask_coarse, end_coarse);
}
