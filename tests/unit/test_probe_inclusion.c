// SPDX-License-Identifier: GPL-2.0
/* Probe inclusion, and the sizes that hang on it, on simulated machines. */
#include "made_sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"

#define KIB 1024.0
#define MACHINE(l1, l2, inclusion, policy) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place pages=contiguous\nclock tsc_mhz=3000 read=20\n" \
	"level name=l1d size=" l1 " ways=8 latency=4 policy=" policy "\n" \
	"level name=l2 size=" l2 " ways=8 latency=14 inclusion=" inclusion "\n"

extern const struct mp_probe mp_probe_cache_size, mp_probe_inclusion;

static struct made_sim sim;

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.arena_max_bytes = 4u << 20;
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_ask(&sim, &mp_probe_inclusion);
}

static void expect(const char *text, const char *inclusion, double kib)
{
	const struct mp_fact *fact;

	ask(text);
	fact = made_sim_fact(&sim, "cpu.l2.inclusion");
	if (fact->verdict != MP_MEASURED)
		fail_msg("%s (%s)", fact->reason, fact->method);
	assert_string_equal(fact->text, inclusion);
	assert_true(fact->n_evidence > 0);
	fact = made_sim_fact(&sim, "cpu.l2.size");
	if (fact->verdict != MP_MEASURED)
		fail_msg("%s (%s)", fact->reason, fact->method);
	if (fabs(fact->value / KIB / kib - 1) > 0.05 ||
	    fact->low > kib * KIB || fact->high < kib * KIB)
		fail_msg("%.1f KiB, %.1f .. %.1f (%s)", fact->value / KIB,
			 fact->low / KIB, fact->high / KIB, fact->method);
	fact = made_sim_fact(&sim, "cpu.l3.inclusion");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

static void an_exclusive_level_is_as_large_as_itself(void **state)
{
	(void)state;
	expect(MACHINE("128K", "512K", "exclusive", "lru"), "exclusive", 512);
}

/* The edge lies at 64 KiB, and sets here and inside begin anew after the same
 * bytes, so that no lines are kept out of the level inside. */
static void an_exclusive_level_is_seen_behind_a_full_one(void **state)
{
	(void)state;
	expect("machine name=a clock_mhz=3000 memory_latency=200\n"
	       "place pages=contiguous\nclock tsc_mhz=3000 read=20\n"
	       "level name=l1d size=16K ways=4 latency=4\n"
	       "level name=l2 size=48K ways=12 latency=14 inclusion=exclusive\n",
	       "exclusive", 48);
}

static void an_inclusive_level_loses_for_those_inside(void **state)
{
	(void)state;
	expect(MACHINE("32K", "128K", "inclusive", "lru"), "inclusive", 128);
}

static void a_level_that_is_neither_is_told_from_both(void **state)
{
	(void)state;
	expect(MACHINE("32K", "128K", "non-inclusive", "tree-plru"), "non-inclusive", 128);
}

#define ODD_SETS(inclusion) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place pages=contiguous\nclock tsc_mhz=3000 read=20 step=1\n" \
	"level name=l1d size=15K ways=4 line=64 latency=4\n" \
	"level name=l2 size=120K ways=8 line=128 latency=14 inclusion=" inclusion "\n"

/* Two slots of a line would find each other there. */
static void a_level_of_longer_lines_is_walked_by_its_lines(void **state)
{
	(void)state;
	expect(ODD_SETS("inclusive"), "inclusive", 120);
	expect(ODD_SETS("non-inclusive"), "non-inclusive", 120);
}

/* 160 KiB, or 128 beside the 32 inside: no experiment tells. */
static void what_is_not_known_is_not_guessed(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(MACHINE("32K", "128K", "exclusive", "fifo"));
	fact = made_sim_fact(&sim, "cpu.l2.inclusion");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_true(fact->reason[0]);
	fact = made_sim_fact(&sim, "cpu.l2.size");
	if (fact->verdict == MP_AT_LEAST)
		assert_true(fact->value <= 128 * KIB);
	if (fact->low > 128 * KIB || fact->high < 128 * KIB)
		fail_msg("%.1f KiB, %.1f .. %.1f (%s)", fact->value / KIB,
			 fact->low / KIB, fact->high / KIB, fact->method);
	made_sim_close(&sim);
}

#define COLOURS(inclusion) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place pages=random thp=refused\nclock tsc_mhz=3000 read=20\n" \
	"level name=l1d size=32K ways=2 latency=4 policy=fifo\n" \
	"level name=l2 size=64K ways=16 latency=14 index=physical inclusion=" inclusion "\n"

/* Nothing stays inside by being used, and no line is kept out of it. Pages of
 * one colour of the level inside move the edge, or do not. */
static void pages_of_few_colours_tell_where_no_line_stays(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(COLOURS("exclusive"));
	fact = made_sim_fact(&sim, "cpu.l2.inclusion");
	if (fact->verdict != MP_MEASURED)
		fail_msg("%s (%s)", fact->reason, fact->method);
	assert_string_equal(fact->text, "exclusive");
	assert_non_null(strstr(fact->method, "of pages of which"));
	assert_true(fact->n_evidence >= 2);
	made_sim_close(&sim);
	ask(COLOURS("non-inclusive"));
	fact = made_sim_fact(&sim, "cpu.l2.inclusion");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact->reason, "it is not exclusive"));
	fact = made_sim_fact(&sim, "cpu.l2.size");
	if (fact->verdict != MP_MEASURED)
		fail_msg("%s (%s)", fact->reason, fact->method);
	if (fact->low > 64 * KIB || fact->high < 64 * KIB)
		fail_msg("%.1f KiB, %.1f .. %.1f (%s)", fact->value / KIB,
			 fact->low / KIB, fact->high / KIB, fact->method);
	made_sim_close(&sim);
}

