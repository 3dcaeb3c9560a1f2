/* SPDX-License-Identifier: GPL-2.0 */
/* Where hops were served that translations made longer, by what they cost. */
#ifndef MP_WAYS_COSTS_H
#define MP_WAYS_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/sweep.h"
#include "probe/ways_test.h"

/** MP_WAYS_COSTS - different costs, in steps of the clock */
#define MP_WAYS_COSTS 512u

/**
 * struct mp_ways_costs - what translations cost the hops of a control, all of
 * which the innermost level serves
 * @level: the level that is tested
 * @grain: costs are told apart in steps of so many cycles
 * @share: of the costs from step to step, the greatest of all replicates; the
 *	first steps are of hops that seem to be faster than that level
 * @n, @cost: those that are not too rare, in cycles
 * @any: the ring goes through its pages more often: what costs less, too
 * @failed: there are costs that cannot be told from what levels differ by, or
 *	are too long, or too many that are rare
 */
struct mp_ways_costs {
	const struct mp_ways_level *level;
	double grain;
	double share[MP_WAYS_COSTS];
	uint32_t n;
	double cost[MP_WAYS_COSTS];
	bool any;
	bool failed;
};

/** mp_ways_costs_begin() - @costs: nothing is known yet; @level has to stay */
void mp_ways_costs_begin(struct mp_ways_costs *costs,
			 const struct mp_ways_level *level);

/** mp_ways_costs_add() - one more replicate of the control */
void mp_ways_costs_add(struct mp_ways_costs *costs,
		       const struct mp_batch *batch);

/**
 * mp_ways_costs_end() - all have been added
 * @none: so many hops, as a share, may have any other cost
 * @any: hops may also cost less, or nothing: the control does not go through
 *	the same pages as often
 * Return: can it be told by them where other hops were served?
 */
bool mp_ways_costs_end(struct mp_ways_costs *costs, double none, bool any);

/**
 * struct mp_ways_served - shares of a ring's hops
 * @missed: the level surely missed
 * @between: .. and the next one surely did not
 * @here: the level itself surely served
 * @may_miss: it may have, with one of the costs
 * @may_be_inside: a level further inside may have served
 * @far: what is behind the next level may have served
 */
struct mp_ways_served {
	double missed;
	double between;
	double here;
	double may_miss;
	double may_be_inside;
	double far;
};

/** mp_ways_costs_served() - of a batch of single hops over the same pages */
void mp_ways_costs_served(const struct mp_ways_costs *costs,
			  const struct mp_batch *batch,
			  struct mp_ways_served *served);

/** mp_ways_served_worst() - @all: what holds of it and of @one alike: the least
 * that surely, and the most that may */
void mp_ways_served_worst(struct mp_ways_served *all,
			  const struct mp_ways_served *one);

/** mp_ways_control_of() - the ring of a control, of @length bytes */
struct mp_ways_control mp_ways_control_of(const struct mp_sweep *sweep,
					  uint64_t length);

/**
 * mp_ways_control_step() - how far each line of a control lies beside the slot
 * @rig: what its test is made with
 * @stride: from slot to slot, bytes
 * Return: lines, each time, further into its page than the one before.
 */
uint64_t mp_ways_control_step(const struct mp_ways_rig *rig, uint64_t stride);

#endif
