// SPDX-License-Identifier: GPL-2.0
/*
 * The machine format: the example of its description with every field, the
 * defaults of each word, and a table of files that are wrong.
 */
#include "backend/sim_machine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "temp_folder.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char example[] =
	"machine  name=example cpus=2 clock_mhz=3600 memory_latency=320\n"
	"level    name=l1d size=32K ways=8 latency=4 policy=tree-plru\n"
	"level    name=l2 size=1M ways=8 latency=14 policy=srrip\n"
	"level    name=l3 size=18M ways=12 latency=52 "
	"policy=qlru_h11_m1_r0_u0 slices=6 inclusion=exclusive shared=2\n"
	"tlb      level=1 page=4K entries=72 ways=72\n"
	"tlb      level=2 page=4K entries=3072 ways=12 cost=7\n"
	"walk     cost=28\n"
	"prefetch kind=adjacent into=l2\n"
	"place    pages=random thp=granted\n"
	"clock    tsc_mhz=2600 step=26 read=60\n"
	"noise    gaps=0.05 gap_us=5..2000   # and a comment\n"
	"\n"
	"expect   cpu.l1d.size=32K cpu.l1d.ways=8 cpu.l1d.policy=plru\n"
	"expect   cpu.l2.policy=lru|plru cpu.l4.size=absent\n";

static char why[256];

static int parse(struct mp_sim_machine *machine, const char *text)
{
	why[0] = '\0';
	return mp_sim_machine_parse(machine, text, "dir/m.machine", why,
				    sizeof(why));
}

static void assert_says(const char *text, const char *says)
{
	struct mp_sim_machine machine;

	if (parse(&machine, text) != -EINVAL)
		fail_msg("taken: %s", text);
	if (!strstr(why, says))
		fail_msg("'%s' says '%s'", text, why);
	assert_null(strchr(why, '\n'));
	assert_null(machine.expect);
}

static void the_levels_of_the_example_are_read(void **state)
{
	struct mp_sim_machine machine;
	const struct mp_sim_level *l3 = &machine.level[2];

	(void)state;
	assert_int_equal(parse(&machine, example), 0);
	assert_int_equal(machine.n_levels, 3);
	assert_string_equal(mp_sim_level_names[l3->name], "l3");
	assert_int_equal(machine.level[0].policy.index, MP_SIM_TREE_PLRU);
	assert_int_equal(machine.level[0].index, MP_SIM_VIRTUAL);
	assert_int_equal(machine.level[1].policy.index, MP_SIM_SRRIP);
	assert_int_equal(machine.level[1].index, MP_SIM_PHYSICAL);
	assert_int_equal(l3->at_line, 4);
	assert_int_equal(l3->size_bytes, 18u << 20);
	assert_int_equal(l3->ways, 12);
	assert_int_equal(l3->line_bytes, 64);
	assert_int_equal(l3->sector_bytes, 64);
	assert_int_equal(l3->latency_cycles, 52);
	assert_int_equal(l3->slices, 6);
	assert_int_equal(l3->shared, 2);
	assert_int_equal(l3->inclusion, MP_SIM_EXCLUSIVE);
	assert_int_equal(l3->policy.index, MP_SIM_QLRU);
	assert_string_equal(l3->policy.text, "qlru_h11_m1_r0_u0");
	assert_int_equal(mp_sim_machine_sets(l3), 4096);
	mp_sim_machine_free(&machine);
}

