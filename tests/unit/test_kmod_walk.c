// SPDX-License-Identifier: GPL-2.0
/* The calls of a round, and what ends them. */
#include "backend/kmod_walk.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake_kmod.h"
#include "limits.h"

#define BURSTS 6u

/* A walk over an arena of the stand-in. */
struct scene {
	struct mp_kmod_dev dev;
	struct mp_user_clock clock;
	struct mp_kmod_plan plan;
	struct mp_kmod_note note;
	struct mp_kmod_walk walk;
	struct mp_batch batch;
	char why[256];
};

static struct scene scene;

static void set_up(uint32_t call_bursts)
{
	const struct mp_arena want = { 16384, MP_PAGES_CONTIG, MP_NODE_ANY };
	struct memprobe_arena arena;
	uint32_t kind;
	struct mp_exp exp;

	fake_kmod_load();
	fake_kmod.info.bursts_max = call_bursts;
	memset(&scene, 0, sizeof(scene));
	scene.clock.hz = (double)fake_kmod.info.tick_hz;
	mp_exp_chase(&exp, 0, MP_PAGES_CONTIG, 16384, 64, 0);
	exp.actor[0].warm_hops = 512;
	mp_batch_init(&scene.batch, &exp, 0);
	assert_int_equal(mp_kmod_dev_open(&scene.dev, scene.why, 256), 0);
	assert_int_equal(mp_kmod_dev_take(&scene.dev, &want, true, &arena,
					  &kind, scene.why, 256), 0);
	assert_int_equal(mp_kmod_plan_make(&scene.plan, &scene.batch.exp,
					   &scene.dev.info,
					   MEMPROBE_RUN_PREEMPT_OFF,
					   scene.why, 256), 0);
	assert_int_equal(mp_kmod_note_make(&scene.note, &scene.plan, BURSTS),
			 0);
	scene.walk = (struct mp_kmod_walk){
		.dev = &scene.dev,
		.clock = &scene.clock,
		.plan = &scene.plan,
		.note = &scene.note,
		.arena = arena.id,
		.seed = 99,
		.bursts = BURSTS,
		.late_ns = UINT64_MAX,
	};
}

static int walk(uint16_t round)
{
	return mp_kmod_walk_round(&scene.walk, round, &scene.batch, scene.why,
				  sizeof(scene.why));
}

static void tear_down(void)
{
	mp_kmod_note_free(&scene.note);
	mp_batch_free(&scene.batch);
	mp_kmod_dev_close(&scene.dev);
	assert_int_equal(fake_kmod.n_held, 0);
}

static void assert_says(const char *word)
{
	if (!strstr(scene.why, word))
		fail_msg("\"%s\" does not say \"%s\"", scene.why, word);
}

