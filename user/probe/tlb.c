// SPDX-License-Identifier: GPL-2.0
/*
 * Probe tlb: how many pages does each level of the TLB know, in sets of how
 * many, and what do a hit in its second level and a page walk cost? For pages
 * of 4 KiB, and of 2 MiB where they can be had.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "probe/cpu.h"
#include "probe/tlb_find.h"

/* Costs are measured when both estimators agree so well .. */
#define AGREE 0.02
#define AGREE_CYCLES 0.5
/* .. and beyond this they grow with the pages. */
#define ERRORS 2.0
/* Costs of two kinds of pages that are the same thing lie within this share,
 * and if they are not, they lie this far apart. */
#define SAME 0.05
#define APART 1.3
/* Reserved huge pages: so many at most, and fewer are of no use. */
#define PAGES_TRIED 256u
#define PAGES_FEWEST 8u
/* Reasons. */
#define SPLINTERED "pages of 2 MiB take entries of 4 KiB ones"
#define UNDISTURBED "too few undisturbed measurements"
/* Beside enum mp_tlb_say. */
#define MP_TLB_REFUSED (MP_TLB_LACKS + 1)

/* All that is found out about pages of one kind, and how it was asked. */
struct found {
	struct mp_tlb_ask ask;
	struct mp_tlb_level first;
	struct mp_tlb_level second;
	const char *why;	/* nothing is; NULL */
};

static bool is_open(const struct found *found)
{
	return !found->why && (found->first.end == MP_TLB_OPEN ||
			       (found->first.end == MP_TLB_FOUND &&
				found->second.end == MP_TLB_OPEN));
}

/* Return: 0, or -ENOMEM. */
static int find_levels(struct mp_tlb_ask *ask, struct found *found)
{
	struct mp_tlb_ask hops;

	mp_tlb_first(ask, &found->first);
	found->ask = *ask;
	if (found->first.end != MP_TLB_FOUND || ask->err)
		return ask->err;
	if (mp_tlb_ask_init(&hops, ask->view, ask->plan, ask->pages, true)) {
		hops.pages_most = ask->pages_most;
		hops.skew = ask->skew;
		hops.other_skew = ask->other_skew;
		hops.lines_held = ask->lines_held;
		mp_tlb_second(&hops, &found->first, &found->second);
	} else {
		found->second.end = hops.lacks && hops.plan ? MP_TLB_OPEN :
							      MP_TLB_CANNOT;
	}
	return hops.err;
}

static int find_small(const struct mp_view *view, struct mp_plan *plan,
		      struct found *found)
{
	struct mp_tlb_ask ask;

	memset(found, 0, sizeof(*found));
	if (view->pages_forced && view->pages != MP_PAGES_4K) {
		found->why = "asks for 4 KiB pages, and --pages ruled them out";
		return 0;
	}
	if (mp_tlb_ask_init(&ask, view, plan, MP_PAGES_4K, false))
		return find_levels(&ask, found);
	if (!plan || !ask.lacks)
		found->why = UNDISTURBED;
	return ask.err;
}

/* Of reserved pages there are as many as are granted. */
static uint32_t find_reserved(struct mp_tlb_ask *ask)
{
	struct mp_tlb_seen seen;

	/* Powers of two, and what lies half-way between them. */
	for (uint64_t n = PAGES_TRIED; n >= PAGES_FEWEST;
	     n -= n & (n - 1) ? n / 3 : n / 4) {
		if (n > ask->pages_most)
			continue;
		ask->refused = false;
		if (mp_tlb_look(ask, 1, (uint32_t)n, 1, &seen)) {
			ask->pages_most = n;
			return MP_TLB_YES;
		}
		if (!ask->refused)
			return ask->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
	}
	return MP_TLB_NO;
}

/* Do huge pages have entries of their own? Small ones that are parts of them
 * must then cost less than if they were not, whatever the caches lose. */
