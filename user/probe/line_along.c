// SPDX-License-Identifier: GPL-2.0
/*
 * What comes along with a load? A line is flushed, one slot of it loaded and
 * another one timed: a hit of the first level if the two are fetched together.
 * One neighbour a line, and one line a page: nothing is asked twice, and a
 * prefetcher that goes by lines has seen but one. Beside them stand slots that
 * were loaded themselves, timed in the same way, and slots that are nowhere. A
 * short list holds such slots against others that are never flushed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "ioctl/memprobe.h"
#include "perm.h"
#include "probe/line.h"
#include "steps.h"

#define PAGE 4096u
#define SLOT MP_STEPS_SLOT
/* Lines lie at multiples of twice the longest, so that the farthest neighbour
 * shares none of them. */
#define PLACE (2 * MP_LINE_MAX)
/* Any number would do. */
#define SEED 0x616c6f6e67ull
/* Slow memory and slow cores: a list takes up to half a millisecond. */
#define LIST_NS 1000000u
enum kind { NEAR, HIT = MP_LINE_ALONGS, NOWHERE, STAYS, KINDS };
#define TRIALS_MAX (MP_EXP_STEPS / 2)
#define REPLICATES 6u
#define REPLICATES_MIN 4u
#define REPLICATES_MAX 32u
#define BURSTS_MIN 17u
#define BURSTS_MAX 257u
/* Steps that something interrupted are the longest; so many are left out. */
#define KEPT 0.98
/* Nowhere has to take so much longer than a hit. */
#define CONTRAST 1.5
/* The nearest level outside adds so large a share of a hit at least; what
 * takes longer by half of that is none. */
#define OUTSIDE 0.6
#define LATER (OUTSIDE / 2)
/* So many standard errors on either side. */
#define SURE 4.0
/* Steps of the clock are to blur a mean by so small a share of that, where a
 * hit takes as short as this; a list has so many trials of a kind. */
#define FINE 8.0
#define HIT_NS 1.0
#define EACH 20u

struct trials {
	uint32_t n;
	uint8_t kind[TRIALS_MAX];
	struct mp_exp exp;
};

static void step(struct mp_exp *exp, uint32_t at, uint32_t what)
{
	exp->steps[exp->n_steps++] = MEMPROBE_STEP(at / SLOT, what);
}

/*
 * Of the visits to a slot the first two are to its lower half, the others to
 * the upper one: where that is timed it is flushed afterwards, for the next
 * burst, as it may lie in a line of its own.
 */
static void put(struct mp_exp *exp, uint32_t kind, uint32_t at)
{
	const uint32_t apart = MP_LINE_ALONG_FROM << kind;
	const uint32_t timed = kind < HIT && apart >= SLOT ? at + apart : at;

	if (timed != at)
		step(exp, timed, MEMPROBE_STEP_FLUSH);
	step(exp, at, MEMPROBE_STEP_FLUSH);
	if (kind != NOWHERE)
		step(exp, at, MEMPROBE_STEP_TOUCH);
	if (kind == HIT)
		step(exp, at, MEMPROBE_STEP_TOUCH);
	step(exp, timed, MEMPROBE_STEP_TIME);
	if (kind < HIT && apart < SLOT)
		step(exp, timed, MEMPROBE_STEP_FLUSH);
}

static void begin(const struct mp_view *view, uint32_t pages, uint32_t bursts,
		  struct mp_exp *exp)
{
	mp_exp_chase(exp, view->cpu, view->pages, (uint64_t)PAGE * pages,
		     SLOT, 0);
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	exp->window_ns = LIST_NS;
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].bursts = bursts;
}

/*
 * A page, which any first level holds. Slots that are never flushed stay in
 * it, all of them, whatever comes along with what; the others are loaded
 * themselves, as in the long list.
 */
static void lay_out_short(const struct mp_view *view, uint32_t bursts,
			  struct trials *trials)
{
	struct mp_exp *exp = &trials->exp;

