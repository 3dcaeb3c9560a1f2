// SPDX-License-Identifier: GPL-2.0
/*
 * Rings for cpu_hot.c: short enough to stay where they are to stay, long
 * enough to drive through what is to be driven through, and of as few slots
 * as tell.
 */
#include "probe/cpu_hot_shape.h"

#include <math.h>
#include <string.h>

#include "backend.h"
#include "limits.h"

/* Of the inner level H takes so much, and what R does in a round; where pages
 * fill some sets more than others, or policies are odd, H leaves it, and less
 * is tried. Together they take no more than this. */
static const double hot_part[] = { 0.35, 0.15, 0.1, 0.3 };
static const double chunk_part[] = { 0.3, 0.12, 0.08, 0.54 };
#define BOTH_MAX 0.85
/* .. and no less of the level inside the inner one, where that holds H. */
#define HOT_LEAST 0.1
/* Of an edge that is known no better nothing is told. */
#define APART_MAX 2.5
/* In the second try R is well beyond this level, if the next one is, too. The
 * third is made where the next level has room for a ring of R beside H only if
 * both are short. */
#define WELL_TRY 1u
#define NEAR_TRY 2u
/* H must not live in the level inside the inner one: it is larger; or, in the
 * fourth try, what R walks in a round puts it out of that. Those that follow
 * have it there, and a ring of R as the first and the second do. */
#define CLEAR_OF_INNER 1.2
#define CLEAR_LEAST 1.0
#define CLEAR_AT_ALL 1.05
#define CLEAR_TRY (MP_CPU_HOT_FURTHER - 1)
/* Q: a ring of several times the inner level where the outer one has room for
 * that; of once at least. Not all policies throw out what is oldest, and those
 * that go by use keep H for some turns: it is walked until it has been so
 * many times through the inner level. */
#define PUT_OUT_MAX 2.5
#define PUT_OUT_LEAST 1.15
#define PUT_OUT_MIN 1.1
#define PUT_OUT_ROOM 0.25
#define PUT_OUT_TIGHT 0.9
#define PUT_OUT_TURNS 6.0
/* How far the outer level is driven through: policies that go by how often
 * a line was used lose an old one in the fourth turn. */
#define DRIVE 4.5
#define R_RING 2.5
/* .. by a ring that fits the next level, if it may be so short: an inclusive
 * one further out would put H out of all levels. */
#define R_RING_LEAST 1.25
#define R_RING_SHORTEST 1.1
#define R_FITS 0.6
#define R_FITS_MOST 0.85
#define CYCLES 2u
#define CYCLES_MAX 4u
#define EVERY_MAX 500u
/* Where nothing is to be driven out of the outer level, what R walks fits it
 * beside H, and goes through the inner one all the same: by far, or more of it
 * if need be. */
#define STILL_PART 0.45
#define STILL_LEAST 1.5
#define STILL_PART_MOST 0.85
#define STILL_LEAST_MOST 1.1
/* Of one that is hardly longer than the inner level holds that may keep most: there R
 * walks so many times as far in a round, as long as that and H fit. */
#define STILL_TURNS 3.0
/* Turns round H that load it. */
#define LOAD_TURNS 2u
/* Hops of a replicate: more lines of H are affordable up to this. */
#define HOPS_GOOD 40000.0
#define HOPS_WELL 160000.0
#define HOPS_FULL 1600000.0
/* .. and where all levels are asked at once, whose sets are powers of two. */
#define HOPS_ALL 400000.0
#define HOPS_MAX 4e6
#define LINES_APART 2u
#define LINES_APART_MAX 64u
#define SLOTS_MIN 6u
/* Slots so far apart share no lines of levels further out. */
#define LINE_LONGEST 256u
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
#define GROUP_LEAST 16u

static uint64_t whole(uint64_t slots)
{
	return slots <= GROUP_MAX ? slots :
	       slots / GROUP_LEAST * GROUP_LEAST;
}

static uint64_t whole_up(uint64_t slots)
{
	return slots <= GROUP_MAX ? slots : whole(slots + GROUP_LEAST - 1);
}

