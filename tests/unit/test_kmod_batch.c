// SPDX-License-Identifier: GPL-2.0
/* What a batch of the backend "kmod" takes, keeps to and leaves behind it,
 * on a stand-in, and on a clock that can be made to leap. */
#include "backend.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/kmod_dev.h"
#include "backend/user_place.h"
#include "fake_kmod.h"

#define BYTES 16384u
#define BURSTS 8u
#define NS_PER_S 1000000000ull

extern const struct mp_backend mp_backend_kmod;

/* What happens in each call of the module, and what was seen there. */
static struct {
	uint64_t take_ns;	/* taking an arena takes so long */
	uint64_t run_ns;	/* a run, so long */
	uint64_t raw_ns;	/* in a run the tick rate seems to change */
	int policy;
	int nice_level;
} in_call;

static uint64_t mono_ns, raw_ns;	/* leaps so far */
static const struct mp_kmod_way *fake_way;
static struct mp_kmod_way slow_way;
static struct mp_target target;
static struct mp_host host;

/* In the place of libc's: time that passes without anybody waiting for it. */
int clock_gettime(clockid_t id, struct timespec *t)
{
	const int err = (int)syscall(SYS_clock_gettime, id, t);
	uint64_t ns = (uint64_t)t->tv_nsec;

	if (id == CLOCK_MONOTONIC)
		ns += mono_ns;
	if (id == CLOCK_MONOTONIC_RAW)
		ns += raw_ns;
	t->tv_sec += (time_t)(ns / NS_PER_S);
	t->tv_nsec = (long)(ns % NS_PER_S);
	return err;
}

static int slow_call(int fd, unsigned long command, void *arg)
{
	const struct memprobe_arena *arena = arg;

	if (command == MEMPROBE_ARENA && arena->op == MEMPROBE_ARENA_TAKE)
		mono_ns += in_call.take_ns;
	if (command == MEMPROBE_RUN) {
		mono_ns += in_call.run_ns;
		raw_ns += in_call.raw_ns;
		in_call.policy = sched_getscheduler(0);
		in_call.nice_level = getpriority(PRIO_PROCESS, 0);
	}
	return fake_way->call(fd, command, arg);
}

static void open_slow(uint32_t call_bursts)
{
	const struct mp_opts opts = { .cpu = -1, .node = -1, .pages = -1 };

	fake_kmod_load();
	fake_kmod.info.bursts_max = call_bursts;
	fake_way = mp_kmod_way;
	slow_way = *fake_way;
	slow_way.call = slow_call;
	mp_kmod_way = &slow_way;
	memset(&in_call, 0, sizeof(in_call));
	mono_ns = 0;
	raw_ns = 0;
	memset(&target, 0, sizeof(target));
	memset(&host, 0, sizeof(host));
	target.backend = &mp_backend_kmod;
	if (mp_backend_kmod.open(&target, &opts) ||
	    mp_backend_kmod.look(&target, &host))
		fail_msg("%s", target.why);
}

static void shut(void)
{
	mp_backend_kmod.close(&target);
	assert_int_equal(fake_kmod.n_open, 0);
	assert_int_equal(fake_kmod.n_held, 0);
}

/* A chase that wishes for @quiet; the calls that it makes are counted anew. */
static void chase(uint32_t quiet, struct mp_batch *batch)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, host.cpu, MP_PAGES_CONTIG, BYTES, 64, 0);
	exp.actor[0].warm_hops = 512;
	exp.actor[0].bursts = BURSTS;
	exp.quiet = quiet;
	fake_kmod.n_runs = 0;
	mp_batch_init(batch, &exp, 0);
	assert_int_equal(mp_backend_kmod.run(&target, &exp, 0, batch), 0);
	assert_int_equal(fake_kmod.n_held, 0);
}

static void chase_ends_with(uint32_t quiet, int err, uint32_t samples,
			    uint32_t calls)
{
	struct mp_batch batch;

	chase(quiet, &batch);
	assert_int_equal(batch.error, err);
	assert_int_equal(batch.n_samples, samples);
	assert_int_equal(fake_kmod.n_runs, calls);
	mp_batch_free(&batch);
}

static void prefetchers_that_stay_on_are_not_asked_about_again(void **state)
{
	(void)state;
	open_slow(BURSTS);
	fake_kmod.run_deny = MEMPROBE_RUN_PREFETCH_OFF;
	chase_ends_with(MP_WISH_PREFETCH_OFF, 0, BURSTS, 2);
	chase_ends_with(MP_WISH_PREFETCH_OFF, 0, BURSTS, 1);
	shut();
}