	begin(view, 1, bursts, exp);
	trials->n = 0;
	for (uint32_t i = 0; i < PLACE / SLOT * MP_STEPS_VISITS; i++) {
		step(exp, i % (PLACE / SLOT) * SLOT, MEMPROBE_STEP_TIME);
		trials->kind[trials->n++] = STAYS;
	}
	for (uint32_t at = PLACE; at < PAGE; at += PLACE) {
		put(exp, HIT, at);
		trials->kind[trials->n++] = HIT;
	}
}

/* All kinds in turn, as often as their steps fit; which page is whose, and
 * which comes when, is in no order. */
static void lay_out_long(const struct mp_view *view, uint32_t bursts,
			 struct trials *trials)
{
	uint32_t order[TRIALS_MAX], page[TRIALS_MAX], steps;
	struct mp_exp *exp = &trials->exp;
	struct mp_rng rng;

	exp->n_steps = 0;
	for (uint32_t kind = 0; kind < STAYS; kind++)
		put(exp, kind, 0);
	steps = exp->n_steps;
	trials->n = MP_EXP_STEPS / steps * STAYS;
	begin(view, trials->n, bursts, exp);
	mp_rng_seed(&rng, SEED);
	mp_perm_order(order, trials->n, 0, &rng);
	mp_perm_order(page, trials->n, 0, &rng);
	for (uint32_t i = 0; i < trials->n; i++) {
		const uint32_t place = (uint32_t)mp_rng_below(&rng,
							      PAGE / PLACE);

		trials->kind[i] = (uint8_t)(order[i] % STAYS);
		put(exp, trials->kind[i], page[i] * PAGE + place * PLACE);
	}
}

/* In cycles, or in ns where those are not known, as hops of rings are. */
static double time_of(const struct mp_batch *batch, double ticks)
{
	const double cycles = mp_clock_cycles(batch, ticks);

	return isnan(cycles) ? mp_clock_ns(batch, ticks) : cycles;
}

/* The first batch of the run shows the clock, so that it is the same each
 * time. */
static uint32_t bursts_for(const struct mp_view *view)
{
	uint32_t bursts = BURSTS_MIN;
	double steps = 0;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (batch->error || !(batch->grant.tick_hz > 0))
			continue;
		steps = mp_clock_ns(batch, (double)batch->grant.tick_step) *
			FINE / (2 * LATER * HIT_NS);
		break;
	}
	while (bursts < BURSTS_MAX &&
	       (bursts - 1) * REPLICATES * EACH < steps * steps)
		bursts = 2 * bursts - 1;
	return bursts;
}

int mp_line_along_plan(const struct mp_view *view, struct mp_plan *plan)
{
	const uint32_t bursts = bursts_for(view);
	struct trials trials;
	int err;

	lay_out_short(view, bursts, &trials);
	err = mp_plan_add(plan, &trials.exp, REPLICATES);
	lay_out_long(view, bursts, &trials);
	return err ? err : mp_plan_add(plan, &trials.exp, REPLICATES);
}

void mp_line_along_note(const struct mp_view *view, struct mp_fact *fact)
{
	const uint32_t bursts = bursts_for(view);
	struct trials trials;

	lay_out_short(view, bursts, &trials);
	mp_fact_note(fact, mp_exp_id(&trials.exp));
	lay_out_long(view, bursts, &trials);
	mp_fact_note(fact, mp_exp_id(&trials.exp));
}

/**
 * struct means - of each replicate of a list, of each kind
 * @n: replicates
 * @time: the mean
 * @values: in all
 * @step: of the clock
 * @quiet: all prefetchers were off
 */
struct means {
	uint32_t n;
	double time[KINDS][REPLICATES_MAX];
	uint32_t values[KINDS];
	double step;
	bool quiet;
};

static double usual(double *value, uint32_t n)
{
	mp_stat_sort(value, n);
	return mp_stat_mean(value, (size_t)(KEPT * n));
}

/* Each kind's values, in turn: the first burst finds what laying the list
 * has left. */
