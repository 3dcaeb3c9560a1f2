// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of pages that follow each other, and rings of pages of one colour.
 *
 * Each visit to a page loads another line of it first, which brings its
 * translation, and then those that are timed, which lie as far into it in all
 * pages. Pages that lie so far apart fall on all sets that others of the same
 * place in them do, or on fewer: an outer level has no more room for these. So
 * where its edge is in the same place it is not exclusive, whatever the rest;
 * and where it is nearer by what the level inside lacks it is, unless it has
 * colours itself: then it would be half as far at the most.
 */
#include "probe/cpu_colour.h"

#include <math.h>
#include <string.h>

#include "backend.h"
#include "ioctl/memprobe.h"
#include "limits.h"
#include "perm.h"
#include "probe/cpu_hot.h"
#include "probe/cpu_tally.h"
#include "steps.h"

#define REPLICATES 6u
/* Turns of a ring, and of these those until what is in the levels has
 * settled. */
#define TURNS 12u
#define COLD 4u
#define PAGE 4096u
#define ARENA_MAX (64u << 20)
/* Lines of a page: what brings its translation, and those that are timed, with
 * no step between them that is another's. No two share a line of any level. */
#define TIMED_MAX 2u
static const uint32_t line_at[1 + TIMED_MAX] = { 0, 1344, 2880 };
/* Of each so many pages the first few are taken: such as a level of as many
 * colours, or of a multiple, has few of. Where these few are a power of two, so
 * is the other: a level further out has the same colours then, or has these
 * pages on all of its own as often. */
static const struct few {
	uint32_t of;
	uint32_t first;
} fews[] = {
	{ 2, 1 }, { 3, 1 }, { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 }, { 8, 1 },
	{ 9, 1 }, { 10, 1 }, { 12, 1 }, { 14, 1 }, { 16, 1 }, { 20, 1 },
	{ 24, 1 }, { 28, 1 }, { 32, 1 }, { 4, 2 }, { 8, 2 }, { 8, 4 },
	{ 16, 4 }, { 16, 8 }, { 32, 8 },
};
#define FEWS (sizeof(fews) / sizeof(fews[0]))
static const struct few every = { 1, 1 };
/* A ring for so much of the level inside fits that, but for so few hops; of few
 * colours so many miss it; and a shorter one may tell how few they are. */
#define TRIED 0.75
#define TRIED_SHORT 0.3
#define TRIED_FITS 0.2
#define TRIED_MISSES 0.4
/* .. and one for so much of this one, without what the level inside has, fits. */
#define TRIED_OUTER 0.9
/* So many of them are looked at in full. */
#define LOOKS 3u
/* The level inside has room for so many pages at least. */
#define PAGES_LEAST 4.0
/* Lengths of rings, in what a level holds, and how many to the octave. */
#define INNER_FROM 0.125
#define INNER_TO 1.3
#define INNER_GRAIN 6.0
#define OUTER_FROM 0.75
#define OUTER_TO 1.35
#define OUTER_GRAIN 12.0
/* A ring's first length misses so little, and its last so much more. */
#define FIRST_MOST 0.35
#define RISE_LEAST 0.35
/* The level inside has room for so much of a colour's pages, at most; and what
 * it lacks of them moves an exclusive level's edge so far, at least. */
#define PART_MOST 0.75
#define EXPECTED_LEAST 0.12
/* Where the edge of a level that is not exclusive lies, and that of one that is,
 * in parts of that; and no farther than this, as a level of two colours has it
 * at half. */
#define STAYS 0.3
#define MOVES_LEAST 0.6
#define MOVES_MOST 1.5
#define MOVES_AT_ALL 0.45
#define SIGMAS 2.5
/* Of those that miss so many may miss the next level, too. */
#define BEYOND_MAX 0.3
/* So few of a ring's hops come to the level that nothing is said of it. */
#define COME_LEAST 0.1

struct rig {
	const struct mp_view *view;
	const struct mp_cpu_edges *edges;
	uint32_t k;
	struct mp_sweep sweep;
	uint64_t unit;		/* bytes from page to page */
	uint32_t timed;		/* lines of a page */
	double inner;		/* pages that the level inside has room for */
	double outer;		/* .. and this one */
	struct mp_plan *plan;	/* gets what is lacking; NULL: nothing is wanted */
	bool lacks;
	int err;
};

