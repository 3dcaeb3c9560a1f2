// SPDX-License-Identifier: GPL-2.0
/*
 * Probe prefetch: what is brought that nobody asked for?
 *
 * Lines are flushed, some are loaded, and one is timed that was not: is it
 * there? Each kind of prefetcher has trials that it alone explains. Lists of
 * trials are in prefetch_list.c, what is seen of them in prefetch_look.c.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "probe/prefetch_ground.h"
#include "probe/prefetch_look.h"
#include "steps.h"

enum kind { ADJACENT, NEXT, STRIDE, STREAM, KINDS };

static const char *const kind_name[KINDS] = {
	[ADJACENT] = "adjacent", [NEXT] = "next", [STRIDE] = "stride",
	[STREAM] = "stream",
};

/* What is seen of all lists, for each length of lines. */
struct seen {
	struct mp_prefetch_ground ground;
	struct mp_prefetch_seen list[MP_PREFETCH_UNITS][MP_PREFETCH_LISTS];
};

/* What trials say of a kind. */
enum says { NOTHING, IS_ABSENT, WORKS, IS_OPEN };

struct answer {
	enum says says;
	const char *open;	/* why */
	uint32_t list;		/* where it shows best */
	uint32_t unit;
	uint32_t trial;
	double bar;
};

/* The lists of a unit; strides are those of the longest line for all. */
static uint32_t lists_of(uint32_t u)
{
	return u ? MP_PREFETCH_STRIDES : MP_PREFETCH_LISTS;
}

static void lay_out(const struct mp_view *view,
		    const struct mp_prefetch_ground *ground, uint32_t u,
		    uint32_t list, struct mp_prefetch_walk *walk)
{
	const struct mp_prefetch_lines lines = {
		.unit = list == MP_PREFETCH_STRIDES ? ground->widest :
						      ground->unit[u],
		.widest = ground->widest,
	};

	mp_prefetch_walk_make(view, list, &lines, ground->bursts, walk);
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_prefetch_ground ground;
	struct mp_prefetch_walk walk;
	int err = 0;

	mp_prefetch_ground_find(view, &ground);
	for (uint32_t u = 0; u < ground.n_units; u++) {
		for (uint32_t i = 0; i < lists_of(u) && !err; i++) {
			lay_out(view, &ground, u, i, &walk);
			err = mp_plan_add(plan, &walk.exp,
					  MP_PREFETCH_REPLICATES);
		}
	}
	return err ? err : 1;
}

static int look(const struct mp_view *view, struct seen *seen)
{
	struct mp_prefetch_walk walk;
	int err = 0;

	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		for (uint32_t i = 0; i < lists_of(u) && !err; i++) {
			lay_out(view, &seen->ground, u, i, &walk);
			err = mp_prefetch_look(view, &walk, &seen->list[u][i]);
		}
	}
	return err;
}

static uint32_t came(const struct seen *seen, uint32_t u, uint32_t list,
		     uint32_t kind)
{
	return mp_prefetch_came(&seen->list[u][list], kind, seen->ground.bar,
				false);
}

static bool never(uint32_t came)
{
	return came == MP_PREFETCH_NEVER || came == MP_PREFETCH_UNTRIED;
}

/* -- what trials say ---------------------------------------------------- */

static void open(struct answer *answer, const char *why)
{
	if (answer->says == WORKS)
		return;
	answer->says = IS_OPEN;
	if (!answer->open)
		answer->open = why;
}

static void works(struct answer *answer, uint32_t u, uint32_t list,
		  uint32_t trial, double bar)
{
	answer->says = WORKS;
	answer->unit = u;
	answer->list = list;
	answer->trial = trial;
	answer->bar = bar;
}

/* Nothing came; where that was seen is told of if it is all there is. */
static void comes_not(struct answer *answer, uint32_t u, uint32_t list,
		      uint32_t trial, double bar)
{
	if (answer->says != NOTHING)
		return;
	works(answer, u, list, trial, bar);
	answer->says = IS_ABSENT;
}

