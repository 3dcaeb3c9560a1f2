// SPDX-License-Identifier: GPL-2.0
/*
 * Probe inclusion: does an outer level hold what those inside it hold?
 *
 * cpu_hot.c makes the experiments: a ring that stays in the level inside
 * while the outer one is driven through, and is then put out of it. Where no
 * ring stays there, cpu_colour.c and cpu_stride.c tell an exclusive level from
 * others, and cpu_stays.c asks those lines that stay by chance, cpu_leaks.c
 * those that do not, and cpu_other.c another CPU. Where a size hung on that it may be known now.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "probe/cpu.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_size.h"

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_cpu_edges edges;
	int err = mp_cpu_edges_find(view, &edges);

	if (err)
		return err == -ENODATA ? 0 : err;
	for (uint32_t k = 1; k < edges.n && !err; k++)
		err = mp_cpu_beside_plan(view, &edges, k, plan);
	plan->stage++;
	if (!err)
		err = mp_cpu_size_plan_open(view, &edges, plan);
	mp_cpu_edges_free(&edges);
	return err ? err : 1;
}

static void note(const struct mp_cpu_hot *hot, struct mp_fact *fact)
{
	for (uint32_t i = 0; i < 3; i++)
		if (hot->id[i])
			mp_fact_note(fact, hot->id[i]);
	snprintf(fact->method, sizeof(fact->method),
		 "a ring hot in the level inside, while this one was driven through: %.2f of it were gone from here, and %.2f left the level inside each time",
		 hot->gone, hot->lost);
}

static void note_colour(const struct mp_cpu_colour *colour,
			struct mp_fact *fact)
{
	for (uint32_t i = 0; i < 2; i++)
		mp_fact_note(fact, colour->id[i]);
	snprintf(fact->method, sizeof(fact->method),
		 "of pages of which %u of %u were taken the level inside holds %.2f of what it does of all, and this one lost %.2f of its room for them, where an exclusive level loses %.2f",
		 colour->first, colour->of, colour->part,
		 1 - exp(-colour->shift), 1 - exp(-colour->expected));
}

static void note_stride(const struct mp_cpu_stride *stride,
			struct mp_fact *fact)
{
	for (uint32_t i = 0; i < 2; i++)
		mp_fact_note(fact, stride->id[i]);
	snprintf(fact->method, sizeof(fact->method),
		 "with the levels inside it holds more than the %.0f KiB that fit while others put them out of those",
		 stride->low / 1024);
}

static void note_stays(const struct mp_cpu_stays *stays, struct mp_fact *fact)
{
	for (uint32_t i = 0; i < 2; i++)
		mp_fact_note(fact, stays->id[i]);
	if (stays->holds == MP_CPU_HOLDS_ALL)
		snprintf(fact->method, sizeof(fact->method),
			 "of %.0f lines that chance would have left in the level inside while this one was driven through, %.0f stayed there",
			 stays->expected, stays->stayed);
	else
		snprintf(fact->method, sizeof(fact->method),
			 "%.0f lines stayed in the level inside by chance while this one was driven through; when they left that, %.2f of them were gone from here",
			 stays->stayed, stays->gone);
}

static void note_leaks(const struct mp_cpu_leaks *leaks, struct mp_fact *fact)
{
	for (uint32_t i = 0; i < 2; i++)
		mp_fact_note(fact, leaks->id[i]);
	if (leaks->holds == MP_CPU_HOLDS_ALL)
		snprintf(fact->method, sizeof(fact->method),
			 "of lines that the level inside dropped %.2f were gone from here if they had just come, and %.2f if they were old",
			 leaks->part_young, leaks->part_old);
	else
		snprintf(fact->method, sizeof(fact->method),
			 "of %.0f lines that the level inside dropped, just before they were used again, %.0f were gone from here",
			 leaks->dropped, leaks->gone);
}

static void note_other(const struct mp_cpu_other *other, struct mp_fact *fact)
{
	size_t n;

	for (uint32_t i = 0; i < 3; i++)
		if (other->id[i])
			mp_fact_note(fact, other->id[i]);
	snprintf(fact->method, sizeof(fact->method),
		 "CPU %u read what this one had just loaded in %.1f cycles a hop, what had left the levels inside since in %.1f, and what nobody had loaded in %.1f",
		 other->cpu, other->loaded, other->left, other->fresh);
	n = strlen(fact->method);
	if (!isnan(other->driven))
		snprintf(fact->method + n, sizeof(fact->method) - n,
			 "; when it had driven the level through, this one read its own in %.1f",
			 other->driven);
}

static void judge(const struct mp_cpu_beside *beside, struct mp_fact *fact)
{
	static const char *const names[] = {
		[MP_CPU_HOLDS_OTHERS] = "exclusive",
		[MP_CPU_HOLDS_ALL] = "inclusive",
		[MP_CPU_HOLDS_SOME] = "non-inclusive",
		[MP_CPU_HOLDS_NO_OTHERS] = NULL,
	};
	const struct mp_cpu_hot *hot = &beside->hot;
	const char *name = names[beside->holds];

	if (!name) {
		mp_fact_cannot(fact, "", "%s", hot->why ? hot->why : "");
		if (beside->other.holds)
			note_other(&beside->other, fact);
		else if (beside->leaks.holds)
			note_leaks(&beside->leaks, fact);
		else if (hot->n)
			note(hot, fact);
		return;
	}
	if (beside->other.holds)
		note_other(&beside->other, fact);
	else if (beside->leaks.holds == MP_CPU_HOLDS_ALL)
		note_leaks(&beside->leaks, fact);
	else if (beside->stays.holds)
		note_stays(&beside->stays, fact);
	else if (hot->holds)
		note(hot, fact);
	else if (!beside->stride.holds && beside->colour.holds)
		note_colour(&beside->colour, fact);
	else
		note_stride(&beside->stride, fact);
	fact->verdict = MP_MEASURED;
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "%s", name);
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct mp_cpu_edges edges;
	struct mp_cpu_beside beside;
	const int missing = mp_cpu_edges_find(view, &edges);
	int err = 0;

	if (missing && missing != -ENODATA)
		return missing;
	for (uint32_t k = 1; k < MP_CPU_LEVELS && !err; k++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view,
						   mp_cpu_level_name[k],
						   "inclusion", "");

		if (!fact) {
			err = -ENOMEM;
		} else if (!missing && k < edges.n &&
			   mp_cpu_crowded(&edges, k + 1) < MP_CPU_LEVELS) {
			mp_fact_cannot(fact, "", "the edge of this level, or of one inside, may be that of one outside whose few ways are crowded");
		} else if (!missing && k < edges.n &&
			   !mp_cpu_is_absent(view, k)) {
			err = mp_cpu_beside_judge(view, &edges, k, &beside);
			if (!err)
				judge(&beside, fact);
		} else {
			mp_fact_cannot(fact, "", "no such level was found");
		}
	}
	if (!missing && !err)
		err = mp_cpu_size_renew(view, &edges, facts);
	if (!missing && !err)
		err = mp_cpu_size_renew_absent(view, &edges, facts);
	if (!missing)
		mp_cpu_edges_free(&edges);
	return err;
}

const struct mp_probe mp_probe_inclusion = {
	.name = "inclusion",
	.asks = "does each outer level hold what the levels inside it hold?",
	.after = "cache-size",
	.facts = "cpu.l2.inclusion,cpu.l3.inclusion,cpu.l4.inclusion",
	.renews = "cpu.l2.size,cpu.l3.size,cpu.l4.size",
	.needs = MP_CAP_CHASE | MP_CAP_PHASES,
	.weight = 8,
	.quick = false,
	.next = next,
	.infer = infer,
};
