// SPDX-License-Identifier: GPL-2.0
/*
 * What the CPU probes share: their sweeps and grids, and levels in curves made
 * by hand.
 */
#include "probe/cpu_edges.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

static void deeper_views_have_more_replicates(void **state)
{
	(void)state;
	made.view.depth = MP_DEPTH_QUICK;
	assert_int_equal(mp_cpu_replicates(&made.view), 3);
	made.view.depth = MP_DEPTH_DEFAULT;
	/* Five are the least that intervals can be drawn from. */
	assert_int_equal(mp_cpu_replicates(&made.view), 5);
	made.view.depth = MP_DEPTH_DEEP;
	assert_true(mp_cpu_replicates(&made.view) >= 5);
}

static void a_fact_carries_its_name_its_unit_and_its_cpu(void **state)
{
	struct mp_where where;
	struct mp_fact *fact;

	(void)state;
	mp_where_cpu(&where, made.view.cpu);
	fact = mp_cpu_fact(&made.facts, &made.view, "l2", "size", "bytes");
	assert_non_null(fact);
	assert_string_equal(fact->name, "cpu.l2.size");
	assert_string_equal(fact->unit, "bytes");
	assert_true(mp_where_equal(&fact->where, &where));
}

static void only_a_fact_that_is_known_has_a_value(void **state)
{
	struct mp_fact *fact;

	(void)state;
	assert_true(isnan(mp_cpu_value(&made.view, "l1d", "size")));
	fact = mp_cpu_fact(&made.facts, &made.view, "l1d", "size", "bytes");
	fact->value = 4096;
	for (uint32_t verdict = 0; verdict < MP_VERDICTS; verdict++) {
		double value;

		fact->verdict = verdict;
		value = mp_cpu_value(&made.view, "l1d", "size");
		if (verdict == MP_ABSENT || verdict == MP_NOT_MEASURABLE)
			assert_true(isnan(value));
		else
			assert_true(value == 4096);
	}
	assert_true(isnan(mp_cpu_value(&made.view, "l1d", "line")));
}

static void overlapping_grids_ask_for_the_same_lengths(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_sweep sweep;
	uint32_t once;

	(void)state;
	mp_cpu_main_sweep(&made.view, &sweep);
	assert_int_equal(mp_cpu_grid(&sweep, &made.view, 64 * KIB, 1 * MIB, 8,
				     2, &plan), 0);
	/* Both ends of four octaves in eighths. */
	assert_int_equal(plan.n, 4 * 8 + 1);
	once = plan.n;
	assert_int_equal(mp_cpu_grid(&sweep, &made.view, 100 * KIB, 900 * KIB,
				     8, 3, &plan), 0);
	assert_int_equal(mp_cpu_grid(&sweep, &made.view, 64 * KIB, 1 * MIB, 4,
				     3, &plan), 0);
	assert_int_equal(plan.n, once);
	mp_plan_free(&plan);
}

static void a_grid_keeps_to_its_limits_and_to_whole_strides(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_sweep sweep;

	(void)state;
	made.view.arena_max_bytes = 600 << 10;
	mp_cpu_main_sweep(&made.view, &sweep);
	assert_int_equal(mp_cpu_grid(&sweep, &made.view, 100 * KIB, 1 * MIB, 16,
				     2, &plan), 0);
	assert_true(plan.n > 30);
	for (uint32_t i = 0; i < plan.n; i++) {
		const struct mp_actor *actor = &plan.wanted[i].exp.actor[0];

		assert_in_range(actor->length, 100 << 10, 600 << 10);
		assert_int_equal(actor->length % actor->stride, 0);
		assert_int_equal(plan.wanted[i].replicates, 2);
	}
	mp_plan_free(&plan);
}

static void a_grid_begins_at_its_smallest_length(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_sweep sweep;

	(void)state;
	mp_cpu_main_sweep(&made.view, &sweep);
	assert_int_equal(mp_cpu_grid(&sweep, &made.view, 1, 4 * KIB, 1, 1,
				     &plan), 0);
	assert_int_equal(plan.n, 3);
	assert_int_equal(plan.wanted[0].exp.actor[0].length, 1024);
	mp_plan_free(&plan);
}

