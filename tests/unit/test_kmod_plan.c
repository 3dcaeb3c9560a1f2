// SPDX-License-Identifier: GPL-2.0
/* Experiments in the words of the module, and those that it has none for. */
#include "backend/kmod_plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake_kmod.h"
#include "limits.h"

#define ROOM 256
#define FLAGS MEMPROBE_RUN_PREEMPT_OFF

static char why[ROOM];

static struct mp_exp chase(void)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, 5, MP_PAGES_CONTIG, 65536, 128, 8192);
	exp.actor[0].warm_hops = 3000;
	exp.actor[0].hops = 2048;
	return exp;
}

/* Flush 1, touch 0, time 1, time 2. */
static struct mp_exp sequence(void)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, 0, MP_PAGES_CONTIG, 4096, 64, 0);
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.n_steps = 4;
	exp.steps[0] = MEMPROBE_STEP(1, MEMPROBE_STEP_FLUSH);
	exp.steps[1] = MEMPROBE_STEP(0, MEMPROBE_STEP_TOUCH);
	exp.steps[2] = MEMPROBE_STEP(1, MEMPROBE_STEP_TIME);
	exp.steps[3] = MEMPROBE_STEP(2, MEMPROBE_STEP_TIME);
	return exp;
}

static void make(struct mp_kmod_plan *plan, const struct mp_exp *exp)
{
	assert_int_equal(mp_exp_check(exp, NULL, 0), 0);
	if (mp_kmod_plan_make(plan, exp, &fake_kmod.info, FLAGS, why,
			      sizeof(why)))
		fail_msg("%s", why);
}

static void refused(const struct mp_exp *exp, const char *word)
{
	struct mp_kmod_plan plan;

	assert_int_equal(mp_kmod_plan_make(&plan, exp, &fake_kmod.info, FLAGS,
					   why, sizeof(why)), -EOPNOTSUPP);
	if (!strstr(why, word))
		fail_msg("\"%s\" does not say \"%s\"", why, word);
}

static void the_fields_of_a_chase_go_over_one_by_one(void **state)
{
	struct mp_exp exp = chase();
	struct mp_kmod_plan plan;

	(void)state;
	fake_kmod_load();
	exp.arena[0].bytes = 2 * 65536;
	exp.actor[0].offset = 4096;
	make(&plan, &exp);
	assert_int_equal(plan.actor.size, sizeof(plan.actor));
	assert_int_equal(plan.actor.op, MEMPROBE_OP_CHASE);
	assert_int_equal(plan.actor.cpu, 5);
	assert_int_equal(plan.actor.phase, 0);
	assert_int_equal(plan.actor.flags, 0);
	assert_int_equal(plan.actor.offset, 4096);
	assert_int_equal(plan.actor.length, 65536);
	assert_int_equal(plan.actor.stride, 128);
	assert_int_equal(plan.actor.reach, 8192);
	assert_int_equal(plan.actor.skew, 0);
	assert_int_equal(plan.actor.hops, 2048);
	assert_int_equal(plan.actor.warm_hops, 3000);
	assert_int_equal(plan.actor.group, 0);
	assert_int_equal(plan.actor.gap_ns, 0);
	assert_int_equal(plan.window_ns, MP_WINDOW_NS);
	assert_int_equal(plan.flags, FLAGS);
	assert_int_equal(plan.burst_ticks, 0);
}

static void a_window_warms_one_turn_again_or_what_was_asked(void **state)
{
	struct mp_exp exp = chase();
	struct mp_kmod_plan plan;

	(void)state;
	fake_kmod_load();
	make(&plan, &exp);
	assert_int_equal(plan.actor.rewarm_hops, 65536 / 128);
	exp.actor[0].warm_hops = 100;
	make(&plan, &exp);
	assert_int_equal(plan.actor.rewarm_hops, 100);
}

