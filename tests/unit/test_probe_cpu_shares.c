// SPDX-License-Identifier: GPL-2.0
/* Levels from single hops: which there are, where they end, what they take. */
#include "probe/cpu_edges.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made_hops.h"
#include "rng.h"

#define KIB 1024.0
#define PAGE_LINES 64u
#define SETS_MOST 400u
#define ODD_LEVELS 60u

static struct made_hops hops;
static struct mp_spectrum spectrum;
static struct mp_level level[MP_CPU_LEVELS];
static struct mp_cpu_edges edges;
static const struct mp_view view = { .seed = 3 };

static int begin(void **state)
{
	(void)state;
	made_hops_open(&hops, 1);
	memset(level, 0, sizeof(level));
	memset(&edges, 0, sizeof(edges));
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_hops_close(&hops);
	return 0;
}

/* Of an evenly filled level that evicts the oldest, with eight ways. */
static double even_miss(double x)
{
	return fmin(fmax((x - 1) * 9 / x, 0), 1);
}

/* Of one on whose sets pages fall at random. */
static double slow_miss(double x)
{
	return 1 / (1 + pow(x, -4));
}

/* Three served from, each with its edge; pages cost one hop in eight more. */
static void add_length(double length, double walks, uint32_t replicates)
{
	double first = even_miss(length / (32 * KIB));
	double second = slow_miss(length / (128 * KIB)) * first;
	const struct made_kind kind[] = {
		{ (1 - first) * (1 - walks), 4, 0 },
		{ (1 - first) * walks, 11, 0 },
		{ (first - second) * (1 - walks), 20, 1 },
		{ (first - second) * walks, 27, 1 },
		{ second, 200, 20 },
	};

	made_hops_add(&hops, (uint64_t)length, replicates, kind, 5);
}

static void draw(double walks)
{
	for (double length = 2 * KIB; length <= 2049 * KIB; length *= M_SQRT2)
		add_length(length, walks, 2);
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
}

static void levels_end_where_their_hops_begin_to_miss(void **state)
{
	uint32_t n;

	(void)state;
	draw(0);
	assert_int_equal(spectrum.n, 3);
	assert_true(mp_cpu_share_clear(&hops.curve, &spectrum));
	assert_int_equal(mp_cpu_share_muddled(&hops.curve, &spectrum),
			 MP_CPU_LEVELS);
	assert_int_equal(mp_cpu_share_levels(&hops.curve, &spectrum, level, &n),
			 0);
	assert_int_equal(n, 2);
	assert_true(fabs(level[0].latency - 4) < 0.2);
	assert_true(fabs(level[1].latency - 20) < 0.5);
	for (uint32_t k = 0; k < n; k++) {
		double size = k ? 128 * KIB : 32 * KIB;

		assert_true(level[k].low_bytes <= size);
		assert_true(level[k].high_bytes >= size);
		assert_true(level[k].size_bytes >= level[k].low_bytes &&
			    level[k].size_bytes <= level[k].high_bytes);
		assert_true(fabs(log2(level[k].size_bytes / size)) < 0.5);
	}
	/* An even edge is sharp, one at random is not. */
	assert_true(level[0].high_bytes < 2.1 * level[0].low_bytes);
	assert_true(level[1].high_bytes > 2.1 * level[1].low_bytes);
}

/* A level inside that keeps a part of a ring until that is half as long again:
 * what a level of 300 KiB has seen is less than 300 KiB, and all of 370. */
