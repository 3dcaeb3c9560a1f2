// SPDX-License-Identifier: GPL-2.0
/*
 * Flushed tests. What the level inside keeps never asks this one. So each turn
 * goes round other lines as well, which share the set of the level inside but
 * not this level's, and only then back to those that are timed. A control of
 * the same pages shows what translations cost.
 */
#include "probe/ways_flush.h"

#include <math.h>

#include "analysis/spectrum.h"
#include "ioctl/memprobe.h"
#include "probe/ways_costs.h"
#include "probe/ways_drive.h"
#include "probe/ways_held.h"
#include "probe/ways_order.h"
#include "probe/ways_others.h"
#include "steps.h"

/* Of what one too many makes less than this share is none, more than that
 * one. */
#define FIT_SHARE MP_WAYS_FIT_SHARE
#define MISS_SHARE MP_WAYS_MISS_SHARE
/* Turns of a flushed test, and those that go before what is in the levels has
 * settled. */
#define FLUSH_BURSTS 48u
#define FLUSH_COLD 16u
/* One line that stayed inside would make more than this of a line's hops. */
#define FLUSH_NONE 0.5
/* What translations cost is nothing, or what was taken off for them all of it, where
 * no more is left than this part of what parts two levels: at half of it a hit passes
 * for a miss, and it takes but one step of the clock to get there. */
#define CONTROL_LEFT 0.3
/* A translation takes so many times a quarter of what parts two levels, at most. */
#define TRANSLATION_STEPS 48u

void mp_ways_sequence(const struct mp_ways_rig *rig, uint64_t unit,
		      uint32_t detail, uint32_t bursts, struct mp_exp *exp)
{
	mp_exp_chase(exp, rig->view->cpu, rig->pages, 0, unit, 0);
	exp->arena[0].node = rig->view->node;
	exp->quiet = rig->view->quiet;
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].detail = detail;
	exp->actor[0].group = 1;
	exp->actor[0].bursts = bursts;
}

void mp_ways_step(uint64_t at, uint32_t what, struct mp_exp *exp)
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
		mp_ways_step(own * MP_WAYS_PAGE + k * line % MP_WAYS_PAGE,
			 MEMPROBE_STEP_TIME, exp);
	}
}

/* All others of a test: of each set of the level inside that it has lines of.
 * Return: bytes from slot to slot; 0 = there are not enough, or too many. */
static uint64_t list_others(const struct mp_ways_sets *sets,
			    const struct mp_ways_test *test, uint32_t times,
			    uint32_t slot[MP_EXP_STEPS], uint32_t *n)
{
	struct mp_ways_flush flush;
	uint64_t unit, groups;

	*n = 0;
	if (!mp_ways_flushers(sets, test, times, &flush))
		return 0;
	groups = mp_ways_groups(&flush, test->lines);
	if (groups * flush.n + test->lines > MP_EXP_STEPS)
		return 0;
	unit = mp_gcd(flush.unit, test->stride);
	for (uint64_t g = 0; g < groups; g++)
		for (uint32_t i = 0; i < flush.n; i++)
			slot[(*n)++] = (uint32_t)((g * test->stride +
						   flush.slot[i] * flush.unit) /
						  unit);
	return unit;
}

/* The lines of the test, timed; then those that flush them, so many times what
 * the levels inside hold. */
