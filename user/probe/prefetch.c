// SPDX-License-Identifier: GPL-2.0
/*
 * Probe prefetch: what is brought that nobody asked for?
 *
 * Lines are flushed, some are loaded, and one is timed that was not: is it
 * there? Each kind of prefetcher has trials that it alone explains. Lists of
 * trials are in prefetch_list.c, what is seen of them in prefetch_look.c, and
 * what that says in prefetch_judge.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "probe/line.h"
#include "probe/prefetch_judge.h"
#include "steps.h"

static const char *const kind_name[MP_PREFETCHERS] = {
	[MP_PREFETCHER_ADJACENT] = "adjacent",
	[MP_PREFETCHER_NEXT] = "next",
	[MP_PREFETCHER_STRIDE] = "stride",
	[MP_PREFETCHER_STREAM] = "stream",
};

static void lay_out(const struct mp_view *view,
		    const struct mp_prefetch_ground *ground, uint32_t u,
		    uint32_t list, struct mp_prefetch_walk *walk)
{
	struct mp_prefetch_lines lines = {
		.unit = ground->unit[u], .widest = ground->widest,
	};

	if (list == MP_PREFETCH_STRIDES)
		lines.unit = ground->widest;
	if (list == MP_PREFETCH_LONG && lines.unit < MP_STEPS_SLOT)
		lines.unit = MP_STEPS_SLOT;
	mp_prefetch_walk_make(view, list, &lines, ground->bursts, walk);
}

/* The same pairs, with prefetchers off. */
static void lay_out_quiet(const struct mp_view *view,
			  const struct mp_prefetch_ground *ground, uint32_t u,
			  struct mp_prefetch_walk *walk)
{
	lay_out(view, ground, u, MP_PREFETCH_PAIRS, walk);
	walk->exp.quiet |= MP_WISH_PREFETCH_OFF;
}

static int look(const struct mp_view *view, struct mp_prefetch_all *seen)
{
	struct mp_prefetch_walk walk;
	int err = 0;

	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		for (uint32_t i = 0; i < mp_prefetch_lists(u) && !err; i++) {
			lay_out(view, &seen->ground, u, i, &walk);
			err = mp_prefetch_look(view, &walk, &seen->list[u][i]);
		}
	}
	for (uint32_t u = 0; u < seen->ground.n_units && !err; u++) {
		lay_out_quiet(view, &seen->ground, u, &walk);
		err = mp_prefetch_look(view, &walk, &seen->quiet[u]);
	}
	return err;
}

static int plan_lists(const struct mp_view *view,
		      const struct mp_prefetch_ground *ground,
		      struct mp_plan *plan)
{
	struct mp_prefetch_walk walk;
	int err = 0;

	for (uint32_t u = 0; u < ground->n_units && !err; u++) {
		for (uint32_t i = 0; i < mp_prefetch_lists(u) && !err; i++) {
			lay_out(view, ground, u, i, &walk);
			err = mp_plan_add(plan, &walk.exp,
					  MP_PREFETCH_REPLICATES);
		}
	}
	return err;
}

/* Where they can be turned off, and it matters. */
static int plan_quiet(const struct mp_view *view,
		      const struct mp_prefetch_all *seen, struct mp_plan *plan)
{
	struct mp_prefetch_walk walk;
	int err = 0;

	if (!(view->quiet & MP_WISH_PREFETCH_OFF))
		return 0;
	for (uint32_t u = 0; u < seen->ground.n_units && !err; u++) {
		if (!mp_prefetch_wants_quiet(seen, u))
			continue;
		lay_out_quiet(view, &seen->ground, u, &walk);
		err = mp_plan_add(plan, &walk.exp, MP_PREFETCH_REPLICATES);
	}
	return err;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_prefetch_all *seen = calloc(1, sizeof(*seen));
	int err;

	if (!seen)
		return -ENOMEM;
	mp_prefetch_ground_find(view, &seen->ground);
	err = plan_lists(view, &seen->ground, plan);
	plan->stage++;
	if (!err)
		err = look(view, seen);
	if (!err)
		err = plan_quiet(view, seen, plan);
	free(seen);
	return err ? err : 1;
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

static void say_method(const struct mp_prefetch_all *seen,
		       const struct mp_prefetch_answer *answer,
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

static void note_all(const struct mp_prefetch_all *seen, struct mp_fact *fact)
{
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		for (uint32_t i = 0; i < MP_PREFETCH_LISTS; i++)
			if (seen->list[u][i].batches)
				mp_fact_note(fact, seen->list[u][i].id);
		if (seen->quiet[u].batches)
			mp_fact_note(fact, seen->quiet[u].id);
	}
}

/* What probe line-l1d flushed. */
static void note_flushes(const struct mp_view *view,
			 const struct mp_prefetch_ground *ground,
			 struct mp_fact *fact)
{
	for (uint32_t u = 0; u < ground->n_units; u++)
		if (ground->stays[u])
			mp_line_flush(view, MP_LINE_BOTH, ground->unit[u],
				      fact);
}

/* Why no list of a run can be used. */
static const char *why_none(const struct mp_prefetch_all *seen)
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
static bool is_whole(const struct mp_prefetch_all *seen)
{
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		for (uint32_t i = 0; i < mp_prefetch_lists(u); i++)
			if (!seen->list[u][i].batches)
				return false;
	}
	return true;
}

static void settle(const struct mp_prefetch_all *seen,
		   const struct mp_prefetch_answer *answer,
		   struct mp_fact *fact)
{
	const char *none = why_none(seen);

	if (none) {
		mp_fact_cannot(fact, "", "%s", none);
		return;
	}
	note_all(seen, fact);
	if (answer->says == MP_PREFETCH_WORKS ||
	    answer->says == MP_PREFETCH_ABSENT)
		say_method(seen, answer, fact);
	if (answer->says == MP_PREFETCH_WORKS) {
		fact->verdict = MP_MEASURED;
		fact->is_text = true;
		snprintf(fact->text, sizeof(fact->text), "works");
	} else if (answer->says == MP_PREFETCH_ABSENT && is_whole(seen)) {
		fact->verdict = MP_ABSENT;
	} else {
		mp_fact_cannot(fact, "", "%s", answer->open ? answer->open :
			       "not all lists of loads were measured undisturbed");
	}
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct mp_prefetch_answer answer[MP_PREFETCHERS] = { { 0 } };
	struct mp_prefetch_all *seen = calloc(1, sizeof(*seen));
	int err = seen ? 0 : -ENOMEM;

	if (seen)
		mp_prefetch_ground_find(view, &seen->ground);
	if (!err)
		err = look(view, seen);
	if (!err)
		mp_prefetch_judge(seen, answer);
	for (uint32_t i = 0; i < MP_PREFETCHERS && !err; i++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view, "prefetch",
						   kind_name[i], "");

		if (fact)
			settle(seen, &answer[i], fact);
		else
			err = -ENOMEM;
		if (!err && i == MP_PREFETCHER_ADJACENT)
			note_flushes(view, &seen->ground, fact);
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
