// SPDX-License-Identifier: GPL-2.0
/* Notes of bursts and the samples they become. */
#include "backend/user_note.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "limits.h"

#define BURSTS 3u
#define GROUPS 6u

static const struct mp_user_clock clock_2ghz = {
	.hz = 2e9,
	.last = { .tick = 1000, .mono_ns = 5000 },
};

static const struct mp_actor actor = {
	.op = MP_OP_CHASE,
	.length = 4096,
	.hops = 128,
};

static const struct mp_user_about about = {
	.clock = &clock_2ghz,
	.actor = &actor,
	.hops = 128,
	.index = 2,
	.round = 7,
	.window_ticks = 500,
};

static struct mp_batch empty_batch(void)
{
	struct mp_batch batch;
	struct mp_exp exp;

	mp_exp_chase(&exp, 0, MP_PAGES_4K, 4096, 64, 0);
	mp_batch_init(&batch, &exp, 0);
	return batch;
}

/* Notes of calm bursts that were all like this. */
static struct mp_user_notes calm_notes(void)
{
	struct mp_user_notes notes;

	assert_int_equal(mp_user_notes_make(&notes, BURSTS), 0);
	notes.n = BURSTS;
	for (uint32_t i = 0; i < BURSTS; i++)
		notes.burst[i] = (struct mp_user_burst){
			.chase = {
				.done_hops = 128,
				.start_tick = 3000 + 2000 * i,
				.ticks = 400,
				.look_max_ticks = 210,
			},
			.warm_hops = 64,
			.cpu = 1,
			.cpu_end = 1,
		};
	return notes;
}

static bool known(const struct memprobe_sample *sample, int bit)
{
	return sample->valid >> bit & 1;
}

static void a_calm_burst_becomes_a_calm_sample(void **state)
{
	struct mp_user_notes notes = calm_notes();
	struct mp_batch batch = empty_batch();
	const struct memprobe_sample *sample;

	(void)state;
	assert_int_equal(mp_user_notes_give(&notes, &about, &batch), 0);
	assert_int_equal(batch.n_samples, BURSTS);
	sample = &batch.sample[1];
	assert_int_equal(sample->actor, 2);
	assert_int_equal(sample->round, 7);
	assert_int_equal(sample->burst, 1);
	assert_int_equal(sample->place, 1);
	assert_int_equal(sample->cpu_end, 1);
	assert_int_equal(sample->hops, 128);
	assert_int_equal(sample->bytes, 4096);
	assert_int_equal(sample->ticks, 400);
	assert_int_equal(sample->start_ns, 5000 + (5000 - 1000) / 2);
	assert_int_equal(sample->gap_max_ticks, 210);
	assert_int_equal(sample->warm_hops, 64);
	assert_int_equal(sample->flags, 0);
	assert_int_equal(sample->overrun_ticks, 0);
	assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_NONE);
	assert_true(known(sample, MEMPROBE_VALID_START));
	assert_true(known(sample, MEMPROBE_VALID_GAPS));
	assert_true(known(sample, MEMPROBE_VALID_CPU_END));
	assert_true(known(sample, MEMPROBE_VALID_OVERRUN));
	assert_false(known(sample, MEMPROBE_VALID_NMI));
	assert_false(known(sample, MEMPROBE_VALID_SMI));
	assert_false(known(sample, MEMPROBE_VALID_SPAN2));
	assert_true(mp_sample_calm(sample));
	mp_batch_free(&batch);
	mp_user_notes_free(&notes);
}

static void what_disturbed_a_burst_flags_that_one_only(void **state)
{
	struct mp_user_notes notes = calm_notes();
	struct mp_batch batch = empty_batch();

	(void)state;
	notes.usage_each = true;
	for (uint32_t i = 0; i < BURSTS; i++)
		notes.burst[i].usage = (struct mp_user_usage){ 0 };
	notes.burst[0].chase.gaps = 2;
	notes.burst[0].chase.lost_ticks = 300;
	notes.burst[0].cold = true;
	notes.burst[0].cpu_end = 3;
	notes.burst[0].usage.switches = 100000;
	notes.burst[0].usage.faults = 4;
	notes.burst[0].chase.ticks = 700;
	notes.burst[0].chase.done_hops = 64;
	assert_int_equal(mp_user_notes_give(&notes, &about, &batch), 0);
	assert_int_equal(batch.sample[0].flags,
			 MEMPROBE_F_GAP | MEMPROBE_F_COLD |
			 MEMPROBE_F_MIGRATED | MEMPROBE_F_SWITCHED |
			 MEMPROBE_F_FAULT | MEMPROBE_F_SHORT);
	assert_int_equal(batch.sample[0].gaps, 2);
	assert_int_equal(batch.sample[0].gap_ticks, 300);
	assert_int_equal(batch.sample[0].switches, 65535);
	assert_int_equal(batch.sample[0].faults, 4);
	assert_int_equal(batch.sample[0].overrun_ticks, 200);
	assert_int_equal(batch.sample[1].flags, 0);
	assert_true(known(&batch.sample[1], MEMPROBE_VALID_SWITCHES));
	mp_batch_free(&batch);
	mp_user_notes_free(&notes);
}