static bool flushed_times(const struct mp_ways_rig *rig,
			  const struct mp_ways_test *test, uint32_t times,
			  bool control, struct mp_exp *exp)
{
	uint32_t slot[MP_EXP_STEPS], others[MP_EXP_STEPS], n;
	uint32_t lines[MP_EXP_STEPS];
	const uint64_t unit = list_others(rig->sets, test, times, slot, &n);

	if (!unit)
		return false;
	if (!mp_ways_order(rig->sets, test,
			   &(struct mp_ways_places){
				.unit = test->stride, .n = test->lines,
				.order = lines },
			   &(struct mp_ways_places){
				.unit = unit, .n = n, .slot = slot,
				.order = others }))
		return false;
	mp_ways_sequence(rig, unit, MP_DETAIL_HIST, FLUSH_BURSTS, exp);
	for (uint32_t i = 0; i < test->lines; i++)
		mp_ways_step(lines[i] * test->stride, MEMPROBE_STEP_TIME, exp);
	for (uint32_t i = 0; i < n; i++)
		mp_ways_step(slot[others[i]] * unit, MEMPROBE_STEP_TOUCH, exp);
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
bool mp_ways_flush_exp(const struct mp_ways_rig *rig,
		       const struct mp_ways_test *test, bool control,
		       struct mp_exp *exp)
{
	if (test->drive)
		return !control && mp_ways_drive_exp(rig, test, exp);
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
	if (mp_ways_goes_beyond(level, &late))
		return MP_WAYS_HIDDEN;
	slow = slower_than(&late, middle + extra);
	return slow > MISS_SHARE * test->least ? MP_WAYS_MISS :
						 MP_WAYS_UNCLEAR;
}

/* A control times each page once, those of the others as well: what part of its
 * hops would be all of the test's lines. */
static double lines_of_control(const struct mp_ways_test *test,
			       const struct mp_exp *control)
{
	return fmin(test->lines / (double)control->n_steps, 1);
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
	return slower_than(&late, level->innermost_cycles + extra +
			   CONTROL_LEFT * step) <
			       FIT_SHARE * test->least *
			       lines_of_control(test, &batch->exp) ?
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
	return slower_than(&late, level->innermost_cycles + extra +
			   CONTROL_LEFT * apart) <
			       FLUSH_NONE / test->lines *
			       lines_of_control(test, &batch->exp) ?
		       MP_WAYS_FIT : MP_WAYS_HIDDEN;
}

typedef enum mp_ways_outcome (*one_says)(const struct mp_ways_level *level,
					 const struct mp_ways_test *test,
					 const struct mp_batch *batch,
					 double extra);

/* Of two replicates, of which one may have been hidden. */
static enum mp_ways_outcome both_say(enum mp_ways_outcome a,
				     enum mp_ways_outcome b)
{
	if (a == b)
		return a;
	return (a == MP_WAYS_MISS && b == MP_WAYS_HIDDEN) ||
	       (a == MP_WAYS_HIDDEN && b == MP_WAYS_MISS) ?
		       MP_WAYS_HIDDEN : MP_WAYS_UNCLEAR;
}

/* All replicates of an experiment have to say the same. */
static enum mp_ways_outcome all_say(const struct mp_ways_rig *rig,
				    const struct mp_ways_test *test,
				    uint64_t id, one_says says, double extra,
				    uint32_t replicates)
{
	const struct mp_view *view = rig->view;
	enum mp_ways_outcome all = MP_WAYS_UNCLEAR, one;
	const struct mp_batch *batch;
	uint32_t n = 0, at = 0;

	while ((batch = mp_view_next(view, id, &at))) {
		if (!mp_batch_counts(batch))
			continue;
		one = says(&rig->level, test, batch, extra);
		all = n++ ? both_say(all, one) : one;
		if (all == MP_WAYS_UNCLEAR)
			return all;
	}
	if (mp_ways_given_up(view, id, replicates))
		return MP_WAYS_UNCLEAR;
	return n < replicates ? MP_WAYS_LACKING : all;
}

/* What a translation takes, but for what is rare, by the control: in steps
 * of a quarter of what parts two levels. NaN: more than is looked for. */
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

/* What translations cost, by the control. Where each of its steps is the first
 * in a page, it goes through the pages as the test does. */
static bool find_costs(const struct mp_ways_rig *rig,
		       const struct mp_ways_test *test,
		       const struct mp_exp *exp, const struct mp_exp *control,
		       struct mp_ways_costs *costs)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const uint64_t id = mp_exp_id(control);
	struct mp_batch late;

	mp_ways_costs_begin(costs, &rig->level);
	while ((batch = mp_view_next(rig->view, id, &at))) {
		if (mp_batch_counts(batch) &&
		    take_late(batch, &late))
			mp_ways_costs_add(costs, &late);
	}
	return mp_ways_costs_end(costs, FIT_SHARE * test->least *
				 lines_of_control(test, control),
				 exp->n_steps != control->n_steps);
}

