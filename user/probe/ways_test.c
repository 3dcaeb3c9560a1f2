// SPDX-License-Identifier: GPL-2.0
/*
 * A test of a level's ways. A ring of lines at one stride is walked. Where the
 * clock can time single hops, the share of those that take longer than a hit
 * in the level tells; otherwise the mean. Lines that share a cache set also
 * share TLB sets: a control of the same pages, each line moved to another set
 * so that all fit the innermost level, shows that part.
 */
#include "probe/ways_test.h"

#include <math.h>

#include "analysis/clock.h"
#include "analysis/spectrum.h"
#include "analysis/stat.h"
#include "analysis/sweep.h"
#include "ioctl/memprobe.h"
#include "limits.h"
#include "probe/ways_costs.h"
#include "probe/ways_flush.h"
#include "probe/ways_held.h"
#include "probe/ways_level.h"

#define HOPS 512u
/* A random set takes many turns to gather all its lines. */
#define TURNS 32u
/* Between a hop that stays in the level and one that does not. */
#define FIT_SHARE MP_WAYS_FIT_SHARE
#define MISS_SHARE MP_WAYS_MISS_SHARE
/* More than this is all of them. */
#define ALL_SHARE 0.99
/* .. unless twice as many lines, all of which take less than the level behind
 * that would, take no longer than this more of a step: the next level holds
 * them, then, and what is dear is to find that this one does not. */
#define TWICE_MORE 0.25
#define TWICE_HELD 1.4
/* A mean shows a line that is served inside if it is off by this share of
 * what that would make. */
#define MEAN_ERROR_INSIDE 0.7
/* What a control of nearly the same pages may be wrong by. */
#define CONTROL_ERROR 0.3
/* Lines of a control take so much of the innermost level. */
#define CONTROL_SINGLE 0.8
#define CONTROL_MEAN 0.5
/* Hops take as long as each other where they are no further apart than twice
 * this share of what parts two levels; so much more than those is looked for,
 * in parts of that. */
#define EVEN_PART 0.25
#define EVEN_GRAIN 2u
#define EVEN_STEPS 96u
/* Shares of hops that are surely served here are off by this, and lines that
 * they are made of. */
#define HELD_SURE 0.97
#define HELD_ERROR 0.35
/* Bursts of a replicate whose middle is looked at. */
#define BURSTS_MOST 64u
/* Replicates of a ring that are looked at. */
#define SHARES 32u

/* Where the hops of a test were served: all of them in the level itself, or
 * some behind the next one. */
struct where {
	bool here;
	bool beyond;
	double cycles;	/* of a hop, in the middle of the replicates */
};

/* -- a test ------------------------------------------------------------- */

static void main_sweep(const struct mp_ways_rig *rig, uint64_t stride,
		       struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, rig->view, stride, 0);
	sweep->hops = HOPS;
	sweep->turns = TURNS;
	sweep->pages = rig->pages;
	sweep->single = rig->level.single;
}

/* Are there too many lines for a control of all? Then one of each page has to
 * do. */
static bool is_paged(const struct mp_ways_level *level,
		     const struct mp_ways_test *test)
{
	return test->lines > mp_ways_clear(level);
}

/* The same pages, or nearly so, each line in another set. */
static uint64_t control_sweep(const struct mp_ways_rig *rig,
			      const struct mp_ways_test *test,
			      struct mp_sweep *sweep)
{
	uint64_t stride = test->stride, lines = test->lines, skew;

	if (is_paged(&rig->level, test)) {
		lines = (stride * lines - 1) / MP_WAYS_PAGE + 1;
		stride = MP_WAYS_PAGE;
	}
	skew = mp_ways_control_step(rig, stride) * rig->level.line;
	if (stride % MP_WAYS_PAGE)
		stride += skew;
	main_sweep(rig, stride, sweep);
	if (stride % MP_WAYS_PAGE == 0)
		sweep->skew = skew;
	return stride * lines;
}

/* Lines that the innermost level has room for, wherever they lie. Where single
 * hops tell, a control that does not quite fit only hides misses. */
uint32_t mp_ways_clear(const struct mp_ways_level *level)
{
	return (uint32_t)(level->innermost_bytes / level->line *
			  (level->single ? CONTROL_SINGLE : CONTROL_MEAN));
}

