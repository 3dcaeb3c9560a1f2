// SPDX-License-Identifier: GPL-2.0
/*
 * Probe line-l1d: in what units does the first level fetch and allot?
 *
 * What is fetched at once rings of several strides tell, and what comes along
 * with a load. What is allotted at once: a line goes as a whole, so flushing one
 * of two neighbours says whether they share one; below the granularity of that,
 * lines are counted.
 *
 * It comes before the sizes are known, as their curves want the line for
 * their strides; so it has a rough look at the first level of its own.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "backend.h"
#include "probe/cpu.h"
#include "probe/line.h"
#include "probe/line_first.h"
#include "probe/line_inner.h"
#include "probe/line_strides.h"
#include "probe/line_together.h"

/* The shortest that a flush tells apart. */
#define FLUSHED 64u
/* Two looks at what is fetched at once, in octaves: no further apart. */
#define SECTORS_APART 0.5
/* Times of one level do not differ by more; nor, where each has its own, by more
 * than the second. Hits among hops of two levels show as a mean that is less than
 * so much of what the nearer one takes. */
#define NEXT_LEVEL 1.2
#define SERVED_BOTH 1.1
#define NOT_MIXED 0.98

/* -- what is seen ------------------------------------------------------- */

/**
 * struct seen - all that was seen of the first level
 * @first: where it ends, roughly
 * @st, @fetched: what is fetched at once
 * @counts: lines counted
 * @flush: of neighbours 64 and 128 bytes apart; do they go together?
 * @half: of the halves of 64 bytes, one brought in by the other
 * @along: what comes along with a load
 */
struct seen {
	struct mp_line_first first;
	struct mp_line_strides st;
	struct mp_line_fetched fetched;
	struct mp_line_counts counts;
	uint32_t flush[2];
	uint32_t half;
	struct mp_line_along along;
};

static int see(const struct mp_view *view, struct seen *seen,
	       struct mp_fact *fact)
{
	int err;

	*seen = (struct seen){ .half = MP_LINE_OPEN };
	err = mp_line_first_find(view, &seen->first);
	if (view->caps & MP_CAP_SEQUENCE) {
		for (uint32_t i = 0; i < 2; i++)
			seen->flush[i] = mp_line_flush(view, MP_LINE_BOTH,
						       FLUSHED << i, fact);
		seen->half = mp_line_flush(view, MP_LINE_ALONG, FLUSHED / 2,
					   fact);
	}
	if (err || isnan(seen->first.fits_bytes))
		return err;
	if (view->caps & MP_CAP_SEQUENCE)
		err = mp_line_along(view, seen->first.latency, fact,
				    &seen->along);
	if (!err)
		err = mp_line_strides(view, &seen->first, fact, &seen->st,
				      &seen->fetched);
	if (err)
		return err;
	return mp_line_counts(view, &seen->first, fact, &seen->counts);
}

/* The most that the line can be: neighbours so far apart do not go together.
 * Where they do, an outer level of longer lines may have taken them out of
 * this one, so that says little. */
static uint32_t most(const struct seen *seen)
{
	for (uint32_t i = 0; i < 2; i++)
		if (seen->flush[i] == MP_LINE_NO)
			return FLUSHED << i;
	return MP_LINE_MAX;
}

/* Slots that do not stay are served by the next level. Where they come from
 * further out, that one may be the one that has too few lines: if it holds
 * all that the first one does, they leave both. */
static bool is_served_next(const struct seen *seen)
{
	double most = 0;

	for (uint32_t i = 0; i < seen->st.n; i++)
		most = fmax(most, seen->st.cycles[i]);
	return seen->counts.time <= NEXT_LEVEL * most;
}

/* What the other half of a line of the length counted takes, where a load does
 * not bring it along; NaN where that is not told. */
static double next_of(const struct seen *seen)
{
	const struct mp_line_along *along = &seen->along;
	uint32_t half = 0;

	while (2 * MP_LINE_ALONG_FROM << half < seen->counts.line)
		half++;
	return along->replicates && along->comes[half] == MP_LINE_NO ?
	       seen->first.latency + along->later[half] : NAN;
}

