// SPDX-License-Identifier: GPL-2.0
/* How much the machines of the zoo are disturbed. */
#include "zoo_machine.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	double gaps;
	struct mp_sim_range gap_us;
} noises[ZOO_NOISES] = {
	[ZOO_NOISE_NONE] = { "none", 0, { 2, 400 } },
	[ZOO_NOISE_LOW] = { "low", 0.005, { 2, 400 } },
	[ZOO_NOISE_DEFAULT] = { "default", 0.02, { 2, 400 } },
	[ZOO_NOISE_HIGH] = { "high", 0.08, { 2, 5000 } },
};

const char *zoo_noise_name(uint32_t noise)
{
	return noise < ZOO_NOISES ? noises[noise].name : "own";
}

int zoo_noise_parse(const char *name, uint32_t *noise)
{
	for (uint32_t i = 0; i < ZOO_NOISES; i++) {
		if (strcmp(name, noises[i].name))
			continue;
		*noise = i;
		return 0;
	}
	return -EINVAL;
}

void zoo_noise_set(struct mp_sim_machine *machine, uint32_t noise)
{
	if (noise >= ZOO_NOISES)
		return;
	machine->noise.gaps = noises[noise].gaps;
	machine->noise.gap_us = noises[noise].gap_us;
}
