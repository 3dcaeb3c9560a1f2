// SPDX-License-Identifier: GPL-2.0
/* Edges of the levels of a CPU: what several curves say of one. */
#include "probe/cpu_edges.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "made_curve.h"
#include "made_view.h"

static struct made_view made;

static int begin(void **state)
{
	(void)state;
	made_view_open_usual(&made);
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_view_close(&made);
	return 0;
}

static void edges_hold_the_capacities_of_the_machine(void **state)
{
	static const double size[] = { 48 * KIB, 1 * MIB, 8 * MIB };
	struct mp_cpu_edges edges;

	(void)state;
	made_view_know(&made, "cpu.l1d.line", 64, "bytes");
	made_view_plan(&made, mp_probe_find("cache-size"));
	assert_int_equal(mp_cpu_edges_find(&made.view, &edges), 0);
	assert_int_equal(edges.n, 3);
	for (uint32_t k = 0; k < 3; k++) {
		assert_true(edges.fitted[k]);
		assert_true(edges.edge[k].low <= size[k] &&
			    edges.edge[k].high >= size[k]);
		assert_true(mp_cpu_miss(&edges, k, size[k] / 3) < 0.01);
		assert_true(mp_cpu_miss(&edges, k, size[k] * 3) > 0.99);
	}
	mp_cpu_edges_free(&edges);
}

/* One batch of a curve made by hand: a tick is a cycle. */
static void look_once(const struct mp_exp *exp, uint32_t replicate,
		      double cycles)
{
	struct mp_batch *batch = malloc(sizeof(*batch));

	assert_non_null(batch);
	mp_batch_init(batch, exp, replicate);
	batch->start_ns = 1000000 * made.view.n_batches;
	batch->grant.tick_hz = batch->grant.clock[0].add_hz = 3e9;
	/* Too coarse for single hops: these curves are of mean latencies. */
	batch->grant.tick_step = 100;
	batch->grant.n_clocks = 1;
	for (uint32_t i = 0; i < 4; i++) {
		struct memprobe_sample *sample = mp_batch_add(batch);

		assert_non_null(sample);
		sample->hops = 1000;
		sample->ticks = (uint64_t)(1000 * cycles);
	}
	made.batch = reallocarray(made.batch, made.view.n_batches + 1,
				  sizeof(*made.batch));
	assert_non_null(made.batch);
	made.batch[made.view.n_batches++] = batch;
	made.view.batch = (const struct mp_batch *const *)made.batch;
}

/* Replicates lie half a percent apart. */
static void look(const struct mp_sweep *sweep,
		 double (*cycles)(double length))
{
	struct mp_plan plan = { 0 };

	assert_int_equal(mp_cpu_grid(sweep, &made.view, KIB, 64 * MIB, 4, 5,
				     &plan), 0);
	for (uint32_t i = 0; i < plan.n; i++) {
		const struct mp_exp *exp = &plan.wanted[i].exp;

		for (uint32_t r = 0; r < 5; r++)
			look_once(exp, r,
				  cycles((double)exp->actor[0].length) *
				  (1 + ((i + 3 * r) % 5) * 0.00125));
	}
	mp_plan_free(&plan);
}

/* What the sides and the main curve show; the second side where asked for. */
static void find_edges(double (*side)(double length),
		       double (*small)(double length),
		       double (*whole)(double length),
		       struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;

	assert_true(mp_cpu_side_sweep(&made.view, 0, &sweep));
	look(&sweep, side);
	assert_true(mp_cpu_side_sweep(&made.view, 1, &sweep));
	if (small)
		look(&sweep, small);
	mp_cpu_main_sweep(&made.view, &sweep);
	look(&sweep, whole);
	assert_int_equal(mp_cpu_edges_find(&made.view, edges), 0);
}

static double three_levels(double length)
{
	return length < 50 * KIB ? 5 : length < 1.5 * MIB ? 15 :
	       length < 12 * MIB ? 60 : 300;
}

static double four_levels(double length)
{
	return length > 4 * MIB && length < 12 * MIB ? 140 :
	       three_levels(length);
}

/* The second level throws out any line: its edge is an octave and a half wide, and
 * the step that the detector sees in it lies twice beyond its capacity. */
static double slow_second(double length)
{
	const double part = log2(length / (360 * KIB)) / 2;

	return length < 16 * KIB ? 3 : length < 360 * KIB ? 10 :
	       length < 4 * MIB ? 10 + 7 * fmin(part, 1) :
	       length < 20 * MIB ? 43 : 154;
}

/* Some cycles more, the most where it is fastest, as where hops are timed. */
static double timed_levels(double length)
{
	const double time = three_levels(length);

	return time + 15 / time;
}

static double two_levels(double length)
{
	return length >= 1.5 * MIB ? 300 : three_levels(length);
}