static uint32_t group_of(uint64_t slots)
{
	uint32_t group = GROUP_MAX;

	if (slots <= GROUP_MAX)
		return (uint32_t)slots;
	while (slots % group)
		group /= 2;
	return group;
}

/* What is asked for, bytes. */
struct wanted {
	double hot;
	double chunk;
	double put_out;
	double put_out_turns;
	double outer;
	double ring;
	uint64_t apart;		/* slots, at least; 0: as they come */
	bool through;
};

static void lay(const struct wanted *wanted, uint64_t stride,
		struct mp_cpu_hot_shape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->stride = stride;
	shape->through = wanted->through;
	shape->hot = whole(slots_of(wanted->hot, stride)) * stride;
	shape->chunk = whole(slots_of(wanted->chunk, stride)) * stride;
	if (!shape->hot || !shape->chunk)
		return;
	shape->q_ring = whole_up(slots_of(wanted->put_out, stride) + 1) *
			stride;
	shape->q_turns = (uint32_t)wanted->put_out_turns;
	shape->every = (uint32_t)ceil(DRIVE * wanted->outer /
				      (double)shape->chunk);
	shape->r_ring = (uint64_t)ceil(wanted->ring / (double)shape->chunk) *
			shape->chunk;
}

static double hops_of(const struct mp_cpu_hot_shape *shape)
{
	return (double)shape->every * (double)(shape->hot + shape->chunk) /
	       (double)shape->stride;
}

/* Slots of which no level has two in a line. Sets that are no power of two are
 * filled by every line only: where those of this level are longer than the
 * inner ones, how long was found with its size, or is by trying. */
static uint64_t apart_of(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 uint32_t try)
{
	const uint32_t widest = edges->width[k] > edges->width[k - 1] ?
				k : k - 1;
	struct mp_sweep sweep;

	if (!edges->full)
		return mp_cpu_is_told(edges, k) ? LINE_LONGEST : 0;
	if (edges->width[widest]) {
		mp_cpu_level_sweep(view, edges, widest, 0, &sweep);
		return sweep.stride;
	}
	mp_cpu_main_sweep(view, &sweep);
	return k < edges->muddled ? 0 : sweep.stride << (try + 1);
}

/* Where R begins: a whole number of slots behind H, which sets may tell. */
static uint64_t r_offset(const struct mp_cpu_hot_shape *shape)
{
	const uint64_t least = whole_pages(shape->hot) + PAGE;

	return (least + shape->stride - 1) / shape->stride * shape->stride;
}

/* Behind H there is R's ring; of a level hardly larger than the one inside Q may be
 * longer than that. */
static uint64_t arena_of(const struct mp_cpu_hot_shape *shape)
{
	return r_offset(shape) + (shape->r_ring > shape->q_ring ? shape->r_ring :
								  shape->q_ring);
}

/* The most lines that are affordable: with few of them a clock of coarse
 * steps sees little. */
static bool choose_stride(const struct mp_view *view,
			  const struct wanted *wanted, double enough,
			  struct mp_cpu_hot_shape *shape)
{
	struct mp_sweep sweep;
	uint64_t line;

	mp_cpu_main_sweep(view, &sweep);
	line = sweep.stride / LINES_APART;
	for (uint64_t apart = LINES_APART; apart <= LINES_APART_MAX; apart *= 2) {
		struct mp_cpu_hot_shape next;

		lay(wanted, line * apart, &next);
		if (next.hot < SLOTS_MIN * next.stride ||
		    next.chunk < 2 * next.stride)
			break;
		*shape = next;
		if (CYCLES * hops_of(shape) <= enough &&
		    shape->stride >= wanted->apart)
			break;
	}
	if (!shape->every || shape->every > EVERY_MAX ||
	    CYCLES * hops_of(shape) > HOPS_MAX)
		return false;
	shape->cycles = (uint32_t)fmin(fmax(HOPS_GOOD / hops_of(shape), CYCLES),
				       CYCLES_MAX);
	while (shape->cycles * shape->every > MP_ROUNDS_MAX)
		shape->cycles--;
	return shape->cycles > 1 &&
	       arena_of(shape) <= view->arena_max_bytes;
}

