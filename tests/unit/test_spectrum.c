// SPDX-License-Identifier: GPL-2.0
/*
 * Peaks of single-hop latencies, in histograms made hop by hop; a tick is a
 * cycle.
 */
#include "analysis/spectrum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made_hops.h"

static struct made_hops hops;
static struct mp_spectrum spectrum;

static int begin(void **state)
{
	(void)state;
	made_hops_open(&hops, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_hops_close(&hops);
	return 0;
}

static struct mp_batch *batch(uint32_t point)
{
	return &hops.batch[point][0];
}

/* A length more, twice that of the one before. */
#define ADD(...) do {							\
	const struct made_kind kinds[] = { __VA_ARGS__ };		\
	made_hops_add(&hops, 4096ull << hops.curve.n, 1, kinds,		\
		      sizeof(kinds) / sizeof(kinds[0]));		\
} while (0)

static void find(uint32_t peaks)
{
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	if (spectrum.n != peaks)
		fail_msg("%u peaks, not %u: %g %g %g %g", spectrum.n, peaks,
			 spectrum.cycles[0], spectrum.cycles[1],
			 spectrum.cycles[2], spectrum.cycles[3]);
}

static void near(double a, double b, double off)
{
	if (!(fabs(a - b) <= off))
		fail_msg("%g, not %g +- %g", a, b, off);
}

static double slower(uint32_t point, uint32_t k)
{
	return mp_spectrum_slower(batch(point), &spectrum, k);
}

static void each_level_is_a_peak_and_shares_are_told(void **state)
{
	(void)state;
	ADD({ 1, 5, 0 });
	ADD({ 0.4, 5, 0 }, { 0.6, 14, 1 });
	ADD({ 0.1, 14, 1 }, { 0.9, 50, 6 });
	ADD({ 0.2, 50, 6 }, { 0.8, 280, 40 });
	find(4);
	near(spectrum.cycles[0], 5, 0.1);
	near(spectrum.cycles[1], 14, 0.1);
	near(spectrum.cycles[2], 50, 0.5);
	near(spectrum.cycles[3], 280, 4);
	near(slower(0, 0), 0, 1e-9);
	near(slower(1, 0), 0.6, 0.03);
	near(slower(1, 1), 0, 0.01);
	near(slower(2, 1), 0.9, 0.03);
	near(slower(3, 2), 0.8, 0.03);
	near(slower(3, 3), 0, 1e-9);
	/* Each is at its best where it has the most hops. */
	for (uint32_t k = 0; k < 4; k++)
		assert_true(spectrum.id[k] == hops.at[k].id);
	near(spectrum.share[0], 1, 0.02);
	near(spectrum.share[3], 0.8, 0.03);
}

/* A page walk by one hop in eight: slower than its level, and of it. */
static void a_satellite_of_an_eighth_of_the_hops_is_no_peak(void **state)
{
	(void)state;
	ADD({ 1, 5, 0 });
	ADD({ 0.875, 14, 1 }, { 0.125, 26, 1 });
	ADD({ 0.875, 60, 6 }, { 0.125, 95, 6 });
	find(3);
	near(spectrum.cycles[1], 14, 0.3);
	near(spectrum.cycles[2], 60, 1);
	/* Their hops miss no level that the others hit. */
	near(slower(1, 1), 0, 0.02);
	near(slower(1, 0), 1, 0.02);
}

static void a_fifth_of_the_hops_of_one_length_make_a_peak(void **state)
{
	(void)state;
	ADD({ 1, 5, 0 });
	ADD({ 0.7, 14, 1 }, { 0.3, 30, 1 });
	find(3);
	near(spectrum.cycles[2], 30, 0.5);
	near(slower(1, 1), 0.3, 0.03);
}

static void interrupted_hops_do_not_count(void **state)
{
	(void)state;
	/* 33 us each, and a third of all hops. */
	ADD({ 0.67, 5, 0 }, { 0.33, 100000, 0 });
	ADD({ 0.3, 5, 0 }, { 0.3, 40, 3 }, { 0.4, 100000, 0 });
	find(2);
	near(slower(0, 0), 0, 1e-9);
	near(slower(1, 0), 0.5, 0.03);
}

