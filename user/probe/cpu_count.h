/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of a crowd is at home? Lines far more than a level has room for are
 * walked through, and then some that are drawn from all of them are looked for.
 * The share that is found is the share of them that there is room for, however
 * lines are thrown out, and however they fall on sets, if they fall on all.
 */
#ifndef MP_PROBE_CPU_COUNT_H
#define MP_PROBE_CPU_COUNT_H

#include "probe/cpu.h"

/** MP_CPU_COUNT_FITS - a crowd so long, as a share of what a level holds, fits it */
#define MP_CPU_COUNT_FITS 0.8

/** MP_CPU_COUNT_CROWD_LEAST - .. and one that is so many times as long says what it
 * holds at most: a shorter one may leave sets that are not full */
#define MP_CPU_COUNT_CROWD_LEAST 2.5

/** MP_CPU_COUNT_MORE - where so many times what an edge's best shape has is found, it
 * is none of the shapes */
#define MP_CPU_COUNT_MORE 1.1

/**
 * mp_cpu_count_lay() - which rings would count level @k
 * @edges: with its fit; gets count[@k], all but what batches say
 *
 * They go by the fit as it is, before any count had a say in it.
 */
void mp_cpu_count_lay(const struct mp_view *view, struct mp_cpu_edges *edges,
		      uint32_t k);

/** mp_cpu_count_lay_still() - the same for a count beside a ring that is in use
 * (cpu_still.h); @count: gets it */
void mp_cpu_count_lay_still(const struct mp_view *view,
			    const struct mp_cpu_edges *edges, uint32_t k,
			    struct mp_cpu_count *count);

/** mp_cpu_count_exp() - the experiment of a count: the crowd is walked in phase 0,
 * its lines are looked for in phase 1, and phase 2 is for building only */
void mp_cpu_count_exp(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_cpu_count *count, struct mp_exp *exp);

/**
 * mp_cpu_count_take() - what batches of an experiment with these rings say
 * @id: of the experiment, which may have more actors behind those of the count
 * @count: with its rings; gets its limits, and whether it is known
 */
void mp_cpu_count_take(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       uint64_t id, struct mp_cpu_count *count);

/** mp_cpu_count_plan() - want that count, where there are rings; -ENOMEM */
int mp_cpu_count_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan);

/**
 * mp_cpu_count_plan_closer() - want a closer count
 * @fact: the level's size, as all that is known by now leaves it
 *
 * Only if that is open, and a closer count may make its limits near enough, or
 * the first one had too few lines.
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_count_plan_closer(const struct mp_view *view,
			     const struct mp_cpu_edges *edges, uint32_t k,
			     const struct mp_fact *fact, struct mp_plan *plan);

/** mp_cpu_count_plan_all() - want those of all levels that edges leave open, or
 * do not tell beyond a doubt */
int mp_cpu_count_plan_all(const struct mp_view *view,
			  const struct mp_cpu_edges *edges,
			  struct mp_plan *plan);

/**
 * mp_cpu_count_surely() - how far apart limits are that surely hold
 * @doubt: a standard error of what was counted, as a share; 0: nothing was
 * @apart: of those that hold in nineteen cases of twenty, high over low
 *
 * Of many machines one in forty lies beyond one of these, and a value between
 * them that is as far as may be from either is then too far from it.
 */
double mp_cpu_count_surely(double doubt, double apart);

/** mp_cpu_count_judge() - what the batches say: limits of count[@k]. Of two
 * counts that were made the closer one stands. */
void mp_cpu_count_judge(const struct mp_view *view, struct mp_cpu_edges *edges,
			uint32_t k);

/**
 * mp_cpu_count_let_be() - does no level further out put lines of @k out?
 *
 * Not one that all of the crowd fits, nor one that does not hold what lies inside
 * it. It goes by the limits of edges, as rings that were asked of that level did.
 */
bool mp_cpu_count_let_be(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 const struct mp_cpu_count *count);

/** mp_cpu_count_is_more() - is so much found of the innermost level that the best shape
 * of its edge, which holds less, must be another one? */
bool mp_cpu_count_is_more(const struct mp_cpu_edges *edges, uint32_t k, double found);

/**
 * mp_cpu_count_narrow() - hold a fit to the count
 *
 * What a level holds with those inside is no more than all that was counted,
 * and it holds what was counted of itself. Where the best shape of the innermost
 * level must be another one its limits are the count's alone, and too far apart for
 * a measured size where that has no upper one. Where the two contradict each other
 * its limits are those of both.
 */
void mp_cpu_count_narrow(struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_count_levels() - all of that, of all levels: rings go by the fits, and
 * what levels hold of each other is judged by these, and where that tells nothing by
 * what counts have narrowed */
void mp_cpu_count_levels(const struct mp_view *view,
			 struct mp_cpu_edges *edges);

#endif
