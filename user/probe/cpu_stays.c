// SPDX-License-Identifier: GPL-2.0
/*
 * Lines that stayed by chance: rounds of two rings.
 *
 * D drives the outer level through. Then Y, a ring about as long as the level
 * inside, is walked twice, hop by hop. In the first turn some hops still hit
 * the level inside: these lines were there all the time, and the outer level
 * saw no use of them since they were loaded. Lines that were lost, and found
 * beyond the outer level, say that it was driven through, and are fetched
 * anew. By the second turn Y itself has put most of either kind out of the
 * level inside, and where they are now is compared.
 *
 * A second experiment has, in place of D, a shorter ring that fits the outer
 * level and is walked until it has put as much into the level inside: how many
 * lines stay where nothing else throws them out.
 *
 * A line counts where it stayed in some rounds and was lost in most: what
 * always stays does so for where it lies, or because something fetches it.
 */
#include "probe/cpu_stays.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_hot.h"
#include "probe/cpu_served.h"

/* Replicates: so many, or more where few lines are to be expected. */
#define REPLICATES 3u
#define REPLICATES_MAX 8u
#define EXPECTED_GOOD 300.0
/* Rounds until what is in the levels has settled; and in all. */
#define COLD 2u
#define ROUNDS_MAX 600u
#define ROUNDS_MIN 8u
/* Y, in sizes of the level inside: what the outer one has room for. */
#define Y_LEAST 0.3
#define Y_MOST 1.25
#define Y_FEW 4.0	/* slots */
/* D, in sizes of the outer level; longer where the first is not enough. */
static const double drive[] = { 1.2, 1.6 };
#define TRIES 2u
/* Y and what fits the outer level, or Y and D the next, take no more of it. */
#define FITS 0.85
/* What fits the outer level goes through the level inside all the same, so far
 * that few of its sets hold all of it; and puts nearly as much into it as D. */
#define STILL_LEAST 1.5
#define STILL_GOOD 1.6
#define STILL_LINES 0.9
#define HOPS_MAX 6e5
/* Hops of a burst: few enough for a window, and for a gap to spoil little. */
#define Y_HOPS 512u
#define D_HOPS 8192u
/* Of a batch's words Y has so many. */
#define WORDS_MAX 60000u
#define PAGE 4096u
/* Lengths to the octave. */
#define GRAIN 8

/* Lines that have to stay, and to be fetched anew, for anything to be told. */
#define EXPECTED_MIN 20.0
#define EXPECTED_LEAST 60.0
#define GONE_LEAST 8.0
#define HERE_LEAST 20.0
#define FRESH_MIN 100.0
/* Of the lines lost inside so many have left the outer level as well; and where
 * it is said to have been given those that stayed inside. */
#define OVER_MIN 0.7
#define OVER_MOST 0.8
/* .. and a longer D would not do more. */
#define OVER_ALL 0.98
/* .. and of those fetched anew so many are lost by the next turn, at most. */
#define FRESH_GONE 0.2
/* Shares of the lines that were expected to stay: beside those that an outer
 * level has not lost so many did not leave with it, or so few stayed. */
#define STAY_MIN 0.4
#define STAY_MAX 4.0
/* .. and of what chance leaves at most: of sets of a few ways, some hold all of
 * what fits outside, and fewer lines stay there than with D. */
#define STAY_LEAST 0.1
#define STAY_NONE 0.25
/* Of those that stayed the outer level has lost so many, or no more than that. */
#define GONE_MIN 0.5
#define GONE_MAX 0.1
/* Of what left the outer level so much is not found in the next. */
#define PAST_MAX 0.2
/* Chance alone: Y itself has put so much of Y out before D begins, and what
 * stays is no further off what chance makes of the lines that come in. */
#define Y_LOSES 0.3
#define OFF_LEAST 0.1
#define OFF_MOST 3.0
#define SIGMAS 2.0

enum who { RING_D, RING_Y, RINGS };

/* Lengths in slots. */
struct shape {
	uint64_t stride;
	uint64_t y;
	uint64_t y_hops;	/* of a burst */
	uint64_t ring;		/* D's, or that of what fits */
	uint64_t hops;		/* of a burst of it */
	uint32_t bursts;
	uint32_t rounds;
	uint32_t replicates;
	bool fits_next;
	double inner;
	double rate;		/* at which a line that comes in puts one out */
};

/* -- the rings -------------------------------------------------------------- */

