// SPDX-License-Identifier: GPL-2.0
/*
 * Trials: some lines of a page are flushed, some loaded, and one is timed
 * that was not. A step has to load a line to flush it, which prefetchers
 * see: so what is flushed when decides what a trial shows.
 */
#include "probe/prefetch_list.h"

#include <string.h>

#include "ioctl/memprobe.h"
#include "perm.h"
#include "steps.h"

#define PAGE 4096u
#define SLOT MP_STEPS_SLOT
/* Any number would do. */
#define SEED 0x7072656665746368ull
/* Slow memory and slow cores: a list takes up to half a millisecond. */
#define LIST_NS 1000000u

/* Bases of pairs lie on a multiple of a pair of the longest lines, so that
 * what is behind one such pair is behind pairs of all lengths. */
#define PAIR_FIRST 512u
#define PAIR_LAST 2560u
#define FAR 2048u
#define AHEAD 4u
/* Longest lines from step to step of a stride: too far for a stream. */
#define STRIDE 3u
#define BESIDE 2u

/* Of a full run so many that the next step of a stride of one line falls on
 * another line of an outer level than the timed one, four ahead. */
#define TOUCHES_SHORT 3u
#define TOUCHES_WIDE 4u
#define TOUCHES_FULL 7u
/* .. where that is four times as long. Of seven, a prefetcher that fetches the
 * other line of a pair leaves each second load for one of strides to see, whose
 * next step would fall on the timed one's. */
#define TOUCHES_LONG_LINES 5u
#define TOUCHES_LONG 15u
/* Steps of the longest trial: each line flushed and loaded, one timed. */
#define STEPS_MAX (2 * TOUCHES_LONG + 4)

/* Orders in which no two steps are alike, nor, where it matters, one or two
 * lines long. */
static const uint8_t jumbled[][TOUCHES_LONG] = {
	{ 0 },
	{ 2, 0, 1 },
	{ 2, 0, 3, 1 },
	{ 2, 0, 4, 1, 3 },
	{ 3, 6, 0, 4, 1, 5, 2 },
	{ 3, 8, 1, 12, 5, 0, 14, 9, 2, 13, 6, 11, 4, 10, 7 },
};

/*
 * A trial: what is flushed beforehand, what is loaded, and what is timed.
 * Before it is timed the next trial's lines are flushed, elsewhere: time for
 * a prefetched line to come.
 */
enum part { BEFORE, LOADS, LOOK, PARTS };

struct trial {
	uint32_t n;
	struct {
		uint32_t at;	/* byte of the page */
		uint8_t what;
		uint8_t part;
	} step[STEPS_MAX];
};

struct shape {
	uint32_t list;
	uint32_t kind;
	const struct mp_prefetch_lines *lines;
};

static void add(struct trial *trial, enum part part, uint32_t what, uint32_t at)
{
	trial->step[trial->n].at = at;
	trial->step[trial->n].what = (uint8_t)what;
	trial->step[trial->n++].part = (uint8_t)part;
}

/* -- pairs -------------------------------------------------------------- */

/*
 * The timed line is flushed first: all later loads are of the other one, so
 * that if the timed line is there, a load of the other has brought it. And
 * the other, flushed last, is nowhere when it is loaded.
 */
static void add_pair(struct trial *trial, uint32_t from, uint32_t timed)
{
	add(trial, BEFORE, MEMPROBE_STEP_FLUSH, timed);
	add(trial, BEFORE, MEMPROBE_STEP_FLUSH, from);
	add(trial, LOADS, MEMPROBE_STEP_TOUCH, from);
	add(trial, LOOK, MEMPROBE_STEP_TIME, timed);
}

/* Loaded once more to be flushed, it may bring the other again; no matter. */
static void add_kept(struct trial *trial, uint32_t from, uint32_t timed)
{
	add_pair(trial, from, timed);
	trial->n--;
	add(trial, LOADS, MEMPROBE_STEP_FLUSH, from);
	add(trial, LOOK, MEMPROBE_STEP_TIME, timed);
}

/*
 * Lines of half a slot: the first two visits of a slot are to its lower line,
 * the next two to the upper one. The upper line is flushed after it was
 * timed, for the next burst, if nobody lays the list anew before that.
 */
