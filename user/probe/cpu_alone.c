// SPDX-License-Identifier: GPL-2.0
/*
 * Two rings in turn: F, which nearly fills the levels inside, and A, of which
 * each round visits a few slots.
 *
 * What A's slots put out of the levels inside should be other lines of A. So F
 * has to be found there at each turn: it is tried with less and less, as few
 * ways have no room beside much of it. F is not in this level then, which is
 * exclusive, and A has all of it; and inside no more than F leaves. So A's edge
 * lies at this level's size, or beyond that by so much at most.
 */
#include "probe/cpu_alone.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_edges.h"

#define REPLICATES 3u
/* F, in parts of what the levels inside hold. */
static const double fill_part[] = { 0.92, 0.84, 0.77, 0.7, 0.6, 0.47 };
#define FILLS (sizeof(fill_part) / sizeof(fill_part[0]))
#define FILL_SLOTS_MIN 6u
/* A visits so much in a round, of what F leaves. */
#define CHUNK_PART 0.2
#define CHUNK_PART_MAX 0.6
/* Turns of A, and how many of them until all has settled. */
#define TURNS 4u
#define COLD 2u
/* Lines of F that were found gone from inside, for each slot of A: no more of
 * them, where A is of one length, and where it is of all. */
#define LEAK_LITTLE 0.08
#define LEAK_MAX 0.16
/* Beyond what that explains, so few hops that miss are none. */
#define MISS_NONE 0.02
/* Between the lengths at which so few hops miss, and so few hit. */
#define MISS_FEW 0.1
/* Lengths of A, in what the level may hold at the least and at the most. */
#define FROM 0.7
#define TO 1.45
#define LENGTHS 12	/* to the octave */
#define LENGTHS_FROM 1024.0
#define SLOTS_MIN 8u
/* Of a replicate. */
#define HOPS_MAX 150e3
/* Edges move a little as more is known of them; the experiments are to stay:
 * lengths to the octave. */
#define GRAIN 16
#define ARENA_MAX (64u << 20)
#define GROUP_MAX 64u
#define GROUP_LEAST 16u
#define PAGE 4096u
#define PAGE_SKEW 256u

enum who { RING_F, RING_A, RINGS };

/* What experiments are made of. */
struct rig {
	const struct mp_view *view;
	const struct mp_cpu_edges *edges;
	uint32_t k;
	struct mp_sweep sweep;	/* of this level */
	uint64_t fill_stride;
	uint64_t fill;		/* bytes of F */
	uint64_t chunk;		/* bytes of A in a round */
	double least, most;	/* lengths of A */
};

/* Whole slots, and whole groups of them. */
static uint64_t whole(const struct rig *rig, double bytes, uint64_t stride)
{
	const uint64_t slots = (uint64_t)(bytes / (double)stride + 0.5);

	return (rig->sweep.single || slots <= GROUP_MAX ? slots :
		slots / GROUP_LEAST * GROUP_LEAST) * stride;
}

static uint32_t group_of(uint64_t slots)
{
	return slots <= GROUP_MAX ? (uint32_t)slots : GROUP_LEAST;
}

/* Rings for a part of the levels inside; false: there are none. */
static bool lay(struct rig *rig, double part)
{
	const struct mp_edge *edge = &rig->edges->edge[rig->k];
	const double inner = mp_cpu_coarse(edge[-1].size, GRAIN);
	const double stride = (double)rig->sweep.stride;
	const double slack = inner * (1 - part);
	double chunk, rounds;

	rig->least = FROM * mp_cpu_coarse(fmax(edge->low - edge[-1].high,
					       edge->low * 0.2), GRAIN);
	rig->most = TO * mp_cpu_coarse(edge->high - part * edge[-1].low, GRAIN);
	rig->fill = whole(rig, part * inner, rig->fill_stride);
	chunk = fmax(CHUNK_PART * slack, TURNS * rig->most / MP_ROUNDS_MAX);
	rig->chunk = whole(rig, fmax(chunk, stride), rig->sweep.stride);
	rounds = TURNS * rig->most / (double)rig->chunk;
	return rig->fill >= FILL_SLOTS_MIN * rig->fill_stride &&
	       (double)rig->chunk <= fmax(CHUNK_PART_MAX * slack, stride) &&
	       rounds < MP_ROUNDS_MAX && rig->least >= SLOTS_MIN * stride &&
	       rounds * (double)rig->fill <=
	       HOPS_MAX * (double)rig->fill_stride;
}

