// SPDX-License-Identifier: GPL-2.0
/* Simulated machines of coarse clocks, high noise or few TLB entries, of which a fact
 * has been wrong: it is right, or says why it is not known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define NOISE "noise gaps=0.08 gap_us=2..5000 seen=yes\n"

static struct made_sim sim;
static uint32_t without;
static bool line_known;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	without = 0;
	line_known = false;
	return 0;
}

static void ask(const char *text, uint64_t seed, uint64_t arena_bytes,
		const char *const *probe)
{
	made_sim_open_quiet(&sim, text, seed);
	if (!line_known)
		sim.facts.n = 0;
	if (strstr(text, "page=2M"))
		sim.view.caps |= MP_CAP_HUGE;
	sim.view.caps &= ~without;
	sim.view.arena_max_bytes = arena_bytes;
	for (uint32_t i = 0; probe[i]; i++)
		made_sim_ask(&sim, mp_probe_find(probe[i]));
}

static void says(const char *name, uint32_t verdict, const char *part)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != verdict || !strstr(fact->reason, part))
		fail_msg("%s: verdict %u, %g [%g, %g]: %s (%s)", name, fact->verdict,
			 fact->value, fact->low, fact->high, fact->reason,
			 fact->method);
}

/* It is measured, to half a cycle or two in a hundred. */
static void takes(const char *name, double cycles)
{
	says(name, MP_MEASURED, "");
	made_sim_not_wrong(&sim, name, cycles, fmax(0.02, 0.5 / cycles));
}

/* 65 lines 32 KiB and a line apart fall into four sets of 36 of a cache of 16 ways:
 * the 65th page too many is a line too many. */
static void a_line_too_many_is_no_set_of_a_tlb(void **state)
{
	static const char *const probe[] = { "cache-size", "line", "tlb", NULL };

	(void)state;
	ask("machine name=a clock_mhz=5000 memory_latency=347\n"
	    "level name=l1d size=36K ways=16 latency=5 policy=fifo\n"
	    "tlb level=1 page=4K entries=32 ways=32 cost=0\n"
	    "tlb level=2 page=4K entries=512 ways=4 cost=6\n"
	    "walk cost=38 page=all\n"
	    "place pages=random thp=refused\n"
	    "clock tsc_mhz=24 step=1 read=69\n"
	    "noise gaps=0.02\n", 700162, 256u << 20, probe);
	made_sim_not_wrong(&sim, "cpu.stlb.entries", 512, 0);
	says("cpu.stlb.ways", MP_NOT_MEASURABLE, "the first level hides the sets");
}

/* What pages of 4 KiB cost beyond the first level, a walk, was no hit of a second. */
static void a_cost_that_is_not_known_is_no_hit_of_huge_pages(void **state)
{
	static const char *const probe[] = { "cache-size", "line", "tlb", NULL };

	(void)state;
	ask("machine name=a clock_mhz=3850 memory_latency=423\n"
	    "level name=l1d size=16K ways=2 latency=3 policy=tree-plru\n"
	    "level name=l2 size=80K ways=4 latency=10 policy=tree-plru inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=96 ways=48 cost=0\n"
	    "tlb level=1 page=2M entries=32 ways=32 cost=0\n"
	    "walk cost=23 page=all\n"
	    "place pages=random thp=granted huge=195\n"
	    "clock tsc_mhz=1900 step=1 read=83\n" NOISE, 350779, 256u << 20, probe);
	says("cpu.stlb-2m.entries", MP_NOT_MEASURABLE, "too few pages of 2 MiB");
}

/* Memory costs half of what a ring pays for walks less, or all of it. */
static void half_a_walk_is_no_part_of_memory(void **state)
{
	static const char *const probe[] = { "cache-size", "dram", NULL };

	(void)state;
	ask("machine name=a clock_mhz=3700 memory_latency=199\n"
	    "level name=l1d size=14K ways=14 latency=3 policy=fifo\n"
	    "level name=l2 size=21760 ways=10 latency=8 index=physical\n"
	    "tlb level=1 page=4K entries=64 ways=32 cost=0\n"
	    "tlb level=2 page=4K entries=4096 ways=16 cost=11\n"
	    "walk cost=59 page=all\n"
	    "place pages=contiguous thp=granted\n"
	    "clock tsc_mhz=2800 step=35 read=85\n" NOISE, 350779, 256u << 20, probe);
	says("cpu.dram.latency", MP_MEASURED, "");
	made_sim_not_wrong(&sim, "cpu.dram.latency", 199 / 3.7, 0.015);
}

