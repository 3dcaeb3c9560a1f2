// SPDX-License-Identifier: GPL-2.0
/*
 * Levels so near each other that the detector takes them for one: rings that
 * the outer one serves alone.
 *
 * A ring that fits nowhere misses more of its hops the longer it is: no more
 * lines of it are kept than before, whoever is evicted. So what stays the same
 * while rings grow is no mixture of what lies on either side, but a level. A
 * mixture of m and something slower by a share s grows, while the ring grows
 * by a share g, by g times s at least.
 */
#include "probe/cpu_flat.h"

#include <math.h>
#include <string.h>

#include "analysis/stat.h"
#include "probe/cpu_edges.h"

/* Lengths in a row that take the same, to this share: so many, with so many
 * replicates each, the fastest two of which agree. */
#define SAME 0.01
#define POINTS 3u
#define REPLICATES 3u
#define AGREE 0.002
/* Levels lie at least so far apart. */
#define APART 1.4
/* What they grow is known so well; and what they take is no mixture with what
 * takes longer by more than this share. */
#define NOISE 0.001
#define SLOWER 0.05
/* No more of the hops than this miss a level that holds a ring whole. */
#define MISS_NONE 0.05

/* A step lies between lengths no further apart. It is no TLB's where hops take more
 * of it than so many walks that cost as much as memory does. */
#define STEP_SPAN 2.9
#define WALKS 1.5
#define PAGE 4096u

/* Where that is in question, lengths are so many to the octave, so far on either
 * side, at so many places. */
#define NEARLY 0.003
#define FINE_GRAIN 32
#define AROUND 1.025
#define NEAR_MAX 4u

/* Lengths that take the same. */
struct flat {
	double from;
	double to;
	double latency;
	double grown;		/* by this share at most, from first to last */
	uint32_t points;
};

/* The fastest of a length's replicates, if another bears it out; NAN. Pages that
 * are thrown at random crowd a level further out in some of them. */
static double fastest_of(const struct mp_curve_at *at)
{
	double fastest[2];

	mp_curve_fastest(at, fastest);
	return at->n >= REPLICATES && fastest[1] <= fastest[0] * (1 + AGREE) ?
	       fastest[0] : NAN;
}

/* The stretch that begins with the @i-th length. */
static struct flat flat_at(const struct mp_curve *curve, uint32_t i, double end)
{
	struct flat flat = { .from = (double)curve->at[i].length };
	double least = INFINITY, most = 0;

	for (; i < curve->n && (double)curve->at[i].length <= end; i++) {
		const double here = fastest_of(&curve->at[i]);

		if (isnan(here) || fmax(here, most) > fmin(here, least) * (1 + SAME))
			break;
		least = fmin(least, here);
		most = fmax(most, here);
		flat.to = (double)curve->at[i].length;
		flat.latency = here;
		flat.grown = most / least - 1;
		flat.points++;
	}
	return flat;
}

/* What the last of them takes. */
static double last_of(const struct mp_curve *curve, double end)
{
	double last = NAN;

	for (uint32_t i = 0; i < curve->n; i++)
		if ((double)curve->at[i].length <= end)
			last = mp_curve_middle(&curve->at[i]);
	return last;
}

/* A mixture with what takes so much longer than this would have grown by more
 * than is seen. It is the level's own time then, or near it. */
static bool is_level(const struct flat *flat, double beyond)
{
	const double more = 1 - flat->from / flat->to;

	return flat->points >= POINTS && beyond > flat->latency * APART &&
	       flat->grown + NOISE < more * SLOWER;
}

/* The last length before a flat that a level still holds whole. */
static double held_before(const struct mp_curve *curve, double from,
			  const struct flat *flat, double inside)
{
	const double most = inside + MISS_NONE * (flat->latency - inside);
	double held = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		if ((double)at->length >= from &&
		    (double)at->length < flat->from && mp_curve_middle(at) <= most)
			held = (double)at->length;
	}
	return held;
}

static void insert(struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		   uint32_t k, double held, const struct flat *flat)
{
	struct mp_level *inner = &level[k], *outer = &level[k + 1];

	memmove(outer, inner, (*n - k) * sizeof(*level));
	(*n)++;
	inner->low_bytes = held;
	inner->high_bytes = flat->from;
	inner->size_bytes = sqrt(held * flat->from);
	inner->parted_bytes = flat->to;
	outer->low_bytes = flat->to;
	outer->size_bytes = fmax(outer->size_bytes, flat->to);
	outer->high_bytes = fmax(outer->high_bytes, outer->size_bytes);
	outer->latency = flat->latency;
}

bool mp_cpu_flat_split(const struct mp_curve *curve,
		       struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		       uint32_t k)
{
	const double from = k ? level[k - 1].high_bytes : 0;
	const double end = k + 1 < *n ? level[k + 1].low_bytes : INFINITY;
	const double inside = level[k].latency;

	if (*n == MP_CPU_LEVELS)
		return false;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct flat flat = flat_at(curve, i, level[k].high_bytes);
		double held;

		if (flat.from < from || flat.latency < inside * APART ||
		    !is_level(&flat, last_of(curve, end)))
			continue;
		held = held_before(curve, from, &flat, inside);
		if (!(held > 0))
			continue;
		insert(level, n, k, held, &flat);
		return true;
	}
	return false;
}

/* How many hops of a curve share a translation, where its rings go page by page:
 * the window of a TLB that all of them miss. */
static double hops_of_page(const struct mp_curve *curve)
{
	const struct mp_curve_at *last = &curve->at[curve->n - 1];
	const struct mp_actor *actor;

	if (!last->batch || !last->batch[0])
		return 1;
	actor = &last->batch[0]->exp.actor[0];
	return actor->reach < PAGE || actor->stride > PAGE ? 1 :
	       PAGE / (double)actor->stride;
}

