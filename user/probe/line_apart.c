// SPDX-License-Identifier: GPL-2.0
/*
 * Do two neighbours ever go apart? Slots side by side are loaded, as much is
 * walked as puts some of them out of a level, and they are looked at two by
 * two. A line goes as a whole: where the level still has one of a pair, and
 * not the other, they are two lines. Neither how large the level is, nor how
 * many lines it has and how it replaces them has a part in that.
 *
 * What was walked puts out one of a pair and not the other by chance, or as
 * it lies on sets of the one alone: slots that lie as the upper ones of pairs
 * do fall on every second set, unless the number of sets is odd or lines are
 * hashed. Slots drawn at random leave some sets with more of them than others,
 * however lines fall on sets.
 *
 * Where pairs are lost to slots drawn at random, and their halves never go one
 * without the other, they are parts of a line: sets of their own would lose
 * them by chances of their own.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "backend.h"
#include "ioctl/memprobe.h"
#include "probe/line.h"
#include "window.h"

#define PAGE 4096u
/* What is looked at lies in one page, and a slot of that brings back its
 * translation. */
#define LOOKED (PAGE - 2 * MP_LINE_MAX)
/* Behind it a page that nothing lies in. */
#define WALKED (2 * PAGE)
#define REPLICATES MP_LINE_SURE
#define HOPS 40000u
/* In a window, of the slowest memory. */
#define BURST_HOPS 16384u
#define ROUNDS_MIN 3u
#define ROUNDS_MAX 12u
/* No more slots, and many no more than so many times. */
#define SLOTS_MAX (512u << 10)
#define SLOTS_MANY (128u << 10)
#define WALKS_MANY 2u
/* Of the pairs so large a share has to go apart, in so many replicates. */
#define APART 0.15
#define SAY_SO 3u
/* Slots drawn at random are one in so many: of those that fall on a set that is
 * as much chance as of all that might, but for a quarter of the variance. */
#define ONE_IN 4u
/*
 * A slot that stayed in a level inside is not asked for again here, so what
 * was fetched by halves of a line may then lack it: pairs that go apart are so
 * many times as many as slots that stay inside.
 */
#define INSIDE_TIMES 3.0
/* Of pairs so large a share has to be there, and as large a one to be lost, and
 * halves go apart in a tenth of what they would if they were two lines. */
#define SHOWN 0.2
#define TOGETHER 0.1
/* .. or, where the level has none inside that could hide some, it is enough that
 * so many would be expected to go apart. */
#define EXPECTED 10.0

/**
 * struct walk - what is walked before pairs are looked at
 * @all: every slot, of what fits
 * @inside: .. or every slot, of what the level inside holds
 * @upper: .. and then those that lie as upper ones do, of what fits; @of: one
 *	in so many slots
 * @some: slots drawn at random, others in each round, of what fits
 * @lines: .. as lines of the unit
 */
struct walk {
	double all;
	double inside;
	double upper;
	uint32_t of;
	double some;
	double lines;
};

/* One in four, where with an upper one the next slot is brought along. */
static const struct walk walks[] = {
	{ .inside = 1.2, .upper = 1.5, .of = 2 },
	{ .all = 1 },
	{ .inside = 1.2, .upper = 1, .of = 4 },
	{ .all = 1.35 },
	/* What leaves sets of some ways about half of it: more than that where
	 * new lines are the first to go. */
	{ .some = 1.2 },
	{ .some = 1 },
	{ .some = 1.4 },
	{ .some = 0.8 },
};
#define WALKS (sizeof(walks) / sizeof(walks[0]))

/* .. and as of lines that are longer than slots. */
static const struct walk walks_longer[] = {
	{ .lines = 1.2 },
	{ .lines = 1 },
	{ .lines = 1.4 },
	{ .lines = 0.8 },
	/* Lines that were used by halves were used twice. */
	{ .lines = 1.7 },
	{ .lines = 2.1 },
};
#define WALKS_LONGER (sizeof(walks_longer) / sizeof(walks_longer[0]))
/* So many times what the level inside holds puts out all that it has. */
#define DRIVEN 1.3
/* So much of what fits is left to chance, or that decides too little. */
#define DRAWN 0.25

