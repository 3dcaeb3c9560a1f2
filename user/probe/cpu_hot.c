// SPDX-License-Identifier: GPL-2.0
/*
 * Exclusive, inclusive or neither: rounds of two walks on one CPU.
 *
 * In each round H, a ring that fits the inner level, is walked once, and then
 * R, a ring too long for the outer level, for a few hops: so few that H stays
 * in the inner level. After so many rounds that R has driven the outer level
 * through, Q, some turns round a stretch of the same ring, puts H out of the
 * inner level, and T, a walk round H, tells where its lines are now. In the
 * control H comes in the last of these rounds only, so that what Q itself does
 * to the outer level, and what a hop costs in either place, is known and not
 * assumed. Before H and T a few loads beside their slots bring back what
 * translation has forgotten of them.
 *
 * Where prefetchers work and the outer level's lines are longer, what they
 * bring beside a slot of H may keep its line in use there. What hangs on that is
 * asked again with all lines beside those slots walked behind H.
 */
#include "probe/cpu_hot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_hot_back.h"
#include "probe/cpu_hot_said.h"
#include "probe/cpu_hot_shape.h"
#include "probe/cpu_pages.h"
#include "probe/ways_level.h"

#define REPLICATES 3u
/* Of H so much lives further in than in the inner level, at most: an exclusive
 * level may be without that. */
#define INSIDE_MAX 0.6
/* Of T so much was not lost by Q. */
#define ROOM_MIN 0.3
/* Hops of R are beyond the outer level; most of them. */
#define BEYOND_MIN 0.6
/* .. and nearly all, where it may leave whole sets alone: of a level of one way
 * over 48 colours of pages it left some, and 17 % of its own hops hit. */
#define DRIVEN 0.9
/* Some of them are beyond the next level, if they take more than it does by this. */
#define FURTHER_LEAST 1.1
/* R is walked a stretch at a time. Of one of so few pages each is translated once, of a
 * longer one each hop may be. */
#define PAGE 4096.0
#define PAGES_KNOWN 16.0
/* Lines of H that leave the inner level at any time leave it early while Q is
 * walked: such a part of an exclusive level, at most, puts few of them out of
 * that. */
#define ROOMY 0.35
/* Hops of two kinds whose mean is that of a third lie so far apart, in all; a
 * part of that is due to translation. */
#define MIXED_PART 0.35
/* Without the drive so many hops of R leave the inner level. */
#define AROUND_MIN 0.75
/* .. or no fewer than this, if what leaves the inner level with the drive comes
 * from beyond but for a tenth, and without it so little leaves that. */
#define AROUND_FEWER 0.4
#define LOSES_NEARLY_ALL 0.9
/* .. and where H stays further in, in a level that R goes through anyway. */
#define AROUND_FURTHER 0.5
/* By means no more of R than this misses the outer level, by its edge. */
#define AROUND_MISS_MAX 0.1
/* A part of the hops of R that makes their mean that of a walk through the
 * next level. */
#define FURTHER_MIN 0.05
/* No level has longer lines. */
#define LINE_LONGEST 256.0
#define KEPT_SIGMAS 2.0
/* .. of what lies beyond the last level. */
#define LONGEST 1.5
/* Of so many lines one at the least has a slot, where lines fall on sets in no power
 * of two: of fewer the ring drives the level through less often than is reckoned. */
#define SPARSE 2.0

static const struct mp_cpu_hot nothing = {
	.gone = NAN, .gone_least = NAN, .left = NAN,
	.lost = NAN, .leaked = NAN, .still = NAN,
};

/* -- what came back --------------------------------------------------------- */

/* Hops of T that all take as long as one in the outer level: or do some take
 * less and some more? */
static bool is_even(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k, uint64_t id)
{
	const double hit = edges->edge[k].inside;
	const double mixed = (hit - edges->edge[k - 1].inside) *
			     (edges->edge[k].outside - hit);

	double step, spread = mp_cpu_hot_spread(view, id, &step);

	return spread < MIXED_PART * mixed && step * step / 4 < mixed;
}

