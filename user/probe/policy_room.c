// SPDX-License-Identifier: GPL-2.0
/*
 * Which walks is there room for? Lines of a set lie in memory whose sets are
 * known, a level further out that may put them out has to hold them, and in
 * the control they have to stay in the innermost level. Large walks are tried
 * first, and lines that leave the levels inside all at once.
 */
#include "probe/policy_room.h"

#include <math.h>
#include <stdio.h>

#include "probe/policy_control.h"
#include "probe/ways_held.h"

#define HUGE_PAGE (2ull << 20)
/* Steps of a walk that drive lines out of the levels inside; the others empty
 * the set, and look. */
static const uint32_t leave_steps[] = { 320, 256, 192, 128, 96 };
#define LEAVE_STEPS (sizeof(leave_steps) / sizeof(leave_steps[0]))
#define LEAVE_STEPS_AMPLE 192u
/* So often lines have to leave them, for a walk to tell anything: all of them,
 * or those of one kind. */
#define LEAVES_LEAST 2u
#define LEAVES_LEAST_KIND 5u
/* Lines that do it return after so many thirds of the steps. */
#define LEAVE_LINES 4u
/* So many kinds are tried, and as many as lines. */
#define KINDS_MAX 16u

/* How lines of a control fill the innermost level: a part of its ways, or all;
 * only those that are looked at have to stay, or all; and whether few steps are
 * worth it. */
static const struct fill {
	double ways;
	bool spares;
	bool few;
} fills[] = {
	{ 0.75, false, false }, { 1, false, false }, { 1, true, false },
	{ 1, false, true },	{ 1, true, true },
};
#define FILLS (sizeof(fills) / sizeof(fills[0]))

/* What is in the way; what comes later is nearer to room. */
enum lack { NO_MEMORY, NO_OUTER, NO_CONTROL, NOTHING };

static const char *const reasons[] = {
	[NO_MEMORY] = "lines of a set lie further apart than there is memory",
	[NO_OUTER] = "a level further out has no room for the lines of a set, and may put them out of this one, too",
	[NO_CONTROL] = "the innermost level is too small to tell page walks from misses",
};

/* What a level further out has no room for, and holds all that levels inside
 * do, leaves these too: by its own policy. */
static bool fits_from(const struct mp_view *view,
		      const struct mp_policy_level *level,
		      const struct mp_policy_placed *placed, uint32_t k)
{
	const bool control = k <= level->k;

	for (; k < MP_CPU_LEVELS; k++) {
		const char *name = mp_cpu_level_name[k];
		const double ways = mp_cpu_value(view, name, "ways");
		const double line = mp_cpu_value(view, name, "line");
		const uint64_t way = isnan(ways) ? 0 :
						   mp_policy_way_bytes(view, k);

		if (way && mp_cpu_may_be(view, k, "inclusive") &&
		    !mp_policy_place_fits(level, placed, control, way,
					  (uint32_t)ways,
					  isnan(line) ? level->line :
							(uint32_t)line))
			return false;
	}
	return true;
}

/* With so many steps that drive lines out. */
static void take_steps(struct mp_policy_level *level, uint32_t steps)
{
	const uint32_t least = LEAVE_LINES * level->leave / (LEAVE_LINES - 1);
	const uint32_t visits = level->visits * level->shape.kinds;

	level->leave_most = steps;
	level->leave_lines = (steps + visits - 1) / visits;
	if (level->leave_lines < least)
		level->leave_lines = least;
}

static enum lack look_walk(const struct mp_view *view,
			   const struct mp_policy_level *level, uint64_t most)
{
	const uint64_t first = level->first_bytes +
			       (level->sets - 1) * level->set_bytes;
	const uint32_t leaves = level->shape.kinds > 1 ? LEAVES_LEAST_KIND :
							 LEAVES_LEAST;
	struct mp_policy_placed placed;

	if (level->leave * leaves > level->leave_most ||
	    !mp_policy_place_walk(level, &placed))
		return NO_CONTROL;
	if (first + mp_policy_place_bytes(&placed) > most)
		return NO_MEMORY;
	return fits_from(view, level, &placed, level->k + 1) ? NOTHING :
							       NO_OUTER;
}

static bool has_control(const struct mp_view *view,
			const struct mp_policy_level *level)
{
	struct mp_policy_placed placed;

	return mp_policy_place_control(level, &placed) &&
	       (!level->inner_spare || fits_from(view, level, &placed, 1));
}

/* Sets of the innermost level that are spared for what need not stay there; a
 * prefetcher would bring some of it to others. */
static bool find_spare(const struct mp_view *view,
		       struct mp_policy_level *level, bool spares)
{
	const uint64_t way = level->inner_way < MP_POLICY_PAGE ?
			     level->inner_way : MP_POLICY_PAGE;
	const uint32_t last = (uint32_t)(way / level->line / 2);

	level->inner_spare = 0;
	if (!spares)
		return has_control(view, level);
	if (mp_cpu_may_prefetch(view))
		return false;
	for (level->inner_spare = 1; level->inner_spare <= last;
	     level->inner_spare *= 2)
		if (has_control(view, level))
			return true;
	return false;
}

/* Walks of a shape: with as many steps as there is room for. */
static enum lack look_shape(const struct mp_view *view,
			    struct mp_policy_level *level, uint64_t most)
{
	const uint32_t n = level->leave ? LEAVE_STEPS : 1;
	enum lack lack[LEAVE_STEPS], best = NO_MEMORY;

