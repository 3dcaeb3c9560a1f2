// SPDX-License-Identifier: GPL-2.0
/*
 * What the edges say of a level's size, with what is known of the levels
 * inside; and a size that another probe settled, as it asked what it needed of
 * them: whether a level is exclusive is asked where sizes hang on it, and again
 * by those who want to know that alone, with time of their own and with lines
 * that are known.
 */
#include "probe/cpu_size.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "analysis/stat.h"
#include "probe/cpu_after.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_count.h"
#include "probe/cpu_groups.h"
#include "probe/cpu_often.h"
#include "probe/cpu_onset.h"
#include "probe/cpu_still.h"

/* A capacity that single replicates see so far apart has moved. */
#define MOVED 1.35
#define SEEN_MIN 8u
/* .. and less far, seen by fewer, where limits say as well that it may. */
#define MOVED_LITTLE 1.22
#define SEEN_FEW 4u
/* A ring of such lines: so much of what a level seems to hold, and more than half
 * of it, by any grid; and what may miss of one that it holds. */
#define THIN 0.75
#define THIN_GRAIN 4
#define THIN_LEAST 0.6
#define THIN_MISS 0.1
#define THIN_REPLICATES 3u
/* Of the hops at a level's edge, those inside that matter. */
#define KEPT 0.03
/* Of a load of memory, what page walks add is less. A curve is at rest where so many
 * lengths more take the same, to this share. */
#define SLOWER 1.25
#define RESTS 2u
#define REST 0.02
#define BEYOND_OFF 0.1
/* Sharp enough for an outermost level to be a round number. */
#define VERY_SHARP 1.06
/* Where small pages are scattered limits hold for sets that are a power of
 * two, which is not known: they have to be nearer each other. */
#define SCATTERED_APART_MAX 1.25
/* Limits may be off by this, where it is only looked between them. */
#define ONSET_OFF 1.05
/* Some sets of several slices are full a little before the others: nine of them
 * that have 432 KiB miss from 421 on. */
#define ONSET_HASHED 1.05

#define LONGER "lines of the innermost level are not known, and longer ones of this one would serve part of a ring that does not fit; best estimate %.0f KiB"

static bool moved(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];
	bool unclear = edge->high > edge->low * MP_CPU_APART_MAX;

	/* Only the outermost level is shared with strangers. */
	if (!k || k + 1 != edges->n ||
	    mp_cpu_has_sides(edges, k))
		return false;
	return (edge->n_seen >= SEEN_MIN && edge->sway > MOVED) ||
	       (unclear && edge->n_seen >= SEEN_FEW &&
		edge->sway > MOVED_LITTLE);
}

static void note(const struct mp_cpu_edges *edges, uint32_t k,
		 struct mp_fact *fact)
{
	double low = edges->level[k].low_bytes / 1.5;
	double high = edges->level[k].high_bytes * 1.5;

	if (edges->count[k].known)
		mp_fact_note(fact, edges->count[k].id);
	if (!mp_cpu_has_sides(edges, k))
		mp_curve_note(&edges->curve, low, high, fact);
	if (mp_cpu_has_sides(edges, k) || edges->single)
		for (uint32_t i = 0; i < MP_CPU_SIDES; i++)
			mp_curve_note(mp_cpu_level_side(edges, k, i), low,
				      high, fact);
}

/* Does the level inside throw out any line? */
static bool goes_by_chance(const struct mp_cpu_edges *edges, uint32_t k)
{
	return edges->fitted[k - 1] &&
	       edges->table->shape[edges->edge[k - 1].shape].policy ==
	       MP_MISS_RANDOM;
}

/* Does the level hold what those inside do, too? */
static int holds_all(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k, bool *all)
{
	struct mp_cpu_beside beside;
	int err;

	*all = false;
	if (!k || !edges->fitted[k - 1])
		return 0;
	err = mp_cpu_beside_judge(view, edges, k, &beside);
	*all = !err && beside.holds == MP_CPU_HOLDS_ALL;
	return err;
}

/* Hops that the level inside still serves at this one's edge may be of lines
 * that it keeps for good, and that this one need not hold, unless it includes it.
 * Where that keeps others each turn these do not come here in their turn, and
 * others stay for that: of two ways of the oldest, as much again. */
