/* SPDX-License-Identifier: GPL-2.0 */
/* Rings of every line, held against sparse ones near the edges of these. */
#ifndef MP_PROBE_CPU_WITNESS_H
#define MP_PROBE_CPU_WITNESS_H

#include "probe/cpu.h"

/** mp_cpu_witness_plan() - want rings of both kinds near the edge of level @k
 * Return: 0 or a negative errno. */
int mp_cpu_witness_plan(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_plan *plan);

#endif
