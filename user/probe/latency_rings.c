// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies by rings that are timed many hops at a time: where single hops
 * cannot be timed, and to check them where they can.
 *
 * A level is read where its inner neighbour misses and it hits itself as nearly
 * as the two edges allow; what the edges' shapes say of the rest is taken out.
 */
#include "probe/latency_rings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "backend.h"
#include "probe/cpu_after.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_pages.h"

#define GRAIN 8
/* Other probes may have asked for more of the same; so many are used. */
#define REPLICATES_MAX 64u
/* The innermost level is read well inside, where nothing else counts. */
#define INNERMOST 0.6
#define INNERMOST_MIN 2048.0
/* Further than this from the edge inside, whatever its shape promises; the
 * more, the more room there is. */
#define CLEAR 1.5
#define CLEAR_MAX 3.0
/* .. of one whose shape is not known: one that throws out any line keeps a quarter
 * of a hundredth of a ring so long. */
#define CLEAR_AFTER 6.0
/* Beyond the first two levels the pages are more than the first TLB knows:
 * a hit in the second each 32 loads, some 7 cycles of 30 and more. Where there
 * is none it is a walk: what a page costs is measured, if it can be. */
#define OUTER 2u
#define TRANSLATION 0.007
/* .. of slots as far apart as usual. What such a hit takes at most, by the
 * published cores, and what every first TLB knows: 8 pages. */
#define USUAL_STRIDE 128u
#define SECOND_CYCLES 14.0
#define PAGE 4096.0
#define KNOWN_BYTES (32u << 10)
/* A share of the hops not worth a longer footprint. */
#define NO_BETTER 1e-3
/* Of ten replicates the slowest four are left out. */
#define SLOW_OF_TEN 4u
/* A latency whose limits lie further apart has moved. */
#define SWAYED 1.3
/* So little of a level seen alone does not tell its latency; with less than this
 * it hangs on the edges' shapes. */
#define PURE_MIN 0.3
/* Where two slots share a line of the level inside, which takes five eighths as
 * long as this one at the most, a hop takes less than a slot by itself does by
 * more than this. */
#define ALONE 0.9
/* Slots that are brought make a ring faster by more than this. */
#define BROUGHT 1.01
/* Rings that differ by less are equally fast. */
#define FASTEST 1.02
/* A ring this much longer than one that shows a level alone takes as long, or misses
 * it; where it takes more by less than this the level inside may have served some. */
#define LONGER 1.2
#define YET_LEAST 1.02
#define YET_MOST 1.08
#define YET_MISS 0.002
/* .. and one that has less of it than this, and takes more than one this much shorter by
 * that much, is not at rest: what the shapes leave to it is not known. */
#define AT_REST 0.985
#define SHORTER 1.05
/* Rings most of whose replicates differ by less than this have nothing of a level that
 * the longer ones come to miss. */
#define LEVEL 1.001

/* Shares of a length's hops that level k serves, and its two neighbours; and what
 * the one inside may serve besides, if it is as large as it may be. */
struct mixture {
	double inside;
	double own;
	double outside;
	double more;
};

static void mixture_at(const struct mp_cpu_edges *edges, uint32_t k,
		       double length, struct mixture *mix)
{
	double enter = k ? mp_cpu_miss(edges, k - 1, length) : 1;
	double leave = mp_cpu_miss(edges, k, length);

	mix->inside = 1 - enter;
	mix->own = enter * (1 - leave);
	mix->outside = enter * leave;
	mix->more = 0;
}

/* An edge whose limits lie far apart is known by one shape of many. */
static void may_have_more(const struct mp_cpu_edges *edges, uint32_t k,
			  double length, struct mixture *mix)
{
	const struct mp_edge *inner = &edges->edge[k - 1];

	if (inner->high > inner->low * MP_CPU_APART_MAX)
		mix->more = fmax(1 - mp_cpu_miss(edges, k - 1, length *
						 inner->size / inner->high) -
				 mix->inside, 0);
}

static bool may_serve(const struct mp_cpu_edges *edges, uint32_t k,
		      double length)
{
	double own = edges->edge[k].size, inner, clear;

	if (!k)
		return length >= INNERMOST_MIN && length <= own * INNERMOST;
	inner = edges->edge[k - 1].size;
	clear = mp_cpu_is_after(edges, k - 1) ? CLEAR_AFTER :
		fmin(fmax(sqrt(own / inner), CLEAR), CLEAR_MAX);
	/* As far as it may reach, whatever its shape promises beyond. */
	return length >= inner * clear && length <= edges->edge[k].low;
}

