// SPDX-License-Identifier: GPL-2.0
/*
 * Levels from the times of single hops: a peak of the spectrum is a level,
 * and its capacity is where hops begin to be slower than it. That each level
 * has a curve of its own keeps neighbours from blurring into one.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/hops.h"
#include "analysis/stat.h"
#include "probe/cpu.h"
#include "probe/cpu_after.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_groups.h"
#include "probe/cpu_walks.h"

/* The level's edge is where so many hops have come to miss it. */
#define MISS_EDGE 0.5
/* Of the hops that page walks leave, no more miss where it holds all, so
 * many at its capacity (see analysis/levels.c), and so many beyond. */
#define MISS_NONE 0.05
#define MISS_AT_CAPACITY 0.275
#define MISS_MOST 0.632
/* What misses two octaves below the edge are page walks that take as long as
 * a miss; more than this would be something else. */
#define BASE_FAR 4.0
#define BASE_MAX 0.35

/* So few hops of a replicate that miss the next level are none. */
#define NEXT_NONE 0.02
/* Where more do, nearly none hit here. */
#define NEXT_MOST 0.9

/* A shape that leaves so much of the jump, and so much more than noise, is not
 * that of the level. */
#define UNLIKE 0.02
#define UNLIKE_CHI2 4.0
/* What a ring of which a level loses more than this finds inside is no part of
 * one that fits. */
#define LOST 0.5

/* So few hops that miss are none, and so many are a good part of them, at lengths
 * so near each other. */
#define ONSET_NONE 0.005
#define ONSET_MANY 0.04
#define ONSET_STEP 1.1
/* .. this far inside an edge's lower limit at the most. */
#define ONSET_NEAR 1.3

/* A level has one latency where so many of its hops are at its peak. */
#define PEAK_MOST 0.5

/* Two peaks that have so many of the hops, of lengths so far apart, and share
 * them in parts that differ by less than this: as a ring grows hops go from one
 * level to the next, and not from near parts of one to far ones. */
#define TWINS_SHARE 0.25
#define TWINS_SPAN 4.0
#define TWINS_DIFFER 0.25

/* The share of hops slower than a level, by rising length. */
struct shares {
	uint32_t n;
	double *length;
	double *miss;
};

double mp_cpu_share_of(const struct mp_curve_at *at,
		       const struct mp_spectrum *spectrum, uint32_t k)
{
	double value[MP_EDGE_PASSES];
	uint32_t n = 0;

	for (uint32_t r = 0; r < at->n && n < MP_EDGE_PASSES; r++) {
		value[n] = mp_spectrum_slower(at->batch[r], spectrum, k);
		n += !isnan(value[n]);
	}
	return mp_stat_tame(value, n, NULL);
}

static double base_of(const struct shares *shares, uint32_t edge)
{
	double base = 0;

	for (uint32_t i = 0; i < edge; i++)
		if (shares->length[i] * BASE_FAR <= shares->length[edge])
			base = shares->miss[i];
	return base < BASE_MAX ? base : 0;
}

/* The last length at which the level still serves most hops. */
static uint32_t edge_of(const struct shares *shares)
{
	uint32_t edge = 0;

	for (uint32_t i = 0; i < shares->n; i++)
		if (shares->miss[i] < MISS_EDGE)
			edge = i;
	return edge;
}

static double crossing(const struct shares *shares, uint32_t i, double base,
		       double miss)
{
	double a = (shares->miss[i] - base) / (1 - base), b, part;

	if (i + 1 == shares->n)
		return shares->length[i];
	b = (shares->miss[i + 1] - base) / (1 - base);
	part = b > a ? (miss - a) / (b - a) : 0.5;
	return shares->length[i] *
	       pow(shares->length[i + 1] / shares->length[i],
		   fmin(fmax(part, 0), 1));
}

