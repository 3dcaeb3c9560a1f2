// SPDX-License-Identifier: GPL-2.0
/* What the zoo calls right, and what it says that nobody could know. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_honour.h"
#include "tests/bench/zoo_expect.h"

#define PUBLISHED "tests/sim/published"

#define L1 "level name=l1d size=32K ways=8 latency=4\n"
#define L2 "level name=l2 size=1M ways=16 latency=14"
#define TLBS "tlb level=1 page=4K entries=64 ways=4\n" \
	"tlb level=2 page=4K entries=1536 ways=12 cost=7\nwalk cost=30\n"

static struct mp_sim_machine machine;

static const char *of(const char *fact)
{
	const char *value = mp_sim_machine_expect(&machine, fact);

	return value ? value : "nothing";
}

static void make(const char *text)
{
	char why[256];

	mp_sim_machine_free(&machine);
	if (mp_sim_machine_parse(&machine, text, "made", why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(zoo_expect(&machine), 0);
}

static void what_a_machine_has_is_expected_of_it(void **state)
{
	(void)state;
	make("machine name=m cpus=4 clock_mhz=2000 memory_latency=200\n"
	     "level name=l1d size=32K ways=8 latency=4 policy=tree-plru\n"
	     L2 " line=128 sector=64 policy=nru inclusion=inclusive shared=2\n"
	     TLBS "prefetch kind=adjacent into=l2\n");
	assert_string_equal(of("cpu.l1d.size"), "32K");
	assert_string_equal(of("cpu.l1d.policy"), "plru");
	assert_string_equal(of("cpu.l1d.latency"), "2");
	assert_string_equal(of("cpu.l1d.inclusion"), "nothing");
	assert_string_equal(of("cpu.l1d.shared"), "1");
	assert_string_equal(of("cpu.l2.ways"), "16");
	assert_string_equal(of("cpu.l2.line"), "128");
	assert_string_equal(of("cpu.l2.sector"), "64");
	assert_string_equal(of("cpu.l2.policy"), "mru");
	assert_string_equal(of("cpu.l2.inclusion"), "inclusive");
	assert_string_equal(of("cpu.l2.shared"), "2");
	assert_string_equal(of("cpu.l2.latency-cycles"), "14");
	assert_string_equal(of("cpu.l3.size"), "absent");
	assert_string_equal(of("cpu.l4.size"), "absent");
	assert_string_equal(of("cpu.dram.latency"), "100");
	assert_string_equal(of("cpu.clock"), "2000000000");
	assert_string_equal(of("cpu.dtlb.entries"), "64");
	assert_string_equal(of("cpu.dtlb.ways"), "4");
	assert_string_equal(of("cpu.stlb.entries"), "1536");
	assert_string_equal(of("cpu.stlb.hit-cost"), "7");
	assert_string_equal(of("cpu.walk.cost"), "30");
	assert_string_equal(of("cpu.prefetch.adjacent"), "works");
	assert_string_equal(of("cpu.prefetch.next"), "absent");
}

static void ways_need_lines_of_one_set(void **state)
{
	(void)state;
	/* 64 KiB from set to set: within pages of 2 MiB, not of 4 KiB. */
	make(L1 L2 "\nplace thp=granted\n");
	assert_string_equal(of("cpu.l2.ways"), "16");
	make(L1 L2 "\nplace thp=refused\n");
	assert_string_equal(of("cpu.l1d.ways"), "8");
	assert_string_equal(of("cpu.l2.ways"), "any");
	assert_string_equal(of("cpu.l2.policy"), "any");
	assert_string_equal(of("cpu.l2.size"), "1M");
	make(L1 L2 "\nplace thp=refused pages=contiguous\n");
	assert_string_equal(of("cpu.l2.ways"), "16");
	make(L1 L2 " index=virtual\nplace thp=refused\n");
	assert_string_equal(of("cpu.l2.ways"), "16");
	make(L1 L2 " slices=2\n");
	assert_string_equal(of("cpu.l2.ways"), "any");
	/* Reserved pages of 2 MiB do, as long as there are enough. */
	make(L1 "level name=l2 size=16M ways=8 latency=14\n"
	     "place thp=refused huge=9\n");
	assert_string_equal(of("cpu.l2.ways"), "8");
	make(L1 "level name=l2 size=16M ways=8 latency=14\n"
	     "place thp=refused huge=8\n");
	assert_string_equal(of("cpu.l2.ways"), "any");
	/* 96 KiB from set to set: no page of 2 MiB begins at a multiple, but
	 * seventeen lines lie in one. */
	make(L1 "level name=l2 size=1.5M ways=16 latency=14\n");
	assert_string_equal(of("cpu.l2.ways"), "16");
	make(L1 "level name=l2 size=3M ways=16 latency=14\n");
	assert_string_equal(of("cpu.l2.ways"), "any");
}

