// SPDX-License-Identifier: GPL-2.0
#include "probe/latency_groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_groups_wide.h"
#include "probe/turn.h"

/* Lengths that are tried, to the octave. */
#define GRAIN 4
#define REPLICATES 5u
/* So much of a group's hops are the level's at the least: what is left of the
 * one inside is taken out by its edge's shape. */
#define PURE 0.9
/* .. and so much of all hops. */
#define SHARE 0.3
/* Lengths that show it no better than by this are all one. */
#define NO_BETTER 0.01
/* The misses of a curve are known at lengths so near. */
#define NEAR 1.1
/* Where the level inside is of the same group it has to be behind it: from so
 * much shorter rings on, and of two at the least, what a hop takes rises no more
 * than this. */
#define AT_REST 1.2
#define RISES 1.02
/* A level that keeps so many lines of a ring, however long, keeps a part of it that is
 * the smaller the longer it is: two rings so far apart, the longer one longer than one
 * that is asked by no more than this, tell what that would take without them. */
#define KEPT_BEFORE 1.25
#define KEPT_BEYOND 1.6
/* .. of rings most of whose hops miss the level inside. */
#define OWN 0.5
/* Readings of one latency lie no further beyond it: what was translated anew
 * does. */
#define CORE_SHARE 0.04
#define CORE_STEPS 1.6
/* Readings of one latency lie on two steps of the clock side by side: their variance
 * is that of a coin at the most, or so much more, for a few that were translated anew. */
#define TWO_STEPS 1.4
/* What a level inside whose limits lie far apart serves moves the mean by no more. */
#define MOVED_MOST 0.02

/* The share of hops that miss level @k, at a length nearly so long, of rings as level
 * @own has them; NaN. */
static double missing(const struct mp_cpu_edges *edges, uint32_t own, uint32_t k,
		      double length)
{
	const struct mp_curve *curve =
		mp_cpu_groups_wide_rings(edges, edges->width[own], 0);
	double best = NAN, off = log(NEAR);

	for (uint32_t i = 0; i < curve->n; i++) {
		const double apart = fabs(log((double)curve->at[i].length /
					      length));

		if (apart > off)
			continue;
		off = apart;
		best = mp_cpu_share_of(&curve->at[i], &edges->spectrum, k);
	}
	return best;
}

/* What is seen of the level in rings of a length. @alone: none further inside is
 * of its group; @enter: of that those that do not end further inside; @leave: of
 * these those that end further out, in the same group; @pure: that end here;
 * @share: of all hops. */
struct seen {
	bool alone;
	double enter;
	double leave;
	double pure;
	double share;
};

static void see(const struct mp_cpu_edges *edges, uint32_t k, double length,
		struct seen *seen)
{
	const bool alone = !k || edges->group[k - 1] != edges->group[k];
	const double come = k && alone ? missing(edges, k, k - 1, length) : 1;
	const bool last = edges->by[k] == MP_CPU_BY_HOPS;
	const double leave = last ? missing(edges, k, k, length) :
				    mp_cpu_miss(edges, k, length);

	seen->alone = alone;
	seen->enter = alone ? 1 : mp_cpu_miss(edges, k - 1, length);
	seen->leave = last ? 0 : leave;
	seen->pure = seen->enter * (1 - seen->leave);
	seen->share = (come - (last ? leave : 0)) * seen->pure;
}

/* Does a group take the same over all rings up to a length that are nearly as
 * long? */
static bool is_at_rest(const struct mp_curve *rest, double length)
{
	double least = INFINITY, most = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < rest->n; i++) {
		const struct mp_curve_at *at = &rest->at[i];

		if ((double)at->length * AT_REST < length ||
		    (double)at->length > length * NEAR)
			continue;
		least = fmin(least, mp_curve_middle(at));
		most = fmax(most, mp_curve_middle(at));
		n++;
	}
	return n > 1 && most <= least * RISES;
}

/* What hops of a group take in a ring, less what the level inside serves of it by the
 * shape of its edge. */
static double net_of(const struct mp_cpu_edges *edges, uint32_t k,
		     const struct mp_curve_at *at)
{
	const double enter = mp_cpu_miss(edges, k - 1, (double)at->length);

	return (mp_curve_middle(at) -
		(1 - enter) * edges->spectrum.cycles[k - 1]) / enter;
}

/* Does the level inside keep some of each ring, whatever the shape of its edge says? Of
 * two rings, that are not much longer and that this level holds, so many lines that the
 * ring of this length would take more without. */
