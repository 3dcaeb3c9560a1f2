// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose levels have been counted wrong: a right answer, or
 * none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "like_runs.h"
#include "made_sim.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_edges.h"
#include "sim_ask.h"

#define ARENA_BYTES (64u << 20)

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text, double line)
{
	made_sim_open(&sim, text);
	sim.facts.fact[0].value = line;
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* At all depth, with a seed that showed it. */
static void ask_deep(const char *text, uint64_t seed)
{
	made_sim_open_quiet(&sim, text, seed);
	sim.view.depth = MP_DEPTH_DEEP;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

static void not_wrong(const char *name, double value)
{
	made_sim_not_wrong(&sim, name, value, 0.125);
}

static void not_absent(const char *name)
{
	if (made_sim_fact(&sim, name)->verdict == MP_ABSENT)
		fail_msg("%s: absent", name);
}

/* Sparse rings spread over all sets of the second level and would fit it up to
 * twice its size; the third puts out both before they do. */
static void an_inclusive_level_does_not_end_one_that_rings_do_not_fill(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3200 memory_latency=449\n"
	    "clock tsc_mhz=2300 step=1 read=11\n"
	    "place pages=random thp=granted\n"
	    "level name=l1d size=8K ways=8 line=256 latency=4 policy=srrip\n"
	    "level name=l2 size=12K ways=16 line=256 latency=11 index=virtual\n"
	    "level name=l3 size=15K ways=15 line=256 latency=42 inclusion=inclusive\n"
	    "noise gaps=0.02\n", 256);
	not_wrong("cpu.l2.size", 12 * 1024);
	not_wrong("cpu.l3.size", 15 * 1024);
	not_absent("cpu.l3.size");
}

/* No shape is that of two ways of which the one that was filled last leaves
 * first; one of 32 ways filled at random comes nearest. */
static void a_shape_that_lines_in_a_row_cannot_have_is_no_size(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=5350 memory_latency=148\n"
	    "clock tsc_mhz=3100 step=1 read=87\n"
	    "place pages=contiguous thp=refused huge=77\n"
	    "level name=l1d size=8K ways=16 latency=4\n"
	    "level name=l2 size=208K ways=2 latency=12"
	    " policy=qlru_h00_m1_r0_u1 inclusion=exclusive\n"
	    "level name=l3 size=448K ways=4 latency=22 slices=8"
	    " inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=32 ways=4\n"
	    "tlb level=2 page=4K entries=768 ways=6 cost=9 policy=srrip\n"
	    "walk cost=53 page=all\n"
	    "noise gaps=0.02\n", 64);
	not_wrong("cpu.l2.size", 208 * 1024);
}

/* By means: three lengths take 9 cycles where the shape that fits best has them
 * rise from 9 to 19. */
static void lengths_that_take_the_same_are_a_level_where_shapes_rise(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=1350 memory_latency=318\n"
	    "level name=l1d size=32K ways=4 sector=32 latency=3 policy=tree-plru index=virtual\n"
	    "level name=l2 size=96K ways=8 line=128 latency=6 policy=qlru_h11_m1_r1_u2 index=physical\n"
	    "level name=l3 size=144K ways=8 line=128 latency=13 policy=bit-plru index=physical\n"
	    "tlb level=1 page=4K entries=48 ways=48\n"
	    "tlb level=2 page=4K entries=1152 ways=6 cost=12\n"
	    "walk cost=55 page=all\n"
	    "prefetch kind=adjacent into=l2 switch=yes\n"
	    "place pages=random thp=refused\n"
	    "clock tsc_mhz=3300 step=37 read=50\n"
	    "noise gaps=0.02\n", 64);
	not_wrong("cpu.l2.size", 96 * 1024);
	not_absent("cpu.l2.size");
	not_wrong("cpu.l3.size", 144 * 1024);
	not_absent("cpu.l3.size");
}