static void place_level(const struct shares *shares, struct mp_level *level)
{
	uint32_t edge = edge_of(shares), low = edge, high = edge, at = edge;
	double base = base_of(shares, edge), scale = 1 - base;

	while (low && shares->miss[low] - base > MISS_NONE * scale)
		low--;
	while (at && shares->miss[at] - base > MISS_AT_CAPACITY * scale)
		at--;
	while (high + 1 < shares->n &&
	       shares->miss[high] - base < MISS_MOST * scale)
		high++;
	level->low_bytes = shares->length[low];
	level->high_bytes = shares->length[high];
	level->size_bytes = crossing(shares, at, base, MISS_AT_CAPACITY);
}

double mp_cpu_share_apart(const struct mp_curve_at *at,
			  const struct mp_spectrum *spectrum, uint32_t k,
			  double cycle, double mean)
{
	double come = 1, own = 0;

	for (uint32_t i = 0; i < spectrum->n; i++) {
		const double miss = i + 1 < spectrum->n ?
				    mp_cpu_share_of(at, spectrum, i) : 0;

		if (i == k)
			own = come - miss;
		else
			mean -= (come - miss) * spectrum->cycles[i] * cycle;
		come = miss;
	}
	return mean / own;
}

uint32_t mp_cpu_share_muddled(const struct mp_curve *curve,
			      const struct mp_spectrum *spectrum)
{
	for (uint32_t k = 0; k + 1 < spectrum->n && k < MP_CPU_LEVELS; k++)
		if (!mp_cpu_share_comes(curve, spectrum, k))
			return k;
	return MP_CPU_LEVELS;
}

/* Of the hops that peaks @k and the next have of a length, the part of the
 * first; NAN where the two have few. */
static double part_of_first(const struct mp_curve_at *at,
			    const struct mp_spectrum *spectrum, uint32_t k)
{
	const double come = k ? mp_cpu_share_of(at, spectrum, k - 1) : 1;
	const double first = come - mp_cpu_share_of(at, spectrum, k);
	const double both = come - mp_cpu_share_of(at, spectrum, k + 1);

	return both > TWINS_SHARE ? first / both : NAN;
}

/* Do two peaks share their hops alike, however long the ring? */
static bool are_twins(const struct mp_curve *curve,
		      const struct mp_spectrum *spectrum, uint32_t k)
{
	double least = INFINITY, most = 0, from = 0, to = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const double part = part_of_first(&curve->at[i], spectrum, k);

		if (isnan(part))
			continue;
		from = from > 0 ? from : (double)curve->at[i].length;
		to = (double)curve->at[i].length;
		least = fmin(least, part);
		most = fmax(most, part);
	}
	return from > 0 && to >= from * TWINS_SPAN && most - least < TWINS_DIFFER &&
	       least > TWINS_DIFFER && most < 1 - TWINS_DIFFER;
}

uint32_t mp_cpu_share_twins(const struct mp_curve *curve,
			    const struct mp_spectrum *spectrum)
{
	/* What the last peak has is memory's. */
	for (uint32_t k = 0; k + 2 < spectrum->n && k < MP_CPU_LEVELS; k++)
		if (are_twins(curve, spectrum, k))
			return k;
	return MP_CPU_LEVELS;
}

static const struct mp_curve_at *of_id(const struct mp_curve *curve,
				       uint64_t id)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if (curve->at[i].id == id)
			return &curve->at[i];
	return NULL;
}

const struct mp_curve_at *mp_cpu_peak_point(const struct mp_cpu_edges *edges,
					    uint32_t k)
{
	const uint64_t id = edges->spectrum.id[k];
	const struct mp_curve_at *at = of_id(&edges->side[0], id);

	for (uint32_t w = 0; w < MP_CPU_WIDTHS && !at; w++)
		at = of_id(&edges->wide[w][0], id);
	return at ? at : of_id(&edges->sparse, id);
}

static uint32_t calm_bursts(const struct mp_batch *batch)
{
	uint32_t calm = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++)
		calm += mp_sample_calm(&batch->sample[i]);
	return calm;
}

/* All hops at a peak, of so many replicates and their bursts. */
struct peak {
	struct mp_spectrum_hops hops;
	double bursts;
	uint32_t n;
};

