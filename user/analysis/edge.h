/* SPDX-License-Identifier: GPL-2.0 */
/* Where an edge of a curve lies: the capacity that explains it. */
#ifndef MP_EDGE_H
#define MP_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/miss.h"

/** MP_EDGE_POINTS - points that a fit looks at, at most */
#define MP_EDGE_POINTS 96
/** MP_EDGE_PASSES - replicates of a point that a fit looks at, at most */
#define MP_EDGE_PASSES 40

/**
 * struct mp_edge_point - one length of the curve
 * @x: length (bytes, slots or pages)
 * @n: replicates
 * @y: their values, in order of arrival
 */
struct mp_edge_point {
	double x;
	uint32_t n;
	double y[MP_EDGE_PASSES];
};

/** enum mp_edge_scatter - how lines may fall on sets, bits */
enum mp_edge_scatter {
	MP_EDGE_EVEN = 1u << 0,
	MP_EDGE_HALF = 1u << 1,	/* runs of pages, or a hash over evenness */
	MP_EDGE_RANDOM = 1u << 2,
	MP_EDGE_ANY = 7u,
};

/** mp_edge_scatter_of() - the bit of a shape */
uint32_t mp_edge_scatter_of(const struct mp_miss_shape *shape);

/**
 * struct mp_edge_data - the stretch of a curve that holds one edge
 * @n: points
 * @from, @to: capacities that are tried
 * @scatters: how lines may fall on the sets, bits of enum mp_edge_scatter
 * @page_bytes: how much is contiguous where they fall at random: mp_places_of();
 *	x is in bytes then. 0: not known
 * @is_share: values are shares of hops that miss, exact for each replicate
 * @may_hash: lines of a page may fall on slices by a hash: replicates may
 *	spread less than pages that are thrown as a whole
 * @point: by rising x
 */
struct mp_edge_data {
	uint32_t n;
	double from;
	double to;
	uint32_t scatters;
	double page_bytes;
	bool is_share;
	bool may_hash;
	struct mp_edge_point point[MP_EDGE_POINTS];
};

/**
 * struct mp_edge - what a fit found
 * @size: capacity of the best shape
 * @low, @high: 95 % limits: over resampled replicates and over all shapes
 *	that explain the curve nearly as well, widened to the grid
 * @inside, @outside: values below and above the edge
 * @misfit: weighted root mean square of what is left, a share of the jump
 * @chi2: what is left a degree of freedom, over what scatter of replicates and
 *	the usual error of a shape leave: about one where the shape is right
 * @shape: best shape, index into the table
 * @page_bytes: as it was given
 * @still: values are shares, and replicates, each in small pages of its own,
 *	do not differ: that these lie anywhere makes no difference
 * @n_seen: single replicates that lay on the slope of the edge
 * @sway: how far apart, as a factor, the capacities are that replicates of
 *	one length would give; the middle of the lengths on the slope
 * @seen_low, @seen_high: the capacities that these alone would give, nine of
 *	ten and one of ten: a capacity that holds still keeps them together
 */
struct mp_edge {
	double size;
	double low;
	double high;
	double inside;
	double outside;
	double misfit;
	double chi2;
	uint32_t shape;
	double page_bytes;
	bool still;
	uint32_t n_seen;
	double seen_low;
	double seen_high;
	double sway;
};

/**
 * mp_edge_fit() - find the capacity behind an edge
 * @data: the stretch
 * @table: shapes
 * @seed: for resampling
 * @edge: gets the answer
 *
 * The curve is inside + (outside - inside) * miss(x / capacity) for one of
 * the shapes; inside and outside follow by least squares for each capacity
 * and shape, the pair that leaves least wins.
 * Return: 0; -ENODATA with fewer than four points or no rising edge.
 */
int mp_edge_fit(const struct mp_edge_data *data,
		const struct mp_miss_table *table, uint64_t seed,
		struct mp_edge *edge);

/** mp_edge_miss() - share of the hops that miss at a length, by a fit */
double mp_edge_miss(const struct mp_edge *edge,
		    const struct mp_miss_table *table, double x);

#endif
