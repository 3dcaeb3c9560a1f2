/* SPDX-License-Identifier: GPL-2.0 */
/* Stairs of a curve that a few lines make, as they go from level to level. */
#ifndef MP_CPU_STAIRS_H
#define MP_CPU_STAIRS_H

#include "probe/cpu.h"

/** MP_CPU_STAIRS - as many there may be: one for each level, and memory */
#define MP_CPU_STAIRS (MP_CPU_LEVELS + 1u)

/** MP_CPU_STAIR_MIN - a stair is so many lengths in a row that take the same; to
 * MP_CPU_STAIR_SAME, a share, and what the clock's steps leave open */
#define MP_CPU_STAIR_MIN 3u
#define MP_CPU_STAIR_SAME 0.02

/** MP_CPU_STAIR_RISES - what takes more by this factor is another stair */
#define MP_CPU_STAIR_RISES 1.2

/** MP_CPU_STAIRS_SHARP - lengths that are no further apart leave no room for a level
 * between them */
#define MP_CPU_STAIRS_SHARP 1.35

/**
 * struct mp_cpu_stair - lengths in a row that take the same
 * @first, @last: of the curve's lengths
 * @cycles: what they take, core cycles
 * @sloped: between the stair before and this one was another that rises as the curve
 *	beside it does: a piece of an edge, most likely, and none
 */
struct mp_cpu_stair {
	uint32_t first;
	uint32_t last;
	double cycles;
	bool sloped;
};

/** mp_cpu_stairs_off() - a clock of long steps reads so much more or less, in core
 * cycles; NAN where those are not known: then no lengths are alike */
double mp_cpu_stairs_off(const struct mp_curve *curve);

/** mp_cpu_stairs_find() - all stairs of a curve
 *
 * Return: how many; 0 where they fall, or the last does not end the curve.
 */
uint32_t mp_cpu_stairs_find(const struct mp_curve *curve,
			    struct mp_cpu_stair stair[MP_CPU_STAIRS]);

/**
 * mp_cpu_stairs_short() - do two lengths before the first stair take the same, as
 * if of one too short to be found? Or is the first length's none that rises to it?
 * @least: less than this is of a level further in; core cycles
 */
bool mp_cpu_stairs_short(const struct mp_curve *curve, double least,
			 const struct mp_cpu_stair *first);

#endif
