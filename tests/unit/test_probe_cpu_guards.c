// SPDX-License-Identifier: GPL-2.0
/* What keeps levels from being told wrong, piece by piece: edges and experiments made
 * by hand, or asked of a simulated machine one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_after.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_kinks.h"
#include "probe/cpu_lines.h"
#include "probe/cpu_size.h"
#include "probe/latency_after.h"

#define PAGE 4096u
#define TWO_LEVELS \
	"machine name=a clock_mhz=1000 memory_latency=374\n" \
	"clock tsc_mhz=100 step=1 read=30\n" \
	"level name=l1d size=32K ways=8 latency=4\n" \
	"level name=l2 size=1M ways=16 latency=20\n"

static struct made_sim sim;
static struct mp_cpu_edges edges;

static void open_edges(const char *text)
{
	made_sim_open(&sim, text);
	made_sim_tell_quiet(&sim);
	made_sim_edges(&sim, &edges);
	edges.single = false;
	edges.flat = true;
}

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

/* Three replicates that take the same. */
static void put_point(struct mp_curve_at *at, double value[3], uint64_t length,
		      double cycles)
{
	for (uint32_t i = 0; i < 3; i++)
		value[i] = cycles;
	*at = (struct mp_curve_at){
		.length = length, .n = 3, .cycles = value, .ns = value,
		.mid_cycles = cycles, .mid_ns = cycles,
	};
}

/* Limits that a count raises: a value that lay in the middle does so again, and one
 * that a shape told stays. */
static double counted_value(double value)
{
	const struct mp_cpu_beside beside = { .holds = MP_CPU_HOLDS_UNKNOWN };
	struct mp_fact fact = { .verdict = MP_MEASURED, .value = value,
				.low = 11739, .high = 15106 };

	edges.count[1] = (struct mp_cpu_count){
		.known = true, .bare = true, .own_low = 12502, .own_high = 15035,
		.all_low = 14506, .all = 15485, .all_high = 17009, .found = 17009,
	};
	mp_cpu_counted(&edges, 1, &beside, 15106, &fact);
	assert_int_equal(fact.verdict, MP_MEASURED);
	assert_true(fact.low == 12502 && fact.high == 15106);
	return fact.value;
}

static void the_middle_of_limits_moves_with_them(void **state)
{
	const double middle = 2 / (1 / 11739.0 + 1 / 15106.0);

	(void)state;
	open_edges(TWO_LEVELS);
	assert_true(counted_value(middle) > 13675 && counted_value(middle) < 13690);
	assert_true(counted_value(14000) == 14000);
}

/* The last level, by means; others may share it. */
static const char *absent_behind(double high, uint32_t shape, double misfit)
{
	static struct mp_fact fact;

	edges.level[1].size_bytes = 16e6;
	edges.edge[1] = (struct mp_edge){
		.low = 13e6, .size = 16e6, .high = high, .inside = 34, .outside = 141,
		.shape = shape, .misfit = misfit,
	};
	fact = (struct mp_fact){ .verdict = MP_NOT_MEASURABLE };
	mp_cpu_size_absent(&edges, &fact);
	return fact.verdict == MP_ABSENT ? NULL : fact.reason;
}

/* An edge of 13 to 26 MB, from 34 cycles to 141, was that of 12 MiB and of 20 behind it. */
static void what_has_room_in_an_edge_is_not_absent(void **state)
{
	uint32_t even = 0, scattered = 0;

	(void)state;
	open_edges(TWO_LEVELS);
	while (edges.table->shape[even].scatter != 0)
		even++;
	while (edges.table->shape[scattered].scatter == 0 ||
	       edges.table->shape[scattered].ways <= 2)
		scattered++;
	assert_non_null(strstr(absent_behind(26e6, scattered, 0.0062), "may hide"));
	assert_null(absent_behind(16.5e6, scattered, 0.0062));
	assert_null(absent_behind(26e6, even, 0));
}

