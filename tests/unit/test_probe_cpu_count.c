// SPDX-License-Identifier: GPL-2.0
/* How many of a crowd are at home: simulated machines whose edges are known. */
#include "probe/cpu_count.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_beside.h"

#define KIB 1024.0
#define ARENA_BYTES (16u << 20)
#define SHORT 4096u
#define HUGE_SEEDS 12u
/* A count tells no size where its limits are further apart. */
#define APART 1.29

#define MACHINE \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"clock tsc_mhz=3000 read=20 step=1\n" \
	"tlb level=1 page=4K entries=16 ways=4\nwalk cost=150\n"
#define SMALL "place pages=random thp=refused\n"
#define L1 "level name=l1d size=16K ways=8 latency=4 "
#define L2 "level name=l2 size=48K ways=12 latency=14 inclusion=exclusive "

extern const struct mp_probe mp_probe_cache_size;

static struct made_sim sim;

/* What prefetchers that have learnt how lines of a page lie make of every second
 * burst: all in the last half of a row are found. */
static void learn(struct mp_batch *batch, uint32_t row)
{
	const struct mp_actor *b = &batch->exp.actor[1];
	uint32_t burst = 0;

	if (batch->exp.n_actors < 3 || b->detail != MP_DETAIL_TICKS)
		return;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != 1 || burst++ % 2)
			continue;
		for (uint32_t h = 0; h < sample->payload_count; h++)
			if (h % row >= row / 2)
				word[h] = (uint64_t)batch->grant.read_ticks + 14;
	}
}

static void ask_so(const char *text, uint32_t k, uint32_t quiet, bool learns,
		   struct mp_cpu_count *count)
{
	struct mp_plan first = { 0 }, plan = { 0 };
	struct mp_cpu_edges edges;
	struct mp_sweep sweep;

	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.quiet = quiet;
	/* It is seen that prefetchers are off, where that is wished for. */
	mp_cpu_sparse_sweep(&sim.view, &sweep);
	mp_sweep_plan(&sweep, &sim.view, SHORT, 1, &first);
	made_sim_run(&sim, &first);
	made_sim_edges(&sim, &edges);
	mp_cpu_count_lay(&sim.view, &edges, k);
	assert_int_equal(mp_cpu_count_plan(&sim.view, &edges, k, &plan), 0);
	made_sim_run(&sim, &plan);
	for (uint32_t i = 0; i < sim.view.n_batches && learns; i++)
		learn((struct mp_batch *)sim.view.batch[i],
		      edges.count[k].row);
	mp_cpu_count_judge(&sim.view, &edges, k);
	*count = edges.count[k];
	made_sim_close(&sim);
}

static void ask(const char *text, uint32_t k, struct mp_cpu_count *count)
{
	ask_so(text, k, MP_WISH_PREFETCH_OFF, false, count);
	if (!count->known)
		fail_msg("not known\n%s", text);
}

static void holds(const char *what, double low, double high, double bytes,
		  const char *text)
{
	if (low > bytes || high < bytes || high > low * APART)
		fail_msg("%s %.1f .. %.1f KiB, not %.1f\n%s", what, low / KIB,
			 high / KIB, bytes / KIB, text);
}

/* A crowd that is just short enough for the next level is long enough, too: else
 * it tells of no upper limit. */
static void a_crowd_in_little_room_is_a_crowd(void **state)
{
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, MACHINE SMALL L1 "\nlevel name=l2 size=512K ways=4 "
		      "latency=14\nlevel name=l3 size=2M ways=32 latency=27\n");
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_edges(&sim, &edges);
	for (double next = 3; next < 4; next += 0.01) {
		const double size = edges.edge[1].size;
		double bytes;

		edges.edge[2].low = next * size;
		mp_cpu_count_lay(&sim.view, &edges, 1);
		bytes = (double)(edges.count[1].slots * edges.count[1].apart);
		assert_true(bytes >= 2.49 * size);
		/* All of it fits, or it is of the usual length. */
		assert_true(bytes <= 0.8 * edges.edge[2].low ||
			    bytes >= 2.7 * size);
	}
	made_sim_close(&sim);
}

