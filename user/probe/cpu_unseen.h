/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peaks that no level explains: a clock too coarse for each level by itself may
 * still have readings that only one more could give. Means of rings do not show
 * it where slots share lines, as most of a step is missing from them then.
 */
#ifndef MP_PROBE_CPU_UNSEEN_H
#define MP_PROBE_CPU_UNSEEN_H

#include "probe/cpu_edges.h"

/**
 * mp_cpu_unseen_find() - is there a peak that is none of the levels'?
 *
 * Where single hops do not tell, and make no groups. Then the innermost level that
 * may hide the one it is of is in doubt.
 */
void mp_cpu_unseen_find(struct mp_cpu_edges *edges);

#endif