/* .. and several in a row take a little longer than a shape has it. */
static void what_grows_before_an_edge_is_a_level_of_its_own(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2000 memory_latency=262\n"
	    "level name=l1d size=44K ways=16 latency=4 policy=srrip index=virtual\n"
	    "level name=l2 size=256K ways=16 line=256 latency=8 policy=tree-plru index=physical inclusion=inclusive\n"
	    "level name=l3 size=384K ways=24 line=256 latency=15 policy=random index=physical slices=2\n"
	    "tlb level=1 page=4K entries=64 ways=8\n"
	    "tlb level=2 page=4K entries=128 ways=4 cost=14 policy=tree-plru\n"
	    "walk cost=57 page=all\n"
	    "place pages=random thp=granted\n"
	    "clock tsc_mhz=4000 step=35 read=55\n"
	    "noise gaps=0.02\n", 64);
	not_wrong("cpu.l2.size", 256 * 1024);
	not_absent("cpu.l2.size");
	not_wrong("cpu.l3.size", 384 * 1024);
	not_absent("cpu.l3.size");
}

static void what_no_shape_has_at_several_lengths_is_a_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=1900 memory_latency=272\n"
	    "level name=l1d size=16K ways=16 latency=4 policy=fifo index=virtual\n"
	    "level name=l2 size=128K ways=8 line=128 latency=13 policy=bit-plru index=physical\n"
	    "level name=l3 size=209K ways=19 line=128 latency=22 index=physical inclusion=exclusive slices=8\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=1 page=2M entries=32 ways=32\n"
	    "tlb level=2 page=4K entries=1024 ways=4 cost=7\n"
	    "tlb level=2 page=2M entries=1024 ways=4 cost=7\n"
	    "walk cost=44 page=all\n"
	    "place pages=random thp=granted\n"
	    "clock tsc_mhz=4000 step=10 read=32\n"
	    "noise gaps=0.02 seen=no\n", 64);
	not_wrong("cpu.l2.size", 128 * 1024);
	not_absent("cpu.l2.size");
	not_wrong("cpu.l3.size", 209 * 1024);
	not_absent("cpu.l3.size");
}

/* Lengths that the third level holds leave the second open, and of the others
 * nobody knows how much of a miss is its doing. */
static void what_an_outer_level_puts_out_is_not_counted_for_an_inner_one(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3900 memory_latency=347\n"
	    "clock tsc_mhz=2000 step=1 read=21\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=24K ways=8 line=256 latency=4 policy=tree-plru\n"
	    "level name=l2 size=512K ways=16 line=256 latency=20 policy=random\n"
	    "level name=l3 size=960K ways=12 line=256 latency=56"
	    " inclusion=inclusive slices=10\n"
	    "level name=l4 size=4608K ways=12 line=256 latency=103"
	    " policy=random inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=64 ways=64\n"
	    "tlb level=2 page=4K entries=1024 ways=4 cost=14\n"
	    "walk cost=47\n"
	    "noise gaps=0.02 seen=no\n", 256);
	not_wrong("cpu.l2.size", 512 * 1024);
}

/* A ring a little too long misses the second level as well where its pages
 * crowd that; slots that all miss the first one take little beside it. */
static void slots_that_miss_do_not_stay_for_others_that_come_from_memory(void **state)
{
	static const char machine[] =
		"machine name=a clock_mhz=4550 memory_latency=356\n"
		"clock tsc_mhz=3800 step=1 read=56\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=24K ways=32 line=64 sector=32 latency=4"
		" policy=srrip index=physical\n"
		"level name=l2 size=512K ways=1 latency=7\n"
		"noise gaps=0.02\n";
	(void)state;
	for (uint64_t seed = 1; seed <= like_runs(6); seed++) {
		struct sim_ask ask = { 0 };
		const struct mp_fact *line;

		sim_ask(&ask, machine, mp_probe_find("line-l1d"), seed);
		line = sim_ask_fact(&ask, "cpu.l1d.line");
		if (line->verdict == MP_MEASURED)
			assert_true(line->value == 64);
		sim_ask_free(&ask);
	}
}

/* Lines hashed over two slices of two ways, beside those of an inner level: small
 * pages do not scatter what goes by virtual addresses, and yet replicates differ. */