/* The next flat stretch behind one; without points: there is none so near. */
static struct flat flat_behind(const struct mp_curve *curve,
			       const struct flat *flat, double end)
{
	struct flat next = { .points = 0 };

	for (uint32_t i = 0; i < curve->n; i++) {
		const double length = (double)curve->at[i].length;

		if (length <= flat->to)
			continue;
		if (length > flat->to * STEP_SPAN)
			break;
		next = flat_at(curve, i, end);
		if (next.points >= POINTS)
			return next;
	}
	next.points = 0;
	return next;
}

/* The first flat stretch, @flat, with such a step to the next, @next. */
static bool find_step(const struct mp_curve *curve, double from, double end,
		      struct flat *flat, struct flat *next)
{
	double walk;

	if (!curve->n)
		return false;
	walk = last_of(curve, INFINITY) / hops_of_page(curve);
	for (uint32_t i = 0; i < curve->n; i++) {
		*flat = flat_at(curve, i, end);
		if (flat->from < from || flat->points < POINTS)
			continue;
		*next = flat_behind(curve, flat, end);
		if (next->points && next->latency >= flat->latency * APART &&
		    next->latency >= flat->latency + WALKS * walk)
			return true;
	}
	return false;
}

bool mp_cpu_flat_step(const struct mp_curve *curve,
		      struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		      uint32_t k)
{
	const double from = k ? level[k - 1].high_bytes : 0;
	const double end = k < *n ? level[k].low_bytes : INFINITY;
	struct flat flat, next;

	if (*n == MP_CPU_LEVELS || !find_step(curve, from, end, &flat, &next))
		return false;
	memmove(&level[k + 1], &level[k], (*n - k) * sizeof(*level));
	(*n)++;
	level[k] = (struct mp_level){
		.size_bytes = flat.to, .low_bytes = flat.to,
		.high_bytes = next.from, .latency = flat.latency };
	if (k + 1 < *n)
		level[k + 1].latency = next.latency;
	return true;
}

/* The first stretch that is the next level's alone, of two that are known. */
static bool find_between(const struct mp_curve *curve,
			 const struct mp_level *level, double end,
			 struct flat *flat)
{
	const double beyond = last_of(curve, end);

	for (uint32_t i = 0; i < curve->n; i++) {
		*flat = flat_at(curve, i, level[1].size_bytes);
		if (flat->from >= level->size_bytes &&
		    flat->latency >= level->latency * APART &&
		    is_level(flat, beyond))
			return true;
	}
	return false;
}

void mp_cpu_flat_part(const struct mp_curve *curve, struct mp_level *level,
		      uint32_t n, uint32_t k)
{
	struct flat flat;

	if (k + 1 >= n || level[k].parted_bytes > 0 ||
	    !find_between(curve, &level[k], k + 2 < n ?
			  level[k + 2].low_bytes : INFINITY, &flat))
		return;
	level[k].parted_bytes = flat.to;
	level[k + 1].latency = flat.latency;
}

void mp_cpu_flat_keep(double next, double end, struct mp_edge_data *data)
{
	uint32_t points = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		struct mp_edge_point *p = &data->point[i];
		uint32_t n = 0;

		if (p->x > end)
			break;
		for (uint32_t r = 0; r < p->n; r++)
			if (p->y[r] <= next * (1 + SAME))
				p->y[n++] = p->y[r];
		p->n = n;
		if (n)
			data->point[points++] = *p;
	}
	data->n = points;
}

/* Two lengths in a row that nearly take the same: there may be more between
 * them, and next to them. */
static int plan_near(const struct mp_view *view, const struct mp_curve *curve,
		     const struct mp_sweep *sweep, double least, double end,
		     struct mp_plan *plan)
{
	uint32_t near = 0;
	int err = 0;

	for (uint32_t i = 1; i < curve->n && near < NEAR_MAX && !err; i++) {
		const struct mp_curve_at *a = &curve->at[i - 1], *b = a + 1;
		const double here = fastest_of(a);

		/* NAN is neither. */
		if (!(here > least) || (double)b->length > end ||
		    !(fabs(log(fastest_of(b) / here)) < NEARLY))
			continue;
		near++;
		err = mp_cpu_grid(sweep, view, (double)a->length / AROUND,
				  (double)b->length * AROUND, FINE_GRAIN,
				  mp_cpu_replicates(view), plan);
	}
	return err;
}

int mp_cpu_flat_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	const uint32_t k = edges->doubt.level;
	const struct mp_curve *curve = k ? &edges->side[0] : &edges->curve;
	struct mp_sweep sweep;

	if (edges->single || k >= edges->n ||
	    (k && !mp_cpu_has_sides(edges, k)))
		return 0;
	if (k)
		mp_cpu_side_sweep(view, 0, &sweep);
	else
		mp_cpu_main_sweep(view, &sweep);
	return plan_near(view, curve, &sweep, edges->level[k].latency * APART,
			 edges->level[k].high_bytes, plan);
}

void mp_cpu_flat_from(struct mp_edge_data *data)
{
	const struct mp_edge_point *point = data->point;
	double inside, rise, last = 0;

	if (data->n < POINTS)
		return;
	inside = mp_stat_mean(point[0].y, point[0].n);
	rise = mp_stat_mean(point[data->n - 1].y, point[data->n - 1].n) - inside;
	for (uint32_t i = 0; i < data->n; i++) {
		if (mp_stat_mean(point[i].y, point[i].n) >
		    inside + MISS_NONE * rise)
			break;
		last = point[i].x;
	}
	if (rise > 0 && last > 0)
		data->from = fmin(data->from, last);
}
