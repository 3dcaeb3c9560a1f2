// SPDX-License-Identifier: GPL-2.0
/* Simulated machines: where misses of a level set in, and those in which that
 * says how large it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "like_runs.h"
#include "made_sim.h"
#include "probe/cpu_onset.h"

#define CLOCK "clock tsc_mhz=3000 step=1 read=40\n"

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask_sizes(const char *text, uint64_t seed)
{
	made_sim_open_quiet(&sim, text, seed);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* Of the outermost level, between so many bytes. */
static void look_seed(const char *text, uint64_t seed, double low, double high,
		      struct mp_cpu_onset *onset)
{
	struct mp_cpu_edges edges;
	struct mp_plan plan = { 0 };

	made_sim_open_quiet(&sim, text, seed);
	made_sim_edges(&sim, &edges);
	do {
		assert_int_equal(mp_cpu_onset_look(&sim.view, &edges,
						   edges.n - 1, low, high,
						   onset), 0);
		if (onset->replicates)
			assert_int_equal(mp_plan_add(&plan, &onset->want,
						     onset->replicates), 0);
	} while (made_sim_run(&sim, &plan));
}

static void look(const char *text, double low, double high,
		 struct mp_cpu_onset *onset)
{
	look_seed(text, 3, low, high, onset);
}

/* No hop of 64 KiB misses, and some of those of a little more do; a level inside
 * that throws out any line keeps none for good. */
static void rings_come_as_near_as_lengths_do(void **state)
{
	struct mp_cpu_onset onset;

	(void)state;
	look("machine name=a clock_mhz=3000 memory_latency=250\n"
	     CLOCK "place pages=contiguous\n"
	     "level name=l1d size=32K ways=8 latency=4 policy=random\n"
	     "level name=l2 size=64K ways=8 latency=14 policy=srrip\n",
	     40 << 10, 96 << 10, &onset);
	assert_true(onset.known);
	assert_true(onset.low > 0.95 * (64 << 10) && onset.low <= 64 << 10);
	assert_true(onset.high > 64 << 10 && onset.high < 1.07 * (64 << 10));
	assert_true(onset.kept < 0.08);
	assert_true(onset.id[0] && onset.id[1] && onset.id[0] != onset.id[1]);
}

/* Seven ways of bits keep most of their lines for good, so that more than 64 KiB
 * do not miss; how much of them that is is seen. */
static void what_stays_inside_for_good_is_told(void **state)
{
	struct mp_cpu_onset onset;

	(void)state;
	look("machine name=a clock_mhz=3000 memory_latency=250\n"
	     CLOCK "place pages=contiguous\n"
	     "level name=l1d size=56K ways=7 latency=4 policy=bit-plru\n"
	     "level name=l2 size=64K ways=8 latency=14\n",
	     20 << 10, 120 << 10, &onset);
	assert_true(onset.known);
	assert_true(onset.low > 68 << 10);
	assert_true(onset.low * (1 - onset.kept) <= 64 << 10);
	assert_true(onset.low * (1 - onset.kept) > 40 << 10);
}

/* Where lines fall on sets by chance some of them are full long before the level
 * is, and nothing tells where that is. */
static void sets_that_are_not_even_miss_by_and_by(void **state)
{
	struct mp_cpu_onset onset;

	(void)state;
	look("machine name=a clock_mhz=3000 memory_latency=250\n"
	     CLOCK "place pages=random thp=refused\n"
	     "level name=l1d size=16K ways=8 latency=4\n"
	     "level name=l2 size=1M ways=16 latency=14 index=physical\n",
	     200 << 10, 1400 << 10, &onset);
	assert_false(onset.known);
}

/* Eight slices of two ways: in which page the ring lies says how full they are, and
 * at one length some replicates miss and others do not. */
static void rings_that_differ_by_their_page_say_nothing(void **state)
{
	struct mp_cpu_onset onset;

	(void)state;
	for (uint64_t seed = 1; seed < 51; seed++) {
		look_seed("machine name=a clock_mhz=3000 memory_latency=250\n"
			  CLOCK "place pages=random thp=granted\n"
			  "level name=l1d size=40K ways=10 latency=5\n"
			  "level name=l2 size=384K ways=2 latency=40 slices=8 "
			  "index=physical policy=tree-plru\n", seed, 300 << 10,
			  430 << 10, &onset);
		if (onset.known)
			assert_true(onset.high > 0.95 * (384 << 10));
		made_sim_close(&sim);
	}
}

