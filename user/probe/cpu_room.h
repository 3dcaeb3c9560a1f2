/* SPDX-License-Identifier: GPL-2.0 */
/* How long a ring a level and those inside it hold together: known where the
 * size of the level by itself may not be. */
#ifndef MP_PROBE_CPU_ROOM_H
#define MP_PROBE_CPU_ROOM_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_rooms - the levels, as rings are cut for them
 * @bytes: of each the size that was measured; where that is not known as the
 *	level may hold what those inside do, or not: where its misses set in,
 *	which is the same for a ring; NaN: neither is known, or it is absent
 * @sum: it is where misses set in
 * @low: each has room for a ring of so many bytes, with the levels inside where
 *	it may not hold what they do; @high: .. and for no more than so many, with
 *	them; NaN: not known
 */
struct mp_cpu_rooms {
	double bytes[MP_CPU_LEVELS];
	bool sum[MP_CPU_LEVELS];
	double low[MP_CPU_LEVELS];
	double high[MP_CPU_LEVELS];
};

/** mp_cpu_rooms() - what is known of the levels; 0 or -ENOMEM */
int mp_cpu_rooms(const struct mp_view *view, struct mp_cpu_rooms *rooms);

/** mp_cpu_rooms_of() - the same, where the edges are at hand; NULL: there are
 * none */
void mp_cpu_rooms_of(const struct mp_view *view,
		     const struct mp_cpu_edges *edges,
		     struct mp_cpu_rooms *rooms);

#endif
