// SPDX-License-Identifier: GPL-2.0
/*
 * Several at once at one device, one file or one process.
 */
#include "guest_hostile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STORM_NS (2 * GUEST_NS_PER_S)
#define PROCESSES 4
#define KILLS 20
#define RUN_MS 1500
#define SOON_NS (60 * GUEST_NS_PER_MS)

/* What the children of a storm got. */
struct storm {
	__u32 good;
	__u32 busy;
	__u32 interrupted;
	__u32 other;
	int error;
};

static void note_result(struct storm *storm, int error)
{
	if (!error)
		storm->good++;
	else if (error == -EBUSY)
		storm->busy++;
	else if (error == -EINTR)
		storm->interrupted++;
	else {
		storm->other++;
		storm->error = error;
	}
}

static void run_for(struct guest *g, __u64 ns, struct storm *storm)
{
	const __u64 end = guest_now_ns(CLOCK_MONOTONIC) + ns;

	while (guest_now_ns(CLOCK_MONOTONIC) < end) {
		guest_default(g);
		g->run.flags = QUIET;
		note_result(storm, guest_run(g));
	}
}

static void judge_storm(const char *what, const struct storm *storm)
{
	note("%s: %u runs, %u busy, %u interrupted", what, storm->good,
	     storm->busy, storm->interrupted);
	expect(!storm->other, guest_text("%s: errors", what),
	       "EBUSY or none, got %u others, %s", storm->other,
	       guest_error_name(-storm->error));
	expect(storm->good, guest_text("%s: runs", what),
	       "some to work, got none");
}

void hostile_storm(struct guest *g)
{
	struct storm *storms = guest_shared(PAGE), sum = { 0 };
	int i, bad = 0, cpus = guest_cpus();
	pid_t child[PROCESSES];
	struct guest *own;

	(void)g;
	fflush(stdout);
	for (i = 0; i < PROCESSES; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		own = guest_new(i % cpus);
		if (own)
			run_for(own, STORM_NS, &storms[i]);
		_exit(!own);
	}
	for (i = 0; i < PROCESSES; i++) {
		bad += guest_reap(child[i], CHILD_MS) != 0;
		sum.good += storms[i].good;
		sum.busy += storms[i].busy;
		sum.interrupted += storms[i].interrupted;
		sum.other += storms[i].other;
		if (storms[i].other)
			sum.error = storms[i].error;
	}
	expect(!bad, "run storm: processes", "all to end well, %d did not", bad);
	judge_storm("run storm", &sum);
}

struct other_thread {
	struct guest *g;
	volatile int stop;
	unsigned int taken, busy, other;
	int error;
	volatile pid_t id;
};

static void *take_and_give(void *of)
{
	struct other_thread *o = of;
	struct memprobe_arena arena;
	int error;

	guest_pin(-1);
	while (!o->stop) {
		error = guest_take(o->g->fd, MEMPROBE_KIND_SCATTERED, PAGE,
				   &arena);
		if (!error) {
			o->taken++;
			for (;;) {
				error = guest_give(o->g->fd, arena.id);
				if (error != -EBUSY || o->stop)
					break;
				o->busy++;
			}
		}
		if (error == -EBUSY) {
			o->busy++;
		} else if (error) {
			o->other++;
			o->error = error;
		}
	}
	return NULL;
}

void hostile_arenas(struct guest *g)
{
	struct other_thread o = { .g = g };
	struct storm storm = { 0 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, take_and_give, &o))
		return;
	run_for(g, STORM_NS, &storm);
	/* A long one: on one CPU the thread comes in only while it sleeps. */
	guest_long(g, RUN_MS);
	note_result(&storm, guest_run(g));
	o.stop = 1;
	pthread_join(thread, NULL);
	judge_storm("runs during ARENA", &storm);
	note("ARENA during runs: %u taken, %u busy", o.taken, o.busy);
	expect(!o.other, "ARENA during runs: errors",
	       "EBUSY or none, got %u others, %s", o.other,
	       guest_error_name(-o.error));
	expect(o.busy, "ARENA during runs", "to be refused at least once");
}

static void *run_it(void *of)
{
	struct other_thread *o = of;

	guest_pin(o->g->cpu);
	guest_long(o->g, RUN_MS);
	o->g->run.flags = QUIET;
	o->id = gettid();
	o->error = guest_run(o->g);
	return NULL;
}

