// SPDX-License-Identifier: GPL-2.0
/*
 * Probe tlb: how many pages of 4 KiB does each level of the TLB know, and
 * what do a hit in its second level and a page walk cost?
 *
 * One line a page, each page's line moved on by one so that they spread
 * over the cache's sets, against as many lines packed together: what is
 * left of the difference is translation.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/stat.h"
#include "backend.h"
#include "probe/cpu.h"

#define PAGE 4096u
/* Where the lines come near a level's capacity, the two rings can differ for
 * other reasons than translation: this much of it on either side. */
#define NEAR_BELOW 0.6
#define NEAR_ABOVE 1.7
#define PAGES_MIN 8.0
#define PAGES_MAX 16384.0
#define GRAIN 4
#define EDGE_GRAIN 24
#define REPLICATES 3u
#define EDGE_REPLICATES 5u
/* Levels are looked for in this many cycles plus the cost, so that a cost
 * of two cycles is a step worth noticing and noise of a tenth is not. */
#define BASE_CYCLES 2.5
#define LEVELS 2
/* The grid has 45 lengths, and each look at an edge adds 20 to 40. */
#define POINTS_MAX 256u
#define PACKED_REACH (32u << 10)
#define MISFIT_MAX 0.2
/* A level of the TLB misses all but this share; and how far beyond that the
 * cost of a walk is looked at. */
#define ALL_MISS 0.985
#define WALK_SPAN 1.5
/* So many pages show whether there is a second level: the largest known has
 * 4096 entries. */
#define FAR 8000.0
/* Walks that cost so much more this far beyond an edge than that far, times
 * its size, go on growing. */
#define GROWN 1.15
#define GROWN_FROM 1.5
#define GROWN_TO 2.1
/* So do those that cost so much more at the end than where, by the pages
 * before the rise, nearly all miss: that a few hit there makes less. */
#define GROWN_MUCH 2.0
/* A cost that is no longer that of a hit, as a factor of it. */
#define RISEN 1.5
/* Neighbouring lengths further apart leave a hole (the grid is 1.19). */
#define HOLE 1.3
/* .. and one so wide could hide a level. */
#define HOLE_MAX 1.7
/* Limits of a cost further apart than this share of it tell nothing. */
#define UNCLEAR 0.2
#define CLEAR_MAX 1.6
/* A fit sees so much above an edge: further out, lines of that many pages
 * begin to crowd the caches. */
#define FIT_ABOVE 2.3
#define FIT_ABOVE_INNER 5.0
/* A hit is best seen where the lines themselves hit the innermost cache,
 * sparsely filled; as long as so many page counts are left. */
#define INNERMOST_FILL 0.6
#define INNERMOST_POINTS 3u

/* The cost of translation against pages, and the steps in it. */
struct costs {
	struct mp_curve pages;
	struct mp_curve packed;
	uint32_t n;
	struct mp_edge_point point[POINTS_MAX];
	double packed_error[POINTS_MAX];	/* of the mean taken off */
	uint32_t n_levels;
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_edge edge[LEVELS];
	bool fitted[LEVELS];
};

static uint32_t line_of(const struct mp_view *view)
{
	double line = mp_cpu_value(view, "l1d", "line");

	return isnan(line) ? MP_CPU_LINE_USUAL : (uint32_t)line;
}

static void sweeps(const struct mp_view *view, struct mp_sweep *pages,
		   struct mp_sweep *packed)
{
	mp_sweep_init(pages, view, PAGE, 0);
	pages->pages = MP_PAGES_4K;
	pages->skew = line_of(view);
	*packed = *pages;
	packed->stride = line_of(view);
	packed->skew = 0;
	/* A few pages at a time, so that the control pays no translation. */
	packed->reach = PACKED_REACH;
}