/* Hops of a burst that take longer were interrupted: those of memory take less. */
static double longest(const struct mp_cpu_edges *edges)
{
	double most = 0;

	for (uint32_t k = 0; k < edges->n; k++)
		if (edges->fitted[k])
			most = fmax(most, edges->edge[k].outside);
	if (edges->sparse.n)
		most = fmax(most, mp_curve_middle(
				  &edges->sparse.at[edges->sparse.n - 1]));
	return most * LONGEST;
}

static int look(const struct mp_view *view, const struct mp_cpu_edges *edges,
		const struct mp_cpu_hot_shape *shape, struct mp_cpu_hot *hot)
{
	const double most = longest(edges);
	const struct {
		uint32_t actor;
		enum mp_cpu_hot_kind kind;
		double *to;
	} want[] = {
		{ MP_CPU_HOT_H, MP_CPU_HOT_CONTROL, &hot->hot_cycles },
		{ MP_CPU_HOT_T, MP_CPU_HOT_CONTROL, &hot->kept_cycles },
		{ MP_CPU_HOT_H, MP_CPU_HOT_DRIVEN, &hot->inner_cycles },
		{ MP_CPU_HOT_T, MP_CPU_HOT_DRIVEN, &hot->driven_cycles },
		{ MP_CPU_HOT_R, MP_CPU_HOT_DRIVEN, &hot->beyond_cycles },
		{ MP_CPU_HOT_H, MP_CPU_HOT_STILL, &hot->still_cycles },
		{ MP_CPU_HOT_R, MP_CPU_HOT_STILL, &hot->around_cycles },
	};
	uint32_t least = UINT32_MAX, n;
	struct mp_exp exp;
	int err = 0;

	for (uint32_t i = 0; i < sizeof(want) / sizeof(want[0]) && !err; i++) {
		mp_cpu_hot_exp(view, shape, want[i].kind, &exp);
		hot->id[want[i].kind] = mp_exp_id(&exp);
		err = mp_cpu_hot_mean(view, hot->id[want[i].kind],
				      want[i].actor,
				      want[i].actor == MP_CPU_HOT_H ? most :
				      INFINITY, want[i].to, &n);
		if (want[i].kind != MP_CPU_HOT_STILL && n < least)
			least = n;
	}
	hot->n = least;
	return err;
}

/* Shares of an edge's jump, not of what lies further out: what was driven
 * out of this level may be found in the next. */
static double beyond(const struct mp_cpu_edges *edges, uint32_t k,
		     const struct mp_cpu_hot *hot)
{
	return fmin(hot->beyond_cycles, edges->edge[k].outside);
}

/* How many hops of R leave the inner level where it does not go through the outer
 * one. A mean does not tell those that miss that one, too: its edge does. */
static double around_of(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			const struct mp_cpu_hot_shape *shape,
			const struct mp_cpu_hot *hot)
{
	const struct mp_edge *edge = &edges->edge[k];
	const double in = edges->edge[k - 1].inside;
	const double missed = mp_edge_miss(edge, edges->table,
					   (double)(shape->still_ring + shape->hot));

	if (mp_cpu_is_told(edges, k))
		return mp_cpu_hot_missed(view, hot->id[MP_CPU_HOT_STILL],
					 MP_CPU_HOT_R, &edges->spectrum, k - 1);
	if (!(missed <= AROUND_MISS_MAX))
		return NAN;
	return (hot->around_cycles - in - missed * (edge->outside - edge->inside)) /
	       (edge->inside - in);
}

/* Where R does not go through the outer level it finds some of its lines in the
 * inner one, and puts out the less there. */
static void count_around(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 const struct mp_cpu_hot_shape *shape,
			 struct mp_cpu_hot *hot)
{
	const double left = around_of(view, edges, k, shape, hot);
	const double around = left * shape->still_turns;
	double least = shape->further ? AROUND_FURTHER : AROUND_MIN;

	hot->still /= fmin(around, 1);
	if (mp_cpu_is_told(edges, k) && fabs(hot->still) < MP_CPU_HOT_STAYS &&
	    hot->lost >= LOSES_NEARLY_ALL * hot->leaked)
		least = AROUND_FEWER;
	if (!(around >= least && left >= AROUND_FEWER))
		hot->still = NAN;
}

