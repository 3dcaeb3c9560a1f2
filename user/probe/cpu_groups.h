/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Levels by groups of readings: where the clock is too coarse to time a single
 * hop of every level, but fine enough to tell those of memory, say, from the
 * rest. A group is of one level or of several whose latencies share readings.
 * The share of hops slower than a group has the edge of its outermost level, as
 * single hops have it; the others are in the mean of the group's own hops,
 * which nothing further out is in.
 */
#ifndef MP_PROBE_CPU_GROUPS_H
#define MP_PROBE_CPU_GROUPS_H

#include "probe/cpu_edges.h"

/** mp_cpu_groups_asked() - is the clock such that groups may show? Not where its
 * steps are so short that single hops tell what groups would, nor where no two
 * latencies of a machine are as far apart as its steps need it */
bool mp_cpu_groups_asked(const struct mp_view *view);

/** mp_cpu_groups_sweep() - as mp_cpu_side_sweep(), hops one by one whatever the
 * clock */
bool mp_cpu_groups_sweep(const struct mp_view *view, uint32_t side,
			 struct mp_sweep *sweep);

/** mp_cpu_groups_gather() - the single hops, their groups and what those take;
 * 0 or -ENOMEM. There are none where @spectrum is left without peaks. */
int mp_cpu_groups_gather(const struct mp_view *view,
			 struct mp_cpu_edges *edges);

/**
 * mp_cpu_groups_levels() - the levels of the groups, in place of those of means
 *
 * Sets @n, @level, @by, @width and @doubt; nothing where there are no groups.
 * Return: 0; -ENODATA where there are none; -ENOMEM.
 */
int mp_cpu_groups_levels(struct mp_cpu_edges *edges);

/** mp_cpu_groups_fill() - latencies of the levels and of memory, as if single hops
 * had told them, where there are groups */
void mp_cpu_groups_fill(struct mp_cpu_edges *edges);

/** mp_cpu_groups_kept() - the share of its group's hops that the level inside still
 * serves where level @k begins to miss; 0 where that is of another group */
double mp_cpu_groups_kept(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_groups_explain() - do the edges explain the mean of level @k's group?
 * @length: gets one at which hops take less than they should behind the edge
 *	inside, where they do not
 *
 * Another level may be in that edge then.
 */
bool mp_cpu_groups_explain(const struct mp_cpu_edges *edges, uint32_t k,
			   double *length);

/** mp_cpu_groups_steady() - does a group take nearly the same over all its rings? */
bool mp_cpu_groups_steady(const struct mp_curve *rest);

/** mp_cpu_groups_mixed() - are the slowest readings not of memory alone, though no
 * level is known to be as slow? There may be one more then. */
bool mp_cpu_groups_mixed(const struct mp_cpu_edges *edges);

/** mp_cpu_groups_plan() - want more lengths where what a group takes moves; 0 or
 * -ENOMEM */
int mp_cpu_groups_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, struct mp_plan *plan);

void mp_cpu_groups_free(struct mp_cpu_edges *edges);

#endif
