/* SPDX-License-Identifier: GPL-2.0 */
/* What comes back of the rounds of two walks, see probe/cpu_hot.h. */
#ifndef MP_PROBE_CPU_HOT_BACK_H
#define MP_PROBE_CPU_HOT_BACK_H

#include "analysis/spectrum.h"
#include "probe.h"

/** mp_cpu_hot_missed() - the share of an actor's hops that missed level @k, over
 * all replicates of an experiment; NaN: there are none */
double mp_cpu_hot_missed(const struct mp_view *view, uint64_t id,
			 uint32_t actor, const struct mp_spectrum *spectrum,
			 uint32_t k);

/**
 * mp_cpu_hot_gone_most() - of the hops that missed the level inside @k those that
 *	missed @k, too, over each replicate
 * @most: gets the least share and the most; 0 and 1 where a replicate has too
 *	few of such hops to tell
 */
void mp_cpu_hot_gone_most(const struct mp_view *view, uint64_t id,
			  uint32_t actor, const struct mp_spectrum *spectrum,
			  uint32_t k, double most[2]);

/**
 * mp_cpu_hot_mean() - a hop of an actor, over all replicates of an experiment
 * @most: bursts whose hops take more, in the unit of @mean, were interrupted and do
 *	not count; INFINITY: instead the slowest 64th does not. That may hold all
 *	that is lost in few rounds
 * @mean: gets its cycles, or ns where there is no core clock; NaN: there are
 *	none
 * @n_batches: gets the replicates
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_hot_mean(const struct mp_view *view, uint64_t id, uint32_t actor,
		    double most, double *mean, uint32_t *n_batches);

/** mp_cpu_hot_spread() - how far single hops of T lie apart beyond what the clock's
 * step, of which @step_cycles gets the cycles, does to equal ones: a variance,
 * cycles^2 */
double mp_cpu_hot_spread(const struct mp_view *view, uint64_t id,
			 double *step_cycles);

#endif