static void what_is_kept_inside_counts_at_each_limit(void **state)
{
	static const struct {
		double length, kept;
	} each[] = {
		{ 100, 1 }, { 200, 0.7 }, { 300, 0.2 }, { 330, 0.1 },
		{ 370, 0 }, { 450, 0 }, { 900, 0 },
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		const double gone = each[i].length > 400 ? 1 : 0;
		const struct made_kind kind[] = {
			{ each[i].kept, 4, 0 },
			{ (1 - each[i].kept) * (1 - gone), 20, 1 },
			{ (1 - each[i].kept) * gone, 200, 20 },
		};

		made_hops_add(&hops, (uint64_t)(each[i].length * KIB), 2, kind,
			      3);
	}
	assert_int_equal(mp_spectrum_find(&hops.curve, &edges.spectrum), 0);
	assert_int_equal(edges.spectrum.n, 3);
	edges.n = 2;
	edges.single = true;
	edges.side[0] = hops.curve;
	edges.edge[1].low = 290 * KIB;
	edges.edge[1].high = 380 * KIB;
	assert_true(fabs(mp_cpu_share_kept(&edges, 1)) < 0.01);
	assert_true(fabs(mp_cpu_share_passed(&edges, 1) - 240 * KIB) < 5 * KIB);
	edges.edge[1].low = 360 * KIB;
	assert_true(fabs(mp_cpu_share_passed(&edges, 1) - 370 * KIB) < 5 * KIB);
	assert_true(isinf(mp_cpu_share_passed(&edges, 0)));
	edges.single = false;
	assert_true(isinf(mp_cpu_share_passed(&edges, 1)));
}

static void page_walks_do_not_move_a_level(void **state)
{
	struct mp_level with[MP_CPU_LEVELS];
	uint32_t n;

	(void)state;
	draw(0);
	mp_cpu_share_levels(&hops.curve, &spectrum, level, &n);
	made_hops_close(&hops);
	made_hops_open(&hops, 1);
	draw(0.125);
	assert_int_equal(spectrum.n, 3);
	assert_int_equal(mp_cpu_share_levels(&hops.curve, &spectrum, with, &n),
			 0);
	assert_int_equal(n, 2);
	for (uint32_t k = 0; k < 2; k++)
		assert_true(fabs(with[k].size_bytes / level[k].size_bytes - 1) <
			    0.1);
}

/* A second level up to some length, half of whose hops, or more and more, are
 * slower; memory beyond. */
static void draw_halves(bool is_one)
{
	for (uint32_t i = 0; i < 9; i++) {
		const double slow = is_one ? 0.5 : i < 4 ? 0.05 : 0.9;
		const struct made_kind half[] = {
			{ 1 - slow, 20, 0.5 }, { slow, 40, 1 } };
		const struct made_kind first = { 1, 4, 0 };
		const struct made_kind last = { 1, 200, 10 };

		made_hops_add(&hops, (16ull << 10) << i, 2,
			      i < 1 ? &first : i < 7 ? half : &last,
			      i && i < 7 ? 2 : 1);
	}
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	assert_int_equal(spectrum.n, 4);
}

static void near_and_far_parts_of_a_level_are_twins(void **state)
{
	(void)state;
	draw_halves(true);
	assert_int_equal(mp_cpu_share_twins(&hops.curve, &spectrum), 1);
}

/* Four slots share a line of a level at 20 cycles: three hops in four are served
 * further inside, and no length has more than a quarter that goes to it, to the next
 * level or to memory. Of rings with a slot a line all do. */
static void draw_shared(double part)
{
	for (uint32_t i = 0; i < 9; i++) {
		const double served = i < 3 ? 20 : i < 6 ? 40 : 200;
		const struct made_kind kind[] = { { i ? part : 0, served, 0.5 },
						  { 1, 4, 0 } };

		made_hops_add(&hops, (16ull << 10) << i, 2, kind, 2);
	}
}

static void levels_that_few_hops_come_to_are_not(void **state)
{
	(void)state;
	draw_shared(1);
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	assert_int_equal(spectrum.n, 4);
	assert_int_equal(mp_cpu_share_twins(&hops.curve, &spectrum),
			 MP_CPU_LEVELS);
	made_hops_close(&hops);
	made_hops_open(&hops, 1);
	draw_shared(0.2);
	assert_int_equal(mp_cpu_share_twins(&hops.curve, &spectrum),
			 MP_CPU_LEVELS);
}

static void levels_that_hops_go_over_to_are_not(void **state)
{
	(void)state;
	draw_halves(false);
	assert_int_equal(mp_cpu_share_twins(&hops.curve, &spectrum),
			 MP_CPU_LEVELS);
	made_hops_close(&hops);
	made_hops_open(&hops, 1);
	draw(0);
	assert_int_equal(mp_cpu_share_twins(&hops.curve, &spectrum),
			 MP_CPU_LEVELS);
}

