// SPDX-License-Identifier: GPL-2.0
/* Samples of the module, as samples of a batch. */
#include "backend/kmod_note.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "limits.h"

#define BURSTS 3u
#define HOPS 1024u
#define BUSY (1ull << MEMPROBE_SLOT_BUSY)
#define START (1ull << MEMPROBE_VALID_START)

/* A tick is a nanosecond. */
static const struct mp_user_clock clock_1ghz = { .hz = 1e9 };

/* All that a call brings, to be spoilt by a test. */
struct scene {
	struct mp_kmod_plan plan;
	struct mp_kmod_note note;
	struct memprobe_run run;
	struct mp_kmod_call call;
	struct mp_batch batch;
	char why[256];
};

/* Bursts of a ring of 1024 slots in L1, warmed up again, undisturbed. */
static void set_up(struct scene *scene, uint32_t burst_ticks)
{
	struct mp_exp exp;

	memset(scene, 0, sizeof(*scene));
	scene->plan.actor = (struct memprobe_actor){
		.op = MEMPROBE_OP_CHASE,
		.length = 65536,
		.stride = 64,
		.hops = HOPS,
		.rewarm_hops = 1024,
	};
	scene->plan.burst_ticks = burst_ticks;
	scene->run.n_samples = BURSTS;
	scene->call = (struct mp_kmod_call){
		.plan = &scene->plan,
		.clock = &clock_1ghz,
		.run = &scene->run,
		.start_ns = 1000,
		.round = 4,
		.before = 10,
		.bursts = BURSTS,
	};
	mp_exp_chase(&exp, 0, MP_PAGES_CONTIG, 65536, 64, 0);
	mp_batch_init(&scene->batch, &exp, 0);
	assert_int_equal(mp_kmod_note_make(&scene->note, &scene->plan,
					   BURSTS), 0);
	for (uint32_t i = 0; i < BURSTS; i++)
		scene->note.sample[i] = (struct memprobe_sample){
			.burst = (uint16_t)i,
			.hops = HOPS,
			.ticks = HOPS,
			.start_ns = 5000 + 300000 * i,
			.warm_hops = 1024,
			.valid = START | BUSY,
		};
}

static int give(struct scene *scene)
{
	return mp_kmod_note_give(&scene->note, &scene->call, &scene->batch,
				 scene->why, sizeof(scene->why));
}

static void tear_down(struct scene *scene)
{
	mp_kmod_note_free(&scene->note);
	mp_batch_free(&scene->batch);
}

static void samples_are_taken_over_and_numbered_on(void **state)
{
	static struct scene scene;

	(void)state;
	set_up(&scene, 0);
	scene.note.sample[1].flags = MEMPROBE_F_NMI;
	scene.note.sample[1].valid |= 1ull << MEMPROBE_VALID_NMI;
	scene.note.sample[1].nmi = 2;
	assert_int_equal(give(&scene), 0);
	assert_int_equal(scene.batch.n_samples, BURSTS);
	for (uint32_t i = 0; i < BURSTS; i++) {
		assert_int_equal(scene.batch.sample[i].round, 4);
		assert_int_equal(scene.batch.sample[i].burst, 10 + i);
		assert_int_equal(scene.batch.sample[i].ticks, HOPS);
		assert_int_equal(mp_sample_calm(&scene.batch.sample[i]),
				 i != 1);
	}
	assert_int_equal(scene.batch.sample[1].nmi, 2);
	tear_down(&scene);
}

static void fewer_hops_than_asked_for_are_flagged_short(void **state)
{
	static struct scene scene;

	(void)state;
	set_up(&scene, 0);
	scene.note.sample[2].hops = HOPS - 64;
	assert_int_equal(give(&scene), 0);
	assert_false(scene.batch.sample[0].flags & MEMPROBE_F_SHORT);
	assert_true(scene.batch.sample[2].flags & MEMPROBE_F_SHORT);
	assert_true(mp_sample_calm(&scene.batch.sample[2]));
	tear_down(&scene);
}

static bool second_is_cold(struct scene *scene)
{
	bool cold;

	assert_int_equal(give(scene), 0);
	cold = scene->batch.sample[1].flags & MEMPROBE_F_COLD;
	tear_down(scene);
	return cold;
}

static void what_others_evicted_counts_until_it_is_warm_again(void **state)
{
	static struct scene scene;

	(void)state;
	set_up(&scene, 0);
	scene.note.sample[1].counter[MEMPROBE_SLOT_BUSY] = 1000000;
	assert_false(second_is_cold(&scene));
	set_up(&scene, 0);
	scene.note.sample[1].counter[MEMPROBE_SLOT_BUSY] = 1000000;
	scene.note.sample[1].warm_hops = 64;
	assert_true(second_is_cold(&scene));
	set_up(&scene, 0);
	scene.note.sample[1].warm_hops = 64;
	assert_false(second_is_cold(&scene));
}

static void who_does_not_know_who_ran_takes_it_for_others(void **state)
{
	static struct scene scene;

	(void)state;
	set_up(&scene, 0);
	scene.note.sample[1].valid = START;
	scene.note.sample[1].warm_hops = 64;
	assert_true(second_is_cold(&scene));
	set_up(&scene, 0);
	scene.note.sample[1].valid = START;
	scene.note.sample[1].warm_hops = 64;
	scene.note.sample[1].start_ns = scene.note.sample[0].start_ns + HOPS;
	assert_false(second_is_cold(&scene));
	set_up(&scene, 0);
	scene.note.sample[1].valid = 0;
	scene.note.sample[1].warm_hops = 64;
	scene.run.slept_ns = 900000;
	assert_true(second_is_cold(&scene));
}