static int less_kept(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_fact *fact)
{
	const double kept = mp_cpu_share_kept(edges, k);
	const double passed = mp_cpu_share_passed(edges, k);
	const struct mp_edge *edge = &edges->edge[k];
	bool all;
	int err;

	if (!(kept > KEPT) && !(passed < fact->low * (1 - KEPT)))
		return 0;
	err = holds_all(view, edges, k, &all);
	if (err || all)
		return err;
	fact->low *= 1 - kept;
	if (kept > KEPT && goes_by_chance(edges, k))
		fact->low *= 1 - kept;
	/* It makes the edge unlike any cache's, too, where pages do not. */
	if (kept > KEPT && edge->page_bytes == 0 &&
	    edges->table->shape[edge->shape].scatter != 0)
		fact->low = fmin(fact->low, mp_cpu_share_held(edges, k) *
						    (1 - kept));
	fact->low = fmin(fact->low, passed);
	fact->value = mp_stat_between(fact->low, fact->high);
	return 0;
}

/* Where the edge may be that of a level outside, only what was seen to hit is
 * known of this one. */
static void hide_outer(const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_fact *fact)
{
	if (mp_cpu_may_hide(edges, k))
		fact->low = fmin(fact->low, mp_cpu_share_held(edges, k));
}

/* Why the edge says nothing, if it does not. */
static bool says_nothing(const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_fact *fact)
{
	const uint32_t crowded = mp_cpu_crowded(edges, k);

	if (k >= edges->muddled)
		mp_fact_cannot(fact, "bytes",
			       "its sets or those of %s are no power of two, and its lines longer than those of the levels inside: no ring fills it evenly",
			       mp_cpu_level_name[edges->muddled]);
	else if (k >= edges->doubt.level)
		mp_cpu_doubt_say(edges, k, fact);
	else if (crowded < MP_CPU_LEVELS)
		mp_fact_cannot(fact, "bytes",
			       "a level of about %.0f KiB is there, but whether it is this one is not known, as the edge of %s may be that of one outside whose few ways are crowded",
			       edges->level[k].size_bytes / 1024,
			       mp_cpu_level_name[crowded]);
	else if (!edges->fitted[k])
		mp_fact_cannot(fact, "bytes",
			       "too noisy: the edge near %.0f KiB has no shape that a cache could give it",
			       edges->level[k].size_bytes / 1024);
	else if (k >= edges->contradicted ||
		 (k && !mp_cpu_has_sides(edges, k) &&
		  (!edges->main_full ||
		   (edges->spread && !mp_cpu_edge_dense(edges, k)))))
		mp_fact_cannot(fact, "bytes",
			       "rings of more lines miss where sparser ones do not: others crowd the level, or its sets are no power of two");
	else
		return false;
	return true;
}

static void say_moved(const struct mp_edge *edge, struct mp_fact *fact)
{
	fact->verdict = MP_VARIES;
	fact->value = edge->size;
	fact->low = fmin(edge->seen_low, edge->size);
	fact->high = fmax(edge->seen_high, edge->size);
	snprintf(fact->reason, sizeof(fact->reason),
		 "replicates a moment apart saw %.1f to %.1f MiB: what others leave of a shared cache",
		 fact->low / MP_MIB, fact->high / MP_MIB);
	if (edge->sway > MOVED)
		return;
	/* So little that the limits have a say in the range. */
	fact->low = fmin(fact->low, edge->low);
	fact->high = fmax(fact->high, edge->high);
	snprintf(fact->reason, sizeof(fact->reason),
		 "replicates a moment apart lie %.0f %% apart, and limits too far to call it measured: probably what others leave of a shared cache",
		 100 * (edge->sway - 1));
}

static void say_apart(const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact)
{
	fact->verdict = MP_AT_LEAST;
	/* What the innermost one held is certain, whatever shape. */
	if (!k && !edges->single)
		fact->low = fmin(edges->edge[k].low,
				 mp_cpu_held_bytes(edges, 0));
	hide_outer(edges, k, fact);
	fact->value = fact->low;
	snprintf(fact->reason, sizeof(fact->reason),
		 "limits lie too far apart to call it measured; best estimate %.0f KiB",
		 edges->edge[k].size / 1024);
}

