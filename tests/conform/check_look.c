// SPDX-License-Identifier: GPL-2.0
/* What a backend says of its host: complete, printable, and in range. */
#include "subject.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"
#include "save.h"
#include "utf8.h"

/* Every experiment of the suite fits into so much. */
#define ARENA_LEAST (8ull << 20)
#define OTHER_SEED 77u

/* Ends inside its field, and a terminal may print it. */
static void assert_text(const char *text, size_t room)
{
	char clean[MP_HOST_TEXT];

	assert_true(strnlen(text, room) < room);
	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			fail_msg("a control character in \"%s\"", text);
	}
	snprintf(clean, sizeof(clean), "%s", text);
	mp_utf8_clean(clean);
	assert_string_equal(clean, text);
}

static void capabilities_have_names_and_a_chase_is_among_them(
	const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	for (uint32_t caps = bench.host.caps; caps; caps &= caps - 1) {
		if (!mp_cap_name(caps & -caps))
			fail_msg("0x%x is no capability", caps & -caps);
	}
	assert_true(bench.host.caps & MP_CAP_CHASE);
	bench_close(&bench);
}

static void memory_is_a_kind_a_node_and_a_bound(const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	assert_true(bench.host.pages < MP_PAGES_KINDS);
	assert_false(bench.host.pages_forced);
	assert_true(bench.host.node >= MP_NODE_ANY);
	assert_true(bench.host.arena_max_bytes >= ARENA_LEAST);
	assert_true(bench.host.arena_max_bytes <= MP_ARENA_CAP_BYTES);
	if (bench.host.pages != MP_PAGES_4K)
		assert_true(bench.host.caps & MP_CAP_HUGE);
	bench_close(&bench);
}

static void texts_end_and_can_be_printed(const struct subject *subject)
{
	static struct bench bench;
	const struct mp_host *host = &bench.host;

	bench_open(&bench, subject);
	assert_text(host->model, sizeof(host->model));
	assert_text(host->label, sizeof(host->label));
	assert_true(host->model[0]);
	assert_true(host->n_conditions <= MP_HOST_CONDITIONS);
	for (uint32_t i = 0; i < host->n_conditions; i++) {
		const struct mp_text_pair *pair = &host->condition[i];

		assert_text(pair->key, sizeof(pair->key));
		assert_text(pair->text, sizeof(pair->text));
		assert_true(pair->key[0]);
	}
	bench_close(&bench);
}

static void claims_are_numbers_with_a_fact_and_a_source(
	const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	assert_true(bench.host.n_claims <= MP_HOST_CLAIMS);
	for (uint32_t i = 0; i < bench.host.n_claims; i++) {
		const struct mp_host_claim *claim = &bench.host.claim[i];

		assert_text(claim->fact, sizeof(claim->fact));
		assert_text(claim->source, sizeof(claim->source));
		assert_true(claim->fact[0] && claim->source[0]);
		assert_true(isfinite(claim->value));
	}
	bench_close(&bench);
}

/* Nobody shall take a simulation, or what once was, for this machine. */
static void what_is_not_this_machine_is_labelled(const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	/* A machine that lives can have one, too: user-mode Linux. */
	if (!mp_host_lives(&bench.host))
		assert_true(bench.host.label[0]);
	bench_close(&bench);
}

/* More than one actor means more than one CPU; it measures from one of them. */
static void its_cpus_are_those_that_actors_may_be_on(
	const struct subject *subject)
{
	static struct bench bench;

	bench_open(&bench, subject);
	assert_true(mp_cpus_has(&bench.host.cpus, bench.host.cpu));
	if (bench.host.caps & MP_CAP_ACTORS)
		assert_true(mp_cpus_count(&bench.host.cpus) > 1);
	bench_close(&bench);
}

static void looking_again_shows_the_same(const struct subject *subject)
{
	static struct mp_host again;
	static struct bench bench;

	bench_open(&bench, subject);
	memset(&again, 0, sizeof(again));
	assert_int_equal(bench.target.backend->look(&bench.target, &again), 0);
	assert_int_equal(again.caps, bench.host.caps);
	assert_int_equal(again.cpu, bench.host.cpu);
	assert_memory_equal(&again.cpus, &bench.host.cpus,
			    sizeof(again.cpus));
	assert_int_equal(again.node, bench.host.node);
	assert_int_equal(again.pages, bench.host.pages);
	assert_true(again.start_ns == bench.host.start_ns);
	assert_string_equal(again.model, bench.host.model);
	assert_string_equal(again.label, bench.host.label);
	assert_int_equal(again.n_claims, bench.host.n_claims);
	bench_close(&bench);
}

static void the_place_it_chose_can_be_asked_for(const struct subject *subject)
{
	const struct mp_backend *backend = subject_backend(subject);
	struct mp_opts opts = subject_opts(subject);
	static struct bench bench;
	uint32_t cpu;

	bench_open(&bench, subject);
	cpu = bench.host.cpu;
	bench_close(&bench);
	opts.cpu = (int)cpu;
	if (backend->open(&bench.target, &opts))
		fail_msg("%s", bench.target.why);
	memset(&bench.host, 0, sizeof(bench.host));
	assert_int_equal(backend->look(&bench.target, &bench.host), 0);
	assert_int_equal(bench.host.cpu, cpu);
	assert_works(&bench);
	bench_close(&bench);
}

static void the_seed_is_the_run_s_or_the_recording_s(
	const struct subject *subject)
{
	const struct mp_backend *backend = subject_backend(subject);
	struct mp_opts opts = subject_opts(subject);
	static struct bench bench;

	bench_open(&bench, subject);
	assert_true(bench.target.seed == SUBJECT_SEED);
	bench_close(&bench);
	opts.seed = OTHER_SEED;
	if (backend->open(&bench.target, &opts))
		fail_msg("%s", bench.target.why);
	memset(&bench.host, 0, sizeof(bench.host));
	assert_int_equal(backend->look(&bench.target, &bench.host), 0);
	if (bench.host.recorded)
		assert_true(bench.target.seed ==
			    bench.host.recorded->head.seed);
	else
		assert_true(bench.target.seed == OTHER_SEED);
	bench_close(&bench);
}

const struct check look_checks[] = {
	CHECK(capabilities_have_names_and_a_chase_is_among_them),
	CHECK(memory_is_a_kind_a_node_and_a_bound),
	CHECK(texts_end_and_can_be_printed),
	CHECK(claims_are_numbers_with_a_fact_and_a_source),
	CHECK(what_is_not_this_machine_is_labelled),
	CHECK(its_cpus_are_those_that_actors_may_be_on),
	CHECK(looking_again_shows_the_same),
	CHECK(the_place_it_chose_can_be_asked_for),
	CHECK(the_seed_is_the_run_s_or_the_recording_s),
	{ 0 },
};