/* Where rings of as many slots come from further out than what lies next, those
 * that take less than that have hits among them, and their mean tells nothing. */
static bool is_mixed(const struct seen *seen)
{
	const double next = next_of(seen);

	return seen->counts.slowest > SERVED_BOTH * next &&
	       seen->counts.time < NOT_MIXED * next;
}

/*
 * .. nor, where that is told apart, from further out than what the other half
 * of such a line is found in: a level that has both, and did not lose them. By
 * the mean alone that may be hits and what comes from further out, half each:
 * a level outside that loses some loses them of half as many slots as well.
 */
static bool is_lost_here(const struct seen *seen)
{
	return seen->st.quiet && seen->along.quiet &&
	       seen->counts.line > MP_LINE_COUNT_FROM &&
	       seen->counts.clear && seen->counts.whole &&
	       is_served_next(seen) && !is_mixed(seen) &&
	       seen->counts.time <= SERVED_BOTH * next_of(seen);
}

/* Neighbours up to here come along with a load, and nothing but what shares
 * a line brings them: it is no shorter. 0 = that does not show. */
static uint32_t least(const struct seen *seen)
{
	const struct mp_line_along *along = &seen->along;
	uint32_t bytes = MP_LINE_ALONG_FROM;

	if (!along->replicates || !along->quiet)
		return 0;
	for (uint32_t i = 0; i < MP_LINE_ALONGS &&
			     along->comes[i] == MP_LINE_YES; i++)
		bytes *= 2;
	return bytes;
}

/* What rings say comes at once is this level's own, unless a load does not
 * bring as much along: then slots share a line of a level further out, and
 * that is where half of them hit. */
static double fetched_of(const struct seen *seen)
{
	const struct mp_line_along *along = &seen->along;
	uint32_t bytes = MP_LINE_ALONG_FROM, i = 0;

	while (i < MP_LINE_ALONGS && along->comes[i] != MP_LINE_NO) {
		bytes *= 2;
		i++;
	}
	return along->replicates && seen->fetched.bytes > bytes ?
	       0 : seen->fetched.bytes;
}

/*
 * Longer than 32 bytes, as fewer slots stay than if it were no longer, or as
 * a flush takes more: but prefetchers that cannot be turned off take room,
 * too. They have not if the halves of what comes along go as one.
 */
static uint32_t line_of(const struct mp_view *view, const struct seen *seen)
{
	const bool flushes = view->caps & MP_CAP_SEQUENCE;
	const struct mp_line_counts *counts = &seen->counts;
	const uint32_t limit = most(seen);
	const double fetched = fetched_of(seen);

	/* A count that fits is certain, whatever else is brought along. */
	if (counts->line == MP_LINE_COUNT_FROM)
		return MP_LINE_COUNT_FROM;
	if (counts->line && counts->line == least(seen))
		return counts->line;
	if (counts->line <= limit && is_lost_here(seen))
		return counts->line;
	/* Rings and loads contradict each other: this one may be shorter. */
	if (seen->fetched.bytes > fetched)
		return 0;
	/* No less than what is fetched, no more than what is flushed. */
	if (flushes && seen->st.quiet && fetched == limit &&
	    (!counts->line || counts->line >= limit))
		return limit;
	if (seen->st.quiet && counts->line &&
	    fetched == counts->line && counts->line <= limit)
		return counts->line;
	/* What a flush of its other half leaves is a line. */
	if (flushes && limit == FLUSHED && seen->half == MP_LINE_NO)
		return MP_LINE_COUNT_FROM;
	if (flushes && !seen->st.quiet && limit == FLUSHED) {
		if (!(fetched > 0 && fetched < FLUSHED) &&
		    seen->along.comes[0] != MP_LINE_NO)
			return seen->half == MP_LINE_YES ? FLUSHED : 0;
	}
	if (!counts->clear || !is_served_next(seen) ||
	    (fetched < counts->line && (!counts->whole || is_mixed(seen))))
		return 0;
	if (seen->st.quiet)
		return counts->line <= limit ? counts->line : 0;
	if (!flushes)
		return counts->line == fetched ? counts->line : 0;
	/* Where a flush takes more than that along, an outer level of longer
	 * lines does it, and may take another line as well. */
	return counts->line == FLUSHED && limit == FLUSHED ? FLUSHED : 0;
}

