// SPDX-License-Identifier: GPL-2.0
/*
 * Batches become rows and come back; rows that cannot be are refused, and no
 * rows, however random, do harm.
 */
#include "save_body.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made_batch.h"
#include "rng.h"

#define N 12u

struct made {
	struct mp_batch batch[N];
	const struct mp_batch *list[N];
};

/* Three experiments, four replicates each; the last one is an error. */
static void make(struct made *made)
{
	struct mp_exp exp;

	for (uint32_t i = 0; i < N; i++) {
		made_exp(&exp, 4096u << i % 3);
		mp_batch_init(&made->batch[i], &exp, i / 3);
		if (i + 1 < N)
			made_batch(&made->batch[i], 1 + i, i / 2, i % 2 * 6);
		else
			made->batch[i].error = -EOPNOTSUPP;
		made->list[i] = &made->batch[i];
	}
}

static void unmake(struct made *made)
{
	for (uint32_t i = 0; i < N; i++)
		mp_batch_free(&made->batch[i]);
}

static int fill(struct mp_save_body *body, const struct made *made, char *why)
{
	memset(body, 0, sizeof(*body));
	return mp_save_body_fill(body, made->list, N, why, 256);
}

/* A field of a batch's row, by the name that it has in the file. */
static void set(struct mp_save_body *body, uint32_t i, const char *name,
		uint64_t value)
{
	const struct mp_table *table = &mp_save_tables[MP_SAVE_BATCHES];
	uint8_t *row = (uint8_t *)body->rows[MP_SAVE_BATCHES] +
		       (size_t)i * table->row_bytes;

	for (uint32_t c = 0; c < table->n_columns; c++) {
		if (strcmp(table->column[c].name, name))
			continue;
		memcpy(row + table->column[c].offset, &value,
		       table->column[c].width);
		return;
	}
	fail_msg("no column %s", name);
}

static void batches_come_back_from_their_rows(void **state)
{
	struct mp_save save = { 0 };
	struct mp_save_body body;
	struct made made;
	char why[256] = "";

	(void)state;
	make(&made);
	assert_int_equal(fill(&body, &made, why), 0);
	assert_int_equal(body.n[MP_SAVE_BATCHES], N);
	assert_int_equal(mp_save_body_batches(&body, &save, why, sizeof(why)),
			 0);
	assert_int_equal(save.n_batches, N);
	for (uint32_t i = 0; i < N; i++)
		assert_true(made_batch_equal(save.batch[i], &made.batch[i]));
	mp_save_free(&save);
	mp_save_body_free(&body);
	unmake(&made);
}

static void an_experiment_is_written_once(void **state)
{
	struct mp_save_body body;
	struct made made;
	char why[256] = "";
	uint32_t lines = 0;
	const char *text;

	(void)state;
	make(&made);
	assert_int_equal(fill(&body, &made, why), 0);
	text = body.rows[MP_SAVE_EXPS];
	for (uint64_t i = 0; i < body.n[MP_SAVE_EXPS]; i++)
		lines += text[i] == '\n';
	assert_int_equal(lines, 3);
	mp_save_body_free(&body);
	unmake(&made);
}

static void no_batches_are_no_rows(void **state)
{
	struct mp_save_body body = { 0 };
	struct mp_save save = { 0 };
	char why[256] = "";

	(void)state;
	assert_int_equal(mp_save_body_fill(&body, NULL, 0, why, sizeof(why)),
			 0);
	assert_int_equal(mp_save_body_batches(&body, &save, why, sizeof(why)),
			 0);
	assert_int_equal(save.n_batches, 0);
	mp_save_free(&save);
	mp_save_body_free(&body);
}

static void refuse_to_write(void (*spoil)(struct mp_batch *), const char *named)
{
	struct mp_save_body body;
	struct made made;
	char why[256] = "";

	make(&made);
	spoil(&made.batch[1]);
	assert_int_equal(fill(&body, &made, why), -EINVAL);
	if (!strstr(why, named) || !strstr(why, "batch 1"))
		fail_msg("'%s' does not name '%s'", why, named);
	mp_save_body_free(&body);
	unmake(&made);
}

static void spoil_error(struct mp_batch *batch)
{
	batch->error = 5;
}

static void spoil_both(struct mp_batch *batch)
{
	batch->error = -EIO;
}

static void spoil_clock(struct mp_batch *batch)
{
	batch->grant.tick_hz = NAN;
}

static void spoil_record(struct mp_batch *batch)
{
	batch->grant.clock[3].mul_hz = -1;
}

static void spoil_counts(struct mp_batch *batch)
{
	batch->grant.n_clocks = 5;
}

static void spoil_name(struct mp_batch *batch)
{
	memset(batch->grant.counter[2], 'x', MP_GRANT_TEXT);
}

static void spoil_actor(struct mp_batch *batch)
{
	batch->sample[0].actor = MP_EXP_ACTORS;
}

static void spoil_kind(struct mp_batch *batch)
{
	batch->sample[0].payload_kind = 9;
}

