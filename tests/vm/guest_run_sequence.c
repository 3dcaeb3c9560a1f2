// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences: one word of ticks for each timed step, in order.
 */
#include "guest_run.h"

#include <string.h>

#define SLOTS 32
#define BURSTS 8
#define FILL 0xa5

/*
 * Each slot is prepared, then each is timed. In no order, and each in a page
 * of its own: a prefetcher that saw a stride would undo what a flush did.
 */
static void prepare_then_time(struct guest *g, enum memprobe_step prepare)
{
	__u32 i, slot, n = 0;

	guest_default(g);
	for (i = 0; i < SLOTS; i++)
		g->step[n++] = MEMPROBE_STEP(i, prepare);
	for (i = 0; i < SLOTS; i++) {
		slot = (i * i + i) / 2 % SLOTS;
		g->step[n++] = MEMPROBE_STEP(slot, MEMPROBE_STEP_TIME);
	}
	g->actor[0].op = MEMPROBE_OP_SEQUENCE;
	g->actor[0].stride = 4096 + 320;
	g->actor[0].length = GUEST_ARENA_BYTES;
	guest_bursts(g, BURSTS, 0, GUEST_NS_PER_MS);
	g->run.flags = QUIET;
	g->run.steps = (__u64)(unsigned long)g->step;
	g->run.n_steps = n;
	g->run.ticks = (__u64)(unsigned long)g->ticks;
	g->run.n_ticks = GUEST_TICKS;
	memset(g->ticks, FILL, sizeof(g->ticks));
}

/* Median ticks of a timed step, or 0 and said. */
static __u64 timed(struct guest *g, const char *what)
{
	__u64 misplaced = 0, none = 0, words;
	__u32 i;

	if (!run_ok(g, what))
		return 0;
	check_samples(g, what);
	words = (__u64)g->run.n_samples * SLOTS;
	if (!expect_equal(guest_text("%s: words", what), g->run.n_ticks, words))
		return 0;
	for (i = 0; i < g->run.n_samples; i++)
		misplaced += g->sample[i].payload_kind != MEMPROBE_PAYLOAD_TICKS ||
			     g->sample[i].payload_offset != i * SLOTS ||
			     g->sample[i].payload_count != SLOTS;
	expect_equal(guest_text("%s: misplaced", what), misplaced, 0);
	expect(g->ticks[words] == 0xa5a5a5a5a5a5a5a5ull,
	       guest_text("%s: the word behind", what), "not to be touched");
	for (i = 0; i < words; i++)
		none += g->ticks[i] > GUEST_NS_PER_S;
	expect_equal(guest_text("%s: words that were not written", what), none,
		     0);
	guest_order(g->ticks, words);
	return g->ticks[words / 2];
}

void run_sequence(struct guest *g, bool plain)
{
	__u64 touched, flushed;

	prepare_then_time(g, MEMPROBE_STEP_TOUCH);
	touched = timed(g, "touch, then time");
	prepare_then_time(g, MEMPROBE_STEP_FLUSH);
	flushed = timed(g, "flush, then time");
	note("ticks of a step: touched %llu, flushed %llu", touched, flushed);
	if (plain)
		expect(flushed > touched, "what was flushed is slower",
		       "more than %llu ticks, got %llu", touched, flushed);
	else
		skipped("what was flushed is slower",
			"an emulated machine has no caches");

	/* Nothing timed: nothing to write, and no room needed. */
	prepare_then_time(g, MEMPROBE_STEP_TOUCH);
	g->run.n_steps = SLOTS;
	g->run.n_ticks = 0;
	if (run_ok(g, "a sequence without timed steps")) {
		check_samples(g, "a sequence without timed steps");
		expect_equal("a sequence without timed steps: words",
			     g->run.n_ticks, 0);
	}
}