static void walker(uint64_t bytes, uint64_t stride, uint64_t slots,
		   uint32_t phase, bool single, struct mp_actor *actor)
{
	actor->phase = phase;
	actor->stride = stride;
	actor->length = bytes;
	actor->hops = slots;
	actor->bursts = 1;
	actor->warm_hops = 0;
	actor->detail = MP_DETAIL_HIST;
	actor->group = single ? 1 : group_of(slots);
}

static void make_exp(const struct rig *rig, uint64_t length,
		     struct mp_exp *exp)
{
	const uint64_t stride = rig->sweep.stride;
	const uint64_t fill = (rig->fill + PAGE - 1) / PAGE * PAGE;
	struct mp_actor *actor = exp->actor;

	mp_exp_chase(exp, rig->sweep.cpu, rig->sweep.pages, fill + length,
		     stride, 0);
	exp->arena[0].node = rig->sweep.node;
	exp->quiet = rig->sweep.quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = (uint32_t)((TURNS * length + rig->chunk - 1) /
				 rig->chunk);
	exp->n_actors = RINGS;
	actor[RING_A] = actor[RING_F];
	walker(rig->fill, rig->fill_stride, rig->fill / rig->fill_stride, 0,
	       rig->sweep.single, &actor[RING_F]);
	walker(length, stride, rig->chunk / stride, 1, rig->sweep.single,
	       &actor[RING_A]);
	actor[RING_A].offset = fill;
	/* A page at a time, so that its translation is at hand. */
	actor[RING_A].reach = PAGE;
}

/* A line of each page of the longest A, as many pages a round as a visit of A
 * comes to: nothing but translations can be lost. */
static void make_pages_exp(const struct rig *rig, struct mp_exp *exp)
{
	struct rig pages = *rig;

	pages.sweep.stride = PAGE;
	pages.chunk = (rig->chunk / PAGE + 1) * PAGE;
	make_exp(&pages, (uint64_t)(rig->most / PAGE + 1) * PAGE, exp);
	exp->actor[RING_A].reach = 0;
	exp->actor[RING_A].skew = PAGE_SKEW;
	exp->arena[0].bytes += PAGE;
}

/* -- what came back --------------------------------------------------------- */

struct tally {
	double all;
	double slow;
	double cycles;
};

/* Hops of a ring, once all has settled. */
static void count(const struct mp_batch *batch, uint32_t actor, double bound,
		  struct tally *tally)
{
	const uint32_t cold = batch->exp.rounds / TURNS * COLD;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;
		double ticks = 0;

		if (sample->actor != actor || sample->round < cold ||
		    !mp_sample_calm(sample) ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
			const double one = (double)word[w] -
					   batch->grant.read_ticks;
			const double n = (double)word[w + 1];

			ticks += one * n;
			if (mp_clock_cycles(batch, one) > bound)
				tally->slow += n;
		}
		tally->all += (double)sample->hops;
		tally->cycles += mp_clock_cycles(batch, ticks);
	}
}

/* The share of a ring's hops that missed level @k, or what one took. */
static double seen(const struct rig *rig, const struct mp_batch *batch,
		   uint32_t actor, uint32_t k)
{
	const bool single = mp_cpu_is_told(rig->edges, rig->k);
	struct tally tally = { 0 };

	count(batch, actor, single ? rig->edges->spectrum.bound[k] : INFINITY,
	      &tally);
	return (single ? tally.slow : tally.cycles) / tally.all;
}

/* Lines of F that leave the levels inside, for each slot that A visits. */
static double leak_of(const struct rig *rig, const struct mp_batch *batch)
{
	const struct mp_edge *inner = &rig->edges->edge[rig->k - 1];
	const double slots = (double)(rig->fill / rig->fill_stride);
	double missed = seen(rig, batch, RING_F, rig->k - 1);

	if (!mp_cpu_is_told(rig->edges, rig->k))
		missed = (missed - inner->inside) /
			 (inner->outside - inner->inside);
	return missed * slots /
	       (double)(rig->chunk / rig->sweep.stride);
}

static uint64_t length_of(const struct rig *rig, double step)
{
	const double bytes = LENGTHS_FROM * exp2(step / LENGTHS);

	return (uint64_t)(bytes / (double)rig->sweep.stride + 0.5) *
	       rig->sweep.stride;
}

static double step_of(double bytes)
{
	return LENGTHS * log2(bytes / LENGTHS_FROM);
}

/* The point of one length. @leak: of F, as its replicates have it together. */
static void gather(const struct rig *rig, uint64_t length,
		   struct mp_edge_point *point, double *leak, double *page)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const struct mp_view *view = rig->view;
	struct mp_exp exp;
	uint64_t id;

	make_exp(rig, length, &exp);
	id = mp_exp_id(&exp);
	point->x = (double)length;
	point->n = 0;
	*leak = 0;
	while ((batch = mp_view_next(view, id, &at))) {
		double y;

		if (!mp_batch_counts(batch) ||
		    point->n == MP_EDGE_PASSES)
			continue;
		y = seen(rig, batch, RING_A, rig->k);
		if (isnan(y))
			continue;
		point->y[point->n++] = y;
		*leak += leak_of(rig, batch);
		*page = mp_cpu_scattered(batch) ? PAGE : 0;
	}
	*leak /= point->n;
}