static uint32_t splinters(const struct mp_tlb_ask *huge,
			  const struct found *small)
{
	struct mp_tlb_ask part = *huge, whole = small->ask;
	struct mp_tlb_seen seen, single;
	uint32_t n = mp_tlb_full_of(&small->first), say = MP_TLB_UNSURE;
	bool there;

	part.pages_most *= part.page_bytes / MP_TLB_SMALL_PAGE;
	part.page_bytes = MP_TLB_SMALL_PAGE;
	part.skew = whole.skew;
	part.lines_held = whole.lines_held;
	if (n > part.lines_held)
		n = part.lines_held;
	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say == MP_TLB_UNSURE; k *= 4) {
		whole.plan = huge->plan;
		there = mp_tlb_look(&whole, 1, n, k, &single);
		there &= mp_tlb_look(&part, 1, n, k, &seen);
		if (part.refused)
			return MP_TLB_REFUSED;
		if (!there)
			return huge->plan ? MP_TLB_LACKS : MP_TLB_UNSURE;
		say = mp_tlb_compare(seen.cycles,
				     hypot(seen.error, single.error / 2),
				     single.cycles / 2);
	}
	return say;
}

/* Entries of small pages are not known. As far apart as huge ones, as many of
 * them as miss must fit; or they may take the same entries. */
static int find_alone(struct mp_tlb_ask *huge, const struct found *small,
		      struct found *found)
{
	struct mp_tlb_ask ask = small->ask;
	uint32_t say;
	int err = find_levels(huge, found);

	if (err || huge->refused)
		return err ? err : -EAGAIN;
	if (found->first.end != MP_TLB_FOUND)
		return 0;
	ask.plan = huge->plan;
	say = mp_tlb_misses(&ask,
			    (uint32_t)(huge->page_bytes / MP_TLB_SMALL_PAGE),
			    found->first.entries + 1);
	if (say == MP_TLB_LACKS)
		found->first.end = MP_TLB_OPEN;
	else if (say != MP_TLB_NO)
		found->why = say == MP_TLB_YES ? SPLINTERED : UNDISTURBED;
	return ask.err;
}

/* Return: 0, -EAGAIN: there are none of this kind; -ENOMEM. */
static int find_kind(const struct mp_view *view, struct mp_plan *plan,
		     uint32_t pages, const struct found *small,
		     struct found *found)
{
	struct mp_tlb_ask ask;
	uint32_t say = MP_TLB_YES;

	if (!mp_tlb_ask_init(&ask, view, plan, pages, false))
		return ask.err;
	if (pages == MP_PAGES_2M)
		say = find_reserved(&ask);
	if (say == MP_TLB_NO)
		return -EAGAIN;
	if (say == MP_TLB_YES && small->first.end != MP_TLB_FOUND)
		return find_alone(&ask, small, found);
	if (say == MP_TLB_YES)
		say = splinters(&ask, small);
	if (say == MP_TLB_REFUSED)
		return -EAGAIN;
	if (say == MP_TLB_YES)
		found->why = SPLINTERED;
	else if (say == MP_TLB_UNSURE)
		found->why = "too few undisturbed measurements, or the innermost cache is too small";
	if (found->why || say == MP_TLB_LACKS || ask.err)
		return ask.err;
	return find_levels(&ask, found);
}

static int find_huge(const struct mp_view *view, struct mp_plan *plan,
		     const struct found *small, struct found *found)
{
	static const uint32_t kinds[] = { MP_PAGES_THP, MP_PAGES_2M };
	int err = -EAGAIN;

	memset(found, 0, sizeof(*found));
	if (!(view->caps & MP_CAP_HUGE))
		found->why = "there are no pages of 2 MiB here";
	else if (small->why)
		found->why = "pages of 4 KiB do not show what a TLB costs here";
	for (uint32_t i = 0; i < 2 && !found->why && err == -EAGAIN; i++)
		if (!view->pages_forced || view->pages == kinds[i])
			err = find_kind(view, plan, kinds[i], small, found);
	if (found->why || err != -EAGAIN)
		return found->why ? 0 : err;
	found->why = "pages of 2 MiB were not granted, or are ruled out";
	return 0;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct found small, huge;
	int err = find_small(view, plan, &small);

	if (err)
		return err;
	/* Huge pages need to know no more of the small ones than this. */
	if (!small.why && small.first.end == MP_TLB_OPEN)
		return 1;
	err = find_huge(view, plan, &small, &huge);
	if (err)
		return err;
	return is_open(&small) || is_open(&huge);
}