/* The length of the grid at which level k is seen most nearly alone. */
static uint64_t pure_length(const struct mp_cpu_edges *edges, uint32_t k)
{
	double own = -1;
	uint64_t best = 0;

	for (double e = 0; e < 30 * GRAIN; e++) {
		double length = round(1024 * exp2(e / GRAIN));
		struct mixture mix;

		mixture_at(edges, k, length, &mix);
		/* The shortest that will do: fewer pages to translate. */
		if (may_serve(edges, k, length) && mix.own > own + NO_BETTER) {
			own = mix.own;
			best = (uint64_t)length;
		}
	}
	return best;
}

/* Of a curve's lengths that were measured well, the one that shows it best. The
 * edges have moved a little since the plan was made. */
const struct mp_curve_at *
mp_latency_pure_point(const struct mp_cpu_edges *edges,
		      const struct mp_curve *curve, uint32_t k,
		      uint32_t replicates, double *own)
{
	const struct mp_curve_at *best = NULL;

	*own = -1;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		struct mixture mix;

		mixture_at(edges, k, (double)at->length, &mix);
		if (at->n + at->crowded < replicates ||
		    !may_serve(edges, k, (double)at->length) ||
		    mix.own <= *own + NO_BETTER)
			continue;
		*own = mix.own;
		best = at;
	}
	return best;
}

/* Prefetchers that stay on may bring what a ring of near slots comes to next:
 * less of one whose slots lie far apart. */
static bool may_be_spared(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k)
{
	return k && !edges->single && !edges->full && mp_cpu_may_prefetch(view);
}

/* The chase without clocks, and where it is all there is, its pages. */
int mp_latency_rings_plan(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k,
			  uint32_t replicates, struct mp_plan *plan)
{
	const uint64_t length = pure_length(edges, k);
	struct mp_interval limits;
	struct mp_sweep sweep;
	int err;

	mp_cpu_main_sweep(view, &sweep);
	err = mp_sweep_plan(&sweep, view, length,
			    edges->single ? MP_LATENCY_CHECK_REPLICATES :
					    replicates, plan);
	if (!err && may_be_spared(view, edges, k)) {
		mp_cpu_sparse_sweep(view, &sweep);
		err = mp_sweep_plan(&sweep, view,
				    length - length % sweep.stride, replicates,
				    plan);
	}
	if (err || length <= KNOWN_BYTES ||
	    (edges->single && mp_cpu_peak_limits(edges, k, false, &limits)))
		return err;
	return mp_cpu_pages_plan(view, edges, length, plan);
}

/* Shares of a hop that are translation: at most, and as rings of pages say. */
struct translation {
	double most;
	double seen;
};

/* What half a step of the clock is of a hop: bursts that are read alike may all
 * be off by so much. A share of it. */
static double half_step(const struct mp_curve_at *at)
{
	const struct mp_batch *batch = at->batch[0];
	const double hops = (double)batch->sample[0].hops;

	return mp_clock_ns(batch, (double)batch->grant.tick_step) /
	       (2 * hops * at->mid_ns);
}

/* Are limits too far apart to call it measured? A level that @varies is told
 * as such, unless something else may be why. */
static bool is_wide(const struct mixture *mix, const struct translation *pages,
		    bool varies, const char *unit, struct mp_fact *fact)
{
	if (fact->high <= fact->low * MP_LATENCY_CLOSE)
		return false;
	if (mix->more > 0)
		mp_fact_cannot(fact, unit,
			       "%.1f or more: the edge of the level inside is not known well enough, and it may serve %.0f %% of the hops",
			       fact->low, 100 * (mix->inside + mix->more));
	else if (pages->most > TRANSLATION)
		mp_fact_cannot(fact, unit,
			       "between %.1f and %.1f: so few slots lie in a page that their translation may be part of it",
			       fact->low, fact->high);
	else if (mix->own < MP_LATENCY_PURE)
		mp_fact_cannot(fact, unit,
			       "between %.1f and %.1f: no footprint shows more than %.0f %% of this level without its neighbours",
			       fact->low, fact->high, 100 * mix->own);
	else if (!varies)
		mp_fact_cannot(fact, unit,
			       "between %.1f and %.1f: limits lie too far apart to call it measured",
			       fact->low, fact->high);
	return fact->verdict == MP_NOT_MEASURABLE;
}

