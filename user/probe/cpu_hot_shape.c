// SPDX-License-Identifier: GPL-2.0
/*
 * Rings for cpu_hot.c: short enough to stay where they are to stay, long
 * enough to drive through what is to be driven through, and of as few slots
 * as tell.
 */
#include "probe/cpu_hot_shape.h"

#include <math.h>

#include "backend.h"
#include "limits.h"

/* Of the inner level H takes so much, and what R does in a round; where pages
 * fill some sets more than others, or policies are odd, H leaves it, and less
 * is tried. Together they take no more than this. */
static const double hot_part[MP_CPU_HOT_TRIES] = { 0.35, 0.15 };
static const double chunk_part[MP_CPU_HOT_TRIES] = { 0.3, 0.12 };
#define BOTH_MAX 0.85
/* H must not live in the level inside the inner one: it is larger. */
#define CLEAR_OF_INNER 1.2
#define CLEAR_LEAST 1.0
/* Q: several times the inner level where the outer one has room for that,
 * as not all policies throw out what is oldest; but once at least. */
#define PUT_OUT_MAX 2.5
#define PUT_OUT_MIN 1.1
#define PUT_OUT_ROOM 0.25
/* How far the outer level is driven through: policies that go by how often
 * a line was used lose an old one in the fourth turn. */
#define DRIVE 4.5
#define R_RING 2.5
/* .. by a ring that fits the next level, if it may be so short: an inclusive
 * one further out would put H out of all levels. */
#define R_RING_LEAST 1.25
#define R_FITS 0.6
#define CYCLES 2u
#define CYCLES_MAX 4u
#define EVERY_MAX 500u
/* Where nothing is to be driven out of the outer level, what R walks fits it,
 * and goes through the inner one all the same. */
#define STILL_PART 0.45
#define STILL_LEAST 1.5
#define CONTROL_ROUNDS 24u
/* Hops of a replicate: more lines of H are affordable up to this. */
#define HOPS_GOOD 50000.0
#define HOPS_MAX 4e6
#define LINES_APART 2u
#define LINES_APART_MAX 64u
#define SLOTS_MIN 6u
#define PAGE 4096u
/* Lengths to the octave. */
#define GRAIN 8

