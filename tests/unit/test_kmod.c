// SPDX-License-Identifier: GPL-2.0
/* The backend "kmod" through its row of the table, on a stand-in. */
#include "backend.h"

#include <errno.h>
#include <sched.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_kmod.h"
#include "limits.h"

#define BYTES 16384u
#define SEED 11u
#define QUIET (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF)

extern const struct mp_backend mp_backend_kmod;

static const struct mp_backend *const kmod = &mp_backend_kmod;
static struct mp_target target;
static struct mp_host host;

static struct mp_opts any_opts(void)
{
	return (struct mp_opts){
		.cpu = -1, .node = -1, .pages = -1, .seed = SEED,
	};
}

static void open_as(const struct mp_opts *opts)
{
	memset(&target, 0, sizeof(target));
	memset(&host, 0, sizeof(host));
	target.backend = kmod;
	if (kmod->open(&target, opts) || kmod->look(&target, &host))
		fail_msg("%s", target.why);
}

static void open_any(void)
{
	const struct mp_opts opts = any_opts();

	open_as(&opts);
}

static void shut(void)
{
	kmod->close(&target);
	assert_null(target.priv);
	assert_int_equal(fake_kmod.n_open, 0);
	assert_int_equal(fake_kmod.n_held, 0);
	kmod->close(&target);
}

static void assert_says(const char *word)
{
	if (!strstr(target.why, word))
		fail_msg("\"%s\" does not say \"%s\"", target.why, word);
	assert_null(strchr(target.why, '\n'));
}

static void refused(const struct mp_opts *opts, int err, const char *word)
{
	memset(&target, 0, sizeof(target));
	assert_int_equal(kmod->open(&target, opts), err);
	assert_says(word);
	shut();
}

static const char *condition(const char *key)
{
	for (uint32_t i = 0; i < host.n_conditions; i++)
		if (!strcmp(host.condition[i].key, key))
			return host.condition[i].text;
	return "";
}

static struct mp_exp small_chase(uint32_t pages)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, host.cpu, pages, BYTES, 64, 0);
	exp.actor[0].warm_hops = 512;
	exp.actor[0].bursts = 4;
	return exp;
}

static void run(const struct mp_exp *exp, struct mp_batch *batch)
{
	mp_batch_init(batch, exp, 5);
	target.why[0] = '\0';
	assert_int_equal(kmod->run(&target, exp, 5, batch), 0);
	assert_true(mp_exp_equal(&batch->exp, exp));
	assert_int_equal(fake_kmod.n_held, 0);
}

static void expect_error(const struct mp_exp *exp, int err, const char *word)
{
	struct mp_batch batch;

	run(exp, &batch);
	assert_int_equal(batch.error, err);
	assert_int_equal(batch.n_samples, 0);
	assert_says(word);
	mp_batch_free(&batch);
}

static void without_the_module_it_is_unmet_and_says_what_to_do(void **state)
{
	(void)state;
	fake_kmod_load();
	assert_null(kmod->unmet());
	assert_int_equal(fake_kmod.n_open, 0);
	fake_kmod.open_err = -ENOENT;
	assert_non_null(strstr(kmod->unmet(), "make run KMOD=1"));
	fake_kmod.open_err = -EACCES;
	assert_non_null(strstr(kmod->unmet(), "run as root"));
	fake_kmod.open_err = 0;
	fake_kmod.info_err = -ENOTTY;
	assert_non_null(strstr(kmod->unmet(), "another driver"));
	assert_int_equal(fake_kmod.n_open, 0);
}