/* Replicates with the neighbours' part taken out; @inner is the latency of
 * the level inside, already known. Return: the value, translation and all,
 * even where it makes no fact: the next level goes by it. */
static double settle(const double *value, uint32_t n, const struct mixture *mix,
		   double inner, double outer, const struct translation *pages,
		   uint64_t seed, const struct mp_curve_at *at,
		   const char *unit, struct mp_fact *fact)
{
	struct mp_interval limits, all;
	double own[REPLICATES_MAX], raw = mp_stat_median_of(value, n), moved;
	const double error = MP_CPU_CLOCK_ERROR + half_step(at) +
			     (strcmp(unit, "cycles") ? 0 : mp_curve_clock_off(at));
	const double rest = mix->own - mix->more;
	bool varies;

	n = n < REPLICATES_MAX ? n : REPLICATES_MAX;
	for (uint32_t i = 0; i < n; i++)
		own[i] = (value[i] - mix->inside * inner -
			  mix->outside * outer) / mix->own;
	/* Nothing makes a load faster, and what shares the core comes and
	 * goes: the slowest replicates are those that met it. */
	mp_stat_limits(own, n, seed, &all);
	mp_stat_sort(own, n);
	n -= n * SLOW_OF_TEN / 10;
	mp_stat_limits(own, n, seed, &limits);
	/* The shapes are models: half of what they moved is doubt. */
	moved = fabs(limits.value - raw) / 2;
	fact->verdict = MP_MEASURED;
	/* What was seen of translation is no part of it; the upper limit stays,
	 * as rings of pages may miss more of them than this one does. */
	fact->value = limits.value * (1 - pages->seen);
	fact->low = limits.low * (1 - error - pages->most) - moved;
	fact->high = limits.high * (1 + error) + moved;
	mp_fact_note(fact, at->id);
	varies = fmax(fact->high, all.high) > fact->low * SWAYED;
	fact->high += rest > 0 ? mix->more / rest * fmax(limits.value - inner, 0) :
				 INFINITY;
	if (is_wide(mix, pages, varies, unit, fact))
		return limits.value;
	if (varies) {
		fact->verdict = MP_VARIES;
		fact->high = fmax(fact->high, all.high);
		snprintf(fact->reason, sizeof(fact->reason),
			 "replicates lie far apart: what others do to a shared level while it is measured");
	}
	snprintf(fact->method, sizeof(fact->method),
		 "chase over %.0f KiB, where %.1f %% of the hops end in this level; the rest taken out; the faster %u of %u replicates",
		 (double)at->length / 1024, 100 * mix->own, n, at->n);
	return limits.value;
}

/* Does a level in doubt, of which no shape is known, hold a ring: is none
 * faster? */
static bool is_held(const struct mp_cpu_edges *edges, uint32_t k,
		    const struct mp_curve_at *at)
{
	double least = at->mid_ns;

	for (uint32_t i = 0; i < edges->curve.n; i++)
		least = fmin(least, edges->curve.at[i].mid_ns);
	return (double)at->length <= mp_cpu_held(edges, k) &&
	       at->mid_ns < least * FASTEST;
}

/* Does a ring take as long as one of nearly its length whose slots lie further
 * apart than any line? Then none of its hops finds a line inside that the slot
 * beside it has fetched. */
static bool is_alone(const struct mp_cpu_edges *edges, uint32_t k,
		     const struct mp_curve_at *at)
{
	const struct mp_curve_at *sparse = NULL;
	double nearest = INFINITY;

	for (uint32_t i = 0; i < edges->sparse.n; i++) {
		const struct mp_curve_at *other = &edges->sparse.at[i];
		const double off = fabs(log((double)other->length /
					    (double)at->length));

		if (off < nearest && may_serve(edges, k, (double)other->length)) {
			nearest = off;
			sparse = other;
		}
	}
	return sparse && at->mid_ns > sparse->mid_ns * ALONE;
}

/* Does a longer ring take longer, but hardly as one that misses the level? One inside
 * that keeps some of a ring, whatever its shape promises, keeps less of that. */