static void the_other_words_of_the_example_are_read(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	assert_int_equal(parse(&machine, example), 0);
	assert_string_equal(machine.general.name, "example");
	assert_int_equal(machine.general.cpus, 2);
	assert_true(machine.general.clock_mhz == 3600);
	assert_int_equal(machine.general.memory_latency_cycles, 320);
	assert_int_equal(machine.n_tlbs, 2);
	assert_int_equal(machine.tlb[0].cost_cycles, 0);
	assert_int_equal(machine.tlb[1].entries, 3072);
	assert_int_equal(machine.tlb[1].cost_cycles, 7);
	assert_int_equal(machine.n_walks, 1);
	assert_int_equal(machine.walk[0].page, MP_SIM_PAGE_ALL);
	assert_int_equal(machine.n_prefetchers, 1);
	assert_string_equal(machine.prefetch[0].kind.text, "adjacent");
	assert_int_equal(machine.prefetch[0].can_switch, 1);
	assert_int_equal(machine.ticks.step_ticks, 26);
	assert_int_equal(machine.ticks.read_cycles, 60);
	assert_true(machine.noise.gaps == 0.05);
	assert_true(machine.noise.gap_us.high == 2000);
	assert_int_equal(machine.noise.unseen, 0);
	mp_sim_machine_free(&machine);
}

static void expectations_are_kept_as_they_stand(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	assert_int_equal(parse(&machine, example), 0);
	assert_int_equal(machine.n_expects, 5);
	assert_string_equal(mp_sim_machine_expect(&machine, "cpu.l1d.size"),
			    "32K");
	assert_string_equal(mp_sim_machine_expect(&machine, "cpu.l2.policy"),
			    "lru|plru");
	assert_string_equal(mp_sim_machine_expect(&machine, "cpu.l4.size"),
			    "absent");
	assert_null(mp_sim_machine_expect(&machine, "cpu.l1d"));
	mp_sim_machine_free(&machine);
}

static void a_word_that_is_left_out_means_its_defaults(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	assert_int_equal(parse(&machine, "level name=l1d size=32K ways=8 "
			       "latency=4"), 0);
	assert_string_equal(machine.general.name, "m");
	assert_int_equal(machine.general.cpus, 1);
	assert_true(machine.general.clock_mhz == 3000);
	assert_int_equal(machine.general.memory_latency_cycles, 300);
	assert_true(machine.general.ram_bytes == 16ull << 30);
	assert_int_equal(machine.level[0].policy.index, MP_SIM_LRU);
	assert_int_equal(machine.level[0].slices, 1);
	assert_int_equal(machine.pages.contiguous, 0);
	assert_int_equal(machine.pages.thp_refused, 0);
	assert_int_equal(machine.pages.huge_pages, 0);
	assert_true(machine.ticks.tsc_mhz == 2600);
	assert_int_equal(machine.ticks.step_ticks, 1);
	assert_int_equal(machine.ticks.read_cycles, 25);
	assert_true(machine.ticks.drift == 0 && machine.ticks.jumps_hz == 0);
	assert_true(machine.noise.gaps == 0);
	assert_true(machine.noise.gap_us.low == 2);
	assert_int_equal(machine.n_tlbs + machine.n_walks +
			 machine.n_neighbours + machine.n_expects, 0);
	mp_sim_machine_free(&machine);
}

static void neighbours_and_walks_have_their_defaults_too(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	assert_int_equal(parse(&machine, "neighbour level=l1d\n"
			       "level name=l1d size=32K ways=8 latency=4\n"
			       "walk cost=9 page=2M\nwalk cost=8\n"), 0);
	assert_true(machine.neighbour[0].share.low == 0.2);
	assert_true(machine.neighbour[0].share.high == 0.8);
	assert_true(machine.neighbour[0].period_ms == 50);
	assert_int_equal(machine.walk[0].page, MP_SIM_PAGE_2M);
	assert_int_equal(machine.walk[1].page, MP_SIM_PAGE_ALL);
	mp_sim_machine_free(&machine);
}

#define L1 "level name=l1d size=32K ways=8 latency=4\n"

