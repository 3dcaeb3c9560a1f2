/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine file as data: what Documentation/sim-machine.md describes. The
 * parser knows the whole format; what this version cannot simulate is
 * refused by name afterwards, by mp_sim_honour().
 */
#ifndef MP_SIM_MACHINE_H
#define MP_SIM_MACHINE_H

#include "sim_text.h"

#define MP_SIM_LEVELS 4
#define MP_SIM_TLB_LEVELS 2
#define MP_SIM_TLBS 6
#define MP_SIM_WALKS 4
#define MP_SIM_PREFETCHERS 8
/** MP_SIM_WAYS_MAX - ways of a set, entries of a TLB. */
#define MP_SIM_WAYS_MAX 1048576
/** MP_SIM_FILE_MAX_BYTES - a larger machine file is refused. */
#define MP_SIM_FILE_MAX_BYTES (1u << 20)

/** enum mp_sim_policies - which line of a set makes room */
enum mp_sim_policies {
	MP_SIM_LRU,
	MP_SIM_FIFO,
	MP_SIM_RANDOM,
	MP_SIM_TREE_PLRU,
	MP_SIM_BIT_PLRU,
	MP_SIM_NRU,
	MP_SIM_SRRIP,
	MP_SIM_QLRU,
};

enum mp_sim_inclusion {
	MP_SIM_NON_INCLUSIVE,
	MP_SIM_INCLUSIVE,
	MP_SIM_EXCLUSIVE,
};

enum mp_sim_index {
	MP_SIM_PHYSICAL,
	MP_SIM_VIRTUAL,
	MP_SIM_INDEX_USUAL,	/* virtual for l1d, physical for the others */
};

/** enum mp_sim_page - page sizes of TLBs and walks */
enum mp_sim_page {
	MP_SIM_PAGE_4K,
	MP_SIM_PAGE_2M,
	MP_SIM_PAGE_1G,
	MP_SIM_PAGE_ALL,
};

/** What the numbers above and those of levels are called; NULL-terminated.
 * mp_sim_policy_names ends before qlru, which has parameters in its name. */
extern const char *const mp_sim_policy_names[];
extern const char *const mp_sim_inclusion_names[];
extern const char *const mp_sim_page_names[];
extern const char *const mp_sim_level_names[];

/* Every struct of a word begins with the line that it stands on. */

struct mp_sim_general {
	uint32_t at_line;
	char name[MP_SIM_NAME];
	uint32_t cpus;
	uint32_t memory_latency_cycles;
	double clock_mhz;
	uint64_t ram_bytes;
};

/**
 * struct mp_sim_level - a cache level
 * @at_line: line of the file
 * @name: 0 .. 3 for l1d .. l4
 * @ways: resolved: `full` is stored as the number of lines of a slice
 * @sector_bytes: resolved: the line size where it was left out
 * @index: resolved: MP_SIM_PHYSICAL or MP_SIM_VIRTUAL
 */
struct mp_sim_level {
	uint32_t at_line;
	uint32_t name;
	uint64_t size_bytes;
	uint64_t line_bytes;
	uint64_t sector_bytes;
	uint32_t ways;
	uint32_t latency_cycles;
	struct mp_sim_named policy;
	uint32_t index;
	uint32_t inclusion;
	uint32_t slices;
	uint32_t shared;
};

/** struct mp_sim_tlb_level - one TLB; @ways resolved as for a level */
struct mp_sim_tlb_level {
	uint32_t at_line;
	uint32_t level;
	uint32_t page;
	uint32_t entries;
	uint32_t ways;
	uint32_t cost_cycles;
	struct mp_sim_named policy;
};

struct mp_sim_page_walk {
	uint32_t at_line;
	uint32_t cost_cycles;
	uint32_t page;
};

struct mp_sim_prefetch {
	uint32_t at_line;
	struct mp_sim_named kind;
	uint32_t into;
	uint32_t can_switch;
};

struct mp_sim_pages {
	uint32_t at_line;
	uint32_t contiguous;
	uint32_t thp_refused;
	uint32_t huge_pages;
	uint32_t giant_pages;
};

struct mp_sim_ticks {
	uint32_t at_line;
	uint32_t step_ticks;
	uint32_t read_cycles;
	double tsc_mhz;
	double drift;
	double jumps_hz;
};

struct mp_sim_noise {
	uint32_t at_line;
	uint32_t unseen;
	double gaps;
	struct mp_sim_range gap_us;
};

struct mp_sim_neighbour {
	uint32_t at_line;
	uint32_t level;
	struct mp_sim_range share;
	double period_ms;
};

/** struct mp_sim_expect - what a test expects; no backend looks at it */
struct mp_sim_expect {
	char fact[MP_SIM_NAME];
	char value[MP_SIM_NAME];
};

/**
 * struct mp_sim_machine - a parsed machine
 * @level: in the order of the file, inner to outer
 * @neighbour: at most one a level
 * @expect: owned
 */
struct mp_sim_machine {
	struct mp_sim_general general;
	uint32_t n_levels;
	uint32_t n_tlbs;
	uint32_t n_walks;
	uint32_t n_prefetchers;
	uint32_t n_neighbours;
	uint32_t n_expects;
	struct mp_sim_level level[MP_SIM_LEVELS];
	struct mp_sim_tlb_level tlb[MP_SIM_TLBS];
	struct mp_sim_page_walk walk[MP_SIM_WALKS];
	struct mp_sim_prefetch prefetch[MP_SIM_PREFETCHERS];
	struct mp_sim_neighbour neighbour[MP_SIM_LEVELS];
	struct mp_sim_pages pages;
	struct mp_sim_ticks ticks;
	struct mp_sim_noise noise;
	struct mp_sim_expect *expect;
};

/**
 * mp_sim_machine_parse() - from text
 * @machine: gets the machine, with nothing owned after an error
 * @text: the file's text; not changed
 * @file: its name, for messages; without its folder and ending the machine's
 *	name where no `machine` word gives one
 * @why: gets "FILE:LINE: what, which value, what is allowed"
 * @room: bytes of @why
 * Return: 0, -EINVAL, -ENOMEM.
 */
int mp_sim_machine_parse(struct mp_sim_machine *machine, const char *text,
			 const char *file, char *why, size_t room);

/** mp_sim_machine_read() - from a file; also mp_file_read()'s errors */
int mp_sim_machine_read(struct mp_sim_machine *machine, const char *file,
			char *why, size_t room);

void mp_sim_machine_free(struct mp_sim_machine *machine);

/** mp_sim_machine_sets() - sets of one slice of a level */
uint64_t mp_sim_machine_sets(const struct mp_sim_level *level);

/**
 * mp_sim_machine_expect() - what the file expects of a fact
 * Return: the text behind '=', or NULL where it says nothing.
 */
const char *mp_sim_machine_expect(const struct mp_sim_machine *machine,
				  const char *fact);

#endif
