// SPDX-License-Identifier: GPL-2.0
/*
 * A mean cannot tell a third of the hops at 300 cycles from all of them at
 * 100: two edges may look like one, whatever shapes are fitted. Squares can.
 * Hops that all take a or b have a mean of squares that lies on the chord of
 * the parabola from a to b; each that takes a time between brings it below.
 * That holds for every shape, and for clocks too coarse to time a hop: what
 * their steps add to a square is known, as hops begin at any moment.
 */
#include "probe/cpu_between.h"

#include <math.h>

#include "analysis/clock.h"

/* Lengths: so many to the octave, so far on either side of an edge. */
#define GRAIN 4
#define BELOW 1.1
#define ABOVE 1.3
#define REPLICATES 3u
#define HOPS 1024u
/* Of the hops of a length at least this share hit, and miss. */
#define MIXED 0.08
/* Below the chord by more than so much, in squares of the edge's jump (half of
 * the hops in the middle are an eighth), and by so many times what chance
 * does, at so many lengths. */
#define FLOOR 0.02
#define SIGMAS 4.0
#define LENGTHS_MIN 2u
/* Where the clock's step is long beside the jump, its share of a square is not
 * known as well as that: hops may follow the clock. */
#define STEP_PART 0.05
/* The innermost level alone, for what timing adds to a hop. */
#define WITHIN 2.0

/* What the fits say of a length. */
struct mixture {
	uint32_t active;	/* the edge that squares feel most */
	double slope;		/* of its chord */
	double jump;
	double residual;	/* mean of squares less slope times mean */
};

/* What was seen: sums over hops. */
struct seen {
	double slope;
	double offset;
	double n;
	double sum;
	double squares;
	double first;
};

static void take(void *ctx, double cycles, double n)
{
	struct seen *seen = ctx;
	const double x = cycles - seen->offset;
	const double residual = x * x - seen->slope * x;

	seen->n += n;
	seen->first += n * x;
	seen->sum += n * residual;
	seen->squares += n * residual * residual;
}

static void make_exp(const struct mp_view *view, uint64_t length,
		     struct mp_exp *exp)
{
	struct mp_sweep sweep;

	mp_cpu_side_sweep(view, 0, &sweep);
	mp_sweep_singly(&sweep);
	mp_sweep_exp(&sweep, length, exp);
	exp->actor[0].hops = HOPS;
}

/* The first replicate's step; NaN where there is no replicate. */
static double look(const struct mp_view *view, uint64_t length,
		   struct seen *seen)
{
	double step = NAN;
	struct mp_exp exp;
	uint64_t id;

	make_exp(view, length, &exp);
	id = mp_exp_id(&exp);
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (batch->id != id || !mp_batch_counts(batch))
			continue;
		if (isnan(step))
			step = mp_spectrum_step(batch);
		mp_spectrum_each_hop(batch, take, seen);
	}
	return seen->n > 0 ? step : NAN;
}

/* -- lengths ---------------------------------------------------------------- */

/* The @i-th of those that are looked at for level @k; 0: there is none. */
static uint64_t length_of(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k,
			  uint32_t i)
{
	const double low = edges->edge[k].low / BELOW;
	const double at = ceil(log2(low) * GRAIN) + i;
	struct mp_sweep sweep;
	uint64_t length;

	if (!edges->fitted[k] || exp2(at / GRAIN) > edges->edge[k].high * ABOVE)
		return 0;
	mp_cpu_side_sweep(view, 0, &sweep);
	length = (uint64_t)exp2(at / GRAIN);
	length -= length % sweep.stride;
	return length <= view->arena_max_bytes ? length : 0;
}

static uint64_t length_within(const struct mp_view *view,
			      const struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;
	uint64_t length;

	mp_cpu_side_sweep(view, 0, &sweep);
	length = (uint64_t)exp2(floor(log2(edges->edge[0].low / WITHIN)));
	return length - length % sweep.stride;
}

/* Levels that others share move, and are between their own times. */
static bool is_asked(const struct mp_cpu_edges *edges, uint32_t k)
{
	return k < edges->n && edges->fitted[k] &&
	       (!k || mp_cpu_has_sides(edges, k));
}