/* How much of H lives further inside than it should: the inner level may have
 * no more what is used there. Where that is exclusive of those, it passes their
 * lines on; where it includes them, it has them, too. And what is to stay further
 * in does so whatever its hops take, which translations may have made longer. */
static double inside_of(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			const struct mp_cpu_hot_shape *shape,
			const struct mp_cpu_hot *inner,
			const struct mp_cpu_hot *hot)
{
	const double own = edges->edge[k - 1].inside;

	if (k < 2 || inner->holds == MP_CPU_HOLDS_OTHERS || inner->holds == MP_CPU_HOLDS_ALL)
		return 0;
	if (shape->further)
		return 1;
	if (mp_cpu_is_told(edges, k - 1))
		return 1 - mp_cpu_hot_missed(view, hot->id[MP_CPU_HOT_DRIVEN], MP_CPU_HOT_H,
					     &edges->spectrum, k - 2);
	return fmax(own - hot->inner_cycles, 0) /
	       (own - edges->edge[k - 2].inside);
}

/* Does R miss the next level, too? An inclusive one puts H out of all. */
static bool goes_further(const struct mp_cpu_edges *edges, uint32_t k,
			 const struct mp_cpu_hot_shape *shape,
			 const struct mp_cpu_hot *hot)
{
	const struct mp_edge *next = &edges->edge[k + 1];

	/* Of a ring that the next level hardly holds few hops do, and what hits makes a
	 * mean less. */
	if (shape->near || shape->through || k + 1 >= edges->n ||
	    !edges->fitted[k + 1])
		return shape->near || shape->through;
	return hot->beyond_cycles > next->inside +
		FURTHER_MIN * (next->outside - next->inside);
}

/* From mean times: what an average hop has more than one that hits. */
static void weigh_means(const struct mp_cpu_edges *edges, uint32_t k,
			const struct mp_cpu_hot_shape *shape, double turns,
			struct mp_cpu_hot *hot)
{
	const double out = beyond(edges, k, hot);
	const double hit = edges->edge[k].inside;
	const double in = k > 1 ? edges->edge[k - 1].inside :
			  fmin(hot->hot_cycles, edges->edge[0].inside);

	hot->left = (fmin(hot->kept_cycles, hot->driven_cycles) - in) /
		    (hit - in);
	hot->gone = (hot->driven_cycles - hot->kept_cycles) /
		    (out - hot->kept_cycles);
	if (out - hot->kept_cycles < ROOM_MIN * (out - hit))
		hot->gone = NAN;
	/* If they came from where R's lines do. */
	hot->gone_least = (hot->driven_cycles - hot->kept_cycles) /
			  (fmax(hot->beyond_cycles, out) - hot->kept_cycles);
	hot->leaked = (hot->inner_cycles - in) * turns / (hit - in);
	hot->lost = (hot->inner_cycles - in) * turns / (out - in);
	hot->past = goes_further(edges, k, shape, hot) ? hot->lost : 0;
	hot->still = (hot->still_cycles - in) * turns / (hit - in);
}

/* H has just come in the control, and was put out of the inner level: what of
 * that does this one have? */
static double kept_of(const struct mp_view *view,
		      const struct mp_cpu_hot_shape *shape,
		      const struct mp_spectrum *at, uint32_t k,
		      const struct mp_cpu_hot *hot)
{
	const uint64_t control = hot->id[MP_CPU_HOT_CONTROL];
	const double left = mp_cpu_hot_missed(view, control, MP_CPU_HOT_T, at,
					      k - 1);
	const double gone = mp_cpu_hot_missed(view, control, MP_CPU_HOT_T, at, k);
	const double hops = (double)(shape->hot / shape->stride) *
			    shape->cycles * hot->n;
	const double kept = fmax(1 - gone / left, 0);

	return left > MP_CPU_HOT_PUT_OUT ?
	       fmax(kept - KEPT_SIGMAS *
			   sqrt(kept * (1 - kept) / (left * hops)), 0) : 0;
}

