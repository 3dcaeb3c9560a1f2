// SPDX-License-Identifier: GPL-2.0
/*
 * The timed code, alone in its file so that it can be built without
 * sanitizers, tracing and stack protection. Between two clock reads stand
 * the loads (or the chain), the counting of a loop, and in mp_chase_run()
 * one unordered look at the clock each MP_CHASE_LOOK_HOPS. What a look
 * notes stays in registers, and nothing that the loads wait for depends on
 * it: the core works it off beside them.
 */
#include "chase.h"
#include "arch.h"

/* Operations of a chain between two rounds of its loop. */
#define CHAIN_UNROLL 64u

_Static_assert(MP_CHASE_LOOK_HOPS == 64 && MP_CHASE_FINE_HOPS == 8 &&
	       CHAIN_UNROLL == 64,
	       "the code below is unrolled by literal numbers");

/* How many blocks of @size hold @n; n + size - 1 could wrap. */
static inline uint64_t blocks_for(uint64_t n, uint64_t size)
{
	return n / size + (n % size != 0);
}

/*
 * Hops in blocks of @n, a literal number, with a look behind each, while
 * @go_on. What a look finds: how long the stretch was, and whether a gap.
 */
#define WALK(n, look, go_on)						\
	while (left >= (n) && (go_on)) {				\
		MP_ARCH_HOPS(p, n);					\
		left -= (n);						\
		now = look();						\
		stretch = now - last;					\
		last = now;						\
		if (stretch > longest)					\
			longest = stretch;				\
		/* The first look runs ahead of its loads. */		\
		if ((n) == MP_CHASE_LOOK_HOPS &&			\
		    (stretch | ahead) < shortest)			\
			shortest = stretch;				\
		ahead = 0;						\
		if (stretch > gap) {					\
			lost += stretch;				\
			gaps++;						\
		}							\
		elapsed = now - start;					\
	}

/* Hops that nobody looks at. */
#define SETTLE(p, blocks)						\
	do {								\
		uint64_t block;						\
									\
		for (block = (blocks); block; block--)			\
			MP_ARCH_HOPS(p, 64);				\
	} while (0)

/* What 64 hops may take at worst, and as many that a look ran ahead of. */
#define WORST(slow) (2 * MP_CHASE_SLOWER * (slow))

/* Rounded up, but for a number that has no multiple above it. */
static inline uint64_t whole_looks(uint64_t hops)
{
	const uint64_t rest = hops % MP_CHASE_LOOK_HOPS;
	const uint64_t down = hops - rest;

	return rest && down + MP_CHASE_LOOK_HOPS > down ?
	       down + MP_CHASE_LOOK_HOPS : down;
}

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void mp_chase_run(struct mp_chase *chase)
{
	const uint64_t hops = whole_looks(chase->hops);
	const uint64_t gap = chase->gap_ticks;
	const uint64_t hard = chase->hard_ticks;
	const uint64_t limit = chase->limit_ticks || chase->bounded ?
			       chase->limit_ticks : ~(uint64_t)0;
	const uint64_t fine = lesser(chase->fine_ticks, limit);
	register const void *p MP_ARCH_CURSOR = chase->cursor;
	uint64_t longest = 0, shortest = ~(uint64_t)0, lost = 0, gaps = 0;
	uint64_t left = hops, ahead = ~(uint64_t)0, elapsed = 0;
	uint64_t slow = chase->slow_ticks;
	uint64_t start, last, now, stretch;

	SETTLE(p, blocks_for(chase->settle_hops, 64));
	start = mp_ticks_begin();
	last = start;
	if (!chase->bounded) {
		WALK(64, mp_ticks_look, elapsed < limit);
	} else {
		if (!slow) {
			WALK(8, mp_ticks_end, elapsed < fine &&
			     hops - left < MP_CHASE_LOOK_HOPS);
			slow = longest * (MP_CHASE_LOOK_HOPS /
					  MP_CHASE_FINE_HOPS);
			ahead = ~(uint64_t)0;
		}
		if (left < hops || chase->slow_ticks)
			WALK(64, mp_ticks_look, elapsed < limit && elapsed +
			     WORST(longest > slow ? longest : slow) < hard);
		/* Enough is enough: these looks cost more, and would tell. */
		if (hops - left < MP_CHASE_ENOUGH_HOPS) {
			WALK(8, mp_ticks_end, elapsed < fine);
			WALK(1, mp_ticks_end, elapsed < limit);
		}
	}
	now = mp_ticks_end();

	/* The last look ran ahead too: what it left is a stretch like others. */
	stretch = now - last;
	if (stretch > longest)
		longest = stretch;
	if (stretch > gap) {
		lost += stretch;
		gaps++;
	}
	chase->cursor = p;
	chase->done_hops = hops - left;
	chase->start_tick = start;
	chase->ticks = now - start;
	chase->lost_ticks = lost;
	chase->look_max_ticks = longest;
	chase->slow_ticks = longest > slow ? longest : slow;
	chase->look_min_ticks = lesser(shortest, now - start);
	chase->gaps = gaps < ~(uint32_t)0 ? (uint32_t)gaps : ~(uint32_t)0;
}

