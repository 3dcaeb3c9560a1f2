// SPDX-License-Identifier: GPL-2.0
/* Levels of a curve, on made curves whose truth is known. */
#include "analysis/levels.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made_curve.h"
#include "rng.h"

#define ROOM 8

/* An answer is right if it is nearer to the truth than half a step of the
 * usual grid of 2^k and 1.5 * 2^k, as it is for stored curves. */
#define RIGHT_LOW 0.74
#define RIGHT_HIGH 1.34

struct answer {
	uint32_t n;
	struct mp_level level[ROOM];
};

static const struct made_machine three = {
	.n = 3,
	.step = {
		{ 32 * KIB, 4, EVEN, 8 },
		{ 256 * KIB, 12, EVEN, 8 },
		{ 8 * MIB, 40, RESISTING, 16 },
	},
	.memory = 220,
};

static void measure(const struct made_machine *m, struct made_curve *c)
{
	made_measure(m, 128 * MIB, 1, c);
}

static void find(const struct made_curve *c, struct answer *a)
{
	assert_int_equal(mp_levels_find(c->point, c->n, a->level, ROOM, &a->n),
			 0);
}

static void expect_levels(const struct made_curve *c,
			  const struct made_machine *m)
{
	struct answer a;

	find(c, &a);
	if (a.n != m->n)
		fail_msg("%u levels, the machine has %u", a.n, m->n);
	for (uint32_t k = 0; k < a.n; k++) {
		const struct mp_level *l = &a.level[k];
		double truth = m->step[k].bytes;

		if (l->size_bytes < RIGHT_LOW * truth ||
		    l->size_bytes > RIGHT_HIGH * truth)
			fail_msg("level %u: %.0f bytes, truth %.0f", k + 1,
				 l->size_bytes, truth);
		assert_true(l->low_bytes <= l->size_bytes &&
			    l->size_bytes <= l->high_bytes);
	}
}

static void set_point(struct made_curve *c, double bytes, double latency)
{
	struct mp_curve_point *p = made_find(c, bytes);

	assert_non_null(p);
	p->latency = latency;
}

static void a_sharp_edge_is_placed_at_the_footprint_that_did_fit(void **state)
{
	struct made_curve c;
	struct answer a;

	(void)state;
	measure(&three, &c);
	find(&c, &a);
	assert_int_equal(a.n, 3);
	assert_true(fabs(a.level[0].size_bytes / (32 * KIB) - 1) < 0.02);
	assert_true(fabs(a.level[1].size_bytes / (256 * KIB) - 1) < 0.03);
	assert_true(a.level[0].low_bytes == 32 * KIB);
	assert_true(a.level[0].high_bytes == 48 * KIB);
}

static void a_plateau_gives_the_latency_of_its_level(void **state)
{
	struct made_curve c;
	struct answer a;

	(void)state;
	measure(&three, &c);
	find(&c, &a);
	for (uint32_t k = 0; k < 3; k++)
		assert_true(fabs(a.level[k].latency /
				 three.step[k].latency - 1) < 0.03);
}

