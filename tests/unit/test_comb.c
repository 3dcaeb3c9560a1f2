// SPDX-License-Identifier: GPL-2.0
/* Misses that come again after a period, and such as do not. */
#include "analysis/comb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "rng.h"

#define SLOTS 30000u
#define ROWS 12u

/* How rows are made. */
struct made {
	uint32_t rows;
	uint32_t n;		/* slots of a row */
	uint32_t period;	/* 0: none */
	double over;		/* part of a period that has a line too many */
	double misses;		/* .. which misses so often */
	double others;		/* and others, for other reasons */
	double seen;		/* share of slots that are looked at */
	uint64_t seed;
};

static uint8_t seen[ROWS][SLOTS], missed[ROWS][SLOTS];
static struct mp_comb_row row[ROWS];
static struct mp_rng rng;

static bool chance(double share)
{
	return (double)mp_rng_below(&rng, 1u << 20) < share * (1u << 20);
}

/* Each row begins somewhere in the period. */
static struct mp_comb find(const struct made *made)
{
	struct mp_comb comb;

	mp_rng_seed(&rng, made->seed);
	memset(seen, 0, sizeof(seen));
	memset(missed, 0, sizeof(missed));
	for (uint32_t r = 0; r < made->rows; r++) {
		const uint64_t phase = mp_rng_next(&rng) >> 8;

		for (uint32_t i = 0; i < made->n; i++) {
			const bool over = made->period &&
				(i + phase) % made->period <
				made->over * made->period;

			seen[r][i] = 2 * chance(made->seen);
			for (uint32_t k = 0; k < seen[r][i]; k++)
				missed[r][i] += chance(over ? made->misses :
							      made->others);
		}
		row[r] = (struct mp_comb_row){ made->n, seen[r], missed[r] };
	}
	assert_int_equal(mp_comb_find(row, made->rows, &comb), 0);
	return comb;
}

static void found(const struct made *made)
{
	const struct mp_comb comb = find(made);

	if (comb.period + 1 < made->period || comb.period > made->period + 1)
		fail_msg("%u, not %u; score %g", comb.period, made->period,
			 comb.score);
}

static void the_period_of_one_row_is_found(void **state)
{
	(void)state;
	found(&(struct made){ 1, 21766, 2557, 0.5, 0.9, 0, 1, 1 });
	found(&(struct made){ 1, 4096, 72, 0.1, 1, 0, 1, 2 });
	found(&(struct made){ 1, 30000, 12000, 0.3, 1, 0, 1, 3 });
	found(&(struct made){ 1, 20000, 1000, 0.95, 1, 0, 1, 4 });
}

/* Most of what is too much is served further inside. */
static void few_misses_of_those_that_may_are_enough(void **state)
{
	(void)state;
	found(&(struct made){ 3, 17000, 1099, 0.3, 0.2, 0, 1, 5 });
	found(&(struct made){ 3, 30000, 4096, 0.5, 0.3, 0.05, 1, 6 });
}

static void rows_may_begin_anywhere_in_a_period(void **state)
{
	(void)state;
	found(&(struct made){ ROWS, 8192, 1099, 0.4, 0.7, 0.1, 1, 7 });
}

/* Long rings are seen in part. */
static void slots_that_are_not_looked_at_say_nothing(void **state)
{
	(void)state;
	found(&(struct made){ 2, 30000, 2048, 0.3, 0.8, 0, 0.35, 8 });
}

static void misses_that_come_by_chance_have_no_period(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		const struct mp_comb comb = find(&(struct made){
			3, 20000, 0, 0, 0, 0.3, 1, seed });

		assert_int_equal(comb.period, 0);
		assert_true(fabs(comb.missed - 0.3) < 0.02);
	}
}

/* The ends of a row that is but a little longer are alike, too. */
static void what_comes_again_but_once_is_no_period(void **state)
{
	(void)state;
	assert_int_equal(find(&(struct made){
		1, 13000, 12000, 0.08, 1, 0, 1, 9 }).period, 0);
}

