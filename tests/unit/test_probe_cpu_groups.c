// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose clock is too coarse for a hop of every level, but tells
 * some latencies apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_groups.h"
#include "probe/latency_groups.h"

#define NEAR 0.125
/* From between the readings of the second level and the third to before them, cycles */
#define EARLY 8.0

/* Levels at 4 and 9 cycles share readings of a clock of 6.8 cycles a step, those
 * at 9 and 24 do not, by little. */
#define TWO_STEPS_OF(policy) \
	"machine name=a clock_mhz=1400 memory_latency=216\n" \
	"clock tsc_mhz=3300 step=16 read=10\n" \
	"place pages=contiguous\n" \
	"level name=l1d size=40K ways=4 latency=4\n" \
	"level name=l2 size=256K ways=8 latency=9 policy=" policy "\n" \
	"level name=l3 size=1536K ways=12 latency=24\n" \
	"tlb level=1 page=4K entries=128 ways=16\nwalk cost=64\n"
#define TWO_STEPS TWO_STEPS_OF("lru")

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text)
{
	made_sim_ask_levels(&sim, text, 1);
}

static void holds(const char *name, double value)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != MP_MEASURED || fact->low > value ||
	    fact->high < value)
		fail_msg("%s: verdict %u, %g (%g to %g) %s", name,
			 fact->verdict, fact->value, fact->low, fact->high,
			 fact->reason);
}

static void is(const char *name, double cycles)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != MP_MEASURED ||
	    fabs(fact->value - cycles) > fmax(0.02 * cycles, 0.5))
		fail_msg("%s: verdict %u, %g (%s)", name, fact->verdict,
			 fact->value, fact->reason);
}

static void edges_of(struct mp_cpu_edges *edges)
{
	assert_int_equal(mp_cpu_edges_find(&sim.view, edges), 0);
}

static double most_of(const struct mp_curve *curve, double from, double to,
		      double *least)
{
	double most = 0;

	*least = INFINITY;
	for (uint32_t i = 0; i < curve->n; i++) {
		const double middle = mp_curve_middle(&curve->at[i]);

		if ((double)curve->at[i].length < from ||
		    (double)curve->at[i].length > to)
			continue;
		most = fmax(most, middle);
		*least = fmin(*least, middle);
	}
	return most;
}

/* The outermost level of a group is an edge of shares, the others are in a mean
 * that has nothing else in it. */
static void groups_have_levels(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	ask(TWO_STEPS);
	holds("cpu.l1d.size", 40 << 10);
	holds("cpu.l2.size", 256 << 10);
	holds("cpu.l3.size", 1536 << 10);
	assert_int_equal(made_sim_fact(&sim, "cpu.l4.size")->verdict,
			 MP_ABSENT);
	edges_of(&edges);
	assert_false(edges.single);
	assert_int_equal(edges.n, 3);
	assert_int_equal(edges.groups.n, 3);
	assert_int_equal(edges.by[0], MP_CPU_BY_MEANS);
	assert_int_equal(edges.by[1], MP_CPU_BY_HOPS);
	assert_int_equal(edges.by[2], MP_CPU_BY_HOPS);
	assert_int_equal(edges.group[0], edges.group[1]);
	assert_false(mp_cpu_is_told(&edges, 1));
	assert_true(mp_cpu_is_told(&edges, 2));
	mp_cpu_edges_free(&edges);
}

/* Where a group begins is half-way from the one before, and not where readings are
 * few: some of those of a level may be. */
static void a_group_has_all_readings_of_its_levels(void **state)
{
	struct mp_cpu_edges edges;
	double least, most;

	(void)state;
	ask(TWO_STEPS);
	is("cpu.l2.latency-cycles", 9);
	is("cpu.l3.latency-cycles", 24);
	edges_of(&edges);
	assert_float_equal(edges.groups.bound[0], (9 + 24) / 2.0, 0.3);
	most = most_of(&edges.rest[1][0], 512 << 10, 1400 << 10, &least);
	assert_float_equal(least, 24, 0.25);
	assert_float_equal(most, 24, 0.25);
	mp_cpu_edges_free(&edges);
}