static void the_bracket_holds_the_truth_whatever_the_policy(void **state)
{
	static const struct made_step last[] = {
		{ 6 * MIB, 40, EVEN, 12 }, { 6 * MIB, 40, SCATTERED, 4 },
		{ 6 * MIB, 40, SCATTERED, 16 }, { 6 * MIB, 40, RANDOM, 0 },
		{ 6 * MIB, 40, RESISTING, 0 }, { 7 * MIB, 40, EVEN, 12 },
		{ 7 * MIB, 40, SCATTERED, 8 }, { 7 * MIB, 40, RANDOM, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		struct made_machine m = three;
		struct made_curve c;
		struct answer a;

		m.step[2] = last[i];
		measure(&m, &c);
		find(&c, &a);
		assert_int_equal(a.n, 3);
		assert_true(a.level[2].low_bytes <= last[i].bytes);
		assert_true(a.level[2].high_bytes >= last[i].bytes);
	}
}

static void known_machines_come_out_right(void **state)
{
	static const struct made_machine table[] = {
		{ 1, { { 16 * KIB, 3, EVEN, 4 } }, 60, 0, 0, 0, 0 },
		{ 2, { { 24 * KIB, 3, EVEN, 6 }, { 512 * KIB, 16, EVEN, 8 } },
		  105, 64 * KIB, 3, 0, 0 },
		{ 2, { { 64 * KIB, 3, EVEN, 2 }, { 1 * MIB, 13, EVEN, 16 } },
		  150, 128 * KIB, 5, 2 * MIB, 10 },
		{ 2, { { 64 * KIB, 5, EVEN, 4 }, { 128 * KIB, 25, EVEN, 32 } },
		  150, 0, 0, 0, 0 },
		{ 3, { { 48 * KIB, 5, EVEN, 12 }, { 1.25 * MIB, 15, EVEN, 10 },
		       { 30 * MIB, 60, RANDOM, 12 } }, 300,
		  256 * KIB, 7, 0, 0 },
		{ 3, { { 16 * KIB, 4, EVEN, 4 }, { 2 * MIB, 21, EVEN, 16 },
		       { 8 * MIB, 75, EVEN, 64 } }, 240,
		  128 * KIB, 12, 4 * MIB, 12 },
		{ 3, { { 32 * KIB, 4, EVEN, 8 }, { 4 * MIB, 20, EVEN, 16 },
		       { 36 * MIB, 59, RANDOM, 12 } }, 400,
		  192 * KIB, 9, 0, 0 },
		{ 4, { { 32 * KIB, 4, EVEN, 8 }, { 256 * KIB, 12, EVEN, 8 },
		       { 6 * MIB, 50, RANDOM, 12 }, { 128 * MIB, 150, EVEN, 16 } },
		  340, 0, 0, 0, 0 },
		{ 4, { { 48 * KIB, 4, EVEN, 12 }, { 192 * KIB, 9, EVEN, 12 },
		       { 3 * MIB, 17, EVEN, 12 }, { 36 * MIB, 72, RANDOM, 12 } },
		  440, 512 * KIB, 7, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct made_curve c;

		made_measure(&table[i], 1024 * MIB, 1, &c);
		expect_levels(&c, &table[i]);
		made_round(&c);
		expect_levels(&c, &table[i]);
	}
}

static void drawn_machines_come_out_right_under_noise(void **state)
{
	static const double sd[] = { 0, 0.01, 0.02, 0.04 };
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 20);
	for (uint32_t i = 0; i < 400; i++) {
		struct made_machine m;
		struct made_curve c;

		made_draw(&rng, &m);
		made_measure(&m, 8 * m.step[m.n - 1].bytes, 1, &c);
		made_disturb(&c, sd[i % 4], &rng);
		if (i & 4)
			made_round(&c);
		expect_levels(&c, &m);
	}
}

static void the_grid_may_be_shifted(void **state)
{
	struct made_machine m = three;

	(void)state;
	m.step[2].policy = RANDOM;
	for (double shift = 1; shift < 1.5; shift += 0.0625) {
		struct made_curve c;

		made_measure(&m, 128 * MIB, shift, &c);
		expect_levels(&c, &m);
	}
}

static void the_grid_may_be_thin(void **state)
{
	struct made_machine m = three;

	(void)state;
	m.step[2].policy = RANDOM;
	for (uint32_t half = 0; half < 2; half++) {
		struct made_curve full;

		/* 48 KiB lies between the footprints of one of the grids. */
		m.step[0].bytes = half ? 48 * KIB : 32 * KIB;
		measure(&m, &full);
		for (uint32_t odd = 0; odd < 2; odd++) {
			struct made_curve c = { 0 };

			for (uint32_t i = odd; i < full.n; i += 2)
				c.point[c.n++] = full.point[i];
			expect_levels(&c, &m);
		}
	}
}

static void a_fine_grid_makes_the_bracket_narrow(void **state)
{
	struct made_machine m = three;
	struct made_curve c = { 0 };
	struct answer a;

	(void)state;
	m.step[2] = (struct made_step){ 9 * MIB, 40, EVEN, 16 };
	for (double b = 2 * KIB; b < 128 * MIB; b *= exp2(1 / 64.0))
		made_add(&m, b, &c);
	find(&c, &a);
	assert_int_equal(a.n, 3);
	for (uint32_t k = 0; k < 3; k++) {
		assert_true(fabs(a.level[k].size_bytes / m.step[k].bytes - 1) < 0.05);
		assert_true(a.level[k].high_bytes < 1.15 * a.level[k].low_bytes);
	}
}

static void a_tlb_that_runs_out_is_no_level(void **state)
{
	struct made_machine m = three;
	struct made_curve c;
	struct answer a;

	(void)state;
	m.step[1] = (struct made_step){ 2 * MIB, 14, EVEN, 16 };
	m.step[2].bytes = 32 * MIB;
	m.tlb_bytes = 192 * KIB;
	m.tlb_cost = 8;
	made_measure(&m, 512 * MIB, 1, &c);
	made_round(&c);
	expect_levels(&c, &m);
	/* Nor is it taken for misses, or for the latency of the level. */
	find(&c, &a);
	assert_true(a.level[1].low_bytes == 2 * MIB);
	assert_true(a.level[1].latency < 18);
}

static void growing_page_walks_are_no_level(void **state)
{
	struct made_machine m = three;
	struct made_curve c;

	(void)state;
	m.step[2].policy = RANDOM;
	m.walk_bytes = 6 * MIB;
	m.walk_cost = 25;
	made_measure(&m, 1024 * MIB, 1, &c);
	made_round(&c);
	expect_levels(&c, &m);
}

static void a_lone_spike_is_no_level(void **state)
{
	static const double at[] = { 8 * KIB, 96 * KIB, 1 * MIB, 48 * MIB };
	struct made_machine m = three;

	(void)state;
	m.step[2].policy = EVEN;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		struct made_curve c;

		measure(&m, &c);
		set_point(&c, at[i], 3 * made_latency(&m, at[i]));
		expect_levels(&c, &m);
		measure(&m, &c);
		set_point(&c, at[i], 0.5 * made_latency(&m, at[i]));
		expect_levels(&c, &m);
	}
}

