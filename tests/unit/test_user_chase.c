// SPDX-License-Identifier: GPL-2.0
/* The chase in user space, on rings of this process's own memory. */
#include "backend/user_chase.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch.h"
#include "ring.h"

#define SLOTS 256u
#define STRIDE 64u
#define BURSTS 5u
/* Of so many rounds one at least is not disturbed. */
#define TRIES 50u

static struct mp_user_clock clock_here;

struct set {
	struct mp_actor actor;
	struct mp_user_walk walk;
	struct mp_batch batch;
	void *base;
};

static int open_clock(void **state)
{
	(void)state;
	return mp_user_clock_open(&clock_here);
}

static void build(struct set *set)
{
	const struct mp_ring ring = {
		.length_bytes = SLOTS * STRIDE,
		.stride_bytes = STRIDE,
	};
	uint32_t order[SLOTS];
	struct mp_rng rng;
	struct mp_exp exp;

	mp_exp_chase(&exp, 0, MP_PAGES_4K, ring.length_bytes, STRIDE, 0);
	exp.actor[0].warm_hops = 2 * SLOTS;
	exp.actor[0].hops = 1024;
	exp.actor[0].bursts = BURSTS;
	mp_batch_init(&set->batch, &exp, 0);
	set->actor = exp.actor[0];
	set->base = aligned_alloc(4096, ring.length_bytes);
	assert_non_null(set->base);
	mp_rng_seed(&rng, 1);
	set->walk = (struct mp_user_walk){
		.clock = &clock_here,
		.actor = &set->actor,
		.window_ns = exp.window_ns,
		.slots = SLOTS,
		.cursor = mp_ring_link(&ring, set->base, order, &rng),
		.late_tick = mp_ticks_look() + (1ull << 60),
	};
}

static void destroy(struct set *set)
{
	mp_batch_free(&set->batch);
	free(set->base);
}

/* Hops from one slot of the ring to another. */
static uint32_t distance(const void *from, const void *to)
{
	uint32_t hops = 0;

	for (; from != to; from = *(const void *const *)from)
		hops++;
	return hops;
}

static void a_round_makes_the_bursts_that_were_asked_for(void **state)
{
	struct set set;

	(void)state;
	build(&set);
	assert_int_equal(mp_user_walk_round(&set.walk, 3, &set.batch), 0);
	assert_int_equal(set.batch.n_samples, BURSTS);
	for (uint32_t i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &set.batch.sample[i];

		assert_int_equal(sample->round, 3);
		assert_int_equal(sample->burst, i);
		assert_true(sample->hops && sample->hops <= 1024);
		assert_true(sample->hops == 1024 ||
			    sample->flags & MEMPROBE_F_SHORT);
		assert_int_equal(sample->hops % MP_CHASE_LOOK_HOPS, 0);
		assert_true(sample->ticks > 0);
		assert_true(i == 0 ||
			    sample->start_ns > sample[-1].start_ns);
	}
	destroy(&set);
}

static void bursts_go_on_where_the_last_one_ended(void **state)
{
	struct set set;
	const void *start;
	uint64_t hops = 0;

	(void)state;
	build(&set);
	start = set.walk.cursor;
	/* No warm-up, so nothing to warm again: every hop is in a sample. */
	set.actor.warm_hops = 0;
	assert_int_equal(mp_user_walk_round(&set.walk, 0, &set.batch), 0);
	for (uint32_t i = 0; i < set.batch.n_samples; i++)
		hops += set.batch.sample[i].hops;
	assert_int_equal(distance(start, set.walk.cursor), hops % SLOTS);
	assert_int_equal(set.batch.sample[0].warm_hops, 0);
	assert_false(set.batch.sample[0].flags & MEMPROBE_F_COLD);
	destroy(&set);
}

/* Unmeasured hops before the last burst, of a ring that is said to have so many
 * slots; 0 where something came between. */
static uint64_t walked_before_the_last(uint64_t slots)
{
	const struct memprobe_sample *sample;
	uint64_t hops = 0;
	struct set set;

	build(&set);
	set.walk.slots = slots;
	assert_int_equal(mp_user_walk_round(&set.walk, 0, &set.batch), 0);
	assert_int_equal(set.batch.n_samples, BURSTS);
	sample = set.batch.sample;
	for (uint32_t i = 0; i < BURSTS; i++)
		hops = sample[i].warm_hops >= hops ? sample[i].warm_hops : 0;
	destroy(&set);
	return hops;
}

static void a_short_ring_is_walked_before_each_burst(void **state)
{
	const uint64_t warm = 2 * SLOTS, turns = 2 * SLOTS;
	bool is_settled = false, is_left = false;

	(void)state;
	for (uint32_t i = 0; i < TRIES; i++) {
		is_settled |= walked_before_the_last(SLOTS) ==
			      warm + BURSTS * turns;
		is_left |= walked_before_the_last(1 << 20) == warm;
	}
	assert_true(is_settled);
	assert_true(is_left);
}

/* Of a ring that was warmed up ahead: is it still warm, @absent ticks later, of
 * which @own are said to be the caller's? */