static const char *const policy[] = {
	"lru", "fifo", "random", "tree-plru", "bit-plru", "nru", "srrip",
	"qlru_h00_m1_r0_u1", "qlru_h11_m1_r1_u2",
};
#define POLICIES (sizeof(policy) / sizeof(policy[0]))

/* Neither how lines are thrown out matters, nor where pages lie. */
static void an_exclusive_level_serves_what_it_holds(void **state)
{
	struct mp_cpu_count count;
	char text[512];

	(void)state;
	for (uint32_t p = 0; p < POLICIES; p++) {
		if (!strcmp(policy[p], "tree-plru"))
			continue;
		snprintf(text, sizeof(text), MACHINE SMALL L1 "policy=%s\n" L2
			 "policy=%s\n", policy[(p + 2) % POLICIES], policy[p]);
		ask(text, 1, &count);
		holds("own", count.own_low, count.own_high, 48 * KIB, text);
		holds("all", count.all_low, count.all_high, 64 * KIB, text);
	}
}

static void an_inclusive_one_holds_those_inside_as_well(void **state)
{
	struct mp_cpu_count count;
	char text[512];

	(void)state;
	for (uint32_t p = 0; p < POLICIES; p++) {
		snprintf(text, sizeof(text), MACHINE SMALL L1 "\nlevel name=l2 "
			 "size=64K ways=16 latency=14 inclusion=inclusive "
			 "policy=%s\n", policy[p]);
		ask(text, 1, &count);
		holds("all", count.all_low, count.all_high, 64 * KIB, text);
		assert_true(count.own_low <= 48 * KIB);
	}
}

/* Bursts are told apart where they are long; and where they are short nothing is
 * known. */
static void what_prefetchers_learn_of_rows_is_not_counted(void **state)
{
	static const char many[] = MACHINE SMALL L1 "\nlevel name=l2 "
		"size=512K ways=16 latency=14 inclusion=exclusive\n";
	static const char few[] = MACHINE SMALL L1 "\n" L2 "\n";
	struct mp_cpu_count count;

	(void)state;
	for (uint32_t learns = 0; learns < 2; learns++) {
		ask_so(many, 1, 0, learns, &count);
		assert_true(count.may_learn && count.known);
		holds("own", count.own_low, count.own_high, 512 * KIB, many);
		holds("all", count.all_low, count.all_high, 528 * KIB, many);
		ask_so(few, 1, 0, learns, &count);
		assert_int_equal(count.known, !learns);
	}
}

/* What prefetchers bring takes room of the crowd, unless its slots are known to lie
 * further apart. */
static void of_lines_that_are_not_known_no_crowd_is_counted(void **state)
{
	static const char text[] = MACHINE SMALL L1 "\n" L2 "\n";

	(void)state;
	for (uint32_t is_known = 0; is_known < 2; is_known++) {
		struct mp_cpu_edges edges;

		made_sim_open(&sim, text);
		sim.view.arena_max_bytes = ARENA_BYTES;
		if (!is_known)
			sim.facts.fact[0].verdict = MP_NOT_MEASURABLE;
		made_sim_edges(&sim, &edges);
		mp_cpu_count_lay(&sim.view, &edges, 1);
		assert_int_equal(edges.count[1].slots > 0, is_known);
		made_sim_close(&sim);
	}
}

/* Policies that keep what is used twice keep what B has seen, if A comes by it
 * soon: a crowd is no shorter for fitting the next level. */
static void what_is_kept_for_its_use_is_counted(void **state)
{
	static const char text[] = MACHINE SMALL
		"level name=l1d size=48K ways=12 latency=4 policy=nru\n"
		"level name=l2 size=128K ways=8 latency=14 policy=srrip\n"
		"level name=l3 size=288K ways=9 latency=40\n";
	struct mp_cpu_count count;

	(void)state;
	ask(text, 1, &count);
	assert_true((double)(count.slots * count.apart) >= 2.5 * 128 * KIB);
	assert_true(count.all_high >= 128 * KIB);
}

/* Slots side by side are sectors of one line, and come one by one. Sets are no
 * power of two, so that rings have every line. */
