// SPDX-License-Identifier: GPL-2.0
/*
 * Memory nearer than it is, where the clock cannot time single hops.
 *
 * Memory is so slow that a mean says little of what lies inside: to least
 * squares a step from 12 to 30 cycles is no more than a few hops in a hundred
 * at 350. But a clock too coarse to time a hop of a level tells hops of memory
 * from the others all the same. Where each of these is taken for a hop twice
 * as slow as all others are, means are those of a machine with such a memory:
 * as many hops are served by each level as before, and edges lie where they
 * do. Which number stands for memory is our choice, and levels are none of its
 * business: they have to be the same with another one.
 */
#include "probe/cpu_near.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "probe/cpu_edges.h"

/* Lengths: some an octave for the levels, and as many as any edge gets about
 * those that there may be; from so far inside the first to so far beyond. */
#define FROM 1024.0
#define GRAIN 2
#define EDGE_GRAIN 8
#define BELOW 2.0
#define BEYOND 2.1
#define REPLICATES 6u
/* Fewer lengths draw no curve. */
#define LENGTHS_MIN 10u
/* Readings of the clock that are told apart: the last stands for all beyond,
 * which with steps of 3 cycles and more is memory. */
#define READINGS 64u
/* What memory takes is known so well. */
#define MEMORY_OFF 0.02
/* A reading that fewer hops have at any length is chance, or what walks add. */
#define READ_MIN 0.04
/* Where so many hops are no memory's, their mean is that of levels. */
#define OTHERS_MIN 0.25
/* A mean of others that is so much longer than a level's, at so many lengths that
 * far from the level inside. */
#define SLOWER 1.3
#define SLOWER_LENGTHS 2u
#define CLEAR 1.25
/* Memory takes so many times as long as the slowest others. */
#define TRIES 2u
static const double times_as_long[TRIES] = { 2, 3 };

/* Hops of a batch, or more, by the reading of the clock. */
struct readings {
	double all;
	double step;
	double offset;
	double hops[READINGS];
	double cycles[READINGS];
};

static void take(void *ctx, double cycles, double n)
{
	struct readings *seen = ctx;
	const double at = round((cycles + seen->offset) / seen->step);
	const uint32_t i = (uint32_t)fmin(fmax(at, 0), READINGS - 1);

	seen->all += n;
	seen->hops[i] += n;
	seen->cycles[i] += n * cycles;
}

static void read_batch(const struct mp_batch *batch, struct readings *seen)
{
	seen->step = mp_spectrum_step(batch);
	seen->offset = mp_clock_cycles(batch, batch->grant.read_ticks);
	mp_spectrum_each_hop(batch, take, seen);
}

static void read_length(const struct mp_curve_at *at, struct readings *seen)
{
	*seen = (struct readings){ 0 };
	for (uint32_t i = 0; i < at->n; i++)
		read_batch(at->batch[i], seen);
}

/* Hops up to a reading, and what they take together. */
static double hops_to(const struct readings *seen, uint32_t last,
		      double *cycles)
{
	double n = 0;

	*cycles = 0;
	for (uint32_t i = 0; i <= last; i++) {
		n += seen->hops[i];
		*cycles += seen->cycles[i];
	}
	return n;
}

/* The last reading that is not memory's; 0 where there is none before those. */
static uint32_t last_of_others(const struct mp_curve *curve, double memory)
{
	double most[READINGS] = { 0 }, first = READINGS - 1;
	uint32_t last;

	for (uint32_t i = 0; i < curve->n; i++) {
		struct readings seen;

		read_length(&curve->at[i], &seen);
		if (!(seen.all > 0))
			continue;
		first = fmin(first, floor((memory * (1 - MEMORY_OFF) +
					   seen.offset) / seen.step));
		for (uint32_t r = 0; r < READINGS; r++)
			most[r] = fmax(most[r], seen.hops[r] / seen.all);
	}
	last = first > 1 ? (uint32_t)first - 1 : 0;
	while (last && most[last] < READ_MIN)
		last--;
	return last;
}

