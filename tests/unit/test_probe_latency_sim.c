// SPDX-License-Identifier: GPL-2.0
/* Latencies of simulated machines that once fooled the probe. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define ARENA_BYTES (64u << 20)

/* By means. Lines of the second level are as long as two slots of the chase lie
 * apart: half of the hops to the third find theirs in the second. */
#define SHARED "machine name=x clock_mhz=3500 memory_latency=133\n" \
	       "clock tsc_mhz=800 step=1 read=72\n" \
	       "place pages=contiguous thp=granted huge=0\n" \
	       "tlb level=1 page=4K entries=96 ways=full\n" \
	       "tlb level=1 page=2M entries=32 ways=full\nwalk cost=49\n" \
	       "level name=l1d size=32K ways=8 latency=5\n" \
	       "level name=l2 size=128K ways=8 line=256 latency=20\n" \
	       "level name=l3 size=1M ways=8 line=256 latency=59\n"
/* The same, but for the second level's lines. */
#define APART "machine name=x clock_mhz=3500 memory_latency=133\n" \
	      "clock tsc_mhz=800 step=1 read=72\n" \
	      "place pages=contiguous thp=granted huge=0\n" \
	      "tlb level=1 page=4K entries=96 ways=full\n" \
	      "tlb level=1 page=2M entries=32 ways=full\nwalk cost=49\n" \
	      "level name=l1d size=32K ways=8 latency=5\n" \
	      "level name=l2 size=128K ways=8 latency=20\n" \
	      "level name=l3 size=1M ways=8 line=256 latency=59\n"

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
	sim.view.caps |= MP_CAP_CORE_CLOCK;
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("latency"));
}

static void is(const char *name, double cycles)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fabs(fact->value - cycles) < 0.02 * cycles);
}

static void what_shares_a_line_of_the_level_inside_has_no_latency(void **state)
{
	(void)state;
	ask(SHARED);
	is("cpu.l1d.latency-cycles", 5);
	is("cpu.l2.latency-cycles", 20);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.latency-cycles")->verdict,
			 MP_NOT_MEASURABLE);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.latency")->verdict,
			 MP_NOT_MEASURABLE);
}

/* That line is not known there either: the ring of slots far apart tells. */
static void what_takes_as_long_far_apart_shares_none(void **state)
{
	(void)state;
	ask(APART);
	is("cpu.l1d.latency-cycles", 5);
	is("cpu.l2.latency-cycles", 20);
	is("cpu.l3.latency-cycles", 59);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_shares_a_line_of_the_level_inside_has_no_latency,
					  end),
		cmocka_unit_test_teardown(what_takes_as_long_far_apart_shares_none,
					  end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