/* A level in doubt says why. */
static void doubts_are_told_by_their_kind(void **state)
{
	static const struct {
		struct mp_cpu_doubt doubt;
		const char *says;
	} kind[] = {
		{ { .level = 1, .left = true }, "another level may have them" },
		{ { .level = 1, .wide = true, .size = { 80 << 10, 256 << 10 } },
		  "over 80 to 256 KiB: it may be two" },
		{ { .level = 1, .size = { 80 << 10, 256 << 10 } },
		  "as of 80 and 256 KiB" },
	};

	(void)state;
	open_edges(TWO_LEVELS);
	for (uint32_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		struct mp_fact fact = { .verdict = MP_MEASURED };

		edges.doubt = kind[i].doubt;
		edges.fitted[1] = false;
		mp_cpu_doubt_say(&edges, 1, &fact);
		assert_int_equal(fact.verdict, MP_NOT_MEASURABLE);
		assert_non_null(strstr(fact.reason, kind[i].says));
	}
}

/* Beyond the last edge rings rest at 89 cycles, and the longest of all take 190. */
static void what_ends_slower_is_not_absent(void **state)
{
	static const double rests[] = { 89, 89.3, 88.8, 140, 190 };
	static const double rises[] = { 89, 120, 150, 170, 190 };
	struct mp_curve_at at[5];
	struct mp_fact fact = { .verdict = MP_NOT_MEASURABLE };
	double value[5][3];

	(void)state;
	open_edges(TWO_LEVELS);
	edges.edge[1].outside = 89;
	edges.sparse = (struct mp_curve){ .n = 5, .at = at };
	for (uint32_t i = 0; i < 5; i++)
		put_point(&at[i], value[i], 2ull << (20 + i), rises[i]);
	mp_cpu_size_absent(&edges, &fact);
	assert_int_equal(fact.verdict, MP_ABSENT);
	for (uint32_t i = 0; i < 5; i++)
		put_point(&at[i], value[i], 2ull << (20 + i), rests[i]);
	mp_cpu_size_absent(&edges, &fact);
	assert_int_equal(fact.verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact.reason, "the longest rings take longer"));
	/* Sparse rings that fit for longer rest at what the level itself takes. */
	fact.verdict = MP_NOT_MEASURABLE;
	edges.edge[1].outside = 190;
	mp_cpu_size_absent(&edges, &fact);
	assert_int_equal(fact.verdict, MP_ABSENT);
	edges.edge[1].outside = 89;
	/* Inside the last edge they may well rest. */
	fact.verdict = MP_NOT_MEASURABLE;
	edges.edge[1].high = 16 << 20;
	mp_cpu_size_absent(&edges, &fact);
	assert_int_equal(fact.verdict, MP_ABSENT);
}

/* The level holds 800 KiB of slots far apart; of nearer ones not even 512. */
static void denser_rings_that_miss_contradict_sparse_ones(void **state)
{
	struct mp_curve_at dense, sparse;
	double value[2][3];

	(void)state;
	open_edges(TWO_LEVELS);
	edges.by[1] = MP_CPU_BY_HOPS;
	edges.edge[1].low = 800 << 10;
	edges.curve = (struct mp_curve){ .n = 1, .at = &dense };
	edges.sparse = (struct mp_curve){ .n = 1, .at = &sparse };
	put_point(&sparse, value[0], 512 << 10, 20);
	put_point(&dense, value[1], 512 << 10, 22);
	mp_cpu_wide_contradicted(&edges);
	assert_int_equal(edges.contradicted, MP_CPU_LEVELS);
	put_point(&dense, value[1], 512 << 10, 300);
	/* One replicate that was as fast: no more than noise. */
	value[1][1] = 20;
	mp_cpu_wide_contradicted(&edges);
	assert_int_equal(edges.contradicted, MP_CPU_LEVELS);
	value[1][1] = 300;
	mp_cpu_wide_contradicted(&edges);
	assert_int_equal(edges.contradicted, 1);
	/* Of wider slots a ring is as long but for a few lines .. */
	put_point(&sparse, value[0], (512 << 10) - 384, 20);
	mp_cpu_wide_contradicted(&edges);
	assert_int_equal(edges.contradicted, 1);
	/* .. and one of another length is another ring. */
	put_point(&sparse, value[0], 508 << 10, 20);
	mp_cpu_wide_contradicted(&edges);
	assert_int_equal(edges.contradicted, MP_CPU_LEVELS);
	put_point(&sparse, value[0], 512 << 10, 20);
	/* Beyond what sparse rings say that the level holds they may. */
	edges.edge[1].low = 500 << 10;
	mp_cpu_wide_contradicted(&edges);
	assert_int_equal(edges.contradicted, MP_CPU_LEVELS);
}

