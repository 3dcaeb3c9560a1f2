// SPDX-License-Identifier: GPL-2.0
/*
 * Exclusive, inclusive or neither: rounds of two walks on one CPU.
 *
 * In each round H, a ring that fits the inner level, is walked once, and then
 * R, a ring too long for the outer level, for a few hops: so few that H stays
 * in the inner level. After so many rounds that R has driven the outer level
 * through, Q, a longer stretch of the same ring, puts H out of the inner level,
 * and T, a walk round H, tells where its lines are now. The control does the same
 * without the drive, so that what Q itself does to the outer level, and what
 * a hop costs in either place, is known and not assumed. Before H and T a few
 * loads beside their slots bring back what translation has forgotten of them.
 */
#include "probe/cpu_hot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "probe/cpu_hot_shape.h"

#define REPLICATES 3u
/* Of bursts this share, the slowest, is left out. */
#define SLOW_PART 64u
/* A hop of H takes as long as one in the inner level, but for this share of
 * the way to the level inside that. */
#define TOO_FAST 0.1
/* Of T so much has left the inner level at least; where the outer one is
 * said to have been given it, so much. And so much was not lost by Q. */
#define PUT_OUT 0.5
#define LEFT_MIN 0.8
#define LEFT_MAX 1.3
#define ROOM_MIN 0.3
/* Hops of R are beyond the outer level; most of them. */
#define BEYOND_MIN 0.6
/* Shares of H that are gone: so many are those of an outer level that had
 * them beside the inner one; no more are what Q and noise do. */
#define GONE 0.5
#define NOT_GONE 0.2
/* Hops of two kinds whose mean is that of a third lie so far apart, in all; a
 * part of that is due to translation. */
#define MIXED_PART 0.35
/* Losses of a line for each time the outer level is driven through: no more
 * than this is hot; and so many more than without the drive, and so many
 * times as many, are the outer level's doing. */
#define HOLDS_STILL 0.3
#define LOSES_MORE 0.25
#define LOSES_TIMES 2.0
#define LOSES_MOST 1.8

/* -- what came back --------------------------------------------------------- */

/* Cycles a hop of a burst, or ns where there is no core clock; NaN: none. */
static double hop_of(const struct mp_batch *batch,
		     const struct memprobe_sample *sample)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	double ticks = 0, cycles;

	if (!sample->hops || !mp_sample_calm(sample) ||
	    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
		return NAN;
	for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2)
		ticks += ((double)word[w] - batch->grant.read_ticks) *
			 (double)word[w + 1];
	ticks /= (double)sample->hops;
	cycles = mp_clock_cycles(batch, ticks);
	return isnan(cycles) ? mp_clock_ns(batch, ticks) : cycles;
}

static bool settled(const struct mp_exp *exp, uint32_t actor, uint32_t round);

static void count_slow(const struct mp_batch *batch, uint32_t actor,
		       double bound_cycles, double *slow, double *all)
{
	const double per_tick = mp_clock_cycles(batch, 1);

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != actor || !mp_sample_calm(sample) ||
		    !settled(&batch->exp, actor, sample->round))
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
			const double ticks = (double)word[w] -
					     batch->grant.read_ticks;

			*all += (double)word[w + 1];
			if (ticks * per_tick > bound_cycles)
				*slow += (double)word[w + 1];
		}
	}
}

/* Behind T nothing can have been lost yet. */
static bool settled(const struct mp_exp *exp, uint32_t actor, uint32_t round)
{
	const uint32_t every = exp->actor[MP_CPU_HOT_T].every;

	return actor != MP_CPU_HOT_H || every == 1 || round % every != 0;
}

/* The share of an actor's hops that missed a level, over all replicates. */
static double missed(const struct mp_view *view, uint64_t id, uint32_t actor,
		     const struct mp_spectrum *spectrum, uint32_t k)
{
	double slow = 0, all = 0;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (batch->id == id && mp_batch_counts(batch))
			count_slow(batch, actor, spectrum->bound[k], &slow,
				   &all);
	}
	return slow / all;
}

