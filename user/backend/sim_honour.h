/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_HONOUR_H
#define MP_SIM_HONOUR_H

#include "sim_machine.h"

/** MP_SIM_SECTORS_MAX - sectors whose bits fit beside a tag (sim_cache.c). */
#define MP_SIM_SECTORS_MAX 8u

/**
 * mp_sim_honour() - can this version simulate a machine?
 * @machine: a parsed machine
 * @file: its file's name, for the message
 * @why: gets "FILE:LINE: what it states and what is simulated instead"
 * @room: bytes of @why
 *
 * A file is honoured as a whole or refused: a machine that is simulated but
 * for one key would be another machine.
 * Return: 0 or -EINVAL.
 */
int mp_sim_honour(const struct mp_sim_machine *machine, const char *file,
		  char *why, size_t room);

#endif