static void a_dent_in_a_slow_edge_makes_no_second_level(void **state)
{
	struct made_curve c;

	(void)state;
	measure(&three, &c);
	/* 12 and 16 MiB come out equal. */
	set_point(&c, 16 * MIB, made_latency(&three, 12 * MIB));
	expect_levels(&c, &three);
}

static void a_spike_beside_an_edge_does_not_move_it(void **state)
{
	struct made_machine m = three;
	struct made_curve c;

	(void)state;
	m.step[2].policy = RANDOM;
	measure(&m, &c);
	set_point(&c, 6 * MIB, 190);
	expect_levels(&c, &m);
}

static void two_equal_neighbours_on_an_edge_are_no_level(void **state)
{
	static const double edge[] = {
		47, 83, 80, 136, 171, 202, 217, 228, 236, 240,
	};
	struct made_curve c;
	struct mp_curve_point *p;

	(void)state;
	measure(&three, &c);
	p = made_find(&c, 4 * MIB);
	assert_non_null(p);
	for (size_t k = 0; k < sizeof(edge) / sizeof(edge[0]); k++)
		p[k].latency = edge[k];
	expect_levels(&c, &three);
}

static void a_curve_that_ends_on_the_edge_shows_the_level(void **state)
{
	struct made_curve c;
	struct answer a;

	(void)state;
	made_measure(&three, 24 * MIB, 1, &c);
	find(&c, &a);
	assert_int_equal(a.n, 3);
	made_measure(&three, 6 * MIB, 1, &c);
	find(&c, &a);
	assert_int_equal(a.n, 2);
}

static void a_last_point_alone_makes_no_level(void **state)
{
	struct made_curve c;
	struct answer a;

	(void)state;
	made_measure(&three, 6 * MIB, 1, &c);
	c.point[c.n - 1].latency *= 3;
	find(&c, &a);
	assert_int_equal(a.n, 2);
}