int mp_cpu_between_plan(const struct mp_view *view,
			const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	struct mp_exp exp;
	uint64_t length;
	int err = 0;

	if (edges->single || !edges->n || !edges->fitted[0])
		return 0;
	length = length_within(view, edges);
	if (!length)
		return 0;
	make_exp(view, length, &exp);
	err = mp_plan_add(plan, &exp, REPLICATES);
	for (uint32_t k = 0; is_asked(edges, k) && !err; k++) {
		for (uint32_t i = 0; !err; i++) {
			length = length_of(view, edges, k, i);
			if (!length)
				break;
			make_exp(view, length, &exp);
			err = mp_plan_add(plan, &exp, REPLICATES);
		}
	}
	return err;
}

/* -- what the fits say ------------------------------------------------------ */

/* The mean square of what a clock of such steps says of a time. */
static double square_of(double cycles, double step)
{
	const double part = cycles / step - floor(cycles / step);

	return cycles * cycles + step * step * part * (1 - part);
}

static double latency(const struct mp_cpu_edges *edges, double inside,
		      uint32_t k)
{
	return k ? edges->edge[k - 1].outside : inside;
}

/* Of all hops, those that miss level @k. */
static double missing(const struct mp_cpu_edges *edges, uint32_t k,
		      double length)
{
	if (k >= edges->n || !edges->fitted[k])
		return 0;
	return fmin(fmax(mp_cpu_miss(edges, k, length), 0), 1);
}

static bool mixture_of(const struct mp_cpu_edges *edges, double inside,
		       double length, double step, struct mixture *out)
{
	double left = 1, most = 0, mean = 0, square = 0;
	bool mixed = false;

	for (uint32_t k = 0; k <= edges->n; k++) {
		const double time = latency(edges, inside, k);
		const double beyond = fmin(missing(edges, k, length), left);

		if (k < edges->n && !edges->fitted[k] &&
		    length > edges->level[k].low_bytes / ABOVE)
			return false;
		mean += (left - beyond) * time;
		square += (left - beyond) * square_of(time, step);
		if (k < edges->n && edges->fitted[k]) {
			const double next = latency(edges, inside, k + 1);
			const double jump = next - time;
			const double both = beyond * (1 - beyond);

			if (both * jump * jump > most) {
				most = both * jump * jump;
				mixed = both > MIXED * (1 - MIXED);
				out->active = k;
				out->jump = jump;
				out->slope = (square_of(next, step) -
					      square_of(time, step)) / jump;
			}
		}
		left = beyond;
		if (!(left > 0))
			break;
	}
	out->residual = square - out->slope * mean;
	return mixed;
}

/* Is a length's mean of squares below the chord, at level @k's edge? */
static bool is_below(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     uint64_t length, double offset, double step)
{
	const double inside = edges->edge[0].inside;
	struct seen seen = { .offset = offset };
	struct mixture mixture;
	double mean, error, below;

	if (!mixture_of(edges, inside, (double)length, step, &mixture) ||
	    mixture.active != k)
		return false;
	seen.slope = mixture.slope;
	if (isnan(look(view, length, &seen)))
		return false;
	mean = seen.sum / seen.n;
	error = sqrt(fmax(seen.squares / seen.n - mean * mean, 0) / seen.n);
	below = mixture.residual - mean - SIGMAS * error -
		STEP_PART * step * step;
	return below > FLOOR * mixture.jump * mixture.jump;
}

uint32_t mp_cpu_between_find(const struct mp_view *view,
			     const struct mp_cpu_edges *edges, double *length)
{
	struct seen alone = { .slope = 0 };
	double step, offset;
	uint64_t within;

	if (edges->single || !edges->n || !edges->fitted[0])
		return MP_CPU_LEVELS;
	within = length_within(view, edges);
	step = within ? look(view, within, &alone) : NAN;
	if (isnan(step))
		return MP_CPU_LEVELS;
	offset = alone.first / alone.n - edges->edge[0].inside;
	for (uint32_t k = 0; is_asked(edges, k); k++) {
		uint32_t n = 0;
		uint64_t at;

		for (uint32_t i = 0; (at = length_of(view, edges, k, i)); i++) {
			if (!is_below(view, edges, k, at, offset, step))
				continue;
			*length = (double)at;
			if (++n == LENGTHS_MIN)
				return k;
		}
	}
	return MP_CPU_LEVELS;
}
