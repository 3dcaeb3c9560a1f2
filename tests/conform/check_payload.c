// SPDX-License-Identifier: GPL-2.0
/* Payloads: where samples say they are, and what they say of the hops. */
#include "subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Kinds and spans in range, none over another: they come in order. */
static void see_spans(const struct mp_batch *batch, uint32_t kind)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		assert_int_equal(sample->payload_kind, kind);
		if (kind == MEMPROBE_PAYLOAD_NONE) {
			assert_int_equal(sample->payload_count, 0);
			continue;
		}
		assert_true(sample->payload_count > 0);
		assert_true(sample->payload_offset >= end);
		end = (uint64_t)sample->payload_offset + sample->payload_count;
		assert_true(end <= batch->n_words);
	}
	if (kind == MEMPROBE_PAYLOAD_NONE)
		assert_int_equal(batch->n_words, 0);
}

static void totals_have_no_payload(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;

	bench_open(&bench, subject);
	for (uint32_t i = 0; i < ASKS; i++) {
		bench_ask(&bench, (enum ask)i, 0, &batch);
		if (batch.exp.actor[0].detail == MP_DETAIL_TOTALS)
			see_spans(&batch, MEMPROBE_PAYLOAD_NONE);
		mp_batch_free(&batch);
	}
	bench_close(&bench);
}

/* Ticks rise, and all groups and all of their ticks are there. */
static void see_histogram(const struct mp_batch *batch,
			  const struct memprobe_sample *sample)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	uint64_t groups = 0, ticks = 0;

	assert_int_equal(sample->payload_count % 2, 0);
	for (uint32_t i = 0; i < sample->payload_count; i += 2) {
		if (i)
			assert_true(word[i] > word[i - 2]);
		assert_true(word[i + 1] > 0);
		groups += word[i + 1];
		ticks += word[i] * word[i + 1];
	}
	assert_true(groups * batch->exp.actor[0].group == sample->hops);
	assert_true(ticks <= sample->ticks);
}

static void a_histogram_holds_every_group_once(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;

	bench_open(&bench, subject);
	bench_ask(&bench, ASK_HIST, 0, &batch);
	see_spans(&batch, MEMPROBE_PAYLOAD_HIST);
	for (uint32_t i = 0; i < batch.n_samples; i++)
		see_histogram(&batch, &batch.sample[i]);
	mp_batch_free(&batch);
	bench_close(&bench);
}

static void see_ticks(const struct mp_batch *batch,
		      const struct memprobe_sample *sample)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	uint64_t ticks = 0;

	assert_true((uint64_t)sample->payload_count *
		    batch->exp.actor[0].group == sample->hops);
	for (uint32_t i = 0; i < sample->payload_count; i++)
		ticks += word[i];
	assert_true(ticks > 0);
	assert_true(ticks <= sample->ticks);
}

static void ordered_ticks_are_one_a_group(const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;

	bench_open(&bench, subject);
	bench_ask(&bench, ASK_TICKS, 0, &batch);
	see_spans(&batch, MEMPROBE_PAYLOAD_TICKS);
	for (uint32_t i = 0; i < batch.n_samples; i++)
		see_ticks(&batch, &batch.sample[i]);
	mp_batch_free(&batch);
	bench_close(&bench);
}

const struct check payload_checks[] = {
	CHECK(totals_have_no_payload),
	CHECK(a_histogram_holds_every_group_once),
	CHECK(ordered_ticks_are_one_a_group),
	{ 0 },
};