static void units_do_not_matter(void **state)
{
	struct made_curve c;
	struct answer a, b;

	(void)state;
	measure(&three, &c);
	find(&c, &a);
	for (uint32_t i = 0; i < c.n; i++) {
		c.point[i].footprint_bytes *= 3.7;
		c.point[i].latency *= 0.28;
	}
	find(&c, &b);
	assert_int_equal(a.n, b.n);
	for (uint32_t k = 0; k < a.n; k++) {
		assert_true(fabs(b.level[k].size_bytes /
				 (3.7 * a.level[k].size_bytes) - 1) < 1e-9);
		assert_true(fabs(b.level[k].low_bytes /
				 (3.7 * a.level[k].low_bytes) - 1) < 1e-9);
		assert_true(fabs(b.level[k].latency /
				 (0.28 * a.level[k].latency) - 1) < 1e-9);
	}
}

static void the_order_of_points_does_not_matter(void **state)
{
	struct made_curve c;
	struct answer a, b;
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 4);
	measure(&three, &c);
	find(&c, &a);
	for (uint32_t i = c.n - 1; i > 0; i--) {
		uint32_t j = (uint32_t)mp_rng_below(&rng, i + 1);
		struct mp_curve_point p = c.point[i];

		c.point[i] = c.point[j];
		c.point[j] = p;
	}
	find(&c, &b);
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.level, b.level, a.n * sizeof(a.level[0]));
}

static void equal_footprints_count_as_their_lower_median(void **state)
{
	struct made_curve c, thrice = { 0 };
	struct answer a, b;

	(void)state;
	measure(&three, &c);
	find(&c, &a);
	for (uint32_t i = 0; i < c.n; i++) {
		struct mp_curve_point p = c.point[i];

		thrice.point[thrice.n++] = p;
		p.latency *= 5;
		thrice.point[thrice.n++] = p;
		if (i & 1) {
			p.latency /= 50;
			thrice.point[thrice.n++] = p;
		}
	}
	find(&thrice, &b);
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.level, b.level, a.n * sizeof(a.level[0]));
}

static void the_input_is_left_as_it_is(void **state)
{
	struct made_curve c, before;
	struct answer a;

	(void)state;
	memset(&c, 0, sizeof(c));
	measure(&three, &c);
	c.point[3].latency = 900;
	before = c;
	find(&c, &a);
	assert_memory_equal(&c, &before, sizeof(c));
}

static void a_flat_curve_has_no_level(void **state)
{
	struct made_curve c;
	struct answer a;

	(void)state;
	measure(&three, &c);
	for (uint32_t i = 0; i < c.n; i++)
		c.point[i].latency = 7;
	find(&c, &a);
	assert_int_equal(a.n, 0);
}

static void a_falling_curve_has_no_level(void **state)
{
	struct made_curve c;
	struct answer a;

	(void)state;
	measure(&three, &c);
	for (uint32_t i = 0; i < c.n; i++)
		c.point[i].latency = 1000.0 - 20 * i;
	find(&c, &a);
	assert_int_equal(a.n, 0);
}

static void fewer_than_three_footprints_show_no_level(void **state)
{
	static const struct mp_curve_point one[] = {
		{ 1024, 4 }, { 65536, 40 }, { 65536, 41 }, { 1024, 5 },
	};
	struct mp_level level[ROOM];
	uint32_t n = 9;

	(void)state;
	assert_int_equal(mp_levels_find(NULL, 0, level, ROOM, &n), 0);
	assert_int_equal(n, 0);
	for (uint32_t k = 1; k <= 4; k++) {
		n = 9;
		assert_int_equal(mp_levels_find(one, k, level, ROOM, &n), 0);
		assert_int_equal(n, 0);
	}
}

static void a_point_that_is_no_number_above_zero_is_refused(void **state)
{
	static const double bad[] = { 0, -4, NAN, INFINITY, -INFINITY };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct made_curve c;
		struct answer a = { .n = 9 };

		measure(&three, &c);
		c.point[5].latency = bad[i];
		assert_int_equal(mp_levels_find(c.point, c.n, a.level, ROOM,
						&a.n), -EINVAL);
		assert_int_equal(a.n, 0);
		measure(&three, &c);
		c.point[c.n - 1].footprint_bytes = bad[i];
		assert_int_equal(mp_levels_find(c.point, c.n, a.level, ROOM,
						&a.n), -EINVAL);
	}
}

