// SPDX-License-Identifier: GPL-2.0
#include "probe/cpu_groups_wide.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "probe/cpu_groups.h"

/* No line in use is longer. */
#define LONGEST_LINE 256u
/* Peaks that fewer of the hops come to miss say nothing. A prefetcher that stays on
 * spares some, and slots that share a line half of them. */
#define COMES 0.7
/* A ring of fewer lengths tells nothing of a width. */
#define LENGTHS_LEAST 8u
/* Of wide rings so many have to miss; and of denser ones such a part of that as has one
 * slot a line, give or take. */
#define ALL_MISS 0.85
#define PART_OFF 0.1
/* .. and so many have to be of the peak at some length: what lies near of memory, by an
 * address bit, is no part of those. */
#define PEAK_LEAST 0.2
/* A group that moves is at rest again where it takes no more than this beyond what it
 * does over rings so much shorter. */
#define AT_REST 1.5
#define RISES 1.02
/* A level has lost lines where more of the hops of a ring miss it: of full rings fewer
 * hops of its group are its own then, and the mean moves with that. */
#define LOST 0.1

bool mp_cpu_groups_wide_sweep(const struct mp_view *view, uint32_t width,
			      uint32_t side, struct mp_sweep *sweep)
{
	const bool is_there = mp_cpu_groups_sweep(view, side, sweep);

	sweep->stride <<= width;
	return is_there && (!width || sweep->stride <= LONGEST_LINE);
}

const struct mp_curve *mp_cpu_groups_wide_rings(const struct mp_cpu_edges *edges,
						uint32_t width, uint32_t side)
{
	return width ? &edges->wide[width - 1][side] : &edges->hops[side];
}

/* The points stay whose they are. */
static int find_peaks(struct mp_cpu_edges *edges)
{
	struct mp_curve all = { 0 };
	int err;

	for (uint32_t w = 0; w <= MP_CPU_WIDTHS; w++)
		all.room += mp_cpu_groups_wide_rings(edges, w, 0)->n;
	all.at = calloc(all.room + 1, sizeof(*all.at));
	if (!all.at)
		return -ENOMEM;
	for (uint32_t w = 0; w <= MP_CPU_WIDTHS; w++)
		mp_cpu_add_points(mp_cpu_groups_wide_rings(edges, w, 0), &all);
	err = mp_spectrum_find(&all, &edges->peaks);
	free(all.at);
	return err;
}

int mp_cpu_groups_wide_gather(const struct mp_view *view,
			      struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;
	int err = 0;

	for (uint32_t w = 1; w <= MP_CPU_WIDTHS; w++)
		for (uint32_t i = 0; i < MP_CPU_SIDES && !err; i++) {
			struct mp_curve *curve = &edges->wide[w - 1][i];

			mp_curve_free(curve);
			if (edges->full &&
			    mp_cpu_groups_wide_sweep(view, w, i, &sweep))
				err = mp_sweep_gather(&sweep, view, curve);
		}
	return err ? err : find_peaks(edges);
}

bool mp_cpu_groups_wide_any(const struct mp_cpu_edges *edges)
{
	uint32_t n = 0;

	for (uint32_t w = 1; w <= MP_CPU_WIDTHS; w++)
		n += mp_cpu_groups_wide_rings(edges, w, 0)->n;
	return n > 0;
}

static bool comes(const struct mp_curve *hops, const struct mp_spectrum *peaks,
		  uint32_t k)
{
	for (uint32_t i = 0; i < hops->n; i++)
		if (mp_cpu_share_of(&hops->at[i], peaks, k) > COMES)
			return true;
	return false;
}

/* Do denser rings go past a level once a line? What makes rings of some distance
 * slower else (slices that lie near and far, rows of memory) has other parts. */
