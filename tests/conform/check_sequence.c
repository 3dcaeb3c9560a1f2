// SPDX-License-Identifier: GPL-2.0
/*
 * What a sequence brings, from those that can walk one: every step in every
 * burst, and the ticks of the timed ones in their order.
 */
#include "subject.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define BURSTS 3u
#define ROUNDS 2u
#define SLOTS 16u
#define STRIDE 4096u

/* Touch four slots, flush one of them, time all four. */
static const uint32_t steps[] = {
	MEMPROBE_STEP(0, MEMPROBE_STEP_TOUCH),
	MEMPROBE_STEP(3, MEMPROBE_STEP_TOUCH),
	MEMPROBE_STEP(7, MEMPROBE_STEP_TOUCH),
	MEMPROBE_STEP(15, MEMPROBE_STEP_TOUCH),
	MEMPROBE_STEP(7, MEMPROBE_STEP_FLUSH),
	MEMPROBE_STEP(0, MEMPROBE_STEP_TIME),
	MEMPROBE_STEP(3, MEMPROBE_STEP_TIME),
	MEMPROBE_STEP(7, MEMPROBE_STEP_TIME),
	MEMPROBE_STEP(15, MEMPROBE_STEP_TIME),
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))
#define TIMED 4u

static void make(const struct mp_host *host, struct mp_exp *exp)
{
	mp_exp_chase(exp, host->cpu, host->pages, SLOTS * STRIDE, STRIDE, 0);
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->actor[0].bursts = BURSTS;
	exp->rounds = ROUNDS;
	exp->n_steps = STEPS;
	memcpy(exp->steps, steps, sizeof(steps));
}

/* False where there are none to be had, or only those that were recorded. */
static bool begin(struct bench *bench, const struct subject *subject,
		  struct mp_exp *exp)
{
	bench_open(bench, subject);
	if (bench->host.caps & MP_CAP_SEQUENCE && !bench->host.recorded) {
		make(&bench->host, exp);
		return true;
	}
	bench_close(bench);
	return false;
}

static void a_sequence_times_its_steps_in_every_burst(
	const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;
	struct mp_exp exp;

	if (!begin(&bench, subject, &exp))
		return;
	bench_run(&bench, &exp, 0, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, ROUNDS * BURSTS);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];

		assert_int_equal(sample->round, i / BURSTS);
		assert_int_equal(sample->burst, i % BURSTS);
		assert_int_equal(sample->hops, STEPS);
		assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_TICKS);
		assert_int_equal(sample->payload_count, TIMED);
		assert_true((uint64_t)sample->payload_offset + TIMED <=
			    batch.n_words);
	}
	mp_batch_free(&batch);
	assert_works(&bench);
	bench_close(&bench);
}

static void a_slot_is_not_visited_for_ever(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;
	struct mp_exp exp;

	if (!begin(&bench, subject, &exp))
		return;
	for (uint32_t i = 0; i < MP_EXP_STEPS; i++)
		exp.steps[i] = MEMPROBE_STEP(1, MEMPROBE_STEP_TOUCH);
	exp.n_steps = MP_EXP_STEPS;
	bench_run(&bench, &exp, 0, &batch);
	assert_true(batch.error < 0);
	mp_batch_free(&batch);
	assert_works(&bench);
	bench_close(&bench);
}

/* One after the other in each round, where it says that they may be mixed. */
static void a_sequence_may_be_one_of_several_phases(
	const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;
	struct mp_exp exp;

	if (!begin(&bench, subject, &exp))
		return;
	exp.n_actors = 2;
	exp.arena[0].bytes *= 2;
	exp.actor[1] = exp.actor[0];
	exp.actor[1].op = MP_OP_CHASE;
	exp.actor[1].phase = 1;
	exp.actor[1].offset = SLOTS * STRIDE;
	exp.actor[1].hops = SLOTS;
	bench_run(&bench, &exp, 0, &batch);
	if (bench.host.caps & MP_CAP_MIXED) {
		assert_int_equal(batch.error, 0);
		assert_int_equal(batch.n_samples, 2 * ROUNDS * BURSTS);
	} else {
		assert_int_equal(batch.error, -EOPNOTSUPP);
	}
	mp_batch_free(&batch);
	assert_works(&bench);
	bench_close(&bench);
}

const struct check sequence_checks[] = {
	CHECK(a_sequence_times_its_steps_in_every_burst),
	CHECK(a_slot_is_not_visited_for_ever),
	CHECK(a_sequence_may_be_one_of_several_phases),
	{ 0 },
};
