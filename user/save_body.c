// SPDX-License-Identifier: GPL-2.0
/*
 * Batches to rows and back. What a batch must be is checked by one function
 * on both ways, so whatever was written can be read.
 */
#include "save_body.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "why.h"

/* errno values of the kernel end here (MAX_ERRNO). */
#define ERRNO_MAX 4095

/* What is kept of a batch beside its samples and its payload. */
struct row {
	uint64_t start_ns;
	uint64_t cost_ns;
	uint32_t exp;
	uint32_t replicate;
	int32_t error;
	uint32_t n_samples;
	uint32_t n_words;
	struct mp_grant grant;
};

#define ONE(type, member) \
	{ #member, offsetof(struct type, member), \
	  sizeof(((struct type *)NULL)->member), 1, 0 }
#define GRANT(member) \
	{ #member, offsetof(struct row, grant.member), \
	  sizeof(((struct mp_grant *)NULL)->member), 1, 0 }
#define EACH(list, member, many) \
	{ #list "." #member, offsetof(struct row, grant.list[0].member), \
	  sizeof(((struct mp_grant *)NULL)->list[0].member), many, \
	  sizeof(((struct mp_grant *)NULL)->list[0]) }

static const struct mp_column char_columns[] = {
	{ "text", 0, 1, 1, 0 },
};

static const struct mp_column word_columns[] = {
	{ "word", 0, 8, 1, 0 },
};

static const struct mp_column batch_columns[] = {
	ONE(row, exp),
	ONE(row, replicate),
	ONE(row, error),
	ONE(row, start_ns),
	ONE(row, cost_ns),
	ONE(row, n_samples),
	ONE(row, n_words),
	GRANT(tick_hz),
	GRANT(read_ticks),
	GRANT(look_ticks),
	GRANT(tick_step),
	GRANT(gap_ticks),
	GRANT(got),
	GRANT(n_arenas),
	GRANT(n_clocks),
	GRANT(n_counters),
	EACH(arena, bytes, MP_EXP_ARENAS),
	EACH(arena, huge_bytes, MP_EXP_ARENAS),
	EACH(arena, pages, MP_EXP_ARENAS),
	EACH(arena, node, MP_EXP_ARENAS),
	EACH(arena, contiguous, MP_EXP_ARENAS),
	EACH(clock, at_ns, MP_GRANT_CLOCKS),
	EACH(clock, add_hz, MP_GRANT_CLOCKS),
	EACH(clock, mul_hz, MP_GRANT_CLOCKS),
	{ "counter", offsetof(struct row, grant.counter), 1,
	  MEMPROBE_COUNTERS * MP_GRANT_TEXT, 1 },
};

static const struct mp_column sample_columns[] = {
	ONE(memprobe_sample, actor),
	ONE(memprobe_sample, copy),
	ONE(memprobe_sample, place),
	ONE(memprobe_sample, round),
	ONE(memprobe_sample, burst),
	ONE(memprobe_sample, hops),
	ONE(memprobe_sample, bytes),
	ONE(memprobe_sample, ticks),
	ONE(memprobe_sample, start_ns),
	ONE(memprobe_sample, span2),
	{ "counter", offsetof(struct memprobe_sample, counter), 8,
	  MEMPROBE_COUNTERS, 8 },
	ONE(memprobe_sample, valid),
	ONE(memprobe_sample, flags),
	ONE(memprobe_sample, payload_kind),
	ONE(memprobe_sample, payload_offset),
	ONE(memprobe_sample, payload_count),
	ONE(memprobe_sample, gap_ticks),
	ONE(memprobe_sample, gap_max_ticks),
	ONE(memprobe_sample, gaps),
	ONE(memprobe_sample, cpu_end),
	ONE(memprobe_sample, nmi),
	ONE(memprobe_sample, smi),
	ONE(memprobe_sample, switches),
	ONE(memprobe_sample, faults),
	ONE(memprobe_sample, overrun_ticks),
	ONE(memprobe_sample, warm_hops),
};

