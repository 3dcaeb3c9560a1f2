// SPDX-License-Identifier: GPL-2.0
/*
 * Do two neighbours stay and go together? In each round U, some slots, are
 * loaded, then F walks a part of the level; L, their neighbours, are loaded,
 * and G walks as much again: what was not used since U is put out by both,
 * what was used with L is not put out by G alone. Where L lies in the lines of
 * U, loading it keeps U.
 *
 * Of a line that both are part of, no more can be lost than was lost behind F,
 * or is lost behind G of L: more, and they are two lines. And where they are
 * two, as much has to be lost as where L is not loaded, but for what was lost
 * behind F, which a prefetcher may bring back with L: less, and they are one.
 * Neither hangs on how the level replaces; with some it may be that neither
 * shows.
 */
#include "probe/line_together.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "backend.h"
#include "ioctl/memprobe.h"
#include "window.h"

#define PAGE 4096u
/* From one slot of U to the next: no two share a line, and there is room for
 * one that brings back translation. */
#define STRIDE (2 * MP_LINE_MAX)
#define BESIDE MP_LINE_MAX
/* U is small, lest it fill sets by itself. */
#define SLOTS_EACH 1024
#define SLOTS_MIN 8
#define SLOTS_MAX 16
#define HOPS 96u
#define REPLICATES MP_LINE_SURE
#define REPLICATES_MAX 32u
/* What F walks, of what fits: it leaves U there, and both together do not.
 * What is used again and again stays longer with some policies. */
static const double parts[] = { 0.65, 0.55, 0.8, 1.3, 0.45 };
#define PARTS (sizeof(parts) / sizeof(parts[0]))
/* So large a share has to be lost, and so far from what the other answer
 * allows, and so many standard errors. */
#define LOST 0.5
#define CLEAR 0.3
#define SURE 3.0
/* Of hops that hit so many may take longer than the time they are told by. */
#define HITS_ABOVE 0.6
#define TICKS 2048u
/* A ring that is longer than the level, and what it finds in the next one: of
 * what it misses the fastest quarter. Levels further out take longer than that
 * by more. */
#define BEYOND 1.45
#define RING_STRIDE 64u
#define NEXT_PART 0.25
#define NEXT_MOST 1.3
/* A step of the clock, of the time of a hit: the next level takes longer by
 * half as much at least. */
#define STEP_MOST 1.2

/* What is lost of U behind F; of L, and of U, behind G; of U behind G where L
 * is not loaded; and what a ring finds that is longer than the level. Each has
 * an experiment of its own: looking is using. */
enum look { U_EARLY, L_LATE, U_LATE, U_ALONE, RING, HITS, LOOKS };

struct shape {
	uint32_t apart;
	uint32_t slots;
	uint64_t targets_bytes;
	uint64_t fill_bytes;
	uint64_t ring_bytes;
};

static void shape_of(const struct mp_line_first *first, uint32_t apart,
		     double part, struct shape *shape)
{
	const double slots = first->fits_bytes / SLOTS_EACH;

	shape->apart = apart;
	shape->slots = (uint32_t)fmin(fmax(slots, SLOTS_MIN), SLOTS_MAX);
	shape->targets_bytes = (shape->slots * STRIDE + PAGE - 1) / PAGE * PAGE;
	shape->fill_bytes = (uint64_t)(part * first->fits_bytes / MP_LINE_MAX) *
			    MP_LINE_MAX;
	shape->ring_bytes = (uint64_t)(BEYOND * first->fits_bytes / PAGE + 1) *
			    PAGE;
}

/* -- experiments -------------------------------------------------------- */

static struct mp_actor *add(struct mp_exp *exp, uint64_t offset,
			    uint64_t stride, uint64_t slots)
{
	struct mp_actor *actor = &exp->actor[exp->n_actors];

	*actor = exp->actor[0];
	actor->phase = exp->n_actors++;
	actor->offset = offset;
	actor->stride = stride;
	actor->length = slots * stride;
	actor->hops = slots;
	actor->detail = MP_DETAIL_HIST;
	actor->group = 1;
	return actor;
}

/* U, or L behind it. */
static void add_slots(const struct shape *shape, uint32_t behind,
		      uint32_t bursts, struct mp_exp *exp)
{
	add(exp, behind, STRIDE, shape->slots)->bursts = bursts;
}