static int plan_pages(const struct mp_view *view, double pages,
		      uint32_t replicates, struct mp_plan *plan)
{
	struct mp_sweep spread, packed;
	uint64_t n = (uint64_t)pages;
	int err;

	sweeps(view, &spread, &packed);
	err = mp_sweep_plan(&spread, view, n * PAGE, replicates, plan);
	return err ? err : mp_sweep_plan(&packed, view, n * packed.stride,
					 replicates, plan);
}

static int plan_range(const struct mp_view *view, double low, double high,
		      uint32_t grain, uint32_t replicates,
		      struct mp_plan *plan)
{
	int err = 0;

	for (double k = ceil(log2(low) * grain);
	     k <= floor(log2(high) * grain) && !err; k++)
		err = plan_pages(view, round(exp2(k / grain)), replicates,
				 plan);
	return err;
}

static void costs_free(struct costs *costs)
{
	mp_curve_free(&costs->pages);
	mp_curve_free(&costs->packed);
	free(costs);
}

static bool near_capacity(const struct mp_view *view, double bytes)
{
	double ways = mp_cpu_value(view, mp_cpu_level_name[0], "ways");
	double size = mp_cpu_value(view, mp_cpu_level_name[0], "size");

	/* The innermost level is mostly indexed within the page, where it
	 * makes no difference. */
	for (uint32_t k = size > ways * PAGE ? 0 : 1; k < MP_CPU_LEVELS; k++) {
		size = mp_cpu_value(view, mp_cpu_level_name[k], "size");
		if (bytes > size * NEAR_BELOW && bytes < size * NEAR_ABOVE)
			return true;
	}
	return false;
}

static void costs_points(const struct mp_view *view, struct costs *costs,
			 uint32_t line)
{
	for (uint32_t i = 0; i < costs->pages.n; i++) {
		const struct mp_curve_at *at = &costs->pages.at[i];
		uint64_t pages = at->length / PAGE;
		struct mp_edge_point *p;
		const struct mp_curve_at *packed;
		double mean, sd;

		packed = mp_curve_find(&costs->packed, pages * line);
		if (!packed || costs->n == POINTS_MAX ||
		    near_capacity(view, (double)(pages * line)))
			continue;
		p = &costs->point[costs->n];
		p->x = (double)pages;
		p->n = at->n < MP_EDGE_PASSES ? at->n : MP_EDGE_PASSES;
		/* Placement decides how many of the packed lines miss: the
		 * mean is what the spread ones, which average over many
		 * pages, are like. */
		mean = mp_stat_tame(packed->cycles, packed->n, &sd);
		costs->packed_error[costs->n] = sd / sqrt(packed->n);
		for (uint32_t k = 0; k < p->n; k++)
			p->y[k] = at->cycles[k] - mean;
		costs->n++;
	}
}

/* Far enough to say that there is no level beyond the last, and with no hole
 * in the curve that it could lie in? */
static bool looked_far(const struct costs *costs)
{
	double from = costs->n_levels ?
		      costs->level[costs->n_levels - 1].size_bytes : 0;

	if (!costs->n || costs->point[costs->n - 1].x < FAR)
		return false;
	for (uint32_t i = 0; i + 1 < costs->n; i++)
		if (costs->point[i + 1].x > from &&
		    costs->point[i + 1].x > costs->point[i].x * HOLE_MAX)
			return false;
	return true;
}

/* Limits reach to the lengths on either side where those lie far apart: an
 * edge in a hole of the curve may be anywhere in it. */
static void widen_to_hole(const struct costs *costs, struct mp_edge *edge)
{
	for (uint32_t i = 0; i + 1 < costs->n; i++) {
		double a = costs->point[i].x, b = costs->point[i + 1].x;

		if (b < a * HOLE || b < edge->low || a > edge->high)
			continue;
		edge->low = fmin(edge->low, a);
		edge->high = fmax(edge->high, b);
	}
}