/* Distinct experiments of the batches that are being written. */
struct exps {
	const struct mp_batch **first;
	uint32_t n;
};

static bool whole(double value)
{
	return isfinite(value) && value >= 0;
}

static const char *grant_wrong(const struct mp_grant *grant)
{
	if (grant->n_arenas > MP_EXP_ARENAS ||
	    grant->n_clocks > MP_GRANT_CLOCKS ||
	    grant->n_counters > MEMPROBE_COUNTERS)
		return "grant: more arenas, clock records or counters than "
		       "there is room for";
	if (!whole(grant->tick_hz) || !whole(grant->read_ticks) ||
	    !whole(grant->look_ticks))
		return "grant: a clock that is no number of 0 or more";
	for (int i = 0; i < MP_GRANT_CLOCKS; i++) {
		if (!whole(grant->clock[i].add_hz) ||
		    !whole(grant->clock[i].mul_hz))
			return "grant: a clock record that is no number of 0 "
			       "or more";
	}
	for (int i = 0; i < MEMPROBE_COUNTERS; i++) {
		if (!memchr(grant->counter[i], '\0', MP_GRANT_TEXT))
			return "grant: a counter's name without an end";
	}
	return NULL;
}

static const char *sample_wrong(const struct memprobe_sample *sample,
				uint32_t n_words)
{
	uint64_t end = (uint64_t)sample->payload_offset +
		       sample->payload_count;
	bool pairs = sample->payload_kind == MEMPROBE_PAYLOAD_HIST ||
		     sample->payload_kind == MEMPROBE_PAYLOAD_LOGHIST;

	if (sample->actor >= MP_EXP_ACTORS)
		return "a sample of an actor that cannot be";
	if (sample->payload_kind > MEMPROBE_PAYLOAD_WORDS)
		return "a sample with a payload of no known kind";
	if (sample->payload_count && end > n_words)
		return "a sample whose payload lies outside the batch's";
	if (pairs && sample->payload_count % 2)
		return "a histogram of an odd number of words";
	return NULL;
}

static const char *batch_wrong(const struct mp_batch *batch)
{
	const char *wrong = grant_wrong(&batch->grant);

	if (wrong)
		return wrong;
	if (batch->error > 0 || batch->error < -ERRNO_MAX)
		return "an error that is no negative errno";
	if (batch->error && batch->n_samples)
		return "an error and samples";
	if (batch->n_samples > MP_BATCH_SAMPLES_MAX ||
	    batch->n_words > MP_BATCH_WORDS_MAX)
		return "more samples or words than a batch may hold "
		       "(limits.h: MP_BATCH_SAMPLES_MAX, MP_BATCH_WORDS_MAX)";
	for (uint32_t i = 0; i < batch->n_samples && !wrong; i++)
		wrong = sample_wrong(&batch->sample[i], batch->n_words);
	return wrong;
}

static uint32_t exps_find(struct exps *exps, const struct mp_batch *batch)
{
	uint32_t i;

	for (i = 0; i < exps->n; i++) {
		if (exps->first[i]->id == batch->id &&
		    mp_exp_equal(&exps->first[i]->exp, &batch->exp))
			return i;
	}
	exps->first[exps->n++] = batch;
	return i;
}

static int exps_print(const struct exps *exps, struct mp_save_body *body)
{
	char text[MP_EXP_TEXT + 1];
	char *all = NULL;
	size_t bytes = 0;
	FILE *file;
	int err = 0;
	int n;

	file = open_memstream(&all, &bytes);
	if (!file)
		return -ENOMEM;
	for (uint32_t i = 0; i < exps->n && !err; i++) {
		n = mp_exp_print(&exps->first[i]->exp, text, MP_EXP_TEXT);
		err = n < 0 ? n : fprintf(file, "%s\n", text) < 0 ? -ENOMEM : 0;
	}
	if (fclose(file) && !err)
		err = -ENOMEM;
	body->rows[MP_SAVE_EXPS] = all;
	body->n[MP_SAVE_EXPS] = bytes;
	return err;
}

