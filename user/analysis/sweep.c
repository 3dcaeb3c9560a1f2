// SPDX-License-Identifier: GPL-2.0
/* Sweeps over the length of a chase, and the curves they draw. */
#include "analysis/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "limits.h"

/* Bursts of 2048 hops: 2 us in L1, about 200 us in memory at 100 ns. */
#define HOPS 2048u
#define BURSTS 8u
/* An LRU set is in its steady state after one turn; FIFO, pseudo-LRU and
 * random sets want a few. */
#define TURNS 3u
/* A quarter of a million loads from memory take some 25 ms: enough of
 * several turns. One whole turn is worth more, up to four times that. */
#define TURNS_MAX (256u << 10)
#define WARM_MAX (1u << 20)
/* Single hops tell more each: after the turn that builds the ring two do, and
 * one of rings so long; still longer ones are in nobody's cache anyway. */
#define SINGLE_TURNS 2u
#define SINGLE_TURNS_MAX (128u << 10)
#define SINGLE_WARM_MAX (256u << 10)
#define SINGLE_WARM_LONG (16u << 10)
#define SINGLE_HOPS 1024u
/* A burst of single hops is no shorter than this. */
#define SINGLE_MIN 64u
/* Single hops of rings of more slots than the bursts have hops are measured a
 * whole turn, and walked one turn less before: which lines a set has kept of the
 * turn before depends on where in the turn it is, unless it is LRU. Up to so
 * many bytes, however near each other their slots lie; longer rings are in few
 * caches. In bursts as short as others: longer ones were seen to find more hits
 * than the level has room for. Of means a part says better what others take
 * just then. */
#define WHOLE_BYTES (64ull << 20)
/* Small rings are warmed for this many hops at least. */
#define WARM_MIN 1024u
/* Of a ring in one piece, the two fastest replicates agree to this factor, and of
 * many such a part: where each makes another mixture of hits and misses, two of
 * many are alike as well. One so much slower than the second was crowded. */
#define ALIKE 0.25
#define AGREE 1.05
#define CROWDED 1.15
/* Replicates of a length that there is room for at first. */
#define POINT_FIRST 8u

void mp_sweep_init(struct mp_sweep *sweep, const struct mp_view *view,
		   uint64_t stride, uint64_t reach)
{
	memset(sweep, 0, sizeof(*sweep));
	sweep->cpu = view->cpu;
	sweep->pages = view->pages;
	sweep->node = view->node;
	sweep->stride = stride;
	sweep->reach = reach;
	sweep->turns = TURNS;
	sweep->turns_max = TURNS_MAX;
	sweep->warm_max = WARM_MAX;
	sweep->warm_long = WARM_MAX;
	sweep->hops = HOPS;
	sweep->bursts = BURSTS;
	sweep->least = SINGLE_MIN;
	sweep->quiet = view->quiet;
}