/* Random lines stay inside when the level behind has lost them: the edge lies
 * beyond it, whether both are nearly as large or not. */
static void what_is_kept_inside_is_not_counted_here(void **state)
{
	static const char *const inner[] = { "64K", "32K" };
	const struct mp_fact *fact;
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "machine name=a clock_mhz=3000 memory_latency=200\n"
			 "place pages=contiguous\n"
			 "clock tsc_mhz=3000 read=20\n"
			 "level name=l1d size=%s ways=8 latency=4 policy=random\n"
			 "level name=l2 size=128K ways=8 latency=14 policy=random\n",
			 inner[i]);
		ask(text);
		fact = made_sim_fact(&sim, "cpu.l2.size");
		if (fact->low > 128 * KIB || fact->high < 128 * KIB)
			fail_msg("%.1f KiB, %.1f .. %.1f (%s)",
				 fact->value / KIB, fact->low / KIB,
				 fact->high / KIB, fact->method);
		made_sim_close(&sim);
	}
}

/* No ring stays in the second level alone. It has what the first one has, so
 * the third may be without that once, not twice. */
static void what_lies_inside_twice_is_counted_once(void **state)
{
	static const char *const outer[] = {
		"size=432K ways=12", "size=400K ways=16 inclusion=exclusive",
	};
	static const double kib[] = { 432, 400 };
	const struct mp_fact *fact;
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "machine name=a clock_mhz=3000 memory_latency=200\n"
			 "place pages=contiguous\n"
			 "clock tsc_mhz=3000 read=20\n"
			 "level name=l1d size=32K ways=1 latency=4\n"
			 "level name=l2 size=48K ways=12 latency=14\n"
			 "level name=l3 %s latency=40\n", outer[i]);
		ask(text);
		fact = made_sim_fact(&sim, "cpu.l3.size");
		if (fact->verdict != MP_MEASURED ||
		    fact->low > kib[i] * KIB || fact->high < kib[i] * KIB)
			fail_msg("%.1f KiB, %.1f .. %.1f (%s, %s)",
				 fact->value / KIB, fact->low / KIB,
				 fact->high / KIB, fact->method, fact->reason);
		made_sim_close(&sim);
	}
}

/* By means. Part of H lives further in than the level inside, behind an exclusive
 * one, and hides how often lines are lost: a fifth less than never, of a level that
 * takes them along. */
static void what_is_lost_less_than_never_is_not_known(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_sim_open_quiet(&sim,
			    "machine name=a clock_mhz=1750 memory_latency=122\n"
			    "clock tsc_mhz=3000 step=33 read=22\n"
			    "place pages=random thp=granted huge=0\n"
			    "level name=l1d size=10K ways=8 latency=4 "
			    "policy=srrip\n"
			    "level name=l2 size=48K ways=12 latency=11 "
			    "policy=random index=physical inclusion=exclusive\n"
			    "level name=l3 size=224K ways=16 line=128 latency=23 "
			    "policy=bit-plru index=physical slices=8\n"
			    "level name=l4 size=384K ways=12 line=128 latency=51 "
			    "policy=qlru_h00_m1_r2_u1 index=physical "
			    "inclusion=inclusive\n", 1);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_ask(&sim, mp_probe_find("line"));
	made_sim_ask(&sim, &mp_probe_inclusion);
	fact = made_sim_fact(&sim, "cpu.l4.inclusion");
	if (fact->verdict == MP_MEASURED)
		assert_string_equal(fact->text, "inclusive");
	made_sim_close(&sim);
}

