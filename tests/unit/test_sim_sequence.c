// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences: each step does what it says to a set whose lines are known, and
 * ticks are those of the level that a line was in.
 */
#include "backend/sim_sequence.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_chase.h"
#include "made_batch.h"
#include "made_machine.h"

/* A core cycle is a tick; slots of 1 KiB share a set of two ways inside. */
#define MACHINE(step, noise) \
	"machine name=a clock_mhz=1000 memory_latency=200\n" \
	"level name=l1d size=2K ways=2 latency=4\n" \
	"level name=l2 size=8K ways=8 latency=20\n" \
	"place pages=contiguous\n" \
	"clock tsc_mhz=1000 read=30 step=" step "\n" noise
#define STRIDE 1024u
#define SLOTS 16u
#define READ 30u

#define TOUCH(slot) MEMPROBE_STEP(slot, MEMPROBE_STEP_TOUCH)
#define TIME(slot) MEMPROBE_STEP(slot, MEMPROBE_STEP_TIME)
#define FLUSH(slot) MEMPROBE_STEP(slot, MEMPROBE_STEP_FLUSH)

static void ask(struct mp_exp *exp, const uint32_t *steps, uint32_t n,
		uint32_t bursts)
{
	mp_exp_chase(exp, 0, MP_PAGES_4K, SLOTS * STRIDE, STRIDE, 0);
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->actor[0].bursts = bursts;
	exp->n_steps = n;
	memcpy(exp->steps, steps, n * sizeof(*steps));
	assert_int_equal(mp_exp_check(exp, NULL, 0), 0);
}

static void walk(const char *text, const struct mp_exp *exp,
		 uint32_t replicate, struct mp_batch *batch)
{
	struct mp_sim_machine machine;

	assert_int_equal(mp_sim_sequence_check(exp), 0);
	made_machine(&machine, text);
	mp_batch_init(batch, exp, replicate);
	assert_int_equal(mp_sim_chase(&machine, 1, NULL, batch), 0);
	mp_sim_machine_free(&machine);
}

/* Ticks of a burst, less one read of the clock; they may be one off. */
static void assert_cycles(const struct mp_batch *batch, uint32_t burst,
			  const uint32_t *cycles, uint32_t n)
{
	const struct memprobe_sample *sample = &batch->sample[burst];
	const uint64_t *word = batch->payload + sample->payload_offset;

	assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_TICKS);
	assert_int_equal(sample->payload_count, n);
	for (uint32_t i = 0; i < n; i++) {
		if (fabs((double)word[i] - READ - cycles[i]) > 1)
			fail_msg("burst %u, %u: %llu ticks, not %u", burst, i,
				 (unsigned long long)word[i],
				 READ + cycles[i]);
	}
}

static void timed_steps_tell_the_level_of_their_line(void **state)
{
	static const uint32_t steps[] = {
		FLUSH(0), FLUSH(1), FLUSH(2), FLUSH(3), TIME(0), TIME(0),
		TIME(1), TIME(2), TIME(0), TIME(2), TOUCH(3),
	};
	/* Two ways: 0 is put out by 2 and comes from the second level. */
	static const uint32_t cycles[] = { 200, 4, 200, 200, 20, 4 };
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 11, 3);
	walk(MACHINE("1", ""), &exp, 0, &batch);
	assert_int_equal(batch.n_samples, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_cycles(&batch, i, cycles, 6);
		assert_int_equal(batch.sample[i].hops, 11);
		assert_int_equal(batch.sample[i].burst, i);
		assert_int_equal(batch.sample[i].flags, 0);
		assert_false(batch.sample[i].valid &
			     1ull << MEMPROBE_VALID_GAPS);
	}
	mp_batch_free(&batch);
}

static void a_burst_meets_what_the_last_one_left(void **state)
{
	static const uint32_t steps[] = { TIME(0), FLUSH(0), TOUCH(1) };
	static const uint32_t first[] = { 4 }, later[] = { 200 };
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 3, 4);
	walk(MACHINE("1", ""), &exp, 0, &batch);
	/* Whoever wrote the sequence has touched both. */
	assert_cycles(&batch, 0, first, 1);
	for (uint32_t i = 1; i < 4; i++)
		assert_cycles(&batch, i, later, 1);
	mp_batch_free(&batch);
}

static void a_flush_reaches_inclusive_halves(void **state)
{
	static const char text[] =
		"machine name=a clock_mhz=1000 memory_latency=200\n"
		"level name=l1d size=2K ways=2 latency=4\n"
		"level name=l2 size=8K ways=8 line=128 latency=20 "
		"inclusion=inclusive\n"
		"clock tsc_mhz=1000 read=30\n";
	static const uint32_t steps[] = { TOUCH(0), TOUCH(1), FLUSH(0),
					  TIME(1), TIME(0) };
	/* The line comes back as a whole, so its other half is a hit. */
	static const uint32_t cycles[] = { 200, 20 };
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 5, 2);
	exp.actor[0].stride = 64;
	walk(text, &exp, 0, &batch);
	assert_cycles(&batch, 1, cycles, 2);
	mp_batch_free(&batch);
}

/* A visit has 16 bytes of its slot. */
static void later_visits_to_a_slot_fall_on_its_second_half(void **state)
{
	static const char text[] =
		"machine name=a clock_mhz=1000 memory_latency=200\n"
		"level name=l1d size=2K ways=2 line=32 latency=4\n"
		"clock tsc_mhz=1000 read=30\n";
	static const uint32_t steps[] = { TOUCH(0), FLUSH(0), TIME(0) };
	static const uint32_t halves[] = { 4 }, whole[] = { 200 };
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 3, 2);
	walk(text, &exp, 0, &batch);
	assert_cycles(&batch, 1, halves, 1);
	mp_batch_free(&batch);
	walk(MACHINE("1", ""), &exp, 0, &batch);
	assert_cycles(&batch, 1, whole, 1);
	mp_batch_free(&batch);
}

