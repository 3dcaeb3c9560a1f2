// SPDX-License-Identifier: GPL-2.0
/* Lines by neighbours that leave a level one without the other, on simulated
 * machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define CLOCK "clock tsc_mhz=2500 step=1 read=50\n"
#define MACHINE "machine name=a clock_mhz=2500 memory_latency=250\n" CLOCK
#define ROW "place pages=contiguous\n"
#define SMALL "place pages=random thp=refused\n"
#define NOISE "noise gaps=0.02\n"

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = 64u << 20;
	sim.view.caps |= MP_CAP_SEQUENCE | MP_CAP_PHASES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("line"));
}

static void is(const char *name, double bytes)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != MP_MEASURED || fact->value != bytes)
		fail_msg("%s: verdict %u, %g for %g: %s", name, fact->verdict,
			 fact->value, bytes, fact->reason);
}

static void is_not_wrong(const char *name, double bytes)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict == MP_MEASURED && fact->value != bytes)
		fail_msg("%s: %g for %g: %s", name, fact->value, bytes,
			 fact->method);
}

/* Small pages blur the edge of a level of few ways: it holds no ring as large
 * as it is. */
static void a_level_of_few_ways_in_small_pages_shows_its_lines(void **state)
{
	(void)state;
	ask(MACHINE SMALL NOISE
	    "level name=l1d size=24K ways=4 latency=4\n"
	    "level name=l2 size=120K ways=10 latency=18 policy=srrip\n"
	    "level name=l3 size=256K ways=2 latency=38 policy=random\n"
	    "level name=l4 size=480K ways=4 line=256 latency=100 policy=fifo "
	    "inclusion=inclusive slices=3\n");
	is("cpu.l3.line", 64);
	is_not_wrong("cpu.l4.line", 256);
}

/* The second holds fewer lines than the first, and the clock is too coarse for
 * hops of either. */
static void lines_are_told_where_a_coarse_clock_hides_hits(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2600 memory_latency=190\n"
	    "clock tsc_mhz=1000 step=1 read=23\n" ROW NOISE
	    "level name=l1d size=128K ways=8 latency=6\n"
	    "level name=l2 size=192K ways=16 line=128 latency=11 "
	    "policy=srrip\n"
	    "level name=l3 size=2M ways=8 line=128 latency=24 "
	    "policy=fifo\n");
	is("cpu.l2.line", 128);
	is("cpu.l2.sector", 128);
	is("cpu.l3.line", 128);
}

/* Hashed over slices no two of its lines lie on sets as their numbers say. */
static void lines_hashed_over_slices_go_apart_by_chance(void **state)
{
	(void)state;
	ask(MACHINE SMALL NOISE
	    "level name=l1d size=36K ways=4 latency=5 policy=srrip\n"
	    "level name=l2 size=128K ways=8 latency=13 policy=fifo\n"
	    "level name=l3 size=256K ways=4 latency=34 policy=nru "
	    "index=virtual inclusion=inclusive slices=8\n");
	is("cpu.l3.line", 64);
}

/*
 * A level inside that puts out any line keeps some for many rounds: their halves
 * of a longer line are not asked for again, and are missing when it comes back.
 */
static void halves_kept_inside_are_not_taken_for_lines(void **state)
{
	(void)state;
	ask(MACHINE SMALL NOISE
	    "level name=l1d size=16K ways=8 latency=4 policy=random\n"
	    "level name=l2 size=48K ways=6 latency=12 policy=random\n"
	    "level name=l3 size=96K ways=6 line=128 sector=64 latency=30 "
	    "policy=random\n");
	is_not_wrong("cpu.l2.line", 64);
	is_not_wrong("cpu.l3.line", 128);
}

/* .. nor are they where others are always at work beside. */
static void halves_are_not_taken_for_lines_where_some_are_prefetched(
	void **state)
{
	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=16K ways=4 latency=4 policy=random\n"
	    "level name=l2 size=64K ways=8 line=128 sector=64 latency=12\n"
	    "level name=l3 size=512K ways=8 line=128 sector=64 latency=30 "
	    "policy=random\n"
	    "prefetch kind=next into=l2 switch=no\n");
	is_not_wrong("cpu.l2.line", 128);
	is_not_wrong("cpu.l3.line", 128);
}

/* As much comes along as is looked for at most, or lines inside are as long: that
 * these are no longer is not known from that. */