void mp_sweep_singly(struct mp_sweep *sweep)
{
	sweep->single = true;
	sweep->turns = SINGLE_TURNS;
	sweep->turns_max = SINGLE_TURNS_MAX;
	sweep->warm_max = SINGLE_WARM_MAX;
	sweep->warm_long = SINGLE_WARM_LONG;
	sweep->hops = SINGLE_HOPS;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What is the same at every length. */
static void begin_exp(const struct mp_sweep *sweep, struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[0];

	mp_exp_chase(exp, sweep->cpu, sweep->pages, 0, sweep->stride, 0);
	exp->arena[0].node = sweep->node;
	exp->quiet = sweep->quiet;
	actor->skew = sweep->skew;
	if (sweep->single)
		actor->detail = MP_DETAIL_HIST;
}

/* Bursts of a ring: as many as are asked for; of single hops, or as a turn
 * takes. */
static uint32_t bursts_for(const struct mp_sweep *sweep, uint64_t slots)
{
	const uint64_t turn = (slots + sweep->hops - 1) / sweep->hops;

	return sweep->single && turn > sweep->bursts &&
	       slots * sweep->stride <= WHOLE_BYTES ?
	       (uint32_t)at_most(turn, MP_BURSTS_MAX) : sweep->bursts;
}

static void set_length(const struct mp_sweep *sweep, uint64_t length,
		       struct mp_exp *exp)
{
	const uint64_t slots = length / sweep->stride;
	const uint32_t bursts = bursts_for(sweep, slots);
	const uint32_t turns = sweep->turns - (bursts > sweep->bursts &&
					       sweep->turns > 1);
	uint64_t warm = at_most(slots * turns, sweep->turns_max);
	struct mp_actor *actor = &exp->actor[0];

	exp->arena[0].bytes = length;
	actor->length = length;
	actor->reach = sweep->reach < length ? sweep->reach : 0;
	if (warm < slots)
		warm = slots <= sweep->warm_max ? slots : sweep->warm_long;
	if (warm < WARM_MIN)
		warm = WARM_MIN;
	actor->warm_hops = at_most(warm, sweep->warm_max);
	actor->hops = sweep->hops;
	actor->bursts = bursts;
	if (!sweep->single)
		return;
	/* Each hop tells by itself: two turns do. */
	actor->hops = at_most(sweep->hops, 2 * slots / sweep->bursts);
	if (actor->hops < sweep->least)
		actor->hops = sweep->least;
}

void mp_sweep_exp(const struct mp_sweep *sweep, uint64_t length,
		  struct mp_exp *exp)
{
	begin_exp(sweep, exp);
	set_length(sweep, length, exp);
}

int mp_sweep_plan(const struct mp_sweep *sweep, const struct mp_view *view,
		  uint64_t length, uint32_t replicates, struct mp_plan *plan)
{
	struct mp_exp exp;

	length -= length % sweep->stride;
	if (!length || length > view->arena_max_bytes)
		return 0;
	mp_sweep_exp(sweep, length, &exp);
	return mp_plan_add(plan, &exp, replicates);
}

static struct mp_curve_at *curve_at(struct mp_curve *curve, uint64_t length)
{
	struct mp_curve_at *at;
	uint32_t i = curve->n;

	while (i && curve->at[i - 1].length >= length)
		i--;
	if (i < curve->n && curve->at[i].length == length)
		return &curve->at[i];
	if (curve->n == curve->room) {
		uint32_t room = curve->room ? 2 * curve->room : 64;

		at = realloc(curve->at, room * sizeof(*at));
		if (!at)
			return NULL;
		curve->at = at;
		curve->room = room;
	}
	memmove(&curve->at[i + 1], &curve->at[i],
		(curve->n - i) * sizeof(*at));
	curve->n++;
	memset(&curve->at[i], 0, sizeof(*at));
	curve->at[i].length = length;
	return &curve->at[i];
}

/* Room is the next power of two: it is asked for when that is reached. */
static int point_grow(struct mp_curve_at *at)
{
	const size_t room = at->n ? 2 * (size_t)at->n : POINT_FIRST;
	const struct mp_batch **kept;
	double **list[] = { &at->start_ns, &at->cycles, &at->ns };

	if (at->n & (at->n - 1) || (at->n && at->n < POINT_FIRST))
		return 0;
	kept = realloc(at->batch, room * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	at->batch = kept;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		double *more = realloc(*list[i], room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		*list[i] = more;
	}
	return 0;
}

static int point_put(struct mp_curve_at *at, const struct mp_batch *batch,
		     double cycles, double ns)
{
	if (point_grow(at))
		return -ENOMEM;
	at->batch[at->n] = batch;
	at->start_ns[at->n] = (double)batch->start_ns;
	at->cycles[at->n] = cycles;
	at->ns[at->n] = ns;
	at->id = batch->id;
	at->n++;
	return 0;
}

static int point_add(struct mp_curve_at *at, const struct mp_batch *batch)
{
	const double ticks = mp_clock_hop_ticks(batch, 0);

	return isnan(ticks) ? 0 :
	       point_put(at, batch, mp_clock_cycles(batch, ticks),
			 mp_clock_ns(batch, ticks));
}

static void point_middle(struct mp_curve_at *at)
{
	at->mid_cycles = mp_stat_median_of(at->cycles, at->n);
	at->mid_ns = mp_stat_median_of(at->ns, at->n);
}

int mp_curve_put(struct mp_curve *curve, uint64_t length,
		 const struct mp_batch *batch, double ticks)
{
	struct mp_curve_at *at = curve_at(curve, length);

	if (!at || point_put(at, batch, mp_clock_cycles(batch, ticks),
			     mp_clock_ns(batch, ticks)))
		return -ENOMEM;
	point_middle(at);
	return 0;
}

/* What tells most experiments of other sweeps apart, cheaply. */
static bool may_be_of(const struct mp_sweep *sweep, const struct mp_exp *exp)
{
	const struct mp_actor *actor = &exp->actor[0];

	return actor->stride == sweep->stride && actor->skew == sweep->skew &&
	       actor->bursts >= sweep->bursts && exp->quiet == sweep->quiet &&
	       exp->arena[0].pages == sweep->pages &&
	       (actor->detail == MP_DETAIL_HIST) == sweep->single &&
	       (actor->reach == 0 || actor->reach == sweep->reach) &&
	       actor->length >= sweep->stride;
}

/* Is it the sweep's, of its own length? @exp: as begin_exp() left it, or a
 * length before. */
static bool is_of(const struct mp_sweep *sweep, const struct mp_exp *own,
		  struct mp_exp *exp)
{
	if (!may_be_of(sweep, own))
		return false;
	set_length(sweep, own->actor[0].length, exp);
	return exp->actor[0].warm_hops == own->actor[0].warm_hops &&
	       exp->actor[0].hops == own->actor[0].hops &&
	       exp->actor[0].bursts == own->actor[0].bursts &&
	       mp_exp_equal(exp, own);
}

static int curve_add(struct mp_curve *curve, const struct mp_batch *batch)
{
	struct mp_curve_at *at;

	if (!mp_batch_counts(batch))
		return 0;
	at = curve_at(curve, batch->exp.actor[0].length);
	return at ? point_add(at, batch) : -ENOMEM;
}

/* Experiment by experiment: those of a length are one. */
static int gather_indexed(const struct mp_sweep *sweep,
			  const struct mp_batch_index *index,
			  struct mp_curve *curve)
{
	struct mp_exp exp;
	int err = 0;

	begin_exp(sweep, &exp);
	for (uint32_t i = 0; i < index->n && !err; i++) {
		const struct mp_batch_list *list = &index->list[i];

		if (!is_of(sweep, &list->batch[0]->exp, &exp))
			continue;
		for (uint32_t k = 0; k < list->n && !err; k++)
			err = curve_add(curve, list->batch[k]);
	}
	return err;
}

static int gather_all(const struct mp_sweep *sweep, const struct mp_view *view,
		      struct mp_curve *curve)
{
	struct mp_exp exp;
	int err = 0;

	begin_exp(sweep, &exp);
	for (uint32_t i = 0; i < view->n_batches && !err; i++)
		if (is_of(sweep, &view->batch[i]->exp, &exp))
			err = curve_add(curve, view->batch[i]);
	return err;
}

/* The middles of what has been gathered, or nothing of it. */
static int curve_end(struct mp_curve *curve, int err)
{
	for (uint32_t i = 0; i < curve->n && !err; i++)
		point_middle(&curve->at[i]);
	if (err)
		mp_curve_free(curve);
	return err;
}

int mp_sweep_gather(const struct mp_sweep *sweep, const struct mp_view *view,
		    struct mp_curve *curve)
{
	memset(curve, 0, sizeof(*curve));
	return curve_end(curve, view->index ?
			 gather_indexed(sweep, view->index, curve) :
			 gather_all(sweep, view, curve));
}

int mp_sweep_gather_at(const struct mp_sweep *sweep, const struct mp_view *view,
		       uint64_t length, struct mp_curve *curve)
{
	const struct mp_batch *batch;
	struct mp_exp exp;
	uint32_t at = 0;
	uint64_t id;
	int err = 0;

	memset(curve, 0, sizeof(*curve));
	if (length < sweep->stride)
		return 0;
	mp_sweep_exp(sweep, length, &exp);
	id = mp_exp_id(&exp);
	while (!err && (batch = mp_view_next(view, id, &at)))
		err = curve_add(curve, batch);
	return curve_end(curve, err);
}

static bool in_one_piece(const struct mp_curve_at *at)
{
	for (uint32_t i = 0; i < at->n; i++)
		if (!at->batch[i]->grant.n_arenas ||
		    !at->batch[i]->grant.arena[0].contiguous)
			return false;
	return true;
}

static const double *times_of(const struct mp_curve_at *at)
{
	return isnan(at->mid_cycles) ? at->ns : at->cycles;
}

double mp_curve_clock_off(const struct mp_curve_at *at)
{
	double off = 0;

	for (uint32_t r = 0; r < at->n; r++)
		off = fmax(off, mp_clock_core_off(at->batch[r]));
	return off;
}

double mp_curve_middle(const struct mp_curve_at *at)
{
	return isnan(at->mid_cycles) ? at->mid_ns : at->mid_cycles;
}

void mp_curve_fastest(const struct mp_curve_at *at, double fastest[2])
{
	const double *value = times_of(at);

	fastest[0] = fastest[1] = INFINITY;
	for (uint32_t i = 0; i < at->n; i++) {
		fastest[1] = fmin(fastest[1], fmax(fastest[0], value[i]));
		fastest[0] = fmin(fastest[0], value[i]);
	}
}

bool mp_curve_apart(const struct mp_curve_at *slow,
		    const struct mp_curve_at *fast, double times)
{
	const double *value = times_of(fast);
	double least[2], most = 0;

	mp_curve_fastest(slow, least);
	for (uint32_t i = 0; i < fast->n; i++)
		most = fmax(most, value[i]);
	return least[0] > most * times;
}

/* The second fastest, if the fastest and a part of all bear it out; INFINITY if
 * not. */
static double agreed(const struct mp_curve_at *at)
{
	const double *value = times_of(at);
	double fastest[2];
	uint32_t alike = 0;

	mp_curve_fastest(at, fastest);
	for (uint32_t i = 0; i < at->n; i++)
		alike += value[i] <= fastest[0] * AGREE;
	return alike >= 2 && alike >= at->n * ALIKE ? fastest[1] : INFINITY;
}

/* Leave out what is slower. */
static void point_keep(struct mp_curve_at *at, double most)
{
	const double *value = times_of(at);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < at->n; i++) {
		if (value[i] > most)
			continue;
		at->batch[kept] = at->batch[i];
		at->start_ns[kept] = at->start_ns[i];
		at->cycles[kept] = at->cycles[i];
		at->ns[kept++] = at->ns[i];
	}
	at->crowded += at->n - kept;
	at->n = kept;
	point_middle(at);
}

static void point_free(struct mp_curve_at *at)
{
	free(at->batch);
	free(at->start_ns);
	free(at->cycles);
	free(at->ns);
}

static void drop_empty(struct mp_curve *curve)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		if (curve->at[i].n)
			curve->at[kept++] = curve->at[i];
		else
			point_free(&curve->at[i]);
	}
	curve->n = kept;
}

void mp_curve_settle(struct mp_curve *curve)
{
	double longer = INFINITY;

	for (uint32_t i = curve->n; i-- > 0;) {
		struct mp_curve_at *at = &curve->at[i];

		if (!in_one_piece(at))
			continue;
		longer = fmin(longer, agreed(at));
		point_keep(at, longer * CROWDED);
	}
	drop_empty(curve);
}

void mp_curve_free(struct mp_curve *curve)
{
	for (uint32_t i = 0; i < curve->n; i++)
		point_free(&curve->at[i]);
	free(curve->at);
	memset(curve, 0, sizeof(*curve));
}

const struct mp_curve_at *mp_curve_find(const struct mp_curve *curve,
					uint64_t length)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if (curve->at[i].length == length)
			return &curve->at[i];
	return NULL;
}

void mp_curve_note(const struct mp_curve *curve, double low, double high,
		   struct mp_fact *fact)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if ((double)curve->at[i].length >= low &&
		    (double)curve->at[i].length <= high)
			mp_fact_note(fact, curve->at[i].id);
}