/* .. and a slot of each of their pages before. */
static void add_look(const struct shape *shape, uint32_t behind,
		     struct mp_exp *exp)
{
	add(exp, BESIDE, PAGE, shape->targets_bytes / PAGE);
	add_slots(shape, behind, 1, exp);
}

static void add_fill(const struct shape *shape, uint32_t n, struct mp_exp *exp)
{
	struct mp_actor *actor =
		add(exp, shape->targets_bytes + PAGE + n * shape->fill_bytes,
		    shape->apart, shape->fill_bytes / shape->apart);

	actor->detail = MP_DETAIL_TOTALS;
}

static void ring(const struct mp_view *view, const struct shape *shape,
		 struct mp_exp *exp)
{
	struct mp_sweep sweep;

	mp_sweep_init(&sweep, view, RING_STRIDE, PAGE);
	mp_sweep_singly(&sweep);
	mp_sweep_exp(&sweep, shape->ring_bytes, exp);
}

static void experiment(const struct mp_view *view, const struct shape *shape,
		       enum look look, struct mp_exp *exp)
{
	if (look == RING) {
		ring(view, shape, exp);
		return;
	}
	mp_exp_chase(exp, view->cpu, view->pages, shape->targets_bytes + PAGE +
		     2 * shape->fill_bytes, shape->apart, 0);
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = HOPS / shape->slots;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].bursts = 1;
	exp->n_actors = 0;
	/* The second burst finds what the first has loaded. */
	add_slots(shape, 0, 2, exp);
	add_fill(shape, 0, exp);
	if (look == U_EARLY)
		add_look(shape, 0, exp);
	if (look != U_ALONE)
		add_slots(shape, shape->apart, 1, exp);
	add_fill(shape, 1, exp);
	add_look(shape, look == L_LATE ? shape->apart : 0, exp);
}

/* -- what they show ----------------------------------------------------- */

/* Hops of each look, by how long they took; what a read of the clock adds to
 * each, and ticks of a cycle, or of a ns where the core clock is not known. */
struct hops {
	uint32_t replicates;
	double read_ticks;
	double per_time;
	uint32_t ticks[LOOKS][TICKS];
	double above[LOOKS][TICKS];
};

/* A share of slots, and its standard error: replicates lie on other pages. */
struct share {
	double mean;
	double error;
};

/* What is lost; of what is lost where L is not loaded, what the next level
 * still has. */
struct lost {
	struct share u_early;
	struct share l_late;
	struct share u_late;
	struct share alone;
	struct share near;
};

/* The fourth actor looks at U behind F; else the last one of all looks. */
static uint32_t look_of(const struct mp_exp *exp, enum look asked,
			const struct memprobe_sample *sample)
{
	const uint32_t looks = asked == U_EARLY ? 3 : exp->n_actors - 1;

	if (sample->actor == looks)
		return asked;
	return !sample->actor && sample->burst ? HITS : LOOKS;
}

static void take(const struct mp_batch *batch, enum look asked,
		 struct hops *hops)
{
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;
		const uint32_t look = look_of(&batch->exp, asked, s);

		if (look == LOOKS || !mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < s->payload_count; w += 2) {
			const uint64_t at = word[w] < TICKS ? word[w] :
							      TICKS - 1;

			hops->ticks[look][at] += (uint32_t)word[w + 1];
		}
	}
}

/* In cycles, or in ns where those are not known, as hops of rings are. */
static double time_of(const struct mp_batch *batch, double ticks)
{
	const double cycles = mp_clock_cycles(batch, ticks);

	return isnan(cycles) ? mp_clock_ns(batch, ticks) : cycles;
}

/* The share of hops that took longer than each time. */
static void sum_up(struct hops *hops)
{
	for (uint32_t look = 0; look < LOOKS; look++) {
		double n = 0;

		for (uint32_t at = TICKS; at-- > 0;) {
			hops->above[look][at] = n;
			n += hops->ticks[look][at];
		}
		for (uint32_t at = 0; at < TICKS; at++)
			hops->above[look][at] /= n;
	}
}

