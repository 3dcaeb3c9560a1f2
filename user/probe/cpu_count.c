// SPDX-License-Identifier: GPL-2.0
/*
 * Counting a crowd: two rings over the same lines, each in an order of its own.
 *
 * A goes round all of them, several times as many as there is room for, so
 * that every set is full. Then B goes on for a few hops, each timed. A line of
 * B was last used at no particular moment, so that it is found with the odds
 * that any line of them has: as many of them are in the level as it has room
 * for. That is so for every way to throw lines out, and wherever pages lie, but for
 * a few huge ones of which a way has several.
 *
 * Building a ring walks it. So a third one is built last, over other lines: else
 * those that B's building left, and A found, would be used more than others.
 *
 * Lines that B has loaded before may be there or not: the limits hold both.
 */
#include "probe/cpu_count.h"

#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_between.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_learnt.h"

/* A, in sizes of the level; as long as it fits the next one, if it may be so
 * short. What B loads is to be gone when A comes by it, or policies that keep
 * what is used twice keep the more of what B has seen. */
#define CROWD 3.0
#define CROWD_LEAST MP_CPU_COUNT_CROWD_LEAST
/* Slots side by side may be of one line, or of its sectors: A visits them one
 * after another, and B one of so many bytes. */
#define LINE_LONGEST 256u
/* B's hops of a round, as a share of what fits, at most. */
#define LOOKS_MOST 0.25
/* .. and of a replicate, which comes by each slot once. */
#define LOOKS_WANTED 1000.0
#define REPLICATES 3.0
#define HOPS_MAX 2e6
/* Hops of a burst of either. */
#define B_HOPS 512u
#define A_HOPS 8192u
/* So few pages are no matter of translation; of others B looks for so many
 * slots in a row at least. */
#define PAGES_FEW 8u
#define PAGE 4096u
#define ROW_LEAST 4u
/* In the first half of a row prefetchers bring two in a hundred of what is found there,
 * and three at times (cpu_learnt.h): too few for any but a closer count. */
#define LEARNT_EARLY 0.04
/* Where B's words lie in a slot. */
#define BESIDE 8u
/* Fits move a little as more is known: lengths to the octave; .. in little room. */
#define GRAIN 4
#define GRAIN_FINE (4 * GRAIN)
#define INTERRUPTED_NS 1500.0
#define SIGMAS 2.0
/* Limits so far apart leave a level open; and of one further out those wider than
 * sets that fill evenly make them, as they are as good as the family of shapes. */
#define OPEN 1.2
#define BLURRED 1.1
/* A level outside has half as much again, and more, as the one inside. Where all
 * that may be hidden of it were seen, so large a part at least would show. */
#define OUTSIDE 1.5
#define SHOWS 0.25
/* .. and so large a part of the hops, lest chance hides it. */
#define SHOWS_LEAST 0.01
/* So few rows say nothing of how they differ. */
#define ROWS_LEAST 12u

/* B's hops of a round, as a share of what fits, and of all; the hops of all
 * replicates, which are no more than so many. */
struct effort {
	double looks;
	double all;
	double replicates;
	double hops;
};

static const struct effort usual = { 0.08, 5000, 16, INFINITY };
/* A quarter of what B's own hops leave open, and half of what chance does. */
static const struct effort closer = { 0.02, 20000, 64, 12e6 };
/* Of those that others leave room for chance leaves more open. */
static const struct effort still = { 0.04, 8000, 24, 6e6 };
/* Limits of a size that are wider than it wants, by no more than a closer count
 * may mend: of the 13 % above and 5 below that the usual one leaves open a third
 * is left. */
#define CLOSER_FROM 1.25
#define CLOSER_TO 1.45

enum who { RING_A, RING_B, RING_Z, RINGS };

/* -- the rings -------------------------------------------------------------- */

/* What is brought along takes room of what is counted: rings that are not full
 * leave it out, if the line is known. */
static bool is_alone(const struct mp_view *view,
		     const struct mp_cpu_edges *edges)
{
	return !mp_cpu_may_prefetch(view) ||
	       (!edges->full && !isnan(mp_cpu_value(view, "l1d", "line")));
}

