// SPDX-License-Identifier: GPL-2.0
/*
 * Levels so near each other that rings show no plateau between them: a few
 * lines, which are timed each time that others have been walked.
 *
 * A ring that a level cannot hold misses some of its hops there and finds the
 * others, by whom the level throws out and how lines lie: so its edge is as
 * wide as its policy makes it, and the edge of the next may begin in it. W is
 * such a ring, and T a few lines beside it. W is walked for several turns and T
 * once. Where both fit, T is found where it was left. Where they do not, each
 * turn of W throws lines out, whichever the policy chooses, and T does not come
 * back between: after some turns nothing of it is left. So T goes from level to
 * level within a few lines of the capacity, and between two edges it takes what
 * the one level takes. And T is timed as a whole, so that a clock's step is no
 * matter.
 *
 * Where pages are thrown at random some sets have too many lines before the
 * level is full, which blurs these edges as it does those of rings.
 */
#include "probe/cpu_after.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/clock.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_explained.h"
#include "probe/cpu_groups.h"
#include "probe/cpu_lines.h"
#include "probe/cpu_parted.h"
#include "probe/cpu_stairs.h"

/* From beyond the edge inside the level in doubt to so far beyond the last. */
#define FROM 1024.0
#define CLEAR 1.06
#define BEYOND 2.1
/* A level so far beyond the one inside leaves stairs room for their last one. (Its
 * latency wants more, or is not told: latency_rings.c.) */
#define FAR_BEYOND 4.0
#define REPLICATES 6u
/* Where prefetchers stay on, to no more: few lines want many visits. */
#define BROUGHT_TO (2u << 20)
/* Fewer lengths draw no curve. */
#define LENGTHS_MIN 10u
#define SHARP_WAYS 16u
/* Lengths at the end of a stair may be those of a gentle edge: no longer than one of
 * so many before, but for so many just before, they are not. */
#define BEFORE 16u
#define BESIDE 2u
#define RETREAT 6u
/* W rests where so many lengths in a row take the same, and no more than so many times
 * as long as T: that is due to translations, as misses would grow with the length. */
#define RESTS 4u
#define RESTS_SAME 0.005
#define RESTS_MOST 1.1
/* Of what a level holds T is much if it is more than this. */
#define MUCH 0.1
/* Edges of rings and stairs that are the same, and what they take. */
#define NEAR 1.2
#define SAME_CYCLES 1.05
#define LENGTHS_MAX 64u
/* Lengths that show a level whose edges rings know: so far from both. */
#define ALONE_LENGTHS 3u
#define ALONE_MIN 2u
#define ALONE_REPLICATES 6u
#define ALONE_FEW 64u
#define ALONE_ROUNDS 6u
/* .. and not far beyond the one inside; of all of them no more hops. */
#define ALONE_SPAN 1.6
#define ALONE_HOPS 8e6
#define ALONE_BEYOND 1.15
#define ALONE_WITHIN 0.85
/* .. and W puts so many times what the level inside holds into it: one that goes by
 * use misses few of its hops, and T stays. */
#define ALONE_THROUGH 2.5
/* Edges may have moved so far since. */
#define ALONE_MOVED 1.08

/* -- which levels ----------------------------------------------------------- */

static double middle_of(const struct mp_curve *curve, uint32_t i)
{
	return mp_curve_middle(&curve->at[i]);
}

static double length_at(const struct mp_curve *curve, uint32_t i)
{
	return (double)curve->at[i].length;
}

static uint32_t sharp_shape(const struct mp_miss_table *table)
{
	uint32_t i = 0;

	while (i + 1 < MP_MISS_SHAPES &&
	       (table->shape[i].scatter != 0 || table->shape[i].ways < SHARP_WAYS ||
		table->shape[i].policy != MP_MISS_LRU))
		i++;
	return i;
}

/* Cycles of a hop of W. */
static double walked(const struct mp_curve_at *at)
{
	double sum = 0;

	for (uint32_t i = 0; i < at->n; i++)
		sum += mp_clock_cycles(at->batch[i],
				       mp_clock_hop_ticks(at->batch[i], MP_LINES_W));
	return sum / at->n;
}

/* Does T take longer than at all lengths of the stair before, but for those just
 * before, which may be no more of it? */
