/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a level hold what lies inside it, or beside that? Six witnesses: a
 * ring that is kept hot inside (cpu_hot.h) and, where that does not tell,
 * pages of one colour of the level inside (cpu_colour.h), lines that are kept
 * out of the levels inside (cpu_stride.h), lines that stay there by chance
 * (cpu_stays.h), those that leave it (cpu_leaks.h), and another CPU that shares
 * the level and none inside (cpu_other.h).
 */
#ifndef MP_PROBE_CPU_BESIDE_H
#define MP_PROBE_CPU_BESIDE_H

#include "probe/cpu_colour.h"
#include "probe/cpu_hot.h"
#include "probe/cpu_leaks.h"
#include "probe/cpu_other.h"
#include "probe/cpu_stays.h"
#include "probe/cpu_stride.h"

/**
 * struct mp_cpu_beside - what all witnesses say
 * @holds: enum mp_cpu_holds; unknown where they contradict each other
 * @blurred: its size is an edge less what lies inside, and that edge may lie before
 *	the sum
 */
struct mp_cpu_beside {
	uint32_t holds;
	bool blurred;
	struct mp_cpu_hot hot;
	struct mp_cpu_colour colour;
	struct mp_cpu_stride stride;
	struct mp_cpu_stays stays;
	struct mp_cpu_leaks leaks;
	struct mp_cpu_other other;
};

/** mp_cpu_beside_plan() - want what tells about level @k, 1 or further out;
 * -ENOMEM */
int mp_cpu_beside_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_plan *plan);

/** mp_cpu_beside_judge() - what the batches say of level @k; -ENOMEM */
int mp_cpu_beside_judge(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_cpu_beside *beside);

/** MP_CPU_LITTLE - so small a part of a level do those inside hold that its
 * size is the same with and without */
#define MP_CPU_LITTLE 0.1

/** MP_CPU_WITHIN_EIGHTH - limits of which the harmonic mean is within an eighth of
 * either */
#define MP_CPU_WITHIN_EIGHTH 1.28

/** mp_cpu_below_next() - a size that stays open is no more than the edge of the next
 * level has, if that is known to be its own */
void mp_cpu_below_next(const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_fact *fact);

/**
 * mp_cpu_counted_most() - what level @k holds at most, whatever shapes say: as many
 *	lines as were counted
 * @exclusive: it holds none of those that were found inside
 * Return: bytes; infinite where nothing says so.
 */
double mp_cpu_counted_most(const struct mp_cpu_edges *edges, uint32_t k,
			   bool exclusive);

/** mp_cpu_counted_alone() - does a count say how large an exclusive level is, within
 * an eighth? */
bool mp_cpu_counted_alone(const struct mp_cpu_count *count);

/**
 * mp_cpu_counted() - what a count says of a size (cpu_counted.c)
 * @beside: what level @k holds of those inside
 * @high: the upper limit of its edge, bytes
 * @fact: its size, parted from theirs; is changed to what was counted
 */
void mp_cpu_counted(const struct mp_cpu_edges *edges, uint32_t k,
		    const struct mp_cpu_beside *beside, double high,
		    struct mp_fact *fact);

/**
 * mp_cpu_beside_part() - part a size from those of the levels inside
 * @fact: the size of level @k by its edge; is changed to that without what
 *	the levels inside hold, or to both where it is not known
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_beside_part(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_fact *fact);

#endif
