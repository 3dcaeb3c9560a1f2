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

/**
 * mp_cpu_witness_hides() - is there a level that sparse rings do not fill?
 * @length: gets that of a ring of every line, far beyond all levels, which takes
 *	longer than they do at their end; or 0
 *
 * Sparse rings that spread over all sets have no more lines, at any length, than
 * a large level has room for: to them it looks like memory.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_witness_hides(const struct mp_view *view, uint64_t *length);

/** mp_cpu_witness_plan_end() - .. and what tells; -ENOMEM */
int mp_cpu_witness_plan_end(const struct mp_view *view, struct mp_plan *plan);

#endif
