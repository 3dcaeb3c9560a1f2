// SPDX-License-Identifier: GPL-2.0
/*
 * Lines that the level inside drops though they are used: rounds of H, a short
 * ring that is walked hop by hop, and R, a few fresh lines of a ring that is
 * longer than the level asked about.
 *
 * A line of H that was served by the level inside in one round and not in the
 * next has been dropped between the two. An exclusive level has it then; it may
 * lose it again only by what came between: the fresh lines of one round. So
 * the share that is gone goes by how many those are, and with four times as
 * many four times as many are gone, or more. A level that holds it beside the
 * level inside has lost it, or not, since it was last fetched, however few came
 * by in the last round: both shares are the same.
 *
 * A level that includes the one inside loses a line and takes it along then: of
 * lines that leave the level inside it has lost as many of those that had just
 * come as of old ones, where it throws out any line. One that does not has lost
 * few of those that had just come, whatever its policy.
 *
 * Where there are levels further in, W, which they do not hold, is walked behind
 * H, so that H is served by the level inside, and its lines are there for
 * certain.
 */
#include "probe/cpu_leaks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_hot.h"
#include "probe/cpu_served.h"

#define ROUNDS 1000u
#define COLD 20u
#define REPLICATES 8u
/* H, as a share of the level inside: few enough that no set is crowded with
 * them; and so many slots, that the words of a batch have room. */
#define HOT_PART (1 / 6.0)
#define HOT_MOST 60u
#define HOT_LEAST 6u
/* W, in sizes of the level further in; and with H, in those of the level
 * inside. */
#define WASH_GOOD 2.0
#define WASH_LEAST 1.2
#define BOTH_MOST 0.75
/* .. where that is not enough. Each line is asked which level served it. */
#define BOTH_TIGHT 0.9
/* Fresh lines a round, as a share of what the level inside holds. In all they
 * go through the level asked about so many times. */
#define FRESH_PART (1 / 128.0)
#define FRESH_TIMES 3.0
/* .. and of the second experiment so many times as many. */
#define FRESH_MORE 4u
/* Hops of a replicate: more take longer than the answer is worth. */
#define HOPS_MAX 4e6
/* The ring of fresh lines, in sizes of the level asked about; it fits the next
 * one, if it may be so short. */
#define RING_GOOD 2.5
#define RING_LEAST 1.3
#define FITS 0.85
/* A level so many times as large as the one inside is as good as not parted
 * from it, and hardly loses what that holds. */
#define APART_MOST 16.0
/* A line that is so often in the level inside shares its set with no more of H
 * than that holds. */
#define STAYS_MIN 0.75
/* Of so many of the slots lines may be gone in one round; of more, others have
 * put them out. */
#define AT_ONCE 0.2
/* Lines that are gone: so many, at least, and more than an exclusive level that
 * throws out any line loses by what comes between. Prefetchers bring others. */
#define GONE_LEAST 12.0
#define CHANCE_FETCHED 4.0
/* Where nearly all are gone the level inside may have dropped none: a level
 * that is not seen, and not this one, may have put them out of all. */
#define GONE_MOST 0.9
/* The share that is gone with few fresh lines is that with more, or so much of
 * it, where an exclusive level would have one in FRESH_MORE. */
#define ALIKE_LEAST 0.45
#define SIGMAS 2.5
/* What is left of W comes back, and puts others out in its turn, several times
 * as many as are fresh. With so many gone four times as many would still show. */
#define GONE_WASHED 0.6
/* Lines that have just come, and old ones: since they came the level inside was
 * given so much of what it holds. */
#define YOUNG 0.125
#define OLD 0.5
/* Of the former as many are gone, or so much of it. Where a set here has lines
 * of a set inside only, the one that puts a line out there may do so here at
 * once: of two ways that is up to half as often as in the long run. */
#define AS_YOUNG 0.65
/* .. and no more than so many of them come from beyond the next level: that one
 * takes lines along, and what it does to these is not told from this one's. */
#define PAST_MOST 0.25
/* So many lines of a slot were dropped, and nearly all are gone: others are in
 * its place in the level asked about, again and again. */
