/* SPDX-License-Identifier: GPL-2.0 */
/* What two numbers are both multiples of. */
#ifndef MP_GCD_H
#define MP_GCD_H

#include <stdint.h>

/**
 * mp_gcd() - the greatest common divisor; of 0 and a number that number
 *
 * Spans and strides have many factors of two, which cost no division.
 */
static inline uint64_t mp_gcd(uint64_t a, uint64_t b)
{
	uint64_t rest;
	int twos;

	if (!a || !b)
		return a | b;
	twos = __builtin_ctzll(a | b);
	a >>= __builtin_ctzll(a);
	b >>= __builtin_ctzll(b);
	while (b > 1) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return (b ? b : a) << twos;
}

#endif
