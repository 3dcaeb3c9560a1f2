// SPDX-License-Identifier: GPL-2.0
/* What is right about a machine, and what of it no experiment could know. */
#include "zoo_expect.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "zoo_machine.h"

#define SMALL_PAGE 4096ull
#define HUGE_PAGE (2ull << 20)
#define MHZ 1e6
#define NO_TLB "absent|not-measurable"
/* A structure is full when nothing more fits; so much more has to be there
 * to show it. */
#define BEYOND 1.25

static const char *const policy_class[] = {
	[MP_SIM_LRU] = "lru", [MP_SIM_FIFO] = "fifo",
	[MP_SIM_RANDOM] = "random", [MP_SIM_TREE_PLRU] = "plru",
	[MP_SIM_BIT_PLRU] = "mru", [MP_SIM_NRU] = "mru",
	[MP_SIM_SRRIP] = "srrip", [MP_SIM_QLRU] = "qlru",
};
static const char *const prefetch_kinds[] = {
	"adjacent", "next", "stride", "stream",
};
#define PREFETCH_KINDS 4u

/* -- the rule ----------------------------------------------------------- */

static uint64_t arena_bytes(const struct mp_sim_machine *machine)
{
	const uint64_t most = machine->general.ram_bytes / 2;

	return most < MP_ARENA_CAP_BYTES ? most : MP_ARENA_CAP_BYTES;
}

/* Bytes after which a level's sets begin anew, in one slice. */
static uint64_t span_of(const struct mp_sim_level *level)
{
	return level->size_bytes / level->ways / level->slices;
}

uint64_t zoo_reach_bytes(const struct mp_sim_machine *machine, uint32_t k)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i <= k; i++) {
		const struct mp_sim_level *level = &machine->level[i];

		reach = level->size_bytes +
			(level->inclusion == MP_SIM_EXCLUSIVE ? reach : 0);
	}
	return reach;
}

/* Do neighbours take part of it? */
static bool is_disturbed(const struct mp_sim_machine *machine, uint32_t k)
{
	for (uint32_t i = 0; i < machine->n_neighbours; i++) {
		if (machine->neighbour[i].level == machine->level[k].name)
			return true;
	}
	return false;
}

/* Bytes that are contiguous for certain, and how many such pieces. */
static uint64_t piece_bytes(const struct mp_sim_machine *machine,
			    uint64_t *pieces)
{
	const struct mp_sim_pages *place = &machine->pages;
	uint64_t piece = SMALL_PAGE;

	if (place->contiguous)
		piece = arena_bytes(machine);
	else if (!place->thp_refused || place->huge_pages)
		piece = HUGE_PAGE;
	*pieces = arena_bytes(machine) / piece;
	if (piece == HUGE_PAGE && place->thp_refused &&
	    *pieces > place->huge_pages)
		*pieces = place->huge_pages;
	return piece;
}

bool zoo_knows_sets(const struct mp_sim_machine *machine, uint32_t k)
{
	const struct mp_sim_level *level = &machine->level[k];
	const uint64_t span = span_of(level);
	const uint64_t lines = (uint64_t)level->ways + 1;
	uint64_t piece, pieces;

	if (level->slices > 1 || is_disturbed(machine, k))
		return false;
	if (level->index == MP_SIM_VIRTUAL)
		return lines * span <= arena_bytes(machine);
	piece = piece_bytes(machine, &pieces);
	if (lines * span <= piece)
		return true;
	/* Each piece begins at a multiple of its size. */
	return piece % span == 0 && lines <= piece / span * pieces;
}

/*
 * Do all lines of one set of the outer level fall on one set of the inner?
 * Not where the two count by different addresses and small pages scatter
 * what lies above a page's own bits.
 */
static bool is_coupled(const struct mp_sim_machine *machine,
		       const struct mp_sim_level *inner,
		       const struct mp_sim_level *outer)
{
	const uint64_t inside = span_of(inner) * inner->slices;
	const uint64_t around = span_of(outer) * outer->slices;

	if (inner->index != outer->index && inside > SMALL_PAGE &&
	    !machine->pages.contiguous)
		return false;
	return around % inside == 0;
}