static void sweeps_go_by_the_line_that_was_found(void **state)
{
	struct mp_sweep rough, main_sweep, side;

	(void)state;
	mp_cpu_main_sweep(&made.view, &main_sweep);
	assert_int_equal(main_sweep.stride, 2 * 64);
	made_view_know(&made, "cpu.l1d.line", 128, "bytes");
	mp_cpu_rough_sweep(&made.view, &rough);
	mp_cpu_main_sweep(&made.view, &main_sweep);
	assert_true(mp_cpu_side_sweep(&made.view, 0, &side));
	/* Beyond any line in use, as nothing is known yet. */
	assert_int_equal(rough.stride, 256);
	assert_int_equal(main_sweep.stride, 2 * 128);
	/* Eight to a small page, whatever the lines are. */
	assert_int_equal(side.stride, 512);
	assert_true(main_sweep.reach > 0 && main_sweep.reach <= 64 << 10);
	assert_int_equal(main_sweep.pages, made.view.pages);
	assert_int_equal(main_sweep.cpu, made.view.cpu);
	assert_int_equal(main_sweep.node, made.view.node);
}

static void slots_share_lines_that_are_longer_or_not_known(void **state)
{
	(void)state;
	assert_true(mp_cpu_shares_lines(&made.view, 64, 1));
	assert_false(mp_cpu_shares_lines(&made.view, 512, 1));
	made_view_know(&made, "cpu.l2.line", 64, "bytes");
	made_view_know(&made, "cpu.l3.line", 128, "bytes");
	assert_false(mp_cpu_shares_lines(&made.view, 64, 1));
	assert_true(mp_cpu_shares_lines(&made.view, 64, 2));
	assert_false(mp_cpu_shares_lines(&made.view, 128, 2));
}

static void small_pages_are_a_second_look_where_they_may_be(void **state)
{
	struct mp_sweep side;

	(void)state;
	assert_true(mp_cpu_side_sweep(&made.view, 0, &side));
	assert_int_equal(side.pages, MP_PAGES_THP);
	assert_true(mp_cpu_side_sweep(&made.view, 1, &side));
	assert_int_equal(side.pages, MP_PAGES_4K);
	made.view.pages_forced = true;
	assert_false(mp_cpu_side_sweep(&made.view, 1, &side));
	made.view.pages_forced = false;
	made.view.pages = MP_PAGES_4K;
	assert_false(mp_cpu_side_sweep(&made.view, 1, &side));
	assert_true(mp_cpu_side_sweep(&made.view, 0, &side));
}

static void private_levels_get_a_second_look(void **state)
{
	struct mp_cpu_edges edges = { .n = 3 };

	(void)state;
	edges.level[0].size_bytes = 32 * KIB;
	edges.level[1].size_bytes = 2 * MIB;
	edges.level[2].size_bytes = 32 * MIB;
	/* By mean latencies the innermost is looked at in the main curve. */
	assert_false(mp_cpu_has_sides(&edges, 0));
	assert_true(mp_cpu_has_sides(&edges, 1));
	assert_false(mp_cpu_has_sides(&edges, 2));
	edges.single = true;
	assert_true(mp_cpu_has_sides(&edges, 0));
	assert_true(mp_cpu_has_sides(&edges, 1));
	assert_false(mp_cpu_has_sides(&edges, 2));
}

/* A curve made by hand: a length each half octave, three replicates. */
static void draw(struct mp_curve *curve, double to,
		 double (*cycles)(double length, uint32_t replicate))
{
	memset(curve, 0, sizeof(*curve));
	curve->room = 64;
	curve->at = calloc(curve->room, sizeof(*curve->at));
	assert_non_null(curve->at);
	for (double length = KIB; length <= to; length *= M_SQRT2) {
		struct mp_curve_at *at = &curve->at[curve->n++];

		assert_true(curve->n <= curve->room);
		at->length = (uint64_t)length;
		at->n = 3;
		at->cycles = calloc(3, sizeof(*at->cycles));
		at->ns = calloc(3, sizeof(*at->ns));
		assert_true(at->cycles && at->ns);
		for (uint32_t i = 0; i < 3; i++) {
			at->cycles[i] = cycles(length, i);
			at->ns[i] = at->cycles[i] / 3;
		}
		at->mid_cycles = at->cycles[1];
		at->mid_ns = at->ns[1];
	}
}

