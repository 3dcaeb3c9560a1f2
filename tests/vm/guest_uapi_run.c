// SPDX-License-Identifier: GPL-2.0
/*
 * Runs that are refused, and why.
 */
#include "guest_uapi.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

static const struct wrong wrongs[] = {
	{ "the least window", 0, 0, { RUN_LIMIT(window_ns, window_min_ns, 0) } },
	{ "the longest window", 0, 0,
	  { RUN_LIMIT(window_ns, window_max_ns, 0) } },
	{ "a window of 1 ns", ERANGE, 0, { RUN(window_ns, 1) } },
	{ "a window of 19999 ns", ERANGE, 0, { RUN(window_ns, 19999) } },
	{ "a window of 10000001 ns", ERANGE, 0, { RUN(window_ns, 10000001) } },
	{ "an endless window", ERANGE, 0, { RUN(window_ns, ~0ull) } },
	{ "interrupts off and preemption on", EINVAL, 0,
	  { RUN(flags, MEMPROBE_RUN_IRQ_OFF) } },
	{ "a reserved field of the run", EOPNOTSUPP, 0, { RUN(reserved, 1) } },
	{ "all of a reserved field of the run", EOPNOTSUPP, 0,
	  { RUN(reserved, ~0u) } },
	{ "a cookie of all bits", 0, 0, { RUN(cookie, ~0ull) } },

	{ "no actor", EINVAL, 0, { RUN(n_actors, 0) } },
	{ "one actor too many", ERANGE, 0,
	  { RUN_LIMIT(n_actors, actors_max, 1) } },
	{ "2^32 - 1 actors", ERANGE, 0, { RUN(n_actors, ~0u) } },
	{ "actors of size 0", EINVAL, 0, { RUN(actor_size, 0) } },
	{ "actors of size 3", EINVAL, 0, { RUN(actor_size, 3) } },
	{ "actors of size 104, as the run says", EINVAL, 0,
	  { RUN(actor_size, 104) } },
	{ "an actor of size 0, as it says", EINVAL, 0, { ACTOR(size, 0) } },
	{ "an actor of size 104, as both say", EINVAL, 0,
	  { RUN(actor_size, 104), ACTOR(size, 104) } },
	{ "actors of a later version, as the run alone says", EINVAL, 0,
	  { RUN(actor_size, 120) } },
	{ "actors of a later version, as the actor alone says", EINVAL, 0,
	  { ACTOR(size, 120) } },
	{ "an actor of a later version with nothing in it", 0, 0,
	  { RUN(actor_size, 120), ACTOR(size, 120) } },

	{ "CPU 1000", ENXIO, 0, { ACTOR(cpu, 1000) } },
	{ "CPU 2^31", ENXIO, 0, { ACTOR(cpu, 1u << 31) } },
	{ "CPU 2^32 - 1", ENXIO, 0, { ACTOR(cpu, ~0u) } },
	{ "phase 1", EOPNOTSUPP, 0, { ACTOR(phase, 1) } },
	{ "op 0", EOPNOTSUPP, EINVAL, { ACTOR(op, 0) } },
	{ "op 3", EOPNOTSUPP, 0, { ACTOR(op, 3) } },
	{ "op 32", EOPNOTSUPP, 0, { ACTOR(op, 32) } },
	{ "op 2^32 - 1", EOPNOTSUPP, 0, { ACTOR(op, ~0u) } },
	{ "arena 2^32 - 1", ENOENT, 0, { ACTOR(arena, ~0u) } },
	{ "arena 12345", ENOENT, 0, { ACTOR(arena, 12345) } },

	{ "offset 1", EINVAL, 0, { ACTOR(offset, 1) } },
	{ "offset 8", EINVAL, 0, { ACTOR(offset, 8) } },
	{ "offset 64", 0, 0, { ACTOR(offset, 64) } },
	{ "a span that ends with the arena", 0, 0,
	  { ACTOR(offset, GUEST_ARENA_BYTES - (64 << 10)) } },
	{ "a span that ends 64 bytes behind the arena", EINVAL, 0,
	  { ACTOR(offset, GUEST_ARENA_BYTES - (64 << 10) + 64) } },
	{ "a span that begins behind the arena", EINVAL, 0,
	  { ACTOR(offset, GUEST_ARENA_BYTES) } },
	{ "an offset that wraps", EOVERFLOW, 0, { ACTOR(offset, -64ull) } },
	{ "an offset and a length that wrap", EOVERFLOW, 0,
	  { ACTOR(offset, -4096ull) } },
	{ "all of the arena", 0, 0, { ACTOR(length, GUEST_ARENA_BYTES) } },
	{ "more than the arena", EINVAL, 0,
	  { ACTOR(length, GUEST_ARENA_BYTES + 64) } },
	{ "a length of 0", EINVAL, 0, { ACTOR(length, 0) } },
	{ "a length of less than a stride", EINVAL, 0, { ACTOR(length, 56) } },
	{ "a length that wraps", EOVERFLOW, ERANGE,
	  { ACTOR(offset, 128), ACTOR(length, -64ull) } },

	{ "a stride of 0", EINVAL, 0, { ACTOR(stride, 0) } },
	{ "a stride of 4", EINVAL, 0, { ACTOR(stride, 4) } },
	{ "a stride of 12", EINVAL, 0, { ACTOR(stride, 12) } },
	{ "a stride of 8", 0, 0, { ACTOR(stride, 8) } },
	{ "a stride of the length: one slot", 0, 0, { ACTOR(stride, 64 << 10) } },
	{ "a stride of more than the length", EINVAL, 0,
	  { ACTOR(stride, 128 << 10) } },
	{ "a stride of 2^64 - 8", EINVAL, 0, { ACTOR(stride, -8ull) } },
	{ "a reach of 4096", 0, 0, { ACTOR(reach, 4096) } },
	{ "a reach of less than a stride", EINVAL, 0, { ACTOR(reach, 8) } },
	{ "a skew with a stride of 64", EINVAL, 0, { ACTOR(skew, 64) } },
	{ "a skew with a stride of 4096", 0, 0,
	  { ACTOR(skew, 64), ACTOR(stride, 4096) } },
	{ "a skew of 4", EINVAL, 0, { ACTOR(skew, 4), ACTOR(stride, 4096) } },
	{ "a skew with a stride of 4160", EINVAL, 0,
	  { ACTOR(skew, 64), ACTOR(stride, 4160) } },
	{ "any seed", 0, 0, { ACTOR(seed, ~0ull) } },

	{ "no hops", EINVAL, 0, { ACTOR(hops, 0) } },
	{ "one hop", 0, 0, { ACTOR(hops, 1) } },
	{ "most hops", 0, 0, { ACTOR_LIMIT(hops, hops_max, 0) } },
	{ "one hop too many", ERANGE, 0, { ACTOR_LIMIT(hops, hops_max, 1) } },
	{ "2^64 - 1 hops", ERANGE, 0, { ACTOR(hops, ~0ull) } },
	{ "1000 hops to warm up", 0, 0, { ACTOR(warm_hops, 1000) } },
	{ "1000 hops to warm up again", 0, 0, { ACTOR(rewarm_hops, 1000) } },
	{ "no bursts", EINVAL, 0, { ACTOR(bursts, 0) } },
	{ "one burst too many", ERANGE, 0,
	  { ACTOR_LIMIT(bursts, bursts_max, 1),
	    RUN_LIMIT(n_samples, bursts_max, 1) } },
	{ "2^32 - 1 bursts", ERANGE, 0,
	  { ACTOR(bursts, ~0u), RUN(n_samples, ~0u) } },
	{ "a gap of 1 ns", 0, 0, { ACTOR(gap_ns, 1) } },
	{ "an endless gap", 0, ERANGE, { ACTOR(gap_ns, ~0ull) } },

	{ "no room for samples", EINVAL, 0, { RUN(n_samples, 0) } },
	{ "room for one sample too few", EINVAL, 0, { RUN(n_samples, 1) } },
	{ "room for more samples", 0, 0, { RUN(n_samples, GUEST_SAMPLES) } },
	{ "a stride of samples of 8", EINVAL, 0, { RUN(sample_stride, 8) } },
	{ "a stride of samples of 248", EINVAL, 0, { RUN(sample_stride, 248) } },
	{ "a stride of samples of 260", EINVAL, 0, { RUN(sample_stride, 260) } },
	{ "a stride of samples of 256", 0, 0, { RUN(sample_stride, 256) } },
	{ "a stride of samples of 264", 0, 0, { RUN(sample_stride, 264) } },
	{ "a stride of samples of 4096", 0, 0, { RUN(sample_stride, 4096) } },
	{ "a stride of samples of 4104", EINVAL, 0, { RUN(sample_stride, 4104) } },
	{ "a stride of samples of 2^32 - 8", EINVAL, 0,
	  { RUN(sample_stride, 0xfffffff8u) } },

	{ "steps for a chase", EINVAL, 0, { RUN(n_steps, 4) } },
	{ "too many events", ERANGE, 0, { RUN_LIMIT(n_events, events_max, 1) } },
	{ "2^32 - 1 events", ERANGE, 0, { RUN(n_events, ~0u) } },
};