static bool is_countable(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k)
{
	return view->caps & MP_CAP_PHASES && mp_cpu_is_told(edges, k) &&
	       k < edges->doubt.level && k < edges->muddled &&
	       edges->fitted[k] && !edges->spectrum.blurred[k] &&
	       is_alone(view, edges);
}

/* How long A is, in bytes, for a level of @size, or nearly: @about. */
static double crowd_of(const struct mp_cpu_edges *edges, uint32_t k,
		       double size, double about)
{
	const double next = k + 1 >= edges->n ? INFINITY :
			    MP_CPU_COUNT_FITS *
				    (edges->fitted[k + 1] ? edges->edge[k + 1].low :
				     edges->level[k + 1].low_bytes);
	double least;

	if (next > CROWD * size)
		return CROWD * about;
	least = mp_cpu_coarse(next * exp2(-0.5 / GRAIN), GRAIN);
	if (least < CROWD_LEAST * size)
		least = exp2(floor(log2(next) * GRAIN_FINE) / GRAIN_FINE);
	return least >= CROWD_LEAST * size ? least : CROWD * about;
}

/* Slots of a page that are looked for in a row: the first of them pays for the
 * translation. */
static uint32_t row_of(double looks, double crowd, uint64_t apart)
{
	uint32_t row = (uint32_t)(PAGE / apart);

	if (crowd <= PAGES_FEW * PAGE)
		return 1;
	while (row > ROW_LEAST && row > looks)
		row /= 2;
	return row;
}

/* How much of them is looked for, and how often. */
static bool set_looks(const struct effort *effort, double fits,
		      struct mp_cpu_count *count)
{
	const double turn = (double)(count->slots *
				     (count->apart / count->stride));
	double rounds, wanted, counted = 1;

	if (count->may_learn && count->row > 1)
		counted = (count->row / 2 - 1.0) / count->row;
	count->looks = (uint32_t)fmax(fmin(effort->looks * fits, LOOKS_WANTED) /
				      count->row, 1) * count->row;
	rounds = fmin(fmin(ceil(LOOKS_WANTED / count->looks),
			   floor((double)count->slots / count->looks)),
		      floor(HOPS_MAX / turn));
	count->rounds = (uint32_t)fmin(rounds, MP_ROUNDS_MAX);
	wanted = fmin(effort->all / (counted * count->rounds * count->looks),
		      effort->hops / (turn * count->rounds));
	count->replicates = (uint32_t)fmin(fmax(wanted, REPLICATES),
					   effort->replicates);
	return count->looks <= LOOKS_MOST * fits && count->rounds;
}

/* Rings for a level of @size, or nearly: @about. */
static void lay(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, double size, double about,
		const struct effort *effort, struct mp_cpu_count *count)
{
	struct mp_sweep sweep;
	double crowd, fits;

	memset(count, 0, sizeof(*count));
	mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	count->size = size;
	count->stride = sweep.stride;
	count->apart = sweep.stride < LINE_LONGEST ? LINE_LONGEST :
						     sweep.stride;
	crowd = crowd_of(edges, k, size, about);
	fits = about / (double)count->apart;
	count->row = row_of(effort->looks * fits, crowd, count->apart);
	count->may_learn = mp_cpu_may_prefetch(view);
	count->slots = (uint64_t)(crowd / (double)count->apart) / count->row *
		       count->row;
	if (!set_looks(effort, fits, count) ||
	    2 * (count->slots * count->apart + PAGE) > view->arena_max_bytes)
		count->slots = 0;
}

void mp_cpu_count_lay(const struct mp_view *view, struct mp_cpu_edges *edges,
		      uint32_t k)
{
	const double size = edges->edge[k].size;

	memset(&edges->count[k], 0, sizeof(edges->count[k]));
	if (is_countable(view, edges, k))
		lay(view, edges, k, size, mp_cpu_coarse(size, GRAIN), &usual,
		    &edges->count[k]);
}

void mp_cpu_count_lay_still(const struct mp_view *view,
			    const struct mp_cpu_edges *edges, uint32_t k,
			    struct mp_cpu_count *count)
{
	const double size = edges->edge[k].size;

	memset(count, 0, sizeof(*count));
	if (is_countable(view, edges, k))
		lay(view, edges, k, size, mp_cpu_coarse(size, GRAIN), &still,
		    count);
}