/* -- a ring ----------------------------------------------------------------- */

static uint64_t place_of(const struct few *few, uint64_t page)
{
	return page / few->first * few->of + page % few->first;
}

static void make_exp(const struct rig *rig, const struct few *few,
		     uint32_t pages, struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[0];
	uint32_t order[MP_EXP_STEPS];
	struct mp_rng rng;

	mp_exp_chase(exp, rig->sweep.cpu, rig->sweep.pages,
		     (place_of(few, pages - 1) + 1) * rig->unit, MP_STEPS_SLOT,
		     0);
	exp->arena[0].node = rig->sweep.node;
	exp->quiet = rig->sweep.quiet;
	actor->op = MP_OP_SEQUENCE;
	actor->warm_hops = 0;
	actor->detail = MP_DETAIL_HIST;
	actor->group = 1;
	actor->bursts = TURNS;
	mp_rng_seed(&rng, pages);
	mp_perm_order(order, pages, 0, &rng);
	for (uint32_t i = 0; i < pages; i++)
		for (uint32_t l = 0; l <= rig->timed; l++)
			exp->steps[exp->n_steps++] =
				(uint32_t)((place_of(few, order[i]) * rig->unit +
					    line_at[l]) / MP_STEPS_SLOT) << 2 |
				(l ? MEMPROBE_STEP_TIME : MEMPROBE_STEP_TOUCH);
}

static void tally_of(const struct rig *rig, const struct mp_batch *batch,
		     struct mp_cpu_tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	for (uint32_t i = COLD; i < batch->n_samples; i++)
		if (mp_sample_calm(&batch->sample[i]) &&
		    batch->sample[i].payload_kind == MEMPROBE_PAYLOAD_HIST)
			mp_cpu_tally_add(batch, &batch->sample[i],
					 &rig->edges->spectrum, rig->k, tally);
}

/* Where an edge lies: a logarithm, up to a constant that is all rings'. */
struct edge {
	double at[REPLICATES];
	double first;
	double last;
	double missed;
	double beyond;
	bool scattered;		/* its pages are small, and lie anywhere */
	uint64_t id;		/* of its longest ring */
};

/* A ring's replicates. Return: how many there are; more are wanted if not
 * all. */
static uint32_t look(struct rig *rig, const struct few *few, uint32_t pages,
		     struct mp_cpu_tally tally[REPLICATES], struct edge *edge)
{
	const struct mp_view *view = rig->view;
	const struct mp_batch *batch;
	uint32_t at = 0, n = 0;
	struct mp_exp exp;

	make_exp(rig, few, pages, &exp);
	edge->id = mp_exp_id(&exp);
	while (n < REPLICATES &&
	       (batch = mp_view_next(view, edge->id, &at))) {
		if (batch->error || !mp_batch_counts(batch))
			continue;
		edge->scattered &= mp_cpu_scattered(batch);
		tally_of(rig, batch, &tally[n]);
		n += tally[n].all > 0;
	}
	if (n == REPLICATES)
		return n;
	rig->lacks = true;
	if (rig->plan && !rig->err)
		rig->err = mp_plan_add(rig->plan, &exp, REPLICATES);
	return n;
}

/* -- an edge ---------------------------------------------------------------- */

/* Of hops that come to a level, the share that it lacks. */
static double lacked(const struct mp_cpu_tally *tally, bool inner)
{
	const double come = tally->all - tally->inside;

	if (inner)
		return come / tally->all;
	return come > COME_LEAST * tally->all ? tally->slow / come : 0;
}

/* Along the lengths of a level, the room that is left. */
static bool find_edge(struct rig *rig, const struct few *few, bool inner,
		      struct edge *edge)
{
	const double low = inner ? INNER_FROM * rig->inner :
				   OUTER_FROM * (rig->outer - rig->inner);
	const double high = inner ? INNER_TO * rig->inner :
				    OUTER_TO * rig->outer;
	const double grain = inner ? INNER_GRAIN : OUTER_GRAIN;
	uint32_t pages, before = 0;
	double room[REPLICATES];
	bool all = true;