static void a_disturbed_sample_does_not_count(void **state)
{
	(void)state;
	ADD({ 1, 5, 0 });
	ADD({ 1, 40, 3 });
	made_hops_fill(&hops, batch(0), &(struct made_kind){ 1, 40, 3 }, 1);
	batch(0)->sample[1].flags = MEMPROBE_F_SWITCHED;
	find(2);
	near(slower(0, 0), 0, 1e-9);
	batch(0)->sample[0].flags = MEMPROBE_F_SWITCHED;
	assert_true(isnan(slower(0, 0)));
	assert_true(isnan(mp_spectrum_core(batch(0), &spectrum, 0)));
}

static void a_step_of_two_cycles_tells_levels_and_shares(void **state)
{
	(void)state;
	hops.step = 2;
	ADD({ 1, 5, 0 });
	ADD({ 0.5, 5, 0 }, { 0.5, 14, 0.5 });
	ADD({ 0.3, 14, 0.5 }, { 0.7, 45, 4 });
	find(3);
	assert_true(mp_spectrum_step(batch(0)) == 2);
	/* The mean of many tells what a step hides in each. */
	near(spectrum.cycles[0], 5, 0.15);
	near(spectrum.cycles[1], 14, 0.3);
	near(slower(1, 0), 0.5, 0.03);
	near(slower(2, 1), 0.7, 0.03);
}

/* One peak: its middle is somewhere between, and moves with their shares. */
static void levels_that_the_clock_does_not_part_are_one_peak_that_moves(void **state)
{
	double first, last;

	(void)state;
	hops.step = 2;
	ADD({ 1, 12, 0.5 });
	ADD({ 0.5, 12, 0.5 }, { 0.5, 14, 0.5 });
	ADD({ 1, 14, 0.5 });
	ADD({ 1, 100, 10 });
	find(2);
	first = mp_spectrum_core(batch(0), &spectrum, 0);
	last = mp_spectrum_core(batch(2), &spectrum, 0);
	near(first, 12, 0.3);
	near(last, 14, 0.3);
}

/* Read as 2, 4 or 6 each; the fastest are never in the mean of the slower. */
static void hops_of_the_peak_beside_are_not_in_a_mean(void **state)
{
	(void)state;
	hops.step = 2;
	ADD({ 1, 3, 0 });
	ADD({ 0.4, 3, 0 }, { 0.6, 7.8, 0 });
	ADD({ 1, 100, 10 });
	find(3);
	near(spectrum.cycles[0], 3, 0.1);
	near(spectrum.cycles[1], 7.8, 0.1);
	near(mp_spectrum_core(batch(1), &spectrum, 1), 7.8, 0.1);
	assert_false(spectrum.blurred[0]);
	assert_true(mp_spectrum_is_own(batch(1), &spectrum, 1));
}

/* Less than two steps apart: what is read between is of either. */
static void two_that_may_share_a_reading_are_told_only_alone(void **state)
{
	(void)state;
	hops.step = 2;
	ADD({ 1, 2, 0 });
	ADD({ 0.4, 2, 0 }, { 0.6, 5.8, 0 });
	ADD({ 1, 100, 10 });
	find(3);
	assert_true(spectrum.blurred[0]);
	near(mp_spectrum_core(batch(0), &spectrum, 0), 2, 0.1);
	assert_true(mp_spectrum_is_own(batch(0), &spectrum, 0));
	assert_false(mp_spectrum_is_own(batch(1), &spectrum, 1));
	assert_false(spectrum.blurred[1]);
	assert_true(mp_spectrum_is_own(batch(2), &spectrum, 2));
}

static void the_core_of_a_peak_is_read_wherever_it_has_hops(void **state)
{
	(void)state;
	ADD({ 1, 5, 0 });
	ADD({ 0.1, 5, 0 }, { 0.9, 30, 2 });
	find(2);
	near(mp_spectrum_core(batch(1), &spectrum, 0), 5, 0.3);
	near(mp_spectrum_core(batch(1), &spectrum, 1), 30, 0.3);
	assert_true(isnan(mp_spectrum_core(batch(0), &spectrum, 1)));
}

/* A few hops more are luck, and the latency would be that of the luckiest. */
static void of_lengths_that_show_a_peak_alike_the_shortest_tells(void **state)
{
	(void)state;
	ADD({ 0.9, 5, 0 }, { 0.1, 30, 2 });
	ADD({ 0.995, 5, 0 }, { 0.005, 30, 2 });
	ADD({ 1, 5, 0 });
	ADD({ 0.1, 5, 0 }, { 0.9, 30, 2 });
	find(2);
	assert_true(spectrum.id[0] == hops.curve.at[1].id);
	assert_true(spectrum.id[1] == hops.curve.at[3].id);
	assert_true(spectrum.share[0] > 0.999);
}

