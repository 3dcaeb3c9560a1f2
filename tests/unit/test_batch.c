// SPDX-License-Identifier: GPL-2.0
/*
 * Batches grow, copy and empty, and count when half of their samples are
 * calm.
 */
#include "batch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"
#include "made_batch.h"

static void start(struct mp_batch *batch)
{
	struct mp_exp exp;

	made_exp(&exp, 4096);
	mp_batch_init(batch, &exp, 2);
}

static void a_new_batch_knows_its_experiment_and_nothing_else(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	made_exp(&exp, 4096);
	mp_batch_init(&batch, &exp, 7);
	assert_true(mp_exp_equal(&batch.exp, &exp));
	assert_true(batch.id == mp_exp_id(&exp));
	assert_int_equal(batch.replicate, 7);
	assert_int_equal(batch.error, 0);
	assert_null(batch.sample);
	assert_null(batch.payload);
	mp_batch_free(&batch);
}

static void samples_come_zeroed_and_keep_their_place(void **state)
{
	static const struct memprobe_sample zero;
	struct mp_batch batch;

	(void)state;
	start(&batch);
	for (uint32_t i = 0; i < 1000; i++) {
		struct memprobe_sample *sample = mp_batch_add(&batch);

		assert_non_null(sample);
		assert_memory_equal(sample, &zero, sizeof(zero));
		sample->ticks = i;
	}
	assert_int_equal(batch.n_samples, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(batch.sample[i].ticks, i);
	mp_batch_free(&batch);
	assert_int_equal(batch.n_samples, 0);
	assert_non_null(mp_batch_add(&batch));
	mp_batch_free(&batch);
}

static void samples_beyond_the_limit_are_refused(void **state)
{
	struct mp_batch batch;

	(void)state;
	start(&batch);
	for (uint32_t i = 0; i < MP_BATCH_SAMPLES_MAX; i++)
		assert_non_null(mp_batch_add(&batch));
	assert_null(mp_batch_add(&batch));
	assert_int_equal(batch.n_samples, MP_BATCH_SAMPLES_MAX);
	mp_batch_free(&batch);
}

static void words_follow_one_another_up_to_the_limit(void **state)
{
	uint64_t words[3] = { 1, 2, 3 };
	struct mp_batch batch;
	uint64_t *many;
	uint32_t offset;

	(void)state;
	start(&batch);
	assert_int_equal(mp_batch_words(&batch, words, 3, &offset), 0);
	assert_int_equal(offset, 0);
	assert_int_equal(mp_batch_words(&batch, words, 0, &offset), 0);
	assert_int_equal(offset, 3);
	assert_int_equal(mp_batch_words(&batch, words + 1, 2, &offset), 0);
	assert_int_equal(offset, 3);
	assert_int_equal(batch.payload[4], 3);
	many = calloc(MP_BATCH_WORDS_MAX, sizeof(*many));
	assert_non_null(many);
	assert_int_equal(mp_batch_words(&batch, many, MP_BATCH_WORDS_MAX - 4,
					&offset), -EFBIG);
	assert_int_equal(mp_batch_words(&batch, many, UINT32_MAX, &offset),
			 -EFBIG);
	assert_int_equal(batch.n_words, 5);
	assert_int_equal(mp_batch_words(&batch, many, MP_BATCH_WORDS_MAX - 5,
					&offset), 0);
	assert_int_equal(mp_batch_words(&batch, many, 1, &offset), -EFBIG);
	free(many);
	mp_batch_free(&batch);
}

static void a_copy_is_equal_and_its_own(void **state)
{
	struct mp_batch batch;
	struct mp_batch copy;
	uint64_t word = 9;
	uint32_t offset;

	(void)state;
	start(&batch);
	made_batch(&batch, 11, 3, 5);
	assert_int_equal(mp_batch_copy(&copy, &batch), 0);
	assert_true(made_batch_equal(&batch, &copy));
	assert_ptr_not_equal(batch.sample, copy.sample);
	/* It can grow like any other. */
	for (int i = 0; i < 20; i++) {
		assert_non_null(mp_batch_add(&copy));
		assert_int_equal(mp_batch_words(&copy, &word, 1, &offset), 0);
	}
	assert_int_equal(batch.n_samples, 11);
	mp_batch_free(&copy);
	mp_batch_free(&batch);
}

static void an_empty_batch_copies_too(void **state)
{
	struct mp_batch batch;
	struct mp_batch copy;

	(void)state;
	start(&batch);
	batch.error = -ENOMEM;
	assert_int_equal(mp_batch_copy(&copy, &batch), 0);
	assert_true(made_batch_equal(&batch, &copy));
	mp_batch_free(&copy);
}

static bool counts(uint32_t samples, uint32_t disturbed)
{
	struct mp_batch batch;
	bool yes;

	start(&batch);
	made_batch(&batch, samples, disturbed, 0);
	yes = mp_batch_counts(&batch);
	mp_batch_free(&batch);
	return yes;
}

static void half_of_the_samples_have_to_be_calm(void **state)
{
	(void)state;
	assert_false(counts(0, 0));
	assert_true(counts(1, 0));
	assert_false(counts(1, 1));
	assert_true(counts(8, 4));
	assert_false(counts(8, 5));
	assert_true(counts(9, 4));
	assert_false(counts(9, 5));
}

static void an_error_never_counts(void **state)
{
	struct mp_batch batch;

	(void)state;
	start(&batch);
	made_batch(&batch, 4, 0, 0);
	assert_true(mp_batch_counts(&batch));
	batch.error = -EAGAIN;
	assert_false(mp_batch_counts(&batch));
	mp_batch_free(&batch);
}

static void a_burst_that_its_window_cut_short_is_calm(void **state)
{
	struct memprobe_sample sample = { .flags = MEMPROBE_F_SHORT };

	(void)state;
	assert_true(mp_sample_calm(&sample));
	sample.flags |= MEMPROBE_F_COLD;
	assert_false(mp_sample_calm(&sample));
}

static void a_batch_that_is_kept_counts_as_it_did_until_it_changes(void **state)
{
	struct mp_batch batch, part;

	(void)state;
	start(&batch);
	for (uint32_t i = 0; i < 4; i++)
		assert_non_null(mp_batch_add(&batch));
	batch.sample[0].flags = MEMPROBE_F_SWITCHED;
	mp_batch_keep(&batch);
	assert_non_null(mp_batch_kept(&batch));
	assert_true(mp_batch_counts(&batch));
	/* A part of it is looked at anew. */
	part = batch;
	part.n_samples = 1;
	assert_null(mp_batch_kept(&part));
	assert_false(mp_batch_counts(&part));
	/* .. and so is it with samples more. */
	for (uint32_t i = 0; i < 4; i++)
		mp_batch_add(&batch)->flags = MEMPROBE_F_SWITCHED;
	assert_null(mp_batch_kept(&batch));
	assert_false(mp_batch_counts(&batch));
	mp_batch_keep(&batch);
	assert_false(mp_batch_counts(&batch));
	assert_int_equal(mp_batch_copy(&part, &batch), 0);
	assert_null(mp_batch_kept(&part));
	mp_batch_free(&part);
	mp_batch_free(&batch);
	assert_null(mp_batch_kept(&batch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_batch_knows_its_experiment_and_nothing_else),
		cmocka_unit_test(samples_come_zeroed_and_keep_their_place),
		cmocka_unit_test(samples_beyond_the_limit_are_refused),
		cmocka_unit_test(words_follow_one_another_up_to_the_limit),
		cmocka_unit_test(a_copy_is_equal_and_its_own),
		cmocka_unit_test(an_empty_batch_copies_too),
		cmocka_unit_test(half_of_the_samples_have_to_be_calm),
		cmocka_unit_test(an_error_never_counts),
		cmocka_unit_test(a_burst_that_its_window_cut_short_is_calm),
		cmocka_unit_test(a_batch_that_is_kept_counts_as_it_did_until_it_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
