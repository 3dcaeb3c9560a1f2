// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over lines of one set, as experiments.
 *
 * A step is timed with a clock that may move in steps longer than a miss
 * takes. The same step of many bursts begins at any phase of the clock, so
 * that the mean tells what one reading hides. Lines of one set lie pages
 * apart and meet in the TLB, too: a control of the same pages, each line
 * moved to another set, says what a step takes where nothing is driven out.
 * What a miss takes more is known from latencies.
 */
#include "probe/policy_look.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/policy_room.h"
#include "probe/ways_held.h"
#include "steps.h"

/* So many turns of its ways drive all lines out of a level inside: three in
 * which ages of two bits rise from the youngest to the oldest, and one in which
 * the oldest go; all lines but one in 50 where any may go, and but one in 400
 * where that is known. Of LRU and trees one does, if it misses throughout. */
#define LEAVE_TURNS 4u
#define LEAVE_TURNS_RANDOM 6u
#define LEAVE_TURNS_LRU 2u
/* Ways that a walk has room for. */
#define WAYS_MAX 40u
/* Sizes are measured this well, or better: what a way has of them is the
 * nearest number with no odd factor beyond the greatest here. */
#define WAY_ERROR 0.03
#define WAY_FACTOR 15u
#define HUGE_PAGE (2ull << 20)
#define BURSTS_MIN 16u
#define BURSTS_MAX 512u
/* A clock's step spreads readings by half of it at most; the mean is to be
 * known to a tenth of what a miss takes. */
#define SPREAD 5.0

/* -- levels ------------------------------------------------------------- */

static double measured(const struct mp_view *view, uint32_t k,
		       const char *what)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, what);

	return fact && fact->verdict == MP_MEASURED ? fact->value : NAN;
}

static bool cannot(char why[MP_FACT_TEXT], const char *reason)
{
	snprintf(why, MP_FACT_TEXT, "%s", reason);
	return false;
}

/* The nearest whole number of slots without large odd factors. Where none is
 * near: what was measured, if it is a whole number; else 0. */
static uint64_t round_way(double bytes)
{
	const uint64_t exact = fmod(bytes, MP_STEPS_SLOT) > 0 ? 0 :
							(uint64_t)bytes;
	uint64_t best = 0;

	for (uint64_t odd = 1; odd <= WAY_FACTOR; odd += 2) {
		const double power = exp2(round(log2(bytes / (double)odd)));
		const uint64_t way = (uint64_t)power * odd;

		if (way % MP_STEPS_SLOT == 0 &&
		    fabs((double)way - bytes) < fabs((double)best - bytes))
			best = way;
	}
	return fabs((double)best - bytes) <= WAY_ERROR * bytes ? best : exact;
}

/* As probe ways saw them, or as size and ways have it. */
uint64_t mp_policy_way_bytes(const struct mp_view *view, uint32_t k)
{
	const double size = measured(view, k, "size");
	const double ways = measured(view, k, "ways");
	const struct mp_series *series;
	char name[MP_FACT_NAME];
	uint64_t span;

	snprintf(name, sizeof(name), "cpu.%s.ways", mp_cpu_level_name[k]);
	series = mp_facts_find_series(view->facts, name);
	if (!series || !series->n)
		return isnan(size) ? 0 : round_way(size / ways);
	span = (uint64_t)series->point[0].x;
	while (span % MP_STEPS_SLOT)
		span *= 2;
	return span;
}

static bool find_times(const struct mp_view *view,
		       struct mp_policy_level *level)
{
	const double own = mp_cpu_value(view, mp_cpu_level_name[level->k],
					"latency");
	double next = mp_cpu_value(view, mp_cpu_level_name[level->k + 1],
				   "latency");

	if (isnan(next) && !level->k)
		next = mp_cpu_rises_to(view) * own /
		       mp_cpu_value(view, mp_cpu_level_name[0],
				    "latency-cycles");
	if (isnan(next))
		next = mp_cpu_value(view, "dram", "latency");
	level->more_ns = own - mp_cpu_value(view, mp_cpu_level_name[0],
					    "latency");
	level->inside_ns = !level->k ? 0 :
			   own - mp_cpu_value(view,
					mp_cpu_level_name[level->k - 1],
					"latency");
	level->miss_ns = next - own;
	return level->more_ns >= 0 && level->miss_ns > 0;
}