static void totals_are_no_single_hops(void **state)
{
	(void)state;
	ADD({ 1, 5, 0 });
	find(1);
	batch(0)->exp.actor[0].group = 4;
	find(0);
	assert_true(isnan(slower(0, 0)));
	batch(0)->exp.actor[0].group = 1;
	batch(0)->exp.actor[0].detail = MP_DETAIL_TOTALS;
	find(0);
	assert_true(isnan(mp_spectrum_core(batch(0), &spectrum, 0)));
	hops.curve.n = 0;
	find(0);
	hops.curve.n = 1;
}

static void without_a_core_clock_the_step_is_not_known(void **state)
{
	(void)state;
	ADD({ 1, 5, 0 });
	batch(0)->grant.n_clocks = 0;
	assert_true(isnan(mp_spectrum_step(batch(0))));
	find(0);
}

/* Of a batch, or of what comes after its first samples, at whatever bound. */
static void check_kept(struct mp_batch *of, uint32_t skip)
{
	static const double odd[] = { -1, 0, 5, 14, 1e9, INFINITY, NAN };
	struct mp_spectrum bounds = { .n = 1 };
	struct mp_batch late = *of;

	late.sample += skip;
	late.n_samples -= skip;
	for (uint32_t i = 0; i < 200; i++) {
		const uint32_t odds = sizeof(odd) / sizeof(odd[0]);
		double own, kept;

		bounds.bound[0] = i < odds ? odd[i] : i / 3.0;
		late.kept = NULL;
		own = mp_spectrum_slower(&late, &bounds, 0);
		late.kept = of->kept;
		kept = mp_spectrum_slower(&late, &bounds, 0);
		assert_true(own == kept || (isnan(own) && isnan(kept)));
	}
}

static void shares_of_a_batch_that_is_kept_are_the_same(void **state)
{
	const struct made_kind more[] = { { 0.6, 9, 1 }, { 0.4, 30, 5 } };

	(void)state;
	ADD({ 0.3, 5, 0 }, { 0.4, 14, 3 }, { 0.3, 50, 6 });
	for (int i = 0; i < 4; i++)
		made_hops_fill(&hops, batch(0), more, 2);
	batch(0)->sample[1].flags = MEMPROBE_F_SWITCHED;
	mp_batch_keep(batch(0));
	check_kept(batch(0), 0);
	check_kept(batch(0), 2);
	check_kept(batch(0), 1);
	assert_non_null(batch(0)->kept->times[0].time);
	assert_non_null(batch(0)->kept->times[1].time);
	/* Nothing that can be told is nothing of both. */
	batch(0)->grant.n_clocks = 0;
	mp_batch_keep(batch(0));
	check_kept(batch(0), 0);
}

static void keep_all(void)
{
	for (uint32_t i = 0; i < hops.curve.n; i++)
		for (uint32_t r = 0; r < hops.at[i].n; r++)
			mp_batch_keep(&hops.batch[i][r]);
}

static bool is_found_again(const struct mp_spectrum *first)
{
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	return !memcmp(first, &spectrum, sizeof(*first));
}

/* What follows from a curve is kept, until one of its batches is another. */
static void a_curve_that_is_kept_is_looked_at_once(void **state)
{
	struct mp_spectrum first;

	(void)state;
	ADD({ 1, 5, 0 });
	ADD({ 0.4, 5, 0 }, { 0.6, 14, 1 });
	keep_all();
	find(2);
	first = spectrum;
	/* What was kept does not change: it is not looked at. */
	for (uint32_t r = 0; r < hops.at[1].n; r++)
		hops.batch[1][r].grant.read_ticks += 3;
	assert_true(is_found_again(&first));
	mp_batch_keep(&hops.batch[1][0]);
	assert_false(is_found_again(&first));
	for (uint32_t r = 0; r < hops.at[1].n; r++)
		hops.batch[1][r].grant.read_ticks -= 3;
	assert_false(is_found_again(&first));
	mp_batch_keep(&hops.batch[1][0]);
	assert_true(is_found_again(&first));
}

/* A hop of 6 cycles is read as one step of 3.1 less or one more, and one of 12 as
 * one of the next two: four readings a step apart, of two levels, as no length has
 * hops of either side but those where one level ends. */
