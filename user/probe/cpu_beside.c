// SPDX-License-Identifier: GPL-2.0
/* What a level holds beside those inside, by six witnesses, and the size that
 * is left to it. */
#include "probe/cpu_beside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stat.h"
#include "probe/cpu_alone.h"
#include "probe/cpu_count.h"
#include "probe/cpu_edges.h"

/* What those further in hold may lie beside it as well, but so little does
 * not move a limit. */
#define TINY 0.03
/* A bound of less than this share of the edge says nothing. */
#define WORTH 0.05
/* A line leaves the inner level less often while this one is walked through
 * once: it stays there while it is used. */
#define LEAKS_LITTLE 1.0
/* Limits that hold the size whichever is true: the middle is near both. */
#define EITHER 1.2
/* .. and a round number is near enough to either. */
#define NEAR 1.1
/* Stretches of a ring that are so small a part of a level fill it evenly. */
#define EVENLY 2.0
/* .. and what their model is worth, where they do not. */
#define SUM_MODEL 1.1
/* .. and where either throws out lines in any order, what has left the one inside is
 * more of some sets than of others: of 25 edges' upper limits 12 lay before the sum, by
 * 10 % at most. */
#define SUM_LATER 1.12
#define SUM_PLAIN 0.25
#define ROUNDED 1.08
/* Where it is not known what a level holds of those inside, and these hold no
 * more of its edge than that, counts may lie near enough to each other. */
#define COUNTED_INSIDE 0.2

/* Does a level throw out the oldest line, so that those outside it still have
 * what it has? Of sets that are filled unevenly the shape does not tell. */
static bool keeps_none(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_miss_shape *shape =
		&edges->table->shape[edges->edge[k].shape];

	return shape->policy == MP_MISS_LRU && shape->scatter == 0;
}

/* What the levels further in may hold beside level @k. The edge of the one
 * inside is that of all that they hold together, but for old lines. */
static double inside_of(const struct mp_cpu_edges *edges, uint32_t k)
{
	double inside = edges->edge[k - 1].size;

	for (uint32_t i = 0; i + 1 < k; i++)
		if (edges->edge[i].size > edges->edge[k].size * TINY &&
		    !keeps_none(edges, i))
			inside += edges->edge[i].size;
	return inside;
}

/* Does the edge of an exclusive level lie at the sum? A turn visits stretches
 * of the ring in random order. Where those are no part of the inner level, it
 * has more lines of some of this one's sets than of others, and the edge
 * begins before the sum. */
static bool is_even(const struct mp_view *view, const struct mp_edge *inner)
{
	struct mp_sweep sweep;

	mp_cpu_side_sweep(view, 0, &sweep);
	return inner->size >= (double)sweep.reach * EVENLY;
}

/* Does one shape explain the edge? Not where the inner one has much of it, and
 * its own way to throw lines out; nor where replicates differ, and lines do not
 * fall on sets evenly. */
static bool is_plain(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	return mp_cpu_edge_plain(edges, k) && edge->sway <= MP_CPU_UNEVEN &&
	       edge[-1].size < edge->size * SUM_PLAIN;
}

/* Does this level throw out the oldest lines, of many ways, and the one inside as well,
 * so that either has a stretch of the ring? One that goes by arrival looks so, but lines
 * that are used all the time leave it. */
static bool go_by_use(const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_cpu_hot *hot)
{
	const struct mp_edge *edge = &edges->edge[k];
	const struct mp_miss_shape *own = &edges->table->shape[edge->shape];
	const struct mp_miss_shape *inner = &edges->table->shape[edge[-1].shape];

	return own->policy == MP_MISS_LRU && own->ways > MP_CPU_CROWDED_WAYS &&
	       inner->policy == MP_MISS_LRU && !(hot->leaked >= LEAKS_LITTLE);
}

/* Does the edge tell how large an exclusive level is? */
static bool is_sharp(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     const struct mp_cpu_hot *hot)
{
	const struct mp_edge *edge = &edges->edge[k], *inner = edge - 1;

	return is_even(view, inner) && is_plain(edges, k) &&
	       go_by_use(edges, k, hot) &&
	       edge->high - inner->low <=
	       MP_CPU_APART_MAX * (edge->low - inside_of(edges, k));
}

/* Is all told that there is to tell? */
static bool is_told(uint32_t holds)
{
	return holds && holds != MP_CPU_HOLDS_NO_OTHERS;
}