static uint64_t slots_of(double bytes, uint64_t stride)
{
	return (uint64_t)(bytes / (double)stride + 0.5);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Hops are timed in groups of at most so many, and a burst is whole groups. */
#define GROUP_MAX 64u

static uint64_t whole(uint64_t slots)
{
	return slots <= GROUP_MAX ? slots :
	       slots / GROUP_MAX * GROUP_MAX;
}

static void lay(struct mp_cpu_hot_shape *shape, uint64_t stride, double hot, double chunk,
		double put_out, double outer, double ring)
{
	shape->stride = stride;
	shape->hot = whole(slots_of(hot, stride)) * stride;
	shape->chunk = whole(slots_of(chunk, stride)) * stride;
	if (!shape->hot || !shape->chunk)
		return;
	shape->put_out = whole(slots_of(put_out, stride) + 1) * stride;
	shape->every = (uint32_t)ceil(DRIVE * outer / (double)shape->chunk);
	shape->r_ring = (uint64_t)ceil(ring / (double)shape->chunk) *
			shape->chunk;
}

static double hops_of(const struct mp_cpu_hot_shape *shape)
{
	return (double)shape->every * (double)(shape->hot + shape->chunk) /
	       (double)shape->stride;
}

/* Edges move a little as more is known of them; the experiments are to stay. */
static double coarse(double bytes)
{
	return exp2(round(log2(bytes) * GRAIN) / GRAIN);
}

/* The most lines that are affordable: with few of them a clock of coarse
 * steps sees little. */
static bool choose_stride(const struct mp_view *view, double hot, double chunk,
			  double put_out, double outer, double ring,
			  struct mp_cpu_hot_shape *shape)
{
	struct mp_sweep sweep;
	uint64_t line;

	mp_cpu_main_sweep(view, &sweep);
	line = sweep.stride / LINES_APART;
	for (uint64_t apart = LINES_APART; apart <= LINES_APART_MAX; apart *= 2) {
		struct mp_cpu_hot_shape next = { 0 };

		lay(&next, line * apart, hot, chunk, put_out, outer, ring);
		if (next.hot < SLOTS_MIN * next.stride || next.chunk < 2 * next.stride)
			break;
		next.through = shape->through;
		*shape = next;
		if (CYCLES * hops_of(shape) <= HOPS_GOOD)
			break;
	}
	if (!shape->every || shape->every > EVERY_MAX ||
	    CYCLES * hops_of(shape) > HOPS_MAX)
		return false;
	shape->cycles = (uint32_t)fmin(fmax(HOPS_GOOD / hops_of(shape), CYCLES),
				       CYCLES_MAX);
	while (shape->cycles * shape->every > MP_ROUNDS_MAX)
		shape->cycles--;
	return shape->cycles > 1 && shape->r_ring + PAGE + whole_pages(shape->hot) <=
				    view->arena_max_bytes;
}

/* The ring that drives a level through. */
static double ring_of(const struct mp_cpu_edges *edges, uint32_t k,
		      double beside, bool *through)
{
	const double outer = edges->edge[k].high;
	const double ring = R_RING * outer;
	double fits;

	*through = false;
	if (k + 1 >= edges->n)
		return ring;
	fits = R_FITS * (edges->fitted[k + 1] ? edges->edge[k + 1].low :
					      edges->level[k + 1].low_bytes) -
	       beside;
	if (fits >= ring)
		return ring;
	*through = fits < R_RING_LEAST * outer;
	return *through ? ring : fits;
}

const char *mp_cpu_hot_shape(const struct mp_view *view,
			      const struct mp_cpu_edges *edges, uint32_t k,
			      uint32_t try, struct mp_cpu_hot_shape *shape)
{
	double inner, outer, hot, chunk, put_out, room, ring;

	if (!(view->caps & MP_CAP_PHASES))
		return "this backend walks one ring at a time only";
	if (!edges->fitted[k] || !edges->fitted[k - 1] ||
	    k >= edges->doubt.level)
		return "the edges of this level and of the one inside are not known well enough";
	inner = edges->edge[k - 1].low;
	outer = edges->edge[k].high;
	chunk = fmax(chunk_part[try] * inner, 1.01 * DRIVE * outer / EVERY_MAX);
	hot = hot_part[try] * inner;
	if (k > 1)
		hot = fmax(hot, fmin(CLEAR_OF_INNER * edges->edge[k - 2].high,
				     BOTH_MAX * inner - chunk));
	if (hot + chunk > BOTH_MAX * inner ||
	    (k > 1 && hot < CLEAR_LEAST * edges->edge[k - 2].size))
		return "no ring stays in the level inside that is not held further inside, too";
	room = PUT_OUT_ROOM * (edges->edge[k].low - edges->edge[k - 1].high);
	put_out = fmin(fmax(room, PUT_OUT_MIN * edges->edge[k - 1].high - chunk),
		       PUT_OUT_MAX * edges->edge[k - 1].high);
	ring = ring_of(edges, k, hot + chunk, &shape->through);
	if (!choose_stride(view, coarse(hot), coarse(chunk), coarse(put_out),
			   coarse(outer), coarse(ring), shape))
		return "rings that would tell are too long, or too short, to be walked";
	return NULL;
}

static void walker(const struct mp_cpu_hot_shape *shape, uint64_t hops, uint32_t phase,
		   bool single, struct mp_actor *actor)
{
	actor->phase = phase;
	actor->stride = shape->stride;
	actor->hops = hops / shape->stride;
	actor->bursts = 1;
	actor->warm_hops = 0;
	actor->detail = MP_DETAIL_HIST;
	actor->group = single ? 1 : (uint32_t)(actor->hops < GROUP_MAX ?
					       actor->hops : GROUP_MAX);
}

/* A line between the slots of H, of each of its pages. */
static void page_walker(const struct mp_cpu_hot_shape *shape, uint32_t phase,
			struct mp_actor *actor)
{
	actor->phase = phase;
	actor->offset = shape->stride / 2;
	actor->stride = PAGE;
	actor->length = whole_pages(shape->hot);
	actor->hops = actor->length / PAGE;
	actor->bursts = 1;
	actor->warm_hops = 0;
	actor->detail = MP_DETAIL_HIST;
	actor->group = 1;
}

/* @every: rounds from one look to the next. */
static void make_exp(const struct mp_view *view, const struct mp_cpu_hot_shape *shape,
		     uint32_t every, uint32_t rounds, uint64_t r_ring,
		     struct mp_exp *exp)
{
	struct mp_actor *actor = exp->actor;
	struct mp_sweep sweep;

	/* Its memory and quiet are those of every look; not so its stride. */
	mp_cpu_sparse_sweep(view, &sweep);
	mp_exp_chase(exp, sweep.cpu, sweep.pages,
		     whole_pages(shape->hot) + PAGE + shape->r_ring,
		     shape->stride,
		     0);
	exp->arena[0].node = sweep.node;
	exp->quiet = sweep.quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = rounds;
	exp->n_actors = MP_CPU_HOT_ACTORS;
	for (uint32_t i = 1; i < MP_CPU_HOT_ACTORS; i++)
		actor[i] = actor[0];
	walker(shape, shape->hot, 1, sweep.single, &actor[MP_CPU_HOT_H]);
	walker(shape, shape->chunk, 2, false, &actor[MP_CPU_HOT_R]);
	walker(shape, shape->put_out, 3, false, &actor[MP_CPU_HOT_Q]);
	walker(shape, shape->hot, 5, true, &actor[MP_CPU_HOT_T]);
	page_walker(shape, 0, &actor[MP_CPU_HOT_PAGES_H]);
	page_walker(shape, 4, &actor[MP_CPU_HOT_PAGES_T]);
	actor[MP_CPU_HOT_H].length = actor[MP_CPU_HOT_T].length = shape->hot;
	actor[MP_CPU_HOT_R].offset = actor[MP_CPU_HOT_Q].offset = whole_pages(shape->hot) + PAGE;
	actor[MP_CPU_HOT_R].length = actor[MP_CPU_HOT_Q].length = r_ring;
	/* A chunk at a time, each of one piece: no set gets more of it. */
	actor[MP_CPU_HOT_R].reach = actor[MP_CPU_HOT_Q].reach = shape->chunk;
	actor[MP_CPU_HOT_Q].every = every;
	actor[MP_CPU_HOT_PAGES_T].every = every;
	actor[MP_CPU_HOT_T].every = every;
}

void mp_cpu_hot_exp(const struct mp_view *view, const struct mp_cpu_edges *edges,
		   uint32_t k, const struct mp_cpu_hot_shape *shape, enum mp_cpu_hot_kind kind,
		   struct mp_exp *exp)
{
	const double still = fmin(STILL_PART * edges->edge[k].low,
				  (double)shape->r_ring);
	uint64_t r_ring = shape->r_ring;

	if (kind == MP_CPU_HOT_STILL)
		r_ring = ((uint64_t)(still / (double)shape->chunk) + 1) *
			 shape->chunk;
	if (kind == MP_CPU_HOT_CONTROL)
		make_exp(view, shape, 1, CONTROL_ROUNDS, r_ring, exp);
	else
		make_exp(view, shape, shape->every,
			 shape->every * shape->cycles, r_ring, exp);
}

/* Can it be walked through the inner level and not through the outer one? */
bool mp_cpu_hot_has_still(const struct mp_cpu_edges *edges, uint32_t k)
{
	return STILL_PART * edges->edge[k].low >=
	       STILL_LEAST * edges->edge[k - 1].high;
}
