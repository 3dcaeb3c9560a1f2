// SPDX-License-Identifier: GPL-2.0
/* Miss shares of a cyclic walk, for the ways in which real caches differ. */
#include "analysis/miss.h"

#include <math.h>

/* 16 * 64 ways, and a little. */
#define LINES_MAX 1100u

static const uint32_t even_ways[] = { 2, 4, 8, 16, 64 };
static const uint32_t scattered_ways[] = { 2, 4, 8, 16, 32 };
static const double shares[] = { 0, 0.25, 0.5, 0.75, 1 };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
_Static_assert((COUNT(even_ways) + COUNT(scattered_ways)) * COUNT(shares) ==
	       MP_MISS_SHAPES, "the table has room for each shape");

/* A line stays if none of the misses until it comes round again picks its
 * way. Half a hop is taken off the turn: with one line too many this gives
 * 2 / (ways + 1), which is exact, as the line that was thrown out last is on
 * average half a turn away. */
double mp_miss_random(uint32_t lines, uint32_t ways)
{
	double keep = log1p(-1.0 / ways), hit = 0;

	if (lines <= ways)
		return 0;
	if (ways == 1)
		return 1;
	/* Rising from 0 the iteration ends at the smaller root. */
	for (int i = 0; i < 200; i++) {
		double next = exp(keep * (lines - 0.5) * (1 - hit));

		if (next - hit < 1e-7)
			break;
		hit = next;
	}
	return 1 - hit;
}

/* Miss share of even sets: so large a share of them holds one line more. */
static double even(const float *set, uint32_t ways, double x)
{
	double mean = x * ways, fuller;
	uint32_t lines = (uint32_t)mean;

	if (lines + 1 >= LINES_MAX)
		return 1;
	fuller = mean - lines;
	return ((1 - fuller) * lines * set[lines] +
		fuller * (lines + 1) * set[lines + 1]) / mean;
}

/* A line shares its set with a Poisson number of others. */
static double scattered(const float *set, uint32_t ways, double x)
{
	double mean = x * ways, p = exp(-mean), sum = 0, left = 1;

	for (uint32_t others = 0; others + 1 < LINES_MAX; others++) {
		sum += p * set[others + 1];
		left -= p;
		if (others > mean && p < 1e-6)
			break;
		p *= mean / (others + 1);
	}
	/* What lies beyond the last term misses all but surely. */
	return sum + (left > 0 ? left : 0);
}

static double grid_x(uint32_t i)
{
	return exp2((double)i / MP_MISS_GRAIN - MP_MISS_BELOW);
}

/* The shapes of one associativity, least recently used to random. */
static void fill_ways(struct mp_miss_table *table, uint32_t first,
		      bool is_scattered, uint32_t ways)
{
	float lru[LINES_MAX], random[LINES_MAX];
	double (*share)(const float *, uint32_t, double) =
		is_scattered ? scattered : even;

	for (uint32_t n = 0; n < LINES_MAX; n++) {
		lru[n] = n > ways;
		random[n] = n > 16 * ways ? 1 :
			(float)mp_miss_random(n, ways);
	}
	for (uint32_t k = 0; k < COUNT(shares); k++)
		table->shape[first + k] = (struct mp_miss_shape){
			is_scattered, ways, shares[k] };
	for (uint32_t i = 0; i < MP_MISS_POINTS; i++) {
		double a = share(lru, ways, grid_x(i));
		double b = share(random, ways, grid_x(i));

		for (uint32_t k = 0; k < COUNT(shares); k++)
			table->miss[first + k][i] =
				(float)(a + shares[k] * (b - a));
	}
}

void mp_miss_table_fill(struct mp_miss_table *table)
{
	uint32_t s = 0;

	for (uint32_t w = 0; w < COUNT(even_ways); w++, s += COUNT(shares))
		fill_ways(table, s, false, even_ways[w]);
	for (uint32_t w = 0; w < COUNT(scattered_ways); w++,
	     s += COUNT(shares))
		fill_ways(table, s, true, scattered_ways[w]);
}

double mp_miss_position(double x)
{
	return (log2(x) + MP_MISS_BELOW) * MP_MISS_GRAIN;
}

double mp_miss_lookup(const struct mp_miss_table *table, uint32_t shape,
		      double x)
{
	return mp_miss_at(table, shape, mp_miss_position(x));
}
