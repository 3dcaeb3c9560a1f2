// SPDX-License-Identifier: GPL-2.0
/* Lines by what comes along with a load and by what hops find, on simulated
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
	sim.view.caps |= MP_CAP_SEQUENCE;
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

/* The third holds fewer lines than the second, and half as many again of the
 * first's, as the second does. */
static void lines_show_where_levels_inside_hold_as_many(void **state)
{
	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=32K ways=4 latency=3 policy=tree-plru\n"
	    "level name=l2 size=48K ways=4 latency=14 policy=srrip\n"
	    "level name=l3 size=72K ways=4 line=128 latency=36 "
	    "policy=random\n");
	is("cpu.l2.line", 64);
	is("cpu.l2.sector", 64);
	is("cpu.l3.line", 128);
	is("cpu.l3.sector", 128);
}

/* The upper half of a slot is a line of its own further in. */
static void halves_come_along_into_a_level_of_longer_lines(void **state)
{
	(void)state;
	ask(MACHINE NOISE
	    "level name=l1d size=32K ways=16 line=32 latency=3 "
	    "policy=tree-plru\n"
	    "level name=l2 size=128K ways=8 line=32 latency=12 "
	    "inclusion=inclusive\n"
	    "level name=l3 size=216K ways=9 line=64 latency=26\n");
	is("cpu.l2.sector", 32);
	is("cpu.l3.line", 64);
	is("cpu.l3.sector", 64);
}

/* How large the third is does not show, as its two ways lose lines of small
 * pages long before it is full: that they are lines of 64 bytes does. */
static void a_level_is_asked_whose_size_is_not_known(void **state)
{
	const struct mp_fact *size;

	(void)state;
	ask("machine name=a clock_mhz=2500 memory_latency=380\n" CLOCK NOISE
	    "place pages=random thp=refused\n"
	    "level name=l1d size=16K ways=16 latency=3 index=physical\n"
	    "level name=l2 size=52K ways=13 latency=7 inclusion=exclusive "
	    "policy=qlru_h11_m1_r0_u0\n"
	    "level name=l3 size=160K ways=2 latency=15\n");
	size = made_sim_fact(&sim, "cpu.l3.size");
	assert_int_not_equal(size->verdict, MP_MEASURED);
	is("cpu.l3.line", 64);
}

/* .. and a line of two sectors in such a level is not taken for two. */
static void its_sectors_are_not_taken_for_lines(void **state)
{
	const struct mp_fact *line;

	(void)state;
	ask("machine name=a clock_mhz=2500 memory_latency=250\n" CLOCK NOISE
	    "place pages=random thp=refused\n"
	    "level name=l1d size=16K ways=16 latency=3 policy=bit-plru\n"
	    "level name=l2 size=72064 ways=1 latency=7 policy=tree-plru\n"
	    "level name=l3 size=128K ways=2 line=128 sector=64 latency=20 "
	    "policy=nru slices=2\n");
	is("cpu.l2.line", 64);
	is("cpu.l3.sector", 64);
	line = made_sim_fact(&sim, "cpu.l3.line");
	assert_true(line->verdict != MP_MEASURED || line->value == 128);
}

/* A line of two or four sectors is no line as long as one. */
static void sectors_are_not_taken_for_lines(void **state)
{
	const struct mp_fact *line;

	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=16K ways=8 latency=3\n"
	    "level name=l2 size=64K ways=8 latency=11 line=128 sector=64 "
	    "policy=random\n"
	    "level name=l3 size=256K ways=8 latency=30 line=256 sector=128\n");
	is("cpu.l2.sector", 64);
	is("cpu.l3.sector", 128);
	line = made_sim_fact(&sim, "cpu.l2.line");
	assert_true(line->verdict != MP_MEASURED || line->value == 128);
	line = made_sim_fact(&sim, "cpu.l3.line");
	assert_true(line->verdict != MP_MEASURED || line->value == 256);
}

/* Two levels are taken for one, as the clock's steps are long: the sector of
 * the outer one is not that of the one that is seen. */
static void a_level_that_hides_has_no_say_in_sectors(void **state)
{
	const struct mp_fact *sector;

	(void)state;
	ask("machine name=a clock_mhz=2500 memory_latency=250\n"
	    "clock tsc_mhz=2500 step=32 read=50\n" ROW NOISE
	    "level name=l1d size=16K ways=4 latency=3\n"
	    "level name=l2 size=64K ways=8 latency=20\n"
	    "level name=l3 size=80K ways=5 line=128 latency=24\n");
	sector = made_sim_fact(&sim, "cpu.l2.sector");
	assert_true(sector->verdict != MP_MEASURED || sector->value == 64);
	is("cpu.l1d.sector", 64);
}

/* What a prefetcher brings along is no line, and no sector. */
static void prefetchers_bring_no_sectors(void **state)
{
	static const char *const name[] = {
		"cpu.l2.sector", "cpu.l2.line", "cpu.l3.sector", "cpu.l3.line",
	};

	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=32K ways=8 latency=3\n"
	    "level name=l2 size=48K ways=12 latency=11\n"
	    "level name=l3 size=512K ways=8 latency=40\n"
	    "prefetch kind=adjacent into=l2 switch=no\n");
	for (uint32_t i = 0; i < 4; i++) {
		const struct mp_fact *fact = made_sim_fact(&sim, name[i]);

		assert_true(fact->verdict != MP_MEASURED || fact->value == 64);
	}
}

#define LINE_TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINE_TEST(lines_show_where_levels_inside_hold_as_many),
		LINE_TEST(halves_come_along_into_a_level_of_longer_lines),
		LINE_TEST(a_level_is_asked_whose_size_is_not_known),
		LINE_TEST(its_sectors_are_not_taken_for_lines),
		LINE_TEST(sectors_are_not_taken_for_lines),
		LINE_TEST(a_level_that_hides_has_no_say_in_sectors),
		LINE_TEST(prefetchers_bring_no_sectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