/* Readings that fall in with the loop that takes them: at some lengths all are
 * later by nearly half a step. */
static void half_a_step_of_the_clock_parts_no_peak(void **state)
{
	(void)state;
	hops.step = 3;
	for (uint32_t i = 0; i < 9; i++) {
		const struct made_kind kind = { 1, i % 2 ? 18.6 : 16.8, 0.2 };
		const struct made_kind last = { 1, 150, 10 };

		made_hops_add(&hops, 4096ull << i, 2, i < 8 ? &kind : &last, 1);
	}
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	assert_int_equal(spectrum.n, 2);
	assert_true(mp_cpu_share_clear(&hops.curve, &spectrum));
}

/* At some lengths the first replicate was read at another core clock, and all of
 * its hops a step later. The others say where the peak is. */
static void a_replicate_at_another_clock_parts_no_peak(void **state)
{
	static const struct made_kind late = { 1, 20.2, 0.2 };

	(void)state;
	hops.step = 3;
	for (uint32_t i = 0; i < 9; i++) {
		const struct made_kind kind = { 1, 16.8, 0.2 };
		const struct made_kind last = { 1, 150, 10 };

		made_hops_add(&hops, 4096ull << i, 2, i < 8 ? &kind : &last, 1);
	}
	for (uint32_t i = 1; i < 8; i += 3) {
		struct mp_batch *batch = &hops.batch[i][0];
		const struct mp_grant grant = batch->grant;
		const struct mp_exp exp = batch->exp;

		mp_batch_free(batch);
		mp_batch_init(batch, &exp, 0);
		batch->grant = grant;
		made_hops_fill(&hops, batch, &late, 1);
	}
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	assert_int_equal(spectrum.n, 2);
	assert_true(mp_cpu_share_clear(&hops.curve, &spectrum));
}

/* Where the peak is has shown at many lengths: a longer ring that comes to it again,
 * and a little off it, is believed by two replicates and not by one. */
static void expect_again(uint32_t replicates, bool clear)
{
	const struct made_kind here = { 1, 12, 0.5 };
	const struct made_kind again[] = { { 0.4, 15, 0.5 }, { 0.6, 200, 10 } };
	const struct made_kind last = { 1, 200, 10 };

	made_hops_close(&hops);
	made_hops_open(&hops, 1);
	for (uint32_t i = 0; i < 9; i++)
		made_hops_add(&hops, 4096ull << i, 2, i < 6 ? &here : &last, 1);
	made_hops_add(&hops, 4096ull << 9, replicates, again, 2);
	spectrum = (struct mp_spectrum){ .n = 2, .cycles = { 12, 200 },
					 .bound = { 60, INFINITY } };
	assert_int_equal(mp_cpu_share_clear(&hops.curve, &spectrum), clear);
}

static void a_lone_batch_at_another_clock_parts_no_peak(void **state)
{
	(void)state;
	expect_again(2, false);
	expect_again(1, true);
}

/* What a level takes that waits for no core is 98 cycles by one clock and 105 by
 * another, which went up or down meanwhile. */
static void expect_moved(double off, bool clear)
{
	made_hops_close(&hops);
	made_hops_open(&hops, 1);
	for (uint32_t i = 0; i < 10; i++) {
		const struct made_kind kind = { 1, i < 3 ? 12 : i < 6 ? 98 :
						i < 8 ? 105 : 400, 0.5 };

		made_hops_add(&hops, 4096ull << i, 2, &kind, 1);
		for (uint32_t r = 0; r < 2; r++) {
			struct mp_grant *grant = &hops.batch[i][r].grant;

			grant->clock[1].add_hz = grant->clock[0].add_hz * (1 - off);
			grant->clock[0].add_hz *= 1 + off;
			grant->n_clocks = 2;
		}
	}
	spectrum = (struct mp_spectrum){ .n = 3, .cycles = { 12, 100, 400 },
					 .bound = { 50, 200, INFINITY } };
	assert_int_equal(mp_cpu_share_clear(&hops.curve, &spectrum), clear);
}

static void a_peak_moves_with_the_clock_that_it_is_read_by(void **state)
{
	(void)state;
	expect_moved(0, false);
	expect_moved(0.05, true);
}

