// SPDX-License-Identifier: GPL-2.0
/*
 * Quiet: what interrupts do to a burst, how long a window lasts by a clock
 * outside the module, and how much of a CPU the windows take.
 *
 *	guest_quiet [exact] [WINDOWS]	(4000)
 *
 * exact: time in this machine goes by its own instructions, so that nobody
 * outside delays it; then each promise is held to the worst case. Elsewhere
 * a host that takes the CPU away looks like a window that was too long, and
 * one in four is forgiven: only what is wrong always is seen.
 */
#include "guest_quiet.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 580
#define WINDOWS 4000ull
#define BURSTS 1000
#define HOPS 32768
#define NEIGHBOUR_NS 200000ull
#define NEIGHBOUR_BYTES (256u << 10)

static void late_by(struct witness *w, __u64 ns)
{
	__u64 step = ns / LATENESS_STEP_NS;

	w->wakes++;
	if (ns > w->max_ns)
		w->max_ns = ns;
	w->late[step < LATENESS_STEPS ? step : LATENESS_STEPS - 1]++;
}

static void *watch(void *of)
{
	struct witness *w = of;
	__u64 due = guest_now_ns(CLOCK_MONOTONIC) + w->period_ns, now;
	struct timespec when;

	guest_pin(w->cpu);
	while (!w->stop) {
		when.tv_sec = (time_t)(due / GUEST_NS_PER_S);
		when.tv_nsec = (long)(due % GUEST_NS_PER_S);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
		now = guest_now_ns(CLOCK_MONOTONIC);
		late_by(w, now > due ? now - due : 0);
		/* Those that it slept through are the same lateness. */
		due += w->period_ns;
		if (due <= now)
			due = now + w->period_ns;
	}
	return NULL;
}

bool witness_begin(struct witness *w, int cpu, __u64 period_ns)
{
	struct sched_param high = { .sched_priority = 80 };

	memset(w, 0, sizeof(*w));
	w->cpu = cpu;
	w->period_ns = period_ns;
	if (pthread_create(&w->thread, NULL, watch, w))
		return expect(false, "a witness", "a thread");
	if (pthread_setschedparam(w->thread, SCHED_FIFO, &high))
		note("the witness has no high priority");
	return true;
}

void witness_end(struct witness *w)
{
	w->stop = 1;
	pthread_join(w->thread, NULL);
}

__u64 witness_over(const struct witness *w, __u64 ns)
{
	__u64 over = 0, step;

	for (step = ns / LATENESS_STEP_NS + 1; step < LATENESS_STEPS; step++)
		over += w->late[step];
	return over;
}

/* Wakes all the time, and leaves nothing of its own in the caches. */
static void neighbour(int cpu)
{
	static volatile unsigned char memory[NEIGHBOUR_BYTES];
	size_t i;

	guest_pin(cpu);
	for (;;) {
		for (i = 0; i < NEIGHBOUR_BYTES; i += 64)
			memory[i]++;
		guest_sleep_ns(NEIGHBOUR_NS);
	}
}

pid_t neighbour_begin(int cpu)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		neighbour(cpu);
		_exit(0);
	}
	return child;
}

void neighbour_end(pid_t child)
{
	if (child <= 0)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

struct spread {
	__u64 p50, p99, max;
	__u64 gaps, flagged, quiet_max_ns;
};

static bool spread_of(struct guest *g, __u32 flags, struct spread *spread)
{
	static __u64 ticks[BURSTS];
	__u32 done = 0, i;

	memset(spread, 0, sizeof(*spread));
	while (done < BURSTS) {
		guest_default(g);
		guest_bursts(g, BURSTS - done < 100 ? BURSTS - done : 100, HOPS,
			     g->info.window_max_ns);
		g->actor[0].warm_hops = HOPS;
		g->run.flags = flags;
		if (guest_run(g) || !g->run.n_samples)
			return expect(false, "bursts", "a run that works");
		if (g->run.quiet_max_ns > spread->quiet_max_ns)
			spread->quiet_max_ns = g->run.quiet_max_ns;
		for (i = 0; i < g->run.n_samples; i++) {
			ticks[done + i] = g->sample[i].ticks;
			spread->gaps += g->sample[i].gaps;
			spread->flagged += !!(g->sample[i].flags &
					      MEMPROBE_F_DISTURBED);
		}
		done += g->run.n_samples;
	}
	guest_order(ticks, BURSTS);
	spread->p50 = ticks[BURSTS / 2];
	spread->p99 = ticks[BURSTS - BURSTS / 100];
	spread->max = ticks[BURSTS - 1];
	return true;
}

/* The same ring with interrupts on and off, alone and with a neighbour. */
static void on_and_off(struct guest *g, bool exact)
{
	static const char *const names[] = { "on ", "off" };
	struct spread spread[2];
	int noisy, off;
	pid_t child;

	for (noisy = 0; noisy < 2; noisy++) {
		child = noisy ? neighbour_begin(g->cpu) : 0;
		for (off = 0; off < 2; off++) {
			if (!spread_of(g, off ? QUIET : 0, &spread[off]))
				break;
			printf("bursts  interrupts %s %s p50 %llu p99 %llu max %llu "
			       "gaps %llu flagged %llu\n", names[off],
			       noisy ? "neighbour" : "alone    ",
			       spread[off].p50, spread[off].p99,
			       spread[off].max, spread[off].gaps,
			       spread[off].flagged);
		}
		neighbour_end(child);
		if (off < 2)
			return;
		if (!exact)
			continue;
		/* A tick in one of a thousand bursts there is always. */
		expect(spread[1].max < spread[0].max,
		       noisy ? "the slowest burst, beside a neighbour"
			     : "the slowest burst",
		       "faster with interrupts off: less than %llu, got %llu",
		       spread[0].max, spread[1].max);
		expect(spread[1].max - spread[1].p50 <= spread[1].p50 / 1000 + 16,
		       noisy ? "all bursts, beside a neighbour" : "all bursts",
		       "alike with interrupts off, got %llu and %llu",
		       spread[1].p50, spread[1].max);
		expect_equal(noisy ? "gaps with interrupts off, beside a neighbour"
				   : "gaps with interrupts off",
			     spread[1].gaps, 0);
	}
	if (!exact)
		skipped("the slowest burst with interrupts off",
			"the host's noise is in it");
}

int main(int argc, char **argv)
{
	const bool exact = argc > 1 && !strcmp(argv[1], "exact");
	__u64 windows = WINDOWS;
	struct guest *g;

	if (argc > 1 + exact)
		windows = strtoull(argv[1 + exact], NULL, 0);
	guest_begin("guest_quiet", LIMIT_S);
	g = guest_new(0);
	if (!g)
		return guest_end();
	on_and_off(g, exact);
	quiet_duty(g);
	quiet_windows(g, windows, exact);
	guest_works("quiet windows");
	return guest_end();
}
