/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of a level before its ways are: limits, latencies, lines. */
#ifndef MP_WAYS_LEVEL_H
#define MP_WAYS_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "probe.h"
#include "probe/ways_test.h"

/** MP_WAYS_MOST_ERROR - a size of which only limits are known may be so much
 * larger than they say */
#define MP_WAYS_MOST_ERROR 0.25

/** MP_WAYS_FINEST_SINGLE - share of single hops that can be told from none */
#define MP_WAYS_FINEST_SINGLE 0.008
/** mp_ways_finest() - the least share of misses that can be told from none */
double mp_ways_finest(const struct mp_ways_level *level);

/** mp_ways_size_of() - what was found of a level's size, or NULL */
const struct mp_fact *mp_ways_size_of(const struct mp_view *view, uint32_t k);


/** mp_ways_line_of() - bytes of a level's line; @usual where it is not known */
uint64_t mp_ways_line_of(const struct mp_view *view, uint32_t k,
			 uint64_t usual);

/** mp_ways_level_known() - @level: all of it but for how hops are timed
 * Return: false where too little is known for tests of its ways. */
bool mp_ways_level_known(const struct mp_view *view, uint32_t k,
			 struct mp_ways_level *level);

/** mp_ways_times_single() - is the clock fine enough to time single hops, and
 * are they kept? The batches tell. */
bool mp_ways_times_single(const struct mp_view *view,
			  const struct mp_ways_level *level);
/** mp_ways_tells_misses() - .. fine enough to tell what hops miss the level, if
 * not what is served inside? */
bool mp_ways_tells_misses(const struct mp_view *view,
			  const struct mp_ways_level *level);

/**
 * mp_ways_may_go_beyond() - of a mean, may some lines miss the next level, too?
 * @missed: what its hops take longer than a hit, at the most, in steps from this
 *	level to the next
 *
 * They do where hops take longer than a miss. Where few miss, one that takes as
 * long as many of them hides among hits, if the next level may put out what this
 * one has, and is shorter than the ring.
 */
bool mp_ways_may_go_beyond(const struct mp_ways_level *level,
			   const struct mp_ways_test *test, double missed);

/** mp_ways_piece_of() - bytes that lie in a row in memory of a kind, enum
 * mp_pages; 0 = that is not to be had. The batches tell */
uint64_t mp_ways_piece_of(const struct mp_view *view, uint32_t pages);

/** mp_ways_beside_of() - what another probe says of a level and those inside */
enum mp_ways_beside mp_ways_beside_of(const struct mp_view *view, uint32_t k);

#endif
