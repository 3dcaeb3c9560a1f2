/* SPDX-License-Identifier: GPL-2.0 */
/* Between the halves of probe prefetch: what the trials of a list show. */
#ifndef MP_PREFETCH_LOOK_H
#define MP_PREFETCH_LOOK_H

#include "probe/prefetch_list.h"

/** MP_PREFETCH_REPLICATES - of each list, each with its own memory */
#define MP_PREFETCH_REPLICATES 6u
/** MP_PREFETCH_TRIALS - of one kind, in all replicates, at most */
#define MP_PREFETCH_TRIALS (MP_PREFETCH_REPLICATES * 2 * 32u)

/**
 * struct mp_prefetch_seen - the trials of a list
 * @batches: that could be used
 * @id: of the experiment
 * @prefetch_off: batches whose prefetchers were off
 * @blurred: batches in which a hit took as long as a miss
 * @span_ns: from a hit to a miss, the mean of batches
 * @n: trials of each kind
 * @hit: how near each timed line came to a hit: 1 = as fast as a line of the
 *	first level, 0 = as slow as one from memory
 */
struct mp_prefetch_seen {
	uint32_t batches;
	uint64_t id;
	uint32_t prefetch_off;
	uint32_t blurred;
	double span_ns;
	uint32_t n[MP_PREFETCH_KINDS];
	float hit[MP_PREFETCH_KINDS][MP_PREFETCH_TRIALS];
};

/**
 * mp_prefetch_look() - what the batches of a list show: those whose
 *	prefetchers were off if that was wished for, else the others
 * Return: 0 or -ENOMEM.
 */
int mp_prefetch_look(const struct mp_view *view,
		     const struct mp_prefetch_walk *walk,
		     struct mp_prefetch_seen *seen);

/** enum mp_prefetch_came - was the timed line brought? */
enum mp_prefetch_came {
	MP_PREFETCH_UNTRIED,	/* there was no such trial */
	MP_PREFETCH_TOO_FEW,	/* trials, to say anything */
	MP_PREFETCH_NEVER,	/* no more often than in one trial of ten */
	MP_PREFETCH_AT_TIMES,
	MP_PREFETCH_COMES,	/* in most trials, and not in the controls */
	MP_PREFETCH_UNCLEAR,	/* hits are not told from misses */
};

/**
 * mp_prefetch_came() - one kind of a list
 * @bar: of mp_prefetch_seen.hit: what is above was brought
 * @low: what lies between the bar and 0 is a miss of another level, so the
 *	controls tell nothing of the bar but that hits are above it
 */
uint32_t mp_prefetch_came(const struct mp_prefetch_seen *seen, uint32_t kind,
			  double bar, bool low);

/** mp_prefetch_mean() - mean of mp_prefetch_seen.hit of a kind, NaN for none;
 * @error: gets its standard error */
double mp_prefetch_mean(const struct mp_prefetch_seen *seen, uint32_t kind,
			double *error);

/** mp_prefetch_above() - trials of a kind above the bar */
uint32_t mp_prefetch_above(const struct mp_prefetch_seen *seen, uint32_t kind,
			   double bar);

#endif
