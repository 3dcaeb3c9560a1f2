// SPDX-License-Identifier: GPL-2.0
/*
 * A test of a level's ways. A ring of lines at one stride is walked. Where the
 * clock can time single hops, the share of those that take longer than a hit
 * in the level tells; otherwise the mean. Lines that share a cache set also
 * share TLB sets: a control of the same pages, each line moved to another set
 * so that all fit the innermost level, shows that part.
 *
 * What the level inside keeps never asks this one. In a flushed test, each
 * turn goes round other lines as well, which share the set of the level inside
 * but not this level's, and only then back to those that are timed.
 */
#include "probe/ways_test.h"

#include <errno.h>
#include <math.h>

#include "analysis/clock.h"
#include "analysis/spectrum.h"
#include "analysis/sweep.h"
#include "ioctl/memprobe.h"
#include "limits.h"
#include "probe/ways_held.h"
#include "probe/ways_order.h"
#include "steps.h"

#define HOPS 512u
/* A random set takes many turns to gather all its lines. */
#define TURNS 32u
/* Between a hop that stays in the level and one that does not, of what one
 * too many makes at least: less than this share is none, more than that one. */
#define FIT_SHARE 0.35
#define MISS_SHARE 0.65
/* More than this is all of them. */
#define ALL_SHARE 0.99
/* Shares of single hops, and of mean times, that can be told from none: the
 * latter by how well a mean time and a latency are known, cycles. */
#define FINEST_SINGLE 0.008
#define MEAN_ERROR_CYCLES 0.04
#define MEAN_ERROR 0.002
#define LATENCY_ERROR 0.02
/* In a mean the next level misses too where a hop takes this much longer than
 * a miss of this one, in steps from this level to the next. */
#define BEYOND_MEAN 1.3
/* .. unless twice as many lines, all of which take less than the level behind
 * that would, take no longer than this more of a step: the next level holds
 * them, then, and what is dear is to find that this one does not. */
#define TWICE_MORE 0.25
#define TWICE_HELD 1.4
/* Others put so many of the lines out of a full level. */
#define CROWDED_SHARE 0.1
/* A mean shows a line that is served inside if it is off by this share of
 * what that would make. */
#define MEAN_ERROR_INSIDE 0.7
/* What a control of nearly the same pages may be wrong by. */
#define CONTROL_ERROR 0.3
/* Lines of a control take so much of the innermost level. */
#define CONTROL_SINGLE 0.8
#define CONTROL_MEAN 0.5
/* Replicates of a ring that are looked at. */
#define SHARES 32u
/* Turns of a flushed test, and those that go before what is in the levels has
 * settled. */
#define FLUSH_BURSTS 48u
#define FLUSH_COLD 16u
/* One line that stayed inside would make more than this of a line's hops. */
#define FLUSH_NONE 0.5
/* A translation takes so many times half of what parts two levels, at most. */
#define TRANSLATION_STEPS 24u

/* Where the hops of a test were served: all of them in the level itself, or
 * some behind the next one. */
struct where {
	bool here;
	bool beyond;
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
	const uint32_t line = rig->level.line;
	uint64_t stride = test->stride, lines = test->lines;

