/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a level not exclusive, where no line stays in the level inside? A few
 * lines are used over and over while fresh ones come by. Whenever the level
 * inside drops one of them, an exclusive level is given it, and serves it at
 * its next use. One that had it beside the level inside has not seen it used
 * since it was last fetched, and may have lost it. If it includes the level
 * inside it takes along what it loses, also of lines that have just come.
 */
#ifndef MP_PROBE_CPU_LEAKS_H
#define MP_PROBE_CPU_LEAKS_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_leaks - what was seen of lines that were dropped
 * @holds: MP_CPU_HOLDS_ALL or .._NO_OTHERS, or unknown
 * @id: of the experiment with few fresh lines a round, and with more
 * @dropped: lines that the level inside held in one round and not in the next,
 *	of the first experiment
 * @gone: .. and that this level did not have
 * @part: share of those dropped that were gone
 * @part_more: the same of the second experiment, at most
 * @part_young: of those that had just come to the level inside, of both
 * @part_old: of those that had been there for long
 */
struct mp_cpu_leaks {
	uint32_t holds;
	uint64_t id[2];
	double dropped;
	double gone;
	double part;
	double part_more;
	double part_young;
	double part_old;
};

/**
 * mp_cpu_leaks_plan() - want what tells about level @k, 1 or further out
 * @edges: with a fit of the level and the one inside
 *
 * Nothing is wanted where nothing can be told.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_leaks_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan);

/** mp_cpu_leaks_judge() - what the batches say of level @k; -ENOMEM */
int mp_cpu_leaks_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_leaks *leaks);

#endif
