/* SPDX-License-Identifier: GPL-2.0 */
/* Latencies by a few lines that are timed after others have been walked. */
#ifndef MP_LATENCY_AFTER_H
#define MP_LATENCY_AFTER_H

#include "probe/cpu.h"

/** MP_LATENCY_DISPUTE - two estimates of a latency dispute when they are further
 * apart than this share and so many cycles */
#define MP_LATENCY_DISPUTE 0.05
#define MP_LATENCY_DISPUTE_CYCLES 1.0

/** MP_LATENCY_CLOSE - limits further apart, a factor, are no latency that was
 * measured */
#define MP_LATENCY_CLOSE 1.05

/** struct mp_latency - the two facts of a level: in core cycles and in ns */
struct mp_latency {
	struct mp_fact *cycles;
	struct mp_fact *ns;
};

/** mp_latency_cannot() - say of both why */
void mp_latency_cannot(struct mp_latency *pair, const char *why);

/**
 * mp_latency_may_be_brought() - may means of a ring hold hops that a prefetcher
 * spared it?
 *
 * Where the innermost level's line was looked for in vain slots may be a line
 * apart, and the next line is the next slot's.
 */
bool mp_latency_may_be_brought(const struct mp_view *view,
			       const struct mp_cpu_edges *edges);

/** mp_latency_stairs() - of a level that was found so, by its own lengths */
void mp_latency_stairs(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_latency *pair);

/**
 * mp_latency_second() - a second estimate, of a level that rings show
 * @pair: what rings say; gets the purer of the two, or a dispute
 * @inner: cycles and ns that the next level goes by, the same
 */
void mp_latency_second(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_latency *pair, double inner[2]);

#endif
