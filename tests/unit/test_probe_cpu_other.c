// SPDX-License-Identifier: GPL-2.0
/* What another CPU finds of what this one has loaded: simulated machines of several
 * CPUs whose edges are known, and a whole run over one. */
#include "probe/cpu_other.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/miss.h"
#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_hot.h"

extern const struct mp_probe mp_probe_cache_size, mp_probe_inclusion;

#define STAGES 12u
#define MACHINE(cpus) \
	"machine name=a cpus=" cpus " clock_mhz=3000 memory_latency=240\n" \
	"place pages=random thp=refused\n" \
	"clock tsc_mhz=3000 read=20 step=1\n"
/* One way each, and any way: no line stays where others come. */
#define CROWDED "level name=l1d size=16K ways=1 latency=4 index=virtual\n"
#define CHANCE "level name=l1d size=16K ways=4 latency=4 policy=random\n"
#define TLB "tlb level=1 page=4K entries=64 ways=4\n" \
	    "tlb level=2 page=4K entries=1024 ways=8 cost=7\nwalk cost=40\n"

static const char *const policy[] = {
	"lru", "fifo", "random", "tree-plru", "bit-plru", "nru", "srrip",
	"qlru_h11_m1_r0_u0", "qlru_h21_m2_r0_u0_umo",
};
#define POLICIES (sizeof(policy) / sizeof(policy[0]))

static struct made_sim sim;

static void open_with(const char *text, uint32_t cpus)
{
	made_sim_open(&sim, text);
	sim.view.index = &sim.index;
	sim.view.caps |= MP_CAP_ACTORS;
	for (uint32_t i = 0; i < cpus; i++)
		mp_cpus_add(&sim.view.cpus, i);
}

/* Stage after stage, as a run does. */
static void ask(const char *text, uint32_t cpus, uint32_t k,
		struct mp_cpu_other *other)
{
	struct mp_cpu_edges edges;

	open_with(text, cpus);
	made_sim_edges(&sim, &edges);
	for (uint32_t i = 0; i < STAGES; i++) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_cpu_other_plan(&sim.view, &edges, k, &plan,
						   other), 0);
		if (!made_sim_run(&sim, &plan))
			break;
	}
	mp_cpu_other_judge(&sim.view, &edges, k, other);
	made_sim_close(&sim);
}

static void expect(const char *text, uint32_t cpus, uint32_t k, uint32_t holds,
		   uint32_t cpu)
{
	struct mp_cpu_other other;

	ask(text, cpus, k, &other);
	/* It was asked in any case. */
	assert_true(other.id[0] != 0);
	if (other.holds != holds || (holds && other.cpu != cpu))
		fail_msg("%u of CPU %u is not %u of CPU %u: %.1f, %.1f, %.1f, %.1f\n%s",
			 other.holds, other.cpu, holds, cpu, other.fresh,
			 other.loaded, other.left, other.driven, text);
}

/* Whatever throws out what, here and inside. */
static void expect_all(const char *l1, const char *inclusion, uint32_t holds)
{
	char text[512];

	for (uint32_t i = 0; i < POLICIES; i++) {
		snprintf(text, sizeof(text), MACHINE("2") "%s"
			 "level name=l2 size=64K ways=8 latency=14 shared=2 policy=%s inclusion=%s\n"
			 TLB, l1, policy[i], inclusion);
		expect(text, 2, 1, holds, 1);
	}
}

static void an_exclusive_level_has_what_left_those_inside(void **state)
{
	(void)state;
	expect_all(CROWDED, "exclusive", MP_CPU_HOLDS_OTHERS);
	expect_all(CHANCE, "exclusive", MP_CPU_HOLDS_OTHERS);
}

static void an_inclusive_one_takes_along_what_it_loses(void **state)
{
	(void)state;
	expect_all(CROWDED, "inclusive", MP_CPU_HOLDS_ALL);
	expect_all(CHANCE, "inclusive", MP_CPU_HOLDS_ALL);
}

static void one_that_is_neither_leaves_it_inside(void **state)
{
	(void)state;
	expect_all(CROWDED, "non-inclusive", MP_CPU_HOLDS_SOME);
	expect_all(CHANCE, "non-inclusive", MP_CPU_HOLDS_SOME);
}

/* Nothing is told by a CPU that shares neither, and nothing by one that shares the
 * level inside as well. */
static void only_who_shares_the_level_and_none_inside_tells(void **state)
{
	(void)state;
	expect(MACHINE("2") CHANCE
	       "level name=l2 size=64K ways=8 latency=14\n", 2, 1,
	       MP_CPU_HOLDS_UNKNOWN, 0);
	expect(MACHINE("2") CHANCE
	       "level name=l2 size=64K ways=8 latency=14 inclusion=exclusive\n",
	       2, 1, MP_CPU_HOLDS_UNKNOWN, 0);
	expect(MACHINE("2") CHANCE
	       "level name=l2 size=64K ways=8 latency=14 shared=2\n"
	       "level name=l3 size=256K ways=16 latency=40 shared=2 inclusion=exclusive\n",
	       2, 2, MP_CPU_HOLDS_UNKNOWN, 0);
	expect(MACHINE("4") CHANCE
	       "level name=l2 size=64K ways=8 latency=14 shared=2\n"
	       "level name=l3 size=256K ways=16 latency=40 shared=4 inclusion=exclusive\n",
	       4, 2, MP_CPU_HOLDS_OTHERS, 2);
	expect(MACHINE("4") CHANCE
	       "level name=l2 size=64K ways=8 latency=14 shared=2\n"
	       "level name=l3 size=256K ways=16 latency=40 shared=4 inclusion=inclusive\n",
	       4, 2, MP_CPU_HOLDS_ALL, 2);
}

