// SPDX-License-Identifier: GPL-2.0
/*
 * What another CPU puts out of a level is held against what this one puts out
 * of it by itself: the first is none of it, or as much of it as is not in the
 * levels inside at that moment.
 */
#include "probe/shared_pair.h"

#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"

/* Replicates, and how many are looked at. */
#define REPLICATES 7u
#define REPLICATES_DEEP 12u
#define REPLICATES_MAX 16u
/* Of what this CPU puts out by itself: a shared level shows more than this, as
 * long as not too much of it may lie inside .. */
#define SHARE 0.25
#define SHOWN_LEAST 0.15
/* .. and another one nothing: less than this, and than this part of the least
 * that a shared one shows. */
#define NOTHING 0.12
#define NOTHING_SHOWN 0.4
/* What this CPU puts out must show: a part of what a hop then takes; and the
 * least of it, by which nothing is nothing, must be no smaller part of it. */
#define SCALE_LEAST 0.2
#define SCALE_APART 0.2
/* Nor is nothing something where it puts out next to none itself, of slots so far apart
 * that they may fall on more sets than they fill: of what a hop then takes to the level
 * outside the least of it is a larger part. */
#define SCALE_PART 0.25
/* Of the ring that is beyond the levels inside by its length alone they serve
 * no more than this. */
#define SERVED_MOST 0.3
/* Of slots that may all lie inside no more hops are seen to: of a page with two and
 * more of them half or fewer walk. */
#define WALKS_MOST 0.1
/* So many hops at least are told to be of the level inside, or of this one. */
#define TOLD_LEAST 0.1
/* A hop that a level further out than the next serves may bring a line, or its
 * neighbour, that so many others then find in the next. */
#define NEIGHBOURS 4.0
/* Of what is walked so many hops come from outside, more than before, when this
 * CPU has swept: where single hops tell, and do not show that, they are not
 * counted. */
#define OUT_LEAST 0.5
/* No load takes so long. */
#define LOST_NS 1500.0

/*
 * The counted replicates of one experiment, ticks a hop: of what is left alone
 * and of what was swept; what of the difference hops make that miss the level
 * outside as well; the share of hops that the level inside serves when nothing
 * was swept, and is known to serve when it was; of hops that come from outside the
 * level by how many more they are when it was, and of those from beyond the level
 * outside. NaN: not known.
 */
struct seen {
	uint32_t n;
	double calm[REPLICATES_MAX];
	double swept[REPLICATES_MAX];
	double past[REPLICATES_MAX];
	double served[REPLICATES_MAX];
	double left[REPLICATES_MAX];
	double out[REPLICATES_MAX];
	double beyond[REPLICATES_MAX];
	double read_ticks;
	double ns_per_tick;
	uint64_t id;
};

/* Single hops of an actor: what they took, how many the level inside served, how
 * many this one and without a walk, how many came from outside the level and how many
 * of those from beyond the next, and what these took more than they would have here. */
struct hops {
	double n;
	double ticks;
	double inside;
	double own;
	double out;
	double beyond;
	double past_ns;
};

const char *const mp_tie_doubt_text[MP_DOUBTS] = {
	[MP_DOUBT_NONE] = "",
	[MP_DOUBT_NOISE] = "replicates lie as far apart as it would show",
	[MP_DOUBT_FLAT] = "what this CPU reads itself does not put out what is walked",
	[MP_DOUBT_LITTLE] = "nothing shows, but what this CPU reads itself puts out little of what is walked",
	[MP_DOUBT_INNER] = "the level inside may serve part of what is walked",
	[MP_DOUBT_CROWD] = "nothing shows, but strangers use the level, and one load may be lost among theirs",
	[MP_DOUBT_BETWEEN] = "hops get slower, but too little for a level that is shared",
	[MP_DOUBT_OUTER] = "the level outside may be what evicts, and what comes back from beyond it is not told from what it serves",
	[MP_DOUBT_PAST] = "what is put out comes back from beyond the level outside, which may be what evicts",
	[MP_DOUBT_BUSY] = "what is walked is gone while the other CPU walks next to nothing, too",
	[MP_DOUBT_ORDER] = "an inner level seems shared and an outer one not",
};

int mp_shared_plan(const struct mp_view *view,
		   const struct mp_shared_level *level, uint32_t other,
		   struct mp_plan *plan)
{
	const uint32_t n = view->depth == MP_DEPTH_DEEP ? REPLICATES_DEEP :
							  REPLICATES;
	struct mp_exp exp;
	int err;