static void lines_of_which_a_part_is_there_count_whole(void **state)
{
	static const char text[] = MACHINE SMALL L1
		"\nlevel name=l2 size=84480 ways=12 line=128 sector=64 "
		"latency=14 inclusion=inclusive policy=nru\n";
	struct mp_plan plan = { 0 };
	struct mp_cpu_edges edges;

	(void)state;
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, &mp_probe_cache_size);
	assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
	assert_true(edges.full);
	assert_int_equal(edges.count[1].stride, 64);
	assert_int_equal(mp_cpu_count_plan(&sim.view, &edges, 1, &plan), 0);
	made_sim_run(&sim, &plan);
	mp_cpu_count_judge(&sim.view, &edges, 1);
	holds("all", edges.count[1].all_low, edges.count[1].all_high, 84480,
	      text);
	mp_cpu_edges_free(&edges);
	made_sim_close(&sim);
}

/* An inclusive level outside takes lines along: what is missing is not for
 * want of room. */
static void what_a_level_outside_takes_along_is_no_upper_limit(void **state)
{
	struct mp_cpu_count count;

	(void)state;
	ask(MACHINE L1 "\nlevel name=l2 size=24K ways=3 latency=14 "
	    "inclusion=inclusive policy=random\n", 0, &count);
	assert_true(count.own_low <= 16 * KIB);
	assert_true(isinf(count.own_high) && isinf(count.all_high));
	/* One that all of the crowd fits does not. */
	ask(MACHINE L1 "\nlevel name=l2 size=96K ways=12 latency=14 "
	    "inclusion=inclusive policy=random\n", 0, &count);
	assert_true(count.own_low <= 16 * KIB && count.own_high >= 16 * KIB);
	assert_false(isinf(count.own_high));
}

/* Does the second level's count say that none hides behind it? One that does,
 * and is @hidden, has shown no peak, and the edge is its. */
static bool is_bare(const char *text, bool hidden)
{
	struct mp_cpu_edges edges;
	struct mp_plan plan = { 0 };
	bool bare;

	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_edges(&sim, &edges);
	if (hidden) {
		edges.edge[1] = edges.edge[2];
		edges.spectrum.cycles[2] = edges.spectrum.cycles[3];
		edges.spectrum.bound[1] = edges.spectrum.bound[2];
		edges.spectrum.n = 1 + (edges.n = 2);
	}
	mp_cpu_count_lay(&sim.view, &edges, 1);
	assert_int_equal(mp_cpu_count_plan(&sim.view, &edges, 1, &plan), 0);
	made_sim_run(&sim, &plan);
	mp_cpu_count_judge(&sim.view, &edges, 1);
	assert_true(edges.count[1].known);
	bare = edges.count[1].bare;
	made_sim_close(&sim);
	return bare;
}

/* .. whose lines those inside have, all that rings find, but not all of a
 * crowd's. */
static void what_hides_behind_a_level_shows_in_a_crowd(void **state)
{
	(void)state;
	assert_false(is_bare(MACHINE SMALL L1 "\n" L2 "\nlevel name=l3 size=96K "
			     "ways=1 latency=24 inclusion=inclusive\n", true));
	assert_true(is_bare(MACHINE SMALL L1 "\nlevel name=l2 size=96K ways=1 "
			    "latency=14\n", false));
	/* Those inside might have all of one half as large again. */
	assert_false(is_bare(MACHINE SMALL L1 "\nlevel name=l2 size=40K ways=1 "
			     "latency=14\n", false));
}

/* A closer count of what the first one leaves open: its limits. */
static void count_closer(const struct mp_fact *fact, double edge_part,
			 struct mp_cpu_count count[2], uint32_t *wanted)
{
	struct mp_plan first = { 0 }, next = { 0 };
	struct mp_cpu_edges edges;

