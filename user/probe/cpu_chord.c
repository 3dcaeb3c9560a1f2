// SPDX-License-Identifier: GPL-2.0
/*
 * No level hides in an edge if its hops are of two kinds. Memory of small pages
 * that lie at random makes an edge so wide that there is room for a level in
 * it, and a clock too coarse to time a hop shows none. But rings on either side
 * show what such a clock makes of a hit and of a miss. Of a mixture of the two,
 * the mean of any function is as much of one mean as of the other: that of
 * squares lies on a chord over that of times. Hops of a level between are less
 * spread out, and bring it below.
 */
#include "probe/cpu_chord.h"

#include <math.h>

#include "analysis/spectrum.h"
#include "probe/cpu_between.h"

/* Lengths: so many to the octave. Before the edge begins, and where it is over,
 * rings are of one kind. */
#define GRAIN 8
#define BEFORE 1.5
#define BEYOND 1.5
#define FURTHER 1.4
/* .. this far from the levels on either side; and what lies at the edge. */
#define CLEAR 1.25
#define UNDER 1.2
#define OVER 1.3
#define REPLICATES 5u
/* Other hops than cpu_between.c wants of such rings: more replicates of its own
 * would change what it finds. */
#define HOPS 1536u
/* Of the hops of a length so many miss: of more most would miss a level between,
 * too, and of less there is too little to see. */
#define MISS_LEAST 0.15
#define MISS_MOST 0.6
#define LENGTHS_MIN 2u
/* What neighbours do meanwhile may spoil one length of so many and itself. */
#define OFF_PART 3u
/* Of what misses at such a length a level between would serve so much at least,
 * of the time it takes. */
#define PART 0.4
#define SIGMAS 4.0
/* A side is of its kind but for so much of the jump between the two. */
#define SIDE_OFF 0.08
/* What takes longer than a miss by more than this, and three steps of the clock,
 * was disturbed; no more than so many. */
#define LONGER 1.5
#define LONGER_STEPS 3.0
#define DISTURBED 0.02

/* Sums over the hops of a ring. */
struct ring {
	double most;		/* longer ones do not count */
	double slope;
	double n;
	double longer;
	double sum;
	double squares;		/* of times */
	double rest;		/* of squares less slope times times */
	double rests;		/* of the squares of that */
};

static void take(void *ctx, double cycles, double n)
{
	struct ring *ring = ctx;
	const double rest = cycles * cycles - ring->slope * cycles;

	if (cycles > ring->most) {
		ring->longer += n;
		return;
	}
	ring->n += n;
	ring->sum += n * cycles;
	ring->squares += n * cycles * cycles;
	ring->rest += n * rest;
	ring->rests += n * rest * rest;
}

static double mean_of(const struct ring *ring)
{
	return ring->sum / ring->n;
}

static double square_of(const struct ring *ring)
{
	return ring->squares / ring->n;
}

static double rest_of(const struct ring *ring)
{
	return ring->rest / ring->n;
}

/* The variance of that mean. */
static double error_of(const struct ring *ring)
{
	return fmax(ring->rests / ring->n - rest_of(ring) * rest_of(ring), 0) /
	       ring->n;
}

static uint64_t slots(const struct mp_view *view, double length)
{
	struct mp_sweep sweep;

	mp_cpu_side_sweep(view, 0, &sweep);
	return (uint64_t)length - (uint64_t)length % sweep.stride;
}

/* -- lengths ---------------------------------------------------------------- */

/* Of a grid, as edges move a little while they are measured. */
static double grid_up(double length)
{
	return exp2(ceil(log2(length) * GRAIN) / GRAIN);
}

static double grid_down(double length)
{
	return exp2(floor(log2(length) * GRAIN) / GRAIN);
}

/* The longest ring that the level holds, well before its edge, and .. */
static double before_most(const struct mp_cpu_edges *edges, uint32_t k)
{
	return edges->edge[k].low / BEFORE;
}

/* .. the shortest that finds nothing in it. */
static double beyond_least(const struct mp_cpu_edges *edges, uint32_t k)
{
	return edges->edge[k].high * BEYOND;
}

/* They end where the levels beside it begin. */
static double before_least(const struct mp_cpu_edges *edges, uint32_t k)
{
	return edges->edge[k - 1].high * CLEAR;
}

static double beyond_most(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k)
{
	const double all = (double)view->arena_max_bytes;

	return k + 1 < edges->n ?
	       fmin(edges->level[k + 1].low_bytes / CLEAR, all) : all;
}

/* The one that is asked for leaves room for limits to move; 0: there is none. */
static uint64_t length_before(const struct mp_view *view,
			      const struct mp_cpu_edges *edges, uint32_t k)
{
	const double most = before_most(edges, k);
	const double at = grid_up(fmax(most / FURTHER, before_least(edges, k)));

	return at <= most ? slots(view, at) : 0;
}

static uint64_t length_beyond(const struct mp_view *view,
			      const struct mp_cpu_edges *edges, uint32_t k)
{
	const double least = beyond_least(edges, k);
	const double at = grid_down(fmin(least * FURTHER,
					 beyond_most(view, edges, k)));

	return at >= least ? slots(view, at) : 0;
}

/* The @i-th at the edge itself; 0: there is none. */
static uint64_t length_at(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k,
			  uint32_t i)
{
	const double at = grid_down(edges->edge[k].low / UNDER) *
			  exp2((double)i / GRAIN);

	return at < edges->edge[k].high * OVER &&
	       at <= (double)view->arena_max_bytes ? slots(view, at) : 0;
}

