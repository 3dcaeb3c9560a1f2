// SPDX-License-Identifier: GPL-2.0
/*
 * A backend under test, and what the suite asks of every one. A recording
 * of just these experiments is made of a simulated machine, by the runner.
 */
#include "subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"
#include "runner.h"

#include "../unit/temp_folder.h"

/* Coarse ticks, noise, and every kind of page but reserved ones. */
#define MACHINE "tests/sim/zen4.machine"
#define RECORDING "conform.run"

#define KIB 1024u
#define MIB (1024u * KIB)
#define LINE 64u
#define PAGE 4096u
#define SMALL_BYTES (16u * KIB)
#define MANY_HOPS (1u << 20)
/* More than any number of small batches costs. */
#define AMPLE_NS 1000000000000ull

static const char *const ask_names[ASKS] = {
	[ASK_SMALL] = "small",
	[ASK_ROUNDS] = "rounds",
	[ASK_PART] = "part",
	[ASK_FAR] = "far",
	[ASK_SKEW] = "skew",
	[ASK_WINDOW] = "window",
	[ASK_WINDOW_FAR] = "window-far",
	[ASK_HIST] = "hist",
	[ASK_TICKS] = "ticks",
};

const char *ask_name(enum ask ask)
{
	return ask_names[ask];
}

static void chase(const struct mp_host *host, struct mp_exp *exp,
		  uint64_t length, uint64_t stride, uint64_t reach)
{
	mp_exp_chase(exp, host->cpu, host->pages, length, stride, reach);
	exp->actor[0].warm_hops = 2 * length / stride;
	exp->actor[0].hops = 2048;
	exp->actor[0].bursts = 6;
}

static void in_detail(struct mp_exp *exp, uint32_t detail, uint32_t group)
{
	exp->actor[0].detail = detail;
	exp->actor[0].group = group;
	exp->actor[0].hops = 64ull * group;
	exp->actor[0].bursts = 3;
}

static void in_part(struct mp_exp *exp)
{
	exp->arena[0].bytes = 4 * SMALL_BYTES;
	exp->actor[0].offset = 2 * SMALL_BYTES;
}

static void in_window(struct mp_exp *exp, uint64_t window_ns)
{
	exp->window_ns = window_ns;
	exp->actor[0].hops = MANY_HOPS;
	exp->actor[0].bursts = 4;
}

void ask_make(enum ask ask, const struct mp_host *host, struct mp_exp *exp)
{
	chase(host, exp, SMALL_BYTES, LINE, 0);
	switch (ask) {
	case ASK_ROUNDS:
		exp->rounds = 3;
		exp->actor[0].bursts = 2;
		break;
	case ASK_PART:
		in_part(exp);
		break;
	case ASK_FAR:
		chase(host, exp, 4 * MIB, LINE, 256 * KIB);
		break;
	case ASK_SKEW:
		chase(host, exp, 256 * KIB, PAGE, 0);
		exp->actor[0].skew = LINE;
		break;
	case ASK_WINDOW:
		in_window(exp, MP_WINDOW_MIN_NS);
		break;
	case ASK_WINDOW_FAR:
		chase(host, exp, 4 * MIB, LINE, 0);
		in_window(exp, MP_WINDOW_NS);
		break;
	case ASK_HIST:
		in_detail(exp, MP_DETAIL_HIST, 16);
		break;
	case ASK_TICKS:
		in_detail(exp, MP_DETAIL_TICKS, 8);
		break;
	default:
		break;
	}
}

const char *subject_machine(void)
{
	return MACHINE;
}

/* -- the recording ------------------------------------------------------ */

static int plan_all(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_host host = { .cpu = view->cpu, .pages = view->pages };
	struct mp_exp exp;
	int err = 0;

	if (view->n_batches)
		return 0;
	for (uint32_t i = 0; i < ASKS && !err; i++) {
		ask_make((enum ask)i, &host, &exp);
		err = mp_plan_add(plan, &exp, SUBJECT_REPLICATES);
	}
	return err ? err : 1;
}

static int infer_nothing(const struct mp_view *view, struct mp_facts *facts)
{
	(void)view;
	(void)facts;
	return 0;
}

static const struct mp_probe ask_all = {
	.name = "conform",
	.asks = "what the suite asks",
	.facts = "conform",
	.needs = MP_CAP_CHASE,
	.weight = 1,
	.next = plan_all,
	.infer = infer_nothing,
};

