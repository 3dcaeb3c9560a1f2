// SPDX-License-Identifier: GPL-2.0
/*
 * Saved runs: what is written is read back, whatever was cut or flipped is
 * refused with one line, and a default run stays small.
 */
#include "save.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <cmocka.h>

#include "file.h"
#include "hash.h"
#include "limits.h"
#include "made_batch.h"
#include "rng.h"
#include "temp_folder.h"

#define FILE_MAX (64u << 20)

/* A run made up: @exps experiments, @replicates of each, one after another. */
struct run {
	struct mp_save_head head;
	struct mp_batch *batch;
	const struct mp_batch **list;
	uint32_t n;
};

static void make(struct run *run, uint32_t exps, uint32_t replicates,
		 uint32_t samples, uint32_t distinct)
{
	struct mp_exp exp;

	memset(run, 0, sizeof(*run));
	run->head.seed = 42;
	run->head.depth = 1;
	strcpy(run->head.probes, "latency");
	strcpy(run->head.stop, "done");
	run->head.host.node = MP_NODE_ANY;
	strcpy(run->head.host.model, "made up");
	run->n = exps * replicates;
	run->batch = calloc(run->n, sizeof(*run->batch));
	run->list = calloc(run->n, sizeof(*run->list));
	for (uint32_t r = 0; r < replicates; r++) {
		for (uint32_t e = 0; e < exps; e++) {
			uint32_t i = r * exps + e;

			made_exp(&exp, 1024 * (1 + e));
			mp_batch_init(&run->batch[i], &exp, r);
			made_batch(&run->batch[i], samples, i % 7 == 0,
				   distinct);
			run->list[i] = &run->batch[i];
		}
	}
}

static void unmake(struct run *run)
{
	for (uint32_t i = 0; i < run->n; i++)
		mp_batch_free(&run->batch[i]);
	free(run->batch);
	free(run->list);
}

static void write_run(const char *path, const struct run *run)
{
	char why[256] = "";

	if (mp_save_write(path, &run->head, run->list, run->n, why,
			  sizeof(why)))
		fail_msg("%s", why);
}

static char *load(const char *path, size_t *bytes)
{
	char why[256];
	void *data;
	char *text;

	assert_int_equal(mp_file_read(path, FILE_MAX, &data, bytes, why,
				      sizeof(why)), 0);
	text = malloc(*bytes + 1);
	assert_non_null(text);
	memcpy(text, data, *bytes + 1);
	free(data);
	return text;
}

