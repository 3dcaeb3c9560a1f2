// SPDX-License-Identifier: GPL-2.0
/*
 * What does the first level fetch at once? A ring is walked in windows, each
 * visited in random order. Of the slots that share a sector the first misses
 * and the rest find it there, so the share of misses is stride / sector until
 * the stride reaches it, and 1 from there on.
 */
#include "probe/line_strides.h"

#include <errno.h>
#include <math.h>

#include "backend.h"
#include "probe/cpu.h"

#define STRIDE_MAX 512u
/* The window fits the level, so that a line stays there until it is done, and
 * the smallest TLB; smaller ones would wake prefetchers that follow the
 * pattern of a region. */
#define REACH_MIN 2048u
#define REACH_MAX (32u << 10)
#define HOPS 512u
/* A footprint beyond the level, of the longest that fits: the next level may
 * be no more than half as large again. */
#define BEYOND 1.45
/* Two strides: the misses of one as a share of those of the next. A half
 * where slots share lines (more where the level forgets some before they come
 * round, as with random replacement), one where they do not (less where a
 * prefetcher is at work). */
#define SAME_LINE 0.7
#define OTHER_LINE 0.76
#define REPLICATES 5
/* So large a share of the replicates, each a moment of its own, has to say
 * the same. */
#define AGREED 0.6

static uint64_t rounded(double length)
{
	return (uint64_t)ceil(length / 4096) * 4096;
}

static uint64_t footprint(const struct mp_line_first *first)
{
	return rounded(first->fits_bytes * BEYOND);
}

static void stride_sweep(const struct mp_view *view,
			 const struct mp_line_first *first, uint32_t stride,
			 struct mp_sweep *sweep)
{
	uint64_t reach = REACH_MIN;

	while (reach < REACH_MAX && 4 * (double)reach <= first->fits_bytes)
		reach *= 2;
	mp_sweep_init(sweep, view, stride, reach);
	sweep->turns = 1;
	sweep->hops = HOPS;
}

static void stride_take(const struct mp_curve_at *at, struct mp_line_strides *st)
{
	bool in_ns = isnan(at->mid_cycles);

	st->cycles[st->n] = mp_curve_middle(at);
	for (uint32_t i = 0; i < at->n && i < MP_LINE_STRIDES_REPLICATES; i++)
		st->single[st->n][i] = in_ns ? at->ns[i] : at->cycles[i];
	for (uint32_t i = 0; i < at->n; i++)
		st->quiet &= (at->batch[i]->grant.got &
			      MP_GOT_PREFETCH_OFF) != 0;
	if (at->n < st->replicates)
		st->replicates = at->n;
	st->n++;
}

static int strides_take(const struct mp_view *view,
			const struct mp_line_first *first, struct mp_line_strides *st,
			struct mp_fact *fact)
{
	*st = (struct mp_line_strides){ .replicates = MP_LINE_STRIDES_REPLICATES, .quiet = true };
	for (uint32_t s = MP_LINE_STRIDE_MIN; s <= STRIDE_MAX; s *= 2) {
		const struct mp_curve_at *at;
		struct mp_sweep sweep;
		struct mp_curve curve;
		int err;

		stride_sweep(view, first, s, &sweep);
		err = mp_sweep_gather(&sweep, view, &curve);
		if (err)
			return err;
		at = mp_curve_find(&curve, footprint(first));
		if (at) {
			st->stride[st->n] = s;
			stride_take(at, st);
			if (fact)
				mp_fact_note(fact, at->id);
		}
		mp_curve_free(&curve);
	}
	return 0;
}

/* Share of the hops that miss, for each stride, of those of the stride with
 * the most. A long one may fall on few sets, and those may hold it, or on
 * all and not: that says nothing of shorter ones. */
static void shares_find(const struct mp_line_first *first, const double *cycles,
			struct mp_line_strides *st)
{
	double step = 0;

	for (uint32_t i = 0; i < st->n; i++)
		step = fmax(step, cycles[i] - first->latency);
	for (uint32_t i = 0; i < st->n; i++)
		st->share[i] = step > 0.1 * first->latency ?
			       fmax(cycles[i] - first->latency, 0) / step : NAN;
}

/* If two slots lie in one sector the second always hits, and the share of
 * misses halves with the stride. It halves no more where the stride has come
 * down to the sector: a neighbour that is fetched along is not always
 * there. */
static void fetched_find(const struct mp_line_strides *st, struct mp_line_fetched *out)
{
	out->bytes = 0;
	for (uint32_t i = 0; i + 1 < st->n; i++) {
		double ratio = st->share[i] / st->share[i + 1];

		if (ratio <= SAME_LINE) {
			out->below = ratio;
			continue;
		}
		out->above = ratio;
		out->shorter = !i;
		if (ratio >= OTHER_LINE && i)
			out->bytes = st->stride[i];
		return;
	}
}

static void fetched_all(const struct mp_line_first *first, struct mp_line_strides *st,
			struct mp_line_fetched *out)
{
	double cycles[MP_LINE_STRIDES];
	struct mp_line_fetched alone = { 0 };

	*out = (struct mp_line_fetched){ 0 };
	if (st->n < 2)
		return;
	shares_find(first, st->cycles, st);
	fetched_find(st, out);
	for (uint32_t r = 0; r < st->replicates; r++) {
		for (uint32_t i = 0; i < st->n; i++)
			cycles[i] = st->single[i][r];
		shares_find(first, cycles, st);
		fetched_find(st, &alone);
		out->agreed += alone.bytes == out->bytes;
	}
	if (out->agreed < AGREED * st->replicates)
		out->bytes = 0;
}

int mp_line_strides_plan(const struct mp_view *view,
			const struct mp_line_first *first, uint32_t from,
			struct mp_plan *plan)
{
	struct mp_sweep sweep;
	int err = 0;

	for (uint32_t s = from; s <= STRIDE_MAX && !err; s *= 2) {
		stride_sweep(view, first, s, &sweep);
		err = mp_sweep_plan(&sweep, view, footprint(first), REPLICATES,
				    plan);
	}
	return err;
}

int mp_line_strides(const struct mp_view *view,
		    const struct mp_line_first *first, struct mp_fact *fact,
		    struct mp_line_strides *st, struct mp_line_fetched *out)
{
	int err = strides_take(view, first, st, fact);

	if (!err)
		fetched_all(first, st, out);
	return err;
}
