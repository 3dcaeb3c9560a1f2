/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_GAP_H
#define MP_GAP_H

#include "core.h"

/** MP_GAP_LOOKS - stretches that the gap limit is taken from, at most */
#define MP_GAP_LOOKS 8u

/**
 * mp_gap_ticks() - what to call a gap, from the slowest looks of a few
 * stretches
 * @look: the slowest look of each stretch
 * @n: stretches, MP_GAP_LOOKS at most; 0 = nothing is known
 * @half_us: half a microsecond in ticks
 *
 * Twice the median and half a microsecond. The slowest of a stretch, since
 * looks differ by nature where some hops hit and some miss; the median of
 * several stretches, since some of them had a gap. Where nothing is known, a
 * look's hops at a microsecond each, and its double.
 */
uint64_t mp_gap_ticks(const uint64_t *look, uint32_t n, uint64_t half_us);

#endif