/* The innermost level has no ring of one kind before it but its own. */
static bool is_asked(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k)
{
	return k && !edges->single && edges->fitted[k] && edges->fitted[k - 1] &&
	       mp_cpu_has_sides(edges, k) &&
	       length_before(view, edges, k) && length_beyond(view, edges, k);
}

int mp_cpu_chord_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	struct mp_exp exp;
	uint64_t length;
	int err;

	if (!is_asked(view, edges, k))
		return 0;
	mp_cpu_between_exp(view, length_before(view, edges, k), HOPS, &exp);
	err = mp_plan_add(plan, &exp, REPLICATES);
	if (!err) {
		mp_cpu_between_exp(view, length_beyond(view, edges, k), HOPS, &exp);
		err = mp_plan_add(plan, &exp, REPLICATES);
	}
	for (uint32_t i = 0; !err; i++) {
		length = length_at(view, edges, k, i);
		if (!length)
			break;
		mp_cpu_between_exp(view, length, HOPS, &exp);
		err = mp_plan_add(plan, &exp, REPLICATES);
	}
	return err;
}

/* -- what was seen ---------------------------------------------------------- */

static void look_at(const struct mp_batch *batch, const struct mp_edge *edge,
		    struct ring *ring)
{
	ring->most = edge->outside * LONGER +
		     LONGER_STEPS * mp_spectrum_step(batch);
	mp_spectrum_each_hop(batch, take, ring);
}

/* The replicate that takes longest: a neighbour may have crowded what lies
 * outside. NULL where there are fewer than were asked for. */
static const struct mp_batch *slowest_of(const struct mp_view *view,
					 const struct mp_edge *edge, uint64_t id)
{
	const struct mp_batch *batch, *slowest = NULL;
	double most = 0;
	uint32_t at = 0, n = 0;

	while ((batch = mp_view_next(view, id, &at))) {
		struct ring ring = { 0 };

		if (!mp_batch_counts(batch))
			continue;
		look_at(batch, edge, &ring);
		n++;
		if (!(mean_of(&ring) > most))
			continue;
		most = mean_of(&ring);
		slowest = batch;
	}
	return n < REPLICATES ? NULL : slowest;
}

/* Are there enough undisturbed hops of a ring? */
static bool look(const struct mp_view *view, const struct mp_edge *edge,
		 uint64_t length, double slope, struct ring *ring)
{
	const struct mp_batch *batch, *slowest;
	struct mp_exp exp;
	uint32_t at = 0;
	uint64_t id;

	*ring = (struct ring){ .slope = slope };
	mp_cpu_between_exp(view, length, HOPS, &exp);
	id = mp_exp_id(&exp);
	slowest = slowest_of(view, edge, id);
	while ((batch = mp_view_next(view, id, &at)))
		if (mp_batch_counts(batch) && batch != slowest)
			look_at(batch, edge, ring);
	return ring->n >= HOPS && ring->longer <= DISTURBED * ring->n;
}

/* How far below the chord, in cycles squared, the hops of a length would be at
 * least, of which @miss of the jump's time is a miss, were there a level. */
static double least_below(const struct mp_edge *edge, double miss)
{
	const double jump = edge->outside - edge->inside;
	const double near = edge->inside * MP_CPU_LEVELS_APART;
	const double far = edge->outside / MP_CPU_LEVELS_APART;

	/* As many as take all of that time, if so many there are. */
	return PART * fmin(fmin(near - edge->inside, miss * jump) *
			   (edge->outside - near),
			   fmin(far - edge->inside, miss * jump) *
			   (edge->outside - far));
}

/* Limits may have moved since: any ring on a side that was walked. */
static bool look_beside(const struct mp_view *view, const struct mp_edge *edge,
			double from, double to, double slope, struct ring *ring)
{
	for (double at = grid_up(from); at <= to; at *= exp2(1.0 / GRAIN))
		if (look(view, edge, slots(view, at), slope, ring))
			return true;
	return false;
}

static bool look_before(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			double slope, struct ring *ring)
{
	return look_beside(view, &edges->edge[k], before_least(edges, k),
			   before_most(edges, k), slope, ring);
}

static bool look_beyond(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			double slope, struct ring *ring)
{
	return look_beside(view, &edges->edge[k], beyond_least(edges, k),
			   beyond_most(view, edges, k), slope, ring);
}

bool mp_cpu_chord_one(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];
	const double jump = edge->outside - edge->inside;
	struct ring before, beyond, here;
	uint64_t length;
	uint32_t n = 0, off = 0;
	double slope, apart;

	if (!is_asked(view, edges, k) ||
	    !look_before(view, edges, k, 0, &before) ||
	    !look_beyond(view, edges, k, 0, &beyond))
		return false;
	apart = mean_of(&beyond) - mean_of(&before);
	if (apart < (1 - SIDE_OFF) * jump)
		return false;
	slope = (square_of(&beyond) - square_of(&before)) / apart;
	look_before(view, edges, k, slope, &before);
	look_beyond(view, edges, k, slope, &beyond);
	for (uint32_t i = 0; (length = length_at(view, edges, k, i)); i++) {
		double miss, below, error;

		if (!look(view, edge, length, slope, &here))
			continue;
		miss = (mean_of(&here) - mean_of(&before)) / apart;
		if (miss < MISS_LEAST || miss > MISS_MOST)
			continue;
		below = rest_of(&before) - rest_of(&here);
		error = sqrt(error_of(&before) + error_of(&beyond) +
			     error_of(&here));
		if (below + SIGMAS * error < least_below(edge, miss) &&
		    -below < least_below(edge, miss))
			n++;
		else
			off++;
	}
	return n >= LENGTHS_MIN && off * OFF_PART <= n;
}