static void assert_bursts(uint32_t n)
{
	assert_int_equal(scene.batch.n_samples, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(scene.batch.sample[i].burst, i);
}

static void a_round_is_one_call_that_asks_for_what_was_planned(void **state)
{
	const struct memprobe_run *run = &fake_kmod.run;

	(void)state;
	set_up(4096);
	assert_int_equal(walk(3), 0);
	assert_bursts(BURSTS);
	assert_int_equal(scene.batch.sample[0].round, 3);
	assert_int_equal(fake_kmod.n_runs, 1);
	assert_int_equal(run->size, sizeof(*run));
	assert_int_equal(run->flags, MEMPROBE_RUN_PREEMPT_OFF);
	assert_int_equal(run->window_ns, MP_WINDOW_NS);
	assert_int_equal(run->n_actors, 1);
	assert_int_equal(run->actor_size, sizeof(struct memprobe_actor));
	assert_int_equal(run->n_events, 0);
	assert_int_equal(run->n_steps, 0);
	assert_int_equal(run->n_ticks, 0);
	assert_int_equal(run->ticks, 0);
	assert_int_equal(run->n_samples, BURSTS);
	assert_int_equal(run->sample_stride, sizeof(struct memprobe_sample));
	assert_int_equal(run->reserved, 0);
	assert_int_equal(fake_kmod.actor.seed, 99);
	assert_int_equal(fake_kmod.actor.bursts, BURSTS);
	assert_int_equal(fake_kmod.actor.arena, scene.walk.arena);
	assert_false(scene.walk.ended);
	assert_int_equal(scene.walk.got, MEMPROBE_RUN_PREEMPT_OFF);
	assert_true(scene.walk.gap_ticks > 0);
	tear_down();
}

static void what_one_call_may_not_do_others_go_on_with(void **state)
{
	(void)state;
	set_up(4);
	assert_int_equal(walk(0), 0);
	assert_bursts(BURSTS);
	assert_int_equal(fake_kmod.n_runs, 2);
	assert_int_equal(fake_kmod.first_bursts, 4);
	assert_int_equal(fake_kmod.actor.bursts, 2);
	tear_down();
}

static void time_that_is_up_is_asked_for_again(void **state)
{
	(void)state;
	set_up(4096);
	fake_kmod.stop = MEMPROBE_STOP_TIME;
	fake_kmod.stop_after = 4;
	assert_int_equal(walk(0), 0);
	assert_bursts(BURSTS);
	assert_int_equal(fake_kmod.n_runs, 2);
	assert_int_equal(fake_kmod.actor.bursts, 2);
	tear_down();
}

static void a_batch_that_has_had_its_time_is_cut_short(void **state)
{
	(void)state;
	set_up(4096);
	fake_kmod.stop = MEMPROBE_STOP_TIME;
	fake_kmod.stop_after = 2;
	scene.walk.late_ns = 1;
	assert_int_equal(walk(0), 0);
	assert_bursts(2);
	assert_true(scene.walk.ended);
	tear_down();
}

static void no_burst_in_all_the_time_is_another_try(void **state)
{
	(void)state;
	set_up(4096);
	fake_kmod.stop = MEMPROBE_STOP_TIME;
	fake_kmod.stop_after = 0;
	assert_int_equal(walk(0), -EAGAIN);
	assert_says("time was up before the first burst");
	assert_int_equal(fake_kmod.n_runs, 1);
	tear_down();
}

static void a_signal_keeps_what_there_is(void **state)
{
	(void)state;
	set_up(4096);
	fake_kmod.stop = MEMPROBE_STOP_SIGNAL;
	fake_kmod.stop_after = 2;
	assert_int_equal(walk(0), 0);
	assert_bursts(2);
	assert_true(scene.walk.ended);
	assert_int_equal(fake_kmod.n_runs, 1);
	tear_down();
}

static void a_signal_before_anything_is_an_interruption(void **state)
{
	(void)state;
	set_up(4096);
	fake_kmod.run_err[0] = -EINTR;
	assert_int_equal(walk(0), -EINTR);
	assert_says("interrupted");
	tear_down();
	/* In a later call of the same batch there is something to keep. */
	set_up(4);
	fake_kmod.run_err[1] = -EINTR;
	assert_int_equal(walk(0), 0);
	assert_bursts(4);
	assert_true(scene.walk.ended);
	tear_down();
}

static void a_cpu_that_is_gone_or_another_one_is_an_error(void **state)
{
	(void)state;
	set_up(4096);
	fake_kmod.stop_after = 2;
	fake_kmod.stop = MEMPROBE_STOP_HOTPLUG;
	assert_int_equal(walk(0), -ENXIO);
	assert_says("went offline");
	fake_kmod.stop = MEMPROBE_STOP_MOVED;
	assert_int_equal(walk(0), -EAGAIN);
	assert_says("moved this program away from CPU 0");
	fake_kmod.stop = 77;
	assert_int_equal(walk(0), -EIO);
	assert_says("77");
	fake_kmod.stop_after = 0;
	fake_kmod.stop = MEMPROBE_STOP_DONE;
	assert_int_equal(walk(0), -EIO);
	assert_says("not one sample");
	tear_down();
}

static void what_not_all_calls_got_the_batch_has_not_got(void **state)
{
	(void)state;
	set_up(4096);
	fake_kmod.run_got = MEMPROBE_RUN_SIBLING;
	assert_int_equal(walk(0), 0);
	assert_int_equal(scene.walk.got, MEMPROBE_RUN_PREEMPT_OFF |
					 MEMPROBE_RUN_SIBLING);
	fake_kmod.run_got = MEMPROBE_RUN_HYPERVISOR;
	assert_int_equal(walk(1), 0);
	assert_int_equal(scene.walk.got, MEMPROBE_RUN_PREEMPT_OFF);
	tear_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_is_one_call_that_asks_for_what_was_planned),
		cmocka_unit_test(what_one_call_may_not_do_others_go_on_with),
		cmocka_unit_test(time_that_is_up_is_asked_for_again),
		cmocka_unit_test(a_batch_that_has_had_its_time_is_cut_short),
		cmocka_unit_test(no_burst_in_all_the_time_is_another_try),
		cmocka_unit_test(a_signal_keeps_what_there_is),
		cmocka_unit_test(a_signal_before_anything_is_an_interruption),
		cmocka_unit_test(a_cpu_that_is_gone_or_another_one_is_an_error),
		cmocka_unit_test(what_not_all_calls_got_the_batch_has_not_got),
	};

	return cmocka_run_group_tests_name("kmod_walk", tests, NULL, NULL);
}
