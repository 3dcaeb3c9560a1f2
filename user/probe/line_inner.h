/* SPDX-License-Identifier: GPL-2.0 */
/* The innermost level's line, once its hops are told from all others. */
#ifndef MP_PROBE_LINE_INNER_H
#define MP_PROBE_LINE_INNER_H

#include <stdint.h>

#include "probe/line.h"

/**
 * struct mp_line_inner - the innermost level's line
 * @line: bytes; 0: not known
 * @replicates: the fewest that it rests on; 0: it is known of probe line-l1d, or
 *	not known
 * @halves: parts of it never go apart; else no line is shorter
 * @apart: slots so far apart do; else flushes say that
 */
struct mp_line_inner {
	uint32_t line;
	uint32_t replicates;
	bool halves;
	bool apart;
};

/**
 * mp_line_inner() - the line of the innermost level, also where probe line-l1d
 *	has left it open
 * @edges: the levels, with the times of their hops; NULL: not known
 * @plan: gets what is missing; may be NULL
 * @fact: gets what it rests on; may be NULL
 *
 * What it lies between is known by what comes along with a load, and by what
 * goes with a flush. Of each length between the two neighbours so far apart are
 * asked whether they ever leave the level one without the other.
 * Return: 0 or -ENOMEM.
 */
int mp_line_inner(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  struct mp_plan *plan, struct mp_fact *fact,
		  struct mp_line_inner *out);

/**
 * struct mp_line_l1d_seen - what probe line-l1d has seen
 * @least: no shorter than that, by what comes along with a load, bytes
 * @most: no longer, by what a flush leaves
 * @comes: as in struct mp_line_along
 * @quiet: all prefetchers were off
 */
struct mp_line_l1d_seen {
	uint32_t least;
	uint32_t most;
	uint32_t comes[MP_LINE_ALONGS];
	bool quiet;
};

/** mp_line_l1d_look() - that; 0 or -ENOMEM */
int mp_line_l1d_look(const struct mp_view *view, struct mp_line_l1d_seen *out);

/** mp_line_l1d_renew() - add its facts anew, by what mp_line_inner() says;
 * 0 or -ENOMEM */
int mp_line_l1d_renew(const struct mp_view *view,
		      const struct mp_cpu_edges *edges,
		      struct mp_facts *facts);

#endif
