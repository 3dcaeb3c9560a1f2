// SPDX-License-Identifier: GPL-2.0
/*
 * Has a CPU its core to itself? Two threads of a core share all its caches from
 * the first on, and a hypervisor does not say who is on the other one: a full
 * set of 12 ways then loses a line at each turn, for minutes. But they share
 * its adders, too.
 */
#include "user_width.h"

#include <stdlib.h>

#include "arch.h"

#define WINDOWS 256u
#define LOOPS 1000u
/* Adds of a loop: so many chains of so many. */
#define CHAINS 8u
#define EACH 2u
/* .. and of a loop of those that wait for each other. */
#define IN_TURN 4u
/* Windows of one CPU differ by half of that. */
#define WIDER 1.05

/* An add that the compiler neither leaves out nor joins with the next. */
#define ADD(x) do { (x) += (x); __asm__ volatile("" : "+r"(x)); } while (0)

static void add_beside(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

	for (uint32_t i = 0; i < LOOPS; i++) {
		for (uint32_t k = 0; k < EACH; k++) {
			ADD(a);
			ADD(b);
			ADD(c);
			ADD(d);
			ADD(e);
			ADD(f);
			ADD(g);
			ADD(h);
		}
	}
}

static void add_in_turn(void)
{
	uint64_t a = 1;

	/* Several a loop: its own jump is not to be what takes the time. */
	for (uint32_t i = 0; i < LOOPS; i++) {
		ADD(a);
		ADD(a);
		ADD(a);
		ADD(a);
	}
}

static int by_ticks(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static double median(uint64_t ticks[WINDOWS])
{
	qsort(ticks, WINDOWS, sizeof(ticks[0]), by_ticks);
	return (double)ticks[WINDOWS / 2];
}

double mp_user_width(void)
{
	uint64_t beside[WINDOWS], turn[WINDOWS];
	double ticks;

	for (uint32_t i = 0; i < WINDOWS; i++) {
		const uint64_t from = mp_ticks_begin();
		uint64_t middle;

		add_beside();
		middle = mp_ticks_end();
		add_in_turn();
		beside[i] = middle - from;
		turn[i] = mp_ticks_end() - middle;
	}
	ticks = median(beside);
	return ticks > 0 ? median(turn) * CHAINS * EACH / (IN_TURN * ticks) : 0;
}

uint32_t mp_user_width_best(const double *width, uint32_t n, uint32_t usual)
{
	uint32_t best = usual;

	for (uint32_t i = 0; i < n; i++)
		if (width[i] > width[best] * (best == usual ? WIDER : 1))
			best = i;
	return best;
}
