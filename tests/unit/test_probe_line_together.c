// SPDX-License-Identifier: GPL-2.0
/* Lines of the first level that only neighbours tell, which stay and go
 * together or do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/line_together.h"

#define MACHINE "machine name=a clock_mhz=3000 memory_latency=250\n"
#define SEEDS 24u
#define SMALL "place pages=random thp=refused\n"
#define CLOCK "clock tsc_mhz=2600 step=1 read=40\n" \
	"noise gaps=0.02\n"

static struct made_sim sim;
static uint64_t seed;

static void open_sim(const char *text)
{
	char words[1024];

	snprintf(words, sizeof(words), MACHINE "%s" CLOCK, text);
	made_sim_open(&sim, words);
	sim.view.seed += seed;
	sim.view.caps |= MP_CAP_SEQUENCE | MP_CAP_PHASES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
}

/* The first one was there before the probe was asked. */
static const struct mp_fact *line_of(const char *text)
{
	const struct mp_fact *fact = NULL;

	open_sim(text);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	for (uint32_t i = 1; i < sim.facts.n; i++)
		if (!strcmp(sim.facts.fact[i].name, "cpu.l1d.line"))
			fact = &sim.facts.fact[i];
	assert_non_null(fact);
	return fact;
}

static void is(const char *text, double bytes)
{
	const struct mp_fact *line = line_of(text);

	if (line->verdict != MP_MEASURED || line->value != bytes)
		fail_msg("verdict %u, %g for %g: %s", line->verdict,
			 line->value, bytes, line->reason);
	made_sim_close(&sim);
}

static void is_not_another(const char *text, double bytes)
{
	const struct mp_fact *line = line_of(text);

	if (line->verdict == MP_MEASURED && line->value != bytes)
		fail_msg("%g for %g", line->value, bytes);
	made_sim_close(&sim);
}

/* What neighbours say by themselves has to allow it. */
static void allows(const char *text, uint32_t bytes)
{
	struct mp_line_between between;
	struct mp_line_along along;
	struct mp_line_first first;
	struct mp_plan plan;

	open_sim(text);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	assert_int_equal(mp_line_first_find(&sim.view, &first), 0);
	assert_int_equal(mp_line_along(&sim.view, first.latency, NULL, &along),
			 0);
	do {
		plan = (struct mp_plan){ 0 };
		between = (struct mp_line_between){ 32, 256, 0 };
		assert_int_equal(mp_line_narrow(&sim.view, &first, &along,
						&plan, NULL, &between), 0);
	} while (made_sim_run(&sim, &plan));
	made_sim_close(&sim);
	if (between.least > bytes || between.most < bytes)
		fail_msg("%u .. %u for %u", between.least, between.most, bytes);
}

/* The second level takes both halves of 64 bytes out of the first, and a load
 * of the lower one brings the upper one. */
static void what_a_next_line_prefetcher_brings_is_no_half_of_a_line(void **state)
{
	(void)state;
	is("level name=l1d size=88K ways=8 line=32 latency=6 policy=lru\n"
	   "level name=l2 size=256K ways=16 line=64 latency=14 policy=tree-plru inclusion=inclusive\n"
	   "prefetch kind=next into=l1d switch=no\n"
	   "place pages=contiguous\n", 32);
}

static void halves_of_a_line_are_told_beside_the_same_prefetcher(void **state)
{
	(void)state;
	is("level name=l1d size=88K ways=8 line=64 latency=6 policy=lru\n"
	   "level name=l2 size=256K ways=16 line=64 latency=14 policy=tree-plru inclusion=inclusive\n"
	   "prefetch kind=next into=l1d switch=no\n"
	   "place pages=contiguous\n", 64);
}

/* Where what stays tells nothing, the upper half brings the next slot. */
static void a_next_line_prefetcher_shows_where_replacement_hides_lines(void **state)
{
	(void)state;
	is_not_another("level name=l1d size=24K ways=6 line=32 latency=4 policy=srrip\n"
		       "level name=l2 size=56K ways=1 line=64 sector=32 latency=19 policy=qlru_h00_m1_r0_u1 inclusion=inclusive\n"
		       "level name=l3 size=256K ways=4 line=64 latency=63 inclusion=inclusive\n"
		       "prefetch kind=next into=l1d switch=no\n"
		       "place pages=contiguous thp=refused\n", 32);
	is_not_another("level name=l1d size=24K ways=6 line=32 latency=4 policy=random\n"
		       "level name=l2 size=96K ways=8 line=64 latency=19 inclusion=inclusive\n"
		       "prefetch kind=next into=l1d switch=no\n"
		       "place pages=contiguous thp=refused\n", 32);
	is("level name=l1d size=24K ways=6 line=64 latency=4 policy=random\n"
	   "level name=l2 size=96K ways=8 line=64 latency=19 inclusion=inclusive\n"
	   "prefetch kind=stream into=l2 switch=no\n"
	   "place pages=contiguous thp=refused\n", 64);
}

/* It is the same whichever of the two is loaded. */
static void pairs_that_come_and_go_together_are_two_lines(void **state)
{
	(void)state;
	is("level name=l1d size=32K ways=8 line=32 latency=4 policy=lru\n"
	   "level name=l2 size=256K ways=16 line=64 latency=14 inclusion=inclusive\n"
	   "prefetch kind=adjacent into=l1d switch=no\n", 32);
}

static void short_lines_within_a_long_one_further_out_are_found(void **state)
{
	(void)state;
	is("level name=l1d size=8K ways=2 line=32 latency=4 policy=lru\n"
	   "level name=l2 size=14K ways=16 line=128 latency=13 policy=lru inclusion=inclusive\n"
	   "level name=l3 size=64K ways=16 line=256 latency=39\n"
	   "prefetch kind=adjacent into=l2 switch=no\n" SMALL, 32);
}

