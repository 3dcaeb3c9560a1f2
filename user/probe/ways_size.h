/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The second estimator of a size: the sets that a level has, and their ways.
 */
#ifndef MP_WAYS_SIZE_H
#define MP_WAYS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe.h"
#include "probe/ways_sets.h"

/** MP_WAYS_RENEWS - facts of earlier probes that may be renewed */
#define MP_WAYS_RENEWS \
	"cpu.l1d.size,cpu.l2.size,cpu.l3.size,cpu.l4.size," \
	"cpu.l2.inclusion,cpu.l3.inclusion,cpu.l4.inclusion"

/**
 * struct mp_ways_found - of a level whose ways were borne out
 * @k: which
 * @left: the guesses that no test contradicts
 * @is_sized: .. of all sizes that it may have, beyond its limits, too
 * @evidence: the last two experiments that parted those
 */
struct mp_ways_found {
	uint32_t k;
	const struct mp_ways_sets *left;
	bool is_sized;
	uint64_t evidence[2];
};

/** mp_ways_own_edges() - are the edges of levels @from to @k known to be theirs, and
 * theirs alone? Return: 0 or -ENOMEM. */
int mp_ways_own_edges(const struct mp_view *view, uint32_t from, uint32_t k,
		      bool *own);

/** mp_ways_again() - add a fact of the name and place of @old, with what that rests
 * on and @evidence; NULL: out of memory */
struct mp_fact *mp_ways_again(struct mp_facts *facts, const struct mp_fact *old,
			      const uint64_t evidence[2]);

/**
 * mp_ways_renew() - what follows for facts that are open
 *
 * A size of which only limits are known, where all that is left says nearly
 * the same; inclusion, where all that is left is exclusive. Nothing where an
 * earlier answer says otherwise, or the edge may be that of another level.
 * Return: 0 or -ENOMEM.
 */
int mp_ways_renew(const struct mp_view *view, const struct mp_ways_found *found,
		  struct mp_facts *facts);

#endif