/* A chase whose groups are timed: 16 groups a burst. */
static const struct wrong group_wrongs[] = {
	{ "groups of 64", 0, 0, { } },
	{ "groups of 1", 0, 0, { ACTOR(group, 1), RUN(n_ticks, GUEST_TICKS) } },
	{ "too large a group", ERANGE, 0,
	  { ACTOR_LIMIT(group, group_max, 1) } },
	{ "a group of 2^32 - 1 hops", ERANGE, 0, { ACTOR(group, ~0u) } },
	{ "groups and no room for ticks", EINVAL, 0, { RUN(n_ticks, 0) } },
	{ "groups and room for one tick too few", EINVAL, 0,
	  { RUN(n_ticks, 31) } },
	{ "room for too many ticks", ERANGE, 0,
	  { RUN_LIMIT(n_ticks, ticks_max, 1) } },
	{ "room for 2^32 - 1 ticks", ERANGE, 0, { RUN(n_ticks, ~0u) } },
};

/* A chase with one event. */
static const struct wrong event_wrongs[] = {
	{ "events of size 0", EINVAL, 0, { RUN(event_size, 0) } },
	{ "events of size 32", EINVAL, 0,
	  { RUN(event_size, 32), EVENT(size, 32) } },
	{ "an event of size 0, as it says", EINVAL, 0, { EVENT(size, 0) } },
	{ "events of a later version, as the run alone says", EINVAL, 0,
	  { RUN(event_size, 48) } },
	{ "an event of a later version with nothing in it", 0, 0,
	  { RUN(event_size, 48), EVENT(size, 48) } },
	{ "a reserved field of an event", EOPNOTSUPP, 0, { EVENT(reserved, 1) } },
};