/* Share of slow hops; of means the time beyond a hit, in steps to the next
 * level. @own_cycles: of a hit. */
static double share_of(const struct mp_ways_level *level, const struct mp_batch *batch,
		       double cycles, double own_cycles)
{
	const double step = level->next_cycles - level->own_cycles;
	const struct mp_spectrum spectrum = {
		.n = 1,
		.bound[0] = own_cycles + step / 2,
	};

	return level->single ? mp_spectrum_slower(batch, &spectrum, 0) :
			       (cycles - own_cycles) / step;
}

/*
 * Share of slow hops of the burst in the middle. One line more than a set has
 * room for misses in each turn, whoever is put out, so in each burst that goes
 * round; what others put out of a full one, in some. Further out the level
 * inside keeps lines of its own choice, and means have no share of each burst.
 */
static double share_of_bursts(const struct mp_ways_level *level,
			      const struct mp_batch *batch, uint64_t lines,
			      double cycles, double own_cycles)
{
	double share[BURSTS_MOST];
	struct mp_batch one = *batch;
	uint32_t n = 0;

	if (level->k || !level->single ||
	    batch->exp.actor[0].hops < lines || batch->n_samples > BURSTS_MOST)
		return share_of(level, batch, cycles, own_cycles);
	one.n_samples = 1;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		one.sample = batch->sample + i;
		share[n] = share_of(level, &one, cycles, own_cycles);
		n += !isnan(share[n]);
	}
	return mp_stat_median(share, n);
}

/* Does the next level miss as well? What an inclusive one puts out leaves
 * this one too, full or not. */
bool mp_ways_goes_beyond(const struct mp_ways_level *level,
			 const struct mp_batch *batch)
{
	const struct mp_spectrum spectrum = {
		.n = 1,
		.bound[0] = (level->next_cycles + level->beyond_cycles) / 2,
	};

	if (level->beyond_cycles <= level->next_cycles * MP_WAYS_APART)
		return false;
	/* What is behind the next level is not known: it may be that. */
	if (isnan(level->beyond_cycles))
		return true;
	if (!level->single)
		return false;
	return mp_spectrum_slower(batch, &spectrum, 0) > MP_WAYS_FINEST_SINGLE;
}

/* Were all hops served by the level itself, neither further inside nor with
 * the cost of a translation? So many lines do not fit inside. */
static bool stays_here(const struct mp_ways_level *level, const struct mp_batch *batch,
		       double share, uint32_t lines)
{
	const double apart = (level->own_cycles - level->inner_cycles) / 2;
	const double step = level->next_cycles - level->own_cycles;
	const double none = FIT_SHARE / lines;
	const struct mp_spectrum spectrum = {
		.n = 2,
		.bound = { level->own_cycles - apart,
			   level->own_cycles + apart },
	};

	if (!level->single)
		return fabs(share) * step < MEAN_ERROR_INSIDE * apart / lines;
	return 1 - mp_spectrum_slower(batch, &spectrum, 0) < none &&
	       mp_spectrum_slower(batch, &spectrum, 1) < none;
}

/* Others only add to what a ring takes: where they crowd it the slowest two of
 * five say nothing. */
static uint32_t that_count(const struct mp_ways_level *level, uint32_t n)
{
	return level->crowded ? n - n * 2 / 5 : n;
}

/* By rising value. */
static void put_in(double *value, uint32_t n, double one)
{
	while (n && value[n - 1] > one) {
		value[n] = value[n - 1];
		n--;
	}
	value[n] = one;
}

/* The least and the greatest share over the replicates of a length. */
static int shares_of(const struct mp_ways_rig *rig, const struct mp_sweep *sweep,
		     uint64_t length, uint32_t replicates, double own_cycles,
		     double share[2], struct where *where, uint64_t *id)
{
	struct mp_curve curve;
	const struct mp_curve_at *at;
	double all[SHARES];
	uint32_t n = 0;
	int err = mp_sweep_gather_at(sweep, rig->view, length, &curve);

	if (err)
		return err;
	at = mp_curve_find(&curve, length);
	share[0] = share[1] = NAN;
	for (uint32_t i = 0; at && at->n >= replicates && i < at->n &&
			     n < SHARES; i++) {
		const double one = share_of_bursts(&rig->level, at->batch[i],
					length / sweep->stride, at->cycles[i],
					own_cycles);

		where->here &= stays_here(&rig->level, at->batch[i], one,
				(uint32_t)(length / sweep->stride));
		where->beyond |= mp_ways_goes_beyond(&rig->level, at->batch[i]);
		put_in(all, n++, one);
		*id = at->id;
	}
	if (n) {
		where->cycles = mp_curve_middle(at);
		share[0] = all[0];
		share[1] = all[that_count(&rig->level, n) - 1];
	}
	mp_curve_free(&curve);
	return 0;
}

