// SPDX-License-Identifier: GPL-2.0
/*
 * How long windows last, and how much of a CPU they take: as the module says
 * it, and by clocks of user space. A thread that ought to wake all the time
 * is late by what was left of a window; the caller's own clock holds all of
 * it. Neither believes the module.
 */
#include "guest_quiet.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD_NS 50000ull
#define DUTY_NS (2 * GUEST_NS_PER_S)
#define US 1000ull
#define TWIN_ROUNDS 200
#define FORGIVEN 4		/* one in so many, where the host disturbs */
#define EMULATED_NS (100 * US)	/* what emulation adds to a window's ends */
#define SLACK_NS (200 * US)	/* a wake-up and the way out of the kernel */

static struct mix {
	__u64 window_ns;
	unsigned int weight;
	__u32 bursts;
	__u64 windows;
	__u64 longest_ns;
	__u64 too_long;
} mixes[] = {
	{ 20 * US, 40, 16, 0, 0, 0 },
	{ 50 * US, 25, 16, 0, 0, 0 },
	{ 200 * US, 20, 8, 0, 0, 0 },
	{ 1000 * US, 10, 4, 0, 0, 0 },
	{ 5000 * US, 4, 1, 0, 0, 0 },
	{ 10000 * US, 1, 1, 0, 0, 0 },
};

#define MIXES (sizeof(mixes) / sizeof(mixes[0]))

static __u64 bound_of(__u64 window_ns)
{
	return window_ns + window_ns / 8;
}

static unsigned int next_random(__u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(*state >> 33);
}

static struct mix *pick(__u64 *state)
{
	unsigned int at = next_random(state) % 100;
	size_t i;

	for (i = 0; i < MIXES - 1; i++) {
		if (at < mixes[i].weight)
			break;
		at -= mixes[i].weight;
	}
	return &mixes[i];
}

/* One run of windows of one size; -1 if it failed. */
static int one_run(struct guest *g, struct mix *mix, __u64 *lied, bool exact)
{
	const __u64 bound = bound_of(mix->window_ns) + (exact ? 0 : EMULATED_NS);
	__u64 begin, wall;
	__u32 i;
	int error;

	guest_default(g);
	guest_bursts(g, mix->bursts, g->info.hops_max, mix->window_ns);
	g->run.flags = QUIET;
	begin = guest_now_ns(CLOCK_MONOTONIC_RAW);
	error = guest_run(g);
	wall = guest_now_ns(CLOCK_MONOTONIC_RAW) - begin;
	if (error) {
		expect_error("windows", error, 0, 0);
		return -1;
	}
	if (g->run.quiet_max_ns > mix->longest_ns)
		mix->longest_ns = g->run.quiet_max_ns;
	for (i = 0; i < g->run.n_samples; i++)
		mix->too_long += g->sample[i].counter[MEMPROBE_SLOT_QUIET] >
				 bound;
	mix->windows += g->run.windows;
	/* Clocks differ by what corrects one of them: 500 ppm at most. */
	*lied += g->run.quiet_ns + g->run.slept_ns > wall + wall / 1000 + US;
	return 0;
}

/* What delays the witness when nothing but user space runs here. */
static bool twin(struct guest *g, struct witness *w)
{
	__u64 state = 1, end;
	int i;

	if (!witness_begin(w, g->cpu, PERIOD_NS))
		return false;
	for (i = 0; i < TWIN_ROUNDS; i++) {
		end = guest_now_ns(CLOCK_MONOTONIC) + pick(&state)->window_ns;
		while (guest_now_ns(CLOCK_MONOTONIC) < end)
			;
		guest_sleep_ns(100 * US);
	}
	witness_end(w);
	return true;
}

static void tell(const struct witness *alone, const struct witness *w)
{
	size_t i;

	for (i = 0; i < MIXES; i++)
		printf("windows %llu ns: %llu, longest %llu ns, too long %llu\n",
		       mixes[i].window_ns, mixes[i].windows,
		       mixes[i].longest_ns, mixes[i].too_long);
	printf("witness: late by at most %llu ns in %llu wakes; without windows "
	       "%llu ns in %llu\n", w->max_ns, w->wakes, alone->max_ns,
	       alone->wakes);
}

static void judge(const struct witness *alone, const struct witness *w,
		  __u64 windows, __u64 lied, bool exact)
{
	const __u64 forgiven = exact ? 0 : windows / FORGIVEN;
	__u64 too_long = 0, longest = 0, most, over;
	size_t i;

	for (i = 0; i < MIXES; i++) {
		too_long += mixes[i].too_long;
		if (mixes[i].longest_ns > longest)
			longest = mixes[i].longest_ns;
	}
	expect(too_long <= forgiven, "windows longer than 9/8 of what they may be",
	       "at most %llu of %llu, got %llu", forgiven, windows, too_long);
	expect(lied <= forgiven, "quiet and asleep for longer than the call took",
	       "at most %llu times, got %llu", forgiven, lied);
	most = bound_of(mixes[MIXES - 1].window_ns) + alone->max_ns + SLACK_NS;
	over = witness_over(w, most);
	expect(exact ? w->max_ns <= most : over <= forgiven,
	       "the longest time by a clock outside",
	       "at most %llu ns, got %llu ns (%llu times above)", most,
	       w->max_ns, over);
	most = longest + alone->max_ns + SLACK_NS;
	over = witness_over(w, most);
	expect(exact ? w->max_ns <= most : over <= forgiven,
	       "the longest time as the module says it",
	       "to be what a clock outside saw, %llu ns, but for %llu; said was %llu",
	       w->max_ns, alone->max_ns + SLACK_NS, longest);
	/* A witness that sees nothing of ten milliseconds is none. */
	expect(w->max_ns > mixes[MIXES - 1].window_ns / 4, "the witness",
	       "to see the longest windows, got %llu ns", w->max_ns);
}