static void store(const char *path, const void *data, size_t bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

/* Reads, and checks that a refusal is one clear line that names the file. */
static int read_run(const char *path)
{
	struct mp_save save;
	char why[512] = "";
	int err;

	err = mp_save_read(path, &save, why, sizeof(why));
	if (err) {
		assert_non_null(strstr(why, path));
		assert_null(strchr(why, '\n'));
		assert_int_equal(save.n_batches, 0);
		assert_null(save.batch);
	}
	mp_save_free(&save);
	return err;
}

static void a_run_comes_back_as_it_was(void **state)
{
	const char *path = temp_path("run");
	struct mp_save save;
	char why[256] = "";
	struct run run;

	(void)state;
	make(&run, 5, 3, 8, 10);
	run.batch[14].n_samples = 0;
	run.batch[14].error = -ENOMEM;
	write_run(path, &run);
	assert_int_equal(mp_save_read(path, &save, why, sizeof(why)), 0);
	assert_memory_equal(&save.head, &run.head, sizeof(run.head));
	assert_int_equal(save.n_batches, run.n);
	for (uint32_t i = 0; i < run.n; i++)
		assert_true(made_batch_equal(save.batch[i], &run.batch[i]));
	mp_save_free(&save);
	unmake(&run);
}

static void a_run_without_batches_is_a_run(void **state)
{
	const char *path = temp_path("run");
	struct mp_save save;
	char why[256] = "";
	struct run run;

	(void)state;
	make(&run, 0, 0, 0, 0);
	write_run(path, &run);
	assert_int_equal(mp_save_read(path, &save, why, sizeof(why)), 0);
	assert_int_equal(save.n_batches, 0);
	mp_save_free(&save);
	unmake(&run);
}

static void writing_the_same_run_twice_gives_the_same_file(void **state)
{
	size_t bytes[2];
	struct run run;
	char *data[2];

	(void)state;
	make(&run, 4, 2, 8, 0);
	for (int i = 0; i < 2; i++) {
		write_run(temp_path("run"), &run);
		data[i] = load(temp_path("run"), &bytes[i]);
	}
	assert_int_equal(bytes[0], bytes[1]);
	assert_memory_equal(data[0], data[1], bytes[0]);
	free(data[0]);
	free(data[1]);
	unmake(&run);
}

static void the_head_can_be_read_with_the_eyes(void **state)
{
	struct run run;
	size_t bytes;
	char *data;
	char *line;

	(void)state;
	make(&run, 1, 1, 1, 0);
	write_run(temp_path("run"), &run);
	data = load(temp_path("run"), &bytes);
	assert_memory_equal(data, "memprobe-run/1 head=", 20);
	line = strchr(data, '\n') + 1;
	*strchr(line, '\n') = '\0';
	assert_non_null(strstr(line, "\"format\":\"memprobe-run/1\""));
	assert_non_null(strstr(line, "\"seed\":\"42\""));
	assert_non_null(strstr(line, "\"model\":\"made up\""));
	assert_non_null(strstr(line, "[\"warm_hops\",8,1]"));
	free(data);
	unmake(&run);
}

static void a_run_that_was_cut_anywhere_is_refused(void **state)
{
	const char *cut = temp_path("cut");
	struct run run;
	size_t bytes;
	char *data;

	(void)state;
	make(&run, 3, 2, 4, 4);
	write_run(temp_path("run"), &run);
	data = load(temp_path("run"), &bytes);
	for (size_t n = 0; n < bytes; n += n < 200 ? 1 : 7) {
		int err;

		store(cut, data, n);
		err = read_run(cut);
		/* Shorter than the magic word it is just another file. */
		assert_int_equal(err, n < strlen("memprobe-run/") ? -EINVAL :
								    -EIO);
	}
	store(cut, data, bytes);
	assert_int_equal(read_run(cut), 0);
	free(data);
	unmake(&run);
}

static void a_byte_too_much_is_refused(void **state)
{
	struct run run;
	size_t bytes;
	char *data;

	(void)state;
	make(&run, 1, 1, 1, 0);
	write_run(temp_path("run"), &run);
	data = load(temp_path("run"), &bytes);
	/* The NUL behind what was read is the byte too much. */
	store(temp_path("run"), data, bytes + 1);
	assert_int_equal(read_run(temp_path("run")), -EIO);
	free(data);
	unmake(&run);
}

static void no_flipped_bit_goes_unseen(void **state)
{
	const char *path = temp_path("flipped");
	struct run run;
	size_t bytes;
	char *data;

	(void)state;
	make(&run, 2, 2, 2, 2);
	write_run(temp_path("run"), &run);
	data = load(temp_path("run"), &bytes);
	for (size_t i = 0; i < bytes; i++) {
		int err;

		data[i] ^= (char)(1 << i % 8);
		store(path, data, bytes);
		err = read_run(path);
		assert_true(err == -EIO || err == -EINVAL);
		data[i] ^= (char)(1 << i % 8);
	}
	free(data);
	unmake(&run);
}

/* Make the first line fit what follows it again: a forger would. */
static size_t seal(char *data, size_t bytes, size_t head_bytes)
{
	char *body = strchr(data, '\n') + 1;
	size_t rest = bytes - (size_t)(body - data);
	char line[128];
	size_t length;

	length = (size_t)snprintf(line, sizeof(line), "memprobe-run/1 head=%zu "
				  "body=%zu sum=%016" PRIx64 "\n", head_bytes,
				  rest - head_bytes - 1,
				  mp_hash_bytes(MP_HASH_START, body, rest));
	memmove(data + length, body, rest);
	memcpy(data, line, length);
	return length + rest;
}

static void forged_runs_do_no_harm(void **state)
{
	const char *path = temp_path("forged");
	size_t head_bytes;
	struct mp_rng rng;
	struct run run;
	size_t bytes;
	size_t line;
	char *data;
	char *copy;

	(void)state;
	make(&run, 2, 2, 2, 2);
	write_run(temp_path("run"), &run);
	data = load(temp_path("run"), &bytes);
	line = (size_t)(strchr(data, '\n') + 1 - data);
	head_bytes = (size_t)(strchr(data + line, '\n') - data) - line;
	copy = malloc(bytes + 128);
	mp_rng_seed(&rng, 9);
	for (int i = 0; i < 4000; i++) {
		size_t at = line + mp_rng_below(&rng, i % 2 ? head_bytes :
						bytes - line);

		memcpy(copy, data, bytes);
		copy[at] = (char)mp_rng_next(&rng);
		store(path, copy, seal(copy, bytes, head_bytes));
		read_run(path);
	}
	free(copy);
	free(data);
	unmake(&run);
}

/* A file of a head that somebody made up and of a frame of so many zeros. */
static int read_made_up(const char *head, size_t zeros)
{
	size_t room = ZSTD_compressBound(zeros);
	const char *path = temp_path("made-up");
	size_t head_bytes = strlen(head);
	char *data = malloc(room + head_bytes + 128);
	char *nothing = calloc(1, zeros + 1);
	size_t bytes;
	int err;

	data[0] = '\n';
	memcpy(data + 1, head, head_bytes);
	data[1 + head_bytes] = '\n';
	bytes = 2 + head_bytes;
	bytes += ZSTD_compress(data + bytes, room, nothing, zeros, 1);
	store(path, data, seal(data, bytes, head_bytes));
	err = read_run(path);
	free(nothing);
	free(data);
	return err;
}

#define HEAD "{\"format\":\"memprobe-run/1\",\"seed\":\"1\",\"depth\":" \
	"\"quick\",\"budget_ns\":\"1\",\"limit_ns\":\"1\",\"probes\":\"\"," \
	"\"stop\":\"done\",\"host\":{\"model\":\"\",\"label\":\"\"," \
	"\"caps\":[],\"cpu\":0,\"node\":-1,\"pages\":\"4k\"," \
	"\"pages_forced\":false,\"arena_max_bytes\":\"0\"," \
	"\"start_ns\":\"0\",\"claims\":[],\"conditions\":[]},\"tables\":"
#define TABLES(exp, batch, sample, word) \
	"[{\"table\":\"exp\",\"rows\":" exp "}," \
	"{\"table\":\"batch\",\"rows\":" batch "}," \
	"{\"table\":\"sample\",\"rows\":" sample "}," \
	"{\"table\":\"word\",\"rows\":" word "}]}"
#define NO_COLUMNS ",\"columns\":[]"

static void absurd_heads_are_refused_before_memory_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(read_made_up(HEAD TABLES("0" NO_COLUMNS,
			"0" NO_COLUMNS, "0" NO_COLUMNS, "0" NO_COLUMNS), 0),
			 0);
	assert_int_equal(read_made_up(HEAD TABLES("0" NO_COLUMNS,
			"0" NO_COLUMNS, "0" NO_COLUMNS, "0" NO_COLUMNS), 5),
			 -EIO);
	/* Samples that no batch has. */
	assert_int_equal(read_made_up(HEAD TABLES("0" NO_COLUMNS,
			"0" NO_COLUMNS, "9" NO_COLUMNS, "0" NO_COLUMNS), 0),
			 -EIO);
	/* Batches of an experiment that is not there. */
	assert_int_equal(read_made_up(HEAD TABLES("0" NO_COLUMNS,
			"9" NO_COLUMNS, "0" NO_COLUMNS, "0" NO_COLUMNS), 0),
			 -EIO);
	/* Rows without columns, to fill memory from a small file. */
	assert_int_equal(read_made_up(HEAD TABLES("0" NO_COLUMNS,
			"4000000000000" NO_COLUMNS, "0" NO_COLUMNS,
			"0" NO_COLUMNS), 0), -EINVAL);
	assert_int_equal(read_made_up(HEAD TABLES("0" NO_COLUMNS,
			"0" NO_COLUMNS, "0" NO_COLUMNS,
			"9223372036854775807,\"columns\":[[\"word\",8,1]]"),
			0), -EINVAL);
	assert_int_equal(read_made_up(HEAD "[]}", 0), -EIO);
	assert_int_equal(read_made_up(HEAD "7}", 0), -EIO);
	assert_int_equal(read_made_up(HEAD "[1,2,3,4]}", 0), -EIO);
	assert_int_equal(read_made_up("{}", 0), -EINVAL);
	assert_int_equal(read_made_up("[1", 0), -EINVAL);
	assert_int_equal(read_made_up("", 0), -EINVAL);
}

