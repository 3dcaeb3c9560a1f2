// SPDX-License-Identifier: GPL-2.0
/* Lines of a first level that is seen only roughly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "made_means.h"
#include "made_sim.h"
#include "probe/line_first.h"

#define MACHINE \
	"machine name=a clock_mhz=3200 memory_latency=251\n" \
	"clock tsc_mhz=2600 step=1 read=70\n" \
	"place pages=random thp=granted huge=169\n"

static struct made_sim sim;

static void ask_again(const char *text, uint64_t seed)
{
	made_sim_open_quiet(&sim, text, seed);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
}

static void ask(const char *text)
{
	ask_again(text, 1);
}

/* 35 sets: slots two lines apart fall on all of them, and it looks twice as
 * large. Behind it are lines twice as long, that two slots share. */
static void short_lines_on_odd_sets_are_not_taken_for_longer(void **state)
{
	struct mp_line_first first;
	struct mp_line_counts counts;
	const struct mp_fact *line;

	(void)state;
	ask(MACHINE "level name=l1d size=8960 ways=8 line=32 latency=4\n"
	    "level name=l2 size=13568 ways=4 latency=9\n"
	    "level name=l3 size=128K ways=1 latency=17 slices=4\n");
	assert_int_equal(mp_line_first_find(&sim.view, &first), 0);
	assert_true(first.fits_bytes > 1.5 * 8960);
	assert_int_equal(mp_line_counts(&sim.view, &first, NULL, &counts), 0);
	assert_int_equal(counts.line, 32);
	line = made_sim_fact(&sim, "cpu.l1d.line");
	assert_int_equal(line->verdict, MP_MEASURED);
	assert_true(line->value == 32);
	made_sim_close(&sim);
}

/* 3 * 5 * 7 sets: none of the rings of slots far apart stays. What slots side
 * by side share is a line of the next level; a load brings no such neighbour. */
static void slots_that_share_a_line_further_out_do_not_make_it_one_here(void **state)
{
	const struct mp_fact *line;

	(void)state;
	ask(MACHINE "level name=l1d size=6720 ways=2 line=32 latency=4\n"
	    "level name=l2 size=13568 ways=4 latency=8\n"
	    "level name=l3 size=128K ways=1 latency=17 slices=4\n");
	line = made_sim_fact(&sim, "cpu.l1d.line");
	assert_true(line->verdict == MP_NOT_MEASURABLE || line->value == 32);
	made_sim_close(&sim);
}

/* All that was measured of rings so long took half as long again. */
static void slow_down(uint64_t stride, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < sim.n; i++) {
		struct mp_batch *batch = sim.batch[i];
		const struct mp_actor *actor = &batch->exp.actor[0];

		if (actor->op != MP_OP_CHASE || actor->stride != stride ||
		    actor->length < from || actor->length > to)
			continue;
		for (uint32_t k = 0; k < batch->n_samples; k++)
			batch->sample[k].ticks += batch->sample[k].ticks / 2;
	}
}

#define PLAIN MACHINE "level name=l1d size=32K ways=8 latency=4\n" \
	"level name=l2 size=1M ways=8 latency=14\n"

static void what_fits_proves_that_what_is_shorter_does(void **state)
{
	struct mp_line_first first;

	(void)state;
	ask(PLAIN);
	slow_down(64, 4000, 5000);
	assert_int_equal(mp_line_first_find(&sim.view, &first), 0);
	assert_true(first.fits_bytes > 20 << 10 && first.fits_bytes <= 32 << 10);
	made_sim_close(&sim);
}

/* Means of rings of slots 32 bytes apart, dense and sparse, in cycles; within
 * the level and beyond it. Of a dense ring beyond it one replicate may differ. */
struct means {
	double dense[2];
	double quickest;
	double third[2];
	double fifth;
};

static double cycles_of(const struct means *means, const struct mp_exp *exp,
			double fits_bytes, uint32_t replicate)
{
	const struct mp_actor *actor = &exp->actor[0];
	const uint32_t odd = (uint32_t)(actor->stride / 32);
	const bool beyond = actor->length > 1.2 * odd * fits_bytes;

	if (odd == 1 && beyond && !replicate)
		return means->quickest;
	return odd == 1 ? means->dense[beyond] : odd == 3 ?
			  means->third[beyond] : means->fifth;
}

static uint32_t count(const struct means *means)
{
	struct mp_line_count seen;
	struct mp_line_room room;
	struct made_means made;
	uint32_t before;

	made_means_open(&made, 64 << 20);
	mp_line_room_of(32 << 10, &room);
	do {
		struct mp_plan plan = { 0 };

		before = made.view.n_batches;
		assert_int_equal(mp_line_count_plan(&made.view, &room, 32,
						    &plan), 0);
		for (uint32_t i = 0; i < plan.n; i++) {
			const struct mp_exp *exp = &plan.wanted[i].exp;
			bool there = false;

			for (uint32_t k = 0; k < before; k++)
				there |= mp_exp_equal(exp, &made.batch[k].exp);
			for (uint32_t r = 0; r < 3 && !there; r++)
				made_means_add(&made, exp, r,
					       cycles_of(means, exp,
							 room.fits_bytes, r));
		}
		mp_plan_free(&plan);
	} while (made.view.n_batches > before);
	assert_int_equal(mp_line_count(&made.view, &room, 32, NULL, &seen), 0);
	made_means_close(&made);
	return seen.fits;
}