/* What the slowest of the others take, in the mean of a length. */
static double slowest_other(const struct mp_curve *curve, uint32_t last)
{
	double slowest = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		struct readings seen;
		double n, cycles;

		read_length(&curve->at[i], &seen);
		n = hops_to(&seen, last, &cycles);
		if (n > OTHERS_MIN * seen.all)
			slowest = fmax(slowest, cycles / n);
	}
	return slowest;
}

/* Hops beyond a reading all take @memory. */
static void put_memory(struct mp_curve *curve, uint32_t last, double memory)
{
	for (uint32_t i = 0; i < curve->n; i++) {
		struct mp_curve_at *at = &curve->at[i];

		for (uint32_t k = 0; k < at->n; k++) {
			struct readings seen = { 0 };
			double n, cycles;

			read_batch(at->batch[k], &seen);
			if (!(seen.all > 0))
				continue;
			n = hops_to(&seen, last, &cycles);
			at->cycles[k] = (cycles + (seen.all - n) * memory) /
					seen.all;
			at->ns[k] = at->cycles[k] * 1e9 /
				    mp_clock_core_hz(at->batch[k]);
		}
		at->mid_cycles = mp_stat_median_of(at->cycles, at->n);
		at->mid_ns = mp_stat_median_of(at->ns, at->n);
	}
}

/* As many hops of each ring, lest those of short ones say too little. */
static void near_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_cpu_side_sweep(view, 0, sweep);
	mp_sweep_singly(sweep);
	sweep->least = sweep->hops;
}

int mp_cpu_near_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	int err;

	if (!(edges->near_to > 0))
		return 0;
	near_sweep(view, &sweep);
	err = mp_cpu_grid(&sweep, view, FROM, edges->near_to, GRAIN, REPLICATES,
			  plan);
	return err ? err : mp_cpu_grid(&sweep, view, edges->near_from,
				       edges->near_to, EDGE_GRAIN, REPLICATES,
				       plan);
}

/* The levels of a curve, with memory so near. */
static int find_with(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_curve *curve,
		     double memory, struct mp_cpu_edges *out)
{
	int err;

	*out = *edges;
	out->curve = out->side[0] = *curve;
	memset(&out->side[1], 0, sizeof(out->side[1]));
	memset(out->fitted, 0, sizeof(out->fitted));
	memset(out->width, 0, sizeof(out->width));
	out->doubt = (struct mp_cpu_doubt){ .level = MP_CPU_LEVELS };
	out->memory = memory;
	err = mp_cpu_edges_fit(view, out);
	if (!err)
		mp_cpu_find_doubt(view, out);
	return err;
}

bool mp_cpu_near_same(struct mp_cpu_edges *a, const struct mp_cpu_edges *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t k = 0; k < a->n; k++) {
		struct mp_edge *edge = &a->edge[k];
		const struct mp_edge *other = &b->edge[k];

		if (edge->low > other->size || edge->high < other->size ||
		    other->low > edge->size || other->high < edge->size)
			return false;
		edge->low = fmin(edge->low, other->low);
		edge->high = fmax(edge->high, other->high);
	}
	return true;
}

/* Translations show in how many slots a page has, which these curves do not
 * tell. */
static bool is_any_of_pages(const struct mp_view *view,
			    const struct mp_cpu_edges *edges)
{
	for (uint32_t k = 0; k < edges->n; k++)
		if (mp_cpu_is_of_pages(view, edges, k))
			return true;
	return false;
}

static void settle(const struct mp_view *view, struct mp_cpu_edges *edges,
		   const struct mp_cpu_edges *found)
{
	struct mp_cpu_edges settled = *edges;

	settled.n = found->n;
	settled.doubt = found->doubt;
	settled.memory = found->memory;
	memcpy(settled.level, found->level, sizeof(settled.level));
	memcpy(settled.edge, found->edge, sizeof(settled.edge));
	memcpy(settled.fitted, found->fitted, sizeof(settled.fitted));
	if (!is_any_of_pages(view, &settled))
		*edges = settled;
}

