// SPDX-License-Identifier: GPL-2.0
/*
 * Which lengths have a say in whether rings have to hold every line, and what
 * is known of levels that others take a part of meanwhile.
 */
#include "probe/cpu_edges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend.h"
#include "made_means.h"
#include "made_sim.h"
#include "sim_ask.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define REPLICATES 5u

/* Replicates of a ring, so many cycles a hop, the first one more if others
 * crowd it. */
static void add(struct made_means *made, const struct mp_sweep *sweep,
		uint64_t length, double cycles, bool is_crowded)
{
	struct mp_exp exp;

	mp_sweep_exp(sweep, length, &exp);
	for (uint32_t r = 0; r < REPLICATES; r++)
		made_means_add(made, &exp, r, is_crowded && !r ? 2 * cycles :
							       cycles);
}

/* At one length rings of every line are three times slower than sparse ones. */
static void expect(uint64_t length, bool is_crowded, bool innermost,
		   bool private)
{
	struct mp_sweep sweep;
	struct made_means made;
	bool is_full;

	made_means_open(&made, 64 * MIB);
	mp_cpu_sparse_sweep(&made.view, &sweep);
	add(&made, &sweep, length, 14, is_crowded);
	assert_false(mp_cpu_times_hops(&made.view));
	mp_cpu_full_sweep(&made.view, 0, &sweep);
	add(&made, &sweep, length, 42, false);
	assert_int_equal(mp_cpu_is_full(&made.view, MP_CPU_ALL, &is_full), 0);
	assert_true(is_full);
	assert_int_equal(mp_cpu_is_full(&made.view, MP_CPU_PRIVATE, &is_full), 0);
	assert_int_equal(is_full, private);
	assert_int_equal(mp_cpu_is_full(&made.view, MP_CPU_INNERMOST, &is_full), 0);
	assert_int_equal(is_full, innermost);
	mp_cpu_main_sweep(&made.view, &sweep);
	assert_int_equal(sweep.stride, innermost ? 64 : 128);
	mp_cpu_side_sweep(&made.view, 0, &sweep);
	assert_int_equal(sweep.stride, private ? 64 : 512);
	made_means_close(&made);
}

static void what_others_crowd_says_nothing_of_inner_levels(void **state)
{
	(void)state;
	expect(64 * KIB, true, true, true);
	expect(MIB, true, false, true);
	expect(8 * MIB, true, false, false);
}

static void without_others_any_length_has_a_say(void **state)
{
	(void)state;
	expect(64 * KIB, false, true, true);
	expect(MIB, false, true, true);
	expect(8 * MIB, false, true, true);
}

/* Full rings of a length are slower, by now more and now less. */
static void expect_unsteady(uint64_t length, bool full)
{
	static const double cycles[REPLICATES] = { 30, 42, 39, 33, 55 };
	struct mp_sweep sweep;
	struct made_means made;
	struct mp_exp exp;
	bool is_full;

	made_means_open(&made, 64 * MIB);
	mp_cpu_sparse_sweep(&made.view, &sweep);
	add(&made, &sweep, length, 14, false);
	mp_cpu_full_sweep(&made.view, 0, &sweep);
	mp_sweep_exp(&sweep, length, &exp);
	for (uint32_t r = 0; r < REPLICATES; r++)
		made_means_add(&made, &exp, r, cycles[r]);
	assert_int_equal(mp_cpu_is_full(&made.view, MP_CPU_ALL, &is_full), 0);
	assert_int_equal(is_full, full);
	made_means_close(&made);
}

/* What others put out until a ring comes round is no matter of sets. */
static void full_rings_of_shared_levels_have_to_be_slow_alike(void **state)
{
	(void)state;
	expect_unsteady(MIB, true);
	expect_unsteady(8 * MIB, false);
}

/* Sparse rings take @first over 6 MiB, @second over 8, and 60 over 16, where full ones
 * take 200. */
static void expect_brought(double first, double second, bool full)
{
	struct mp_sweep sweep;
	struct made_means made;
	bool is_full;

	made_means_open(&made, 64 * MIB);
	mp_cpu_sparse_sweep(&made.view, &sweep);
	add(&made, &sweep, 6 * MIB, first, false);
	add(&made, &sweep, 8 * MIB, second, false);
	add(&made, &sweep, 16 * MIB, 60, false);
	mp_cpu_full_sweep(&made.view, 0, &sweep);
	add(&made, &sweep, 16 * MIB, 200, false);
	assert_int_equal(mp_cpu_is_full(&made.view, MP_CPU_ALL, &is_full), 0);
	assert_int_equal(is_full, full);
	made_means_close(&made);
}

/* No longer ring is faster, if nothing brings its lines before they are asked for. */
static void sparse_rings_whose_lines_are_brought_are_no_measure(void **state)
{
	(void)state;
	expect_brought(60, 60, true);
	expect_brought(60, 100, true);
	expect_brought(90, 100, false);
}