	memset(edge, 0, sizeof(*edge));
	edge->scattered = true;
	for (double step = ceil(grain * log2(fmax(low, 1)));
	     step <= grain * log2(high); step++) {
		struct mp_cpu_tally tally[REPLICATES];
		double mean = 0;

		pages = (uint32_t)(exp2(step / grain) + 0.5);
		if (pages == before)
			continue;
		if (look(rig, few, pages, tally, edge) < REPLICATES) {
			all = false;
			continue;
		}
		for (uint32_t i = 0; i < REPLICATES; i++) {
			const double lack = lacked(&tally[i], inner);

			if (before)
				edge->at[i] += (room[i] + 1 - lack) / 2 *
					       log((double)pages / before);
			room[i] = 1 - lack;
			mean += lack / REPLICATES;
			edge->missed += tally[i].slow;
			edge->beyond += tally[i].beyond;
		}
		if (!before)
			edge->first = mean;
		edge->last = mean;
		before = pages;
	}
	return all && before;
}

/* How much farther in is the edge of one colour? @error: a standard error. */
static double shift_of(const struct edge *all, const struct edge *few,
		       double *error)
{
	const double rise = all->last - all->first;
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < REPLICATES; i++) {
		const double one = (all->at[i] - few->at[i]) / rise;

		sum += one;
		squares += one * one;
	}
	*error = sqrt(fmax(squares - sum * sum / REPLICATES, 0) /
		      (REPLICATES * (REPLICATES - 1)));
	return sum / REPLICATES;
}

static bool is_clear(const struct edge *all)
{
	return all->first <= FIRST_MOST &&
	       all->last - all->first >= RISE_LEAST;
}

/* An inclusive level further out may have put lines out of all. */
static bool is_own(const struct edge *edge)
{
	return edge->beyond <= BEYOND_MAX * edge->missed;
}

/* -- colours ---------------------------------------------------------------- */

/* Hops of a ring of so many pages that miss a level; NaN: it has not been
 * walked. */
static double tried(struct rig *rig, const struct few *few, double pages,
		    bool inner)
{
	struct mp_cpu_tally tally[REPLICATES];
	double missed = 0;
	struct edge none = { .scattered = true };

	/* Edges move a little as more is known of them; rings are to stay. */
	pages = exp2(round(OUTER_GRAIN * log2(fmax(pages, 1))) / OUTER_GRAIN);
	if (look(rig, few, (uint32_t)(pages + 0.5), tally, &none) < REPLICATES)
		return NAN;
	for (uint32_t i = 0; i < REPLICATES; i++)
		missed += lacked(&tally[i], inner) / REPLICATES;
	return missed;
}

/* How much better some pages are than others; 0: they are no good. */
static double worth_of(struct rig *rig, const struct few *few)
{
	const double most = fmin(ARENA_MAX, (double)rig->view->arena_max_bytes);
	double missed, brief, other;

	if (few->of > rig->inner * few->first ||
	    OUTER_TO * rig->outer * few->of / few->first *
	    (double)rig->unit > most)
		return 0;
	missed = tried(rig, few, TRIED * rig->inner, true);
	brief = tried(rig, few, TRIED_SHORT * rig->inner, true);
	other = tried(rig, few, TRIED_OUTER * (rig->outer - rig->inner), false);
	return missed >= TRIED_MISSES && other <= FIRST_MOST ?
		       missed + brief - other : 0;
}

/* The pages that are worth most, in order. Return: how many there are. */
static uint32_t find_few(struct rig *rig, const struct few *best[LOOKS])
{
	const double fits = tried(rig, &every, TRIED * rig->inner, true);
	double worth[FEWS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < FEWS; i++)
		worth[i] = worth_of(rig, &fews[i]);
	if (rig->lacks || fits > TRIED_FITS)
		return 0;
	while (n < LOOKS) {
		uint32_t most = 0;

		for (uint32_t i = 1; i < FEWS; i++)
			most = worth[i] > worth[most] ? i : most;
		if (!(worth[most] > 0))
			break;
		best[n++] = &fews[most];
		worth[most] = 0;
	}
	return n;
}