static double three_levels(double length, uint32_t replicate)
{
	(void)replicate;
	return length < 50 * KIB ? 5 : length < 1.5 * MIB ? 15 :
	       length < 12 * MIB ? 60 : 300;
}

static double six_levels(double length, uint32_t replicate)
{
	(void)replicate;
	return 4 * pow(3, floor(fmax(log2(length / (4 * KIB)) / 2.5, 0)));
}

/* Between 3 and 12 MiB no two replicates agree: others crowd the level. */
static double crowded(double length, uint32_t replicate)
{
	if (length > 3 * MIB && length < 12 * MIB)
		return 90 + 60.0 * replicate;
	return length < 50 * KIB ? 5 : length < 512 * KIB ? 15 :
	       length < 3 * MIB ? 45 : 400;
}

static double agreed(double length, uint32_t replicate)
{
	(void)replicate;
	return crowded(length, 1);
}

static void levels_are_those_that_were_drawn(void **state)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n;

	(void)state;
	draw(&curve, 64 * MIB, three_levels);
	assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_true(level[0].low_bytes <= 50 * KIB);
	assert_true(level[0].high_bytes >= 50 * KIB);
	assert_true(level[2].low_bytes <= 12 * MIB);
	assert_true(level[2].high_bytes >= 12 * MIB);
	assert_true(fabs(level[1].latency - 15) < 1);
	mp_curve_free(&curve);
}

static void without_cycles_levels_are_found_in_ns(void **state)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n;

	(void)state;
	draw(&curve, 64 * MIB, three_levels);
	for (uint32_t i = 0; i < curve.n; i++)
		curve.at[i].mid_cycles = NAN;
	assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_true(fabs(level[1].latency - 5) < 0.4);
	mp_curve_free(&curve);
}

static void of_more_levels_than_facts_the_inner_ones_are_given(void **state)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n;

	(void)state;
	draw(&curve, 256 * MIB, six_levels);
	assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL), 0);
	assert_int_equal(n, MP_CPU_LEVELS);
	assert_true(level[0].size_bytes < 40 * KIB);
	mp_curve_free(&curve);
}

static void a_plateau_that_no_replicates_agree_on_is_none(void **state)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n;

	(void)state;
	draw(&curve, 128 * MIB, agreed);
	assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL), 0);
	assert_int_equal(n, 4);
	mp_curve_free(&curve);
	draw(&curve, 128 * MIB, crowded);
	assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL), 0);
	assert_int_equal(n, 3);
	/* One edge, from where the first began to where the last ends. */
	assert_true(level[2].low_bytes < 3.1 * MIB);
	assert_true(level[2].high_bytes > 11 * MIB);
	mp_curve_free(&curve);
}

/* Two levels whose edges run into each other: pages fall on their sets at
 * random, and some of the lines of a full set stay. */
static double overlapping(double length, uint32_t replicate)
{
	(void)replicate;
	if (length < 50 * KIB)
		return 3;
	return 11 + 23 * made_mru_miss(length / (2 * MIB)) +
	       160 * made_mru_miss(length / (5 * MIB));
}

static void levels_that_run_into_each_other_are_in_doubt(void **state)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_cpu_doubt doubt;
	struct mp_curve curve;
	uint32_t n;

	(void)state;
	draw(&curve, 64 * MIB, overlapping);
	assert_int_equal(mp_cpu_levels(&curve, level, &n, &doubt), 0);
	assert_int_equal(n, 2);
	assert_int_equal(doubt.level, 1);
	assert_true(doubt.size[0] > 1.2 * MIB && doubt.size[0] < 3.5 * MIB);
	assert_true(doubt.size[1] > 3 * MIB && doubt.size[1] < 9 * MIB);
	mp_curve_free(&curve);
	draw(&curve, 64 * MIB, three_levels);
	assert_int_equal(mp_cpu_levels(&curve, level, &n, &doubt), 0);
	assert_int_equal(doubt.level, MP_CPU_LEVELS);
	mp_curve_free(&curve);
}