static int costs_fit(struct costs *costs, const struct mp_miss_table *table,
		     uint32_t k, uint64_t seed)
{
	double size = costs->level[k].size_bytes, low, high;
	struct mp_edge_data *data = calloc(1, sizeof(*data));
	int err;

	if (!data)
		return -ENOMEM;
	low = k ? costs->level[k - 1].size_bytes * 1.3 : size / 6;
	high = k + 1 < costs->n_levels ?
	       fmin(costs->level[k + 1].low_bytes, size * FIT_ABOVE_INNER) :
	       size * FIT_ABOVE;
	/* The pages lie in a row, but a large TLB may hash its sets. */
	data->scatters = k ? MP_EDGE_ANY : MP_EDGE_EVEN;
	data->from = fmax(costs->level[k].low_bytes / 1.3, low);
	data->to = fmin(costs->level[k].high_bytes * 1.3, high);
	for (uint32_t i = 0; i < costs->n; i++)
		if (costs->point[i].x >= low && costs->point[i].x <= high &&
		    data->n < MP_EDGE_POINTS)
			data->point[data->n++] = costs->point[i];
	err = mp_edge_fit(data, table, seed + k, &costs->edge[k]);
	costs->fitted[k] = !err;
	if (!err)
		widen_to_hole(costs, &costs->edge[k]);
	free(data);
	return 0;
}

static int costs_levels(struct costs *costs)
{
	struct mp_curve_point curve[POINTS_MAX];
	int err;

	for (uint32_t i = 0; i < costs->n; i++) {
		double cost = mp_stat_median_of(costs->point[i].y,
						costs->point[i].n);

		curve[i].footprint_bytes = costs->point[i].x;
		curve[i].latency = BASE_CYCLES + fmax(cost, 0);
	}
	if (costs->n < 4)
		return -ENODATA;
	err = mp_levels_find(curve, costs->n, costs->level, MP_CPU_LEVELS,
			     &costs->n_levels);
	/* More steps than a TLB has levels: the inner ones are there. */
	if (err == -ENOSPC) {
		costs->n_levels = MP_CPU_LEVELS;
		err = 0;
	}
	return err;
}

static int costs_find(const struct mp_view *view, struct costs **out)
{
	struct costs *costs = calloc(1, sizeof(*costs));
	const struct mp_miss_table *table = mp_miss_table_get();
	struct mp_sweep spread, packed;
	int err;

	if (!costs)
		return -ENOMEM;
	sweeps(view, &spread, &packed);
	err = mp_sweep_gather(&spread, view, &costs->pages);
	if (!err)
		err = mp_sweep_gather(&packed, view, &costs->packed);
	if (err)
		goto err_memory;
	costs_points(view, costs, (uint32_t)packed.stride);
	err = costs_levels(costs);
	if (err)
		goto err_memory;
	for (uint32_t k = 0; k < costs->n_levels && k < LEVELS && !err; k++)
		err = costs_fit(costs, table, k, view->seed);
	if (err)
		goto err_memory;
	*out = costs;
	return 0;
err_memory:
	costs_free(costs);
	return err;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	double most = fmin(PAGES_MAX, (double)view->arena_max_bytes / PAGE);
	struct costs *costs;
	int err;

	if (view->pages_forced && view->pages != MP_PAGES_4K)
		return 0;
	err = plan_range(view, PAGES_MIN, most, GRAIN, REPLICATES, plan);
	if (err)
		return err;
	err = costs_find(view, &costs);
	if (err)
		return err == -ENODATA ? 1 : err;
	for (uint32_t k = 0; k < costs->n_levels && k < LEVELS && !err; k++)
		err = plan_range(view, costs->level[k].low_bytes / 1.2,
				 costs->level[k].high_bytes * 1.2,
				 costs->level[k].size_bytes < 1000 ?
				 EDGE_GRAIN : EDGE_GRAIN / 2,
				 EDGE_REPLICATES, plan);
	costs_free(costs);
	return err ? err : 1;
}

/* Cost at so many pages or the next more that were tried. */
static double cost_at(const struct costs *costs, double pages)
{
	for (uint32_t i = 0; i < costs->n; i++)
		if (costs->point[i].x >= pages)
			return mp_stat_median_of(costs->point[i].y,
						 costs->point[i].n);
	return NAN;
}

