// SPDX-License-Identifier: GPL-2.0
/*
 * Probe ways: how many lines of one set does a level hold?
 *
 * The size of a level leaves so many pairs of ways and sets, and each says how
 * many lines fit at every stride (probe/ways_sets.h). So the probe asks, at
 * strides and with numbers of lines that part those that are left as evenly as
 * can be, whether so many lines stay in the level; the answer leaves fewer.
 * When all that are left have the same ways, their set is filled, and then
 * overfilled by one line, in fresh memory each time.
 *
 * Ways and sets are a size. Where the probe of sizes has but limits, more tests
 * leave only those guesses that agree in it (probe/ways_size.h).
 * */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "probe/cpu.h"
#include "probe/ways_confirm.h"
#include "probe/ways_held.h"
#include "probe/ways_kept.h"
#include "probe/ways_level.h"
#include "probe/ways_search.h"
#include "probe/ways_size.h"
#include "probe/ways_test.h"
#include "probe/ways_while.h"

#define REPLICATES 3u
#define SURE_REPLICATES MP_WAYS_SURE_REPLICATES
/* Limits are taken to be so much wider where there is nothing within them. */
#define WIDER 0.12
/* The limits of a size are taken to be wider by this, where it is the size that
 * is asked for. */
#define MOST_SIZED 1.6
/* If more than this are left of the more regular guesses, there is no use in
 * others. */
#define LEFT_MOST 100u
/* .. nor where so many tests have left more of those that were left before than
 * that: there may be another way, and time for it. */
#define VAIN_TESTS 16u
#define VAIN_PART 0.8
/* Of more guesses than this it is not planned what others put out. */
#define PLANNED_MOST 64u
/* What is done with tests that were made, for mp_ways_resume(). */
#define KEEP_DONE UINT64_MAX
/* A level of unknown size may hold so many lines. */
#define ROOM_ANY (1ull << 40)

/* The guesses that are to be parted: which, and until when. */
struct parting {
	struct mp_ways_rig *rig;
	struct mp_ways_sets *sets;
	bool (*agreed)(const struct mp_ways_sets *sets);
	uint32_t replicates;
};

/* Where what a view wishes for are small pages, reserved ones may be had. */
static void choose_memory(struct mp_ways_search *search)
{
	const struct mp_view *view = search->rig.view;

	search->rig.pages = view->pages;
	search->sets.piece = mp_ways_piece_of(view, view->pages);
	if (search->sets.piece == MP_WAYS_PAGE && view->caps & MP_CAP_HUGE &&
	    !view->pages_forced && mp_ways_piece_of(view, MP_PAGES_2M)) {
		search->rig.pages = MP_PAGES_2M;
		search->sets.piece = MP_WAYS_HUGE;
	}
	search->sets.small = search->sets.piece == MP_WAYS_PAGE;
}

/* -- the search --------------------------------------------------------- */

static bool may_flush(const struct mp_ways_search *search)
{
	return search->rig.level.single &&
	       search->rig.view->caps & MP_CAP_SEQUENCE;
}

static bool agree_in_ways(const struct mp_ways_sets *sets)
{
	return mp_ways_agreed(sets);
}

static bool agree_in_size(const struct mp_ways_sets *sets)
{
	return mp_ways_bytes(sets);
}

static void want(struct mp_ways_search *search, const struct mp_ways_rig *rig,
		 const struct mp_ways_test *test, uint32_t replicates)
{
	search->want = *test;
	search->want_rig = rig;
	search->replicates = replicates;
}

static bool is_in_vain(const struct mp_ways_search *search)
{
	const uint32_t n = search->n_done;

	return !search->patient && n > VAIN_TESTS &&
	       search->done[n - 1].left > LEFT_MOST &&
	       search->done[n - 1].left >
	       VAIN_PART * search->done[n - 1 - VAIN_TESTS].left;
}

