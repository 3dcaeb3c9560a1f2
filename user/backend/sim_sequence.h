/* SPDX-License-Identifier: GPL-2.0 */
/* Sequences on a simulated machine: slots touched, timed and flushed. */
#ifndef MP_SIM_SEQUENCE_H
#define MP_SIM_SEQUENCE_H

#include "sim_walk.h"

/**
 * mp_sim_sequence_check() - can a sequence be had here?
 * @exp: a checked experiment whose first actor is one
 *
 * What the kernel module refuses of a sequence is refused here too.
 * Return: 0 or -EOPNOTSUPP.
 */
int mp_sim_sequence_check(const struct mp_exp *exp);

/**
 * mp_sim_sequence_lay() - touch each slot in the order of the steps, as
 *	whoever writes the sequence into its slots does
 * Return: 0 or -ENOMEM.
 */
int mp_sim_sequence_lay(struct mp_sim_walk *walk, const struct mp_exp *exp);

/**
 * mp_sim_sequence_burst() - all steps once, and the time to note them
 * @round: its round
 * @burst: its number in the round
 * @batch: gets the sample; its experiment is the sequence
 * Return: 0, -ENOMEM, -EFBIG (payload).
 */
int mp_sim_sequence_burst(struct mp_sim_walk *walk, uint16_t round,
			  uint16_t burst, struct mp_batch *batch);

#endif