static bool is_told(const struct mp_view *view, uint32_t k,
		    const char *inclusion)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, "inclusion");

	return fact && fact->verdict == MP_MEASURED &&
	       !strcmp(fact->text, inclusion);
}

static uint32_t leave_turns(uint32_t class)
{
	if (class == MP_POLICY_RANDOM)
		return LEAVE_TURNS_RANDOM;
	return class == MP_POLICY_LRU || class == MP_POLICY_PLRU ?
	       LEAVE_TURNS_LRU : LEAVE_TURNS;
}

static bool has_outer(const struct mp_view *view, uint32_t k)
{
	for (k++; k < MP_CPU_LEVELS; k++)
		if (!isnan(measured(view, k, "latency")) &&
		    mp_cpu_may_be(view, k, "inclusive"))
			return true;
	return false;
}

/* Of a level, or of memory behind the last one. */
static double latency_of(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *size = k < MP_CPU_LEVELS ?
				     mp_cpu_found(view, k, "size") : NULL;

	return k >= MP_CPU_LEVELS || (size && size->verdict == MP_ABSENT) ?
	       mp_cpu_value(view, "dram", "latency") :
	       measured(view, k, "latency");
}

/* What a level does not include another one may lose without harm. */
static void find_lost(const struct mp_view *view, struct mp_policy_level *level)
{
	const double own = latency_of(view, level->k);
	uint32_t k = level->k + 1;
	double last, behind;

	level->outer = has_outer(view, level->k);
	level->lost_ns = level->lost_apart_ns = NAN;
	while (k < MP_CPU_LEVELS && !mp_cpu_may_be(view, k, "inclusive"))
		k++;
	if (k >= MP_CPU_LEVELS || k == level->k + 1)
		return;
	last = latency_of(view, k);
	behind = latency_of(view, k + 1);
	if (!(behind > last))
		return;
	level->lost_ns = (last + behind) / 2 - own;
	level->lost_apart_ns = (behind - last) / 2;
}

/* What it takes to go through the ways of the levels inside. What one puts out
 * goes to the next one first, if that may be exclusive. */
static bool find_leave(const struct mp_view *view, const uint32_t *inside,
		       struct mp_policy_level *level, char why[MP_FACT_TEXT])
{
	uint32_t held = 0, steps = 0;

	for (uint32_t k = 0; k < level->k; k++) {
		const double ways = measured(view, k, "ways");
		const bool adds = k && mp_cpu_may_be(view, k, "exclusive");
		uint64_t way;

		if (isnan(ways))
			return cannot(why, "the ways of the level inside, which hides this one, could not be counted");
		way = mp_policy_way_bytes(view, k);
		if (!way)
			return cannot(why, "how far apart the lines of a set of the level inside are is not known");
		level->inner_span = k ? mp_ways_lcm(level->inner_span, way) :
					way;
		held = (uint32_t)ways + (adds && is_told(view, k, "exclusive") ?
					 held : 0);
		steps = (uint32_t)ways * leave_turns(inside[k]) +
			(adds ? steps : 0);
		if (held > level->leave_least)
			level->leave_least = held;
		if (steps > level->leave)
			level->leave = steps;
	}
	return true;
}

/* Lines have to leave the levels inside by others of the same sets there, and
 * of another set here. */
static bool find_inside(const struct mp_view *view, const uint32_t *inside,
			struct mp_policy_level *level, char why[MP_FACT_TEXT])
{
	uint64_t around;

	if (!find_leave(view, inside, level, why))
		return false;
	around = mp_policy_place_around(level);
	if (around < 2)
		return cannot(why, "what drives lines out of the level inside falls on the same set here");
	/* If they drove one another out here they might not stay inside for
	 * as long as it takes. */
	if (mp_cpu_may_be(view, level->k, "inclusive") &&
	    level->leave_least > (around - 1) * level->ways)
		return cannot(why, "there are too few sets for what drives lines out of the level inside");
	return true;
}

