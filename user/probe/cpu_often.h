/* SPDX-License-Identifier: GPL-2.0 */
/* How often lengths around an edge are measured. */
#ifndef MP_CPU_OFTEN_H
#define MP_CPU_OFTEN_H

#include <stdint.h>

#include "probe/cpu_edges.h"

/**
 * mp_cpu_edge_replicates() - replicates of the lengths around an edge
 * @edges: as they are known so far
 * @k: the level
 * @looks: times that its replicates have been looked at
 *
 * The further apart its limits still are, the more, but for the first look at
 * them: limits are far apart as well where there are few replicates.
 */
uint32_t mp_cpu_edge_replicates(const struct mp_view *view,
				const struct mp_cpu_edges *edges, uint32_t k,
				uint32_t looks);

#endif