	mp_shared_alone(view, level, &exp);
	err = mp_plan_add(plan, &exp, n);
	if (err)
		return err;
	mp_shared_pair(view, level, other, &exp);
	return mp_plan_add(plan, &exp, n);
}

/* -- what was seen -------------------------------------------------------- */

/* What a hop that the level serves takes at least: where that is not known it is
 * slower than those inside. */
static double least_ns(const struct mp_shared_level *level)
{
	return !isnan(level->own_ns) ? level->own_ns :
	       !isnan(level->inner_ns) ? level->inner_ns : 0;
}

static void add_hops(const struct mp_batch *batch,
		     const struct memprobe_sample *sample,
		     const struct mp_shared_level *level, struct hops *hops)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	const double inside = (level->inner_ns + level->own_ns) / 2;
	const double out = (level->own_ns + level->next_ns) / 2;
	const double past = (level->next_ns + level->past_ns) / 2;
	const double step = mp_clock_ns(batch, (double)batch->grant.tick_step);
	const double own = fmin(level->own_ns +
				fmax(level->own_ns - inside, step), out);
	const double least = least_ns(level);

	for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
		const double ticks = (double)word[w];
		const double n = (double)word[w + 1];
		const double ns = mp_clock_ns(batch,
					      ticks - batch->grant.read_ticks);

		if (ns > LOST_NS)
			continue;
		hops->n += n;
		hops->ticks += n * ticks;
		hops->inside += ns < inside ? n : 0;
		hops->own += ns >= inside && ns <= own ? n : 0;
		hops->out += ns > out ? n : 0;
		hops->beyond += ns > past ? n : 0;
		hops->past_ns += ns > past ? n * (ns - least) : 0;
	}
}

/* All rounds but the first; false: too little of it was calm. */
static bool count_hops(const struct mp_batch *batch, uint32_t actor,
		       const struct mp_shared_level *level, struct hops *hops)
{
	const struct mp_actor *who = &batch->exp.actor[actor];
	const double all = (double)(who->hops * who->bursts) *
			   (batch->exp.rounds - 1);

	*hops = (struct hops){ 0 };
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor == actor && sample->round &&
		    mp_sample_calm(sample) &&
		    sample->payload_kind == MEMPROBE_PAYLOAD_HIST)
			add_hops(batch, sample, level, hops);
	}
	return hops->n > all / 2;
}

/* Are single hops told apart by a clock of such steps? */
static bool tells(const struct mp_batch *batch, double near_ns, double far_ns)
{
	return mp_clock_ns(batch, (double)batch->grant.tick_step) <
	       (far_ns - near_ns) / 2;
}

static void note_served(const struct mp_batch *batch,
			const struct mp_shared_level *level,
			const struct hops *calm, const struct hops *swept,
			struct seen *seen)
{
	const double step = level->own_ns - level->inner_ns;
	const double ns = mp_clock_ns(batch, calm->ticks / calm->n -
				      batch->grant.read_ticks);
	const uint32_t i = seen->n;

	seen->served[i] = NAN;
	seen->left[i] = 0;
	if (!(step > 0))
		return;
	if (!tells(batch, level->inner_ns, level->own_ns)) {
		if (!level->sparse)
			seen->served[i] = fmax((level->own_ns - ns) / step, 0);
		return;
	}
	/* What takes longer than the level may be inside, and pay for a walk. */
	if (calm->inside + calm->own < TOLD_LEAST * calm->n)
		return;
	seen->served[i] = calm->inside / (calm->inside + calm->own);
	seen->left[i] = swept->inside / swept->n;
}

/* Ticks that the sweep adds to a hop by what no level but the one outside can
 * have put out. */
static double added_past(const struct mp_batch *batch,
			 const struct mp_shared_level *level,
			 const struct hops *calm, const struct hops *swept)
{
	const double more = swept->past_ns / swept->n -
			    calm->past_ns / calm->n;

	if (!tells(batch, level->next_ns, level->past_ns))
		return NAN;
	return fmax(more, 0) / mp_clock_ns(batch, 1);
}

/* How many more hops the sweep makes come from outside. */
static void note_out(const struct mp_batch *batch,
		     const struct mp_shared_level *level,
		     const struct hops *calm, const struct hops *swept,
		     struct seen *seen)
{
	const uint32_t i = seen->n;

	seen->out[i] = seen->beyond[i] = NAN;
	if (tells(batch, level->own_ns, level->next_ns))
		seen->out[i] = swept->out / swept->n - calm->out / calm->n;
	if (tells(batch, level->next_ns, level->past_ns))
		seen->beyond[i] = fmax(swept->beyond / swept->n -
				       calm->beyond / calm->n, 0);
}