/* A level and those inside hold this or more: as many lines as were counted there,
 * where an edge leaves that open. */
static double least_of(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];
	const struct mp_cpu_count *count = &edges->count[k];

	if (!count->known || edge->high <= edge->low * MP_CPU_APART_MAX)
		return edge->low;
	return fmax(edge->low, fmin(count->all_low, edge->high));
}

/* The ring that puts H out: where the outer level has hardly room for it, it
 * is one that does so once. */
static double put_out_of(const struct mp_cpu_edges *edges, uint32_t k,
			 const struct wanted *wanted)
{
	const double inner = edges->edge[k - 1].high;
	const double outer = least_of(edges, k);
	const double room = PUT_OUT_ROOM * (outer - inner);
	const double least = fmin(PUT_OUT_LEAST * inner,
				  PUT_OUT_TIGHT * outer - wanted->hot -
				  wanted->chunk);

	return fmin(fmax(fmax(room, least), PUT_OUT_MIN * inner - wanted->chunk),
		    PUT_OUT_MAX * inner);
}

/* The least that the next level holds; 0: there is none. */
static double next_of(const struct mp_cpu_edges *edges, uint32_t k)
{
	if (k + 1 >= edges->n)
		return 0;
	return edges->fitted[k + 1] ? edges->edge[k + 1].low :
				      edges->level[k + 1].low_bytes;
}

/* The ring that drives a level through, where the next one is near; 0: there is
 * none that fits it, or the first tries have made it. */
static double near_ring_of(const struct mp_cpu_edges *edges, uint32_t k,
			   double beside)
{
	const double outer = edges->edge[k].high, next = next_of(edges, k);
	const double fits = fmin(R_FITS_MOST * next - beside,
				 R_RING_LEAST * outer);

	return next > 0 && R_FITS * next - beside < R_RING_LEAST * outer &&
	       fits >= R_RING_SHORTEST * edges->edge[k].size ? fits : 0;
}

/* The ring that drives a level through; @well: or else the next level, too. */
static double ring_of(const struct mp_cpu_edges *edges, uint32_t k,
		      bool well, double beside, bool *through)
{
	const double outer = edges->edge[k].high;
	const double ring = R_RING * outer;
	const double next = next_of(edges, k);
	double fits;

	*through = false;
	if (!(next > 0))
		return ring;
	fits = R_FITS * next - beside;
	/* Where that hardly misses this level, a longer one is tried next. */
	if (fits < R_RING_LEAST * outer && !well && mp_cpu_is_told(edges, k))
		fits = fmin(R_FITS_MOST * next - beside, R_RING_LEAST * outer);
	*through = fits < (well ? R_RING_LEAST * outer :
			     R_RING_SHORTEST * edges->edge[k].size);
	return *through ? ring : fmin(fits, ring);
}

/* A ring that is walked through the inner level and not through the outer one;
 * 0: there is none. */
static uint64_t still_ring_of(const struct mp_cpu_edges *edges, uint32_t k,
			      const struct mp_cpu_hot_shape *shape)
{
	const double inner = edges->edge[k - 1].size;
	const double outer = edges->edge[k].size;
	double ring = STILL_PART * least_of(edges, k);

	if (ring < STILL_LEAST * edges->edge[k - 1].high) {
		ring = STILL_PART_MOST * outer - (double)shape->hot;
		if (ring < STILL_LEAST_MOST * inner - (double)shape->hot)
			return 0;
	}
	ring = fmin(mp_cpu_coarse(ring, GRAIN), (double)shape->r_ring);
	return (uint64_t)(ring / (double)shape->chunk + 0.5) * shape->chunk;
}

/* How many times as far R walks there. */
static uint32_t still_turns_of(const struct mp_cpu_edges *edges, uint32_t k,
			       const struct mp_cpu_hot_shape *shape)
{
	const struct mp_edge *inner = &edges->edge[k - 1];
	const double room = (BOTH_MAX * mp_cpu_coarse(inner->low, GRAIN) -
			     (double)shape->hot) / (double)shape->chunk;

	if (shape->further || (double)shape->still_ring >= STILL_LEAST * inner->size)
		return 1;
	return (uint32_t)fmax(fmin(STILL_TURNS, room), 1);
}

