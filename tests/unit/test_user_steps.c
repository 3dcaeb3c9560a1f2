// SPDX-License-Identifier: GPL-2.0
/* Sequences in user space, in this process's own memory. */
#include "backend/user_steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch.h"

#define SLOTS 64u
#define STRIDE 128u
#define BURSTS 40u
#define STEPS 32u

static struct mp_user_clock clock_here;

struct set {
	struct mp_actor actor;
	struct mp_user_steps run;
	struct mp_batch batch;
	uint8_t visits[SLOTS];
	uint32_t step[STEPS];
	void *base;
};

static int open_clock(void **state)
{
	(void)state;
	return mp_user_clock_open(&clock_here);
}

static void build(struct set *set)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, 0, MP_PAGES_4K, SLOTS * STRIDE, STRIDE, 0);
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.actor[0].bursts = BURSTS;
	mp_batch_init(&set->batch, &exp, 0);
	set->actor = exp.actor[0];
	set->base = aligned_alloc(4096, SLOTS * STRIDE);
	assert_non_null(set->base);
	memset(set->base, 0, SLOTS * STRIDE);
	memset(set->visits, 0, sizeof(set->visits));
	set->run = (struct mp_user_steps){
		.clock = &clock_here,
		.actor = &set->actor,
		.window_ns = exp.window_ns,
		.late_tick = mp_ticks_look() + (1ull << 60),
		.steps = {
			.base = set->base, .stride = STRIDE, .slots = SLOTS,
			.step = set->step, .visits = set->visits,
		},
	};
	mp_rng_seed(&set->run.rng, 1);
}

static void add(struct set *set, uint32_t slot, uint32_t what)
{
	assert_true(set->run.steps.n < STEPS);
	set->step[set->run.steps.n++] = MEMPROBE_STEP(slot, what);
}

static void measure(struct set *set)
{
	assert_int_equal(mp_steps_check(&set->run.steps), 0);
	assert_int_equal(mp_user_steps_round(&set->run, 3, &set->batch), 0);
}

static void destroy(struct set *set)
{
	mp_batch_free(&set->batch);
	free(set->base);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

	return (p > q) - (p < q);
}

/* The median over bursts of the ticks of timed step @i. */
static uint64_t typical(const struct mp_batch *batch, uint32_t i)
{
	uint64_t ticks[BURSTS];
	uint32_t n = 0;

	for (uint32_t k = 0; k < batch->n_samples; k++) {
		const struct memprobe_sample *sample = &batch->sample[k];

		assert_true(i < sample->payload_count);
		ticks[n++] = batch->payload[sample->payload_offset + i];
	}
	qsort(ticks, n, sizeof(*ticks), by_size);
	return ticks[n / 2];
}

static void each_burst_is_all_steps_once(void **state)
{
	struct set set = { 0 };

	(void)state;
	build(&set);
	add(&set, 5, MEMPROBE_STEP_TOUCH);
	add(&set, 9, MEMPROBE_STEP_TIME);
	add(&set, 5, MEMPROBE_STEP_TIME);
	measure(&set);
	assert_int_equal(set.batch.n_samples, BURSTS);
	for (uint32_t i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &set.batch.sample[i];
		const uint64_t *word = set.batch.payload +
				       sample->payload_offset;

		assert_int_equal(sample->burst, i);
		assert_int_equal(sample->round, 3);
		assert_int_equal(sample->hops, 3);
		assert_int_equal(sample->bytes, SLOTS * STRIDE);
		assert_int_equal(sample->payload_kind,
				 MEMPROBE_PAYLOAD_TICKS);
		assert_int_equal(sample->payload_count, 2);
		assert_true(word[0] + word[1] <= sample->ticks);
		assert_false(sample->flags & MEMPROBE_F_SHORT);
		assert_true(sample->valid >> MEMPROBE_VALID_START & 1);
		assert_true(sample->valid >> MEMPROBE_VALID_GAPS & 1);
		assert_true(!sample->gaps ==
			    !(sample->flags & MEMPROBE_F_GAP));
		if (i)
			assert_true(sample->start_ns > sample[-1].start_ns);
	}
	destroy(&set);
}

static void what_may_be_a_gap_is_the_least_of_all_rounds(void **state)
{
	struct set set = { 0 };
	uint64_t first;

	(void)state;
	build(&set);
	add(&set, 5, MEMPROBE_STEP_TIME);
	measure(&set);
	first = set.run.gap_ticks;
	assert_true(first > 1);
	set.run.gap_ticks = 1;
	measure(&set);
	assert_true(set.run.gap_ticks == 1);
	set.run.gap_ticks = UINT64_MAX;
	measure(&set);
	assert_true(set.run.gap_ticks > 1 && set.run.gap_ticks < UINT64_MAX);
	destroy(&set);
}