#define TAKEN_LEAST 5.0
#define TAKEN 0.8
#define LINE_LONGEST 256u
#define PAGE 4096u
#define GROUP_MOST 64u
#define INTERRUPTED_NS 1500.0
/* Lengths to the octave. */
#define GRAIN 8

enum who { RING_PAGES, RING_H, RING_R, RING_W, RINGS };

/* Lengths in slots. */
struct shape {
	uint64_t stride;
	uint64_t hot;
	uint64_t wash;		/* 0: there is nothing further in */
	uint64_t ring;
	uint64_t fresh;		/* of a round */
	double inner;		/* that the level inside holds */
	double own;		/* that an exclusive level would have room for */
};

/* -- the rings -------------------------------------------------------------- */

static bool has_rings(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_spectrum *at = &edges->spectrum;

	return view->caps & MP_CAP_PHASES && mp_cpu_is_told(edges, k) && k > 0 &&
	       k < edges->doubt.level && k < edges->muddled &&
	       edges->fitted[k] && edges->fitted[k - 1] &&
	       !at->blurred[k - 1] && !at->blurred[k] &&
	       (k < 2 || edges->fitted[k - 2]) && !mp_cpu_may_hide(edges, k);
}

/* Slots that share no line of either level; where every line is wanted, those
 * that sizes come from. */
static uint64_t stride_of(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k)
{
	struct mp_sweep inner, outer;

	if (!edges->full)
		return LINE_LONGEST;
	mp_cpu_level_sweep(view, edges, k - 1, 0, &inner);
	mp_cpu_level_sweep(view, edges, k, 0, &outer);
	return inner.stride > outer.stride ? inner.stride : outer.stride;
}

/* .. in bytes. */
static double ring_of(const struct mp_cpu_edges *edges, uint32_t k)
{
	const double good = RING_GOOD * mp_cpu_coarse(edges->edge[k].high, GRAIN);
	double next;

	if (k + 1 >= edges->n)
		return good;
	next = FITS * (edges->fitted[k + 1] ? edges->edge[k + 1].low :
					      edges->level[k + 1].low_bytes);
	return next < RING_LEAST * edges->edge[k].high ? good :
	       fmin(good, mp_cpu_coarse(next * exp2(-0.5 / GRAIN), GRAIN));
}

/* Fresh lines are timed in groups, for the sake of short records. */
static uint64_t in_groups(double lines)
{
	const uint64_t n = (uint64_t)fmax(ceil(lines), 1);

	return n <= GROUP_MOST ? n :
	       (n + GROUP_MOST - 1) / GROUP_MOST * GROUP_MOST;
}

/* What puts H out of the levels further in, and leaves it in the level inside. */
static bool set_wash(const struct mp_cpu_edges *edges, uint32_t k,
		     double inner, struct shape *shape)
{
	const double stride = (double)shape->stride;
	const double hot = (double)shape->hot;
	double further, room;

	if (k < 2)
		return true;
	further = mp_cpu_coarse(edges->edge[k - 2].high, GRAIN) / stride;
	room = BOTH_MOST * inner - hot;
	if (WASH_LEAST * further > room)
		room = BOTH_TIGHT * inner - hot;
	if (further > room + hot)
		return false;
	shape->wash = (uint64_t)ceil(fmin(WASH_GOOD * further, room));
	return true;
}

/* Two experiments: few fresh lines a round, and more. */
static bool lay(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, struct shape shape[2])
{
	const double stride = (double)stride_of(view, edges, k);
	const double inner = mp_cpu_coarse(edges->edge[k - 1].low, GRAIN) / stride;
	const double outer = mp_cpu_coarse(edges->edge[k].high, GRAIN) / stride;
	const double own = (edges->edge[k].low - edges->edge[k - 1].high) /
			   stride;

	memset(shape, 0, 2 * sizeof(*shape));
	shape->stride = (uint64_t)stride;
	shape->hot = (uint64_t)fmin(HOT_PART * inner, HOT_MOST);
	shape->inner = inner;
	shape->own = own;
	shape->fresh = in_groups(fmax(FRESH_PART * inner,
				      FRESH_TIMES * outer / ROUNDS));
	shape->ring = (uint64_t)(ring_of(edges, k) / stride);
	if (shape->hot < HOT_LEAST || !(own > 0) ||
	    outer > APART_MOST * inner || !set_wash(edges, k, inner, shape))
		return false;
	shape[1] = shape[0];
	shape[1].fresh = in_groups(FRESH_MORE * (double)shape->fresh);
	return (double)(shape->ring + shape->hot + shape->wash) * stride +
	       4 * PAGE <= (double)view->arena_max_bytes &&
	       ROUNDS * (double)(shape[1].fresh + shape->hot + shape->wash) <=
	       HOPS_MAX && shape[1].fresh < shape->ring;
}