/* Random replacement alone leaves lines by chance. */
static bool is_by_chance(const struct mp_cpu_edges *edges, uint32_t k)
{
	const uint32_t policy =
		edges->table->shape[edges->edge[k].shape].policy;

	return policy == MP_MISS_RANDOM || policy == MP_MISS_HALF;
}

static bool has_rings(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k)
{
	return view->caps & MP_CAP_PHASES && mp_cpu_is_told(edges, k) && k > 0 &&
	       k < edges->doubt.level && k < edges->muddled &&
	       edges->fitted[k] && edges->fitted[k - 1] &&
	       is_by_chance(edges, k - 1);
}

/* A slot for each line of either level, and of sparse rings those that sizes
 * come from. */
static uint64_t stride_of(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k)
{
	struct mp_sweep inner, outer;

	mp_cpu_level_sweep(view, edges, k - 1, 0, &inner);
	mp_cpu_level_sweep(view, edges, k, 0, &outer);
	return inner.stride > outer.stride ? inner.stride : outer.stride;
}

static void set_y(double slots, struct shape *shape)
{
	const uint64_t bursts = (uint64_t)(slots / Y_HOPS) + 1;

	shape->y_hops = (uint64_t)slots / bursts;
	shape->y = shape->y_hops * bursts;
}

/* So many hops round a ring of @slots. */
static void set_ring(double slots, double hops, struct shape *shape)
{
	shape->ring = (uint64_t)slots;
	shape->bursts = (uint32_t)(hops / D_HOPS) + 1;
	shape->hops = (uint64_t)(hops / shape->bursts + 0.5);
}

/* The share of a ring's hops that random replacement makes miss, of a ring so
 * many times as long as the level. */
static double missing(double times)
{
	double miss = 1;

	for (uint32_t i = 0; i < 200; i++)
		miss = 1 - exp(-miss * times);
	return miss;
}

/* So many lines stay in a round, if nothing but chance throws them out. */
static double chance_of(const struct shape *shape, double lines)
{
	const double y = (double)shape->y;

	return y / (1 + Y_LOSES * y / shape->inner) *
	       exp(-lines * shape->rate);
}

/* Of so many ways a line that comes to a set takes each alike. */
static double rate_of(const struct mp_cpu_edges *edges, uint32_t k,
		      double lines)
{
	const double ways = edges->table->shape[edges->edge[k].shape].ways;

	return ways > 1 ? ways * log(ways / (ways - 1)) / lines : INFINITY;
}

static bool set_rounds(double hops, struct shape *shape)
{
	double rounds = fmin(ROUNDS_MAX, WORDS_MAX / 2.0 / (double)shape->y);

	rounds = fmin(rounds, HOPS_MAX / hops);
	shape->rounds = (uint32_t)fmax(rounds, 0);
	return shape->rounds >= ROUNDS_MIN;
}

/* Are there enough to see something? Of those that fit as many. */
static bool set_replicates(double lines, struct shape shape[2])
{
	const double one = (shape[0].rounds - COLD) *
			   chance_of(&shape[0], lines);
	const double wanted = fmin(fmax(ceil(EXPECTED_GOOD / one), REPLICATES),
				   REPLICATES_MAX);

	shape[0].replicates = shape[1].replicates = (uint32_t)wanted;
	return one * wanted >= EXPECTED_LEAST;
}

/* Two experiments of one try: D, and what fits. */
static bool lay(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, uint32_t try, struct shape shape[2])
{
	const double stride = (double)stride_of(view, edges, k);
	const double inner = mp_cpu_coarse(edges->edge[k - 1].size, GRAIN) / stride;
	const double outer = mp_cpu_coarse(edges->edge[k].size, GRAIN) / stride;
	const double least = mp_cpu_coarse(edges->edge[k].low, GRAIN) / stride;
	const double y = fmin(fmax(FITS * least - STILL_GOOD * inner,
				   Y_LEAST * inner), Y_MOST * inner);
	const double through = drive[try] * outer;
	const double still = fmin(FITS * least - y, through);
	double hops;

	memset(shape, 0, 2 * sizeof(*shape));
	if (still < STILL_LEAST * inner || y < Y_FEW)
		return false;
	shape[0].stride = (uint64_t)stride;
	shape[0].inner = inner;
	shape[0].rate = rate_of(edges, k - 1, inner);
	set_y(y, &shape[0]);
	shape[1] = shape[0];
	hops = STILL_LINES * through / missing(still / inner);
	set_ring(through, through, &shape[0]);
	set_ring(still, hops, &shape[1]);
	shape[0].fits_next = k + 1 >= edges->n ||
		(edges->fitted[k + 1] && (through + y) * stride <
		 FITS * edges->edge[k + 1].low);
	return set_rounds(through + 2 * y, &shape[0]) &&
	       set_rounds(hops + 2 * y, &shape[1]) &&
	       (through + y) * stride + 2 * PAGE <=
	       (double)view->arena_max_bytes &&
	       set_replicates(through, shape);
}