/* Test after test, as far as batches go. */
static int part_on(struct mp_ways_search *search, const struct parting *by,
		   struct mp_ways_resume *resume)
{
	while (search->n_done < MP_WAYS_TESTS && !by->agreed(by->sets) &&
	       !(by->agreed == agree_in_ways && is_in_vain(search))) {
		struct mp_ways_test test;
		enum mp_ways_outcome outcome;
		int err;

		if (!mp_ways_choose_kept(by->sets,
				    MP_WAYS_SURE * mp_ways_finest(&search->rig.level),
				    may_flush(search),
				    search->done, search->n_done, &test))
			return 0;
		err = mp_ways_look(by->rig, &test, by->replicates, &outcome);
		if (err)
			return err;
		if (outcome == MP_WAYS_LACKING) {
			want(search, by->rig, &test, by->replicates);
			return 0;
		}
		test.hidden = outcome == MP_WAYS_HIDDEN;
		test.unclear = outcome == MP_WAYS_UNCLEAR;
		test.kept = outcome == MP_WAYS_FIT && search->sets.inner &&
			    !test.flushed;
		test.missed = by->rig->missed;
		test.held = by->rig->held;
		test.ring_kept = test.drive && by->rig->ring_kept;
		test.control = by->rig->control;
		search->done[search->n_done++] = test;
		mp_ways_keep_held(by->sets, &test);
		if (outcome != MP_WAYS_UNCLEAR && !test.hidden)
			mp_ways_keep(by->sets, &test, outcome);
		search->done[search->n_done - 1].left = by->sets->n;
		mp_ways_mark(resume, by->rig);
	}
	return 0;
}

static int part_by(struct mp_ways_search *search, const struct parting *by)
{
	const struct mp_ways_state state = {
		.rig = by->rig, .sets = by->sets,
		.done = search->done, .n_done = &search->n_done,
	};
	struct mp_ways_resume resume;
	int err;

	mp_ways_resume(&resume, &state, by->replicates << 2 |
					(search->patient << 1) |
					(by->agreed == agree_in_size));
	err = part_on(search, by, &resume);
	mp_ways_suspend(&resume, &state, err);
	return err;
}

static int part_guesses(struct mp_ways_search *search)
{
	return part_by(search, &(struct parting){
		.rig = &search->rig, .sets = &search->sets,
		.agreed = agree_in_ways, .replicates = REPLICATES });
}

/* All that are left have the same ways. */
static int confirm_any(struct mp_ways_search *search)
{
	struct mp_ways_borne borne;
	const int err = mp_ways_confirm(&search->rig, &search->sets,
					may_flush(search), &borne);

	if (err)
		return err;
	if (borne.lacks)
		want(search, &search->rig, &borne.want, borne.lacks);
	search->ways = borne.guess.ways;
	search->span = borne.guess.span;
	search->exclusive = borne.guess.exclusive;
	search->times = borne.times;
	return 0;
}

/* What the tests that were made have left of guesses that are new. */
int mp_ways_search_keep(struct mp_ways_search *search, struct mp_ways_rig *rig,
			struct mp_ways_sets *sets)
{
	const struct mp_ways_state state = {
		.rig = rig, .sets = sets,
		.done = search->done, .n_done = &search->n_done,
	};
	struct mp_ways_resume resume;
	int err = 0;

	mp_ways_resume(&resume, &state, KEEP_DONE);
	for (uint32_t i = 0; i < search->n_done && !err && !resume.taken; i++) {
		enum mp_ways_outcome outcome;

		err = mp_ways_look(rig, &search->done[i], REPLICATES, &outcome);
		search->done[i].ring_kept |= search->done[i].drive &&
					     rig->ring_kept;
		mp_ways_keep_held(sets, &search->done[i]);
		if (!err && outcome != MP_WAYS_LACKING &&
		    outcome != MP_WAYS_UNCLEAR && outcome != MP_WAYS_HIDDEN)
			mp_ways_keep(sets, &search->done[i], outcome);
	}
	mp_ways_mark(&resume, rig);
	mp_ways_suspend(&resume, &state, err);
	return err;
}

/* All that later tests must not contradict either. */
static int add_odd(struct mp_ways_search *search)
{
	const struct mp_ways_level *level = &search->rig.level;
	int err = mp_ways_add(&search->sets, MP_WAYS_ODD, level->low_bytes,
			      level->high_bytes);

	return err ? err : mp_ways_search_keep(search, &search->rig, &search->sets);
}

/* Is it but one size that the ways allow? The limits of one that is open hold
 * less often on the upper side: what is larger has to be told apart as well. */