static void fill_row(struct row *row, const struct mp_batch *batch,
		     uint32_t exp)
{
	row->start_ns = batch->start_ns;
	row->cost_ns = batch->cost_ns;
	row->exp = exp;
	row->replicate = batch->replicate;
	row->error = batch->error;
	row->n_samples = batch->n_samples;
	row->n_words = batch->n_words;
	row->grant = batch->grant;
}

static void fill_rows(struct mp_save_body *body,
		      const struct mp_batch *const *batch, struct exps *exps)
{
	struct memprobe_sample *sample = body->rows[MP_SAVE_SAMPLES];
	uint64_t *word = body->rows[MP_SAVE_WORDS];
	struct row *row = body->rows[MP_SAVE_BATCHES];

	for (uint64_t i = 0; i < body->n[MP_SAVE_BATCHES]; i++) {
		uint32_t n_samples = batch[i]->n_samples;
		uint32_t n_words = batch[i]->n_words;

		fill_row(&row[i], batch[i], exps_find(exps, batch[i]));
		if (n_samples)
			memcpy(sample, batch[i]->sample,
			       n_samples * sizeof(*sample));
		if (n_words)
			memcpy(word, batch[i]->payload,
			       n_words * sizeof(*word));
		sample += n_samples;
		word += n_words;
	}
}

static int parse_exps(const struct mp_save_body *body, struct mp_exp *exps,
		      uint32_t *n_exps, char *why, size_t room)
{
	char *text = body->rows[MP_SAVE_EXPS];
	char *end = text + body->n[MP_SAVE_EXPS];
	char wrong[256] = "";
	uint32_t n = 0;
	int err;

	while (text < end) {
		char *line = text;

		text = memchr(line, '\n', (size_t)(end - line));
		if (!text || memchr(line, '\0', (size_t)(text - line)) ||
		    n == body->n[MP_SAVE_BATCHES])
			return mp_why(why, room, -EIO, "its list of "
				      "experiments");
		*text++ = '\0';
		err = mp_exp_parse(&exps[n++], line, wrong, sizeof(wrong));
		if (err)
			return mp_why(why, room, err, "experiment %u: %s", n,
				      wrong);
	}
	*n_exps = n;
	return 0;
}

static int add_samples(struct mp_batch *batch,
		       const struct memprobe_sample *sample, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct memprobe_sample *to = mp_batch_add(batch);

		if (!to)
			return -ENOMEM;
		*to = sample[i];
	}
	return 0;
}

static int make_batch(const struct row *row, const struct mp_exp *exp,
		      const struct memprobe_sample *sample,
		      const uint64_t *word, struct mp_batch **made)
{
	struct mp_batch *batch = malloc(sizeof(*batch));
	uint32_t offset;
	int err;

	if (!batch)
		return -ENOMEM;
	*made = batch;
	mp_batch_init(batch, exp, row->replicate);
	batch->error = row->error;
	batch->start_ns = row->start_ns;
	batch->cost_ns = row->cost_ns;
	batch->grant = row->grant;
	err = add_samples(batch, sample, row->n_samples);
	return err ? err : mp_batch_words(batch, word, row->n_words, &offset);
}

static int make_batches(const struct mp_save_body *body,
			const struct mp_exp *exps, uint32_t n_exps,
			struct mp_save *save, char *why, size_t room)
{
	const struct memprobe_sample *sample = body->rows[MP_SAVE_SAMPLES];
	const uint64_t *word = body->rows[MP_SAVE_WORDS];
	const struct row *row = body->rows[MP_SAVE_BATCHES];
	uint64_t n_samples = body->n[MP_SAVE_SAMPLES];
	uint64_t n_words = body->n[MP_SAVE_WORDS];
	const char *wrong;
	int err;