static bool take_all(const struct mp_view *view, const struct shape *shape,
		     struct mp_fact *fact, struct hops *hops)
{
	hops->replicates = UINT32_MAX;
	for (uint32_t look = 0; look < HITS; look++) {
		const struct mp_batch *batch;
		uint32_t n = 0, at = 0;
		struct mp_exp exp;
		uint64_t id;

		experiment(view, shape, look, &exp);
		id = mp_exp_id(&exp);
		while ((batch = mp_view_next(view, id, &at))) {
			if (!mp_batch_counts(batch))
				continue;
			take(batch, look, hops);
			hops->read_ticks = batch->grant.read_ticks;
			hops->per_time = 1 / time_of(batch, 1);
			n++;
		}
		if (n < hops->replicates)
			hops->replicates = n;
		if (n && fact)
			mp_fact_note(fact, id);
	}
	sum_up(hops);
	return hops->replicates > 0;
}

/* Hops of one look of a batch, and those that took longer than @above and no
 * longer than @most. */
static double share_of(const struct mp_batch *batch, enum look look,
		       uint32_t above, uint32_t most)
{
	double all = 0, n = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;

		if (look_of(&batch->exp, look, s) != look ||
		    !mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < s->payload_count; w += 2) {
			all += (double)word[w + 1];
			if (word[w] > above && word[w] <= most)
				n += (double)word[w + 1];
		}
	}
	return n / all;
}

/* .. of all replicates, of what does not hit. */
static struct share shares_of(const struct mp_view *view,
			      const struct shape *shape, enum look look,
			      uint32_t above, uint32_t most,
			      const struct hops *hops)
{
	double hits = hops->above[HITS][above], share[REPLICATES_MAX];
	const struct mp_batch *batch;
	uint32_t n = 0, at = 0;
	struct mp_exp exp;
	uint64_t id;

	if (most < TICKS)
		hits -= hops->above[HITS][most];
	experiment(view, shape, look, &exp);
	id = mp_exp_id(&exp);
	while (n < REPLICATES_MAX && (batch = mp_view_next(view, id, &at))) {
		double one;

		if (!mp_batch_counts(batch))
			continue;
		one = share_of(batch, look, above, most);
		if (!isnan(one))
			share[n++] = (one - hits) / (1 - hits);
	}
	return (struct share){ mp_stat_mean(share, n),
			       n > 1 ? mp_stat_sd(share, n) / sqrt(n) : NAN };
}

/* The time that shows most of what is lost where L is not loaded. */
static uint32_t bar_of(const struct hops *hops)
{
	double best = 0;
	uint32_t bar = 0;

	for (uint32_t at = 0; at + 1 < TICKS; at++) {
		const double hits = hops->above[HITS][at];

		if (hits <= HITS_ABOVE &&
		    hops->above[U_ALONE][at] - hits > best) {
			best = hops->above[U_ALONE][at] - hits;
			bar = at;
		}
	}
	return bar;
}

/* What takes longer is further out than the next level; or, where L is found
 * after U was loaded from memory, than the first level that fetches both. */
static uint32_t next_most(const struct hops *hops, double both, uint32_t bar)
{
	const double *above = hops->above[RING];
	uint32_t at = bar;
	double most;

	while (at + 1 < TICKS && above[at] > (1 - NEXT_PART) * above[bar])
		at++;
	most = fmax(at - hops->read_ticks, 0);
	if (!isnan(both))
		most = fmin(most, both * hops->per_time);
	return (uint32_t)ceil(hops->read_ticks + NEXT_MOST * most);
}

static void lost_of(const struct mp_view *view, const struct shape *shape,
		    double both, const struct hops *hops, struct lost *lost)
{
	const uint32_t bar = bar_of(hops), most = next_most(hops, both, bar);

	lost->u_early = shares_of(view, shape, U_EARLY, bar, UINT32_MAX, hops);
	lost->l_late = shares_of(view, shape, L_LATE, bar, UINT32_MAX, hops);
	lost->u_late = shares_of(view, shape, U_LATE, bar, UINT32_MAX, hops);
	lost->alone = shares_of(view, shape, U_ALONE, bar, UINT32_MAX, hops);
	lost->near = shares_of(view, shape, U_ALONE, bar, most, hops);
}