static uint64_t pages_of(const struct shape *shape, uint64_t slots)
{
	return (slots * shape->stride + PAGE - 1) / PAGE * PAGE;
}

static void walker(const struct shape *shape, uint64_t slots, uint64_t hops,
		   uint32_t phase, struct mp_actor *actor)
{
	actor->phase = phase;
	actor->stride = shape->stride;
	actor->length = slots * shape->stride;
	actor->reach = shape->stride < PAGE ? PAGE : 0;
	actor->hops = hops;
	actor->bursts = 1;
	actor->warm_hops = 0;
}

static void make_exp(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     const struct shape *shape, struct mp_exp *exp)
{
	const uint64_t hot = pages_of(shape, shape->hot);
	const uint64_t wash = pages_of(shape, shape->wash);
	struct mp_actor *actor = exp->actor;
	struct mp_sweep sweep;

	mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	mp_exp_chase(exp, sweep.cpu, sweep.pages, hot + wash +
		     pages_of(shape, shape->ring), shape->stride, 0);
	exp->arena[0].node = sweep.node;
	exp->quiet = sweep.quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = ROUNDS;
	exp->n_actors = shape->wash ? RINGS : RING_W;
	for (uint32_t i = 1; i < exp->n_actors; i++)
		actor[i] = actor[0];
	/* What translation has forgotten of H's pages. */
	walker(shape, 0, hot / PAGE, 0, &actor[RING_PAGES]);
	actor[RING_PAGES].offset = shape->stride / 2;
	actor[RING_PAGES].stride = PAGE;
	actor[RING_PAGES].length = hot;
	actor[RING_PAGES].reach = 0;
	actor[RING_PAGES].group = 1;
	actor[RING_PAGES].detail = MP_DETAIL_HIST;
	walker(shape, shape->hot, shape->hot, 1, &actor[RING_H]);
	actor[RING_H].detail = MP_DETAIL_TICKS;
	actor[RING_H].group = 1;
	walker(shape, shape->ring, shape->fresh, 2, &actor[RING_R]);
	actor[RING_R].offset = hot + wash;
	actor[RING_R].detail = MP_DETAIL_HIST;
	actor[RING_R].group = shape->fresh < GROUP_MOST ?
			      (uint32_t)shape->fresh : GROUP_MOST;
	if (!shape->wash)
		return;
	walker(shape, shape->wash, shape->wash, 3, &actor[RING_W]);
	actor[RING_W].offset = hot;
}

/* -- what came back --------------------------------------------------------- */

struct seen {
	uint32_t rounds;
	uint64_t slots;
	uint8_t *at;		/* of each round and slot */
};

struct share {
	double dropped;
	double gone;
	double past;	/* from the next level as well */
};

struct tally {
	uint32_t n;		/* replicates */
	struct share all;
	struct share young;
	struct share old;
};

static void note(const struct mp_batch *batch,
		 const struct memprobe_sample *sample,
		 const struct mp_spectrum *at, uint32_t k, struct seen *seen)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	uint8_t *to = seen->at + sample->round * seen->slots;

	if (sample->actor != RING_H || sample->hops != seen->slots ||
	    sample->payload_count != seen->slots ||
	    sample->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
	    sample->round >= seen->rounds || sample->burst ||
	    !mp_sample_calm(sample))
		return;
	for (uint64_t i = 0; i < seen->slots; i++) {
		const double ticks = (double)word[i] - batch->grant.read_ticks;

		if (mp_clock_ns(batch, ticks) > INTERRUPTED_NS)
			continue;
		to[i] = (uint8_t)mp_served_by(at, k,
					      mp_clock_cycles(batch, ticks));
	}
}