static void put_ticks(struct scene *scene, uint32_t i, uint64_t first)
{
	const uint32_t n = scene->plan.burst_ticks;

	scene->note.sample[i].payload_kind = MEMPROBE_PAYLOAD_TICKS;
	scene->note.sample[i].payload_offset = i * n;
	scene->note.sample[i].payload_count = n;
	for (uint32_t k = 0; k < n; k++)
		scene->note.ticks[i * n + k] = first + k / 2;
	scene->run.n_ticks += n;
}

static void ticks_become_words_of_the_batch(void **state)
{
	static struct scene scene;
	const struct memprobe_sample *sample;

	(void)state;
	set_up(&scene, 4);
	scene.plan.burst_detail = MP_DETAIL_TICKS;
	for (uint32_t i = 0; i < BURSTS; i++)
		put_ticks(&scene, i, 100 * (i + 1));
	assert_int_equal(give(&scene), 0);
	sample = &scene.batch.sample[2];
	assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_TICKS);
	assert_int_equal(sample->payload_count, 4);
	assert_int_equal(scene.batch.payload[sample->payload_offset], 300);
	assert_int_equal(scene.batch.payload[sample->payload_offset + 3], 301);
	tear_down(&scene);
}

static void ticks_become_a_histogram_where_one_is_wanted(void **state)
{
	static struct scene scene;
	const struct memprobe_sample *sample;
	const uint64_t want[] = { 200, 2, 201, 2 };

	(void)state;
	set_up(&scene, 4);
	scene.plan.burst_detail = MP_DETAIL_HIST;
	for (uint32_t i = 0; i < BURSTS; i++)
		put_ticks(&scene, i, 100 * (i + 1));
	assert_int_equal(give(&scene), 0);
	sample = &scene.batch.sample[1];
	assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_HIST);
	assert_int_equal(sample->payload_count, 4);
	assert_memory_equal(scene.batch.payload + sample->payload_offset, want,
			    sizeof(want));
	tear_down(&scene);
}

static void spoilt(struct scene *scene, const char *word)
{
	assert_int_equal(give(scene), -EIO);
	if (!strstr(scene->why, word))
		fail_msg("\"%s\" does not say \"%s\"", scene->why, word);
	tear_down(scene);
}

static void an_answer_that_makes_no_sense_is_refused(void **state)
{
	static struct scene scene;

	(void)state;
	set_up(&scene, 4);
	scene.run.n_samples = BURSTS + 1;
	spoilt(&scene, "4 samples");
	set_up(&scene, 4);
	scene.run.n_ticks = 4 * BURSTS + 1;
	spoilt(&scene, "13 words");
	set_up(&scene, 4);
	put_ticks(&scene, 0, 1);
	scene.note.sample[0].payload_offset = UINT32_MAX;
	spoilt(&scene, "words");
	set_up(&scene, 4);
	put_ticks(&scene, 0, 1);
	scene.note.sample[0].payload_offset = 1;
	spoilt(&scene, "words");
	set_up(&scene, 4);
	put_ticks(&scene, 0, 1);
	scene.note.sample[0].payload_count = UINT32_MAX;
	spoilt(&scene, "words");
	set_up(&scene, 4);
	put_ticks(&scene, 0, 1);
	scene.note.sample[0].payload_kind = MEMPROBE_PAYLOAD_WORDS;
	spoilt(&scene, "words");
}

static void counters_are_named_by_their_slots(void **state)
{
	struct mp_grant grant = { 0 };

	(void)state;
	mp_kmod_note_names(&grant);
	assert_int_equal(grant.n_counters, MEMPROBE_SLOT_BUSY + 1);
	assert_string_equal(grant.counter[MEMPROBE_SLOT_APERF], "aperf");
	assert_string_equal(grant.counter[MEMPROBE_SLOT_MPERF], "mperf");
	assert_string_equal(grant.counter[MEMPROBE_SLOT_EMPTY], "empty");
	assert_string_equal(grant.counter[MEMPROBE_SLOT_QUIET], "quiet_ns");
	assert_string_equal(grant.counter[MEMPROBE_SLOT_BUSY], "busy_ns");
	for (uint32_t i = 0; i < grant.n_counters; i++)
		assert_true(grant.counter[i][0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_taken_over_and_numbered_on),
		cmocka_unit_test(fewer_hops_than_asked_for_are_flagged_short),
		cmocka_unit_test(what_others_evicted_counts_until_it_is_warm_again),
		cmocka_unit_test(who_does_not_know_who_ran_takes_it_for_others),
		cmocka_unit_test(ticks_become_words_of_the_batch),
		cmocka_unit_test(ticks_become_a_histogram_where_one_is_wanted),
		cmocka_unit_test(an_answer_that_makes_no_sense_is_refused),
		cmocka_unit_test(counters_are_named_by_their_slots),
	};

	return cmocka_run_group_tests_name("kmod_note", tests, NULL, NULL);
}
