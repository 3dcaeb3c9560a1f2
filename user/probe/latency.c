// SPDX-License-Identifier: GPL-2.0
/*
 * Probe latency: how long does a dependent load take, by footprint, and
 * what is the latency of each level?
 *
 * The curve is that of probe cache-size. A level's latency is read where
 * its inner neighbour misses and it hits itself as nearly as the two edges
 * allow; what the edges' shapes say of the rest is taken out.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "backend.h"
#include "probe/cpu_after.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_pages.h"
#include "probe/latency_after.h"
#include "probe/latency_series.h"

#define GRAIN 8
#define REPLICATES 7
/* Of the chase that single hops are checked against. */
#define CHECK_REPLICATES 3
/* .. which may be off upwards by more cycles, as translations are in it. */
#define DISPUTE_WALKS 4.0
#define QUICK_REPLICATES 5
/* Other probes may have asked for more of the same; so many are used. */
#define REPLICATES_MAX 64u
/* The innermost level is read well inside, where nothing else counts. */
#define INNERMOST 0.6
#define INNERMOST_MIN 2048.0
/* Further than this from the edge inside, whatever its shape promises; the
 * more, the more room there is. */
#define CLEAR 1.5
#define CLEAR_MAX 3.0
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
#define PURE 0.985
/* .. and where hops are counted one by one, with less than this. */
#define PEAK_MOST 0.75
/* Means with limits further apart are no latency that was measured. */
#define CLOSE 1.05
/* Where two slots share a line of the level inside, which takes five eighths as
 * long as this one at the most, a hop takes less than a slot by itself does by
 * more than this. */
#define ALONE 0.9
/* Rings that differ by less are equally fast. */
#define FASTEST 1.02

/* Shares of a length's hops that level k serves, and its two neighbours. */
struct mixture {
	double inside;
	double own;
	double outside;
};

static void mixture_at(const struct mp_cpu_edges *edges, uint32_t k,
		       double length, struct mixture *mix)
{
	double enter = k ? mp_cpu_miss(edges, k - 1, length) : 1;
	double leave = mp_cpu_miss(edges, k, length);

	mix->inside = 1 - enter;
	mix->own = enter * (1 - leave);
	mix->outside = enter * leave;
}