static void note(const struct mp_batch *batch,
		 const struct mp_shared_level *level, struct seen *seen)
{
	struct hops calm, swept;
	const uint32_t i = seen->n;

	if (!count_hops(batch, MP_SHARED_CALM, level, &calm) ||
	    !count_hops(batch, MP_SHARED_SWEPT, level, &swept))
		return;
	seen->calm[i] = calm.ticks / calm.n;
	seen->swept[i] = swept.ticks / swept.n;
	seen->past[i] = added_past(batch, level, &calm, &swept);
	note_served(batch, level, &calm, &swept, seen);
	note_out(batch, level, &calm, &swept, seen);
	seen->read_ticks = batch->grant.read_ticks;
	seen->ns_per_tick = mp_clock_ns(batch, 1);
	seen->n++;
}

static void look(const struct mp_view *view,
		 const struct mp_shared_level *level, const struct mp_exp *exp,
		 struct seen *seen)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	*seen = (struct seen){ .id = mp_exp_id(exp) };
	while ((batch = mp_view_next(view, seen->id, &at))) {
		if (mp_batch_counts(batch) &&
		    mp_exp_equal(&batch->exp, exp) &&
		    seen->n < REPLICATES_MAX)
			note(batch, level, seen);
	}
}

/* -- what it means -------------------------------------------------------- */

/*
 * What this CPU puts out by itself, ticks a hop: between two moments of a
 * replicate; more where what it put out before was not all back by then, as it
 * was where another CPU puts out nothing.
 */
static uint32_t find_scale(const struct mp_view *view, const struct seen *pair,
			   const struct seen *alone, struct mp_interval *scale)
{
	const double swept = mp_stat_median_of(alone->swept, alone->n);
	const double calm = mp_stat_median_of(pair->calm, pair->n);
	double more[REPLICATES_MAX];

	for (uint32_t i = 0; i < alone->n; i++)
		more[i] = alone->swept[i] - alone->calm[i];
	mp_stat_limits(more, alone->n, view->seed, scale);
	scale->value = fmax(scale->value, swept - calm);
	if (!(scale->value > SCALE_LEAST * (swept - alone->read_ticks)))
		return MP_DOUBT_FLAT;
	return scale->low > SCALE_APART * scale->value ? MP_DOUBT_NONE :
							 MP_DOUBT_NOISE;
}

/* NaN where any is. */
static double middle(const double *value, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (isnan(value[i]))
			return NAN;
	return mp_stat_median_of(value, n);
}

/*
 * So much of that another CPU puts out at least, if it shares the level: not
 * what levels inside hold in its place. And they serve some hops, of which only
 * this CPU's own sweep takes any: but for those whose line was fetched along
 * with another, which they serve in any case.
 */
static double shown(const struct mp_shared_level *level,
		    const struct seen *pair, const struct seen *alone,
		    double scale)
{
	const double gain = (level->own_ns - level->inner_ns) /
			    pair->ns_per_tick;
	const double left = middle(alone->left, alone->n);
	const double inside = middle(pair->served, pair->n);
	const double lost = inside - left;
	const double served = lost > 0 ? lost : isnan(lost) ? NAN : 0;

	if (!level->inner_ns)
		return 1;
	/* They may lie inside, all that walk and look like this level's with them. */
	if (level->sparse &&
	    (inside > WALKS_MOST || level->stride >= MP_SHARED_PAGE))
		return 0;
	if (isnan(served) || isnan(gain))
		return (1 - level->inner) *
		       (level->apart && !level->sparse ? 1 - 2 * SERVED_MOST : 0);
	return (1 - level->inner) * fmax(1 - left - served, 0) *
	       fmax(scale - served * gain, 0) / scale;
}

/* Is there a level outside, which may put out of this one what it puts out
 * itself, and is that not seen? */
static bool is_outer(const struct mp_shared_level *level,
		     const struct seen *pair)
{
	return !level->outermost &&
	       isnan(mp_stat_median_of(pair->past, pair->n));
}

/* Beside another CPU that is to leave it alone, is what is walked no more where
 * it is when this CPU has the level to itself? Then nothing is left to put out. */
static bool is_gone(const struct seen *pair, const struct seen *alone,
		    const struct mp_interval *scale)
{
	const double before = mp_stat_median_of(alone->calm, alone->n);

	return mp_stat_median_of(pair->calm, pair->n) - before >
	       SHARE * scale->value;
}