static void note(struct mp_fact *fact, const struct mp_tlb_level *level)
{
	for (uint32_t i = 0; i < level->n_ids; i++)
		mp_fact_note(fact, level->id[i]);
}

static void exact(struct mp_fact *fact, double value)
{
	fact->verdict = MP_MEASURED;
	fact->value = fact->low = fact->high = value;
}

static void judge_entries(const struct mp_tlb_level *level,
			  struct mp_fact *fact)
{
	note(fact, level);
	snprintf(fact->method, sizeof(fact->method),
		 "the most pages, a line each, of which none misses; at half as many twice as far apart as well");
	if (level->taken > 0)
		snprintf(fact->method, sizeof(fact->method),
			 "the most pages, a line each, that cost no more than %.0f cycles a turn, which fewer cost as well: what runs between bursts keeps an entry",
			 level->taken);
	if (level->end == MP_TLB_FOUND) {
		exact(fact, level->entries);
	} else if (level->end == MP_TLB_MORE) {
		fact->verdict = MP_AT_LEAST;
		fact->value = fact->low = fact->high = level->entries;
		snprintf(fact->reason, sizeof(fact->reason),
			 "all pages that can be had hit it");
	} else if (level->end == MP_TLB_BEYOND) {
		mp_fact_cannot(fact, "entries",
			       "no cost of translation seen up to %u pages",
			       level->entries);
	} else {
		mp_fact_cannot(fact, "entries", "%s", level->why ? level->why :
			       UNDISTURBED);
	}
}

static void judge_ways(const struct mp_tlb_level *level, struct mp_fact *fact)
{
	note(fact, level);
	snprintf(fact->method, sizeof(fact->method),
		 "the most pages of which none misses, so far apart that moving them further makes no difference");
	if (level->end == MP_TLB_FOUND && level->ways)
		exact(fact, level->ways);
	else
		mp_fact_cannot(fact, "ways", "%s", level->why_ways ?
			       level->why_ways : "the entries are not known");
}

static double agreed(const struct mp_tlb_level *level)
{
	return fmax(AGREE * level->cycles, AGREE_CYCLES);
}

static void judge_cost(const struct mp_tlb_level *level, struct mp_fact *fact)
{
	double bound = agreed(level);
	double apart = level->other - level->cycles, slack;

	note(fact, level);
	if (!isfinite(level->cycles) || !isfinite(apart)) {
		mp_fact_cannot(fact, "cycles", "no pages show it alone");
		return;
	}
	snprintf(fact->method, sizeof(fact->method),
		 "cycles beyond lines packed into one page; two rings of more pages than there are entries");
	fact->value = (level->cycles + level->other) / 2;
	slack = fabs(apart) / 2 + ERRORS * level->error +
		MP_CPU_CLOCK_ERROR * fact->value;
	fact->low = fact->value - slack;
	fact->high = fact->value + slack;
	fact->verdict = MP_MEASURED;
	if (fabs(apart) <= bound)
		return;
	if (apart > 0) {
		fact->verdict = MP_VARIES;
		snprintf(fact->reason, sizeof(fact->reason),
			 "%.1f cycles, and %.1f where there are more pages or they lie further apart",
			 level->cycles, level->other);
		return;
	}
	mp_fact_cannot(fact, "cycles", "%.1f cycles, and %.1f with more pages",
		       level->cycles, level->other);
}

static int infer_levels(const struct mp_view *view, const struct found *found,
			const char *first, const char *second,
			struct mp_facts *facts)
{
	const char *const name[] = { first, second };
	const struct mp_tlb_level *level = &found->first;

	for (uint32_t i = 0; i < 2; i++, level = &found->second) {
		struct mp_fact *fact = mp_cpu_fact(facts, view, name[i],
						   "entries", "entries");
		const bool absent = i && level->end == MP_TLB_NONE;

		if (!fact)
			return -ENOMEM;
		if (found->why)
			mp_fact_cannot(fact, "entries", "%s", found->why);
		else if (absent)
			fact->verdict = MP_ABSENT;
		else
			judge_entries(level, fact);
		fact = mp_cpu_fact(facts, view, name[i], "ways", "ways");
		if (!fact)
			return -ENOMEM;
		if (found->why)
			mp_fact_cannot(fact, "ways", "%s", found->why);
		else if (absent)
			fact->verdict = MP_ABSENT;
		else
			judge_ways(level, fact);
	}
	return 0;
}