	made_sim_open(&sim, MACHINE SMALL L1 "\nlevel name=l2 size=96K "
		      "ways=12 latency=14 inclusion=exclusive policy=srrip\n");
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_edges(&sim, &edges);
	edges.edge[1].size *= edge_part;
	mp_cpu_count_lay(&sim.view, &edges, 1);
	assert_int_equal(mp_cpu_count_plan(&sim.view, &edges, 1, &first), 0);
	made_sim_run(&sim, &first);
	mp_cpu_count_judge(&sim.view, &edges, 1);
	count[0] = edges.count[1];
	assert_int_equal(mp_cpu_count_plan_closer(&sim.view, &edges, 1, fact,
						  &next), 0);
	*wanted = next.n;
	made_sim_run(&sim, &next);
	mp_cpu_count_lay(&sim.view, &edges, 1);
	mp_cpu_count_judge(&sim.view, &edges, 1);
	count[1] = edges.count[1];
	made_sim_close(&sim);
}

static void open_limits_are_counted_closer(void **state)
{
	static const struct mp_fact open = {
		.verdict = MP_AT_LEAST, .low = 80 * KIB, .high = 110 * KIB };
	struct mp_cpu_count count[2];
	uint32_t wanted;

	(void)state;
	count_closer(&open, 1, count, &wanted);
	assert_true(wanted > 0 && count[0].known && count[1].known);
	assert_true(count[0].own_high > count[0].own_low * 1.15);
	assert_true(count[1].own_high < count[1].own_low * 1.12);
	holds("own", count[1].own_low, count[1].own_high, 96 * KIB, "closer");
	holds("all", count[1].all_low, count[1].all_high, 112 * KIB, "closer");
}

/* The edge may lie well below what an exclusive level holds with those inside;
 * the first count says so. */
static void a_crowd_that_was_too_short_is_counted_again(void **state)
{
	static const struct mp_fact open = {
		.verdict = MP_AT_LEAST, .low = 40 * KIB, .high = 110 * KIB };
	struct mp_cpu_count count[2];
	uint32_t wanted;

	(void)state;
	count_closer(&open, 0.7, count, &wanted);
	assert_true(count[0].known && count[0].brief);
	assert_true(isinf(count[0].own_high));
	assert_true(wanted > 0 && count[1].known && !count[1].brief);
	holds("own", count[1].own_low, count[1].own_high, 96 * KIB, "again");
}

/* Of many counts some lie beyond limits that hold in nineteen of twenty: where
 * these are as far apart as may be, and chance moved them, they say no size. */
static void limits_that_chance_may_have_moved_are_counted_closer(void **state)
{
	static const struct mp_fact near = {
		.verdict = MP_AT_LEAST, .low = 100 * KIB, .high = 124 * KIB };
	static const struct mp_fact nearer = {
		.verdict = MP_AT_LEAST, .low = 100 * KIB, .high = 104 * KIB };
	struct mp_cpu_count count[2];
	uint32_t wanted;

	(void)state;
	assert_true(mp_cpu_count_surely(0, 1.24) < 1.25);
	assert_true(mp_cpu_count_surely(0.03, 1.24) > 1.3);
	count_closer(&near, 1, count, &wanted);
	assert_true(count[0].doubt > 0.01 && count[1].doubt < count[0].doubt);
	assert_true(wanted > 0);
	count_closer(&nearer, 1, count, &wanted);
	assert_int_equal(wanted, 0);
}

static void what_is_known_or_hopeless_is_not_counted_closer(void **state)
{
	static const struct mp_fact fact[] = {
		{ .verdict = MP_MEASURED, .low = 80, .high = 110 },
		{ .verdict = MP_NOT_MEASURABLE, .low = 80, .high = 110 },
		{ .verdict = MP_AT_LEAST, .low = 80, .high = 160 },
	};
	struct mp_cpu_count count[2];
	uint32_t wanted;

	(void)state;
	for (uint32_t i = 0; i < sizeof(fact) / sizeof(fact[0]); i++) {
		count_closer(&fact[i], 1, count, &wanted);
		assert_int_equal(wanted, 0);
	}
}