/* Another CPU is asked last: it needs one that shares the level. */
static int plan_other(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan, uint32_t *holds)
{
	struct mp_cpu_leaks leaks = { 0 };
	struct mp_cpu_other other;
	int err;

	if (is_told(*holds))
		return 0;
	err = mp_cpu_leaks_judge(view, edges, k, &leaks);
	if (err || is_told(leaks.holds))
		return err;
	err = mp_cpu_other_plan(view, edges, k, plan, &other);
	*holds = other.holds;
	return err;
}

int mp_cpu_beside_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_plan *plan)
{
	struct mp_cpu_hot hot = { 0 };
	struct mp_cpu_stays stays = { 0 };
	struct mp_cpu_colour colour;
	struct mp_cpu_stride stride;
	int err = mp_cpu_hot_plan(view, edges, k, plan);

	if (!err)
		err = mp_cpu_hot_judge(view, edges, k, &hot);
	if (err || (hot.holds && (hot.holds != MP_CPU_HOLDS_OTHERS ||
				  is_sharp(view, edges, k, &hot))))
		return err ? err : plan_other(view, edges, k, plan, &hot.holds);
	plan->stage++;
	if (!hot.holds) {
		err = mp_cpu_colour_plan(view, edges, k, plan);
		if (err)
			return err;
		mp_cpu_colour_judge(view, edges, k, &colour);
		hot.holds = colour.holds;
	}
	/* Where an exclusive level's edge is that of two levels, the lines
	 * that it holds are a better measure. */
	plan->stage++;
	if (hot.holds == MP_CPU_HOLDS_OTHERS ||
	    inside_of(edges, k) < edges->edge[k].size * COUNTED_INSIDE)
		err = mp_cpu_count_plan(view, edges, k, plan);
	plan->stage++;
	if (err || (hot.holds == MP_CPU_HOLDS_OTHERS &&
		    mp_cpu_counted_alone(&edges->count[k])))
		return err;
	err = mp_cpu_stride_plan(view, edges, k, plan);
	if (err)
		return err;
	mp_cpu_stride_judge(view, edges, k, &stride);
	plan->stage++;
	if (!is_told(hot.holds) && !is_told(stride.holds)) {
		err = mp_cpu_stays_plan(view, edges, k, plan);
		if (!err)
			err = mp_cpu_stays_judge(view, edges, k, &stays);
		hot.holds = stays.holds;
		plan->stage++;
		if (!err && !is_told(hot.holds))
			err = mp_cpu_leaks_plan(view, edges, k, plan);
		plan->stage++;
		if (!err)
			err = plan_other(view, edges, k, plan, &hot.holds);
	}
	if (!err && (hot.holds == MP_CPU_HOLDS_OTHERS ||
		     stride.holds == MP_CPU_HOLDS_OTHERS))
		err = mp_cpu_count_plan(view, edges, k, plan);
	if (err || hot.holds != MP_CPU_HOLDS_OTHERS || stride.known ||
	    edges->edge[k - 1].size <= edges->edge[k].size * MP_CPU_LITTLE)
		return err;
	return mp_cpu_alone_plan(view, edges, k, plan);
}

/* Is a level exclusive by the one, and by the other not? */
static bool contradict(uint32_t holds, uint32_t other)
{
	return holds && other && (holds == MP_CPU_HOLDS_OTHERS) !=
				 (other == MP_CPU_HOLDS_OTHERS);
}

/* What lines say that stay inside by chance. */
static int ask_stayed(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_cpu_beside *beside)
{
	const int err = mp_cpu_stays_judge(view, edges, k, &beside->stays);
	const uint32_t holds = beside->stays.holds;

	if (err || !holds)
		return err;
	if (beside->holds && holds == MP_CPU_HOLDS_OTHERS) {
		beside->holds = MP_CPU_HOLDS_UNKNOWN;
		beside->hot.why = "two experiments contradict each other";
		return 0;
	}
	beside->holds = holds;
	return 0;
}

/* What those say that leave it. */
static int ask_left(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k,
		    struct mp_cpu_beside *beside)
{
	const int err = mp_cpu_leaks_judge(view, edges, k, &beside->leaks);
	const uint32_t holds = beside->leaks.holds;