/**
 * struct answer - the line
 * @bytes: 0 = not known
 * @replicates: that it rests on
 * @together: neighbours said it, by what goes with what
 */
struct answer {
	uint32_t bytes;
	uint32_t replicates;
	bool together;
};

/* A prefetcher that brings the upper half of a slot with the lower one, as if
 * they were one line, brings the next slot with the upper one, and not with
 * the lower. */
static int rule_out_next(const struct mp_view *view, const struct seen *seen,
			 struct mp_plan *plan, struct mp_fact *fact,
			 struct answer *out)
{
	int err = 0;

	if (!(view->caps & MP_CAP_SEQUENCE) ||
	    seen->along.comes[1] == MP_LINE_YES)
		return 0;
	if (plan)
		err = mp_line_flush_plan(view, MP_LINE_BEYOND, FLUSHED, plan);
	if (mp_line_flush(view, MP_LINE_BEYOND, FLUSHED, fact) != MP_LINE_YES)
		out->bytes = 0;
	return err;
}

/*
 * What is still open, neighbours tell: of what was flushed, counted or came
 * along longer lines further out, or prefetchers, may have had their part.
 * These may also make two lines look like one whose halves come and go
 * together, so that is asked where prefetchers are on; and where less comes along
 * than was counted, which may be what an inclusive level lost.
 */
static int settle(const struct mp_view *view, const struct seen *seen,
		  struct mp_plan *plan, struct mp_fact *fact,
		  struct answer *out)
{
	struct mp_line_between between = {
		.least = MP_LINE_COUNT_FROM, .most = most(seen),
	};
	int err;

	*out = (struct answer){ line_of(view, seen), seen->counts.replicates,
				false };
	if (isnan(seen->first.fits_bytes) || out->bytes == MP_LINE_COUNT_FROM ||
	    (out->bytes && seen->st.quiet && fetched_of(seen) >= out->bytes))
		return 0;
	if (least(seen))
		between.least = least(seen);
	if (seen->counts.line && seen->counts.line < between.most)
		between.most = seen->counts.line;
	if (out->bytes && out->bytes < between.most)
		between.most = out->bytes;
	if (between.least == between.most)
		*out = (struct answer){ between.least, seen->along.replicates,
					false };
	if (between.least >= between.most)
		return 0;
	err = mp_line_narrow(view, &seen->first, &seen->along, plan, fact,
			     &between);
	if (err)
		return err;
	if (between.replicates && between.least == between.most)
		*out = (struct answer){ between.least, between.replicates,
					true };
	else if (out->bytes)
		err = rule_out_next(view, seen, plan, fact, out);
	return err;
}

/* -- what is asked ------------------------------------------------------ */

static int plan_flushes(const struct mp_view *view, struct mp_plan *plan)
{
	int err = 0;

	if (!(view->caps & MP_CAP_SEQUENCE))
		return 0;
	for (uint32_t d = FLUSHED; d < MP_LINE_MAX && !err; d *= 2)
		err = mp_line_flush_plan(view, MP_LINE_BOTH, d, plan);
	return err ? err : mp_line_flush_plan(view, MP_LINE_ALONG,
					      FLUSHED / 2, plan);
}

static int plan_rest(const struct mp_view *view, const struct mp_line_first *first,
		     struct mp_plan *plan)
{
	struct answer answer;
	struct seen seen;
	int err = see(view, &seen, NULL);

	if (err || !seen.st.n)
		return err;
	if (seen.fetched.shorter) {
		err = mp_line_strides_plan(view, first, MP_LINE_STRIDE_MIN,
					   plan);
		plan->stage++;
	}
	if (!err)
		err = mp_line_counts_plan(view, first, plan);
	plan->stage++;
	if (!err && seen.counts.clear && seen.counts.line > MP_LINE_COUNT_FROM &&
	    fetched_of(&seen) < seen.counts.line)
		err = mp_line_counts_more_plan(view, first, &seen.counts, plan);
	plan->stage++;
	return err ? err : settle(view, &seen, plan, NULL, &answer);
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_line_first first = { .fits_bytes = NAN };
	int err = mp_line_first_plan(view, plan);