static bool is_longest(const struct mp_curve *curve, uint32_t first, uint32_t i)
{
	double most = 0;

	for (uint32_t j = i < first + BEFORE ? first : i - BEFORE; j + BESIDE < i; j++)
		most = fmax(most, middle_of(curve, j));
	return middle_of(curve, i) > most * (1 + MP_CPU_CLOCK_ERROR);
}

/* W takes less where it is held as T is. */
static double held_most(const struct mp_curve *curve, const struct mp_cpu_stair *stair)
{
	return stair->cycles * (1 + MP_CPU_STAIR_SAME) + mp_cpu_stairs_off(curve);
}

/* The last length of a stair at which W rests above it, nearly as it did at first; the
 * stair's first one, if it does not. */
static uint32_t last_rest(const struct mp_curve *curve, const struct mp_cpu_stair *stair)
{
	uint32_t last = stair->first;
	double rest = INFINITY;

	for (uint32_t i = stair->first; i + RESTS <= stair->last + 1; i++) {
		const double cycles = walked(&curve->at[i]);
		uint32_t n = 1;

		while (n < RESTS && fabs(walked(&curve->at[i + n]) - cycles) <
				    cycles * RESTS_SAME)
			n++;
		if (n < RESTS || !(cycles >= stair->cycles &&
				   cycles < stair->cycles * RESTS_MOST) ||
		    cycles > rest * (1 + MP_CPU_STAIR_SAME))
			continue;
		rest = fmin(cycles, rest);
		last = i + n - 1;
	}
	return last;
}

/* The last length of a stair that is held whole: what a walk does not use is
 * spared by policies that go by use, and T may stay where W does not fit. And
 * where any line may go, few of T do at first. */
static uint32_t last_held(const struct mp_curve *curve, const struct mp_cpu_stair *stair)
{
	uint32_t i = last_rest(curve, stair);

	while (i < stair->last && walked(&curve->at[i + 1]) < held_most(curve, stair))
		i++;
	for (uint32_t few = 0; few < RETREAT && i > stair->first + BESIDE + 1 &&
			       is_longest(curve, stair->first, i); few++)
		i--;
	return i;
}

static bool is_much(const struct mp_curve *curve, uint32_t i)
{
	const struct mp_actor *t = &curve->at[i].batch[0]->exp.actor[MP_LINES_T];

	return (double)t->length > MUCH * length_at(curve, i);
}

/* What is surely held of a length: T may lie far apart, and in some sets alone or not. */
static double held_at(const struct mp_curve *curve, uint32_t i)
{
	const struct mp_actor *actor = curve->at[i].batch[0]->exp.actor;
	const struct mp_actor *w = &actor[MP_LINES_W], *t = &actor[MP_LINES_T];

	return t->offset == w->length ? length_at(curve, i) :
	       (double)(w->length + t->length / t->stride * w->stride);
}

/* What lies between two stairs is the edge of a level. */
static void put_level(const struct mp_curve *curve, const struct mp_cpu_stair *stair,
		      uint32_t k, struct mp_cpu_edges *edges)
{
	const double half = (stair[0].cycles + stair[1].cycles) / 2;
	const uint32_t held = last_held(curve, stair);
	const double low = held_at(curve, held);
	const double high = length_at(curve, stair[1].first);
	struct mp_level *level = &edges->level[k];
	uint32_t i = held;

	while (i < stair[1].first && middle_of(curve, i + 1) < half)
		i++;
	/* Where T is much of what it holds, T begins to leave it when it is full. */
	*level = (struct mp_level){
		.size_bytes = is_much(curve, held) ?
			      fmin(length_at(curve, i), low * pow(high / low, 0.25)) :
			      length_at(curve, i),
		.low_bytes = low, .high_bytes = high,
		.latency = stair[0].cycles,
	};
	edges->edge[k] = (struct mp_edge){
		.size = level->size_bytes, .low = low, .high = high,
		.inside = stair[0].cycles, .outside = stair[1].cycles,
		.shape = sharp_shape(edges->table),
	};
	edges->fitted[k] = true;
	/* Lines that levels inside keep for good this one need not hold. Translations that
	 * make W rest above T may hide as many. */
	if (k) {
		const double w = walked(&curve->at[held]);
		const double less = w > held_most(curve, stair) ? w - stair[0].cycles :
								  stair[0].cycles - w;
		const double kept = less / (stair[0].cycles - edges->edge[k - 1].inside);

		edges->after_kept[k] = fmin(fmax(kept, 0), 1);
	}
}

