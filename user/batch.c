// SPDX-License-Identifier: GPL-2.0
/*
 * A batch's memory, and the one rule that says whether it counts.
 */
#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"

/* What a usual batch holds, so that one allocation serves it. */
#define ROOM_FIRST 8u

/*
 * Room is not stored: it follows from the number in use, the next power of
 * two. Grow only where that number is about to cross one.
 */
static uint64_t room_for(uint64_t n)
{
	uint64_t room = ROOM_FIRST;

	if (!n)
		return 0;
	while (room < n)
		room *= 2;
	return room;
}

static int grow(void **data, size_t each_bytes, uint64_t n, uint64_t more)
{
	uint64_t room = room_for(n + more);
	void *bigger;

	if (room == room_for(n))
		return 0;
	bigger = realloc(*data, room * each_bytes);
	if (!bigger)
		return -ENOMEM;
	*data = bigger;
	return 0;
}

void mp_batch_init(struct mp_batch *batch, const struct mp_exp *exp,
		   uint32_t replicate)
{
	memset(batch, 0, sizeof(*batch));
	batch->exp = *exp;
	batch->id = mp_exp_id(exp);
	batch->replicate = replicate;
}

int mp_batch_copy(struct mp_batch *to, const struct mp_batch *from)
{
	void *sample = NULL;
	void *payload = NULL;

	if (grow(&sample, sizeof(*from->sample), 0, from->n_samples) ||
	    grow(&payload, sizeof(*from->payload), 0, from->n_words))
		goto err_free;
	if (sample)
		memcpy(sample, from->sample,
		       from->n_samples * sizeof(*from->sample));
	if (payload)
		memcpy(payload, from->payload,
		       from->n_words * sizeof(*from->payload));
	*to = *from;
	to->sample = sample;
	to->payload = payload;
	to->kept = NULL;
	return 0;

err_free:
	free(sample);
	free(payload);
	memset(to, 0, sizeof(*to));
	return -ENOMEM;
}

bool mp_sample_calm(const struct memprobe_sample *sample)
{
	return !(sample->flags & MEMPROBE_F_DISTURBED);
}

static bool find_counts(const struct mp_batch *batch)
{
	const uint32_t enough = (batch->n_samples + 1) / 2;
	uint32_t calm = 0;

	if (batch->error || !batch->n_samples)
		return false;
	/* No further than it takes. */
	for (uint32_t i = 0; i < batch->n_samples && calm < enough; i++)
		calm += mp_sample_calm(&batch->sample[i]);
	return calm >= enough;
}

static void forget(struct mp_batch *batch)
{
	for (uint32_t i = 0; batch->kept && i < MP_BATCH_TIMES; i++)
		free(batch->kept->times[i].time);
	free(batch->kept);
	batch->kept = NULL;
}

void mp_batch_keep(struct mp_batch *batch)
{
	static uint64_t serial;

	forget(batch);
	batch->kept = calloc(1, sizeof(*batch->kept));
	if (!batch->kept)
		return;
	batch->kept->serial = ++serial;
	batch->kept->counts = find_counts(batch);
	batch->kept->sample = batch->sample;
	batch->kept->n_samples = batch->n_samples;
}

struct mp_batch_kept *mp_batch_kept(const struct mp_batch *batch)
{
	struct mp_batch_kept *kept = batch->kept;

	return kept && kept->sample == batch->sample &&
	       kept->n_samples == batch->n_samples ? kept : NULL;
}

void mp_batch_free(struct mp_batch *batch)
{
	forget(batch);
	free(batch->sample);
	free(batch->payload);
	batch->sample = NULL;
	batch->payload = NULL;
	batch->n_samples = 0;
	batch->n_words = 0;
}

struct memprobe_sample *mp_batch_add(struct mp_batch *batch)
{
	struct memprobe_sample *sample;
	void *data = batch->sample;

	forget(batch);
	if (batch->n_samples >= MP_BATCH_SAMPLES_MAX)
		return NULL;
	if (grow(&data, sizeof(*sample), batch->n_samples, 1))
		return NULL;
	batch->sample = data;
	sample = &batch->sample[batch->n_samples++];
	memset(sample, 0, sizeof(*sample));
	return sample;
}

int mp_batch_words(struct mp_batch *batch, const uint64_t *words, uint32_t n,
		   uint32_t *offset)
{
	void *data = batch->payload;

	forget(batch);
	if (n > MP_BATCH_WORDS_MAX - batch->n_words)
		return -EFBIG;
	if (grow(&data, sizeof(*words), batch->n_words, n))
		return -ENOMEM;
	batch->payload = data;
	if (n)
		memcpy(batch->payload + batch->n_words, words,
		       n * sizeof(*words));
	*offset = batch->n_words;
	batch->n_words += n;
	return 0;
}

bool mp_batch_counts(const struct mp_batch *batch)
{
	const struct mp_batch_kept *kept = mp_batch_kept(batch);

	return kept ? kept->counts : find_counts(batch);
}