/* Of three levels in a row each shares readings with the next one: they are one
 * group, and no cut parts the first from the last. */
static void readings_in_a_row_are_one_group(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	ask("machine name=a clock_mhz=4900 memory_latency=200\n"
	    "clock tsc_mhz=2100 step=6 read=64\n"
	    "place pages=contiguous\n"
	    "level name=l1d size=16K ways=16 latency=3\n"
	    "level name=l2 size=128K ways=8 latency=14\n"
	    "level name=l3 size=1M ways=8 latency=32\n"
	    "level name=l4 size=4M ways=16 latency=76\n");
	holds("cpu.l2.size", 128 << 10);
	holds("cpu.l3.size", 1 << 20);
	holds("cpu.l4.size", 4 << 20);
	is("cpu.l2.latency-cycles", 14);
	is("cpu.l3.latency-cycles", 32);
	is("cpu.l4.latency-cycles", 76);
	edges_of(&edges);
	assert_int_equal(edges.groups.n, 3);
	assert_int_equal(edges.by[1], MP_CPU_BY_REST);
	assert_int_equal(edges.by[2], MP_CPU_BY_HOPS);
	mp_cpu_edges_free(&edges);
}

/* 48 pages are walked for once more beyond 192 KiB: 5.5 cycles of each hop of 37,
 * of eight slots a page. */
static void translations_are_not_in_the_mean(void **state)
{
	struct mp_cpu_edges edges;
	double least, most;

	(void)state;
	ask("machine name=a clock_mhz=800 memory_latency=180\n"
	    "clock tsc_mhz=100 step=1 read=34\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=12K ways=12 line=128 latency=3\n"
	    "level name=l2 size=1M ways=8 line=128 latency=37 index=virtual\n"
	    "tlb level=1 page=4K entries=48 ways=48\nwalk cost=44\n");
	holds("cpu.l2.size", 1 << 20);
	is("cpu.l2.latency-cycles", 37);
	edges_of(&edges);
	most = most_of(&edges.rest[1][0], 32 << 10, 900 << 10, &least);
	assert_true(least > 36.5);
	assert_true(most < 38.5);
	mp_cpu_edges_free(&edges);
}

/* Random replacement of 2 MiB leaves no ring to a level of 3.75 MiB behind it
 * alone, and the mean rises until memory comes. One level would not do that. */
static void a_mean_that_still_rises_hides_a_level(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3550 memory_latency=159\n"
	    "clock tsc_mhz=100 step=1 read=23\n"
	    "place pages=contiguous thp=granted\n"
	    "level name=l1d size=40K ways=10 latency=4 policy=srrip\n"
	    "level name=l2 size=2M ways=16 latency=13 policy=random "
	    "index=physical\n"
	    "level name=l3 size=3840K ways=4 latency=22 policy=fifo "
	    "index=physical\n");
	made_sim_not_wrong(&sim, "cpu.l2.size", 2 << 20, NEAR);
	made_sim_not_wrong(&sim, "cpu.l3.size", 3840 << 10, NEAR);
	assert_int_not_equal(made_sim_fact(&sim, "cpu.l3.size")->verdict,
			     MP_ABSENT);
}

static void two_in_a_group(struct mp_cpu_edges *edges,
			   struct mp_curve_at at[6], double behind)
{
	static double cycles[6], ns[6];

	*edges = (struct mp_cpu_edges){
		.n = 2,
		.table = mp_miss_table_get(),
		.fitted = { true, true },
		.by = { MP_CPU_BY_MEANS, MP_CPU_BY_HOPS },
		.edge[0] = { .size = 32 << 10, .low = 31 << 10,
			     .high = 33 << 10 },
		.level[1] = { .low_bytes = 512 << 10,
			      .size_bytes = 520 << 10 },
		.spectrum = { .n = 3, .cycles = { 4, 20, 300 } },
		.rest[0][0] = { .n = 6, .at = at },
	};
	for (uint32_t i = 0; i < 6; i++) {
		cycles[i] = i < 2 ? 4 : i < 5 ? behind : 20;
		ns[i] = cycles[i];
		at[i] = (struct mp_curve_at){
			.length = (uint64_t)(16 << 10) << i, .n = 1,
			.cycles = &cycles[i], .ns = &ns[i],
			.mid_cycles = cycles[i], .mid_ns = ns[i],
		};
	}
}