/* What two CPUs share further in, and pay for translations, takes what the level does;
 * but so does not what has left it. */
static void hops_that_pay_for_translations_are_not_the_levels(void **state)
{
	static const char text[] = MACHINE("2")
		"level name=l1d size=32K ways=8 latency=4\n"
		"level name=l2 size=512K ways=8 latency=10 shared=2\n"
		"level name=l3 size=2M ways=16 latency=16 shared=2 inclusion=exclusive\n"
		"tlb level=1 page=4K entries=10 ways=5\nwalk cost=25\n";
	struct mp_cpu_other other;

	(void)state;
	ask(text, 2, 2, &other);
	assert_int_equal(other.holds, MP_CPU_HOLDS_UNKNOWN);
	assert_true(other.id[0] != 0);
}

/* A level further out that includes all takes lines along, too, where what drives
 * the one asked about does not fit it: then which of them did is not known. */
static void a_level_further_out_may_have_taken_it_along(void **state)
{
	(void)state;
	expect(MACHINE("2") CHANCE
	       "level name=l2 size=64K ways=8 latency=14 shared=2\n"
	       "level name=l3 size=112K ways=14 latency=40 shared=2 inclusion=inclusive\n",
	       2, 1, MP_CPU_HOLDS_NO_OTHERS, 1);
	expect(MACHINE("2") CHANCE
	       "level name=l2 size=64K ways=8 latency=14 shared=2\n"
	       "level name=l3 size=1M ways=16 latency=40 shared=2 inclusion=inclusive\n",
	       2, 1, MP_CPU_HOLDS_SOME, 1);
}

static void nothing_is_wanted_where_there_is_no_other_cpu(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_plan plan = { 0 };
	struct mp_cpu_other other;

	(void)state;
	open_with(MACHINE("2") CHANCE
		  "level name=l2 size=64K ways=8 latency=14 shared=2\n", 1);
	made_sim_edges(&sim, &edges);
	assert_int_equal(mp_cpu_other_plan(&sim.view, &edges, 1, &plan,
					   &other), 0);
	assert_int_equal(plan.n, 0);
	mp_cpus_add(&sim.view.cpus, 1);
	assert_int_equal(mp_cpu_other_plan(&sim.view, &edges, 1, &plan,
					   &other), 0);
	assert_true(plan.n > 0);
	mp_plan_free(&plan);
	sim.view.caps &= ~MP_CAP_ACTORS;
	assert_int_equal(mp_cpu_other_plan(&sim.view, &edges, 1, &plan,
					   &other), 0);
	assert_int_equal(plan.n, 0);
	made_sim_close(&sim);
}

#define THREE(policy) \
	"machine name=a cpus=3 clock_mhz=1050 memory_latency=160\n" \
	"place pages=random thp=granted\n" \
	"clock tsc_mhz=24 read=53 step=1\n" \
	"level name=l1d size=68K ways=17 latency=6 policy=srrip index=virtual\n" \
	"level name=l2 size=432K ways=12 latency=13 policy=" policy \
	" inclusion=inclusive\n" \
	"level name=l3 size=1M ways=16 latency=35 policy=tree-plru " \
	"inclusion=inclusive slices=8 shared=3\n"

/* The third level's inclusion, once that and sizes were asked by so many CPUs. */
static const struct mp_fact *ask_three(const char *text, uint32_t cpus)
{
	open_with(text, cpus);
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.arena_max_bytes = 64u << 20;
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_ask(&sim, &mp_probe_inclusion);
	return made_sim_fact(&sim, "cpu.l3.inclusion");
}

/* One CPU by itself sees what is put out of a second level that keeps what is in use,
 * though a ring that fits the third is kept there for the most part. */
static void one_cpu_tells_where_lines_stay_inside(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	fact = ask_three(THREE("lru"), 1);
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_string_equal(fact->text, "inclusive");
	fact = made_sim_not_wrong(&sim, "cpu.l3.size", 1 << 20, 0.125);
	assert_int_equal(fact->verdict, MP_MEASURED);
	made_sim_close(&sim);
}

/* What one CPU does by itself does not tell: neither inclusion nor how much of the
 * edge is the level's own. */
static void what_one_cpu_cannot_tell_two_do(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	for (uint32_t cpus = 1; cpus <= 2; cpus++) {
		fact = ask_three(THREE("fifo"), cpus);
		if (cpus > 1) {
			assert_int_equal(fact->verdict, MP_MEASURED);
			assert_string_equal(fact->text, "inclusive");
			assert_non_null(strstr(fact->method, "CPU 1 read"));
		} else {
			assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
		}
		fact = made_sim_not_wrong(&sim, "cpu.l3.size", 1 << 20, 0.125);
		assert_int_equal(fact->verdict, cpus > 1 ? MP_MEASURED :
							   MP_AT_LEAST);
		made_sim_close(&sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exclusive_level_has_what_left_those_inside),
		cmocka_unit_test(an_inclusive_one_takes_along_what_it_loses),
		cmocka_unit_test(one_that_is_neither_leaves_it_inside),
		cmocka_unit_test(only_who_shares_the_level_and_none_inside_tells),
		cmocka_unit_test(hops_that_pay_for_translations_are_not_the_levels),
		cmocka_unit_test(a_level_further_out_may_have_taken_it_along),
		cmocka_unit_test(nothing_is_wanted_where_there_is_no_other_cpu),
		cmocka_unit_test(one_cpu_tells_where_lines_stay_inside),
		cmocka_unit_test(what_one_cpu_cannot_tell_two_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
