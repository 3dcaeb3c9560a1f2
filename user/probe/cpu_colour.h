/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does an outer level hold what the one inside it holds, whatever that throws
 * out? Two rings have a line of each of so many pages. Those of the one follow
 * each other; those of the other are all of one colour of the level inside,
 * which has room for fewer of them then. An exclusive level's edge moves by
 * that; any other's does not.
 */
#ifndef MP_PROBE_CPU_COLOUR_H
#define MP_PROBE_CPU_COLOUR_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_colour - what the two edges say
 * @holds: MP_CPU_HOLDS_OTHERS, MP_CPU_HOLDS_NO_OTHERS or unknown
 * @first, @of: so many of each so many pages were taken; 0: no such were found
 * @part: the room that the level inside has for them, in what it has for all
 * @shift: logarithm of how much nearer this level's edge is
 * @expected: .. of an exclusive level
 * @error: a standard error of @shift
 * @id: of a ring of each kind; 0 = none
 */
struct mp_cpu_colour {
	uint32_t holds;
	uint32_t first;
	uint32_t of;
	double part;
	double shift;
	double expected;
	double error;
	uint64_t id[2];
};

/**
 * mp_cpu_colour_plan() - want the next rings of level @k, 1 or further out
 * @edges: with a fit of the level and the one inside
 *
 * Nothing is wanted where all is known, or nothing can be told.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_colour_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_plan *plan);

/** mp_cpu_colour_judge() - what the batches say of level @k */
void mp_cpu_colour_judge(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_cpu_colour *colour);

#endif