/* The clock does not part 12 from 14 cycles, and the peak moves. */
static void one_peak_of_two_levels_is_not_clear(void **state)
{
	(void)state;
	hops.step = 2;
	for (uint32_t i = 0; i < 9; i++) {
		double miss = i < 4 ? 0 : i < 6 ? 0.5 : 1;
		const struct made_kind kind[] = {
			{ 1 - miss, 12, 0.5 }, { miss, 14, 0.5 } };
		const struct made_kind last = { 1, 150, 10 };

		made_hops_add(&hops, 4096ull << i, 2, i < 8 ? kind : &last,
			      i < 8 ? 2 : 1);
	}
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	assert_int_equal(spectrum.n, 2);
	assert_false(mp_cpu_share_clear(&hops.curve, &spectrum));
}

/* A third of the hops of some lengths is faster than the next peak, and none of it
 * where the first one is: so few say nothing of that. */
static void few_fast_hops_beside_a_peak_part_it_not(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 9; i++) {
		const struct made_kind kind[] = {
			{ 1, 12, 0.5 } };
		const struct made_kind beside[] = {
			{ 0.3, 30, 0.5 }, { 0.7, 60, 0.5 } };
		const struct made_kind last = { 1, 60, 0.5 };

		made_hops_add(&hops, 4096ull << i, 2, i < 4 ? kind :
			      i < 6 ? beside : &last, i >= 4 && i < 6 ? 2 : 1);
	}
	spectrum = (struct mp_spectrum){ .n = 2, .cycles = { 12, 60 },
					 .bound = { 40, INFINITY } };
	assert_true(mp_cpu_share_clear(&hops.curve, &spectrum));
}

/* Two slots of each line: every second hop finds it there, however long. */
static void a_level_that_half_of_the_hops_hit_for_ever_is_muddled(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 9; i++) {
		const struct made_kind kind[] = {
			{ i < 4 ? 1 : 0.5, 4, 0 }, { i < 7 ? 1 : 0, 20, 1 },
			{ 1, 200, 10 } };

		made_hops_add(&hops, 4096ull << i, 2, kind, 3);
	}
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	assert_int_equal(spectrum.n, 3);
	assert_int_equal(mp_cpu_share_muddled(&hops.curve, &spectrum), 0);
}

static void points_are_shares_of_the_stretch_asked_for(void **state)
{
	static struct mp_edge_data data;

	(void)state;
	draw(0);
	/* A replicate of which nothing counts has no share. */
	for (uint32_t i = 0; i < hops.curve.n; i++)
		hops.batch[i][1].sample[0].flags = MEMPROBE_F_SWITCHED;
	memset(&data, 0, sizeof(data));
	edges.spectrum = spectrum;
	mp_cpu_share_points(&edges, &hops.curve, 0, 20 * KIB, 70 * KIB,
			    &data);
	assert_int_equal(data.n, 4);
	for (uint32_t i = 0; i < data.n; i++) {
		const struct mp_edge_point *p = &data.point[i];

		assert_true(p->x >= 20 * KIB && p->x <= 70 * KIB);
		assert_int_equal(p->n, 1);
		assert_true(fabs(p->y[0] - even_miss(p->x / (32 * KIB))) <
			    0.04);
	}
}

/* A level of about 120 cycles: so many of its hops take that, the others from
 * 85 to 155. */
static void draw_scattered(double near)
{
	const struct made_kind second[] = {
		{ near, 120, 1 }, { 1 - near, 120, 35 } };

	for (uint32_t i = 0; i < 9; i++) {
		const struct made_kind first = { 1, 4, 0 };
		const struct made_kind last = { 1, 500, 10 };

		made_hops_add(&hops, (16ull << 10) << i, 2,
			      i < 2 ? &first : i < 7 ? second : &last,
			      i > 1 && i < 7 ? 2 : 1);
	}
	assert_int_equal(mp_spectrum_find(&hops.curve, &spectrum), 0);
	assert_int_equal(spectrum.n, 3);
	edges.side[0] = hops.curve;
	edges.spectrum = spectrum;
}