static void an_edge_that_lines_make_uneven_is_not_that_of_an_even_level(void **state)
{
	static const uint64_t seed[] = { 4, 6 };

	(void)state;
	for (uint32_t i = 0; i < like_runs(2); i++) {
		ask_deep(
			"machine name=a clock_mhz=2050 memory_latency=306\n"
			"level name=l1d size=21K ways=12 line=32 latency=4 policy=qlru_h00_m1_r2_u1\n"
			"level name=l2 size=96K ways=3 line=32 latency=14\n"
			"level name=l3 size=512K ways=2 line=32 latency=45 policy=tree-plru index=virtual inclusion=exclusive slices=2\n"
			"tlb level=1 page=4K entries=128 ways=16\n"
			"tlb level=2 page=4K entries=1024 ways=8 cost=13\n"
			"walk cost=44\n"
			"place pages=random\n"
			"clock tsc_mhz=2100 read=23\nnoise gaps=0.005\n", seed[i]);
		not_wrong("cpu.l3.size", 512 * 1024);
		made_sim_close(&sim);
	}
}

/* An edge inside that comes late makes a chase faster than the level: the ring
 * that single hops were read of has a say without clocks. */
static void a_faster_chase_disputes_only_what_its_own_ring_does(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_sim_open_quiet(&sim,
		"machine name=a clock_mhz=3200 memory_latency=217\n"
		"level name=l1d size=64K ways=4 latency=4 policy=tree-plru\n"
		"level name=l2 size=96K ways=3 line=128 latency=9 policy=srrip\n"
		"level name=l3 size=144K ways=1 line=128 latency=16 slices=6\n"
		"level name=l4 size=256K ways=4 line=256 latency=27 policy=random\n"
		"tlb level=1 page=4K entries=32 ways=32\n"
		"tlb level=2 page=4K entries=3072 ways=12 cost=5 policy=srrip\n"
		"walk cost=49\nplace pages=random thp=granted\n"
		"clock tsc_mhz=2100 read=58\nnoise gaps=0.02 seen=no\n", 2);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("latency"));
	fact = made_sim_fact(&sim, "cpu.l4.latency-cycles");
	if (fact->verdict != MP_MEASURED || fabs(fact->value - 27) > 0.5)
		fail_msg("verdict %u, %g: %s", fact->verdict, fact->value,
			 fact->reason);
}

/* Ten slots of twelve miss the first level where a TLB of 64 KiB ends: what rises
 * beyond is of both, and more of pages than it seems. */
static void behind_a_slow_edge_translations_are_no_level(void **state)
{
	(void)state;
	ask_deep(
		"machine name=a clock_mhz=3650 memory_latency=407\n"
		"level name=l1d size=32K ways=4 latency=3 policy=random\n"
		"level name=l2 size=144K ways=32 line=128 sector=64 latency=11 policy=qlru_h11_m1_r0_u0\n"
		"level name=l3 size=396K ways=11 line=128 latency=40 policy=srrip\n"
		"tlb level=1 page=4K entries=16 ways=16\nwalk cost=32\n"
		"place pages=random\n"
		"clock tsc_mhz=100 read=54\nnoise gaps=0.08 gap_us=2..5000\n", 5);
	not_wrong("cpu.l2.size", 144 * 1024);
	not_wrong("cpu.l3.size", 396 * 1024);
	if (made_sim_fact(&sim, "cpu.l4.size")->verdict == MP_MEASURED)
		fail_msg("a fourth level");
}

/* The third takes lines along of both that it puts out, and these, when they are
 * back, leave soon again: as if the second took them along. */
static void what_the_next_level_takes_along_is_not_this_ones_doing(void **state)
{
	const struct mp_fact *inclusion;

	(void)state;
	ask_deep(
		"machine name=a clock_mhz=1600 memory_latency=238\n"
		"level name=l1d size=36K ways=18 latency=5 policy=fifo\n"
		"level name=l2 size=54K ways=16 line=128 sector=64 latency=10 policy=tree-plru\n"
		"level name=l3 size=88K ways=11 line=128 latency=25 inclusion=inclusive\n"
		"place pages=random thp=refused\n"
		"clock tsc_mhz=2500 read=25\nnoise gaps=0.02\n", 1);
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	inclusion = made_sim_fact(&sim, "cpu.l2.inclusion");
	assert_true(inclusion->verdict != MP_MEASURED ||
		    !strcmp(inclusion->text, "non-inclusive"));
}

