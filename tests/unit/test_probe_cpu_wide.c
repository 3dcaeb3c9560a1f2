// SPDX-License-Identifier: GPL-2.0
/* Levels with longer lines than those inside, where rings have to be full. */
#include "probe/cpu_edges.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "made_hops.h"
#include "sim_ask.h"

#define KIB 1024.0
#define MACHINE "machine name=m clock_mhz=3000 memory_latency=250\n" \
	"clock tsc_mhz=3000 step=1 read=25\nplace pages=contiguous\n"

static struct made_hops side, wide[MP_CPU_WIDTHS];
static struct mp_cpu_edges edges;

static int begin(void **state)
{
	(void)state;
	memset(&edges, 0, sizeof(edges));
	made_hops_open(&side, 1);
	for (uint32_t i = 0; i < MP_CPU_WIDTHS; i++)
		made_hops_open(&wide[i], 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_hops_close(&side);
	for (uint32_t i = 0; i < MP_CPU_WIDTHS; i++)
		made_hops_close(&wide[i]);
	return 0;
}

/* One level of 20 cycles with memory behind, of whose misses a ring sees a
 * part from a length on. */
static void draw(struct made_hops *hops, double part, double from)
{
	for (double length = 4 * KIB; length <= 512 * KIB; length *= M_SQRT2) {
		const double miss = length > from ? part : 0;
		const struct made_kind kind[] = { { miss, 200, 5 },
						  { 1, 20, 0 } };

		made_hops_add(hops, (uint64_t)length, 2, kind, 2);
	}
}

static void find(void)
{
	uint32_t n;

	edges.side[0] = side.curve;
	for (uint32_t i = 0; i < MP_CPU_WIDTHS; i++)
		edges.wide[i][0] = wide[i].curve;
	assert_int_equal(mp_spectrum_find(&wide[MP_CPU_WIDTHS - 1].curve,
					  &edges.spectrum), 0);
	assert_int_equal(edges.spectrum.n, 2);
	assert_int_equal(mp_cpu_share_levels(&side.curve, &edges.spectrum,
					     edges.level, &n), 0);
	edges.n = n;
	edges.muddled = mp_cpu_share_muddled(&side.curve, &edges.spectrum);
	assert_int_equal(mp_cpu_wide_find(&edges), 0);
}

static void a_level_gets_the_least_distance_at_which_all_hops_miss(void **state)
{
	(void)state;
	draw(&side, 0.25, 60 * KIB);
	draw(&wide[0], 0.5, 60 * KIB);
	draw(&wide[1], 1, 60 * KIB);
	draw(&wide[2], 1, 60 * KIB);
	find();
	assert_int_equal(edges.muddled, MP_CPU_LEVELS);
	assert_int_equal(edges.width[0], 2);
	assert_ptr_equal(mp_cpu_level_side(&edges, 0, 0), &edges.wide[1][0]);
	assert_true(edges.level[0].low_bytes <= 64 * KIB);
	assert_true(edges.level[0].high_bytes >= 60 * KIB);
	assert_true(edges.level[0].high_bytes < 128 * KIB);
}

static void a_level_all_hops_come_to_miss_wants_no_wider_rings(void **state)
{
	(void)state;
	draw(&side, 1, 60 * KIB);
	for (uint32_t i = 0; i < MP_CPU_WIDTHS; i++)
		draw(&wide[i], 1, 60 * KIB);
	find();
	assert_int_equal(edges.muddled, MP_CPU_LEVELS);
	assert_int_equal(edges.width[0], 0);
	assert_ptr_equal(mp_cpu_level_side(&edges, 0, 0), &edges.side[0]);
}

/* Not long lines but something else halved the misses of the denser one, and
 * the wider one spreads over twice the sets: it has not the size. */
static void a_ring_that_fits_where_a_denser_one_does_not_is_no_measure(void **state)
{
	(void)state;
	draw(&side, 0.5, 60 * KIB);
	for (uint32_t i = 0; i < MP_CPU_WIDTHS; i++)
		draw(&wide[i], 1, 130 * KIB);
	find();
	assert_int_equal(edges.muddled, 0);
	assert_int_equal(edges.width[0], 0);
}

/* The same of one that is judged by a wider one, not by the dense one. */
static void each_denser_ring_has_a_say(void **state)
{
	(void)state;
	draw(&side, 0.1, 60 * KIB);
	draw(&wide[0], 0.5, 60 * KIB);
	draw(&wide[1], 1, 130 * KIB);
	draw(&wide[2], 1, 130 * KIB);
	find();
	assert_int_equal(edges.muddled, 0);
}

static void check(const char *text, const char *name, double bytes)
{
	struct sim_ask ask = { 0 };
	const struct mp_fact *fact;

	sim_ask_know(&ask, "cpu.l1d.line", 64);
	sim_ask(&ask, text, mp_probe_find("cache-size"), 1);
	fact = sim_ask_fact(&ask, name);
	if (isnan(bytes))
		assert_int_equal(fact->verdict, MP_ABSENT);
	else
		assert_true(fact->verdict == MP_MEASURED &&
			    fabs(fact->value - bytes) < bytes / 12 &&
			    fact->low <= bytes && fact->high >= bytes);
	sim_ask_free(&ask);
}

static void lines_may_grow_where_sets_are_odd(void **state)
{
	static const char two[] = MACHINE
		"level name=l1d size=16K ways=16 latency=4\n"
		"level name=l2 size=192K ways=8 line=256 latency=16 "
		"index=virtual\n";

	(void)state;
	check(two, "cpu.l2.size", 192 * KIB);
	check(two, "cpu.l3.size", NAN);
}

/* A full ring's hops come to miss so rarely that memory hardly shows. */
static void what_lies_behind_long_lines_is_not_denied(void **state)
{
	static const char three[] = MACHINE
		"level name=l1d size=8K ways=8 latency=4\n"
		"level name=l2 size=50K ways=20 line=128 latency=16 "
		"policy=srrip index=virtual\n"
		"level name=l3 size=576K ways=32 line=256 latency=48 "
		"policy=bit-plru index=virtual\n";

	(void)state;
	check(three, "cpu.l3.size", 576 * KIB);
	check(three, "cpu.l4.size", NAN);
}

/* Of full rings the third level, the fourth and memory share a quarter of the hops:
 * that says nothing of whether two of them are near and far parts of one. */
static void levels_that_few_hops_of_full_rings_come_to_are_two(void **state)
{
	static const char four[] =
		"machine name=m clock_mhz=2050 memory_latency=359\n"
		"clock tsc_mhz=3800 step=1 read=62\nplace pages=contiguous\n"
		"level name=l1d size=16K ways=32 line=64 latency=3 "
		"policy=bit-plru\n"
		"level name=l2 size=112K ways=14 line=256 latency=7 policy=fifo\n"
		"level name=l3 size=176K ways=11 line=256 latency=27 policy=fifo "
		"slices=8\n"
		"level name=l4 size=264K ways=16 line=256 latency=66 "
		"policy=qlru_h00_m1_r0_u1\n";

	(void)state;
	check(four, "cpu.l3.size", 176 * KIB);
}

/* A clock of coarse steps, and a prefetcher that hides what long lines leave:
 * full rings miss no more than sparse ones do, wider ones do. */
static void wider_rings_tell_of_odd_sets_where_full_ones_do_not(void **state)
{
	static const char three[] =
		"machine name=m clock_mhz=4200 memory_latency=132\n"
		"clock tsc_mhz=4000 step=22 read=68\n"
		"place pages=contiguous\n"
		"level name=l1d size=8K ways=16 line=128 latency=4 "
		"policy=bit-plru\n"
		"level name=l2 size=26K ways=8 line=256 latency=17 policy=nru "
		"index=virtual\n"
		"level name=l3 size=512K ways=1 line=256 latency=42 "
		"policy=srrip index=virtual\n"
		"prefetch kind=next into=l1d switch=no\n";
	struct sim_ask ask = { 0 };
	struct mp_sweep sweep;
	bool is_full;

	(void)state;
	sim_ask_know(&ask, "cpu.l1d.line", 128);
	sim_ask(&ask, three, mp_probe_find("cache-size"), 1);
	assert_int_equal(mp_cpu_is_full(&ask.view, MP_CPU_PRIVATE, &is_full), 0);
	assert_true(is_full);
	assert_true(mp_cpu_side_sweep(&ask.view, 0, &sweep));
	assert_int_equal(sweep.stride, 256);
	sim_ask_free(&ask);
}

/* So much of a ring stays in the first level for good that the second seems
 * larger than it is: its limits allow for that. */
static void what_the_level_inside_keeps_is_taken_off(void **state)
{
	static const char two[] = MACHINE
		"level name=l1d size=88K ways=8 latency=7 policy=bit-plru "
		"index=virtual\n"
		"level name=l2 size=132K ways=8 latency=31 policy=tree-plru "
		"index=virtual\n";
	struct sim_ask ask = { 0 };
	const struct mp_fact *fact;

	(void)state;
	sim_ask_know(&ask, "cpu.l1d.line", 64);
	sim_ask(&ask, two, mp_probe_find("cache-size"), 1);
	fact = sim_ask_fact(&ask, "cpu.l2.size");
	assert_true(fact->verdict == MP_MEASURED ||
		    fact->verdict == MP_AT_LEAST);
	assert_true(fact->low <= 132 * KIB && fact->high >= 132 * KIB);
	if (fact->verdict == MP_MEASURED)
		assert_true(fabs(fact->value - 132 * KIB) < 132 * KIB / 8);
	sim_ask_free(&ask);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_level_gets_the_least_distance_at_which_all_hops_miss),
		TEST(a_level_all_hops_come_to_miss_wants_no_wider_rings),
		TEST(a_ring_that_fits_where_a_denser_one_does_not_is_no_measure),
		TEST(each_denser_ring_has_a_say),
		TEST(lines_may_grow_where_sets_are_odd),
		TEST(what_lies_behind_long_lines_is_not_denied),
		TEST(levels_that_few_hops_of_full_rings_come_to_are_two),
		TEST(wider_rings_tell_of_odd_sets_where_full_ones_do_not),
		TEST(what_the_level_inside_keeps_is_taken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
