// SPDX-License-Identifier: GPL-2.0
/*
 * What translations add to the hops of a group of readings: of a ring whose order
 * is known by its seed the mean of all hops of the group, less that of those that
 * do not come to a page first.
 */
#include "probe/cpu_groups_added.h"

#include <math.h>

#include "analysis/kept.h"
#include "probe/cpu_groups.h"
#include "probe/turn.h"

/* Lengths at which it is seen, to the octave: pages that no TLB is too small for
 * are fewer. */
#define ADDED_FROM 32768.0
#define ADDED_GRAIN 8
#define ADDED_BURSTS 8u
#define ADDED_WARM (16u << 10)
/* What translations add is looked at at each of so many lengths, and at all between two
 * where it moves by so many cycles. How far beyond the last one it still goes. */
#define ADDED_APART 4
#define ADDED_MOVES 0.5
#define COVERED 1.5

double mp_groups_added_length(uint32_t step)
{
	return ADDED_FROM * exp2((double)step / ADDED_GRAIN);
}

bool mp_groups_added_exp(const struct mp_view *view, double length,
			 struct mp_exp *exp)
{
	struct mp_sweep sweep;
	uint64_t slots;

	mp_cpu_groups_sweep(view, 0, &sweep);
	if (!mp_turn_exp(view, &sweep, length, exp))
		return false;
	slots = exp->actor[0].length / sweep.stride;
	exp->actor[0].bursts = ADDED_BURSTS;
	exp->actor[0].warm_hops = slots > ADDED_WARM ? slots : ADDED_WARM;
	return true;
}

/* What translations add to a hop of the group, cycles: those that come to a page
 * first are not in the mean of the others. NAN where it has no hops. Of the same
 * batch that is asked once. */
static int added_in(const struct mp_view *view, const struct mp_batch *batch,
		    const struct mp_turn_times *times, double *added)
{
	static struct mp_kept kept;
	struct mp_turn turn = { 0 };
	struct mp_kept_key key;
	int err;

	mp_turn_key(view, batch, times, &key);
	if (mp_kept_find(&kept, &key, added, sizeof(*added), &err))
		return err;
	err = mp_turn_take(view, batch, times, &turn);
	*added = turn.all_cycles / (double)turn.all -
		 turn.own_cycles / (double)turn.own;
	mp_turn_free(&turn);
	/* A lack of memory is no answer. */
	if (!err)
		mp_kept_note(&kept, &key, added, sizeof(*added), err);
	return err;
}

int mp_groups_added_find(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t g,
			 struct mp_groups_added *added)
{
	const struct mp_spectrum *groups = &edges->groups;
	const struct mp_turn_times times = {
		.least = g ? groups->bound[g - 1] : -INFINITY,
		.most = groups->bound[g],
		.far = INFINITY,
	};
	const struct mp_batch *batch[MP_GROUPS_ADDED_REPLICATES];
	struct mp_exp exp;
	int err = 0;

	added->n = 0;
	for (uint32_t step = 0; step < MP_GROUPS_ADDED_LENGTHS && !err; step++) {
		double sum = 0;
		bool lacks;

		if (!mp_groups_added_exp(view, mp_groups_added_length(step), &exp) ||
		    !mp_turn_batches(view, &exp, MP_GROUPS_ADDED_REPLICATES, batch, &lacks))
			continue;
		for (uint32_t i = 0; i < MP_GROUPS_ADDED_REPLICATES && !err; i++) {
			double one;

			err = added_in(view, batch[i], &times, &one);
			sum += one;
		}
		if (isnan(sum))
			continue;
		added->length[added->n] = (double)exp.actor[0].length;
		added->cycles[added->n++] = fmax(sum / MP_GROUPS_ADDED_REPLICATES, 0);
	}
	return err;
}

double mp_groups_added_at(const struct mp_groups_added *added, double length)
{
	uint32_t i = 0;
	double part;

	while (i < added->n && added->length[i] < length)
		i++;
	if (!i || i == added->n)
		return added->cycles[i ? i - 1 : 0];
	part = log(length / added->length[i - 1]) /
	       log(added->length[i] / added->length[i - 1]);
	return added->cycles[i - 1] +
	       part * (added->cycles[i] - added->cycles[i - 1]);
}

/* Is what is added known nearly as far as the curve goes? */
bool mp_groups_added_covers(const struct mp_groups_added *added, const struct mp_curve *rest)
{
	return added->n && rest->n &&
	       added->length[added->n - 1] * COVERED >=
	       (double)rest->at[rest->n - 1].length;
}

/* Lengths at which it is to be seen what translations add, and all of those
 * between two where it is not the same. */
int mp_groups_added_plan(const struct mp_view *view, const struct mp_cpu_edges *edges,
			 uint32_t g, struct mp_plan *plan)
{
	const struct mp_curve *rest = &edges->rest[g][0];
	const double first = (double)rest->at[0].length;
	const double last = (double)rest->at[rest->n - 1].length;
	struct mp_groups_added added;
	uint32_t i = 0;
	int err = mp_groups_added_find(view, edges, g, &added);

	for (uint32_t step = 0; step < MP_GROUPS_ADDED_LENGTHS && !err; step++) {
		const double length = mp_groups_added_length(step);
		struct mp_exp exp;
		bool between;

		while (i < added.n && added.length[i] < length)
			i++;
		between = i && i < added.n &&
			  fabs(added.cycles[i] - added.cycles[i - 1]) >
			  ADDED_MOVES;
		if (length * COVERED >= first && length <= last &&
		    (between || step % ADDED_APART == 0) &&
		    mp_groups_added_exp(view, length, &exp))
			err = mp_plan_add(plan, &exp, MP_GROUPS_ADDED_REPLICATES);
	}
	return err;
}