/* Cycles a hop of an actor, over all replicates. */
static int mean_of(const struct mp_view *view, uint64_t id, uint32_t actor,
		   double *mean, uint32_t *n_batches)
{
	double *value = NULL, *more;
	size_t n = 0, room = 0;

	*n_batches = 0;
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (batch->id != id || !mp_batch_counts(batch))
			continue;
		++*n_batches;
		room += batch->n_samples;
		more = realloc(value, room * sizeof(*value));
		if (!more) {
			free(value);
			return -ENOMEM;
		}
		value = more;
		for (uint32_t s = 0; s < batch->n_samples; s++) {
			const struct memprobe_sample *sample = &batch->sample[s];

			if (sample->actor != actor ||
			    !settled(&batch->exp, actor, sample->round))
				continue;
			value[n] = hop_of(batch, sample);
			n += !isnan(value[n]);
		}
	}
	mp_stat_sort(value, n);
	*mean = mp_stat_mean(value, n - n / SLOW_PART);
	free(value);
	return 0;
}

/* How far single hops of T lie apart beyond what the clock's step does to
 * equal ones: a variance, cycles^2. */
static double spread_of(const struct mp_view *view, uint64_t id,
			double *step_cycles)
{
	double n = 0, sum = 0, squares = 0, step = 0;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];
		const double per_tick = mp_clock_cycles(batch, 1);

		if (batch->id != id || !mp_batch_counts(batch))
			continue;
		step = mp_spectrum_step(batch);
		for (uint32_t s = 0; s < batch->n_samples; s++) {
			const struct memprobe_sample *sample = &batch->sample[s];
			const uint64_t *word = batch->payload +
					       sample->payload_offset;

			if (sample->actor != MP_CPU_HOT_T || !mp_sample_calm(sample))
				continue;
			for (uint32_t w = 0; w + 1 < sample->payload_count;
			     w += 2) {
				const double x = (double)word[w] * per_tick;

				n += (double)word[w + 1];
				sum += (double)word[w + 1] * x;
				squares += (double)word[w + 1] * x * x;
			}
		}
	}
	*step_cycles = step;
	return squares / n - sum / n * (sum / n) - step * step / 4;
}

/* Hops of T that all take as long as one in the outer level: or do some take
 * less and some more? */
static bool is_even(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k, uint64_t id)
{
	const double hit = edges->edge[k].inside;
	const double mixed = (hit - edges->edge[k - 1].inside) *
			     (edges->edge[k].outside - hit);

	double step, spread = spread_of(view, id, &step);

	return spread < MIXED_PART * mixed && step * step / 4 < mixed;
}

static int look(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, const struct mp_cpu_hot_shape *shape, struct mp_cpu_hot *hot,
		double *still_cycles)
{
	const struct {
		uint32_t actor;
		enum mp_cpu_hot_kind kind;
		double *to;
	} want[] = {
		{ MP_CPU_HOT_H, MP_CPU_HOT_CONTROL, &hot->hot_cycles },
		{ MP_CPU_HOT_T, MP_CPU_HOT_CONTROL, &hot->kept_cycles },
		{ MP_CPU_HOT_H, MP_CPU_HOT_DRIVEN, &hot->inner_cycles },
		{ MP_CPU_HOT_T, MP_CPU_HOT_DRIVEN, &hot->driven_cycles },
		{ MP_CPU_HOT_R, MP_CPU_HOT_DRIVEN, &hot->beyond_cycles },
		{ MP_CPU_HOT_H, MP_CPU_HOT_STILL, still_cycles },
	};
	uint32_t least = UINT32_MAX, n;
	struct mp_exp exp;
	int err = 0;

	for (uint32_t i = 0; i < sizeof(want) / sizeof(want[0]) && !err; i++) {
		mp_cpu_hot_exp(view, edges, k, shape, want[i].kind, &exp);
		hot->id[want[i].kind] = mp_exp_id(&exp);
		err = mean_of(view, hot->id[want[i].kind], want[i].actor,
			      want[i].to, &n);
		if (want[i].kind != MP_CPU_HOT_STILL && n < least)
			least = n;
	}
	hot->n = least;
	return err;
}

/* Shares of an edge's jump, not of what lies further out: what was driven
 * out of this level may be found in the next. */
static double beyond(const struct mp_cpu_edges *edges, uint32_t k,
		     const struct mp_cpu_hot *hot)
{
	return fmin(hot->beyond_cycles, edges->edge[k].outside);
}

static bool put_out_by_level(const struct mp_cpu_hot *hot)
{
	return hot->still > -HOLDS_STILL && hot->lost <= LOSES_MOST &&
	       hot->lost - hot->still >= LOSES_MORE &&
	       hot->lost >= LOSES_TIMES * hot->still;
}