static const char *why_unclear(uint32_t came)
{
	switch (came) {
	case MP_PREFETCH_UNTRIED:
	case MP_PREFETCH_TOO_FEW:
		return "too few trials were measured undisturbed";
	case MP_PREFETCH_UNCLEAR:
		return "lines that were there and lines that were not are not told apart";
	default:
		return "the line comes at times only";
	}
}

static void judge_next(const struct seen *seen, uint32_t u,
		       struct answer *answer)
{
	const uint32_t beyond = came(seen, u, MP_PREFETCH_PAIRS,
				     MP_PREFETCH_BEYOND);
	const uint32_t up = came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_UP);

	if (beyond == MP_PREFETCH_NEVER)
		comes_not(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_BEYOND,
			  seen->ground.bar);
	else if (beyond != MP_PREFETCH_COMES)
		open(answer, why_unclear(beyond));
	else if (up != MP_PREFETCH_COMES)
		open(answer, "the line behind comes across the end of a pair, and not always within one");
	else
		works(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_BEYOND,
		      seen->ground.bar);
}

/* Lines of half a slot are seen upwards only. */
static void judge_half_pair(const struct seen *seen, uint32_t u,
			    struct answer *answer)
{
	const double apart = seen->ground.pair_bar[u];
	const double bar = isnan(apart) ? seen->ground.bar : apart;
	const uint32_t up = mp_prefetch_came(&seen->list[u][MP_PREFETCH_PAIRS],
					     MP_PREFETCH_UP, bar,
					     !isnan(apart));

	if (up == MP_PREFETCH_NEVER)
		comes_not(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_UP, bar);
	else if (up != MP_PREFETCH_COMES)
		open(answer, why_unclear(up));
	else if (!never(came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_BEYOND)))
		open(answer, "lines are too short to see the lower one of a pair, and the upper one comes as the next, too");
	else if (isnan(apart) && seen->ground.widest > seen->ground.unit[u])
		open(answer, "what comes along may lie in the same line of a level whose line is not known");
	else
		works(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_UP, bar);
}

/* The other line goes with the flushed one, as within a line of an outer
 * level: was it further in than there? */
static void judge_held_pair(const struct seen *seen, uint32_t u,
			    struct answer *answer)
{
	const struct mp_prefetch_seen *pairs =
		&seen->list[u][MP_PREFETCH_PAIRS];
	const double bar = seen->ground.pair_bar[u];
	const uint32_t down = isnan(bar) ? MP_PREFETCH_UNTRIED :
		mp_prefetch_came(pairs, MP_PREFETCH_DOWN, bar, true);

	if (isnan(bar))
		open(answer, "what comes along may lie in the same line of a level whose line or latency is not known");
	else if (down == MP_PREFETCH_NEVER)
		comes_not(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_DOWN, bar);
	else if (down == MP_PREFETCH_COMES)
		works(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_DOWN, bar);
	else
		open(answer, why_unclear(down));
}

static void judge_adjacent(const struct seen *seen, uint32_t u,
			   struct answer *answer)
{
	const uint32_t up = came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_UP);
	const uint32_t down = came(seen, u, MP_PREFETCH_PAIRS,
				   MP_PREFETCH_DOWN);
	const uint32_t kept = came(seen, u, MP_PREFETCH_PAIRS,
				   MP_PREFETCH_KEPT);
	const uint32_t beyond = came(seen, u, MP_PREFETCH_PAIRS,
				     MP_PREFETCH_BEYOND);

	if (seen->ground.unit[u] < MP_STEPS_SLOT)
		judge_half_pair(seen, u, answer);
	else if (down == MP_PREFETCH_NEVER && up != MP_PREFETCH_NEVER &&
		 beyond != MP_PREFETCH_COMES)
		open(answer, "the upper line of a pair comes after the lower one, and the lower one does not after the upper one");
	else if (down == MP_PREFETCH_NEVER)
		comes_not(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_DOWN,
			  seen->ground.bar);
	else if (down != MP_PREFETCH_COMES)
		open(answer, why_unclear(down));
	else if (up != MP_PREFETCH_COMES)
		open(answer, "the lower line of a pair comes after the upper one, and the upper one not always after the lower one");
	else if (kept == MP_PREFETCH_COMES)
		works(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_KEPT,
		      seen->ground.bar);
	else
		judge_held_pair(seen, u, answer);
}