	if (!err)
		err = plan_flushes(view, plan);
	plan->stage++;
	if (!err)
		err = mp_line_first_find(view, &first);
	if (err || isnan(first.fits_bytes))
		return err ? err : 1;
	err = mp_line_strides_plan(view, &first, 2 * MP_LINE_STRIDE_MIN, plan);
	if (!err && view->caps & MP_CAP_SEQUENCE)
		err = mp_line_along_plan(view, plan);
	plan->stage++;
	if (!err)
		err = plan_rest(view, &first, plan);
	return err ? err : 1;
}

/* -- what it says ------------------------------------------------------- */

static void say_line(const struct seen *seen, const struct answer *answer,
		     struct mp_fact *fact)
{
	snprintf(fact->method, sizeof(fact->method),
		 "of slots far apart it holds as many as it has lines; neighbours that stay when one is flushed do not share one");
	if (answer->together)
		snprintf(fact->method, sizeof(fact->method),
			 "neighbours in one line are kept by a load of either, those in two are not");
	if (answer->bytes) {
		mp_line_bracket(fact, answer->bytes, answer->replicates);
		return;
	}
	mp_fact_cannot(fact, "bytes",
		       isnan(seen->first.fits_bytes) ?
		       "no usable latency curve: too few undisturbed measurements" :
		       "slots that are held (lines of %u bytes), neighbours that are flushed (at most %u) and what is fetched at once (%.0f) do not make one line: prefetchers or noise",
		       seen->counts.line, most(seen), seen->fetched.bytes);
}

/* What rings say of what is fetched at once, where it can be believed. */
static double sector_of_rings(const struct mp_fact *line,
			      const struct seen *seen)
{
	const double bytes = seen->fetched.bytes;

	if (line->verdict != MP_MEASURED || bytes > line->value ||
	    (line->value > MP_LINE_COUNT_FROM &&
	     !(fabs(log2(seen->counts.sector / bytes)) <= SECTORS_APART)))
		return 0;
	return bytes;
}

/*
 * What comes along with a load, up to the nearest neighbour that does not. A
 * prefetcher may bring what lies in another line, but no part of its own.
 */
static double sector_of_loads(const struct mp_fact *line,
			      const struct seen *seen)
{
	const struct mp_line_along *along = &seen->along;
	const bool has_line = line->verdict == MP_MEASURED;
	const double most = has_line ? line->value : MP_LINE_MAX;
	uint32_t bytes = MP_LINE_ALONG_FROM, i = 0;

	while (bytes < most && along->comes[i] == MP_LINE_YES) {
		bytes *= 2;
		i++;
	}
	/* The upper half of a slot cannot be flushed by itself: where it does
	 * not go with the lower one, that it is there tells nothing. */
	if (!along->replicates || seen->half != MP_LINE_YES)
		return 0;
	/* Nor does what a slot loaded by itself takes, where its upper half is
	 * another line, which is not flushed before. */
	if (has_line && line->value < FLUSHED)
		return 0;
	/* From another line nothing comes but by prefetchers. */
	if (along->comes[i] == MP_LINE_NO)
		return has_line || along->quiet || !i ? bytes : 0;
	return has_line && !along->quiet && bytes >= most ? bytes : 0;
}

static void say_sector(const struct mp_fact *line, const struct seen *seen,
		       struct mp_fact *fact)
{
	const double bytes = seen->fetched.bytes;
	const double rings = sector_of_rings(line, seen);
	const double loads = sector_of_loads(line, seen);

