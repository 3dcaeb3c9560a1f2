// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose clock is too coarse to time a hop: what makes a
 * level doubtful, and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define ARENA_BYTES (64u << 20)
#define CLOCK "clock tsc_mhz=2000 step=21 read=65\n"

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
	sim.view.seed = 1;
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

static void holds(const char *name, double value)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fact->low <= value && fact->high >= value);
}

/* Beyond the last level half of the hops of a dense ring are served by it, as
 * two slots share each of its lines: all lengths take the same, 79 cycles,
 * which no edge explains. */
static void hops_that_share_a_line_hide_no_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3300 memory_latency=141\n" CLOCK
	    "level name=l1d size=24K ways=12 line=64 latency=4\n"
	    "level name=l2 size=384K ways=12 line=256 latency=17\n"
	    "place pages=contiguous\n");
	holds("cpu.l1d.size", 24 << 10);
	holds("cpu.l2.size", 384 << 10);
	assert_int_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			 MP_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(hops_that_share_a_line_hide_no_level,
					  end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