static void a_shared_level_that_is_two_in_the_main_curve_is_in_doubt(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	find_edges(three_levels, NULL, four_levels, &edges);
	assert_int_equal(edges.n, 3);
	assert_int_equal(edges.doubt.level, 2);
	assert_true(fabs(edges.doubt.size[0] / (4 * MIB) - 1) < 0.2);
	assert_true(fabs(edges.doubt.size[1] / (12 * MIB) - 1) < 0.2);
	mp_cpu_edges_free(&edges);
}

/* .. but not where single hops have shown both. */
static void levels_that_single_hops_show_are_no_doubt(void **state)
{
	static const double size[] = { 50 * KIB, 1.5 * MIB, 4 * MIB, 12 * MIB };
	struct mp_cpu_edges edges = { .n = 4, .single = true };
	struct mp_sweep sweep;

	(void)state;
	mp_cpu_main_sweep(&made.view, &sweep);
	look(&sweep, four_levels);
	for (uint32_t blurred = 0; blurred < 2; blurred++) {
		edges.doubt.level = edges.muddled = edges.contradicted = MP_CPU_LEVELS;
		edges.spectrum.n = 5;
		edges.spectrum.blurred[2] = blurred;
		for (uint32_t k = 0; k < edges.n; k++)
			edges.level[k] = (struct mp_level){
				.low_bytes = size[k] / 1.5,
				.size_bytes = size[k],
				.high_bytes = size[k] * 4 };
		assert_int_equal(mp_sweep_gather(&sweep, &made.view,
						 &edges.curve), 0);
		assert_int_equal(mp_cpu_edges_fit(&made.view, &edges), 0);
		assert_int_equal(edges.doubt.level,
				 blurred ? 2 : MP_CPU_LEVELS);
		for (uint32_t k = 2; k < 4 && !blurred; k++)
			assert_true(fabs(edges.level[k].size_bytes / size[k] -
					 1) < 0.2);
		mp_curve_free(&edges.curve);
	}
}

/* Others crowd it: in the main curve nothing of it is left. */
static void what_timing_adds_to_the_sides_is_no_level(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	find_edges(timed_levels, NULL, three_levels, &edges);
	assert_int_equal(edges.n, 3);
	assert_int_equal(edges.doubt.level, MP_CPU_LEVELS);
	mp_cpu_edges_free(&edges);
}

static void a_shared_level_may_be_as_small_as_the_one_inside_it(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	find_edges(three_levels, NULL, two_levels, &edges);
	assert_int_equal(edges.n, 3);
	assert_int_equal(edges.doubt.level, MP_CPU_LEVELS);
	assert_true(fabs(edges.level[2].low_bytes /
			 (edges.level[1].size_bytes * MP_CPU_CLEAR_ABOVE) -
			 1) < 1e-9);
	assert_true(edges.level[2].high_bytes >= 12 * MIB);
	mp_cpu_edges_free(&edges);
}

static double with_blurred(double length, double capacity)
{
	return length < 50 * KIB ? 5 : length > 10 * MIB ? 300 :
	       15 + 45 * made_mru_miss(length / capacity);
}

static double blurred_640k(double length)
{
	return with_blurred(length, 640 * KIB);
}

static double blurred_680k(double length)
{
	return with_blurred(length, 680 * KIB);
}

static double blurred_480k(double length)
{
	return with_blurred(length, 480 * KIB);
}

/* How far apart the limits are that one look alone leaves. */
static double apart_alone(double (*cycles)(double length))
{
	struct mp_cpu_edges edges;
	double apart;

	find_edges(cycles, NULL, cycles, &edges);
	assert_true(edges.n == 3 && edges.fitted[1]);
	apart = edges.edge[1].high / edges.edge[1].low;
	mp_cpu_edges_free(&edges);
	made_view_close(&made);
	made_view_open_usual(&made);
	return apart;
}

/* Each is wide by itself, and the capacity lies where both say that it may. */
static void second_looks_that_agree_make_an_edge_narrower(void **state)
{
	double first = apart_alone(blurred_640k);
	double second = apart_alone(blurred_680k);
	struct mp_cpu_edges edges;

	(void)state;
	find_edges(blurred_640k, blurred_680k, blurred_640k, &edges);
	assert_int_equal(edges.n, 3);
	assert_true(edges.fitted[1]);
	assert_true(edges.edge[1].low <= 640 * KIB &&
		    edges.edge[1].high >= 680 * KIB);
	assert_true(edges.edge[1].high / edges.edge[1].low <
		    fmin(fmin(first, second), MP_CPU_APART_MAX));
	mp_cpu_edges_free(&edges);
}

/* Neither has a sharp edge to show, so that nothing tells which is off. */
static void second_looks_that_differ_make_an_edge_wide(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	find_edges(blurred_640k, blurred_480k, blurred_640k, &edges);
	assert_int_equal(edges.n, 3);
	assert_true(edges.fitted[1]);
	assert_true(edges.edge[1].low <= 480 * KIB &&
		    edges.edge[1].high >= 640 * KIB);
	mp_cpu_edges_free(&edges);
}

/* So near, and so blurred, that each edge reaches into the other's stretch. */
static double near_blurred(double length)
{
	return length < 40 * KIB ? 5 :
	       14 + 23 * made_mru_miss(length / (256 * KIB)) +
	       160 * made_mru_miss(length / (1280 * KIB));
}