	if (err || !holds)
		return err;
	if (beside->holds == MP_CPU_HOLDS_OTHERS ||
	    (beside->holds == MP_CPU_HOLDS_SOME && holds == MP_CPU_HOLDS_ALL)) {
		beside->holds = MP_CPU_HOLDS_UNKNOWN;
		beside->leaks.holds = MP_CPU_HOLDS_UNKNOWN;
		beside->hot.why = "two experiments contradict each other";
	} else if (holds == MP_CPU_HOLDS_ALL) {
		beside->holds = holds;
	} else if (!beside->holds) {
		beside->holds = holds;
		beside->hot.why = "it is not exclusive, but whether it includes what lies inside is not known";
	}
	return 0;
}

/* What another CPU finds. */
static void ask_other(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_cpu_beside *beside)
{
	uint32_t holds;

	mp_cpu_other_judge(view, edges, k, &beside->other);
	holds = beside->other.holds;
	if (!holds || beside->holds == holds)
		return;
	if (contradict(beside->holds, holds)) {
		beside->holds = beside->other.holds = MP_CPU_HOLDS_UNKNOWN;
		beside->hot.why = "two experiments contradict each other";
		return;
	}
	beside->holds = holds;
	if (!is_told(holds))
		beside->hot.why = "it is not exclusive, but whether it includes what lies inside is not known";
}

int mp_cpu_beside_judge(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_cpu_beside *beside)
{
	int err = mp_cpu_hot_judge(view, edges, k, &beside->hot);
	const uint32_t hot = beside->hot.holds;
	uint32_t holds;

	beside->holds = MP_CPU_HOLDS_UNKNOWN;
	beside->blurred = false;
	memset(&beside->stays, 0, sizeof(beside->stays));
	memset(&beside->leaks, 0, sizeof(beside->leaks));
	memset(&beside->other, 0, sizeof(beside->other));
	if (err)
		return err;
	mp_cpu_stride_judge(view, edges, k, &beside->stride);
	mp_cpu_colour_judge(view, edges, k, &beside->colour);
	holds = hot ? hot : beside->stride.holds;
	if (contradict(hot, beside->stride.holds) ||
	    contradict(holds, beside->colour.holds)) {
		beside->hot.why = "two experiments contradict each other";
		beside->stride.known = false;
		return 0;
	}
	beside->holds = holds ? holds : beside->colour.holds;
	if (!hot && beside->colour.holds == MP_CPU_HOLDS_NO_OTHERS)
		beside->hot.why = "it is not exclusive, but whether it includes what lies inside is not known";
	if (!is_told(beside->holds))
		err = ask_stayed(view, edges, k, beside);
	if (!err)
		err = ask_left(view, edges, k, beside);
	if (!err && !is_told(beside->holds))
		ask_other(view, edges, k, beside);
	return err;
}

/* Lines that the levels inside held none of were counted. */
static void by_itself(bool exclusive, const struct mp_cpu_stride *stride,
		      struct mp_fact *fact)
{
	fact->verdict = MP_MEASURED;
	fact->reason[0] = 0;
	fact->low = stride->least;
	fact->high = stride->high;
	fact->value = stride->low;
	for (uint32_t i = 0; i < 2; i++)
		mp_fact_note(fact, stride->id[i]);
	snprintf(fact->method, sizeof(fact->method),
		 "lines that fit while others put them out of the levels inside%s",
		 exclusive ? ", as this one is exclusive" : "");
	if (fact->high <= fact->low * MP_CPU_APART_MAX)
		return;
	fact->verdict = MP_AT_LEAST;
	fact->value = fact->low;
	snprintf(fact->reason, sizeof(fact->reason),
		 "lines that lie so far apart that %.0f KiB fit and %.0f KiB do not",
		 stride->low / 1024, stride->high / 1024);
}

/* Does what the level holds alone go with what it does with those inside? */
static bool is_alone(const struct mp_cpu_edges *edges, uint32_t k,
		     const struct mp_cpu_alone *alone)
{
	const struct mp_edge *edge = &edges->edge[k];

	return alone->known && alone->low <= edge->high &&
	       alone->high >= edge->low / SUM_MODEL - inside_of(edges, k);
}