/* H, and what R walks in a round: do they stay in the inner level, and there
 * only? */
static bool fit_inner(const struct mp_cpu_edges *edges, uint32_t k,
		      uint32_t try, struct wanted *wanted)
{
	const double inner = edges->edge[k - 1].low;
	const double outer = edges->edge[k].high;
	const double further = k > 1 ? edges->edge[k - 2].high : 0;
	const double least = k > 1 ? edges->edge[k - 2].size : 0;
	double hot = hot_part[try] * inner, chunk = chunk_part[try] * inner;

	chunk = fmax(chunk, 1.01 * DRIVE * outer / EVERY_MAX);
	if (try < CLEAR_TRY)
		hot = fmax(hot, fmin(CLEAR_OF_INNER * further,
				     BOTH_MAX * inner - chunk));
	wanted->hot = hot;
	wanted->chunk = chunk;
	if (hot + chunk > BOTH_MAX * inner)
		return false;
	if (try < CLEAR_TRY)
		return hot >= CLEAR_LEAST * least;
	return hot <= CLEAR_OF_INNER * further &&
	       hot + chunk >= CLEAR_AT_ALL * further;
}

/* .. or in the one inside the inner level, whatever that does? Not further in, again:
 * that one may lose then what it does not see in use. */
static bool fit_further(const struct mp_cpu_edges *edges, uint32_t k,
			struct wanted *wanted)
{
	const struct mp_edge *further = k > 2 ? &edges->edge[k - 3] : NULL;
	double inner;

	if (k < 2 || !edges->fitted[k - 2] ||
	    !mp_cpu_is_told(edges, k) || !mp_cpu_is_told(edges, k - 1))
		return false;
	inner = edges->edge[k - 2].low;
	wanted->chunk = fmax(chunk_part[0] * inner,
			     1.01 * DRIVE * edges->edge[k].high / EVERY_MAX);
	wanted->hot = fmax(hot_part[0] * inner,
			   further ? CLEAR_OF_INNER * further->high : 0);
	wanted->hot = fmin(wanted->hot, BOTH_MAX * inner - wanted->chunk);
	return wanted->hot >= HOT_LEAST * inner &&
	       (!further || wanted->hot >= CLEAR_LEAST * further->size);
}

static void make_coarse(const struct mp_cpu_edges *edges, uint32_t inner,
			uint32_t outer, struct wanted *wanted)
{
	wanted->hot = mp_cpu_coarse(wanted->hot, GRAIN);
	wanted->chunk = mp_cpu_coarse(wanted->chunk, GRAIN);
	wanted->put_out = mp_cpu_coarse(wanted->put_out, GRAIN);
	wanted->put_out_turns = ceil(PUT_OUT_TURNS *
				     mp_cpu_coarse(edges->edge[inner].low, GRAIN) /
				     wanted->put_out);
	wanted->outer = mp_cpu_coarse(edges->edge[outer].high, GRAIN);
	wanted->ring = mp_cpu_coarse(wanted->ring, GRAIN);
}

static const char one_ring[] = "this backend walks one ring at a time only";
static const char no_edges[] =
	"the edges of this level and of the one inside are not known well enough";
static const char no_length[] =
	"rings that would tell are too long, or too short, to be walked";

