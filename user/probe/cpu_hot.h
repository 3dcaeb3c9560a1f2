/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does an outer level hold what the one inside it holds, too? A short ring
 * is kept hot in the inner level while the outer one is driven through many
 * times over; then the short ring is put out of the inner level and walked
 * once more. An exclusive level has just been given its lines and serves
 * them; one that had them beside the inner level has long lost them. And
 * where the outer level includes the inner one, what it loses the short
 * ring loses while it is hot.
 */
#ifndef MP_PROBE_CPU_HOT_H
#define MP_PROBE_CPU_HOT_H

#include "probe/cpu.h"

/** enum mp_cpu_holds - what an outer level does with the lines of those
 * inside */
enum mp_cpu_holds {
	MP_CPU_HOLDS_UNKNOWN,
	MP_CPU_HOLDS_OTHERS,	/* exclusive */
	MP_CPU_HOLDS_ALL,	/* inclusive */
	MP_CPU_HOLDS_SOME,	/* non-inclusive */
	MP_CPU_HOLDS_NO_OTHERS,	/* one of the last two */
};

/**
 * struct mp_cpu_hot - what was seen, and what follows
 * @holds: enum mp_cpu_holds
 * @n: replicates of the driven experiment and of its control, the fewer
 * @id: of the driven experiment, its control, and the one that drives nothing
 *	out of the outer level; 0 where it was not planned
 * @hot_cycles: a hop of the short ring where nothing has been lost
 * @inner_cycles: the same while the outer level is driven through
 * @kept_cycles: a hop once it was put out of the inner level, without a drive
 * @driven_cycles: the same after the outer level was driven through
 * @beyond_cycles: a hop of the ring that drives
 * @still_cycles: a hop of the short ring where the outer level is not driven
 *	through
 * @around_cycles: a hop of the ring that drives, there
 * @inside: share of the short ring that lives further in than it should
 * @left: share of the short ring that was put out of the inner level
 * @gone: share of these lines that the outer level had no more, 0 .. 1
 * @gone_least: the same, at least: a mean does not tell from how far beyond
 *	what was gone came back
 * @kept: share of what was put out of the inner level soon after it had come that
 *	this one had, at least; 0 where hops are not timed singly
 * @young: share of what is in the inner level at any time that came there no longer
 *	ago, if that throws out any line
 * @lost: how often a line left the inner level while it was hot, for each
 *	time that the outer one was driven through, if it came back from beyond
 * @past: .. from beyond the level after that
 * @leaked: how often it left the inner level at all, if all came back from the
 *	outer one
 * @beside: how often lines beside its slots did so, those that may share a line
 *	of the outer level together; 0 where they were not walked
 * @still: @leaked where the outer level is not driven through; NaN: not tried
 * @why: what keeps the answer from being known
 */
struct mp_cpu_hot {
	uint32_t holds;
	uint32_t n;
	uint64_t id[3];
	double hot_cycles;
	double inner_cycles;
	double kept_cycles;
	double driven_cycles;
	double beyond_cycles;
	double still_cycles;
	double around_cycles;
	double inside;
	double left;
	double kept;
	double young;
	double gone;
	double gone_least;
	double lost;
	double past;
	double leaked;
	double beside;
	double still;
	const char *why;
};

/**
 * mp_cpu_hot_plan() - want what tells about level @k, 1 or further out
 * @edges: with a fit of the level and the one inside
 *
 * Stages follow: what the first leave open is asked in the next. Nothing is
 * wanted where nothing can be told.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_hot_plan(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k,
		    struct mp_plan *plan);

/** mp_cpu_hot_judge() - what the batches say of level @k; -ENOMEM */
int mp_cpu_hot_judge(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_cpu_hot *hot);

#endif
