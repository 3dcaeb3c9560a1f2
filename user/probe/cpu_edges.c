// SPDX-License-Identifier: GPL-2.0
/* The edges of the levels of a CPU: capacities by fit, curve by curve. */
#include "probe/cpu_edges.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/cpu_after.h"
#include "probe/cpu_count.h"
#include "probe/cpu_flat.h"
#include "probe/cpu_groups.h"
#include "probe/cpu_kinks.h"
#include "probe/cpu_left.h"
#include "probe/cpu_unseen.h"
#include "probe/cpu_walks.h"

/* Of the curve, an edge's fit sees so much below and above it, unless a
 * neighbouring edge is nearer. */
#define FIT_BELOW 5.0
#define FIT_ABOVE 5.0
/* An even shape that leaves less than this of the jump is no blurred one;
 * less than this, whatever fits another curve. */
#define PLAIN 0.06
#define VERY_PLAIN 0.03
/* A shape with a greater chi-square is not right; and one that leaves so much
 * more than that of another curve is not heard. */
#define RIGHT 1.2
#define WORSE 1.7
/* Capacities are searched this far beyond the detector's bracket. */
#define SEARCHED 1.5
/* Edges less far apart reach into each other's stretch, which ends so far off. */
#define NEAR 10.0
#define NEAREST 1.15
/* So far beyond the detector's bracket nearly all hops miss. */
#define ALL_BEYOND 1.25
/* The dense curve has looked at an edge when it has so many lengths, with so
 * many replicates, this far on either side. */
#define DENSE_POINTS 3u
#define DENSE_REPLICATES 3u
#define DENSE_SPAN 2.1
#define SMALL_PAGE 4096.0
/* So far beyond the detector's bracket all hops miss, whatever the policy. */
#define NONE_HITS 3.0
/* So far beyond the edge inside, or where its sets have a line more than they have ways,
 * hops are hardly served there. */
#define CLEAR_OF_INNER 1.1
/* Beyond a level no fewer of all hops miss it; less, and it is another shape. */
#define ALL_MISS 0.85
/* Fits, each with what the one before knows of the neighbours. */
#define PASSES 3u

static bool holds(const struct mp_edge *edge, double size)
{
	return size >= edge->low && size <= edge->high;
}

static double jump(const struct mp_edge *edge)
{
	return edge->outside - edge->inside;
}

static double miss(const struct mp_cpu_edges *edges, const struct mp_edge *edge,
		   double length)
{
	return mp_edge_miss(edge, edges->table, length);
}

/* The curves: the sides, and the main one. */
#define CURVES (MP_CPU_SIDES + 1u)
#define MAIN MP_CPU_SIDES

/* Each edge as each curve has it. @within: the lengths at which the next
 * level misses are left out; @less: what of them it may have put out is;
 * @clear: shorter ones are left out, bytes. */
struct fits {
	struct mp_edge edge[CURVES][MP_CPU_LEVELS];
	bool fitted[CURVES][MP_CPU_LEVELS];
	bool within;
	bool less;
	double clear;
};

static const struct mp_curve *curve_of(const struct mp_cpu_edges *edges,
				       uint32_t k, uint32_t curve)
{
	return curve == MAIN ? &edges->curve :
			       mp_cpu_level_side(edges, k, curve);
}

/* An edge so near that it reaches into this one's stretch, as this curve has
 * it or else as it came out; NULL where there is none. */
static const struct mp_edge *neighbour(const struct mp_cpu_edges *edges,
				       const struct fits *fits, uint32_t curve,
				       uint32_t k, uint32_t other)
{
	const struct mp_edge *edge;

	if (other >= edges->n || !edges->fitted[other] ||
	    (other > k && edges->level[k].parted_bytes > 0))
		return NULL;
	/* What a group leaves has nothing of others in it. */
	if (edges->by[k] == MP_CPU_BY_REST &&
	    edges->by[other] == MP_CPU_BY_HOPS)
		return NULL;
	edge = fits->fitted[curve][other] ? &fits->edge[curve][other] :
					    &edges->edge[other];
	if (fmax(edge->size, edges->level[k].size_bytes) >
	    NEAR * fmin(edge->size, edges->level[k].size_bytes))
		return NULL;
	return edge;
}