/* Is a slot's line nearly always in the level inside? */
static bool stays(const struct seen *seen, uint64_t slot)
{
	double all = 0, inner = 0;

	for (uint32_t r = COLD; r < seen->rounds; r++) {
		const uint8_t at = seen->at[r * seen->slots + slot];

		all += at != MP_SERVED_UNSEEN;
		inner += at == MP_SERVED_INNER || at == MP_SERVED_FURTHER;
	}
	return inner >= STAYS_MIN * all;
}

/* One round: the lines that were inside in the one before. */
static void count_round(const struct seen *seen, const bool *counts,
			uint32_t round, struct share *all)
{
	const uint8_t *now = seen->at + round * seen->slots;
	const uint8_t *before = now - seen->slots;
	double here = 0, gone = 0;

	for (uint64_t i = 0; i < seen->slots; i++) {
		if (!counts[i] || before[i] != MP_SERVED_INNER)
			continue;
		here += now[i] == MP_SERVED_OUTER;
		gone += now[i] == MP_SERVED_NEXT;
	}
	if (gone > fmax(AT_ONCE * (double)seen->slots, 2))
		return;
	all->dropped += here + gone;
	all->gone += gone;
}

/* One slot: when it came, and when it went. @turn: rounds in which the level
 * inside is given as much as it holds. */
static void count_ages(const struct seen *seen, uint64_t slot, double turn,
		       struct tally *tally)
{
	struct share young = { 0 }, old = { 0 };
	uint32_t came = 0;

	for (uint32_t r = COLD; r < seen->rounds; r++) {
		const uint8_t now = seen->at[r * seen->slots + slot];
		const uint8_t before = seen->at[(r - 1) * seen->slots + slot];
		struct share *share = r - came <= YOUNG * turn ? &young :
				      r - came >= OLD * turn ? &old : NULL;

		if (now == MP_SERVED_INNER || now == MP_SERVED_FURTHER)
			continue;
		if (share && came && before == MP_SERVED_INNER) {
			share->dropped += now == MP_SERVED_OUTER ||
					  now == MP_SERVED_NEXT;
			share->gone += now == MP_SERVED_NEXT;
			share->past += now == MP_SERVED_PAST;
		}
		came = now == MP_SERVED_UNSEEN ? 0 : r;
	}
	if (young.dropped + old.dropped >= TAKEN_LEAST &&
	    young.gone + old.gone > TAKEN * (young.dropped + old.dropped))
		return;
	tally->young.dropped += young.dropped;
	tally->young.gone += young.gone;
	tally->young.past += young.past;
	tally->old.dropped += old.dropped;
	tally->old.gone += old.gone;
}

static int count_batch(const struct mp_batch *batch,
		       const struct mp_spectrum *at, uint32_t k, double turn,
		       struct tally *tally)
{
	const struct mp_actor *h = &batch->exp.actor[RING_H];
	struct seen seen = { .rounds = batch->exp.rounds, .slots = h->hops };
	bool counts[HOT_MOST];

	if (seen.slots > HOT_MOST)
		return 0;
	seen.at = calloc(seen.rounds * seen.slots, sizeof(*seen.at));
	if (!seen.at)
		return -ENOMEM;
	for (uint32_t i = 0; i < batch->n_samples; i++)
		note(batch, &batch->sample[i], at, k, &seen);
	for (uint64_t i = 0; i < seen.slots; i++) {
		counts[i] = stays(&seen, i);
		if (counts[i])
			count_ages(&seen, i, turn, tally);
	}
	for (uint32_t r = COLD + 1; r < seen.rounds; r++)
		count_round(&seen, counts, r, &tally->all);
	tally->n++;
	free(seen.at);
	return 0;
}

static int look(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, const struct shape *shape, uint64_t *id,
		struct tally *tally)
{
	struct mp_exp exp;
	int err = 0;