static int part_sizes(struct mp_ways_search *search)
{
	const double high = search->rig.level.high_bytes;
	struct mp_ways_sets *sized = &search->sized;
	int err = mp_ways_copy(sized, &search->sets);

	search->size_rig = search->rig;
	search->size_rig.sets = sized;
	for (uint32_t kind = MP_WAYS_REGULAR; kind <= MP_WAYS_ODD && !err; kind++)
		err = mp_ways_add(sized, kind, high, high * MOST_SIZED);
	if (!err)
		err = mp_ways_search_keep(search, &search->size_rig, sized);
	if (!err)
		err = part_by(search, &(struct parting){
			.rig = &search->size_rig, .sets = sized,
			.agreed = agree_in_size, .replicates = SURE_REPLICATES });
	search->is_sized = !search->replicates;
	return err;
}

/* -- all of it ---------------------------------------------------------- */

/* Where tests part hardly anything, what of a ring misses is asked before more of
 * them are made. */
static int part(struct mp_ways_search *search)
{
	struct mp_ways_sets left = { 0 };
	int err = part_guesses(search);

	if (err || search->replicates || !is_in_vain(search))
		return err;
	err = mp_ways_copy(&left, &search->sets);
	if (!err)
		err = mp_ways_search_comb(search);
	search->patient = !err && !search->replicates && !search->ways;
	if (!search->patient) {
		mp_ways_free(&left);
		return err;
	}
	mp_ways_free(&search->sets);
	search->sets = left;
	return part_guesses(search);
}

static int search_guesses(struct mp_ways_search *search)
{
	const struct mp_ways_level *level = &search->rig.level;
	int err;

	err = mp_ways_add(&search->sets, MP_WAYS_REGULAR, level->low_bytes,
			  level->high_bytes);
	if (!err && search->n_done)
		err = mp_ways_search_keep(search, &search->rig, &search->sets);
	err = err ? err : part(search);
	if (err || search->replicates || search->ways ||
	    search->sets.n > LEFT_MOST)
		return err;
	err = add_odd(search);
	err = err ? err : part(search);
	if (err || search->replicates || search->ways ||
	    !mp_ways_agreed(&search->sets))
		return err;
	err = confirm_any(search);
	return err || !search->ways || !search->open ? err : part_sizes(search);
}

/* Nothing was borne out, or nothing is left: an edge that others blur may lie
 * beside the size, and its limits with it. If that is no better, it is as if it
 * had not been tried. */
static int search_wider(struct mp_ways_search *search)
{
	struct mp_ways_level *level = &search->rig.level;
	const struct mp_ways_level known = *level;
	struct mp_ways_sets left;
	int err;

	if (search->ways || search->replicates ||
	    (search->sets.n && !mp_ways_agreed(&search->sets)))
		return 0;
	left = search->sets;
	search->sets.guess = NULL;
	search->sets.n = search->sets.room = 0;
	level->low_bytes *= 1 - WIDER;
	level->high_bytes *= 1 + WIDER;
	err = search_guesses(search);
	if (!err && !search->ways && !search->replicates) {
		*level = known;
		mp_ways_free(&search->sets);
		search->sets = left;
	} else {
		mp_ways_free(&left);
	}
	return err;
}

static int search_level(struct mp_ways_search *search)
{
	int err = search_guesses(search);

	if (!err)
		err = search_wider(search);
	return err || search->replicates || search->ways ? err :
	       mp_ways_search_comb(search);
}

struct levels {
	uint32_t n;		/* levels that were searched */
	struct mp_ways_search search[MP_CPU_LEVELS];
	bool known[MP_CPU_LEVELS];
};

static void search_free(struct mp_ways_search *search)
{
	mp_ways_free(&search->sets);
	mp_ways_free(&search->sized);
}

static void levels_free(struct levels *levels)
{
	for (uint32_t k = 0; k < levels->n; k++)
		search_free(&levels->search[k]);
}

/* What levels further out may make of it: if its ways were not borne out, it may
 * hold whatever its size has room for. */
static void show(struct mp_ways_search *search, const struct mp_fact *size)
{
	const struct mp_ways_sets *inner = search->sets.inner;
	struct mp_ways_sets *seen = &search->seen;

	search->sets.most = ROOM_ANY;
	if (size && isfinite(size->high) && size->high > 0)
		search->sets.most = (uint64_t)(size->high * (1 + MP_WAYS_MOST_ERROR)) /
				    search->sets.line;
	if (inner)
		search->sets.most += inner->most;
	*seen = search->sets;
	seen->loose = !search->ways || search->by_comb;
	if (seen->loose && seen->n > PLANNED_MOST)
		seen->n = 0;
}