	if (is_paged(&rig->level, test)) {
		lines = (stride * lines - 1) / MP_WAYS_PAGE + 1;
		stride = MP_WAYS_PAGE;
	} else if (stride % MP_WAYS_PAGE) {
		stride += line;
	}
	main_sweep(rig, stride, sweep);
	if (stride % MP_WAYS_PAGE == 0)
		sweep->skew = line;
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

/* Does the next level miss as well? What an inclusive one puts out leaves
 * this one too, full or not. */
static bool goes_beyond(const struct mp_ways_level *level,
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
	return mp_spectrum_slower(batch, &spectrum, 0) > FINEST_SINGLE;
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
	int err = mp_sweep_gather(sweep, rig->view, &curve);

	if (err)
		return err;
	at = mp_curve_find(&curve, length);
	share[0] = share[1] = NAN;
	for (uint32_t i = 0; at && at->n >= replicates && i < at->n &&
			     n < SHARES; i++) {
		const double one = share_of(&rig->level, at->batch[i],
					    at->cycles[i], own_cycles);

		where->here &= stays_here(&rig->level, at->batch[i], one,
				(uint32_t)(length / sweep->stride));
		where->beyond |= goes_beyond(&rig->level, at->batch[i]);
		put_in(all, n++, one);
		*id = at->id;
	}
	if (n) {
		share[0] = all[0];
		share[1] = all[that_count(&rig->level, n) - 1];
	}
	mp_curve_free(&curve);
	return 0;
}

/* Share of misses that cannot be told from none. */
double mp_ways_finest(const struct mp_ways_level *level)
{
	const double step = level->next_cycles - level->own_cycles;
	double error = MEAN_ERROR_CYCLES + MEAN_ERROR * level->own_cycles;

	if (level->single)
		return FINEST_SINGLE;
	if (level->k)
		error += LATENCY_ERROR * level->own_cycles;
	return error / step + (level->crowded ? CROWDED_SHARE : 0);
}

static enum mp_ways_outcome judge_test(const struct mp_ways_rig *rig,
			       const struct mp_ways_test *test,
			       const double share[2], const double control[2])
{
	const struct mp_ways_level *level = &rig->level;
	const double finest = mp_ways_finest(level);
	const double none = fmax(FIT_SHARE * test->least, finest);
	const double some = fmax(MISS_SHARE * test->least, MP_WAYS_SURE * finest);
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
	if (!level->single && share[1] - fmax(control[0], 0) + doubt < none)
		return MP_WAYS_FIT;
	return control[1] > some ? MP_WAYS_HIDDEN : MP_WAYS_UNCLEAR;
}

/* -- a flushed test ----------------------------------------------------- */

static void add_step(uint64_t at, uint32_t what, struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[0];

	if (actor->length < at + actor->stride)
		actor->length = at / actor->stride * actor->stride +
				actor->stride;
	exp->steps[exp->n_steps++] = (uint32_t)(at / actor->stride) << 2 | what;
}

/* One line of each page that a test touches, so that all fit the innermost
 * level: what still takes its time are translations. */
static void take_pages(const struct mp_ways_rig *rig, struct mp_exp *exp)
{
	const uint32_t line = rig->level.line > MP_STEPS_SLOT ?
			      rig->level.line : MP_STEPS_SLOT;
	const struct mp_exp all = *exp;
	const uint64_t stride = all.actor[0].stride;
	uint64_t page[MP_EXP_STEPS];
	uint32_t n = 0, k;

	exp->n_steps = 0;
	exp->actor[0].length = 0;
	exp->actor[0].stride = MP_STEPS_SLOT;
	for (uint32_t i = 0; i < all.n_steps; i++) {
		const uint64_t own = (all.steps[i] >> 2) * stride / MP_WAYS_PAGE;

		for (k = 0; k < n && page[k] != own; k++)
			;
		if (k < n)
			continue;
		page[n++] = own;
		add_step(own * MP_WAYS_PAGE + k * line % MP_WAYS_PAGE,
			 MEMPROBE_STEP_TIME, exp);
	}
}

/* The lines of the test, timed; then those that flush them, so many times what
 * the levels inside hold. */
static bool flushed_times(const struct mp_ways_rig *rig,
			  const struct mp_ways_test *test, uint32_t times,
			  bool control, struct mp_exp *exp)
{
	uint32_t slot[MP_WAYS_FLUSHERS], others[MP_EXP_STEPS], n;
	uint32_t lines[MP_EXP_STEPS];
	uint64_t unit;

	n = mp_ways_flushers(rig->sets, test, times, &unit, slot);
	if (!n || n + test->lines > MP_EXP_STEPS)
		return false;
	if (!mp_ways_order(rig->sets, test,
			   &(struct mp_ways_places){
				.unit = test->stride, .n = test->lines,
				.order = lines },
			   &(struct mp_ways_places){
				.unit = unit, .n = n, .slot = slot,
				.order = others }))
		return false;
	mp_exp_chase(exp, rig->view->cpu, rig->pages, 0, unit, 0);
	exp->arena[0].node = rig->view->node;
	exp->quiet = rig->view->quiet;
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].detail = MP_DETAIL_HIST;
	exp->actor[0].group = 1;
	exp->actor[0].bursts = FLUSH_BURSTS;
	for (uint32_t i = 0; i < test->lines; i++)
		add_step(lines[i] * test->stride, MEMPROBE_STEP_TIME, exp);
	for (uint32_t i = 0; i < n; i++)
		add_step(slot[others[i]] * unit, MEMPROBE_STEP_TOUCH, exp);
	if (control)
		take_pages(rig, exp);
	if (control && exp->n_steps > mp_ways_clear(&rig->level))
		return false;
	exp->arena[0].bytes = exp->actor[0].length;
	return exp->actor[0].length <= rig->view->arena_max_bytes &&
	       mp_exp_check(exp, NULL, 0) == 0;
}