static void add_hops(const struct mp_batch *batch,
		     const struct mp_spectrum_hops *of, struct peak *peak)
{
	peak->hops.cycles += (of->cycles - peak->hops.cycles) / ++peak->n;
	peak->hops.n += of->n;
	peak->hops.all += of->all;
	peak->bursts += calm_bursts(batch);
}

/*
 * What the clock's steps leave open of their mean. Hops that follow one another
 * are read as if they were one, so of a burst's a step is open, and which part
 * of it their sum says. Where other hops lie between, or bursts were cut short,
 * that is not known: as if it were a half. What lies between opens a step more
 * each time, which replicates show; where they are too few, that is added.
 */
static double steps_doubt(const struct mp_batch *batch, const struct peak *peak)
{
	const struct mp_spectrum_hops *hops = &peak->hops;
	const double step = mp_spectrum_step(batch);
	const double each = hops->n / peak->bursts;
	double mean = 0.5, open = peak->bursts;

	if (!(step > 0))
		return 0;
	if (hops->n >= hops->all &&
	    hops->n >= peak->bursts * (double)batch->exp.actor[0].hops)
		mean = each * (hops->cycles / step + batch->grant.read_ticks /
			       (double)batch->grant.tick_step);
	else if (peak->n < MP_STAT_FEW)
		open += fmin(hops->n, hops->all - hops->n);
	return mp_stat_rounding(mean, open) * open / hops->n * step;
}

/* Each burst is read to a step either way, and so are all of a replicate. */
static double near_of(const struct mp_batch *batch, const struct peak *peak)
{
	return 2 * mp_spectrum_step(batch) * peak->bursts / peak->hops.n;
}

bool mp_cpu_peak_limits(const struct mp_cpu_edges *edges, uint32_t k,
			bool in_ns, struct mp_interval *limits)
{
	const struct mp_curve_at *at = mp_cpu_peak_point(edges, k);
	const struct mp_batch *batch = NULL;
	double value[MP_EDGE_PASSES], per = 1, off = 0;
	struct mp_spectrum_hops of;
	struct peak peak = { 0 };

	for (uint32_t r = 0; at && r < at->n && peak.n < MP_EDGE_PASSES; r++) {
		mp_spectrum_hops_of(at->batch[r], &edges->spectrum, k, &of);
		if (isnan(of.cycles))
			continue;
		batch = at->batch[r];
		per = in_ns ? 1e9 / mp_clock_core_hz(batch) : 1;
		off = fmax(off, in_ns ? 0 : mp_clock_core_off(batch));
		value[peak.n] = of.cycles * per;
		add_hops(batch, &of, &peak);
	}
	if (!peak.n)
		return false;
	mp_stat_mean_limits(value, peak.n, near_of(batch, &peak) * per,
			    steps_doubt(batch, &peak) * per, limits);
	limits->low *= 1 - off;
	limits->high *= 1 + off;
	return true;
}

/* A quantile of the hops between two bounds. */
static double hops_quantile(const struct mp_hops *hops, double from, double to,
			    double part)
{
	double left = 0;
	uint32_t last = 0;

	mp_hops_mean(hops, from, to, &left);
	left *= part;
	for (uint32_t i = 0; i < hops->n && left >= 0; i++) {
		if (hops->hop[i].cycles < from || hops->hop[i].cycles > to)
			continue;
		left -= hops->hop[i].n;
		last = i;
	}
	return hops->n ? hops->hop[last].cycles : NAN;
}

/* Adds the middle nine of ten of a replicate's hops to a range; false where it
 * has none, or where most of them are at the peak. */
static bool add_range(const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_batch *batch, struct mp_interval *range)
{
	const double from = k ? edges->spectrum.bound[k - 1] : 0;
	const double to = edges->spectrum.bound[k];
	struct mp_spectrum_hops peak;
	struct mp_hops hops;
	double own = 0;

	mp_spectrum_hops_of(batch, &edges->spectrum, k, &peak);
	if (mp_hops_gather(batch, &hops))
		return false;
	mp_hops_mean(&hops, from, to, &own);
	range->low = fmin(range->low, hops_quantile(&hops, from, to, 0.05));
	range->high = fmax(range->high, hops_quantile(&hops, from, to, 0.95));
	mp_hops_free(&hops);
	return own > 0 && peak.n < PEAK_MOST * own;
}

