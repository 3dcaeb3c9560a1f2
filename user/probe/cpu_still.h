/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is at home while nothing moves? A crowd fills a level that is not
 * exclusive; then a ring that fits it, and none of those inside, is walked round.
 * Once that is here the level throws nothing out, and those inside have none of the
 * crowd. What is left of that, and the ring, is all that the level holds, and no
 * more than it holds.
 */
#ifndef MP_PROBE_CPU_STILL_H
#define MP_PROBE_CPU_STILL_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_still - what was found
 * @known: it was asked, and told something
 * @id: of the experiment
 * @doubt: a standard error of what is here, as a share
 * @low: bytes that the level has room for, at least
 * @high: .. at most; INFINITY where a level further out may have put some out, or
 *	the crowd was too small
 */
struct mp_cpu_still {
	bool known;
	uint64_t id;
	double doubt;
	double low;
	double high;
};

/** mp_cpu_still_plan() - want that of level @k, 1 or further out, where there are
 * rings that tell; -ENOMEM */
int mp_cpu_still_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan);

/**
 * mp_cpu_still_plan_open() - want it of a level whose size is open, and which is
 * known not to be exclusive
 * @fact: its size, as all else leaves it
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_still_plan_open(const struct mp_view *view,
			   const struct mp_cpu_edges *edges, uint32_t k,
			   const struct mp_fact *fact, struct mp_plan *plan);

/** mp_cpu_still_judge() - what the batches say of level @k, if it is not exclusive;
 * -ENOMEM */
int mp_cpu_still_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_still *still);

/**
 * mp_cpu_still_hold() - hold an open size to what was found
 * @fact: the size of level @k, as all else leaves it
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_still_hold(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact);

#endif