static void policy_needs_a_choice_and_a_clear_view(void **state)
{
	(void)state;
	make("level name=l1d size=8K ways=1 latency=4\n");
	assert_string_equal(of("cpu.l1d.policy"), "any");
	assert_string_equal(of("cpu.l1d.ways"), "1");
	make("level name=l1d size=8K ways=2 latency=4 policy=bit-plru\n");
	assert_string_equal(of("cpu.l1d.policy"),
			    "lru|plru|mru|not-measurable");
	make("level name=l1d size=8K ways=2 latency=4 policy=fifo\n");
	assert_string_equal(of("cpu.l1d.policy"), "fifo");
	make(L1 L2 " inclusion=exclusive\n");
	assert_string_equal(of("cpu.l2.policy"), "any");
	assert_string_equal(of("cpu.l2.ways"), "16");
	/* Whatever makes room in this first level is of one set outside. */
	make("level name=l1d size=32K ways=1 latency=4\n"
	     "level name=l2 size=64K ways=16 latency=14\n");
	assert_string_equal(of("cpu.l2.policy"), "any");
	make("level name=l1d size=48K ways=48 latency=4\n");
	assert_string_equal(of("cpu.l1d.policy"), "any");
}

static void inclusion_is_hidden_by_a_level_that_forgets_first(void **state)
{
	const char *const hidden = "inclusive|non-inclusive|not-measurable";

	(void)state;
	make("level name=l1d size=32K ways=1 latency=4\n" L2
	     " inclusion=inclusive\nplace pages=contiguous\n");
	assert_string_equal(of("cpu.l2.inclusion"), hidden);
	/* Scattered small pages part the sets by virtual address. */
	make("level name=l1d size=32K ways=1 latency=4\n" L2
	     " inclusion=inclusive\n");
	assert_string_equal(of("cpu.l2.inclusion"), "inclusive");
	make("level name=l1d size=32K ways=8 latency=4 policy=fifo\n" L2 "\n");
	assert_string_equal(of("cpu.l2.inclusion"), hidden);
	make("level name=l1d size=32K ways=8 latency=4 policy=fifo\n" L2
	     " policy=random\n");
	assert_string_equal(of("cpu.l2.inclusion"), "non-inclusive");
	make("level name=l1d size=32K ways=1 latency=4\n" L2
	     " inclusion=exclusive\n");
	assert_string_equal(of("cpu.l2.inclusion"), "exclusive");
}

static void translation_that_is_not_there_is_absent(void **state)
{
	(void)state;
	make(L1);
	assert_string_equal(of("cpu.dtlb.entries"), "absent|not-measurable");
	assert_string_equal(of("cpu.walk.cost"), "absent|not-measurable");
	make(L1 "tlb level=1 page=4K entries=64 ways=4\nwalk cost=30\n");
	assert_string_equal(of("cpu.stlb.entries"), "absent");
	assert_string_equal(of("cpu.stlb.hit-cost"), "absent");
	assert_string_equal(of("cpu.dtlb-2m.entries"),
			    "absent|not-measurable");
}

static void huge_translations_need_huge_pages_and_enough_of_them(void **state)
{
	const char *const huge = "tlb level=1 page=2M entries=32 ways=4\n"
		"tlb level=2 page=2M entries=1536 ways=12 cost=7\n";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), L1 TLBS "%s", huge);
	make(text);
	assert_string_equal(of("cpu.dtlb-2m.entries"), "32");
	assert_string_equal(of("cpu.dtlb-2m.ways"), "4");
	assert_string_equal(of("cpu.stlb-2m.entries"), "any");
	snprintf(text, sizeof(text), L1 TLBS "%splace thp=refused\n", huge);
	make(text);
	assert_string_equal(of("cpu.dtlb-2m.entries"), "any");
	snprintf(text, sizeof(text), L1 TLBS "%splace thp=refused huge=39\n",
		 huge);
	make(text);
	assert_string_equal(of("cpu.dtlb-2m.entries"), "any");
	snprintf(text, sizeof(text), L1 TLBS "%splace thp=refused huge=40\n",
		 huge);
	make(text);
	assert_string_equal(of("cpu.dtlb-2m.entries"), "32");
}

