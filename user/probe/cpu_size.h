/* SPDX-License-Identifier: GPL-2.0 */
/* What the edges say of the size of a level, and what settles it. */
#ifndef MP_PROBE_CPU_SIZE_H
#define MP_PROBE_CPU_SIZE_H

#include "probe/cpu_edges.h"

/**
 * mp_cpu_size_judge() - what is known of the size of level @k
 * @fact: empty, gets verdict, value and limits, bytes
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_size_judge(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact);

/** mp_cpu_size_plan() - want what may settle the size of level @k; -ENOMEM */
int mp_cpu_size_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     struct mp_plan *plan);

/** mp_cpu_size_plan_open() - .. of all levels beyond the innermost of whose
 * sizes cache-size knew only limits; -ENOMEM */
int mp_cpu_size_plan_open(const struct mp_view *view,
			  const struct mp_cpu_edges *edges,
			  struct mp_plan *plan);

/**
 * mp_cpu_size_renew() - add those of them that are settled by now
 *
 * Nothing of one that would lie beyond the limits that were known.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_size_renew(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_facts *facts);

/** mp_cpu_size_absent() - what is to be said of a level beyond the last one: that it
 * is absent, or why that is not known */
void mp_cpu_size_absent(const struct mp_cpu_edges *edges, struct mp_fact *fact);

/** mp_cpu_size_renew_absent() - add those that were absent, and by what has been
 * measured since may be there; 0 or -ENOMEM */
int mp_cpu_size_renew_absent(const struct mp_view *view,
			     const struct mp_cpu_edges *edges,
			     struct mp_facts *facts);

#endif
