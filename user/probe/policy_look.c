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

#include "probe/policy_control.h"
#include "probe/ways_held.h"
#include "steps.h"

/* So many turns of its ways drive all lines out of the level inside, all but
 * one in twenty where victims are random. */
#define LEAVE_TURNS 3u
/* Lines that do it return no sooner than after so many turns. */
#define LEAVE_LINES 4u
/* Steps of a walk that do so; the others empty the set, and look. Fewer where
 * the control has no room for so many lines. */
static const uint32_t leave_steps[] = { 320, 256, 192, 128, 96 };

#define LEAVE_STEPS_MAX (leave_steps[0])
#define LEAVE_STEPS_AMPLE 192u
/* So often lines have to leave it, for a walk to tell anything. */
#define LEAVES_LEAST 2u
/* Ways that a walk has room for. */
#define WAYS_MAX 40u
/* Sizes are measured this well, or better: what a way has of them is the
 * nearest number with no odd factor beyond the greatest here. */
#define WAY_ERROR 0.03
#define WAY_FACTOR 15u
#define HUGE_PAGE (2ull << 20)
/* Of the ways of the innermost level lines of a control take a part, or all. */
#define CONTROL_WAYS 0.75
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

/* Bytes from line to line of a set: as probe ways saw them, or as size and
 * ways have it; 0 = they do not tell. Slots are so many bytes, or a multiple. */
