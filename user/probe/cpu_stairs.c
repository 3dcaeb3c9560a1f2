// SPDX-License-Identifier: GPL-2.0
/* Stairs of a curve that a few lines make, as they go from level to level. */
#include "probe/cpu_stairs.h"

#include <math.h>

#include "analysis/clock.h"

/* A clock of long steps reads so much of one more or less; of fewer lines than
 * this at a time, as much more a line. */
#define STEP_PART 0.01
#define LINES 16.0
/* Stairs lie so many times as far apart as each may be off. */
#define OFFS_APART 2.0
/* Of a stair's replicates this share takes what it does, give or take so much: else
 * it is an edge, where all lines are here in some and further out in others. */
#define ALIKE_LEAST 0.5
#define ALIKE 0.15

/* Within a stair the curve rises by so much of what it does beside it, at most. */
#define SLOPE_PART 0.5

static double middle_of(const struct mp_curve *curve, uint32_t i)
{
	return mp_curve_middle(&curve->at[i]);
}

double mp_cpu_stairs_off(const struct mp_curve *curve)
{
	const struct mp_batch *batch = curve->at[0].batch[0];

	return STEP_PART * mp_clock_cycles(batch, (double)batch->grant.tick_step);
}

/* .. of a length's own lines. */
static double off_at(const struct mp_curve *curve, uint32_t i)
{
	const struct mp_exp *exp = &curve->at[i].batch[0]->exp;
	double lines = LINES;

	for (uint32_t a = 0; a < exp->n_actors; a++)
		if (exp->actor[a].detail == MP_DETAIL_HIST)
			lines = exp->actor[a].group;
	return mp_cpu_stairs_off(curve) * fmax(LINES / lines, 1);
}

/* Lengths from @first on that take the same as those before them. */
static struct mp_cpu_stair stair_at(const struct mp_curve *curve, uint32_t first)
{
	struct mp_cpu_stair stair = { first, first, middle_of(curve, first), false };

	for (uint32_t i = first + 1; i < curve->n; i++) {
		const double here = middle_of(curve, i);
		/* What all before are off by, too, the less the more there are. */
		const double off = off_at(curve, i) + (off_at(curve, first) -
				   off_at(curve, i)) / (i - first);

		if (!(fabs(here - stair.cycles) <
		      stair.cycles * MP_CPU_STAIR_SAME + off))
			break;
		stair.cycles += (here - stair.cycles) / (i + 1 - first);
		stair.last = i;
	}
	return stair;
}

/* Do its replicates take what their medians do? */
static bool is_level(const struct mp_curve *curve, const struct mp_cpu_stair *stair)
{
	double alike = 0, all = 0;

	for (uint32_t i = stair->first; i <= stair->last; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		for (uint32_t r = 0; r < at->n; r++)
			alike += fabs(at->cycles[r] - stair->cycles) <
				 stair->cycles * ALIKE + off_at(curve, i);
		all += at->n;
	}
	return alike >= ALIKE_LEAST * all;
}

/* What takes little more than the stair before is the same one, of which some
 * lines were still further in. */
static void join(struct mp_cpu_stair *stair, const struct mp_cpu_stair *next)
{
	if (next->last - next->first > stair->last - stair->first)
		stair->cycles = next->cycles;
	stair->last = next->last;
}

/* Does nothing beyond a stair take less, or so much more that it is another
 * one? Of memory some lengths take a little more than others. */
static bool is_end(const struct mp_curve *curve, const struct mp_cpu_stair *stair)
{
	for (uint32_t i = stair->last + 1; i < curve->n; i++)
		if (middle_of(curve, i) * (1 + MP_CPU_STAIR_SAME) < stair->cycles ||
		    middle_of(curve, i) > stair->cycles * MP_CPU_STAIR_RISES)
			return false;
	return true;
}

/* Cycles a length from one to another. */
static double slope_of(const struct mp_curve *curve, uint32_t from, uint32_t to)
{
	return (middle_of(curve, to) - middle_of(curve, from)) / (to - from);
}

/* Those that rise within by half as much as the curve beside them, where that is gentler,
 * are pieces of an edge, which a long step of the clock makes look alike. Return: how
 * many are left. */
static uint32_t drop_slopes(const struct mp_curve *curve, struct mp_cpu_stair *stair,
			    uint32_t n)
{
	uint32_t left = 0;
	bool sloped = false;

	for (uint32_t i = 0; i < n; i++) {
		struct mp_cpu_stair here = stair[i];
		double beside = INFINITY;

		if (left)
			beside = slope_of(curve, stair[left - 1].last, here.first);
		if (i + 1 < n)
			beside = fmin(beside, slope_of(curve, here.last,
						       stair[i + 1].first));
		here.sloped = sloped;
		sloped = slope_of(curve, here.first, here.last) >= SLOPE_PART * beside;
		if (sloped)
			continue;
		stair[left++] = here;
	}
	return left;
}

uint32_t mp_cpu_stairs_find(const struct mp_curve *curve,
			    struct mp_cpu_stair stair[MP_CPU_STAIRS])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_cpu_stair next = stair_at(curve, i);
		struct mp_cpu_stair *before = n ? &stair[n - 1] : NULL;

		if (next.last < i + MP_CPU_STAIR_MIN - 1 ||
		    !is_level(curve, &next))
			continue;
		if (before && next.cycles * MP_CPU_STAIR_RISES < before->cycles)
			return 0;
		/* What one clock's step may make of another is no stair. */
		if (before && next.cycles >= before->cycles * MP_CPU_STAIR_RISES &&
		    next.cycles < before->cycles + OFFS_APART *
				  mp_cpu_stairs_off(curve))
			return 0;
		if (before && next.cycles < before->cycles * MP_CPU_STAIR_RISES)
			join(before, &next);
		else if (n == MP_CPU_STAIRS)
			return 0;
		else
			stair[n++] = next;
		i = next.last;
	}
	n = drop_slopes(curve, stair, n);
	return n && is_end(curve, &stair[n - 1]) ? n : 0;
}

bool mp_cpu_stairs_short(const struct mp_curve *curve, double least,
			 const struct mp_cpu_stair *first)
{
	/* The first length may be the last of one. */
	for (uint32_t i = 0; i < first->first; i++) {
		const struct mp_cpu_stair here = stair_at(curve, i);

		if ((here.last > i || (!i && is_level(curve, &here))) &&
		    here.cycles >= least &&
		    here.cycles * MP_CPU_STAIR_RISES < first->cycles)
			return true;
	}
	return false;
}
