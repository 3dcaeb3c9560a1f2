// SPDX-License-Identifier: GPL-2.0
/* Levels whose size is not known, but that of them and those inside: what
 * else is asked of them needs no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_room.h"

#define ARENA_BYTES (64u << 20)
#define KIB 1024.0

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* As many sets in both, and a first level that throws out the oldest: nothing
 * tells whether the second is exclusive. */
static const char fifo_inside[] =
	"machine name=a clock_mhz=2600 memory_latency=250\n"
	"clock tsc_mhz=2600 step=1 read=80\nplace pages=contiguous\n"
	"level name=l1d size=128K ways=4 line=128 latency=7 policy=fifo\n"
	"level name=l2 size=256K ways=8 line=128 latency=21\n";

static void lines_are_counted_where_only_the_sum_is_known(void **state)
{
	struct mp_cpu_rooms rooms;

	(void)state;
	ask(fifo_inside);
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
			 MP_AT_LEAST);
	assert_int_equal(mp_cpu_rooms(&sim.view, &rooms), 0);
	assert_true(rooms.sum[1] && !rooms.sum[0]);
	assert_true(rooms.bytes[0] == 128 * KIB);
	assert_true(rooms.bytes[1] > 240 * KIB && rooms.bytes[1] < 390 * KIB);
	made_sim_ask(&sim, mp_probe_find("line"));
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.line")->verdict,
			 MP_MEASURED);
	assert_true(made_sim_fact(&sim, "cpu.l2.line")->value == 128);
}

/* More sets than the level inside, by a power of two: lines that are put out of
 * that are counted here, whether or not this level is exclusive. */
static void a_size_needs_no_inclusion_where_lines_are_counted(void **state)
{
	const struct mp_fact *size;

	(void)state;
	ask("machine name=a clock_mhz=3100 memory_latency=250\n"
	    "clock tsc_mhz=2900 step=1 read=60\nplace pages=random\n"
	    "level name=l1d size=24K ways=12 latency=4 policy=random\n"
	    "level name=l2 size=48K ways=4 latency=16 policy=srrip\n"
	    "level name=l3 size=384K ways=2 latency=64\n");
	size = made_sim_fact(&sim, "cpu.l2.size");
	assert_int_equal(size->verdict, MP_MEASURED);
	/* Twelve lines, of which a random level may have kept a part. */
	assert_true(size->low < 48 * KIB && size->low > 45 * KIB);
	assert_true(size->value == 48 * KIB);
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.inclusion")->verdict,
			 MP_NOT_MEASURABLE);
}

/* The level inside keeps lines that this one has lost, and how many is not
 * known: the value is as near to one limit as to the other. */
static void a_level_that_is_not_exclusive_has_one_of_two_sizes(void **state)
{
	const struct mp_fact *size;

	(void)state;
	ask("machine name=a clock_mhz=2900 memory_latency=250\n"
	    "clock tsc_mhz=2900 step=1 read=52\nplace pages=contiguous\n"
	    "level name=l1d size=45K ways=20 latency=4 policy=random\n"
	    "level name=l2 size=192K ways=12 latency=19 policy=random\n");
	size = made_sim_fact(&sim, "cpu.l2.size");
	assert_int_equal(size->verdict, MP_MEASURED);
	assert_true(size->low < 192 * KIB && size->high > 192 * KIB);
	assert_true(size->value > 168 * KIB && size->value < 216 * KIB);
	assert_true(size->value / size->low < 1.001 * (2 - size->value /
						       size->high));
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	assert_true(strcmp(made_sim_fact(&sim, "cpu.l2.inclusion")->text,
			   "inclusive"));
}

/* A next-line prefetcher that cannot be turned off fills two lines for each
 * that is asked for, the second of them ahead. */
static void what_is_fetched_ahead_makes_no_lines_longer(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2100 memory_latency=217\n"
	    "clock tsc_mhz=3000 step=1 read=89\n"
	    "level name=l1d size=32K ways=2 latency=3 policy=tree-plru\n"
	    "level name=l2 size=60K ways=10 latency=15\n"
	    "level name=l3 size=320K ways=32 latency=53 policy=tree-plru "
	    "slices=10\n"
	    "prefetch kind=next into=l1d switch=no\n");
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_MEASURED);
	made_sim_ask(&sim, mp_probe_find("line"));
	assert_true(made_sim_fact(&sim, "cpu.l3.line")->verdict ==
		    MP_NOT_MEASURABLE ||
		    made_sim_fact(&sim, "cpu.l3.line")->value == 64);
}

/* The first level has more lines than the second: what is counted for that
 * lies partly in one and partly in the other. */
static void few_lines_of_two_levels_are_not_those_of_one(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4700 memory_latency=211\n"
	    "clock tsc_mhz=4000 step=1 read=50\n"
	    "level name=l1d size=16K ways=4 line=128 latency=3\n"
	    "level name=l2 size=24K ways=32 line=256 latency=12 policy=fifo\n"
	    "level name=l3 size=88K ways=11 line=256 latency=32 policy=srrip "
	    "index=virtual inclusion=exclusive slices=2\n");
	made_sim_ask(&sim, mp_probe_find("line"));
	assert_true(made_sim_fact(&sim, "cpu.l2.line")->verdict ==
		    MP_NOT_MEASURABLE ||
		    made_sim_fact(&sim, "cpu.l2.line")->value == 256);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.line")->verdict,
			 MP_MEASURED);
	assert_true(made_sim_fact(&sim, "cpu.l3.line")->value == 256);
}

/* 39 sets to a slice: rings of every second line fall on all of them, and two
 * such rings fit a level that they should fill twice. */
static void rings_that_fit_odd_sets_twice_show_nothing(void **state)
{
	(void)state;
	ask("machine name=a cpus=2 clock_mhz=1200 memory_latency=171\n"
	    "clock tsc_mhz=3600 step=1 read=48\n"
	    "level name=l1d size=19968 ways=6 latency=3 policy=random "
	    "index=physical\n"
	    "level name=l2 size=128K ways=32 latency=8 inclusion=inclusive\n"
	    "level name=l3 size=195K ways=8 latency=24 policy=srrip slices=10 "
	    "shared=2\n");
	sim.view.caps |= MP_CAP_ACTORS;
	mp_cpus_parse(&sim.view.cpus, "0-1");
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	made_sim_ask(&sim, mp_probe_find("latency"));
	made_sim_ask(&sim, mp_probe_find("shared"));
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_MEASURED);
	assert_true(made_sim_fact(&sim, "cpu.l3.shared")->verdict ==
		    MP_NOT_MEASURABLE ||
		    made_sim_fact(&sim, "cpu.l3.shared")->value == 2);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_are_counted_where_only_the_sum_is_known),
		TEST(a_size_needs_no_inclusion_where_lines_are_counted),
		TEST(a_level_that_is_not_exclusive_has_one_of_two_sizes),
		TEST(what_is_fetched_ahead_makes_no_lines_longer),
		TEST(rings_that_fit_odd_sets_twice_show_nothing),
		TEST(few_lines_of_two_levels_are_not_those_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