static void no_line_is_taken_for_the_longest_that_is_looked_for(void **state)
{
	static const char *const text[] = {
		MACHINE ROW NOISE
		"level name=l1d size=40K ways=8 line=256 latency=4\n"
		"level name=l2 size=128K ways=1 line=512 latency=13\n"
		"prefetch kind=next into=l2 switch=no\n",
		MACHINE ROW NOISE
		"level name=l1d size=24K ways=6 line=64 latency=4\n"
		"level name=l2 size=256K ways=8 line=512 latency=13\n",
	};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		ask(text[i]);
		is_not_wrong("cpu.l2.line", 512);
		made_sim_close(&sim);
	}
}

/* A level a little larger than the one inside, with an odd number of sets: what
 * fills it and what lies as upper ones do leave all pairs whole. */
static void slots_drawn_at_random_part_lines_of_an_odd_number_of_sets(
	void **state)
{
	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=16K ways=16 latency=3 "
	    "policy=qlru_h21_m2_r0_u0_umo\n"
	    "level name=l2 size=24640 ways=11 latency=9 policy=srrip\n"
	    "level name=l3 size=144K ways=8 latency=26 policy=random\n");
	is("cpu.l2.line", 64);
}

/* Half of the level fits inside, and its neighbour begins as soon. Each slot
 * is asked of the level at each round, or is known not to be. */
static void what_stayed_inside_is_left_out_pair_by_pair(void **state)
{
	(void)state;
	ask(MACHINE SMALL NOISE
	    "level name=l1d size=16K ways=4 line=32 latency=4 policy=random\n"
	    "level name=l2 size=24K ways=6 line=32 latency=12 policy=fifo\n"
	    "level name=l3 size=256K ways=16 line=32 latency=48 policy=fifo "
	    "slices=2\n"
	    "prefetch kind=stream into=l2 switch=no\n");
	is("cpu.l2.line", 32);
}

/* The first level has room for as many lines as the second, which are longer
 * than what comes along. */
static void halves_that_never_go_apart_make_a_longer_line(void **state)
{
	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=32K ways=8 latency=4\n"
	    "level name=l2 size=64K ways=8 line=128 sector=64 latency=14 "
	    "policy=nru\n"
	    "level name=l3 size=512K ways=8 line=256 latency=40\n");
	is("cpu.l2.line", 128);
	is("cpu.l2.sector", 64);
	is_not_wrong("cpu.l3.line", 256);
}

/* .. which a level outside with longer lines, all of which it has to have, does
 * not make of shorter ones. */
static void lines_put_out_by_longer_ones_are_not_taken_for_those(void **state)
{
	(void)state;
	ask(MACHINE SMALL NOISE
	    "level name=l1d size=16K ways=16 latency=3 policy=nru\n"
	    "level name=l2 size=24K ways=24 latency=9 policy=lru\n"
	    "level name=l3 size=32K ways=2 line=128 latency=32 "
	    "policy=lru inclusion=inclusive\n");
	is_not_wrong("cpu.l2.line", 64);
}

/* .. nor does a prefetcher that brings the neighbour along. */
static void neighbours_brought_along_are_not_taken_for_longer_lines(
	void **state)
{
	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=80K ways=20 latency=6\n"
	    "level name=l2 size=192K ways=32 latency=11 policy=nru\n"
	    "level name=l3 size=440K ways=10 latency=37\n"
	    "prefetch kind=adjacent into=l2 switch=no\n");
	is_not_wrong("cpu.l2.line", 64);
	is_not_wrong("cpu.l3.line", 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			a_level_of_few_ways_in_small_pages_shows_its_lines,
			end),
		cmocka_unit_test_teardown(
			lines_are_told_where_a_coarse_clock_hides_hits, end),
		cmocka_unit_test_teardown(
			lines_hashed_over_slices_go_apart_by_chance, end),
		cmocka_unit_test_teardown(
			halves_kept_inside_are_not_taken_for_lines, end),
		cmocka_unit_test_teardown(
			halves_are_not_taken_for_lines_where_some_are_prefetched,
			end),
		cmocka_unit_test_teardown(
			slots_drawn_at_random_part_lines_of_an_odd_number_of_sets,
			end),
		cmocka_unit_test_teardown(
			what_stayed_inside_is_left_out_pair_by_pair, end),
		cmocka_unit_test_teardown(
			halves_that_never_go_apart_make_a_longer_line, end),
		cmocka_unit_test_teardown(
			lines_put_out_by_longer_ones_are_not_taken_for_those,
			end),
		cmocka_unit_test_teardown(
			neighbours_brought_along_are_not_taken_for_longer_lines,
			end),
		cmocka_unit_test(
			no_line_is_taken_for_the_longest_that_is_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