/* Between this edge and the next, where neither makes replicates differ. */
static int steady(const struct mp_cpu_edges *edges, uint32_t curve, uint32_t k,
		  struct mp_edge_data *data)
{
	double from = edges->level[k].high_bytes * ALL_BEYOND;
	double to = k + 1 < edges->n ? edges->level[k + 1].low_bytes :
				       INFINITY;

	return mp_cpu_steady(curve_of(edges, k, curve), from, to, data);
}

/* Does the next level have misses of its own? */
static bool has_next(const struct mp_cpu_edges *edges, uint32_t k)
{
	return k + 1 < edges->n && mp_cpu_has_shares(edges, k + 1);
}

/* The stretch of a curve that level k's edge is fitted to. Where an edge
 * next to it is near and known, it goes nearer, and what that edge adds is
 * taken off. */
static int fit_stretch(const struct mp_cpu_edges *edges,
		       const struct fits *fits, uint32_t curve, uint32_t k,
		       struct mp_edge_data *data)
{
	const struct mp_edge *inner = k ? neighbour(edges, fits, curve, k,
						    k - 1) : NULL;
	const struct mp_edge *outer = neighbour(edges, fits, curve, k, k + 1);
	const struct mp_level *level = &edges->level[k];
	double low = level->size_bytes / FIT_BELOW;
	double high = level->size_bytes * FIT_ABOVE;

	if (mp_cpu_has_shares(edges, k) && curve != MAIN) {
		data->from = fmax(level->low_bytes / SEARCHED, low);
		data->to = fmin(level->high_bytes * SEARCHED, high);
		mp_cpu_share_points(edges, curve_of(edges, k, curve), k,
				    fmax(low, fits->clear), high, data);
		data->is_share = true;
		if (fits->less)
			mp_cpu_share_less(curve_of(edges, k, curve),
					  &edges->spectrum, k, data);
		if (fits->within && has_next(edges, k))
			mp_cpu_share_within(curve_of(edges, k, curve),
					    &edges->spectrum, k,
					    level->high_bytes * NONE_HITS,
					    data);
		return 0;
	}
	if (k)
		low = fmax(low, inner ? inner->size * NEAREST :
			   level[-1].size_bytes * MP_CPU_CLEAR_ABOVE);
	if (k + 1 < edges->n)
		high = fmin(high, outer ? outer->size / NEAREST :
				  edges->by[k] == MP_CPU_BY_REST ?
				  level[1].high_bytes : level[1].low_bytes);
	data->from = fmax(level->low_bytes / SEARCHED, low);
	data->to = fmin(level->high_bytes * SEARCHED, high);
	mp_cpu_fit_points(curve_of(edges, k, curve), low, high, data);
	if (level->parted_bytes > 0)
		mp_cpu_flat_keep(level[1].latency, level->parted_bytes, data);
	if (curve != MAIN && steady(edges, curve, k, data))
		return -ENOMEM;
	for (uint32_t i = 0; i < data->n; i++) {
		struct mp_edge_point *p = &data->point[i];
		double add = 0;

		if (inner)
			add = jump(inner) * (1 - miss(edges, inner, p->x));
		if (outer)
			add -= jump(outer) * miss(edges, outer, p->x);
		for (uint32_t r = 0; r < p->n; r++)
			p->y[r] += add;
	}
	mp_cpu_flat_from(data);
	return 0;
}

/* Lines fall evenly on the sets: a sharp edge, that is not a blurred one. */
static bool is_plain(const struct mp_edge *edge,
		     const struct mp_miss_table *table, double misfit)
{
	return table->shape[edge->shape].scatter == 0 && edge->misfit < misfit;
}

/* One answer from two curves over the same level: @a over the pages that are
 * wished for, @b over small ones. */
static void join(const struct mp_edge *a, const struct mp_edge *b,
		 const struct mp_miss_table *table, struct mp_edge *out)
{
	bool a_wider = a->high / a->low > b->high / b->low;

	*out = *a;
	/* A sharp edge is plain: scattered lines can only blur it. */
	if (is_plain(a, table, VERY_PLAIN))
		return;
	if (is_plain(a, table, PLAIN) &&
	    (a->misfit < b->misfit || (!a_wider && a->chi2 < RIGHT)))
		return;
	/* Huge pages in pieces below are neither even nor scattered, in the
	 * same way in all replicates: where no shape is right, small ones
	 * tell. */
	if (a->chi2 > RIGHT && a->misfit > b->misfit * WORSE) {
		*out = *b;
		return;
	}
	if (a_wider)
		*out = *b;
	if (holds(a, b->size) && holds(b, a->size)) {
		out->low = fmax(a->low, b->low);
		out->high = fmin(a->high, b->high);
		return;
	}
	/* One of them is off, and nothing tells which. */
	out->low = fmin(a->low, b->low);
	out->high = fmax(a->high, b->high);
}

