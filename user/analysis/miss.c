// SPDX-License-Identifier: GPL-2.0
/* Miss shares of a cyclic walk, for the ways in which real caches differ. */
#include "analysis/miss.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "rng.h"

/* 16 * 64 ways, and a little. */
#define LINES_MAX 1100u
#define WAYS_MAX 64u
/* Turns that a simulated set is walked, and those not counted. */
#define TURNS 24u
#define TURNS_SETTLE 8u

static const double scatters[] = { 0, 0.5, 1 };
static const uint32_t all_ways[MP_MISS_WAYS] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 64
};

/* Share of random victims of the policies that are not simulated. */
static const double random_share[] = {
	[MP_MISS_LRU] = 0,
	[MP_MISS_HALF] = 0.5,
	[MP_MISS_RANDOM] = 1,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

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

/* .. or with a binomial one, n draws at odds of about a half, which has the
 * same mean and half the variance. */
static double binomial(const float *set, uint32_t n, double mean)
{
	double odds = mean / n, sum = 0, p;

	if (odds >= 1)
		return set[n + 1];
	p = exp(n * log1p(-odds));
	/* So many lines that the odds of none vanish miss anyway. */
	if (p == 0)
		return 1;
	for (uint32_t others = 0; others <= n; others++) {
		sum += p * set[others + 1];
		p *= (n - others) / (others + 1.0) * odds / (1 - odds);
	}
	return sum;
}

static double half_scattered(const float *set, uint32_t ways, double x)
{
	double mean = x * ways, draws = 2 * mean;
	uint32_t n = (uint32_t)draws;

	if (n + 3 >= LINES_MAX)
		return 1;
	if (!n)
		return binomial(set, 1, mean);
	return (1 - (draws - n)) * binomial(set, n, mean) +
	       (draws - n) * binomial(set, n + 1, mean);
}

static double grid_x(uint32_t i)
{
	return exp2((double)i / MP_MISS_GRAIN - MP_MISS_BELOW);
}

/* A set with one bit a line: set when used, all others cleared when all
 * would be. The victim is the first line with a clear bit, or any of them. */
static uint32_t mru_victim(const bool *used, uint32_t ways, struct mp_rng *rng)
{
	uint32_t clear = 0, pick, way = 0;

	for (uint32_t i = 0; i < ways; i++)
		clear += !used[i];
	pick = rng ? (uint32_t)mp_rng_below(rng, clear) : 0;
	while (used[way] || pick--)
		way++;
	return way;
}

static double mru_miss(uint32_t lines, uint32_t ways, struct mp_rng *rng)
{
	uint32_t held[WAYS_MAX], n_used = 0, misses = 0;
	bool used[WAYS_MAX] = { false };

	/* From here on each bit is cleared before its line comes round. */
	if (lines >= 2 * ways)
		return 1;
	for (uint32_t i = 0; i < ways; i++)
		held[i] = UINT32_MAX;
	for (uint32_t t = 0; t < TURNS * lines; t++) {
		uint32_t line = t % lines, way = 0;

		while (way < ways && held[way] != line)
			way++;
		if (way == ways) {
			way = mru_victim(used, ways, rng);
			held[way] = line;
			misses += t >= TURNS_SETTLE * lines;
		}
		n_used += !used[way];
		used[way] = true;
		if (n_used < ways)
			continue;
		for (uint32_t i = 0; i < ways; i++)
			used[i] = i == way;
		n_used = 1;
	}
	return (double)misses / ((TURNS - TURNS_SETTLE) * lines);
}

static double set_miss(uint32_t policy, uint32_t lines, uint32_t ways)
{
	struct mp_rng rng;
	double random;

	if (lines <= ways)
		return 0;
	if (lines > 16 * ways)
		return 1;
	mp_rng_seed(&rng, lines);
	if (policy == MP_MISS_MRU)
		return mru_miss(lines, ways, NULL);
	if (policy == MP_MISS_MRU_RANDOM)
		return mru_miss(lines, ways, &rng);
	random = policy == MP_MISS_LRU ? 1 : mp_miss_random(lines, ways);
	return random_share[policy] * random + 1 - random_share[policy];
}

static void fill_shape(struct mp_miss_table *table, uint32_t s,
		       const float *set)
{
	const struct mp_miss_shape *shape = &table->shape[s];
	double (*share)(const float *, uint32_t, double) =
		shape->scatter == 0 ? even :
		shape->scatter == 1 ? scattered : half_scattered;

	for (uint32_t i = 0; i < MP_MISS_POINTS; i++)
		table->miss[s][i] = (float)share(set, shape->ways, grid_x(i));
}

/* One set is the same however lines fall on the sets. */
static void fill_scatters(struct mp_miss_table *table, uint32_t w, uint32_t p)
{
	const uint32_t first = w * MP_MISS_POLICIES + p;
	float set[LINES_MAX];

	for (uint32_t n = 0; n < LINES_MAX; n++)
		set[n] = (float)set_miss(p, n, all_ways[w]);
	memcpy(table->set[first], set, sizeof(table->set[first]));
	for (uint32_t i = 0; i < COUNT(scatters); i++) {
		const uint32_t s = first + i * MP_MISS_WAYS * MP_MISS_POLICIES;

		table->shape[s] = (struct mp_miss_shape){
			scatters[i], all_ways[w], p };
		fill_shape(table, s, set);
	}
}

const struct mp_miss_table *mp_miss_table_get(void)
{
	static struct mp_miss_table table;
	static bool made;

	if (made)
		return &table;
	for (uint32_t w = 0; w < MP_MISS_WAYS; w++)
		for (uint32_t p = 0; p < MP_MISS_POLICIES; p++)
			fill_scatters(&table, w, p);
	made = true;
	return &table;
}

const char *mp_miss_policy_name(uint32_t policy)
{
	static const char *const name[] = {
		[MP_MISS_LRU] = "oldest line evicted",
		[MP_MISS_HALF] = "oldest or random line evicted",
		[MP_MISS_RANDOM] = "random line evicted",
		[MP_MISS_MRU] = "first unused line evicted",
		[MP_MISS_MRU_RANDOM] = "any unused line evicted",
	};

	return policy < MP_MISS_POLICIES ? name[policy] : "unknown";
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

double mp_miss_inverse(const struct mp_miss_table *table, uint32_t shape,
		       double miss)
{
	const float *share = table->miss[shape];
	uint32_t i = 1;
	double part;

	while (i < MP_MISS_POINTS - 1 && share[i] < miss)
		i++;
	part = share[i] > share[i - 1] ?
	       (miss - share[i - 1]) / (share[i] - share[i - 1]) : 1;
	return grid_x(i - 1) * exp2(part / MP_MISS_GRAIN);
}
