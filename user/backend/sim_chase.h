/* SPDX-License-Identifier: GPL-2.0 */
/* One replicate of a chase or a sequence on a simulated machine. */
#ifndef MP_SIM_CHASE_H
#define MP_SIM_CHASE_H

#include "batch.h"
#include "sim_machine.h"
#include "sim_room.h"

/**
 * mp_sim_chase() - measure
 * @machine: a machine that is honoured
 * @run_seed: seed of the run
 * @room: large memory that is kept from batch to batch; NULL: none is
 * @batch: gets grant, samples and cost; initialised. Its experiment is
 *	checked: actors that chase, or one that walks a sequence
 *
 * What comes out depends on the machine, the run seed, the experiment and
 * the number of the replicate, and on nothing that was measured before.
 * Return: 0; -EOPNOTSUPP (page kinds), -ENOMEM (arena, reserved pages),
 * -EINVAL, -E2BIG (no such ring), -EFBIG (payload).
 */
int mp_sim_chase(const struct mp_sim_machine *machine, uint64_t run_seed,
		 struct mp_sim_room *room, struct mp_batch *batch);

/** mp_sim_chase_max_bytes() - the largest arena of a machine */
uint64_t mp_sim_chase_max_bytes(const struct mp_sim_machine *machine);

#endif