/* What was counted shows the other level, too: this one holds the rest. */
static void say_hidden(const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_fact *fact)
{
	const struct mp_cpu_count *count = &edges->count[k];

	fact->verdict = MP_AT_LEAST;
	hide_outer(edges, k, fact);
	fact->low = fmin(fact->low, fmax(count->own_low - count->hidden, 0));
	fact->value = fact->low;
	snprintf(fact->reason, sizeof(fact->reason),
		 "some of what was counted takes what no level does that is known: the edge near %.0f KiB may be that of one outside whose few ways are crowded",
		 edges->edge[k].size / 1024);
}

static int judge_edge(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k];
	const struct mp_miss_shape *shape =
		&edges->table->shape[edge->shape];
	int err;

	snprintf(fact->method, sizeof(fact->method),
		 "capacity that explains where misses set in; best shape: sets filled %s, %u ways, %s",
		 shape->scatter == 0 ? "evenly" :
		 shape->scatter == 1 ? "at random" : "half at random",
		 shape->ways, mp_miss_policy_name(shape->policy));
	note(edges, k, fact);
	mp_cpu_after_say(edges, k, fact);
	if (says_nothing(edges, k, fact))
		return 0;
	/* Of a shared level what is left to us need not be round: where its
	 * edge is not sharp, the middle of all that explains it. */
	fact->value = k && k + 1 == edges->n && edge->high > edge->low * VERY_SHARP ?
		      mp_stat_between(edge->low, edge->high) :
		      mp_stat_round(edge->low, edge->high, edge->size);
	fact->low = edge->low / mp_cpu_sway_error(edges, k);
	fact->high = edge->high * mp_cpu_sway_error(edges, k);
	fact->verdict = MP_MEASURED;
	err = less_kept(view, edges, k, fact);
	if (err)
		return err;
	mp_cpu_share_unlike(edges, k, fact);
	if (moved(edges, k))
		say_moved(edge, fact);
	else if (mp_cpu_may_hide(edges, k) && edges->count[k].hidden > 0)
		say_hidden(edges, k, fact);
	else if (fact->high / fact->low >
		 (mp_cpu_small_pages(edges, k) ? SCATTERED_APART_MAX :
						 MP_CPU_APART_MAX))
		say_apart(edges, k, fact);
	return 0;
}

/*
 * Full rings have a slot for every line of the usual length. Where lines may be
 * shorter sets that are no power of two hold so much less than is seen. A ring of
 * shorter slots tells: of what such a level seems to hold it misses most.
 */
static bool lines_are_open(const struct mp_view *view,
			   const struct mp_cpu_edges *edges)
{
	return edges->full &&
	       isnan(mp_cpu_value(view, mp_cpu_level_name[0], "line"));
}

/* Lengths of a grid, as edges move a little. */
static uint64_t thin_length(const struct mp_edge *edge)
{
	return (uint64_t)exp2(round(log2(THIN * edge->size) * THIN_GRAIN) /
			      THIN_GRAIN);
}

static int plan_thin(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_plan *plan)
{
	struct mp_sweep sweep;

	if (!lines_are_open(view, edges) || !edges->fitted[k] ||
	    !mp_cpu_full_sweep(view, 1, &sweep))
		return 0;
	return mp_sweep_plan(&sweep, view, thin_length(&edges->edge[k]),
			     THIN_REPLICATES, plan);
}

static int find_thin(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k, bool *held)
{
	const struct mp_edge *edge = &edges->edge[k];
	struct mp_sweep sweep;
	struct mp_curve curve;
	int err;

	*held = false;
	if (!edges->fitted[k] || !mp_cpu_full_sweep(view, 1, &sweep))
		return 0;
	err = mp_sweep_gather(&sweep, view, &curve);
	for (uint32_t i = 0; i < curve.n && !err; i++) {
		const struct mp_curve_at *at = &curve.at[i];
		const double miss = edges->single ?
			mp_cpu_share_of(at, &edges->spectrum, k) :
			(mp_curve_middle(at) - edge->inside) /
			(edge->outside - edge->inside);

		*held |= (double)at->length >= THIN_LEAST * edge->size &&
			 (double)at->length <= edge->low && miss < THIN_MISS;
	}
	mp_curve_free(&curve);
	return err;
}