void hostile_close(struct guest *g)
{
	struct other_thread o = { .g = guest_new(g->cpu) };
	pthread_t thread;
	int closed;

	if (!o.g || pthread_create(&thread, NULL, run_it, &o))
		return;
	guest_await_id(&o.id);
	closed = close(o.g->fd);
	pthread_join(thread, NULL);
	expect(!closed, "close during a run", "to work");
	expect_error("the run whose file was closed", o.error, 0, 0);
	/* The number is free again; whoever gets it gets another file. */
	o.g->fd = -1;
	guest_free(o.g);
}

void hostile_shared_file(struct guest *g)
{
	pid_t child = runner(g, RUN_MS, false);
	struct memprobe_arena arena;
	int take, run;
	struct guest *own;

	guest_await_run(child);
	take = guest_take(g->fd, MEMPROBE_KIND_SCATTERED, PAGE, &arena);
	own = guest_shared(sizeof(*own));
	*own = *g;
	guest_default(own);
	run = guest_run(own);
	/* The parent's close is not the last one. */
	close(g->fd);
	expect_error("a shared file: ARENA during the child's run", take, EBUSY,
		     EBUSY);
	expect_error("a shared file: RUN during the child's run", run, EBUSY,
		     EBUSY);
	expect_equal("a shared file: the child's run",
		     (__u64)guest_reap(child, CHILD_MS), 0);
	g->fd = -1;
}

void hostile_kill(struct guest *g)
{
	unsigned int gone = 0, works = 0;
	int i, status, error;
	__u64 state = 7;
	pid_t child;

	for (i = 0; i < KILLS; i++) {
		child = runner(g, 2000, true);
		guest_sleep_ns(random_word(&state) % (2 * SOON_NS));
		kill(child, SIGKILL);
		status = guest_reap(child, CHILD_MS);
		gone += status == 128 + SIGKILL;
		/* It is gone, so it holds nothing any more. */
		guest_default(g);
		error = guest_run(g);
		works += !error;
		if (error)
			note("after a kill: %s", guest_error_name(-error));
	}
	expect_equal("kill -9 in a run: processes gone", gone, KILLS);
	expect_equal("kill -9 in a run: runs at once after it", works, KILLS);
}

static void *run_and_be_left(void *of)
{
	struct other_thread *o = of;

	guest_pin(o->g->cpu);
	o->id = gettid();
	for (;;) {
		guest_long(o->g, 2000);
		o->g->run.flags = QUIET;
		guest_run(o->g);
	}
	return NULL;
}

/* The process ends while one of its threads, which goes on for ever, is in
 * a run. */
void hostile_exit(struct guest *g)
{
	struct other_thread o = { 0 };
	pthread_t thread;
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		o.g = guest_new(g->cpu);
		if (!o.g || pthread_create(&thread, NULL, run_and_be_left, &o))
			_exit(1);
		guest_await_id(&o.id);
		_exit(0);
	}
	status = guest_reap(child, CHILD_MS);
	expect(!status, "exit during a thread's run", "to end well, got %d",
	       status);
}

void hostile_signals(struct guest *g)
{
	struct itimerspec every = {
		.it_value.tv_nsec = (long)GUEST_NS_PER_MS,
		.it_interval.tv_nsec = (long)GUEST_NS_PER_MS,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGUSR1,
	};
	const pid_t own = getpid();
	struct storm storm = { 0 };
	timer_t timer;
	pid_t child;

	heed(SIGUSR1);
	heed(SIGUSR2);
	fflush(stdout);
	child = fork();
	if (!child) {
		guest_pin(-1);
		for (;;) {
			kill(own, SIGUSR2);
			guest_sleep_ns(300000);
		}
	}
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	run_for(g, STORM_NS, &storm);
	timer_delete(timer);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	note("signal storm: %u runs, %u interrupted", storm.good,
	     storm.interrupted);
	expect(!storm.other && !storm.busy, "signal storm: errors",
	       "EINTR or none, got %u others, %s", storm.other + storm.busy,
	       guest_error_name(-storm.error));
	expect(storm.good + storm.interrupted, "signal storm: runs",
	       "some to come back");
}