/* Small pages are thrown singly. How huge ones lie is for the machine below
 * this one to say, and it does not. Short rings may lie in one page, and long
 * ones in small ones where the huge ones did not do: so it is that of a ring
 * beyond a length, or of the longest. */
static double page_of(const struct mp_curve *curve, double beyond)
{
	uint32_t i = 0;

	if (!curve->n)
		return 0;
	while (i + 1 < curve->n && (double)curve->at[i].length < beyond)
		i++;
	return mp_cpu_scattered(curve->at[i].batch[0]) ? SMALL_PAGE : 0;
}

/* One stretch of a curve. @ok: does a shape explain it? */
static int fit_once(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t curve,
		    uint32_t k, const struct fits *fits, struct mp_edge *edge,
		    bool *ok)
{
	struct mp_edge_data *data = calloc(1, sizeof(*data));
	int err;

	*ok = false;
	if (!data)
		return -ENOMEM;
	err = fit_stretch(edges, fits, curve, k, data);
	if (!err) {
		data->page_bytes = page_of(curve_of(edges, k, curve),
					   edges->level[k].high_bytes);
		*ok = mp_cpu_edge_of(view, edges, k, curve == MAIN, data,
				     edge);
	}
	free(data);
	return err;
}

/* Where the lengths within the next level leave an edge open, those beyond may
 * tell, if they do not say otherwise: with what that one puts out, and without. */
static int fit_beyond(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t curve,
		      uint32_t k, struct fits *fits, struct mp_edge *edge)
{
	struct mp_edge all = { 0 }, less = { 0 };
	bool ok, ok_less = false;
	int err;

	if (edge->high <= edge->low * MP_CPU_APART_MAX)
		return 0;
	fits->within = false;
	err = fit_once(view, edges, curve, k, fits, &all, &ok);
	fits->less = has_next(edges, k);
	if (ok && !err && fits->less)
		err = fit_once(view, edges, curve, k, fits, &less, &ok_less);
	fits->less = false;
	fits->within = true;
	if (ok_less) {
		ok = holds(&all, less.size) && holds(&less, all.size);
		all.low = fmin(all.low, less.low);
		all.high = fmax(all.high, less.high);
	}
	if (ok && all.low >= edge->low && all.high <= edge->high)
		*edge = all;
	return err;
}

/* What the level inside serves does not come to miss this one. Over scattered
 * pages that hides the first misses of a level of few ways, and the rest look like
 * the steeper edge of a smaller one: lengths that are clear of it have a say; more of one,
 * if that edge lets too many hit in the end. */
static int fit_clear(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t curve,
		     uint32_t k, struct fits *fits, struct mp_edge *edge)
{
	double cut[] = { CLEAR_OF_INNER, CLEAR_OF_INNER };
	int err = 0;

	if (!k || !edges->fitted[k - 1] || !(edge->page_bytes > 0))
		return 0;
	cut[1] = fmax(cut[0], 1 + 1.0 / edges->table->shape[edges->edge[k - 1].shape].ways);
	for (uint32_t i = cut[1] > cut[0] ? 0 : 1; i < 2 && !err; i++) {
		struct mp_edge clear = { 0 };
		bool ok;

		fits->clear = edges->edge[k - 1].high * cut[i];
		err = fit_once(view, edges, curve, k, fits, &clear, &ok);
		if (ok && (clear.size > edge->high || edge->outside < ALL_MISS))
			edge->high = fmax(edge->high, clear.high);
	}
	fits->clear = 0;
	return err;
}