static int want(const struct rig *rig, uint64_t length, struct mp_plan *plan)
{
	struct mp_exp exp;

	make_exp(rig, length, &exp);
	return mp_plan_add(plan, &exp, REPLICATES);
}

/* -- the rings -------------------------------------------------------------- */

static bool rig_init(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct rig *rig)
{
	const double most = fmin(ARENA_MAX, (double)view->arena_max_bytes);
	struct mp_sweep inner;

	memset(rig, 0, sizeof(*rig));
	if (!(view->caps & MP_CAP_PHASES) || !k || k >= edges->doubt.level ||
	    k >= edges->muddled || !edges->fitted[k] || !edges->fitted[k - 1] ||
	    edges->edge[k].high > edges->edge[k].low * MP_CPU_APART_MAX ||
	    edges->edge[k].high * TO + edges->edge[k - 1].high > most)
		return false;
	rig->view = view;
	rig->edges = edges;
	rig->k = k;
	mp_cpu_level_sweep(view, edges, k - 1, 0, &inner);
	mp_cpu_level_sweep(view, edges, k, 0, &rig->sweep);
	rig->fill_stride = inner.stride;
	return true;
}

/* The most of F that stays inside: tried at one length.
 * Return: which; FILLS: none. @lacks: what is to be measured to know it. */
static uint32_t choose_fill(struct rig *rig, uint64_t *lacks)
{
	struct mp_edge_point point;

	*lacks = 0;
	for (uint32_t i = 0; i < FILLS; i++) {
		double leak, page;
		uint64_t length;

		if (!lay(rig, fill_part[i]))
			continue;
		length = length_of(rig, round(step_of(sqrt(rig->least *
							   rig->most))));
		gather(rig, length, &point, &leak, &page);
		if (!point.n)
			*lacks = length;
		if (!point.n || leak <= LEAK_LITTLE)
			return i;
	}
	return FILLS;
}

int mp_cpu_alone_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	struct mp_exp exp;
	uint64_t lacks;
	struct rig rig;
	int err = 0;

	if (!rig_init(view, edges, k, &rig) ||
	    choose_fill(&rig, &lacks) == FILLS)
		return 0;
	if (lacks)
		return want(&rig, lacks, plan);
	if (mp_cpu_is_told(edges, k)) {
		make_pages_exp(&rig, &exp);
		err = mp_plan_add(plan, &exp, REPLICATES);
	}
	for (double step = ceil(step_of(rig.least));
	     step <= step_of(rig.most) && !err; step++)
		err = want(&rig, length_of(&rig, step), plan);
	return err;
}

/* All lengths, and what F leaks at each. */
static void gather_all(const struct rig *rig, struct mp_edge_data *data,
		       double leak[MP_EDGE_POINTS], struct mp_cpu_alone *alone)
{
	for (double step = ceil(step_of(rig->least));
	     step <= step_of(rig->most) && data->n < MP_EDGE_POINTS; step++) {
		const uint64_t length = length_of(rig, step);
		struct mp_exp exp;

		gather(rig, length, &data->point[data->n], &leak[data->n],
		       &data->page_bytes);
		if (!data->point[data->n].n)
			continue;
		make_exp(rig, length, &exp);
		alone->id[data->n++ > 0] = mp_exp_id(&exp);
	}
	data->from = rig->least;
	data->to = rig->most;
}

/* What F leaks while A fits, nearly. */
static double leak_until(const struct mp_edge_data *data, const double *leak,
			 double most)
{
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n && data->point[i].x <= most; i++) {
		sum += leak[i];
		n++;
	}
	return sum / n;
}

/* How much nearer the edge is for what F leaks. In the innermost level each
 * line of F that is put out puts one of A out here, and is back before A goes
 * on: so many more hops of A miss than without. Further out it may stay in a
 * level where it is not looked for, and take A's room here. */
static double leak_factor(const struct rig *rig, const struct mp_edge *edge,
			  double leak)
{
	const struct mp_miss_table *table = rig->edges->table;

	if (rig->k > 1)
		return 1 + leak;
	return pow(mp_miss_inverse(table, edge->shape, 1 - MISS_FEW) /
		   mp_miss_inverse(table, edge->shape, MISS_FEW),
		   leak / (1 - 2 * MISS_FEW));
}