static void fits_are_held_to_counts_that_agree(void **state)
{
	struct mp_cpu_edges edges = {
		.edge[0] = { .size = 90, .low = 60, .high = 120 },
		.count[0] = { .known = true, .own_low = 70, .own_high = 75,
			      .all_low = 78, .all_high = 85, .found = 85 },
	};

	(void)state;
	mp_cpu_count_narrow(&edges, 0);
	assert_true(edges.edge[0].low >= 70 && edges.edge[0].low <= 70);
	assert_true(edges.edge[0].high >= 85 && edges.edge[0].high <= 85);
	assert_true(edges.edge[0].size >= 85 && edges.edge[0].size <= 85);
}

static void where_fits_and_counts_disagree_either_may_be_right(void **state)
{
	struct mp_cpu_edges edges = {
		.edge[0] = { .size = 99, .low = 98, .high = 120 },
		.count[0] = { .known = true, .own_low = 70, .own_high = 75,
			      .all_low = 78, .all_high = 85, .found = 85 },
	};

	(void)state;
	mp_cpu_count_narrow(&edges, 0);
	assert_true(edges.edge[0].low <= 70 && edges.edge[0].high >= 120);
	/* A level further out may have put some out: all the same. */
	edges.edge[0] = (struct mp_edge){ .size = 99, .low = 98, .high = 120 };
	edges.count[0].all_high = INFINITY;
	mp_cpu_count_narrow(&edges, 0);
	assert_true(edges.edge[0].low <= 70 && edges.edge[0].high >= 120);
	edges.count[0].all_high = 85;
	edges.edge[0] = (struct mp_edge){ .size = 62, .low = 60, .high = 65 };
	mp_cpu_count_narrow(&edges, 0);
	assert_true(edges.edge[0].low <= 60);
	assert_true(edges.edge[0].high >= 85 && edges.edge[0].high <= 85);
	edges.edge[0].high = 65;
	edges.count[0].all_high = INFINITY;
	mp_cpu_count_narrow(&edges, 0);
	assert_true(edges.edge[0].high >= 70 && edges.edge[0].high <= 70);
}

static void an_exclusive_level_is_as_large_as_the_count_says(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_sim_open(&sim, MACHINE SMALL L1 "\nlevel name=l2 size=60K "
		      "ways=12 latency=14 inclusion=exclusive policy=nru\n");
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, &mp_probe_cache_size);
	fact = made_sim_not_wrong(&sim, "cpu.l2.size", 60 * KIB, 0.125);
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_non_null(strstr(fact->method, "which is exclusive"));
	assert_true(fact->low <= 60 * KIB && fact->high >= 60 * KIB);
	made_sim_close(&sim);
}

static void third_is_measured(const char *text, double bytes)
{
	const struct mp_fact *fact;

	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = ARENA_BYTES;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, &mp_probe_cache_size);
	fact = made_sim_not_wrong(&sim, "cpu.l3.size", bytes, 0.125);
	assert_int_equal(fact->verdict, MP_MEASURED);
	made_sim_close(&sim);
}

/* Nothing tells whether the third level has what those inside have, and either
 * is near enough, once lines are counted closely. */
static void a_size_that_is_nearly_known_is_counted_closer(void **state)
{
	static const char text[] = MACHINE "place pages=contiguous\n"
		"level name=l1d size=12K ways=12 latency=4 policy=random\n"
		"level name=l2 size=26K ways=13 line=128 latency=12 "
		"inclusion=inclusive\nlevel name=l3 size=176K ways=8 line=128 "
		"latency=23 policy=random slices=4\n";

	(void)state;
	third_is_measured(text, 176 * KIB);
}

/* Crowds of the third level do not fit the last one, of which it is known that it
 * takes nothing along: by rings that go by limits that a count has narrowed. */
static void what_is_let_be_is_counted_by_narrowed_limits(void **state)
{
	static const char text[] = MACHINE SMALL
		"level name=l1d size=16K ways=4 latency=4 policy=srrip\n"
		"level name=l2 size=24K ways=8 latency=17 policy=tree-plru\n"
		"level name=l3 size=120K ways=10 latency=35 inclusion=inclusive\n"
		"level name=l4 size=180K ways=8 latency=64 slices=4 "
		"inclusion=exclusive\n";

	(void)state;
	third_is_measured(text, 120 * KIB);
}