/* At the lower limit of its edge the second level serves a fifth, and nothing at
 * the upper one. */
static void what_is_kept_inside_counts_at_the_lower_limit(void **state)
{
	(void)state;
	ask_deep(
		"machine name=a clock_mhz=1800 memory_latency=242\n"
		"level name=l1d size=16K ways=16 latency=4 policy=nru\n"
		"level name=l2 size=192K ways=6 latency=14 policy=bit-plru index=virtual\n"
		"level name=l3 size=288K ways=8 latency=34 policy=random index=virtual slices=2\n"
		"tlb level=1 page=4K entries=10 ways=5\n"
		"tlb level=2 page=4K entries=256 ways=8 cost=7\nwalk cost=19\n"
		"prefetch kind=stream into=l1d switch=no\n"
		"place pages=random\nclock tsc_mhz=1000 read=25\n"
		"noise gaps=0.08 gap_us=2..5000 seen=no\n", 700115);
	not_wrong("cpu.l3.size", 288 * 1024);
}

/* Where the walk that drives a level through finds more of it gone by itself than
 * with the level driven, nothing was given to it. */
static void what_is_gone_in_any_case_is_not_kept(void **state)
{
	const struct mp_fact *inclusion;

	(void)state;
	ask_deep(
		"machine name=a clock_mhz=2550 memory_latency=349\n"
		"level name=l1d size=96K ways=3 latency=7 policy=nru\n"
		"level name=l2 size=192K ways=1 latency=27\n"
		"level name=l3 size=288K ways=8 line=128 latency=69 policy=srrip inclusion=inclusive slices=6\n"
		"tlb level=1 page=4K entries=72 ways=9\n"
		"tlb level=2 page=4K entries=128 ways=4 cost=12\nwalk cost=44\n"
		"place pages=random thp=refused\nclock tsc_mhz=3400 read=39\n",
		700112);
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	inclusion = made_sim_fact(&sim, "cpu.l2.inclusion");
	assert_true(inclusion->verdict != MP_MEASURED ||
		    !strcmp(inclusion->text, "non-inclusive"));
}

/* An edge that nobody knows well enough, of the second level or of both. */
static void wide_edge(uint32_t inner_kib, struct mp_fact *fact)
{
	struct mp_cpu_edges edges;
	struct mp_edge *edge = edges.edge;

	made_sim_open(&sim, "machine name=a clock_mhz=3000 memory_latency=200\n"
		      "level name=l1d size=16K ways=4 latency=3\n"
		      "level name=l2 size=256K ways=8 latency=9\n");
	made_sim_edges(&sim, &edges);
	edge[0].size = edge[0].low = edge[0].high = inner_kib * 1024;
	edge[1].low = edge[1].size / 1.2;
	edge[1].high = edge[1].size * 1.2;
	*fact = (struct mp_fact){
		.verdict = MP_AT_LEAST, .value = edge[1].low,
		.low = edge[1].low, .high = edge[1].high,
		.reason = "limits lie too far apart",
	};
	assert_int_equal(mp_cpu_beside_part(&sim.view, &edges, 1, fact), 0);
	made_sim_close(&sim);
}

static void what_is_too_little_to_matter_is_no_reason(void **state)
{
	struct mp_fact fact;

	(void)state;
	wide_edge(16, &fact);
	assert_int_equal(fact.verdict, MP_AT_LEAST);
	assert_string_equal(fact.reason, "limits lie too far apart");
	assert_true(fact.value == fact.low && fact.low <= 256 * 1024 / 1.2 - 16 * 1024);
	wide_edge(64, &fact);
	assert_int_equal(fact.verdict, MP_AT_LEAST);
	assert_non_null(strstr(fact.reason, "without the levels inside"));
}