/* Rings of a length: full ones are as fast as sparse ones, wider ones not. */
static void expect_spread(uint64_t length, bool full, bool spread)
{
	struct mp_sweep sweep;
	struct made_means made;
	bool is;

	made_means_open(&made, 64 * MIB);
	mp_cpu_sparse_sweep(&made.view, &sweep);
	add(&made, &sweep, length, 14, false);
	mp_cpu_full_sweep(&made.view, 0, &sweep);
	add(&made, &sweep, length, 15, false);
	mp_cpu_full_sweep(&made.view, 2, &sweep);
	add(&made, &sweep, length, 42, false);
	assert_int_equal(mp_cpu_is_full(&made.view, MP_CPU_ALL, &is), 0);
	assert_int_equal(is, full);
	assert_int_equal(mp_cpu_is_spread(&made.view, &is), 0);
	assert_int_equal(is, spread);
	made_means_close(&made);
}

/* Others may slow them down in shared levels: no full rings for that, but sparse
 * ones are no measure either. */
static void wider_rings_doubt_sparse_ones_of_shared_levels(void **state)
{
	(void)state;
	expect_spread(MIB, true, false);
	expect_spread(8 * MIB, false, true);
}

/* As if no time had been left for the dense curve, its batches go last. Return:
 * how many there are of all others. */
static uint32_t without_dense(struct sim_ask *ask)
{
	struct mp_sweep sweep;
	uint32_t n = 0;

	mp_cpu_main_sweep(&ask->view, &sweep);
	for (uint32_t i = 0; i < ask->view.n_batches; i++) {
		struct mp_batch *batch = ask->batch[i];

		if (batch->exp.actor[0].stride == sweep.stride &&
		    batch->exp.actor[0].reach == sweep.reach)
			continue;
		ask->batch[i] = ask->batch[n];
		ask->batch[n++] = batch;
	}
	assert_true(n < ask->view.n_batches);
	return n;
}

/* Four slots of a full ring share a line of the second level, whose sets are
 * odd: of its hops too few miss to tell, and to sparse ones it is larger. */
static void a_large_level_that_sparse_rings_spread_over_has_no_size(void **state)
{
	static const char machine[] =
		"machine name=m clock_mhz=1700 memory_latency=150\n"
		"clock tsc_mhz=2300 step=1 read=51\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=16K ways=16 line=32 latency=3\n"
		"level name=l2 size=4225K ways=8 line=128 latency=60 "
		"policy=srrip index=physical\n";
	const struct mp_probe *probe = mp_probe_find("cache-size");
	struct mp_facts facts = { 0 };
	struct sim_ask ask = { 0 };
	const struct mp_fact *fact;
	struct mp_view view;

	(void)state;
	sim_ask_know(&ask, "cpu.l1d.line", 32);
	sim_ask(&ask, machine, probe, 1);
	fact = sim_ask_fact(&ask, "cpu.l2.size");
	assert_int_not_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_true(fact->low > 0 && fact->low <= 4225 * KIB);
	view = ask.view;
	view.n_batches = without_dense(&ask);
	assert_int_equal(probe->infer(&view, &facts), 0);
	fact = mp_facts_find(&facts, "cpu.l2.size");
	assert_non_null(fact);
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	mp_facts_free(&facts);
	sim_ask_free(&ask);
}

/* A quarter of the second level is somebody else's, now more and now less: by
 * means its edge is as sharp as that of a smaller one. */
static void what_others_leave_of_a_level_is_a_lower_limit(void **state)
{
	static const char machine[] =
		"machine name=m clock_mhz=3000 memory_latency=300\n"
		"clock tsc_mhz=3000 step=30 read=20\n"
		"place pages=contiguous\n"
		"level name=l1d size=32K ways=8 latency=4\n"
		"level name=l2 size=512K ways=8 latency=14\n"
		"neighbour level=l2 share=0.2..0.3 period_ms=5\n";
	const struct mp_fact *fact;

	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct sim_ask ask = { 0 };

		sim_ask_know(&ask, "cpu.l1d.line", 64);
		sim_ask(&ask, machine, mp_probe_find("cache-size"), seed);
		fact = sim_ask_fact(&ask, "cpu.l2.size");
		assert_int_equal(fact->verdict, MP_AT_LEAST);
		assert_true(fact->value > 256 * KIB);
		assert_true(fact->value <= 512 * KIB);
		/* No upper limit. */
		assert_true(fact->high == fact->low);
		fact = sim_ask_fact(&ask, "cpu.l1d.size");
		assert_int_equal(fact->verdict, MP_MEASURED);
		assert_true(fact->value == 32 * KIB);
		sim_ask_free(&ask);
	}
}

/* To slots of 512 bytes a level of 10243 sets has room for 80 MiB, more than the
 * longest ring: it is memory to them. Rings of every line show it. */
