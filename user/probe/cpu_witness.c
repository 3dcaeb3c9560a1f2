// SPDX-License-Identifier: GPL-2.0
/*
 * Do sparse rings see a level as large as it is? Those of every line are held
 * against them at some lengths; see mp_cpu_is_full() for what comes of it.
 */
#include "probe/cpu_witness.h"

#include <math.h>

/* Full rings are held against sparse ones at this share of an edge. */
#define FULL_AT 0.77
#define FULL_BEYOND 1.3
/* .. and near a sharp one, which may be that of a level further out. */
#define FULL_NEAR 0.95
#define FULL_GRAIN 8
#define FULL_REPLICATES 5
/* .. and once far beyond all levels. */
#define END_BYTES (64.0 * MP_MIB)
#define END_REACH 4
/* .. where they take longer by this factor. */
#define HIDES 1.25

/* One of a grid, lest each look at the edge bring another; and one that both
 * kinds of ring fill exactly. */
static uint64_t witness_length(double bytes, uint64_t stride)
{
	const uint64_t length = (uint64_t)exp2(floor(log2(bytes) * FULL_GRAIN) /
					       FULL_GRAIN);

	return length - length % stride;
}

/* At three quarters of what rings say, do fuller ones fit as well? */
static int plan_witness_at(const struct mp_view *view, double bytes,
			   uint32_t widths, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	uint64_t length, stride;
	int err;

	mp_cpu_side_sweep(view, 0, &sweep);
	stride = sweep.stride;
	length = witness_length(bytes, stride);
	err = mp_sweep_plan(&sweep, view, length, FULL_REPLICATES, plan);
	for (uint32_t i = 0; i < widths && !err &&
			     mp_cpu_full_sweep(view, i, &sweep); i++)
		if (sweep.stride < stride)
			err = mp_sweep_plan(&sweep, view, length,
					    FULL_REPLICATES, plan);
	return err;
}

/* Where pages are scattered some hops miss at any length, and other edges may
 * be blurred, too: longer rings show more of what sparse ones hide. A level
 * that looks larger than it is may end where an inclusive one outside does,
 * little beyond its own size: a sharp edge is looked at close by. */
int mp_cpu_witness_plan(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_plan *plan)
{
	const double low = edges->fitted[k] ? edges->edge[k].low :
					      edges->level[k].low_bytes;
	int err = plan_witness_at(view, low * FULL_AT, UINT32_MAX, plan);

	if (!err && (mp_cpu_small_pages(edges, k) ||
		     (mp_cpu_has_sides(edges, k) &&
		      !mp_cpu_edge_plain(edges, k))))
		err = plan_witness_at(view, low * FULL_BEYOND, 1, plan);
	if (!err && k && mp_cpu_has_sides(edges, k) &&
	    mp_cpu_edge_plain(edges, k))
		err = plan_witness_at(view, low * FULL_NEAR, 1, plan);
	return err;
}

/* Not those of a curve: that has no lengths between. */
static void end_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_cpu_full_sweep(view, 0, sweep);
	sweep->reach /= END_REACH;
}

static uint64_t end_length(const struct mp_view *view)
{
	struct mp_sweep sweep;

	mp_cpu_sparse_sweep(view, &sweep);
	return witness_length(fmin(END_BYTES, (double)view->arena_max_bytes),
			      sweep.stride);
}

int mp_cpu_witness_hides(const struct mp_view *view, uint64_t *length)
{
	struct mp_curve full, sparse;
	struct mp_sweep sweep;
	int err;

	*length = 0;
	end_sweep(view, &sweep);
	err = mp_sweep_gather_at(&sweep, view, end_length(view), &full);
	if (err)
		return err;
	mp_cpu_sparse_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &sparse);
	if (!err && full.n && sparse.n && mp_curve_middle(&full.at[0]) >
	    HIDES * mp_curve_middle(&sparse.at[sparse.n - 1]))
		*length = full.at[0].length;
	mp_curve_free(&full);
	mp_curve_free(&sparse);
	return err;
}

/* One replicate, and where that is slow as many as it takes. */
int mp_cpu_witness_plan_end(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	uint64_t length;
	int err = mp_cpu_witness_hides(view, &length);

	if (!err && length)
		return plan_witness_at(view, (double)length, 1, plan);
	end_sweep(view, &sweep);
	return err ? err : mp_sweep_plan(&sweep, view, end_length(view), 1, plan);
}
