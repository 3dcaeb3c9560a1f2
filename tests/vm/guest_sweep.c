// SPDX-License-Identifier: GPL-2.0
/*
 * Ticks of a hop over footprints, for each kind of arena: for comparing with
 * what user space sees on the same machine.
 *
 *	guest_sweep [MAX_BYTES [STRIDE]]	(64 MiB, 64)
 *
 * Lines: clock RATE Hz; sweep KIND BYTES MIN MEDIAN, ticks of a hop of a burst.
 */
#include "guest_lib.h"

#include <stdio.h>
#include <stdlib.h>

#define LIMIT_S 300
#define MIN_BYTES 4096ull
#define MAX_BYTES (64ull << 20)
#define BURSTS 15
#define HOPS_MIN 4096u
#define HOPS_MAX 65536u
#define WINDOW_NS (2 * GUEST_NS_PER_MS)

static const struct kind {
	enum memprobe_kind kind;
	const char *name;
} kinds[] = {
	{ MEMPROBE_KIND_CONTIG, "contig" },
	{ MEMPROBE_KIND_BLOCKS, "blocks" },
	{ MEMPROBE_KIND_HUGE, "huge" },
	{ MEMPROBE_KIND_SCATTERED, "scattered" },
};

/* Ticks of a hop, times 1000: the ends of a sort are the extremes. */
static bool point(struct guest *g, __u64 bytes, __u64 stride, __u64 *per_hop)
{
	const __u64 slots = bytes / stride;
	__u32 i;

	guest_default(g);
	guest_bursts(g, BURSTS, slots, WINDOW_NS);
	if (slots < HOPS_MIN)
		g->actor[0].hops = HOPS_MIN;
	if (slots > HOPS_MAX)
		g->actor[0].hops = HOPS_MAX;
	g->actor[0].length = bytes;
	g->actor[0].stride = stride;
	g->actor[0].warm_hops = 2 * slots;
	/* While it rests between windows, others use its caches. */
	g->actor[0].rewarm_hops = slots;
	if (g->actor[0].warm_hops > g->info.hops_max)
		g->actor[0].warm_hops = g->info.hops_max;
	g->run.flags = MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF;
	if (guest_run(g) || !g->run.n_samples)
		return false;
	for (i = 0; i < g->run.n_samples; i++)
		per_hop[i] = g->sample[i].hops
			? g->sample[i].ticks * 1000 / g->sample[i].hops : 0;
	guest_order(per_hop, g->run.n_samples);
	return true;
}

static unsigned int sweep(struct guest *g, const char *name, __u64 most,
			  __u64 stride)
{
	__u64 per_hop[BURSTS], power, bytes, middle;
	unsigned int points = 0;
	int half;

	for (power = MIN_BYTES; power <= most; power *= 2)
		for (half = 0; half < 2; half++) {
			/* Up by the square root of two, in whole lines. */
			bytes = half ? power * 1414 / 1000 / 64 * 64 : power;
			if (bytes > most || bytes < stride)
				continue;
			if (!point(g, bytes, stride, per_hop))
				return points;
			middle = per_hop[g->run.n_samples / 2];
			printf("sweep %s %llu %llu.%03llu %llu.%03llu\n", name,
			       bytes, per_hop[0] / 1000, per_hop[0] % 1000,
			       middle / 1000, middle % 1000);
			points++;
		}
	return points;
}

int main(int argc, char **argv)
{
	const __u64 most = argc > 1 ? strtoull(argv[1], NULL, 0) : MAX_BYTES;
	const __u64 stride = argc > 2 ? strtoull(argv[2], NULL, 0) : 64;
	struct memprobe_arena small;
	unsigned int points;
	struct guest *g;
	__u64 bytes;
	size_t i;

	guest_begin("guest_sweep", LIMIT_S);
	g = guest_new(0);
	if (!g)
		return guest_end();
	printf("clock %llu Hz\n", g->info.tick_hz);
	small = g->arena;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bytes = most < g->info.arena_max_bytes ? most
						       : g->info.arena_max_bytes;
		/* As much of it as there is. */
		while (bytes >= MIN_BYTES &&
		       guest_take(g->fd, kinds[i].kind, bytes, &g->arena))
			bytes /= 2;
		if (bytes < MIN_BYTES) {
			skipped(guest_text("sweep %s", kinds[i].name),
				"there is no such arena here");
			continue;
		}
		points = sweep(g, kinds[i].name, bytes, stride);
		expect(points, guest_text("sweep %s", kinds[i].name),
		       "some points, got none");
		guest_give(g->fd, g->arena.id);
		g->arena = small;
	}
	return guest_end();
}
