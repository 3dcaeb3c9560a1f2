// SPDX-License-Identifier: GPL-2.0
/*
 * Several actors, from those that can have them: each that is measured gives
 * its bursts, phase behind phase, and each arena has its grant.
 */
#include "subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define BURSTS 3u
#define ROUNDS 2u
#define KIB 1024u

/* Two actors on one CPU, in arenas of their own, one after the other. */
static void make(const struct mp_host *host, struct mp_exp *exp)
{
	mp_exp_chase(exp, host->cpu, host->pages, 16 * KIB, 64, 0);
	exp->rounds = ROUNDS;
	exp->actor[0].bursts = BURSTS;
	exp->arena[1] = exp->arena[0];
	exp->arena[1].bytes = 32 * KIB;
	exp->n_arenas = 2;
	exp->actor[1] = exp->actor[0];
	exp->actor[1].arena = 1;
	exp->actor[1].phase = 1;
	exp->actor[1].length = 32 * KIB;
	exp->n_actors = 2;
}

static bool begin(struct bench *bench, const struct subject *subject,
		  struct mp_exp *exp)
{
	bench_open(bench, subject);
	if (bench->host.caps & MP_CAP_PHASES && !bench->host.recorded) {
		make(&bench->host, exp);
		return true;
	}
	bench_close(bench);
	return false;
}

static void actors_are_measured_phase_by_phase(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;
	struct mp_exp exp;

	if (!begin(&bench, subject, &exp))
		return;
	bench_run(&bench, &exp, 0, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, ROUNDS * 2 * BURSTS);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];
		const uint32_t actor = i / BURSTS % 2;

		assert_int_equal(sample->actor, actor);
		assert_int_equal(sample->round, i / (2 * BURSTS));
		assert_int_equal(sample->burst, i % BURSTS);
		assert_true(sample->bytes == exp.actor[actor].length);
		if (i)
			assert_true(sample->start_ns >= sample[-1].start_ns);
	}
	assert_int_equal(batch.grant.n_arenas, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(batch.grant.arena[i].bytes >= exp.arena[i].bytes);
	mp_batch_free(&batch);
	assert_works(&bench);
	bench_close(&bench);
}

/* Seldom: in the last of each three rounds. */
static void an_actor_may_act_in_few_rounds(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;
	uint32_t n[2] = { 0 };
	struct mp_exp exp;

	if (!begin(&bench, subject, &exp))
		return;
	exp.rounds = 7;
	exp.actor[1].every = 3;
	bench_run(&bench, &exp, 0, &batch);
	assert_int_equal(batch.error, 0);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];

		n[sample->actor]++;
		if (sample->actor)
			assert_int_equal(sample->round % 3, 2);
	}
	assert_int_equal(n[0], 7 * BURSTS);
	assert_int_equal(n[1], 2 * BURSTS);
	mp_batch_free(&batch);
	assert_works(&bench);
	bench_close(&bench);
}

/* Later rounds have as many hops as the first, and no warm-up before them. */
static void a_chase_goes_on_in_the_next_round(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;
	struct mp_exp exp;

	if (!begin(&bench, subject, &exp))
		return;
	for (uint32_t i = 0; i < 2; i++) {
		exp.actor[i].warm_hops = 1u << 20;
		exp.actor[i].hops = 32;
		exp.actor[i].group = 32;
		exp.actor[i].detail = MP_DETAIL_HIST;
		exp.actor[i].bursts = 1;
	}
	exp.rounds = 1000;
	bench_run(&bench, &exp, 0, &batch);
	assert_int_equal(batch.error, 0);
	/* A thousand warm-ups would be two thousand million hops: none that
	 * is made here takes less than a third of a nanosecond. */
	assert_int_equal(batch.n_samples, 2000);
	assert_true(batch.cost_ns < 2000ull << 20 >> 2);
	for (uint32_t i = 0; i < batch.n_samples; i++)
		assert_true(batch.sample[i].hops == 32);
	mp_batch_free(&batch);
	bench_close(&bench);
}

const struct check actor_checks[] = {
	CHECK(an_actor_may_act_in_few_rounds),
	CHECK(a_chase_goes_on_in_the_next_round),
	CHECK(actors_are_measured_phase_by_phase),
	{ 0 },
};
