// SPDX-License-Identifier: GPL-2.0
/*
 * A mean cannot tell a third of the hops at 300 cycles from all of them at
 * 100: two edges may look like one, whatever shapes are fitted. Squares can.
 * Hops that all take a or b have a mean of squares that lies on the chord of
 * the parabola from a to b; each that takes a time between brings it below.
 * That holds for every shape, and for clocks too coarse to time a hop: what
 * their steps add to a square is known, as hops begin at any moment.
 *
 * And a clock that cannot tell a level from the one inside it may tell levels
 * further out: hops more than a step away from the time of every level that
 * the fits know of are of one that they do not.
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

/* Of the hops of a length so many at least are of a level: one in eight may
 * pay a page walk. And a level's hops take so much longer or shorter than
 * their mean, of that and these cycles, and a step of the clock. */
#define SHARE_MIN 0.2
#define CORE_SHARE 0.04
#define CORE_CYCLES 8.0
/* Slots of a ring that may share a line. */
#define SHARERS_MAX 8u
#define SHARING_MAX 0.55
/* Where so many hops are a level's, and their mean is off by no more than this
 * share and so many cycles, rings show it by itself. */
#define ALONE_MIN 0.98
#define ALONE_OFF 0.03
#define ALONE_CYCLES 0.5

/* What the fits say of a length. */
struct mixture {
	uint32_t active;	/* the edge that squares feel most */
	double slope;		/* of its chord */
	double jump;
	double residual;	/* mean of squares less slope times mean */
};

/* How the clock reads a hop: in such steps, of the hop and what timing adds to
 * it; cycles. */
struct reading {
	double step;
	double adds;
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

void mp_cpu_between_exp(const struct mp_view *view, uint64_t length,
			uint32_t hops, struct mp_exp *exp)
{
	struct mp_sweep sweep;

	mp_cpu_side_sweep(view, 0, &sweep);
	mp_sweep_singly(&sweep);
	mp_sweep_exp(&sweep, length, exp);
	exp->actor[0].hops = hops;
}

/* The first replicate's reading; its step is NaN where there is no replicate. */
static struct reading look_at(const struct mp_view *view, uint64_t length,
			      void (*to)(void *ctx, double cycles, double n),
			      void *ctx)
{
	struct reading reading = { .step = NAN };
	const struct mp_batch *batch;
	uint32_t at = 0;
	struct mp_exp exp;
	uint64_t id;

	mp_cpu_between_exp(view, length, HOPS, &exp);
	id = mp_exp_id(&exp);
	while ((batch = mp_view_next(view, id, &at))) {
		if (!mp_batch_counts(batch))
			continue;
		if (isnan(reading.step)) {
			reading.step = mp_spectrum_step(batch);
			reading.adds = mp_clock_cycles(batch,
						       batch->grant.read_ticks);
		}
		mp_spectrum_each_hop(batch, to, ctx);
	}
	return reading;
}

static struct reading look(const struct mp_view *view, uint64_t length,
			   struct seen *seen)
{
	struct reading reading = look_at(view, length, take, seen);