/* So many KiB are found in a level, and in it and those inside. */
static struct mp_cpu_count counted(double own_low, double own_high, double all_low,
				   double all, double all_high)
{
	return (struct mp_cpu_count){
		.known = true, .bare = true,
		.own_low = own_low * KIB, .own_high = own_high * KIB,
		.all_low = all_low * KIB, .all = all * KIB,
		.all_high = all_high * KIB, .found = all_high * KIB,
	};
}

/* What a count says at least of a level over large pages that is neither inclusive nor
 * exclusive: the first tells what it keeps by itself, and the second all. */
static double counted_at_least(double edge_apart)
{
	struct mp_cpu_beside beside = { .holds = MP_CPU_HOLDS_SOME };
	struct mp_fact fact = { .verdict = MP_AT_LEAST };
	struct mp_cpu_edges edges;

	made_sim_edges(&sim, &edges);
	beside.hot.kept = beside.hot.young = 1;
	edges.edge[1].shape = 0;
	while (edges.table->shape[edges.edge[1].shape].ways <= 2)
		edges.edge[1].shape++;
	edges.edge[1].low = edges.edge[1].high / edge_apart;
	edges.count[1] = counted(32, 36, 46, 48, 50);
	mp_cpu_counted(&edges, 1, &beside, INFINITY, &fact);
	return fact.low;
}

/* Lines in a row put out none of each other in few ways, those of a crowd do: how
 * many there are is not known of an edge whose limits are far apart. */
static void what_is_kept_in_a_row_is_kept_of_many_ways(void **state)
{
	(void)state;
	made_sim_open(&sim, MACHINE "place pages=contiguous\n" L1 "\n"
		      "level name=l2 size=48K ways=12 latency=14\n");
	assert_true(counted_at_least(1.1) >= 45 * KIB);
	assert_true(counted_at_least(1.5) <= 33 * KIB);
	made_sim_close(&sim);
}

/* What a count makes of an edge of 44 to 52 KiB, where 44 to 50 are found in the level
 * and 60 to 66 in it and the one inside, of whose lines it has lost a part. */
static struct mp_fact edge_counted(double part)
{
	struct mp_cpu_beside beside = {
		.holds = MP_CPU_HOLDS_NO_OTHERS,
		.leaks = { .holds = MP_CPU_HOLDS_NO_OTHERS, .part = part,
			   .part_more = part },
	};
	struct mp_fact fact = { .verdict = MP_MEASURED, .value = 48 * KIB,
				.low = 44 * KIB, .high = 52 * KIB };
	struct mp_cpu_edges edges;

	made_sim_edges(&sim, &edges);
	edges.edge[1].size = edges.edge[1].low = 44 * KIB;
	edges.edge[1].high = 52 * KIB;
	edges.count[1] = counted(44, 50, 60, 62, 66);
	mp_cpu_counted(&edges, 1, &beside, 52 * KIB, &fact);
	return fact;
}

/* 64 KiB in one way looked like 48 in four, any of which may go; of what the level
 * inside dropped four lines in five were there. */
static void lines_that_were_dropped_speak_against_an_edge(void **state)
{
	struct mp_fact fact;

	(void)state;
	made_sim_open(&sim, MACHINE L1 "\n"
		      "level name=l2 size=48K ways=12 latency=14\n");
	fact = edge_counted(0.6);
	assert_int_equal(fact.verdict, MP_MEASURED);
	fact = edge_counted(0.2);
	assert_int_equal(fact.verdict, MP_AT_LEAST);
	assert_true(fact.low <= 64 * KIB && fact.high >= 64 * KIB);
	made_sim_close(&sim);
}

/* What is made of an exclusive level's size by its edge, 40 to 46 KiB, where 44 to 52
 * are found in it. */
static struct mp_fact exclusive_counted(bool blurred)
{
	const struct mp_cpu_beside beside = {
		.holds = MP_CPU_HOLDS_OTHERS, .blurred = blurred,
	};
	struct mp_fact fact = { .verdict = MP_MEASURED, .value = 43 * KIB,
				.low = 40 * KIB, .high = 46 * KIB };
	struct mp_cpu_edges edges;

