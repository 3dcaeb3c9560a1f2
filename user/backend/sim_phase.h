/* SPDX-License-Identifier: GPL-2.0 */
/* Rounds and phases: who of an experiment's actors runs when. */
#ifndef MP_SIM_PHASE_H
#define MP_SIM_PHASE_H

#include "sim_walk.h"

/**
 * struct mp_sim_troupe - the actors of a batch
 * @walk: one each, in the order of the experiment, with everything laid
 * @n: how many
 */
struct mp_sim_troupe {
	struct mp_sim_walk walk[MP_EXP_ACTORS];
	uint32_t n;
};

/**
 * mp_sim_phase_rounds() - all rounds
 * @batch: gets samples, clock records and their flags
 *
 * All clocks stand at one moment before and after it.
 * Return: 0, or what bursts return.
 */
int mp_sim_phase_rounds(struct mp_sim_troupe *troupe, struct mp_batch *batch);

#endif
