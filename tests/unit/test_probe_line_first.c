// SPDX-License-Identifier: GPL-2.0
/* Lines of a first level that is seen only roughly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/line_first.h"

#define MACHINE \
	"machine name=a clock_mhz=3200 memory_latency=251\n" \
	"clock tsc_mhz=2600 step=1 read=70\n" \
	"place pages=random thp=granted huge=169\n"

static struct made_sim sim;

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = 64u << 20;
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
}

/* The first one was there before the probe was asked. */
static const struct mp_fact *last(const char *name)
{
	const struct mp_fact *fact = NULL;

	for (uint32_t i = 1; i < sim.facts.n; i++)
		if (!strcmp(sim.facts.fact[i].name, name))
			fact = &sim.facts.fact[i];
	assert_non_null(fact);
	return fact;
}

/* 35 sets: slots two lines apart fall on all of them, and it looks twice as
 * large. Behind it are lines twice as long, that two slots share. */
static void short_lines_on_odd_sets_are_not_taken_for_longer(void **state)
{
	struct mp_line_first first;
	struct mp_line_counts counts;
	const struct mp_fact *line;

	(void)state;
	ask(MACHINE "level name=l1d size=8960 ways=8 line=32 latency=4\n"
	    "level name=l2 size=13568 ways=4 latency=9\n"
	    "level name=l3 size=128K ways=1 latency=17 slices=4\n");
	assert_int_equal(mp_line_first_find(&sim.view, &first), 0);
	assert_true(first.fits_bytes > 1.5 * 8960);
	assert_int_equal(mp_line_counts(&sim.view, &first, NULL, &counts), 0);
	assert_int_equal(counts.line, 32);
	line = last("cpu.l1d.line");
	assert_int_equal(line->verdict, MP_MEASURED);
	assert_true(line->value == 32);
	made_sim_close(&sim);
}

/* 3 * 5 * 7 sets: none of the rings of slots far apart stays. What slots side
 * by side share is a line of the next level; a load brings no such neighbour. */
static void slots_that_share_a_line_further_out_do_not_make_it_one_here(void **state)
{
	const struct mp_fact *line;

	(void)state;
	ask(MACHINE "level name=l1d size=6720 ways=2 line=32 latency=4\n"
	    "level name=l2 size=13568 ways=4 latency=8\n"
	    "level name=l3 size=128K ways=1 latency=17 slices=4\n");
	line = last("cpu.l1d.line");
	assert_true(line->verdict == MP_NOT_MEASURABLE || line->value == 32);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lines_on_odd_sets_are_not_taken_for_longer),
		cmocka_unit_test(slots_that_share_a_line_further_out_do_not_make_it_one_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
