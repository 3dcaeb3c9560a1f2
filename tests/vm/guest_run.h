/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GUEST_RUN_H
#define GUEST_RUN_H

#include "guest_lib.h"

#define QUIET (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF)

/** known() - is this bit of memprobe_sample.valid set? */
static inline bool known(const struct memprobe_sample *sample, unsigned int bit)
{
	return sample->valid >> bit & 1;
}

/** run_ok() - a run that must work; false and said if it did not */
bool run_ok(struct guest *g, const char *what);

/** check_samples() - all that holds for every run's samples */
void check_samples(struct guest *g, const char *what);

void run_memory(struct guest *g);
void run_events(struct guest *g);
void run_sequence(struct guest *g, bool plain);

#endif
