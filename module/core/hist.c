// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms: a sparse, exact one for ticks, where few distinct values
 * occur many times, and log-linear buckets for gaps, which span decades.
 */
#include "hist.h"

/* The place of a value among the sorted keys, or where it would go. */
static uint32_t find(const struct mp_hist *hist, uint64_t ticks)
{
	uint32_t low = 0, high = hist->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (hist->key[middle] < ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int mp_hist_add(struct mp_hist *hist, uint64_t ticks)
{
	const uint32_t at = find(hist, ticks);
	uint32_t i;

	if (at < hist->n && hist->key[at] == ticks) {
		hist->count[at]++;
		return 0;
	}
	if (hist->n >= hist->room) {
		hist->lost++;
		return -ENOSPC;
	}
	for (i = hist->n; i > at; i--) {
		hist->key[i] = hist->key[i - 1];
		hist->count[i] = hist->count[i - 1];
	}
	hist->key[at] = ticks;
	hist->count[at] = 1;
	hist->n++;
	return 0;
}

uint32_t mp_hist_bucket(uint64_t value)
{
	uint32_t shift;

	if (value < MP_HIST_SUB)
		return (uint32_t)value;
	/* The leading one and MP_HIST_SUB_BITS bits behind it are kept. */
	shift = 63 - (uint32_t)__builtin_clzll(value) - MP_HIST_SUB_BITS;
	return shift * MP_HIST_SUB + (uint32_t)(value >> shift);
}

/* By how many bits a bucket is coarser than a unit. */
static uint32_t bucket_shift(uint32_t bucket)
{
	return bucket < MP_HIST_SUB ? 0 : bucket / MP_HIST_SUB - 1;
}

uint64_t mp_hist_low(uint32_t bucket)
{
	const uint32_t shift = bucket_shift(bucket);

	if (bucket >= MP_HIST_BUCKETS)
		return ~(uint64_t)0;
	return (uint64_t)(bucket - shift * MP_HIST_SUB) << shift;
}

uint64_t mp_hist_high(uint32_t bucket)
{
	if (bucket >= MP_HIST_BUCKETS)
		return ~(uint64_t)0;
	return mp_hist_low(bucket) + (((uint64_t)1 << bucket_shift(bucket)) - 1);
}
