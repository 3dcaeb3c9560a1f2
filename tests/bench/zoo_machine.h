/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machines of the zoo: random ones, drawn from a seed and a number, and any
 * machine as the text of a machine file.
 */
#ifndef ZOO_MACHINE_H
#define ZOO_MACHINE_H

#include "backend/sim_machine.h"

/** ZOO_RATIO_MIN - neighbouring capacities lie so far apart at least. */
#define ZOO_RATIO_MIN 1.5
/** ZOO_SIZE_MIN_BYTES - no level is smaller. */
#define ZOO_SIZE_MIN_BYTES 8192u
/** ZOO_SIZE_MAX_BYTES - the largest level that may be asked for. */
#define ZOO_SIZE_MAX_BYTES (256u << 20)
/** ZOO_WAYS_MAX - the most ways of a random machine's level. */
#define ZOO_WAYS_MAX 32u

/** enum zoo_noise - how much a machine is disturbed */
enum zoo_noise {
	ZOO_NOISE_NONE,
	ZOO_NOISE_LOW,
	ZOO_NOISE_DEFAULT,
	ZOO_NOISE_HIGH,
	ZOO_NOISES,
	ZOO_NOISE_OWN = ZOO_NOISES,	/* as its file has it */
};

/** zoo_noise_name() - "none", "low", "default", "high", "own" */
const char *zoo_noise_name(uint32_t noise);

/** zoo_noise_parse() - from its name, "own" apart; -EINVAL */
int zoo_noise_parse(const char *name, uint32_t *noise);

/** zoo_noise_set() - give a machine another noise; what witnesses see of it
 * stays as it is */
void zoo_noise_set(struct mp_sim_machine *machine, uint32_t noise);

/**
 * struct zoo_wish - what random machines are to be like
 * @seed: of all of them
 * @noise: enum zoo_noise, not ZOO_NOISE_OWN
 * @max_bytes: no level is larger
 * @honour: refuses what cannot be simulated, as mp_sim_honour(); NULL = that
 */
struct zoo_wish {
	uint64_t seed;
	uint32_t noise;
	uint64_t max_bytes;
	int (*honour)(const struct mp_sim_machine *machine, const char *file,
		      char *why, size_t room);
};

/**
 * zoo_machine_draw() - a random machine
 * @machine: gets it, without expectations; mp_sim_machine_free() it
 * @wish: of what kind
 * @index: its number; each machine depends on the seed and its own number
 *
 * A feature that is not honoured is drawn again, from its own dice, until
 * one is; a feature that has no other value is left out.
 * Return: how often that was.
 */
uint32_t zoo_machine_draw(struct mp_sim_machine *machine,
			  const struct zoo_wish *wish, uint64_t index);

/** ZOO_SIZE_TEXT - room for a size in words. */
#define ZOO_SIZE_TEXT 24

/** zoo_size_text() - bytes as people write them, where that loses nothing */
const char *zoo_size_text(char text[ZOO_SIZE_TEXT], uint64_t bytes);

/**
 * zoo_machine_text() - a machine as the text of its file
 *
 * Expectations too. Return: the text, to be freed; NULL without memory.
 */
char *zoo_machine_text(const struct mp_sim_machine *machine);

#endif
