// SPDX-License-Identifier: GPL-2.0
/* Probe dram on made-up CPUs whose memory is stated. */
#include <string.h>

#include "made_view.h"

#define MIB 1048576ull

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;
static struct made_test test = { "dram", &probe, &cpu, &made };

/* A run in which all levels are known, three, and their curve goes on to
 * where it is flat. */
static void look(void)
{
	made_view_plan(&made, mp_probe_find("cache-size"));
	memset(&made.asked, 0, sizeof(made.asked));
	made_view_know_sizes(&made);
}

static void start(uint32_t depth)
{
	made_view_open(&made, &cpu, depth);
	look();
}

static void ask(uint32_t depth)
{
	start(depth);
	made_view_ask(&made, probe);
}

/* Of a ring over so many small pages, taken at random, what a hop pays for
 * translation on average: all but the pages that a level knows miss it. */
static double walk_cycles(double pages)
{
	return (1 - 96 / pages) * 7 + (1 - 2048 / pages) * (40 - 7);
}

static void memory_is_read_net_of_walks_and_with_them(void **state)
{
	double pages;

	(void)state;
	ask(MP_DEPTH_DEFAULT);
	pages = (double)made.asked.bytes_max / 4096;
	made_fact_is(&made, "cpu.dram.latency", 350 / CORE_GHZ, 0.01);
	made_fact_is(&made, "cpu.dram.latency-random",
		     (350 + walk_cycles(pages)) / CORE_GHZ, 0.01);
	/* Far enough beyond the last level, and not without end. */
	assert_in_range(made.asked.bytes_max, 32 * MIB, 512 * MIB);
	assert_true(made.asked.hops < 50000000);
	assert_in_range(made.asked.rounds, 1, 3);
}

static void walks_over_small_pages_are_no_part_of_memory(void **state)
{
	(void)state;
	cpu.small_only = true;
	cpu.tlb[1].cycles = 200;
	ask(MP_DEPTH_DEFAULT);
	/* A walk each 32 loads is paid, and the limits say so. */
	made_fact_holds(&made, "cpu.dram.latency", 350 / CORE_GHZ);
	assert_true(made_fact(&made, "cpu.dram.latency")->value <
		    360 / CORE_GHZ);
	assert_true(made_fact(&made, "cpu.dram.latency-random")->value >
		    500 / CORE_GHZ);
}

static void a_neighbour_fetched_along_makes_memory_no_faster(void **state)
{
	(void)state;
	cpu.neighbour = 0.6;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.dram.latency", 350 / CORE_GHZ, 0.01);
}

static void a_larger_last_level_asks_for_more_memory(void **state)
{
	uint64_t small;

	(void)state;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	small = made.asked.bytes_max;
	made_view_close(&made);
	cpu.cache[2].bytes = 30 * MIB;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	assert_true(made.asked.bytes_max >= 4 * 30 * MIB);
	assert_true(made.asked.bytes_max > small);
}

static void a_quick_plan_is_smaller(void **state)
{
	struct made_asked quick;

	(void)state;
	ask(MP_DEPTH_QUICK);
	made_fact_is(&made, "cpu.dram.latency", 350 / CORE_GHZ, 0.02);
	quick = made.asked;
	made_view_close(&made);
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	assert_true(quick.hops < made.asked.hops);
	assert_true(quick.wanted < made.asked.wanted);
}

static void forced_pages_are_the_only_ones(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made.view.pages = MP_PAGES_2M;
	made.view.pages_forced = true;
	look();
	made_view_ask(&made, probe);
	assert_int_equal(made.asked.kinds, 1u << MP_PAGES_2M);
	made_fact_is(&made, "cpu.dram.latency", 350 / CORE_GHZ, 0.01);
	made_fact_is(&made, "cpu.dram.latency-random", 350 / CORE_GHZ, 0.01);
}

/* All that may be taken fits the last level: that is no memory. */
static void a_cache_is_never_called_memory(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made.view.arena_max_bytes = 4 * MIB;
	look();
	made_view_ask(&made, probe);
	assert_true(made.asked.bytes_max <= 4 * MIB);
	made_fact_ends(&made, "cpu.dram.latency", MP_AT_LEAST);
	made_fact_ends(&made, "cpu.dram.latency-random", MP_AT_LEAST);
	assert_true(made_fact(&made, "cpu.dram.latency")->value ==
		    made_fact(&made, "cpu.dram.latency")->low);
	assert_true(made_fact(&made, "cpu.dram.latency")->reason[0]);
}

/* The curve ends where it still rises: something may lie further out. */
static void where_the_curve_rises_to_its_end_memory_is_not_claimed(void **state)
{
	(void)state;
	cpu.cache[2].bytes = 150 * MIB;
	start(MP_DEPTH_DEFAULT);
	made_view_ask(&made, probe);
	made_fact_ends(&made, "cpu.dram.latency", MP_AT_LEAST);
}

static void with_unknown_levels_memory_is_not_claimed(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_ask(&made, probe);
	assert_true(made.asked.bytes_max >= 32 * MIB);
	made_fact_ends(&made, "cpu.dram.latency", MP_AT_LEAST);
	made_fact_ends(&made, "cpu.dram.latency-random", MP_AT_LEAST);
}

/* A rough look does not see levels as near to memory as some are. */
static void where_no_size_is_a_fact_memory_is_not_claimed(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_plan(&made, mp_probe_find("cache-size"));
	made_view_ask(&made, probe);
	/* The slowest of single hops are those of memory all the same. */
	made_fact_is(&made, "cpu.dram.latency", 350 / CORE_GHZ, 0.01);
	made_fact_ends(&made, "cpu.dram.latency-random", MP_AT_LEAST);
}

static void without_a_core_clock_ns_are_the_same(void **state)
{
	(void)state;
	cpu.core_hz = 0;
	ask(MP_DEPTH_DEFAULT);
	made_fact_is(&made, "cpu.dram.latency", 350 / CORE_GHZ, 0.01);
}

/* What the clock is said to cost is more than all that was measured. */
static void what_took_no_time_is_no_latency(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	for (uint32_t i = 0; i < made.view.n_batches; i++)
		if (made.batch[i]->exp.arena[0].bytes == made.asked.bytes_max)
			made.batch[i]->grant.read_ticks = 1e8;
	made_view_infer(&made, probe);
	made_fact_ends(&made, "cpu.dram.latency", MP_NOT_MEASURABLE);
	made_fact_ends(&made, "cpu.dram.latency-random", MP_NOT_MEASURABLE);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("dram");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(memory_is_read_net_of_walks_and_with_them, &test),
		MADE_TEST(walks_over_small_pages_are_no_part_of_memory, &test),
		MADE_TEST(a_neighbour_fetched_along_makes_memory_no_faster, &test),
		MADE_TEST(a_larger_last_level_asks_for_more_memory, &test),
		MADE_TEST(a_quick_plan_is_smaller, &test),
		MADE_TEST(forced_pages_are_the_only_ones, &test),
		MADE_TEST(a_cache_is_never_called_memory, &test),
		MADE_TEST(where_the_curve_rises_to_its_end_memory_is_not_claimed, &test),
		MADE_TEST(with_unknown_levels_memory_is_not_claimed, &test),
		MADE_TEST(where_no_size_is_a_fact_memory_is_not_claimed, &test),
		MADE_TEST(without_a_core_clock_ns_are_the_same, &test),
		MADE_TEST(what_took_no_time_is_no_latency, &test),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