static void groups_have_a_word_each_and_bound_the_bursts_of_a_call(
	void **state)
{
	struct mp_exp exp = chase();
	struct mp_kmod_plan plan;

	(void)state;
	fake_kmod_load();
	exp.actor[0].detail = MP_DETAIL_HIST;
	exp.actor[0].group = 16;
	make(&plan, &exp);
	assert_int_equal(plan.actor.group, 16);
	assert_int_equal(plan.burst_ticks, 2048 / 16);
	assert_int_equal(plan.burst_detail, MP_DETAIL_HIST);
	assert_int_equal(mp_kmod_plan_bursts(&plan, 8), 8);
	fake_kmod.info.ticks_max = 3 * 2048 / 16 + 1;
	make(&plan, &exp);
	assert_int_equal(mp_kmod_plan_bursts(&plan, 8), 3);
	assert_int_equal(mp_kmod_plan_bursts(&plan, 2), 2);
	/* Whole groups only. */
	exp.actor[0].hops = 65;
	exp.actor[0].group = 3;
	make(&plan, &exp);
	assert_int_equal(plan.burst_ticks, 21);
	fake_kmod.info.ticks_max = 20;
	refused(&exp, "ticks of a burst 21: the module allows 20");
}

static void a_sequence_brings_the_ticks_of_its_timed_steps(void **state)
{
	const struct mp_exp exp = sequence();
	struct mp_kmod_plan plan;

	(void)state;
	fake_kmod_load();
	make(&plan, &exp);
	assert_int_equal(plan.actor.op, MEMPROBE_OP_SEQUENCE);
	assert_int_equal(plan.actor.hops, 0);
	assert_int_equal(plan.actor.group, 0);
	assert_int_equal(plan.actor.rewarm_hops, 0);
	assert_int_equal(plan.n_steps, 4);
	assert_ptr_equal(plan.steps, exp.steps);
	assert_int_equal(plan.burst_ticks, 2);
	assert_int_equal(plan.burst_detail, MP_DETAIL_TICKS);
}

static void what_the_module_has_narrower_rules_for_is_refused_by_name(
	void **state)
{
	struct mp_exp exp = chase();

	(void)state;
	fake_kmod_load();
	exp.arena[0].bytes *= 2;
	exp.actor[0].offset = 8;
	refused(&exp, "offset 8: the module wants a multiple of 64");
	exp = chase();
	exp.n_steps = 1;
	refused(&exp, "steps of a chase 1");
	exp = chase();
	exp.actor[0].op = MP_OP_STREAM;
	refused(&exp, "op stream");
	exp = sequence();
	exp.actor[0].stride = 72;
	refused(&exp, "stride of a sequence 72");
	exp = sequence();
	exp.actor[0].reach = 1024;
	refused(&exp, "reach of a sequence 1024");
	exp = sequence();
	exp.actor[0].skew = 64;
	refused(&exp, "skew of a sequence 64");
	exp = sequence();
	exp.actor[0].warm_hops = 64;
	refused(&exp, "warm_hops of a sequence 64");
	fake_kmod.info.visits_max = 1;
	exp = sequence();
	refused(&exp, "visits to one slot 2: the module allows 1");
	fake_kmod.info.ops = 1u << MEMPROBE_OP_CHASE;
	refused(&exp, "op sequence");
}

static void what_exceeds_a_limit_names_value_and_limit(void **state)
{
	struct mp_exp exp = chase();

	(void)state;
	fake_kmod_load();
	fake_kmod.info.window_min_ns = 300000;
	refused(&exp, "window_ns 200000: the module allows 300000 to 10000000");
	fake_kmod_load();
	fake_kmod.info.hops_max = 2047;
	refused(&exp, "hops 2048: the module allows 2047");
	fake_kmod_load();
	fake_kmod.info.ring_slots_max = 511;
	refused(&exp, "slots 512: the module allows 511");
	fake_kmod_load();
	fake_kmod.info.group_max = 8;
	exp.actor[0].detail = MP_DETAIL_TICKS;
	exp.actor[0].group = 16;
	refused(&exp, "group 16: the module allows 8");
	fake_kmod.info.steps_max = 3;
	exp = sequence();
	refused(&exp, "steps 4: the module allows 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fields_of_a_chase_go_over_one_by_one),
		cmocka_unit_test(a_window_warms_one_turn_again_or_what_was_asked),
		cmocka_unit_test(groups_have_a_word_each_and_bound_the_bursts_of_a_call),
		cmocka_unit_test(a_sequence_brings_the_ticks_of_its_timed_steps),
		cmocka_unit_test(what_the_module_has_narrower_rules_for_is_refused_by_name),
		cmocka_unit_test(what_exceeds_a_limit_names_value_and_limit),
	};

	return cmocka_run_group_tests_name("kmod_plan", tests, NULL, NULL);
}
