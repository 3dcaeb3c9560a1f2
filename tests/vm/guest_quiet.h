/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GUEST_QUIET_H
#define GUEST_QUIET_H

#include <pthread.h>

#include "guest_lib.h"

#define QUIET (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF)

#define LATENESS_STEP_NS 50000ull
#define LATENESS_STEPS 1024

/**
 * struct witness - a clock outside the module: a thread of high priority on
 *	the measured CPU whose timer is late when that CPU is held
 * @wakes: how often it woke
 * @max_ns: how late it was at most
 * @late: how often it was so many steps of LATENESS_STEP_NS late
 */
struct witness {
	int cpu;
	__u64 period_ns;
	volatile int stop;
	__u64 wakes;
	__u64 max_ns;
	__u32 late[LATENESS_STEPS];
	pthread_t thread;
};

/** witness_begin() / witness_end() - Return: could the thread be had? */
bool witness_begin(struct witness *w, int cpu, __u64 period_ns);
void witness_end(struct witness *w);

/** witness_over() - wakes that were later than that */
__u64 witness_over(const struct witness *w, __u64 ns);

/** neighbour_begin() - a process that is a nuisance on this CPU */
pid_t neighbour_begin(int cpu);
void neighbour_end(pid_t neighbour);

void quiet_windows(struct guest *g, __u64 windows, bool exact);
void quiet_duty(struct guest *g);

#endif