/* A ring of 64 to 256 KiB takes 14 cycles where edges have it at 20: there is one
 * more. */
static void hops_behind_an_edge_take_what_the_next_level_does(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_curve_at at[6];
	double length = 0;

	(void)state;
	two_in_a_group(&edges, at, 20);
	assert_true(mp_cpu_groups_explain(&edges, 1, &length));
	two_in_a_group(&edges, at, 14);
	assert_false(mp_cpu_groups_explain(&edges, 1, &length));
	assert_float_equal(length, 262144.0, 1);
	/* Levels of two groups are not in one mean. */
	edges.group[1] = 1;
	assert_true(mp_cpu_groups_explain(&edges, 1, &length));
}

/* What the level inside keeps of a ring is a part of the jump between the two; that
 * has none of it where the edge only might begin further in. */
static void what_is_kept_inside_is_in_the_mean(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_curve_at at[6];

	(void)state;
	two_in_a_group(&edges, at, 20);
	edges.edge[1].low = 24 << 10;
	assert_float_equal(mp_cpu_groups_kept(&edges, 1), 0, 0.001);
	two_in_a_group(&edges, at, 16);
	edges.level[1].low_bytes = 300 << 10;
	assert_float_equal(mp_cpu_groups_kept(&edges, 1), 0.25, 0.001);
	edges.group[1] = 1;
	assert_float_equal(mp_cpu_groups_kept(&edges, 1), 0, 0.001);
	assert_float_equal(mp_cpu_groups_kept(&edges, 0), 0, 0.001);
}

/* 52 sets: rings of lines eight apart fill 13 of them, and the level looks twice
 * as large to them. Means of denser rings have its edge where it is. */
static void sets_that_sparse_rings_do_not_fill_are_seen(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=1500 memory_latency=278\n"
	    "clock tsc_mhz=100 step=1 read=36\n"
	    "place pages=contiguous thp=granted\n"
	    "level name=l1d size=39K ways=12 latency=4 policy=bit-plru "
	    "index=physical\n"
	    "level name=l2 size=256K ways=2 latency=20 index=physical\n"
	    "level name=l3 size=2M ways=16 latency=53 policy=tree-plru "
	    "index=physical\n");
	holds("cpu.l1d.size", 39 << 10);
	holds("cpu.l2.size", 256 << 10);
	holds("cpu.l3.size", 2 << 20);
	is("cpu.l2.latency-cycles", 20);
}

/* Each level a group of its own: whether the last one is exclusive is told as by
 * a clock that times each hop. */
static void groups_of_one_level_each_tell_exclusive_ones(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=3000 memory_latency=300\n"
	    "clock tsc_mhz=100 step=1 read=20\n"
	    "place pages=contiguous thp=granted\n"
	    "level name=l1d size=32K ways=8 latency=5\n"
	    "level name=l2 size=256K ways=8 latency=70 index=physical\n"
	    "level name=l3 size=512K ways=8 latency=150 index=physical "
	    "inclusion=exclusive\n");
	holds("cpu.l1d.size", 32 << 10);
	holds("cpu.l2.size", 256 << 10);
	holds("cpu.l3.size", 512 << 10);
	is("cpu.l2.latency-cycles", 70);
	is("cpu.l3.latency-cycles", 150);
}

/* Readings of 89 cycles and of memory are one group by steps of 37.5, and those of
 * 39 another: but memory is not all of what lies beyond these. And by means its
 * step is too small for the detector. */