	if (!(seen->n > 0))
		reading.step = NAN;
	return reading;
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

/* The @i-th, from the longest down. */
static uint64_t length_within(const struct mp_view *view,
			      const struct mp_cpu_edges *edges, uint32_t i)
{
	const double at = floor(log2(edges->edge[0].low / WITHIN)) - i;
	struct mp_sweep sweep;
	uint64_t length;

	mp_cpu_side_sweep(view, 0, &sweep);
	length = at > 0 ? (uint64_t)exp2(at) : 0;
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
	length = length_within(view, edges, 0);
	if (!length)
		return 0;
	mp_cpu_between_exp(view, length, HOPS, &exp);
	err = mp_plan_add(plan, &exp, REPLICATES);
	for (uint32_t k = 0; is_asked(edges, k) && !err; k++) {
		for (uint32_t i = 0; !err; i++) {
			length = length_of(view, edges, k, i);
			if (!length)
				break;
			mp_cpu_between_exp(view, length, HOPS, &exp);
			err = mp_plan_add(plan, &exp, REPLICATES);
		}
	}
	return err;
}

/* -- what the fits say ------------------------------------------------------ */

/* The mean square of what a clock says of a time: it is read together with what
 * timing adds, as one of two whole numbers of steps. */
static double square_of(double cycles, const struct reading *reading)
{
	const double steps = (cycles + reading->adds) / reading->step;
	const double part = steps - floor(steps);

	return cycles * cycles +
	       reading->step * reading->step * part * (1 - part);
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
		       double length, const struct reading *reading,
		       struct mixture *out)
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
		square += (left - beyond) * square_of(time, reading);
		if (k < edges->n && edges->fitted[k]) {
			const double next = latency(edges, inside, k + 1);
			const double jump = next - time;
			const double both = beyond * (1 - beyond);

			if (both * jump * jump > most) {
				most = both * jump * jump;
				mixed = both > MIXED * (1 - MIXED);
				out->active = k;
				out->jump = jump;
				out->slope = (square_of(next, reading) -
					      square_of(time, reading)) / jump;
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
		     uint64_t length, double offset,
		     const struct reading *reading)
{
	const double inside = edges->edge[0].inside;
	struct seen seen = { .offset = offset };
	struct mixture mixture;
	double mean, error, below;

	if (!mixture_of(edges, inside, (double)length, reading, &mixture) ||
	    mixture.active != k)
		return false;
	seen.slope = mixture.slope;
	if (isnan(look(view, length, &seen).step))
		return false;
	mean = seen.sum / seen.n;
	error = sqrt(fmax(seen.squares / seen.n - mean * mean, 0) / seen.n);
	below = mixture.residual - mean - SIGMAS * error -
		STEP_PART * reading->step * reading->step;
	return below > FLOOR * mixture.jump * mixture.jump;
}

/* -- hops of no level that is known ----------------------------------------- */

/* What hops of each level take, and of what lies beyond the last, as the
 * clock reads it; and hops that take something else, behind each. */
struct times {
	double offset;
	uint32_t n;
	double from[MP_CPU_LEVELS + 1];
	double to[MP_CPU_LEVELS + 1];
	bool may_share[MP_CPU_LEVELS + 1];
	double all;
	double own[MP_CPU_LEVELS];
	double sum[MP_CPU_LEVELS];
	double other[MP_CPU_LEVELS];
	double sharing[MP_CPU_LEVELS];
};

double mp_cpu_between_slack(double cycles, double step)
{
	return CORE_SHARE * (cycles + CORE_CYCLES) + step;
}

static void times_of(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, double offset,
		     double step, struct times *times)
{
	struct mp_sweep sweep;

	*times = (struct times){ .offset = offset };
	mp_cpu_side_sweep(view, 0, &sweep);
	while (times->n < edges->n && edges->fitted[times->n])
		times->n++;
	for (uint32_t k = 0; k <= times->n; k++) {
		/* Two edges say what the level between them takes. */
		const double first = edges->edge[k ? k - 1 : 0].outside;
		const double next = k < times->n ? edges->edge[k].inside :
						   first;
		const double a = k ? first : next;

		times->from[k] = fmin(a, next) -
				 mp_cpu_between_slack(fmin(a, next), step);
		times->to[k] = fmax(a, next) +
			       mp_cpu_between_slack(fmax(a, next), step);
		times->may_share[k] = k && k < times->n &&
				      mp_cpu_shares_lines(view, sweep.stride,
							  k);
	}
}

/* Where slots share lines of a level all but one of them are served by the
 * level inside, and what its edges say is a mean: one alone takes longer. */
static bool is_of_sharers(const struct times *times, uint32_t k, double x)
{
	if (!times->may_share[k])
		return false;
	for (uint32_t slots = 2; slots <= SHARERS_MAX; slots *= 2) {
		const double others = slots - 1;

		if (x > slots * times->from[k] - others * times->to[k - 1] &&
		    x < slots * times->to[k] - others * times->from[k - 1])
			return true;
	}
	return false;
}

static void take_time(void *ctx, double cycles, double n)
{
	struct times *times = ctx;
	const double x = cycles - times->offset;

	times->all += n;
	for (uint32_t k = 0; k < times->n; k++) {
		if (x > times->to[k] && x < times->from[k + 1])
			*(is_of_sharers(times, k, x) ?
			  &times->sharing[k] : &times->other[k]) += n;
		if (x < times->from[k] || x > times->to[k])
			continue;
		times->own[k] += n;
		times->sum[k] += n * x;
	}
}

/* What the lengths at all edges show behind a level. */
struct behind {
	uint32_t n;	/* with hops of no known level */
	double length;	/* the first of them */
	bool alone;	/* one has hops of this level only */
};

static void add_length(const struct mp_cpu_edges *edges, uint32_t k,
		       const struct times *seen, uint64_t length,
		       struct behind *out)
{
	const double time = edges->edge[k].inside;
	const double off = fabs(seen->sum[k] / seen->own[k] - time);
	/* Of two that share a line no more than one takes longer. */
	const double other = seen->other[k] +
			     fmax(seen->sharing[k] - SHARING_MAX * seen->all, 0);

	out->alone |= seen->own[k] >= ALONE_MIN * seen->all &&
		      off <= fmax(ALONE_OFF * time, ALONE_CYCLES);
	if (!(other > SHARE_MIN * seen->all))
		return;
	if (!out->n++)
		out->length = (double)length;
}

static void look_behind(const struct mp_view *view,
			const struct mp_cpu_edges *edges,
			const struct times *times, uint32_t k,
			struct behind *out)
{
	*out = (struct behind){ 0 };
	for (uint32_t at = 0; is_asked(edges, at); at++) {
		uint64_t length;

		for (uint32_t i = 0;
		     (length = length_of(view, edges, at, i)); i++) {
			struct times seen = *times;

			look_at(view, length, take_time, &seen);
			if (seen.all > 0)
				add_length(edges, k, &seen, length, out);
		}
	}
}

static uint32_t find_other(const struct mp_view *view,
			   const struct mp_cpu_edges *edges, double offset,
			   double step, struct behind *behind)
{
	struct times times;

	times_of(view, edges, offset, step, &times);
	for (uint32_t k = 0; k < times.n; k++) {
		look_behind(view, edges, &times, k, behind);
		if (behind->n >= LENGTHS_MIN)
			return k;
	}
	return MP_CPU_LEVELS;
}

static uint32_t find_below(const struct mp_view *view,
			   const struct mp_cpu_edges *edges, double offset,
			   const struct reading *reading, double *length)
{
	for (uint32_t k = 0; is_asked(edges, k); k++) {
		uint32_t n = 0;
		uint64_t at;

		for (uint32_t i = 0; (at = length_of(view, edges, k, i)); i++) {
			if (!is_below(view, edges, k, at, offset, reading))
				continue;
			*length = (double)at;
			if (++n == LENGTHS_MIN)
				return k;
		}
	}
	return MP_CPU_LEVELS;
}

/* The edge may have moved since: any ring that is surely within does. */
static struct reading look_within(const struct mp_view *view,
				  const struct mp_cpu_edges *edges,
				  struct seen *seen)
{
	struct reading reading = { .step = NAN };
	uint64_t length;

	for (uint32_t i = 0; isnan(reading.step); i++) {
		length = length_within(view, edges, i);
		if (!length)
			break;
		reading = look(view, length, seen);
	}
	return reading;
}

uint32_t mp_cpu_between_find(const struct mp_view *view,
			     const struct mp_cpu_edges *edges, double *length,
			     bool *alone)
{
	struct seen within = { .slope = 0 };
	struct behind behind;
	struct reading reading;
	uint32_t below, other;
	double offset;

	*alone = false;
	if (edges->single || !edges->n || !edges->fitted[0])
		return MP_CPU_LEVELS;
	reading = look_within(view, edges, &within);
	if (isnan(reading.step))
		return MP_CPU_LEVELS;
	offset = within.first / within.n - edges->edge[0].inside;
	reading.adds += offset;
	below = find_below(view, edges, offset, &reading, length);
	other = find_other(view, edges, offset, reading.step, &behind);
	if (other == MP_CPU_LEVELS || below < other)
		return below;
	*length = behind.length;
	*alone = behind.alone;
	return other;
}
