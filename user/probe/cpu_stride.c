// SPDX-License-Identifier: GPL-2.0
/*
 * Two rings in turn: A, which is asked about, and F, which puts A out of the
 * levels inside.
 *
 * A's lines lie T apart, and F's as far, T / 2 beside them. Where the sets of
 * the level inside begin anew after a part of T / 2 (its power of two), both
 * meet there; where those of this level do after a multiple of T, they do not
 * meet here. Neither is known, so each T is tried. First with a single line
 * for A (and, as F makes the TLBs forget its page, another line of that
 * beforehand): it has to be found here, as it is found further inside where the two
 * do not meet there, and further out where they meet here and F is long. And
 * where they meet here what fits depends on how long F is, so each T is tried
 * with two lengths of F, which have to agree; and with a third that fits the
 * next level, if there is one, as that may put out what is longer.
 */
#include "probe/cpu_stride.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_hot.h"
#include "probe/cpu_tally.h"

#define REPLICATES 3u
/* Rounds with many lines for A, and of these those until what is in the levels
 * has settled; with one line. */
#define ROUNDS 20u
#define COLD 10u
#define ONE_ROUNDS 16u
#define ONE_COLD 6u
/* F, in sizes of the level inside. It falls on half of what that has, or on
 * less: so it is five times what its sets there hold, or more. */
static const double flush_times[] = { 16, 21 };
#define FLUSHES 2u
/* An inclusive level further out has room for a part of a long F, and puts the
 * rest out of all levels inside: to these all long ones are the same. One that
 * fits out there is not: of the size of that level so much. It is walked as
 * far, as any line may be thrown out inside. */
#define FITS_BEYOND 0.85
#define BEYOND_GRAIN 4	/* sizes to the octave, as edges move a little */
#define INNER_ROOM 1.2
/* Strides, from the size of the level inside down: the lines of one of its sets
 * lie at least half as far apart. */
#define STRIDES 6u
#define LINES_MIN 3.0
#define LINES_MAX 512.0
#define ARENA_MAX (64u << 20)
#define ARENA_ROOM 1.75
/* Beyond this much wider limits of both sizes no answer lies. */
#define ROOM 1.12
/* Lines of a turn that are none, and that are one at least. */
#define NONE 0.3
#define SOME 0.65
/* A single line is inside so often, as random replacement may leave it; and
 * of many, so many. */
#define LEFT_MAX 0.25
#define LEFT_PART 0.03
/* Of those that miss, so many may miss the next level, too. */
#define BEYOND_MAX 0.3
/* Hops may take so much more or less than in this level, of the step from the
 * one inside, lest translation hides those that are served there. */
#define SHIFT_MAX 0.4
/* What surely misses is so much longer than what may. */
#define SURE_PART 16u
/* How far what fits lies from the edge, in sizes of the level inside: that of
 * a level that holds others, and of one that does not. */
#define OTHERS_LEAST 0.5
#define OTHERS_MOST 1.35
#define ITSELF_MOST 0.4
#define EDGE_ERROR 1.02
/* Nor does more than an edge says fit, but where that is blurred. */
#define BEYOND_MOST 1.1
/* Hops of F that are timed together: all of them, or so many. */
#define GROUP_ALL 64u
#define GROUP 16u
#define PAGE 4096u
/* The lines that bring translations back lie so far beside A's, at most. */
#define BESIDE 1024u
/* A control has half of the lines in other sets of the same pages: those lie so
 * far beside the others. Where F goes there each lies a little further into its
 * page than the one before, and none so far. */
#define CONTROL_SKEW 2048u
#define CONTROL_SPAN 1920u
#define CONTROL_GRAIN 8u
/* So few pages in a row are no matter of translation, where lines lie too near
 * each other for that. */
#define PAGES_FEW 8u

enum who { RING_A, RING_F, RING_PAGES, RINGS };

enum outcome {
	LACKING,	/* it has not been made */
	BAD,		/* it says nothing */
	FIT,
	SOME_MISS,	/* hardly a line */
	MISS,
};

/* What tests are made of. */
struct rig {
	const struct mp_view *view;
	const struct mp_cpu_edges *edges;
	uint32_t k;
	uint64_t apart;
	double inner;		/* bytes of the level inside, nearly */
	double beyond;		/* .. of the next level; 0: F is no longer */
	uint64_t flush;		/* lines of F */
	uint32_t turns;		/* .. and how often it is walked in a round */
	uint64_t skew;
	struct mp_plan *plan;	/* gets what is lacking; NULL: nothing is wanted */
	int err;
};

/* -- a test ----------------------------------------------------------------- */

