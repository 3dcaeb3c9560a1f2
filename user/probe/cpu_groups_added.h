/* SPDX-License-Identifier: GPL-2.0 */
/* What translations add to the hops of a group of readings, by length. */
#ifndef MP_PROBE_CPU_GROUPS_ADDED_H
#define MP_PROBE_CPU_GROUPS_ADDED_H

#include "probe/cpu_edges.h"

/** MP_GROUPS_ADDED_LENGTHS, MP_GROUPS_ADDED_REPLICATES - so many lengths at most, each
 * so often */
#define MP_GROUPS_ADDED_LENGTHS 104u
#define MP_GROUPS_ADDED_REPLICATES 2u

/**
 * struct mp_groups_added - what translations add
 * @length: bytes, rising
 * @cycles: .. to a hop of the group, on average
 * @n: lengths at which that is known
 */
struct mp_groups_added {
	double length[MP_GROUPS_ADDED_LENGTHS];
	double cycles[MP_GROUPS_ADDED_LENGTHS];
	uint32_t n;
};

/** mp_groups_added_length() - the length of a number, bytes */
double mp_groups_added_length(uint32_t step);

/** mp_groups_added_exp() - the ring of a length; false: it cannot be had */
bool mp_groups_added_exp(const struct mp_view *view, double length,
			 struct mp_exp *exp);

/** mp_groups_added_find() - by all rings that were walked, for group @g; 0 or -ENOMEM */
int mp_groups_added_find(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t g,
			 struct mp_groups_added *added);

/** mp_groups_added_at() - at a length, cycles; some has to be known */
double mp_groups_added_at(const struct mp_groups_added *added, double length);

/** mp_groups_added_covers() - is what is added known nearly as far as a curve goes? */
bool mp_groups_added_covers(const struct mp_groups_added *added,
			    const struct mp_curve *rest);

/** mp_groups_added_plan() - want what is to be known for group @g; 0 or -ENOMEM */
int mp_groups_added_plan(const struct mp_view *view, const struct mp_cpu_edges *edges,
			 uint32_t g, struct mp_plan *plan);

#endif