static void walker(const struct shape *shape, uint64_t slots, uint32_t phase,
		   struct mp_actor *actor)
{
	actor->phase = phase;
	actor->stride = shape->stride;
	actor->length = slots * shape->stride;
	actor->reach = shape->stride < PAGE ? PAGE : 0;
	actor->warm_hops = 0;
	actor->group = 1;
}

static void make_exp(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     const struct shape *shape, struct mp_exp *exp)
{
	const uint64_t y = (shape->y * shape->stride + PAGE - 1) / PAGE * PAGE;
	struct mp_actor *actor = exp->actor;
	struct mp_sweep sweep;

	mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	mp_exp_chase(exp, sweep.cpu, sweep.pages,
		     y + shape->ring * shape->stride, shape->stride, 0);
	exp->arena[0].node = sweep.node;
	exp->quiet = sweep.quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = shape->rounds;
	exp->n_actors = RINGS;
	actor[RING_Y] = actor[RING_D];
	walker(shape, shape->ring, 0, &actor[RING_D]);
	actor[RING_D].offset = y;
	actor[RING_D].hops = shape->hops;
	actor[RING_D].bursts = shape->bursts;
	actor[RING_D].detail = MP_DETAIL_HIST;
	walker(shape, shape->y, 1, &actor[RING_Y]);
	actor[RING_Y].hops = shape->y_hops;
	actor[RING_Y].bursts = (uint32_t)(2 * shape->y / shape->y_hops);
	actor[RING_Y].detail = MP_DETAIL_TICKS;
}

/* -- what came back --------------------------------------------------------- */

/* Where lines of Y were found in a round's first turn, and its second. */
struct seen {
	uint32_t rounds;
	uint64_t slots;
	uint8_t *at[2];
};

/* Sums over slots and rounds. */
struct tally {
	uint32_t n;		/* replicates */
	double all;		/* lines looked for in the first turn */
	double stayed;
	double stayed_here;	/* .. and where they were in the second */
	double stayed_gone;
	double fresh_here;
	double fresh_gone;
	double kept;		/* lost inside, and not here */
	double over;
	double past;
	double own_over;	/* the same of lines that stayed in other rounds */
	double own;
	double lines;		/* that a round's D has put inside */
	double d_rounds;
};

/* A burst that is cut short shifts all behind it. */
static bool note(const struct mp_batch *batch,
		 const struct memprobe_sample *sample,
		 const struct mp_spectrum *at, uint32_t k, struct seen *seen)
{
	const struct mp_actor *y = &batch->exp.actor[RING_Y];
	const uint64_t parts = seen->slots / y->hops;
	const uint64_t *word = batch->payload + sample->payload_offset;
	uint8_t *to;

	if (sample->hops != y->hops || sample->payload_count != y->hops ||
	    sample->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
	    sample->round >= seen->rounds || sample->burst >= 2 * parts)
		return false;
	to = seen->at[sample->burst / parts] + sample->round * seen->slots +
	     sample->burst % parts * y->hops;
	for (uint64_t i = 0; i < y->hops && mp_sample_calm(sample); i++) {
		const double ticks = (double)word[i] - batch->grant.read_ticks;

		to[i] = (uint8_t)mp_served_by(at, k,
					      mp_clock_cycles(batch, ticks));
	}
	return true;
}

/* What D puts into the level inside. */
static void count_lines(const struct mp_batch *batch,
			const struct memprobe_sample *sample,
			const struct mp_spectrum *at, uint32_t k,
			struct tally *tally)
{
	const struct mp_actor *d = &batch->exp.actor[RING_D];
	const uint64_t *word = batch->payload + sample->payload_offset;

	if (!mp_sample_calm(sample) || sample->round < COLD ||
	    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
		return;
	for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
		const double ticks = (double)word[w] - batch->grant.read_ticks;

		if (mp_served_by(at, k, mp_clock_cycles(batch, ticks)) >
		    MP_SERVED_INNER)
			tally->lines += (double)word[w + 1];
	}
	tally->d_rounds += (double)sample->hops /
			   (double)(d->hops * d->bursts);
}