/* A level that goes by how often lines were used keeps some of a ring nearly twice
 * as long, and its edge looks as if it kept none. */
static void a_ring_that_the_level_inside_keeps_some_of_is_not_alone(void **state)
{
	static const char *const probe[] = { "cache-size", "latency", NULL };

	(void)state;
	/* Rings alone: a few lines after others tell it, too. */
	without = MP_CAP_PHASES;
	ask("machine name=a clock_mhz=4050 memory_latency=263\n"
	    "level name=l1d size=16K ways=16 sector=32 latency=3 policy=tree-plru\n"
	    "level name=l2 size=144K ways=12 latency=11 policy=qlru_h00_m1_r2_u1 inclusion=inclusive\n"
	    "level name=l3 size=432K ways=12 line=128 latency=22 policy=qlru_h00_m1_r2_u1\n"
	    "tlb level=1 page=4K entries=128 ways=128 cost=0\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=6\n"
	    "walk cost=33 page=all\n"
	    "place pages=random thp=granted\n"
	    "clock tsc_mhz=3800 step=10 read=22\n" NOISE, 350779, 256u << 20, probe);
	/* Single hops of its group of readings over a longer ring do. */
	takes("cpu.l3.latency-cycles", 22);
}

/* A clock of nearly five cycles a step reads hits of the second TLB as one more. */
static void steps_as_long_as_a_translation_are_disputed(void **state)
{
	static const char *const probe[] = { "cache-size", "latency", NULL };

	(void)state;
	ask("machine name=a clock_mhz=4850 memory_latency=329\n"
	    "level name=l1d size=80K ways=20 latency=6 policy=qlru_h00_m1_r2_u1\n"
	    "level name=l2 size=120K ways=4 latency=25 policy=srrip inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=16 ways=1 cost=0 policy=random\n"
	    "tlb level=2 page=4K entries=1536 ways=12 cost=6\n"
	    "walk cost=20 page=all\n"
	    "place pages=contiguous thp=refused\n"
	    "clock tsc_mhz=1000 step=1 read=86\n"
	    "noise gaps=0.08 gap_us=2..5000 seen=no\n", 350779, 64u << 20, probe);
	says("cpu.l2.latency-cycles", MP_DISPUTED, "more apart than 2 %");
}

/* H of 28 pages, of which the TLB knows 18, stays in l2, but each hop takes as long as
 * one in l3 and more; l3, which it is hidden from, loses it and with that l4. */
static void a_walk_is_no_hit_further_out(void **state)
{
	static const char *const probe[] = { "cache-size", "inclusion", NULL };

	(void)state;
	ask("machine name=a clock_mhz=5150 memory_latency=409\n"
	    "level name=l1d size=16K ways=8 latency=5 policy=qlru_h00_m1_r0_u1\n"
	    "level name=l2 size=384K ways=16 latency=24 policy=bit-plru index=virtual\n"
	    "level name=l3 size=576K ways=12 latency=44\n"
	    "level name=l4 size=1408K ways=22 latency=96 inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=18 ways=9 cost=0 policy=nru\n"
	    "walk cost=29 page=all\n"
	    "place pages=random thp=refused\n"
	    "clock tsc_mhz=3200 step=1 read=43\n"
	    "noise gaps=0.02\n", 700162, 64u << 20, probe);
	says("cpu.l4.inclusion", MP_NOT_MEASURABLE, "not held further inside");
	made_sim_not_wrong(&sim, "cpu.l4.size", 1408 * 1024, 0.125);
}

/* Two slots 128 bytes apart share a line of the first level, whose line is not known,
 * and half of the hops of a ring that goes through it find it there. */
