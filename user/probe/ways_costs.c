// SPDX-License-Identifier: GPL-2.0
/*
 * A translation that misses makes a hop longer, often by about as much as a
 * miss of the level does. A control of the same pages, all of it in the
 * innermost level, shows which costs there are. A hop of the ring took what its
 * level takes and one of these: where that leaves no other level, it is known
 * which one served it.
 */
#include "probe/ways_costs.h"

#include <math.h>
#include <string.h>

#include "analysis/spectrum.h"
#include "probe/ways_held.h"

/* Steps below none. */
#define BELOW 16u
/* A hop is read as one step of the clock more or less, and so is its control's;
 * a latency is known this well. */
#define TOLERANCE_STEPS 2.0
#define TOLERANCE 0.02
/* A cost that so few hops have, of those that count for none, is rare; all rare
 * ones are no more than this of them. */
#define RARE 0.06
#define RARE_ALL 0.5
/* The least step, cycles. */
#define GRAIN_LEAST 0.5
/* Lines of a control are no more than so many lines further into a page, each time, and
 * where neighbours may come along so many. */
#define CONTROL_STEPS 15u
#define CONTROL_PAST 3u

struct hops {
	const struct mp_ways_costs *costs;
	double count[MP_WAYS_COSTS];
	struct mp_ways_served served;
	double beyond;		/* a cost too high, or none at all */
	double all;
};

void mp_ways_costs_begin(struct mp_ways_costs *costs,
			 const struct mp_ways_level *level)
{
	memset(costs, 0, sizeof(*costs));
	costs->level = level;
}

static void take_cost(void *ctx, double cycles, double n)
{
	struct hops *hops = ctx;
	const double more = cycles - hops->costs->level->innermost_cycles;
	const double step = floor(more / hops->costs->grain + 0.5) + BELOW;

	hops->all += n;
	if (step >= 0 && step < MP_WAYS_COSTS)
		hops->count[(uint32_t)step] += n;
	else
		hops->beyond += n;
}

void mp_ways_costs_add(struct mp_ways_costs *costs,
		       const struct mp_batch *batch)
{
	struct hops hops = { .costs = costs };

	if (costs->grain <= 0)
		costs->grain = fmax(mp_spectrum_step(batch), GRAIN_LEAST);
	mp_spectrum_each_hop(batch, take_cost, &hops);
	costs->failed |= !(hops.all > 0);
	for (uint32_t i = 0; i < MP_WAYS_COSTS && hops.all > 0; i++)
		costs->share[i] = fmax(costs->share[i], hops.count[i] / hops.all);
	/* Of no use to tell, but a share all the same. */
	if (hops.all > 0)
		costs->share[MP_WAYS_COSTS - 1] =
			fmax(costs->share[MP_WAYS_COSTS - 1],
			     hops.beyond / hops.all);
}

static double tolerance(const struct mp_ways_costs *costs, double cycles)
{
	return TOLERANCE_STEPS * costs->grain + TOLERANCE * cycles;
}

/* Is it what the next level takes beyond the innermost one? Then it may be that
 * one that served the control, and no translation. */
static bool is_levels(const struct mp_ways_costs *costs, double cost)
{
	const struct mp_ways_level *level = costs->level;
	const double other[] = { level->inner_cycles, level->k ?
				 level->own_cycles : level->next_cycles };

	for (uint32_t i = 0; i < 2; i++)
		if (other[i] > level->innermost_cycles &&
		    fabs(other[i] - level->innermost_cycles - cost) <=
		    tolerance(costs, other[i]))
			return true;
	return false;
}

bool mp_ways_costs_end(struct mp_ways_costs *costs, double none, bool any)
{
	const double at_none = tolerance(costs, costs->level->innermost_cycles);
	bool has_none = false, has_levels = false;
	double rare = 0;

	costs->failed |= costs->grain <= 0;
	for (uint32_t i = 0; i < MP_WAYS_COSTS && !costs->failed; i++) {
		const double cost = ((double)i - BELOW) * costs->grain;

		if (costs->share[i] <= RARE * none || i + 1 == MP_WAYS_COSTS) {
			rare += costs->share[i];
			continue;
		}
		costs->cost[costs->n++] = fmax(cost, 0);
		has_none |= cost <= at_none;
		has_levels |= is_levels(costs, cost);
	}
	costs->failed |= !costs->n || rare > RARE_ALL * none ||
			 (!has_none && has_levels);
	costs->any = any;
	return !costs->failed;
}