static void a_level_of_near_and_far_parts_has_no_one_latency(void **state)
{
	struct mp_fact fact = { .verdict = MP_MEASURED, .value = 120 };

	(void)state;
	draw_scattered(0.1);
	mp_cpu_peak_scatter(&edges, 1, 1, &fact);
	assert_int_equal(fact.verdict, MP_VARIES);
	assert_true(fact.low > 92 && fact.low < 102);
	assert_true(fact.high > 138 && fact.high < 148);
	assert_true(fact.reason[0]);
	mp_cpu_peak_scatter(&edges, 1, 0.25, &fact);
	assert_true(fact.high > 34 && fact.high < 37);
}

static void what_some_hops_pay_beside_it_scatters_no_level(void **state)
{
	struct mp_fact fact = { .verdict = MP_MEASURED, .value = 120 };

	(void)state;
	draw_scattered(0.7);
	for (uint32_t k = 0; k < 2; k++)
		mp_cpu_peak_scatter(&edges, k, 1, &fact);
	assert_int_equal(fact.verdict, MP_MEASURED);
}

static void a_latency_is_read_where_its_peak_is_highest(void **state)
{
	struct mp_interval cycles, ns;

	(void)state;
	draw(0);
	edges.side[0] = hops.curve;
	edges.spectrum = spectrum;
	for (uint32_t k = 0; k < 3; k++) {
		const struct mp_curve_at *at = mp_cpu_peak_point(&edges, k);

		assert_non_null(at);
		assert_true(at->id == spectrum.id[k]);
		assert_true(mp_cpu_peak_limits(&edges, k, false,
					       &cycles));
		assert_true(mp_cpu_peak_limits(&edges, k, true, &ns));
		assert_true(fabs(cycles.value - spectrum.cycles[k]) <
			    0.02 * cycles.value + 0.1);
		assert_true(cycles.low <= cycles.value &&
			    cycles.value <= cycles.high);
		assert_true(fabs(ns.value * 3 - cycles.value) < 1e-6);
	}
	edges.spectrum.id[1] = 0;
	assert_null(mp_cpu_peak_point(&edges, 1));
	assert_false(mp_cpu_peak_limits(&edges, 1, false, &cycles));
}

static void a_stretch_without_lengths_is_a_hole(void **state)
{
	uint32_t n, at = 0;

	(void)state;
	draw(0);
	mp_cpu_share_levels(&hops.curve, &spectrum, level, &n);
	assert_false(mp_cpu_holed(&hops.curve, level, n));
	while ((double)hops.at[at].length < 40 * KIB)
		at++;
	/* Nothing from 40 to 128 KiB. */
	hops.curve.n -= 4;
	memmove(&hops.at[at], &hops.at[at + 4],
		(hops.curve.n - at) * sizeof(hops.at[0]));
	level[1].low_bytes = 256 * KIB;
	assert_true(mp_cpu_holed(&hops.curve, level, n));
	/* Beyond the outermost edge nothing is missed. */
	level[1].low_bytes = 20 * KIB;
	assert_false(mp_cpu_holed(&hops.curve, level, n));
}

/* Rings of every line over small pages: pages that lie anywhere in odd sets
 * move an edge in a way that no shape has. Not where replicates do not differ,
 * but for one that others disturbed. */
static void limits_are_widened_for_pages_that_make_a_difference(void **state)
{
	struct mp_edge_data data = {
		.page_bytes = 4096, .is_share = true,
		.from = 10 * KIB, .to = 40 * KIB,
	};
	struct mp_edge edge;

	(void)state;
	edges.full = true;
	edges.table = mp_miss_table_get();
	for (uint32_t differ = 0; differ <= 1; differ++) {
		data.n = 0;
		for (int k = -16; k <= 16; k++) {
			struct mp_edge_point *p = &data.point[data.n++];

			p->x = 20 * KIB * exp2(k / 16.0);
			p->n = 40;
			for (uint32_t r = 0; r < p->n; r++)
				p->y[r] = even_miss(p->x / (20 * KIB) *
						    (1 + 0.02 * differ *
						     (r % 5)));
			p->y[0] = fmin(p->y[0] + 0.7, 1);
		}
		assert_true(mp_cpu_edge_of(&view, &edges, 0, false, &data,
					   &edge));
		assert_true(edge.sway > 1.05 && edge.still == !differ);
		assert_true(edge.low <= 20 * KIB && edge.high >= 20 * KIB);
		assert_true(differ ? edge.high > edge.low * 1.25 :
				     edge.high < edge.low * 1.2);
	}
	/* Further out lines may be hashed, and spread less for that. */
	assert_true(mp_cpu_edge_of(&view, &edges, 2, false, &data, &edge));
	assert_true(edge.high > edge.low * 1.5);
}