static void what_moves_has_no_number(void **state)
{
	(void)state;
	make(L1 L2 "\nneighbour level=l2\nclock jumps=1\n");
	assert_string_equal(of("cpu.l2.size"), "varies");
	assert_string_equal(of("cpu.l2.ways"), "any");
	assert_string_equal(of("cpu.l2.latency-cycles"), "14");
	assert_string_equal(of("cpu.dram.latency"), "any");
	assert_string_equal(of("cpu.clock"), "any");
}

static void one_cpu_shares_with_nobody_that_could_be_asked(void **state)
{
	(void)state;
	make("machine name=m cpus=1\n" L1);
	assert_string_equal(of("cpu.l1d.shared"), "any");
	make("machine name=m cpus=2\n" L1 L2 " shared=4\n");
	assert_string_equal(of("cpu.l2.shared"), "2");
}

static void a_stride_prefetcher_hides_no_stream(void **state)
{
	(void)state;
	make(L1 "prefetch kind=stride into=l1d\n");
	assert_string_equal(of("cpu.prefetch.stride"), "works");
	assert_string_equal(of("cpu.prefetch.stream"), "absent");
	make(L1 "prefetch kind=stride into=l1d\n"
	     "prefetch kind=stream into=l1d\n");
	assert_string_equal(of("cpu.prefetch.stride"), "works");
	assert_string_equal(of("cpu.prefetch.stream"), "works");
	make(L1 "prefetch kind=stream into=l1d\n");
	assert_string_equal(of("cpu.prefetch.stream"), "works");
	assert_string_equal(of("cpu.prefetch.stride"), "absent");
}

static void exclusive_levels_reach_as_far_as_both(void **state)
{
	(void)state;
	make(L1 L2 " inclusion=exclusive\n");
	assert_int_equal(zoo_reach_bytes(&machine, 0), 32 << 10);
	assert_int_equal(zoo_reach_bytes(&machine, 1), (1 << 20) + (32 << 10));
	assert_string_equal(of("cpu.l2.size"), "1M");
}

static int is_machine(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".machine");
}

/* Every expectation that a file states, and none that it leaves out. */
static void check_file(const char *path)
{
	struct mp_sim_machine read;
	char why[256];

	mp_sim_machine_free(&machine);
	if (mp_sim_machine_read(&read, path, why, sizeof(why)) ||
	    mp_sim_honour(&read, path, why, sizeof(why)))
		fail_msg("%s", why);
	machine = read;
	machine.expect = NULL;
	machine.n_expects = 0;
	assert_int_equal(zoo_expect(&machine), 0);
	assert_int_equal(machine.n_expects, read.n_expects);
	for (uint32_t i = 0; i < read.n_expects; i++) {
		if (strcmp(of(read.expect[i].fact), read.expect[i].value))
			fail_msg("%s: %s=%s, but by the rule %s", path,
				 read.expect[i].fact, read.expect[i].value,
				 of(read.expect[i].fact));
	}
	mp_sim_machine_free(&read);
}

static void published_machines_are_expected_what_the_rule_says(void **state)
{
	struct dirent **entry;
	char path[512];
	int n;

	(void)state;
	n = scandir(PUBLISHED, &entry, is_machine, alphasort);
	/* As many cores as the table has. */
	assert_int_equal(n, 23);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), PUBLISHED "/%.200s",
			 entry[i]->d_name);
		free(entry[i]);
		check_file(path);
	}
	free(entry);
}

static int end(void **state)
{
	(void)state;
	mp_sim_machine_free(&machine);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_machine_has_is_expected_of_it),
		cmocka_unit_test(ways_need_lines_of_one_set),
		cmocka_unit_test(policy_needs_a_choice_and_a_clear_view),
		cmocka_unit_test(
			inclusion_is_hidden_by_a_level_that_forgets_first),
		cmocka_unit_test(translation_that_is_not_there_is_absent),
		cmocka_unit_test(
			huge_translations_need_huge_pages_and_enough_of_them),
		cmocka_unit_test(what_moves_has_no_number),
		cmocka_unit_test(one_cpu_shares_with_nobody_that_could_be_asked),
		cmocka_unit_test(a_stride_prefetcher_hides_no_stream),
		cmocka_unit_test(
			published_machines_are_expected_what_the_rule_says),
		cmocka_unit_test(exclusive_levels_reach_as_far_as_both),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