bool zoo_knows_policy(const struct mp_sim_machine *machine, uint32_t k)
{
	const struct mp_sim_level *level = &machine->level[k];

	if (level->ways < 2 || level->ways > ZOO_POLICY_WAYS_MAX)
		return false;
	if (level->inclusion == MP_SIM_EXCLUSIVE || !zoo_knows_sets(machine, k))
		return false;
	/* What makes room inside must not do so here as well. */
	for (uint32_t i = 0; i < k; i++) {
		const struct mp_sim_level *inner = &machine->level[i];

		if (span_of(inner) * inner->slices % span_of(level) == 0)
			return false;
	}
	return true;
}

/* Has a line always left the inner level before it can leave the outer? */
static bool leaves_first(const struct mp_sim_machine *machine,
			 const struct mp_sim_level *inner,
			 const struct mp_sim_level *outer)
{
	if (!is_coupled(machine, inner, outer))
		return false;
	if (inner->ways == 1)
		return true;
	return inner->policy.index == MP_SIM_FIFO &&
	       inner->ways <= outer->ways &&
	       (outer->policy.index == MP_SIM_LRU ||
		outer->policy.index == MP_SIM_FIFO);
}

bool zoo_knows_inclusion(const struct mp_sim_machine *machine, uint32_t k)
{
	const struct mp_sim_level *level = &machine->level[k];

	if (level->inclusion == MP_SIM_EXCLUSIVE)
		return true;
	for (uint32_t i = 0; i < k; i++) {
		if (!leaves_first(machine, &machine->level[i], level))
			return true;
	}
	return false;
}

static bool has_huge_pages(const struct mp_sim_machine *machine)
{
	return !machine->pages.thp_refused || machine->pages.huge_pages;
}

static const struct mp_sim_tlb_level *tlb_of(
	const struct mp_sim_machine *machine, uint32_t level, uint32_t page)
{
	for (uint32_t i = 0; i < machine->n_tlbs; i++) {
		if (machine->tlb[i].level == level &&
		    machine->tlb[i].page == page)
			return &machine->tlb[i];
	}
	return NULL;
}

static uint32_t walk_cycles(const struct mp_sim_machine *machine,
			    uint32_t page)
{
	uint32_t cost = 0;

	for (uint32_t i = 0; i < machine->n_walks; i++) {
		if (machine->walk[i].page == page)
			return machine->walk[i].cost_cycles;
		if (machine->walk[i].page == MP_SIM_PAGE_ALL)
			cost = machine->walk[i].cost_cycles;
	}
	return cost;
}

/* Is a translation that has left a TLB dearer than one that is in it? */
static bool shows_misses(const struct mp_sim_machine *machine,
			 const struct mp_sim_tlb_level *tlb)
{
	const struct mp_sim_tlb_level *outer =
		tlb->level == 1 ? tlb_of(machine, 2, tlb->page) : NULL;

	return (outer ? outer->cost_cycles : walk_cycles(machine, tlb->page)) >
	       tlb->cost_cycles;
}

/* Pages of a size that an experiment can have at once. */
static uint64_t pages_at_hand(const struct mp_sim_machine *machine,
			      uint32_t page)
{
	const uint64_t huge = machine->pages.huge_pages;
	uint64_t pages;

	if (page == MP_SIM_PAGE_4K)
		return arena_bytes(machine) / SMALL_PAGE;
	pages = arena_bytes(machine) / HUGE_PAGE;
	return machine->pages.thp_refused && pages > huge ? huge : pages;
}

/* -- facts -------------------------------------------------------------- */

static int add(struct mp_sim_machine *machine, const char *fact,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));

static int add(struct mp_sim_machine *machine, const char *fact,
	       const char *format, ...)
{
	struct mp_sim_expect *more = realloc(machine->expect,
		(machine->n_expects + 1) * sizeof(*more));
	va_list args;

	if (!more)
		return -ENOMEM;
	machine->expect = more;
	more += machine->n_expects++;
	snprintf(more->fact, sizeof(more->fact), "%s", fact);
	va_start(args, format);
	vsnprintf(more->value, sizeof(more->value), format, args);
	va_end(args);
	return 0;
}

static const char *level_fact(char name[MP_SIM_NAME], uint32_t level,
			      const char *what)
{
	snprintf(name, MP_SIM_NAME, "cpu.%s.%s", mp_sim_level_names[level],
		 what);
	return name;
}