	for (uint32_t i = 0; i < n; i++) {
		take_steps(level, leave_steps[i]);
		lack[i] = look_walk(view, level, most);
		best = lack[i] > best ? lack[i] : best;
	}
	for (uint32_t i = 0; i < FILLS * n && best == NOTHING; i++) {
		const struct fill *fill = &fills[i / n];
		const uint32_t steps = leave_steps[i % n];

		if (lack[i % n] != NOTHING ||
		    fill->few != (steps < LEAVE_STEPS_AMPLE))
			continue;
		take_steps(level, steps);
		level->inner_most = (uint32_t)ceil(fill->ways *
						   level->inner_ways);
		if (find_spare(view, level, fill->spares))
			return NOTHING;
	}
	return best == NOTHING ? NO_CONTROL : best;
}

/* Where slots begin within a page says on which set they fall; and each has
 * to stay in the page that it lies in. Where that leaves but one, pages do. The
 * first and the last lines of pages are what others like best. */
static void find_sets(struct mp_policy_level *level)
{
	const uint64_t page = mp_gcd(level->stride, MP_POLICY_PAGE);
	const uint64_t lines = page / level->line;
	const uint64_t most = MP_POLICY_SETS_MOST;

	level->sets = lines < 2 ? 1 : lines < most ? (uint32_t)lines :
						     (uint32_t)most;
	level->set_bytes = lines / level->sets * level->line;
	level->first_bytes = level->set_bytes / 2 / level->line * level->line;
	if (level->shape.kinds < 2 || level->sets > 1 ||
	    level->way_bytes <= most * MP_POLICY_PAGE)
		return;
	level->sets = MP_POLICY_SETS_MOST;
	level->set_bytes = MP_POLICY_PAGE;
	level->first_bytes = 0;
}

/* Lines of so many kinds lie that much nearer to each other. */
static void take_kinds(struct mp_policy_level *level, uint64_t kinds)
{
	struct mp_policy_shape *shape = &level->shape;
	const uint32_t lines = shape->narrow ? shape->looked :
					       mp_policy_shape_lines(shape);
	uint64_t all;

	level->own_bytes = level->stride = level->way_bytes;
	if (!level->k)
		return;
	all = mp_ways_lcm(level->way_bytes, level->inner_span);
	level->own_bytes = all / kinds;
	level->stride = kinds > 1 ? mp_gcd(level->way_bytes,
					   level->inner_span) :
				    level->inner_span;
	shape->kinds = kinds < lines ? (uint32_t)kinds : lines;
}

static enum lack look_shapes(const struct mp_view *view,
			     struct mp_policy_level *level, uint64_t kinds,
			     uint64_t most)
{
	enum lack lack = NO_MEMORY;

	for (uint32_t i = 0; i < MP_POLICY_SIZES && lack != NOTHING; i++) {
		enum lack now;

		mp_policy_shape_of(&level->shape, level->ways, level->visits,
				   i);
		level->shape.leave = level->leave;
		take_kinds(level, kinds);
		find_sets(level);
		now = look_shape(view, level, most);
		lack = now > lack ? now : lack;
	}
	return lack;
}

/* Sets that do not repeat in each huge page are known within one, or where more
 * of the memory was contiguous. Where there are none no sets are known, but for
 * those of a level that is indexed by virtual address. */
static uint64_t known_bytes(const struct mp_view *view,
			    const struct mp_policy_level *level)
{
	bool small = true;

	if (!level->k || (!(HUGE_PAGE % level->way_bytes) &&
			  !(HUGE_PAGE % level->inner_span)))
		return view->arena_max_bytes;
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_grant_arena *arena =
			&view->batch[i]->grant.arena[0];

		if (view->batch[i]->error || arena->bytes < HUGE_PAGE)
			continue;
		if (arena->contiguous && arena->bytes > HUGE_PAGE)
			return view->arena_max_bytes;
		small &= arena->pages == MP_PAGES_4K;
	}
	return small && view->n_batches ? view->arena_max_bytes : HUGE_PAGE;
}

/* What empties a set is in it until others take its place: while there is no room
 * for both further out, what an inclusive level puts out is its own choice. */
static bool is_cramped(const struct mp_view *view,
		       const struct mp_policy_level *level)
{
	struct mp_policy_level both = *level;
	struct mp_policy_placed placed;

	if (!level->shape.narrow || !mp_policy_place_walk(level, &placed))
		return false;
	both.shape.empty -= level->ways < both.shape.empty ?
			    level->ways : both.shape.empty;
	return !fits_from(view, &both, &placed, level->k + 1);
}

bool mp_policy_room_find(const struct mp_view *view,
			 struct mp_policy_level *level,
			 char why[MP_FACT_TEXT])
{
	const uint64_t known = known_bytes(view, level);
	const uint64_t all = level->k ? level->inner_span /
					mp_gcd(level->inner_span,
					       level->way_bytes) : 1;
	enum lack lack = look_shapes(view, level, 1, known), more = lack;

	for (uint32_t kinds = 2; kinds <= KINDS_MAX && more != NOTHING; kinds++)
		if (all % kinds == 0)
			more = look_shapes(view, level, kinds, known);
	if (more != NOTHING && all > KINDS_MAX)
		more = look_shapes(view, level, all, known);
	/* A level may be indexed by virtual address. */
	if (more != NOTHING && known < view->arena_max_bytes)
		more = lack = look_shapes(view, level, 1,
					  view->arena_max_bytes);
	if (more != NOTHING)
		snprintf(why, MP_FACT_TEXT, "%s", reasons[lack]);
	else
		level->cramped = is_cramped(view, level);
	return more == NOTHING;
}
