// SPDX-License-Identifier: GPL-2.0
/* What comes along with a load, on simulated machines whose sectors are
 * stated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define MACHINE "machine name=a clock_mhz=2500 memory_latency=250\n"
#define CLOCK "clock tsc_mhz=2500 step=1 read=50\n"
#define SMALL "place pages=random thp=refused\n"
#define NOISE "noise gaps=0.02\n"

static struct made_sim sim;

static const struct mp_fact *ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	return made_sim_fact(&sim, "cpu.l1d.sector");
}

static void is(const char *text, double bytes)
{
	const struct mp_fact *sector = ask(text);

	if (sector->verdict != MP_MEASURED || sector->value != bytes)
		fail_msg("verdict %u, %g for %g: %s", sector->verdict,
			 sector->value, bytes, sector->reason);
	made_sim_close(&sim);
}

/* The other half is in the second level's line. */
static void halves_of_a_line_of_the_level_outside_are_told_apart(void **state)
{
	(void)state;
	is("machine name=a clock_mhz=2750 memory_latency=215\n"
	   "level name=l1d size=88K ways=8 line=64 sector=32 latency=7 policy=bit-plru\n"
	   "level name=l2 size=132K ways=8 line=64 latency=31 policy=tree-plru\n"
	   "prefetch kind=adjacent into=l1d\n"
	   "place pages=contiguous\n"
	   "clock tsc_mhz=2600 step=1 read=70\n" NOISE, 32);
}

/* .. which is nearly as fast. */
static void sectors_are_told_from_a_level_two_cycles_further_out(void **state)
{
	(void)state;
	is(MACHINE
	   "level name=l1d size=8K ways=16 line=64 sector=32 latency=3\n"
	   "level name=l2 size=64K ways=8 line=256 latency=5\n"
	   "level name=l3 size=144K ways=18 line=256 latency=9 policy=nru inclusion=inclusive slices=4\n"
	   SMALL CLOCK NOISE, 32);
}

/* One line of such a level holds what other levels would lose. */
static void lines_of_one_way_come_whole(void **state)
{
	(void)state;
	is(MACHINE
	   "level name=l1d size=52K ways=1 line=64 latency=4\n"
	   "level name=l2 size=120K ways=12 line=64 latency=8 policy=random inclusion=inclusive\n"
	   "level name=l3 size=186K ways=31 line=64 latency=18 inclusion=exclusive slices=2\n"
	   CLOCK NOISE, 64);
}

static void a_clock_of_long_steps_is_read_more_often(void **state)
{
	(void)state;
	is("machine name=a clock_mhz=3700 memory_latency=217\n"
	   "level name=l1d size=104K ways=2 line=256 latency=7 policy=bit-plru\n"
	   "level name=l2 size=256K ways=4 line=256 latency=12 policy=tree-plru inclusion=inclusive\n"
	   "clock tsc_mhz=4000 step=40 read=86\n" NOISE, 256);
}

static void a_line_that_is_always_brought_along_is_no_part_of_one(void **state)
{
	(void)state;
	is("machine name=a clock_mhz=5100 memory_latency=241\n"
	   "level name=l1d size=64K ways=8 line=64 latency=5 policy=qlru_h11_m1_r1_u2\n"
	   "level name=l2 size=256K ways=8 line=64 latency=9 inclusion=exclusive\n"
	   "prefetch kind=adjacent into=l1d switch=no\n"
	   "clock tsc_mhz=2900 step=1 read=39\n" SMALL NOISE, 64);
}

/* Here it takes as long to load what was loaded as what was not. */
static void sectors_that_no_visit_shares_are_not_taken_for_a_line(void **state)
{
	static const char *const level[] = {
		"level name=l1d size=32K ways=8 line=64 sector=16 latency=4\n",
		"level name=l1d size=32K ways=8 line=64 sector=8 latency=4\n",
		"level name=l1d size=32K ways=8 line=32 sector=16 latency=4\n",
	};
	static const char *const more[] = {
		"", "prefetch kind=next into=l1d switch=no\n",
	};

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		char text[1024] = MACHINE;

		strcat(text, level[i / 2]);
		strcat(text, "level name=l2 size=256K ways=8 latency=14\n");
		strcat(text, CLOCK NOISE);
		strcat(text, more[i % 2]);
		assert_int_equal(ask(text)->verdict, MP_NOT_MEASURABLE);
		made_sim_close(&sim);
	}
}

#define SECTORS(policy) \
	"machine name=a clock_mhz=4000 memory_latency=200\n" \
	"level name=l1d size=8K ways=2 line=256 sector=128 latency=4 " \
	"policy=" policy " index=physical\n" \
	"level name=l2 size=16K ways=8 line=256 latency=8 policy=nru inclusion=inclusive\n" \
	"level name=l3 size=32K ways=8 line=256 latency=29 policy=tree-plru inclusion=exclusive\n" \
	"prefetch kind=adjacent into=l1d switch=no\n" \
	"clock tsc_mhz=2200 step=1 read=57\n" NOISE

/* Neither is known where another line may have come by a prefetcher. */
static void without_a_line_prefetchers_may_have_brought_the_rest(void **state)
{
	(void)state;
	assert_int_equal(ask(SECTORS("random"))->verdict, MP_NOT_MEASURABLE);
	made_sim_close(&sim);
}

/* .. and both are where the line is told by what stays with what. */
static void with_a_line_prefetchers_bring_no_part_of_it(void **state)
{
	(void)state;
	assert_true(ask(SECTORS("srrip"))->value == 128);
	assert_true(made_sim_fact(&sim, "cpu.l1d.line")->value == 256);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_of_a_line_of_the_level_outside_are_told_apart),
		cmocka_unit_test(sectors_are_told_from_a_level_two_cycles_further_out),
		cmocka_unit_test(lines_of_one_way_come_whole),
		cmocka_unit_test(a_clock_of_long_steps_is_read_more_often),
		cmocka_unit_test(a_line_that_is_always_brought_along_is_no_part_of_one),
		cmocka_unit_test(sectors_that_no_visit_shares_are_not_taken_for_a_line),
		cmocka_unit_test(without_a_line_prefetchers_may_have_brought_the_rest),
		cmocka_unit_test(with_a_line_prefetchers_bring_no_part_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
