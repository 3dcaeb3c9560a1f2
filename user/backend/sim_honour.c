// SPDX-License-Identifier: GPL-2.0
/*
 * What of the machine format this version cannot simulate, refused by name.
 */
#include "sim_honour.h"

#include <errno.h>

#define LIST_TEXT 128

static int honour_policy(const struct mp_sim_named *policy, uint32_t ways,
			 const char *word, const struct mp_sim_spot *spot)
{
	char list[LIST_TEXT] = "";

	for (uint32_t i = 0; mp_sim_policy_names[i]; i++)
		mp_sim_list(list, sizeof(list), mp_sim_policy_names[i]);
	if (policy->index >= MP_SIM_QLRU)
		return mp_sim_wrong(spot, "%s policy=%s: this version simulates "
				    "%s", word, policy->text, list);
	if (policy->index >= MP_SIM_TREE_PLRU && ways > MP_SIM_BIT_WAYS_MAX)
		return mp_sim_wrong(spot, "%s policy=%s: with %u ways; this "
				    "version simulates it up to %u", word,
				    policy->text, ways, MP_SIM_BIT_WAYS_MAX);
	return 0;
}

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
		err = honour_policy(&level->policy, level->ways, "level",
				    &spot);
		if (!err)
			err = honour_level(level, i ? level - 1 : NULL, &spot);
	}
	for (uint32_t i = 0; i < machine->n_tlbs && !err; i++) {
		spot.line = machine->tlb[i].at_line;
		err = honour_policy(&machine->tlb[i].policy,
				    machine->tlb[i].ways, "tlb", &spot);
	}
	if (!err && machine->n_prefetchers) {
		spot.line = machine->prefetch[0].at_line;
		err = mp_sim_wrong(&spot, "prefetch kind=%s: this version "
				   "simulates no prefetcher",
				   machine->prefetch[0].kind.text);
	}
	return err;
}