static void sectors_before_a_near_level_are_told_from_lines(void **state)
{
	(void)state;
	is("level name=l1d size=12K ways=16 line=64 sector=32 latency=4 policy=lru\n"
	   "level name=l2 size=18K ways=8 line=64 latency=12 policy=random index=virtual\n",
	   64);
}

static void long_lines_are_told_where_a_prefetcher_stays_on(void **state)
{
	(void)state;
	is("level name=l1d size=32K ways=8 line=128 latency=4 policy=lru\n"
	   "level name=l2 size=128K ways=4 line=128 latency=8 policy=srrip\n"
	   "level name=l3 size=192K ways=8 line=128 latency=16 policy=lru inclusion=exclusive\n"
	   "level name=l4 size=512K ways=8 line=128 latency=28 inclusion=inclusive\n"
	   "prefetch kind=stride into=l2 switch=no\n", 128);
}

/* The second level puts out what it is not asked for, and is asked for one
 * half as long as the other is loaded. */
static void what_an_outer_level_keeps_is_no_line_here(void **state)
{
	(void)state;
	is_not_another("level name=l1d size=16K ways=8 line=32 latency=3 policy=random\n"
		       "level name=l2 size=20K ways=4 line=64 latency=7 policy=tree-plru inclusion=inclusive\n"
		       "level name=l3 size=36K ways=8 line=64 latency=15 policy=qlru_h00_m1_r2_u1 slices=4\n"
		       "level name=l4 size=192K ways=12 line=128 latency=44 policy=bit-plru inclusion=inclusive slices=2\n"
		       "place pages=contiguous\n", 32);
}

/* A prefetcher brings pairs, which go together as longer lines of a level that
 * includes this one do; those take the next pair along as well. */
static void pairs_that_an_outer_level_takes_out_are_no_lines(void **state)
{
	(void)state;
	is_not_another("level name=l1d size=16K ways=16 line=32 latency=3 policy=qlru_h21_m2_r0_u0_umo index=virtual\n"
		       "level name=l2 size=256K ways=4 line=32 latency=9 policy=bit-plru index=physical\n"
		       "level name=l3 size=512K ways=8 line=128 latency=28 index=physical inclusion=inclusive\n"
		       "prefetch kind=adjacent into=l1d switch=no\n"
		       "place pages=contiguous thp=refused\n", 32);
}

/* Of so many pages, each on its sets as chance will have it, neighbours may
 * well be lost together, or not, for a replicate. */
static void pages_that_happen_to_meet_are_no_answer(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SEEDS; i++) {
		seed = i;
		allows("level name=l1d size=28K ways=1 line=64 latency=4 policy=lru index=physical\n"
		       "level name=l2 size=288K ways=16 line=128 latency=7 policy=fifo inclusion=inclusive\n"
		       SMALL, 64);
	}
	seed = 0;
}

/* Looking at what is there uses it, and makes it stay. */
static void lines_that_use_makes_stay_are_not_halved(void **state)
{
	(void)state;
	allows("level name=l1d size=18K ways=12 line=256 latency=4 policy=qlru_h11_m1_r0_u0 index=physical\n"
	       "level name=l2 size=120K ways=6 line=256 latency=17 policy=qlru_h11_m1_r0_u0 index=virtual\n"
	       SMALL, 256);
	allows("level name=l1d size=128K ways=8 line=256 latency=6 policy=qlru_h11_m1_r0_u0\n"
	       "level name=l2 size=192K ways=8 line=256 latency=17 policy=random inclusion=exclusive\n"
	       SMALL, 256);
}

/* What the second level has takes no longer by it than what the first has. */
static void a_clock_of_long_steps_says_nothing_of_neighbours(void **state)
{
	struct mp_line_between between = { 32, 256, 0 };
	const struct mp_line_first first = { 32 << 10, 4 };
	const struct mp_line_along along = { .replicates = 0 };
	struct mp_plan plan = { 0 };

	(void)state;
	made_sim_open(&sim, MACHINE
		      "level name=l1d size=32K ways=8 line=32 latency=4\n"
		      "level name=l2 size=256K ways=8 line=64 latency=14\n"
		      "clock tsc_mhz=24 step=1 read=40\n");
	sim.view.caps |= MP_CAP_SEQUENCE | MP_CAP_PHASES;
	assert_int_equal(mp_line_narrow(&sim.view, &first, &along, &plan, NULL,
					&between), 0);
	assert_int_equal(plan.n, 0);
	assert_int_equal(between.replicates, 0);
	mp_plan_free(&plan);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_next_line_prefetcher_brings_is_no_half_of_a_line),
		cmocka_unit_test(halves_of_a_line_are_told_beside_the_same_prefetcher),
		cmocka_unit_test(a_next_line_prefetcher_shows_where_replacement_hides_lines),
		cmocka_unit_test(pairs_that_come_and_go_together_are_two_lines),
		cmocka_unit_test(short_lines_within_a_long_one_further_out_are_found),
		cmocka_unit_test(sectors_before_a_near_level_are_told_from_lines),
		cmocka_unit_test(long_lines_are_told_where_a_prefetcher_stays_on),
		cmocka_unit_test(what_an_outer_level_keeps_is_no_line_here),
		cmocka_unit_test(pairs_that_an_outer_level_takes_out_are_no_lines),
		cmocka_unit_test(pages_that_happen_to_meet_are_no_answer),
		cmocka_unit_test(lines_that_use_makes_stay_are_not_halved),
		cmocka_unit_test(a_clock_of_long_steps_says_nothing_of_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