	made_sim_edges(&sim, &edges);
	edges.count[1] = counted(44, 52, 60, 63, 68);
	mp_cpu_counted(&edges, 1, &beside, 62 * KIB, &fact);
	return fact;
}

static void an_edge_that_may_lie_before_the_sum_gives_way_to_a_count(void **state)
{
	struct mp_fact fact;

	(void)state;
	made_sim_open(&sim, MACHINE SMALL L1 "\n" L2 "\n");
	fact = exclusive_counted(false);
	assert_true(fact.high <= 46 * KIB);
	fact = exclusive_counted(true);
	assert_int_equal(fact.verdict, MP_MEASURED);
	assert_non_null(strstr(fact.method, "which is exclusive"));
	assert_true(fact.low >= 44 * KIB && fact.high >= 51 * KIB);
	made_sim_close(&sim);
}

/* A crowd in a few huge pages may fall on half of the sets of one way. */
static void few_huge_pages_fall_on_sets_by_chance(void **state)
{
	uint32_t held = 0;

	(void)state;
	for (uint32_t seed = 0; seed < HUGE_SEEDS; seed++) {
		struct mp_cpu_edges edges;

		made_sim_open(&sim, MACHINE "place pages=random thp=granted\n" L1
			      "\nlevel name=l2 size=4M ways=1 latency=14\n");
		sim.view.arena_max_bytes = 4 * ARENA_BYTES;
		sim.view.seed = seed;
		sim.view.quiet = MP_WISH_PREFETCH_OFF;
		made_sim_edges(&sim, &edges);
		for (uint32_t n = 1; n <= 3; n += 2) {
			struct mp_plan plan = { 0 };

			mp_cpu_count_lay(&sim.view, &edges, 1);
			assert_int_equal(mp_cpu_count_plan(&sim.view, &edges, 1,
							   &plan), 0);
			plan.wanted[0].replicates = n;
			made_sim_run(&sim, &plan);
			mp_cpu_count_judge(&sim.view, &edges, 1);
			assert_int_equal(edges.count[1].known, n == 3);
		}
		assert_true(isfinite(edges.count[1].found));
		held += edges.count[1].all_low <= 4096 * KIB &&
			edges.count[1].found >= 4096 * KIB;
		made_sim_close(&sim);
	}
	assert_int_equal(held, HUGE_SEEDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exclusive_level_serves_what_it_holds),
		cmocka_unit_test(an_inclusive_one_holds_those_inside_as_well),
		cmocka_unit_test(what_prefetchers_learn_of_rows_is_not_counted),
		cmocka_unit_test(of_lines_that_are_not_known_no_crowd_is_counted),
		cmocka_unit_test(what_is_kept_for_its_use_is_counted),
		cmocka_unit_test(lines_of_which_a_part_is_there_count_whole),
		cmocka_unit_test(
			what_a_level_outside_takes_along_is_no_upper_limit),
		cmocka_unit_test(what_hides_behind_a_level_shows_in_a_crowd),
		cmocka_unit_test(open_limits_are_counted_closer),
		cmocka_unit_test(a_crowd_that_was_too_short_is_counted_again),
		cmocka_unit_test(
			limits_that_chance_may_have_moved_are_counted_closer),
		cmocka_unit_test(
			what_is_known_or_hopeless_is_not_counted_closer),
		cmocka_unit_test(fits_are_held_to_counts_that_agree),
		cmocka_unit_test(
			where_fits_and_counts_disagree_either_may_be_right),
		cmocka_unit_test(
			an_exclusive_level_is_as_large_as_the_count_says),
		cmocka_unit_test(a_size_that_is_nearly_known_is_counted_closer),
		cmocka_unit_test(a_crowd_in_little_room_is_a_crowd),
		cmocka_unit_test(what_is_let_be_is_counted_by_narrowed_limits),
		cmocka_unit_test(what_is_kept_in_a_row_is_kept_of_many_ways),
		cmocka_unit_test(lines_that_were_dropped_speak_against_an_edge),
		cmocka_unit_test(
			an_edge_that_may_lie_before_the_sum_gives_way_to_a_count),
		cmocka_unit_test(few_huge_pages_fall_on_sets_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