static uint32_t collect(const struct trials *trials, uint32_t kind,
			const struct mp_batch *batch, double *value)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;

		if (!s->burst || !mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
		    s->payload_count != trials->n)
			continue;
		for (uint32_t t = 0; t < trials->n; t++)
			if (trials->kind[t] == kind)
				value[n++] = (double)word[t];
	}
	return n;
}

static int take(const struct trials *trials, const struct mp_batch *batch,
		struct means *means)
{
	double *value = malloc(((size_t)batch->n_samples * trials->n + 1) *
			       sizeof(*value));
	uint32_t all = 0;

	if (!value)
		return -ENOMEM;
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		const uint32_t n = collect(trials, kind, batch, value);

		means->time[kind][means->n] =
			n ? time_of(batch, usual(value, n)) : NAN;
		means->values[kind] += n;
		all += n;
	}
	free(value);
	means->n += all != 0;
	means->step = time_of(batch, (double)batch->grant.tick_step);
	means->quiet &= (batch->grant.got & MP_GOT_PREFETCH_OFF) != 0;
	return 0;
}

static int take_all(const struct mp_view *view, const struct trials *trials,
		    struct mp_fact *fact, struct means *means)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const uint64_t id = mp_exp_id(&trials->exp);
	int err = 0;

	*means = (struct means){ .quiet = true };
	while (!err && (batch = mp_view_next(view, id, &at))) {
		if (means->n == REPLICATES_MAX || !mp_batch_counts(batch))
			continue;
		err = take(trials, batch, means);
		if (fact)
			mp_fact_note(fact, batch->id);
	}
	return err;
}

/* How much longer a kind takes than a hit, and the standard error of that. */
static double later(const struct means *means, uint32_t kind, double *error)
{
	const uint32_t values = means->values[kind] < means->values[HIT] ?
				means->values[kind] : means->values[HIT];
	double apart[REPLICATES_MAX];

	for (uint32_t r = 0; r < means->n; r++)
		apart[r] = means->time[kind][r] - means->time[HIT][r];
	*error = fmax(mp_stat_sd(apart, means->n) / sqrt(means->n),
		      means->step / 2 / sqrt(values));
	return mp_stat_mean(apart, means->n);
}

/* Slots that were flushed are nowhere, .. */
static bool is_flushed(const struct means *means, double hit_time)
{
	double error;
	const double nowhere = later(means, NOWHERE, &error);

	return nowhere - SURE * error > (CONTRAST - 1) * hit_time;
}

static uint32_t judge(const struct means *means, uint32_t kind, double bar)
{
	double error;
	const double more = later(means, kind, &error);

	if (fabs(more) + SURE * error < bar)
		return MP_LINE_YES;
	return more - SURE * error > bar ? MP_LINE_NO : MP_LINE_UNSURE;
}

int mp_line_along(const struct mp_view *view, double hit_time,
		  struct mp_fact *fact, struct mp_line_along *out)
{
	const uint32_t bursts = bursts_for(view);
	struct means means;
	struct trials trials;
	int err;

	*out = (struct mp_line_along){ .replicates = 0 };
	lay_out_short(view, bursts, &trials);
	err = take_all(view, &trials, fact, &means);
	/* .. and those that were loaded themselves take no longer than those
	 * that stay. */
	if (err || means.n < REPLICATES_MIN ||
	    judge(&means, STAYS, OUTSIDE * hit_time) != MP_LINE_YES)
		return err;
	lay_out_long(view, bursts, &trials);
	err = take_all(view, &trials, fact, &means);
	if (err || means.n < REPLICATES_MIN || !is_flushed(&means, hit_time))
		return err;
	out->replicates = means.n;
	out->quiet = means.quiet;
	for (uint32_t i = 0; i < MP_LINE_ALONGS; i++) {
		out->comes[i] = judge(&means, i, LATER * hit_time);
		out->later[i] = later(&means, i, &out->error[i]);
		out->error[i] *= SURE;
	}
	return 0;
}