static void too_little_room_is_told_and_the_inner_levels_given(void **state)
{
	struct made_curve c;
	struct answer all;
	struct mp_level level[2];
	uint32_t n;

	(void)state;
	measure(&three, &c);
	find(&c, &all);
	assert_int_equal(mp_levels_find(c.point, c.n, level, 2, &n), -ENOSPC);
	assert_int_equal(n, 3);
	assert_memory_equal(level, all.level, sizeof(level));
	assert_int_equal(mp_levels_find(c.point, c.n, NULL, 0, &n), -ENOSPC);
	assert_int_equal(n, 3);
	assert_int_equal(mp_levels_find(c.point, c.n, all.level, 3, &n), 0);
}

static void too_many_points_are_refused_and_the_most_allowed_are_not(void **state)
{
	static struct mp_curve_point p[MP_LEVELS_POINTS_MAX + 1];
	struct answer a;

	(void)state;
	/* Falling throughout: all of it is pooled, again and again. */
	for (uint32_t i = 0; i <= MP_LEVELS_POINTS_MAX; i++)
		p[i] = (struct mp_curve_point){ i + 1.0, 1e6 - i };
	assert_int_equal(mp_levels_find(p, MP_LEVELS_POINTS_MAX, a.level, ROOM,
					&a.n), 0);
	assert_int_equal(a.n, 0);
	assert_int_equal(mp_levels_find(p, MP_LEVELS_POINTS_MAX + 1, a.level,
					ROOM, &a.n), -E2BIG);
	assert_int_equal(a.n, 0);
}

static void thousands_of_noisy_points_are_no_trouble(void **state)
{
	struct made_machine m = three;
	struct made_curve c = { 0 };
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 11);
	m.step[2].policy = RANDOM;
	while (c.n < MADE_POINTS)
		made_add(&m, 2 * KIB * exp2(16.0 * c.n / MADE_POINTS), &c);
	made_disturb(&c, 0.03, &rng);
	expect_levels(&c, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sharp_edge_is_placed_at_the_footprint_that_did_fit),
		cmocka_unit_test(a_plateau_gives_the_latency_of_its_level),
		cmocka_unit_test(the_bracket_holds_the_truth_whatever_the_policy),
		cmocka_unit_test(known_machines_come_out_right),
		cmocka_unit_test(drawn_machines_come_out_right_under_noise),
		cmocka_unit_test(the_grid_may_be_shifted),
		cmocka_unit_test(the_grid_may_be_thin),
		cmocka_unit_test(a_fine_grid_makes_the_bracket_narrow),
		cmocka_unit_test(a_tlb_that_runs_out_is_no_level),
		cmocka_unit_test(growing_page_walks_are_no_level),
		cmocka_unit_test(a_lone_spike_is_no_level),
		cmocka_unit_test(a_dent_in_a_slow_edge_makes_no_second_level),
		cmocka_unit_test(a_spike_beside_an_edge_does_not_move_it),
		cmocka_unit_test(two_equal_neighbours_on_an_edge_are_no_level),
		cmocka_unit_test(a_curve_that_ends_on_the_edge_shows_the_level),
		cmocka_unit_test(a_last_point_alone_makes_no_level),
		cmocka_unit_test(units_do_not_matter),
		cmocka_unit_test(the_order_of_points_does_not_matter),
		cmocka_unit_test(equal_footprints_count_as_their_lower_median),
		cmocka_unit_test(the_input_is_left_as_it_is),
		cmocka_unit_test(a_flat_curve_has_no_level),
		cmocka_unit_test(a_falling_curve_has_no_level),
		cmocka_unit_test(fewer_than_three_footprints_show_no_level),
		cmocka_unit_test(a_point_that_is_no_number_above_zero_is_refused),
		cmocka_unit_test(too_little_room_is_told_and_the_inner_levels_given),
		cmocka_unit_test(too_many_points_are_refused_and_the_most_allowed_are_not),
		cmocka_unit_test(thousands_of_noisy_points_are_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