/* From single hops: how many were served where. */
static void weigh_hops(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       const struct mp_cpu_hot_shape *shape, double turns,
		       struct mp_cpu_hot *hot)
{
	const struct mp_spectrum *at = &edges->spectrum;
	const uint64_t control = hot->id[MP_CPU_HOT_CONTROL];
	const uint64_t driven = hot->id[MP_CPU_HOT_DRIVEN];
	const uint64_t still = hot->id[MP_CPU_HOT_STILL];
	const double far = mp_cpu_hot_missed(view, driven, MP_CPU_HOT_T, at, k);
	const double before = mp_cpu_hot_missed(view, control, MP_CPU_HOT_T, at, k);
	double kept[2], lost[2];

	hot->left = mp_cpu_hot_missed(view, driven, MP_CPU_HOT_T, at, k - 1);
	hot->kept = kept_of(view, shape, at, k, hot);
	hot->young = 1 - exp(-(double)shape->q_ring / edges->edge[k - 1].size);
	hot->gone = (far - before) / (hot->left - before);
	if (hot->left - before < ROOM_MIN)
		hot->gone = NAN;
	/* Where a few pages fall on few sets it is chance what Q puts out, of either. */
	mp_cpu_hot_gone_most(view, control, MP_CPU_HOT_T, at, k, kept);
	mp_cpu_hot_gone_most(view, driven, MP_CPU_HOT_T, at, k, lost);
	hot->gone_least = fmin(hot->gone, (lost[0] - kept[1]) /
					  (1 - before / hot->left));
	hot->leaked = turns * mp_cpu_hot_missed(view, driven, MP_CPU_HOT_H, at, k - 1);
	hot->lost = turns * mp_cpu_hot_missed(view, driven, MP_CPU_HOT_H, at, k);
	hot->still = turns * mp_cpu_hot_missed(view, still, MP_CPU_HOT_H, at, k - 1);
	/* What came from there may have brought its neighbours along. */
	if (k + 2 < at->n && !mp_cpu_is_told(edges, k + 1))
		hot->past = hot->lost;
	else if (k + 2 < at->n)
		hot->past = fmax(LINE_LONGEST / (double)shape->stride, 1) *
			    turns * mp_cpu_hot_missed(view, driven, MP_CPU_HOT_H, at, k + 1);
}

/* How often one of the lines that may share a longer one with a slot of H left
 * the inner level: it is used in the outer one then, and that slot's with it. */
static int weigh_beside(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			const struct mp_cpu_hot_shape *shape,
			struct mp_cpu_hot *hot)
{
	const double turns = edges->edge[k].size / (double)shape->chunk;
	const double line = mp_cpu_value(view, mp_cpu_level_name[k], "line");
	const double lines = (line > 0 ? line : LINE_LONGEST) / (double)shape->beside;
	const uint64_t driven = hot->id[MP_CPU_HOT_DRIVEN];
	const double in = edges->edge[k - 1].inside;
	double mean;
	uint32_t n;
	int err;

	if (mp_cpu_is_told(edges, k)) {
		hot->beside = lines * turns *
			      mp_cpu_hot_missed(view, driven, MP_CPU_HOT_BESIDE,
				     &edges->spectrum, k - 1);
		return 0;
	}
	err = mp_cpu_hot_mean(view, driven, MP_CPU_HOT_BESIDE, longest(edges), &mean, &n);
	hot->beside = lines * turns * (mean - in) / (edges->edge[k].inside - in);
	return err;
}

/* Has a ring so few of a level's lines that it drives it through less often than is
 * reckoned? */
static bool is_sparse(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      uint64_t stride)
{
	double line = mp_ways_line_of(view, 0, MP_CPU_LINE_LEAST);
	struct mp_sweep sweep;

	/* Its own are longer. */
	if (edges->width[k]) {
		mp_cpu_level_sweep(view, edges, k, 0, &sweep);
		line = (double)sweep.stride;
	}
	return edges->full && (double)stride > SPARSE * line;
}

/* Pages that lie anywhere leave some of a level's sets alone, if these have few
 * ways: R has been through all of them where it hardly hits. */