static void it_wishes_for_contiguous_memory_and_interrupts_off(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	fake_kmod_load();
	open_any();
	assert_int_equal(host.pages, MP_PAGES_CONTIG);
	assert_true(host.caps & MP_CAP_HUGE);
	assert_true(host.caps & MP_CAP_SEQUENCE);
	assert_string_equal(host.label, "");
	assert_non_null(strstr(condition("window"), "interrupts off, 200 us"));
	exp = small_chase(MP_PAGES_CONTIG);
	run(&exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, 4);
	assert_int_equal(fake_kmod.run.flags, QUIET);
	assert_int_equal(fake_kmod.actor.seed,
			 mp_exp_seed(SEED, batch.id, 5));
	assert_int_equal(batch.grant.got & (MP_GOT_IRQ_OFF |
					    MP_GOT_PREEMPT_OFF |
					    MP_GOT_PREFETCH_OFF),
			 MP_GOT_IRQ_OFF | MP_GOT_PREEMPT_OFF);
	assert_int_equal(batch.grant.arena[0].pages, MP_PAGES_CONTIG);
	assert_int_equal(batch.grant.arena[0].contiguous, 1);
	assert_int_equal(batch.grant.arena[0].huge_bytes, BYTES);
	assert_int_equal(batch.grant.n_clocks, 2);
	assert_true(batch.grant.clock[1].add_hz > 0);
	assert_true(batch.grant.gap_ticks > 0);
	assert_true(batch.grant.look_ticks <= 10);
	assert_string_equal(batch.grant.counter[MEMPROBE_SLOT_BUSY],
			    "busy_ns");
	mp_batch_free(&batch);
	shut();
}

static double read_ticks(void)
{
	struct mp_batch batch;
	struct mp_exp exp;
	double ticks;

	open_any();
	exp = small_chase(MP_PAGES_CONTIG);
	run(&exp, &batch);
	assert_int_equal(batch.error, 0);
	ticks = batch.grant.read_ticks;
	mp_batch_free(&batch);
	shut();
	return ticks;
}

/* Its loop may lie in another place; what a load hides is the same. */
static void reads_cost_what_the_module_says_and_a_load_changes(void **state)
{
	double few, many;

	(void)state;
	fake_kmod_load();
	fake_kmod.info.empty_millis = 1000 * 1000;
	few = read_ticks();
	fake_kmod_load();
	fake_kmod.info.empty_millis = 1000 * 1000000;
	many = read_ticks();
	/* This machine's own clock is no slower to read than that. */
	assert_true(fabs(few - 1000) < 20000);
	assert_true(fabs(many - 1000000) < 20000);
}