static bool keeps_some(const struct mp_cpu_edges *edges, uint32_t k, double length)
{
	const struct mp_curve *rest = &edges->rest[edges->group[k]][0];
	const double held = fmax(fmin(length * KEPT_BEYOND, edges->edge[k].low),
				 length * NEAR);
	const struct mp_curve_at *own = NULL, *last = NULL, *before = NULL;
	double far, near, alone;

	for (uint32_t i = 0; i < rest->n; i++) {
		if ((double)rest->at[i].length <= length * NEAR)
			own = &rest->at[i];
		if ((double)rest->at[i].length <= held)
			last = &rest->at[i];
	}
	for (uint32_t i = 0; last && i < rest->n; i++)
		if ((double)rest->at[i].length > edges->edge[k - 1].high &&
		    mp_cpu_miss(edges, k - 1, (double)rest->at[i].length) >= OWN &&
		    (double)rest->at[i].length * KEPT_BEFORE <= (double)last->length)
			before = &rest->at[i];
	/* What replicates leave open is no rise. */
	if (!own || !before || !mp_curve_apart(last, before, 1))
		return false;
	far = (double)last->length;
	near = (double)before->length;
	alone = (net_of(edges, k, last) * far - net_of(edges, k, before) * near) /
		(far - near);
	return alone > net_of(edges, k, own) * RISES;
}

static double length_of(uint32_t step)
{
	return round(1024 * exp2((double)step / GRAIN));
}

/* The shortest ring that shows it best; 0: there is none. */
static double find_length(const struct mp_cpu_edges *edges, uint32_t k,
			  struct seen *seen)
{
	double best = 0;

	*seen = (struct seen){ .pure = PURE - NO_BETTER };
	for (uint32_t step = 0; step < 18 * GRAIN; step++) {
		const double length = length_of(step);
		struct seen here;

		if (length > edges->edge[k].high ||
		    (k && length < edges->edge[k - 1].low))
			continue;
		see(edges, k, length, &here);
		if (!here.alone &&
		    (!is_at_rest(&edges->rest[edges->group[k]][0], length) ||
		     keeps_some(edges, k, length)))
			continue;
		if (!(here.share >= SHARE) ||
		    !(here.pure > seen->pure + NO_BETTER))
			continue;
		*seen = here;
		best = length;
	}
	return best;
}

static bool is_asked(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k)
{
	return !edges->single && edges->by[k] && k < edges->doubt.level &&
	       edges->fitted[k] && (!k || edges->fitted[k - 1]) &&
	       /* The level inside may hold more of wider rings than of its own. */
	       (!k || edges->group[k - 1] != edges->group[k] ||
		edges->width[k - 1] == edges->width[k]) &&
	       !mp_latency_may_be_brought(view, edges);
}

static bool make_exp(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     double length, struct mp_exp *exp)
{
	struct mp_sweep sweep;

	mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	for (uint32_t i = 0; i <= k; i++)
		if (mp_cpu_shares_lines(view, sweep.stride, i))
			return false;
	return mp_turn_exp(view, &sweep, length, exp);
}

int mp_latency_groups_plan(const struct mp_view *view,
			   const struct mp_cpu_edges *edges, uint32_t k,
			   struct mp_plan *plan)
{
	struct mp_exp exp;
	struct seen seen;
	double length;

	if (!is_asked(view, edges, k))
		return 0;
	length = find_length(edges, k, &seen);
	return length > 0 && make_exp(view, edges, k, length, &exp) ?
	       mp_plan_add(plan, &exp, REPLICATES) : 0;
}

/* What the replicates say. */
struct hops {
	double value[REPLICATES];
	uint32_t n;
	double ns;		/* of a cycle */
	double own;		/* hops of it, in all */
	double open;		/* .. and steps of the clock that are open in them */
	double step;
	double variance;	/* of those of a replicate, the mean of all, cycles^2 */
	uint64_t id;
};

static int take_batch(const struct mp_view *view, const struct mp_batch *batch,
		      const struct mp_turn_times *times, struct hops *hops)
{
	struct mp_turn turn = { 0 };
	const int err = mp_turn_take(view, batch, times, &turn);
	const double all = (double)batch->exp.actor[0].hops * batch->n_samples;

	if (!err && turn.own) {
		const double mean = turn.own_cycles / (double)turn.own;

		hops->value[hops->n++] = mean;
		hops->variance += (turn.own_squares / (double)turn.own -
				   mean * mean) / REPLICATES;
		hops->own += (double)turn.own;
		/* What lies between opens a step more each time. */
		hops->open += batch->n_samples +
			      fmin((double)turn.own, all - (double)turn.own);
		hops->step = mp_spectrum_step(batch);
		hops->ns = 1e9 / mp_clock_core_hz(batch);
	}
	mp_turn_free(&turn);
	return err;
}