void mp_cpu_peak_scatter(const struct mp_cpu_edges *edges, uint32_t k,
			 double per, struct mp_fact *fact)
{
	const struct mp_curve_at *at = mp_cpu_peak_point(edges, k);
	struct mp_interval range = { .low = INFINITY };
	uint32_t scattered = 0;

	for (uint32_t r = 0; at && r < at->n; r++)
		scattered += add_range(edges, k, at->batch[r], &range);
	if (!at || 2 * scattered <= at->n)
		return;
	fact->verdict = MP_VARIES;
	fact->low = range.low * per;
	fact->high = range.high * per;
	snprintf(fact->reason, sizeof(fact->reason),
		 "most hops of this level do not take what its peak does: its lines lie near and far, or it changed meanwhile");
}

double mp_cpu_share_kept(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *curve = mp_cpu_level_side(edges, k, 0);
	double kept = 0;

	if (!k)
		return 0;
	if (mp_cpu_is_after(edges, k))
		return edges->after_kept[k];
	if (edges->by[k] && edges->group[k - 1] == edges->group[k])
		return mp_cpu_groups_kept(edges, k);
	/* Means do not tell who served a hop; the shape of the edge inside does. */
	if (!mp_cpu_is_told(edges, k))
		return edges->fitted[k - 1] ?
		       1 - mp_cpu_miss(edges, k - 1, edges->edge[k].low) : 0;
	/* The last length that is no longer than what the level may hold, and of
	 * which it has not lost most. */
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		const double miss = mp_cpu_share_of(at, &edges->spectrum,
						    k - 1);

		if ((double)at->length <= edges->edge[k].high && !isnan(miss) &&
		    !(mp_cpu_share_of(at, &edges->spectrum, k) > LOST))
			kept = 1 - miss;
	}
	return kept;
}

double mp_cpu_share_passed(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *curve = mp_cpu_level_side(edges, k, 0);
	const struct mp_edge *edge = &edges->edge[k];
	double least = INFINITY;

	if (!k || !mp_cpu_is_told(edges, k))
		return least;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		const double miss = mp_cpu_share_of(at, &edges->spectrum,
						    k - 1);

		if ((double)at->length >= edge->low &&
		    (double)at->length <= edge->high && !isnan(miss))
			least = fmin(least, (double)at->length * miss);
	}
	return least;
}

double mp_cpu_share_onset(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *curve = mp_cpu_level_side(edges, k, 0);
	double last = INFINITY, before = 0;
	bool is_sharp = false;

	if (!mp_cpu_has_shares(edges, k) || mp_cpu_small_pages(edges, k))
		return INFINITY;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		const double length = (double)at->length;
		const double miss = mp_cpu_share_of(at, &edges->spectrum, k);

		if (miss <= ONSET_NONE) {
			last = length;
			is_sharp = false;
		} else if (before <= ONSET_NONE) {
			is_sharp = miss >= ONSET_MANY &&
				   length <= last * ONSET_STEP;
		}
		before = miss;
	}
	/* Page walks may set in all at once, too, wherever the TLBs end. */
	return is_sharp && last >= edges->edge[k].low / ONSET_NEAR ? last :
								     INFINITY;
}

double mp_cpu_share_held(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *curve = mp_cpu_level_side(edges, k, 0);
	double held = 0;

	if (!mp_cpu_has_shares(edges, k))
		return INFINITY;
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		const double miss = mp_cpu_share_of(at, &edges->spectrum, k);

		if (!isnan(miss))
			held = fmax(held, (1 - miss) * (double)at->length);
	}
	return held;
}

void mp_cpu_share_unlike(const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_fact *fact)
{
	const struct mp_edge *edge = &edges->edge[k];

	if (!mp_cpu_has_shares(edges, k) || edge->page_bytes > 0 ||
	    edges->table->shape[edge->shape].scatter == 0 ||
	    edge->misfit < UNLIKE || edge->chi2 < UNLIKE_CHI2)
		return;
	fact->low = fmin(fact->low, mp_cpu_share_held(edges, k));
	fact->value = mp_stat_between(fact->low, fact->high);
}