/* Where lines of the innermost level are not known, longer ones of a level outside are
 * found by the slot beside the one that brought them: of a ring that does not fit so
 * many hops hit, and its edge lies beyond. All of one that fits hit in any case. */
static void doubt_longer(const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_fact *fact)
{
	const double least = mp_cpu_held(edges, k), best = fact->value;

	if (!k || edges->single || fact->low <= least)
		return;
	if (!(least > 0)) {
		mp_fact_cannot(fact, "bytes", LONGER, best / 1024);
		return;
	}
	snprintf(fact->reason, sizeof(fact->reason), LONGER, best / 1024);
	fact->verdict = MP_AT_LEAST;
	fact->low = fact->value = least;
}

static int doubt_lines(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_fact *fact)
{
	const double most = MP_CPU_LINE_USUAL / MP_CPU_LINE_LEAST;
	bool held;
	int err;

	if (!lines_are_open(view, edges) ||
	    (fact->verdict != MP_MEASURED && fact->verdict != MP_AT_LEAST))
		return 0;
	err = find_thin(view, edges, k, &held);
	if (!err && held)
		doubt_longer(edges, k, fact);
	if (err || held)
		return err;
	fact->verdict = MP_AT_LEAST;
	fact->low /= most;
	snprintf(fact->reason, sizeof(fact->reason),
		 "lines of the innermost level are not known, and sets that are no power of two look larger if they are shorter than %u bytes; best estimate %.0f KiB",
		 MP_CPU_LINE_USUAL, fact->value / 1024);
	fact->value = fact->low;
	return 0;
}

/* Is all of a ring that fits held here, but for lines that stay further inside
 * for good? So it is where the level is not exclusive. @all: .. and those, too. */
static int holds_what_fits(const struct mp_view *view,
			   const struct mp_cpu_edges *edges, uint32_t k,
			   bool *holds, bool *all)
{
	struct mp_cpu_beside beside = { 0 };
	int err = 0;

	if (k && edges->fitted[k - 1])
		err = mp_cpu_beside_judge(view, edges, k, &beside);
	*all = !k || beside.holds == MP_CPU_HOLDS_ALL;
	*holds = !k || (beside.holds && beside.holds != MP_CPU_HOLDS_OTHERS);
	return err;
}

/* Where only limits are known, where misses set in may be: between them. */
static int look_at_onset(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 const struct mp_fact *fact, struct mp_cpu_onset *onset)
{
	bool holds, all;
	int err;

	onset->known = false;
	onset->replicates = 0;
	if (fact->verdict != MP_AT_LEAST || k >= edges->doubt.level ||
	    !edges->fitted[k] || !isfinite(fact->high))
		return 0;
	err = holds_what_fits(view, edges, k, &holds, &all);
	if (err || !holds)
		return err;
	err = mp_cpu_onset_look(view, edges, k, fact->low / ONSET_OFF,
				fact->high * ONSET_OFF, onset);
	if (all)
		onset->kept = 0;
	return err;
}

static int by_onset(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k,
		    struct mp_fact *fact)
{
	struct mp_cpu_onset onset = { 0 };
	double low, high;
	int err = look_at_onset(view, edges, k, fact, &onset);

	if (err || !onset.known)
		return err;
	low = fmax(onset.low * (1 - onset.kept), fact->low);
	high = fmin(onset.high, fact->high);
	if (!(low < high))
		return 0;
	for (uint32_t i = 0; i < 2; i++)
		mp_fact_note(fact, onset.id[i]);
	fact->low = fact->value = low;
	fact->high = fmin(high * (k < MP_CPU_FIRST_HASHED ? 1 : ONSET_HASHED),
			  fact->high);
	if (fact->high > low * MP_CPU_APART_MAX)
		return 0;
	fact->verdict = MP_MEASURED;
	fact->reason[0] = 0;
	fact->value = mp_stat_round(low, high, sqrt(low * high));
	snprintf(fact->method, sizeof(fact->method),
		 "no hop of %.0f KiB misses it and a part of those of %.0f KiB does, whoever throws out what",
		 onset.low / 1024, onset.high / 1024);
	return 0;
}