/* A ring of every fourth line, 2.5 times as long as the level, fits it where the
 * number of sets is odd: it drives nothing through. */
static void odd_sets_are_driven_through_by_every_line(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_sim_open(&sim, MACHINE("128K", "5212672", "inclusive", "lru"));
	sim.view.arena_max_bytes = 32u << 20;
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_ask(&sim, &mp_probe_inclusion);
	fact = made_sim_fact(&sim, "cpu.l2.inclusion");
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_string_equal(fact->text, "inclusive");
	made_sim_close(&sim);
}

/* Where ways are drawn more is kept than the newest lines: what leaves while it is used
 * all the time says so. Two levels hold more together than the outer one then. */
static void what_leaks_keeps_old_lines(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=3250 memory_latency=481\n"
		      "place pages=random thp=refused\n"
		      "clock tsc_mhz=2900 step=1 read=49\n"
		      "level name=l1d size=48K ways=8 latency=5 policy=nru\n"
		      "level name=l2 size=72K ways=8 line=128 latency=18 "
		      "policy=random index=physical\n"
		      "level name=l3 size=192K ways=6 line=128 latency=58 "
		      "policy=random index=physical inclusion=inclusive slices=2\n"
		      "level name=l4 size=288K ways=4 line=128 latency=98 "
		      "policy=bit-plru index=physical inclusion=inclusive slices=4\n");
	sim.view.arena_max_bytes = 64u << 20;
	made_sim_ask(&sim, &mp_probe_cache_size);
	fact = made_sim_not_wrong(&sim, "cpu.l4.size", 288 << 10, 0.05);
	assert_int_equal(fact->verdict, MP_AT_LEAST);
	if (!strstr(fact->reason, "keeps when this one has lost"))
		fail_msg("%s", fact->reason);
	made_sim_close(&sim);
}

/* Slots of the full rings that the first level asks for share lines of the others. Of
 * those it seemed that the third level keeps lines of trees of ways; of slots as far
 * apart as lines are long it is known what the fourth one holds. */
static void what_shares_lines_keeps_none(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=5250 memory_latency=353\n"
		      "place pages=contiguous\n"
		      "clock tsc_mhz=3800 step=18 read=12\n"
		      "level name=l1d size=10K ways=16 line=32 latency=4 "
		      "policy=tree-plru\n"
		      "level name=l2 size=43520 ways=8 latency=14 policy=srrip "
		      "inclusion=inclusive\n"
		      "level name=l3 size=2M ways=8 latency=47 "
		      "policy=tree-plru\n"
		      "level name=l4 size=10M ways=8 latency=138 "
		      "policy=tree-plru slices=8\n");
	sim.view.arena_max_bytes = 64u << 20;
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_not_wrong(&sim, "cpu.l3.size", 2 << 20, 0.05);
	fact = made_sim_not_wrong(&sim, "cpu.l4.size", 10 << 20, 0.05);
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fact->low <= 10 << 20 && fact->high >= 10 << 20);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exclusive_level_is_as_large_as_itself),
		cmocka_unit_test(an_exclusive_level_is_seen_behind_a_full_one),
		cmocka_unit_test(an_inclusive_level_loses_for_those_inside),
		cmocka_unit_test(a_level_that_is_neither_is_told_from_both),
		cmocka_unit_test(a_level_of_longer_lines_is_walked_by_its_lines),
		cmocka_unit_test(what_is_not_known_is_not_guessed),
		cmocka_unit_test(pages_of_few_colours_tell_where_no_line_stays),
		cmocka_unit_test(what_is_kept_inside_is_not_counted_here),
		cmocka_unit_test(what_lies_inside_twice_is_counted_once),
		cmocka_unit_test(what_is_lost_less_than_never_is_not_known),
		cmocka_unit_test(odd_sets_are_driven_through_by_every_line),
		cmocka_unit_test(what_leaks_keeps_old_lines),
		cmocka_unit_test(what_shares_lines_keeps_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