static bool is_in_part(const struct mp_cpu_edges *edges, uint32_t width,
		       uint32_t dense, uint32_t peak)
{
	const struct mp_curve *wide = mp_cpu_groups_wide_rings(edges, width, 0);
	const struct mp_curve *rings = mp_cpu_groups_wide_rings(edges, dense, 0);
	const double part = 1.0 / (1u << (width - dense));
	uint32_t n = 0;

	for (uint32_t i = 0; i < wide->n; i++) {
		const struct mp_curve_at *at = &wide->at[i];
		const struct mp_curve_at *other = mp_cpu_near_point(rings, at->length);

		if (!other || !(mp_cpu_share_of(at, &edges->peaks, peak) > ALL_MISS))
			continue;
		if (fabs(mp_cpu_share_of(other, &edges->peaks, peak) - part) >
		    PART_OFF)
			return false;
		n++;
	}
	return n > 0;
}

/* Has it the peak at all? */
static bool has_peak(const struct mp_curve *rings, const struct mp_spectrum *peaks,
		     uint32_t peak)
{
	for (uint32_t i = 0; i < rings->n; i++) {
		const double come = peak ? mp_cpu_share_of(&rings->at[i], peaks,
							   peak - 1) : 1;

		if (come - mp_cpu_share_of(&rings->at[i], peaks, peak) > PEAK_LEAST)
			return true;
	}
	return false;
}

static bool serves(const struct mp_cpu_edges *edges, uint32_t width, uint32_t peak)
{
	const struct mp_curve *wide = mp_cpu_groups_wide_rings(edges, width, 0);

	if (width && !has_peak(wide, &edges->peaks, peak))
		return false;
	for (uint32_t d = 0; d < width; d++)
		if (mp_cpu_wide_spreads(mp_cpu_groups_wide_rings(edges, d, 0), wide,
					&edges->peaks, peak) ||
		    !is_in_part(edges, width, d, peak))
			return false;
	return true;
}

uint32_t mp_cpu_groups_wide_of(const struct mp_cpu_edges *edges, uint32_t peak)
{
	for (uint32_t w = 0; w <= MP_CPU_WIDTHS; w++) {
		const struct mp_curve *rings = mp_cpu_groups_wide_rings(edges, w, 0);

		if (w ? rings->n >= LENGTHS_LEAST &&
			mp_cpu_share_comes(rings, &edges->peaks, peak) :
			comes(rings, &edges->peaks, peak))
			return serves(edges, w, peak) ? w : MP_CPU_WIDTHS + 1;
	}
	return MP_CPU_WIDTHS + 1;
}

double mp_cpu_groups_wide_most(const struct mp_cpu_edges *edges, uint32_t g)
{
	const struct mp_curve *rings =
		mp_cpu_groups_wide_rings(edges, edges->broad[g], 0);
	double most = 0;

	if (!edges->broad[g])
		return INFINITY;
	for (uint32_t i = 0; i < rings->n; i++)
		if (mp_cpu_share_of(&rings->at[i], &edges->groups, g) < LOST)
			most = (double)rings->at[i].length;
	return most;
}

/* Does it take the same over the longest rings that it has most hops of? */
static bool comes_to_rest(const struct mp_curve *rest)
{
	const double end = rest->n ? (double)rest->at[rest->n - 1].length : 0;
	double least = INFINITY, most = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < rest->n; i++) {
		const double middle = mp_curve_middle(&rest->at[i]);

		if ((double)rest->at[i].length * AT_REST < end)
			continue;
		least = fmin(least, middle);
		most = fmax(most, middle);
		n++;
	}
	return n > 1 && most <= least * RISES;
}

uint32_t mp_cpu_groups_wide_told(const struct mp_cpu_edges *edges)
{
	uint32_t n = edges->groups.n;

	while (n && !edges->broad[n - 1])
		n--;
	return n;
}

bool mp_cpu_groups_wide_settled(const struct mp_cpu_edges *edges)
{
	const uint32_t n = mp_cpu_groups_wide_told(edges);

	for (uint32_t g = 0; g < n; g++) {
		const struct mp_curve *rest = &edges->rest[g][0];

		if (!rest->n || (!mp_cpu_groups_steady(rest) && !comes_to_rest(rest)))
			return false;
	}
	return true;
}