/* The more others the better, but the innermost level has to have room for the
 * control of all. */
static bool flushed_exp(const struct mp_ways_rig *rig,
			const struct mp_ways_test *test, bool control,
			struct mp_exp *exp)
{
	for (uint32_t times = MP_WAYS_FLUSH_MOST; times >= MP_WAYS_FLUSH_LEAST;
	     times--)
		if (flushed_times(rig, test, times, true, exp))
			return control ||
			       flushed_times(rig, test, times, false, exp);
	return false;
}

/* What comes after the first turns; false: that is too little. */
static bool take_late(const struct mp_batch *batch, struct mp_batch *late)
{
	*late = *batch;
	if (batch->n_samples <= FLUSH_COLD)
		return false;
	late->sample += FLUSH_COLD;
	late->n_samples -= FLUSH_COLD;
	return true;
}

static double slower_than(const struct mp_batch *batch, double bound)
{
	const struct mp_spectrum spectrum = { .n = 1, .bound[0] = bound };

	return mp_spectrum_slower(batch, &spectrum, 0);
}

/* One replicate: none of the lines may have been served inside, nor what is
 * slow be a hit here, with @extra cycles for a translation beside. */
static enum mp_ways_outcome flushed_one(const struct mp_ways_level *level,
					const struct mp_ways_test *test,
					const struct mp_batch *batch,
					double extra)
{
	const double apart = (level->own_cycles - level->inner_cycles) / 2;
	const double middle = (level->own_cycles + level->next_cycles) / 2;
	const double none = FLUSH_NONE / test->lines;
	struct mp_batch late;
	double slow;

	if (!take_late(batch, &late) ||
	    !(1 - slower_than(&late, level->own_cycles - apart + extra) < none))
		return MP_WAYS_UNCLEAR;
	slow = slower_than(&late, middle);
	if (slow < FIT_SHARE * test->least)
		return MP_WAYS_FIT;
	if (goes_beyond(level, &late))
		return MP_WAYS_HIDDEN;
	slow = slower_than(&late, middle + extra);
	return slow > MISS_SHARE * test->least ? MP_WAYS_MISS :
						 MP_WAYS_UNCLEAR;
}

/* Has an experiment been tried in vain, so that more tries are not made? */
static bool is_given_up(const struct mp_view *view, uint64_t id,
			uint32_t replicates)
{
	uint32_t counted = 0, failed = 0;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		if (view->batch[i]->id != id)
			continue;
		if (view->batch[i]->error)
			return true;
		if (mp_batch_counts(view->batch[i]))
			counted++;
		else
			failed++;
	}
	return counted < replicates && failed > MP_REPEATS_MAX;
}

/* Of a control: would the cost of a translation, but for @extra cycles of it,
 * pass for a miss? */
static enum mp_ways_outcome control_of_miss(const struct mp_ways_level *level,
					    const struct mp_ways_test *test,
					    const struct mp_batch *batch,
					    double extra)
{
	const double step = level->next_cycles - level->own_cycles;
	struct mp_batch late;

	if (!take_late(batch, &late))
		return MP_WAYS_UNCLEAR;
	return slower_than(&late, level->innermost_cycles + extra + step / 2) <
			       FIT_SHARE * test->least ?
		       MP_WAYS_FIT : MP_WAYS_HIDDEN;
}

/* .. and one that is served inside, with that cost, for a hit of this level? */
static enum mp_ways_outcome control_of_fit(const struct mp_ways_level *level,
					   const struct mp_ways_test *test,
					   const struct mp_batch *batch,
					   double extra)
{
	const double apart = level->own_cycles - level->inner_cycles;
	struct mp_batch late;

	if (!take_late(batch, &late))
		return MP_WAYS_UNCLEAR;
	return slower_than(&late, level->innermost_cycles + extra + apart / 2) <
			       FLUSH_NONE / test->lines ?
		       MP_WAYS_FIT : MP_WAYS_HIDDEN;
}

typedef enum mp_ways_outcome (*one_says)(const struct mp_ways_level *level,
					 const struct mp_ways_test *test,
					 const struct mp_batch *batch,
					 double extra);