/* Of the share that one line too many makes at least, so much, if that can be
 * told. */
static double least_seen(const struct mp_ways_rig *rig,
			 const struct mp_ways_test *test, double share,
			 double sure)
{
	return fmax(share * test->least, sure * mp_ways_finest(&rig->level));
}

static enum mp_ways_outcome judge_test(const struct mp_ways_rig *rig,
			       const struct mp_ways_test *test,
			       const double share[2], const double control[2])
{
	const struct mp_ways_level *level = &rig->level;
	const double finest = mp_ways_finest(level);
	const double none = least_seen(rig, test, FIT_SHARE, 1);
	const double some = least_seen(rig, test, MISS_SHARE, MP_WAYS_SURE);
	double doubt = 0;

	if (isnan(share[0]))
		return MP_WAYS_UNCLEAR;
	/* Hits inside would make up for misses, in a mean. */
	if (!level->single && level->k && share[0] < -MP_WAYS_SURE * finest &&
	    test->lines > mp_ways_inside(rig->sets, test).low)
		return MP_WAYS_UNCLEAR;
	if (share[1] < none)
		return MP_WAYS_FIT;
	if (!control)
		return MP_WAYS_LACKING;
	if (isnan(control[0]))
		return MP_WAYS_UNCLEAR;
	/* Nearly every hop of it goes to another page. */
	if (is_paged(level, test) && !(control[1] < none))
		return MP_WAYS_HIDDEN;
	/* Of strides of whole pages the control touches the same pages. */
	if (test->stride % MP_WAYS_PAGE)
		doubt = CONTROL_ERROR * fmax(control[1], 0);
	if (share[0] - fmax(control[1], 0) > some + doubt)
		return MP_WAYS_MISS;
	/* A control that takes longer than translations explain has lines that
	 * share a set, and is none. */
	if (!level->single && share[1] - fmax(control[0], 0) + doubt < none &&
	    control[0] - share[1] < none + doubt)
		return MP_WAYS_FIT;
	return control[1] > some ? MP_WAYS_HIDDEN : MP_WAYS_UNCLEAR;
}

bool mp_ways_given_up(const struct mp_view *view, uint64_t id,
		      uint32_t replicates)
{
	uint32_t counted = 0, failed = 0, at = 0;
	const struct mp_batch *batch;

	while ((batch = mp_view_next(view, id, &at))) {
		if (batch->error)
			return true;
		if (mp_batch_counts(batch))
			counted++;
		else
			failed++;
	}
	return counted < replicates && failed > MP_REPEATS_MAX;
}

/* Of a ring that lacks replicates. */
static enum mp_ways_outcome lacking(const struct mp_ways_rig *rig,
				    const struct mp_sweep *sweep,
				    uint64_t length, uint32_t replicates)
{
	struct mp_exp exp;

	mp_sweep_exp(sweep, length, &exp);
	return length > rig->view->arena_max_bytes ||
	       mp_ways_given_up(rig->view, mp_exp_id(&exp), replicates) ?
	       MP_WAYS_UNCLEAR : MP_WAYS_LACKING;
}

/* Twice as many lines as a test of the innermost level has; false where pages
 * would count. */
static bool twice_of(const struct mp_ways_rig *rig,
		     const struct mp_ways_test *test, struct mp_sweep *sweep,
		     uint64_t *length)
{
	main_sweep(rig, test->stride, sweep);
	*length = 2 * test->lines * test->stride;
	return !rig->level.k && !rig->level.single &&
	       2 * test->lines <= mp_ways_clear(&rig->level);
}

/* Hops take longer than to the next level. If that missed lines, it would miss
 * more of twice as many. */