static void a_level_among_the_readings_of_memory_is_no_memory(void **state)
{
	(void)state;
	made_sim_ask_levels(&sim,
		 "machine name=a clock_mhz=3750 memory_latency=148\n"
		 "clock tsc_mhz=100 step=1 read=76\n"
		 "place pages=random thp=granted\n"
		 "level name=l1d size=96K ways=6 latency=7 "
		 "policy=qlru_h00_m1_r0_u1\n"
		 "level name=l2 size=176K ways=16 line=128 sector=64 latency=13 "
		 "policy=bit-plru index=physical\n"
		 "level name=l3 size=264K ways=8 line=128 latency=39 "
		 "policy=tree-plru index=physical\n"
		 "level name=l4 size=8M ways=16 line=128 latency=89 "
		 "index=physical\n"
		 "tlb level=1 page=4K entries=32 ways=32\nwalk cost=51\n"
		 "noise gaps=0.02 seen=yes\n", 700147);
	made_sim_not_wrong(&sim, "cpu.l3.size", 264 << 10, NEAR);
	holds("cpu.l4.size", 8 << 20);
	is("cpu.l4.latency-cycles", 89);
}

/* Of rings of every line a fifth of the hops is spared memory by a prefetcher that
 * stays on, however long they are. */
static void hops_that_are_brought_are_missed_by_none(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	ask("machine name=a clock_mhz=4350 memory_latency=222\n"
	    "clock tsc_mhz=3600 step=13 read=57\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=15K ways=12 sector=32 latency=3 policy=srrip\n"
	    "prefetch kind=next into=l1d switch=no\n");
	edges_of(&edges);
	assert_true(edges.full);
	assert_int_equal(edges.groups.n, 2);
	assert_int_equal(edges.by[0], MP_CPU_BY_HOPS);
	mp_cpu_edges_free(&edges);
	made_sim_not_wrong(&sim, "cpu.l1d.size", 15 << 10, NEAR);
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
			 MP_ABSENT);
}

/* Of a level within a group rings are asked for its latency only where those that
 * are a little shorter take the same, and much shorter ones do not say that each ring
 * has some lines in the level inside, longer ones the smaller part. */
static void a_mean_that_rises_is_no_latency(void **state)
{
	struct mp_plan plan = { 0 };
	struct mp_cpu_edges edges;
	struct mp_curve_at at[6];

	(void)state;
	made_sim_open_quiet(&sim, TWO_STEPS, 1);
	for (uint32_t rising = 0; rising < 3; rising++) {
		two_in_a_group(&edges, at, 20);
		edges.by[1] = MP_CPU_BY_REST;
		edges.doubt.level = MP_CPU_LEVELS;
		edges.edge[1] = (struct mp_edge){
			.size = 300 << 10, .low = 290 << 10, .high = 310 << 10,
		};
		for (uint32_t i = 0; i < 6; i++) {
			at[i].length = (uint64_t)((160 << 10) * exp2(i / 4.0));
			at[i].mid_cycles = rising == 1 ? 14 + i :
					   20 - rising * exp2(i / -4.0);
			at[i].cycles[0] = at[i].ns[0] = at[i].mid_cycles;
		}
		assert_int_equal(mp_latency_groups_plan(&sim.view, &edges, 1,
							&plan), 0);
		assert_int_equal(plan.n, rising ? 0 : 1);
		mp_plan_free(&plan);
		plan = (struct mp_plan){ 0 };
	}
}

/* The shape of the level inside, if it is one that throws out any line, says that
 * some hops are served there. None are: that is in the limits. */