/* Levels that others share move while they are looked at. @last: level looked at. */
bool mp_cpu_after_can(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t last)
{
	return view->caps & MP_CAP_PHASES && !edges->single && edges->n &&
	       edges->muddled >= edges->n &&
	       (!last || mp_cpu_has_sides(edges, last));
}

/* The last level from the one in doubt on that is not far beyond the one inside:
 * levels further out rings know well enough. */
static uint32_t last_asked(const struct mp_cpu_edges *edges)
{
	uint32_t k = edges->doubt.level;

	while (k + 1 < edges->n && edges->level[k + 1].low_bytes <
				   edges->level[k].high_bytes * FAR_BEYOND)
		k++;
	return k;
}

/* Where prefetchers stay on few lines lie far apart: do the shortest rings that leave room
 * for them fit into the level in doubt, and are the longest no longer than is asked for? */
static bool leave_room(const struct mp_view *view, const struct mp_cpu_edges *edges)
{
	const uint32_t k = edges->doubt.level;
	const double least = k ? edges->level[k - 1].high_bytes * CLEAR * MP_CPU_STAIRS_SHARP :
				 edges->level[0].low_bytes;
	struct mp_lines_rig rig;

	mp_lines_rig(view, edges, &rig);
	return (double)mp_lines_least(&rig) <= least &&
	       edges->level[last_asked(edges)].high_bytes * BEYOND <= BROUGHT_TO;
}

static bool is_asked(const struct mp_view *view, const struct mp_cpu_edges *edges)
{
	return edges->flat && edges->doubt.level < edges->n &&
	       mp_cpu_after_can(view, edges, last_asked(edges)) &&
	       (!mp_cpu_may_prefetch(view) || leave_room(view, edges));
}

int mp_cpu_after_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	double step;
	struct mp_lines_rig rig;
	int err = 0;

	if (!(edges->after_to > 0))
		return 0;
	mp_lines_rig(view, edges, &rig);
	step = mp_lines_from(edges->after_from);
	for (; step <= mp_lines_to(edges->after_to) && !err; step++)
		err = mp_lines_want(view, &rig, mp_lines_length(&rig, step),
				    REPLICATES, plan);
	if (!err && edges->after_wide.high > 0)
		err = mp_cpu_parted_plan(view, &rig, &edges->after, &edges->after_wide,
					 plan);
	return err;
}

/* Is each edge that rings have one of the stairs', too? */
static bool are_all(const struct mp_cpu_edges *rings,
		    const struct mp_cpu_edges *found, uint32_t from)
{
	for (uint32_t k = 0; k <= last_asked(rings); k++) {
		const struct mp_level *ring = &rings->level[k];
		uint32_t i = from;

		if (k == rings->doubt.level || ring->high_bytes < rings->after_from)
			continue;
		while (i < found->n &&
		       (found->level[i].high_bytes * NEAR < ring->low_bytes ||
			found->level[i].low_bytes > ring->high_bytes * NEAR))
			i++;
		if (i == found->n)
			return false;
	}
	return true;
}

/* The levels of rings from @from on are those from @to on. */
static void put_outer(const struct mp_cpu_edges *rings, uint32_t from,
		      uint32_t to, struct mp_cpu_edges *found)
{
	for (; from < rings->n; from++, to++) {
		found->level[to] = rings->level[from];
		found->edge[to] = rings->edge[from];
		found->fitted[to] = rings->fitted[from];
		found->width[to] = rings->width[from];
		found->by[to] = rings->by[from];
		found->group[to] = rings->group[from];
	}
	found->n = to;
}

/* Where stairs part over many lengths another level may hide there, unless rings have
 * an edge there from the one to the other, beyond the level before. Return: which; 0:
 * none. */
static uint32_t rest_of(const struct mp_cpu_edges *edges, const struct mp_cpu_edges *found,
			const struct mp_cpu_stair *stair, uint32_t k)
{
	const struct mp_curve *curve = &edges->after;

	for (uint32_t i = edges->doubt.level + 1; i <= last_asked(edges); i++) {
		const struct mp_edge *edge = &edges->edge[i];

		if (k + edges->n - i <= MP_CPU_LEVELS && edges->fitted[i] &&
		    edge->low * NEAR >= found->edge[k - 1].high &&
		    edge->low <= length_at(curve, stair[1].first) &&
		    edge->high >= length_at(curve, stair[0].last) &&
		    fabs(log(edge->inside / stair[0].cycles)) < log(SAME_CYCLES) &&
		    fabs(log(edge->outside / stair[1].cycles)) < log(SAME_CYCLES))
			return i;
	}
	return 0;
}