static int look_twice(const struct mp_ways_rig *rig,
		      const struct mp_ways_test *test, uint32_t replicates,
		      double missed, enum mp_ways_outcome *outcome)
{
	const struct mp_ways_level *level = &rig->level;
	const double step = level->next_cycles - level->own_cycles;
	struct where where = { 0 };
	struct mp_sweep sweep;
	uint64_t length, id = 0;
	double share[2];
	int err;

	*outcome = MP_WAYS_HIDDEN;
	if (!twice_of(rig, test, &sweep, &length))
		return 0;
	err = shares_of(rig, &sweep, length, replicates, level->own_cycles,
			share, &where, &id);
	if (!id && lacking(rig, &sweep, length, replicates) == MP_WAYS_LACKING)
		*outcome = MP_WAYS_LACKING;
	if (!id)
		return err;
	if (share[1] < missed + TWICE_MORE &&
	    level->own_cycles + share[1] * step <
	    level->next_cycles * TWICE_HELD)
		*outcome = MP_WAYS_MISS;
	return err;
}

/* Hops that pay for a translation and hit are nearer to those that miss: with
 * what the control pays taken off, do they miss all the same, and how many? */
static int look_net(const struct mp_ways_rig *rig, const struct mp_ways_test *test,
		    uint32_t replicates, double paid, double share[2],
		    const double control[2], enum mp_ways_outcome *outcome)
{
	struct where where = { 0 };
	struct mp_sweep sweep;
	uint64_t id = 0;
	int err;

	main_sweep(rig, test->stride, &sweep);
	err = shares_of(rig, &sweep, test->lines * test->stride, replicates,
			rig->level.own_cycles + fmax(paid, 0), share, &where, &id);
	if (!err && judge_test(rig, test, share, control) != MP_WAYS_MISS)
		*outcome = MP_WAYS_HIDDEN;
	return err;
}

/* Cycles that all hops of a ring take beyond @least, but for @apart and a share
 * of @none; NaN: they take more kinds of time than one. */
static double even_beyond(const struct mp_curve_at *at, double least,
			  double apart, double none)
{
	bool even = false;

	for (uint32_t i = 0; i < EVEN_STEPS; i++) {
		const double more = apart * i / EVEN_GRAIN;
		const struct mp_spectrum spectrum = {
			.n = 2,
			.bound = { least + more - apart, least + more + apart },
		};

		even = true;
		for (uint32_t b = 0; b < at->n && even; b++)
			even = 1 - mp_spectrum_slower(at->batch[b], &spectrum,
						      0) < none &&
			       mp_spectrum_slower(at->batch[b], &spectrum, 1) <
			       none;
		if (even)
			return more;
	}
	return NAN;
}

/* @outcome: MP_WAYS_LACKING where the ring has yet to be walked. */
static int even_of(const struct mp_ways_rig *rig, const struct mp_sweep *sweep,
		   uint64_t length, uint32_t replicates, double least,
		   double none, double *beyond, enum mp_ways_outcome *outcome)
{
	const double apart = EVEN_PART * (rig->level.own_cycles -
					  rig->level.inner_cycles);
	const struct mp_curve_at *at;
	struct mp_curve curve;
	const int err = mp_sweep_gather_at(sweep, rig->view, length, &curve);

	if (err)
		return err;
	*beyond = NAN;
	at = mp_curve_find(&curve, length);
	if (at && at->n >= replicates)
		*beyond = even_beyond(at, least, apart, none);
	else if (lacking(rig, sweep, length, replicates) == MP_WAYS_LACKING)
		*outcome = MP_WAYS_LACKING;
	mp_curve_free(&curve);
	return 0;
}

/*
 * All hops fit. Were they served by the level itself, each of them? If so they
 * all take as long as it does, with what a translation takes. That is what hops
 * of the same pages take beyond the innermost level, all of them in that, and
 * it has to be as much: else some may have been served further inside.
 */
static int look_here(const struct mp_ways_rig *rig,
		     const struct mp_ways_test *test, uint32_t replicates,
		     enum mp_ways_outcome *outcome)
{
	const struct mp_ways_level *level = &rig->level;
	const double none = FIT_SHARE / test->lines;
	const double apart = level->own_cycles - level->inner_cycles;
	double own, inside;
	struct mp_sweep sweep;
	uint64_t length;
	int err;