static void what_a_shape_takes_out_may_not_be_there(void **state)
{
	struct mp_fact cycles = { .verdict = MP_NOT_MEASURABLE }, ns = cycles;
	struct mp_latency pair = { .cycles = &cycles, .ns = &ns };
	struct mp_cpu_edges edges;
	struct mp_plan plan = { 0 };
	double inner[2];
	uint32_t shape = 0;

	(void)state;
	ask(TWO_STEPS);
	edges_of(&edges);
	while (shape < MP_MISS_SHAPES &&
	       (edges.table->shape[shape].policy != MP_MISS_RANDOM ||
		edges.table->shape[shape].scatter != 0 ||
		edges.table->shape[shape].ways < 16))
		shape++;
	assert_true(shape < MP_MISS_SHAPES);
	edges.edge[0].shape = shape;
	edges.edge[0].size = 72 << 10;
	assert_int_equal(mp_latency_groups_plan(&sim.view, &edges, 1, &plan), 0);
	assert_int_equal(plan.n, 1);
	made_sim_run(&sim, &plan);
	assert_int_equal(mp_latency_groups(&sim.view, &edges, 1, &pair, inner),
			 0);
	mp_cpu_edges_free(&edges);
	assert_int_equal(cycles.verdict, MP_MEASURED);
	assert_true(cycles.low <= 9 && cycles.high >= 9);
	assert_true(fabs(cycles.value - 9) <= 0.09);
}

/*
 * The third level is alone in its group. Where that begins too early, readings of the
 * second one, which throws out any line, are in it, on more steps of the clock than
 * those of one latency.
 */
static void readings_of_two_levels_are_no_latency(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_plan plan = { 0 };
	double inner[2];

	(void)state;
	ask(TWO_STEPS_OF("random"));
	edges_of(&edges);
	assert_int_equal(edges.group[2], 1);
	assert_int_equal(mp_latency_groups_plan(&sim.view, &edges, 2, &plan), 0);
	assert_int_equal(plan.n, 1);
	made_sim_run(&sim, &plan);
	for (uint32_t early = 0; early < 2; early++) {
		struct mp_fact cycles = { .verdict = MP_NOT_MEASURABLE };
		struct mp_fact ns = cycles;
		struct mp_latency pair = { .cycles = &cycles, .ns = &ns };

		edges.groups.bound[0] -= early * EARLY;
		assert_int_equal(mp_latency_groups(&sim.view, &edges, 2, &pair,
						   inner), 0);
		assert_int_equal(cycles.verdict, early ? MP_NOT_MEASURABLE :
							 MP_MEASURED);
		if (!early)
			assert_true(fabs(cycles.value - 24) <= 0.48);
	}
	mp_cpu_edges_free(&edges);
}

/* A clock that times each hop has no groups, nor one of so long a step that nothing
 * is two of them away. */
static void clocks_that_tell_all_or_nothing_have_no_groups(void **state)
{
	static const char *const clock[] = {
		"clock tsc_mhz=3000 step=1 read=20\n",
		"clock tsc_mhz=24 step=2 read=20\n",
	};
	struct mp_cpu_edges edges;
	char text[256];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "machine name=a clock_mhz=3000 "
			 "memory_latency=300\nplace pages=contiguous\n%s"
			 "level name=l1d size=32K ways=8 latency=5\n",
			 clock[i]);
		made_sim_open_quiet(&sim, text, 1);
		made_sim_ask(&sim, mp_probe_find("cache-size"));
		assert_false(mp_cpu_groups_asked(&sim.view));
		edges_of(&edges);
		assert_int_equal(edges.groups.n, 0);
		assert_int_equal(edges.by[0], MP_CPU_BY_MEANS);
		mp_cpu_edges_free(&edges);
		made_sim_close(&sim);
	}
}

/* Latencies of 3 and 7 cycles, and of 7 and 12, are less than two steps apart to
 * one that times single hops where no two levels are that near. */
static void a_clock_that_tells_some_levels_has_groups(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=4300 memory_latency=260\n"
	    "clock tsc_mhz=2100 step=1 read=21\n"
	    "place pages=contiguous\n"
	    "level name=l1d size=16K ways=16 latency=3 policy=bit-plru\n"
	    "level name=l2 size=192K ways=12 latency=7 policy=nru\n"
	    "level name=l3 size=288K ways=18 latency=12 policy=random\n"
	    "level name=l4 size=1M ways=16 latency=22 policy=nru slices=2\n");
	holds("cpu.l1d.size", 16 << 10);
	is("cpu.l2.latency-cycles", 7);
	is("cpu.l3.latency-cycles", 12);
	is("cpu.l4.latency-cycles", 22);
	holds("cpu.l4.size", 1 << 20);
}

