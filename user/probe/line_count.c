// SPDX-License-Identifier: GPL-2.0
/*
 * Counting in lines: how many slots that lie far apart does a level hold?
 * What is fetched along with a slot, by sectors or by prefetchers, has no
 * part in it, but that prefetchers take room. So what stays proves that
 * lines are short, and what does not stay suggests that they are long.
 */
#include <math.h>

#include "analysis/sweep.h"
#include "probe/line.h"

/* Of the level's size: lines that stay for certain, and in a dense ring more
 * than fit. Their product lies beyond the size and below twice as much. */
#define FITS 0.78
#define BEYOND 1.75
/* Slots that fit times this are more lines than there is room for. */
#define MORE 1.45
/* No more pages than the smallest TLB knows. */
#define REACH_MAX (32u << 10)
#define REACH_MIN 2048u
/* The dense ring has to take so much longer when it does not fit. */
#define CONTRAST 1.2
/* Between the two: like the one that fits, like the one that does not. */
#define LIKE_FITS 0.35
/* .. where levels inside may hold many of them. */
#define LIKE_ALL_FITS 0.12
#define LIKE_SPILT 0.75
/* .. and what a dense ring takes is so much of what sparse ones take. */
#define MISS_LEAST 0.3
/* .. or all of them miss as the dense ones do, of which all, half or a quarter
 * miss: so near one of these ratios. */
#define NEAR 0.15
#define SAME 1.2
#define HOPS 512u
#define PAGE 4096u
#define SLOTS_LONG (16u << 10)
#define REPLICATES 3u
#define REPLICATES_LONG 2u

/* Of the misses of a ring as dense as the line inside, the share that tells
 * the sector: limits about a half and a quarter. */
#define SHARE_WHOLE 0.8
#define SHARE_HALF_LOW 0.36
#define SHARE_HALF_HIGH 0.66
#define SHARE_QUARTER_LOW 0.17
#define SHARE_QUARTER_HIGH 0.33

/* Sets are rarely a multiple of all of them. */
static const uint32_t odds[] = { 3, 5, 7 };
#define ODDS (sizeof(odds) / sizeof(odds[0]))
#define AGAINST 2u
/* Fewer lines than so many times those that a level inside holds. */
#define CROWDED 2

void mp_line_room_of(double size_bytes, struct mp_line_room *room)
{
	room->hit_time = 0;
	room->held = 0;
	room->fits_bytes = size_bytes * FITS;
	room->reach = REACH_MIN;
	while (room->reach < REACH_MAX &&
	       4 * (double)room->reach <= room->fits_bytes)
		room->reach *= 2;
	room->replicates = room->fits_bytes / 64 > SLOTS_LONG ?
			   REPLICATES_LONG : REPLICATES;
}

static void ring(const struct mp_view *view, const struct mp_line_room *room,
		 uint32_t stride, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, stride, room->reach);
	sweep->turns = 1;
	sweep->hops = HOPS;
}

static uint64_t whole(double length, uint32_t stride)
{
	return (uint64_t)(length / stride) * stride;
}

static int want(const struct mp_view *view, const struct mp_line_room *room,
		uint32_t stride, double length, struct mp_plan *plan)
{
	struct mp_sweep sweep;

	ring(view, room, stride, &sweep);
	return mp_sweep_plan(&sweep, view, whole(length, stride),
			     room->replicates, plan);
}

/* What a ring showed, in the middle and at least: NaN where it was not
 * measured. */
struct shown {
	double time;
	double least;
	uint32_t n;
	bool quiet;
};

static int look(const struct mp_view *view, const struct mp_line_room *room,
		uint32_t stride, double length, struct mp_fact *fact,
		struct shown *out)
{
	const struct mp_curve_at *at;
	struct mp_sweep sweep;
	struct mp_curve curve;
	double fastest[2];
	int err;

	*out = (struct shown){ .time = NAN, .least = NAN };
	ring(view, room, stride, &sweep);
	err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	at = mp_curve_find(&curve, whole(length, stride));
	if (at) {
		mp_curve_fastest(at, fastest);
		out->time = mp_curve_middle(at);
		out->least = fastest[0];
		out->n = at->n;
		out->quiet = true;
		for (uint32_t i = 0; i < at->n; i++)
			out->quiet &= (at->batch[i]->grant.got &
				       MP_GOT_PREFETCH_OFF) != 0;
		if (fact)
			mp_fact_note(fact, at->id);
	}
	mp_curve_free(&curve);
	return 0;
}

