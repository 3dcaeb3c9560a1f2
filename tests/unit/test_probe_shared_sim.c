// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs share a level, asked of simulated machines whose sizes and
 * latencies are known: policies that keep lines, levels that are near each
 * other, levels that put lines out of those inside.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define ARENA_BYTES (64u << 20)

static struct made_sim sim;
/* Limits of sizes lie so far from the truth, a factor. */
static double wide = 1.05;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	wide = 1.05;
	return 0;
}

static struct mp_fact *know(const char *name, double value, double apart)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, sim.view.cpu);
	fact = mp_facts_add(&sim.facts, name, &where);
	assert_non_null(fact);
	fact->verdict = MP_MEASURED;
	fact->value = value;
	fact->low = value / apart;
	fact->high = value * apart;
	return fact;
}

static void know_level(uint32_t k)
{
	const struct mp_sim_level *level = &sim.machine.level[k];
	const double ns = 1e3 / sim.machine.general.clock_mhz;
	char name[MP_FACT_NAME];
	struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.size", mp_cpu_level_name[k]);
	fact = know(name, (double)level->size_bytes, wide);
	if (k >= sim.machine.n_levels) {
		fact->verdict = MP_ABSENT;
		return;
	}
	snprintf(name, sizeof(name), "cpu.%s.latency", mp_cpu_level_name[k]);
	know(name, level->latency_cycles * ns, 1.01);
	snprintf(name, sizeof(name), "cpu.%s.inclusion", mp_cpu_level_name[k]);
	fact = know(name, 0, 1);
	snprintf(fact->text, sizeof(fact->text), "%s",
		 level->inclusion == MP_SIM_EXCLUSIVE ? "exclusive" :
		 level->inclusion == MP_SIM_INCLUSIVE ? "inclusive" :
		 "non-inclusive");
}

/* Two CPUs, and how many of them share a level; 0: that is not known. */
static void shares(const char *levels, const char *name, double cpus)
{
	const struct mp_fact *fact;
	char text[1024];

	snprintf(text, sizeof(text), "machine name=a cpus=2 clock_mhz=3000 "
		 "memory_latency=400\nclock tsc_mhz=3000 step=1 read=40\n"
		 "place pages=contiguous thp=granted\n%s", levels);
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.caps |= MP_CAP_ACTORS;
	assert_int_equal(mp_cpus_parse(&sim.view.cpus, "0-1"), 0);
	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++)
		know_level(k);
	know("cpu.dram.latency", 400e3 / 3000, 1.01);
	made_sim_ask(&sim, mp_probe_find("shared"));
	fact = made_sim_fact(&sim, name);
	if (cpus > 0 && (fact->verdict != MP_MEASURED || fact->value != cpus))
		fail_msg("%s: verdict %u, %g for %g (%s)", name, fact->verdict,
			 fact->value, cpus, fact->reason);
	if (!cpus && fact->verdict != MP_NOT_MEASURABLE)
		fail_msg("%s: verdict %u, %g", name, fact->verdict,
			 fact->value);
}

#define L1 "level name=l1d size=16K ways=8 latency=4\n"
#define L2 "level name=l2 size=64K ways=8 latency=12 "
#define L3 "level name=l3 size=96K ways=12 latency=36 "

/* Where the oldest line goes, what comes round quickly stays beside any load:
 * it is not walked while another CPU sweeps. */
static void memory_may_be_as_slow_as_it_likes(void **state)
{
	(void)state;
	shares("level name=l1d size=16K ways=8 latency=4\n", "cpu.l1d.shared",
	       1);
}

static void a_level_half_of_which_lies_inside_is_told(void **state)
{
	(void)state;
	shares(L1 L2 "policy=random\n" L3 "\n", "cpu.l3.shared", 1);
	made_sim_close(&sim);
	shares(L1 L2 "policy=random\n" L3 "shared=2\n", "cpu.l3.shared", 2);
}

/* The other CPU's level inside keeps most of what it swept with the last time,
 * which does not come to the level that both share. */
static void what_the_other_cpu_keeps_is_made_up_for(void **state)
{
	(void)state;
	shares(L1 L2 "policy=srrip\n" L3 "shared=2\n", "cpu.l3.shared", 2);
	made_sim_close(&sim);
	shares(L1 L2 "policy=nru\n" L3 "policy=srrip shared=2\n",
	       "cpu.l3.shared", 2);
}

/* Lines that were used twice stay when others come once. */
static void lines_that_stay_are_swept_twice(void **state)
{
	(void)state;
	shares("level name=l1d size=96K ways=12 latency=7 policy=srrip\n"
	       "level name=l2 size=192K ways=8 latency=16\n", "cpu.l1d.shared",
	       1);
}

/* Slots far apart fall on all sets of a level whose number of them is odd: all of
 * them lie there, half of them behind a walk of the pages, and none is put out. */
