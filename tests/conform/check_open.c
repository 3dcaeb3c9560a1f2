// SPDX-License-Identifier: GPL-2.0
/*
 * Opening and closing: what is taken is given back, and what cannot be had
 * is refused in a line that names it.
 */
#include "subject.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "process.h"

#include "../unit/temp_folder.h"

#define NO_PAGES (MP_PAGES_KINDS + 70)
#define LEAK_BATCHES 16

/* Errors that the command line knows an exit status for. */
static const int refusals[] = {
	-EINVAL, -ENOENT, -EACCES, -EPERM, -ENODEV, -EIO, -EISDIR, -EBUSY,
};

static void assert_refusal(int err)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (err == refusals[i])
			return;
	}
	fail_msg("open said %d", err);
}

static void assert_opens(const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	assert_works(&bench);
	bench_close(&bench);
}

static void skip_unmet(const struct subject *subject)
{
	const struct mp_backend *backend = subject_backend(subject);

	if (backend->unmet && backend->unmet())
		skip();
}

/*
 * Not to be opened so, and the line says why; nothing stays changed; closing
 * is safe, again and again. @err: 0 = any refusal; @word: what is named.
 */
static void assert_refused(const struct subject *subject,
			   const struct mp_opts *opts, int err,
			   const char *word)
{
	char before[PROCESS_ROOM], after[PROCESS_ROOM];
	struct mp_target target = { .backend = subject_backend(subject) };
	int said;

	process_note(before);
	said = target.backend->open(&target, opts);
	if (!said)
		target.backend->close(&target);
	assert_refusal(said);
	if (err)
		assert_int_equal(said, err);
	assert_one_line(target.why, sizeof(target.why));
	if (!strstr(target.why, word))
		fail_msg("\"%s\" does not name %s", target.why, word);
	target.backend->close(&target);
	target.backend->close(&target);
	assert_null(target.priv);
	process_note(after);
	process_assert_same(before, after);
}

static void unmet_is_one_line_or_nothing(const struct subject *subject)
{
	const struct mp_backend *backend = subject_backend(subject);
	const char *why = backend->unmet ? backend->unmet() : NULL;

	if (why)
		assert_one_line(why, MP_TARGET_WHY);
}

static void a_row_says_what_it_is(const struct subject *subject)
{
	const struct mp_backend *backend = subject_backend(subject);

	assert_non_null(backend->says);
	assert_one_line(backend->says, MP_TARGET_WHY);
	assert_true(backend->asks_file == !!(subject->traits & SUBJECT_FILE));
	assert_true(backend->asks_file == !!subject->file);
	assert_non_null(backend->open);
	assert_non_null(backend->look);
	assert_non_null(backend->run);
	assert_non_null(backend->close);
}

static void closing_restores_everything(const struct subject *subject)
{
	char before[PROCESS_ROOM], after[PROCESS_ROOM];

	/* Whoever asks must not be what made the recording. */
	subject_opts(subject);
	process_note(before);
	assert_opens(subject);
	process_note(after);
	process_assert_same(before, after);
}

static void measure_far(struct bench *bench, uint32_t times)
{
	struct mp_batch batch;

	for (uint32_t i = 0; i < times; i++) {
		bench_ask(bench, ASK_FAR, i % SUBJECT_REPLICATES, &batch);
		mp_batch_free(&batch);
	}
}

/* Some of what is given back stays with the allocator: a few arenas' worth. */
static void batches_leave_no_memory_behind(const struct subject *subject)
{
	static struct bench bench;
	uint64_t before, after;
	struct mp_exp exp;

#ifdef __SANITIZE_ADDRESS__
	/* It keeps what is freed, to find uses of it. */
	skip();
#endif
	bench_open(&bench, subject);
	ask_make(ASK_FAR, &bench.host, &exp);
	measure_far(&bench, 2);
	before = process_mapped_bytes();
	measure_far(&bench, LEAK_BATCHES);
	after = process_mapped_bytes();
	bench_close(&bench);
	assert_true(after < before + LEAK_BATCHES / 2 * exp.arena[0].bytes);
}

static void closing_twice_is_safe(const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	bench_close(&bench);
	bench_close(&bench);
	assert_opens(subject);
}

static void closing_what_was_never_opened_is_safe(const struct subject *subject)
{
	struct mp_target target = { .backend = subject_backend(subject) };

	target.backend->close(&target);
	assert_null(target.priv);
}

static void a_place_that_is_not_there_is_refused(const struct subject *subject)
{
	static const int places[] = { 1000000, INT32_MAX };
	struct mp_opts opts;
	char number[16];

	skip_unmet(subject);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		opts = subject_opts(subject);
		opts.cpu = places[i];
		snprintf(number, sizeof(number), "%d", places[i]);
		assert_refused(subject, &opts, -EINVAL, number);
	}
	assert_opens(subject);
}