static void what_is_no_run_at_all_is_refused(void **state)
{
	static const char *const texts[] = {
		"", "\n", "memprobe", "{}", "\x28\xb5\x2f\xfd",
		"memprobe-run/2 head=1 body=1 sum=0123456789abcdef\n",
		"memprobe-run/1\n",
	};
	const char *path = temp_path("text");

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		store(path, texts[i], strlen(texts[i]));
		assert_int_equal(read_run(path), -EINVAL);
	}
	assert_int_equal(read_run(temp_path("nothing")), -ENOENT);
	assert_int_equal(read_run(temp_folder()), -EISDIR);
}

static void sizes_in_the_first_line_are_not_believed(void **state)
{
	static const char *const lines[] = {
		"head=0 body=0 sum=0000000000000000\n",
		"head=18446744073709551615 body=1 sum=0000000000000000\n",
		"head=1 body=18446744073709551615 sum=0000000000000000\n",
		"head=18446744073709551616 body=1 sum=0000000000000000\n",
		"head=-1 body=1 sum=0000000000000000\n",
		"head=+1 body=1 sum=0000000000000000\n",
		"head= 1 body=1 sum=0000000000000000\n",
		"head=01 body=1 sum=0000000000000000\n",
		"head=1 body=1 sum=0\n",
		"head=1 body=1 sum=000000000000000G\n",
		"head=1 body=1 sum=00000000000000000000000000000000000000000"
		"0000000000000000000000000000000000000000000000000000000\n",
	};
	const char *path = temp_path("text");
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "memprobe-run/1 %s{}", lines[i]);
		store(path, text, strlen(text));
		assert_int_equal(read_run(path), -EIO);
	}
}