const char *mp_cpu_hot_shape(const struct mp_view *view,
			      const struct mp_cpu_edges *edges, uint32_t k,
			      uint32_t try, struct mp_cpu_hot_shape *shape)
{
	const bool further = try >= MP_CPU_HOT_FURTHER;
	struct wanted wanted;

	if (!(view->caps & MP_CAP_PHASES))
		return one_ring;
	if (!edges->fitted[k] || !edges->fitted[k - 1] ||
	    k >= edges->doubt.level ||
	    edges->edge[k].high > least_of(edges, k) * APART_MAX)
		return no_edges;
	if (further ? !fit_further(edges, k, &wanted) :
		      !fit_inner(edges, k, try, &wanted))
		return MP_CPU_HOT_INSIDE;
	try -= further ? MP_CPU_HOT_FURTHER : 0;
	wanted.put_out = put_out_of(edges, k, &wanted);
	wanted.through = false;
	if (try == NEAR_TRY && !further)
		wanted.ring = near_ring_of(edges, k, wanted.hot + wanted.chunk);
	else
		wanted.ring = ring_of(edges, k, try == WELL_TRY,
				      wanted.hot + wanted.chunk,
				      &wanted.through);
	if (!(wanted.ring > 0))
		return no_length;
	wanted.apart = apart_of(view, edges, k, try);
	make_coarse(edges, k - 1, k, &wanted);
	/* Slots far apart may leave some sets alone. */
	if (!choose_stride(view, &wanted, edges->full ? HOPS_FULL :
			   try == WELL_TRY ? HOPS_WELL : HOPS_GOOD, shape))
		return no_length;
	shape->further = further;
	shape->near = try == NEAR_TRY && !further;
	shape->single = mp_cpu_is_told(edges, k);
	shape->still_ring = still_ring_of(edges, k, shape);
	shape->still_turns = still_turns_of(edges, k, shape);
	return NULL;
}

const char *mp_cpu_hot_shape_all(const struct mp_view *view,
				 const struct mp_cpu_edges *edges,
				 struct mp_cpu_hot_shape *shape)
{
	const uint32_t last = edges->n - 1;
	const double inner = edges->edge[0].low;
	struct wanted wanted = { .through = false };

	if (!(view->caps & MP_CAP_PHASES))
		return one_ring;
	if (edges->n < 2 || !edges->single || edges->doubt.level <= last)
		return no_edges;
	for (uint32_t k = 0; k <= last; k++)
		if (!edges->fitted[k])
			return no_edges;
	wanted.hot = hot_part[1] * inner;
	wanted.chunk = fmax(chunk_part[1] * inner,
			    1.01 * DRIVE * edges->edge[last].high / EVERY_MAX);
	if (wanted.hot + wanted.chunk > BOTH_MAX * inner)
		return no_length;
	wanted.put_out = put_out_of(edges, 1, &wanted);
	wanted.ring = R_RING * edges->edge[last].high;
	wanted.apart = apart_of(view, edges, last, 0);
	make_coarse(edges, 0, last, &wanted);
	return choose_stride(view, &wanted, edges->full ? HOPS_FULL : HOPS_ALL,
			     shape) ? NULL : no_length;
}

bool mp_cpu_hot_shape_beside(const struct mp_view *view,
			     struct mp_cpu_hot_shape *shape)
{
	const double line = mp_cpu_value(view, "l1d", "line");
	double hops;

	shape->beside = 0;
	if (!(line > 0) || shape->stride % (uint64_t)line)
		return false;
	hops = (double)shape->hot / line;
	if (hops * shape->every * shape->cycles > HOPS_MAX)
		return false;
	shape->beside = (uint64_t)line;
	return true;
}

static void walker(const struct mp_cpu_hot_shape *shape, uint64_t bytes,
		   uint32_t turns, uint32_t phase, bool single,
		   struct mp_actor *actor)
{
	const uint64_t slots = bytes / shape->stride;

	actor->phase = phase;
	actor->stride = shape->stride;
	actor->hops = turns * slots;
	actor->bursts = 1;
	actor->warm_hops = 0;
	actor->detail = MP_DETAIL_HIST;
	actor->group = single ? 1 : group_of(slots);
}

/* A line between the slots of H, of each of the pages that have any. */
static void page_walker(const struct mp_cpu_hot_shape *shape, uint32_t phase,
			struct mp_actor *actor)
{
	const uint64_t apart = shape->stride < PAGE ? PAGE : shape->stride;

	actor->phase = phase;
	actor->offset = (shape->stride < PAGE ? shape->stride : PAGE) / 2;
	actor->stride = apart;
	actor->length = (shape->hot + apart - 1) / apart * apart;
	actor->hops = actor->length / apart;
	actor->bursts = 1;
	actor->warm_hops = 0;
	actor->detail = MP_DETAIL_HIST;
	actor->group = 1;
}