static bool stays_warm(uint64_t absent, uint64_t own)
{
	const struct memprobe_sample *first;
	struct set set;
	uint64_t start;
	bool is_warm;

	build(&set);
	mp_user_walk_warm(&set.walk);
	start = mp_ticks_look();
	while (mp_ticks_look() - start < absent)
		;
	mp_user_walk_own(&set.walk, own);
	assert_int_equal(mp_user_walk_round(&set.walk, 0, &set.batch), 0);
	first = &set.batch.sample[0];
	/* Once, and two turns more before the burst. */
	is_warm = first->warm_hops == 2 * SLOTS + 2 * SLOTS;
	destroy(&set);
	return is_warm;
}

static void a_look_elsewhere_leaves_a_warm_ring_warm(void **state)
{
	const uint64_t absent = mp_user_clock_ticks(&clock_here, 50000);
	bool is_warm = false, is_warm_left = false;

	(void)state;
	for (uint32_t i = 0; i < TRIES; i++) {
		is_warm |= stays_warm(absent, absent);
		is_warm_left |= stays_warm(absent, 0);
	}
	assert_true(is_warm);
	assert_false(is_warm_left);
}

/* What a gap is may be learned anew between bursts: each is judged by what held
 * when it was made, and the least of that is what holds for all of them. */
static void what_a_gap_was_is_the_least_that_any_burst_had(void **state)
{
	struct set set;

	(void)state;
	build(&set);
	/* No warm-up, so nothing that would be learned between. */
	set.actor.warm_hops = 0;
	mp_user_walk_warm(&set.walk);
	assert_true(set.walk.least_gap_ticks == 0);
	set.walk.gap_ticks = 1;
	assert_int_equal(mp_user_walk_round(&set.walk, 0, &set.batch), 0);
	set.walk.gap_ticks = UINT64_MAX / 2;
	assert_int_equal(mp_user_walk_round(&set.walk, 1, &set.batch), 0);
	assert_int_equal(set.batch.n_samples, 2 * BURSTS);
	for (uint32_t i = 0; i < 2 * BURSTS; i++)
		assert_true(!set.batch.sample[i].gaps == (i >= BURSTS));
	assert_true(set.walk.least_gap_ticks == 1);
	destroy(&set);
}

static void an_actor_that_is_late_makes_one_burst_and_calls_it_cold(
	void **state)
{
	struct set set;

	(void)state;
	build(&set);
	set.walk.late_tick = mp_ticks_look() - 1;
	assert_int_equal(mp_user_walk_round(&set.walk, 0, &set.batch), 0);
	assert_int_equal(set.batch.n_samples, 1);
	assert_true(set.batch.sample[0].flags & MEMPROBE_F_COLD);
	assert_int_equal(set.batch.sample[0].warm_hops, 0);
	destroy(&set);
}

static uint64_t sum_of_counts(const struct mp_batch *batch,
			      const struct memprobe_sample *sample)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	uint64_t sum = 0;

	assert_int_equal(sample->payload_count % 2, 0);
	for (uint32_t i = 0; i < sample->payload_count; i += 2) {
		assert_true(i == 0 || word[i] > word[i - 2]);
		sum += word[i + 1];
	}
	return sum;
}

static void a_histogram_counts_every_group(void **state)
{
	struct set set;

	(void)state;
	build(&set);
	set.actor.detail = MP_DETAIL_HIST;
	set.actor.group = 4;
	assert_int_equal(mp_user_walk_round(&set.walk, 0, &set.batch), 0);
	assert_int_equal(set.batch.n_samples, BURSTS);
	for (uint32_t i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &set.batch.sample[i];

		assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_HIST);
		assert_int_equal(sum_of_counts(&set.batch, sample) * 4,
				 sample->hops);
	}
	destroy(&set);
}

static void ordered_ticks_add_up_to_the_sample(void **state)
{
	struct set set;

	(void)state;
	build(&set);
	set.actor.detail = MP_DETAIL_TICKS;
	set.actor.hops = 64;
	assert_int_equal(mp_user_walk_round(&set.walk, 0, &set.batch), 0);
	for (uint32_t i = 0; i < set.batch.n_samples; i++) {
		const struct memprobe_sample *sample = &set.batch.sample[i];
		uint64_t sum = 0;

		assert_int_equal(sample->payload_kind,
				 MEMPROBE_PAYLOAD_TICKS);
		assert_int_equal(sample->payload_count, sample->hops);
		for (uint32_t k = 0; k < sample->payload_count; k++)
			sum += set.batch.payload[sample->payload_offset + k];
		assert_int_equal(sum, sample->ticks);
	}
	destroy(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_makes_the_bursts_that_were_asked_for),
		cmocka_unit_test(bursts_go_on_where_the_last_one_ended),
		cmocka_unit_test(a_short_ring_is_walked_before_each_burst),
		cmocka_unit_test(a_look_elsewhere_leaves_a_warm_ring_warm),
		cmocka_unit_test(what_a_gap_was_is_the_least_that_any_burst_had),
		cmocka_unit_test(an_actor_that_is_late_makes_one_burst_and_calls_it_cold),
		cmocka_unit_test(a_histogram_counts_every_group),
		cmocka_unit_test(ordered_ticks_add_up_to_the_sample),
	};

	return cmocka_run_group_tests_name("user_chase", tests, open_clock,
					   NULL);
}
