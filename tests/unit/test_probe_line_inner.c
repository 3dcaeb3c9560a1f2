// SPDX-License-Identifier: GPL-2.0
/* The innermost level's line, where its neighbours tell it once its hops are told
 * from all others, on simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define MACHINE "machine name=a cpus=1 clock_mhz=3000 memory_latency=250\n" \
		"noise gaps=0.02\n"
#define FINE "clock tsc_mhz=3000 step=1 read=75\n"
#define ROW "place pages=contiguous\n"
#define SMALL "place pages=random thp=refused\n"

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
	/* Nothing is given. */
	sim.facts.n = 0;
	sim.view.arena_max_bytes = 64u << 20;
	sim.view.caps |= MP_CAP_SEQUENCE | MP_CAP_PHASES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* What probe line-l1d leaves open probe line tells. */
static void is_told(uint32_t line, uint32_t sector)
{
	const struct mp_fact *fact = made_sim_fact(&sim, "cpu.l1d.line");

	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	made_sim_ask(&sim, mp_probe_find("line"));
	fact = made_sim_fact(&sim, "cpu.l1d.line");
	if (fact->verdict != MP_MEASURED || fact->value != line)
		fail_msg("verdict %u, %g for %u: %s", fact->verdict,
			 fact->value, line, fact->reason);
	assert_true(fact->n_evidence > 1);
	fact = made_sim_fact(&sim, "cpu.l1d.sector");
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fact->value == sector);
}

/* Of lines that are fetched by halves none comes along, and what is in use tells
 * nothing where the oldest goes all the same. */
static void halves_of_fifo_lines_never_go_apart(void **state)
{
	(void)state;
	ask(MACHINE FINE SMALL
	    "level name=l1d size=32K ways=16 line=64 sector=32 latency=4 "
	    "policy=fifo\n"
	    "level name=l2 size=49280 ways=10 latency=12\n"
	    "level name=l3 size=1792K ways=16 latency=28 policy=random\n");
	is_told(64, 32);
}

static void halves_of_lines_that_go_by_chance_never_go_apart(void **state)
{
	(void)state;
	ask(MACHINE FINE ROW
	    "level name=l1d size=96K ways=12 line=64 sector=32 latency=7 "
	    "policy=random\n"
	    "level name=l2 size=2M ways=1 line=128 latency=32 "
	    "inclusion=inclusive\n");
	is_told(64, 32);
}

/* What puts a tenth of the pairs out of one level puts as many out of both, where
 * the next is hardly larger; or nearly all are put out. No half was ever alone. */
static void few_pairs_that_stay_or_go_tell_as_well(void **state)
{
	(void)state;
	ask(MACHINE FINE ROW
	    "level name=l1d size=128K ways=32 line=64 sector=32 latency=7 "
	    "policy=qlru_h11_m1_r0_u0\n"
	    "level name=l2 size=197120 ways=10 latency=20 policy=fifo "
	    "inclusion=inclusive\n"
	    "level name=l3 size=1488K ways=31 line=128 latency=69 policy=nru "
	    "inclusion=inclusive slices=4\n");
	is_told(64, 32);
	made_sim_close(&sim);
	ask(MACHINE FINE SMALL
	    "level name=l1d size=11K ways=22 line=256 sector=128 latency=3 "
	    "policy=qlru_h11_m1_r0_u0\n"
	    "level name=l2 size=24K ways=12 line=256 latency=13 "
	    "policy=bit-plru index=physical\n"
	    "level name=l3 size=55K ways=10 line=256 latency=30 "
	    "index=physical\n");
	is_told(256, 128);
}

/* Levels further out take 128 bytes along with a flush. */
static void a_line_is_shorter_than_what_a_flush_takes(void **state)
{
	(void)state;
	ask(MACHINE FINE ROW
	    "level name=l1d size=12K ways=12 latency=4 policy=bit-plru\n"
	    "level name=l2 size=18K ways=1 latency=12 inclusion=inclusive\n"
	    "level name=l3 size=28160 ways=11 line=128 latency=22 "
	    "policy=srrip index=virtual inclusion=inclusive slices=2\n");
	is_told(64, 64);
}

/* No flush leaves anything of the longest line. */
static void the_longest_line_is_told(void **state)
{
	(void)state;
	ask(MACHINE FINE SMALL
	    "level name=l1d size=64K ways=2 line=256 sector=128 latency=5 "
	    "index=physical policy=nru\n"
	    "level name=l2 size=96K ways=2 line=256 latency=13 policy=random "
	    "inclusion=inclusive\n"
	    "level name=l3 size=144K ways=16 line=256 latency=29 "
	    "policy=tree-plru\n");
	is_told(256, 128);
}

