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

#include "backend.h"
#include "probe/cpu_after.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_size.h"
#include "probe/latency_after.h"
#include "probe/latency_groups.h"
#include "probe/latency_rings.h"
#include "probe/latency_series.h"

#define REPLICATES 7
#define QUICK_REPLICATES 5
/* The chase that single hops are checked against may be off upwards by more
 * cycles, as translations are in it. */
#define DISPUTE_WALKS 4.0
/* A clock of so long steps, as a share of a hop, reads what translation adds as one
 * more of it, or not: then it may take no longer than the chase by more than this. */
#define STEP_LONG 0.15
#define DISPUTE_LONG 0.02
#define DISPUTE_LONG_CYCLES 0.5
/* Where hops are counted one by one, a level with a smaller share of them does
 * not tell its latency by their mean. */
#define PEAK_MOST 0.75

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
	at = mp_latency_pure_point(edges, &edges->curve, k, 1, &own);
	if (!at || own < MP_LATENCY_PURE)
		return NAN;
	return in_ns ? at->mid_ns : at->mid_cycles;
}

/* May single hops take so much longer than those of the chase? */
static double below(double value, double cycle, double step_cycles)
{
	if (step_cycles * cycle > STEP_LONG * value)
		return fmax(value * DISPUTE_LONG, DISPUTE_LONG_CYCLES * cycle);
	return value * MP_LATENCY_DISPUTE + MP_LATENCY_DISPUTE_CYCLES * cycle;
}

/* A load translated anew costs more in a chase that does not tell it apart. */
static bool agrees(double value, double check, double cycle, double step_cycles)
{
	return isnan(check) ||
	       (check > value - below(value, cycle, step_cycles) &&
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
	/* Where steps are long that ring, of few slots a page, pays for translations
	 * as single hops do, and bears out nothing. */
	if (!k || check > value || agrees(value, check, 1, 0) ||
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
		err = mp_sweep_plan(&sweep, view, at->length,
				    MP_LATENCY_CHECK_REPLICATES, plan);
	return err;
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
			err = mp_latency_rings_plan(view, &edges, k, n, plan);
		if (!err && k < edges.doubt.level)
			err = mp_cpu_after_alone_plan(view, &edges, k, plan);
		if (!err)
			err = mp_latency_groups_plan(view, &edges, k, plan);
	}
	mp_cpu_edges_free(&edges);
	return err ? err : 1;
}

/* @less: what was taken off @check, or nothing. */
static void tell_single(const struct mp_view *view, const struct mp_cpu_edges *edges,
			uint32_t k, const struct mp_curve_at *at, double check,
			const char *less, double cycle, struct mp_fact *fact)
{
	mp_fact_note(fact, at->id);
	snprintf(fact->method, sizeof(fact->method), isnan(check) ?
		 "single hops over %.0f KiB, %.0f %% of them of this level; no footprint shows it alone, to check them without clocks in between" :
		 "single hops over %.0f KiB, %.0f %% of them of this level; without clocks in between %.2f %s%s",
		 (double)at->length / 1024, 100 * edges->spectrum.share[k],
		 check, fact->unit, less);
	if (agrees(fact->value, check, cycle, mp_cpu_step(view)))
		return;
	fact->verdict = MP_DISPUTED;
	snprintf(fact->reason, sizeof(fact->reason),
		 "single hops say %.2f, a chase without clocks between its hops %.2f %s%s: more apart than %.0f %%",
		 fact->value, check, fact->unit, less,
		 100 * (check > fact->value ? MP_LATENCY_DISPUTE :
			below(fact->value, cycle, mp_cpu_step(view)) / fact->value));
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
	tell_single(view, edges, k, at, cycles, less, 1, pair->cycles);
	tell_single(view, edges, k, at, ns, less, cycle_ns, pair->ns);
	mp_cpu_peak_scatter(edges, k, cycle_ns, pair->ns);
	mp_cpu_peak_scatter(edges, k, 1, pair->cycles);
	return true;
}

/* By means, what was in doubt when the sizes were told may be no more, now that
 * more is measured; then levels would have other names than there. */
static bool has_no_name(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_fact *size = mp_cpu_found(view, k, "size");

	return k && !edges->single && size &&
	       (size->verdict == MP_NOT_MEASURABLE ||
		size->verdict == MP_ABSENT);
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
	if (mp_cpu_crowded(edges, k) < MP_CPU_LEVELS) {
		mp_latency_cannot(pair, "whether this level is this one or the next is not known: see the sizes");
		return;
	}
	/* A level that moves has no peak that stays; means of it vary. */
	if (edges->single && infer_single(view, edges, k, pair))
		return;
	/* Hops of a group of readings may tell it all the same: mp_latency_groups(). */
	if (k >= edges->contradicted) {
		mp_latency_cannot(pair, "rings of more lines miss the level where sparser ones do not: see the sizes");
		return;
	}
	if (has_no_name(view, edges, k)) {
		mp_latency_cannot(pair, "its size could not be measured, and by what was measured since levels may have other names: see the sizes");
		return;
	}
	if (mp_cpu_is_after(edges, k)) {
		mp_latency_go_by_edge(edges, k, inner);
		mp_latency_stairs(view, edges, k, pair);
		return;
	}
	if (k && mp_latency_may_be_brought(view, edges)) {
		mp_latency_go_by_edge(edges, k, inner);
		mp_latency_cannot(pair, "prefetchers that stay on may bring what the ring comes to next, as the innermost level's line is not known, and slots may be no further apart");
		return;
	}
	mp_latency_rings(view, edges, k, pair, inner);
	if (k < edges->doubt.level && pair->ns->verdict != MP_VARIES)
		mp_latency_second(view, edges, k, pair, inner);
}

static int infer_one(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_latency *pair, double inner[2])
{
	infer_level(view, edges, k, pair, inner);
	return mp_latency_groups(view, edges, k, pair, inner);
}

/* A level that the edges do not hold is absent only if its size is, and if that is
 * still so. */
static void pair_beyond(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_latency *pair)
{
	struct mp_fact now = { .verdict = MP_NOT_MEASURABLE };

	mp_cpu_size_absent(edges, &now);
	if (mp_cpu_is_absent(view, k) && now.verdict == MP_ABSENT)
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
	int err = mp_cpu_edges_find(view, &edges), failed = 0;

	if (err == -ENOMEM)
		return err;
	for (uint32_t k = 0; k < MP_CPU_LEVELS && !failed; k++) {
		struct mp_latency pair;

		if (pair_add(view, facts, k, &pair)) {
			if (!err)
				mp_cpu_edges_free(&edges);
			return -ENOMEM;
		}
		if (err)
			mp_latency_cannot(&pair, "too noisy: no usable latency curve");
		else if (k < edges.n)
			failed = infer_one(view, &edges, k, &pair, inner);
		else
			pair_beyond(view, &edges, k, &pair);
	}
	if (err)
		return 0;
	if (failed) {
		mp_cpu_edges_free(&edges);
		return failed;
	}
	err = mp_latency_series(view, edges.single ? &edges.side[0] : &edges.curve, facts);
	if (!err)
		err = mp_cpu_size_renew_absent(view, &edges, facts);
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
	.renews = "cpu.l2.size,cpu.l3.size,cpu.l4.size",
	.needs = MP_CAP_CHASE,
	.weight = 3,
	.quick = true,
	.next = next,
	.infer = infer,
};