static uint64_t way_of(const struct mp_view *view, uint32_t k, double size,
		       double ways)
{
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

/* Lines of the same set inside, but of another one here, for so many steps. */
static uint32_t leave_lines(const struct mp_policy_level *level,
			    uint32_t steps)
{
	const uint32_t least = LEAVE_LINES * level->leave / LEAVE_TURNS;
	const uint32_t most = (steps + level->visits - 1) / level->visits;

	return most > least ? most : least;
}

/* Sets of a level that slots so far apart fall on. */
static uint64_t sets_of(uint64_t way_bytes, uint64_t apart)
{
	return way_bytes / mp_ways_gcd(way_bytes, apart);
}

/* Lines have to leave the levels inside by others of the same sets there, and
 * of another set here. */
static bool find_inside(const struct mp_view *view,
			struct mp_policy_level *level, char why[MP_FACT_TEXT])
{
	uint32_t most = 0;

	level->stride = 1;
	for (uint32_t k = 0; k < level->k; k++) {
		const double size = measured(view, k, "size");
		const double ways = measured(view, k, "ways");
		uint64_t way;

		if (isnan(ways))
			return cannot(why, "the ways of the level inside, which hides this one, could not be counted");
		way = way_of(view, k, size, ways);
		if (!way)
			return cannot(why, "how far apart the lines of a set of the level inside are is not known");
		level->stride = mp_ways_lcm(level->stride, way);
		most = ways > most ? (uint32_t)ways : most;
	}
	level->apart = (uint32_t)sets_of(level->way_bytes, level->stride);
	if (level->apart < 2)
		return cannot(why, "what drives lines out of the level inside falls on the same set here");
	level->leave = LEAVE_TURNS * most;
	/* If they drove one another out here they might not stay inside for
	 * as long as it takes. */
	if (most > (level->apart - 1) * level->ways)
		return cannot(why, "there are too few sets for what drives lines out of the level inside");
	return true;
}

static uint32_t leave_slot(const struct mp_policy_level *level, uint32_t i)
{
	const uint32_t others = level->apart - 1;

	return i / others * (others + 1) + 1 + i % others;
}

static uint32_t own_lines(const struct mp_policy_level *level)
{
	return level->narrow ? mp_policy_walk_lines_narrow(level->ways) :
			       mp_policy_walk_lines(level->ways, level->visits);
}

/* Where the lines of a control go: those of the walk, then those that drive
 * them out. False: the innermost level has no room for all. */
static bool place_control(const struct mp_policy_level *level, uint32_t own,
			  uint32_t leaves, uint64_t *at)
{
	bool fits = own + leaves <= MP_EXP_STEPS;
	struct mp_policy_control control;
	uint32_t place[MP_POLICY_LINES];

	if (level->narrow)
		mp_policy_places_narrow(level->ways, place);
	else
		mp_policy_places(own, place);
	mp_policy_control_init(&control, level->line, level->inner_way,
			       level->inner_most);
	for (uint32_t i = 0; i < own + leaves && fits; i++) {
		const uint32_t slot = i < own ? place[i] * level->apart :
				      leave_slot(level, i - own);

		fits = mp_policy_control_place(&control, slot * level->stride,
					       &at[i]);
	}
	return fits;
}

/* All lines of a walk have to stay in the innermost level in its control, which
 * has to be full only where else few steps would be left. */
static bool find_control(struct mp_policy_level *level)
{
	const uint32_t own = own_lines(level);
	const uint32_t n = sizeof(leave_steps) / sizeof(leave_steps[0]);
	uint64_t at[MP_EXP_STEPS];

	for (uint32_t i = 0; i < 2 * n; i++) {
		const uint32_t steps = leave_steps[i % n];

		level->leave_most = steps;
		level->inner_most = i < n ? (uint32_t)ceil(CONTROL_WAYS *
							   level->inner_ways) :
					    level->inner_ways;
		if ((i >= n || !level->leave || steps >= LEAVE_STEPS_AMPLE) &&
		    level->leave * LEAVES_LEAST <= steps &&
		    place_control(level, own, level->leave ?
				  leave_lines(level, steps) : 0, at))
			return true;
	}
	return false;
}

static void find_innermost(const struct mp_view *view, double line,
			   struct mp_policy_level *level)
{
	const double ways = measured(view, 0, "ways");

	level->line = line > MP_STEPS_SLOT ? (uint32_t)line : MP_STEPS_SLOT;
	level->inner_way = way_of(view, 0, measured(view, 0, "size"), ways);
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

/* Where slots begin within a page says on which set they fall; and each has
 * to stay in the page that it lies in. */
static void find_sets(struct mp_policy_level *level)
{
	const uint64_t page = mp_ways_gcd(level->stride, MP_POLICY_PAGE);
	const uint64_t lines = page / level->line;

	level->sets = lines < 2 ? 1 : lines < MP_POLICY_SETS_MOST ?
				      (uint32_t)lines : MP_POLICY_SETS_MOST;
	level->set_bytes = lines / level->sets * level->line;
}

static bool may_be_inclusive(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, "inclusion");

	return !fact || fact->verdict != MP_MEASURED ||
	       !strcmp(fact->text, "inclusive");
}

/* What a level further out has no room for, and holds all that levels inside
 * do, leaves these too: by its own policy. It has to have room for all lines, or
 * for those that are there at once. */
static bool is_put_out(const struct mp_view *view,
		       const struct mp_policy_level *level)
{
	const uint32_t own = level->narrow ?
			     mp_policy_walk_at_once(level->ways) :
			     own_lines(level);
	const uint32_t all = own + (level->leave ?
				    leave_lines(level, level->leave_most) : 0);

	for (uint32_t i = level->k + 1; i < MP_CPU_LEVELS; i++) {
		const double ways = measured(view, i, "ways");
		uint64_t way;

		if (isnan(ways) || !may_be_inclusive(view, i))
			continue;
		way = way_of(view, i, measured(view, i, "size"), ways);
		if (way && (ways * (double)sets_of(way, level->stride) < all ||
			    ways * (double)sets_of(way, level->apart *
							level->stride) < own))
			return true;
	}
	return false;
}

/* Where lines are longer here than inside, the one that is fetched along with
 * another may be part of the same: a new line is used twice then. */
static bool is_used_twice(const struct mp_view *view, uint32_t k)
{
	const double here = measured(view, k, "line");

	return k && mp_cpu_may_prefetch(view) &&
	       !(here <= measured(view, k - 1, "line"));
}

/* What is in the way of walks; NULL: nothing. */
static const char *obstacle(const struct mp_view *view,
			    struct mp_policy_level *level)
{
	if (!find_control(level))
		return "the innermost level is too small to tell page walks from misses";
	return is_put_out(view, level) ?
	       "a level further out has no room for the lines of a set, and may put them out of this one, too" :
	       NULL;
}

/* Sets that do not repeat in each huge page are known within one, or where more
 * of the memory was contiguous. */
static bool fits_page(const struct mp_view *view,
		      const struct mp_policy_level *level)
{
	const uint64_t own = own_lines(level) * level->apart * level->stride;

	if (!level->k || level->repeats || own <= HUGE_PAGE)
		return true;
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_grant_arena *arena =
			&view->batch[i]->grant.arena[0];

		if (!view->batch[i]->error && arena->contiguous &&
		    arena->bytes > HUGE_PAGE)
			return true;
	}
	return false;
}

/* Walks in little room say less each. */
static bool find_room(const struct mp_view *view,
		      struct mp_policy_level *level, char why[MP_FACT_TEXT])
{
	const char *reason = obstacle(view, level);
	struct mp_policy_level narrow = *level;

	if (!reason && fits_page(view, level))
		return true;
	narrow.narrow = true;
	if (!obstacle(view, &narrow) && (reason || fits_page(view, &narrow))) {
		*level = narrow;
		return true;
	}
	return !reason || cannot(why, reason);
}

