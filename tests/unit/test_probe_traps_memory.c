// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose memory has been read wrong: a right answer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "made_sim.h"

#define ARENA_BYTES (64u << 20)

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void memory_takes(const char *text, double ns, double share)
{
	const struct mp_fact *fact;

	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("dram"));
	fact = made_sim_fact(&sim, "cpu.dram.latency");
	if (fact->verdict != MP_MEASURED || fabs(fact->value / ns - 1) > share)
		fail_msg("verdict %u, %g for %g (%s)", fact->verdict,
			 fact->value, ns, fact->reason);
}

/* Sets that are no power of two want rings of every line, and half of those are
 * fetched ahead: but far beyond all levels no ring need be full. */
static void a_neighbour_fetched_along_makes_memory_no_faster(void **state)
{
	(void)state;
	memory_takes("machine name=a clock_mhz=4550 memory_latency=361\n"
		     "clock tsc_mhz=3100 step=20 read=38\n"
		     "place pages=random thp=refused\n"
		     "level name=l1d size=13824 ways=12 latency=4\n"
		     "level name=l2 size=24K ways=16 latency=11 policy=fifo\n"
		     "prefetch kind=adjacent into=l2 switch=no\n"
		     "noise gaps=0.02\n", 361 / 4.55, 0.01);
}

/* .. and no line so long that two slots of a ring share one. */
static void lines_of_no_known_length_are_far_apart(void **state)
{
	(void)state;
	memory_takes("machine name=a clock_mhz=3000 memory_latency=240\n"
		     "clock tsc_mhz=100 step=1 read=30\n"
		     "place pages=random thp=granted\n"
		     "level name=l1d size=24K ways=8 latency=4\n"
		     "level name=l2 size=202752 ways=16 line=128 latency=13\n"
		     "noise gaps=0.02\n", 240 / 3.0, 0.01);
}

/* A clock of steps of 38 cycles tells hops of memory from those that found
 * their line fetched ahead. */
static void what_is_fetched_ahead_is_left_out_by_a_coarse_clock(void **state)
{
	(void)state;
	memory_takes("machine name=a clock_mhz=3850 memory_latency=337\n"
		     "clock tsc_mhz=100 step=1 read=77\n"
		     "place pages=random thp=granted\n"
		     "level name=l1d size=32K ways=8 latency=3\n"
		     "level name=l2 size=256K ways=8 latency=20\n"
		     "prefetch kind=stride into=l1d switch=no\n"
		     "noise gaps=0.02\n", 337 / 3.85, 0.01);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_neighbour_fetched_along_makes_memory_no_faster),
		TEST(lines_of_no_known_length_are_far_apart),
		TEST(what_is_fetched_ahead_is_left_out_by_a_coarse_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