/* .. and what rings leave in doubt of those that were not asked about. */
static void doubt_from(const struct mp_view *view, uint32_t k, struct mp_cpu_edges *found)
{
	while (k < found->n && mp_cpu_is_sound(view, found, k))
		k++;
	if (k < found->n)
		found->doubt = (struct mp_cpu_doubt){
			.level = k,
			.size = { found->level[k].low_bytes, found->level[k].size_bytes },
		};
}

/* .. or the level before is told, and this one, which has been put, may be two. */
static void leave_broad(const struct mp_curve *curve, const struct mp_cpu_stair *stair,
			uint32_t n, uint32_t sharp, uint32_t k, struct mp_cpu_edges *found)
{
	for (uint32_t i = sharp + 1; i + 1 < n; i++)
		put_level(curve, &stair[i], k + i, found);
	found->doubt = (struct mp_cpu_doubt){
		.level = k + sharp,
		.size = { found->level[k + sharp].low_bytes,
			  found->level[k + sharp].high_bytes },
		.wide = true,
	};
}

/* May another level hide in an edge between two stairs, the second of which is @next? */
static bool may_hide(const struct mp_curve *curve, const struct mp_edge *edge,
		     const struct mp_cpu_stair *next)
{
	const double off = mp_cpu_stairs_off(curve);
	const struct mp_edge most = { .inside = fmax(edge->inside - off, 0),
				      .outside = edge->outside + off };

	return (edge->high > edge->low * MP_CPU_STAIRS_SHARP || next->sloped) &&
	       mp_cpu_has_room(&most);
}

/* Is edge @k, which has been put, that of one level alone? Else it is kept, too, as the
 * one to be looked at. */
static bool is_one(const struct mp_view *view, const struct mp_cpu_stair *next, uint32_t k,
		   struct mp_cpu_edges *edges, int *err)
{
	const struct mp_edge *edge = &edges->edge[k];
	struct mp_lines_rig rig;
	bool parted;

	if (!may_hide(&edges->after, edge, next))
		return true;
	edges->after_wide = *edge;
	mp_lines_rig(view, edges, &rig);
	*err = mp_cpu_parted(view, &rig, &edges->after, edge, &parted);
	return parted;
}

/* Few lines that lie far apart are much of a short ring, and not asked for: do those that
 * were begin beyond a level? */
static bool is_late(const struct mp_cpu_edges *edges, const struct mp_cpu_stair *first)
{
	double least = mp_cpu_innermost(edges);

	if (isnan(least))
		least = edges->edge[0].inside;
	return edges->doubt.level ?
	       length_at(&edges->after, 0) > edges->after_from * MP_CPU_STAIRS_SHARP :
	       first->cycles > least * MP_CPU_STAIR_RISES + mp_cpu_stairs_off(&edges->after);
}

/* Stairs that may be those of levels from the one in doubt on. Return: how many; 0 */
static uint32_t stairs_of(const struct mp_cpu_edges *edges, struct mp_cpu_stair *stair)
{
	const uint32_t k = edges->doubt.level, n = mp_cpu_stairs_find(&edges->after, stair);
	const double least = k ? edges->edge[k - 1].inside * MP_CPU_STAIR_RISES : 0;

	/* One that hides has hops where the stairs have none. */
	if (n < 2 || (edges->doubt.unseen > 0 && n < 3))
		return 0;
	/* The first stair is what the level in doubt takes, no less and no more. */
	return stair[0].cycles < least || is_late(edges, &stair[0]) ||
	       mp_cpu_stairs_short(&edges->after, least, &stair[0]) ? 0 : n;
}

/* The levels that stairs show, from the one in doubt on. */
static bool find_levels(const struct mp_view *view, const struct mp_cpu_edges *edges,
			struct mp_cpu_edges *found, int *err)
{
	const struct mp_curve *curve = &edges->after;
	const uint32_t k = edges->doubt.level;
	uint32_t outer = last_asked(edges) + 1, sharp = 0, rest;
	struct mp_cpu_stair stair[MP_CPU_STAIRS];
	uint32_t n = stairs_of(edges, stair);

