/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What another CPU finds of what this one has just loaded. A level that both
 * share has it, unless it is exclusive: then it is in the levels inside, which
 * are this CPU's, and comes to the level when it leaves those. And when the other
 * CPU has driven the level through, this one has its lines no more if the level
 * includes those inside. Nothing has to stay anywhere for that while others are loaded
 * beside it.
 */
#ifndef MP_PROBE_CPU_OTHER_H
#define MP_PROBE_CPU_OTHER_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_other - what was seen, and what follows
 * @holds: enum mp_cpu_holds; unknown where no CPU that was asked shares the level
 *	alone, or where it does not show
 * @cpu: which other CPU told; of no use where @holds is unknown
 * @id: of the experiment with what was just loaded, of the one with a level that was
 *	driven through, and of its control; 0: not made
 * @fresh: a hop of the other CPU over lines that nobody had loaded, cycles
 * @loaded: .. that this one had just loaded
 * @left: .. that had left the levels inside since then
 * @driven: a hop of this CPU over lines that it had loaded before the other one
 *	drove the level through; NaN: not made
 */
struct mp_cpu_other {
	uint32_t holds;
	uint32_t cpu;
	uint64_t id[3];
	double fresh;
	double loaded;
	double left;
	double driven;
};

/**
 * mp_cpu_other_plan() - want what tells about level @k, 1 or further out
 * @edges: with a fit of the level and the one inside
 * @other: gets what the batches say so far
 *
 * A few other CPUs are asked in turn, a stage each, until one tells. Nothing is
 * wanted where nothing can be told.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_other_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan, struct mp_cpu_other *other);

/** mp_cpu_other_judge() - what the batches say of level @k */
void mp_cpu_other_judge(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_cpu_other *other);

#endif