static void what_was_flushed_takes_longer_than_what_was_touched(void **state)
{
	struct set set = { 0 };

	(void)state;
	build(&set);
	add(&set, 5, MEMPROBE_STEP_TOUCH);
	add(&set, 9, MEMPROBE_STEP_TOUCH);
	add(&set, 9, MEMPROBE_STEP_FLUSH);
	add(&set, 5, MEMPROBE_STEP_TIME);
	add(&set, 9, MEMPROBE_STEP_TIME);
	measure(&set);
	/* A load from memory, beside one that hits: 30 ns are less than any
	 * memory's latency, and more than the steps of any clock. */
	assert_true(typical(&set.batch, 1) > typical(&set.batch, 0) +
		    mp_user_clock_ticks(&clock_here, 30));
	destroy(&set);
}

static void untimed_steps_leave_no_words(void **state)
{
	struct set set = { 0 };

	(void)state;
	build(&set);
	add(&set, 5, MEMPROBE_STEP_TOUCH);
	add(&set, 9, MEMPROBE_STEP_FLUSH);
	measure(&set);
	assert_int_equal(set.batch.n_samples, BURSTS);
	assert_int_equal(set.batch.n_words, 0);
	destroy(&set);
}

/* Laying it clears the ticks of all visits. */
static void one_that_is_laid_once_is_not_laid_again(void **state)
{
	struct set set = { 0 };
	uintptr_t *word;

	(void)state;
	build(&set);
	set.run.once = true;
	add(&set, 5, MEMPROBE_STEP_TOUCH);
	add(&set, 9, MEMPROBE_STEP_TIME);
	measure(&set);
	word = (uintptr_t *)((char *)set.base + 5 * STRIDE);
	word[1] = 77;
	measure(&set);
	assert_int_equal(word[1], 77);
	assert_int_equal(set.batch.n_samples, 2 * BURSTS);
	set.run.once = false;
	measure(&set);
	assert_int_equal(word[1], 0);
	destroy(&set);
}

static void a_histogram_holds_every_timed_step_of_a_burst(void **state)
{
	struct set set = { 0 };

	(void)state;
	build(&set);
	set.actor.detail = MP_DETAIL_HIST;
	for (uint32_t i = 0; i < STEPS; i++)
		add(&set, i, i % 2 ? MEMPROBE_STEP_TIME : MEMPROBE_STEP_TOUCH);
	measure(&set);
	for (uint32_t i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &set.batch.sample[i];
		const uint64_t *word = set.batch.payload +
				       sample->payload_offset;
		uint64_t steps = 0;

		assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_HIST);
		for (uint32_t k = 1; k < sample->payload_count; k += 2)
			steps += word[k];
		assert_int_equal(steps, STEPS / 2);
	}
	destroy(&set);
}

static void what_a_window_cannot_hold_is_cut_and_flagged(void **state)
{
	struct set set = { 0 };

	(void)state;
	build(&set);
	set.run.window_ns = 1;
	for (uint32_t i = 0; i < STEPS; i++)
		add(&set, i, MEMPROBE_STEP_TIME);
	measure(&set);
	for (uint32_t i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &set.batch.sample[i];

		assert_int_equal(sample->hops, MP_STEPS_LOOK);
		assert_int_equal(sample->payload_count, MP_STEPS_LOOK);
		assert_true(sample->flags & MEMPROBE_F_SHORT);
	}
	destroy(&set);
}

static void one_burst_is_made_however_late_it_is(void **state)
{
	struct set set = { 0 };

	(void)state;
	build(&set);
	set.run.late_tick = mp_ticks_look();
	add(&set, 1, MEMPROBE_STEP_TIME);
	measure(&set);
	assert_int_equal(set.batch.n_samples, 1);
	destroy(&set);
}

static void bursts_begin_at_random_phases_of_the_clock(void **state)
{
	struct set set = { 0 };
	uint64_t most = 0, least = UINT64_MAX;

	(void)state;
	if (clock_here.step_ticks < 8)
		skip();
	build(&set);
	add(&set, 1, MEMPROBE_STEP_TOUCH);
	for (uint32_t i = 1; i <= 8; i++)
		add(&set, 1 + i % 3, MEMPROBE_STEP_TIME);
	measure(&set);
	for (uint32_t i = 0; i < set.batch.n_words; i++) {
		const uint64_t ticks = set.batch.payload[i];

		most = ticks > most ? ticks : most;
		least = ticks < least ? ticks : least;
	}
	/* One and the same load, and its ticks differ: the mean over them
	 * knows more than a step. */
	assert_true(most > least);
	destroy(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_burst_is_all_steps_once),
		cmocka_unit_test(what_may_be_a_gap_is_the_least_of_all_rounds),
		cmocka_unit_test(what_was_flushed_takes_longer_than_what_was_touched),
		cmocka_unit_test(untimed_steps_leave_no_words),
		cmocka_unit_test(one_that_is_laid_once_is_not_laid_again),
		cmocka_unit_test(a_histogram_holds_every_timed_step_of_a_burst),
		cmocka_unit_test(what_a_window_cannot_hold_is_cut_and_flagged),
		cmocka_unit_test(one_burst_is_made_however_late_it_is),
		cmocka_unit_test(bursts_begin_at_random_phases_of_the_clock),
	};

	return cmocka_run_group_tests(tests, open_clock, NULL);
}