int mp_cpu_share_level(const struct mp_curve *curve,
		       const struct mp_spectrum *spectrum, uint32_t k,
		       struct mp_level *level)
{
	double *room = calloc(2 * (size_t)curve->n + 1, sizeof(*room));
	struct shares shares = { .length = room, .miss = room + curve->n };

	if (!room)
		return -ENOMEM;
	for (uint32_t i = 0; i < curve->n; i++) {
		double miss = mp_cpu_share_of(&curve->at[i], spectrum, k);

		if (isnan(miss))
			continue;
		shares.length[shares.n] = (double)curve->at[i].length;
		shares.miss[shares.n++] = miss;
	}
	if (shares.n) {
		place_level(&shares, level);
		level->latency = spectrum->cycles[k];
	}
	free(room);
	return 0;
}

int mp_cpu_share_levels(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum,
			struct mp_level level[MP_CPU_LEVELS], uint32_t *n)
{
	int err = 0;

	*n = 0;
	for (uint32_t k = 0; k + 1 < spectrum->n && k < MP_CPU_LEVELS; k++) {
		struct mp_level *next = &level[k];

		memset(next, 0, sizeof(*next));
		err = mp_cpu_share_level(curve, spectrum, k, next);
		if (err || !(next->latency > 0))
			break;
		(*n)++;
	}
	return err;
}

/* Do some hops of a length miss the level, whatever its pages? */
static bool any_misses(const struct mp_curve_at *at,
		       const struct mp_spectrum *spectrum, uint32_t k)
{
	for (uint32_t r = 0; r < at->n; r++)
		if (mp_spectrum_slower(at->batch[r], spectrum, k) > NEXT_NONE)
			return true;
	return false;
}

void mp_cpu_share_within(const struct mp_curve *curve,
			 const struct mp_spectrum *spectrum, uint32_t k,
			 double all_miss, struct mp_edge_data *data)
{
	uint32_t n = 0, at = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		const struct mp_edge_point *p = &data->point[i];

		while ((double)curve->at[at].length < p->x)
			at++;
		if (p->x >= all_miss ||
		    !any_misses(&curve->at[at], spectrum, k + 1))
			data->point[n++] = *p;
	}
	data->n = n;
}

void mp_cpu_share_less(const struct mp_curve *curve,
		       const struct mp_spectrum *spectrum, uint32_t k,
		       struct mp_edge_data *data)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < data->n; i++) {
		struct mp_edge_point *p = &data->point[i];

		while ((double)curve->at[at].length < p->x)
			at++;
		for (uint32_t r = 0; r < p->n; r++) {
			const double next = mp_spectrum_slower(
				curve->at[at].batch[r], spectrum, k + 1);

			if (next < NEXT_MOST)
				p->y[r] = fmax(p->y[r] - next, 0) / (1 - next);
		}
	}
}

void mp_cpu_share_points(const struct mp_cpu_edges *edges,
			 const struct mp_curve *curve, uint32_t k,
			 double low, double high, struct mp_edge_data *data)
{
	struct mp_cpu_walks walks;

	mp_cpu_walks_find(edges, curve, k, &walks);
	for (uint32_t i = 0; i < curve->n && data->n < MP_EDGE_POINTS; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		struct mp_edge_point *p = &data->point[data->n];
		double walk;

		if ((double)at->length < low || (double)at->length > high)
			continue;
		p->x = (double)at->length;
		p->n = 0;
		walk = mp_cpu_walks_at(&walks, p->x);
		for (uint32_t r = 0; r < at->n && p->n < MP_EDGE_PASSES; r++) {
			const double slower = mp_spectrum_slower(
				at->batch[r], &edges->spectrum, k);

			p->y[p->n] = fmax(slower - walk, 0) / (1 - walk);
			p->n += !isnan(slower);
		}
		data->n += p->n > 0;
	}
}