static uint32_t less(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* One slot a page, spread over the sets: what a visit to a page costs. */
static void page_ring(const struct mp_view *view,
		      const struct mp_line_room *room, struct mp_sweep *sweep)
{
	ring(view, room, PAGE, sweep);
	sweep->reach = room->reach < 2 * PAGE ? 2 * PAGE : room->reach;
	sweep->skew = MP_LINE_MAX;
}

/* Translation of a hop at a stride over a length. */
static int look_pages(const struct mp_view *view,
		      const struct mp_line_room *room, uint32_t stride,
		      double length, double *time)
{
	const struct mp_curve_at *at;
	struct mp_sweep sweep;
	struct mp_curve curve;
	int err;

	*time = 0;
	if (!room->hit_time || stride >= PAGE)
		return 0;
	page_ring(view, room, &sweep);
	err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	at = mp_curve_find(&curve, whole(length + PAGE, PAGE));
	if (at)
		*time = fmax(mp_curve_middle(at) - room->hit_time, 0) *
			stride / PAGE;
	mp_curve_free(&curve);
	return 0;
}

static int want_pages(const struct mp_view *view,
		      const struct mp_line_room *room, double length,
		      struct mp_plan *plan)
{
	struct mp_sweep sweep;

	if (!room->hit_time)
		return 0;
	page_ring(view, room, &sweep);
	return mp_sweep_plan(&sweep, view, whole(length + PAGE, PAGE),
			     room->replicates, plan);
}

/* The same, without what translation costs. */
static int look_at(const struct mp_view *view, const struct mp_line_room *room,
		   uint32_t stride, double length, struct mp_fact *fact,
		   struct shown *out)
{
	double pages;
	int err = look(view, room, stride, length, fact, out);

	if (!err)
		err = look_pages(view, room, stride, length, &pages);
	if (!err) {
		out->time -= pages;
		out->least -= pages;
	}
	return err;
}

/* What the rings of one length showed; and the most that sparse slots took
 * where there are too many, at any distance so far. */
struct rings {
	struct shown fits;
	struct shown beyond;
	struct shown sparse;
	struct shown spilt;
	double far;
};

/* Noise only adds: the least has to be more. */
static bool tells(const struct rings *rings)
{
	return rings->beyond.least >= CONTRAST * rings->fits.time;
}

/* Of a dense ring of lines so much longer than the level three in seven miss,
 * whatever the policy. Fewer: others took a part of the level meanwhile. */
static bool is_crowded(const struct rings *rings)
{
	const double fits = rings->fits.time;

	return rings->beyond.time - fits < MISS_LEAST * (rings->far - fits);
}

/* All sparse slots miss. Of the dense ones then a whole number of times fewer
 * do, as many as lie in one line, and no line is longer than the longest. */
static bool all_miss(double ratio, uint32_t unit)
{
	for (uint32_t parts = 1; parts * unit <= MP_LINE_MAX; parts *= 2)
		if (fabs(ratio / parts - 1) < NEAR)
			return true;
	return false;
}

/*
 * Sparse slots stay where they take hardly longer than dense ones. Where they
 * take longer they may miss for being too many; or a few of them miss by bad
 * luck, but are served from further away than what dense ones miss. Then more
 * of them would take longer still.
 */
static uint32_t judge(const struct rings *rings, uint32_t unit, bool crowded,
		      double *z)
{
	const double fits = rings->fits.time;
	const double step = rings->beyond.time - fits;
	double spilt;

	*z = (rings->sparse.time - fits) / step;
	if (isnan(rings->sparse.time))
		return MP_LINE_OPEN;
	if (!tells(rings))
		return MP_LINE_UNSURE;
	/* A few dense ones may come from far out, and be most of the step. */
	if (*z * step <= (crowded ? LIKE_ALL_FITS : LIKE_FITS) *
			 (rings->beyond.least - fits))
		return is_crowded(rings) ? MP_LINE_UNSURE : MP_LINE_YES;
	if (isnan(rings->spilt.time))
		return MP_LINE_OPEN;
	if (all_miss(*z, unit))
		return MP_LINE_NO;
	spilt = (rings->spilt.time - fits) / step;
	return *z >= LIKE_SPILT * spilt &&
	       spilt * unit <= (1 + NEAR) * MP_LINE_MAX ? MP_LINE_NO :
							 MP_LINE_UNSURE;
}

static int look_sparse(const struct mp_view *view,
		       const struct mp_line_room *room, uint32_t stride,
		       uint32_t odd, struct mp_fact *fact, struct rings *rings)
{
	int err = look_at(view, room, stride, odd * room->fits_bytes, fact,
			  &rings->sparse);

	if (!err)
		err = look_at(view, room, stride,
			      odd * BEYOND * room->fits_bytes, fact,
			      &rings->spilt);
	rings->far = fmax(rings->far, rings->spilt.time);
	return err;
}

static void sum_up(const struct rings *rings, uint32_t unit, bool crowded,
		   struct mp_line_count *out)
{
	double z;
	const uint32_t says = judge(rings, unit, crowded, &z);

	/* One that stays is proof; two have to agree that none do. */
	out->against += says == MP_LINE_NO;
	if (says == MP_LINE_NO) {
		out->time = fmin(out->time, rings->sparse.time);
		out->slowest = fmax(out->slowest, rings->sparse.time);
	}
	out->fits = says != MP_LINE_NO && says != MP_LINE_UNSURE ? says :
		    out->against >= AGAINST ? MP_LINE_NO : MP_LINE_UNSURE;
	if (isnan(rings->sparse.time))
		return;
	out->replicates = less(out->replicates, rings->sparse.n);
	out->quiet &= rings->sparse.quiet;
	/* The share is known where all of them say the same. */
	if (!(z >= out->z))
		out->z = z;
	if (!(z <= out->z_most))
		out->z_most = z;
	out->share = out->z_most <= SAME * out->z ? 1 / out->z : NAN;
}

int mp_line_count(const struct mp_view *view, const struct mp_line_room *room,
		  uint32_t unit, struct mp_fact *fact,
		  struct mp_line_count *out)
{
	const bool crowded = room->fits_bytes / unit < CROWDED * room->held;
	struct rings rings = { .far = NAN };
	int err;

	*out = (struct mp_line_count){ .time = INFINITY, .z = NAN,
					.z_most = NAN,
					.share = NAN, .inside = NAN };
	err = look_at(view, room, unit, room->fits_bytes, fact, &rings.fits);
	if (!err)
		err = look_at(view, room, unit, BEYOND * room->fits_bytes,
			      fact, &rings.beyond);
	out->inside = rings.fits.time;
	if (err || isnan(rings.fits.time) || isnan(rings.beyond.time))
		return err;
	out->replicates = less(rings.fits.n, rings.beyond.n);
	out->quiet = rings.fits.quiet && rings.beyond.quiet;
	for (uint32_t i = 0; i < ODDS; i++) {
		err = look_sparse(view, room, odds[i] * unit, odds[i], fact,
				  &rings);
		if (err)
			return err;
		sum_up(&rings, unit, crowded, out);
		out->odd = odds[i];
		if (out->fits == MP_LINE_OPEN || out->fits == MP_LINE_YES ||
		    !tells(&rings))
			return 0;
	}
	return 0;
}

static int want_sparse(const struct mp_view *view,
		       const struct mp_line_room *room, uint32_t stride,
		       double length, struct mp_plan *plan)
{
	int err = want_pages(view, room, length, plan);

	return err ? err : want(view, room, stride, length, plan);
}

int mp_line_count_plan(const struct mp_view *view,
		       const struct mp_line_room *room, uint32_t unit,
		       struct mp_plan *plan)
{
	struct mp_line_count so_far;
	int err;

	err = want_sparse(view, room, unit, room->fits_bytes, plan);
	if (!err)
		err = want_sparse(view, room, unit, BEYOND * room->fits_bytes,
				  plan);
	for (uint32_t i = 0; i < ODDS && !err; i++) {
		const uint32_t stride = odds[i] * unit;
		const double length = odds[i] * room->fits_bytes;

		err = want_sparse(view, room, stride, length, plan);
		plan->stage++;
		/* More of them only where these may not stay, and another
		 * number only where they do not. */
		if (!err)
			err = mp_line_count(view, room, unit, NULL, &so_far);
		if (err || isnan(so_far.z) || so_far.fits == MP_LINE_YES)
			return err;
		err = want_sparse(view, room, stride, BEYOND * length, plan);
		plan->stage++;
	}
	return err;
}

/* Slots half as far apart fall on all sets of lines half as long as well. */
static double more_of(const struct mp_line_room *room)
{
	return MORE * room->fits_bytes;
}

int mp_line_count_more(const struct mp_view *view,
		       const struct mp_line_room *room, uint32_t unit,
		       uint32_t odd, struct mp_fact *fact, bool *stay)
{
	struct shown fits, dense = { .least = NAN }, sparse = { .time = NAN };
	int err = look_at(view, room, unit, room->fits_bytes, NULL, &fits);

	*stay = false;
	if (!err)
		err = look_at(view, room, unit, more_of(room), fact, &dense);
	if (!err)
		err = look_at(view, room, odd * unit / 2,
			      odd * more_of(room) / 2, fact, &sparse);
	*stay = !err && dense.least >= CONTRAST * fits.time &&
		sparse.time - fits.time <=
			LIKE_ALL_FITS * (dense.least - fits.time);
	return err;
}

int mp_line_count_more_plan(const struct mp_view *view,
			    const struct mp_line_room *room, uint32_t unit,
			    uint32_t odd, struct mp_plan *plan)
{
	const int err = want_sparse(view, room, unit, more_of(room), plan);

	return err ? err : want_sparse(view, room, odd * unit / 2,
				       odd * more_of(room) / 2, plan);
}

void mp_line_bracket(struct mp_fact *fact, double bytes, uint32_t replicates)
{
	const double side = replicates < MP_LINE_SURE ? 2 : 1;

	fact->verdict = MP_MEASURED;
	fact->value = bytes;
	fact->low = bytes / side;
	fact->high = bytes * side;
}

uint32_t mp_line_sector(double share, uint32_t inner, uint32_t line)
{
	uint32_t parts = 0;

	if (share >= SHARE_WHOLE)
		parts = 1;
	else if (share >= SHARE_HALF_LOW && share <= SHARE_HALF_HIGH)
		parts = 2;
	else if (share >= SHARE_QUARTER_LOW && share <= SHARE_QUARTER_HIGH)
		parts = 4;
	return parts * inner <= line ? parts * inner : 0;
}
