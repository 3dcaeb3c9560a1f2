// SPDX-License-Identifier: GPL-2.0
/*
 * What cannot be done is a batch with an error and no samples. It does not
 * crash, it is not tried again for ever, and what follows is measured as if
 * nobody had asked.
 */
#include "subject.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"

#define CHANGES 2

/* A field of an experiment, and what it is set to. */
struct change {
	size_t offset;
	size_t width;
	uint64_t value;
};

#define SET(member, to) { \
	.offset = offsetof(struct mp_exp, member), \
	.width = sizeof(((struct mp_exp *)NULL)->member), \
	.value = to }

/*
 * An experiment that cannot be had.
 * @caps: a backend that has one of these might
 * @malformed: nor by any other backend: mp_exp_check() says so
 * @change: what makes it one
 */
struct vain {
	const char *what;
	uint32_t caps;
	bool malformed;
	struct change change[CHANGES];
};

static const struct vain vains[] = {
	{ "a sequence", MP_CAP_SEQUENCE, false,
	  { SET(actor[0].op, MP_OP_SEQUENCE), SET(n_steps, 3) } },
	{ "a stream", MP_CAP_STREAM, false,
	  { SET(actor[0].op, MP_OP_STREAM) } },
	{ "a pingpong", MP_CAP_PINGPONG, false,
	  { SET(actor[0].op, MP_OP_PINGPONG) } },
	{ "gaps", MP_CAP_GAP, false, { SET(actor[0].op, MP_OP_GAP) } },
	{ "code", MP_CAP_CODE, false, { SET(actor[0].op, MP_OP_CODE) } },
	{ "two actors", MP_CAP_ACTORS | MP_CAP_PHASES, false,
	  { SET(n_actors, 2) } },
	{ "two actors and a load", MP_CAP_ACTORS | MP_CAP_PHASES, false,
	  { SET(n_actors, 2), SET(actor[1].background, 1) } },
	{ "copies", MP_CAP_ACTORS, false, { SET(actor[0].copies, 2) } },
	{ "a pace", MP_CAP_ACTORS, false, { SET(actor[0].pace, 1000) } },
	{ "steps for a chase", 0, false, { SET(n_steps, 3) } },
	{ "texture loads", MP_CAP_CODE, false,
	  { SET(actor[0].access, MP_ACCESS_TEXTURE) } },
	{ "threads", MP_CAP_CODE, false, { SET(actor[0].threads, 32) } },
	{ "a carveout", MP_CAP_CODE, false, { SET(carveout, 65536) } },
	{ "an unknown place", 0, false, { SET(actor[0].place, 1000000) } },
	{ "the last place", 0, false, { SET(actor[0].place, UINT32_MAX) } },
	{ "a terabyte", 0, false, { SET(arena[0].bytes, 1ull << 40) } },
	{ "more than a terabyte", 0, true,
	  { SET(arena[0].bytes, UINT64_MAX) } },
	{ "no op", 0, true, { SET(actor[0].op, MP_OP_NONE) } },
	{ "an unknown op", 0, true, { SET(actor[0].op, 99) } },
	{ "no actor", 0, true, { SET(n_actors, 0) } },
	{ "too many actors", 0, true, { SET(n_actors, 99) } },
	{ "no arena", 0, true, { SET(n_arenas, 0) } },
	{ "too many arenas", 0, true, { SET(n_arenas, UINT32_MAX) } },
	{ "too many steps", 0, true, { SET(n_steps, UINT32_MAX) } },
	{ "an arena that is not there", 0, true, { SET(actor[0].arena, 3) } },
	{ "a span beyond its arena", 0, true,
	  { SET(actor[0].offset, 1 << 20) } },
	{ "an offset that wraps", 0, true,
	  { SET(actor[0].offset, UINT64_MAX - 7) } },
	{ "no length", 0, true, { SET(actor[0].length, 0) } },
	{ "no stride", 0, true, { SET(actor[0].stride, 0) } },
	{ "an odd stride", 0, true, { SET(actor[0].stride, 12) } },
	{ "a stride beyond the span", 0, true,
	  { SET(actor[0].stride, 1 << 20) } },
	{ "no burst", 0, true, { SET(actor[0].bursts, 0) } },
	{ "endless bursts", 0, true, { SET(actor[0].bursts, UINT32_MAX) } },
	{ "no hop", 0, true, { SET(actor[0].hops, 0) } },
	{ "endless hops", 0, true, { SET(actor[0].hops, UINT64_MAX) } },
	{ "an endless warm-up", 0, true,
	  { SET(actor[0].warm_hops, UINT64_MAX) } },
	{ "no round", 0, true, { SET(rounds, 0) } },
	{ "endless rounds", 0, true, { SET(rounds, UINT32_MAX) } },
	{ "no window", 0, true, { SET(window_ns, 0) } },
	{ "an endless window", 0, true, { SET(window_ns, UINT64_MAX) } },
	{ "no group", 0, true,
	  { SET(actor[0].group, 0), SET(actor[0].detail, MP_DETAIL_HIST) } },
	{ "a group beyond the hops", 0, true,
	  { SET(actor[0].group, UINT32_MAX),
	    SET(actor[0].detail, MP_DETAIL_TICKS) } },
	{ "an unknown detail", 0, true, { SET(actor[0].detail, 9) } },
	{ "unknown pages", 0, true, { SET(arena[0].pages, 99) } },
};

