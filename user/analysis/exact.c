// SPDX-License-Identifier: GPL-2.0
/* Exact tests of counts, by the logarithms of binomial coefficients. */
#include "analysis/exact.h"

#include <math.h>

static double log_choose(uint32_t n, uint32_t k)
{
	return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

double mp_exact_more(uint32_t k, uint32_t n, uint32_t control_k,
		     uint32_t control_n)
{
	const uint32_t all = n + control_n, drawn = k + control_k;
	const uint32_t most = drawn < n ? drawn : n;
	double sum = 0;

	/* Of all that were drawn, @i from the first. */
	for (uint32_t i = k; i <= most; i++) {
		if (drawn - i > control_n)
			continue;
		sum += exp(log_choose(n, i) + log_choose(control_n, drawn - i) -
			   log_choose(all, drawn));
	}
	return fmin(sum, 1);
}

double mp_exact_few(uint32_t k, uint32_t n, double p)
{
	double sum = 0;

	if (k >= n || p <= 0)
		return 1;
	if (p >= 1)
		return 0;
	for (uint32_t i = 0; i <= k; i++)
		sum += exp(log_choose(n, i) + i * log(p) +
			   (n - i) * log1p(-p));
	return fmin(sum, 1);
}
