// SPDX-License-Identifier: GPL-2.0
/* Full rings for levels whose lines are longer than those of the innermost. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "probe/cpu.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_groups_wide.h"
#include "probe/cpu_walks.h"

/* No line in use is longer. */
#define LONGEST_LINE 256u
/* A denser ring that misses by so much more than a wider one of nearly the
 * same length shows that this spreads over more sets than it should. */
#define SPREADS 0.15
#define NEARLY 1.04
/* .. or, by means, all of whose replicates take so many times as long. */
#define FAR_SLOWER 1.3
#define FAR_LEAST 3u
/* .. of rings of one length, but for what is left of whole slots: they are no further
 * apart in those that are held against each other. */
#define SLOT 512.0

bool mp_cpu_wide_sweep(const struct mp_view *view, uint32_t width,
		       uint32_t side, struct mp_sweep *sweep)
{
	const bool is_there = mp_cpu_side_sweep(view, side, sweep);

	sweep->stride <<= width;
	return is_there && sweep->stride <= LONGEST_LINE;
}

bool mp_cpu_level_sweep(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			uint32_t side, struct mp_sweep *sweep)
{
	if (edges->by[k])
		return mp_cpu_groups_wide_sweep(view, edges->width[k], side,
						sweep);
	return edges->width[k] ?
	       mp_cpu_wide_sweep(view, edges->width[k], side, sweep) :
	       mp_cpu_side_sweep(view, side, sweep);
}

const struct mp_curve *mp_cpu_level_side(const struct mp_cpu_edges *edges,
					 uint32_t k, uint32_t side)
{
	if (edges->by[k] == MP_CPU_BY_HOPS)
		return mp_cpu_groups_wide_rings(edges, edges->width[k], side);
	if (edges->by[k] == MP_CPU_BY_REST)
		return &edges->rest[edges->group[k]][side];
	return edges->width[k] ? &edges->wide[edges->width[k] - 1][side] :
				 &edges->side[side];
}

const struct mp_curve_at *mp_cpu_near_point(const struct mp_curve *curve,
					    uint64_t length)
{
	const struct mp_curve_at *best = NULL;
	double least = log(NEARLY);

	for (uint32_t i = 0; i < curve->n; i++) {
		const double off = fabs(log((double)curve->at[i].length /
					    (double)length));

		if (off >= least)
			continue;
		best = &curve->at[i];
		least = off;
	}
	return best;
}

bool mp_cpu_wide_spreads(const struct mp_curve *dense, const struct mp_curve *wide,
			 const struct mp_spectrum *spectrum, uint32_t k)
{
	for (uint32_t i = 0; i < dense->n; i++) {
		const struct mp_curve_at *at = &dense->at[i];
		const struct mp_curve_at *other = mp_cpu_near_point(wide, at->length);

		if (other && mp_cpu_share_of(at, spectrum, k) >
			     mp_cpu_share_of(other, spectrum, k) + SPREADS)
			return true;
	}
	return false;
}

/* Has each line of level k a slot of its own in rings so wide? */
static bool serves(const struct mp_cpu_edges *edges, uint32_t width,
		   uint32_t k)
{
	const struct mp_curve *wide = &edges->wide[width - 1][0];
	const struct mp_spectrum *spectrum = &edges->spectrum;

	if (!mp_cpu_share_comes(wide, spectrum, k) ||
	    mp_cpu_wide_spreads(&edges->side[0], wide, spectrum, k))
		return false;
	for (uint32_t w = 1; w < width; w++)
		if (mp_cpu_wide_spreads(&edges->wide[w - 1][0], wide, spectrum, k))
			return false;
	return true;
}

static int gather(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;
	int err = 0;

	for (uint32_t w = 1; w <= MP_CPU_WIDTHS && !err; w++)
		for (uint32_t i = 0; i < MP_CPU_SIDES && !err; i++)
			if (mp_cpu_wide_sweep(view, w, i, &sweep))
				err = mp_sweep_gather(&sweep, view,
						      &edges->wide[w - 1][i]);
	return err;
}