/* .. unless the mean of one moves, and why is not known: by means of all hops more
 * is. */
static void a_group_that_says_nothing_leaves_it_to_means(void **state)
{
	(void)state;
	ask("machine name=a clock_mhz=2700 memory_latency=168\n"
	    "clock tsc_mhz=1000 step=1 read=33\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=48384 ways=21 latency=5 policy=random\n"
	    "level name=l2 size=71K ways=8 latency=9 policy=fifo "
	    "index=physical\n"
	    "level name=l3 size=640K ways=16 latency=16 policy=tree-plru "
	    "index=physical inclusion=inclusive slices=10\n");
	is("cpu.l1d.latency-cycles", 5);
}

/*
 * One way over small pages, and it includes the first level: up to a ring of 64 KiB
 * it has what that one has, and serves no hop. Only of lengths of which most hops
 * go further is there a part at 17 cycles, which share readings with those at four.
 */
static void a_level_that_serves_the_rest_of_a_group_is_seen(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_ask_levels(&sim,
		 "machine name=a clock_mhz=800 memory_latency=280\n"
		 "clock tsc_mhz=100 step=1 read=53\n"
		 "place pages=random thp=refused\n"
		 "level name=l1d size=37632 ways=7 line=256 latency=4 "
		 "policy=srrip\n"
		 "level name=l2 size=80K ways=1 line=256 latency=17 "
		 "index=physical inclusion=inclusive\n"
		 "level name=l3 size=128K ways=8 line=256 latency=53 "
		 "policy=srrip index=physical inclusion=inclusive\n"
		 "level name=l4 size=288K ways=12 line=256 latency=101 "
		 "index=physical slices=2\n"
		 "tlb level=1 page=4K entries=48 ways=48\nwalk cost=26\n"
		 "noise gaps=0.02\n", 9001);
	edges_of(&edges);
	assert_true(edges.groups.n >= 2);
	assert_true(edges.rises[0] > 5);
	assert_int_equal(edges.doubt.level, 0);
	mp_cpu_edges_free(&edges);
	if (!strstr(made_sim_fact(&sim, "cpu.l2.size")->reason, "l1d may be two"))
		fail_msg("%s", made_sim_fact(&sim, "cpu.l2.size")->reason);
	for (uint32_t k = 2; k <= 4; k++) {
		char name[32];

		snprintf(name, sizeof(name), "cpu.l%u.size", k);
		assert_int_equal(made_sim_fact(&sim, name)->verdict,
				 MP_NOT_MEASURABLE);
	}
}

/* .. and where no level hides, translations are no rise. */
static void a_group_of_one_level_does_not_rise(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	ask("machine name=a clock_mhz=800 memory_latency=280\n"
	    "clock tsc_mhz=100 step=1 read=53\n"
	    "place pages=random thp=refused\n"
	    "level name=l1d size=37632 ways=7 line=256 latency=4 "
	    "policy=srrip\n"
	    "level name=l2 size=128K ways=8 line=256 latency=53 "
	    "policy=srrip index=physical inclusion=inclusive\n"
	    "tlb level=1 page=4K entries=16 ways=16\nwalk cost=13\n");
	edges_of(&edges);
	assert_true(edges.groups.n >= 2);
	assert_true(edges.rises[0] == 0);
	assert_int_equal(edges.doubt.level, MP_CPU_LEVELS);
	mp_cpu_edges_free(&edges);
}

/* A second level half as large again as the first shows in two of the lengths that a
 * group is looked at, and in three of the denser rings. */