static void walker(const struct rig *rig, uint64_t lines, uint32_t phase,
		   struct mp_actor *actor)
{
	actor->phase = phase;
	actor->stride = rig->apart;
	actor->skew = rig->skew;
	actor->length = lines * rig->apart;
	actor->hops = lines;
	actor->bursts = 1;
	actor->warm_hops = 0;
	actor->detail = MP_DETAIL_HIST;
}

static void make_exp(const struct rig *rig, uint64_t lines, struct mp_exp *exp)
{
	const uint64_t most = lines > rig->flush ? lines : rig->flush;
	struct mp_actor *actor = exp->actor;
	struct mp_sweep sweep;

	mp_cpu_side_sweep(rig->view, 0, &sweep);
	mp_exp_chase(exp, sweep.cpu, sweep.pages, (most + 1) * rig->apart,
		     rig->apart, 0);
	exp->arena[0].node = sweep.node;
	exp->quiet = sweep.quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = lines > 1 ? ROUNDS : ONE_ROUNDS;
	exp->n_actors = RINGS;
	actor[RING_PAGES] = actor[RING_F] = actor[RING_A];
	walker(rig, lines, 2, &actor[RING_A]);
	walker(rig, rig->flush, 0, &actor[RING_F]);
	actor[RING_F].hops *= rig->turns;
	walker(rig, lines, 1, &actor[RING_PAGES]);
	actor[RING_A].group = actor[RING_PAGES].group = 1;
	actor[RING_PAGES].offset = rig->apart / 4 < BESIDE ? rig->apart / 4 :
							     BESIDE;
	actor[RING_F].group = rig->flush <= GROUP_ALL ? (uint32_t)rig->flush :
							GROUP;
	actor[RING_F].offset = rig->apart / 2;
}

/* Of so many lines these may stay inside. */
static double left_of(double lines)
{
	return LEFT_PART * lines > NONE ? LEFT_PART * lines : 0;
}

static enum outcome outcome_of(const struct rig *rig,
			       const struct mp_batch *batch)
{
	const struct mp_cpu_edges *edges = rig->edges;
	const double own = edges->edge[rig->k].inside;
	const double step = own - edges->edge[rig->k - 1].inside;
	const double lines = (double)batch->exp.actor[RING_A].hops;
	const double inside = lines > 1 ? fmax(NONE, left_of(lines)) :
			      LEFT_MAX;
	const uint32_t cold = lines > 1 ? COLD : ONE_COLD;
	struct mp_cpu_tally tally = { 0 };
	double quick;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor == RING_A && sample->round >= cold &&
		    mp_sample_calm(sample) &&
		    sample->payload_kind == MEMPROBE_PAYLOAD_HIST)
			mp_cpu_tally_add(batch, sample, &edges->spectrum, rig->k, &tally);
	}
	quick = tally.all - tally.slow;
	/* Of a control half of the lines lie where F does not go. */
	if (rig->skew && tally.all >= lines)
		return tally.slow * lines < NONE * tally.all ? FIT : SOME_MISS;
	if (!(tally.all >= lines) || tally.inside * lines > inside * tally.all ||
	    tally.beyond > BEYOND_MAX * tally.slow)
		return BAD;
	if (quick > 0 && fabs(tally.cycles / quick - own) > SHIFT_MAX * step)
		return BAD;
	if (tally.slow * lines < NONE * tally.all)
		return FIT;
	return tally.slow * lines > SOME * tally.all ? MISS : SOME_MISS;
}

/* All replicates have to say the same. Pages that lie anywhere crowd some sets
 * before others are full: of 144 KiB in one way 20 fitted, and 24 did not. */
static enum outcome look(struct rig *rig, uint64_t lines, uint64_t *id)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const struct mp_view *view = rig->view;
	enum outcome all = LACKING;
	uint32_t n = 0, failed = 0;
	struct mp_exp exp;

	make_exp(rig, lines, &exp);
	*id = mp_exp_id(&exp);
	while ((batch = mp_view_next(view, *id, &at))) {
		enum outcome one;

		if (batch->error)
			return BAD;
		if (!mp_batch_counts(batch)) {
			failed++;
			continue;
		}
		if (mp_cpu_scattered(batch))
			return BAD;
		one = outcome_of(rig, batch);
		if (one == BAD)
			return BAD;
		all = n++ && one != all ? SOME_MISS : one;
	}
	if (n >= REPLICATES)
		return all;
	if (failed > MP_REPEATS_MAX)
		return BAD;
	if (rig->plan && !rig->err)
		rig->err = mp_plan_add(rig->plan, &exp, REPLICATES);
	return LACKING;
}

/* -- how many lines fit ----------------------------------------------------- */

/* Numbers of lines that may be the answer. */
struct range {
	double least;
	double most;
};

/* Halves of halves, so that limits that move a little ask for the same tests.
 * What lies beyond them is taken for granted until it is the answer. */