/* One line's rounds. */
static void count_slot(const struct seen *seen, uint64_t slot,
		       struct tally *tally)
{
	double all = 0, stayed = 0, kept = 0, over = 0;

	for (uint32_t r = COLD; r < seen->rounds; r++) {
		const uint8_t first = seen->at[0][r * seen->slots + slot];

		all += first != MP_SERVED_UNSEEN;
		stayed += first == MP_SERVED_INNER;
		kept += first == MP_SERVED_OUTER;
		over += first > MP_SERVED_OUTER;
	}
	tally->all += all;
	if (2 * stayed > all)
		return;
	tally->stayed += stayed;
	tally->kept += kept;
	tally->over += over;
	if (kept + over > 0) {
		tally->own += stayed;
		tally->own_over += stayed * over / (kept + over);
	}
	for (uint32_t r = COLD; r < seen->rounds; r++) {
		const uint8_t first = seen->at[0][r * seen->slots + slot];
		const uint8_t next = seen->at[1][r * seen->slots + slot];

		tally->past += first == MP_SERVED_PAST;
		if (next < MP_SERVED_OUTER)
			continue;
		if (first == MP_SERVED_INNER) {
			tally->stayed_here += next == MP_SERVED_OUTER;
			tally->stayed_gone += next > MP_SERVED_OUTER;
		} else if (first > MP_SERVED_OUTER) {
			tally->fresh_here += next == MP_SERVED_OUTER;
			tally->fresh_gone += next > MP_SERVED_OUTER;
		}
	}
}

static bool note_all(const struct mp_batch *batch,
		     const struct mp_spectrum *at, uint32_t k,
		     struct seen *seen)
{
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor == RING_Y && !note(batch, sample, at, k, seen))
			return false;
	}
	return true;
}

static int count_batch(const struct mp_batch *batch,
		       const struct mp_spectrum *at, uint32_t k,
		       struct tally *tally)
{
	const struct mp_actor *y = &batch->exp.actor[RING_Y];
	struct seen seen = { .rounds = batch->exp.rounds };
	size_t room;

	seen.slots = y->length / y->stride;
	room = seen.rounds * seen.slots;
	seen.at[0] = calloc(2 * room, sizeof(*seen.at[0]));
	if (!seen.at[0])
		return -ENOMEM;
	seen.at[1] = seen.at[0] + room;
	if (note_all(batch, at, k, &seen)) {
		tally->n++;
		for (uint64_t i = 0; i < seen.slots; i++)
			count_slot(&seen, i, tally);
		for (uint32_t i = 0; i < batch->n_samples; i++)
			if (batch->sample[i].actor == RING_D)
				count_lines(batch, &batch->sample[i], at, k,
					    tally);
	}
	free(seen.at[0]);
	return 0;
}

static int look(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, const struct shape *shape, uint64_t *id,
		struct tally *tally)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	struct mp_exp exp;
	int err = 0;

	memset(tally, 0, sizeof(*tally));
	make_exp(view, edges, k, shape, &exp);
	*id = mp_exp_id(&exp);
	while (!err && (batch = mp_view_next(view, *id, &at))) {
		if (mp_batch_counts(batch))
			err = count_batch(batch, &edges->spectrum, k, tally);
	}
	tally->lines /= tally->d_rounds;
	return err;
}

/* -- what follows ----------------------------------------------------------- */

/* How many would have stayed in the first experiment, by the second. */
static double expected(const struct shape *shape, const struct tally *driven,
		       const struct tally *still)
{
	return driven->all * still->stayed / still->all *
	       exp((still->lines - driven->lines) * shape->rate);
}

/* Is what stays without the drive what chance leaves? */
static bool is_chance(const struct shape *shape, const struct tally *still)
{
	const double off = still->stayed * (double)shape->y /
			   (still->all * chance_of(shape, still->lines));

	return still->stayed >= EXPECTED_MIN && off >= OFF_LEAST &&
	       off <= OFF_MOST;
}

/* What shares a line with one that stayed may have been fetched when that was
 * used again, and have brought the line back here. */
static bool may_come_back(const struct mp_view *view, uint32_t k)
{
	const double line = mp_cpu_value(view, "l1d", "line");

	return mp_cpu_may_prefetch(view) &&
	       (!(line > 0) || mp_cpu_shares_lines(view, (uint64_t)line, k));
}

/* None stayed: did this level put them out, and no other? Small pages that lie
 * anywhere crowd sets of the level inside, or leave them alone, as wholes, and a
 * longer ring has fewer that have a place for themselves: none is to be expected
 * there. */