static void find_innermost(const struct mp_view *view, double line,
			   struct mp_policy_level *level)
{
	const double ways = measured(view, 0, "ways");

	level->line = line > MP_STEPS_SLOT ? (uint32_t)line : MP_STEPS_SLOT;
	level->inner_way = mp_policy_way_bytes(view, 0);
	level->inner_ways = (uint32_t)ways;
}

/* A slot is two lines where these are that short, or two sectors. */
static void find_visits(const struct mp_view *view,
			struct mp_policy_level *level, double line)
{
	level->visits = line < MP_STEPS_SLOT ? MP_STEPS_VISITS / 2 :
					       MP_STEPS_VISITS;
	for (uint32_t i = 0; i <= level->k; i++) {
		const double sector = measured(view, i, "sector");

		if (sector < MP_STEPS_SLOT)
			level->visits = MP_STEPS_VISITS / 2;
		level->unsure |= isnan(sector);
	}
	level->unsure &= level->visits == MP_STEPS_VISITS;
}

/* Where lines are longer here than inside, the one that is fetched along with
 * another may be part of the same: a new line is used twice then. */
static bool is_used_twice(const struct mp_view *view, uint32_t k)
{
	const double here = measured(view, k, "line");

	return k && mp_cpu_may_prefetch(view) &&
	       !(here <= measured(view, k - 1, "line"));
}

bool mp_policy_level_find(const struct mp_view *view, uint32_t k,
			  const uint32_t *inside,
			  struct mp_policy_level *level,
			  char why[MP_FACT_TEXT])
{
	const double ways = measured(view, k, "ways");
	const double line = measured(view, 0, "line");

	*level = (struct mp_policy_level){
		.k = k,
	};
	find_lost(view, level);
	if (k > 1 && isnan(ways))
		return cannot(why, "so far out, where lines may be hashed over slices, the level's ways could not be measured");
	if (isnan(ways))
		return cannot(why, "the level's ways could not be measured");
	if (ways < 2)
		return cannot(why, "with one way there is nothing to choose");
	if (ways > WAYS_MAX)
		return cannot(why, "a sequence has no room for the lines of a set so large");
	level->ways = (uint32_t)ways;
	level->way_bytes = mp_policy_way_bytes(view, k);
	level->repeats = level->way_bytes && !(HUGE_PAGE % level->way_bytes);
	if (!level->way_bytes)
		return cannot(why, "size and ways do not tell how far apart the lines of a set are");
	find_visits(view, level, line);
	if (line < MP_STEPS_SLOT / 2)
		return cannot(why, "lines so short hold too few steps of a sequence");
	if (!find_times(view, level))
		return cannot(why, "what a miss takes could not be measured");
	if (k && !find_inside(view, inside, level, why))
		return false;
	find_innermost(view, line, level);
	if (is_used_twice(view, k))
		return cannot(why, "lines may be longer here than inside, and with a prefetcher new ones may be used twice");
	return mp_policy_room_find(view, level, why);
}

/* -- experiments -------------------------------------------------------- */

bool mp_policy_level_halve(const struct mp_view *view,
			   struct mp_policy_level *level)
{
	struct mp_policy_level halved = *level;
	const bool may = level->visits == MP_STEPS_VISITS;
	char why[MP_FACT_TEXT];

	level->unsure = false;
	halved.unsure = false;
	halved.visits = MP_STEPS_VISITS / 2;
	if (!may || !mp_policy_room_find(view, &halved, why))
		return false;
	*level = halved;
	return true;
}

static uint32_t kind_of(const struct mp_policy_level *level,
			const struct mp_policy_walk *walk, uint32_t line)
{
	return walk->place[line] % level->shape.kinds;
}