/* A closer count goes by what the first one found, as the edge may lie far from
 * what a level holds with those inside; and not by what that has made of the edge. */
static void lay_closer(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       const struct mp_cpu_count *first,
		       struct mp_cpu_count *count)
{
	const double size = fmax(first->size, first->all_low);

	lay(view, edges, k, size,
	    mp_cpu_coarse(size * exp2(0.5 / GRAIN), GRAIN), &closer, count);
	count->closer = true;
}

static uint32_t bursts_of(uint64_t hops, uint32_t most)
{
	return (uint32_t)((hops + most - 1) / most);
}

void mp_cpu_count_exp(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_cpu_count *count, struct mp_exp *exp)
{
	const uint64_t length = count->slots * count->apart;
	const uint64_t turn = length / count->stride;
	struct mp_actor *a = &exp->actor[RING_A], *b = &exp->actor[RING_B];
	struct mp_actor *z = &exp->actor[RING_Z];
	struct mp_sweep sweep;

	mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	mp_exp_chase(exp, sweep.cpu, sweep.pages, 2 * (length + PAGE),
		     count->stride, 0);
	exp->arena[0].node = sweep.node;
	exp->quiet = sweep.quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = count->rounds;
	exp->n_actors = RINGS;
	a->length = length;
	a->reach = count->apart > count->stride ? count->apart : 0;
	a->warm_hops = turn;
	a->bursts = bursts_of(turn, A_HOPS);
	a->hops = (turn + a->bursts - 1) / a->bursts;
	*b = *z = *a;
	b->phase = 1;
	b->stride = count->apart;
	b->offset = BESIDE;
	b->reach = count->row > 1 ? count->row * count->apart : 0;
	b->warm_hops = 0;
	b->bursts = bursts_of(count->looks, B_HOPS / count->row * count->row);
	b->hops = count->looks / b->bursts / count->row * count->row;
	b->detail = MP_DETAIL_TICKS;
	b->group = 1;
	z->offset = (length + PAGE - 1 + BESIDE) / PAGE * PAGE;
	z->phase = 2;
	z->warm_hops = 0;
	z->hops = z->bursts = 1;
	z->every = count->rounds;
}

int mp_cpu_count_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	struct mp_exp exp;

	if (!edges->count[k].slots)
		return 0;
	mp_cpu_count_exp(view, edges, k, &edges->count[k], &exp);
	return mp_plan_add(plan, &exp, edges->count[k].replicates);
}

static bool is_wanted(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];
	const uint32_t policy = edges->table->shape[edge->shape].policy;

	return edges->count[k].known ||
	       (edges->fitted[k] &&
		(mp_cpu_may_hide(edges, k) ||
		 edge->high > edge->low * OPEN || (k && policy != MP_MISS_LRU) ||
		 (edge->high > edge->low * BLURRED &&
		  (k || !mp_cpu_edge_plain(edges, k)))));
}

int mp_cpu_count_plan_all(const struct mp_view *view,
			  const struct mp_cpu_edges *edges,
			  struct mp_plan *plan)
{
	int err = 0;

	for (uint32_t k = 0; k < edges->n && !err; k++)
		if (is_wanted(edges, k))
			err = mp_cpu_count_plan(view, edges, k, plan);
	return err;
}

/* -- what came back --------------------------------------------------------- */

/* Of which of the levels is a hop that counts? Those of @k itself, or all. */
enum whose { OWN, ALL, WHOSE };

/* Sums over rows: what hops say of how many are at home, at least and at most. */
struct sums {
	double rows;
	double sum[WHOSE][2];
	double squares[WHOSE][2];
	struct mp_cpu_halves halves;
	double hops;
	double strange;
	double hidden;
};

/* .. and over replicates, @n, each of which is a mean of its rows; if these may have
 * something in common, @may. */
struct apart {
	uint32_t n;
	bool may;
	double sum[WHOSE][2];
	double squares[WHOSE][2];
};

/* A hop says how many are at home that have yet to be looked for; and of those
 * that were looked for before, @seen, none may be there, or all. */
static double says(const struct mp_cpu_count *count, double seen, bool found,
		   uint32_t all)
{
	return (found ? (double)count->slots - seen : 0) + all * seen;
}

