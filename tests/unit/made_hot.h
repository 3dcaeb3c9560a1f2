/* SPDX-License-Identifier: GPL-2.0 */
/* Rounds of two walks on simulated machines (probe/cpu_hot.h). */
#ifndef MP_MADE_HOT_H
#define MP_MADE_HOT_H

#include "made_sim.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_hot.h"

/* What machines begin with, whose clock tells single hops or only means; and their
 * first levels. */
#define MACHINE(clock) \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place pages=contiguous\nclock tsc_mhz=3000 read=20 " clock "\n"
#define FINE MACHINE("step=1")
#define COARSE MACHINE("step=30")
#define L1 "level name=l1d size=16K ways=8 latency=4 "
#define L2 "level name=l2 size=128K ways=8 latency=14 "

/** made_hot_open() - a machine whose prefetchers are wished off, as far as they can be;
 * arenas of 64 MiB; @edges: gets its edges */
void made_hot_open(struct made_sim *sim, const char *text,
		   struct mp_cpu_edges *edges);

/** made_hot_run() - all that is wanted of level @k */
void made_hot_run(struct made_sim *sim, const struct mp_cpu_edges *edges,
		  uint32_t k);

/** made_hot_ask() - .. and what is made of it; the machine is closed */
void made_hot_ask(struct made_sim *sim, const struct mp_cpu_edges *edges,
		  uint32_t k, struct mp_cpu_hot *hot);

/** made_hot_is() - fail where that is not what a level @holds of those inside;
 * @text: its machine */
void made_hot_is(const struct mp_cpu_hot *hot, uint32_t holds, const char *text);

#endif