static void spoil_offset(struct mp_batch *batch)
{
	batch->sample[0].payload_offset = UINT32_MAX;
}

static void spoil_pairs(struct mp_batch *batch)
{
	batch->sample[0].payload_count--;
}

static void what_could_not_be_read_is_not_written(void **state)
{
	(void)state;
	refuse_to_write(spoil_error, "errno");
	refuse_to_write(spoil_both, "an error and samples");
	refuse_to_write(spoil_clock, "clock");
	refuse_to_write(spoil_record, "clock record");
	refuse_to_write(spoil_counts, "more arenas");
	refuse_to_write(spoil_name, "counter's name");
	refuse_to_write(spoil_actor, "actor");
	refuse_to_write(spoil_kind, "kind");
	refuse_to_write(spoil_offset, "payload lies outside");
	refuse_to_write(spoil_pairs, "odd number");
}

static void rows_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *name;
		uint64_t value;
		int err;
	} cases[] = {
		{ "exp", 3, -EIO },
		{ "exp", UINT32_MAX, -EIO },
		{ "n_samples", 0, -EIO },
		{ "n_samples", 3, -EIO },
		{ "n_samples", UINT32_MAX, -EIO },
		{ "n_words", 1, -EIO },
		{ "n_words", UINT32_MAX, -EIO },
		{ "error", 1, -EIO },
		{ "error", (uint64_t)-EIO, -EIO },
		{ "n_arenas", 5, -EIO },
		{ "n_counters", 17, -EIO },
		{ "tick_hz", 0x7ff0000000000000, -EIO },
		{ "tick_hz", 0xbff0000000000000, -EIO },
	};
	struct mp_save_body body;
	struct made made;
	char why[256];

	(void)state;
	make(&made);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mp_save save = { 0 };

		assert_int_equal(fill(&body, &made, why), 0);
		set(&body, 1, cases[i].name, cases[i].value);
		why[0] = '\0';
		assert_int_equal(mp_save_body_batches(&body, &save, why,
						      sizeof(why)),
				 cases[i].err);
		assert_true(why[0]);
		mp_save_free(&save);
		mp_save_body_free(&body);
	}
	unmake(&made);
}

static void refuse_exps(const char *text, size_t length, int err)
{
	struct mp_save save = { 0 };
	struct mp_save_body body;
	struct made made;
	char why[256] = "";

	make(&made);
	assert_int_equal(fill(&body, &made, why), 0);
	free(body.rows[MP_SAVE_EXPS]);
	body.rows[MP_SAVE_EXPS] = malloc(length + 1);
	memcpy(body.rows[MP_SAVE_EXPS], text, length);
	body.n[MP_SAVE_EXPS] = length;
	assert_int_equal(mp_save_body_batches(&body, &save, why, sizeof(why)),
			 err);
	assert_true(why[0]);
	mp_save_free(&save);
	mp_save_body_free(&body);
	unmake(&made);
}

static void texts_that_are_no_experiments_are_refused(void **state)
{
	(void)state;
	refuse_exps("", 0, -EIO);
	refuse_exps("actor0.op=gap", 13, -EIO);
	refuse_exps("actor0.op=gap\n", 14, -EIO);
	refuse_exps("actor0.op=gap\nactor0.op\0\n\n", 26, -EIO);
	refuse_exps("actor0.op=nap\n\n\n", 16, -EINVAL);
	refuse_exps("\n\n\n\n\n\n\n\n\n\n\n\n\n", 13, -EIO);
}

static void random_rows_do_no_harm(void **state)
{
	struct mp_save_body body;
	struct made made;
	struct mp_rng rng;
	char why[256];
	int taken = 0;

	(void)state;
	make(&made);
	mp_rng_seed(&rng, 3);
	for (int i = 0; i < 3000; i++) {
		struct mp_save save = { 0 };

		assert_int_equal(fill(&body, &made, why), 0);
		for (int k = 0; k < 3; k++) {
			uint32_t part = (uint32_t)mp_rng_below(&rng,
							MP_SAVE_PARTS);
			uint8_t *bytes = body.rows[part];
			uint64_t n = body.n[part] *
				     mp_save_tables[part].row_bytes;

			bytes[mp_rng_below(&rng, n)] =
				(uint8_t)mp_rng_next(&rng);
		}
		taken += !mp_save_body_batches(&body, &save, why,
					       sizeof(why));
		mp_save_free(&save);
		mp_save_body_free(&body);
	}
	/* A wrong tick is still a tick: not all can be refused. */
	assert_true(taken > 0 && taken < 3000);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_come_back_from_their_rows),
		cmocka_unit_test(an_experiment_is_written_once),
		cmocka_unit_test(no_batches_are_no_rows),
		cmocka_unit_test(what_could_not_be_read_is_not_written),
		cmocka_unit_test(rows_that_cannot_be_are_refused),
		cmocka_unit_test(texts_that_are_no_experiments_are_refused),
		cmocka_unit_test(random_rows_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