/*
 * Where time goes by instructions it goes by the host's clock while all sleep.
 * So somebody is always awake, of the lowest priority that there is.
 */
static pid_t stay_awake(int cpu)
{
	const struct sched_param none = { 0 };
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	guest_pin(cpu);
	if (sched_setscheduler(0, SCHED_IDLE, &none))
		_exit(1);
	for (;;)
		__asm__ volatile("" : : : "memory");
}

static void watched_windows(struct guest *g, __u64 windows, bool exact)
{
	static struct witness alone, watched;
	__u64 done = 0, lied = 0, state = 2;
	struct mix *mix;

	if (!twin(g, &alone) || !witness_begin(&watched, g->cpu, PERIOD_NS))
		return;
	/* One of the longest at least, however few there are. */
	mix = &mixes[MIXES - 1];
	while (done < windows && !one_run(g, mix, &lied, exact)) {
		done += g->run.windows;
		mix = pick(&state);
	}
	witness_end(&watched);
	tell(&alone, &watched);
	expect(done >= windows, "windows", "%llu, got %llu", windows, done);
	judge(&alone, &watched, done, lied, exact);
}

void quiet_windows(struct guest *g, __u64 windows, bool exact)
{
	const pid_t awake = exact ? stay_awake(g->cpu) : 0;

	watched_windows(g, windows, exact);
	neighbour_end(awake);
}

/*
 * Single bursts as fast as they can be asked for, for a while.
 * Return: quiet ns; @elapsed gets the time that it took.
 */
static __u64 hammer(struct guest **files, int n, __u32 flags, __u64 *elapsed)
{
	const __u64 begin = guest_now_ns(CLOCK_MONOTONIC_RAW);
	__u64 quiet_ns = 0, now = begin;
	struct guest *g;
	int turn = 0, error;

	while (now - begin < DUTY_NS) {
		g = files[turn++ % n];
		guest_default(g);
		guest_bursts(g, 1, g->info.hops_max, 2 * GUEST_NS_PER_MS);
		g->run.flags = flags;
		error = guest_run(g);
		if (!error)
			quiet_ns += g->run.quiet_ns;
		else if (error != -EBUSY)
			expect_error("single bursts", error, 0, EBUSY);
		now = guest_now_ns(CLOCK_MONOTONIC_RAW);
	}
	*elapsed = now - begin;
	return quiet_ns;
}

static void duty(struct guest *g, const char *what, __u64 quiet_ns,
		 __u64 elapsed)
{
	/* The sleep after the last window may still be owed. */
	const __u64 most = elapsed * g->info.duty_percent / 100 +
			   3 * GUEST_NS_PER_MS;

	printf("duty    %s: %llu of %llu us\n", what, quiet_ns / 1000,
	       elapsed / 1000);
	expect(quiet_ns && quiet_ns <= most, guest_text("duty: %s", what),
	       "some, and at most %llu ns, got %llu", most, quiet_ns);
}

struct shared {
	__u64 quiet_ns;
	__u64 elapsed;
};

/* Two processes at once; one of them is always refused. */
static void two_processes(struct guest *g)
{
	struct shared *shared = guest_shared(2 * sizeof(*shared));
	struct guest *own;
	pid_t child[2];
	int i, failed = 0;

	for (i = 0; i < 2; i++) {
		fflush(stdout);
		child[i] = fork();
		if (child[i])
			continue;
		own = guest_new(g->cpu);
		if (!own)
			_exit(1);
		shared[i].quiet_ns = hammer(&own, 1, QUIET, &shared[i].elapsed);
		_exit(guest_failed() ? 1 : 0);
	}
	for (i = 0; i < 2; i++)
		failed += guest_reap(child[i], 20000) != 0;
	expect(!failed, "duty: two processes", "both to end well");
	duty(g, "two processes", shared[0].quiet_ns + shared[1].quiet_ns,
	     shared[0].elapsed > shared[1].elapsed ? shared[0].elapsed
						   : shared[1].elapsed);
}

void quiet_duty(struct guest *g)
{
	struct guest *both[2] = { g, guest_new(g->cpu) };
	__u64 quiet_ns, elapsed;

	quiet_ns = hammer(&g, 1, QUIET, &elapsed);
	duty(g, "interrupts off", quiet_ns, elapsed);
	quiet_ns = hammer(&g, 1, MEMPROBE_RUN_PREEMPT_OFF, &elapsed);
	duty(g, "preemption off", quiet_ns, elapsed);
	if (both[1]) {
		quiet_ns = hammer(both, 2, QUIET, &elapsed);
		duty(g, "two files in turn", quiet_ns, elapsed);
		guest_free(both[1]);
	}
	two_processes(g);
}