static int infer_costs(const struct mp_view *view, const struct found *found,
		       struct mp_facts *facts)
{
	const bool one = found->second.end == MP_TLB_NONE;
	struct mp_fact *hit, *walk;

	if (!mp_cpu_fact(facts, view, "stlb", "hit-cost", "cycles") ||
	    !mp_cpu_fact(facts, view, "walk", "cost", "cycles"))
		return -ENOMEM;
	hit = &facts->fact[facts->n - 2];
	walk = hit + 1;
	if (found->why) {
		mp_fact_cannot(hit, "cycles", "%s", found->why);
		mp_fact_cannot(walk, "cycles", "%s", found->why);
	} else if (found->first.end == MP_TLB_FOUND && one) {
		hit->verdict = MP_ABSENT;
		judge_cost(&found->first, walk);
	} else if (found->first.end == MP_TLB_FOUND &&
		   found->second.end == MP_TLB_FOUND) {
		judge_cost(&found->first, hit);
		judge_cost(&found->second, walk);
	} else if (found->first.end == MP_TLB_FOUND) {
		mp_fact_cannot(hit, "cycles", "it is not known which of the costs is that of a walk");
		mp_fact_cannot(walk, "cycles", "it is not known which of the costs is that of a walk");
	} else {
		mp_fact_cannot(hit, "cycles", "no step in the cost of translation");
		mp_fact_cannot(walk, "cycles", "no walk seen");
	}
	return 0;
}

/* Pages of 2 MiB of which an arena has too few to fall out of the second
 * level: is there one? What a miss of the first costs may tell. */
static void settle_huge(const struct found *small, struct mp_tlb_level *first,
			struct mp_tlb_level *second)
{
	const bool one = small->second.end == MP_TLB_NONE;
	double walk = one ? small->first.cycles : small->second.cycles;
	double hit = one ? 0 : small->first.cycles;

	if (second->end != MP_TLB_BEYOND)
		return;
	second->end = MP_TLB_CANNOT;
	second->why = "too few pages of 2 MiB can be had to tell a second level from a walk";
	/* What small ones cost is known to be a hit, or a walk, only with their levels. */
	if (!one && small->second.end != MP_TLB_FOUND)
		return;
	if (fabs(first->cycles - walk) < SAME * walk && walk > APART * hit)
		second->end = MP_TLB_NONE;
	else if (fabs(first->cycles - hit) < SAME * hit && walk > APART * hit)
		second->end = MP_TLB_MORE;
}

/* Without a second level each miss of the first is a walk, which costs no less
 * where there are more pages. If it does, something else was dear before. */
static void doubt_none(struct found *found)
{
	if (found->second.end != MP_TLB_NONE ||
	    !(found->first.other < found->first.cycles - agreed(&found->first)))
		return;
	found->second.end = MP_TLB_CANNOT;
	found->second.why = "what missing the first level costs, less with more pages, is no translation alone";
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct found small, huge;
	int err = find_small(view, NULL, &small);

	doubt_none(&small);
	if (!err)
		err = find_huge(view, NULL, &small, &huge);
	if (err)
		return err;
	if (!huge.why)
		settle_huge(&small, &huge.first, &huge.second);
	err = infer_levels(view, &small, "dtlb", "stlb", facts);
	if (!err)
		err = infer_costs(view, &small, facts);
	if (!err)
		err = infer_levels(view, &huge, "dtlb-2m", "stlb-2m", facts);
	return err;
}

const struct mp_probe mp_probe_tlb = {
	.name = "tlb",
	.asks = "how many pages does each TLB level know, and what does missing it cost?",
	.after = "line,cache-size,ways",
	.facts = "cpu.dtlb.entries,cpu.dtlb.ways,cpu.stlb.entries,cpu.stlb.ways,cpu.stlb.hit-cost,cpu.walk.cost,cpu.dtlb-2m.entries,cpu.dtlb-2m.ways,cpu.stlb-2m.entries,cpu.stlb-2m.ways",
	.needs = MP_CAP_CHASE | MP_CAP_CORE_CLOCK,
	.weight = 5,
	.quick = false,
	.next = next,
	.infer = infer,
};
