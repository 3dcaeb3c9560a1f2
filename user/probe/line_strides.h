/* SPDX-License-Identifier: GPL-2.0 */
/* What the first level fetches at once, by rings of several strides. */
#ifndef MP_PROBE_LINE_STRIDES_H
#define MP_PROBE_LINE_STRIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/line_first.h"

/** MP_LINE_STRIDE_MIN - the shortest stride, bytes; it is tried only where those
 * after it do not show it */
#define MP_LINE_STRIDE_MIN 16u
#define MP_LINE_STRIDES 6
#define MP_LINE_STRIDES_REPLICATES 32u

/**
 * struct mp_line_strides - rings, a stride each
 * @n: of them
 * @replicates: the fewest
 * @quiet: all prefetchers were off
 * @stride: bytes
 * @cycles: of a hop; @single: .. by replicates; ns where cycles are not known
 * @share: of the hops that miss
 */
struct mp_line_strides {
	uint32_t n;
	uint32_t replicates;
	bool quiet;
	double stride[MP_LINE_STRIDES];
	double cycles[MP_LINE_STRIDES];
	double single[MP_LINE_STRIDES][MP_LINE_STRIDES_REPLICATES];
	double share[MP_LINE_STRIDES];
};

/**
 * struct mp_line_fetched - what is fetched at once
 * @bytes: 0 = no stride stands out
 * @agreed: replicates that say the same by themselves
 * @below, @above: ratios, at half of it and at it
 * @shorter: nothing halves: a shorter stride is wanted
 */
struct mp_line_fetched {
	double bytes;
	uint32_t agreed;
	double below;
	double above;
	bool shorter;
};

/** mp_line_strides_plan() - want rings of stride @from and longer; 0 or -ENOMEM */
int mp_line_strides_plan(const struct mp_view *view,
			 const struct mp_line_first *first, uint32_t from,
			 struct mp_plan *plan);

/** mp_line_strides() - what they show; adds what it rests on to @fact, where
 * that is not NULL. Return: 0 or -ENOMEM. */
int mp_line_strides(const struct mp_view *view,
		    const struct mp_line_first *first, struct mp_fact *fact,
		    struct mp_line_strides *st, struct mp_line_fetched *out);

#endif
