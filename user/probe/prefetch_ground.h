/* SPDX-License-Identifier: GPL-2.0 */
/* What probe prefetch starts from: lines and latencies found by others. */
#ifndef MP_PREFETCH_GROUND_H
#define MP_PREFETCH_GROUND_H

#include "probe/cpu.h"
#include "probe/prefetch_list.h"

/**
 * struct mp_prefetch_ground - what is known of the levels
 * @n: levels
 * @line: of each, bytes; 0 = not known
 * @n_units, @unit: the lengths of lines that there are, each once
 * @widest: the longest, 64 at least
 * @bursts: of a list, so that the clock shows hits
 * @bar: see mp_prefetch_came(): half-way from the outermost level to memory
 * @pair_bar: of the lines of each unit, as the other line of a pair: half-way
 *	to the first level whose lines hold both, which has the other anyway
 * @is_held: is there such a level?
 * @doubt: what is lacking to say that something is absent; NULL
 * @why: what is lacking to ask anything; NULL
 * @lines_known: of all levels
 */
struct mp_prefetch_ground {
	uint32_t n;
	uint32_t line[MP_CPU_LEVELS];
	uint32_t n_units;
	uint32_t unit[MP_CPU_LEVELS];
	uint32_t widest;
	uint32_t bursts;
	double bar;
	double pair_bar[MP_CPU_LEVELS];
	bool is_held[MP_CPU_LEVELS];
	bool lines_known;
	const char *doubt;
	const char *why;
};

/** mp_prefetch_ground_find() - from the facts of a view */
void mp_prefetch_ground_find(const struct mp_view *view,
			     struct mp_prefetch_ground *ground);

#endif