/* The inner two a factor of three apart, and one far out. */
static const struct made_machine near_machine = {
	.n = 3,
	.step = { { 32 * KIB, 4, EVEN, 8 }, { 96 * KIB, 14, EVEN, 16 },
		  { 8 * MIB, 60, EVEN, 16 } },
	.memory = 300,
};

static double near_levels(double length, uint32_t replicate)
{
	(void)replicate;
	return made_latency(&near_machine, length);
}

/* The outer one alone of the two that are near each other. */
static double far_levels(double length, uint32_t replicate)
{
	(void)replicate;
	return length < 40 * KIB ? 14 : made_latency(&near_machine, length);
}

/* One level, by a formula that no shape of the table quite is. */
static double blurred(double length, uint32_t replicate)
{
	(void)replicate;
	return 14 + 46 / (1 + pow(length / (55 * KIB), -4));
}

/* What a detector that sees one edge in two makes of them. */
static void take_for_one(struct mp_level level[MP_CPU_LEVELS])
{
	memset(level, 0, MP_CPU_LEVELS * sizeof(*level));
	level[0] = (struct mp_level){ 55 * KIB, 30 * KIB, 110 * KIB, 4, 0 };
	level[1] = (struct mp_level){ 8 * MIB, 7.5 * MIB, 9 * MIB, 60, 0 };
}

static void two_near_levels_that_were_taken_for_one_are_split(void **state)
{
	struct mp_cpu_doubt doubt = { .level = 1, .size = { 4 * MIB, 8 * MIB } };
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n = 2;

	(void)state;
	take_for_one(level);
	draw(&curve, 64 * MIB, near_levels);
	assert_int_equal(mp_cpu_split(&curve, level, &n, 0, &doubt), 0);
	mp_curve_free(&curve);
	assert_int_equal(n, 3);
	assert_true(fabs(level[0].size_bytes / (32 * KIB) - 1) < 0.2);
	assert_true(fabs(level[1].size_bytes / (96 * KIB) - 1) < 0.2);
	assert_true(fabs(level[0].latency - 4) < 1e-9);
	assert_true(fabs(level[1].latency - 14) < 2);
	for (uint32_t k = 0; k < 2; k++)
		assert_true(level[k].low_bytes <= level[k].size_bytes &&
			    level[k].size_bytes <= level[k].high_bytes);
	assert_true(level[0].high_bytes <= level[1].low_bytes);
	/* The third, and what was not known of it, are one further out. */
	assert_true(level[2].size_bytes == 8 * MIB);
	assert_int_equal(doubt.level, 2);
	assert_true(doubt.size[0] == 4 * MIB);
}

static void a_level_that_is_one_is_not_split(void **state)
{
	struct mp_cpu_doubt doubt = { .level = MP_CPU_LEVELS };
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n = 2;

	(void)state;
	take_for_one(level);
	draw(&curve, 64 * MIB, far_levels);
	assert_int_equal(mp_cpu_split(&curve, level, &n, 0, &doubt), 0);
	assert_int_equal(n, 2);
	assert_true(level[0].size_bytes == 55 * KIB);
	assert_int_equal(doubt.level, MP_CPU_LEVELS);
	mp_curve_free(&curve);
	/* Nor one whose slope two edges explain no better. */
	draw(&curve, 64 * MIB, blurred);
	assert_int_equal(mp_cpu_split(&curve, level, &n, 0, &doubt), 0);
	assert_int_equal(n, 2);
	assert_int_equal(doubt.level, MP_CPU_LEVELS);
	mp_curve_free(&curve);
	/* Nor is one for whose halves there is no room among the facts. */
	draw(&curve, 64 * MIB, near_levels);
	n = MP_CPU_LEVELS;
	assert_int_equal(mp_cpu_split(&curve, level, &n, 0, &doubt), 0);
	assert_int_equal(n, MP_CPU_LEVELS);
	assert_true(level[0].size_bytes == 55 * KIB);
	/* Nor into what the next level is known to be. */
	n = 2;
	level[1].low_bytes = 130 * KIB;
	assert_int_equal(mp_cpu_split(&curve, level, &n, 0, &doubt), 0);
	assert_int_equal(n, 2);
	assert_int_equal(doubt.level, MP_CPU_LEVELS);
	mp_curve_free(&curve);
}

