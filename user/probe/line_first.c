// SPDX-License-Identifier: GPL-2.0
/*
 * A rough look at the first level, before its size is known: how long a ring
 * it serves alone, and in lines of which length it holds as much.
 */
#include "probe/line_first.h"

#include <math.h>
#include <stdbool.h>

#include "probe/cpu.h"

/* The rough curve: so dense that slots fall on all sets, whatever their
 * number. */
#define ROUGH_STRIDE 64u
#define HOPS 512u
#define ROUGH_REACH (16u << 10)
#define ROUGH_FROM 2048.0
#define ROUGH_TO (MP_MIB / 2)
#define ROUGH_GRAIN 2
#define ROUGH_REPLICATES 2
/* Not slower than the fastest footprint by more than this: it fits. */
#define FITS 1.12
/* Of the misses of a ring that does not fit, in one of slots far apart that
 * does: hardly a hop. */
#define WHOLE 0.04

static void rough_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, ROUGH_STRIDE, ROUGH_REACH);
	sweep->turns = 1;
	sweep->hops = HOPS;
}

static double least_time(const struct mp_curve_at *at)
{
	double fastest[2];

	mp_curve_fastest(at, fastest);
	return fastest[0];
}

/* What fits proves that all that is shorter does: a shorter ring that took
 * longer was disturbed, in all replicates. */
static void first_of(const struct mp_curve *curve, struct mp_line_first *first)
{
	uint32_t last = curve->n;

	first->latency = INFINITY;
	for (uint32_t i = 0; i < curve->n; i++)
		first->latency = fmin(first->latency,
				      least_time(&curve->at[i]));
	while (last && least_time(&curve->at[last - 1]) > FITS * first->latency)
		last--;
	if (last && last < curve->n)
		first->fits_bytes = (double)curve->at[last - 1].length;
}

int mp_line_first_find(const struct mp_view *view, struct mp_line_first *first)
{
	struct mp_sweep sweep;
	struct mp_curve curve;
	int err;

	first->fits_bytes = NAN;
	rough_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	first_of(&curve, first);
	mp_curve_free(&curve);
	return 0;
}

int mp_line_first_plan(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;

	rough_sweep(view, &sweep);
	return mp_cpu_grid(&sweep, view, ROUGH_FROM, ROUGH_TO, ROUGH_GRAIN,
			   ROUGH_REPLICATES, plan);
}

static void room_of(const struct mp_line_first *first, uint32_t parts,
		    struct mp_line_room *room)
{
	mp_line_room_of(first->fits_bytes / parts, room);
	room->fits_bytes = first->fits_bytes / parts;
	room->hit_time = first->latency;
}

/* Slots of the rough curve are two of the shortest lines apart. Where the
 * number of sets is odd they fall on all of them all the same, and the level
 * has room for half as many bytes of such lines: a dense ring of them does not
 * fit where the curve says that one would. */
static bool is_less(const struct mp_line_first *first, uint32_t unit,
		    const struct mp_line_count *count)
{
	return unit < ROUGH_STRIDE && count->inside > FITS * first->latency;
}

static int count_of(const struct mp_view *view,
		    const struct mp_line_first *first, uint32_t unit,
		    struct mp_fact *fact, struct mp_line_count *count)
{
	struct mp_line_count half;
	struct mp_line_room room;
	int err;

	room_of(first, 1, &room);
	err = mp_line_count(view, &room, unit, fact, count);
	if (err || !is_less(first, unit, count))
		return err;
	room_of(first, ROUGH_STRIDE / unit, &room);
	err = mp_line_count(view, &room, unit, fact, &half);
	/* What does not fit may have other reasons; what does is proof. */
	if (!err && half.fits == MP_LINE_YES &&
	    half.inside <= FITS * first->latency)
		*count = half;
	return err;
}

/* What fits, fits whole, and more slots than that do not. If they do lines are
 * shorter: it was a level further out that lost slots when those were counted. */
static int whole_of(const struct mp_view *view,
		    const struct mp_line_first *first, uint32_t unit,
		    const struct mp_line_count *count, struct mp_fact *fact,
		    struct mp_line_counts *out)
{
	struct mp_line_room room;
	bool more = false;
	int err = 0;

	room_of(first, 1, &room);
	if (unit > MP_LINE_COUNT_FROM)
		err = mp_line_count_more(view, &room, unit, count->odd, fact,
					 &more);
	out->odd = count->odd;
	out->line = more ? unit / 2 : unit;
	out->clear &= !more;
	out->whole = count->z <= WHOLE && !more;
	return err;
}

int mp_line_counts_more_plan(const struct mp_view *view,
			     const struct mp_line_first *first,
			     const struct mp_line_counts *counts,
			     struct mp_plan *plan)
{
	struct mp_line_room room;

	room_of(first, 1, &room);
	return mp_line_count_more_plan(view, &room, counts->line, counts->odd,
				       plan);
}

int mp_line_counts(const struct mp_view *view,
		   const struct mp_line_first *first, struct mp_fact *fact,
		   struct mp_line_counts *out)
{
	*out = (struct mp_line_counts){ .clear = true, .sector = NAN,
					 .replicates = UINT32_MAX };
	for (uint32_t unit = MP_LINE_COUNT_FROM; unit <= MP_LINE_MAX;
	     unit *= 2) {
		struct mp_line_count count;
		int err = count_of(view, first, unit, fact, &count);

		if (err)
			return err;
		if (count.replicates && count.replicates < out->replicates)
			out->replicates = count.replicates;
		if (count.fits == MP_LINE_NO) {
			out->time = fmax(out->time, count.time);
			out->slowest = fmax(out->slowest, count.slowest);
		}
		if (unit == MP_LINE_COUNT_FROM && count.fits == MP_LINE_NO)
			out->sector = unit / count.share;
		if (count.fits == MP_LINE_YES)
			return whole_of(view, first, unit, &count, fact, out);
		out->clear &= count.fits == MP_LINE_NO;
		if (count.fits == MP_LINE_OPEN)
			return 0;
	}
	return 0;
}

int mp_line_counts_plan(const struct mp_view *view,
			const struct mp_line_first *first,
			struct mp_plan *plan)
{
	struct mp_line_room room;
	uint32_t parts = 0;
	int err = 0;

	for (uint32_t unit = MP_LINE_COUNT_FROM; unit <= MP_LINE_MAX && !err;
	     unit *= 2) {
		struct mp_line_count count = { .fits = MP_LINE_OPEN };

		room_of(first, 1, &room);
		err = mp_line_count_plan(view, &room, unit, plan);
		if (!err)
			err = mp_line_count(view, &room, unit, NULL, &count);
		if (err || count.fits == MP_LINE_OPEN)
			return err;
		if (is_less(first, unit, &count))
			parts = ROUGH_STRIDE / unit;
		if (count.fits == MP_LINE_YES)
			break;
		plan->stage++;
	}
	/* Last, as it seldom tells more. */
	if (err || !parts)
		return err;
	plan->stage++;
	room_of(first, parts, &room);
	return mp_line_count_plan(view, &room, ROUGH_STRIDE / parts, plan);
}