struct mp_actor *mp_line_walk(struct mp_exp *exp, uint64_t offset,
			      uint64_t stride, double bytes)
{
	struct mp_actor *actor = &exp->actor[exp->n_actors];
	const uint64_t slots = (uint64_t)fmax(bytes / (double)stride, 1);

	*actor = exp->actor[0];
	actor->phase = exp->n_actors++;
	actor->offset = offset;
	actor->stride = stride;
	actor->length = slots * stride;
	actor->bursts = (uint32_t)(1 + slots / BURST_HOPS);
	actor->hops = slots / actor->bursts;
	if (exp->arena[0].bytes < offset + actor->length)
		exp->arena[0].bytes = offset + actor->length;
	return actor;
}

/* A part of a ring in no order: the next round goes on where it ends. */
static void add_some(uint64_t offset, uint64_t stride, double slots,
		     struct mp_exp *exp)
{
	struct mp_actor *actor = mp_line_walk(exp, offset, stride,
				     ONE_IN * slots * (double)stride);

	actor->bursts = (actor->bursts - 1) / ONE_IN + 1;
	actor->hops = actor->length / actor->stride / ONE_IN / actor->bursts;
}

/*
 * Slots as lines of the unit, each in one of its own whatever their length: one
 * and a half of it apart, so that they fall on the sets of halves, too. The
 * levels inside may hold as many of them, so these are emptied first, which
 * takes a part of the level.
 */
static void add_lines(const struct mp_line_asked *asked, double inside,
		      double lines, struct mp_exp *exp)
{
	const double out = DRIVEN * inside;
	const uint64_t driven = (uint64_t)(out / PAGE + 1) * PAGE;

	mp_line_walk(exp, WALKED, asked->unit / 2, out);
	add_some(WALKED + driven, asked->unit + asked->unit / 2,
		 (lines * asked->size - out) / asked->unit, exp);
}

/* What is walked falls on sets in no order, and so do its pages. */
static void add_walk(const struct mp_line_asked *asked, double inside,
		     const struct walk *walk, struct mp_exp *exp)
{
	if (walk->all > 0)
		mp_line_walk(exp, WALKED, asked->unit, walk->all * asked->size);
	if (walk->inside > 0 && inside > 0)
		mp_line_walk(exp, WALKED, asked->unit, walk->inside * inside);
	if (walk->upper > 0)
		mp_line_walk(exp, WALKED + asked->unit, walk->of * asked->unit,
		    walk->of * walk->upper * asked->size);
	if (walk->some > 0)
		add_some(WALKED, asked->unit,
			 walk->some * asked->size / asked->unit, exp);
	if (walk->lines > 0)
		add_lines(asked, inside, walk->lines, exp);
}

static uint32_t pairs_of(uint32_t unit)
{
	return LOOKED / (2 * unit);
}

/* Slots of pairs are @slot long. False: that would be too much. */
static bool experiment(const struct mp_view *view,
		       const struct mp_line_asked *asked, double inside,
		       const struct walk *walk, uint32_t slot, uint32_t most,
		       struct mp_exp *exp)
{
	struct mp_actor *looks;
	uint64_t hops = 0;

