/* SPDX-License-Identifier: GPL-2.0 */
/* Kinds of facts: how each is found out, in words for whoever doubts it. */
#ifndef MP_CMD_EXPLAIN_KIND_H
#define MP_CMD_EXPLAIN_KIND_H

#include <stdbool.h>
#include <stdint.h>

/** enum mp_wants - what a kind of fact gains from, bits */
enum mp_wants {
	MP_WANTS_CONTIG = 1u << 0,	/* memory that lies in a row */
	MP_WANTS_FINE_CLOCK = 1u << 1,	/* single hops or steps that can be timed */
	MP_WANTS_CURVE = 1u << 2,	/* is read off latency by footprint */
	MP_WANTS_CALM = 1u << 3,	/* neighbours that leave the cache alone */
};

/**
 * struct mp_kind - a kind of facts
 * @pattern: names of its facts, as of fnmatch(3)
 * @is: what such a fact is
 * @section: heading of Documentation/how-it-knows.md that has it all
 * @anchor: of that heading
 * @estimator: how it gets from what was seen to the answer
 * @table: how to read what was seen, row by row
 * @overturn: what would have to be seen for another answer
 * @guest: what a hypervisor below changes, or NULL
 * @wants: bits of enum mp_wants
 */
struct mp_kind {
	const char *pattern;
	const char *is;
	const char *section;
	const char *anchor;
	const char *estimator;
	const char *table;
	const char *overturn;
	const char *guest;
	uint32_t wants;
};

/** mp_kind_of() - the kind of the fact of a name; one that says that nothing
 * is known of it where there is none, never NULL */
const struct mp_kind *mp_kind_of(const char *name);

/** mp_kind_known() - is it other than the last resort? */
bool mp_kind_known(const struct mp_kind *kind);

#endif