/* What tests of a level are made with. */
static void set_up(struct mp_ways_search *search, bool crowded)
{
	struct mp_ways_rig *rig = &search->rig;
	const uint32_t k = rig->level.k;

	search->open = mp_ways_size_of(rig->view, k)->verdict == MP_AT_LEAST;
	rig->level.single = mp_ways_times_single(rig->view, &rig->level);
	rig->level.misses = rig->level.single ||
			    mp_ways_tells_misses(rig->view, &rig->level);
	rig->level.crowded = crowded && !rig->level.single;
	rig->sets = &search->sets;
	search->sets.clear = mp_ways_clear(&rig->level);
	choose_memory(search);
	search->sets.beside = mp_ways_beside_of(rig->view, k);
	search->sets.brought = mp_cpu_may_prefetch(rig->view);
	search->sets.rounds = (rig->view->caps & MP_CAP_PHASES) != 0;
}

/* Level by level, outwards; the levels inside hide what is not known of
 * them. */
static int search_all(const struct mp_view *view, struct levels *levels)
{
	bool crowded;
	int err = mp_cpu_is_crowded(view, &crowded);

	memset(levels, 0, sizeof(*levels));
	for (uint32_t k = 0; k < MP_CPU_LEVELS && !err; k++) {
		struct mp_ways_search *search = &levels->search[k];

		if (mp_cpu_is_absent(view, k))
			break;
		levels->n++;
		search->rig.view = view;
		search->inner = k ? &levels->search[k - 1] : NULL;
		search->sets.inner = k ? &levels->search[k - 1].seen : NULL;
		search->sets.line = mp_ways_line_of(view, 0, MP_CPU_LINE_USUAL);
		search->sets.grain = mp_ways_line_of(view, k, 4 * search->sets.line);
		search->sets.grain_known = mp_ways_line_of(view, k, 0) != 0;
		levels->known[k] = mp_ways_level_known(view, k, &search->rig.level);
		if (levels->known[k]) {
			set_up(search, crowded);
			err = search_level(search);
		}
		if (search->replicates)
			break;
		show(search, mp_ways_size_of(view, k));
	}
	if (err)
		levels_free(levels);
	return err;
}

static int plan_level(const struct mp_ways_search *search, struct mp_plan *plan)
{
	if (!search->replicates)
		return 0;
	if (search->by_comb)
		return mp_ways_comb_plan(&search->rig, &search->comb, plan);
	return mp_ways_plan(search->want_rig, &search->want, search->replicates,
			    plan);
}

/* Of a second level whose ways were borne out: what it holds of what lies inside,
 * if nothing else has told. */
static int ask_inclusion(const struct mp_ways_search *search,
			 struct mp_plan *plan, struct mp_ways_while *out)
{
	const struct mp_fact *fact = mp_cpu_found(search->rig.view,
						  search->rig.level.k,
						  "inclusion");

	*out = (struct mp_ways_while){ 0 };
	if (!search->ways || search->by_comb || search->exclusive || !fact ||
	    fact->verdict != MP_NOT_MEASURABLE)
		return 0;
	return mp_ways_while(&search->rig, search->ways, search->span, plan, out);
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_ways_while unused;
	struct levels levels;
	int err = search_all(view, &levels);

	if (err)
		return err;
	for (uint32_t k = 0; k < levels.n && !err; k++)
		err = plan_level(&levels.search[k], plan);
	plan->stage++;
	if (!err && levels.n > 1)
		err = ask_inclusion(&levels.search[1], plan, &unused);
	levels_free(&levels);
	return err ? err : plan->n > 0;
}

/* Where all that is left says how far apart the lines of a set lie. */
static int add_span(const struct mp_ways_search *search, struct mp_fact *fact,
		    struct mp_facts *facts)
{
	const struct mp_point point = {
		.x = (double)search->span, .value = search->ways,
		.low = search->ways, .high = search->ways,
		.n = search->times ? search->times : SURE_REPLICATES,
	};
	struct mp_series *series;

	for (uint32_t i = 0; i < search->sets.n; i++)
		if (search->sets.guess[i].span != search->span)
			return 0;
	if (search->by_comb && !mp_ways_search_regular(search))
		return 0;
	series = mp_facts_add_series(facts, fact->name, &fact->where);
	if (!series)
		return -ENOMEM;
	snprintf(series->x_name, sizeof(series->x_name), "stride");
	snprintf(series->x_unit, sizeof(series->x_unit), "bytes");
	snprintf(fact->series, sizeof(fact->series), "%s", fact->name);
	snprintf(series->unit, sizeof(series->unit), "lines");
	return mp_series_add(series, &point);
}

