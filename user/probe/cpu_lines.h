/* SPDX-License-Identifier: GPL-2.0 */
/* A few lines, T, that are timed each time that a ring, W, has been walked. */
#ifndef MP_PROBE_CPU_LINES_H
#define MP_PROBE_CPU_LINES_H

#include "probe/cpu.h"

/** MP_LINES_TURNS - of W, between two visits to T */
#define MP_LINES_TURNS 8u

/** enum mp_lines_who - actors of an experiment: W, T, and P, which brings back what
 * translation has forgotten of T's pages */
enum mp_lines_who { MP_LINES_W, MP_LINES_T, MP_LINES_P, MP_LINES_RINGS };

/**
 * struct mp_lines_rig - what experiments hold fixed
 * @cpu, @pages, @node, @quiet: as of any
 * @stride, @reach: of W
 * @few_stride: bytes from slot to slot of T: none share a line of the first level;
 *	where @brought, none is within two such lines of W or P
 * @few: slots of T, at most
 * @brought: lines may be brought that were not asked for
 * @rounds: visits to T; 0: by the slots of W
 * @singly: T is timed hop by hop, and not as a whole; visits by the slots of W
 */
struct mp_lines_rig {
	uint32_t cpu;
	uint32_t pages;
	int32_t node;
	uint32_t quiet;
	uint64_t stride;
	uint64_t reach;
	uint64_t few_stride;
	uint64_t few;
	bool brought;
	uint32_t rounds;
	bool singly;
};

/** mp_lines_rig() - as a view's levels are looked at */
void mp_lines_rig(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  struct mp_lines_rig *rig);

/** mp_lines_from(), mp_lines_to() - the first step of the grid of lengths that is
 * no shorter than @bytes, and the place of @bytes on it: 16 to the octave */
double mp_lines_from(double bytes);
double mp_lines_to(double bytes);

/** mp_lines_least() - bytes of W and T together, of fewer of which T is too few slots */
uint64_t mp_lines_least(const struct mp_lines_rig *rig);

/** mp_lines_length() - bytes of W and T at a step */
uint64_t mp_lines_length(const struct mp_lines_rig *rig, double step);

/** mp_lines_want() - plan a length, if it can be had; 0 or -ENOMEM */
int mp_lines_want(const struct mp_view *view, const struct mp_lines_rig *rig,
		  uint64_t length, uint32_t replicates, struct mp_plan *plan);

/** mp_lines_each() - all calm visits to T, or its hops where they are timed singly: ticks,
 * and how many took them; those of the first round, which find nothing, are left out */
typedef void mp_lines_each_fn(double ticks, double n, void *into);
void mp_lines_each(const struct mp_batch *batch, mp_lines_each_fn *each, void *into);

/** mp_lines_gather() - what T takes at all lengths of the grid that were measured
 *
 * @curve: empty; to be freed even where that failed. 0 or -ENOMEM
 */
int mp_lines_gather(const struct mp_view *view, const struct mp_lines_rig *rig,
		    double from, double to, struct mp_curve *curve);

#endif