static void decide(bool through, struct mp_cpu_hot *hot)
{
	/* Less than nothing: part of H lives further inside, and hides it. */
	const bool is_hot = fabs(hot->leaked) < HOLDS_STILL;

	if (put_out_by_level(hot) && !through) {
		hot->holds = MP_CPU_HOLDS_ALL;
	} else if (hot->gone >= GONE) {
		hot->holds = MP_CPU_HOLDS_NO_OTHERS;
		if (hot->lost < HOLDS_STILL)
			hot->holds = MP_CPU_HOLDS_SOME;
		else
			hot->why = "lines leave the level inside by themselves as often as an inclusive level would put them out";
	} else if (hot->gone <= NOT_GONE && is_hot &&
		   hot->left >= LEFT_MIN && hot->left <= LEFT_MAX) {
		hot->holds = MP_CPU_HOLDS_OTHERS;
	} else {
		hot->why = is_hot ?
			   "part of what was put out of the level inside was found in this one, part was not" :
			   "lines do not stay in the level inside, however often they are used, so this level sees them again and again";
	}
}

/* Does H live further inside than it should? Where the inner level is
 * exclusive of those, it passes their lines on; where it includes them, it has
 * them, too. */
static bool lives_inside(const struct mp_cpu_edges *edges, uint32_t k,
			 const struct mp_cpu_hot *inner,
			 const struct mp_cpu_hot *hot)
{
	const double own = edges->edge[k - 1].inside;

	return k > 1 && inner->holds != MP_CPU_HOLDS_OTHERS &&
	       inner->holds != MP_CPU_HOLDS_ALL &&
	       hot->inner_cycles < own - TOO_FAST *
				   (own - edges->edge[k - 2].inside);
}

/* From mean times: what an average hop has more than one that hits. */
static void weigh_means(const struct mp_cpu_edges *edges, uint32_t k,
			double turns, double still_cycles,
			struct mp_cpu_hot *hot)
{
	const double out = beyond(edges, k, hot);
	const double hit = edges->edge[k].inside;
	const double in = k > 1 ? edges->edge[k - 1].inside :
			  fmin(hot->hot_cycles, edges->edge[0].inside);

	hot->left = (fmin(hot->kept_cycles, hot->driven_cycles) - in) /
		    (hit - in);
	hot->gone = (hot->driven_cycles - hot->kept_cycles) /
		    (out - hot->kept_cycles);
	if (out - hot->kept_cycles < ROOM_MIN * (out - hit))
		hot->gone = NAN;
	hot->leaked = (hot->inner_cycles - in) * turns / (hit - in);
	hot->lost = (hot->inner_cycles - in) * turns / (out - in);
	hot->still = (still_cycles - in) * turns / (hit - in);
}

/* From single hops: how many were served where. */
static void weigh_hops(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       double turns, struct mp_cpu_hot *hot)
{
	const struct mp_spectrum *at = &edges->spectrum;
	const double far = missed(view, hot->id[MP_CPU_HOT_DRIVEN], MP_CPU_HOT_T, at, k);
	const double lost_before = missed(view, hot->id[MP_CPU_HOT_CONTROL], MP_CPU_HOT_T, at, k);

	hot->left = missed(view, hot->id[MP_CPU_HOT_DRIVEN], MP_CPU_HOT_T, at, k - 1);
	hot->gone = (far - lost_before) / (hot->left - lost_before);
	if (hot->left - lost_before < ROOM_MIN)
		hot->gone = NAN;
	hot->leaked = turns * missed(view, hot->id[MP_CPU_HOT_DRIVEN], MP_CPU_HOT_H, at, k - 1);
	hot->lost = turns * missed(view, hot->id[MP_CPU_HOT_DRIVEN], MP_CPU_HOT_H, at, k);
	hot->still = turns * missed(view, hot->id[MP_CPU_HOT_STILL], MP_CPU_HOT_H, at, k - 1);
}

static void weigh(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  uint32_t k, const struct mp_cpu_hot_shape *shape, double still_cycles,
		  struct mp_cpu_hot *hot)
{
	const double hit = edges->edge[k].inside;
	const double jump = edges->edge[k].outside - hit;
	const double turns = edges->edge[k].size / (double)shape->chunk;