static void judge_stride(const struct seen *seen, struct answer *answer)
{
	const uint32_t list = MP_PREFETCH_STRIDES;
	const uint32_t step = came(seen, 0, list, MP_PREFETCH_STEP);
	const uint32_t beside = came(seen, 0, list, MP_PREFETCH_BESIDE);

	if (step == MP_PREFETCH_NEVER)
		comes_not(answer, 0, list, MP_PREFETCH_STEP, seen->ground.bar);
	else if (step != MP_PREFETCH_COMES)
		open(answer, why_unclear(step));
	else if (beside != MP_PREFETCH_NEVER)
		open(answer, "lines beside the next step of a stride come as well");
	else
		works(answer, 0, list, MP_PREFETCH_STEP, seen->ground.bar);
}

/* Does nothing but a stream explain that a line four ahead of a run came? */
static const char *other_cause(const struct seen *seen, uint32_t u,
			       uint32_t trial)
{
	if (!never(came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_AHEAD)))
		return "a single load brings lines as far ahead";
	if (trial == MP_PREFETCH_FULL &&
	    !never(came(seen, u, MP_PREFETCH_RUNS, MP_PREFETCH_JUMBLE)))
		return "lines ahead of a run come in whatever order its lines are loaded";
	if (trial != MP_PREFETCH_UNEVEN &&
	    !never(came(seen, 0, MP_PREFETCH_STRIDES, MP_PREFETCH_STEP2)))
		return "a stride that goes several steps ahead would look the same";
	return NULL;
}

static void judge_stream(const struct seen *seen, uint32_t u,
			 struct answer *answer)
{
	static const uint32_t trials[] = {
		MP_PREFETCH_UNEVEN, MP_PREFETCH_EVEN, MP_PREFETCH_FULL,
	};
	const uint32_t list = MP_PREFETCH_RUNS;
	const double bar = seen->ground.bar;

	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++) {
		const uint32_t ahead = came(seen, u, list, trials[i]);
		const char *other = ahead == MP_PREFETCH_COMES ?
				    other_cause(seen, u, trials[i]) :
				    why_unclear(ahead);

		if (ahead == MP_PREFETCH_NEVER)
			comes_not(answer, u, list, trials[i], bar);
		else if (ahead != MP_PREFETCH_UNTRIED && other)
			open(answer, other);
		else if (ahead != MP_PREFETCH_UNTRIED)
			works(answer, u, list, trials[i], bar);
	}
}

static void judge(const struct seen *seen, struct answer answer[KINDS])
{
	judge_stride(seen, &answer[STRIDE]);
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		judge_next(seen, u, &answer[NEXT]);
		judge_adjacent(seen, u, &answer[ADJACENT]);
		judge_stream(seen, u, &answer[STREAM]);
	}
}

/* -- facts -------------------------------------------------------------- */

static const char *const trial_words[MP_PREFETCH_KINDS] = {
	[MP_PREFETCH_UP] = "the upper line of a pair after the lower one",
	[MP_PREFETCH_DOWN] = "the lower line of a pair after the upper one",
	[MP_PREFETCH_KEPT] = "the lower line of a pair after the upper one, which was flushed again,",
	[MP_PREFETCH_BEYOND] = "the line behind another, across pairs,",
	[MP_PREFETCH_STEP] = "the next line of a stride",
	[MP_PREFETCH_EVEN] = "a line four ahead of a run",
	[MP_PREFETCH_UNEVEN] = "a line four ahead of an uneven run",
	[MP_PREFETCH_FULL] = "a line four ahead of a run",
};