/* Its lines were counted while others filled the levels inside. */
static void all_alone(const struct mp_cpu_alone *alone, struct mp_fact *fact)
{
	fact->verdict = MP_MEASURED;
	fact->reason[0] = 0;
	fact->low = alone->low;
	fact->high = alone->high;
	fact->value = fact->high > fact->low * ROUNDED ? alone->size :
		      mp_stat_round(fact->low, fact->high, alone->size);
	for (uint32_t i = 0; i < 2; i++)
		if (alone->id[i])
			mp_fact_note(fact, alone->id[i]);
	snprintf(fact->method, sizeof(fact->method),
		 "capacity that explains where misses set in while others fill the levels inside, as this one is exclusive");
	if (fact->high <= fact->low * MP_CPU_APART_MAX)
		return;
	fact->verdict = MP_AT_LEAST;
	fact->value = fact->low;
	snprintf(fact->reason, sizeof(fact->reason),
		 "limits lie too far apart to call it measured; best estimate %.0f KiB",
		 alone->size / 1024);
}

/* The edge's lower limit; of a bound, what was judged to be one. */
static double low_of(const struct mp_edge *edge, const struct mp_fact *fact)
{
	return fact->verdict == MP_AT_LEAST ? fmin(edge->low, fact->low) :
					      edge->low;
}

/* The edge less what the levels inside hold, as far as that is so. @sharp: it lies at
 * the sum, and not before it. */
static bool less_inner(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       bool exclusive, bool sharp, struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k], *inner = edge - 1;
	const double inside = inside_of(edges, k);
	const double low = low_of(edge, fact);
	/* Two levels make one edge, which no shape of one is. */
	const double model = is_plain(edges, k) ? 1 : SUM_MODEL;
	const double later = sharp ? model : SUM_LATER;

	fact->low = fmax(fmin(low, edge->size / model) - inside, 1);
	if (!exclusive || !is_even(view, inner)) {
		if (inner->size > edge->size * MP_CPU_LITTLE ||
		    fact->value > fact->low * NEAR)
			fact->value = mp_stat_between(fact->low,
						      fact->high);
		return false;
	}
	fact->low = fmax(low / model - inside, 1);
	/* It cannot lie further before the sum than what lies inside makes it. */
	fact->high = fmin(edge->high * later - inner->low, edge->high * model);
	/* Where it is not sharp a round number may lie far off the middle. */
	fact->value = !sharp ? mp_stat_between(fact->low, fact->high) :
		      fact->high > fact->low * ROUNDED ?
		      fmin(fmax(edge->size - inner->size, fact->low),
			   fact->high) :
		      mp_stat_round(fact->low, fact->high,
				    edge->size - inner->size);
	snprintf(fact->method, sizeof(fact->method),
		 "capacity that explains where misses set in, less what the levels inside hold, as this one is exclusive");
	return true;
}

/* A level inside that throws out any line keeps old ones, too, which this one
 * has lost since: together they hold more than it does. One that looks as if it
 * threw out the oldest does not, or goes by arrival, if lines leave it that are used
 * all the time. */
static bool keeps_old(const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_cpu_beside *beside)
{
	const struct mp_edge *inner = &edges->edge[k - 1];
	const bool oldest = edges->table->shape[inner->shape].policy ==
			    MP_MISS_LRU;
	const double leaked = beside->hot.leaked;

	return beside->holds != MP_CPU_HOLDS_ALL &&
	       inner->size > edges->edge[k].size * MP_CPU_LITTLE &&
	       (oldest ? leaked >= LEAKS_LITTLE : !(leaked < LEAKS_LITTLE));
}

/* Where hops are timed singly those that the level inside serves are counted:
 * all others of a ring that fits are here for a whole turn. Of a shorter ring it
 * serves more. How many of these this level has lost is not known: the value is
 * as far from one limit as from the other, as a share of it. */
static void less_served(const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k];
	const double kept = mp_cpu_share_kept(edges, k);
	const double most = kept > 0 ? pow(kept, edge->low / edge->high) : 0;

	fact->low = fmin(fact->low, low_of(edge, fact) * (1 - most));
	fact->value = mp_stat_between(fact->low, fact->high);
}

static void less_old(const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k];
	double apart = MP_CPU_APART_MAX;

	if (mp_cpu_is_told(edges, k)) {
		less_served(edges, k, fact);
		apart = MP_CPU_WITHIN_EIGHTH;
	} else {
		fact->low = fmax(low_of(edge, fact) - edge[-1].high, 1);
	}
	if (fact->high <= fact->low * apart)
		return;
	fact->verdict = MP_AT_LEAST;
	fact->value = fact->low;
	snprintf(fact->reason, sizeof(fact->reason),
		 "%.0f KiB with what the level inside keeps when this one has lost it",
		 edge->size / 1024);
}

