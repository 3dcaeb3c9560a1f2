/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does an outer level hold what lies inside it, where no line stays inside for
 * good? A level that throws out any line keeps some all the same, by chance,
 * while the outer one is driven through. These tell: an inclusive level leaves
 * none of them; and once they are put out of the level inside, an exclusive
 * one has them, and one that had them beside it has lost them long ago.
 */
#ifndef MP_PROBE_CPU_STAYS_H
#define MP_PROBE_CPU_STAYS_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_stays - what was seen of lines that stayed, and what follows
 * @holds: enum mp_cpu_holds
 * @id: of the experiment that drives the level through, and of the one that
 *	does not; 0: none
 * @stayed: lines that stayed inside, by chance
 * @expected: so many would have, if nothing but the level inside threw them out
 * @gone: of those that stayed, and were put out then, the share that this
 *	level had not
 * @through: of those that were lost inside, the share that it had not
 */
struct mp_cpu_stays {
	uint32_t holds;
	uint64_t id[2];
	double stayed;
	double expected;
	double gone;
	double through;
};

/**
 * mp_cpu_stays_plan() - want what tells about level @k, 1 or further out
 * @edges: with a fit of the level and the one inside
 *
 * Stages follow. Nothing is wanted where nothing can be told.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_stays_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan);

/** mp_cpu_stays_judge() - what the batches say of level @k; -ENOMEM */
int mp_cpu_stays_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_stays *stays);

#endif