static bool is_clear(const struct costs *costs, uint32_t k)
{
	return costs->fitted[k] && costs->edge[k].misfit <= MISFIT_MAX;
}

/* What is borne out in any case are the pages before the cost begins to rise
 * above that of a hit. */
static double pages_before_rise(const struct costs *costs, uint32_t k)
{
	double plateau = cost_at(costs, costs->edge[k - 1].size * CLEAR_MAX);
	double last = 0;

	for (uint32_t i = 0; i < costs->n; i++) {
		double pages = costs->point[i].x;

		if (cost_at(costs, pages) > plateau * RISEN)
			break;
		last = pages;
	}
	return fmin(last, floor(costs->edge[k].low));
}

/* Where walks cost ever more with more pages, the step has no outside to
 * measure it by .. */
static bool walks_grow(const struct costs *costs, uint32_t k)
{
	double size = costs->edge[k].size;
	double end = costs->point[costs->n - 1].x;

	if (!k || !is_clear(costs, 0))
		return false;
	return cost_at(costs, size * GROWN_TO) >
	       cost_at(costs, size * GROWN_FROM) * GROWN ||
	       cost_at(costs, end) > GROWN_MUCH *
	       cost_at(costs, pages_before_rise(costs, k) * CLEAR_MAX);
}

/* .. nor where it was not looked at. */
static bool far_side_seen(const struct costs *costs, uint32_t k)
{
	return !k || !is_clear(costs, 0) ||
	       costs->point[costs->n - 1].x >= costs->edge[k].size * GROWN_TO;
}

static const char *const entry_name[LEVELS] = { "dtlb", "stlb" };

static void judge_entries(const struct costs *costs, uint32_t k,
			  struct mp_fact *fact)
{
	const struct mp_edge *edge = &costs->edge[k];

	snprintf(fact->method, sizeof(fact->method),
		 "pages of 4 KiB, a line each, from which on a load costs more than from packed lines");
	if (!costs->n_levels) {
		mp_fact_cannot(fact, "entries",
			       "no cost of translation seen up to %.0f pages",
			       costs->point[costs->n - 1].x);
		return;
	}
	if (k >= costs->n_levels && !looked_far(costs)) {
		mp_fact_cannot(fact, "entries",
			       "not looked for closely up to %.0f pages: lines of as many pages come near the capacity of a cache, or measurements are missing",
			       FAR);
		return;
	}
	if (k >= costs->n_levels) {
		fact->verdict = MP_ABSENT;
		snprintf(fact->reason, sizeof(fact->reason),
			 "no second step up to %.0f pages",
			 costs->point[costs->n - 1].x);
		return;
	}
	mp_curve_note(&costs->pages, edge->low * PAGE / 1.2,
		      edge->high * PAGE * 1.2, fact);
	if (!is_clear(costs, k)) {
		mp_fact_cannot(fact, "entries",
			       "too noisy: the step near %.0f pages has no clear shape",
			       costs->level[k].size_bytes);
		return;
	}
	fact->verdict = MP_MEASURED;
	fact->value = mp_stat_round(ceil(edge->low), floor(edge->high),
				    edge->size);
	fact->low = floor(edge->low);
	fact->high = ceil(edge->high);
	if (walks_grow(costs, k)) {
		fact->verdict = MP_AT_LEAST;
		fact->value = fact->low = pages_before_rise(costs, k);
		snprintf(fact->reason, sizeof(fact->reason),
			 "walks cost ever more with more pages, so that the step has no far side; best estimate %.0f",
			 edge->size);
		return;
	}
	if (!far_side_seen(costs, k)) {
		fact->verdict = MP_AT_LEAST;
		fact->value = fact->low = pages_before_rise(costs, k);
		snprintf(fact->reason, sizeof(fact->reason),
			 "too few pages were tried to see all of the step; best estimate %.0f",
			 edge->size);
		return;
	}
	if (edge->high / edge->low > MP_CPU_APART_MAX) {
		fact->verdict = MP_AT_LEAST;
		fact->value = fact->low;
		snprintf(fact->reason, sizeof(fact->reason),
			 "limits lie too far apart to call it measured; best estimate %.0f",
			 edge->size);
	}
}

