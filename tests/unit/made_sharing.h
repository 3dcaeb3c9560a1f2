/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that share levels, by formula: a hop takes what its level takes, or
 * what the next one does where a CPU has swept the level that shares it.
 */
#ifndef MADE_SHARING_H
#define MADE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#include "probe.h"

#define MADE_SHARING_LEVELS 3

/**
 * struct made_sharing - the machine
 * @size: of each level; 0: absent
 * @verdict: of each size
 * @ticks: a hop of each level, memory last
 * @group: CPUs that share a level: so many neighbours
 * @noise: how far apart replicates lie, ticks
 * @ebbs: how far apart the levels' moments lie, ticks: alike in a replicate
 * @error, @disturbed: of all batches
 * @weak: share of the effect that shows
 * @inside: share of the hops of a level that the one inside serves
 * @along: .. in any case, as it fetches lines along with others; else it serves
 *	none when the CPU itself has swept the level
 * @keeps: of a sweep by the CPU itself nothing leaves the level
 * @beyond: what leaves a level comes back from beyond the next
 * @view: who asks
 */
struct made_sharing {
	double size[MADE_SHARING_LEVELS];
	uint32_t verdict[MADE_SHARING_LEVELS];
	double ticks[MADE_SHARING_LEVELS + 1];
	uint32_t group[MADE_SHARING_LEVELS];
	double noise;
	double ebbs;
	int error;
	bool disturbed;
	double weak;
	double inside;
	bool along;
	bool keeps;
	bool beyond;
	struct mp_view view;
};

/** made_sharing_sweep() - the actor that sweeps; fails where there is none */
const struct mp_actor *made_sharing_sweep(const struct mp_exp *exp);

/** made_sharing_answer() - what the machine measures */
void made_sharing_answer(const struct made_sharing *world,
			 struct mp_batch *batch);

/** made_sharing_check() - fails where an experiment is none to be asked of it */
void made_sharing_check(const struct made_sharing *world,
			const struct mp_exp *exp);

#endif
