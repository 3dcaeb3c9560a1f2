// SPDX-License-Identifier: GPL-2.0
#include "probe/ways_while.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "analysis/clock.h"
#include "backend.h"
#include "ioctl/memprobe.h"
#include "perm.h"
#include "probe/cpu.h"
#include "probe/ways_flush.h"
#include "probe/ways_others.h"
#include "probe/ways_size.h"
#include "steps.h"
#include "window.h"

#define PAGE 4096u
#define SLOT MP_STEPS_SLOT
/* A slot of the line's page brings back its translation. */
#define BESIDE 256u
#define BURSTS 30u
#define COLD 4u
#define REPLICATES 5u
#define REPLICATES_MIN 3u
/* Any number would do. */
#define SEED 0x7768696cull
/* What drives a set through, of its ways: the more the surer, and the less of
 * what lies inside is left. */
static const double drives[] = { 2, 1.5, 1 };
#define DRIVES (sizeof(drives) / sizeof(drives[0]))
/* So great a share of what was not in use has to be gone, and of what stayed in
 * use and was put out inside then, so often at least. */
#define DRIVEN 0.8
#define GONE 0.8
#define LEAST 20.0

/*
 * WHILE: a line is fetched, its set driven through, a look, it is put out inside,
 * and another look. CONTROL: put out inside before its set is driven through.
 */
enum kind { WHILE, CONTROL, KINDS };

struct shape {
	uint32_t drive;
	uint64_t span;
	struct mp_ways_flush flush;
};

static void look(struct mp_exp *exp)
{
	mp_ways_step(BESIDE, MEMPROBE_STEP_TOUCH, exp);
	mp_ways_step(0, MEMPROBE_STEP_TIME, exp);
}

/* @n others, in no order: of the line's set here, or of its set inside alone. */
static void walk(const struct shape *shape, uint32_t n, bool here, uint32_t what,
		 struct mp_exp *exp)
{
	uint32_t order[MP_EXP_STEPS];
	struct mp_rng rng;

	mp_rng_seed(&rng, SEED);
	mp_perm_order(order, n, 0, &rng);
	for (uint32_t i = 0; i < n; i++)
		mp_ways_step(here ? (order[i] + 1) * shape->span :
			     shape->flush.slot[order[i]] * shape->flush.unit,
			     what, exp);
}

static bool experiment(const struct mp_ways_rig *rig, const struct shape *shape,
		       enum kind kind, struct mp_exp *exp)
{
	mp_ways_sequence(rig, SLOT, MP_DETAIL_TICKS, BURSTS, exp);
	/* Fetched anew: nothing here knows that it was used before. */
	mp_ways_step(0, MEMPROBE_STEP_FLUSH, exp);
	mp_ways_step(0, MEMPROBE_STEP_TOUCH, exp);
	if (kind == CONTROL)
		walk(shape, shape->flush.n, false, MEMPROBE_STEP_TOUCH, exp);
	walk(shape, shape->drive, true, MEMPROBE_STEP_TOUCH, exp);
	look(exp);
	/* What drove it through is inside as well, and an exclusive level would be
	 * given that along with the line. */
	if (kind == WHILE) {
		walk(shape, shape->drive, true, MEMPROBE_STEP_FLUSH, exp);
		walk(shape, shape->flush.n, false, MEMPROBE_STEP_TOUCH, exp);
		look(exp);
	}
	exp->arena[0].bytes = exp->actor[0].length;
	return exp->actor[0].length <= rig->view->arena_max_bytes &&
	       mp_exp_check(exp, NULL, 0) == 0;
}

/* All lines of a set lie in a row, or in pieces that begin on the same sets. */
static bool shape_of(const struct mp_ways_rig *rig, uint32_t ways, uint64_t span,
		     double drive, struct shape *shape)
{
	const struct mp_ways_sets *sets = rig->sets;
	const struct mp_ways_test test = {
		.stride = mp_ways_stride(sets, span), .lines = 1, .flushed = true,
	};
	uint64_t end;

	*shape = (struct shape){ .span = test.stride };
	shape->drive = (uint32_t)ceil(drive * ways);
	if (sets->small || test.stride <= PAGE ||
	    !mp_ways_flushers(sets, &test, MP_WAYS_FLUSH_MOST - 1,
			      &shape->flush) ||
	    6 + 2 * shape->drive + shape->flush.n > MP_EXP_STEPS)
		return false;
	end = (shape->drive + 1) * test.stride;
	if (end < (shape->flush.slot[shape->flush.n - 1] + 1) *
		  shape->flush.unit)
		end = (shape->flush.slot[shape->flush.n - 1] + 1) *
		      shape->flush.unit;
	return end + PAGE <= sets->piece ||
	       (sets->piece % test.stride == 0 &&
		sets->piece % shape->flush.unit == 0);
}

/* -- what is seen ------------------------------------------------------- */

/* Of looks: found inside, here, in the next level. What is further out than that
 * one may have been put out of all, and does not count. */
struct found {
	double inside;
	double here;
	double next;
};