/* The cost between two page counts: all replicates of all lengths there. */
static void judge_cost(const struct costs *costs, double low, double high,
		       const struct mp_view *view, struct mp_fact *fact)
{
	double value[POINTS_MAX * MP_EDGE_PASSES];
	struct mp_interval limits;
	double error = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < costs->n; i++) {
		if (costs->point[i].x < low || costs->point[i].x > high)
			continue;
		error = fmax(error, costs->packed_error[i]);
		for (uint32_t k = 0; k < costs->point[i].n; k++)
			value[n++] = costs->point[i].y[k];
	}
	if (!n) {
		mp_fact_cannot(fact, "cycles",
			       "no page count shows it alone (%.0f to %.0f pages)",
			       low, high);
		return;
	}
	mp_curve_note(&costs->pages, low * PAGE, high * PAGE, fact);
	mp_stat_limits(value, n, view->seed, &limits);
	fact->verdict = MP_MEASURED;
	fact->value = limits.value;
	fact->low = limits.low * (1 - MP_CPU_CLOCK_ERROR) - 2 * error;
	fact->high = limits.high * (1 + MP_CPU_CLOCK_ERROR) + 2 * error;
	if (fact->high - fact->low > UNCLEAR * limits.value) {
		mp_fact_cannot(fact, "cycles",
			       "between %.0f and %.0f cycles: lines spread over pages and packed ones miss the caches differently here",
			       fact->low, fact->high);
		return;
	}
	snprintf(fact->method, sizeof(fact->method),
		 "cycles beyond packed lines, %.0f to %.0f pages of 4 KiB",
		 low, high);
}

/* So many times its size, and a level misses all but surely. */
static double clear_of(const struct mp_edge *edge)
{
	return fmin(mp_miss_inverse(mp_miss_table_get(), edge->shape,
				    ALL_MISS), CLEAR_MAX);
}

/* Walks that cost ever more: from where all surely walk to the end. */
static void judge_growing(const struct costs *costs, uint32_t k,
			  struct mp_fact *walk)
{
	double from = pages_before_rise(costs, k) * CLEAR_MAX;
	double to = costs->point[costs->n - 1].x;

	walk->low = cost_at(costs, from);
	walk->high = cost_at(costs, to);
	walk->value = cost_at(costs, sqrt(from * to));
	if (!(walk->low > 0 && walk->low < walk->value &&
	      walk->value < walk->high)) {
		mp_fact_cannot(walk, "cycles", "walks cost ever more with more pages, but not steadily so");
		return;
	}
	walk->verdict = MP_VARIES;
	mp_curve_note(&costs->pages, from * PAGE, to * PAGE, walk);
	snprintf(walk->reason, sizeof(walk->reason),
		 "grows from %.0f cycles over %.0f pages to %.0f over %.0f, probably as their tables leave the caches",
		 walk->low, from, walk->high, to);
	snprintf(walk->method, sizeof(walk->method),
		 "cycles beyond packed lines, %.0f to %.0f pages of 4 KiB",
		 from, to);
}

/* The page counts at which the first level misses and the second hits. */
static void judge_hit(const struct costs *costs, const struct mp_view *view,
		      struct mp_fact *hit)
{
	double low = costs->edge[0].size * clear_of(&costs->edge[0]);
	double high = walks_grow(costs, 1) ? pages_before_rise(costs, 1) :
					     costs->edge[1].size * 0.8;
	double inner = INNERMOST_FILL / line_of(view) *
		       mp_cpu_value(view, mp_cpu_level_name[0], "size");
	uint32_t n = 0;