static void edges_near_each_other_are_fitted_apart(void **state)
{
	static const double size[] = { 40 * KIB, 256 * KIB, 1280 * KIB };
	struct mp_cpu_edges edges;

	(void)state;
	find_edges(near_blurred, NULL, near_blurred, &edges);
	assert_int_equal(edges.n, 3);
	for (uint32_t k = 1; k < 3; k++) {
		assert_true(edges.fitted[k]);
		assert_true(edges.edge[k].low <= size[k] &&
			    edges.edge[k].high >= size[k]);
		assert_true(fabs(edges.edge[k].size / size[k] - 1) < 0.03);
	}
	mp_cpu_edges_free(&edges);
}

/* From 8 to 128 MiB, beyond a level that all hops miss from 12 MiB on. */
static bool rises(const double ns[5], bool full, bool single)
{
	struct mp_curve_at at[5] = { 0 };
	struct mp_cpu_edges edges = {
		.n = 1, .full = full, .single = single,
		.side[0] = { .n = 5, .at = at },
		.level[0] = { .low_bytes = 3 * MIB, .size_bytes = 3 * MIB,
			      .high_bytes = 4 * MIB },
	};

	for (uint32_t i = 0; i < 5; i++) {
		at[i].length = (uint64_t)(8 * MIB) << i;
		at[i].mid_ns = ns[i];
	}
	return mp_cpu_rises_beyond(&edges);
}

/* Two slots share a line of a level further out, and its step to memory, from
 * 111 to 202 cycles, is one from 78 to 124: no level, but not nothing. */
static void a_small_rise_beyond_the_last_level_is_seen(void **state)
{
	static const double step[] = { 60, 78, 78, 124, 124 };
	static const double flat[] = { 40, 78, 78, 82, 85 };
	static const double spike[] = { 60, 78, 124, 78, 78 };

	(void)state;
	assert_true(rises(step, true, false));
	/* Slots of sparse rings share no lines, and single hops have a peak. */
	assert_false(rises(step, false, false));
	assert_false(rises(step, true, true));
	/* The end of the level's own edge, and what translations add; one that
	 * does not stay. */
	assert_false(rises(flat, true, false));
	assert_false(rises(spike, true, false));
}

static void without_batches_there_are_no_edges(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	assert_int_equal(mp_cpu_edges_find(&made.view, &edges), -ENODATA);
}

/* The main curve sees the edge of the level inside a shared one, too. */
static void the_edge_of_the_level_inside_is_no_second_one(void **state)
{
	static const double size[] = { 16 * KIB, 372 * KIB, 4.3 * MIB, 16 * MIB };
	struct mp_cpu_edges edges = { .n = 4, .single = true };
	struct mp_sweep sweep;

	(void)state;
	edges.doubt.level = edges.muddled = edges.contradicted = MP_CPU_LEVELS;
	edges.spectrum.n = 5;
	mp_cpu_main_sweep(&made.view, &sweep);
	look(&sweep, slow_second);
	for (uint32_t k = 0; k < edges.n; k++)
		edges.level[k] = (struct mp_level){
			.low_bytes = size[k] / 1.2, .size_bytes = size[k],
			.high_bytes = size[k] * 1.4 };
	assert_int_equal(mp_sweep_gather(&sweep, &made.view, &edges.curve), 0);
	assert_int_equal(mp_cpu_edges_fit(&made.view, &edges), 0);
	assert_int_equal(edges.doubt.level, MP_CPU_LEVELS);
	assert_true(fabs(edges.level[2].size_bytes / (4 * MIB) - 1) < 0.2);
	mp_curve_free(&edges.curve);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Nor is anything read of what the caller had there before. */
static void a_stretch_of_no_lengths_has_no_edge(void **state)
{
	static const struct mp_cpu_edges none;
	static const struct mp_view view;
	static struct mp_edge_data data;
	struct mp_edge edge, before;

	(void)state;
	memset(&edge, 0xff, sizeof(edge));
	before = edge;
	assert_false(mp_cpu_edge_of(&view, &none, 2, false, &data, &edge));
	assert_memory_equal(&edge, &before, sizeof(edge));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stretch_of_no_lengths_has_no_edge),
		TEST(edges_hold_the_capacities_of_the_machine),
		TEST(what_timing_adds_to_the_sides_is_no_level),
		TEST(a_shared_level_that_is_two_in_the_main_curve_is_in_doubt),
		TEST(levels_that_single_hops_show_are_no_doubt),
		TEST(the_edge_of_the_level_inside_is_no_second_one),
		TEST(a_shared_level_may_be_as_small_as_the_one_inside_it),
		TEST(second_looks_that_agree_make_an_edge_narrower),
		TEST(second_looks_that_differ_make_an_edge_wide),
		TEST(edges_near_each_other_are_fitted_apart),
		cmocka_unit_test(a_small_rise_beyond_the_last_level_is_seen),
		TEST(without_batches_there_are_no_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