static void denser_rings_part_the_levels_of_the_first_group(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_ask_levels(&sim,
		 "machine name=a clock_mhz=950 memory_latency=186\n"
		 "clock tsc_mhz=2700 step=39 read=38\n"
		 "place pages=random thp=refused\n"
		 "level name=l1d size=32K ways=8 latency=4 policy=srrip\n"
		 "level name=l2 size=48K ways=6 line=128 latency=10 "
		 "index=physical policy=fifo\n"
		 "level name=l3 size=640K ways=32 line=128 latency=18 "
		 "index=physical policy=tree-plru slices=2\n", 700196);
	edges_of(&edges);
	assert_int_equal(edges.groups.n, 2);
	assert_int_equal(edges.n, 3);
	assert_int_equal(edges.group[1], 0);
	assert_int_equal(edges.by[1], MP_CPU_BY_REST);
	assert_int_equal(edges.by[2], MP_CPU_BY_HOPS);
	mp_cpu_edges_free(&edges);
	holds("cpu.l1d.size", 32 << 10);
	made_sim_not_wrong(&sim, "cpu.l2.size", 48 << 10, NEAR);
	made_sim_not_wrong(&sim, "cpu.l2.latency-cycles", 10, 0.02);
	made_sim_not_wrong(&sim, "cpu.l3.size", 640 << 10, NEAR);
	is("cpu.l3.latency-cycles", 18);
}

/* .. nor does one that takes but two cycles more rise enough for the detector: what
 * the first takes is that of the shortest ring, not of the last ones. */
static void a_step_too_small_for_the_detector_parts_the_first_two(void **state)
{
	(void)state;
	made_sim_ask_levels(&sim,
		 "machine name=a clock_mhz=4700 memory_latency=443\n"
		 "clock tsc_mhz=2500 step=34 read=61\n"
		 "place pages=random thp=granted\n"
		 "level name=l1d size=12K ways=12 latency=3\n"
		 "level name=l2 size=288K ways=16 latency=5 index=physical "
		 "policy=tree-plru inclusion=exclusive\n"
		 "level name=l3 size=8064K ways=14 line=256 latency=16 "
		 "index=physical policy=fifo inclusion=inclusive slices=4\n",
		 700204);
	holds("cpu.l1d.size", 12 << 10);
	holds("cpu.l2.size", 288 << 10);
	is("cpu.l1d.latency-cycles", 3);
	made_sim_not_wrong(&sim, "cpu.l2.latency-cycles", 5, 0.02);
	made_sim_not_wrong(&sim, "cpu.l3.size", 8064 << 10, NEAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(groups_have_levels, end),
		cmocka_unit_test_teardown(
			a_group_has_all_readings_of_its_levels, end),
		cmocka_unit_test_teardown(readings_in_a_row_are_one_group, end),
		cmocka_unit_test_teardown(translations_are_not_in_the_mean, end),
		cmocka_unit_test_teardown(a_mean_that_still_rises_hides_a_level,
					  end),
		cmocka_unit_test(
			hops_behind_an_edge_take_what_the_next_level_does),
		cmocka_unit_test(what_is_kept_inside_is_in_the_mean),
		cmocka_unit_test_teardown(
			sets_that_sparse_rings_do_not_fill_are_seen, end),
		cmocka_unit_test_teardown(
			groups_of_one_level_each_tell_exclusive_ones, end),
		cmocka_unit_test_teardown(
			a_level_among_the_readings_of_memory_is_no_memory, end),
		cmocka_unit_test_teardown(
			hops_that_are_brought_are_missed_by_none, end),
		cmocka_unit_test_teardown(a_mean_that_rises_is_no_latency, end),
		cmocka_unit_test_teardown(
			what_a_shape_takes_out_may_not_be_there, end),
		cmocka_unit_test_teardown(readings_of_two_levels_are_no_latency,
					  end),
		cmocka_unit_test(
			clocks_that_tell_all_or_nothing_have_no_groups),
		cmocka_unit_test_teardown(
			a_clock_that_tells_some_levels_has_groups, end),
		cmocka_unit_test_teardown(
			a_group_that_says_nothing_leaves_it_to_means, end),
		cmocka_unit_test_teardown(
			a_level_that_serves_the_rest_of_a_group_is_seen, end),
		cmocka_unit_test_teardown(a_group_of_one_level_does_not_rise,
					  end),
		cmocka_unit_test_teardown(
			denser_rings_part_the_levels_of_the_first_group, end),
		cmocka_unit_test_teardown(
			a_step_too_small_for_the_detector_parts_the_first_two,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