/* Is a page of T's slots one that P brings back? */
static bool is_brought(const struct mp_actor *p, uint64_t page)
{
	for (uint64_t i = 0; i < p->length / p->stride; i++)
		if ((p->offset + i * p->stride) / PAGE == page)
			return true;
	return false;
}

static void all_pages_of_a_few_lines_are_brought_back(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_lines_rig rig;
	uint32_t own = 0;

	(void)state;
	open_edges(TWO_LEVELS);
	mp_lines_rig(&sim.view, &edges, &rig);
	for (rig.few = 32; rig.few <= 64; rig.few *= 2)
		for (double step = 80; step < 160; step++)
			assert_int_equal(mp_lines_want(&sim.view, &rig,
					 mp_lines_length(&rig, step), 1, &plan), 0);
	assert_true(plan.n > 100);
	for (uint32_t i = 0; i < plan.n; i++) {
		const struct mp_exp *exp = &plan.wanted[i].exp;
		const struct mp_actor *t = &exp->actor[MP_LINES_T];
		const struct mp_actor *p = &exp->actor[MP_LINES_P];
		char why[256];

		if (mp_exp_check(exp, why, sizeof(why)))
			fail_msg("%s", why);
		if (exp->n_actors != MP_LINES_RINGS)
			continue;
		own += p->hops == 9;
		for (uint64_t slot = 0; slot < t->hops; slot++)
			assert_true(is_brought(p, (t->offset + slot * t->stride) / PAGE));
	}
	/* Where the eight that they are as a rule do, there is no other. */
	assert_in_range(own, 1, plan.n - 1);
	mp_plan_free(&plan);
}

/* What a few lines make of what rings say, more than the few by so much, or less. */
static uint32_t against_rings(double cycles)
{
	struct mp_fact in_cycles = {
		.verdict = MP_MEASURED, .value = cycles, .low = cycles, .high = cycles,
	};
	struct mp_fact in_ns = {
		.verdict = MP_MEASURED, .value = cycles / 1.6, .low = cycles / 1.6,
		.high = cycles / 1.6,
	};
	struct mp_latency pair = { &in_cycles, &in_ns };
	double inner[2] = { 4, 2.5 };

	mp_latency_second(&sim.view, &edges, 1, &pair, inner);
	assert_int_equal(in_cycles.verdict, in_ns.verdict);
	return in_cycles.verdict;
}

/* A first level of 25 ways that goes by use misses few of the hops of a ring that is
 * a little longer: a few lines stay in it, and say nothing of the next. */
