// SPDX-License-Identifier: GPL-2.0
/*
 * Ticks to nanoseconds, to core cycles and to the cost of a hop, against
 * values worked out by hand.
 */
#include "analysis/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "chase.h"

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

static void begin(struct mp_batch *batch)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, 0, MP_PAGES_4K, 4096, 64, 0);
	mp_batch_init(batch, &exp, 0);
	batch->grant.tick_hz = 2e9;
}

/* A burst of the first actor: @hops hops of so many ticks each. */
static struct memprobe_sample *burst(struct mp_batch *batch, uint64_t hops,
				     uint64_t hop_ticks)
{
	struct memprobe_sample *sample = mp_batch_add(batch);

	assert_non_null(sample);
	sample->hops = hops;
	sample->ticks = hops * hop_ticks;
	return sample;
}

static void ticks_become_ns_by_the_clock_of_their_grant(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	near(mp_clock_ns(&batch, 100), 50);
	batch.grant.tick_hz = 24e6;
	near(mp_clock_ns(&batch, 3), 125);
	mp_batch_free(&batch);
}

static void without_a_tick_rate_nothing_is_known(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	batch.grant.n_clocks = 1;
	batch.grant.clock[0].add_hz = 3e9;
	batch.grant.tick_hz = 0;
	assert_true(isnan(mp_clock_ns(&batch, 100)));
	assert_true(isnan(mp_clock_cycles(&batch, 100)));
	batch.grant.tick_hz = NAN;
	assert_true(isnan(mp_clock_ns(&batch, 100)));
	mp_batch_free(&batch);
}

static void the_core_clock_is_the_mean_of_what_adds_said(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	batch.grant.n_clocks = 3;
	batch.grant.clock[0] = (struct mp_clock_record){ 0, 3.0e9, 9e9 };
	batch.grant.clock[1] = (struct mp_clock_record){ 1, 3.2e9, 9e9 };
	/* Unknown is 0 and no part of a mean. */
	batch.grant.clock[2] = (struct mp_clock_record){ 2, 0, 9e9 };
	near(mp_clock_core_hz(&batch), 3.1e9);
	near(mp_clock_cycles(&batch, 200), 310);
	near(mp_clock_core_off(&batch), 0.1 / 3.1);
	/* What lies beyond the count is no record. */
	batch.grant.n_clocks = 1;
	near(mp_clock_core_hz(&batch), 3.0e9);
	assert_true(mp_clock_core_off(&batch) == 0);
	batch.grant.n_clocks = 0;
	assert_true(mp_clock_core_off(&batch) == 0);
	mp_batch_free(&batch);
}

static void without_an_add_there_are_no_cycles(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	assert_true(isnan(mp_clock_core_hz(&batch)));
	batch.grant.n_clocks = 2;
	batch.grant.clock[0].mul_hz = 3e9;
	assert_true(isnan(mp_clock_core_hz(&batch)));
	assert_true(isnan(mp_clock_cycles(&batch, 100)));
	near(mp_clock_ns(&batch, 100), 50);
	mp_batch_free(&batch);
}

static void what_reading_the_clock_costs_is_taken_off(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	batch.grant.read_ticks = 40;
	batch.grant.look_ticks = 3.2;
	burst(&batch, 1000, 5)->ticks += 40;
	/* Two reads a burst, a look each so many hops. */
	near(mp_clock_hop_ticks(&batch, 0), 5 - 3.2 / MP_CHASE_LOOK_HOPS);
	burst(&batch, 10, 5)->ticks += 40;
	near(mp_clock_hop_ticks(&batch, 0), 5 - 3.2 / MP_CHASE_LOOK_HOPS);
	mp_batch_free(&batch);
}

static void around_each_group_the_clock_is_read_and_between_its_hops_not(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	batch.grant.read_ticks = 40;
	batch.grant.look_ticks = 3.2;
	batch.exp.actor[0].detail = MP_DETAIL_HIST;
	batch.exp.actor[0].group = 4;
	burst(&batch, 1000, 5)->ticks += 250 * 40;
	near(mp_clock_hop_ticks(&batch, 0), 5);
	batch.exp.actor[0].detail = MP_DETAIL_TICKS;
	near(mp_clock_hop_ticks(&batch, 0), 5);
	mp_batch_free(&batch);
}

static void disturbed_bursts_are_passed_over(void **state)
{
	static const uint32_t flags[] = {
		MEMPROBE_F_GAP, MEMPROBE_F_COLD, MEMPROBE_F_MIGRATED,
		MEMPROBE_F_SWITCHED, MEMPROBE_F_FAULT, MEMPROBE_F_NMI,
		MEMPROBE_F_SMI, MEMPROBE_F_CLOCK,
	};
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	for (uint32_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		burst(&batch, 100, 50)->flags = flags[i];
		assert_true(isnan(mp_clock_hop_ticks(&batch, 0)));
	}
	burst(&batch, 100, 5);
	near(mp_clock_hop_ticks(&batch, 0), 5);
	mp_batch_free(&batch);
}

static void a_burst_that_its_window_ended_counts_by_its_hops(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	burst(&batch, 37, 200)->flags = MEMPROBE_F_SHORT;
	near(mp_clock_hop_ticks(&batch, 0), 200);
	mp_batch_free(&batch);
}

static void only_the_actor_asked_for_is_looked_at(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	burst(&batch, 100, 5);
	burst(&batch, 100, 70)->actor = 1;
	near(mp_clock_hop_ticks(&batch, 0), 5);
	near(mp_clock_hop_ticks(&batch, 1), 70);
	assert_true(isnan(mp_clock_hop_ticks(&batch, 2)));
	mp_batch_free(&batch);
}

static void a_burst_without_hops_is_none(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	assert_true(isnan(mp_clock_hop_ticks(&batch, 0)));
	burst(&batch, 0, 0)->ticks = 5000;
	assert_true(isnan(mp_clock_hop_ticks(&batch, 0)));
	mp_batch_free(&batch);
}

static void one_calm_burst_gone_wild_does_not_move_the_cost(void **state)
{
	struct mp_batch batch;

	(void)state;
	begin(&batch);
	for (int i = 0; i < 7; i++)
		burst(&batch, 100, 5);
	burst(&batch, 100, 900);
	near(mp_clock_hop_ticks(&batch, 0), 5);
	mp_batch_free(&batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_become_ns_by_the_clock_of_their_grant),
		cmocka_unit_test(without_a_tick_rate_nothing_is_known),
		cmocka_unit_test(the_core_clock_is_the_mean_of_what_adds_said),
		cmocka_unit_test(without_an_add_there_are_no_cycles),
		cmocka_unit_test(what_reading_the_clock_costs_is_taken_off),
		cmocka_unit_test(around_each_group_the_clock_is_read_and_between_its_hops_not),
		cmocka_unit_test(disturbed_bursts_are_passed_over),
		cmocka_unit_test(a_burst_that_its_window_ended_counts_by_its_hops),
		cmocka_unit_test(only_the_actor_asked_for_is_looked_at),
		cmocka_unit_test(a_burst_without_hops_is_none),
		cmocka_unit_test(one_calm_burst_gone_wild_does_not_move_the_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