static void slots_of_one_line_are_no_latency_of_the_next_level(void **state)
{
	static const char *const probe[] = { "cache-size", "latency", NULL };

	(void)state;
	ask("machine name=a clock_mhz=3150 memory_latency=304\n"
	    "level name=l1d size=64K ways=16 line=256 latency=4 policy=bit-plru\n"
	    "level name=l2 size=2M ways=8 line=256 latency=17 policy=qlru_h11_m1_r0_u0\n"
	    "tlb level=1 page=4K entries=64 ways=64 cost=0\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=12\n"
	    "walk cost=64 page=all\n"
	    "place pages=random thp=granted\n"
	    "clock tsc_mhz=24 step=1 read=42\n"
	    "noise gaps=0.02 seen=no\n", 700165, 64u << 20, probe);
	/* Rings disputed what a few lines say. */
	takes("cpu.l2.latency-cycles", 17);
}

/* Of the longest ring that the third level holds the second, which is exclusive and
 * throws out any line, still serves a fifth: its edge ends where memory begins. */
static void a_ring_that_takes_longer_and_longer_is_not_at_rest(void **state)
{
	static const char *const probe[] = { "cache-size", NULL };
	struct mp_where where;
	struct mp_fact *line;

	(void)state;
	without = MP_CAP_PHASES;
	line_known = true;
	ask("machine name=a clock_mhz=3550 memory_latency=257\n"
	    "level name=l1d size=192K ways=32 latency=6 policy=tree-plru\n"
	    "level name=l2 size=864K ways=27 latency=18 policy=random inclusion=exclusive\n"
	    "level name=l3 size=1888K ways=16 latency=38 policy=bit-plru index=virtual slices=8\n"
	    "place pages=random thp=refused\n"
	    "clock tsc_mhz=3700 step=30 read=30\n", 350781, 64u << 20, probe);
	mp_where_cpu(&where, 0);
	for (uint32_t i = 0; i < 2; i++) {
		line = mp_facts_add(&sim.facts, i ? "cpu.l3.line" : "cpu.l2.line",
				    &where);
		line->verdict = MP_MEASURED;
		line->value = 64;
	}
	made_sim_ask(&sim, mp_probe_find("latency"));
	says("cpu.l3.latency-cycles", MP_NOT_MEASURABLE, "a little shorter ones");
}

/* Of a crowd it keeps a twentieth less than it has room for, whom it has to choose
 * from; rings that fit say so. */