static void every_word_and_key_is_known_or_refused(void **state)
{
	(void)state;
	assert_says("cache name=l1d\n", "m.machine:1: cache is no word of this "
		    "format: its words are machine, level, tlb, walk, "
		    "prefetch, place, clock, noise, neighbour, expect");
	assert_says(L1 "machine name=a b=1\n", ":2: machine has no key b: its "
		    "keys are name, cpus, clock_mhz, memory_latency, ram");
	assert_says("level name=l1d size=32K ways=8 latency=4 a=1", "level has "
		    "no key a: its keys are name, size, ways, line, sector, "
		    "latency, policy, index, inclusion, slices, shared");
	assert_says("tlb a=1", "tlb has no key a: its keys are level, page, "
		    "entries, ways, cost, policy");
	assert_says("walk a=1", "walk has no key a: its keys are cost, page");
	assert_says("prefetch a=1", "prefetch has no key a: its keys are kind, "
		    "into, switch");
	assert_says("place a=1", "place has no key a: its keys are pages, thp, "
		    "huge");
	assert_says("clock a=1", "clock has no key a: its keys are tsc_mhz, "
		    "step, read, drift, jumps");
	assert_says("noise a=1", "noise has no key a: its keys are gaps, "
		    "gap_us, seen");
	assert_says("neighbour a=1", "neighbour has no key a: its keys are "
		    "level, share, period_ms");
}