static void a_few_lines_stay_where_others_hardly_come_in(void **state)
{
	struct mp_interval limits;
	struct mp_plan plan = { 0 };
	uint64_t id;

	(void)state;
	for (uint32_t lru = 0; lru < 2; lru++) {
		bool known;

		open_edges(lru ?
			   "machine name=a clock_mhz=1600 memory_latency=147\n"
			   "clock tsc_mhz=24 step=1 read=17\n"
			   "place pages=contiguous\n"
			   "level name=l1d size=25K ways=25 latency=4\n"
			   "level name=l2 size=48K ways=8 latency=18\n" :
			   "machine name=a clock_mhz=1600 memory_latency=147\n"
			   "clock tsc_mhz=24 step=1 read=17\n"
			   "place pages=contiguous\n"
			   "level name=l1d size=25K ways=25 line=256 latency=4 policy=bit-plru\n"
			   "level name=l2 size=48K ways=8 line=256 latency=18\n");
		edges.edge[0].inside = 4;
		edges.edge[0].outside = edges.edge[1].inside = 18;
		assert_int_equal(mp_cpu_after_alone_plan(&sim.view, &edges, 1, &plan), 0);
		assert_true(plan.n > 0);
		made_sim_run(&sim, &plan);
		memset(&plan, 0, sizeof(plan));
		sim.view.index = &sim.index;
		known = mp_cpu_after_alone(&sim.view, &edges, 1, false, &limits, &id);
		assert_int_equal(known, lru);
		if (known) {
			assert_true(fabs(limits.value - 18) < 0.5);
			assert_int_equal(against_rings(18.2), MP_MEASURED);
			assert_int_equal(against_rings(19), MP_DISPUTED);
			assert_int_equal(against_rings(16), MP_DISPUTED);
		}
		if (!lru)
			made_sim_close(&sim);
	}
}

/* The foot of the first level's edge, by replicates that agree, and what is above. */
static void put_edge(struct mp_curve_at at[12], double value[12][3], double differ)
{
	static const double up[] = {
		0, 0, 0.05, 0.12, 0.2, 0.3, 0.38, 0.5, 0.6, 0.7, 0.8, 0.95
	};

	for (uint32_t i = 0; i < 12; i++) {
		const double cycles = 4 + up[i] * 16;

		put_point(&at[i], value[i], (24u << 10) + i * 3072, cycles);
		value[i][0] += up[i] > 0.4 ? differ * 16 : 0;
	}
	edges.curve = (struct mp_curve){ .n = 12, .at = at };
}

static uint32_t shape_of(double scatter)
{
	uint32_t i = 0;

	while (edges.table->shape[i].scatter != scatter ||
	       edges.table->shape[i].ways != 8)
		i++;
	return i;
}

static void open_edge(double scatter, uint64_t bytes)
{
	open_edges(TWO_LEVELS);
	edges.edge[0].shape = shape_of(scatter);
	edges.edge[0].size = (double)bytes;
	edges.edge[0].outside = 20;
}

/* From where on it does not rise as one level's edge; 0: it does. */
static double kinked_from(void)
{
	edges.doubt = (struct mp_cpu_doubt){ .level = MP_CPU_LEVELS };
	mp_cpu_kinks_find(&edges);
	assert_int_equal(edges.doubt.level, edges.doubt.kinked > 0 ? 0 : MP_CPU_LEVELS);
	return edges.doubt.kinked;
}

/* Where pages lie matters to lines that have left the first level only: there are two
 * in its edge. */
static void an_edge_of_two_kinds_is_of_two_levels(void **state)
{
	struct mp_curve_at at[12];
	double value[12][3];

	(void)state;
	open_edge(0, 40 << 10);
	put_edge(at, value, 0);
	assert_true(kinked_from() == 0);
	put_edge(at, value, 0.1);
	assert_true(kinked_from() == (double)at[6].length);
	/* They differ at the foot, too: it is one level in pages that lie anywhere. */
	value[4][1] += 0.1 * 16;
	assert_true(kinked_from() == 0);
	value[4][1] -= 0.1 * 16;
	/* Single hops tell more; and what is in doubt already stays so. */
	edges.by[0] = MP_CPU_BY_HOPS;
	assert_true(kinked_from() == 0);
	edges.by[0] = MP_CPU_BY_MEANS;
	edges.doubt.level = 1;
	mp_cpu_kinks_find(&edges);
	assert_int_equal(edges.doubt.level, 1);
}

