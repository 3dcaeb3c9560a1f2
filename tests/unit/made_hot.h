/* SPDX-License-Identifier: GPL-2.0 */
/* Rounds of two walks on simulated machines (probe/cpu_hot.h). */
#ifndef MP_MADE_HOT_H
#define MP_MADE_HOT_H

#include "made_sim.h"
#include "probe/cpu_hot.h"

/** made_hot_run() - all that is wanted of level @k */
void made_hot_run(struct made_sim *sim, const struct mp_cpu_edges *edges,
		  uint32_t k);

/** made_hot_is() - fail where that is not what a level @holds of those inside;
 * @text: its machine */
void made_hot_is(const struct mp_cpu_hot *hot, uint32_t holds, const char *text);

#endif