static void try_run(struct guest *g, const struct wrong *wrong)
{
	change_request(g, NULL, wrong);
	answer(g, "RUN", wrong->what, guest_run(g), wrong->want,
	       wrong->or_else ? wrong->or_else : wrong->want);
}

static void with_groups(struct guest *g)
{
	guest_default(g);
	g->actor[0].group = 64;
	g->run.ticks = (__u64)(unsigned long)g->ticks;
	g->run.n_ticks = GUEST_TICKS;
}

static void with_event(struct guest *g)
{
	guest_default(g);
	g->event[0].size = sizeof(g->event[0]);
	g->event[0].type = PERF_TYPE_HARDWARE;
	g->event[0].config = PERF_COUNT_HW_CPU_CYCLES;
	g->run.events = (__u64)(unsigned long)g->event;
	g->run.event_size = sizeof(g->event[0]);
	g->run.n_events = 1;
}

static void run_flags(struct guest *g)
{
	const __u32 quiet = MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF;
	unsigned int bit;

	for (bit = 3; bit < 32; bit++) {
		guest_default(g);
		g->run.flags = 1u << bit;
		answer(g, "RUN", guest_text("flag bit %u", bit), guest_run(g),
		       EOPNOTSUPP, EOPNOTSUPP);
	}
	guest_default(g);
	g->run.flags = quiet;
	answer(g, "RUN", "interrupts off", guest_run(g), 0, 0);
	guest_default(g);
	g->run.flags = MEMPROBE_RUN_PREEMPT_OFF;
	answer(g, "RUN", "preemption off", guest_run(g), 0, 0);

	guest_default(g);
	g->run.flags = quiet | MEMPROBE_RUN_PREFETCH_OFF;
	if (g->info.run_flags & MEMPROBE_RUN_PREFETCH_OFF) {
		answer(g, "RUN", "prefetchers off", guest_run(g), 0, 0);
		guest_default(g);
		g->run.flags = MEMPROBE_RUN_PREFETCH_OFF;
		answer(g, "RUN", "prefetchers off, interrupts on", guest_run(g),
		       EINVAL, EINVAL);
	} else {
		answer(g, "RUN", "prefetchers off, which is not to be had",
		       guest_run(g), EOPNOTSUPP, EOPNOTSUPP);
	}
}

