/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_CHASE_H
#define MP_CHASE_H

#include "core.h"

/** MP_CHASE_LOOK_HOPS - hops between two looks at the clock. */
#define MP_CHASE_LOOK_HOPS 64u
/** MP_CHASE_FINE_HOPS - the same near the end of a bounded stretch. */
#define MP_CHASE_FINE_HOPS 8u
/** MP_CHASE_SLOWER - hops may become so much slower all at once. */
#define MP_CHASE_SLOWER 4u
/** MP_CHASE_ENOUGH_HOPS - after so many a bounded stretch rather ends early. */
#define MP_CHASE_ENOUGH_HOPS 1024u

/**
 * struct mp_chase - one bounded stretch of dependent loads
 * @cursor: in: slot to begin at; out: slot to go on from
 * @settle_hops: in: hops to make before, without a clock and without a look,
 *	rounded up to a multiple of MP_CHASE_LOOK_HOPS: between them and the
 *	others no line of anything else is touched
 * @hops: in: hops to make, rounded up to a multiple of MP_CHASE_LOOK_HOPS
 * @limit_ticks: in: end at the first look after this many ticks; 0 = none
 * @bounded: in: end in time, though hops become slower: the next three count
 * @hard_ticks: in: it has ended by then, unless hops become more than
 *	MP_CHASE_SLOWER times slower all at once
 * @fine_ticks: in: until then MP_CHASE_FINE_HOPS hops may be begun at once
 * @slow_ticks: in: the slowest stretch of MP_CHASE_LOOK_HOPS hops that is
 *	known of this ring, 0 = none is. Out: the same, after this
 * @gap_ticks: in: a stretch between two looks longer than this is a gap
 * @done_hops: out: hops made
 * @start_tick: out: the clock when it began
 * @ticks: out: from begin to end
 * @lost_ticks: out: sum of the stretches that were gaps
 * @look_max_ticks: out: longest stretch between two looks
 * @look_min_ticks: out: shortest stretch between two looks; @ticks where
 *	fewer than two were made
 * @gaps: out: how many gaps
 *
 * A look is not ordered: it runs ahead of the loads that the core holds in
 * its queues, some tens of hops. So the stretch from the begin to the first
 * look is short, and the one from the last look to the end takes in what
 * was left; both count for gaps and for the longest, neither for the
 * shortest. A useful @gap_ticks is three usual stretches or more.
 *
 * A stretch that is @bounded keeps MP_CHASE_LOOK_HOPS hops between looks
 * while twice as many, each MP_CHASE_SLOWER times as slow as the slowest seen,
 * would still end before @hard_ticks: twice, since a look runs ahead. Then,
 * and at the beginning where nothing is known, looks wait for their loads
 * and are MP_CHASE_FINE_HOPS apart, at last one hop; a stretch that has
 * MP_CHASE_ENOUGH_HOPS ends instead. It makes no hop where its limits are
 * all 0.
 */
struct mp_chase {
	const void *cursor;
	uint64_t settle_hops;
	uint64_t hops;
	uint64_t limit_ticks;
	uint64_t hard_ticks;
	uint64_t fine_ticks;
	uint64_t slow_ticks;
	uint64_t gap_ticks;
	uint64_t done_hops;
	uint64_t start_tick;
	uint64_t ticks;
	uint64_t lost_ticks;
	uint64_t look_max_ticks;
	uint64_t look_min_ticks;
	uint32_t gaps;
	uint32_t bounded;
};

/**
 * mp_chase_run() - walk a ring, timed
 * @chase: what to do, and what came out
 *
 * Ordered clock reads at both ends; between them only the loads and, each
 * MP_CHASE_LOOK_HOPS, one unordered clock read with its comparison (of a
 * @bounded stretch see above). Any context; takes no lock, makes no call.
 */
void mp_chase_run(struct mp_chase *chase);

/**
 * mp_chase_groups() - walk a ring, noting the ticks of each group of hops
 * @cursor: slot to begin at; gets the slot to go on from
 * @ticks: gets a stretch for each group
 * @n: groups
 * @group: hops a group, 1 or more
 * @limit_ticks: begin no group after this many ticks; 0 = no such limit
 * @settle_hops: as in struct mp_chase
 * Return: groups made, at least one where @n is.
 */
uint32_t mp_chase_groups(const void **cursor, uint64_t *ticks, uint32_t n,
			 uint32_t group, uint64_t limit_ticks,
			 uint64_t settle_hops);

/**
 * mp_chase_empty() - ticks of the shortest possible stretch: two reads
 *
 * One try. Repeat it, and take the mean: the clock may step by more than
 * a read costs.
 */
uint64_t mp_chase_empty(void);

/**
 * mp_chase_add() / mp_chase_mul() - time a chain of register operations
 * @n: operations, rounded up to a multiple of 64
 *
 * mp_chase_add: dependent register-to-register adds, one core cycle each on
 * every x86-64 and arm64 core known to us. mp_chase_mul: dependent multiplies
 * (32-bit on x86-64); mp_chase_mul_cycles() cycles each.
 * Return: ticks; mp_chase_mul() returns 0 where the latency is not one
 * known constant.
 */
uint64_t mp_chase_add(uint64_t n);
uint64_t mp_chase_mul(uint64_t n);
/** mp_chase_mul_cycles() - core cycles of one multiply of the chain, 0 = unknown */
uint32_t mp_chase_mul_cycles(void);

#endif