static void what_is_refused_without_the_wish_too_does_not_end_it(void **state)
{
	(void)state;
	open_slow(BURSTS);
	fake_kmod.run_err[0] = -EOPNOTSUPP;
	fake_kmod.run_err[1] = -EOPNOTSUPP;
	chase_ends_with(MP_WISH_PREFETCH_OFF, -EOPNOTSUPP, 0, 2);
	fake_kmod.run_err[0] = 0;
	chase_ends_with(MP_WISH_PREFETCH_OFF, 0, BURSTS, 1);
	assert_true(fake_kmod.run.flags & MEMPROBE_RUN_PREFETCH_OFF);
	shut();
}

static void no_sample_of_a_batch_is_kept_twice(void **state)
{
	(void)state;
	open_slow(BURSTS / 2);
	fake_kmod.run_err[1] = -EPERM;
	chase_ends_with(MP_WISH_PREFETCH_OFF, -EPERM, 0, 2);
	fake_kmod.run_err[1] = 0;
	chase_ends_with(MP_WISH_PREFETCH_OFF, 0, BURSTS, 2);
	assert_true(fake_kmod.run.flags & MEMPROBE_RUN_PREFETCH_OFF);
	shut();
}

static void a_batch_ends_soon_after_its_time_is_up(void **state)
{
	struct mp_batch batch;

	(void)state;
	open_slow(1);
	in_call.run_ns = MP_USER_BATCH_NS / 2 + 1;
	chase(0, &batch);
	assert_int_equal(batch.error, 0);
	assert_in_range(batch.n_samples, 1, 2);
	mp_batch_free(&batch);
	shut();
}

static void time_spent_on_taking_memory_is_not_the_batchs(void **state)
{
	(void)state;
	open_slow(1);
	in_call.take_ns = 2 * MP_USER_BATCH_NS;
	chase_ends_with(0, 0, BURSTS, BURSTS);
	shut();
}

static void a_clock_that_changed_meanwhile_is_flagged(void **state)
{
	struct mp_batch batch;

	(void)state;
	open_slow(BURSTS);
	in_call.raw_ns = NS_PER_S;
	chase(0, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, BURSTS);
	for (uint32_t i = 0; i < BURSTS; i++)
		assert_true(batch.sample[i].flags & MEMPROBE_F_CLOCK);
	mp_batch_free(&batch);
	shut();
}

static void rights_are_held_no_longer_than_a_batch(void **state)
{
	const int policy = sched_getscheduler(0);
	const int nice_level = getpriority(PRIO_PROCESS, 0);
	struct mp_batch batch;
	uint32_t got;

	(void)state;
	open_slow(BURSTS);
	chase(0, &batch);
	got = batch.grant.got;
	mp_batch_free(&batch);
	if (got & MP_GOT_FIFO)
		assert_int_equal(in_call.policy, SCHED_FIFO);
	else if (got & MP_GOT_NICE)
		assert_true(in_call.nice_level < nice_level);
	assert_int_equal(sched_getscheduler(0), policy);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), nice_level);
	/* Nor after one that has failed. */
	fake_kmod.run_err[0] = -EIO;
	chase_ends_with(0, -EIO, 0, 1);
	assert_int_equal(sched_getscheduler(0), policy);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), nice_level);
	shut();
}

static void the_shortest_gap_of_all_calls_is_the_batchs(void **state)
{
	struct mp_batch batch;

	(void)state;
	open_slow(BURSTS / 4);
	fake_kmod.gap_ticks[0] = 50000;
	fake_kmod.gap_ticks[1] = 30000;
	fake_kmod.gap_ticks[2] = 70000;
	fake_kmod.gap_ticks[3] = 40000;
	chase(0, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(fake_kmod.n_runs, 4);
	assert_int_equal(batch.grant.gap_ticks, 30000);
	mp_batch_free(&batch);
	shut();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefetchers_that_stay_on_are_not_asked_about_again),
		cmocka_unit_test(what_is_refused_without_the_wish_too_does_not_end_it),
		cmocka_unit_test(no_sample_of_a_batch_is_kept_twice),
		cmocka_unit_test(a_batch_ends_soon_after_its_time_is_up),
		cmocka_unit_test(time_spent_on_taking_memory_is_not_the_batchs),
		cmocka_unit_test(a_clock_that_changed_meanwhile_is_flagged),
		cmocka_unit_test(rights_are_held_no_longer_than_a_batch),
		cmocka_unit_test(the_shortest_gap_of_all_calls_is_the_batchs),
	};

	return cmocka_run_group_tests_name("kmod_batch", tests, NULL, NULL);
}