/* At least nothing is no answer. */
static void drop_nothing(struct mp_fact *fact)
{
	char why[sizeof(fact->reason)];

	if (fact->verdict != MP_AT_LEAST || fact->low > 0)
		return;
	snprintf(why, sizeof(why), "%s", fact->reason);
	mp_fact_cannot(fact, "bytes", "%s", why);
}

int mp_cpu_size_judge(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact)
{
	int err = judge_edge(view, edges, k, fact);

	if (!err)
		err = mp_cpu_beside_part(view, edges, k, fact);
	if (!err)
		err = by_onset(view, edges, k, fact);
	if (!err)
		err = mp_cpu_still_hold(view, edges, k, fact);
	if (!err)
		err = doubt_lines(view, edges, k, fact);
	if (!err)
		mp_cpu_others_took(edges, k, fact);
	if (!err)
		drop_nothing(fact);
	return err;
}

int mp_cpu_size_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_plan *plan)
{
	struct mp_fact fact = { .verdict = MP_NOT_MEASURABLE };
	struct mp_cpu_onset onset = { 0 };
	int err = judge_edge(view, edges, k, &fact);

	if (!err)
		err = mp_cpu_beside_part(view, edges, k, &fact);
	if (!err)
		err = look_at_onset(view, edges, k, &fact, &onset);
	if (!err && onset.replicates)
		err = mp_plan_add(plan, &onset.want, onset.replicates);
	if (!err)
		err = plan_thin(view, edges, k, plan);
	if (!err)
		err = mp_cpu_count_plan_closer(view, edges, k, &fact, plan);
	/* Its rings go by the fit as counts leave it. */
	plan->stage++;
	return err ? err : mp_cpu_still_plan_open(view, edges, k, &fact, plan);
}

/* A size of which no more than limits are known. */
static const struct mp_fact *open_size(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, "size");

	return fact && fact->verdict == MP_AT_LEAST ? fact : NULL;
}

int mp_cpu_size_plan_open(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	int err = 0;

	for (uint32_t k = 1; k < edges->n && !err; k++)
		if (open_size(view, k))
			err = mp_cpu_size_plan(view, edges, k, plan);
	return err;
}

/* It is to settle what was known, and not to contradict it. */
static bool settles(const struct mp_fact *size, const struct mp_fact *old)
{
	return size->verdict == MP_MEASURED && size->value >= old->low &&
	       size->value <= old->high;
}

static int renew(const struct mp_view *view, const struct mp_cpu_edges *edges,
		 uint32_t k, struct mp_facts *facts)
{
	const struct mp_fact *old = open_size(view, k);
	struct mp_facts again = { 0 };
	struct mp_fact *size, *fact;
	int err;

	if (!old)
		return 0;
	size = mp_cpu_fact(&again, view, mp_cpu_level_name[k], "size", "bytes");
	err = size ? mp_cpu_size_judge(view, edges, k, size) : -ENOMEM;
	if (!err && settles(size, old)) {
		fact = mp_facts_add(facts, size->name, &size->where);
		if (fact)
			*fact = *size;
		else
			err = -ENOMEM;
	}
	mp_facts_free(&again);
	return err;
}

int mp_cpu_size_renew(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_facts *facts)
{
	int err = 0;

	for (uint32_t k = 1; k < edges->n && !err; k++)
		err = renew(view, edges, k, facts);
	return err;
}

/* Do rings come to rest beyond the last level, and the longest take longer than that
 * by more than walks add? */