static void a_level_that_no_sparse_ring_fills_is_found(void **state)
{
	static struct made_sim sim;
	const struct mp_fact *size;

	(void)state;
	made_sim_open_quiet(&sim, "machine name=a clock_mhz=3000 "
	    "memory_latency=300\nclock tsc_mhz=3000 step=1 read=40\n"
	    "place pages=contiguous\n"
	    "level name=l1d size=32K ways=8 line=32 latency=4\n"
	    "level name=l2 size=512K ways=8 line=32 latency=14\n"
	    "level name=l3 size=5244416 ways=16 line=32 latency=60\n", 3);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	size = made_sim_not_wrong(&sim, "cpu.l3.size", 5244416, 0.125);
	assert_int_equal(size->verdict, MP_MEASURED);
	made_sim_close(&sim);
}

/* The last level is not seen in means of sparse rings, as memory takes 1.7 times as
 * long; a ring of every line that was walked beyond it is no end of the curve that
 * those draw. */
static void what_was_walked_beyond_the_last_level_leaves_no_hole(void **state)
{
	static struct made_sim sim;
	const struct mp_fact *fact;

	(void)state;
	made_sim_ask_levels(&sim, "machine name=zoo-700197-1 clock_mhz=5000 "
		"memory_latency=240\nclock tsc_mhz=3200 step=1 read=34\n"
		"place pages=contiguous thp=refused\n"
		"level name=l1d size=96K ways=8 latency=7 "
		"policy=qlru_h00_m1_r2_u1\n"
		"level name=l2 size=256K ways=16 latency=17 policy=tree-plru "
		"index=physical inclusion=exclusive\n"
		"level name=l3 size=1536K ways=12 latency=57 "
		"inclusion=exclusive\n"
		"level name=l4 size=12250K ways=10 latency=140 "
		"policy=qlru_h21_m2_r0_u0_umo index=physical "
		"inclusion=exclusive slices=8\n", 700197);
	fact = made_sim_not_wrong(&sim, "cpu.l4.size", 12250 * KIB, 0.125);
	assert_int_not_equal(fact->verdict, MP_NOT_MEASURABLE);
	fact = made_sim_not_wrong(&sim, "cpu.l1d.size", 96 * KIB, 0.125);
	assert_int_equal(fact->verdict, MP_MEASURED);
	made_sim_close(&sim);
}

/* A first level of one way serves some hops up to twice its size, and hides the first
 * misses of a second one, of one way too, over pages that lie anywhere: shapes of a half or
 * less of its size explain the rest, if not all hops need miss it in the end. */
static void what_the_level_inside_hides_makes_none_smaller(void **state)
{
	static struct made_sim sim;

	(void)state;
	for (uint64_t seed = 6; seed <= 7; seed++) {
		made_sim_open_quiet(&sim, "machine name=a clock_mhz=1700 "
			"memory_latency=129\nplace pages=random thp=refused\n"
			"clock tsc_mhz=1900 step=1 read=24\n"
			"level name=l1d size=32K ways=1 line=64 latency=7\n"
			"level name=l2 size=224K ways=1 line=64 latency=25 "
			"index=physical\n"
			"level name=l3 size=440K ways=16 line=64 latency=47 "
			"index=physical\n", seed);
		made_sim_ask(&sim, mp_probe_find("cache-size"));
		made_sim_not_wrong(&sim, "cpu.l2.size", 224 * KIB, 0.125);
		made_sim_close(&sim);
	}
}

/* Huge pages that are no multiple of a way fill sets unevenly: replicates differ, and a
 * shape of fewer ways over even sets explains their means. */
static void huge_pages_that_fill_sets_unevenly_make_no_level_smaller(void **state)
{
	static struct made_sim sim;

	(void)state;
	made_sim_open_quiet(&sim, "machine name=a clock_mhz=1500 memory_latency=160\n"
		"place pages=random thp=granted huge=18\n"
		"clock tsc_mhz=3800 step=1 read=22\n"
		"level name=l1d size=16K ways=4 line=128 latency=4 policy=lru\n"
		"level name=l2 size=128K ways=16 line=128 latency=9 index=physical\n"
		"level name=l3 size=4M ways=16 line=128 latency=19 policy=tree-plru\n"
		"level name=l4 size=7M ways=4 line=128 latency=32 policy=lru "
		"index=physical\n", 700234);
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_not_wrong(&sim, "cpu.l4.size", 7 * MIB, 0.125);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(huge_pages_that_fill_sets_unevenly_make_no_level_smaller),
		cmocka_unit_test(what_the_level_inside_hides_makes_none_smaller),
		cmocka_unit_test(what_others_crowd_says_nothing_of_inner_levels),
		cmocka_unit_test(without_others_any_length_has_a_say),
		cmocka_unit_test(full_rings_of_shared_levels_have_to_be_slow_alike),
		cmocka_unit_test(sparse_rings_whose_lines_are_brought_are_no_measure),
		cmocka_unit_test(wider_rings_doubt_sparse_ones_of_shared_levels),
		cmocka_unit_test(a_large_level_that_sparse_rings_spread_over_has_no_size),
		cmocka_unit_test(what_others_leave_of_a_level_is_a_lower_limit),
		cmocka_unit_test(a_level_that_no_sparse_ring_fills_is_found),
		cmocka_unit_test(what_was_walked_beyond_the_last_level_leaves_no_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