static void places_less_than_two_steps_apart_are_two(void **state)
{
	(void)state;
	hops.step = 3;
	ADD({ 1, 4.5, 0 });
	ADD({ 1, 4.5, 0 });
	ADD({ 0.5, 4.5, 0 }, { 0.5, 9.9, 0 });
	ADD({ 1, 9.9, 0 });
	ADD({ 1, 60, 0 });
	find(3);
	near(spectrum.cycles[0], 4.5, 0.3);
	near(spectrum.cycles[1], 9.9, 0.3);
	assert_false(spectrum.blurred[0]);
	near(slower(0, 0), 0, 1e-9);
	near(slower(2, 0), 0.5, 0.03);
	near(slower(3, 0), 1, 1e-9);
}

/* Levels of 1.5 and 3.7 steps: one hop in four of the second is read as its lower
 * step, which no hop of the first ever is. Where all lengths near the edge have hops
 * of both, no gap parts the two. */
static void a_reading_that_only_the_slower_one_has_is_its_own(void **state)
{
	(void)state;
	hops.step = 5;
	ADD({ 1, 7.65, 0 });
	ADD({ 0.6, 7.65, 0 }, { 0.4, 18.65, 0 });
	ADD({ 0.4, 7.65, 0 }, { 0.6, 18.65, 0 });
	ADD({ 0.15, 7.65, 0 }, { 0.65, 18.65, 0 }, { 0.2, 140, 0 });
	find(3);
	near(spectrum.cycles[0], 7.65, 0.3);
	near(spectrum.cycles[1], 18.65, 0.5);
	near(slower(0, 0), 0, 1e-9);
	near(slower(1, 0), 0.4, 0.03);
	near(slower(2, 0), 0.6, 0.03);
	near(slower(3, 0), 0.85, 0.03);
}

/* .. and where a length has hops of a reading that is the other's as well, they may
 * be one: one in fifteen of those of 8.8 cycles is read as 6, and a third of those
 * of 4. */
static void places_that_share_a_reading_are_not_cut(void **state)
{
	(void)state;
	hops.step = 3;
	ADD({ 1, 4, 0 });
	ADD({ 1, 4, 0 });
	ADD({ 1, 8.8, 0 });
	ADD({ 1, 60, 0 });
	find(2);
}

/* Where readings fall in with the loop that reads them all are a step more. */
static void a_place_that_moves_by_a_step_is_one(void **state)
{
	(void)state;
	hops.step = 3;
	ADD({ 1, 3, 0 });
	ADD({ 1, 6, 0 });
	ADD({ 1, 60, 0 });
	find(2);
}

/* No level serves rings of which a faster one serves longer ones. */
static void a_place_that_comes_first_is_no_level_behind(void **state)
{
	(void)state;
	hops.step = 3;
	ADD({ 1, 9.9, 0 });
	ADD({ 1, 4.5, 0 });
	ADD({ 1, 60, 0 });
	find(2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_level_is_a_peak_and_shares_are_told),
		TEST(a_satellite_of_an_eighth_of_the_hops_is_no_peak),
		TEST(a_fifth_of_the_hops_of_one_length_make_a_peak),
		TEST(interrupted_hops_do_not_count),
		TEST(a_disturbed_sample_does_not_count),
		TEST(a_step_of_two_cycles_tells_levels_and_shares),
		TEST(levels_that_the_clock_does_not_part_are_one_peak_that_moves),
		TEST(hops_of_the_peak_beside_are_not_in_a_mean),
		TEST(two_that_may_share_a_reading_are_told_only_alone),
		TEST(the_core_of_a_peak_is_read_wherever_it_has_hops),
		TEST(of_lengths_that_show_a_peak_alike_the_shortest_tells),
		TEST(totals_are_no_single_hops),
		TEST(without_a_core_clock_the_step_is_not_known),
		TEST(shares_of_a_batch_that_is_kept_are_the_same),
		TEST(a_curve_that_is_kept_is_looked_at_once),
		TEST(places_less_than_two_steps_apart_are_two),
		TEST(a_reading_that_only_the_slower_one_has_is_its_own),
		TEST(places_that_share_a_reading_are_not_cut),
		TEST(a_place_that_moves_by_a_step_is_one),
		TEST(a_place_that_comes_first_is_no_level_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