/* All replicates of an experiment have to say the same. */
static enum mp_ways_outcome all_say(const struct mp_ways_rig *rig,
				    const struct mp_ways_test *test,
				    uint64_t id, one_says says, double extra,
				    uint32_t replicates)
{
	const struct mp_view *view = rig->view;
	enum mp_ways_outcome all = MP_WAYS_UNCLEAR, one;
	uint32_t n = 0;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		if (view->batch[i]->id != id)
			continue;
		if (!mp_batch_counts(view->batch[i]))
			continue;
		one = says(&rig->level, test, view->batch[i], extra);
		all = n++ && one != all ? MP_WAYS_UNCLEAR : one;
		if (all == MP_WAYS_UNCLEAR)
			return all;
	}
	if (is_given_up(view, id, replicates))
		return MP_WAYS_UNCLEAR;
	return n < replicates ? MP_WAYS_LACKING : all;
}

/* What a translation takes, but for what is rare, by the control: in steps
 * of half of what parts two levels. NaN: more than is looked for. */
static double translation_by(const struct mp_ways_rig *rig,
			     const struct mp_ways_test *test, uint64_t control,
			     one_says says, double step, uint32_t replicates)
{
	for (uint32_t i = 1; i <= TRANSLATION_STEPS; i++)
		if (all_say(rig, test, control, says, i * step, replicates) ==
		    MP_WAYS_FIT)
			return i * step;
	return NAN;
}

/* Translations that miss would look like misses, and hits inside with them
 * like hits here: the control tells. Where they would, what they take there is
 * taken off. */
static enum mp_ways_outcome flushed_outcome(const struct mp_ways_rig *rig,
					    const struct mp_ways_test *test,
					    uint32_t replicates)
{
	const struct mp_ways_level *level = &rig->level;
	enum mp_ways_outcome own, control;
	double step = level->next_cycles - level->own_cycles, extra;
	one_says says = control_of_miss;
	struct mp_exp exp;
	uint64_t id;

	if (!flushed_exp(rig, test, false, &exp))
		return MP_WAYS_UNCLEAR;
	id = mp_exp_id(&exp);
	own = all_say(rig, test, id, flushed_one, 0, replicates);
	if ((own != MP_WAYS_MISS && own != MP_WAYS_FIT) ||
	    !flushed_exp(rig, test, true, &exp))
		return own == MP_WAYS_MISS || own == MP_WAYS_FIT ?
		       MP_WAYS_UNCLEAR : own;
	if (own == MP_WAYS_FIT) {
		says = control_of_fit;
		step = level->own_cycles - level->inner_cycles;
	}
	control = all_say(rig, test, mp_exp_id(&exp), says, 0, replicates);
	if (control != MP_WAYS_HIDDEN)
		return control == MP_WAYS_FIT ? own : control;
	extra = translation_by(rig, test, mp_exp_id(&exp), says, step / 2,
			       replicates);
	return !isnan(extra) &&
	       all_say(rig, test, id, flushed_one, extra, replicates) == own ?
	       own : MP_WAYS_HIDDEN;
}

/* Of a ring that lacks replicates. */
static enum mp_ways_outcome lacking(const struct mp_ways_rig *rig,
				    const struct mp_sweep *sweep,
				    uint64_t length, uint32_t replicates)
{
	struct mp_exp exp;

	mp_sweep_exp(sweep, length, &exp);
	return length > rig->view->arena_max_bytes ||
	       is_given_up(rig->view, mp_exp_id(&exp), replicates) ?
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
	if (test->flushed) {
		*outcome = flushed_outcome(rig, test, replicates);
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
	if (!level->single)
		where.beyond = share[1] - control[0] > BEYOND_MEAN;
	if (*outcome == MP_WAYS_MISS && where.beyond &&
	    !(level->beyond_cycles <= MP_WAYS_APART * level->next_cycles))
		err = look_twice(rig, test, replicates, share[0] - control[1],
				 outcome);
	if (*outcome == MP_WAYS_MISS && level->single)
		rig->missed = share[0] - control[1];
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

		if (flushed_exp(rig, test, false, &exp))
			err = mp_plan_add(plan, &exp, replicates);
		if (!err && flushed_exp(rig, test, true, &exp))
			err = mp_plan_add(plan, &exp, replicates);
		return err;
	}
	main_sweep(rig, test->stride, &sweep);
	length = test->lines * test->stride;
	err = mp_sweep_gather(&sweep, rig->view, &curve);
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