/* Lines on sets at random would have left a level of 46 KiB at 27. */
static void an_edge_that_begins_late_is_not_of_sets_filled_at_random(void **state)
{
	struct mp_curve_at at[12];
	double value[12][3];

	(void)state;
	open_edge(1, 46 << 10);
	put_edge(at, value, 0);
	assert_true(mp_cpu_miss(&edges, 0, (double)at[1].length) > 0.03);
	assert_true(kinked_from() > 0 && edges.doubt.kinked <= (double)at[1].length);
	edges.edge[0].shape = shape_of(0);
	assert_true(kinked_from() == 0);
}

/* From where on an edge rests that rises so, the @differ th length apart from the one
 * before by as much as its replicates are. */
static double rests_from(const double up[12], uint32_t differ)
{
	struct mp_curve_at at[12];
	double value[12][3];

	for (uint32_t i = 0; i < 12; i++) {
		put_point(&at[i], value[i], (24u << 10) + i * 3072,
			  4 + up[i] * 16);
		if (i == differ)
			value[i][0] += 0.05 * 16;
	}
	edges.curve = (struct mp_curve){ .n = 12, .at = at };
	return kinked_from();
}

/* 11 KiB at 4 cycles before 16.5 at 13 and memory at 50: of a clock that times no single
 * hops, one level of 22 KiB. */
static void an_edge_that_rests_half_way_is_of_two_levels(void **state)
{
	static const double two[12] = {
		0, 0.05, 0.1, 0.14, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1, 1
	};
	static const double one[12] = {
		0, 0.05, 0.1, 0.14, 0.19, 0.3, 0.5, 0.7, 0.85, 0.95, 1, 1
	};
	/* Misses of any line begin steeply. */
	static const double any[12] = {
		0, 0.3, 0.5, 0.62, 0.7, 0.76, 0.8, 0.83, 0.86, 0.88, 0.9, 0.92
	};

	(void)state;
	open_edge(0, 40 << 10);
	assert_true(rests_from(two, 12) >= 27 << 10);
	assert_true(rests_from(two, 12) <= 36 << 10);
	assert_true(rests_from(one, 12) == 0);
	assert_true(rests_from(any, 12) == 0);
	/* Where replicates differ by more it may be chance. */
	assert_true(rests_from(two, 4) == 0);
}

/* Steps of the clock nearly as long as what the second level takes more: to single
 * hops the two are one, and not to rings without clocks in between. */
static void levels_less_than_a_step_apart_are_not_one(void **state)
{
	struct mp_fact fact = { .verdict = MP_MEASURED };
	struct mp_curve_at at[6];
	double value[6][3];

	(void)state;
	open_edges(TWO_LEVELS);
	edges.single = true;
	edges.n = 1;
	edges.edge[0].low = edges.edge[0].size = 528 << 10;
	edges.curve = (struct mp_curve){ .n = 6, .at = at };
	for (uint32_t i = 0; i < 6; i++)
		put_point(&at[i], value[i], 4ull << (10 + i), i < 3 ? 3 : 5);
	assert_true(kinked_from() == (double)at[3].length);
	mp_cpu_doubt_say(&edges, 0, &fact);
	assert_int_equal(fact.verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact.reason, "less than a step of the clock apart"));
	/* One length may have met something else, and translation adds less. */
	put_point(&at[4], value[4], 4ull << 14, 3.3);
	put_point(&at[5], value[5], 4ull << 15, 3.5);
	assert_true(kinked_from() == 0);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_middle_of_limits_moves_with_them, end),
		cmocka_unit_test_teardown(doubts_are_told_by_their_kind, end),
		cmocka_unit_test_teardown(what_has_room_in_an_edge_is_not_absent, end),
		TEST(what_ends_slower_is_not_absent),
		TEST(denser_rings_that_miss_contradict_sparse_ones),
		TEST(all_pages_of_a_few_lines_are_brought_back),
		TEST(an_edge_of_two_kinds_is_of_two_levels),
		TEST(an_edge_that_begins_late_is_not_of_sets_filled_at_random),
		TEST(an_edge_that_rests_half_way_is_of_two_levels),
		TEST(levels_less_than_a_step_apart_are_not_one),
		TEST(a_few_lines_stay_where_others_hardly_come_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