static void add_row(const double row[WHOSE][2], double hops,
		    struct sums *sums)
{
	if (!(hops > 0))
		return;
	sums->rows++;
	for (uint32_t w = 0; w < WHOSE; w++) {
		for (uint32_t i = 0; i < 2; i++) {
			const double mean = row[w][i] / hops;

			sums->sum[w][i] += mean;
			sums->squares[w][i] += mean * mean;
		}
	}
}

/* Of which hops of a row is it counted how many are found? The first one pays
 * for the translation; and the last half are only held against the others where
 * prefetchers may bring some. */
static bool is_counted(const struct mp_cpu_count *count, uint32_t i)
{
	const uint32_t at = i % count->row;

	return count->row == 1 ||
	       (at && (!count->may_learn || at < count->row / 2));
}

/* Is a burst to be left out for that? What is left is asked once more. */
static bool has_learnt(const struct mp_batch *batch,
		       const struct memprobe_sample *sample,
		       const struct mp_spectrum *at, uint32_t k,
		       const struct mp_cpu_count *count, struct sums *sums)
{
	struct mp_cpu_halves own = { .hops = { 0 } };

	if (!count->may_learn || count->row == 1)
		return false;
	mp_cpu_halves_take(batch, sample, at, k, count, &own);
	if (mp_cpu_halves_learnt(&own))
		return true;
	for (uint32_t i = 0; i < 2; i++) {
		sums->halves.hops[i] += own.hops[i];
		sums->halves.found[i] += own.found[i];
	}
	return false;
}

/* Does a hop take what no level does that is known? It is faster than memory. */
static bool is_strange(const struct mp_spectrum *at, double cycles, double step)
{
	for (uint32_t i = 0; i < at->n; i++)
		if (fabs(cycles - at->cycles[i]) <=
		    mp_cpu_between_slack(at->cycles[i], step))
			return false;
	return cycles < at->cycles[at->n - 1];
}

/* One burst of B: whole rows. */
static void take_burst(const struct mp_batch *batch,
		       const struct memprobe_sample *sample,
		       const struct mp_spectrum *at, uint32_t k,
		       const struct mp_cpu_count *count, double seen,
		       struct sums *sums)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	const double step = mp_spectrum_step(batch);
	double row[WHOSE][2] = { { 0 } }, hops = 0;

	for (uint32_t i = 0; i < sample->payload_count; i++) {
		const double ticks = (double)word[i] - batch->grant.read_ticks;
		const double cycles = mp_clock_cycles(batch, ticks);
		const bool found[WHOSE] = {
			[OWN] = cycles <= at->bound[k] &&
				(!k || cycles > at->bound[k - 1]),
			[ALL] = cycles <= at->bound[k],
		};
		const bool counts = mp_clock_ns(batch, ticks) < INTERRUPTED_NS &&
				    is_counted(count, i);

		for (uint32_t w = 0; w < WHOSE && counts; w++)
			for (uint32_t all = 0; all < 2; all++)
				row[w][all] += says(count, seen + i, found[w],
						     all);
		hops += counts;
		sums->hops += counts;
		if (counts && is_strange(at, cycles, step)) {
			sums->strange++;
			sums->hidden += found[OWN];
		}
		if ((i + 1) % count->row == 0) {
			add_row(row, hops, sums);
			memset(row, 0, sizeof(row));
			hops = 0;
		}
	}
}

/* Bursts of a round follow one another; one that was cut short shifts all that
 * come after it. */
static void take_batch(const struct mp_batch *batch,
		       const struct mp_spectrum *at, uint32_t k,
		       const struct mp_cpu_count *count, struct sums *sums)
{
	const struct mp_actor *b = &batch->exp.actor[RING_B];
	uint32_t round = 0;
	double seen = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor != RING_B)
			continue;
		if (sample->hops != b->hops || sample->payload_count != b->hops ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_TICKS)
			return;
		if (sample->round != round)
			seen = 0;
		round = sample->round;
		if (mp_sample_calm(sample) &&
		    !has_learnt(batch, sample, at, k, count, sums))
			take_burst(batch, sample, at, k, count, seen, sums);
		seen += (double)sample->hops;
	}
}

