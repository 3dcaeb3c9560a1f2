/* SPDX-License-Identifier: GPL-2.0 */
/* The cache levels in a stored latency curve: one latency a footprint. */
#ifndef MP_LEVELS_H
#define MP_LEVELS_H

#include <stdint.h>

/** MP_LEVELS_POINTS_MAX - points of one curve; the work grows as the square */
#define MP_LEVELS_POINTS_MAX 4096u

/**
 * struct mp_curve_point - one point of a latency curve
 * @footprint_bytes: memory walked round, > 0
 * @latency: of a dependent load, > 0; cycles or ns, the same unit throughout
 */
struct mp_curve_point {
	double footprint_bytes;
	double latency;
};

/**
 * struct mp_level - a level of cache that the curve bears out
 * @size_bytes: its capacity
 * @low_bytes: the largest footprint tried that it still holds whole
 * @high_bytes: the smallest footprint tried that it cannot be as large as
 * @latency: of its plateau, in the unit of the curve
 * @parted_bytes: rings from @high_bytes up to here are known to be the next level's
 *	alone; 0 where they are not, as always here: who knows more of a curve sets it
 *
 * @low_bytes..@high_bytes is a bracket of tried footprints, not a
 * statistical interval: one value a footprint has no spread.
 */
struct mp_level {
	double size_bytes;
	double low_bytes;
	double high_bytes;
	double latency;
	double parted_bytes;
};

/**
 * mp_levels_find() - find the levels of cache in a latency curve
 * @point: the curve, in any order; several values of one footprint count as
 *	their lower median
 * @n: points
 * @level: gets the levels, inner to outer; memory itself is no level
 * @room: levels that fit there
 * @n_levels: gets the number of levels found
 *
 * No unit and no size is assumed: scaling latencies or footprints scales the
 * answer and changes nothing else. Fewer than three footprints, and a flat
 * curve, show no level.
 * Return: 0; -EINVAL when a footprint or a latency is not a finite number
 * above 0; -E2BIG with more than MP_LEVELS_POINTS_MAX points; -ENOSPC when
 * more than @room levels were found (@n_levels says how many, the innermost
 * @room are filled in); -ENOMEM.
 */
int mp_levels_find(const struct mp_curve_point *point, uint32_t n,
		   struct mp_level *level, uint32_t room, uint32_t *n_levels);

#endif