static int add_if(struct mp_sim_machine *machine, bool known, const char *fact,
		  uint64_t value)
{
	return known ? add(machine, fact, "%llu", (unsigned long long)value) :
		       add(machine, fact, "any");
}

static bool has_one_clock(const struct mp_sim_machine *machine)
{
	return machine->ticks.jumps_hz <= 0 && machine->ticks.drift <= 0;
}

/* Time in ns: no one truth where the core clock jumps. */
static int add_ns(struct mp_sim_machine *machine, const char *fact,
		  uint32_t cycles)
{
	if (!has_one_clock(machine))
		return add(machine, fact, "any");
	return add(machine, fact, "%.9g",
		   cycles * 1e3 / machine->general.clock_mhz);
}

/* Two ways leave no room for a difference between some policies. */
static int add_policy(struct mp_sim_machine *machine, uint32_t k)
{
	const struct mp_sim_level *level = &machine->level[k];
	const uint32_t policy = level->policy.index;
	char name[MP_SIM_NAME];

	level_fact(name, level->name, "policy");
	if (!zoo_knows_policy(machine, k) ||
	    (level->ways == 2 && policy == MP_SIM_QLRU))
		return add(machine, name, "any");
	if (level->ways == 2 && (policy == MP_SIM_LRU ||
				 policy == MP_SIM_TREE_PLRU ||
				 policy == MP_SIM_BIT_PLRU))
		return add(machine, name, "lru|plru|mru|not-measurable");
	return add(machine, name, "%s", policy_class[policy]);
}

static int add_inclusion(struct mp_sim_machine *machine, uint32_t k)
{
	const struct mp_sim_level *level = &machine->level[k];
	char name[MP_SIM_NAME];

	if (!k)
		return 0;
	level_fact(name, level->name, "inclusion");
	return add(machine, name, "%s", zoo_knows_inclusion(machine, k) ?
		   mp_sim_inclusion_names[level->inclusion] :
		   "inclusive|non-inclusive|not-measurable");
}

static int add_level(struct mp_sim_machine *machine, uint32_t k)
{
	const struct mp_sim_level *level = &machine->level[k];
	const uint32_t cpus = machine->general.cpus, n = level->name;
	const bool seen = zoo_reach_bytes(machine, k) * BEYOND <=
			  arena_bytes(machine);
	char name[MP_SIM_NAME], bytes[ZOO_SIZE_TEXT];
	int err;

	zoo_size_text(bytes, level->size_bytes);
	err = add(machine, level_fact(name, n, "size"), "%s",
		  is_disturbed(machine, k) ? "varies" : seen ? bytes : "any");
	err = err ?: add_if(machine, zoo_knows_sets(machine, k),
			    level_fact(name, n, "ways"), level->ways);
	err = err ?: add_if(machine, true, level_fact(name, n, "line"),
			    level->line_bytes);
	err = err ?: add_if(machine, true, level_fact(name, n, "sector"),
			    level->sector_bytes);
	err = err ?: add_if(machine, true,
			    level_fact(name, n, "latency-cycles"),
			    level->latency_cycles);
	err = err ?: add_ns(machine, level_fact(name, n, "latency"),
			    level->latency_cycles);
	err = err ?: add_policy(machine, k);
	err = err ?: add_inclusion(machine, k);
	return err ?: add_if(machine, cpus > 1, level_fact(name, n, "shared"),
			     level->shared < cpus ? level->shared : cpus);
}

static int add_levels(struct mp_sim_machine *machine)
{
	uint32_t next = 0;
	char name[MP_SIM_NAME];
	int err = 0;

	for (uint32_t k = 0; k < machine->n_levels && !err; k++) {
		err = add_level(machine, k);
		next = machine->level[k].name + 1;
	}
	for (uint32_t k = next; k < MP_SIM_LEVELS && !err; k++)
		err = add(machine, level_fact(name, k, "size"), "absent");
	return err;
}

static int add_both(struct mp_sim_machine *machine, const char *what,
		    const char *value)
{
	char name[MP_SIM_NAME];
	int err;

	snprintf(name, sizeof(name), "cpu.%s.entries", what);
	err = add(machine, name, "%s", value);
	snprintf(name, sizeof(name), "cpu.%s.ways", what);
	return err ?: add(machine, name, "%s", value);
}