	main_sweep(rig, test->stride, &sweep);
	err = even_of(rig, &sweep, test->lines * test->stride, replicates,
		      level->own_cycles, none, &own, outcome);
	if (err)
		return err;
	length = control_sweep(rig, test, &sweep);
	err = even_of(rig, &sweep, length, replicates,
		      level->innermost_cycles, none, &inside, outcome);
	if (!err && fabs(own - inside) < EVEN_PART * apart)
		*outcome = MP_WAYS_FIT_HERE;
	return err;
}

static int gather_at(const struct mp_ways_rig *rig, const struct mp_sweep *sweep,
		     uint64_t length, struct mp_curve *curve,
		     const struct mp_curve_at **at)
{
	const int err = mp_sweep_gather_at(sweep, rig->view, length,
					   curve);

	*at = err ? NULL : mp_curve_find(curve, length);
	return err;
}

/* What translations cost, by the control; *@known: that tells levels apart. */
static int find_costs(const struct mp_ways_rig *rig,
		      const struct mp_ways_test *test,
		      struct mp_ways_costs *costs, bool *known)
{
	const bool any = is_paged(&rig->level, test) ||
			 test->stride % MP_WAYS_PAGE;
	const struct mp_curve_at *at;
	struct mp_curve curve;
	struct mp_sweep sweep;
	uint64_t length = control_sweep(rig, test, &sweep);
	const int err = gather_at(rig, &sweep, length, &curve, &at);

	if (err)
		return err;
	mp_ways_costs_begin(costs, &rig->level);
	for (uint32_t i = 0; at && i < at->n; i++)
		mp_ways_costs_add(costs, at->batch[i]);
	*known = mp_ways_costs_end(costs, least_seen(rig, test, FIT_SHARE, 1),
				   any);
	mp_curve_free(&curve);
	return 0;
}

/*
 * Translations hide what the level does, or the next level misses too. Hop by
 * hop it may be seen where each was served. What that one serves has left this
 * level for want of room: what an inclusive one puts out has left both, and is
 * served behind it.
 */
static void judge_served(struct mp_ways_rig *rig,
			 const struct mp_ways_test *test,
			 const struct mp_ways_served *all,
			 enum mp_ways_outcome *outcome)
{
	const double missed = all->far < MP_WAYS_FINEST_SINGLE ?
			      all->missed : all->between;

	if (all->may_miss < least_seen(rig, test, FIT_SHARE, 1))
		*outcome = all->may_be_inside < FIT_SHARE / test->lines ?
			   MP_WAYS_FIT_HERE : MP_WAYS_FIT;
	if (missed > least_seen(rig, test, MISS_SHARE, MP_WAYS_SURE)) {
		*outcome = MP_WAYS_MISS;
		rig->missed = missed;
	}
}

/* Of the hops of a burst a level serves no more in each turn than it has room
 * for: what it serves has been in it since the turn before. */
static uint32_t held_of(const struct mp_ways_test *test,
			const struct mp_batch *batch, double here)
{
	const double hops = (double)batch->exp.actor[0].hops;
	const double turns = ceil(hops / test->lines);

	return (uint32_t)fmax(ceil(here * HELD_SURE * hops / turns -
				   HELD_ERROR), 0);
}

static int look_served(struct mp_ways_rig *rig, const struct mp_ways_test *test,
		       enum mp_ways_outcome *outcome)
{
	struct mp_ways_served all = { .missed = 1, .between = 1, .here = 1 };
	struct mp_ways_served one;
	const struct mp_curve_at *at;
	struct mp_ways_costs costs;
	struct mp_curve curve;
	struct mp_sweep sweep;
	bool known;
	int err = find_costs(rig, test, &costs, &known);

	if (err || !known)
		return err;
	main_sweep(rig, test->stride, &sweep);
	err = gather_at(rig, &sweep, test->lines * test->stride, &curve, &at);
	if (err)
		return err;
	for (uint32_t i = 0; at && i < at->n; i++) {
		mp_ways_costs_served(&costs, at->batch[i], &one);
		mp_ways_served_worst(&all, &one);
	}
	if (at && rig->level.k)
		rig->held = held_of(test, at->batch[0], all.here);
	if (at && *outcome == MP_WAYS_HIDDEN)
		judge_served(rig, test, &all, outcome);
	mp_curve_free(&curve);
	return 0;
}