/* Where were the hops served, one by one? None of them may have been inside. */
static enum mp_ways_outcome served_by(const struct mp_ways_rig *rig,
				      const struct mp_ways_test *test,
				      uint64_t id,
				      const struct mp_ways_costs *costs)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	struct mp_ways_served all = { .missed = 1, .between = 1 }, one;
	struct mp_batch late;

	while ((batch = mp_view_next(rig->view, id, &at))) {
		if (!mp_batch_counts(batch))
			continue;
		if (!take_late(batch, &late))
			return MP_WAYS_HIDDEN;
		mp_ways_costs_served(costs, &late, &one);
		mp_ways_served_worst(&all, &one);
	}
	if (!(all.may_be_inside < FLUSH_NONE / test->lines))
		return MP_WAYS_HIDDEN;
	if (all.may_miss < FIT_SHARE * test->least)
		return MP_WAYS_FIT;
	if (all.far >= FIT_SHARE * test->least)
		all.missed = all.between;
	return all.missed > MISS_SHARE * test->least ? MP_WAYS_MISS :
						       MP_WAYS_HIDDEN;
}

/* Of a test that is hidden, and of which the control has been made. */
static enum mp_ways_outcome look_served(const struct mp_ways_rig *rig,
					const struct mp_ways_test *test,
					uint32_t replicates)
{
	struct mp_exp exp, control;
	struct mp_ways_costs costs;
	enum mp_ways_outcome made;

	if (!mp_ways_flush_exp(rig, test, false, &exp) ||
	    !mp_ways_flush_exp(rig, test, true, &control))
		return MP_WAYS_HIDDEN;
	made = all_say(rig, test, mp_exp_id(&control), control_of_fit, 0,
		       replicates);
	if (made == MP_WAYS_LACKING)
		return made;
	return find_costs(rig, test, &exp, &control, &costs) ?
		       served_by(rig, test, mp_exp_id(&exp), &costs) :
		       MP_WAYS_HIDDEN;
}

/* Translations that miss would look like misses, and hits inside with them
 * like hits here: the control tells. Where they would, what they take there is
 * taken off. */
static enum mp_ways_outcome look(const struct mp_ways_rig *rig,
				 const struct mp_ways_test *test,
				 uint32_t replicates)
{
	const struct mp_ways_level *level = &rig->level;
	enum mp_ways_outcome own, control;
	double step = level->next_cycles - level->own_cycles, extra;
	one_says says = control_of_miss;
	struct mp_exp exp;
	uint64_t id;

	if (!mp_ways_flush_exp(rig, test, false, &exp))
		return MP_WAYS_UNCLEAR;
	id = mp_exp_id(&exp);
	own = all_say(rig, test, id, flushed_one, 0, replicates);
	if ((own != MP_WAYS_MISS && own != MP_WAYS_FIT) ||
	    !mp_ways_flush_exp(rig, test, true, &exp))
		return own == MP_WAYS_MISS || own == MP_WAYS_FIT ?
		       MP_WAYS_UNCLEAR : own;
	if (own == MP_WAYS_FIT) {
		says = control_of_fit;
		step = level->own_cycles - level->inner_cycles;
	}
	control = all_say(rig, test, mp_exp_id(&exp), says, 0, replicates);
	if (control != MP_WAYS_HIDDEN)
		return control == MP_WAYS_FIT ? own : control;
	extra = translation_by(rig, test, mp_exp_id(&exp), says, step / 4,
			       replicates);
	return !isnan(extra) &&
	       all_say(rig, test, id, flushed_one, extra, replicates) == own ?
	       own : MP_WAYS_HIDDEN;
}

enum mp_ways_outcome mp_ways_flush_look(struct mp_ways_rig *rig,
					const struct mp_ways_test *test,
					uint32_t replicates)
{
	enum mp_ways_outcome outcome;

	if (test->drive)
		return mp_ways_drive_look(rig, test, replicates);
	outcome = look(rig, test, replicates);
	return outcome == MP_WAYS_HIDDEN ? look_served(rig, test, replicates) :
					   outcome;
}