/* The share of a length's hops that miss this level. */
static double missing(const struct rig *rig, const struct mp_edge *edge,
		      const struct mp_edge_point *point)
{
	const double mean = mp_stat_mean(point->y, point->n);

	return mp_cpu_is_told(rig->edges, rig->k) ? mean : (mean - edge->inside) /
					   (edge->outside - edge->inside);
}

/* The share of A's hops that may be slow for a translation alone: each visit
 * comes to pages that others may have put out of the TLB meanwhile, all of them
 * where it is not known how many. */
static double untranslated(const struct rig *rig)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const double pages = (double)rig->chunk / PAGE + 1;
	double slow[MP_EDGE_PASSES];
	struct mp_exp exp;
	uint64_t id;
	uint32_t n = 0;

	make_pages_exp(rig, &exp);
	id = mp_exp_id(&exp);
	while (n < MP_EDGE_PASSES && (batch = mp_view_next(rig->view, id, &at))) {
		if (mp_batch_counts(batch))
			slow[n++] = seen(rig, batch, RING_A, rig->k);
	}
	return (n ? fmax(mp_stat_median(slow, n), 0) : 1) * pages *
	       (double)rig->sweep.stride / (double)rig->chunk;
}

/* What F leaves of the levels inside some sets of this one get more of than
 * others: the edge is blurred though lines fall on the sets evenly, and lies
 * anywhere on the way. But what no hop misses fits into both; and where some
 * do, more than for translation, this level is full, or else none of its sets
 * would be. */
static void limit_blurred(const struct rig *rig,
			  const struct mp_edge_data *data,
			  const struct mp_edge *edge, double leak, double left,
			  struct mp_cpu_alone *alone)
{
	const struct mp_cpu_edges *edges = rig->edges;
	const double most = MISS_NONE + leak + untranslated(rig);
	uint32_t i = 0;

	if (edges->table->shape[edge->shape].scatter == 0)
		return;
	while (i < data->n &&
	       missing(rig, edge, &data->point[i]) <= MISS_NONE + leak)
		i++;
	if (i)
		alone->low = fmin(alone->low, data->point[i - 1].x - left);
	alone->low = i ? fmax(alone->low, 1) : 1;
	while (i < data->n && missing(rig, edge, &data->point[i]) <= most)
		i++;
	if (i < data->n && mp_cpu_is_told(edges, rig->k) && mp_cpu_edge_plain(edges, rig->k))
		alone->high = fmin(alone->high, data->point[i].x *
				   leak_factor(rig, edge, leak));
	alone->size = mp_stat_between(alone->low, alone->high);
}

/* The edge is that of this level and of what F leaves of those inside, or of
 * a part of that. Limits of both are no matter of each other. */
static void set_limits(const struct rig *rig, const struct mp_edge_data *data,
		       const struct mp_edge *edge, double leak,
		       struct mp_cpu_alone *alone)
{
	const struct mp_edge *inner = &rig->edges->edge[rig->k - 1];
	const double left = inner->size - (double)rig->fill +
			    (double)rig->chunk * (rig->k > 1 ? 1 : leak);
	const double least = edge->size - left -
			     hypot(edge->size - edge->low,
				   inner->high - inner->size);

	alone->known = true;
	alone->low = fmax(least, 1);
	alone->high = edge->high * leak_factor(rig, edge, leak);
	alone->size = fmin(fmax(edge->size - left / 2, alone->low),
			   alone->high);
	limit_blurred(rig, data, edge, leak, left, alone);
}

static void find(const struct rig *rig, struct mp_edge_data *data,
		 struct mp_cpu_alone *alone)
{
	const struct mp_cpu_edges *edges = rig->edges;
	double leak[MP_EDGE_POINTS], leaked;
	struct mp_edge edge;

	gather_all(rig, data, leak, alone);
	data->is_share = mp_cpu_is_told(edges, rig->k) && !edges->full;
	if (!mp_cpu_edge_of(rig->view, edges, rig->k, false, data, &edge))
		return;
	leaked = leak_until(data, leak, edge.high);
	if (leaked <= LEAK_MAX)
		set_limits(rig, data, &edge, fmax(leaked, 0), alone);
}

int mp_cpu_alone_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_alone *alone)
{
	struct mp_edge_data *data;
	uint64_t lacks;
	struct rig rig;

	memset(alone, 0, sizeof(*alone));
	if (!rig_init(view, edges, k, &rig) ||
	    choose_fill(&rig, &lacks) == FILLS || lacks)
		return 0;
	data = calloc(1, sizeof(*data));
	if (!data)
		return -ENOMEM;
	find(&rig, data, alone);
	free(data);
	return 0;
}