	mp_exp_chase(exp, view->cpu, view->pages, WALKED, asked->unit, 0);
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].bursts = 1;
	exp->actor[0].detail = MP_DETAIL_TOTALS;
	exp->n_actors = 0;
	add_walk(asked, inside, walk, exp);
	for (uint32_t i = 0; i < exp->n_actors; i++)
		hops += exp->actor[i].hops * exp->actor[i].bursts;
	mp_line_walk(exp, LOOKED + MP_LINE_MAX, MP_LINE_MAX, MP_LINE_MAX);
	looks = mp_line_walk(exp, 0, slot, LOOKED);
	/* Two by two, in no order. */
	looks->reach = 2ull * slot;
	looks->detail = MP_DETAIL_TICKS;
	looks->group = 1;
	exp->rounds = (uint32_t)fmin(fmax((double)HOPS / (double)hops,
					  ROUNDS_MIN), ROUNDS_MAX);
	return hops <= most && exp->arena[0].bytes <= view->arena_max_bytes;
}

/* -- what it shows ------------------------------------------------------ */

/* A page of the shortest slots has no more. */
#define PAIRS_MAX (LOOKED / (2 * 32u))

/**
 * struct pairs - of a batch
 * @n: all of them
 * @apart: the level had the first and not the other
 * @inside: a level inside had the first
 * @whole: both were asked of the level at the look before: if they are parts of
 *	a line it had all of that
 * @there, @split: .. and it has the first; and not the other
 * @gone: .. or neither, and the next level has the first
 * @past: .. or that has not, either: with it, other pairs may come back there
 */
struct pairs {
	double n;
	double apart;
	double inside;
	double whole;
	double there;
	double split;
	double gone;
	double past;
};

/* What two hops say of a pair. Return: the level was asked for both. */
static bool take(const struct mp_line_times *times, double first, double other,
		 bool was_whole, struct pairs *pairs)
{
	const bool there = first > times->low && first <= times->high;
	const bool lost = other > times->high;

	pairs->n++;
	pairs->inside += first <= times->low;
	pairs->apart += there && lost;
	if (was_whole) {
		pairs->whole++;
		pairs->there += there;
		pairs->split += there && lost;
		pairs->gone += lost && first > times->high &&
			       first <= times->next;
		pairs->past += first > times->next;
	}
	return first > times->low && other > times->low;
}

/* The ring is as long as a burst, so that each pair is at the same place in
 * all of them. */
static void count(const struct mp_batch *batch, const struct mp_line_times *times,
		  struct pairs *pairs)
{
	const uint32_t looks = batch->exp.n_actors - 1;
	const uint32_t all = 2 * pairs_of((uint32_t)batch->exp.actor[looks].stride);
	bool whole[PAIRS_MAX] = { false };
	double there = 0, sum = 0;

	*pairs = (struct pairs){ 0 };
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;

		if (s->actor != looks)
			continue;
		if (!mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
		    s->payload_count != all) {
			memset(whole, 0, sizeof(whole));
			continue;
		}
		for (uint32_t w = 0; w < all; w += 2) {
			const double read = batch->grant.read_ticks;
			const double first = mp_clock_cycles(batch,
						(double)word[w] - read);
			const double other = mp_clock_cycles(batch,
						(double)word[w + 1] - read);

			whole[w / 2] = take(times, first, other, whole[w / 2],
					    pairs);
			if (first <= times->low || first > times->high)
				continue;
			there++;
			sum += first;
		}
	}
	pairs->inside += mp_line_inside(times, there, sum);
}

/* A burst that was cut short leaves the next one to begin within a pair. */
static bool is_whole(const struct mp_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_samples; i++)
		if (batch->sample[i].actor == batch->exp.n_actors - 1 &&
		    batch->sample[i].flags & MEMPROBE_F_SHORT)
			return false;
	return true;
}

/**
 * struct said - replicates, each of which has pages of its own
 * @all: of them; @quiet: in how many no prefetcher was on
 * @apart: in how many more pairs go apart than can be explained by what stayed
 *	inside
 * @shows: in how many pairs are there, and lost; @together: and hardly any go
 *	apart
 * @expect: in how many some should have gone apart; @none: and hardly any do
 */
struct said {
	uint32_t all;
	uint32_t quiet;
	uint32_t apart;
	uint32_t shows;
	uint32_t together;
	uint32_t expect;
	uint32_t none;
};