static void many_bursts_see_below_a_step_of_the_clock(void **state)
{
	static const uint32_t steps[] = { TOUCH(0), TIME(0) };
	struct mp_batch batch;
	struct mp_exp exp;
	double mean = 0;

	(void)state;
	ask(&exp, steps, 2, 4000);
	walk(MACHINE("50", ""), &exp, 0, &batch);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const uint64_t ticks =
			batch.payload[batch.sample[i].payload_offset];

		assert_int_equal(ticks % 50, 0);
		mean += (double)ticks / batch.n_samples;
	}
	/* 34 of 50: two thirds see a step. Four deviations are 1.5 ticks. */
	if (fabs(mean - 34) > 1.5)
		fail_msg("%g ticks in the mean, not 34", mean);
	mp_batch_free(&batch);
}

static void gaps_show_in_ticks_and_in_a_witness(void **state)
{
	static const uint32_t steps[] = { TOUCH(0), TIME(0), TIME(1) };
	uint32_t switched = 0, late = 0;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 3, 4000);
	walk(MACHINE("1", "noise gaps=0.3 gap_us=5..10\n"), &exp, 0, &batch);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		switched += !!(batch.sample[i].flags & MEMPROBE_F_SWITCHED);
		late += batch.sample[i].ticks >= 5000;
	}
	assert_true(switched > 20);
	assert_int_equal(switched, late);
	mp_batch_free(&batch);
}

static void a_window_ends_a_sequence_at_a_look(void **state)
{
	struct mp_batch batch;
	uint32_t steps[64];
	struct mp_exp exp;

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		steps[i] = FLUSH(i / 4);
	ask(&exp, steps, 64, 1);
	exp.window_ns = 10000;
	walk(MACHINE("1", ""), &exp, 0, &batch);
	/* 400 cycles each: the look behind 25 stands at 32. */
	assert_int_equal(batch.sample[0].hops, 32);
	assert_true(batch.sample[0].flags & MEMPROBE_F_SHORT);
	assert_true(batch.sample[0].overrun_ticks > 0);
	assert_int_equal(batch.n_words, 0);
	mp_batch_free(&batch);
}

static void a_histogram_can_be_had(void **state)
{
	static const uint32_t steps[] = { TOUCH(0), TIME(0), TIME(0), TIME(0),
					  FLUSH(1), TIME(1) };
	const uint64_t *word;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 6, 1);
	exp.actor[0].detail = MP_DETAIL_HIST;
	exp.actor[0].hops = 1;
	walk(MACHINE("10", ""), &exp, 0, &batch);
	word = batch.payload;
	assert_int_equal(batch.sample[0].payload_kind, MEMPROBE_PAYLOAD_HIST);
	assert_true(batch.n_words >= 4);
	for (uint32_t i = 2; i < batch.n_words; i += 2)
		assert_true(word[i] > word[i - 2]);
	mp_batch_free(&batch);
}

/* What a chase between its rounds has put out of the first level is not
 * brought back by laying it anew. */
static void a_chase_between_two_rounds_leaves_its_traces(void **state)
{
	static const uint32_t steps[] = { TIME(0), TIME(1), FLUSH(1) };
	static const uint32_t cycles[] = { 20, 200 };
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 3, 1);
	exp.rounds = 3;
	exp.n_actors = 2;
	exp.arena[0].bytes += 4096;
	exp.actor[1] = exp.actor[0];
	exp.actor[1].op = MP_OP_CHASE;
	exp.actor[1].phase = 1;
	exp.actor[1].offset = SLOTS * STRIDE;
	exp.actor[1].length = 4096;
	exp.actor[1].stride = 64;
	exp.actor[1].hops = 64;
	assert_int_equal(mp_exp_check(&exp, NULL, 0), 0);
	walk(MACHINE("1", ""), &exp, 0, &batch);
	assert_int_equal(batch.n_samples, 6);
	for (uint32_t i = 2; i < 6; i += 2)
		assert_cycles(&batch, i, cycles, 2);
	mp_batch_free(&batch);
}

static void what_a_line_has_no_room_for_is_refused(void **state)
{
	uint32_t steps[5] = { 0 };
	struct mp_exp exp;

	(void)state;
	ask(&exp, steps, 4, 1);
	assert_int_equal(mp_sim_sequence_check(&exp), 0);
	ask(&exp, steps, 5, 1);
	assert_int_equal(mp_sim_sequence_check(&exp), -EOPNOTSUPP);
	ask(&exp, steps, 4, 1);
	exp.actor[0].stride = 72;
	assert_int_equal(mp_sim_sequence_check(&exp), -EOPNOTSUPP);
	ask(&exp, steps, 4, 1);
	exp.actor[0].warm_hops = 1;
	assert_int_equal(mp_sim_sequence_check(&exp), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timed_steps_tell_the_level_of_their_line),
		cmocka_unit_test(a_burst_meets_what_the_last_one_left),
		cmocka_unit_test(a_flush_reaches_inclusive_halves),
		cmocka_unit_test(later_visits_to_a_slot_fall_on_its_second_half),
		cmocka_unit_test(many_bursts_see_below_a_step_of_the_clock),
		cmocka_unit_test(gaps_show_in_ticks_and_in_a_witness),
		cmocka_unit_test(a_window_ends_a_sequence_at_a_look),
		cmocka_unit_test(a_histogram_can_be_had),
		cmocka_unit_test(a_chase_between_two_rounds_leaves_its_traces),
		cmocka_unit_test(what_a_line_has_no_room_for_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