/* What came of a test; MP_WAYS_LACKING: it wants more batches. */
int mp_ways_look(struct mp_ways_rig *rig, const struct mp_ways_test *test,
		 uint32_t replicates, enum mp_ways_outcome *outcome)
{
	const struct mp_ways_level *level = &rig->level;
	double share[2], control[2];
	struct mp_sweep sweep;
	struct where where = { .here = level->k > 0 }, other = where;
	uint64_t length, id = 0;
	int err;

	rig->missed = 0;
	rig->held = 0;
	rig->control.lines = 0;
	if (test->flushed) {
		*outcome = mp_ways_flush_look(rig, test, replicates);
		return 0;
	}
	main_sweep(rig, test->stride, &sweep);
	length = test->lines * test->stride;
	err = shares_of(rig, &sweep, length, replicates,
			level->own_cycles, share, &where, &id);
	if (!id)
		*outcome = lacking(rig, &sweep, length, replicates);
	if (err || !id)
		return err;
	rig->evidence[1] = rig->evidence[0];
	rig->evidence[0] = id;
	*outcome = judge_test(rig, test, share, NULL);
	if (*outcome == MP_WAYS_FIT && where.here && test->lines >
	    mp_ways_inside(rig->sets, test).high)
		*outcome = MP_WAYS_FIT_HERE;
	if (*outcome == MP_WAYS_FIT && test->here && level->single) {
		err = look_here(rig, test, replicates, outcome);
		return err || *outcome != MP_WAYS_FIT ? err :
			      look_served(rig, test, outcome);
	}
	if (*outcome != MP_WAYS_LACKING)
		return 0;
	*outcome = MP_WAYS_HIDDEN;
	if (is_paged(level, test) && (test->stride * test->lines - 1) /
				     MP_WAYS_PAGE >= mp_ways_clear(level))
		return 0;
	id = 0;
	length = control_sweep(rig, test, &sweep);
	err = shares_of(rig, &sweep, length, replicates,
			level->innermost_cycles, control, &other, &id);
	*outcome = !err && id ? judge_test(rig, test, share, control) :
				lacking(rig, &sweep, length, replicates);
	if (*outcome == MP_WAYS_FIT && !level->single)
		rig->control = mp_ways_control_of(&sweep, length);
	if (!level->single)
		where.beyond = mp_ways_may_go_beyond(level, test,
						     share[1] - control[0]);
	if (*outcome == MP_WAYS_MISS && level->single)
		err = look_net(rig, test, replicates, other.cycles -
			       level->innermost_cycles, share, control, outcome);
	if (!err && *outcome == MP_WAYS_MISS && where.beyond &&
	    !(level->beyond_cycles <= MP_WAYS_APART * level->next_cycles))
		err = look_twice(rig, test, replicates, share[0] - control[1],
				 outcome);
	if (*outcome == MP_WAYS_MISS && level->single)
		rig->missed = share[0] - control[1];
	if (!err && *outcome != MP_WAYS_LACKING && level->single)
		err = look_served(rig, test, outcome);
	if (rig->missed > ALL_SHARE)
		*outcome = MP_WAYS_MISS_ALL;
	return err;
}

/* The ring, and its control where that is asked for. */
int mp_ways_plan(const struct mp_ways_rig *rig,
		 const struct mp_ways_test *test, uint32_t replicates,
		 struct mp_plan *plan)
{
	struct mp_sweep sweep;
	struct mp_curve curve;
	uint64_t length;
	bool measured;
	int err = 0;

	if (test->flushed) {
		struct mp_exp exp;

		if (mp_ways_flush_exp(rig, test, false, &exp))
			err = mp_plan_add(plan, &exp, replicates);
		if (!err && mp_ways_flush_exp(rig, test, true, &exp))
			err = mp_plan_add(plan, &exp, replicates);
		return err;
	}
	main_sweep(rig, test->stride, &sweep);
	length = test->lines * test->stride;
	err = mp_sweep_gather_at(&sweep, rig->view, length, &curve);
	if (err)
		return err;
	measured = mp_curve_find(&curve, length) &&
		   mp_curve_find(&curve, length)->n >= replicates;
	mp_curve_free(&curve);
	if (!measured)
		return mp_sweep_plan(&sweep, rig->view, length, replicates,
				     plan);
	if (twice_of(rig, test, &sweep, &length))
		err = mp_sweep_plan(&sweep, rig->view, length, replicates, plan);
	length = control_sweep(rig, test, &sweep);
	return err ? err : mp_sweep_plan(&sweep, rig->view, length, replicates,
					 plan);
}