/**
 * struct tally - of a kind of experiment
 * @first: looks; @after: .. where the first one found the line inside
 */
struct tally {
	uint32_t replicates;
	struct found first;
	struct found after;
};

static void find(const struct mp_ways_level *level, const struct mp_batch *batch,
		 uint64_t word, struct found *found)
{
	const double cycles = mp_clock_cycles(batch, (double)word -
						     batch->grant.read_ticks);
	const bool is_last = !(level->beyond_cycles >
			       MP_WAYS_APART * level->next_cycles);

	if (!isfinite(cycles))
		return;
	if (cycles <= (level->inner_cycles + level->own_cycles) / 2)
		found->inside++;
	else if (cycles <= (level->own_cycles + level->next_cycles) / 2)
		found->here++;
	else if (is_last ||
		 cycles <= (level->next_cycles + level->beyond_cycles) / 2)
		found->next++;
}

static void take(const struct mp_ways_level *level,
		 const struct mp_batch *batch, struct tally *tally)
{
	const uint32_t looks = mp_steps_timed(batch->exp.steps,
					      batch->exp.n_steps);

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;
		const double inside = tally->first.inside;

		if (s->burst < COLD || !mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
		    s->payload_count != looks)
			continue;
		find(level, batch, word[0], &tally->first);
		if (looks > 1 && tally->first.inside > inside)
			find(level, batch, word[1], &tally->after);
	}
}

/* Lines are where they should be in large pages, or where small ones lie in a row
 * as had been seen. */
static void take_all(const struct mp_ways_rig *rig, const struct mp_exp *exp,
		     struct tally *tally)
{
	const struct mp_batch *batch;
	uint32_t at = 0;

	*tally = (struct tally){ 0 };
	while ((batch = mp_view_next(rig->view, mp_exp_id(exp), &at))) {
		if (!mp_batch_counts(batch) || mp_cpu_scattered(batch) ||
		    !(batch->grant.got & MP_GOT_PREFETCH_OFF))
			continue;
		take(&rig->level, batch, tally);
		tally->replicates++;
	}
}

/* An exclusive level has just been given what leaves; one that includes what is
 * inside has that as long as it is there. */
static void judge(const struct tally tally[KINDS], struct mp_ways_while *out)
{
	const struct found *after = &tally[WHILE].after;
	const struct found *control = &tally[CONTROL].first;

	out->lines = (uint32_t)(after->here + after->next);
	out->gone = (uint32_t)after->next;
	out->others = control->next >= LEAST &&
			    control->next >= DRIVEN *
					     (control->here + control->next) &&
			    after->here + after->next >= LEAST &&
			    after->next >= GONE * (after->here + after->next);
}

static int try(const struct mp_ways_rig *rig, const struct shape *shape,
	       struct mp_plan *plan, struct mp_ways_while *out)
{
	struct tally tally[KINDS];
	struct mp_exp exp;
	bool all = true;

	for (uint32_t kind = 0; kind < KINDS; kind++) {
		if (!experiment(rig, shape, kind, &exp))
			return 0;
		if (plan && mp_plan_add(plan, &exp, REPLICATES))
			return -ENOMEM;
		out->id[kind] = mp_exp_id(&exp);
		take_all(rig, &exp, &tally[kind]);
		all &= tally[kind].replicates >= REPLICATES_MIN;
	}
	if (all)
		judge(tally, out);
	return 0;
}

int mp_ways_while(const struct mp_ways_rig *rig, uint32_t ways, uint64_t span,
		  struct mp_plan *plan, struct mp_ways_while *out)
{
	const struct mp_ways_sets *in = rig->sets->inner;
	bool own;
	int err;

	*out = (struct mp_ways_while){ 0 };
	/* Visits to a slot come by both halves of it: they are to go as one. */
	if (rig->level.k != 1 || !rig->level.single || !in || !in->n ||
	    in->loose || !(mp_cpu_value(rig->view, "l1d", "sector") >= SLOT) ||
	    !(rig->view->caps & MP_CAP_SEQUENCE))
		return 0;
	err = mp_ways_own_edges(rig->view, 0, rig->level.k, &own);
	for (uint32_t i = 0; i < DRIVES && !err && own && !out->others; i++) {
		struct shape shape;

		if (shape_of(rig, ways, span, drives[i], &shape))
			err = try(rig, &shape, plan, out);
		if (plan)
			plan->stage++;
	}
	return err;
}

int mp_ways_while_say(const struct mp_view *view,
		      const struct mp_ways_while *said, struct mp_facts *facts)
{
	/* The list that it is in grows. */
	const struct mp_fact old = *mp_cpu_found(view, 1, "inclusion");
	struct mp_fact *fact = mp_ways_again(facts, &old, said->id);

	if (!fact)
		return -ENOMEM;
	fact->verdict = MP_MEASURED;
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "non-inclusive");
	snprintf(fact->method, sizeof(fact->method),
		 "a line stayed inside while its set here was driven through, and then left that level: of %u times it was gone from here in %u",
		 said->lines, said->gone);
	return 0;
}