	snprintf(fact->method, sizeof(fact->method),
		 "misses halve with the stride while slots are fetched together: %.2f at half of that, %.2f at it",
		 seen->fetched.below, seen->fetched.above);
	if (loads > 0)
		snprintf(fact->method, sizeof(fact->method),
			 "of the neighbours of a slot that is loaded the nearest that does not come along, or lies in another line, is %.0f bytes away",
			 loads);
	if (loads > 0 && rings > 0 && loads != rings)
		mp_fact_cannot(fact, "bytes",
			       "%.0f bytes come along with a load, %.0f by the misses of rings of several strides",
			       loads, rings);
	else if (loads > 0)
		mp_line_bracket(fact, loads, seen->along.replicates);
	else if (rings > 0)
		mp_line_bracket(fact, rings, seen->st.replicates);
	else if (line->verdict == MP_MEASURED && bytes > line->value)
		mp_fact_cannot(fact, "bytes",
			       "%.0f bytes come at once, more than a line: prefetchers bring the rest",
			       bytes);
	else if (line->verdict == MP_MEASURED && bytes > 0)
		mp_fact_cannot(fact, "bytes",
			       "%.0f bytes by the misses of rings of several strides, which those of sparse rings do not bear out: another level's may show as well",
			       bytes);
	else
		mp_fact_cannot(fact, "bytes",
			       "no stride at which misses cease to halve stands out, or the line is not known");
}

static int add_sector(const struct mp_view *view, const struct seen *seen,
		      const struct mp_fact *line, struct mp_facts *facts)
{
	const struct mp_fact copy = *line;
	struct mp_fact *fact = mp_cpu_fact(facts, view, mp_cpu_level_name[0],
					   "sector", "bytes");

	if (!fact)
		return -ENOMEM;
	for (uint32_t i = 0; i < copy.n_evidence; i++)
		mp_fact_note(fact, copy.evidence[i]);
	say_sector(&copy, seen, fact);
	return 0;
}

int mp_line_l1d_look(const struct mp_view *view, struct mp_line_l1d_seen *out)
{
	struct seen seen;
	int err = see(view, &seen, NULL);

	if (err)
		return err;
	*out = (struct mp_line_l1d_seen){
		.least = least(&seen) ? least(&seen) : MP_LINE_COUNT_FROM,
		.most = most(&seen),
		.quiet = seen.st.quiet && seen.along.quiet,
	};
	for (uint32_t i = 0; i < MP_LINE_ALONGS && seen.along.replicates; i++)
		out->comes[i] = seen.along.comes[i];
	return 0;
}

static void say_inner(const struct mp_line_inner *inner, struct mp_fact *fact)
{
	snprintf(fact->method, sizeof(fact->method),
		 inner->apart ?
		 "slots %u bytes apart leave it one without the other%s" :
		 "what is loaded stays where a neighbour %u bytes away is flushed%s",
		 inner->line,
		 inner->halves ? ", and halves of that never do" : "");
	mp_line_bracket(fact, inner->line, inner->replicates);
}

static int begin(const struct mp_view *view, struct mp_facts *facts,
		 struct mp_fact **fact, struct seen *seen)
{
	*fact = mp_cpu_fact(facts, view, mp_cpu_level_name[0], "line", "bytes");
	return *fact ? see(view, seen, *fact) : -ENOMEM;
}

int mp_line_l1d_renew(const struct mp_view *view,
		      const struct mp_cpu_edges *edges,
		      struct mp_facts *facts)
{
	struct mp_line_inner inner;
	struct mp_fact *fact;
	struct seen seen;
	int err = begin(view, facts, &fact, &seen);

	if (!err)
		err = mp_line_inner(view, edges, NULL, fact, &inner);
	if (err)
		return err;
	say_inner(&inner, fact);
	return add_sector(view, &seen, fact, facts);
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct answer answer;
	struct mp_fact *fact;
	struct seen seen;
	int err = begin(view, facts, &fact, &seen);

	if (!err)
		err = settle(view, &seen, NULL, fact, &answer);
	if (err)
		return err;
	say_line(&seen, &answer, fact);
	return add_sector(view, &seen, fact, facts);
}

const struct mp_probe mp_probe_line_l1d = {
	.name = "line-l1d",
	.asks = "in what units does the first level fetch and allot?",
	.facts = "cpu.l1d.line,cpu.l1d.sector",
	.needs = MP_CAP_CHASE,
	.weight = 3,
	.quick = true,
	.next = next,
	.infer = infer,
};