static bool may_serve(const struct mp_cpu_edges *edges, uint32_t k,
		      double length)
{
	double own = edges->edge[k].size, inner, clear;

	if (!k)
		return length >= INNERMOST_MIN && length <= own * INNERMOST;
	inner = edges->edge[k - 1].size;
	clear = fmin(fmax(sqrt(own / inner), CLEAR), CLEAR_MAX);
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

/* Of the lengths that were measured well, the one that shows it best. The
 * edges have moved a little since the plan was made. */
static const struct mp_curve_at *pure_point(const struct mp_cpu_edges *edges,
					    uint32_t k, uint32_t replicates,
					    double *own)
{
	const struct mp_curve_at *best = NULL;

	*own = -1;
	for (uint32_t i = 0; i < edges->curve.n; i++) {
		const struct mp_curve_at *at = &edges->curve.at[i];
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

/* What the chase without clocks in it says of the same level, NaN = nothing. */
static double check_value(const struct mp_cpu_edges *edges, uint32_t k,
			  bool in_ns)
{
	const struct mp_curve_at *at;
	double own;

	/* Nor where slots of the chase share lines of the level inside. */
	if (!edges->fitted[k] ||
	    (k && (!edges->fitted[k - 1] || edges->width[k - 1])))
		return NAN;
	at = pure_point(edges, k, 1, &own);
	if (!at || own < PURE)
		return NAN;
	return in_ns ? at->mid_ns : at->mid_cycles;
}

/* A load translated anew costs more in a chase that does not tell it apart. */
static bool agrees(double value, double check, double cycle)
{
	return isnan(check) ||
	       (check > value * (1 - MP_LATENCY_DISPUTE) -
			MP_LATENCY_DISPUTE_CYCLES * cycle &&
		check < value * (1 + MP_LATENCY_DISPUTE) + DISPUTE_WALKS * cycle);
}

/*
 * That chase may be faster than the level: two of its slots may share a line of
 * a level inside, or one is fetched along with the other, or an edge inside is
 * not that of its shape. The ring that showed the level's peak, and few other
 * hops, then has a say without clocks as well.
 */
static bool wants_wide(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       double value, struct mp_sweep *sweep)
{
	const double check = check_value(edges, k, false);
	const struct mp_curve_at *at = mp_cpu_peak_point(edges, k);

	mp_cpu_main_sweep(view, sweep);
	if (!k || check > value || agrees(value, check, 1) ||
	    edges->spectrum.share[k] < PEAK_MOST)
		return false;
	sweep->stride = at->batch[0]->exp.actor[0].stride;
	return true;
}

/* What that ring says, NaN where it is not there. */
static double wide_value(const struct mp_view *view,
			 const struct mp_sweep *sweep, uint64_t length,
			 bool in_ns)
{
	const struct mp_curve_at *at;
	struct mp_curve curve;
	double value = NAN;

	if (mp_sweep_gather(sweep, view, &curve))
		return NAN;
	at = mp_curve_find(&curve, length);
	if (at)
		value = in_ns ? at->mid_ns : at->mid_cycles;
	mp_curve_free(&curve);
	return value;
}

static int plan_single(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       uint32_t replicates, struct mp_plan *plan)
{
	const struct mp_curve_at *at = mp_cpu_peak_point(edges, k);
	struct mp_interval limits;
	struct mp_sweep sweep;
	int err;

	if (!edges->single || !at)
		return 0;
	mp_cpu_side_sweep(view, 0, &sweep);
	sweep.stride = at->batch[0]->exp.actor[0].stride;
	err = mp_sweep_plan(&sweep, view, at->length, replicates, plan);
	if (!err && mp_cpu_peak_limits(edges, k, false, &limits) &&
	    wants_wide(view, edges, k, limits.value, &sweep))
		err = mp_sweep_plan(&sweep, view, at->length, CHECK_REPLICATES,
				    plan);
	return err;
}

/* The chase without clocks, and where it is all there is, its pages. */
static int plan_chase(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      uint32_t replicates, struct mp_plan *plan)
{
	const uint64_t length = pure_length(edges, k);
	struct mp_interval limits;
	struct mp_sweep sweep;
	int err;

	mp_cpu_main_sweep(view, &sweep);
	err = mp_sweep_plan(&sweep, view, length,
			    edges->single ? CHECK_REPLICATES : replicates,
			    plan);
	if (err || length <= KNOWN_BYTES ||
	    (edges->single && mp_cpu_peak_limits(edges, k, false, &limits)))
		return err;
	return mp_cpu_pages_plan(view, edges, length, plan);
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	uint32_t n = view->depth == MP_DEPTH_QUICK ? QUICK_REPLICATES :
						     REPLICATES;
	struct mp_cpu_edges edges;
	int err = mp_cpu_edges_find(view, &edges);

	if (err)
		return err == -ENODATA ? 0 : err;
	for (uint32_t k = 0; k < edges.n && !err; k++) {
		err = plan_single(view, &edges, k, n, plan);
		if (!err && edges.fitted[k] && (!k || edges.fitted[k - 1]))
			err = plan_chase(view, &edges, k, n, plan);
		if (!err && k < edges.doubt.level)
			err = mp_cpu_after_alone_plan(view, &edges, k, plan);
	}
	mp_cpu_edges_free(&edges);
	return err ? err : 1;
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
	if (fact->high <= fact->low * CLOSE)
		return false;
	if (pages->most > TRANSLATION)
		mp_fact_cannot(fact, unit,
			       "between %.1f and %.1f: so few slots lie in a page that their translation may be part of it",
			       fact->low, fact->high);
	else if (mix->own < PURE)
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
	const double error = MP_CPU_CLOCK_ERROR + half_step(at);
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

/* @less: what was taken off @check, or nothing. */
static void tell_single(const struct mp_cpu_edges *edges, uint32_t k,
			const struct mp_curve_at *at, double check,
			const char *less, double cycle, struct mp_fact *fact)
{
	mp_fact_note(fact, at->id);
	snprintf(fact->method, sizeof(fact->method), isnan(check) ?
		 "single hops over %.0f KiB, %.0f %% of them of this level; no footprint shows it alone, to check them without clocks in between" :
		 "single hops over %.0f KiB, %.0f %% of them of this level; without clocks in between %.2f %s%s",
		 (double)at->length / 1024, 100 * edges->spectrum.share[k],
		 check, fact->unit, less);
	if (agrees(fact->value, check, cycle))
		return;
	fact->verdict = MP_DISPUTED;
	snprintf(fact->reason, sizeof(fact->reason),
		 "single hops say %.2f, a chase without clocks between its hops %.2f %s%s: more apart than %.0f %%",
		 fact->value, check, fact->unit, less,
		 100 * MP_LATENCY_DISPUTE);
}

static bool set_limits(const struct mp_cpu_edges *edges, uint32_t k,
		       bool in_ns, struct mp_fact *fact)
{
	struct mp_interval limits;

	if (!mp_cpu_peak_limits(edges, k, in_ns, &limits))
		return false;
	fact->verdict = MP_MEASURED;
	fact->value = limits.value;
	fact->low = limits.low;
	fact->high = limits.high;
	return true;
}

/* Do the hops of the peak show it alone, where the clock may read the same of
 * the one beside it? */
static bool is_own(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve_at *at = mp_cpu_peak_point(edges, k);

	for (uint32_t r = 0; at && r < at->n; r++)
		if (!isnan(mp_spectrum_core(at->batch[r], &edges->spectrum, k)) &&
		    !mp_spectrum_is_own(at->batch[r], &edges->spectrum, k))
			return false;
	return true;
}

/* The peak of single hops is the level's, whatever else there is. */
static bool infer_single(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_latency *pair)
{
	const struct mp_curve_at *at = mp_cpu_peak_point(edges, k);
	double cycles = check_value(edges, k, false);
	double ns = check_value(edges, k, true), cycle_ns;
	const char *less = "";
	struct mp_sweep wide;

	if (!set_limits(edges, k, false, pair->cycles) ||
	    !set_limits(edges, k, true, pair->ns))
		return false;
	if (!is_own(edges, k)) {
		mp_latency_cannot(pair, "this level's hops and those of its neighbour are less than two steps of the clock apart, and no footprint shows it alone");
		return true;
	}
	cycle_ns = pair->ns->value / pair->cycles->value;
	if (wants_wide(view, edges, k, pair->cycles->value, &wide) &&
	    !isnan(wide_value(view, &wide, at->length, false))) {
		cycles = mp_cpu_share_apart(at, &edges->spectrum, k, 1,
				wide_value(view, &wide, at->length, false));
		ns = mp_cpu_share_apart(at, &edges->spectrum, k, cycle_ns,
				wide_value(view, &wide, at->length, true));
		less = ", less what hops of other levels take";
	}
	tell_single(edges, k, at, cycles, less, 1, pair->cycles);
	tell_single(edges, k, at, ns, less, cycle_ns, pair->ns);
	mp_cpu_peak_scatter(edges, k, cycle_ns, pair->ns);
	mp_cpu_peak_scatter(edges, k, 1, pair->cycles);
	return true;
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

/* A level that cannot be seen alone is what its edge's fit has inside. */
static void go_by_edge(const struct mp_cpu_edges *edges, uint32_t k,
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

	if (at->length <= KNOWN_BYTES)
		return of;
	/* NaN, where it was not measured, is less than nothing. */
	of.seen = fmax(mp_cpu_pages_cost(view, edges, at->length) * pages, 0);
	of.most = fmax(of.most, of.seen);
	if (stride > USUAL_STRIDE)
		of.most = fmax(of.most, SECOND_CYCLES * pages);
	return of;
}

/* By means, what was in doubt when the sizes were told may be no more, now that
 * more is measured; then levels would have other names than there. */
static bool has_no_name(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_fact *size = mp_cpu_found(view, k, "size");

	return k && !edges->single && size &&
	       size->verdict == MP_NOT_MEASURABLE;
}

/* By rings of means. @inner: cycles, ns of the level inside; gets this one's */
static void infer_rings(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_latency *pair, double inner[2])
{
	const struct mp_curve_at *at;
	struct mp_sweep sweep;
	struct mixture mix;
	struct translation pages;
	double own, ratio, outer;

	mp_cpu_main_sweep(view, &sweep);
	if (k && edges->full &&
	    mp_cpu_shares_lines(view, sweep.stride, k)) {
		mp_latency_cannot(pair, "slots of the ring may share lines of this level, whose line is not known");
		return;
	}
	if (!edges->fitted[k] || (k && !edges->fitted[k - 1])) {
		mp_latency_cannot(pair, "too noisy: the level's edges could not be found");
		return;
	}
	at = pure_point(edges, k, edges->single ? CHECK_REPLICATES :
			mp_cpu_replicates(view), &own);
	if (at && k == edges->doubt.level && !is_held(edges, k, at))
		own = 0;
	if (!at || own < PURE_MIN) {
		go_by_edge(edges, k, inner);
		mp_latency_cannot(pair, at || !pure_length(edges, k) ?
				  "no footprint shows this level without its neighbours" :
				  "too few undisturbed measurements");
		return;
	}
	if (k > 1 && mp_cpu_shares_lines(view, sweep.stride, k - 1) &&
	    !is_alone(edges, k, at)) {
		mp_latency_cannot(pair, "slots of the ring may share lines of the level inside, whose line is not known to be as short");
		return;
	}
	if (k && edges->full && mp_cpu_may_prefetch(view) &&
	    !is_alone(edges, k, at)) {
		mp_latency_cannot(pair, "a ring of every line is faster than one of lines far apart: prefetchers that stay on bring what it comes to next");
		return;
	}
	pages = translation_of(view, edges, sweep.stride, k, at);
	mixture_at(edges, k, (double)at->length, &mix);
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
}

static void infer_level(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_latency *pair, double inner[2])
{
	/* Rings that the innermost one holds tell its latency all the same; so
	 * do those that show one by itself. */
	if (k && (k > edges->doubt.level ||
		  (k == edges->doubt.level && !edges->doubt.behind))) {
		mp_latency_cannot(pair, "whether this level is one or two is not known: see the sizes");
		return;
	}
	/* A level that moves has no peak that stays; means of it vary. */
	if (edges->single && infer_single(view, edges, k, pair))
		return;
	if (has_no_name(view, edges, k)) {
		mp_latency_cannot(pair, "its size could not be measured, and by what was measured since levels may have other names: see the sizes");
		return;
	}
	if (mp_cpu_is_after(edges, k)) {
		go_by_edge(edges, k, inner);
		mp_latency_stairs(view, edges, k, pair);
		return;
	}
	if (k && mp_latency_may_be_brought(view, edges)) {
		go_by_edge(edges, k, inner);
		mp_latency_cannot(pair, "prefetchers that stay on may bring what the ring comes to next, as the innermost level's line is not known, and slots may be no further apart");
		return;
	}
	infer_rings(view, edges, k, pair, inner);
	if (k < edges->doubt.level && pair->ns->verdict != MP_VARIES)
		mp_latency_second(view, edges, k, pair, inner);
}

/* A level that the edges do not hold is absent only if its size is. */
static void pair_beyond(const struct mp_view *view, uint32_t k,
			struct mp_latency *pair)
{
	const struct mp_fact *size = mp_cpu_found(view, k, "size");

	if (size && size->verdict == MP_ABSENT)
		pair->cycles->verdict = pair->ns->verdict = MP_ABSENT;
	else
		mp_latency_cannot(pair, "whether there is such a level is not known");
}

/* A pointer into the list of facts lasts only until the next is added. */
static int pair_add(const struct mp_view *view, struct mp_facts *facts,
		    uint32_t k, struct mp_latency *pair)
{
	const char *name = mp_cpu_level_name[k];

	if (!mp_cpu_fact(facts, view, name, "latency-cycles", "cycles") ||
	    !mp_cpu_fact(facts, view, name, "latency", "ns"))
		return -ENOMEM;
	pair->cycles = &facts->fact[facts->n - 2];
	pair->ns = &facts->fact[facts->n - 1];
	strcpy(pair->cycles->series, "cpu.latency");
	strcpy(pair->ns->series, "cpu.latency");
	return 0;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	double inner[2] = { 0, 0 };
	struct mp_cpu_edges edges;
	int err = mp_cpu_edges_find(view, &edges);

	if (err == -ENOMEM)
		return err;
	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++) {
		struct mp_latency pair;

		if (pair_add(view, facts, k, &pair)) {
			if (!err)
				mp_cpu_edges_free(&edges);
			return -ENOMEM;
		}
		if (err)
			mp_latency_cannot(&pair, "too noisy: no usable latency curve");
		else if (k < edges.n)
			infer_level(view, &edges, k, &pair, inner);
		else
			pair_beyond(view, k, &pair);
	}
	if (err)
		return 0;
	err = mp_latency_series(view, edges.single ? &edges.side[0] : &edges.curve, facts);
	mp_cpu_edges_free(&edges);
	return err;
}

const struct mp_probe mp_probe_latency = {
	.name = "latency",
	.asks = "how long does a dependent load take, by footprint and level?",
	.after = "cache-size",
	.facts = "cpu.l1d.latency,cpu.l1d.latency-cycles,cpu.l2.latency,"
		 "cpu.l2.latency-cycles,cpu.l3.latency,cpu.l3.latency-cycles,"
		 "cpu.l4.latency,cpu.l4.latency-cycles",
	.needs = MP_CAP_CHASE,
	.weight = 3,
	.quick = true,
	.next = next,
	.infer = infer,
};
