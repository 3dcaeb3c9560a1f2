// SPDX-License-Identifier: GPL-2.0
/* What was seen of walks over several sets, of which others use one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/policy_look.h"
#include "sim_ask.h"
#include "temp_folder.h"

#define KIB 1024.0
/* Longer than a miss in the first level takes, shorter than a gap. */
#define MORE_TICKS 12u

static struct sim_ask ask;
static struct mp_policy_level level;
static struct mp_policy_walk walk;
static struct mp_policy_looked clean, looked;

static int put(void **state)
{
	char why[MP_FACT_TEXT];

	(void)state;
	sim_ask_know(&ask, "cpu.l1d.line", 64);
	sim_ask_know(&ask, "cpu.l1d.sector", 64);
	sim_ask_know(&ask, "cpu.l1d.size", 32 * KIB);
	sim_ask_know(&ask, "cpu.l1d.ways", 8);
	sim_ask_know(&ask, "cpu.l1d.latency", 4 / 3.0);
	sim_ask_know(&ask, "cpu.l2.latency", 14 / 3.0);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=32K ways=8 latency=4 policy=tree-plru\n"
		"level name=l2 size=1M ways=16 latency=14 policy=lru\n"
		"clock tsc_mhz=3000\n", mp_probe_find("policy"), 5);
	assert_true(mp_policy_level_find(&ask.view, 0, NULL, &level, why));
	mp_policy_look_walk(&level, 0, &walk);
	assert_int_equal(mp_policy_look_at(&level, &ask.view, &walk, &clean),
			 0);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	sim_ask_free(&ask);
	return 0;
}

/* Some looks of a walk over one set take longer, in all bursts. */
static void slow_down(uint32_t number, uint32_t set, uint32_t from, uint32_t to)
{
	struct mp_policy_walk other;
	struct mp_exp exp;

	mp_policy_look_walk(&level, number, &other);
	mp_policy_look_exp(&level, &ask.view, &other, set, &exp);
	for (uint32_t i = 0; i < ask.view.n_batches; i++) {
		struct mp_batch *batch = ask.batch[i];

		if (!mp_exp_equal(&batch->exp, &exp))
			continue;
		for (uint32_t k = 0; k < batch->n_samples; k++) {
			const uint64_t at = batch->sample[k].payload_offset;

			for (uint32_t look = from; look < to; look++)
				batch->payload[at + look] += MORE_TICKS;
		}
	}
}

static uint32_t differ(void)
{
	uint32_t n = 0;

	assert_int_equal(mp_policy_look_at(&level, &ask.view, &walk, &looked),
			 0);
	for (uint32_t i = 0; i < mp_policy_looks(&walk); i++)
		n += fabs(looked.hit[i] - clean.hit[i]) > 0.3;
	return n;
}

static void sets_lie_apart(void **state)
{
	uint64_t at[MP_POLICY_SETS_MOST];
	struct mp_exp exp;

	(void)state;
	assert_int_equal(level.sets, 3);
	for (uint32_t i = 0; i < level.sets; i++) {
		mp_policy_look_exp(&level, &ask.view, &walk, i, &exp);
		at[i] = exp.actor[0].offset;
		assert_true(at[i] % 64 == 0 && at[i] >= 8 * 64 && at[i] < 4096);
		assert_true(!i || at[i] >= at[i - 1] + 8 * 64);
	}
}

static void what_others_do_to_one_set_does_not_count(void **state)
{
	(void)state;
	slow_down(0, 1, 8, 40);
	assert_int_equal(differ(), 0);
	slow_down(0, 0, 8, 40);
	assert_true(differ() > 10);
}

static bool wants_what_is_new(const struct mp_plan *plan)
{
	for (uint32_t i = 0; i < plan->n; i++) {
		bool is_new = true;

		for (uint32_t k = 0; k < ask.view.n_batches; k++)
			is_new &= !mp_exp_equal(&ask.batch[k]->exp,
						&plan->wanted[i].exp);
		if (is_new)
			return true;
	}
	return false;
}

/* Lines that are fetched before their turn, in every set: what nearly fits is
 * looked at again with lines that do not come from memory. */
static void what_nearly_fits_is_looked_at_with_fewer_visits(void **state)
{
	struct mp_plan plan = { 0 };

	(void)state;
	assert_true(mp_probe_find("policy")->next(&ask.view, &plan) >= 0);
	assert_false(wants_what_is_new(&plan));
	mp_plan_free(&plan);
	for (uint32_t number = 0; number < 6; number++)
		for (uint32_t i = 0; i < level.sets; i++)
			slow_down(number, i, 30, 33);
	assert_true(mp_probe_find("policy")->next(&ask.view, &plan) >= 0);
	assert_true(wants_what_is_new(&plan));
	mp_plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sets_lie_apart, put, forget),
		cmocka_unit_test_setup_teardown(
			what_others_do_to_one_set_does_not_count, put, forget),
		cmocka_unit_test_setup_teardown(
			what_nearly_fits_is_looked_at_with_fewer_visits, put,
			forget),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
