// SPDX-License-Identifier: GPL-2.0
/*
 * Errors of the moment: another run, another binding, a CPU that went away,
 * a signal.
 */
#include "guest_uapi.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define LONG_MS 3000
#define SOON_NS (100 * GUEST_NS_PER_MS)
#define CHILD_MS 20000

static void nothing(int number)
{
	(void)number;
}

static void heed(int number)
{
	struct sigaction action = { .sa_handler = nothing };

	sigaction(number, &action, NULL);
}

/* One signal to this thread's process after so long. */
static timer_t signal_after(__u64 ns)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGUSR1,
	};
	struct itimerspec when = {
		.it_value.tv_sec = (time_t)(ns / GUEST_NS_PER_S),
		.it_value.tv_nsec = (long)(ns % GUEST_NS_PER_S),
	};
	timer_t timer;

	heed(SIGUSR1);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &when, NULL);
	return timer;
}

static void signals(struct guest *g)
{
	timer_t timer;
	int error;

	guest_long(g, LONG_MS);
	timer = signal_after(SOON_NS);
	error = guest_run(g);
	timer_delete(timer);
	answer(g, "RUN", "a signal among the bursts", error, 0, 0);
	expect_equal("RUN: why it ended", g->run.stop, MEMPROBE_STOP_SIGNAL);
	expect_between("RUN: samples until the signal", g->run.n_samples, 1,
		       g->actor[0].bursts - 1);

	guest_long(g, LONG_MS);
	g->actor[0].warm_hops = g->info.hops_max;
	g->actor[0].length = GUEST_ARENA_BYTES;
	timer = signal_after(GUEST_NS_PER_MS);
	error = guest_run(g);
	timer_delete(timer);
	/* Fast machines may be through with the warm-up by then. */
	answer(g, "RUN", "a signal in the warm-up", error, EINTR,
	       g->run.n_samples && g->run.stop == MEMPROBE_STOP_SIGNAL ? 0
								       : EINTR);
}

struct during {
	struct guest *g;
	volatile int error;
	volatile int done;
	volatile pid_t id;
};

static void *run_long(void *of)
{
	struct during *during = of;

	guest_pin(during->g->cpu);
	during->id = gettid();
	during->error = guest_run(during->g);
	during->done = 1;
	return NULL;
}

/* A run from a thread; the caller does something meanwhile. */
static bool start_thread(struct during *during, pthread_t *thread)
{
	guest_long(during->g, LONG_MS / 3);
	if (pthread_create(thread, NULL, run_long, during)) {
		expect(false, "a thread", "to have one");
		return false;
	}
	guest_await_id(&during->id);
	return true;
}

static void busy_file(struct guest *g)
{
	struct during during = { .g = guest_new(g->cpu) };
	struct memprobe_arena arena;
	struct memprobe_info info;
	pthread_t thread;
	int take, give, more, tell;

	if (!during.g || !start_thread(&during, &thread))
		return;
	take = guest_take(during.g->fd, MEMPROBE_KIND_SCATTERED, PAGE, &arena);
	give = guest_give(during.g->fd, during.g->arena.id);
	tell = guest_info(during.g->fd, &info);
	more = guest_run(g);
	if (during.done)
		expect(false, "a long run", "it to last, it was over");
	pthread_join(thread, NULL);
	expect_error("the run that used the file", during.error, 0, 0);
	answer(g, "ARENA", "take while a run uses the file", take, EBUSY, EBUSY);
	answer(g, "ARENA", "give while a run uses the file", give, EBUSY, EBUSY);
	answer(g, "INFO", "while a run uses the file", tell, 0, 0);
	answer(g, "RUN", "while a run of another file goes on", more, EBUSY,
	       EBUSY);
	guest_free(during.g);
}

static void busy_machine(struct guest *g)
{
	struct memprobe_arena arena;
	struct guest *theirs;
	pid_t child;
	int run, take;

	fflush(stdout);
	child = fork();
	if (!child) {
		theirs = guest_new(g->cpu);
		if (!theirs)
			_exit(1);
		guest_long(theirs, LONG_MS);
		_exit(guest_run(theirs) || theirs->run.stop ? 2 : 0);
	}
	guest_await_run(child);
	guest_default(g);
	run = guest_run(g);
	take = guest_take(g->fd, MEMPROBE_KIND_SCATTERED, PAGE, &arena);
	if (!take)
		guest_give(g->fd, arena.id);
	expect_equal("the run of another process",
		     (__u64)guest_reap(child, CHILD_MS), 0);
	answer(g, "RUN", "while another process runs", run, EBUSY, EBUSY);
	answer(g, "ARENA", "while another process runs", take, 0, 0);
}

static void binding(struct guest *g)
{
	int cpus = guest_cpus();

	if (cpus < 2) {
		skipped("RUN: not bound to its CPU alone",
			"the machine has one CPU");
		return;
	}
	guest_default(g);
	guest_pin(-1);
	expect_error("RUN: bound to all CPUs", guest_run(g), EINVAL, EINVAL);
	guest_pin(1);
	expect_error("RUN: bound to another CPU", guest_run(g), EINVAL, EINVAL);
	expect(guest_pinned_to(1), "affinity after these", "CPU 1 alone");
	guest_pin(g->cpu);
	guest_default(g);
	g->actor[0].cpu = 1;
	answer(g, "RUN", "a CPU that the caller is not bound to", guest_run(g),
	       EINVAL, EINVAL);
}

static void offline(struct guest *g)
{
	const int last = guest_cpus() - 1;
	const char *path = guest_text(
		"/sys/devices/system/cpu/cpu%d/online", last);
	int error = last > 0 ? guest_write(path, "0") : -ENODEV;

	if (error) {
		skipped("RUN: a CPU that is offline", guest_error_name(-error));
		return;
	}
	guest_default(g);
	g->actor[0].cpu = (__u32)last;
	answer(g, "RUN", "a CPU that is offline", guest_run(g), ENXIO, ENXIO);
	expect_error("the CPU online again", guest_write(path, "1"), 0, 0);
}

void uapi_moment(struct guest *g)
{
	binding(g);
	offline(g);
	signals(g);
	busy_file(g);
	busy_machine(g);
}
