/* SPDX-License-Identifier: GPL-2.0 */
/* Where the measuring thread runs, and with what right over others. */
#ifndef MP_USER_SCHED_H
#define MP_USER_SCHED_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "batch.h"

/**
 * struct mp_user_sched - what was found, to be restored, and what was taken
 * @cpu: the CPU that the thread is pinned to
 * @n_cpus: CPU numbers that @before has room for
 * @before: the affinity mask found; owned
 * @policy: the policy found
 * @param: its parameters
 * @nice: the nice level found
 * @group_nice: the autogroup's nice level found
 * @may: bits of enum mp_granted that a trial obtained
 * @got: bits that are held now
 */
struct mp_user_sched {
	int cpu;
	int n_cpus;
	cpu_set_t *before;
	int policy;
	struct sched_param param;
	int nice;
	int group_nice;
	uint32_t may;
	uint32_t got;
};

/**
 * mp_user_sched_open() - pin this thread, and try which rights can be had
 * @cpu: a CPU of the affinity mask; -1 = the one that looks least busy over
 *	20 ms, of equals the last whose core is its own (user_width.h)
 * @why: gets what is wrong
 * @room: bytes of @why
 *
 * Any number of CPUs. Return: 0; -EINVAL when @cpu is not in the mask (@why
 * names what is); -ENOMEM; -errno of a refused affinity call.
 */
int mp_user_sched_open(struct mp_user_sched *sched, int cpu, char *why,
		       size_t room);

/** mp_user_sched_may() - may a thread of this process run on that CPU, by the
 * affinity mask that was found? */
bool mp_user_sched_may(const struct mp_user_sched *sched, int cpu);

/** mp_user_sched_holds() - is this thread still bound to that CPU alone? */
bool mp_user_sched_holds(const struct mp_user_sched *sched);

/** mp_user_sched_pin() - to the same CPU again, if somebody has moved this
 * thread; -errno */
int mp_user_sched_pin(const struct mp_user_sched *sched);

/**
 * mp_user_sched_raise() - go before others, until mp_user_sched_drop()
 *
 * SCHED_FIFO at its lowest priority where permitted. Else the best nice
 * level and, since under autogroups a nice level counts inside one session
 * only, the session's own. Never a new session: ^C must go on reaching us.
 * Return: bits of enum mp_granted that are held.
 */
uint32_t mp_user_sched_raise(struct mp_user_sched *sched);

/** mp_user_sched_drop() - give back what raise took; others get their turn */
void mp_user_sched_drop(struct mp_user_sched *sched);

/** mp_user_sched_close() - everything as it was found; more than once is fine */
void mp_user_sched_close(struct mp_user_sched *sched);

/** mp_user_sched_rights() - what @may allows, in words */
const char *mp_user_sched_rights(const struct mp_user_sched *sched);

/** mp_user_cpus_print() - "0-3,8": the first @n_cpus of a set; what does not
 * fit is cut off */
void mp_user_cpus_print(const cpu_set_t *set, int n_cpus, char *text,
			size_t room);

/**
 * mp_user_cpus_busy() - time each CPU has been busy, from /proc/stat
 * @stat: the open file
 * @busy: gets jiffies of each CPU that the file names, by number
 * @n_cpus: entries of @busy; greater CPU numbers are left out
 */
void mp_user_cpus_busy(FILE *stat, uint64_t *busy, int n_cpus);

/** mp_user_cpus_calmest() - the CPU of a set whose busy time grew least, of
 * equals the last; -1 when the set is empty */
int mp_user_cpus_calmest(const cpu_set_t *set, int n_cpus,
			 const uint64_t *from, const uint64_t *to);

#endif
