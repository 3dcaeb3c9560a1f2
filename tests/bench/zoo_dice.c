// SPDX-License-Identifier: GPL-2.0
/* Dice of the zoo. */
#include "zoo_dice.h"

#include <math.h>

/* Steps of a draw that has to be real. */
#define REAL_STEPS (1u << 30)

struct mp_rng zoo_dice(uint64_t seed, uint64_t index, uint32_t feature)
{
	struct mp_rng rng;

	mp_rng_seed(&rng, mp_rng_mix(mp_rng_mix(mp_rng_mix(seed) + index) +
				     feature));
	return rng;
}

bool zoo_chance(struct mp_rng *rng, uint32_t percent)
{
	return mp_rng_below(rng, 100) < percent;
}

uint32_t zoo_between(struct mp_rng *rng, uint32_t low, uint32_t high)
{
	return low + (uint32_t)mp_rng_below(rng, (uint64_t)high - low + 1);
}

double zoo_log_between(struct mp_rng *rng, double low, double high)
{
	const double share = (double)mp_rng_below(rng, REAL_STEPS) / REAL_STEPS;

	return low * exp(share * log(high / low));
}

uint32_t zoo_pick(struct mp_rng *rng, const struct zoo_pick *from, uint32_t n)
{
	uint32_t sum = 0, left;

	for (uint32_t i = 0; i < n; i++)
		sum += from[i].weight;
	left = (uint32_t)mp_rng_below(rng, sum);
	while (left >= from->weight)
		left -= from++->weight;
	return from->value;
}