/*
 * So many cycles, one after the other: more than a step of any clock that can
 * time single hops.
 */
#define WAITS 8u

/*
 * Single hops: nothing but the hop stands between the two reads. Before each
 * passes a time of its own: the clock moves in steps, and a loop that takes a
 * whole number of them has all its reads at one place of a step.
 */
static uint32_t singles(const void **cursor, uint64_t *ticks, uint32_t n,
			uint64_t limit, uint64_t settle)
{
	register const void *p MP_ARCH_CURSOR = *cursor;
	uint64_t first, start, end;
	uint32_t i = 0, wait;

	SETTLE(p, settle);
	first = mp_ticks_begin();
	while (i < n) {
		for (wait = i % WAITS; wait; wait--)
			__asm__ volatile("");
		start = mp_ticks_begin();
		MP_ARCH_HOPS(p, 1);
		end = mp_ticks_end();
		mp_store_past(&ticks[i++], end - start);
		if (end - first >= limit)
			break;
	}
	mp_store_past_end();
	*cursor = p;
	return i;
}

/*
 * The branches are the same for every group, so the core predicts them; a
 * loop over single hops would leave it a wrong guess at the end of each. What
 * they took goes past the caches, or it would put out lines of a short ring.
 */
uint32_t mp_chase_groups(const void **cursor, uint64_t *ticks, uint32_t n,
			 uint32_t group, uint64_t limit_ticks,
			 uint64_t settle_hops)
{
	const uint64_t limit = limit_ticks ? limit_ticks : ~(uint64_t)0;
	register const void *p MP_ARCH_CURSOR = *cursor;
	const uint64_t settle = blocks_for(settle_hops, 64);
	uint64_t first, start, end;
	uint32_t i, blocks;

	if (group == 1)
		return singles(cursor, ticks, n, limit, settle);
	SETTLE(p, settle);
	first = mp_ticks_begin();
	for (i = 0; i < n; i++) {
		/*
		 * Or each of its bits is taken apart before, one is left for
		 * the stack, and a line of that is in the cache at each hop.
		 */
		__asm__("" : "+r" (group));
		start = mp_ticks_begin();
		for (blocks = group / 64; blocks; blocks--)
			MP_ARCH_HOPS(p, 64);
		if (group & 32)
			MP_ARCH_HOPS(p, 32);
		if (group & 16)
			MP_ARCH_HOPS(p, 16);
		if (group & 8)
			MP_ARCH_HOPS(p, 8);
		if (group & 4)
			MP_ARCH_HOPS(p, 4);
		if (group & 2)
			MP_ARCH_HOPS(p, 2);
		if (group & 1)
			MP_ARCH_HOPS(p, 1);
		end = mp_ticks_end();
		mp_store_past(&ticks[i], end - start);
		if (end - first >= limit) {
			i++;
			break;
		}
	}
	mp_store_past_end();
	*cursor = p;
	return i;
}

uint64_t mp_chase_empty(void)
{
	const uint64_t start = mp_ticks_begin();

	return mp_ticks_end() - start;
}

uint64_t mp_chase_add(uint64_t n)
{
	uint64_t left = blocks_for(n, CHAIN_UNROLL);
	uint64_t sum = 1, step = 3, start;

	start = mp_ticks_begin();
	for (; left; left--)
		MP_ARCH_ADDS(sum, step, 64);
	return mp_ticks_end() - start;
}

uint64_t mp_chase_mul(uint64_t n)
{
	uint64_t left = blocks_for(n, CHAIN_UNROLL);
	uint64_t product = 1, factor = 3, start;

	if (!MP_ARCH_MUL_CYCLES)
		return 0;
	start = mp_ticks_begin();
	for (; left; left--)
		MP_ARCH_MULS(product, factor, 64);
	return mp_ticks_end() - start;
}

uint32_t mp_chase_mul_cycles(void)
{
	return MP_ARCH_MUL_CYCLES;
}