static void add_half_up(struct trial *trial, uint32_t at)
{
	add(trial, BEFORE, MEMPROBE_STEP_FLUSH, at);
	add(trial, LOADS, MEMPROBE_STEP_TOUCH, at);
	add(trial, LOOK, MEMPROBE_STEP_TIME, at);
	add(trial, LOOK, MEMPROBE_STEP_FLUSH, at);
}

/* Two visits to come to the upper line of the slot before. */
static void add_half_beyond(struct trial *trial, uint32_t at)
{
	add(trial, BEFORE, MEMPROBE_STEP_TOUCH, at - SLOT);
	add(trial, BEFORE, MEMPROBE_STEP_TOUCH, at - SLOT);
	add_pair(trial, at - SLOT, at);
}

static void make_pair(struct trial *trial, const struct shape *shape,
		      struct mp_rng *rng)
{
	const uint32_t unit = shape->lines->unit;
	const uint32_t pair = 2 * shape->lines->widest;
	const uint32_t at = PAIR_FIRST + pair * (uint32_t)mp_rng_below(rng,
				(PAIR_LAST - PAIR_FIRST) / pair + 1);
	const uint32_t far = (at + FAR) % PAGE;

	switch (shape->kind) {
	case MP_PREFETCH_HIT:
		add(trial, BEFORE, MEMPROBE_STEP_FLUSH, far);
		add(trial, LOADS, MEMPROBE_STEP_TOUCH, at);
		add(trial, LOADS, MEMPROBE_STEP_TOUCH, far);
		add(trial, LOOK, MEMPROBE_STEP_TIME, at);
		break;
	case MP_PREFETCH_UP:
		if (unit < SLOT)
			add_half_up(trial, at);
		else
			add_pair(trial, at, at + unit);
		break;
	case MP_PREFETCH_DOWN:
		add_pair(trial, at + unit, at);
		break;
	case MP_PREFETCH_KEPT:
		add_kept(trial, at + unit, at);
		break;
	case MP_PREFETCH_BEYOND:
		if (unit < SLOT)
			add_half_beyond(trial, at);
		else
			add_pair(trial, at - unit, at);
		break;
	case MP_PREFETCH_AHEAD:
		add_pair(trial, at, at + AHEAD * unit);
		break;
	default:
		add_pair(trial, far, at);
		break;
	}
}

/* -- runs --------------------------------------------------------------- */

/* Lines of a page: those that are loaded, and the timed one. */
struct run {
	uint32_t n;
	uint32_t at[TOUCHES_LONG];
	bool is_jumbled;
	uint32_t timed;
};

static const uint8_t *jumble(uint32_t n)
{
	switch (n) {
	case 1:
		return jumbled[0];
	case TOUCHES_SHORT:
		return jumbled[1];
	case TOUCHES_WIDE:
		return jumbled[2];
	case TOUCHES_LONG_LINES:
		return jumbled[3];
	case TOUCHES_FULL:
		return jumbled[4];
	default:
		return jumbled[5];
	}
}

/* Flushed in a third order: it teaches nothing. The timed line comes last:
 * none of the others is near enough to bring it. */
static void add_run(struct trial *trial, const struct run *run, bool is_hit)
{
	const uint8_t *order = jumble(run->n);

	for (uint32_t i = run->n; i--; )
		add(trial, BEFORE, MEMPROBE_STEP_FLUSH, run->at[order[i]]);
	if (!is_hit)
		add(trial, BEFORE, MEMPROBE_STEP_FLUSH, run->timed);
	for (uint32_t i = 0; i < run->n; i++)
		add(trial, LOADS, MEMPROBE_STEP_TOUCH,
		    run->at[run->is_jumbled ? order[i] : i]);
	if (is_hit)
		add(trial, LOADS, MEMPROBE_STEP_TOUCH, run->timed);
	add(trial, LOOK, MEMPROBE_STEP_TIME, run->timed);
}

/* Lines @step bytes apart; one is timed so far behind the last. */
static void lay(struct run *run, uint32_t n, uint32_t step, uint32_t behind)
{
	run->n = n;
	for (uint32_t i = 0; i < n; i++)
		run->at[i] = i * step;
	run->timed = (n - 1) * step + behind;
}