	*found = *edges;
	found->after_wide = (struct mp_edge){ 0 };
	if (!n || k + n - 1 + edges->n - outer > MP_CPU_LEVELS)
		return false;
	while (sharp + 1 < n && !*err) {
		put_level(curve, &stair[sharp], k + sharp, found);
		if (!is_one(view, &stair[sharp + 1], k + sharp, found, err))
			break;
		sharp++;
	}
	if (!sharp || *err)
		return false;
	rest = sharp + 2 == n ? rest_of(edges, found, &stair[sharp], k + sharp) : 0;
	found->doubt = (struct mp_cpu_doubt){ .level = MP_CPU_LEVELS };
	if (rest) {
		outer = rest;
		n = sharp + 1;
	}
	put_outer(edges, outer, k + n - 1, found);
	if (sharp + 1 < n)
		leave_broad(curve, stair, n, sharp, k, found);
	for (uint32_t i = k; i < k + n - 1; i++) {
		found->by[i] = MP_CPU_BY_MEANS;
		found->width[i] = 0;
		found->group[i] = edges->group[k];
	}
	if (found->groups.n)
		mp_cpu_groups_fill(found);
	if (rest)
		doubt_from(view, k + sharp, found);
	found->after_first = k;
	found->after_n = n - 1;
	return found->n >= edges->n && are_all(edges, found, k);
}

int mp_cpu_after_find(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	const uint32_t k = edges->doubt.level;
	struct mp_cpu_edges found;
	struct mp_lines_rig rig;
	int err;

	if (!is_asked(view, edges))
		return 0;
	edges->after_from = k ? edges->level[k - 1].high_bytes * CLEAR : FROM;
	edges->after_to = edges->level[last_asked(edges)].high_bytes * BEYOND;
	mp_lines_rig(view, edges, &rig);
	err = mp_lines_gather(view, &rig, edges->after_from, edges->after_to,
		     &edges->after);
	if (err || edges->after.n < LENGTHS_MIN)
		return err;
	if (find_levels(view, edges, &found, &err))
		*edges = found;
	else
		edges->after_wide = found.after_wide;
	return err;
}

bool mp_cpu_is_after(const struct mp_cpu_edges *edges, uint32_t k)
{
	return k >= edges->after_first && k < edges->after_first + edges->after_n;
}

void mp_cpu_after_say(const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact)
{
	if (!mp_cpu_is_after(edges, k))
		return;
	mp_curve_note(&edges->after, edges->edge[k].low, edges->edge[k].high,
		      fact);
	snprintf(fact->method, sizeof(fact->method),
		 "a few lines, timed each time that others have been walked, are all in this level up to one length and all beyond it from another on");
}

/* What lengths from @from to @to take. Return: how many there are. */
static uint32_t values_of(const struct mp_curve *curve, double from, double to,
			  bool in_ns, double value[LENGTHS_MAX],
			  const struct mp_curve_at **at)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n && n < LENGTHS_MAX; i++) {
		const double length = length_at(curve, i);

		if (length < from || length > to)
			continue;
		*at = &curve->at[i];
		value[n++] = in_ns ? (*at)->mid_ns : (*at)->mid_cycles;
	}
	return n;
}

static void set_limits(double *value, uint32_t n, uint64_t seed,
		       struct mp_interval *limits)
{
	mp_stat_limits(value, n, seed, limits);
	limits->low *= 1 - MP_CPU_CLOCK_ERROR;
	limits->high *= 1 + MP_CPU_CLOCK_ERROR;
}

bool mp_cpu_after_latency(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k,
			  bool in_ns, struct mp_interval *limits,
			  const struct mp_curve_at **at)
{
	const double from = k ? edges->edge[k - 1].high : FROM;
	const double to = edges->edge[k].low;
	double value[LENGTHS_MAX];
	/* Beyond the edge inside some lines may still be further in. */
	uint32_t n = values_of(&edges->after, sqrt(from * to), to, in_ns, value,
			       at);

	if (n < MP_CPU_STAIR_MIN)
		n = values_of(&edges->after, from, to, in_ns, value, at);
	if (n < MP_CPU_STAIR_MIN)
		return false;
	set_limits(value, n, view->seed, limits);
	return true;
}

/* Lengths between two edges that are far enough from both, for rings to know
 * them: some of the grid. */
static bool span_of(const struct mp_cpu_edges *edges, uint32_t k, double *from,
		    double *to)
{
	if (!k || !edges->fitted[k] || !edges->fitted[k - 1])
		return false;
	*from = edges->edge[k - 1].high * ALONE_BEYOND;
	*to = fmin(edges->edge[k].low * ALONE_WITHIN, *from * ALONE_SPAN);
	return *from <= *to;
}

