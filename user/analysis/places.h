/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Miss shares where pages are thrown on the sets singly: a level has room for
 * its sets in so many places of a page each, and a page falls on one of them.
 */
#ifndef MP_PLACES_H
#define MP_PLACES_H

#include "analysis/miss.h"

/**
 * struct mp_places - a shape, as pages of some size scatter it
 * @a, @b: two rows of miss shares, as those of struct mp_miss_table
 * @part: of @b
 */
struct mp_places {
	const float *a;
	const float *b;
	double part;
};

/**
 * mp_places_of() - a shape as it is with pages of a size
 * @shape: of the table
 * @size_bytes: capacity
 * @page_bytes: what lies contiguous, or 0
 *
 * The sets of @size_bytes / ways bytes have room for so many pages side by
 * side. Pages thrown on few such places scatter less than a Poisson number: a
 * binomial one, and on a single one not at all. So the shape scattered at
 * random becomes one in between; others, and any shape where @page_bytes is
 * 0, stay what they are.
 */
struct mp_places mp_places_of(const struct mp_miss_table *table,
			      uint32_t shape, double size_bytes,
			      double page_bytes);

/** mp_places_at() - as mp_miss_at() */
static inline double mp_places_at(const struct mp_places *places,
				  double position)
{
	uint32_t i;
	double a, b;

	if (position < 0)
		position = 0;
	if (position > MP_MISS_POINTS - 1.001)
		position = MP_MISS_POINTS - 1.001;
	i = (uint32_t)position;
	position -= i;
	a = places->a[i] + position * (places->a[i + 1] - places->a[i]);
	if (places->part <= 0)
		return a;
	b = places->b[i] + position * (places->b[i + 1] - places->b[i]);
	return a + places->part * (b - a);
}

/** mp_places_inverse() - the least x at which so large a share misses */
double mp_places_inverse(const struct mp_places *places, double miss);

/**
 * mp_places_variance() - by how much do replicates differ?
 * @shape: of the table, scattered at random
 * @size_bytes: capacity
 * @page_bytes: pages that are thrown on the places of a level singly
 * @length: of a ring
 *
 * Each replicate throws its pages anew, and the share of hops that miss
 * varies with how they fall: the fewer places, the more.
 * Return: the variance of that share; NaN where it is not known.
 */
double mp_places_variance(const struct mp_miss_table *table, uint32_t shape,
			  double size_bytes, double page_bytes, double length);

#endif
