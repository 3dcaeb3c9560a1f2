// SPDX-License-Identifier: GPL-2.0
/*
 * What of the machine format this version cannot simulate, refused by name.
 */
#include "sim_honour.h"

#include <errno.h>

/* A victim moves outwards whole, so both levels have to cut memory alike. */
static int honour_exclusive(const struct mp_sim_level *level,
			    const struct mp_sim_level *inner,
			    const struct mp_sim_spot *spot)
{
	if (level->line_bytes == inner->line_bytes &&
	    level->line_bytes == level->sector_bytes &&
	    inner->line_bytes == inner->sector_bytes)
		return 0;
	return mp_sim_wrong(spot, "level inclusion=exclusive: this version "
			    "simulates it where this level and the one inside "
			    "it have equal lines without sectors");
}

static int honour_level(const struct mp_sim_level *level,
			const struct mp_sim_level *inner,
			const struct mp_sim_spot *spot)
{
	if (level->line_bytes / level->sector_bytes > MP_SIM_SECTORS_MAX)
		return mp_sim_wrong(spot, "level sector=%llu: %llu sectors a "
			"line; this version simulates up to %u",
			(unsigned long long)level->sector_bytes,
			(unsigned long long)(level->line_bytes /
					     level->sector_bytes),
			MP_SIM_SECTORS_MAX);
	if (!inner)
		return 0;
	if (level->line_bytes < inner->line_bytes)
		return mp_sim_wrong(spot, "level line=%llu: less than the %llu "
			"of the level inside it; this version simulates lines "
			"that do not shrink outwards",
			(unsigned long long)level->line_bytes,
			(unsigned long long)inner->line_bytes);
	if (level->inclusion == MP_SIM_EXCLUSIVE)
		return honour_exclusive(level, inner, spot);
	return 0;
}

int mp_sim_honour(const struct mp_sim_machine *machine, const char *file,
		  char *why, size_t room)
{
	struct mp_sim_spot spot = { file, 0, why, room };
	int err = 0;

	for (uint32_t i = 0; i < machine->n_levels && !err; i++) {
		const struct mp_sim_level *level = &machine->level[i];

		spot.line = level->at_line;
		err = honour_level(level, i ? level - 1 : NULL, &spot);
	}
	return err;
}