static void nothing_is_found_in_nothing(void **state)
{
	(void)state;
	assert_true(isnan(find(&(struct made){
		2, 1000, 100, 0.5, 1, 0, 0, 10 }).missed));
	assert_int_equal(find(&(struct made){
		2, 1000, 100, 0.5, 0, 0, 1, 11 }).period, 0);
	assert_int_equal(find(&(struct made){
		2, 1000, 100, 0.5, 1, 1, 1, 12 }).period, 0);
	assert_int_equal(find(&(struct made){
		1, 1, 1, 0.5, 1, 1, 1, 13 }).period, 0);
}

/* A ring of so many periods of 2543, of which the sets that have one slot more miss
 * now and then, and others, too. */
static struct mp_comb_whole whole(double periods, double share, double others,
				  uint32_t low, uint32_t high)
{
	const uint32_t n = (uint32_t)(2543 * periods);
	struct mp_comb_whole whole;

	mp_rng_seed(&rng, 9);
	memset(missed, 0, sizeof(missed));
	for (uint32_t r = 0; r < 3; r++) {
		for (uint32_t i = 0; i < n; i++) {
			seen[r][i] = 2;
			for (uint32_t k = 0; k < 2; k++)
				missed[r][i] += chance(i % 2543 < n % 2543 ?
						       share : others);
		}
		row[r] = (struct mp_comb_row){ n, seen[r], missed[r] };
	}
	assert_int_equal(mp_comb_whole_find(row, 3, low, high, &whole), 0);
	return whole;
}

static void the_period_of_a_whole_ring_is_known_to_a_slot(void **state)
{
	struct mp_comb_whole found;

	(void)state;
	found = whole(11.5, 0.3, 0, 400, 25000);
	assert_int_equal(found.period, 2543);
	assert_true(found.share > 0.28 && found.share < 0.32);
	assert_true(found.others == 0 && found.score > 1000);
	assert_true(found.missed > 0.13 && found.missed < 0.17);
	found = whole(11.2, 0.3, 0.25, 400, 25000);
	assert_int_equal(found.period, 2543);
	found = whole(1.1, 0.9, 0, 200, 2790);
	assert_int_equal(found.period, 2543);
	found = whole(11.5, 0.3, 0, 2600, 25000);
	assert_int_not_equal(found.period, 2543);
}

/* Where all slots miss alike there is none: chance explains but a little. */
static void rings_that_do_not_differ_have_no_period(void **state)
{
	struct mp_comb_whole found;

	(void)state;
	for (uint32_t all = 0; all < 2; all++) {
		found = whole(11.5, all, all, 400, 25000);
		assert_int_equal(found.period, 0);
		assert_true(found.score == 0 && found.missed == all);
	}
	assert_true(whole(11.5, 0.2, 0.2, 400, 25000).score < 50);
	memset(seen, 0, sizeof(seen));
	row[0] = (struct mp_comb_row){ 1050, seen[0], missed[0] };
	assert_int_equal(mp_comb_whole_find(row, 1, 95, 105, &found), 0);
	assert_true(found.period == 0 && isnan(found.missed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_period_of_one_row_is_found),
		cmocka_unit_test(few_misses_of_those_that_may_are_enough),
		cmocka_unit_test(rows_may_begin_anywhere_in_a_period),
		cmocka_unit_test(slots_that_are_not_looked_at_say_nothing),
		cmocka_unit_test(misses_that_come_by_chance_have_no_period),
		cmocka_unit_test(what_comes_again_but_once_is_no_period),
		cmocka_unit_test(nothing_is_found_in_nothing),
		cmocka_unit_test(the_period_of_a_whole_ring_is_known_to_a_slot),
		cmocka_unit_test(rings_that_do_not_differ_have_no_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
