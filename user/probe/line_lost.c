// SPDX-License-Identifier: GPL-2.0
/*
 * Does a level lose a line with a neighbour of it that is flushed? A line is
 * loaded, its neighbour flushed, and a ring walked that puts the line out of
 * the levels inside; then it is timed. Beside it lie lines of which a slot far
 * away is flushed instead, and nothing else is different: if the level still
 * has these, and not that one, the flush took it along, and the two are parts
 * of one line. In a second list what was done to the ones is done to the
 * others: where memory lies in a row a ring puts out the same ones each time.
 *
 * Neither how large the level is, nor how it replaces lines, nor what a
 * prefetcher brings along has a part in that: whatever was brought by the load
 * lies there before the flush, and nothing is asked of a page between the flush
 * and the look.
 */
#include <errno.h>
#include <math.h>

#include "analysis/clock.h"
#include "ioctl/memprobe.h"
#include "perm.h"
#include "probe/line.h"
#include "steps.h"
#include "window.h"

#define PAGE 4096u
#define SLOT MP_STEPS_SLOT
/* What is asked of one page lies so far apart that it shares no line, nor
 * what comes along with one: the line, and a slot that is touched first, so that
 * the look does not pay for the translation. */
#define PLACE (4 * MP_LINE_MAX)
#define PLACES (PAGE / PLACE)
/* Any number would do. */
#define SEED 0x6c6f7374ull
/* Steps of a line: touch, time, twice once more, flush. */
#define STEPS_EACH 4u
#define LINES_MAX (MP_EXP_STEPS / STEPS_EACH)
#define LINES_MIN 12u
/* They take so small a part of the level, were its lines the longest, and
 * there are as many rounds as make so many hops, but for the first, in which
 * nothing was flushed before. */
#define PART 12.0
#define HOPS 40000u
#define ROUNDS_MIN 3u
#define ROUNDS_MAX 24u
#define HOPS_MOST (2u << 20)
/* .. of each of two lists: */
#define LISTS 2u
#define REPLICATES 3u
#define REPLICATES_MIN 2u
/* How far from what the levels inside hold to what this one does, in the
 * logarithm. */
static const double between[] = { 0.45, 0.8, 0.2 };
#define WALKS (sizeof(between) / sizeof(between[0]))
/* So large a share of the lines has to be there to say anything, and where
 * what is inside is told on average only; .. */
#define SHOWN 0.2
#define SHOWN_MEAN 0.3
/* .. of those whose neighbour was flushed half as many: of parts of one line
 * there would be none; .. */
#define THERE 0.5
/* .. and hardly any, as many more lost, and so many lines to be expected that
 * none is no chance. */
#define NONE 0.1
#define LOST 0.7
#define EXPECTED 8.0

static void step(struct mp_exp *exp, uint32_t at, uint32_t what)
{
	exp->steps[exp->n_steps++] = MEMPROBE_STEP(at / SLOT, what);
}

/* Of halves of a slot the upper one is what the third visit comes to. */
static void put(struct mp_exp *exp, bool neighbour, uint32_t page,
		uint32_t apart, struct mp_rng *rng)
{
	const uint32_t pair = 2 * (apart > SLOT ? apart : SLOT);
	const uint32_t place = (uint32_t)mp_rng_below(rng, PLACES);
	const uint32_t base = page * PAGE;
	const uint32_t at = base + place * PLACE +
			    (uint32_t)mp_rng_below(rng, PLACE / pair) * pair;
	const uint32_t first = base + (place + 1) % PLACES * PLACE + at % PLACE;

	step(exp, first, MEMPROBE_STEP_TOUCH);
	step(exp, at, MEMPROBE_STEP_TIME);
	if (apart < SLOT)
		step(exp, at, MEMPROBE_STEP_TOUCH);
	step(exp, neighbour ? at + apart / SLOT * SLOT : first, MEMPROBE_STEP_FLUSH);
}

static uint32_t lines_of(double size)
{
	const double lines = size / MP_LINE_MAX / PART;

	return (uint32_t)fmin(fmax(lines, LINES_MIN), LINES_MAX);
}

/* Which page comes when is in no order. Every second one's neighbour is flushed;
 * in the second list those of all others. */
static void lay_out(struct mp_exp *exp, uint32_t lines, uint32_t apart,
		    uint32_t list)
{
	uint32_t page[LINES_MAX];
	struct mp_rng rng;

	mp_rng_seed(&rng, SEED);
	mp_perm_order(page, lines, 0, &rng);
	for (uint32_t i = 0; i < lines; i++)
		put(exp, (i + list) % 2, page[i], apart, &rng);
}

/* False: that would be too much. */
static bool experiment(const struct mp_view *view,
		       const struct mp_line_asked *asked, double bytes,
		       uint32_t stride, uint32_t n, struct mp_exp *exp)
{
	const uint32_t lines = lines_of(asked->size);
	struct mp_actor *list;
	uint64_t hops;

	mp_exp_chase(exp, view->cpu, view->pages, (uint64_t)lines * PAGE,
		     SLOT, 0);
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].bursts = 1;
	exp->actor[0].detail = MP_DETAIL_TOTALS;
	lay_out(exp, lines, asked->unit, n);
	mp_line_walk(exp, (uint64_t)lines * PAGE, stride, bytes);
	list = &exp->actor[0];
	list->op = MP_OP_SEQUENCE;
	hops = exp->n_steps + exp->actor[1].hops * exp->actor[1].bursts;
	exp->rounds = (uint32_t)fmin(fmax((double)HOPS / (double)hops,
					  ROUNDS_MIN), ROUNDS_MAX);
	return hops * exp->rounds <= HOPS_MOST &&
	       exp->arena[0].bytes <= view->arena_max_bytes;
}