/* Sets begin anew after 2.25 MiB, and the second page lies anywhere: its lines
 * may meet those of the first, in all replicates. */
static void a_piece_that_begins_anywhere_is_no_edge(void **state)
{
	struct mp_cpu_onset onset;

	(void)state;
	look("machine name=a clock_mhz=3000 memory_latency=250\n"
	     CLOCK "place pages=random thp=granted\n"
	     "level name=l1d size=16K ways=8 latency=4\n"
	     "level name=l2 size=2304K ways=1 latency=14 index=physical\n",
	     1024 << 10, 2600 << 10, &onset);
	assert_false(onset.known);
}

/* .. nor is anything said where pages are small, or others take of the level. */
static void what_may_not_be_even_is_not_asked(void **state)
{
	const char *const text = "machine name=a clock_mhz=3000 "
		"memory_latency=250\n" CLOCK "place pages=contiguous\n"
		"level name=l1d size=32K ways=8 latency=4\n";
	struct mp_cpu_onset onset;
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open_quiet(&sim, text, 3);
	made_sim_edges(&sim, &edges);
	edges.crowded = true;
	assert_int_equal(mp_cpu_onset_look(&sim.view, &edges, 0, 20000, 50000,
					   &onset), 0);
	assert_false(onset.known || onset.replicates);
	edges.crowded = false;
	edges.single = false;
	assert_int_equal(mp_cpu_onset_look(&sim.view, &edges, 0, 20000, 50000,
					   &onset), 0);
	assert_false(onset.known || onset.replicates);
	edges.single = true;
	assert_int_equal(mp_cpu_onset_look(&sim.view, &edges, 0, 50000, 20000,
					   &onset), 0);
	assert_false(onset.known || onset.replicates);
	assert_int_equal(mp_cpu_onset_look(&sim.view, &edges, 0, 20000, 50000,
					   &onset), 0);
	assert_true(onset.replicates);
}

/* To four in a hundred, with limits that hold it and are so near. */
static void is_near(const char *name, double size, double apart)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fact->value > size * 0.96 && fact->value < size * 1.04);
	assert_true(fact->low <= size && fact->high >= size);
	assert_true(fact->high < fact->low * apart);
	assert_non_null(strstr(fact->method, "no hop of"));
}

/* The level inside serves old lines that this one has lost, so that no shape
 * explains the edge, and a good part of what it seems to hold may be kept inside. */
static void misses_set_in_at_the_capacity_behind_any_policy(void **state)
{
	(void)state;
	ask_sizes("machine name=a clock_mhz=3000 memory_latency=250\n"
	    CLOCK "place pages=contiguous\n"
	    "level name=l1d size=16K ways=8 latency=4\n"
	    "level name=l2 size=128K ways=8 latency=14 policy=random\n"
	    "level name=l3 size=192K ways=12 latency=40 policy=nru\n", 3);
	is_near("cpu.l3.size", 192 << 10, 1.2);
}

/* Sixteen pages' translations are known at 4 KiB each, whatever the page: what
 * another costs makes a hit look like a miss of this level from 64 KiB on. */
static void where_translations_set_in_is_no_capacity(void **state)
{
	(void)state;
	ask_sizes("machine name=a clock_mhz=3000 memory_latency=250\n"
	    CLOCK "place pages=random thp=granted\n"
	    "level name=l1d size=48K ways=8 latency=4 policy=random\n"
	    "level name=l2 size=88K ways=8 latency=12 policy=random "
	    "index=physical\n"
	    "level name=l3 size=1M ways=8 latency=24 index=physical\n"
	    "tlb level=1 page=4K entries=16 ways=16\n"
	    "tlb level=2 page=4K entries=2048 ways=8 cost=12\n"
	    "walk cost=54 page=all\n", 3);
	is_near("cpu.l2.size", 88 << 10, 1.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(rings_come_as_near_as_lengths_do, end),
		cmocka_unit_test_teardown(
			what_stays_inside_for_good_is_told, end),
		cmocka_unit_test_teardown(sets_that_are_not_even_miss_by_and_by, end),
		cmocka_unit_test(rings_that_differ_by_their_page_say_nothing),
		cmocka_unit_test_teardown(
			a_piece_that_begins_anywhere_is_no_edge, end),
		cmocka_unit_test_teardown(what_may_not_be_even_is_not_asked,
					  end),
		cmocka_unit_test_teardown(
			misses_set_in_at_the_capacity_behind_any_policy, end),
		cmocka_unit_test_teardown(
			where_translations_set_in_is_no_capacity, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