/* The last line of a run alone: what that brings was not brought by the run. */
static void leave_last(struct run *run)
{
	run->at[0] = run->at[run->n - 1];
	run->n = 1;
}

static void lay_stride(struct run *run, const struct shape *shape)
{
	const uint32_t widest = shape->lines->widest;
	const uint32_t step = STRIDE * widest;
	uint32_t n = TOUCHES_SHORT;

	/* As many as leave room for a second step ahead. */
	if (shape->list == MP_PREFETCH_STRIDES)
		n = (TOUCHES_FULL + 1) * step + widest <= PAGE ?
		    TOUCHES_FULL : TOUCHES_WIDE;
	lay(run, n, step, step);
	if (shape->kind == MP_PREFETCH_STEP2)
		run->timed += step;
	if (shape->kind == MP_PREFETCH_BESIDE)
		run->timed += BESIDE * widest;
	run->is_jumbled = shape->kind == MP_PREFETCH_MISS ||
			  shape->kind == MP_PREFETCH_HIT;
}

static uint32_t full_run(const struct mp_prefetch_lines *lines)
{
	return lines->widest > 2 * lines->unit ? TOUCHES_LONG_LINES :
						 TOUCHES_FULL;
}

static void make_run(struct trial *trial, const struct shape *shape,
		     struct mp_rng *rng)
{
	const uint32_t unit = shape->lines->unit;
	const uint32_t pair = 2 * shape->lines->widest;
	struct run run = { 0 };
	uint32_t base;

	switch (shape->kind) {
	case MP_PREFETCH_EVEN:
	case MP_PREFETCH_EVEN1:
		lay(&run, TOUCHES_SHORT, 2 * unit, AHEAD * unit);
		break;
	case MP_PREFETCH_UNEVEN:
	case MP_PREFETCH_UNEVEN1:
		lay(&run, TOUCHES_SHORT, unit, (AHEAD + 1) * unit);
		run.at[2] += unit;
		break;
	case MP_PREFETCH_JUMBLE:
		run.is_jumbled = true;
		/* fall through */
	case MP_PREFETCH_FULL:
		lay(&run, full_run(shape->lines), unit, AHEAD * unit);
		break;
	case MP_PREFETCH_FIRSTS:
		lay(&run, TOUCHES_LONG, unit, AHEAD * unit);
		break;
	case MP_PREFETCH_SECONDS:
		lay(&run, TOUCHES_LONG, 2 * unit, 2 * unit);
		break;
	case MP_PREFETCH_THIRDS:
		lay(&run, TOUCHES_LONG, 3 * unit, 3 * unit);
		break;
	default:
		lay_stride(&run, shape);
		break;
	}
	if (shape->kind == MP_PREFETCH_EVEN1 ||
	    shape->kind == MP_PREFETCH_UNEVEN1)
		leave_last(&run);
	base = (PAGE - run.timed - unit) / pair;
	base = pair * (uint32_t)mp_rng_below(rng, base + 1);
	for (uint32_t i = 0; i < run.n; i++)
		run.at[i] += base;
	run.timed += base;
	add_run(trial, &run, shape->kind == MP_PREFETCH_HIT);
}

static void make(struct trial *trial, const struct shape *shape,
		 struct mp_rng *rng)
{
	trial->n = 0;
	if (shape->list == MP_PREFETCH_PAIRS ||
	    (shape->list == MP_PREFETCH_LONG &&
	     shape->kind <= MP_PREFETCH_HIT))
		make_pair(trial, shape, rng);
	else
		make_run(trial, shape, rng);
}

/* -- lists -------------------------------------------------------------- */

#define BIT(kind) (1u << MP_PREFETCH_##kind)

