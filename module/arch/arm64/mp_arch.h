/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the timed code needs from an arm64 core: the virtual counter read
 * in order and out of order, one dependent load, and a chain of register
 * operations whose latency is known. Manual: Arm ARM (DDI 0487), D12 "The
 * Generic Timer" and B2.3 on barriers.
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
#define MP_ARCH_CURSOR __asm__("x9")

/** MP_ARCH_HOPS() - @n dependent loads: @p becomes *@p, @n times over. */
#define MP_ARCH_HOPS(p, n)						\
	__asm__ volatile(".rept " #n "\n\tldr %0, [%0]\n\t.endr"	\
			 : "+r" (p) : : "memory")

/** MP_ARCH_ADDS() - @n dependent adds of registers, one core cycle each */
#define MP_ARCH_ADDS(x, y, n)						\
	__asm__ volatile(".rept " #n "\n\tadd %0, %0, %1\n\t.endr"	\
			 : "+r" (x) : "r" (y))

/** MP_ARCH_MULS() - @n dependent multiplies */
#define MP_ARCH_MULS(x, y, n)						\
	__asm__ volatile(".rept " #n "\n\tmul %0, %0, %1\n\t.endr"	\
			 : "+r" (x) : "r" (y))

/**
 * MP_ARCH_MUL_CYCLES - core cycles of one of MP_ARCH_MULS(), 0 = unknown
 *
 * Between 2 and 5 among the arm64 cores in use: no one constant.
 */
#define MP_ARCH_MUL_CYCLES 0u

/**
 * mp_ticks_look() - the counter, in no order to other work
 *
 * The core may read it before earlier loads have their data, and go on
 * with later ones meanwhile: that is what keeps it from disturbing them.
 */
static inline uint64_t mp_ticks_look(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r" (ticks) : : "memory");
	return ticks;
}

/** mp_ticks_begin() - the clock, before anything that follows begins */
static inline uint64_t mp_ticks_begin(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb"
			 : "=r" (ticks) : : "memory");
	return ticks;
}

/**
 * mp_ticks_end() - the clock, after all that precedes has ended
 *
 * ISB alone does not wait for the data of earlier loads; DSB does.
 */
static inline uint64_t mp_ticks_end(void)
{
	uint64_t ticks;

	__asm__ volatile("dsb ishld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb"
			 : "=r" (ticks) : : "memory");
	return ticks;
}

/**
 * mp_flush() - put a line out of all caches, before any later load
 *
 * Linux lets programs clean lines (SCTLR_EL1.UCI), and does it for them where
 * an erratum has it trap.
 */
static inline void mp_flush(void *line)
{
	__asm__ volatile("dc civac, %0\n\tdsb ish" : : "r" (line) : "memory");
}

/**
 * mp_store_past() - store a word past the caches
 *
 * There is no such store of a word that cores are held to (STNP is a hint): a
 * plain one.
 */
static inline void mp_store_past(uint64_t *at, uint64_t value)
{
	*at = value;
}

/** mp_store_past_end() - let all that mp_store_past() stored be seen */
static inline void mp_store_past_end(void)
{
}

/** mp_cpu_relax() - tell the core that this is a waiting loop */
static inline void mp_cpu_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

#endif