void mp_cpu_add_points(const struct mp_curve *curve, struct mp_curve *all)
{
	for (uint32_t i = 0; i < curve->n; i++)
		all->at[all->n++] = curve->at[i];
}

/* Slots side by side may be brought along, and show little of a level that all
 * hops of wider rings come to: they all have a say in whether the innermost
 * peak is one. Further out lines lie near and far, and peaks move with them. */
static int find_spectrum(const struct mp_curve *curve,
			 struct mp_cpu_edges *edges)
{
	const int err = mp_spectrum_find(curve, &edges->spectrum);

	edges->single = !err && edges->spectrum.n > 1 &&
			mp_cpu_share_clear(&edges->side[0], &edges->spectrum) &&
			(curve == &edges->side[0] ||
			 mp_cpu_share_one(curve, &edges->spectrum, 0));
	return err;
}

/* The points stay whose they are. */
static int spectrum_of(struct mp_cpu_edges *edges)
{
	struct mp_curve all = { .room = edges->sparse.n + edges->side[0].n };
	int err;

	for (uint32_t w = 0; w < MP_CPU_WIDTHS; w++)
		all.room += edges->wide[w][0].n;
	all.at = calloc(all.room + 1, sizeof(*all.at));
	if (!all.at)
		return -ENOMEM;
	mp_cpu_add_points(&edges->side[0], &all);
	for (uint32_t w = 0; w < MP_CPU_WIDTHS; w++)
		mp_cpu_add_points(&edges->wide[w][0], &all);
	mp_cpu_add_points(&edges->sparse, &all);
	err = find_spectrum(&all, edges);
	free(all.at);
	return err;
}

int mp_cpu_wide_spectrum(const struct mp_view *view,
			 struct mp_cpu_edges *edges)
{
	int err;

	edges->single = false;
	if (!edges->full) {
		err = find_spectrum(&edges->side[0], edges);
	} else {
		err = gather(view, edges);
		if (!err)
			err = spectrum_of(edges);
	}
	return err;
}

int mp_cpu_wide_find(struct mp_cpu_edges *edges)
{
	int err = 0;

	for (; edges->muddled < edges->n && !err; edges->muddled++) {
		const uint32_t k = edges->muddled;
		uint32_t width = 1;

		while (width <= MP_CPU_WIDTHS && !serves(edges, width, k))
			width++;
		if (width > MP_CPU_WIDTHS)
			break;
		edges->width[k] = width;
		err = mp_cpu_share_level(&edges->wide[width - 1][0],
					 &edges->spectrum, k,
					 &edges->level[k]);
	}
	if (!err && edges->muddled >= edges->n)
		edges->muddled = MP_CPU_LEVELS;
	return err;
}

/* Do denser rings miss a level at a length that it holds for all that sparse ones
 * say? */
static bool is_contradicted(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	for (uint32_t i = 0; i < edges->curve.n; i++) {
		const struct mp_curve_at *at = &edges->curve.at[i];
		const struct mp_curve_at *other =
			mp_cpu_near_point(&edges->sparse, at->length);

		if (other && fabs((double)at->length - (double)other->length) < SLOT &&
		    (double)at->length > edge[-1].high &&
		    (double)at->length < edge->low &&
		    mp_curve_middle(at) > (edge->inside + edge->outside) / 2 &&
		    at->n >= FAR_LEAST && other->n >= FAR_LEAST &&
		    mp_curve_apart(at, other, FAR_SLOWER))
			return true;
	}
	return false;
}

void mp_cpu_wide_contradicted(struct mp_cpu_edges *edges)
{
	edges->contradicted = MP_CPU_LEVELS;
	for (uint32_t k = 1; k < edges->n && !edges->full; k++) {
		if (edges->by[k] == MP_CPU_BY_MEANS || !edges->fitted[k] ||
		    !edges->fitted[k - 1] || !is_contradicted(edges, k))
			continue;
		edges->contradicted = k;
		return;
	}
}