static bool is_driven(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_cpu_hot *hot)
{
	const uint64_t driven = hot->id[MP_CPU_HOT_DRIVEN];
	const struct mp_edge *edge = &edges->edge[k];
	const struct mp_miss_shape *shape = &edges->table->shape[edge->shape];
	uint32_t at = 0;
	const struct mp_batch *batch = mp_view_next(view, driven, &at);

	if (!batch || !mp_cpu_scattered(batch) || shape->scatter == 0 ||
	    shape->ways > MP_CPU_CROWDED_WAYS)
		return true;
	/* R is timed many hops at a time. */
	return hot->beyond_cycles - edge->inside >=
	       DRIVEN * (edge->outside - edge->inside);
}

static const char not_missed[] =
	"a walk through more than this level does not miss it";

/* What hops of R take without translations of its pages, where these were measured. */
static double alone_of(const struct mp_view *view,
		       const struct mp_cpu_edges *edges,
		       const struct mp_cpu_hot_shape *shape,
		       const struct mp_cpu_hot *hot)
{
	const double cost = mp_cpu_pages_cost(view, edges, shape->r_ring);
	const double pages = (double)shape->chunk > PAGES_KNOWN * PAGE ? 1 :
			     fmin((double)shape->stride / PAGE, 1);

	/* NAN is less than nothing. */
	return hot->beyond_cycles - fmax(cost * pages, 0);
}

/* Does R miss the outer level, if its hops take so long? */
static bool goes_through(const struct mp_edge *edge, double cycles)
{
	return cycles > edge->inside +
			BEYOND_MIN * (edge->outside - edge->inside);
}

/* May R fit the outer level, by its limits, though it takes as long as one that does
 * not? A few hops that miss the next level as well make any mean of many that hit. */
static bool may_fit(const struct mp_edge *edge,
		    const struct mp_cpu_hot_shape *shape, double cycles)
{
	return (double)shape->r_ring < edge->high &&
	       cycles > edge->outside * FURTHER_LEAST;
}

/* An outer level that seems exclusive is none that R has left what it had. */
static void doubt_drive(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			const struct mp_cpu_hot_shape *shape,
			struct mp_cpu_hot *hot)
{
	const struct mp_edge *edge = &edges->edge[k];
	double cycles;

	if (hot->holds != MP_CPU_HOLDS_OTHERS)
		return;
	cycles = alone_of(view, edges, shape, hot);
	if (!goes_through(edge, cycles))
		hot->why = not_missed;
	else if (may_fit(edge, shape, cycles))
		hot->why = "this level may have room for what is to walk through it, some of which misses the next level, too";
	else
		return;
	hot->holds = MP_CPU_HOLDS_UNKNOWN;
}

static void weigh(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  uint32_t k, const struct mp_cpu_hot_shape *shape,
		  struct mp_cpu_hot *hot)
{
	const double turns = edges->edge[k].size / (double)shape->chunk;
	const bool told = mp_cpu_is_told(edges, k);