static int settle(const struct mp_ways_search *search, struct mp_fact *fact,
		  struct mp_facts *facts)
{
	if (!search->ways && !search->sets.n) {
		mp_fact_cannot(fact, "ways",
			       "no number of ways and sets within the limits of the size explains how many lines fit: memory is scattered, lines are hashed over slices, or the size is wrong");
		return 0;
	}
	if (!search->ways && !mp_ways_agreed(&search->sets)) {
		mp_fact_cannot(fact, "ways",
			       "%u pairs of ways and sets explain how many lines fit, and no test tells them apart: the level inside hides this one, or memory does not lie in a row",
			       search->sets.n);
		return 0;
	}
	if (!search->ways) {
		mp_fact_cannot(fact, "ways",
			       "%u ways explain how many lines fit, but a full set and one more line, five times or more each, did not bear it out",
			       mp_ways_agreed(&search->sets));
		return 0;
	}
	if (search->by_comb)
		snprintf(fact->method, sizeof(fact->method),
			 "of a ring in random order those lines miss that have more than so many a multiple of %llu bytes apart, themselves among them",
			 (unsigned long long)search->span);
	else
		snprintf(fact->method, sizeof(fact->method),
			 "so many lines %llu bytes apart stay in the level%s, and one more does not",
			 (unsigned long long)search->span,
			 search->exclusive ? " beside those held inside" : "");
	fact->verdict = MP_MEASURED;
	fact->value = fact->low = fact->high = search->ways;
	for (uint32_t i = 0; i < 2; i++)
		mp_fact_note(fact, search->rig.evidence[i]);
	return add_span(search, fact, facts);
}

/* What follows for the level's size, and for what it holds beside others. */
static int renew(const struct mp_view *view, const struct mp_ways_search *search,
		 struct mp_facts *facts)
{
	const bool is_sized = search->is_sized;
	const struct mp_ways_rig *rig = is_sized ? &search->size_rig :
						   &search->rig;
	const struct mp_ways_found found = {
		.k = rig->level.k,
		.left = is_sized ? &search->sized : &search->sets,
		.is_sized = is_sized,
		.evidence = { rig->evidence[0], rig->evidence[1] },
	};

	return search->ways ? mp_ways_renew(view, &found, facts) : 0;
}

/* .. where that has not said it. */
static int renew_inclusion(const struct mp_view *view,
			   const struct mp_ways_search *search, uint32_t before,
			   struct mp_facts *facts)
{
	struct mp_ways_while said;
	int err = ask_inclusion(search, NULL, &said);

	if (err || !said.others)
		return err;
	for (uint32_t i = before; i < facts->n; i++)
		if (!strcmp(facts->fact[i].name, "cpu.l2.inclusion"))
			return 0;
	return mp_ways_while_say(view, &said, facts);
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	const uint32_t before = facts->n;
	struct levels levels;
	int err = search_all(view, &levels);

	if (err)
		return err;
	for (uint32_t k = 0; k < levels.n && !err; k++)
		err = renew(view, &levels.search[k], facts);
	if (!err && levels.n > 1)
		err = renew_inclusion(view, &levels.search[1], before, facts);
	for (uint32_t k = 0; k < MP_CPU_LEVELS && !err; k++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view,
						   mp_cpu_level_name[k],
						   "ways", "ways");

		if (!fact)
			err = -ENOMEM;
		else if (mp_cpu_is_absent(view, k))
			fact->verdict = MP_ABSENT;
		else if (levels.known[k])
			err = settle(&levels.search[k], fact, facts);
		else
			mp_fact_cannot(fact, "ways",
				       "the level's size or latency could not be measured, or the ways of the level inside");
	}
	levels_free(&levels);
	return err;
}

const struct mp_probe mp_probe_ways = {
	.name = "ways",
	.asks = "how many lines of one set does a level hold?",
	.after = "line,cache-size,inclusion,latency,dram",
	.facts = "cpu.l1d.ways,cpu.l2.ways,cpu.l3.ways,cpu.l4.ways",
	.renews = MP_WAYS_RENEWS,
	.needs = MP_CAP_CHASE | MP_CAP_CORE_CLOCK,
	.weight = 8,
	.quick = false,
	.next = next,
	.infer = infer,
};