/* Lines of half the length that a level of longer ones takes along: its own
 * halves go one without the other. */
static void short_lines_inside_long_ones_are_told(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(MACHINE FINE SMALL
	    "level name=l1d size=24K ways=1 line=32 latency=4\n"
	    "level name=l2 size=48K ways=6 line=64 latency=12 policy=srrip "
	    "inclusion=inclusive\n"
	    "level name=l3 size=256K ways=8 line=64 latency=33 "
	    "inclusion=inclusive\n");
	made_sim_ask(&sim, mp_probe_find("line"));
	fact = made_sim_fact(&sim, "cpu.l1d.line");
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fact->value == 32);
}

/* What a load does not bring along no prefetcher makes stay. */
static void halves_that_do_not_come_along_are_told_beside_prefetchers(
	void **state)
{
	(void)state;
	ask(MACHINE FINE SMALL
	    "level name=l1d size=24K ways=6 line=64 sector=32 latency=4 "
	    "policy=random\n"
	    "level name=l2 size=160K ways=10 line=64 latency=12 "
	    "inclusion=inclusive\n"
	    "prefetch kind=next into=l1d switch=no\n");
	is_told(64, 32);
}

/* Where it does, two lines look like one. */
static void lines_that_come_together_are_not_taken_for_one(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(MACHINE FINE SMALL
	    "level name=l1d size=24K ways=6 line=32 latency=4 policy=fifo\n"
	    "level name=l2 size=160K ways=10 line=64 latency=12 "
	    "inclusion=inclusive\n"
	    "prefetch kind=next into=l1d switch=no\n");
	made_sim_ask(&sim, mp_probe_find("line"));
	fact = made_sim_fact(&sim, "cpu.l1d.line");
	if (fact->verdict == MP_MEASURED && fact->value != 32)
		fail_msg("%g for 32: %s", fact->value, fact->method);
}

/* A second level hardly larger than the first loses lines of 256 bytes, and takes along
 * what lies in them. The first pair of those that is looked at comes from the third,
 * and brings back to the second what lies beside it: that left the first as part of one
 * line, but not of its own. (And what puts a ring out of the first is longer than what
 * drives the second through.) */
static void what_a_longer_line_takes_along_is_no_half(void **state)
{
	static const char *const probe[] = { "line-l1d", "cache-size", "line" };
	static const char text[] =
		"machine name=a cpus=1 clock_mhz=1100 memory_latency=496\n"
		"level name=l1d size=24K ways=12 latency=4 policy=srrip\n"
		"level name=l2 size=36K ways=2 line=256 latency=9 policy=qlru_h00_m1_r0_u1 "
		"inclusion=inclusive\n"
		"level name=l3 size=64K ways=16 line=256 latency=31 policy=nru index=virtual\n"
		"level name=l4 size=344K ways=32 line=256 latency=61 inclusion=inclusive\n"
		SMALL "clock tsc_mhz=2100 step=1 read=22\n";

	(void)state;
	for (uint64_t seed = 2; seed <= 4; seed += 2) {
		const struct mp_fact *fact;

		made_sim_open_quiet(&sim, text, seed);
		sim.facts.n = 0;
		sim.view.arena_max_bytes = 256u << 20;
		for (uint32_t i = 0; i < 3; i++)
			made_sim_ask(&sim, mp_probe_find(probe[i]));
		fact = made_sim_not_wrong(&sim, "cpu.l1d.line", 64, 0);
		if (fact->verdict == MP_NOT_MEASURABLE)
			assert_non_null(strstr(fact->reason, "do not make one line"));
		else
			assert_int_equal(fact->verdict, MP_MEASURED);
		if (seed < 4)
			made_sim_close(&sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(halves_of_fifo_lines_never_go_apart,
					  end),
		cmocka_unit_test_teardown(
			halves_of_lines_that_go_by_chance_never_go_apart, end),
		cmocka_unit_test_teardown(
			few_pairs_that_stay_or_go_tell_as_well, end),
		cmocka_unit_test_teardown(
			a_line_is_shorter_than_what_a_flush_takes, end),
		cmocka_unit_test_teardown(the_longest_line_is_told, end),
		cmocka_unit_test_teardown(short_lines_inside_long_ones_are_told,
					  end),
		cmocka_unit_test_teardown(
			halves_that_do_not_come_along_are_told_beside_prefetchers,
			end),
		cmocka_unit_test_teardown(
			lines_that_come_together_are_not_taken_for_one, end),
		cmocka_unit_test_teardown(
			what_a_longer_line_takes_along_is_no_half, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