/* Few rounds of many lines. */
static void rig_alone(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_lines_rig *rig)
{
	mp_lines_rig(view, edges, rig);
	rig->few = ALONE_FEW;
	rig->rounds = ALONE_ROUNDS;
}

static bool is_dear(const struct mp_lines_rig *rig, double bytes)
{
	return bytes / (double)rig->stride * MP_LINES_TURNS * ALONE_ROUNDS *
	       ALONE_REPLICATES * ALONE_LENGTHS > ALONE_HOPS;
}

int mp_cpu_after_alone_plan(const struct mp_view *view,
			    const struct mp_cpu_edges *edges, uint32_t k,
			    struct mp_plan *plan)
{
	double from, to;
	struct mp_lines_rig rig;
	int err = 0;

	if (!mp_cpu_after_can(view, edges, edges->n - 1) ||
	    mp_cpu_is_after(edges, k) ||
	    !span_of(edges, k, &from, &to))
		return 0;
	rig_alone(view, edges, &rig);
	for (uint32_t i = 0; i < ALONE_LENGTHS && !err && !is_dear(&rig, to);
	     i++) {
		const double at = from * pow(to / from, (i + 0.5) / ALONE_LENGTHS);

		err = mp_lines_want(view, &rig, mp_lines_length(
					    &rig, round(mp_lines_to(at))),
				    ALONE_REPLICATES, plan);
	}
	return err;
}

static bool are_alike(const double *value, uint32_t n, double off)
{
	double least = INFINITY, most = 0;

	for (uint32_t i = 0; i < n; i++) {
		least = fmin(least, value[i]);
		most = fmax(most, value[i]);
	}
	return most <= least * (1 + MP_CPU_STAIR_SAME) + 2 * off;
}

static void limits_of(const struct mp_curve *curve, bool in_ns, uint64_t seed,
		      struct mp_interval *limits)
{
	double value[LENGTHS_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		for (uint32_t r = 0; r < at->n && n < LENGTHS_MAX; r++)
			value[n++] = in_ns ? at->ns[r] : at->cycles[r];
	}
	set_limits(value, n, seed, limits);
}

/* Lengths at which W went through the level inside come first. Return: a curve of
 * these alone, the points still those of @curve. */
static struct mp_curve part_through(const struct mp_cpu_edges *edges, uint32_t k,
				    struct mp_curve *curve)
{
	const struct mp_edge *edge = &edges->edge[k], *inner = edge - 1;
	struct mp_curve part = { .at = curve->at };

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at at = curve->at[i];
		const double missed = (walked(&at) - inner->inside) /
				      (edge->inside - inner->inside);

		if (MP_LINES_TURNS * (double)at.length * fmin(missed, 1) <
		    ALONE_THROUGH * inner->size)
			continue;
		curve->at[i] = curve->at[part.n];
		curve->at[part.n++] = at;
	}
	return part;
}

bool mp_cpu_after_alone(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			bool in_ns, struct mp_interval *limits, uint64_t *id)
{
	struct mp_curve curve = { 0 }, part;
	double value[LENGTHS_MAX], from, to;
	const struct mp_curve_at *at;
	bool known = false;
	struct mp_lines_rig rig;
	uint32_t n;

	if (!mp_cpu_after_can(view, edges, edges->n - 1) || !span_of(edges, k, &from, &to))
		return false;
	rig_alone(view, edges, &rig);
	if (mp_lines_gather(view, &rig, from / ALONE_MOVED, to * ALONE_MOVED,
			    &curve)) {
		mp_curve_free(&curve);
		return false;
	}
	part = part_through(edges, k, &curve);
	n = values_of(&part, 0, INFINITY, in_ns, value, &at);
	if (n >= ALONE_MIN) {
		const double cycle = in_ns ? at->mid_ns / at->mid_cycles : 1;

		known = are_alike(value, n, mp_cpu_stairs_off(&part) * cycle);
		*id = at->id;
		limits_of(&part, in_ns, view->seed, limits);
	}
	mp_curve_free(&curve);
	return known;
}

uint64_t mp_cpu_after_stride(const struct mp_view *view,
			     const struct mp_cpu_edges *edges)
{
	struct mp_lines_rig rig;

	mp_lines_rig(view, edges, &rig);
	/* What is brought beside P comes halfway to T. */
	return rig.few_stride / (rig.brought ? 4 : 2);
}
