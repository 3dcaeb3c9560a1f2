// SPDX-License-Identifier: GPL-2.0
/* How long a stretch between two looks at the clock may be by nature. */
#include "gap.h"
#include "chase.h"

uint64_t mp_gap_ticks(const uint64_t *look, uint32_t n, uint64_t half_us)
{
	uint64_t sorted[MP_GAP_LOOKS];
	uint32_t i, at;

	if (!n)
		return 2 * MP_CHASE_LOOK_HOPS * half_us;
	if (n > MP_GAP_LOOKS)
		n = MP_GAP_LOOKS;
	for (i = 0; i < n; i++) {
		for (at = i; at && sorted[at - 1] > look[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = look[i];
	}
	return 2 * sorted[n / 2] + half_us;
}
