/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What share of the hops round a ring misses a cache, as a function of
 * footprint over capacity: the shapes that an edge of a curve can have.
 */
#ifndef MP_MISS_H
#define MP_MISS_H

#include <stdint.h>

/**
 * enum mp_miss_policy - who is evicted, as far as a cyclic walk can tell
 * @MP_MISS_LRU: a line that does not come round in time: least recently
 *	used, first in first out, trees and the re-reference predictors all
 *	do the same to a walk, and one line too many makes a whole set miss
 * @MP_MISS_HALF: in between
 * @MP_MISS_RANDOM: any line
 * @MP_MISS_MRU: the first line not used since all were (one bit a line)
 * @MP_MISS_MRU_RANDOM: any of those
 */
enum mp_miss_policy {
	MP_MISS_LRU,
	MP_MISS_HALF,
	MP_MISS_RANDOM,
	MP_MISS_MRU,
	MP_MISS_MRU_RANDOM,
	MP_MISS_POLICIES,
};

/** MP_MISS_SHAPES - shapes in the table: policies, ways, three scatters; of a
 * scatter all policies of the fewest ways come first */
#define MP_MISS_WAYS 18
#define MP_MISS_SHAPES (MP_MISS_POLICIES * MP_MISS_WAYS * 3)
/** The table spans x = 2^-MP_MISS_BELOW .. 2^MP_MISS_ABOVE. */
#define MP_MISS_BELOW 4
#define MP_MISS_ABOVE 4
/** Points an octave. */
#define MP_MISS_GRAIN 64
#define MP_MISS_POINTS ((MP_MISS_BELOW + MP_MISS_ABOVE) * MP_MISS_GRAIN + 1)

/**
 * struct mp_miss_shape - how lines fall on sets, and who is evicted
 * @scatter: 0 = lines fall on sets evenly, as in contiguous memory or in a
 *	cache indexed within the page; 1 = at random, as pages do that are
 *	taken singly (or lines, by a hash): sets hold a Poisson number of
 *	lines; 0.5 = half of that variance, as where runs of pages are
 *	contiguous
 * @ways: associativity
 * @policy: enum mp_miss_policy
 */
struct mp_miss_shape {
	double scatter;
	uint32_t ways;
	uint32_t policy;
};

/** MP_MISS_SET - lines of one set that the table knows of; more all miss */
#define MP_MISS_SET 256

/**
 * struct mp_miss_table - all shapes, tabulated over log x
 * @shape: the shapes
 * @set: miss share of one set by the lines that are walked round in it, of
 *	the ways and policy of each shape of the first scatter
 * @miss: miss share of the whole level
 */
struct mp_miss_table {
	struct mp_miss_shape shape[MP_MISS_SHAPES];
	float set[MP_MISS_POLICIES * MP_MISS_WAYS][MP_MISS_SET];
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

/** mp_miss_policy_name() - such as "random line evicted" */
const char *mp_miss_policy_name(uint32_t policy);

/** mp_miss_table_get() - the table; made at the first call, always the same */
const struct mp_miss_table *mp_miss_table_get(void);

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

/** mp_miss_lookup() - miss share at x = footprint / capacity */
double mp_miss_lookup(const struct mp_miss_table *table, uint32_t shape,
		      double x);

/** mp_miss_inverse() - the least x at which so large a share misses */
double mp_miss_inverse(const struct mp_miss_table *table, uint32_t shape,
		       double miss);

#endif
