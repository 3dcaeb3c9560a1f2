/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much does an exclusive level hold, when those inside it are full of
 * something else? A ring F that nearly fills the levels inside is walked
 * again and again, and stays there; in between A, the ring that is asked
 * about, goes on by a few slots. So A lives in the outer level alone, but for
 * the little that F leaves of those inside.
 */
#ifndef MP_PROBE_CPU_ALONE_H
#define MP_PROBE_CPU_ALONE_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_alone - what an exclusive level holds by itself
 * @known: was it found?
 * @size, @low, @high: bytes
 * @id: of rings below and above the edge; 0 = none
 */
struct mp_cpu_alone {
	bool known;
	double size;
	double low;
	double high;
	uint64_t id[2];
};

/**
 * mp_cpu_alone_plan() - want what tells about level @k, 1 or further out
 * @edges: with a fit of the level, which is known to be exclusive, and of the
 *	one inside
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_alone_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan);

/** mp_cpu_alone_judge() - what the batches say of level @k; -ENOMEM */
int mp_cpu_alone_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_alone *alone);

#endif