static void counts_of_a_round_hold_where_they_are_zero(void **state)
{
	struct mp_user_notes notes = calm_notes();
	struct mp_batch batch = empty_batch();

	(void)state;
	notes.usage = (struct mp_user_usage){ .switches = 0, .faults = 1 };
	assert_int_equal(mp_user_notes_give(&notes, &about, &batch), 0);
	for (uint32_t i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];

		assert_true(known(sample, MEMPROBE_VALID_SWITCHES));
		assert_int_equal(sample->switches, 0);
		assert_false(known(sample, MEMPROBE_VALID_FAULTS));
		assert_int_equal(sample->flags, 0);
	}
	mp_batch_free(&batch);
	mp_user_notes_free(&notes);
}

static void ordered_ticks_are_kept_in_order(void **state)
{
	static const uint64_t ticks[GROUPS] = { 9, 3, 9, 3, 3, 70 };
	struct mp_user_notes notes = calm_notes();
	struct mp_batch batch = empty_batch();
	struct mp_user_burst *burst = &notes.burst[1];

	(void)state;
	assert_int_equal(mp_user_notes_groups(&notes, GROUPS), 0);
	memcpy(notes.ticks, ticks, sizeof(ticks));
	assert_int_equal(mp_user_notes_keep(&notes, MP_DETAIL_TICKS,
					    &notes.burst[0], &batch), 0);
	assert_int_equal(mp_user_notes_keep(&notes, MP_DETAIL_TICKS, burst,
					    &batch), 0);
	assert_int_equal(burst->payload.offset, GROUPS);
	assert_int_equal(burst->payload.count, GROUPS);
	assert_memory_equal(batch.payload + GROUPS, ticks, sizeof(ticks));
	mp_batch_free(&batch);
	mp_user_notes_free(&notes);
}

static void a_histogram_is_pairs_with_rising_ticks(void **state)
{
	static const uint64_t ticks[GROUPS] = { 9, 3, 9, 3, 3, 70 };
	static const uint64_t pairs[] = { 3, 3, 9, 2, 70, 1 };
	struct mp_user_notes notes = calm_notes();
	struct mp_batch batch = empty_batch();
	struct mp_user_burst *burst = &notes.burst[0];

	(void)state;
	assert_int_equal(mp_user_notes_groups(&notes, GROUPS), 0);
	memcpy(notes.ticks, ticks, sizeof(ticks));
	assert_int_equal(mp_user_notes_keep(&notes, MP_DETAIL_HIST, burst,
					    &batch), 0);
	assert_int_equal(burst->payload.count, 6);
	assert_memory_equal(batch.payload, pairs, sizeof(pairs));
	mp_batch_free(&batch);
	mp_user_notes_free(&notes);
}

static void too_many_words_are_an_error_not_a_cut(void **state)
{
	struct mp_user_notes notes = calm_notes();
	struct mp_batch batch = empty_batch();

	(void)state;
	assert_int_equal(mp_user_notes_groups(&notes, MP_BATCH_WORDS_MAX + 1),
			 0);
	assert_int_equal(mp_user_notes_keep(&notes, MP_DETAIL_TICKS,
					    &notes.burst[0], &batch), -EFBIG);
	mp_batch_free(&batch);
	mp_user_notes_free(&notes);
}

static void the_kernels_counts_never_go_down(void **state)
{
	const struct mp_user_usage before = mp_user_usage_now();
	const struct mp_user_usage since = mp_user_usage_since(&before);

	(void)state;
	assert_true(since.switches < 1u << 30);
	assert_true(since.faults < 1u << 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_calm_burst_becomes_a_calm_sample),
		cmocka_unit_test(what_disturbed_a_burst_flags_that_one_only),
		cmocka_unit_test(counts_of_a_round_hold_where_they_are_zero),
		cmocka_unit_test(ordered_ticks_are_kept_in_order),
		cmocka_unit_test(a_histogram_is_pairs_with_rising_ticks),
		cmocka_unit_test(too_many_words_are_an_error_not_a_cut),
		cmocka_unit_test(the_kernels_counts_never_go_down),
	};

	return cmocka_run_group_tests_name("user_note", tests, NULL, NULL);
}
