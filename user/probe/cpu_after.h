/* SPDX-License-Identifier: GPL-2.0 */
/* Levels that rings leave in doubt, by what is left of a few lines after
 * others have been walked; cpu_after.c says how. */
#ifndef MP_CPU_AFTER_H
#define MP_CPU_AFTER_H

#include "probe/cpu.h"

/** mp_cpu_after_plan() - want it of all lengths, where means leave a level in
 * doubt; 0 or -ENOMEM */
int mp_cpu_after_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_plan *plan);

/**
 * mp_cpu_after_find() - where a level is in doubt: are there levels that leave
 * none, or one further out?
 * @edges: gets them, if there are
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_after_find(const struct mp_view *view, struct mp_cpu_edges *edges);

/** mp_cpu_after_can() - can a few lines be timed after others, where single hops
 * cannot? @last: the outermost level looked at */
bool mp_cpu_after_can(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t last);

/** mp_cpu_is_after() - was level @k found so? */
bool mp_cpu_is_after(const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_after_say() - how it was found, and by what; nothing, if it was not */
void mp_cpu_after_say(const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact);

/**
 * mp_cpu_after_latency() - what level @k takes, of those that were found so
 * @in_ns: in ns and no cycles
 * @at: gets a length that shows it alone
 *
 * Return: false where too few lengths show it.
 */
bool mp_cpu_after_latency(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k,
			  bool in_ns, struct mp_interval *limits,
			  const struct mp_curve_at **at);

/** mp_cpu_after_alone_plan() - want the same of level @k, whose edges are known
 * by rings; 0 or -ENOMEM */
int mp_cpu_after_alone_plan(const struct mp_view *view,
			    const struct mp_cpu_edges *edges, uint32_t k,
			    struct mp_plan *plan);

/**
 * mp_cpu_after_alone() - .. and what it takes
 * @id: of one of the experiments
 *
 * Return: false where too few lengths show it, or they do not agree.
 */
bool mp_cpu_after_alone(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			bool in_ns, struct mp_interval *limits, uint64_t *id);

/** mp_cpu_after_stride() - how far the lines that are timed lie from any other that is
 * touched before, or may be brought with it */
uint64_t mp_cpu_after_stride(const struct mp_view *view,
			     const struct mp_cpu_edges *edges);

#endif
