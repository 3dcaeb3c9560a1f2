/* SPDX-License-Identifier: GPL-2.0 */
/* What probe prefetch starts from: lines and latencies found by others. */
#ifndef MP_PREFETCH_GROUND_H
#define MP_PREFETCH_GROUND_H

#include "probe/cpu.h"
#include "probe/prefetch_list.h"

/** MP_PREFETCH_UNITS - lengths of lines that may be asked about: 32 to 256 */
#define MP_PREFETCH_UNITS 4u

/**
 * struct mp_prefetch_ground - what is known of the levels
 * @n_units, @unit: the lengths of lines that there may be
 * @widest: the longest that there may be, 64 at least
 * @bursts: of a list, so that the clock shows hits
 * @bar: see mp_prefetch_came(): half-way from the outermost level to memory
 * @pair_bar: of lines of each unit that lie in one line of an outer level, in
 *	pairs: half-way to that level, which has the other one anyway; NaN
 *	where there is no such level, or not enough is known of it
 * @stays: of a pair of each unit that was loaded one stays when the other is
 *	flushed, as probe line-l1d saw: no level that holds both in one line
 *	takes it out of those inside
 * @hit_ns: what a hit takes, NaN = not known
 */
struct mp_prefetch_ground {
	uint32_t n_units;
	uint32_t unit[MP_PREFETCH_UNITS];
	uint32_t widest;
	uint32_t bursts;
	double bar;
	double pair_bar[MP_PREFETCH_UNITS];
	bool stays[MP_PREFETCH_UNITS];
	double hit_ns;
};

/** mp_prefetch_ground_find() - from the facts of a view */
void mp_prefetch_ground_find(const struct mp_view *view,
			     struct mp_prefetch_ground *ground);

#endif