static void say_method(const struct seen *seen, const struct answer *answer,
		       struct mp_fact *fact)
{
	const struct mp_prefetch_seen *list =
		&seen->list[answer->unit][answer->list];

	snprintf(fact->method, sizeof(fact->method),
		 "%s (lines of %u bytes) was there in %u of %u trials; of the controls, in %u of %u",
		 trial_words[answer->trial], seen->ground.unit[answer->unit],
		 mp_prefetch_above(list, answer->trial, answer->bar),
		 list->n[answer->trial],
		 mp_prefetch_above(list, MP_PREFETCH_MISS, answer->bar),
		 list->n[MP_PREFETCH_MISS]);
}

static void note_all(const struct seen *seen, struct mp_fact *fact)
{
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		for (uint32_t i = 0; i < MP_PREFETCH_LISTS; i++)
			if (seen->list[u][i].batches)
				mp_fact_note(fact, seen->list[u][i].id);
	}
}

/* Why no list of a run can be used. */
static const char *why_none(const struct seen *seen)
{
	uint32_t off = 0, blurred = 0, batches = 0;

	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		for (uint32_t i = 0; i < MP_PREFETCH_LISTS; i++) {
			off += seen->list[u][i].prefetch_off;
			blurred += seen->list[u][i].blurred;
			batches += seen->list[u][i].batches;
		}
	}
	if (batches)
		return NULL;
	return off ? "the prefetchers were off" :
	       blurred ? "the clock does not tell a load that hits from one that misses" :
	       "no list of loads was measured undisturbed";
}

/* Where a list lacks, nothing is absent. */
static bool is_whole(const struct seen *seen)
{
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		for (uint32_t i = 0; i < lists_of(u); i++)
			if (!seen->list[u][i].batches)
				return false;
	}
	return true;
}

static void settle(const struct seen *seen, const struct answer *answer,
		   struct mp_fact *fact)
{
	const char *none = why_none(seen);

	if (none) {
		mp_fact_cannot(fact, "", "%s", none);
		return;
	}
	note_all(seen, fact);
	if (answer->says == WORKS || answer->says == IS_ABSENT)
		say_method(seen, answer, fact);
	if (answer->says == WORKS) {
		fact->verdict = MP_MEASURED;
		fact->is_text = true;
		snprintf(fact->text, sizeof(fact->text), "works");
	} else if (answer->says == IS_ABSENT && is_whole(seen)) {
		fact->verdict = MP_ABSENT;
	} else {
		mp_fact_cannot(fact, "", "%s", answer->open ? answer->open :
			       "not all lists of loads were measured undisturbed");
	}
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct answer answer[KINDS] = { { 0 } };
	struct seen *seen = calloc(1, sizeof(*seen));
	int err = seen ? 0 : -ENOMEM;

	if (seen)
		mp_prefetch_ground_find(view, &seen->ground);
	if (!err)
		err = look(view, seen);
	if (!err)
		judge(seen, answer);
	for (uint32_t i = 0; i < KINDS && !err; i++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view, "prefetch",
						   kind_name[i], "");

		if (fact)
			settle(seen, &answer[i], fact);
		else
			err = -ENOMEM;
	}
	free(seen);
	return err;
}

const struct mp_probe mp_probe_prefetch = {
	.name = "prefetch",
	.asks = "what is brought that nobody asked for?",
	.after = "line,cache-size,latency,dram",
	.facts = "cpu.prefetch.adjacent,cpu.prefetch.next,cpu.prefetch.stride,cpu.prefetch.stream",
	.needs = MP_CAP_SEQUENCE,
	.weight = 1,
	.quick = false,
	.next = next,
	.infer = infer,
};