	if (!goes_through(&edges->edge[k], hot->beyond_cycles)) {
		hot->why = not_missed;
		return;
	}
	if (told)
		weigh_hops(view, edges, k, shape, turns, hot);
	else
		weigh_means(edges, k, shape, turns, hot);
	count_around(view, edges, k, shape, hot);
	if (mp_cpu_hot_puts_out(told, hot))
		hot->holds = MP_CPU_HOLDS_ALL;
	else if (hot->inside > INSIDE_MAX)
		hot->why = MP_CPU_HOT_INSIDE;
	else
		mp_cpu_hot_decide((double)(shape->q_ring + shape->chunk) < ROOMY *
				  (edges->edge[k].size - edges->edge[k - 1].size),
				  hot);
	if (!told && hot->holds == MP_CPU_HOLDS_OTHERS &&
	    !(is_even(view, edges, k, hot->id[MP_CPU_HOT_CONTROL]) &&
	      is_even(view, edges, k, hot->id[MP_CPU_HOT_DRIVEN]))) {
		hot->holds = MP_CPU_HOLDS_UNKNOWN;
		hot->why = "the clock is too coarse to tell whether all that was put out of the level inside was found in this one";
	}
	if (hot->holds == MP_CPU_HOLDS_OTHERS &&
	    !is_driven(view, edges, k, hot)) {
		hot->holds = MP_CPU_HOLDS_UNKNOWN;
		hot->why = "pages lie anywhere, and what walks through more than this level leaves some of its sets alone";
	}
	doubt_drive(view, edges, k, shape, hot);
	if (hot->holds == MP_CPU_HOLDS_OTHERS &&
	    is_sparse(view, edges, k, shape->stride)) {
		hot->holds = MP_CPU_HOLDS_UNKNOWN;
		hot->why = "its sets, or those of a level inside, are no power of two, and of so long a ring only some of the lines can be walked, which may fill few ways";
	}
	/* What a prefetcher brings of a longer line keeps the line in use. */
	if (hot->holds == MP_CPU_HOLDS_OTHERS &&
	    isnan(mp_cpu_value(view, "l1d", "line"))) {
		hot->holds = MP_CPU_HOLDS_UNKNOWN;
		hot->why = "the innermost level's line is not known: what is fetched beside the lines that are walked may keep them in use here";
	}
}

static int judge_shape(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       const struct mp_cpu_hot_shape *shape,
		       const struct mp_cpu_hot *inner, struct mp_cpu_hot *hot)
{
	int err;

	*hot = nothing;
	err = look(view, edges, shape, hot);
	if (err)
		return err;
	if (!hot->n) {
		hot->why = "no time was left for its walks, or none was left undisturbed";
		return 0;
	}
	hot->inside = inside_of(view, edges, k, shape, inner, hot);
	if (shape->beside)
		err = weigh_beside(view, edges, k, shape, hot);
	if (hot->inside > INSIDE_MAX && !shape->further)
		hot->why = MP_CPU_HOT_INSIDE;
	else
		weigh(view, edges, k, shape, hot);
	return err;
}

/* Were all prefetchers off? */
static bool is_quiet(const struct mp_view *view, uint64_t id)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	bool quiet = true;

	while ((batch = mp_view_next(view, id, &at))) {
		if (mp_batch_counts(batch))
			quiet &= (batch->grant.got & MP_GOT_PREFETCH_OFF) != 0;
	}
	return quiet;
}

/* May prefetchers have kept lines of H in use in the outer level? Lines that
 * they bring share none with it where those of all levels are as long. */
static bool may_be_kept(const struct mp_view *view, uint32_t k,
			const struct mp_cpu_hot *hot)
{
	const double line = mp_cpu_value(view, "l1d", "line");

	return hot->holds && hot->holds != MP_CPU_HOLDS_ALL && line > 0 &&
	       mp_cpu_shares_lines(view, (uint64_t)line, k) &&
	       !is_quiet(view, hot->id[MP_CPU_HOT_DRIVEN]);
}

static int judge_try(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     uint32_t try, const struct mp_cpu_hot *inner,
		     struct mp_cpu_hot *hot)
{
	struct mp_cpu_hot_shape shape;
	int err;

	*hot = nothing;
	hot->why = mp_cpu_hot_shape(view, edges, k, try, &shape);
	if (hot->why)
		return 0;
	err = judge_shape(view, edges, k, &shape, inner, hot);
	if (err || !may_be_kept(view, k, hot))
		return err;
	if (mp_cpu_hot_shape_beside(view, &shape))
		return judge_shape(view, edges, k, &shape, inner, hot);
	hot->holds = MP_CPU_HOLDS_UNKNOWN;
	hot->why = "what prefetchers bring beside the lines that are walked may keep them in use here";
	return 0;
}

/* Does it leave nothing to ask? */
static bool is_known(const struct mp_cpu_hot *hot)
{
	return hot->holds && hot->holds != MP_CPU_HOLDS_NO_OTHERS;
}

/* The first try that tells all, or else the first that tells something. */
static void keep_better(uint32_t try, const struct mp_cpu_hot *next,
			struct mp_cpu_hot *hot)
{
	const bool part = try && hot->holds == MP_CPU_HOLDS_NO_OTHERS;

