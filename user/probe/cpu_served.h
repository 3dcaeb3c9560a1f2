/* SPDX-License-Identifier: GPL-2.0 */
/* By which level was a hop served, for one who asks of one level? */
#ifndef MP_PROBE_CPU_SERVED_H
#define MP_PROBE_CPU_SERVED_H

#include "analysis/spectrum.h"

/** enum mp_served - where a hop was served, seen from an outer level */
enum mp_served {
	MP_SERVED_UNSEEN,
	MP_SERVED_FURTHER,	/* further in than the level inside */
	MP_SERVED_INNER,	/* by the level inside */
	MP_SERVED_OUTER,	/* by the level that is asked about */
	MP_SERVED_NEXT,		/* by the next one */
	MP_SERVED_PAST,		/* .. or beyond that */
};

/** mp_served_by() - by where a hop of so many cycles was served
 * @k: the level that is asked about, 1 or further out */
static inline enum mp_served mp_served_by(const struct mp_spectrum *at,
					  uint32_t k, double cycles)
{
	if (k > 1 && cycles <= at->bound[k - 2])
		return MP_SERVED_FURTHER;
	if (cycles <= at->bound[k - 1])
		return MP_SERVED_INNER;
	if (cycles <= at->bound[k])
		return MP_SERVED_OUTER;
	return k + 2 < at->n && cycles > at->bound[k + 1] ? MP_SERVED_PAST :
							    MP_SERVED_NEXT;
}

#endif