static enum outcome halve(struct rig *rig, const struct range *range,
			  uint64_t *fits, uint64_t *misses)
{
	enum outcome outcome;
	uint64_t id;

	*fits = 0;
	for (*misses = 1; (double)*misses <= range->most;)
		*misses *= 2;
	while (*misses > *fits + 1) {
		const uint64_t lines = (*fits + *misses) / 2;

		outcome = FIT;
		if ((double)lines > range->most)
			outcome = MISS;
		else if ((double)lines >= range->least)
			outcome = look(rig, lines, &id);
		if (outcome == LACKING || outcome == BAD)
			return outcome;
		if (outcome == FIT)
			*fits = lines;
		else
			*misses = lines;
	}
	return *fits ? FIT : BAD;
}

/* Does a level put nothing out of those inside? */
static bool lets_be(struct rig *rig, uint32_t k)
{
	struct mp_cpu_hot hot = { 0 };
	const int err = mp_cpu_hot_judge(rig->view, rig->edges, k, &hot);

	if (err && !rig->err)
		rig->err = err;
	return !err && (hot.holds == MP_CPU_HOLDS_OTHERS ||
			hot.holds == MP_CPU_HOLDS_SOME);
}

/* Nearly the size of the next level that may, if F does not fit that. */
static double beyond_of(struct rig *rig)
{
	const struct mp_cpu_edges *edges = rig->edges;

	for (uint32_t k = rig->k + 1; k < edges->n; k++) {
		double size = edges->fitted[k] ? edges->edge[k].low :
						 edges->level[k].low_bytes;

		size = exp2(floor(log2(size) * BEYOND_GRAIN) / BEYOND_GRAIN);
		if (size * FITS_BEYOND >= flush_times[0] * rig->inner)
			break;
		if (!lets_be(rig, k))
			return size;
	}
	return 0;
}

static uint32_t flushes(const struct rig *rig)
{
	return rig->beyond > 0 ? FLUSHES + 1 : FLUSHES;
}

static void set_flush(struct rig *rig, uint32_t i)
{
	const double bytes = i < FLUSHES ? flush_times[i] * rig->inner :
					   FITS_BEYOND * rig->beyond;

	rig->flush = (uint64_t)fmax(bytes / (double)rig->apart, 1);
	rig->turns = (uint32_t)ceil(flush_times[0] * rig->inner / bytes);
	if (rig->flush > GROUP_ALL)
		rig->flush = rig->flush / GROUP * GROUP;
}

/* Does F put A's lines out of the level inside, and leave them here? */
static enum outcome try_single(struct rig *rig)
{
	enum outcome all = FIT;
	uint64_t id;

	for (uint32_t i = 0; i < flushes(rig) && all == FIT; i++) {
		set_flush(rig, i);
		all = look(rig, 1, &id);
	}
	return all == FIT || all == LACKING ? all : BAD;
}

/* Is it no matter of translation that so many lines do not fit? In other sets of
 * the same pages they do. A few pages may be too many already: six that lay two
 * apart were, for ten entries in two sets. */
static enum outcome try_control(struct rig *rig, uint64_t lines)
{
	enum outcome outcome;
	uint64_t id;

	if (rig->apart < PAGE)
		return lines * rig->apart > PAGES_FEW * PAGE ? BAD : FIT;
	rig->skew = rig->apart > PAGE ? CONTROL_SKEW :
		    CONTROL_SPAN / (lines * CONTROL_GRAIN) * CONTROL_GRAIN;
	outcome = rig->skew ? look(rig, lines, &id) : BAD;
	rig->skew = 0;
	return outcome;
}

/* So many lines fit, so many do not, whatever F is. */
static enum outcome confirm(struct rig *rig, uint64_t fits, uint64_t misses,
			    struct mp_cpu_stride *stride)
{
	const uint64_t sure = misses + misses / SURE_PART;
	enum outcome all = FIT;

	for (uint32_t i = 0; i < flushes(rig); i++) {
		enum outcome fit, miss, other;

		set_flush(rig, i);
		fit = look(rig, fits, &stride->id[0]);
		miss = look(rig, sure, &stride->id[1]);
		other = try_control(rig, sure);
		if ((fit != LACKING && fit != FIT) ||
		    (miss != LACKING && miss != MISS) ||
		    (other != LACKING && other != FIT))
			return BAD;
		if (fit == LACKING || miss == LACKING || other == LACKING)
			all = LACKING;
	}
	return all;
}

/* What fits lies at the edge, or as far inside it as the level inside is
 * large. */
