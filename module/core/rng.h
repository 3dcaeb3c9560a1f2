/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_RNG_H
#define MP_RNG_H

#include "core.h"

/**
 * struct mp_rng - state of the generator (xoshiro256**), never all zero
 */
struct mp_rng {
	uint64_t s[4];
};

/**
 * mp_rng_mix() - a 64-bit bijective mixer (splitmix64's finaliser)
 * @x: any word
 *
 * Return: a word in which every bit depends on every bit of @x.
 */
uint64_t mp_rng_mix(uint64_t x);

/**
 * mp_rng_seed() - start a generator
 * @rng: the generator
 * @seed: any value, zero too
 */
void mp_rng_seed(struct mp_rng *rng, uint64_t seed);

/** mp_rng_next() - the next 64 bits */
uint64_t mp_rng_next(struct mp_rng *rng);

/**
 * mp_rng_below() - a whole number below a limit, without bias
 * @rng: the generator
 * @limit: 1 or more; 0 is answered with 0
 */
uint64_t mp_rng_below(struct mp_rng *rng, uint64_t limit);

#endif