static void the_noisy_twin_leaves_interrupts_on(void **state)
{
	struct mp_opts opts = any_opts();
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	fake_kmod_load();
	fake_kmod.run_deny = MEMPROBE_RUN_PREEMPT_OFF;
	opts.noisy = true;
	open_as(&opts);
	assert_non_null(strstr(condition("window"), "--noisy"));
	exp = small_chase(MP_PAGES_CONTIG);
	exp.quiet = MP_WISH_IRQ_OFF | MP_WISH_PREFETCH_OFF;
	run(&exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(fake_kmod.run.flags, 0);
	assert_int_equal(batch.grant.got & (MP_GOT_IRQ_OFF |
					    MP_GOT_PREEMPT_OFF), 0);
	mp_batch_free(&batch);
	shut();
}

static void it_is_as_quiet_as_is_permitted(void **state)
{
	const struct mp_opts opts = any_opts();

	(void)state;
	fake_kmod_load();
	fake_kmod.run_deny = MEMPROBE_RUN_IRQ_OFF;
	open_any();
	assert_int_equal(fake_kmod.run.flags, MEMPROBE_RUN_PREEMPT_OFF);
	assert_non_null(strstr(condition("window"), "preemption off"));
	shut();
	fake_kmod.run_deny = MEMPROBE_RUN_PREEMPT_OFF;
	refused(&opts, -EPERM, "CAP_SYS_ADMIN");
	fake_kmod_load();
	fake_kmod.info.run_flags = 0;
	refused(&opts, -EOPNOTSUPP, "give --noisy");
}

static void prefetchers_are_a_wish(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	fake_kmod_load();
	open_any();
	exp = small_chase(MP_PAGES_CONTIG);
	exp.quiet = MP_WISH_PREFETCH_OFF;
	run(&exp, &batch);
	assert_int_equal(fake_kmod.run.flags,
			 QUIET | MEMPROBE_RUN_PREFETCH_OFF);
	assert_true(batch.grant.got & MP_GOT_PREFETCH_OFF);
	mp_batch_free(&batch);
	fake_kmod.run_deny = MEMPROBE_RUN_PREFETCH_OFF;
	run(&exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, 4);
	assert_int_equal(fake_kmod.run.flags, QUIET);
	assert_false(batch.grant.got & MP_GOT_PREFETCH_OFF);
	mp_batch_free(&batch);
	shut();
}

static void without_contiguous_memory_huge_pages_do_then_small_ones(
	void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.take_err[MEMPROBE_KIND_CONTIG] = -EPERM;
	open_any();
	assert_int_equal(host.pages, MP_PAGES_THP);
	assert_true(host.caps & MP_CAP_HUGE);
	shut();
	fake_kmod.page_shift = 12;
	open_any();
	assert_int_equal(host.pages, MP_PAGES_4K);
	assert_false(host.caps & MP_CAP_HUGE);
	assert_non_null(strstr(condition("pages"), "contiguous: not granted"));
	shut();
}

static void pages_asked_for_are_had_or_refused_by_name(void **state)
{
	struct mp_opts opts = any_opts();
	struct mp_exp exp;

	(void)state;
	fake_kmod_load();
	opts.pages = MP_PAGES_2M;
	open_as(&opts);
	assert_true(host.pages_forced);
	exp = small_chase(MP_PAGES_4K);
	expect_error(&exp, -EOPNOTSUPP, "only 2m were asked for");
	shut();
	fake_kmod.take_err[MEMPROBE_KIND_CONTIG] = -ENOMEM;
	opts.pages = MP_PAGES_CONTIG;
	refused(&opts, -EPERM, "pages contig, 2048 KiB: no memory");
	fake_kmod.page_shift = 12;
	opts.pages = MP_PAGES_THP;
	refused(&opts, -EPERM, "pages thp, 2048 KiB: no memory of that kind");
	opts.pages = MP_PAGES_1G;
	refused(&opts, -EINVAL, "pages 1g: not to be had");
	/* Of that there are large arenas only. */
	opts.pages = MP_PAGES_UNCACHED;
	refused(&opts, -EINVAL, "pages uncached: not to be had");
}

static void what_cannot_be_opened_says_why(void **state)
{
	struct mp_opts opts = any_opts();

	(void)state;
	fake_kmod_load();
	fake_kmod.open_err = -EACCES;
	refused(&opts, -EACCES, "run as root");
	fake_kmod_load();
	fake_kmod.take_err[MEMPROBE_KIND_CONTIG] = -EPERM;
	fake_kmod.take_err[MEMPROBE_KIND_HUGE] = -EPERM;
	fake_kmod.take_err[MEMPROBE_KIND_SCATTERED] = -EPERM;
	refused(&opts, -EPERM, "CAP_SYS_ADMIN");
	fake_kmod_load();
	for (int i = 0; i < FAKE_ANSWERS; i++)
		fake_kmod.run_err[i] = -EBUSY;
	refused(&opts, -EBUSY, "another run holds the machine");
	fake_kmod_load();
	fake_kmod.info.tick_hz *= 2;
	refused(&opts, -ENODEV, "load it again");
	fake_kmod_load();
	opts.cpu = 1000000;
	refused(&opts, -EINVAL, "choose one of");
}

/* As an administrator's cpuset would: it is no longer bound to one CPU. */
static void move_away(void)
{
	cpu_set_t all;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	memset(&all, 0xff, sizeof(all));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void a_batch_that_fails_says_why_and_the_next_is_measured(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	fake_kmod_load();
	open_any();
	exp = small_chase(MP_PAGES_CONTIG);
	fake_kmod.n_runs = 0;
	fake_kmod.run_err[0] = -EIO;
	expect_error(&exp, -EIO, "run: ");
	fake_kmod.n_runs = 0;
	fake_kmod.run_err[0] = -EINVAL;
	expect_error(&exp, -EINVAL, "same version");
	move_away();
	fake_kmod.n_runs = 0;
	expect_error(&exp, -EAGAIN, "moved this program away from CPU");
	assert_int_equal(sched_getcpu(), host.cpu);
	fake_kmod.run_err[0] = 0;
	fake_kmod.stop = MEMPROBE_STOP_MOVED;
	fake_kmod.stop_after = 1;
	expect_error(&exp, -EAGAIN, "moved");
	fake_kmod.stop_after = UINT32_MAX;
	exp.actor[0].place++;
	expect_error(&exp, -EOPNOTSUPP, "one actor on CPU");
	exp = small_chase(MP_PAGES_CONTIG);
	exp.arena[0].bytes = 2 * MP_ARENA_CAP_BYTES;
	expect_error(&exp, -ENOMEM, "are allowed");
	exp = small_chase(MP_PAGES_DEVICE);
	expect_error(&exp, -EOPNOTSUPP, "pages device");
	exp = small_chase(MP_PAGES_CONTIG);
	run(&exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_string_equal(target.why, "");
	mp_batch_free(&batch);
	shut();
}

static void a_sequence_gives_the_ticks_of_its_timed_steps(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	fake_kmod_load();
	open_any();
	exp = small_chase(MP_PAGES_CONTIG);
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.actor[0].warm_hops = 0;
	exp.actor[0].bursts = 2;
	exp.n_steps = 3;
	exp.steps[0] = MEMPROBE_STEP(7, MEMPROBE_STEP_FLUSH);
	exp.steps[1] = MEMPROBE_STEP(7, MEMPROBE_STEP_TIME);
	exp.steps[2] = MEMPROBE_STEP(8, MEMPROBE_STEP_TIME);
	run(&exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(fake_kmod.run.n_steps, 3);
	assert_int_equal(fake_kmod.run.n_ticks, 4);
	assert_int_equal(fake_kmod.steps[0], exp.steps[0]);
	assert_int_equal(batch.n_samples, 2);
	assert_int_equal(batch.sample[1].payload_kind,
			 MEMPROBE_PAYLOAD_TICKS);
	assert_int_equal(batch.sample[1].payload_count, 2);
	assert_int_equal(batch.payload[batch.sample[1].payload_offset], 41);
	assert_int_equal(batch.sample[1].flags & (MEMPROBE_F_COLD |
						  MEMPROBE_F_SHORT), 0);
	mp_batch_free(&batch);
	shut();
}

static void user_mode_linux_is_said_to_be_no_machine(void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.info.clock = MEMPROBE_CLOCK_HOST_TSC;
	open_any();
	assert_non_null(strstr(host.label, "no measurement of this machine"));
	assert_true(mp_host_lives(&host));
	shut();
	fake_kmod_load();
	fake_kmod.run_got = MEMPROBE_RUN_NO_MEASUREMENT;
	open_any();
	assert_non_null(strstr(host.label, "no measurement of this machine"));
	shut();
}

static void what_can_still_disturb_a_window_is_a_condition(void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.run_got = MEMPROBE_RUN_SINGLE_CPU | MEMPROBE_RUN_SIBLING |
			    MEMPROBE_RUN_HYPERVISOR;
	open_any();
	assert_true(condition("window-cpus")[0]);
	assert_true(condition("window-sibling")[0]);
	assert_true(condition("window-hypervisor")[0]);
	assert_non_null(strstr(condition("window-duty"), "50 %"));
	shut();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_the_module_it_is_unmet_and_says_what_to_do),
		cmocka_unit_test(it_wishes_for_contiguous_memory_and_interrupts_off),
		cmocka_unit_test(reads_cost_what_the_module_says_and_a_load_changes),
		cmocka_unit_test(the_noisy_twin_leaves_interrupts_on),
		cmocka_unit_test(it_is_as_quiet_as_is_permitted),
		cmocka_unit_test(prefetchers_are_a_wish),
		cmocka_unit_test(without_contiguous_memory_huge_pages_do_then_small_ones),
		cmocka_unit_test(pages_asked_for_are_had_or_refused_by_name),
		cmocka_unit_test(what_cannot_be_opened_says_why),
		cmocka_unit_test(a_batch_that_fails_says_why_and_the_next_is_measured),
		cmocka_unit_test(a_sequence_gives_the_ticks_of_its_timed_steps),
		cmocka_unit_test(user_mode_linux_is_said_to_be_no_machine),
		cmocka_unit_test(what_can_still_disturb_a_window_is_a_condition),
	};

	return cmocka_run_group_tests_name("kmod", tests, NULL, NULL);
}