static void slots_far_apart_may_all_lie_inside(void **state)
{
	/* With a walk they take more than a hit here does, or as much. */
	static const char *const walk[] = { "57", "30" };
	char text[512];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "tlb level=1 page=4K entries=96 ways=6\nwalk cost=%s\n"
			 L1 "level name=l2 size=1118K ways=16 latency=21\n"
			 "level name=l3 size=16M ways=8 latency=51 shared=2\n",
			 walk[i]);
		shares(text, "cpu.l3.shared", 0);
		made_sim_close(&sim);
	}
	/* They do not where the number of sets is a power of two. */
	shares("tlb level=1 page=4K entries=96 ways=6\nwalk cost=30\n" L1
	       "level name=l2 size=1M ways=16 latency=21\n"
	       "level name=l3 size=16M ways=8 latency=51 shared=2\n",
	       "cpu.l3.shared", 2);
	made_sim_close(&sim);
	shares("tlb level=1 page=4K entries=96 ways=6\nwalk cost=30\n" L1
	       "level name=l2 size=1M ways=16 latency=21\n"
	       "level name=l3 size=16M ways=8 latency=51\n",
	       "cpu.l3.shared", 1);
}

/* .. nor does it tell anything that none of them is put out, where next to none is
 * by this CPU either: they and what sweeps just about fit. */
static void what_no_sweep_fills_is_no_answer(void **state)
{
	(void)state;
	wide = 1.01;
	shares("level name=l1d size=76K ways=19 latency=7\n"
	       "level name=l2 size=384K ways=6 latency=14 policy=nru "
	       "index=physical\nlevel name=l3 size=4478208 ways=21 latency=30 "
	       "policy=fifo index=physical shared=2\n", "cpu.l3.shared", 0);
}

static void an_exclusive_level_is_told(void **state)
{
	(void)state;
	shares(L1 L2 "inclusion=exclusive\n", "cpu.l2.shared", 1);
	made_sim_close(&sim);
	shares(L1 L2 "inclusion=exclusive shared=2\n", "cpu.l2.shared", 2);
}

/* What an inclusive level that is shared puts out leaves the level inside. */
static void what_the_level_outside_puts_out_is_not_shared(void **state)
{
	(void)state;
	shares(L1 L2 "\n" L3 "inclusion=inclusive shared=2\n", "cpu.l2.shared",
	       0);
	made_sim_close(&sim);
	shares(L1 "level name=l2 size=64K ways=8 latency=12\n"
	       "level name=l3 size=256K ways=16 latency=36 "
	       "inclusion=inclusive shared=2\n", "cpu.l2.shared", 1);
}

/* .. nor what one beyond that does, though less of it needs to come back. */
static void what_an_outermost_level_puts_out_is_not_shared(void **state)
{
	(void)state;
	shares(L1 "level name=l2 size=24K ways=12 latency=6\n"
	       "level name=l3 size=256K ways=1 latency=9 inclusion=inclusive "
	       "shared=2\n", "cpu.l1d.shared", 0);
}

/* So small a level that what the other CPU walks while it is to put out nothing
 * puts out all. */
static void what_is_gone_before_is_not_left_alone(void **state)
{
	(void)state;
	shares("level name=l1d size=8K ways=8 latency=4 index=physical\n"
	       "level name=l2 size=12K ways=12 latency=11 index=physical "
	       "inclusion=inclusive shared=2\n", "cpu.l2.shared", 0);
	made_sim_close(&sim);
	shares("level name=l1d size=8K ways=8 latency=4 index=physical\n"
	       "level name=l2 size=12K ways=12 latency=11 index=physical "
	       "inclusion=inclusive\n", "cpu.l2.shared", 1);
}

/* What another CPU puts out comes back from the next level, what this one does by
 * itself from memory, which is much further. */
static void what_comes_back_from_near_counts_as_well(void **state)
{
	(void)state;
	shares("level name=l1d size=16K ways=16 latency=4\n"
	       "level name=l2 size=24960 ways=15 latency=10 index=physical "
	       "inclusion=exclusive shared=2\n"
	       "level name=l3 size=61K ways=8 latency=30 index=physical "
	       "shared=2\n", "cpu.l2.shared", 2);
	made_sim_close(&sim);
	shares("level name=l1d size=16K ways=16 latency=4\n"
	       "level name=l2 size=24960 ways=15 latency=10 index=physical "
	       "inclusion=exclusive\n"
	       "level name=l3 size=61K ways=8 latency=30 index=physical "
	       "shared=2\n", "cpu.l2.shared", 1);
}

#define TEST(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_may_be_as_slow_as_it_likes),
		TEST(a_level_half_of_which_lies_inside_is_told),
		TEST(what_the_other_cpu_keeps_is_made_up_for),
		TEST(lines_that_stay_are_swept_twice),
		TEST(slots_far_apart_may_all_lie_inside),
		TEST(what_no_sweep_fills_is_no_answer),
		TEST(an_exclusive_level_is_told),
		TEST(what_the_level_outside_puts_out_is_not_shared),
		TEST(what_an_outermost_level_puts_out_is_not_shared),
		TEST(what_is_gone_before_is_not_left_alone),
		TEST(what_comes_back_from_near_counts_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
