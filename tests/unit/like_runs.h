/* SPDX-License-Identifier: GPL-2.0 */
/* How many runs of a kind a test makes. */
#ifndef LIKE_RUNS_H
#define LIKE_RUNS_H

#include <stdint.h>

/**
 * like_runs() - of @n whole runs that go one way through the code, all
 *
 * Whether answers are right is seen without sanitizers, by all of them. With
 * them, where each takes three times as long, one tells what they look for.
 */
static inline uint32_t like_runs(uint32_t n)
{
#ifdef __SANITIZE_ADDRESS__
	return n ? 1 : 0;
#else
	return n;
#endif
}

#endif