/* So far from what the other answer allows. */
static double clear_of(const struct share *a, const struct share *b,
		       const struct share *c)
{
	return CLEAR + SURE * sqrt(a->error * a->error + b->error * b->error +
				   c->error * c->error);
}

static uint32_t judge(const struct lost *lost, double both)
{
	static const struct share none;
	const struct share *back = isnan(both) ? &lost->u_early : &none;
	const double two = lost->near.mean - back->mean;
	const double one = lost->u_early.mean + lost->l_late.mean;

	if (!(lost->alone.mean >= LOST))
		return MP_LINE_UNSURE;
	if (lost->u_late.mean >= one + clear_of(&lost->u_late, &lost->u_early,
						&lost->l_late))
		return MP_LINE_NO;
	return lost->u_late.mean <= two - clear_of(&lost->u_late, &lost->near,
						   back) ?
	       MP_LINE_YES : MP_LINE_UNSURE;
}

static int plan_all(const struct mp_view *view, const struct shape *shape,
		    struct mp_plan *plan)
{
	struct mp_exp exp;
	int err = 0;

	for (uint32_t look = 0; look < HITS && !err; look++) {
		experiment(view, shape, look, &exp);
		err = mp_plan_add(plan, &exp, REPLICATES);
	}
	return err;
}

/* One length of F. */
static int try(const struct mp_view *view, const struct shape *shape,
	       double both, struct mp_plan *plan, struct mp_fact *fact,
	       uint32_t *says, uint32_t *replicates)
{
	struct hops *hops = calloc(1, sizeof(*hops));
	struct lost lost;
	int err = plan ? plan_all(view, shape, plan) : 0;

	*says = MP_LINE_OPEN;
	if (!hops)
		return -ENOMEM;
	if (!err && take_all(view, shape, fact, hops)) {
		lost_of(view, shape, both, hops, &lost);
		*says = judge(&lost, both);
		*replicates = hops->replicates;
	}
	free(hops);
	return err;
}

static int together(const struct mp_view *view,
		    const struct mp_line_first *first, uint32_t apart,
		    double both, struct mp_plan *plan, struct mp_fact *fact,
		    uint32_t *says, uint32_t *replicates)
{
	int err = 0;

	*says = MP_LINE_UNSURE;
	for (uint32_t i = 0; i < PARTS && *says == MP_LINE_UNSURE && !err;
	     i++) {
		struct shape shape;

		shape_of(first, apart, parts[i], &shape);
		err = try(view, &shape, both, plan, fact, says, replicates);
		if (plan)
			plan->stage++;
	}
	return err;
}

/* Steps of the clock are to tell hits from what the next level has. */
static bool is_fine(const struct mp_view *view,
		    const struct mp_line_first *first)
{
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (!batch->error && batch->grant.tick_hz > 0)
			return time_of(batch, (double)batch->grant.tick_step) <=
			       STEP_MOST * first->latency;
	}
	return false;
}

/* How long a neighbour takes when the other one was loaded, where that does not
 * bring it into the first level; NaN where it may. */
static double found_at(const struct mp_line_first *first,
		       const struct mp_line_along *along, uint32_t apart)
{
	uint32_t i = 0;

	while (MP_LINE_ALONG_FROM << i < apart)
		i++;
	if (!along->replicates || along->comes[i] != MP_LINE_NO)
		return NAN;
	return first->latency + along->later[i];
}

int mp_line_narrow(const struct mp_view *view,
		   const struct mp_line_first *first,
		   const struct mp_line_along *along, struct mp_plan *plan,
		   struct mp_fact *fact, struct mp_line_between *between)
{
	if (!(view->caps & MP_CAP_PHASES) || !is_fine(view, first))
		return 0;
	while (between->least < between->most) {
		const uint32_t apart = between->least;
		uint32_t says, replicates = 0;
		int err;

		err = together(view, first, apart,
			       found_at(first, along, apart), plan, fact,
			       &says, &replicates);
		if (err || (says != MP_LINE_YES && says != MP_LINE_NO))
			return err;
		if (!between->replicates || replicates < between->replicates)
			between->replicates = replicates;
		if (says == MP_LINE_YES)
			between->least = 2 * apart;
		else
			between->most = apart;
	}
	return 0;
}