/* One level of translation for one page size. */
static int add_tlb(struct mp_sim_machine *machine, uint32_t level,
		   uint32_t page, const char *what)
{
	const struct mp_sim_tlb_level *tlb = tlb_of(machine, level, page);
	char name[MP_SIM_NAME];
	bool known;
	int err;

	if (page == MP_SIM_PAGE_2M && !has_huge_pages(machine))
		return add_both(machine, what, "any");
	if (!tlb)
		return add_both(machine, what, level == 2 &&
				tlb_of(machine, 1, page) ? "absent" : NO_TLB);
	known = shows_misses(machine, tlb) &&
		tlb->entries * BEYOND <= pages_at_hand(machine, page);
	snprintf(name, sizeof(name), "cpu.%s.entries", what);
	err = add_if(machine, known, name, tlb->entries);
	snprintf(name, sizeof(name), "cpu.%s.ways", what);
	return err ?: add_if(machine, known, name, tlb->ways);
}

static int add_costs(struct mp_sim_machine *machine)
{
	const struct mp_sim_tlb_level *first =
		tlb_of(machine, 1, MP_SIM_PAGE_4K);
	const struct mp_sim_tlb_level *second =
		tlb_of(machine, 2, MP_SIM_PAGE_4K);
	const uint32_t walk = walk_cycles(machine, MP_SIM_PAGE_4K);
	int err;

	if (!first && !second) {
		err = add(machine, "cpu.stlb.hit-cost", NO_TLB);
		return err ?: add(machine, "cpu.walk.cost", NO_TLB);
	}
	if (!second)
		err = add(machine, "cpu.stlb.hit-cost", "absent");
	else
		err = add_if(machine, shows_misses(machine, second) && first &&
			     shows_misses(machine, first), "cpu.stlb.hit-cost",
			     second->cost_cycles);
	return err ?: add_if(machine, walk > 0, "cpu.walk.cost", walk);
}

static int add_tlbs(struct mp_sim_machine *machine)
{
	int err;

	err = add_tlb(machine, 1, MP_SIM_PAGE_4K, "dtlb");
	err = err ?: add_tlb(machine, 2, MP_SIM_PAGE_4K, "stlb");
	err = err ?: add_tlb(machine, 1, MP_SIM_PAGE_2M, "dtlb-2m");
	err = err ?: add_tlb(machine, 2, MP_SIM_PAGE_2M, "stlb-2m");
	return err ?: add_costs(machine);
}

static bool fetches(const struct mp_sim_machine *machine, uint32_t kind)
{
	for (uint32_t i = 0; i < machine->n_prefetchers; i++) {
		if (machine->prefetch[i].kind.index == kind)
			return true;
	}
	return false;
}

/* Each kind has loads that it alone answers: a stream goes ahead of steps of
 * one and of two lines in turn, a stride of steps too far for a stream. */
static int add_prefetchers(struct mp_sim_machine *machine)
{
	char name[MP_SIM_NAME];
	int err = 0;

	for (uint32_t i = 0; i < PREFETCH_KINDS && !err; i++) {
		snprintf(name, sizeof(name), "cpu.prefetch.%s",
			 prefetch_kinds[i]);
		err = add(machine, name, "%s",
			  fetches(machine, i) ? "works" : "absent");
	}
	return err;
}

static int add_memory(struct mp_sim_machine *machine)
{
	const uint64_t reach = zoo_reach_bytes(machine, machine->n_levels - 1);
	const uint32_t cycles = machine->general.memory_latency_cycles;
	int err;

	err = reach * BEYOND <= arena_bytes(machine) ?
	      add_ns(machine, "cpu.dram.latency", cycles) :
	      add(machine, "cpu.dram.latency", "any");
	err = err ?: add(machine, "cpu.dram.latency-random", "any");
	if (!has_one_clock(machine))
		return err ?: add(machine, "cpu.clock", "any");
	return err ?: add(machine, "cpu.clock", "%.0f",
			  machine->general.clock_mhz * MHZ);
}

int zoo_expect(struct mp_sim_machine *machine)
{
	int err;

	free(machine->expect);
	machine->expect = NULL;
	machine->n_expects = 0;
	err = add_levels(machine);
	err = err ?: add_tlbs(machine);
	err = err ?: add_prefetchers(machine);
	return err ?: add_memory(machine);
}
