// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers: xoshiro256** by Blackman and Vigna, seeded by Steele's
 * splitmix64, and whole numbers below a limit by Lemire's multiplication.
 * Equal seeds give equal numbers on every machine: orders, recordings and
 * simulations depend on it.
 */
#include "rng.h"

/* 2^64 divided by the golden ratio, made odd: splitmix64's step. */
#define SEED_STEP 0x9e3779b97f4a7c15ull

static uint64_t rotate_left(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

uint64_t mp_rng_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

void mp_rng_seed(struct mp_rng *rng, uint64_t seed)
{
	unsigned int i;

	/*
	 * The mixer is a bijection and its four inputs differ, so at most one
	 * word becomes 0 and the state is never the forbidden one.
	 */
	for (i = 0; i < 4; i++) {
		seed += SEED_STEP;
		rng->s[i] = mp_rng_mix(seed);
	}
}

uint64_t mp_rng_next(struct mp_rng *rng)
{
	const uint64_t result = rotate_left(rng->s[1] * 5, 7) * 9;
	const uint64_t shifted = rng->s[1] << 17;

	rng->s[2] ^= rng->s[0];
	rng->s[3] ^= rng->s[1];
	rng->s[1] ^= rng->s[2];
	rng->s[0] ^= rng->s[3];
	rng->s[2] ^= shifted;
	rng->s[3] = rotate_left(rng->s[3], 45);
	return result;
}

uint64_t mp_rng_below(struct mp_rng *rng, uint64_t limit)
{
	__uint128_t product = (__uint128_t)mp_rng_next(rng) * limit;
	uint64_t uneven;

	if ((uint64_t)product >= limit)
		return (uint64_t)(product >> 64);

	/*
	 * 2^64 mod limit of the low halves would favour some results. The
	 * division is only paid for where such a low half is possible.
	 */
	uneven = -limit % limit;
	while ((uint64_t)product < uneven)
		product = (__uint128_t)mp_rng_next(rng) * limit;
	return (uint64_t)(product >> 64);
}
