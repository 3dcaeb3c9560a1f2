/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much does an outer level hold when the one inside it holds nothing of
 * it? A ring of lines a power of two apart falls on some of the outer level's
 * sets and on few of the inner one's. A second ring, half a stride further,
 * falls on the same sets inside and on others here. Walked in turn, the second
 * puts the first out of the inner level, whatever its policy, and leaves it
 * alone in the outer one: that holds as many lines of it as its own size says,
 * exclusive or not.
 */
#ifndef MP_PROBE_CPU_STRIDE_H
#define MP_PROBE_CPU_STRIDE_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_stride - what the level holds by itself
 * @known: bytes that fit were found; the rest says nothing if not
 * @holds: MP_CPU_HOLDS_OTHERS, MP_CPU_HOLDS_NO_OTHERS or unknown
 * @low, @high: bytes that fit, and that do not
 * @least: .. that fit less those that may have stayed inside
 * @id: of a ring that fits and of one that does not; 0 = none
 */
struct mp_cpu_stride {
	bool known;
	uint32_t holds;
	double low;
	double high;
	double least;
	uint64_t id[2];
};

/**
 * mp_cpu_stride_plan() - want the next test of level @k, 1 or further out
 * @edges: with a fit of the level and the one inside
 *
 * Nothing is wanted where all is known, or nothing can be told.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_stride_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_plan *plan);

/**
 * mp_cpu_stride_goes() - does what fits go with a level's edge?
 * @model: what the edge's limits are worth, where the level holds what those inside
 *	do not: 1, or more where no shape is that of two levels
 * @inside: bytes that these hold, at most
 *
 * What fits is the level's own if both rings fall on sets that differ. If their
 * number is no power of two they may not, and crowd each other. No more is left out
 * of the edge than what all levels inside hold, and nothing beyond it.
 */
bool mp_cpu_stride_goes(const struct mp_cpu_stride *stride,
			const struct mp_edge *edge, double model, double inside);

/** mp_cpu_stride_judge() - what the batches say of level @k */
void mp_cpu_stride_judge(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_cpu_stride *stride);

#endif
