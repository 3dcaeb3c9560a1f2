// SPDX-License-Identifier: GPL-2.0
/*
 * How many lines does a level hold, by the hops of a ring that find theirs
 * there? Those that find it further in, or nowhere, do not count, so a ring
 * may be longer than the level, and levels inside may hold much of it.
 */
#include <math.h>

#include "analysis/stat.h"
#include "probe/line.h"

/* Distances are odd multiples of a line, so that slots fall on all sets, and
 * longer than any line. Sets are rarely a multiple of both. */
static const uint32_t odds[] = { 5, 7, 9, 11 };
#define ODDS (sizeof(odds) / sizeof(odds[0]))
/* Lengths of rings, of what fits. */
static const double lengths[] = { 0.9, 1.15 };
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))
#define REPLICATES 3u
#define REPLICATES_MAX 16u
#define PAGE 4096.0
#define NEW_MOST 0.9

uint32_t mp_line_odd(uint32_t unit, uint32_t i)
{
	uint32_t first = 0;

	while (first + MP_LINE_ODDS < ODDS && odds[first] * unit <= MP_LINE_MAX)
		first++;
	return odds[first + i] * unit;
}

void mp_line_single(const struct mp_view *view, double size, uint32_t stride,
		    struct mp_sweep *sweep)
{
	struct mp_line_room room;

	mp_line_room_of(size, &room);
	mp_sweep_init(sweep, view, stride, room.reach);
	mp_sweep_singly(sweep);
}

double mp_line_served(const struct mp_batch *batch,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      uint32_t stride)
{
	const double new_page = fmin(stride / PAGE, NEW_MOST);
	const double out = mp_spectrum_slower(batch, &edges->spectrum, k);
	double in = 1;

	if (k)
		in = mp_spectrum_slower(batch, &edges->spectrum, k - 1);
	return in - out - (1 - in) * new_page / (1 - new_page);
}

static int look(const struct mp_view *view, const struct mp_line_asked *asked,
		const struct mp_sweep *sweep, uint64_t length,
		struct mp_fact *fact, double *bytes, uint32_t *replicates)
{
	const double slots = (double)(length / sweep->stride);
	double share[REPLICATES_MAX];
	const struct mp_curve_at *at;
	struct mp_curve curve;
	uint32_t n = 0;
	int err = mp_sweep_gather(sweep, view, &curve);

	*bytes = NAN;
	if (err)
		return err;
	at = mp_curve_find(&curve, length);
	for (uint32_t r = 0; at && r < at->n && n < REPLICATES_MAX; r++) {
		const struct mp_batch *batch = at->batch[r];

		if (batch->grant.got & MP_GOT_PREFETCH_OFF)
			share[n++] = mp_line_served(batch, asked->edges,
						    asked->level,
						    (uint32_t)sweep->stride);
	}
	if (n) {
		*bytes = mp_stat_median(share, n) * slots * asked->unit;
		*replicates = n;
	} else if (at) {
		*bytes = 0;
	}
	if (at && fact)
		mp_fact_note(fact, at->id);
	mp_curve_free(&curve);
	return 0;
}

/* One ring of one distance. */
static int try(const struct mp_view *view, const struct mp_line_asked *asked,
	       uint32_t stride, double length, struct mp_plan *plan,
	       struct mp_fact *fact, double *bytes, uint32_t *replicates)
{
	const uint64_t span = (uint64_t)(length * asked->size / asked->unit) *
			      stride;
	struct mp_sweep sweep;
	int err = 0;

	mp_line_single(view, asked->size, stride, &sweep);
	if (plan)
		err = mp_sweep_plan(&sweep, view, span, REPLICATES, plan);
	return err ? err : look(view, asked, &sweep, span, fact, bytes,
				replicates);
}

int mp_line_held(const struct mp_view *view, const struct mp_line_asked *asked,
		 struct mp_plan *plan, struct mp_fact *fact, double *bytes,
		 uint32_t *replicates)
{
	*bytes = 0;
	for (uint32_t i = 0; i < MP_LINE_ODDS * LENGTHS; i++) {
		uint32_t n = 0;
		double held;
		int err = try(view, asked,
			      mp_line_odd(asked->unit, i % MP_LINE_ODDS),
			      lengths[i / MP_LINE_ODDS], plan, fact, &held, &n);

		if (err || isnan(held))
			return err;
		if (held > *bytes) {
			*bytes = held;
			*replicates = n;
		}
		if (*bytes >= asked->enough)
			return 0;
		if (plan)
			plan->stage++;
	}
	return 0;
}