static bool is_apart(const struct mp_line_times *times, const struct pairs *pairs)
{
	/* Where hops tell what is inside one by one, it is known of each. */
	return pairs->apart - INSIDE_TIMES * pairs->inside >=
		       APART * pairs->n ||
	       (isfinite(times->low) && pairs->split >= APART * pairs->n);
}

/*
 * Pairs that left the level by themselves. A level outside with longer lines may have
 * lost one of those, and taken along all that lay in it: the first of these pairs that
 * is looked at comes from beyond it, and brings the others back there.
 */
static double gone_alone(const struct mp_line_asked *asked,
			 const struct mp_batch *batch, const struct pairs *pairs)
{
	const uint64_t pair = 2 * batch->exp.actor[batch->exp.n_actors - 1].stride;
	const uint64_t line = asked->next_most && asked->next_most < MP_LINE_MAX ?
			      asked->next_most : MP_LINE_MAX;

	return line <= pair ? pairs->gone :
	       pairs->gone - pairs->past * (double)(line / pair - 1);
}

static void hear(const struct mp_line_asked *asked, const struct mp_batch *batch,
		 const struct mp_line_times *times, struct said *said)
{
	struct pairs pairs;
	double apart, gone;
	bool none;

	count(batch, times, &pairs);
	if (!pairs.n)
		return;
	said->all++;
	said->quiet += (batch->grant.got & MP_GOT_PREFETCH_OFF) != 0;
	said->apart += is_apart(times, &pairs);
	gone = gone_alone(asked, batch, &pairs);
	if (!(pairs.there > 0 && gone > 0))
		return;
	/* As if each of two were lost as often as both are. */
	apart = pairs.there * gone / pairs.whole;
	none = pairs.split <= TOGETHER * apart;
	said->expect += apart >= EXPECTED;
	said->none += apart >= EXPECTED && none;
	if (pairs.there < SHOWN * pairs.whole || gone < SHOWN * pairs.whole)
		return;
	said->shows++;
	said->together += none;
}

static void take_all(const struct mp_view *view, const struct mp_exp *exp,
		     const struct mp_line_asked *asked,
		     const struct mp_line_times *times, struct said *said)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	while ((batch = mp_view_next(view, mp_exp_id(exp), &at))) {
		if (mp_batch_counts(batch) && is_whole(batch))
			hear(asked, batch, times, said);
	}
}

int mp_line_apart(const struct mp_view *view, const struct mp_line_asked *asked,
		  double inside, struct mp_plan *plan, struct mp_fact *fact,
		  uint32_t *replicates)
{
	struct said said = { 0 };
	struct mp_line_times times;
	struct mp_exp exp;

	*replicates = 0;
	if (!(view->caps & MP_CAP_PHASES) ||
	    !mp_line_times(view, asked, &times))
		return 0;
	for (uint32_t i = 0; i < WALKS; i++) {
		const uint32_t before = said.all;

		if (!experiment(view, asked, inside, &walks[i], asked->unit,
				i < WALKS_MANY ? SLOTS_MAX : SLOTS_MANY, &exp))
			continue;
		if (plan && mp_plan_add(plan, &exp, REPLICATES))
			return -ENOMEM;
		take_all(view, &exp, asked, &times, &said);
		if (said.all > before && fact)
			mp_fact_note(fact, mp_exp_id(&exp));
		if (said.apart >= SAY_SO) {
			*replicates = said.apart;
			return 0;
		}
		if (said.all == before)
			return 0;
		if (plan)
			plan->stage++;
	}
	return 0;
}

/* -- longer lines ------------------------------------------------------- */

/* One walk, and what it makes of slots of one length. */
static int ask(const struct mp_view *view, const struct mp_line_asked *asked,
	       double inside, const struct mp_line_times *times,
	       const struct walk *walk, uint32_t slot, struct mp_plan *plan,
	       struct mp_fact *fact, struct said *said)
{
	struct mp_exp exp;