static void lay_arena(const struct mp_cpu_hot_shape *shape,
		      const struct mp_sweep *sweep, struct mp_exp *exp)
{
	/* Its memory and quiet are those of every look; not so its stride. */
	mp_exp_chase(exp, sweep->cpu, sweep->pages, arena_of(shape),
		     shape->stride, 0);
	exp->arena[0].node = sweep->node;
	exp->quiet = sweep->quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = shape->every * shape->cycles;
	exp->n_actors = shape->beside ? MP_CPU_HOT_ACTORS : MP_CPU_HOT_BESIDE;
	for (uint32_t i = 1; i < exp->n_actors; i++)
		exp->actor[i] = exp->actor[0];
}

/* Right behind H, and as often. */
static void lay_beside(const struct mp_cpu_hot_shape *shape, bool single,
		       struct mp_actor *actor)
{
	const struct mp_actor *h = &actor[MP_CPU_HOT_H];
	struct mp_actor *beside = &actor[MP_CPU_HOT_BESIDE];

	for (uint32_t i = 0; i < MP_CPU_HOT_BESIDE; i++)
		actor[i].phase += actor[i].phase > h->phase;
	*beside = *h;
	beside->phase = h->phase + 1;
	beside->stride = shape->beside;
	beside->hops = shape->hot / shape->beside;
	beside->group = single ? 1 : group_of(beside->hops);
}

void mp_cpu_hot_exp(const struct mp_view *view,
		    const struct mp_cpu_hot_shape *shape,
		    enum mp_cpu_hot_kind kind, struct mp_exp *exp)
{
	const bool still = kind == MP_CPU_HOT_STILL;
	const uint32_t h_every = kind == MP_CPU_HOT_CONTROL ? shape->every : 1;
	struct mp_actor *actor = exp->actor;
	struct mp_sweep sweep;
	bool single;

	mp_cpu_sparse_sweep(view, &sweep);
	single = sweep.single || shape->single;
	lay_arena(shape, &sweep, exp);
	page_walker(shape, 0, &actor[MP_CPU_HOT_PAGES_H]);
	walker(shape, shape->hot, LOAD_TURNS, 1, false, &actor[MP_CPU_HOT_LOAD]);
	walker(shape, shape->hot, 1, 2, single, &actor[MP_CPU_HOT_H]);
	walker(shape, shape->chunk, still ? shape->still_turns : 1, 3,
	       still && single, &actor[MP_CPU_HOT_R]);
	walker(shape, shape->q_ring, shape->q_turns, 4, false, &actor[MP_CPU_HOT_Q]);
	page_walker(shape, 5, &actor[MP_CPU_HOT_PAGES_T]);
	walker(shape, shape->hot, 1, 6, true, &actor[MP_CPU_HOT_T]);
	actor[MP_CPU_HOT_H].length = actor[MP_CPU_HOT_T].length = shape->hot;
	actor[MP_CPU_HOT_LOAD].length = shape->hot;
	actor[MP_CPU_HOT_R].offset = r_offset(shape);
	actor[MP_CPU_HOT_Q].offset = actor[MP_CPU_HOT_R].offset;
	actor[MP_CPU_HOT_R].length = still ? shape->still_ring : shape->r_ring;
	actor[MP_CPU_HOT_Q].length = shape->q_ring;
	/* A chunk at a time, each of one piece: no set gets more of it. */
	actor[MP_CPU_HOT_R].reach = actor[MP_CPU_HOT_Q].reach = shape->chunk;
	actor[MP_CPU_HOT_PAGES_H].every = actor[MP_CPU_HOT_H].every = h_every;
	actor[MP_CPU_HOT_LOAD].every = shape->every;
	actor[MP_CPU_HOT_Q].every = shape->every;
	actor[MP_CPU_HOT_PAGES_T].every = shape->every;
	actor[MP_CPU_HOT_T].every = shape->every;
	if (shape->beside)
		lay_beside(shape, single, actor);
}
