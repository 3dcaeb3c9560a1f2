// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of machine files that tie keys and lines to one another, each broken
 * once, and what they fill in where they hold.
 */
#include "backend/sim_rules.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define L1 "level name=l1d size=32K ways=8 latency=4\n"

static char why[256];

static int parse(struct mp_sim_machine *machine, const char *text)
{
	why[0] = '\0';
	return mp_sim_machine_parse(machine, text, "m.machine", why,
				    sizeof(why));
}

static void assert_says(const char *text, const char *says)
{
	struct mp_sim_machine machine;

	if (parse(&machine, text) != -EINVAL)
		fail_msg("taken: %s", text);
	if (!strstr(why, says))
		fail_msg("'%s' says '%s'", text, why);
}

static void full_ways_become_a_number(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	assert_int_equal(parse(&machine,
		"level name=l1d size=32K ways=full latency=4\n"
		"level name=l2 size=1M ways=full line=128 slices=4 latency=9\n"
		"tlb level=1 page=4K entries=48 ways=full\n"), 0);
	assert_int_equal(machine.level[0].ways, 512);
	assert_int_equal(machine.level[1].ways, 2048);
	assert_int_equal(mp_sim_machine_sets(&machine.level[1]), 1);
	assert_int_equal(machine.tlb[0].ways, 48);
	mp_sim_machine_free(&machine);
}

static void sets_need_not_be_a_power_of_two(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	assert_int_equal(parse(&machine,
		"level name=l1d size=48K ways=12 latency=5\n"
		"level name=l2 size=1.25M ways=10 latency=17\n"
		"level name=l3 size=18M ways=12 latency=60\n"), 0);
	assert_int_equal(mp_sim_machine_sets(&machine.level[0]), 64);
	assert_int_equal(mp_sim_machine_sets(&machine.level[1]), 2048);
	assert_int_equal(mp_sim_machine_sets(&machine.level[2]), 24576);
	mp_sim_machine_free(&machine);
}

static void sets_have_to_be_whole(void **state)
{
	(void)state;
	assert_says("level name=l1d size=32K ways=7 latency=4",
		    "with 7 ways of 64 bytes in 1 slices these are no whole "
		    "number of sets; a multiple of 448 is");
	assert_says("level name=l1d size=32K ways=8 slices=3 latency=4",
		    "a multiple of 1536 is");
	assert_says("level name=l1d size=100 ways=full latency=4",
		    "ways=full: that is 0 ways");
	assert_says("tlb level=1 page=4K entries=65 ways=4",
		    "no whole number of sets");
}

static void a_tree_wants_a_power_of_two_of_ways(void **state)
{
	(void)state;
	assert_says("level name=l1d size=48K ways=12 latency=5 "
		    "policy=tree-plru", "ways=12: tree-plru wants a power of "
		    "two of ways");
	assert_says("tlb level=1 page=4K entries=72 ways=full "
		    "policy=tree-plru", "ways=72: tree-plru wants");
}

static void lines_and_sectors_are_powers_of_two(void **state)
{
	(void)state;
	assert_says("level name=l1d size=32K ways=8 latency=4 line=96",
		    "line=96: a power of two");
	assert_says("level name=l1d size=32K ways=8 latency=4 sector=24",
		    "sector=24: a power of two, 8 .. its line of 64");
	assert_says("level name=l1d size=32K ways=8 latency=4 sector=128",
		    "sector=128: a power of two, 8 .. its line of 64");
}

static void levels_count_outwards_each_once(void **state)
{
	(void)state;
	assert_says(L1 L1, ":2: level name=l1d: stands after l1d");
	assert_says("level name=l2 size=1M ways=8 latency=14\n" L1,
		    ":2: level name=l1d: stands after l2");
	assert_says("level name=l1d size=32K ways=8 latency=4 "
		    "inclusion=exclusive", "the innermost level has none "
		    "inside it");
	assert_says("# nothing\n\nmachine name=a\n", "m.machine: no level");
	assert_says("", "m.machine: no level");
}

static void what_is_stated_twice_is_refused(void **state)
{
	(void)state;
	assert_says("machine name=a\nmachine name=b\n", ":2: machine: stated "
		    "too often, at most 1 allowed");
	assert_says("clock\nclock step=2\n", "clock: stated too often");
	assert_says("noise\nnoise\n", "noise: stated too often");
	assert_says("place\nplace\n", "place: stated too often");
	assert_says("tlb level=1 page=4K entries=64 ways=4\n"
		    "tlb level=1 page=4K entries=32 ways=4\n",
		    ":2: tlb level=1 page=4K: stated on line 1 already");
	assert_says("walk cost=1\nwalk cost=2\n", "walk page=all: stated on "
		    "line 1 already");
	assert_says(L1 "neighbour level=l1d\nneighbour level=l1d\n",
		    "neighbour level=l1d: stated on line 2 already");
	assert_says("expect a.b=1 a.b=2", "expect a.b: stated twice");
}

static void a_level_that_is_named_has_to_be_there(void **state)
{
	(void)state;
	assert_says(L1 "neighbour level=l3\n", ":2: neighbour level=l3: there "
		    "is no such level");
	assert_says(L1 "prefetch kind=next into=l2\n", ":2: prefetch into=l2: "
		    "there is no such level");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_ways_become_a_number),
		cmocka_unit_test(sets_need_not_be_a_power_of_two),
		cmocka_unit_test(sets_have_to_be_whole),
		cmocka_unit_test(a_tree_wants_a_power_of_two_of_ways),
		cmocka_unit_test(lines_and_sectors_are_powers_of_two),
		cmocka_unit_test(levels_count_outwards_each_once),
		cmocka_unit_test(what_is_stated_twice_is_refused),
		cmocka_unit_test(a_level_that_is_named_has_to_be_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