void mp_policy_look_walk(const struct mp_policy_level *level, uint32_t number,
			 struct mp_policy_walk *walk)
{
	const uint32_t leave = level->shape.leave;
	const uint32_t most = level->leave_lines * level->visits;
	uint32_t steps[MP_POLICY_LINES] = { 0 };
	uint32_t all = 0;

	mp_policy_walk_make(walk, &level->shape, number);
	for (uint32_t i = 0; i < walk->n; i++) {
		const uint32_t kind = kind_of(level, walk, walk->step[i].line);

		if (walk->step[i].what != MP_POLICY_LEAVE)
			continue;
		all += leave;
		steps[kind] += leave;
		if (all > level->leave_most || steps[kind] > most)
			walk->n = i;
	}
}

static void add_step(uint64_t slot, uint32_t what, struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[0];

	if (actor->length < (slot + 1) * actor->stride)
		actor->length = (slot + 1) * actor->stride;
	exp->steps[exp->n_steps++] = (uint32_t)slot << 2 | what;
}

static void add_steps(const struct mp_policy_level *level,
		      const struct mp_policy_walk *walk,
		      const struct mp_policy_placed *placed, struct mp_exp *exp)
{
	static const uint32_t what[] = {
		[MP_POLICY_TOUCH] = MEMPROBE_STEP_TOUCH,
		[MP_POLICY_FLUSH] = MEMPROBE_STEP_FLUSH,
		[MP_POLICY_LOOK] = MEMPROBE_STEP_TIME,
	};
	const uint64_t stride = exp->actor[0].stride;
	uint32_t left[MP_POLICY_LINES] = { 0 };

	for (uint32_t i = 0; i < walk->n; i++) {
		const struct mp_policy_step *step = &walk->step[i];
		const uint32_t kind = kind_of(level, walk, step->line);
		const uint64_t *leaves = placed->at + placed->own +
					 kind * placed->leaves;

		if (step->what != MP_POLICY_LEAVE) {
			add_step(placed->at[step->line] / stride,
				 what[step->what], exp);
			continue;
		}
		for (uint32_t n = 0; n < level->shape.leave; n++)
			add_step(leaves[left[kind]++ % placed->leaves] / stride,
				 MEMPROBE_STEP_TOUCH, exp);
	}
}

/* As the first batch of the run says, so that it is the same each time. */
static uint32_t bursts_for(const struct mp_policy_level *level,
			   const struct mp_view *view)
{
	uint32_t bursts = BURSTS_MIN;
	double steps = 0;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_grant *grant = &view->batch[i]->grant;

		if (view->batch[i]->error || !(grant->tick_hz > 0))
			continue;
		steps = (double)grant->tick_step /
			(level->miss_ns * 1e-9 * grant->tick_hz);
		break;
	}
	while (bursts < BURSTS_MAX &&
	       bursts * MP_POLICY_LOOK_REPLICATES <
		       SPREAD * SPREAD * steps * steps)
		bursts *= 2;
	return bursts;
}

void mp_policy_look_exp(const struct mp_policy_level *level,
			const struct mp_view *view,
			const struct mp_policy_walk *walk, uint32_t set,
			struct mp_exp *exp)
{
	const bool control = set == MP_POLICY_CONTROL;
	struct mp_actor *actor = &exp->actor[0];
	struct mp_policy_placed placed;

	if (control)
		mp_policy_place_control(level, &placed);
	else
		mp_policy_place_walk(level, &placed);
	mp_exp_chase(exp, view->cpu, view->pages, 0,
		     control ? MP_STEPS_SLOT : level->stride, 0);
	actor->op = MP_OP_SEQUENCE;
	actor->warm_hops = 0;
	actor->bursts = bursts_for(level, view);
	if (!control)
		actor->offset = level->first_bytes + set * level->set_bytes;
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	add_steps(level, walk, &placed, exp);
	exp->arena[0].bytes = actor->offset + actor->length;
	/* Small arenas get no huge pages. */
	if (view->pages != MP_PAGES_4K)
		exp->arena[0].bytes += HUGE_PAGE - 1 -
				       (exp->arena[0].bytes - 1) % HUGE_PAGE;
}