static void actor_flags(struct guest *g)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		guest_default(g);
		g->actor[0].flags = 1u << bit;
		answer(g, "RUN", guest_text("flag bit %u of the actor", bit),
		       guest_run(g), EOPNOTSUPP, EOPNOTSUPP);
	}
}

/* The tail that this kernel does not know; the second actor lies there. */
static void tails(struct guest *g)
{
	guest_default(g);
	g->actor[0].size = 120;
	g->run.actor_size = 120;
	g->actor[1].size = 1;
	answer(g, "RUN", "an actor of a later version with something in it",
	       guest_run(g), E2BIG, E2BIG);
	with_event(g);
	g->event[0].size = 48;
	g->run.event_size = 48;
	g->event[1].size = 1;
	answer(g, "RUN", "an event of a later version with something in it",
	       guest_run(g), E2BIG, E2BIG);
}

static void pointers_of_run(struct guest *g)
{
	struct bad_address bad[BAD_ADDRESSES];
	unsigned int i;

	for (i = 0; i < BAD_ADDRESSES; i++) {
		guest_default(g);
		bad_addresses(bad, g->actor, sizeof(g->actor[0]));
		g->run.actors = (__u64)(unsigned long)bad[i].address;
		answer(g, "RUN", guest_text("actors at %s", bad[i].what),
		       guest_run(g), EFAULT, EFAULT);

		guest_default(g);
		bad_addresses(bad, g->sample, sizeof(g->sample[0]));
		g->run.samples = (__u64)(unsigned long)bad[i].address;
		answer(g, "RUN", guest_text("samples at %s", bad[i].what),
		       guest_run(g), EFAULT, EFAULT);

		with_event(g);
		bad_addresses(bad, g->event, sizeof(g->event[0]));
		g->run.events = (__u64)(unsigned long)bad[i].address;
		answer(g, "RUN", guest_text("events at %s", bad[i].what),
		       guest_run(g), EFAULT, EFAULT);

		with_groups(g);
		bad_addresses(bad, g->ticks, 256);
		g->run.ticks = (__u64)(unsigned long)bad[i].address;
		answer(g, "RUN", guest_text("ticks at %s", bad[i].what),
		       guest_run(g), EFAULT, EFAULT);
	}
	guest_default(g);
	g->run.samples = (__u64)(unsigned long)read_only_copy(g->sample, 1024);
	answer(g, "RUN", "samples where nothing can be written", guest_run(g),
	       EFAULT, EFAULT);
	guest_default(g);
	g->run.samples = ~0ull - 255;
	answer(g, "RUN", "samples at the end of all addresses", guest_run(g),
	       EFAULT, EOVERFLOW);
}

void uapi_run(struct guest *g)
{
	size_t i;

	for (i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		guest_default(g);
		try_run(g, &wrongs[i]);
	}
	for (i = 0; i < sizeof(group_wrongs) / sizeof(group_wrongs[0]); i++) {
		with_groups(g);
		try_run(g, &group_wrongs[i]);
	}
	if (g->info.events_max)
		for (i = 0; i < sizeof(event_wrongs) / sizeof(event_wrongs[0]);
		     i++) {
			with_event(g);
			try_run(g, &event_wrongs[i]);
		}
	run_flags(g);
	actor_flags(g);
	tails(g);
	pointers_of_run(g);
}

