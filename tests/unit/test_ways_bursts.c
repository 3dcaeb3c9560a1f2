// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the innermost level by single hops, on a CPU where others touch a
 * full set now and then: some bursts miss, and most do not.
 */
#include "probe/ways_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made_means.h"

#define KIB 1024ull
#define REPLICATES 3u
#define BURSTS 8u
#define HOPS 64u
#define HIT_TICKS 4u
#define MISS_TICKS 14u

static struct made_means made;
static struct mp_ways_sets sets;
static struct mp_ways_rig rig;

static const struct mp_ways_test twelve = {
	.stride = 4096, .lines = 12, .least = 1.0 / 12,
};

static int begin(void **state)
{
	(void)state;
	made_means_open(&made, 1 << 20);
	sets = (struct mp_ways_sets){
		.line = 64, .grain = 64, .piece = 2 << 20 };
	rig = (struct mp_ways_rig){
		.view = &made.view, .sets = &sets, .pages = MP_PAGES_2M,
		.level = { .single = true, .innermost_bytes = 48 * KIB,
			   .innermost_cycles = HIT_TICKS,
			   .own_cycles = HIT_TICKS, .next_cycles = MISS_TICKS,
			   .beyond_cycles = 50, .line = 64 } };
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_means_close(&made);
	return 0;
}

/* One replicate: in the first bursts so many hops miss, in the others none. */
static void add(const struct mp_exp *exp, uint32_t replicate, uint32_t bursts,
		uint64_t misses)
{
	const uint32_t at = made.view.n_batches++;
	struct mp_batch *batch = &made.batch[at];

	assert_true(at < MADE_MEANS_BATCHES);
	mp_batch_init(batch, exp, replicate);
	batch->grant.tick_hz = batch->grant.clock[0].add_hz = 1e9;
	batch->grant.n_clocks = batch->grant.n_arenas = 1;
	batch->grant.arena[0].contiguous = 1;
	for (uint32_t i = 0; i < BURSTS; i++) {
		const uint64_t missed = i < bursts ? misses : 0;
		const uint64_t word[] = { HIT_TICKS, HOPS - missed,
					  MISS_TICKS, missed };
		struct memprobe_sample *sample = mp_batch_add(batch);

		assert_non_null(sample);
		sample->hops = HOPS;
		sample->ticks = HIT_TICKS * (HOPS - missed) +
				MISS_TICKS * missed;
		sample->payload_kind = MEMPROBE_PAYLOAD_HIST;
		sample->payload_count = missed ? 4 : 2;
		assert_int_equal(mp_batch_words(batch, word,
						sample->payload_count,
						&sample->payload_offset), 0);
	}
	made.list[at] = batch;
}

/* All that a test asks for: its ring misses so, and its control does not. */
static enum mp_ways_outcome look(uint32_t bursts, uint64_t misses)
{
	enum mp_ways_outcome outcome = MP_WAYS_LACKING;

	for (uint32_t round = 0; round < 3; round++) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_ways_look(&rig, &twelve, REPLICATES,
					      &outcome), 0);
		if (outcome != MP_WAYS_LACKING)
			break;
		assert_int_equal(mp_ways_plan(&rig, &twelve, REPLICATES,
					      &plan), 0);
		assert_true(plan.n);
		for (uint32_t i = 0; i < plan.n; i++)
			for (uint32_t r = 0; r < REPLICATES; r++)
				add(&plan.wanted[i].exp, r,
				    plan.wanted[i].exp.actor[0].skew ? 0 :
				    bursts, misses);
		mp_plan_free(&plan);
	}
	return outcome;
}

static void lines_that_all_stay_fit(void **state)
{
	(void)state;
	assert_int_equal(look(0, 0), MP_WAYS_FIT);
}

static void what_others_put_out_at_times_fits(void **state)
{
	(void)state;
	assert_int_equal(look(3, 12), MP_WAYS_FIT);
}

static void what_each_burst_misses_does_not_fit(void **state)
{
	(void)state;
	assert_int_equal(look(BURSTS, 12), MP_WAYS_MISS);
}

static void what_most_bursts_miss_is_not_put_out_by_others(void **state)
{
	(void)state;
	assert_int_not_equal(look(BURSTS / 2 + 1, 12), MP_WAYS_FIT);
}

/* The level inside keeps lines of its own choice. */
static void further_out_bursts_count_together(void **state)
{
	(void)state;
	rig.level.k = 1;
	rig.level.inner_cycles = 2;
	assert_int_not_equal(look(3, 12), MP_WAYS_FIT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(lines_that_all_stay_fit),
		TEST(what_others_put_out_at_times_fits),
		TEST(what_each_burst_misses_does_not_fit),
		TEST(what_most_bursts_miss_is_not_put_out_by_others),
		TEST(further_out_bursts_count_together),
	};

	return cmocka_run_group_tests_name("ways_bursts", tests, NULL, NULL);
}
