/* SPDX-License-Identifier: GPL-2.0 */
/* What is made of the rounds of cpu_hot.c, once they were counted. */
#ifndef MP_PROBE_CPU_HOT_SAID_H
#define MP_PROBE_CPU_HOT_SAID_H

#include "probe/cpu_hot.h"

/** MP_CPU_HOT_INSIDE - why nothing may be said */
#define MP_CPU_HOT_INSIDE "no ring stays in the level inside that is not held further inside, too"

/** MP_CPU_HOT_PUT_OUT - of T so much has left the inner level at least */
#define MP_CPU_HOT_PUT_OUT 0.5
/** MP_CPU_HOT_STAYS - losses of a line for each time that the outer level is driven
 * through, at most, where that is said not to include the other: one that does, and
 * resists the drive, takes back a few */
#define MP_CPU_HOT_STAYS 0.15
/** MP_CPU_HOT_LEAKS_LITTLE - a line that leaves the inner level by itself is used in the
 * outer one then, and one that includes the other need not lose it: less often than
 * this, and it would */
#define MP_CPU_HOT_LEAKS_LITTLE 0.5

/**
 * mp_cpu_hot_may_put_out() - has the outer level lost as much as one that puts lines out
 *	of the inner one does?
 * @single: hops were timed one by one
 * @hot: all but @still
 */
bool mp_cpu_hot_may_put_out(bool single, const struct mp_cpu_hot *hot);

/** mp_cpu_hot_puts_out() - .. and do lines leave the inner level so much more often than
 * where the outer one is not driven through? It is inclusive then. */
bool mp_cpu_hot_puts_out(bool single, const struct mp_cpu_hot *hot);

/**
 * mp_cpu_hot_decide() - what it is otherwise
 * @roomy: what puts H out is small beside an exclusive level
 * @hot: gets holds, or why
 */
void mp_cpu_hot_decide(bool roomy, struct mp_cpu_hot *hot);

#endif