static const struct subject recorded = {
	.backend = "sim", .file = subject_machine,
};

static void record(const char *path)
{
	static const struct mp_probe *const probe[] = { &ask_all };
	const struct mp_run_opts opts = {
		.probe = probe,
		.n_probes = 1,
		.seed = SUBJECT_SEED,
		.budget_ns = AMPLE_NS,
		.limit_ns = AMPLE_NS,
	};
	static struct bench bench;
	char why[MP_TARGET_WHY];
	struct mp_run run;

	bench_open(&bench, &recorded);
	if (mp_run_all(&bench.target, &bench.host, &opts, &run))
		fail_msg("%s", bench.target.why);
	if (mp_run_save(&run, path, why, sizeof(why)))
		fail_msg("%s", why);
	assert_true(run.n_batches >= ASKS * SUBJECT_REPLICATES);
	mp_run_free(&run);
	bench_close(&bench);
}

const char *subject_recording(void)
{
	static char path[1024];

	if (!path[0]) {
		record(temp_path(RECORDING));
		snprintf(path, sizeof(path), "%s", temp_path(RECORDING));
	}
	return path;
}

/* -- the bench ---------------------------------------------------------- */

const struct mp_backend *subject_backend(const struct subject *subject)
{
	const struct mp_backend *backend = mp_backend_find(subject->backend);

	if (!backend)
		fail_msg("no backend is called %s", subject->backend);
	return backend;
}

struct mp_opts subject_opts(const struct subject *subject)
{
	return (struct mp_opts){
		.cpu = -1,
		.node = -1,
		.pages = -1,
		.seed = SUBJECT_SEED,
		.file = subject->file ? subject->file() : NULL,
	};
}

void bench_open(struct bench *bench, const struct subject *subject)
{
	const struct mp_backend *backend = subject_backend(subject);
	const char *unmet = backend->unmet ? backend->unmet() : NULL;
	struct mp_opts opts;

	if (unmet) {
		print_message("# %s: %s\n", subject->backend, unmet);
		skip();
	}
	opts = subject_opts(subject);
	memset(bench, 0, sizeof(*bench));
	bench->target.backend = backend;
	if (backend->open(&bench->target, &opts))
		fail_msg("%s: %s", subject->backend, bench->target.why);
	if (backend->look(&bench->target, &bench->host))
		fail_msg("%s: %s", subject->backend, bench->target.why);
}

void bench_close(struct bench *bench)
{
	bench->target.backend->close(&bench->target);
	assert_null(bench->target.priv);
}

void bench_run(struct bench *bench, const struct mp_exp *exp,
	       uint32_t replicate, struct mp_batch *batch)
{
	struct mp_target *target = &bench->target;

	mp_batch_init(batch, exp, replicate);
	if (target->backend->run(target, exp, replicate, batch))
		fail_msg("%s broke down: %s", target->backend->name,
			 target->why);
	assert_true(mp_exp_equal(&batch->exp, exp));
	assert_true(batch->id == mp_exp_id(exp));
	assert_int_equal(batch->replicate, replicate);
	if (batch->error) {
		assert_true(batch->error < 0);
		assert_int_equal(batch->n_samples, 0);
		assert_int_equal(batch->n_words, 0);
		assert_false(mp_batch_counts(batch));
	} else {
		assert_true(batch->n_samples > 0);
	}
}

void bench_ask(struct bench *bench, enum ask ask, uint32_t replicate,
	       struct mp_batch *batch)
{
	struct mp_exp exp;

	ask_make(ask, &bench->host, &exp);
	assert_int_equal(mp_exp_check(&exp, NULL, 0), 0);
	bench_run(bench, &exp, replicate, batch);
	if (batch->error)
		fail_msg("%s: %s", ask_name(ask), strerror(-batch->error));
}

void assert_works(struct bench *bench)
{
	struct mp_batch batch;

	bench_ask(bench, ASK_SMALL, 0, &batch);
	assert_int_equal(batch.n_samples, batch.exp.actor[0].bursts);
	mp_batch_free(&batch);
}

void assert_one_line(const char *text, size_t room)
{
	const size_t length = strnlen(text, room);

	assert_true(length > 0);
	if (length + 1 >= room)
		fail_msg("cut off: \"%s\"", text);
	if (strchr(text, '\n'))
		fail_msg("more than a line: \"%s\"", text);
}
