// SPDX-License-Identifier: GPL-2.0
/*
 * One level, or two? Between two stairs (cpu_after.c) a few lines leave a level one by
 * one, where pages lie at random or the level's victims do, and what they take as a whole
 * goes from the one stair to the other as if others lay between. Timed hop by hop each
 * line is where it was or beyond: of one level's edge no hop takes anything else. Those of
 * another level that hides there would, at some of the lengths: by themselves, where the
 * clock tells them from both stairs; or in the mean of those that look like the nearer
 * one's.
 */
#include "probe/cpu_parted.h"

#include <math.h>

#include "analysis/clock.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_stairs.h"

/* Lengths of an edge that are looked at: so many, or as many as leave none for a level
 * between them; and replicates, and how many of them have to count. */
#define LENGTHS_MIN 5u
#define LENGTHS_MAX 16u
#define REPLICATES 6u
#define REPLICATES_LEAST 2u
/* What is read within this factor of a stair, and a step of the clock, is its. Levels
 * lie further apart: what lies halfway is of another. */
#define HALFWAY sqrt(MP_CPU_LEVELS_APART)
/* .. which a clock tells if so many steps lie between. */
#define CLEAR_STEPS 0.5
/* Of all hops so few may be others': interruptions that no one saw. */
#define OTHERS 0.02
/* The mean of a stair's hops, of so many and more, is what the stair takes, give or take
 * this share, so many standard errors and what the stair is off by. */
#define ENOUGH 50u
#define MEAN_SAME 0.05
#define ERRORS 2.0
/* At so many lengths no less than this share of the hops are of either stair. */
#define MIXED_LEAST 0.1
#define MIXED_LENGTHS 2u

/* Hops that look like one stair's. */
struct heap {
	double n;
	double sum;
	double squares;
};

/* Hops of a batch and those before it, by where the two stairs' end and begin. */
struct parts {
	const struct mp_batch *batch;
	double near;
	double far;
	struct heap inside;
	struct heap outside;
	double others;
};

static uint32_t lengths_of(const struct mp_edge *edge)
{
	const double n = ceil(log(edge->high / edge->low) / log(MP_CPU_STAIRS_SHARP)) + 1;

	return (uint32_t)fmin(fmax(n, LENGTHS_MIN), LENGTHS_MAX);
}

/* Steps of the grid between the two stairs. */
static double step_of(const struct mp_edge *edge, uint32_t i)
{
	const double from = mp_lines_to(edge->low), to = mp_lines_to(edge->high);
	const double step = round(from + (to - from) * (i + 1) / (lengths_of(edge) + 1));

	return fmin(fmax(step, ceil(from)), floor(to));
}

/* Where hops end that look like the inner stair's, and those of the outer begin. */
static bool limits_of(const struct mp_batch *batch, const struct mp_edge *edge,
		      double *near, double *far)
{
	const double step = mp_clock_cycles(batch, (double)batch->grant.tick_step);

	*near = edge->inside * HALFWAY + step;
	*far = edge->outside / HALFWAY - step;
	return *far >= *near + CLEAR_STEPS * step;
}

int mp_cpu_parted_plan(const struct mp_view *view, const struct mp_lines_rig *rig,
		       const struct mp_curve *stairs, const struct mp_edge *edge,
		       struct mp_plan *plan)
{
	struct mp_lines_rig singly = *rig;
	double near, far;
	int err = 0;

	singly.singly = true;
	if (!limits_of(stairs->at[0].batch[0], edge, &near, &far))
		return 0;
	for (uint32_t i = 0; i < lengths_of(edge) && !err; i++)
		err = mp_lines_want(view, &singly,
				    mp_lines_length(&singly, step_of(edge, i)),
				    REPLICATES, plan);
	return err;
}

static void put(struct heap *heap, double cycles, double n)
{
	heap->n += n;
	heap->sum += cycles * n;
	heap->squares += cycles * cycles * n;
}

static void sort_hop(double ticks, double n, void *into)
{
	struct parts *parts = into;
	const double cycles = mp_clock_cycles(parts->batch, ticks);

	if (cycles <= parts->near)
		put(&parts->inside, cycles, n);
	else if (cycles >= parts->far)
		put(&parts->outside, cycles, n);
	else
		parts->others += n;
}

/* How far the mean of a stair's hops may be from what the stair takes. */
static double loose_of(const struct heap *heap, double off)
{
	const double mean = heap->sum / heap->n;

	return hypot(ERRORS * sqrt(fmax(heap->squares / heap->n - mean * mean, 0) /
				   heap->n), off);
}

/* .. and is that less than another level would add? */
static bool is_known(const struct heap *heap, double cycles, double off)
{
	return heap->n >= ENOUGH &&
	       loose_of(heap, off) <= (MP_CPU_LEVELS_APART - 1) * cycles;
}

static bool is_other(const struct heap *heap, double cycles, double off)
{
	return is_known(heap, cycles, off) &&
	       fabs(heap->sum / heap->n - cycles) > MEAN_SAME * cycles + loose_of(heap, off);
}

/* Are all hops at a length those of either stair, which @off may be off by? @mixed: and
 * many of both? */
static bool is_parted(const struct mp_curve_at *at, const struct mp_edge *edge,
		      double off, bool *mixed)
{
	struct parts parts = { 0 };
	double all;

	for (uint32_t r = 0; r < at->n; r++) {
		parts.batch = at->batch[r];
		if (!limits_of(parts.batch, edge, &parts.near, &parts.far))
			return false;
		mp_lines_each(parts.batch, sort_hop, &parts);
	}
	all = parts.inside.n + parts.outside.n + parts.others;
	*mixed = parts.outside.n >= MIXED_LEAST * all &&
		 parts.inside.n >= MIXED_LEAST * all &&
		 is_known(&parts.inside, edge->inside, off) &&
		 is_known(&parts.outside, edge->outside, off);
	return at->n >= REPLICATES_LEAST && parts.others <= OTHERS * all &&
	       !is_other(&parts.inside, edge->inside, off) &&
	       !is_other(&parts.outside, edge->outside, off);
}

int mp_cpu_parted(const struct mp_view *view, const struct mp_lines_rig *rig,
		  const struct mp_curve *stairs, const struct mp_edge *edge, bool *parted)
{
	const double off = mp_cpu_stairs_off(stairs);
	struct mp_lines_rig singly = *rig;
	struct mp_curve curve = { 0 };
	uint32_t mixed = 0;
	int err;

	singly.singly = true;
	err = mp_lines_gather(view, &singly, edge->low, edge->high, &curve);
	*parted = !err;
	for (uint32_t i = 0; i < lengths_of(edge) && *parted; i++) {
		const uint64_t length = mp_lines_length(&singly, step_of(edge, i));
		bool is_mixed = false;
		uint32_t c = 0;

		while (c < curve.n && curve.at[c].length != length)
			c++;
		*parted = c < curve.n && is_parted(&curve.at[c], edge, off, &is_mixed);
		mixed += is_mixed;
	}
	mp_curve_free(&curve);
	*parted = *parted && mixed >= MIXED_LENGTHS;
	return err;
}