static int fit_curve(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t curve,
		     uint32_t k, struct fits *fits)
{
	struct mp_edge edge = { 0 };
	bool ok;
	int err = fit_once(view, edges, curve, k, fits, &edge, &ok);

	if (!err && ok && fits->within)
		err = fit_beyond(view, edges, curve, k, fits, &edge);
	if (!err && ok && mp_cpu_has_shares(edges, k) && curve != MAIN)
		err = fit_clear(view, edges, curve, k, fits, &edge);
	/* What a neighbour adds is known from a model of another curve, and
	 * taking it off is right only where it helps. */
	if (err || (fits->fitted[curve][k] &&
		    !(ok && edge.misfit < fits->edge[curve][k].misfit)))
		return err;
	fits->fitted[curve][k] = ok;
	fits->edge[curve][k] = edge;
	return 0;
}

bool mp_cpu_edge_dense(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_level *level = &edges->level[k];
	uint32_t below = 0, above = 0;

	/* Means are taken of it from the first. */
	if (!edges->single)
		return true;
	for (uint32_t i = 0; i < edges->curve.n; i++) {
		const struct mp_curve_at *at = &edges->curve.at[i];

		if (at->n < DENSE_REPLICATES)
			continue;
		below += (double)at->length >= level->size_bytes / DENSE_SPAN &&
			 (double)at->length <= level->size_bytes;
		above += (double)at->length >= level->size_bytes &&
			 (double)at->length <= level->size_bytes * DENSE_SPAN;
	}
	return below >= DENSE_POINTS && above >= DENSE_POINTS;
}

/* .. and does that tell? */
static bool is_dense(const struct mp_cpu_edges *edges, uint32_t k)
{
	return mp_cpu_edge_dense(edges, k) && !mp_cpu_keeps_first(edges, k);
}

/* Fits of shares run from 0 to 1; as latencies, from peak to peak. */
static void set_latencies(const struct mp_cpu_edges *edges, uint32_t k,
			  struct fits *fits)
{
	for (uint32_t i = 0; i < MP_CPU_SIDES; i++) {
		fits->edge[i][k].inside = edges->spectrum.cycles[k];
		fits->edge[i][k].outside = edges->spectrum.cycles[k + 1];
	}
}

/* What the next level, if it includes this one, puts out of both is no matter
 * of this one's edge. Where they lie so near each other that little is left
 * without that, all of it is looked at. */
static int fit_sides(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct fits *fits)
{
	int err = 0;

	for (uint32_t try = 0; try < 2 && !err; try++) {
		fits->within = !try && mp_cpu_has_shares(edges, k);
		for (uint32_t i = 0; i < MP_CPU_SIDES && !err; i++)
			err = fit_curve(view, edges, i, k, fits);
		if (fits->fitted[0][k] || fits->fitted[1][k] || !mp_cpu_has_shares(edges, k))
			break;
	}
	return err;
}

static int fit_level(const struct mp_view *view, struct mp_cpu_edges *edges,
		     uint32_t k, struct fits *fits)
{
	int err = 0;

	if (mp_cpu_has_sides(edges, k) || edges->width[k] || edges->by[k] ||
	    ((k || edges->single) && !is_dense(edges, k)))
		err = fit_sides(view, edges, k, fits);
	fits->within = false;
	if (err)
		return err;
	if (mp_cpu_has_shares(edges, k))
		set_latencies(edges, k, fits);
	edges->fitted[k] = true;
	if (fits->fitted[0][k] && fits->fitted[1][k]) {
		join(&fits->edge[0][k], &fits->edge[1][k], edges->table,
		     &edges->edge[k]);
		return 0;
	}
	if (fits->fitted[0][k] || fits->fitted[1][k]) {
		edges->edge[k] = fits->edge[fits->fitted[1][k]][k];
		return 0;
	}
	/* Slots of the main curve share lines of such a level, or it shows no more
	 * than what came first. */
	if (edges->width[k] || mp_cpu_keeps_first(edges, k)) {
		edges->fitted[k] = false;
		return 0;
	}
	err = fit_curve(view, edges, MAIN, k, fits);
	edges->edge[k] = fits->edge[MAIN][k];
	edges->fitted[k] = fits->fitted[MAIN][k];
	return err;
}

static bool any_near(const struct mp_cpu_edges *edges)
{
	for (uint32_t k = 1; k < edges->n; k++)
		if (edges->fitted[k - 1] && edges->fitted[k] &&
		    edges->edge[k].size < NEAR * edges->edge[k - 1].size)
			return true;
	return false;
}

/* Edge by edge, and where two are near each other once more, each without
 * what the other adds. */
