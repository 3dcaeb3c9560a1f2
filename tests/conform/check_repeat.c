// SPDX-License-Identifier: GPL-2.0
/* Equal questions have equal answers, to the byte, whatever went before. */
#include "subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

static bool same_samples(const struct mp_batch *a, const struct mp_batch *b)
{
	return a->n_samples == b->n_samples &&
	       !memcmp(a->sample, b->sample,
		       a->n_samples * sizeof(*a->sample));
}

static bool same_words(const struct mp_batch *a, const struct mp_batch *b)
{
	return a->n_words == b->n_words &&
	       (!a->n_words || !memcmp(a->payload, b->payload,
				       a->n_words * sizeof(*a->payload)));
}

static void assert_same(const struct mp_batch *a, const struct mp_batch *b)
{
	assert_true(same_samples(a, b));
	assert_true(same_words(a, b));
	assert_memory_equal(&a->grant, &b->grant, sizeof(a->grant));
	assert_true(a->start_ns == b->start_ns);
	assert_true(a->cost_ns == b->cost_ns);
}

/* Forth in the one, back in the other. */
static void equal_questions_have_equal_answers_in_any_order(
	const struct subject *subject)
{
	static struct bench forth, back;
	static struct mp_batch batch[ASKS];
	struct mp_batch again;

	bench_open(&forth, subject);
	for (uint32_t i = 0; i < ASKS; i++)
		bench_ask(&forth, (enum ask)i, 0, &batch[i]);
	bench_close(&forth);
	bench_open(&back, subject);
	for (uint32_t i = ASKS; i-- > 0;) {
		bench_ask(&back, (enum ask)i, 0, &again);
		assert_same(&batch[i], &again);
		mp_batch_free(&again);
		mp_batch_free(&batch[i]);
	}
	bench_close(&back);
}

static void asking_twice_is_like_asking_once(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch once, twice;

	bench_open(&bench, subject);
	for (uint32_t i = 0; i < ASKS; i++) {
		bench_ask(&bench, (enum ask)i, 1, &once);
		bench_ask(&bench, (enum ask)i, 1, &twice);
		assert_same(&once, &twice);
		mp_batch_free(&once);
		mp_batch_free(&twice);
	}
	bench_close(&bench);
}

static void another_replicate_is_another_measurement(
	const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch[SUBJECT_REPLICATES];

	bench_open(&bench, subject);
	for (uint32_t i = 0; i < SUBJECT_REPLICATES; i++)
		bench_ask(&bench, ASK_FAR, i, &batch[i]);
	for (uint32_t i = 1; i < SUBJECT_REPLICATES; i++)
		assert_false(same_samples(&batch[0], &batch[i]));
	for (uint32_t i = 0; i < SUBJECT_REPLICATES; i++)
		mp_batch_free(&batch[i]);
	bench_close(&bench);
}

const struct check repeat_checks[] = {
	CHECK_OF(equal_questions_have_equal_answers_in_any_order,
		 SUBJECT_SAME),
	CHECK_OF(asking_twice_is_like_asking_once, SUBJECT_SAME),
	CHECK(another_replicate_is_another_measurement),
	{ 0 },
};