/* Nothing shows. Does that mean that there is nothing? */
static uint32_t judge_none(const struct mp_shared_level *level,
			   const struct seen *pair, const struct seen *alone,
			   const struct mp_interval *scale,
			   const struct mp_interval *limits)
{
	const double least = shown(level, pair, alone, scale->low);
	const double high = limits->high * scale->value / scale->low;
	const double whole = (level->next_ns - level->own_ns) /
			     pair->ns_per_tick;

	if (level->moves)
		return MP_DOUBT_CROWD;
	if (level->thin && scale->low < SCALE_PART * whole)
		return MP_DOUBT_LITTLE;
	if (is_gone(pair, alone, scale))
		return MP_DOUBT_BUSY;
	if (high >= NOTHING)
		return MP_DOUBT_NOISE;
	return least > SHOWN_LEAST && high < NOTHING_SHOWN * least ?
	       MP_DOUBT_NONE : MP_DOUBT_INNER;
}

/*
 * What another CPU puts out may come back from the next level, and what this one
 * does from beyond that: little of the time, and yet as many hops. So where single
 * hops tell they are counted: those that come from outside the level, and those of
 * them that no level but this one can have put out.
 */
static bool count_out(const struct mp_view *view, const struct seen *pair,
		      const struct seen *alone, struct mp_interval *all,
		      struct mp_interval *by_level)
{
	const double most = mp_stat_median_of(alone->out, alone->n);
	double share[REPLICATES_MAX], own[REPLICATES_MAX];

	if (!(most > OUT_LEAST))
		return false;
	for (uint32_t i = 0; i < pair->n; i++) {
		const double beyond = isnan(pair->beyond[i]) ? 0 :
				      pair->beyond[i];

		if (isnan(pair->out[i]))
			return false;
		share[i] = pair->out[i] / most;
		own[i] = share[i] - (1 + NEIGHBOURS) * beyond / most;
	}
	mp_stat_limits(share, pair->n, view->seed, all);
	mp_stat_limits(own, pair->n, view->seed, by_level);
	return true;
}

static uint32_t judge(const struct mp_view *view,
		      const struct mp_shared_level *level,
		      const struct seen *pair, const struct seen *alone,
		      uint32_t *doubt)
{
	double share[REPLICATES_MAX], own[REPLICATES_MAX];
	struct mp_interval scale, limits, by_level, out, out_by_level;
	bool counted, shows;

	*doubt = find_scale(view, pair, alone, &scale);
	if (*doubt)
		return MP_TIE_UNCLEAR;
	for (uint32_t i = 0; i < pair->n; i++) {
		const double past = isnan(pair->past[i]) ? 0 : pair->past[i];

		share[i] = (pair->swept[i] - pair->calm[i]) / scale.value;
		own[i] = share[i] - (1 + NEIGHBOURS) * past / scale.value;
	}
	mp_stat_limits(share, pair->n, view->seed, &limits);
	mp_stat_limits(own, pair->n, view->seed, &by_level);
	counted = count_out(view, pair, alone, &out, &out_by_level);
	shows = by_level.low > SHARE || (counted && out_by_level.low > SHARE);
	if (shows && !is_outer(level, pair))
		return MP_TIE_SHARED;
	*doubt = shows ? MP_DOUBT_OUTER : MP_DOUBT_PAST;
	if (shows || limits.low > SHARE)
		return MP_TIE_UNCLEAR;
	if (limits.high < NOTHING && limits.low > -SHARE &&
	    !(counted && out.high >= NOTHING)) {
		*doubt = judge_none(level, pair, alone, &scale,
				    &limits);
		return *doubt ? MP_TIE_UNCLEAR : MP_TIE_PRIVATE;
	}
	*doubt = limits.high - limits.low > SHARE ? MP_DOUBT_NOISE :
						    MP_DOUBT_BETWEEN;
	return MP_TIE_UNCLEAR;
}

uint32_t mp_shared_judge(const struct mp_view *view,
			 const struct mp_shared_level *level, uint32_t other,
			 uint32_t *doubt, struct mp_fact *fact)
{
	struct seen pair, alone;
	struct mp_exp exp;

	*doubt = MP_DOUBT_NONE;
	mp_shared_alone(view, level, &exp);
	look(view, level, &exp, &alone);
	mp_shared_pair(view, level, other, &exp);
	look(view, level, &exp, &pair);
	if (alone.n < MP_SHARED_LEAST || pair.n < MP_SHARED_LEAST)
		return MP_TIE_NOT_ASKED;
	if (fact) {
		mp_fact_note(fact, alone.id);
		mp_fact_note(fact, pair.id);
	}
	return judge(view, level, &pair, &alone, doubt);
}