	*said = (struct said){ 0 };
	if (walk->lines * asked->size - DRIVEN * inside < DRAWN * asked->size ||
	    !experiment(view, asked, inside, walk, slot, SLOTS_MANY, &exp))
		return 0;
	if (plan) {
		plan->stage++;
		if (mp_plan_add(plan, &exp, REPLICATES))
			return -ENOMEM;
	}
	take_all(view, &exp, asked, times, said);
	if (said->all && fact)
		mp_fact_note(fact, mp_exp_id(&exp));
	return 0;
}

/* Do slots that are one unit apart, or half of it, do so, behind any walk? */
static int seek(const struct mp_view *view, const struct mp_line_asked *asked,
		double inside, uint32_t slot, struct mp_plan *plan,
		struct mp_fact *fact, uint32_t *replicates)
{
	struct mp_line_times times;

	*replicates = 0;
	if (!mp_line_times(view, asked, &times) || isnan(times.next))
		return 0;
	for (uint32_t i = 0; i < WALKS_LONGER && *replicates < SAY_SO; i++) {
		struct said said;
		int err = ask(view, asked, inside, &times, &walks_longer[i],
			      slot, plan, fact, &said);

		if (err)
			return err;
		*replicates = said.apart;
		if (slot == asked->unit)
			continue;
		*replicates = said.quiet == said.all &&
			      said.together == said.shows ? said.together : 0;
		if (said.shows > said.together)
			return 0;
	}
	if (*replicates < SAY_SO)
		*replicates = 0;
	return 0;
}

int mp_line_longer(const struct mp_view *view, struct mp_line_asked *asked,
		   double inside, struct mp_plan *plan, struct mp_fact *fact,
		   uint32_t *replicates)
{
	uint32_t apart = 0, together;
	int err = 0;

	*replicates = 0;
	if (!(view->caps & MP_CAP_PHASES))
		return 0;
	for (asked->unit *= 2; asked->unit <= MP_LINE_MAX && !err;
	     asked->unit *= 2) {
		err = seek(view, asked, inside, asked->unit, plan, fact,
			   &apart);
		if (apart)
			break;
	}
	if (err || !apart)
		return err;
	err = seek(view, asked, inside, asked->unit / 2, plan, fact,
		   &together);
	*replicates = apart < together ? apart : together;
	return err;
}

/* Both questions of one walk: halves of the unit that go apart are two lines;
 * and where none do, of those that leave, they are one. */
int mp_line_halves(const struct mp_view *view,
		   const struct mp_line_asked *asked, double inside,
		   struct mp_plan *plan, struct mp_fact *fact, uint32_t *says,
		   uint32_t *replicates, bool *quiet)
{
	struct mp_line_times times;
	uint32_t none = 0;
	bool part = false;

	*says = MP_LINE_UNSURE;
	*replicates = 0;
	*quiet = true;
	if (!mp_line_times(view, asked, &times))
		return 0;
	for (uint32_t i = 0; i < WALKS_LONGER; i++) {
		struct said said;
		int err = ask(view, asked, inside, &times, &walks_longer[i],
			      asked->unit / 2, plan, fact, &said);

		if (err)
			return err;
		*quiet &= said.quiet == said.all;
		none += said.none;
		*replicates = said.apart >= SAY_SO ? said.apart :
			      none >= SAY_SO ? none : said.together;
		if (said.apart >= SAY_SO)
			*says = MP_LINE_NO;
		/* What parted at any time is no line. */
		part |= said.expect > said.none || said.shows > said.together;
		if (!part && !isnan(times.next) && said.apart < SAY_SO &&
		    (none >= SAY_SO || said.together >= SAY_SO))
			*says = MP_LINE_YES;
		if (*says != MP_LINE_UNSURE)
			return 0;
		*replicates = 0;
	}
	return 0;
}