	if (!(hot->beyond_cycles > hit + BEYOND_MIN * jump)) {
		hot->why = "a walk through more than this level does not miss it";
		return;
	}
	if (edges->single)
		weigh_hops(view, edges, k, turns, hot);
	else
		weigh_means(edges, k, turns, still_cycles, hot);
	if (!(hot->left > PUT_OUT))
		hot->why = "what is put out of the level inside does not leave it";
	else if (isnan(hot->gone))
		hot->why = "putting lines out of the level inside puts them out of this one";
	else
		decide(shape->through, hot);
	if (!edges->single && hot->holds == MP_CPU_HOLDS_OTHERS &&
	    !(is_even(view, edges, k, hot->id[MP_CPU_HOT_CONTROL]) &&
	      is_even(view, edges, k, hot->id[MP_CPU_HOT_DRIVEN]))) {
		hot->holds = MP_CPU_HOLDS_UNKNOWN;
		hot->why = "the clock is too coarse to tell whether all that was put out of the level inside was found in this one";
	}
}

static int judge_try(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     uint32_t try, const struct mp_cpu_hot *inner,
		     struct mp_cpu_hot *hot)
{
	double still_cycles = NAN;
	struct mp_cpu_hot_shape shape;
	int err;

	memset(hot, 0, sizeof(*hot));
	memset(&shape, 0, sizeof(shape));
	hot->gone = hot->lost = hot->leaked = hot->still = hot->left = NAN;
	hot->why = mp_cpu_hot_shape(view, edges, k, try, &shape);
	if (hot->why)
		return 0;
	err = look(view, edges, k, &shape, hot, &still_cycles);
	if (err)
		return err;
	if (!hot->n)
		hot->why = "no time was left for its walks, or none was left undisturbed";
	else if (lives_inside(edges, k, inner, hot))
		hot->why = "no ring stays in the level inside that is not held further inside, too";
	else
		weigh(view, edges, k, &shape, still_cycles, hot);
	return 0;
}

/* The first try that tells. From the inside outwards, as what is known of a
 * level helps with the next. */
static int judge(const struct mp_view *view, const struct mp_cpu_edges *edges,
		 uint32_t k, uint32_t tries, struct mp_cpu_hot *hot)
{
	struct mp_cpu_hot inner = { 0 }, next;
	int err = 0;

	for (uint32_t i = 1; i <= k && !err; i++) {
		for (uint32_t try = 0; try < tries && !err; try++) {
			err = judge_try(view, edges, i, try, &inner, &next);
			if (!try || next.holds)
				*hot = next;
			if (next.holds)
				break;
		}
		inner = *hot;
	}
	return err;
}

int mp_cpu_hot_judge(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_cpu_hot *hot)
{
	return judge(view, edges, k, MP_CPU_HOT_TRIES, hot);
}

static int plan_try(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k, uint32_t try,
		    struct mp_plan *plan)
{
	struct mp_cpu_hot inner = { 0 }, hot;
	struct mp_cpu_hot_shape shape;
	struct mp_exp exp;
	int err = 0;

	memset(&hot, 0, sizeof(hot));
	memset(&shape, 0, sizeof(shape));
	if (mp_cpu_hot_shape(view, edges, k, try, &shape))
		return 0;
	for (uint32_t kind = MP_CPU_HOT_CONTROL;
	     kind <= MP_CPU_HOT_DRIVEN && !err; kind++) {
		mp_cpu_hot_exp(view, edges, k, &shape, kind, &exp);
		err = mp_plan_add(plan, &exp, REPLICATES);
	}
	if (!err)
		err = judge_try(view, edges, k, try, &inner, &hot);
	/* What makes H leave the inner level? */
	if (err || !hot.n || !mp_cpu_hot_has_still(edges, k) ||
	    !(hot.lost >= LOSES_MORE) || hot.holds == MP_CPU_HOLDS_SOME)
		return err;
	plan->stage++;
	mp_cpu_hot_exp(view, edges, k, &shape, MP_CPU_HOT_STILL, &exp);
	return mp_plan_add(plan, &exp, REPLICATES);
}

int mp_cpu_hot_plan(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k,
		    struct mp_plan *plan)
{
	struct mp_cpu_hot hot;
	int err = 0;

	for (uint32_t try = 0; try < MP_CPU_HOT_TRIES && !err; try++) {
		err = plan_try(view, edges, k, try, plan);
		if (!err)
			err = judge(view, edges, k, try + 1, &hot);
		if (err || hot.holds)
			return err;
		plan->stage++;
	}
	return err;
}