/* Which levels may have served a hop? */
struct may {
	bool inside;
	bool own;
	bool next;
	bool far;
};

static bool is_in(double cycles, double low, double high, double tolerance)
{
	return cycles >= low - tolerance && cycles <= high + tolerance;
}

static struct may may_be(const struct mp_ways_costs *costs, double cycles)
{
	const struct mp_ways_level *level = costs->level;
	const double own = tolerance(costs, level->own_cycles);
	const double next = tolerance(costs, level->next_cycles);
	const double least = cycles - (costs->any ? 0 : costs->cost[0]);
	const double most = costs->cost[costs->n - 1];
	struct may may = {
		.inside = level->k && least < level->own_cycles - own,
		.far = level->beyond_known ?
		       least > level->beyond_cycles -
			       tolerance(costs, level->beyond_cycles) :
		       least > fmin(level->next_cycles + next,
				    (level->next_cycles +
				     level->beyond_cycles) / 2),
	};

	for (uint32_t i = 0; i < (costs->any ? 1 : costs->n); i++) {
		const double from = costs->any ? 0 : costs->cost[i];
		const double to = costs->any ? most : from;

		may.inside |= level->k &&
			      is_in(cycles, level->innermost_cycles + from,
				    level->inner_cycles + to, own);
		may.own |= is_in(cycles, level->own_cycles + from,
				 level->own_cycles + to, own);
		may.next |= is_in(cycles, level->next_cycles + from,
				  level->next_cycles + to, next);
	}
	return may;
}

static void take_served(void *ctx, double cycles, double n)
{
	struct hops *hops = ctx;
	const struct may may = may_be(hops->costs, cycles);
	const bool missed = (may.next || may.far) && !may.own && !may.inside;

	hops->all += n;
	if (missed)
		hops->served.missed += n;
	if (missed && !may.far)
		hops->served.between += n;
	if (may.own && !may.inside && !may.next && !may.far)
		hops->served.here += n;
	if (may.next || may.far || (!may.own && !may.inside))
		hops->served.may_miss += n;
	if (may.inside || (!may.own && !may.next && !may.far))
		hops->served.may_be_inside += n;
	if (may.far)
		hops->served.far += n;
}

void mp_ways_costs_served(const struct mp_ways_costs *costs,
			  const struct mp_batch *batch,
			  struct mp_ways_served *served)
{
	struct hops hops = { .costs = costs };

	mp_spectrum_each_hop(batch, take_served, &hops);
	*served = (struct mp_ways_served){
		.may_miss = 1, .may_be_inside = 1, .far = 1 };
	if (!(hops.all > 0))
		return;
	served->missed = hops.served.missed / hops.all;
	served->between = hops.served.between / hops.all;
	served->here = hops.served.here / hops.all;
	served->may_miss = hops.served.may_miss / hops.all;
	served->may_be_inside = hops.served.may_be_inside / hops.all;
	served->far = hops.served.far / hops.all;
}

void mp_ways_served_worst(struct mp_ways_served *all,
			  const struct mp_ways_served *one)
{
	all->missed = fmin(all->missed, one->missed);
	all->between = fmin(all->between, one->between);
	all->here = fmin(all->here, one->here);
	all->may_miss = fmax(all->may_miss, one->may_miss);
	all->may_be_inside = fmax(all->may_be_inside, one->may_be_inside);
	all->far = fmax(all->far, one->far);
}

struct mp_ways_control mp_ways_control_of(const struct mp_sweep *sweep,
					  uint64_t length)
{
	return (struct mp_ways_control){ sweep->stride, sweep->skew,
					 (uint32_t)(length / sweep->stride) };
}

/* As few as lead to all sets of the innermost level, where those are known; and past
 * what a prefetcher brings beside one. */
uint64_t mp_ways_control_step(const struct mp_ways_rig *rig, uint64_t stride)
{
	const uint64_t line = rig->level.line;
	const struct mp_ways_sets *in = rig->sets;
	const uint64_t least = in && in->brought ? CONTROL_PAST : 1;
	uint64_t best = least, most = 0;

	while (in && in->inner)
		in = in->inner;
	if (in == rig->sets || !in->n)
		return least;
	for (uint64_t step = least; step <= CONTROL_STEPS; step += 2) {
		const uint64_t sets = mp_ways_sets_of(&in->guess[0],
						      stride + step * line);

		if (sets <= most)
			continue;
		most = sets;
		best = step;
	}
	return best;
}
