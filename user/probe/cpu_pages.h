/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does another page's translation cost, in a ring of so many pages?
 *
 * A ring has one slot a page, each one line further into it than the last's, so
 * that a level well inside serves all of them: what a hop takes more than that
 * level does is translation. It goes from window to window as the rings of lines do,
 * and so from one large page to the next as seldom, where there are any.
 */
#ifndef MP_PROBE_CPU_PAGES_H
#define MP_PROBE_CPU_PAGES_H

#include "probe/cpu.h"

/**
 * mp_cpu_pages_plan() - want such a ring
 * @bytes: its span
 *
 * Nothing is wanted where no level serves it surely. Return: 0 or -ENOMEM.
 */
int mp_cpu_pages_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint64_t bytes,
		      struct mp_plan *plan);

/**
 * mp_cpu_pages_cost() - what a page of a ring costs each time it is come to
 * @bytes: the ring's span; one nearly as long tells as well
 *
 * Return: core cycles, or ns where those are not known; NaN: not measured.
 */
double mp_cpu_pages_cost(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint64_t bytes);

#endif
