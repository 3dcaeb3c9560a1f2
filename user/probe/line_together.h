/* SPDX-License-Identifier: GPL-2.0 */
/* Whether two neighbours stay in the first level together, and go together. */
#ifndef MP_PROBE_LINE_TOGETHER_H
#define MP_PROBE_LINE_TOGETHER_H

#include <stdint.h>

#include "probe/line.h"
#include "probe/line_first.h"

/**
 * struct mp_line_between - what the first level's line lies between
 * @least, @most: bytes
 * @replicates: the fewest that its narrowing rests on; 0: nothing was narrowed
 */
struct mp_line_between {
	uint32_t least;
	uint32_t most;
	uint32_t replicates;
};

/**
 * mp_line_narrow() - ask neighbours whether they share a line, until one
 *	length is left
 * @first: where the level ends, roughly
 * @along: what comes along with a load
 * @plan: gets what is missing; may be NULL
 * @fact: gets what it rests on; may be NULL
 * @between: what is known; gets what neighbours add
 *
 * One neighbour is loaded, then the other one later on, and then as much is
 * walked as puts out the one but not yet the other. In one line the second
 * load keeps the first neighbour, too; in two it does not. What sectors,
 * prefetchers and longer lines further out do has no part in it.
 * Return: 0 or -ENOMEM.
 */
int mp_line_narrow(const struct mp_view *view,
		   const struct mp_line_first *first,
		   const struct mp_line_along *along, struct mp_plan *plan,
		   struct mp_fact *fact, struct mp_line_between *between);

#endif
