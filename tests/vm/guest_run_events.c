// SPDX-License-Identifier: GPL-2.0
/*
 * Events: counted, or a reason why not; never a run that fails for them.
 */
#include "guest_run.h"

#include <errno.h>
#include <linux/perf_event.h>

#define BURSTS 4

static void with_event(struct guest *g, __u32 type, __u64 config)
{
	guest_default(g);
	guest_bursts(g, BURSTS, 4096, 2 * GUEST_NS_PER_MS);
	g->run.flags = QUIET;
	g->run.events = (__u64)(unsigned long)g->event;
	g->run.event_size = sizeof(g->event[0]);
	g->run.n_events = 1;
	g->event[0].size = sizeof(g->event[0]);
	g->event[0].type = type;
	g->event[0].config = config;
	/* What is written back is not what was there. */
	g->event[0].error = 12345;
}

/* Counted or not, what is said of it must hold together. */
static bool sound(struct guest *g, const char *what)
{
	unsigned int valid = 0;
	__u32 i;

	if (!run_ok(g, what))
		return false;
	note("%s: %s", what, guest_error_name(-g->event[0].error));
	expect(g->event[0].error <= 0 && g->event[0].error > -4096,
	       guest_text("%s: error", what), "0 or a negative errno, got %d",
	       g->event[0].error);
	check_samples(g, what);
	for (i = 0; i < g->run.n_samples; i++)
		valid += known(&g->sample[i], MEMPROBE_SLOT_EVENT);
	if (g->event[0].error)
		expect_equal(guest_text("%s: samples that hold it", what),
			     valid, 0);
	else
		expect_between(guest_text("%s: samples that hold it", what),
			       valid, 1, BURSTS);
	expect(!(g->run.got & MEMPROBE_RUN_COUNTED) == !!g->event[0].error,
	       guest_text("%s: got", what), "to say if it was counted, got %#x",
	       g->run.got);
	return !g->event[0].error && valid;
}

static void hardware(struct guest *g, const char *what, __u64 config)
{
	with_event(g, PERF_TYPE_HARDWARE, config);
	if (!sound(g, what)) {
		skipped(guest_text("%s: their number", what),
			"not counted on this machine");
		return;
	}
	expect(g->sample[0].counter[0] > 0, guest_text("%s: their number", what),
	       "more than none");
	note("%s of %llu hops: %llu", what, g->sample[0].hops,
	     g->sample[0].counter[0]);
	if (config == PERF_COUNT_HW_INSTRUCTIONS)
		expect(g->sample[0].counter[0] >= g->sample[0].hops,
		       guest_text("%s: a load is one", what),
		       "%llu or more, got %llu", g->sample[0].hops,
		       g->sample[0].counter[0]);
}

static void refused(struct guest *g, const char *what, __u32 type, __u64 config,
		    int want, int or_else)
{
	with_event(g, type, config);
	if (sound(g, what))
		expect(false, what, "not to be counted");
	expect_error(guest_text("%s: why not", what), g->event[0].error, want,
		     or_else);
}

/* More events than a machine has counters: some have a reason, no failure. */
static void all_of_them(struct guest *g)
{
	const __u32 n = g->info.events_max;
	unsigned int counted = 0, unsound = 0;
	__u32 i;

	with_event(g, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	for (i = 0; i < n; i++) {
		g->event[i] = g->event[0];
		g->event[i].config = i % PERF_COUNT_HW_MAX;
	}
	g->run.n_events = n;
	if (!run_ok(g, "as many events as there may be"))
		return;
	for (i = 0; i < n; i++) {
		counted += !g->event[i].error;
		unsound += g->event[i].error > 0 ||
			   (g->event[i].error &&
			    known(&g->sample[0], MEMPROBE_SLOT_EVENT + i));
	}
	expect_equal("as many events as there may be: unsound", unsound, 0);
	note("%u of %u events counted", counted, n);
}

void run_events(struct guest *g)
{
	int none;

	if (!g->info.events_max) {
		skipped("events", "INFO says that none can be counted");
		return;
	}
	hardware(g, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	/* Without any events at all that is the reason for all of these. */
	none = g->event[0].error == -EOPNOTSUPP ? EOPNOTSUPP : 0;
	hardware(g, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
	refused(g, "a software event", PERF_TYPE_SOFTWARE,
		PERF_COUNT_SW_CPU_CLOCK, EOPNOTSUPP, EOPNOTSUPP);
	refused(g, "a tracepoint", PERF_TYPE_TRACEPOINT, 1, EOPNOTSUPP,
		EOPNOTSUPP);
	refused(g, "a breakpoint", PERF_TYPE_BREAKPOINT, 0, EOPNOTSUPP,
		EOPNOTSUPP);
	refused(g, "a PMU that there is not", 12345, 0, none ? none : ENOENT,
		EOPNOTSUPP);
	refused(g, "an event that there is not", PERF_TYPE_HARDWARE, 12345,
		none ? none : ENOENT, none ? none : EINVAL);
	all_of_them(g);
}