/* -- what follows ----------------------------------------------------------- */

/* Sets of so many ways that are full, of a crowd so many times what fits which
 * falls on them at random: a share of what there is room for. */
static double full(double times, uint32_t ways)
{
	const double mean = times * ways;
	double p = exp(-mean), room = 0;

	for (uint32_t n = 0; n < ways; n++, p *= mean / n)
		room += p * (ways - n);
	return 1 - room / ways;
}

/*
 * Which sets a few huge pages fall on is chance, in each replicate anew, and rows of
 * one all have it: of 4 MiB of one way a crowd in five pages found 2.2 once, and 3.7
 * and 4.0 in two others. So it may be where a way is longer than such a page; as many
 * as the best shape has may be twice as many as there are.
 */
static bool may_differ(const struct mp_cpu_edges *edges, uint32_t k,
		       const struct mp_batch *batch)
{
	const struct mp_grant_arena *arena = &batch->grant.arena[0];
	const struct mp_edge *edge = &edges->edge[k];

	return arena->huge_bytes > 0 && !arena->contiguous &&
	       edge->size > MP_CPU_HUGE_PAGE &&
	       edge->size > MP_CPU_HUGE_PAGE / 2 * edges->table->shape[edge->shape].ways;
}

static void add_apart(const struct sums *was, const struct sums *sums,
		      struct apart *apart)
{
	const double rows = sums->rows - was->rows;

	if (!(rows > 0))
		return;
	apart->n++;
	for (uint32_t w = 0; w < WHOSE; w++) {
		for (uint32_t i = 0; i < 2; i++) {
			const double mean = (sums->sum[w][i] - was->sum[w][i]) /
					    rows;

			apart->sum[w][i] += mean;
			apart->squares[w][i] += mean * mean;
		}
	}
}

/* A standard error of the mean of @n. */
static double error_among(double n, double sum, double squares, double free)
{
	const double mean = sum / n;

	return sqrt(fmax(squares / n - mean * mean, 0) / (n - free));
}

/* With what differs from one replicate to the next, if it may: a few say less of that
 * than two errors of them hold (Student's t, nearly). */
static double error_of(const struct sums *sums, const struct apart *apart,
		       uint32_t whose, uint32_t out)
{
	const double rows = error_among(sums->rows, sums->sum[whose][out],
					sums->squares[whose][out], 0);

	if (!apart->may || apart->n < 2)
		return rows;
	return fmax(rows, error_among(apart->n, apart->sum[whose][out],
				      apart->squares[whose][out], 1) *
			  (apart->n + 1) / (apart->n - 1));
}

static void set_limits(const struct mp_cpu_edges *edges, uint32_t k, bool be,
		       const struct sums *sums, const struct apart *apart,
		       struct mp_cpu_count *count)
{
	const uint32_t ways = edges->table->shape[edges->edge[k].shape].ways;
	const double each = (double)count->apart;
	const bool early = count->closer && count->may_learn && count->row > 1;
	double crowd, more, most;

	count->doubt = sums->sum[OWN][0] > 0 ?
		       error_of(sums, apart, OWN, 0) * sums->rows / sums->sum[OWN][0] :
		       INFINITY;
	count->all = sums->sum[ALL][0] / sums->rows * each;
	/* What is kept of a short one hides what it is too short for. How replicates lie
	 * is no matter of that. */
	most = count->all;
	if (mp_cpu_count_is_more(edges, k, count->all))
		most += SIGMAS * each * error_among(sums->rows, sums->sum[ALL][0],
						    sums->squares[ALL][0], 0);
	crowd = (double)count->slots * each / fmax(most, edges->edge[k].size);
	count->brief = crowd < CROWD_LEAST;
	more = each * (1 + (double)count->looks / (double)count->slots) /
	       full(crowd, ways > MP_CPU_CROWDED_WAYS ? 2 : 1);
	for (uint32_t w = 0; w < WHOSE; w++) {
		double *low = w == OWN ? &count->own_low : &count->all_low;
		double *high = w == OWN ? &count->own_high : &count->all_high;

		*low = fmax(sums->sum[w][0] / sums->rows -
			    SIGMAS * error_of(sums, apart, w, 0), 0) * each *
		       (early ? 1 - LEARNT_EARLY : 1);
		*high = (sums->sum[w][1] / sums->rows +
			 SIGMAS * error_of(sums, apart, w, 1)) * more;
	}
	count->found = count->brief ? INFINITY : count->all_high;
	count->served = count->brief ? INFINITY : count->own_high;
	if (!be || count->brief)
		count->own_high = count->all_high = INFINITY;
}