	if (part && next->holds == MP_CPU_HOLDS_OTHERS) {
		hot->holds = MP_CPU_HOLDS_UNKNOWN;
		hot->why = "two experiments contradict each other";
	} else if (!try || (next->holds && !part) || is_known(next)) {
		*hot = *next;
	}
}

/* From the inside outwards, as what is known of a level helps with the next. */
static int judge(const struct mp_view *view, const struct mp_cpu_edges *edges,
		 uint32_t k, uint32_t tries, struct mp_cpu_hot *hot)
{
	struct mp_cpu_hot inner = { 0 }, next;
	int err = 0;

	for (uint32_t i = 1; i <= k && !err; i++) {
		for (uint32_t try = 0; try < tries && !err; try++) {
			err = judge_try(view, edges, i, try, &inner, &next);
			keep_better(try, &next, hot);
			if (is_known(&next))
				break;
		}
		inner = *hot;
	}
	return err;
}

int mp_cpu_hot_judge(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_cpu_hot *hot)
{
	return judge(view, edges, k, MP_CPU_HOT_TRIES, hot);
}

static int plan_shape(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_cpu_hot_shape *shape,
		      const struct mp_cpu_hot *known, struct mp_plan *plan,
		      struct mp_cpu_hot *hot)
{
	struct mp_cpu_hot inner = { 0 }, told;
	struct mp_exp exp;
	int err = 0;

	for (uint32_t kind = MP_CPU_HOT_CONTROL;
	     kind <= MP_CPU_HOT_DRIVEN && !err; kind++) {
		mp_cpu_hot_exp(view, shape, kind, &exp);
		err = mp_plan_add(plan, &exp, REPLICATES);
	}
	if (!err)
		err = judge_shape(view, edges, k, shape, &inner, hot);
	told = *hot;
	if (!err && k > 1 && hot->n)
		err = judge_shape(view, edges, k, shape, known, &told);
	/* May translations be why R seems to go through the outer level? */
	if (!err && told.holds == MP_CPU_HOLDS_OTHERS) {
		plan->stage++;
		return mp_cpu_pages_plan(view, edges, shape->r_ring, plan);
	}
	/* What makes H leave the inner level? */
	if (err || !hot->n || !shape->still_ring || hot->holds == MP_CPU_HOLDS_SOME ||
	    !mp_cpu_hot_may_put_out(mp_cpu_is_told(edges, k), hot))
		return err;
	plan->stage++;
	mp_cpu_hot_exp(view, shape, MP_CPU_HOT_STILL, &exp);
	return mp_plan_add(plan, &exp, REPLICATES);
}

static int plan_try(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k, uint32_t try,
		    const struct mp_cpu_hot *inner, struct mp_plan *plan)
{
	struct mp_cpu_hot_shape shape;
	struct mp_cpu_hot hot;
	int err;

	if (mp_cpu_hot_shape(view, edges, k, try, &shape))
		return 0;
	err = plan_shape(view, edges, k, &shape, inner, plan, &hot);
	if (err || !may_be_kept(view, k, &hot) ||
	    !mp_cpu_hot_shape_beside(view, &shape))
		return err;
	plan->stage++;
	return plan_shape(view, edges, k, &shape, inner, plan, &hot);
}

int mp_cpu_hot_plan(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k,
		    struct mp_plan *plan)
{
	struct mp_cpu_hot hot, inner = { 0 };
	int err = judge(view, edges, k - 1, MP_CPU_HOT_TRIES, &inner);
	/* What leaves the level further in by itself does not stay there. */
	const uint32_t tries = inner.n && !(inner.leaked >= MP_CPU_HOT_LEAKS_LITTLE) ?
			       MP_CPU_HOT_TRIES : MP_CPU_HOT_FURTHER;

	for (uint32_t try = 0; try < tries && !err; try++) {
		err = plan_try(view, edges, k, try, &inner, plan);
		if (!err)
			err = judge(view, edges, k, try + 1, &hot);
		if (err || is_known(&hot))
			return err;
		plan->stage++;
	}
	return err;
}
