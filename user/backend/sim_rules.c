// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of a machine file that no single key can break: whole numbers of
 * sets, levels that count outwards, nothing stated twice, nothing named that
 * is not there.
 */
#include "sim_rules.h"

#include <errno.h>

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* `full` becomes a number here, so that nobody else needs to know of it. */
static int check_ways(uint64_t lines, uint32_t *ways, uint32_t policy,
		      const char *word, const struct mp_sim_spot *spot)
{
	if (!*ways && (!lines || lines > MP_SIM_WAYS_MAX))
		return mp_sim_wrong(spot, "%s ways=full: that is %llu ways, "
				    "1 .. %d allowed", word,
				    (unsigned long long)lines, MP_SIM_WAYS_MAX);
	if (!*ways)
		*ways = (uint32_t)lines;
	if (policy == MP_SIM_TREE_PLRU && !is_power_of_two(*ways))
		return mp_sim_wrong(spot, "%s ways=%u: tree-plru wants a power "
				    "of two of ways", word, *ways);
	return 0;
}

static int check_lines(const struct mp_sim_level *level,
		       const struct mp_sim_spot *spot)
{
	if (!is_power_of_two(level->line_bytes))
		return mp_sim_wrong(spot, "level line=%llu: a power of two, "
				    "8 .. 4K",
				    (unsigned long long)level->line_bytes);
	if (!is_power_of_two(level->sector_bytes) ||
	    level->sector_bytes > level->line_bytes)
		return mp_sim_wrong(spot, "level sector=%llu: a power of two, "
				    "8 .. its line of %llu",
				    (unsigned long long)level->sector_bytes,
				    (unsigned long long)level->line_bytes);
	return 0;
}

int mp_sim_rule_level(struct mp_sim_machine *machine, void *element,
		      const struct mp_sim_spot *spot)
{
	struct mp_sim_level *level = element;
	const struct mp_sim_level *inner = NULL;
	uint64_t column;
	int err;

	if (level > machine->level)
		inner = level - 1;
	if (inner && level->name <= inner->name)
		return mp_sim_wrong(spot, "level name=%s: stands after %s, but "
				    "levels count outwards, each once",
				    mp_sim_level_names[level->name],
				    mp_sim_level_names[inner->name]);
	if (!inner && level->inclusion != MP_SIM_NON_INCLUSIVE)
		return mp_sim_wrong(spot, "level inclusion=%s: the innermost "
				    "level has none inside it",
				    mp_sim_inclusion_names[level->inclusion]);
	if (!level->sector_bytes)
		level->sector_bytes = level->line_bytes;
	if (level->index == MP_SIM_INDEX_USUAL)
		level->index = level->name ? MP_SIM_PHYSICAL : MP_SIM_VIRTUAL;
	err = check_lines(level, spot);
	if (err)
		return err;
	column = level->line_bytes * level->slices;
	err = check_ways(level->size_bytes % column ? 0 :
			 level->size_bytes / column, &level->ways,
			 level->policy.index, "level", spot);
	if (err)
		return err;
	column *= level->ways;
	if (level->size_bytes % column)
		return mp_sim_wrong(spot, "level size=%llu: with %u ways of "
				    "%llu bytes in %u slices these are no whole "
				    "number of sets; a multiple of %llu is",
				    (unsigned long long)level->size_bytes,
				    level->ways,
				    (unsigned long long)level->line_bytes,
				    level->slices, (unsigned long long)column);
	return 0;
}

int mp_sim_rule_tlb(struct mp_sim_machine *machine, void *element,
		    const struct mp_sim_spot *spot)
{
	struct mp_sim_tlb_level *tlb = element;
	const struct mp_sim_tlb_level *other;
	int err;

	for (other = machine->tlb; other < tlb; other++) {
		if (other->level == tlb->level && other->page == tlb->page)
			return mp_sim_wrong(spot, "tlb level=%u page=%s: stated "
					    "on line %u already", tlb->level,
					    mp_sim_page_names[tlb->page],
					    other->at_line);
	}
	err = check_ways(tlb->entries, &tlb->ways, tlb->policy.index, "tlb",
			 spot);
	if (err)
		return err;
	if (tlb->entries % tlb->ways)
		return mp_sim_wrong(spot, "tlb entries=%u: with %u ways these "
				    "are no whole number of sets", tlb->entries,
				    tlb->ways);
	return 0;
}

int mp_sim_rule_walk(struct mp_sim_machine *machine, void *element,
		     const struct mp_sim_spot *spot)
{
	const struct mp_sim_page_walk *walk = element, *other;

	for (other = machine->walk; other < walk; other++) {
		if (other->page == walk->page)
			return mp_sim_wrong(spot, "walk page=%s: stated on line "
					    "%u already", mp_sim_page_names[walk->page],
					    other->at_line);
	}
	return 0;
}

int mp_sim_rule_neighbour(struct mp_sim_machine *machine, void *element,
			  const struct mp_sim_spot *spot)
{
	const struct mp_sim_neighbour *neighbour = element, *other;

	for (other = machine->neighbour; other < neighbour; other++) {
		if (other->level == neighbour->level)
			return mp_sim_wrong(spot, "neighbour level=%s: stated "
					    "on line %u already",
					    mp_sim_level_names[neighbour->level],
					    other->at_line);
	}
	return 0;
}

static bool has_level(const struct mp_sim_machine *machine, uint32_t name)
{
	for (uint32_t i = 0; i < machine->n_levels; i++) {
		if (machine->level[i].name == name)
			return true;
	}
	return false;
}

/* What can only be judged when every line is read. */
int mp_sim_rule_whole(const struct mp_sim_machine *machine,
		      struct mp_sim_spot *spot)
{
	spot->line = 0;
	if (!machine->n_levels)
		return mp_sim_wrong(spot, "no level: a machine has at least "
				    "one, such as 'level name=l1d size=32K "
				    "ways=8 latency=4'");
	for (uint32_t i = 0; i < machine->n_neighbours; i++) {
		spot->line = machine->neighbour[i].at_line;
		if (!has_level(machine, machine->neighbour[i].level))
			return mp_sim_wrong(spot, "neighbour level=%s: there "
				"is no such level",
				mp_sim_level_names[machine->neighbour[i].level]);
	}
	for (uint32_t i = 0; i < machine->n_prefetchers; i++) {
		spot->line = machine->prefetch[i].at_line;
		if (!has_level(machine, machine->prefetch[i].into))
			return mp_sim_wrong(spot, "prefetch into=%s: there is "
				"no such level",
				mp_sim_level_names[machine->prefetch[i].into]);
	}
	return 0;
}
