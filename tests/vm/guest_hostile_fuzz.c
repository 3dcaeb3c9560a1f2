// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that are nearly right: a correct one with a few fields set to
 * values at the edges. Whatever the answer is, it is one of the header's.
 */
#include "guest_hostile.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUZZ_NS (5 * GUEST_NS_PER_S)
#define ERRORS 64

struct fuzz {
	struct guest *g;
	struct memprobe_arena *arena;
	__u64 state;
	__u64 calls;
	__u32 errors[ERRORS];
	unsigned int unknown;
	int last_unknown;
};

static const int promised[] = {
	0, ENOTTY, EFAULT, EINVAL, E2BIG, EOPNOTSUPP, ERANGE, EOVERFLOW, EPERM,
	ENOENT, ENXIO, ENOMEM, EBUSY, EINTR,
};

static __u64 edge(struct fuzz *f)
{
	const __u64 word = random_word(&f->state);
	const unsigned int bit = word >> 8 & 63;

	switch (word & 7) {
	case 0:
		return 0;
	case 1:
		return word >> 16 & 15;
	case 2:
		return 1ull << bit;
	case 3:
		return (1ull << bit) - 1;
	case 4:
		return (1ull << bit) + 1;
	case 5:
		return ~0ull - (word >> 16 & 7);
	case 6:
		return (word >> 16 & 0xfff) * 64;
	default:
		return random_word(&f->state);
	}
}

/* A word somewhere in the struct; most fields begin at a multiple of 4. */
static void disturb(struct fuzz *f, void *where, size_t bytes)
{
	const __u64 value = edge(f);
	const size_t width = random_word(&f->state) & 1 ? 8 : 4;
	const size_t at = random_word(&f->state) % (bytes / width) * width;

	memcpy((char *)where + at, &value, width);
}

static int fuzz_run(struct fuzz *f)
{
	struct guest *g = f->g;
	unsigned int i, n = random_word(&f->state) % 4;

	guest_default(g);
	if (random_word(&f->state) & 1) {
		g->run.ticks = (__u64)(unsigned long)g->ticks;
		g->run.n_ticks = GUEST_TICKS;
		g->actor[0].group = 32;
	}
	if (random_word(&f->state) & 1) {
		g->run.events = (__u64)(unsigned long)g->event;
		g->run.event_size = sizeof(g->event[0]);
		g->run.n_events = 1;
		g->event[0].size = sizeof(g->event[0]);
	}
	if (!(random_word(&f->state) & 3)) {
		g->actor[0].op = MEMPROBE_OP_SEQUENCE;
		g->actor[0].hops = 0;
		g->actor[0].group = 0;
		g->run.ticks = (__u64)(unsigned long)g->ticks;
		g->run.n_ticks = GUEST_TICKS;
		g->run.steps = (__u64)(unsigned long)g->step;
		g->run.n_steps = 64;
		for (i = 0; i < 64; i++)
			g->step[i] = (__u32)random_word(&f->state) & 0xfff;
	}
	g->run.flags = (__u32)random_word(&f->state) & 3;
	for (i = 0; i < n; i++)
		switch (random_word(&f->state) % 4) {
		case 0:
			disturb(f, &g->run, sizeof(g->run));
			break;
		case 1:
			disturb(f, g->event, sizeof(g->event[0]));
			break;
		default:
			disturb(f, g->actor, sizeof(g->actor[0]));
			break;
		}
	return guest_run(g);
}

static int fuzz_arena(struct fuzz *f)
{
	struct memprobe_arena *arena = f->arena;
	unsigned int i, n = random_word(&f->state) % 3;
	int error;

	*arena = (struct memprobe_arena){
		.size = sizeof(*arena),
		.op = MEMPROBE_ARENA_TAKE,
		.kind = 1 + random_word(&f->state) % 4,
		.bytes = PAGE << random_word(&f->state) % 10,
	};
	for (i = 0; i < n; i++)
		disturb(f, arena, sizeof(*arena));
	error = guest_call(f->g->fd, MEMPROBE_ARENA, arena);
	/* Keep some, so that arenas of all sorts are about. */
	if (!error && arena->op == MEMPROBE_ARENA_TAKE &&
	    random_word(&f->state) & 3)
		guest_give(f->g->fd, arena->id);
	return error;
}

static int fuzz_other(struct fuzz *f)
{
	const unsigned long command =
		random_word(&f->state) & 1
			? _IO(MEMPROBE_IOC, random_word(&f->state) % 8)
			: (unsigned long)(edge(f) & 0xffff) << 16 |
				  MEMPROBE_IOC << 8 | (edge(f) & 3);
	void *argument = (void *)(unsigned long)edge(f);

	if (random_word(&f->state) & 1)
		argument = memset(f->arena, (int)edge(f), sizeof(*f->arena));
	return guest_call(f->g->fd, command, argument);
}

static void note_error(struct fuzz *f, int error)
{
	size_t i;

	f->calls++;
	for (i = 0; i < sizeof(promised) / sizeof(promised[0]); i++)
		if (-error == promised[i]) {
			f->errors[i]++;
			return;
		}
	f->unknown++;
	f->last_unknown = error;
}

static timer_t interrupt_every(long ns)
{
	struct itimerspec every = {
		.it_value.tv_nsec = ns,
		.it_interval.tv_nsec = ns,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGUSR1,
	};
	timer_t timer;

	heed(SIGUSR1);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	return timer;
}

void hostile_fuzz(struct guest *g)
{
	const __u64 end = guest_now_ns(CLOCK_MONOTONIC) + FUZZ_NS;
	const struct memprobe_arena arena = g->arena;
	const struct memprobe_info info = g->info;
	const int fd = g->fd, cpu = g->cpu;
	struct fuzz f = {
		.g = g,
		.arena = guest_shared(sizeof(*f.arena)),
		.state = 20240229,
	};
	/* Whatever takes long is cut short. */
	const timer_t timer = interrupt_every(20 * (long)GUEST_NS_PER_MS);
	size_t i;

	while (guest_now_ns(CLOCK_MONOTONIC) < end) {
		switch (random_word(&f.state) % 8) {
		case 0:
			note_error(&f, fuzz_other(&f));
			break;
		case 1:
		case 2:
			note_error(&f, fuzz_arena(&f));
			break;
		default:
			note_error(&f, fuzz_run(&f));
			break;
		}
		/* A wild pointer may have hit what the request is made of. */
		g->fd = fd;
		g->cpu = cpu;
		g->info = info;
		g->arena = arena;
	}
	timer_delete(timer);
	for (i = 0; i < sizeof(promised) / sizeof(promised[0]); i++)
		if (f.errors[i])
			note("fuzz: %s %u", guest_error_name(promised[i]),
			     f.errors[i]);
	expect(!f.unknown, "fuzz: errors that the header does not know",
	       "none, got %u, the last %s", f.unknown,
	       guest_error_name(-f.last_unknown));
	expect(f.calls > 100, "fuzz: calls", "more than 100, got %llu",
	       f.calls);
	expect(f.errors[0], "fuzz: requests that worked", "some");
}
