/* SPDX-License-Identifier: GPL-2.0 */
/* The ways of a simulated machine asked for, its levels told beforehand. */
#ifndef ASK_WAYS_H
#define ASK_WAYS_H

#include "sim_ask.h"

#define ASK_WAYS_MHZ 3000.0
#define ASK_WAYS_LEVELS 4u

/**
 * struct ask_ways - a machine, and what earlier probes would have found of it
 * @text: the machine, as a file has it, of ASK_WAYS_MHZ
 * @size: of its levels; 0: there is no such level
 * @cycles: .. their latencies
 * @memory_cycles: .. and that of memory
 * @line: of all; 0: it is not known
 * @inclusion: of all levels but the first; NULL: not known
 * @error: of the sizes, as a share; 0: they are known
 */
struct ask_ways {
	const char *text;
	double size[ASK_WAYS_LEVELS];
	double cycles[ASK_WAYS_LEVELS];
	double memory_cycles;
	double line;
	const char *inclusion;
	double error;
};

/** ask_ways() - ask probe ways of it; sim_ask_free() @ask */
void ask_ways(struct sim_ask *ask, const struct ask_ways *of);

/** ask_ways_quiet() - the same, with prefetchers off */
void ask_ways_quiet(struct sim_ask *ask, const struct ask_ways *of);

/** ask_ways_found() - fails the test where a fact is not measured as so many */
void ask_ways_found(const struct sim_ask *ask, const char *name, uint32_t ways);

#endif
