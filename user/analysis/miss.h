/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What share of the hops round a ring misses a cache, as a function of
 * footprint over capacity: the shapes that an edge of a curve can have.
 */
#ifndef MP_MISS_H
#define MP_MISS_H

#include <stdbool.h>
#include <stdint.h>

/** MP_MISS_SHAPES - shapes in the table */
#define MP_MISS_SHAPES 50
/** The table spans x = 2^-MP_MISS_BELOW .. 2^MP_MISS_ABOVE. */
#define MP_MISS_BELOW 4
#define MP_MISS_ABOVE 4
/** Points an octave. */
#define MP_MISS_GRAIN 64
#define MP_MISS_POINTS ((MP_MISS_BELOW + MP_MISS_ABOVE) * MP_MISS_GRAIN + 1)

/**
 * struct mp_miss_shape - how lines fall on sets, and who is evicted
 * @scattered: each page (or line, by a hash) falls on a set at random, so
 *	that sets hold a Poisson number of lines; else evenly, as in
 *	contiguous memory or in a cache indexed within the page
 * @ways: associativity
 * @random_share: 0 = the least recently used line goes (FIFO alike: on a
 *	cyclic walk both evict a line before it comes round again);
 *	1 = a random one; in between for the policies that lie there
 */
struct mp_miss_shape {
	bool scattered;
	uint32_t ways;
	double random_share;
};

/** struct mp_miss_table - all shapes, tabulated over log x */
struct mp_miss_table {
	struct mp_miss_shape shape[MP_MISS_SHAPES];
	float miss[MP_MISS_SHAPES][MP_MISS_POINTS];
};

/**
 * mp_miss_random() - miss share of one set under random replacement
 * @lines: lines that are walked round in the set
 * @ways: its ways
 *
 * The hit share h solves h = (1 - 1/ways)^((lines - 1/2) * (1 - h)).
 * Return: 0..1, good to about 0.01.
 */
double mp_miss_random(uint32_t lines, uint32_t ways);

/** mp_miss_table_fill() - tabulate all shapes */
void mp_miss_table_fill(struct mp_miss_table *table);

/** mp_miss_position() - where x lies in the table, in points */
double mp_miss_position(double x);

/** mp_miss_at() - miss share at a position, linear between points */
static inline double mp_miss_at(const struct mp_miss_table *table,
				uint32_t shape, double position)
{
	const float *miss = table->miss[shape];
	uint32_t i;

	if (position <= 0)
		return miss[0];
	if (position >= MP_MISS_POINTS - 1)
		return miss[MP_MISS_POINTS - 1];
	i = (uint32_t)position;
	return miss[i] + (position - i) * (miss[i + 1] - miss[i]);
}

/** mp_miss_lookup() - miss share at x */
double mp_miss_lookup(const struct mp_miss_table *table, uint32_t shape,
		      double x);

#endif