static int take_all(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k,
		    const struct mp_exp *exp, struct hops *hops)
{
	const struct mp_spectrum *groups = &edges->groups;
	const uint32_t g = edges->group[k];
	const double cycles = edges->spectrum.cycles[k];
	struct mp_turn_times times = {
		.least = g ? groups->bound[g - 1] : -INFINITY,
		.far = INFINITY,
	};
	const struct mp_batch *batch[REPLICATES];
	bool lacks;
	int err = 0;

	memset(hops, 0, sizeof(*hops));
	if (!mp_turn_batches(view, exp, REPLICATES, batch, &lacks))
		return 0;
	times.most = fmin(groups->bound[g], cycles * (1 + CORE_SHARE) +
			  CORE_STEPS * mp_spectrum_step(batch[0]));
	hops->id = mp_exp_id(exp);
	for (uint32_t i = 0; i < REPLICATES && !err; i++)
		err = take_batch(view, batch[i], &times, hops);
	return err;
}

static void set(const struct mp_interval *limits, double per, double length,
		double share, uint64_t id, struct mp_fact *fact)
{
	fact->verdict = MP_MEASURED;
	fact->value = limits->value * per;
	fact->low = limits->low * per;
	fact->high = limits->high * per;
	fact->reason[0] = 0;
	mp_fact_note(fact, id);
	snprintf(fact->method, sizeof(fact->method),
		 "the mean of single hops over %.0f KiB, of the %.0f %% whose readings are no other level's, without the first hop to a page; no ring shows it alone, to check them",
		 length / 1024, 100 * share);
}

/* By how much levels beside it in the group move the mean, cycles: those inside
 * down, and those outside up. */
struct moved {
	double inside;
	double outside;
};

/* Take out what those served, as their edges have it. */
static struct moved apart_from(const struct mp_cpu_edges *edges, uint32_t k,
			       const struct seen *seen, struct hops *hops)
{
	const double *cycles = edges->spectrum.cycles;
	const double in = k ? cycles[k - 1] : 0, out = cycles[k + 1];
	const double enter = seen->enter, leave = enter * seen->leave;
	struct moved moved = { 0 };

	for (uint32_t i = 0; i < hops->n; i++) {
		hops->value[i] = (hops->value[i] - (1 - enter) * in -
				  leave * out) / seen->pure;
		moved.inside += (1 - enter) * (hops->value[i] - in) / hops->n;
		moved.outside += leave * (out - hops->value[i]) / hops->n;
	}
	return moved;
}

/* May all of its hops take the same, but for those that others of the group serve?
 * Where two levels lie no further apart than the clock's steps, one of the readings
 * of the inner one may be in the outer one's group. */
static bool is_one_latency(const struct mp_cpu_edges *edges, uint32_t k,
			   const struct seen *seen, const struct hops *hops)
{
	const double *cycles = edges->spectrum.cycles;
	const double in = k ? cycles[k] - cycles[k - 1] : 0;
	const double out = cycles[k + 1] - cycles[k];

	return hops->variance <= TWO_STEPS * hops->step * hops->step / 4 +
				 (1 - seen->enter) * in * in +
				 seen->enter * seen->leave * out * out +
				 pow(CORE_SHARE * cycles[k], 2);
}

int mp_latency_groups(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_latency *pair, double inner[2])
{
	struct mp_interval limits;
	struct mp_exp exp;
	struct seen seen;
	struct hops hops;
	struct moved moved;
	double length;
	int err;

	if (!is_asked(view, edges, k) ||
	    pair->cycles->verdict != MP_NOT_MEASURABLE)
		return 0;
	length = find_length(edges, k, &seen);
	if (!(length > 0) || !make_exp(view, edges, k, length, &exp))
		return 0;
	err = take_all(view, edges, k, &exp, &hops);
	if (err || hops.n < REPLICATES ||
	    !is_one_latency(edges, k, &seen, &hops))
		return err;
	moved = apart_from(edges, k, &seen, &hops);
	/* How much the level inside serves goes by its edge. */
	if (!seen.alone && moved.inside > MOVED_MOST * edges->spectrum.cycles[k] &&
	    edges->edge[k - 1].high > edges->edge[k - 1].low * MP_CPU_APART_MAX)
		return 0;
	mp_stat_mean_limits(hops.value, hops.n, 2 * hops.step * hops.open / hops.own,
			    mp_stat_rounding(0.5, hops.open) * hops.open /
			    hops.own * hops.step, &limits);
	/* They may have served none of it, or half as much again. */
	limits.low -= moved.inside + moved.outside / 2;
	limits.high += moved.inside / 2 + moved.outside;
	limits.value -= (moved.inside - moved.outside) / 2;
	if (limits.high > limits.low * MP_LATENCY_CLOSE || !(limits.low > 0))
		return 0;
	set(&limits, 1, length, seen.share, hops.id, pair->cycles);
	set(&limits, hops.ns, length, seen.share, hops.id, pair->ns);
	inner[0] = pair->cycles->value;
	inner[1] = pair->ns->value;
	return 0;
}