static bool ends_slower(const struct mp_cpu_edges *edges)
{
	const struct mp_edge *last = &edges->edge[edges->n - 1];
	const struct mp_curve *curve = &edges->sparse;

	/* Single hops tell levels from walks. */
	if (edges->single || !edges->fitted[edges->n - 1])
		return false;
	for (uint32_t i = 0; i + RESTS < curve->n; i++) {
		const double here = mp_curve_middle(&curve->at[i]);
		uint32_t same = 0;

		for (uint32_t k = 1; k <= RESTS; k++)
			same += fabs(mp_curve_middle(&curve->at[i + k]) / here - 1) < REST;
		/* Of sets that are no power of two sparse rings fit the level for longer. */
		if ((double)curve->at[i].length > last->high && same == RESTS &&
		    here > last->outside * (1 - BEYOND_OFF) &&
		    mp_curve_middle(&curve->at[curve->n - 1]) > here * SLOWER)
			return true;
	}
	return false;
}

void mp_cpu_size_absent(const struct mp_cpu_edges *edges, struct mp_fact *fact)
{
	const struct mp_curve *curve = &edges->side[0];
	const uint32_t crowded = mp_cpu_crowded(edges, edges->n);

	if (!edges->n || !edges->flat) {
		mp_fact_cannot(fact, "bytes", edges->n ?
			       "latency still rises at %.0f MiB, the end of the curve: what lies beyond is not known" :
			       "too noisy: no step in latency up to %.0f MiB",
			       edges->end_bytes / MP_MIB);
		return;
	}
	if (edges->muddled < MP_CPU_LEVELS) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as no ring fills %s evenly",
			       mp_cpu_level_name[edges->muddled]);
		return;
	}
	if (edges->contradicted < MP_CPU_LEVELS) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as rings of more lines miss %s where sparser ones do not",
			       mp_cpu_level_name[edges->contradicted]);
		return;
	}
	if (edges->doubt.level < MP_CPU_LEVELS) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as %s may be two",
			       mp_cpu_level_name[edges->doubt.level]);
		return;
	}
	if (crowded < MP_CPU_LEVELS) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as the edge of %s may be that of one outside whose few ways are crowded",
			       mp_cpu_level_name[crowded]);
		return;
	}
	if (mp_cpu_may_be_more(edges)) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as the edge of %s is so wide, or so unlike that of one level, that another may hide in it",
			       mp_cpu_level_name[edges->n - 1]);
		return;
	}
	if (ends_slower(edges)) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as the longest rings take longer than what is just beyond %s",
			       mp_cpu_level_name[edges->n - 1]);
		return;
	}
	if (mp_cpu_groups_mixed(edges)) {
		mp_fact_cannot(fact, "bytes",
			       "whether there is one more is not known, as what is slower than %s moves with the ring, and memory would not",
			       mp_cpu_level_name[edges->n - 1]);
		return;
	}
	if (mp_cpu_rises_beyond(edges)) {
		mp_fact_cannot(fact, "bytes",
			       "rings of every line take longer once more beyond the last level: there may be one whose lines slots share");
		return;
	}
	fact->verdict = MP_ABSENT;
	snprintf(fact->method, sizeof(fact->method),
		 "no further step in latency up to %.0f MiB",
		 edges->end_bytes / MP_MIB);
	/* What was found further in is no evidence of what lies beyond. */
	mp_curve_note(curve, edges->level[edges->n - 1].size_bytes, INFINITY,
		      fact);
}

/* One that was absent when sizes were told. Return: may it be there? */
static bool may_be_there(const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_fact *fact)
{
	if (k < edges->n)
		mp_fact_cannot(fact, "bytes",
			       "by what was measured since there may be one more level than was found at first");
	else
		mp_cpu_size_absent(edges, fact);
	return fact->verdict != MP_ABSENT;
}

int mp_cpu_size_renew_absent(const struct mp_view *view,
			     const struct mp_cpu_edges *edges,
			     struct mp_facts *facts)
{
	for (uint32_t k = 1; k < MP_CPU_LEVELS; k++) {
		struct mp_fact size = { .verdict = MP_NOT_MEASURABLE }, *fact;

		if (!mp_cpu_is_absent(view, k) ||
		    !may_be_there(edges, k, &size))
			continue;
		fact = mp_cpu_fact(facts, view, mp_cpu_level_name[k], "size",
				   "bytes");
		if (!fact)
			return -ENOMEM;
		mp_fact_cannot(fact, "bytes", "%s", size.reason);
	}
	return 0;
}