/* The small chase, with a second actor and steps that only wait for it. */
static void make_vain(const struct vain *vain, const struct mp_host *host,
		      struct mp_exp *exp)
{
	ask_make(ASK_SMALL, host, exp);
	exp->arena[0].bytes *= 2;
	exp->actor[1] = exp->actor[0];
	exp->steps[1] = 1 << 2;
	for (uint32_t i = 0; i < CHANGES; i++) {
		const struct change *change = &vain->change[i];
		const uint32_t narrow = (uint32_t)change->value;
		char *at = (char *)exp + change->offset;

		if (change->width == sizeof(narrow))
			memcpy(at, &narrow, sizeof(narrow));
		else
			memcpy(at, &change->value, change->width);
	}
}

static void assert_vain(struct bench *bench, const struct mp_exp *exp,
			const char *what)
{
	struct mp_batch batch;

	bench_run(bench, exp, 0, &batch);
	if (!batch.error)
		fail_msg("%s: was done", what);
	/* Those mean "later": the runner would come again. */
	if (batch.error == -EAGAIN || batch.error == -EINTR)
		fail_msg("%s: is to be tried again", what);
	mp_batch_free(&batch);
}

static void what_cannot_be_done_is_an_error_without_samples(
	const struct subject *subject)
{
	static struct bench bench;
	struct mp_exp exp;

	bench_open(&bench, subject);
	for (size_t i = 0; i < sizeof(vains) / sizeof(vains[0]); i++) {
		const struct vain *vain = &vains[i];

		if (bench.host.caps & vain->caps)
			continue;
		make_vain(vain, &bench.host, &exp);
		if (vain->malformed == !mp_exp_check(&exp, NULL, 0))
			fail_msg("%s: no longer what it was", vain->what);
		assert_vain(&bench, &exp, vain->what);
		assert_works(&bench);
	}
	bench_close(&bench);
}

static void an_arena_above_the_bound_is_refused(const struct subject *subject)
{
	static struct bench bench;
	struct mp_exp exp;
	uint64_t bytes;

	bench_open(&bench, subject);
	bytes = bench.host.arena_max_bytes;
	/* A bound that is what is free just now may have moved a little. */
	if (bytes == MP_ARENA_CAP_BYTES ||
	    bench.host.caps & MP_CAP_MODELLED)
		bytes++;
	else
		bytes *= 2;
	ask_make(ASK_SMALL, &bench.host, &exp);
	exp.arena[0].bytes = bytes;
	assert_vain(&bench, &exp, "an arena above the bound");
	assert_works(&bench);
	bench_close(&bench);
}

/* Pages are a wish: had, or another kind and the grant says so, or refused. */
static void see_pages(struct bench *bench, uint32_t wish)
{
	const struct mp_grant_arena *arena;
	struct mp_batch batch;
	struct mp_exp exp;

	ask_make(ASK_SMALL, &bench->host, &exp);
	exp.arena[0].pages = wish;
	bench_run(bench, &exp, 0, &batch);
	arena = &batch.grant.arena[0];
	if (batch.error) {
		assert_true(wish != bench->host.pages);
	} else if (wish == MP_PAGES_4K) {
		/* Huge ones are ruled out, not merely not wished for. */
		assert_int_equal(arena->pages, MP_PAGES_4K);
		assert_true(arena->huge_bytes == 0);
	} else if (wish > MP_PAGES_1G) {
		assert_int_equal(arena->pages, wish);
	} else if (arena->pages != wish) {
		assert_int_equal(arena->pages, MP_PAGES_4K);
	}
	mp_batch_free(&batch);
}

static void pages_that_cannot_be_had_are_told_or_refused(
	const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	for (uint32_t i = 0; i < MP_PAGES_KINDS; i++)
		see_pages(&bench, i);
	assert_works(&bench);
	bench_close(&bench);
}

static void any_number_of_a_replicate_is_bearable(
	const struct subject *subject)
{
	static struct bench bench;
	struct mp_batch batch;
	struct mp_exp exp;

	bench_open(&bench, subject);
	ask_make(ASK_SMALL, &bench.host, &exp);
	bench_run(&bench, &exp, UINT32_MAX, &batch);
	mp_batch_free(&batch);
	assert_works(&bench);
	bench_close(&bench);
}

const struct check refuse_checks[] = {
	CHECK(what_cannot_be_done_is_an_error_without_samples),
	CHECK(an_arena_above_the_bound_is_refused),
	CHECK(pages_that_cannot_be_had_are_told_or_refused),
	CHECK(any_number_of_a_replicate_is_bearable),
	{ 0 },
};