/* A level that others take a part of, on and off, loses some of what fits. */
static void what_others_took_is_not_beyond_the_level(void **state)
{
	const struct means none = { { 4, 9 }, 9, { 7, 10 }, 4 };
	const struct means few = { { 4.2, 5.2 }, 5.1, { 7, 10 }, 4 };
	const struct means once = { { 4, 9 }, 4.1, { 7, 10 }, 4 };

	(void)state;
	assert_int_equal(count(&none), MP_LINE_YES);
	/* Three in seven would miss if they were too many .. */
	assert_int_equal(count(&few), MP_LINE_UNSURE);
	/* .. each time. */
	assert_int_equal(count(&once), MP_LINE_UNSURE);
}

static void is_never_longer(uint32_t bytes, const char *text,
			    const uint64_t *seeds, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct mp_fact *line;

		ask_again(text, seeds[i]);
		line = made_sim_fact(&sim, "cpu.l1d.line");
		assert_true(line->verdict != MP_MEASURED || line->value == bytes);
		made_sim_close(&sim);
	}
}

/* One way, and what a level outside with longer lines loses goes from here, too:
 * hits and hops of the third level make a mean like that of the second. */
static void what_is_lost_further_out_makes_no_line_longer(void **state)
{
	static const uint64_t seeds[] = { 1, 2, 700103 };

	(void)state;
	is_never_longer(32,
		"machine name=a clock_mhz=3200 memory_latency=377\n"
		"clock tsc_mhz=2300 step=20 read=21\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=32K ways=1 line=32 latency=3\n"
		"level name=l2 size=128K ways=4 line=128 latency=12 "
		"policy=tree-plru index=physical inclusion=inclusive\n"
		"level name=l3 size=192K ways=3 line=128 latency=22 "
		"policy=srrip index=physical inclusion=exclusive\n"
		"level name=l4 size=480K ways=4 line=256 latency=44 "
		"policy=random index=physical slices=2\n"
		"walk cost=26 page=all\nnoise gaps=0.02 seen=yes\n", seeds, 3);
}

/* .. and rings that all come from there say which means are made so. */
static void means_of_hits_and_what_is_lost_further_out_tell_nothing(void **state)
{
	static const uint64_t seeds[] = { 700107, 1, 4, 5 };

	(void)state;
	is_never_longer(32,
		"machine name=a clock_mhz=2400 memory_latency=229\n"
		"clock tsc_mhz=3300 step=30 read=46\n"
		"place pages=contiguous thp=granted\n"
		"level name=l1d size=72K ways=1 line=32 latency=7 policy=nru "
		"index=physical\n"
		"level name=l2 size=108K ways=2 line=64 latency=21 "
		"policy=srrip index=physical inclusion=inclusive\n"
		"level name=l3 size=512K ways=16 line=64 latency=36 "
		"policy=qlru_h11_m1_r1_u2 index=physical inclusion=inclusive\n"
		"tlb level=1 page=4K entries=64 ways=4\n"
		"walk cost=32 page=all\nnoise gaps=0.02 seen=yes\n", seeds, 4);
}

/* One way of lines twice as long, of which a load brings half: what that has no room for
 * goes from here, too, and comes from the third level, as the other half does. */
static void what_a_level_of_sectors_loses_makes_no_line_longer(void **state)
{
	static const uint64_t seeds[] = { 700193, 2, 3 };

	(void)state;
	is_never_longer(64,
		"machine name=a clock_mhz=4500 memory_latency=121\n"
		"clock tsc_mhz=2700 step=1 read=88\n"
		"place pages=random thp=granted\n"
		"level name=l1d size=96K ways=32 latency=7 policy=srrip\n"
		"level name=l2 size=256K ways=1 line=128 sector=64 latency=24 "
		"index=physical inclusion=inclusive\n"
		"level name=l3 size=512K ways=8 line=128 latency=63 "
		"policy=bit-plru index=physical\n"
		"tlb level=1 page=4K entries=96 ways=96\n"
		"walk cost=53 page=all\nnoise gaps=0.02 seen=yes\n", seeds, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lines_on_odd_sets_are_not_taken_for_longer),
		cmocka_unit_test(what_fits_proves_that_what_is_shorter_does),
		cmocka_unit_test(what_others_took_is_not_beyond_the_level),
		cmocka_unit_test(slots_that_share_a_line_further_out_do_not_make_it_one_here),
		cmocka_unit_test(what_is_lost_further_out_makes_no_line_longer),
		cmocka_unit_test(
			means_of_hits_and_what_is_lost_further_out_tell_nothing),
		cmocka_unit_test(what_a_level_of_sectors_loses_makes_no_line_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
