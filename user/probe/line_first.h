/* SPDX-License-Identifier: GPL-2.0 */
/* A rough look at the first level, and its lines counted by that. */
#ifndef MP_PROBE_LINE_FIRST_H
#define MP_PROBE_LINE_FIRST_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/line.h"

/** MP_LINE_COUNT_FROM - the shortest line that is counted, bytes */
#define MP_LINE_COUNT_FROM 32u

/**
 * struct mp_line_first - the first level, roughly
 * @fits_bytes: the longest footprint that it serves alone, NaN = not seen
 * @latency: of its hits
 */
struct mp_line_first {
	double fits_bytes;
	double latency;
};

/**
 * struct mp_line_counts - lines counted, from the shortest on, until they fit
 * @line: the first length that fits, 0 = none; half of it where more of those do,
 *	too, if that was asked
 * @clear: shorter ones did clearly not, for all that is known
 * @whole: and hardly a hop of those that fit misses
 * @odd: how far apart slots of those that fit were, in lines of that length
 * @time: of a hop of those that did not, the most; of rings of one length that
 *	of the fastest counts
 * @slowest: .. and that of the slowest
 * @sector: what is fetched at once, by the misses of the shortest, NaN = not
 *	known
 * @replicates: the fewest
 */
struct mp_line_counts {
	uint32_t line;
	bool clear;
	bool whole;
	uint32_t odd;
	double time;
	double slowest;
	double sector;
	uint32_t replicates;
};

/** mp_line_first_plan() - want the rough curve; 0 or -ENOMEM */
int mp_line_first_plan(const struct mp_view *view, struct mp_plan *plan);

/** mp_line_first_find() - what it shows; 0 or -ENOMEM */
int mp_line_first_find(const struct mp_view *view, struct mp_line_first *first);

/** mp_line_counts_plan() - want the rings that lines are counted with; 0 or
 * -ENOMEM */
int mp_line_counts_plan(const struct mp_view *view,
			const struct mp_line_first *first,
			struct mp_plan *plan);

/** mp_line_counts_more_plan() - want half as many lines again as @counts found to
 * fit; 0 or -ENOMEM */
int mp_line_counts_more_plan(const struct mp_view *view,
			     const struct mp_line_first *first,
			     const struct mp_line_counts *counts,
			     struct mp_plan *plan);

/** mp_line_counts() - what they show; adds what it rests on to @fact, where
 * that is not NULL. Return: 0 or -ENOMEM. */
int mp_line_counts(const struct mp_view *view,
		   const struct mp_line_first *first, struct mp_fact *fact,
		   struct mp_line_counts *out);

#endif