/* Steps over four slots: each is touched, flushed, then timed. */
static void sequence(struct guest *g)
{
	__u32 slot, n = 0;

	guest_default(g);
	for (slot = 0; slot < 4; slot++) {
		g->step[n++] = MEMPROBE_STEP(slot, MEMPROBE_STEP_TOUCH);
		g->step[n++] = MEMPROBE_STEP(slot, MEMPROBE_STEP_FLUSH);
		g->step[n++] = MEMPROBE_STEP(slot, MEMPROBE_STEP_TIME);
	}
	g->actor[0].op = MEMPROBE_OP_SEQUENCE;
	g->actor[0].hops = 0;
	g->run.steps = (__u64)(unsigned long)g->step;
	g->run.n_steps = n;
	g->run.ticks = (__u64)(unsigned long)g->ticks;
	g->run.n_ticks = GUEST_TICKS;
}

static const struct wrong sequence_wrongs[] = {
	{ "a sequence", 0, 0, { } },
	{ "a sequence without steps", EINVAL, 0, { RUN(n_steps, 0) } },
	{ "a sequence of too many steps", ERANGE, 0,
	  { RUN_LIMIT(n_steps, steps_max, 1) } },
	{ "a sequence of 2^32 - 1 steps", ERANGE, 0, { RUN(n_steps, ~0u) } },
	{ "a sequence with hops", EINVAL, 0, { ACTOR(hops, 64) } },
	{ "a sequence with a stride of 8", EINVAL, 0, { ACTOR(stride, 8) } },
	{ "a sequence with a reach", EINVAL, 0, { ACTOR(reach, 4096) } },
	{ "a sequence with a skew", EINVAL, 0,
	  { ACTOR(skew, 64), ACTOR(stride, 4096) } },
	{ "a sequence and no room for ticks", EINVAL, 0, { RUN(n_ticks, 0) } },
	{ "a sequence and room for one tick too few", EINVAL, 0,
	  { RUN(n_ticks, 7) } },
};

void uapi_sequence(struct guest *g)
{
	struct bad_address bad[BAD_ADDRESSES];
	size_t i;
	__u32 n;

	for (i = 0; i < sizeof(sequence_wrongs) / sizeof(sequence_wrongs[0]);
	     i++) {
		sequence(g);
		try_run(g, &sequence_wrongs[i]);
	}
	for (i = 0; i < BAD_ADDRESSES; i++) {
		sequence(g);
		bad_addresses(bad, g->step, sizeof(g->step));
		g->run.steps = (__u64)(unsigned long)bad[i].address;
		answer(g, "RUN", guest_text("steps at %s", bad[i].what),
		       guest_run(g), EFAULT, EFAULT);
	}
	sequence(g);
	g->step[11] = MEMPROBE_STEP(3, 3);
	answer(g, "RUN", "an unknown step", guest_run(g), EOPNOTSUPP,
	       EOPNOTSUPP);
	sequence(g);
	g->step[11] = MEMPROBE_STEP(1023, MEMPROBE_STEP_TOUCH);
	answer(g, "RUN", "a step to the last slot", guest_run(g), 0, 0);
	sequence(g);
	g->step[11] = MEMPROBE_STEP(1024, MEMPROBE_STEP_TOUCH);
	answer(g, "RUN", "a step behind the last slot", guest_run(g), EINVAL,
	       EINVAL);
	sequence(g);
	g->step[11] = MEMPROBE_STEP(0x3fffffff, MEMPROBE_STEP_TOUCH);
	answer(g, "RUN", "a step to slot 2^30 - 1", guest_run(g), EINVAL,
	       EINVAL);
	sequence(g);
	n = g->info.visits_max + 1;
	if (n > GUEST_STEPS || n > g->info.steps_max) {
		skipped("one visit too many", "it takes too many steps");
		return;
	}
	memset(g->step, 0, sizeof(g->step));
	g->run.n_steps = n - 1;
	answer(g, "RUN", "the most visits of a slot", guest_run(g), 0, 0);
	sequence(g);
	memset(g->step, 0, sizeof(g->step));
	g->run.n_steps = n;
	answer(g, "RUN", "one visit too many", guest_run(g), ERANGE, ERANGE);
}