/*
 * Does no level hide behind this one, or does one for certain? What one holds of a crowd
 * that fills all of its sets is more than all inside it have, and is found there: at a
 * latency that no ring has shown. If the level asked about is exclusive, it and those inside
 * may hold so much of it.
 */
static void look_behind(const struct mp_cpu_edges *edges, uint32_t k,
			const struct sums *sums, struct mp_cpu_count *count)
{
	const double crowd = (double)count->slots * (double)count->apart;
	double shows = fmax(edges->edge[k].size, count->all_low) *
		       (1 - 1 / OUTSIDE);

	for (uint32_t i = 0; i < k; i++)
		shows -= edges->fitted[i] ? edges->edge[i].high : INFINITY;
	if (count->brief || !(shows > crowd * SHOWS_LEAST / SHOWS))
		return;
	count->bare = sums->strange / sums->hops * crowd < shows * SHOWS;
	if (sums->hidden / sums->hops * crowd >= shows * SHOWS)
		count->hidden = sums->hidden / sums->hops * crowd;
}

void mp_cpu_count_take(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       uint64_t id, struct mp_cpu_count *count)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	struct sums sums = { 0 }, was;
	struct apart apart = { 0 };

	count->id = id;
	while ((batch = mp_view_next(view, count->id, &at))) {
		if (!mp_batch_counts(batch))
			continue;
		was = sums;
		take_batch(batch, &edges->spectrum, k, count, &sums);
		add_apart(&was, &sums, &apart);
		apart.may |= may_differ(edges, k, batch);
	}
	if (sums.rows < ROWS_LEAST || !(sums.sum[ALL][0] > 0) ||
	    mp_cpu_halves_learnt(&sums.halves) ||
	    (apart.may && apart.n < REPLICATES))
		return;
	count->known = true;
	set_limits(edges, k, mp_cpu_count_let_be(view, edges, k, count), &sums,
		   &apart, count);
	look_behind(edges, k, &sums, count);
}

static void judge(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  uint32_t k, struct mp_cpu_count *count)
{
	struct mp_exp exp;

	if (!count->slots)
		return;
	mp_cpu_count_exp(view, edges, k, count, &exp);
	mp_cpu_count_take(view, edges, k, mp_exp_id(&exp), count);
}

void mp_cpu_count_judge(const struct mp_view *view, struct mp_cpu_edges *edges,
			uint32_t k)
{
	struct mp_cpu_count next;

	judge(view, edges, k, &edges->count[k]);
	if (!edges->count[k].known)
		return;
	lay_closer(view, edges, k, &edges->count[k], &next);
	judge(view, edges, k, &next);
	if (next.known)
		edges->count[k] = next;
}

double mp_cpu_count_surely(double doubt, double apart)
{
	return apart * pow(1 + doubt, 2);
}

/* Might a closer count make limits of a size near enough? */
static bool may_mend(const struct mp_cpu_count *count,
		     const struct mp_fact *fact)
{
	const double apart = fact->high / fact->low;

	return count->brief ||
	       (mp_cpu_count_surely(count->doubt, apart) > CLOSER_FROM &&
		apart <= CLOSER_TO);
}

int mp_cpu_count_plan_closer(const struct mp_view *view,
			     const struct mp_cpu_edges *edges, uint32_t k,
			     const struct mp_fact *fact, struct mp_plan *plan)
{
	struct mp_cpu_count next;
	struct mp_exp exp;

	if (fact->verdict != MP_AT_LEAST || !may_mend(&edges->count[k], fact))
		return 0;
	if (!edges->count[k].known)
		return mp_cpu_count_plan(view, edges, k, plan);
	lay_closer(view, edges, k, &edges->count[k], &next);
	if (!next.slots)
		return 0;
	mp_cpu_count_exp(view, edges, k, &next, &exp);
	return mp_plan_add(plan, &exp, next.replicates);
}