	for (uint32_t i = 0; i < costs->n; i++)
		n += costs->point[i].x >= low && costs->point[i].x <= inner;
	if (n >= INNERMOST_POINTS)
		high = fmin(high, inner);
	judge_cost(costs, low, high, view, hit);
}

static void judge_costs(const struct costs *costs, const struct mp_view *view,
			struct mp_fact *hit, struct mp_fact *walk)
{
	uint32_t last = costs->n_levels < LEVELS ? costs->n_levels : LEVELS;
	double from, clear;

	if (last && !is_clear(costs, last - 1)) {
		mp_fact_cannot(walk, "cycles", "the step in the cost of translation has no clear shape");
		mp_fact_cannot(hit, "cycles", "the step in the cost of translation has no clear shape");
		return;
	}
	if (!last) {
		mp_fact_cannot(walk, "cycles", "no walk seen: the TLB knows every page that was tried");
		mp_fact_cannot(hit, "cycles", "no step in the cost of translation");
		return;
	}
	/* Where the last level misses all, but no further than need be: more
	 * pages put more lines into the caches as well. */
	from = costs->edge[last - 1].size;
	clear = clear_of(&costs->edge[last - 1]);
	if (walks_grow(costs, last - 1))
		judge_growing(costs, last - 1, walk);
	else if (last < LEVELS && !looked_far(costs))
		mp_fact_cannot(walk, "cycles",
			       "one step seen, and not looked far enough to tell a walk from a hit in a second level");
	else
		judge_cost(costs, from * clear, from * clear * WALK_SPAN,
			   view, walk);
	if (last < 2 && looked_far(costs))
		hit->verdict = MP_ABSENT;
	else if (last < 2)
		mp_fact_cannot(hit, "cycles", "no second step was looked for far enough");
	if (last == 2 && is_clear(costs, 0))
		judge_hit(costs, view, hit);
	else if (last == 2)
		mp_fact_cannot(hit, "cycles", "the step of the first level has no clear shape");
}

static int infer_known(const struct mp_view *view, const struct costs *costs,
		       const char *why, struct mp_facts *facts)
{
	struct mp_fact *fact;

	for (uint32_t k = 0; k < LEVELS; k++) {
		fact = mp_cpu_fact(facts, view, entry_name[k], "entries",
				   "entries");
		if (!fact)
			return -ENOMEM;
		if (costs)
			judge_entries(costs, k, fact);
		else
			mp_fact_cannot(fact, "entries", "%s", why);
	}
	if (!mp_cpu_fact(facts, view, "stlb", "hit-cost", "cycles") ||
	    !mp_cpu_fact(facts, view, "walk", "cost", "cycles"))
		return -ENOMEM;
	fact = &facts->fact[facts->n - 2];
	if (costs) {
		judge_costs(costs, view, fact, fact + 1);
		return 0;
	}
	mp_fact_cannot(fact, "cycles", "%s", why);
	mp_fact_cannot(fact + 1, "cycles", "%s", why);
	return 0;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct costs *costs = NULL;
	const char *why = "too few undisturbed measurements";
	int err;

	if (view->pages_forced && view->pages != MP_PAGES_4K)
		return infer_known(view, NULL,
				   "asks for 4 KiB pages, and --pages ruled them out",
				   facts);
	err = costs_find(view, &costs);
	if (err == -ENOMEM)
		return err;
	err = infer_known(view, costs, why, facts);
	if (costs)
		costs_free(costs);
	return err;
}

const struct mp_probe mp_probe_tlb = {
	.name = "tlb",
	.asks = "how many pages does each TLB level know, and what does missing it cost?",
	.after = "line,cache-size,ways",
	.facts = "cpu.dtlb.entries,cpu.stlb.entries,cpu.stlb.hit-cost,cpu.walk.cost",
	.needs = MP_CAP_CHASE | MP_CAP_CORE_CLOCK,
	.weight = 5,
	.quick = false,
	.next = next,
	.infer = infer,
};