bool mp_policy_level_find(const struct mp_view *view, uint32_t k,
			  struct mp_policy_level *level,
			  char why[MP_FACT_TEXT])
{
	const double size = measured(view, k, "size");
	const double ways = measured(view, k, "ways");
	const double line = measured(view, 0, "line");

	*level = (struct mp_policy_level){ .k = k };
	if (k > 1 && isnan(ways))
		return cannot(why, "so far out, where lines may be hashed over slices, the level's ways could not be measured");
	if (isnan(ways))
		return cannot(why, "the level's ways could not be measured");
	if (ways < 2)
		return cannot(why, "with one way there is nothing to choose");
	if (ways > WAYS_MAX)
		return cannot(why, "a sequence has no room for the lines of a set so large");
	level->ways = (uint32_t)ways;
	level->way_bytes = way_of(view, k, size, ways);
	level->stride = level->way_bytes;
	level->apart = 1;
	level->repeats = level->way_bytes && !(HUGE_PAGE % level->way_bytes);
	if (!level->way_bytes)
		return cannot(why, "size and ways do not tell how far apart the lines of a set are");
	find_visits(view, level, line);
	if (line < MP_STEPS_SLOT / 2)
		return cannot(why, "lines so short hold too few steps of a sequence");
	if (!find_times(view, level))
		return cannot(why, "what a miss takes could not be measured");
	if (k && !find_inside(view, level, why))
		return false;
	find_innermost(view, line, level);
	if (is_used_twice(view, k))
		return cannot(why, "lines may be longer here than inside, and with a prefetcher new ones may be used twice");
	find_sets(level);
	return find_room(view, level, why);
}

/* -- experiments -------------------------------------------------------- */

bool mp_policy_level_halve(struct mp_policy_level *level)
{
	struct mp_policy_level halved = *level;
	const bool may = level->visits == MP_STEPS_VISITS;

	level->unsure = false;
	halved.unsure = false;
	halved.visits = MP_STEPS_VISITS / 2;
	if (!may || !find_control(&halved))
		return false;
	*level = halved;
	return true;
}

static uint32_t leaves_of(const struct mp_policy_walk *walk)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < walk->n; i++)
		n += walk->step[i].what == MP_POLICY_LEAVE;
	return n;
}

static uint32_t leaving_lines(const struct mp_policy_level *level,
			      const struct mp_policy_walk *walk)
{
	return level->apart < 2 ? 0 :
	       leave_lines(level, leaves_of(walk) * level->leave);
}

void mp_policy_look_walk(const struct mp_policy_level *level, uint32_t number,
			 struct mp_policy_walk *walk)
{
	uint64_t at[MP_EXP_STEPS];
	uint32_t steps = 0;

	if (level->narrow)
		mp_policy_walk_make_narrow(walk, level->ways, level->visits,
					   level->leave, MP_EXP_STEPS, number);
	else
		mp_policy_walk_make(walk, level->ways, level->visits,
				    level->leave, MP_EXP_STEPS, number);
	if (!level->leave ||
	    (level->leave_most == LEAVE_STEPS_MAX &&
	     place_control(level, walk->lines, leaving_lines(level, walk), at)))
		return;
	for (uint32_t i = 0; i < walk->n; i++) {
		steps += walk->step[i].what == MP_POLICY_LEAVE ? level->leave : 0;
		if (steps > level->leave_most)
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

/* @at: of a control, where its lines lie, in bytes; NULL: it is none. */
static void add_steps(const struct mp_policy_level *level,
		      const struct mp_policy_walk *walk, const uint64_t *at,
		      struct mp_exp *exp)
{
	static const uint32_t what[] = {
		[MP_POLICY_TOUCH] = MEMPROBE_STEP_TOUCH,
		[MP_POLICY_FLUSH] = MEMPROBE_STEP_FLUSH,
		[MP_POLICY_LOOK] = MEMPROBE_STEP_TIME,
	};
	const uint32_t lines = leaving_lines(level, walk);
	uint32_t place[MP_EXP_STEPS];
	uint32_t left = 0;

	if (lines)
		mp_policy_places(lines, place);
	for (uint32_t i = 0; i < walk->n; i++) {
		const struct mp_policy_step *step = &walk->step[i];

		if (step->what != MP_POLICY_LEAVE) {
			add_step(at ? at[step->line] / MP_STEPS_SLOT :
				      walk->place[step->line] * level->apart,
				 what[step->what], exp);
			continue;
		}
		for (uint32_t k = 0; k < level->leave; k++) {
			const uint32_t line = place[left++ % lines];

			add_step(at ? at[walk->lines + line] / MP_STEPS_SLOT :
				      leave_slot(level, line),
				 MEMPROBE_STEP_TOUCH, exp);
		}
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
	uint64_t at[MP_EXP_STEPS];

	if (control)
		place_control(level, walk->lines, leaving_lines(level, walk),
			      at);
	mp_exp_chase(exp, view->cpu, view->pages, 0,
		     control ? MP_STEPS_SLOT : level->stride, 0);
	actor->op = MP_OP_SEQUENCE;
	actor->warm_hops = 0;
	actor->bursts = bursts_for(level, view);
	/* The first and the last lines of pages are what others like best. */
	if (!control)
		actor->offset = set * level->set_bytes +
				level->set_bytes / 2 / level->line * level->line;
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	add_steps(level, walk, control ? at : NULL, exp);
	exp->arena[0].bytes = actor->offset + actor->length;
	/* Small arenas get no huge pages. */
	if (view->pages != MP_PAGES_4K)
		exp->arena[0].bytes += HUGE_PAGE - 1 -
				       (exp->arena[0].bytes - 1) % HUGE_PAGE;
}
