// SPDX-License-Identifier: GPL-2.0
/* Pairs of lines that may lie in one line of a level of which nothing is
 * known: did a prefetcher bring the other one? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

enum says { ABSENT, WORKS, OPEN };

static struct made_sim sim;

static void know(const char *name, double value)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, 0);
	fact = mp_facts_add(&sim.facts, name, &where);
	fact->verdict = MP_MEASURED;
	fact->value = value;
}

/* Of the levels nothing is known but the latency of the first. */
static void says(const char *levels, const char *more, uint32_t quiet,
		 enum says what)
{
	const struct mp_fact *fact;
	char text[1024];

	snprintf(text, sizeof(text),
		 "machine name=a clock_mhz=3000 memory_latency=250\n%s%s"
		 "walk cost=30\ntlb level=1 page=4K entries=64 ways=4\n"
		 "clock tsc_mhz=2600 step=1 read=30\nnoise gaps=0.02\n",
		 levels, more);
	made_sim_open(&sim, text);
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.quiet = quiet;
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	know("cpu.l1d.latency", 4 / 3.0);
	made_sim_ask(&sim, mp_probe_find("prefetch"));
	fact = made_sim_fact(&sim, "cpu.prefetch.adjacent");
	if (fact->verdict != (what == ABSENT ? MP_ABSENT : what == WORKS ?
			      MP_MEASURED : MP_NOT_MEASURABLE))
		fail_msg("%s%sverdict %u: %s; %s", levels, more, fact->verdict,
			 fact->method, fact->reason);
	made_sim_close(&sim);
}

#define OFF MP_WISH_PREFETCH_OFF

/* What was loaded is not taken out with it, so what was brought is not. */
static void a_line_that_goes_where_loaded_ones_stay_was_not_brought(void **state)
{
	static const char levels[] =
		"level name=l1d size=16K ways=8 line=64 latency=4\n"
		"level name=l2 size=64K ways=8 line=64 latency=14\n"
		"level name=l3 size=512K ways=8 line=128 latency=50\n";

	(void)state;
	says(levels, "", 0, ABSENT);
	says(levels, "prefetch kind=adjacent into=l1d\n", 0, WORKS);
	says(levels, "prefetch kind=adjacent into=l2\n", 0, WORKS);
	says(levels, "prefetch kind=adjacent into=l3\n", 0, WORKS);
	says(levels, "prefetch kind=next into=l1d\n", 0, ABSENT);
	says(levels, "prefetch kind=next into=l2\nprefetch kind=stream into=l2\n",
	     0, ABSENT);
}

/* A level that includes those inside takes both out of them. */
static void what_comes_further_in_with_prefetchers_on_was_brought(void **state)
{
	static const char levels[] =
		"level name=l1d size=16K ways=8 line=64 latency=4\n"
		"level name=l2 size=64K ways=8 line=64 latency=14\n"
		"level name=l3 size=512K ways=8 line=128 latency=50 inclusion=inclusive\n";

	(void)state;
	says(levels, "", OFF, ABSENT);
	says(levels, "prefetch kind=next into=l1d\n", OFF, ABSENT);
	says(levels, "prefetch kind=adjacent into=l1d\n", OFF, WORKS);
	says(levels, "prefetch kind=adjacent into=l2\nprefetch kind=next into=l1d\n",
	     OFF, WORKS);
}

static void prefetchers_that_stay_on_leave_it_open(void **state)
{
	static const char levels[] =
		"level name=l1d size=16K ways=8 line=64 latency=4\n"
		"level name=l2 size=64K ways=8 line=64 latency=14\n"
		"level name=l3 size=512K ways=8 line=128 latency=50 inclusion=inclusive\n";

	(void)state;
	says(levels, "", 0, OPEN);
	says(levels, "prefetch kind=stride into=l2 switch=no\n", OFF, OPEN);
	says(levels, "prefetch kind=adjacent into=l2 switch=no\n", OFF, OPEN);
}

/* Two lines to a slot: the upper one cannot be flushed by itself. */
static void halves_of_a_slot_are_held_against_prefetchers_that_are_off(void **state)
{
	static const char *const levels[] = {
		"level name=l1d size=16K ways=16 line=32 latency=4\n"
		"level name=l2 size=80K ways=8 line=32 latency=18\n"
		"level name=l3 size=256K ways=4 line=64 latency=50\n",
		"level name=l1d size=32K ways=8 line=32 latency=4\n"
		"level name=l2 size=128K ways=16 line=32 latency=14\n",
	};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		says(levels[i], "", OFF, ABSENT);
		says(levels[i], "prefetch kind=adjacent into=l2\n", OFF, WORKS);
		says(levels[i], "prefetch kind=adjacent into=l1d\n", OFF, WORKS);
		says(levels[i], "prefetch kind=adjacent into=l2\n"
		     "prefetch kind=next into=l1d\n", OFF, OPEN);
		says(levels[i], "prefetch kind=adjacent into=l2 switch=no\n",
		     OFF, OPEN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_that_goes_where_loaded_ones_stay_was_not_brought),
		cmocka_unit_test(what_comes_further_in_with_prefetchers_on_was_brought),
		cmocka_unit_test(prefetchers_that_stay_on_leave_it_open),
		cmocka_unit_test(halves_of_a_slot_are_held_against_prefetchers_that_are_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