static bool rises_yet(const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_curve_at *at)
{
	const struct mp_curve *curve = &edges->curve;

	for (uint32_t i = 0; k && i < curve->n; i++) {
		const struct mp_curve_at *next = &curve->at[i];

		if ((double)next->length < (double)at->length * LONGER)
			continue;
		return (double)next->length <= edges->edge[k].high &&
		       next->mid_ns > at->mid_ns * YET_LEAST &&
		       mp_cpu_miss(edges, k, (double)next->length) < YET_MISS &&
		       next->mid_ns < at->mid_ns * YET_MOST &&
		       mp_curve_apart(next, at, 1);
	}
	return false;
}

/* The next shorter ring beyond the edge inside, or NULL. */
static const struct mp_curve_at *before_it(const struct mp_cpu_edges *edges,
					   uint32_t k,
					   const struct mp_curve_at *at)
{
	const struct mp_curve_at *before = NULL;

	for (uint32_t i = 0; k && i < edges->curve.n; i++)
		if ((double)edges->curve.at[i].length * SHORTER < (double)at->length &&
		    (double)edges->curve.at[i].length > edges->edge[k - 1].high)
			before = &edges->curve.at[i];
	return before;
}

/* Does a shorter ring take less by far? */
static bool is_rising(const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_curve_at *at)
{
	const struct mp_curve_at *before = before_it(edges, k, at);

	return before && at->mid_ns > before->mid_ns * YET_LEAST &&
	       mp_curve_apart(at, before, 1);
}

/* Do most of its replicates take so long? */
static bool most_take(const struct mp_curve_at *at, double ns)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < at->n; r++)
		n += at->ns[r] < ns * LEVEL && at->ns[r] > ns / LEVEL;
	return 2 * n > at->n;
}

/* Does it take as long? Then none of this one's hops goes further out, whatever the
 * shape of the edge there says: of the shorter it would have been fewer. */
static bool is_level(const struct mp_cpu_edges *edges, uint32_t k,
		     const struct mp_curve_at *at)
{
	const struct mp_curve_at *before = before_it(edges, k, at);

	return before && most_take(at, at->mid_ns) && most_take(before, at->mid_ns);
}

void mp_latency_go_by_edge(const struct mp_cpu_edges *edges, uint32_t k,
			   double inner[2])
{
	const struct mp_curve *curve = edges->curve.n ? &edges->curve :
							&edges->side[0];
	const struct mp_curve_at *at = &curve->at[0];
	bool cycles = !isnan(at->mid_cycles);

	inner[0] = edges->edge[k].inside;
	inner[1] = inner[0] * (cycles ? at->mid_ns / at->mid_cycles : 1);
}

/* The share of a hop that may be translation: where lines are long, few slots
 * share a page, and pages are more than the first TLB knows. */
static struct translation translation_of(const struct mp_view *view,
					 const struct mp_cpu_edges *edges,
					 uint64_t stride, uint32_t k,
					 const struct mp_curve_at *at)
{
	struct translation of = { .most = k < OUTER ? 0 : TRANSLATION };
	const double pages = (double)stride / PAGE / mp_curve_middle(at);
	double cost;

	if (at->length <= KNOWN_BYTES)
		return of;
	cost = mp_cpu_pages_cost(view, edges, at->length);
	/* NaN, where it was not measured, is less than nothing. */
	of.seen = fmax(cost * pages, 0);
	of.most = fmax(of.most, of.seen);
	if (stride > USUAL_STRIDE && isnan(cost))
		of.most = fmax(of.most, SECOND_CYCLES * pages);
	return of;
}

/*
 * The ring of slots far apart that shows the level, if it takes longer than the
 * other: that one's hops were brought, some of them. @sweep: gets its sweep
 */
static const struct mp_curve_at *spared(const struct mp_view *view,
					const struct mp_cpu_edges *edges,
					uint32_t k,
					const struct mp_curve_at *at,
					struct mp_sweep *sweep)
{
	const struct mp_curve_at *other;
	struct translation pages;
	struct mp_sweep wide;
	double own;

	if (!may_be_spared(view, edges, k))
		return at;
	mp_cpu_sparse_sweep(view, &wide);
	other = mp_latency_pure_point(edges, &edges->sparse, k,
				      mp_cpu_replicates(view), &own);
	if (!other || own < MP_LATENCY_PURE)
		return at;
	/* It is not for its pages that it takes longer. */
	pages = translation_of(view, edges, wide.stride, k, other);
	if (!(other->mid_ns * (1 - pages.most) > at->mid_ns * BROUGHT))
		return at;
	*sweep = wide;
	return other;
}