/* A length that takes no time: what the clock costs was not read aright. */
static bool is_sound(const struct mp_curve *curve)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if (!(mp_curve_middle(&curve->at[i]) > 0))
			return false;
	return true;
}

static double memory_of(const struct mp_cpu_edges *edges)
{
	const struct mp_curve *sparse = &edges->sparse;

	return mp_curve_middle(&sparse->at[sparse->n - 1]);
}

static int try_all(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	struct mp_curve *curve = &edges->near;
	const double memory = memory_of(edges);
	const uint32_t last = last_of_others(curve, memory);
	const double slowest = slowest_other(curve, last);
	struct mp_cpu_edges found[TRIES];

	for (uint32_t i = 0; i < TRIES; i++) {
		int err;

		if (!last || !(slowest * times_as_long[i] < memory))
			return 0;
		put_memory(curve, last, slowest * times_as_long[i]);
		if (!is_sound(curve))
			return 0;
		err = find_with(view, edges, curve, memory, &found[i]);
		if (err || found[i].doubt.level < MP_CPU_LEVELS ||
		    !mp_cpu_near_same(&found[0], &found[i]))
			return err == -ENODATA ? 0 : err;
	}
	settle(view, edges, &found[0]);
	return 0;
}

/* May the first hops of a wide edge to memory be those of a level? */
static bool may_be_two(const struct mp_cpu_edges *edges)
{
	const uint32_t last = edges->n - 1;

	return edges->fitted[last] && !mp_cpu_edge_plain(edges, last) &&
	       mp_cpu_has_room(&edges->edge[last]);
}

/*
 * Hops of a wide edge that are no memory's are all of the level inside it, and
 * take what that takes. Where they take far longer at some lengths another level
 * serves them: one shape may explain the mean all the same, as a few hops of
 * memory that are not there.
 */
static void look_beside_memory(struct mp_cpu_edges *edges)
{
	const struct mp_curve *curve = &edges->near;
	const uint32_t k = edges->n - 1;
	const double inside = edges->edge[k].inside;
	const double inner = k ? edges->edge[k - 1].high * CLEAR : 0;
	const uint32_t last = last_of_others(curve, memory_of(edges));
	uint32_t slower = 0;

	for (uint32_t i = 0; i < curve->n && last; i++) {
		const double length = (double)curve->at[i].length;
		struct readings seen;
		double n, cycles;

		read_length(&curve->at[i], &seen);
		n = hops_to(&seen, last, &cycles);
		slower += length > inner && n > OTHERS_MIN * seen.all &&
			  cycles > n * inside * SLOWER;
	}
	if (slower < SLOWER_LENGTHS)
		return;
	edges->doubt = (struct mp_cpu_doubt){
		.level = k,
		.size = { fmin(edges->edge[k].low, edges->level[k].size_bytes),
			  edges->level[k].size_bytes },
	};
}

/* Levels that others share move while they are looked at. */
static bool is_asked(const struct mp_cpu_edges *edges)
{
	const uint32_t n = edges->n;

	return !edges->single && n && edges->flat &&
	       (edges->doubt.level < n || may_be_two(edges)) &&
	       edges->muddled >= n && (n == 1 || mp_cpu_has_sides(edges, n - 1));
}

int mp_cpu_near_find(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;
	int err;

	if (!is_asked(edges))
		return 0;
	edges->near_from = edges->level[0].low_bytes / BELOW;
	edges->near_to = edges->level[edges->n - 1].high_bytes * BEYOND;
	near_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &edges->near);
	if (err || edges->near.n < LENGTHS_MIN || !edges->sparse.n)
		return err;
	if (edges->doubt.level < edges->n)
		return try_all(view, edges);
	look_beside_memory(edges);
	return 0;
}
