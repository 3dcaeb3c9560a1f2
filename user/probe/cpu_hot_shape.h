/* SPDX-License-Identifier: GPL-2.0 */
/* The walks of cpu_hot.c: how long they are, and their experiments. */
#ifndef MP_PROBE_CPU_HOT_SHAPE_H
#define MP_PROBE_CPU_HOT_SHAPE_H

#include "probe/cpu.h"

/** MP_CPU_HOT_TRIES - how often it is tried, each time with shorter rings */
#define MP_CPU_HOT_TRIES 2u

/** enum mp_cpu_hot_who - the actors, in the order that their rings are built:
 * H and what belongs to it last, so that it begins hot */
enum mp_cpu_hot_who {
	MP_CPU_HOT_T,
	MP_CPU_HOT_Q,
	MP_CPU_HOT_R,
	MP_CPU_HOT_H,
	MP_CPU_HOT_PAGES_T,
	MP_CPU_HOT_PAGES_H,
	MP_CPU_HOT_ACTORS,
};

/** enum mp_cpu_hot_kind - the experiments */
enum mp_cpu_hot_kind {
	MP_CPU_HOT_CONTROL,	/* T in each round: nothing is driven through */
	MP_CPU_HOT_DRIVEN,	/* the outer level is */
	MP_CPU_HOT_STILL,	/* R walks as far, but on a ring that fits it */
};

/**
 * struct mp_cpu_hot_shape - lengths of rings and stretches
 * @stride: bytes from slot to slot
 * @hot: bytes of H
 * @chunk: what R walks in a round, bytes
 * @put_out: what Q walks, bytes
 * @r_ring: bytes of the ring of R and Q
 * @through: it is longer than the next level, too
 * @every: rounds from one T to the next
 * @cycles: how often T comes
 */
struct mp_cpu_hot_shape {
	uint64_t stride;
	uint64_t hot;
	uint64_t chunk;
	uint64_t put_out;
	uint64_t r_ring;
	bool through;
	uint32_t every;
	uint32_t cycles;
};

/**
 * mp_cpu_hot_shape() - rings for level @k
 * @try: below MP_CPU_HOT_TRIES
 * Return: NULL, or why there are none.
 */
const char *mp_cpu_hot_shape(const struct mp_view *view,
			     const struct mp_cpu_edges *edges, uint32_t k,
			     uint32_t try, struct mp_cpu_hot_shape *shape);

/** mp_cpu_hot_exp() - an experiment of a kind */
void mp_cpu_hot_exp(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k,
		    const struct mp_cpu_hot_shape *shape,
		    enum mp_cpu_hot_kind kind, struct mp_exp *exp);

/** mp_cpu_hot_has_still() - can the inner level be walked through while the
 * outer one is not? */
bool mp_cpu_hot_has_still(const struct mp_cpu_edges *edges, uint32_t k);

#endif
