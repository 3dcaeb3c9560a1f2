// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions of a hop, exactly: where time is counted in instructions
 * (QEMU's -icount) a quiet window repeats to the last one. Twice the hops
 * less once the hops takes off all that is not the loop.
 */
#include "guest_lib.h"

#include <linux/perf_event.h>
#include <stdio.h>

#define LIMIT_S 120
#define HOPS 8192ull
#define REPEATS 5
#define BURSTS 4

/* Instructions of the last burst; the first ones find caches cold. */
static bool instructions(struct guest *g, __u64 hops, __u64 *count)
{
	const struct memprobe_sample *last = &g->sample[BURSTS - 1];
	int error;

	guest_default(g);
	guest_bursts(g, BURSTS, hops, g->info.window_max_ns);
	g->actor[0].warm_hops = hops;
	g->run.flags = MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF;
	g->run.events = (__u64)(unsigned long)g->event;
	g->run.event_size = sizeof(g->event[0]);
	g->run.n_events = 1;
	g->event[0].size = sizeof(g->event[0]);
	g->event[0].type = PERF_TYPE_HARDWARE;
	g->event[0].config = PERF_COUNT_HW_INSTRUCTIONS;
	error = guest_run(g);
	if (error) {
		expect_error("a run that counts instructions", error, 0, 0);
		return false;
	}
	if (g->event[0].error) {
		skipped("instructions of a hop",
			guest_error_name(-g->event[0].error));
		return false;
	}
	if (!(last->valid & 1) || last->hops != hops) {
		expect(false, "the last burst",
		       "%llu hops and their instructions, got %llu hops, valid %#llx",
		       hops, last->hops, last->valid);
		return false;
	}
	*count = last->counter[MEMPROBE_SLOT_EVENT];
	return true;
}

int main(void)
{
	__u64 once, twice, first = 0, thousandths;
	struct guest *g;
	int i;

	guest_begin("guest_pmu", LIMIT_S);
	g = guest_new(0);
	if (!g)
		return guest_end();
	for (i = 0; i < REPEATS; i++) {
		if (!instructions(g, HOPS, &once) ||
		    !instructions(g, 2 * HOPS, &twice))
			return guest_end();
		thousandths = (twice - once) * 1000 / HOPS;
		printf("instructions %llu %llu a hop %llu.%03llu\n", once,
		       twice, thousandths / 1000, thousandths % 1000);
		if (!i)
			first = twice - once;
		expect_equal(guest_text("repeat %d: instructions of %llu hops",
					i, HOPS),
			     twice - once, first);
		/* A load a hop; a look each 64 hops is less than one more. */
		expect_between(guest_text("repeat %d: a hop's thousandths", i),
			       thousandths, 1000, 2000);
	}
	guest_works("counting");
	return guest_end();
}
