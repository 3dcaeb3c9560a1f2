/* SPDX-License-Identifier: GPL-2.0 */
/* Exact tests of counts: no approximation, however few there are. */
#ifndef MP_EXACT_H
#define MP_EXACT_H

#include <stdint.h>

/**
 * mp_exact_more() - may one share be larger than another by chance?
 * @k, @n: so many of so many
 * @control_k, @control_n: and of those they are held against
 *
 * Fisher's exact test, one-sided. Return: the chance of so large a share
 * among the @n, or a larger one, if both are draws from one urn.
 */
double mp_exact_more(uint32_t k, uint32_t n, uint32_t control_k,
		     uint32_t control_n);

/** mp_exact_few() - the chance of @k or fewer of @n where each has chance @p */
double mp_exact_few(uint32_t k, uint32_t n, double p);

#endif