static bool is_taken_along(const struct shape *shape, bool small,
			   const struct tally *driven, double expected)
{
	return !small && driven->stayed <= expected * STAY_NONE &&
	       shape->fits_next && driven->past <= PAST_MAX * driven->over;
}

/* As many stayed as would have anyway, and those fetched anew are here. */
static bool have_stayed(const struct shape *shape, const struct tally *driven,
			double expected)
{
	const double fresh = driven->fresh_here + driven->fresh_gone;
	const double kept = driven->kept / (driven->kept + driven->over);
	const double least = driven->stayed - SIGMAS * sqrt(driven->stayed);
	const double most = driven->all / (double)shape->y *
			    chance_of(shape, driven->lines);

	return least >= (STAY_MIN + kept) * expected &&
	       least >= (STAY_LEAST + kept) * most &&
	       driven->stayed <= STAY_MAX * expected &&
	       fresh >= FRESH_MIN && driven->fresh_gone <= FRESH_GONE * fresh;
}

/* Of those that stayed and have been put out more are gone than of the others,
 * or hardly one where all others were lost. */
static uint32_t put_out(const struct tally *driven, bool may_come_back)
{
	const double out = driven->stayed_here + driven->stayed_gone;
	const double usual = out * driven->fresh_gone /
			     (driven->fresh_here + driven->fresh_gone);

	if (driven->stayed_gone >= GONE_MIN * out &&
	    driven->stayed_gone - usual >= GONE_LEAST + SIGMAS * sqrt(usual))
		return MP_CPU_HOLDS_SOME;
	if (driven->stayed_gone <= GONE_MAX * out && out >= HERE_LEAST &&
	    driven->own_over >= OVER_MOST * driven->own && !may_come_back)
		return MP_CPU_HOLDS_OTHERS;
	return MP_CPU_HOLDS_UNKNOWN;
}

static void weigh(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  uint32_t k, const struct shape *shape,
		  const struct tally *driven, const struct tally *still,
		  struct mp_cpu_stays *stays)
{
	const double out = driven->stayed_here + driven->stayed_gone;

	stays->stayed = driven->stayed;
	stays->expected = expected(shape, driven, still);
	stays->gone = driven->stayed_gone / out;
	stays->through = driven->over / (driven->kept + driven->over);
	if (!is_chance(shape, still) || !(stays->expected >= EXPECTED_MIN) ||
	    !(stays->through >= OVER_MIN))
		return;
	if (is_taken_along(shape, mp_cpu_small_pages(edges, k), driven,
			   stays->expected))
		stays->holds = MP_CPU_HOLDS_ALL;
	else if (have_stayed(shape, driven, stays->expected))
		stays->holds = put_out(driven, may_come_back(view, k));
}

static int judge_try(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     const struct shape shape[2], struct mp_cpu_stays *stays)
{
	struct tally driven, still;
	int err;

	memset(stays, 0, sizeof(*stays));
	err = look(view, edges, k, &shape[0], &stays->id[0], &driven);
	if (!err)
		err = look(view, edges, k, &shape[1], &stays->id[1], &still);
	if (!err && driven.n && still.n)
		weigh(view, edges, k, shape, &driven, &still, stays);
	return err;
}

/* Might a longer D tell more? */
static bool is_open(const struct mp_cpu_stays *stays)
{
	return !stays->holds && !(stays->through >= OVER_ALL);
}

int mp_cpu_stays_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_stays *stays)
{
	struct shape shape[2];
	int err = 0;

	memset(stays, 0, sizeof(*stays));
	for (uint32_t try = 0; try < TRIES && !err && is_open(stays); try++)
		if (has_rings(view, edges, k) &&
		    lay(view, edges, k, try, shape))
			err = judge_try(view, edges, k, shape, stays);
	return err;
}

int mp_cpu_stays_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	struct mp_cpu_stays stays = { 0 };
	struct shape shape[2];
	struct mp_exp exp;
	int err = 0;

	for (uint32_t try = 0; try < TRIES && !err && is_open(&stays); try++) {
		if (!has_rings(view, edges, k) ||
		    !lay(view, edges, k, try, shape))
			break;
		for (uint32_t i = 0; i < 2 && !err; i++) {
			make_exp(view, edges, k, &shape[i], &exp);
			err = mp_plan_add(plan, &exp,
					  shape[i].replicates);
		}
		plan->stage++;
		if (!err)
			err = judge_try(view, edges, k, shape, &stays);
	}
	return err;
}