	memset(tally, 0, sizeof(*tally));
	make_exp(view, edges, k, shape, &exp);
	*id = mp_exp_id(&exp);
	for (uint32_t i = 0; i < view->n_batches && !err; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (batch->id == *id && mp_batch_counts(batch))
			err = count_batch(batch, &edges->spectrum, k,
					  shape->inner / (double)shape->fresh,
					  tally);
	}
	return err;
}

/* -- what follows ----------------------------------------------------------- */

/* What comes between a drop and the next use may put a dropped line out of an
 * exclusive level, too: of any lines one, for each that comes. */
static double by_chance(const struct mp_view *view, const struct shape *shape)
{
	return (mp_cpu_may_prefetch(view) ? CHANCE_FETCHED : 1) *
	       (double)shape->fresh / shape->own;
}

static double at_least(const struct share *share)
{
	return (share->gone - SIGMAS * sqrt(share->gone)) / share->dropped;
}

static double at_most(const struct share *share)
{
	return (share->gone + SIGMAS * sqrt(share->gone)) / share->dropped;
}

/* Of lines that had just come are as many gone as of old ones, and the next level
 * still has them? Where sets inside have one way what puts a line out there may
 * always do so here. */
static bool takes_along(const struct mp_cpu_edges *edges, uint32_t k,
			const struct tally *few, const struct tally *more,
			struct mp_cpu_leaks *leaks)
{
	const struct mp_miss_shape *inner =
		&edges->table->shape[edges->edge[k - 1].shape];
	const struct share young = {
		.dropped = few->young.dropped + more->young.dropped,
		.gone = few->young.gone + more->young.gone,
		.past = few->young.past + more->young.past,
	};
	const struct share old = {
		.dropped = few->old.dropped + more->old.dropped,
		.gone = few->old.gone + more->old.gone,
	};

	leaks->part_young = young.gone / young.dropped;
	leaks->part_old = old.gone / old.dropped;
	return k == 1 && inner->ways > MP_CPU_CROWDED_WAYS &&
	       young.gone >= GONE_LEAST && old.gone >= GONE_LEAST &&
	       young.past <= PAST_MOST * young.gone &&
	       at_least(&young) >= AS_YOUNG * at_most(&old);
}

static void weigh(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  uint32_t k, const struct shape *shape,
		  const struct tally *few, const struct tally *more,
		  struct mp_cpu_leaks *leaks)
{
	const double least = at_least(&few->all);

	leaks->dropped = few->all.dropped;
	leaks->gone = few->all.gone;
	leaks->part = few->all.gone / few->all.dropped;
	leaks->part_more = at_most(&more->all);
	if (few->all.gone < GONE_LEAST || leaks->part > GONE_MOST ||
	    (shape->wash && leaks->part_more > GONE_WASHED) ||
	    least < by_chance(view, shape) ||
	    !(least >= ALIKE_LEAST * leaks->part_more))
		return;
	leaks->holds = takes_along(edges, k, few, more, leaks) ?
		       MP_CPU_HOLDS_ALL : MP_CPU_HOLDS_NO_OTHERS;
}

int mp_cpu_leaks_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_leaks *leaks)
{
	struct tally few, more;
	struct shape shape[2];
	int err;

	memset(leaks, 0, sizeof(*leaks));
	if (!has_rings(view, edges, k) || !lay(view, edges, k, shape))
		return 0;
	err = look(view, edges, k, &shape[0], &leaks->id[0], &few);
	if (!err)
		err = look(view, edges, k, &shape[1], &leaks->id[1], &more);
	if (!err && few.n && more.n)
		weigh(view, edges, k, shape, &few, &more, leaks);
	return err;
}

int mp_cpu_leaks_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	struct shape shape[2];
	struct mp_exp exp;
	int err = 0;

	if (!has_rings(view, edges, k) || !lay(view, edges, k, shape))
		return 0;
	for (uint32_t i = 0; i < 2 && !err; i++) {
		make_exp(view, edges, k, &shape[i], &exp);
		err = mp_plan_add(plan, &exp, REPLICATES);
	}
	return err;
}
