/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU made up for tests, played by formula: it is given an experiment and
 * says what the batch would have been. Of the tool's algorithms it uses the
 * random numbers of module/core and nothing else, and it shares nothing with
 * the simulator.
 */
#ifndef MADE_CPU_H
#define MADE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"

#define MADE_CACHES 4
#define MADE_TLBS 2

/**
 * struct made_cache - a level of cache
 * @bytes: its capacity; bytes / line / ways sets, whatever number that is
 * @ways: associativity
 * @line: bytes of a line, 0 = 64
 * @cycles: latency of a hit
 * @any_evicted: a random line of a full set goes, not the oldest
 * @scattered: pages of 4 KiB fall on its sets at random even where memory is
 *	contiguous; where it is not, they do in any case
 * @ways_left: what others leave of it in every second replicate, 0 = all
 */
struct made_cache {
	uint64_t bytes;
	uint32_t ways;
	uint32_t line;
	double cycles;
	bool any_evicted;
	bool scattered;
	uint32_t ways_left;
};

/**
 * struct made_tlb - a level of the TLB
 * @entries: pages that it knows
 * @ways: associativity, 0 = full
 * @cycles: what a hop costs more that misses it, and hits the next level or,
 *	in the last one, walks
 */
struct made_tlb {
	uint32_t entries;
	uint32_t ways;
	double cycles;
};

/**
 * struct made_cpu - all of it
 * @n_caches, @cache: inner to outer
 * @memory_cycles: latency of memory
 * @n_tlbs, @tlb: inner to outer
 * @taken: a page of others has an entry of each of these sets of the first, bit by
 *	bit, for good: while one is full four hops of a turn miss
 * @walks_grow: exponent by which a walk costs more the more pages there are
 *	beyond the entries of the last level, 0 = always the same
 * @core_hz: core clock, 0 = cannot be told
 * @tick_step: least step of the sample clock, ticks, 0 = 1; above a few no
 *	probe can time single hops
 * @mul: what multiplies say of it, a factor, 0 = nothing
 * @neighbour: share of second lines of a pair that a prefetcher has put into
 *	the second level when a dense ring comes to them
 * @brought: share of the hops of a ring with slots nearer than 256 bytes that a
 *	prefetcher has put into the first level
 * @noise: how far apart replicates lie, a share
 * @sway: the same, but for what lies beyond the second level
 * @disturbed: share of batches that are disturbed; 1 = all of them
 * @error: of every batch, 0 or a negative errno
 * @small_only: no huge page is granted
 * @seed: of everything that is drawn
 */
struct made_cpu {
	uint32_t n_caches;
	struct made_cache cache[MADE_CACHES];
	double memory_cycles;
	uint32_t n_tlbs;
	struct made_tlb tlb[MADE_TLBS];
	uint32_t taken;
	double walks_grow;
	double core_hz;
	uint64_t tick_step;
	double mul;
	double neighbour;
	double brought;
	double noise;
	double sway;
	double disturbed;
	int error;
	bool small_only;
	uint64_t seed;
};

/** CORE_GHZ - the core clock of the usual one */
#define CORE_GHZ 3.5

/** MADE_TICK_HZ - the sample clock of every made-up CPU */
#define MADE_TICK_HZ 2.5e9

/** made_cpu_usual() - 48 KiB of 12 ways, 1 MiB of 16, 8 MiB of 16 and shared,
 * lines of 64 bytes, two levels of TLB, CORE_GHZ, replicates 1 % apart */
void made_cpu_usual(struct made_cpu *cpu);

/** made_cpu_run() - what an experiment gives: fills an initialised batch */
void made_cpu_run(const struct made_cpu *cpu, struct mp_batch *batch);

#endif