static void say_spared(uint64_t stride, struct mp_fact *fact)
{
	const size_t n = strlen(fact->method);

	if (n)
		snprintf(fact->method + n, sizeof(fact->method) - n,
			 "; slots %u bytes apart, as prefetchers bring some of nearer ones",
			 (unsigned int)stride);
}

void mp_latency_rings(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_latency *pair, double inner[2])
{
	const struct mp_curve_at *at;
	struct mp_sweep sweep;
	struct mixture mix;
	struct translation pages;
	double own, ratio, outer;
	uint64_t stride;

	mp_cpu_main_sweep(view, &sweep);
	stride = sweep.stride;
	if (k && edges->full &&
	    mp_cpu_shares_lines(view, sweep.stride, k)) {
		mp_latency_cannot(pair, "slots of the ring may share lines of this level, whose line is not known");
		return;
	}
	if (!edges->fitted[k] || (k && !edges->fitted[k - 1])) {
		mp_latency_cannot(pair, "too noisy: the level's edges could not be found");
		return;
	}
	at = mp_latency_pure_point(edges, &edges->curve, k, edges->single ?
				   MP_LATENCY_CHECK_REPLICATES :
				   mp_cpu_replicates(view), &own);
	if (at && k == edges->doubt.level && !is_held(edges, k, at))
		own = 0;
	if (!at || own < PURE_MIN) {
		mp_latency_go_by_edge(edges, k, inner);
		mp_latency_cannot(pair, at || !pure_length(edges, k) ?
				  "no footprint shows this level without its neighbours" :
				  "too few undisturbed measurements");
		return;
	}
	if (k && mp_cpu_shares_lines(view, sweep.stride, k - 1) &&
	    !is_alone(edges, k, at)) {
		mp_latency_cannot(pair, "slots of the ring may share lines of the level inside, whose line is not known to be as short");
		return;
	}
	if (k && edges->full && mp_cpu_may_prefetch(view) &&
	    !is_alone(edges, k, at)) {
		mp_latency_cannot(pair, "a ring of every line is faster than one of lines far apart: prefetchers that stay on bring what it comes to next");
		return;
	}
	at = spared(view, edges, k, at, &sweep);
	if (sweep.stride == stride && rises_yet(edges, k, at)) {
		mp_latency_go_by_edge(edges, k, inner);
		mp_latency_cannot(pair, "a longer ring takes a little longer yet: the level inside may have kept some of each");
		return;
	}
	pages = translation_of(view, edges, sweep.stride, k, at);
	mixture_at(edges, k, (double)at->length, &mix);
	if (k)
		may_have_more(edges, k, (double)at->length, &mix);
	if (mix.own < AT_REST && sweep.stride == stride && is_rising(edges, k, at)) {
		mp_latency_go_by_edge(edges, k, inner);
		mp_latency_cannot(pair, "no footprint shows this level without its neighbours: the longest that it holds takes longer than a little shorter ones");
		return;
	}
	if (sweep.stride == stride && is_level(edges, k, at)) {
		mix.own += mix.outside;
		mix.outside = 0;
	}
	/* A shape that does not explain the edge takes nothing out of a ring
	 * that the level is seen to hold. */
	if (k == edges->doubt.level)
		mix = (struct mixture){ .own = 1 };
	outer = edges->edge[k].outside;
	ratio = at->mid_ns / at->mid_cycles;
	if (isnan(at->mid_cycles)) {
		/* No core clock: the edges were fitted in ns. */
		ratio = 1;
		mp_fact_cannot(pair->cycles, "cycles",
			       "the core clock is not known");
	} else {
		inner[0] = settle(at->cycles, at->n, &mix, inner[0], outer,
				  &pages, view->seed, at, "cycles",
				  pair->cycles);
	}
	inner[1] = settle(at->ns, at->n, &mix, inner[1], outer * ratio,
			  &pages, view->seed, at, "ns", pair->ns);
	if (sweep.stride != stride) {
		say_spared(sweep.stride, pair->cycles);
		say_spared(sweep.stride, pair->ns);
	}
}