static bool rig_init(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct rig *rig)
{
	const struct mp_edge *edge = &edges->edge[k];

	memset(rig, 0, sizeof(*rig));
	/* Where sets are no power of two a line of each page fills no level. */
	if (!(view->caps & MP_CAP_SEQUENCE) || !mp_cpu_is_told(edges, k) || edges->full ||
	    !k || k >= edges->doubt.level || k >= edges->muddled ||
	    !edges->fitted[k] || !edges->fitted[k - 1] ||
	    edges->spectrum.blurred[k - 1] || edges->spectrum.blurred[k] ||
	    mp_cpu_may_hide(edges, k))
		return false;
	rig->view = view;
	rig->edges = edges;
	rig->k = k;
	mp_cpu_level_sweep(view, edges, k, 0, &rig->sweep);
	rig->unit = PAGE;
	while (OUTER_TO * edge->size / (double)rig->unit * 2 > MP_EXP_STEPS)
		rig->unit *= 2;
	rig->inner = edge[-1].size / (double)rig->unit;
	rig->outer = edge->size / (double)rig->unit;
	rig->timed = OUTER_TO * rig->outer * (1 + TIMED_MAX) > MP_EXP_STEPS ?
		     1 : TIMED_MAX;
	return rig->inner >= PAGES_LEAST && rig->outer > rig->inner;
}

/* This level has room for as many pages of few colours as of all, but for what
 * the one inside lacks if it is exclusive. Pages that lie in a row may fall on
 * the slices of a hashed level less evenly if some are left out: that is none. */
static void decide(const struct edge *all, const struct edge *some,
		   struct mp_cpu_colour *colour)
{
	const double far = colour->shift + SIGMAS * colour->error;
	const double near = colour->shift - SIGMAS * colour->error;

	if (!is_clear(all) || !is_own(all) || !is_own(some) ||
	    colour->expected < EXPECTED_LEAST)
		return;
	if (far < STAYS * colour->expected)
		colour->holds = MP_CPU_HOLDS_NO_OTHERS;
	else if (all->scattered && some->scattered &&
		 near > MOVES_LEAST * colour->expected &&
		 far < MOVES_MOST * colour->expected && far < MOVES_AT_ALL)
		colour->holds = MP_CPU_HOLDS_OTHERS;
}

/* .. of some pages. */
static void ask(struct rig *rig, const struct few *few,
		struct mp_cpu_colour *colour)
{
	struct edge all_inner, few_inner, all, some;
	double error;

	memset(colour, 0, sizeof(*colour));
	/* Whatever of these is lacking is wanted, all at once. */
	find_edge(rig, &every, true, &all_inner);
	find_edge(rig, few, true, &few_inner);
	find_edge(rig, &every, false, &all);
	find_edge(rig, few, false, &some);
	if (rig->lacks || !is_clear(&all_inner))
		return;
	colour->of = few->of;
	colour->first = few->first;
	colour->part = exp(-shift_of(&all_inner, &few_inner, &error));
	if (!(colour->part <= PART_MOST))
		return;
	colour->expected = -log(1 - (1 - colour->part) * rig->inner /
				rig->outer);
	colour->shift = shift_of(&all, &some, &colour->error);
	colour->id[0] = all.id;
	colour->id[1] = some.id;
	decide(&all, &some, colour);
}

static void search(struct rig *rig, struct mp_cpu_colour *colour)
{
	const struct few *best[LOOKS];
	const uint32_t n = find_few(rig, best);

	for (uint32_t i = 0; i < n && !rig->lacks && !colour->holds; i++) {
		if (rig->plan)
			rig->plan->stage++;
		ask(rig, best[i], colour);
	}
}

int mp_cpu_colour_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_plan *plan)
{
	struct mp_cpu_colour colour = { 0 };
	struct rig rig;

	if (!rig_init(view, edges, k, &rig))
		return 0;
	rig.plan = plan;
	search(&rig, &colour);
	return rig.err;
}

void mp_cpu_colour_judge(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_cpu_colour *colour)
{
	struct rig rig;

	memset(colour, 0, sizeof(*colour));
	if (rig_init(view, edges, k, &rig))
		search(&rig, colour);
}
