// SPDX-License-Identifier: GPL-2.0
/*
 * Does a level find as many slots that lie far apart as slots side by side?
 * Where a ring is a little too long for it, it loses some of them. If two
 * slots side by side share a line, as many that lie far apart are twice as
 * many lines, and it loses far more of those. How large the level is, and how
 * its lines fall on sets, need not be known: both rings meet the same.
 */
#include <math.h>

#include "analysis/stat.h"
#include "probe/line.h"

/* Rings, of what fits by the level's edge. */
static const double lengths[] = { 1.0, 1.4, 0.75, 1.9 };
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))
/* Of the hops that come to the level: a ring is too long for it, by not too
 * much, where it serves such a share. */
#define SERVED_LOW 0.3
#define SERVED_HIGH 0.75
/* So far from what twice as many lines would leave. */
#define ALIKE 0.6
/* Fewer hops that come to it say nothing. */
#define COMES 0.3
#define REPLICATES 3u
#define REPLICATES_MAX 16u

/* What a ring showed. */
struct shown {
	double share;
	uint32_t n;
	bool scattered;
};

static int look(const struct mp_view *view, const struct mp_line_asked *asked,
		uint32_t stride, double length, struct mp_plan *plan,
		struct mp_fact *fact, struct shown *out)
{
	const uint64_t span = (uint64_t)(length * asked->size / asked->unit) *
			      stride;
	const struct mp_curve_at *at;
	double share[REPLICATES_MAX];
	struct mp_sweep sweep;
	struct mp_curve curve;
	int err = 0;

	*out = (struct shown){ .share = NAN };
	mp_line_single(view, asked->size, stride, &sweep);
	if (plan)
		err = mp_sweep_plan(&sweep, view, span, REPLICATES, plan);
	if (!err)
		err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	at = mp_curve_find(&curve, span);
	for (uint32_t r = 0; at && r < at->n && out->n < REPLICATES_MAX; r++) {
		const struct mp_batch *batch = at->batch[r];
		const double comes = mp_spectrum_slower(batch,
				&asked->edges->spectrum, asked->level - 1);

		if (!(batch->grant.got & MP_GOT_PREFETCH_OFF))
			continue;
		out->scattered |= mp_cpu_scattered(batch);
		share[out->n++] = comes < COMES ? 1 :
			mp_line_served(batch, asked->edges, asked->level,
				       stride) / comes;
	}
	if (out->n)
		out->share = mp_stat_median(share, out->n);
	if (at && fact)
		mp_fact_note(fact, at->id);
	mp_curve_free(&curve);
	return 0;
}

/*
 * Twice as many lines leave the square of the share where each of a set's lines
 * is found if no other of the ring falls on its place, and half of it where a
 * level keeps what it has; all else leaves less.
 */
static bool is_alike(double dense, double sparse)
{
	const double twice = fmax(dense * dense, dense / 2);

	return sparse >= twice + ALIKE * (dense - twice);
}

/* Slots far apart, against those side by side. */
static int compare(const struct mp_view *view,
		   const struct mp_line_asked *asked, double length,
		   struct mp_plan *plan, struct mp_fact *fact,
		   const struct shown *dense, uint32_t *replicates)
{
	for (uint32_t i = 0; i < MP_LINE_ODDS; i++) {
		struct shown sparse;
		int err = look(view, asked, mp_line_odd(asked->unit, i), length,
			       plan, fact, &sparse);

		if (err || isnan(sparse.share))
			return err;
		if (sparse.scattered == dense->scattered &&
		    is_alike(dense->share, sparse.share))
			*replicates = sparse.n < dense->n ? sparse.n : dense->n;
		if (*replicates)
			return 0;
		if (plan)
			plan->stage++;
	}
	return 0;
}

int mp_line_alike(const struct mp_view *view, const struct mp_line_asked *asked,
		  struct mp_plan *plan, struct mp_fact *fact,
		  uint32_t *replicates)
{
	*replicates = 0;
	for (uint32_t i = 0; i < LENGTHS && !*replicates; i++) {
		struct shown dense;
		int err = look(view, asked, asked->unit, lengths[i], plan, fact,
			       &dense);

		if (err || isnan(dense.share))
			return err;
		if (plan)
			plan->stage++;
		if (dense.share < SERVED_LOW || dense.share > SERVED_HIGH)
			continue;
		err = compare(view, asked, lengths[i], plan, fact, &dense,
			      replicates);
		if (err)
			return err;
	}
	return 0;
}