static void what_has_no_default_must_be_there(void **state)
{
	static const struct {
		const char *line;
		const char *missing;
	} rows[] = {
		{ "machine cpus=2", "machine: name is missing" },
		{ "level size=32K ways=8 latency=4", "level: name is missing" },
		{ "level name=l1d ways=8 latency=4", "level: size is missing" },
		{ "level name=l1d size=32K latency=4", "ways is missing" },
		{ "level name=l1d size=32K ways=8", "latency is missing" },
		{ "tlb page=4K entries=64 ways=4", "level is missing" },
		{ "tlb level=1 entries=64 ways=4", "page is missing" },
		{ "tlb level=1 page=4K ways=4", "entries is missing" },
		{ "tlb level=1 page=4K entries=64", "ways is missing" },
		{ "walk page=4K", "walk: cost is missing" },
		{ "prefetch into=l2", "prefetch: kind is missing" },
		{ "prefetch kind=next", "prefetch: into is missing" },
		{ "neighbour share=0.5", "neighbour: level is missing" },
		{ "expect", "expect: FACT=VALUE is missing" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_says(rows[i].line, rows[i].missing);
}

static void values_out_of_range_are_refused(void **state)
{
	static const char *const lines[] = {
		"machine name=a cpus=0", "machine name=a cpus=1025",
		"machine name=a clock_mhz=0", "machine name=a clock_mhz=30000",
		"machine name=a memory_latency=0", "machine name=a ram=1M",
		"machine name=a ram=64", "machine name=a memory_latency=2.5",
		"level name=l5 size=32K ways=8 latency=4",
		"level name=l1d size=0 ways=8 latency=4",
		"level name=l1d size=32k ways=8 latency=4",
		"level name=l1d size=-32K ways=8 latency=4",
		"level name=l1d size=32K ways=0 latency=4",
		"level name=l1d size=32K ways=all latency=4",
		"level name=l1d size=32K ways=8 latency=0",
		"level name=l1d size=32K ways=8 latency=4 line=4",
		"level name=l1d size=32K ways=8 latency=4 line=8K",
		"level name=l1d size=32K ways=8 latency=4 policy=LRU",
		"level name=l1d size=32K ways=8 latency=4 policy=qlru",
		"level name=l1d size=32K ways=8 latency=4 policy=qlru_h31_m1_r0_u0",
		"level name=l1d size=32K ways=8 latency=4 policy=qlru_h11_m4_r0_u0",
		"level name=l1d size=32K ways=8 latency=4 policy=qlru_h11_m1_r3_u0",
		"level name=l1d size=32K ways=8 latency=4 policy=qlru_h11_m1_r0_u4",
		"level name=l1d size=32K ways=8 latency=4 policy=qlru_h11_m1_r0",
		"level name=l1d size=32K ways=8 latency=4 policy=qlru_h11_m1_r0_u0x",
		"level name=l1d size=32K ways=8 latency=4 index=both",
		"level name=l1d size=32K ways=8 latency=4 inclusion=some",
		"level name=l1d size=32K ways=8 latency=4 slices=0",
		"level name=l1d size=32K ways=8 latency=4 shared=0",
		"tlb level=0 page=4K entries=64 ways=4",
		"tlb level=3 page=4K entries=64 ways=4",
		"tlb level=1 page=64K entries=64 ways=4",
		"tlb level=1 page=4K entries=0 ways=4",
		"tlb level=1 page=4K entries=64 ways=4 cost=-1",
		"walk cost=-1", "walk cost=1 page=3M",
		"prefetch kind=magic into=l2", "prefetch kind=next into=dram",
		"prefetch kind=next into=l2 switch=maybe",
		"place pages=sorted", "place thp=yes", "place huge=-1",
		"clock tsc_mhz=0", "clock step=0", "clock read=-1",
		"clock drift=0.6", "clock jumps=1001",
		"noise gaps=1", "noise gaps=0.91", "noise gap_us=0..4",
		"noise gap_us=9..4", "noise seen=0",
		"neighbour level=l1d share=0..1", "neighbour level=l1d share=2",
		"neighbour level=l1d period_ms=0",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_says(lines[i], "allowed is ");
}

static void expectations_have_a_form(void **state)
{
	static const char *const bad[] = {
		"expect cpu.l1d.size", "expect cpu.l1d.size=",
		"expect size=3", "expect .a=3", "expect a.=3",
		"expect CPU.l1d=3", "expect cpu..size=3",
		"expect cpu.l1d.policy=lru|", "expect cpu.l1d.policy=|lru",
		"expect cpu.l1d.policy=lru||plru",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_says(bad[i], "m.machine:1: expect");
}

static void a_file_is_read_with_its_line_ends(void **state)
{
	static const char text[] = "machine name=dos\r\n" L1;
	const char *path = temp_path("dos.machine");
	struct mp_sim_machine machine;
	FILE *file = fopen(path, "w");

	(void)state;
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(mp_sim_machine_read(&machine, path, why, sizeof(why)),
			 0);
	assert_string_equal(machine.general.name, "dos");
	mp_sim_machine_free(&machine);
}

static void a_file_that_is_no_text_is_refused(void **state)
{
	const char *path = temp_path("binary.machine");
	struct mp_sim_machine machine;
	FILE *file = fopen(path, "w");

	(void)state;
	assert_non_null(file);
	fwrite("level\0name", 1, 10, file);
	fclose(file);
	assert_int_equal(mp_sim_machine_read(&machine, path, why, sizeof(why)),
			 -EINVAL);
	assert_non_null(strstr(why, "binary.machine: a NUL byte"));
}

static void a_file_that_is_not_there_is_named(void **state)
{
	const char *path = temp_path("none.machine");
	struct mp_sim_machine machine;

	(void)state;
	assert_int_equal(mp_sim_machine_read(&machine, path, why, sizeof(why)),
			 -ENOENT);
	assert_non_null(strstr(why, "none.machine"));
	assert_int_equal(mp_sim_machine_read(&machine, temp_folder(), why,
					     sizeof(why)), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_levels_of_the_example_are_read),
		cmocka_unit_test(the_other_words_of_the_example_are_read),
		cmocka_unit_test(expectations_are_kept_as_they_stand),
		cmocka_unit_test(a_word_that_is_left_out_means_its_defaults),
		cmocka_unit_test(neighbours_and_walks_have_their_defaults_too),
		cmocka_unit_test(every_word_and_key_is_known_or_refused),
		cmocka_unit_test(what_has_no_default_must_be_there),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(expectations_have_a_form),
		cmocka_unit_test(a_file_is_read_with_its_line_ends),
		cmocka_unit_test(a_file_that_is_no_text_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