static void a_curve_with_too_few_points_or_a_hole_has_no_levels(void **state)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n, all;

	(void)state;
	draw(&curve, 64 * MIB, three_levels);
	all = curve.n;
	curve.n = 3;
	assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL), -ENODATA);
	assert_int_equal(n, 0);
	curve.n = all;
	/* Nothing from 128 KiB to 1 MiB: a level might hide there. */
	for (uint32_t i = 14; i < 20; i++) {
		free(curve.at[i].cycles);
		free(curve.at[i].ns);
	}
	memmove(&curve.at[14], &curve.at[20],
		(all - 20) * sizeof(curve.at[0]));
	curve.n = all - 6;
	assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL), -ENODATA);
	mp_curve_free(&curve);
}

/* The cost of reading the clock is taken off: of noise little may be left. */
static void a_curve_with_a_point_that_took_no_time_has_no_levels(void **state)
{
	const double none[] = { 0, -2.1, NAN };
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_curve curve;
	uint32_t n;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		draw(&curve, 64 * MIB, three_levels);
		curve.at[4].mid_cycles = none[i];
		curve.at[4].mid_ns = none[i];
		assert_int_equal(mp_cpu_levels(&curve, level, &n, NULL),
				 -ENODATA);
		assert_int_equal(n, 0);
		mp_curve_free(&curve);
	}
}

static void a_curve_has_come_to_memory_where_an_octave_adds_nothing(void **state)
{
	struct mp_curve curve;
	uint32_t all;

	(void)state;
	draw(&curve, 64 * MIB, three_levels);
	all = curve.n;
	assert_true(mp_cpu_flat_at_end(&curve));
	/* From 8 MiB to 16 it rises fivefold. */
	while (curve.at[curve.n - 1].length > 17 * MIB)
		curve.n--;
	assert_false(mp_cpu_flat_at_end(&curve));
	/* Of less than an octave nothing is known. */
	curve.n = 1;
	assert_false(mp_cpu_flat_at_end(&curve));
	curve.n = 0;
	assert_false(mp_cpu_flat_at_end(&curve));
	curve.n = all;
	mp_curve_free(&curve);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			deeper_views_have_more_replicates, begin, end),
		cmocka_unit_test_setup_teardown(
			a_fact_carries_its_name_its_unit_and_its_cpu, begin,
			end),
		cmocka_unit_test_setup_teardown(
			only_a_fact_that_is_known_has_a_value, begin, end),
		cmocka_unit_test_setup_teardown(
			overlapping_grids_ask_for_the_same_lengths, begin, end),
		cmocka_unit_test_setup_teardown(
			a_grid_keeps_to_its_limits_and_to_whole_strides, begin,
			end),
		cmocka_unit_test_setup_teardown(
			a_grid_begins_at_its_smallest_length, begin, end),
		cmocka_unit_test_setup_teardown(
			sweeps_go_by_the_line_that_was_found, begin, end),
		cmocka_unit_test_setup_teardown(
			slots_share_lines_that_are_longer_or_not_known, begin,
			end),
		cmocka_unit_test_setup_teardown(
			small_pages_are_a_second_look_where_they_may_be, begin,
			end),
		cmocka_unit_test(private_levels_get_a_second_look),
		cmocka_unit_test(levels_are_those_that_were_drawn),
		cmocka_unit_test(without_cycles_levels_are_found_in_ns),
		cmocka_unit_test(of_more_levels_than_facts_the_inner_ones_are_given),
		cmocka_unit_test(a_plateau_that_no_replicates_agree_on_is_none),
		cmocka_unit_test(
			levels_that_run_into_each_other_are_in_doubt),
		cmocka_unit_test(
			two_near_levels_that_were_taken_for_one_are_split),
		cmocka_unit_test(a_level_that_is_one_is_not_split),
		cmocka_unit_test(
			a_curve_with_too_few_points_or_a_hole_has_no_levels),
		cmocka_unit_test(
			a_curve_with_a_point_that_took_no_time_has_no_levels),
		cmocka_unit_test(
			a_curve_has_come_to_memory_where_an_octave_adds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