static void a_count_of_fewer_lines_than_fit_is_no_limit(void **state)
{
	static const char *const probe[] = { "cache-size", NULL };
	const struct mp_fact *fact;

	(void)state;
	ask("machine name=a clock_mhz=3500 memory_latency=349\n"
	    "level name=l1d size=10K ways=8 sector=32 latency=4 policy=qlru_h11_m1_r1_u2\n"
	    "level name=l2 size=96K ways=24 latency=10 policy=random index=virtual\n"
	    "level name=l3 size=2M ways=4 latency=21 policy=qlru_h00_m1_r0_u1\n"
	    "tlb level=1 page=4K entries=64 ways=16 cost=0\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=13\n"
	    "walk cost=62 page=all\n"
	    "place pages=random thp=granted huge=231\n"
	    "clock tsc_mhz=1900 step=1 read=60\n"
	    "noise gaps=0.02 seen=yes\n", 700165, 64u << 20, probe);
	fact = made_sim_not_wrong(&sim, "cpu.l3.size", 2 << 20, 0.125);
	assert_true(fact->high >= 2 << 20);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

/* A level that keeps some of a ring makes the next one's edge one that no cache has: it
 * read 35.8 KiB. Its onset is that of 30 KiB. */
static void an_edge_that_the_level_inside_has_a_part_in_tells_no_size(void **state)
{
	static const char *const probe[] = { "cache-size", "inclusion", NULL };
	const struct mp_fact *fact;

	(void)state;
	ask("machine name=a clock_mhz=4800 memory_latency=394\n"
	    "level name=l1d size=20K ways=10 latency=4 policy=bit-plru\n"
	    "level name=l2 size=30K ways=2 latency=9 policy=qlru_h11_m1_r0_u0\n"
	    "level name=l3 size=256K ways=4 latency=25 policy=lru inclusion=exclusive slices=8\n"
	    "tlb level=1 page=4K entries=72 ways=72 cost=0 policy=fifo\n"
	    "tlb level=2 page=4K entries=1024 ways=8 cost=12\n"
	    "walk cost=50 page=all\n"
	    "place pages=contiguous thp=granted\n"
	    "clock tsc_mhz=2400 step=1 read=55\n" NOISE, 350783, 256u << 20, probe);
	fact = made_sim_not_wrong(&sim, "cpu.l2.size", 30 << 10, 0.125);
	assert_true(fact->verdict == MP_MEASURED || fact->verdict == MP_AT_LEAST);
}

/* Ten translations are too few for any ring of scattered pages: hops of 18 cycles that
 * pay 10 for one are no level of 28 between those of 18 and of 70. */
static void hops_that_pay_for_translations_are_no_level(void **state)
{
	static const char *const probe[] = { "cache-size", "latency", NULL };

	(void)state;
	ask("machine name=a clock_mhz=3400 memory_latency=324\n"
	    "level name=l1d size=128K ways=8 latency=7 policy=nru index=physical\n"
	    "level name=l2 size=4279680 ways=15 line=128 sector=64 latency=18 policy=random\n"
	    "level name=l3 size=15872K ways=31 line=128 latency=70 policy=bit-plru slices=4\n"
	    "tlb level=1 page=4K entries=10 ways=5 cost=0 policy=random\n"
	    "tlb level=2 page=4K entries=1024 ways=16 cost=10\n"
	    "walk cost=32 page=all\n"
	    "place pages=random thp=refused\n"
	    "clock tsc_mhz=3700 step=1 read=82\n"
	    "noise gaps=0.02\n", 700169, 256u << 20, probe);
	takes("cpu.l2.latency-cycles", 18);
	says("cpu.l3.size", MP_NOT_MEASURABLE, "hops of 28 cycles are few in every ring");
	says("cpu.l3.latency-cycles", MP_NOT_MEASURABLE, "see the sizes");
	says("cpu.l4.latency-cycles", MP_NOT_MEASURABLE, "see the sizes");
}

/* The shape of what lies outside says that 4 % of the hops miss, and rings a third
 * shorter take as long: none does. */
static void rings_of_two_lengths_that_take_as_long_have_nothing_taken_out(void **state)
{
	static const char *const probe[] = { "cache-size", "inclusion", "latency", NULL };

	(void)state;
	ask("machine name=a clock_mhz=950 memory_latency=188\n"
	    "level name=l1d size=88K ways=4 latency=7 policy=bit-plru\n"
	    "level name=l2 size=480K ways=20 latency=22 policy=srrip\n"
	    "level name=l3 size=720K ways=8 latency=37 policy=random inclusion=exclusive\n"
	    "level name=l4 size=22M ways=11 latency=64 policy=bit-plru inclusion=exclusive\n"
	    "tlb level=1 page=4K entries=96 ways=96 cost=0\n"
	    "tlb level=2 page=4K entries=768 ways=12 cost=7\n"
	    "walk cost=25 page=all\n"
	    "place pages=random thp=granted\n"
	    "clock tsc_mhz=100 step=1 read=44\n"
	    "noise gaps=0.02 seen=no\n", 700170, 256u << 20, probe);
	takes("cpu.l3.latency-cycles", 37);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_line_too_many_is_no_set_of_a_tlb),
		TEST(a_cost_that_is_not_known_is_no_hit_of_huge_pages),
		TEST(half_a_walk_is_no_part_of_memory),
		TEST(a_ring_that_the_level_inside_keeps_some_of_is_not_alone),
		TEST(a_walk_is_no_hit_further_out),
		TEST(slots_of_one_line_are_no_latency_of_the_next_level),
		TEST(a_ring_that_takes_longer_and_longer_is_not_at_rest),
		TEST(a_count_of_fewer_lines_than_fit_is_no_limit),
		TEST(steps_as_long_as_a_translation_are_disputed),
		TEST(an_edge_that_the_level_inside_has_a_part_in_tells_no_size),
		TEST(hops_that_pay_for_translations_are_no_level),
		TEST(rings_of_two_lengths_that_take_as_long_have_nothing_taken_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
