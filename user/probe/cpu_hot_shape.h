/* SPDX-License-Identifier: GPL-2.0 */
/* The walks of cpu_hot.c: how long they are, and their experiments. */
#ifndef MP_PROBE_CPU_HOT_SHAPE_H
#define MP_PROBE_CPU_HOT_SHAPE_H

#include "probe/cpu_hot_said.h"

/** MP_CPU_HOT_TRIES - how often it is tried: the second time with shorter
 * rings, then with shorter ones still where the next level is near, and the
 * others went through that, too; then with ones that put each other out of all
 * further in; at last with H further in than in the level inside, by the first
 * two rings (from MP_CPU_HOT_FURTHER on) */
#define MP_CPU_HOT_TRIES 6u
#define MP_CPU_HOT_FURTHER 4u

/** enum mp_cpu_hot_who - the actors, in the order that their rings are built:
 * H and what belongs to it last, so that it begins hot */
enum mp_cpu_hot_who {
	MP_CPU_HOT_T,
	MP_CPU_HOT_Q,
	MP_CPU_HOT_R,
	MP_CPU_HOT_H,
	MP_CPU_HOT_PAGES_T,
	MP_CPU_HOT_PAGES_H,
	MP_CPU_HOT_LOAD,
	MP_CPU_HOT_BESIDE,	/* only where the shape has it */
	MP_CPU_HOT_ACTORS,
};

/** enum mp_cpu_hot_kind - the experiments */
enum mp_cpu_hot_kind {
	MP_CPU_HOT_CONTROL,	/* H comes when the outer level has been driven
				 * through */
	MP_CPU_HOT_DRIVEN,	/* it is there all the time */
	MP_CPU_HOT_STILL,	/* R walks as far or further, but on a ring that
				 * fits it */
};

/**
 * struct mp_cpu_hot_shape - lengths of rings and stretches
 * @stride: bytes from slot to slot
 * @hot: bytes of H
 * @chunk: what R walks in a round, bytes
 * @q_ring: bytes of the ring of Q, where that of R begins
 * @q_turns: how often Q walks it
 * @r_ring: bytes of the ring of R
 * @still_ring: the same where it is walked through the inner level only; 0:
 *	no ring is
 * @still_turns: times a stretch that R walks there in a round
 * @through: it is longer than the next level, too
 * @near: the next level holds it, but hardly
 * @further: H stays in the level inside the inner one
 * @every: rounds from one T to the next
 * @cycles: how often T comes
 * @single: hops of H are timed one by one, whatever the clock
 * @beside: bytes from slot to slot of a ring through all of H's stretch, walked
 *	behind H; 0: there is none
 */
struct mp_cpu_hot_shape {
	uint64_t stride;
	uint64_t hot;
	uint64_t chunk;
	uint64_t q_ring;
	uint32_t q_turns;
	uint64_t r_ring;
	uint64_t still_ring;
	uint32_t still_turns;
	bool through;
	bool near;
	bool further;
	uint32_t every;
	uint32_t cycles;
	bool single;
	uint64_t beside;
};

/**
 * mp_cpu_hot_shape() - rings for level @k
 * @try: below MP_CPU_HOT_TRIES
 * Return: NULL, or why there are none.
 */
const char *mp_cpu_hot_shape(const struct mp_view *view,
			     const struct mp_cpu_edges *edges, uint32_t k,
			     uint32_t try, struct mp_cpu_hot_shape *shape);

/**
 * mp_cpu_hot_shape_all() - rings for all levels at once: H stays in the innermost,
 * and R goes through all that are further out
 * Return: NULL, or why there are none.
 */
const char *mp_cpu_hot_shape_all(const struct mp_view *view,
				 const struct mp_cpu_edges *edges,
				 struct mp_cpu_hot_shape *shape);

/**
 * mp_cpu_hot_shape_beside() - let all lines beside H's slots be used as H is
 *
 * What prefetchers bring beside a slot they look for further out wherever the
 * inner level has lost it, as nobody uses it; and where lines are longer there
 * that keeps those of H in use. What is used as H is stays as H does.
 * Return: false where the lines are not known, or too many.
 */
bool mp_cpu_hot_shape_beside(const struct mp_view *view,
			     struct mp_cpu_hot_shape *shape);

/** mp_cpu_hot_exp() - an experiment of a kind */
void mp_cpu_hot_exp(const struct mp_view *view,
		    const struct mp_cpu_hot_shape *shape,
		    enum mp_cpu_hot_kind kind, struct mp_exp *exp);

#endif