	save->batch = calloc(body->n[MP_SAVE_BATCHES] + 1, sizeof(*save->batch));
	if (!save->batch)
		return -ENOMEM;
	for (uint64_t i = 0; i < body->n[MP_SAVE_BATCHES]; i++, row++) {
		if (row->exp >= n_exps || row->n_samples > n_samples ||
		    row->n_words > n_words ||
		    row->n_samples > MP_BATCH_SAMPLES_MAX ||
		    row->n_words > MP_BATCH_WORDS_MAX)
			return mp_why(why, room, -EIO, "the counts of a batch");
		err = make_batch(row, &exps[row->exp], sample, word,
				 &save->batch[i]);
		save->n_batches += save->batch[i] != NULL;
		if (err)
			return err;
		wrong = batch_wrong(save->batch[i]);
		if (wrong)
			return mp_why(why, room, -EIO, "%s", wrong);
		sample += row->n_samples;
		word += row->n_words;
		n_samples -= row->n_samples;
		n_words -= row->n_words;
	}
	if (n_samples || n_words)
		return mp_why(why, room, -EIO, "samples of no batch");
	return 0;
}

int mp_save_body_alloc(struct mp_save_body *body, enum mp_save_part first)
{
	for (int p = first; p < MP_SAVE_PARTS; p++) {
		/* One more, so that no rows are no NULL. */
		body->rows[p] = calloc(body->n[p] + 1,
				       mp_save_tables[p].row_bytes);
		if (!body->rows[p])
			return -ENOMEM;
	}
	return 0;
}

int mp_save_body_fill(struct mp_save_body *body,
		      const struct mp_batch *const *batch, uint32_t n,
		      char *why, size_t room)
{
	struct exps exps = { 0 };
	int err;

	body->n[MP_SAVE_BATCHES] = n;
	for (uint32_t i = 0; i < n; i++) {
		const char *wrong = batch_wrong(batch[i]);

		if (wrong)
			return mp_why(why, room, -EINVAL, "batch %u cannot be "
				      "saved: %s", i, wrong);
		body->n[MP_SAVE_SAMPLES] += batch[i]->n_samples;
		body->n[MP_SAVE_WORDS] += batch[i]->n_words;
	}
	exps.first = calloc((size_t)n + 1, sizeof(*exps.first));
	if (!exps.first)
		return -ENOMEM;
	err = mp_save_body_alloc(body, MP_SAVE_BATCHES);
	if (err)
		goto err_free;
	fill_rows(body, batch, &exps);
	err = exps_print(&exps, body);

err_free:
	free(exps.first);
	return err;
}

int mp_save_body_batches(const struct mp_save_body *body,
			 struct mp_save *save, char *why, size_t room)
{
	struct mp_exp *exps;
	uint32_t n_exps = 0;
	int err;

	/* Each is there because a batch has it: so many there are at most. */
	exps = calloc(body->n[MP_SAVE_BATCHES] + 1, sizeof(*exps));
	if (!exps)
		return -ENOMEM;
	err = parse_exps(body, exps, &n_exps, why, room);
	if (!err)
		err = make_batches(body, exps, n_exps, save, why, room);
	free(exps);
	return err;
}

void mp_save_body_free(struct mp_save_body *body)
{
	for (int p = 0; p < MP_SAVE_PARTS; p++)
		free(body->rows[p]);
	memset(body, 0, sizeof(*body));
}

#define TABLE(name, columns, bytes) \
	{ name, columns, sizeof(columns) / sizeof((columns)[0]), bytes }

const struct mp_table mp_save_tables[MP_SAVE_PARTS] = {
	[MP_SAVE_EXPS] = TABLE("exp", char_columns, 1),
	[MP_SAVE_BATCHES] = TABLE("batch", batch_columns, sizeof(struct row)),
	[MP_SAVE_SAMPLES] = TABLE("sample", sample_columns,
			  sizeof(struct memprobe_sample)),
	[MP_SAVE_WORDS] = TABLE("word", word_columns, sizeof(uint64_t)),
};