static int fit_all(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	struct fits fits;
	int err = 0;

	memset(&fits, 0, sizeof(fits));
	for (uint32_t pass = 0; pass < PASSES && !err; pass++) {
		if (pass && !any_near(edges))
			break;
		for (uint32_t k = 0; k < edges->n && !err; k++)
			err = fit_level(view, edges, k, &fits);
	}
	return err;
}

static int rings_are(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	bool is_full = false, all = false;
	int err = mp_cpu_is_full(view, MP_CPU_PRIVATE, &edges->full);

	if (!err)
		err = mp_cpu_is_full(view, MP_CPU_INNERMOST, &is_full);
	if (!err)
		err = mp_cpu_is_full(view, MP_CPU_ALL, &all);
	if (!err)
		err = mp_cpu_is_crowded(view, &edges->crowded);
	if (!err && !edges->full)
		err = mp_cpu_is_spread(view, &edges->spread);
	edges->main_full = is_full || !all;
	return err;
}

static int curves_gather(const struct mp_view *view,
			 struct mp_cpu_edges *edges)
{
	const struct mp_curve *sparse = &edges->sparse;
	struct mp_sweep sweep;
	int err;

	mp_cpu_sparse_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &edges->sparse);
	if (err)
		return err;
	edges->flat = mp_cpu_flat_at_end(sparse);
	edges->end_bytes = sparse->n ?
			   (double)sparse->at[sparse->n - 1].length : 0;
	err = rings_are(view, edges);
	if (err)
		return err;
	mp_cpu_main_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &edges->curve);
	for (uint32_t i = 0; i < MP_CPU_SIDES && !err; i++)
		if (mp_cpu_side_sweep(view, i, &sweep))
			err = mp_sweep_gather(&sweep, view, &edges->side[i]);
	return err;
}

static void is_doubtful(struct mp_cpu_edges *edges, uint32_t k, double inner,
			double outer)
{
	if (k < edges->doubt.level)
		edges->doubt = (struct mp_cpu_doubt){
			.level = k, .size = { inner, outer } };
}

/* May an edge of the main curve be that of a level that single hops show? */
static bool is_next(const struct mp_cpu_edges *edges, uint32_t k,
		    const struct mp_level *dense)
{
	const struct mp_level *level = &edges->level[k];

	return edges->single && k + 1 < edges->n &&
	       !edges->spectrum.blurred[k] &&
	       dense->size_bytes > level->size_bytes * MP_CPU_CLEAR_ABOVE &&
	       dense->low_bytes < level[1].high_bytes;
}

/* .. or that of the one inside, which ends nearer to it? */
static bool is_inside(const struct mp_cpu_edges *edges, uint32_t k,
		      const struct mp_level *dense)
{
	const struct mp_level *inner = &edges->level[k - 1];

	return edges->single && !edges->spectrum.blurred[k - 1] &&
	       dense->low_bytes < inner->high_bytes &&
	       dense->size_bytes / inner->size_bytes <
	       inner[1].size_bytes / dense->size_bytes;
}

/* Where the main curve, which fills a level in earnest, has the edge of one
 * that is shared: at most where the sparse look saw it, and less where
 * others crowd it. */
static int place_outer(struct mp_cpu_edges *edges)
{
	struct mp_level dense[MP_CPU_LEVELS];
	struct mp_cpu_doubt doubt;
	uint32_t n;
	int err = mp_cpu_levels(&edges->curve, dense, &n, &doubt);

	/* It may not have been drawn yet. */
	if (err)
		return err == -ENODATA ? 0 : err;
	for (uint32_t k = 1; k < edges->n; k++) {
		struct mp_level *level = &edges->level[k];
		double least = level[-1].size_bytes * MP_CPU_CLEAR_ABOVE;
		const struct mp_level *found = NULL;

		if (mp_cpu_has_sides(edges, k) || edges->width[k] ||
		    edges->by[k] || !is_dense(edges, k))
			continue;
		for (uint32_t i = 0; i < n; i++) {
			if (dense[i].size_bytes <= least ||
			    dense[i].low_bytes >= level->high_bytes)
				continue;
			if (found && is_next(edges, k, &dense[i]))
				break;
			if (found && !is_inside(edges, k, found))
				is_doubtful(edges, k, found->size_bytes,
					    dense[i].size_bytes);
			found = &dense[i];
		}
		if (!found) {
			level->low_bytes = fmin(level->low_bytes, least);
			continue;
		}
		level->low_bytes = found->low_bytes;
		level->high_bytes = found->high_bytes;
		level->size_bytes = found->size_bytes;
		if (found == &dense[doubt.level] &&
		    (!edges->single || edges->spectrum.blurred[k]))
			is_doubtful(edges, k, doubt.size[0], doubt.size[1]);
	}
	return 0;
}