/* More lines are counted, most likely, than any shape has an edge for: no more than
 * the count says what it holds at most. */
static void a_count_beyond_all_shapes_is_not_held_to_them(void **state)
{
	struct mp_fact fact = { .verdict = MP_AT_LEAST, .high = 250 };
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, "machine name=a clock_mhz=3000 memory_latency=200\n"
		      "level name=l1d size=16K ways=4 latency=3\n"
		      "level name=l2 size=256K ways=8 latency=9\n");
	made_sim_edges(&sim, &edges);
	edges.edge[1].size = 240;
	edges.edge[1].low = fact.low = fact.value = 190;
	edges.edge[1].high = 250;
	edges.edge[0].size = edges.edge[0].low = edges.edge[0].high = 60;
	edges.count[1] = (struct mp_cpu_count){
		.known = true, .bare = true, .own_low = 200, .own_high = 220,
		.all_low = 245, .all = 262, .all_high = 280 };
	assert_int_equal(mp_cpu_beside_part(&sim.view, &edges, 1, &fact), 0);
	assert_int_equal(fact.verdict, MP_AT_LEAST);
	assert_true(fact.high >= 262);
	/* Fewer are: then both hold. */
	fact = (struct mp_fact){ .verdict = MP_AT_LEAST, .value = 190,
				 .low = 190, .high = 250 };
	edges.count[1].all = 249;
	assert_int_equal(mp_cpu_beside_part(&sim.view, &edges, 1, &fact), 0);
	assert_int_equal(fact.verdict, MP_MEASURED);
	assert_true(fact.high <= 250);
}

/* 1339 KiB in one way: what is walked side by side puts out none of each other, but
 * of a crowd the third level has lines that this one has lost. */
static void lines_side_by_side_are_no_measure_of_one_way(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim,
		"machine name=a cpus=4 clock_mhz=1400 memory_latency=329\n"
		"level name=l1d size=11776 ways=23 latency=4 policy=bit-plru "
		"index=virtual\n"
		"level name=l2 size=50K ways=25 latency=20 policy=lru "
		"index=physical\n"
		"level name=l3 size=913920 ways=21 line=128 latency=53 "
		"policy=bit-plru index=virtual slices=10\n"
		"level name=l4 size=1370880 ways=1 line=256 latency=99 "
		"policy=nru index=physical shared=2\n"
		"tlb level=1 page=4K entries=64 ways=16 cost=0 policy=srrip\n"
		"tlb level=2 page=4K entries=192 ways=6 cost=13 policy=lru\n"
		"walk cost=42 page=all\n"
		"place pages=contiguous thp=refused huge=0\n"
		"clock tsc_mhz=2000 step=1 read=44\n"
		"noise gaps=0.02 gap_us=2..400 seen=no\n", 700138);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	not_wrong("cpu.l4.size", 1370880);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_inclusive_level_does_not_end_one_that_rings_do_not_fill),
		TEST(a_shape_that_lines_in_a_row_cannot_have_is_no_size),
		TEST(lengths_that_take_the_same_are_a_level_where_shapes_rise),
		TEST(what_grows_before_an_edge_is_a_level_of_its_own),
		TEST(what_no_shape_has_at_several_lengths_is_a_level),
		TEST(what_an_outer_level_puts_out_is_not_counted_for_an_inner_one),
		TEST(behind_a_slow_edge_translations_are_no_level),
		TEST(what_is_kept_inside_counts_at_the_lower_limit),
		TEST(what_is_gone_in_any_case_is_not_kept),
		TEST(what_the_next_level_takes_along_is_not_this_ones_doing),
		TEST(a_faster_chase_disputes_only_what_its_own_ring_does),
		cmocka_unit_test(
			an_edge_that_lines_make_uneven_is_not_that_of_an_even_level),
		cmocka_unit_test(what_is_too_little_to_matter_is_no_reason),
		TEST(a_count_beyond_all_shapes_is_not_held_to_them),
		TEST(lines_side_by_side_are_no_measure_of_one_way),
		cmocka_unit_test(slots_that_miss_do_not_stay_for_others_that_come_from_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