/* What a ring of lines misses of a level that evicts the oldest, pages lying
 * anywhere. */
static double thrown(uint32_t sets, uint32_t ways, uint32_t lines,
		     struct mp_rng *rng)
{
	uint32_t in_set[SETS_MOST] = { 0 }, missed = 0;
	uint64_t frame = 0;

	for (uint32_t i = 0; i < lines; i++) {
		if (i % PAGE_LINES == 0)
			frame = mp_rng_next(rng) >> 40;
		in_set[(frame * PAGE_LINES + i % PAGE_LINES) % sets]++;
	}
	for (uint32_t s = 0; s < sets; s++)
		missed += in_set[s] > ways ? in_set[s] : 0;
	return (double)missed / lines;
}

/* Sets of any number over pages at random, few places for a page among them:
 * limits that make a measured size hold it. */
static void measured_limits_of_odd_sets_over_small_pages_hold(void **state)
{
	uint32_t measured = 0;
	struct mp_rng rng;

	(void)state;
	edges.full = true;
	edges.table = mp_miss_table_get();
	mp_rng_seed(&rng, 5);
	for (uint32_t m = 0; m < ODD_LEVELS; m++) {
		const uint32_t ways = 2 + mp_rng_below(&rng, 15);
		const uint32_t sets = 25 + mp_rng_below(&rng, SETS_MOST - 25);
		const double size = 64.0 * sets * ways;
		struct mp_edge_data data = {
			.page_bytes = 4096, .is_share = true,
			.from = size / 4, .to = size * 3,
		};
		struct mp_edge edge;

		for (int k = -16; k <= 16; k++) {
			struct mp_edge_point *p = &data.point[data.n++];
			const uint32_t lines = (uint32_t)(sets * ways *
							  exp2(k / 8.0));

			p->x = 64.0 * lines;
			p->n = 40;
			for (uint32_t r = 0; r < p->n; r++)
				p->y[r] = thrown(sets, ways, lines, &rng);
		}
		if (!mp_cpu_edge_of(&view, &edges, 1, false, &data, &edge) ||
		    edge.high > edge.low * 1.25)
			continue;
		measured++;
		if (edge.low > size || edge.high < size)
			fail_msg("%u ways, %u sets: %g [%g %g]", ways, sets,
				 edge.size / size, edge.low / size,
				 edge.high / size);
	}
	assert_true(measured >= ODD_LEVELS / 12);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(levels_end_where_their_hops_begin_to_miss),
		TEST(what_is_kept_inside_counts_at_each_limit),
		TEST(page_walks_do_not_move_a_level),
		TEST(near_and_far_parts_of_a_level_are_twins),
		TEST(levels_that_few_hops_come_to_are_not),
		TEST(levels_that_hops_go_over_to_are_not),
		TEST(half_a_step_of_the_clock_parts_no_peak),
		TEST(a_replicate_at_another_clock_parts_no_peak),
		TEST(a_lone_batch_at_another_clock_parts_no_peak),
		TEST(a_peak_moves_with_the_clock_that_it_is_read_by),
		TEST(few_fast_hops_beside_a_peak_part_it_not),
		TEST(one_peak_of_two_levels_is_not_clear),
		TEST(a_level_that_half_of_the_hops_hit_for_ever_is_muddled),
		TEST(points_are_shares_of_the_stretch_asked_for),
		TEST(a_level_of_near_and_far_parts_has_no_one_latency),
		TEST(what_some_hops_pay_beside_it_scatters_no_level),
		TEST(a_latency_is_read_where_its_peak_is_highest),
		TEST(a_stretch_without_lengths_is_a_hole),
		TEST(limits_are_widened_for_pages_that_make_a_difference),
		TEST(measured_limits_of_odd_sets_over_small_pages_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