/* The first of two peaks that share their hops alike, in rings of any width: of full
 * ones no two may have enough, where slots share their lines. */
static uint32_t find_twins(const struct mp_cpu_edges *edges)
{
	uint32_t first = mp_cpu_share_twins(&edges->side[0], &edges->spectrum);

	for (uint32_t w = 0; w < MP_CPU_WIDTHS; w++) {
		const uint32_t twins = mp_cpu_share_twins(&edges->wide[w][0],
							  &edges->spectrum);

		first = twins < first ? twins : first;
	}
	return first;
}

static int find_single_levels(struct mp_cpu_edges *edges)
{
	const struct mp_curve *curve = &edges->side[0];
	const uint32_t twins = find_twins(edges);
	int err;

	if (edges->full)
		edges->muddled = mp_cpu_share_muddled(curve, &edges->spectrum);
	err = mp_cpu_share_levels(curve, &edges->spectrum, edges->level,
				  &edges->n);
	if (!err)
		err = mp_cpu_wide_find(edges);
	if (!err && mp_cpu_holed(curve, edges->level, edges->n))
		err = -ENODATA;
	if (!err && twins < edges->n)
		edges->doubt = (struct mp_cpu_doubt){
			.level = twins, .twins = true };
	return err;
}

static int find_levels(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	int err = mp_cpu_wide_spectrum(view, edges);

	edges->doubt.level = MP_CPU_LEVELS;
	edges->muddled = edges->contradicted = MP_CPU_LEVELS;
	if (err)
		return err;
	if (edges->single) {
		err = find_single_levels(edges);
		return err ? err : mp_cpu_walks_gather(view, edges);
	}
	mp_curve_settle(&edges->curve);
	for (uint32_t i = 0; i < MP_CPU_SIDES; i++)
		mp_curve_settle(&edges->side[i]);
	err = mp_cpu_groups_gather(view, edges);
	return err ? err : mp_cpu_walks_gather(view, edges);
}

int mp_cpu_edges_fit(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	int err = edges->single ? 0 : mp_cpu_groups_levels(edges);

	if (err == -ENODATA) {
		err = mp_cpu_mean_levels(edges);
		if (!err)
			mp_cpu_unseen_find(edges);
	}
	if (!err)
		err = place_outer(edges);
	edges->table = mp_miss_table_get();
	return err ? err : fit_all(view, edges);
}

int mp_cpu_edges_find(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	int err;

	memset(edges, 0, sizeof(*edges));
	err = curves_gather(view, edges);
	if (!err)
		err = find_levels(view, edges);
	if (!err)
		err = mp_cpu_edges_fit(view, edges);
	if (!err) {
		mp_cpu_find_doubt(view, edges);
		err = mp_cpu_left_find(view, edges);
	}
	if (!err)
		mp_cpu_kinks_find(edges);
	if (!err)
		err = mp_cpu_after_find(view, edges);
	if (!err)
		mp_cpu_unseen_find(edges);
	if (err) {
		mp_cpu_edges_free(edges);
		return err;
	}
	for (uint32_t k = 1; k < edges->n; k++)
		edges->edge[k].low = fmin(edges->edge[k].low,
					  mp_cpu_share_onset(edges, k));
	mp_cpu_wide_contradicted(edges);
	mp_cpu_count_levels(view, edges);
	return 0;
}

bool mp_cpu_edge_plain(const struct mp_cpu_edges *edges, uint32_t k)
{
	return edges->fitted[k] &&
	       is_plain(&edges->edge[k], edges->table, VERY_PLAIN);
}

bool mp_cpu_small_pages(const struct mp_cpu_edges *edges, uint32_t k)
{
	return page_of(mp_cpu_level_side(edges, k, 0),
		       edges->level[k].high_bytes) > 0;
}

double mp_cpu_miss(const struct mp_cpu_edges *edges, uint32_t k, double length)
{
	return miss(edges, &edges->edge[k], length);
}