bool mp_prefetch_has(uint32_t list, uint32_t kind,
		     const struct mp_prefetch_lines *lines)
{
	static const uint32_t kinds[MP_PREFETCH_LISTS] = {
		[MP_PREFETCH_PAIRS] = BIT(MISS) | BIT(HIT) | BIT(UP) |
				      BIT(DOWN) | BIT(KEPT) | BIT(BEYOND) |
				      BIT(AHEAD),
		[MP_PREFETCH_RUNS] = BIT(MISS) | BIT(HIT) | BIT(EVEN) |
				     BIT(UNEVEN) | BIT(FULL) | BIT(JUMBLE) |
				     BIT(EVEN1) | BIT(UNEVEN1),
		[MP_PREFETCH_STRIDES] = BIT(MISS) | BIT(HIT) | BIT(STEP) |
					BIT(BESIDE) | BIT(STEP2),
		[MP_PREFETCH_LONG] = BIT(MISS) | BIT(HIT) | BIT(FIRSTS) |
				     BIT(SECONDS) | BIT(THIRDS),
	};
	/* Slots are no shorter than 64 bytes. */
	static const uint32_t wants_slots = BIT(DOWN) | BIT(KEPT) |
					    BIT(UNEVEN) | BIT(UNEVEN1) |
					    BIT(FULL) | BIT(JUMBLE);

	/* Of long lines a page has no room for so many. */
	static const uint8_t units[MP_PREFETCH_KINDS] = {
		[MP_PREFETCH_FIRSTS] = TOUCHES_LONG + AHEAD,
		[MP_PREFETCH_SECONDS] = TOUCHES_LONG * 2 + 1,
		[MP_PREFETCH_THIRDS] = TOUCHES_LONG * 3 + 1,
	};

	return kinds[list] >> kind & 1 && units[kind] * lines->unit <= PAGE &&
	       !(lines->unit < SLOT && wants_slots >> kind & 1);
}

/* The kinds, in turn, as often as their steps fit; and in no order. */
static uint32_t draw(const struct shape *like, struct mp_rng *rng,
		     struct trial *trial, uint8_t *kind)
{
	struct shape shape = *like;
	uint32_t n = 0, steps = 0, round;

	for (;;) {
		round = n;
		for (uint32_t k = 0; k < MP_PREFETCH_KINDS; k++) {
			if (!mp_prefetch_has(like->list, k, like->lines))
				continue;
			shape.kind = k;
			make(&trial[n], &shape, rng);
			steps += trial[n].n;
			kind[n++] = (uint8_t)k;
			if (steps > MP_EXP_STEPS)
				return round;
		}
	}
}

/* Steps of one part of a trial, in its page. */
static void put(const struct trial *trial, enum part part, uint32_t page,
		uint8_t kind, struct mp_prefetch_walk *walk)
{
	for (uint32_t i = 0; i < trial->n; i++) {
		const uint32_t slot = (page * PAGE + trial->step[i].at) / SLOT;

		if (trial->step[i].part != part)
			continue;
		if (trial->step[i].what == MEMPROBE_STEP_TIME)
			walk->kind[walk->n++] = kind;
		walk->exp.steps[walk->exp.n_steps++] =
			MEMPROBE_STEP(slot, trial->step[i].what);
	}
}

void mp_prefetch_walk_make(const struct mp_view *view, uint32_t list,
			   const struct mp_prefetch_lines *lines,
			   uint32_t bursts, struct mp_prefetch_walk *walk)
{
	const struct shape shape = { .list = list, .lines = lines };
	uint32_t order[MP_EXP_STEPS], page[MP_EXP_STEPS];
	struct trial trial[MP_EXP_STEPS / 4 + 1];
	uint8_t kind[MP_EXP_STEPS / 4 + 1];
	struct mp_exp *exp = &walk->exp;
	struct mp_rng rng;
	uint32_t n;

	mp_rng_seed(&rng, SEED + list);
	n = draw(&shape, &rng, trial, kind);
	mp_exp_chase(exp, view->cpu, view->pages, (uint64_t)PAGE * n, SLOT, 0);
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet & ~(uint32_t)MP_WISH_PREFETCH_OFF;
	exp->window_ns = LIST_NS;
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].bursts = bursts;
	walk->n = 0;
	mp_perm_order(order, n, 0, &rng);
	mp_perm_order(page, n, 0, &rng);
	put(&trial[order[0]], BEFORE, page[0], kind[order[0]], walk);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t t = order[i];

		put(&trial[t], LOADS, page[i], kind[t], walk);
		if (i + 1 < n)
			put(&trial[order[i + 1]], BEFORE, page[i + 1],
			    kind[order[i + 1]], walk);
		put(&trial[t], LOOK, page[i], kind[t], walk);
	}
}