/*
 * Which lines an exclusive level has is what those inside leave to it. Where
 * that is not a stretch of the ring, a few ways are crowded long before they
 * are full, whether it is alone or not.
 */
static bool is_crowded(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	return edges->table->shape[edge->shape].ways <= MP_CPU_CROWDED_WAYS &&
	       (k > 1 || !is_even(view, edge - 1));
}

/* The least is said, if it is worth it. @with: as what the edge is known. */
static void cannot_part(const struct mp_edge *edge, const char *with,
			const char *why, struct mp_fact *fact)
{
	if (fact->low < edge->size * WORTH) {
		mp_fact_cannot(fact, "bytes",
			       "%.0f KiB with what the levels inside hold, and what that leaves to it is not known",
			       edge->size / 1024);
		return;
	}
	fact->verdict = MP_AT_LEAST;
	fact->value = fact->low;
	snprintf(fact->reason, sizeof(fact->reason),
		 "%.0f KiB with %s the levels inside%s%s", edge->size / 1024,
		 with, why ? ": " : "", why ? why : "");
}

/* How large the level inside is is not known, so that nothing is asked of this
 * one: if it is exclusive, so much of its edge may be theirs. */
static void less_unknown(const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k];
	double inside = 0;

	for (uint32_t i = 0; i < k; i++)
		inside += edges->fitted[i] ? edges->edge[i].high :
					     edges->level[i].high_bytes;
	if (inside <= edge->size * MP_CPU_LITTLE)
		return;
	fact->low = fmax(edge->low - inside, 1);
	cannot_part(edge, "or, if it holds what they hold, without",
		    "the edge of the one inside is not known", fact);
}

/* An exclusive level's edge lies at the sum with what the levels inside it
 * hold. Where it is not known whether it is one, both may be true. */
static int part_by_edge(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_cpu_beside *beside, struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k];
	const bool others = beside->holds == MP_CPU_HOLDS_OTHERS;
	const bool sharp = go_by_use(edges, k, &beside->hot);
	struct mp_cpu_alone alone;
	bool is_wide, sum;
	int err;

	if (beside->holds && !others && !keeps_old(edges, k, beside))
		return 0;
	if (beside->stride.known &&
	    mp_cpu_stride_goes(&beside->stride, edge,
			       is_plain(edges, k) ? 1 : SUM_MODEL,
			       inside_of(edges, k))) {
		by_itself(others, &beside->stride, fact);
		return 0;
	}
	if (beside->holds && !others) {
		less_old(edges, k, fact);
		return 0;
	}
	if (beside->holds && is_crowded(view, edges, k)) {
		less_inner(view, edges, k, false, sharp, fact);
		cannot_part(edge, "some of",
			    "what those leave to it crowds its few ways",
			    fact);
		return 0;
	}
	if (beside->holds) {
		err = mp_cpu_alone_judge(view, edges, k, &alone);
		if (err)
			return err;
		if (is_alone(edges, k, &alone)) {
			all_alone(&alone, fact);
			return 0;
		}
	}
	is_wide = fact->verdict == MP_AT_LEAST;
	sum = less_inner(view, edges, k, beside->holds, sharp, fact);
	beside->blurred = sum && !sharp;
	if (fact->high <= fact->low * MP_CPU_APART_MAX &&
	    (sum || edge->size <= (edge->size - edge[-1].size) * EITHER))
		return 0;
	/* It was no better known with those inside: so little is not asked for. */
	if (is_wide && inside_of(edges, k) <= edge->size * MP_CPU_LITTLE) {
		fact->value = fact->low;
		return 0;
	}
	cannot_part(edge, beside->holds ? "some of" :
		    "or, if it holds what they hold, without",
		    beside->hot.why, fact);
	return 0;
}

int mp_cpu_beside_part(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_fact *fact)
{
	const double high = fact->high;
	struct mp_cpu_beside beside;
	int err;

	if (!k || k >= edges->doubt.level ||
	    (fact->verdict != MP_MEASURED && fact->verdict != MP_AT_LEAST))
		return 0;
	if (!edges->fitted[k - 1]) {
		less_unknown(edges, k, fact);
		return 0;
	}
	err = mp_cpu_beside_judge(view, edges, k, &beside);
	if (!err)
		err = part_by_edge(view, edges, k, &beside, fact);
	if (!err)
		mp_cpu_counted(edges, k, &beside, high, fact);
	return err;
}