/* -- what it shows ------------------------------------------------------ */

/* Of the looks at lines of which something far away was flushed, and at those
 * whose neighbour was. */
enum kind { FAR, NEIGHBOUR, KINDS };

/**
 * struct looks - of one kind
 * @n: all; @in: not further out than this level, and @sum what those took;
 *	@out: further out
 * @here: at this level
 */
struct looks {
	double n;
	double in;
	double sum;
	double out;
	double here;
};

static void take(const struct mp_line_times *times, double cycles,
		 struct looks *looks)
{
	looks->n++;
	if (cycles > times->high) {
		looks->out++;
	} else if (cycles > times->low) {
		looks->in++;
		looks->sum += cycles;
	}
}

/* Shares, not numbers. */
static bool weigh(const struct mp_line_times *times, struct looks *looks)
{
	if (!looks->n)
		return false;
	looks->here = (looks->in - mp_line_inside(times, looks->in,
						  looks->sum)) / looks->n;
	looks->out /= looks->n;
	return true;
}

/* Of list @n. */
static void take_all(const struct mp_batch *batch, uint32_t n,
		     const struct mp_line_times *times,
		     struct looks looks[KINDS])
{
	const uint32_t lines = mp_steps_timed(batch->exp.steps,
					      batch->exp.n_steps);

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;

		if (s->actor || !s->round || !mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
		    s->payload_count != lines)
			continue;
		for (uint32_t w = 0; w < lines; w++)
			take(times, mp_clock_cycles(batch, (double)word[w] -
						    batch->grant.read_ticks),
			     &looks[(w + n) % KINDS]);
	}
}

static uint32_t judge(const struct mp_line_times *times, uint32_t lines,
		      struct looks looks[KINDS])
{
	const struct looks *far = &looks[FAR], *near = &looks[NEIGHBOUR];

	if (!weigh(times, &looks[FAR]) || !weigh(times, &looks[NEIGHBOUR]))
		return MP_LINE_OPEN;
	if (far->here < (isnan(times->inside) ? SHOWN : SHOWN_MEAN))
		return MP_LINE_UNSURE;
	if (near->here >= THERE * far->here)
		return MP_LINE_NO;
	return near->here <= NONE * far->here &&
	       near->out - far->out >= LOST * far->here &&
	       far->here * lines >= EXPECTED ? MP_LINE_YES : MP_LINE_UNSURE;
}

/* The @i-th replicate that counts, or NULL. */
static const struct mp_batch *find(const struct mp_view *view,
				   const struct mp_exp *exp, uint32_t i)
{
	for (uint32_t b = 0; b < view->n_batches; b++)
		if (mp_batch_counts(view->batch[b]) &&
		    mp_exp_equal(&view->batch[b]->exp, exp) && !i--)
			return view->batch[b];
	return NULL;
}

/* A replicate of both lists. */
static uint32_t hear_one(const struct mp_view *view, const struct mp_exp *exp,
			 const struct mp_line_times *times, uint32_t i)
{
	struct looks looks[KINDS] = { 0 };

	for (uint32_t n = 0; n < LISTS; n++) {
		const struct mp_batch *batch = find(view, &exp[n], i);

		if (!batch)
			return MP_LINE_OPEN;
		take_all(batch, n, times, looks);
	}
	return judge(times, mp_steps_timed(exp->steps, exp->n_steps), looks);
}

/* All of them are to say the same. */
static uint32_t hear(const struct mp_view *view, const struct mp_exp *exp,
		     const struct mp_line_times *times, struct mp_fact *fact,
		     uint32_t *replicates)
{
	uint32_t says = MP_LINE_OPEN, n = 0, one;

	while (n < REPLICATES &&
	       (one = hear_one(view, exp, times, n)) != MP_LINE_OPEN)
		says = n++ && one != says ? MP_LINE_UNSURE : one;
	*replicates = LISTS * n;
	if (n < REPLICATES_MIN)
		return MP_LINE_OPEN;
	for (uint32_t i = 0; i < LISTS && fact; i++)
		mp_fact_note(fact, mp_exp_id(&exp[i]));
	return says;
}

/* Both lists, with one ring. False: that would be too much. */
static bool experiments(const struct mp_view *view,
			const struct mp_line_asked *asked, double bytes,
			uint32_t stride, struct mp_exp exp[LISTS])
{
	for (uint32_t n = 0; n < LISTS; n++)
		if (!experiment(view, asked, bytes, stride, n, &exp[n]))
			return false;
	return true;
}

static int plan_all(const struct mp_exp exp[LISTS], struct mp_plan *plan)
{
	int err = 0;

	for (uint32_t n = 0; n < LISTS && plan && !err; n++)
		err = mp_plan_add(plan, &exp[n], REPLICATES);
	return err;
}

int mp_line_lost(const struct mp_view *view, const struct mp_line_asked *asked,
		 double inside, uint32_t stride, struct mp_plan *plan,
		 struct mp_fact *fact, uint32_t *says, uint32_t *replicates)
{
	struct mp_exp exp[LISTS];
	struct mp_line_times times;

	*says = MP_LINE_OPEN;
	*replicates = 0;
	if (!(inside < asked->size) || !mp_line_times(view, asked, &times))
		return 0;
	for (uint32_t i = 0; i < WALKS; i++) {
		const double bytes = inside * pow(asked->size / inside,
						  between[i]);

		if (!experiments(view, asked, bytes, stride, exp))
			continue;
		if (plan_all(exp, plan))
			return -ENOMEM;
		*says = hear(view, exp, &times, fact, replicates);
		if (*says != MP_LINE_UNSURE)
			return 0;
		if (plan)
			plan->stage++;
	}
	return 0;
}
