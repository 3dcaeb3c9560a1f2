/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the timed code needs from an x86-64 core: the time-stamp counter
 * read in order and out of order, one dependent load, and chains of
 * register operations whose latency is known. Section numbers are those of
 * the Intel SDM, volume 2, and the AMD APM, volume 3.
 */
#ifndef MP_ARCH_H
#define MP_ARCH_H

#include "core.h"

/*
 * Each macro ends up as one asm statement of @n (a literal number)
 * dependent instructions. They are volatile, so they keep their order
 * among themselves and to the clock reads.
 */

/**
 * MP_ARCH_CURSOR - the register that holds the cursor of a chase
 *
 * Left to itself a compiler may copy the cursor from register to register
 * between two statements: a cycle that each hop behind it would wait for.
 */
#define MP_ARCH_CURSOR __asm__("rsi")

/** MP_ARCH_HOPS() - @n dependent loads: @p becomes *@p, @n times over. */
#define MP_ARCH_HOPS(p, n)						\
	__asm__ volatile(".rept " #n "\n\tmov (%0), %0\n\t.endr"	\
			 : "+r" (p) : : "memory")

/**
 * MP_ARCH_ADDS() - @n dependent adds of a register to a register
 *
 * One core cycle each. Not an immediate and not lea: cores since Golden
 * Cove carry out an add of an immediate while renaming, several a cycle.
 */
#define MP_ARCH_ADDS(x, y, n)						\
	__asm__ volatile(".rept " #n "\n\tadd %1, %0\n\t.endr"		\
			 : "+r" (x) : "r" (y) : "cc")

/**
 * MP_ARCH_MULS() - @n dependent multiplies of 32 bits
 *
 * 32 and not 64 bits, for the small cores' sake: the 64-bit form takes 3
 * cycles on Intel Core and AMD Zen, but 5 or 6 on Jaguar and several
 * Atoms, where the 32-bit form takes 3 as well.
 */
#define MP_ARCH_MULS(x, y, n)						\
	__asm__ volatile(".rept " #n "\n\timul %k1, %k0\n\t.endr"	\
			 : "+r" (x) : "r" (y) : "cc")

/** MP_ARCH_MUL_CYCLES - core cycles of one of MP_ARCH_MULS(), 0 = unknown */
#define MP_ARCH_MUL_CYCLES 3u

/**
 * mp_ticks_look() - the time-stamp counter, in no order to other work
 *
 * The core may read it before earlier loads have their data, and go on
 * with later ones meanwhile: that is what keeps it from disturbing them.
 */
static inline uint64_t mp_ticks_look(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/*
 * RDTSC orders nothing. LFENCE before it waits for all earlier
 * instructions, LFENCE after it holds back all later ones (SDM and APM,
 * "RDTSC" and "LFENCE"; on AMD every kernel since 2018 makes LFENCE wait
 * so). RDTSCP would save the first fence, but older cores and the default
 * CPU models of several hypervisors lack it.
 */
static inline uint64_t ticks_ordered(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence"
			 : "=a" (low), "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/** mp_ticks_begin() - the clock, before anything that follows begins */
static inline uint64_t mp_ticks_begin(void)
{
	return ticks_ordered();
}

/** mp_ticks_end() - the clock, after all that precedes has ended */
static inline uint64_t mp_ticks_end(void)
{
	return ticks_ordered();
}

/**
 * mp_flush() - put a line out of all caches, before any later load
 *
 * CLFLUSH is not ordered to later loads; MFENCE behind it makes it so (SDM
 * and APM, "CLFLUSH"). Any program may use it, and each core that has SSE2,
 * so each of 64 bits, has it.
 */
static inline void mp_flush(void *line)
{
	__asm__ volatile("clflush (%0)\n\tmfence" : : "r" (line) : "memory");
}

/**
 * mp_store_past() - store a word past the caches
 *
 * MOVNTI neither fetches the word's line nor allots one for it (SDM and APM,
 * "MOVNTI"): what is noted while a cache is looked at takes no room in it. Each
 * core that has SSE2 has it. mp_store_past_end() before another CPU is told.
 */
static inline void mp_store_past(uint64_t *at, uint64_t value)
{
	__asm__ volatile("movnti %1, %0" : "=m" (*at) : "r" (value));
}

/** mp_store_past_end() - let all that mp_store_past() stored be seen */
static inline void mp_store_past_end(void)
{
	__asm__ volatile("sfence" : : : "memory");
}

/** mp_cpu_relax() - tell the core that this is a waiting loop */
static inline void mp_cpu_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