static uint32_t holds(const struct mp_edge *edge, const struct mp_edge *inner,
		      const struct mp_cpu_stride *stride)
{
	if (stride->high < edge->low / EDGE_ERROR &&
	    stride->low < edge->low - OTHERS_LEAST * inner->high &&
	    stride->high > edge->low / EDGE_ERROR - OTHERS_MOST * inner->high)
		return MP_CPU_HOLDS_OTHERS;
	if (stride->low > edge->high - ITSELF_MOST * inner->low &&
	    stride->low < edge->high * EDGE_ERROR &&
	    stride->high > edge->low / EDGE_ERROR)
		return MP_CPU_HOLDS_NO_OTHERS;
	return MP_CPU_HOLDS_UNKNOWN;
}

/* Might a shorter stride, which leaves less between what fits and what does
 * not, tell what this one leaves open? */
static bool may_tell(const struct rig *rig, const struct mp_cpu_stride *stride)
{
	const struct mp_edge *edge = &rig->edges->edge[rig->k];
	const struct mp_cpu_stride least = {
		.low = stride->low, .high = stride->low,
	};
	const struct mp_cpu_stride most = {
		.low = stride->high, .high = stride->high,
	};

	return !stride->holds && (holds(edge, edge - 1, &least) ||
				  holds(edge, edge - 1, &most));
}

/* One stride at which F does what it should. LACKING: more is wanted. What
 * fits is the level's own, exclusive or not; which, it may leave open. */
static enum outcome try_stride(struct rig *rig, struct mp_cpu_stride *stride)
{
	const struct mp_edge *edge = &rig->edges->edge[rig->k];
	const double apart = (double)rig->apart;
	const struct range range = {
		.least = (edge->low / ROOM - OTHERS_MOST * edge[-1].high) /
			 apart,
		.most = edge->high * ROOM / apart + 1,
	};
	uint64_t fits, misses;
	enum outcome outcome;

	set_flush(rig, 0);
	outcome = halve(rig, &range, &fits, &misses);
	if (outcome != FIT)
		return outcome;
	stride->low = (double)fits * apart;
	stride->high = (double)misses * apart;
	stride->least = ((double)fits - left_of((double)fits)) * apart;
	stride->holds = holds(edge, edge - 1, stride);
	return confirm(rig, fits, misses, stride);
}

static bool has_rings(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k)
{
	const double most = fmin(ARENA_MAX, (double)view->arena_max_bytes) /
			    ARENA_ROOM;

	return view->caps & MP_CAP_PHASES && mp_cpu_is_told(edges, k) && k > 0 &&
	       k < edges->doubt.level && k < edges->muddled &&
	       edges->fitted[k] && edges->fitted[k - 1] &&
	       flush_times[1] * edges->edge[k - 1].high < most &&
	       ROOM * edges->edge[k].high < most;
}

/* The strides, the longest first: those at which F does what it should, then
 * of these the first that tells, or else says how much fits. */
static enum outcome search(struct rig *rig, struct mp_cpu_stride *stride)
{
	const struct mp_edge *edge = &rig->edges->edge[rig->k];
	/* Edges move a little as more is known of them. */
	const double inner = exp2(round(log2(edge[-1].size)));
	enum outcome single[STRIDES], all = BAD;

	rig->inner = inner * INNER_ROOM;
	rig->beyond = beyond_of(rig);
	for (uint32_t i = 0; i < STRIDES; i++) {
		const double apart = inner / (double)(1u << i);

		rig->apart = (uint64_t)apart;
		single[i] = BAD;
		if (edge->low / apart >= LINES_MIN &&
		    edge->high / apart <= LINES_MAX)
			single[i] = try_single(rig);
		if (single[i] == LACKING)
			all = LACKING;
	}
	for (uint32_t i = 0; i < STRIDES && all == BAD; i++) {
		struct mp_cpu_stride one = { 0 };

		rig->apart = (uint64_t)(inner / (double)(1u << i));
		if (single[i] == FIT)
			all = try_stride(rig, &one);
		one.known = all == FIT;
		if (one.known && (one.holds || !stride->known))
			*stride = one;
		if (one.known && may_tell(rig, &one))
			all = BAD;
	}
	return all;
}

int mp_cpu_stride_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_plan *plan)
{
	struct rig rig = { .view = view, .edges = edges, .k = k, .plan = plan };
	struct mp_cpu_stride stride = { 0 };

	if (has_rings(view, edges, k))
		search(&rig, &stride);
	return rig.err;
}

void mp_cpu_stride_judge(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_cpu_stride *stride)
{
	struct rig rig = { .view = view, .edges = edges, .k = k };

	memset(stride, 0, sizeof(*stride));
	if (has_rings(view, edges, k))
		search(&rig, stride);
}

bool mp_cpu_stride_goes(const struct mp_cpu_stride *stride,
			const struct mp_edge *edge, double model, double inside)
{
	return stride->holds || (stride->high >= edge->low / model - inside &&
				 stride->least <= edge->high * BEYOND_MOST);
}