static void a_batch_that_could_not_be_read_is_not_written(void **state)
{
	char why[256] = "";
	struct run run;

	(void)state;
	temp_folder_empty();
	make(&run, 2, 1, 2, 2);
	run.batch[1].sample[0].payload_offset = 1000;
	assert_int_equal(mp_save_write(temp_path("run"), &run.head, run.list,
				       run.n, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "batch 1"));
	assert_int_equal(temp_folder_files(), 0);
	unmake(&run);
}

static void a_place_that_cannot_be_written_is_said(void **state)
{
	char why[256] = "";
	struct run run;

	(void)state;
	make(&run, 1, 1, 1, 0);
	assert_int_equal(mp_save_write(temp_path("none/run"), &run.head,
				       run.list, run.n, why, sizeof(why)),
			 -ENOENT);
	assert_non_null(strstr(why, "none/run"));
	unmake(&run);
}

/* A default run as it may come: 3000 batches, 8 bursts, exact histograms. */
static void a_default_run_stays_well_below_eight_megabytes(void **state)
{
	struct run run;
	size_t bytes;
	char *data;

	(void)state;
	make(&run, 600, 5, 8, 0);
	write_run(temp_path("run"), &run);
	data = load(temp_path("run"), &bytes);
	print_message("3000 batches of 8 samples: %zu bytes\n", bytes);
	assert_true(bytes < 2u << 20);
	free(data);
	unmake(&run);
	make(&run, 600, 5, 8, 20);
	write_run(temp_path("run"), &run);
	data = load(temp_path("run"), &bytes);
	print_message("the same with 20-valued histograms: %zu bytes\n", bytes);
	assert_true(bytes < 4u << 20);
	free(data);
	assert_int_equal(read_run(temp_path("run")), 0);
	unmake(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_comes_back_as_it_was),
		cmocka_unit_test(a_run_without_batches_is_a_run),
		cmocka_unit_test(writing_the_same_run_twice_gives_the_same_file),
		cmocka_unit_test(the_head_can_be_read_with_the_eyes),
		cmocka_unit_test(a_run_that_was_cut_anywhere_is_refused),
		cmocka_unit_test(a_byte_too_much_is_refused),
		cmocka_unit_test(no_flipped_bit_goes_unseen),
		cmocka_unit_test(forged_runs_do_no_harm),
		cmocka_unit_test(absurd_heads_are_refused_before_memory_is_asked_for),
		cmocka_unit_test(what_is_no_run_at_all_is_refused),
		cmocka_unit_test(sizes_in_the_first_line_are_not_believed),
		cmocka_unit_test(a_batch_that_could_not_be_read_is_not_written),
		cmocka_unit_test(a_place_that_cannot_be_written_is_said),
		cmocka_unit_test(a_default_run_stays_well_below_eight_megabytes),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