static void a_node_that_is_not_there_is_refused(const struct subject *subject)
{
	static const int nodes[] = { 9999, INT32_MAX };
	struct mp_opts opts;
	char number[16];

	skip_unmet(subject);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		opts = subject_opts(subject);
		opts.node = nodes[i];
		snprintf(number, sizeof(number), "%d", nodes[i]);
		assert_refused(subject, &opts, -EINVAL, number);
	}
	assert_opens(subject);
}

static void pages_that_there_are_not_are_refused(const struct subject *subject)
{
	struct mp_opts opts = subject_opts(subject);

	skip_unmet(subject);
	opts.pages = NO_PAGES;
	assert_refused(subject, &opts, -EINVAL, mp_pages_name(NO_PAGES));
	assert_opens(subject);
}

/* One kind: it is what the host then has, or refused by name. */
static void try_pages(const struct subject *subject, uint32_t pages)
{
	const struct mp_backend *backend = subject_backend(subject);
	struct mp_opts opts = subject_opts(subject);
	static struct bench bench;
	struct mp_batch batch;

	opts.pages = (int)pages;
	memset(&bench, 0, sizeof(bench));
	bench.target.backend = backend;
	if (backend->open(&bench.target, &opts)) {
		assert_refused(subject, &opts, 0, mp_pages_name(pages));
		return;
	}
	assert_int_equal(backend->look(&bench.target, &bench.host), 0);
	assert_int_equal(bench.host.pages, pages);
	assert_true(bench.host.pages_forced || bench.host.recorded);
	bench_ask(&bench, ASK_SMALL, 0, &batch);
	if (bench.host.pages_forced)
		assert_int_equal(batch.grant.arena[0].pages, pages);
	mp_batch_free(&batch);
	bench_close(&bench);
}

static void pages_asked_for_are_had_or_refused(const struct subject *subject)
{
	skip_unmet(subject);
	for (uint32_t i = 0; i < MP_PAGES_KINDS; i++)
		try_pages(subject, i);
}

static void no_file_is_refused(const struct subject *subject)
{
	struct mp_opts opts = subject_opts(subject);

	opts.file = NULL;
	assert_refused(subject, &opts, -EINVAL, "=FILE");
}

static void a_missing_file_is_refused(const struct subject *subject)
{
	struct mp_opts opts = subject_opts(subject);

	opts.file = temp_path("not-there");
	assert_refused(subject, &opts, -ENOENT, "not-there");
	assert_opens(subject);
}

static void a_folder_is_refused(const struct subject *subject)
{
	struct mp_opts opts = subject_opts(subject);

	opts.file = temp_folder();
	assert_refused(subject, &opts, 0, temp_folder());
}

static void write_file(const char *path, const char *text, size_t bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static void a_file_of_something_else_is_refused(const struct subject *subject)
{
	static const struct {
		const char *text;
		size_t bytes;
	} files[] = {
		{ "", 0 },
		{ "\n\n\n", 3 },
		{ "some words\n", 11 },
		{ "\x7f" "ELF\0\0\xff\xfe\0\n\x1b[2J", 15 },
		{ "memprobe-run/1 9999999999999999999999 1\n", 40 },
	};
	struct mp_opts opts = subject_opts(subject);

	opts.file = temp_path("other");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_file(opts.file, files[i].text, files[i].bytes);
		assert_refused(subject, &opts, 0, "other");
	}
	remove(opts.file);
	assert_opens(subject);
}

static void a_file_that_is_cut_is_refused(const struct subject *subject)
{
	struct mp_opts opts = subject_opts(subject);
	FILE *file = fopen(opts.file, "r");
	char whole[4096];
	size_t bytes;

	assert_non_null(file);
	bytes = fread(whole, 1, sizeof(whole), file);
	fclose(file);
	opts.file = temp_path("cut");
	/* Right behind its licence line or its first one, half a word in. */
	write_file(opts.file, whole, bytes / 3);
	assert_refused(subject, &opts, 0, "cut");
	remove(opts.file);
}

const struct check open_checks[] = {
	/* First: nothing that another check leaves behind may hide a change. */
	CHECK(closing_restores_everything),
	CHECK(batches_leave_no_memory_behind),
	CHECK(unmet_is_one_line_or_nothing),
	CHECK(a_row_says_what_it_is),
	CHECK(closing_twice_is_safe),
	CHECK(closing_what_was_never_opened_is_safe),
	CHECK(a_place_that_is_not_there_is_refused),
	CHECK(a_node_that_is_not_there_is_refused),
	CHECK(pages_that_there_are_not_are_refused),
	CHECK(pages_asked_for_are_had_or_refused),
	CHECK_OF(no_file_is_refused, SUBJECT_FILE),
	CHECK_OF(a_missing_file_is_refused, SUBJECT_FILE),
	CHECK_OF(a_folder_is_refused, SUBJECT_FILE),
	CHECK_OF(a_file_of_something_else_is_refused, SUBJECT_FILE),
	CHECK_OF(a_file_that_is_cut_is_refused, SUBJECT_FILE),
	{ 0 },
};
